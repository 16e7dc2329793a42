//! The table of variables and the address map: long lists with a search box.

use super::hbm::percent;
use crate::dom::{
    El, Listener, append, div, el, on, replace_children, set_attr, set_hidden, set_text, span, svg,
};
use crate::layout::action::{Action, MemoryAction};
use crate::layout::format::{count, thousands};
use crate::layout::memory::words::size;
use crate::layout::memory::{MemoryBox, Part, VarRef};
use crate::layout::state::State;
use crate::paint::glyph::{address, button, provenance};
use crate::panel::Dispatch;
use crate::panel::structs::{search, set_input};
use crate::panel::vlist::VList;
use debug_api::answer::{AddressAnswer, MapRegion, PlacedVariable};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// The lists.
pub struct Lists {
    root: Element,
    input: Element,
    found: Element,
    place: Element,
    variables: VList,
    regions: VList,
    told: Option<usize>,
    revealed: u32,
    _typed: Listener,
}

impl Lists {
    /// Empty lists.
    pub fn new(dispatch: &Dispatch) -> Self {
        let (area, input) = search("memory-search", "Search variables");
        let found = span("sub", "").attr("role", "status").build();
        let head = grid_head(
            "mvr",
            &["Variable", "Subgraph", "Id", "Size", "Place", "Page", "Address", ""],
        );
        let variables = VList::new(dispatch, "mvl", "grid", "Variables", Some(head));
        let head = grid_head(
            "mar",
            &["Region", "Kind", "First address", "Bytes", "Place in the region around it", ""],
        );
        let regions =
            VList::new(dispatch, "mal", "grid", "Regions of device addresses", Some(head));
        let place = div("mplace").attr("role", "status").build();
        let bar = div("ph").child(area).node(&found);
        let root = div("mlist").child(bar).node(&place).build();
        append(&root, variables.root());
        append(&root, regions.root());
        let send = dispatch.clone();
        let typed = on(&input, "input", move |event| {
            let input = event.target().and_then(|at| at.dyn_into::<HtmlInputElement>().ok());
            if let Some(input) = input {
                send(Action::Memory(MemoryAction::Find(input.value())));
            }
        });
        Self {
            root,
            input,
            found,
            place,
            variables,
            regions,
            told: None,
            revealed: 0,
            _typed: typed,
        }
    }

    /// Their element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the list of a part.
    pub fn focus(&self, part: Part) {
        if part == Part::Variables { self.variables.focus() } else { self.regions.focus() }
    }

    /// Brings them up to date.
    pub fn render(&mut self, state: &State) {
        let memory = &state.memory;
        let (rows, map) = (memory.part == Part::Variables, memory.part == Part::Addresses);
        set_hidden(&self.root, !rows && !map);
        set_hidden(self.variables.root(), !rows);
        set_hidden(self.regions.root(), !map);
        if !rows && !map {
            return;
        }
        set_input(&self.input, &memory.find);
        let label = if rows { "Search variables" } else { "Search regions, or an address 0x…" };
        set_attr(&self.input, "aria-label", label);
        set_attr(&self.input, "placeholder", label);
        let reveal = self.revealed != memory.reveal;
        self.revealed = memory.reveal;
        let wish = reveal.then_some(memory.cursor as u64);
        if rows {
            self.render_variables(memory, wish);
        } else {
            self.render_regions(memory, wish);
        }
        let told = memory.place.as_ref().filter(|_| map && memory.address.is_some());
        let now = told.map(|one| Rc::as_ptr(one) as usize);
        if self.told != now {
            self.told = now;
            replace_children(&self.place, told.map(|one| summary(one)));
        }
        set_hidden(&self.place, told.is_none());
    }

    fn render_variables(&mut self, memory: &MemoryBox, wish: Option<u64>) {
        let (rows, found) = (Rc::clone(&memory.rows), Rc::clone(&memory.found));
        let loading = memory.total > rows.len() as u64;
        let text = if loading {
            format!(
                "{} of {}, loading",
                thousands(rows.len() as u64),
                count(memory.total, "variable")
            )
        } else if memory.find.trim().is_empty() {
            count(memory.total, "variable")
        } else {
            format!("{} of {}", thousands(found.len() as u64), count(memory.total, "variable"))
        };
        set_text(&self.found, &text);
        let id = (!found.is_empty()).then(|| format!("mv-{}", memory.cursor));
        self.variables.set_active(id.as_deref());
        let total = found.len() as u64;
        set_attr(self.variables.root(), "aria-rowcount", &(total + 1).to_string());
        let (cursor, picked) = (memory.cursor, memory.picked.clone());
        self.variables.render(total, wish, |at| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            let row = found.get(at).and_then(|row| rows.get(*row));
            row.map_or_else(|| div("vr2"), |row| variable(at, row, at == cursor, picked.as_ref()))
        });
    }

    fn render_regions(&mut self, memory: &MemoryBox, wish: Option<u64>) {
        let regions = memory.regions();
        let map = memory.map.as_ref();
        let total = map.map_or(0, |map| map.regions.len());
        let of = map.map_or("", |map| map.generation.as_str());
        let text = if regions.len() == total {
            format!("{} of {of}", count(total as u64, "region"))
        } else {
            format!("{} of {} of {of}", regions.len(), count(total as u64, "region"))
        };
        set_text(&self.found, &text);
        let id = (!regions.is_empty()).then(|| format!("mr-{}", memory.cursor));
        self.regions.set_active(id.as_deref());
        set_attr(self.regions.root(), "aria-rowcount", &(regions.len() + 1).to_string());
        let cursor = memory.cursor;
        self.regions.render(regions.len() as u64, wish, |at| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            let around = regions.get(at).and_then(|one| {
                let map = map?;
                let own = map.regions.iter().position(|other| other == *one)?;
                let before = map.regions.get(..own)?;
                before.iter().rev().find(|other| other.depth < one.depth)
            });
            regions.get(at).map_or_else(|| div("vr2"), |one| region(at, one, around, at == cursor))
        });
    }
}

fn grid_head(class: &str, titles: &[&str]) -> El {
    let cells = titles.iter().map(|title| {
        let cell = span("", title).attr("role", "columnheader");
        if title.is_empty() { cell.child(span("vh", "Provenance")) } else { cell }
    });
    div("vlhd").attr("role", "rowgroup").child(div(class).attr("role", "row").children(cells))
}

fn cell(class: &str, text: &str) -> El {
    span(class, text).attr("role", "gridcell")
}

/// What a place is, for people.
fn place_text(place: &str) -> &str {
    match place {
        "state-buffer" => "state buffer",
        "own" => "memory of its own",
        "private" => "crosses a page: memory of its own",
        "page" => "scratchpad page",
        "at-execute" => "bound at each execution",
        "table" => "table in the host's memory",
        "cell" => "cell of a pointer",
        "remote" => "in another subgraph",
        "not-staged" => "not staged",
        other => other,
    }
}

fn variable(at: usize, row: &PlacedVariable, cursor: bool, picked: Option<&VarRef>) -> El {
    let own = VarRef::of_row(row);
    let chosen = picked == Some(&own);
    let mut class = "vr2 mvr".to_owned();
    for (on, name) in [(chosen, " sel"), (cursor, " cur")] {
        class.push_str(if on { name } else { "" });
    }
    let page = match (row.page, row.in_page_offset) {
        (Some(page), Some(at)) => format!("{page} + {at:#x}"),
        _ => "–".to_owned(),
    };
    let place = place_text(&row.place);
    let line = div(&class)
        .attr("role", "row")
        .attr("id", &format!("mv-{at}"))
        .attr("data-row", &at.to_string())
        .attr("aria-rowindex", &(at + 2).to_string())
        .attr("aria-selected", if chosen { "true" } else { "false" })
        .attr("title", &row.name)
        .child(cell("mono nm", &row.name))
        .child(cell("t2 hs", &row.subgraph))
        .child(cell("mono r", &row.id.to_string()))
        .child(cell("mono r", &size(row.size)))
        .child(cell(if row.place == "private" { "warnt" } else { "t2" }, place))
        .child(cell("mono", &page));
    let known = match &row.address {
        Some(text) => cell("mono hm", "").child(address(text)),
        None => cell("t3 hm", "–"),
    };
    line.child(known).child(cell("", "").child(provenance(row.provenance)))
}

fn region(at: usize, one: &MapRegion, around: Option<&MapRegion>, cursor: bool) -> El {
    let MapRegion { depth, region } = one;
    let class = if cursor { "vr2 mar cur sel" } else { "vr2 mar" };
    let name = cell(&format!("nm d{}", (depth + 1).min(6)), &region.name);
    let start = |text: &str| crate::layout::format::parse_number(text).unwrap_or(0);
    let bar = svg("svg")
        .class("mrbar")
        .attr("width", "100%")
        .attr("height", "8")
        .attr("aria-hidden", "true");
    let bar = match around {
        Some(MapRegion { region: outer, .. }) if outer.bytes > 0 => {
            let from = start(&region.start).saturating_sub(start(&outer.start));
            let part = |bytes: u64| percent(bytes as f64 / outer.bytes as f64);
            // What is too small to be seen has a mark.
            let mark = percent((from as f64 / outer.bytes as f64).min(0.985));
            let ground = svg("rect").class("mmg").attr("width", "100%").attr("height", "8");
            let own = svg("rect").class("f-3").attr("x", &part(from)).attr("height", "8");
            bar.child(ground).child(own.attr("width", &part(region.bytes))).child(
                svg("rect").class("f-3").attr("x", &mark).attr("width", "3").attr("height", "8"),
            )
        }
        _ => bar,
    };
    div(class)
        .attr("role", "row")
        .attr("id", &format!("mr-{at}"))
        .attr("data-row", &at.to_string())
        .attr("aria-rowindex", &(at + 2).to_string())
        .attr("aria-selected", if cursor { "true" } else { "false" })
        .child(name)
        .child(cell("t2 hs", &region.kind))
        .child(cell("mono", "").child(address(&region.start)))
        .child(cell("mono r", &size(region.bytes)))
        .child(cell("hm", "").child(bar))
        .child(cell("", "").child(provenance(region.provenance)))
}

/// What the address is, in one line with its links.
fn summary(answer: &AddressAnswer) -> El {
    let mut line = div("mwhere").child(address(&answer.address)).child(span("t3", "is"));
    if answer.regions.is_empty() {
        let text = format!("no region of {} that is known", answer.generation);
        return line.child(el("b").text(&text));
    }
    let path: Vec<&str> = answer.regions.iter().map(|one| one.name.as_str()).collect();
    line = line.child(el("b").text(&path.join(" \u{203a} ")));
    if let Some(offset) = answer.offset {
        line = line.child(span("mono", &format!("+ {offset:#x}")));
    }
    if let Some(detail) = &answer.detail {
        line = line.child(span("t2", detail));
    }
    if let Some(image) = &answer.image {
        let text = format!("{} {} image + {:#x}", image.subgraph, image.engine, image.image_offset);
        let link = button("go").attr("data-slot", &(image.image_offset / 64).to_string());
        let link = link.attr("data-s", &image.subgraph).attr("data-e", &image.engine);
        line = line.child(link.text(&text)).child(provenance(image.provenance));
    }
    if let Some(variable) = &answer.variable {
        let text = format!("{} + {:#x}", variable.name, variable.offset);
        let var =
            VarRef { file: variable.file, subgraph: variable.subgraph.clone(), id: variable.id };
        let link = button("go mono").attr("data-var", &var.text()).text(&text);
        line = line.child(link).child(provenance(variable.provenance));
    }
    for one in answer.memory.iter().filter(|one| one.adds()) {
        line = line.child(span("t2", &one.words())).child(provenance(one.provenance));
    }
    line
}

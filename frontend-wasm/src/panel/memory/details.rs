//! The details of the chosen variable, or of the address that is looked up.

use super::hbm::swatch;
use crate::dom::{El, append, div, el, replace_children, set_text, span};
use crate::layout::format::{bytes_exact, thousands};
use crate::layout::memory::map::{hue, owners};
use crate::layout::memory::words::{order, size};
use crate::layout::memory::{MemoryBox, Part, VarRef};
use crate::layout::state::State;
use crate::paint::glyph::{address, button, engine_glyph, icon, provenance};
use debug_api::Provenance;
use debug_api::answer::{
    AddressAnswer, MemoryAnswer, MemoryVariable, PlacedVariable, VariableAnswer,
};
use std::rc::Rc;
use web_sys::Element;

/// Uses and pairs of one list.
const MOST: usize = 8;

/// What the drawing depends on: variable, plan, uses, place.
type Drawn = (Part, Option<VarRef>, usize, usize, usize);

/// The details.
pub struct Details {
    root: Element,
    title: Element,
    sub: Element,
    body: Element,
    parts: Element,
    drawn: Option<Drawn>,
}

impl Details {
    /// Empty details.
    pub fn new() -> Self {
        let title = el("b").attr("id", "memory-details").build();
        let sub = div("l2").build();
        let close = button("btn sm sq ghost").attr("data-do", "close");
        let close = close.attr("aria-label", "Hide details").attr("title", "Hide details (I)");
        let link = button("btn sm sq ghost").attr("data-do", "link");
        let link = link
            .attr("aria-label", "Copy link to this view")
            .attr("title", "Copy link to this view (Y)");
        let line = div("l1").node(&title).child(span("grow", ""));
        let line = line.child(link.child(icon("link"))).child(close.child(icon("close")));
        let head = div("idh").child(line).node(&sub);
        let body = div("body scroll").attr("tabindex", "0").attr("role", "region");
        let body = body.attr("aria-labelledby", "memory-details").build();
        let root =
            el("aside").class("pane det mdet").attr("aria-label", "Details").child(head).build();
        append(&root, &body);
        let parts = div("secs").build();
        append(&body, &parts);
        Self { root, title, sub, body, parts, drawn: None }
    }

    /// Their element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// What scrolls and takes the focus.
    pub const fn body(&self) -> &Element {
        &self.body
    }

    /// Brings them up to date; gives whether they were drawn anew.
    pub fn render(&mut self, state: &State) -> bool {
        let memory = &state.memory;
        fn at<T>(one: Option<&Rc<T>>) -> usize {
            one.map_or(0, |one| Rc::as_ptr(one) as usize)
        }
        let now = (
            memory.part,
            memory.picked.clone(),
            at(memory.plan()) ^ Rc::as_ptr(&memory.rows) as usize,
            at(memory.uses.as_ref()),
            at(memory.place.as_ref()),
        );
        if self.drawn.as_ref() == Some(&now) {
            return false;
        }
        self.drawn = Some(now);
        if memory.part == Part::Addresses {
            self.address(memory);
        } else {
            self.variable(state);
        }
        true
    }

    fn say(&self, title: &str, sub: &str, parts: Vec<El>) {
        set_text(&self.title, title);
        set_text(&self.sub, sub);
        replace_children(&self.parts, parts);
    }

    fn empty(&self, title: &str, text: &str) {
        let gap = div("gap").child(el("b").text(title)).child(el("br")).and_text(text);
        self.say("Details", "", vec![gap]);
    }

    fn address(&self, memory: &MemoryBox) {
        let Some(place) = memory.place.as_ref().filter(|_| memory.address.is_some()) else {
            let text = "Type an address into the search box, or choose a region.";
            self.empty("No address is looked up.", text);
            return;
        };
        self.say(
            &place.address,
            &format!("device address of {}", place.generation),
            where_is(place),
        );
    }

    fn variable(&self, state: &State) {
        let memory = &state.memory;
        let Some(picked) = &memory.picked else {
            if memory.part == Part::Calculator {
                let text = "Sizes are typed here; no file is needed. A variable that is chosen in \
                            the plan or the table brings its range along with Calculate.";
                self.empty("The calculator is about no variable.", text);
                return;
            }
            let text =
                "Click a variable in the page map or the table, or step with the arrow keys.";
            self.empty("No variable is selected.", text);
            return;
        };
        let plan = memory.plan();
        let on_page = plan.and_then(|plan| MemoryBox::on_page(plan, picked));
        let row = memory.row(picked);
        let name = row.map(|row| row.name.clone()).or(on_page.as_ref().map(|one| one.name.clone()));
        let Some((name, plan)) = name.zip(plan) else {
            let text = "The plan has no variable of this number, or has not listed it yet.";
            self.empty("This variable is not known.", text);
            return;
        };
        let bytes = row.map(|row| row.size).or(on_page.as_ref().map(|one| one.size)).unwrap_or(0);
        let sub = format!("{}, {}", row.map_or("variable", |row| kind(&row.place)), size(bytes));
        let uses = memory.uses.as_deref();
        let uses = uses.filter(|uses| uses.id == picked.id && uses.subgraph == picked.subgraph);
        let mut parts = Vec::new();
        if row.is_some_and(|row| row.place == "private") && plan.mode == "paged" {
            let text = span("tx", "Crosses a page: gets memory of its own.");
            parts.push(
                div("banner warn")
                    .child(crate::paint::glyph::symbol("ic", "v-warning"))
                    .child(text),
            );
        }
        parts.push(identity(plan, picked, bytes, uses));
        parts.push(place(plan, picked, row, on_page.as_ref()));
        parts.extend(on_page.as_ref().map(lifetime));
        parts.extend(shares(plan, picked));
        let first = state
            .files
            .as_ref()
            .and_then(|files| files.files.iter().position(|one| one.kind == "neff"));
        let here = first.unwrap_or(0) == picked.file;
        parts.extend(uses.map(|uses| used_by(uses, here)));
        parts.push(configured(plan));
        self.say(&name, &sub, parts);
    }
}

fn kind(place: &str) -> &'static str {
    match place {
        "state-buffer" => "state buffer",
        "page" | "private" => "virtual variable",
        "at-execute" => "input or output",
        "own" => "variable with memory of its own",
        _ => "variable",
    }
}

fn titled(title: &str, side: Option<String>) -> El {
    let cap = el("h3").class("cap").child(span("", title));
    let cap = match side {
        Some(side) => cap.child(span("", &side)),
        None => cap,
    };
    el("section").class("fs").child(cap)
}

/// A line of a list of facts.
fn fact(list: El, name: &str, value: El, of: Provenance) -> El {
    list.child(el("dt").text(name))
        .child(el("dd").child(value))
        .child(el("dd").class("qp").child(provenance(of)))
}

fn mono(text: &str) -> El {
    span("mono", text)
}

/// An address that leads to the map.
fn link(text: &str) -> El {
    button("go mono")
        .attr("data-address", text)
        .attr("title", "Show in the address map")
        .child(address(text))
}

fn identity(plan: &MemoryAnswer, picked: &VarRef, bytes: u64, uses: Option<&VariableAnswer>) -> El {
    use Provenance::File;
    let mut list = el("dl").class("fl");
    list = fact(list, "Variable", mono(&format!("var_id {}", picked.id)), File);
    list = fact(list, "Type", mono(uses.map_or("?", |uses| uses.kind.as_str())), File);
    list = fact(list, "Subgraph", mono(&picked.subgraph), File);
    let file = plan.files.iter().find(|one| one.file == picked.file);
    if let Some(file) = file.filter(|_| plan.files.len() > 1) {
        list = fact(list, "File", span("cut", &file.name), File);
    }
    list = fact(
        list,
        "Size",
        span("", &size(bytes)).child(mono(&format!(" {}", bytes_exact(bytes))).class("mono t3")),
        File,
    );
    let record = button("btn sm").attr("data-do", "record").text("Record in Structs");
    let record = if uses.is_none() { record.attr("disabled", "") } else { record };
    let calc = button("btn sm").attr("data-do", "calculate").text("Calculate");
    titled("Identity", None).child(list).child(div("row mbtn").child(record).child(calc))
}

fn place(
    plan: &MemoryAnswer,
    picked: &VarRef,
    row: Option<&PlacedVariable>,
    one: Option<&MemoryVariable>,
) -> El {
    let mut list = el("dl").class("fl");
    if let Some(one) = one {
        let offset = address(&format!("{:#x}", one.offset));
        list = fact(list, "Offset", span("mono", "").child(offset), plan.provenance);
        let page_size = plan.page_size.max(1);
        let (page, within) = (one.offset / page_size, one.offset % page_size);
        let found = plan.mode == "contiguous" || within.saturating_add(one.size) <= page_size;
        let text = if plan.mode == "contiguous" {
            format!("{} + {within:#x}", plan.n_pages.saturating_sub(page + 1))
        } else {
            format!("{page} + {within:#x}")
        };
        list = fact(list, "Page", mono(&text), plan.provenance);
        let resolve = if found { "found" } else { "not found: own block" };
        list = fact(list, "Resolve", span("", resolve), plan.provenance);
        let slice = if one.slice == "shared" {
            "shared".to_owned()
        } else {
            format!("local, {}", picked.subgraph)
        };
        list = fact(list, "Slice", span("", &slice), plan.provenance);
        let before = plan.slices.iter().find(|slice| {
            slice.file == one.file && slice.padding_bytes > 0 && slice.offset == one.offset
        });
        if let Some(before) = before {
            list = fact(list, "Pad before", span("", &size(before.padding_bytes)), plan.provenance);
        }
    }
    if let Some(row) = row {
        let value = match &row.address {
            Some(text) => link(text),
            None if row.place == "at-execute" => span("t3", "bound at each execution"),
            None => span("t3", "none"),
        };
        list = fact(list, "Device", value, row.provenance);
    }
    titled("Place", None).child(list)
}

fn lifetime(one: &MemoryVariable) -> El {
    if one.spans.is_empty() {
        let text = div("t3 mnote").text("No record of the streams is known to use it.");
        return titled("Lifetime", None).child(text);
    }
    let mut list = el("dl").class("fl");
    for span_of in &one.spans {
        let ip = |ip: u32| {
            button("go mono")
                .attr("data-ip", &ip.to_string())
                .attr("data-s", &one.subgraph)
                .attr("data-e", &span_of.engine)
                .text(&format!("IP {}", thousands(u64::from(ip))))
        };
        let mut value =
            span("eng", "").child(engine_glyph(&span_of.engine)).and_text(&span_of.engine);
        value = span("row", "").child(value).child(ip(span_of.first_ip));
        if span_of.last_ip != span_of.first_ip {
            value = value.child(span("t3", "to")).child(ip(span_of.last_ip));
        }
        let name = format!("{} uses", thousands(span_of.uses));
        let name = if span_of.uses == 1 { "1 use".to_owned() } else { name };
        list = fact(list, &name, value, Provenance::Inferred);
    }
    titled("Lifetime", None).child(list)
}

fn shares(plan: &MemoryAnswer, picked: &VarRef) -> Option<El> {
    let own = |one: &MemoryVariable| VarRef::of(one) == *picked;
    let all: Vec<_> =
        plan.overlap_pairs.iter().filter(|pair| own(&pair.a) || own(&pair.b)).collect();
    if all.is_empty() {
        return None;
    }
    let mut section = titled("Shares bytes with", Some(thousands(all.len() as u64)));
    let known = owners(plan);
    for pair in all.iter().take(MOST) {
        let other = if own(&pair.a) { &pair.b } else { &pair.a };
        let owner = known.iter().position(|one| one.1.as_deref() == Some(other.subgraph.as_str()));
        let text = format!("{}, {}", size(pair.bytes), order(&pair.order));
        section = section.child(
            button("dep")
                .attr("data-var", &VarRef::of(other).text())
                .child(swatch(hue(owner.unwrap_or(0))))
                .child(span("mono", &other.name))
                .child(span("tx", &text))
                .child(provenance(Provenance::Inferred)),
        );
    }
    Some(section)
}

/// Descriptors and records that use it. `here` if Code and Structs show its file.
fn used_by(uses: &VariableAnswer, here: bool) -> El {
    let total = uses.total_descriptors + uses.total_slots;
    let mut section = titled("Used by", Some(thousands(total)));
    if total == 0 {
        return section.child(div("t3 mnote").text("No descriptor and no record names it."));
    }
    let row = |made: El| if here { made } else { made.attr("disabled", "") };
    for one in uses.slots.iter().take(MOST) {
        let ip = one.at.neff_ip.unwrap_or(0);
        let what = match (&one.queue, one.block) {
            (Some(queue), Some(block)) => format!("{}, triggers {queue} block {block}", one.role),
            _ => one.role.clone(),
        };
        let made = button("dep").attr("data-ip", &ip.to_string()).attr("data-s", &one.at.s);
        let made = made.attr("data-e", &one.at.e).attr("title", &what);
        let made = made.child(span("eng", "").child(engine_glyph(&one.at.e)).and_text(&one.at.e));
        let made = made.child(span("mono", &format!("IP {}", thousands(u64::from(ip)))));
        section = section
            .child(row(made.child(span("tx", &what)).child(provenance(Provenance::Observed))));
    }
    section = more(section, uses.total_slots, "records");
    for one in uses.descriptors.iter().take(MOST) {
        let what = format!("{} block {}, {}", one.queue, one.block, one.role);
        let made =
            button("dep").attr("data-ring", &one.record).attr("data-row", &one.row.to_string());
        let made =
            made.attr("title", &what).child(span("mono", &format!("desc {}", thousands(one.row))));
        section =
            section.child(row(made.child(span("tx", &what)).child(provenance(Provenance::File))));
    }
    more(section, uses.total_descriptors, "descriptors")
}

fn more(section: El, total: u64, what: &str) -> El {
    match total.saturating_sub(MOST as u64) {
        0 => section,
        left => {
            section.child(div("t3 mnote").text(&format!("and {} more {what}", thousands(left))))
        }
    }
}

fn configured(plan: &MemoryAnswer) -> El {
    let mut list = el("dl").class("fl");
    list = fact(list, "Mode", mono(&plan.mode), plan.mode_provenance);
    let of_page = if plan.mode == "paged" { Provenance::Configured } else { Provenance::Observed };
    list = fact(list, "Page size", mono(&size(plan.page_size)), of_page);
    list = fact(list, "Pages", mono(&thousands(plan.n_pages)), plan.provenance);
    list = fact(list, "Core", mono(&plan.core.to_string()), plan.core_provenance);
    list = fact(list, "HBM", mono(&plan.hbm.to_string()), plan.core_provenance);
    titled("Configured by", None).child(list)
}

fn where_is(place: &AddressAnswer) -> Vec<El> {
    let mut list = el("dl").class("fl");
    for region in &place.regions {
        let start = region.start.clone();
        let value =
            span("", &region.name).child(span("mono t3", &format!(" {}", size(region.bytes))));
        list = fact(list, &region.kind, value.attr("title", &start), region.provenance);
        list = fact(list, "from", link(&start), region.provenance);
    }
    if let Some(offset) = place.offset {
        let how = place.regions.last().map_or(Provenance::Observed, |one| one.provenance);
        list = fact(list, "Offset", mono(&format!("{offset:#x}")), how);
    }
    if let Some(detail) = &place.detail {
        list = fact(list, "There", span("", detail), Provenance::Observed);
    }
    for cell in &place.cells {
        let name = format!("Rings {}", cell.does);
        let title = format!("A ring copies this cell there to {} it", cell.does);
        let value = span("", "").attr("title", &title).child(link(&cell.address));
        list = fact(list, &name, value, cell.provenance);
    }
    let mut out = vec![titled("Place", None).child(list)];
    if place.regions.is_empty() {
        let text = "No region is known there. Choose another chip if the address is of one.";
        out = vec![div("gap").child(el("b").text("Nothing.")).and_text(" ").and_text(text)];
    }
    if let Some(image) = &place.image {
        let go = button("go mono").attr("data-slot", &(image.image_offset / 64).to_string());
        let go = go.attr("data-s", &image.subgraph).attr("data-e", &image.engine);
        let go = go.text(&format!("{} slot {}", image.engine, thousands(image.image_offset / 64)));
        let list = fact(el("dl").class("fl"), "Slot", go, image.provenance);
        let list =
            fact(list, "Image", mono(&format!("{:#x}", image.image_offset)), image.provenance);
        out.push(titled("Program", None).child(list));
    }
    if let Some(one) = &place.variable {
        let var = VarRef { file: one.file, subgraph: one.subgraph.clone(), id: one.id };
        let go = button("go mono").attr("data-var", &var.text()).text(&one.name);
        let list = fact(el("dl").class("fl"), "Name", go, one.provenance);
        let list = fact(list, "Offset", mono(&format!("{:#x}", one.offset)), one.provenance);
        let list = fact(list, "Subgraph", mono(&one.subgraph), one.provenance);
        out.push(titled("Variable", None).child(list));
    }
    for one in &place.memory {
        let list = fact(el("dl").class("fl"), "What", span("", &one.words()), one.provenance);
        let list = fact(list, "from", link(&one.start), one.provenance);
        let list = fact(list, "Size", mono(&size(one.bytes)), one.provenance);
        let list = fact(list, "Offset", mono(&format!("{:#x}", one.offset)), one.provenance);
        let list = match one.core {
            Some(core) => fact(list, "Core", mono(&core.to_string()), one.provenance),
            None => list,
        };
        out.push(titled(if one.is_set_up() { "Set-up" } else { "Plan" }, None).child(list));
    }
    out
}

//! The table of control entries.

use super::bits;
use crate::dom::{El, Listener, div, on, set_attr, set_style, span};
use crate::layout::action::{Action, CollectivesAction};
use crate::layout::collectives::{CollectivesBox, EntryAt, bits as layout, words};
use crate::layout::state::State;
use crate::paint::glyph::{engine_glyph, provenance, symbol};
use crate::panel::Dispatch;
use crate::panel::structs::{search, set_input};
use crate::panel::vlist::VList;
use debug_api::answer::{CollectiveTrigger, PlannedEntry, SpadBits};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// Rows that the table is tall enough for at least and at most, before it scrolls.
const ROWS: (usize, usize) = (4, 16);

/// The table.
pub struct Table {
    list: VList,
    find: Element,
    input: Element,
    revealed: u32,
    tall: usize,
    _typed: Listener,
}

impl Table {
    /// An empty table.
    pub fn new(dispatch: &Dispatch) -> Self {
        let title = |text: &str, class: &str| span(class, text).attr("role", "columnheader");
        let head = div("cer").attr("role", "row").child(title("#", "r")).child(title("SP", "r"));
        let head = head.child(title("Collective", "")).child(title("8 bytes in memory", "cw"));
        let bits = span("cb", "").attr("role", "columnheader");
        let bits = bits.child(span("vh", "Bits, bit 0 at the left")).child(bits::head());
        let head = head.child(bits).child(title("Algorithm", "")).child(title("Reads as", ""));
        let head = head.child(title("", "").child(span("vh", "Provenance")));
        let head = div("vlhd").attr("role", "rowgroup").child(head);
        let list = VList::new(dispatch, "cel", "grid", "Control entries", Some(head));
        let (area, input) = search("coll-search", "Search entries");
        let send = dispatch.clone();
        let typed = on(&input, "input", move |event| {
            let input = event.target().and_then(|at| at.dyn_into::<HtmlInputElement>().ok());
            if let Some(input) = input {
                send(Action::Collectives(CollectivesAction::Find(input.value())));
            }
        });
        Self { list, find: area.build(), input, revealed: 0, tall: 0, _typed: typed }
    }

    /// The table's element.
    pub const fn root(&self) -> &Element {
        self.list.root()
    }

    /// Its search box.
    pub const fn find(&self) -> &Element {
        &self.find
    }

    /// Focus to the table.
    pub fn focus(&self) {
        self.list.focus();
    }

    /// Brings the table up to date.
    pub fn render(&mut self, state: &State) {
        let own = &state.collectives;
        set_input(&self.input, &own.find);
        let rows = Rc::clone(&own.rows);
        let tall = rows.len().clamp(ROWS.0, ROWS.1);
        if self.tall != tall {
            self.tall = tall;
            set_style(self.list.root(), "--rows", &tall.to_string());
        }
        let reveal = self.revealed != own.reveal;
        self.revealed = own.reveal;
        let at = own.row();
        let wish = at.filter(|_| reveal).map(|at| at as u64);
        let id = at.and_then(|at| rows.get(at)).map(row_id);
        self.list.set_active(id.as_deref());
        set_attr(self.list.root(), "aria-rowcount", &(rows.len() + 1).to_string());
        let odd = odd(own);
        let bits = own.entry.as_ref().and_then(|answer| answer.entries.first());
        let bits: &[SpadBits] = bits.map_or(&[], |entry| &entry.bits);
        self.list.render(rows.len() as u64, wish, |at| {
            let number = usize::try_from(at).unwrap_or(usize::MAX);
            let made = rows.get(number).and_then(|at| {
                let (trigger, entry) = (own.trigger_at(at.index)?, own.entry_at(*at)?);
                let marks = Marks {
                    number,
                    chosen: own.picked == Some(*at),
                    first: own.rows.get(number.wrapping_sub(1)).map(|one| one.index)
                        != Some(at.index),
                    odd: odd.get(&at.index).copied(),
                };
                Some(row(*at, trigger, entry, bits, &marks))
            });
            made.unwrap_or_else(|| div("vr2"))
        });
    }
}

/// What a row is marked with.
struct Marks {
    number: usize,
    chosen: bool,
    /// Whether it is the first one of its collective.
    first: bool,
    /// Severity of the worst finding about its collective, or that ranks differ there.
    odd: Option<&'static str>,
}

/// Collectives that have findings.
fn odd(own: &CollectivesBox) -> BTreeMap<u64, &'static str> {
    let mut out: BTreeMap<u64, &'static str> = BTreeMap::new();
    let Some(plan) = &own.plan else { return out };
    for finding in &plan.diagnostics {
        let Some(index) = words::trigger_of(finding, &plan.subgraph, &own.triggers) else {
            continue;
        };
        match finding.severity.as_str() {
            "error" => _ = out.insert(index, "error"),
            "warning" if out.get(&index) != Some(&"error") => _ = out.insert(index, "warning"),
            _ => _ = out.entry(index).or_insert("info"),
        }
    }
    out
}

/// Id of a row.
fn row_id(at: &EntryAt) -> String {
    format!("ce-{}-{}", at.index, at.top_sp)
}

fn cell(class: &str, text: &str) -> El {
    span(class, text).attr("role", "gridcell")
}

fn row(
    at: EntryAt,
    trigger: &CollectiveTrigger,
    entry: &PlannedEntry,
    bits: &[SpadBits],
    marks: &Marks,
) -> El {
    let mut class = "vr2 cer".to_owned();
    let flags = [(marks.chosen, " sel cur"), (entry.nop, " nop"), (marks.first, " first")];
    for (_, name) in flags.iter().filter(|(on, _)| *on) {
        class.push_str(name);
    }
    let place = &trigger.place;
    let what = words::operation(trigger);
    let mut who = cell("cwho", "");
    if marks.first {
        let name = format!("{} IP {}", place.engine, place.neff_ip);
        who = who
            .child(span("eng", "").child(engine_glyph(&place.engine)).and_text(&name))
            .child(span("cut", &what));
        if let Some(severity) = marks.odd {
            who = who.child(symbol(&format!("ic s-{severity}"), &format!("v-{severity}")));
        }
    } else {
        who = who.child(span("vh", &what));
    }
    let (word, known) = (words::word_of(&entry.raw), words::known(entry));
    let view = if entry.channel_list.is_some() { "ring" } else { "mesh" };
    let cells = layout::row(bits, Some(view), word, known);
    let algorithm = match (&entry.algorithm, entry.algo_type) {
        (Some(name), Some(number)) => {
            let sub = entry.algo_sub_type.filter(|sub| *sub > 0);
            let sub = sub.map_or(String::new(), |sub| format!(".{sub}"));
            let number = span("t3", &format!(" {number}{sub}"));
            cell("", name).child(number)
        }
        _ => cell("t3", &words::algorithm(entry)),
    };
    let text = words::reads(entry);
    div(&class)
        .attr("role", "row")
        .attr("id", &row_id(&at))
        .attr("data-entry", &at.text())
        .attr("aria-rowindex", &(marks.number + 2).to_string())
        .attr("aria-selected", if marks.chosen { "true" } else { "false" })
        .child(cell("mono r ix", &at.index.to_string()))
        .child(cell("mono r t3", &at.top_sp.to_string()))
        .child(who)
        .child(cell("mono t2 cw", &words::masked(&entry.raw, known)))
        .child(cell("cb", "").child(bits::row(&cells)))
        .child(algorithm)
        .child(cell("t2", &text).attr("title", &text))
        .child(cell("", "").child(provenance(entry.provenance)))
}

//! The events of the window as a table.

use crate::dom::{append, div, el, replace_children, set_text, span};
use crate::layout::format::{bytes_exact, count, thousands};
use crate::layout::state::State;
use crate::layout::timeline::TABLE_ROWS;
use crate::paint::glyph::button;
use debug_api::answer::{TimelineEvent, TimelineEventsAnswer};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The table.
pub struct Table {
    root: Element,
    words: Element,
    body: Element,
    drawn: Option<(Rc<TimelineEventsAnswer>, &'static str)>,
}

impl Table {
    /// An empty table.
    pub fn new() -> Self {
        let words = span("sub", "").build();
        let body = el("tbody").build();
        let unit = ["Row", "Start", "Length", "Event", "Slot", "NEFF IP", "Value", "More"];
        let head = unit.map(|title| el("th").attr("scope", "col").text(title));
        let table = el("table").child(el("thead").child(el("tr").children(head))).node(&body);
        let csv = button("btn sm").attr("data-do", "csv").text("Copy as CSV");
        let bar = div("tbar").node(&words).child(span("grow", "")).child(csv);
        let scroller = div("ttable").attr("tabindex", "0").attr("role", "region");
        let scroller = scroller.attr("aria-label", "Events of this view").child(table).build();
        let root = div("ttab").child(bar).build();
        append(&root, &scroller);
        Self { root, words, body, drawn: None }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let timeline = &state.timeline;
        let Some(rows) = &timeline.rows else { return };
        let unit = timeline.unit.name();
        if self.drawn.as_ref().is_some_and(|(old, had)| Rc::ptr_eq(old, rows) && *had == unit) {
            return;
        }
        let shown = rows.events.len() as u64;
        let what = if timeline.range.is_some() { "in the range" } else { "in the window" };
        let words = if shown < rows.total {
            let all = thousands(rows.total);
            format!(
                "First {} of {all} events {what}; zoom in for the others",
                thousands(TABLE_ROWS.into())
            )
        } else {
            format!("{} {what}", count(rows.total, "event"))
        };
        set_text(&self.words, &words);
        let fs = timeline.cycle_fs();
        let line = |event: &TimelineEvent| {
            let number =
                |value: Option<u32>| value.map_or("–".to_owned(), |v| thousands(v.into()));
            let place = event.place.as_ref();
            let value = match event.value {
                Some(value) if event.row.contains('[') => thousands(value),
                Some(value) => bytes_exact(value),
                None => "–".to_owned(),
            };
            let more = event.flags.iter().cloned().chain([event.text.clone()]);
            let more: Vec<String> = more.filter(|text| !text.is_empty()).collect();
            let pick = button("go").attr("data-event", &format!("{}.{}", event.lane, event.index));
            let cells = [
                event.row.clone(),
                timeline.unit.text(event.start_ps as f64, fs),
                timeline.unit.text(event.len_ps as f64, fs),
            ];
            let rest = [
                number(place.and_then(|place| place.image_slot)),
                number(place.and_then(|place| place.neff_ip)),
                value,
                more.join("; "),
            ];
            el("tr")
                .children(cells.iter().map(|text| el("td").text(text)))
                .child(el("td").child(pick.text(&event.name)))
                .children(rest.iter().map(|text| el("td").text(text)))
        };
        replace_children(&self.body, rows.events.iter().map(line));
        self.drawn = Some((Rc::clone(rows), unit));
    }
}

/// A table as CSV: a cell with a comma or a quote is quoted.
pub fn csv(table: &Element) -> String {
    let mut out = String::new();
    let Ok(rows) = table.query_selector_all("tr") else { return out };
    for at in 0..rows.length() {
        let Some(row) = rows.item(at).and_then(|row| row.dyn_into::<Element>().ok()) else {
            continue;
        };
        let Ok(cells) = row.query_selector_all("th, td") else { continue };
        let texts = (0..cells.length()).filter_map(|at| cells.item(at));
        let texts = texts.map(|cell| {
            let text = cell.text_content().unwrap_or_default();
            let quoted = text.contains([',', '"', '\n']);
            if quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
        });
        out.push_str(&texts.collect::<Vec<_>>().join(","));
        out.push_str("\r\n");
    }
    out
}

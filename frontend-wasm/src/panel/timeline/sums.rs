//! Sums over the chosen range, or over the whole trace.

use crate::dom::{append, div, el, replace_children, set_attr, set_text, span, svg};
use crate::layout::format::engine_key;
use crate::layout::format::{percent, thousands};
use crate::layout::state::State;
use crate::paint::glyph::{button, engine_glyph};
use debug_api::answer::{TimelineAnswer, TimelineRow};
use std::rc::Rc;
use web_sys::Element;

/// The table of sums.
pub struct Sums {
    root: Element,
    words: Element,
    title: Element,
    body: Element,
    drawn: Option<(Rc<TimelineAnswer>, &'static str)>,
}

impl Sums {
    /// An empty table.
    pub fn new() -> Self {
        let title = el("h3").build();
        let words = span("sub mono", "").build();
        let body = el("tbody").build();
        let titles = ["Engine", "Busy", "", "Open", "Events", "Longest"];
        let head = titles.map(|title| match title {
            "" => el("td"),
            title => el("th").attr("scope", "col").text(title),
        });
        let table = el("table").child(el("thead").child(el("tr").children(head))).node(&body);
        let csv = button("btn sm").attr("data-do", "csv").text("Copy as CSV");
        let bar = div("tbar").node(&title).node(&words).child(span("grow", "")).child(csv);
        let root = div("tsums").child(bar).build();
        let scroller = div("tsumb").attr("tabindex", "0").attr("role", "region");
        append(&root, &scroller.attr("aria-label", "Sums").child(table).build());
        Self { root, words, title, body, drawn: None }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let timeline = &state.timeline;
        let sums = timeline.range.and(timeline.sums.as_ref());
        let Some(answer) = sums.or(timeline.answer.as_ref()) else { return };
        let unit = timeline.unit.name();
        if self.drawn.as_ref().is_some_and(|(old, had)| Rc::ptr_eq(old, answer) && *had == unit) {
            return;
        }
        let fs = timeline.cycle_fs();
        let number = |ps: u64| timeline.unit.number(ps as f64, fs);
        let text = |ps: u64| timeline.unit.text(ps as f64, fs);
        let len = answer.to_ps.saturating_sub(answer.from_ps);
        let (from, to) = (number(answer.from_ps), text(answer.to_ps));
        set_text(&self.title, if sums.is_some() { "Range" } else { "Whole trace" });
        set_text(&self.words, &format!("{from}–{to} · {}", text(len)));
        let rows = answer.rows.iter().filter(|row| row.group == "engines" || row.group == "queues");
        let line = |row: &TimelineRow| {
            let whole = len.saturating_mul(row.lanes.max(1).into());
            let name = if row.group == "engines" {
                span("eng", "").child(engine_glyph(&row.name)).and_text(&row.name)
            } else {
                span("eng", "").and_text(&row.name)
            };
            let open = if row.open_ps == 0 { "0".to_owned() } else { text(row.open_ps) };
            let cells = [open, thousands(row.range_events), text(row.largest)];
            el("tr")
                .child(el("th").attr("scope", "row").child(name))
                .child(el("td").text(&percent(row.busy_ps, whole)))
                .child(el("td").child(bar(row, whole)))
                .children(cells.iter().map(|text| el("td").text(text)))
        };
        replace_children(&self.body, rows.map(line));
        self.drawn = Some((Rc::clone(answer), unit));
        set_attr(&self.root, "data-range", if sums.is_some() { "yes" } else { "no" });
    }
}

/// Busy and open parts of a range as a bar.
fn bar(row: &TimelineRow, whole: u64) -> crate::dom::El {
    let part = |ps: u64| (ps as f64 * 200.0 / whole.max(1) as f64).clamp(0.0, 200.0);
    let rect = |class: &str, x: f64, width: f64| {
        svg("rect")
            .class(class)
            .attr("x", &format!("{x:.1}"))
            .attr("width", &format!("{width:.1}"))
            .attr("height", "8")
    };
    let (busy, open) = (part(row.busy_ps), part(row.open_ps));
    let hue = if row.group == "engines" {
        format!("f-{}", engine_key(&row.name))
    } else {
        "ftransfer".to_owned()
    };
    svg("svg")
        .class("tsbar")
        .attr("viewBox", "0 0 200 8")
        .attr("aria-hidden", "true")
        .child(rect("fwell", 0.0, 200.0))
        .child(rect(&hue, 0.0, busy))
        .child(rect("fopen", busy, open.min(200.0 - busy)))
}

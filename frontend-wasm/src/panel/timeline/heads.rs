//! The heads of the rows: real elements beside the drawing, one a line.

use crate::dom::{El, div, el, set_style, span};
use crate::layout::format::{count, percent, thousands};
use crate::layout::timeline::TimelineBox;
use crate::layout::timeline::lines::{Line, LineKind, title};
use crate::paint::glyph::{button, engine_glyph, icon, provenance};
use debug_api::answer::{TimelineAnswer, TimelineRow};

/// Id of the head of a line.
pub fn id(number: usize) -> String {
    format!("tline-{number}")
}

/// The head of a line.
pub fn head(number: usize, line: &Line, timeline: &TimelineBox) -> El {
    let row =
        timeline.answer.as_ref().and_then(|answer| Some((answer, answer.rows.get(line.row)?)));
    let Some((answer, row)) = row else { return div("thd") };
    let item = |class: &str, level: &str| {
        let item = div(class).attr("id", &id(number)).attr("role", "treeitem");
        item.attr("aria-level", level)
    };
    let sticky = |head: El| {
        if line.pinned {
            set_style(head.element(), "top", &format!("{}px", line.top));
        }
        head
    };
    if line.kind == LineKind::Group && line.pinned {
        return sticky(item("thd tgroup pinned", "1").child(el("b").text(title(&line.name))));
    }
    if line.kind == LineKind::Group {
        let folded = timeline.folded.contains(&line.name);
        let rows = answer.rows.iter().filter(|row| row.group == line.name).count();
        return item("thd tgroup", "1")
            .attr("data-group", &line.name)
            .attr("aria-expanded", if folded { "false" } else { "true" })
            .child(span("tw", if folded { "▸" } else { "▾" }).attr("aria-hidden", "true"))
            .child(el("b").text(title(&line.name)))
            .child(span("sub", &thousands(rows as u64)));
    }
    let on = timeline.row == line.name;
    let name = el("b").text(&row.name);
    let first = match line.kind {
        LineKind::Engine => span("eng", "").child(engine_glyph(&row.name)).child(name),
        _ => span("eng", "").child(name),
    };
    let size = match line.kind {
        LineKind::Engine | LineKind::Counter if line.height > 40.0 => "",
        LineKind::Queue => " tqueue",
        _ => " tidle",
    };
    let pinned = if line.pinned { " pinned" } else { "" };
    let head = item(&format!("thd{size}{pinned}{}", if on { " on" } else { "" }), "2")
        .attr("data-trow", &row.name)
        .attr("title", &title_of(row))
        .attr("aria-selected", if on { "true" } else { "false" })
        .child(first)
        .child(span("sub", &facts(row, answer)))
        .child(pin(row, line.pinned));
    let head = sticky(head);
    match row.label.as_str() {
        "" => head,
        _ => head.child(provenance(row.label_provenance)),
    }
}

/// The button of a row that keeps it on top, for the pointer; `P` does the same.
fn pin(row: &TimelineRow, pinned: bool) -> El {
    let words = if pinned { "Back to its place (P)" } else { "Keep on top (P)" };
    let button = button("btn sq ghost tpin").attr("data-pin", &row.name).attr("title", words);
    button.attr("tabindex", "-1").attr("aria-hidden", "true").child(icon("pin"))
}

fn title_of(row: &TimelineRow) -> String {
    let events = count(row.events, "event");
    match row.label.as_str() {
        "" => format!("{}: {events}", row.name),
        label => format!("{}: {label}, {events}", row.name),
    }
}

/// What a row says under its name.
fn facts(row: &TimelineRow, answer: &TimelineAnswer) -> String {
    let end = answer.end_ps;
    match row.group.as_str() {
        "engines" if row.events == 0 && answer.outcome.is_some() => "does nothing".to_owned(),
        "engines" if row.events == 0 => "no records".to_owned(),
        "engines" => format!("{} busy", percent(row.busy_ps, end)),
        "queues" if answer.outcome.is_some() => count(row.events, "block"),
        "top-sps" => count(row.events, "event"),
        "queues" => format!("{}, {}", count(row.events, "packet"), count(row.lanes.into(), "ring")),
        "semaphores" | "events" if !row.label.is_empty() => row.label.clone(),
        "semaphores" | "events" => count(row.events, "change"),
        _ => count(row.events, "record"),
    }
}

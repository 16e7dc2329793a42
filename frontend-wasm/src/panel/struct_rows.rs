//! The rows of the trees of the Structs view: headings, records, found fields.

use crate::dom::{El, div, span};
use crate::layout::format;
use crate::layout::structs::{RowKind, StructsBox, TREES, TreeRow, is_alone};
use crate::paint::glyph;

/// A row.
pub fn tree_row(view: &StructsBox, at: usize, row: &TreeRow, subgraph: &str, engine: &str) -> El {
    let text = match row.what {
        RowKind::Head => {
            let title = TREES.get(row.tree);
            let title = title.map_or_else(String::new, |tree| tree.title(subgraph, engine));
            return div("vr2 trh").attr("role", "presentation").text(&title);
        }
        RowKind::More(left) => {
            let text = format!("Load {} more", format::thousands(left));
            return div("vr2 tr1 more")
                .attr("role", "treeitem")
                .attr("id", &format!("record-{at}"))
                .attr("aria-selected", if view.cursor == at { "true" } else { "false" })
                .attr("data-row", &at.to_string())
                .child(span("lk", &text));
        }
        RowKind::Hit(..) => return hit_row(view, at, row.depth),
        RowKind::MoreHits(_, left, more) => {
            let left = format::count(left, "field");
            let text = match more {
                true => format!("Show {left} more"),
                false => format!("{left} more; a further word narrows the search"),
            };
            return div(&format!("vr2 tr1 d{}", row.depth))
                .attr("role", "treeitem")
                .attr("id", &format!("record-{at}"))
                .attr("aria-selected", if view.cursor == at { "true" } else { "false" })
                .attr("data-row", &at.to_string())
                .child(span("twi", ""))
                .child(span(if more { "lk" } else { "t3" }, &text));
        }
        RowKind::Record(_) => view.record_at(at),
    };
    let Some(record) = text else { return div("vr2") };
    let shown = view.name == record.name;
    let mut class = format!("vr2 tr1 d{}", row.depth);
    for (on, name) in [(shown, " sel"), (view.cursor == at, " cur")] {
        class.push_str(if on { name } else { "" });
    }
    let item = div(&class)
        .attr("role", "treeitem")
        .attr("id", &format!("record-{at}"))
        .attr("data-record", &record.name)
        .attr("title", &format!("{}, {}", record.name, record.kind))
        .attr("aria-level", &(row.depth + 1).to_string())
        .attr("aria-selected", if shown { "true" } else { "false" });
    let item = match row.open {
        Some(open) => {
            let twist = span(if open { "twi open" } else { "twi" }, "");
            let twist = twist.attr("data-turn", "").child(glyph::symbol("tw", "twist"));
            item.attr("aria-expanded", if open { "true" } else { "false" }).child(twist)
        }
        None => item.child(span("twi", "")),
    };
    let searching = !view.find.trim().is_empty();
    let skip = if searching { 0 } else { row.skip };
    let name = record.name.get(skip..).unwrap_or(&record.name);
    let item = item.child(span("mono tn", name));
    let item = match view.findings.get(&record.name) {
        Some((count, is_error)) => {
            let about = format!("{} about this record", format::count(*count, "finding"));
            let class = if *is_error { "cnt err" } else { "cnt" };
            let badge = span(class, &format::thousands(*count)).attr("role", "img");
            item.child(badge.attr("title", &about).attr("aria-label", &about))
        }
        None => item,
    };
    match &record.hit {
        Some(hit) if is_alone(record) => item.child(span("t3 mono cut", hit)),
        _ if record.total_hits > 0 => {
            let count = format::count(record.total_hits, "field");
            let about = format!("The searched text is in {count} of {}", record.name);
            item.child(span("t3 cut", &count).attr("title", &about))
        }
        _ => item.child(span("t3 cut", &record.kind)),
    }
}

/// A field in which the searched text was found.
fn hit_row(view: &StructsBox, at: usize, depth: u8) -> El {
    let Some((record, hit)) = view.hit_at(at) else { return div("vr2") };
    let field = view.record.as_ref().filter(|shown| shown.record.name == record.name);
    let field = field.zip(view.field).and_then(|(shown, at)| shown.fields.get(at));
    let shown = view.name == record.name && field.is_some_and(|field| field.offset == hit.offset);
    let mut class = format!("vr2 tr1 hitr d{depth}");
    for (on, name) in [(shown, " sel"), (view.cursor == at, " cur")] {
        class.push_str(if on { name } else { "" });
    }
    let place = match hit.row {
        Some(row) => format!("row {}", format::thousands(row)),
        None => "header".to_owned(),
    };
    let title =
        format!("{}, {place}, {} at {:#x}: {}", record.name, hit.field, hit.offset, hit.value);
    div(&class)
        .attr("role", "treeitem")
        .attr("id", &format!("record-{at}"))
        .attr("data-row", &at.to_string())
        .attr("title", &title)
        .attr("aria-level", &(depth + 1).to_string())
        .attr("aria-selected", if shown { "true" } else { "false" })
        .child(span("twi", ""))
        .child(span("mono tn", &hit.field))
        .child(span("t3 mono cut", &hit.value))
}

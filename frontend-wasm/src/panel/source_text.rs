//! The text around a source line, where the session has the file.

use crate::dom::{El, div, el, span};
use crate::layout::format::{ip_runs, thousands};
use crate::paint::glyph::{button, provenance};
use debug_api::answer::SourceText;

/// A part of a file: numbered lines, the one of the selected record marked, and for each line the
/// records that come from it.
pub fn text(part: &SourceText) -> El {
    let name = format!("{}:{}", part.file, part.line);
    let head = div("sth")
        .child(span("mono b cut", &part.file).attr("title", &part.file))
        .child(span("t3", &format!("line {}", thousands(part.line))))
        .child(span("grow", ""))
        .child(provenance(part.provenance));
    let section = el("section").class("stx").attr("aria-label", &name).child(head);
    if part.line > part.total {
        let lines = thousands(part.total);
        return section.child(
            div("gap")
                .child(el("b").text(&format!("{} has {lines} lines.", part.file)))
                .and_text(" It is not the text that was compiled."),
        );
    }
    let rows = (part.first..).zip(&part.lines).map(|(number, line)| {
        let on = number == part.line;
        let mut row = div(if on { "stl on" } else { "stl" });
        if on {
            row = row.attr("aria-current", "true");
        }
        let row = row
            .child(span("no", &number.to_string()))
            .child(span("tl", &line.text).attr("title", &line.text));
        match line.ips.first() {
            Some([first, _]) => row.child(
                button("lip")
                    .attr("data-line-ip", &first.to_string())
                    .attr("title", &format!("Records from line {number}: {}", ip_runs(&line.ips)))
                    .text(&ip_runs(&line.ips)),
            ),
            None => row,
        }
    });
    section.child(div("stls").children(rows))
}

//! Bits as small and as large cells.

use crate::dom::{El, svg};
use crate::layout::collectives::bits::{Bracket, Cell, ROW_WIDTH};

fn number(value: f64) -> String {
    format!("{value:.1}")
}

fn rect(class: &str, x: f64, y: f64, width: f64, height: f64) -> El {
    svg("rect")
        .class(class)
        .attr("x", &number(x))
        .attr("y", &number(y))
        .attr("width", &number(width))
        .attr("height", &number(height))
}

/// A drawing of a size.
fn drawing(class: &str, width: f64, height: f64) -> El {
    svg("svg")
        .class(class)
        .attr("width", &number(width))
        .attr("height", &number(height))
        .attr("viewBox", &format!("0 0 {width} {height}"))
}

/// The bits of a row: set ones in the hue of their field, open ones framed, reserved ones as dots.
pub fn row(cells: &[Cell]) -> El {
    let made = drawing("cbr", ROW_WIDTH, 13.0).attr("aria-hidden", "true");
    made.children(cells.iter().map(|cell| match (cell.set, cell.hue) {
        (Some(true), "cb-res") => rect("br1", cell.x, 0.0, cell.width, 13.0).attr("rx", "1"),
        (_, "cb-res") => rect("b0", cell.x + 2.0, 5.5, 1.5, 2.0),
        (Some(true), hue) => rect(hue, cell.x, 0.0, cell.width, 13.0).attr("rx", "1"),
        (Some(false), _) => rect("b0", cell.x, 0.0, cell.width, 13.0).attr("rx", "1"),
        (None, _) => rect("bq", cell.x + 0.5, 0.5, cell.width - 1.0, 12.0).attr("rx", "1"),
    }))
}

/// Names of the bytes above the bits of rows.
pub fn head() -> El {
    let text = |byte: u32| {
        let text = svg("text").class("tk").attr("x", &(byte * 60).to_string()).attr("y", "11");
        text.text(&format!("byte {byte}"))
    };
    drawing("cbr", ROW_WIDTH, 15.0).attr("aria-hidden", "true").children((0..8).map(text))
}

/// Four bytes as large cells with their numbers, digits and brackets.
pub fn bytes(cells: &[Cell], brackets: &[Bracket], width: f64, edit: bool) -> El {
    let mut made = drawing(if edit { "cbl edit" } else { "cbl" }, width, 74.0);
    made = made.attr("aria-hidden", "true");
    for byte in cells.chunks(8) {
        let (Some(first), Some(last)) = (byte.first(), byte.last()) else { continue };
        let value =
            byte.iter().rev().try_fold(0_u32, |sum, cell| Some(sum << 1 | u32::from(cell.set?)));
        let text = |x: f64, y: &str, class: &str, anchor: &str, text: &str| {
            let made = svg("text").class(class).attr("x", &number(x)).attr("y", y);
            made.attr("text-anchor", anchor).text(text)
        };
        let title = format!("byte {}", first.bit / 8);
        let shown = value.map_or("0x??".to_owned(), |value| format!("0x{value:02x}"));
        let end = last.x + last.width;
        made = made.child(text(first.x, "10", "tk", "start", &title));
        made = made.child(text(end, "10", "tv", "end", &shown));
        made = made.child(text(first.x, "24", "tk", "start", &first.bit.to_string()));
        made = made.child(text(end, "24", "tk", "end", &last.bit.to_string()));
    }
    for cell in cells {
        let (class, digit) = match (cell.set, cell.hue) {
            (Some(true), "cb-res") => ("bc br1", "1"),
            (Some(true), _) => ("bc set", "1"),
            (Some(false), "cb-res") => ("bc res", "0"),
            (Some(false), _) => ("bc", "0"),
            (None, _) => ("bc open", "?"),
        };
        let group = svg("g").class(class).attr("data-field", &cell.field);
        let group = if edit { group.attr("data-bit", &cell.bit.to_string()) } else { group };
        let fill = if cell.set == Some(true) && cell.hue != "cb-res" { cell.hue } else { "b0" };
        let title = format!("bit {}, {}", cell.bit, cell.field);
        let box_ = rect(fill, cell.x, 30.0, cell.width, 26.0).attr("rx", "1.5");
        let text = svg("text").attr("x", &number(cell.x + cell.width / 2.0)).attr("y", "47");
        let text = text.attr("text-anchor", "middle").text(digit);
        made = made.child(group.child(svg("title").text(&title)).child(box_).child(text));
    }
    for one in brackets {
        let (from, to) = (one.x + 0.75, one.x + one.width - 0.75);
        let path = format!("M{from:.1} 60v5H{to:.1}v-5");
        let line = svg("path").class(&format!("brk l-{}", one.hue)).attr("d", &path);
        made = made.child(line.attr("data-field", &one.field));
    }
    made
}

//! Bands of bytes as pictures: what a transfer touches, how full a queue is.

use crate::dom::{El, div, span, svg};
use crate::layout::drawing::{Band, Mark, MarkKind, UNITS, spoken};
use crate::layout::format::{sum_of, thousands};

/// Height of a band.
const TALL: f64 = 18.0;

/// A band.
pub fn band(band: &Band) -> El {
    let title = div("bt")
        .child(span("role", &band.role))
        .child(span("bn mono cut", &band.title).attr("title", &band.title))
        .child(span("t2 cut", &band.caption).attr("title", &band.caption));
    let mut picture = picture(&spoken(band));
    if let Some((start, end)) = band.room {
        picture = picture.child(rect("room", start, end - start, 0.0, TALL));
    } else {
        picture = picture.child(rect("room", 0.0, UNITS, 0.0, TALL));
    }
    for cell in 1..band.cells {
        let x = f64::from(cell) * UNITS / f64::from(band.cells);
        picture = picture.child(line("cell", x));
    }
    let is_both = band.role == "both";
    for one in &band.marks {
        picture = mark(picture, one, is_both);
    }
    let ends = div("be mono").child(span("", &band.ends.0)).child(span("", &band.ends.1));
    div(if is_both { "band all" } else { "band" }).child(title).child(picture).child(ends)
}

fn mark(picture: El, mark: &Mark, is_both: bool) -> El {
    let (class, word) = match mark.kind {
        MarkKind::Source => ("src", "read"),
        MarkKind::Target => ("tgt", "written"),
        MarkKind::Shared => ("shared", "read and written"),
        MarkKind::Out => ("out", "out of bounds"),
    };
    // Both sides share the height; what they have in common has all of it.
    let (y, tall) = match (is_both, mark.kind) {
        (true, MarkKind::Source) => (2.0, 6.5),
        (true, MarkKind::Target) => (9.5, 6.5),
        (true, _) => (0.5, TALL - 1.0),
        (false, _) => (2.0, TALL - 4.0),
    };
    let text = match mark.merged {
        true if mark.runs > 1 => format!("{} runs, {word}", thousands(mark.runs)),
        true => format!("many runs, {word}"),
        false => word.to_owned(),
    };
    let title = svg("title").text(&text);
    let picture = picture.child(rect(class, mark.x, mark.width, y, tall).child(title));
    match mark.merged {
        true => picture.child(rect("many", mark.x, mark.width, y, tall)),
        false => picture,
    }
}

/// How much of a limit is used.
pub fn meter((used, limit): (u64, u64)) -> El {
    #[allow(clippy::cast_precision_loss, reason = "a drawing has 1,000 units")]
    let (used_units, limit_units) = match used > limit {
        true => (UNITS, limit as f64 / used as f64 * UNITS),
        false => (used as f64 / limit.max(1) as f64 * UNITS, UNITS),
    };
    let caption = format!("{} of {}", sum_of(used), thousands(limit));
    let text = format!("hardware descriptors: {caption}");
    let mut picture = picture(&text).child(rect("room", 0.0, UNITS, 0.0, TALL));
    let inside = used_units.min(limit_units);
    let inside = if used == 0 { 0.0 } else { inside.max(1.0) };
    picture = picture.child(rect("src", 0.0, inside, 2.0, TALL - 4.0));
    if used > limit {
        // What is too much may be thinner than can be seen.
        let width = (UNITS - limit_units).max(2.0);
        picture = picture.child(rect("out", UNITS - width, width, 2.0, TALL - 4.0));
        picture = picture.child(line("limit", (UNITS - width).max(1.0)));
    }
    let over = used.saturating_sub(limit);
    let note = match over {
        0 => String::new(),
        _ if used == u64::MAX => "too many".to_owned(),
        over => format!("{} too many", thousands(over)),
    };
    let title = div("bt")
        .child(span("bn", "hardware descriptors, at least"))
        .child(span("t2 mono", &caption))
        .child(span("bad", &note));
    let ends = div("be mono").child(span("", "0")).child(span("", &sum_of(used.max(limit))));
    div("band all").child(title).child(picture).child(ends)
}

fn picture(label: &str) -> El {
    svg("svg")
        .class("bs")
        .attr("viewBox", &format!("0 0 {UNITS} {TALL}"))
        .attr("preserveAspectRatio", "none")
        .attr("role", "img")
        .attr("aria-label", label)
}

fn rect(class: &str, x: f64, width: f64, y: f64, tall: f64) -> El {
    svg("rect")
        .class(class)
        .attr("x", &format!("{x:.3}"))
        .attr("width", &format!("{width:.3}"))
        .attr("y", &y.to_string())
        .attr("height", &tall.to_string())
}

fn line(class: &str, x: f64) -> El {
    svg("path").class(class).attr("d", &format!("M{x:.3} 0v{TALL}"))
}

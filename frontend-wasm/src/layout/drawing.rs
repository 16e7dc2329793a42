//! A transfer as a drawing: which bytes of its variables it touches, to scale.
//!
//! A drawing is a list of bands. A band is a stretch of bytes from left to right, [`UNITS`] wide;
//! its marks are places in it. Runs that are closer than a unit are one mark with their number.

use super::format::thousands;
use debug_api::answer::{TransferAnswer, TransferSide};
use debug_api::plain::{byte_text, name as shown_name, range};
use std::borrow::Cow;

/// Width of a band.
pub const UNITS: f64 = 1_000.0;
/// Smallest width at which a mark is seen.
const SEEN: f64 = 1.0;
/// Partitions of the state buffer, and bytes from one to the next.
const PARTITIONS: i64 = 128;
const STRIDE: i64 = 1 << 18;

/// What a mark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// Bytes that are read.
    Source,
    /// Bytes that are written.
    Target,
    /// Bytes that are read and written.
    Shared,
    /// Bytes that the variable does not have.
    Out,
}

/// A place in a band.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// Left edge, 0 to [`UNITS`].
    pub x: f64,
    /// Width.
    pub width: f64,
    /// Runs in it.
    pub runs: u64,
    /// Whether it stands for several runs, or for bytes that are not touched one by one.
    pub merged: bool,
}

/// A stretch of bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// `source`, `target` or `both`.
    pub role: String,
    /// What the stretch is, in words.
    pub title: String,
    /// What is touched of it, in words.
    pub caption: String,
    /// Left and right end of the scale, in words.
    pub ends: (String, String),
    /// Marks from left to right; later ones lie above.
    pub marks: Vec<Mark>,
    /// Where the bytes of the variable begin and end, where the scale goes beyond them.
    pub room: Option<(f64, f64)>,
    /// Cells of equal width that the band is divided into; 0 for none.
    pub cells: u32,
}

/// The bands of a transfer: of each side the variable and the touched stretch, and of sides of one
/// variable both together.
pub fn bands(answer: &TransferAnswer) -> Vec<Band> {
    let mut out = Vec::new();
    for side in &answer.sides {
        let kind = if side.role == "source" { MarkKind::Source } else { MarkKind::Target };
        let Some((start, end)) = side.start.zip(side.end) else { continue };
        if side.state_buffer && !side.out_of_bounds {
            out.push(partitions(side, kind));
            out.push(in_partition(side, kind));
            continue;
        }
        let room = side.room.and_then(|room| i64::try_from(room).ok());
        let own = spans(side);
        let (low, high) = (start.min(0), end.max(room.unwrap_or(end)));
        let whole = Scale { low, high };
        let mut band = Band {
            role: side.role.clone(),
            title: match room {
                Some(room) => format!("{}, {} bytes", name(side), number(room)),
                None => format!("{}, of unknown size", name(side)),
            },
            caption: caption(side),
            ends: (byte_text(low), byte_text(high)),
            marks: whole.marks(&own.0, kind, own.1),
            room: room
                .filter(|room| low < 0 || *room < high)
                .map(|room| (whole.x(0), whole.x(room))),
            cells: 0,
        };
        band.marks.extend(outside(side, &whole));
        out.push(band);
        // A stretch that fills most of its variable is seen well enough.
        if end.saturating_sub(start).saturating_mul(2) < high.saturating_sub(low)
            && end.saturating_sub(start) > 1
        {
            let close = Scale { low: start, high: end };
            out.push(Band {
                role: side.role.clone(),
                title: range(start, end),
                caption: format!("closer: {}", shape(side)),
                ends: (byte_text(start), byte_text(end)),
                marks: close.marks(&own.0, kind, own.1),
                room: None,
                cells: 0,
            });
        }
    }
    out.extend(both(answer));
    out
}

/// Both sides of a transfer within one variable.
fn both(answer: &TransferAnswer) -> Option<Band> {
    let target = answer.sides.iter().find(|side| side.role == "target")?;
    let id = target.id?;
    let source = answer.sides.iter().find(|side| side.role == "source" && side.id == Some(id))?;
    let low = source.start?.min(target.start?);
    let high = source.end?.max(target.end?);
    let scale = Scale { low, high };
    let (from, to) = (spans(source), spans(target));
    let mut marks = scale.marks(&from.0, MarkKind::Source, from.1);
    marks.extend(scale.marks(&to.0, MarkKind::Target, to.1));
    marks.extend(scale.marks(&answer.shared, MarkKind::Shared, false));
    let bytes = length(&answer.shared);
    Some(Band {
        role: "both".to_owned(),
        title: format!("both sides of {}", name(target)),
        caption: match bytes {
            0 if from.1 || to.1 => "too many runs to compare".to_owned(),
            0 => "no byte is read and written".to_owned(),
            bytes => format!("{} bytes are read and written", number(bytes)),
        },
        ends: (byte_text(low), byte_text(high)),
        marks,
        room: None,
        cells: 0,
    })
}

/// The state buffer by partitions: a partition is a cell.
fn partitions(side: &TransferSide, kind: MarkKind) -> Band {
    let (all, merged) = spans(side);
    let cells = |span: &[i64; 2]| {
        [span[0].div_euclid(STRIDE), span[1].saturating_sub(1).div_euclid(STRIDE) + 1]
    };
    let own: Vec<[i64; 2]> = joined(all.iter().map(cells));
    let touched = length(&own);
    let first = own.first().map_or(0, |span| span[0]);
    let last = own.last().map_or(0, |span| span[1].saturating_sub(1));
    let scale = Scale { low: 0, high: PARTITIONS };
    Band {
        role: side.role.clone(),
        title: format!("{}, 128 partitions", name(side)),
        caption: match touched {
            1 => format!("partition {first}; {}", caption(side)),
            _ => format!("{touched} partitions, {first} to {last}; {}", caption(side)),
        },
        ends: ("partition 0".to_owned(), "127".to_owned()),
        marks: scale.marks(&own, kind, merged),
        room: None,
        cells: 128,
    }
}

/// What is touched in the partitions, all of them laid on each other.
fn in_partition(side: &TransferSide, kind: MarkKind) -> Band {
    let (all, merged) = spans(side);
    let mut parts: Vec<[i64; 2]> = Vec::new();
    for [start, end] in all {
        let first = start.rem_euclid(STRIDE);
        let long = end.saturating_sub(start);
        match first.saturating_add(long) {
            past if past <= STRIDE => parts.push([first, past]),
            _ if long >= STRIDE => parts.push([0, STRIDE]),
            past => parts.extend([[first, STRIDE], [0, past - STRIDE]]),
        }
    }
    parts.sort_unstable();
    let parts = joined(parts.into_iter());
    let scale = Scale { low: 0, high: STRIDE };
    let first = parts.first().map_or(0, |span| span[0]);
    let end = parts.last().map_or(0, |span| span[1]);
    Band {
        role: side.role.clone(),
        title: "in each partition".to_owned(),
        caption: range(first, end),
        ends: ("0x0".to_owned(), format!("{STRIDE:#x}")),
        marks: scale.marks(&parts, kind, merged),
        room: None,
        cells: 0,
    }
}

/// Bytes of some spans.
fn length(spans: &[[i64; 2]]) -> i64 {
    spans.iter().fold(0, |sum: i64, [start, end]| sum.saturating_add(end.saturating_sub(*start)))
}

/// Ascending spans with those that touch as one.
fn joined(spans: impl Iterator<Item = [i64; 2]>) -> Vec<[i64; 2]> {
    let mut out: Vec<[i64; 2]> = Vec::new();
    for [start, end] in spans {
        match out.last_mut().filter(|last| start <= last[1]) {
            Some(last) => last[1] = last[1].max(end),
            None => out.push([start, end]),
        }
    }
    out
}

/// The touched ranges, or all from the first to the last byte where there are too many, and
/// whether that is so.
fn spans(side: &TransferSide) -> (Vec<[i64; 2]>, bool) {
    match (side.ranges.is_empty(), side.start, side.end) {
        (true, Some(start), Some(end)) => (vec![[start, end]], true),
        _ => (side.ranges.clone(), false),
    }
}

/// What of the hull the variable does not have.
fn outside(side: &TransferSide, scale: &Scale) -> Vec<Mark> {
    let Some((start, end)) = side.start.zip(side.end).filter(|_| side.out_of_bounds) else {
        return Vec::new();
    };
    let room = side.room.and_then(|room| i64::try_from(room).ok()).unwrap_or(end);
    let parts = [[start, end.min(0)], [start.max(room), end]];
    let parts: Vec<[i64; 2]> = parts.into_iter().filter(|[a, b]| a < b).collect();
    scale.marks(&parts, MarkKind::Out, false)
}

/// Bytes from left to right.
struct Scale {
    low: i64,
    high: i64,
}

impl Scale {
    #[allow(clippy::cast_precision_loss, reason = "a drawing has 1,000 units")]
    fn x(&self, at: i64) -> f64 {
        let span = i128::from(self.high) - i128::from(self.low);
        let inside = i128::from(at) - i128::from(self.low);
        (inside as f64 / span.max(1) as f64 * UNITS).clamp(0.0, UNITS)
    }

    /// Marks of ascending spans; those closer than a unit are one.
    fn marks(&self, spans: &[[i64; 2]], kind: MarkKind, merged: bool) -> Vec<Mark> {
        let mut out: Vec<Mark> = Vec::new();
        for [start, end] in spans {
            let (x, end) = (self.x(*start), self.x(*end));
            match out.last_mut().filter(|last| x - (last.x + last.width) < SEEN) {
                // Spans that touch are no merged ones.
                Some(last) => {
                    last.width = (end - last.x).max(last.width);
                    last.runs += 1;
                    last.merged = true;
                }
                None => {
                    let width = (end - x).max(SEEN);
                    let x = x.min(UNITS - width);
                    out.push(Mark { kind, x, width, runs: 1, merged });
                }
            }
        }
        out
    }
}

fn name(side: &TransferSide) -> Cow<'_, str> {
    side.variable.as_deref().map_or(Cow::Borrowed("a variable that is not there"), shown_name)
}

/// Sizes and steps in words: `16 bytes every 256, 8 times`.
pub fn shape(side: &TransferSide) -> String {
    let mut dimensions = side.sizes.iter().zip(&side.steps).filter(|(size, _)| **size != 1);
    let mut dimensions = dimensions.by_ref().peekable();
    let mut text = match dimensions.next_if(|(_, step)| **step == 1) {
        Some((size, _)) => format!("{} bytes", thousands(*size)),
        None => "1 byte".to_owned(),
    };
    for (size, step) in dimensions {
        text.push_str(&format!(" every {}, {} times", number(*step), thousands(*size)));
    }
    text
}

/// Bytes of a variable that several transfers read or write, each from its first to its last.
pub fn touched(role: &str, kind: MarkKind, room: Option<u64>, all: &[[i64; 2]]) -> Option<Band> {
    let mut spans = all.to_vec();
    spans.sort_unstable();
    let spans = joined(spans.into_iter());
    let (first, last) = (spans.first()?, spans.last()?);
    let room = room.and_then(|room| i64::try_from(room).ok());
    let (low, high) = (first[0].min(0), last[1].max(room.unwrap_or(last[1])));
    let scale = Scale { low, high };
    let covered = length(&spans);
    let mut marks = scale.marks(&spans, kind, false);
    if let Some(room) = room.filter(|room| last[1] > *room) {
        marks.extend(scale.marks(&[[last[0].max(room), last[1]]], MarkKind::Out, false));
    }
    Some(Band {
        role: role.to_owned(),
        title: format!("{} transfers", thousands(all.len() as u64)),
        caption: match room {
            Some(room) => format!(
                "reach {} of {} bytes, each from its first to its last",
                number(covered),
                number(room)
            ),
            None => format!("reach {} bytes, each from its first to its last", number(covered)),
        },
        ends: (byte_text(low), byte_text(high)),
        marks,
        room: room.filter(|room| low < 0 || *room < high).map(|room| (scale.x(0), scale.x(room))),
        cells: 0,
    })
}

/// Bytes and runs in words.
fn caption(side: &TransferSide) -> String {
    let bytes = thousands(side.bytes.unwrap_or(0));
    let text = match side.runs.unwrap_or(0) {
        1 => format!("{bytes} bytes in one run"),
        runs => format!("{bytes} bytes in {} runs", thousands(runs)),
    };
    let over = side.room.zip(side.end).and_then(|(room, end)| {
        let room = i64::try_from(room).ok()?;
        (end > room).then_some(end.saturating_sub(room))
    });
    let under = side.start.filter(|start| *start < 0 && side.out_of_bounds);
    match (over, under) {
        (Some(over), _) => format!("{text}, {} beyond its end", number(over)),
        (None, Some(start)) => {
            format!("{text}, {} before its start", number(start.saturating_neg()))
        }
        (None, None) => text,
    }
}

/// A number with a true minus sign.
pub fn number(value: i64) -> String {
    let digits = thousands(value.unsigned_abs());
    if value < 0 { format!("\u{2212}{digits}") } else { digits }
}

/// A band in a sentence.
pub fn spoken(band: &Band) -> String {
    format!("{}: {}; {}", band.role, band.title, band.caption)
}

#[cfg(test)]
pub(crate) mod tests;

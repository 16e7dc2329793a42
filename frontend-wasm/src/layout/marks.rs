//! Patch markers of a region strip: INSERT brackets above, DELETE cuts below, MODIFY diamonds.
//!
//! INSERT and DELETE never share a side. Markers of one kind that would be less than 26 px apart,
//! or whose counts would run into each other, become one with the sum, so their number is bounded
//! by the width of the strip. A MODIFY marker that an INSERT marker leaves no room goes below.

use super::format::thousands;
use super::ips;
use super::lens::{Lens, Span, in_code};
use super::state::RegionsMode;
use debug_api::answer::EngineRegions;

/// Least distance of two markers of a kind.
const APART: f64 = 26.0;
/// Space between the count of a marker and the next marker.
const CLEAR: f64 = 5.0;
/// Width of a digit of the label.
const DIGIT: f64 = 6.62;

/// Kind of a patch row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// Slots that the file does not have.
    Insert,
    /// Records that the image does not have.
    Delete,
    /// Slots that the runtime changes.
    Modify,
}

/// A marker, ready to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Kind.
    pub kind: PatchKind,
    /// Top left corner of the 9 px glyph.
    pub glyph: (f64, f64),
    /// `+62`, `−1`, `3`.
    pub label: String,
    /// Left end of the label's baseline.
    pub label_at: (f64, f64),
    /// Bracket, cut or outline, as path data without fill.
    pub path: String,
    /// Slots in all.
    pub count: u64,
    /// Patch rows in it.
    pub rows: u64,
    /// Index of the first of them in the engine's list.
    pub patch: usize,
}

impl Mark {
    /// Whether it would be drawn over another one, or run into it.
    fn touches(&self, other: &Self) -> bool {
        let ends = |mark: &Self| {
            let label = mark.label.chars().count() as f64 * DIGIT;
            (mark.glyph.0, mark.label_at.0 + label)
        };
        let ((left, right), (from, to)) = (ends(self), ends(other));
        let beside = right + CLEAR <= from || to + CLEAR <= left;
        !beside && (self.glyph.1 - other.glyph.1).abs() < 12.0
    }

    /// Whether its glyph or its count is at a point.
    pub fn holds(&self, x: f64, y: f64) -> bool {
        let end = self.label_at.0 + self.label.chars().count() as f64 * DIGIT;
        (self.glyph.0 - 3.0..=end + 2.0).contains(&x)
            && (self.glyph.1 - 1.0..=self.glyph.1 + 12.0).contains(&y)
    }
}

/// One patch row on the axis.
struct Spot {
    x: f64,
    /// The visible slots of the row, where it has some.
    span: Option<Span>,
    count: u64,
    rows: u64,
    patch: usize,
}

/// The markers of one engine; `strip` is the top of its strip.
pub fn lay_out(engine: &EngineRegions, mode: RegionsMode, strip: f64, lens: &Lens) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (kind, name) in [
        (PatchKind::Insert, "INSERT"),
        (PatchKind::Delete, "DELETE"),
        (PatchKind::Modify, "MODIFY"),
    ] {
        let mut spots = spots(engine, name, mode, lens);
        spots.sort_by(|a, b| a.x.total_cmp(&b.x));
        for spot in merge(kind, spots) {
            let mut made = mark(kind, &spot, mode, strip, lens);
            if kind == PatchKind::Modify && marks.iter().any(|other| made.touches(other)) {
                made.glyph.1 = strip + 19.0;
                made.label_at.1 = strip + 28.5;
            }
            marks.push(made);
        }
    }
    marks
}

fn spots(engine: &EngineRegions, name: &str, mode: RegionsMode, lens: &Lens) -> Vec<Spot> {
    let mut spots = Vec::new();
    let own = engine.patches.iter().enumerate();
    for (index, patch) in own.filter(|(_, patch)| patch.kind == name && patch.count > 0) {
        let (slot, slots) = match mode {
            RegionsMode::Image | RegionsMode::Both if name == "DELETE" => (patch.slot, 0),
            RegionsMode::Image | RegionsMode::Both => (patch.slot, patch.count),
            // On the axis of records: where the record is, if the file has one.
            RegionsMode::Neff if !in_code(patch) => continue,
            RegionsMode::Neff if name == "DELETE" => match patch.ip {
                Some(ip) => (u64::from(ip.saturating_sub(1)), patch.count),
                None => continue,
            },
            RegionsMode::Neff => match ips::ip_at(engine, patch.slot) {
                Some(at) => (u64::from(at.ip.saturating_sub(1)), 1),
                None => continue,
            },
        };
        let span = lens.clip(slot, slots);
        let x = match &span {
            Some(span) if name == "INSERT" => span.x,
            Some(span) => span.x + span.width / 2.0,
            None if slots == 0 => lens.x(slot as f64),
            None => continue,
        };
        if (lens.left - 0.5..=lens.right + 0.5).contains(&x) {
            spots.push(Spot { x, span, count: patch.count, rows: 1, patch: index });
        }
    }
    spots
}

fn merge(kind: PatchKind, spots: Vec<Spot>) -> Vec<Spot> {
    let mut merged: Vec<Spot> = Vec::new();
    for spot in spots {
        match merged.last_mut() {
            Some(last) if spot.x - last.x < apart(kind, last) => {
                last.count += spot.count;
                last.rows += 1;
                last.span = None;
            }
            _ => merged.push(spot),
        }
    }
    merged
}

fn apart(kind: PatchKind, spot: &Spot) -> f64 {
    (12.5 + CLEAR + label(kind, spot.count).chars().count() as f64 * DIGIT).max(APART)
}

fn label(kind: PatchKind, count: u64) -> String {
    match kind {
        PatchKind::Insert => format!("+{}", thousands(count)),
        PatchKind::Delete => format!("−{}", thousands(count)),
        PatchKind::Modify => thousands(count),
    }
}

fn mark(kind: PatchKind, spot: &Spot, mode: RegionsMode, strip: f64, lens: &Lens) -> Mark {
    let text = label(kind, spot.count);
    let x = spot.x;
    let (glyph, label_at, path) = match kind {
        PatchKind::Insert => insert(spot, &text, strip, mode),
        PatchKind::Delete => {
            let cut = format!("M{x:.1} {:.1}v22", strip - 2.0);
            // A record on its own axis is a hollow cell; there is nothing to cut.
            let path = if mode == RegionsMode::Neff { String::new() } else { cut };
            ((x - 4.5, strip + 19.0), (x + 8.0, strip + 28.5), path)
        }
        PatchKind::Modify => {
            let top = if mode == RegionsMode::Both { strip + 10.0 } else { strip };
            let height = if mode == RegionsMode::Both { 8.0 } else { 18.0 };
            let path = match spot.span.filter(|span| span.width >= 4.0 && lens.scale >= 4.0) {
                Some(s) => format!(
                    "M{:.1} {:.1}h{:.1}v{height:.1}h-{:.1}z",
                    s.x + 0.6,
                    top,
                    s.width - 1.2,
                    s.width - 1.2
                ),
                None => String::new(),
            };
            ((x - 4.5, strip - 11.0), (x + 8.0, strip - 2.5), path)
        }
    };
    let (count, rows, patch) = (spot.count, spot.rows, spot.patch);
    Mark { kind, glyph, label: text, label_at, path, count, rows, patch }
}

type Placed = ((f64, f64), (f64, f64), String);

/// A bracket over the inserted slots, broken for its label; a hook alone where that does not fit.
fn insert(spot: &Spot, text: &str, strip: f64, mode: RegionsMode) -> Placed {
    let (x, foot, bar) = (spot.x, strip - 2.0, strip - 6.5);
    let resume = x + 25.4 + text.chars().count() as f64 * DIGIT;
    let end = spot.span.map_or(x, |span| span.x + span.width) - 1.2;
    if mode != RegionsMode::Neff && end - resume >= 4.0 {
        let path = format!("M{:.1} {foot:.1}v-4.5h4M{resume:.1} {bar:.1}H{end:.1}v4.5", x + 1.2);
        return ((x + 8.2, strip - 11.0), (x + 20.2, strip - 2.5), path);
    }
    let path = format!("M{x:.1} {foot:.1}v-3");
    ((x - 4.5, strip - 14.0), (x + 7.0, strip - 5.5), path)
}

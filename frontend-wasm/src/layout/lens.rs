//! The part of the slot axis that a strip shows.

use super::format::thousands;
use debug_api::answer::PatchMark;

/// Width of a digit of a label.
const DIGIT: f64 = 6.62;

/// A horizontal span in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Left edge.
    pub x: f64,
    /// Width.
    pub width: f64,
}

/// From slots to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Left edge of the strips.
    pub left: f64,
    /// Right edge of the strips.
    pub right: f64,
    /// Pixels a slot.
    pub scale: f64,
    /// First slot in view, possibly a fraction.
    pub from: f64,
}

impl Lens {
    /// Where a slot begins.
    pub fn x(&self, slot: f64) -> f64 {
        self.left + (slot - self.from) * self.scale
    }

    /// Slots in view.
    pub fn seen(&self) -> f64 {
        (self.right - self.left) / self.scale
    }

    /// The visible part of a span of slots.
    pub fn clip(&self, slot: u64, slots: u64) -> Option<Span> {
        let x = self.x(slot as f64).max(self.left);
        let end = self.x(slot.saturating_add(slots) as f64).min(self.right);
        (end > x && slots > 0).then_some(Span { x, width: end - x })
    }
}

/// Whether a patch row is about code from the file, not about a whole region of the runtime.
pub fn in_code(patch: &PatchMark) -> bool {
    matches!(patch.section.as_str(), "MAIN" | "FUNCTION")
}

/// A tick of the axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Place.
    pub x: f64,
    /// Slot number; empty where it would run into what stands at the right.
    pub label: String,
    /// Left end of the label.
    pub label_x: f64,
}

impl Tick {
    /// Right end of the label; the left one of one that is left out.
    pub fn end(&self) -> f64 {
        self.label_x + self.label.len() as f64 * DIGIT
    }
}

/// Space between two labels, and between a label and what stands at its right.
const BETWEEN: f64 = 6.0;

/// Ticks at multiples of a power of two, at least 48 px and a label apart. Labels stand in the middle
/// of their ticks; the first one begins at the edge of the strips, and what would run over `end` moves to
/// the left if the label before leaves room, or is left out.
pub fn ticks(lens: &Lens, slots: u64, end: f64) -> Vec<Tick> {
    let last = (lens.from + lens.seen()).min(slots as f64);
    let widest = thousands(last as u64).len() as f64 * DIGIT + 16.0;
    let mut step = 1_u64;
    while (step as f64) * lens.scale < widest.max(48.0) && step < 1 << 40 {
        step *= 2;
    }
    let mut ticks = Vec::new();
    let mut at = (lens.from / step as f64).ceil() as u64 * step;
    while at as f64 <= last {
        let (x, label) = (lens.x(at as f64), thousands(at));
        let width = label.len() as f64 * DIGIT;
        let before = ticks.last().map_or(f64::MIN, Tick::end) + BETWEEN;
        let middle = (x - width / 2.0).min(end - BETWEEN - width);
        let label_x = if ticks.is_empty() { middle.max(lens.left.min(x)) } else { middle };
        let fits = label_x >= before && label_x + width >= x;
        ticks.push(Tick { x, label: if fits { label } else { String::new() }, label_x });
        at += step;
    }
    ticks
}

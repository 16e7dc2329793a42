//! The part of the slot axis that a strip shows.

use debug_api::answer::PatchMark;

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

//! How much of a stretch of time is covered by events, without walking over them.
//!
//! For every [`STEP`]th event two sums are kept: the time covered by all events before it, and the
//! latest end among them. Events may overlap; time that two of them cover counts once.

/// Events between two kept sums.
pub(crate) const STEP: usize = 16;

/// Sums over the events before one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cover {
    /// Picoseconds covered.
    pub covered: u64,
    /// Latest end, 0 without an event.
    pub end: u64,
    /// Index of the event with that end.
    pub last: u32,
}

impl Cover {
    /// The sums with one more event, which starts no earlier than any before it.
    #[must_use]
    pub fn with(self, index: u32, start: u64, end: u64) -> Self {
        if end <= self.end {
            return self;
        }
        let fresh = end - start.max(self.end).min(end);
        Self { covered: self.covered.saturating_add(fresh), end, last: index }
    }
}

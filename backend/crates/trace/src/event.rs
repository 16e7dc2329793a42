//! One event.

/// Slot of an event that belongs to no slot of an image.
pub const NO_SLOT: u32 = u32::MAX;

/// What is odd about an event, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Flags(pub u8);

impl Flags {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Its end is not known: it lasts until the next event of its track at most, and does not count
    /// as busy.
    pub const NO_END: Self = Self(1);
    /// Its start is not known: it has no length.
    pub const NO_START: Self = Self(2);
    /// Records were lost before it.
    pub const AFTER_LOSS: Self = Self(4);

    /// Each with its word.
    pub const WORDS: [(Self, &'static str); 3] =
        [(Self::NO_END, "no-end"), (Self::NO_START, "no-start"), (Self::AFTER_LOSS, "after-loss")];

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Words of what is in it.
    pub fn words(self) -> impl Iterator<Item = &'static str> {
        Self::WORDS.into_iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, word)| word)
    }

    /// Whether all bits of `other` are in it.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One event of a track. What `kind` and `arg` say depends on the track's kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Picoseconds since the start of the trace.
    pub start: u64,
    /// Picoseconds that it lasts.
    pub len: u64,
    /// Slot of the engine's image, [`NO_SLOT`] for none. On a ring the DMA engine, on a counter the
    /// code of the engine that changed it.
    pub slot: u32,
    /// Engine: cycles of its wait. Ring: bytes. Counter: value from here on.
    pub arg: u32,
    /// Counter: what kind of change. Elsewhere the type of the record.
    pub kind: u8,
    /// What is odd.
    pub flags: Flags,
}

impl Event {
    /// First picosecond after it.
    pub const fn end(&self) -> u64 {
        self.start.saturating_add(self.len)
    }
}

//! Which parts of the state an action has changed.

/// Parts of the state that changed; a panel renders if it reads one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dirty(pub u32);

impl Dirty {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Page, view, rail, size class, theme, breadcrumb.
    pub const FRAME: Self = Self(1);
    /// Selection.
    pub const SELECTION: Self = Self(2);
    /// Regions answers and how they are drawn.
    pub const REGIONS: Self = Self(4);
    /// Code rows.
    pub const CODE: Self = Self(8);
    /// Slot answer and the drawer.
    pub const SLOT: Self = Self(16);
    /// Source answer and its filter.
    pub const SOURCE: Self = Self(32);
    /// Hover.
    pub const HOVER: Self = Self(64);
    /// Go-to box.
    pub const GOTO: Self = Self(128);
    /// Palette and key sheet.
    pub const OVERLAY: Self = Self(256);
    /// Banners, toast, progress.
    pub const NOTICE: Self = Self(512);
    /// Info answer.
    pub const INFO: Self = Self(1024);
    /// Structs view.
    pub const STRUCTS: Self = Self(2048);
    /// Bytes view.
    pub const BYTES: Self = Self(4096);
    /// Memory view.
    pub const MEMORY: Self = Self(8192);
    /// Collectives view.
    pub const COLLECTIVES: Self = Self(16384);
    /// Timeline view.
    pub const TIMELINE: Self = Self(32768);
    /// Run view.
    pub const RUN: Self = Self(65536);
    /// Everything.
    pub const ALL: Self = Self(u32::MAX);

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a part of `other` is in it.
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

//! Which mode runtimes choose since contiguous mode is no experiment any more.

use super::advice::{LARGEST_PAGE_BYTES, STEP_BYTES};
use super::arena::{DEFAULT_PAGE_BYTES, Mode};
use crate::program::Generation;

/// Versions of the software on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// Major and minor version of the runtime.
    pub runtime: (u32, u32),
    /// Major and minor version of the driver.
    pub driver: (u32, u32),
}

impl Versions {
    /// First runtime that chooses contiguous mode by itself.
    /// Spec: docs/format/memory.md "Newer runtimes" [observed].
    pub const CONTIGUOUS_RUNTIME: (u32, u32) = (2, 33);
    /// First driver that it does so with.
    /// Spec: docs/format/memory.md "Newer runtimes" [observed].
    pub const CONTIGUOUS_DRIVER: (u32, u32) = (2, 24);

    /// Whether the runtime chooses the mode by these rules.
    pub fn is_newer(&self) -> bool {
        self.runtime >= Self::CONTIGUOUS_RUNTIME
    }

    /// The mode for a logical core of so many physical ones.
    /// Spec: docs/format/memory.md "Newer runtimes" [observed].
    pub fn mode(&self, generation: Generation, cores: u32) -> Mode {
        let alone = cores == 1 && generation != Generation::Sunda;
        if self.is_newer() && self.driver >= Self::CONTIGUOUS_DRIVER && !alone {
            Mode::Contiguous
        } else {
            Mode::Paged
        }
    }
}

/// Whether a page size is one that the documentation of newer runtimes names for paged mode: a
/// multiple of 512 MiB up to 3.5 GiB.
/// Spec: docs/format/memory.md "Newer runtimes" [observed].
pub const fn is_documented_page(bytes: u64) -> bool {
    bytes >= DEFAULT_PAGE_BYTES && bytes.is_multiple_of(STEP_BYTES) && bytes <= LARGEST_PAGE_BYTES
}

//! One core's scratchpad: set-up, packing, and the page of a variable.

use crate::dmem::{Dmem, Status};
use crate::program::Generation;

/// Most pages of a scratchpad.
/// Spec: docs/format/memory.md "Scratchpad" [observed].
pub const MAX_PAGES: u64 = records::memory::scratchpad::MAX_PAGES as u64;
/// Bytes of a page in contiguous mode.
/// Spec: docs/format/memory.md "Scratchpad" [observed].
pub const CONTIGUOUS_PAGE_BYTES: u64 = 0x400_0000;
/// Bytes of a page in paged mode unless something else is set.
/// Spec: docs/format/memory.md "Scratchpad" [observed].
pub const DEFAULT_PAGE_BYTES: u64 = 0x2000_0000;

/// How pages are addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Separate pages, counted from the bottom; nothing crosses a page.
    Paged,
    /// One region, counted from the top; variables may cross pages.
    Contiguous,
}

impl Mode {
    /// `paged` or `contiguous`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paged => "paged",
            Self::Contiguous => "contiguous",
        }
    }
}

/// What goes wrong with a scratchpad, in the runtime's words where they are known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScratchpadError {
    /// The page size is 0 or does not fit 32 bits.
    #[error("Invalid scratchpad page size {bytes} bytes: it must be 1 to 4294967295")]
    PageSize {
        /// The page size.
        bytes: u64,
    },
    /// More pages than a scratchpad has.
    #[error(
        "Number of scratchpad pages requested exceeded the max (requested: {requested}, max: 1024)"
    )]
    TooManyPages {
        /// Pages that the size needs.
        requested: u64,
    },
    /// A page got no memory.
    #[error("Failed to allocate virtual scratchpad! ({reason})")]
    Allocation {
        /// Status of the allocation.
        status: Status,
        /// Why, in our words.
        reason: String,
    },
    /// The runtime ends here: it takes this for impossible.
    #[error("{text} (assertion in scratchpad.c, line {line:#x})")]
    Assertion {
        /// What does not hold.
        text: &'static str,
        /// Line of the assertion; 0 if it is not known.
        line: u32,
    },
}

impl ScratchpadError {
    /// The status that the runtime returns; `None` where it ends instead.
    /// That too many pages give status 2 is inferred.
    pub const fn status(&self) -> Option<Status> {
        match self {
            Self::PageSize { .. } | Self::TooManyPages { .. } => Some(Status::INVALID),
            Self::Allocation { status, .. } => Some(*status),
            Self::Assertion { .. } => None,
        }
    }
}

/// What decides how a scratchpad is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitRequest {
    /// Bytes of a page, as set by the user.
    pub page_size: u64,
    /// Whether the experimental contiguous mode is asked for.
    pub contiguous: bool,
    /// Generation of the chip.
    pub generation: Generation,
    /// Physical cores of the logical core.
    pub cores: u32,
    /// Whether the driver can keep one region.
    pub driver_is_able: bool,
}

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its memory.
    pub mem: Dmem,
    /// Models that use it.
    pub refs: u32,
}

/// Where a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagePlace {
    /// Index of the page.
    pub page: u64,
    /// Bytes from its start.
    pub in_page: u64,
}

/// A core's scratchpad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scratchpad {
    /// Bytes of a page.
    pub(super) page_size: u64,
    /// How pages are addressed.
    pub(super) mode: Mode,
    /// Pages that have memory, at most [`MAX_PAGES`].
    pub(super) pages: Vec<Page>,
    /// Core that the scratchpad belongs to.
    pub(super) core: u32,
    /// HBM of its pages.
    pub(super) channel: u32,
    /// Why contiguous mode was asked for and not given, in the runtime's words.
    pub(super) note: Option<&'static str>,
}

impl Scratchpad {
    /// Sets up the scratchpad of a core; no memory is taken. Contiguous mode has three gates; where
    /// one fails the scratchpad is paged with the page size that was asked for, and a note says
    /// why. Where all hold the page size that was asked for is lost.
    /// Spec: docs/format/memory.md "Set-up" [observed].
    ///
    /// # Errors
    /// [`ScratchpadError::PageSize`].
    pub fn init(request: InitRequest, core: u32, channel: u32) -> Result<Self, ScratchpadError> {
        let InitRequest { page_size, contiguous, generation, cores, driver_is_able } = request;
        if page_size == 0 || page_size > u64::from(u32::MAX) {
            return Err(ScratchpadError::PageSize { bytes: page_size });
        }
        let newer_than_sunda = generation != Generation::Sunda;
        let (mode, page_size, note) = if !contiguous {
            (Mode::Paged, page_size, None)
        } else if newer_than_sunda && cores == 1 {
            let note = "Contiguous Scratchpad feature is disabled on LNC 1";
            (Mode::Paged, page_size, Some(note))
        } else if driver_is_able {
            (Mode::Contiguous, CONTIGUOUS_PAGE_BYTES, None)
        } else {
            let note = "Contiguous Scratchpad feature is disabled due to incompatible driver";
            (Mode::Paged, page_size, Some(note))
        };
        Ok(Self { page_size, mode, pages: Vec::new(), core, channel, note })
    }

    /// Bytes of a page.
    pub const fn page_size(&self) -> u64 {
        self.page_size
    }

    /// How pages are addressed.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Pages that have memory, from index 0.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// Core that it belongs to.
    pub const fn core(&self) -> u32 {
        self.core
    }

    /// Why contiguous mode was not given, in the runtime's words.
    pub const fn note(&self) -> Option<&'static str> {
        self.note
    }

    /// Device address of a variable; `None` where it has no page.
    /// Spec: docs/format/memory.md "Finding a page" [observed; contiguous inferred].
    pub fn address(&self, offset: u64, size: u64) -> Option<u64> {
        let place = find(self.mode, self.page_size, self.pages.len() as u64, offset, size)?;
        match self.mode {
            Mode::Paged => {
                let page = self.pages.get(usize::try_from(place.page).ok()?)?;
                page.mem.address().checked_add(place.in_page)
            }
            Mode::Contiguous => self.pages.last()?.mem.address().checked_add(offset),
        }
    }
}

/// Pages that so many bytes need: rounded up, none for 0. A page size of 0 needs none.
/// Spec: docs/format/memory.md "Reserving" [observed].
pub const fn pages_needed(size: u64, page_size: u64) -> u64 {
    match size.checked_div(page_size) {
        Some(whole) => whole + !size.is_multiple_of(page_size) as u64,
        None => 0,
    }
}

/// Puts a slice behind a running offset: gives its offset and the new running offset. In paged mode
/// a slice that does not fit into what is left of a begun page starts the next one, whatever its
/// size. `None` beyond 2^64 or for a page size of 0.
/// Spec: docs/format/memory.md "Packing" [observed].
pub fn pack(mode: Mode, page_size: u64, running: u64, size: u64) -> Option<(u64, u64)> {
    let begun = running.checked_rem(page_size)?;
    let slack = page_size - begun;
    let offset = if begun != 0 && slack < size && mode == Mode::Paged {
        running.checked_add(slack)?
    } else {
        running
    };
    Some((offset, offset.checked_add(size)?))
}

/// The page of a variable: `None` is the runtime's "not found", after which the variable gets
/// memory of its own.
/// Spec: docs/format/memory.md "Finding a page" [observed].
pub fn find(
    mode: Mode,
    page_size: u64,
    num_pages: u64,
    offset: u64,
    size: u64,
) -> Option<PagePlace> {
    let place = rule(mode, page_size, num_pages, offset, size)?;
    (place.page < num_pages.min(MAX_PAGES)).then_some(place)
}

/// The bare rule, without a look at the table of pages: in paged mode it also answers for pages
/// that are not there.
/// Spec: docs/format/memory.md "Finding a page" [observed].
pub fn rule(
    mode: Mode,
    page_size: u64,
    num_pages: u64,
    offset: u64,
    size: u64,
) -> Option<PagePlace> {
    let in_page = offset.checked_rem(page_size)?;
    let from_bottom = offset / page_size;
    match mode {
        Mode::Paged => {
            offset.checked_add(size)?;
            let fits = in_page.checked_add(size)? <= page_size;
            fits.then_some(PagePlace { page: from_bottom, in_page })
        }
        Mode::Contiguous => {
            let end = offset.checked_add(size)?;
            let fits = u128::from(end) <= u128::from(page_size) * u128::from(num_pages);
            let page = num_pages.checked_sub(1)?.checked_sub(from_bottom)?;
            fits.then_some(PagePlace { page, in_page })
        }
    }
}

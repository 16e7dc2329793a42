//! Loading a model into the scratchpads of the cores that share an HBM: sizes, slices, pages.

use super::arena::{Mode, Scratchpad, ScratchpadError, pack, pages_needed};
use crate::dmem::{Allocator, Driver, Status};

/// Cores that share an HBM, at most.
/// Spec: docs/format/memory.md "Loading a model" [observed].
pub const MAX_CORES_OF_HBM: usize = 2;

/// What one kbin needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KbinSizes {
    /// Index of its core in the group.
    pub core: usize,
    /// Bytes of the local slice.
    pub local: u64,
    /// Bytes of the slice that all kbins share.
    pub shared: u64,
}

/// A slice of the scratchpad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// Index of the core in the group.
    pub core: usize,
    /// Bytes.
    pub size: u64,
    /// Offset in the core's scratchpad.
    pub offset: u64,
}

/// What a load reserved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleanup {
    /// Index of the core in the group, and bytes.
    pub reserved: Vec<(usize, u64)>,
    /// Page that the mapped region starts at and its bytes.
    pub mapped: Option<(u64, u64)>,
}

/// A loaded model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loaded {
    /// The shared slice.
    pub shared: Slice,
    /// The local slices, in the order of the kbins.
    pub locals: Vec<Slice>,
    /// Bytes of each core's scratchpad that the model needs.
    pub totals: Vec<u64>,
    /// For giving everything back.
    pub cleanup: Cleanup,
    /// What the runtime logs, in its words.
    pub notes: Vec<String>,
}

/// Why a model cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// More kbins than cores, or a core that is not there.
    #[error("{kbins} kbins for {cores} cores (assertion in scratchpad.c, line {line:#x})")]
    Kbins {
        /// Kbins.
        kbins: usize,
        /// Cores.
        cores: usize,
        /// Line of the assertion.
        line: u32,
    },
    /// A slice ends beyond 2^64.
    #[error("Failed to calculate scratchpad info: a slice of {size} bytes ends beyond 2^64")]
    Slice {
        /// Bytes of the slice.
        size: u64,
    },
    /// Not all cores of the HBM belong to the process.
    #[error("current process does not own all physical cores on HBM: {owned} of {cores}")]
    Owner {
        /// Cores that it owns.
        owned: usize,
        /// Cores of the HBM.
        cores: usize,
    },
    /// Pages cannot be reserved.
    #[error("core {core} of the group: {error}")]
    Reserve {
        /// Index of the core in the group.
        core: usize,
        /// Bytes that it needs.
        size: u64,
        /// Why.
        error: ScratchpadError,
    },
    /// The region cannot be mapped.
    #[error("Failed to mmap scratchpad, return code {code}")]
    Map {
        /// Code of the driver.
        code: i32,
    },
}

impl LoadError {
    /// The status that the runtime returns; `None` where it ends instead.
    pub fn status(&self) -> Option<Status> {
        match self {
            Self::Kbins { .. } => None,
            Self::Slice { .. } | Self::Owner { .. } => Some(Status::INVALID),
            Self::Reserve { error, .. } => error.status(),
            Self::Map { .. } => Some(Status::FAILURE),
        }
    }
}

/// The scratchpads of the cores of one HBM that a process owns; the first is the sharing one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The scratchpads.
    pub cores: Vec<Scratchpad>,
    /// Cores of the HBM.
    pub cores_of_hbm: usize,
    /// The global setting; 0 puts everything on the sharing core, as published.
    pub scratchpad_on_single_core: bool,
    /// Whether a model that goes on at the end of a contiguous region takes references on the pages
    /// that are there. Not published; without it such a model uses pages that another one frees.
    pub references_at_ceiling: bool,
}

impl Group {
    /// A group with the default settings.
    pub fn new(cores: Vec<Scratchpad>, cores_of_hbm: usize) -> Self {
        Self { cores, cores_of_hbm, scratchpad_on_single_core: false, references_at_ceiling: false }
    }

    /// Plans and reserves the scratchpad of a model. `map` stands for the driver's mapping of a
    /// contiguous region, given the page that it starts at and its bytes.
    /// Spec: docs/format/memory.md "Loading a model" [observed].
    ///
    /// # Errors
    /// What the runtime refuses; everything reserved so far is given back.
    pub fn load<D: Driver>(
        &mut self,
        memory: &mut Allocator<D>,
        kbins: &[KbinSizes],
        map: impl FnOnce(u64, u64) -> Result<(), i32>,
    ) -> Result<Loaded, LoadError> {
        let mut loaded = self.plan(kbins)?;
        if self.cores.len() != self.cores_of_hbm {
            let (owned, cores) = (self.cores.len(), self.cores_of_hbm);
            return Err(LoadError::Owner { owned, cores });
        }
        let done = self.reserve_all(memory, &mut loaded).and_then(|()| self.map(&mut loaded, map));
        match done {
            Ok(()) => Ok(loaded),
            Err(error) => {
                self.unload(memory, &loaded.cleanup);
                Err(error)
            }
        }
    }

    /// Gives back what a load reserved. What cannot be given back is left as it is.
    /// Spec: docs/format/memory.md "Giving back" [observed].
    pub fn unload<D: Driver>(&mut self, memory: &mut Allocator<D>, cleanup: &Cleanup) {
        for (core, size) in &cleanup.reserved {
            if let Some(scratchpad) = self.cores.get_mut(*core) {
                // The runtime ends where this fails; there is nothing more to give back then.
                let _ = scratchpad.free(memory, *size);
            }
        }
    }

    /// Sizes and slices, without memory.
    ///
    /// # Errors
    /// [`LoadError::Kbins`], [`LoadError::Slice`].
    pub fn plan(&self, kbins: &[KbinSizes]) -> Result<Loaded, LoadError> {
        let cores = self.cores.len();
        let too_many = |line| LoadError::Kbins { kbins: kbins.len(), cores, line };
        if kbins.len() > cores || kbins.iter().any(|kbin| kbin.core >= cores) {
            return Err(too_many(0x1A2));
        }
        if kbins.len() > MAX_CORES_OF_HBM {
            return Err(too_many(0x1A4));
        }
        let contiguous = self.cores.first().is_some_and(|core| core.mode() == Mode::Contiguous);
        let on_sharing_core = contiguous || !self.scratchpad_on_single_core;
        let shared = kbins.iter().map(|kbin| kbin.shared).max().unwrap_or(0);
        let mut totals = vec![0; cores];
        if let Some(first) = totals.first_mut() {
            *first = shared;
        }
        let mut locals = Vec::with_capacity(kbins.len());
        for kbin in kbins {
            let core = if on_sharing_core { 0 } else { kbin.core };
            let size = kbin.local;
            let beyond = || LoadError::Slice { size };
            let scratchpad = self.cores.get(core).ok_or_else(|| too_many(0x1A2))?;
            let running = totals.get_mut(core).ok_or_else(|| too_many(0x1A2))?;
            let packed = pack(scratchpad.mode, scratchpad.page_size, *running, size);
            let (offset, end) = packed.ok_or_else(beyond)?;
            *running = end;
            locals.push(Slice { core, size, offset });
        }
        Ok(Loaded {
            shared: Slice { core: 0, size: shared, offset: 0 },
            locals,
            totals,
            cleanup: Cleanup::default(),
            notes: Vec::new(),
        })
    }

    fn reserve_all<D: Driver>(
        &mut self,
        memory: &mut Allocator<D>,
        loaded: &mut Loaded,
    ) -> Result<(), LoadError> {
        for (core, scratchpad) in self.cores.iter_mut().enumerate() {
            let size = loaded.totals.get(core).copied().unwrap_or(0);
            let Err(error) = scratchpad.reserve(memory, size) else {
                loaded.cleanup.reserved.push((core, size));
                continue;
            };
            let at_the_ceiling = core == 0
                && scratchpad.mode == Mode::Contiguous
                && error.status() == Some(Status::RESOURCE);
            if !at_the_ceiling {
                return Err(LoadError::Reserve { core, size, error });
            }
            let pages = scratchpad.pages.len() as u64;
            let bytes = scratchpad.page_size.saturating_mul(pages);
            let note = format!("Could not grow contiguous scratchpad beyond {bytes} bytes");
            loaded.notes.push(note);
            if self.references_at_ceiling
                && scratchpad.change_refs(pages, |refs| refs.checked_add(1)).is_ok()
            {
                loaded.cleanup.reserved.push((core, bytes));
            }
        }
        Ok(())
    }

    /// Maps a contiguous region from its lowest page; without a page there is nothing to map.
    fn map(
        &self,
        loaded: &mut Loaded,
        map: impl FnOnce(u64, u64) -> Result<(), i32>,
    ) -> Result<(), LoadError> {
        let Some(sharing) = self.cores.first() else { return Ok(()) };
        let total = loaded.totals.first().copied().unwrap_or(0);
        let n = pages_needed(total, sharing.page_size).min(sharing.pages.len() as u64);
        let Some(page) = n.checked_sub(1).filter(|_| sharing.mode == Mode::Contiguous) else {
            return Ok(());
        };
        let bytes = sharing.page_size.saturating_mul(n);
        map(page, bytes).map_err(|code| LoadError::Map { code })?;
        loaded.cleanup.mapped = Some((page, bytes));
        Ok(())
    }
}

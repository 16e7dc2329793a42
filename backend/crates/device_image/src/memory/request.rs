//! How models are loaded: the chip, the scratchpad's mode, the size of an HBM.

use crate::dmem::HbmShape;
use crate::program::Generation;
use crate::scratchpad::{Group, InitRequest, Mode, Scratchpad, ScratchpadError};

/// How models are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadRequest {
    /// Generation of the chip.
    pub generation: Generation,
    /// How scratchpad pages are to be addressed.
    pub mode: Mode,
    /// Bytes of a page in paged mode.
    pub page_size: u64,
    /// Bytes of each HBM; that of the generation if absent.
    pub hbm_bytes: Option<u64>,
    /// Physical cores of the logical core: with one, newer generations stay paged.
    pub cores: u32,
}

impl LoadRequest {
    /// Bytes of each HBM.
    pub fn hbm_bytes(&self) -> u64 {
        self.hbm_bytes.unwrap_or(HbmShape::of(self.generation).bytes)
    }

    /// The request with the mode that the runtime gives for the one that is asked for.
    /// Spec: docs/format/memory.md "Set-up" [observed].
    ///
    /// # Errors
    /// [`ScratchpadError::PageSize`].
    pub fn settled(&self) -> Result<Self, ScratchpadError> {
        Ok(Self { mode: self.scratchpad(0)?.mode(), ..*self })
    }

    /// A core's scratchpad, which may be paged where the request is not. The driver is taken to be
    /// able to keep one region.
    ///
    /// # Errors
    /// [`ScratchpadError::PageSize`].
    pub fn scratchpad(&self, core: u32) -> Result<Scratchpad, ScratchpadError> {
        let request = InitRequest {
            page_size: self.page_size,
            contiguous: self.mode == Mode::Contiguous,
            generation: self.generation,
            cores: self.cores,
            driver_is_able: true,
        };
        let channel = HbmShape::of(self.generation).default_channel(core);
        Scratchpad::init(request, core, channel)
    }

    /// The scratchpads of the cores of one HBM.
    ///
    /// # Errors
    /// [`ScratchpadError::PageSize`].
    pub fn group(&self, hbm: u32) -> Result<Group, ScratchpadError> {
        let each = HbmShape::of(self.generation).cores_each;
        let cores = (0..each).map(|core| self.scratchpad(hbm * each + core));
        Ok(Group::new(cores.collect::<Result<_, _>>()?, each as usize))
    }
}

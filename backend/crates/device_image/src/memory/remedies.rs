//! What would make models fit: another page size, another mode, larger HBMs, or both together; and
//! the least HBM with which they do. Each is tried on the planner itself.
//! Spec: docs/format/memory.md "Planning" [modelled].

use super::core_plan::scratchpads;
use super::load::{fits, load};
use super::model::Model;
use super::request::LoadRequest;
use crate::dmem::driver::{BLOCK_BYTES, FIRMWARE_BYTES};
use crate::scratchpad::advice::{LARGEST_PAGE_BYTES, STEP_BYTES};
use crate::scratchpad::arena::MAX_PAGES;
use crate::scratchpad::reserve::PAGE_ALIGNMENT;
use crate::scratchpad::{Mode, ScratchpadError, pages_needed};

/// HBM sizes beyond this are not tried.
const LARGEST_HBM_BYTES: u64 = 1 << 46;
/// Variables that all sizes of HBMs which are tried one by one may have together.
const TRIED_VARIABLES: u64 = 2_000_000;
/// Sizes that are tried in any case, and at most.
const STEPS: (u64, u64) = (8, 4_096);
/// Beyond them, a step is this part of the size.
const COARSE: u64 = 8;

/// A change with which everything fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Another page size, in paged mode.
    PageSize(u64),
    /// Paged mode with a page size.
    Paged(u64),
    /// Contiguous mode.
    Contiguous,
    /// HBMs of so many bytes, the least with which it fits.
    Hbm(u64),
    /// Paged mode with a page size, and HBMs of so many bytes: neither helps alone.
    PagedHbm {
        /// Bytes of a page.
        page_size: u64,
        /// Bytes of each HBM.
        hbm_bytes: u64,
    },
}

/// More pages are needed than a scratchpad has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageCap {
    /// Pages that are needed.
    pub requested: u64,
    /// Smallest documented page size with which there are enough, in paged mode; `None` if none is
    /// large enough.
    pub enough_bytes: Option<u64>,
}

/// The documented page sizes.
fn documented() -> impl Iterator<Item = u64> {
    (1..=LARGEST_PAGE_BYTES / STEP_BYTES).map(|n| n * STEP_BYTES)
}

impl PageCap {
    /// Judges page sizes by slices packed for each, as a scratchpad of so many pages is too large.
    ///
    /// # Errors
    /// [`ScratchpadError::PageSize`].
    pub(super) fn of(
        models: &[Model<'_>],
        request: &LoadRequest,
        alone: bool,
        requested: u64,
    ) -> Result<Option<Self>, ScratchpadError> {
        if requested <= MAX_PAGES {
            return Ok(None);
        }
        let mut enough_bytes = None;
        for page_size in documented() {
            let paged = LoadRequest { mode: Mode::Paged, page_size, ..*request };
            let made = scratchpads(models, &paged, alone)?;
            let within = |need: u64| pages_needed(need, page_size) <= MAX_PAGES;
            if made.refused.is_none()
                && made.cores.values().all(|core| !core.exceeds && within(core.need))
            {
                enough_bytes = Some(page_size);
                break;
            }
        }
        Ok(Some(Self { requested, enough_bytes }))
    }
}

/// What would make everything fit that does not.
pub(super) fn remedies(
    models: &[Model<'_>],
    request: &LoadRequest,
    (cap, least): (Option<PageCap>, Option<u64>),
) -> Result<Vec<Remedy>, ScratchpadError> {
    let mut found = Vec::new();
    let is_paged = request.mode == Mode::Paged;
    for page_size in documented().filter(|size| !is_paged || *size != request.page_size) {
        if fits(models, &LoadRequest { mode: Mode::Paged, page_size, ..*request })?.is_ok() {
            let made = if is_paged { Remedy::PageSize } else { Remedy::Paged };
            found.push(made(page_size));
            break;
        }
    }
    // Where the runtime stays paged all the same, this is the plan that does not fit.
    if is_paged && fits(models, &LoadRequest { mode: Mode::Contiguous, ..*request })?.is_ok() {
        found.push(Remedy::Contiguous);
    }
    // Where alignments leave gaps, a smaller HBM may happen to do: a larger one is the remedy.
    let larger = match least {
        Some(least) if least > request.hbm_bytes() => Some(least),
        _ => least_hbm(models, request, request.hbm_bytes().saturating_add(PAGE_ALIGNMENT))?,
    };
    found.extend(larger.map(Remedy::Hbm));
    if found.is_empty()
        && let Some(page_size) = cap.and_then(|cap| cap.enough_bytes)
    {
        let paged = LoadRequest { mode: Mode::Paged, page_size, ..*request };
        let least = least_hbm(models, &paged, 0)?;
        found.extend(least.map(|hbm_bytes| Remedy::PagedHbm { page_size, hbm_bytes }));
    }
    Ok(found)
}

/// Bytes of each HBM with which everything fits, and does not with a block less, nor with any smaller
/// multiple of the alignment of pages from `from` on. `None` where no size up to 64 TiB does.
///
/// Sizes are tried upwards, by as much as the nearest miss lacked: with less, everything would go as it
/// did. Then the last step is halved.
///
/// # Errors
/// [`ScratchpadError::PageSize`].
pub fn least_hbm(
    models: &[Model<'_>],
    request: &LoadRequest,
    from: u64,
) -> Result<Option<u64>, ScratchpadError> {
    let tried = |bytes: u64| fits(models, &LoadRequest { hbm_bytes: Some(bytes), ..*request });
    let Some(least) = least_sum(models, request)? else { return Ok(None) };
    let mut enough = least.max(from) / PAGE_ALIGNMENT * PAGE_ALIGNMENT;
    let mut below = None;
    let each = models.iter().flat_map(|model| &model.subgraphs);
    let each: usize = each.map(|one| one.variables.as_slice().len() + one.other.len()).sum();
    let mut steps = (TRIED_VARIABLES / (each as u64 + 1)).clamp(STEPS.0, STEPS.1);
    while let Err(lacks) = tried(enough)? {
        let Some(more) = lacks.filter(|_| enough < LARGEST_HBM_BYTES) else { return Ok(None) };
        below = Some(enough);
        // Where misses come too close, larger and larger steps.
        steps = steps.saturating_sub(1);
        let more = if steps > 0 { more } else { more.max(enough / COARSE) };
        let next = enough.saturating_add(more.max(1)).min(LARGEST_HBM_BYTES);
        enough = next.next_multiple_of(PAGE_ALIGNMENT);
    }
    let mut low = match below {
        // After a coarse step nothing is known of the sizes that it left out.
        Some(below) if steps == 0 => below,
        Some(below) => below.max(enough.saturating_sub(PAGE_ALIGNMENT)),
        None if enough == 0 || from > 0 => return Ok(Some(enough)),
        // There are fewer bytes than are needed.
        None => enough - PAGE_ALIGNMENT,
    };
    while enough - low > BLOCK_BYTES {
        let middle = low + (enough - low) / 2 / BLOCK_BYTES * BLOCK_BYTES;
        if tried(middle)?.is_ok() {
            enough = middle;
        } else {
            low = middle;
        }
    }
    Ok(Some(enough))
}

/// The bytes of the fullest HBM where there is room for everything, firmware included: no HBM that is
/// smaller can do. 0 in contiguous mode, where less may be asked for when the region ends; `None` where
/// something else than memory fails.
fn least_sum(models: &[Model<'_>], request: &LoadRequest) -> Result<Option<u64>, ScratchpadError> {
    let vast =
        load(models, &LoadRequest { hbm_bytes: Some(LARGEST_HBM_BYTES), ..*request }, false)?;
    if !vast.fits() {
        return Ok(None);
    }
    if request.mode == Mode::Contiguous {
        return Ok(Some(0));
    }
    let hbms = u32::try_from(vast.free.len()).unwrap_or(0);
    let most = (0..hbms).map(|hbm| vast.counters.channel(hbm)).max().unwrap_or(0);
    Ok(Some(if most == 0 { 0 } else { most.saturating_add(FIRMWARE_BYTES) }))
}

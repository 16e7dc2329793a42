//! The answer to "what fills the HBM": the scratchpad of the fullest core, the variables that no
//! page takes, overlaps, bytes by category, whether it fits, and what would make it fit.

use std::collections::{BTreeMap, BTreeSet};

use super::layout::{Layout, SliceKind, VirtualVariable};
use super::load::{Load, Model, ModelSubgraph, kbins_by_hbm, load, load_once, slice_sizes};
use super::overlap::Overlaps;
use super::request::LoadRequest;
use super::total::Total;
use super::variables::Kind;
use crate::dmem::{HbmShape, Usage};
use crate::scratchpad::advice::{LARGEST_PAGE_BYTES, STEP_BYTES, is_private};
use crate::scratchpad::{LoadError, Mode, ScratchpadError, pages_needed};

/// HBM sizes beyond this are not tried.
const LARGEST_HBM_BYTES: u64 = 1 << 46;

/// How much of lists is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Variables named on pages, over all pages.
    pub variables: usize,
    /// Overlapping pairs.
    pub pairs: usize,
    /// Whether the places of all variables are wanted.
    pub places: bool,
}

/// A change with which everything fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Another page size, in paged mode.
    PageSize(u64),
    /// Contiguous mode.
    Contiguous,
    /// HBMs of so many bytes: the smallest whole number of GiB, found by bisection.
    Hbm(u64),
}

/// Bytes of one subgraph by usage, as the runtime counts them.
pub type Categories = BTreeMap<Usage, Total>;

/// What one subgraph needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubgraphNeed {
    /// Bytes of its local slice.
    pub local_bytes: Total,
    /// Bytes of the shared slice.
    pub shared_bytes: Total,
    /// Virtual variables, and the sum of their sizes.
    pub n_virtual: u64,
    /// Sum of their sizes.
    pub virtual_bytes: Total,
    /// Pairs of them that share bytes.
    pub overlaps: u64,
    /// Bytes of inputs and outputs, those of other subgraphs included.
    pub io_bytes: Total,
    /// Bytes of variables that the file fills.
    pub file_bytes: Total,
    /// Bytes by usage. Scratchpad pages count for the core that they lie on.
    pub categories: Categories,
    /// What of them is asked for only to move addresses up, in our model of the driver.
    pub padding: BTreeMap<Usage, u64>,
}

impl SubgraphNeed {
    fn count(&mut self, usage: Usage, bytes: u64) {
        self.categories.entry(usage).or_default().add(bytes);
    }

    /// Names of the sums that exceed 2^64.
    pub fn exceeding(&self) -> Vec<&'static str> {
        let sums = [
            ("local slice", self.local_bytes),
            ("shared slice", self.shared_bytes),
            ("virtual variables", self.virtual_bytes),
            ("inputs and outputs", self.io_bytes),
            ("file variables", self.file_bytes),
        ];
        let categories = self.categories.iter();
        let categories = categories.map(|(usage, sum)| (usage.words().unwrap_or("unknown"), *sum));
        sums.into_iter().chain(categories).filter(|one| one.1.exceeds).map(|one| one.0).collect()
    }
}

/// A slice of the scratchpad that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedSlice {
    /// Index of the model.
    pub model: usize,
    /// Index of its subgraph in the question; `None` for the slice that the subgraphs share.
    pub subgraph: Option<usize>,
    /// Offset in the scratchpad.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes that stay empty before it, so that it crosses no page.
    pub padding_bytes: u64,
}

/// The plan.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Core whose scratchpad is shown.
    pub core: u32,
    /// How its pages are addressed, which may not be what was asked for.
    pub mode: Mode,
    /// Bytes of a page.
    pub page_size: u64,
    /// Its pages.
    pub layout: Layout,
    /// Its virtual variables, which the layout refers to.
    pub variables: Vec<VirtualVariable>,
    /// Its slices, by model: the shared one, then those of the subgraphs.
    pub slices: Vec<PlannedSlice>,
    /// References of its pages after loading, by their index; empty where none was reserved.
    pub references: Vec<u32>,
    /// Overlapping pairs of one slice, over all variables.
    pub overlaps: u64,
    /// The first of them, as places in `variables`.
    pub pairs: Vec<(usize, usize)>,
    /// By subgraph, over all models in their order.
    pub needs: Vec<SubgraphNeed>,
    /// Whether the core that is shown has a variable that ends beyond 2^64, so that what its
    /// scratchpad needs is no number.
    pub need_exceeds: bool,
    /// The loading.
    pub load: Load,
    /// What would make it fit; empty where it does.
    pub remedies: Vec<Remedy>,
    /// Why the scratchpad of a model cannot even be planned.
    pub refused: Option<String>,
}

/// Bytes of the program that starts each engine, PE ACT POOL DVE SP, in a profile that captures
/// show; `None` for other profiles.
/// Spec: docs/format/memory.md "Categories of a load" [observed].
pub fn bootstrap_bytes(profile: &str) -> Option<[u64; 5]> {
    match profile {
        "cayman-r2.27" => Some([1600, 1216, 1408, 1216, 1152]),
        "sunda-r2.25" => Some([1408, 1024, 1088, 1024, 960]),
        "sunda-r2.23" => Some([0; 5]),
        _ => None,
    }
}

/// Plans models on the cores that their subgraphs name. With `alone` the answer is about the one
/// subgraph that the models then hold: its own offsets, no slices before it.
///
/// # Errors
/// [`ScratchpadError::PageSize`].
pub fn plan(
    models: &[Model<'_>],
    request: &LoadRequest,
    alone: bool,
    bounds: Bounds,
) -> Result<Plan, ScratchpadError> {
    let page_size = request.scratchpad(0)?.page_size();
    let load = load(models, request, bounds.places)?;
    let request = &request.settled()?;
    let (cores, refused) = scratchpads(models, request, alone)?;
    let fullest = cores.iter().max_by_key(|(core, one)| (one.need, u32::MAX - **core));
    let (core, shown) = fullest.map(|(core, one)| (*core, one.clone())).unwrap_or_default();
    let mut layout =
        Layout::of(request.mode, page_size, shown.need, &shown.variables, bounds.variables);
    if let Some(advice) = &mut layout.advice {
        // Slices lie elsewhere with another page size, so each is packed anew.
        advice.judge(|page_size| {
            let (cores, other) =
                scratchpads(models, &LoadRequest { page_size, ..*request }, alone).ok()?;
            let own = &cores.get(&core)?.variables;
            let private = own.iter().filter(|one| is_private(page_size, one.offset, one.size));
            other.is_none().then(|| private.count() as u64)
        });
    }
    let mut needs: Vec<SubgraphNeed> =
        models.iter().flat_map(|model| &model.subgraphs).map(need).collect();
    scratchpad_bytes(models, request.mode, page_size, &cores, &mut needs);
    let owners = models.iter().enumerate();
    let owners = owners.flat_map(|(at, one)| (0..one.subgraphs.len()).map(move |own| (at, own)));
    for (owner, need) in owners.zip(&mut needs) {
        need.padding = load.padding.get(&owner).cloned().unwrap_or_default();
        for (usage, bytes) in need.padding.clone() {
            need.count(usage, bytes);
        }
    }
    let (overlaps, pairs) = overlaps(&cores, core, bounds.pairs, &mut needs);
    let remedies = if load.fits() { Vec::new() } else { remedies(models, request, &load)? };
    // A subgraph alone is shown on its own core; its pages are the sharing core's.
    let each = HbmShape::of(request.generation).cores_each.max(1);
    let of_pages = if alone { core - core % each } else { core };
    Ok(Plan {
        core,
        mode: request.mode,
        page_size,
        layout,
        variables: shown.variables,
        slices: shown.slices,
        references: load.references.get(&of_pages).cloned().unwrap_or_default(),
        overlaps,
        pairs,
        needs,
        need_exceeds: shown.exceeds,
        load,
        remedies,
        refused,
    })
}

/// The virtual variables on one core.
#[derive(Clone, Debug, Default)]
struct CorePlan {
    need: u64,
    exceeds: bool,
    variables: Vec<VirtualVariable>,
    slices: Vec<PlannedSlice>,
}

impl CorePlan {
    /// Adds a slice that has bytes; the padding is what the model's slices before it leave.
    fn slice(&mut self, model: usize, subgraph: Option<usize>, offset: u64, bytes: u64) {
        if bytes > 0 {
            let own = self.slices.iter().filter(|slice| slice.model == model);
            let end = own.map(|slice| slice.offset.saturating_add(slice.bytes)).max();
            let padding_bytes = offset.saturating_sub(end.unwrap_or(0));
            self.slices.push(PlannedSlice { model, subgraph, offset, bytes, padding_bytes });
        }
    }
}

/// The scratchpad of each core that has one.
fn scratchpads(
    models: &[Model<'_>],
    request: &LoadRequest,
    alone: bool,
) -> Result<(BTreeMap<u32, CorePlan>, Option<String>), ScratchpadError> {
    let each = HbmShape::of(request.generation).cores_each;
    let mut cores: BTreeMap<u32, CorePlan> = BTreeMap::new();
    let mut refused = None;
    let mut first = 0;
    for (index, model) in models.iter().enumerate() {
        for (hbm, kbins) in kbins_by_hbm(request.generation, model) {
            let group = request.group(hbm)?;
            let sizes: Vec<_> = kbins.iter().map(|(_, sizes)| *sizes).collect();
            let planned = match group.plan(&sizes) {
                Ok(planned) => planned,
                Err(error @ (LoadError::Slice { .. } | LoadError::Kbins { .. })) => {
                    refused.get_or_insert(error.to_string());
                    continue;
                }
                Err(_) => continue,
            };
            let shared = planned.shared;
            if !alone {
                let core = cores.entry(hbm * each).or_default();
                core.slice(index, None, shared.offset, shared.size);
            }
            for ((at, sizes), slice) in kbins.iter().zip(&planned.locals) {
                let Some(subgraph) = model.subgraphs.get(*at) else { continue };
                let (local_core, offset) = if alone {
                    (subgraph.core, 0)
                } else {
                    (hbm * each + u32::try_from(slice.core).unwrap_or(0), slice.offset)
                };
                let shared_core = if alone { subgraph.core } else { hbm * each };
                let own = VirtualBase {
                    subgraph: first + at,
                    local: (local_core, offset),
                    shared: (shared_core, 0),
                };
                own.add(subgraph, &mut cores);
                let core = cores.entry(local_core).or_default();
                if alone {
                    core.need = sizes.local.max(sizes.shared).max(core.need);
                    core.slice(index, None, 0, sizes.shared);
                }
                core.slice(index, Some(first + at), offset, sizes.local);
            }
            if alone {
                continue;
            }
            for (core, total) in (0..).zip(&planned.totals) {
                let need = &mut cores.entry(hbm * each + core).or_default().need;
                *need = (*total).max(*need);
            }
        }
        first += model.subgraphs.len();
    }
    Ok((cores, refused))
}

/// Where the slices of a subgraph begin: core and offset.
struct VirtualBase {
    subgraph: usize,
    local: (u32, u64),
    shared: (u32, u64),
}

impl VirtualBase {
    fn add(&self, subgraph: &ModelSubgraph<'_>, cores: &mut BTreeMap<u32, CorePlan>) {
        for variable in subgraph.variables.as_slice() {
            let Kind::Virtual { offset, shared, .. } = variable.kind else { continue };
            let ((core, base), slice) = if shared {
                (self.shared, SliceKind::Shared)
            } else {
                (self.local, SliceKind::Local(self.subgraph))
            };
            let plan = cores.entry(core).or_default();
            plan.exceeds |= Total::end(base, offset).exceeds
                || Total::end(base.saturating_add(offset), variable.size).exceeds;
            plan.variables.push(VirtualVariable {
                subgraph: self.subgraph,
                id: variable.id,
                // One beyond 2^64 is told of.
                offset: base.saturating_add(offset),
                size: variable.size,
                slice,
            });
        }
    }
}

/// Overlaps of each slice, counted for its subgraph; the pairs are those of the core that is shown.
fn overlaps(
    cores: &BTreeMap<u32, CorePlan>,
    shown: u32,
    most: usize,
    needs: &mut [SubgraphNeed],
) -> (u64, Vec<(usize, usize)>) {
    let (mut all, mut pairs) = (0_u64, Vec::new());
    for (core, plan) in cores {
        let mut slices: BTreeMap<(usize, SliceKind), Vec<usize>> = BTreeMap::new();
        for (at, variable) in plan.variables.iter().enumerate() {
            slices.entry((variable.subgraph, variable.slice)).or_default().push(at);
        }
        for ((subgraph, _), places) in slices {
            let ranges: Vec<(u64, u64)> = places
                .iter()
                .filter_map(|at| plan.variables.get(*at))
                .map(|one| (one.offset, one.size))
                .collect();
            let room = if *core == shown { most - pairs.len() } else { 0 };
            let found = Overlaps::of(&ranges, room);
            if let Some(need) = needs.get_mut(subgraph) {
                need.overlaps += found.count;
            }
            if *core == shown {
                all += found.count;
            }
            let place = |at: usize| places.get(at).copied().unwrap_or(0);
            pairs.extend(found.pairs.iter().map(|(a, b)| (place(*a), place(*b))));
        }
    }
    (all, pairs)
}

/// Adds the pages of each core to the first subgraph on it, since all share them, and the bytes of
/// variables that no page takes to the subgraph of each.
fn scratchpad_bytes(
    models: &[Model<'_>],
    mode: Mode,
    page_size: u64,
    cores: &BTreeMap<u32, CorePlan>,
    needs: &mut [SubgraphNeed],
) {
    let subgraphs = models.iter().flat_map(|model| &model.subgraphs);
    let mut counted = BTreeSet::new();
    for (subgraph, need) in subgraphs.zip(needs.iter_mut()) {
        if let Some(core) = cores.get(&subgraph.core).filter(|_| counted.insert(subgraph.core)) {
            let pages = pages_needed(core.need, page_size);
            let sum = need.categories.entry(Usage::SCRATCHPAD).or_default();
            sum.add_pieces(pages, page_size);
            sum.exceeds |= core.exceeds;
        }
    }
    if mode == Mode::Contiguous {
        return;
    }
    for variable in cores.values().flat_map(|core| &core.variables) {
        if is_private(page_size, variable.offset, variable.size)
            && let Some(need) = needs.get_mut(variable.subgraph)
        {
            need.count(Usage::SCRATCHPAD_NOT_SHARED, variable.size);
        }
    }
}

fn need(subgraph: &ModelSubgraph<'_>) -> SubgraphNeed {
    let variables = subgraph.variables;
    let (local_bytes, shared_bytes) = slice_sizes(variables);
    let mut made = SubgraphNeed {
        local_bytes,
        shared_bytes,
        io_bytes: variables.io_bytes(),
        file_bytes: variables.file_bytes(),
        ..SubgraphNeed::default()
    };
    made.categories.insert(Usage::WEIGHT, made.file_bytes);
    made.count(Usage::TENSOR, 0);
    made.count(Usage::SCRATCHPAD, 0);
    for bytes in &subgraph.io {
        made.count(Usage::TENSOR, *bytes);
    }
    for (usage, bytes, _) in &subgraph.other {
        made.count(*usage, *bytes);
    }
    for variable in variables.as_slice() {
        if variable.kind == Kind::Temporary {
            made.count(Usage::SCRATCHPAD_NOT_SHARED, variable.size);
        }
        if let Kind::Virtual { .. } = variable.kind {
            made.n_virtual += 1;
            made.virtual_bytes.add(variable.size);
        }
    }
    made
}

/// What would make everything fit.
fn remedies(
    models: &[Model<'_>],
    request: &LoadRequest,
    failed: &Load,
) -> Result<Vec<Remedy>, ScratchpadError> {
    let mut found = Vec::new();
    // What has an address keeps to it only where all fits so.
    let fits =
        |request: LoadRequest| load_once(models, &request, false, false).map(|load| load.fits());
    if request.mode == Mode::Paged {
        for page_size in (1..=LARGEST_PAGE_BYTES / STEP_BYTES).map(|n| n * STEP_BYTES) {
            if page_size != request.page_size && fits(LoadRequest { page_size, ..*request })? {
                found.push(Remedy::PageSize(page_size));
                break;
            }
        }
        if fits(LoadRequest { mode: Mode::Contiguous, ..*request })? {
            found.push(Remedy::Contiguous);
        }
    }
    let mut more = failed.failed_bytes.max(1);
    let mut too_few = request.hbm_bytes() >> 30;
    loop {
        let wanted = request.hbm_bytes().checked_add(more);
        let wanted = wanted.and_then(|bytes| bytes.checked_next_multiple_of(1 << 30));
        let Some(bytes) = wanted.filter(|bytes| *bytes <= LARGEST_HBM_BYTES) else { break };
        let hbm = |gib: u64| fits(LoadRequest { hbm_bytes: Some(gib << 30), ..*request });
        let mut enough = bytes >> 30;
        if hbm(enough)? {
            while enough - too_few > 1 {
                let middle = too_few + (enough - too_few) / 2;
                if hbm(middle)? {
                    enough = middle;
                } else {
                    too_few = middle;
                }
            }
            found.push(Remedy::Hbm(enough << 30));
            break;
        }
        too_few = enough;
        more = more.saturating_mul(2);
    }
    Ok(found)
}

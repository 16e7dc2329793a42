//! The answer to "what fills the HBM": the scratchpad of the fullest core, the variables that no
//! page takes, overlaps, bytes by category, whether it fits, and what would make it fit.

use std::collections::BTreeMap;

use super::core_plan::{Beyond, CorePlan, PlannedSlice, scratchpads};
use super::layout::{Layout, SliceKind, VirtualVariable};
use super::load::{Load, load};
use super::model::{Model, ModelSubgraph, slice_sizes};
use super::overlap::Overlaps;
use super::remedies::{PageCap, Remedy, least_hbm, remedies};
use super::request::LoadRequest;
use super::total::Total;
use super::variables::Kind;
use crate::dmem::{HbmShape, Usage};
use crate::program::Generation;
use crate::scratchpad::advice::is_private;
use crate::scratchpad::{Mode, ScratchpadError, pages_needed};

/// How much of lists is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Variables named on pages, over all pages.
    pub variables: usize,
    /// Overlapping pairs.
    pub pairs: usize,
    /// Whether the places of all variables are wanted.
    pub places: bool,
    /// Whether the least HBM is wanted, which takes some forty loads; where not all fits it is found in
    /// any case, as a remedy.
    pub least_hbm: bool,
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

    /// Names of the sums that exceed 2^64; slices are no sums.
    pub fn exceeding(&self) -> Vec<&'static str> {
        let sums = [
            ("virtual variables", self.virtual_bytes),
            ("inputs and outputs", self.io_bytes),
            ("file variables", self.file_bytes),
        ];
        let categories = self.categories.iter();
        let categories = categories.map(|(usage, sum)| (usage.words().unwrap_or("unknown"), *sum));
        sums.into_iter().chain(categories).filter(|one| one.1.exceeds).map(|one| one.0).collect()
    }
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
    /// Whether each subgraph has its own scratchpad, as if it were alone.
    pub alone: bool,
    /// Cores of an HBM.
    pub cores_each: u32,
    /// Place among all subgraphs of the one that the pages of a core count for, by core.
    pub carriers: BTreeMap<u32, usize>,
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
    /// What ends beyond 2^64, on any core; the first of it.
    pub beyond: Vec<Beyond>,
    /// All of it.
    pub n_beyond: u64,
    /// That a scratchpad has no such number of pages, and what would do.
    pub page_cap: Option<PageCap>,
    /// The loading.
    pub load: Load,
    /// What would make it fit; empty where it does.
    pub remedies: Vec<Remedy>,
    /// Bytes of each HBM with which it fits where it does not with a block less; `None` where it
    /// does with no size that is tried, or where it is not asked for.
    pub least_hbm_bytes: Option<u64>,
    /// Why the scratchpad of a model cannot even be planned.
    pub refused: Option<String>,
}

impl Plan {
    /// The core whose scratchpad has the slices of a subgraph on a core.
    pub const fn pages_of(&self, core: u32) -> u32 {
        if self.alone { core } else { core - core % self.cores_each }
    }
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
    let made = scratchpads(models, request, alone)?;
    let cores = &made.cores;
    let fullest = cores.iter().max_by_key(|(core, one)| (one.need, u32::MAX - **core));
    let (core, shown) = fullest.map(|(core, one)| (*core, one.clone())).unwrap_or_default();
    let mut layout =
        Layout::of(request.mode, page_size, shown.need, &shown.variables, bounds.variables);
    if let Some(advice) = &mut layout.advice {
        // Slices lie elsewhere with another page size, so each is packed anew.
        advice.judge(|page_size| {
            let other = scratchpads(models, &LoadRequest { page_size, ..*request }, alone).ok()?;
            let own = &other.cores.get(&core)?.variables;
            let private = own.iter().filter(|one| is_private(page_size, one.offset, one.size));
            other.refused.is_none().then(|| private.count() as u64)
        });
    }
    let mut needs: Vec<SubgraphNeed> =
        models.iter().flat_map(|model| &model.subgraphs).map(need).collect();
    let carriers = carriers(models, request.generation, cores);
    scratchpad_bytes(request.mode, page_size, (cores, &carriers), &mut needs);
    let owners = models.iter().enumerate();
    let owners = owners.flat_map(|(at, one)| (0..one.subgraphs.len()).map(move |own| (at, own)));
    for (owner, need) in owners.zip(&mut needs) {
        need.padding = load.padding.get(&owner).cloned().unwrap_or_default();
        for (usage, bytes) in need.padding.clone() {
            need.count(usage, bytes);
        }
    }
    let (overlaps, pairs) = overlaps(cores, core, bounds.pairs, &mut needs);
    let page_cap = PageCap::of(models, request, alone, layout.n_pages)?;
    let least_hbm_bytes = match bounds.least_hbm || !load.fits() {
        true => least_hbm(models, request, 0)?,
        false => None,
    };
    let remedies = match load.fits() {
        true => Vec::new(),
        false => remedies(models, request, (page_cap, least_hbm_bytes))?,
    };
    // A subgraph alone is shown on its own core; its pages are the sharing core's.
    let each = HbmShape::of(request.generation).cores_each.max(1);
    let of_pages = if alone { core - core % each } else { core };
    Ok(Plan {
        core,
        mode: request.mode,
        page_size,
        layout,
        variables: shown.variables,
        alone,
        cores_each: each,
        carriers,
        slices: shown.slices,
        references: load.references.get(&of_pages).cloned().unwrap_or_default(),
        overlaps,
        pairs,
        needs,
        need_exceeds: shown.exceeds,
        beyond: made.beyond,
        n_beyond: made.n_beyond,
        page_cap,
        load,
        remedies,
        least_hbm_bytes,
        refused: made.refused,
    })
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

/// The subgraph that the pages of each core count for, as its place among all: the first one on the
/// core, else the first one on the other core of its HBM, whose slices lie there.
fn carriers(
    models: &[Model<'_>],
    generation: Generation,
    cores: &BTreeMap<u32, CorePlan>,
) -> BTreeMap<u32, usize> {
    let shape = HbmShape::of(generation);
    let on_cores: Vec<u32> =
        models.iter().flat_map(|model| &model.subgraphs).map(|one| one.core).collect();
    let first = |core: u32| {
        let own = on_cores.iter().position(|one| *one == core);
        let hbm = shape.default_channel(core);
        own.or_else(|| on_cores.iter().position(|one| shape.default_channel(*one) == hbm))
    };
    cores.keys().filter_map(|core| Some((*core, first(*core)?))).collect()
}

/// Adds the pages of each core to the subgraph that carries them, since all share them, and the bytes
/// of variables that no page takes to the subgraph of each.
fn scratchpad_bytes(
    mode: Mode,
    page_size: u64,
    (cores, carriers): (&BTreeMap<u32, CorePlan>, &BTreeMap<u32, usize>),
    needs: &mut [SubgraphNeed],
) {
    for (core, plan) in cores {
        let carrier = carriers.get(core).and_then(|at| needs.get_mut(*at));
        let Some(need) = carrier else { continue };
        let pages = pages_needed(plan.need, page_size);
        let sum = need.categories.entry(Usage::SCRATCHPAD).or_default();
        sum.add_pieces(pages, page_size);
        sum.exceeds |= plan.exceeds;
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

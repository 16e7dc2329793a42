//! Loading models one after the other into a model of the device's memory: what fits, what fails
//! first, and where everything ends up.
//!
//! The order within a load is ours where nothing is published: scratchpads, variables by id, then
//! code and tables, then the user's tensors.
//! Spec: docs/format/memory.md "Planning" [modelled].

use std::collections::{BTreeMap, BTreeSet};

use super::failure::Failure;
use super::model::{Model, ModelSubgraph, kbins_by_hbm};
use super::place::{PlaceError, Placed, PlacedSubgraph, Stage, follow_remote};
use super::request::LoadRequest;
use super::taken::{Moved, Owner, Taken};
use super::variables::{Kind, Variable};
use crate::address_map::bases;
use crate::dmem::{
    AllocError, Allocator, Counters, Dmem, Driver, Hbm, HbmShape, Request as AllocRequest, Status,
    Usage,
};
use crate::program::Generation;
use crate::scratchpad::{
    Group, KbinSizes, LoadError, Loaded, Scratchpad, ScratchpadError, pages_needed,
};

/// Failures that are described; others are only counted.
const DESCRIBED: usize = 16;

/// Bytes that the address of a virtual variable is a multiple of.
/// Spec: docs/format/memory.md "Placement of variables" [observed].
pub const VIRTUAL_ALIGNMENT: u64 = 4_096;

/// Whether a runtime refuses a variable for its address.
pub fn is_unaligned(variable: &Variable, placed: &Placed) -> bool {
    matches!(variable.kind, Kind::Virtual { .. })
        && !placed.address.is_multiple_of(VIRTUAL_ALIGNMENT)
}

/// A virtual variable that a runtime refuses for its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unaligned {
    /// Index of the model.
    pub model: usize,
    /// Index of the subgraph in it.
    pub subgraph: usize,
    /// Id of the variable.
    pub id: u32,
    /// Its address.
    pub address: u64,
}

/// Where one variable of a loaded model is.
pub type LoadedVariable = Placed;

/// What came of loading.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// The first failures, in the order of loading.
    pub failures: Vec<Failure>,
    /// All failures.
    pub n_failures: u64,
    /// Bytes that were asked for in vain.
    pub failed_bytes: u64,
    /// By model and subgraph: where its variables are, by id. Empty unless asked for, and for what
    /// was not loaded.
    pub placed: Vec<Vec<Vec<LoadedVariable>>>,
    /// Remote variables that lead nowhere.
    pub remote: Vec<(usize, PlaceError)>,
    /// Virtual variables at addresses that are no multiple of [`VIRTUAL_ALIGNMENT`]; the first ones.
    pub unaligned: Vec<Unaligned>,
    /// All of them.
    pub n_unaligned: u64,
    /// Bytes that each subgraph asks for only to move addresses up, by model and subgraph.
    /// Spec: docs/format/memory.md "Allocator" [observed].
    pub padding: BTreeMap<(usize, usize), BTreeMap<Usage, u64>>,
    /// What is in use, as the runtime counts it.
    pub counters: Counters,
    /// Free bytes and the largest free range of each HBM.
    pub free: Vec<(u64, u64)>,
    /// What the runtime logs, in its words.
    pub notes: Vec<String>,
    /// References of each page of each core that has pages, by the index of the page.
    pub references: BTreeMap<u32, Vec<u32>>,
    /// What takes device memory, by address. Empty unless places are asked for.
    pub taken: Vec<Taken>,
    /// What has an address already and lies elsewhere in this load; the first ones.
    pub moved: Vec<Moved>,
    /// All of them.
    pub n_moved: u64,
    /// Requests for which our model of the driver did not look at all free ranges.
    pub searches_cut: u64,
    /// Bytes by HBM that code points to and that the runtime counts elsewhere.
    pub kept_bytes: BTreeMap<u32, u64>,
    /// The fewest bytes that an HBM has to be larger for anything to go elsewhere.
    pub lacks: Option<u64>,
}

impl Load {
    /// Whether everything was loaded.
    pub const fn fits(&self) -> bool {
        self.n_failures == 0
    }

    fn fail(&mut self, failure: Failure) {
        self.n_failures += 1;
        self.failed_bytes = self.failed_bytes.saturating_add(failure.bytes);
        if self.failures.len() < DESCRIBED {
            self.failures.push(failure);
        }
    }
}

/// Loads models one after the other. `keep` asks for the places of all variables. What has an address
/// already is put there before anything else; where not all fits so, it is put where there is room.
///
/// # Errors
/// [`ScratchpadError::PageSize`].
pub fn load(
    models: &[Model<'_>],
    request: &LoadRequest,
    keep: bool,
) -> Result<Load, ScratchpadError> {
    let placed = models.iter().flat_map(|model| &model.subgraphs);
    let placed = placed.flat_map(|one| &one.places).any(Option::is_some);
    let first = load_once(models, request, Way { keep, at_places: true, to_the_end: true })?;
    if first.fits() || !placed {
        return Ok(first);
    }
    load_once(models, request, Way { keep, at_places: false, to_the_end: true })
}

/// Whether [`load`] would load everything; else the fewest bytes that an HBM has to be larger for
/// anything to go elsewhere, as [`Hbm::lacks`].
///
/// # Errors
/// [`ScratchpadError::PageSize`].
pub fn fits(
    models: &[Model<'_>],
    request: &LoadRequest,
) -> Result<Result<(), Option<u64>>, ScratchpadError> {
    let placed = models.iter().flat_map(|model| &model.subgraphs);
    let placed = placed.flat_map(|one| &one.places).any(Option::is_some);
    let way = Way { keep: false, at_places: false, to_the_end: false };
    let made = load_once(models, request, way)?;
    if made.fits() || placed && load_once(models, request, Way { at_places: true, ..way })?.fits() {
        return Ok(Ok(()));
    }
    Ok(Err(made.lacks))
}

/// How one try of loading goes.
#[derive(Clone, Copy)]
struct Way {
    /// Whether the places of all variables are wanted.
    keep: bool,
    /// Whether what has an address is put there, or anywhere.
    at_places: bool,
    /// Whether loading goes on after a failure.
    to_the_end: bool,
}

/// One try of loading.
fn load_once(
    models: &[Model<'_>],
    request: &LoadRequest,
    way: Way,
) -> Result<Load, ScratchpadError> {
    let Way { keep, at_places, to_the_end } = way;
    let generation = request.generation;
    let mut state = State {
        memory: Allocator::new(Hbm::with_bytes(generation, request.hbm_bytes())),
        groups: BTreeMap::new(),
        load: Load::default(),
        keep,
        at_places,
        to_the_end,
    };
    let shape = HbmShape::of(generation);
    state.load.notes.extend(request.scratchpad(0)?.note().map(str::to_owned));
    for hbm in 0..u32::try_from(shape.bases.len()).unwrap_or(0) {
        state.groups.insert(hbm, request.group(hbm)?);
    }
    for (index, model) in models.iter().enumerate() {
        if state.is_over() {
            break;
        }
        let placed = state.model(index, model, request);
        state.load.placed.push(if keep { placed } else { Vec::new() });
    }
    let channels = (0..).take(shape.bases.len());
    state.load.free = channels.map(|hbm| state.memory.driver.free_bytes(hbm)).collect();
    state.load.counters = state.memory.counters;
    state.load.searches_cut = state.memory.driver.searches_cut();
    state.load.lacks = state.memory.driver.lacks();
    for (hbm, group) in &state.groups {
        for (core, scratchpad) in (0..).zip(&group.cores) {
            let core = hbm * shape.cores_each + core;
            let references: Vec<u32> = scratchpad.pages().iter().map(|page| page.refs).collect();
            if !references.is_empty() {
                state.load.references.insert(core, references);
            }
            let pages = (0..).zip(scratchpad.pages()).filter(|_| keep);
            let pages = pages.map(|(page, one)| Taken::of(&one.mem, Owner::Page { core, page }));
            state.load.taken.extend(pages);
        }
    }
    state.load.taken.sort_by_key(|one| one.start);
    Ok(state.load)
}

struct State {
    memory: Allocator<Hbm>,
    groups: BTreeMap<u32, Group>,
    load: Load,
    keep: bool,
    at_places: bool,
    to_the_end: bool,
}

impl State {
    /// Whether nothing more has to be tried.
    const fn is_over(&self) -> bool {
        !self.to_the_end && !self.load.fits()
    }

    fn model(
        &mut self,
        index: usize,
        model: &Model<'_>,
        request: &LoadRequest,
    ) -> Vec<Vec<Placed>> {
        let mut placed = vec![Vec::new(); model.subgraphs.len()];
        for (at, subgraph) in model.subgraphs.iter().enumerate() {
            let cores = bases::cores(request.generation);
            if subgraph.core >= cores {
                self.load.fail(Failure {
                    model: index,
                    subgraph: Some(at),
                    what: format!("core {} is not there: the device has {cores}", subgraph.core),
                    status: Some(Status(9)),
                    hbm: 0,
                    bytes: 0,
                    alignment: 0,
                    free_bytes: 0,
                    largest_free_bytes: 0,
                });
            }
        }
        let mut there = self.put_at_places(index, model, request.generation);
        for (hbm, kbins) in kbins_by_hbm(request.generation, model) {
            if self.is_over() {
                break;
            }
            let Some(loaded) = self.scratchpads(index, hbm, &kbins) else { continue };
            self.load.notes.extend(loaded.notes.iter().cloned());
            for (slice, (at, _)) in loaded.locals.iter().zip(&kbins) {
                let Some(subgraph) = model.subgraphs.get(*at) else { continue };
                let own = self.subgraph(
                    (index, *at),
                    subgraph,
                    request,
                    hbm,
                    (slice.core, slice.offset, loaded.shared.offset),
                    there.remove(at).unwrap_or_default(),
                );
                if let Some(to) = placed.get_mut(*at) {
                    *to = own;
                }
            }
        }
        if !self.to_the_end {
            return Vec::new();
        }
        let mut with_names: Vec<PlacedSubgraph<'_>> = model
            .subgraphs
            .iter()
            .zip(placed)
            .map(|(one, placed)| PlacedSubgraph {
                name: &one.name,
                variables: one.variables,
                placed,
            })
            .collect();
        let errors = follow_remote(&mut with_names);
        let room = DESCRIBED.saturating_sub(self.load.remote.len());
        self.load.remote.extend(errors.into_iter().take(room).map(|error| (index, error)));
        with_names.into_iter().map(|one| one.placed).collect()
    }

    /// Reserves the pages of one HBM's subgraphs.
    fn scratchpads(
        &mut self,
        model: usize,
        hbm: u32,
        kbins: &[(usize, KbinSizes)],
    ) -> Option<Loaded> {
        let sizes: Vec<KbinSizes> = kbins.iter().map(|(_, sizes)| *sizes).collect();
        let group = self.groups.get_mut(&hbm)?;
        let have: Vec<u64> = group.cores.iter().map(|core| core.pages().len() as u64).collect();
        let error = match group.load(&mut self.memory, &sizes, |_, _| Ok(())) {
            Ok(loaded) => return Some(loaded),
            Err(error) => error,
        };
        // What the runtime refuses before it asks the driver lacks no memory.
        let bytes = match &error {
            LoadError::Reserve { error: ScratchpadError::TooManyPages { .. }, .. } => 0,
            LoadError::Reserve { core, size, .. } => {
                let page_size = group.cores.get(*core).map_or(0, Scratchpad::page_size);
                let more = pages_needed(*size, page_size)
                    .saturating_sub(have.get(*core).copied().unwrap_or(0));
                more.saturating_mul(page_size)
            }
            _ => 0,
        };
        let subgraph = match kbins {
            [(only, _)] => Some(*only),
            _ => None,
        };
        let what = format!("scratchpad: {error}");
        self.fail((model, subgraph), hbm, (bytes, 0), what, error.status());
        None
    }

    fn subgraph(
        &mut self,
        (model, at): (usize, usize),
        subgraph: &ModelSubgraph<'_>,
        request: &LoadRequest,
        hbm: u32,
        (owner, local, shared): (usize, u64, u64),
        there: BTreeSet<usize>,
    ) -> Vec<Placed> {
        let scratchpad = self.groups.get(&hbm).and_then(|group| group.cores.get(owner));
        let Some(scratchpad) = scratchpad.cloned() else { return Vec::new() };
        let core_base = bases::core_base(request.generation, subgraph.core).unwrap_or(0);
        let mut placed = Vec::with_capacity(subgraph.variables.as_slice().len());
        for variable in subgraph.variables.as_slice() {
            if self.is_over() {
                return placed;
            }
            let mut stage = Stage {
                memory: &mut self.memory,
                scratchpad: &scratchpad,
                local,
                shared,
                core: subgraph.core,
                channel: hbm,
                core_base,
            };
            // Where it is only asked whether all fits, what takes no memory is not placed.
            if !self.to_the_end && !stage.takes_memory(variable) {
                continue;
            }
            match stage.place(variable) {
                Ok(one) => {
                    if is_unaligned(variable, &one) {
                        self.load.n_unaligned += 1;
                        if self.load.unaligned.len() < DESCRIBED {
                            let (id, address) = (one.id, one.address);
                            self.load.unaligned.push(Unaligned {
                                model,
                                subgraph: at,
                                id,
                                address,
                            });
                        }
                    }
                    if let (true, Some(dmem)) = (self.keep, one.memory) {
                        let id = one.id;
                        let owner = Owner::Variable { model, subgraph: at, id };
                        self.load.taken.push(Taken::of(&dmem, owner));
                    }
                    placed.push(one);
                }
                Err(PlaceError::Memory { error, .. }) => {
                    let name: String = variable.name.chars().take(64).collect();
                    let what = format!("variable `{name}`: {error}");
                    let status = Some(error.status());
                    self.fail((model, Some(at)), hbm, error.asked(), what, status);
                }
                // Placing one variable looks at no other subgraph.
                Err(_) => {}
            }
        }
        let other = subgraph.other.iter().enumerate().filter(|(part, _)| !there.contains(part));
        let other = other.map(|(part, one)| (*one, Owner::Part { model, subgraph: at, part }));
        let io = subgraph.io.iter().enumerate().map(|(io, bytes)| {
            ((Usage::TENSOR, *bytes, 0), Owner::Tensor { model, subgraph: at, io })
        });
        for ((usage, bytes, alignment), owner) in other.chain(io) {
            let wanted =
                AllocRequest { bytes, alignment, channel: hbm, core: subgraph.core, usage };
            match self.memory.allocate(wanted) {
                Ok(dmem) => self.take(&dmem, owner),
                Err(error) => {
                    let what = format!("{}: {error}", usage.words().unwrap_or("memory"));
                    let status = Some(AllocError::status(&error));
                    self.fail((model, Some(at)), hbm, error.asked(), what, status);
                }
            }
        }
        let padding = std::mem::take(&mut self.memory.padding);
        if !padding.is_empty() {
            self.load.padding.insert((model, at), padding);
        }
        placed
    }

    /// Puts what has an address there, before anything else of the model: gives what was, by subgraph.
    fn put_at_places(
        &mut self,
        index: usize,
        model: &Model<'_>,
        generation: Generation,
    ) -> BTreeMap<usize, BTreeSet<usize>> {
        let mut there: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let shape = HbmShape::of(generation);
        for (at, subgraph) in model.subgraphs.iter().enumerate() {
            for (start, bytes) in subgraph.kept.iter().filter(|_| self.at_places) {
                let Some(hbm) = shape.channel_of(*start) else { continue };
                // Subgraphs may share one.
                if self.memory.driver.allocate_at(hbm, *start, *bytes).is_ok() {
                    self.load
                        .kept_bytes
                        .entry(hbm)
                        .and_modify(|sum| *sum += bytes)
                        .or_insert(*bytes);
                    let block_end = start.saturating_add(*bytes);
                    let owner = Owner::Kept { model: index, subgraph: at };
                    if self.keep {
                        self.load.taken.push(Taken {
                            start: *start,
                            bytes: *bytes,
                            block_end,
                            owner,
                        });
                    }
                }
            }
            let parts = subgraph.other.iter().zip(&subgraph.places).enumerate();
            for (part, ((usage, bytes, _), place)) in parts {
                let Some(place) = *place else { continue };
                let (channel, core) = (shape.default_channel(subgraph.core), subgraph.core);
                let wanted =
                    AllocRequest { bytes: *bytes, alignment: 0, channel, core, usage: *usage };
                let put = self.at_places.then(|| self.memory.allocate_at(wanted, place).ok());
                if let Some(dmem) = put.flatten() {
                    there.entry(at).or_default().insert(part);
                    self.take(&dmem, Owner::Part { model: index, subgraph: at, part });
                    continue;
                }
                self.load.n_moved += 1;
                if self.load.moved.len() < DESCRIBED {
                    self.load.moved.push(Moved { model: index, subgraph: at, part, place });
                }
            }
        }
        there
    }

    fn take(&mut self, dmem: &Dmem, owner: Owner) {
        if self.keep {
            self.load.taken.push(Taken::of(dmem, owner));
        }
    }

    fn fail(
        &mut self,
        (model, subgraph): (usize, Option<usize>),
        hbm: u32,
        (bytes, alignment): (u64, u64),
        what: String,
        status: Option<Status>,
    ) {
        let driver = &self.memory.driver;
        let (free_bytes, largest_free_bytes) =
            (driver.free_bytes(hbm).0, driver.largest_aligned(hbm, alignment));
        self.load.fail(Failure {
            model,
            subgraph,
            what,
            status,
            hbm,
            bytes,
            alignment,
            free_bytes,
            largest_free_bytes,
        });
    }
}

//! The scratchpad of each core as slices and variables, without memory: what each needs of it, and
//! what ends beyond 2^64, which no runtime can plan.

use std::collections::BTreeMap;

use super::layout::{SliceKind, VirtualVariable};
use super::model::{Model, ModelSubgraph, kbins_by_hbm, slice_sizes};
use super::request::LoadRequest;
use super::total::Total;
use super::variables::Kind;
use crate::dmem::HbmShape;
use crate::scratchpad::arena::pack;
use crate::scratchpad::{Group, KbinSizes, LoadError, Mode, ScratchpadError};

/// Ends beyond 2^64 that are described; others are only counted.
const DESCRIBED: usize = 16;

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

/// What ends beyond 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// Index of the subgraph in the question.
    pub subgraph: usize,
    /// The variable; `None` for a whole slice, or for one of which every variable is fine.
    pub id: Option<u32>,
    /// Offset in the scratchpad of the slice, of a variable its offset in the slice.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Beyond {
    /// Where it ends.
    pub fn end(&self) -> u128 {
        u128::from(self.offset) + u128::from(self.bytes)
    }
}

/// The virtual variables on one core.
#[derive(Clone, Debug, Default)]
pub(super) struct CorePlan {
    /// Bytes; 2^64 - 1 where they are more than that.
    pub need: u64,
    /// Whether they are.
    pub exceeds: bool,
    /// The variables of slices that begin below 2^64.
    pub variables: Vec<VirtualVariable>,
    /// The slices.
    pub slices: Vec<PlannedSlice>,
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

    fn needs(&mut self, bytes: Total) {
        self.need = self.need.max(bytes.bytes);
        self.exceeds |= bytes.exceeds;
    }
}

/// The scratchpads of all cores.
#[derive(Clone, Debug, Default)]
pub(super) struct CorePlans {
    /// Of each core that has one.
    pub cores: BTreeMap<u32, CorePlan>,
    /// Why a runtime cannot plan one of them.
    pub refused: Option<String>,
    /// What ends beyond 2^64; the first ones.
    pub beyond: Vec<Beyond>,
    /// All of it.
    pub n_beyond: u64,
}

/// Slices of one model on the cores of an HBM. Where the runtime gives up, those that begin below
/// 2^64 are here all the same.
struct Slices {
    shared: u64,
    /// Index of the core in the group, and offset.
    locals: Vec<Option<(usize, u64)>>,
    totals: Vec<Total>,
    refused: Option<LoadError>,
}

impl Slices {
    fn of(group: &Group, kbins: &[KbinSizes]) -> Self {
        let exact = |bytes: &u64| Total { bytes: *bytes, exceeds: false };
        match group.plan(kbins) {
            Ok(planned) => Self {
                shared: planned.shared.size,
                locals: planned.locals.iter().map(|one| Some((one.core, one.offset))).collect(),
                totals: planned.totals.iter().map(exact).collect(),
                refused: None,
            },
            Err(error) => Self::as_far_as_numbers_go(group, kbins, error),
        }
    }

    /// All local slices behind the shared one on the sharing core, which is the default.
    fn as_far_as_numbers_go(group: &Group, kbins: &[KbinSizes], refused: LoadError) -> Self {
        let shared = kbins.iter().map(|kbin| kbin.shared).max().unwrap_or(0);
        let (mode, page_size) =
            group.cores.first().map_or((Mode::Paged, 1), |core| (core.mode(), core.page_size()));
        let mut running = Total { bytes: shared, exceeds: false };
        let locals = kbins.iter().map(|kbin| {
            if running.exceeds {
                return None;
            }
            // Where it begins follows from its first byte and what is left of the page before it.
            let room = kbin.local.min(page_size);
            let Some((offset, _)) = pack(mode, page_size, running.bytes, room) else {
                running.add(u64::MAX);
                return None;
            };
            running = Total::end(offset, kbin.local);
            Some((0, offset))
        });
        Self { shared, locals: locals.collect(), totals: vec![running], refused: Some(refused) }
    }
}

/// The scratchpad of each core that has one.
pub(super) fn scratchpads(
    models: &[Model<'_>],
    request: &LoadRequest,
    alone: bool,
) -> Result<CorePlans, ScratchpadError> {
    let each = HbmShape::of(request.generation).cores_each;
    let mut made = CorePlans::default();
    let mut first = 0;
    for (index, model) in models.iter().enumerate() {
        for (hbm, kbins) in kbins_by_hbm(request.generation, model) {
            let sizes: Vec<_> = kbins.iter().map(|(_, sizes)| *sizes).collect();
            let slices = Slices::of(&request.group(hbm)?, &sizes);
            if let Some(error) = &slices.refused {
                made.refused.get_or_insert(error.to_string());
            }
            if !alone {
                let core = made.cores.entry(hbm * each).or_default();
                core.slice(index, None, 0, slices.shared);
            }
            for ((at, sizes), slice) in kbins.iter().zip(&slices.locals) {
                let Some(subgraph) = model.subgraphs.get(*at) else { continue };
                let on_core = |core: usize| hbm * each + u32::try_from(core).unwrap_or(0);
                let local = match slice {
                    _ if alone => Some((subgraph.core, 0)),
                    Some((core, offset)) => Some((on_core(*core), *offset)),
                    None => None,
                };
                let shared_core = if alone { subgraph.core } else { hbm * each };
                let own = VirtualBase { subgraph: first + at, local, shared: (shared_core, 0) };
                own.add(subgraph, &mut made);
                let whole = Beyond {
                    subgraph: first + at,
                    id: None,
                    offset: local.map_or(u64::MAX, |local| local.1),
                    bytes: sizes.local,
                };
                // A variable that ends beyond by itself was told of.
                let of_itself = slice_sizes(subgraph.variables).0.exceeds;
                let told = of_itself || sizes.local == 0 || slices.refused.is_none();
                if !told && whole.end() > u128::from(u64::MAX) {
                    made.beyond(whole);
                }
                let Some((local_core, offset)) = local else { continue };
                let core = made.cores.entry(local_core).or_default();
                if alone {
                    core.needs(Total { bytes: sizes.local.max(sizes.shared), exceeds: false });
                    core.slice(index, None, 0, sizes.shared);
                }
                core.slice(index, Some(first + at), offset, sizes.local);
            }
            if alone {
                continue;
            }
            for (core, total) in (0..).zip(&slices.totals) {
                made.cores.entry(hbm * each + core).or_default().needs(*total);
            }
        }
        first += model.subgraphs.len();
    }
    Ok(made)
}

impl CorePlans {
    fn beyond(&mut self, one: Beyond) {
        self.n_beyond += 1;
        if self.beyond.len() < DESCRIBED {
            self.beyond.push(one);
        }
    }
}

/// Where the slices of a subgraph begin: core and offset.
struct VirtualBase {
    subgraph: usize,
    local: Option<(u32, u64)>,
    shared: (u32, u64),
}

impl VirtualBase {
    fn add(&self, subgraph: &ModelSubgraph<'_>, plans: &mut CorePlans) {
        for variable in subgraph.variables.as_slice() {
            let Kind::Virtual { offset, shared, .. } = variable.kind else { continue };
            let own = Beyond {
                subgraph: self.subgraph,
                id: Some(variable.id),
                offset,
                bytes: variable.size,
            };
            if Total::end(offset, variable.size).exceeds {
                plans.beyond(own);
            }
            let (base, slice) = if shared {
                (Some(self.shared), SliceKind::Shared)
            } else {
                (self.local, SliceKind::Local(self.subgraph))
            };
            let Some((core, base)) = base else { continue };
            let plan = plans.cores.entry(core).or_default();
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

//! All cores of a run and the order in which things happen.
//!
//! Time goes forward to the earliest thing that can happen. At one instant the work of engines
//! ends first, in the order of their codes; then transfers, the host and other cores act in the
//! order in which they were started; then sequencers, in the order of their codes; of several cores
//! the first. A seed shuffles what happens at one instant.
//! Spec: docs/format/simulator.md "Order" [modelled].

use device_image::Generation;
use device_image::address_map::AddressMap;
use records::Engine;

use crate::address::Addresses;
use crate::core::{Core, Crossing, LATER, Out, Pending, Phase, Remark, SEQUENCERS, Shared};
use crate::event::{Digest, Sink};
use crate::fault::{Fault, FaultKind};
use crate::gate::SyncId;
use crate::host;
use crate::input::{CoreInput, Setting, WhatIf};
use crate::op::{Op, Program};
use crate::timing::Timing;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All inferences are done, or every engine reached the end of MAIN.
    Finished,
    /// Nothing can happen any more, and not everything is done.
    Deadlock,
    /// A record cannot run.
    Fault(Fault),
    /// The steps that were allowed are used up.
    Budget,
}

impl Outcome {
    /// `finished`, `deadlock`, `fault` or `budget`.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Deadlock => "deadlock",
            Self::Fault(_) => "fault",
            Self::Budget => "budget",
        }
    }
}

/// Cores that run together.
pub struct Machine<'a> {
    pub(crate) shared: Shared<'a>,
    pub(crate) cores: Vec<Core>,
    names: Vec<(String, u32)>,
    digest: Digest,
    remarks: Vec<Remark>,
    sequence: u64,
    steps: u64,
    max_events: u64,
    shuffle: Option<u64>,
}

/// Transfers and posts of a core that can be under way: a bound of ours on memory, far above what a
/// queue of any real file has blocks.
const MAX_LATER: usize = 1 << 18;

/// Bytes of a state buffer partition that an operand may touch.
/// Spec: docs/format/streams.md "Addresses" [observed].
const fn partition_bytes(generation: Generation) -> i64 {
    match generation {
        Generation::Sunda => 0x3_0000,
        Generation::Cayman | Generation::Mariana => 0x3_8000,
    }
}

impl<'a> Machine<'a> {
    /// Cores before anything ran. All are of one generation: that of the first counts.
    pub fn new(inputs: &[CoreInput<'a>], timing: &Timing, setting: &Setting) -> Self {
        let generation = inputs.first().map_or(Generation::Cayman, |input| input.generation);
        let timing = timing.of(generation).clone();
        let mut programs: Vec<Program<'a>> = Vec::new();
        let mut cores = Vec::with_capacity(inputs.len());
        let mut names = Vec::with_capacity(inputs.len());
        for (index, input) in inputs.iter().enumerate() {
            // Ranks that run the same image share its decoded form.
            let numbers = input.engines.map(|engine| {
                let same = |known: &Program<'_>| {
                    std::ptr::eq(known.image, engine.image) && known.base == engine.base
                };
                programs.iter().position(same).unwrap_or_else(|| {
                    let room = partition_bytes(generation);
                    programs.push(Program::decode(engine, &timing, room));
                    programs.len() - 1
                })
            });
            let start = setting.what_if.iter().map(|what| match what {
                WhatIf::Delay { subgraph, ns } if *subgraph == input.name => {
                    ns.saturating_mul(1000)
                }
                _ => 0,
            });
            let addresses = (input.core, Addresses::new(generation, input.core));
            let mut core =
                Core::new(index, addresses, numbers, input.queues.clone(), start.sum::<u64>());
            core.has_peer =
                inputs.iter().any(|other| other.rank == input.rank && other.core == input.core ^ 1);
            break_on_purpose(&mut core, input.name, &setting.what_if);
            cores.push(core);
            names.push((input.name.to_owned(), input.rank));
        }
        Self {
            shared: Shared {
                programs,
                timing,
                map: AddressMap::new(generation),
                inferences: setting.inferences.max(1),
                until_main_end: setting.until_main_end,
            },
            cores,
            names,
            digest: Digest::default(),
            remarks: Vec::new(),
            sequence: 0,
            steps: 0,
            max_events: setting.max_events,
            shuffle: setting.seed,
        }
    }

    /// Runs to the end.
    pub fn run<S: Sink>(&mut self, sink: &mut S) -> Outcome {
        self.advance(sink, u64::MAX).unwrap_or(Outcome::Budget)
    }

    /// Runs so many steps more; `None` if there is still something to do.
    pub fn advance<S: Sink>(&mut self, sink: &mut S, steps: u64) -> Option<Outcome> {
        let until = self.steps.saturating_add(steps);
        loop {
            let Some((index, limit)) = self.earliest() else {
                return Some(self.at_rest());
            };
            let mut out = Out {
                sink: &mut *sink,
                digest: &mut self.digest,
                crossing: Vec::new(),
                sequence: self.sequence,
                remarks: std::mem::take(&mut self.remarks),
            };
            let core = self.cores.get_mut(index)?;
            let mut result = Ok(());
            loop {
                if self.steps >= self.max_events || self.steps >= until {
                    break;
                }
                let (time, part) = match self.shuffle.as_mut() {
                    None => core.next(),
                    Some(state) => shuffled(core, state),
                };
                if time == u64::MAX || time > limit {
                    break;
                }
                self.steps += 1;
                core.now = time;
                result = dispatch(core, &self.shared, part, time, &mut out);
                // At the limit another core may be first; one step of each keeps to the order.
                if result.is_err() || !out.crossing.is_empty() || time == limit {
                    break;
                }
            }
            let crossing = std::mem::take(&mut out.crossing);
            self.sequence = out.sequence;
            self.remarks = out.remarks;
            if let Err((engine, slot, kind)) = result {
                return Some(Outcome::Fault(Fault { core: index, engine, slot, kind }));
            }
            self.deliver(index, &crossing, sink);
            if self.steps >= self.max_events {
                return Some(Outcome::Budget);
            }
            if self.steps >= until {
                return None;
            }
        }
    }

    /// The core that acts next, and the time up to which it may go on alone. `None` if no core has
    /// anything to do.
    fn earliest(&mut self) -> Option<(usize, u64)> {
        let mut first = (u64::MAX, 0);
        let mut second = u64::MAX;
        let mut ties = 1;
        for (index, core) in self.cores.iter().enumerate() {
            let (time, _) = core.next();
            if time < first.0 {
                second = first.0;
                first = (time, index);
                ties = 1;
            } else {
                if time == first.0 && time != u64::MAX {
                    ties += 1;
                    // The seed picks one of the cores of this instant.
                    if let Some(state) = self.shuffle.as_mut()
                        && next_random(state).is_multiple_of(ties)
                    {
                        first.1 = index;
                    }
                }
                second = second.min(time);
            }
        }
        (first.0 != u64::MAX).then_some((first.1, second))
    }

    fn deliver<S: Sink>(&mut self, from: usize, crossing: &[Crossing], sink: &mut S) {
        let Some(rank) = self.names.get(from).map(|(_, rank)| *rank) else { return };
        for post in crossing {
            let same_rank = |index: usize| self.names.get(index).is_some_and(|name| name.1 == rank);
            let to = (0..self.cores.len()).find(|index| {
                same_rank(*index) && self.cores.get(*index).is_some_and(|c| c.physical == post.to)
            });
            let Some(core) = to.and_then(|to| self.cores.get_mut(to)) else { continue };
            let mut out = Out {
                sink: &mut *sink,
                digest: &mut self.digest,
                crossing: Vec::new(),
                sequence: self.sequence,
                remarks: Vec::new(),
            };
            let Crossing { time, effect, actor, slot, .. } = *post;
            core.push(time, Pending::Effect { effect, actor, slot }, &mut out);
            self.sequence = out.sequence;
        }
    }

    /// Nothing can happen any more: is everything done?
    fn at_rest(&self) -> Outcome {
        let done = self.cores.iter().all(|core| {
            let rings_rest = core.rings.iter().all(|rings| rings.in_flight == 0);
            rings_rest && Engine::ALL.into_iter().all(|engine| self.is_done(core, engine))
        });
        if done { Outcome::Finished } else { Outcome::Deadlock }
    }

    /// Whether an engine is where a finished run leaves it.
    pub(crate) fn is_done(&self, core: &Core, engine: Engine) -> bool {
        let state = core.engine_ref(engine);
        if self.shared.until_main_end {
            return state.phase == Phase::Done;
        }
        let at_gate = self.op(core, engine).is_some_and(|op| host::is_gate(engine, op));
        let program = self.shared.programs.get(state.program);
        let before_main = program.is_some_and(|program| state.pc < program.main_start);
        state.phase == Phase::Waiting
            && at_gate
            && before_main
            && core.done >= self.shared.inferences
    }

    /// The record that an engine is at.
    pub(crate) fn op(&self, core: &Core, engine: Engine) -> Option<&Op> {
        let state = core.engine_ref(engine);
        self.shared.programs.get(state.program)?.ops.get(state.pc as usize)
    }

    /// The program of an engine.
    pub(crate) fn program(&self, core: &Core, engine: Engine) -> Option<&Program<'a>> {
        self.shared.programs.get(core.engine_ref(engine).program)
    }

    /// Number of cores.
    pub fn n_cores(&self) -> usize {
        self.cores.len()
    }

    /// Subgraph and rank of a core.
    pub fn name(&self, core: usize) -> (&str, u32) {
        self.names.get(core).map_or(("", 0), |(name, rank)| (name.as_str(), *rank))
    }

    /// Value of an event or semaphore of a core.
    pub fn state(&self, core: usize, id: SyncId) -> i32 {
        self.cores.get(core).map_or(0, |core| core.state(id))
    }

    /// Time of the last thing that happened, ps.
    pub fn time_ps(&self) -> u64 {
        self.cores.iter().map(|core| core.now).max().unwrap_or(0)
    }

    /// Scheduler steps so far.
    pub const fn steps(&self) -> u64 {
        self.steps
    }

    /// Device slots completed on all engines.
    pub fn instructions(&self) -> u64 {
        let engines = self.cores.iter().flat_map(|core| &core.engines);
        engines.map(|engine| engine.instructions).sum()
    }

    /// Counts and hash of the events.
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }

    /// What was odd but did not end the run.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }
}

/// Engine, slot and reason of a fault.
type Failed = (Engine, u32, FaultKind);

fn dispatch<S: Sink>(
    core: &mut Core,
    shared: &Shared<'_>,
    part: usize,
    now: u64,
    out: &mut Out<'_, S>,
) -> Result<(), Failed> {
    let wake = u64::from(shared.timing.wire.semaphore_ns) * 1000;
    if let Some(engine) = part.checked_sub(SEQUENCERS).and_then(engine_of) {
        let slot = core.engine(engine).pc;
        let result = core.sequencer(shared, engine, now, out);
        if result.is_ok() && core.later.len() > MAX_LATER {
            return Err((engine, slot, FaultKind::Backlog(MAX_LATER)));
        }
        return result.map_err(|kind| (engine, core.engine(engine).pc, kind));
    }
    if part != LATER {
        let engine = engine_of(part).unwrap_or(Engine::Pe);
        let result = core.pipe(shared, engine, now, out);
        return result.map_err(|kind| (engine, core.engine(engine).pipe_slot, kind));
    }
    match core.pop() {
        None => Ok(()),
        Some(Pending::Transfer { queue, block, rings }) => {
            let owner = core.queues.get(usize::from(queue)).map_or(Engine::Pe, |q| q.owner);
            let result = core.end_block(shared, (queue, block, rings), now, out);
            result.map_err(|kind| (owner, core.engine(owner).pc, kind))
        }
        Some(Pending::Effect { effect, actor, slot }) => {
            let result = core.apply(&effect, effect.value, (actor, slot), now, wake, out);
            let engine = actor.as_engine().unwrap_or(Engine::Pe);
            result.map_err(|kind| (engine, slot, kind))
        }
        Some(Pending::Collective { engine, number }) => {
            core.end_collective(engine, number, now, out);
            Ok(())
        }
    }
}

fn engine_of(index: usize) -> Option<Engine> {
    Engine::from_code(u8::try_from(index).ok()?)
}

fn break_on_purpose(core: &mut Core, name: &str, what_if: &[WhatIf]) {
    for what in what_if {
        match what {
            WhatIf::StallRing { queue, ring } => {
                let at = core.queues.iter().position(|one| one.name == *queue);
                if let Some(rings) = at.and_then(|at| core.rings.get_mut(at)) {
                    rings.stalled |= 1_u16.checked_shl((*ring).into()).unwrap_or(0);
                }
            }
            WhatIf::DropPost { subgraph, event, id, nth } => {
                if subgraph.as_deref().is_none_or(|wanted| wanted == name) {
                    let of = if *event { SyncId::event(*id) } else { SyncId::semaphore(*id) };
                    core.drops.push((of, nth.saturating_sub(1)));
                }
            }
            WhatIf::Delay { .. } => {}
        }
    }
}

/// One of the parts that act at the earliest instant of a core.
fn shuffled(core: &Core, state: &mut u64) -> (u64, usize) {
    let (time, first) = core.next();
    let tied = || (0..core.keys.len()).filter(|at| core.keys.get(*at) == Some(&time));
    let count = tied().count() as u64;
    if time == u64::MAX || count < 2 {
        return (time, first);
    }
    let chosen = next_random(state) % count;
    (time, tied().nth(usize::try_from(chosen).unwrap_or(0)).unwrap_or(first))
}

/// The next number of a seeded sequence (SplitMix64).
const fn next_random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

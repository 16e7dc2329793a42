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
use crate::fabric::{self, Delays, Disagreement, Fabric};
use crate::fault::{Fault, FaultKind};
use crate::gate::SyncId;
use crate::input::{CoreInput, Setting, WhatIf};
use crate::op::{Op, Program};
use crate::parts::{Remarks, mixed};
use crate::timing::Timing;
use crate::what_if::{break_on_purpose, is_of, link_losses};

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
    pub(crate) fabric: Fabric,
    names: Vec<(String, u32)>,
    digest: Digest,
    remarks: Remarks,
    sequence: u64,
    steps: u64,
    max_events: u64,
    shuffle: Option<u64>,
    seed: Option<u64>,
}

/// Transfers and posts of a core that can be under way: a bound of ours on memory, far above what a
/// queue of any real file has blocks.
const MAX_LATER: usize = 1 << 18;

/// In place of the index of a core: the TOP_SPs of all.
const FABRIC: usize = usize::MAX;

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
                WhatIf::Delay { rank, subgraph, ns }
                    if is_of(input, *rank, subgraph.as_deref()) =>
                {
                    ns.saturating_mul(1000)
                }
                _ => 0,
            });
            let addresses = (input.core, Addresses::new(generation, input.core));
            let mut core =
                Core::new(index, addresses, numbers, input.queues.clone(), start.sum::<u64>());
            core.has_peer =
                inputs.iter().any(|other| other.rank == input.rank && other.core == input.core ^ 1);
            core.table.clone_from(&input.table);
            core.collective_counts = vec![[0; 2]; input.collectives.len()];
            core.collective_slots = vec![0; input.collectives.len()];
            let records = input.collectives.iter().map(|one| (one.engine.code(), one.ip.get()));
            core.collectives = records.zip(0..).collect();
            break_on_purpose(&mut core, input, &setting.what_if);
            cores.push(core);
            names.push((input.name.to_owned(), input.rank));
        }
        let delays = Delays {
            link: timing.link,
            post_ps: u64::from(timing.wire.remote_ns) * 1000,
            trigger_ps: u64::from(timing.wire.semaphore_ns) * 1000,
        };
        let mut fabric = Fabric::new(names.clone(), delays, setting.seed);
        for (core, input) in inputs.iter().enumerate() {
            fabric.stage(core, &input.collectives, &input.top_sps);
        }
        fabric.drops = link_losses(&setting.what_if);
        Self {
            fabric,
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
            remarks: Remarks::default(),
            sequence: 0,
            steps: 0,
            max_events: setting.max_events,
            shuffle: setting.seed,
            seed: setting.seed,
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
            if index == FABRIC {
                if self.steps >= self.max_events {
                    return Some(Outcome::Budget);
                }
                self.steps += 1;
                if let Some(outcome) = self.collectives(sink) {
                    return Some(outcome);
                }
                if self.steps >= until {
                    return None;
                }
                continue;
            }
            let mut out = Out {
                sink: &mut *sink,
                digest: &mut self.digest,
                crossing: Vec::new(),
                started: Vec::new(),
                sequence: self.sequence,
                remarks: &mut self.remarks,
                shuffle: self.seed,
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
                let leaves = !out.crossing.is_empty() || !out.started.is_empty();
                if result.is_err() || leaves || time == limit {
                    break;
                }
            }
            let crossing = std::mem::take(&mut out.crossing);
            let started = std::mem::take(&mut out.started);
            self.sequence = out.sequence;
            if let Err((engine, slot, kind)) = result {
                return Some(Outcome::Fault(Fault { core: index, engine, slot, kind }));
            }
            for (collective, time) in started {
                self.fabric.trigger(index, collective, time);
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
        // What TOP_SPs do at an instant comes before what cores do.
        let fabric = self.fabric.next();
        if fabric <= first.0 {
            return (fabric != u64::MAX).then_some((FABRIC, fabric));
        }
        Some((first.1, second.min(fabric)))
    }

    /// The next thing that happens between TOP_SPs; the outcome if it ends the run.
    fn collectives<S: Sink>(&mut self, sink: &mut S) -> Option<Outcome> {
        let done = match self.fabric.step(sink, &mut self.digest) {
            Ok(done) => done,
            Err(disagreement) => return Some(self.disagreement(disagreement)),
        };
        let now = self.fabric.now;
        for (core, collective) in done {
            let Some(core) = self.cores.get_mut(core) else { continue };
            let mut out = Out {
                sink: &mut *sink,
                digest: &mut self.digest,
                crossing: Vec::new(),
                started: Vec::new(),
                sequence: self.sequence,
                remarks: &mut self.remarks,
                shuffle: self.seed,
            };
            core.collective_done(collective, now, &mut out);
            self.sequence = out.sequence;
        }
        None
    }

    fn disagreement(&self, of: Disagreement) -> Outcome {
        let what = |(core, at): (usize, usize)| {
            let one = self.fabric.collectives.get(core).and_then(|all| all.get(at));
            one.map_or_else(String::new, |one| one.what.clone())
        };
        let (core, at) = of.second;
        let one = self.fabric.collectives.get(core).and_then(|all| all.get(at));
        let slots = self.cores.get(core).map(|core| core.collective_slots.as_slice());
        let kind = FaultKind::RanksDisagree {
            here: what(of.second),
            rank: self.name(of.first.0).1,
            there: what(of.first),
        };
        Outcome::Fault(Fault {
            core,
            engine: one.map_or(Engine::Pe, |one| one.engine),
            slot: slots.and_then(|slots| slots.get(at)).copied().unwrap_or(0),
            kind,
        })
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
                started: Vec::new(),
                sequence: self.sequence,
                remarks: &mut self.remarks,
                shuffle: self.seed,
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
        let rest = self.fabric.walkers.iter().all(|one| one.phase == fabric::Phase::Idle);
        if done && rest { Outcome::Finished } else { Outcome::Deadlock }
    }

    /// Whether an engine is where a finished run leaves it.
    pub(crate) fn is_done(&self, core: &Core, engine: Engine) -> bool {
        let state = core.engine_ref(engine);
        if self.shared.until_main_end {
            return state.phase == Phase::Done;
        }
        // PE tells when an inference is done; others can be through with it before.
        let through = core.done.max(state.gates_passed.saturating_add(1));
        state.phase == Phase::Waiting
            && through >= self.shared.inferences
            && self.is_at_gate(core, engine)
    }

    /// Whether an engine is where it waits between two inferences.
    pub(crate) fn is_at_gate(&self, core: &Core, engine: Engine) -> bool {
        self.op(core, engine).is_some_and(|op| core.is_at_gate(&self.shared, engine, op))
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
        self.cores.iter().map(|core| core.now).max().unwrap_or(0).max(self.fabric.now)
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
        &self.remarks.list
    }

    /// Odd things that are not among [`Self::remarks`], since there are too many.
    pub const fn more_remarks(&self) -> u64 {
        self.remarks.more
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
        if result.is_ok() && core.later.len() + core.after.len() > MAX_LATER {
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
        Some(Pending::Collective { number, .. }) => {
            core.end_collective(number, now, out);
            Ok(())
        }
    }
}

fn engine_of(index: usize) -> Option<Engine> {
    Engine::from_code(u8::try_from(index).ok()?)
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
    mixed(*state)
}

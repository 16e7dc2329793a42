//! What a core is made of while it runs: engines, events and semaphores, and what happens later.

use std::collections::BTreeMap;

use records::Engine;

use crate::event::Actor;
use crate::gate::{Effect, SyncId};

/// A post to another core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Crossing {
    /// Physical core that is written to.
    pub to: u32,
    /// When it arrives.
    pub time: u64,
    /// What it does.
    pub effect: Effect,
    /// Who wrote.
    pub actor: Actor,
    /// Its slot.
    pub slot: u32,
}

/// Something odd that does not end a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// 0-based core.
    pub core: usize,
    /// Engine, if one did it.
    pub engine: Option<Engine>,
    /// Its slot, where it happened first.
    pub slot: u32,
    /// What.
    pub kind: RemarkKind,
    /// How often it happened, at least 1.
    pub times: u64,
}

/// What is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// A set event is set, or a clear one cleared: an error of the hardware.
    EventTwice(SyncId),
    /// A queue is reset while a transfer of it is under way.
    ResetInFlight(u8),
    /// A post was left out on purpose.
    Dropped(SyncId),
    /// A record of this operation code ran without its effect, which no model knows.
    NotModelled(u8),
}

/// Different remarks that are kept.
const MOST_REMARKS: usize = 1_000;

/// What was odd in a run: each thing once, with how often it happened.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    /// In the order in which they happened first.
    pub list: Vec<Remark>,
    /// Things that are not in the list, since it is full.
    pub more: u64,
    known: BTreeMap<(usize, RemarkKind, Option<Engine>, u32), usize>,
}

impl Remarks {
    /// Keeps that something happened.
    pub fn add(&mut self, core: usize, engine: Option<Engine>, slot: u32, kind: RemarkKind) {
        // A reset takes several writes; what a code lacks is the same at each of its records.
        let key = match kind {
            RemarkKind::ResetInFlight(_) => (core, kind, None, 0),
            RemarkKind::NotModelled(_) => (core, kind, engine, 0),
            RemarkKind::EventTwice(_) | RemarkKind::Dropped(_) => (core, kind, engine, slot),
        };
        if let Some(known) = self.known.get(&key).and_then(|at| self.list.get_mut(*at)) {
            known.times += 1;
        } else if self.list.len() < MOST_REMARKS {
            self.known.insert(key, self.list.len());
            self.list.push(Remark { core, engine, slot, kind, times: 1 });
        } else {
            self.more += 1;
        }
    }
}

/// Something that happens later.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pending {
    /// A block has moved on some rings.
    Transfer { queue: u8, block: u32, rings: u16 },
    /// An effect from somewhere else.
    Effect { effect: Effect, actor: Actor, slot: u32 },
    /// A collective of an engine ends.
    Collective { engine: Engine, number: u32 },
}

/// Order of things that happen later.
pub(crate) struct Later {
    pub time: u64,
    /// Order of sources at one instant: 0 unless it is shuffled.
    pub turn: u64,
    pub sequence: u64,
    pub what: Pending,
}

impl Pending {
    /// A number for whoever causes it; what one of them causes keeps its order.
    pub fn source(&self) -> u64 {
        match self {
            Self::Transfer { queue, .. } => u64::from(*queue) << 32,
            Self::Effect { actor, slot, .. } => {
                let slot = if actor.as_engine().is_some() { 0 } else { u64::from(*slot) };
                u64::from(actor.0) + 1 + (slot << 32)
            }
            Self::Collective { engine, .. } => u64::from(engine.code()) << 16,
        }
    }
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.turn, self.sequence) == (other.time, other.turn, other.sequence)
    }
}

impl Eq for Later {}

impl PartialOrd for Later {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Later {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.turn, self.sequence).cmp(&(other.time, other.turn, other.sequence))
    }
}

/// How far an engine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It runs.
    Running,
    /// Its record waits.
    Waiting,
    /// It stopped at a HALT.
    Halted,
    /// It reached the end of MAIN and was told to stop there.
    Done,
}

/// An engine while it runs.
pub(crate) struct EngineState {
    pub program: usize,
    pub pc: u32,
    pub phase: Phase,
    pub registers: [u32; 256],
    /// Since when its record waits, ps.
    pub since: u64,
    /// When the engine's work is done, ps.
    pub pipe_free: u64,
    /// Updates at that time, with the slot they belong to.
    pub pipe: [Option<Effect>; 2],
    pub pipe_slot: u32,
    /// Updates of the sequencer's last record, and its slot.
    pub pending: [Option<Effect>; 2],
    pub pending_slot: u32,
    /// Whether the run register was written, so that a HALT goes on.
    pub run_written: bool,
    /// When the last collective is done, ps, and its number.
    pub collective_done: u64,
    pub collectives: u32,
    /// The planned collective that it started last.
    pub last_collective: Option<usize>,
    /// How often it passed the gate of an inference. The first inference has none.
    pub gates_passed: u32,
    pub instructions: u64,
    pub busy_ps: u64,
    pub waited_ps: u64,
}

/// What changed an event or semaphore last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// When, ps.
    pub time: u64,
    /// Who.
    pub actor: Actor,
    /// Slot of an engine.
    pub slot: u32,
}

/// Events and semaphores.
pub(crate) struct SyncFile {
    pub values: [i32; SyncId::COUNT],
    /// Engines that wait for each, a bit each.
    pub waiters: [u8; SyncId::COUNT],
    pub last: [Option<LastChange>; SyncId::COUNT],
    pub posts: [u32; SyncId::COUNT],
}

/// An inference as notifications tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InferenceTime {
    /// First notification of phase 2, ps.
    pub start_ps: Option<u64>,
    /// Last notification of phase 3, ps.
    pub end_ps: Option<u64>,
}

/// A post to leave out on purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss<T> {
    /// What is posted to, or who posts.
    pub of: T,
    /// Which of its posts: 1 is the first.
    pub nth: u64,
    /// How many came so far.
    pub came: u64,
    /// Place among the choices of the run.
    pub choice: usize,
}

impl<T: PartialEq> Loss<T> {
    /// Whether the post was left out.
    pub const fn is_done(&self) -> bool {
        self.came >= self.nth
    }

    /// Counts a post; whether one of the losses is this one.
    pub fn take(losses: &mut [Self], of: &T) -> bool {
        let mut lost = false;
        for one in losses.iter_mut().filter(|one| one.of == *of && !one.is_done()) {
            one.came += 1;
            lost |= one.is_done();
        }
        lost
    }
}

/// An update that waits for the end of a collective.
#[derive(Clone, Copy, Debug)]
pub(crate) struct After {
    /// Collective of the core.
    pub collective: usize,
    /// How often it is done then.
    pub count: u64,
    /// The update.
    pub effect: Effect,
    /// Who makes it.
    pub actor: Actor,
    /// Its slot.
    pub slot: u32,
}

impl EngineState {
    pub const fn new(program: usize) -> Self {
        Self {
            program,
            pc: 0,
            phase: Phase::Running,
            registers: [0; 256],
            since: 0,
            pipe_free: 0,
            pipe: [None; 2],
            pipe_slot: 0,
            pending: [None; 2],
            pending_slot: 0,
            run_written: false,
            collective_done: 0,
            collectives: 0,
            last_collective: None,
            gates_passed: 0,
            instructions: 0,
            busy_ps: 0,
            waited_ps: 0,
        }
    }
}

/// A number that looks like chance (the end of SplitMix64).
pub(crate) const fn mixed(number: u64) -> u64 {
    let mixed = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ mixed >> 31
}

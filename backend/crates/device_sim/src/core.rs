//! One core: its events and semaphores, its engines, and what is under way.

use device_image::address_map::AddressMap;
use records::Engine;
use records::sync_mode::UpdateKind;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::address::Addresses;
use crate::event::{Actor, Digest, Event, EventKind, Sink};
use crate::fault::FaultKind;
use crate::gate::{Effect, SyncId};
use crate::input::Queue;
use crate::op::Program;
use crate::rings::Rings;
use crate::timing::GenerationTiming;

/// What all cores share while they run.
pub(crate) struct Shared<'a> {
    /// Decoded images.
    pub programs: Vec<Program<'a>>,
    /// Timing of the generation.
    pub timing: GenerationTiming,
    /// Address map of the generation.
    pub map: AddressMap,
    /// Inferences.
    pub inferences: u32,
    /// Whether engines stop at the end of MAIN.
    pub until_main_end: bool,
}

/// Where events go, and what leaves a core.
pub(crate) struct Out<'s, S> {
    /// Receiver of events.
    pub sink: &'s mut S,
    /// Their digest.
    pub digest: &'s mut Digest,
    /// Posts to other cores of the run.
    pub crossing: Vec<Crossing>,
    /// Number of the next thing put off; later ones of an instant come later.
    pub sequence: u64,
    /// What was odd while running.
    pub remarks: Vec<Remark>,
}

impl<S: Sink> Out<'_, S> {
    /// Writes an event down.
    #[inline]
    pub fn event(&mut self, event: Event) {
        self.digest.add(&event);
        self.sink.event(event);
    }
}

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
    /// Its slot.
    pub slot: u32,
    /// What.
    pub kind: RemarkKind,
}

/// What is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkKind {
    /// A set event is set, or a clear one cleared: an error of the hardware.
    EventTwice(SyncId),
    /// A queue is reset while a transfer of it is under way.
    ResetInFlight(u8),
    /// A post was left out on purpose.
    Dropped(SyncId),
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
    pub sequence: u64,
    pub what: Pending,
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.sequence) == (other.time, other.sequence)
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
        (self.time, self.sequence).cmp(&(other.time, other.sequence))
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

/// Places of the keys of a core: pipes, things that happen later, sequencers. At one instant the
/// first goes first.
pub(crate) const LATER: usize = 5;
pub(crate) const SEQUENCERS: usize = 6;
const KEYS: usize = 11;

/// A core while it runs.
pub(crate) struct Core {
    /// 0-based core of the run.
    pub index: usize,
    /// Physical core.
    pub physical: u32,
    /// Whether the peer core runs too.
    pub has_peer: bool,
    pub addresses: Addresses,
    pub sync: SyncFile,
    pub engines: [EngineState; 5],
    pub queues: Vec<Queue>,
    pub rings: Vec<Rings>,
    /// Rings that are set up by engines for their tables, and those of the host: (engine, side).
    pub side_posts: [[u64; 2]; 5],
    pub later: BinaryHeap<Reverse<Later>>,
    /// When each part acts next, ps.
    pub keys: [u64; KEYS],
    /// What was stored at addresses.
    pub memory: BTreeMap<u64, u32>,
    /// Inferences by the notifications of PE.
    pub inferences: Vec<InferenceTime>,
    /// Inferences that are done.
    pub done: u32,
    /// Posts to leave out: what, and how many come before it.
    pub drops: Vec<(SyncId, u64)>,
    /// When the last thing happened, ps.
    pub now: u64,
}

impl EngineState {
    fn new(program: usize) -> Self {
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
            instructions: 0,
            busy_ps: 0,
            waited_ps: 0,
        }
    }
}

impl Core {
    /// A core whose engines run these programs from a time on.
    pub fn new(
        index: usize,
        addresses: (u32, Addresses),
        programs: [usize; 5],
        queues: Vec<Queue>,
        start: u64,
    ) -> Self {
        let mut keys = [u64::MAX; KEYS];
        for key in keys.iter_mut().skip(SEQUENCERS) {
            *key = start;
        }
        Self {
            index,
            physical: addresses.0,
            has_peer: false,
            addresses: addresses.1,
            sync: SyncFile {
                values: [0; SyncId::COUNT],
                waiters: [0; SyncId::COUNT],
                last: [None; SyncId::COUNT],
                posts: [0; SyncId::COUNT],
            },
            engines: programs.map(EngineState::new),
            rings: queues.iter().map(Rings::new).collect(),
            queues,
            side_posts: [[0; 2]; 5],
            later: BinaryHeap::new(),
            keys,
            memory: BTreeMap::new(),
            inferences: Vec::new(),
            done: 0,
            drops: Vec::new(),
            now: 0,
        }
    }

    /// When something happens next, and which part acts: the first of equals.
    #[inline]
    pub fn next(&self) -> (u64, usize) {
        let mut best = (u64::MAX, 0);
        for (at, key) in self.keys.iter().enumerate() {
            if *key < best.0 {
                best = (*key, at);
            }
        }
        best
    }

    pub fn engine(&mut self, engine: Engine) -> &mut EngineState {
        engine.of_mut(&mut self.engines)
    }

    pub fn engine_ref(&self, engine: Engine) -> &EngineState {
        engine.of(&self.engines)
    }

    #[inline]
    pub fn set_key(&mut self, at: usize, time: u64) {
        if let Some(key) = self.keys.get_mut(at) {
            *key = time;
        }
    }

    /// Puts something off.
    pub fn push<S: Sink>(&mut self, time: u64, what: Pending, out: &mut Out<'_, S>) {
        out.sequence += 1;
        self.later.push(Reverse(Later { time, sequence: out.sequence, what }));
        let first = self.later.peek().map_or(u64::MAX, |later| later.0.time);
        self.set_key(LATER, first);
    }

    /// The next thing that was put off.
    pub fn pop(&mut self) -> Option<Pending> {
        let later = self.later.pop();
        let first = self.later.peek().map_or(u64::MAX, |later| later.0.time);
        self.set_key(LATER, first);
        later.map(|later| later.0.what)
    }

    /// State of an event or semaphore.
    #[inline]
    pub fn state(&self, id: SyncId) -> i32 {
        self.sync.values.get(id.index()).copied().unwrap_or(0)
    }

    /// Changes an event or semaphore and wakes who waits for it. `value` is that of the effect,
    /// register values resolved.
    pub fn apply<S: Sink>(
        &mut self,
        effect: &Effect,
        value: u32,
        by: (Actor, u32),
        now: u64,
        wake_ps: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let id = effect.id;
        let (actor, slot) = by;
        if !self.drops.is_empty() && self.is_dropped(id) {
            let engine = actor.as_engine();
            let kind = RemarkKind::Dropped(id);
            out.remarks.push(Remark { core: self.index, engine, slot, kind });
            return Ok(());
        }
        let before = self.state(id);
        let after = match effect.kind {
            UpdateKind::EventSet | UpdateKind::EventClear => {
                let set = i32::from(effect.kind == UpdateKind::EventSet);
                if before == set && out.remarks.len() < 1000 {
                    let engine = actor.as_engine();
                    let kind = RemarkKind::EventTwice(id);
                    out.remarks.push(Remark { core: self.index, engine, slot, kind });
                }
                Some(set)
            }
            UpdateKind::Increment => before.checked_add(1),
            UpdateKind::Decrement => before.checked_sub(1),
            UpdateKind::Add => i64_in_range(i64::from(before) + i64::from(value as i32)),
            UpdateKind::Subtract => i64_in_range(i64::from(before) - i64::from(value as i32)),
            UpdateKind::Write => Some(value as i32),
        };
        let after = after.ok_or(FaultKind::SemaphoreRange(id))?;
        self.set_state(id, after, by, now, wake_ps, out);
        Ok(())
    }

    /// Sets the state, writes the event down and wakes who waits.
    pub fn set_state<S: Sink>(
        &mut self,
        id: SyncId,
        after: i32,
        (actor, slot): (Actor, u32),
        now: u64,
        wake_ps: u64,
        out: &mut Out<'_, S>,
    ) {
        let at = id.index();
        if let Some(value) = self.sync.values.get_mut(at) {
            *value = after;
        }
        if let Some(last) = self.sync.last.get_mut(at) {
            *last = Some(LastChange { time: now, actor, slot });
        }
        if let Some(posts) = self.sync.posts.get_mut(at) {
            *posts = posts.saturating_add(1);
        }
        let kind = match (id.is_event(), after != 0) {
            (false, _) => EventKind::Semaphore,
            (true, true) => EventKind::EventSet,
            (true, false) => EventKind::EventClear,
        };
        let b = after as u32;
        out.event(Event { time_ps: now, actor, kind, slot, a: id.id().into(), b: b.into() });
        let Some(waiters) = self.sync.waiters.get_mut(at) else { return };
        let woken = std::mem::take(waiters);
        if woken != 0 {
            for engine in 0..5 {
                if woken >> engine & 1 == 1
                    && self.engines.get(engine).is_some_and(|e| e.phase == Phase::Waiting)
                    && let Some(key) = self.keys.get_mut(SEQUENCERS + engine)
                {
                    *key = (*key).min(now.saturating_add(wake_ps));
                }
            }
        }
    }

    /// Whether this post is the one to leave out.
    fn is_dropped(&mut self, id: SyncId) -> bool {
        for (of, before) in &mut self.drops {
            if *of == id && *before != u64::MAX {
                if *before == 0 {
                    *before = u64::MAX;
                    return true;
                }
                *before -= 1;
            }
        }
        false
    }
}

fn i64_in_range(value: i64) -> Option<i32> {
    i32::try_from(value).ok()
}

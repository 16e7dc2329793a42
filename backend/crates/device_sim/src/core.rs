//! One core: its events and semaphores, its engines, and what is under way.

use device_image::address_map::AddressMap;
use records::Engine;
use records::sync_mode::UpdateKind;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::address::Addresses;
use crate::event::{self, Access, Actor, Digest, Event, EventKind, Sink, Touch};
use crate::fault::FaultKind;
use crate::gate::{Effect, SyncId};
use crate::input::Queue;
use crate::op::Program;
use crate::parts::mixed;
pub(crate) use crate::parts::{
    After, Crossing, EngineState, Later, Loss, Pending, Remarks, SyncFile,
};
pub use crate::parts::{InferenceTime, LastChange, Phase, Remark, RemarkKind};
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
    /// Collectives that were started, by index, and when.
    pub started: Vec<(usize, u64)>,
    /// Number of the next thing put off; later ones of an instant come later.
    pub sequence: u64,
    /// What was odd while running.
    pub remarks: &'s mut Remarks,
    /// Shuffles who of several goes first at one instant; the stated order if `None`.
    pub shuffle: Option<u64>,
}

impl<S: Sink> Out<'_, S> {
    /// Writes an event down.
    #[inline]
    pub fn event(&mut self, event: Event) {
        self.digest.add(&event);
        self.sink.event(event);
    }
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
    /// Variable ids in the list of the table variable.
    pub table: Vec<u32>,
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
    /// Collectives by the records that start them: engine code and NEFF IP.
    pub collectives: BTreeMap<(u8, u32), usize>,
    /// How often each was started and is done, and the slot that started it last.
    pub collective_counts: Vec<[u64; 2]>,
    pub collective_slots: Vec<u32>,
    /// Updates that wait for the end of a collective: its index, how often it is done then.
    pub after: Vec<After>,
    /// Posts to leave out.
    pub drops: Vec<Loss<SyncId>>,
    /// When the last thing happened, ps.
    pub now: u64,
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
            table: Vec::new(),
            side_posts: [[0; 2]; 5],
            later: BinaryHeap::new(),
            keys,
            memory: BTreeMap::new(),
            inferences: Vec::new(),
            done: 0,
            collectives: BTreeMap::new(),
            collective_counts: Vec::new(),
            collective_slots: Vec::new(),
            after: Vec::new(),
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
        let turn = out.shuffle.map_or(0, |seed| mixed(seed ^ what.source() ^ time.rotate_left(20)));
        self.later.push(Reverse(Later { time, turn, sequence: out.sequence, what }));
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
        if !self.drops.is_empty() && Loss::take(&mut self.drops, &id) {
            out.remarks.add(self.index, actor.as_engine(), slot, RemarkKind::Dropped(id));
            return Ok(());
        }
        let before = self.state(id);
        let after = match effect.kind {
            UpdateKind::EventSet | UpdateKind::EventClear => {
                let set = i32::from(effect.kind == UpdateKind::EventSet);
                if before == set {
                    let kind = RemarkKind::EventTwice(id);
                    out.remarks.add(self.index, actor.as_engine(), slot, kind);
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
        let how = match effect.kind {
            UpdateKind::EventSet | UpdateKind::EventClear | UpdateKind::Write => {
                Touch::Writes(after as u32)
            }
            _ => Touch::Adds(i64::from(after) - i64::from(before)),
        };
        self.touched(event::Shared::Sync(id), how, by, now, out);
        self.set_state(id, after, by, now, wake_ps, out);
        Ok(())
    }

    /// Writes an access down.
    #[inline]
    pub fn touched<S: Sink>(
        &self,
        what: event::Shared,
        how: Touch,
        (actor, slot): (Actor, u32),
        time_ps: u64,
        out: &mut Out<'_, S>,
    ) {
        let core = self.index as u32;
        out.sink.access(Access { time_ps, core, what, actor, slot, how });
    }

    /// Sets the state, writes the event down and wakes who waits: who began to wait at this instant
    /// sees it at this instant, so that the order of the two does not matter.
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
            for (engine, state) in self.engines.iter().enumerate() {
                if woken >> engine & 1 == 1
                    && state.phase == Phase::Waiting
                    && let Some(key) = self.keys.get_mut(SEQUENCERS + engine)
                {
                    let wake = if state.since == now { 0 } else { wake_ps };
                    *key = (*key).min(now.saturating_add(wake));
                }
            }
        }
    }
}

fn i64_in_range(value: i64) -> Option<i32> {
    i32::try_from(value).ok()
}

//! The processors of collectives: each walks its control table and runs the algorithm's program
//! with those of the other ranks, over links.
//!
//! A TOP_SP does one entry after the other. An entry waits for its trigger, then the acts of the
//! schedule that are this rank's follow in their order: each waits for semaphores, moves its chunks,
//! posts to itself and to others. What a collective waits for from ranks that do not run comes in
//! step.
//! Spec: docs/format/simulator.md "Collectives" [modelled].

use device_image::collectives::Act;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::event::{Actor, Event, EventKind, Sink};
use crate::input::{Collective, Entry};
use crate::parts::{Loss, mixed};
use crate::timing::Link;
pub(crate) use crate::walker::{Coming, Disagreement, Later, Shared, Walker};
pub use crate::walker::{Key, Phase};

/// All TOP_SPs of a run.
pub(crate) struct Fabric {
    pub walkers: Vec<Walker>,
    pub shared: BTreeMap<Key, Shared>,
    /// Collectives of each core.
    pub collectives: Vec<Vec<Collective>>,
    /// Rank of each core, and its subgraph.
    pub cores: Vec<(String, u32)>,
    /// How often each collective of each core is done.
    pub finished: Vec<Vec<u64>>,
    link: Link,
    /// From a post to another rank, ps.
    post_ps: u64,
    /// From a trigger to a TOP_SP, ps.
    trigger_ps: u64,
    later: BinaryHeap<Reverse<Later>>,
    sequence: u64,
    shuffle: Option<u64>,
    /// Ranks that run: several, or one alone.
    pub several: bool,
    /// Posts over links to leave out, by rank.
    pub drops: Vec<Loss<u32>>,
    /// Posts that were left out, by rank and the member that misses them.
    pub dropped: Vec<(Key, u32)>,
    /// When the last thing happened, ps.
    pub now: u64,
    pub steps: u64,
}

/// Times of a fabric.
pub(crate) struct Delays {
    pub link: Link,
    pub post_ps: u64,
    pub trigger_ps: u64,
}

impl Fabric {
    pub fn new(cores: Vec<(String, u32)>, delays: Delays, shuffle: Option<u64>) -> Self {
        let several = cores.iter().any(|(_, rank)| *rank != 0);
        Self {
            walkers: Vec::new(),
            shared: BTreeMap::new(),
            collectives: vec![Vec::new(); cores.len()],
            finished: vec![Vec::new(); cores.len()],
            cores,
            link: delays.link,
            post_ps: delays.post_ps,
            trigger_ps: delays.trigger_ps,
            later: BinaryHeap::new(),
            sequence: 0,
            shuffle,
            several,
            drops: Vec::new(),
            dropped: Vec::new(),
            now: 0,
            steps: 0,
        }
    }

    /// Adds what a core stages.
    pub fn stage(
        &mut self,
        core: usize,
        collectives: &[Collective],
        top_sps: &[(u32, Vec<Entry>)],
    ) {
        if let Some(place) = self.collectives.get_mut(core) {
            *place = collectives.to_vec();
        }
        if let Some(place) = self.finished.get_mut(core) {
            *place = vec![0; collectives.len()];
        }
        for (place, (index, entries)) in (0_u32..).zip(top_sps) {
            self.walkers.push(Walker {
                core,
                place,
                index: *index,
                entries: entries.clone(),
                done: 0,
                phase: Phase::Idle,
                triggers: 0,
                completions: 0,
                key: None,
                act: 0,
                seen: BTreeMap::new(),
                since: 0,
            });
        }
    }

    /// When something happens next.
    #[inline]
    pub fn next(&self) -> u64 {
        self.later.peek().map_or(u64::MAX, |later| later.0.time)
    }

    fn push(&mut self, time: u64, source: u64, what: Coming) {
        self.sequence += 1;
        let turn = self.shuffle.map_or(0, |seed| mixed(seed ^ source ^ time.rotate_left(20)));
        self.later.push(Reverse(Later { time, turn, sequence: self.sequence, what }));
    }

    /// A core starts the collective with this index.
    pub fn trigger(&mut self, core: usize, collective: usize, now: u64) {
        let one = self.collectives.get(core).and_then(|all| all.get(collective));
        // What goes on a chain is started by the entry before it.
        if one.is_none_or(|one| one.is_continued) {
            return;
        }
        let time = now.saturating_add(self.trigger_ps);
        let walkers = (0..self.walkers.len())
            .filter(|at| self.walkers.get(*at).is_some_and(|w| w.core == core));
        for walker in walkers.collect::<Vec<_>>() {
            self.push(time, core as u64, Coming::Trigger(walker));
        }
    }

    /// Lets the next thing happen. Gives the collectives that are done: core and index.
    pub fn step<S: Sink>(
        &mut self,
        sink: &mut S,
        digest: &mut crate::event::Digest,
    ) -> Result<Vec<(usize, usize)>, Disagreement> {
        let Some(Reverse(later)) = self.later.pop() else { return Ok(Vec::new()) };
        self.now = later.time;
        self.steps += 1;
        let mut walk = Walk { sink, digest, done: Vec::new() };
        match later.what {
            Coming::Trigger(at) => {
                if let Some(walker) = self.walkers.get_mut(at) {
                    walker.triggers = walker.triggers.saturating_add(1);
                }
                self.go_on(at, &mut walk)?;
            }
            Coming::Complete(at) => {
                if let Some(walker) = self.walkers.get_mut(at) {
                    walker.completions = walker.completions.saturating_add(1);
                }
                self.go_on(at, &mut walk)?;
            }
            Coming::Moved(at) => {
                self.moved(at, &mut walk);
                self.go_on(at, &mut walk)?;
            }
            Coming::Post { to, key, member, semaphore, add } => {
                let shared = self.shared.entry(key).or_default();
                let value = shared.semaphores.entry((member, semaphore)).or_insert(0);
                *value = value.saturating_add(add);
                self.go_on(to, &mut walk)?;
            }
        }
        Ok(walk.done)
    }

    /// The collective that an entry of a walker is for.
    pub fn collective(&self, at: usize) -> Option<(usize, &Entry, &Collective)> {
        let walker = self.walkers.get(at)?;
        let n = walker.entries.len() as u64;
        let entry = walker.entries.get(usize::try_from(walker.done.checked_rem(n)?).ok()?)?;
        let one = self.collectives.get(walker.core)?.get(entry.collective)?;
        Some((entry.collective, entry, one))
    }

    /// Goes on as far as it can now.
    fn go_on<S: Sink>(&mut self, at: usize, walk: &mut Walk<'_, S>) -> Result<(), Disagreement> {
        loop {
            let Some(walker) = self.walkers.get(at) else { return Ok(()) };
            let went = match walker.phase {
                Phase::Moving => false,
                Phase::Idle if walker.triggers == 0 => false,
                Phase::Idle => {
                    self.begin(at, walk)?;
                    true
                }
                Phase::Acting => self.act(at),
                Phase::Completing => self.complete(at, walk),
            };
            if !went {
                return Ok(());
            }
        }
    }

    fn begin<S: Sink>(&mut self, at: usize, walk: &mut Walk<'_, S>) -> Result<(), Disagreement> {
        let Some((index, entry, one)) = self.collective(at) else {
            // A trigger without an entry: nothing is staged for it.
            if let Some(walker) = self.walkers.get_mut(at) {
                walker.triggers = 0;
            }
            return Ok(());
        };
        let (is_nop, group) = (entry.is_nop, one.group.clone());
        let Some(walker) = self.walkers.get_mut(at) else { return Ok(()) };
        walker.triggers -= 1;
        if is_nop {
            walker.phase = Phase::Completing;
            return Ok(());
        }
        let core = walker.core;
        let ordinal = walker.seen.entry(group.clone()).or_insert(0);
        let name = self.cores.get(core).map(|core| core.0.clone()).unwrap_or_default();
        let key: Key = (name, walker.place, group, *ordinal);
        *ordinal += 1;
        walker.key = Some(key.clone());
        walker.phase = Phase::Acting;
        walker.act = 0;
        let (actor, slot) = (Actor::top_sp(core), walker.index);
        let kind = EventKind::CollectiveStart;
        walk.event(Event { time_ps: self.now, actor, kind, slot, a: index as u32, b: 0 });
        let shared = self.shared.entry(key).or_default();
        let first = *shared.what.get_or_insert((core, index));
        let of = |(core, index): (usize, usize)| self.collectives.get(core)?.get(index);
        if let (Some(a), Some(b)) = (of(first), of((core, index)))
            && a.what != b.what
        {
            return Err(Disagreement { first, second: (core, index) });
        }
        Ok(())
    }

    /// The acts of the rank of a walker, and its place in the group.
    pub fn acts(&self, at: usize) -> Option<(u32, &[Act])> {
        let (_, _, one) = self.collective(at)?;
        Some((one.member, one.acts.as_deref()?))
    }

    /// Starts the next act if its waits hold.
    fn act(&mut self, at: usize) -> bool {
        let Some((member, acts)) = self.acts(at) else {
            // Without a program it takes one hop.
            let time = self.now.saturating_add(u64::from(self.link.hop_ns) * 1000);
            return self.moving(at, time);
        };
        let Some(walker) = self.walkers.get(at) else { return false };
        let Some(act) = acts.get(walker.act).cloned() else {
            return self.acted(at);
        };
        let in_step = !self.several;
        let Some(key) = walker.key.clone() else { return false };
        let share = self.share(at);
        let shared = self.shared.entry(key).or_default();
        if !in_step {
            let value = |wait: &device_image::collectives::Wait| {
                let own = shared.semaphores.get(&(member, wait.semaphore)).copied();
                own.unwrap_or(0)
            };
            if !act.waits.iter().all(|wait| value(wait) >= wait.at_least) {
                return false;
            }
            for wait in &act.waits {
                let own = shared.semaphores.entry((member, wait.semaphore));
                let own = own.or_insert(0);
                *own = own.saturating_sub(wait.take);
            }
        }
        // A wait without a post of its own in step takes the time of the hop that it waits for.
        let hops = act.moves.iter().any(|one| one.crossing() > 0);
        let chunks: u64 = act.moves.iter().map(|one| u64::from(one.chunks.count)).sum();
        let bytes = share.saturating_mul(chunks);
        let mut ps = bytes.saturating_mul(1_000_000) / u64::from(self.link.bytes_per_us.max(1));
        if hops {
            ps = ps.saturating_add(u64::from(self.link.hop_ns) * 1000);
        }
        let time = self.now.saturating_add(ps);
        self.moving(at, time)
    }

    /// Bytes of a chunk that one TOP_SP moves.
    fn share(&self, at: usize) -> u64 {
        let Some((_, _, one)) = self.collective(at) else { return 0 };
        let core = self.walkers.get(at).map(|walker| walker.core);
        let own = self.walkers.iter().filter(|walker| Some(walker.core) == core);
        let top_sps = own.count().max(1) as u64;
        let chunks = (one.group.len().max(1) as u64).saturating_mul(top_sps);
        one.bytes.div_ceil(chunks)
    }

    fn moving(&mut self, at: usize, time: u64) -> bool {
        let now = self.now;
        let Some(walker) = self.walkers.get_mut(at) else { return false };
        walker.phase = Phase::Moving;
        walker.since = now;
        self.push(time, 1 << 40 | at as u64, Coming::Moved(at));
        false
    }

    /// The chunks of an act have moved, which is what it waits for after them: it posts.
    fn moved<S: Sink>(&mut self, at: usize, walk: &mut Walk<'_, S>) {
        let posts = self.acts(at).and_then(|(_, acts)| {
            let walker = self.walkers.get(at)?;
            acts.get(walker.act).map(|act| (act.posts.clone(), !act.moves.is_empty()))
        });
        let Some(walker) = self.walkers.get_mut(at) else { return };
        walker.phase = Phase::Acting;
        walker.act += 1;
        let (core, since, index, number) =
            (walker.core, walker.since, walker.index, walker.act as u32);
        let Some((posts, moves)) = posts else {
            // There was no program to follow.
            walker.phase = Phase::Completing;
            return;
        };
        if moves {
            let (actor, kind) = (Actor::top_sp(core), EventKind::CollectiveStep);
            let b = self.now - since;
            walk.event(Event { time_ps: self.now, actor, kind, slot: index, a: number, b });
        }
        let Some(key) = walker.key.clone() else { return };
        let place = walker.place;
        let Some(rank) = self.cores.get(core).map(|core| core.1) else { return };
        for post in posts {
            let Some(to_rank) = key.2.get(post.rank as usize).copied() else { continue };
            let is_own = to_rank == rank;
            if !is_own && Loss::take(&mut self.drops, &rank) {
                self.dropped.push((key.clone(), post.rank));
                continue;
            }
            let other = self.walkers.iter().position(|walker| {
                let of = self.cores.get(walker.core);
                walker.place == place
                    && of.is_some_and(|(name, rank)| *name == key.0 && *rank == to_rank)
            });
            let Some(to) = other else { continue };
            let time = self.now.saturating_add(if is_own { 0 } else { self.post_ps });
            let (member, semaphore, add) = (post.rank, post.semaphore, post.add);
            let key = key.clone();
            self.push(time, at as u64, Coming::Post { to, key, member, semaphore, add });
        }
    }

    /// All acts are done.
    fn acted(&mut self, at: usize) -> bool {
        let Some(walker) = self.walkers.get_mut(at) else { return false };
        walker.phase = Phase::Completing;
        let key = walker.key.clone();
        if let Some(key) = key {
            let members = key.2.len();
            let shared = self.shared.entry(key.clone()).or_default();
            shared.done += 1;
            if shared.done >= members {
                self.shared.remove(&key);
            }
        }
        true
    }

    /// Waits for the TOP_SP before, tells the next one, and reports.
    fn complete<S: Sink>(&mut self, at: usize, walk: &mut Walk<'_, S>) -> bool {
        let Some((index, entry, _)) = self.collective(at) else { return false };
        let entry = *entry;
        let Some(walker) = self.walkers.get_mut(at) else { return false };
        if entry.wait_complete && walker.completions == 0 {
            return false;
        }
        if entry.wait_complete {
            walker.completions -= 1;
        }
        walker.phase = Phase::Idle;
        walker.key = None;
        walker.done += 1;
        if entry.trigger_next {
            walker.triggers = walker.triggers.saturating_add(1);
        }
        let (core, place, slot) = (walker.core, walker.place, walker.index);
        if entry.send_complete {
            let next =
                self.walkers.iter().position(|one| one.core == core && one.place == place + 1);
            if let Some(next) = next {
                let time = self.now.saturating_add(self.trigger_ps);
                self.push(time, at as u64, Coming::Complete(next));
            }
        }
        if !entry.is_nop {
            let (actor, kind) = (Actor::top_sp(core), EventKind::CollectiveEnd);
            let a = u32::try_from(index).unwrap_or(u32::MAX);
            walk.event(Event { time_ps: self.now, actor, kind, slot, a, b: 0 });
        }
        if entry.reporter {
            if let Some(done) = self.finished.get_mut(core).and_then(|all| all.get_mut(index)) {
                *done += 1;
            }
            walk.done.push((core, index));
        }
        true
    }
}

struct Walk<'s, S> {
    sink: &'s mut S,
    digest: &'s mut crate::event::Digest,
    done: Vec<(usize, usize)>,
}

impl<S: Sink> Walk<'_, S> {
    fn event(&mut self, event: Event) {
        self.digest.add(&event);
        self.sink.event(event);
    }
}

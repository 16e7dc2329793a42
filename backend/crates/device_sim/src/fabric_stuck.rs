//! Why a collective does not end: the TOP_SP of which rank waits for what, and who would bring it.

use device_image::collectives::{Act, Semaphore};
use records::Engine;

use crate::core::Phase as EnginePhase;
use crate::fabric::{Key, Phase, Walker};
use crate::machine::Machine;
use crate::posters::{EngineRef, SlotRef, Why};

/// A TOP_SP that stands in a collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckTopSp {
    /// Place among the TOP_SPs of the run.
    pub at: usize,
    /// 0-based core of the run.
    pub core: usize,
    /// Number on the chip.
    pub index: u32,
    /// Collective of the core.
    pub collective: usize,
    /// The record that started it.
    pub by: SlotRef,
    /// What it waits for.
    pub wait: TopSpWait,
}

/// What a TOP_SP waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TopSpWait {
    /// A semaphore of an act.
    Semaphore {
        /// The host's or our word for the act, and its number.
        leaf: &'static str,
        /// Number of the act.
        act: usize,
        /// The semaphore's name.
        name: &'static str,
        /// What it needs.
        needs: u32,
        /// What it is.
        now: u32,
        /// Who would post it.
        from: Vec<Missing>,
    },
    /// The TOP_SP of the next lower number.
    Complete,
}

/// Somebody who would post to a TOP_SP, and why they do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Rank.
    pub rank: u32,
    /// Its TOP_SP, by place in the run; `None` for a rank that does not run.
    pub top_sp: Option<usize>,
    /// Why.
    pub why: Why,
    /// The record that would start the collective there.
    pub by: Option<SlotRef>,
}

impl Machine<'_> {
    /// The TOP_SPs that stand in a collective.
    pub fn stuck_top_sps(&self) -> Vec<StuckTopSp> {
        (0..self.fabric.walkers.len()).filter_map(|at| self.stuck_top_sp(at)).collect()
    }

    fn stuck_top_sp(&self, at: usize) -> Option<StuckTopSp> {
        let walker = self.fabric.walkers.get(at)?;
        let (collective, _, one) = self.fabric.collective(at)?;
        let slots = self.cores.get(walker.core).map(|core| core.collective_slots.as_slice());
        let slot = slots.and_then(|slots| slots.get(collective)).copied().unwrap_or(0);
        let by = SlotRef { of: EngineRef { core: walker.core, engine: one.engine }, slot };
        let wait = match walker.phase {
            Phase::Idle | Phase::Moving => return None,
            Phase::Completing => TopSpWait::Complete,
            Phase::Acting => self.act_wait(at, walker)?,
        };
        let (core, index) = (walker.core, walker.index);
        Some(StuckTopSp { at, core, index, collective, by, wait })
    }

    fn act_wait(&self, at: usize, walker: &Walker) -> Option<TopSpWait> {
        let (member, acts) = self.fabric.acts(at)?;
        let act = acts.get(walker.act)?;
        let key = walker.key.as_ref()?;
        let values = self.fabric.shared.get(key).map(|shared| &shared.semaphores);
        let value = |semaphore: Semaphore| {
            let known = values.and_then(|all| all.get(&(member, semaphore)).copied());
            known.unwrap_or(0)
        };
        let wait = act.waits.iter().find(|wait| value(wait.semaphore) < wait.at_least)?;
        Some(TopSpWait::Semaphore {
            leaf: act.leaf,
            act: walker.act,
            name: wait.semaphore.kind.name(),
            needs: wait.at_least,
            now: value(wait.semaphore),
            from: self.missing(walker, key, member, wait.semaphore),
        })
    }

    /// Who would post a semaphore of a member.
    fn missing(&self, own: &Walker, key: &Key, member: u32, semaphore: Semaphore) -> Vec<Missing> {
        let posts = |act: &Act| {
            act.posts.iter().any(|post| post.rank == member && post.semaphore == semaphore)
        };
        let lost = |rank: u32| {
            let of = |(other, to): &(Key, u32)| other == key && *to == member;
            self.fabric.dropped.iter().any(of) && self.fabric.drops.iter().any(|one| one.of == rank)
        };
        let mut list = Vec::new();
        for (other, rank) in (0_u32..).zip(&key.2) {
            let rank = *rank;
            let at = self.fabric.walkers.iter().position(|walker| {
                let of = self.fabric.cores.get(walker.core);
                walker.place == own.place
                    && of.is_some_and(|(name, number)| *name == key.0 && *number == rank)
            });
            let Some(at) = at else {
                // Of a rank that does not run it is not known whether it would.
                let why = Why::RankMissing;
                list.push(Missing { rank, top_sp: None, why, by: None });
                continue;
            };
            if other == member {
                continue;
            }
            let Some(walker) = self.fabric.walkers.get(at) else { continue };
            let inside = walker.key.as_ref() == Some(key);
            if lost(rank) {
                list.push(Missing { rank, top_sp: Some(at), why: Why::LinkDropped, by: None });
            } else if inside {
                let acts = self.fabric.acts(at).map_or(&[][..], |(_, acts)| acts);
                if acts.iter().skip(walker.act).any(posts) {
                    list.push(Missing { rank, top_sp: Some(at), why: Why::InCollective, by: None });
                }
            } else {
                let by = self.starter(at, key);
                let why = if by.is_some() { Why::Behind } else { Why::RankMissing };
                list.push(Missing { rank, top_sp: Some(at), why, by });
            }
        }
        // A rank that is only behind says nothing where another one is missing for good.
        if list.iter().any(|one| one.why == Why::LinkDropped) {
            list.retain(|one| one.why == Why::LinkDropped);
        } else if list.iter().any(|one| one.top_sp.is_some() && one.why == Why::InCollective) {
            list.retain(|one| one.why == Why::InCollective);
        }
        list
    }

    /// The record of a rank that would start a collective of these members, if its engine can still
    /// come to it.
    fn starter(&self, at: usize, key: &Key) -> Option<SlotRef> {
        let walker = self.fabric.walkers.get(at)?;
        let core = self.cores.get(walker.core)?;
        let all = self.fabric.collectives.get(walker.core)?;
        all.iter().enumerate().filter(|(_, one)| one.group == key.2).find_map(|(index, one)| {
            let program = self.program(core, one.engine)?;
            let state = core.engine_ref(one.engine);
            let left = core.done < self.shared.inferences && !self.is_done(core, one.engine);
            let slots = 0..u32::try_from(program.ops.len()).ok()?;
            let mut slots =
                slots.filter(|slot| program.source(*slot).is_some_and(|(ip, _)| ip == one.ip));
            let slot = slots.next()?;
            let started =
                core.collective_counts.get(index).is_some_and(|count| count[0] > count[1]);
            let stopped = state.phase == EnginePhase::Halted;
            let ahead = state.pc <= slot || started || core.done + 1 < self.shared.inferences;
            let of = EngineRef { core: walker.core, engine: one.engine };
            (left && ahead && !stopped).then_some(SlotRef { of, slot })
        })
    }

    /// Why a collective of a core does not end: the reason at the root of what its TOP_SPs wait for,
    /// with the rank and the record that it is about.
    pub fn collective_root(&self, core: usize, collective: usize) -> Option<(usize, Missing)> {
        let mut todo: Vec<usize> = (0..self.fabric.walkers.len())
            .filter(|at| {
                let of = self.fabric.walkers.get(*at).is_some_and(|walker| walker.core == core);
                of && self.fabric.collective(*at).is_some_and(|(own, ..)| own == collective)
            })
            .collect();
        let first = todo.iter().copied().find(|at| self.stuck_top_sp(*at).is_some());
        let mut seen = todo.clone();
        let mut behind = None;
        while let Some(at) = todo.pop() {
            let Some(stuck) = self.stuck_top_sp(at) else { continue };
            let TopSpWait::Semaphore { from, .. } = stuck.wait else { continue };
            for one in from {
                match (one.why, one.top_sp) {
                    (Why::InCollective, Some(next)) => {
                        if !seen.contains(&next) {
                            seen.push(next);
                            todo.push(next);
                        }
                    }
                    (Why::Behind, _) => {
                        behind.get_or_insert((at, one));
                    }
                    _ => return Some((at, one)),
                }
            }
        }
        let at = first?;
        let rank = self.name(core).1;
        behind.or(Some((at, Missing { rank, top_sp: Some(at), why: Why::InCollective, by: None })))
    }

    /// `TOP_SP 3`, with its rank and subgraph where there are several.
    pub fn top_sp_words(&self, at: usize) -> String {
        let Some(walker) = self.fabric.walkers.get(at) else { return String::new() };
        match self.n_cores() {
            1 => format!("TOP_SP {}", walker.index),
            _ => format!("{} TOP_SP {}", self.core_words(walker.core), walker.index),
        }
    }

    /// What a collective of a core is, in words.
    pub fn collective_words(&self, core: usize, collective: usize) -> String {
        let one = self.fabric.collectives.get(core).and_then(|all| all.get(collective));
        one.map_or_else(|| format!("collective {collective}"), |one| one.what.clone())
    }

    /// One sentence about a TOP_SP that stands still.
    pub fn stuck_top_sp_words(&self, stuck: &StuckTopSp) -> String {
        let place = self.top_sp_words(stuck.at);
        let place = match place.strip_prefix("rank ") {
            Some(rest) => format!("Rank {rest}"),
            None => place,
        };
        format!("{place} {}.", self.stuck_top_sp_state(stuck))
    }

    /// Whether a TOP_SP waits for something that does not come from another one that stands in the same
    /// collective.
    pub fn is_root(&self, stuck: &StuckTopSp) -> bool {
        match &stuck.wait {
            TopSpWait::Complete => false,
            TopSpWait::Semaphore { from, .. } => {
                from.iter().any(|one| one.why != Why::InCollective)
            }
        }
    }

    /// How a TOP_SP stands still, without its name.
    pub fn stuck_top_sp_state(&self, stuck: &StuckTopSp) -> String {
        let what = self.collective_words(stuck.core, stuck.collective);
        match &stuck.wait {
            TopSpWait::Complete => {
                format!("has done its part of the {what} and waits for the one before it")
            }
            TopSpWait::Semaphore { leaf, act, name, needs, now, from } => {
                let from: Vec<String> = from.iter().map(|one| self.missing_words(one)).collect();
                let from =
                    if from.is_empty() { String::new() } else { format!(": {}", from.join("; ")) };
                format!(
                    "stands at act {act} ({leaf}) of the {what}: {name} is {now} and has to be \
                     {needs}{from}"
                )
            }
        }
    }

    /// Why a rank does not post.
    pub fn missing_words(&self, one: &Missing) -> String {
        let rank = one.rank;
        match (one.why, one.by, one.top_sp) {
            (Why::LinkDropped, ..) => format!("a post of rank {rank} was left out on purpose"),
            (Why::RankMissing, _, None) => format!("rank {rank} is of the group and does not run"),
            (Why::RankMissing, ..) => format!("rank {rank} never starts it"),
            (Why::Behind, Some(by), _) => {
                format!(
                    "rank {rank} does not come to {}, which starts it there",
                    self.slot_words(by)
                )
            }
            (Why::InCollective, _, Some(at)) => {
                format!("{} stands in it too", self.top_sp_words(at))
            }
            _ => format!("rank {rank} does not post"),
        }
    }

    /// All TOP_SPs: core, number on the chip, entries done, entries, whether it stands still.
    pub fn top_sp_ends(&self) -> Vec<TopSpEnd> {
        let end = |(at, walker): (usize, &Walker)| TopSpEnd {
            at,
            core: walker.core,
            index: walker.index,
            done: walker.done,
            entries: walker.entries.len() as u64,
            phase: walker.phase,
        };
        self.fabric.walkers.iter().enumerate().map(end).collect()
    }

    /// The engine that started a collective of a core last, and the slot.
    pub fn collective_starter(&self, core: usize, collective: usize) -> Option<SlotRef> {
        let one = self.fabric.collectives.get(core)?.get(collective)?;
        let slot = *self.cores.get(core)?.collective_slots.get(collective)?;
        let engine: Engine = one.engine;
        Some(SlotRef { of: EngineRef { core, engine }, slot })
    }
}

/// A TOP_SP at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopSpEnd {
    /// Place in the run.
    pub at: usize,
    /// 0-based core of the run.
    pub core: usize,
    /// Number on the chip.
    pub index: u32,
    /// Entries done.
    pub done: u64,
    /// Entries of its table.
    pub entries: u64,
    /// How far it is.
    pub phase: Phase,
}

//! Rings: the schedule of a ring over any ranks, as a whole algorithm and as a leg of another one.

use super::schedule::{
    Act, Chunks, Move, Place, Post, Semaphore, SemaphoreKind, Source, Step, Wait, ended,
};

/// A ring over some ranks. Part p of the buffer is what member p ends with after a reduce-scatter.
pub struct Ring<'a> {
    /// The ranks in ring order; at least 2.
    pub members: &'a [u32],
    /// Chunks of part p for a member.
    pub part: &'a dyn Fn(u32) -> Chunks,
    /// Word for the leg.
    pub leg: &'static str,
    /// Number of the leg, which keeps its semaphores apart.
    pub number: u8,
    /// How its data movement is known.
    pub source: Source,
}

/// A phase of a ring.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Reduce,
    Gather,
}

impl Ring<'_> {
    fn n(&self) -> u32 {
        u32::try_from(self.members.len()).unwrap_or(u32::MAX).max(1)
    }

    /// Steps of a reduce-scatter: at step s the member at r sends part r - 1 - s.
    /// Spec: docs/format/collectives-plan.md "Ring" [observed].
    pub fn reduce_scatter(&self) -> Vec<Step> {
        self.phase(Phase::Reduce, 0, true)
    }

    /// Steps of an all-gather: at step s the member at r sends part r - s.
    /// Spec: docs/format/collectives-plan.md "Ring" [observed].
    pub fn all_gather(&self) -> Vec<Step> {
        self.phase(Phase::Gather, 0, true)
    }

    /// A reduce-scatter, then an all-gather.
    /// Spec: docs/format/collectives-plan.md "Ring" [observed].
    pub fn all_reduce(&self) -> Vec<Step> {
        let mut steps = self.phase(Phase::Reduce, 0, false);
        steps.extend(self.phase(Phase::Gather, self.n() - 1, true));
        steps
    }

    /// Every member sends its whole buffer to the inbox of the next one.
    /// Spec: docs/format/collectives-plan.md "Ring" [modelled].
    pub fn shift(&self) -> Step {
        let n = self.n();
        let mut acts = Vec::new();
        for (place, rank) in (0..).zip(self.members) {
            let (next, previous) = (self.member(place + 1), self.member(place + n - 1));
            acts.push(self.prologue(*rank, previous));
            let mut send = self.send(*rank, next, 0, Phase::Gather, (0, 0));
            let (from, to) = (Place::data(*rank), Place::inbox(next, *rank));
            send.moves = vec![Move::copy(from, vec![to], Chunks::run(0, n))];
            acts.push(send);
            acts.push(self.receive(*rank, previous, 1, true));
            acts.push(self.reset(*rank));
        }
        let (leg, source) = (self.leg, self.source);
        Step { phase: "permute", leg, event: None, is_hop: true, source, acts }
    }

    /// The steps of a phase, after so many steps of this leg.
    fn phase(&self, phase: Phase, before: u32, is_last: bool) -> Vec<Step> {
        let n = self.n();
        let word = if phase == Phase::Reduce { "reduce-scatter" } else { "all-gather" };
        let steps = (0..n - 1).map(|s| {
            let mut acts = Vec::new();
            let is_end = is_last && s == n - 2;
            for (place, rank) in (0..).zip(self.members) {
                let part = match phase {
                    Phase::Reduce => (place + 2 * n - 1 - s) % n,
                    Phase::Gather => (place + n - s) % n,
                };
                let next = self.member(place + 1);
                let previous = self.member(place + n - 1);
                let so_far = before + s;
                if so_far == 0 {
                    acts.push(self.prologue(*rank, previous));
                }
                acts.push(self.send(*rank, next, part, phase, (s, so_far)));
                acts.push(self.receive(*rank, previous, so_far + 1, is_end));
                if is_end {
                    acts.push(self.reset(*rank));
                }
            }
            let leg = self.leg;
            let source = self.source;
            Step { phase: word, leg, event: None, is_hop: true, source, acts }
        });
        steps.collect()
    }

    fn member(&self, place: u32) -> u32 {
        let at = (place % self.n()) as usize;
        self.members.get(at).copied().unwrap_or_default()
    }

    fn send(&self, rank: u32, next: u32, part: u32, phase: Phase, at: (u32, u32)) -> Act {
        let (s, so_far) = at;
        let leaf = match (phase, s) {
            _ if so_far == 0 => "send",
            (Phase::Reduce, _) => "receive-reduce-send",
            (Phase::Gather, 0) => "receive-reduce-copy-send",
            (Phase::Gather, _) => "receive-send",
        };
        let adds = phase == Phase::Reduce;
        let (from, to) = (Place::data(rank), Place::data(next));
        Act {
            rank,
            leaf,
            waits: vec![Wait {
                semaphore: self.semaphore(SemaphoreKind::Credit),
                at_least: 1,
                take: 1,
                source: Source::Observed,
            }],
            moves: vec![Move {
                sources: vec![from],
                targets: vec![to],
                chunks: (self.part)(part),
                adds,
            }],
            after: ended(1, self.number),
            posts: vec![Post {
                rank: next,
                semaphore: self.semaphore(SemaphoreKind::Receive),
                add: 1,
                through: None,
                source: Source::Observed,
            }],
        }
    }

    /// Waits for the chunk of this step and gives the credit back. What follows may send it on.
    fn receive(&self, rank: u32, previous: u32, count: u32, is_end: bool) -> Act {
        Act {
            rank,
            leaf: if is_end { "receive" } else { "await" },
            waits: vec![Wait {
                semaphore: self.semaphore(SemaphoreKind::Receive),
                at_least: count,
                take: 0,
                source: Source::Observed,
            }],
            moves: Vec::new(),
            after: Vec::new(),
            posts: vec![Post {
                rank: previous,
                semaphore: self.semaphore(SemaphoreKind::Credit),
                add: 1,
                through: None,
                source: Source::Observed,
            }],
        }
    }

    /// The first credit, which a rank gives to the one that sends to it.
    /// Spec: docs/format/collectives-plan.md "Ring" [inferred].
    fn prologue(&self, rank: u32, previous: u32) -> Act {
        let semaphore = self.semaphore(SemaphoreKind::Credit);
        let source = Source::Inferred;
        let posts = vec![Post { rank: previous, semaphore, add: 1, through: None, source }];
        Act { rank, leaf: "post", posts, ..Act::default() }
    }

    /// The credit that is back at the end is taken off, so that the next group begins as this one.
    /// Spec: docs/format/collectives-plan.md "Ring" [inferred].
    fn reset(&self, rank: u32) -> Act {
        let semaphore = self.semaphore(SemaphoreKind::Credit);
        let waits = vec![Wait { semaphore, at_least: 1, take: 1, source: Source::Inferred }];
        Act { rank, leaf: "reset-send-credit", waits, ..Act::default() }
    }

    fn semaphore(&self, kind: SemaphoreKind) -> Semaphore {
        Semaphore { kind, leg: self.number, index: 0 }
    }
}

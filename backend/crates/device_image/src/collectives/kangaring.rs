//! KangaRing: a ring whose hops are pairs of ranks. Primary p is rank 2p, its secondary 2p + 1, and
//! part p of the buffer is chunks 2p and 2p + 1.
//! Spec: docs/format/collectives-plan.md "KangaRing" [modelled].

use super::names::Operation;
use super::schedule::{
    Act, Chunks, Move, Place, Post, Semaphore, SemaphoreKind, Source, Step, Wait, ended,
};

/// The steps for an even number of ranks.
pub fn steps(operation: Operation, ranks: u32) -> Vec<Step> {
    let ring = Pairs { n: (ranks / 2).max(1) };
    let mut steps = Vec::new();
    match operation {
        Operation::AllReduce => {
            ring.reduce_scatter(&mut steps);
            ring.all_gather(&mut steps, ring.n - 1);
            ring.reset(&mut steps);
        }
        Operation::AllGather => {
            ring.own_pair(&mut steps);
            ring.all_gather(&mut steps, 0);
            ring.reset(&mut steps);
        }
        Operation::ReduceScatter => {
            ring.reduce_scatter(&mut steps);
            ring.reset(&mut steps);
            steps.push(ring.to_secondaries("reduce-scatter", |p| Chunks::one(2 * p + 1)));
        }
        Operation::AllToAll | Operation::Permute => {}
    }
    steps
}

const fn semaphore(kind: SemaphoreKind) -> Semaphore {
    Semaphore { kind, leg: 0, index: 0 }
}

const fn wait(kind: SemaphoreKind, at_least: u32, take: u32) -> Wait {
    Wait { semaphore: semaphore(kind), at_least, take, source: Source::Inferred }
}

const fn post(rank: u32, kind: SemaphoreKind) -> Post {
    let through = match kind {
        SemaphoreKind::Pair => Some("kring_peer_semas.peers[0]"),
        _ => None,
    };
    Post { rank, semaphore: semaphore(kind), add: 1, through, source: Source::Inferred }
}

/// Pairs in ring order.
struct Pairs {
    n: u32,
}

impl Pairs {
    fn step(phase: &'static str, is_hop: bool, acts: Vec<Act>) -> Step {
        Step { phase, leg: "all", event: None, is_hop, source: Source::Standard, acts }
    }

    /// The first credit of a hop, which a primary gives to the one that sends to it.
    /// Spec: docs/format/collectives-plan.md "Ring" [inferred].
    fn prologue(&self, p: u32, acts: &mut Vec<Act>) {
        if self.n > 1 {
            let previous = 2 * ((p + self.n - 1) % self.n);
            let posts = vec![post(previous, SemaphoreKind::Credit)];
            acts.push(Act { rank: 2 * p, leaf: "post", posts, ..Act::default() });
        }
    }

    /// The credit that is back at the end is taken off.
    /// Spec: docs/format/collectives-plan.md "Ring" [inferred].
    fn reset(&self, steps: &mut [Step]) {
        let Some(last) = steps.last_mut().filter(|_| self.n > 1) else { return };
        last.acts.extend((0..self.n).map(|p| {
            let waits = vec![wait(SemaphoreKind::Credit, 1, 1)];
            Act { rank: 2 * p, leaf: "reset-send-credit", waits, ..Act::default() }
        }));
    }

    /// Step s: primary p adds its secondary's part p - 1 - s to its own, which has what was
    /// received, and sends the sum on; the last sum stays.
    fn reduce_scatter(&self, steps: &mut Vec<Step>) {
        for s in 0..self.n {
            let mut acts = Vec::new();
            let stays = s == self.n - 1;
            for p in 0..self.n {
                let (primary, secondary) = (2 * p, 2 * p + 1);
                let part = (p + 2 * self.n - 1 - s) % self.n;
                let chunks = Chunks::run(2 * part, 2);
                if s == 0 {
                    self.prologue(p, &mut acts);
                    acts.push(Act {
                        rank: secondary,
                        leaf: "ready",
                        waits: Vec::new(),
                        moves: Vec::new(),
                        after: Vec::new(),
                        posts: vec![post(primary, SemaphoreKind::Pair)],
                    });
                }
                // The secondary's data is ready once; the credit is for the hop.
                let mut waits = Vec::new();
                if s == 0 {
                    waits.push(wait(SemaphoreKind::Pair, 1, 1));
                }
                if stays {
                    acts.push(Act {
                        rank: primary,
                        leaf: "receive-reduce-copy",
                        waits,
                        moves: vec![Move {
                            sources: vec![Place::data(secondary)],
                            targets: vec![Place::data(primary)],
                            chunks,
                            adds: true,
                        }],
                        after: ended(1, 0),
                        posts: Vec::new(),
                    });
                    continue;
                }
                waits.push(wait(SemaphoreKind::Credit, 1, 1));
                let next = 2 * ((p + 1) % self.n);
                acts.push(Act {
                    rank: primary,
                    leaf: if s == 0 { "send" } else { "receive-reduce-send" },
                    waits,
                    moves: vec![Move {
                        sources: vec![Place::data(primary), Place::data(secondary)],
                        targets: vec![Place::data(next)],
                        chunks,
                        adds: true,
                    }],
                    after: ended(1, 0),
                    posts: vec![post(next, SemaphoreKind::Receive)],
                });
                acts.push(self.receive(p, s + 1));
            }
            steps.push(Self::step("reduce-scatter", !stays, acts));
        }
    }

    fn receive(&self, p: u32, count: u32) -> Act {
        let previous = 2 * ((p + self.n - 1) % self.n);
        Act {
            rank: 2 * p,
            leaf: "await",
            waits: vec![wait(SemaphoreKind::Receive, count, 0)],
            moves: Vec::new(),
            after: Vec::new(),
            posts: vec![post(previous, SemaphoreKind::Credit)],
        }
    }

    /// The primary gets its secondary's chunk, so that it has its part.
    fn own_pair(&self, steps: &mut Vec<Step>) {
        let acts = (0..self.n).flat_map(|p| {
            let (primary, secondary) = (2 * p, 2 * p + 1);
            let moved = Move::copy(
                Place::data(secondary),
                vec![Place::data(primary)],
                Chunks::one(secondary),
            );
            [
                Act {
                    rank: secondary,
                    leaf: "ready",
                    waits: Vec::new(),
                    moves: vec![moved],
                    after: ended(1, 0),
                    posts: vec![post(primary, SemaphoreKind::Pair)],
                },
                Act {
                    rank: primary,
                    leaf: "await",
                    waits: vec![wait(SemaphoreKind::Pair, 1, 1)],
                    moves: Vec::new(),
                    after: Vec::new(),
                    posts: Vec::new(),
                },
            ]
        });
        steps.push(Self::step("all-gather", false, acts.collect()));
    }

    /// Primary p copies its part to its secondary; at step s it sends part p - s on; what it
    /// receives it copies to its secondary too.
    fn all_gather(&self, steps: &mut Vec<Step>, before: u32) {
        steps.push(self.to_secondaries("all-gather", |p| Chunks::run(2 * p, 2)));
        for s in 0..self.n - 1 {
            let mut acts = Vec::new();
            for p in 0..self.n {
                if before + s == 0 {
                    self.prologue(p, &mut acts);
                }
                let part = (p + self.n - s) % self.n;
                let next = 2 * ((p + 1) % self.n);
                let mut targets = vec![Place::data(next)];
                let mut posts = vec![post(next, SemaphoreKind::Receive)];
                if s > 0 {
                    targets.push(Place::data(2 * p + 1));
                    posts.push(post(2 * p + 1, SemaphoreKind::Pair));
                }
                acts.push(Act {
                    rank: 2 * p,
                    leaf: if s == 0 { "send" } else { "receive-send" },
                    waits: vec![wait(SemaphoreKind::Credit, 1, 1)],
                    moves: vec![Move::copy(Place::data(2 * p), targets, Chunks::run(2 * part, 2))],
                    after: ended(1, 0),
                    posts,
                });
                acts.push(self.receive(p, before + s + 1));
                if s > 0 {
                    acts.push(Self::secondary_waits(p));
                }
            }
            steps.push(Self::step("all-gather", true, acts));
        }
        if self.n > 1 {
            let n = self.n;
            steps.push(self.to_secondaries("all-gather", |p| Chunks::run(2 * ((p + 1) % n), 2)));
        }
    }

    fn secondary_waits(p: u32) -> Act {
        Act {
            rank: 2 * p + 1,
            leaf: "await",
            waits: vec![wait(SemaphoreKind::Pair, 1, 1)],
            moves: Vec::new(),
            after: Vec::new(),
            posts: Vec::new(),
        }
    }

    fn to_secondaries(&self, phase: &'static str, chunks: impl Fn(u32) -> Chunks) -> Step {
        let acts = (0..self.n).flat_map(|p| {
            let copy = Act {
                rank: 2 * p,
                leaf: "copy",
                waits: Vec::new(),
                moves: vec![Move::copy(
                    Place::data(2 * p),
                    vec![Place::data(2 * p + 1)],
                    chunks(p),
                )],
                after: ended(1, 0),
                posts: vec![post(2 * p + 1, SemaphoreKind::Pair)],
            };
            [copy, Self::secondary_waits(p)]
        });
        Self::step(phase, false, acts.collect())
    }
}

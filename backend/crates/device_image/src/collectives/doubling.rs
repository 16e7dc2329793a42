//! Recursive halving and doubling over a power of two of ranks.
//! Spec: docs/format/collectives-plan.md "RDH" [observed].

use super::names::Operation;
use super::schedule::{
    Act, Chunks, Move, Place, Post, Semaphore, SemaphoreKind, Source, Step, Wait,
};

/// The chunks that rank r sends, or keeps, in round b of the reduce-scatter over 2^k ranks.
/// Spec: docs/format/collectives-plan.md "RDH" [observed].
pub const fn halving(k: u32, rank: u32, round: u32, is_send: bool) -> Chunks {
    let bit = 1_u32 << round;
    let low = rank & (bit - 1);
    let send = if is_send { bit } else { 0 };
    Chunks { first: (send ^ (rank & bit)) + low, stride: 2 * bit, count: 1 << (k - 1 - round) }
}

/// The chunks that rank r has before round a of the all-gather over 2^k ranks.
/// Spec: docs/format/collectives-plan.md "RDH" [observed].
pub const fn gathered(k: u32, rank: u32, round: u32) -> Chunks {
    let stride = 1_u32 << (k - round);
    Chunks { first: rank % stride, stride, count: 1 << round }
}

/// The steps for 2^k ranks, k at least 1.
pub fn steps(operation: Operation, k: u32, source: Source) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut number = 0;
    if operation != Operation::AllGather {
        for round in 0..k {
            let exchange = |rank: u32| (rank ^ (1 << round), halving(k, rank, round, true));
            steps.push(step("reduce-scatter", k, number, source, true, exchange));
            number += 1;
        }
    }
    if operation != Operation::ReduceScatter {
        for round in 0..k {
            let exchange = |rank: u32| (rank ^ (1 << (k - 1 - round)), gathered(k, rank, round));
            steps.push(step("all-gather", k, number, source, false, exchange));
            number += 1;
        }
    }
    steps
}

/// All ranks are there: as a leg, nobody writes to a rank that is still in the leg before.
/// Spec: docs/format/collectives-plan.md "Hierarchical" [modelled].
pub fn handshake(ranks: u32) -> Step {
    let semaphore = Semaphore { kind: SemaphoreKind::Round, leg: 0, index: u32::MAX };
    let source = Source::Chosen;
    let acts = (0..ranks).flat_map(|rank| {
        let to = 0..ranks;
        let posts = to.map(|rank| Post { rank, semaphore, add: 1, through: None, source });
        let waits = vec![Wait { semaphore, at_least: ranks, take: ranks, source }];
        [
            Act { rank, leaf: "ready", posts: posts.collect(), ..Act::default() },
            Act { rank, leaf: "await", waits, ..Act::default() },
        ]
    });
    let acts = acts.collect();
    let source = Source::Inferred;
    Step { phase: "handshake", leg: "all", event: None, is_hop: false, source, acts }
}

/// Every rank sends its chunks to its partner and waits for the partner's.
fn step(
    phase: &'static str,
    k: u32,
    number: u32,
    source: Source,
    adds: bool,
    exchange: impl Fn(u32) -> (u32, Chunks),
) -> Step {
    let semaphore = Semaphore { kind: SemaphoreKind::Round, leg: 0, index: number };
    let acts = (0..1_u32 << k).flat_map(|rank| {
        let (partner, chunks) = exchange(rank);
        let moved = Move {
            sources: vec![Place::data(rank)],
            targets: vec![Place::data(partner)],
            chunks,
            adds,
        };
        [
            Act {
                rank,
                leaf: "exchange",
                waits: Vec::new(),
                moves: vec![moved],
                after: Vec::new(),
                posts: vec![Post {
                    rank: partner,
                    semaphore,
                    add: 1,
                    through: None,
                    source: Source::Chosen,
                }],
            },
            Act {
                rank,
                leaf: "await",
                waits: vec![Wait { semaphore, at_least: 1, take: 1, source: Source::Chosen }],
                moves: Vec::new(),
                after: Vec::new(),
                posts: Vec::new(),
            },
        ]
    });
    Step { phase, leg: "all", event: None, is_hop: true, source, acts: acts.collect() }
}

//! The program of a collective as values: steps, what each rank moves in them, and the semaphores
//! that it waits for and posts.

use super::names::{Algorithm, MeshEvent, Operation};
use records::Provenance;

/// How a step or a semaphore of a schedule is known.
/// Spec: docs/format/collectives-plan.md "Sources" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Read from the runtime.
    Observed,
    /// Follows from what was read.
    Inferred,
    /// Textbook knowledge that agrees with what was read.
    Standard,
    /// Our choice where nothing is published.
    Chosen,
}

impl Source {
    /// `observed`, `inferred`, `standard knowledge`, `chosen`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Inferred => "inferred",
            Self::Standard => "standard knowledge",
            Self::Chosen => "chosen",
        }
    }

    /// The word that goes with values; textbook knowledge and choices are models.
    pub const fn provenance(self) -> Provenance {
        match self {
            Self::Observed => Provenance::Observed,
            Self::Inferred => Provenance::Inferred,
            Self::Standard | Self::Chosen => Provenance::Modelled,
        }
    }
}

/// Chunks `first`, `first + stride`, ...: `count` of them. A buffer has as many chunks as there are
/// ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// First chunk.
    pub first: u32,
    /// Distance of two; 1 for a single one.
    pub stride: u32,
    /// How many.
    pub count: u32,
}

impl Chunks {
    /// One chunk.
    pub const fn one(chunk: u32) -> Self {
        Self { first: chunk, stride: 1, count: 1 }
    }

    /// Neighbouring chunks.
    pub const fn run(first: u32, count: u32) -> Self {
        Self { first, stride: 1, count }
    }

    /// The chunks.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..self.count).map(move |index| self.first + index * self.stride)
    }
}

/// A buffer of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Buffer {
    /// The operands at first, the result at the end.
    Data,
    /// Partial results of the own rank.
    Partial,
    /// What a rank has sent, kept apart until it is reduced.
    Inbox(u32),
}

/// A buffer with the rank that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Rank.
    pub rank: u32,
    /// Its buffer.
    pub buffer: Buffer,
}

impl Place {
    /// The data of a rank.
    pub const fn data(rank: u32) -> Self {
        Self { rank, buffer: Buffer::Data }
    }

    /// What `from` sent to `rank`.
    pub const fn inbox(rank: u32, from: u32) -> Self {
        Self { rank, buffer: Buffer::Inbox(from) }
    }

    /// Partial results of a rank.
    pub const fn partial(rank: u32) -> Self {
        Self { rank, buffer: Buffer::Partial }
    }
}

/// One transfer: the sources are read and reduced, the result goes to every target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Read, all of the same chunks.
    pub sources: Vec<Place>,
    /// Written, the same chunks again.
    pub targets: Vec<Place>,
    /// The chunks.
    pub chunks: Chunks,
    /// Whether the target's own value takes part in the reduction.
    pub adds: bool,
}

impl Move {
    /// A copy from one place to others.
    pub fn copy(from: Place, targets: Vec<Place>, chunks: Chunks) -> Self {
        Self { sources: vec![from], targets, chunks, adds: false }
    }

    /// The sum of several places, written to one.
    pub fn sum(sources: Vec<Place>, to: Place, chunks: Chunks) -> Self {
        Self { sources, targets: vec![to], chunks, adds: false }
    }

    /// Chunks that cross from one rank to another.
    pub fn crossing(&self) -> u64 {
        let pairs = self.sources.iter().flat_map(|from| {
            self.targets.iter().filter(move |to| to.rank != from.rank).map(|_| 1_u64)
        });
        pairs.sum::<u64>() * u64::from(self.chunks.count)
    }
}

/// What a semaphore is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SemaphoreKind {
    /// Chunks that arrived.
    Receive,
    /// Chunks that may be sent.
    Credit,
    /// What a secondary or a primary of a pair posts to the other: `mine` of the one that waits.
    Pair,
    /// Transfers of the own rank that have ended.
    Done,
    /// An event of a mesh.
    Event,
    /// A round of recursive halving and doubling.
    Round,
}

impl SemaphoreKind {
    /// The name in the configuration where there is one: `recv_sema`, `send_sema`,
    /// `kring_peer_semas.mine`, `dma_compl_sema`, `event_wait_sema`; `round` is ours.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Receive => "recv_sema",
            Self::Credit => "send_sema",
            Self::Pair => "kring_peer_semas.mine",
            Self::Done => "dma_compl_sema",
            Self::Event => "event_wait_sema",
            Self::Round => "round",
        }
    }
}

/// A semaphore of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Semaphore {
    /// What for.
    pub kind: SemaphoreKind,
    /// Leg of the schedule that it belongs to, 0 for schedules of one leg.
    pub leg: u8,
    /// Number of the event or round; 0 elsewhere.
    pub index: u32,
}

/// A wait for a semaphore of the own rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Semaphore.
    pub semaphore: Semaphore,
    /// Goes on when the value is this or more.
    pub at_least: u32,
    /// Taken off then.
    pub take: u32,
    /// How it is known.
    pub source: Source,
}

/// A post to a semaphore of any rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// Rank that has the semaphore.
    pub rank: u32,
    /// Semaphore.
    pub semaphore: Semaphore,
    /// Added.
    pub add: u32,
    /// Member of the own configuration that has the semaphore's address, where that is known.
    pub through: Option<&'static str>,
    /// How it is known.
    pub source: Source,
}

/// What one rank does at a time: it waits, moves, and posts when all has moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Act {
    /// Rank.
    pub rank: u32,
    /// The host's or our word for it.
    pub leaf: &'static str,
    /// Waits, all of which must hold.
    pub waits: Vec<Wait>,
    /// Transfers.
    pub moves: Vec<Move>,
    /// Waits for the end of the transfers, where the algorithm has one. Each transfer adds 1.
    pub after: Vec<Wait>,
    /// Posts.
    pub posts: Vec<Post>,
}

/// The wait for the end of so many transfers.
/// Spec: docs/format/collectives-plan.md "Ring" [observed].
pub fn ended(transfers: usize, leg: u8) -> Vec<Wait> {
    let count = u32::try_from(transfers).unwrap_or(u32::MAX);
    let semaphore = Semaphore { kind: SemaphoreKind::Done, leg, index: 0 };
    vec![Wait { semaphore, at_least: count, take: count, source: Source::Observed }]
}

/// One step of the schedule. Acts of different ranks run at the same time; acts of one rank in
/// their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Part of the schedule, `reduce-scatter`, `all-gather`, an event's name.
    pub phase: &'static str,
    /// Leg: `all`, `intra` or `inter`.
    pub leg: &'static str,
    /// Event of a mesh.
    pub event: Option<MeshEvent>,
    /// Whether chunks cross to a neighbour; other steps prepare, move inside a pair or wait.
    pub is_hop: bool,
    /// How the data movement is known.
    pub source: Source,
    /// What ranks do.
    pub acts: Vec<Act>,
}

/// The program of a collective for all its ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Algorithm.
    pub algorithm: Algorithm,
    /// What it computes.
    pub operation: Operation,
    /// Ranks, and chunks of a buffer.
    pub ranks: u32,
    /// Ranks of a node, chip or rack, where the algorithm knows such groups; else 1.
    pub locals: u32,
    /// Steps.
    pub steps: Vec<Step>,
    /// What a reader must know, in sentences.
    pub notes: Vec<&'static str>,
}

impl Schedule {
    /// Steps in which chunks cross to a neighbour.
    pub fn hops(&self) -> usize {
        self.steps.iter().filter(|step| step.is_hop).count()
    }

    /// Chunks that cross between ranks, over all ranks.
    pub fn crossing(&self) -> u64 {
        let acts = self.steps.iter().flat_map(|step| &step.acts);
        acts.flat_map(|act| &act.moves).map(Move::crossing).sum()
    }
}

//! The hierarchical algorithm: legs inside nodes and between them, each the program of another
//! algorithm over some ranks and parts of the buffer.
//! Spec: docs/format/collectives-plan.md "Hierarchical" [modelled].

use super::algorithm::{ScheduleError, takes};
use super::doubling;
use super::kangaring;
use super::mesh::Mesh;
use super::names::{Algorithm, Operation};
use super::ring::Ring;
use super::schedule::{Buffer, Chunks, Move, Place, Source, Step, ended};

/// The legs of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legs {
    ranks: u32,
    locals: u32,
    intra: Algorithm,
    inter: Algorithm,
}

impl Legs {
    /// Legs for nodes of `locals` ranks, rings unless asked for.
    /// Spec: docs/format/collectives-plan.md "Hierarchical" [inferred].
    ///
    /// # Errors
    /// `collectives.leg`.
    pub fn of(
        operation: Operation,
        ranks: u32,
        locals: u32,
        asked: (Option<Algorithm>, Option<Algorithm>),
    ) -> Result<Self, ScheduleError> {
        let check = |algorithm: Algorithm, leg, ranks, why| {
            let refused = |why| {
                let (algorithm, operation) = (algorithm.name(), operation.name());
                ScheduleError::Leg { algorithm, leg, operation, ranks, why }
            };
            let able = match algorithm {
                Algorithm::Ring | Algorithm::Mesh => true,
                Algorithm::IntraRdh | Algorithm::Kangaring => leg == INTRA,
                Algorithm::InterRdh => leg == INTER,
                Algorithm::SingleCycleRing => leg == INTER && operation == Operation::AllReduce,
                _ => false,
            };
            if !able {
                return Err(refused(why));
            }
            takes(algorithm, ranks).map_err(refused)
        };
        let nodes = ranks / locals.max(1);
        let intra = asked.0.unwrap_or(Algorithm::Ring);
        let inter = asked.1.unwrap_or(Algorithm::Ring);
        let why = "there are intra-rdh, mesh, kangaring and ring";
        check(intra, INTRA, locals, why)?;
        let why = "there are mesh, inter-rdh and ring, for an all-reduce single-cycle-ring too";
        check(inter, INTER, nodes, why)?;
        Ok(Self { ranks, locals, intra, inter })
    }
}

const INTRA: &str = "inside a node";
const INTER: &str = "between nodes";

/// The ranks and the parts of the buffer that a leg is about.
struct Leg<'a> {
    members: &'a [u32],
    part: &'a dyn Fn(u32) -> Chunks,
    word: &'static str,
    number: u8,
}

/// The steps of all legs.
pub fn steps(operation: Operation, legs: Legs) -> Vec<Step> {
    let Legs { ranks, locals, .. } = legs;
    let nodes = ranks / locals.max(1);
    // Part l of the leg inside a node: the chunks of place l in every node.
    let part = |place: u32| Chunks { first: place, stride: locals, count: nodes };
    let intra = |number: u8, operation: Operation| {
        let all = (0..nodes).map(|node| {
            let members: Vec<u32> = (node * locals..(node + 1) * locals).collect();
            Leg { members: &members, part: &part, word: "intra", number }
                .steps(legs.intra, operation)
        });
        together(all.collect())
    };
    let inter = || {
        let all = (0..locals).map(|local| {
            let members: Vec<u32> = (0..nodes).map(|node| node * locals + local).collect();
            let part = |node: u32| Chunks::one(node * locals + local);
            Leg { members: &members, part: &part, word: "inter", number: 1 }
                .steps(legs.inter, operation)
        });
        together(all.collect())
    };
    let mut steps = Vec::new();
    if operation != Operation::AllGather {
        steps.extend(intra(0, Operation::ReduceScatter));
    }
    steps.extend(inter());
    if operation != Operation::ReduceScatter {
        steps.extend(intra(2, Operation::AllGather));
    }
    steps
}

/// Steps of several groups at the same time.
fn together(all: Vec<Vec<Step>>) -> Vec<Step> {
    let mut joined: Vec<Step> = Vec::new();
    for steps in all {
        for (at, step) in steps.into_iter().enumerate() {
            match joined.get_mut(at) {
                Some(there) => there.acts.extend(step.acts),
                None => joined.push(step),
            }
        }
    }
    joined
}

impl Leg<'_> {
    fn steps(&self, algorithm: Algorithm, operation: Operation) -> Vec<Step> {
        let n = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        let mut steps = match algorithm {
            Algorithm::Mesh => {
                let locals = [4, 2].into_iter().find(|locals| n.is_multiple_of(*locals));
                Mesh::new(n, locals.unwrap_or(1)).two_phases(operation)
            }
            Algorithm::Kangaring => kangaring::steps(operation, n),
            Algorithm::IntraRdh | Algorithm::InterRdh => {
                let mut steps = vec![doubling::handshake(n)];
                steps.extend(doubling::steps(operation, n.ilog2(), Source::Standard));
                steps
            }
            _ => return self.ring(operation),
        };
        for step in &mut steps {
            self.place(step);
        }
        steps
    }

    fn ring(&self, operation: Operation) -> Vec<Step> {
        let (leg, number, source) = (self.word, self.number, Source::Standard);
        let ring = Ring { members: self.members, part: self.part, leg, number, source };
        match operation {
            Operation::AllGather => ring.all_gather(),
            Operation::ReduceScatter => ring.reduce_scatter(),
            _ => ring.all_reduce(),
        }
    }

    fn member(&self, place: u32) -> u32 {
        self.members.get(place as usize).copied().unwrap_or_default()
    }

    /// Ranks, chunks and semaphores of a step over places become those of the members.
    fn place(&self, step: &mut Step) {
        step.leg = self.word;
        for act in &mut step.acts {
            act.rank = self.member(act.rank);
            for wait in &mut act.waits {
                wait.semaphore.leg = self.number;
            }
            for post in &mut act.posts {
                post.semaphore.leg = self.number;
                post.rank = self.member(post.rank);
            }
            let moves = act.moves.iter().flat_map(|one| {
                one.chunks.iter().map(|chunk| Move {
                    sources: one.sources.iter().map(|place| self.buffer(*place)).collect(),
                    targets: one.targets.iter().map(|place| self.buffer(*place)).collect(),
                    chunks: (self.part)(chunk),
                    adds: one.adds,
                })
            });
            act.moves = moves.collect();
            if !act.after.is_empty() {
                act.after = ended(act.moves.len(), self.number);
            }
        }
    }

    fn buffer(&self, place: Place) -> Place {
        let buffer = match place.buffer {
            Buffer::Inbox(from) => Buffer::Inbox(self.member(from)),
            own => own,
        };
        Place { rank: self.member(place.rank), buffer }
    }
}

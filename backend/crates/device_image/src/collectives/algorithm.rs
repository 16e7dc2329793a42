//! From an algorithm, an operation and a number of ranks to the schedule.

use super::doubling;
use super::hierarchical::{self, Legs};
use super::kangaring;
use super::mesh::Mesh;
use super::names::{Algorithm, Operation};
use super::ring::Ring;
use super::schedule::{Chunks, Schedule, Source, Step};

/// Ranks that schedules are written for: those of the largest pair ring.
/// Spec: docs/format/collectives-plan.md "Limits" [observed].
pub const MAX_RANKS: u32 = 128;

/// What an algorithm needs to know besides the number of ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Ranks of a node, chip or rack; a default if `None`.
    pub locals: Option<u32>,
    /// Whether groups are joined by switches, where the algorithm has a form for that.
    pub switched: bool,
    /// Algorithms of the legs of the hierarchical one, inside a node and between nodes; rings if
    /// `None`.
    pub legs: (Option<Algorithm>, Option<Algorithm>),
}

/// Why there is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The algorithm is not for that number of ranks.
    #[error("{algorithm} is not for {ranks} ranks: {why}")]
    Ranks {
        /// Name.
        algorithm: &'static str,
        /// Ranks.
        ranks: u32,
        /// What it is for.
        why: &'static str,
    },
    /// The algorithm does not do the operation.
    #[error("{algorithm} has no {operation}")]
    Operation {
        /// Name.
        algorithm: &'static str,
        /// Name.
        operation: &'static str,
    },
    /// The hierarchical algorithm has no such leg.
    #[error("{algorithm} is no algorithm {leg} for {operation} over {ranks} ranks: {why}")]
    Leg {
        /// Name.
        algorithm: &'static str,
        /// `inside a node` or `between nodes`.
        leg: &'static str,
        /// Name.
        operation: &'static str,
        /// Ranks of the leg.
        ranks: u32,
        /// What there is.
        why: &'static str,
    },
    /// Groups of ranks or switches are asked for, and the algorithm has no form with them.
    #[error("{algorithm} has no {what}: expected {able}")]
    Shape {
        /// Name.
        algorithm: &'static str,
        /// `groups of ranks` or `form for switches`.
        what: &'static str,
        /// Which algorithms have.
        able: &'static str,
    },
    /// The ranks of a group do not divide all ranks.
    #[error("{locals} ranks a group do not divide {ranks} ranks")]
    Locals {
        /// Ranks of a group.
        locals: u32,
        /// Ranks.
        ranks: u32,
    },
}

impl ScheduleError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Ranks { .. } => "collectives.ranks",
            Self::Operation { .. } => "collectives.operation",
            Self::Leg { .. } => "collectives.leg",
            Self::Shape { .. } => "collectives.shape",
            Self::Locals { .. } => "collectives.locals",
        }
    }
}

/// Whether an algorithm does an operation.
/// Spec: docs/format/collectives-plan.md "Algorithms" [observed].
pub const fn does(algorithm: Algorithm, operation: Operation) -> bool {
    match algorithm {
        Algorithm::SingleCycleRing | Algorithm::SingleStepMesh => {
            matches!(operation, Operation::AllReduce)
        }
        Algorithm::LatencyOptMesh => {
            matches!(operation, Operation::AllReduce | Operation::AllGather)
        }
        Algorithm::BwOptMesh => matches!(operation, Operation::AllGather),
        Algorithm::Mesh => !matches!(operation, Operation::Permute),
        Algorithm::Ring => !matches!(operation, Operation::AllToAll),
        _ => !matches!(operation, Operation::AllToAll | Operation::Permute),
    }
}

/// The number of ranks that an algorithm takes; `Err` says which it takes.
/// Spec: docs/format/collectives-plan.md "Algorithms" [observed].
pub const fn takes(algorithm: Algorithm, ranks: u32) -> Result<(), &'static str> {
    if ranks < 2 || ranks > MAX_RANKS {
        return Err("2 to 128 ranks are shown");
    }
    match algorithm {
        Algorithm::Kangaring if ranks % 2 == 1 => Err("it pairs ranks, so their number is even"),
        Algorithm::InterRdh if !ranks.is_power_of_two() || ranks < 8 => {
            Err("between nodes it takes a power of two from 8 on")
        }
        Algorithm::IntraRdh if !matches!(ranks, 4 | 8 | 16 | 64) => {
            Err("inside a node it takes 4, 8, 16 or 64 ranks")
        }
        _ => Ok(()),
    }
}

/// Ranks of a node, chip or rack when nobody says: 4 a chip as far as that divides; the smaller half
/// of the factors for the hierarchical one. `None` where ranks have no groups.
fn default_locals(algorithm: Algorithm, ranks: u32) -> Option<u32> {
    match algorithm {
        Algorithm::Hierarchical => {
            (2..ranks).find(|locals| ranks.is_multiple_of(*locals) && locals * locals >= ranks)
        }
        Algorithm::Mesh
        | Algorithm::SingleStepMesh
        | Algorithm::LatencyOptMesh
        | Algorithm::BwOptMesh => {
            [4, 2].into_iter().find(|locals| ranks.is_multiple_of(*locals)).or(Some(1))
        }
        _ => Some(1),
    }
}

/// Whether the algorithm knows groups of ranks at all.
const fn has_groups(algorithm: Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::Hierarchical
            | Algorithm::Mesh
            | Algorithm::SingleStepMesh
            | Algorithm::LatencyOptMesh
            | Algorithm::BwOptMesh
    )
}

/// The program of an algorithm for so many ranks.
///
/// # Errors
/// The algorithm does not do that, or not for so many ranks.
pub fn schedule(
    algorithm: Algorithm,
    operation: Operation,
    ranks: u32,
    shape: Shape,
) -> Result<Schedule, ScheduleError> {
    let name = algorithm.name();
    let refused = |why| ScheduleError::Ranks { algorithm: name, ranks, why };
    takes(algorithm, ranks).map_err(refused)?;
    if !does(algorithm, operation) {
        let operation = operation.name();
        return Err(ScheduleError::Operation { algorithm: name, operation });
    }
    if shape.locals.is_some_and(|locals| locals != 1) && !has_groups(algorithm) {
        let able = "hierarchical, mesh, single-step-mesh, latency-opt-mesh or bw-opt-mesh";
        return Err(ScheduleError::Shape { algorithm: name, what: "groups of ranks", able });
    }
    let switches = matches!(
        algorithm,
        Algorithm::SingleStepMesh | Algorithm::LatencyOptMesh | Algorithm::BwOptMesh
    );
    if shape.switched && !switches {
        let able = "single-step-mesh, latency-opt-mesh or bw-opt-mesh";
        return Err(ScheduleError::Shape { algorithm: name, what: "form for switches", able });
    }
    let locals = match shape.locals {
        Some(locals) if locals == 0 || !ranks.is_multiple_of(locals) => {
            return Err(ScheduleError::Locals { locals, ranks });
        }
        Some(locals) => locals,
        None => default_locals(algorithm, ranks)
            .ok_or_else(|| refused("their number has no two factors, so there are no nodes"))?,
    };
    if algorithm == Algorithm::Hierarchical && (locals == 1 || locals == ranks) {
        return Err(refused("it takes several nodes of several ranks"));
    }
    let mesh = || Mesh::new(ranks, locals);
    // One group of all ranks: the lists of one node, which reduce in a single step.
    let single = operation == Operation::AllReduce
        && (shape.locals == Some(ranks) || (ranks == 2 && locals == 2));
    let all: Vec<u32> = (0..ranks).collect();
    let (steps, notes) = match algorithm {
        Algorithm::SingleCycleRing => (ring(operation, &all, Source::Standard), SINGLE_CYCLE_NOTES),
        Algorithm::Kangaring => (kangaring::steps(operation, ranks), KANGARING_NOTES),
        Algorithm::Hierarchical => {
            let legs = Legs::of(operation, ranks, locals, shape.legs)?;
            (hierarchical::steps(operation, legs), HIERARCHICAL_NOTES)
        }
        Algorithm::Ring if operation == Operation::Permute => {
            (ring(operation, &all, Source::Standard), PERMUTE_NOTES)
        }
        Algorithm::Ring => (ring(operation, &all, Source::Observed), RING_NOTES),
        Algorithm::InterRdh => {
            (doubling::steps(operation, ranks.ilog2(), Source::Observed), INTER_RDH_NOTES)
        }
        Algorithm::IntraRdh => {
            (doubling::steps(operation, ranks.ilog2(), Source::Standard), INTRA_RDH_NOTES)
        }
        Algorithm::Mesh if single && ranks == 2 => (mesh().pair(), MESH_NOTES),
        Algorithm::Mesh if single => (mesh().single_step(), MESH_NOTES),
        Algorithm::Mesh => (mesh().two_phases(operation), MESH_NOTES),
        Algorithm::SingleStepMesh if shape.switched => (mesh().single_step_switch(), MESH_NOTES),
        Algorithm::SingleStepMesh if ranks == 2 => (Mesh::new(2, 2).pair(), MESH_NOTES),
        Algorithm::SingleStepMesh => (mesh().single_step(), MESH_NOTES),
        Algorithm::TwoStepPodMesh => (Mesh::new(ranks, 1).two_phases(operation), MESH_NOTES),
        Algorithm::LatencyOptMesh => (mesh().latency(operation), MESH_NOTES),
        Algorithm::BwOptMesh => (mesh().bandwidth(), MESH_NOTES),
    };
    Ok(Schedule { algorithm, operation, ranks, locals, steps, notes: notes.to_vec() })
}

const RING_NOTES: &[&str] = &[
    "Each channel runs these steps on its own window of the buffer, and each chunk goes in two halves.",
    "First a rank gives one credit to the rank before it, at the end the credit is taken off; a neighbour over the network gets an index instead of a post.",
];
const PERMUTE_NOTES: &[&str] = &[
    "Each rank sends its buffer to the next one: a send and a receive, as pairs of sources and targets give them.",
];
const SINGLE_CYCLE_NOTES: &[&str] = &[
    "The number of steps of the fused pass is not published: this is the ring's schedule, approximate.",
];
const KANGARING_NOTES: &[&str] = &[
    "Roles are observed, the order of parts is chosen; primaries and secondaries change between cycles.",
    "Where a received part is needed, it has been added to the primary's own: 3 reads, 1 write.",
    "A rank waits for `mine` and posts at peers[0], its partner; a primary has 1 peer where the rank before it has relative id 2, else 3, whose use is not published.",
];
const HIERARCHICAL_NOTES: &[&str] = &[
    "Rank = node * ranks of a node + place in it; rings in both legs unless asked for; which algorithms a runtime takes for them is not published.",
    "Buffers are worked on in at most 3 pipeline stages; these are the steps of one.",
];
const INTER_RDH_NOTES: &[&str] =
    &["Partners and chunks are observed; the semaphore of a round is our stand-in."];
const INTRA_RDH_NOTES: &[&str] = &[
    "The chunks of the form inside a node are not published: these are those of the form between nodes.",
];
const MESH_NOTES: &[&str] = &[
    "The order of events is observed where the event lists name the operation; what each event moves is standard knowledge, chosen so that traffic agrees.",
    "Each rank posts to itself too, and an event's wait ends it. The two barriers of functions end every list; all ranks taking part in them is chosen.",
];

fn ring(operation: Operation, members: &[u32], source: Source) -> Vec<Step> {
    let ring = Ring { members, part: &Chunks::one, leg: "all", number: 0, source };
    match operation {
        Operation::AllReduce => ring.all_reduce(),
        Operation::AllGather => ring.all_gather(),
        Operation::ReduceScatter => ring.reduce_scatter(),
        Operation::Permute => vec![ring.shift()],
        Operation::AllToAll => Vec::new(),
    }
}

//! Which algorithm runs an operation. The runtime's own thresholds are not published, so this is
//! our stand-in: the vendor's advice on sizes, and the conditions that are known.
//! Spec: docs/format/collectives-plan.md "Choice of an algorithm" [modelled].

use super::algorithm::{does, takes};
use super::names::{Algorithm, Operation};
use crate::program::Generation;

/// What the choice depends on besides the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditions {
    /// Generation of the chip.
    pub generation: Generation,
    /// Physical cores of a logical one.
    pub cores: u32,
    /// Ranks of the group.
    pub ranks: u32,
    /// Ranks of a node.
    pub ranks_per_node: u32,
    /// Bytes of the larger side.
    pub bytes: u64,
}

/// Bytes below which a mesh is advised inside a node, and above which rings are.
const SMALL: u64 = 1 << 20;
const LARGE: u64 = 56 << 20;

/// The algorithm and why; `None` if a group has no other rank.
pub fn choose(operation: Operation, conditions: &Conditions) -> Option<(Algorithm, &'static str)> {
    let Conditions { generation, cores, ranks, ranks_per_node, bytes } = *conditions;
    if ranks < 2 {
        return None;
    }
    let fits = |algorithm| does(algorithm, operation) && takes(algorithm, ranks).is_ok();
    if ranks_per_node > 1 && ranks > ranks_per_node && ranks.is_multiple_of(ranks_per_node) {
        return Some((Algorithm::Hierarchical, "the group spans several nodes"));
    }
    if generation == Generation::Sunda {
        return Some((Algorithm::Ring, "rings are the rule on this generation"));
    }
    if bytes < SMALL && fits(Algorithm::Mesh) {
        return Some((Algorithm::Mesh, "below 1 MiB inside a node"));
    }
    if bytes <= LARGE && fits(Algorithm::IntraRdh) {
        return Some((Algorithm::IntraRdh, "1 to 56 MiB inside a node"));
    }
    let enough = if cores > 1 { 4 } else { 8 };
    if bytes > LARGE && ranks > enough && fits(Algorithm::Kangaring) {
        return Some((Algorithm::Kangaring, "above 56 MiB inside a node"));
    }
    Some((Algorithm::Ring, "no other algorithm takes this group"))
}

/// Bytes up to which an all-reduce inside one node crosses it whole, in one step.
/// Spec: docs/format/collectives-plan.md "Mesh" [observed].
const ONE_STEP: u64 = 32 << 10;

/// Ranks of a group in a mesh's schedule, where the size of the node and of the message decide: one
/// group of all for what goes in a single step.
/// Spec: docs/format/collectives-plan.md "Mesh" [observed].
pub fn mesh_groups(operation: Operation, conditions: &Conditions) -> Option<u32> {
    let Conditions { ranks, ranks_per_node, bytes, .. } = *conditions;
    if ranks_per_node == 1 {
        return Some(1);
    }
    let single = operation == Operation::AllReduce && ranks <= ranks_per_node;
    match ranks {
        2 if single => Some(2),
        _ if single && bytes <= ONE_STEP => Some(ranks),
        _ if single && ranks == 4 => Some(2),
        _ => None,
    }
}

/// The variant of an algorithm, which an entry has beside it: for meshes 0 full, 1 grouped, 2 over
/// nodes; 0 for others. Switches cannot be told from a file.
/// Spec: docs/format/collectives-plan.md "Choice of an algorithm" [modelled].
pub fn variant(algorithm: Algorithm, conditions: &Conditions) -> u8 {
    if algorithm.lists_channels() {
        return 0;
    }
    match conditions.generation {
        Generation::Sunda if conditions.ranks.is_multiple_of(6) => 1,
        Generation::Sunda => 0,
        Generation::Cayman | Generation::Mariana => {
            if conditions.ranks > conditions.ranks_per_node { 2 } else { 0 }
        }
    }
}

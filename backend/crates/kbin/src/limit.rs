//! What a queue has to hold in each of its hardware queues, and for which variables.
//! Spec: docs/format/kbin.md "Checks of access patterns" [observed limit].

use records::kbin::names::MrType;

use crate::lowering::Kbin;
use crate::lowering::model::{Queue, Ring, Variable};
use crate::need::Need;

/// Variables named as the reason of a long queue.
pub const CONTRIBUTORS: usize = 5;

/// A variable's part of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contributor {
    /// Place of the variable in the tree's list.
    pub variable: u32,
    /// Descriptors of each hardware queue for the transfers that have it as a side.
    pub elements: u64,
    /// Descriptors of the file.
    pub descriptors: u64,
}

/// What a queue needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueNeed {
    /// Descriptors of each hardware queue, of the instance with most.
    pub need: Need,
    /// The variables with most of them. The state buffer, at one end of nearly all transfers, is left
    /// out.
    pub parts: Vec<Contributor>,
}

/// What an instance of a queue's ring needs: what all its blocks post.
fn ring_need(ring: &Ring) -> Need {
    let own = ring.descriptors.iter().fold(Need::NONE, |sum, one| sum.and(one.need));
    let blocks = ring.blocks.len() as u64;
    Need { read: own.read.saturating_add(blocks), write: own.write.saturating_add(blocks), ..own }
}

/// What a queue needs. Its instances are rings of their own.
pub fn queue_need(tree: &Kbin, queue: &Queue) -> QueueNeed {
    let rings = queue.rings.iter().map(|ring| (ring_need(ring), ring));
    // Of equal ones the first counts.
    let longest = rings.rev().max_by_key(|(need, _)| need.most());
    let Some((need, ring)) = longest else {
        return QueueNeed { need: Need::NONE, parts: Vec::new() };
    };
    let mut parts: std::collections::BTreeMap<u32, Contributor> = std::collections::BTreeMap::new();
    for descriptor in &ring.descriptors {
        let own = descriptor.need;
        let elements = if need.read >= need.write { own.read } else { own.write };
        let mut sides: Vec<u32> = descriptor
            .from_variables
            .iter()
            .flatten()
            .copied()
            .chain(descriptor.to_variable)
            .collect();
        sides.sort_unstable();
        sides.dedup();
        for variable in sides {
            let is_buffer = |one: &Variable| one.kind == MrType::SB;
            if tree.variables.get(variable as usize).is_none_or(is_buffer) {
                continue;
            }
            let part = parts.entry(variable).or_insert(Contributor {
                variable,
                elements: 0,
                descriptors: 0,
            });
            part.elements = part.elements.saturating_add(elements);
            part.descriptors += 1;
        }
    }
    let mut parts: Vec<Contributor> = parts.into_values().collect();
    parts.sort_by_key(|part| (std::cmp::Reverse(part.elements), part.variable));
    parts.truncate(CONTRIBUTORS);
    QueueNeed { need, parts }
}

/// A sum; the largest number stands for all that exceed 2^64.
pub fn sum_of(elements: u64) -> String {
    if elements == u64::MAX { "2^64 or more".to_owned() } else { elements.to_string() }
}

//! Access patterns of descriptors against their variables and queues: what is wrong with them.
//! Spec: docs/format/kbin.md "Checks of access patterns" [inferred].

use neff::Severity;
use records::kbin::names::{DescOp, MrType, RingType};

use crate::lowering::Kbin;
use crate::lowering::model::{Descriptor, Queue, Side, Variable};
use crate::lowering::notes::{About, shown};
use crate::reach::{MAX_RUNS, Reach, apart, out_of_bounds, runs, runs_of, touched};

/// Descriptors that one hardware queue can hold; more end in `queue size ... too large`.
/// Spec: docs/format/kbin.md "Checks of access patterns" [observed].
pub const MAX_QUEUE_ELEMENTS: u64 = 16_777_216;
/// Bytes of the state buffer as offsets count them: 128 partitions, 2^18 bytes apart.
/// Spec: docs/format/kbin.md "Checks of access patterns" [observed].
pub const STATE_BUFFER_BYTES: u64 = 128 << 18;
/// Findings about patterns in one tree.
const MAX_FINDINGS: usize = 500;
/// Variables named as the reason of a long queue.
pub const CONTRIBUTORS: usize = 5;

/// Descriptors that hardware needs at least for one descriptor: the larger number of runs, for
/// each source.
pub fn elements(descriptor: &Descriptor) -> u64 {
    let most = runs_of(&descriptor.from).max(runs_of(&descriptor.to));
    let sources = descriptor.from_variables.len().max(1) as u128;
    u64::try_from(most.saturating_mul(sources)).unwrap_or(u64::MAX)
}

/// A variable's part of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contributor {
    /// Place of the variable in the tree's list.
    pub variable: u32,
    /// Hardware descriptors of the transfers that have it as a side.
    pub elements: u64,
    /// Descriptors.
    pub descriptors: u64,
}

/// Hardware descriptors of a queue, and the variables with most of them. The state buffer, at one
/// end of nearly all transfers, is left out.
pub fn queue_elements(tree: &Kbin, queue: &Queue) -> (u64, Vec<Contributor>) {
    let mut total = 0_u64;
    let mut parts: std::collections::BTreeMap<u32, Contributor> = std::collections::BTreeMap::new();
    for descriptor in queue.rings.iter().flat_map(|ring| &ring.descriptors) {
        let elements = elements(descriptor);
        total = total.saturating_add(elements);
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
    (total, parts)
}

/// A sum; the largest number stands for all that exceed 2^64.
fn sum_of(elements: u64) -> String {
    if elements == u64::MAX { "2^64 or more".to_owned() } else { elements.to_string() }
}

/// Something wrong with the access patterns of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Code of the finding.
    pub code: &'static str,
    /// Sentence for a person.
    pub message: String,
    /// The variable concerned, by place in the tree's list; `None` if it is between both sides.
    pub variable: Option<u32>,
}

impl Fault {
    /// How much it matters: that both sides share bytes can be meant.
    pub fn severity(&self) -> Severity {
        match self.code {
            "kbin.pattern-overlap" => Severity::Warning,
            _ => Severity::Error,
        }
    }
}

/// Two sides and their variables, by place in the tree's list.
#[derive(Clone, Copy, Debug)]
pub struct Transfer<'a> {
    /// In words: `a descriptor of queue x`.
    pub who: &'a str,
    /// Sources; all have one pattern.
    pub from_variables: &'a [Option<u32>],
    /// Pattern of the sources.
    pub from: &'a Side,
    /// Target.
    pub to_variable: Option<u32>,
    /// Pattern of the target.
    pub to: &'a Side,
    /// Operation.
    pub op: DescOp,
    /// Whether the two sides have different element types on purpose.
    pub is_cast: bool,
}

impl<'a> Transfer<'a> {
    /// A descriptor.
    pub fn of(who: &'a str, descriptor: &'a Descriptor) -> Self {
        Self {
            who,
            from_variables: &descriptor.from_variables,
            from: &descriptor.from,
            to_variable: descriptor.to_variable,
            to: &descriptor.to,
            op: descriptor.op,
            is_cast: descriptor.is_cast,
        }
    }
}

/// Bytes that a variable has for offsets of transfers; `None` where the file does not say.
pub fn room(variable: &Variable) -> Option<u64> {
    match variable.kind {
        MrType::SB => Some(STATE_BUFFER_BYTES),
        _ if variable.has_size => Some(variable.size),
        _ => None,
    }
}

impl Kbin {
    /// Checks every descriptor against its variables, and every queue against its limit.
    pub fn check_patterns(&mut self) {
        let mut found = Vec::new();
        let mut left = MAX_RUNS;
        let rings = self.queues.iter().enumerate().flat_map(|(at, queue)| {
            queue.rings.iter().enumerate().map(move |(ring_at, ring)| (at, queue, ring_at, ring))
        });
        'all: for (queue_at, queue, ring_at, ring) in rings {
            let who = format!("a descriptor of queue `{}`", shown(&queue.name));
            for (row, descriptor) in ring.descriptors.iter().enumerate() {
                let block = ring.blocks.get(descriptor.block as usize);
                let place = self.place_in(block.and_then(|block| block.engine), descriptor.at);
                for fault in self.faults(&Transfer::of(&who, descriptor), &mut left) {
                    let about = About {
                        queue: Some(queue_at),
                        descriptor: Some((ring_at, row)),
                        variables: fault.variable.into_iter().collect(),
                    };
                    if found.len() == MAX_FINDINGS {
                        let message = "more findings about access patterns are not listed";
                        let place = (place, About::default());
                        let code = "kbin.pattern-more";
                        found.push((Severity::Warning, code, place, message.to_owned()));
                        break 'all;
                    }
                    let place = (place.clone(), about);
                    found.push((fault.severity(), fault.code, place, fault.message));
                }
            }
        }
        for (queue_at, queue) in self.queues.iter().enumerate() {
            let (total, parts) = queue_elements(self, queue);
            if total <= MAX_QUEUE_ELEMENTS || queue.ring_type == RingType::MODEL {
                continue;
            }
            let names: Vec<String> = parts
                .iter()
                .filter_map(|part| {
                    let variable = self.variables.get(part.variable as usize)?;
                    Some(format!("`{}` {}", shown(&variable.name), sum_of(part.elements)))
                })
                .collect();
            let message = format!(
                "queue `{}` needs at least {} hardware descriptors, {MAX_QUEUE_ELEMENTS} are the \
                 most; most of them are for {}",
                shown(&queue.name),
                sum_of(total),
                names.join(", ")
            );
            let about = About {
                queue: Some(queue_at),
                descriptor: None,
                variables: parts.iter().map(|part| part.variable).collect(),
            };
            let place = (self.place(queue.at), about);
            found.push((Severity::Error, "kbin.queue-size", place, message));
        }
        for (severity, code, place, message) in found {
            self.notes.find_about(severity, code, place, message);
        }
    }

    /// What is wrong with a transfer, on its own.
    pub fn transfer_faults(&self, transfer: &Transfer<'_>) -> Vec<Fault> {
        self.faults(transfer, &mut { MAX_RUNS })
    }

    fn faults(&self, transfer: &Transfer<'_>, left: &mut u64) -> Vec<Fault> {
        let mut faults = Vec::new();
        let who = transfer.who;
        let get = |index: Option<u32>| self.variables.get(index? as usize);
        let (from, to) = (Reach::of(transfer.from), Reach::of(transfer.to));
        let sources = transfer.from_variables.iter().map(|at| ("source", *at, transfer.from));
        let target = ("target", transfer.to_variable, transfer.to);
        for (word, index, side) in sources.chain(std::iter::once(target)) {
            let variable = get(index);
            let Some(variable) = variable else { continue };
            let mut fault = |code, message| faults.push(Fault { code, message, variable: index });
            if let Some(size) = room(variable)
                && out_of_bounds(side, size)
            {
                let message = format!(
                    "the {word} of {who} touches {} of `{}` (byte {:#x} of the definition), which \
                     has {size}",
                    touched(side),
                    shown(&variable.name),
                    variable.at
                );
                fault("kbin.pattern-bounds", message);
            }
            let element = variable.element_size;
            if let (Some(element), Some(bytes)) = (element, side.dtype.bytes())
                && element != bytes
            {
                let message = format!(
                    "the {word} of {who} has elements of {bytes} bytes, `{}` (byte {:#x} of the \
                     definition) of {element}",
                    shown(&variable.name),
                    variable.at
                );
                fault("kbin.element-size", message);
            }
        }
        let (Some(from), Some(to)) = (from, to) else { return faults };
        let is_copy = transfer.op == DescOp::COPY;
        if is_copy {
            let mut fault = |code, message| faults.push(Fault { code, message, variable: None });
            let bytes = |side: &Side| side.dtype.bytes().map(u128::from);
            match (transfer.is_cast, bytes(transfer.from), bytes(transfer.to)) {
                (false, source, target) => {
                    if let (Some(source), Some(target)) = (source, target)
                        && source != target
                    {
                        let message = format!(
                            "the copy of {who} reads elements of {source} bytes and writes \
                             elements of {target}"
                        );
                        fault("kbin.element-size", message);
                    }
                    if from.bytes != to.bytes {
                        fault("kbin.pattern-bytes", unequal(who, from.bytes, to.bytes));
                    }
                }
                (true, Some(source), Some(target)) => {
                    if from.bytes * target != to.bytes * source {
                        fault("kbin.pattern-bytes", unequal(who, from.bytes, to.bytes));
                    }
                }
                (true, _, _) => {}
            }
        }
        let same = transfer.to_variable.is_some()
            && transfer.from_variables.contains(&transfer.to_variable);
        let overlaps = same && is_copy && meet(transfer.from, from, transfer.to, to, left);
        if overlaps && let Some(variable) = get(transfer.to_variable) {
            let message = format!(
                "{who} copies within `{}`: it reads bytes {} to {} and writes bytes {} to {}, \
                 which meet",
                shown(&variable.name),
                from.start,
                from.end - 1,
                to.start,
                to.end - 1
            );
            let variable = transfer.to_variable;
            faults.push(Fault { code: "kbin.pattern-overlap", message, variable });
        }
        faults
    }
}

fn unequal(who: &str, from: u128, to: u128) -> String {
    format!("{who} reads {from} bytes and writes {to}")
}

/// Whether two sides of one variable touch a common byte. Exact up to a number of runs; beyond it
/// sides whose hulls meet count as apart, so that no finding is wrong.
fn meet(one: &Side, reach: Reach, other: &Side, other_reach: Reach, left: &mut u64) -> bool {
    if reach.start >= other_reach.end || other_reach.start >= reach.end {
        return false;
    }
    let (Some(runs), Some(more)) = (runs(one, left), runs(other, left)) else { return false };
    let apart = apart(runs);
    more.into_iter().any(|(start, end)| {
        let before = apart.partition_point(|(begin, _)| *begin < end);
        before.checked_sub(1).and_then(|last| apart.get(last)).is_some_and(|last| last.1 > start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::kbin::names::Dtype;

    fn side(offset: u64, sizes: &[u64], steps: &[i64]) -> Side {
        Side { offset, sizes: sizes.to_vec(), steps: steps.to_vec(), dtype: Dtype::INVALID }
    }

    #[test]
    fn interleaved_rows_do_not_meet() {
        let meets = |one: &Side, other: &Side| {
            meet(one, Reach::of(one).unwrap(), other, Reach::of(other).unwrap(), &mut 1_000_000)
        };
        let even = side(0, &[4, 3], &[1, 8]);
        assert!(!meets(&even, &side(4, &[4, 3], &[1, 8])));
        assert!(meets(&even, &side(3, &[2], &[1])));
        assert!(!meets(&even, &side(4, &[4], &[1])));
        assert!(meets(&even, &even));
        assert!(!meets(&even, &side(100, &[4], &[1])));
        // Bytes 0, 2, 4 against byte 3 and byte 4.
        let bytes = side(0, &[3], &[2]);
        assert!(!meets(&bytes, &side(3, &[1], &[1])));
        assert!(meets(&bytes, &side(4, &[1], &[1])));
    }
}

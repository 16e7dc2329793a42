//! Access patterns of descriptors: bytes they touch, runs they need, and what is wrong with them.
//! Spec: docs/format/kbin.md "Checks of access patterns" [inferred].

use neff::Severity;
use records::kbin::names::{DescOp, MrType, RingType};

use crate::lowering::Kbin;
use crate::lowering::model::{Descriptor, Queue, Side, Variable};
use crate::lowering::notes::{About, shown};

/// Descriptors that one hardware queue can hold; more end in `queue size ... too large`.
/// Spec: docs/format/kbin.md "Checks of access patterns" [observed].
pub const MAX_QUEUE_ELEMENTS: u64 = 16_777_216;
/// Bytes of the state buffer as offsets count them: 128 partitions, 2^18 bytes apart.
/// Spec: docs/format/kbin.md "Checks of access patterns" [observed].
pub const STATE_BUFFER_BYTES: u64 = 128 << 18;
/// Runs of one side that are compared with those of the other side.
const MAX_COMPARED_RUNS: u64 = 4_096;
/// Runs of all sides of one tree that are compared.
const MAX_RUNS: u64 = 4_000_000;
/// Findings about patterns in one tree.
const MAX_FINDINGS: usize = 500;
/// Variables named as the reason of a long queue.
pub const CONTRIBUTORS: usize = 5;

/// Which bytes of its variable a side touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// First byte; negative if a negative step leads there.
    pub start: i128,
    /// One past the last byte.
    pub end: i128,
    /// Bytes that are transferred.
    pub bytes: u128,
    /// Fewest contiguous runs that carry them.
    pub runs: u128,
}

impl Reach {
    /// The reach of a side; `None` for a size of 0, or sizes and steps of different number.
    pub fn of(side: &Side) -> Option<Self> {
        if side.sizes.is_empty() || side.sizes.len() != side.steps.len() {
            return None;
        }
        let (mut start, mut last) = (i128::from(side.offset), i128::from(side.offset));
        let (mut bytes, mut runs) = (1_u128, 1_u128);
        // Bytes of one run, as long as the dimensions so far are contiguous.
        let mut run = Some(1_i128);
        for (size, step) in side.sizes.iter().zip(&side.steps) {
            if *size == 0 {
                return None;
            }
            let (size, step) = (i128::from(*size), i128::from(*step));
            let span = (size - 1).saturating_mul(step);
            if span < 0 {
                start = start.saturating_add(span);
            } else {
                last = last.saturating_add(span);
            }
            bytes = bytes.saturating_mul(size.unsigned_abs());
            if size == 1 {
                continue;
            }
            run = match run {
                Some(length) if step == length => Some(length.saturating_mul(size)),
                _ => {
                    runs = runs.saturating_mul(size.unsigned_abs());
                    None
                }
            };
        }
        Some(Self { start, end: last.saturating_add(1), bytes, runs })
    }
}

/// Descriptors that hardware needs at least for one descriptor: the larger number of runs, for
/// each source.
pub fn elements(descriptor: &Descriptor) -> u64 {
    let runs = |side| Reach::of(side).map_or(1, |reach| reach.runs);
    let most = runs(&descriptor.from).max(runs(&descriptor.to));
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
                    Some(format!("`{}` {}", shown(&variable.name), part.elements))
                })
                .collect();
            let message = format!(
                "queue `{}` needs at least {total} hardware descriptors, {MAX_QUEUE_ELEMENTS} are \
                 the most; most of them are for {}",
                shown(&queue.name),
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
        let sources = transfer.from_variables.iter().map(|index| (*index, get(*index)));
        let sides = sources.map(|one| ("source", one, from, transfer.from)).chain(std::iter::once(
            ("target", (transfer.to_variable, get(transfer.to_variable)), to, transfer.to),
        ));
        for (word, (index, variable), reach, side) in sides {
            let (Some(variable), Some(reach)) = (variable, reach) else { continue };
            let mut fault = |code, message| faults.push(Fault { code, message, variable: index });
            if let Some(size) = room(variable)
                && (reach.start < 0 || reach.end > i128::from(size))
            {
                let message = format!(
                    "the {word} of {who} touches bytes {} to {} of `{}` (byte {:#x} of the \
                     definition), which has {size}",
                    reach.start,
                    reach.end - 1,
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
                    if from.bytes.saturating_mul(target) != to.bytes.saturating_mul(source) {
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

/// The byte ranges that a side touches, ascending and apart; `None` for an empty pattern, or for
/// more runs than are compared.
pub fn ranges(side: &Side) -> Option<Vec<(i128, i128)>> {
    Reach::of(side)?;
    runs(side, &mut { MAX_RUNS }).map(apart)
}

/// The ranges that two lists of [`ranges`] share.
pub fn shared(one: &[(i128, i128)], other: &[(i128, i128)]) -> Vec<(i128, i128)> {
    let mut out = Vec::new();
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(&&(a, b)), Some(&&(c, d))) = (left.peek(), right.peek()) {
        let (start, end) = (a.max(c), b.min(d));
        if start < end {
            out.push((start, end));
        }
        if b < d {
            left.next()
        } else {
            right.next()
        };
    }
    out
}

/// Runs that touch become one, so that those left are apart and ascend in both ends.
fn apart(mut runs: Vec<(i128, i128)>) -> Vec<(i128, i128)> {
    runs.sort_unstable();
    let mut apart: Vec<(i128, i128)> = Vec::new();
    for (start, end) in runs {
        match apart.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => apart.push((start, end)),
        }
    }
    apart
}

/// The runs of a side, or `None` if there are too many.
fn runs(side: &Side, left: &mut u64) -> Option<Vec<(i128, i128)>> {
    let (size, step) = (*side.sizes.first()?, *side.steps.first()?);
    let outer = side.sizes.iter().skip(1).try_fold(1_u64, |sum, size| sum.checked_mul(*size))?;
    let inner = if step == 1 { 1 } else { size };
    let count = outer.checked_mul(inner).filter(|count| *count <= MAX_COMPARED_RUNS)?;
    *left = left.checked_sub(count)?;
    let mut starts = Vec::with_capacity(usize::try_from(count).ok()?);
    starts.push(i128::from(side.offset));
    let skipped = usize::from(step == 1);
    for (size, step) in side.sizes.iter().zip(&side.steps).skip(skipped) {
        let begins = std::mem::take(&mut starts);
        for index in 0..*size {
            let add = i128::from(index).saturating_mul(i128::from(*step));
            starts.extend(begins.iter().map(|begin| begin.saturating_add(add)));
        }
    }
    let length = if step == 1 { i128::from(size) } else { 1 };
    Some(starts.into_iter().map(|start| (start, start.saturating_add(length))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::kbin::names::Dtype;

    fn side(offset: u64, sizes: &[u64], steps: &[i64]) -> Side {
        Side { offset, sizes: sizes.to_vec(), steps: steps.to_vec(), dtype: Dtype::INVALID }
    }

    #[test]
    fn reach_of_strided_and_reversed_sides() {
        let reach = |side: &Side| Reach::of(side).map(|r| (r.start, r.end, r.bytes, r.runs));
        // One run of 128 bytes; the outer size of 1 changes nothing.
        assert_eq!(reach(&side(0, &[128, 1], &[1, 128])), Some((0, 128, 128, 1)));
        // 3 rows of 4 bytes, 16 apart: last byte 2 * 16 + 3.
        assert_eq!(reach(&side(8, &[4, 3], &[1, 16])), Some((8, 44, 12, 3)));
        // Rows that touch are one run.
        assert_eq!(reach(&side(0, &[4, 3], &[1, 4])), Some((0, 12, 12, 1)));
        // A contiguous dimension behind a gap stays split.
        assert_eq!(reach(&side(0, &[4, 3, 2], &[1, 16, 48])), Some((0, 84, 24, 6)));
        // Backwards from byte 32: rows at 32, 16, 0.
        assert_eq!(reach(&side(32, &[4, 3], &[1, -16])), Some((0, 36, 12, 3)));
        assert_eq!(reach(&side(0, &[4, 3], &[1, -16])), Some((-32, 4, 12, 3)));
        assert_eq!(reach(&side(0, &[4, 0], &[1, 16])), None);
        assert_eq!(reach(&side(0, &[4], &[1, 16])), None);
        assert_eq!(reach(&side(0, &[], &[])), None);
        let most = side(u64::MAX, &[u64::MAX; 8], &[i64::MIN; 8]);
        assert!(Reach::of(&most).is_some());
    }

    #[test]
    fn ranges_are_apart_and_share_what_both_have() {
        // Rows of 4 every 8 bytes, from 0: 0-4, 8-12, 16-20. Backwards it is the same.
        let rows = [(0, 4), (8, 12), (16, 20)];
        assert_eq!(ranges(&side(0, &[4, 3], &[1, 8])).unwrap(), rows);
        assert_eq!(ranges(&side(16, &[4, 3], &[1, -8])).unwrap(), rows);
        // Rows that touch are one range, bytes twice written too.
        assert_eq!(ranges(&side(2, &[4, 3], &[1, 4])).unwrap(), [(2, 14)]);
        assert_eq!(ranges(&side(2, &[4, 3], &[1, 0])).unwrap(), [(2, 6)]);
        assert_eq!(ranges(&side(0, &[0, 3], &[1, 4])), None);
        assert_eq!(ranges(&side(0, &[1, 4_097], &[1, 2])), None, "too many");
        assert_eq!(shared(&rows, &[(2, 9), (19, 30)]), [(2, 4), (8, 9), (19, 20)]);
        assert_eq!(shared(&rows, &[(4, 8), (12, 16)]), []);
        assert_eq!(shared(&[], &rows), []);
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

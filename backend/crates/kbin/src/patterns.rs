//! Access patterns of descriptors against their variables and queues: what is wrong with them.
//! Spec: docs/format/kbin.md "Checks of access patterns" [inferred].

use neff::Severity;
use records::kbin::names::{DescOp, Dtype, MrType, RingType};

use crate::limit::sum_of;
pub use crate::limit::{CONTRIBUTORS, Contributor, QueueNeed, queue_need};
use crate::lowering::Kbin;
use crate::lowering::model::{Arm, Descriptor, Side, Variable};
use crate::lowering::notes::{About, shown};
use crate::meet::{meet, repeats};
use crate::need::MAX_DESCRIPTORS;
use crate::partition::{Misplaced, PARTITIONS, STRIDE, misplaced, run_bytes};
use crate::reach::{NoReach, Reach, out_of_bounds, range, touched};

/// Bytes of the state buffer as offsets count them: 128 partitions, 2^18 bytes apart.
/// Spec: docs/format/kbin.md "Checks of access patterns" [observed].
pub const STATE_BUFFER_BYTES: u64 = PARTITIONS * STRIDE;
/// Steps of all comparisons of one tree, and of one transfer.
const MAX_STEPS: u64 = 4_000_000;
/// Findings about patterns in one tree.
const MAX_FINDINGS: usize = 500;
/// Something wrong with the access patterns of a transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Code of the finding.
    pub code: &'static str,
    /// Sentence for a person.
    pub message: String,
    /// The variables concerned, by place in the tree's list: that of one side, or those of both.
    pub variables: Vec<u32>,
}

impl Fault {
    /// How much it matters: that both sides share bytes can be meant, and the type of a variable is
    /// there to print it.
    pub fn severity(&self) -> Severity {
        match self.code {
            "kbin.pattern-overlap" | "kbin.pattern-unchecked" | "kbin.element-type" => {
                Severity::Warning
            }
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
    /// Both sides in words, with their variables.
    fn sides(&self) -> [(&'static str, &'a Side, Vec<u32>); 2] {
        let mut sources: Vec<u32> = self.from_variables.iter().flatten().copied().collect();
        sources.dedup();
        [("source", self.from, sources), ("target", self.to, Vec::from_iter(self.to_variable))]
    }

    /// The variables of both sides, each once.
    fn variables(&self) -> Vec<u32> {
        let mut all = Vec::new();
        for at in self.from_variables.iter().flatten().chain(&self.to_variable) {
            if !all.contains(at) {
                all.push(*at);
            }
        }
        all
    }

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
        let mut left = MAX_STEPS;
        let rings = self.queues.iter().enumerate().flat_map(|(at, queue)| {
            queue.rings.iter().enumerate().map(move |(ring_at, ring)| (at, queue, ring_at, ring))
        });
        'all: for (queue_at, queue, ring_at, ring) in rings {
            let who = format!("a descriptor of queue `{}`", shown(&queue.name));
            for (row, descriptor) in ring.descriptors.iter().enumerate() {
                let block = ring.blocks.get(descriptor.block as usize);
                let place = self.place_in(block.and_then(|block| block.engine), descriptor.at);
                for fault in self.faults(&Transfer::of(&who, descriptor), &mut left) {
                    let severity = fault.severity();
                    let about = About {
                        queue: Some(queue_at),
                        descriptor: Some((ring_at, row)),
                        variables: fault.variables,
                    };
                    if found.len() == MAX_FINDINGS {
                        let message = "more findings about access patterns are not listed";
                        let place = (place, About::default());
                        let code = "kbin.pattern-more";
                        found.push((Severity::Warning, code, place, message.to_owned()));
                        break 'all;
                    }
                    let place = (place.clone(), about);
                    found.push((severity, fault.code, place, fault.message));
                }
            }
        }
        for (queue_at, queue) in self.queues.iter().enumerate() {
            let QueueNeed { need, parts } = queue_need(self, queue);
            if need.most() <= MAX_DESCRIPTORS || queue.ring_type == RingType::MODEL {
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
                "queue `{}` needs {} descriptors in each of {} hardware queues [{}], \
                 {MAX_DESCRIPTORS} are the most, and a loader ends with `queue size ... too large`; most \
                 of them are for {}",
                shown(&queue.name),
                sum_of(need.most()),
                queue.hardware_queues,
                need.provenance.name(),
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
        self.faults(transfer, &mut { MAX_STEPS })
    }

    fn faults(&self, transfer: &Transfer<'_>, left: &mut u64) -> Vec<Fault> {
        let mut faults = Vec::new();
        let who = transfer.who;
        let get = |index: Option<u32>| self.variables.get(index? as usize);
        let sides = transfer.sides();
        for (word, side, variables) in &sides {
            if Reach::checked(side) == Err(NoReach::Rank) {
                let message = format!(
                    "the {word} of {who} has {} sizes and {} steps, expected one of each for every \
                     dimension; which bytes it touches is not known and not checked",
                    side.sizes.len(),
                    side.steps.len()
                );
                let variables = variables.clone();
                faults.push(Fault { code: "kbin.pattern-rank", message, variables });
            }
        }
        let (from, to) = (Reach::of(transfer.from), Reach::of(transfer.to));
        let sources = transfer.from_variables.iter().map(|at| ("source", *at, transfer.from));
        let target = ("target", transfer.to_variable, transfer.to);
        for (word, index, side) in sources.chain(std::iter::once(target)) {
            let variable = get(index);
            let Some(variable) = variable else { continue };
            let mut fault = |code, message| {
                faults.push(Fault { code, message, variables: index.into_iter().collect() });
            };
            if let Some(size) = room(variable)
                && out_of_bounds(side, size)
            {
                let message = format!(
                    "the {word} of {who} touches {} of `{}` (byte {:#x} of the definition), which \
                     has {}",
                    touched(side),
                    shown(&variable.name),
                    variable.at,
                    range(0, size)
                );
                fault("kbin.pattern-bounds", message);
            }
            if variable.kind == MrType::SB {
                for (code, message) in self.misplaced(who, word, (variable, side), left) {
                    fault(code, message);
                }
            }
            let Some(bytes) = side.dtype.bytes() else { continue };
            let name = shown(&variable.name);
            match variable.element_size {
                Some(element) if element != bytes => {
                    let message = format!(
                        "the {word} of {who} has elements of {bytes} bytes, `{name}` (byte {:#x} of \
                         the definition) of {element}",
                        variable.at
                    );
                    fault("kbin.element-size", message);
                }
                Some(_) => {}
                None => {
                    let element = Dtype::of_text(&variable.dtype).and_then(Dtype::bytes);
                    if let Some(element) = element.filter(|element| *element != bytes) {
                        let message = format!(
                            "the {word} of {who} has elements of {bytes} bytes, `{name}` (byte {:#x} \
                             of the definition) is of type {} with {element}",
                            variable.at,
                            shown(&variable.dtype)
                        );
                        fault("kbin.element-type", message);
                    }
                }
            }
        }
        for (word, side, variables) in sides {
            let Some(element) = side.dtype.bytes().map(u128::from) else { continue };
            let run = run_bytes(side);
            if Reach::of(side).is_some()
                && !run.is_multiple_of(element)
                && side.steps.first() == Some(&1)
            {
                let message = format!(
                    "the {word} of {who} has rows of {run} bytes, no whole number of elements of \
                     {element}"
                );
                faults.push(Fault { code: "kbin.element-rows", message, variables });
            }
        }
        let (Some(from), Some(to)) = (from, to) else { return faults };
        let is_copy = transfer.op == DescOp::COPY;
        if is_copy {
            let mut fault = |code, message| {
                faults.push(Fault { code, message, variables: transfer.variables() });
            };
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
        self.overlaps(transfer, (from, to), left, &mut faults);
        faults
    }

    /// What is wrong with a side's place in the partitions of the state buffer.
    fn misplaced(
        &self,
        who: &str,
        word: &str,
        (variable, side): (&Variable, &Side),
        left: &mut u64,
    ) -> Vec<(&'static str, String)> {
        let name = shown(&variable.name);
        let target = self.target.name().unwrap_or("INVALID").to_lowercase();
        let told = misplaced(self, side, left).into_iter().map(|wrong| match wrong {
            Misplaced::Crosses => {
                let message = format!(
                    "a row of the {word} of {who} goes from one partition of `{name}` to the next, \
                     which are {STRIDE:#x} bytes apart and hold fewer"
                );
                ("kbin.pattern-partition", message)
            }
            Misplaced::Behind(room) => {
                let message = format!(
                    "the {word} of {who} touches {} of `{name}`, some of them behind byte {:#x} of \
                     a partition, the last one that programs for {target} use",
                    touched(side),
                    room - 1
                );
                ("kbin.pattern-partition", message)
            }
            Misplaced::Reserved(from, bytes) => {
                let message = format!(
                    "the {word} of {who} touches {} of `{name}`, some of them in the reserved area \
                     {} of a partition",
                    touched(side),
                    range(from, from.saturating_add(bytes))
                );
                ("kbin.pattern-reserved", message)
            }
            Misplaced::Unchecked => {
                let message = format!(
                    "the {word} of {who} has more rows than are compared with the partitions of \
                     `{name}`: whether they are in bounds is not known"
                );
                ("kbin.pattern-unchecked", message)
            }
        });
        told.collect()
    }

    /// Bytes that a transfer reads and writes, or writes twice.
    fn overlaps(
        &self,
        transfer: &Transfer<'_>,
        (from, to): (Reach, Reach),
        left: &mut u64,
        faults: &mut Vec<Fault>,
    ) {
        let who = transfer.who;
        let at = transfer.to_variable;
        let Some(target) = at.and_then(|at| self.variables.get(at as usize)) else { return };
        let mut add = |code, message, variables| faults.push(Fault { code, message, variables });
        let mut unchecked = false;
        let mut sources = transfer.from_variables.to_vec();
        sources.sort_unstable();
        sources.dedup();
        for from_at in sources {
            let source = from_at.and_then(|at| self.variables.get(at as usize));
            let Some((source, shift)) =
                source.and_then(|source| Some((source, shift_of(source, target)?)))
            else {
                continue;
            };
            match meet(transfer.from, transfer.to, shift, left) {
                Some(false) => {}
                None => unchecked = true,
                Some(true) => {
                    let within = match source.at == target.at {
                        true => format!("within `{}`", shown(&target.name)),
                        false => format!(
                            "from `{}` to `{}`, which share bytes of the scratchpad",
                            shown(&source.name),
                            shown(&target.name)
                        ),
                    };
                    let message = format!(
                        "{who} moves {within}: it reads {} and writes {}, which meet",
                        range(from.start, from.end),
                        range(to.start, to.end)
                    );
                    let mut both: Vec<u32> = from_at.into_iter().chain(at).collect();
                    both.dedup();
                    add("kbin.pattern-overlap", message, both);
                }
            }
        }
        match repeats(transfer.to, left) {
            Some(false) => {}
            None => unchecked = true,
            Some(true) => {
                let message = format!(
                    "{who} writes some of {} of `{}` more than once",
                    range(to.start, to.end),
                    shown(&target.name)
                );
                add("kbin.pattern-overlap", message, at.into_iter().collect());
            }
        }
        if unchecked {
            let message = format!(
                "{who} reads {} runs and writes {} in `{}`, more than are compared: whether they \
                 meet is not known",
                from.runs,
                to.runs,
                shown(&target.name)
            );
            add("kbin.pattern-unchecked", message, transfer.variables());
        }
    }
}

/// How far on the bytes of a second variable are, where both lie in one place: they are the same
/// variable, or ranges of one scratchpad.
fn shift_of(one: &Variable, other: &Variable) -> Option<i128> {
    if one.at == other.at {
        return Some(0);
    }
    match (&one.arm, &other.arm) {
        (
            Arm::Virtual { offset: first, backing, .. },
            Arm::Virtual { offset: second, backing: same, .. },
        ) if backing == same => Some(i128::from(*second) - i128::from(*first)),
        _ => None,
    }
}

fn unequal(who: &str, from: u128, to: u128) -> String {
    format!("{who} reads {from} bytes and writes {to}")
}

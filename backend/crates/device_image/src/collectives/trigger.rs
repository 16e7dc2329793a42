//! The records of a program that start collectives, with what they say about variables.
//! Spec: docs/format/collectives-plan.md "Triggers" [observed].

use super::groups;
use super::names::{Kind, Operation};
use crate::memory::Variables;
use neff::{Findings, Package, Place, Severity, Subgraph};
use records::payload::collective::{AllReduce, Collective, Collective2, Extension, SendRecv};
use records::payload::value::{Dtype, alu_op_name};
use records::{Engine, Opcode, Provenance, SLOT_BYTES, Slot};

/// Streams of a program, and channels that an entry has a bit for.
/// Spec: docs/format/collectives-plan.md "Limits" [observed].
pub const MAX_STREAMS: u64 = 4;
const MAX_CHANNELS: u32 = 32;
/// Triggers of one program that are planned.
pub const MAX_TRIGGERS: usize = 16_384;

/// A variable that a trigger names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Id.
    pub id: u32,
    /// Name; `None` if the program has no such variable. Untrusted.
    pub name: Option<String>,
    /// First byte in the variable.
    pub offset: u64,
    /// Bytes that are moved, where that is known.
    pub bytes: Option<u64>,
    /// Bytes of the variable.
    pub size: Option<u64>,
}

impl Operand {
    fn available(&self) -> Option<u64> {
        self.size?.checked_sub(self.offset)
    }
}

/// A record that starts a collective.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trigger {
    /// Engine.
    pub engine: Engine,
    /// 0-based slot of its stream.
    pub slot: u32,
    /// Operation code of the record.
    pub opcode: u8,
    /// What it asks for.
    pub kind: Kind,
    /// How that is known: observed by number, inferred from sizes.
    pub kind_from: Provenance,
    /// Number of the kind, where the record has one.
    pub ctype: Option<u8>,
    /// Reduction, as an operation of the engines.
    pub reduction: Option<u8>,
    /// Element type.
    pub dtype: Option<Dtype>,
    /// Elements as the record counts them.
    pub elements: Option<u64>,
    /// Bytes of these elements.
    pub bytes: Option<u64>,
    /// Index of the replica groups; `None` for a send or a receive.
    pub group: Option<u32>,
    /// File; inferred for a record without one, or one whose place is.
    pub group_from: Provenance,
    /// Read.
    pub inputs: Vec<Operand>,
    /// Written.
    pub outputs: Vec<Operand>,
    /// Rank to send to or to receive from.
    pub peer: Option<u64>,
    /// Place in a chain: 0 none, 1 initial, 2 body, 3 final.
    pub chaining: Option<u8>,
    /// Stream that the extension names.
    pub stream: Option<u16>,
    /// Channel that the extension names.
    pub channel: Option<u16>,
    /// What says the direction of a transfer: 1 sends.
    pub direction: Option<u8>,
}

impl Trigger {
    /// Where it is.
    pub fn place(&self, subgraph: &Subgraph) -> Place {
        Place {
            subgraph: Some(subgraph.name.clone()),
            engine: Some(self.engine.name()),
            offset: Some(u64::from(self.slot) * SLOT_BYTES as u64),
            ..Place::default()
        }
    }

    /// Bytes that decide about the algorithm: those of the larger side.
    pub fn message_bytes(&self) -> Option<u64> {
        let sides = self.inputs.iter().chain(&self.outputs).filter_map(|side| side.bytes);
        sides.max().or(self.bytes)
    }
}

/// Whether records of an operation code start a collective.
pub fn is_trigger(opcode: u8) -> bool {
    matches!(
        Opcode(opcode),
        Opcode::PSEUDO_TRIGGER_ALL_REDUCE
            | Opcode::PSEUDO_TRIGGER_COLLECTIVE
            | Opcode::PSEUDO_TRIGGER_COLLECTIVE2
            | Opcode::PSEUDO_SEND_RECV
    )
}

/// All triggers of a subgraph, by engine and slot, with what is odd about them.
pub fn triggers(package: &Package, subgraph: &Subgraph, findings: &mut Findings) -> Vec<Trigger> {
    // What is odd about variables is for others to say.
    let variables = Variables::of(subgraph, &mut Findings::new());
    let mut found = Vec::new();
    for engine in Engine::ALL {
        let slots = package.slots(subgraph.engine(engine));
        for (at, slot) in slots.iter().enumerate() {
            let next = slots.get(at + 1);
            let Some(mut trigger) = read(engine, at, slot, next, &variables) else { continue };
            if found.len() == MAX_TRIGGERS {
                let message = format!("only the first {MAX_TRIGGERS} collectives are planned");
                let place = trigger.place(subgraph);
                findings.push(Severity::Warning, "collectives.limit", place, message);
                return found;
            }
            let set = trigger.group.and_then(|group| group_of(subgraph, group));
            settle(&mut trigger, set);
            check(&trigger, subgraph, findings);
            check_numbers(&trigger, subgraph, findings);
            found.push(trigger);
        }
    }
    found
}

/// The replica groups of an index; `None` if there are none, or they cannot be read.
pub fn group_of(subgraph: &Subgraph, index: u32) -> Option<&[Vec<u32>]> {
    let index = usize::try_from(index).ok()?;
    if subgraph.definition.unread_groups.contains(&index) {
        return None;
    }
    subgraph.definition.replica_groups.get(index).map(Vec::as_slice)
}

fn read(
    engine: Engine,
    at: usize,
    slot: &Slot,
    next: Option<&Slot>,
    variables: &Variables,
) -> Option<Trigger> {
    let operand = |id: u32, offset: u64| {
        let variable = variables.get(id);
        Operand {
            id,
            name: variable.map(|one| one.name.clone()),
            offset,
            bytes: None,
            size: variable.map(|one| one.size),
        }
    };
    let mut trigger = Trigger {
        engine,
        slot: u32::try_from(at).ok()?,
        opcode: slot.opcode_byte(),
        kind: Kind::Unknown,
        kind_from: Provenance::Observed,
        ctype: None,
        reduction: None,
        dtype: None,
        elements: None,
        bytes: None,
        group: None,
        group_from: Provenance::File,
        inputs: Vec::new(),
        outputs: Vec::new(),
        peer: None,
        chaining: None,
        stream: None,
        channel: None,
        direction: None,
    };
    match Opcode(slot.opcode_byte()) {
        Opcode::PSEUDO_TRIGGER_ALL_REDUCE => {
            let record = AllReduce::of(slot);
            trigger.kind = Kind::Collective(Operation::AllReduce);
            trigger.reduction = Some(record.op);
            trigger.dtype = Some(Dtype(record.dtype));
            trigger.elements = Some(record.num_elements.get());
            // The record has no index: the first groups are meant.
            (trigger.group, trigger.group_from) = (Some(0), Provenance::Inferred);
            trigger.inputs = vec![operand(record.input_tensor_id.get(), record.src_offset.get())];
            trigger.outputs = vec![operand(record.output_tensor_id.get(), record.dst_offset.get())];
        }
        Opcode::PSEUDO_TRIGGER_COLLECTIVE => {
            let record = Collective::of(slot);
            trigger.ctype = Some(record.ctype);
            trigger.reduction = Some(record.op);
            trigger.dtype = Some(Dtype(record.dtype));
            trigger.elements = Some(record.num_elements.get());
            trigger.group = Some(u32::from(record.group_id.get()));
            trigger.inputs = vec![operand(record.input_tensor_id.get(), record.src_offset.get())];
            trigger.outputs = vec![operand(record.output_tensor_id.get(), record.dst_offset.get())];
        }
        Opcode::PSEUDO_TRIGGER_COLLECTIVE2 => {
            let record = Collective2::of(slot);
            trigger.ctype = Some(record.ctype);
            trigger.reduction = Some(record.op);
            trigger.dtype = Some(Dtype(record.dtype));
            let extension =
                next.filter(|slot| Opcode(slot.opcode_byte()) == Opcode::PSEUDO_EXTENSION);
            if let Some(slot) = extension {
                let [chaining, group, channel, stream, ..] = Extension::ALL_FIELDS else {
                    return None;
                };
                trigger.chaining = u8::try_from(chaining.number_in(slot)).ok();
                trigger.group = u32::try_from(group.number_in(slot)).ok();
                trigger.group_from = Provenance::Inferred;
                trigger.stream = u16::try_from(stream.number_in(slot)).ok();
                trigger.channel = u16::try_from(channel.number_in(slot)).ok();
            }
        }
        Opcode::PSEUDO_SEND_RECV => {
            let record = SendRecv::of(slot);
            let mut side = operand(record.tensor_id.get(), record.offset.get());
            side.bytes = Some(record.size.get());
            trigger.bytes = side.bytes;
            trigger.peer = Some(record.peer.get());
            trigger.direction = Some(record.is_send);
            if record.is_send == 1 {
                trigger.kind = Kind::Send;
                trigger.inputs = vec![side];
            } else {
                trigger.kind = Kind::Receive;
                trigger.outputs = vec![side];
            }
        }
        _ => return None,
    }
    Some(trigger)
}

/// Settles the kind and the bytes of both sides.
/// Spec: docs/format/collectives-plan.md "Triggers" [inferred].
fn settle(trigger: &mut Trigger, set: Option<&[Vec<u32>]>) {
    if trigger.peer.is_some() {
        return;
    }
    let element = trigger.dtype.and_then(Dtype::bytes).map(u64::from);
    trigger.bytes =
        element.zip(trigger.elements).and_then(|(bytes, elements)| bytes.checked_mul(elements));
    let ranks = set.and_then(|set| set.first()).map(Vec::len).filter(|ranks| *ranks > 1);
    let ranks = ranks.and_then(|ranks| u64::try_from(ranks).ok());
    let sides = trigger
        .inputs
        .first()
        .and_then(Operand::available)
        .zip(trigger.outputs.first().and_then(Operand::available));
    match trigger.ctype {
        Some(1) => trigger.kind = Kind::Collective(Operation::AllReduce),
        Some(3) => {
            trigger.kind = Kind::Collective(Operation::AllGather);
            trigger.kind_from = Provenance::Inferred;
        }
        Some(_) => {
            // No name is known for the number: sizes of the two sides tell some kinds.
            let fits = ranks.zip(sides).and_then(|(ranks, (input, output))| {
                if input > 0 && input.checked_mul(ranks) == Some(output) {
                    Some(Operation::AllGather)
                } else if output > 0 && output.checked_mul(ranks) == Some(input) {
                    Some(Operation::ReduceScatter)
                } else {
                    None
                }
            });
            if let Some(operation) = fits {
                trigger.kind = Kind::Collective(operation);
                trigger.kind_from = Provenance::Inferred;
            }
        }
        None => {}
    }
    let Some(bytes) = trigger.bytes else { return };
    let (input, output) = match (trigger.kind.operation(), ranks) {
        (Some(Operation::AllReduce), _) => (Some(bytes), Some(bytes)),
        // The count is of the side whose size it fits: the small one if both could be.
        (Some(Operation::AllGather), Some(ranks)) => {
            let small = sides.is_none_or(|(input, _)| input >= bytes);
            scaled(bytes, ranks, small)
        }
        (Some(Operation::ReduceScatter), Some(ranks)) => {
            let small = sides
                .is_some_and(|(input, _)| bytes.checked_mul(ranks).is_some_and(|all| all <= input));
            let (output, input) = scaled(bytes, ranks, small);
            (input, output)
        }
        _ => (None, None),
    };
    for (side, bytes) in [(&mut trigger.inputs, input), (&mut trigger.outputs, output)] {
        for operand in side {
            operand.bytes = bytes;
        }
    }
}

/// Bytes of the small and of the large side, given those of one of them.
fn scaled(bytes: u64, ranks: u64, is_small: bool) -> (Option<u64>, Option<u64>) {
    if is_small {
        (Some(bytes), bytes.checked_mul(ranks))
    } else {
        (bytes.checked_div(ranks), Some(bytes))
    }
}

fn check(trigger: &Trigger, subgraph: &Subgraph, findings: &mut Findings) {
    let mut say = |severity, code, message| {
        findings.push(severity, code, trigger.place(subgraph), message);
    };
    for operand in trigger.inputs.iter().chain(&trigger.outputs) {
        let Some(size) = operand.size else {
            let message =
                format!("the collective names variable {}, which is not there", operand.id);
            say(Severity::Error, "collectives.variable", message);
            continue;
        };
        let end = operand.bytes.and_then(|bytes| bytes.checked_add(operand.offset));
        if operand.offset > size || (operand.bytes.is_some() && end.is_none_or(|end| end > size)) {
            let message = format!(
                "the collective moves {} bytes at {} of variable {}, which has {size}",
                operand.bytes.map_or("some".to_owned(), |bytes| bytes.to_string()),
                operand.offset,
                operand.id
            );
            say(Severity::Error, "collectives.range", message);
        }
    }
    if let Some(elements) = trigger.elements.filter(|_| trigger.bytes.is_none()) {
        // Too many to count in bytes: past the end of everything.
        if trigger.dtype.is_some_and(|dtype| dtype.bytes().is_some()) {
            let message = format!(
                "the collective moves {elements} elements, whose bytes are 2^64 or more; expected what its variables hold"
            );
            say(Severity::Error, "collectives.range", message);
        }
    }
    if trigger.elements == Some(0) || trigger.bytes == Some(0) {
        let message = "the collective moves no element".to_owned();
        say(Severity::Warning, "collectives.empty", message);
    }
    let sets = &subgraph.definition.replica_groups;
    if let Some(group) = trigger.group.filter(|group| group_of(subgraph, *group).is_none()) {
        let unread = subgraph.definition.extra.contains_key("replica_groups");
        let has = match unread {
            true if sets.is_empty() => {
                "the definition's `replica_groups` are not nested arrays of rank numbers".into()
            }
            true if (group as usize) < sets.len() => {
                "these are not nested arrays of rank numbers; others of the definition are".into()
            }
            _ => format!("the definition has {}", sets.len()),
        };
        let message = format!("the collective names replica groups {group}, and {has}");
        say(Severity::Error, "collectives.group", message);
    }
    let set = trigger.group.and_then(|group| group_of(subgraph, group)).unwrap_or_default();
    let uneven = set.iter().find(|ranks| {
        let n = ranks.len() as u64;
        trigger.kind == Kind::Collective(Operation::ReduceScatter)
            && n > 0
            && trigger.inputs.first().and_then(|side| side.bytes).is_some_and(|all| all % n != 0)
    });
    if let Some(ranks) = uneven {
        let message = format!("the operand does not split evenly over {}", groups::one(ranks));
        say(Severity::Error, "collectives.uneven", message);
    }
    if trigger.opcode == Opcode::PSEUDO_TRIGGER_COLLECTIVE2.0 && trigger.chaining.is_none() {
        let message = "no extension follows the collective, so its group is not known".to_owned();
        say(Severity::Error, "collectives.extension", message);
    }
}

/// Numbers of a record that no runtime takes.
/// Spec: docs/format/collectives-plan.md "Limits" [observed].
fn check_numbers(trigger: &Trigger, subgraph: &Subgraph, findings: &mut Findings) {
    let mut say = |code, message| {
        findings.push(Severity::Error, code, trigger.place(subgraph), message);
    };
    if let Some(channel) = trigger.channel.filter(|channel| u32::from(*channel) >= MAX_CHANNELS) {
        let message = format!(
            "the collective names channel {channel}, and an entry has bits for channels 0 to 31"
        );
        say("collectives.channels", message);
    }
    if let Some(stream) = trigger.stream.filter(|stream| u64::from(*stream) >= MAX_STREAMS) {
        let message =
            format!("the collective names stream {stream}, and a program has streams 0 to 3");
        say("collectives.streams", message);
    }
    if let Some(code) = trigger.direction.filter(|code| *code > 1) {
        let message =
            format!("the direction of the transfer is {code}; expected 0, a receive, or 1, a send");
        say("collectives.direction", message);
    }
    if let Some(dtype) = trigger.dtype.filter(|dtype| dtype.0 == 0 || dtype.name().is_none()) {
        let message = format!("{:#x} is no element type; expected 0x1 to 0xf", dtype.0);
        say("collectives.dtype", message);
    }
    let moves =
        matches!(trigger.kind, Kind::Collective(Operation::AllReduce | Operation::ReduceScatter));
    if let Some(code) = trigger.reduction.filter(|code| moves && alu_op_name(*code).is_none()) {
        let message = format!("{code} is no reduction; runtimes take ADD 4, MAX 8 and MIN 9");
        say("collectives.reduction", message);
    }
}

/// Chains of operations that one trigger starts: an initial one, body, a final one.
/// Spec: docs/format/collectives-plan.md "Triggers" [observed].
pub fn check_chains(triggers: &[Trigger], subgraph: &Subgraph, findings: &mut Findings) {
    let mut open: Option<&Trigger> = None;
    let mut say = |trigger: &Trigger, message: String| {
        let place = trigger.place(subgraph);
        findings.push(Severity::Error, "collectives.chain", place, message);
    };
    let at = |trigger: &Trigger| format!("{} slot {}", trigger.engine.name(), trigger.slot);
    for trigger in triggers {
        // A chain is a matter of one engine.
        if let Some(begun) = open.filter(|begun| begun.engine != trigger.engine) {
            say(begun, "the chain of collectives that begins here has no final one".to_owned());
            open = None;
        }
        match (trigger.chaining, open) {
            (None | Some(0), None) => {}
            (None | Some(0), Some(begun)) => {
                let message =
                    format!("a collective of no chain stands inside the chain of {}", at(begun));
                say(trigger, message);
            }
            (Some(1), None) => open = Some(trigger),
            (Some(1), Some(begun)) => {
                let message = format!(
                    "the chain of {} begins again before its final collective: it is circular",
                    at(begun)
                );
                say(trigger, message);
                open = Some(trigger);
            }
            (Some(2), Some(_)) => {}
            (Some(3), Some(_)) => open = None,
            (Some(2 | 3), None) => {
                say(trigger, "a chain of collectives goes on that never began".to_owned());
            }
            (Some(other), _) => {
                say(trigger, format!("{other} is no place in a chain of collectives"));
            }
        }
    }
    if let Some(begun) = open {
        say(begun, "the chain of collectives that begins here has no final one".to_owned());
    }
}

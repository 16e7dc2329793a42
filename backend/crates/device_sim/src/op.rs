//! A device record as a run needs it: what it does, its waits and updates, and its cost. Decoded
//! once for each slot of an image.

use device_image::Image;
use device_image::image::Origin;
use kbin::effects::{MemoryEffects, MemoryOperand, memory_effects, starts_collective};
use records::payload::value::Place;
use records::{Engine, EngineClass, NeffIp, Opcode, Slot, Sync};

use crate::gate::{Effect, Gate};
use crate::input::EngineInput;
use crate::timing::GenerationTiming;

/// What a record does besides waiting, updating and taking time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Plain,
    /// Work of the engine itself.
    Compute,
    /// Waits for that work to end.
    Drain,
    /// Stops the sequencer.
    Halt,
    /// Writes constants to device addresses.
    Write,
    /// Tells the host something.
    Notify,
    /// Puts a constant into a register.
    Move,
    /// Computes on registers.
    Alu,
    /// Goes elsewhere.
    Branch,
    /// Goes to a function and keeps the way back.
    Call {
        /// Register of the return address, low word.
        low: u8,
        /// Register of the high word.
        high: u8,
    },
    /// Loads a register.
    Load,
    /// Stores a register or constants.
    Store,
    /// Clears semaphores.
    RangeClear,
    /// Starts a transfer that has no rings.
    Direct,
    /// Starts a collective operation.
    Collective,
    /// Does something that no model knows, so that it runs without effect.
    NotModelled,
    /// Cannot run.
    Bad(Bad),
}

/// Why a record cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// No generation assigns the operation code.
    Opcode,
    /// A wait or update has a mode without a meaning.
    Mode,
    /// An operand leaves the state buffer or PSUM.
    Operand,
}

/// One device record.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// What it does.
    pub action: Action,
    /// Whether its completion updates wait for the collective that its source record starts.
    pub after_collective: bool,
    /// Its waits; both must hold.
    pub gates: [Option<Gate>; 2],
    /// Its updates.
    pub effects: [Option<Effect>; 2],
    /// Time of the sequencer, ps, at least 1.
    pub issue_ps: u64,
    /// Time of the engine's work, ps.
    pub work_ps: u64,
}

/// The records of one image.
#[derive(Debug)]
pub struct Program<'a> {
    /// Engine.
    pub engine: Engine,
    /// Image.
    pub image: &'a Image,
    /// Records, one for each slot.
    pub ops: Vec<Op>,
    /// Device address of the first slot.
    pub base: u64,
    /// Stream that the image was made from.
    pub stream: &'a [Slot],
    /// First slot after MAIN.
    pub main_end: u32,
    /// First slot of MAIN.
    pub main_start: u32,
}

impl<'a> Program<'a> {
    /// Decodes an image. Operands must stay below `partition_bytes` of a state buffer partition.
    pub fn decode(input: EngineInput<'a>, timing: &GenerationTiming, partition_bytes: i64) -> Self {
        let slot_of = |bytes: u64| u32::try_from(bytes / 64).unwrap_or(u32::MAX);
        let EngineInput { image, base, stream } = input;
        let engine = image.engine;
        let decode = |slot: &Slot| decode(engine, slot, timing, partition_bytes);
        let mut ops: Vec<Op> = image.slots.iter().map(decode).collect();
        mark_collectives(&mut ops, image, stream);
        mark_calls(&mut ops, image);
        let core = image.ranges.core;
        Self {
            engine,
            image,
            base,
            stream,
            ops,
            main_end: slot_of(core.end()),
            main_start: slot_of(core.offset),
        }
    }

    /// The source record that a slot was made from.
    pub fn source(&self, pc: u32) -> Option<(NeffIp, &'a Slot)> {
        let Origin::Record(ip) = self.image.info.get(pc as usize)?.origin else { return None };
        Some((ip, self.stream.get(ip.slot()?.0 as usize)?))
    }

    /// The record at a slot.
    pub fn slot(&self, pc: u32) -> Option<&'a Slot> {
        self.image.slots.get(pc as usize)
    }
}

/// Records of the sequencer that do more than wait, update and take time, and nobody knows what: their
/// modes have no published meaning.
const NOT_MODELLED: [Opcode; 4] =
    [Opcode::MOVE_SHAPE, Opcode::POLL_SEM, Opcode::TEST_EVENT_SEM, Opcode::COMPACT_CONTROL_INST];

/// Bytes of PSUM of a partition.
/// Spec: docs/format/streams.md "Addresses" [observed].
const PSUM_BYTES: i64 = 0x4000;
/// Partitions of the state buffer.
const PARTITIONS: u32 = 128;

fn decode(engine: Engine, slot: &Slot, timing: &GenerationTiming, partition_bytes: i64) -> Op {
    let opcode = Opcode(slot.opcode_byte());
    let sync = Sync::of(slot);
    let (waits, updates) = ([sync.wait, sync.wait2], [sync.update, sync.update2]);
    let gates = waits.map(|wait| wait.and_then(Gate::of));
    let effects = updates.map(|update| update.and_then(Effect::of));
    let unknown = waits.iter().zip(&gates).any(|(wait, gate)| wait.is_some() && gate.is_none())
        || updates.iter().zip(&effects).any(|(one, effect)| one.is_some() && effect.is_none());
    let class = opcode.info().map(|info| info.class);
    let mut elements = 0;
    let mut action = match opcode {
        Opcode::DRAIN => Action::Drain,
        Opcode::HALT => Action::Halt,
        Opcode::WRITE => Action::Write,
        Opcode::NOTIFY => Action::Notify,
        Opcode::MOVE => Action::Move,
        Opcode::ALU_OP => Action::Alu,
        Opcode::COMPARE_BRANCH => Action::Branch,
        Opcode::TENSOR_LOAD => Action::Load,
        Opcode::TENSOR_STORE => Action::Store,
        Opcode::EVENT_SEMAPHORE_RANGE_CLEAR => Action::RangeClear,
        Opcode::PSEUDO_DMA_DIRECT2D => Action::Direct,
        _ => match class {
            None | Some(EngineClass::None) => Action::Bad(Bad::Opcode),
            Some(EngineClass::Pseudo) => Action::NotModelled,
            Some(EngineClass::Sequencer) if NOT_MODELLED.contains(&opcode) => Action::NotModelled,
            Some(EngineClass::Sequencer) => Action::Plain,
            Some(_) => {
                let memory = memory_effects(slot);
                let all = || memory.reads.iter().chain(&memory.writes);
                elements = elements_of(&memory);
                if all().all(|one| is_inside(one, partition_bytes)) {
                    Action::Compute
                } else {
                    Action::Bad(Bad::Operand)
                }
            }
        },
    };
    if unknown && !matches!(action, Action::Bad(_)) {
        action = Action::Bad(Bad::Mode);
    }
    let (issue_ps, work_ps) = timing.record_ps(engine, opcode, elements);
    Op { action, after_collective: false, gates, effects, issue_ps, work_ps }
}

/// Elements of a partition that a record works on: those of its largest operand.
pub fn elements(slot: &Slot) -> u64 {
    elements_of(&memory_effects(slot))
}

fn elements_of(memory: &MemoryEffects) -> u64 {
    let all = memory.reads.iter().chain(&memory.writes);
    all.map(|one| one.pattern.product()).max().unwrap_or(0)
}

/// Whether a record is work of its engine rather than of the sequencer.
pub fn is_work(opcode: Opcode) -> bool {
    !matches!(
        opcode.info().map(|info| info.class),
        None | Some(EngineClass::None | EngineClass::Sequencer | EngineClass::Pseudo)
    )
}

/// Whether all bytes of an operand are there. Element types of unknown size are let through.
pub fn is_inside(operand: &MemoryOperand, partition_bytes: i64) -> bool {
    let Some((low, high)) = operand.extent() else { return true };
    let within = |byte: u32, room: i64| {
        let byte = i64::from(byte);
        byte + low >= 0 && byte + high < room
    };
    match operand.address.place() {
        Place::StateBuffer { partition, byte } => {
            within(byte, partition_bytes)
                && u32::from(partition) + u32::from(operand.partitions) <= PARTITIONS
        }
        Place::Psum { byte } => within(byte, PSUM_BYTES),
        Place::Unknown => false,
    }
}

/// Slots of one collective trigger: the first record that writes starts it, the completion
/// updates of the last one wait for its end.
/// Spec: docs/format/simulator.md "Collectives" [modelled].
fn mark_collectives(ops: &mut [Op], image: &Image, stream: &[Slot]) {
    let ip_of = |at: usize| match image.info.get(at).map(|info| info.origin) {
        Some(Origin::Record(ip)) => Some(ip),
        _ => None,
    };
    let mut at = 0;
    while at < ops.len() {
        let ip = ip_of(at);
        let source = ip.and_then(|ip| stream.get(ip.slot()?.0 as usize));
        if !source.is_some_and(|slot| starts_collective(Opcode(slot.opcode_byte()))) {
            at += 1;
            continue;
        }
        let end = (at + 1..ops.len()).find(|next| ip_of(*next) != ip).unwrap_or(ops.len());
        let group = ops.get_mut(at..end).unwrap_or_default();
        let start = group.iter().position(|op| op.action == Action::Write).unwrap_or(0);
        if let Some(op) = group.get_mut(start) {
            op.action = Action::Collective;
        }
        if let Some(op) = group.last_mut() {
            op.after_collective = true;
        }
        at = end;
    }
}

/// Branches that stand for calls: the runtime's list of resolved placeholders has those that go to
/// the start of a function.
/// Spec: docs/format/simulator.md "Functions" [modelled].
fn mark_calls(ops: &mut [Op], image: &Image) {
    for offset in &image.post_process {
        let Ok(at) = usize::try_from(offset / 64) else { continue };
        let Some(slot) = image.slots.get(at) else { continue };
        let distance = i64::from(slot.u32_at(0x30) as i32);
        let target = i64::try_from(*offset).unwrap_or(i64::MAX).saturating_add(distance);
        let goes_to = |first: u32| i64::from(first) * 64 == target;
        let function = image.functions.iter().skip(1).find(|one| goes_to(one.first.0));
        if let (Some(function), Some(op)) = (function, ops.get_mut(at))
            && op.action == Action::Branch
        {
            let (low, high) = function.return_registers;
            op.action = Action::Call { low, high };
        }
    }
}

//! What a record waits for, posts, reads and writes, as far as that is known.
//!
//! Not in the answer: writes to event and semaphore registers through device addresses (`WRITE`,
//! `TENSOR_STORE`), which need an address map; `POLL_SEM`, whose modes have no known meaning; and
//! what the runtime makes of a pseudo instruction other than a transfer.

use records::payload::collective as coll;
use records::payload::compute;
use records::payload::sequencer::RangeClear;
use records::payload::transfer::Direct2d;
use records::payload::value::{Dtype, LocalAddress, Pattern};
use records::payload::{Confidence, sequencer};
use records::sync::{Sync, UpdateKind, WaitKind, WaitMode};
use records::{Opcode, Slot, Update, Wait};

/// A semaphore or an event of the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SyncTarget {
    /// One of 256 counters.
    Semaphore(u8),
    /// One of 256 flags.
    Event(u8),
}

/// Which part of the record says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// The head.
    Head,
    /// The second pair of `EVENT_SEMAPHORE`.
    Second,
    /// The operation itself.
    Operation,
}

/// When a post happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// As the waits end and the instruction starts.
    Start,
    /// When the instruction is done.
    Completion,
    /// When the transfer that the record starts has moved its bytes.
    TransferEnd,
}

/// A condition that must hold before the record runs. All conditions of a record must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitEffect {
    /// What is waited for.
    pub target: SyncTarget,
    /// The condition.
    pub condition: WaitKind,
    /// Compared value, or the register that holds it; 0 for events.
    pub value: u32,
    /// Where it stands.
    pub lane: Lane,
}

/// A change that the record makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostEffect {
    /// What is changed.
    pub target: SyncTarget,
    /// How.
    pub action: UpdateKind,
    /// Value, or the register that holds it; 1 for `++` and `--`, 0 for events.
    pub value: u32,
    /// Whether `value` is a register.
    pub from_register: bool,
    /// When.
    pub when: When,
    /// Where it stands.
    pub lane: Lane,
    /// How sure that is.
    pub confidence: Confidence,
}

/// Waits and posts of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncEffects {
    /// Conditions, head first.
    pub waits: Vec<WaitEffect>,
    /// Changes, in the order they happen.
    pub posts: Vec<PostEffect>,
    /// A mode byte has no known meaning, so the lists are not complete.
    pub unknown_mode: bool,
}

/// What a block of a queue posts when its transfer ends: the block's semaphore from the engine
/// JSON, and the queue's number of rings, each of which adds 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueContext {
    /// Semaphore of the block.
    pub semaphore: u8,
    /// Rings of the queue.
    pub rings: u16,
}

/// Waits and posts of a record. `queue` is the triggered block of a `PSEUDO_DMATRIGGER`; without
/// it the post of the transfer is missing. Other records ignore it.
/// Spec: docs/format/streams.md "Waits", "Updates", "Transfer payloads" [observed].
pub fn sync_effects(slot: &Slot, queue: Option<QueueContext>) -> SyncEffects {
    let mut effects = SyncEffects::default();
    let sync = Sync::of(slot);
    for (wait, lane) in [(sync.wait, Lane::Head), (sync.wait2, Lane::Second)] {
        if let Some(wait) = wait {
            add_wait(&mut effects, wait, lane);
        }
    }
    for (update, lane) in [(sync.update, Lane::Head), (sync.update2, Lane::Second)] {
        if let Some(update) = update {
            add_update(&mut effects, update, lane);
        }
    }
    match Opcode(slot.opcode_byte()) {
        Opcode::PSEUDO_DMATRIGGER => {
            if let Some(QueueContext { semaphore, rings }) = queue {
                effects.posts.push(transfer_post(semaphore, u32::from(rings)));
            }
        }
        Opcode::PSEUDO_DMA_DIRECT2D => {
            let transfer = Direct2d::of(slot);
            if transfer.increment != 0 {
                let increment = u32::from(transfer.increment);
                effects.posts.push(transfer_post(transfer.semaphore, increment));
            }
        }
        Opcode::EVENT_SEMAPHORE_RANGE_CLEAR => {
            effects.posts.extend(cleared(sequencer::RangeClear::of(slot)).map(|id| PostEffect {
                target: SyncTarget::Semaphore(id),
                action: UpdateKind::Write,
                value: 0,
                from_register: false,
                when: When::Start,
                lane: Lane::Operation,
                confidence: Confidence::Observed,
            }));
        }
        _ => {}
    }
    effects
}

/// The semaphores that a range clear sets to 0, ascending; none for an unknown mode.
pub fn cleared(record: &RangeClear) -> impl Iterator<Item = u8> + '_ {
    let in_range = move |id: u8| record.first <= id && id <= record.last;
    let in_mask = |id: u8| {
        let byte = record.mask.get(usize::from(id / 8)).copied().unwrap_or(0);
        byte >> (id % 8) & 1 == 1
    };
    (0..=u8::MAX).filter(move |&id| match record.mode {
        1 => in_range(id),
        2 => in_mask(id),
        _ => false,
    })
}

/// One operand of a compute instruction in the state buffer or in PSUM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryOperand {
    /// Address of the first element in the first partition.
    pub address: LocalAddress,
    /// Steps and counts inside a partition.
    pub pattern: Pattern,
    /// Element type.
    pub dtype: Dtype,
    /// Partitions, each with the same pattern.
    pub partitions: u8,
}

impl MemoryOperand {
    /// First and last byte relative to the address, in each partition; `None` if the operand is
    /// empty or the size of its elements is not known.
    pub fn extent(&self) -> Option<(i64, i64)> {
        self.pattern.extent(self.dtype.bytes()?)
    }
}

/// The operands of a compute instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryEffects {
    /// Operands that are read.
    pub reads: Vec<MemoryOperand>,
    /// Operands that are written.
    pub writes: Vec<MemoryOperand>,
}

/// What a compute instruction reads and writes inside the core. Empty for everything else.
/// The bias of `ACTIVATE` is not in it: its pattern is not known.
/// Spec: docs/format/streams.md "Compute payloads" [observed; partitions of PE operands inferred].
pub fn memory_effects(slot: &Slot) -> MemoryEffects {
    let operand = |address: u32, pattern, dtype, partitions| MemoryOperand {
        address: LocalAddress(address),
        pattern,
        dtype: Dtype(dtype),
        partitions,
    };
    match Opcode(slot.opcode_byte()) {
        Opcode::LDWEIGHTS => {
            let op = compute::LoadWeights::of(slot);
            let pattern = Pattern::of3(op.src_steps, op.src_counts);
            let read = operand(op.src.get(), pattern, op.dtype, op.rows);
            MemoryEffects { reads: vec![read], writes: Vec::new() }
        }
        Opcode::MATMUL => {
            let op = compute::Matmul::of(slot);
            let src = Pattern::of3(op.src_steps, op.src_counts);
            let dst = Pattern::of3(op.dst_steps, op.dst_counts);
            // A product is accumulated as fp32; a transpose keeps the type of the data.
            let dst_dtype = if op.transpose == 1 { op.dtype } else { 0x0a };
            MemoryEffects {
                reads: vec![operand(op.src.get(), src, op.dtype, op.rows)],
                writes: vec![operand(op.dst.get(), dst, dst_dtype, op.columns)],
            }
        }
        Opcode::ACTIVATE => {
            let op = compute::Activate::of(slot);
            let src = Pattern::of3(op.src_steps, op.src_counts);
            let dst = Pattern::of3(op.dst_steps, op.dst_counts);
            let (dtype, _) = Dtype::pair(op.dtypes);
            MemoryEffects {
                reads: vec![operand(op.src.get(), src, dtype.0, op.partitions)],
                writes: vec![operand(op.dst.get(), dst, op.out_dtype, op.partitions)],
            }
        }
        Opcode::TENSOR_TENSOR_ARITH_OP => {
            let op = compute::TensorTensor::of(slot);
            let (dtype0, dtype1) = Dtype::pair(op.dtypes);
            let src0 = Pattern::of3(op.src0_steps, op.src0_counts);
            let src1 = Pattern::of3(op.src1_steps, op.src1_counts);
            let dst = Pattern::of3(op.dst_steps, op.dst_counts);
            MemoryEffects {
                reads: vec![
                    operand(op.src0.get(), src0, dtype0.0, op.partitions),
                    operand(op.src1.get(), src1, dtype1.0, op.partitions),
                ],
                writes: vec![operand(op.dst.get(), dst, op.out_dtype, op.partitions)],
            }
        }
        // The reduction's source and target stand where a copy has them.
        Opcode::TENSOR_REDUCE_ARITH_OP | Opcode::COPY | Opcode::CAST => {
            let op = compute::Copy::of(slot);
            let src = Pattern::of4(op.src_steps, op.src_counts);
            let dst = Pattern::of4(op.dst_steps, op.dst_counts);
            MemoryEffects {
                reads: vec![operand(op.src.get(), src, op.dtype, op.partitions)],
                writes: vec![operand(op.dst.get(), dst, op.out_dtype, op.partitions)],
            }
        }
        Opcode::MEMSET => {
            let op = compute::Memset::of(slot);
            let dst = Pattern::of4(op.dst_steps, op.dst_counts);
            let write = operand(op.dst.get(), dst, op.dtype, op.partitions);
            MemoryEffects { reads: Vec::new(), writes: vec![write] }
        }
        _ => MemoryEffects::default(),
    }
}

/// Whether a record starts a collective operation.
/// Spec: docs/format/streams.md "Collective payloads" [observed].
pub fn starts_collective(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::PSEUDO_TRIGGER_ALL_REDUCE
            | Opcode::PSEUDO_TRIGGER_COLLECTIVE
            | Opcode::PSEUDO_TRIGGER_COLLECTIVE2
            | Opcode::PSEUDO_SEND_RECV
    )
}

/// The variables that a collective reads and writes, as the record names them: source, target.
/// `None` for records without both.
pub fn collective_variables(slot: &Slot) -> Option<(u32, u32)> {
    match Opcode(slot.opcode_byte()) {
        Opcode::PSEUDO_TRIGGER_ALL_REDUCE | Opcode::PSEUDO_TRIGGER_COLLECTIVE => {
            let record = coll::Collective::of(slot);
            Some((record.input_tensor_id.get(), record.output_tensor_id.get()))
        }
        _ => None,
    }
}

fn add_wait(effects: &mut SyncEffects, wait: Wait, lane: Lane) {
    let Wait { mode, index, value } = wait;
    match mode.kind() {
        Some(condition @ WaitKind::Semaphore { .. }) => {
            let target = SyncTarget::Semaphore(index);
            effects.waits.push(WaitEffect { target, condition, value, lane });
        }
        Some(condition @ WaitKind::Event { set, flip }) => {
            let target = SyncTarget::Event(index);
            effects.waits.push(WaitEffect { target, condition, value: 0, lane });
            if flip {
                effects.posts.push(PostEffect {
                    target,
                    action: if set { UpdateKind::EventClear } else { UpdateKind::EventSet },
                    value: 0,
                    from_register: false,
                    when: When::Start,
                    lane,
                    confidence: Confidence::Observed,
                });
            }
        }
        None => effects.unknown_mode |= mode != WaitMode::NONE,
    }
}

fn add_update(effects: &mut SyncEffects, update: Update, lane: Lane) {
    let Update { mode, index, value } = update;
    let Some(action) = mode.kind() else {
        effects.unknown_mode = true;
        return;
    };
    let target =
        if action.is_event() { SyncTarget::Event(index) } else { SyncTarget::Semaphore(index) };
    let value = match action {
        UpdateKind::Increment | UpdateKind::Decrement => 1,
        UpdateKind::EventSet | UpdateKind::EventClear => 0,
        UpdateKind::Add | UpdateKind::Subtract | UpdateKind::Write => value,
    };
    effects.posts.push(PostEffect {
        target,
        action,
        value,
        from_register: mode.from_register(),
        when: if mode.at_completion() { When::Completion } else { When::Start },
        lane,
        confidence: Confidence::Observed,
    });
}

fn transfer_post(semaphore: u8, increment: u32) -> PostEffect {
    PostEffect {
        target: SyncTarget::Semaphore(semaphore),
        action: UpdateKind::Add,
        value: increment,
        from_register: false,
        when: When::TransferEnd,
        lane: Lane::Operation,
        confidence: Confidence::Observed,
    }
}

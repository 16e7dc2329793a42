//! The operands of a record in the short words of a table row. Waits and updates are not in it.

use super::Names;
use super::value::{write_address, write_dtype, write_name};
use crate::effects::cleared;
use records::payload::collective as coll;
use records::payload::compute;
use records::payload::pseudo;
use records::payload::sequencer as seq;
use records::payload::transfer::{
    Direct2d, Direct2dSide, DmaBarrier, DmaRearm, DmaTrigger, MODE_TABLE, MODE_VARIABLE,
};
use records::payload::value::{
    BranchTarget, Condition, Dtype, LocalAddress, Pattern, alu_op_name, collective_name,
};
use records::{Opcode, Slot};
use std::fmt::{self, Write};

/// [`write_operands`] as a new text.
pub fn operands(slot: &Slot, names: Names<'_>) -> String {
    let mut out = String::new();
    // Writing into a String does not fail.
    let _ = write_operands(&mut out, slot, names);
    out
}

/// Writes the operands of a record; nothing for a record without operands or without a known
/// layout. PSUM addresses are bytes from its start.
pub fn write_operands<W: Write + ?Sized>(
    out: &mut W,
    slot: &Slot,
    names: Names<'_>,
) -> fmt::Result {
    match Opcode(slot.opcode_byte()) {
        Opcode::LDWEIGHTS => {
            let op = compute::LoadWeights::of(slot);
            write_dtype(out, Dtype(op.dtype))?;
            write!(out, " {}×{} ← ", op.rows, op.columns)?;
            write_address(out, LocalAddress(op.src.get()))
        }
        Opcode::MATMUL => {
            let op = compute::Matmul::of(slot);
            write_move(out, op.src.get(), op.dst.get())
        }
        Opcode::ACTIVATE => {
            let op = compute::Activate::of(slot);
            let (input, _) = Dtype::pair(op.dtypes);
            write!(out, "function {:#x}, ", op.function)?;
            write_move(out, op.src.get(), op.dst.get())?;
            let count = Pattern::of3(op.dst_steps, op.dst_counts).product();
            write_shape(out, input, Dtype(op.out_dtype), op.partitions, count)
        }
        Opcode::TENSOR_TENSOR_ARITH_OP => {
            let op = compute::TensorTensor::of(slot);
            let (input, _) = Dtype::pair(op.dtypes);
            write_address(out, LocalAddress(op.src0.get()))?;
            out.write_str(" ")?;
            write_op(out, op.op)?;
            out.write_str(" ")?;
            write_move(out, op.src1.get(), op.dst.get())?;
            let count = Pattern::of3(op.dst_steps, op.dst_counts).product();
            write_shape(out, input, Dtype(op.out_dtype), op.partitions, count)
        }
        Opcode::TENSOR_REDUCE_ARITH_OP => {
            let op = compute::TensorReduce::of(slot);
            write_op(out, op.op)?;
            out.write_str(" of ")?;
            write_move(out, op.src.get(), op.dst.get())?;
            let count = Pattern::of4(op.src_steps, op.src_counts).product();
            write_shape(out, Dtype(op.dtype), Dtype(op.out_dtype), op.partitions, count)
        }
        Opcode::COPY | Opcode::CAST => {
            let op = compute::Copy::of(slot);
            write_move(out, op.src.get(), op.dst.get())?;
            let count = Pattern::of4(op.dst_steps, op.dst_counts).product();
            write_shape(out, Dtype(op.dtype), Dtype(op.out_dtype), op.partitions, count)
        }
        Opcode::MEMSET => {
            let op = compute::Memset::of(slot);
            write_address(out, LocalAddress(op.dst.get()))?;
            let (dtype, count) = (Dtype(op.dtype), u64::from(op.count.get()));
            write_shape(out, dtype, dtype, op.partitions, count)
        }
        Opcode::PSEUDO_DMATRIGGER => {
            let op = DmaTrigger::of(slot);
            write_name(out, &op.queue)?;
            let unit = if op.use_raw_count == 0 { "block" } else { "raw count" };
            write!(out, " {unit} {}", op.block_id)
        }
        Opcode::PSEUDO_DMAREARM => write_name(out, &DmaRearm::of(slot).queue),
        Opcode::PSEUDO_DMABARRIER => write!(out, "{:#x}", DmaBarrier::of(slot).metadata),
        Opcode::PSEUDO_DMA_DIRECT2D => write_direct2d(out, Direct2d::of(slot), names),
        Opcode::PSEUDO_TRIGGER_COLLECTIVE => {
            let op = coll::Collective::of(slot);
            match collective_name(op.ctype) {
                Some(name) => out.write_str(name)?,
                None => write!(out, "collective {}", op.ctype)?,
            }
            out.write_str(" ")?;
            write_reduction(out, op.op, op.dtype, op.num_elements.get())?;
            write_variables(out, op.input_tensor_id.get(), op.output_tensor_id.get(), names)?;
            write!(out, ", group {}", op.group_id)
        }
        Opcode::PSEUDO_TRIGGER_ALL_REDUCE => {
            let op = coll::AllReduce::of(slot);
            write_reduction(out, op.op, op.dtype, op.num_elements.get())?;
            write_variables(out, op.input_tensor_id.get(), op.output_tensor_id.get(), names)
        }
        Opcode::PSEUDO_SEND_RECV => {
            let op = coll::SendRecv::of(slot);
            let (verb, word) = if op.is_send == 0 { ("receive", "from") } else { ("send", "to") };
            write!(out, "{verb} {} bytes {word} {}, ", op.size, op.peer)?;
            write_variable(out, op.tensor_id.get(), names)
        }
        Opcode::PSEUDO_CORE_BARRIER => {
            let op = coll::CoreBarrier::of(slot);
            write!(out, "barrier {} on sem[{}]", op.id, op.semaphore)
        }
        Opcode::PSEUDO_BRANCH_LABEL => write!(out, "label {}", pseudo::Label::of(slot).label),
        Opcode::PSEUDO_FUNCTION_BEGIN => write_name(out, &pseudo::FunctionBegin::of(slot).name),
        Opcode::PSEUDO_FUNCTION_CALL => write_name(out, &pseudo::FunctionCall::of(slot).name),
        Opcode::PSEUDO_INST => match pseudo::Instruction::of(slot).code {
            1 => out.write_str("exit execution"),
            2 => out.write_str("reload library"),
            code => write!(out, "code {code}"),
        },
        _ => write_sequencer(out, slot),
    }
}

/// The number of a notification's phase, and its name where one is known.
/// Spec: docs/format/streams.md "Notifications" [observed].
fn phase(id: u32) -> Option<(u32, Option<&'static str>)> {
    let number = id.checked_sub(0x0100_0000).filter(|&number| number < 0x100)?;
    let name = match number {
        2 => Some("inference started"),
        3 => Some("inference done"),
        7 => Some("model switch started"),
        8 => Some("model switch done"),
        _ => None,
    };
    Some((number, name))
}

fn write_sequencer<W: Write + ?Sized>(out: &mut W, slot: &Slot) -> fmt::Result {
    match Opcode(slot.opcode_byte()) {
        Opcode::WRITE => {
            let op = seq::Write::of(slot);
            write!(out, "[{:#x}] ← {:#x}", op.address, op.value)?;
            if op.size1 == 0 {
                return Ok(());
            }
            write!(out, ", [{:#x}] ← {:#x}", op.address1, op.value1)
        }
        Opcode::TENSOR_LOAD => {
            let op = seq::LoadStore::of(slot);
            write!(out, "r{} ← [{:#x}]", op.register(), op.address)
        }
        Opcode::TENSOR_STORE => {
            let op = seq::LoadStore::of(slot);
            match op.constants {
                0 => write!(out, "[{:#x}] ← r{}", op.address, op.register()),
                _ => write!(out, "[{:#x}] ← {} values", op.address, op.count),
            }
        }
        Opcode::DRAIN => match seq::Drain::of(slot).count {
            0 => Ok(()),
            count => write!(out, "count {count}"),
        },
        Opcode::NOTIFY => {
            let id = seq::Notify::of(slot).id.get();
            match phase(id) {
                Some((_, Some(name))) => out.write_str(name),
                Some((number, None)) => write!(out, "phase {number}"),
                None => write!(out, "{id:#x}"),
            }
        }
        Opcode::MOVE => write!(out, "{:#x}", seq::Move::of(slot).value),
        Opcode::ALU_OP => {
            let op = seq::Alu::of(slot);
            write!(out, "r{} ← r{} ", op.dst, op.src)?;
            write_op(out, op.op)?;
            match op.source_mode {
                0 => write!(out, " r{}", op.src1),
                _ => write!(out, " {:#x}", op.immediate),
            }
        }
        Opcode::COMPARE_BRANCH => write_branch(out, seq::Branch::of(slot)),
        Opcode::EVENT_SEMAPHORE_RANGE_CLEAR => {
            let op = seq::RangeClear::of(slot);
            match op.mode {
                1 => write!(out, "sem[{}] to sem[{}] ← 0", op.first, op.last),
                2 => write!(out, "{} semaphores ← 0", cleared(op).count()),
                mode => write!(out, "mode {mode}"),
            }
        }
        Opcode::SET_ORDERING_MODE => write!(out, "mode {}", seq::Ordering::of(slot).mode),
        Opcode::POLL_SEM => {
            let op = seq::PollSemaphore::of(slot);
            write!(out, "sem[{}], mode {}", op.semaphore, op.mode)
        }
        _ => Ok(()),
    }
}

fn write_branch<W: Write + ?Sized>(out: &mut W, op: &seq::Branch) -> fmt::Result {
    let condition = Condition(op.condition);
    match condition.sign() {
        Some(sign) if condition.with_register() => {
            write!(out, "if r{} {sign} a register: ", op.register)?;
        }
        Some(sign) => write!(out, "if r{} {sign} {}: ", op.register, op.immediate)?,
        None if condition.0 == 0 => {}
        None => write!(out, "if condition {:#x}: ", condition.0)?,
    }
    match BranchTarget(op.target) {
        BranchTarget::RELATIVE => {
            let distance = op.distance.get();
            if distance % 64 == 0 {
                write!(out, "{:+} slots", distance / 64)
            } else {
                write!(out, "{distance:+} bytes")
            }
        }
        BranchTarget::REGISTER => {
            write!(out, "to the address in r{}, r{}", op.target_low, op.target_high)
        }
        BranchTarget::RELATIVE_REGISTER => out.write_str("by the distance in a register"),
        BranchTarget(mode) => write!(out, "target mode {mode}"),
    }
}

fn write_direct2d<W: Write + ?Sized>(
    out: &mut W,
    transfer: &Direct2d,
    names: Names<'_>,
) -> fmt::Result {
    let (source, target) = (transfer.source(), transfer.target());
    write_side(out, &source, names)?;
    out.write_str(" → ")?;
    write_side(out, &target, names)?;
    write!(out, ", {} × {} B", source.rows, source.row_bytes)?;
    if source.dtype != target.dtype {
        out.write_str(", ")?;
        write_dtype(out, source.dtype)?;
        out.write_str(" to ")?;
        write_dtype(out, target.dtype)?;
    }
    Ok(())
}

fn write_side<W: Write + ?Sized>(
    out: &mut W,
    side: &Direct2dSide,
    names: Names<'_>,
) -> fmt::Result {
    match side.mode {
        MODE_VARIABLE => write_variable(out, side.reference, names)?,
        MODE_TABLE => match names.table_entry(side.reference) {
            Some(id) => write_variable(out, id, names)?,
            None => write!(out, "table[{}]", side.reference)?,
        },
        mode => write!(out, "mode {mode:#x} reference {}", side.reference)?,
    }
    write!(out, " {:#x}", side.offset)
}

fn write_variables<W: Write + ?Sized>(
    out: &mut W,
    input: u32,
    output: u32,
    names: Names<'_>,
) -> fmt::Result {
    out.write_str(", ")?;
    write_variable(out, input, names)?;
    out.write_str(" → ")?;
    write_variable(out, output, names)
}

fn write_variable<W: Write + ?Sized>(out: &mut W, id: u32, names: Names<'_>) -> fmt::Result {
    match names.variable(id) {
        Some(name) => out.write_str(name),
        None => write!(out, "var {id}"),
    }
}

fn write_reduction<W: Write + ?Sized>(
    out: &mut W,
    op: u8,
    dtype: u8,
    elements: u64,
) -> fmt::Result {
    write_op(out, op)?;
    write!(out, " {elements} ")?;
    write_dtype(out, Dtype(dtype))
}

fn write_move<W: Write + ?Sized>(out: &mut W, src: u32, dst: u32) -> fmt::Result {
    write_address(out, LocalAddress(src))?;
    out.write_str(" → ")?;
    write_address(out, LocalAddress(dst))
}

/// Writes `, fp16 128×512`, or both types where they differ.
fn write_shape<W: Write + ?Sized>(
    out: &mut W,
    src: Dtype,
    dst: Dtype,
    partitions: u8,
    count: u64,
) -> fmt::Result {
    out.write_str(", ")?;
    write_dtype(out, src)?;
    if src != dst {
        out.write_str(" to ")?;
        write_dtype(out, dst)?;
    }
    write!(out, " {partitions}×{count}")
}

fn write_op<W: Write + ?Sized>(out: &mut W, op: u8) -> fmt::Result {
    match alu_op_name(op) {
        Some(name) => out.write_str(name),
        None => write!(out, "op {op:#x}"),
    }
}

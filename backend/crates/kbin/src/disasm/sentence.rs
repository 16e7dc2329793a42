//! One plain sentence about a record.

use super::Names;
use super::operands::operands;
use super::words::{update_words, wait_words};
use records::payload::compute;
use records::payload::sequencer as seq;
use records::payload::value::Dtype;
use records::{Opcode, Slot};

/// What a record does, in one sentence: the action, then its waits and updates.
/// `Loads 128 × 128 fp16 weights; waits for sem[8] ≥ 16.`
pub fn sentence(slot: &Slot, names: Names<'_>) -> String {
    let mut out = action(slot, names);
    let (waits, updates) = (wait_words(slot), update_words(slot));
    if !waits.is_empty() {
        out.push_str("; waits for ");
        out.push_str(&waits);
    }
    if !updates.is_empty() {
        out.push_str("; updates ");
        out.push_str(&updates);
    }
    out.push('.');
    out
}

/// A record in a line: mnemonic, waits, updates, operands. `MATMUL sem[1] >= 4, ++sem[2], 128 x 512`.
pub fn line(slot: &Slot, names: Names<'_>) -> String {
    let mut out = Opcode(slot.opcode_byte()).mnemonic().unwrap_or("unassigned").to_owned();
    let start = out.len();
    for word in [wait_words(slot), update_words(slot), operands(slot, names)] {
        if !word.is_empty() {
            out.push_str(if out.len() == start { " " } else { ", " });
            out.push_str(&word);
        }
    }
    out
}

fn action(slot: &Slot, names: Names<'_>) -> String {
    let opcode = Opcode(slot.opcode_byte());
    let Some(mnemonic) = opcode.mnemonic() else {
        return format!("Code {:#04x} has no known meaning", opcode.0);
    };
    let operands = operands(slot, names);
    match opcode {
        Opcode::LDWEIGHTS => {
            let op = compute::LoadWeights::of(slot);
            let dtype = Dtype(op.dtype).name().unwrap_or("untyped");
            format!("Loads {} × {} {dtype} weights", op.rows, op.columns)
        }
        Opcode::MATMUL => format!("Multiplies with the loaded weights, {operands}"),
        Opcode::ACTIVATE => format!("Applies activation {operands}"),
        Opcode::ACTIVATION_TABLE_LOAD => "Loads the activation tables".to_owned(),
        Opcode::TENSOR_TENSOR_ARITH_OP => format!("Combines two operands, {operands}"),
        Opcode::TENSOR_REDUCE_ARITH_OP => format!("Reduces with {operands}"),
        Opcode::COPY => format!("Copies {operands}"),
        Opcode::CAST => format!("Converts {operands}"),
        Opcode::MEMSET => format!("Fills {operands}"),
        Opcode::EVENT_SEMAPHORE => "Synchronizes only".to_owned(),
        Opcode::HALT => "Stops the sequencer".to_owned(),
        Opcode::DRAIN => "Waits until the engine's work is done".to_owned(),
        Opcode::NOP => "Does nothing".to_owned(),
        Opcode::WRITE => format!("Writes {operands}"),
        Opcode::NOTIFY => format!("Notifies the host: {operands}"),
        Opcode::MOVE => format!("Puts {operands} into a register"),
        Opcode::ALU_OP => format!("Computes {operands}"),
        Opcode::COMPARE_BRANCH if seq::Branch::of(slot).condition == 0 => {
            format!("Goes {operands}")
        }
        Opcode::COMPARE_BRANCH => format!("Branches {operands}"),
        Opcode::TENSOR_LOAD => format!("Loads {operands}"),
        Opcode::TENSOR_STORE => format!("Stores {operands}"),
        Opcode::EVENT_SEMAPHORE_RANGE_CLEAR => format!("Clears semaphores: {operands}"),
        Opcode::SET_ORDERING_MODE => format!("Sets the memory ordering to {operands}"),
        Opcode::POLL_SEM => format!("Polls {operands}"),
        Opcode::BRANCH_PREFETCH_HINT => "Announces a branch target".to_owned(),
        Opcode::PSEUDO_DMATRIGGER => format!("Starts the transfer of {operands}"),
        Opcode::PSEUDO_DMAREARM => format!("Makes {operands} ready again"),
        Opcode::PSEUDO_DMA_DIRECT2D => format!("Moves {operands}"),
        Opcode::PSEUDO_TRIGGER_COLLECTIVE | Opcode::PSEUDO_TRIGGER_ALL_REDUCE => {
            format!("Starts a collective operation, {operands}")
        }
        Opcode::PSEUDO_TRIGGER_COLLECTIVE2 => "Starts a collective operation".to_owned(),
        Opcode::PSEUDO_EXTENSION => "Extends the record before it".to_owned(),
        Opcode::PSEUDO_SEND_RECV => format!("Starts a collective operation: {operands}"),
        Opcode::PSEUDO_SYNC_BARRIER => "Waits for all engines of the core".to_owned(),
        Opcode::PSEUDO_CORE_BARRIER => format!("Waits for the other cores, {operands}"),
        Opcode::PSEUDO_BRANCH_LABEL => format!("Marks {operands}; makes no device slot"),
        Opcode::PSEUDO_FUNCTION_BEGIN => {
            format!("Begins function {operands}; makes no device slot")
        }
        Opcode::PSEUDO_FUNCTION_CALL => format!("Calls function {operands}"),
        Opcode::PSEUDO_FUNCTION_RETURN => "Returns from a function".to_owned(),
        Opcode::PSEUDO_INST => format!("Orders the runtime: {operands}"),
        _ => format!("{mnemonic}, whose operands are not decoded"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_once_and_name_the_waits() {
        // Bytes of a compiled program: weights of the first group.
        let mut slot = Slot::ZERO;
        slot.0[..12].copy_from_slice(&[1, 16, 0, 0, 5, 8, 0, 0, 16, 0, 0, 0]);
        slot.0[0x20] = 7;
        slot.0[0x26] = 128;
        slot.0[0x27] = 128;
        assert_eq!(
            sentence(&slot, Names::NONE),
            "Loads 128 × 128 fp16 weights; waits for sem[8] ≥ 16."
        );
        slot.0[0] = 0x97;
        assert_eq!(
            sentence(&slot, Names::NONE),
            "Code 0x97 has no known meaning; waits for sem[8] ≥ 16."
        );
        slot.0[0] = 0x45;
        slot.0[4] = 0;
        assert_eq!(sentence(&slot, Names::NONE), "POOL, whose operands are not decoded.");
    }

    #[test]
    fn a_transfer_reads_as_one() {
        // Bytes of a compiled program: 128 rows of 256 bytes into the state buffer.
        let mut slot = Slot::ZERO;
        slot.0[..2].copy_from_slice(&[0xd4, 16]);
        slot.0[0x0c..0x18].copy_from_slice(&[0, 8, 16, 0, 0, 0, 0, 0, 4, 0, 0, 0x10]);
        slot.0[0x20] = 128;
        slot.0[0x25] = 1;
        slot.0[0x28..0x30].copy_from_slice(&[0, 0x7b, 3, 0, 0, 0, 0, 0x10]);
        slot.0[0x3e..].copy_from_slice(&[7, 7]);
        let variables = ["SB", "x", "y", "out", "identity"];
        let names = Names { variables: &variables, table: &[] };
        assert_eq!(
            sentence(&slot, names),
            "Moves identity 0x0 → SB 0x37b00, 128 × 256 B; updates sem[8] += 16 at transfer end."
        );
        assert_eq!(operands(&slot, Names::NONE), "var 4 0x0 → var 0 0x37b00, 128 × 256 B");
    }
}

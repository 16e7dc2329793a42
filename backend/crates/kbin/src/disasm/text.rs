//! The `.asm` form of a record.
//!
//! `MNEMONIC [waits] [updates] [operands]`. Waits and updates on semaphores, the DMA trigger and the
//! collective trigger are spelled as in compiled files; events are written `$E[5]==set` and
//! `$E[5]=set`, and all other operands `name=value`, both of our choice.

use super::value::{Style, write_hex, write_name, write_value};
use records::first_generation::{PhaseBit, SpSlot8};
use records::payload::collective::Collective;
use records::payload::transfer::DmaTrigger;
use records::payload::{FieldDef, FieldKind, Form, layout_of};
use records::sync::{SLOT_WORDS, Sync, UpdateKind, WaitKind};
use records::{Head, Opcode, Slot, Update, Wait};
use std::fmt::{self, Write};

/// First byte after the head.
const PAYLOAD_AT: usize = 12;

/// [`write_text`] as a new text.
pub fn text(slot: &Slot) -> String {
    let mut out = String::with_capacity(96);
    // Writing into a String does not fail.
    let _ = write_text(&mut out, slot);
    out
}

/// Writes a record in the `.asm` form, without the semicolon that ends a line there. A code without
/// a name is `OPCODE_0x97`; a payload without a layout is `payload=` and its bytes in hex, without
/// the zeros at the end.
/// Spec: docs/format/streams.md "Text form" [observed for the four known lines, ours otherwise].
pub fn write_text<W: Write + ?Sized>(out: &mut W, slot: &Slot) -> fmt::Result {
    let head = Head::of(slot);
    match head.opcode.asm_name() {
        Some(name) => out.write_str(name)?,
        None => write!(out, "OPCODE_{:#04x}", head.opcode.0)?,
    }
    let sync = Sync::of(slot);
    sync.waits().try_for_each(|wait| write_wait(out, wait))?;
    sync.updates().try_for_each(|update| write_update(out, update))?;
    match head.opcode {
        Opcode::PSEUDO_DMATRIGGER => write_dma_trigger(out, slot)?,
        Opcode::PSEUDO_TRIGGER_COLLECTIVE => write_collective(out, slot)?,
        _ => write_fields(out, slot)?,
    }
    if head.opcode == Opcode::PSEUDO_EXTENSION {
        return Ok(());
    }
    if head.words != SLOT_WORDS {
        write!(out, " words={}", head.words)?;
    }
    if head.debug_cmd != 0 {
        write!(out, " debug_cmd={}", head.debug_cmd)?;
    }
    if head.debug_hint != 0 {
        write!(out, " debug_hint={}", head.debug_hint)?;
    }
    Ok(())
}

/// A slot of the first generation's sync engine: name, phase and the operand bytes as they are.
/// `WAIT_EVENT_SET phase=1 payload=01020304050607`; a code without a name is `OPCODE_0x7f`.
/// Spec: docs/format/streams.md "First generation" [observed; place of the phase bit inferred].
pub fn sp_slot8_text(slot: &SpSlot8, phase: PhaseBit) -> String {
    let mut out = match slot.mnemonic(phase) {
        Some(name) => name.to_owned(),
        None => format!("OPCODE_{:#04x}", slot.code(phase)),
    };
    let _ = write!(out, " phase={} payload=", slot.phase(phase));
    let _ = write_hex(&mut out, &slot.operands);
    out
}

fn write_wait<W: Write + ?Sized>(out: &mut W, wait: Wait) -> fmt::Result {
    let Wait { mode, index, value } = wait;
    match mode.kind() {
        Some(WaitKind::Semaphore { compare, register: false }) => {
            write!(out, " $S[{index}]{}{value}", compare.sign())
        }
        Some(WaitKind::Semaphore { compare, register: true }) => {
            write!(out, " $S[{index}]{}$R[{value}]", compare.sign())
        }
        Some(WaitKind::Event { set, flip }) => {
            let state = match (set, flip) {
                (true, false) => "set",
                (true, true) => "set_clear",
                (false, false) => "clear",
                (false, true) => "clear_set",
            };
            write!(out, " $E[{index}]=={state}")
        }
        None => write!(out, " wait={:#x},{index},{value}", mode.0),
    }
}

fn write_update<W: Write + ?Sized>(out: &mut W, update: Update) -> fmt::Result {
    let Update { mode, index, value } = update;
    let Some(kind) = mode.kind() else {
        return write!(out, " update={:#x},{index},{value}", mode.0);
    };
    match kind {
        UpdateKind::EventSet => write!(out, " $E[{index}]=set")?,
        UpdateKind::EventClear => write!(out, " $E[{index}]=clear")?,
        UpdateKind::Increment => write!(out, " $S[{index}]++")?,
        UpdateKind::Decrement => write!(out, " $S[{index}]--")?,
        UpdateKind::Add | UpdateKind::Subtract | UpdateKind::Write => {
            let sign = match kind {
                UpdateKind::Add => "+=",
                UpdateKind::Subtract => "-=",
                _ => "=",
            };
            write!(out, " $S[{index}]{sign}")?;
            if mode.from_register() { write!(out, "$R[{value}]") } else { write!(out, "{value}") }?;
        }
    }
    if mode.at_completion() { out.write_str("@complete") } else { Ok(()) }
}

fn write_dma_trigger<W: Write + ?Sized>(out: &mut W, slot: &Slot) -> fmt::Result {
    let trigger = DmaTrigger::of(slot);
    out.write_str(" ")?;
    write_name(out, &trigger.queue)?;
    match trigger.use_raw_count {
        0 => write!(out, " block_id={}", trigger.block_id),
        1 => write!(out, " raw_count={}", trigger.block_id),
        flag => write!(out, " use_raw_count={flag} block_id={}", trigger.block_id),
    }
}

fn write_collective<W: Write + ?Sized>(out: &mut W, slot: &Slot) -> fmt::Result {
    // The members list these seven in this order, which is not that of the bytes.
    const ORDER: [&str; 7] =
        ["ctype", "input_tensor_id", "output_tensor_id", "num_elements", "dtype", "op", "group_id"];
    let fields = Collective::FIELDS;
    for name in ORDER {
        for field in fields.iter().filter(|field| field.name == name) {
            write_field(out, field, slot)?;
        }
    }
    for field in fields.iter().filter(|field| !ORDER.contains(&field.name)) {
        if !field.is_zero_in(slot) {
            write_field(out, field, slot)?;
        }
    }
    Ok(())
}

/// Writes the fields of the layout, or the bytes where there is none.
fn write_fields<W: Write + ?Sized>(out: &mut W, slot: &Slot) -> fmt::Result {
    let layout = layout_of(slot);
    for field in layout {
        if shows_when_zero(field) || !field.is_zero_in(slot) {
            write_field(out, field, slot)?;
        }
    }
    let decoded = !layout.is_empty() || slot.opcode_byte() == Opcode::EVENT_SEMAPHORE.0;
    let payload = slot.0.get(PAYLOAD_AT..).unwrap_or(&[]);
    match payload.iter().rposition(|&byte| byte != 0) {
        Some(last) if !decoded => {
            out.write_str(" payload=")?;
            write_hex(out, payload.get(..=last).unwrap_or(&[]))
        }
        _ => Ok(()),
    }
}

fn write_field<W: Write + ?Sized>(out: &mut W, field: &FieldDef, slot: &Slot) -> fmt::Result {
    write!(out, " {}=", field.name)?;
    write_value(out, field, slot, Style::Asm)
}

/// Whether 0 says something: an address, a count, a type, a mode or a register 0.
fn shows_when_zero(field: &FieldDef) -> bool {
    let by_kind = matches!(field.kind, FieldKind::Address | FieldKind::Pattern | FieldKind::Dtype);
    let by_form = matches!(
        field.form,
        Form::Mode
            | Form::Register
            | Form::Condition
            | Form::BranchTarget
            | Form::AluOp
            | Form::Semaphore
            | Form::Collective
    );
    by_kind || by_form
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(head: &str, rest: &[(usize, &[u8])]) -> Slot {
        let mut slot = Slot::ZERO;
        for (i, byte) in head.split_whitespace().enumerate() {
            slot.0[i] = u8::from_str_radix(byte, 16).unwrap();
        }
        for &(at, bytes) in rest {
            slot.0[at..at + bytes.len()].copy_from_slice(bytes);
        }
        slot
    }

    #[test]
    fn known_lines_come_out_as_written() {
        let collective = slot(
            "c8 10 00 00 04 0a 13 16 00 00 00 00 04 0a 00 00 03 00 00 00 04 00 00 00 20",
            &[(0x20, &[1])],
        );
        assert_eq!(
            text(&collective),
            "PSEUDO_TRIGGER_COLLECTIVE $S[10]>0 $S[22]++@complete ctype=ALL_REDUCE \
             input_tensor_id=3 output_tensor_id=4 num_elements=32 dtype=fp32 op=ADD group_id=0"
        );
        let trigger_in = slot("c1 10 00 00", &[(12, b"q_gradient_in")]);
        assert_eq!(text(&trigger_in), "PSEUDO_DMA_TRIGGER q_gradient_in block_id=0");
        let trigger_out = slot("c1 10 00 00 04 16", &[(12, b"q_gradient_out")]);
        assert_eq!(text(&trigger_out), "PSEUDO_DMA_TRIGGER $S[22]>0 q_gradient_out block_id=0");
        assert_eq!(text(&slot("a0 10 00 00 04 0b", &[])), "EVENT_SEMAPHORE $S[11]>0");
    }

    #[test]
    fn events_registers_and_second_pairs_have_a_spelling() {
        assert_eq!(text(&slot("a4 10 00 00 07 05", &[(12, &[1])])), "NOP $E[5]==set_clear rows=1");
        assert_eq!(
            text(&slot("a4 10 00 00 00 00 11 05", &[(12, &[1])])),
            "NOP $E[5]=set@complete rows=1"
        );
        let pair =
            slot("a0 10 00 00 05 18 00 00 10", &[(0x20, &[0x85, 20, 0x15, 21, 3, 0, 0, 0, 4])]);
        assert_eq!(text(&pair), "EVENT_SEMAPHORE $S[24]>=16 $S[20]>=$R[3] $S[21]+=4@complete");
    }

    #[test]
    fn unknown_bytes_stay_visible() {
        let unknown = slot("97 10 00 00 2a 05 ff 07 09", &[(12, &[0, 0xab]), (20, &[1])]);
        assert_eq!(
            text(&unknown),
            "OPCODE_0x97 wait=0x2a,5,9 update=0xff,7,9 payload=00ab00000000000001"
        );
        assert_eq!(text(&Slot::ZERO), "OPCODE_0x00 words=0");
        assert_eq!(text(&slot("45 10 09 02", &[])), "POOL debug_cmd=9 debug_hint=2");
    }

    #[test]
    fn names_from_files_stay_one_word() {
        let trigger = slot("c1 10", &[(12, b"a b;\xff\\\0zz"), (0x2c, &[1]), (0x30, &[7])]);
        assert_eq!(text(&trigger), r"PSEUDO_DMA_TRIGGER a\x20b\x3b\xff\x5c raw_count=7");
    }

    #[test]
    fn first_generation_slots_keep_their_bytes() {
        let slot = SpSlot8 { code_and_phase: 0xa4, operands: [1, 2, 3, 4, 5, 6, 7] };
        assert_eq!(
            sp_slot8_text(&slot, PhaseBit::Top),
            "WAIT_EVENT_SET phase=1 payload=01020304050607"
        );
        let slot = SpSlot8 { code_and_phase: 0xff, operands: [0; 7] };
        assert_eq!(
            sp_slot8_text(&slot, PhaseBit::Bottom),
            "OPCODE_0x7f phase=1 payload=00000000000000"
        );
    }

    #[test]
    fn branches_and_writes_show_what_they_use() {
        let back = slot("a9 10", &[(0x0e, &[3]), (0x30, &[0xc0, 0xfe, 0xff, 0xff])]);
        assert_eq!(
            text(&back),
            "COMPARE_BRANCH condition=always dtype=invalid target=relative distance=-320"
        );
        let jump = slot("a9 10", &[(0x0e, &[1]), (0x22, &[1, 2])]);
        assert_eq!(
            text(&jump),
            "COMPARE_BRANCH condition=always dtype=invalid target=register target_low=1 \
             target_high=2"
        );
        let write = slot("a5 10", &[(12, &[4]), (0x10, &[4, 0, 0x46, 0x02]), (0x20, &[1])]);
        assert_eq!(text(&write), "WRITE size=4 address=0x2460004 value=0x1");
    }
}

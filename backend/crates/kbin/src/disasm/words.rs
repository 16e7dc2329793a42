//! Waits and updates in the words of a table row: `sem[8] ≥ 16`, `event[5] set`,
//! `sem[22] ++ at completion`.

use records::payload::transfer::Direct2d;
use records::sync::{Compare, Sync, UpdateKind, WaitKind};
use records::{Opcode, Slot, Update, Wait};
use std::fmt::{self, Write};

/// [`write_wait_words`] as a new text.
pub fn wait_words(slot: &Slot) -> String {
    let mut out = String::new();
    // Writing into a String does not fail.
    let _ = write_wait_words(&mut out, slot);
    out
}

/// [`write_update_words`] as a new text.
pub fn update_words(slot: &Slot) -> String {
    let mut out = String::new();
    let _ = write_update_words(&mut out, slot);
    out
}

/// Writes the waits of a record, joined with ` and `; nothing if there are none. Register forms
/// read `sem[8] ≥ r3`.
pub fn write_wait_words<W: Write + ?Sized>(out: &mut W, slot: &Slot) -> fmt::Result {
    for (i, wait) in Sync::of(slot).waits().enumerate() {
        out.write_str(if i > 0 { " and " } else { "" })?;
        write_wait(out, wait)?;
    }
    Ok(())
}

/// Writes the updates of a record, joined with ` and `; nothing if there are none. A transfer that
/// names its semaphore itself counts as one.
pub fn write_update_words<W: Write + ?Sized>(out: &mut W, slot: &Slot) -> fmt::Result {
    let mut join = "";
    for update in Sync::of(slot).updates() {
        out.write_str(join)?;
        write_update(out, update)?;
        join = " and ";
    }
    if Opcode(slot.opcode_byte()) == Opcode::PSEUDO_DMA_DIRECT2D {
        let transfer = Direct2d::of(slot);
        if transfer.increment != 0 {
            let (semaphore, increment) = (transfer.semaphore, transfer.increment);
            write!(out, "{join}sem[{semaphore}] += {increment} at transfer end")?;
        }
    }
    Ok(())
}

fn write_wait<W: Write + ?Sized>(out: &mut W, wait: Wait) -> fmt::Result {
    let Wait { mode, index, value } = wait;
    match mode.kind() {
        Some(WaitKind::Semaphore { compare, register }) => {
            let sign = compare_sign(compare);
            let register = if register { "r" } else { "" };
            write!(out, "sem[{index}] {sign} {register}{value}")
        }
        Some(WaitKind::Event { set, flip }) => {
            let state = match (set, flip) {
                (true, false) => "set",
                (true, true) => "set, then cleared",
                (false, false) => "clear",
                (false, true) => "clear, then set",
            };
            write!(out, "event[{index}] {state}")
        }
        None => write!(out, "wait mode {:#x} on {index}, value {value}", mode.0),
    }
}

fn write_update<W: Write + ?Sized>(out: &mut W, update: Update) -> fmt::Result {
    let Update { mode, index, value } = update;
    let Some(kind) = mode.kind() else {
        return write!(out, "update mode {:#x} on {index}, value {value}", mode.0);
    };
    match kind {
        UpdateKind::EventSet => write!(out, "event[{index}] set")?,
        UpdateKind::EventClear => write!(out, "event[{index}] cleared")?,
        UpdateKind::Increment => write!(out, "sem[{index}] ++")?,
        UpdateKind::Decrement => write!(out, "sem[{index}] --")?,
        UpdateKind::Add | UpdateKind::Subtract | UpdateKind::Write => {
            let sign = match kind {
                UpdateKind::Add => "+=",
                UpdateKind::Subtract => "-=",
                _ => "=",
            };
            let register = if mode.from_register() { "r" } else { "" };
            write!(out, "sem[{index}] {sign} {register}{value}")?;
        }
    }
    if mode.at_completion() { out.write_str(" at completion") } else { Ok(()) }
}

const fn compare_sign(compare: Compare) -> &'static str {
    match compare {
        Compare::Equal => "=",
        Compare::Less => "<",
        Compare::LessOrEqual => "≤",
        Compare::Greater => ">",
        Compare::GreaterOrEqual => "≥",
    }
}

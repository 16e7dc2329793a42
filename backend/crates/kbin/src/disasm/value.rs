//! One field's value as text, in the spelling of the `.asm` form and in that of screens.

use records::Slot;
use records::payload::value::{
    BranchTarget, Condition, Dtype, LocalAddress, Place, alu_op_name, collective_name,
};
use records::payload::{FieldDef, Form};
use std::fmt::{self, Write};

/// Which spelling.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// One word without spaces, complete.
    Asm,
    /// For people.
    Screen,
}

/// Writes the value of a field.
pub(super) fn write_value<W: Write + ?Sized>(
    out: &mut W,
    field: &FieldDef,
    slot: &Slot,
    style: Style,
) -> fmt::Result {
    let bytes = field.bytes_in(slot);
    let number = field.number_in(slot);
    let byte = bytes.first().copied().unwrap_or(0);
    match field.form {
        Form::Dec | Form::Mode | Form::Flag | Form::Variable | Form::Reference => {
            write!(out, "{number}")
        }
        Form::Hex | Form::DeviceAddress => write!(out, "{number:#x}"),
        Form::Text => write_name(out, bytes),
        Form::F32 => write!(out, "{}", f32::from_bits(number as u32)),
        Form::LocalAddress if style == Style::Screen => {
            write_address(out, LocalAddress(number as u32))
        }
        Form::LocalAddress => write!(out, "{number:#x}"),
        Form::Dtype => write_dtype(out, Dtype(byte)),
        Form::DtypePair => {
            let (low, high) = Dtype::pair(byte);
            write_dtype(out, low)?;
            out.write_str(if style == Style::Asm { "," } else { ", " })?;
            write_dtype(out, high)
        }
        Form::AluOp => write_named(out, alu_op_name(byte), byte),
        Form::Condition => write_named(out, Condition(byte).name(), byte),
        Form::BranchTarget => write_named(out, BranchTarget(byte).name(), byte),
        Form::Collective => write_named(out, collective_name(byte), byte),
        Form::I16List => write_list(out, bytes, style, |out, [low, high]: [u8; 2]| {
            write!(out, "{}", i16::from_le_bytes([low, high]))
        }),
        Form::U16List => write_list(out, bytes, style, |out, [low, high]: [u8; 2]| {
            write!(out, "{}", u16::from_le_bytes([low, high]))
        }),
        Form::I32List => {
            write_list(out, bytes, style, |out, word| write!(out, "{}", i32::from_le_bytes(word)))
        }
        Form::HexList => write_list(out, bytes, style, |out, word| {
            write!(out, "{:#x}", u64::from_le_bytes(word))
        }),
        Form::Distance if style == Style::Screen => {
            let distance = number as u32 as i32;
            write!(out, "{distance:+} bytes")?;
            if distance % 64 == 0 { write!(out, " ({:+} slots)", distance / 64) } else { Ok(()) }
        }
        Form::Distance => write!(out, "{:+}", number as u32 as i32),
        Form::Register if style == Style::Screen => write!(out, "r{number}"),
        Form::Semaphore if style == Style::Screen => write!(out, "sem[{number}]"),
        Form::Register | Form::Semaphore => write!(out, "{number}"),
        Form::Mask if bytes.len() > 8 => {
            out.write_str("0x")?;
            bytes.iter().rev().try_for_each(|byte| write!(out, "{byte:02x}"))
        }
        Form::Mask => write!(out, "{number:#x}"),
    }
}

/// Writes an address inside the core: `SB 0x37cfe`, `SB 3:0x10` (partition 3), `PSUM 0x800`.
pub(super) fn write_address<W: Write + ?Sized>(out: &mut W, address: LocalAddress) -> fmt::Result {
    match address.place() {
        Place::StateBuffer { partition: 0, byte } => write!(out, "SB {byte:#x}"),
        Place::StateBuffer { partition, byte } => write!(out, "SB {partition}:{byte:#x}"),
        Place::Psum { byte } => write!(out, "PSUM {byte:#x}"),
        Place::Unknown => write!(out, "{:#x}", address.0),
    }
}

/// Writes an element type; a code without a name as `dtype0x2a`.
pub(super) fn write_dtype<W: Write + ?Sized>(out: &mut W, dtype: Dtype) -> fmt::Result {
    match dtype.name() {
        Some(name) => out.write_str(name),
        None => write!(out, "dtype{:#04x}", dtype.0),
    }
}

/// Writes a name from a file up to its first NUL. Everything but visible ASCII is escaped as
/// `\x..`, and so are the characters that the grammar uses, so that a name stays one word; an empty
/// name is `""`.
pub(super) fn write_name<W: Write + ?Sized>(out: &mut W, bytes: &[u8]) -> fmt::Result {
    if bytes.first().is_none_or(|&byte| byte == 0) {
        return out.write_str("\"\"");
    }
    for &byte in bytes.iter().take_while(|&&byte| byte != 0) {
        match byte {
            b'\\' | b'"' | b';' | b'=' => write!(out, "\\x{byte:02x}")?,
            0x21..=0x7e => out.write_char(char::from(byte))?,
            _ => write!(out, "\\x{byte:02x}")?,
        }
    }
    Ok(())
}

/// Writes bytes as hex digits.
pub(super) fn write_hex<W: Write + ?Sized>(out: &mut W, bytes: &[u8]) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
}

fn write_named<W: Write + ?Sized>(out: &mut W, name: Option<&str>, byte: u8) -> fmt::Result {
    match name {
        Some(name) => out.write_str(name),
        None => write!(out, "{byte:#x}"),
    }
}

fn write_list<W: Write + ?Sized, const N: usize>(
    out: &mut W,
    bytes: &[u8],
    style: Style,
    mut item: impl FnMut(&mut W, [u8; N]) -> fmt::Result,
) -> fmt::Result {
    let (items, _) = bytes.as_chunks::<N>();
    if style == Style::Asm {
        out.write_str("[")?;
    }
    for (i, &word) in items.iter().enumerate() {
        if i > 0 {
            out.write_str(if style == Style::Asm { "," } else { ", " })?;
        }
        item(out, word)?;
    }
    if style == Style::Asm { out.write_str("]") } else { Ok(()) }
}

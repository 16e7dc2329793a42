//! Values of fields, read from their bytes.

use records::kbin::names::NameTable;
use records::kbin::{Form, field_text};

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Unknown, NULL, or bytes without a published layout.
    None,
    /// A flag.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A number below 0.
    Signed(i64),
    /// A floating-point number.
    Float(f32),
    /// Text, or a hex number.
    Text(String),
    /// Numbers.
    Numbers(Vec<u64>),
    /// Numbers, some below 0.
    SignedNumbers(Vec<i64>),
}

pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn signed(bytes: &[u8]) -> i64 {
    let bits = 64_u32.saturating_sub(8 * u32::try_from(bytes.len()).unwrap_or(8)).min(63);
    ((number(bytes) << bits) as i64) >> bits
}

/// Bytes as they are; of many the first, and how many there are.
fn raw(bytes: &[u8]) -> String {
    const MOST: usize = 32;
    if bytes.iter().all(|byte| *byte == 0) {
        return format!("{} bytes of 0", bytes.len());
    }
    let hex: String = bytes.iter().take(MOST).map(|byte| format!("{byte:02x}")).collect();
    if bytes.len() > MOST { format!("{hex}... {} bytes", bytes.len()) } else { hex }
}

fn named(table: &NameTable, bytes: &[u8]) -> (Value, Option<String>) {
    let value = signed(bytes);
    let name = i32::try_from(value).ok().and_then(|value| table.name_of(value));
    let shown = if value < 0 { Value::Signed(value) } else { Value::Number(value as u64) };
    (shown, name.map(str::to_owned))
}

pub(super) fn value(form: Form, bytes: &[u8]) -> (Value, Option<String>) {
    let plain = |value| (value, None);
    match form {
        Form::Dec => plain(Value::Number(number(bytes))),
        Form::Signed => plain(Value::Signed(signed(bytes))),
        Form::Hex => plain(Value::Text(format!("{:#x}", number(bytes)))),
        Form::Flag => match bytes {
            [0] => plain(Value::Flag(false)),
            [1] => plain(Value::Flag(true)),
            _ => plain(Value::Number(number(bytes))),
        },
        Form::Text => plain(Value::Text(field_text(bytes))),
        Form::Float => {
            let bits = number(bytes) as u32;
            (Value::Float(f32::from_bits(bits)), Some(format!("{bits:#010x}")))
        }
        Form::Name(table) => named(table, bytes),
        Form::DecArray(size) if size > 0 => {
            plain(Value::Numbers(bytes.chunks(size).map(number).collect()))
        }
        Form::Opaque => (Value::None, Some(raw(bytes))),
        Form::SignedArray => plain(Value::SignedNumbers(bytes.chunks(8).map(signed).collect())),
        _ => plain(Value::None),
    }
}

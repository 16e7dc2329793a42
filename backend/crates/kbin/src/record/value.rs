//! Values of fields, read from their bytes.

use records::float::FloatForm;
use records::kbin::names::{Dtype, NameTable};
use records::kbin::{Form, field_text, field_text_end};

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
    /// Floating-point numbers.
    Floats(Vec<f32>),
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
        Form::Text => (Value::Text(field_text(bytes)), field_text_end(bytes)),
        Form::Padding => (Value::None, Some(padding(bytes))),
        Form::Float => {
            let bits = number(bytes) as u32;
            (Value::Float(f32::from_bits(bits)), Some(format!("{bits:#010x}")))
        }
        Form::Floats => {
            let one = |bytes| FloatForm::F32.value(number(bytes) as u32);
            plain(Value::Floats(bytes.chunks(4).map(one).collect()))
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

/// Bytes that keep the next field aligned: `zero`, or what is there instead.
fn padding(bytes: &[u8]) -> String {
    if bytes.iter().all(|byte| *byte == 0) {
        return "zero".to_owned();
    }
    format!("not zero: {}", raw(bytes))
}

/// A number of up to 32 bits by its element type; `None` for a type that it cannot have.
pub(super) fn by_dtype(dtype: Dtype, bits: u32) -> Option<Value> {
    let float = |form: FloatForm| Value::Float(form.value(bits));
    let whole = |value: i64| match u64::try_from(value) {
        Ok(value) => Value::Number(value),
        Err(_) => Value::Signed(value),
    };
    Some(match dtype {
        Dtype::FP32 | Dtype::FP32R => float(FloatForm::F32),
        Dtype::BF16 => float(FloatForm::Bf16),
        Dtype::FP16 => float(FloatForm::Fp16),
        Dtype::FP8_E3 => float(FloatForm::E3m4),
        Dtype::FP8_E4 => float(FloatForm::E4m3),
        Dtype::FP8_E5 => float(FloatForm::E5m2),
        Dtype::UINT8 => whole(i64::from(bits as u8)),
        Dtype::UINT16 => whole(i64::from(bits as u16)),
        Dtype::UINT32 | Dtype::UINT64 => whole(i64::from(bits)),
        Dtype::INT8 => whole(i64::from(bits as i8)),
        Dtype::INT16 => whole(i64::from(bits as i16)),
        Dtype::INT32 | Dtype::INT64 => whole(i64::from(bits as i32)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_by_their_element_type() {
        // -1.5 is 1 01111111 1 in f32 and bf16, 1 01111 1 in fp16; fp8: 1 0111 100, 1 011 1000, 1 01111 10.
        let float = |dtype, bits| match by_dtype(dtype, bits) {
            Some(Value::Float(value)) => value,
            other => panic!("{other:?}"),
        };
        for (dtype, bits) in [
            (Dtype::FP32, 0xBFC0_0000),
            (Dtype::FP32R, 0xBFC0_0000),
            (Dtype::BF16, 0xBFC0),
            (Dtype::FP16, 0xBE00),
            (Dtype::FP8_E4, 0xBC),
            (Dtype::FP8_E3, 0xB8),
            (Dtype::FP8_E5, 0xBE),
        ] {
            assert_eq!(float(dtype, bits), -1.5, "{dtype:?}");
        }
        assert_eq!(by_dtype(Dtype::INT8, 0xFE), Some(Value::Signed(-2)));
        assert_eq!(by_dtype(Dtype::UINT8, 0xFE), Some(Value::Number(254)));
        assert_eq!(by_dtype(Dtype::INT32, u32::MAX), Some(Value::Signed(-1)));
        assert_eq!(by_dtype(Dtype::INVALID, 0), None);
    }

    #[test]
    fn texts_and_padding_say_what_is_odd() {
        let shown = |form, bytes: &[u8]| value(form, bytes);
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(shown(Form::Text, b"pe\0\0"), (text("pe"), None));
        let odd = (text("a\\xff\\n\u{e4}"), Some("no NUL at its end".to_owned()));
        assert_eq!(shown(Form::Text, b"a\xff\n\xc3\xa4"), odd);
        let behind = Some("2 bytes behind its NUL are not zero".to_owned());
        assert_eq!(shown(Form::Text, b"a\0bc"), (text("a"), behind));
        assert_eq!(shown(Form::Padding, &[0, 0]), (Value::None, Some("zero".to_owned())));
        let odd = Some("not zero: 0100".to_owned());
        assert_eq!(shown(Form::Padding, &[1, 0]), (Value::None, odd));
        assert_eq!(shown(Form::Floats, &[0, 0, 0x80, 0x3f]), (Value::Floats(vec![1.0]), None));
    }
}

//! What the bytes at the cursor mean as numbers and text, little-endian.
//!
//! fp8 follows the common definition (OCP): e4m3 has no infinities, e5m2 is a short half; e3m4 has
//! infinities as the wider forms do.

use debug_api::convert::{FloatForm, float_text};

/// A reading of some bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Name of the type.
    pub name: &'static str,
    /// Bytes that it takes.
    pub bytes: usize,
    /// The value; a dash where there are too few bytes.
    pub value: String,
}

/// Readings that a key goes through, one after the other.
pub const CYCLE: [&str; 9] =
    ["u32", "i32", "f32", "bf16", "fp16", "fp8 e3m4", "fp8 e4m3", "fp8 e5m2", "text"];

/// One of [`CYCLE`], by its number, of the bytes from the cursor on.
pub fn chosen(bytes: &[u8], number: usize) -> Option<Reading> {
    let name = CYCLE.get(number % CYCLE.len())?;
    readings(bytes).into_iter().find(|reading| reading.name == *name)
}

/// All readings of the bytes from the cursor on.
pub fn readings(bytes: &[u8]) -> Vec<Reading> {
    let number = |n: usize| -> Option<u64> {
        let own = bytes.get(..n)?;
        Some(own.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    };
    let signed = |n: usize| -> Option<i64> {
        let shift = 64 - 8 * u32::try_from(n).ok()?;
        Some(number(n)?.wrapping_shl(shift).cast_signed() >> shift)
    };
    let u = |n: usize| number(n).map(|value| format!("{value}  {value:#x}"));
    let i = |n: usize| signed(n).map(|value| value.to_string().replace('-', "\u{2212}"));
    let small = |form: FloatForm| {
        let bits = number(form.bytes()).and_then(|bits| u32::try_from(bits).ok());
        bits.map(|bits| float_text(form.value(bits)).replace('-', "\u{2212}"))
    };
    let all = [
        ("u8", 1, u(1)),
        ("i8", 1, i(1)),
        ("u16", 2, u(2)),
        ("i16", 2, i(2)),
        ("u32", 4, u(4)),
        ("i32", 4, i(4)),
        ("u64", 8, u(8)),
        ("i64", 8, i(8)),
        ("f32", 4, small(FloatForm::F32)),
        ("bf16", 2, small(FloatForm::Bf16)),
        ("fp16", 2, small(FloatForm::Fp16)),
        ("fp8 e3m4", 1, small(FloatForm::E3m4)),
        ("fp8 e4m3", 1, small(FloatForm::E4m3)),
        ("fp8 e5m2", 1, small(FloatForm::E5m2)),
        ("text", 0, Some(text(bytes))),
    ];
    let dash = || "\u{2014}".to_owned();
    all.into_iter()
        .map(|(name, bytes, value)| Reading { name, bytes, value: value.unwrap_or_else(dash) })
        .collect()
}

/// Up to 24 characters from the cursor on, to the first byte that is none.
fn text(bytes: &[u8]) -> String {
    let head = bytes.get(..64).unwrap_or(bytes);
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => head
            .get(..error.valid_up_to())
            .and_then(|head| std::str::from_utf8(head).ok())
            .unwrap_or(""),
    };
    let text: String = valid.chars().take_while(|c| !c.is_control()).take(24).collect();
    if text.is_empty() { "\u{2014}".to_owned() } else { format!("\u{201c}{text}\u{201d}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(bytes: &[u8], name: &str) -> String {
        let found = readings(bytes).into_iter().find(|one| one.name == name);
        found.map(|one| one.value).unwrap_or_default()
    }

    #[test]
    fn numbers_are_little_endian() {
        let bytes = [0xFE, 0xFF, 0xFF, 0xFF, 1, 0, 0, 0];
        assert_eq!(value(&bytes, "u8"), "254  0xfe");
        assert_eq!(value(&bytes, "i8"), "\u{2212}2");
        assert_eq!(value(&bytes, "u16"), "65534  0xfffe");
        assert_eq!(value(&bytes, "i32"), "\u{2212}2");
        assert_eq!(value(&bytes, "u64"), "8589934590  0x1fffffffe");
        assert_eq!(value(&bytes[..3], "u32"), "\u{2014}");
        assert_eq!(value(&[], "u8"), "\u{2014}");
    }

    /// Bits and values as the standards list them.
    #[test]
    fn floats_of_every_size() {
        for (bits, expected) in [
            (0x3F80_0000_u32, "1"),
            (0xC048_F5C3, "\u{2212}3.14"),
            (0x3DCC_CCCD, "0.1"),
            (0x7F7F_FFFF, "3.4028235e38"),
            (0x0000_0001, "1e\u{2212}45"),
            (0x7F80_0000, "inf"),
            (0x7FC0_0000, "NaN"),
            (0x8000_0000, "\u{2212}0"),
        ] {
            assert_eq!(value(&bits.to_le_bytes(), "f32"), expected, "{bits:#x}");
        }
        assert_eq!(value(&0x3F80_u16.to_le_bytes(), "bf16"), "1");
        assert_eq!(value(&0x4049_u16.to_le_bytes(), "bf16"), "3.140625");
        assert_eq!(value(&0x7BFF_u16.to_le_bytes(), "fp16"), "65504");
        assert_eq!(value(&0x0001_u16.to_le_bytes(), "fp16"), "5.9604645e\u{2212}8");
        assert_eq!(value(&0xFC00_u16.to_le_bytes(), "fp16"), "\u{2212}inf");
        // Largest, smallest, and what is no number.
        assert_eq!(value(&[0x7E], "fp8 e4m3"), "448");
        assert_eq!(value(&[0x01], "fp8 e4m3"), "0.001953125");
        assert_eq!(value(&[0x7F], "fp8 e4m3"), "NaN");
        assert_eq!(value(&[0x7B], "fp8 e5m2"), "57344");
        assert_eq!(value(&[0x7C], "fp8 e5m2"), "inf");
        assert_eq!(value(&[0x3C], "fp8 e5m2"), "1");
        // Bias 3: 1 is exponent 3, the largest is 2^3 x (1 + 15 / 16).
        assert_eq!(value(&[0x30], "fp8 e3m4"), "1");
        assert_eq!(value(&[0x6F], "fp8 e3m4"), "15.5");
        assert_eq!(value(&[0x70], "fp8 e3m4"), "inf");
    }

    #[test]
    fn a_key_goes_through_the_readings() {
        let bytes = 0x3F80_0000_u32.to_le_bytes();
        let name = |number| chosen(&bytes, number).map(|one| (one.name, one.value));
        assert_eq!(name(2), Some(("f32", "1".to_owned())));
        assert_eq!(name(3).map(|one| one.0), Some("bf16"));
        assert_eq!(name(CYCLE.len()).map(|one| one.0), Some("u32"));
        assert!(CYCLE.iter().all(|one| readings(&[]).iter().any(|other| other.name == *one)));
    }

    #[test]
    fn text_ends_at_the_first_byte_that_is_none() {
        assert_eq!(value(b"PE.bin\0rest", "text"), "\u{201c}PE.bin\u{201d}");
        assert_eq!(value(&[0xC3, 0xA4, 0xFF], "text"), "\u{201c}\u{e4}\u{201d}");
        assert_eq!(value(&[0xFF], "text"), "\u{2014}");
        assert_eq!(value(&[b'x'; 99], "text").chars().count(), 26);
    }
}

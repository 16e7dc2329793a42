//! What the bytes at the cursor mean as numbers and text, little-endian.
//!
//! fp8 follows the common definition (OCP): e4m3 has no infinities, e5m2 is a short half; e3m4 has
//! infinities as the wider forms do.

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
    ["u32", "i32", "f32", "bf16", "fp16", "fp8 e4m3", "fp8 e5m2", "fp8 e3m4", "text"];

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
    let small = |bits: Option<u64>, exponent: u32, mantissa: u32, finite: bool| {
        bits.map(|bits| float_text(float(bits, exponent, mantissa, finite)))
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
        ("f32", 4, small(number(4), 8, 23, false)),
        ("bf16", 2, small(number(2), 8, 7, false)),
        ("fp16", 2, small(number(2), 5, 10, false)),
        ("fp8 e4m3", 1, small(number(1), 4, 3, true)),
        ("fp8 e5m2", 1, small(number(1), 5, 2, false)),
        ("fp8 e3m4", 1, small(number(1), 3, 4, false)),
        ("text", 0, Some(text(bytes))),
    ];
    let dash = || "\u{2014}".to_owned();
    all.into_iter()
        .map(|(name, bytes, value)| Reading { name, bytes, value: value.unwrap_or_else(dash) })
        .collect()
}

/// The number that bits mean: a sign, `exponent` bits, `mantissa` bits. With `finite` the highest
/// exponent is one of numbers, and only all ones is none.
fn float(bits: u64, exponent: u32, mantissa: u32, finite: bool) -> f64 {
    let low = |n: u32| (1_u64 << n) - 1;
    let sign = if bits >> (exponent + mantissa) & 1 == 1 { -1.0 } else { 1.0 };
    let power = bits >> mantissa & low(exponent);
    let part = bits & low(mantissa);
    let top = power == low(exponent);
    if top && (!finite || part == low(mantissa)) {
        return if part == 0 { sign * f64::INFINITY } else { f64::NAN };
    }
    let bias = i32::try_from(low(exponent - 1)).unwrap_or(0);
    let power = i32::try_from(power).unwrap_or(0);
    #[allow(clippy::cast_precision_loss, reason = "at most 23 bits")]
    let fraction = part as f64 / (low(mantissa) + 1) as f64;
    let value = match power {
        0 => fraction * 2_f64.powi(1 - bias),
        _ => (1.0 + fraction) * 2_f64.powi(power - bias),
    };
    sign * value
}

fn float_text(value: f64) -> String {
    let size = value.abs();
    let text = if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value < 0.0 { "-infinity" } else { "infinity" }.to_owned()
    } else if value == 0.0 {
        if value.is_sign_negative() { "-0" } else { "0" }.to_owned()
    } else {
        // Every form but f32 is a part of it, so the shortest digits that name an f32 name it too.
        #[allow(clippy::cast_possible_truncation, reason = "of at most 24 bits")]
        let value = value as f32;
        if (1e-4..1e9).contains(&size) { format!("{value}") } else { format!("{value:e}") }
    };
    text.replace('-', "\u{2212}")
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
            (0x7F80_0000, "infinity"),
            (0x7FC0_0000, "NaN"),
            (0x8000_0000, "\u{2212}0"),
        ] {
            assert_eq!(value(&bits.to_le_bytes(), "f32"), expected, "{bits:#x}");
        }
        assert_eq!(value(&0x3F80_u16.to_le_bytes(), "bf16"), "1");
        assert_eq!(value(&0x4049_u16.to_le_bytes(), "bf16"), "3.140625");
        assert_eq!(value(&0x7BFF_u16.to_le_bytes(), "fp16"), "65504");
        assert_eq!(value(&0x0001_u16.to_le_bytes(), "fp16"), "5.9604645e\u{2212}8");
        assert_eq!(value(&0xFC00_u16.to_le_bytes(), "fp16"), "\u{2212}infinity");
        // Largest, smallest, and what is no number.
        assert_eq!(value(&[0x7E], "fp8 e4m3"), "448");
        assert_eq!(value(&[0x01], "fp8 e4m3"), "0.001953125");
        assert_eq!(value(&[0x7F], "fp8 e4m3"), "NaN");
        assert_eq!(value(&[0x7B], "fp8 e5m2"), "57344");
        assert_eq!(value(&[0x7C], "fp8 e5m2"), "infinity");
        assert_eq!(value(&[0x3C], "fp8 e5m2"), "1");
        // Bias 3: 1 is exponent 3, the largest is 2^3 x (1 + 15 / 16).
        assert_eq!(value(&[0x30], "fp8 e3m4"), "1");
        assert_eq!(value(&[0x6F], "fp8 e3m4"), "15.5");
        assert_eq!(value(&[0x70], "fp8 e3m4"), "infinity");
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

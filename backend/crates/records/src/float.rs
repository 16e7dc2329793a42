//! Floating-point forms by their bits, and the text of a value: the shortest decimal digits that
//! name it.
//!
//! Every form but [`FloatForm::F32`] is a part of it: its values are values of `f32`, and their text
//! is the shortest one that names that `f32`, so that a value reads the same in every form.
//! Spec: docs/format/kbin.md "Floating-point numbers" [observed].

/// A form of floating-point number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatForm {
    /// 32 bits: 8 of exponent, 23 of mantissa.
    F32,
    /// 16 bits: the upper half of an `f32`.
    Bf16,
    /// 16 bits: 5 of exponent, 10 of mantissa.
    Fp16,
    /// 8 bits: 3 of exponent, 4 of mantissa, with infinities; element type FP8_E3.
    E3m4,
    /// 8 bits: 4 of exponent, 3 of mantissa, without infinities (`float8_e4m3fn`); element type FP8_E4.
    E4m3,
    /// 8 bits: 5 of exponent, 2 of mantissa, with infinities; element type FP8_E5.
    E5m2,
}

impl FloatForm {
    /// Bytes of a number.
    pub const fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::Bf16 | Self::Fp16 => 2,
            Self::E3m4 | Self::E4m3 | Self::E5m2 => 1,
        }
    }

    /// Bits of exponent and mantissa.
    const fn split(self) -> (u32, u32) {
        match self {
            Self::F32 => (8, 23),
            Self::Bf16 => (8, 7),
            Self::Fp16 => (5, 10),
            Self::E3m4 => (3, 4),
            Self::E4m3 => (4, 3),
            Self::E5m2 => (5, 2),
        }
    }

    /// The number that bits mean; bits above the form are ignored.
    pub fn value(self, bits: u32) -> f32 {
        let (exponent, mantissa) = self.split();
        let low = |n: u32| (1_u32 << n) - 1;
        let sign = (bits >> (exponent + mantissa) & 1) << 31;
        let power = bits >> mantissa & low(exponent);
        let part = bits & low(mantissa);
        if self == Self::F32 {
            return f32::from_bits(bits);
        }
        // The highest exponent of e4m3 is one of numbers, and only all ones is none.
        let is_special = match self {
            Self::E4m3 => power == low(exponent) && part == low(mantissa),
            _ => power == low(exponent),
        };
        if is_special {
            let quiet = if part == 0 { 0 } else { 1 << 22 };
            let payload = if part == 0 { 0 } else { part << (23 - mantissa) };
            return f32::from_bits(sign | 0x7F80_0000 | quiet | payload);
        }
        if self == Self::Bf16 {
            return f32::from_bits(bits << 16);
        }
        let bias = low(exponent - 1);
        if power == 0 {
            // Subnormal: part x 2^(1 - bias - mantissa), exact in f32 for forms with few exponents.
            let unit = f32::from_bits((127 + 1 - bias - mantissa) << 23);
            #[allow(clippy::cast_precision_loss, reason = "at most 10 bits")]
            let size = part as f32 * unit;
            return f32::from_bits(size.to_bits() | sign);
        }
        f32::from_bits(sign | (power + 127 - bias) << 23 | part << (23 - mantissa))
    }
}

/// The shortest digits that name a number: `0.1`, `-3.14`, `1e-45`, `-0`, `inf`, `-inf`, `NaN`.
/// Powers of ten are written from 1e16 on and below 1e-5.
pub fn float_text(value: f32) -> String {
    let size = value.abs();
    if value.is_nan() || value.is_infinite() || value == 0.0 {
        return format!("{value}");
    }
    // A plain number is never longer than its digits and a few zeros.
    if (1e-5..1e16).contains(&size) { format!("{value}") } else { format!("{value:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bits and values by hand: sign x (1 + mantissa / 2^m) x 2^(exponent - bias).
    #[test]
    fn numbers_of_every_form() {
        let table: [(FloatForm, u32, &str); 44] = [
            (FloatForm::F32, 0x3F80_0000, "1"),
            (FloatForm::F32, 0xC048_F5C3, "-3.14"),
            (FloatForm::F32, 0x3DCC_CCCD, "0.1"),
            (FloatForm::F32, 0x7F7F_FFFF, "3.4028235e38"),
            // 2^-149 is 1.40e-45, and no other f32 is nearer to 1e-45.
            (FloatForm::F32, 0x0000_0001, "1e-45"),
            (FloatForm::F32, 0x0000_0005, "7e-45"),
            (FloatForm::F32, 0x8000_0001, "-1e-45"),
            // The largest subnormal and the smallest normal number, 2^-126.
            (FloatForm::F32, 0x007F_FFFF, "1.1754942e-38"),
            (FloatForm::F32, 0x0080_0000, "1.1754944e-38"),
            (FloatForm::F32, 0x7F80_0000, "inf"),
            (FloatForm::F32, 0xFF80_0000, "-inf"),
            (FloatForm::F32, 0x7FC0_0000, "NaN"),
            (FloatForm::F32, 0x0000_0000, "0"),
            (FloatForm::F32, 0x8000_0000, "-0"),
            // 2^24 and 2^53 in full, 10^16 and more as powers.
            (FloatForm::F32, 0x4B80_0000, "16777216"),
            (FloatForm::F32, 0x5A0E_1BCA, "1e16"),
            (FloatForm::F32, 0x3727_C5AC, "0.00001"),
            (FloatForm::Bf16, 0x3F80, "1"),
            (FloatForm::Bf16, 0x4049, "3.140625"),
            (FloatForm::Bf16, 0x8000, "-0"),
            (FloatForm::Bf16, 0x7F80, "inf"),
            (FloatForm::Bf16, 0xFFC0, "NaN"),
            // 2^-133 = 9.18354961...e-41; neighbors are 2^-149 apart.
            (FloatForm::Bf16, 0x0001, "9.1835e-41"),
            (FloatForm::Fp16, 0x7BFF, "65504"),
            (FloatForm::Fp16, 0x3C00, "1"),
            // 2^-24 = 5.9604644775390625e-8, and 1023 x 2^-24.
            (FloatForm::Fp16, 0x0001, "5.9604645e-8"),
            (FloatForm::Fp16, 0x03FF, "0.00006097555"),
            (FloatForm::Fp16, 0x8400, "-0.000061035156"),
            (FloatForm::Fp16, 0xFC00, "-inf"),
            (FloatForm::Fp16, 0x7C01, "NaN"),
            (FloatForm::Fp16, 0x8000, "-0"),
            // Bias 3: exponent 6 is 2^3, subnormals count 2^-6.
            (FloatForm::E3m4, 0x30, "1"),
            (FloatForm::E3m4, 0x6F, "15.5"),
            (FloatForm::E3m4, 0x01, "0.015625"),
            (FloatForm::E3m4, 0x70, "inf"),
            (FloatForm::E3m4, 0xF1, "NaN"),
            // Bias 7: the highest exponent is 2^8 with all ones left out, subnormals count 2^-9.
            (FloatForm::E4m3, 0x7E, "448"),
            (FloatForm::E4m3, 0x78, "256"),
            (FloatForm::E4m3, 0x01, "0.001953125"),
            (FloatForm::E4m3, 0xFF, "NaN"),
            // Bias 15: the largest is 1.75 x 2^15, subnormals count 2^-16.
            (FloatForm::E5m2, 0x7B, "57344"),
            (FloatForm::E5m2, 0x01, "0.000015258789"),
            (FloatForm::E5m2, 0xFC, "-inf"),
            (FloatForm::E5m2, 0x80, "-0"),
        ];
        for (form, bits, text) in table {
            assert_eq!(float_text(form.value(bits)), text, "{form:?} {bits:#x}");
        }
    }

    /// A half worked out in another way, by powers of two in 64 bits.
    #[test]
    fn all_small_numbers_are_those_of_their_definition() {
        let forms = [
            (FloatForm::Fp16, 5, 10),
            (FloatForm::Bf16, 8, 7),
            (FloatForm::E3m4, 3, 4),
            (FloatForm::E4m3, 4, 3),
            (FloatForm::E5m2, 5, 2),
        ];
        for (form, exponent, mantissa) in forms {
            for bits in 0..1_u32 << (1 + exponent + mantissa) {
                let value = form.value(bits);
                let power = bits >> mantissa & ((1 << exponent) - 1);
                let part = f64::from(bits & ((1 << mantissa) - 1)) / f64::from(1 << mantissa);
                let bias = (1 << (exponent - 1)) - 1;
                let size = match power {
                    0 => part * 2_f64.powi(1 - bias),
                    _ => (1.0 + part) * 2_f64.powi(power as i32 - bias),
                };
                let sign = if bits >> (exponent + mantissa) == 1 { -1.0 } else { 1.0 };
                if value.is_finite() {
                    assert_eq!(f64::from(value), sign * size, "{form:?} {bits:#x}");
                } else {
                    assert_eq!(power, (1 << exponent) - 1, "{form:?} {bits:#x}");
                }
                assert_eq!(value.is_sign_negative(), sign < 0.0);
                if value.is_finite() {
                    let text: f32 = float_text(value).parse().unwrap_or(f32::NAN);
                    assert_eq!(text.to_bits(), value.to_bits(), "{form:?} {bits:#x}");
                }
            }
        }
    }
}

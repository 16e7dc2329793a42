//! Registers of a sequencer and what can be computed with them.
//! Spec: docs/format/simulator.md "Registers" [modelled].

use records::payload::sequencer::Alu;

use crate::fault::FaultKind;

/// Registers of a sequencer. How many there are is not published.
pub type Registers = [u32; 256];

/// Value of a register.
///
/// # Errors
/// There is no such register.
pub fn get(registers: &Registers, register: u64) -> Result<u32, FaultKind> {
    let at = usize::try_from(register).unwrap_or(usize::MAX);
    registers.get(at).copied().ok_or(FaultKind::Register(register))
}

/// Sets a register.
///
/// # Errors
/// There is no such register.
pub fn set(registers: &mut Registers, register: u64, value: u32) -> Result<(), FaultKind> {
    let at = usize::try_from(register).unwrap_or(usize::MAX);
    let place = registers.get_mut(at).ok_or(FaultKind::Register(register))?;
    *place = value;
    Ok(())
}

/// Element type code of a signed 32-bit number; all others count as unsigned.
const INT32: u8 = 8;

/// Runs a register operation.
///
/// # Errors
/// The operation has no result on whole numbers, or there is no such register.
pub fn alu(registers: &mut Registers, record: &Alu) -> Result<(), FaultKind> {
    let left = get(registers, record.src.get().into())?;
    let right = match record.source_mode {
        1 => record.immediate.get() as u32,
        _ => get(registers, record.src1.get().into())?,
    };
    let value =
        compute(record.op, record.dtype == INT32, left, right).ok_or(FaultKind::Alu(record.op))?;
    set(registers, record.dst.get().into(), value)
}

/// The result of an operation on 32-bit numbers; `None` where it has none.
fn compute(op: u8, signed: bool, left: u32, right: u32) -> Option<u32> {
    let (l, r) = (i64_of(signed, left), i64_of(signed, right));
    let truth = |holds: bool| Some(u32::from(holds));
    let wrapped = |value: i64| Some(value as u32);
    match op {
        0x00 => Some(left),
        0x01 => Some(!left),
        0x02 | 0x10 => Some(left.checked_shl(right).unwrap_or(0)),
        0x03 => wrapped(i64::from(left as i32) >> right.min(63)),
        0x04 => wrapped(l.wrapping_add(r)),
        0x05 => wrapped(l.wrapping_sub(r)),
        0x06 => wrapped(l.wrapping_mul(r)),
        0x07 => wrapped(l.checked_div(r)?),
        0x08 => wrapped(l.max(r)),
        0x09 => wrapped(l.min(r)),
        0x0A => Some(left & right),
        0x0B => Some(left | right),
        0x0C => Some(left ^ right),
        0x0D => truth(left != 0 && right != 0),
        0x0E => truth(left != 0 || right != 0),
        0x0F => truth((left != 0) != (right != 0)),
        0x11 => Some(left.checked_shr(right).unwrap_or(0)),
        0x12 => truth(l == r),
        0x13 => truth(l > r),
        0x14 => truth(l >= r),
        0x15 => truth(l <= r),
        0x16 => truth(l < r),
        0x17 => wrapped((l - r).abs()),
        0x18 => truth(l != r),
        0x19 => wrapped(l.abs()),
        0x1B => wrapped(l.checked_rem_euclid(r)?),
        _ => None,
    }
}

fn i64_of(signed: bool, value: u32) -> i64 {
    if signed { i64::from(value as i32) } else { i64::from(value) }
}

/// Whether two values compare as a branch's condition says; `None` for a code without a meaning.
/// Spec: docs/format/streams.md "Branches" [observed].
pub fn compares(condition: u8, dtype: u8, left: u32, right: u32) -> Option<bool> {
    let (l, r) = (i64_of(dtype == INT32, left), i64_of(dtype == INT32, right));
    Some(match condition {
        1 | 9 => l < r,
        2 | 10 => l <= r,
        3 | 11 => l == r,
        4 | 12 => l != r,
        5 | 13 => l >= r,
        6 | 14 => l > r,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_by_hand() {
        let minus = |n: u32| 0_u32.wrapping_sub(n);
        let table = [
            (0x04, true, 3, minus(5), Some(minus(2))),
            (0x05, false, 3, 5, Some(minus(2))),
            (0x07, true, minus(9), 2, Some(minus(4))),
            (0x07, true, 9, 0, None),
            (0x08, true, minus(1), 1, Some(1)),
            (0x08, false, minus(1), 1, Some(minus(1))),
            (0x03, true, minus(8), 1, Some(minus(4))),
            (0x11, true, minus(8), 1, Some(minus(8) >> 1)),
            (0x10, true, 1, 40, Some(0)),
            (0x0D, true, 2, 4, Some(1)),
            (0x0A, true, 2, 4, Some(0)),
            (0x12, true, 7, 7, Some(1)),
            (0x17, true, 3, 10, Some(7)),
            (0x1B, true, minus(1), 4, Some(3)),
            (0x1A, true, 2, 2, None),
        ];
        for (op, signed, left, right, expected) in table {
            assert_eq!(compute(op, signed, left, right), expected, "{op:#x} {left} {right}");
        }
    }

    #[test]
    fn conditions_know_signs() {
        let minus_one = u32::MAX;
        // Condition, signed holds for (-1, 0), unsigned holds for (2^32 - 1, 0).
        let table = [
            (1, true, false),
            (2, true, false),
            (3, false, false),
            (4, true, true),
            (5, false, true),
            (6, false, true),
        ];
        for (condition, signed, unsigned) in table {
            for form in [condition, condition + 8] {
                assert_eq!(compares(form, 8, minus_one, 0), Some(signed), "{form}");
                assert_eq!(compares(form, 9, minus_one, 0), Some(unsigned), "{form}");
            }
        }
        assert_eq!(compares(7, 8, 0, 0), None);
    }
}

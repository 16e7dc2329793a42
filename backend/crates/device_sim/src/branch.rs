//! Where a branch goes.
//! Spec: docs/format/streams.md "Branches" [observed].

use records::Slot;
use records::payload::sequencer::Branch;
use records::payload::value::{BranchTarget, Condition};

use crate::fault::FaultKind;
use crate::register::{self, Registers};

/// The slot that a branch at `pc` goes to; `None` if its condition does not hold. The image has
/// `slots` slots from the address `base` on.
///
/// # Errors
/// The target is no slot of the image, or the form has no meaning.
pub fn target(
    slot: &Slot,
    pc: u32,
    base: u64,
    slots: usize,
    registers: &Registers,
) -> Result<Option<u32>, FaultKind> {
    let record = Branch::of(slot);
    if !holds(record, registers)? {
        return Ok(None);
    }
    let own = i128::from(pc) * 64;
    let offset = match BranchTarget(record.target) {
        BranchTarget::RELATIVE => own + i128::from(record.distance.get()),
        BranchTarget::RELATIVE_REGISTER => {
            own + i128::from(register::get(registers, record.target_low.into())? as i32)
        }
        BranchTarget::REGISTER => {
            let low = register::get(registers, record.target_low.into())?;
            let high = register::get(registers, record.target_high.into())?;
            let address = u64::from(high) << 32 | u64::from(low);
            i128::from(address) - i128::from(base)
        }
        other => return Err(FaultKind::BranchForm { what: "target mode", value: other.0 }),
    };
    let words = || {
        let address = i128::from(base) + offset;
        match u64::try_from(address) {
            Ok(address) => format!("{address:#x}"),
            Err(_) => format!("{offset} bytes from the image's start"),
        }
    };
    if offset % 64 != 0 {
        return Err(FaultKind::BranchUnaligned(words()));
    }
    match u32::try_from(offset / 64) {
        Ok(to) if (to as usize) < slots => Ok(Some(to)),
        _ => Err(FaultKind::BranchOutside(words())),
    }
}

fn holds(record: &Branch, registers: &Registers) -> Result<bool, FaultKind> {
    if record.condition == 0 {
        return Ok(true);
    }
    let left = register::get(registers, record.register.into())?;
    let right = if Condition(record.condition).with_register() {
        // Where the second register stands is not published: modelled in place of the constant.
        register::get(registers, record.immediate.get().into())?
    } else {
        record.immediate.get()
    };
    let holds = register::compares(record.condition, record.dtype, left, right);
    holds.ok_or(FaultKind::BranchForm { what: "condition", value: record.condition })
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::build::{self, Compare, Draft};

    const BASE: u64 = 0x8005_C040_0000;

    fn go(slot: Slot, registers: &Registers) -> Result<Option<u32>, FaultKind> {
        target(&slot, 10, BASE, 20, registers)
    }

    #[test]
    fn every_target_mode() {
        let mut registers = [0; 256];
        assert_eq!(go(build::branch(-640), &registers), Ok(Some(0)));
        registers[1] = 0xC040_00C0;
        registers[2] = 0x8005;
        assert_eq!(go(build::branch_register(1, 2), &registers), Ok(Some(3)));
        registers[5] = 0_u32.wrapping_sub(64);
        assert_eq!(go(build::branch_relative_register(5), &registers), Ok(Some(9)));
        let odd = Draft::of(build::branch(64)).u8(0x0E, 2).slot();
        assert_eq!(
            go(odd, &registers),
            Err(FaultKind::BranchForm { what: "target mode", value: 2 })
        );
    }

    #[test]
    fn conditions_decide() {
        let mut registers = [0; 256];
        registers[3] = 7;
        registers[4] = 7;
        let taken = |how, value| go(build::branch_if(3, how, value, 64), &registers);
        assert_eq!(taken(Compare::Eq, 7), Ok(Some(11)));
        assert_eq!(taken(Compare::Ne, 7), Ok(None));
        assert_eq!(taken(Compare::Gt, u32::MAX), Ok(Some(11)));
        let both = Draft::of(build::branch_if(3, Compare::Eq, 4, 64)).u8(0x0C, 11).slot();
        assert_eq!(go(both, &registers), Ok(Some(11)));
    }

    #[test]
    fn wrong_targets_are_faults() {
        let registers = [0; 256];
        let outside = |distance| go(build::branch(distance), &registers);
        assert!(matches!(outside(640), Err(FaultKind::BranchOutside(_))));
        assert!(matches!(outside(-704), Err(FaultKind::BranchOutside(_))));
        assert!(matches!(outside(32), Err(FaultKind::BranchUnaligned(_))));
        let jump = go(build::branch_register(1, 2), &registers);
        assert_eq!(jump, Err(FaultKind::BranchOutside("0x0".to_owned())));
    }
}

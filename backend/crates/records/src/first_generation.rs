//! Codes of the first generation, for old files only. Nothing here is tried on a record by itself:
//! the caller says that a stream is of this kind.
//!
//! The sync engine of that generation has slots of 8 bytes. Their operands are not published, so
//! they stay bytes.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Size of a slot of the first generation's sync engine, in bytes.
/// Spec: docs/format/streams.md "First generation" [observed].
pub const SP_SLOT8_BYTES: usize = 8;

/// One slot of the first generation's sync engine.
/// Spec: docs/format/streams.md "First generation" [observed].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct SpSlot8 {
    /// Code (7 bits) and phase (1 bit).
    pub code_and_phase: u8,
    /// Operands, undecoded.
    pub operands: [u8; 7],
}

const _: () = assert!(size_of::<SpSlot8>() == SP_SLOT8_BYTES);

/// Which end of the first byte holds the phase bit. Nobody says which it is.
/// Spec: docs/format/streams.md "First generation" [inferred].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PhaseBit {
    /// Bit 7; the byte of phase 0 then equals the code.
    #[default]
    Top,
    /// Bit 0.
    Bottom,
}

impl SpSlot8 {
    /// Views bytes as whole slots without copying, and returns the `bytes.len() % 8` bytes left.
    pub fn slice_of(bytes: &[u8]) -> (&[Self], &[u8]) {
        let whole = bytes.len() - bytes.len() % SP_SLOT8_BYTES;
        let (head, tail) = bytes.split_at(whole);
        // A multiple of 8 bytes with alignment 1 always casts.
        (<[Self]>::ref_from_bytes(head).unwrap_or(&[]), tail)
    }

    /// The 7-bit code.
    pub const fn code(&self, phase: PhaseBit) -> u8 {
        match phase {
            PhaseBit::Top => self.code_and_phase & 0x7f,
            PhaseBit::Bottom => self.code_and_phase >> 1,
        }
    }

    /// The phase, 0 or 1.
    pub const fn phase(&self, phase: PhaseBit) -> u8 {
        match phase {
            PhaseBit::Top => self.code_and_phase >> 7,
            PhaseBit::Bottom => self.code_and_phase & 1,
        }
    }

    /// The name of the code; `None` for one without a name.
    pub const fn mnemonic(&self, phase: PhaseBit) -> Option<&'static str> {
        Some(match self.code(phase) {
            0x04 => "WRITE8_IND",
            0x05 => "WRITE32_IND",
            0x08 => "WRITE8_DIR",
            0x10 => "NOTIFY_HALT",
            0x20 => "WAIT_CYCLES",
            0x24 => "WAIT_EVENT_SET",
            0x25 => "WAIT_EVENT_SET_M",
            0x30 => "BRANCH_U",
            0x34 => "BRANCH_C_EVENT_SET",
            0x38 => "BRANCH_C_CNTR_Z",
            0x39 => "BRANCH_C_CNTR_NZ",
            0x40 => "SET_CNTR",
            0x41 => "DECR_CNTR",
            0x50 => "CLR_ALL_EVENTS",
            0x51 => "CLR_EVENT",
            0x60 => "SET_AR",
            _ => return None,
        })
    }
}

/// Byte 0 of a 64-byte record of the first generation: a number and the group of its engine.
/// Such records have 4 bytes of events, so that their payload starts at byte 8.
/// Spec: docs/format/streams.md "First generation" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct V1Opcode(pub u8);

impl V1Opcode {
    /// First byte of the payload.
    pub const PAYLOAD_AT: usize = 8;

    /// The group in the upper 3 bits, `PE ACT POOL ALL RT SIM`; `None` for the two without a name.
    pub const fn group(self) -> Option<&'static str> {
        Some(match self.0 >> 5 {
            0 => "PE",
            1 => "ACT",
            2 => "POOL",
            3 => "ALL",
            6 => "RT",
            7 => "SIM",
            _ => return None,
        })
    }

    /// The name, where one is known.
    pub const fn mnemonic(self) -> Option<&'static str> {
        Some(match self.0 {
            0x61 => "EVENT_WAIT",
            0x62 => "EVENT_SET",
            0x63 => "EVENT_CLEAR",
            0x65 => "SEM_TEST_AND_SET",
            0x68 => "NOP",
            0x69 => "WRITE",
            0x6a => "NOTIFY",
            0xc7 => "SET_TRANSFER_ADJUST",
            0xc8 => "READ_VAR_ADDR",
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_eight_bytes() {
        let bytes = [0xa4, 1, 2, 3, 4, 5, 6, 7, 0x48, 0, 0, 0, 0, 0, 0, 0, 9];
        let (slots, tail) = SpSlot8::slice_of(&bytes);
        assert_eq!((slots.len(), tail), (2, &[9][..]));
        assert_eq!(slots[0].mnemonic(PhaseBit::Top), Some("WAIT_EVENT_SET"));
        assert_eq!(slots[0].phase(PhaseBit::Top), 1);
        assert_eq!(slots[0].operands, [1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(slots[1].mnemonic(PhaseBit::Top), None);
        assert_eq!(slots[1].mnemonic(PhaseBit::Bottom), Some("WAIT_EVENT_SET"));
        assert_eq!(slots[1].phase(PhaseBit::Bottom), 0);
    }

    #[test]
    fn groups_and_names() {
        assert_eq!(V1Opcode(0x69).group(), Some("ALL"));
        assert_eq!(V1Opcode(0x69).mnemonic(), Some("WRITE"));
        assert_eq!(V1Opcode(0xc8).group(), Some("RT"));
        assert_eq!((V1Opcode(0xeb).group(), V1Opcode(0xeb).mnemonic()), (Some("SIM"), None));
        assert_eq!(V1Opcode(0x80).group(), None);
    }
}

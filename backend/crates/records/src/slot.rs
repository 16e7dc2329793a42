//! The 64-byte instruction record, as raw bytes.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Size of one instruction record on every engine, in bytes.
/// Spec: docs/format/streams.md "Record" [observed].
pub const SLOT_BYTES: usize = 64;

/// One 64-byte instruction record. Any 64 bytes are a slot; nothing is rejected or normalized.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(transparent)]
pub struct Slot(pub [u8; SLOT_BYTES]);

const _: () = assert!(size_of::<Slot>() == SLOT_BYTES);

impl Slot {
    /// A slot of zero bytes.
    pub const ZERO: Slot = Slot([0; SLOT_BYTES]);

    /// Views bytes as whole slots without copying, and returns the `bytes.len() % 64` bytes left.
    pub fn slice_of(bytes: &[u8]) -> (&[Slot], &[u8]) {
        let whole = bytes.len() - bytes.len() % SLOT_BYTES;
        let (head, tail) = bytes.split_at(whole);
        // A multiple of 64 bytes with alignment 1 always casts.
        (<[Slot]>::ref_from_bytes(head).unwrap_or(&[]), tail)
    }

    /// The bytes of a run of slots, without copying.
    pub fn bytes_of(slots: &[Slot]) -> &[u8] {
        slots.as_bytes()
    }

    /// The 64 bytes.
    pub const fn bytes(&self) -> &[u8; SLOT_BYTES] {
        &self.0
    }

    /// Byte at an offset; 0 beyond the record.
    pub fn u8_at(&self, offset: usize) -> u8 {
        self.0.get(offset).copied().unwrap_or(0)
    }

    /// Little-endian u16 at an offset; 0 where it would leave the record.
    pub fn u16_at(&self, offset: usize) -> u16 {
        self.array_at(offset).map_or(0, u16::from_le_bytes)
    }

    /// Little-endian u32 at an offset; 0 where it would leave the record.
    pub fn u32_at(&self, offset: usize) -> u32 {
        self.array_at(offset).map_or(0, u32::from_le_bytes)
    }

    /// Little-endian u64 at an offset; 0 where it would leave the record.
    pub fn u64_at(&self, offset: usize) -> u64 {
        self.array_at(offset).map_or(0, u64::from_le_bytes)
    }

    fn array_at<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        let end = offset.checked_add(N)?;
        self.0.get(offset..end)?.try_into().ok()
    }

    /// The opcode number, byte 0.
    pub const fn opcode_byte(&self) -> u8 {
        self.0[0]
    }
}

impl std::fmt::Debug for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Slot(")?;
        for (i, byte) in self.0.iter().enumerate() {
            if i > 0 && i % 8 == 0 {
                f.write_str(" ")?;
            }
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_keep_the_tail() {
        let bytes = [7_u8; 64 * 2 + 5];
        let (slots, tail) = Slot::slice_of(&bytes);
        assert_eq!((slots.len(), tail.len()), (2, 5));
        assert_eq!(Slot::bytes_of(slots), &bytes[..128]);
        assert_eq!(Slot::slice_of(&[]).0.len(), 0);
    }

    #[test]
    fn reads_are_little_endian_and_bounded() {
        let mut slot = Slot::ZERO;
        slot.0[60..64].copy_from_slice(&[1, 2, 3, 4]);
        assert_eq!(slot.u32_at(60), 0x0403_0201);
        assert_eq!(slot.u32_at(61), 0);
        assert_eq!(slot.u8_at(64), 0);
    }
}

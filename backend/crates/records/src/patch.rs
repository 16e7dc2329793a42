//! Rows of an engine's patch list: where the device image has more or fewer slots than the source.

use zerocopy::byteorder::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::error::{ByteSpan, DecodeError, DecodeErrorKind};

/// Size of one stored row, in bytes.
/// Spec: docs/format/image.md "Patch row" [observed].
pub const PATCH_ROW_BYTES: usize = 16;

/// What a row says about the slots at its offset. Values without a name are kept.
/// Spec: docs/format/image.md "Patch row" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchType(pub u32);

impl PatchType {
    /// The image has `count` slots more than the source.
    pub const INSERT: Self = Self(0);
    /// One slot was rewritten in place.
    pub const MODIFY: Self = Self(1);
    /// `count` source records have no slot in the image.
    pub const DELETE: Self = Self(2);

    /// `INSERT`, `MODIFY` or `DELETE`; `None` for any other value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::INSERT => Some("INSERT"),
            Self::MODIFY => Some("MODIFY"),
            Self::DELETE => Some("DELETE"),
            _ => None,
        }
    }
}

/// Section of the image that a row belongs to. Values without a name are kept.
/// Spec: docs/format/image.md "Patch row" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PatchSection(pub u32);

impl PatchSection {
    /// Synthesized slots before the program.
    pub const PREAMBLE: Self = Self(0);
    /// Synthesized slots after the program.
    pub const POSTAMBLE: Self = Self(1);
    /// Function 0 of the source.
    pub const MAIN: Self = Self(2);
    /// Functions 1 and up. The shipped enumeration spells it FUNCATION.
    pub const FUNCTION: Self = Self(3);

    /// The section's name; `None` for any other value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::PREAMBLE => Some("PREAMBLE"),
            Self::POSTAMBLE => Some("POSTAMBLE"),
            Self::MAIN => Some("MAIN"),
            Self::FUNCTION => Some("FUNCTION"),
            _ => None,
        }
    }
}

/// One patch row as a value.
/// Spec: docs/format/image.md "Patch row" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatchRow {
    /// Bytes from the image start; rows of section FUNCTION count from the function section.
    pub offset: u32,
    /// Number of 64-byte slots (INSERT) or source records (DELETE).
    pub count: u32,
    /// What happened there.
    pub kind: PatchType,
    /// Section it belongs to.
    pub section: PatchSection,
}

impl PatchRow {
    /// The row in its stored form.
    pub fn to_raw(self) -> RawPatchRow {
        RawPatchRow {
            offset: U32::new(self.offset),
            count: U32::new(self.count),
            kind: U32::new(self.kind.0),
            section: U32::new(self.section.0),
        }
    }

    /// Reads whole rows. Errors if the length is no multiple of 16; no value is rejected.
    pub fn read_all(bytes: &[u8]) -> Result<Vec<PatchRow>, DecodeError> {
        let rest = bytes.len() % PATCH_ROW_BYTES;
        let (whole, _) = bytes.split_at(bytes.len() - rest);
        if rest != 0 {
            let at = ByteSpan::of(whole.len() as u64, rest as u64);
            let kind =
                DecodeErrorKind::TooShort { need: PATCH_ROW_BYTES as u64, have: rest as u64 };
            return Err(DecodeError { at, what: "patch row", kind });
        }
        // Alignment 1 and a whole number of rows: the cast always holds.
        let raw = <[RawPatchRow]>::ref_from_bytes(whole).unwrap_or(&[]);
        Ok(raw.iter().map(RawPatchRow::value).collect())
    }
}

/// One patch row as stored, little-endian.
/// Spec: docs/format/image.md "Patch row" [observed].
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawPatchRow {
    /// Bytes, see [`PatchRow::offset`].
    pub offset: U32,
    /// Slots.
    pub count: U32,
    /// [`PatchType`] number.
    pub kind: U32,
    /// [`PatchSection`] number.
    pub section: U32,
}

const _: () = {
    assert!(size_of::<RawPatchRow>() == PATCH_ROW_BYTES);
    assert!(std::mem::offset_of!(RawPatchRow, offset) == 0);
    assert!(std::mem::offset_of!(RawPatchRow, count) == 4);
    assert!(std::mem::offset_of!(RawPatchRow, kind) == 8);
    assert!(std::mem::offset_of!(RawPatchRow, section) == 12);
};

impl RawPatchRow {
    /// The row as a value.
    pub fn value(&self) -> PatchRow {
        PatchRow {
            offset: self.offset.get(),
            count: self.count.get(),
            kind: PatchType(self.kind.get()),
            section: PatchSection(self.section.get()),
        }
    }

    /// The 16 stored bytes.
    pub fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_table_of_values_and_bytes_both_ways() {
        let table = [
            (
                PatchRow {
                    offset: 0x1140,
                    count: 1,
                    kind: PatchType::DELETE,
                    section: PatchSection::MAIN,
                },
                [0x40, 0x11, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0],
            ),
            (
                PatchRow {
                    offset: 0,
                    count: 69,
                    kind: PatchType::INSERT,
                    section: PatchSection::PREAMBLE,
                },
                [0, 0, 0, 0, 69, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            ),
        ];
        for (row, bytes) in table {
            assert_eq!(row.to_raw().bytes(), bytes);
            assert_eq!(PatchRow::read_all(&bytes), Ok(vec![row]));
        }
    }

    #[test]
    fn unknown_numbers_survive_and_have_no_name() {
        let row = PatchRow {
            offset: 1,
            count: 2,
            kind: PatchType(3),
            section: PatchSection(0x1234_5678),
        };
        let raw = row.to_raw();
        assert_eq!(PatchRow::read_all(raw.bytes()), Ok(vec![row]));
        assert_eq!((row.kind.name(), row.section.name()), (None, None));
    }

    #[test]
    fn a_partial_row_is_an_error_with_its_place() {
        let error = PatchRow::read_all(&[0; 20]).unwrap_err();
        assert_eq!((error.at.start, error.at.end), (16, 20));
    }

    proptest! {
        #[test]
        fn decode_then_encode_is_the_identity(bytes in proptest::collection::vec(any::<u8>(), 16)) {
            let rows = PatchRow::read_all(&bytes).unwrap();
            let raw = rows[0].to_raw();
            prop_assert_eq!(raw.bytes(), &bytes[..]);
        }
    }
}

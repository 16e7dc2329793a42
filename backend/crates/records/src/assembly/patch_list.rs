//! Patch lists: count, capacity and pointer for each engine. The rows themselves are
//! [`crate::patch::RawPatchRow`].

use zerocopy::little_endian::{U32, U64};

use super::{Confidence, RecordField, RecordForm, RecordType};
use crate::patch::{PATCH_ROW_BYTES, RawPatchRow};

/// Size of one engine's list record, in bytes.
pub const ENGINE_LIST_BYTES: usize = 16;

/// The type of a row, [`RawPatchRow`].
/// Spec: docs/format/image.md "Patch row" [observed].
pub const PATCH_LOCATION: RecordType = RecordType {
    name: "kbin_patch_location_t",
    bytes: PATCH_ROW_BYTES,
    fields: &[
        word(0, "offset", "bytes; rows of FUNCTION count from its start", RecordForm::Hex),
        word(4, "count", "slots, or records for DELETE", RecordForm::Dec),
        word(8, "type", "0 INSERT, 1 MODIFY, 2 DELETE", RecordForm::Dec),
        word(12, "section", "0 PREAMBLE, 1 POSTAMBLE, 2 MAIN, 3 FUNCTION", RecordForm::Dec),
    ],
};

const _: () = assert!(size_of::<RawPatchRow>() == PATCH_LOCATION.bytes);

const fn word(
    offset: u16,
    name: &'static str,
    meaning: &'static str,
    form: RecordForm,
) -> RecordField {
    RecordField { offset, bytes: 4, name, meaning, form, confidence: Confidence::Observed }
}

runtime_record! {
    /// The patch list of one engine.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    EnginePatchList 16 "kbin_eng_patch_t" {
        0x00 count: U32 = Dec Observed "rows";
        0x04 array_count: U32 = Dec Observed "rows that there is room for";
        0x08 locations: U64 = Pointer Observed "the rows";
    }
}

impl EnginePatchList {
    /// A list with so many rows and so much room; the pointer is 0.
    pub const fn new(count: u32, array_count: u32) -> Self {
        Self { count: U32::new(count), array_count: U32::new(array_count), locations: U64::new(0) }
    }
}

runtime_record! {
    /// The patch lists of all engines, by engine code.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    PatchInfo 80 "kbin_patch_info_t" {
        0x00 pe: EnginePatchList = PatchList Observed "list of PE";
        0x10 act: EnginePatchList = PatchList Observed "list of ACT";
        0x20 pool: EnginePatchList = PatchList Observed "list of POOL";
        0x30 dve: EnginePatchList = PatchList Observed "list of DVE";
        0x40 sp: EnginePatchList = PatchList Observed "list of SP";
    }
}

impl PatchInfo {
    /// The five lists, by engine code.
    pub const fn new(lists: [EnginePatchList; 5]) -> Self {
        let [pe, act, pool, dve, sp] = lists;
        Self { pe, act, pool, dve, sp }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_count_capacity_and_pointer() {
        let list = EnginePatchList::new(3, 8);
        assert_eq!(list.bytes(), [3, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        let info = PatchInfo::new([list; 5]);
        assert_eq!(&info.bytes()[0x40..], list.bytes());
    }
}

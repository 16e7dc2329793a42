//! The records that a runtime keeps about an assembled engine program: ranges, staged block,
//! functions and blocks, patch lists, capabilities.
//!
//! Each layout is a type with its offsets checked at compile time and a list of [`RecordField`]s
//! made from the same lines, so that typed access and the byte map of a screen cannot differ. All
//! numbers are little-endian. Pointers are addresses in the memory of the host process; in bytes
//! that are made here they are 0.
//! Spec: docs/format/image.md "Records of the runtime" [observed].

pub use crate::payload::Confidence;

/// How the bytes of a field are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordForm {
    /// Unsigned decimal number.
    Dec,
    /// Hexadecimal number.
    Hex,
    /// 0 or 1.
    Flag,
    /// NUL-padded text.
    Text,
    /// Address in the host's memory; 0 here.
    Pointer,
    /// Address in the device's address space.
    DeviceAddress,
    /// Two 64-bit numbers, offset and size.
    Range,
    /// Pointer, bytes used, bytes there.
    Buffer,
    /// Count, capacity and pointer of a patch list.
    PatchList,
    /// Five patch lists.
    PatchLists,
    /// Id of an event or semaphore; 0xFF for none.
    SyncId,
    /// Bytes without a published layout.
    Opaque,
}

impl RecordForm {
    /// The record that a field of this form is; `None` for a plain value.
    pub const fn inner(self) -> Option<RecordType> {
        match self {
            Self::Range => Some(code::RawCodeRange::TYPE),
            Self::Buffer => Some(function::RawBuffer::TYPE),
            Self::PatchList => Some(patch_list::EnginePatchList::TYPE),
            Self::PatchLists => Some(patch_list::PatchInfo::TYPE),
            _ => None,
        }
    }
}

/// One field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordField {
    /// First byte in the record.
    pub offset: u16,
    /// Size in bytes.
    pub bytes: u16,
    /// Name, as in the runtime.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// How to read it.
    pub form: RecordForm,
    /// How sure place and meaning are.
    pub confidence: Confidence,
}

impl RecordField {
    /// The field's bytes in a record; empty if the record is shorter.
    pub fn bytes_in<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let start = usize::from(self.offset);
        record.get(start..start + usize::from(self.bytes)).unwrap_or(&[])
    }
}

/// Type of a record with its name in the runtime, size and fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordType {
    /// Name of the type in the runtime.
    pub name: &'static str,
    /// Size in bytes, without what may follow the record.
    pub bytes: usize,
    /// Fields with a meaning, ascending by offset.
    pub fields: &'static [RecordField],
}

/// Defines a record: the type, its size and offset checks, and its list of fields.
macro_rules! runtime_record {
    ($(#[$doc:meta])* $name:ident $size:literal $text:literal {
        $($at:literal $field:ident: $type:ty
            $(= $form:ident $confidence:ident $meaning:literal)?;)*
    }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
            zerocopy::KnownLayout, zerocopy::Unaligned,
        )]
        #[repr(C)]
        pub struct $name {
            $(
                #[doc = concat!("Byte `", stringify!($at), "`" $(, ": ", $meaning)?, ".")]
                pub $field: $type,
            )*
        }

        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(std::mem::offset_of!($name, $field) == $at);)*
        };

        impl $name {
            /// Name, size and fields.
            pub const TYPE: $crate::assembly::RecordType = $crate::assembly::RecordType {
                name: $text,
                bytes: $size,
                fields: &[$($(
                    $crate::assembly::RecordField {
                        offset: $at,
                        bytes: size_of::<$type>() as u16,
                        name: stringify!($field),
                        meaning: $meaning,
                        form: $crate::assembly::RecordForm::$form,
                        confidence: $crate::assembly::Confidence::$confidence,
                    },
                )?)*],
            };

            /// A record of zero bytes.
            pub fn zero() -> Self {
                <Self as zerocopy::FromZeros>::new_zeroed()
            }

            /// Views the first bytes as this record. Errors if there are too few; no value is
            /// rejected.
            pub fn of(bytes: &[u8]) -> Result<&Self, $crate::error::DecodeError> {
                let have = bytes.len() as u64;
                let read = <Self as zerocopy::FromBytes>::ref_from_prefix(bytes);
                read.map(|(record, _)| record).map_err(|_| $crate::error::DecodeError {
                    at: $crate::error::ByteSpan::of(0, have),
                    what: $text,
                    kind: $crate::error::DecodeErrorKind::TooShort { need: $size, have },
                })
            }

            /// The stored bytes.
            pub fn bytes(&self) -> &[u8] {
                zerocopy::IntoBytes::as_bytes(self)
            }
        }
    };
}

pub(crate) use runtime_record;

pub mod code;
pub mod patch_list;
pub mod function;
pub mod configuration;

/// Places of the results in `model_t`, the runtime's record of a loaded model, in bytes from its
/// start.
/// Spec: docs/format/image.md "Places in the model" [observed].
pub mod model {
    /// `kbin_patch_info`: the five patch lists.
    pub const PATCH_INFO: u64 = 0x18A0;
    /// `ib_addrs[5]`: pointers to the resolved records, by engine code.
    pub const ADDRS: u64 = 0x1988;
    /// `ib_functions[5]`: function ranges, by engine code.
    pub const FUNCTIONS: u64 = 0x19B0;
}

const _: () = {
    use code::{CODE_RANGE_BYTES, POINTER_BYTES};
    // The reader of a trace computes these places from an engine code: (engine + 0x18A) x 16 and
    // engine x 8 + 0x1988. The function ranges follow the five pointers.
    assert!(model::PATCH_INFO == 0x18A * patch_list::ENGINE_LIST_BYTES as u64);
    assert!(model::ADDRS + 5 * POINTER_BYTES as u64 == model::FUNCTIONS);
    assert!(5 * CODE_RANGE_BYTES == 80);
};

#[cfg(test)]
mod tests {
    use super::code::{InstBlock, RawCode, RawCodeRange, ResolvedCode};
    use super::configuration::{Capabilities, ReservedEvents};
    use super::function::{RawBlock, RawEngineFunctions, RawFunction};
    use super::patch_list::{EnginePatchList, PATCH_LOCATION, PatchInfo};
    use super::*;
    use proptest::prelude::*;

    const TYPES: [RecordType; 12] = [
        RawCodeRange::TYPE,
        RawCode::TYPE,
        ResolvedCode::TYPE,
        InstBlock::TYPE,
        RawFunction::TYPE,
        RawBlock::TYPE,
        RawEngineFunctions::TYPE,
        EnginePatchList::TYPE,
        PATCH_LOCATION,
        PatchInfo::TYPE,
        Capabilities::TYPE,
        ReservedEvents::TYPE,
    ];

    #[test]
    fn published_sizes() {
        let sizes = TYPES.map(|kind| (kind.name, kind.bytes));
        let expected = [
            ("ib_code_range_t", 16),
            ("ib_code_one_eng_t", 56),
            ("ib_addrs_one_eng", 56),
            ("inst_block", 96),
            ("itf_function_t", 352),
            ("itf_block_t", 200),
            ("itf_one_eng_functions_t", 32),
            ("kbin_eng_patch_t", 16),
            ("kbin_patch_location_t", 16),
            ("kbin_patch_info_t", 80),
            ("capabilities", 32),
            ("reserved_events", 20),
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn fields_ascend_without_overlap_inside_their_record() {
        for kind in TYPES {
            let mut end = 0;
            for field in kind.fields {
                assert!(field.offset >= end, "{} {}", kind.name, field.name);
                assert!(field.bytes > 0 && !field.meaning.is_empty());
                end = field.offset + field.bytes;
            }
            assert!(usize::from(end) <= kind.bytes, "{}", kind.name);
        }
    }

    #[test]
    fn a_field_that_is_a_record_has_its_size() {
        let mut inner = 0;
        for field in TYPES.iter().flat_map(|kind| kind.fields) {
            if let Some(kind) = field.form.inner() {
                assert_eq!(usize::from(field.bytes), kind.bytes, "{}", field.name);
                inner += 1;
            }
        }
        // 3 + 3 ranges, 5 lists, 1 + 1 + 2 buffers, 1 set of lists, 2 ranges.
        assert_eq!(inner, 18);
    }

    #[test]
    fn a_short_record_is_an_error_with_its_need() {
        let error = RawBlock::of(&[0; 199]).unwrap_err();
        assert_eq!(error.kind, crate::error::DecodeErrorKind::TooShort { need: 200, have: 199 });
        assert!(RawBlock::of(&[0; 300]).is_ok());
    }

    proptest! {
        #[test]
        fn decode_then_encode_is_the_identity(
            bytes in proptest::collection::vec(any::<u8>(), 352),
        ) {
            prop_assert_eq!(RawCodeRange::of(&bytes).unwrap().bytes(), &bytes[..16]);
            prop_assert_eq!(RawCode::of(&bytes).unwrap().bytes(), &bytes[..56]);
            prop_assert_eq!(ResolvedCode::of(&bytes).unwrap().bytes(), &bytes[..56]);
            prop_assert_eq!(InstBlock::of(&bytes).unwrap().bytes(), &bytes[..96]);
            prop_assert_eq!(RawFunction::of(&bytes).unwrap().bytes(), &bytes[..]);
            prop_assert_eq!(RawBlock::of(&bytes).unwrap().bytes(), &bytes[..200]);
            prop_assert_eq!(RawEngineFunctions::of(&bytes).unwrap().bytes(), &bytes[..32]);
            prop_assert_eq!(EnginePatchList::of(&bytes).unwrap().bytes(), &bytes[..16]);
            prop_assert_eq!(PatchInfo::of(&bytes).unwrap().bytes(), &bytes[..80]);
            prop_assert_eq!(Capabilities::of(&bytes).unwrap().bytes(), &bytes[..32]);
            prop_assert_eq!(ReservedEvents::of(&bytes).unwrap().bytes(), &bytes[..20]);
        }
    }
}

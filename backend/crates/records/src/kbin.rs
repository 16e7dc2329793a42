//! The records of a KBIN: the tree that a loader builds in memory for each subgraph.
//!
//! No file has this layout. Each record is one zeroed allocation: a header, and behind it what the
//! header counts. Every layout is a type whose size and offsets are checked at compile time, with a
//! list of [`Field`]s made from the same lines, so that typed access and the field tree of a screen
//! cannot differ. All numbers are little-endian. Pointers are addresses in the memory of the host
//! process; in bytes that are made here they are 0, and what they point to is kept beside.
//! Spec: docs/format/kbin.md "Rules for all records" [observed].

pub mod names;

use crate::provenance::Provenance;
use names::NameTable;

/// How sure the place of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// Read from debug information or from the code that writes the record.
    Observed,
    /// Stated with reservation by whoever published it.
    Medium,
    /// The only natural layout that fits the published sizes.
    Inferred,
}

impl Tag {
    /// `observed`, `medium` or `inferred`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Medium => "medium",
            Self::Inferred => "inferred",
        }
    }
}

/// How the bytes of a field are read.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Unsigned decimal number.
    Dec,
    /// Signed decimal number.
    Signed,
    /// Hexadecimal number.
    Hex,
    /// 0 or 1.
    Flag,
    /// NUL-padded text.
    Text,
    /// Bits of a 32-bit floating-point number.
    Float,
    /// Several of them.
    Floats,
    /// Number with a name.
    Name(&'static NameTable),
    /// Address in the host's memory; 0 here.
    Pointer,
    /// Address in the device's address space.
    Address,
    /// Several of them, 8 bytes each.
    Addresses,
    /// Ranges of bits, each a field of its own; they may overlap where a record has two views.
    Bits(&'static [Bits]),
    /// Several of them, 8 bytes each.
    Pointers,
    /// Unsigned numbers of this many bytes each.
    DecArray(usize),
    /// Signed numbers of 8 bytes each.
    SignedArray,
    /// A record.
    Record(&'static Layout),
    /// Records, one behind the other.
    Records(&'static Layout),
    /// Bytes without a published layout.
    Opaque,
    /// Zero bytes that keep the next field aligned.
    Padding,
}

/// A range of bits of a field.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    /// Lowest bit, 0 least significant.
    pub low: u32,
    /// Bits, 1 to 64.
    pub width: u32,
    /// Name, as in the runtime.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// Names of its values, if they have any.
    pub names: Option<&'static NameTable>,
    /// Whether it is a mask, written in hex.
    pub is_mask: bool,
    /// How sure place and meaning are.
    pub tag: Tag,
}

impl Bits {
    /// A range whose place and meaning are sure.
    pub const fn new(low: u32, width: u32, name: &'static str, meaning: &'static str) -> Self {
        Self { low, width, name, meaning, names: None, is_mask: false, tag: Tag::Observed }
    }

    /// The same, less sure.
    pub const fn medium(self) -> Self {
        Self { tag: Tag::Medium, ..self }
    }

    /// The same with names of its values.
    pub const fn named(self, names: &'static NameTable) -> Self {
        Self { names: Some(names), ..self }
    }

    /// The same as a mask.
    pub const fn mask(self) -> Self {
        Self { is_mask: true, ..self }
    }

    /// The value of the range in a word.
    pub const fn of(&self, word: u64) -> u64 {
        let kept = if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 };
        match word.checked_shr(self.low) {
            Some(shifted) => shifted & kept,
            None => 0,
        }
    }
}

/// One field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// First byte in the record.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// Name, as in the runtime.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// Unit of the value, or nothing.
    pub unit: &'static str,
    /// How to read it.
    pub form: Form,
    /// How sure its place is.
    pub tag: Tag,
    /// Where its value comes from when the record is made from a program.
    pub provenance: Provenance,
}

impl Field {
    /// The field's bytes in a record; empty if the record is shorter.
    pub fn bytes_in<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        let end = self.offset.saturating_add(self.bytes);
        record.get(self.offset..end).unwrap_or(&[])
    }
}

/// Type of a record: its name in the runtime, size and fields.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Name of the type in the runtime.
    pub name: &'static str,
    /// Size in bytes, without what may follow.
    pub bytes: usize,
    /// Heading of the format page that states the layout: docs/format/kbin.md, or
    /// docs/format/collectives.md for the records of [`crate::collectives`].
    pub spec: &'static str,
    /// Fields, ascending; with the padding they cover every byte.
    pub fields: &'static [Field],
}

impl Layout {
    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Defines a record: the type, checks of its size and offsets, and its list of fields.
macro_rules! kbin_record {
    ($(#[$doc:meta])* $name:ident $size:literal $text:literal $spec:literal {
        $($at:literal $field:ident: $type:ty = $form:expr, $tag:ident $from:ident $unit:literal
            $meaning:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
            zerocopy::KnownLayout, zerocopy::Unaligned,
        )]
        #[repr(C)]
        pub struct $name {
            $(
                #[doc = concat!("Byte `", stringify!($at), "`: ", $meaning, ".")]
                pub $field: $type,
            )*
        }

        const _: () = {
            assert!(size_of::<$name>() == $size);
            $(assert!(std::mem::offset_of!($name, $field) == $at);)*
        };

        impl $name {
            /// Name, size and fields.
            pub const LAYOUT: $crate::kbin::Layout = $crate::kbin::Layout {
                name: $text,
                bytes: $size,
                spec: $spec,
                fields: &[$($crate::kbin::Field {
                    offset: $at,
                    bytes: size_of::<$type>(),
                    name: stringify!($field),
                    meaning: $meaning,
                    unit: $unit,
                    form: $form,
                    tag: $crate::kbin::Tag::$tag,
                    provenance: $crate::provenance::Provenance::$from,
                }),*],
            };

            /// A record of zero bytes.
            pub fn zero() -> Self {
                <Self as zerocopy::FromZeros>::new_zeroed()
            }

            /// Views the first bytes as this record and gives what follows. Errors if there are
            /// too few; no value is rejected.
            pub fn of(bytes: &[u8]) -> Result<(&Self, &[u8]), $crate::error::DecodeError> {
                let have = bytes.len() as u64;
                <Self as zerocopy::FromBytes>::ref_from_prefix(bytes).map_err(|_| {
                    $crate::error::DecodeError {
                        at: $crate::error::ByteSpan::of(0, have),
                        what: $text,
                        kind: $crate::error::DecodeErrorKind::TooShort { need: $size, have },
                    }
                })
            }

            /// Views exactly `count` records at the start of the bytes and gives what follows.
            /// Errors if there are fewer.
            pub fn list(
                bytes: &[u8],
                count: u64,
            ) -> Result<(&[Self], &[u8]), $crate::error::DecodeError> {
                let have = bytes.len() as u64;
                let need = count.saturating_mul($size);
                let error = || $crate::error::DecodeError {
                    at: $crate::error::ByteSpan::of(0, have),
                    what: $text,
                    kind: $crate::error::DecodeErrorKind::TooShort { need, have },
                };
                let count = usize::try_from(count).map_err(|_| error())?;
                <[Self] as zerocopy::FromBytes>::ref_from_prefix_with_elems(bytes, count)
                    .map_err(|_| error())
            }

            /// The stored bytes.
            pub fn bytes(&self) -> &[u8] {
                zerocopy::IntoBytes::as_bytes(self)
            }
        }
    };
}

pub(crate) use kbin_record;

pub mod engine;
pub mod variable;
pub mod descriptor;
pub mod queue;
pub mod activation;
pub mod sets;
pub mod root;

/// Puts text into a NUL-padded field of `N` bytes: at most N - 1 bytes of it, cut between
/// characters, so that a NUL is always there.
pub fn text_field<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [0; N];
    let mut end = text.len().min(N.saturating_sub(1));
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // A NUL inside the text would end it for every reader.
    let bytes = text.as_bytes().iter().take(end).take_while(|byte| **byte != 0);
    for (to, byte) in field.iter_mut().zip(bytes) {
        *to = *byte;
    }
    field
}

/// The text of a NUL-padded field, up to its first NUL; bytes that are no UTF-8, and control characters,
/// are escapes: `\xff`, `\n`.
pub fn field_text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    let mut out = String::new();
    for chunk in field.get(..end).unwrap_or(field).utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                c if c.is_control() => out.extend(c.escape_default()),
                c => out.push(c),
            }
        }
        out.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    out
}

/// What is unusual about the end of a NUL-padded field; `None` where one NUL ends its text and only
/// zero bytes follow.
pub fn field_text_end(field: &[u8]) -> Option<String> {
    let Some(end) = field.iter().position(|byte| *byte == 0) else {
        return (!field.is_empty()).then(|| "no NUL at its end".to_owned());
    };
    let behind = field.get(end..).unwrap_or_default().iter().filter(|byte| **byte != 0).count();
    match behind {
        0 => None,
        1 => Some("1 byte behind its NUL is not zero".to_owned()),
        more => Some(format!("{more} bytes behind its NUL are not zero")),
    }
}

/// Every layout.
pub const LAYOUTS: [&Layout; 39] = [
    &root::RawKbin::LAYOUT,
    &root::RawActSets::LAYOUT,
    &root::CC_STREAMS,
    &sets::RawFp8Config::LAYOUT,
    &sets::RawArray::GROUPS,
    &sets::RawArray::GROUP,
    &sets::RawArray::SUBGROUP,
    &sets::RawArray::PAIRS,
    &sets::RawArray::LIBS,
    &descriptor::RawFmaArm::LAYOUT,
    &descriptor::RawMinMaxArm::LAYOUT,
    &root::RawKelfNn::LAYOUT,
    &engine::RawEngine::LAYOUT,
    &variable::RawMemRefSet::LAYOUT,
    &variable::RawMemRef::LAYOUT,
    &variable::RawPointerArm::LAYOUT,
    &variable::RawVirtualArm::LAYOUT,
    &variable::RawListArm::LAYOUT,
    &variable::RawRemoteArm::LAYOUT,
    &variable::RawDebugTensor::LAYOUT,
    &queue::RawDma::LAYOUT,
    &queue::RawRingInstance::LAYOUT,
    &descriptor::RawDescriptor::LAYOUT,
    &descriptor::RawDescriptorSide::LAYOUT,
    &descriptor::RawCceInfo::LAYOUT,
    &descriptor::RawSemaphoreArm::LAYOUT,
    &activation::RawActFunctionSet::LAYOUT,
    &activation::RawActProfile::LAYOUT,
    &activation::RawActBucket::LAYOUT,
    &activation::RawActControl::LAYOUT,
    &sets::RawDveConfig::LAYOUT,
    &sets::RawBuffer::LAYOUT,
    &sets::RawArray::LAYOUT,
    &sets::RawSourceTargetPairs::LAYOUT,
    &sets::RawPair::LAYOUT,
    &sets::RawCarveoutHead::LAYOUT,
    &sets::RawCarveout::LAYOUT,
    &sets::RawUcodeLib::LAYOUT,
    &sets::RawUcodeFunction::LAYOUT,
];

#[cfg(test)]
mod tests;

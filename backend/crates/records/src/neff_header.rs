//! The 1024-byte header in front of every NEFF, and the names of its feature bits.
//!
//! Layout only: which values a loader refuses is the business of the `neff` crate.

use std::borrow::Cow;
use std::mem::offset_of;

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::error::{ByteSpan, DecodeError, DecodeErrorKind};

/// Size of the header, in bytes. The archive starts right behind it.
/// Spec: docs/format/container.md "Header" [observed].
pub const NEFF_HEADER_BYTES: usize = 1024;

/// Feature bits that a loader refuses when the major version is 2: bits 27 to 62.
/// Spec: docs/format/container.md "Feature bits" [observed].
pub const REFUSED_FEATURE_BITS: u64 = 0x7FFF_FFFF_F800_0000;

/// The header as it lies in the file. Any 1024 bytes are a header; nothing is checked here.
/// Spec: docs/format/container.md "Header" [observed].
#[derive(Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawNeffHeader {
    /// Archive and digest scheme: 1 or 2.
    pub pkg_version: U64,
    /// Size of this header, 0x400 in every known file.
    pub header_size: U64,
    /// Bytes of the archive as stored, zero tail included.
    pub data_size: U64,
    /// Format major version.
    pub version_major: U64,
    /// Format minor version; no loader looks at it.
    pub version_minor: U64,
    /// Build version, NUL-padded text; empty in files of current compilers.
    pub build_version: [u8; 128],
    /// Number of NeuronCores; the loader ignores it.
    pub num_tpb: U32,
    /// Digest of the stored archive; which digits count depends on `pkg_version`.
    pub hash: [u8; 32],
    /// UUID, bytes in print order.
    pub uuid: [u8; 16],
    /// Network name, NUL-padded text.
    pub name: [u8; 256],
    /// Cores requested.
    pub requested_tpb_count: U32,
    /// Cores of each node.
    pub tpb_per_node: [u8; 64],
    /// Feature bits; their names are in [`feature_name`].
    pub feature_bits: U64,
    /// Logical core size: 1 single, 2 dual.
    pub lnc_size: U32,
    /// Zero in every known file; kept as it is.
    pub pad: [u8; 468],
}

const _: () = {
    assert!(size_of::<RawNeffHeader>() == NEFF_HEADER_BYTES);
    assert!(offset_of!(RawNeffHeader, pkg_version) == 0x000);
    assert!(offset_of!(RawNeffHeader, header_size) == 0x008);
    assert!(offset_of!(RawNeffHeader, data_size) == 0x010);
    assert!(offset_of!(RawNeffHeader, version_major) == 0x018);
    assert!(offset_of!(RawNeffHeader, version_minor) == 0x020);
    assert!(offset_of!(RawNeffHeader, build_version) == 0x028);
    assert!(offset_of!(RawNeffHeader, num_tpb) == 0x0A8);
    assert!(offset_of!(RawNeffHeader, hash) == 0x0AC);
    assert!(offset_of!(RawNeffHeader, uuid) == 0x0CC);
    assert!(offset_of!(RawNeffHeader, name) == 0x0DC);
    assert!(offset_of!(RawNeffHeader, requested_tpb_count) == 0x1DC);
    assert!(offset_of!(RawNeffHeader, tpb_per_node) == 0x1E0);
    assert!(offset_of!(RawNeffHeader, feature_bits) == 0x220);
    assert!(offset_of!(RawNeffHeader, lnc_size) == 0x228);
    assert!(offset_of!(RawNeffHeader, pad) == 0x22C);
};

/// A field of the header: where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// Name as in the command line's answers.
    pub name: &'static str,
    /// First byte, relative to the header and so to the file.
    pub offset: usize,
    /// Number of bytes.
    pub bytes: usize,
}

macro_rules! fields {
    ($($name:ident : $ty:ty),+ $(,)?) => {
        [$(HeaderField {
            name: stringify!($name),
            offset: offset_of!(RawNeffHeader, $name),
            bytes: size_of::<$ty>(),
        }),+]
    };
}

/// Every field in file order; together they cover the 1024 bytes without a gap.
pub const HEADER_FIELDS: [HeaderField; 15] = fields![
    pkg_version: U64, header_size: U64, data_size: U64, version_major: U64, version_minor: U64,
    build_version: [u8; 128], num_tpb: U32, hash: [u8; 32], uuid: [u8; 16], name: [u8; 256],
    requested_tpb_count: U32, tpb_per_node: [u8; 64], feature_bits: U64, lnc_size: U32,
    pad: [u8; 468],
];

/// The field of a name; `None` for a name that the header does not have.
pub fn header_field(name: &str) -> Option<&'static HeaderField> {
    HEADER_FIELDS.iter().find(|field| field.name == name)
}

impl RawNeffHeader {
    /// A header of zero bytes.
    pub const ZERO: Self = Self {
        pkg_version: U64::ZERO,
        header_size: U64::ZERO,
        data_size: U64::ZERO,
        version_major: U64::ZERO,
        version_minor: U64::ZERO,
        build_version: [0; 128],
        num_tpb: U32::ZERO,
        hash: [0; 32],
        uuid: [0; 16],
        name: [0; 256],
        requested_tpb_count: U32::ZERO,
        tpb_per_node: [0; 64],
        feature_bits: U64::ZERO,
        lnc_size: U32::ZERO,
        pad: [0; 468],
    };

    /// Views the start of a file as a header, without copying. Fails when fewer than 1024 bytes
    /// are there.
    pub fn ref_from_file(bytes: &[u8]) -> Result<&Self, DecodeError> {
        Self::ref_from_prefix(bytes).map(|(header, _)| header).map_err(|_| DecodeError {
            at: ByteSpan::of(0, bytes.len() as u64),
            what: "NEFF header",
            kind: DecodeErrorKind::TooShort {
                need: NEFF_HEADER_BYTES as u64,
                have: bytes.len() as u64,
            },
        })
    }

    /// The 1024 bytes.
    pub fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    /// Build version up to the first NUL; bytes that are no UTF-8 become U+FFFD.
    pub fn build_version_text(&self) -> Cow<'_, str> {
        text_to_nul(&self.build_version)
    }

    /// Network name up to the first NUL; bytes that are no UTF-8 become U+FFFD.
    pub fn name_text(&self) -> Cow<'_, str> {
        text_to_nul(&self.name)
    }

    /// The UUID in its hyphenated form, lower case.
    pub fn uuid_text(&self) -> String {
        uuid_text(&self.uuid)
    }

    /// Feature bits that [`REFUSED_FEATURE_BITS`] names; they matter for major version 2 only.
    pub fn refused_features(&self) -> u64 {
        self.feature_bits.get() & REFUSED_FEATURE_BITS
    }
}

impl std::fmt::Debug for RawNeffHeader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawNeffHeader")
            .field("pkg_version", &self.pkg_version.get())
            .field("data_size", &self.data_size.get())
            .field("version_major", &self.version_major.get())
            .field("name", &self.name_text())
            .field("uuid", &self.uuid_text())
            .finish_non_exhaustive()
    }
}

/// Sixteen bytes as a hyphenated UUID, lower case.
pub fn uuid_text(bytes: &[u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

/// Names of feature bits 0 to 63, spaces written as `_`; a bit that nobody names is `bit<N>`.
/// Spec: docs/format/container.md "Feature bits" [observed, bit 0 inferred].
pub fn feature_name(bit: u32) -> Cow<'static, str> {
    let name = match bit {
        0 => "bin-weights",
        1 => "collective_has_offset",
        2 => "custom_ops",
        3 => "coalesced_ccops",
        4 => "queue_set_instances",
        5 => "has_functions",
        6 => "dynamic_pwp",
        7 => "indirect_memcpy_32b_sem_wait",
        8 => "indirect_memcpy_bound_check",
        9 => "DMA_desc_higher_dim",
        10 => "vnc",
        11 => "DVE_perf_mode",
        12 => "DGE",
        13 => "POOL_RSQRT",
        14 => "remote_sem",
        15 => "DGE_cast",
        16 => "vector_DGE",
        17 => "embedding_stride32",
        20 => "SQI_no_rearm",
        21 => "hardware_DGE",
        22 => "partial_sb2sb_ccop",
        25 => "large_tensor_support",
        _ => return Cow::Owned(format!("bit{bit}")),
    };
    Cow::Borrowed(name)
}

/// Names of all set bits, in bit order.
pub fn feature_names(bits: u64) -> Vec<Cow<'static, str>> {
    (0..64).filter(|bit| bits >> bit & 1 == 1).map(feature_name).collect()
}

fn text_to_nul(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes.split(|byte| *byte == 0).next().unwrap_or(&[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One table for both directions: the bytes of the header of a file found inside a shipped
    /// runtime library, and the values that they mean.
    #[test]
    fn known_header_both_ways() {
        let mut bytes = [0_u8; NEFF_HEADER_BYTES];
        bytes[0x000] = 2;
        bytes[0x009] = 4;
        bytes[0x010..0x012].copy_from_slice(&[0xAD, 0x06]);
        bytes[0x018] = 2;
        bytes[0x028..0x04F].copy_from_slice(b"2.0.21884.0%kaena-tools/develop@6c66f4b");
        bytes[0x0A8] = 1;
        bytes[0x0CC..0x0DC].copy_from_slice(&[
            0x56, 0x18, 0x26, 0xfb, 0x12, 0x5f, 0x4b, 0xb8, 0x99, 0x1c, 0x29, 0xe0, 0x85, 0xc8,
            0x94, 0x9a,
        ]);
        bytes[0x0DC] = b'x';
        bytes[0x1DC] = 1;
        bytes[0x228] = 1;

        let header = RawNeffHeader::ref_from_file(&bytes).unwrap();
        assert_eq!(header.pkg_version.get(), 2);
        assert_eq!(header.header_size.get(), 0x400);
        assert_eq!(header.data_size.get(), 1709);
        assert_eq!(header.version_major.get(), 2);
        assert_eq!(header.build_version_text(), "2.0.21884.0%kaena-tools/develop@6c66f4b");
        assert_eq!(header.uuid_text(), "561826fb-125f-4bb8-991c-29e085c8949a");
        assert_eq!(header.name_text(), "x");
        assert_eq!((header.requested_tpb_count.get(), header.lnc_size.get()), (1, 1));

        let mut built = RawNeffHeader::ZERO;
        built.pkg_version.set(2);
        built.header_size.set(0x400);
        built.data_size.set(1709);
        built.version_major.set(2);
        built.build_version[..39].copy_from_slice(b"2.0.21884.0%kaena-tools/develop@6c66f4b");
        built.num_tpb.set(1);
        built.uuid = header.uuid;
        built.name[0] = b'x';
        built.requested_tpb_count.set(1);
        built.lnc_size.set(1);
        assert_eq!(built.bytes(), &bytes[..]);
    }

    #[test]
    fn fields_cover_the_header() {
        let mut next = 0;
        for field in HEADER_FIELDS {
            assert_eq!(field.offset, next, "{}", field.name);
            next += field.bytes;
        }
        assert_eq!(next, NEFF_HEADER_BYTES);
        assert_eq!(header_field("feature_bits").map(|field| field.offset), Some(0x220));
        assert_eq!(header_field("vnc"), None);
    }

    #[test]
    fn short_input_says_how_short() {
        let error = RawNeffHeader::ref_from_file(&[0; 1023]).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::TooShort { need: 1024, have: 1023 });
    }

    /// Masks of real cayman files.
    #[test]
    fn feature_names_in_bit_order() {
        assert_eq!(feature_names(0xC00), ["vnc", "DVE_perf_mode"]);
        assert_eq!(
            feature_names(0x0020_9C00),
            ["vnc", "DVE_perf_mode", "DGE", "DGE_cast", "hardware_DGE"]
        );
        assert_eq!(feature_names(1 << 18 | 1 << 63), ["bit18", "bit63"]);
        assert_eq!(feature_names(u64::MAX).len(), 64);
    }

    #[test]
    fn refused_bits_are_27_to_62() {
        let mut header = RawNeffHeader::ZERO;
        header.feature_bits.set(u64::MAX);
        let refused: Vec<u32> =
            (0..64).filter(|bit| header.refused_features() >> bit & 1 == 1).collect();
        assert_eq!(refused, (27..=62).collect::<Vec<_>>());
    }

    #[test]
    fn text_stops_at_nul_and_survives_bad_utf8() {
        let mut header = RawNeffHeader::ZERO;
        header.name[..4].copy_from_slice(&[b'a', 0xFF, 0, b'b']);
        assert_eq!(header.name_text(), "a\u{FFFD}");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_round_trip(bytes in proptest::collection::vec(proptest::num::u8::ANY, 1024)) {
            let header = RawNeffHeader::ref_from_file(&bytes).unwrap();
            proptest::prop_assert_eq!(header.bytes(), &bytes[..]);
        }
    }
}

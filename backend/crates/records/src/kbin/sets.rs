//! The small sets: DVE tables, replica groups, pairs, reserved areas, micro-code, fp8 conversion.

use zerocopy::little_endian::{U32, U64};

use super::names::CARVEOUT_TYPE;
use super::{Form, Layout};
use crate::error::DecodeError;

/// Bytes of one reserved area.
pub const CARVEOUT_BYTES: usize = 40;
/// Bytes of one micro-code library.
pub const UCODE_LIB_BYTES: usize = 40;

kbin_record! {
    /// A range of host memory.
    /// Spec: docs/format/kbin.md "DVE tables" [observed].
    RawBuffer 16 "kbin_buffer_t" "DVE tables" {
        0 buffer: U64 = Form::Pointer, Observed File "" "bytes";
        8 size: U64 = Form::Dec, Observed File "bytes" "number of bytes";
    }
}

kbin_record! {
    /// Tables of the DVE. A fifth table of the definition, `control_table`, has no place here.
    /// Spec: docs/format/kbin.md "DVE tables" [observed].
    RawDveConfig 64 "kbin_dve_config_t" "DVE tables" {
        0 opcode: RawBuffer = Form::Record(&RawBuffer::LAYOUT), Observed File "" "opcode table";
        16 control_fast: RawBuffer = Form::Record(&RawBuffer::LAYOUT), Observed File "" "fast control table";
        32 control_slow: RawBuffer = Form::Record(&RawBuffer::LAYOUT), Observed File "" "slow control table";
        48 datapath: RawBuffer = Form::Record(&RawBuffer::LAYOUT), Observed File "" "datapath table";
    }
}

kbin_record! {
    /// Pointer and count: a set of groups, a group, a subgroup, a set of pairs, a set of libraries.
    /// Spec: docs/format/kbin.md "Groups and pairs" [observed].
    RawArray 16 "kbin_array" "Groups and pairs" {
        0 items: U64 = Form::Pointer, Observed Observed "" "first item";
        8 count: U64 = Form::Dec, Observed Observed "" "items";
    }
}

macro_rules! array_layout {
    ($(#[$doc:meta])* $constant:ident $type:literal $items:literal $count:literal $what:literal) => {
        impl RawArray {
            $(#[$doc])*
            pub const $constant: Layout = Layout {
                name: $type,
                bytes: 16,
                spec: "Groups and pairs",
                fields: &[
                    super::Field {
                        offset: 0,
                        bytes: 8,
                        name: $items,
                        meaning: $what,
                        unit: "",
                        form: Form::Pointer,
                        tag: super::Tag::Observed,
                        provenance: crate::provenance::Provenance::File,
                    },
                    super::Field {
                        offset: 8,
                        bytes: 8,
                        name: $count,
                        meaning: "how many there are",
                        unit: "",
                        form: Form::Dec,
                        tag: super::Tag::Observed,
                        provenance: crate::provenance::Provenance::Observed,
                    },
                ],
            };
        }
    };
}

array_layout! {
    /// As the set of groups.
    GROUPS "kbin_replica_group_set_t" "groups" "num_groups" "replica groups"
}
array_layout! {
    /// As one group.
    GROUP "kbin_replica_group_t" "subgroups" "num_subgroups" "subgroups"
}
array_layout! {
    /// As one subgroup.
    SUBGROUP "kbin_replica_subgroup_t" "participants" "num_participants" "ids of the participants, 4 bytes each"
}
array_layout! {
    /// As the set of pairs.
    PAIRS "kbin_src_target_pairs_set_t" "pairs_set" "num" "tables of pairs"
}
array_layout! {
    /// As the set of libraries.
    LIBS "kbin_ucode_lib_sets_t" "libs" "num_libs" "libraries"
}

kbin_record! {
    /// A table of pairs.
    /// Spec: docs/format/kbin.md "Groups and pairs" [medium].
    RawSourceTargetPairs 32 "kbin_src_target_pairs_t" "Groups and pairs" {
        0 rg_set: U64 = Form::Pointer, Medium Modelled "" "groups that the pairs belong to; how it is filled is not published";
        8 pairs: U64 = Form::Pointer, Medium File "" "pairs";
        16 num_pairs: U64 = Form::Dec, Medium Observed "" "number of pairs";
        24 aux: U64 = Form::Hex, Medium Modelled "" "meaning not published";
    }
}

kbin_record! {
    /// One pair of global ranks.
    /// Spec: docs/format/kbin.md "Groups and pairs" [medium].
    RawPair 16 "kbin_src_target_pair" "Groups and pairs" {
        0 source: U64 = Form::Dec, Medium File "" "rank that sends";
        8 target: U64 = Form::Dec, Medium File "" "rank that receives";
    }
}

kbin_record! {
    /// Count in front of the reserved areas.
    /// Spec: docs/format/kbin.md "Reserved areas" [observed].
    RawCarveoutHead 8 "kbin_sb_carveouts_t" "Reserved areas" {
        0 count: U64 = Form::Dec, Observed Observed "" "reserved areas";
    }
}

kbin_record! {
    /// One reserved area of the state buffer.
    /// Spec: docs/format/kbin.md "Reserved areas" [observed].
    RawCarveout 40 "kbin_sb_carveout_t" "Reserved areas" {
        0 kind: U32 = Form::Name(&CARVEOUT_TYPE), Observed File "" "what it is for";
        4 pad_4: [u8; 4] = Form::Padding, Observed Observed "" "padding";
        8 offset: U64 = Form::Dec, Observed File "bytes" "place in a partition";
        16 size: U64 = Form::Dec, Observed File "bytes" "size in a partition";
        24 start_partition: U64 = Form::Dec, Observed File "" "first partition";
        32 num_partitions: U64 = Form::Dec, Observed File "" "partitions";
    }
}

kbin_record! {
    /// A micro-code library.
    /// Spec: docs/format/kbin.md "Small sets" [observed].
    RawUcodeLib 40 "kbin_ucode_lib_t" "Small sets" {
        0 content: U64 = Form::Pointer, Observed File "" "the library";
        8 content_size: U64 = Form::Dec, Observed File "bytes" "its size";
        16 flags: U32 = Form::Dec, Observed Observed "" "6 for a default or own library, 0 for a built-in one";
        20 cpu_id: u8 = Form::Dec, Observed File "" "always 0";
        21 total_cpus: u8 = Form::Dec, Observed File "" "0, 1 or 8";
        22 pad_22: [u8; 2] = Form::Padding, Observed Observed "" "padding";
        24 functions: U64 = Form::Pointer, Observed File "" "functions";
        32 num_functions: u8 = Form::Dec, Observed Observed "" "number of functions";
        33 pad_33: [u8; 7] = Form::Padding, Observed Observed "" "padding";
    }
}

kbin_record! {
    /// A function of a micro-code library.
    /// Spec: docs/format/kbin.md "Small sets" [observed].
    RawUcodeFunction 258 "kbin_ucode_function" "Small sets" {
        0 name: [u8; 256] = Form::Text, Observed File "" "name";
        256 opcode: u8 = Form::Dec, Observed File "" "operation code";
        257 sub_opcode: u8 = Form::Dec, Observed File "" "further operation code";
    }
}

kbin_record! {
    /// How 8-bit floating point numbers are converted.
    /// Spec: docs/format/kbin.md "fp8 conversion" [observed].
    RawFp8Config 16 "kbin_fp8_conv_cfg_t" "fp8 conversion" {
        0 fp8_range_extension: u8 = Form::Flag, Observed File "" "whether the range is extended";
        1 pad_1: [u8; 3] = Form::Padding, Observed Observed "" "padding";
        4 emax_fp8_e4m3: U32 = Form::Dec, Observed File "" "largest exponent of e4m3";
        8 emax_fp8_e5m2: U32 = Form::Dec, Observed File "" "largest exponent of e5m2";
        12 ocp_sat: u8 = Form::Flag, Observed File "" "saturation of the open standard";
        13 sis: u8 = Form::Flag, Observed File "" "switch SIS";
        14 sns: u8 = Form::Flag, Observed File "" "switch SNS";
        15 pad_15: u8 = Form::Padding, Observed Observed "" "padding";
    }
}

impl RawFp8Config {
    /// What a loader uses where a definition has no such block.
    /// Spec: docs/format/kbin.md "fp8 conversion" [observed].
    pub const DEFAULT: Self = Self {
        fp8_range_extension: 1,
        pad_1: [0; 3],
        emax_fp8_e4m3: U32::new(8),
        emax_fp8_e5m2: U32::new(15),
        ocp_sat: 1,
        sis: 0,
        sns: 0,
        pad_15: 0,
    };
}

/// The reserved areas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carveouts<'a> {
    /// The count.
    pub header: &'a RawCarveoutHead,
    /// The areas.
    pub areas: &'a [RawCarveout],
}

impl<'a> Carveouts<'a> {
    /// Reads the areas. Errors if there are fewer than the header counts.
    pub fn of(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (header, rest) = RawCarveoutHead::of(bytes)?;
        let (areas, _) = RawCarveout::list(rest, header.count.get())?;
        Ok(Self { header, areas })
    }
}

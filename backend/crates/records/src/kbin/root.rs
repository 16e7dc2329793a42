//! The root of the tree, and the record that lists the roots of all subgraphs.

use zerocopy::little_endian::{U32, U64};

use super::names::ARCH_TYPE;
use super::sets::{RawArray, RawFp8Config};
use super::{Form, Layout};

/// Slots of `engine[]`.
pub const ENGINE_SLOTS: usize = 5;
/// Slots of `dma[]`: as many queues as a subgraph can have.
/// Spec: docs/format/kbin.md "kbin_t" [observed].
pub const DMA_SLOTS: usize = 32;
/// Bytes of [`RawKbin`].
pub const KBIN_BYTES: usize = 424;

kbin_record! {
    /// The root of one subgraph: twelve members, six of them inline.
    /// Spec: docs/format/kbin.md "kbin_t" [observed].
    RawKbin 424 "kbin_t" "kbin_t" {
        0 engine: [U64; 5] = Form::Pointers, Observed Observed "" "instruction blocks, in the order act dve pe pool sp";
        40 dma: [U64; 32] = Form::Pointers, Observed Inferred "" "queues, by name; unused slots are NULL";
        296 mem_ref_set: U64 = Form::Pointer, Observed Observed "" "table of variables";
        304 act_function_sets: RawActSets = Form::Record(&RawActSets::LAYOUT), Observed Observed "" "activation sets";
        328 dve_config: U64 = Form::Pointer, Observed Observed "" "tables of the DVE";
        336 sb_carveouts: U64 = Form::Pointer, Observed Observed "" "reserved areas of the state buffer";
        344 replica_groups: RawArray = Form::Record(&RawArray::GROUPS), Observed Observed "" "groups of collectives";
        360 src_target_pairs: RawArray = Form::Record(&RawArray::PAIRS), Observed Observed "" "send and receive pairs";
        376 ucode_lib_set: RawArray = Form::Record(&RawArray::LIBS), Observed Observed "" "micro-code libraries";
        392 cc_streams: U64 = Form::Record(&CC_STREAMS), Observed File "" "streams of collectives";
        400 fp8_conv_cfg: RawFp8Config = Form::Record(&RawFp8Config::LAYOUT), Observed File "" "conversion of 8-bit floating point";
        416 target: U32 = Form::Name(&ARCH_TYPE), Observed File "" "generation of the device; a loader rejects 0";
        420 pad_420: [u8; 4] = Form::Padding, Observed Observed "" "padding";
    }
}

/// `kbin_cc_streams_t`: one number.
/// Spec: docs/format/kbin.md "Small sets" [observed].
pub const CC_STREAMS: Layout = Layout {
    name: "kbin_cc_streams_t",
    bytes: 8,
    spec: "Small sets",
    fields: &[super::Field {
        offset: 0,
        bytes: 8,
        name: "num_streams",
        meaning: "streams of collectives, 1 if the definition has no number",
        unit: "",
        form: Form::Dec,
        tag: super::Tag::Observed,
        provenance: crate::provenance::Provenance::File,
    }],
};

kbin_record! {
    /// The inline set of activation sets.
    /// Spec: docs/format/kbin.md "kbin_t" [observed].
    RawActSets 24 "kbin_act_function_sets_t" "kbin_t" {
        0 sets: U64 = Form::Pointer, Observed Observed "" "array of activation sets";
        8 num_function_sets: U64 = Form::Dec, Observed Observed "" "activation sets";
        16 act_tbl_semaphore: U32 = Form::Dec, Observed File "" "semaphore of table loads";
        20 pad_20: [u8; 4] = Form::Padding, Observed Observed "" "padding";
    }
}

kbin_record! {
    /// The roots of all subgraphs of a file.
    /// Spec: docs/format/kbin.md "Rules for all records" [observed].
    RawKelfNn 24 "kelf_nn" "Rules for all records" {
        0 count: U64 = Form::Dec, Observed Observed "" "subgraphs";
        8 kbins: U64 = Form::Pointer, Observed Observed "" "pointers to the roots";
        16 names: U64 = Form::Pointer, Observed Observed "" "names of the subgraphs, 8 bytes each";
    }
}

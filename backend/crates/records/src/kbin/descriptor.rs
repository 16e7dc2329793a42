//! The transfer descriptor, 5456 bytes, and the records inside it.

use zerocopy::FromBytes;
use zerocopy::little_endian::{I32, I64, U32, U64};

use super::Form;
use super::names::{DESC_OP, DESC_TYPE, DTYPE};

/// Bytes of one descriptor.
pub const DESCRIPTOR_BYTES: usize = 5456;
/// Source sides that a descriptor has room for.
/// Spec: docs/format/kbin.md "Descriptor" [observed].
pub const MAX_SOURCES: usize = 32;

kbin_record! {
    /// One transfer as the compiler describes it.
    /// Spec: docs/format/kbin.md "Descriptor" [observed; the compute area medium].
    RawDescriptor 5456 "kbin_dma_desc_t" "Descriptor" {
        0 desc_type: I32 = Form::Name(&DESC_TYPE), Observed Observed "" "what it does; selects the form of the union";
        4 op: I32 = Form::Name(&DESC_OP), Observed File "" "operation";
        8 to: RawDescriptorSide = Form::Record(&RawDescriptorSide::LAYOUT), Observed File "" "target";
        168 from: [RawDescriptorSide; 32] = Form::Records(&RawDescriptorSide::LAYOUT), Observed File "" "sources";
        5288 num_tiling_dims: U32 = Form::Dec, Medium File "" "tiling dimensions";
        5292 compute: [u8; 140] = Form::Opaque, Medium Modelled "" "what a transpose or a computing transfer needs";
        5432 block_id: U32 = Form::Dec, Observed File "" "block that it belongs to";
        5436 block_end_desc: u8 = Form::Flag, Observed Observed "" "whether it is the last one of its block";
        5437 reset_engine_round_robin: u8 = Form::Flag, Observed Observed "" "whether the choice of DMA engine starts again";
        5438 pad_5438: [u8; 2] = Form::Padding, Inferred Observed "" "padding";
        5440 function_name: U64 = Form::Pointer, Observed File "" "function that starts here, or NULL";
        5448 priority_class: u8 = Form::Dec, Observed File "" "priority class";
        5449 pad_5449: [u8; 7] = Form::Padding, Inferred Observed "" "padding";
    }
}

kbin_record! {
    /// One side of a transfer: a strided range of a variable, innermost dimension first.
    /// Spec: docs/format/kbin.md "Access pattern" [inferred].
    RawDescriptorSide 160 "kbin_dma_desc_info_t" "Access pattern" {
        0 idx: U32 = Form::Dec, Inferred File "" "id of the variable";
        4 pad_4: [u8; 4] = Form::Padding, Inferred Observed "" "padding";
        8 off: U64 = Form::Dec, Inferred File "bytes" "place in the variable";
        16 num_dims: U32 = Form::Dec, Inferred Observed "" "dimensions, at most 8";
        20 pad_20: [u8; 4] = Form::Padding, Inferred Observed "" "padding";
        24 steps: [I64; 8] = Form::SignedArray, Inferred File "bytes" "steps";
        88 sizes: [U64; 8] = Form::DecArray(8), Inferred File "" "sizes; the innermost one in bytes";
        152 dtype: U32 = Form::Name(&DTYPE), Inferred File "" "element type";
        156 pad_156: [u8; 4] = Form::Padding, Inferred Observed "" "padding";
    }
}

kbin_record! {
    /// What a computing transfer needs. The middle has a form for each operation.
    /// Spec: docs/format/kbin.md "Computing transfers" [medium].
    RawCceInfo 140 "kbin_dma_desc_cce_info_t" "Computing transfers" {
        0 num_sources: U32 = Form::Dec, Medium Observed "" "sources";
        4 arm: [u8; 132] = Form::Opaque, Medium File "" "scales of FMA, or the constant of MIN and MAX";
        136 num_dests: U32 = Form::Dec, Medium Inferred "" "targets";
    }
}

kbin_record! {
    /// Form of the middle of [`RawCceInfo`] for FMA.
    /// Spec: docs/format/kbin.md "Computing transfers" [medium].
    RawFmaArm 132 "kbin_dma_desc_cce_info_t.fma" "Computing transfers" {
        0 scale_dtype: U32 = Form::Name(&DTYPE), Medium File "" "element type of the scales";
        4 scale: [U32; 32] = Form::Floats, Medium File "" "scale of each source, 32-bit floating point";
    }
}

kbin_record! {
    /// Form of the middle of [`RawCceInfo`] for MIN and MAX.
    /// Spec: docs/format/kbin.md "Computing transfers" [medium].
    RawMinMaxArm 132 "kbin_dma_desc_cce_info_t.minmax" "Computing transfers" {
        0 use_constant: u8 = Form::Flag, Medium File "" "whether the constant takes part";
        1 pad_1: [u8; 3] = Form::Padding, Medium Observed "" "padding";
        4 constant_dtype: U32 = Form::Name(&DTYPE), Medium File "" "element type of the constant";
        8 constant: U32 = Form::Hex, Medium File "" "the constant, in bits of its element type";
        12 pad_12: [u8; 120] = Form::Padding, Medium Observed "" "not used";
    }
}

kbin_record! {
    /// Form of the union of a descriptor that raises a semaphore.
    /// Spec: docs/format/kbin.md "Descriptor" [inferred].
    RawSemaphoreArm 8 "kbin_dma_desc_t.inc_sema" "Descriptor" {
        0 value: U32 = Form::Dec, Inferred File "" "value or index";
        4 semaphore: U32 = Form::Dec, Inferred File "" "semaphore";
    }
}

impl RawDescriptor {
    /// The compute area as a computing transfer.
    pub fn cce_info(&self) -> Option<&RawCceInfo> {
        RawCceInfo::ref_from_bytes(&self.compute).ok()
    }
}

impl RawCceInfo {
    /// The middle as scales.
    pub fn fma(&self) -> Option<&RawFmaArm> {
        RawFmaArm::ref_from_bytes(&self.arm).ok()
    }

    /// The middle as a constant.
    pub fn min_max(&self) -> Option<&RawMinMaxArm> {
        RawMinMaxArm::ref_from_bytes(&self.arm).ok()
    }
}

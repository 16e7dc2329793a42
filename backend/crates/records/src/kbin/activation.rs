//! Activation sets and the profiles of their functions.

use zerocopy::little_endian::{I32, U32, U64};

use super::Form;

/// Bytes of an activation set.
pub const ACT_FUNCTION_SET_BYTES: usize = 2192;
/// Functions that a set has room for.
/// Spec: docs/format/kbin.md "Activation set" [observed].
pub const MAX_FUNCTIONS: usize = 25;

kbin_record! {
    /// An activation set.
    /// Spec: docs/format/kbin.md "Activation set" [observed].
    RawActFunctionSet 2192 "kbin_act_function_set_t" "Activation set" {
        0 name: [u8; 256] = Form::Text, Observed File "" "name";
        256 bkt_tbl: U64 = Form::Pointer, Observed File "" "table of buckets";
        264 bkt_sz: U32 = Form::Dec, Observed Inferred "bytes" "size of that table";
        268 pad_268: [u8; 4] = Form::Padding, Observed Observed "" "padding";
        272 ctl_tbl: U64 = Form::Pointer, Observed File "" "table of control words";
        280 ctl_sz: U32 = Form::Dec, Observed Inferred "bytes" "size of that table";
        284 profile_data: [RawActProfile; 25] = Form::Records(&RawActProfile::LAYOUT), Observed File "" "functions";
        2184 num_functions: u8 = Form::Dec, Observed Observed "" "functions, at most 25";
        2185 pad_2185: [u8; 7] = Form::Padding, Observed Observed "" "padding";
    }
}

kbin_record! {
    /// Profile of one activation function.
    /// Spec: docs/format/kbin.md "Activation profile" [observed; bytes 16 to 47 medium].
    RawActProfile 76 "kbin_act_profile_data_t" "Activation profile" {
        0 func_id: U32 = Form::Dec, Observed File "" "function";
        4 symmetry_point: U32 = Form::Float, Observed File "" "point of symmetry";
        8 sym_invert_sign_point: u8 = Form::Dec, Observed File "" "sign inversion at that point";
        9 symmetry_opt_en: u8 = Form::Dec, Observed File "" "whether symmetry is used";
        10 sym_opt_use_neg_region: u8 = Form::Dec, Observed File "" "whether the negative side is the stored one";
        11 pad_11: u8 = Form::Padding, Inferred Observed "" "padding";
        12 exp_offset: I32 = Form::Signed, Observed File "" "lowest exponent with a control word";
        16 pwl_control_base_pos: U32 = Form::Dec, Medium File "" "first control word, positive side";
        20 pwl_control_base_neg: U32 = Form::Dec, Medium File "" "first control word, negative side";
        24 thresholds: [u8; 24] = Form::Opaque, Medium Modelled "" "thresholds and controls outside the table; packing not published, zero here";
        48 fnan_result: U32 = Form::Float, Observed File "" "result for no number";
        52 fpinf_result: U32 = Form::Float, Observed File "" "result for positive infinity";
        56 fninf_result: U32 = Form::Float, Observed File "" "result for negative infinity";
        60 fzero_result: U32 = Form::Float, Observed File "" "result for zero";
        64 fma_const_0: U32 = Form::Float, Observed File "" "constant 0 of multiply and add";
        68 fma_const_1: U32 = Form::Float, Observed File "" "constant 1 of multiply and add";
        72 fma_indirection_src_sel: u8 = Form::Dec, Observed File "" "source of multiply and add";
        73 imm_bias: u8 = Form::Dec, Observed File "" "immediate bias";
        74 pad_74: [u8; 2] = Form::Padding, Inferred Observed "" "padding";
    }
}

kbin_record! {
    /// An entry of a table of buckets as it lies in its file: four coefficients and a
    /// point. The name is ours.
    /// Spec: docs/format/kbin.md "Activation tables" [observed].
    RawActBucket 32 "act_bucket_entry" "Activation tables" {
        0 d0: U32 = Form::Float, Observed File "" "coefficient 0";
        4 d1: U32 = Form::Float, Observed File "" "coefficient 1";
        8 d2: U32 = Form::Float, Observed File "" "coefficient 2";
        12 d3: U32 = Form::Float, Observed File "" "coefficient 3";
        16 x: U32 = Form::Float, Observed File "" "point x";
        20 rest_20: [u8; 12] = Form::Opaque, Observed File "" "meaning not published, 0 in known files";
    }
}

kbin_record! {
    /// An entry of a table of control words as it lies in its file. The name is ours.
    /// Spec: docs/format/kbin.md "Activation tables" [observed; the rest of an entry inferred].
    RawActControl 32 "act_control_entry" "Activation tables" {
        0 word: U32 = Form::Hex, Observed File "" "base bits 0 to 10, lsb bits 11 to 15, size bits 16 to 23";
        4 rest_4: [u8; 28] = Form::Opaque, Inferred File "" "meaning not published, 0 in known files";
    }
}

impl RawActControl {
    /// Base, lsb and size.
    pub fn parts(&self) -> [u32; 3] {
        let word = self.word.get();
        [word & 0x7FF, word >> 11 & 0x1F, word >> 16 & 0xFF]
    }
}

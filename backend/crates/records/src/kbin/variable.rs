//! The table of variables, its records and their four union forms.

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, IntoBytes};

use super::Form;
use super::names::{BACKING_BUF, MR_TYPE};
use crate::error::DecodeError;

/// Bytes of the header in front of the variables.
pub const MEM_REF_SET_BYTES: usize = 24;
/// Bytes of one variable.
pub const MEM_REF_BYTES: usize = 152;
/// Characters that the text of an element type may have.
/// Spec: docs/format/kbin.md "Variable" [observed].
pub const MAX_DTYPE_CHARACTERS: usize = 15;
/// Dimensions that a variable may have.
/// Spec: docs/format/kbin.md "Variable" [observed].
pub const MAX_DIMENSIONS: usize = 8;

kbin_record! {
    /// Header of the table of variables.
    /// Spec: docs/format/kbin.md "Table of variables" [observed].
    RawMemRefSet 24 "kbin_mem_ref_set_t" "Table of variables" {
        0 local_scratchpad_size: U64 = Form::Dec, Observed Inferred "bytes" "end of the last virtual variable with local backing";
        8 shared_scratchpad_size: U64 = Form::Dec, Observed Inferred "bytes" "end of the last virtual variable with shared backing";
        16 nmem: U32 = Form::Dec, Observed Observed "" "variables";
        20 pad_20: [u8; 4] = Form::Padding, Observed Observed "" "padding";
    }
}

kbin_record! {
    /// One variable.
    /// Spec: docs/format/kbin.md "Variable" [observed].
    RawMemRef 152 "kbin_mem_ref" "Variable" {
        0 mr_type: U32 = Form::Name(&MR_TYPE), Observed File "" "kind; selects the form of the union";
        4 pad_4: [u8; 4] = Form::Padding, Observed Observed "" "padding";
        8 name: U64 = Form::Pointer, Observed File "" "name";
        16 size: U64 = Form::Dec, Observed File "bytes" "size";
        24 alignment: U64 = Form::Dec, Observed File "bytes" "alignment, a power of two";
        32 var_id: U32 = Form::Dec, Observed File "" "id, 0 to n - 1, each once";
        36 dtype: [u8; 16] = Form::Text, Observed File "" "element type, at most 15 characters";
        52 pad_52: [u8; 4] = Form::Padding, Observed Observed "" "padding";
        56 shape: [U64; 8] = Form::DecArray(8), Observed File "" "dimensions; those that are not used are 0";
        120 dtensor_md: U64 = Form::Pointer, Observed File "" "what a device print of this tensor says, or NULL";
        128 buffer: U64 = Form::Pointer, Observed File "" "content, for variables that are filled from the file";
        136 union: [u8; 16] = Form::Opaque, Observed File "" "form by kind; zero for kinds without one";
    }
}

kbin_record! {
    /// Union form of a pointer, kind 7.
    /// Spec: docs/format/kbin.md "Variable" [observed].
    RawPointerArm 16 "kbin_mem_ref.ptr" "Variable" {
        0 referenced_var_id: U32 = Form::Dec, Observed File "" "id of the variable that it points to";
        4 io_ref: u8 = Form::Flag, Observed Observed "" "whether that one is an input or output";
        5 pad_5: [u8; 11] = Form::Padding, Observed Observed "" "not used";
    }
}

kbin_record! {
    /// Union form of a virtual variable, kind 8.
    /// Spec: docs/format/kbin.md "Variable" [observed].
    RawVirtualArm 16 "kbin_mem_ref.virtual" "Variable" {
        0 offset: U64 = Form::Dec, Observed File "bytes" "place in the scratchpad";
        8 backing_buf: U32 = Form::Name(&BACKING_BUF), Observed File "" "which scratchpad";
        12 pad_12: [u8; 4] = Form::Padding, Observed Observed "" "not used";
    }
}

kbin_record! {
    /// Union form of a list or a table of pointers, kinds 9 and 10.
    /// Spec: docs/format/kbin.md "Variable" [observed].
    RawListArm 16 "kbin_mem_ref.list" "Variable" {
        0 length: U32 = Form::Dec, Observed File "" "variables in the list";
        4 pad_4: [u8; 4] = Form::Padding, Observed Observed "" "not used";
        8 list: U64 = Form::Pointer, Observed File "" "their ids, 4 bytes each";
    }
}

kbin_record! {
    /// Union form of a variable of another subgraph, kind 11.
    /// Spec: docs/format/kbin.md "Variable" [observed].
    RawRemoteArm 16 "kbin_mem_ref.remote" "Variable" {
        0 subgraph: U32 = Form::Dec, Observed File "" "subgraph, counted within the virtual core";
        4 var_id: U32 = Form::Dec, Observed File "" "id of the variable there";
        8 pad_8: [u8; 8] = Form::Padding, Observed Observed "" "not used";
    }
}

kbin_record! {
    /// What a device print of a tensor says.
    /// Spec: docs/format/kbin.md "Variable" [observed].
    RawDebugTensor 516 "kbin_debug_tensor_md_t" "Variable" {
        0 prefix_str: [u8; 512] = Form::Text, Observed File "" "text in front of the values";
        512 pipe_id: U32 = Form::Dec, Observed File "" "pipe";
    }
}

/// The union of a variable, by its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemRefArm<'a> {
    /// Kind 7.
    Pointer(&'a RawPointerArm),
    /// Kind 8.
    Virtual(&'a RawVirtualArm),
    /// Kinds 9 and 10.
    List(&'a RawListArm),
    /// Kind 11.
    Remote(&'a RawRemoteArm),
    /// All others; zero in records that a loader makes.
    None(&'a [u8; 16]),
}

impl RawMemRef {
    /// The union as the kind says.
    pub fn arm(&self) -> MemRefArm<'_> {
        use super::names::MrType;
        let none = MemRefArm::None(&self.union);
        match MrType(self.mr_type.get() as i32) {
            MrType::PTR => {
                RawPointerArm::ref_from_bytes(&self.union).map_or(none, MemRefArm::Pointer)
            }
            MrType::VIRTUAL_TMP_BUF => {
                RawVirtualArm::ref_from_bytes(&self.union).map_or(none, MemRefArm::Virtual)
            }
            MrType::LIST | MrType::PTR_TABLE => {
                RawListArm::ref_from_bytes(&self.union).map_or(none, MemRefArm::List)
            }
            MrType::REMOTE => {
                RawRemoteArm::ref_from_bytes(&self.union).map_or(none, MemRefArm::Remote)
            }
            _ => none,
        }
    }

    /// Sets the union from one of its forms.
    pub fn set_arm(&mut self, arm: &(impl IntoBytes + zerocopy::Immutable)) {
        for (to, byte) in self.union.iter_mut().zip(arm.as_bytes()) {
            *to = *byte;
        }
    }
}

/// The table of variables with its records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemRefTable<'a> {
    /// The header.
    pub header: &'a RawMemRefSet,
    /// The variables.
    pub mem: &'a [RawMemRef],
}

impl<'a> MemRefTable<'a> {
    /// Reads a table. Errors if it has fewer variables than its header counts.
    pub fn of(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (header, rest) = RawMemRefSet::of(bytes)?;
        let (mem, _) = RawMemRef::list(rest, u64::from(header.nmem.get()))?;
        Ok(Self { header, mem })
    }
}

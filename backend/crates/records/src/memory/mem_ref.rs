//! `mem_ref_t`: a variable as the runtime knows it once its memory is planned.

use zerocopy::little_endian::{U32, U64};

use crate::assembly::runtime_record;
use crate::error::DecodeError;

/// Address of a variable that is not placed. 0 is a good address and never stands for it.
/// Spec: docs/format/memory.md "Records" [observed].
pub const NOT_STAGED: u64 = u64::MAX;

runtime_record! {
    /// A variable and its placement.
    /// Spec: docs/format/memory.md "Records" [observed].
    MemRef 208 "mem_ref_t" {
        0x00 name: U64 = Pointer Observed "name";
        0x08 kind: U32 = Dec Observed "kind of variable, 1 to 11";
        0x0c gap_0c: [u8; 4];
        0x10 size: U64 = Dec Observed "bytes";
        0x18 var_id: U32 = Dec Observed "id in the model";
        0x1c remote: u8 = Flag Observed "placement copied from another subgraph";
        0x1d shared_virtual_scratchpad: u8 = Flag Observed "in the shared slice of the scratchpad";
        0x1e gap_1e: [u8; 2];
        0x20 placement: [u8; 40] = Opaque Observed "where it is, by kind";
        0x48 dtype: [u8; 16] = Text Observed "element type";
        0x58 shape: [U64; 8] = Opaque Observed "dimensions, unused ones 0";
        0x98 debug_tensor: U64 = Pointer Observed "description for the debugger of tensors";
        0xa0 hash_key: U64 = Dec Observed "node of the hash table: key, the id";
        0xa8 hash_value: U64 = Pointer Observed "node of the hash table: value";
        0xb0 hash_bytes: U64 = Dec Observed "node of the hash table: size of the value";
        0xb8 hash_bucket: U64 = Dec Observed "node of the hash table: bucket, of 1,024";
        0xc0 hash_key_type: U64 = Dec Observed "node of the hash table: type of the key";
        0xc8 hash_next: U64 = Pointer Observed "node of the hash table: next one";
    }
}

runtime_record! {
    /// Placement of a variable in memory of its own or in a scratchpad page.
    /// Spec: docs/format/memory.md "Records" [observed].
    StagedPlacement 40 "staged placement" {
        0x00 physical_address: U64 = DeviceAddress Observed "device address; all ones: not staged";
        0x08 dmem: U64 = Pointer Observed "allocation";
        0x10 mem_offset: U64 = Hex Observed "byte offset in the allocation";
        0x18 host: U64 = Pointer Observed "mapped address";
        0x20 gap_20: [u8; 8];
    }
}

runtime_record! {
    /// Placement of a pointer.
    /// Spec: docs/format/memory.md "Records" [observed].
    PointerPlacement 40 "pointer placement" {
        0x00 pointer_address: U64 = DeviceAddress Observed "address of the pointer's cell";
        0x08 pointee: U64 = Dec Observed "id of the variable that it refers to";
        0x10 is_io: u8 = Flag Observed "refers to an input or output";
        0x11 gap_11: [u8; 23];
    }
}

runtime_record! {
    /// A list of variables in host memory.
    /// Spec: docs/format/memory.md "Records" [observed].
    VariableList 40 "list placement" {
        0x00 length: U32 = Dec Observed "entries";
        0x04 gap_04: [u8; 4];
        0x08 ids: U64 = Pointer Observed "ids of the variables";
        0x10 gap_10: [u8; 24];
    }
}

runtime_record! {
    /// A table of pointers, rebuilt at each load by resolving its ids.
    /// Spec: docs/format/memory.md "Records" [observed].
    PointerTablePlacement 40 "pointer table placement" {
        0x00 length: U32 = Dec Observed "entries";
        0x04 gap_04: [u8; 4];
        0x08 ids: U64 = Pointer Observed "ids of the variables";
        0x10 needs_translation: U64 = Pointer Observed "which entries are translated";
        0x18 addresses: U64 = Pointer Observed "resolved addresses";
        0x20 table_index: U64 = Dec Observed "index of the table";
    }
}

impl MemRef {
    /// A new record: everything zero but kind, size and id, and the address "not staged".
    pub fn unstaged(kind: u32, size: u64, var_id: u32) -> Self {
        let mut record = Self::zero();
        (record.kind, record.size, record.var_id) =
            (U32::new(kind), U64::new(size), U32::new(var_id));
        record.place(&NOT_STAGED.to_le_bytes());
        record
    }

    /// Writes the first bytes of the placement; those beyond its 40 bytes are dropped.
    pub fn place(&mut self, bytes: &[u8]) {
        for (to, from) in self.placement.iter_mut().zip(bytes) {
            *to = *from;
        }
    }

    /// The placement, read as that of a staged variable.
    ///
    /// # Errors
    /// None in practice: the placement has the size that is read.
    pub fn staged(&self) -> Result<&StagedPlacement, DecodeError> {
        StagedPlacement::of(&self.placement)
    }
}

//! `dmem_t`: one allocation of device or host memory, and the allocator that lists it.

use zerocopy::little_endian::{U32, U64};

use crate::assembly::runtime_record;

runtime_record! {
    /// One allocation.
    /// Spec: docs/format/memory.md "Records" [observed].
    RawDmem 192 "dmem_t" {
        0x00 pcore: U64 = Pointer Observed "core that owns it";
        0x08 mem_handle: U64 = Pointer Observed "the driver's record; 0 for none";
        0x10 size: U64 = Dec Observed "bytes that were asked for";
        0x18 physical: U64 = DeviceAddress Observed "device address from the driver";
        0x20 mapped: U64 = Pointer Observed "mapped address; 0 until it is mapped";
        0x28 align_offset: U64 = Hex Observed "added to the address where the driver cannot align";
        0x30 allocated_size: U64 = Dec Observed "bytes that the counters count";
        0x38 mem_type: U32 = Dec Observed "0 invalid, 1 host, 2 HBM";
        0x3c mem_usage_type: U32 = Dec Observed "usage, 0 to 22";
        0x40 channel: U32 = Dec Observed "HBM, below 4";
        0x44 gap_44: [u8; 60];
        0x80 ref_count: U64 = Dec Observed "references; starts at 1";
        0x88 hint: U64 = Pointer Observed "copy of the tag";
        0x90 copy_buffer: U64 = Pointer Observed "bounce buffer of the core";
        0x98 next: U64 = Pointer Observed "next in the allocator's list";
        0xa0 prev: U64 = Pointer Observed "previous in the allocator's list";
        0xa8 allocator: U64 = Pointer Observed "allocator; 0 once it is destroyed";
        0xb0 gap_b0: [u8; 16];
    }
}

runtime_record! {
    /// An allocator: a list of allocations in the order in which they were made.
    /// Spec: docs/format/memory.md "Records" [observed].
    RawAllocator 512 "dmem_allocator_t" {
        0x000 kind: U32 = Dec Observed "0 of a core, 1 of a model";
        0x004 gap_004: [u8; 4];
        0x008 pcore: U64 = Pointer Observed "core";
        0x010 lock: [u8; 40] = Opaque Observed "lock of the list";
        0x038 gap_038: [u8; 8];
        0x040 head: [u8; 192] = Opaque Observed "stands before the first allocation";
        0x100 tail: [u8; 192] = Opaque Observed "stands behind the last allocation";
        0x1c0 largest_oversized_scratchpad_var: U64 = Dec Observed "largest variable that found no page";
        0x1c8 gap_1c8: [u8; 56];
    }
}

impl RawDmem {
    /// The address to use: that of the driver plus the alignment. `None` beyond 2^64.
    pub fn address(&self) -> Option<u64> {
        self.physical.get().checked_add(self.align_offset.get())
    }
}

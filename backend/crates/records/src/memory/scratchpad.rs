//! `tdrv_scratchpad_t`: the pages that hold what a model writes and reads again within one
//! inference.

use zerocopy::little_endian::{U32, U64};

use crate::assembly::runtime_record;

/// Pages of one scratchpad.
/// Spec: docs/format/memory.md "Scratchpad" [observed].
pub const MAX_PAGES: usize = 1024;
/// Place of the scratchpad in the runtime's record of a core.
/// Spec: docs/format/memory.md "Records" [observed].
pub const IN_TPB: usize = 22_200;
/// Place of its first page entry in the same record.
/// Spec: docs/format/memory.md "Records" [observed].
pub const PAGES_IN_TPB: usize = 22_256;

runtime_record! {
    /// A page of the scratchpad.
    /// Spec: docs/format/memory.md "Records" [observed].
    RawScratchpadPage 16 "tdrv_scratchpad_page_t" {
        0x00 mem: U64 = Pointer Observed "allocation; 0 until it is reserved";
        0x08 refs: U32 = Dec Observed "models that use it";
        0x0c gap_0c: [u8; 4];
    }
}

runtime_record! {
    /// The scratchpad of a core.
    /// Spec: docs/format/memory.md "Records" [observed].
    RawScratchpad 16_440 "tdrv_scratchpad_t" {
        0x00 lock: [u8; 40] = Opaque Observed "guards pages and their number";
        0x28 page_size: U64 = Dec Observed "bytes of a page";
        0x30 num_pages: U32 = Dec Observed "pages that have memory";
        0x34 is_contiguous: u8 = Flag Observed "one region instead of separate pages";
        0x35 gap_35: [u8; 3];
        0x38 pages: [RawScratchpadPage; MAX_PAGES] = Opaque Observed "the pages, 16 bytes each";
    }
}

runtime_record! {
    /// A slice of the scratchpad and where it was put.
    /// Spec: docs/format/memory.md "Records" [observed].
    ScratchpadInfo 24 "tdrv_scratchpad_info_t" {
        0x00 pcore: U64 = Pointer Observed "core";
        0x08 size: U64 = Dec Observed "bytes of the slice";
        0x10 offset: U64 = Hex Observed "planned offset in the scratchpad";
    }
}

runtime_record! {
    /// What a load reserved, for giving it back.
    /// Spec: docs/format/memory.md "Records" [observed].
    ScratchpadCleanup 48 "tdrv_scratchpad_cleanup_info_t" {
        0x00 pcores: [U64; 2] = Opaque Observed "cores";
        0x10 sizes: [U64; 2] = Opaque Observed "bytes reserved on each";
        0x20 num_entries: U32 = Dec Observed "entries in use";
        0x24 gap_24: [u8; 4];
        0x28 contiguous_va: U64 = Pointer Observed "mapped region; 0 for none";
    }
}

//! What a TOP_SP knows of an executable: where its tables and semaphores are, its basic blocks, and
//! how far it is.

use zerocopy::little_endian::{U16, U32, U64};

use super::barrier::RawBarrierConfigs;
use super::entry::RawSpadCtrlEntry;
use crate::kbin::{Bits, Form, kbin_record};

/// Tapes of slots.
/// Spec: docs/format/collectives.md "Executable" [observed].
pub const SLOTS: usize = 6;

static NEFF_FLAGS: [Bits; 4] = [
    Bits::new(0, 1, "leader", "this TOP_SP leads the stream"),
    Bits::new(1, 1, "dbg_cc_nop", "operations move no data"),
    Bits::new(2, 1, "host_cc", "the host drives the operations"),
    Bits::new(3, 5, "reserved", "reserved"),
];

kbin_record! {
    /// A queue and the DMA engines that it has.
    /// Spec: docs/format/collectives.md "Executable" [observed].
    RawDmaAlloc 8 "dma_alloc_bitmap" "Executable" {
        0 queue_id: U32 = Form::Dec, Observed File "" "queue";
        4 dma_engines_bitmap: U32 = Form::Hex, Observed File "" "DMA engines";
    }
}

kbin_record! {
    /// A row of the table of basic blocks.
    /// Spec: docs/format/collectives.md "Basic blocks" [observed].
    RawTableRow 4 "basic_block_table" "Basic blocks" {
        0 desc_count: U16 = Form::Dec, Observed File "" "descriptors; 0 ends the table";
        2 reset_section_desc_count: u8 = Form::Dec, Observed File "" "descriptors of the section that resets";
        3 pad_3: u8 = Form::Padding, Observed File "" "padding";
    }
}

kbin_record! {
    /// Basic blocks of an executable.
    /// Spec: docs/format/collectives.md "Basic blocks" [observed].
    RawBasicBlockConfigs 1048 "basic_block_configs" "Basic blocks" {
        0x000 table: [RawTableRow; 256] = Form::Records(&RawTableRow::LAYOUT), Observed File "" "rows";
        0x400 switch_completed: U64 = Form::Address, Observed File "" "semaphore: the switch is done";
        0x408 pring_base_addr: U64 = Form::Address, Observed File "" "base of the persistent descriptor ring";
        0x410 pring_total_desc_num: U32 = Form::Dec, Observed File "" "descriptors of that ring";
        0x414 reserved_414: U32 = Form::Padding, Observed File "" "reserved";
    }
}

kbin_record! {
    /// Configuration of an executable.
    /// Spec: docs/format/collectives.md "Executable" [observed; the counts medium].
    RawNeffConfigs 3592 "neff_configs" "Executable" {
        0 dma_alloc_bitmap: [RawDmaAlloc; 8] = Form::Records(&RawDmaAlloc::LAYOUT), Observed File "" "queues and their DMA engines";
        64 desc_counts: [u8; 2080] = Form::Opaque, Medium File "" "counts of descriptors; their layout is not known";
        2144 slot_spad_base: [U64; 6] = Form::Addresses, Observed File "" "tapes of the slots";
        2192 ctrl_spad_base: U64 = Form::Address, Observed File "" "table of control entries";
        2200 barrier_configs: RawBarrierConfigs = Form::Record(&RawBarrierConfigs::LAYOUT), Observed File "" "barriers";
        2496 basic_block_configs: RawBasicBlockConfigs = Form::Record(&RawBasicBlockConfigs::LAYOUT), Observed File "" "basic blocks";
        3544 trigger: U64 = Form::Address, Medium File "" "semaphore that starts an operation; waited";
        3552 trigger_next: U64 = Form::Address, Medium File "" "semaphore of the next stage; posted";
        3560 complete: U64 = Form::Address, Medium File "" "semaphore posted by ring_send_complete";
        3568 complete_prev: U64 = Form::Address, Medium File "" "semaphore waited by ring_wait_complete";
        3576 tpb_stop_sema: U64 = Form::Address, Medium File "" "semaphore by which the TPB stops it";
        3584 op_num: U32 = Form::Dec, Observed File "" "entries of the control table";
        3588 function_n: U16 = Form::Dec, Observed File "" "functions; never printed";
        3590 tpb_compl_addr_num: u8 = Form::Dec, Observed File "" "completion addresses that count, at most 2";
        3591 flags: u8 = Form::Bits(&NEFF_FLAGS), Observed File "" "flags";
    }
}

kbin_record! {
    /// The operation that is being run.
    /// Spec: docs/format/collectives.md "Running state" [observed; the two addresses inferred].
    RawOpCtx 32 "op_ctx" "Running state" {
        0 ctrl_entry: RawSpadCtrlEntry = Form::Record(&RawSpadCtrlEntry::LAYOUT), Observed File "" "its control entry";
        8 tpb_compl: [U64; 2] = Form::Addresses, Inferred File "" "where the reporter writes its completion";
        24 id: U32 = Form::Dec, Observed File "" "number of the entry";
        28 reporter: u8 = Form::Dec, Observed File "" "this TOP_SP reports";
        29 pad_29: [u8; 3] = Form::Padding, Observed File "" "padding";
    }
}

kbin_record! {
    /// Where the tables are read next.
    /// Spec: docs/format/collectives.md "Running state" [observed].
    RawBasicBlockCtx 60 "basic_block_ctx" "Running state" {
        0 slot_spad_addr: [U64; 6] = Form::Addresses, Observed File "" "places on the tapes of the slots";
        48 ctrl_spad_addr: U64 = Form::Address, Observed File "" "place in the table of control entries";
        56 curr_id: U32 = Form::Dec, Observed File "" "basic block that is being run";
    }
}

kbin_record! {
    /// Running state of an executable.
    /// Spec: docs/format/collectives.md "Running state" [observed].
    RawNeffCtx 96 "neff_ctx" "Running state" {
        0x00 op: RawOpCtx = Form::Record(&RawOpCtx::LAYOUT), Observed File "" "operation";
        0x20 basic_block: RawBasicBlockCtx = Form::Record(&RawBasicBlockCtx::LAYOUT), Observed File "" "tables";
        0x5c barrier_completed: u8 = Form::Dec, Observed File "" "the barrier is over";
        0x5d pad_5d: [u8; 3] = Form::Padding, Observed File "" "padding";
    }
}

impl RawNeffConfigs {
    /// Whether this TOP_SP leads the stream.
    pub const fn is_leader(&self) -> bool {
        self.flags & 1 == 1
    }
}

impl RawBasicBlockConfigs {
    /// The rows that count: up to the first without descriptors, at most 255.
    pub fn rows(&self) -> &[RawTableRow] {
        let most = self.table.get(..255).unwrap_or(&self.table);
        let end = most.iter().position(|row| row.desc_count.get() == 0).unwrap_or(most.len());
        most.get(..end).unwrap_or(most)
    }
}

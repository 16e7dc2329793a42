//! Payloads of the records that start or prepare DMA transfers.

use zerocopy::little_endian::{I32, U16, U32};

payload! {
    /// `PSEUDO_DMATRIGGER`: starts one block of descriptors of a queue.
    /// Spec: docs/format/streams.md "Transfer payloads" [observed].
    DmaTrigger {
        0x0c queue: [u8; 32] = Text Other Observed "queue";
        0x2c use_raw_count: u8 = Flag Other Observed "whether the block field is a count";
        0x2d gap_2d: [u8; 3];
        0x30 block_id: U32 = Mode Other Observed "block of the queue, or a raw count";
        0x34 gap_34: [u8; 12];
    }
}

payload! {
    /// `PSEUDO_DMAREARM`: makes a queue ready again.
    /// Spec: docs/format/streams.md "Transfer payloads" [observed].
    DmaRearm {
        0x0c queue: [u8; 32] = Text Other Observed "queue";
        0x2c gap_2c: [u8; 20];
    }
}

payload! {
    /// `PSEUDO_DMABARRIER`.
    /// Spec: docs/format/streams.md "Transfer payloads" [observed].
    DmaBarrier {
        0x0c metadata: U32 = Hex Other Observed "metadata";
        0x10 gap_10: [u8; 48];
    }
}

payload! {
    /// `PSEUDO_DMAMEMCPY_FULL_IND`: a copy through a table of offsets. Field widths are inferred.
    /// Spec: docs/format/streams.md "Transfer payloads" [inferred].
    IndirectCopy {
        0x0c start_offset: U32 = Hex Address Inferred "start offset of the table of offsets";
        0x10 gap_10: [u8; 42];
        0x3a wait_value: U16 = Dec Other Inferred "semaphore value waited for, low part";
        0x3c direction: u8 = Dec Other Inferred "0 load, 1 save";
        0x3d gap_3d: u8;
        0x3e wait_value_high: U16 = Dec Other Inferred "semaphore value waited for, high part";
    }
}

payload! {
    /// `PSEUDO_DMASWAP_QUEUE_SET`: changes the set of instances of a queue.
    /// Spec: docs/format/streams.md "Transfer payloads" [observed; width of the name inferred].
    SwapQueueSet {
        0x0c queue: [u8; 47] = Text Other Inferred "queue set";
        0x3b instance: u8 = Flag Other Observed "instance flag";
        0x3c swap_id: U32 = Dec Other Observed "id of the swap";
    }
}

payload! {
    /// `PSEUDO_DMA_DIRECT2D`: a transfer whose descriptors the hardware makes itself.
    /// Spec: docs/format/streams.md "Transfer payloads" [observed].
    Direct2d {
        0x0c config: u8 = Hex Other Observed "DMA configuration";
        0x0d semaphore: u8 = Semaphore Update Observed "semaphore raised when the transfer ends";
        0x0e increment: u8 = Dec Update Observed "what is added to the semaphore";
        0x0f dge_op: u8 = Hex Other Observed "operation of the descriptor engine";
        0x10 src_offset: U32 = Hex Address Observed "byte offset in the source";
        0x14 src_ref: [u8; 3] = Reference Address Observed "source: a variable, or an entry of the table";
        0x17 src_mode: u8 = Hex Address Observed "source mode: 0x10 variable, 0x20 entry of the table";
        0x18 src_steps: [I32; 2] = I32List Pattern Observed "source steps in bytes: row, element";
        0x20 src_counts: [U16; 2] = U16List Pattern Observed "source counts: rows, elements";
        0x24 src_row_bytes: U16 = Dec Pattern Observed "bytes of a source row";
        0x26 src_bound: u8 = Register Other Observed "register of the source bound, 0 for none";
        0x27 dst_bound: u8 = Register Other Observed "register of the target bound, 0 for none";
        0x28 dst_offset: U32 = Hex Address Observed "byte offset in the target";
        0x2c dst_ref: [u8; 3] = Reference Address Observed "target: a variable, or an entry of the table";
        0x2f dst_mode: u8 = Hex Address Observed "target mode: 0x10 variable, 0x20 entry of the table";
        0x30 dst_steps: [I32; 2] = I32List Pattern Observed "target steps in bytes: row, element";
        0x38 dst_counts: [U16; 2] = U16List Pattern Observed "target counts: rows, elements";
        0x3c dst_row_bytes: U16 = Dec Pattern Observed "bytes of a target row";
        0x3e src_dtype: u8 = Dtype Dtype Observed "element type of the source";
        0x3f dst_dtype: u8 = Dtype Dtype Observed "element type of the target";
    }
}

/// One side of a [`Direct2d`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direct2dSide {
    /// Byte offset.
    pub offset: u32,
    /// Variable id, or index into the list of the table, as `mode` says.
    pub reference: u32,
    /// [`MODE_VARIABLE`] or [`MODE_TABLE`]; other modes are kept.
    pub mode: u8,
    /// Bytes from row to row.
    pub row_step: i32,
    /// Rows; partitions on the state buffer's side.
    pub rows: u16,
    /// Bytes of a row.
    pub row_bytes: u16,
    /// Element type.
    pub dtype: super::value::Dtype,
}

/// The reference of a [`Direct2dSide`] is a variable id.
pub const MODE_VARIABLE: u8 = 0x10;
/// The reference of a [`Direct2dSide`] is an index into the `list` of the table variable.
pub const MODE_TABLE: u8 = 0x20;

impl Direct2d {
    /// The source.
    pub fn source(&self) -> Direct2dSide {
        Direct2dSide {
            offset: self.src_offset.get(),
            reference: u24(self.src_ref),
            mode: self.src_mode,
            row_step: self.src_steps[0].get(),
            rows: self.src_counts[0].get(),
            row_bytes: self.src_row_bytes.get(),
            dtype: super::value::Dtype(self.src_dtype),
        }
    }

    /// The target.
    pub fn target(&self) -> Direct2dSide {
        Direct2dSide {
            offset: self.dst_offset.get(),
            reference: u24(self.dst_ref),
            mode: self.dst_mode,
            row_step: self.dst_steps[0].get(),
            rows: self.dst_counts[0].get(),
            row_bytes: self.dst_row_bytes.get(),
            dtype: super::value::Dtype(self.dst_dtype),
        }
    }
}

const fn u24(bytes: [u8; 3]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], 0])
}

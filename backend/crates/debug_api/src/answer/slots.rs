//! The `slots` document.

use super::{Provenance, SourceItem, Sync};
use serde::{Deserialize, Serialize};

/// The `slots` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotsAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Records of the whole stream.
    pub total: u64,
    /// The asked run of records.
    pub slots: Vec<SlotRow>,
    /// Read from the file.
    pub provenance: Provenance,
}

/// One record of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotRow {
    /// 0-based.
    pub slot: u32,
    /// 1-based.
    pub neff_ip: u32,
    /// Byte 0.
    pub opcode: u8,
    /// Enum name; null for an unknown opcode.
    pub mnemonic: Option<String>,
    /// 128 digits.
    pub hex: String,
    /// Wait of the common head.
    pub wait: Option<Sync>,
    /// Update of the common head.
    pub update: Option<Sync>,
    /// Second wait (EVENT_SEMAPHORE).
    pub wait2: Option<Sync>,
    /// Second update (EVENT_SEMAPHORE).
    pub update2: Option<Sync>,
    /// `.asm` form.
    pub text: String,
    /// Debug records, nearest first.
    pub source: Vec<SourceItem>,
    /// The triggered DMA block (DMA triggers only).
    pub dma: Option<DmaRef>,
}

/// The DMA block of a trigger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DmaRef {
    /// Queue name.
    pub queue: String,
    /// Block id.
    pub block: u32,
    /// The block's `#comment`; null if the block is not in the engine JSON.
    pub comment: Option<String>,
}

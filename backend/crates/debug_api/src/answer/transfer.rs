//! The `index` and `transfer` documents: variables and queues by name, and which bytes one transfer
//! touches.

use super::{PlaceRef, Provenance, RecordInfo, RecordLink, SlotUse};
use serde::{Deserialize, Serialize};

/// The `index` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// 0-based first line.
    pub from: u64,
    /// Lines that there are, or that fit the searched text.
    pub total: u64,
    /// `queue.<name>` by name, then `variable.<name>` by id. The type is the kind of the ring, or of
    /// the variable; bytes are those of the variable, or of the queue's descriptors.
    pub records: Vec<RecordInfo>,
}

/// The `transfer` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Name, as it was asked for.
    pub name: String,
    /// `descriptor`, or `direct` for a record of a stream that moves bytes itself.
    pub kind: String,
    /// Operation; `COPY`, or `CAST` where the element types differ on purpose.
    pub op: String,
    /// Queue; null for a direct transfer.
    pub queue: Option<String>,
    /// Block of the queue; null for a direct transfer.
    pub block: Option<u32>,
    /// What the compiler calls the block.
    pub comment: Option<String>,
    /// The record of a direct transfer.
    pub at: Option<PlaceRef>,
    /// Descriptors that it needs in each hardware queue, on the side with more of them.
    pub elements: u64,
    /// How sure that is.
    #[serde(default = "modelled")]
    pub elements_provenance: Provenance,
    /// Its record, and where the file says so.
    pub links: Vec<RecordLink>,
    /// Sources, then the target.
    pub sides: Vec<TransferSide>,
    /// Byte ranges that a source and the target of one variable share; the first 4,096.
    pub shared: Vec<[i64; 2]>,
    /// What is wrong with it.
    pub faults: Vec<TransferFault>,
    /// Records that start it; none for a direct transfer, which is one itself.
    #[serde(default)]
    pub total_triggers: u64,
    /// The first of them.
    #[serde(default)]
    pub triggers: Vec<SlotUse>,
    /// Where the patterns come from.
    pub provenance: Provenance,
}

/// How sure counts of answers without the word are.
pub(super) fn modelled() -> Provenance {
    Provenance::Modelled
}

/// One side of a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferSide {
    /// `source` or `target`.
    pub role: String,
    /// Variable; null if the file names none that is there.
    pub variable: Option<String>,
    /// Its page.
    #[serde(default)]
    pub page: Option<String>,
    /// Its id.
    pub id: Option<u32>,
    /// Its kind, `INPUT`.
    pub kind: Option<String>,
    /// Bytes that offsets can reach; null where the file does not say.
    pub room: Option<u64>,
    /// Whether that is the state buffer: 128 partitions, 2^18 bytes apart.
    pub state_buffer: bool,
    /// Element type of this side; null where none is written.
    pub dtype: Option<String>,
    /// Bytes of an element of this side.
    pub element_bytes: Option<u64>,
    /// Bytes of an element of the variable, where the file says so.
    pub variable_element_bytes: Option<u64>,
    /// First byte in the variable.
    pub offset: u64,
    /// Sizes, innermost first; the innermost one in bytes.
    pub sizes: Vec<u64>,
    /// Steps in bytes, innermost first.
    pub steps: Vec<i64>,
    /// First byte touched; may be below 0 in a damaged file. Null for an empty pattern.
    pub start: Option<i64>,
    /// One past the last byte touched.
    pub end: Option<i64>,
    /// What is touched in words, where it is beyond the numbers of `start` and `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touches: Option<String>,
    /// Bytes that are transferred; null from 2^64 on.
    pub bytes: Option<u64>,
    /// Contiguous runs that carry them.
    pub runs: Option<u64>,
    /// The ranges that are touched, ascending and apart; empty if there are more than 4,096.
    pub ranges: Vec<[i64; 2]>,
    /// Whether bytes are touched out of bounds.
    pub out_of_bounds: bool,
}

/// Something wrong with a transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TransferFault {
    /// Stable code, see docs/codes.md.
    pub code: String,
    /// `warning` or `error`.
    pub severity: String,
    /// Sentence for a person.
    pub message: String,
    /// The places concerned: the transfer, and the variables that it is about.
    pub links: Vec<RecordLink>,
}

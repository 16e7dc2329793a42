//! The `ntff` document: what a capture holds. `info` about a capture is the same document.

use super::{FileInfo, Finding, Provenance};
use serde::{Deserialize, Serialize};

/// The `ntff` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffAnswer {
    /// Version of this document.
    pub schema: u32,
    /// The opened file.
    pub file: FileInfo,
    /// Version of the format, 4 or 5.
    pub version: u8,
    /// The first 16 bytes of the UUID field, hyphenated; all of it as bare hex if it is shorter.
    pub uuid: String,
    /// Bytes of the UUID field.
    pub uuid_bytes: u64,
    /// The whole UUID field.
    pub uuid_hex: String,
    /// Name in the header of the NEFF.
    pub name: String,
    /// Instance type; empty if the file has none.
    pub instance_type: String,
    /// `major.minor.patch` of the runtime; null if the file has none.
    pub runtime_version: Option<String>,
    /// Commit of the runtime; null if the file has none.
    pub runtime_commit: Option<String>,
    /// Version of the driver.
    pub driver_version: Option<String>,
    /// Version of the collectives library.
    pub collectives_version: Option<String>,
    /// Provenance of `driver_version` and `collectives_version`: that the fields are these.
    pub versions_provenance: Provenance,
    /// Logical core size, 1 or 2.
    pub logical_core_size: Option<u64>,
    /// Seconds since 1970; version 4 only.
    pub epoch_seconds: Option<u64>,
    /// Sizes of the notification queues.
    pub queues: Vec<NtffQueue>,
    /// Captured cores, in stored order.
    pub subgraphs: Vec<NtffSubgraph>,
    /// Fields that are read, but whose meaning nobody knows.
    pub unexplained: Vec<NtffNumber>,
    /// Fields that are not read.
    pub unknown_fields: NtffUnknown,
    /// All findings.
    pub diagnostics: Vec<Finding>,
    /// Everything here is read from the file unless a key says otherwise.
    pub provenance: Provenance,
}

/// A notification queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffQueue {
    /// `core dma top_sp`, or the number.
    pub source: String,
    /// `trace notify error dma_trace throttle`, or the number.
    pub queue: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// One captured core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffSubgraph {
    /// Name, `sg00`.
    pub name: String,
    /// Physical core; null in version 4, which captures core 0.
    pub core: Option<u64>,
    /// Device images, in stored order.
    pub images: Vec<NtffImage>,
    /// Patch rows, in stored order.
    pub patches: Vec<NtffPatch>,
    /// Summary of the records.
    pub trace: NtffTrace,
    /// Slices of the tail, in stored order.
    pub slices: Vec<NtffSlice>,
    /// DMA queues with their rings, by name.
    pub rings: Vec<NtffRings>,
    /// Device memory, in stored order.
    pub memory: Vec<NtffMemory>,
    /// Clocks that the file has.
    pub clocks: Vec<NtffClock>,
    /// Execution time in picoseconds.
    pub execution_ps: Option<u64>,
}

/// A device image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffImage {
    /// Engine; `code N` for an unknown one.
    pub engine: String,
    /// Device address of the first slot.
    pub base: String,
    /// Bytes that are there.
    pub bytes: u64,
    /// Where they are in the file.
    pub file_offset: u64,
    /// Over these bytes.
    pub md5: String,
    /// Whether it is a whole number of slots and all of it is there.
    pub whole: bool,
}

/// A patch row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffPatch {
    /// Engine; `code N` for an unknown one.
    pub engine: String,
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Slots (INSERT) or source records (DELETE).
    pub count: u64,
    /// `INSERT MODIFY DELETE`, or `type N`.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Summary of the records of a core. Times are aligned; zero is the earliest record of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffTrace {
    /// Records of all slices.
    pub records: u64,
    /// Earliest record, in nanoseconds, rounded down; null if no record has a time.
    pub first_ns: Option<u64>,
    /// Latest record, in nanoseconds, rounded down; null if no record has a time.
    pub last_ns: Option<u64>,
    /// Records whose type does not belong into their slice.
    pub unknown: u64,
    /// Records without a usable clock.
    pub untimed: u64,
    /// Records before which some were lost.
    pub after_overflow: u64,
}

/// A slice of the tail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffSlice {
    /// `core dma top_sp`, or the number.
    pub source: String,
    /// `trace notify error dma_trace throttle`, or the number.
    pub queue: String,
    /// Offset in the tail, as stored.
    pub offset: u64,
    /// Bytes, as stored.
    pub bytes: u64,
    /// Records that are there.
    pub records: u64,
}

/// The rings of one DMA queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffRings {
    /// Name of the queue.
    pub name: String,
    /// Queue number.
    pub queue: u64,
    /// `runtime data in`, or the number.
    pub kind: String,
    /// Rings.
    pub rings: u64,
    /// Lowest DMA engine.
    pub first_engine: u64,
    /// Highest DMA engine.
    pub last_engine: u64,
    /// Blocks of the first ring; all rings have as many in known files.
    pub blocks: u64,
}

/// Device memory of one category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffMemory {
    /// Number; null where the file has names.
    pub category: Option<u64>,
    /// Name; null for a number without a known one.
    pub name: Option<String>,
    /// Where the name comes from: the file, or a table by runtime version.
    pub name_provenance: Provenance,
    /// Bytes.
    pub bytes: u64,
}

/// A clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffClock {
    /// `PE ACT POOL DVE SP events throttle dma0 ... top_sp0`.
    pub clock: String,
    /// Initial count.
    pub initial: i64,
    /// Actual increment.
    pub actual: u64,
    /// Expected increment.
    pub expected: u64,
}

/// A number without a known meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffNumber {
    /// Fields on the way, `14.4`.
    pub field: String,
    /// Value.
    pub value: u64,
}

/// Fields that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffUnknown {
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub fields: Vec<NtffField>,
}

/// A field that nobody knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NtffField {
    /// Message that has it.
    pub message: String,
    /// Field number.
    pub number: u32,
    /// Wire type: 0, 1, 2 or 5.
    pub wire_type: u8,
    /// Where it is in the file.
    pub offset: u64,
    /// Bytes, key included.
    pub bytes: u64,
}

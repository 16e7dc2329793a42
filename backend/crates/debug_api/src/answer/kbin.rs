//! The `kbin`, `variable` and `queue` documents: the tree of records of a program, and what it says
//! about one variable and one queue.

use super::transfer::modelled;
use super::{
    Finding, PlaceRef, PlacedVariable, Provenance, RecordFieldInfo, RecordInfo, RecordLink,
};
use serde::{Deserialize, Serialize};

/// The `kbin` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KbinAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Generation, `INVALID` if a loader would refuse it.
    pub target: String,
    /// `file`, or `configured` where the file leaves it to the device.
    #[serde(default = "modelled")]
    pub target_provenance: Provenance,
    /// Generation whose programs get the default micro-code library, or `none`.
    #[serde(default)]
    pub default_library: String,
    /// `modelled` as sources disagree, `configured` where the question says it.
    #[serde(default = "modelled")]
    pub default_library_provenance: Provenance,
    /// 0-based first record listed, or first row of the one that was asked for.
    pub from: u64,
    /// Records of the tree, or that fit a searched text.
    pub total: u64,
    /// Fields in which a searched text was found, of all records.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub total_hits: u64,
    /// Records in the order in which a loader makes them; of one that was asked for, only that.
    pub records: Vec<RecordInfo>,
    /// What of the records, or rows of the one record, is not in this answer, and how to get it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What a loader makes of it: `loads`, `refused`, or `unknown` where there are errors of which it
    /// is not published what a loader does.
    #[serde(default)]
    pub verdict: String,
    /// The same as a sentence.
    #[serde(default)]
    pub verdict_text: String,
    /// What a loader would say, in its order.
    pub gates: Vec<GateInfo>,
    /// Findings about the tree.
    pub diagnostics: Vec<Finding>,
    /// Of each finding, where it leads: places in the file, the drawing of a transfer, variables,
    /// a queue.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Vec<RecordLink>>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A message that a loader would write about a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateInfo {
    /// The loader's text; of texts that are published in part, that part.
    pub text: String,
    /// Whether loading ends there.
    pub stops: bool,
    /// Code of the finding that explains it.
    pub code: String,
}

/// The `variable` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Name.
    pub name: String,
    /// Id.
    pub id: u32,
    /// Kind, `INPUT`.
    pub kind: String,
    /// First byte of its record in `mem_ref_set`.
    pub offset: u64,
    /// Fields of that record.
    pub fields: Vec<RecordFieldInfo>,
    /// Descriptors that have it as a side.
    pub total_descriptors: u64,
    /// The first of them.
    pub descriptors: Vec<DescriptorUse>,
    /// Records of the streams that use it, directly or by a block of descriptors.
    pub total_slots: u64,
    /// The first of them.
    pub slots: Vec<SlotUse>,
    /// Where it is in device memory when the file is loaded alone with the default pages; null if
    /// it cannot be loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlacedVariable>,
    /// Bytes of the state buffer that transfers fill from it, or read for it; the first 256.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffer: Vec<BufferRange>,
    /// Compute records that touch those bytes, at whatever time.
    #[serde(default)]
    pub total_buffer_slots: u64,
    /// The first of them. That they use this variable is inferred: the bytes serve others too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub buffer_slots: Vec<SlotUse>,
    /// Its page, `variable.<name>`; `variable.mem[<row>]` where an earlier one has the name.
    #[serde(default)]
    pub page: String,
    /// Names of variables that lead to it: pointers and lists.
    pub named_by: Vec<String>,
    /// Their pages.
    #[serde(default)]
    pub named_by_pages: Vec<String>,
    /// What a loader would say about it; the first 64.
    #[serde(default)]
    pub gates: Vec<GateInfo>,
    /// Findings about it; the first 64.
    #[serde(default)]
    pub diagnostics: Vec<Finding>,
}

/// A descriptor that has a variable as a side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DescriptorUse {
    /// Record, `ring.<queue>.<n>`.
    pub record: String,
    /// 0-based descriptor there.
    pub row: u64,
    /// Queue.
    pub queue: String,
    /// Block.
    pub block: u32,
    /// Engine whose document holds it; null at graph level.
    pub engine: Option<String>,
    /// `source` or `target`.
    pub role: String,
    /// Operation.
    pub op: String,
    /// First byte touched; may be below 0 in a damaged file. Null for an empty pattern.
    pub start: Option<i64>,
    /// One past the last byte touched.
    pub end: Option<i64>,
    /// What is touched in words, where it is beyond the numbers of `start` and `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touches: Option<String>,
    /// Descriptors that it needs in each hardware queue.
    pub elements: u64,
    /// Whether it touches bytes out of bounds.
    #[serde(default)]
    pub out_of_bounds: bool,
}

/// Bytes of the state buffer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BufferRange {
    /// First partition.
    pub first_partition: u32,
    /// Partitions.
    pub partitions: u32,
    /// First byte in each of them.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// `filled` from the variable, or `read` for it.
    pub role: String,
}

/// A record of a stream that uses a variable or triggers a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotUse {
    /// Where it is.
    pub at: PlaceRef,
    /// `source`, `target`, `both`, `trigger`, or `direct` for a transfer without a block.
    pub role: String,
    /// Queue, for triggers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// Block, for triggers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<u32>,
    /// Name of its transfer, as `transfer` takes it, for direct transfers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<String>,
    /// First byte that such a transfer touches of the variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<i64>,
    /// One past the last byte.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<i64>,
    /// What is touched in words, where it is beyond the numbers of `start` and `end`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touches: Option<String>,
    /// Whether it touches bytes out of bounds.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub out_of_bounds: bool,
}

/// The `queue` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Name.
    pub name: String,
    /// Its record, `dma.<queue>`.
    pub record: String,
    /// Ring type.
    pub ring_type: String,
    /// Engine that triggers it; null if the file names none.
    pub owner: Option<String>,
    /// Hardware queues of its set.
    pub queue_set_count: u32,
    /// Semaphores.
    pub semaphores: Vec<u32>,
    /// Ring instances.
    pub rings: Vec<RingInfo>,
    /// Descriptors of all instances.
    pub descriptors: u64,
    /// Descriptors that each of its hardware queues has to hold, on the side with more of them; of
    /// several instances that with most.
    pub elements: u64,
    /// How sure that is.
    #[serde(default = "modelled")]
    pub elements_provenance: Provenance,
    /// Hardware queues that rows are dealt out to: those of the definition, 16 where it says none.
    #[serde(default)]
    pub hardware_queues: u64,
    /// Descriptors of each hardware queue for the direct transfers on it (modelled); the hardware makes
    /// them as it goes, so they are not held.
    #[serde(default)]
    pub direct_elements: u64,
    /// Whether direct transfers of its engine run on it.
    #[serde(default)]
    pub is_dynamic: bool,
    /// Descriptors that a hardware queue can hold.
    pub limit: u64,
    /// Variables with most of them, the state buffer left out.
    pub contributors: Vec<ContributorInfo>,
    /// Records that trigger it.
    pub total_triggers: u64,
    /// The first of them.
    pub triggers: Vec<SlotUse>,
    /// What a loader would say about it; the first 64.
    #[serde(default)]
    pub gates: Vec<GateInfo>,
    /// Findings about it and its descriptors; the first 64.
    #[serde(default)]
    pub diagnostics: Vec<Finding>,
}

/// A ring instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingInfo {
    /// Its record, `ring.<queue>.<n>`.
    pub record: String,
    /// Name.
    pub name: String,
    /// Blocks.
    pub blocks: u64,
    /// Descriptors.
    pub descriptors: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A variable's part of a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContributorInfo {
    /// Name.
    pub variable: String,
    /// Its page.
    #[serde(default)]
    pub page: String,
    /// Id.
    pub id: u32,
    /// Descriptors of each hardware queue.
    pub elements: u64,
    /// Descriptors.
    pub descriptors: u64,
}

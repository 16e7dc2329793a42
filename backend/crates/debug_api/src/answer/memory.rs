//! The `memory` and `scratchpad` documents.

use super::{At, Finding, Provenance};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// For keys that are left out where there is nothing to say.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The `memory` document: what fills device memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryAnswer {
    /// Version of this document.
    pub schema: u32,
    /// What is loaded, in this order.
    pub files: Vec<MemoryFile>,
    /// `paged` or `contiguous`: the mode that the runtime gives.
    pub mode: String,
    /// The mode that was asked for, where the runtime gives another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_asked: Option<String>,
    /// Where the mode comes from: asked for, or by a rule of the runtime.
    pub mode_provenance: Provenance,
    /// Bytes of a scratchpad page.
    pub page_size: u64,
    /// Generation of the chip.
    pub generation: String,
    /// Bytes of each HBM.
    pub hbm_bytes: u64,
    /// Physical core whose scratchpad `pages` shows: the one that needs most.
    pub core: u32,
    /// Where core numbers come from.
    pub core_provenance: Provenance,
    /// HBM of that core.
    pub hbm: u32,
    /// Physical cores of the device.
    pub n_cores: u32,
    /// Bytes that its scratchpad needs, padding between slices included.
    pub need_bytes: u64,
    /// Pages that the need takes.
    pub n_pages: u64,
    /// Whether `need_bytes` and `n_pages` are lower bounds: something that they hang on could not be
    /// read, or exceeds 2^64. Private variables are those that were read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub need_at_least: bool,
    /// That a scratchpad has no such number of pages, and what would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_cap: Option<MemoryPageCap>,
    /// The pages; empty if there are more than a scratchpad has.
    pub pages: Vec<MemoryPage>,
    /// The slices of that scratchpad, by file.
    pub slices: Vec<MemorySlice>,
    /// Variables that no page takes: each gets memory of its own. The first 1,000.
    pub private: Vec<MemoryVariable>,
    /// How many there are.
    pub n_private: u64,
    /// Their bytes.
    pub private_bytes: u64,
    /// Pairs of virtual variables of one slice whose bytes meet. Normal: their lifetimes differ.
    pub overlaps: u64,
    /// The first 1,000 of them.
    pub overlap_pairs: Vec<OverlapPair>,
    /// Bytes by category over all that is loaded, in the words of captures.
    pub categories: BTreeMap<String, u64>,
    /// Those of them that are lower bounds, as `need_at_least`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories_at_least: Vec<String>,
    /// What a capture of the session measured, by category; null without a capture.
    pub measured: Option<BTreeMap<String, u64>>,
    /// Categories that a runtime fills and that are not computed.
    pub not_counted: Vec<String>,
    /// The same, with the reason of each.
    pub not_computed: Vec<MemoryUnknown>,
    /// Whether all of it can be loaded; false too where a loader refuses a file for another reason,
    /// null where something that the need hangs on could not be read.
    pub fits: Option<bool>,
    /// `fits`, `short` where memory does not suffice, `refused` where a loader stops before it looks
    /// at memory, `unknown`.
    pub verdict: String,
    /// The same for memory alone, as if no file were refused.
    pub memory_verdict: String,
    /// Why a loader refuses a file, in its order; the first 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<MemoryRefusal>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_refusals: u64,
    /// What the need hangs on and could not be read; the first 16. In all numbers 0 stands for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<MemoryUnread>,
    /// How many there are.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub n_unread: u64,
    /// Virtual variables of all that is loaded.
    pub n_virtual: u64,
    /// What fails, in the order of loading; the first 16.
    pub failures: Vec<MemoryFailure>,
    /// How many there are.
    pub n_failures: u64,
    /// What would make it fit.
    pub remedies: Vec<MemoryRemedy>,
    /// Bytes of each HBM with which all that could be read fits, and with 4,096 less does not; null
    /// where no size up to 64 TiB would do, or where more than 20,000 variables fit as it is.
    pub least_hbm_bytes: Option<u64>,
    /// The runtime's advice on the page size; null if every variable finds a page.
    pub advice: Option<MemoryAdvice>,
    /// What each subgraph needs.
    pub subgraphs: Vec<MemorySubgraph>,
    /// The HBMs after loading.
    pub hbms: Vec<MemoryHbm>,
    /// Where the variables are.
    pub variables: PlacedVariables,
    /// What the runtime logs, in its words.
    pub notes: Vec<String>,
    /// Of need, pages, private variables and overlaps.
    pub provenance: Provenance,
    /// Of `fits`, verdicts, failures, remedies, HBMs and addresses: they come from our model of the driver.
    pub fits_provenance: Provenance,
    /// What is odd about the variables.
    pub diagnostics: Vec<Finding>,
}

/// A file that is loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFile {
    /// File of the session, 0-based.
    pub file: usize,
    /// Name. Untrusted.
    pub name: String,
}

/// Why a loader refuses a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRefusal {
    /// File of the session, 0-based.
    pub file: usize,
    /// Code of the finding that explains it; the finding is among those of the tree of records.
    pub code: String,
    /// The loader's text; null where none is published.
    pub text: Option<String>,
    /// Why, in words.
    pub why: String,
    /// Where.
    pub at: At,
    /// Of the rule that refuses it.
    pub provenance: Provenance,
}

/// Something of a variable that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUnread {
    /// File of the session, 0-based.
    pub file: usize,
    /// Subgraph.
    pub subgraph: String,
    /// Variable; null for entries that could not be read as variables.
    pub id: Option<u32>,
    /// Its name, untrusted; empty for such entries.
    pub name: String,
    /// What is wrong, behind the name.
    pub what: String,
}

/// A category that is not computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryUnknown {
    /// Name, in the words of captures.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// A slice of a scratchpad: variables of one owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySlice {
    /// File of the session, 0-based.
    pub file: usize,
    /// Subgraph; null for the slice that a file's subgraphs share.
    pub subgraph: Option<String>,
    /// Offset in the scratchpad.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes left empty before it, so that it crosses no page.
    pub padding_bytes: u64,
}

/// Records of one engine that use a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariableSpan {
    /// Engine.
    pub engine: String,
    /// First NEFF IP.
    pub first_ip: u32,
    /// Last NEFF IP.
    pub last_ip: u32,
    /// Records between them that use it, these two included.
    pub uses: u64,
}

/// A page of the scratchpad.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPage {
    /// Index in the runtime's table. In contiguous mode the first bytes are on the last page.
    pub index: u64,
    /// Subgraph of the core that it lies on.
    pub subgraph: String,
    /// Offset of its first byte in the scratchpad.
    pub offset: u64,
    /// Bytes that some variable covers.
    pub used_bytes: u64,
    /// Variables on it; over all pages the first 2,000.
    pub variables: Vec<MemoryVariable>,
    /// How many there are.
    pub n_variables: u64,
    /// Loads that use it; 0 where it could not be reserved.
    pub references: u32,
}

/// A virtual variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryVariable {
    /// File of the session, 0-based.
    pub file: usize,
    /// Subgraph.
    pub subgraph: String,
    /// Id.
    pub id: u32,
    /// Name. Untrusted.
    pub name: String,
    /// Offset in the scratchpad.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// `local` or `shared`.
    pub slice: String,
    /// Records that use it, by engine; empty where none is known to. Inferred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<VariableSpan>,
}

/// Two variables that share bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlapPair {
    /// One.
    pub a: MemoryVariable,
    /// The other.
    pub b: MemoryVariable,
    /// Bytes that both have.
    pub bytes: u64,
    /// `apart` if one engine uses one after the other, `together` if uses are mixed on an engine,
    /// `unknown` where the order of several engines would be needed. Inferred.
    pub order: String,
}

/// Something that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryFailure {
    /// File of the session, 0-based.
    pub file: usize,
    /// Subgraph; null where a failure concerns all on one HBM.
    pub subgraph: Option<String>,
    /// What, in the runtime's words where they are known.
    pub what: String,
    /// Status of the runtime; null where it ends instead.
    pub status: Option<u32>,
    /// Its name.
    pub status_name: Option<String>,
    /// HBM.
    pub hbm: u32,
    /// Bytes that the driver was asked for; 0 where it was not asked.
    pub bytes: u64,
    /// Alignment that it was asked for; 0 for none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub alignment: u64,
    /// Bytes that were free.
    pub free_bytes: u64,
    /// The largest free range, from its first aligned address on.
    pub largest_free_bytes: u64,
    /// Bytes that it lacks.
    pub short_bytes: u64,
}

/// More pages are needed than a scratchpad has. A runtime refuses that before it asks the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryPageCap {
    /// Pages that are needed.
    pub requested: u64,
    /// Pages of a scratchpad.
    pub most: u64,
    /// Smallest documented page size with which there are enough, in paged mode; null if none is
    /// large enough.
    pub enough_page_size: Option<u64>,
    /// In words.
    pub text: String,
}

/// A change with which everything fits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRemedy {
    /// `page-size`, `contiguous`, `paged`, `hbm`, or `paged-hbm` where both are needed.
    pub kind: String,
    /// Page size or bytes of an HBM; null for the mode.
    pub bytes: Option<u64>,
    /// Page size that goes with the bytes of an HBM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<u64>,
    /// In words.
    pub text: String,
}

/// The runtime's advice on the page size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryAdvice {
    /// Size of the largest variable that finds no page.
    pub largest_bytes: u64,
    /// Advised page size. It looks at sizes only, not at offsets.
    pub page_size: u64,
    /// Variables that find no page even so.
    pub still_private: u64,
    /// Smallest documented page size that takes all; null if none does.
    pub enough_page_size: Option<u64>,
    /// For the compiler.
    pub compiler_flag: String,
    /// For the runtime.
    pub runtime_variable: String,
}

/// What one subgraph needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySubgraph {
    /// File of the session, 0-based.
    pub file: usize,
    /// Name.
    pub subgraph: String,
    /// Physical core.
    pub core: u32,
    /// HBM.
    pub hbm: u32,
    /// Bytes of its local slice.
    pub local_bytes: u64,
    /// Bytes that it asks of the shared slice.
    pub shared_bytes: u64,
    /// Virtual variables.
    pub n_virtual: u64,
    /// Sum of their sizes.
    pub virtual_bytes: u64,
    /// Pairs of them that share bytes.
    pub overlaps: u64,
    /// Bytes of inputs and outputs. They count once for all subgraphs of a file.
    pub io_bytes: u64,
    /// Bytes of variables that the file fills.
    pub file_bytes: u64,
    /// Bytes by category. Scratchpad pages count for the first subgraph on their core.
    pub categories: Vec<MemoryCategory>,
}

/// Bytes of one category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryCategory {
    /// Name, in the words of captures.
    pub name: String,
    /// Computed bytes; null for what only the capture has.
    pub bytes: Option<u64>,
    /// Whether the sum exceeds 2^64; 2^64 - 1 stands for it then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exceeds: bool,
    /// Whether the bytes are a lower bound, since something could not be read or the sum exceeds 2^64.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Of the computed bytes.
    pub provenance: Option<Provenance>,
    /// Bytes in the capture; null without one.
    pub measured_bytes: Option<u64>,
}

/// An HBM after loading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryHbm {
    /// Index.
    pub index: u32,
    /// First device address.
    pub base: String,
    /// Bytes that the firmware keeps.
    pub firmware_bytes: u64,
    /// Bytes by category that the subgraphs on it ask for, fit or not.
    pub categories: Vec<MemoryCategory>,
    /// Bytes that were allocated, as the runtime counts them.
    pub used_bytes: u64,
    /// Bytes of rings and request pages at the addresses that code has for them, 4,096 each: a length
    /// that we chose. They are in no category and not free.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub set_up_bytes: u64,
    /// Whether the used bytes are a lower bound, and the free bytes an upper one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Free bytes.
    pub free_bytes: u64,
    /// The largest free range.
    pub largest_free_bytes: u64,
}

/// Where variables are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedVariables {
    /// Variables of all subgraphs that were loaded.
    pub total: u64,
    /// First one of this answer.
    pub from: u64,
    /// These.
    pub rows: Vec<PlacedVariable>,
}

/// Where a variable is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedVariable {
    /// File of the session, 0-based.
    pub file: usize,
    /// Subgraph.
    pub subgraph: String,
    /// Id.
    pub id: u32,
    /// Name. Untrusted.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// `state-buffer own private page at-execute table cell remote not-staged`.
    pub place: String,
    /// What its bytes count as, in the words of captures; absent where it takes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Page of the scratchpad.
    pub page: Option<u64>,
    /// Bytes from the start of the page.
    pub in_page_offset: Option<u64>,
    /// Device address; null where there is none.
    pub address: Option<String>,
    /// Why there is none: `bound-at-execution`, `table-of-the-host`, `cell-not-published`,
    /// `remote-not-placed`, `type-unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of the address.
    pub provenance: Provenance,
}

/// The `scratchpad` document: where a range of a scratchpad is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScratchpadAnswer {
    /// Version of this document.
    pub schema: u32,
    /// `paged` or `contiguous`.
    pub mode: String,
    /// Index of the page; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u64>,
    /// Bytes from its start; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_page_offset: Option<u64>,
    /// `not-found`: the runtime gives the variable memory of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Of the answer.
    pub provenance: Provenance,
    /// What is odd about the page size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Finding>,
}

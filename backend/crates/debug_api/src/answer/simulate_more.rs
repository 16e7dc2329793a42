//! Parts of the `simulate` document: ties, and the fit to a capture.

use super::{PlaceRef, SourceItem};
use serde::{Deserialize, Serialize};

/// A shuffled run beside one in the stated order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TiesInfo {
    /// Whether both ran to an end, so that they can be compared.
    pub compared: bool,
    /// Whether the result depends on what is first at one instant.
    pub depends: bool,
    /// Outcome in the stated order.
    pub stated: String,
    /// Outcome of the shuffled run.
    pub shuffled: String,
    /// What differs, in sentences; the first 16.
    pub differences: Vec<String>,
    /// The two accesses that decide; null if nothing depends on ties.
    pub race: Option<RaceInfo>,
    /// In sentences.
    pub words: Vec<String>,
}

/// Two accesses whose order decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceInfo {
    /// What both touch.
    pub about: String,
    /// The one that is first, or that has its way, in the stated order.
    pub first: AccessInfo,
    /// The other.
    pub second: AccessInfo,
    /// Sentence for a person.
    pub words: String,
}

/// One access.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessInfo {
    /// Who, in words.
    pub who: String,
    /// What it does, in words.
    pub does: String,
    /// When, ps.
    pub time_ps: u64,
    /// Its record with its PC; null for transfers and the host.
    pub place: Option<PlaceRef>,
    /// The source line that the record came from, the nearest that has a file and a line.
    pub source: Option<SourceItem>,
}

/// Costs that were fitted to a capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationInfo {
    /// Name of the capture.
    pub file: String,
    /// Records that costs were fitted to.
    pub samples: u64,
    /// Records with a wait, without a start or an end, or without time of their own.
    pub left_out: u64,
    /// The operation codes that were seen.
    pub opcodes: Vec<FittedInfo>,
    /// What is left, by engine.
    pub engines: Vec<ResidualInfo>,
    /// What there was before, by engine.
    pub before: Vec<ResidualInfo>,
    /// Whole inferences of the cores: measured, and of this run.
    pub runs: Vec<RunErrorInfo>,
    /// The fitted model as a text that `timing` takes.
    pub toml: String,
}

/// Cost of an operation code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostInfo {
    /// Cycles of the sequencer.
    pub issue: u32,
    /// Cycles before the first element.
    pub start: u32,
    /// Thousandths of a cycle for each element of a partition.
    pub element_milli: u32,
}

/// The fit of an operation code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedInfo {
    /// Operation code.
    pub opcode: u8,
    /// Its name; null for an unknown one.
    pub mnemonic: Option<String>,
    /// Records.
    pub samples: u64,
    /// Cost before.
    pub before: CostInfo,
    /// Cost after.
    pub after: CostInfo,
    /// What is left.
    pub error: ResidualInfo,
}

/// What a model leaves of measured times of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResidualInfo {
    /// Engine; empty for all.
    pub engine: String,
    /// Records.
    pub samples: u64,
    /// Sum of what was measured, ns.
    pub measured_ns: u64,
    /// Sum by the model, ns.
    pub modelled_ns: u64,
    /// Mean difference of a record without its sign, ps.
    pub mean_error_ps: u64,
    /// Difference of the sums, percent of what was measured.
    pub error_percent: f64,
}

/// A whole inference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunErrorInfo {
    /// Subgraph.
    pub subgraph: String,
    /// As captured, ns.
    pub measured_ns: u64,
    /// By this run, ns.
    pub modelled_ns: u64,
    /// Difference, percent of what was measured.
    pub error_percent: f64,
}

/// A processor of collectives at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopSpEnd {
    /// 0-based rank.
    pub rank: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Both in words.
    pub core: String,
    /// Number on the chip.
    pub index: u32,
    /// Entries done, over all passes through its table.
    pub done: u64,
    /// Entries of its table.
    pub entries: u64,
    /// `idle running stuck`.
    pub state: String,
    /// What it waits for.
    pub words: String,
}

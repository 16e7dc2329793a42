//! The `log` document: the lines of a runtime log, each with its place in the file.

use super::{ExactIp, Finding, PlaceRef, Provenance, RuntimeReading, SourceItem};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `log` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Name of the file that places are in; null without one.
    pub file: Option<String>,
    /// Lines in the order of the text, unknown ones among them; empty ones are left out.
    pub lines: Vec<LogLine>,
    /// Number of lines by kind.
    pub kinds: BTreeMap<String, u64>,
    /// Bases that fit the pairs of PC and IP in the text, best first for each engine.
    pub solved: Vec<SolvedBase>,
    /// The status codes in the text, explained.
    pub codes: Vec<StatusInfo>,
    /// What was cut, and what could not be looked up.
    pub diagnostics: Vec<Finding>,
}

/// One line. Keys after `answer` are there only where they say something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogLine {
    /// Text without controls; the lines of a wrapped one are joined by line feeds.
    pub text: String,
    /// `engine-pc out-of-bounds feature-mask load-failure missing-notification
    /// error-notification timeout collective memory hardware compile-error capture status device
    /// other`.
    pub kind: String,
    /// Engine that the line names or means.
    pub engine: Option<String>,
    /// Device PC that the line names.
    pub device_pc: Option<String>,
    /// NEFF IP that the line names.
    pub neff_ip: Option<u32>,
    /// Where that is; null without a file or a place.
    pub answer: Option<LogPlace>,
    /// 1-based line of the text.
    pub line: u32,
    /// Observed: the format was seen. Inferred: it is concluded.
    pub format: Provenance,
    /// What such a line says, in our words; empty for `other`.
    pub says: String,
    /// What to look at next, in our words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next: String,
    /// Instruction of the compiler that the line names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// Whether the engine was concluded rather than read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub engine_inferred: bool,
    /// `ERROR`, `WARN` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Module and function of the runtime.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Neuron device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u32>,
    /// NeuronCore of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
    /// Rank of the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Model that the line names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Subgraph that the line names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subgraph: Option<String>,
    /// Status code, see `codes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u32>,
    /// Feature bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<LogFeatures>,
    /// Further values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<LogValue>,
    /// Further points of a line that names several engines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<LogPoint>,
    /// Other places that the line can mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<PlaceRef>,
    /// What the open file says about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A named value of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogValue {
    /// Name.
    pub name: String,
    /// Value as it is written.
    pub value: String,
}

/// A further point of a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPoint {
    /// Engine.
    pub engine: Option<String>,
    /// Device PC.
    pub device_pc: Option<String>,
    /// NEFF IP.
    pub neff_ip: Option<u32>,
    /// Where it is.
    pub answer: Option<LogPlace>,
}

/// Where a line leads. The keys are those of the `pc` and `ip` documents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogPlace {
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Device PC; of the first image slot where only an IP was known.
    pub device_pc: Option<String>,
    /// Device base of the image.
    pub base: String,
    /// Where the base comes from: the line (file), the question (configured), pairs (inferred), or
    /// the default placement (modelled).
    pub base_provenance: Provenance,
    /// Profile name.
    pub profile: String,
    /// PC minus base; null if the PC is outside the image.
    pub image_offset: Option<u64>,
    /// 0-based; null if outside.
    pub image_slot: Option<u64>,
    /// Region name; null if outside.
    pub region: Option<String>,
    /// The exact record of a PC; null outside MAIN and FUNCTION, and for an IP.
    pub exact: Option<ExactIp>,
    /// The shipped runtime's own answer to a PC.
    pub runtime: Option<RuntimeReading>,
    /// Whether both name the same IP, or neither names one; null for an IP.
    pub agrees: Option<bool>,
    /// 1-based NEFF IP of the record; null if there is none.
    pub neff_ip: Option<u32>,
    /// 0-based stream slot of the record.
    pub slot: Option<u32>,
    /// Image slots of an IP, in order.
    pub image_slots: Vec<u64>,
    /// Their device PCs.
    pub device_pcs: Vec<String>,
    /// Whether the record of an IP is in no image slot.
    pub deleted: bool,
    /// The slot's `.asm` form; null if outside.
    pub text: Option<String>,
    /// Debug records, nearest first.
    pub source: Vec<SourceItem>,
    /// The place, for links.
    pub place: Option<PlaceRef>,
    /// Why there is no answer, or what is uncertain; null if nothing is.
    pub reason: Option<String>,
    /// Of the place, the base included where it was needed.
    pub provenance: Provenance,
}

/// Feature bits of a line against the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogFeatures {
    /// Bits that the line names for the NEFF.
    pub named: Option<String>,
    /// Mask of the runtime.
    pub supported: Option<String>,
    /// Names of the named bits outside the mask (of all named ones without a mask).
    pub refused: Vec<String>,
    /// Bits of the open file.
    pub file: Option<String>,
    /// Names of the open file's bits outside the mask.
    pub file_refused: Vec<String>,
}

/// A base that fits pairs of device PC and NEFF IP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SolvedBase {
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Neuron device of the lines.
    pub device: Option<u32>,
    /// NeuronCore of the lines.
    pub core: Option<u32>,
    /// Profile whose preamble fits; null where its length was taken as unknown.
    pub profile: Option<String>,
    /// Device base of the image, a multiple of 0x8000.
    pub base: String,
    /// Slots in front of MAIN.
    pub preamble_slots: u64,
    /// With an unknown preamble length: this many slots more, and a base as many bytes lower, fit
    /// as well; null otherwise.
    pub preamble_step: Option<u64>,
    /// Pairs that were looked at.
    pub pairs: u64,
    /// Pairs that fit.
    pub agreeing: u64,
    /// Lines of the pairs that were looked at, in the order of the text.
    #[serde(default)]
    pub lines: Vec<u32>,
    /// Pairs that do not fit.
    pub disagreeing: Vec<LogPair>,
    /// Whether the places of this answer were computed with it.
    pub in_use: bool,
    /// Inferred, always.
    pub provenance: Provenance,
}

/// A pair of device PC and NEFF IP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogPair {
    /// 1-based line of the text.
    pub line: u32,
    /// Device PC.
    pub device_pc: String,
    /// NEFF IP.
    pub neff_ip: u32,
}

/// A status code of the runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusInfo {
    /// Value.
    pub code: u32,
    /// `NRT_...`; `UNKNOWN` for a value that no runtime names.
    pub name: String,
    /// What it means.
    pub meaning: String,
    /// What to look at next.
    pub advice: String,
    /// Lines that have it.
    pub lines: u64,
    /// Of number and name.
    pub provenance: Provenance,
}

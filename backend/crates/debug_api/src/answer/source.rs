//! The `source` document: the tree of debug records around one record of an engine.

use super::Provenance;
use serde::{Deserialize, Serialize};

/// The `source` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// The NEFF IP that the tree is opened at.
    pub neff_ip: Option<u32>,
    /// Pre-order rows of the tree.
    pub nodes: Vec<SourceNode>,
    /// Nodes left out by the limit.
    pub left_out: u64,
    /// Slots of the engine, and how many of them lead to each layer.
    pub slots: u64,
    /// Slots with a compiler (BIR) record.
    pub bir: u64,
    /// Slots with a tensor operation.
    pub penguin: u64,
    /// Slots with a source line.
    pub line: u64,
    /// Text around the source lines of the selected record, from files of the session.
    #[serde(default)]
    pub texts: Vec<SourceText>,
    /// What is missing and what to do, most useful first.
    pub missing: Vec<MissingSource>,
    /// Of the links between layers.
    pub provenance: Provenance,
}

/// One row of the source tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceNode {
    /// 0 at the top.
    pub depth: u8,
    /// `line pttf hlo penguin backend asm`.
    pub layer: String,
    /// Layer as shown at the right: `Python HLO Penguin BIR asm`.
    pub layer_name: String,
    /// Text of the row.
    pub text: String,
    /// Last path component of the source file.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u64>,
    /// Group id as in the `bir`, `pen` or `line` column of the code rows, for hover links.
    pub group: Option<u32>,
    /// Link hue 1 to 8, or 0.
    pub hue: u8,
    /// Runs of NEFF IPs of this engine, inclusive.
    pub ips: Vec<[u32; 2]>,
    /// Slots on the other engines: (engine, first NEFF IP, slots).
    pub elsewhere: Vec<(String, u32, u64)>,
    /// Whether the selected record is under this node.
    pub selected: bool,
    /// Whether children are shown under it.
    pub open: bool,
    /// Whether it has children.
    pub children: bool,
    /// Where the record is: member and byte offset.
    pub member: Option<String>,
    /// Byte offset in the member.
    pub offset: Option<u64>,
}

/// A part of a source file that the session holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceText {
    /// Name of the file.
    pub file: String,
    /// Line of the selected record, 1-based.
    pub line: u64,
    /// Lines of the file; fewer than `line` if it is not the file that was compiled.
    pub total: u64,
    /// Number of the first line of `lines`, 1-based.
    pub first: u64,
    /// Lines.
    pub lines: Vec<SourceTextLine>,
    /// `file`: the text is as the file has it. That it is the text that was compiled is not known.
    pub provenance: Provenance,
}

/// A line of source text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTextLine {
    /// The text without its end, at most 400 characters.
    pub text: String,
    /// Runs of NEFF IPs of this engine that come from it, inclusive; the first eight.
    pub ips: Vec<[u32; 2]>,
}

/// Something that the file does not carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingSource {
    /// What is missing, a bold sentence.
    pub what: String,
    /// Why, and what a user has to do to get it.
    pub how: String,
    /// A flag or setting to copy; null if there is none.
    pub flag: Option<String>,
    /// Name of a file that a user can add to the session; null if that does not help.
    #[serde(default)]
    pub add: Option<String>,
}

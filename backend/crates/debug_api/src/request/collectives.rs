//! Questions about collectives.

use super::Scope;
use serde::{Deserialize, Serialize};

/// The collectives of a program and their tables; with several executables, those of each rank
/// compared. Executables are ranks in the order of the session unless `f` picks one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CollectivesRequest {
    /// File, subgraph, core.
    #[serde(flatten)]
    pub scope: Scope,
    /// Rank that runs the one file; not known if absent. With several executables, the rank whose plan
    /// is given; the first one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Ranks of the job, where the file does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub world: Option<u32>,
    /// Ranks of a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks_per_node: Option<u32>,
    /// Channels of an operation; one for each TOP_SP if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u32>,
    /// Algorithm of all collectives; a modelled choice if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// `sunda cayman mariana`; that of the file if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// First 0-based collective of the answer.
    pub from: u32,
    /// Number of them, at most 4,096; 256 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

impl CollectivesRequest {
    /// Keys of the JSON form besides the scope's.
    pub(super) const KEYS: &'static [&'static str] = &[
        "rank",
        "world",
        "ranks_per_node",
        "channels",
        "algorithm",
        "generation",
        "from",
        "count",
    ];
}

/// The program of an algorithm for so many ranks. About no file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleRequest {
    /// Name, `ring hierarchical mesh kangaring ...`.
    pub algorithm: String,
    /// Ranks, 2 to 128.
    pub ranks: u32,
    /// `all-reduce all-gather reduce-scatter all-to-all permute`; all-reduce if absent, or the one that it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Ranks of a node, chip or rack, where the algorithm has such groups; a default if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locals: Option<u32>,
    /// Whether groups are joined by switches, where the algorithm has a form for that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub switched: bool,
    /// Algorithm of the hierarchical one's leg inside a node, `intra-rdh mesh kangaring ring`; ring
    /// if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intra: Option<String>,
    /// Of its leg between nodes, `mesh inter-rdh ring single-cycle-ring`; ring if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inter: Option<String>,
    /// First 0-based step of the answer.
    #[serde(default)]
    pub from: u32,
    /// Number of steps, at most 4,096; as many as fit the answer if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
}

impl ScheduleRequest {
    /// Keys of the JSON form.
    pub(super) const KEYS: &'static [&'static str] = &[
        "algorithm",
        "ranks",
        "operation",
        "locals",
        "switched",
        "intra",
        "inter",
        "from",
        "count",
    ];
}

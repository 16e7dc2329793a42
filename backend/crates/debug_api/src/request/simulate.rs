//! The question of a run.

use super::Scope;
use serde::{Deserialize, Serialize};

/// Runs the program on modelled engines, rings and host. Without a subgraph all of them run
/// together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SimulateRequest {
    /// File, subgraph, profile, core, capture.
    #[serde(flatten)]
    pub scope: Scope,
    /// Ranks that run together, 1 to 64. One executable runs on all of them; several in the session
    /// are ranks in their order, and then there are as many. Absent: the file of the scope alone, and
    /// other ranks of its collectives are taken to be in step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranks: Option<u32>,
    /// Inferences, 1 to 1,000,000; 1 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inferences: Option<u32>,
    /// Shuffles what happens at the same instant; the stated order if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Scheduler steps, at most 1,000,000,000; 50,000,000 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_events: Option<u64>,
    /// `main-end`: each engine stops at the end of its MAIN.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Text of a timing model; the built-in one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<String>,
    /// Capture of the session, by index, that the costs of the operation codes are fitted to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrate: Option<usize>,
    /// Rings that do not move: `QUEUE:RING`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stall: Vec<String>,
    /// Posts that are lost: `semaphore:ID[:NTH]` or `event:ID[:NTH]`, with `SUBGRAPH:` before it for
    /// one subgraph only, and `rankN/` before that for one rank; `rankN:link[:NTH]` for a post of the
    /// rank's TOP_SPs to another rank.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    /// Cores that start late: `SUBGRAPH:NS`, `rankN:NS` or `rankN/SUBGRAPH:NS`, at most 1,000,000,000
    /// ns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delay: Vec<String>,
}

impl SimulateRequest {
    /// Keys of the JSON form besides the scope's.
    pub(super) const KEYS: &'static [&'static str] = &[
        "ranks",
        "inferences",
        "seed",
        "max_events",
        "until",
        "timing",
        "calibrate",
        "stall",
        "drop",
        "delay",
    ];
}

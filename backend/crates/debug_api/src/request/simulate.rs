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
    /// Rings that do not move: `QUEUE:RING`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stall: Vec<String>,
    /// Posts that are lost: `semaphore:ID[:NTH]` or `event:ID[:NTH]`, with `SUBGRAPH:` before it for
    /// one subgraph only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    /// Cores that start late: `SUBGRAPH:NS`, at most 1,000,000,000 ns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub delay: Vec<String>,
}

impl SimulateRequest {
    /// Keys of the JSON form besides the scope's.
    pub(super) const KEYS: &'static [&'static str] =
        &["inferences", "seed", "max_events", "until", "timing", "stall", "drop", "delay"];
}

//! Questions about what happened when.

use super::read::check_run;
use super::{Scope, SimulateRequest};
use crate::error::ApiError;
use serde::{Deserialize, Serialize};

/// The rows of a timeline with sums over a range of time: of the whole trace if none is given.
/// Times are picoseconds since the first event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineRequest {
    /// Subgraph, capture.
    #[serde(flatten)]
    pub scope: Scope,
    /// What happens in a run of the simulator with these choices, instead of what was captured. Its
    /// scope is that of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<SimulateRequest>>,
    /// First picosecond of the range; 0 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_ps: Option<u64>,
    /// First picosecond after it; the end of the trace if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_ps: Option<u64>,
}

impl TimelineRequest {
    /// Keys of the JSON form besides the scope's.
    pub(super) const KEYS: &'static [&'static str] = &["run", "from_ps", "to_ps"];
}

/// Single events: of one row or of all, of one slot, in a range, before a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineEventsRequest {
    /// Subgraph, capture.
    #[serde(flatten)]
    pub scope: Scope,
    /// What happens in a run of the simulator with these choices, instead of what was captured. Its
    /// scope is that of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<SimulateRequest>>,
    /// Name of a row, `PE` or `sem[10]`; all if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<String>,
    /// Number of a track; all of the row if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lane: Option<u32>,
    /// Events that start at this picosecond or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_ps: Option<u64>,
    /// Events that start before this picosecond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_ps: Option<u64>,
    /// Only executions of this image slot; the row is an engine then, PE if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u32>,
    /// Only events whose name has this text, in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub find: Option<String>,
    /// First 0-based event of the answer, by row, ring and start.
    pub from: u64,
    /// Number of events, at most 4,096; 256 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Take the last events instead of the first: with `to_ps` and a counter, who wrote it last.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// With each event what it depends on and what depends on it, for at most 16 events.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub links: bool,
}

impl TimelineEventsRequest {
    /// Keys of the JSON form besides the scope's.
    pub(super) const KEYS: &'static [&'static str] = &[
        "run", "row", "lane", "from_ps", "to_ps", "slot", "find", "from", "count", "last", "links",
    ];
}

/// What everything was doing at a time: the record of each engine, semaphores, queues, processors of
/// collectives.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TimelineStateRequest {
    /// Subgraph, capture.
    #[serde(flatten)]
    pub scope: Scope,
    /// What happens in a run of the simulator with these choices, instead of what was captured. Its
    /// scope is that of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<SimulateRequest>>,
    /// The time, in picoseconds since the first event; one behind the end is the end.
    pub at_ps: u64,
}

impl TimelineStateRequest {
    /// Keys of the JSON form besides the scope's.
    pub(super) const KEYS: &'static [&'static str] = &["run", "at_ps"];
}

/// A timeline in the form of another tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExportRequest {
    /// Subgraph, capture.
    #[serde(flatten)]
    pub scope: Scope,
    /// What happens in a run of the simulator with these choices, instead of what was captured. Its
    /// scope is that of the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<SimulateRequest>>,
    /// `perfetto trace-json csv`.
    pub format: String,
    /// Address of the session's views, `https://host/f/ID`: events then link to their slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl ExportRequest {
    /// Reads a request; what it does not say stays at its default.
    ///
    /// # Errors
    /// `request.invalid`: no JSON, or a value of the wrong type.
    pub fn from_json(text: &str) -> Result<Self, ApiError> {
        // As with questions, by way of a tree.
        let no_export = |error: serde_json::Error| {
            ApiError::bad_request(format!("this is no export ({error})"))
        };
        let tree: serde_json::Value = serde_json::from_str(text).map_err(no_export)?;
        let request = Self::deserialize(&tree).map_err(no_export)?;
        check_run(&tree)?;
        Ok(request)
    }
}

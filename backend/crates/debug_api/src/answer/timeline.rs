//! The `timeline` and `timeline-events` documents: rows of a trace with sums, and single events.

use super::{FileInfo, Finding, PlaceRef, Provenance};
use serde::{Deserialize, Serialize};

/// The `timeline` document. Times are picoseconds since the first event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Where the events come from: the capture, or the executable that ran in the simulator.
    pub file: FileInfo,
    /// Subgraph.
    pub subgraph: String,
    /// Subgraphs that have a timeline, in order.
    pub subgraphs: Vec<String>,
    /// Picoseconds from the first event to the last end.
    pub end_ps: u64,
    /// Aligned time of the first event on the device's clock, in picoseconds, decimal.
    pub origin_ps: String,
    /// Events of all rows.
    pub events: u64,
    /// Records of the capture's core.
    pub records: u64,
    /// Records that became events, or parts of them.
    pub records_used: u64,
    /// Time of the execution that the capture itself states, in picoseconds.
    pub execution_ps: Option<u64>,
    /// First picosecond of the range that sums are over.
    pub from_ps: u64,
    /// First picosecond after it.
    pub to_ps: u64,
    /// Rows in the order of the screen.
    pub rows: Vec<TimelineRow>,
    /// Where the events come from.
    pub provenance: Provenance,
    /// How the run ended that the events are of: `finished deadlock fault budget`; absent for a
    /// capture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What is odd.
    pub diagnostics: Vec<Finding>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineRow {
    /// Name; unique in a timeline.
    pub name: String,
    /// `engines queues top-sps semaphores events notifications`.
    pub group: String,
    /// What it is in words; empty if nothing more is known.
    pub label: String,
    /// Where the words come from.
    pub label_provenance: Provenance,
    /// Tracks: 1, or one for each ring of a queue that has events.
    pub lanes: u32,
    /// Number of its first track.
    pub first_lane: u32,
    /// Events of the whole trace.
    pub events: u64,
    /// Largest value of a counter in the whole trace; else 0.
    pub peak: u64,
    /// Femtoseconds of one cycle of its clock; absent where none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_fs: Option<u64>,
    /// Events that start in the range.
    pub range_events: u64,
    /// Picoseconds of the range with an event; the sum over its tracks.
    pub busy_ps: u64,
    /// Picoseconds of the range in which an event without an end was open.
    pub open_ps: u64,
    /// Longest event that starts in the range; of a counter the largest value.
    pub largest: u64,
}

/// The `timeline-events` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEventsAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// 0-based first event of the answer.
    pub from: u64,
    /// Events that fit the question.
    pub total: u64,
    /// The events, by row, ring and start.
    pub events: Vec<TimelineEvent>,
    /// Where they come from.
    pub provenance: Provenance,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEvent {
    /// Row.
    pub row: String,
    /// Number of its track.
    pub lane: u32,
    /// 0-based event of the track.
    pub index: u32,
    /// Start in picoseconds.
    pub start_ps: u64,
    /// Length in picoseconds; of a counter until its next change.
    pub len_ps: u64,
    /// What it is: the mnemonic, `write`, `increment`.
    pub name: String,
    /// More in words; may be empty.
    pub text: String,
    /// Where it is in the program; absent for what belongs to no slot of the image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRef>,
    /// Cycles spent in the wait before it, modulo 65,536; 1 is no wait. Of engines only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_cycles: Option<u32>,
    /// Bytes written, of queues; value from here on, of counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    /// `no-end no-start after-loss`.
    pub flags: Vec<String>,
    /// What it depends on and what depends on it; absent unless asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<TimelineLinks>,
}

/// What an event depends on and what depends on it, one step: a record on the change that its wait
/// needed, a change on the record or the block that made it. At most 200 each way, by start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineLinks {
    /// What it depends on.
    pub before: Vec<TimelineLink>,
    /// What depends on it.
    pub after: Vec<TimelineLink>,
    /// That the times say which change it was.
    pub provenance: Provenance,
}

/// An event that another one depends on, or that depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineLink {
    /// Row.
    pub row: String,
    /// Number of its track.
    pub lane: u32,
    /// 0-based event of the track.
    pub index: u32,
    /// Start in picoseconds.
    pub start_ps: u64,
    /// Length in picoseconds.
    pub len_ps: u64,
    /// What it is.
    pub name: String,
}

//! The `timeline-state` document: what everything was doing at one time.

use super::{PlaceRef, Provenance};
use serde::{Deserialize, Serialize};

/// The `timeline-state` document. Times are picoseconds since the first event of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineStateAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// The time, at most `end_ps`.
    pub at_ps: u64,
    /// Picoseconds from the first event to the last end.
    pub end_ps: u64,
    /// The last time before it at which an event starts; absent before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_ps: Option<u64>,
    /// The first time after it at which an event starts; absent behind the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_ps: Option<u64>,
    /// Engines, by their codes.
    pub engines: Vec<EngineMoment>,
    /// Queues that have events.
    pub queues: Vec<QueueMoment>,
    /// Processors of collectives that have events.
    pub top_sps: Vec<TopSpMoment>,
    /// Semaphores that were changed up to then, ascending.
    pub semaphores: Vec<CounterMoment>,
    /// Events that were set or cleared up to then, ascending.
    pub events: Vec<CounterMoment>,
    /// Where the events come from that it is read from.
    pub provenance: Provenance,
}

/// An engine at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineMoment {
    /// Engine.
    pub engine: String,
    /// `running` a record, `waiting` for what the next record waits for, `between` two records, `ended`:
    /// no later record ran, `stuck`: the run ended in this wait, `none`: nothing ran on it.
    pub state: String,
    /// The record that runs, is waited at, comes next, or ran last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRef>,
    /// Its mnemonic; empty where none is known.
    pub name: String,
    /// Its waits and updates in words; may be empty.
    pub text: String,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ps: Option<u64>,
    /// Until when; absent where it does not end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ps: Option<u64>,
    /// Records that started up to then.
    pub started: u64,
    /// Records of the whole timeline.
    pub total: u64,
}

/// A queue at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueMoment {
    /// Row.
    pub row: String,
    /// Blocks, or packets of rings, that started up to then.
    pub started: u64,
    /// Of the whole timeline.
    pub total: u64,
    /// Under way, at most as many as are told of.
    pub under_way: u64,
    /// Numbers of the blocks under way, at most 16; empty for packets.
    pub blocks: Vec<u32>,
}

/// A processor of collectives at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopSpMoment {
    /// Row.
    pub row: String,
    /// Number of it; absent for collectives without a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Collectives that it started up to then.
    pub started: u64,
    /// The collective under way; absent between two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective: Option<u32>,
    /// The step of it that moves chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

/// An event or semaphore at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterMoment {
    /// Id.
    pub id: u8,
    /// Row, `sem[10]`.
    pub row: String,
    /// What it is in words; empty if nothing more is known.
    pub label: String,
    /// Value.
    pub value: u32,
    /// When it was changed last.
    pub since_ps: u64,
    /// Who changed it last: an engine, or empty for DMA and the host.
    pub by: String,
}

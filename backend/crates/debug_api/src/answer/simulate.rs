//! The `simulate` document.

use super::{CalibrationInfo, Finding, PlaceRef, Provenance, Sync, TiesInfo, TopSpEnd};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `simulate` document: how a run ended, and what explains it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimulateAnswer {
    /// Version of this document.
    pub schema: u32,
    /// `finished`, `deadlock`, `fault` or `budget`.
    pub outcome: String,
    /// The outcome in sentences, the cause first.
    pub words: Vec<String>,
    /// Weakest provenance of what the run is made of: a run is a model.
    pub provenance: Provenance,
    /// Time of the last thing that happened, ns.
    pub time_ns: u64,
    /// Scheduler steps.
    pub events: u64,
    /// Device slots completed on all engines.
    pub instructions: u64,
    /// Inferences that were asked for.
    pub inferences: u32,
    /// Seed of the order at one instant; null for the stated order.
    pub seed: Option<u64>,
    /// `main-end` where engines stop at the end of MAIN; null otherwise.
    pub until: Option<String>,
    /// The timing model.
    pub timing: TimingInfo,
    /// Semaphores that were ever changed, with their values at the end: by id for one subgraph, by
    /// subgraph and id for all; with several ranks the names are `rank0/sg00`.
    pub semaphores: Semaphores,
    /// Engines that stand still.
    pub stuck: Vec<StuckInfo>,
    /// Why; null unless the outcome is a deadlock.
    pub cause: Option<CauseInfo>,
    /// Who waits for whom.
    pub wait_graph: WaitGraph,
    /// The record that cannot run; null unless the outcome is a fault.
    pub fault: Option<FaultInfo>,
    /// How far everything is.
    pub cores: Vec<CoreEnd>,
    /// The processors of collectives, where a program has any.
    pub top_sps: Vec<TopSpEnd>,
    /// What happened, in numbers.
    pub trace: TraceInfo,
    /// With a seed: whether the result depends on the order at one instant; else null.
    pub ties: Option<TiesInfo>,
    /// With a capture to fit costs to: the fit; else null.
    pub calibration: Option<CalibrationInfo>,
    /// Records of MAIN whose order was looked at before the run, and all.
    pub ordered: [u64; 2],
    /// Findings.
    pub diagnostics: Vec<Finding>,
}

/// A timing model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimingInfo {
    /// Name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Modelled, or configured for a user's own.
    pub provenance: Provenance,
    /// Clock period of each engine in femtoseconds, `PE ACT POOL DVE SP DMA`.
    pub clock_fs: BTreeMap<String, u64>,
    /// Where the built-in clock periods come from; configured for a user's own.
    pub clock_provenance: Provenance,
}

/// Semaphores of one subgraph, or of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Semaphores {
    /// By id.
    One(BTreeMap<String, i32>),
    /// By subgraph, then by id.
    All(BTreeMap<String, BTreeMap<String, i32>>),
}

/// An engine that stands still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StuckInfo {
    /// Subgraph.
    pub subgraph: String,
    /// 0-based rank.
    pub rank: u32,
    /// Engine.
    pub engine: String,
    /// 0-based image slot.
    pub slot: u32,
    /// The first wait that does not hold; null for an engine that stopped at a HALT.
    pub wait: Option<Sync>,
    /// State of its semaphore, or 0 and 1 for an event; null without a wait.
    pub value: Option<i32>,
    /// What the wait needs; null for events.
    pub needs: Option<i32>,
    /// Why it does not hold, a word.
    pub reason: String,
    /// Who could make it hold, and why they do not.
    pub waits_for: Vec<PosterInfo>,
    /// The second wait of the record, if that does not hold either.
    pub also: Option<Box<AlsoWaits>>,
    /// The sentence for a person.
    pub words: String,
    /// Its place.
    pub place: PlaceRef,
}

/// The second wait of a stuck record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoWaits {
    /// The wait.
    pub wait: Sync,
    /// State of its semaphore or event.
    pub value: i32,
    /// What the wait needs; null for events.
    pub needs: Option<i32>,
    /// Why it does not hold, a word.
    pub reason: String,
    /// Who could make it hold.
    pub waits_for: Vec<PosterInfo>,
}

/// Somebody who could post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PosterInfo {
    /// `record`, `transfer` or `collective`.
    pub who: String,
    /// `behind halted done stalled side-missing no-trigger rank-missing link-dropped in-collective`.
    pub why: String,
    /// Posts that are left.
    pub count: u64,
    /// What they add together; null where they do not just add.
    pub adds: Option<u64>,
    /// The record that posts, or triggers the transfer.
    pub place: Option<PlaceRef>,
    /// Queue of a transfer.
    pub queue: Option<String>,
    /// Block of a transfer.
    pub block: Option<u32>,
    /// Sentence for a person.
    pub words: String,
}

/// Why a run stands still.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseInfo {
    /// The reason, a word.
    pub kind: String,
    /// The engines that it is about, as indexes into `stuck`: the circle in order, or one.
    pub stuck: Vec<usize>,
    /// The semaphore or event, in words.
    pub about: String,
}

/// Who waits for whom.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitGraph {
    /// Nodes; the stuck engines come first, in the order of `stuck`.
    pub nodes: Vec<GraphNode>,
    /// Edges.
    pub edges: Vec<GraphEdge>,
}

/// A node of the wait graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphNode {
    /// `engine transfer top-sp host nobody`.
    pub kind: String,
    /// Short text.
    pub label: String,
    /// Whether it stands still itself.
    pub is_stuck: bool,
    /// Slot of an engine.
    pub place: Option<PlaceRef>,
}

/// An edge of the wait graph: `from` waits for `to`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Index of a node.
    pub from: usize,
    /// Index of a node.
    pub to: usize,
    /// What is waited for, `semaphore 5 >= 3`.
    pub label: String,
    /// Whether it is part of the circle.
    pub in_cycle: bool,
    /// The record that would post or trigger.
    pub place: Option<PlaceRef>,
}

/// A record that cannot run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultInfo {
    /// What is wrong, a word.
    pub kind: String,
    /// Sentence for a person.
    pub words: String,
    /// Where.
    pub place: PlaceRef,
}

/// A core at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreEnd {
    /// Subgraph.
    pub subgraph: String,
    /// 0-based rank.
    pub rank: u32,
    /// Physical core.
    pub core: u32,
    /// Whether the peer core runs too; else its arrival at barriers is modelled.
    pub has_peer: bool,
    /// Engines.
    pub engines: Vec<EngineEndInfo>,
    /// Queues.
    pub queues: Vec<QueueEndInfo>,
    /// Events that are set.
    pub events_set: Vec<u8>,
    /// Inferences, by the notifications of the engines; the first 1,000.
    pub inferences: Vec<InferenceInfo>,
    /// How many there are.
    pub n_inferences: u64,
}

/// An engine at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineEndInfo {
    /// Engine.
    pub engine: String,
    /// `running waiting halted done`; `done` also at the gate of the next inference.
    pub state: String,
    /// Slots completed.
    pub instructions: u64,
    /// Time of its records, ns.
    pub busy_ns: u64,
    /// Time in waits that ended, ns.
    pub waited_ns: u64,
    /// Since when it waits, ns; null if it does not.
    pub since_ns: Option<u64>,
    /// Where it is.
    pub place: PlaceRef,
}

/// A queue at the end of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueEndInfo {
    /// Name.
    pub name: String,
    /// Number.
    pub number: u8,
    /// Rings that take part, numbered from 0.
    pub rings: u8,
    /// Blocks that the slowest ring has begun since the last reset.
    pub moved: u32,
    /// Blocks that were moved in the whole run; of a dynamic queue its transfers.
    pub moved_in_all: u64,
    /// All blocks.
    pub blocks: u32,
    /// Transfers under way.
    pub in_flight: u32,
}

impl QueueEndInfo {
    /// `2 moved, 1 of 1 begun since reset, 1 under way`; `4 transfers` of a queue without blocks.
    pub fn words(&self) -> String {
        let n = self.moved_in_all;
        if self.blocks == 0 {
            return format!("{n} transfer{}", if n == 1 { "" } else { "s" });
        }
        let begun = format!("{n} moved, {} of {} begun since reset", self.moved, self.blocks);
        match self.in_flight {
            0 => begun,
            some => format!("{begun}, {some} under way"),
        }
    }
}

/// An inference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferenceInfo {
    /// First notification that it started, ns.
    pub start_ns: Option<u64>,
    /// Last notification that it is done, ns.
    pub end_ns: Option<u64>,
}

/// What happened, in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceInfo {
    /// The same run has the same hash, 16 hex digits.
    pub hash: String,
    /// Events.
    pub events: u64,
    /// Events by kind.
    pub kinds: BTreeMap<String, u64>,
}

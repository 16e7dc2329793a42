//! The `collectives` and `schedule` documents.

use super::{BarrierInfo, Finding, Provenance};
use serde::{Deserialize, Serialize};

/// The `collectives` document: what a program's collectives ask of the ranks and of the TOP_SPs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectivesAnswer {
    /// Version of this document.
    pub schema: u32,
    /// File of the session whose plan this is, 0-based: that of the asked rank, else the first.
    pub file: usize,
    /// Its subgraph.
    pub subgraph: String,
    /// Generation of the chip.
    pub generation: String,
    /// Physical core.
    pub core: u32,
    /// Of the core.
    pub core_provenance: Provenance,
    /// Rank; null if nobody says it.
    pub rank: Option<u32>,
    /// Ranks of the job; null if nobody says it.
    pub world: Option<u32>,
    /// Of the ranks of the job; null without one.
    pub world_provenance: Option<Provenance>,
    /// Ranks of a node.
    pub ranks_per_node: u32,
    /// Of the ranks of a node.
    pub ranks_per_node_provenance: Provenance,
    /// Streams of the program.
    pub streams: u64,
    /// Of the streams.
    pub streams_provenance: Provenance,
    /// Channels of an operation.
    pub channels: u32,
    /// Of the channels.
    pub channels_provenance: Provenance,
    /// Replica groups of the definition.
    pub groups: Vec<ReplicaGroups>,
    /// Tables of (source, target) pairs.
    pub pairs: Vec<Vec<(u64, u64)>>,
    /// Collectives of the program.
    pub n_triggers: u64,
    /// First one of this answer.
    pub from: u64,
    /// These.
    pub triggers: Vec<CollectiveTrigger>,
    /// TOP_SPs of the core, with the entries of the collectives above.
    pub top_sps: Vec<TopSpTable>,
    /// What comes before the first operation; null for a program without collectives.
    #[serde(default)]
    pub barrier: Option<BarrierInfo>,
    /// Steps by which the clocks of engines and TOP_SPs are aligned.
    pub tsync: Vec<TsyncStep>,
    /// All ranks of the session, if there are several.
    pub ranks: Vec<CollectiveRank>,
    /// Where ranks differ first; null if they do not, or there is one.
    pub difference: Option<RankDifference>,
    /// The collectives that all ranks must agree on, side by side; empty for one rank.
    pub comparison: Vec<ComparedCollective>,
    /// What is odd.
    pub diagnostics: Vec<Finding>,
}

/// A set of replica groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplicaGroups {
    /// Index that records name.
    pub index: u64,
    /// Ranks of each group; the first 64 groups of 512 ranks.
    pub groups: Vec<Vec<u32>>,
    /// How many groups there are.
    pub n_groups: u64,
    /// In words, `(0,1),(2,3)`.
    pub text: String,
}

/// A place in a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TriggerPlace {
    /// Index of the trigger.
    pub index: u64,
    /// Engine.
    pub engine: String,
    /// 0-based slot of its stream.
    pub slot: u32,
    /// 1-based NEFF IP.
    pub neff_ip: u32,
}

/// A record that starts a collective, and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveTrigger {
    /// Where it is.
    #[serde(flatten)]
    pub place: TriggerPlace,
    /// Operation code.
    pub opcode: u8,
    /// Name of the record.
    pub mnemonic: Option<String>,
    /// `all-reduce all-gather reduce-scatter send receive unknown`.
    pub operation: String,
    /// Of the operation.
    pub operation_provenance: Provenance,
    /// Number of the kind; null for a record without one.
    pub kind: Option<u8>,
    /// `ADD MAX ...`; null for a record without one.
    pub reduction: Option<String>,
    /// Element type; null for a record without one.
    pub dtype: Option<String>,
    /// Elements as the record counts them.
    pub elements: Option<u64>,
    /// Bytes of these.
    pub bytes: Option<u64>,
    /// Index of the replica groups.
    pub group: Option<u32>,
    /// Of the index.
    pub group_provenance: Provenance,
    /// Ranks of the group that the rank is in, else of the first; the first 512.
    pub ranks: Vec<u32>,
    /// How many ranks take part; null if that is not known.
    pub n_ranks: Option<u32>,
    /// Read.
    pub inputs: Vec<CollectiveOperand>,
    /// Written.
    pub outputs: Vec<CollectiveOperand>,
    /// Rank of the other side of a send or receive.
    pub peer: Option<u64>,
    /// Place in a chain, `none initial body final`, or the number.
    pub chaining: Option<String>,
    /// Stream that the record names.
    pub stream: Option<u16>,
    /// Algorithm; null for none.
    pub algorithm: Option<String>,
    /// Its number.
    pub algorithm_number: Option<u8>,
    /// Of the algorithm.
    pub algorithm_provenance: Provenance,
    /// Why this one, or why none.
    pub why: String,
    /// Steps of its schedule.
    pub steps: Option<u64>,
    /// Ranks of a node in its schedule; null where the schedule takes its own default.
    pub locals: Option<u32>,
    /// Entries that it stages, one for each TOP_SP.
    pub entries: Vec<EntryRef>,
}

/// An entry of a control table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryRef {
    /// TOP_SP.
    pub top_sp: u32,
    /// Index in its table.
    pub index: u64,
    /// Byte offset in its table.
    pub offset: u64,
}

/// A variable that a collective names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveOperand {
    /// Id.
    pub id: u32,
    /// Name; null if there is no such variable. Untrusted.
    pub name: Option<String>,
    /// First byte in it.
    pub offset: u64,
    /// Bytes that are moved; null where that is not known.
    pub bytes: Option<u64>,
    /// Bytes of the variable.
    pub variable_bytes: Option<u64>,
}

/// A TOP_SP with its tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopSpTable {
    /// Number on the chip.
    pub index: u32,
    /// Of the number.
    pub index_provenance: Provenance,
    /// Whether it leads the stream.
    pub leader: bool,
    /// Of `leader`, which is our choice.
    pub leader_provenance: Provenance,
    /// Entries of its control table (`op_num`).
    pub n_entries: u64,
    /// Room of the control table.
    pub control_room: TableRoom,
    /// Entries on its slot tape, in our model.
    pub tape: u64,
    /// Room of the tape.
    pub tape_room: TableRoom,
    /// The entries of the collectives in this answer.
    pub entries: Vec<PlannedEntry>,
    /// Semaphores of the configuration.
    pub surface: Vec<SurfaceInfo>,
    /// Semaphores with a fixed use at barriers.
    #[serde(default)]
    pub reserved: Vec<SurfaceInfo>,
    /// Doorbells.
    pub doorbells: Vec<DoorbellInfo>,
}

/// Room of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRoom {
    /// Bytes; null if they are not known for the generation.
    pub bytes: Option<u64>,
    /// Entries.
    pub entries: Option<u64>,
    /// Of both.
    pub provenance: Provenance,
}

/// A control entry as it is planned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedEntry {
    /// Index in the table.
    pub index: u64,
    /// Byte offset in the table.
    pub offset: u64,
    /// Record that it is for.
    pub trigger: TriggerPlace,
    /// The 8 bytes in memory order, 16 hex digits; bits that are not known are 0.
    pub raw: String,
    /// The bits of the word that are known.
    pub known: String,
    /// Only the enable bit: the TOP_SP takes no part.
    pub nop: bool,
    /// Number of the algorithm; null for a NOP and where none is known.
    pub algo_type: Option<u8>,
    /// Its name.
    pub algorithm: Option<String>,
    /// Number of its variant; for meshes 0 full, 1 grouped, 2 over nodes.
    pub algo_sub_type: Option<u8>,
    /// Flag.
    pub trigger_next: bool,
    /// Flag.
    pub reporter: bool,
    /// Flag.
    pub ring_wait_complete: bool,
    /// Flag.
    pub ring_send_complete: bool,
    /// One bit for each channel; null for a mesh, whose shift and mask are not published.
    pub channel_list: Option<String>,
    /// Entries on the slot tape.
    pub tape: u64,
    /// Of all of it.
    pub provenance: Provenance,
}

/// A semaphore of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SurfaceInfo {
    /// `trigger trigger_next complete complete_prev tpb_stop_sema`; `barrier_0 barrier_1
    /// barrier_dma_sync function_switch host_barrier_0 host_barrier_1` of those at barriers.
    pub name: String,
    /// TOP_SP that has it; null for none.
    pub top_sp: Option<u32>,
    /// Number; null where it is not known.
    pub semaphore: Option<u32>,
    /// Address at which it is read, which the configuration holds.
    pub address: Option<String>,
    /// Address to which posts go.
    pub increment_address: Option<String>,
    /// Of all of it.
    pub provenance: Provenance,
}

/// A doorbell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoorbellInfo {
    /// `init tsync host_trigger stop basic_block_switch`.
    pub name: String,
    /// Address.
    pub address: String,
    /// Of the address.
    pub provenance: Provenance,
}

/// A step of clock alignment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TsyncStep {
    /// `host engines firmware`.
    pub who: String,
    /// What is done.
    pub what: String,
    /// Of the step.
    pub provenance: Provenance,
}

/// A rank of the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectiveRank {
    /// Number.
    pub rank: u32,
    /// File of the session, 0-based.
    pub file: usize,
    /// Its name.
    pub name: String,
    /// Subgraph.
    pub subgraph: String,
    /// Collectives, sends and receives included.
    pub n_triggers: u64,
}

/// Where ranks differ first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankDifference {
    /// 0-based place among the collectives without sends and receives.
    pub index: u64,
    /// `count operation kind reduction dtype elements group ranks`.
    pub field: String,
    /// In words.
    pub message: String,
    /// What each rank has there.
    pub values: Vec<RankValue>,
}

/// What a rank has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankValue {
    /// Rank.
    pub rank: u32,
    /// Value.
    pub value: String,
    /// Its record; null where it has none there.
    pub place: Option<TriggerPlace>,
}

/// A collective as all ranks have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedCollective {
    /// 0-based place among the collectives without sends and receives.
    pub index: u64,
    /// The ranks in their order.
    pub ranks: Vec<ComparedRank>,
}

/// A collective of one rank beside that of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedRank {
    /// Rank.
    pub rank: u32,
    /// Its record; null where it has none there.
    pub place: Option<TriggerPlace>,
    /// What is not as on the first rank; all that there is, where only one of both has a record.
    pub differs: Vec<ComparedField>,
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedField {
    /// `record operation kind reduction dtype elements group ranks`.
    pub field: String,
    /// On the first rank.
    pub first: String,
    /// On this one.
    pub value: String,
}

/// The `schedule` document: the program of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Algorithm.
    pub algorithm: String,
    /// Its number.
    pub number: u8,
    /// `all-reduce all-gather reduce-scatter all-to-all permute`.
    pub operation: String,
    /// Ranks, and chunks of a buffer.
    pub ranks: u32,
    /// Ranks of a node, chip or rack; 1 where the algorithm has no such groups.
    pub locals: u32,
    /// Steps.
    pub n_steps: u64,
    /// Steps in which chunks cross to a neighbour.
    pub hops: u64,
    /// Chunks that cross between ranks, over all ranks.
    pub crossing_chunks: u64,
    /// First step of this answer.
    pub from: u64,
    /// These.
    pub steps: Vec<ScheduleStep>,
    /// What a reader must know.
    pub notes: Vec<String>,
    /// The weakest word of the steps.
    pub provenance: Provenance,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleStep {
    /// 0-based.
    pub index: u64,
    /// `reduce-scatter`, `all-gather`, or an event's name.
    pub phase: String,
    /// `all intra inter`.
    pub leg: String,
    /// Number of the event.
    pub event: Option<u8>,
    /// Whether chunks cross to a neighbour.
    pub hop: bool,
    /// `observed`, `inferred`, `standard knowledge`.
    pub source: String,
    /// Of the data movement.
    pub provenance: Provenance,
    /// What ranks do; those of one rank in this order.
    pub acts: Vec<ScheduleAct>,
}

/// What one rank does: it waits, moves, and posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleAct {
    /// Rank.
    pub rank: u32,
    /// Word for it.
    pub leaf: String,
    /// Waits.
    pub waits: Vec<ScheduleSync>,
    /// Transfers.
    pub moves: Vec<ScheduleMove>,
    /// Waits for the end of the transfers, each of which adds 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<ScheduleSync>,
    /// Posts.
    pub posts: Vec<ScheduleSync>,
}

/// A wait or a post.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleSync {
    /// Rank that has the semaphore.
    pub rank: u32,
    /// Name.
    pub semaphore: String,
    /// Number of the leg.
    pub leg: u8,
    /// Number of the event or round.
    pub index: u32,
    /// Waited for at least, or added.
    pub value: u32,
    /// Taken off by a wait; 0 for a post.
    pub take: u32,
    /// Member of the poster's configuration that has the address, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
    /// `observed`, `inferred`, `standard knowledge`, `chosen`.
    pub source: String,
    /// Of it.
    pub provenance: Provenance,
}

/// A transfer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleMove {
    /// Read and reduced.
    pub from: Vec<BufferRef>,
    /// Written.
    pub to: Vec<BufferRef>,
    /// First chunk.
    pub first: u32,
    /// Distance of chunks.
    pub stride: u32,
    /// Chunks.
    pub count: u32,
    /// Whether the target's own value takes part.
    pub adds: bool,
}

/// A buffer of a rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferRef {
    /// Rank.
    pub rank: u32,
    /// `data partial inbox`.
    pub buffer: String,
    /// Whose inbox entry it is; null for other buffers.
    pub sender: Option<u32>,
}

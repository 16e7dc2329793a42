//! What the page asks for.

/// What an answer is for. Each purpose has one question in flight; a newer one cancels it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Facts about the file.
    Info,
    /// Images of the subgraph.
    Regions,
    /// Images of all subgraphs.
    AllRegions,
    /// Details.
    Slot,
    /// Source tree.
    Source,
    /// Go-to box.
    Goto,
    /// PC of the address bar.
    Pc,
    /// Lines of a runtime log.
    Log,
    /// A page of the runtime's records.
    Records,
    /// One record.
    Record,
    /// A page of a loader's records.
    Kbin,
    /// One of them.
    KbinRecord,
    /// Queues and variables.
    Index,
    /// One variable.
    Variable,
    /// One queue.
    Queue,
    /// One transfer.
    Transfer,
    /// A page of a dump's structs.
    Dump,
    /// One of them.
    DumpStruct,
    /// What has bytes.
    Members,
    /// A page of bytes.
    Bytes,
    /// Fields at a byte.
    Fields,
    /// Runtime profiles with their steps.
    Profiles,
    /// Files of the session.
    Files,
    /// Captured against built image.
    Diff,
    /// The plan of device memory in both modes.
    Memory,
    /// A page of the variables' places.
    Places,
    /// The regions of device addresses.
    AddressMap,
    /// What an address is.
    Address,
    /// Who uses a variable.
    Uses,
    /// Where a range of a scratchpad is.
    Scratchpad,
    /// What a capture that is open alone holds.
    Capture,
    /// The plan of collectives.
    Collectives,
    /// Further collectives of it.
    MoreCollectives,
    /// One entry bit by bit.
    Entry,
    /// Steps of a schedule.
    Schedule,
    /// The word in the decoder.
    Decode,
    /// The word of values that were set there.
    Encode,
    /// Rows of the timeline.
    Timeline,
    /// Sums over its range.
    TimelineSums,
    /// One event of it.
    TimelineEvent,
    /// Executions of a slot.
    TimelineExecutions,
    /// Events of its window.
    TimelineTable,
    /// What is drawn of it.
    TimelineTile,
    /// A run.
    Run,
}

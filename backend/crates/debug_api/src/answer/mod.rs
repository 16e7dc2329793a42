//! What questions are answered with. These types exist for the boundary alone: they are plain
//! data in the shape that the command line, the HTTP interface and the views share.
//!
//! Numbers are JSON numbers; addresses, masks and words are lower-case hex strings with `0x`;
//! digests are bare lower-case hex. They derive `Deserialize` too, since the browser reads them
//! back from HTTP.

mod address;
mod bytes;
mod collective_barrier;
mod collectives;
mod dump;
mod goto;
mod image;
mod info;
mod kbin;
mod ntff;
mod log;
mod log_words;
mod memory;
pub mod memory_words;
mod moment;
mod profiles;
mod records;
mod simulate;
mod simulate_more;
mod slot;
mod slots;
mod source;
mod spad;
mod timeline;
mod tsync;
mod transfer;

pub use address::*;
pub use bytes::*;
pub use collective_barrier::*;
pub use collectives::*;
pub use dump::*;
pub use goto::*;
pub use image::*;
pub use info::*;
pub use kbin::*;
pub use log::*;
pub use log_words::{Fold, LogPart};
pub use memory::*;
pub use moment::*;
pub use ntff::*;
pub use profiles::*;
pub use records::*;
pub use simulate::*;
pub use simulate_more::{
    AccessInfo, CalibrationInfo, CostInfo, FittedInfo, RaceInfo, ResidualInfo, RunErrorInfo,
    TiesInfo, TopSpEnd,
};
pub use slot::*;
pub use slots::*;
pub use source::*;
pub use spad::*;
pub use timeline::*;
pub use transfer::*;
pub use tsync::{AlignedReading, TsyncAnswer};

use serde::{Deserialize, Serialize};

/// Version of the JSON documents. Keys are only added within one version.
pub const SCHEMA: u32 = 1;

/// Where a value comes from. Shown beside every value, never implied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// Read from the input.
    #[default]
    File,
    /// Computed by a rule seen in real bytes or in the runtime.
    Observed,
    /// Concluded from such rules, not seen.
    Inferred,
    /// Our stand-in where nothing is published.
    Modelled,
    /// Set by the user, or a default that a user can set.
    Configured,
}

impl Provenance {
    /// `file`, `observed`, `inferred`, `modelled` or `configured`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Observed => "observed",
            Self::Inferred => "inferred",
            Self::Modelled => "modelled",
            Self::Configured => "configured",
        }
    }

    /// The code of the `prov` column: 0 file, 1 observed, 2 inferred, 3 modelled, 4 configured.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The provenance of a column code; file for anything unknown.
    pub const fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Observed,
            2 => Self::Inferred,
            3 => Self::Modelled,
            4 => Self::Configured,
            _ => Self::File,
        }
    }
}

/// Where a finding is; absent keys do not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct At {
    /// Member of the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// Subgraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subgraph: Option<String>,
    /// Engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Byte offset: in the member if one is named, in the engine's stream if one is, else in the
    /// file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// 1-based line of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 1-based column of a text, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// One finding about the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable code, see docs/codes.md.
    pub code: String,
    /// `info`, `warning` or `error`.
    pub severity: String,
    /// Sentence for a person.
    pub message: String,
    /// Where it is.
    pub at: At,
}

/// A place in a program and in its device image. Absent values do not apply: a slot that the
/// runtime made has no IP, a deleted record no image slot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlaceRef {
    /// Subgraph name.
    pub s: String,
    /// Engine name.
    pub e: String,
    /// 0-based slot of the device image.
    pub image_slot: Option<u32>,
    /// 1-based NEFF IP.
    pub neff_ip: Option<u32>,
    /// Region name, `PREAMBLE MODEL_SWITCH MAIN POSTAMBLE FUNCTION`.
    pub region: Option<String>,
    /// Bytes from the image start.
    pub image_offset: Option<u64>,
    /// Device PC under the placement in use.
    pub device_pc: Option<String>,
    /// 0-based display row of the Code view.
    pub row: Option<u64>,
}

/// A wait or an update of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sync {
    /// The mode byte.
    pub mode: u8,
    /// `== < <= > >= event_set ...`, `++ -- += -= =` with `@complete` for completion forms; null
    /// for a mode without a name.
    pub op: Option<String>,
    /// Semaphore or event id.
    pub index: u8,
    /// Compared or applied value; null where the form has none.
    pub value: Option<u32>,
    /// Name of the event or semaphore; absent for a mode without a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where the name comes from; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name_provenance: Option<Provenance>,
}

/// One record of a debug layer that a slot leads to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceItem {
    /// `asm backend penguin hlo pttf`.
    pub layer: String,
    /// Record name or `.asm` line; null where empty.
    pub text: Option<String>,
    /// Last path component of the source file.
    pub file: Option<String>,
    /// 1-based line.
    pub line: Option<u64>,
}

/// Any answer. Serializes as the inner document.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To `info`.
    Info(Box<InfoAnswer>),
    /// To `ntff`, and to `info` about a capture.
    Ntff(Box<NtffAnswer>),
    /// To `files`.
    Files(FilesAnswer),
    /// To `slots`.
    Slots(SlotsAnswer),
    /// To `image`.
    Image(Box<ImageAnswer>),
    /// To `kbin`.
    Kbin(Box<KbinAnswer>),
    /// To `variable`.
    Variable(Box<VariableAnswer>),
    /// To `queue`.
    Queue(Box<QueueAnswer>),
    /// To `index`.
    Index(IndexAnswer),
    /// To `transfer`.
    Transfer(Box<TransferAnswer>),
    /// To `regions`.
    Regions(Box<RegionsAnswer>),
    /// To `diff`.
    Diff(Box<DiffAnswer>),
    /// To `pc`.
    Pc(Box<PcAnswer>),
    /// To `ip`.
    Ip(Box<IpAnswer>),
    /// To `slot`.
    Slot(Box<SlotAnswer>),
    /// To `source`.
    Source(Box<SourceAnswer>),
    /// To `goto`.
    Goto(GotoAnswer),
    /// To `log`.
    Log(Box<LogAnswer>),
    /// To `memory`.
    Memory(Box<MemoryAnswer>),
    /// To `scratchpad`.
    Scratchpad(ScratchpadAnswer),
    /// To `address`.
    Address(Box<AddressAnswer>),
    /// To `address-map`.
    AddressMap(Box<AddressMapAnswer>),
    /// To `profiles`.
    Profiles(ProfilesAnswer),
    /// To `records`.
    Records(Box<RecordsAnswer>),
    /// To `record`.
    Record(Box<RecordAnswer>),
    /// To `members`.
    Members(Box<MembersAnswer>),
    /// To `bytes`.
    Bytes(Box<BytesAnswer>),
    /// To `collectives`.
    Collectives(Box<CollectivesAnswer>),
    /// To `schedule`.
    Schedule(Box<ScheduleAnswer>),
    /// To `tsync`.
    Tsync(TsyncAnswer),
    /// To `spad-ctrl`, `spad-ctrl-encode` and `spad-table`.
    Spad(Box<SpadAnswer>),
    /// To `dump`, and to `info` about a dump.
    Dump(Box<DumpAnswer>),
    /// To `dump-text`.
    DumpText(Box<DumpTextAnswer>),
    /// To `dump-read`.
    DumpRead(Box<DumpReadAnswer>),
    /// To `timeline`.
    Timeline(Box<TimelineAnswer>),
    /// To `timeline-events`.
    TimelineEvents(Box<TimelineEventsAnswer>),
    /// To `timeline-state`.
    TimelineState(Box<TimelineStateAnswer>),
    /// To `printers`.
    Printers(PrintersAnswer),
    /// To `simulate`.
    Simulate(Box<SimulateAnswer>),
}

//! The questions a view, the command line or a script can ask of a session.
//!
//! This is the one place where requests enter as text. `ask` names the question; every other key
//! is optional unless its answer makes no sense without it. Unknown keys are an error, so that a
//! typing mistake is not silently ignored.

mod scope;
mod columns;
mod collectives;
mod simulate;
mod timeline;
mod tsync;
mod run_choices;
mod entry;
mod read;
mod about;

pub use collectives::{CollectivesRequest, ScheduleRequest};
pub use columns::ColumnsRequest;
pub use entry::EntryValue;
pub use run_choices::{RUN_FIELDS, RunChoices, RunField};
pub use scope::Scope;
pub use simulate::SimulateRequest;
pub use timeline::{ExportRequest, TimelineEventsRequest, TimelineRequest, TimelineStateRequest};
pub use tsync::TsyncRequest;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A question. The JSON form is `{"ask":"pc","s":"sg00","e":"PE","pc":"0x100140"}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "kebab-case")]
pub enum Request {
    /// What the file is: header, digest, archive, subgraphs, findings.
    Info {
        /// 0-based file of the session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        f: Option<usize>,
        /// Also decode debug layers and DMA blocks: fills `coverage` and adds their findings.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        deep: bool,
    },
    /// What a capture holds: cores, images, patch rows, records, rings, memory, findings.
    Ntff {
        /// 0-based file of the session; the first capture if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        f: Option<usize>,
    },
    /// The files of the session.
    Files {},
    /// The records of one engine stream.
    Slots {
        /// Subgraph and engine.
        #[serde(flatten)]
        scope: Scope,
        /// First 0-based slot.
        #[serde(default)]
        from: u32,
        /// Number of slots; all that follow if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
    },
    /// One engine's device image: regions, patch rows, ranges.
    Image {
        /// Subgraph, engine, profile, core.
        #[serde(flatten)]
        scope: Scope,
    },
    /// The records that the runtime keeps about an engine's program.
    Records {
        /// Subgraph, engine, profile, core, base.
        #[serde(flatten)]
        scope: Scope,
        /// First 0-based record.
        #[serde(default)]
        from: u32,
        /// Number of records, at most 4,096; as many if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        /// Only records whose name, type, or a field's name and value have this text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        find: Option<String>,
    },
    /// One of these records, with its bytes and fields.
    Record {
        /// Subgraph, engine, profile, core, base.
        #[serde(flatten)]
        scope: Scope,
        /// Name, as `records` lists it.
        name: String,
    },
    /// Everything in the session whose bytes can be shown: header, members, images, captures.
    Members {
        /// File and subgraph.
        #[serde(flatten)]
        scope: Scope,
        /// First 0-based line.
        #[serde(default)]
        from: u32,
        /// Number of lines, at most 4,096; as many if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        /// Only those whose name has this text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        find: Option<String>,
    },
    /// A page of bytes with its structure.
    Bytes {
        /// File, subgraph, engine, profile, core, base.
        #[serde(flatten)]
        scope: Scope,
        /// `header gzip tar member stream image record kbin capture dump`.
        of: String,
        /// Member, record, part of a capture or of the gzip member, or context of a dump, `cayman@0x0`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// First byte.
        #[serde(default)]
        from: u64,
        /// Number of bytes, at most 65,536; 4,096 if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        /// Byte whose fields are wanted; the first one if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u64>,
    },
    /// The tree of records that a loader makes of a subgraph, or one record of it.
    Kbin {
        /// Subgraph.
        #[serde(flatten)]
        scope: Scope,
        /// Name of one record, as the list has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        record: Option<String>,
        /// First 0-based record, or first row behind the header of the one record.
        #[serde(default, skip_serializing_if = "is_zero")]
        from: u64,
        /// Records, at most and by default 4,096; rows, at most 4,096, by default 64.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        /// Only records whose name, type, or a field of the header has this text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        find: Option<String>,
        /// A byte of the one record: its rows begin with the one that has it, whatever `from` says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<u64>,
        /// First byte of the record's `hex`; that of the first row, or 0 with the header, if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hex_from: Option<u64>,
        /// Bytes of `hex`, at most 65,536, by default 4,096.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hex_bytes: Option<u32>,
    },
    /// One variable: its record, descriptors that touch it, slots that use it.
    Variable {
        /// Subgraph.
        #[serde(flatten)]
        scope: Scope,
        /// Name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Id, used when `name` is absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        id: Option<u32>,
    },
    /// One DMA queue: rings, descriptors, limit, triggers.
    Queue {
        /// Subgraph.
        #[serde(flatten)]
        scope: Scope,
        /// Name.
        name: String,
    },
    /// Variables and queues of a subgraph by name.
    Index {
        /// Subgraph.
        #[serde(flatten)]
        scope: Scope,
        /// First 0-based line.
        #[serde(default)]
        from: u32,
        /// Number of lines, at most and by default 4,096.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        /// Only those whose name, kind or id has this text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        find: Option<String>,
    },
    /// The access patterns of one transfer: which bytes it touches, and what is wrong with them.
    Transfer {
        /// Subgraph.
        #[serde(flatten)]
        scope: Scope,
        /// `ring.<queue>.<n>.<descriptor>`, or engine and NEFF IP of a direct transfer: `SP.3`.
        name: String,
    },
    /// All engines of a subgraph to scale: regions, patches, positions.
    Regions {
        /// Subgraph, profile, core.
        #[serde(flatten)]
        scope: Scope,
    },
    /// The captured image of one engine beside the one built for it, record by record.
    Diff {
        /// Subgraph, engine, profile, core, capture.
        #[serde(flatten)]
        scope: Scope,
        /// First 0-based run of the answer.
        #[serde(default)]
        from: u32,
        /// Number of runs, at most and by default 4,096.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
    },
    /// What is at a device PC.
    Pc {
        /// Subgraph, engine, profile, core, base.
        #[serde(flatten)]
        scope: Scope,
        /// Device PC, `0x...` or decimal.
        pc: String,
    },
    /// Where a NEFF IP went.
    Ip {
        /// Subgraph, engine, profile, core, base.
        #[serde(flatten)]
        scope: Scope,
        /// 1-based NEFF IP.
        ip: u32,
    },
    /// Everything about one slot: place, bytes, waits, source, dependencies.
    Slot {
        /// Subgraph, engine, profile, core, base.
        #[serde(flatten)]
        scope: Scope,
        /// 0-based slot of the device image.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        slot: Option<u32>,
        /// 1-based NEFF IP; used when `slot` is absent (a deleted record has only this).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ip: Option<u32>,
    },
    /// The source tree around a record, with coverage and what is missing.
    Source {
        /// Subgraph and engine.
        #[serde(flatten)]
        scope: Scope,
        /// 1-based NEFF IP to open the tree at.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ip: Option<u32>,
        /// Most nodes in the answer (default 400).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u32>,
    },
    /// Places that a typed text can mean: PC, IP, slot, offset, `file:line`, symbol.
    Goto {
        /// Subgraph and engine to prefer.
        #[serde(flatten)]
        scope: Scope,
        /// The text.
        text: String,
    },
    /// What the lines of a runtime log say, and where they lead.
    Log {
        /// Subgraph, engine, profile, core, base for lines that do not name their own.
        #[serde(flatten)]
        scope: Scope,
        /// The log text.
        text: String,
    },
    /// What fills device memory when the session's executables are loaded on one core group.
    Memory {
        /// One file of the session (all if absent), one subgraph (all if absent), core of the first
        /// subgraph, profile, capture.
        #[serde(flatten)]
        scope: Scope,
        /// `paged` or `contiguous`; by the runtime version, or paged, if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
        /// Bytes of a scratchpad page in paged mode; 512 MiB if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        page_size: Option<u64>,
        /// `sunda cayman mariana`; that of the first file if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<String>,
        /// Bytes of each HBM; that of the generation if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hbm: Option<u64>,
        /// Version of the runtime, `2.33`, which chooses the mode.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        runtime: Option<String>,
        /// Version of the driver; one that is able if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        driver: Option<String>,
        /// First 0-based variable of the answer's list of places.
        #[serde(default)]
        from: u32,
        /// Number of them, at most 4,096; 256 if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
    },
    /// Counters of several blocks on one time. About no file.
    Tsync(TsyncRequest),
    /// The text of the firmware's printer, read back. About no file.
    DumpRead {
        /// The text: a whole document, one object, or a member of one.
        text: String,
        /// `sunda cayman mariana mariana-plus`; that of the number of mesh events, else cayman, if
        /// absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<String>,
    },
    /// Where a range of a scratchpad is. About no file.
    Scratchpad {
        /// `paged` or `contiguous`.
        mode: String,
        /// Bytes of a page, taken as given in both modes.
        page_size: u64,
        /// Pages that have memory.
        pages: u64,
        /// First byte.
        offset: u64,
        /// Bytes.
        size: u64,
    },
    /// What a device address is.
    Address {
        /// Subgraph, profile, core.
        #[serde(flatten)]
        scope: Scope,
        /// The address, `0x...` or decimal.
        address: String,
        /// `sunda cayman mariana`; that of the file if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<String>,
    },
    /// The regions of device addresses of a generation.
    AddressMap {
        /// File and subgraph whose generation counts where none is named.
        #[serde(flatten)]
        scope: Scope,
        /// `sunda cayman mariana`; that of the file if absent, CAYMAN without one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<String>,
    },
    /// The runtime profiles that are known.
    Profiles {},
    /// The collectives of a program, or of several ranks compared.
    Collectives(CollectivesRequest),
    /// The program of an algorithm for so many ranks.
    Schedule(ScheduleRequest),
    /// Words of control entries, bit by bit. About no file.
    SpadCtrl {
        /// 16 hex digits, the 8 bytes in memory order, or the value of the word with `0x`.
        words: Vec<String>,
        /// Names of algorithms, `enc_alg_type` (if absent) or `enc_pattern`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        algo_names: Option<String>,
    },
    /// The word of some values. About no file.
    SpadCtrlEncode {
        /// Values by the names that `spad-ctrl` gives; `cc_op` is true and all else 0 if absent.
        fields: BTreeMap<String, EntryValue>,
        /// Names of algorithms, `enc_alg_type` (if absent) or `enc_pattern`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        algo_names: Option<String>,
    },
    /// A table of control entries in a dump.
    SpadTable {
        /// File.
        #[serde(flatten)]
        scope: Scope,
        /// First byte of the table.
        #[serde(default)]
        offset: u64,
        /// Entries; all that are there, at most 512, if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u64>,
        /// Names of algorithms, `enc_alg_type` (if absent) or `enc_pattern`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        algo_names: Option<String>,
    },
    /// The structs of a firmware's context in a dump, or one of them.
    Dump {
        /// File.
        #[serde(flatten)]
        scope: Scope,
        /// `sunda cayman mariana mariana-plus`; the one that fits best if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<String>,
        /// First byte of the context.
        #[serde(default, skip_serializing_if = "is_zero")]
        offset: u64,
        /// Name of one struct, as the list has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// First 0-based struct.
        #[serde(default, skip_serializing_if = "is_zero")]
        from: u64,
        /// Structs, at most and by default 4,096.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u32>,
        /// Only structs whose name, type, or a field has this text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        find: Option<String>,
        /// Leave the fields out.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        names_only: bool,
    },
    /// A context in the text of the firmware's own printer, and as strict JSON.
    DumpText {
        /// File; its base is where the context is taken to lie.
        #[serde(flatten)]
        scope: Scope,
        /// As for `dump`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generation: Option<String>,
        /// First byte of the context.
        #[serde(default, skip_serializing_if = "is_zero")]
        offset: u64,
        /// Text of `model_name`; the name of the file if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model_name: Option<String>,
    },
    /// Rows of a timeline with sums over a range of time.
    Timeline(TimelineRequest),
    /// Single events of a timeline.
    TimelineEvents(TimelineEventsRequest),
    /// What everything was doing at a time of a timeline.
    TimelineState(TimelineStateRequest),
    /// The functions of the firmware's library that print a context. About no file.
    Printers {},
    /// A run of the program on modelled engines, rings and host.
    Simulate(SimulateRequest),
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

#[cfg(test)]
mod tests;

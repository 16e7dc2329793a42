//! Every question a view can ask, and its answer.
//!
//! Purpose: the one door between the pure crates and whoever shows their results. Input: a
//! [`Session`] and a [`Request`]. Output: an [`Answer`], or a block of [`columns`]. The command
//! line, the HTTP server and the browser all come through here, so the same question gives the
//! same answer everywhere. This crate knows nothing of HTTP or the DOM.

pub mod plain;
pub mod answer;
pub mod error;
pub mod request;
pub mod columns;
pub mod convert;
pub mod find;
pub mod log;
pub mod links;
pub mod rows;
mod built_in;
pub mod program;
pub mod sync_names;
pub mod sources;
pub mod engines;
pub mod pairing;
pub mod pair;
pub mod run_trace;
pub mod ntff_file;
pub mod neff_file;
pub mod profile_file;
pub mod dump_file;
pub mod source_file;
pub mod file;
pub mod kept_runs;
pub mod names;
pub mod address_keys;
pub mod choice;
pub mod scope;
mod ask;
pub mod session;

pub use answer::{Answer, Provenance};
pub use columns::Block;
pub use device_sim::input::DEFAULT_EVENTS;
pub use dump_file::DumpFile;
pub use error::{ApiError, ErrorKind};
pub use file::{FileKind, OpenFile};
pub use kept_runs::KeptRuns;
pub use neff::Limits;
pub use neff_file::NeffFile;
pub use ntff_file::NtffFile;
pub use profile_file::ProfileFile;
pub use request::{
    CollectivesRequest, ColumnsRequest, EntryValue, ExportRequest, RUN_FIELDS, Request, RunChoices,
    RunField, ScheduleRequest, Scope, SimulateRequest, TimelineEventsRequest, TimelineRequest,
    TimelineStateRequest, TsyncRequest,
};
pub use session::Session;
pub use trace::export::Format as ExportFormat;

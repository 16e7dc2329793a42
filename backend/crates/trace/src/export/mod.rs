//! A trace in the forms of other tools: Perfetto protobuf, Trace Event JSON, CSV.
//!
//! Input: a trace and the words for its rows and events, which the trace itself does not have.
//! Output: bytes, written as they come. No event is left out.

mod lanes;
mod names;
mod messages;
mod perfetto;
mod trace_event;
mod table;

use std::borrow::Cow;
use std::io::{self, Write};

use crate::event::Event;
use crate::model::{Row, Trace};
use crate::track::TrackKind;

/// Most events of a Trace Event file: tools read those whole, and slowly.
pub const TRACE_EVENT_MOST: u64 = 2_000_000;

/// What an export says beyond numbers.
pub trait Words {
    /// What ran: name of the core, and where its events come from.
    fn core(&self) -> String;
    /// What a row is in words; may be empty.
    fn label(&self, row: &Row) -> String;
    /// What an event is in a word or two. Depends on nothing but the track's kind, and the event's
    /// slot on an engine, its `kind` elsewhere.
    fn name(&self, kind: TrackKind, event: &Event) -> String;
    /// Femtoseconds of a cycle of a track's clock, where one is known.
    fn cycle_fs(&self, kind: TrackKind) -> Option<u64>;
    /// The record that an engine's event executed.
    fn record(&self, kind: TrackKind, slot: u32) -> Option<Record>;
}

/// The record of an event, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Device PC, `0x...`.
    pub pc: Option<String>,
    /// 1-based number in the executable's stream.
    pub ip: Option<u32>,
    /// What it waits for and updates, in words.
    pub asm: Option<String>,
    /// Source line, `file:line`.
    pub source: Option<String>,
    /// Address that shows it.
    pub link: Option<String>,
}

/// A form of another tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Perfetto's protobuf.
    Perfetto,
    /// Trace Event JSON, as `chrome://tracing` reads it.
    TraceEvent,
    /// Rows and columns as text.
    Csv,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Perfetto, Self::TraceEvent, Self::Csv];

    /// `perfetto trace-json csv`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Perfetto => "perfetto",
            Self::TraceEvent => "trace-json",
            Self::Csv => "csv",
        }
    }

    /// The form with a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// How names of such files end.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Perfetto => "pftrace",
            Self::TraceEvent => "trace.json",
            Self::Csv => "csv",
        }
    }

    /// Its media type.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Perfetto => "application/octet-stream",
            Self::TraceEvent => "application/json",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// Writes a trace.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(self, trace: &Trace, words: &dyn Words, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Perfetto => perfetto::write(trace, words, out),
            Self::TraceEvent => trace_event::write(trace, words, out),
            Self::Csv => table::write(trace, words, out),
        }
    }
}

/// Title of one of a row's tracks: the row's name, and which of several it is.
fn title<'a>(row: &'a Row, kind: TrackKind, lane: u32) -> Cow<'a, str> {
    let ring = match kind {
        TrackKind::Ring { engine, .. } => format!(" ring {engine}"),
        _ => String::new(),
    };
    let second = if lane == 0 { String::new() } else { format!(" ({})", lane + 1) };
    if ring.is_empty() && second.is_empty() {
        return Cow::Borrowed(&row.name);
    }
    Cow::Owned(format!("{}{ring}{second}", row.name))
}

//! The Timeline view: what is asked, what has arrived, and which window of time is shown.

pub mod scale;
pub mod tile;
pub mod kept;
pub mod lines;
pub mod raster;
pub mod words;
pub mod address;
mod events;

use debug_api::answer::{TimelineAnswer, TimelineEvent, TimelineEventsAnswer};
use debug_api::{Provenance, Scope, SimulateRequest};
use std::collections::BTreeSet;
use std::rc::Rc;

pub use events::TimelineAction;
use kept::Kept;
use lines::Line;
use scale::{Span, Unit};
use tile::{Tile, TileKey};

/// Executions of a slot that are marked.
pub const EXECUTIONS: u32 = 4_096;
/// Events of the table.
pub const TABLE_ROWS: u32 = 1_000;

/// An event by its track and its position in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventRef {
    /// Number of the track.
    pub lane: u32,
    /// 0-based event of the track.
    pub index: u32,
}

/// Where the events of a timeline come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceSource {
    /// A capture.
    Captured,
    /// A run of the simulator.
    Simulated,
}

impl TraceSource {
    /// Both, with their labels.
    pub const ALL: [(Self, &'static str); 2] =
        [(Self::Captured, "Captured"), (Self::Simulated, "Simulated")];

    /// `captured simulated`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Simulated => "simulated",
        }
    }

    /// The source with a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().map(|(source, _)| source).find(|source| source.name() == name)
    }
}

/// What a timeline is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceOf {
    /// Subgraph, capture.
    pub scope: Scope,
    /// Choices of the run, if it is one.
    pub run: Option<Box<SimulateRequest>>,
}

/// The state of the view.
#[derive(Clone, Debug, Default)]
pub struct TimelineBox {
    /// Which source was chosen; without a choice what is there, a capture first.
    pub chosen: Option<TraceSource>,
    /// What was asked for last.
    pub asked: Option<TraceOf>,
    /// Rows with sums over the whole trace.
    pub answer: Option<Rc<TimelineAnswer>>,
    /// Why there is none.
    pub missing: Option<String>,
    /// The window; `None` until the trace is known.
    pub span: Option<Span>,
    /// Width of the drawing in pixels.
    pub width: f64,
    /// What is drawn; stays until a better one has arrived.
    pub tile: Option<Rc<Tile>>,
    /// What was asked for to be drawn.
    pub tile_asked: Option<TileKey>,
    /// Groups that are folded.
    pub folded: BTreeSet<String>,
    /// Unit of times.
    pub unit: Unit,
    /// Pins and marks.
    pub kept: Kept,
    /// Row of the cursor, by name.
    pub row: String,
    /// The selected event, as soon as it is known by place.
    pub picked: Option<EventRef>,
    /// The same with all that is known of it.
    pub event: Option<Rc<TimelineEvent>>,
    /// The chosen range.
    pub range: Option<(u64, u64)>,
    /// Sums over the range.
    pub sums: Option<Rc<TimelineAnswer>>,
    /// Range that sums were asked for.
    pub sums_asked: Option<(u64, u64)>,
    /// Executions of the selected slot.
    pub executions: Option<Rc<TimelineEventsAnswer>>,
    /// Engine and slot whose executions were asked for.
    pub executions_asked: Option<(String, u32)>,
    /// Whether the window is shown as a table.
    pub table: bool,
    /// Events of the table.
    pub rows: Option<Rc<TimelineEventsAnswer>>,
    /// Window that the table was asked for.
    pub rows_asked: Option<(u64, u64)>,
    /// What the address asked for, until the trace is known.
    pub wanted: Option<(u64, u64)>,
}

impl TimelineBox {
    /// The lines of the drawing, with their places.
    pub fn lines(&self) -> Vec<Line> {
        self.answer
            .as_ref()
            .map_or_else(Vec::new, |answer| lines::lines(answer, &self.folded, &self.kept.pins))
    }

    /// End of the trace in picoseconds; at least 1.
    pub fn end(&self) -> f64 {
        self.answer.as_ref().map_or(1.0, |answer| answer.end_ps.max(1) as f64)
    }

    /// Where the events that are shown come from.
    pub fn provenance(&self) -> Provenance {
        self.answer.as_ref().map_or(Provenance::File, |answer| answer.provenance)
    }

    /// Femtoseconds of a cycle that times are counted in: those of the first engine.
    pub fn cycle_fs(&self) -> Option<u64> {
        self.answer.as_ref()?.rows.iter().find_map(|row| row.cycle_fs)
    }
}

//! What happens in the Timeline view.

use super::scale::Unit;
use super::{EventRef, TraceSource};
use debug_api::Block;

/// Something that happened in the view.
#[derive(Clone, Debug, PartialEq)]
pub enum TimelineAction {
    /// The drawing has another width, in pixels.
    Width(f64),
    /// Zoom by a factor around a place, as a part of the width.
    Zoom(f64, f64),
    /// Pan by a part of the width.
    Pan(f64),
    /// A single event was clicked, or nothing.
    Pick(Option<EventRef>),
    /// Several events were clicked: from, to, and what they are in words.
    Bucket(u64, u64, String),
    /// A range was dragged, in picoseconds.
    Range(u64, u64),
    /// The window was set, in picoseconds.
    Fit(u64, u64),
    /// A row was clicked.
    Row(String),
    /// A group is folded or unfolded.
    Fold(String),
    /// A row is kept on top, or no longer.
    Pin(String),
    /// A time or range is marked for good, or no longer.
    Mark((u64, u64)),
    /// Show a capture or a run.
    Source(TraceSource),
    /// Unit of times.
    Unit(Unit),
    /// Show the window as a table, or the drawing.
    Table(bool),
    /// Go to the slot of the selected event in Code.
    Code,
    /// An export came to its end: what to tell.
    Exported(String),
    /// What is drawn arrived.
    Tile(u32, Box<Block>),
}

//! A whole trace: its tracks, and the rows that show them.

use std::ops::Range;

use crate::track::{Track, TrackKind};

/// What belongs together on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Engines.
    Engines,
    /// DMA queues.
    Queues,
    /// Processors of collectives.
    TopSps,
    /// Semaphores.
    Semaphores,
    /// Events.
    Events,
    /// Everything else that was recorded.
    Notifications,
}

impl Group {
    /// All, in the order of the screen.
    pub const ALL: [Self; 6] = [
        Self::Engines,
        Self::Queues,
        Self::TopSps,
        Self::Semaphores,
        Self::Events,
        Self::Notifications,
    ];

    /// `engines queues top-sps semaphores events notifications`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Engines => "engines",
            Self::Queues => "queues",
            Self::TopSps => "top-sps",
            Self::Semaphores => "semaphores",
            Self::Events => "events",
            Self::Notifications => "notifications",
        }
    }
}

/// A row of the screen: one track, or the rings of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Name, `PE` or that of the queue; unique in a trace.
    pub name: String,
    /// Group.
    pub group: Group,
    /// Positions of its tracks.
    pub lanes: Range<usize>,
}

/// Events of one core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Tracks, by row and lane.
    pub tracks: Vec<Track>,
    /// Rows in the order of the screen.
    pub rows: Vec<Row>,
    /// Picoseconds from the first event to the last end.
    pub end: u64,
}

impl Trace {
    /// Events of all tracks.
    pub fn events(&self) -> u64 {
        self.tracks.iter().map(|track| track.len() as u64).sum()
    }

    /// Bytes of memory of all tracks.
    pub fn bytes(&self) -> u64 {
        self.tracks.iter().map(Track::bytes).sum()
    }

    /// Tracks of a row.
    pub fn lanes(&self, row: &Row) -> &[Track] {
        self.tracks.get(row.lanes.clone()).unwrap_or(&[])
    }

    /// Position of the track of a kind.
    pub fn track(&self, kind: TrackKind) -> Option<usize> {
        self.tracks.iter().position(|track| track.kind == kind)
    }

    /// The row with a name.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The row that shows a track.
    pub fn row_of(&self, track: usize) -> Option<&Row> {
        self.rows.iter().find(|row| row.lanes.contains(&track))
    }

    /// Adds a row with its tracks.
    pub fn push(&mut self, name: String, group: Group, tracks: Vec<Track>) {
        let from = self.tracks.len();
        self.tracks.extend(tracks);
        self.rows.push(Row { name, group, lanes: from..self.tracks.len() });
    }
}

//! The lines of the drawing from top to bottom: heads of groups and rows, with their places.

use debug_api::answer::TimelineAnswer;
use std::collections::BTreeSet;

/// Height of the head of a group.
pub const GROUP: f64 = 26.0;

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// Head of a group.
    Group,
    /// An engine.
    Engine,
    /// The rings of a queue, or the collectives and the steps of a TOP_SP.
    Queue,
    /// A counter.
    Counter,
    /// Single moments.
    Moments,
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name of the row or group.
    pub name: String,
    /// What it shows.
    pub kind: LineKind,
    /// Position in the answer's rows; of a group, of its first row.
    pub row: usize,
    /// First track.
    pub lane: u32,
    /// Tracks.
    pub lanes: u32,
    /// Top edge in pixels.
    pub top: f64,
    /// Height in pixels.
    pub height: f64,
}

impl Line {
    /// Bottom edge.
    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Top and height of a track's strip, relative to the line's top.
    pub fn strip(&self, lane: u32) -> (f64, f64) {
        match self.kind {
            LineKind::Group => (0.0, 0.0),
            LineKind::Engine => {
                ((self.height - 28.0).max(4.0) / 2.0, 28.0_f64.min(self.height - 8.0))
            }
            LineKind::Counter => (10.0, self.height - 14.0),
            LineKind::Moments => (8.0, self.height - 16.0),
            LineKind::Queue => {
                let each = (self.height - 8.0) / f64::from(self.lanes.max(1));
                (4.0 + each * f64::from(lane.saturating_sub(self.lane)), each)
            }
        }
    }

    /// The track at a distance from the line's top.
    pub fn lane_at(&self, y: f64) -> u32 {
        let each = (self.height - 8.0) / f64::from(self.lanes.max(1));
        let at = ((y - 4.0) / each).clamp(0.0, f64::from(self.lanes.saturating_sub(1)));
        self.lane + at as u32
    }
}

/// The title of a group.
pub fn title(group: &str) -> &'static str {
    match group {
        "engines" => "Engines",
        "queues" => "DMA queues",
        "top-sps" => "TOP_SPs",
        "semaphores" => "Semaphores",
        "events" => "Events",
        _ => "Notifications",
    }
}

/// All lines of a timeline; rows of folded groups are left out.
pub fn lines(answer: &TimelineAnswer, folded: &BTreeSet<String>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut group = "";
    let mut top = 0.0;
    for (row, one) in answer.rows.iter().enumerate() {
        if one.group != group {
            group = &one.group;
            let head = Line {
                name: group.to_owned(),
                kind: LineKind::Group,
                row,
                lane: 0,
                lanes: 0,
                top,
                height: GROUP,
            };
            top = head.bottom();
            lines.push(head);
        }
        if folded.contains(group) {
            continue;
        }
        let (kind, height) = match group {
            "engines" if one.events == 0 => (LineKind::Engine, 28.0),
            "engines" => (LineKind::Engine, 46.0),
            "queues" | "top-sps" => (LineKind::Queue, 40.0),
            "semaphores" | "events" => (LineKind::Counter, 46.0),
            _ => (LineKind::Moments, 28.0),
        };
        let line = Line {
            name: one.name.clone(),
            kind,
            row,
            lane: one.first_lane,
            lanes: one.lanes,
            top,
            height,
        };
        top = line.bottom();
        lines.push(line);
    }
    lines
}

/// The line at a height.
pub fn line_at(lines: &[Line], y: f64) -> Option<&Line> {
    lines.iter().find(|line| line.top <= y && y < line.bottom())
}

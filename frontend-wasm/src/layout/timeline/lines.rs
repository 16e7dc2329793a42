//! The lines of the drawing from top to bottom: heads of groups and rows, with their places.

use debug_api::answer::{TimelineAnswer, TimelineRow};
use std::collections::BTreeSet;

/// The group of the rows that stay on top.
pub const PINNED: &str = "pinned";

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
    /// Whether it stays on top: its place is then that in the pane, not that in the list.
    pub pinned: bool,
}

impl Line {
    /// Top edge in the pane, which is scrolled so far.
    pub fn y(&self, scroll: f64) -> f64 {
        if self.pinned { self.top } else { self.top - scroll }
    }

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
        PINNED => "Pinned",
        "engines" => "Engines",
        "queues" => "DMA queues",
        "top-sps" => "TOP_SPs",
        "semaphores" => "Semaphores",
        "events" => "Events",
        _ => "Notifications",
    }
}

/// All lines of a timeline: those that stay on top, then the others by group; rows of folded groups
/// are left out. A pinned row is not in its group.
pub fn lines(answer: &TimelineAnswer, folded: &BTreeSet<String>, pins: &[String]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut top = 0.0;
    let pinned = pins
        .iter()
        .filter_map(|name| answer.rows.iter().enumerate().find(|(_, row)| row.name == *name));
    let pinned: Vec<(usize, &TimelineRow)> = pinned.collect();
    if let Some((row, _)) = pinned.first() {
        push(&mut lines, &mut top, group_line(PINNED, *row));
    }
    for (row, one) in &pinned {
        push(&mut lines, &mut top, row_line(*row, one));
    }
    for line in &mut lines {
        line.pinned = true;
    }
    let mut group = "";
    for (row, one) in answer.rows.iter().enumerate() {
        if one.group != group {
            group = &one.group;
            push(&mut lines, &mut top, group_line(group, row));
        }
        if !folded.contains(group) && !pins.contains(&one.name) {
            push(&mut lines, &mut top, row_line(row, one));
        }
    }
    lines
}

fn push(lines: &mut Vec<Line>, top: &mut f64, line: Line) {
    let line = Line { top: *top, ..line };
    *top = line.bottom();
    lines.push(line);
}

fn group_line(name: &str, row: usize) -> Line {
    let (kind, name) = (LineKind::Group, name.to_owned());
    Line { name, kind, row, lane: 0, lanes: 0, top: 0.0, height: GROUP, pinned: false }
}

fn row_line(row: usize, one: &TimelineRow) -> Line {
    let (kind, height) = match one.group.as_str() {
        "engines" if one.events == 0 => (LineKind::Engine, 28.0),
        "engines" => (LineKind::Engine, 46.0),
        "queues" | "top-sps" => (LineKind::Queue, 40.0),
        "semaphores" | "events" => (LineKind::Counter, 46.0),
        _ => (LineKind::Moments, 28.0),
    };
    Line {
        name: one.name.clone(),
        kind,
        row,
        lane: one.first_lane,
        lanes: one.lanes,
        top: 0.0,
        height,
        pinned: false,
    }
}

/// Height of the lines that stay on top.
pub fn pinned_height(lines: &[Line]) -> f64 {
    lines.iter().take_while(|line| line.pinned).last().map_or(0.0, Line::bottom)
}

/// The line at a height of the pane, which is scrolled so far.
pub fn line_at(lines: &[Line], y: f64, scroll: f64) -> Option<&Line> {
    let hit = |line: &&Line| line.y(scroll) <= y && y < line.y(scroll) + line.height;
    match y < pinned_height(lines) {
        true => lines.iter().take_while(|line| line.pinned).find(hit),
        false => lines.iter().skip_while(|line| line.pinned).find(hit),
    }
}

#[cfg(test)]
mod tests;

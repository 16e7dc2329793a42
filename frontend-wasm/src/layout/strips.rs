//! Region strips: five engine images on one scale, as a display list.
//!
//! A slot has one width in all strips. From 4 px a slot each one is a cell; below, runs merge and
//! only region edges stay, so the list is bounded by the width of the drawing and SVG is enough
//! for an image of any size. Zero is drawn as zero. Zoom and pan are parameters.

use super::format::{region_hatched, region_key, thousands};
use super::lens::{Lens, Span, Tick, in_code, ticks};
use super::marks::{self, Mark};
use super::state::RegionsMode;
use debug_api::answer::{EngineRegions, RegionsAnswer};

/// Distance of two rows.
pub const ROW: f64 = 43.0;
/// Height of a strip.
pub const STRIP: f64 = 18.0;
/// Height of the axis.
pub const AXIS: f64 = 17.0;
/// Top of the first row; the axis is above it.
const TOP: f64 = 21.0;
/// From the top of a row to its strip.
const STRIP_AT: f64 = 13.0;
/// Height of a subgraph's title, where several are stacked.
const TITLE: f64 = 20.0;
/// Where the longest engine name ends, with the gap behind it.
const NAME: f64 = 66.0;
/// Width of a digit of a label.
const DIGIT: f64 = 6.62;
/// Space around a cell.
const INSET: f64 = 0.6;
/// Below this width cells merge.
const CELL_MIN: f64 = 4.0;
/// A slot is never wider, lest three slots fill a pane.
const SCALE_MAX: f64 = 18.0;
/// Widest slot when zoomed: room for the longest mnemonics.
pub const ZOOM_SCALE_MAX: f64 = 148.0;
/// From this width a slot is named.
const LABEL_MIN: f64 = 40.0;

/// What the drawing is made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Width of the drawing in pixels.
    pub width: f64,
    /// Which slots are drawn.
    pub mode: RegionsMode,
    /// 1 fits the longest image; larger zooms in.
    pub zoom: f64,
    /// First slot in view, possibly a fraction.
    pub from: f64,
    /// Whether patches are marked.
    pub patches: bool,
}

/// Where the columns beside the strips end; `None` where there is no room.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Columns {
    /// Records in the NEFF, right edge.
    pub neff: Option<f64>,
    /// Slots of the image, right edge.
    pub slots: f64,
    /// Bytes of the image, right edge.
    pub bytes: Option<f64>,
}

impl Columns {
    /// Left end of the heads of the columns, in the line of the axis.
    pub fn head(&self) -> f64 {
        self.slots - "slots".len() as f64 * DIGIT
    }
}

/// Title of a stacked subgraph.
#[derive(Clone, Debug, PartialEq)]
pub struct Title {
    /// Baseline.
    pub y: f64,
    /// Subgraph name.
    pub text: String,
}

/// A cell of one slot, or a merged run.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Left edge.
    pub x: f64,
    /// Width.
    pub width: f64,
    /// Slot or record, where the cell is a single one: image slot, or 0-based NEFF record.
    pub at: Option<u64>,
    /// Region key for the class.
    pub region: &'static str,
    /// A deleted record, drawn hollow.
    pub hollow: bool,
}

/// What the cells of a track are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// Slots of the device image.
    Image,
    /// Records of the NEFF.
    Neff,
}

/// One line of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What its cells are.
    pub kind: TrackKind,
    /// Top.
    pub y: f64,
    /// Height.
    pub height: f64,
    /// Whether it has no cell at all, in view or not.
    pub zero: bool,
    /// Its last slot or record.
    pub last: Option<u64>,
    /// Cells from left to right.
    pub cells: Vec<Cell>,
    /// Spans that the runtime made.
    pub hatches: Vec<Span>,
}

/// One engine.
#[derive(Clone, Debug, PartialEq)]
pub struct StripRow {
    /// Index of the answer.
    pub answer: usize,
    /// Index of the engine in the answer.
    pub engine: usize,
    /// Top of the row.
    pub top: f64,
    /// Top of the strip.
    pub strip: f64,
    /// One track, or two in `Both`.
    pub tracks: Vec<Track>,
    /// Patch markers from left to right.
    pub marks: Vec<Mark>,
}

/// The whole drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Left edge of the strips.
    pub left: f64,
    /// Right edge of the strips.
    pub right: f64,
    /// Pixels a slot.
    pub scale: f64,
    /// First slot in view.
    pub from: f64,
    /// Slots of the longest strip.
    pub slots: u64,
    /// Axis.
    pub ticks: Vec<Tick>,
    /// Columns at the sides.
    pub columns: Columns,
    /// Titles of stacked subgraphs.
    pub titles: Vec<Title>,
    /// Rows from top to bottom.
    pub rows: Vec<StripRow>,
}

/// What is under a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Index of the row.
    pub row: usize,
    /// The track.
    pub kind: TrackKind,
    /// Image slot, or 0-based record for a NEFF track; `None` beside the strip.
    pub slot: Option<u64>,
}

/// Lays the strips out.
pub fn lay_out(answers: &[&RegionsAnswer], params: &Params) -> Scene {
    let width = params.width.max(120.0);
    let engines = || answers.iter().flat_map(|answer| &answer.engines);
    let (left, room, columns) = sides(width, engines());
    let right = width - room;
    let slots = engines().map(|engine| length(engine, params.mode)).max().unwrap_or(0);
    let fit = ((right - left) / slots.max(1) as f64).min(SCALE_MAX);
    let scale = (fit * params.zoom.max(1.0)).min(ZOOM_SCALE_MAX.max(fit));
    let seen = (right - left) / scale;
    let from = params.from.clamp(0.0, (slots as f64 - seen).max(0.0));
    let lens = Lens { left, right, scale, from };

    let mut titles = Vec::new();
    let mut rows = Vec::new();
    let mut top = TOP;
    for (answer, regions) in answers.iter().enumerate() {
        if answers.len() > 1 {
            titles.push(Title { y: top + 14.0, text: regions.subgraph.clone() });
            top += TITLE;
        }
        for (engine, of) in regions.engines.iter().enumerate() {
            rows.push(row(answer, engine, of, top, params, &lens));
            top += ROW;
        }
    }
    let ticks = ticks(&lens, slots, columns.head());
    Scene {
        width,
        height: top + 1.0,
        left,
        right,
        scale,
        from,
        slots,
        ticks,
        columns,
        titles,
        rows,
    }
}

/// Left edge of the strips, room at their right, and the columns: at least as in the small case,
/// wider where the numbers are.
fn sides<'a>(width: f64, engines: impl Iterator<Item = &'a EngineRegions>) -> (f64, f64, Columns) {
    let of = |value: u64| thousands(value).len() as f64 * DIGIT;
    let (mut neff, mut slots, mut bytes, mut agreed) = (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    for engine in engines {
        neff = neff.max(of(engine.neff_slots));
        slots = slots.max(of(engine.image_slots));
        bytes = bytes.max(of(engine.bytes));
        // A sign, two numbers and the words around them.
        let words = engine.agreement.map(|one| of(one.aligned) + of(one.slots) + 13.0 * DIGIT);
        agreed = agreed.max(words.unwrap_or(0.0));
    }
    if width < 520.0 {
        let room = (slots + 8.0).max(42.0);
        return (NAME, room.ceil(), Columns { neff: None, slots: width, bytes: None });
    }
    let (left, room, gap) = if width >= 900.0 { (96.0, 132.0, 86.0) } else { (84.0, 84.0, 43.0) };
    // The name, a gap, the number, a gap.
    let left = (NAME + neff + 10.0).max(left).ceil();
    let gap = (bytes + 10.0).max(gap).ceil();
    let room = (gap + slots + 8.0).max(agreed + 8.0).max(room).ceil();
    let neff = Some(left - 10.0);
    (left, room, Columns { neff, slots: width - gap, bytes: Some(width) })
}

impl Scene {
    /// Whether not all of the longest strip is in view.
    pub fn zoomed(&self) -> bool {
        self.slots as f64 * self.scale > self.right - self.left + 0.5
    }

    /// Slots in view.
    pub fn seen(&self) -> f64 {
        (self.right - self.left) / self.scale
    }

    /// Whether slots are too thin for cells of their own.
    pub fn merged(&self) -> bool {
        self.scale < CELL_MIN
    }

    /// Whether slots are wide enough to be named.
    pub fn named(&self) -> bool {
        self.scale >= LABEL_MIN
    }

    /// Slots of the axis in view, half open.
    pub fn span(&self) -> (u64, u64) {
        let end = (self.from + self.seen()).ceil() as u64;
        (self.from.floor() as u64, end.min(self.slots))
    }

    /// The patch marker at a point, with its row.
    pub fn mark_at(&self, x: f64, y: f64) -> Option<(usize, &Mark)> {
        self.rows.iter().enumerate().find_map(|(index, row)| {
            row.marks.iter().find(|mark| mark.holds(x, y)).map(|mark| (index, mark))
        })
    }

    /// Zoom and first slot with which a run of slots fills four fifths of the strips.
    pub fn fitting(&self, zoom: f64, slot: u64, slots: u64) -> (f64, f64) {
        let room = self.right - self.left;
        let fit = self.scale / zoom.max(1.0);
        let scale = (room * 0.8 / slots.max(1) as f64).clamp(fit, ZOOM_SCALE_MAX.max(fit));
        let middle = slot as f64 + slots as f64 / 2.0;
        (scale / fit, middle - room / scale / 2.0)
    }

    /// What is at a point.
    pub fn hit(&self, answers: &[&RegionsAnswer], x: f64, y: f64) -> Option<Hit> {
        let row = self.rows.iter().position(|row| (row.top..row.top + ROW).contains(&y))?;
        let strip = self.rows.get(row)?;
        let below = strip.tracks.iter().rfind(|track| y >= track.y - 1.0);
        let track = below.or(strip.tracks.first())?;
        let engine = answers.get(strip.answer)?.engines.get(strip.engine)?;
        let at = self.from + (x - self.left) / self.scale;
        let inside = (self.left..=self.right).contains(&x) && at >= 0.0;
        let slot = match (inside, track.kind, strip.tracks.len()) {
            (false, ..) => None,
            (_, TrackKind::Image, _) => Some(at as u64).filter(|&slot| slot < engine.image_slots),
            (_, TrackKind::Neff, 1) => Some(at as u64).filter(|&slot| slot < engine.neff_slots),
            (_, TrackKind::Neff, _) => segments(engine, RegionsMode::Both)
                .into_iter()
                .find(|s| (s.at..s.at + s.count).contains(&(at as u64)))
                .map(|s| u64::from(s.ip) - 1 + (at as u64 - s.at)),
        };
        Some(Hit { row, kind: track.kind, slot })
    }

    /// The outline of one slot: x, y, width, height. A slot thinner than a cell gets one of 5 px.
    pub fn outline(&self, track: &Track, slot: f64) -> Option<(f64, f64, f64, f64)> {
        let x = self.left + (slot - self.from) * self.scale;
        if x + self.scale < self.left || x > self.right {
            return None;
        }
        let y = track.y - 2.5;
        let height = track.height + 5.0;
        Some(if self.merged() {
            (x + self.scale / 2.0 - 2.5, y, 5.0, height)
        } else {
            (x - 0.9, y, self.scale + 1.8, height)
        })
    }

    /// Where a NEFF record is drawn in a row, in slots of the axis.
    pub fn record_at(&self, engine: &EngineRegions, row: &StripRow, ip: u32) -> Option<f64> {
        if row.tracks.len() == 1 {
            return Some(f64::from(ip.checked_sub(1)?));
        }
        let all = segments(engine, RegionsMode::Both);
        let segment = all.iter().find(|s| ip >= s.ip && u64::from(ip - s.ip) < s.count)?;
        Some((segment.at + u64::from(ip - segment.ip)) as f64)
    }
}

/// A run of NEFF records that end up in one region.
struct Segment {
    /// Axis slot of the first.
    at: u64,
    /// First IP.
    ip: u32,
    /// Records.
    count: u64,
    /// Region key.
    region: &'static str,
}

/// The records of an engine: on their own axis, or each run above the image run that it became.
fn segments(engine: &EngineRegions, mode: RegionsMode) -> Vec<Segment> {
    let mut all: Vec<Segment> = Vec::new();
    for run in &engine.runs {
        let Some([first, last]) = run.ips else { continue };
        let count = u64::from(last.saturating_sub(first)) + 1;
        let at = match mode {
            RegionsMode::Both => run.slot,
            _ => u64::from(first.saturating_sub(1)),
        };
        all.push(Segment { at, ip: first, count, region: region_key(&run.region) });
    }
    let known: u64 = all.iter().map(|segment| segment.count).sum();
    if known == 0 && engine.neff_slots > 0 {
        all.push(Segment { at: 0, ip: 1, count: engine.neff_slots, region: "main" });
    }
    all
}

fn length(engine: &EngineRegions, mode: RegionsMode) -> u64 {
    match mode {
        RegionsMode::Image => engine.image_slots,
        RegionsMode::Neff => engine.neff_slots,
        RegionsMode::Both => {
            let ends = segments(engine, mode).into_iter().map(|s| s.at + s.count);
            ends.max().unwrap_or(0).max(engine.image_slots)
        }
    }
}

fn row(
    answer: usize,
    index: usize,
    engine: &EngineRegions,
    top: f64,
    params: &Params,
    lens: &Lens,
) -> StripRow {
    let (strip, mode) = (top + STRIP_AT, params.mode);
    let tracks = match mode {
        RegionsMode::Image => vec![image_track(engine, strip, STRIP, lens)],
        RegionsMode::Neff => vec![neff_track(engine, strip, STRIP, mode, lens)],
        RegionsMode::Both => vec![
            neff_track(engine, strip, 8.0, mode, lens),
            image_track(engine, strip + 10.0, 8.0, lens),
        ],
    };
    let marks = if params.patches { marks::lay_out(engine, mode, strip, lens) } else { Vec::new() };
    StripRow { answer, engine: index, top, strip, tracks, marks }
}

fn image_track(engine: &EngineRegions, y: f64, height: f64, lens: &Lens) -> Track {
    let mut cells = Vec::new();
    let mut hatches: Vec<Span> = Vec::new();
    for run in &engine.runs {
        let region = region_key(&run.region);
        push_cells(&mut cells, (run.slot, run.slots, run.slot), region, lens, |_| false);
        if region_hatched(&run.region) {
            push_hatch(&mut hatches, lens.clip(run.slot, run.slots));
        }
    }
    for patch in engine.patches.iter().filter(|patch| in_code(patch)) {
        if patch.kind == "INSERT" {
            push_hatch(&mut hatches, lens.clip(patch.slot, patch.count));
        }
    }
    let last = engine.image_slots.checked_sub(1);
    Track { kind: TrackKind::Image, y, height, zero: last.is_none(), last, cells, hatches }
}

fn neff_track(
    engine: &EngineRegions,
    y: f64,
    height: f64,
    mode: RegionsMode,
    lens: &Lens,
) -> Track {
    let mut cells = Vec::new();
    let mut gone: Vec<(u64, u64)> = engine
        .patches
        .iter()
        .filter(|patch| patch.kind == "DELETE")
        .filter_map(|patch| Some((u64::from(patch.ip?), patch.count)))
        .collect();
    gone.sort_unstable();
    for s in segments(engine, mode) {
        let first = u64::from(s.ip.saturating_sub(1));
        let deleted = |record: u64| {
            let ip = record + 1;
            let before = gone.partition_point(|(first, _)| *first <= ip).checked_sub(1);
            before.and_then(|i| gone.get(i)).is_some_and(|(first, count)| ip - first < *count)
        };
        push_cells(&mut cells, (s.at, s.count, first), s.region, lens, deleted);
    }
    let last = engine.neff_slots.checked_sub(1);
    let (zero, hatches) = (last.is_none(), Vec::new());
    Track { kind: TrackKind::Neff, y, height, zero, last, cells, hatches }
}

/// Cells of a run: first slot on the axis, slots, and the number of the first.
fn push_cells(
    cells: &mut Vec<Cell>,
    (slot, slots, number): (u64, u64, u64),
    region: &'static str,
    lens: &Lens,
    hollow: impl Fn(u64) -> bool,
) {
    if lens.scale >= CELL_MIN {
        let first = slot.max(lens.from as u64);
        let last = (slot + slots).min((lens.from + lens.seen()).ceil() as u64);
        for at in first..last {
            if let Some(span) = lens.clip(at, 1).filter(|span| span.width > 2.0 * INSET) {
                let (x, width) = (span.x + INSET, span.width - 2.0 * INSET);
                let number = number + (at - slot);
                let hollow = hollow(number);
                cells.push(Cell { x, width, at: Some(number), region, hollow });
            }
        }
        return;
    }
    let Some(span) = lens.clip(slot, slots) else { return };
    match cells.last_mut() {
        // Neighbors of one color are one run; a run below a pixel is still seen as a pixel, and
        // further ones of its color in that pixel are part of it.
        Some(last) if last.region == region && span.x - (last.x + last.width) < 0.5 => {
            last.width = last.width.max(span.x + span.width - last.x);
        }
        _ => {
            let width = span.width.max(1.0);
            cells.push(Cell { x: span.x, width, at: None, region, hollow: false });
        }
    }
}

fn push_hatch(hatches: &mut Vec<Span>, span: Option<Span>) {
    let Some(span) = span else { return };
    match hatches.last_mut() {
        Some(last) if span.x >= last.x && span.x - (last.x + last.width) < 0.5 => {
            last.width = last.width.max(span.x + span.width - last.x);
        }
        _ => hatches.push(span),
    }
}

#[cfg(test)]
#[path = "strips_tests.rs"]
mod tests;

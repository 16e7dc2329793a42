//! Strips as pixels: filled in memory, put on the canvas at once.
//!
//! A single event of the program is solid in its engine's hue, what the runtime made is hatched in
//! the hue of its region. Several events in one bucket are hatched, and the paler the less of the
//! bucket is busy. An event without an end has a dashed frame.

use super::lines::{Line, LineKind, pinned_height};
use super::scale::Span;
use super::tile::{Item, Tile};

/// A color without transparency.
pub type Rgb = [u8; 3];

/// The colors of the drawing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// Ground.
    pub pane: Rgb,
    /// Ground of the head of a group.
    pub raised: Rgb,
    /// Line between rows.
    pub hair: Rgb,
    /// Engines, by their position in lists.
    pub engines: [Rgb; 5],
    /// Regions by column code: PREAMBLE MODEL_SWITCH MAIN POSTAMBLE FUNCTION.
    pub regions: [Rgb; 5],
    /// What belongs to no region.
    pub other: Rgb,
    /// Transfers.
    pub transfer: Rgb,
    /// Counters.
    pub counter: Rgb,
    /// What never ended.
    pub error: Rgb,
    /// Moments.
    pub text: Rgb,
}

/// Pixels with four bytes each: red, green, blue, opacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Bytes by row.
    pub pixels: Vec<u8>,
    /// Rectangles that were filled.
    pub filled: usize,
}

/// Where the drawing is looked at: window of time, first pixel row, device pixels of a pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Window of time over the whole width.
    pub span: Span,
    /// Pixels scrolled off above.
    pub scroll: f64,
    /// Device pixels of a pixel.
    pub ratio: f64,
}

/// How a rectangle is filled.
#[derive(Clone, Copy)]
enum Fill {
    Solid(Rgb),
    /// Lines of the second color, 45 degrees, every so many pixels.
    Hatched(Rgb, Rgb, usize),
    /// A dashed frame around a hatched ground.
    Open(Rgb, Rgb),
}

impl Raster {
    /// An empty drawing.
    pub fn new(width: usize, height: usize, ground: Rgb) -> Self {
        let [r, g, b] = ground;
        let pixels = [r, g, b, 255].repeat(width.saturating_mul(height));
        Self { width, height, pixels, filled: 0 }
    }

    /// Draws the lines that are in sight.
    pub fn lines(
        &mut self,
        lines: &[Line],
        tile: &Tile,
        look: Look,
        palette: &Palette,
        peaks: &[u64],
    ) {
        // What stays on top covers what is scrolled under it.
        let (pinned, others): (Vec<&Line>, Vec<&Line>) = lines.iter().partition(|line| line.pinned);
        let covered = pinned_height(lines) * look.ratio;
        for line in others.into_iter().chain(pinned) {
            let top = line.y(look.scroll) * look.ratio;
            let bottom = top + line.height * look.ratio;
            let hidden = if line.pinned { 0.0 } else { covered };
            if bottom <= hidden || top >= self.height as f64 {
                continue;
            }
            if line.pinned {
                self.fill(0.0, top, self.width as f64, bottom, Fill::Solid(palette.pane));
            }
            if line.kind == LineKind::Group {
                self.fill(0.0, top, self.width as f64, bottom, Fill::Solid(palette.raised));
            }
            for lane in line.lane..line.lane + line.lanes {
                let (strip, height) = line.strip(lane);
                let y = (line.y(look.scroll) + strip) * look.ratio;
                let place = (y, y + (height * look.ratio).max(1.0));
                let peak = peaks.get(line.row).copied().unwrap_or(0);
                self.lane(line, tile.lane(lane), look.span, place, palette, peak);
            }
            let edge = (bottom - look.ratio).round();
            self.fill(0.0, edge, self.width as f64, bottom.round(), Fill::Solid(palette.hair));
        }
    }

    fn lane(
        &mut self,
        line: &Line,
        items: &[Item],
        span: Span,
        (top, bottom): (f64, f64),
        palette: &Palette,
        peak: u64,
    ) {
        let width = self.width as f64;
        let x = |time: f64| span.part(time) * width;
        // Runs before the window are skipped, but for the one that may reach in.
        let first = items.partition_point(|item| (item.start as f64) < span.from);
        let items = items.get(first.saturating_sub(1)..).unwrap_or(&[]);
        for item in items.iter().take_while(|item| (item.start as f64) < span.to) {
            let (left, right) = (x(item.start as f64), x(item.end as f64));
            if right < 0.0 {
                continue;
            }
            if line.kind == LineKind::Counter {
                self.step(item, (left, right), (top, bottom), palette, peak);
                continue;
            }
            // Neighbors that are wide enough have a gap; nothing is narrower than a pixel.
            let right = if right - left > 4.0 { right - 1.0 } else { right.max(left + 1.0) };
            let fill = fill_of(line, item, palette);
            self.fill(left, top, right, bottom, fill);
        }
    }

    /// A value that holds until the next one: its height is its part of the largest.
    fn step(
        &mut self,
        item: &Item,
        (left, right): (f64, f64),
        (top, bottom): (f64, f64),
        palette: &Palette,
        peak: u64,
    ) {
        let part = |value: f64| bottom - (bottom - top) * value / (peak.max(1) as f64);
        let level = part(f64::from(item.value));
        let soft = mix(palette.pane, palette.counter, 0.22);
        let right = right.max(left + 1.0);
        self.fill(left, level, right, bottom, Fill::Solid(soft));
        if item.count > 1 {
            // Several values in one bucket: up to the largest of them.
            let ground = Fill::Hatched(mix(palette.pane, palette.counter, 0.5), palette.pane, 4);
            self.fill(left, part(item.largest as f64), right, bottom, ground);
        }
        let edge = Fill::Solid(mix(palette.pane, palette.counter, 0.5));
        let line = (level - 1.0).max(top);
        self.fill(left, line, left + 1.0, bottom, edge);
        self.fill(left, line, right, line + 1.5, Fill::Solid(palette.counter));
    }

    fn fill(&mut self, left: f64, top: f64, right: f64, bottom: f64, fill: Fill) {
        let clamp = |value: f64, most: usize| value.round().clamp(0.0, most as f64) as usize;
        let (x0, y0) = (clamp(left, self.width), clamp(top, self.height));
        let x1 = clamp(right, self.width).max((x0 + 1).min(self.width));
        let y1 = clamp(bottom, self.height).max((y0 + 1).min(self.height));
        if left >= self.width as f64 || right < 0.0 || top >= self.height as f64 || bottom <= 0.0 {
            return;
        }
        self.filled += 1;
        let stride = self.width * 4;
        for (y, row) in self.pixels.chunks_exact_mut(stride.max(4)).enumerate().take(y1).skip(y0) {
            let Some(row) = row.get_mut(x0 * 4..x1 * 4) else { continue };
            for (x, pixel) in (x0..).zip(row.chunks_exact_mut(4)) {
                let color = match fill {
                    Fill::Solid(color) => color,
                    Fill::Hatched(color, gap, every) => {
                        if (x + y) % every < every - every.div_ceil(3) { color } else { gap }
                    }
                    Fill::Open(color, ground) => {
                        let frame = y == y0 || y + 1 == y1 || x == x0 || x + 1 == x1;
                        let dash = (x - x0 + y - y0) % 6 < 4;
                        let hatch = !frame && (x + y) % 8 == 0;
                        if (frame && dash) || hatch { color } else { ground }
                    }
                };
                let [r, g, b] = color;
                pixel.copy_from_slice(&[r, g, b, 255]);
            }
        }
    }
}

fn fill_of(line: &Line, item: &Item, palette: &Palette) -> Fill {
    let pick = |list: &[Rgb], at: usize| list.get(at).copied().unwrap_or(palette.other);
    let hue = match line.kind {
        LineKind::Engine => pick(&palette.engines, line.row),
        LineKind::Queue => palette.transfer,
        _ => palette.text,
    };
    if item.flags & 1 != 0 && item.count == 1 {
        return Fill::Open(palette.error, mix(palette.pane, palette.error, 0.08));
    }
    if item.count > 1 {
        // Between a third and all of the hue, so that the idlest bucket is still seen.
        let len = item.end.saturating_sub(item.start).max(1) as f64;
        let busy = (item.busy as f64 / len).clamp(0.0, 1.0);
        return Fill::Hatched(mix(palette.pane, hue, 0.35 + 0.65 * busy), palette.pane, 6);
    }
    match (line.kind, item.region) {
        // The program's own: MAIN and its functions, or an image of which no region is known.
        (LineKind::Engine, 2 | 4) => Fill::Solid(hue),
        (LineKind::Engine, 255) if item.slot.is_some() => Fill::Solid(hue),
        (LineKind::Engine, 255) => Fill::Hatched(palette.other, palette.pane, 5),
        (LineKind::Engine, region) => {
            Fill::Hatched(pick(&palette.regions, usize::from(region)), palette.pane, 5)
        }
        _ => Fill::Solid(hue),
    }
}

/// A color between two others.
pub fn mix(from: Rgb, to: Rgb, part: f64) -> Rgb {
    let [r, g, b] = from;
    let [r2, g2, b2] = to;
    let one = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    [one(r, r2), one(g, g2), one(b, b2)]
}

#[cfg(test)]
mod tests;

//! The timeline's pixels and what stands above them, on two canvases.

use crate::dom::window;
use crate::layout::timeline::lines::{Line, LineKind, pinned_height};
use crate::layout::timeline::raster::{Palette, Raster, Rgb};
use crate::layout::timeline::scale::Span;
use crate::layout::timeline::tile::Tile;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, Element, HtmlCanvasElement, ImageData};

/// Narrowest slice that has a label, in pixels.
const LABEL_PX: f64 = 30.0;
/// Labels of one drawing.
const LABELS: usize = 500;
/// Width of a letter of a label, in pixels.
const LETTER: f64 = 6.7;

/// What is marked above the strips.
pub struct Marks<'a> {
    /// Window of time.
    pub span: Span,
    /// Pixels scrolled off above.
    pub scroll: f64,
    /// Ticks of the ruler, as times.
    pub ticks: Vec<f64>,
    /// The chosen range.
    pub range: Option<(u64, u64)>,
    /// From where to where: line, track, time, of both ends.
    pub arrows: Vec<[(&'a Line, u32, u64); 2]>,
    /// Marked times and ranges.
    pub kept: Vec<(u64, u64)>,
    /// Line, track and times of the selected event.
    pub picked: Option<(&'a Line, u32, u64, u64)>,
    /// Line whose engine executes the selected slot, and the starts.
    pub executions: Option<(&'a Line, Vec<u64>)>,
    /// Line under the cursor of the keyboard.
    pub row: Option<&'a Line>,
}

/// Colors of the overlay as CSS values.
#[derive(Clone, Debug, Default)]
pub struct Inks {
    text: String,
    soft: String,
    hair: String,
    accent: String,
    pane: String,
    on: [String; 5],
    mono: String,
}

/// The context of a canvas for drawing in two dimensions.
fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok().flatten()?.dyn_into().ok()
}

/// Colors of the present theme.
pub fn colors(root: &Element) -> (Palette, Inks) {
    let style = window().and_then(|window| window.get_computed_style(root).ok()).flatten();
    let value = |name: &str| {
        let style = style.as_ref();
        style.and_then(|style| style.get_property_value(name).ok()).unwrap_or_default()
    };
    let rgb = |name: &str| parse(value(name).trim());
    let engines = ["pe", "act", "pool", "dve", "sp"];
    let palette = Palette {
        pane: rgb("--s-pane"),
        raised: rgb("--s-raised"),
        hair: rgb("--l-hair"),
        engines: engines.map(|key| rgb(&format!("--e-{key}"))),
        regions: ["pre", "msw", "main", "post", "fn"].map(|key| rgb(&format!("--r-{key}"))),
        other: rgb("--r-pad"),
        transfer: rgb("--k-8"),
        counter: rgb("--a-1"),
        error: rgb("--v-err"),
        text: rgb("--t-2"),
    };
    let inks = Inks {
        text: value("--t-1"),
        soft: value("--t-3"),
        hair: value("--l-mid"),
        accent: value("--a-1"),
        pane: value("--s-pane"),
        on: engines.map(|key| value(&format!("--e-{key}-on"))),
        mono: value("--mono"),
    };
    (palette, inks)
}

/// `#rrggbb` as numbers; black for anything else.
fn parse(text: &str) -> Rgb {
    let number = text.strip_prefix('#').and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let [_, r, g, b] = number.unwrap_or(0).to_be_bytes();
    [r, g, b]
}

/// Puts pixels on a canvas of the same size.
pub fn put(canvas: &HtmlCanvasElement, raster: &Raster) {
    let (width, height) = (raster.width as u32, raster.height as u32);
    if canvas.width() != width {
        canvas.set_width(width);
    }
    if canvas.height() != height {
        canvas.set_height(height);
    }
    let data = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&raster.pixels), width, height);
    if let (Some(context), Ok(data)) = (context(canvas), data) {
        let _ = context.put_image_data(&data, 0.0, 0.0);
    }
}

/// Draws labels, ticks, range and marks.
pub fn overlay(
    canvas: &HtmlCanvasElement,
    (width, height, ratio): (f64, f64, f64),
    lines: &[Line],
    tile: &Tile,
    marks: &Marks<'_>,
    inks: &Inks,
) {
    let (w, h) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    if canvas.width() != w {
        canvas.set_width(w);
    }
    if canvas.height() != h {
        canvas.set_height(h);
    }
    let Some(context) = context(canvas) else { return };
    let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
    context.clear_rect(0.0, 0.0, width, height);
    let x = |time: f64| marks.span.part(time) * width;
    context.set_fill_style_str(&inks.hair);
    context.set_global_alpha(0.6);
    for tick in &marks.ticks {
        context.fill_rect(x(*tick).round(), 0.0, 1.0, height);
    }
    context.set_global_alpha(1.0);
    if let Some((from, to)) = marks.range {
        let (left, right) = (x(from as f64), x(to as f64));
        context.set_fill_style_str(&inks.accent);
        context.set_global_alpha(0.08);
        context.fill_rect(left, 0.0, right - left, height);
        context.set_global_alpha(1.0);
        context.fill_rect(left.round(), 0.0, 1.0, height);
        context.fill_rect(right.round() - 1.0, 0.0, 1.0, height);
    }
    for (from, to) in &marks.kept {
        let (left, right) = (x(*from as f64), x(*to as f64));
        context.set_fill_style_str(&inks.text);
        context.set_global_alpha(0.07);
        context.fill_rect(left, 0.0, right - left, height);
        context.set_global_alpha(0.75);
        context.fill_rect(left.round(), 0.0, 1.0, height);
        context.fill_rect(right.round(), 0.0, 1.0, height);
        context.set_global_alpha(1.0);
    }
    // What stays on top covers what is scrolled under it.
    let covered = pinned_height(lines);
    let (on_top, others) = lines.split_at(lines.iter().take_while(|line| line.pinned).count());
    context.save();
    context.begin_path();
    context.rect(0.0, covered, width, (height - covered).max(0.0));
    context.clip();
    on_lines(&context, others, tile, marks, inks, width);
    context.restore();
    on_lines(&context, on_top, tile, marks, inks, width);
    for [from, to] in &marks.arrows {
        arrow(&context, marks, inks, width, *from, *to);
    }
    if covered > 0.0 {
        context.set_fill_style_str(&inks.soft);
        context.fill_rect(0.0, covered - 1.0, width, 1.0);
    }
}

/// A curve from the end of what is depended on to the start of what depends on it.
fn arrow(
    context: &CanvasRenderingContext2d,
    marks: &Marks<'_>,
    inks: &Inks,
    width: f64,
    from: (&Line, u32, u64),
    to: (&Line, u32, u64),
) {
    let place = |(line, lane, time): (&Line, u32, u64)| {
        let (strip, height) = line.strip(lane);
        let x = marks.span.part(time as f64) * width;
        (x.clamp(-1e4, 1e4), line.y(marks.scroll) + strip + height / 2.0)
    };
    let ((x0, y0), (x1, y1)) = (place(from), place(to));
    let reach = ((x1 - x0).abs() / 2.0).clamp(14.0, 80.0);
    let curve = || {
        context.begin_path();
        context.move_to(x0, y0);
        context.bezier_curve_to(x0 + reach, y0, x1 - reach, y1, x1 - 5.0, y1);
        context.stroke();
    };
    context.set_stroke_style_str(&inks.pane);
    context.set_line_width(4.0);
    curve();
    context.set_stroke_style_str(&inks.accent);
    context.set_line_width(1.75);
    curve();
    context.set_fill_style_str(&inks.accent);
    context.begin_path();
    context.move_to(x1, y1);
    context.line_to(x1 - 7.0, y1 - 4.0);
    context.line_to(x1 - 7.0, y1 + 4.0);
    context.fill();
}

/// What stands on some of the lines: names, executions, the cursor, the selected event.
fn on_lines(
    context: &CanvasRenderingContext2d,
    lines: &[Line],
    tile: &Tile,
    marks: &Marks<'_>,
    inks: &Inks,
    width: f64,
) {
    let x = |time: f64| marks.span.part(time) * width;
    let own = |line: &Line| lines.iter().any(|one| one.name == line.name && one.kind == line.kind);
    labels(context, lines, tile, marks, inks, width);
    if let Some((line, starts)) = marks.executions.as_ref().filter(|(line, _)| own(line)) {
        context.set_fill_style_str(&inks.accent);
        let y = line.y(marks.scroll) + 2.0;
        for start in starts {
            let at = x(*start as f64).round();
            if (-4.0..=width + 4.0).contains(&at) {
                context.begin_path();
                context.move_to(at - 3.5, y);
                context.line_to(at + 3.5, y);
                context.line_to(at, y + 5.5);
                context.fill();
            }
        }
    }
    if let Some(line) = marks.row.filter(|line| own(line)) {
        context.set_fill_style_str(&inks.accent);
        context.fill_rect(0.0, line.y(marks.scroll), 2.0, line.height - 1.0);
    }
    if let Some((line, lane, from, to)) = marks.picked.filter(|(line, ..)| own(line)) {
        let (strip, height) = line.strip(lane);
        let left = x(from as f64);
        let wide = (x(to as f64) - left).max(2.0);
        let y = line.y(marks.scroll) + strip;
        context.set_stroke_style_str(&inks.pane);
        context.set_line_width(4.0);
        context.stroke_rect(left - 2.0, y - 2.0, wide + 4.0, height + 4.0);
        context.set_stroke_style_str(&inks.text);
        context.set_line_width(2.0);
        context.stroke_rect(left - 2.0, y - 2.0, wide + 4.0, height + 4.0);
    }
}

/// Names of the slices that are wide enough, and of values that hold long enough.
fn labels(
    context: &CanvasRenderingContext2d,
    lines: &[Line],
    tile: &Tile,
    marks: &Marks<'_>,
    inks: &Inks,
    width: f64,
) {
    context.set_font(&format!("600 11px {}", inks.mono));
    context.set_text_baseline("middle");
    let mut count = 0;
    for line in
        lines.iter().filter(|line| matches!(line.kind, LineKind::Engine | LineKind::Counter))
    {
        let (strip, height) = line.strip(line.lane);
        let y = line.y(marks.scroll) + strip + height / 2.0;
        let items = tile.lane(line.lane);
        let first = items.partition_point(|item| (item.end as f64) < marks.span.from);
        let seen = items.get(first..).unwrap_or(&[]).iter();
        for item in seen.take_while(|item| (item.start as f64) < marks.span.to) {
            let part = |time: u64| marks.span.part(time as f64) * width;
            let (left, right) = (part(item.start).max(0.0), part(item.end).min(width));
            if right - left < LABEL_PX || item.count != 1 || count >= LABELS {
                continue;
            }
            count += 1;
            let fits = ((right - left - 8.0) / LETTER) as usize;
            if line.kind == LineKind::Counter {
                context.set_fill_style_str(&inks.soft);
                let _ = context.fill_text(
                    &item.value.to_string(),
                    left + 4.0,
                    line.y(marks.scroll) + 7.0,
                );
                continue;
            }
            let text: String = item.name.chars().take(fits).collect();
            let own =
                matches!(item.region, 2 | 4 | 255) && item.flags & 1 == 0 && item.slot.is_some();
            if own {
                context.set_fill_style_str(inks.on.get(line.row).map_or("#000", String::as_str));
            } else {
                // Hatched grounds carry no text: the name gets a plate.
                let plate = text.chars().count() as f64 * LETTER + 6.0;
                context.set_fill_style_str(&inks.pane);
                context.fill_rect(left + 2.0, y - 8.0, plate, 16.0);
                context.set_fill_style_str(&inks.text);
            }
            let _ = context.fill_text(&text, left + 5.0, y + 0.5);
        }
    }
}

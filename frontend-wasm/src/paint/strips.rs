//! Region strips as SVG.
//!
//! Two layers: the drawing, made anew when the display list changes, and the outlines of selection
//! and hover above it, which move alone.

use crate::dom::{El, append, replace_children, svg};
use crate::layout::format::thousands;
use crate::layout::marks::Mark;
use crate::layout::strips::{ROW, Scene, StripRow, Track};
use crate::paint::glyph::{engine_glyph, patch_key};
use debug_api::answer::EngineRegions;
use web_sys::Element;

/// What the painter has to know of a row besides its geometry.
pub struct RowFacts<'a> {
    /// The engine.
    pub engine: &'a EngineRegions,
    /// Whether it is the selected engine.
    pub on: bool,
    /// What is selected in it, in words.
    pub words: String,
    /// The selected slot, or the first.
    pub now: u64,
    /// Names of its cells: left edge, baseline, text.
    pub names: Vec<(f64, f64, String)>,
}

/// Number with at most one decimal, as attributes have it.
fn n(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn rect(class: &str, x: f64, y: f64, width: f64, height: f64) -> El {
    svg("rect")
        .class(class)
        .attr("x", &n(x))
        .attr("y", &n(y))
        .attr("width", &n(width))
        .attr("height", &n(height))
}

fn text(class: &str, x: f64, y: f64, anchor: &str, content: &str) -> El {
    svg("text")
        .class(class)
        .attr("x", &n(x))
        .attr("y", &n(y))
        .attr("text-anchor", anchor)
        .text(content)
}

/// Draws axis, titles and rows into `layer`; one group a row, in the order of the scene.
pub fn paint(layer: &Element, scene: &Scene, facts: &[RowFacts<'_>]) {
    let mut parts = vec![grid(scene)];
    for title in &scene.titles {
        parts.push(text("b", 4.0, title.y, "start", &title.text));
    }
    for (index, (row, facts)) in scene.rows.iter().zip(facts).enumerate() {
        parts.push(strip_row(scene, index, row, facts));
    }
    replace_children(layer, parts);
}

/// The lines of the ticks behind the rows.
fn grid(scene: &Scene) -> El {
    let grid = svg("g").class("axisg").attr("aria-hidden", "true");
    let end = scene.height - 2.0;
    grid.children(
        scene.ticks.iter().map(|tick| {
            svg("path").class("axis2").attr("d", &format!("M{} 16V{}", n(tick.x), n(end)))
        }),
    )
}

/// Draws the numbers of the ticks and the heads of the columns.
pub fn paint_axis(layer: &Element, scene: &Scene) {
    let labels = scene.ticks.iter().filter(|tick| !tick.label.is_empty());
    let mut parts: Vec<El> =
        labels.map(|tick| text("tk", tick.label_x, 11.0, "start", &tick.label)).collect();
    let columns = &scene.columns;
    parts.push(text("tk", columns.slots, 11.0, "end", "slots"));
    parts.extend(columns.bytes.map(|x| text("tk", x, 11.0, "end", "bytes")));
    replace_children(layer, parts);
}

fn strip_row(scene: &Scene, index: usize, row: &StripRow, facts: &RowFacts<'_>) -> El {
    let engine = facts.engine;
    let last = engine.image_slots.saturating_sub(1);
    let base = row.strip + 13.0;
    let mut group = svg("g")
        .class("striprow")
        .attr("role", "slider")
        .attr("tabindex", if facts.on { "0" } else { "-1" })
        .attr("data-row", &index.to_string())
        .attr("aria-label", &image_words(engine))
        .attr("aria-valuemin", "0")
        .attr("aria-valuemax", &last.to_string())
        .attr("aria-valuenow", &facts.now.to_string())
        .attr("aria-valuetext", &facts.words)
        .child(rect(
            if facts.on { "rowhit rowon" } else { "rowhit" },
            -12.0,
            row.top,
            scene.width + 28.0,
            ROW - 1.0,
        ))
        .child(
            svg("g")
                .attr("transform", &format!("translate(4 {})", n(row.strip + 3.0)))
                .child(engine_glyph(&engine.engine).attr("width", "12").attr("height", "12")),
        )
        .child(text("b", 22.0, base, "start", &engine.engine));
    let columns = &scene.columns;
    if let Some(x) = columns.neff {
        group = group.child(text("tk", x, base, "end", &thousands(engine.neff_slots)));
    }
    group = group.child(text("tk t1", columns.slots, base, "end", &thousands(engine.image_slots)));
    if let Some(x) = columns.bytes {
        group = group.child(text("tk", x, base, "end", &thousands(engine.bytes)));
    }
    if let Some(agreement) = engine.agreement {
        let whole = agreement.same == agreement.slots;
        let (class, sign) = if whole { ("tk agr ok", "✓") } else { ("tk agr part", "≠") };
        let (aligned, slots) = (thousands(agreement.aligned), thousands(agreement.slots));
        // Where slots moved, the ones at their own index say nothing: equal ones are counted aligned.
        let moved = agreement.aligned != agreement.same;
        let words = match columns.bytes {
            Some(_) if moved => format!("{sign} {aligned} / {slots} aligned"),
            Some(_) => format!("{sign} {aligned} / {slots} same"),
            None => format!("{sign} {aligned}"),
        };
        group = group.child(text(class, scene.width, base + 15.0, "end", &words));
    }
    for track in &row.tracks {
        group = group.child(track_group(scene, track));
    }
    for (x, y, name) in &facts.names {
        group = group.child(text("nm", *x, *y, "start", name));
    }
    for mark in &row.marks {
        group = group.child(mark_group(mark));
    }
    group.child(rect("ring", -8.0, row.top + 1.0, scene.width + 16.0, ROW - 3.0).attr("rx", "3"))
}

/// The image in words, with how far it agrees with the built one.
fn image_words(engine: &EngineRegions) -> String {
    match engine.agreement {
        Some(agreement) => format!(
            "Image of {}, {} of {} slots same in the captured and the built image, {} of them at the \
             same slot",
            engine.engine,
            thousands(agreement.aligned),
            thousands(agreement.slots),
            thousands(agreement.same)
        ),
        None => format!("Image of {}", engine.engine),
    }
}

fn track_group(scene: &Scene, track: &Track) -> El {
    // Cells that are wide enough for a name are tinted, with an edge in the full hue.
    let named = scene.named() && track.height > 12.0;
    let mut group = svg("g").attr("aria-hidden", "true");
    if named {
        group = group.class("named");
    }
    if track.zero {
        let line = format!("M{} {}v{}", n(scene.left), n(track.y), n(track.height));
        return group.child(svg("path").class("zero").attr("d", &line));
    }
    // The window is past the end of a shorter image.
    if let (true, Some(last)) = (track.cells.is_empty(), track.last) {
        let words = format!("◂ ends at {}", thousands(last));
        return group.child(text(
            "tk",
            scene.left + 4.0,
            track.y + track.height - 5.0,
            "start",
            &words,
        ));
    }
    for cell in &track.cells {
        let class = if cell.hollow { "hollow".to_owned() } else { format!("r-{}", cell.region) };
        let inset = if cell.hollow { 0.5 } else { 0.0 };
        let drawn = rect(
            &class,
            cell.x + inset,
            track.y + inset,
            (cell.width - 2.0 * inset).max(0.5),
            track.height - 2.0 * inset,
        );
        group = group.child(if cell.width > 3.0 { drawn.attr("rx", "1.5") } else { drawn });
        if named && !cell.hollow {
            let class = format!("edge r-{}", cell.region);
            group = group.child(rect(&class, cell.x, track.y, cell.width.min(3.0), track.height));
        }
    }
    for hatch in &track.hatches {
        let over = rect("hatch", hatch.x, track.y, hatch.width, track.height);
        group = group.child(over.attr("fill", "url(#h-ins)"));
    }
    group
}

fn mark_group(mark: &Mark) -> El {
    let key = patch_key(mark.kind);
    let mut group = svg("g").class("mark").attr("aria-hidden", "true");
    if !mark.path.is_empty() {
        let width = if key == "ins" { "1.5" } else { "2" };
        let path = svg("path").class(&format!("ls-{key}")).attr("stroke-width", width);
        group = group.child(path.attr("d", &mark.path));
    }
    let place = format!("translate({} {})", n(mark.glyph.0), n(mark.glyph.1));
    let glyph = svg("use").class(&format!("p-{key}")).attr("href", &format!("#p-{key}"));
    group
        .child(
            svg("g").attr("transform", &place).child(glyph.attr("width", "9").attr("height", "9")),
        )
        .child(text(&format!("x-{key} m"), mark.label_at.0, mark.label_at.1, "start", &mark.label))
}

/// An outline around one slot; several for a record that stands in two tracks.
pub fn outline(layer: &Element, class: &str, scene: &Scene, track: &Track, slot: f64) {
    if let Some((x, y, width, height)) = scene.outline(track, slot) {
        append(layer, &rect(class, x, y, width, height).attr("rx", "2.5").build());
    }
}

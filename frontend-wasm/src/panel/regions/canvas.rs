//! The SVG of the Regions pane with what has been drawn into it: scene, window, outlines, tooltip.

use super::tip;
use crate::dom::{
    append, data_number, div, document, find, replace_children, set_attr, set_class, set_hidden,
    set_style, svg,
};
use crate::layout::ips;
use crate::layout::place;
use crate::layout::state::{Hover, Pane, RegionsMode, Selection, State};
use crate::layout::strips::{self, Hit, Params, ROW, Scene, StripRow, TrackKind};
use crate::paint::glyph::button;
use crate::paint::strips::{RowFacts, outline, paint};
use debug_api::answer::{EngineRegions, RegionsAnswer};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent, SvgElement};

/// Left and right padding of the scroller.
const PADDING: f64 = 28.0;

/// A press that may become a drag.
struct Drag {
    x: f64,
    from: f64,
    moved: bool,
}

/// The drawing.
pub struct Canvas {
    root: Element,
    drawing: Element,
    base: Element,
    top: Element,
    tip: Element,
    fit: Element,
    answers: Vec<Rc<RegionsAnswer>>,
    mode: RegionsMode,
    width: f64,
    zoom: f64,
    from: f64,
    scene: Option<Scene>,
    selection: Selection,
    hover: Option<Hover>,
    pointer: Option<Hit>,
    drag: Option<Drag>,
    dragged: bool,
    follow: bool,
}

impl Canvas {
    /// An empty drawing.
    pub fn new() -> Self {
        let base = svg("g").build();
        let top = svg("g").attr("aria-hidden", "true").build();
        let drawing = svg("svg")
            .attr("role", "group")
            .attr("aria-label", "Engine images, to scale")
            .node(&base)
            .node(&top)
            .build();
        let tip = div("tip").attr("role", "presentation").attr("hidden", "").build();
        let root = div("strips").node(&drawing).node(&tip).build();
        let fit = button("btn sm").attr("title", "Show the whole images (0)").text("Fit").build();
        set_hidden(&fit, true);
        Self {
            root,
            drawing,
            base,
            top,
            tip,
            fit,
            answers: Vec::new(),
            mode: RegionsMode::Image,
            width: 0.0,
            zoom: 1.0,
            from: 0.0,
            scene: None,
            selection: Selection::default(),
            hover: None,
            pointer: None,
            drag: None,
            dragged: false,
            follow: false,
        }
    }

    /// The scroller.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// The button that shows all again.
    pub const fn fit(&self) -> &Element {
        &self.fit
    }

    /// What is selected.
    pub const fn selection(&self) -> &Selection {
        &self.selection
    }

    /// The images and the engine of a row.
    pub fn of_row(&self, row: usize) -> Option<(&RegionsAnswer, &EngineRegions)> {
        let row = self.scene.as_ref()?.rows.get(row)?;
        let answer = self.answers.get(row.answer)?;
        Some((answer, answer.engines.get(row.engine)?))
    }

    /// Slots that a page key moves: a tenth of what is in view.
    pub fn page(&self) -> u64 {
        self.scene.as_ref().map_or(1, |scene| ((scene.seen() / 10.0) as u64).max(2))
    }

    /// Takes over what the state says.
    pub fn update(&mut self, state: &State, answers: Vec<Rc<RegionsAnswer>>) {
        let same = self.answers.len() == answers.len()
            && self.answers.iter().zip(&answers).all(|(a, b)| Rc::ptr_eq(a, b));
        let again = !same || self.mode != state.regions_mode;
        if self.mode != state.regions_mode {
            (self.zoom, self.from) = (1.0, 0.0);
        }
        let elsewhere = self.selection != state.selection;
        self.answers = answers;
        self.mode = state.regions_mode;
        self.selection = state.selection.clone();
        self.hover = state.hover.clone().filter(|hover| hover.pane != Pane::Regions);
        if elsewhere {
            self.bring_into_view();
        }
        if again || self.scene.is_none() {
            self.resize();
            self.draw(true);
        } else {
            self.draw(false);
        }
        if std::mem::take(&mut self.follow) {
            self.focus();
        }
    }

    /// Takes the width of the pane.
    pub fn resize(&mut self) {
        let width = f64::from(self.root.client_width()) - PADDING;
        if width > 0.0 && (width - self.width).abs() >= 1.0 {
            self.width = width;
            self.draw(false);
        }
    }

    /// Zooms by a factor around a place of the drawing, or around the selection.
    pub fn zoom(&mut self, factor: f64, x: Option<f64>) {
        let Some(scene) = &self.scene else { return };
        let fit = scene.scale / self.zoom;
        let most = (36.0 / fit).max(1.0);
        let chosen =
            self.selection.slot.map(|s| scene.left + (f64::from(s) - scene.from) * scene.scale);
        let middle = f64::midpoint(scene.left, scene.right);
        let seen = |x: &f64| (scene.left..=scene.right).contains(x);
        let x = x.or(chosen).filter(seen).unwrap_or(middle);
        let slot = scene.from + (x - scene.left) / scene.scale;
        self.zoom = (self.zoom * factor).clamp(1.0, most);
        self.from = slot - (x - scene.left) / (fit * self.zoom);
        self.draw(false);
    }

    /// Shows the whole images.
    pub fn fit_all(&mut self) {
        (self.zoom, self.from) = (1.0, 0.0);
        self.draw(false);
    }

    /// Moves the window; `false` if there is nothing to move.
    pub fn pan(&mut self, pixels: f64) -> bool {
        let Some(scene) = self.scene.as_ref().filter(|scene| scene.zoomed()) else { return false };
        self.from = scene.from + pixels / scene.scale;
        self.draw(false);
        true
    }

    /// A button went down.
    pub fn drag_start(&mut self, x: f64) {
        self.dragged = false;
        let from = self.scene.as_ref().filter(|scene| scene.zoomed()).map(|scene| scene.from);
        self.drag = from.map(|from| Drag { x, from, moved: false });
    }

    /// The pointer moved with the button down; whether it is a drag.
    pub fn drag_to(&mut self, x: f64, least: f64) -> bool {
        let Some(scale) = self.scene.as_ref().map(|scene| scene.scale) else { return false };
        let Some(drag) = &mut self.drag else { return false };
        drag.moved |= (x - drag.x).abs() > least;
        if !drag.moved {
            return false;
        }
        self.dragged = true;
        self.from = drag.from - (x - drag.x) / scale;
        self.draw(false);
        true
    }

    /// The button went up, or the pointer left.
    pub fn drag_end(&mut self) {
        self.drag = None;
    }

    /// Whether the click that follows ends a drag.
    pub fn take_dragged(&mut self) -> bool {
        std::mem::take(&mut self.dragged)
    }

    /// A point of the window in the drawing. Page zoom does not shift it, since both sides are
    /// measured in the same pixels.
    pub fn local(&self, mouse: &MouseEvent) -> Option<(f64, f64)> {
        let scene = self.scene.as_ref()?;
        let rect = self.drawing.get_bounding_client_rect();
        let scale = if rect.width() > 0.0 { scene.width / rect.width() } else { 1.0 };
        let x = (f64::from(mouse.client_x()) - rect.left()) * scale;
        Some((x, (f64::from(mouse.client_y()) - rect.top()) * scale))
    }

    /// What is under the pointer.
    pub fn hit(&self, mouse: &MouseEvent) -> Option<Hit> {
        let (x, y) = self.local(mouse)?;
        let answers: Vec<&RegionsAnswer> = self.answers.iter().map(Rc::as_ref).collect();
        self.scene.as_ref()?.hit(&answers, x, y)
    }

    /// The pointer is over this; whether that is news.
    pub fn point(&mut self, hit: Option<Hit>) -> bool {
        let hit = hit.filter(|hit| hit.slot.is_some());
        if hit == self.pointer {
            return false;
        }
        self.pointer = hit;
        self.draw_top();
        self.draw_tip();
        true
    }

    /// The focus goes to the strip of the selected engine when the selection has moved.
    pub fn follow_focus(&mut self) {
        self.follow = true;
    }

    /// Puts the focus on the strip of the selected engine.
    pub fn focus(&self) {
        let strip = find(&self.base, ".striprow[tabindex=\"0\"]");
        if let Some(strip) = strip.as_ref().and_then(|strip| strip.dyn_ref::<SvgElement>()) {
            let _ = strip.focus();
        } else if let Some(root) = self.root.dyn_ref::<HtmlElement>() {
            let _ = root.focus();
        }
    }

    fn bring_into_view(&mut self) {
        let Some(scene) = self.scene.as_ref().filter(|scene| scene.zoomed()) else { return };
        let Some(slot) = self.selection.slot.map(f64::from) else { return };
        let seen = scene.seen();
        if slot < scene.from || slot + 1.0 > scene.from + seen {
            self.from = slot - seen / 2.0;
        }
    }

    fn draw(&mut self, force: bool) {
        if self.width <= 0.0 || self.answers.is_empty() {
            return;
        }
        let answers: Vec<&RegionsAnswer> = self.answers.iter().map(Rc::as_ref).collect();
        let params =
            Params { width: self.width, mode: self.mode, zoom: self.zoom, from: self.from };
        let scene = strips::lay_out(&answers, &params);
        self.from = scene.from;
        if force || self.scene.as_ref() != Some(&scene) {
            let focused = self.focused_row();
            set_attr(&self.drawing, "viewBox", &format!("0 0 {} {}", scene.width, scene.height));
            set_attr(&self.drawing, "height", &scene.height.to_string());
            set_hidden(&self.fit, !scene.zoomed());
            self.scene = Some(scene);
            if let Some(scene) = &self.scene {
                paint(&self.base, scene, &self.facts());
            }
            if let Some(row) = focused {
                let row = find(&self.base, &format!("[data-row=\"{row}\"]"));
                if let Some(row) = row.as_ref().and_then(|row| row.dyn_ref::<SvgElement>()) {
                    let _ = row.focus();
                }
            }
        } else {
            self.update_rows();
        }
        self.draw_top();
        if self.pointer.is_some() {
            self.draw_tip();
        }
    }

    fn focused_row(&self) -> Option<u64> {
        let active = document()?.active_element()?;
        self.base.contains(Some(&active)).then(|| data_number(&active, "row")).flatten()
    }

    fn facts(&self) -> Vec<RowFacts<'_>> {
        let rows = self.scene.as_ref().map_or(0, |scene| scene.rows.len());
        (0..rows).filter_map(|row| self.facts_of(row)).collect()
    }

    fn facts_of(&self, row: usize) -> Option<RowFacts<'_>> {
        let (answer, engine) = self.of_row(row)?;
        let on = answer.subgraph == self.selection.s && engine.engine == self.selection.e;
        let now = self.selection.slot.filter(|_| on).map(u64::from);
        let words = match now {
            Some(slot) => tip::words(engine, slot),
            None => format!("{} slots, none selected", engine.image_slots),
        };
        let now = now.or(place::first_slot(engine).map(u64::from)).unwrap_or(0);
        Some(RowFacts { engine, on, words, now })
    }

    fn update_rows(&self) {
        for (index, facts) in self.facts().iter().enumerate() {
            let Some(row) = find(&self.base, &format!("[data-row=\"{index}\"]")) else { continue };
            set_attr(&row, "tabindex", if facts.on { "0" } else { "-1" });
            set_attr(&row, "aria-valuenow", &facts.now.to_string());
            set_attr(&row, "aria-valuetext", &facts.words);
            if let Some(ground) = find(&row, ".rowhit") {
                set_class(&ground, "rowon", facts.on);
            }
        }
    }

    fn draw_top(&self) {
        replace_children(&self.top, []);
        let Some(scene) = &self.scene else { return };
        for (index, row) in scene.rows.iter().enumerate() {
            let Some((answer, engine)) = self.of_row(index) else { continue };
            if let Some(hit) = self.pointer.filter(|hit| hit.row == index) {
                for track in row.tracks.iter().filter(|track| track.kind == hit.kind) {
                    let at = match hit.kind {
                        TrackKind::Image => hit.slot.map(|slot| slot as f64),
                        TrackKind::Neff => self.record(scene, engine, row, hit.slot),
                    };
                    if let Some(at) = at {
                        outline(&self.top, "cellhov", scene, track, at);
                    }
                }
            }
            if let Some(hover) = self.hover.as_ref().filter(|hover| hover.e == engine.engine) {
                self.frame(scene, row, engine, "cellhov", hover.slot, hover.ip);
            }
            if answer.subgraph == self.selection.s && engine.engine == self.selection.e {
                let (slot, ip) = (self.selection.slot, self.selection.ip);
                self.frame(scene, row, engine, "cellsel", slot, ip);
            }
        }
    }

    /// Outlines a slot and its record in the tracks of a row. A deleted record has no slot: its
    /// marker is framed.
    fn frame(
        &self,
        scene: &Scene,
        row: &StripRow,
        engine: &EngineRegions,
        class: &str,
        slot: Option<u32>,
        ip: Option<u32>,
    ) {
        for track in &row.tracks {
            let at = match track.kind {
                TrackKind::Image => slot.map(f64::from),
                TrackKind::Neff => ip.and_then(|ip| scene.record_at(engine, row, ip)),
            };
            if let Some(at) = at {
                outline(&self.top, class, scene, track, at);
            } else if let (TrackKind::Image, None, Some(ip)) = (track.kind, slot, ip) {
                let Some(cut) = ips::slot_of(engine, ip) else { continue };
                let x = scene.left + (cut as f64 - scene.from) * scene.scale;
                let frame = svg("rect")
                    .class(class)
                    .attr("x", &format!("{:.1}", x - 8.0))
                    .attr("y", &format!("{:.1}", row.strip + 18.0))
                    .attr("width", "16")
                    .attr("height", "12")
                    .attr("rx", "2.5");
                append(&self.top, &frame.build());
            }
        }
    }

    fn record(
        &self,
        scene: &Scene,
        engine: &EngineRegions,
        row: &StripRow,
        record: Option<u64>,
    ) -> Option<f64> {
        let ip = u32::try_from(record?).ok()?.checked_add(1)?;
        scene.record_at(engine, row, ip)
    }

    fn draw_tip(&self) {
        let shown = self.pointer.and_then(|hit| {
            let scene = self.scene.as_ref()?;
            let (_, engine) = self.of_row(hit.row)?;
            let lines = tip::lines(engine, hit, scene)?;
            Some((hit, scene, lines, engine))
        });
        set_hidden(&self.tip, shown.is_none());
        let Some((hit, scene, lines, engine)) = shown else { return };
        replace_children(&self.tip, lines);
        let Some(row) = scene.rows.get(hit.row) else { return };
        let slot = hit.slot.unwrap_or(0);
        let at = match hit.kind {
            TrackKind::Image => slot as f64,
            TrackKind::Neff => self.record(scene, engine, row, hit.slot).unwrap_or(0.0),
        };
        let x = scene.left + (at - scene.from) * scene.scale;
        let (width, height) =
            (f64::from(self.tip.client_width()), f64::from(self.tip.client_height()));
        // The drawing starts at the padding of the scroller.
        let left = (x + 12.0).min(scene.width + 12.0 - width).max(4.0);
        let below = row.top + ROW + 4.0;
        let room = f64::from(self.root.scroll_top()) + f64::from(self.root.client_height());
        let top = if below + height > room { row.top - height - 2.0 } else { below };
        set_style(&self.tip, "left", &format!("{left:.0}px"));
        set_style(&self.tip, "top", &format!("{:.0}px", top.max(0.0)));
    }
}

impl Default for Canvas {
    fn default() -> Self {
        Self::new()
    }
}

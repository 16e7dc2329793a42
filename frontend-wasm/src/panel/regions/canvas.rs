//! The SVG of the Regions pane with what has been drawn into it: scene, window, outlines, tooltip.

use super::overview::Overview;
use super::tip;
use crate::dom::{
    append, data_number, div, document, find, replace_children, set_attr, set_class, set_hidden,
    svg,
};
use crate::layout::action::Action;
use crate::layout::ips;
use crate::layout::labels;
use crate::layout::minimap::Scale;
use crate::layout::place::{self, Places};
use crate::layout::state::{Hover, Labels, Pane, RegionsMode, Selection, State};
use crate::layout::strips::{self, AXIS, Hit, Params, Scene, StripRow, TrackKind};
use crate::paint::glyph::button;
use crate::paint::strips::{RowFacts, outline, paint, paint_axis};
use crate::panel::Dispatch;
use debug_api::answer::{EngineRegions, RegionsAnswer};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent, SvgElement};

/// Left and right padding of the scroller.
const PADDING: f64 = 28.0;

/// A press that may become a drag.
pub(super) struct Drag {
    pub(super) x: f64,
    pub(super) from: f64,
    pub(super) moved: bool,
}

/// The drawing.
pub struct Canvas {
    pub(super) root: Element,
    drawing: Element,
    /// The axis above the strips, which stays while they scroll.
    ruler: Element,
    base: Element,
    top: Element,
    pub(super) tip: Element,
    fit: Element,
    overview: Overview,
    dispatch: Dispatch,
    answers: Vec<Rc<RegionsAnswer>>,
    /// Rows of each engine of each answer, to name slots.
    places: Vec<Vec<Places>>,
    labels: Rc<Labels>,
    pub(super) mode: RegionsMode,
    patches: bool,
    width: f64,
    pub(super) zoom: f64,
    pub(super) from: f64,
    pub(super) scene: Option<Scene>,
    pub(super) selection: Selection,
    hover: Option<Hover>,
    pub(super) pointer: Option<Hit>,
    /// Row and patch of the marker under the pointer.
    pub(super) marker: Option<(usize, usize)>,
    pub(super) drag: Option<Drag>,
    pub(super) dragged: bool,
    /// Touches, by their id.
    pub(super) touches: BTreeMap<i32, (f64, f64)>,
    follow: bool,
    wished: u32,
    seen: (u64, u64),
}

impl Canvas {
    /// An empty drawing.
    pub fn new(dispatch: Dispatch) -> Self {
        let base = svg("g").build();
        let top = svg("g").attr("aria-hidden", "true").build();
        let drawing = svg("svg")
            .attr("role", "group")
            .attr("aria-label", "Engine images, to scale")
            .node(&base)
            .node(&top)
            .build();
        let tip = div("tip").attr("role", "presentation").attr("hidden", "").build();
        let ruler = svg("svg").class("ruler").attr("aria-hidden", "true").build();
        set_attr(&ruler, "height", &AXIS.to_string());
        let root = div("strips").attr("id", "strips").node(&ruler).node(&drawing).node(&tip);
        let root = root.build();
        let fit = button("btn sm").attr("title", "Show the whole images (0)").text("Fit").build();
        set_hidden(&fit, true);
        Self {
            root,
            drawing,
            ruler,
            base,
            top,
            tip,
            fit,
            overview: Overview::new(),
            dispatch,
            answers: Vec::new(),
            places: Vec::new(),
            labels: Rc::default(),
            mode: RegionsMode::Image,
            patches: true,
            width: 0.0,
            zoom: 1.0,
            from: 0.0,
            scene: None,
            selection: Selection::default(),
            hover: None,
            pointer: None,
            marker: None,
            drag: None,
            dragged: false,
            touches: BTreeMap::new(),
            follow: false,
            wished: 0,
            seen: (0, 0),
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

    /// The overview above the strips.
    pub const fn overview(&self) -> &Overview {
        &self.overview
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
        let patches = !state.patches_hidden;
        let named = Rc::ptr_eq(&self.labels, &state.labels);
        let again = !same || self.mode != state.regions_mode || self.patches != patches || !named;
        if !same {
            let places = |answer: &Rc<RegionsAnswer>| {
                answer.engines.iter().map(Places::new).collect::<Vec<_>>()
            };
            self.places = answers.iter().map(places).collect();
            self.seen = (0, 0);
        }
        if self.mode != state.regions_mode {
            (self.zoom, self.from) = (1.0, 0.0);
        }
        let elsewhere = self.selection != state.selection;
        self.answers = answers;
        self.mode = state.regions_mode;
        self.patches = patches;
        self.labels = Rc::clone(&state.labels);
        self.selection = state.selection.clone();
        self.hover = state.hover.clone().filter(|hover| hover.pane != Pane::Regions);
        if elsewhere {
            self.bring_into_view();
        }
        if self.wished != state.strips.serial && self.scene.is_some() {
            self.wished = state.strips.serial;
            self.obey(state.strips.wish);
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

    /// Row and patch of the marker under the pointer.
    pub fn marker(&self, mouse: &MouseEvent) -> Option<(usize, usize)> {
        let (x, y) = self.local(mouse)?;
        self.scene.as_ref()?.mark_at(x, y).map(|(row, mark)| (row, mark.patch))
    }

    /// The pointer is over this slot or this marker; whether that is news.
    pub fn point(&mut self, hit: Option<Hit>, marker: Option<(usize, usize)>) -> bool {
        let hit = hit.filter(|hit| hit.slot.is_some() && marker.is_none());
        if hit == self.pointer && marker == self.marker {
            return false;
        }
        (self.pointer, self.marker) = (hit, marker);
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

    pub(super) fn draw(&mut self, force: bool) {
        if self.width <= 0.0 || self.answers.is_empty() {
            return;
        }
        let answers: Vec<&RegionsAnswer> = self.answers.iter().map(Rc::as_ref).collect();
        let params = Params {
            width: self.width,
            mode: self.mode,
            zoom: self.zoom,
            from: self.from,
            patches: self.patches,
        };
        let scene = strips::lay_out(&answers, &params);
        self.from = scene.from;
        if force || self.scene.as_ref() != Some(&scene) {
            let focused = self.focused_row();
            set_attr(&self.drawing, "viewBox", &format!("0 0 {} {}", scene.width, scene.height));
            set_attr(&self.drawing, "height", &scene.height.to_string());
            set_attr(&self.ruler, "viewBox", &format!("0 0 {} {AXIS}", scene.width));
            set_hidden(&self.fit, !scene.zoomed());
            self.overview.render(&self.answers, &scene, self.zoom);
            self.look(&scene);
            self.scene = Some(scene);
            if let Some(scene) = &self.scene {
                paint(&self.base, scene, &self.facts());
                paint_axis(&self.ruler, scene);
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
        if self.pointer.is_some() || self.marker.is_some() {
            self.draw_tip();
        }
    }

    /// Says which slots are to be named, when that has changed.
    fn look(&mut self, scene: &Scene) {
        if !scene.named() || self.mode == RegionsMode::Both {
            return;
        }
        let mut seen = scene.span();
        if self.mode == RegionsMode::Neff {
            // Records and slots differ by what stands before MAIN: name all around them.
            let starts = self.answers.iter().flat_map(|answer| &answer.engines);
            let ahead = starts.filter_map(place::first_slot).max().unwrap_or(0);
            seen.1 += u64::from(ahead) + 64;
        }
        if seen != self.seen {
            self.seen = seen;
            (self.dispatch)(Action::StripsSeen(seen.0, seen.1));
        }
    }

    /// From slots to pixels of the overview.
    pub fn scale(&self) -> Option<Scale> {
        self.scene.as_ref().map(|scene| Scale::of(scene, self.zoom))
    }

    /// Names of the cells of a row: left edge, baseline, text.
    fn names(&self, row: &StripRow) -> Vec<(f64, f64, String)> {
        if !self.scene.as_ref().is_some_and(Scene::named) {
            return Vec::new();
        }
        let (Some(answer), Some(track), true) =
            (self.answers.get(row.answer), row.tracks.first(), row.tracks.len() == 1)
        else {
            return Vec::new();
        };
        let Some(engine) = answer.engines.get(row.engine) else { return Vec::new() };
        let key = (answer.subgraph.clone(), engine.engine.clone());
        let places = self.places.get(row.answer).and_then(|all| all.get(row.engine));
        let (Some(store), Some(places)) = (self.labels.get(&key), places) else {
            return Vec::new();
        };
        let cells = track.cells.iter().filter_map(|cell| {
            let name = labels::mnemonic(store, engine, places, track.kind, cell.at?)?;
            Some((cell.x + 6.0, track.y + 13.0, labels::cut(&name, cell.width)?))
        });
        cells.collect()
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
        let strip = self.scene.as_ref()?.rows.get(row)?;
        Some(RowFacts { engine, on, words, now, names: self.names(strip) })
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
                self.patch_frame(scene, row, engine);
                let (slot, ip) = (self.selection.slot, self.selection.ip);
                self.frame(scene, row, engine, "cellsel", slot, ip);
            }
        }
    }

    /// A frame around the slots of the selected patch.
    fn patch_frame(&self, scene: &Scene, row: &StripRow, engine: &EngineRegions) {
        let at = &self.selection;
        let patch = place::patch_at(engine, at.slot, at.ip).filter(|_| self.patches);
        let Some(mark) = patch.and_then(|index| engine.patches.get(index)) else { return };
        let track = row.tracks.iter().find(|track| track.kind == TrackKind::Image);
        let (Some(track), true) = (track, mark.kind != "DELETE" && mark.count > 1) else { return };
        let x = |slot: u64| scene.left + (slot as f64 - scene.from) * scene.scale;
        let left = x(mark.slot).max(scene.left) - 1.5;
        let right = x(mark.slot + mark.count).min(scene.right) + 1.5;
        if right > left {
            let frame = svg("rect")
                .class("patchsel")
                .attr("x", &format!("{left:.1}"))
                .attr("y", &format!("{:.1}", track.y - 2.0))
                .attr("width", &format!("{:.1}", right - left))
                .attr("height", &format!("{:.1}", track.height + 4.0))
                .attr("rx", "3");
            append(&self.top, &frame.build());
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

    pub(super) fn record(
        &self,
        scene: &Scene,
        engine: &EngineRegions,
        row: &StripRow,
        record: Option<u64>,
    ) -> Option<f64> {
        let ip = u32::try_from(record?).ok()?.checked_add(1)?;
        scene.record_at(engine, row, ip)
    }
}

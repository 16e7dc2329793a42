//! The window of the strips: zoom, pan, drag, pinch, and where the tooltip goes.

use super::canvas::{Canvas, Drag};
use super::tip;
use crate::dom::{replace_children, set_hidden, set_style};
use crate::layout::ips;
use crate::layout::state::{RegionsMode, StripsWish};
use crate::layout::strips::{ROW, Scene, StripRow, TrackKind, ZOOM_SCALE_MAX};

impl Canvas {
    /// Does what the state asks of the window.
    pub(super) fn obey(&mut self, wish: StripsWish) {
        match wish {
            StripsWish::All => self.fit_all(),
            StripsWish::In => self.zoom(2.0, None),
            StripsWish::Out => self.zoom(0.5, None),
            StripsWish::Selection => self.fit_selection(),
        }
    }

    /// Fits the region of the selection, or all if nothing is selected.
    fn fit_selection(&mut self) {
        let (s, e) = (self.selection.s.clone(), self.selection.e.clone());
        let rows = self.scene.as_ref().map_or(0, |scene| scene.rows.len());
        let own = (0..rows).filter_map(|row| self.of_row(row));
        let engine = own
            .filter(|(answer, engine)| answer.subgraph == s && engine.engine == e)
            .map(|(_, engine)| engine)
            .next();
        let run = engine.and_then(|engine| {
            let slot = match (self.selection.slot, self.selection.ip) {
                (Some(slot), _) => u64::from(slot),
                (None, ip) => ips::slot_of(engine, ip?)?,
            };
            let run = ips::run_at(engine, slot)?;
            Some(match (self.mode, run.ips) {
                (RegionsMode::Neff, Some([first, last])) => {
                    (u64::from(first.saturating_sub(1)), u64::from(last - first) + 1)
                }
                _ => (run.slot, run.slots),
            })
        });
        let fit = self.scene.as_ref().zip(run);
        (self.zoom, self.from) = match fit {
            Some((scene, (slot, slots))) => scene.fitting(self.zoom, slot, slots),
            None => (1.0, 0.0),
        };
        self.draw(false);
    }

    /// Zooms by a factor around a place of the drawing, or around the selection.
    pub fn zoom(&mut self, factor: f64, x: Option<f64>) {
        let Some(scene) = &self.scene else { return };
        let fit = scene.scale / self.zoom;
        let most = (ZOOM_SCALE_MAX / fit).max(1.0);
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

    /// Moves the window so that a place of the overview is its middle.
    pub fn look_at(&mut self, x: f64) {
        let (Some(scale), Some(scene)) = (self.scale(), &self.scene) else { return };
        self.from = scale.slot_at(x) - scene.seen() / 2.0;
        self.draw(false);
    }

    /// Moves the window by parts of itself.
    pub fn shift(&mut self, windows: f64) {
        let Some(scene) = &self.scene else { return };
        self.from = scene.from + windows * scene.seen();
        self.draw(false);
    }

    /// A finger went down.
    pub fn touch(&mut self, id: i32, at: (f64, f64)) {
        self.touches.insert(id, at);
        if self.touches.len() > 1 {
            self.drag = None;
        }
    }

    /// A finger moved; whether two of them pinch, which zooms around their middle.
    pub fn pinch(&mut self, id: i32, at: (f64, f64)) -> bool {
        let spread = |touches: &std::collections::BTreeMap<i32, (f64, f64)>| {
            let mut all = touches.values();
            let (a, b) = (all.next()?, all.next()?);
            Some(((a.0 - b.0).hypot(a.1 - b.1).max(1.0), f64::midpoint(a.0, b.0)))
        };
        let before = spread(&self.touches);
        let Some(own) = self.touches.get_mut(&id) else { return false };
        *own = at;
        let (Some((before, _)), Some((now, middle))) = (before, spread(&self.touches)) else {
            return false;
        };
        self.dragged = true;
        self.zoom(now / before, Some(middle));
        true
    }

    /// A finger went up, or left.
    pub fn touch_end(&mut self, id: i32) {
        self.touches.remove(&id);
    }

    pub(super) fn draw_tip(&self) {
        if let Some((row, patch)) = self.marker {
            self.draw_mark_tip(row, patch);
            return;
        }
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
        self.put_tip(scene, row, x);
    }

    fn draw_mark_tip(&self, index: usize, patch: usize) {
        let Some((scene, row)) = self.scene.as_ref().and_then(|s| Some((s, s.rows.get(index)?)))
        else {
            return;
        };
        let mark = row.marks.iter().find(|mark| mark.patch == patch);
        let (Some(mark), Some((_, engine))) = (mark, self.of_row(index)) else { return };
        set_hidden(&self.tip, false);
        replace_children(&self.tip, tip::of_mark(engine, mark));
        self.put_tip(scene, row, mark.glyph.0);
    }

    /// Places the tooltip below a row, or above it where there is no room.
    fn put_tip(&self, scene: &Scene, row: &StripRow, x: f64) {
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

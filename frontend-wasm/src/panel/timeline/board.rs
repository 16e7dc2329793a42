//! Ruler, heads, and the two canvases, with what the pointer does on them.

use super::heads;
use crate::dom::{
    Listener, append, div, el, on, replace_children, set_attr, set_hidden, set_opt_attr, set_style,
    set_text, span, window,
};
use crate::layout::action::Action;
use crate::layout::state::{State, Theme};
use crate::layout::timeline::kept;
use crate::layout::timeline::lines::{GROUP, Line, LineKind, line_at, pinned_height};
use crate::layout::timeline::raster::{Look, Palette, Raster};
use crate::layout::timeline::scale::{Span, ticks};
use crate::layout::timeline::tile::{Item, Tile};
use crate::layout::timeline::{EventRef, TimelineAction, TimelineBox, words};
use crate::paint::timeline::{Inks, Marks, colors, overlay, put};
use crate::panel::Dispatch;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, Event, HtmlCanvasElement, MouseEvent, PointerEvent, ResizeObserver, WheelEvent,
};

/// Pixels within which an edge snaps, and within which a slice is hit.
const SNAP: f64 = 6.0;
/// Pixels that a press moves before it is a drag.
const DRAG: f64 = 3.0;

/// A press that may become a drag.
#[derive(Clone, Copy)]
struct Press {
    x: f64,
    /// Time under it.
    time: f64,
    pans: bool,
    moved: bool,
}

/// The drawing.
pub struct Board {
    root: Element,
    ruler: Element,
    scroller: Element,
    heads: Element,
    sticky: Element,
    strips: Option<HtmlCanvasElement>,
    top: Option<HtmlCanvasElement>,
    tip: Element,
    dispatch: Dispatch,
    timeline: TimelineBox,
    lines: Vec<Line>,
    theme: Option<Theme>,
    colors: (Palette, Inks),
    press: Option<Press>,
    width: f64,
    height: f64,
    _listeners: Vec<Listener>,
    _observer: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
}

impl Board {
    /// An empty drawing.
    pub fn new(dispatch: Dispatch) -> Rc<RefCell<Self>> {
        let ruler = div("tticks").attr("aria-hidden", "true").build();
        let corner = div("tcorner").build();
        let head = div("truler").node(&corner).node(&ruler).build();
        let heads = div("theads").attr("tabindex", "0").attr("role", "tree");
        let heads = heads.attr("aria-label", "Tracks").build();
        let strips = el("canvas").attr("aria-hidden", "true").class("tstrips").build();
        let top = el("canvas").attr("aria-hidden", "true").class("ttop").build();
        let tip = div("tip").attr("role", "presentation").attr("hidden", "").build();
        let sticky = div("tsticky").node(&strips).node(&top).node(&tip).build();
        let scroller = div("tscroll").node(&heads).node(&sticky).build();
        let root = div("tboard").node(&head).node(&scroller).build();
        let board = Rc::new(RefCell::new(Self {
            root,
            ruler,
            scroller: scroller.clone(),
            heads,
            sticky: sticky.clone(),
            strips: strips.dyn_into().ok(),
            top: top.dyn_into().ok(),
            tip,
            dispatch,
            timeline: TimelineBox::default(),
            lines: Vec::new(),
            theme: None,
            colors: Default::default(),
            press: None,
            width: 0.0,
            height: 0.0,
            _listeners: Vec::new(),
            _observer: None,
        }));
        let listeners = listeners(&board, &sticky, &scroller);
        let own = Rc::downgrade(&board);
        let closure = Closure::<dyn FnMut()>::new(move || {
            if let Some(board) = own.upgrade()
                && let Ok(mut board) = board.try_borrow_mut()
            {
                board.resize();
            }
        });
        let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(&scroller);
        }
        let mut own = board.borrow_mut();
        own._listeners = listeners;
        own._observer = observer.map(|observer| (observer, closure));
        drop(own);
        board
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let timeline = &state.timeline;
        let same = |a: &TimelineBox, b: &TimelineBox| {
            a.answer.as_ref().map(Rc::as_ptr) == b.answer.as_ref().map(Rc::as_ptr)
                && a.folded == b.folded
                && a.kept.pins == b.kept.pins
                && a.row == b.row
        };
        let old_heads = same(&self.timeline, timeline) && !self.lines.is_empty();
        self.timeline = timeline.clone();
        if !old_heads {
            self.lines = timeline.lines();
            let made = self.lines.iter().enumerate();
            let made: Vec<_> = made.map(|(at, line)| heads::head(at, line, timeline)).collect();
            replace_children(&self.heads, made);
            let at = self
                .lines
                .iter()
                .position(|line| line.kind != LineKind::Group && line.name == timeline.row);
            set_opt_attr(&self.heads, "aria-activedescendant", at.map(heads::id).as_deref());
            let line = at.and_then(|at| self.lines.get(at));
            if let Some(line) = line.filter(|line| !line.pinned) {
                self.reveal(line.top, line.bottom());
            }
        }
        if self.theme != Some(state.theme) || self.colors.0 == Palette::default() {
            self.theme = Some(state.theme);
            self.colors = colors(&self.root);
        }
        self.resize();
    }

    /// Scrolls so that a line is in sight.
    fn reveal(&self, top: f64, bottom: f64) {
        let at = f64::from(self.scroller.scroll_top());
        let height = f64::from(self.scroller.client_height());
        let covered = pinned_height(&self.lines);
        if height > 0.0 && (top < at + covered || bottom > at + height) {
            let to = if top < at + covered { top - GROUP - covered } else { bottom - height };
            self.scroller.set_scroll_top(to.max(0.0) as i32);
        }
    }

    /// Takes the size of the pane, and draws.
    fn resize(&mut self) {
        let height = f64::from(self.scroller.client_height());
        set_style(&self.sticky, "height", &format!("{height}px"));
        let width = f64::from(self.sticky.client_width());
        self.height = height;
        if width > 0.0 && (width - self.timeline.width).abs() > 0.5 {
            self.width = width;
            (self.dispatch)(Action::Timeline(TimelineAction::Width(width)));
        }
        self.width = width;
        self.draw();
    }

    fn ratio() -> f64 {
        window().map_or(1.0, |window| window.device_pixel_ratio()).clamp(1.0, 2.0)
    }

    fn scroll(&self) -> f64 {
        f64::from(self.scroller.scroll_top())
    }

    fn draw(&mut self) {
        let (Some(span), Some(strips), Some(top)) = (self.timeline.span, &self.strips, &self.top)
        else {
            return;
        };
        if self.width < 1.0 || self.height < 1.0 {
            return;
        }
        let ratio = Self::ratio();
        let size = |pixels: f64| (pixels * ratio).round().clamp(1.0, 8192.0) as usize;
        let (palette, inks) = &self.colors;
        let mut raster = Raster::new(size(self.width), size(self.height), palette.pane);
        let none = Tile::default();
        let tile = self.timeline.tile.as_deref().unwrap_or(&none);
        let look = Look { span, scroll: self.scroll(), ratio };
        let answer = self.timeline.answer.as_deref();
        let peaks: Vec<u64> =
            answer.map_or_else(Vec::new, |answer| answer.rows.iter().map(|row| row.peak).collect());
        raster.lines(&self.lines, tile, look, palette, &peaks);
        put(strips, &raster);
        let fs = self.timeline.cycle_fs();
        let ticks = ticks(span, self.width, self.timeline.unit, fs);
        let line_of = |name: &str| {
            self.lines.iter().find(|line| line.kind != LineKind::Group && line.name == name)
        };
        let picked = self.timeline.event.as_deref().and_then(|event| {
            let line = line_of(&event.row)?;
            Some((line, event.lane, event.start_ps, event.start_ps.saturating_add(event.len_ps)))
        });
        let executions = self.timeline.executions.as_deref().and_then(|answer| {
            let line = line_of(&answer.events.first()?.row)?;
            Some((line, answer.events.iter().map(|event| event.start_ps).collect()))
        });
        let arrows = self.timeline.event.as_deref().map_or_else(Vec::new, |event| {
            words::arrows(event)
                .into_iter()
                .filter_map(|ends| {
                    let [from, to] =
                        ends.map(|(row, lane, time)| Some((line_of(row)?, lane, time)));
                    Some([from?, to?])
                })
                .collect()
        });
        let marks = Marks {
            arrows,
            span,
            scroll: self.scroll(),
            ticks: ticks.iter().map(|tick| tick.time).collect(),
            range: self.timeline.range,
            kept: self.timeline.kept.labels().into_iter().map(|(_, mark)| mark).collect(),
            picked,
            executions,
            row: line_of(&self.timeline.row),
        };
        overlay(top, (self.width, self.height, ratio), &self.lines, tile, &marks, inks);
        replace_children(&self.ruler, []);
        for tick in &ticks {
            append(&self.ruler, &label_at(span.part(tick.time) * self.width, &tick.label));
        }
        self.flags(span);
        self.range_pill();
    }

    /// Flags of the marks, in the ruler.
    fn flags(&self, now: Span) {
        for (label, (from, to)) in self.timeline.kept.labels() {
            let at = now.part(from as f64) * self.width;
            if !(0.0..=self.width).contains(&at) {
                continue;
            }
            let class = if label.is_empty() { "tflag now" } else { "tflag" };
            let flag = span(class, &label).build();
            let (unit, fs) = (self.timeline.unit, self.timeline.cycle_fs());
            set_attr(&flag, "title", &kept::words((from, to), unit, fs));
            set_style(&flag, "left", &format!("{at:.1}px"));
            append(&self.ruler, &flag);
        }
    }

    /// Length of the range, in the ruler.
    fn range_pill(&self) {
        let (Some((from, to)), Some(span_now)) = (self.timeline.range, self.timeline.span) else {
            return;
        };
        let middle = span_now.part(f64::midpoint(from as f64, to as f64)) * self.width;
        if !(0.0..=self.width).contains(&middle) {
            return;
        }
        let text = self.timeline.unit.text((to - from) as f64, self.timeline.cycle_fs());
        let pill = span("tpill", &text).build();
        set_style(&pill, "left", &format!("{middle:.1}px"));
        append(&self.ruler, &pill);
    }

    /// Line, time and run at a place of the canvas.
    fn at(&self, x: f64, y: f64) -> Option<(&Line, u32, f64, Option<&Item>)> {
        let span = self.timeline.span?;
        let scroll = self.scroll();
        let line = line_at(&self.lines, y, scroll).filter(|line| line.kind != LineKind::Group)?;
        let time = span.time(x / self.width.max(1.0));
        let lane = line.lane_at(y - line.y(scroll));
        let slack = SNAP / 2.0 * span.len() / self.width.max(1.0);
        let item = self.timeline.tile.as_ref().and_then(|tile| tile.hit(lane, time, slack));
        Some((line, lane, time, item))
    }

    /// Time at a place, at an edge of a slice if one is near.
    fn snapped(&self, x: f64, y: f64, free: bool) -> Option<f64> {
        let span = self.timeline.span?;
        let time = span.time(x / self.width.max(1.0)).clamp(0.0, self.timeline.end());
        let tile = self.timeline.tile.as_ref().filter(|_| !free);
        let slack = SNAP * span.len() / self.width.max(1.0);
        let edge =
            self.at(x, y).zip(tile).and_then(|((_, lane, ..), tile)| tile.edge(lane, time, slack));
        Some(edge.map_or(time, |edge| edge as f64))
    }

    fn tip(&self, x: f64, y: f64) {
        let found = self.at(x, y).and_then(|(line, _, _, item)| {
            let row = self.timeline.answer.as_ref()?.rows.get(line.row)?;
            Some(words::item(item?, row, self.timeline.unit, self.timeline.cycle_fs()))
        });
        set_hidden(&self.tip, found.is_none());
        let Some(text) = found else { return };
        set_text(&self.tip, &text);
        let left = if x > self.width / 2.0 { x - 12.0 } else { x + 12.0 };
        set_attr(&self.tip, "class", if x > self.width / 2.0 { "tip before" } else { "tip" });
        let below = y + 18.0;
        let down = if below + 30.0 > self.height { y - 34.0 } else { below };
        set_style(&self.tip, "left", &format!("{left:.0}px"));
        set_style(&self.tip, "top", &format!("{down:.0}px"));
    }

    fn pick(&self, x: f64, y: f64, twice: bool) {
        let send = |action| (self.dispatch)(Action::Timeline(action));
        let Some((line, lane, _, item)) = self.at(x, y) else { return };
        send(TimelineAction::Row(line.name.clone()));
        match item {
            Some(item) if twice => send(TimelineAction::Fit(item.start, item.end)),
            Some(item) if item.count == 1 => {
                let index = item.first;
                send(TimelineAction::Pick(Some(EventRef { lane, index })));
            }
            Some(item) => {
                let counter = line.kind == LineKind::Counter;
                let (unit, fs) = (self.timeline.unit, self.timeline.cycle_fs());
                let words = words::bucket(item, counter, unit, fs);
                send(TimelineAction::Pick(None));
                send(TimelineAction::Bucket(item.start, item.end.max(item.start + 1), words));
            }
            None => send(TimelineAction::Pick(None)),
        }
    }
}

fn label_at(x: f64, text: &str) -> Element {
    let label = span("ttick", text).build();
    set_style(&label, "left", &format!("{x:.1}px"));
    label
}

fn listeners(board: &Rc<RefCell<Board>>, sticky: &Element, scroller: &Element) -> Vec<Listener> {
    let with = |target: &Element, kind: &'static str, run: fn(&mut Board, &Event)| {
        let own = Rc::downgrade(board);
        on(target, kind, move |event| {
            if let Some(board) = own.upgrade()
                && let Ok(mut board) = board.try_borrow_mut()
            {
                run(&mut board, &event);
            }
        })
    };
    vec![
        with(sticky, "pointerdown", press),
        with(sticky, "pointermove", moved),
        with(sticky, "pointerup", released),
        with(sticky, "pointercancel", |board, _| board.press = None),
        with(sticky, "pointerleave", |board, _| set_hidden(&board.tip, true)),
        with(sticky, "dblclick", |board, event| {
            if let Some((x, y)) = local(board, event) {
                board.pick(x, y, true);
            }
        }),
        with(sticky, "wheel", wheel),
        with(scroller, "scroll", |board, _| board.draw()),
    ]
}

fn local(board: &Board, event: &Event) -> Option<(f64, f64)> {
    let mouse = event.dyn_ref::<MouseEvent>()?;
    let place = board.sticky.get_bounding_client_rect();
    Some((f64::from(mouse.client_x()) - place.left(), f64::from(mouse.client_y()) - place.top()))
}

fn press(board: &mut Board, event: &Event) {
    let (Some(pointer), Some((x, y))) = (event.dyn_ref::<PointerEvent>(), local(board, event))
    else {
        return;
    };
    let pans = pointer.button() == 1 || pointer.shift_key();
    if pointer.button() > 1 {
        return;
    }
    let Some(time) = board.snapped(x, y, pointer.alt_key()) else { return };
    let _ = board.sticky.set_pointer_capture(pointer.pointer_id());
    board.press = Some(Press { x, time, pans, moved: false });
    if pans {
        event.prevent_default();
    }
}

fn moved(board: &mut Board, event: &Event) {
    let (Some(pointer), Some((x, y))) = (event.dyn_ref::<PointerEvent>(), local(board, event))
    else {
        return;
    };
    let Some(mut press) = board.press else {
        board.tip(x, y);
        return;
    };
    if !press.moved && (x - press.x).abs() < DRAG {
        return;
    }
    set_hidden(&board.tip, true);
    press.moved = true;
    let send = |action| (board.dispatch)(Action::Timeline(action));
    if press.pans {
        send(TimelineAction::Pan((press.x - x) / board.width.max(1.0)));
        press.x = x;
    } else if let Some(time) = board.snapped(x, y, pointer.alt_key()) {
        let (from, to) = (press.time.min(time), press.time.max(time));
        send(TimelineAction::Range(from.max(0.0) as u64, to.max(0.0) as u64));
    }
    board.press = Some(press);
}

fn released(board: &mut Board, event: &Event) {
    let press = board.press.take();
    let Some((x, y)) = local(board, event) else { return };
    if press.is_some_and(|press| !press.moved && !press.pans) {
        board.pick(x, y, false);
    }
}

fn wheel(board: &mut Board, event: &Event) {
    let (Some(wheel), Some((x, _))) = (event.dyn_ref::<WheelEvent>(), local(board, event)) else {
        return;
    };
    let send = |action| (board.dispatch)(Action::Timeline(action));
    let width = board.width.max(1.0);
    if wheel.ctrl_key() || wheel.meta_key() {
        let factor = (-wheel.delta_y() / 240.0).clamp(-2.0, 2.0).exp2();
        send(TimelineAction::Zoom(factor, x / width));
    } else if wheel.shift_key() || wheel.delta_x().abs() > wheel.delta_y().abs() {
        let by = if wheel.delta_x().abs() > 0.0 { wheel.delta_x() } else { wheel.delta_y() };
        send(TimelineAction::Pan(by / width));
    } else {
        // A plain wheel scrolls the tracks, as everywhere.
        return;
    }
    event.prevent_default();
}

//! The drawing of the Regions pane: when it is made, what pointer, wheel and keys do to it.

use super::canvas::Canvas;
use crate::dom::{Listener, closest, data_number, on, set_hidden};
use crate::layout::action::{Action, Move, Target};
use crate::layout::place;
use crate::layout::state::{Hover, Pane, State, View};
use crate::layout::strips::{Hit, TrackKind};
use crate::panel::Dispatch;
use debug_api::answer::{EngineRegions, RegionsAnswer};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, Event, KeyboardEvent, MouseEvent, PointerEvent, ResizeObserver, WheelEvent,
};

/// Pixels after which a press is a drag.
const DRAG: f64 = 3.0;

/// The drawing with its listeners.
pub struct Board {
    canvas: Rc<RefCell<Canvas>>,
    root: Element,
    fit: Element,
    overview: Element,
    _listeners: Vec<Listener>,
    _resize: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
}

impl Board {
    /// An empty board.
    pub fn new(dispatch: Dispatch) -> Self {
        let canvas = Canvas::new(dispatch.clone());
        let overview = canvas.overview().root().clone();
        let root = canvas.root().clone();
        let fit = canvas.fit().clone();
        let canvas = Rc::new(RefCell::new(canvas));
        let mut listeners = listeners(&canvas, &root, &fit, &dispatch);
        listeners.extend(overview_listeners(&canvas, &overview));
        let resize = observe(&canvas, &root);
        Self { canvas, root, fit, overview, _listeners: listeners, _resize: resize }
    }

    /// The scroller around the drawing.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// The overview above it.
    pub const fn overview(&self) -> &Element {
        &self.overview
    }

    /// The button that shows all again; hidden while nothing is out of view.
    pub const fn fit(&self) -> &Element {
        &self.fit
    }

    /// Brings the drawing up to date.
    pub fn render(&self, state: &State, answers: Vec<Rc<RegionsAnswer>>) {
        set_hidden(&self.root, answers.is_empty());
        set_hidden(&self.overview, answers.is_empty());
        self.canvas.borrow_mut().update(state, answers);
    }

    /// Puts the focus on the strip of the selected engine.
    pub fn focus(&self) {
        self.canvas.borrow().focus();
    }
}

fn observe(
    canvas: &Rc<RefCell<Canvas>>,
    root: &Element,
) -> Option<(ResizeObserver, Closure<dyn FnMut()>)> {
    let canvas = Rc::clone(canvas);
    let closure = Closure::<dyn FnMut()>::new(move || {
        if let Ok(mut canvas) = canvas.try_borrow_mut() {
            canvas.resize();
        }
    });
    let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
    observer.observe(root);
    Some((observer, closure))
}

fn listeners(
    canvas: &Rc<RefCell<Canvas>>,
    root: &Element,
    fit: &Element,
    dispatch: &Dispatch,
) -> Vec<Listener> {
    // A handler that needs the canvas and may tell the application something. Actions are queued,
    // so the canvas is free again when they are carried out.
    let with = |kind: &'static str, run: fn(&mut Canvas, &Event, &Dispatch)| {
        let (canvas, dispatch) = (Rc::clone(canvas), Rc::clone(dispatch));
        on(root, kind, move |event| {
            if let Ok(mut canvas) = canvas.try_borrow_mut() {
                run(&mut canvas, &event, &dispatch);
            }
        })
    };
    let shown = Rc::clone(canvas);
    vec![
        with("pointerdown", press),
        with("pointermove", moved),
        with("pointerup", |canvas, event, _| release(canvas, event)),
        with("pointercancel", |canvas, event, _| release(canvas, event)),
        with("pointerleave", |canvas, event, dispatch| {
            release(canvas, event);
            if canvas.point(None, None) {
                dispatch(Action::Hover(None));
            }
        }),
        with("click", click),
        with("dblclick", |_, _, dispatch| dispatch(Action::Run("zoom-selection"))),
        with("wheel", wheel),
        with("keydown", key),
        with("focusin", |_, _, dispatch| dispatch(Action::Focused(Pane::Regions))),
        on(fit, "click", move |_| {
            if let Ok(mut canvas) = shown.try_borrow_mut() {
                canvas.fit_all();
            }
        }),
    ]
}

/// A click or drag into the overview moves the window; so do keys, as in a scroll bar.
fn overview_listeners(canvas: &Rc<RefCell<Canvas>>, overview: &Element) -> Vec<Listener> {
    let with = |kind: &'static str, run: fn(&mut Canvas, &Event)| {
        let canvas = Rc::clone(canvas);
        on(overview, kind, move |event| {
            if let Ok(mut canvas) = canvas.try_borrow_mut() {
                run(&mut canvas, &event);
            }
        })
    };
    let lead = |canvas: &mut Canvas, event: &PointerEvent| {
        if let Some(x) = canvas.overview().local(event) {
            canvas.look_at(x);
        }
    };
    let lead: fn(&mut Canvas, &PointerEvent) = lead;
    let leading = move |canvas: &mut Canvas, event: &Event| {
        let Some(pointer) = event.dyn_ref::<PointerEvent>() else { return };
        let down = event.type_() == "pointerdown";
        if pointer.buttons() != 1 {
            return;
        }
        if down {
            let _ = canvas.overview().root().set_pointer_capture(pointer.pointer_id());
        }
        lead(canvas, pointer);
    };
    let again = Rc::clone(canvas);
    let twice = Rc::clone(canvas);
    vec![
        on(overview, "pointerdown", move |event| {
            if let Ok(mut canvas) = again.try_borrow_mut() {
                leading(&mut canvas, &event);
            }
        }),
        on(overview, "pointermove", move |event| {
            if let Ok(mut canvas) = twice.try_borrow_mut() {
                leading(&mut canvas, &event);
            }
        }),
        with("wheel", |canvas, event| {
            let Some(wheel) = event.dyn_ref::<WheelEvent>() else { return };
            event.prevent_default();
            if wheel.ctrl_key() || wheel.meta_key() {
                canvas.zoom(wheel_factor(wheel), None);
            } else {
                canvas.pan(wheel.delta_x() + wheel.delta_y());
            }
        }),
        with("keydown", |canvas, event| {
            let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
            if key.ctrl_key() || key.meta_key() || key.alt_key() {
                return;
            }
            match key.key().as_str() {
                "ArrowLeft" | "ArrowUp" => canvas.shift(-0.125),
                "ArrowRight" | "ArrowDown" => canvas.shift(0.125),
                "PageUp" => canvas.shift(-1.0),
                "PageDown" => canvas.shift(1.0),
                "Home" => canvas.shift(-1e12),
                "End" => canvas.shift(1e12),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        }),
    ]
}

fn wheel_factor(wheel: &WheelEvent) -> f64 {
    (-wheel.delta_y() / 240.0).clamp(-2.0, 2.0).exp2()
}

fn finger(canvas: &Canvas, event: &Event) -> Option<(i32, (f64, f64))> {
    let pointer = event.dyn_ref::<PointerEvent>().filter(|p| p.pointer_type() == "touch")?;
    Some((pointer.pointer_id(), canvas.local(pointer)?))
}

fn press(canvas: &mut Canvas, event: &Event, _: &Dispatch) {
    if let Some(mouse) = event.dyn_ref::<MouseEvent>().filter(|mouse| mouse.button() == 0) {
        canvas.drag_start(f64::from(mouse.client_x()));
    }
    if let Some((id, at)) = finger(canvas, event) {
        canvas.touch(id, at);
    }
}

fn release(canvas: &mut Canvas, event: &Event) {
    canvas.drag_end();
    if let Some((id, _)) = finger(canvas, event) {
        canvas.touch_end(id);
    }
}

fn moved(canvas: &mut Canvas, event: &Event, dispatch: &Dispatch) {
    let Some(mouse) = event.dyn_ref::<MouseEvent>() else { return };
    if let Some((id, at)) = finger(canvas, event)
        && canvas.pinch(id, at)
    {
        return;
    }
    if mouse.buttons() == 1 && canvas.drag_to(f64::from(mouse.client_x()), DRAG) {
        return;
    }
    let (hit, marker) = (canvas.hit(mouse), canvas.marker(mouse));
    if canvas.point(hit, marker) {
        let hit = hit.filter(|_| marker.is_none());
        dispatch(Action::Hover(hit.and_then(|hit| hover(canvas, hit))));
    }
}

fn hover(canvas: &Canvas, hit: Hit) -> Option<Hover> {
    let (_, engine) = canvas.of_row(hit.row)?;
    let slot = hit.slot?;
    let number = u32::try_from(slot).ok()?;
    let (slot, ip) = match hit.kind {
        TrackKind::Image => (Some(number), crate::layout::ips::ip_at(engine, slot).map(|at| at.ip)),
        TrackKind::Neff => (None, number.checked_add(1)),
    };
    Some(Hover { pane: Pane::Regions, group: None, e: engine.engine.clone(), slot, ip })
}

fn click(canvas: &mut Canvas, event: &Event, dispatch: &Dispatch) {
    if canvas.take_dragged() {
        return;
    }
    let Some(mouse) = event.dyn_ref::<MouseEvent>() else { return };
    if let Some((row, index)) = canvas.marker(mouse) {
        let Some((answer, engine)) = canvas.of_row(row) else { return };
        let (s, e) = (answer.subgraph.clone(), engine.engine.clone());
        dispatch(Action::SelectPatch { s, e, index });
        return;
    }
    let Some(hit) = canvas.hit(mouse) else { return };
    let Some((answer, engine)) = canvas.of_row(hit.row) else { return };
    let number = hit.slot.and_then(|slot| u32::try_from(slot).ok());
    match (number, hit.kind) {
        (Some(slot), TrackKind::Image) => {
            dispatch(Action::Select(target(answer, engine, Some(slot), None), Move::Jump));
        }
        (Some(record), TrackKind::Neff) => {
            let ip = record.checked_add(1);
            dispatch(Action::Select(target(answer, engine, None, ip), Move::Jump));
        }
        // Beside the strip: its engine.
        _ => show_engine(canvas, answer, engine, dispatch),
    }
}

fn target(
    answer: &RegionsAnswer,
    engine: &EngineRegions,
    slot: Option<u32>,
    ip: Option<u32>,
) -> Target {
    let (s, e) = (answer.subgraph.clone(), engine.engine.clone());
    Target { s, e, slot, ip, row: None }
}

fn show_engine(
    canvas: &Canvas,
    answer: &RegionsAnswer,
    engine: &EngineRegions,
    dispatch: &Dispatch,
) {
    if answer.subgraph != canvas.selection().s {
        dispatch(Action::SetSubgraph(answer.subgraph.clone()));
    }
    dispatch(Action::SetEngine(engine.engine.clone()));
}

fn wheel(canvas: &mut Canvas, event: &Event, _: &Dispatch) {
    let Some(wheel) = event.dyn_ref::<WheelEvent>() else { return };
    if wheel.ctrl_key() || wheel.meta_key() {
        event.prevent_default();
        let x = canvas.local(wheel).map(|(x, _)| x);
        canvas.zoom(wheel_factor(wheel), x);
    } else {
        let sideways = if wheel.shift_key() && wheel.delta_x() == 0.0 {
            wheel.delta_y()
        } else {
            wheel.delta_x()
        };
        if sideways != 0.0 && canvas.pan(sideways) {
            event.prevent_default();
        }
    }
}

fn key(canvas: &mut Canvas, event: &Event, dispatch: &Dispatch) {
    let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
    if key.ctrl_key() || key.meta_key() || key.alt_key() {
        return;
    }
    let row = closest(event, "[data-row]").and_then(|row| data_number(&row, "row"));
    let Some(row) = row.and_then(|row| usize::try_from(row).ok()) else { return };
    if act(canvas, row, &key.key(), key.shift_key(), dispatch) {
        event.prevent_default();
        event.stop_propagation();
    }
}

fn act(canvas: &mut Canvas, row: usize, key: &str, shift: bool, dispatch: &Dispatch) -> bool {
    match key {
        "ArrowUp" | "ArrowDown" => {
            let next = if key == "ArrowUp" { row.checked_sub(1) } else { row.checked_add(1) };
            let Some((answer, engine)) = next.and_then(|next| canvas.of_row(next)) else {
                return true;
            };
            show_engine(canvas, answer, engine, dispatch);
            canvas.follow_focus();
        }
        "Enter" => dispatch(Action::SetView(View::Code)),
        _ => {
            let page = canvas.page();
            let Some((answer, engine)) = canvas.of_row(row) else { return false };
            let Some(last) = engine.image_slots.checked_sub(1) else { return false };
            let selection = canvas.selection();
            let here = selection.s == answer.subgraph && selection.e == engine.engine;
            let now = selection.slot.filter(|_| here).map(u64::from);
            let start = place::first_slot(engine).map_or(0, u64::from);
            let step = if shift { 8 } else { 1 };
            let slot = match (key, now) {
                ("Home", _) => 0,
                ("End", _) => last,
                ("ArrowLeft" | "ArrowRight" | "PageUp" | "PageDown", None) => start,
                ("ArrowLeft", Some(now)) => now.saturating_sub(step),
                ("ArrowRight", Some(now)) => (now + step).min(last),
                ("PageUp", Some(now)) => now.saturating_sub(page),
                ("PageDown", Some(now)) => (now + page).min(last),
                _ => return false,
            };
            let slot = u32::try_from(slot).ok();
            dispatch(Action::Select(target(answer, engine, slot, None), Move::Step));
        }
    }
    true
}

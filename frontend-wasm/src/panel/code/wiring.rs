//! What the grid's rows and the pointer share: the place of the window, and the listeners that move it.

use super::row::Shown;
use crate::dom::{Listener, closest, data_number, on};
use crate::layout::action::{Action, Move, Target};
use crate::layout::rows::{Heights, Scroller};
use crate::layout::state::{Hover, Pane};
use crate::panel::Dispatch;
use crate::panel::timer::Timer;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, PointerEvent, ResizeObserver};

/// Milliseconds without scrolling after which the scrolled element is set right.
const REST_MS: u32 = 140;

/// Where the window is, and how high the rows are.
#[derive(Default)]
pub struct Position {
    pub(super) heights: Heights,
    pub(super) scroller: Scroller,
    /// What each row in the document shows, for the listeners.
    pub(super) shown: BTreeMap<u64, Shown>,
    pub(super) selected: Option<u64>,
    pub(super) engine: String,
    /// Scroll position of the element, as last seen or set.
    pub(super) scrolled: f64,
    /// A click on this row is on its way through the state; it must not move on screen.
    pub(super) anchor: Option<u64>,
}

impl Position {
    /// Moves the window so that a row is in its middle.
    pub fn center(&mut self, row: u64) {
        let top = self.heights.top(row) - self.scroller.view() / 2.0;
        self.scroller.move_to(top);
    }
}

/// Listens to scrolling, clicks and the pointer.
pub(super) fn listen(
    scrolled: &Element,
    dispatch: &Dispatch,
    position: &Rc<RefCell<Position>>,
    rest: &Rc<Timer>,
) -> Vec<Listener> {
    let scroll = {
        let (scrolled, dispatch) = (scrolled.clone(), dispatch.clone());
        let (position, rest) = (Rc::clone(position), Rc::clone(rest));
        on(&scrolled.clone(), "scroll", move |_| {
            let top = f64::from(scrolled.scroll_top());
            let mut position = position.borrow_mut();
            position.scrolled = top;
            if (top - position.scroller.physical()).abs() < 1.0 {
                return;
            }
            position.scroller.scrolled(top);
            rest.start(REST_MS);
            dispatch(Action::Redraw);
        })
    };
    let click = {
        let (dispatch, position) = (dispatch.clone(), Rc::clone(position));
        on(scrolled, "click", move |event| {
            let row = closest(&event, "[data-row]").and_then(|row| data_number(&row, "row"));
            let Some(row) = row else { return };
            let mut position = position.borrow_mut();
            let Some(shown) = position.shown.get(&row).cloned() else { return };
            if shown.divider {
                return;
            }
            position.anchor = Some(row);
            if position.selected == Some(row) {
                dispatch(Action::Run("bytes"));
                return;
            }
            let e = position.engine.clone();
            let Shown { slot, ip, .. } = shown;
            let target = Target { e, slot, ip, row: Some(row), ..Target::default() };
            dispatch(Action::Select(target, Move::Near));
        })
    };
    let hover = {
        let (dispatch, position) = (dispatch.clone(), Rc::clone(position));
        on(scrolled, "pointermove", move |event| {
            let mouse =
                event.dyn_ref::<PointerEvent>().is_none_or(|event| event.pointer_type() != "touch");
            let row = closest(&event, "[data-row]").and_then(|row| data_number(&row, "row"));
            let position = position.borrow();
            let shown = row.filter(|_| mouse).and_then(|row| position.shown.get(&row));
            let hover = shown.filter(|shown| !shown.divider && shown.loaded).map(|shown| Hover {
                pane: Pane::Code,
                group: shown.group(),
                e: position.engine.clone(),
                slot: shown.slot,
                ip: shown.ip,
            });
            dispatch(Action::Hover(hover));
        })
    };
    let leave = {
        let dispatch = dispatch.clone();
        on(scrolled, "pointerleave", move |_| dispatch(Action::Hover(None)))
    };
    vec![scroll, click, hover, leave]
}

/// Watches the height of the window.
pub(super) fn observe(
    scrolled: &Element,
    dispatch: &Dispatch,
    resized: &Rc<Cell<bool>>,
) -> Option<(ResizeObserver, Closure<dyn FnMut()>)> {
    let (dispatch, resized) = (dispatch.clone(), Rc::clone(resized));
    let closure = Closure::<dyn FnMut()>::new(move || {
        resized.set(true);
        dispatch(Action::Redraw);
    });
    let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
    observer.observe(scrolled);
    Some((observer, closure))
}

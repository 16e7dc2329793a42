//! A list of rows of one height that only ever holds those near the window.
//!
//! The scrolled element itself has the focus and names its active row, so that rows can be made
//! anew whenever something changes; but not between a press and its release, since a browser gives no
//! click to a row that was taken away.

use super::Dispatch;
use super::timer::Timer;
use crate::dom::{
    El, Listener, append, div, document, on, replace_children, set_attr, set_opt_attr, set_style,
};
use crate::layout::action::Action;
use crate::layout::rows::{Heights, Scroller};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, MouseEvent, ResizeObserver};

/// Milliseconds without scrolling after which the scrolled element is set right.
const REST_MS: u32 = 140;

/// The place of the window.
#[derive(Default)]
struct Position {
    scroller: Scroller,
    /// Scroll position of the element, as last seen or set.
    scrolled: f64,
}

/// The list.
pub struct VList {
    root: Element,
    spacer: Element,
    held: Element,
    head_px: f64,
    heights: Heights,
    position: Rc<RefCell<Position>>,
    tall: f64,
    view: f64,
    resized: Rc<Cell<bool>>,
    active: RefCell<Option<String>>,
    /// Whether a pointer is pressed on the rows.
    pressed: Rc<Cell<bool>>,
    /// Row to bring into view once they are made anew.
    wish: Option<u64>,
    rest: Rc<Timer>,
    _observer: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
    _listeners: Vec<Listener>,
}

impl VList {
    /// An empty list with an element that scrolls, its role and its name. `head` stays at the top;
    /// `head_px` is its height.
    pub fn new(
        dispatch: &Dispatch,
        class: &str,
        role: &str,
        label: &str,
        head: Option<El>,
    ) -> Self {
        let head_px = if head.is_some() { 26.0 } else { 0.0 };
        let spacer = div("vlp").attr("role", "presentation").build();
        let within = if role == "grid" { "rowgroup" } else { "presentation" };
        let held = div("vlh").attr("role", within).build();
        let root = div(&format!("vl {class}")).attr("role", role).attr("aria-label", label);
        let root = root.attr("tabindex", "0").children(head).build();
        append(&root, &spacer);
        append(&root, &held);
        let position: Rc<RefCell<Position>> = Rc::default();
        let rest = Rc::new(Timer::new({
            let dispatch = dispatch.clone();
            move || dispatch(Action::Redraw)
        }));
        let scroll = {
            let (root, dispatch) = (root.clone(), dispatch.clone());
            let (position, rest) = (Rc::clone(&position), Rc::clone(&rest));
            on(&root.clone(), "scroll", move |_| {
                let top = f64::from(root.scroll_top());
                let mut position = position.borrow_mut();
                position.scrolled = top;
                if (top - position.scroller.physical()).abs() >= 1.0 {
                    position.scroller.scrolled(top);
                    rest.start(REST_MS);
                    dispatch(Action::Redraw);
                }
            })
        };
        let pressed = Rc::new(Cell::new(false));
        let mut _listeners = vec![scroll];
        _listeners.extend(presses(&held, &pressed, dispatch));
        let resized = Rc::new(Cell::new(true));
        let observer = {
            let (dispatch, resized) = (dispatch.clone(), Rc::clone(&resized));
            let closure = Closure::<dyn FnMut()>::new(move || {
                resized.set(true);
                dispatch(Action::Redraw);
            });
            let made = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok();
            made.map(|observer| {
                observer.observe(&root);
                (observer, closure)
            })
        };
        Self {
            root,
            spacer,
            held,
            head_px,
            heights: Heights::default(),
            position,
            tall: -1.0,
            view: 0.0,
            resized,
            active: RefCell::default(),
            pressed,
            wish: None,
            rest,
            _observer: observer,
            _listeners,
        }
    }

    /// The element that scrolls and has the focus.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Rows in the window, half open.
    pub fn visible(&self) -> (u64, u64) {
        match self.heights.rows() {
            0 => (0, 0),
            _ => self.position.borrow().scroller.visible(&self.heights),
        }
    }

    /// Focus to the list.
    pub fn focus(&self) {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        if let Some(element) = self.root.dyn_ref::<HtmlElement>() {
            let _ = element.focus_with_options(&options);
        }
    }

    /// Names the active row by its id, as long as the list holds it.
    pub fn set_active(&self, id: Option<&str>) {
        *self.active.borrow_mut() = id.map(str::to_owned);
    }

    /// Names the list.
    pub fn set_label(&self, label: &str) {
        set_attr(&self.root, "aria-label", label);
    }

    /// Shows `total` rows, with the wished one in view, and makes those near the window.
    pub fn render(&mut self, total: u64, reveal: Option<u64>, fill: impl FnMut(u64) -> El) {
        self.wish = reveal.or(self.wish);
        if self.pressed.get() {
            return;
        }
        let reveal = self.wish.take();
        if self.resized.take() {
            self.view = (f64::from(self.root.client_height()) - self.head_px).max(0.0);
        }
        if self.heights.rows() != total {
            self.heights = Heights::new(total, Vec::new());
        }
        let mut position = self.position.borrow_mut();
        let scroller = &mut position.scroller;
        scroller.resize(self.heights.total(), self.view);
        if let Some(offset) = reveal.and_then(|row| scroller.reveal(&self.heights, row)) {
            scroller.move_to(offset);
        }
        if scroller.must_settle() || !self.rest.is_running() {
            scroller.settle();
        }
        let (first, last) = scroller.window(&self.heights);
        let top = self.heights.top(first) - scroller.origin() + self.head_px;
        let tall = scroller.element_px();
        let physical = scroller.physical().round();
        if self.tall != tall {
            self.tall = tall;
            set_style(&self.spacer, "height", &format!("{tall}px"));
        }
        set_style(&self.held, "transform", &format!("translateY({top}px)"));
        replace_children(&self.held, (first..last).map(fill));
        let active = self.active.borrow();
        let held = active.as_deref().filter(|id| {
            let row = self.held.query_selector(&format!("[id=\"{id}\"]"));
            row.is_ok_and(|row| row.is_some())
        });
        set_opt_attr(&self.root, "aria-activedescendant", held);
        if (position.scrolled - physical).abs() >= 1.0 {
            position.scrolled = physical;
            drop(position);
            #[allow(clippy::cast_possible_truncation, reason = "at most 1e7")]
            self.root.set_scroll_top(physical as i32);
        }
    }
}

/// Notices presses on the rows. A release counts once its click has been given.
fn presses(held: &Element, pressed: &Rc<Cell<bool>>, dispatch: &Dispatch) -> Vec<Listener> {
    let released = {
        let (pressed, dispatch) = (Rc::clone(pressed), dispatch.clone());
        Rc::new(Timer::new(move || {
            pressed.set(false);
            dispatch(Action::Redraw);
        }))
    };
    let down = Rc::clone(pressed);
    let mut listeners = vec![on(held, "pointerdown", move |event| {
        // A press that opens a menu may never be released here.
        let main = event.dyn_ref::<MouseEvent>().is_some_and(|event| event.button() == 0);
        down.set(main);
    })];
    for kind in ["pointerup", "pointercancel"] {
        let Some(document) = document() else { continue };
        let (pressed, released) = (Rc::clone(pressed), Rc::clone(&released));
        listeners.push(on(&document, kind, move |_| {
            if pressed.get() {
                released.start(0);
            }
        }));
    }
    listeners
}

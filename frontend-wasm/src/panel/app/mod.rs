//! The application: one state, one queue of actions, one frame.
//!
//! Whatever happens becomes an [`Action`] in the queue. The queue is worked off in a microtask, so
//! that questions leave at once and no listener is entered twice; what became dirty is drawn in
//! the next frame, at most once.

mod arrived;
mod boot;
mod effects;
mod events;
mod export;
mod taking;
mod opening;
mod page;

pub use boot::start;

use self::effects::Questions;
use self::opening::Opening;
use self::page::Panels;
use super::Dispatch;
use super::frame;
use super::timer::{Frame, Timer};
use super::transport::Transport;
use crate::dom::document;
use crate::layout::action::{Action, Dirty, Effect};
use crate::layout::keys::Press;
use crate::layout::state::{Hover, State};
use crate::layout::{commands, update};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::mem;
use std::rc::{Rc, Weak};
use web_sys::Element;

/// Milliseconds between two hovers that are passed on.
const HOVER_MS: u32 = 50;

/// The application.
pub struct App {
    me: Weak<App>,
    state: RefCell<State>,
    queue: RefCell<VecDeque<Action>>,
    /// Whether a microtask is on its way to the queue.
    draining: Cell<bool>,
    dirty: Cell<Dirty>,
    /// Focus wishes wait until the elements that they name have been drawn.
    focus: RefCell<Vec<Effect>>,
    /// What had the focus before a popup took it.
    before: RefCell<Option<Element>>,
    panels: RefCell<Option<Panels>>,
    frame: OnceCell<Frame>,
    transport: RefCell<Transport>,
    questions: RefCell<Questions>,
    opening: RefCell<Opening>,
    history: effects::History,
    hover: RefCell<Option<Hover>>,
    hover_timer: OnceCell<Timer>,
    toast_timer: OnceCell<Timer>,
    toast: Cell<u32>,
    slow_timer: OnceCell<Timer>,
    title_timer: OnceCell<Timer>,
    handover: export::Handover,
    /// Version of the assets.
    version: String,
    listeners: RefCell<Vec<crate::dom::Listener>>,
}

impl App {
    fn new(state: State, transport: Transport, version: String) -> Rc<Self> {
        let app = Rc::new_cyclic(|me: &Weak<Self>| Self {
            me: me.clone(),
            state: RefCell::new(state),
            queue: RefCell::default(),
            draining: Cell::new(false),
            dirty: Cell::new(Dirty::NONE),
            focus: RefCell::default(),
            before: RefCell::default(),
            panels: RefCell::default(),
            frame: OnceCell::new(),
            transport: RefCell::new(transport),
            questions: RefCell::default(),
            opening: RefCell::default(),
            history: effects::History::new(),
            hover: RefCell::default(),
            hover_timer: OnceCell::new(),
            handover: export::Handover::default(),
            toast_timer: OnceCell::new(),
            toast: Cell::new(0),
            slow_timer: OnceCell::new(),
            title_timer: OnceCell::new(),
            version,
            listeners: RefCell::default(),
        });
        let timer = |run: fn(&Self)| {
            let me = Rc::downgrade(&app);
            move || {
                if let Some(app) = me.upgrade() {
                    run(&app);
                }
            }
        };
        let _ = app.frame.set(Frame::new(timer(Self::draw)));
        let _ = app.hover_timer.set(Timer::new(timer(Self::pass_hover)));
        let _ = app.toast_timer.set(Timer::new(timer(|app| {
            app.dispatch(Action::ToastOver(app.toast.get()));
        })));
        let _ = app.title_timer.set(Timer::new(timer(|app| {
            if let Some(document) = document() {
                document.set_title(&frame::title(&app.state.borrow()));
            }
        })));
        let _ = app.slow_timer.set(Timer::new(timer(|app| app.dispatch(Action::Slow(true)))));
        app
    }

    /// The function that panels get.
    fn dispatcher(&self) -> Dispatch {
        let me = self.me.clone();
        Rc::new(move |action| {
            if let Some(app) = me.upgrade() {
                app.dispatch(action);
            }
        })
    }

    /// Queues an action.
    fn dispatch(&self, action: Action) {
        if let Action::Hover(hover) = action {
            // Throttled: the first at once, then the latest every 50 ms.
            *self.hover.borrow_mut() = hover;
            if self.hover_timer.get().is_some_and(Timer::is_running) {
                return;
            }
            self.pass_hover();
            return;
        }
        self.enqueue(action);
    }

    fn pass_hover(&self) {
        let hover = self.hover.borrow().clone();
        if self.state.borrow().hover != hover {
            self.enqueue(Action::Hover(hover));
            if let Some(timer) = self.hover_timer.get() {
                timer.start(HOVER_MS);
            }
        }
    }

    fn enqueue(&self, action: Action) {
        self.queue.borrow_mut().push_back(action);
        if self.draining.replace(true) {
            return;
        }
        let me = self.me.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if let Some(app) = me.upgrade() {
                app.drain();
            }
        });
    }

    fn drain(&self) {
        loop {
            let next = self.queue.borrow_mut().pop_front();
            let Some(action) = next else { break };
            let effects = update::update(&mut self.state.borrow_mut(), action);
            self.dirty.set(self.dirty.get().and(effects.dirty));
            for effect in effects.list {
                self.carry_out(effect);
            }
        }
        self.draining.set(false);
        self.ask_frame();
    }

    fn ask_frame(&self) {
        let waiting = self.dirty.get() != Dirty::NONE || !self.focus.borrow().is_empty();
        if let (true, Some(frame)) = (waiting, self.frame.get()) {
            frame.ask();
        }
    }

    /// Draws what is dirty, then moves the focus.
    fn draw(&self) {
        let dirty = self.dirty.replace(Dirty::NONE);
        let state = self.state.borrow();
        if let Some(panels) = self.panels.borrow_mut().as_mut() {
            panels.render(&state, dirty, &self.dispatcher());
        }
        let wishes = mem::take(&mut *self.focus.borrow_mut());
        for wish in wishes {
            self.move_focus(&state, &wish);
        }
    }

    /// Works the queue off at once, and draws at once if the focus moves: what is typed next must
    /// already find it in its new place.
    fn settle_focus(&self) {
        self.drain();
        if !self.focus.borrow().is_empty() {
            self.draw();
        }
    }

    /// The command of a key press, if the page takes the key.
    fn command(&self, press: &Press) -> Option<&'static str> {
        commands::of_press(&self.state.borrow(), press).map(|command| command.id)
    }
}

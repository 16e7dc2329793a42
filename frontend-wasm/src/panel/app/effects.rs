//! What the browser has to do for the state: questions, history, focus, clipboard, settings.

use super::App;
use super::arrived::read;
use crate::dom::{by_id, document, find, focus_on, set_text, window};
use crate::layout::action::{Action, Effect, FocusOn, TimelineAction};
use crate::layout::state::{About, Purpose, State, View};
use crate::layout::update;
use crate::panel::timer::Timer;
use crate::panel::transport::Transport;
use debug_api::{ColumnsRequest, Request};
use js_sys::{Promise, Reflect};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{AbortController, Element};

/// Milliseconds without an answer after which the page says that it is waiting.
const SLOW_MS: u32 = 300;
/// Milliseconds of rest before the address bar follows a moving selection.
const REPLACE_MS: u32 = 250;
/// Milliseconds that a toast stays.
const TOAST_MS: u32 = 6_000;
/// Most characters of a spoken sentence's predecessor that are kept apart by a change.
const SPEAK_MS: u32 = 60;

/// Questions in flight, with what gives them up.
#[derive(Default)]
pub struct Questions {
    asked: BTreeMap<Purpose, (u32, AbortController)>,
    rows: Vec<(u32, AbortController)>,
    /// How many are in flight.
    open: u32,
}

/// The address bar: jumps at once, steps when they have come to rest.
pub struct History {
    pending: Rc<RefCell<Option<String>>>,
    timer: Timer,
}

impl History {
    /// A history with nothing pending.
    pub fn new() -> Self {
        let pending: Rc<RefCell<Option<String>>> = Rc::default();
        let own = Rc::clone(&pending);
        let timer = Timer::new(move || write(&own));
        Self { pending, timer }
    }

    /// Shows a path; `push` makes an entry of its own.
    pub fn show(&self, path: String, push: bool) {
        if push {
            self.flush();
            if current().as_deref() != Some(path.as_str()) {
                let history = window().and_then(|window| window.history().ok());
                if let Some(history) = history {
                    let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&path));
                }
            }
        } else {
            *self.pending.borrow_mut() = Some(path);
            self.timer.start(REPLACE_MS);
        }
    }

    /// Writes what is pending.
    pub fn flush(&self) {
        self.timer.stop();
        write(&self.pending);
    }

    /// Drops what is pending: Back has left the entry that it was meant for.
    pub fn forget(&self) {
        self.timer.stop();
        self.pending.borrow_mut().take();
    }
}

fn write(pending: &RefCell<Option<String>>) {
    let Some(path) = pending.borrow_mut().take() else { return };
    if current().as_deref() == Some(path.as_str()) {
        return;
    }
    if let Some(history) = window().and_then(|window| window.history().ok()) {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&path));
    }
}

fn current() -> Option<String> {
    let location = window()?.location();
    Some(format!("{}{}", location.pathname().ok()?, location.search().ok()?))
}

impl App {
    /// Carries out one effect.
    pub(super) fn carry_out(&self, effect: Effect) {
        match effect {
            Effect::Ask(purpose, number, request, delay) => {
                self.ask(purpose, number, vec![request], delay);
            }
            Effect::AskAll(purpose, number, requests) => self.ask(purpose, number, requests, 0),
            Effect::Forget(purpose) => {
                if let Some((_, controller)) = self.questions.borrow_mut().asked.remove(&purpose) {
                    controller.abort();
                }
            }
            Effect::Rows(image, chunk, request) => self.ask_rows(image, chunk, request),
            Effect::Tile(number, request) => self.ask_tile(number, request),
            Effect::ForgetRows => {
                // Rows that name the slots of the strips stay good.
                self.questions.borrow_mut().rows.retain(|(image, controller)| {
                    let keep = image & (update::LABELS | update::DIFFS) != 0;
                    if !keep {
                        controller.abort();
                    }
                    keep
                });
            }
            Effect::Address(path, push) => {
                self.history.show(path, push);
                // The title follows when the place has come to rest: the browser takes long for it.
                if let Some(timer) = self.title_timer.get() {
                    timer.start(REPLACE_MS);
                }
            }
            Effect::Focus(_) => {
                if let Effect::Focus(
                    FocusOn::Goto | FocusOn::Palette | FocusOn::Dialog | FocusOn::Profile,
                ) = effect
                {
                    self.keep_focus();
                }
                self.focus.borrow_mut().push(effect);
            }
            Effect::Say(text) => say(text),
            Effect::Copy(text, what) => self.copy(text, what),
            Effect::CopyAddress(path) => {
                self.history.flush();
                let origin = window().and_then(|window| window.location().origin().ok());
                self.copy(format!("{}{path}", origin.unwrap_or_default()), "Link");
            }
            Effect::Store(name, value) => {
                let storage = window().and_then(|window| window.local_storage().ok()).flatten();
                if let Some(storage) = storage {
                    let _ = storage.set_item(name, &value);
                }
            }
            Effect::ToastTimer(serial) => {
                self.toast.set(serial);
                if let Some(timer) = self.toast_timer.get() {
                    timer.start(TOAST_MS);
                }
            }
            Effect::HoldToast(hold) => self.hold_toast(hold),
            Effect::Pick => self.pick(None),
            Effect::PickBeside(what) => self.pick(Some(what)),
            Effect::CheckToken(token) => self.check_token(token, true),
            Effect::CancelOpening => self.cancel_opening(),
            Effect::EndRun => self.end_run(),
            Effect::Export(request, to) => self.export(request, to),
            Effect::Navigate(path) => {
                if let Some(window) = window() {
                    let _ = window.location().set_href(&path);
                }
            }
        }
    }

    /// Holds the toast's time, or lets it run again.
    pub(super) fn hold_toast(&self, hold: bool) {
        if let Some(timer) = self.toast_timer.get() {
            if hold {
                timer.stop();
            } else if self.state.borrow().toast.is_some() {
                timer.start(TOAST_MS);
            }
        }
    }

    /// Gives the run up that is under way.
    fn end_run(&self) {
        if let Some((_, run)) = self.questions.borrow_mut().asked.remove(&Purpose::Run) {
            run.abort();
        }
        if let Transport::Worker(local) = &*self.transport.borrow() {
            local.end_run();
        }
    }

    fn ask(&self, purpose: Purpose, number: u32, requests: Vec<Request>, delay: u32) {
        let Ok(controller) = AbortController::new() else { return };
        let signal = controller.signal();
        let old = self.questions.borrow_mut().asked.insert(purpose, (number, controller));
        if let Some((_, old)) = old {
            old.abort();
        }
        let me = self.me.clone();
        spawn_local(async move {
            if delay > 0 {
                sleep(delay).await;
            }
            let Some(app) = me.upgrade().filter(|_| !signal.aborted()) else { return };
            let transport = app.transport.borrow().clone();
            app.one_more();
            let mut texts = Vec::new();
            let mut fail = None;
            for request in &requests {
                match transport.ask(request, &signal).await {
                    Ok(text) => texts.push(text),
                    Err(error) => {
                        fail = Some(error);
                        break;
                    }
                }
            }
            app.one_less();
            let answer = match fail {
                Some(fail) => Err(fail),
                None => read(purpose, &texts),
            };
            match answer {
                Ok(answer) => {
                    app.dispatch(Action::Answer { asked: number, answer: Box::new(answer) });
                }
                Err(fail) if fail.aborted => {}
                Err(fail) => {
                    let notice = fail.notice(update::about(purpose));
                    app.dispatch(Action::Failed { asked: number, notice });
                }
            }
        });
    }

    fn ask_rows(&self, image: u32, chunk: u64, request: debug_api::ColumnsRequest) {
        let Ok(controller) = AbortController::new() else { return };
        let signal = controller.signal();
        self.questions.borrow_mut().rows.push((image, controller.clone()));
        let me = self.me.clone();
        spawn_local(async move {
            let Some(app) = me.upgrade() else { return };
            let transport = app.transport.borrow().clone();
            app.one_more();
            let answer = transport.rows(&request, &signal).await;
            app.one_less();
            app.questions.borrow_mut().rows.retain(|(_, other)| *other != controller);
            match answer {
                Ok(block) => app.dispatch(Action::Rows { image, chunk, block: Box::new(block) }),
                Err(fail) if fail.aborted => {}
                Err(fail) => {
                    let notice = fail.notice(About::Code);
                    app.dispatch(Action::RowsFailed { image, chunk, notice });
                }
            }
        });
    }

    /// What is drawn of the timeline: a newer window takes the place of an older question.
    fn ask_tile(&self, number: u32, request: ColumnsRequest) {
        let Ok(controller) = AbortController::new() else { return };
        let signal = controller.signal();
        let asked = (number, controller);
        let old = self.questions.borrow_mut().asked.insert(Purpose::TimelineTile, asked);
        if let Some((_, old)) = old {
            old.abort();
        }
        let me = self.me.clone();
        spawn_local(async move {
            let Some(app) = me.upgrade() else { return };
            let transport = app.transport.borrow().clone();
            app.one_more();
            let answer = transport.rows(&request, &signal).await;
            app.one_less();
            match answer {
                Ok(block) => {
                    let tile = TimelineAction::Tile(number, Box::new(block));
                    app.dispatch(Action::Timeline(tile));
                }
                Err(fail) if fail.aborted => {}
                Err(fail) => {
                    let notice = fail.notice(About::Timeline);
                    app.dispatch(Action::Failed { asked: number, notice });
                }
            }
        });
    }

    pub(super) fn one_more(&self) {
        let mut questions = self.questions.borrow_mut();
        questions.open += 1;
        if let (1, Some(timer)) = (questions.open, self.slow_timer.get()) {
            timer.start(SLOW_MS);
        }
    }

    pub(super) fn one_less(&self) {
        let mut questions = self.questions.borrow_mut();
        questions.open = questions.open.saturating_sub(1);
        if let (0, Some(timer)) = (questions.open, self.slow_timer.get()) {
            timer.stop();
            drop(questions);
            if self.state.borrow().slow {
                self.dispatch(Action::Slow(false));
            }
        }
    }

    fn copy(&self, text: String, what: &'static str) {
        let me = self.me.clone();
        spawn_local(async move {
            let done = put_on_clipboard(&text).await;
            if let Some(app) = me.upgrade() {
                app.dispatch(Action::Copied(done, what));
            }
        });
    }

    fn keep_focus(&self) {
        let mut before = self.before.borrow_mut();
        if before.is_none() {
            *before = document().and_then(|document| document.active_element());
        }
    }

    /// Moves the focus, after what it is moved to has been drawn.
    pub(super) fn move_focus(&self, state: &State, wish: &Effect) {
        let Effect::Focus(on) = wish else { return };
        match on {
            FocusOn::Pane(pane) => {
                self.before.borrow_mut().take();
                if let Some(panels) = self.panels.borrow().as_ref() {
                    panels.focus(*pane);
                }
            }
            FocusOn::Goto => {
                let active = document().and_then(|document| document.active_element());
                // In a box that has the focus already something may have been typed.
                if let Some(input) =
                    by_id("goto-input").filter(|input| active.as_ref() != Some(input))
                {
                    focus_on(&input);
                    if let Some(input) = input.dyn_ref::<web_sys::HtmlInputElement>() {
                        input.select();
                    }
                }
            }
            FocusOn::Search => {
                let id = match state.view {
                    View::Bytes => "member-search",
                    View::Memory => "memory-search",
                    View::Collectives if state.collectives.decoder.open => "coll-word",
                    View::Collectives => "coll-search",
                    _ => "record-search",
                };
                if let Some(input) = by_id(id) {
                    focus_on(&input);
                }
            }
            FocusOn::Palette => {
                if let Some(input) = by_id("palette-input") {
                    focus_on(&input);
                }
            }
            FocusOn::Dialog => {
                // The one that is open; its field comes before its sheet.
                let open = by_id("overlay").and_then(|root| find(&root, ".scrim:not([hidden])"));
                let first = open.and_then(|open| {
                    find(&open, "[data-first]").or_else(|| find(&open, "[role=dialog]"))
                });
                if let Some(first) = first {
                    focus_on(&first);
                    if let Some(input) = first.dyn_ref::<web_sys::HtmlInputElement>() {
                        input.select();
                    }
                }
            }
            FocusOn::Profile => {
                if let Some(panel) = by_id("profile-panel") {
                    focus_on(&panel);
                }
            }
            FocusOn::Before => {
                let before = self.before.borrow_mut().take();
                match before.filter(Element::is_connected_element) {
                    Some(before) => focus_on(&before),
                    None if state.opened => {
                        if let Some(panels) = self.panels.borrow().as_ref() {
                            panels.focus(state.pane);
                        }
                    }
                    None => {}
                }
            }
        }
    }
}

/// Whether an element is still in the document and can take the focus back.
trait Connected {
    fn is_connected_element(&self) -> bool;
}

impl Connected for Element {
    fn is_connected_element(&self) -> bool {
        self.is_connected() && self.tag_name() != "BODY"
    }
}

async fn put_on_clipboard(text: &str) -> bool {
    let Some(window) = window() else { return false };
    let navigator = window.navigator();
    // Browsers leave the clipboard out where the page did not come over a safe way.
    let there = Reflect::get(&navigator, &"clipboard".into()).is_ok_and(|found| found.is_object());
    there && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// Speaks a sentence; the same sentence again is spoken again.
fn say(text: String) {
    let Some(live) = by_id("live") else { return };
    set_text(&live, "");
    spawn_local(async move {
        sleep(SPEAK_MS).await;
        set_text(&live, &text);
    });
}

/// Waits.
pub async fn sleep(ms: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        if let Some(window) = window() {
            let ms = i32::try_from(ms).unwrap_or(i32::MAX);
            let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms);
        }
    });
    let _ = JsFuture::from(promise).await;
}

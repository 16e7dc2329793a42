//! What the whole document listens to: keys, focus, width, history, files dragged over it.

use super::App;
use super::boot::size_class;
use crate::dom::{Listener, closest, document, find, on, set_class, window};
use crate::layout::action::Action;
use crate::layout::keys::Press;
use crate::layout::state::{Page, Pane};
use crate::layout::url;
use crate::panel::start::listed;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Element, Event, EventTarget, KeyboardEvent};

/// Listens.
pub fn listen(app: &Rc<App>) -> Vec<Listener> {
    let (Some(window), Some(document)) = (window(), document()) else { return Vec::new() };
    let with = |run: fn(&App, &Event)| {
        let me = Rc::downgrade(app);
        move |event: Event| {
            if let Some(app) = me.upgrade() {
                run(&app, &event);
            }
        }
    };
    let page: &EventTarget = &document;
    vec![
        on(page, "keydown", with(key)),
        on(page, "focusin", with(focus)),
        on(page, "click", with(click)),
        on(page, "dragover", with(drag_over)),
        on(page, "dragleave", with(drag_leave)),
        on(page, "drop", with(drop)),
        on(&window, "resize", with(|app, _| app.dispatch(Action::Resized(size_class())))),
        on(&window, "popstate", with(|app, _| history(app))),
        on(&window, "pagehide", with(|app, _| app.history.flush())),
    ]
}

fn key(app: &App, event: &Event) {
    let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
    if event.default_prevented() || key.is_composing() {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is = |selector: &str| {
        target.as_ref().is_some_and(|target| target.matches(selector).unwrap_or(false))
    };
    let press = Press {
        code: key.code(),
        key: key.key(),
        ctrl: key.ctrl_key() || key.meta_key(),
        shift: key.shift_key(),
        alt: key.alt_key(),
        in_text: is(
            "input:not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable]",
        ),
        on_control: is(
            "button, a[href], select, summary, input, [role=treeitem], [role=tab], [role=option]",
        ),
    };
    let Some(command) = app.command(&press) else { return };
    // A marked text is what Ctrl+C copies.
    if matches!(command, "copy-slot" | "copy-hex") && has_marked_text() {
        return;
    }
    event.prevent_default();
    app.dispatch(Action::Run(command));
    app.settle_focus();
}

fn has_marked_text() -> bool {
    let selection = window().and_then(|window| window.get_selection().ok()).flatten();
    selection.is_some_and(|selection| !selection.is_collapsed())
}

fn focus(app: &App, event: &Event) {
    let panes = [
        (".reg", Pane::Regions),
        (".cod", Pane::Code),
        (".srcp", Pane::Source),
        (".det", Pane::Drawer),
        (".tree", Pane::Records),
        (".srcs", Pane::Members),
        (".hexl", Pane::Bytes),
        (".ft", Pane::Fields),
        (".mdet", Pane::MemoryDetails),
        (".mmain", Pane::Memory),
        (".cfields", Pane::EntryFields),
        (".cside", Pane::Topology),
        (".cmain", Pane::Entries),
        (".tdet", Pane::TimelineDetails),
        (".tmain", Pane::Timeline),
        (".rside", Pane::RunState),
        (".rmain", Pane::Run),
    ];
    let pane = panes.into_iter().find(|(selector, _)| closest(event, selector).is_some());
    if let Some((_, pane)) = pane {
        app.dispatch(Action::Focused(pane));
    }
}

/// Buttons of the frame that the document brings along.
fn click(app: &App, event: &Event) {
    let buttons = [("#commands", "palette"), ("#theme", "theme"), ("#keys", "keys")];
    for (selector, command) in buttons {
        if closest(event, selector).is_some() {
            app.dispatch(Action::Run(command));
        }
    }
}

/// Back and Forward. An entry of another document is loaded, since its file is another one.
fn history(app: &App) {
    let Some(window) = window() else { return };
    let location = window.location();
    let path = location.pathname().unwrap_or_default();
    let query = location.search().unwrap_or_default();
    let own = {
        let state = app.state.borrow();
        match state.page {
            Page::Start => path == "/",
            Page::Local => path.starts_with("/local/"),
            Page::View => path.starts_with(&format!("/f/{}/", state.session)),
        }
    };
    if !own {
        let _ = location.reload();
        return;
    }
    app.history.forget();
    let query = query.trim_start_matches('?').to_owned();
    app.dispatch(Action::Restore { view: url::view_of_path(&path), query });
}

fn drag_over(_: &App, event: &Event) {
    if carries_file(event) {
        event.prevent_default();
        show_drag(true);
    }
}

fn drag_leave(_: &App, event: &Event) {
    // Leaving the window has no element to go to.
    let to = event.dyn_ref::<DragEvent>().and_then(|event| event.related_target());
    if to.is_none() {
        show_drag(false);
    }
}

fn drop(app: &App, event: &Event) {
    if !carries_file(event) {
        return;
    }
    show_drag(false);
    // The drop zone of the start page has taken it.
    if event.default_prevented() {
        return;
    }
    event.prevent_default();
    let transfer = event.dyn_ref::<DragEvent>().and_then(|event| event.data_transfer());
    let files = listed(transfer.and_then(|transfer| transfer.files()));
    if !files.is_empty() {
        app.take_in(files);
    }
}

fn carries_file(event: &Event) -> bool {
    let transfer = event.dyn_ref::<DragEvent>().and_then(|event| event.data_transfer());
    transfer.is_some_and(|transfer| transfer.types().includes(&"Files".into(), 0))
}

fn show_drag(on: bool) {
    let Some(body) = document().and_then(|document| document.body()) else { return };
    set_class(&body, "drag", on);
    if let Some(drop) = find(&body, "#drop") {
        set_class(&drop, "drag", on);
    }
}

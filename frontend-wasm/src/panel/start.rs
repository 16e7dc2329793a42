//! The start page: drop zone, file picker, and the choice of where a file is read.
//!
//! The document itself comes from the server and is whole without script; this panel only brings
//! its controls to life, so it takes elements that are there instead of making new ones.

use super::Dispatch;
use crate::dom::{
    El, Listener, by_id, closest, div, el, find, on, replace_children, set_attr, set_class, span,
};
use crate::layout::action::{Action, Dirty};
use crate::layout::format::{bytes_exact, bytes_unit};
use crate::layout::state::{About, Opening, State};
use crate::paint::glyph::{button, symbol};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Element, Event, File, FileList, HtmlInputElement};

/// Takes files that were dropped or chosen together; `true` if they go to the server.
pub type OpenFile = Rc<dyn Fn(Vec<File>, bool)>;

/// The start page.
pub struct StartPanel {
    drop: Element,
    problem: Element,
    busy: Option<(String, Element, Element)>,
    _listeners: Vec<Listener>,
}

impl StartPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::NOTICE;

    /// Takes over the page; `None` on a page without a drop zone.
    pub fn attach(dispatch: Dispatch, open: OpenFile) -> Option<Self> {
        let drop = by_id("drop")?;
        let problem = by_id("problem")?;
        let mut listeners = drags(&drop, &open);
        if let Some(choose) = by_id("choose") {
            listeners.push(on(&choose, "click", |_| pick()));
        }
        if let Some(input) = by_id("pick") {
            let take = Rc::clone(&open);
            listeners.push(on(&input, "change", move |event| {
                let input = event.target().and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
                let Some(input) = input else { return };
                let files = listed(input.files());
                // The same file can be chosen again after an error.
                input.set_value("");
                if !files.is_empty() {
                    take(files, wants_upload());
                }
            }));
        }
        listeners.push(on(&problem, "click", move |event| {
            if closest(&event, "[data-cancel]").is_some() {
                dispatch(Action::OpeningCancel);
            }
        }));
        Some(Self { drop, problem, busy: None, _listeners: listeners })
    }

    /// The drop zone.
    pub const fn root(&self) -> &Element {
        &self.drop
    }

    /// Brings progress and problems up to date.
    pub fn render(&mut self, state: &State) {
        let opening = state.opening.as_ref().filter(|opening| opening.slow);
        if let Some(opening) = opening {
            self.render_progress(opening);
            return;
        }
        self.busy = None;
        let notices = state.notices.iter().filter(|notice| notice.about == About::Open);
        let banners = notices.map(|notice| {
            let (class, id) = match notice.severity.as_str() {
                "error" => ("banner err", "v-error"),
                "warning" => ("banner warn", "v-warning"),
                _ => ("banner info", "v-info"),
            };
            let text = span("tx", &notice.message).and_text(" ");
            let glyph = symbol("ic", id);
            div(class).child(glyph).child(text.child(span("code", &notice.code)))
        });
        replace_children(&self.problem, banners);
    }

    fn render_progress(&mut self, opening: &Opening) {
        let done = done(opening);
        match &self.busy {
            Some((name, bar, text)) if *name == opening.name => {
                if opening.upload {
                    set_attr(bar, "value", &opening.done.to_string());
                }
                crate::dom::set_text(text, &done);
            }
            _ => {
                let bar = el("progress")
                    .attr("max", &opening.bytes.max(1).to_string())
                    .attr("aria-label", &format!("Opening {}", opening.name));
                // How far reading in this browser has come is not known.
                let done_of_all = opening.done.to_string();
                let bar = if opening.upload { bar.attr("value", &done_of_all) } else { bar };
                let bar = bar.build();
                let text = span("num", &done).build();
                let verb = if opening.upload { "Sending" } else { "Reading" };
                let name = span("cut", &format!("{verb} {}", opening.name));
                let name = name.attr("title", &opening.name);
                let cancel: El = button("btn sm").attr("data-cancel", "").text("Cancel");
                let busy = div("busy").child(name).node(&bar).node(&text).child(cancel);
                replace_children(&self.problem, [busy]);
                self.busy = Some((opening.name.clone(), bar, text));
            }
        }
    }
}

/// Opens the file picker of the page.
pub fn pick() {
    if let Some(input) = by_id("pick").and_then(|input| input.dyn_into::<HtmlInputElement>().ok()) {
        input.click();
    }
}

/// Whether the user wants the file on the server. Without a choice it stays in the browser.
pub fn wants_upload() -> bool {
    let way = by_id("ways").and_then(|ways| find(&ways, "input[name=way]:checked"));
    way.and_then(|way| way.get_attribute("value")).is_some_and(|way| way == "server")
}

/// The files of a list.
pub fn listed(files: Option<FileList>) -> Vec<File> {
    files
        .map_or_else(Vec::new, |files| (0..files.length()).filter_map(|at| files.get(at)).collect())
}

fn done(opening: &Opening) -> String {
    let of = bytes_unit(opening.bytes).unwrap_or_else(|| bytes_exact(opening.bytes));
    if !opening.upload {
        return of;
    }
    let done = bytes_unit(opening.done).unwrap_or_else(|| bytes_exact(opening.done));
    format!("{done} of {of}")
}

fn drags(drop: &Element, open: &OpenFile) -> Vec<Listener> {
    let over = |zone: Element, on_it: bool| {
        move |event: Event| {
            event.prevent_default();
            set_class(&zone, "over", on_it);
        }
    };
    let (zone, take) = (drop.clone(), Rc::clone(open));
    vec![
        on(drop, "dragenter", over(drop.clone(), true)),
        on(drop, "dragover", over(drop.clone(), true)),
        on(drop, "dragleave", over(drop.clone(), false)),
        on(drop, "drop", move |event| {
            event.prevent_default();
            set_class(&zone, "over", false);
            let drag = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
            let files = listed(drag.and_then(|drag| drag.files()));
            if !files.is_empty() {
                take(files, wants_upload());
            }
        }),
    ]
}

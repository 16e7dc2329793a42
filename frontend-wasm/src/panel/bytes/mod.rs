//! The Bytes view: what has bytes, the bytes, the fields at the cursor, and values read there.

mod hex;
mod inspector;
mod list;

use self::hex::Hex;
use self::inspector::Inspector;
use self::list::List;
use super::Dispatch;
use super::fields::{FieldTable, Shown};
use crate::dom::{
    Listener, append, closest, data, data_number, div, el, on, replace_children, set_attr,
    set_class, set_hidden, set_text, span,
};
use crate::layout::action::{Action, BytesAction, Dirty};
use crate::layout::bytes::{BytesBox, place_text, selection_text};
use crate::layout::format;
use crate::layout::inspect::chosen;
use crate::layout::state::{Notice, State};
use crate::layout::trail;
use debug_api::find::Words;
use std::rc::Rc;
use web_sys::Element;

/// The view.
pub struct BytesPanel {
    root: Element,
    list: List,
    label: Element,
    modes: [Element; 2],
    about: Element,
    hex: Hex,
    table: FieldTable,
    none: Element,
    element: Element,
    inspector: Inspector,
    gone: Element,
    told: Option<Notice>,
    /// The fields, the one at the cursor and the one under the pointer when last drawn.
    meant: Option<(*const (), Option<usize>, Option<usize>)>,
    revealed: u32,
    _listeners: Vec<Listener>,
}

impl BytesPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::BYTES.and(Dirty::SELECTION).and(Dirty::REGIONS);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let list = List::new(&dispatch);
        let label = span("sub", "").build();
        let mode = |text: &str, value: &str| {
            el("button").attr("type", "button").attr("data-mode", value).text(text).build()
        };
        let modes = [mode("Hex", "hex"), mode("Text", "text")];
        let seg = span("seg", "").attr("role", "group").attr("aria-label", "Shown as");
        let seg = seg.node(&modes[0]).node(&modes[1]);
        let copy = |text: &str, run: &str, title: &str| {
            let button = el("button").class("btn sm").attr("type", "button");
            button.attr("data-run", run).attr("title", title).text(text)
        };
        let bar = div("ph")
            .child(el("h2").attr("id", "bytes-title").text("Bytes"))
            .node(&label)
            .child(span("grow", ""))
            .child(seg)
            .child(span("t3 hide-m lead1", "Copy"))
            .child(copy("Hex", "copy-hex", "Copy the selection as hex, Ctrl C"))
            .child(copy("C array", "copy-c", "Copy the selection as a C array, Shift C"))
            .child(copy("Address", "copy-offset", "Copy where the selection starts, Shift O"))
            .child(copy("Link", "copy-link", "Copy a link to exactly this, Y"));
        let about = div("bsub").attr("role", "status").build();
        let hex = Hex::new(&dispatch);
        let middle = el("section").class("pane hexp").attr("aria-labelledby", "bytes-title");
        let gone = div("gap gone").attr("role", "alert").build();
        set_hidden(&gone, true);
        let middle = middle.child(bar).node(&about).node(&gone).node(hex.root()).build();
        let table = FieldTable::new(&dispatch, false);
        let none = div("gap").build();
        let inspector = Inspector::new();
        let right = el("section").class("pane fld1").attr("aria-label", "Fields and values");
        let element = span("sub", "").build();
        let title = div("ph").child(el("h2").text("Fields")).node(&element);
        let right = right.child(title).node(&none).node(table.root()).node(inspector.root());
        let root = div("byt").build();
        append(&root, list.root());
        append(&root, &middle);
        append(&root, &right.build());
        let mut listeners = vec![on(&root, "click", clicks(dispatch.clone()))];
        listeners.extend(hovers(table.root(), &dispatch));
        Self {
            root,
            list,
            label,
            modes,
            about,
            hex,
            table,
            none,
            element,
            inspector,
            gone,
            told: None,
            meant: None,
            revealed: 0,
            _listeners: listeners,
        }
    }

    /// The view's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the list.
    pub fn focus_list(&self) {
        self.list.focus();
    }

    /// Focus to the bytes.
    pub fn focus_bytes(&self) {
        self.hex.focus();
    }

    /// Focus to the fields.
    pub fn focus_fields(&self) {
        self.table.focus();
    }

    /// Brings the view up to date.
    pub fn render(&mut self, state: &State) {
        let view = &state.bytes;
        let reveal = self.revealed != view.reveal;
        self.revealed = view.reveal;
        self.list.render(state, reveal);
        let mut words = vec![trail::label(state)];
        if let Some(page) = &view.page {
            words.push(format::bytes_exact(page.total));
            words.extend(format::bytes_unit(page.total));
            words.push(page.structure.clone());
            words.push(page.provenance.name().to_owned());
        }
        set_text(&self.label, &words.join(" \u{b7} "));
        set_attr(&self.label, "title", &words.join(" \u{b7} "));
        for (button, on) in self.modes.iter().zip([!view.text, view.text]) {
            set_class(button, "on", on);
            set_attr(button, "aria-pressed", if on { "true" } else { "false" });
        }
        self.tell(state);
        self.tell_missing(view);
        self.hex.render(state, reveal);
        let part = view.part_at(view.cursor).map_or("", |part| part.name.as_str());
        set_text(&self.element, part);
        let cursor = view.field_at(view.cursor);
        // What the reader scrolled to stays, until another field is meant.
        let pointed = view.hover.filter(|_| view.hover_of_bytes);
        let own = Rc::as_ptr(&view.fields).cast::<()>();
        let reveal = match self.meant {
            Some((_, _, before)) if pointed.is_some() && pointed != before => pointed,
            Some((old, at, _)) if old == own && at == cursor => None,
            _ => cursor,
        };
        self.meant = Some((own, cursor, pointed));
        let find = Words::default();
        let shown = Shown { cursor, hover: view.hover, find, reveal };
        let fields = Rc::clone(&view.fields);
        set_hidden(&self.none, !fields.is_empty() || view.page.is_none());
        set_hidden(self.table.root(), fields.is_empty());
        if fields.is_empty() {
            let text = match view.page.as_ref().map(|page| page.structure.as_str()) {
                Some("json" | "text") if view.text => "Text has no fields. X shows its bytes.",
                Some("json" | "text") => "This is text. X shows it as lines.",
                _ => {
                    "The structure of these bytes is not known. The values below are read at the cursor."
                }
            };
            set_text(&self.none, text);
        }
        self.table.render(&fields, &shown);
        self.inspector.render(view);
    }

    /// Why there are no bytes, in their place.
    fn tell_missing(&mut self, view: &BytesBox) {
        set_hidden(&self.gone, view.missing.is_none());
        set_hidden(self.hex.root(), view.missing.is_some());
        if self.told == view.missing {
            return;
        }
        self.told.clone_from(&view.missing);
        let Some(notice) = &view.missing else { return };
        let mut parts = vec![el("b").text(&notice.message), span("code", &notice.code)];
        if notice.code == "bytes.past-end" {
            let button = el("button").class("btn sm").attr("type", "button");
            parts.push(button.attr("data-first", "").text("Show it from byte 0"));
        } else {
            parts.push(span("t2", "The list at the left has everything with bytes."));
        }
        replace_children(&self.gone, parts);
    }

    /// The line above the bytes: selection, element, offsets.
    fn tell(&self, state: &State) {
        let view = &state.bytes;
        let Some(page) = &view.page else {
            let text = match &view.missing {
                Some(_) => "Nothing is shown".to_owned(),
                None => "Loading".to_owned(),
            };
            set_text(&self.about, &text);
            set_attr(&self.about, "title", &text);
            return;
        };
        let mut words = vec![selection_text(view)];
        if !view.is_withheld(view.cursor)
            && let Some(reading) = chosen(view.ahead(), view.reading)
        {
            words.push(format!("{} {}", reading.name, reading.value));
        }
        let (first, _) = view.selection();
        if let Some(part) = view.part_at(first) {
            words.push(format!("{}: {}", part.name, part.text));
        }
        let place = place_text(page, first);
        words.extend((!place.is_empty()).then_some(place));
        words.extend(page.no_file_offset.clone());
        if !page.withheld.is_empty() {
            words.push("bytes shown as dots are kept back".to_owned());
        }
        let text = words.join(" \u{b7} ");
        set_text(&self.about, &text);
        set_attr(&self.about, "title", &text);
    }
}

fn clicks(dispatch: Dispatch) -> impl FnMut(web_sys::Event) {
    move |event| {
        let number = |selector: &str, name: &str| {
            let found = closest(&event, selector).and_then(|at| data_number(&at, name));
            found.and_then(|number| usize::try_from(number).ok())
        };
        let send = |action: BytesAction| dispatch(Action::Bytes(action));
        if let Some(text) = closest(&event, "[data-copy]").and_then(|at| data(&at, "copy")) {
            dispatch(Action::Copy(text, "Value"));
        } else if let Some(field) = number("[data-field]", "field") {
            send(BytesAction::Field(field));
        } else if closest(&event, "[data-first]").is_some() {
            send(BytesAction::First);
        } else if let Some(row) = number("[data-source]", "source") {
            send(BytesAction::Row(row));
        } else if let Some(mode) = closest(&event, "[data-mode]").and_then(|at| data(&at, "mode")) {
            send(BytesAction::Text(mode == "text"));
        } else if let Some(run) = closest(&event, "[data-run]").and_then(|at| data(&at, "run")) {
            let known = ["copy-hex", "copy-c", "copy-offset", "copy-link", "inspector"];
            if let Some(id) = known.into_iter().find(|id| *id == run) {
                dispatch(Action::Run(id));
            }
        }
    }
}

/// Pointing at a field marks its bytes.
fn hovers(table: &Element, dispatch: &Dispatch) -> [Listener; 2] {
    let (over, out) = (dispatch.clone(), dispatch.clone());
    [
        on(table, "pointerover", move |event| {
            let field = closest(&event, "[data-field]").and_then(|at| data_number(&at, "field"));
            let field = field.and_then(|field| usize::try_from(field).ok());
            over(Action::Bytes(BytesAction::Hover(field)));
        }),
        on(table, "pointerleave", move |_| out(Action::Bytes(BytesAction::Hover(None)))),
    ]
}

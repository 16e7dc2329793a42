//! The bytes: rows of 16 with digits and characters, or rows of text; selected with the pointer.

use crate::dom::{El, Listener, closest, data, div, document, el, on, set_class, span};
use crate::layout::action::{Action, BytesAction};
use crate::layout::bytes::{BytesBox, shown_char};
use crate::layout::state::State;
use crate::paint::glyph;
use crate::panel::Dispatch;
use crate::panel::fields::hue;
use crate::panel::vlist::VList;
use std::cell::Cell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, PointerEvent};

/// The bytes.
pub struct Hex {
    list: VList,
    dispatch: Dispatch,
    seen: (u64, u64),
    _listeners: Vec<Listener>,
}

impl Hex {
    /// No bytes.
    pub fn new(dispatch: &Dispatch) -> Self {
        let title = |class: &str, text: &str| span(class, text).attr("role", "columnheader");
        let columns: String =
            (0..16).map(|at| format!("{at:02x}{}", if at % 4 == 3 { "  " } else { " " })).collect();
        let head = div("vlhd hxh")
            .attr("role", "row")
            .child(title("r", "Offset"))
            .child(title("hxd mono", columns.trim_end()))
            .child(title("", "Text"));
        let list = VList::new(dispatch, "hexl", "grid", "Bytes", Some(head));
        let listeners = pointer(list.root(), dispatch);
        Self { list, dispatch: dispatch.clone(), seen: (0, 0), _listeners: listeners }
    }

    /// The element that scrolls.
    pub const fn root(&self) -> &Element {
        self.list.root()
    }

    /// Focus to the bytes.
    pub fn focus(&self) {
        self.list.focus();
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State, reveal: bool) {
        let view = &state.bytes;
        set_class(self.root(), "astext", view.text);
        let rows = view.rows();
        let row = view.row_of(view.cursor);
        let wish = (reveal && rows > 0).then_some(row);
        self.list.set_active((rows > 0).then(|| format!("bytes-{row}")).as_deref());
        let marked = view.hover.and_then(|field| view.fields.get(field));
        let marked = marked.map(|field| (field.offset, field.offset.saturating_add(field.bytes)));
        self.list.render(rows, wish, |row| line(view, row, marked));
        let (first, last) = self.list.visible();
        let seen = (view.row(first).0, view.row(last.saturating_sub(1)).1);
        if seen != self.seen && rows > 0 {
            self.seen = seen;
            (self.dispatch)(Action::Bytes(BytesAction::Seen(seen.0, seen.1)));
        }
    }
}

/// A row of bytes.
fn line(view: &BytesBox, row: u64, marked: Option<(u64, u64)>) -> El {
    let (start, end) = view.row(row);
    let (first, last) = view.selection();
    let cell = |class: &str| span(class, "").attr("role", "gridcell");
    let offset = span("r mono t3", "").attr("role", "rowheader");
    let item = div("vr2 hxr")
        .attr("role", "row")
        .attr("id", &format!("bytes-{row}"))
        .child(offset.child(glyph::address(&format!("{start:#x}"))));
    let mut digits = cell("hxd mono");
    let mut text = cell("hxt mono");
    for at in start..end {
        let byte = view.byte(at);
        let kept = view.is_withheld(at);
        let mut class = String::new();
        if (first..last).contains(&at) {
            class.push_str(if at == view.cursor { "s c" } else { "s" });
            // What is selected is one run up to the end of the row.
            class.push_str(if at + 1 < last && at % 16 != 15 { " l" } else { "" });
        }
        if marked.is_some_and(|(low, high)| (low..high).contains(&at)) {
            class.push_str(" m");
        }
        let shown = match byte {
            _ if kept => "\u{b7}\u{b7}".to_owned(),
            Some(byte) => format!("{byte:02x}"),
            None => "  ".to_owned(),
        };
        let letter = match byte {
            Some(byte) if !kept => shown_char(byte),
            _ => '\u{b7}',
        };
        let place = format!("{at}");
        if !view.text {
            let field = view.field_at(at);
            let mut own = class.clone();
            if let Some(field) = field {
                own.push_str(&format!(" k{}", hue(field)));
            }
            if byte == Some(0) || kept {
                own.push_str(" z");
            }
            if at % 4 == 3 && at % 16 != 15 {
                own.push_str(" g");
            }
            digits = digits.child(el("i").class(own.trim()).attr("data-b", &place).text(&shown));
        }
        let plain = byte.is_some_and(|byte| byte.is_ascii_graphic()) && !kept;
        if !plain {
            class.push_str(" z");
        }
        // The end of a line says so where lines are lines.
        let ends = view.text && byte == Some(b'\n') && !view.lines.is_empty();
        let letter = if ends { "\u{21b5}".to_owned() } else { letter.to_string() };
        text = text.child(el("i").class(class.trim()).attr("data-b", &place).text(&letter));
    }
    if !view.text { item.child(digits).child(text) } else { item.child(text) }
}

/// Press and drag select; pointing marks the field.
fn pointer(root: &Element, dispatch: &Dispatch) -> Vec<Listener> {
    let dragging = Rc::new(Cell::new(false));
    let down = {
        let (dragging, dispatch, root) = (Rc::clone(&dragging), dispatch.clone(), root.clone());
        on(&root.clone(), "pointerdown", move |event| {
            let Some(pointer) = event.dyn_ref::<PointerEvent>() else { return };
            let Some(at) = closest(&event, "[data-b]").and_then(|at| byte_of(&at)) else { return };
            if pointer.button() != 0 {
                return;
            }
            // Rows are made anew while the pointer is down: the list itself keeps it.
            let _ = root.set_pointer_capture(pointer.pointer_id());
            dragging.set(true);
            dispatch(Action::Bytes(BytesAction::Byte(at, pointer.shift_key())));
        })
    };
    let moved = {
        let (dragging, dispatch) = (Rc::clone(&dragging), dispatch.clone());
        let last = Cell::new(None);
        on(root, "pointermove", move |event| {
            if !dragging.get() {
                return;
            }
            let at = under(&event).and_then(|at| byte_of(&at));
            if at.is_some() && last.replace(at) != at {
                dispatch(Action::Bytes(BytesAction::Byte(at.unwrap_or(0), true)));
            }
        })
    };
    let stop = |kind: &'static str| {
        let dragging = Rc::clone(&dragging);
        on(root, kind, move |_| dragging.set(false))
    };
    let mut out = vec![stop("pointerup"), stop("pointercancel"), down, moved];
    let hovering = dispatch.clone();
    out.push(on(root, "pointerover", move |event| {
        let at = closest(&event, "[data-b]").and_then(|at| byte_of(&at));
        hovering(Action::Bytes(BytesAction::HoverByte(at)));
    }));
    let leaving = dispatch.clone();
    out.push(on(root, "pointerleave", move |_| leaving(Action::Bytes(BytesAction::Hover(None)))));
    out
}

fn byte_of(element: &Element) -> Option<u64> {
    data(element, "b")?.parse().ok()
}

/// The byte under the pointer, wherever the event goes.
fn under(event: &Event) -> Option<Element> {
    let pointer = event.dyn_ref::<PointerEvent>()?;
    #[allow(clippy::cast_precision_loss, reason = "coordinates of a window")]
    let (x, y) = (pointer.client_x() as f32, pointer.client_y() as f32);
    let found = document()?.element_from_point(x, y)?;
    found.closest("[data-b]").ok().flatten()
}

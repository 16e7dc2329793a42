//! The Bytes view: a page around the window, a selection, and what stands at the cursor.

use super::{TYPING_DELAY, address, ask, loader_scope, notice, run, scope, select, toast};
use crate::layout::action::{BytesAction, Dirty, Effect, Effects, FocusOn, Move, Target};
use crate::layout::bytes::{
    BytesOf, BytesRef, ROW_BYTES, decode, moved, moved_rows, selection_text, wanted,
};
use crate::layout::bytes_copy::{as_c, as_hex};
use crate::layout::inspect::{CYCLE, chosen};
use crate::layout::state::{About, Notice, Pane, Purpose, State, View};
use crate::layout::structs::TreeKind;
use crate::layout::trail;
use crate::layout::value::value_text;
use debug_api::answer::{BytesAnswer, MembersAnswer};
use debug_api::plain::range;
use debug_api::{Request, Scope};
use std::rc::Rc;

/// Delay of the question while the cursor steps, in ms.
const STEP_DELAY: u32 = 40;
/// Bytes of a slot.
const SLOT: u64 = 64;

/// What happened in the view.
pub(super) fn apply(state: &mut State, action: BytesAction, out: &mut Effects) {
    if let BytesAction::Hover(_) | BytesAction::HoverByte(_) = action {
        let field = match action {
            BytesAction::Hover(field) => field,
            BytesAction::HoverByte(at) => at.and_then(|at| state.bytes.field_at(at)),
            _ => None,
        };
        let of_bytes = matches!(action, BytesAction::HoverByte(_));
        if state.bytes.hover != field || state.bytes.hover_of_bytes != of_bytes {
            state.bytes.hover = field;
            state.bytes.hover_of_bytes = of_bytes;
            out.mark(Dirty::BYTES);
        }
        return;
    }
    out.mark(Dirty::BYTES);
    match action {
        BytesAction::Find(text) => state.bytes.find = text,
        BytesAction::Row(row) => choose(state, row, out),
        BytesAction::Open(to) => open(state, &to, out),
        BytesAction::Seen(first, end) => {
            state.bytes.seen = (first, end);
            want_page(state, 0, out);
        }
        BytesAction::First => {
            (state.bytes.cursor, state.bytes.anchor) = (0, 0);
            state.bytes.asked = None;
            address(state, false, out);
        }
        BytesAction::Byte(at, extend) => to_byte(state, at, extend, out),
        BytesAction::Field(field) => to_field(state, field, out),
        BytesAction::Hover(_) | BytesAction::HoverByte(_) => {}
        BytesAction::Text(on) => {
            state.bytes.text = on;
            state.bytes.arrange();
            want_page(state, 0, out);
            state.bytes.reveal = state.bytes.reveal.wrapping_add(1);
            address(state, false, out);
        }
    }
}

/// Asks for what the view needs and does not have.
pub(super) fn sync(state: &mut State, out: &mut Effects) {
    let ready = state.opened && !state.wanted.pending;
    if state.view != View::Bytes || !ready {
        return;
    }
    let list_scope = Scope { e: None, ..scope(state) };
    let wanted = (list_scope, state.bytes.find.clone());
    if state.bytes.asked_list.as_ref() != Some(&wanted) {
        let typed = state.bytes.asked_list.is_some();
        let (scope, find) = wanted.clone();
        let find = (!find.trim().is_empty()).then(|| find.trim().to_owned());
        let request = Request::Members { scope, from: 0, count: None, find };
        ask(state, Purpose::Members, request, if typed { TYPING_DELAY } else { 0 }, out);
        state.bytes.asked_list = Some(wanted);
    }
    if state.bytes.of.of.is_empty() {
        // Nothing was asked for: the image at the selected slot, else the header.
        follow(state);
        if state.bytes.of.of.is_empty() {
            state.bytes.of.of = "header".to_owned();
        }
    }
    let wanted = (own_scope(state), state.bytes.of.clone());
    if state.bytes.asked.as_ref() != Some(&wanted) {
        state.bytes.asked = Some(wanted);
        state.bytes.page = None;
        state.bytes.bytes = Rc::default();
        state.bytes.fields = Rc::default();
        state.bytes.lines = Rc::default();
        state.bytes.hover = None;
        state.bytes.missing = None;
        place_row(state);
        let at = state.bytes.cursor;
        state.bytes.seen = (at / ROW_BYTES * ROW_BYTES, at + 40 * ROW_BYTES);
        want_page(state, 0, out);
        out.mark(Dirty::BYTES.and(Dirty::FRAME));
    }
}

/// What an address names.
pub(super) fn take_address(
    state: &mut State,
    of: BytesOf,
    at: Option<u64>,
    len: Option<u64>,
    text: bool,
) {
    if of.of.is_empty() {
        return;
    }
    let view = &mut state.bytes;
    view.of = of;
    view.text = text;
    view.cursor = at.unwrap_or(0);
    view.anchor = view.cursor.saturating_add(len.unwrap_or(1).saturating_sub(1));
    view.reveal = view.reveal.wrapping_add(1);
}

/// Bytes of what the view before has shown: the record, or the selected slot.
pub(super) fn follow(state: &mut State) {
    let (of, first, end) = match (state.view, &state.structs.record, state.selection.slot) {
        (View::Structs, _, _) if state.structs.sheet.is_some() => {
            let Some(bytes) = state.structs.sheet_bytes() else { return };
            if let Some(e) = bytes.e {
                state.selection.e = e;
            }
            (bytes.of, bytes.at, bytes.at.saturating_add(bytes.bytes.max(1)))
        }
        (View::Structs, Some(record), _) => {
            let name = Some(record.record.name.clone());
            let field = state.structs.field.and_then(|field| record.fields.get(field));
            let (first, bytes) = field.map_or((0, 1), |field| (field.offset, field.bytes));
            let (kind, name, start) = match TreeKind::of_name(&record.record.name) {
                TreeKind::Runtime => ("record", name, 0),
                TreeKind::Index | TreeKind::Kbin => ("kbin", name, 0),
                TreeKind::Dump => {
                    let generation = state.structs.dump.as_ref();
                    let name = generation.map(|dump| format!("{}@0x0", dump.generation));
                    ("dump", name, record.record.model_offset.unwrap_or(0))
                }
            };
            let first = first.saturating_add(start);
            let of = BytesOf { of: kind.to_owned(), name, f: None };
            (of, first, first.saturating_add(bytes.max(1)))
        }
        (_, _, Some(slot)) => {
            let first = u64::from(slot) * SLOT;
            (BytesOf { of: "image".to_owned(), ..BytesOf::default() }, first, first + SLOT)
        }
        _ => return,
    };
    let view = &mut state.bytes;
    view.of = of;
    (view.cursor, view.anchor) = (first, end - 1);
    view.reveal = view.reveal.wrapping_add(1);
}

/// The list arrived.
pub(super) fn members(state: &mut State, answer: Rc<MembersAnswer>, out: &mut Effects) {
    out.mark(Dirty::BYTES.and(Dirty::FRAME));
    state.bytes.list = Some(answer);
    state.bytes.row = 0;
    place_row(state);
}

/// The cursor of the list on what is shown.
fn place_row(state: &mut State) {
    let e = state.selection.e.clone();
    let Some(list) = &state.bytes.list else { return };
    let row = list.sources.iter().position(|source| state.bytes.is_of(source, &e));
    state.bytes.row = row.unwrap_or(state.bytes.row);
}

/// The bytes that were to be shown are not there: the view says so in their place.
pub(super) fn missing(state: &mut State, notice: Notice, out: &mut Effects) {
    out.mark(Dirty::BYTES.and(Dirty::FRAME));
    out.push(Effect::Say(format!("{}: {}", notice.severity, notice.message)));
    state.bytes.missing = Some(notice);
}

/// A page arrived.
pub(super) fn page(state: &mut State, answer: Rc<BytesAnswer>, out: &mut Effects) {
    out.mark(Dirty::BYTES.and(Dirty::FRAME));
    let view = &mut state.bytes;
    let first = view.page.is_none();
    view.bytes = Rc::new(decode(&answer));
    let last = answer.total.saturating_sub(1);
    let (low, end) = view.selection();
    let cut = first && end > answer.total && (end - low > 1 || low > 0);
    view.cursor = view.cursor.min(last);
    view.anchor = view.anchor.min(last);
    view.missing = None;
    view.fields = Rc::new(answer.fields.clone());
    if first {
        view.reveal = view.reveal.wrapping_add(1);
    }
    let total = answer.total;
    view.page = Some(answer);
    view.arrange();
    if cut {
        let message = format!(
            "The address asks for {}; there are {}. What there is of it is selected.",
            range(low, end),
            range(0, total)
        );
        notice(state, About::Bytes, "warning", "bytes.past-end", &message, out);
    }
    want_page(state, 0, out);
    want_fields(state, out);
}

/// Fields at the cursor arrived.
pub(super) fn fields(state: &mut State, answer: &BytesAnswer, out: &mut Effects) {
    out.mark(Dirty::BYTES.and(Dirty::FRAME));
    state.bytes.fields = Rc::new(answer.fields.clone());
    state.bytes.hover = None;
}

/// A command of the view.
pub(super) fn run(state: &mut State, id: &str, out: &mut Effects) {
    out.mark(Dirty::BYTES);
    let seen = state.bytes.seen;
    let rows = state.bytes.row_of(seen.1).saturating_sub(state.bytes.row_of(seen.0));
    let page = i64::try_from(rows).unwrap_or(1).max(2) - 1;
    let (start, end) = state.bytes.row(state.bytes.row_of(state.bytes.cursor));
    match (state.pane, id) {
        (Pane::Members, "byte-down") => step_list(state, 1, out),
        (Pane::Members, "byte-up") => step_list(state, -1, out),
        (Pane::Members, "byte-open") => choose(state, state.bytes.row, out),
        (Pane::Fields, "byte-down") => step_field(state, 1, out),
        (Pane::Fields, "byte-up") => step_field(state, -1, out),
        (_, "byte-next") => step(state, 1, false, out),
        (_, "byte-previous") => step(state, -1, false, out),
        (_, "byte-down") => step_rows(state, 1, false, out),
        (_, "byte-up") => step_rows(state, -1, false, out),
        (_, "byte-page-down") => step_rows(state, page, false, out),
        (_, "byte-page-up") => step_rows(state, -page, false, out),
        (_, "byte-row-start") => step_to(state, start, false, out),
        (_, "byte-row-end") => step_to(state, end.saturating_sub(1), false, out),
        (_, "byte-first") => step(state, i64::MIN, false, out),
        (_, "byte-last") => step(state, i64::MAX, false, out),
        (_, "extend-next") => step(state, 1, true, out),
        (_, "extend-previous") => step(state, -1, true, out),
        (_, "extend-down") => step_rows(state, 1, true, out),
        (_, "extend-up") => step_rows(state, -1, true, out),
        (_, "byte-open") => {
            if let Some(field) = state.bytes.field_at(state.bytes.cursor) {
                to_field(state, field, out);
                run::focus(state, Pane::Fields, out);
            }
        }
        (_, "reading") => {
            match state.bytes.inspector_closed {
                true => state.bytes.inspector_closed = false,
                false => state.bytes.reading = (state.bytes.reading + 1) % CYCLE.len(),
            }
            if let Some(reading) = chosen(state.bytes.ahead(), state.bytes.reading) {
                out.push(Effect::Say(format!("{}: {}", reading.name, reading.value)));
            }
        }
        (_, "inspector") => {
            state.bytes.inspector_closed = !state.bytes.inspector_closed;
            let text = if state.bytes.inspector_closed { "closed" } else { "open" };
            out.push(Effect::Say(format!("Value inspector {text}")));
        }
        (_, "as-text") => {
            let on = !state.bytes.text;
            apply(state, BytesAction::Text(on), out);
        }
        (_, "copy-hex" | "copy-c" | "copy-offset") => copy(state, id, out),
        (_, "byte-code") => to_code(state, out),
        (_, "search") => out.push(Effect::Focus(FocusOn::Search)),
        _ => {}
    }
}

fn open(state: &mut State, to: &BytesRef, out: &mut Effects) {
    state.bytes.of = to.of.clone();
    state.bytes.cursor = to.at;
    state.bytes.anchor = to.at.saturating_add(to.bytes.saturating_sub(1));
    state.bytes.reveal = state.bytes.reveal.wrapping_add(1);
    show(state, to.e.clone(), out);
}

/// Shows what was chosen, of an engine where it has one; a new entry in the history.
fn show(state: &mut State, engine: Option<String>, out: &mut Effects) {
    out.mark(Dirty::ALL);
    state.view = View::Bytes;
    match engine.filter(|engine| *engine != state.selection.e) {
        Some(engine) => select::set_engine(state, &engine, out),
        None => address(state, true, out),
    }
    run::focus(state, Pane::Bytes, out);
}

/// Shows what a line of the list has.
fn choose(state: &mut State, row: usize, out: &mut Effects) {
    let source = state.bytes.list.as_ref().and_then(|list| list.sources.get(row)).cloned();
    let Some(source) = source else { return };
    state.bytes.row = row;
    let f = (source.of == "capture").then_some(source.f);
    let of = BytesOf { of: source.of, name: source.name, f };
    if of != state.bytes.of || source.e.is_some() {
        state.bytes.of = of;
        (state.bytes.cursor, state.bytes.anchor) = (0, 0);
        state.bytes.text = matches!(source.structure.as_str(), "json" | "text");
        state.bytes.reveal = state.bytes.reveal.wrapping_add(1);
    }
    show(state, source.e, out);
}

fn step_list(state: &mut State, by: i64, out: &mut Effects) {
    let sources = state.bytes.list.as_ref().map_or(0, |list| list.sources.len());
    let now = i64::try_from(state.bytes.row).unwrap_or(0).saturating_add(by).max(0);
    state.bytes.row = usize::try_from(now).unwrap_or(0).min(sources.saturating_sub(1));
    let list = state.bytes.list.as_ref();
    if let Some(source) = list.and_then(|list| list.sources.get(state.bytes.row)) {
        out.push(Effect::Say(format!("{}, {}", source.label, source.structure)));
    }
}

fn step(state: &mut State, by: i64, extend: bool, out: &mut Effects) {
    let at = moved(&state.bytes, by);
    step_to(state, at, extend, out);
}

fn step_rows(state: &mut State, by: i64, extend: bool, out: &mut Effects) {
    let at = moved_rows(&state.bytes, by);
    step_to(state, at, extend, out);
}

fn step_to(state: &mut State, at: u64, extend: bool, out: &mut Effects) {
    if state.bytes.total() == 0 {
        return;
    }
    to_byte(state, at, extend, out);
    state.bytes.reveal = state.bytes.reveal.wrapping_add(1);
    let byte = state.bytes.byte(at).map_or_else(|| "?".to_owned(), |byte| format!("{byte:02x}"));
    let field = state.bytes.field_at(at).and_then(|field| state.bytes.fields.get(field));
    let field = field.map_or_else(String::new, |field| format!(", {}", field.name));
    out.push(Effect::Say(format!("{at:#x}: {byte}{field}")));
}

fn to_byte(state: &mut State, at: u64, extend: bool, out: &mut Effects) {
    let at = at.min(state.bytes.total().saturating_sub(1));
    state.bytes.cursor = at;
    if !extend {
        state.bytes.anchor = at;
    }
    out.mark(Dirty::FRAME);
    want_page(state, STEP_DELAY, out);
    want_fields(state, out);
    address(state, false, out);
}

fn step_field(state: &mut State, by: i64, out: &mut Effects) {
    let now = state.bytes.field_at(state.bytes.cursor);
    let now = now.and_then(|now| i64::try_from(now).ok()).map_or(0, |now| now + by);
    let last = state.bytes.fields.len().saturating_sub(1);
    to_field(state, usize::try_from(now.max(0)).unwrap_or(0).min(last), out);
}

fn to_field(state: &mut State, field: usize, out: &mut Effects) {
    let Some(found) = state.bytes.fields.get(field).cloned() else { return };
    let value = value_text(&found).unwrap_or_else(|| "unknown".to_owned());
    out.push(Effect::Say(format!("{}: {value}. {}", found.name, found.meaning)));
    set_selection(state, found.offset, found.offset.saturating_add(found.bytes.max(1)), out);
}

/// Selects a run of bytes.
pub(super) fn set_selection(state: &mut State, first: u64, end: u64, out: &mut Effects) {
    let last = state.bytes.total().saturating_sub(1);
    state.bytes.cursor = first.min(last);
    state.bytes.anchor = end.saturating_sub(1).min(last);
    state.bytes.reveal = state.bytes.reveal.wrapping_add(1);
    out.mark(Dirty::FRAME);
    want_page(state, 0, out);
    want_fields(state, out);
    address(state, false, out);
}

/// The scope of what is shown: records of a loader depend on more.
fn own_scope(state: &State) -> Scope {
    if state.bytes.of.of == "kbin" { loader_scope(state) } else { scope(state) }
}

fn request(state: &State, from: u64, count: u32) -> Request {
    let of = &state.bytes.of;
    Request::Bytes {
        scope: Scope { f: of.f, ..own_scope(state) },
        of: of.of.clone(),
        name: of.name.clone(),
        from,
        count: Some(count),
        at: Some(state.bytes.cursor),
    }
}

fn want_page(state: &mut State, delay: u32, out: &mut Effects) {
    let seen = state.bytes.seen;
    if let Some((from, count)) = wanted(&state.bytes, seen) {
        let request = request(state, from, count);
        ask(state, Purpose::Bytes, request, delay, out);
    }
}

fn want_fields(state: &mut State, out: &mut Effects) {
    if state.bytes.wants_fields() {
        let request = request(state, 0, 0);
        ask(state, Purpose::Fields, request, STEP_DELAY, out);
    }
}

fn copy(state: &mut State, id: &str, out: &mut Effects) {
    let (first, end) = state.bytes.selection();
    let label = trail::label(state);
    if id == "copy-offset" {
        out.push(Effect::Copy(format!("{label}+{first:#x}"), "Address"));
        return;
    }
    let Some(own) = state.bytes.range(first, end) else {
        let text = format!(
            "{} are more than this page holds. `neffscope bytes` writes them all.",
            selection_text(&state.bytes)
        );
        toast(state, &text, out);
        return;
    };
    out.push(match id {
        "copy-c" => Effect::Copy(as_c(own, &label, first), "C array"),
        _ => Effect::Copy(as_hex(own), "Hex"),
    });
}

/// The slot at the cursor in the Code view.
fn to_code(state: &mut State, out: &mut Effects) {
    let Ok(slot) = u32::try_from(state.bytes.cursor / SLOT) else { return };
    let target = match state.bytes.of.of.as_str() {
        "image" => Target { slot: Some(slot), ..Target::default() },
        "stream" => Target { ip: slot.checked_add(1), ..Target::default() },
        _ => {
            toast(state, "These bytes are no slots of the selected engine.", out);
            return;
        }
    };
    run::set_view(state, View::Code, out);
    select::select(state, &target, Some(Move::Jump), out);
}

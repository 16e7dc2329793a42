//! The Structs view: trees are loaded page by page, a record is opened, links are followed.

use super::structs_rows::{arrange, pick_field, put_cursor};
use super::{TYPING_DELAY, address, ask, bytes, loader_scope, run, select, structs_hits};
use crate::layout::action::{
    Action, BytesAction, Dirty, Effect, Effects, Move, StructsAction, Target,
};
use crate::layout::bytes::{BytesOf, BytesRef};
use crate::layout::lone::is_dump;
use crate::layout::state::{Notice, Pane, Purpose, State, View};
use crate::layout::structs::{RowKind, TREES, Tree, TreeKind};
use crate::layout::trail;
use crate::layout::value::{link_text, value_text};
use debug_api::Request;
use debug_api::answer::RecordLink;

/// Delay of the question while the cursor steps, in ms.
const STEP_DELAY: u32 = 60;

/// What happened in the view.
pub(super) fn apply(state: &mut State, action: StructsAction, out: &mut Effects) {
    out.mark(Dirty::STRUCTS);
    match action {
        StructsAction::Find(text) => {
            state.structs.wants_first = false;
            state.structs.find = text;
        }
        StructsAction::Show(name) => show(state, name, out),
        StructsAction::First => {
            state.structs.wants_first = !state.structs.find.trim().is_empty();
            open_first(state, out);
        }
        StructsAction::Loader(choice, value) => {
            state.structs.loader.put(choice, &value);
            address(state, false, out);
        }
        StructsAction::Row(row) => choose(state, row, true, 0, out),
        StructsAction::Record(name) => {
            if let Some(row) = state.structs.row_of(&name) {
                choose(state, row, true, 0, out);
            }
        }
        StructsAction::Turn(name) => {
            if let Some(row) = state.structs.row_of(&name) {
                turn(state, row, None, out);
            }
        }
        StructsAction::Field(field) => to_field(state, field, out),
        StructsAction::Rows(from) => {
            state.structs.from = from;
            state.structs.field = None;
        }
        StructsAction::Link(field, number) => follow(state, field, number, out),
        StructsAction::Finding(finding, number) => {
            let all = state.structs.kbin.as_ref().and_then(|answer| answer.links.get(finding));
            if let Some(link) = all.and_then(|links| links.get(number)).cloned() {
                go(state, &link, out);
            }
        }
    }
}

/// A part of the breadcrumb was clicked.
pub(super) fn crumb(state: &mut State, number: usize, out: &mut Effects) {
    let Some(crumb) = trail::crumbs(state).into_iter().nth(number) else { return };
    if let Some(name) = crumb.record {
        open(state, name, out);
    } else if let Some((first, end)) = crumb.bytes {
        bytes::set_selection(state, first, end, out);
    }
}

/// Asks for what the view needs and does not have: after another engine, build or text.
pub(super) fn sync(state: &mut State, out: &mut Effects) {
    if state.view != View::Structs || state.regions.is_none() || state.wanted.pending {
        return;
    }
    let own = loader_scope(state);
    state.structs.trees.resize_with(TREES.len(), Tree::default);
    let files = state.files.as_ref();
    let has_dump = files.is_some_and(|all| all.files.iter().any(|file| file.kind == "dump"));
    for (at, kind) in TREES.into_iter().enumerate() {
        if kind == TreeKind::Dump && !has_dump {
            continue;
        }
        let wanted = (kind.scope(&own), state.structs.find.clone());
        let Some(tree) = state.structs.trees.get_mut(at) else { continue };
        if tree.asked.as_ref() == Some(&wanted) {
            continue;
        }
        let typed = tree.asked.as_ref().is_some_and(|(old, _)| *old == wanted.0);
        tree.asked = Some(wanted.clone());
        let delay = if typed { TYPING_DELAY } else { 0 };
        ask(state, purpose(kind), kind.request(wanted.0, 0, &wanted.1), delay, out);
    }
    enter(state);
    let name = state.structs.name.clone();
    let kind = TreeKind::of_name(&name);
    let wanted = (kind.scope(&own), name, state.structs.from);
    if state.structs.asked_record.as_ref() != Some(&wanted) {
        let (scope, name, from) = wanted.clone();
        let at = state.structs.wanted_at;
        let request = kind.one(scope, name, from, at);
        let own = match &request {
            Request::Variable { .. } => Purpose::Variable,
            Request::Queue { .. } => Purpose::Queue,
            Request::Transfer { .. } => Purpose::Transfer,
            Request::Kbin { .. } => Purpose::KbinRecord,
            Request::Dump { .. } => Purpose::DumpStruct,
            _ => Purpose::Record,
        };
        for other in SHOWN.into_iter().filter(|other| *other != own) {
            if state.asked.remove(&other).is_some() {
                out.push(Effect::Forget(other));
            }
        }
        ask(state, own, request, STEP_DELAY, out);
        state.structs.asked_record = Some(wanted);
        state.structs.missing = None;
    }
}

/// Opens the first record that was found, if that was asked for: of the first tree that has one, once
/// it and all trees above it have arrived.
pub(super) fn open_first(state: &mut State, out: &mut Effects) {
    if !state.structs.wants_first {
        return;
    }
    for (at, kind) in TREES.into_iter().enumerate() {
        let Some(tree) = state.structs.trees.get(at) else { return };
        let Some((_, find)) = &tree.asked else { continue };
        if *find != state.structs.find || state.asked.contains_key(&purpose(kind)) {
            return;
        }
        let is_hit = |row: &crate::layout::structs::TreeRow| {
            row.tree == at && matches!(row.what, RowKind::Record(_))
        };
        if let Some(row) = state.structs.rows.iter().position(is_hit) {
            state.structs.wants_first = false;
            choose(state, row, true, 1, out);
            return;
        }
    }
    state.structs.wants_first = false;
    out.push(Effect::Say("nothing found".to_owned()));
}

/// What the right half can show; one of them is asked for at a time.
pub(super) const SHOWN: [Purpose; 6] = [
    Purpose::Record,
    Purpose::KbinRecord,
    Purpose::Variable,
    Purpose::Queue,
    Purpose::Transfer,
    Purpose::DumpStruct,
];

/// The first record is shown where none was chosen.
pub(super) fn enter(state: &mut State) {
    // A dump has no program, so it has no such record.
    if state.structs.name.is_empty() && !is_dump(state) {
        state.structs.name = "eib".to_owned();
    }
}

const fn purpose(kind: TreeKind) -> Purpose {
    match kind {
        TreeKind::Runtime => Purpose::Records,
        TreeKind::Index => Purpose::Index,
        TreeKind::Kbin => Purpose::Kbin,
        TreeKind::Dump => Purpose::Dump,
    }
}

/// The record that an address names.
pub(super) fn take_address(state: &mut State, name: Option<String>, at: Option<u64>) {
    if let Some(name) = name {
        if state.structs.name != name {
            state.structs.from = 0;
        }
        state.structs.name = name;
        state.structs.wanted_at = at;
        state.structs.reveal = state.structs.reveal.wrapping_add(1);
        state.structs.wants_row = true;
        pick_field(state);
        if state.structs.wanted_at.is_some() {
            state.structs.asked_record = None;
        }
        put_cursor(state);
    }
}

/// A command of the view.
pub(super) fn run(state: &mut State, id: &str, out: &mut Effects) {
    out.mark(Dirty::STRUCTS);
    let fields = state.pane == Pane::Fields;
    match id {
        "record-next" if fields => step_field(state, 1, out),
        "record-previous" if fields => step_field(state, -1, out),
        "record-next" => step(state, 1, out),
        "record-previous" => step(state, -1, out),
        "record-page-down" if fields => step_field(state, 20, out),
        "record-page-up" if fields => step_field(state, -20, out),
        "record-page-down" => step(state, 20, out),
        "record-page-up" => step(state, -20, out),
        "record-first" if fields => step_field(state, i64::MIN, out),
        "record-last" if fields => step_field(state, i64::MAX, out),
        "record-first" => step(state, i64::MIN, out),
        "record-last" => step(state, i64::MAX, out),
        "record-open" if fields => match state.structs.field {
            Some(field) if has_links(state, field) => follow(state, Some(field), 0, out),
            Some(_) => to_bytes(state, out),
            None => {}
        },
        "record-open" => {
            let row = state.structs.cursor;
            choose(state, row, true, 0, out);
            if state.structs.record_at(row).is_some() {
                run::focus(state, Pane::Fields, out);
                if state.structs.field.is_none() {
                    step_field(state, 0, out);
                }
            }
        }
        "record-in" if !fields => turn(state, state.structs.cursor, Some(true), out),
        "record-out" if fields => run::focus(state, Pane::Records, out),
        "record-out" => turn(state, state.structs.cursor, Some(false), out),
        "record-bytes" => to_bytes(state, out),
        "search" => out.push(Effect::Focus(crate::layout::action::FocusOn::Search)),
        _ => {}
    }
}

/// Esc: the field, then the searched text; in the Bytes view the selection.
pub(super) fn close(state: &mut State, out: &mut Effects) {
    out.mark(Dirty::STRUCTS.and(Dirty::BYTES).and(Dirty::FRAME));
    match state.view {
        View::Structs if state.structs.field.take().is_some() => {}
        View::Structs => state.structs.find.clear(),
        _ if state.bytes.cursor != state.bytes.anchor => state.bytes.anchor = state.bytes.cursor,
        _ => state.bytes.find.clear(),
    }
    address(state, false, out);
}

/// Shows a record by name; a new entry in the history.
pub(super) fn open(state: &mut State, name: String, out: &mut Effects) {
    out.mark(Dirty::STRUCTS.and(Dirty::FRAME));
    open_at(state, name, None, out);
}

/// Shows a record from another view: one entry in the history.
pub(super) fn show(state: &mut State, name: String, out: &mut Effects) {
    state.view = View::Structs;
    out.mark(Dirty::ALL);
    run::focus(state, Pane::Records, out);
    if state.structs.name == name {
        state.structs.reveal = state.structs.reveal.wrapping_add(1);
        address(state, true, out);
    } else {
        open_at(state, name, None, out);
    }
}

/// Shows a record from a row on.
pub(super) fn open_row(state: &mut State, name: String, row: u64, out: &mut Effects) {
    state.structs.name = name;
    state.structs.field = None;
    state.structs.wanted_at = None;
    state.structs.from = row;
    state.structs.wants_row = true;
    put_cursor(state);
    state.structs.reveal = state.structs.reveal.wrapping_add(1);
    address(state, true, out);
}

/// Shows a record at a byte.
pub(super) fn open_byte(state: &mut State, name: String, at: u64, out: &mut Effects) {
    open_at(state, name, Some(at), out);
}

/// Shows a record, at the field with a byte if one is named.
fn open_at(state: &mut State, name: String, at: Option<u64>, out: &mut Effects) {
    out.mark(Dirty::STRUCTS.and(Dirty::FRAME));
    if state.structs.name == name && at.is_none() {
        return;
    }
    state.structs.name = name;
    state.structs.field = None;
    state.structs.from = 0;
    state.structs.wanted_at = at;
    if at.is_some() {
        state.structs.asked_record = None;
    }
    state.structs.wants_row = true;
    put_cursor(state);
    state.structs.reveal = state.structs.reveal.wrapping_add(1);
    address(state, true, out);
}

/// Puts the tree's cursor on a row and shows its record.
fn choose(state: &mut State, row: usize, jump: bool, steps: i64, out: &mut Effects) {
    state.structs.cursor = row;
    if steps != 0 {
        state.structs.reveal = state.structs.reveal.wrapping_add(1);
    }
    let what = state.structs.rows.get(row).map(|row| row.what);
    if let Some(RowKind::More(_)) = what {
        let tree = state.structs.rows.get(row).map_or(0, |row| row.tree);
        if jump {
            load_more(state, tree, out);
        }
        return;
    }
    if let Some(RowKind::MoreHits(..)) = what {
        if jump {
            structs_hits::show_hits(state, row);
        }
        return;
    }
    if let Some((record, hit)) = state.structs.hit_at(row) {
        let (name, at) = (record.name.clone(), hit.offset);
        if steps != 0 {
            out.push(Effect::Say(format!("{name}, {}: {}", hit.field, hit.value)));
        }
        structs_hits::open_hit(state, name, at, jump, out);
        return;
    }
    let Some(record) = state.structs.record_at(row) else { return };
    let (name, kind) = (record.name.clone(), record.kind.clone());
    if steps != 0 {
        out.push(Effect::Say(format!("{name}, {kind}")));
    }
    if name != state.structs.name {
        state.structs.name = name;
        state.structs.field = None;
        state.structs.from = 0;
        state.structs.wanted_at = None;
        out.mark(Dirty::FRAME);
        address(state, jump, out);
    }
}

fn step(state: &mut State, by: i64, out: &mut Effects) {
    let last = state.structs.rows.len().saturating_sub(1);
    let now = i64::try_from(state.structs.cursor).unwrap_or(0);
    let next = usize::try_from(now.saturating_add(by).max(0)).unwrap_or(usize::MAX).min(last);
    choose(state, next, false, 1, out);
}

fn step_field(state: &mut State, by: i64, out: &mut Effects) {
    let last = state.structs.n_fields().saturating_sub(1);
    let now = state.structs.field.and_then(|field| i64::try_from(field).ok());
    let next = now.map_or(0, |now| now.saturating_add(by).max(0));
    to_field(state, usize::try_from(next).unwrap_or(usize::MAX).min(last), out);
    state.structs.reveal = state.structs.reveal.wrapping_add(1);
}

fn to_field(state: &mut State, field: usize, out: &mut Effects) {
    if let Some(sheet) = &state.structs.sheet {
        let Some(line) = sheet.lines.get(field) else { return };
        out.push(Effect::Say(line.spoken()));
        state.structs.field = Some(field);
        return;
    }
    let found = state.structs.record.as_ref().and_then(|record| record.fields.get(field));
    if let Some(found) = found {
        let value = value_text(found).unwrap_or_else(|| "unknown".to_owned());
        out.push(Effect::Say(format!("{}: {value}. {}", found.name, found.meaning)));
        state.structs.field = Some(field);
        out.mark(Dirty::FRAME);
        address(state, false, out);
    }
}

/// Shows or hides what is below a row; closing a leaf goes to its parent.
fn turn(state: &mut State, row: usize, open: Option<bool>, out: &mut Effects) {
    let Some(now) = state.structs.rows.get(row).cloned() else { return };
    match (now.open, open) {
        (Some(is), want) if want != Some(is) => {
            let Some(name) = state.structs.record_at(row).map(|record| record.name.clone()) else {
                return;
            };
            if !state.structs.turned.remove(&name) {
                state.structs.turned.insert(name);
            }
            arrange(state);
        }
        (_, Some(false)) => {
            let above = state.structs.rows.get(..row).unwrap_or(&[]);
            if let Some(parent) = above.iter().rposition(|other| other.depth < now.depth) {
                choose(state, parent, false, 1, out);
            }
        }
        (Some(_), _) => step(state, 1, out),
        _ => {}
    }
}

fn has_links(state: &State, field: usize) -> bool {
    !state.structs.links_of(Some(field)).is_empty()
}

/// Follows a link of a field, or of the record.
fn follow(state: &mut State, field: Option<usize>, number: usize, out: &mut Effects) {
    if let Some(link) = state.structs.links_of(field).get(number) {
        go(state, link, out);
    }
}

/// Goes where a link leads.
fn go(state: &mut State, link: &RecordLink, out: &mut Effects) {
    out.push(Effect::Say(link_text(link).to_owned()));
    let bytes = |of: &str, name: Option<String>| BytesRef {
        of: BytesOf { of: of.to_owned(), name, f: None },
        e: link.e.clone(),
        at: link.offset,
        bytes: link.bytes.unwrap_or(1),
    };
    if let Some(name) = &link.record {
        open_at(state, name.clone(), (link.offset > 0).then_some(link.offset), out);
    } else if let Some(place) = &link.place {
        // One entry in the history: that of the place, or of the view where the place is the same.
        state.view = View::Code;
        out.mark(Dirty::ALL);
        let before = out.list.len();
        select::select(state, &Target::from(place), Some(Move::Jump), out);
        let made = out.list.get(before..).unwrap_or(&[]);
        if !made.iter().any(|effect| matches!(effect, Effect::Address(_, true))) {
            address(state, true, out);
        }
        run::focus(state, View::Code.pane(), out);
    } else if let Some(name) = &link.member {
        bytes::apply(state, BytesAction::Open(bytes("member", Some(name.clone()))), out);
    } else if let Some(of) = &link.of {
        bytes::apply(state, BytesAction::Open(bytes(of, None)), out);
    }
}

/// Shows the record in the Bytes view.
fn to_bytes(state: &mut State, out: &mut Effects) {
    super::apply(state, Action::Run("view-bytes"), out);
}

/// What was to be shown is not there: the view says so in its place, and what there is.
pub(super) fn missing(state: &mut State, notice: Notice, out: &mut Effects) {
    out.mark(Dirty::STRUCTS.and(Dirty::FRAME));
    out.push(Effect::Say(format!("{}: {}", notice.severity, notice.message)));
    state.structs.record = None;
    state.structs.sheet = None;
    state.structs.field = None;
    state.structs.wanted_at = None;
    state.structs.missing = Some(notice);
}

pub(super) fn load_more(state: &mut State, at: usize, out: &mut Effects) {
    let (Some(kind), Some(tree)) = (TREES.get(at).copied(), state.structs.trees.get(at)) else {
        return;
    };
    let Some((scope, find)) = tree.asked.clone() else { return };
    let from = tree.records.len() as u64;
    if let (true, Ok(from)) = (from < tree.total, u32::try_from(from)) {
        ask(state, purpose(kind), kind.request(scope, from, &find), 0, out);
    }
}

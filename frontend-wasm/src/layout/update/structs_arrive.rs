//! The Structs view: what arrives for its trees and for what it shows.

use super::structs::{load_more, open_first};
use super::structs_rows::{arrange, pick_field, put_cursor};
use super::{address, notice};
use crate::layout::action::{Dirty, Effects};
use crate::layout::dumps::{dump_list, of_dump};
use crate::layout::state::{About, State};
use crate::layout::structs::{LOADED_AT_ONCE, TREES, Tree, TreeKind, findings, of_kbin};
use crate::layout::uses::Sheet;
use debug_api::answer::{
    DumpAnswer, IndexAnswer, KbinAnswer, RecordAnswer, RecordInfo, RecordsAnswer,
};
use debug_api::plain::range;
use std::rc::Rc;

/// A page of the runtime's records arrived.
pub(super) fn records(state: &mut State, answer: Rc<RecordsAnswer>, out: &mut Effects) {
    let (from, total) = (answer.from, answer.total);
    let list = answer.records.clone();
    state.structs.about = Some(answer);
    listed(state, TreeKind::Runtime, (from, total), list, out);
}

/// A page of a loader's records arrived.
pub(super) fn kbin(state: &mut State, answer: Rc<KbinAnswer>, out: &mut Effects) {
    let (from, total) = (answer.from, answer.total);
    let list = answer.records.clone();
    state.structs.findings = Rc::new(findings(&answer));
    state.structs.kbin = Some(answer);
    listed(state, TreeKind::Kbin, (from, total), list, out);
}

/// A page of a dump's structs arrived.
pub(super) fn dump(state: &mut State, answer: Rc<DumpAnswer>, out: &mut Effects) {
    let (from, total) = (answer.from, answer.total);
    let list = dump_list(&answer);
    state.structs.dump = Some(answer);
    listed(state, TreeKind::Dump, (from, total), list, out);
}

/// A struct of a dump arrived.
pub(super) fn dump_struct(state: &mut State, answer: &DumpAnswer, out: &mut Effects) {
    if let Some(made) = of_dump(answer) {
        record(state, Rc::new(made), out);
    }
}

/// A page of queues and variables arrived.
pub(super) fn index(state: &mut State, answer: &IndexAnswer, out: &mut Effects) {
    let place = (answer.from, answer.total);
    listed(state, TreeKind::Index, place, answer.records.clone(), out);
}

/// A page of a queue, a variable or a transfer arrived.
pub(super) fn sheet(state: &mut State, sheet: Sheet, out: &mut Effects) {
    out.mark(Dirty::STRUCTS.and(Dirty::FRAME));
    if state.structs.sheet.as_ref().is_none_or(|old| old.name != sheet.name) {
        state.structs.field = None;
        state.structs.reveal = state.structs.reveal.wrapping_add(1);
    }
    state.structs.missing = None;
    state.structs.sheet = Some(Rc::new(sheet));
}

/// A page of a tree arrived: its first record and the total, and the records.
fn listed(
    state: &mut State,
    kind: TreeKind,
    (from, total): (u64, u64),
    list: Vec<RecordInfo>,
    out: &mut Effects,
) {
    out.mark(Dirty::STRUCTS);
    let view = &mut state.structs;
    view.trees.resize_with(TREES.len(), Tree::default);
    let at = TREES.iter().position(|tree| *tree == kind).unwrap_or(0);
    let Some(tree) = view.trees.get_mut(at) else { return };
    if from == 0 {
        tree.records.clear();
    }
    if from != tree.records.len() as u64 {
        return;
    }
    let some = !list.is_empty();
    tree.records.extend(list);
    tree.total = total;
    tree.known = true;
    let all = tree.records.len() < LOADED_AT_ONCE;
    // A record that an address names is looked for to the end.
    let sought = state.structs.wants_row && TreeKind::of_name(&state.structs.name) == kind;
    let more = some && (all || (sought && !is_listed(state)));
    arrange(state);
    let searching = !state.structs.find.trim().is_empty();
    if !searching || state.structs.wants_row {
        put_cursor(state);
    }
    if state.structs.wants_row && is_listed(state) {
        state.structs.wants_row = false;
        state.structs.reveal = state.structs.reveal.wrapping_add(1);
    }
    open_first(state, out);
    if more {
        load_more(state, at, out);
    }
}

/// Whether the trees have a row of the record that is shown.
fn is_listed(state: &State) -> bool {
    let name = state.structs.name.as_str();
    state.structs.trees.iter().any(|tree| tree.records.iter().any(|record| record.name == name))
}

/// A record of a loader arrived.
pub(super) fn kbin_record(state: &mut State, answer: &KbinAnswer, out: &mut Effects) {
    let Some(made) = of_kbin(answer) else { return };
    state.structs.from = answer.from;
    if let Some((.., from)) = &mut state.structs.asked_record {
        *from = answer.from;
    }
    record(state, Rc::new(made), out);
}

/// A record arrived.
pub(super) fn record(state: &mut State, answer: Rc<RecordAnswer>, out: &mut Effects) {
    out.mark(Dirty::STRUCTS.and(Dirty::FRAME));
    let same =
        state.structs.record.as_ref().is_some_and(|old| old.record.name == answer.record.name);
    if !same || state.structs.sheet.is_some() {
        state.structs.field = None;
    }
    state.structs.sheet = None;
    state.structs.record = Some(answer);
    state.structs.missing = None;
    let wanted = state.structs.wanted_at;
    pick_field(state);
    let Some(at) = wanted else { return };
    if state.structs.field.is_some() {
        state.structs.reveal = state.structs.reveal.wrapping_add(1);
        address(state, false, out);
    } else if let (None, Some(record)) =
        (state.structs.sheet.as_ref(), state.structs.record.clone())
    {
        if record.record.name != state.structs.name {
            return;
        }
        state.structs.wanted_at = None;
        let total = record.record.bytes;
        let message = match at < total {
            true => format!("No field of {} has byte {at:#x}.", record.record.name),
            false => format!(
                "There is no byte {at:#x} in {}: it has {}.",
                record.record.name,
                range(0, total)
            ),
        };
        notice(state, About::Records, "warning", "bytes.past-end", &message, out);
    }
}

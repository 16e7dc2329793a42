//! Rows of the Structs view: which are shown, where the cursor stands, which field is picked.

use crate::layout::state::State;
use crate::layout::struct_tree::rows;
use std::rc::Rc;

/// The rows after something has changed; the cursor stays on its record.
pub(super) fn arrange(state: &mut State) {
    let name = state.structs.record_at(state.structs.cursor).map(|record| record.name.clone());
    let view = &mut state.structs;
    let asked = view.trees.first().and_then(|tree| tree.asked.as_ref());
    let searching = asked.is_some_and(|(_, find)| !find.trim().is_empty());
    view.rows = Rc::new(rows(&view.trees, &view.turned, searching));
    let row = name.and_then(|name| view.row_of(&name));
    view.cursor = row.unwrap_or(view.cursor).min(view.rows.len().saturating_sub(1));
}

/// The cursor on the row of the record that is shown; what hides it is opened.
pub(super) fn put_cursor(state: &mut State) {
    let name = state.structs.name.clone();
    let known = |state: &State| {
        let mut trees = state.structs.trees.iter();
        trees.any(|tree| tree.records.iter().any(|record| record.name == name))
    };
    if state.structs.row_of(&name).is_none() && known(state) {
        let mut head = name.as_str();
        while let Some((rest, _)) = head.rsplit_once('.') {
            head = rest;
            let closed = state.structs.row_of(head).and_then(|row| state.structs.rows.get(row));
            if closed.is_some_and(|row| row.open == Some(false))
                && !state.structs.turned.remove(head)
            {
                state.structs.turned.insert(head.to_owned());
            }
        }
        arrange(state);
    }
    if let Some(row) = state.structs.row_of(&name) {
        state.structs.cursor = row;
    }
}

/// The field with the byte that is wanted, if what is loaded has it; else the wish stays.
pub(super) fn pick_field(state: &mut State) {
    let Some(record) = state.structs.record.clone() else { return };
    if state.structs.sheet.is_some() || record.record.name != state.structs.name {
        return;
    }
    if let Some(at) = state.structs.wanted_at {
        let found = record.fields.iter().position(|field| {
            at.checked_sub(field.offset).is_some_and(|inside| inside < field.bytes)
        });
        state.structs.field = found;
        if found.is_some() {
            state.structs.wanted_at = None;
        }
    }
}

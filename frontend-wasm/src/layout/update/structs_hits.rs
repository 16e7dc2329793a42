//! The Structs view: fields in which a searched text was found.

use super::address;
use super::structs_rows::{arrange, pick_field};
use crate::layout::action::{Dirty, Effects};
use crate::layout::state::State;
use crate::layout::structs::{RowKind, all_hits};

/// Shows a record at a field that was found; the cursor of the trees stays on it.
pub(super) fn open_hit(state: &mut State, name: String, at: u64, jump: bool, out: &mut Effects) {
    out.mark(Dirty::FRAME);
    let view = &mut state.structs;
    if view.name != name {
        view.name = name;
        view.from = 0;
    }
    view.field = None;
    view.wanted_at = Some(at);
    pick_field(state);
    // Where the field is loaded nothing has to be asked for.
    if state.structs.wanted_at.is_some() {
        state.structs.asked_record = None;
    } else {
        state.structs.reveal = state.structs.reveal.wrapping_add(1);
    }
    address(state, jump, out);
}

/// Shows all found fields of a record that are loaded.
pub(super) fn show_hits(state: &mut State, row: usize) {
    let Some(RowKind::MoreHits(record, _, true)) = state.structs.rows.get(row).map(|row| row.what)
    else {
        return;
    };
    let tree = state.structs.rows.get(row).map_or(0, |row| row.tree);
    let records = state.structs.trees.get(tree).map(|tree| &tree.records);
    let name = records.and_then(|records| records.get(record)).map(|record| record.name.clone());
    if let Some(name) = name {
        state.structs.turned.insert(all_hits(&name));
        arrange(state);
    }
}

//! Selecting a place: one rule for clicks, links, keys and the address bar.

use super::{address, ask, ask_regions, compare, notice, scope, want_rows};
use crate::layout::action::{Dirty, Effect, Effects, Move, Target};
use crate::layout::place;
use crate::layout::state::{About, Purpose, Selection, State, Wanted};
use debug_api::Request;
use std::mem;

/// Delay of questions while the cursor steps, in ms, so that a held key asks only at rest.
const STEP_DELAY: u32 = 60;

/// Nodes of a source tree: what fits on a few screens, so that the page stays light.
const SOURCE_NODES: u32 = 200;

/// Selects a place. `movement` says how it enters the history; `None` leaves the address alone.
pub(super) fn select(
    state: &mut State,
    target: &Target,
    movement: Option<Move>,
    out: &mut Effects,
) {
    let keep = |asked: &str, now: &str| if asked.is_empty() { now } else { asked }.to_owned();
    let s = keep(&target.s, &state.selection.s);
    let e = keep(&target.e, &state.selection.e);
    if state.regions.is_none() || s != state.selection.s {
        remember(state);
        state.selection = Selection { s, e: e.clone(), ..Selection::default() };
        let jump = movement == Some(Move::Jump);
        let (slot, ip) = (target.slot, target.ip);
        state.wanted = Wanted { pending: true, e, slot, ip, pc: None, jump };
        ask_regions(state, out);
        return;
    }
    remember(state);
    let new_engine = e != state.selection.e;
    if new_engine || state.rows.rows() == 0 {
        state.selection = Selection { s, e, ..Selection::default() };
        open_rows(state, out);
    }
    if !exists(state, target, out) {
        return;
    }
    let row = find_row(state, target);
    let loaded = row.and_then(|row| state.rows.get(row));
    let selection = Selection {
        s: state.selection.s.clone(),
        e: state.selection.e.clone(),
        slot: target.slot.or_else(|| loaded.as_ref().and_then(|row| row.slot())),
        ip: target.ip.or_else(|| loaded.as_ref().and_then(|row| row.ip())),
        row,
    };
    let same = selection == state.selection;
    state.selection = selection;
    if let Some(row) = row {
        state.cursor = row;
        reveal(state, row, out);
    }
    out.mark(Dirty::SELECTION.and(Dirty::CODE).and(Dirty::FRAME));
    if new_engine {
        out.mark(Dirty::REGIONS);
    }
    if state.compare.open {
        compare::start(state, out);
        compare::follow(state, out);
    }
    if !same || state.slot.is_none() {
        ask_details(state, if movement == Some(Move::Step) { STEP_DELAY } else { 0 }, out);
    }
    if let Some(movement) = movement {
        address(state, movement == Move::Jump && !same, out);
    }
}

/// Moves the row cursor.
pub(super) fn step(state: &mut State, rows: i64, out: &mut Effects) {
    let Some(engine) = state.engine() else { return };
    let last = engine.rows.saturating_sub(1);
    let row = state.cursor.saturating_add_signed(rows).min(last);
    // At an end there may be nothing but a divider ahead: then the nearest row on the other side.
    let found = place::skip_dividers(engine, row, rows)
        .or_else(|| place::skip_dividers(engine, row, rows.saturating_neg()));
    if let Some(row) = found {
        to_row(state, row, Move::Step, out);
    }
}

/// Selects what a display row shows.
pub(super) fn to_row(state: &mut State, row: u64, movement: Move, out: &mut Effects) {
    let found = state.engine().and_then(|engine| place::place_of_row(engine, row));
    let (slot, ip) = match found {
        Some(place::RowPlace::Slot(slot)) => (Some(slot), None),
        Some(place::RowPlace::Deleted(ip)) => (None, ip),
        _ => return,
    };
    let target = Target { slot, ip, row: Some(row), ..Target::default() };
    select(state, &target, Some(movement), out);
}

/// Shows an engine at the place where it was left, or at the start of MAIN.
pub(super) fn set_engine(state: &mut State, engine: &str, out: &mut Effects) {
    if engine == state.selection.e && state.selection.is_some() {
        return;
    }
    let key = (state.selection.s.clone(), engine.to_owned());
    let before = state.places.get(&key).cloned().unwrap_or_default();
    let mut target = Target { e: engine.to_owned(), ..Target::default() };
    if before.is_some() {
        (target.slot, target.ip, target.row) = (before.slot, before.ip, before.row);
    } else {
        target.slot = first_slot(state, engine);
    }
    select(state, &target, Some(Move::Jump), out);
}

/// Shows a subgraph at the place where it was left, on the same engine.
pub(super) fn set_subgraph(state: &mut State, name: &str, out: &mut Effects) {
    if name == state.selection.s {
        return;
    }
    let e = state.selection.e.clone();
    let before = state.places.get(&(name.to_owned(), e.clone())).cloned().unwrap_or_default();
    let (slot, ip) = (before.slot, before.ip);
    let target = Target { s: name.to_owned(), e, slot, ip, row: None };
    select(state, &target, Some(Move::Jump), out);
}

/// First slot of MAIN of an engine of the selected subgraph.
pub(super) fn first_slot(state: &State, engine: &str) -> Option<u32> {
    let regions = state.regions.as_ref()?;
    let engine = regions.engines.iter().find(|one| one.engine == engine)?;
    place::first_slot(engine)
}

/// Clears the selection; the row cursor stays.
pub(super) fn clear(state: &mut State, out: &mut Effects) {
    remember(state);
    let Selection { s, e, .. } = mem::take(&mut state.selection);
    state.selection = Selection { s, e, ..Selection::default() };
    state.slot = None;
    state.source = None;
    state.slot_stale = false;
    out.push(Effect::Forget(Purpose::Slot));
    out.push(Effect::Forget(Purpose::Source));
    out.mark(Dirty::SELECTION.and(Dirty::CODE).and(Dirty::FRAME));
    out.mark(Dirty::SLOT.and(Dirty::SOURCE));
    address(state, false, out);
}

/// Wishes a row into view.
pub(super) fn reveal(state: &mut State, row: u64, out: &mut Effects) {
    state.reveal.row = row;
    state.reveal.serial = state.reveal.serial.wrapping_add(1);
    out.mark(Dirty::CODE);
    want_rows(state, row.saturating_sub(24), row.saturating_add(48), out);
}

/// Starts the rows of the selected engine. The old ones stay until the first new ones arrive.
pub(super) fn open_rows(state: &mut State, out: &mut Effects) {
    let Some(rows) = state.engine().map(|engine| engine.rows) else { return };
    let serial = state.rows.serial();
    let before = state.rows.clone();
    state.rows.open(scope(state), rows);
    if state.rows.serial() != serial {
        if before.has_any() {
            state.rows_before = before;
        }
        state.cursor = 0;
        out.push(Effect::ForgetRows);
        out.mark(Dirty::CODE);
    }
}

/// Asks for details and source of the selection.
pub(super) fn ask_details(state: &mut State, delay: u32, out: &mut Effects) {
    let (slot, ip) = (state.selection.slot, state.selection.ip);
    if slot.is_none() && ip.is_none() {
        return;
    }
    state.slot_stale = true;
    out.mark(Dirty::SLOT);
    let ip_alone = if slot.is_none() { ip } else { None };
    let request = Request::Slot { scope: scope(state), slot, ip: ip_alone };
    ask(state, Purpose::Slot, request, delay, out);
    if ip.is_some() {
        ask_source(state, delay, out);
    }
}

/// Asks for the source tree at the selected record.
pub(super) fn ask_source(state: &mut State, delay: u32, out: &mut Effects) {
    let ip = state.selection.ip;
    let request = Request::Source { scope: scope(state), ip, limit: Some(SOURCE_NODES) };
    ask(state, Purpose::Source, request, delay, out);
}

/// Remembers the selection as the last place on its engine.
fn remember(state: &mut State) {
    let at = &state.selection;
    if at.is_some() && !at.s.is_empty() {
        state.places.insert((at.s.clone(), at.e.clone()), at.clone());
    }
}

/// The display row of a target, where it can be told without asking.
fn find_row(state: &State, target: &Target) -> Option<u64> {
    let engine = state.engine()?;
    if let Some(slot) = target.slot {
        return place::row_of_slot(engine, slot);
    }
    target.row.or_else(|| place::row_of_deleted(engine, target.ip?))
}

/// Whether the target can be there; if not, says so and stays.
fn exists(state: &mut State, target: &Target, out: &mut Effects) -> bool {
    let Some(engine) = state.engine() else {
        let message =
            format!("There is no engine {}. Engines are PE, ACT, POOL, DVE and SP.", target.e);
        notice(state, About::Address, "warning", "address.engine", &message, out);
        return false;
    };
    let message = match (target.slot, target.ip) {
        (Some(slot), _) if u64::from(slot) >= engine.image_slots => format!(
            "{} has {} slots in this image, so there is no slot {slot}. Slots count from 0.",
            engine.engine, engine.image_slots
        ),
        (None, Some(ip)) if u64::from(ip) > engine.neff_slots => format!(
            "{} has {} records in the NEFF, so there is no IP {ip}.",
            engine.engine, engine.neff_slots
        ),
        _ => return true,
    };
    notice(state, About::Address, "warning", "address.place", &message, out);
    false
}

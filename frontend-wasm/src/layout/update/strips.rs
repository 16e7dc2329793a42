//! The Regions pane: its window, its patch marks, the names of its slots, and the panel of the
//! runtime profile.

use super::{address, ask, overlay, put_notice, rebuild, scope, select};
use crate::layout::action::{Action, Dirty, Effect, Effects, FocusOn, Move, Target};
use crate::layout::place;
use crate::layout::state::{Build, Notice, Overlay, Purpose, State, StripsWish};
use crate::layout::store::RowStore;
use debug_api::answer::PatchMark;
use debug_api::{Block, Request, Scope};
use std::rc::Rc;

/// Tells the numbers of rows that name slots from those of the Code pane's rows.
pub const LABELS: u32 = 1 << 31;

/// Actions of the pane.
pub(super) fn apply(state: &mut State, action: Action, out: &mut Effects) {
    match action {
        Action::SetPatches(on) => {
            state.patches_hidden = !on;
            out.mark(Dirty::REGIONS);
            let text = if on { "Patch marks shown" } else { "Patch marks hidden" };
            out.push(Effect::Say(text.to_owned()));
            address(state, false, out);
        }
        Action::SetCore(core) if state.build.core != core => {
            let build = Build { core, ..state.build.clone() };
            rebuild(state, build, out);
        }
        Action::ProfileOpen(open) => profile(state, open, out),
        Action::SelectPatch { s, e, index } => select_patch(state, &s, &e, index, out),
        Action::StripsSeen(first, last) => seen(state, first, last, out),
        _ => {}
    }
}

/// Asks the pane for another window.
pub(super) fn wish(state: &mut State, wish: StripsWish, out: &mut Effects) {
    state.strips.wish = wish;
    state.strips.serial = state.strips.serial.wrapping_add(1);
    out.mark(Dirty::REGIONS);
}

fn profile(state: &mut State, open: bool, out: &mut Effects) {
    if state.profile_open == open {
        return;
    }
    state.profile_open = open;
    out.mark(Dirty::REGIONS);
    if !open {
        out.push(Effect::Focus(FocusOn::Before));
        return;
    }
    if state.overlay != Overlay::None {
        overlay(state, Overlay::None, out);
    }
    out.push(Effect::Focus(FocusOn::Profile));
    if state.profiles.is_none() && state.opened {
        ask(state, Purpose::Profiles, Request::Profiles {}, 0, out);
    }
}

/// Selects a patch by its index in the engine's list.
fn select_patch(state: &mut State, s: &str, e: &str, index: usize, out: &mut Effects) {
    let shown = state.shown_regions();
    let answer = shown.iter().find(|answer| answer.subgraph == s);
    let engine = answer.and_then(|answer| answer.engines.iter().find(|one| one.engine == e));
    let Some(mark) = engine.and_then(|engine| engine.patches.get(index)) else { return };
    let total = engine.map_or(0, |engine| engine.patches.len());
    let mut marks: Vec<u64> =
        engine.iter().flat_map(|engine| &engine.patches).map(|mark| mark.row).collect();
    marks.sort_unstable();
    let number = marks.partition_point(|row| *row < mark.row) + 1;
    let (text, target) = (told(number, total, mark), target(s, e, mark));
    select::select(state, &target, Some(Move::Jump), out);
    out.push(Effect::Say(text));
    if !state.drawer_open {
        state.drawer_open = true;
        out.mark(Dirty::ALL);
    }
}

/// A patch in words.
pub(super) fn told(number: usize, total: usize, mark: &PatchMark) -> String {
    format!("Patch {number} of {total}: {} {} in {}", mark.kind, mark.count, mark.section)
}

fn target(s: &str, e: &str, mark: &PatchMark) -> Target {
    let (slot, ip) = match mark.kind.as_str() {
        "DELETE" => (None, mark.ip),
        _ => (u32::try_from(mark.slot).ok(), None),
    };
    Target { s: s.to_owned(), e: e.to_owned(), slot, ip, row: Some(mark.row) }
}

/// Loads the rows that name the slots in view, of every engine that is shown.
fn seen(state: &mut State, first: u64, last: u64, out: &mut Effects) {
    let mut labels = std::mem::take(&mut state.labels);
    let all = Rc::make_mut(&mut labels);
    for answer in state.shown_regions() {
        let core = state.build.core.filter(|_| answer.subgraph == state.selection.s);
        for engine in &answer.engines {
            let (s, e) = (answer.subgraph.clone(), engine.engine.clone());
            let scope = Scope { s: Some(s.clone()), e: Some(e.clone()), core, ..scope(state) };
            let store = all.entry((s, e)).or_default();
            if *store.scope() != scope || store.rows() != engine.rows {
                state.serial = state.serial.wrapping_add(1).max(1);
                *store = RowStore::after(LABELS | state.serial);
                store.open(scope, engine.rows);
            }
            let end = last.min(engine.image_slots);
            let Some(end) = end.checked_sub(1).filter(|end| first <= *end) else { continue };
            let row = |slot: u64| place::row_of_slot(engine, u32::try_from(slot).ok()?);
            let Some((from, to)) = row(first).zip(row(end)) else { continue };
            let image = store.serial();
            for chunk in store.want(from, to + 1) {
                out.push(Effect::Rows(image, chunk, store.request(chunk)));
            }
        }
    }
    state.labels = labels;
}

/// Rows that name slots arrived.
pub(super) fn rows(state: &mut State, image: u32, chunk: u64, block: Block, out: &mut Effects) {
    let own = Rc::make_mut(&mut state.labels);
    if let Some(store) = own.values_mut().find(|store| store.serial() == image)
        && store.put(image, chunk, block)
    {
        out.mark(Dirty::REGIONS);
    }
}

/// Rows that name slots could not be loaded.
pub(super) fn failed(state: &mut State, image: u32, chunk: u64, notice: Notice, out: &mut Effects) {
    let own = Rc::make_mut(&mut state.labels);
    if let Some(store) = own.values_mut().find(|store| store.serial() == image) {
        store.failed(image, chunk);
        put_notice(state, notice, out);
    }
}

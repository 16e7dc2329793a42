//! The difference between a captured and a built image, and the choice of the image that is shown.

use super::strips::LABELS;
use super::{address, ask, ask_program, put_notice, rebuild, scope, select, toast};
use crate::layout::action::{Action, Dirty, Effect, Effects, Move, Target};
use crate::layout::compare::{Plan, Shown};
use crate::layout::lone::{NO_NEFF, capture};
use crate::layout::state::{About, Build, Notice, Purpose, State};
use crate::layout::store::RowStore;
use debug_api::answer::{DiffAnswer, FilesAnswer};
use debug_api::{Block, Request, Scope};
use std::rc::Rc;

/// Tells the numbers of rows of a comparison from those of other rows.
pub const DIFFS: u32 = LABELS >> 1;
/// Runs of one answer.
const RUNS: u32 = 4_096;

/// Actions of comparing.
pub(super) fn apply(state: &mut State, action: Action, out: &mut Effects) {
    match action {
        Action::SetModelled(modelled) if state.build.modelled != modelled => {
            let build = Build { modelled, ..state.build.clone() };
            rebuild(state, build, out);
        }
        Action::SetCapture(ntff) if state.build.ntff != ntff => {
            let build = Build { ntff, ..state.build.clone() };
            rebuild(state, build, out);
        }
        Action::SetCompare(on) => {
            state.compare.open = on;
            out.mark(Dirty::CODE);
            let text = if on { "Captured and built image side by side" } else { "Slots" };
            out.push(Effect::Say(text.to_owned()));
            start(state, out);
            address(state, false, out);
        }
        Action::SetOnlyDifferent(on) => {
            state.compare.only = on;
            let text = if on { "Only differences are shown" } else { "All records are shown" };
            out.push(Effect::Say(text.to_owned()));
            lay_out(state, out);
            address(state, false, out);
        }
        Action::CompareSeen(first, last) => seen(state, first, last, out),
        Action::ComparePick(row) => pick(state, row, Move::Near, out),
        Action::FilesAdded => {
            state.profiles = None;
            state.collectives.forget();
            state.run.forget();
            ask(state, Purpose::Files, Request::Files {}, 0, out);
            let brings = std::mem::take(&mut state.brings);
            let mut build = state.build.clone();
            if brings.capture {
                (build.modelled, build.ntff) = (false, None);
            }
            if brings.profile.is_some() {
                build.profile = brings.profile;
            }
            rebuild(state, build, out);
            out.push(Effect::Say("The file is open".to_owned()));
            state.opening = None;
            out.mark(Dirty::NOTICE);
        }
        _ => {}
    }
}

/// Asks for the comparison of the selected engine, if it is shown and not there.
pub(super) fn start(state: &mut State, out: &mut Effects) {
    let wanted = Scope { modelled: false, ..scope(state) };
    let captured = state.regions.as_ref().is_some_and(|regions| regions.capture.is_some());
    if !state.compare.open || !captured || state.compare.scope.as_ref() == Some(&wanted) {
        return;
    }
    state.compare.scope = Some(wanted.clone());
    state.compare.answer = None;
    state.compare.plan = Rc::default();
    out.mark(Dirty::CODE);
    let request = Request::Diff { scope: wanted, from: 0, count: Some(RUNS) };
    ask(state, Purpose::Diff, request, 0, out);
}

/// A part of the comparison arrived; long ones come in parts.
pub(super) fn arrived(state: &mut State, answer: Rc<DiffAnswer>, out: &mut Effects) {
    let whole = match state.compare.answer.take() {
        Some(mut before) => {
            Rc::make_mut(&mut before).runs.extend(answer.runs.iter().cloned());
            before
        }
        None => answer,
    };
    let have = whole.runs.len();
    let more = (have as u64) < whole.total;
    state.compare.answer = Some(whole);
    if let (true, Some(scope)) = (more, state.compare.scope.clone()) {
        let from = u32::try_from(have).unwrap_or(u32::MAX);
        let request = Request::Diff { scope, from, count: Some(RUNS) };
        ask(state, Purpose::Diff, request, 0, out);
    }
    lay_out(state, out);
}

/// The comparison could not be made.
pub(super) fn failed(state: &mut State, out: &mut Effects) {
    state.compare.answer = None;
    state.compare.plan = Rc::default();
    out.mark(Dirty::CODE);
}

fn lay_out(state: &mut State, out: &mut Effects) {
    out.mark(Dirty::CODE);
    let Some(answer) = state.compare.answer.clone() else { return };
    let plan = Plan::new(&answer.runs, state.compare.only);
    let scope = state.compare.scope.clone().unwrap_or_default();
    if *state.compare.rows.scope() != scope || state.compare.rows.rows() != plan.records() {
        state.serial = state.serial.wrapping_add(1).max(1);
        state.compare.rows = RowStore::after(DIFFS | (state.serial & (DIFFS - 1)));
        state.compare.rows.open_what("diff", scope, plan.records());
    }
    state.compare.plan = Rc::new(plan);
    follow(state, out);
}

/// The row of the selection.
pub(super) fn follow(state: &mut State, out: &mut Effects) {
    let side = usize::from(!state.shows_capture());
    // A deleted record has no slot; what stands where it would be is as near as it gets.
    let deleted = || {
        let place = &state.slot.as_ref().filter(|_| state.selection.ip.is_some())?.place;
        u32::try_from(place.image_offset? / 64).ok()
    };
    let record = state
        .selection
        .slot
        .or_else(deleted)
        .and_then(|slot| state.compare.plan.record_of(slot, side));
    if let Some(row) = record.and_then(|record| state.compare.plan.row_of(record)) {
        go(state, row, out);
    }
}

fn go(state: &mut State, row: u64, out: &mut Effects) {
    state.compare.cursor = row;
    state.compare.reveal = state.compare.reveal.wrapping_add(1);
    out.mark(Dirty::CODE);
    seen(state, row.saturating_sub(8), row.saturating_add(40), out);
}

/// Loads the rows of these display rows.
fn seen(state: &mut State, first: u64, last: u64, out: &mut Effects) {
    let plan = Rc::clone(&state.compare.plan);
    let record = |row: u64| match plan.at(row.min(plan.rows().saturating_sub(1))) {
        Some(Shown::Record(record)) => Some(record),
        Some(Shown::Fold(first, _)) => Some(first),
        None => None,
    };
    // In the short form the rows of a screen lie far apart: each is asked for by itself.
    let rows: Vec<u64> = if state.compare.only {
        (first..last.min(first.saturating_add(200))).filter_map(record).collect()
    } else {
        [record(first), record(last)].into_iter().flatten().collect()
    };
    let spans: Vec<(u64, u64)> = match (state.compare.only, rows.as_slice()) {
        (true, rows) => rows.iter().map(|row| (*row, row + 1)).collect(),
        (false, [from, to]) => vec![(*from, to + 1)],
        _ => Vec::new(),
    };
    let image = state.compare.rows.serial();
    for (from, to) in spans {
        for chunk in state.compare.rows.want(from, to) {
            out.push(Effect::Rows(image, chunk, state.compare.rows.request(chunk)));
        }
    }
}

/// Selects what a display row shows, where the image that is shown has it.
pub(super) fn pick(state: &mut State, row: u64, movement: Move, out: &mut Effects) {
    let plan = Rc::clone(&state.compare.plan);
    let Some(shown) = plan.at(row) else { return };
    let (Shown::Record(record) | Shown::Fold(record, _)) = shown;
    let [real, modelled] = plan.slots_of(record).unwrap_or_default();
    let slot = if state.shows_capture() { real } else { modelled };
    match (slot, real.or(modelled)) {
        (Some(slot), _) => {
            let target = Target { slot: Some(slot), ..Target::default() };
            select::select(state, &target, Some(movement), out);
        }
        (None, Some(other)) => {
            let side = if real.is_some() { "captured" } else { "built" };
            let text = format!("Slot {other} of the {side} image only");
            out.push(Effect::Say(text));
        }
        (None, None) => {}
    }
    go(state, row, out);
}

/// Moves the cursor.
pub(super) fn step(state: &mut State, rows: i64, out: &mut Effects) {
    let last = state.compare.plan.rows().saturating_sub(1);
    let row = state.compare.cursor.saturating_add_signed(rows).min(last);
    pick(state, row, Move::Step, out);
}

/// Goes to the next difference, or the one before.
pub(super) fn walk(state: &mut State, forward: bool, out: &mut Effects) {
    let plan = Rc::clone(&state.compare.plan);
    let Some(stop) = plan.next(state.compare.cursor, forward) else { return };
    let told = plan.at(stop.row).and_then(|shown| match shown {
        Shown::Record(record) | Shown::Fold(record, _) => plan.run_of(record),
    });
    let told = told.map_or_else(String::new, |run| {
        format!(": {} of {} in {}", run.count, run.change.words(), run.region)
    });
    let mut text = format!("Difference {} of {}{told}", stop.number, stop.total);
    if stop.around && stop.total > 1 {
        let (last, first) = if forward { ("last", "first") } else { ("first", "last") };
        let words = format!("Past the {last} difference: at the {first} again.");
        toast(state, &words, out);
        text = format!("{words} {text}");
    }
    pick(state, stop.row, Move::Near, out);
    out.push(Effect::Say(text));
}

/// Rows of the comparison arrived.
pub(super) fn rows(state: &mut State, image: u32, chunk: u64, block: Block, out: &mut Effects) {
    if state.compare.rows.put(image, chunk, block) {
        out.mark(Dirty::CODE);
    }
}

/// Rows of the comparison could not be loaded.
pub(super) fn rows_failed(
    state: &mut State,
    image: u32,
    chunk: u64,
    notice: Notice,
    out: &mut Effects,
) {
    if state.compare.rows.serial() == image {
        state.compare.rows.failed(image, chunk);
        put_notice(state, notice, out);
    }
}

/// The files of the session: a capture that belongs to no executable is told of.
pub(super) fn files(state: &mut State, files: Rc<FilesAnswer>, out: &mut Effects) {
    let name = |at: usize| files.files.get(at).map_or("", |file| file.name.as_str());
    let stray = files.pairs.iter().find(|pair| {
        let mut own = files.pairs.iter().filter(|other| other.ntff == pair.ntff);
        !own.any(|other| other.pair)
    });
    let stray = stray.filter(|_| state.build.ntff.is_none());
    if let Some(pair) = stray {
        let signs = [
            (pair.name, "the name of the executable"),
            (pair.uuid, "its UUID"),
            (pair.structure, "slots and patch rows of its images"),
        ];
        let off: Vec<&str> = signs.iter().filter(|(ok, _)| !ok).map(|(_, what)| *what).collect();
        let (ntff, neff) = (name(pair.ntff), name(pair.neff));
        let message = if pair.uuid {
            format!(
                "{ntff} is a capture of {neff} by its UUID, but none of its images is whole and fits \
                 the program, so it is not used. `neffscope ntff {ntff}` says what is wrong with it."
            )
        } else {
            format!(
                "{ntff} is no capture of {neff}: {} differ. It is not used. Open the NEFF of that \
                 run, or the capture of this one.",
                off.join(", ")
            )
        };
        let notice = Notice {
            about: About::Pair,
            severity: "warning".to_owned(),
            code: "pair.none".to_owned(),
            message,
        };
        put_notice(state, notice, out);
    }
    let mut executables = files.files.iter().filter(|file| file.kind == "neff");
    if let (None, Some(first), Some(second)) = (stray, executables.next(), executables.next()) {
        let message = format!(
            "{} is open too: Memory plans all executables of the session together, Collectives \
             compares them as ranks, the other views show {}.",
            second.name, first.name
        );
        let (about, severity) = (About::Pair, "info".to_owned());
        let notice = Notice { about, severity, code: "session.several".to_owned(), message };
        put_notice(state, notice, out);
    }
    if files.files.iter().any(|file| file.kind == "neff") {
        ask_program(state, out);
    }
    let alone = capture(&files).is_some();
    state.files = Some(files);
    if alone {
        // Questions about a program were on their way before it was known that there is none.
        state.notices.retain(|notice| notice.code != NO_NEFF);
        if state.memory.capture.is_none() && !state.asked.contains_key(&Purpose::Capture) {
            ask(state, Purpose::Capture, Request::Ntff { f: None }, 0, out);
        }
        out.mark(Dirty::ALL);
    }
    out.mark(Dirty::FRAME.and(Dirty::REGIONS));
}

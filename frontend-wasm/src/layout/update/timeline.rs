//! The Timeline view: what it asks, what has arrived, how it moves.

use super::timeline_kept as kept;
use super::timeline_move as moves;
use super::timeline_source::{self, own};
use super::{address, ask, next_question, select};
use crate::layout::action::{Arrived, Dirty, Effect, Effects, Move, Target};
use crate::layout::state::{Pane, Purpose, State, View};
use crate::layout::timeline::kept::Kept;
use crate::layout::timeline::scale::Span;
use crate::layout::timeline::tile::{Tile, TileKey};
use crate::layout::timeline::{EXECUTIONS, EventRef, TABLE_ROWS, TimelineAction, TraceOf, words};
use crate::layout::url::Address;
use debug_api::answer::{TimelineAnswer, TimelineEventsAnswer};
use debug_api::{Request, TimelineEventsRequest, TimelineRequest};
use std::rc::Rc;

/// Delay of what follows the window, in milliseconds.
const FOLLOW_DELAY: u32 = 80;

/// What happened in the view.
pub(super) fn apply(state: &mut State, action: TimelineAction, out: &mut Effects) {
    out.mark(Dirty::TIMELINE);
    match action {
        TimelineAction::Width(width) => state.timeline.width = width,
        TimelineAction::Zoom(factor, part) => moves::zoom(state, factor, Some(part)),
        TimelineAction::Pan(part) => moves::pan(state, part),
        TimelineAction::Fit(from, to) => moves::fit(state, from, to),
        TimelineAction::Pick(picked) => pick(state, picked, out),
        TimelineAction::Bucket(from, to, words) => {
            state.timeline.range = Some((from, to));
            out.push(Effect::Say(format!("{words}; F zooms in")));
        }
        TimelineAction::Range(from, to) => {
            state.timeline.range = (from < to).then_some((from, to));
        }
        TimelineAction::Row(name) => state.timeline.row = name,
        TimelineAction::Fold(group) => {
            if !state.timeline.folded.remove(&group) {
                state.timeline.folded.insert(group);
            }
        }
        TimelineAction::Pin(name) => kept::pin(state, &name, out),
        TimelineAction::Mark(mark) => kept::mark(state, mark, out),
        TimelineAction::Source(source) => timeline_source::choose(state, source, out),
        TimelineAction::Unit(unit) => state.timeline.unit = unit,
        TimelineAction::Table(on) => {
            state.timeline.table = on;
            out.push(Effect::Say(if on { "Table of this view" } else { "Drawing" }.to_owned()));
        }
        TimelineAction::Code => {
            to_code(state, out);
            return;
        }
        TimelineAction::Exported(words) => {
            super::toast(state, &words, out);
            return;
        }
        TimelineAction::Tile(serial, block) => {
            let key = state.timeline.tile_asked.clone().filter(|key| key.serial == serial);
            if let Some(key) = key {
                state.timeline.tile = Some(Rc::new(Tile::of(key, &block)));
            }
            return;
        }
    }
    address(state, false, out);
}

/// Selects an event; its details follow.
pub(super) fn pick(state: &mut State, picked: Option<EventRef>, out: &mut Effects) {
    state.timeline.picked = picked;
    let Some(at) = picked else {
        state.timeline.event = None;
        return;
    };
    let TraceOf { scope, run } = own(state);
    let request = TimelineEventsRequest {
        scope,
        run,
        lane: Some(at.lane),
        from: u64::from(at.index),
        count: Some(1),
        links: true,
        ..TimelineEventsRequest::default()
    };
    ask(state, Purpose::TimelineEvent, Request::TimelineEvents(request), 0, out);
}

/// Asks for an event that is known by a rule: the first of the answer is selected.
pub(super) fn seek(state: &mut State, request: TimelineEventsRequest, out: &mut Effects) {
    let TraceOf { scope, run } = own(state);
    let request = TimelineEventsRequest { scope, run, count: Some(1), links: true, ..request };
    ask(state, Purpose::TimelineEvent, Request::TimelineEvents(request), 0, out);
}

/// Asks for what the view shows and has not asked for yet.
pub(super) fn sync(state: &mut State, out: &mut Effects) {
    let alone = state.files.as_ref().is_some_and(|files| {
        !files.files.is_empty() && files.files.iter().all(|file| file.kind != "neff")
    });
    let ready = state.regions.is_some() && !state.wanted.pending;
    if state.view != View::Timeline || !state.opened || !(ready || alone) {
        return;
    }
    let wanted = match timeline_source::wanted(state) {
        Ok(wanted) => wanted,
        Err(why) => {
            if state.timeline.missing.as_ref() != Some(&why) {
                missing(state, why, out);
            }
            return;
        }
    };
    if state.timeline.asked.as_ref() != Some(&wanted) {
        let TraceOf { scope, run } = wanted.clone();
        let request = TimelineRequest { scope, run, ..TimelineRequest::default() };
        state.timeline.asked = Some(wanted);
        state.timeline.missing = None;
        out.mark(Dirty::TIMELINE);
        ask(state, Purpose::Timeline, Request::Timeline(request), 0, out);
        return;
    }
    if state.timeline.answer.is_none() {
        return;
    }
    sync_tile(state, out);
    sync_range(state, out);
    sync_executions(state, out);
    sync_table(state, out);
}

fn sync_tile(state: &mut State, out: &mut Effects) {
    let end = state.timeline.end();
    let Some(span) = state.timeline.span.filter(|_| state.timeline.width > 0.0) else { return };
    let key = TileKey::of(span, state.timeline.width, end);
    let asked = state.timeline.tile_asked.as_ref();
    if asked.is_some_and(|asked| asked.covers(span, end, key.level)) {
        return;
    }
    let serial = next_question(state, Purpose::TimelineTile);
    let key = TileKey { serial, ..key };
    let request = key.request(own(state));
    state.timeline.tile_asked = Some(key);
    out.push(Effect::Tile(serial, request));
}

fn sync_range(state: &mut State, out: &mut Effects) {
    let range = state.timeline.range;
    if state.timeline.sums_asked == range {
        return;
    }
    state.timeline.sums_asked = range;
    let Some((from, to)) = range else {
        state.timeline.sums = None;
        return;
    };
    let TraceOf { scope, run } = own(state);
    let request = TimelineRequest { scope, run, from_ps: Some(from), to_ps: Some(to) };
    ask(state, Purpose::TimelineSums, Request::Timeline(request), FOLLOW_DELAY, out);
}

fn sync_executions(state: &mut State, out: &mut Effects) {
    let at = &state.selection;
    let wanted = at.slot.filter(|_| !at.e.is_empty()).map(|slot| (at.e.clone(), slot));
    if state.timeline.executions_asked == wanted {
        return;
    }
    state.timeline.executions_asked = wanted.clone();
    state.timeline.executions = None;
    let Some((engine, slot)) = wanted else { return };
    let TraceOf { scope, run } = own(state);
    let request = TimelineEventsRequest {
        scope,
        run,
        row: Some(engine),
        slot: Some(slot),
        count: Some(EXECUTIONS),
        ..TimelineEventsRequest::default()
    };
    let request = Request::TimelineEvents(request);
    ask(state, Purpose::TimelineExecutions, request, FOLLOW_DELAY, out);
}

fn sync_table(state: &mut State, out: &mut Effects) {
    let timeline = &state.timeline;
    let Some(span) = timeline.span.filter(|_| timeline.table) else { return };
    let window = timeline.range.unwrap_or((span.from.max(0.0) as u64, span.to.ceil() as u64));
    if timeline.rows_asked == Some(window) {
        return;
    }
    state.timeline.rows_asked = Some(window);
    let TraceOf { scope, run } = own(state);
    let request = TimelineEventsRequest {
        scope,
        run,
        from_ps: Some(window.0),
        to_ps: Some(window.1),
        count: Some(TABLE_ROWS),
        ..TimelineEventsRequest::default()
    };
    let request = Request::TimelineEvents(request);
    ask(state, Purpose::TimelineTable, request, FOLLOW_DELAY, out);
}

/// An answer of the view arrived.
pub(super) fn arrived(state: &mut State, answer: Arrived, out: &mut Effects) {
    out.mark(Dirty::TIMELINE);
    match answer {
        Arrived::Timeline(answer) => whole(state, answer, out),
        Arrived::TimelineSums(answer) => {
            state.timeline.sums = Some(answer);
        }
        Arrived::TimelineEvent(answer) => event(state, &answer, out),
        Arrived::TimelineExecutions(answer) => state.timeline.executions = Some(answer),
        Arrived::TimelineTable(answer) => state.timeline.rows = Some(answer),
        _ => {}
    }
}

fn whole(state: &mut State, answer: Rc<TimelineAnswer>, out: &mut Effects) {
    out.mark(Dirty::FRAME);
    let timeline = &mut state.timeline;
    let end = answer.end_ps.max(1) as f64;
    let wanted = timeline.wanted.take();
    let window = wanted.map(|(from, to)| Span { from: from as f64, to: to as f64 }.inside(end));
    timeline.span = Some(window.unwrap_or(Span::whole(end)));
    if timeline.row.is_empty() {
        timeline.row = answer.rows.first().map(|row| row.name.clone()).unwrap_or_default();
    }
    timeline.answer = Some(answer);
    timeline.tile = None;
    timeline.tile_asked = None;
    timeline.executions_asked = None;
    timeline.sums = None;
    timeline.sums_asked = None;
    timeline.rows_asked = None;
    timeline.picked = None;
    timeline.event = None;
}

/// Details of an event: it is selected, its slot too, and it is told.
fn event(state: &mut State, answer: &TimelineEventsAnswer, out: &mut Effects) {
    let Some(event) = answer.events.first().cloned() else {
        out.push(Effect::Say("No further event".to_owned()));
        return;
    };
    let timeline = &mut state.timeline;
    timeline.picked = Some(EventRef { lane: event.lane, index: event.index });
    timeline.row = event.row.clone();
    let fs = timeline.cycle_fs();
    let row = timeline.answer.as_ref();
    let row = row.and_then(|answer| answer.rows.iter().find(|row| row.name == event.row));
    out.push(Effect::Say(words::spoken(&event, row, timeline.unit, fs)));
    moves::show(state, event.start_ps, event.start_ps.saturating_add(event.len_ps));
    let place = event.place.as_ref().map(Target::from);
    state.timeline.event = Some(Rc::new(event));
    if let Some(target) = place.filter(|_| state.regions.is_some()) {
        select::select(state, &target, Some(Move::Near), out);
    }
    address(state, false, out);
}

/// The slot of the selected event in Code.
fn to_code(state: &mut State, out: &mut Effects) {
    let event = state.timeline.event.clone();
    let place = event.as_ref().and_then(|event| event.place.as_ref()).map(Target::from);
    let Some(target) = place.filter(|_| state.regions.is_some()) else {
        out.push(Effect::Say("The event has no slot to go to".to_owned()));
        return;
    };
    select::select(state, &target, Some(Move::Jump), out);
    super::run::set_view(state, View::Code, out);
}

/// What an address says.
pub(super) fn take_address(state: &mut State, address: &Address) {
    let address = &address.timeline;
    let timeline = &mut state.timeline;
    timeline.chosen = address.trace;
    timeline.unit = address.unit.unwrap_or_default();
    timeline.table = address.table;
    timeline.range = address.range;
    timeline.wanted = address.window;
    timeline.kept = Kept { now: timeline.kept.now, ..address.kept.clone() };
    if let Some(((from, to), answer)) = address.window.zip(timeline.answer.as_ref()) {
        let end = answer.end_ps.max(1) as f64;
        timeline.span = Some(Span { from: from as f64, to: to as f64 }.inside(end));
    }
}

/// There is no timeline: why, in the view itself.
pub(super) fn missing(state: &mut State, why: String, out: &mut Effects) {
    state.timeline.answer = None;
    state.timeline.span = None;
    state.timeline.tile = None;
    state.timeline.missing = Some(why);
    out.mark(Dirty::TIMELINE.and(Dirty::FRAME));
}

/// Commands of the view.
pub(super) fn run(state: &mut State, id: &str, out: &mut Effects) {
    moves::run(state, id, out);
    out.mark(Dirty::TIMELINE);
    address(state, false, out);
}

/// Esc: the event, then the range.
pub(super) fn close(state: &mut State, out: &mut Effects) {
    out.mark(Dirty::TIMELINE);
    if state.timeline.picked.take().is_some() {
        state.timeline.event = None;
    } else {
        state.timeline.range = None;
    }
    state.pane = Pane::Timeline;
    address(state, false, out);
}

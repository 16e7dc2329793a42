//! How the window of the Timeline moves, and what its keys do.

use super::timeline::{apply, pick, seek};
use super::timeline_kept::selected;
use super::timeline_source::own;
use super::toast;
use crate::layout::action::{Effect, Effects, ExportTo};
use crate::layout::state::State;
use crate::layout::timeline::lines::LineKind;
use crate::layout::timeline::scale::{Span, Unit};
use crate::layout::timeline::{EventRef, TimelineAction, TraceOf};
use debug_api::{ExportFormat, ExportRequest, TimelineEventsRequest};

/// Zooms around a part of the width; by keys around the selected event, else the middle.
pub(super) fn zoom(state: &mut State, factor: f64, part: Option<f64>) {
    let timeline = &mut state.timeline;
    let Some(span) = timeline.span else { return };
    let chosen = timeline.event.as_ref().map(|event| span.part(event.start_ps as f64));
    let part = part.or(chosen).filter(|part| (0.0..=1.0).contains(part)).unwrap_or(0.5);
    timeline.span = Some(span.zoomed(factor, part, timeline.end()));
}

/// Pans by a part of the width.
pub(super) fn pan(state: &mut State, part: f64) {
    let end = state.timeline.end();
    state.timeline.span = state.timeline.span.map(|span| span.panned(part, end));
}

/// A window in which a range takes 80 % of the width.
pub(super) fn fit(state: &mut State, from: u64, to: u64) {
    let end = state.timeline.end();
    if state.timeline.span.is_some() {
        state.timeline.span = Some(Span::around(from as f64, to as f64, end));
    }
}

/// Pans as little as needed for the start of an event to be seen.
pub(super) fn show(state: &mut State, from: u64, to: u64) {
    let end = state.timeline.end();
    let Some(span) = state.timeline.span else { return };
    let (from, to) = (from as f64, to as f64);
    if from < span.from || from > span.to {
        let middle = f64::midpoint(from, to.min(from + span.len()));
        let from = middle - span.len() / 2.0;
        state.timeline.span = Some(Span { from, to: from + span.len() }.inside(end));
    }
}

/// A command by its id.
pub(super) fn run(state: &mut State, id: &str, out: &mut Effects) {
    match id {
        "time-in" => zoom(state, 2.0, None),
        "time-out" => zoom(state, 0.5, None),
        "time-left" => pan(state, -0.25),
        "time-right" => pan(state, 0.25),
        "time-all" => state.timeline.span = Some(Span::whole(state.timeline.end())),
        "time-fit" => fit_selected(state, out),
        "time-range" => range_of_event(state, out),
        "time-unit" => {
            let at = Unit::ALL.iter().position(|(unit, ..)| *unit == state.timeline.unit);
            let next = Unit::ALL.get((at.unwrap_or(0) + 1) % Unit::ALL.len());
            state.timeline.unit = next.map_or(Unit::default(), |(unit, ..)| *unit);
            toast(state, &format!("Times in {}.", state.timeline.unit.label()), out);
        }
        "time-source" => super::timeline_source::other(state, out),
        "time-fold" => {
            let rows = state.timeline.answer.iter().flat_map(|answer| &answer.rows);
            let own = rows.clone().find(|row| row.name == state.timeline.row);
            if let Some(group) = own.map(|row| row.group.clone()) {
                apply(state, TimelineAction::Fold(group), out);
            }
        }
        "time-table" => {
            let on = !state.timeline.table;
            apply(state, TimelineAction::Table(on), out);
        }
        "link-after" => follow(state, true, out),
        "link-before" => follow(state, false, out),
        "time-pin" => {
            let row = state.timeline.row.clone();
            apply(state, TimelineAction::Pin(row), out);
        }
        "time-mark" => selected(state, false, out),
        "time-mark-keep" => selected(state, true, out),
        "time-code" => apply(state, TimelineAction::Code, out),
        "range-longer" => widen(state, 0.02, out),
        "range-shorter" => widen(state, -0.02, out),
        "event-next" => step(state, 1, out),
        "event-previous" => step(state, -1, out),
        "event-first" => end_of_row(state, false, out),
        "event-last" => end_of_row(state, true, out),
        "row-next" => row(state, 1, out),
        "row-previous" => row(state, -1, out),
        "writer" => writer(state, out),
        "export-perfetto" => export(state, ExportFormat::Perfetto, ExportTo::Disk, out),
        "export-json" => export(state, ExportFormat::TraceEvent, ExportTo::Disk, out),
        "export-csv" => export(state, ExportFormat::Csv, ExportTo::Disk, out),
        "open-perfetto" => export(state, ExportFormat::Perfetto, ExportTo::Perfetto, out),
        _ => {}
    }
}

fn export(state: &State, format: ExportFormat, to: ExportTo, out: &mut Effects) {
    let TraceOf { scope, run } = own(state);
    let request = ExportRequest { scope, run, format: format.name().to_owned(), link: None };
    out.push(Effect::Export(request, to));
}

fn fit_selected(state: &mut State, out: &mut Effects) {
    let event = state.timeline.event.as_ref();
    let event = event.map(|event| (event.start_ps, event.start_ps.saturating_add(event.len_ps)));
    match event.or(state.timeline.range) {
        Some((from, to)) => fit(state, from, to),
        None => toast(state, "Nothing is selected to fit.", out),
    }
}

fn range_of_event(state: &mut State, out: &mut Effects) {
    match state.timeline.event.as_ref().filter(|event| event.len_ps > 0) {
        Some(event) => {
            let range = (event.start_ps, event.start_ps.saturating_add(event.len_ps));
            state.timeline.range = Some(range);
            out.push(Effect::Say("The event is the range".to_owned()));
        }
        None => toast(state, "Select an event that has a length first.", out),
    }
}

/// Moves the right edge of the range, or makes one at the selected event.
fn widen(state: &mut State, part: f64, out: &mut Effects) {
    let timeline = &mut state.timeline;
    let Some(span) = timeline.span else { return };
    let start = timeline.event.as_ref().map_or(span.from.max(0.0) as u64, |event| event.start_ps);
    let (from, to) = timeline.range.unwrap_or((start, start));
    let to = (to as f64 + part * span.len()).clamp(from as f64 + 1.0, timeline.end()) as u64;
    timeline.range = Some((from, to));
    let fs = timeline.cycle_fs();
    let len = timeline.unit.text(to.saturating_sub(from) as f64, fs);
    out.push(Effect::Say(format!("Range {len}")));
}

/// The next or previous event of the selected event's track; the first of the window else.
fn step(state: &mut State, by: i64, out: &mut Effects) {
    match state.timeline.picked {
        Some(at) => {
            let index = i64::from(at.index) + by;
            match u32::try_from(index) {
                Ok(index) => seek_at(state, EventRef { index, ..at }, out),
                Err(_) => out.push(Effect::Say("First event of the track".to_owned())),
            }
        }
        None => {
            let row = Some(state.timeline.row.clone());
            let from = state.timeline.span.map(|span| span.from.max(0.0) as u64);
            let request = TimelineEventsRequest { row, from_ps: from, ..Default::default() };
            seek(state, request, out);
        }
    }
}

/// An event by its place; the last one stays selected where there is none.
fn seek_at(state: &mut State, at: EventRef, out: &mut Effects) {
    let request = TimelineEventsRequest {
        lane: Some(at.lane),
        from: u64::from(at.index),
        ..Default::default()
    };
    seek(state, request, out);
}

fn end_of_row(state: &mut State, last: bool, out: &mut Effects) {
    let row = Some(state.timeline.row.clone());
    seek(state, TimelineEventsRequest { row, last, ..Default::default() }, out);
}

/// The event of the next or previous row that starts nearest before the selected one.
fn row(state: &mut State, by: isize, out: &mut Effects) {
    let lines = state.timeline.lines();
    let rows: Vec<&str> = lines
        .iter()
        .filter(|line| line.kind != LineKind::Group)
        .map(|line| line.name.as_str())
        .collect();
    let at = rows.iter().position(|name| *name == state.timeline.row).unwrap_or(0);
    let next = at.checked_add_signed(by).and_then(|next| rows.get(next));
    let Some(name) = next.map(|name| (*name).to_owned()) else { return };
    state.timeline.row.clone_from(&name);
    let time = state.timeline.event.as_ref().map(|event| event.start_ps);
    let answer = state.timeline.answer.clone();
    let own = answer.iter().flat_map(|answer| &answer.rows).find(|row| row.name == name);
    if own.is_some_and(|row| row.events == 0) {
        pick(state, None, out);
        out.push(Effect::Say(format!("{name}, no events")));
        return;
    }
    let request = match time.filter(|time| *time > 0) {
        Some(time) => TimelineEventsRequest {
            row: Some(name),
            to_ps: Some(time.saturating_add(1)),
            last: true,
            ..Default::default()
        },
        None => TimelineEventsRequest { row: Some(name), ..Default::default() },
    };
    seek(state, request, out);
}

/// To the first event that depends on the selected one, or that it depends on.
fn follow(state: &mut State, after: bool, out: &mut Effects) {
    let links = state.timeline.event.as_ref().and_then(|event| event.links.as_ref());
    let Some(links) = links else {
        toast(state, "Select an event first.", out);
        return;
    };
    let list = if after { &links.after } else { &links.before };
    match list.first() {
        Some(link) => {
            let at = EventRef { lane: link.lane, index: link.index };
            pick(state, Some(at), out);
        }
        None if after => out.push(Effect::Say("Nothing is known to depend on it".to_owned())),
        None => out.push(Effect::Say("It is not known to depend on anything".to_owned())),
    }
}

/// Who wrote the selected counter last before the selected change.
fn writer(state: &mut State, out: &mut Effects) {
    let event = state.timeline.event.clone();
    let Some(event) = event.filter(|event| event.value.is_some() && event.row.contains('[')) else {
        toast(state, "Select a change of a semaphore or event first.", out);
        return;
    };
    let request = TimelineEventsRequest {
        row: Some(event.row.clone()),
        to_ps: Some(event.start_ps),
        last: true,
        ..Default::default()
    };
    seek(state, request, out);
}

//! Answers `timeline-state`: what everything was doing at one time. Each part is found in the columns of
//! its track by halving, so any time of a long run is as near as any other.

use super::timeline_source;
use super::timeline_view::TimelineView;
use crate::answer::{
    CounterMoment, EngineMoment, QueueMoment, SCHEMA, TimelineStateAnswer, TopSpMoment,
};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::kept_runs::KeptRuns;
use crate::request::TimelineStateRequest;
use device_sim::event::NO_TOP_SP;
use records::Engine;
use std::sync::Arc;
use trace::{Event, NO_SLOT, Row, Track, TrackKind};

/// Events of a queue that are looked at for those under way.
const LOOKED: usize = 4_096;
/// Blocks of a queue that are told of.
const MOST_BLOCKS: usize = 16;

/// The state at a time.
///
/// # Errors
/// As a timeline.
pub fn state(
    files: &[Arc<OpenFile>],
    kept: &KeptRuns,
    request: &TimelineStateRequest,
) -> Result<TimelineStateAnswer, ApiError> {
    let view = timeline_source::of(files, kept, &request.scope, request.run.as_deref())?;
    let trace = view.trace();
    let at = request.at_ps.min(trace.end);
    let previous = trace.tracks.iter().filter_map(|track| {
        let before = track.before(at).checked_sub(1)?;
        track.starts().get(before).copied()
    });
    let next = trace
        .tracks
        .iter()
        .filter_map(|track| track.starts().get(track.before(at.saturating_add(1))).copied());
    let mut answer = TimelineStateAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.clone(),
        at_ps: at,
        end_ps: trace.end,
        previous_ps: previous.max(),
        next_ps: next.min(),
        engines: Vec::new(),
        queues: Vec::new(),
        top_sps: Vec::new(),
        semaphores: Vec::new(),
        events: Vec::new(),
        provenance: view.provenance(),
    };
    for row in &trace.rows {
        let tracks = trace.lanes(row);
        match tracks.first().map(|track| (track.kind, track)) {
            Some((TrackKind::Engine(code), track)) => {
                answer
                    .engines
                    .extend(Engine::from_code(code).map(|of| engine(&view, of, track, at)));
            }
            Some((TrackKind::Queue(_) | TrackKind::Ring { .. }, _)) => {
                answer.queues.push(queue(row, tracks, at));
            }
            Some((TrackKind::TopSp(number), _)) => {
                answer.top_sps.push(top_sp(row, tracks, number, at));
            }
            Some((TrackKind::Semaphore(id), track)) => {
                answer.semaphores.extend(counter(&view, row, track, id, at));
            }
            Some((TrackKind::Event(id), track)) => {
                answer.events.extend(counter(&view, row, track, id, at));
            }
            Some((TrackKind::Moments(_), _)) | None => {}
        }
    }
    answer.semaphores.sort_by_key(|one| one.id);
    answer.events.sort_by_key(|one| one.id);
    Ok(answer)
}

fn engine(view: &TimelineView<'_>, of: Engine, track: &Track, at: u64) -> EngineMoment {
    let started = track.before(at.saturating_add(1));
    let kind = track.kind;
    let moment =
        |state: &str, event: &Event, since: Option<u64>, until: Option<u64>| EngineMoment {
            engine: of.name().to_owned(),
            state: state.to_owned(),
            place: view.place(kind, event.slot),
            name: view.name(kind, event),
            text: view.text(kind, event),
            since_ps: since,
            until_ps: until,
            started: started as u64,
            total: track.len() as u64,
        };
    if let Some(event) = track.at(at).and_then(|index| track.event(index)) {
        return moment("running", &event, Some(event.start), Some(event.end()));
    }
    let last = started.checked_sub(1).and_then(|index| track.event(index));
    let free = last.map_or(0, |event| event.end());
    if let Some(event) = track.event(started) {
        // A wait is known by its cycles; 1 is none.
        let cycles = u64::from(event.arg.saturating_sub(1));
        let fs = view.cycle_fs_of(kind).unwrap_or(0);
        let waited = u64::try_from(u128::from(cycles) * u128::from(fs) / 1000).unwrap_or(u64::MAX);
        let from = event.start.saturating_sub(waited);
        return if waited > 0 && at >= from {
            moment("waiting", &event, Some(from.max(free)), Some(event.start))
        } else {
            moment("between", &event, last.map(|_| free), Some(event.start))
        };
    }
    if let Some(slot) = view.stuck_slot(of) {
        let event = Event { slot, ..Event::default() };
        return moment("stuck", &event, Some(free), None);
    }
    match last {
        Some(event) => moment("ended", &event, Some(free), None),
        None => EngineMoment {
            name: String::new(),
            text: String::new(),
            ..moment("none", &Event { slot: NO_SLOT, ..Event::default() }, None, None)
        },
    }
}

/// Events of a track that a time lies in, the latest first.
fn under_way(track: &Track, at: u64) -> impl Iterator<Item = Event> + '_ {
    let started = track.before(at.saturating_add(1));
    let events = (0..started).rev().take(LOOKED).filter_map(|index| track.event(index));
    events.filter(move |event| event.end() > at)
}

fn queue(row: &Row, tracks: &[Track], at: u64) -> QueueMoment {
    let of_blocks = tracks.iter().filter(|track| matches!(track.kind, TrackKind::Queue(_)));
    let mut blocks: Vec<u32> = of_blocks
        .flat_map(|track| under_way(track, at).map(|event| event.slot))
        .take(MOST_BLOCKS)
        .collect();
    blocks.reverse();
    QueueMoment {
        row: row.name.clone(),
        started: tracks.iter().map(|track| track.before(at.saturating_add(1)) as u64).sum(),
        total: tracks.iter().map(|track| track.len() as u64).sum(),
        under_way: tracks.iter().map(|track| under_way(track, at).count() as u64).sum(),
        blocks,
    }
}

fn top_sp(row: &Row, tracks: &[Track], number: u8, at: u64) -> TopSpMoment {
    let of = |kind: u8| {
        tracks.iter().find(move |track| track.event(0).is_some_and(|event| event.kind == kind))
    };
    let now = |track: &Track| track.at(at).and_then(|index| track.event(index)).map(|one| one.slot);
    TopSpMoment {
        row: row.name.clone(),
        number: (u32::from(number) != NO_TOP_SP).then_some(u32::from(number)),
        started: of(0).map_or(0, |track| track.before(at.saturating_add(1)) as u64),
        collective: of(0).and_then(now),
        step: of(1).and_then(now),
    }
}

fn counter(
    view: &TimelineView<'_>,
    row: &Row,
    track: &Track,
    id: u8,
    at: u64,
) -> Option<CounterMoment> {
    let event = track.event(track.last_before(at.saturating_add(1))?)?;
    let by = u8::try_from(event.slot).ok().and_then(Engine::from_code);
    Some(CounterMoment {
        id,
        row: row.name.clone(),
        label: view.label(row).0,
        value: event.arg,
        since_ps: event.start,
        by: by.map_or("", Engine::name).to_owned(),
    })
}

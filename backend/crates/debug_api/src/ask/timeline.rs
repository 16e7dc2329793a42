//! Answers `timeline` and `timeline-events`.

use super::timeline_links::{self, Links};
use super::timeline_source;
use super::timeline_view::{Source, TimelineView};
use crate::answer::{
    FileInfo, Provenance, SCHEMA, TimelineAnswer, TimelineEvent, TimelineEventsAnswer,
    TimelineLinks, TimelineRow,
};
use crate::error::{ApiError, ErrorKind};
use crate::file::{FileKind, OpenFile};
use crate::kept_runs::KeptRuns;
use crate::names;
use crate::request::{TimelineEventsRequest, TimelineRequest};
use records::Engine;
use std::collections::BTreeSet;
use std::sync::Arc;
use trace::{NO_SLOT, Row, Track, TrackKind};

/// Events of one answer whose links are told, at most.
const MOST_LINKED: u64 = 16;
/// Events of one answer, by default and at most.
const COUNT: (u32, u32) = (256, 4_096);

/// Rows of a timeline with sums over a range.
///
/// # Errors
/// `timeline.none`, `request.invalid` for a range that ends before it starts; else as a scope.
pub fn timeline(
    files: &[Arc<OpenFile>],
    kept: &KeptRuns,
    request: &TimelineRequest,
) -> Result<TimelineAnswer, ApiError> {
    let view = timeline_source::of(files, kept, &request.scope, request.run.as_deref())?;
    let trace = view.trace();
    let (from, to) = range(request.from_ps, request.to_ps, trace.end)?;
    let rows = trace.rows.iter().map(|row| row_of(&view, row, from, to)).collect();
    let mut answer = TimelineAnswer {
        schema: SCHEMA,
        file: FileInfo { name: String::new(), bytes: 0, kind: FileKind::Ntff.name().to_owned() },
        subgraph: view.subgraph.clone(),
        subgraphs: Vec::new(),
        end_ps: trace.end,
        origin_ps: "0".to_owned(),
        events: trace.events(),
        records: trace.events(),
        records_used: trace.events(),
        execution_ps: None,
        from_ps: from,
        to_ps: to,
        rows,
        provenance: view.provenance(),
        outcome: None,
        diagnostics: view.findings.clone(),
    };
    match &view.source {
        Source::Capture { file, core, captured } => {
            answer.file.name = names::of_ntff(files, file);
            answer.file.bytes = file.bytes();
            let cores = &file.capture().subgraphs;
            answer.subgraphs = cores.iter().map(|core| core.name.clone()).collect();
            answer.origin_ps = captured.origin_ps.to_string();
            answer.records = captured.records;
            answer.records_used = captured.used;
            answer.execution_ps = core.execution_ps;
        }
        Source::Run { file, run, .. } => {
            answer.file.name = names::of_neff(files, file);
            answer.file.bytes = file.bytes();
            answer.file.kind = FileKind::Neff.name().to_owned();
            answer.subgraphs = run.cores.iter().map(|core| core.name.clone()).collect();
            answer.outcome = Some(run.outcome.clone());
        }
    }
    Ok(answer)
}

fn range(from: Option<u64>, to: Option<u64>, end: u64) -> Result<(u64, u64), ApiError> {
    let (from, to) = (from.unwrap_or(0), to.unwrap_or(end.max(from.unwrap_or(0))));
    if from > to {
        return Err(ApiError::bad_request(format!(
            "the range ends at {to} ps, before its start at {from} ps"
        )));
    }
    Ok((from, to))
}

fn row_of(view: &TimelineView<'_>, row: &Row, from: u64, to: u64) -> TimelineRow {
    let tracks = view.trace().lanes(row);
    let sums: Vec<_> = tracks.iter().map(|track| track.sums(from, to)).collect();
    let (label, label_provenance) = view.label(row);
    let counts = tracks.iter().filter(|track| track.kind.is_counter());
    TimelineRow {
        name: row.name.clone(),
        group: row.group.name().to_owned(),
        label,
        label_provenance,
        lanes: u32::try_from(tracks.len()).unwrap_or(u32::MAX),
        first_lane: u32::try_from(row.lanes.start).unwrap_or(u32::MAX),
        events: tracks.iter().map(|track| track.len() as u64).sum(),
        peak: counts.map(|track| track.largest(0, track.len())).max().unwrap_or(0),
        cycle_fs: view.cycle_fs(row),
        range_events: sums.iter().map(|sum| sum.count).sum(),
        busy_ps: sums.iter().fold(0, |all: u64, sum| all.saturating_add(sum.busy)),
        open_ps: sums.iter().fold(0, |all: u64, sum| all.saturating_add(sum.open)),
        largest: sums.iter().map(|sum| sum.largest).max().unwrap_or(0),
    }
}

/// Single events.
///
/// # Errors
/// `timeline.none`, `timeline.row` for a row that is not there, `request.invalid` for a range that
/// ends before it starts; else as a scope.
pub fn events(
    files: &[Arc<OpenFile>],
    kept: &KeptRuns,
    request: &TimelineEventsRequest,
) -> Result<TimelineEventsAnswer, ApiError> {
    let view = timeline_source::of(files, kept, &request.scope, request.run.as_deref())?;
    let trace = view.trace();
    let end = request.to_ps.or(Some(u64::MAX));
    let (from_ps, to_ps) = range(request.from_ps, end, trace.end)?;
    let named = match (request.row.as_deref(), request.slot) {
        (None, Some(_)) => Some(request.scope.e.as_deref().unwrap_or("PE")),
        (row, _) => row,
    };
    let rows: Vec<&Row> = match named {
        None => trace.rows.iter().collect(),
        Some(name) => vec![trace.row(name).ok_or_else(|| no_row(name))?],
    };
    let most = u64::from(request.count.unwrap_or(COUNT.0).min(COUNT.1));
    if request.links && most > MOST_LINKED {
        return Err(ApiError::bad_request(format!(
            "links are told of at most {MOST_LINKED} events at once: ask for a smaller count"
        )));
    }
    let mut picker = Picker { from: request.from, most, total: 0, picked: Vec::new() };
    let find = request.find.as_deref().map(str::to_lowercase);
    for (row, lane) in rows.iter().flat_map(|row| row.lanes.clone().map(move |lane| (row, lane))) {
        let Some(track) = trace.tracks.get(lane) else { continue };
        if request.lane.is_some_and(|own| own as usize != lane) {
            continue;
        }
        let wanted = Wanted::of(&view, track, request.slot, find.as_deref());
        let inside = track.before(from_ps)..track.before(to_ps);
        match wanted {
            Wanted::All => picker.run(row, lane, inside),
            Wanted::None => {}
            Wanted::Slots(slots) => {
                let own = track.slots().get(inside.clone()).unwrap_or(&[]);
                let fits = own.iter().enumerate().filter(|(_, slot)| slots.contains(slot));
                fits.for_each(|(at, _)| picker.one(row, lane, inside.start + at));
            }
            Wanted::Kinds(kinds) => {
                let kind = |at: &usize| track.event(*at).is_some_and(|e| kinds.contains(&e.kind));
                inside.filter(kind).for_each(|at| picker.one(row, lane, at));
            }
        }
    }
    let picked = if request.last {
        // The same question again, from the end.
        let from = picker.total.saturating_sub(most).saturating_sub(request.from);
        let again = TimelineEventsRequest { from, last: false, ..request.clone() };
        return events(files, kept, &again);
    } else {
        picker.picked
    };
    Ok(TimelineEventsAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.clone(),
        from: request.from,
        total: picker.total,
        events: picked
            .into_iter()
            .filter_map(|picked| event_of(&view, picked, request.links))
            .collect(),
        provenance: view.provenance(),
    })
}

/// Which events of a track fit what is searched for.
enum Wanted {
    All,
    None,
    Slots(BTreeSet<u32>),
    Kinds(BTreeSet<u8>),
}

impl Wanted {
    fn of(view: &TimelineView<'_>, track: &Track, slot: Option<u32>, find: Option<&str>) -> Self {
        let fits = |event: &trace::Event| {
            let name = view.name(track.kind, event).to_lowercase();
            find.is_none_or(|find| name.contains(find))
        };
        let of_slot = |slot: u32| trace::Event { slot, ..trace::Event::default() };
        match (track.kind, slot, find) {
            (_, None, None) => Self::All,
            (TrackKind::Engine(_), Some(slot), _) => {
                Self::Slots([slot].into_iter().filter(|slot| fits(&of_slot(*slot))).collect())
            }
            (_, Some(_), _) => Self::None,
            (TrackKind::Engine(_), None, Some(_)) => {
                let slots: BTreeSet<u32> = track.slots().iter().copied().collect();
                Self::Slots(slots.into_iter().filter(|slot| fits(&of_slot(*slot))).collect())
            }
            (_, None, Some(_)) => {
                let of_kind = |kind: &u8| fits(&trace::Event { kind: *kind, ..of_slot(NO_SLOT) });
                Self::Kinds((0..=u8::MAX).filter(of_kind).collect())
            }
        }
    }
}

/// Takes the events of one page out of all that fit.
struct Picker<'a> {
    from: u64,
    most: u64,
    total: u64,
    picked: Vec<(&'a Row, usize, usize)>,
}

impl<'a> Picker<'a> {
    fn one(&mut self, row: &'a Row, lane: usize, at: usize) {
        self.run(row, lane, at..at + 1);
    }

    /// A run of events that all fit.
    fn run(&mut self, row: &'a Row, lane: usize, run: std::ops::Range<usize>) {
        let skip = self.from.saturating_sub(self.total).min(run.len() as u64);
        let room = self.most.saturating_sub(self.picked.len() as u64);
        self.total += run.len() as u64;
        let (skip, room) = (skip as usize, room as usize);
        self.picked.extend(run.skip(skip).take(room).map(|at| (row, lane, at)));
    }
}

fn event_of(
    view: &TimelineView<'_>,
    picked: (&Row, usize, usize),
    with_links: bool,
) -> Option<TimelineEvent> {
    let (row, lane, at) = picked;
    let track = view.trace().tracks.get(lane)?;
    let event = track.event(at)?;
    let is_engine = matches!(track.kind, TrackKind::Engine(_));
    let is_moment = matches!(track.kind, TrackKind::Moments(_));
    Some(TimelineEvent {
        row: row.name.clone(),
        lane: u32::try_from(lane).ok()?,
        index: u32::try_from(at).ok()?,
        start_ps: event.start,
        len_ps: event.len,
        name: view.name(track.kind, &event),
        text: view.text(track.kind, &event),
        place: view.place(track.kind, event.slot),
        wait_cycles: is_engine.then_some(event.arg),
        value: (!is_engine && !is_moment).then_some(u64::from(event.arg)),
        flags: TimelineView::flags(event.flags),
        links: with_links.then(|| {
            let Links { before, after } = timeline_links::of(view, lane, at);
            TimelineLinks { before, after, provenance: Provenance::Inferred }
        }),
    })
}

fn no_row(name: &str) -> ApiError {
    let shown: String = name.chars().take(64).collect();
    let engines = Engine::ALL.map(Engine::name).join(" ");
    ApiError::new(
        ErrorKind::NotFound,
        "timeline.row",
        format!(
            "the timeline has no row `{shown}`; rows are {engines}, queues by name, sem[N], event[N]"
        ),
    )
}

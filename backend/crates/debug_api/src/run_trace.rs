//! What happened in a run of the simulator, as tracks of a timeline.

use device_sim::event::{Event as RunEvent, EventKind, NO_TOP_SP, Sink};
use records::Engine;
use records::trace_record::NotifyChange;
use std::collections::{BTreeMap, VecDeque};
use trace::model::Group;
use trace::{Event, NO_SLOT, Trace, TrackBuilder, TrackKind};

/// Events of all cores that are kept of one run.
pub const MOST_EVENTS: u64 = 12_000_000;

/// Moments of a run, by the numbers of their tracks.
pub const HOST: u8 = 16;
/// What engines notify of.
pub const NOTIFIED: u8 = 17;

/// The traces of a run.
#[derive(Clone, Debug, Default)]
pub struct RunTrace {
    /// Cores, in the order of the run.
    pub cores: Vec<RunCore>,
    /// `finished deadlock fault budget`.
    pub outcome: String,
    /// Whether the run went on when [`MOST_EVENTS`] were kept.
    pub cut: bool,
}

/// One core of a run.
#[derive(Clone, Debug, Default)]
pub struct RunCore {
    /// Subgraph.
    pub name: String,
    /// Rank.
    pub rank: u32,
    /// Femtoseconds of a cycle of each engine, by code.
    pub clock_fs: [u64; 5],
    /// Slots at which engines wait or stand for ever when the run ends, by code.
    pub stuck: [Option<u32>; 5],
    /// The events.
    pub trace: Trace,
}

/// What a core of a run is called, and its queues by their numbers.
#[derive(Clone, Debug, Default)]
pub struct CoreNames {
    /// Subgraph.
    pub name: String,
    /// Rank.
    pub rank: u32,
    /// Queues.
    pub queues: Vec<String>,
    /// Slots at which engines wait or stand for ever when the run ends, by code.
    pub stuck: [Option<u32>; 5],
}

/// Takes the events of a run.
pub struct Recorder {
    cores: Vec<Core>,
    clock_fs: [u64; 5],
    kept: u64,
}

/// Blocks or collectives under way, by their number.
type Open = BTreeMap<u32, VecDeque<usize>>;

#[derive(Default)]
struct Core {
    /// By engine: executions, and the wait of the next one in picoseconds.
    engines: BTreeMap<u8, (Option<TrackBuilder>, u64)>,
    queues: BTreeMap<u8, (Option<TrackBuilder>, Open)>,
    counters: BTreeMap<TrackKind, TrackBuilder>,
    values: BTreeMap<TrackKind, u32>,
    top_sps: BTreeMap<u8, TopSp>,
    moments: BTreeMap<u8, TrackBuilder>,
}

#[derive(Default)]
struct TopSp {
    collectives: Option<TrackBuilder>,
    steps: Option<TrackBuilder>,
    open: Open,
}

impl Recorder {
    /// Nothing has happened yet on so many cores.
    pub fn new(cores: usize, clock_fs: [u64; 5]) -> Self {
        Self { cores: (0..cores).map(|_| Core::default()).collect(), clock_fs, kept: 0 }
    }

    /// Whether no more is kept.
    pub const fn is_full(&self) -> bool {
        self.kept >= MOST_EVENTS
    }

    /// The traces, of these cores; the run ended at `end_ps`.
    pub fn finish(self, names: Vec<CoreNames>, end_ps: u64, outcome: &str) -> RunTrace {
        let cut = self.is_full();
        let clock_fs = self.clock_fs;
        let cores = self.cores.into_iter().zip(names).map(|(core, names)| RunCore {
            trace: core.finish(end_ps, &names.queues),
            stuck: names.stuck,
            name: names.name,
            rank: names.rank,
            clock_fs,
        });
        RunTrace { cores: cores.collect(), outcome: outcome.to_owned(), cut }
    }
}

impl Sink for Recorder {
    fn event(&mut self, event: RunEvent) {
        if self.is_full() {
            return;
        }
        let Some(core) = self.cores.get_mut(event.actor.core()) else { return };
        self.kept += u64::from(core.take(&event, &self.clock_fs));
    }
}

impl Core {
    /// Keeps an event; `false` for one that is told of by others.
    fn take(&mut self, event: &RunEvent, clock_fs: &[u64; 5]) -> bool {
        let start = event.time_ps;
        let number = u8::try_from(event.slot).unwrap_or(u8::MAX);
        match event.kind {
            EventKind::Waited => {
                let Some(engine) = event.actor.as_engine() else { return false };
                self.engines.entry(engine.code()).or_default().1 = event.b;
                return false;
            }
            EventKind::Execute => {
                let Some(engine) = event.actor.as_engine() else { return false };
                let (track, wait) = self.engines.entry(engine.code()).or_default();
                let fs = clock_fs.get(engine.index()).copied().unwrap_or(0).max(1);
                let cycles = u128::from(std::mem::take(wait)) * 1_000 / u128::from(fs);
                let arg = u32::try_from(cycles).unwrap_or(u32::MAX).max(1);
                let track = track.get_or_insert_with(|| builder(TrackKind::Engine(engine.code())));
                track.push(Event {
                    start,
                    len: event.b,
                    slot: event.slot,
                    arg,
                    ..Event::default()
                });
            }
            EventKind::Semaphore | EventKind::EventSet | EventKind::EventClear => {
                self.changed(event);
            }
            EventKind::TransferStart => {
                let (track, open) = self.queues.entry(number).or_default();
                let track = track.get_or_insert_with(|| builder(TrackKind::Queue(number)));
                let arg = u32::try_from(event.b).unwrap_or(u32::MAX);
                let place = track.push(Event { start, slot: event.a, arg, ..open_event() });
                open.entry(event.a).or_default().push_back(place);
            }
            EventKind::TransferEnd => {
                let (track, open) = self.queues.entry(number).or_default();
                close(track.as_mut(), open, event.a, start);
                return false;
            }
            EventKind::CollectiveStart => {
                let top_sp = self.top_sps.entry(number).or_default();
                let kind = TrackKind::TopSp(number);
                let track = top_sp.collectives.get_or_insert_with(|| builder(kind));
                let place = track.push(Event { start, slot: event.a, ..open_event() });
                top_sp.open.entry(event.a).or_default().push_back(place);
            }
            EventKind::CollectiveEnd => {
                let top_sp = self.top_sps.entry(number).or_default();
                close(top_sp.collectives.as_mut(), &mut top_sp.open, event.a, start);
                return false;
            }
            EventKind::CollectiveStep => {
                let top_sp = self.top_sps.entry(number).or_default();
                let kind = TrackKind::TopSp(number);
                let track = top_sp.steps.get_or_insert_with(|| builder(kind));
                let from = start.saturating_sub(event.b);
                let step = Event { start: from, len: event.b, slot: event.a, ..Event::default() };
                track.push(Event { kind: 1, ..step });
            }
            EventKind::Notify | EventKind::Host => {
                let track = if event.kind == EventKind::Host { HOST } else { NOTIFIED };
                let moments = self.moments.entry(track);
                let moments = moments.or_insert_with(|| builder(TrackKind::Moments(track)));
                let kind = u8::try_from(event.a).unwrap_or(u8::MAX);
                moments.push(Event {
                    start,
                    slot: NO_SLOT,
                    arg: event.a,
                    kind,
                    ..Event::default()
                });
            }
            // The next execution of the engine tells where it went.
            EventKind::Branch => return false,
        }
        true
    }

    fn changed(&mut self, event: &RunEvent) {
        let id = (event.a & 0xFF) as u8;
        let (kind, value) = match event.kind {
            EventKind::Semaphore => {
                (TrackKind::Semaphore(id), u32::try_from(event.b).unwrap_or(u32::MAX))
            }
            EventKind::EventSet => (TrackKind::Event(id), 1),
            _ => (TrackKind::Event(id), 0),
        };
        let before = self.values.insert(kind, value).unwrap_or(0);
        let change = match event.kind {
            EventKind::EventSet => NotifyChange::EVENT_SET,
            EventKind::EventClear => NotifyChange::EVENT_CLEAR,
            _ if value == before.wrapping_add(1) => NotifyChange::INCREMENT,
            _ if value == before.wrapping_sub(1) => NotifyChange::DECREMENT,
            _ => NotifyChange::WRITE,
        };
        let by = event.actor.as_engine().map_or(NO_SLOT, |by| u32::from(by.code()));
        let track = self.counters.entry(kind).or_insert_with(|| builder(kind));
        track.push(Event {
            start: event.time_ps,
            slot: by,
            arg: value,
            kind: change.0,
            ..Event::default()
        });
    }

    fn finish(self, end: u64, names: &[String]) -> Trace {
        let mut all = Trace::default();
        let Self { mut engines, queues, counters, top_sps, moments, .. } = self;
        for engine in Engine::ALL {
            let own = engines.remove(&engine.code()).and_then(|(track, _)| track);
            let track = own.unwrap_or_else(|| builder(TrackKind::Engine(engine.code())));
            all.push(engine.name().to_owned(), Group::Engines, vec![track.finish(end)]);
        }
        for (number, (track, _)) in queues {
            let Some(track) = track else { continue };
            let name = names.get(usize::from(number)).filter(|name| !name.is_empty()).cloned();
            let name = name.unwrap_or_else(|| format!("queue {number}"));
            all.push(name, Group::Queues, vec![track.finish(end)]);
        }
        for (number, top_sp) in top_sps {
            let tracks = [top_sp.collectives, top_sp.steps].into_iter().flatten();
            let tracks = tracks.map(|track| track.finish(end)).collect();
            let name = match u32::from(number) {
                NO_TOP_SP => "collectives without a plan".to_owned(),
                number => format!("TOP_SP {number}"),
            };
            all.push(name, Group::TopSps, tracks);
        }
        for (kind, track) in counters {
            let (name, group) = match kind {
                TrackKind::Semaphore(id) => (format!("sem[{id}]"), Group::Semaphores),
                TrackKind::Event(id) => (format!("event[{id}]"), Group::Events),
                _ => continue,
            };
            all.push(name, group, vec![track.finish(end)]);
        }
        for (number, track) in moments {
            let name = if number == HOST { "host" } else { "notifications" };
            all.push(name.to_owned(), Group::Notifications, vec![track.finish(end)]);
        }
        let ends = all.tracks.iter().map(trace::Track::end);
        all.end = ends.max().unwrap_or(0).max(end);
        all
    }
}

/// An event whose end has not come yet.
fn open_event() -> Event {
    Event { flags: trace::Flags::NO_END, ..Event::default() }
}

/// Ends the oldest event under way with a number.
fn close(track: Option<&mut TrackBuilder>, open: &mut Open, number: u32, end: u64) {
    let place = open.get_mut(&number).and_then(VecDeque::pop_front);
    let event = track.zip(place).and_then(|(track, place)| track.at(place));
    if let Some(event) = event {
        event.len = end.saturating_sub(event.start);
        event.flags = trace::Flags::NONE;
    }
}

const fn builder(kind: TrackKind) -> TrackBuilder {
    TrackBuilder::new(kind)
}

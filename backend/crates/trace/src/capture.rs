//! The records of one captured core as events.
//!
//! Records are sorted by their aligned time, starts are joined with their ends, and the shortened
//! addresses become slots. What does not fit is kept and told, or left out and told.
//! Spec: docs/format/ntff.md "Record", "Trace", "Notify", "DMA" and "Clocks" [observed].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use neff::ntff::{Capture, SubgraphCapture, TimeBase};
use neff::{Findings, Place, Severity};
use records::Engine;
use records::ntff::{QueueSource, QueueType};
use records::trace_record::{
    DmaStep, NotifySource, RawTraceRecord, TRACE_PC_MASK, TRACE_RECORD_BYTES, TraceEvent,
};

use crate::event::{Event, Flags, NO_SLOT};
use crate::model::{Group, Trace};
use crate::pairing::{Pairing, Unpaired};
use crate::track::{TrackBuilder, TrackKind};

/// Longest pause that is taken for part of one run, in picoseconds: 100 s. Records beyond a longer
/// one come from a clock that jumped.
pub const LONGEST_PAUSE: u64 = 100_000_000_000_000;

/// DMA engines of one core.
const RINGS: u8 = 16;

/// A record with its time.
#[derive(Clone, Copy)]
struct Timed<'a> {
    /// Picoseconds since the first record.
    time: u64,
    record: &'a RawTraceRecord,
    queue: QueueType,
    source: QueueSource,
    /// Place in the file.
    at: u64,
}

/// A captured core as a trace.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    /// The events.
    pub trace: Trace,
    /// Records of the core.
    pub records: u64,
    /// Records that became events or parts of them.
    pub used: u64,
    /// Aligned time of the trace's start, in picoseconds.
    pub origin_ps: i128,
    /// Starts and ends without a partner.
    pub unpaired: Unpaired,
}

impl Captured {
    /// Events of a core. What is odd about its records becomes a finding; what
    /// [`neff::ntff::Trace::of`] reports is not reported again.
    pub fn of(capture: &Capture, core: &SubgraphCapture, findings: &mut Findings) -> Self {
        let mut told = Told { core: &core.name, findings };
        let mut all = Self::default();
        let records = all.timed(capture, core, &mut told);
        all.used = records.len() as u64;
        let end = records.last().map_or(0, |last| last.time);
        all.engines(core, &records, end, &mut told);
        all.queues(core, &records, end, &mut told);
        all.counters(&records, end);
        all.moments(&records, end);
        let ends = all.trace.tracks.iter().map(crate::track::Track::end);
        all.trace.end = ends.max().unwrap_or(0).max(end);
        all
    }

    /// All records that have a time, sorted by it; records of a clock that jumped are left out.
    fn timed<'a>(
        &mut self,
        capture: &'a Capture,
        core: &SubgraphCapture,
        told: &mut Told<'_>,
    ) -> Vec<Timed<'a>> {
        let base = TimeBase::of(capture.version, &core.clocks);
        let mut list: Vec<(i128, Timed<'a>)> = Vec::new();
        for slice in &core.slices {
            let records = capture.records(slice);
            self.records += records.len() as u64;
            list.reserve(records.len());
            for (index, record) in (0_u64..).zip(records) {
                let Some(ps) = base.ps(slice.queue, slice.source, record) else { continue };
                let at = slice.records.start + index * TRACE_RECORD_BYTES as u64;
                let (queue, source) = (slice.queue, slice.source);
                list.push((ps, Timed { time: 0, record, queue, source, at }));
            }
        }
        list.sort_by_key(|(ps, _)| *ps);
        let main = longest_stretch(&list);
        let jumped = list.len() - main.len();
        if jumped > 0 {
            let outside = |index: &usize| !main.contains(index);
            let first = (0..list.len()).find(outside).and_then(|index| list.get(index));
            let message = format!(
                "{jumped} of {} records are more than 100 s away from all others: their clock \
                 jumped; they are left out of the timeline",
                list.len()
            );
            told.warning("trace.clock-jump", first.map(|(_, timed)| timed.at), message);
        }
        let kept = list.get(main).unwrap_or(&[]);
        self.origin_ps = kept.first().map_or(0, |(ps, _)| *ps);
        let since = |ps: i128| u64::try_from(ps - self.origin_ps).unwrap_or(u64::MAX);
        kept.iter().map(|(ps, timed)| Timed { time: since(*ps), ..*timed }).collect()
    }

    fn engines(
        &mut self,
        core: &SubgraphCapture,
        all: &[Timed<'_>],
        end: u64,
        told: &mut Told<'_>,
    ) {
        let mut engines: Vec<(Pairing, Slots)> = Engine::ALL
            .into_iter()
            .map(|engine| {
                let pairing = Pairing::new(TrackKind::Engine(engine.code()));
                (pairing, Slots::of(core, engine))
            })
            .collect();
        let mut first_lost = None;
        for timed in all.iter().filter(|timed| timed.source != QueueSource::TOP_SP) {
            let event = timed.event();
            match timed.record.event(timed.queue) {
                TraceEvent::Start { engine, pc, flags, wait_cycles } => {
                    let Some((pairing, slots)) = engines.get_mut(engine.index()) else { continue };
                    let slot = slots.of_pc(pc);
                    let arg = u32::from(wait_cycles);
                    pairing.start(pc, Event { slot, arg, kind: flags, ..event });
                }
                TraceEvent::End { engine, pc, .. } => {
                    let Some((pairing, slots)) = engines.get_mut(engine.index()) else { continue };
                    let slot = slots.of_pc(pc);
                    if pairing.end(pc, Event { slot, ..event }).is_none() {
                        first_lost = first_lost.or(Some(timed.at));
                    }
                }
                _ => {}
            }
        }
        let mut unpaired = Unpaired::default();
        for (engine, (pairing, _)) in Engine::ALL.into_iter().zip(engines) {
            let (track, own) = pairing.finish(end);
            unpaired = unpaired.and(own);
            self.trace.push(engine.name().to_owned(), Group::Engines, vec![track]);
        }
        told.unpaired("instruction", unpaired, first_lost);
        self.unpaired = self.unpaired.and(unpaired);
    }

    /// One row for each queue, one track for each of its rings that has records.
    fn queues(&mut self, core: &SubgraphCapture, all: &[Timed<'_>], end: u64, told: &mut Told<'_>) {
        // A write that ended waits for its "done".
        let mut rings: BTreeMap<(u8, u8), (Pairing, VecDeque<usize>)> = BTreeMap::new();
        let mut first_lost = None;
        for timed in all {
            let TraceEvent::Dma { engine, queue, step, bytes, .. } =
                timed.record.event(timed.queue)
            else {
                continue;
            };
            let engine = engine % RINGS;
            let kind = TrackKind::Ring { queue, engine };
            let ring = rings.entry((queue, engine));
            let (pairing, ended) = ring.or_insert_with(|| (Pairing::new(kind), VecDeque::new()));
            let event = Event { slot: u32::from(engine), kind: step.0, ..timed.event() };
            match step {
                DmaStep::READ_START => pairing.start(0, event),
                DmaStep::WRITE_END => match pairing.end(0, Event { arg: bytes, ..event }) {
                    Some(place) => {
                        if let Some(event) = pairing.at(place) {
                            event.arg = bytes;
                        }
                        ended.push_back(place);
                    }
                    None => first_lost = first_lost.or(Some(timed.at)),
                },
                DmaStep::WRITE_DONE => {
                    let place = ended.pop_front();
                    if let Some(event) = place.and_then(|place| pairing.at(place)) {
                        event.len = timed.time.saturating_sub(event.start);
                    }
                }
                _ => {}
            }
        }
        let names = QueueNames::of(core);
        let mut unpaired = Unpaired::default();
        let mut rows: BTreeMap<u8, Vec<crate::track::Track>> = BTreeMap::new();
        for ((queue, _), (pairing, _)) in rings {
            let (track, own) = pairing.finish(end);
            unpaired = unpaired.and(own);
            rows.entry(queue).or_default().push(track);
        }
        for (queue, tracks) in rows {
            self.trace.push(names.name(queue), Group::Queues, tracks);
        }
        told.unpaired("transfer", unpaired, first_lost);
        self.unpaired = self.unpaired.and(unpaired);
    }

    /// One row for each semaphore and event that changed.
    fn counters(&mut self, all: &[Timed<'_>], end: u64) {
        let mut tracks: BTreeMap<TrackKind, TrackBuilder> = BTreeMap::new();
        for timed in all {
            let TraceEvent::Notify { source, is_semaphore, id, change, value } =
                timed.record.event(timed.queue)
            else {
                continue;
            };
            let slot = match source {
                NotifySource::Engine(engine) => u32::from(engine.code()),
                NotifySource::DmaOrHost => NO_SLOT,
            };
            let kind = if is_semaphore { TrackKind::Semaphore(id) } else { TrackKind::Event(id) };
            let track = tracks.entry(kind).or_insert_with(|| TrackBuilder::new(kind));
            track.push(Event { slot, arg: value, kind: change.0, ..timed.event() });
        }
        for (kind, track) in tracks {
            let (name, group) = match kind {
                TrackKind::Semaphore(id) => (format!("sem[{id}]"), Group::Semaphores),
                TrackKind::Event(id) => (format!("event[{id}]"), Group::Events),
                _ => continue,
            };
            self.trace.push(name, group, vec![track.finish(end)]);
        }
    }

    /// What has no length and no value: throttling, the collectives processor, unknown records.
    fn moments(&mut self, all: &[Timed<'_>], end: u64) {
        const NAMES: [&str; 4] = ["TOP_SP", "throttle", "errors", "unknown records"];
        let mut tracks: BTreeMap<u8, TrackBuilder> = BTreeMap::new();
        for timed in all {
            let number = match timed.record.event(timed.queue) {
                _ if timed.source == QueueSource::TOP_SP => 0,
                TraceEvent::Throttle => 1,
                TraceEvent::Unknown if timed.queue == QueueType::ERROR => 2,
                TraceEvent::Unknown => 3,
                _ => continue,
            };
            let kind = TrackKind::Moments(number);
            let track = tracks.entry(number).or_insert_with(|| TrackBuilder::new(kind));
            let (low, arg) = (timed.record.record_type(), timed.record.m2.get());
            track.push(Event { arg, kind: low, ..timed.event() });
        }
        for (number, track) in tracks {
            let name = NAMES.get(usize::from(number)).copied().unwrap_or("others");
            self.trace.push(name.to_owned(), Group::Notifications, vec![track.finish(end)]);
        }
    }
}

impl Timed<'_> {
    /// An event of this moment that belongs to no slot.
    fn event(&self) -> Event {
        let lost = self.record.hardware_overflow() || self.record.software_overflow();
        let flags = if lost { Flags::AFTER_LOSS } else { Flags::NONE };
        Event { start: self.time, slot: NO_SLOT, flags, ..Event::default() }
    }
}

/// The most records in a row without a pause that is too long; of equal ones the first.
fn longest_stretch(list: &[(i128, Timed<'_>)]) -> std::ops::Range<usize> {
    let mut best = 0..0;
    let mut from = 0;
    for (index, pair) in list.windows(2).enumerate() {
        if let [(before, _), (after, _)] = pair
            && after.saturating_sub(*before) > i128::from(LONGEST_PAUSE)
        {
            if index + 1 - from > best.len() {
                best = from..index + 1;
            }
            from = index + 1;
        }
    }
    if list.len() - from > best.len() { from..list.len() } else { best }
}

/// From the shortened addresses of an engine's records to slots of its image.
struct Slots {
    /// (base / 64) mod 2^20.
    base: u32,
    /// Slots of the image.
    count: u32,
    /// The slot before.
    last: u32,
}

impl Slots {
    fn of(core: &SubgraphCapture, engine: Engine) -> Self {
        let image = core.image(engine);
        let base = image.map_or(0, |image| (image.base.get() >> 6) as u32 & TRACE_PC_MASK);
        let count = image.map_or(0, |image| image.bytes.len() / records::SLOT_BYTES as u64);
        Self { base, count: u32::try_from(count).unwrap_or(NO_SLOT - 1), last: 0 }
    }

    /// The slot of a PC that lost its upper bits. Where an image is so long that several slots
    /// share a PC, the one nearest to the slot before.
    fn of_pc(&mut self, pc: u32) -> u32 {
        const LAP: u32 = TRACE_PC_MASK + 1;
        let low = pc.wrapping_sub(self.base) & TRACE_PC_MASK;
        if low >= self.count {
            return NO_SLOT;
        }
        let lap = self.last / LAP;
        let laps = [lap.saturating_sub(1), lap, lap + 1];
        let near = laps
            .into_iter()
            .filter_map(|lap| lap.checked_mul(LAP)?.checked_add(low))
            .filter(|slot| *slot < self.count)
            .min_by_key(|slot| slot.abs_diff(self.last));
        self.last = near.unwrap_or(low);
        self.last
    }
}

/// Names of queues by their number.
struct QueueNames<'a>(BTreeMap<u64, BTreeSet<&'a str>>);

impl<'a> QueueNames<'a> {
    fn of(core: &'a SubgraphCapture) -> Self {
        let mut names: BTreeMap<u64, BTreeSet<&str>> = BTreeMap::new();
        for ring in core.rings.iter().filter(|ring| !ring.name.is_empty()) {
            names.entry(ring.queue).or_default().insert(&ring.name);
        }
        Self(names)
    }

    /// The name of a queue; its number where several share it or none is known.
    fn name(&self, queue: u8) -> String {
        let names = self.0.get(&u64::from(queue));
        let lone = names.filter(|names| names.len() == 1).and_then(|names| names.first());
        // A name that two queues have is told apart by the number.
        let unique =
            lone.filter(|lone| self.0.values().filter(|names| names.contains(*lone)).count() == 1);
        match (unique, lone, names) {
            (Some(name), ..) => (*name).to_owned(),
            (None, Some(name), _) => format!("{name} (queue {queue})"),
            (None, None, Some(names)) => {
                let names: Vec<&str> = names.iter().copied().take(3).collect();
                format!("queue {queue}: {}", names.join(", "))
            }
            (None, None, None) => format!("queue {queue}"),
        }
    }
}

/// Where findings of a core go.
struct Told<'a> {
    core: &'a str,
    findings: &'a mut Findings,
}

impl Told<'_> {
    fn push(&mut self, severity: Severity, code: &'static str, at: Option<u64>, message: String) {
        let at = Place { subgraph: Some(self.core.to_owned()), offset: at, ..Place::default() };
        self.findings.push(severity, code, at, message);
    }

    fn warning(&mut self, code: &'static str, at: Option<u64>, message: String) {
        self.push(Severity::Warning, code, at, message);
    }

    fn unpaired(&mut self, what: &str, unpaired: Unpaired, at: Option<u64>) {
        let Unpaired { no_end, no_start } = unpaired;
        if no_end > 0 {
            let message = format!(
                "{what} starts without an end in the trace: {no_end}; each is drawn open up to \
                 the next start and does not count as busy"
            );
            self.push(Severity::Info, "trace.no-end", None, message);
        }
        if no_start > 0 {
            let message = format!(
                "{what} ends without a start in the trace: {no_start}, so records were lost; \
                 each is drawn as a moment"
            );
            self.warning("trace.no-start", at, message);
        }
    }
}

//! Sums, runs and lookups against a second method: a list of events, walked picosecond by
//! picosecond or event by event.

use crate::event::{Event, Flags, NO_SLOT};
use crate::model::{Group, Trace};
use crate::runs::Window;
use crate::track::{Track, TrackBuilder, TrackKind};
use proptest::prelude::*;

fn track(kind: TrackKind, events: &[(u64, u64, u32, bool)]) -> (Track, Vec<Event>) {
    let mut builder = TrackBuilder::new(kind);
    for (start, len, arg, open) in events {
        let flags = if *open { Flags::NO_END } else { Flags::NONE };
        builder.push(Event { start: *start, len: *len, slot: *arg % 7, arg: *arg, kind: 1, flags });
    }
    let track = builder.finish(400);
    let events = (0..track.len()).filter_map(|index| track.event(index)).collect();
    (track, events)
}

fn covered(events: &[Event], from: u64, to: u64) -> u64 {
    let covers = |time: u64| {
        let mut closed = events.iter().filter(|event| !event.flags.has(Flags::NO_END));
        closed.any(|event| event.start <= time && time < event.end())
    };
    (from..to).filter(|time| covers(*time)).count() as u64
}

fn events() -> impl Strategy<Value = Vec<(u64, u64, u32, bool)>> {
    let len = prop_oneof![Just(0_u64), 1..5_u64, 5..60_u64];
    let open = prop::bool::weighted(0.05);
    prop::collection::vec((0..300_u64, len, 0..50_u32, open), 0..120)
}

proptest! {
    #[test]
    fn busy_is_the_covered_time(list in events(), ends in any::<[u16; 2]>()) {
        let (track, events) = track(TrackKind::Engine(0), &list);
        let (a, b) = (u64::from(ends[0]) % 420, u64::from(ends[1]) % 420);
        let (from, to) = (a.min(b), a.max(b));
        prop_assert_eq!(track.busy(from, to), covered(&events, from, to));
        let sums = track.sums(from, to);
        let inside = events.iter().filter(|event| (from..to).contains(&event.start));
        prop_assert_eq!(sums.count, inside.clone().count() as u64);
        prop_assert_eq!(sums.largest, inside.map(|event| event.len).max().unwrap_or(0));
    }

    #[test]
    fn every_event_is_in_one_run(list in events(), window in any::<[u16; 2]>(), level in 0..7_u8) {
        let (track, events) = track(TrackKind::Engine(0), &list);
        let (a, b) = (u64::from(window[0]) % 420, u64::from(window[1]) % 420);
        let window = Window { from: a.min(b), to: a.max(b), level };
        let runs = track.runs(window);
        let inside = events.iter().filter(|event| (window.from..window.to).contains(&event.start));
        let drawn: u64 =
            runs.iter().filter(|run| run.start >= window.from).map(|run| u64::from(run.count)).sum();
        prop_assert_eq!(drawn, inside.count() as u64);
        let before = runs.iter().filter(|run| run.start < window.from).count();
        let reaches = events.iter().any(|event| {
            event.start < window.from && event.end() > window.from
        });
        prop_assert!(before <= 1 && (before == 0 || reaches));
        let buckets = (window.to - window.from).div_ceil(window.bucket()) + 1;
        prop_assert!(runs.len() as u64 <= 2 * buckets + 1);
        for run in &runs {
            let (first, last) = (run.first as usize, (run.first + run.count) as usize);
            let own = &events[first..last];
            prop_assert_eq!(run.start, own[0].start);
            prop_assert_eq!(run.largest, own.iter().map(|event| event.len).max().unwrap());
            prop_assert_eq!(run.last, own[own.len() - 1].arg);
            let latest = own.iter().map(Event::end).max().unwrap();
            prop_assert!(run.end <= latest);
            if run.count == 1 {
                prop_assert_eq!(run.end, own[0].end());
            }
            let all = covered(&events[..last], 0, 420) - covered(&events[..first], 0, 420);
            prop_assert_eq!(run.busy, all);
        }
    }

    #[test]
    fn the_event_at_a_time_covers_it(list in events(), time in 0..420_u64) {
        let (track, events) = track(TrackKind::Engine(0), &list);
        match track.at(time) {
            Some(index) => {
                let event = events[index];
                prop_assert!(event.start <= time && time < event.end());
            }
            None => prop_assert_eq!(covered(&events, time, time + 1), 0),
        }
    }

    #[test]
    fn counters_hold_their_value(list in events(), time in 0..420_u64) {
        let kind = TrackKind::Semaphore(3);
        let (track, events) = track(kind, &list);
        let mut trace = Trace::default();
        trace.push("sem[3]".to_owned(), Group::Semaphores, vec![track]);
        let before = events.iter().rev().find(|event| event.start < time);
        let writer = trace.last_writer(kind, time).map(|writer| writer.event);
        prop_assert_eq!(writer, before.copied());
        let value = events.iter().rev().find(|event| event.start <= time).map(|event| event.arg);
        prop_assert_eq!(trace.value(kind, time), value);
        prop_assert_eq!(trace.tracks[0].busy(0, 420), 0);
    }

    #[test]
    fn executions_of_a_slot(list in events(), slot in 0..8_u32, from in 0..50_usize) {
        let (track, events) = track(TrackKind::Engine(0), &list);
        let expected: Vec<usize> =
            (from..events.len()).filter(|at| events[*at].slot == slot).take(5).collect();
        prop_assert_eq!(track.of_slot(slot, from, 5), expected);
    }
}

#[test]
fn none_one_zero_length_and_very_long() {
    let empty = TrackBuilder::new(TrackKind::Engine(0)).finish(0);
    let window = Window { from: 0, to: u64::MAX, level: 62 };
    assert_eq!((empty.runs(window).len(), empty.busy(0, u64::MAX), empty.at(0)), (0, 0, None));
    let mut builder = TrackBuilder::new(TrackKind::Engine(0));
    let long = 1_000_000_000_000;
    builder.push(Event { start: 5, len: 0, slot: 1, ..Event::default() });
    builder.push(Event { start: 5, len: long, slot: 2, ..Event::default() });
    let track = builder.finish(0);
    assert_eq!(track.event(1).map(|event| event.len), Some(long));
    assert_eq!(track.largest(0, 2), long);
    assert_eq!(track.busy(0, long / 2), long / 2 - 5);
    assert_eq!(track.end(), long + 5);
    let runs = track.runs(Window { from: 0, to: 2 * long, level: 4 });
    assert_eq!(runs.iter().map(|run| run.count).collect::<Vec<_>>(), [1, 1]);
    let inside = track.runs(Window { from: 100, to: 200, level: 4 });
    assert_eq!(inside.iter().map(|run| run.first).collect::<Vec<_>>(), [1]);
}

#[test]
fn buckets_at_the_edge_of_time() {
    let window = Window::of_buckets(3, 4, 5);
    assert_eq!((window.from, window.to, window.bucket()), (96, 224, 32));
    let window = Window::of_buckets(u64::MAX, u64::MAX, 200);
    assert_eq!((window.from, window.to, window.bucket()), (u64::MAX, u64::MAX, 1 << 62));
    let mut builder = TrackBuilder::new(TrackKind::Moments(0));
    builder.push(Event { start: u64::MAX - 1, slot: NO_SLOT, ..Event::default() });
    let track = builder.finish(u64::MAX);
    assert_eq!(track.runs(Window { from: 0, to: u64::MAX, level: 3 }).len(), 1);
}

#[test]
fn what_reaches_in_stays_although_a_later_event_ended() {
    let (track, _) =
        track(TrackKind::Ring { queue: 0, engine: 0 }, &[(0, 200, 1, false), (10, 5, 2, false)]);
    let runs = track.runs(Window { from: 100, to: 150, level: 2 });
    assert_eq!(runs.iter().map(|run| run.first).collect::<Vec<_>>(), [0]);
    assert_eq!(track.at(100), Some(0));
}

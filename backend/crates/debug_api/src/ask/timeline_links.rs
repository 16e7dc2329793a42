//! What an event of a timeline depends on, and what depends on it, one step: records by way of the
//! semaphores and events of the core, blocks of a queue by the time at which they end.
//!
//! Who waits for what and posts what stands in the records that ran; which change it was follows
//! from the times, so a link is inferred.

use super::timeline_view::TimelineView;
use crate::answer::TimelineLink;
use kbin::effects::{SyncEffects, SyncTarget, WaitEffect, When};
use kbin::sync_effects;
use records::Engine;
use records::sync_mode::WaitKind;
use std::collections::BTreeMap;
use trace::{Event, Flags, NO_SLOT, Track, TrackKind};

/// Links of an event in one direction, at most.
pub const MOST: usize = 200;
/// Events of a track that are looked at from a place on, at most.
const LOOKED: usize = 4_096;

/// What an event depends on and what depends on it.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Events before it.
    pub before: Vec<TimelineLink>,
    /// Events after it.
    pub after: Vec<TimelineLink>,
}

/// The links of an event.
pub fn of(view: &TimelineView<'_>, lane: usize, at: usize) -> Links {
    let mut finder = Finder { view, effects: BTreeMap::new() };
    let Some(track) = view.trace().tracks.get(lane) else { return Links::default() };
    let Some(event) = track.event(at) else { return Links::default() };
    let (mut before, mut after) = match track.kind {
        TrackKind::Engine(code) => finder.of_record(code, &event),
        TrackKind::Semaphore(_) | TrackKind::Event(_) => finder.of_change(track, at, &event),
        TrackKind::Queue(_) => (Vec::new(), finder.at_end_of_block(&event)),
        _ => (Vec::new(), Vec::new()),
    };
    // The same place by two waits is one place.
    for list in [&mut before, &mut after] {
        list.sort_by_key(|(lane, at, start)| (*start, *lane, *at));
        list.dedup();
        list.truncate(MOST);
    }
    let link = |(lane, at, _): Place| finder.link(lane, at);
    Links {
        before: before.into_iter().filter_map(link).collect(),
        after: after.into_iter().filter_map(link).collect(),
    }
}

/// Track, event of it, its start.
type Place = (usize, usize, u64);
/// Places before and after.
type Both = (Vec<Place>, Vec<Place>);

struct Finder<'a, 'b> {
    view: &'a TimelineView<'b>,
    /// Of the records that were looked at, by engine and slot.
    effects: BTreeMap<(u8, u32), SyncEffects>,
}

const fn kind_of(target: SyncTarget) -> TrackKind {
    match target {
        SyncTarget::Semaphore(id) => TrackKind::Semaphore(id),
        SyncTarget::Event(id) => TrackKind::Event(id),
    }
}

/// Whether a value lets a wait through; `None` where a register is compared.
fn holds(wait: &WaitEffect, value: u32) -> Option<bool> {
    match wait.condition {
        WaitKind::Semaphore { register: true, .. } => None,
        WaitKind::Semaphore { compare, .. } => Some(compare.holds(value, wait.value)),
        WaitKind::Event { set, .. } => Some((value != 0) == set),
    }
}

/// The change that let a wait through which ended at a time: the first of the changes in a row that
/// hold, up to that time. What the record itself changed as it began is not one of them.
fn enabling(counter: &Track, wait: &WaitEffect, time: u64, code: u8) -> Option<usize> {
    let mut found = None;
    let own = |event: &Event| event.start == time && event.slot == u32::from(code);
    for at in (0..counter.before(time.saturating_add(1))).rev().take(LOOKED) {
        let event = counter.event(at)?;
        match holds(wait, event.arg)? {
            true => found = Some(at),
            false if found.is_some() => break,
            false if own(&event) => {}
            false => return None,
        }
    }
    found
}

impl<'a> Finder<'a, '_> {
    fn effects(&mut self, code: u8, slot: u32) -> &SyncEffects {
        let view = self.view;
        self.effects.entry((code, slot)).or_insert_with(|| {
            let record = Engine::from_code(code).filter(|_| slot != NO_SLOT);
            let record = record.and_then(|engine| view.record(engine, slot));
            record.map_or_else(SyncEffects::default, |record| sync_effects(record, None))
        })
    }

    fn track(&self, kind: TrackKind) -> Option<(usize, &'a Track)> {
        let trace = self.view.trace();
        let lane = trace.track(kind)?;
        Some((lane, trace.tracks.get(lane)?))
    }

    fn link(&self, lane: usize, at: usize) -> Option<TimelineLink> {
        let track = self.view.trace().tracks.get(lane)?;
        let event = track.event(at)?;
        Some(TimelineLink {
            row: self.view.trace().row_of(lane)?.name.clone(),
            lane: u32::try_from(lane).ok()?,
            index: u32::try_from(at).ok()?,
            start_ps: event.start,
            len_ps: event.len,
            name: self.view.name(track.kind, &event),
        })
    }

    /// Of a record: the changes that its waits needed, and those that it made.
    fn of_record(&mut self, code: u8, event: &Event) -> Both {
        let effects = self.effects(code, event.slot).clone();
        let needed = effects.waits.iter().filter_map(|wait| {
            let (lane, counter) = self.track(kind_of(wait.target))?;
            let at = enabling(counter, wait, event.start, code)?;
            Some((lane, at, counter.event(at)?.start))
        });
        let before = needed.collect();
        let made = effects.posts.iter().filter(|post| post.when != When::TransferEnd);
        let made = made.filter_map(|post| {
            let (lane, counter) = self.track(kind_of(post.target))?;
            let from = match post.when {
                When::Completion if !event.flags.has(Flags::NO_END) => event.end(),
                _ => event.start,
            };
            let first = counter.before(from);
            let own = |at: &usize| counter.event(*at).is_some_and(|e| e.slot == u32::from(code));
            let at = (first..counter.len()).take(LOOKED).find(own)?;
            Some((lane, at, counter.event(at)?.start))
        });
        (before, made.collect())
    }

    /// Of a change: who made it, and the records that it let through.
    fn of_change(&mut self, counter: &Track, at: usize, event: &Event) -> Both {
        let target = match counter.kind {
            TrackKind::Semaphore(id) => SyncTarget::Semaphore(id),
            TrackKind::Event(id) => SyncTarget::Event(id),
            _ => return Both::default(),
        };
        let before = match u8::try_from(event.slot).ok().and_then(Engine::from_code) {
            Some(engine) => self.poster(engine.code(), target, event.start).into_iter().collect(),
            None => self.blocks_that_end(event.start),
        };
        let mut after = Vec::new();
        for engine in Engine::ALL {
            after.extend(self.let_through(engine.code(), target, counter, at, event.start));
        }
        (before, after)
    }

    /// The last record of an engine that changes a counter and did it by a time.
    fn poster(&mut self, code: u8, target: SyncTarget, time: u64) -> Option<Place> {
        let (lane, track) = self.track(TrackKind::Engine(code))?;
        for at in (0..track.before(time.saturating_add(1))).rev().take(LOOKED) {
            let event = track.event(at)?;
            let open = event.flags.has(Flags::NO_END);
            let effects = self.effects(code, event.slot);
            // A wait for an event can turn it over.
            let turns = effects.waits.iter().filter(|wait| wait.target == target);
            let turns = turns
                .into_iter()
                .any(|wait| matches!(wait.condition, WaitKind::Event { flip: true, .. }));
            let did = effects.posts.iter().filter(|post| post.target == target).any(|post| {
                match post.when {
                    When::Start => true,
                    When::Completion => open || event.end() <= time,
                    When::TransferEnd => false,
                }
            });
            if did || turns {
                return Some((lane, at, event.start));
            }
        }
        None
    }

    /// The records of an engine that wait for a counter and began because of a change of it.
    fn let_through(
        &mut self,
        code: u8,
        target: SyncTarget,
        counter: &Track,
        change: usize,
        time: u64,
    ) -> Vec<Place> {
        let mut found = Vec::new();
        let Some((lane, track)) = self.track(TrackKind::Engine(code)) else { return found };
        for at in (track.before(time)..track.len()).take(LOOKED) {
            let Some(event) = track.event(at) else { break };
            let waits = &self.effects(code, event.slot).waits;
            let own = waits.iter().filter(|wait| wait.target == target);
            let by = |wait: &WaitEffect| enabling(counter, wait, event.start, code) == Some(change);
            if own.into_iter().any(by) {
                found.push((lane, at, event.start));
            }
        }
        found
    }

    /// Blocks of queues that end at a time.
    fn blocks_that_end(&self, time: u64) -> Vec<Place> {
        let mut found = Vec::new();
        for (lane, track) in self.view.trace().tracks.iter().enumerate() {
            if !matches!(track.kind, TrackKind::Queue(_)) {
                continue;
            }
            for at in (0..track.before(time.saturating_add(1))).rev().take(LOOKED) {
                let ended = |event: &Event| event.end() == time && !event.flags.has(Flags::NO_END);
                if let Some(event) = track.event(at).filter(ended) {
                    found.push((lane, at, event.start));
                }
            }
        }
        found
    }

    /// Changes of counters by nobody of the core at the end of a block.
    fn at_end_of_block(&self, block: &Event) -> Vec<Place> {
        let mut found = Vec::new();
        if block.flags.has(Flags::NO_END) {
            return found;
        }
        let time = block.end();
        for (lane, track) in self.view.trace().tracks.iter().enumerate() {
            if !track.kind.is_counter() {
                continue;
            }
            for at in track.before(time)..track.before(time.saturating_add(1)) {
                if track.event(at).is_some_and(|event| event.slot == NO_SLOT) {
                    found.push((lane, at, time));
                }
            }
        }
        found
    }
}

//! The events of one track as columns, sorted by start.

use std::collections::BTreeMap;

use crate::cover::{Cover, STEP};
use crate::event::{Event, Flags};
use crate::largest::Largest;

/// What a track shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrackKind {
    /// Instructions of an engine, by its code.
    Engine(u8),
    /// Packets of one ring of a DMA queue.
    Ring {
        /// Queue.
        queue: u8,
        /// DMA engine, on its core.
        engine: u8,
    },
    /// Blocks of a DMA queue, all of its rings together; the slot is the number of the block.
    Queue(u8),
    /// A processor of collectives: collectives (kind 0) or steps (kind 1), by their number as the slot.
    TopSp(u8),
    /// Value of a semaphore.
    Semaphore(u8),
    /// Value of an event.
    Event(u8),
    /// Single moments, by a number of their own.
    Moments(u8),
}

impl TrackKind {
    /// Whether its events are values that hold until the next one.
    pub const fn is_counter(self) -> bool {
        matches!(self, Self::Semaphore(_) | Self::Event(_))
    }
}

/// Events of one track. A position below [`Track::len`] is an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Track {
    /// What it shows.
    pub kind: TrackKind,
    starts: Vec<u64>,
    /// Lengths in picoseconds; `u32::MAX` where `long` has the length.
    lens: Vec<u32>,
    long: BTreeMap<u32, u64>,
    slots: Vec<u32>,
    args: Vec<u32>,
    kinds: Vec<u8>,
    flags: Vec<u8>,
    /// Positions of events without a start or an end.
    odd: Vec<u32>,
    covers: Vec<Cover>,
    /// Over the lengths; over the values on a counter.
    largest: Largest,
    total: Cover,
}

/// Takes events in any order.
#[derive(Clone, Debug)]
pub struct TrackBuilder {
    kind: TrackKind,
    events: Vec<Event>,
}

impl TrackBuilder {
    /// A track without events.
    pub const fn new(kind: TrackKind) -> Self {
        Self { kind, events: Vec::new() }
    }

    /// Adds an event and gives its place among those added, to be changed by [`Self::at`].
    pub fn push(&mut self, event: Event) -> usize {
        self.events.push(event);
        self.events.len() - 1
    }

    /// An event that was added.
    pub fn at(&mut self, place: usize) -> Option<&mut Event> {
        self.events.get_mut(place)
    }

    /// Events so far.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// The track. Events without an end last until the next start on the track, or until `end`;
    /// values of a counter until the next value. A track holds 2^32 - 1 events at most; those that
    /// were added later are left out.
    pub fn finish(mut self, end: u64) -> Track {
        self.events.truncate(u32::MAX as usize - 1);
        // Stable: of two events that start together the one added first stays first.
        self.events.sort_by_key(|event| event.start);
        let holds = self.kind.is_counter();
        let mut next = end;
        for event in self.events.iter_mut().rev() {
            if holds || event.flags.has(Flags::NO_END) {
                event.len = next.saturating_sub(event.start);
            }
            next = event.start;
        }
        Track::of(self.kind, &self.events)
    }
}

impl Track {
    fn of(kind: TrackKind, events: &[Event]) -> Self {
        let mut track = Self {
            kind,
            starts: events.iter().map(|event| event.start).collect(),
            lens: Vec::with_capacity(events.len()),
            long: BTreeMap::new(),
            slots: events.iter().map(|event| event.slot).collect(),
            args: events.iter().map(|event| event.arg).collect(),
            kinds: events.iter().map(|event| event.kind).collect(),
            flags: events.iter().map(|event| event.flags.0).collect(),
            odd: Vec::new(),
            covers: Vec::with_capacity(events.len() / STEP + 1),
            largest: Largest::default(),
            total: Cover::default(),
        };
        let mut cover = Cover::default();
        for (index, event) in (0_u32..).zip(events) {
            if (index as usize).is_multiple_of(STEP) {
                track.covers.push(cover);
            }
            let short = u32::try_from(event.len).ok().filter(|len| *len != u32::MAX);
            if short.is_none() {
                track.long.insert(index, event.len);
            }
            if event.flags.has(Flags::NO_END) || event.flags.has(Flags::NO_START) {
                track.odd.push(index);
            }
            track.lens.push(short.unwrap_or(u32::MAX));
            cover = cover.with(index, event.start, track.busy_end(event));
        }
        track.total = cover;
        track.largest = Largest::of(if kind.is_counter() { &track.args } else { &track.lens });
        track
    }

    /// End of what counts as busy. A counter is never busy.
    fn busy_end(&self, event: &Event) -> u64 {
        let idle = self.kind.is_counter() || event.flags.has(Flags::NO_END);
        if idle { event.start } else { event.end() }
    }

    /// Number of events.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Starts, ascending.
    pub fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Slots by event.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// An event.
    pub fn event(&self, index: usize) -> Option<Event> {
        let len = *self.lens.get(index)?;
        let long = u32::try_from(index).ok().and_then(|index| self.long.get(&index));
        Some(Event {
            start: *self.starts.get(index)?,
            len: if len == u32::MAX { *long? } else { u64::from(len) },
            slot: *self.slots.get(index)?,
            arg: *self.args.get(index)?,
            kind: *self.kinds.get(index)?,
            flags: Flags(*self.flags.get(index)?),
        })
    }

    /// Events with a flag, by start.
    pub fn odd(&self, flag: Flags) -> impl Iterator<Item = Event> + '_ {
        let odd = self.odd.iter().filter_map(|index| self.event(*index as usize));
        odd.filter(move |event| event.flags.has(flag))
    }

    /// Events that start before a time.
    pub fn before(&self, time: u64) -> usize {
        self.starts.partition_point(|start| *start < time)
    }

    /// Latest end of all events, those without an end too; 0 without events.
    pub fn end(&self) -> u64 {
        let last = self.len().checked_sub(1).and_then(|last| self.event(last));
        self.total.end.max(last.map_or(0, |event| event.end()))
    }

    /// Sums over the events before one.
    pub(crate) fn cover(&self, index: usize) -> Cover {
        let index = index.min(self.len());
        if index == self.len() {
            return self.total;
        }
        let kept = index / STEP;
        let mut cover = self.covers.get(kept).copied().unwrap_or_default();
        for at in kept * STEP..index {
            if let Some(event) = self.event(at) {
                cover = cover.with(at as u32, event.start, self.busy_end(&event));
            }
        }
        cover
    }

    /// Picoseconds before a time that are covered by events.
    fn covered_before(&self, time: u64) -> u64 {
        let cover = self.cover(self.before(time));
        // What the events before reach past the time is one stretch from it on.
        cover.covered - cover.end.saturating_sub(time).min(cover.covered)
    }

    /// Picoseconds of a half-open range that are covered by events; two at once count once.
    pub fn busy(&self, from: u64, to: u64) -> u64 {
        self.covered_before(to.max(from)).saturating_sub(self.covered_before(from))
    }

    /// Longest event of a range of positions; on a counter the largest value.
    pub fn largest(&self, from: usize, to: usize) -> u64 {
        let largest = self.largest_short(from, to);
        if largest < u32::MAX || self.kind.is_counter() {
            return u64::from(largest);
        }
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let long = self.long.range(place(from)..place(to.max(from)));
        long.map(|(_, len)| *len).max().unwrap_or(0)
    }

    fn largest_short(&self, from: usize, to: usize) -> u32 {
        let column = if self.kind.is_counter() { &self.args } else { &self.lens };
        self.largest.max(column, from, to)
    }

    /// The event that covers a time: of several the one that started last and is not over. `None`
    /// between events.
    pub fn at(&self, time: u64) -> Option<usize> {
        let after = self.starts.partition_point(|start| *start <= time);
        let last = after.checked_sub(1)?;
        let holds = |index: usize| self.event(index).is_some_and(|event| event.end() > time);
        if holds(last) {
            return Some(last);
        }
        let covering = self.cover(after);
        (covering.end > time).then_some(covering.last as usize).filter(|index| holds(*index))
    }

    /// Bytes of memory, columns and sums.
    pub fn bytes(&self) -> u64 {
        let events = self.len() as u64 * (8 + 4 + 4 + 4 + 1 + 1);
        let covers = self.covers.len() as u64 * size_of::<Cover>() as u64;
        events
            + covers
            + self.largest.bytes()
            + (self.long.len() as u64 * 6 + self.odd.len() as u64) * 4
    }
}

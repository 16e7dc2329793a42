//! Questions that need no walk over the whole trace, or one short walk over one column.

use crate::event::{Event, Flags};
use crate::model::Trace;
use crate::track::{Track, TrackKind};

/// Sums of one track over a half-open range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Events that start in the range.
    pub count: u64,
    /// Picoseconds covered by events.
    pub busy: u64,
    /// Longest event that starts in the range, whole; on a counter the largest value.
    pub largest: u64,
    /// Picoseconds in which an event without an end was the last that started.
    pub open: u64,
}

impl Track {
    /// Sums over a half-open range of time.
    pub fn sums(&self, from: u64, to: u64) -> Sums {
        let (first, last) = (self.before(from), self.before(to.max(from)));
        Sums {
            count: (last - first) as u64,
            busy: self.busy(from, to),
            largest: self.largest(first, last),
            open: self.open(from, to),
        }
    }

    /// Events without an end are few; each of them is looked at.
    fn open(&self, from: u64, to: u64) -> u64 {
        let reach = |event: &Event| event.end().min(to).saturating_sub(event.start.max(from));
        self.odd(Flags::NO_END).map(|event| reach(&event)).sum()
    }

    /// Positions of the events of a slot that start at or after a position, at most `most`.
    pub fn of_slot(&self, slot: u32, from: usize, most: usize) -> Vec<usize> {
        let slots = self.slots().iter().enumerate().skip(from);
        slots.filter(|(_, own)| **own == slot).map(|(at, _)| at).take(most).collect()
    }

    /// Position of the last event that starts before a time.
    pub fn last_before(&self, time: u64) -> Option<usize> {
        self.before(time).checked_sub(1)
    }
}

/// Who changed a counter last before a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// Position of the counter's track.
    pub track: usize,
    /// Position of the change in it.
    pub index: usize,
    /// The change.
    pub event: Event,
}

impl Trace {
    /// The last change of a counter before a time; `None` if there was none.
    pub fn last_writer(&self, counter: TrackKind, time: u64) -> Option<Writer> {
        let place = self.track(counter)?;
        let track = self.tracks.get(place)?;
        let index = track.last_before(time)?;
        Some(Writer { track: place, index, event: track.event(index)? })
    }

    /// Value of a counter at a time: that of its last change at or before it.
    pub fn value(&self, counter: TrackKind, time: u64) -> Option<u32> {
        let writer = self.last_writer(counter, time.saturating_add(1))?;
        Some(writer.event.arg)
    }
}

//! Starts and ends that belong together.

use std::collections::VecDeque;

use crate::event::{Event, Flags};
use crate::track::{Track, TrackBuilder, TrackKind};

/// Starts of different keys that can wait for their end at once: more than an engine has under way.
const OPEN: usize = 64;

/// How well starts and ends fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unpaired {
    /// Starts without an end.
    pub no_end: u64,
    /// Ends without a start.
    pub no_start: u64,
}

impl Unpaired {
    /// Both sums.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            no_end: self.no_end.saturating_add(other.no_end),
            no_start: self.no_start.saturating_add(other.no_start),
        }
    }
}

/// Makes events of starts and ends, given in the order of time.
pub(crate) struct Pairing {
    track: TrackBuilder,
    /// Started, not ended: key and place.
    open: VecDeque<(u32, usize)>,
    unpaired: Unpaired,
}

impl Pairing {
    pub const fn new(kind: TrackKind) -> Self {
        let unpaired = Unpaired { no_end: 0, no_start: 0 };
        Self { track: TrackBuilder::new(kind), open: VecDeque::new(), unpaired }
    }

    /// A start with a key that its end has too. Where all keys are one, starts wait without limit.
    pub fn start(&mut self, key: u32, event: Event) {
        let one = self.open.front().is_some_and(|(oldest, _)| *oldest == key);
        if self.open.len() >= OPEN && !one {
            self.drop_oldest();
        }
        let place = self.track.push(event);
        self.open.push_back((key, place));
    }

    /// An event that was added.
    pub fn at(&mut self, place: usize) -> Option<&mut Event> {
        self.track.at(place)
    }

    /// An end: that of the oldest open start of its key. Gives the event's place, to be completed;
    /// `None` if there is no such start, and then the end becomes an event of its own.
    pub fn end(&mut self, key: u32, end: Event) -> Option<usize> {
        let position = self.open.iter().take(OPEN).position(|(own, _)| *own == key);
        let Some((_, place)) = position.and_then(|position| self.open.remove(position)) else {
            self.unpaired.no_start += 1;
            self.track.push(Event { flags: end.flags.and(Flags::NO_START), ..end });
            return None;
        };
        let event = self.track.at(place)?;
        event.len = end.start.saturating_sub(event.start);
        event.flags = event.flags.and(end.flags);
        Some(place)
    }

    fn drop_oldest(&mut self) {
        if let Some((_, place)) = self.open.pop_front() {
            self.unpaired.no_end += 1;
            if let Some(event) = self.track.at(place) {
                event.flags = event.flags.and(Flags::NO_END);
            }
        }
    }

    /// The track, and what had no partner.
    pub fn finish(mut self, end: u64) -> (Track, Unpaired) {
        while !self.open.is_empty() {
            self.drop_oldest();
        }
        (self.track.finish(end), self.unpaired)
    }
}

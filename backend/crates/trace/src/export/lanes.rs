//! Which of several lanes an event is drawn in, so that events of one lane never overlap: other
//! tools take an event inside another one for its child.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Most lanes of a track. What would need more becomes a moment.
pub const MOST: u32 = 64;

/// Gives lanes to events that come in the order of their starts.
#[derive(Debug, Default)]
pub struct Lanes {
    free: BTreeSet<u32>,
    /// Lanes in use by the end of their event.
    used: BinaryHeap<Reverse<(u64, u32)>>,
    count: u32,
}

impl Lanes {
    /// The lowest lane that is free from a start on; `None` if too many events are under way.
    pub fn take(&mut self, start: u64, end: u64) -> Option<u32> {
        while let Some(Reverse((over, lane))) = self.used.peek().copied()
            && over <= start
        {
            self.used.pop();
            self.free.insert(lane);
        }
        let lane = match self.free.pop_first() {
            Some(lane) => lane,
            None if self.count < MOST => {
                self.count += 1;
                self.count - 1
            }
            None => return None,
        };
        self.used.push(Reverse((end, lane)));
        Some(lane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_events_get_lanes_of_their_own_and_the_lowest_free_one() {
        let mut lanes = Lanes::default();
        let events = [(0, 10), (2, 4), (3, 12), (4, 5), (10, 11), (10, 10), (12, 13)];
        let taken: Vec<_> = events.iter().map(|(start, end)| lanes.take(*start, *end)).collect();
        assert_eq!(taken, [0, 1, 2, 1, 0, 1, 0].map(Some));
        assert_eq!(lanes.count, 3);
    }

    #[test]
    fn more_than_the_most_get_none() {
        let mut lanes = Lanes::default();
        let taken = (0..u64::from(MOST) + 2).filter_map(|start| lanes.take(start, 1_000)).count();
        assert_eq!(taken, MOST as usize);
        assert_eq!(lanes.take(1_000, 1_001), Some(0));
    }
}

//! The rings of one queue: what is posted on each side, and which block moves next.
//! Spec: docs/format/simulator.md "Transfers" [observed, order in a ring inferred].

use crate::address::Side;
use crate::input::Queue;

/// Rings of a queue.
pub const RINGS: usize = 16;

/// The rings of a queue while a program runs.
#[derive(Clone, Debug)]
pub struct Rings {
    /// Rings that have been told where their descriptors are, a bit each.
    pub with_base: u16,
    /// Descriptors posted on each ring: read side, write side.
    posted: [[u64; RINGS]; 2],
    /// Next block of each ring.
    next: [u32; RINGS],
    /// Descriptors up to and with each block: read side, write side.
    ends: Vec<[u64; 2]>,
    /// Rings that take part.
    pub rings: u8,
    /// When the rings are free again, ps.
    pub free_at: u64,
    /// Transfers that were started and have not ended.
    pub in_flight: u32,
    /// Rings that do not move, a bit each.
    pub stalled: u16,
    /// Blocks that were moved in all, counted for each ring.
    pub ring_blocks: u64,
    /// Transfers without rings that were started.
    pub direct: u64,
}

/// A block that can move on some rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// Its place in the queue's list.
    pub block: u32,
    /// Rings, a bit each.
    pub rings: u16,
}

/// Why descriptors cannot be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostError {
    /// The queue has no descriptors at all.
    Empty,
    /// More descriptors are posted than the ring has left.
    TooMany {
        /// Posted so far, this time included.
        posted: u64,
        /// All that the ring has.
        total: u64,
    },
}

impl Rings {
    /// The rings of a queue before anything ran.
    pub fn new(queue: &Queue) -> Self {
        let mut sum = [0_u64; 2];
        let ends = queue.blocks.iter().map(|block| {
            for (sum, count) in sum.iter_mut().zip([block.read, block.write]) {
                *sum = sum.saturating_add(u64::from(count));
            }
            sum
        });
        Self {
            with_base: 0,
            posted: [[0; RINGS]; 2],
            next: [0; RINGS],
            ends: ends.collect(),
            rings: queue.rings.clamp(1, 16),
            free_at: 0,
            in_flight: 0,
            stalled: 0,
            ring_blocks: 0,
            direct: 0,
        }
    }

    /// The rings that take part, a bit each.
    pub const fn all(&self) -> u16 {
        if self.rings >= 16 { 0xFFFF } else { (1 << self.rings) - 1 }
    }

    /// Back to the first block with nothing posted.
    pub const fn reset(&mut self) {
        self.posted = [[0; RINGS]; 2];
        self.next = [0; RINGS];
    }

    /// Posts descriptors on some rings.
    ///
    /// # Errors
    /// There are no such descriptors.
    pub fn post(&mut self, side: Side, engines: u16, count: u64) -> Result<(), PostError> {
        let at = side as usize;
        let total = match self.ends.last() {
            Some(last) => last.get(at).copied().unwrap_or(0),
            None if count == 0 => return Ok(()),
            None => return Err(PostError::Empty),
        };
        let all = self.all();
        let Some(posted) = self.posted.get_mut(at) else { return Ok(()) };
        for (ring, posted) in posted.iter_mut().enumerate() {
            if engines & all & 1 << ring == 0 {
                continue;
            }
            *posted = posted.saturating_add(count);
            if *posted > total {
                return Err(PostError::TooMany { posted: *posted, total });
            }
        }
        Ok(())
    }

    /// The next block that both sides allow on at least one ring, with all rings that can move it
    /// now; those rings then stand behind it.
    pub fn take_ready(&mut self) -> Option<Ready> {
        let all = self.all();
        let mut found: Option<Ready> = None;
        for ring in 0..RINGS {
            let bit = 1_u16 << ring;
            if all & bit == 0 || self.stalled & bit != 0 {
                continue;
            }
            let Some(block) = self.next.get(ring).copied() else { continue };
            if found.is_some_and(|found| found.block < block) || !self.is_posted(ring, block) {
                continue;
            }
            match &mut found {
                Some(found) if found.block == block => found.rings |= bit,
                _ => found = Some(Ready { block, rings: bit }),
            }
        }
        let ready = found?;
        for (ring, next) in self.next.iter_mut().enumerate() {
            if ready.rings & 1 << ring != 0 {
                *next += 1;
            }
        }
        Some(ready)
    }

    fn is_posted(&self, ring: usize, block: u32) -> bool {
        let Some(ends) = self.ends.get(block as usize) else { return false };
        let posted = self.posted.iter().map(|side| side.get(ring).copied().unwrap_or(0));
        posted.zip(ends).all(|(posted, end)| posted >= *end)
    }

    /// The block that some rings have not moved yet although another ring or side has it, and what
    /// is posted of it there: (block, ring, posted read, needed read, posted write, needed write).
    pub fn unfinished(&self) -> Option<Unfinished> {
        let ring = (0..RINGS).filter(|ring| self.all() & 1 << ring != 0);
        let ring = ring.min_by_key(|ring| self.next.get(*ring).copied().unwrap_or(0))?;
        let block = self.next.get(ring).copied()?;
        let needed = *self.ends.get(block as usize)?;
        let before = match block.checked_sub(1) {
            Some(before) => *self.ends.get(before as usize)?,
            None => [0; 2],
        };
        let posted = [0, 1]
            .map(|side| self.posted.get(side).and_then(|s| s.get(ring)).copied().unwrap_or(0));
        Some(Unfinished { block, ring: ring as u8, posted, needed, before })
    }

    /// Next block of a ring.
    pub fn next_of(&self, ring: usize) -> u32 {
        self.next.get(ring).copied().unwrap_or(0)
    }
}

/// The block that the slowest ring stands before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// Its place in the queue's list.
    pub block: u32,
    /// The ring.
    pub ring: u8,
    /// Descriptors posted there: read, write.
    pub posted: [u64; 2],
    /// Descriptors that must be posted before it moves.
    pub needed: [u64; 2],
    /// Descriptors of the blocks before it.
    pub before: [u64; 2],
}

impl Unfinished {
    /// Whether its trigger ran: the read side has some or all of its descriptors posted. The write
    /// side can be posted long before.
    pub fn is_started(&self) -> bool {
        matches!((self.posted, self.before), ([posted, _], [before, _]) if posted > before)
    }

    /// Whether both sides are posted, so that only the ring itself holds it up.
    pub fn is_posted(&self) -> bool {
        self.posted.iter().zip(self.needed).all(|(posted, needed)| *posted >= needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Block;
    use records::Engine;

    fn rings(counts: &[(u32, u32)], n: u8) -> Rings {
        let block = |(id, (read, write)): (u32, &(u32, u32))| Block {
            id,
            read: *read,
            write: *write,
            ..Block::default()
        };
        Rings::new(&Queue {
            name: "q".to_owned(),
            owner: Engine::Sp,
            rings: n,
            is_dynamic: false,
            blocks: (0..).zip(counts).map(block).collect(),
        })
    }

    #[test]
    fn a_block_moves_when_both_sides_are_posted() {
        let mut rings = rings(&[(3, 9), (9, 9)], 16);
        rings.post(Side::Write, 0xFFFF, 18).unwrap();
        assert_eq!(rings.take_ready(), None);
        rings.post(Side::Read, 0xFFFF, 3).unwrap();
        assert_eq!(rings.take_ready(), Some(Ready { block: 0, rings: 0xFFFF }));
        assert_eq!(rings.take_ready(), None);
        let unfinished = rings.unfinished().unwrap();
        assert_eq!(
            (unfinished.block, unfinished.posted, unfinished.needed),
            (1, [3, 18], [12, 18])
        );
        rings.post(Side::Read, 0xFFFF, 9).unwrap();
        assert_eq!(rings.take_ready(), Some(Ready { block: 1, rings: 0xFFFF }));
        assert_eq!(rings.unfinished(), None);
        let too_many = rings.post(Side::Read, 0xFFFF, 1);
        assert_eq!(too_many, Err(PostError::TooMany { posted: 13, total: 12 }));
    }

    #[test]
    fn rings_go_their_own_way() {
        let mut rings = rings(&[(1, 1), (1, 1)], 2);
        rings.stalled = 0b10;
        for side in [Side::Read, Side::Write] {
            rings.post(side, 0xFFFF, 2).unwrap();
        }
        assert_eq!(rings.take_ready(), Some(Ready { block: 0, rings: 0b01 }));
        assert_eq!(rings.take_ready(), Some(Ready { block: 1, rings: 0b01 }));
        assert_eq!(rings.take_ready(), None);
        let unfinished = rings.unfinished().unwrap();
        assert_eq!((unfinished.block, unfinished.ring, unfinished.is_posted()), (0, 1, true));
        rings.reset();
        assert_eq!(rings.next_of(0), 0);
    }

    #[test]
    fn an_empty_queue_takes_no_descriptors() {
        let mut rings = rings(&[], 16);
        assert_eq!(rings.post(Side::Read, 0xFFFF, 0), Ok(()));
        assert_eq!(rings.post(Side::Read, 0xFFFF, 1), Err(PostError::Empty));
    }
}

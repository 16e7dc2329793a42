//! The largest value of a range of a column, without walking over it.
//!
//! A tree over the column: each node of a level keeps the largest of 16 values of the level below.

/// Children of a node.
const FAN: usize = 16;

/// Levels above the column, finest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Largest {
    levels: Vec<Vec<u32>>,
}

impl Largest {
    /// The tree of a column.
    pub fn of(column: &[u32]) -> Self {
        let mut levels: Vec<Vec<u32>> = Vec::new();
        loop {
            let below = levels.last().map_or(column, Vec::as_slice);
            if below.len() <= FAN {
                return Self { levels };
            }
            let level =
                below.chunks(FAN).map(|nodes| nodes.iter().copied().max().unwrap_or(0)).collect();
            levels.push(level);
        }
    }

    /// The largest value of a half-open range of the same column; 0 for an empty one.
    pub fn max(&self, column: &[u32], from: usize, to: usize) -> u32 {
        let (mut from, mut to) = (from, to.min(column.len()));
        let mut best = 0;
        let mut below = column;
        let mut levels = self.levels.iter();
        loop {
            // Both ends that fill no node are walked, the nodes between are left to the next level.
            let inner = from.next_multiple_of(FAN)..to / FAN * FAN;
            let next = levels.next().filter(|_| inner.start < inner.end);
            let Some(next) = next else {
                return best.max(walk(below, from, to));
            };
            best = best.max(walk(below, from, inner.start)).max(walk(below, inner.end, to));
            (from, to) = (inner.start / FAN, inner.end / FAN);
            below = next;
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        self.levels.iter().map(|level| level.len() as u64 * 4).sum()
    }
}

fn walk(column: &[u32], from: usize, to: usize) -> u32 {
    column.get(from..to).unwrap_or(&[]).iter().copied().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn as_a_walk(
            column in proptest::collection::vec(any::<u32>(), 0..2000),
            ends in any::<[u16; 2]>(),
        ) {
            let from = usize::from(ends[0]) % (column.len() + 1);
            let to = usize::from(ends[1]) % (column.len() + 8);
            let expected = column.iter().take(to).skip(from).copied().max().unwrap_or(0);
            prop_assert_eq!(Largest::of(&column).max(&column, from, to), expected);
        }
    }
}

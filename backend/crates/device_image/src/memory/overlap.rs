//! Which variables of one slice share bytes. That is normal: their lifetimes differ.

/// Overlapping pairs: how many, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlaps {
    /// Unordered pairs whose byte ranges meet.
    pub count: u64,
    /// Indices of the first pairs, by the start of their ranges.
    pub pairs: Vec<(usize, usize)>,
}

impl Overlaps {
    /// Of ranges given as offset and size; empty ranges meet nothing. At most so many pairs are
    /// listed. Takes O(n log n) and the listed pairs.
    pub fn of(ranges: &[(u64, u64)], most_pairs: usize) -> Self {
        // Ends are kept in 128 bits, so that none wraps around.
        let mut sorted: Vec<(u128, u128, usize)> = ranges
            .iter()
            .enumerate()
            .filter(|(_, (_, size))| *size > 0)
            .map(|(at, (offset, size))| {
                let start = u128::from(*offset);
                (start, start + u128::from(*size), at)
            })
            .collect();
        sorted.sort_unstable();
        let mut ends: Vec<u128> = sorted.iter().map(|(_, end, _)| *end).collect();
        ends.sort_unstable();
        let mut ended = 0_usize;
        let mut count = 0_u64;
        for (before, (start, _, _)) in sorted.iter().enumerate() {
            // Ranges that end at or before this start also began before it.
            while ends.get(ended).is_some_and(|end| end <= start) {
                ended += 1;
            }
            count += before.saturating_sub(ended) as u64;
        }
        let mut pairs = Vec::new();
        for (at, (_, end, first)) in sorted.iter().enumerate() {
            if pairs.len() >= most_pairs || pairs.len() as u64 == count {
                break;
            }
            let behind = sorted.get(at + 1..).unwrap_or(&[]).iter();
            let meeting = behind.take_while(|(start, _, _)| start < end);
            let room = most_pairs - pairs.len();
            pairs.extend(meeting.take(room).map(|(_, _, second)| (*first, *second)));
        }
        Self { count, pairs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn worked_overlaps() {
        // Two pairs of two variables at the same place, as in a real file of four.
        let half = 13_796_352;
        let ranges = [(0, half), (half, half), (0, half), (half, half)];
        let made = Overlaps::of(&ranges, 10);
        assert_eq!((made.count, made.pairs), (2, vec![(0, 2), (1, 3)]));
        let none = Overlaps::of(&[(0, 8), (8, 8), (4, 0), (u64::MAX, u64::MAX)], 10);
        assert_eq!(none.count, 0);
        // 100 equal ranges: 99 x 100 / 2 pairs, of which three are listed.
        let many = Overlaps::of(&[(7, 1); 100], 3);
        assert_eq!((many.count, many.pairs.len()), (4_950, 3));
    }

    proptest! {
        #[test]
        fn equal_to_looking_at_each_pair(
            ranges in proptest::collection::vec((0_u64..20, 0_u64..6), 0..30),
        ) {
            let meet = |a: (u64, u64), b: (u64, u64)| {
                a.1 > 0 && b.1 > 0 && a.0 < b.0 + b.1 && b.0 < a.0 + a.1
            };
            let mut plain = Vec::new();
            for (i, a) in ranges.iter().enumerate() {
                for (j, b) in ranges.iter().enumerate().skip(i + 1) {
                    if meet(*a, *b) {
                        plain.push((i, j));
                    }
                }
            }
            let made = Overlaps::of(&ranges, usize::MAX);
            let mut pairs: Vec<(usize, usize)> =
                made.pairs.iter().map(|(a, b)| (*a.min(b), *a.max(b))).collect();
            pairs.sort_unstable();
            prop_assert_eq!(made.count, plain.len() as u64);
            prop_assert_eq!(pairs, plain);
        }
    }
}

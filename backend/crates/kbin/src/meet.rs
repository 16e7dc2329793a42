//! Whether two sides touch a common byte, and whether one touches a byte twice: exact, with a budget of
//! steps instead of a list of runs.
//! Spec: docs/format/kbin.md "Checks of access patterns" [inferred].

use crate::lowering::model::Side;
use crate::reach::Reach;

/// A side as nested rows: first byte, dimensions with positive steps from the widest to the narrowest,
/// bytes of the run at the end.
#[derive(Clone, Debug)]
struct Rows {
    start: i128,
    /// Size, step, and bytes from the first to the last of all narrower dimensions.
    dimensions: Vec<(i128, i128, i128)>,
    /// Bytes from the first to the last.
    span: i128,
    /// Whether a byte is touched more than once for sure: a step of 0.
    repeats: bool,
}

impl Rows {
    /// Rows of a side with a reach.
    fn of(side: &Side) -> Option<Self> {
        let reach = Reach::of(side)?;
        let mut dimensions: Vec<(i128, i128)> = side
            .sizes
            .iter()
            .zip(&side.steps)
            .filter(|(size, _)| **size > 1)
            .map(|(size, step)| (i128::from(*size), i128::from(*step).abs()))
            .collect();
        let repeats = dimensions.iter().any(|(_, step)| *step == 0);
        dimensions.retain(|(_, step)| *step != 0);
        dimensions.sort_by_key(|(size, step)| (*step, *size));
        let mut span = 1_i128;
        let mut nested = Vec::with_capacity(dimensions.len());
        for (size, step) in dimensions {
            // Sums of sides with a reach stay far below 2^127.
            let wider = span + (size - 1) * step;
            if nested.is_empty() && step == span {
                // Bytes that follow each other are one run.
                span = wider;
                continue;
            }
            nested.push((size, step, span));
            span = wider;
        }
        nested.reverse();
        Some(Self { start: reach.start, dimensions: nested, span, repeats })
    }
}

/// Whether two sides, the second one further on by `shift` bytes, touch a common byte; `None` if the
/// budget of steps does not do.
pub fn meet(one: &Side, other: &Side, shift: i128, left: &mut u64) -> Option<bool> {
    let (Some(one), Some(other)) = (Rows::of(one), Rows::of(other)) else { return Some(false) };
    search(
        (one.start, one.span, &one.dimensions),
        (other.start + shift, other.span, &other.dimensions),
        left,
    )
}

type Part<'a> = (i128, i128, &'a [(i128, i128, i128)]);

fn search(one: Part<'_>, other: Part<'_>, left: &mut u64) -> Option<bool> {
    if one.0 >= other.0 + other.1 || other.0 >= one.0 + one.1 {
        return Some(false);
    }
    *left = left.checked_sub(1)?;
    // The wider of both is taken apart.
    let (wide, narrow) = match (one.2.is_empty(), other.2.is_empty()) {
        (true, true) => return Some(true),
        (true, false) => (other, one),
        (false, true) => (one, other),
        (false, false) if one.1 >= other.1 => (one, other),
        (false, false) => (other, one),
    };
    let Some((&(size, step, span), inner)) = wide.2.split_first() else { return Some(true) };
    // Rows whose hull can meet that of the other part.
    let first = (narrow.0 - wide.0 - span).div_euclid(step) + 1;
    let last = (narrow.0 + narrow.1 - 1 - wide.0).div_euclid(step);
    for at in first.max(0)..=last.min(size - 1) {
        if search((wide.0 + at * step, span, inner), narrow, left)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether a side touches a byte more than once; `None` if the budget does not do.
pub fn repeats(side: &Side, left: &mut u64) -> Option<bool> {
    let Some(rows) = Rows::of(side) else { return Some(false) };
    if rows.repeats {
        return Some(true);
    }
    // A dimension whose rows are apart repeats nothing; else some row meets a later one.
    for (at, (size, step, span)) in rows.dimensions.iter().enumerate() {
        if step >= span {
            continue;
        }
        let inner = rows.dimensions.get(at + 1..).unwrap_or(&[]);
        for next in 1..*size {
            if next * step >= *span {
                break;
            }
            if search((0, *span, inner), (next * step, *span, inner), left)? {
                return Some(true);
            }
        }
    }
    Some(false)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use crate::reach::{ranges, shared};
    use records::kbin::names::Dtype;

    fn side(offset: u64, sizes: &[u64], steps: &[i64]) -> Side {
        Side { offset, sizes: sizes.to_vec(), steps: steps.to_vec(), dtype: Dtype::INVALID }
    }

    fn meets(one: &Side, other: &Side) -> bool {
        meet(one, other, 0, &mut 1_000_000).unwrap()
    }

    #[test]
    fn interleaved_rows_do_not_meet() {
        let even = side(0, &[4, 3], &[1, 8]);
        assert!(!meets(&even, &side(4, &[4, 3], &[1, 8])));
        assert!(meets(&even, &side(3, &[2], &[1])));
        assert!(!meets(&even, &side(4, &[4], &[1])));
        assert!(meets(&even, &even));
        assert!(!meets(&even, &side(100, &[4], &[1])));
        // Backwards from 20: 20, 12, 4.
        assert!(!meets(&even, &side(20, &[4, 3], &[1, -8])));
        assert!(meets(&even, &side(19, &[4, 3], &[1, -8])));
        assert!(meet(&side(0, &[4], &[1]), &side(0, &[4], &[1]), 3, &mut 9).unwrap());
        assert!(!meet(&side(0, &[4], &[1]), &side(0, &[4], &[1]), 4, &mut 9).unwrap());
    }

    #[test]
    fn sides_of_many_runs_are_compared() {
        let even = side(0, &[1, 1 << 20], &[1, 2]);
        assert!(meets(&even, &even));
        // Every other byte and those between: only a budget ends it.
        let odd = side(1, &[1, 1 << 20], &[1, 2]);
        assert_eq!(meet(&even, &odd, 0, &mut 100), None);
        assert_eq!(meet(&even, &odd, 0, &mut (4 << 20)), Some(false));
        // Only the last of 2^40 bytes is common.
        let long = side(0, &[1, 1 << 40], &[1, 2]);
        assert_eq!(meet(&long, &side((1 << 41) - 2, &[1], &[1]), 0, &mut 100), Some(true));
    }

    #[test]
    fn the_search_says_what_lists_of_bytes_say() {
        // All pairs of small patterns, by the ranges of `reach`.
        let mut all = Vec::new();
        for offset in [30, 33] {
            for size in [1, 2, 3] {
                for (inner, outer) in [(2, 5), (-2, 3), (3, 1), (0, 4), (1, -7)] {
                    all.push(side(offset, &[size, 2, 3], &[1, inner, outer]));
                }
            }
        }
        for one in &all {
            for other in &all {
                let listed = !shared(&ranges(one).unwrap(), &ranges(other).unwrap()).is_empty();
                assert_eq!(meets(one, other), listed, "{one:?} {other:?}");
            }
            let ranges = ranges(one).unwrap().iter().map(|(a, b)| b - a).sum::<i128>();
            let carried = i128::from(one.sizes.iter().product::<u64>() as u32);
            assert_eq!(repeats(one, &mut 1_000_000), Some(ranges < carried), "{one:?}");
        }
    }
}

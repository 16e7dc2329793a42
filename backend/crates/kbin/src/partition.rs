//! Where in the partitions of the state buffer a side lies: within the bytes that a partition has, and
//! apart from those that are reserved.
//! Spec: docs/format/kbin.md "Checks of access patterns" [inferred].

use records::kbin::names::{ArchType, Dtype};

use crate::lowering::Kbin;
use crate::lowering::model::Side;
pub use crate::lowering::model::{PARTITIONS, STRIDE};
use crate::meet::meet;
use crate::reach::Reach;

/// Reserved areas that sides are compared with.
const MAX_AREAS: usize = 16;
/// Where cayman reserves a word for event acceleration, and its bytes.
/// Spec: docs/format/kbin.md "Reserved areas" [observed].
const EVENT_WORD: (u64, u64) = (0x37FF8, 8);

/// Bytes of a partition that programs have been seen to use on a generation, reserved ones included;
/// `None` where that is not known.
/// Spec: docs/format/kbin.md "Checks of access patterns" [inferred].
pub fn partition_bytes(target: ArchType) -> Option<u64> {
    match target {
        ArchType::SUNDA => Some(0x30000),
        ArchType::CAYMAN => Some(EVENT_WORD.0 + EVENT_WORD.1),
        _ => None,
    }
}

/// What is wrong with a side's place in the state buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// A run does not end in the partition in which it begins.
    Crosses,
    /// It touches bytes that a partition of this generation does not have; how many it has.
    Behind(u64),
    /// It touches a reserved area: its first byte in a partition, and its bytes.
    Reserved(u64, u64),
    /// Too many rows to compare.
    Unchecked,
}

/// Looks for what is wrong with a side in the state buffer, within a budget of steps.
pub fn misplaced(tree: &Kbin, side: &Side, left: &mut u64) -> Vec<Misplaced> {
    let mut found = Vec::new();
    if Reach::of(side).is_none() {
        return found;
    }
    let within = within(side);
    let crossing = run_bytes(side) > 1 && crosses(side, within, left);
    if crossing {
        found.push(Misplaced::Crosses);
    }
    let (start, end) = within.unwrap_or((0, i128::from(STRIDE)));
    let mut compare = |from: u64, bytes: u64, partitions: (u64, u64), what: Misplaced| {
        // Rows that repeat in every partition need no comparison if one of them is apart.
        if bytes == 0 || start >= i128::from(from) + i128::from(bytes) || end <= i128::from(from) {
            return;
        }
        match meet(side, &area(from, bytes, partitions), 0, left) {
            Some(true) => found.push(what),
            Some(false) => {}
            None => found.push(Misplaced::Unchecked),
        }
    };
    // A run that crosses is behind the bytes of its partition anyway.
    if let Some(room) = partition_bytes(tree.target).filter(|_| !crossing) {
        compare(room, STRIDE - room, (0, PARTITIONS), Misplaced::Behind(room));
    }
    let areas = reserved(tree);
    for (from, bytes, first, partitions) in areas {
        compare(from, bytes, (first, partitions), Misplaced::Reserved(from, bytes));
    }
    found
}

/// Reserved areas: those of the file, and that of the generation.
fn reserved(tree: &Kbin) -> Vec<(u64, u64, u64, u64)> {
    let of_file = tree.carveouts.iter().flatten().map(|area| {
        let raw = &area.raw;
        let (from, first) =
            (raw.offset.get().min(STRIDE), raw.start_partition.get().min(PARTITIONS));
        let bytes = raw.size.get().min(STRIDE - from);
        (from, bytes, first, raw.num_partitions.get().min(PARTITIONS - first))
    });
    let mut areas: Vec<_> = of_file.filter(|area| area.1 > 0 && area.3 > 0).collect();
    if tree.target == ArchType::CAYMAN {
        areas.push((EVENT_WORD.0, EVENT_WORD.1, 0, PARTITIONS));
    }
    areas.sort_unstable();
    areas.dedup();
    areas.truncate(MAX_AREAS);
    areas
}

/// An area of some partitions as a side.
fn area(from: u64, bytes: u64, (first, partitions): (u64, u64)) -> Side {
    Side {
        offset: first * STRIDE + from,
        sizes: vec![bytes, partitions],
        steps: vec![1, STRIDE as i64],
        dtype: Dtype::INVALID,
    }
}

/// First byte and end in a partition, where all partitions are touched alike: dimensions that step
/// over whole partitions, and others that stay near. `None` where others go far.
fn within(side: &Side) -> Option<(i128, i128)> {
    let begin = i128::from(side.offset % STRIDE);
    let (mut start, mut last) = (begin, begin);
    for (size, step) in side.sizes.iter().zip(&side.steps) {
        if step % STRIDE as i64 == 0 {
            continue;
        }
        // Sums of sides with a reach stay far below 2^127.
        let span = (i128::from(*size) - 1) * i128::from(*step);
        if span < 0 { start += span } else { last += span }
    }
    (start >= 0 && last < i128::from(STRIDE)).then_some((start, last + 1))
}

/// Bytes of a contiguous run.
pub fn run_bytes(side: &Side) -> u128 {
    run_of(side).0.unsigned_abs()
}

/// Bytes of a contiguous run, and the dimensions that it is made of.
fn run_of(side: &Side) -> (i128, usize) {
    let (mut run, mut dimensions) = (1_i128, 0);
    for (size, step) in side.sizes.iter().zip(&side.steps) {
        if *size != 1 && i128::from(*step) != run {
            break;
        }
        run *= i128::from(*size);
        dimensions += 1;
    }
    (run, dimensions)
}

/// Whether a run goes from one partition to the next: whether the begin of a later partition is
/// touched by a run that is not its first byte.
fn crosses(side: &Side, within: Option<(i128, i128)>, left: &mut u64) -> bool {
    if within.is_some() {
        return false;
    }
    // Without its first byte, a run that touches the first byte of a partition came from before it.
    let mut rest = side.clone();
    let (run, dimensions) = run_of(side);
    let (Ok(bytes), Some(offset)) = (u64::try_from(run - 1), side.offset.checked_add(1)) else {
        return true;
    };
    rest.offset = offset;
    rest.sizes.splice(..dimensions, [bytes]);
    rest.steps.splice(..dimensions, [1]);
    meet(&rest, &area(0, 1, (0, PARTITIONS)), 0, left) == Some(true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn side(offset: u64, sizes: &[u64], steps: &[i64]) -> Side {
        Side { offset, sizes: sizes.to_vec(), steps: steps.to_vec(), dtype: Dtype::INVALID }
    }

    #[test]
    fn runs_are_what_follows_without_a_gap() {
        assert_eq!(run_bytes(&side(0, &[6, 4], &[1, 16])), 6);
        assert_eq!(run_bytes(&side(0, &[6, 4], &[1, 6])), 24);
        assert_eq!(run_bytes(&side(0, &[4, 1, 3], &[1, 99, 4])), 12);
        assert_eq!(run_bytes(&side(0, &[4, 3], &[2, 8])), 1);
    }

    #[test]
    fn a_run_crosses_where_it_goes_on_in_the_next_partition() {
        let crosses = |side: &Side| crosses(side, within(side), &mut 100_000);
        // The last 8 bytes of a partition, and one more.
        assert!(!crosses(&side(0x3FFF8, &[8], &[1])));
        assert!(crosses(&side(0x3FFF8, &[9], &[1])));
        // In every second partition.
        assert!(!crosses(&side(0x3FFF8, &[8, 4], &[1, 0x80000])));
        assert!(crosses(&side(0x3FFF8, &[9, 4], &[1, 0x80000])));
        // Rows that begin in different partitions at different bytes: the third one is at 0x3fffc of
        // partition 2 and has 8 bytes.
        assert!(!crosses(&side(0, &[4, 3], &[1, 0x40000 - 4])));
        assert!(crosses(&side(0x3FFFC, &[4, 2], &[1, 4])));
        assert!(crosses(&side(0, &[8, 3], &[1, 0x5FFFE])));
    }

    #[test]
    fn what_stays_within_a_partition_needs_no_comparison() {
        assert_eq!(within(&side(0x40010, &[16, 128], &[1, 0x40000])), Some((0x10, 0x20)));
        assert_eq!(within(&side(0x40010, &[16, 2], &[1, -0x20])), None);
        assert_eq!(within(&side(0x3FFF8, &[16], &[1])), None);
    }
}

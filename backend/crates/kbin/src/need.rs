//! How many descriptors of the hardware a transfer needs: the one rule for what a trigger posts, which
//! images write into doorbells, and for what a queue has to hold.
//!
//! A queue is a set of hardware queues, and the rows of a copy are dealt out to them. All numbers are
//! those of one hardware queue.
//! Spec: docs/format/profiles.md "Counts per trigger" [observed for 128 rows in 16 queues, modelled
//! otherwise].

use neff::doc::{DmaDescriptor, DmaOp};
use records::Provenance;

/// Descriptors that a hardware queue can hold.
/// Spec: docs/format/profiles.md "Counts per trigger" [observed].
pub const MAX_DESCRIPTORS: u64 = 0xFF_FFF0;
/// Hardware queues of a queue in all real files.
pub const SEEN_QUEUES: u64 = 16;
/// Copies with a multiple of so many rows were seen on a device.
const SEEN_ROWS: u64 = 128;
/// Largest half of a contiguous copy for one hardware queue that was seen, in bytes.
const SEEN_HALF_BYTES: u64 = 65_536;

/// Hardware queues that the rows of a queue's copies are dealt out to: as many as the definition says,
/// and the usual number where it says none.
pub fn hardware_queues(num_queues: Option<u32>) -> u64 {
    let written = num_queues.map(u64::from).filter(|number| (1..=SEEN_QUEUES).contains(number));
    written.unwrap_or(SEEN_QUEUES)
}

/// Descriptors in one hardware queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// On the read side.
    pub read: u64,
    /// On the write side.
    pub write: u64,
    /// How sure the two numbers are.
    pub provenance: Provenance,
}

impl Need {
    /// Nothing.
    pub const NONE: Self = Self { read: 0, write: 0, provenance: Provenance::Observed };
    /// The semaphore at the end of a block.
    pub const SEMAPHORE: Self = Self { read: 1, write: 1, provenance: Provenance::Observed };

    /// This and another one.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            read: self.read.saturating_add(other.read),
            write: self.write.saturating_add(other.write),
            provenance: self.provenance.max(other.provenance),
        }
    }

    /// The side with more of them.
    pub fn most(self) -> u64 {
        self.read.max(self.write)
    }
}

/// Sizes and steps of a side, innermost first.
pub type Pattern<'a> = (&'a [u64], &'a [i64]);

/// A copy or cast between two patterns.
pub fn of_patterns(from: Pattern<'_>, to: Pattern<'_>, is_cast: bool, queues: u64) -> Need {
    let (read, read_seen) = side(from, is_cast, 2, queues);
    let (write, write_seen) = side(to, is_cast, 1, queues);
    let seen = read_seen && write_seen;
    let provenance = if seen { Provenance::Observed } else { Provenance::Modelled };
    Need { read, write, provenance }
}

/// Whether the two sides of a descriptor have different element types on purpose.
pub fn is_cast(descriptor: &DmaDescriptor) -> bool {
    descriptor.op == DmaOp::Cast || descriptor.extra.contains_key("cast")
}

/// A descriptor of a document.
pub fn of_descriptor(descriptor: &DmaDescriptor, queues: u64) -> Need {
    let (from, to) = (&descriptor.from, &descriptor.to);
    let (from, to) = ((&*from.sizes, &*from.steps), (&*to.sizes, &*to.steps));
    if descriptor.transpose_op.is_some() {
        return transpose(descriptor, from, to, queues);
    }
    let made = of_patterns(from, to, is_cast(descriptor), queues);
    let more = u64::try_from(descriptor.from.more_variables.len()).unwrap_or(u64::MAX);
    let known = matches!(descriptor.op, DmaOp::Copy | DmaOp::Cast) && more == 0;
    Need {
        // Every source is read.
        read: made.read.saturating_mul(more.saturating_add(1)),
        provenance: if known { made.provenance } else { Provenance::Modelled },
        ..made
    }
}

/// Count of one side, and whether such a shape was seen on a device.
fn side((sizes, steps): Pattern<'_>, is_cast: bool, factor: u64, queues: u64) -> (u64, bool) {
    // A run of one dimension is a single row.
    let is_row = sizes.len() == 1 && steps.first() == Some(&1);
    let rows = if is_row { 1 } else { sizes.last().copied().unwrap_or(1) };
    let row_bytes = sizes.first().copied().unwrap_or(0);
    let is_run = match sizes.len() {
        1 => is_row,
        2 => steps.get(1).and_then(|step| u64::try_from(*step).ok()) == Some(row_bytes),
        _ => false,
    };
    let contiguous = is_run && !is_cast;
    let middle = sizes.len().saturating_sub(1);
    let inner = sizes.get(1..middle).unwrap_or(&[]);
    let inner = inner.iter().fold(1, |product: u64, size| product.saturating_mul(*size));
    let count = if contiguous {
        2
    } else {
        let plain = rows.div_ceil(queues.max(1)).saturating_mul(inner);
        plain.saturating_mul(if is_cast { factor } else { 1 })
    };
    let half = row_bytes.saturating_mul(inner).saturating_mul(rows) / (2 * queues.max(1));
    let split_seen = !contiguous || half <= SEEN_HALF_BYTES;
    let rows_seen = sizes.len() > 1 && rows > 0 && rows % SEEN_ROWS == 0;
    (count, queues == SEEN_QUEUES && rows_seen && split_seen)
}

/// Counts of a transpose: two shapes were seen, no rule is known. Whether the numbers that were
/// seen hold the semaphore too is open, hence inferred.
fn transpose(descriptor: &DmaDescriptor, from: Pattern<'_>, to: Pattern<'_>, queues: u64) -> Need {
    let shape = descriptor.transpose_shape.as_deref().unwrap_or(&[]);
    let seen = |number| Need { read: number, write: number, provenance: Provenance::Inferred };
    match (queues, descriptor.transpose_element_size, shape) {
        (SEEN_QUEUES, Some(2), [1, 1, 128, 128]) => seen(10),
        (SEEN_QUEUES, Some(4), [1, 1, 128, 64]) => seen(34),
        _ => Need { provenance: Provenance::Modelled, ..of_patterns(from, to, false, queues) },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn of(sizes: &[u64], step: i64, is_cast: bool, factor: u64, queues: u64) -> (u64, bool) {
        let steps: Vec<i64> =
            [1, step].into_iter().chain(std::iter::repeat(7)).take(sizes.len()).collect();
        side((sizes, &steps), is_cast, factor, queues)
    }

    #[test]
    fn counts_follow_the_observed_shapes() {
        // 128 rows of 4,000 contiguous bytes to rows 4,096 apart: 2 on the contiguous side, 8 on
        // the other; a cast reads 16 and writes 8; three dimensions are never contiguous.
        assert_eq!(of(&[4_000, 128], 4_000, false, 2, 16), (2, true));
        assert_eq!(of(&[4_000, 128], 4_096, false, 1, 16), (8, true));
        assert_eq!(of(&[512, 128], 512, true, 2, 16), (16, true));
        assert_eq!(of(&[512, 128], 512, true, 1, 16), (8, true));
        assert_eq!(of(&[64, 3, 128], 64, false, 1, 16), (24, true));
        assert_eq!(of(&[64, 256], 128, false, 1, 16), (16, true));
        // Halves of more than 64 KiB a queue were never seen.
        assert_eq!(of(&[16_385, 128], 16_385, false, 1, 16), (2, false));
        // 100 rows were never seen: rounded up to 7 a queue.
        assert_eq!(of(&[64, 100], 128, false, 1, 16), (7, false));
        assert_eq!(side((&[], &[]), false, 1, 16), (1, false));
    }

    #[test]
    fn rows_go_to_as_many_queues_as_there_are() {
        // Never seen: 128 rows in 2 queues are 64 each, in one 128; 5 rows in 2 are 3 and 2.
        assert_eq!(of(&[64, 128], 128, false, 1, 2), (64, false));
        assert_eq!(of(&[64, 128], 128, false, 1, 1), (128, false));
        assert_eq!(of(&[64, 5], 128, false, 1, 2), (3, false));
        // One dimension is one row, and contiguous; with gaps it is so many rows.
        assert_eq!(of(&[64], 0, false, 1, 16), (2, false));
        assert_eq!(of(&[64], 0, true, 2, 16), (2, false));
        assert_eq!(side((&[64], &[2]), false, 1, 16), (4, false));
        assert_eq!(hardware_queues(None), 16);
        assert_eq!(hardware_queues(Some(0)), 16);
        assert_eq!((hardware_queues(Some(1)), hardware_queues(Some(2))), (1, 2));
        let huge = (&[2, u64::MAX, u64::MAX][..], &[1, 2, 3][..]);
        assert_eq!(of_patterns(huge, huge, true, 1).read, u64::MAX);
    }
}

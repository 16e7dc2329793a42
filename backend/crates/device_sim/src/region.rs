//! Which bytes an access touches, and whether two accesses touch the same.

use kbin::effects::MemoryOperand;
use records::payload::value::{Pattern, Place};

/// A memory with addresses of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// The state buffer.
    StateBuffer,
    /// PSUM.
    Psum,
    /// A variable in device memory, by its id.
    Variable(u32),
}

/// How bytes lie between the first and the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pieces {
    /// Without gaps.
    Whole,
    /// Runs of so many bytes, step apart.
    Rows { step: i64, count: u32, len: i64 },
    /// Elements of a pattern, and their size.
    Elements(Pattern, u8),
}

/// Bytes of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Memory.
    pub space: Space,
    /// Partitions, the last one excluded; 0 and 1 where there are none.
    pub partitions: (u32, u32),
    /// First byte, in each partition.
    pub low: i64,
    /// Last byte.
    pub high: i64,
    /// What `low` is when the pieces are counted from the address.
    base: i64,
    pieces: Pieces,
}

/// Bytes from a partition to the next one.
const PARTITION: i64 = 1 << 18;
/// Pieces that are compared one by one, at most.
const MOST_PIECES: usize = 4096;

impl Region {
    /// What an operand of a compute record touches; `None` where that is not known.
    pub fn of_operand(operand: &MemoryOperand) -> Option<Self> {
        let (low, high) = operand.extent()?;
        let size = operand.dtype.bytes()?;
        let n = u32::from(operand.partitions);
        let (space, first, byte) = match operand.address.place() {
            Place::StateBuffer { partition, byte } => {
                (Space::StateBuffer, u32::from(partition), i64::from(byte))
            }
            Place::Psum { byte } => (Space::Psum, 0, i64::from(byte)),
            Place::Unknown => return None,
        };
        let bytes = (high - low + 1).unsigned_abs();
        let is_whole = operand.pattern.product().checked_mul(size.into()) == Some(bytes);
        Some(Self {
            space,
            partitions: (first, first + n),
            low: byte + low,
            high: byte + high,
            base: byte,
            pieces: if is_whole { Pieces::Whole } else { Pieces::Elements(operand.pattern, size) },
        })
    }

    /// Rows of bytes of a variable or the state buffer: so many, `step` apart. `None` if empty.
    pub fn of_rows(space: Space, offset: i64, step: i64, count: u32, len: i64) -> Option<Self> {
        if count == 0 || len <= 0 {
            return None;
        }
        let reach = step.checked_mul(i64::from(count) - 1)?;
        if space == Space::StateBuffer {
            let (first, byte) = (offset.div_euclid(PARTITION), offset.rem_euclid(PARTITION));
            if step != PARTITION && count > 1 {
                return None;
            }
            let first = u32::try_from(first).ok()?;
            return Some(Self {
                space,
                partitions: (first, first.saturating_add(count)),
                low: byte,
                high: byte + len - 1,
                base: byte,
                pieces: Pieces::Whole,
            });
        }
        let is_whole = count == 1 || step == len;
        Some(Self {
            space,
            partitions: (0, 1),
            low: offset + reach.min(0),
            high: offset + reach.max(0) + len - 1,
            base: offset,
            pieces: if is_whole { Pieces::Whole } else { Pieces::Rows { step, count, len } },
        })
    }

    /// Bytes of a line: what is near each other is looked up together.
    const fn line_bytes(&self) -> i64 {
        match self.space {
            Space::Variable(_) => 1 << 20,
            _ => 1 << 11,
        }
    }

    /// The lines that it lies in.
    pub const fn lines(&self) -> std::ops::RangeInclusive<i64> {
        let line = self.line_bytes();
        self.low.div_euclid(line)..=self.high.div_euclid(line)
    }

    /// Whether another region lies in it wholly, and it has no gaps.
    pub fn covers(&self, other: &Self) -> bool {
        self.pieces == Pieces::Whole
            && self.space == other.space
            && self.partitions.0 <= other.partitions.0
            && self.partitions.1 >= other.partitions.1
            && self.low <= other.low
            && self.high >= other.high
    }

    /// The first byte that both touch. Regions in very many pieces are taken not to meet unless one
    /// has no gaps.
    pub fn meets(&self, other: &Self) -> Option<i64> {
        let apart = self.space != other.space
            || self.partitions.0 >= other.partitions.1
            || other.partitions.0 >= self.partitions.1
            || self.low > other.high
            || other.low > self.high;
        if apart {
            return None;
        }
        let (a, b) = (self.intervals()?, other.intervals()?);
        let (mut x, mut y) = (a.iter().peekable(), b.iter().peekable());
        while let (Some(one), Some(two)) = (x.peek(), y.peek()) {
            if one.1 < two.0 {
                x.next();
            } else if two.1 < one.0 {
                y.next();
            } else {
                return Some(one.0.max(two.0));
            }
        }
        None
    }

    /// Its pieces as first and last byte, ascending.
    fn intervals(&self) -> Option<Vec<(i64, i64)>> {
        let mut list = match self.pieces {
            Pieces::Whole => vec![(self.low, self.high)],
            Pieces::Rows { step, count, len } => {
                if count as usize > MOST_PIECES {
                    return None;
                }
                let row = |at: u32| self.base + step * i64::from(at);
                (0..count).map(|at| (row(at), row(at) + len - 1)).collect()
            }
            Pieces::Elements(pattern, size) => {
                let size = i64::from(size);
                let mut starts = vec![self.base];
                let mut len = size;
                for (step, count) in pattern.steps.into_iter().zip(pattern.counts) {
                    let (step, count) = (i64::from(step) * size, i64::from(count));
                    if starts.len() == 1 && step == len {
                        len *= count;
                        continue;
                    }
                    if step == 0 || count == 1 {
                        continue;
                    }
                    if starts.len().saturating_mul(usize::try_from(count).ok()?) > MOST_PIECES {
                        return None;
                    }
                    let all = starts.iter().flat_map(|at| (0..count).map(move |n| at + n * step));
                    starts = all.collect();
                }
                starts.into_iter().map(|at| (at, at + len - 1)).collect()
            }
        };
        list.sort_unstable();
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(offset: i64, step: i64, count: u32, len: i64) -> Region {
        Region::of_rows(Space::Variable(7), offset, step, count, len).unwrap()
    }

    #[test]
    fn rows_meet_where_bytes_do() {
        // Columns 0 to 99 and 100 to 199 of rows of 200 bytes; columns 99 to 100.
        let (left, right, both) =
            (rows(0, 200, 8, 100), rows(100, 200, 8, 100), rows(99, 200, 8, 2));
        assert_eq!(left.meets(&right), None);
        assert_eq!((left.meets(&both), right.meets(&both)), (Some(99), Some(100)));
        let whole = rows(0, 200, 8, 200);
        assert!(whole.covers(&left) && !left.covers(&whole));
        assert_eq!(Region::of_rows(Space::Variable(7), 0, 4, 0, 4), None);
    }

    #[test]
    fn the_state_buffer_has_partitions() {
        let of = |partition: i64, byte: i64, count, len| {
            let at = partition * PARTITION + byte;
            Region::of_rows(Space::StateBuffer, at, PARTITION, count, len).unwrap()
        };
        let (low, high) = (of(0, 64, 64, 32), of(64, 64, 64, 32));
        assert_eq!(low.meets(&high), None);
        assert_eq!(of(63, 95, 2, 4).meets(&low), Some(95));
        assert_eq!(of(63, 96, 2, 4).meets(&low), None);
    }
}

//! Sums of bytes that say when they exceed 64 bits: a file can name any sizes.

/// A sum of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// The bytes; 2^64 - 1 where the sum exceeds that.
    pub bytes: u64,
    /// Whether it does.
    pub exceeds: bool,
}

impl Total {
    /// The end of a range.
    pub fn end(offset: u64, size: u64) -> Self {
        let mut end = Self { bytes: offset, exceeds: false };
        end.add(size);
        end
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: u64) {
        let sum = self.bytes.checked_add(bytes);
        self.exceeds |= sum.is_none();
        self.bytes = sum.unwrap_or(u64::MAX);
    }

    /// Adds a sum.
    pub fn join(&mut self, other: Self) {
        self.add(other.bytes);
        self.exceeds |= other.exceeds;
    }

    /// Adds so many pieces of so many bytes.
    pub fn add_pieces(&mut self, pieces: u64, bytes: u64) {
        match pieces.checked_mul(bytes) {
            Some(all) => self.add(all),
            None => *self = Self { bytes: u64::MAX, exceeds: true },
        }
    }

    /// Becomes the larger of the two.
    pub fn raise(&mut self, other: Self) {
        self.bytes = self.bytes.max(other.bytes);
        self.exceeds |= other.exceeds;
    }

    /// The sum of sizes.
    pub fn of(sizes: impl IntoIterator<Item = u64>) -> Self {
        let mut total = Self::default();
        for bytes in sizes {
            total.add(bytes);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_is_still_exact() {
        let exact = Total { bytes: u64::MAX, exceeds: false };
        let beyond = Total { bytes: u64::MAX, exceeds: true };
        assert_eq!(Total::of([u64::MAX - 7, 7]), exact);
        assert_eq!(Total::of([u64::MAX - 7, 8]), beyond);
        assert_eq!(Total::of([u64::MAX, 1, 5]), beyond, "it stays known");
        assert_eq!(Total::end(1 << 63, (1 << 63) - 1), exact);
        assert_eq!(Total::end(1 << 63, 1 << 63), beyond);
        let mut pages = Total::default();
        pages.add_pieces(1 << 32, 1 << 31);
        assert_eq!(pages, Total { bytes: 1 << 63, exceeds: false });
        pages.add_pieces(1 << 32, 1 << 32);
        assert_eq!(pages, beyond);
        let mut joined = Total::of([1]);
        joined.join(beyond);
        assert_eq!(joined, beyond);
        let mut raised = Total::of([3]);
        raised.raise(Total::of([2]));
        assert_eq!(raised, Total::of([3]));
        raised.raise(beyond);
        assert_eq!(raised, beyond);
    }
}

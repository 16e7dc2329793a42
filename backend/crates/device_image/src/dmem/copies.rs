//! Copies between host and device go through the core's bounce buffer in pieces.

/// Pieces of one copy.
/// Spec: docs/format/memory.md "Copies" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunks {
    /// Bytes of each piece but the last.
    pub chunk_bytes: u64,
    /// Number of pieces.
    pub count: u64,
    /// Bytes of the last piece; 0 for an empty copy.
    pub last_bytes: u64,
    /// What the driver is told to wait for: -1 for the piece before, 0 for nothing.
    pub wait_handle: i32,
}

impl Chunks {
    /// The pieces of a copy of so many bytes.
    pub const fn of(bytes: u64) -> Self {
        let (chunk_bytes, waits) = match bytes {
            0..=0x3FFF => (0x4000, false),
            0x4000..=0x10_0000 => {
                let half = (bytes / 2).next_multiple_of(0x1000);
                (half, half < bytes)
            }
            _ => (0x10_0000, true),
        };
        let rest = bytes % chunk_bytes;
        let whole = bytes / chunk_bytes;
        Self {
            chunk_bytes,
            count: if rest == 0 { whole } else { whole + 1 },
            last_bytes: if rest == 0 && bytes > 0 { chunk_bytes } else { rest },
            wait_handle: if waits { -1 } else { 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_copies() {
        let table = [
            (0x3FFF, 0x4000, 1, 0x3FFF, 0),
            (0x4000, 0x2000, 2, 0x2000, -1),
            (0x4001, 0x2000, 3, 1, -1),
            (0x5001, 0x3000, 2, 0x2001, -1),
            (0x10_0000, 0x8_0000, 2, 0x8_0000, -1),
            (0x10_0001, 0x10_0000, 2, 1, -1),
            (0x28_0000, 0x10_0000, 3, 0x8_0000, -1),
            (0, 0x4000, 0, 0, 0),
        ];
        for (bytes, chunk_bytes, count, last_bytes, wait_handle) in table {
            let expected = Chunks { chunk_bytes, count, last_bytes, wait_handle };
            assert_eq!(Chunks::of(bytes), expected, "{bytes:#x}");
        }
        assert_eq!(Chunks::of(u64::MAX).count, 1 << 44);
    }
}

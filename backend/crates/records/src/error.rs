//! Why bytes could not be read as a record, and where.

/// A half-open range of bytes, relative to the start of what was being decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteSpan {
    /// First byte, 0-based.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl ByteSpan {
    /// The span of `len` bytes from `start`; saturates at the top of the address space.
    pub fn of(start: u64, len: u64) -> Self {
        Self { start, end: start.saturating_add(len) }
    }

    /// Number of bytes.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Reason of a [`DecodeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeErrorKind {
    /// The input ends before the record does.
    TooShort {
        /// Bytes that the record needs.
        need: u64,
        /// Bytes that are there.
        have: u64,
    },
    /// A field holds a value that the layout does not allow.
    BadValue {
        /// The value found.
        found: u64,
        /// What was expected, in words.
        expected: &'static str,
    },
}

/// A record could not be read: the place, the subject and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// Bytes concerned, relative to the start of the input of the decoder.
    pub at: ByteSpan,
    /// Name of the record or field.
    pub what: &'static str,
    /// Reason.
    pub kind: DecodeErrorKind,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { at, what, kind } = self;
        match kind {
            DecodeErrorKind::TooShort { need, have } => {
                write!(f, "{what} at {:#x} needs {need} bytes, {have} are there", at.start)
            }
            DecodeErrorKind::BadValue { found, expected } => {
                write!(f, "{what} at {:#x} is {found:#x}, expected {expected}", at.start)
            }
        }
    }
}

impl std::error::Error for DecodeError {}

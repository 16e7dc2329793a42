//! What is left of the limits that hold for a whole file, however many documents share it.

use crate::limits::Limits;

/// Counts down while documents are read; passed on from one document to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// JSON values that may still be met.
    pub values: usize,
    /// Table entries that may still be kept.
    pub rows: usize,
    /// Bytes of JSON text that may still be kept as they are.
    pub extra_bytes: usize,
}

impl Budget {
    /// Everything that the limits allow one file.
    pub fn of(limits: &Limits) -> Self {
        Self { values: limits.json_values, rows: limits.file_rows, extra_bytes: limits.extra_bytes }
    }
}

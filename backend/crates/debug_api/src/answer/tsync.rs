//! The answer about counters of several blocks.

use super::Provenance;
use serde::{Deserialize, Serialize};

/// The `tsync` document: readings in the order of their aligned times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TsyncAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Earliest first; of equal times in the order of the question.
    pub readings: Vec<AlignedReading>,
    /// Of the arithmetic; the numbers are the user's.
    pub provenance: Provenance,
}

/// A reading on the common time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlignedReading {
    /// 0-based place in the question.
    pub index: u64,
    /// Name of the block.
    pub block: String,
    /// Counter at the common instant.
    pub init: u64,
    /// Added at each tick.
    pub actual_increment: u32,
    /// Picoseconds of a tick.
    pub expected_increment: u32,
    /// Counter of the event.
    pub t: u64,
    /// Picoseconds since the common instant, rounded toward zero.
    pub picoseconds: i64,
    /// The same in nanoseconds with three decimals.
    pub nanoseconds: String,
    /// Picoseconds after the earliest reading.
    pub after_first: u64,
    /// Wall-clock nanoseconds, if those of the common instant were given.
    pub wall_ns: Option<i64>,
}

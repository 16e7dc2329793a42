//! What can be wrong with the order of a program.

use crate::gate::SyncId;
use crate::posters::SlotRef;
use crate::region::Space;

/// Somebody who accesses memory: a record, or the transfer that it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessor {
    /// The record.
    pub at: SlotRef,
    /// Queue of the transfer; `None` for the record itself.
    pub queue: Option<u8>,
}

/// Something that is wrong with the order of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disorder {
    /// An event is set, and nothing orders a clear between an earlier set and this one.
    EventTwice {
        /// The event.
        id: SyncId,
        /// The earlier set.
        first: SlotRef,
        /// The later one.
        second: SlotRef,
    },
    /// Two accesses to the same bytes, of which one writes, without an order.
    Unordered {
        /// The earlier one in the order of records that was gone through.
        first: Accessor,
        /// Whether it writes.
        first_writes: bool,
        /// The other.
        second: Accessor,
        /// Whether it writes.
        second_writes: bool,
        /// The memory.
        space: Space,
        /// First byte that both touch, in a partition where there are any.
        byte: i64,
    },
}

/// What was found, and how far it was looked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// What is wrong, at most [`LISTED`].
    pub found: Vec<Disorder>,
    /// More than are listed.
    pub more: u64,
    /// Records of MAIN that were gone through, and all.
    pub records: (u64, u64),
}

/// Things that are listed.
pub const LISTED: usize = 32;

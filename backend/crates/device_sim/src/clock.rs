//! Who knows how far whom, in a walk through programs without time.

use std::collections::BTreeMap;

use crate::disorder::Accessor;
use crate::posters::SlotRef;
use crate::region::Region;

/// How far each part was: sequencers, engines, queues.
pub type Clock = Vec<u32>;

/// One clock knows what another one knows.
pub fn join(into: &mut Clock, other: &[u32]) {
    for (own, other) in into.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// An event or semaphore in a walk through programs.
#[derive(Default)]
pub struct Sync {
    pub value: i64,
    /// What each part posted: the sum up to each post, and the clock of it.
    pub posts: BTreeMap<usize, Vec<(i64, Clock)>>,
    /// What each part adds in the whole program; `None` for one that is not only added to.
    pub totals: Option<BTreeMap<usize, i64>>,
    /// All clocks of whoever changed it.
    pub clock: Clock,
    /// Of an event: who set it last, and the clock of who cleared it since.
    pub set_by: Option<SlotRef>,
    pub cleared: Option<(usize, u32)>,
}

/// An access that was made.
pub struct Access {
    pub region: Region,
    pub by: Accessor,
    pub part: usize,
    pub time: u32,
    pub writes: bool,
}

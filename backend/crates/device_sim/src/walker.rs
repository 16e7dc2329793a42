//! A TOP_SP while it runs, and what is under way between those of all ranks.

use device_image::collectives::Semaphore;
use std::collections::BTreeMap;

use crate::input::Entry;

/// A collective that all its members do together on one TOP_SP each: the subgraph, the place of the
/// TOP_SP among those of the core, the members, and how many of the same came before.
pub type Key = (String, u32, Vec<u32>, u64);

/// A collective under way.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// Semaphores by member; each begins at 0.
    pub semaphores: BTreeMap<(u32, Semaphore), u32>,
    /// What the first member to come takes it for, and who that is.
    pub what: Option<(usize, usize)>,
    /// Members that are done.
    pub done: usize,
}

/// How far a TOP_SP is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Waits for the trigger of its next entry.
    Idle,
    /// At an act.
    Acting,
    /// Moves the chunks of an act.
    Moving,
    /// Waits for a TOP_SP of a lower number.
    Completing,
}

/// A TOP_SP.
#[derive(Debug)]
pub(crate) struct Walker {
    /// 0-based core of the run.
    pub core: usize,
    /// Place among those of the core.
    pub place: u32,
    /// Number on the chip.
    pub index: u32,
    pub entries: Vec<Entry>,
    /// Entries done, over all passes through the table.
    pub done: u64,
    pub phase: Phase,
    /// Triggers and completions that have come.
    pub triggers: u32,
    pub completions: u32,
    /// The collective that it is in.
    pub key: Option<Key>,
    /// Next act of this rank.
    pub act: usize,
    /// Collectives by their members.
    pub seen: BTreeMap<Vec<u32>, u64>,
    /// When the act that moves began, ps.
    pub since: u64,
}

/// Something that will happen.
#[derive(Clone, Debug)]
pub(crate) enum Coming {
    Trigger(usize),
    Moved(usize),
    Post { to: usize, key: Key, member: u32, semaphore: Semaphore, add: u32 },
    Complete(usize),
}

pub(crate) struct Later {
    pub time: u64,
    pub turn: u64,
    pub sequence: u64,
    pub what: Coming,
}

impl PartialEq for Later {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Later {}

impl PartialOrd for Later {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Later {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |one: &Self| (one.time, one.turn, one.sequence);
        key(self).cmp(&key(other))
    }
}

/// A collective whose members do not agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Disagreement {
    /// Core and collective of the first member to come.
    pub first: (usize, usize),
    /// Of the one that differs.
    pub second: (usize, usize),
}

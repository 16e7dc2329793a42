//! One section of the PC map: for every device slot its source record, laid out for fast lookup
//! in both directions.
//!
//! The patch rows are walked once. Each slot then costs one 4-byte load: the record index, with
//! the top bit set inside an inserted run. Record indexes never fall from slot to slot, so the
//! way back is a bisection of the same array.

use std::ops::Range;

use records::{PatchRow, PatchSection, PatchType};

use crate::layout::SLOT;
use crate::walk::{self, InvalidPatchType, Walked};

/// Largest record index that the map answers, 2^31 - 1. A stream of that many records would take
/// 128 GiB, so a larger index only comes from a damaged patch list and has no answer.
pub(crate) const MAX_IP: u32 = INSERTED - 1;

const INSERTED: u32 = 1 << 31;

/// Where a source record went, in slots of the section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Slots(Range<u32>),
    DeletedAt(u32),
    Outside,
}

/// The map of one section. Slots count from the section start, records from 1.
#[derive(Clone, Debug)]
pub(crate) struct SectionMap {
    /// Record index of each slot, with [`INSERTED`]. Shorter than the section if the walk stopped
    /// at a row of unknown type.
    slots: Vec<u32>,
    /// Slots at which DELETE rows apply, with the index before them; ascending.
    before_deletes: Vec<(u32, u32)>,
    /// Inserted runs, start and end; ascending.
    runs: Vec<(u32, u64)>,
    /// The index after the last slot and after DELETE rows at the end.
    end_ip: u64,
    /// Row type that stopped the walk.
    stopped: Option<InvalidPatchType>,
    /// Set if an index left the range of the map; the linear walk answers then.
    rows_if_huge: Option<Vec<PatchRow>>,
}

struct Builder {
    map: SectionMap,
    at: u64,
    ip: u64,
    n_slots: u64,
    /// Exact answer for the slot at `at` if a row there already closed it.
    closed: Option<u64>,
    huge: bool,
}

impl SectionMap {
    /// Walks the rows of `section` over `n_slots` slots. `first` as in [`walk::runtime`].
    pub(crate) fn new(rows: &[PatchRow], section: PatchSection, first: u64, n_slots: u32) -> Self {
        let map = SectionMap {
            slots: Vec::with_capacity(n_slots as usize),
            before_deletes: Vec::new(),
            runs: Vec::new(),
            end_ip: 1,
            stopped: None,
            rows_if_huge: None,
        };
        let mut b =
            Builder { map, at: 0, ip: 1, n_slots: u64::from(n_slots), closed: None, huge: false };
        for row in rows.iter().filter(|row| row.section == section) {
            let Some(place) = (u64::from(row.offset) / SLOT).checked_sub(first) else { continue };
            if place < b.at {
                continue;
            }
            if place > b.n_slots || b.row(place, row).is_break() {
                break;
            }
        }
        if b.map.stopped.is_none() {
            b.straight_to(b.n_slots);
        }
        b.map.end_ip = b.ip;
        if b.huge {
            // Stored relative to the section start, so that the walk needs no `first`.
            b.map.rows_if_huge = Some(
                rows.iter()
                    .filter(|row| row.section == section)
                    .filter_map(|row| {
                        let place = (u64::from(row.offset) / SLOT).checked_sub(first)?;
                        let offset = u32::try_from(place * SLOT).ok()?;
                        Some(PatchRow { offset, ..*row })
                    })
                    .collect(),
            );
        }
        b.map
    }

    /// Records that the walk over the whole section accounts for.
    pub(crate) fn records(&self) -> u64 {
        self.end_ip - 1
    }

    /// Why the walk stopped before the end, if it did.
    pub(crate) fn stopped(&self) -> Option<InvalidPatchType> {
        self.stopped
    }

    /// Exact record of a slot, and whether the slot is in an inserted run.
    #[inline]
    pub(crate) fn exact(&self, slot: u32) -> Option<(u32, bool)> {
        let packed = *self.slots.get(slot as usize)?;
        let ip = packed & MAX_IP;
        if ip == 0 {
            return None;
        }
        Some((ip, packed & INSERTED != 0))
    }

    /// The runtime's answer for a slot of the section; `None` past its end.
    pub(crate) fn runtime(&self, slot: u32) -> Option<Result<Walked, InvalidPatchType>> {
        if let Some(rows) = &self.rows_if_huge
            && let Some(row) = rows.first()
        {
            return Some(walk::runtime(rows, row.section, 0, u64::from(slot)));
        }
        let Some((mut ip, inserted)) = self.exact(slot) else {
            return self.stopped.map(Err);
        };
        if let Ok(at) = self.before_deletes.binary_search_by_key(&slot, |entry| entry.0)
            && let Some(entry) = self.before_deletes.get(at)
        {
            ip = entry.1;
        }
        let mut literal = ip;
        if inserted {
            let after = self.runs.partition_point(|run| run.0 <= slot);
            if let Some(&(start, end)) = after.checked_sub(1).and_then(|at| self.runs.get(at))
                && start < slot
            {
                literal = ip.wrapping_sub((end - u64::from(slot)) as u32);
            }
        }
        Some(Ok(Walked { ip, literal }))
    }

    /// Where a record of the section went.
    pub(crate) fn place_of(&self, ip: u32) -> Place {
        if ip == 0 || u64::from(ip) >= self.end_ip || ip > MAX_IP {
            return Place::Outside;
        }
        let answered = self.slots.partition_point(|&packed| packed & MAX_IP != 0);
        let known = self.slots.get(..answered).unwrap_or(&[]);
        let start = known.partition_point(|&packed| packed & MAX_IP < ip);
        let end = known.partition_point(|&packed| packed & MAX_IP <= ip);
        let as_u32 = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        if start < end {
            Place::Slots(as_u32(start)..as_u32(end))
        } else {
            Place::DeletedAt(as_u32(start))
        }
    }
}

impl Builder {
    /// Applies one row at a place at or after the current slot.
    fn row(&mut self, place: u64, row: &PatchRow) -> std::ops::ControlFlow<()> {
        use std::ops::ControlFlow::{Break, Continue};
        self.straight_to(place);
        match row.kind {
            PatchType::DELETE => {
                if self.closed.is_none()
                    && self.map.before_deletes.last().is_none_or(|e| u64::from(e.0) != place)
                    && place < self.n_slots
                {
                    let before = self.index(self.ip);
                    self.map.before_deletes.push((place as u32, before));
                }
                self.ip += u64::from(row.count);
            }
            _ if place == self.n_slots => return Break(()),
            PatchType::INSERT if row.count == 0 => {
                self.closed.get_or_insert(self.ip);
            }
            PatchType::INSERT => {
                let end = place + u64::from(row.count);
                let inside = end.min(self.n_slots);
                self.map.runs.push((place as u32, end));
                if let Some(closed) = self.closed.take() {
                    let packed = self.index(closed);
                    self.map.slots.push(packed);
                }
                let packed = match self.index(self.ip) {
                    0 => 0,
                    ip => ip | INSERTED,
                };
                self.map.slots.resize(inside as usize, packed);
                self.at = end;
            }
            PatchType::MODIFY => self.straight_to(place + 1),
            other => {
                let here = self.closed.take().unwrap_or(self.ip);
                let ip = self.index(here);
                self.map.slots.push(ip);
                self.map.stopped = Some(InvalidPatchType(other));
                return Break(());
            }
        }
        Continue(())
    }

    /// One record per slot up to a place.
    fn straight_to(&mut self, place: u64) {
        let end = place.min(self.n_slots);
        let first = self.closed.take_if(|_| self.at < end);
        if let Some(closed) = first {
            let packed = self.index(closed);
            self.map.slots.push(packed);
            self.at += 1;
            self.ip += 1;
        }
        while self.at < end {
            let packed = self.index(self.ip);
            self.map.slots.push(packed);
            self.at += 1;
            self.ip += 1;
        }
    }

    /// The index as stored; 0 if it is out of range.
    fn index(&mut self, ip: u64) -> u32 {
        match u32::try_from(ip) {
            Ok(ip) if ip <= MAX_IP => ip,
            _ => {
                self.huge = true;
                0
            }
        }
    }
}

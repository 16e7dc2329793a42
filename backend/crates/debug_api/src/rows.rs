//! The display rows of the Code view for one engine image: a divider before each run of slots of
//! one region, the slots, and the deleted records at the place where they would stand.

/// What stands in a display row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// The head of a run, by index into [`Rows::runs`].
    Divider(usize),
    /// An image slot.
    Slot(u32),
    /// A record without an image slot, by NEFF IP.
    Deleted(u32),
}

/// A run of image slots of one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First image slot.
    pub slot: u32,
    /// Image slots.
    pub slots: u32,
    /// Display row of the divider.
    pub row: u64,
    /// Deleted records of this run, as a range of [`Rows::deleted`].
    deleted: (usize, usize),
}

/// A deleted record: it stands before `slot`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeletedRecord {
    /// Index of its run.
    pub run: usize,
    /// Image slot that it stands before; one past the run's last for a record at its end.
    pub slot: u32,
    /// 1-based NEFF IP.
    pub ip: u32,
}

/// All display rows of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    runs: Vec<Run>,
    deleted: Vec<DeletedRecord>,
    /// NEFF IP and index into `deleted`, sorted.
    by_ip: Vec<(u32, usize)>,
    total: u64,
}

impl Rows {
    /// Lays out runs (first slot, slots) in image order with their deleted records. The records
    /// are sorted by run, slot and IP here.
    pub fn new(runs: &[(u32, u32)], mut deleted: Vec<DeletedRecord>) -> Self {
        deleted.sort_by_key(|record| (record.run, record.slot, record.ip));
        deleted.retain(|record| record.run < runs.len());
        let mut laid = Vec::with_capacity(runs.len());
        let (mut row, mut at) = (0_u64, 0_usize);
        for (index, (slot, slots)) in runs.iter().copied().enumerate() {
            let rest = deleted.get(at..).unwrap_or(&[]);
            let end = at + rest.partition_point(|record| record.run <= index);
            laid.push(Run { slot, slots, row, deleted: (at, end) });
            row += 1 + u64::from(slots) + (end - at) as u64;
            at = end;
        }
        let mut by_ip: Vec<(u32, usize)> =
            deleted.iter().enumerate().map(|(at, record)| (record.ip, at)).collect();
        by_ip.sort_unstable();
        Self { runs: laid, deleted, by_ip, total: row }
    }

    /// Number of rows.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The runs, in order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// Deleted records, sorted by run, slot and IP.
    pub fn deleted(&self) -> &[DeletedRecord] {
        &self.deleted
    }

    /// What stands in a row; `None` past the end.
    pub fn at(&self, row: u64) -> Option<Row> {
        if row >= self.total {
            return None;
        }
        let index = self.runs.partition_point(|run| run.row <= row).checked_sub(1)?;
        let run = self.runs.get(index)?;
        let Some(local) = (row - run.row).checked_sub(1) else { return Some(Row::Divider(index)) };
        let deleted = self.deleted_of(run);
        // The k-th deleted record of a run stands k rows further than its slot alone would.
        let place = |k: usize, record: &DeletedRecord| u64::from(record.slot - run.slot) + k as u64;
        let before = partition(deleted, |k, record| place(k, record) < local);
        match deleted.get(before) {
            Some(record) if place(before, record) == local => Some(Row::Deleted(record.ip)),
            _ => {
                let offset = local - before as u64;
                Some(Row::Slot(run.slot.saturating_add(u32::try_from(offset).ok()?)))
            }
        }
    }

    /// The row of an image slot.
    pub fn of_slot(&self, slot: u32) -> Option<u64> {
        let index = self.run_of_slot(slot)?;
        let run = self.runs.get(index)?;
        let before = self.deleted_of(run).partition_point(|record| record.slot <= slot);
        Some(run.row + 1 + u64::from(slot - run.slot) + before as u64)
    }

    /// The row of a deleted record.
    pub fn of_deleted(&self, ip: u32) -> Option<u64> {
        let at = self.position_of(ip)?;
        let record = self.deleted.get(at)?;
        let run = self.runs.get(record.run)?;
        let k = (at - run.deleted.0) as u64;
        Some(run.row + 1 + u64::from(record.slot - run.slot) + k)
    }

    /// The deleted record of a NEFF IP.
    pub fn deleted_record(&self, ip: u32) -> Option<&DeletedRecord> {
        self.deleted.get(self.position_of(ip)?)
    }

    fn position_of(&self, ip: u32) -> Option<usize> {
        let at = self.by_ip.partition_point(|(known, _)| *known < ip);
        self.by_ip.get(at).filter(|(known, _)| *known == ip).map(|(_, index)| *index)
    }

    /// The run that an image slot is in.
    pub fn run_of_slot(&self, slot: u32) -> Option<usize> {
        // Runs are in image order; of several that start at one slot only the last can hold it.
        let index = self.runs.partition_point(|run| run.slot <= slot).checked_sub(1)?;
        self.runs.get(index).filter(|run| slot - run.slot < run.slots).map(|_| index)
    }

    fn deleted_of(&self, run: &Run) -> &[DeletedRecord] {
        self.deleted.get(run.deleted.0..run.deleted.1).unwrap_or(&[])
    }
}

/// The number of leading records for which `before` holds; it must hold for a prefix.
fn partition(records: &[DeletedRecord], before: impl Fn(usize, &DeletedRecord) -> bool) -> usize {
    let (mut low, mut high) = (0, records.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if records.get(middle).is_some_and(|record| before(middle, record)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Preamble of 2 slots; MAIN of 3 slots with IP 2 deleted before slot 3 and IPs 5, 6 deleted
    /// at its end; postamble of 1.
    fn rows() -> Rows {
        let deleted = vec![
            DeletedRecord { run: 1, slot: 5, ip: 6 },
            DeletedRecord { run: 1, slot: 3, ip: 2 },
            DeletedRecord { run: 1, slot: 5, ip: 5 },
        ];
        Rows::new(&[(0, 2), (2, 3), (5, 1)], deleted)
    }

    #[test]
    fn rows_interleave_dividers_slots_and_deleted_records() {
        use Row::{Deleted, Divider, Slot};
        let expected = [
            Divider(0),
            Slot(0),
            Slot(1),
            Divider(1),
            Slot(2),
            Deleted(2),
            Slot(3),
            Slot(4),
            Deleted(5),
            Deleted(6),
            Divider(2),
            Slot(5),
        ];
        let rows = rows();
        assert_eq!(rows.total(), expected.len() as u64);
        for (row, expected) in expected.into_iter().enumerate() {
            assert_eq!(rows.at(row as u64), Some(expected), "row {row}");
            match expected {
                Slot(slot) => assert_eq!(rows.of_slot(slot), Some(row as u64)),
                Deleted(ip) => assert_eq!(rows.of_deleted(ip), Some(row as u64)),
                Divider(run) => assert_eq!(rows.runs()[run].row, row as u64),
            }
        }
        assert_eq!(rows.at(12), None);
        assert_eq!(rows.of_slot(6), None);
    }

    #[test]
    fn an_empty_image_has_no_rows() {
        assert_eq!(Rows::new(&[], Vec::new()).total(), 0);
        assert_eq!(Rows::new(&[(0, 0)], Vec::new()).at(0), Some(Row::Divider(0)));
    }
}

//! A captured image beside the built one: which display row shows which aligned record, and the
//! walk from difference to difference.
//!
//! Records are numbered as the `diff` columns number them. In the short form runs of equal records
//! are folded into one row each.

use debug_api::answer::ChangeRun;

/// How the two sides of a record compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Byte for byte equal.
    Same,
    /// Other bytes at the same place.
    Rewritten,
    /// Only in the captured image.
    OnlyReal,
    /// Only in the built image.
    OnlyModelled,
}

impl Change {
    /// The change of a column code; same for anything unknown.
    pub const fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Rewritten,
            2 => Self::OnlyReal,
            3 => Self::OnlyModelled,
            _ => Self::Same,
        }
    }

    fn parse(name: &str) -> Self {
        match name {
            "rewritten" => Self::Rewritten,
            "only-real" => Self::OnlyReal,
            "only-modelled" => Self::OnlyModelled,
            _ => Self::Same,
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Rewritten => "other bytes",
            Self::OnlyReal => "only captured",
            Self::OnlyModelled => "only built",
        }
    }
}

/// A run of records that share a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// First record.
    pub start: u64,
    /// Records.
    pub count: u64,
    /// First display row.
    pub row: u64,
    /// Change.
    pub change: Change,
    /// First slot of each side, or where it would be.
    pub slots: [u32; 2],
    /// Region of the first.
    pub region: String,
}

/// What a display row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A record.
    Record(u64),
    /// Equal records that are left out: first and number.
    Fold(u64, u64),
}

/// A stop of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// From 1.
    pub number: usize,
    /// Differences in all.
    pub total: usize,
    /// Display row.
    pub row: u64,
    /// Whether the walk went around an end.
    pub around: bool,
}

/// The rows of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    runs: Vec<Run>,
    only: bool,
    rows: u64,
    records: u64,
}

impl Plan {
    /// Lays out the runs of an answer; `only` folds what is equal.
    pub fn new(answer: &[ChangeRun], only: bool) -> Self {
        let (mut start, mut row) = (0, 0);
        let runs = answer
            .iter()
            .filter(|run| run.slots > 0)
            .map(|run| {
                let (change, count) = (Change::parse(&run.change), u64::from(run.slots));
                let slots = [run.real, run.modelled];
                let laid = Run { start, count, row, change, slots, region: run.region.clone() };
                start += count;
                row += if only && change == Change::Same { 1 } else { count };
                laid
            })
            .collect();
        Self { runs, only, rows: row, records: start }
    }

    /// Display rows.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Records in all.
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Number of differences.
    pub fn differences(&self) -> usize {
        self.runs.iter().filter(|run| run.change != Change::Same).count()
    }

    fn folded(&self, run: &Run) -> bool {
        self.only && run.change == Change::Same
    }

    /// What a display row shows; `None` past the end.
    pub fn at(&self, row: u64) -> Option<Shown> {
        let run = self.runs.get(self.runs.partition_point(|run| run.row <= row).checked_sub(1)?)?;
        if row >= self.rows {
            return None;
        }
        Some(if self.folded(run) {
            Shown::Fold(run.start, run.count)
        } else {
            Shown::Record(run.start + (row - run.row))
        })
    }

    /// The run of a record.
    pub fn run_of(&self, record: u64) -> Option<&Run> {
        let at = self.runs.partition_point(|run| run.start <= record).checked_sub(1)?;
        self.runs.get(at).filter(|run| record - run.start < run.count)
    }

    /// The display row of a record, or of the fold that hides it.
    pub fn row_of(&self, record: u64) -> Option<u64> {
        let run = self.run_of(record)?;
        Some(if self.folded(run) { run.row } else { run.row + (record - run.start) })
    }

    /// The slots of a record: captured, built.
    pub fn slots_of(&self, record: u64) -> Option<[Option<u32>; 2]> {
        let run = self.run_of(record)?;
        let nth = u32::try_from(record - run.start).ok()?;
        let [real, modelled] = run.slots.map(|first| first.checked_add(nth));
        Some([
            real.filter(|_| run.change != Change::OnlyModelled),
            modelled.filter(|_| run.change != Change::OnlyReal),
        ])
    }

    /// The record of a slot of one side: 0 captured, 1 built.
    pub fn record_of(&self, slot: u32, side: usize) -> Option<u64> {
        let absent = if side == 0 { Change::OnlyModelled } else { Change::OnlyReal };
        let own = |run: &&Run| {
            let first = run.slots.get(side).copied().unwrap_or(0);
            run.change != absent && slot >= first && u64::from(slot - first) < run.count
        };
        let run = self.runs.iter().find(own)?;
        Some(run.start + u64::from(slot - run.slots.get(side)?))
    }

    /// The next difference after a display row, or the one before it, around the ends.
    pub fn next(&self, row: u64, forward: bool) -> Option<Stop> {
        let stops: Vec<u64> =
            self.runs.iter().filter(|r| r.change != Change::Same).map(|run| run.row).collect();
        let total = stops.len();
        let found = if forward {
            stops.iter().position(|stop| *stop > row)
        } else {
            stops.iter().rposition(|stop| *stop < row)
        };
        let end = if forward { 0 } else { total.checked_sub(1)? };
        let at = found.unwrap_or(end);
        let row = *stops.get(at)?;
        Some(Stop { number: at + 1, total, row, around: found.is_none() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captured 0 to 9, built 0 to 10: 4 same, slot 4 rewritten, 3 same, slot 8 only captured,
    /// built slots 8 and 9 only built, 1 same.
    fn runs() -> Vec<ChangeRun> {
        let run = |change: &str, real, modelled, slots| ChangeRun {
            change: change.to_owned(),
            real,
            modelled,
            slots,
            region: "MAIN".to_owned(),
        };
        vec![
            run("same", 0, 0, 4),
            run("rewritten", 4, 4, 1),
            run("same", 5, 5, 3),
            run("only-real", 8, 8, 1),
            run("only-modelled", 9, 8, 2),
            run("same", 9, 10, 1),
        ]
    }

    #[test]
    fn every_record_has_a_row() {
        let plan = Plan::new(&runs(), false);
        assert_eq!((plan.rows(), plan.records(), plan.differences()), (12, 12, 3));
        for record in 0..12 {
            assert_eq!(plan.at(record), Some(Shown::Record(record)));
            assert_eq!(plan.row_of(record), Some(record));
        }
        assert_eq!((plan.at(12), plan.row_of(12)), (None, None));
        assert_eq!(plan.slots_of(4), Some([Some(4), Some(4)]));
        assert_eq!(plan.slots_of(8), Some([Some(8), None]));
        assert_eq!(plan.slots_of(10), Some([None, Some(9)]));
        assert_eq!(plan.slots_of(11), Some([Some(9), Some(10)]));
        assert_eq!((plan.record_of(8, 0), plan.record_of(8, 1)), (Some(8), Some(9)));
        assert_eq!((plan.record_of(9, 0), plan.record_of(10, 1)), (Some(11), Some(11)));
        assert_eq!((plan.record_of(10, 0), plan.record_of(11, 1)), (None, None));
    }

    #[test]
    fn equal_records_are_folded() {
        let plan = Plan::new(&runs(), true);
        let rows: Vec<_> = (0..7).map(|row| plan.at(row)).collect();
        let want = [
            Some(Shown::Fold(0, 4)),
            Some(Shown::Record(4)),
            Some(Shown::Fold(5, 3)),
            Some(Shown::Record(8)),
            Some(Shown::Record(9)),
            Some(Shown::Record(10)),
            Some(Shown::Fold(11, 1)),
        ];
        assert_eq!(rows, want);
        assert_eq!(plan.at(7), None);
        assert_eq!((plan.row_of(6), plan.row_of(10)), (Some(2), Some(5)));
    }

    #[test]
    fn the_walk_stops_at_each_run_and_goes_around() {
        let plan = Plan::new(&runs(), false);
        let next = |row, forward| plan.next(row, forward).map(|s| (s.number, s.row, s.around));
        assert_eq!(next(0, true), Some((1, 4, false)));
        assert_eq!(next(4, true), Some((2, 8, false)));
        assert_eq!(next(8, true), Some((3, 9, false)));
        assert_eq!(next(9, true), Some((1, 4, true)));
        assert_eq!(next(9, false), Some((2, 8, false)));
        assert_eq!(next(4, false), Some((3, 9, true)));
        assert_eq!(Plan::new(&runs()[..1], false).next(0, true), None);
        assert_eq!(Plan::new(&runs()[..1], false).next(0, false), None);
    }
}

//! Display rows of the Code pane against image slots, from the region runs and patch marks alone.
//!
//! The rows of an engine are its slots in image order, one divider before each run, and the
//! deleted records where they would be. So a row can be found before any row has been loaded.

use debug_api::answer::{EngineRegions, PatchMark};

/// What a display row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowPlace {
    /// The divider of the run with this index.
    Divider(usize),
    /// An image slot.
    Slot(u32),
    /// A deleted record, by its NEFF IP where the mark names one.
    Deleted(Option<u32>),
}

/// The run that a display row belongs to, its divider included.
pub fn run_of_row(engine: &EngineRegions, row: u64) -> Option<usize> {
    engine.runs.partition_point(|run| run.row <= row).checked_sub(1)
}

/// The run that an image slot belongs to.
pub fn run_of_slot(engine: &EngineRegions, slot: u64) -> Option<usize> {
    let at = engine.runs.partition_point(|run| run.slot <= slot).checked_sub(1)?;
    let run = engine.runs.get(at)?;
    (slot - run.slot < run.slots).then_some(at)
}

/// The deleted records of an image in row order, so that rows and slots are found by bisection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    deletes: Vec<Deleted>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Deleted {
    row: u64,
    count: u64,
    ip: Option<u32>,
    /// Records deleted in rows before.
    before: u64,
}

impl Places {
    /// Sorts the deleted records of an image.
    pub fn new(engine: &EngineRegions) -> Self {
        let mut marks: Vec<&PatchMark> =
            engine.patches.iter().filter(|mark| mark.kind == "DELETE").collect();
        marks.sort_by_key(|mark| mark.row);
        let mut before = 0;
        let deletes = marks
            .into_iter()
            .map(|mark| {
                let own = Deleted { row: mark.row, count: mark.count, ip: mark.ip, before };
                before += mark.count;
                own
            })
            .collect();
        Self { deletes }
    }

    /// What a display row is; `None` past the end.
    pub fn place_of_row(&self, engine: &EngineRegions, row: u64) -> Option<RowPlace> {
        if row >= engine.rows {
            return None;
        }
        let at = run_of_row(engine, row)?;
        let run = engine.runs.get(at)?;
        if row == run.row {
            return Some(RowPlace::Divider(at));
        }
        if let Some(mark) = self.last(row).filter(|mark| row - mark.row < mark.count) {
            let nth = u32::try_from(row - mark.row).ok();
            let ip = mark.ip.zip(nth).and_then(|(ip, nth)| ip.checked_add(nth));
            return Some(RowPlace::Deleted(ip));
        }
        let deleted = self.deleted_before(row) - self.deleted_before(run.row);
        let slot = run.slot + (row - run.row - 1).checked_sub(deleted)?;
        u32::try_from(slot).ok().map(RowPlace::Slot)
    }

    /// The display row of an image slot.
    pub fn row_of_slot(&self, engine: &EngineRegions, slot: u32) -> Option<u64> {
        let slot = u64::from(slot);
        let run = engine.runs.get(run_of_slot(engine, slot)?)?;
        let own = self.deletes.partition_point(|mark| mark.row < run.row);
        let before = self.deleted_before(run.row);
        // The row without deleted records; each mark at or before it moves it on.
        let plain = run.row + 1 + (slot - run.slot);
        let rest = self.deletes.get(own..).unwrap_or(&[]);
        let moved = rest.partition_point(|mark| mark.row <= plain + (mark.before - before));
        let last = moved.checked_sub(1).and_then(|last| rest.get(last));
        Some(plain + last.map_or(0, |mark| mark.before + mark.count - before))
    }

    /// The last mark at or before a row.
    fn last(&self, row: u64) -> Option<&Deleted> {
        let at = self.deletes.partition_point(|mark| mark.row <= row).checked_sub(1)?;
        self.deletes.get(at)
    }

    fn deleted_before(&self, row: u64) -> u64 {
        self.last(row).map_or(0, |mark| mark.before + mark.count.min(row - mark.row))
    }
}

/// What a display row is; `None` past the end.
pub fn place_of_row(engine: &EngineRegions, row: u64) -> Option<RowPlace> {
    Places::new(engine).place_of_row(engine, row)
}

/// The display row of an image slot.
pub fn row_of_slot(engine: &EngineRegions, slot: u32) -> Option<u64> {
    Places::new(engine).row_of_slot(engine, slot)
}

/// The display row of a deleted record.
pub fn row_of_deleted(engine: &EngineRegions, ip: u32) -> Option<u64> {
    engine.patches.iter().filter(|mark| mark.kind == "DELETE").find_map(|mark| {
        let nth = u64::from(ip.checked_sub(mark.ip?)?);
        (nth < mark.count).then_some(mark.row + nth)
    })
}

/// The first slot of MAIN, or of the image where MAIN has none.
pub fn first_slot(engine: &EngineRegions) -> Option<u32> {
    let main = engine.runs.iter().find(|run| run.region == "MAIN" && run.slots > 0);
    let run = main.or_else(|| engine.runs.iter().find(|run| run.slots > 0))?;
    u32::try_from(run.slot).ok()
}

/// The next patch after a display row, or the one before it, around the ends of the list; with
/// its number from 1.
pub fn next_patch(engine: &EngineRegions, row: u64, forward: bool) -> Option<(usize, &PatchMark)> {
    let mut marks: Vec<&PatchMark> = engine.patches.iter().collect();
    marks.sort_by_key(|mark| mark.row);
    let at = if forward {
        marks.iter().position(|mark| mark.row > row).unwrap_or(0)
    } else {
        marks.iter().rposition(|mark| mark.row < row).unwrap_or(marks.len().checked_sub(1)?)
    };
    marks.get(at).map(|mark| (at + 1, *mark))
}

/// The patch that a place belongs to, as its index: the row that inserted or changed the slot, or
/// that dropped the record.
pub fn patch_at(engine: &EngineRegions, slot: Option<u32>, ip: Option<u32>) -> Option<usize> {
    engine.patches.iter().position(|mark| {
        let within = |at: u64, first: u64| at.checked_sub(first).is_some_and(|n| n < mark.count);
        match (slot, mark.kind.as_str()) {
            (None, "DELETE") => {
                ip.zip(mark.ip).is_some_and(|(ip, first)| within(ip.into(), first.into()))
            }
            (Some(slot), "INSERT" | "MODIFY") => within(slot.into(), mark.slot),
            _ => false,
        }
    })
}

/// Number of patch rows and of their slots by kind: INSERT, DELETE, MODIFY.
pub fn patch_counts(engine: &EngineRegions) -> [(u64, u64); 3] {
    ["INSERT", "DELETE", "MODIFY"].map(|kind| {
        let own = engine.patches.iter().filter(|mark| mark.kind == kind);
        own.fold((0, 0), |(rows, slots), mark| (rows + 1, slots + mark.count))
    })
}

/// The first row from `row` on, in steps of `step`, that is no divider.
pub fn skip_dividers(engine: &EngineRegions, row: u64, step: i64) -> Option<u64> {
    let mut row = row;
    while let Some(place) = place_of_row(engine, row) {
        if !matches!(place, RowPlace::Divider(_)) {
            return Some(row);
        }
        row = row.checked_add_signed(step.signum())?;
    }
    None
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use debug_api::Provenance;
    use debug_api::answer::RegionRun;

    /// PE of a small program: 3 slots of preamble (1 of them MODEL_SWITCH), 4 records of which
    /// the second is deleted, 2 slots of postamble.
    ///
    /// ```text
    /// row 0 divider PREAMBLE      row 6 slot 3, IP 1
    /// row 1 slot 0                row 7 IP 2, deleted
    /// row 2 divider MODEL_SWITCH  row 8 slot 4, IP 3
    /// row 3 slot 1                row 9 slot 5, IP 4
    /// row 4 slot 2                row 10 divider POSTAMBLE
    /// row 5 divider MAIN          row 11 slot 6, row 12 slot 7
    /// ```
    pub(crate) fn small() -> EngineRegions {
        let run = |region: &str, slot, slots, ips, row| RegionRun {
            region: region.to_owned(),
            slot,
            slots,
            ips,
            provenance: Provenance::Modelled,
            row,
            function: None,
        };
        let mark = |kind: &str, section: &str, slot, count, row, ip| PatchMark {
            kind: kind.to_owned(),
            section: section.to_owned(),
            slot,
            count,
            row,
            ip,
        };
        EngineRegions {
            engine: "PE".to_owned(),
            neff_slots: 4,
            image_slots: 8,
            bytes: 512,
            base: "0x1000".to_owned(),
            base_provenance: Provenance::Configured,
            captured: false,
            agreement: None,
            rows: 13,
            runs: vec![
                run("PREAMBLE", 0, 1, None, 0),
                run("MODEL_SWITCH", 1, 2, None, 2),
                run("MAIN", 3, 3, Some([1, 4]), 5),
                run("POSTAMBLE", 6, 2, None, 10),
            ],
            patches: vec![
                mark("INSERT", "PREAMBLE", 0, 3, 1, None),
                mark("INSERT", "POSTAMBLE", 6, 2, 11, None),
                mark("DELETE", "MAIN", 4, 1, 7, Some(2)),
            ],
            rewritten: 0,
            provenance: Provenance::Modelled,
            notes: Vec::new(),
        }
    }

    #[test]
    fn every_row_is_what_the_table_says() {
        use RowPlace::{Deleted, Divider, Slot};
        let want = [
            Divider(0),
            Slot(0),
            Divider(1),
            Slot(1),
            Slot(2),
            Divider(2),
            Slot(3),
            Deleted(Some(2)),
            Slot(4),
            Slot(5),
            Divider(3),
            Slot(6),
            Slot(7),
        ];
        for (row, place) in want.into_iter().enumerate() {
            assert_eq!(place_of_row(&small(), row as u64), Some(place), "row {row}");
        }
        assert_eq!(place_of_row(&small(), 13), None);
    }

    #[test]
    fn slots_and_deleted_records_find_their_row() {
        let engine = small();
        let rows = [1, 3, 4, 6, 8, 9, 11, 12];
        for (slot, row) in rows.into_iter().enumerate() {
            assert_eq!(row_of_slot(&engine, slot as u32), Some(row), "slot {slot}");
        }
        assert_eq!(row_of_slot(&engine, 8), None);
        assert_eq!(row_of_deleted(&engine, 2), Some(7));
        assert_eq!(row_of_deleted(&engine, 3), None);
        assert_eq!(first_slot(&engine), Some(3));
    }

    #[test]
    fn a_delete_before_the_first_slot_of_a_run_shifts_it() {
        let mut engine = small();
        engine.patches[2].row = 6;
        engine.patches[2].ip = Some(1);
        assert_eq!(row_of_slot(&engine, 3), Some(7));
        assert_eq!(place_of_row(&engine, 6), Some(RowPlace::Deleted(Some(1))));
        assert_eq!(place_of_row(&engine, 7), Some(RowPlace::Slot(3)));
    }

    #[test]
    fn runs_of_deletes_side_by_side_are_told_apart() {
        // MAIN of 3 slots: IP 1 and 2 deleted as two marks, slot 3, IP 4 deleted, slots 4 and 5.
        let mut engine = small();
        let mark = |row, ip| PatchMark { row, ip: Some(ip), ..engine.patches[2].clone() };
        let marks = [mark(6, 1), mark(7, 2), mark(9, 4)];
        engine.patches.truncate(2);
        engine.patches.extend(marks);
        engine.runs[3].row = 12;
        engine.rows = 15;
        let want = [
            (6, RowPlace::Deleted(Some(1))),
            (7, RowPlace::Deleted(Some(2))),
            (8, RowPlace::Slot(3)),
            (9, RowPlace::Deleted(Some(4))),
            (10, RowPlace::Slot(4)),
            (11, RowPlace::Slot(5)),
            (13, RowPlace::Slot(6)),
        ];
        for (row, place) in want {
            assert_eq!(place_of_row(&engine, row), Some(place), "row {row}");
            if let RowPlace::Slot(slot) = place {
                assert_eq!(row_of_slot(&engine, slot), Some(row), "slot {slot}");
            }
        }
    }

    #[test]
    fn patches_are_visited_in_row_order_and_around_the_ends() {
        let engine = small();
        let at = |row, forward| next_patch(&engine, row, forward).map(|(n, mark)| (n, mark.row));
        assert_eq!(at(0, true), Some((1, 1)));
        assert_eq!(at(1, true), Some((2, 7)));
        assert_eq!(at(7, true), Some((3, 11)));
        assert_eq!(at(11, true), Some((1, 1)));
        assert_eq!(at(11, false), Some((2, 7)));
        assert_eq!(at(1, false), Some((3, 11)));
        let none = EngineRegions { patches: Vec::new(), ..small() };
        assert_eq!(next_patch(&none, 0, true), None);
        assert_eq!(next_patch(&none, 0, false), None);
    }

    #[test]
    fn a_place_knows_its_patch() {
        let engine = small();
        assert_eq!(patch_at(&engine, Some(2), None), Some(0));
        assert_eq!(patch_at(&engine, Some(3), Some(1)), None, "a slot of the file");
        assert_eq!(patch_at(&engine, Some(4), Some(2)), None, "the slot after the deleted record");
        assert_eq!(patch_at(&engine, None, Some(2)), Some(2));
        assert_eq!(patch_at(&engine, Some(7), None), Some(1));
        assert_eq!(patch_counts(&engine), [(2, 5), (1, 1), (0, 0)]);
    }

    #[test]
    fn steps_do_not_stop_on_dividers() {
        let engine = small();
        assert_eq!(skip_dividers(&engine, 5, 1), Some(6));
        assert_eq!(skip_dividers(&engine, 5, -1), Some(4));
        assert_eq!(skip_dividers(&engine, 0, -1), None);
        assert_eq!(skip_dividers(&engine, 13, 1), None);
    }
}

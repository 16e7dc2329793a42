//! Gives the patch rows of a capture their sections.
//!
//! A capture stores rows without a section. Walking them beside the source tells which region
//! each belongs to, and whether capture and program belong together at all.
//! Spec: docs/format/image.md "Rows of a capture" [observed].

use records::{PatchRow, PatchSection, PatchType, Slot, SlotIndex};

use crate::layout::{ByteRange, ImageRanges, SLOT};
use crate::pc_map::SourceCounts;

/// Rows with sections, and the regions that follow from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconciled {
    /// All rows, by offset.
    pub rows: Vec<PatchRow>,
    /// Regions of the image. The model-switch part is empty unless the program start is known.
    pub ranges: ImageRanges,
}

/// Capture and program do not belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReconcileError {
    /// The walk came to a place that no row explains.
    #[error("at image slot {slot} the source has no record left and no row inserts slots")]
    Unexplained {
        /// Image slot.
        slot: u64,
    },
    /// A row lies before the place that the walk has reached.
    #[error("row {row} at slot {slot} lies inside what rows before it inserted")]
    Swallowed {
        /// Index of the row, by offset.
        row: usize,
        /// Its slot.
        slot: u64,
    },
    /// A row deletes more records than the source has left.
    #[error("row {row} deletes {count} records, the source has {left} left")]
    TooManyDeleted {
        /// Index of the row, by offset.
        row: usize,
        /// Records it deletes.
        count: u32,
        /// Records left.
        left: u64,
    },
    /// A row has an unknown type.
    #[error("row {row} has the unknown type {kind}")]
    Kind {
        /// Index of the row, by offset.
        row: usize,
        /// Its type.
        kind: u32,
    },
    /// Rows reach beyond the image.
    #[error("the rows account for {walked} slots, the image has {slots}")]
    Length {
        /// Slots that rows and source account for.
        walked: u64,
        /// Slots of the image.
        slots: u64,
    },
    /// Records are left when the image ends.
    #[error("{left} source records are left at the end of the image")]
    RecordsLeft {
        /// Records left.
        left: u64,
    },
}

/// Attaches sections to the rows of a captured image that was made from a stream of so many
/// records. Sections that the rows already carry are not looked at; rows of FUNCTION get offsets
/// that count from the function section, as everywhere else.
///
/// INSERT rows that tile the image from its start are PREAMBLE. Where the first record itself is
/// expanded its row tiles too: `preamble`, the preamble's slots in the image that is built for the
/// program, then tells where to stop, if the rows have a boundary there and the rest adds up.
///
/// No capture with functions is known. Where the source has some, POSTAMBLE is taken to end with
/// the first inserted run whose last slot is a branch, which is inferred.
pub fn attach_sections(
    rows: &[PatchRow],
    source: SourceCounts,
    slots: &[Slot],
    preamble: Option<u64>,
) -> Result<Reconciled, ReconcileError> {
    if preamble.is_some()
        && let Ok(made) = attach(rows, source, slots, preamble)
    {
        return Ok(made);
    }
    attach(rows, source, slots, None)
}

fn attach(
    rows: &[PatchRow],
    source: SourceCounts,
    slots: &[Slot],
    preamble: Option<u64>,
) -> Result<Reconciled, ReconcileError> {
    let mut rows = rows.to_vec();
    // A stable sort: rows at one offset stay in stored order.
    rows.sort_by_key(|row| row.offset);
    let mut walk = Walk {
        preamble_ends: preamble,
        at: 0,
        left: u64::from(source.main),
        functions: u64::from(source.functions),
        preamble: 0,
        in_preamble: true,
        postamble: None,
        section: None,
    };
    for (index, row) in rows.iter_mut().enumerate() {
        walk.row(index, row, slots)?;
    }
    walk.finish(slots.len() as u64)?;
    let bytes = |slot: u64| slot * SLOT;
    let end = slots.len() as u64;
    let functions = walk.section.unwrap_or(end);
    let postamble = walk.postamble.unwrap_or(functions);
    for row in rows.iter_mut().filter(|row| row.section == PatchSection::FUNCTION) {
        row.offset = row.offset.saturating_sub(u32::try_from(bytes(functions)).unwrap_or(u32::MAX));
    }
    let until = usize::try_from(functions).unwrap_or(usize::MAX);
    let start = program_start(slots.get(..until).unwrap_or(slots));
    let start = start.map_or(0, |start| u64::from(start.0).min(walk.preamble));
    let ranges = ImageRanges {
        preamble: ByteRange::between(0, bytes(walk.preamble)),
        model_switch: ByteRange::between(0, bytes(start)),
        core: ByteRange::between(bytes(walk.preamble), bytes(postamble)),
        functions: ByteRange::between(bytes(functions), bytes(end)),
        image_bytes: bytes(end),
    };
    Ok(Reconciled { rows, ranges })
}

/// The walk beside image and source.
struct Walk {
    /// Image slot.
    at: u64,
    /// Records left in the part that is walked.
    left: u64,
    /// Records of the function section, not yet walked.
    functions: u64,
    /// Where PREAMBLE is to end, if that is known.
    preamble_ends: Option<u64>,
    /// Slots of PREAMBLE.
    preamble: u64,
    in_preamble: bool,
    /// Where POSTAMBLE begins.
    postamble: Option<u64>,
    /// Where the function section begins.
    section: Option<u64>,
}

impl Walk {
    fn row(
        &mut self,
        index: usize,
        row: &mut PatchRow,
        slots: &[Slot],
    ) -> Result<(), ReconcileError> {
        let slot = u64::from(row.offset) / SLOT;
        let count = u64::from(row.count);
        self.in_preamble &=
            row.kind == PatchType::INSERT && slot == self.at && self.preamble_ends != Some(self.at);
        if self.in_preamble {
            row.section = PatchSection::PREAMBLE;
            self.at += count;
            self.preamble = self.at;
            return Ok(());
        }
        if slot < self.at {
            return Err(ReconcileError::Swallowed { row: index, slot });
        }
        // Up to the row, image and source go on together.
        let step = slot - self.at;
        if step > self.left {
            return Err(ReconcileError::Unexplained { slot: self.at + self.left });
        }
        self.at = slot;
        self.left -= step;
        let in_functions = self.section.is_some();
        row.section = if in_functions { PatchSection::FUNCTION } else { PatchSection::MAIN };
        match row.kind {
            PatchType::INSERT if self.left == 0 && !in_functions => {
                row.section = PatchSection::POSTAMBLE;
                self.postamble.get_or_insert(self.at);
                self.at += count;
                self.end_postamble(slots);
            }
            PatchType::INSERT => self.at += count,
            PatchType::DELETE => {
                let (count, left) = (row.count, self.left);
                self.left = left
                    .checked_sub(u64::from(count))
                    .ok_or(ReconcileError::TooManyDeleted { row: index, count, left })?;
            }
            PatchType::MODIFY => {
                let left = self.left.checked_sub(1);
                self.left = left.ok_or(ReconcileError::Unexplained { slot: self.at })?;
                self.at += 1;
            }
            PatchType(kind) => return Err(ReconcileError::Kind { row: index, kind }),
        }
        Ok(())
    }

    /// Goes over to the function section if the slot before is the reset branch.
    fn end_postamble(&mut self, slots: &[Slot]) {
        if self.functions == 0 {
            return;
        }
        let until = usize::try_from(self.at).unwrap_or(usize::MAX);
        if slots.get(..until).is_some_and(|slots| program_start(slots).is_some()) {
            self.section = Some(self.at);
            self.left = std::mem::take(&mut self.functions);
        }
    }

    /// Takes the records without a row after the last one.
    fn finish(&mut self, slots: u64) -> Result<(), ReconcileError> {
        let rest = slots.saturating_sub(self.at).min(self.left);
        self.at += rest;
        self.left -= rest;
        if self.at != slots {
            return Err(ReconcileError::Length { walked: self.at, slots });
        }
        match self.left.saturating_add(self.functions) {
            0 => Ok(()),
            left => Err(ReconcileError::RecordsLeft { left }),
        }
    }
}

/// The program start of a captured image without its function section: the target of its last
/// slot, if that is a relative branch into the image.
/// Spec: docs/format/image.md "Rows of a capture" [observed].
pub fn program_start(slots: &[Slot]) -> Option<SlotIndex> {
    let last = slots.len().checked_sub(1)?;
    let branch = slots.get(last)?;
    if branch.opcode_byte() != 0xA9 || branch.u8_at(0x0E) != 3 {
        return None;
    }
    let distance = i64::from(branch.u32_at(0x30) as i32);
    let target = i64::try_from(last).ok()?.checked_add(distance / 64)?;
    let inside = distance % 64 == 0 && usize::try_from(target).is_ok_and(|t| t < slots.len());
    inside.then_some(SlotIndex(u32::try_from(target).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pc_map::PcMap;
    use records::NeffIp;

    fn row(slot: u32, count: u32, kind: PatchType) -> PatchRow {
        // A capture stores no section; any number stands for that.
        PatchRow { offset: slot * 64, count, kind, section: PatchSection(99) }
    }

    /// An image of so many slots whose last slot branches to `start`.
    fn image(slots: usize, start: usize) -> Vec<Slot> {
        let mut image = vec![Slot::ZERO; slots];
        let distance = start as i32 - (slots as i32 - 1);
        image[slots - 1] = records::build::branch(distance * 64);
        image
    }

    fn main(records: u32) -> SourceCounts {
        SourceCounts { main: records, functions: 0 }
    }

    fn sections(reconciled: &Reconciled) -> Vec<Option<&'static str>> {
        reconciled.rows.iter().map(|row| row.section.name()).collect()
    }

    /// Six records B1 CC C1 C1 A4 A4 on POOL become an image of 86 slots.
    #[test]
    fn the_label_is_deleted_and_the_rest_maps_one_to_one() {
        let rows = [
            row(0, 69, PatchType::INSERT),
            row(70, 1, PatchType::DELETE),
            row(74, 12, PatchType::INSERT),
        ];
        let made = attach_sections(&rows, main(6), &image(86, 38), None).unwrap();
        assert_eq!(sections(&made), [Some("PREAMBLE"), Some("MAIN"), Some("POSTAMBLE")]);
        assert_eq!(made.ranges.core, ByteRange { offset: 69 * 64, size: 5 * 64 });
        assert_eq!(made.ranges.postamble(), ByteRange { offset: 74 * 64, size: 12 * 64 });
        assert_eq!(made.ranges.model_switch, ByteRange { offset: 0, size: 38 * 64 });
        let map = PcMap::new(&made.rows, made.ranges, SourceCounts { main: 6, functions: 0 });
        assert_eq!(map.check(), Ok(()));
        let ip = |slot| map.exact_at_slot(SlotIndex(slot)).map(|exact| exact.neff_ip);
        assert_eq!(ip(68), None);
        assert_eq!(ip(69), Some(NeffIp(1)));
        let rest: Vec<_> = (70..74).filter_map(ip).collect();
        assert_eq!(rest, [NeffIp(3), NeffIp(4), NeffIp(5), NeffIp(6)]);
        assert_eq!(ip(74), None);
    }

    #[test]
    fn several_rows_may_tile_preamble_and_postamble() {
        let rows = [40, 6, 4].map(|count| row(0, count, PatchType::INSERT));
        let mut rows = rows.to_vec();
        rows[1].offset = 40 * 64;
        rows[2].offset = 46 * 64;
        rows.extend([row(51, 60, PatchType::INSERT), row(111, 1, PatchType::INSERT)]);
        let made = attach_sections(&rows, main(1), &image(112, 20), None).unwrap();
        let names = ["PREAMBLE", "PREAMBLE", "PREAMBLE", "POSTAMBLE", "POSTAMBLE"].map(Some);
        assert_eq!(sections(&made), names);
        assert_eq!(made.ranges.core, ByteRange { offset: 50 * 64, size: 64 });
    }

    #[test]
    fn a_deleted_record_may_share_its_offset_with_the_postamble() {
        let rows = [
            row(0, 62, PatchType::INSERT),
            row(63, 1, PatchType::DELETE),
            row(63, 11, PatchType::INSERT),
        ];
        let made = attach_sections(&rows, main(2), &image(74, 20), None).unwrap();
        assert_eq!(sections(&made), [Some("PREAMBLE"), Some("MAIN"), Some("POSTAMBLE")]);
    }

    #[test]
    fn an_insert_with_records_left_expands_one_of_them() {
        let rows = [
            row(0, 2, PatchType::INSERT),
            row(3, 2, PatchType::INSERT),
            row(8, 1, PatchType::INSERT),
        ];
        let made = attach_sections(&rows, main(4), &image(9, 1), None).unwrap();
        assert_eq!(sections(&made), [Some("PREAMBLE"), Some("MAIN"), Some("POSTAMBLE")]);
    }

    #[test]
    fn another_program_is_noticed() {
        let rows = [
            row(0, 69, PatchType::INSERT),
            row(70, 1, PatchType::DELETE),
            row(74, 12, PatchType::INSERT),
        ];
        let error = |records, slots| {
            attach_sections(&rows, main(records), &image(slots, 1), None).unwrap_err()
        };
        assert_eq!(error(3, 86), ReconcileError::Unexplained { slot: 71 });
        assert_eq!(error(6, 90), ReconcileError::Length { walked: 86, slots: 90 });
        // More records than the image holds: the last row is taken for an expansion.
        assert_eq!(error(9, 86), ReconcileError::RecordsLeft { left: 3 });
        let odd = [row(0, 1, PatchType::INSERT), row(1, 1, PatchType(7))];
        let error = attach_sections(&odd, main(1), &image(2, 0), None).unwrap_err();
        assert_eq!(error, ReconcileError::Kind { row: 1, kind: 7 });
    }

    /// One record that becomes 3 slots stands right after a preamble of 62.
    #[test]
    fn the_built_preamble_tells_where_an_expanded_first_record_begins() {
        let rows = [
            row(0, 62, PatchType::INSERT),
            row(62, 2, PatchType::INSERT),
            row(65, 11, PatchType::INSERT),
        ];
        let slots = image(76, 22);
        let core = |hint| attach_sections(&rows, main(1), &slots, hint).unwrap().ranges.core;
        assert_eq!(core(Some(62)), ByteRange { offset: 62 * 64, size: 3 * 64 });
        // Without a hint, or with one that no row boundary meets, tiling rows are the preamble.
        assert_eq!(core(None), ByteRange { offset: 64 * 64, size: 64 });
        assert_eq!(core(Some(61)), ByteRange { offset: 64 * 64, size: 64 });
    }

    /// PREAMBLE 2, MAIN of 3 records of which one is deleted, POSTAMBLE 2 with the reset branch,
    /// then 4 function records of which the second takes 2 slots.
    #[test]
    fn functions_follow_the_reset_branch() {
        let rows = [
            row(0, 2, PatchType::INSERT),
            row(3, 1, PatchType::DELETE),
            row(4, 2, PatchType::INSERT),
            row(7, 1, PatchType::INSERT),
        ];
        let mut slots = image(6, 1);
        slots.resize(11, Slot::ZERO);
        let source = SourceCounts { main: 3, functions: 4 };
        let made = attach_sections(&rows, source, &slots, None).unwrap();
        let names = ["PREAMBLE", "MAIN", "POSTAMBLE", "FUNCTION"].map(Some);
        assert_eq!(sections(&made), names);
        assert_eq!(made.rows[3].offset, 64);
        assert_eq!(made.ranges.core, ByteRange { offset: 2 * 64, size: 2 * 64 });
        assert_eq!(made.ranges.functions, ByteRange { offset: 6 * 64, size: 5 * 64 });
        let map = PcMap::new(&made.rows, made.ranges, source);
        assert_eq!(map.check(), Ok(()));
        let ips: Vec<_> = (6..11).map(|slot| map.exact_at_slot(SlotIndex(slot)).unwrap()).collect();
        let numbers: Vec<u32> = ips.iter().map(|exact| exact.neff_ip.get()).collect();
        assert_eq!(numbers, [4, 5, 5, 6, 7]);
    }

    #[test]
    fn the_last_branch_leads_to_the_program_start() {
        let mut slots = vec![Slot::ZERO; 86];
        assert_eq!(program_start(&slots), None);
        slots[85] = records::build::branch(-47 * 64);
        assert_eq!(program_start(&slots), Some(SlotIndex(38)));
        slots[85] = records::build::branch(-87 * 64);
        assert_eq!(program_start(&slots), None);
    }
}

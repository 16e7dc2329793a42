//! Gives the patch rows of a capture their sections.
//!
//! A capture stores rows without a section. Walking them beside the source tells which region
//! each belongs to, and whether capture and program belong together at all.
//! Spec: docs/format/image.md "Rows of a capture" [observed].

use records::{PatchRow, PatchSection, PatchType, Slot, SlotIndex};

use crate::layout::{ByteRange, ImageRanges, SLOT};

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

/// Attaches sections to the rows of an image with `image_slots` slots that was made from a stream
/// of `source_records` records. Sections that the rows already carry are not looked at. `start`
/// is the program start in the image, if known; it ends the model-switch part.
pub fn attach_sections(
    rows: &[PatchRow],
    source_records: u32,
    image_slots: u32,
    start: Option<SlotIndex>,
) -> Result<Reconciled, ReconcileError> {
    let mut rows = rows.to_vec();
    rows.sort_by_key(|row| row.offset);
    let (mut at, mut left) = (0_u64, u64::from(source_records));
    let mut preamble = 0;
    let mut in_preamble = true;
    let mut postamble = None;
    for (index, row) in rows.iter_mut().enumerate() {
        let slot = u64::from(row.offset) / SLOT;
        in_preamble &= row.kind == PatchType::INSERT && slot == at;
        if in_preamble {
            row.section = PatchSection::PREAMBLE;
            at += u64::from(row.count);
            preamble = at;
            continue;
        }
        if slot < at {
            return Err(ReconcileError::Swallowed { row: index, slot });
        }
        // Up to the row, image and source go on together.
        let step = slot - at;
        if step > left {
            return Err(ReconcileError::Unexplained { slot: at + left });
        }
        at = slot;
        left -= step;
        row.section = PatchSection::MAIN;
        match row.kind {
            PatchType::INSERT => {
                if left == 0 {
                    row.section = PatchSection::POSTAMBLE;
                    postamble.get_or_insert(at);
                }
                at += u64::from(row.count);
            }
            PatchType::DELETE => {
                left = left
                    .checked_sub(u64::from(row.count))
                    .ok_or(ReconcileError::TooManyDeleted { row: index, count: row.count, left })?;
            }
            PatchType::MODIFY => {
                left = left.checked_sub(1).ok_or(ReconcileError::Unexplained { slot: at })?;
                at += 1;
            }
            PatchType(kind) => return Err(ReconcileError::Kind { row: index, kind }),
        }
    }
    // Records without a row after the last one.
    let slots = u64::from(image_slots);
    let rest = slots.saturating_sub(at).min(left);
    at += rest;
    left -= rest;
    if at != slots {
        return Err(ReconcileError::Length { walked: at, slots });
    }
    if left > 0 {
        return Err(ReconcileError::RecordsLeft { left });
    }
    let bytes = |slot: u64| slot * SLOT;
    let start = start.map_or(0, |start| u64::from(start.0).min(preamble));
    let ranges = ImageRanges {
        preamble: ByteRange::between(0, bytes(preamble)),
        model_switch: ByteRange::between(0, bytes(start)),
        core: ByteRange::between(bytes(preamble), bytes(postamble.unwrap_or(slots))),
        functions: ByteRange::between(bytes(slots), bytes(slots)),
        image_bytes: bytes(slots),
    };
    Ok(Reconciled { rows, ranges })
}

/// The program start of a captured image: the target of its last slot, if that is a relative
/// branch into the image.
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
    use crate::pc_map::{PcMap, SourceCounts};
    use records::NeffIp;

    fn row(slot: u32, count: u32, kind: PatchType) -> PatchRow {
        // A capture stores no section; any number stands for that.
        PatchRow { offset: slot * 64, count, kind, section: PatchSection(99) }
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
        let made = attach_sections(&rows, 6, 86, Some(SlotIndex(38))).unwrap();
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
        let made = attach_sections(&rows, 1, 112, None).unwrap();
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
        let made = attach_sections(&rows, 2, 74, None).unwrap();
        assert_eq!(sections(&made), [Some("PREAMBLE"), Some("MAIN"), Some("POSTAMBLE")]);
    }

    #[test]
    fn an_insert_with_records_left_expands_one_of_them() {
        let rows = [
            row(0, 2, PatchType::INSERT),
            row(3, 2, PatchType::INSERT),
            row(8, 1, PatchType::INSERT),
        ];
        let made = attach_sections(&rows, 4, 9, None).unwrap();
        assert_eq!(sections(&made), [Some("PREAMBLE"), Some("MAIN"), Some("POSTAMBLE")]);
    }

    #[test]
    fn another_program_is_noticed() {
        let rows = [
            row(0, 69, PatchType::INSERT),
            row(70, 1, PatchType::DELETE),
            row(74, 12, PatchType::INSERT),
        ];
        let error = |records, slots| attach_sections(&rows, records, slots, None).unwrap_err();
        assert_eq!(error(3, 86), ReconcileError::Unexplained { slot: 71 });
        assert_eq!(error(6, 90), ReconcileError::Length { walked: 86, slots: 90 });
        // More records than the image holds: the last row is taken for an expansion.
        assert_eq!(error(9, 86), ReconcileError::RecordsLeft { left: 3 });
        let odd = [row(0, 1, PatchType::INSERT), row(1, 1, PatchType(7))];
        let error = attach_sections(&odd, 1, 2, None).unwrap_err();
        assert_eq!(error, ReconcileError::Kind { row: 1, kind: 7 });
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

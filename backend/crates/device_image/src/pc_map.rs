//! Device PC to source record and back, for one engine image.
//!
//! Two answers stand side by side: the exact one, and the one that the shipped runtime's own
//! arithmetic gives, with its errors. The image holds no base address; the caller passes it.
//! Spec: docs/format/pc-map.md "Two readings" [observed].

use std::ops::Range;

use records::{DevicePc, ImageOffset, NeffIp, PatchRow, PatchSection, SlotIndex};

use crate::layout::{ByteRange, ImageRanges, Region, SLOT};
use crate::section_map::{Place, SectionMap};
use crate::walk::{InvalidPatchType, Walked};

/// The exact source record of a device slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExactIp {
    /// The record, counted over the whole stream.
    pub neff_ip: NeffIp,
    /// The same as a 0-based stream slot.
    pub slot: SlotIndex,
    /// Whether the slot lies in an inserted run: it was made for this record, which itself stands
    /// after the run.
    pub inserted: bool,
}

/// What the runtime's own walk gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuntimeIp {
    /// Its answer, with the wrap inside inserted runs undone.
    pub neff_ip: u32,
    /// Its answer as the shipped 32-bit arithmetic gives it; may be 0 or close to 2^32.
    pub literal: u32,
}

/// Why the runtime's own walk gives no answer. The texts are the runtime's.
/// Spec: docs/format/pc-map.md "Errors of the runtime" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuntimeError {
    /// The patch list has no row of section MAIN.
    #[error("failed to find section 2")]
    NoMainRow,
    /// The patch list has no row of section POSTAMBLE after the first MAIN row.
    #[error("failed to find section 1")]
    NoPostambleRow,
    /// The PC is neither in MAIN nor in the function section.
    #[error("out of bounds of main and function buffer")]
    OutsideMainAndFunctions,
    /// The PC is not in MAIN, and there is no function section.
    #[error("out of bounds of the main buffer")]
    OutsideMain,
    /// A row of unknown type was reached.
    #[error("internal error: {0}")]
    BadRow(InvalidPatchType),
}

/// Where a device PC lies relative to the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PcPlace {
    /// Below the base, by so many bytes.
    Before(u64),
    /// In the image.
    Inside {
        /// Byte of the image.
        offset: ImageOffset,
        /// Slot of the image, rounded down.
        slot: SlotIndex,
        /// Bytes from the slot's start to the PC; 0 for a PC of an instruction.
        unaligned_by: u32,
        /// Region of that slot.
        region: Region,
        /// Whether the slot lies in the model-switch part of the preamble.
        model_switch: bool,
    },
    /// At or past the image end, by so many bytes.
    After(u64),
}

/// Everything about one device PC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcAnswer {
    /// The PC asked for.
    pub device_pc: DevicePc,
    /// The image base that was used.
    pub base: DevicePc,
    /// Where it lies.
    pub place: PcPlace,
    /// The source record; `None` outside MAIN and FUNCTION.
    pub exact: Option<ExactIp>,
    /// The runtime's own reading.
    pub runtime: Result<RuntimeIp, RuntimeError>,
    /// Whether both readings name the same record, or both none.
    pub agrees: bool,
}

/// Where a source record is in the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IpPlace {
    /// Its image slots, one or several.
    Slots(Range<u32>),
    /// It has none; the next record's slots begin at this image slot.
    Deleted(SlotIndex),
    /// The stream has no such record.
    Outside,
}

/// Patch list, ranges and source do not fit each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapMismatch {
    /// The walk over a section accounts for another number of records than the source has.
    #[error("{} accounts for {walked} source records, the stream has {source_records}", region.name())]
    Records {
        /// Section concerned.
        region: Region,
        /// Records that the patch list accounts for.
        walked: u64,
        /// Records that the source has there.
        source_records: u64,
    },
    /// A row of unknown type ends the map of a section.
    #[error("{} has a row of {reason}", region.name())]
    BadRow {
        /// Section concerned.
        region: Region,
        /// The row's type.
        reason: InvalidPatchType,
    },
}

/// Source records per section: what the patch list has to account for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// Records of function 0.
    pub main: u32,
    /// Records of all further functions.
    pub functions: u32,
}

/// The PC map of one engine image.
#[derive(Clone, Debug)]
pub struct PcMap {
    ranges: ImageRanges,
    counts: SourceCounts,
    main: SectionMap,
    functions: SectionMap,
    /// The two tests that the runtime makes before it walks.
    rows_found: Result<(), RuntimeError>,
    /// Its walk to the last MAIN slot, the base of function answers.
    main_walk: Result<Walked, InvalidPatchType>,
}

impl PcMap {
    /// Builds the map from a patch list in stored order. Takes time linear in rows and image
    /// slots and 4 bytes per slot.
    pub fn new(rows: &[PatchRow], ranges: ImageRanges, counts: SourceCounts) -> Self {
        let slots = |range: ByteRange| {
            let end = range.end().min(ranges.image_bytes);
            let n = end.saturating_sub(range.offset) / SLOT;
            u32::try_from(n).unwrap_or(u32::MAX)
        };
        let first = ranges.core.first_slot();
        let main = SectionMap::new(rows, PatchSection::MAIN, first, slots(ranges.core));
        let functions = SectionMap::new(rows, PatchSection::FUNCTION, 0, slots(ranges.functions));
        let main_walk = slots(ranges.core)
            .checked_sub(1)
            .and_then(|last| main.runtime(last))
            .unwrap_or(Ok(Walked { ip: 1, literal: 1 }));
        Self { ranges, counts, main, functions, rows_found: find_rows(rows), main_walk }
    }

    /// The same map for a runtime that has freed its patch list: its own reading finds no row.
    #[must_use]
    pub fn with_freed_list(self) -> Self {
        Self { rows_found: Err(RuntimeError::NoMainRow), ..self }
    }

    /// The exact source record of a device PC, and nothing else: the fast question. An unaligned
    /// PC counts as the slot that it lies in.
    #[inline]
    pub fn exact(&self, base: DevicePc, pc: DevicePc) -> Option<ExactIp> {
        self.exact_at(pc.0.checked_sub(base.0)?)
    }

    /// The exact source record of an image slot.
    pub fn exact_at_slot(&self, slot: SlotIndex) -> Option<ExactIp> {
        self.exact_at(slot.byte_offset())
    }

    /// All there is to say about a device PC.
    pub fn locate(&self, base: DevicePc, pc: DevicePc) -> PcAnswer {
        let place = self.place(base, pc);
        let exact = self.exact(base, pc);
        let runtime = self.runtime(base, pc);
        let agrees = exact.map(|exact| exact.neff_ip.0) == runtime.ok().map(|ip| ip.neff_ip);
        PcAnswer { device_pc: pc, base, place, exact, runtime, agrees }
    }

    /// Image slots of a source record.
    pub fn image_slots(&self, ip: NeffIp) -> IpPlace {
        let (map, range, ip) = match ip.0.checked_sub(self.counts.main) {
            Some(ip) if ip > 0 => (&self.functions, self.ranges.functions, ip),
            _ => (&self.main, self.ranges.core, ip.0),
        };
        let first = u32::try_from(range.first_slot()).unwrap_or(u32::MAX);
        match map.place_of(ip) {
            Place::Slots(run) => {
                IpPlace::Slots(first.saturating_add(run.start)..first.saturating_add(run.end))
            }
            Place::DeletedAt(slot) => IpPlace::Deleted(SlotIndex(first.saturating_add(slot))),
            Place::Outside => IpPlace::Outside,
        }
    }

    /// The runtime's own reading of a device PC.
    pub fn runtime(&self, base: DevicePc, pc: DevicePc) -> Result<RuntimeIp, RuntimeError> {
        self.rows_found?;
        let functions = self.ranges.functions;
        let outside = if functions.size > 0 {
            RuntimeError::OutsideMainAndFunctions
        } else {
            RuntimeError::OutsideMain
        };
        let offset = pc.0.checked_sub(base.0).ok_or(outside)?;
        let core = self.ranges.core;
        // The last slot counts only with its first byte.
        let last = core.end().checked_sub(SLOT);
        if offset < self.ranges.image_bytes
            && offset >= core.offset
            && last.is_some_and(|last| offset <= last)
        {
            let walked = walk_to(&self.main, core, offset).ok_or(outside)?;
            let walked = walked.map_err(RuntimeError::BadRow)?;
            return Ok(RuntimeIp { neff_ip: walked.ip, literal: walked.literal });
        }
        if functions.contains(offset) {
            let main = self.main_walk.map_err(RuntimeError::BadRow)?;
            let walked = walk_to(&self.functions, functions, offset).ok_or(outside)?;
            let walked = walked.map_err(RuntimeError::BadRow)?;
            return Ok(RuntimeIp {
                neff_ip: main.ip.wrapping_add(walked.ip),
                literal: main.literal.wrapping_add(walked.literal),
            });
        }
        Err(outside)
    }

    /// The ranges that the map was built with.
    pub const fn ranges(&self) -> &ImageRanges {
        &self.ranges
    }

    /// The source counts that the map was built with.
    pub const fn source(&self) -> SourceCounts {
        self.counts
    }

    /// Whether the patch list accounts for exactly the source records. A list that does not belongs to
    /// another program.
    pub fn check(&self) -> Result<(), MapMismatch> {
        let sections = [
            (Region::Main, &self.main, self.counts.main),
            (Region::Function, &self.functions, self.counts.functions),
        ];
        for (region, map, count) in sections {
            if let Some(reason) = map.stopped() {
                return Err(MapMismatch::BadRow { region, reason });
            }
            let (walked, source_records) = (map.records(), u64::from(count));
            if walked != source_records {
                return Err(MapMismatch::Records { region, walked, source_records });
            }
        }
        Ok(())
    }

    #[inline]
    fn exact_at(&self, offset: u64) -> Option<ExactIp> {
        let (neff_ip, inserted) = if self.ranges.core.contains(offset) {
            self.main.exact(slot_in(self.ranges.core, offset)?)?
        } else if self.ranges.functions.contains(offset) {
            let (ip, inserted) = self.functions.exact(slot_in(self.ranges.functions, offset)?)?;
            (self.counts.main.checked_add(ip)?, inserted)
        } else {
            return None;
        };
        Some(ExactIp { neff_ip: NeffIp(neff_ip), slot: NeffIp(neff_ip).slot()?, inserted })
    }

    fn place(&self, base: DevicePc, pc: DevicePc) -> PcPlace {
        let Some(offset) = pc.0.checked_sub(base.0) else {
            return PcPlace::Before(base.0 - pc.0);
        };
        let inside = self.ranges.region_at(offset).zip(u32::try_from(offset / SLOT).ok());
        let Some((region, slot)) = inside else {
            return PcPlace::After(offset.saturating_sub(self.ranges.image_bytes));
        };
        PcPlace::Inside {
            offset: ImageOffset(offset),
            slot: SlotIndex(slot),
            unaligned_by: (offset % SLOT) as u32,
            region,
            model_switch: self.ranges.model_switch.contains(offset),
        }
    }
}

/// The runtime's tests for a MAIN row and a POSTAMBLE row after it.
fn find_rows(rows: &[PatchRow]) -> Result<(), RuntimeError> {
    let main = rows.iter().position(|row| row.section == PatchSection::MAIN);
    let after = main.and_then(|main| rows.get(main..)).ok_or(RuntimeError::NoMainRow)?;
    if after.iter().any(|row| row.section == PatchSection::POSTAMBLE) {
        Ok(())
    } else {
        Err(RuntimeError::NoPostambleRow)
    }
}

/// Slot of a byte, counted from the range's first slot.
#[inline]
fn slot_in(range: ByteRange, offset: u64) -> Option<u32> {
    u32::try_from((offset / SLOT).checked_sub(range.first_slot())?).ok()
}

fn walk_to(
    map: &SectionMap,
    range: ByteRange,
    offset: u64,
) -> Option<Result<Walked, InvalidPatchType>> {
    map.runtime(slot_in(range, offset)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::PatchType;

    fn row(offset: u32, count: u32, kind: PatchType, section: PatchSection) -> PatchRow {
        PatchRow { offset, count, kind, section }
    }

    /// Four records, the second expanded to three slots: PREAMBLE 2, MAIN 6, POSTAMBLE 2.
    fn expanded() -> PcMap {
        let rows = [
            row(0, 2, PatchType::INSERT, PatchSection::PREAMBLE),
            row(0xC0, 2, PatchType::INSERT, PatchSection::MAIN),
            row(0x200, 2, PatchType::INSERT, PatchSection::POSTAMBLE),
        ];
        let ranges = ImageRanges {
            preamble: ByteRange { offset: 0, size: 0x80 },
            model_switch: ByteRange { offset: 0, size: 0x40 },
            core: ByteRange { offset: 0x80, size: 0x180 },
            functions: ByteRange { offset: 0x280, size: 0 },
            image_bytes: 0x280,
        };
        PcMap::new(&rows, ranges, SourceCounts { main: 4, functions: 0 })
    }

    #[test]
    fn a_pc_outside_says_on_which_side_and_how_far() {
        let map = expanded();
        let base = DevicePc(0x10_0000);
        let before = map.locate(base, DevicePc(0xF_FFC0));
        assert_eq!(before.place, PcPlace::Before(0x40));
        let after = map.locate(base, DevicePc(0x10_02C0));
        assert_eq!(after.place, PcPlace::After(0x40));
        assert_eq!(after.runtime, Err(RuntimeError::OutsideMain));
        assert!(after.exact.is_none() && after.agrees);
    }

    #[test]
    fn an_unaligned_pc_counts_as_its_slot_and_says_so() {
        let answer = expanded().locate(DevicePc(0), DevicePc(0x10C));
        let PcPlace::Inside { slot, unaligned_by, region, .. } = answer.place else {
            panic!("{answer:?}");
        };
        assert_eq!((slot, unaligned_by, region), (SlotIndex(4), 0xC, Region::Main));
        assert_eq!(answer.exact.map(|e| (e.neff_ip.0, e.inserted)), Some((2, true)));
    }

    #[test]
    fn one_record_has_several_slots() {
        let map = expanded();
        assert_eq!(map.image_slots(NeffIp(1)), IpPlace::Slots(2..3));
        assert_eq!(map.image_slots(NeffIp(2)), IpPlace::Slots(3..6));
        assert_eq!(map.image_slots(NeffIp(4)), IpPlace::Slots(7..8));
        assert_eq!(map.image_slots(NeffIp(5)), IpPlace::Outside);
        assert_eq!(map.image_slots(NeffIp(0)), IpPlace::Outside);
        assert_eq!(map.check(), Ok(()));
    }
}

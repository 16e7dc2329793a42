//! From what a capture holds of an engine to an image like those that are built.
//!
//! The bytes and rows are the capture's. Which region a row belongs to, and which step of a
//! profile made an inserted record, is inferred.
//! Spec: docs/format/image.md "Rows of a capture" [observed].

use records::{Engine, NeffIp, PatchRow, PatchSection, Provenance, Slot, SlotIndex};

use crate::compare::{Change, Comparison, compare};
use crate::identify::Functions;
use crate::image::{Image, Origin, PlacedFunction, Reason, SlotInfo};
use crate::layout::Region;
use crate::patch_list::PatchList;
use crate::pc_map::PcMap;
use crate::program::{Generation, Program, Subgraph};
use crate::reconcile::{ReconcileError, attach_sections};

/// What a capture holds of one engine.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Engine.
    pub engine: Engine,
    /// Device records.
    pub slots: &'a [Slot],
    /// Patch rows, without sections.
    pub rows: &'a [PatchRow],
}

/// Whether capture and program belong together: rows, records and image account for each other.
/// `reference` is as for [`captured_image`].
///
/// # Errors
/// They do not; what is odd first.
pub fn check_captured(captured: Captured<'_>, reference: &Image) -> Result<(), ReconcileError> {
    let preamble = reference.ranges.preamble.slots();
    attach_sections(captured.rows, reference.source, captured.slots, Some(preamble)).map(|_| ())
}

/// Records of the program that a capture holds with other bytes, although the runtime would leave
/// them as they are: the image slot and NEFF IP of the first, and their number.
/// Spec: docs/format/ntff.md "Pairing" [observed].
pub fn foreign_records(
    real: &Image,
    modelled: &Image,
    source: &[Slot],
    comparison: &Comparison,
) -> Option<(SlotIndex, NeffIp, u64)> {
    // A built record is the program's own where it is no expansion and has the stream's bytes.
    let own = |built: u32| {
        let Origin::Record(ip) = modelled.info.get(built as usize)?.origin else { return None };
        let record = source.get(ip.slot()?.get() as usize)?;
        (modelled.slots.get(built as usize)? == record).then_some(ip)
    };
    let mut found: Option<(SlotIndex, NeffIp, u64)> = None;
    for run in comparison.runs.iter().filter(|run| run.change == Change::Rewritten) {
        for (at, built) in run.real.clone().zip(run.modelled.clone()) {
            let differs = real.slots.get(at as usize) != modelled.slots.get(built as usize);
            if let (true, Some(ip)) = (differs, own(built)) {
                found =
                    Some(found.map_or((SlotIndex(at), ip, 1), |(slot, ip, n)| (slot, ip, n + 1)));
            }
        }
    }
    found
}

/// Patch rows of a built image as a capture would hold them: from the start of the image, without
/// sections. For a capture whose rows are lost.
pub fn rows_as_captured(built: &Image) -> Vec<PatchRow> {
    let functions = u32::try_from(built.ranges.functions.offset).unwrap_or(u32::MAX);
    let placed = built.rows.iter().map(|row| {
        let from = if row.section == PatchSection::FUNCTION { functions } else { 0 };
        PatchRow { offset: row.offset.saturating_add(from), ..*row }
    });
    placed.collect()
}

/// The image of a capture, made from a stream of source records. `reference` is the image that the
/// capture's own runtime would build for the same program, as far as a profile for it is known: it
/// helps to tell the regions of rows apart. `modelled` is the one to compare with, under any
/// profile; where its records stand beside captured ones, their steps are taken over.
///
/// # Errors
/// Rows, records and image do not account for each other: they do not belong together.
pub fn captured_image(
    captured: Captured<'_>,
    source: &[Slot],
    reference: &Image,
    modelled: &Image,
) -> Result<(Image, Comparison), ReconcileError> {
    // What is odd about the source was said when the modelled image was built.
    let mut ignored = neff::Findings::new();
    let nothing = Subgraph::without_queues(Generation::Cayman);
    let program = Program { subgraph: &nothing, engine: captured.engine, slots: source };
    let functions = Functions::identify(program, &mut ignored);
    let preamble = reference.ranges.preamble.slots();
    let made = attach_sections(captured.rows, reference.source, captured.slots, Some(preamble))?;
    let map = PcMap::new(&made.rows, made.ranges, reference.source);
    let info = (0..captured.slots.len()).map(|slot| {
        let offset = slot as u64 * crate::layout::SLOT;
        let index = SlotIndex(u32::try_from(slot).unwrap_or(u32::MAX));
        let origin = map.exact_at_slot(index).map(|exact| Origin::Record(exact.neff_ip));
        SlotInfo {
            region: made.ranges.region_at(offset).unwrap_or(Region::Postamble),
            origin: origin.unwrap_or(Origin::Inserted),
            provenance: Provenance::File,
        }
    });
    let info: Vec<SlotInfo> = info.collect();
    let mut image = Image {
        engine: captured.engine,
        profile: modelled.profile.clone(),
        slots: captured.slots.to_vec(),
        functions: with_blocks(placed(&functions, &map), modelled),
        info,
        post_process: modelled.post_process.clone(),
        rooms: Vec::new(),
        patch_capacity: PatchList::capacity_of(made.rows.len()),
        rows: made.rows,
        ranges: made.ranges,
        steps: modelled.steps.clone(),
        source: reference.source,
        provenance: Provenance::File,
        reasons: vec![Reason {
            provenance: Provenance::Inferred,
            text: String::from(
                "bytes and patch rows are the capture's; regions and steps are inferred, since a \
                 capture names neither",
            ),
        }],
    };
    let comparison = compare(&image, modelled);
    take_steps(&mut image, modelled, &comparison);
    Ok((image, comparison))
}

/// The blocks of the modelled image, if its functions lie where those of the capture do: a capture
/// itself does not tell how blocks were built.
fn with_blocks(placed: Vec<PlacedFunction>, modelled: &Image) -> Vec<PlacedFunction> {
    let place = |function: &PlacedFunction| (function.id, function.first, function.slots);
    if placed.iter().map(place).eq(modelled.functions.iter().map(place)) {
        modelled.functions.clone()
    } else {
        placed
    }
}

/// MAIN and the further functions, as far as their records have image slots.
fn placed(functions: &Functions, map: &PcMap) -> Vec<PlacedFunction> {
    let mut list = Vec::new();
    for function in &functions.list {
        let slots = |record: u32| match map.image_slots(records::NeffIp(record.saturating_add(1))) {
            crate::pc_map::IpPlace::Slots(slots) => Some(slots),
            crate::pc_map::IpPlace::Deleted(at) => Some(at.0..at.0),
            crate::pc_map::IpPlace::Outside => None,
        };
        let first = slots(function.records.start).map(|slots| slots.start);
        let last = function.records.end.checked_sub(1).and_then(slots).map(|slots| slots.end);
        let (first, end) = match (first, last) {
            (Some(first), Some(end)) if !function.records.is_empty() => (first, end),
            _ => (0, 0),
        };
        list.push(PlacedFunction {
            id: function.id,
            reset_semaphores: function.reset_semaphores,
            return_registers: (function.return_low, function.return_high),
            blocks: Vec::new(),
            name: function.name.clone(),
            first: SlotIndex(first),
            slots: end.saturating_sub(first),
        });
    }
    list
}

/// Inserted records that stand beside a built one get its step.
fn take_steps(image: &mut Image, modelled: &Image, comparison: &Comparison) {
    let shared =
        comparison.runs.iter().filter(|run| matches!(run.change, Change::Same | Change::Rewritten));
    for run in shared {
        for (real, built) in run.real.clone().zip(run.modelled.clone()) {
            let step = modelled.info.get(built as usize).map(|info| info.origin);
            if let (Some(info), Some(step @ Origin::Step(_))) =
                (image.info.get_mut(real as usize), step)
                && info.origin == Origin::Inserted
            {
                info.origin = step;
            }
        }
    }
}

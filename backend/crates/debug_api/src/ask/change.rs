//! What the runtime changed at a slot or a record: the patch row it belongs to with its records
//! before and its slots after, or the record that was rewritten in place.

use super::pc::{slot_provenance, step};
use super::view::View;
use crate::answer::{ChangeInfo, ChangedRecord, PlaceRef, Provenance};
use crate::convert::{hex_bytes, provenance};
use kbin::disasm;
use records::{NeffIp, Opcode, PatchRow, PatchSection, PatchType, Slot, SlotIndex};

/// Most records of one side.
const MAX_RECORDS: u32 = 16;

/// The change that an image slot, or a record without one, belongs to.
pub fn change(view: &View<'_>, slot: Option<u32>, ip: Option<u32>) -> Option<ChangeInfo> {
    match slot {
        Some(slot) => of_slot(view, slot).or_else(|| rewritten(view, slot)),
        None => of_deleted(view, ip?),
    }
}

/// First image slot of a patch row.
fn first_slot(view: &View<'_>, row: &PatchRow) -> Option<u32> {
    let functions = row.section == PatchSection::FUNCTION;
    let base = if functions { view.image().image.ranges.functions.offset } else { 0 };
    u32::try_from((base + u64::from(row.offset)) / 64).ok()
}

fn in_code(row: &PatchRow) -> bool {
    matches!(row.section, PatchSection::MAIN | PatchSection::FUNCTION)
}

fn of_slot(view: &View<'_>, slot: u32) -> Option<ChangeInfo> {
    let map = &view.image().map;
    let ip_at = |slot: u32| map.exact_at_slot(SlotIndex(slot)).map(|exact| exact.neff_ip);
    let rows = view.image().image.rows.iter().enumerate();
    let (index, row, first, after) =
        rows.filter(|(_, row)| row.kind != PatchType::DELETE).find_map(|(index, row)| {
            let first = first_slot(view, row)?;
            let end = first.saturating_add(row.count);
            // The slots inserted for a record are followed by the one that the record became.
            let own = row.kind == PatchType::INSERT
                && in_code(row)
                && row.count > 0
                && ip_at(end).is_some_and(|ip| ip_at(first) == Some(ip));
            let after = row.count.saturating_add(u32::from(own));
            (first..first.saturating_add(after))
                .contains(&slot)
                .then_some((index, row, first, after))
        })?;
    let records: Vec<NeffIp> = match row.kind {
        PatchType::INSERT => ip_at(first).into_iter().collect(),
        _ => (first..first.saturating_add(after)).filter_map(ip_at).take(16).collect(),
    };
    let before_total = match row.kind {
        PatchType::INSERT => records.len() as u32,
        _ => after,
    };
    Some(ChangeInfo {
        before: records.iter().filter_map(|ip| record(view, *ip)).collect(),
        before_total,
        after: slots(view, first, after, slot),
        after_total: after,
        ..told(view, index, row, first)
    })
}

fn of_deleted(view: &View<'_>, ip: u32) -> Option<ChangeInfo> {
    // Deleted records are listed in the order of the rows that drop them.
    let deleted = view.image().rows.deleted();
    let mut taken = 0_usize;
    for (index, row) in view.image().image.rows.iter().enumerate() {
        if row.kind != PatchType::DELETE {
            continue;
        }
        let end = taken.saturating_add(row.count as usize);
        let own = deleted.get(taken..end.min(deleted.len())).unwrap_or(&[]);
        taken = end;
        let Some(at) = own.iter().position(|record| record.ip == ip) else { continue };
        let from = at.saturating_sub(MAX_RECORDS as usize / 2);
        let near = own.iter().skip(from).take(MAX_RECORDS as usize);
        return Some(ChangeInfo {
            before: near.filter_map(|own| record(view, NeffIp(own.ip))).collect(),
            before_total: row.count,
            after: Vec::new(),
            after_total: 0,
            ..told(view, index, row, first_slot(view, row)?)
        });
    }
    None
}

/// A record whose slot has other bytes without a patch row that says so.
fn rewritten(view: &View<'_>, slot: u32) -> Option<ChangeInfo> {
    let image = view.image();
    let ip = image.rewritten(slot, view.stream(view.engine))?;
    Some(ChangeInfo {
        kind: "REWRITE".to_owned(),
        section: image.run_at(slot).map_or_else(String::new, |run| run.region.to_owned()),
        index: None,
        slot,
        count: 1,
        before: record(view, ip).into_iter().collect(),
        before_total: 1,
        after: slots(view, slot, 1, slot),
        after_total: 1,
        provenance: slot_provenance(view, slot),
    })
}

/// What a patch row says of itself.
fn told(view: &View<'_>, index: usize, row: &PatchRow, slot: u32) -> ChangeInfo {
    let image = view.image();
    let name = |name: Option<&str>, what: &str, code: u32| {
        name.map_or_else(|| format!("{what} {code}"), str::to_owned)
    };
    ChangeInfo {
        kind: name(row.kind.name(), "type", row.kind.0),
        section: name(row.section.name(), "section", row.section.0),
        index: u32::try_from(index).ok(),
        slot,
        count: row.count,
        before: Vec::new(),
        before_total: 0,
        after: Vec::new(),
        after_total: 0,
        provenance: if image.captured {
            Provenance::File
        } else {
            provenance(image.image.provenance)
        },
    }
}

fn bytes_of(view: &View<'_>, ip: NeffIp) -> Option<Slot> {
    view.stream(view.engine).get(ip.slot()?.get() as usize).copied()
}

fn record(view: &View<'_>, ip: NeffIp) -> Option<ChangedRecord> {
    let bytes = bytes_of(view, ip)?;
    Some(shown(bytes, view.place_of_ip(view.engine, ip.get()), Provenance::File))
}

/// Slots `first..first + count` of the image, at most [`MAX_RECORDS`] around `near`.
fn slots(view: &View<'_>, first: u32, count: u32, near: u32) -> Vec<ChangedRecord> {
    let end = first.saturating_add(count);
    let last = end.saturating_sub(MAX_RECORDS).max(first);
    let from = near.saturating_sub(MAX_RECORDS / 2).clamp(first, last);
    let to = end.min(from.saturating_add(MAX_RECORDS));
    let image = view.image();
    (from..to)
        .filter_map(|slot| {
            let bytes = *image.image.slots.get(slot as usize)?;
            let exact = image.map.exact_at_slot(SlotIndex(slot));
            let place = view.place_of_slot(view.engine, slot);
            Some(ChangedRecord {
                inserted: exact.is_none_or(|exact| exact.inserted),
                step: step(view, SlotIndex(slot)).map(|step| step.title),
                ..shown(bytes, place, slot_provenance(view, slot))
            })
        })
        .collect()
}

fn shown(bytes: Slot, place: PlaceRef, provenance: Provenance) -> ChangedRecord {
    let opcode = bytes.opcode_byte();
    ChangedRecord {
        place,
        inserted: false,
        mnemonic: Opcode(opcode)
            .mnemonic()
            .map_or_else(|| format!("OPCODE {opcode:#04x}"), str::to_owned),
        text: disasm::text(&bytes),
        hex: hex_bytes(bytes.bytes()),
        step: None,
        provenance,
    }
}

//! What the runtime's records and their fields lead to: other records, slots, bytes.
//!
//! A pointer of the runtime is an address in its own memory and 0 here; what it points to follows
//! from the field's meaning. Spec: docs/format/image.md "Records of the runtime" [observed].

use super::image::marks;
use super::view::View;
use crate::answer::{PlaceRef, RecordFieldInfo, RecordLink, RecordValueInfo};
use crate::convert::number;
use records::Engine;

/// Most links of one field: a table of thousands of pointers is a list in the tree.
const MOST_LINKS: usize = 24;

/// Where a record leads.
pub fn record_links(view: &View<'_>, name: &str) -> Vec<RecordLink> {
    let image = &view.image().image;
    let parts: Vec<&str> = name.split('.').collect();
    let index = |text: &str| text.parse::<usize>().ok();
    match parts.as_slice() {
        ["inst_block"] | ["eib"] | ["addrs"] => vec![image_bytes(view, 0, 0)],
        ["functions", at] => {
            let function = index(at).and_then(|at| image.functions.get(at));
            let known = function.filter(|function| function.slots > 0);
            known.map(|function| slot(view, "first slot", function.first.0)).into_iter().collect()
        }
        ["functions", at, "blocks", block] => {
            let function = index(at).and_then(|at| image.functions.get(at));
            let block = function.zip(index(block)).and_then(|(f, block)| f.blocks.get(block));
            let Some(block) = block else { return Vec::new() };
            let mut links = Vec::new();
            if block.slots > 0 {
                links.push(slot(view, "first slot", block.first.0));
            }
            let records = &block.records;
            let bytes = u64::from(records.end.saturating_sub(records.start)) * 64;
            let start = u64::from(records.start) * 64;
            links.push(of_engine(view, "its records in the stream", "stream", start, bytes));
            links
        }
        ["patch_info", list, row] => {
            let engine = list.parse::<Engine>().ok();
            let row = engine.zip(index(row));
            row.and_then(|(engine, row)| patch(view, engine, row)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What a field of a record points to.
pub fn field_links(view: &View<'_>, name: &str, field: &RecordFieldInfo) -> Vec<RecordLink> {
    let image = &view.image().image;
    let parts: Vec<&str> = name.split('.').collect();
    let numbers = |prefix: String, count: usize| -> Vec<RecordLink> {
        (0..count.min(MOST_LINKS)).map(|at| record(&format!("{prefix}{at}"))).collect()
    };
    match (parts.as_slice(), field.name.as_str()) {
        (["eib"], "code") => vec![record("inst_block")],
        (["addrs"], "base") => vec![image_bytes(view, 0, 0)],
        (["inst_block"], "dmem" | "start_addr" | "buf") => vec![image_bytes(view, 0, 0)],
        (["arch_ops"], "instr_block_caps") => vec![record("capabilities")],
        (["arch_ops"], "sync_events" | "get_inf_init_start") => vec![record("reserved_events")],
        (["functions"], "func_ctx_ptrs.buf") => {
            numbers(String::from("functions."), image.functions.len())
        }
        (["functions", at], "block_ctx_ptrs.buf") => {
            let function = at.parse().ok().and_then(|at: usize| image.functions.get(at));
            let blocks = function.map_or(0, |function| function.blocks.len());
            numbers(format!("{name}.blocks."), blocks)
        }
        (["functions", at, "blocks", _], "function_id") => {
            vec![record(&format!("functions.{at}"))]
        }
        (["functions", _, "blocks", _], "kbin_begin_offset") => match bytes_of(field) {
            Some(at) => vec![of_engine(view, "stream", "stream", at, 64)],
            None => Vec::new(),
        },
        (["patch_info"], list) => {
            let list = list.strip_suffix(".locations").and_then(|list| list.parse::<Engine>().ok());
            let names = list.map(|engine| record(&format!("patch_info.{}", engine.name())));
            names.into_iter().collect()
        }
        (["patch_info", list], "locations") => {
            let engine = list.parse::<Engine>().ok();
            let rows = engine.map_or(0, |engine| view.images.engine(engine).image.rows.len());
            numbers(format!("{name}."), rows)
        }
        (["patch_info", list, row], "offset") => {
            let row = list.parse::<Engine>().ok().zip(row.parse().ok());
            row.and_then(|(engine, row)| patch(view, engine, row)).into_iter().collect()
        }
        (["eib" | "addrs" | "ib_functions"] | ["functions", _, "blocks", _], range)
            if range == "offset" || range.ends_with(".offset") =>
        {
            let slot_at = bytes_of(field).map(|at| at / 64).and_then(|at| u32::try_from(at).ok());
            let inside = slot_at.filter(|at| (*at as usize) < image.slots.len());
            inside.map(|at| slot(view, "", at)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn record(name: &str) -> RecordLink {
    RecordLink { label: name.to_owned(), record: Some(name.to_owned()), ..RecordLink::default() }
}

fn slot(view: &View<'_>, what: &str, slot: u32) -> RecordLink {
    let place = view.place_of_slot(view.engine, slot);
    let label = format!("{what} {slot}");
    let label = if what.is_empty() { format!("slot {slot}") } else { label };
    RecordLink { label, place: Some(place), ..RecordLink::default() }
}

/// The place that a patch row is about.
fn patch(view: &View<'_>, engine: Engine, row: usize) -> Option<RecordLink> {
    let mark = marks(view.images.engine(engine)).into_iter().nth(row)?;
    let slot = u32::try_from(mark.slot).ok()?;
    let (place, label): (PlaceRef, String) = match mark.ip {
        Some(ip) => (view.place_of_ip(engine, ip), format!("{} IP {ip}", mark.kind)),
        None => (view.place_of_slot(engine, slot), format!("{} at slot {slot}", mark.kind)),
    };
    Some(RecordLink { label, place: Some(place), ..RecordLink::default() })
}

fn image_bytes(view: &View<'_>, at: u64, bytes: u64) -> RecordLink {
    of_engine(view, "image", "image", at, bytes)
}

/// Bytes of the stream or image of the engine that is looked at.
fn of_engine(view: &View<'_>, label: &str, of: &str, at: u64, bytes: u64) -> RecordLink {
    RecordLink {
        label: label.to_owned(),
        of: Some(of.to_owned()),
        e: Some(view.engine.name().to_owned()),
        offset: at,
        bytes: (bytes > 0).then_some(bytes),
        ..RecordLink::default()
    }
}

fn bytes_of(field: &RecordFieldInfo) -> Option<u64> {
    match &field.value {
        RecordValueInfo::Number(value) => Some(*value),
        RecordValueInfo::Text(text) => number("offset", text).ok(),
        _ => None,
    }
}

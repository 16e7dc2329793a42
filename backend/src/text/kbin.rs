//! The tree of records, variables and queues as text.

use super::{fields_text, findings_text};
use crate::format::{clean, line, range, touched};
use debug_api::answer::{
    Finding, GateInfo, KbinAnswer, QueueAnswer, SlotUse, TransferAnswer, VariableAnswer,
};
use std::fmt::Write;

/// The `kbin` document.
pub fn kbin_text(answer: &KbinAnswer) -> String {
    let mut out = String::new();
    let found = if answer.total_hits > 0 {
        format!(" found, with {}", counted(answer.total_hits, "field"))
    } else {
        String::new()
    };
    line!(
        out,
        "{}: {}{found}, target {} [{}], default micro-code library for {} [{}]",
        clean(&answer.subgraph),
        counted(answer.total, "record"),
        answer.target,
        answer.target_provenance.name(),
        answer.default_library,
        answer.default_library_provenance.name()
    );
    for record in &answer.records {
        let rows = record.rows.filter(|rows| *rows > 0);
        let rows = rows.map_or(String::new(), |rows| format!("  {rows} rows"));
        line!(
            out,
            "  {:<34} {:<26} {:>10} bytes{rows}",
            clean(&record.name),
            record.kind,
            record.bytes
        );
        if let Some(part) = &record.part {
            fields_text(&mut out, &part.fields);
        }
        for hit in &record.hits {
            let row = hit.row.map_or("header".to_owned(), |row| format!("row {row}"));
            line!(
                out,
                "    {row:<10} {:>#8x}  {:<34} {}",
                hit.offset,
                clean(&hit.field),
                clean(&hit.value)
            );
        }
        let left = record.total_hits.saturating_sub(record.hits.len() as u64);
        if left > 0 {
            line!(out, "    and {left} more fields of it");
        }
    }
    if let Some(note) = &answer.note {
        line!(out, "  {}", clean(note));
    }
    line!(out, "  {}", clean(&answer.verdict_text));
    words_text(&mut out, &answer.gates, &answer.diagnostics);
    out
}

fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn words_text(out: &mut String, gates: &[GateInfo], diagnostics: &[Finding]) {
    for gate in gates {
        let verb = if gate.stops { "a loader stops with" } else { "a loader says" };
        line!(out, "  {verb}: {}", clean(&gate.text));
    }
    findings_text(out, diagnostics);
}

/// The `variable` document.
pub fn variable_text(answer: &VariableAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} variable {} `{}`, {}, at byte {} of mem_ref_set",
        clean(&answer.subgraph),
        answer.id,
        clean(&answer.name),
        answer.kind,
        answer.offset
    );
    fields_text(&mut out, &answer.fields);
    for name in &answer.named_by {
        line!(out, "  named by `{}`", clean(name));
    }
    line!(out, "  {} descriptors", answer.total_descriptors);
    for one in &answer.descriptors {
        let bytes = touched(one.start, one.end, one.touches.as_deref());
        line!(
            out,
            "    {:<6} {} {}[{}] block {}, {bytes}, {} in each hardware queue",
            one.role,
            one.op,
            clean(&one.record),
            one.row,
            one.block,
            one.elements
        );
    }
    slots_text(&mut out, answer.total_slots, &answer.slots);
    if let Some(place) = &answer.place {
        let address = place.address.as_deref().unwrap_or("no address");
        let from = place.provenance.name();
        line!(out, "  in device memory: {} {address} [{from}]", place.place);
    }
    for part in &answer.buffer {
        line!(
            out,
            "  state buffer {}: partitions {} to {}, {} of each",
            part.role,
            part.first_partition,
            part.first_partition.saturating_add(part.partitions.saturating_sub(1)),
            range(part.start, part.end)
        );
    }
    if answer.total_buffer_slots > 0 {
        line!(out, "  compute records that touch those bytes [inferred]:");
        slots_text(&mut out, answer.total_buffer_slots, &answer.buffer_slots);
    }
    words_text(&mut out, &answer.gates, &answer.diagnostics);
    out
}

/// The `queue` document.
pub fn queue_text(answer: &QueueAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} queue `{}`: {}, owner {}, {} hardware queues, semaphores {:?}",
        clean(&answer.subgraph),
        clean(&answer.name),
        answer.ring_type,
        answer.owner.as_deref().unwrap_or("unknown"),
        answer.queue_set_count,
        answer.semaphores
    );
    line!(
        out,
        "  {} descriptors, {} of {} in each of {} hardware queues [{}]",
        answer.descriptors,
        answer.elements,
        answer.limit,
        answer.hardware_queues,
        answer.elements_provenance.name()
    );
    for ring in &answer.rings {
        line!(
            out,
            "  {} `{}`: {} blocks, {} descriptors, {} bytes",
            clean(&ring.record),
            clean(&ring.name),
            ring.blocks,
            ring.descriptors,
            ring.bytes
        );
    }
    for part in &answer.contributors {
        line!(
            out,
            "  `{}`: {} in each hardware queue, in {} descriptors",
            clean(&part.variable),
            part.elements,
            part.descriptors
        );
    }
    slots_text(&mut out, answer.total_triggers, &answer.triggers);
    words_text(&mut out, &answer.gates, &answer.diagnostics);
    out
}

/// The `transfer` document.
pub fn transfer_text(answer: &TransferAnswer) -> String {
    let mut out = String::new();
    let of = match (&answer.queue, answer.block) {
        (Some(queue), Some(block)) => format!(" of queue `{}` block {block}", clean(queue)),
        _ => String::new(),
    };
    line!(
        out,
        "{} {}: {}{of}, {} descriptors in each hardware queue [{}]",
        clean(&answer.subgraph),
        clean(&answer.name),
        answer.op,
        answer.elements,
        answer.elements_provenance.name()
    );
    for side in &answer.sides {
        let bytes = touched(side.start, side.end, side.touches.as_deref());
        let room = side.room.map_or(String::new(), |room| format!(" of {room}"));
        line!(
            out,
            "  {:<6} {bytes}{room} of `{}`, {}",
            side.role,
            side.variable.as_deref().map_or("?".to_owned(), clean),
            side.dtype.as_deref().unwrap_or("no element type")
        );
        line!(out, "         offset {} sizes {:?} steps {:?}", side.offset, side.sizes, side.steps);
        let runs = side.runs.unwrap_or(0);
        let most = if side.touches.is_some() { "2^64 or more" } else { "0" };
        let bytes = side.bytes.map_or(most.to_owned(), |bytes| bytes.to_string());
        line!(out, "         {bytes} bytes in {runs} runs");
    }
    if answer.at.is_none() {
        slots_text(&mut out, answer.total_triggers, &answer.triggers);
    }
    for [start, end] in &answer.shared {
        line!(out, "  both touch {}", range(*start, *end));
    }
    for fault in &answer.faults {
        line!(out, "  {} {} [{}]", fault.severity, clean(&fault.message), fault.code);
    }
    out
}

fn slots_text(out: &mut String, total: u64, slots: &[SlotUse]) {
    line!(out, "  {total} slots");
    for slot in slots {
        let block = match (&slot.queue, slot.block) {
            (Some(queue), Some(block)) => format!(" {} block {block}", clean(queue)),
            _ => String::new(),
        };
        let ip = slot.at.neff_ip.unwrap_or(0);
        line!(out, "    {:<7} {:<4} IP {ip}{block}", slot.role, slot.at.e);
    }
    let left = total.saturating_sub(slots.len() as u64);
    if left > 0 {
        line!(out, "    and {left} more");
    }
}

//! Answers about firmware memory and control entries as text for a terminal.

use super::findings_text;
use crate::format::{clean, line};
use debug_api::answer::{
    DumpAnswer, DumpReadAnswer, DumpReadStruct, DumpTextAnswer, PrintersAnswer, RecordFieldInfo,
    SpadAnswer, SpadEntry,
};
use std::fmt::Write;

/// `spad-ctrl` as text.
pub fn spad_text(answer: &SpadAnswer) -> String {
    let mut out = String::new();
    if let (Some(file), Some(offset)) = (&answer.file, answer.offset) {
        let (file, count) = (clean(file), answer.total);
        line!(out, "{count} entries at {offset:#x} of {file} [{}]", answer.provenance.name());
        let shown = answer.entries.len() as u64;
        if shown < count {
            let next = offset + shown * 8;
            line!(out, "the first {shown} are shown; go on with --offset {next:#x}");
        }
    }
    for (index, entry) in answer.entries.iter().enumerate() {
        spad_entry(&mut out, answer, entry, index);
    }
    line!(out, "readings of algo_type (names of `{}` are used above)", answer.algo_names);
    for reading in &answer.readings {
        line!(out, "  {:<12} {} [{}]", reading.names, reading.says, answer.names_provenance.name());
        for text in &reading.evidence_for {
            line!(out, "    + {text}");
        }
        for text in &reading.evidence_against {
            line!(out, "    - {text}");
        }
    }
    findings_text(&mut out, &answer.diagnostics);
    out
}

fn spad_entry(out: &mut String, answer: &SpadAnswer, entry: &SpadEntry, index: usize) {
    let place = match answer.offset {
        Some(offset) => format!("#{index} at {:#x}  ", offset + index as u64 * 8),
        None => String::new(),
    };
    line!(out, "{place}{}  word {}  {}", entry.raw, entry.word, entry.kind);
    for field in &entry.fields {
        let text = field.text.as_deref().unwrap_or("");
        line!(
            out,
            "  byte {}  {:<20} {:<12} {:<28} {} [{}]",
            field.offset,
            field.name,
            value(field),
            text,
            field.meaning,
            field.provenance.name()
        );
    }
    line!(out, "  printed {}  (two flags and reserved bits are not printed)", entry.printed);
}

/// `dump` as text.
pub fn dump_text(answer: &DumpAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{}: {} bytes, context of {} [{}] (id {}) at {:#x}, {} bytes, {} mesh events",
        clean(&answer.file),
        answer.file_bytes,
        answer.generation,
        answer.generation_provenance.name(),
        answer.arch_id,
        answer.offset,
        answer.context_bytes,
        answer.mesh_events
    );
    line!(out, "  {} structs", answer.total);
    for one in &answer.structs {
        line!(out, "  {:#08x}  {}  {}, {} bytes", one.offset, one.name, one.kind, one.bytes);
        for field in &one.fields {
            let text = field.text.as_deref().unwrap_or("");
            let sure = if field.provenance == debug_api::Provenance::File {
                String::new()
            } else {
                format!(" [{}]", field.provenance.name())
            };
            line!(
                out,
                "    +{:#05x}  {:<36} {} {text}{sure}",
                field.offset,
                field.name,
                value(field)
            );
        }
        if let Some(hex) = &one.hex {
            line!(out, "    {hex}");
        }
    }
    findings_text(&mut out, &answer.diagnostics);
    out
}

/// `dump-read` as text: of each struct the fields that are told.
pub fn read_text(answer: &DumpReadAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} values of {} structs, context of {} [{}]",
        answer.values,
        answer.structs.len(),
        answer.generation,
        answer.generation_provenance.name()
    );
    if let Some(name) = &answer.model_name {
        line!(out, "  model_name {}", clean(name));
    }
    if let Some(base) = &answer.base {
        line!(out, "  context at {base}");
    }
    for DumpReadStruct { of: one, .. } in &answer.structs {
        line!(out, "  +{:#07x}  {}  {}, {} bytes", one.offset, one.name, one.kind, one.bytes);
        let open = |field: &&RecordFieldInfo| field.text.as_deref() == Some("not printed");
        for field in one.fields.iter().filter(|field| !open(field)) {
            let text = field.text.as_deref().unwrap_or("");
            line!(out, "    +{:#05x}  {:<36} {} {text}", field.offset, field.name, value(field));
        }
        let names: Vec<&str> =
            one.fields.iter().filter(open).map(|field| field.name.as_str()).collect();
        if !names.is_empty() {
            line!(out, "    not printed: {}", names.join(", "));
        }
        line!(out, "    {}", one.hex.as_deref().unwrap_or(""));
    }
    findings_text(&mut out, &answer.diagnostics);
    out
}

/// `dump-text` as text: what the printer writes, and nothing else.
pub fn printer_text(answer: &DumpTextAnswer) -> String {
    answer.text.clone()
}

/// `printers` as text.
pub fn printers_text(answer: &PrintersAnswer) -> String {
    let mut out = String::new();
    line!(out, "printing functions of library {}", answer.library);
    let names: Vec<&str> = answer.arch_ids.keys().map(String::as_str).collect();
    line!(out, "  {:<28} {:>7}  {}  writes", "family", "bytes", names.join("  "));
    for one in &answer.printers {
        let addresses: Vec<&str> = one.addresses.values().map(String::as_str).collect();
        let writes = match (one.writes, one.bytes_per_write, one.fits) {
            (Some(writes), Some(each), Some(fits)) => {
                format!("{writes} of {each} bytes{}", if fits { "" } else { ", does not fit" })
            }
            _ => String::from("-"),
        };
        line!(
            out,
            "  {:<28} {:>7}  {}  {writes} [{}]",
            one.family,
            one.bytes,
            addresses.join("  "),
            one.provenance.name()
        );
    }
    findings_text(&mut out, &answer.diagnostics);
    out
}

fn value(field: &RecordFieldInfo) -> String {
    field.value.plain().unwrap_or_else(|| String::from("-"))
}

//! Answers about device memory as text for a terminal.

use super::findings_text;
use crate::format::{clean, line};
use debug_api::answer::memory_words::at_least;
use debug_api::answer::{
    AddressAnswer, AddressMapAnswer, MapRegion, MemoryAnswer, MemoryVariable, ScratchpadAnswer,
};
use std::fmt::Write;

/// Rows of a list that are printed; JSON has more.
const ROWS: usize = 20;

/// `memory` as text.
pub fn memory_text(answer: &MemoryAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} scratchpad, pages of {} bytes, {}, HBMs of {} bytes",
        answer.mode,
        answer.page_size,
        answer.generation,
        answer.hbm_bytes
    );
    if answer.files.len() > 1 {
        let names: Vec<String> = answer.files.iter().map(|one| clean(&one.name)).collect();
        line!(out, "  loaded in this order: {}", names.join(", "));
    }
    line!(
        out,
        "  core {} [{}] with HBM {} needs {}: {}{} pages [{}]",
        answer.core,
        answer.core_provenance.name(),
        answer.hbm,
        answer.need_amount(|bytes| format!("{bytes} bytes")),
        at_least(answer.need_at_least),
        answer.n_pages,
        answer.provenance.name()
    );
    if let Some(cap) = &answer.page_cap {
        line!(out, "    {}", cap.text);
    }
    for page in answer.pages.iter().take(ROWS) {
        let loads = if page.references == 1 { "load" } else { "loads" };
        line!(
            out,
            "    page {:>4} at {:#x}  {:>12} bytes used  {} variables  {} {loads}",
            page.index,
            page.offset,
            page.used_bytes,
            page.n_variables,
            page.references
        );
    }
    more(&mut out, answer.pages.len());
    line!(out, "  private   {} variables, {} bytes", answer.n_private, answer.private_bytes);
    for one in answer.private.iter().take(ROWS) {
        line!(out, "    {}{}", file_of(answer, one.file), variable(one));
    }
    more(&mut out, answer.private.len());
    line!(out, "  overlaps  {} pairs", answer.overlaps);
    for subgraph in &answer.subgraphs {
        line!(
            out,
            "  {}{} on core {}, HBM {}",
            file_of(answer, subgraph.file),
            clean(&subgraph.subgraph),
            subgraph.core,
            subgraph.hbm
        );
        for one in &subgraph.categories {
            let computed = one.amount(|bytes| bytes.to_string()).unwrap_or_else(|| "-".to_owned());
            let how = one.provenance.map_or("", |provenance| provenance.name());
            let measured = one
                .measured_bytes
                .map_or(String::new(), |bytes| format!("  measured {bytes} [file]"));
            line!(out, "    {:<18}{computed:>14} [{how}]{measured}", clean(&one.name));
        }
    }
    let fits = match answer.fits {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    };
    line!(out, "  fits      {fits} [{}]", answer.fits_provenance.name());
    not_computed(&mut out, answer);
    if answer.n_refusals > 0 {
        line!(out, "    a loader stops before memory is counted");
    }
    for sentence in answer.refusal_texts().iter().chain(&answer.unread_texts()) {
        line!(out, "    {}", clean(sentence));
    }
    if answer.verdict != answer.memory_verdict {
        line!(out, "    memory alone: {}", answer.memory_verdict);
    }
    for failure in &answer.failures {
        let status = failure.status_name.as_deref().unwrap_or("the runtime ends");
        let amounts = failure.amounts(|bytes| format!("{bytes} bytes"));
        line!(
            out,
            "    {}{}{}{}{amounts} [{status}]",
            file_of(answer, failure.file),
            failure.subgraph.as_deref().map_or(String::new(), |one| format!("{} ", clean(one))),
            clean(&failure.what),
            if amounts.is_empty() { "" } else { ": " }
        );
    }
    for remedy in &answer.remedies {
        line!(out, "    would fit with {}", remedy.text);
    }
    let least = answer.least_hbm_text(|bytes| format!("{bytes} bytes"));
    if !least.is_empty() {
        line!(out, "  least     {least} [{}]", answer.fits_provenance.name());
    }
    if let Some(advice) = &answer.advice {
        line!(out, "  advice    {}", advice.runtime_variable);
        if advice.still_private > 0 {
            let enough =
                advice.enough_page_size.map_or("no documented page size".to_owned(), |size| {
                    format!("pages of {} MiB", size >> 20)
                });
            line!(
                out,
                "    it is not enough: {} variables still cross a page; {enough} would do",
                advice.still_private
            );
        }
    }
    if answer.variables.total > 0 {
        let total = answer.variables.total;
        line!(out, "  variables {total} have a place; --from N --count M lists them");
    }
    for note in &answer.notes {
        line!(out, "  log       {note}");
    }
    findings_text(&mut out, &answer.diagnostics);
    out
}

/// What the verdict leaves out, since nobody says how much of it there is.
fn not_computed(out: &mut String, answer: &MemoryAnswer) {
    if answer.not_computed.is_empty() {
        return;
    }
    line!(out, "    tried on a model of the driver; what is not computed is left out:");
    for one in &answer.not_computed {
        line!(out, "      {:<17}{}", clean(&one.name), clean(&one.reason));
    }
}

/// The name of a file in front of what is in it, where several are loaded.
fn file_of(answer: &MemoryAnswer, file: usize) -> String {
    if answer.files.len() < 2 {
        return String::new();
    }
    let name = answer.files.iter().find(|one| one.file == file);
    name.map_or(String::new(), |one| format!("{} ", clean(&one.name)))
}

fn variable(one: &MemoryVariable) -> String {
    format!("{} {} {:#x} + {} bytes", clean(&one.subgraph), clean(&one.name), one.offset, one.size)
}

fn more(out: &mut String, count: usize) {
    if count > ROWS {
        line!(out, "    and {} more", count - ROWS);
    }
}

/// `scratchpad` as text.
pub fn scratchpad_text(answer: &ScratchpadAnswer) -> String {
    let mut out = match (answer.page, answer.in_page_offset) {
        (Some(page), Some(offset)) => {
            format!("page {page}, byte {offset:#x} [{}]\n", answer.provenance.name())
        }
        _ => format!("not found: {}\n", answer.reason.as_deref().unwrap_or_default()),
    };
    findings_text(&mut out, &answer.diagnostics);
    out
}

/// `address-map` as text.
pub fn address_map_text(answer: &AddressMapAnswer) -> String {
    let mut out = String::new();
    line!(out, "device addresses of {}", answer.generation);
    for MapRegion { depth, region } in &answer.regions {
        let indent = "  ".repeat(*depth as usize + 1);
        let how = region.provenance.name();
        line!(
            out,
            "{:>18}  {:>18} bytes{indent}{} [{how}]",
            region.start,
            region.bytes,
            region.name
        );
    }
    out
}

/// `address` as text.
pub fn address_text(answer: &AddressAnswer) -> String {
    let mut out = String::new();
    line!(out, "{} on {}", answer.address, answer.generation);
    for region in &answer.regions {
        let how = region.provenance.name();
        line!(out, "  {} at {}, {} bytes [{how}]", region.name, region.start, region.bytes);
    }
    if let Some(offset) = answer.offset {
        line!(out, "  offset {offset:#x}  {}", answer.detail.as_deref().unwrap_or_default());
    } else {
        line!(out, "  {}", answer.reason.as_deref().unwrap_or("no region is known there"));
    }
    for cell in &answer.cells {
        let how = cell.provenance.name();
        line!(out, "  to {} a ring copies {} [{how}]", cell.does, cell.address);
    }
    if let Some(image) = &answer.image {
        let (subgraph, how) = (clean(&image.subgraph), image.provenance.name());
        line!(
            out,
            "  image of {subgraph} {}, byte {:#x} [{how}]",
            image.engine,
            image.image_offset
        );
    }
    if let Some(variable) = &answer.variable {
        let (name, how) = (clean(&variable.name), variable.provenance.name());
        line!(out, "  variable {name}, byte {:#x} [{how}]", variable.offset);
    }
    for one in &answer.memory {
        let (what, how) = (clean(&one.words()), one.provenance.name());
        line!(
            out,
            "  {what}, byte {:#x} of {} bytes from {} [{how}]",
            one.offset,
            one.bytes,
            one.start
        );
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use debug_api::answer::Answer;
    use debug_api::{Limits, OpenFile, Session};
    use std::sync::Arc;

    fn text_of(question: &str) -> String {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/cases/memory/input.neff");
        let bytes = std::fs::read(folder).unwrap();
        let file = OpenFile::open("m.neff", bytes, &Limits::default()).unwrap();
        let session = Session::new(vec![Arc::new(file)]);
        match session.ask(&serde_json::from_str(question).unwrap()).unwrap() {
            Answer::Memory(answer) => memory_text(&answer),
            Answer::Address(answer) => address_text(&answer),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_verdict_names_what_it_leaves_out() {
        let text = text_of(r#"{"ask":"memory"}"#);
        let (_, behind) = text.split_once("  fits      yes [modelled]\n").unwrap();
        let mut lines = behind.lines();
        assert_eq!(
            lines.next(),
            Some("    tried on a model of the driver; what is not computed is left out:")
        );
        for name in ["generic", "io", "profiler buffers", "dma rings", "collectives", "ucode"] {
            let line = lines.next().unwrap();
            assert!(line.starts_with(&format!("      {name} ")), "{line}");
            assert!(line.len() > 40, "no reason: {line}");
        }
    }

    #[test]
    fn the_plan_names_core_and_hbm() {
        let text = text_of(r#"{"ask":"memory","core":6}"#);
        assert!(text.contains("  core 6 [configured] with HBM 3 needs "), "{text}");
        assert!(text.contains("  sg01 on core 7, HBM 3\n"), "{text}");
        let text = text_of(r#"{"ask":"address","address":"0x8005c0350010"}"#);
        let line = "  page of execution requests of sg00, byte 0x10 of 4096 bytes from \
                    0x8005c0350000 [configured]";
        assert!(text.lines().any(|one| one == line), "{text}");
    }
}

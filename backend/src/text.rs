//! Answers as text for a terminal: aligned, one fact a line, provenance said where it matters.

mod bytes;
mod collectives;
mod kbin;
mod dump;
mod memory;
mod ntff;
mod places;
mod simulate;
mod timeline;
mod tsync;

use crate::format::{clean, line};
use debug_api::answer::{
    Answer, Finding, ImageAnswer, InfoAnswer, IpAnswer, PcAnswer, ProfilesAnswer, RecordAnswer,
    RecordFieldInfo, RecordsAnswer, RuntimeReading, SlotsAnswer, SourceItem,
};
pub use places::places_text;
pub use simulate::{calibration_lines, semaphores_line};
use std::fmt::Write;

/// The human form of an answer. Answers that only views ask for are printed as JSON.
pub fn human(answer: &Answer) -> String {
    match answer {
        Answer::Info(info) => info_text(info),
        Answer::Ntff(answer) => ntff::ntff_text(answer),
        Answer::Slots(slots) => slots_text(slots),
        Answer::Image(image) => image_text(image),
        Answer::Pc(pc) => pc_text(pc),
        Answer::Ip(ip) => ip_text(ip),
        Answer::Profiles(profiles) => profiles_text(profiles),
        Answer::Memory(answer) => memory::memory_text(answer),
        Answer::Collectives(answer) => collectives::collectives_text(answer),
        Answer::Schedule(answer) => collectives::schedule_text(answer),
        Answer::Scratchpad(answer) => memory::scratchpad_text(answer),
        Answer::Tsync(answer) => tsync::tsync_text(answer),
        Answer::Address(answer) => memory::address_text(answer),
        Answer::AddressMap(answer) => memory::address_map_text(answer),
        Answer::Spad(answer) => dump::spad_text(answer),
        Answer::Dump(answer) => dump::dump_text(answer),
        Answer::DumpText(answer) => dump::printer_text(answer),
        Answer::DumpRead(answer) => dump::read_text(answer),
        Answer::Printers(answer) => dump::printers_text(answer),
        Answer::Records(records) => records_text(records),
        Answer::Record(record) => record_text(record),
        Answer::Members(members) => bytes::members_text(members),
        Answer::Bytes(answer) => bytes::bytes_text(answer),
        Answer::Kbin(answer) => kbin::kbin_text(answer),
        Answer::Variable(answer) => kbin::variable_text(answer),
        Answer::Queue(answer) => kbin::queue_text(answer),
        Answer::Transfer(answer) => kbin::transfer_text(answer),
        Answer::Simulate(answer) => simulate::simulate_text(answer),
        Answer::Timeline(answer) => timeline::timeline_text(answer),
        Answer::TimelineEvents(answer) => timeline::events_text(answer),
        Answer::TimelineState(answer) => timeline::state_text(answer),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

/// Whether an answer means exit status 1: a PC that maps to no IP (a deleted IP is still found), what
/// does not fit, an image that could not be built, ranks that differ, a range without a page, an
/// address without a region, a run that does not end.
pub fn is_negative(answer: &Answer) -> bool {
    match answer {
        Answer::Pc(pc) => pc.exact.is_none(),
        Answer::Image(image) => image.sha256.is_none(),
        Answer::Memory(memory) => memory.fits != Some(true),
        Answer::Collectives(collectives) => collectives.difference.is_some(),
        Answer::Scratchpad(scratchpad) => scratchpad.error.is_some(),
        Answer::Address(address) => address.regions.is_empty(),
        Answer::Simulate(run) => run.outcome != "finished",
        _ => false,
    }
}

/// The findings that an answer carries.
pub fn findings(answer: &Answer) -> &[Finding] {
    match answer {
        Answer::Info(info) => &info.diagnostics,
        Answer::Ntff(ntff) => &ntff.diagnostics,
        Answer::Image(image) => &image.diagnostics,
        Answer::Regions(regions) => &regions.diagnostics,
        Answer::Log(log) => &log.diagnostics,
        Answer::Records(records) => &records.diagnostics,
        Answer::Kbin(kbin) => &kbin.diagnostics,
        Answer::Variable(variable) => &variable.diagnostics,
        Answer::Scratchpad(scratchpad) => &scratchpad.diagnostics,
        Answer::Queue(queue) => &queue.diagnostics,
        Answer::Profiles(profiles) => &profiles.diagnostics,
        Answer::Memory(memory) => &memory.diagnostics,
        Answer::Collectives(collectives) => &collectives.diagnostics,
        Answer::Simulate(run) => &run.diagnostics,
        Answer::Pc(pc) => &pc.diagnostics,
        Answer::Ip(ip) => &ip.diagnostics,
        Answer::Timeline(timeline) => &timeline.diagnostics,
        Answer::Spad(spad) => &spad.diagnostics,
        Answer::Dump(dump) => &dump.diagnostics,
        Answer::DumpText(text) => &text.diagnostics,
        Answer::DumpRead(read) => &read.diagnostics,
        _ => &[],
    }
}

fn info_text(info: &InfoAnswer) -> String {
    let mut out = String::new();
    let InfoAnswer { file, header, digest, archive, .. } = info;
    line!(out, "{}  {} bytes, {}", clean(&file.name), file.bytes, file.kind);
    line!(out, "  name      {}", clean(&header.name));
    line!(out, "  uuid      {}", header.uuid);
    line!(
        out,
        "  format    {}.{}, package version {}, logical core size {}",
        header.version_major,
        header.version_minor,
        header.pkg_version,
        header.lnc_size
    );
    let features =
        if header.features.is_empty() { "none".to_owned() } else { header.features.join(" ") };
    line!(out, "  features  {} ({features})", header.feature_bits);
    if let Some(tool) = &info.build.tool_version {
        line!(out, "  compiler  {}", clean(tool));
    }
    line!(
        out,
        "  digest    {} {}: stored {}, computed {}",
        digest.algorithm,
        digest.verdict,
        digest.stored,
        digest.computed
    );
    line!(
        out,
        "  archive   {} members, {} bytes stored ({}), {} bytes of tar, {} zero bytes after it",
        archive.members.len(),
        archive.stored_bytes,
        archive.compression,
        archive.tar_bytes,
        archive.zero_tail_bytes
    );
    for subgraph in &info.subgraphs {
        line!(out, "  {}  target {}", clean(&subgraph.name), clean(&subgraph.target));
        for engine in &subgraph.engines {
            let covered = info
                .coverage
                .iter()
                .find(|row| row.s == subgraph.name && row.e == engine.engine)
                .map_or(0, |row| row.line);
            line!(
                out,
                "    {:<5}{:>9} slots  {:>9} with a source line  {}",
                engine.engine,
                engine.slots,
                covered,
                engine.bin.as_deref().map_or("no bin".to_owned(), clean)
            );
        }
    }
    findings_text(&mut out, &info.diagnostics);
    out
}

/// The findings, one a line.
pub fn findings_text(out: &mut String, findings: &[Finding]) {
    for finding in findings {
        let mut place = String::new();
        let at = &finding.at;
        for part in [&at.member, &at.subgraph, &at.engine].into_iter().flatten() {
            let _ = write!(place, " {}", clean(part));
        }
        match (finding.at.line, finding.at.column, finding.at.offset) {
            (Some(line), Some(column), _) => {
                let _ = write!(place, " line {line}, column {column}");
            }
            (_, _, Some(offset)) => {
                let _ = write!(place, " at {offset:#x}");
            }
            _ => {}
        }
        line!(out, "  {}{place}: {} [{}]", finding.severity, clean(&finding.message), finding.code);
    }
}

/// Findings beside a single place: those that say something is wrong.
fn telling(findings: &[Finding]) -> Vec<Finding> {
    findings.iter().filter(|finding| finding.severity != "info").cloned().collect()
}

fn slots_text(slots: &SlotsAnswer) -> String {
    let mut out = String::new();
    line!(out, "{} {}: {} slots", clean(&slots.subgraph), slots.engine, slots.total);
    for row in &slots.slots {
        let source = source_text(&row.source);
        line!(
            out,
            "{:>7} {:>7}  {}  {}{source}",
            row.slot,
            row.neff_ip,
            grouped(&row.hex),
            clean(&row.text)
        );
    }
    out
}

fn image_text(image: &ImageAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} {}: {} slots, {} bytes [{}], profile {} [{}]",
        clean(&image.subgraph),
        image.engine,
        image.slots,
        image.bytes,
        image.provenance.name(),
        clean(&image.profile),
        image.profile_provenance.name()
    );
    match &image.sha256 {
        Some(digest) => line!(out, "  sha256 {digest}"),
        None => line!(out, "  no image could be built; the findings say why"),
    }
    line!(out, "  base   {} [{}]", image.base, image.base_provenance.name());
    if let Some(capture) = &image.capture {
        let what = if image.captured { "captured image of" } else { "built with the values of" };
        line!(
            out,
            "  {what} {}, runtime {}, core {}",
            clean(&capture.file),
            match capture.runtime.as_str() {
                "" => String::from("of unknown version"),
                version => clean(version),
            },
            capture.core
        );
    }
    if let Some(agreement) = &image.agreement {
        line!(
            out,
            "  captured and built image agree on {} of {} slots, {} of them at the same slot",
            agreement.aligned,
            agreement.slots,
            agreement.same
        );
    }
    for input in &image.inputs {
        line!(
            out,
            "  input  {} = {} [{}]",
            clean(&input.name),
            clean(&input.value),
            input.provenance.name()
        );
    }
    for region in &image.regions {
        line!(
            out,
            "  {:<13} at {:>#10x}  {:>9} bytes  {:>7} slots  [{}]",
            region.name,
            region.offset,
            region.bytes,
            region.bytes / 64,
            region.provenance.name()
        );
    }
    for patch in &image.patches {
        line!(
            out,
            "  {:<6} {:>6} slots at {:#x} in {}",
            patch.kind,
            patch.count,
            patch.offset,
            patch.section
        );
    }
    for note in &image.notes {
        line!(out, "  note: {}", clean(note));
    }
    findings_text(&mut out, &image.diagnostics);
    out
}

fn pc_text(pc: &PcAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} {} device PC {}, base {} [{}], profile {}",
        clean(&pc.subgraph),
        pc.engine,
        pc.device_pc,
        pc.base,
        pc.base_provenance.name(),
        clean(&pc.profile)
    );
    if let (Some(slot), Some(region)) = (pc.image_slot, &pc.region) {
        let how = pc.region_provenance.filter(|how| *how != pc.provenance);
        let how = how.map_or_else(String::new, |how| format!(" [{}]", how.name()));
        let into = pc.image_offset.map_or(0, |offset| offset % 64);
        let into = if into > 0 { format!(", {into} bytes into it") } else { String::new() };
        line!(out, "  image     slot {slot} in {region}{how}{into}");
    }
    match &pc.exact {
        Some(exact) => {
            let inserted = if exact.inserted { ", in its inserted run" } else { "" };
            line!(out, "  NEFF IP   {} (slot {}){inserted}", exact.neff_ip, exact.slot);
        }
        None => line!(out, "  NEFF IP   none: {}", pc.reason.as_deref().unwrap_or("")),
    }
    match &pc.runtime {
        RuntimeReading::Ip { neff_ip, literal } if neff_ip == literal => {
            line!(out, "  runtime   {neff_ip}");
        }
        RuntimeReading::Ip { neff_ip, literal } => {
            line!(out, "  runtime   {neff_ip} (its arithmetic wraps to {literal:#x})");
        }
        RuntimeReading::Error { error } => line!(out, "  runtime   error: {error}"),
    }
    if !pc.agrees {
        line!(out, "  the runtime's own reading differs from the exact one");
    }
    if let Some(text) = &pc.text {
        line!(out, "  record    {}", clean(text));
    }
    if let Some(step) = &pc.step {
        line!(out, "  made by   {}: {} [{}]", step.title, step.text, step.provenance.name());
    }
    sources_text(&mut out, &pc.source);
    findings_text(&mut out, &telling(&pc.diagnostics));
    out
}

fn ip_text(ip: &IpAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} {} NEFF IP {} (slot {}), base {} [{}], profile {}",
        clean(&ip.subgraph),
        ip.engine,
        ip.neff_ip,
        ip.slot,
        ip.base,
        ip.base_provenance.name(),
        clean(&ip.profile)
    );
    line!(out, "  record    {}", clean(&ip.text));
    for (slot, pc) in ip.image_slots.iter().zip(&ip.device_pcs) {
        line!(out, "  image     slot {slot}, device PC {pc}");
    }
    if let Some(at) = ip.deleted_at {
        line!(out, "  deleted   the record has no device slot; it would stand at {at:#x}");
    }
    sources_text(&mut out, &ip.source);
    findings_text(&mut out, &telling(&ip.diagnostics));
    out
}

fn profiles_text(profiles: &ProfilesAnswer) -> String {
    let mut out = String::new();
    for profile in &profiles.profiles {
        line!(
            out,
            "{:<18} {:<8} runtime {:<8} {:>3} steps  [{}]",
            clean(&profile.name),
            profile.generation,
            clean(&profile.runtime),
            profile.steps.len(),
            profile.provenance.name()
        );
    }
    findings_text(&mut out, &profiles.diagnostics);
    out
}

fn records_text(records: &RecordsAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} {}: {} records, profile {}, patch lists {} [{}]",
        clean(&records.subgraph),
        records.engine,
        records.total,
        clean(&records.profile),
        records.patch_lists,
        records.provenance.name()
    );
    for record in &records.records {
        let place = record.model_offset.map_or(String::new(), |at| format!("  model_t +{at:#x}"));
        line!(out, "  {:<26} {:<24} {:>9} bytes{place}", record.name, record.kind, record.bytes);
    }
    let left = records.total.saturating_sub(records.from + records.records.len() as u64);
    if left > 0 {
        line!(out, "  and {left} more");
    }
    for room in &records.rooms {
        let grown = room.grown.map_or(String::new(), |grown| format!(", {grown} at the end"));
        line!(out, "  room: {} {} of {}{grown}", room.name, room.used, room.reserved);
    }
    findings_text(&mut out, &records.diagnostics);
    out
}

fn record_text(answer: &RecordAnswer) -> String {
    let mut out = String::new();
    let record = &answer.record;
    line!(out, "{} {}: {} bytes", record.name, record.kind, record.bytes);
    fields_text(&mut out, &answer.fields);
    out
}

/// The fields of a record, one a line.
fn fields_text(out: &mut String, fields: &[RecordFieldInfo]) {
    for field in fields {
        let value = field.value.plain().map_or_else(|| "-".to_owned(), |value| clean(&value));
        let value = match &field.text {
            // Of an instruction the words; its bytes are asked for as bytes.
            Some(_) if value != "-" && field.kind == "instruction" => value,
            Some(text) if value == "-" => clean(text),
            Some(text) => format!("{value} {}", clean(text)),
            None => value,
        };
        let why = field.why.as_ref().map_or(String::new(), |why| format!("; {why}"));
        line!(
            out,
            "  {:>#6x} {:>6}  {:<34} {:<20} [{}] {}{why}",
            field.offset,
            field.bytes,
            field.name,
            value,
            field.provenance.name(),
            field.meaning
        );
    }
}

fn sources_text(out: &mut String, source: &[SourceItem]) {
    for item in source {
        let text = item.text.as_deref().unwrap_or("-");
        line!(out, "  {:<9} {}{}", item.layer, clean(text), place_text(item));
    }
}

/// The first file and line of a chain, as a trailing remark.
fn source_text(source: &[SourceItem]) -> String {
    source.iter().find(|item| item.line.is_some()).map(place_text).unwrap_or_default()
}

/// File and line of a record, as a trailing remark.
pub fn place_text(item: &SourceItem) -> String {
    match (&item.file, item.line) {
        (Some(file), Some(line)) => format!("  {}:{line}", clean(file)),
        (Some(file), None) => format!("  {}", clean(file)),
        _ => String::new(),
    }
}

/// Hex in groups of eight digits.
fn grouped(hex: &str) -> String {
    let mut out = String::with_capacity(hex.len() + hex.len() / 8);
    for (i, digit) in hex.chars().enumerate() {
        if i > 0 && i % 8 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_codes_from_a_file_are_escaped() {
        assert_eq!(clean("a\u{1b}[31mb\n"), "a\\u{1b}[31mb\\n");
        assert_eq!(clean("µ–x"), "µ–x");
    }

    #[test]
    fn hex_groups_by_words() {
        assert_eq!(grouped("0011223344"), "00112233 44");
    }
}

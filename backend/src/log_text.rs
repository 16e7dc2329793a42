//! The `log` answer as text for a terminal: each line that is known, where it leads, and why.

use crate::format::clean;
use crate::text::{findings_text, place_text};
use debug_api::answer::{LogAnswer, LogLine, LogPlace, PlaceRef, SolvedBase};
use std::fmt::Write;

/// Appends a formatted line; writing to a string does not fail.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {{
        let _ = writeln!($out, $($arg)*);
    }};
}

/// Longest part of a log line that is repeated, in characters.
const SHOWN_CHARS: usize = 160;

/// The human form of a `log` answer.
pub fn log_text(log: &LogAnswer) -> String {
    let mut out = String::new();
    let known = log.lines.iter().filter(|line| line.kind != "other");
    let (mut shown, all) = (0_usize, log.lines.len());
    for line in known {
        shown += 1;
        line_text(&mut out, line);
    }
    line!(out, "{shown} of {all} lines are of a known kind");
    for solved in &log.solved {
        line!(out, "  {}", solved_text(solved));
    }
    for code in &log.codes {
        line!(
            out,
            "  status {} {} ({} lines): {} {}",
            code.code,
            code.name,
            code.lines,
            code.meaning,
            code.advice
        );
    }
    findings_text(&mut out, &log.diagnostics);
    out
}

fn line_text(out: &mut String, line: &LogLine) {
    let first = line.text.lines().next().unwrap_or("");
    let text: String = clean(first).chars().take(SHOWN_CHARS).collect();
    line!(out, "{:>6}  {}  {text}", line.line, line.kind);
    line!(out, "        {} [format {}]", line.says, line.format.name());
    if let (Some(engine), None) = (&line.engine, &line.answer) {
        let how = if line.engine_inferred { "inferred" } else { "file" };
        line!(out, "        engine {} [{how}]", clean(engine));
    }
    if let Some(answer) = &line.answer {
        line!(out, "        -> {}", place(answer));
        if let Some(reason) = &answer.reason {
            line!(out, "           {}", clean(reason));
        }
        for item in &answer.source {
            let text = item.text.as_deref().unwrap_or("-");
            line!(out, "           {:<9} {}{}", item.layer, clean(text), place_text(item));
        }
    }
    for answer in line.more.iter().filter_map(|point| point.answer.as_ref()) {
        line!(out, "        -> {}", place(answer));
        if let Some(reason) = &answer.reason {
            line!(out, "           {}", clean(reason));
        }
    }
    for other in &line.also {
        line!(out, "        or {} [also possible]", place_ref(other));
    }
    for note in &line.notes {
        line!(out, "        {}", clean(note));
    }
    if !line.next.is_empty() {
        line!(out, "        next: {}", line.next);
    }
}

/// Another place that a line can mean.
fn place_ref(place: &PlaceRef) -> String {
    let mut text = format!("{} {}", clean(&place.s), clean(&place.e));
    if let Some(region) = &place.region {
        let _ = write!(text, " {region}");
    }
    if let Some(slot) = place.image_slot {
        let _ = write!(text, " slot {slot}");
    }
    if let Some(ip) = place.neff_ip {
        let _ = write!(text, " NEFF IP {ip}");
    }
    text
}

/// A place in one line.
pub fn place(answer: &LogPlace) -> String {
    let mut text = format!("{} {}", clean(&answer.subgraph), answer.engine);
    if let Some(region) = &answer.region {
        let _ = write!(text, " {region}");
    }
    if let Some(slot) = answer.image_slot {
        let _ = write!(text, " slot {slot}");
    }
    if let Some(ip) = answer.neff_ip {
        let _ = write!(text, " NEFF IP {ip}");
    }
    if answer.deleted {
        text.push_str(" (deleted)");
    }
    if let Some(record) = &answer.text {
        let _ = write!(text, "  {}", clean(record));
    }
    let _ = write!(text, " [{}]", answer.provenance.name());
    let _ = write!(text, "  base {} [{}]", answer.base, answer.base_provenance.name());
    text
}

/// What was solved, in one sentence.
pub fn solved_text(solved: &SolvedBase) -> String {
    let mut text = format!(
        "{} {}: base {} with {} preamble slots",
        clean(&solved.subgraph),
        solved.engine,
        solved.base,
        solved.preamble_slots
    );
    match &solved.profile {
        Some(profile) => {
            let _ = write!(text, " ({profile})");
        }
        None => text.push_str(" (or 512 slots more and a base 0x8000 lower)"),
    }
    let _ = write!(text, " fits {} of {} pairs", solved.agreeing, solved.pairs);
    for pair in solved.disagreeing.iter().take(8) {
        let _ = write!(text, ", not line {} ({} ip {})", pair.line, pair.device_pc, pair.neff_ip);
    }
    if solved.in_use {
        text.push_str("; used above");
    }
    let _ = write!(text, " [{}]", solved.provenance.name());
    text
}

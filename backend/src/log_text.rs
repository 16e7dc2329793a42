//! The `log` answer as text for a terminal: each line that is known, where it leads, and why.

use crate::format::{clean, line};
use crate::text::{findings_text, place_text};
use debug_api::answer::{LogAnswer, LogLine, LogPart, LogPlace, PlaceRef, SolvedBase};
use std::fmt::Write;

/// Longest part of a log line that is repeated, in characters.
const SHOWN_CHARS: usize = 160;

/// The human form of a `log` answer. Lines without a PC, an IP or a code are folded to their count,
/// or printed as they are with `all`.
pub fn log_text(log: &LogAnswer, all: bool) -> String {
    let mut out = String::new();
    let (mut known, mut folded) = (0_usize, false);
    for part in log.parts(usize::MAX) {
        match part {
            LogPart::Line(line) => {
                known += 1;
                line_text(&mut out, line);
            }
            LogPart::Folded(lines, _) if all => {
                for line in lines {
                    for (at, text) in line.text.lines().enumerate() {
                        let number = if at == 0 { line.line.to_string() } else { String::new() };
                        line!(out, "{number:>6}  {}", clean(text));
                    }
                }
            }
            LogPart::Folded(lines, fold) => {
                folded = true;
                line!(out, "     -  {}", fold.words(lines));
            }
        }
    }
    match log.lines.len() {
        0 => line!(out, "no line was read"),
        lines => line!(out, "{known} of {lines} lines are of a known kind"),
    }
    if folded {
        line!(out, "  --all prints the folded lines too");
    }
    if !log.solved.is_empty() {
        line!(out, "bases that fit this log");
        line!(out, "  {}", LogAnswer::SOLVED);
    }
    for solved in &log.solved {
        let [what, from, sure] = solved_text(solved, &log.solved);
        line!(out, "  {what}");
        line!(out, "    {from}");
        line!(out, "    {sure}");
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

/// What was solved for: the base, what it was computed from, and how sure it is.
pub fn solved_text(solved: &SolvedBase, all: &[SolvedBase]) -> [String; 3] {
    let what = format!("{} [{}]", clean(&solved.what()), solved.provenance.name());
    [what, clean(&solved.from_what()), solved.how_sure(all)]
}

//! The answer about a run as text for a terminal: the outcome first, then what explains it.

use super::findings_text;
use crate::format::{clean, line, thousands};
use debug_api::answer::{
    AccessInfo, CalibrationInfo, CoreEnd, PlaceRef, PosterInfo, Semaphores, SimulateAnswer,
    StuckInfo, TiesInfo, TopSpEnd,
};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Posters of a wait that are printed; JSON has all.
const POSTERS: usize = 4;
/// Findings that are printed.
const FINDINGS: usize = 20;

/// `simulate` as text.
pub fn simulate_text(run: &SimulateAnswer) -> String {
    let mut out = String::new();
    line!(out, "{}  [{}]", run.outcome.to_uppercase(), run.provenance.name());
    for sentence in &run.words {
        line!(out, "  {}", clean(sentence));
    }
    if let Some(cause) = &run.cause {
        line!(out, "  cause     {}{}", cause.kind, about(&clean(&cause.about)));
    }
    if let Some(fault) = &run.fault {
        line!(out, "  at        {}", place(&fault.place));
    }
    if !run.stuck.is_empty() {
        line!(out, "");
        line!(out, "stuck");
        let caused = run.cause.as_ref().map_or(&[][..], |cause| cause.stuck.as_slice());
        for (at, stuck) in run.stuck.iter().enumerate() {
            stuck_text(&mut out, stuck, caused.contains(&at));
        }
    }
    if let Some(ties) = &run.ties {
        ties_text(&mut out, ties);
    }
    if let Some(calibration) = &run.calibration {
        calibration_text(&mut out, calibration);
    }
    line!(out, "");
    line!(out, "run");
    line!(
        out,
        "  time      {} ns, by the timing model {} [{}]",
        thousands(run.time_ns),
        clean(&run.timing.name),
        run.timing.provenance.name()
    );
    line!(
        out,
        "  work      {} slots done, {} events, trace {}",
        thousands(run.instructions),
        thousands(run.events),
        run.trace.hash
    );
    let ranks = run.cores.iter().any(|core| core.rank > 0);
    for core in &run.cores {
        core_text(&mut out, core, ranks);
    }
    for top_sp in &run.top_sps {
        top_sp_text(&mut out, top_sp);
    }
    semaphores_text(&mut out, &run.semaphores);
    let shown = run.diagnostics.get(..FINDINGS).unwrap_or(&run.diagnostics);
    findings_text(&mut out, shown);
    if run.diagnostics.len() > FINDINGS {
        line!(out, "  and {} more findings", run.diagnostics.len() - FINDINGS);
    }
    out
}

fn about(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(", {text}") }
}

/// Who could post is told for those that are the cause; the others wait because of them.
fn stuck_text(out: &mut String, stuck: &StuckInfo, is_cause: bool) {
    line!(out, "  {}", clean(&stuck.words));
    line!(out, "    at        {}  [{}]", place(&stuck.place), stuck.reason);
    if !is_cause {
        return;
    }
    posters_text(out, &stuck.waits_for);
    if let Some(also) = &stuck.also {
        line!(out, "    and       {}", also.reason);
        posters_text(out, &also.waits_for);
    }
}

fn posters_text(out: &mut String, posters: &[PosterInfo]) {
    for poster in posters.iter().take(POSTERS) {
        line!(out, "    would be  {}", clean(&poster.words));
    }
    if posters.len() > POSTERS {
        line!(out, "    and {} more", posters.len() - POSTERS);
    }
}

/// Whether anything depends on the order at one instant, with both accesses.
fn ties_text(out: &mut String, ties: &TiesInfo) {
    line!(out, "");
    line!(out, "order at one instant");
    for sentence in &ties.words {
        line!(out, "  {}", clean(sentence));
    }
    for access in ties.race.iter().flat_map(|race| [&race.first, &race.second]) {
        access_text(out, access);
    }
}

fn access_text(out: &mut String, access: &AccessInfo) {
    line!(out, "  access    {} {}", clean(&access.who), access.does);
    if let Some(at) = &access.place {
        line!(out, "    at      {}", place(at));
    }
    if let Some(source) = &access.source {
        let text = source.text.as_deref().map(|text| format!("  {}", clean(text)));
        let line = source.line.map_or_else(String::new, |line| format!(":{line}"));
        let file = source.file.as_deref().unwrap_or(&source.layer);
        line!(out, "    source  {}{line}{}", clean(file), text.unwrap_or_default());
    }
}

fn calibration_text(out: &mut String, of: &CalibrationInfo) {
    line!(out, "");
    line!(out, "calibration");
    for text in calibration_lines(of) {
        line!(out, "  {text}");
    }
}

/// The fit to a capture, a line for each operation code, engine and run.
pub fn calibration_lines(of: &CalibrationInfo) -> Vec<String> {
    let mut out = vec![format!(
        "{} records of {} fitted, {} left out",
        thousands(of.samples),
        clean(&of.file),
        thousands(of.left_out)
    )];
    out.extend(of.opcodes.iter().map(|one| {
        let name = one.mnemonic.clone().unwrap_or_else(|| format!("{:#04x}", one.opcode));
        format!(
            "{name:<28}{:>9} records  issue {} start {} element {}/1000 cycles  (was {} {} {})  left {} ps",
            thousands(one.samples),
            one.after.issue,
            one.after.start,
            one.after.element_milli,
            one.before.issue,
            one.before.start,
            one.before.element_milli,
            thousands(one.error.mean_error_ps)
        )
    }));
    out.extend(of.engines.iter().zip(&of.before).map(|(after, before)| {
        format!(
            "{:<5}measured {:>11} ns  by the model {:>11} ns, {:+.2} % (before {:+.2} %)  a record {} ps",
            after.engine,
            thousands(after.measured_ns),
            thousands(after.modelled_ns),
            after.error_percent,
            before.error_percent,
            thousands(after.mean_error_ps)
        )
    }));
    out.extend(of.runs.iter().map(|run| {
        format!(
            "run of {}: measured {} ns, by the model {} ns, {:+.2} %",
            clean(&run.subgraph),
            thousands(run.measured_ns),
            thousands(run.modelled_ns),
            run.error_percent
        )
    }));
    if of.runs.is_empty() {
        out.push("the capture does not say how long an inference took".to_owned());
    }
    out
}

fn top_sp_text(out: &mut String, of: &TopSpEnd) {
    line!(
        out,
        "  TOP_SP {} of {}: {} collectives done, {}",
        of.index,
        clean(&of.core),
        thousands(of.done),
        clean(&of.words)
    );
}

fn core_text(out: &mut String, core: &CoreEnd, ranks: bool) {
    let peer = if core.has_peer { "" } else { ", its peer core is modelled" };
    let rank = if ranks { format!("rank {} ", core.rank) } else { String::new() };
    line!(out, "  {rank}{} on core {}{peer}", clean(&core.subgraph), core.core);
    for engine in &core.engines {
        line!(
            out,
            "    {:<5}{:<8} {:>9} slots  busy {:>11} ns  waited {:>11} ns  {}",
            engine.engine,
            engine.state,
            thousands(engine.instructions),
            thousands(engine.busy_ns),
            thousands(engine.waited_ns),
            place(&engine.place)
        );
    }
    for queue in &core.queues {
        line!(out, "    queue {} {}: {}", queue.number, clean(&queue.name), queue.words());
    }
    for (number, one) in core.inferences.iter().take(3).enumerate() {
        let time = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), thousands);
        line!(out, "    inference {number}: {} to {} ns", time(one.start_ns), time(one.end_ns));
    }
    if core.n_inferences > 3 {
        line!(out, "    and {} more inferences", core.n_inferences - 3);
    }
}

/// Semaphores that are not 0, in a line.
pub fn semaphores_line(semaphores: &Semaphores) -> String {
    match semaphores {
        Semaphores::One(values) => values_text(values),
        Semaphores::All(all) => {
            let of = all
                .iter()
                .map(|(name, values)| format!("{}: {}", clean(name), values_text(values)));
            of.collect::<Vec<_>>().join("; ")
        }
    }
}

fn semaphores_text(out: &mut String, semaphores: &Semaphores) {
    match semaphores {
        Semaphores::One(values) => line!(out, "  semaphores {}", values_text(values)),
        Semaphores::All(all) => {
            for (subgraph, values) in all {
                line!(out, "  semaphores of {}: {}", clean(subgraph), values_text(values));
            }
        }
    }
}

/// Those that are not 0, by number.
fn values_text(values: &BTreeMap<String, i32>) -> String {
    let mut list: Vec<(u32, i32)> = values
        .iter()
        .filter(|(_, value)| **value != 0)
        .filter_map(|(id, value)| Some((id.parse().ok()?, *value)))
        .collect();
    list.sort_unstable();
    let words: Vec<String> = list.iter().map(|(id, value)| format!("S{id}={value}")).collect();
    if words.is_empty() { "all 0".to_owned() } else { words.join(" ") }
}

fn place(place: &PlaceRef) -> String {
    let mut parts = vec![format!("{} {}", clean(&place.s), place.e)];
    if let Some(region) = &place.region {
        parts.push(region.clone());
    }
    if let Some(slot) = place.image_slot {
        parts.push(format!("slot {slot}"));
    }
    if let Some(ip) = place.neff_ip {
        parts.push(format!("NEFF IP {ip}"));
    }
    if let Some(pc) = &place.device_pc {
        parts.push(format!("PC {pc}"));
    }
    parts.join(", ")
}

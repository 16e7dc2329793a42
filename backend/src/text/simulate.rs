//! The answer about a run as text for a terminal: the outcome first, then what explains it.

use super::findings_text;
use crate::format::{clean, thousands};
use debug_api::answer::{CoreEnd, PlaceRef, PosterInfo, Semaphores, SimulateAnswer, StuckInfo};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Appends a formatted line; writing to a string does not fail.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {{
        let _ = writeln!($out, $($arg)*);
    }};
}

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
    for core in &run.cores {
        core_text(&mut out, core);
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

fn core_text(out: &mut String, core: &CoreEnd) {
    let peer = if core.has_peer { "" } else { ", its peer core is modelled" };
    line!(out, "  {} on core {}{peer}", clean(&core.subgraph), core.core);
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
        let flying = match queue.in_flight {
            0 => String::new(),
            some => format!(", {some} under way"),
        };
        line!(
            out,
            "    queue {} {}: {} of {} blocks moved{flying}",
            queue.number,
            clean(&queue.name),
            queue.moved,
            queue.blocks
        );
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

//! The outcome of a run in words, and short texts for waits and states.

use debug_api::answer::{CoreEnd, EngineEndInfo, PlaceRef, Semaphores, SimulateAnswer, StuckInfo};

/// What an outcome means, for a heading.
pub fn outcome(answer: &SimulateAnswer) -> &'static str {
    match answer.outcome.as_str() {
        "finished" => "Finished",
        "deadlock" => "Deadlock",
        "fault" => "Fault",
        _ => "Out of events",
    }
}

/// Whether several ranks ran.
pub fn has_ranks(answer: &SimulateAnswer) -> bool {
    answer.cores.iter().any(|core| core.rank > 0)
}

/// A core, with its rank where there are several.
pub fn core_name(core: &CoreEnd, ranks: bool) -> String {
    match ranks {
        true => format!("rank {} {}", core.rank, core.subgraph),
        false => core.subgraph.clone(),
    }
}

/// Severity of an outcome: class and symbol of its banner.
pub fn severity(answer: &SimulateAnswer) -> (&'static str, &'static str) {
    match answer.outcome.as_str() {
        "finished" => ("ok", "i-check"),
        "budget" => ("warn", "v-warning"),
        _ => ("err", "v-error"),
    }
}

/// A place in few words: `PE slot 65, IP 2`.
pub fn place(place: &PlaceRef) -> String {
    let mut out = place.e.clone();
    if let Some(slot) = place.image_slot {
        out.push_str(&format!(" slot {slot}"));
    }
    if let Some(ip) = place.neff_ip {
        out.push_str(&format!(", IP {ip}"));
    }
    out
}

/// What an engine waits for: `sem[12] > 0`, `event[3]`; empty for an engine that stopped.
pub fn condition(stuck: &StuckInfo) -> String {
    let Some(wait) = &stuck.wait else { return String::new() };
    match (&wait.op, wait.value) {
        (Some(op), _) if op.starts_with("event") => format!("event[{}] {op}", wait.index),
        (Some(op), Some(value)) => format!("sem[{}] {op} {value}", wait.index),
        (Some(op), None) => format!("sem[{}] {op}", wait.index),
        (None, _) => format!("sem[{}]", wait.index),
    }
}

/// Semaphores that were ever changed, by subgraph: name and `(id, value)` in the order of the ids.
pub fn semaphores(answer: &SimulateAnswer) -> Vec<(String, Vec<(u32, i32)>)> {
    let list = |values: &std::collections::BTreeMap<String, i32>| {
        let read = values.iter().filter_map(|(id, value)| Some((id.parse().ok()?, *value)));
        let mut list: Vec<(u32, i32)> = read.collect();
        list.sort_unstable();
        list
    };
    match &answer.semaphores {
        Semaphores::One(values) => {
            let name = answer.cores.first().map(|core| core.subgraph.clone());
            vec![(name.unwrap_or_default(), list(values))]
        }
        Semaphores::All(all) => {
            all.iter().map(|(name, values)| (name.clone(), list(values))).collect()
        }
    }
}

/// How an engine spent the time of a run, as parts of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// In its records.
    pub busy: f64,
    /// In waits that ended.
    pub waited: f64,
    /// In the wait that did not end, of a run that stands still.
    pub stuck: f64,
}

impl Share {
    /// `8 % busy, 92 % waiting`.
    pub fn words(&self) -> String {
        let percent = |part: f64| format!("{:.0} %", part * 100.0);
        let mut out = format!("{} busy, {} waiting", percent(self.busy), percent(self.waited));
        if self.stuck > 0.0 {
            out.push_str(&format!(", {} in the last wait", percent(self.stuck)));
        }
        out
    }
}

/// The shares of an engine in a run of so many ns. What is none of them is time after the engine was
/// done, or before its core started.
pub fn shares(end: &EngineEndInfo, time_ns: u64) -> Share {
    let of = |ns: u64| if time_ns == 0 { 0.0 } else { ns as f64 / time_ns as f64 };
    let stuck = match (end.state.as_str(), end.since_ns) {
        ("waiting", Some(since)) => time_ns.saturating_sub(since),
        _ => 0,
    };
    Share { busy: of(end.busy_ns), waited: of(end.waited_ns), stuck: of(stuck) }
}

/// A sentence that starts with a capital; names stay as they are.
pub fn capital(text: &str) -> String {
    match text.strip_prefix("the ") {
        Some(rest) => format!("The {rest}"),
        None => text.to_owned(),
    }
}

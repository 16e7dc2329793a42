//! Answers about collectives as text for a terminal.

use super::findings_text;
use crate::format::{clean, line};
use debug_api::answer::{
    BarrierInfo, BufferRef, CollectiveOperand, CollectiveTrigger, CollectivesAnswer, PlannedEntry,
    ScheduleAnswer, ScheduleMove, ScheduleSync, TopSpTable,
};
use std::fmt::Write;

/// Collectives and entries that are printed; JSON has more.
const ROWS: usize = 40;

/// `collectives` as text.
pub fn collectives_text(answer: &CollectivesAnswer) -> String {
    let mut out = String::new();
    let known =
        |value: Option<u32>| value.map_or("not known".to_owned(), |value| value.to_string());
    line!(
        out,
        "{} on core {} [{}], {}",
        clean(&answer.subgraph),
        answer.core,
        answer.core_provenance.name(),
        answer.generation
    );
    if answer.n_triggers == 0 && answer.ranks.is_empty() {
        line!(out, "  0 collectives");
        findings_text(&mut out, &answer.diagnostics);
        return out;
    }
    line!(out, "  rank      {} of {}", known(answer.rank), known(answer.world));
    line!(
        out,
        "  channels  {} [{}], {} streams [{}]",
        answer.channels,
        answer.channels_provenance.name(),
        answer.streams,
        answer.streams_provenance.name()
    );
    for set in &answer.groups {
        let text = if set.text.is_empty() { "all ranks" } else { &set.text };
        line!(out, "  groups {}  {text} [file]", set.index);
    }
    line!(out, "  {} collectives", answer.n_triggers);
    for one in answer.triggers.iter().take(ROWS) {
        trigger(&mut out, one);
    }
    if answer.from >= answer.n_triggers && answer.n_triggers > 0 {
        line!(
            out,
            "        none is shown: --from is {}, the last one {}",
            answer.from,
            answer.n_triggers - 1
        );
    }
    for one in &answer.top_sps {
        top_sp(&mut out, one);
    }
    if let Some(one) = &answer.barrier {
        barrier(&mut out, one);
    }
    for one in &answer.ranks {
        line!(
            out,
            "  rank {:<4} {} {}: {} collectives",
            one.rank,
            clean(&one.name),
            clean(&one.subgraph),
            one.n_triggers
        );
    }
    if let Some(difference) = &answer.difference {
        line!(out, "  first difference: {}", difference.message);
        for value in &difference.values {
            let place = value.place.as_ref().map_or(String::new(), |place| {
                format!("  {} slot {} (IP {})", place.engine, place.slot, place.neff_ip)
            });
            line!(out, "    rank {:<4} {}{place}", value.rank, value.value);
        }
    } else if !answer.ranks.is_empty() {
        line!(out, "  all ranks agree");
    }
    findings_text(&mut out, &answer.diagnostics);
    out
}

fn trigger(out: &mut String, one: &CollectiveTrigger) {
    let word = |value: &Option<String>| value.as_deref().unwrap_or("-").to_owned();
    line!(
        out,
        "  {:>4}  {} slot {} (IP {})  {} [{}]",
        one.place.index,
        one.place.engine,
        one.place.slot,
        one.place.neff_ip,
        one.operation,
        one.operation_provenance.name()
    );
    let elements = one.elements.map_or("-".to_owned(), |count| count.to_string());
    if let Some(peer) = one.peer {
        line!(out, "        peer {peer}, {} bytes", one.bytes.unwrap_or(0));
    } else {
        line!(out, "        {} {} x {elements}", word(&one.reduction), word(&one.dtype));
    }
    for (name, list) in [("in ", &one.inputs), ("out", &one.outputs)] {
        for side in list {
            line!(out, "        {name} {}", operand(side));
        }
    }
    if one.peer.is_none() {
        let ranks: Vec<String> = one.ranks.iter().take(16).map(u32::to_string).collect();
        let more = if one.ranks.len() > 16 { ",..." } else { "" };
        let n = one.n_ranks.map_or("?".to_owned(), |n| n.to_string());
        let list =
            if ranks.is_empty() { String::new() } else { format!(" ({}{more})", ranks.join(",")) };
        line!(out, "        {n} ranks{list}");
    }
    let steps = one.steps.map_or(String::new(), |steps| format!(", {steps} steps"));
    line!(
        out,
        "        {}{steps} [{}]: {}",
        one.algorithm.as_deref().unwrap_or("no algorithm"),
        one.algorithm_provenance.name(),
        one.why
    );
}

fn operand(side: &CollectiveOperand) -> String {
    let name = side.name.as_deref().map_or("?".to_owned(), clean);
    let bytes = side.bytes.map_or("? bytes".to_owned(), |bytes| format!("{bytes} bytes"));
    let size = side.variable_bytes.map_or(String::new(), |size| format!(" of {size}"));
    format!("{name} (id {}) at {:#x}, {bytes}{size}", side.id, side.offset)
}

fn top_sp(out: &mut String, one: &TopSpTable) {
    let leader = if one.leader { ", leader [modelled]" } else { "" };
    let room = |entries: Option<u64>| entries.map_or("?".to_owned(), |room| room.to_string());
    line!(
        out,
        "  TOP_SP {} [{}]{leader}: {} of {} control entries, {} of {} tape entries [modelled]",
        one.index,
        one.index_provenance.name(),
        one.n_entries,
        room(one.control_room.entries),
        one.tape,
        room(one.tape_room.entries)
    );
    for one in one.entries.iter().take(ROWS) {
        line!(out, "    {}", entry(one));
    }
    for semaphore in &one.surface {
        let address = semaphore.address.as_deref().unwrap_or("-");
        line!(out, "    {:<14} {address} [{}]", semaphore.name, semaphore.provenance.name());
    }
    for semaphore in &one.reserved {
        let address = semaphore.address.as_deref().unwrap_or("-");
        let (name, of) = (&semaphore.name, semaphore.provenance.name());
        line!(out, "    keeps {name:<18} {address} [{of}]");
    }
    for bell in &one.doorbells {
        line!(out, "    rings {:<18} {} [{}]", bell.name, bell.address, bell.provenance.name());
    }
}

/// The device's barrier, what the host does instead, and the host's plan.
fn barrier(out: &mut String, one: &BarrierInfo) {
    line!(
        out,
        "  barrier of the device, before the first operation where the configuration asks for it"
    );
    for (steps, what) in [(&one.steps, ""), (&one.switched_steps, ", behind switches")] {
        for step in steps {
            let used = step.places.iter().filter(|place| place.kind != "unused");
            let used: Vec<&str> = used.map(|place| place.kind.as_str()).collect();
            line!(
                out,
                "    step {}{what}  {:<5} group of {}  {} [{}]: {} [{}]",
                step.index,
                step.op,
                step.group_size,
                used.join(" "),
                step.provenance.name(),
                step.action,
                step.action_provenance.name()
            );
        }
    }
    for text in &one.after {
        line!(out, "    then     {text} [{}]", one.provenance.name());
    }
    line!(out, "  barrier of the host, instead");
    for text in &one.host {
        line!(out, "    {text} [{}]", one.provenance.name());
    }
    for set in &one.peers {
        line!(
            out,
            "  barrier peers of rank {} in groups {}, {} ranks a chip [{}]",
            set.rank,
            set.group,
            one.ranks_per_chip,
            set.provenance.name()
        );
        for (what, list) in [("sends to", &set.sends), ("receives from", &set.receives)] {
            for peer in list {
                line!(out, "    {what:<13} rank {:<4} {} bit {}", peer.rank, peer.kind, peer.bit);
            }
        }
    }
}

fn entry(one: &PlannedEntry) -> String {
    let place = &one.trigger;
    let mut words = vec![format!("{:>4} +{:#x}", one.index, one.offset)];
    if one.nop {
        words.push("nop".to_owned());
    } else {
        words.push(one.algorithm.clone().unwrap_or_else(|| "no algorithm".to_owned()));
        words.push(match &one.channel_list {
            Some(list) => format!("channels {list}"),
            None => "shift and mask not known".to_owned(),
        });
    }
    let flags = [
        (one.trigger_next, "trigger_next"),
        (one.reporter, "reporter"),
        (one.ring_wait_complete, "wait_complete"),
        (one.ring_send_complete, "send_complete"),
    ];
    words.extend(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| (*name).to_owned()));
    words.push(format!("<- {} slot {} [{}]", place.engine, place.slot, one.provenance.name()));
    words.join("  ")
}

/// `schedule` as text.
pub fn schedule_text(answer: &ScheduleAnswer) -> String {
    let mut out = String::new();
    line!(
        out,
        "{} {} over {} ranks [{}]",
        answer.algorithm,
        answer.operation,
        answer.ranks,
        answer.provenance.name()
    );
    if answer.locals > 1 {
        line!(out, "  groups of {} ranks", answer.locals);
    }
    line!(
        out,
        "  {} steps, {} hops, {} chunks cross between ranks",
        answer.n_steps,
        answer.hops,
        answer.crossing_chunks
    );
    for note in &answer.notes {
        line!(out, "  note: {note}");
    }
    for step in &answer.steps {
        line!(out, "  step {} {} ({}) [{}]", step.index, step.phase, step.leg, step.source);
        for act in &step.acts {
            let mut words = vec![format!("    rank {:<3} {}", act.rank, act.leaf)];
            words.extend(
                act.waits.iter().map(|wait| format!("wait {} >= {}", sync(wait), wait.value)),
            );
            words.extend(act.moves.iter().map(moved));
            words.extend(
                act.after.iter().map(|wait| format!("wait {} >= {}", sync(wait), wait.value)),
            );
            words.extend(act.posts.iter().map(|post| {
                let through = post.through.as_ref().map_or(String::new(), |at| format!(" at {at}"));
                format!("post rank {} {} += {}{through}", post.rank, sync(post), post.value)
            }));
            line!(out, "{}", words.join("; "));
        }
    }
    let shown = answer.from + answer.steps.len() as u64;
    if answer.from >= answer.n_steps {
        line!(
            out,
            "  none is shown: --from is {}, the last step {}",
            answer.from,
            answer.n_steps.saturating_sub(1)
        );
    } else if shown < answer.n_steps {
        line!(out, "  and {} more steps, from --from {shown}", answer.n_steps - shown);
    }
    out
}

fn sync(one: &ScheduleSync) -> String {
    match (one.leg, one.index) {
        (0, 0) => one.semaphore.clone(),
        (leg, index) => format!("{}[{leg}.{index}]", one.semaphore),
    }
}

fn moved(one: &ScheduleMove) -> String {
    let places = |list: &[BufferRef]| {
        let words: Vec<String> = list.iter().map(buffer).collect();
        words.join(" ")
    };
    let chunks = match (one.count, one.stride) {
        (1, _) => format!("chunk {}", one.first),
        (count, 1) => format!("chunks {} to {}", one.first, one.first + count - 1),
        (count, stride) => format!("{count} chunks from {} by {stride}", one.first),
    };
    let add = if one.adds { " (add)" } else { "" };
    format!("{chunks}: {} -> {}{add}", places(&one.from), places(&one.to))
}

fn buffer(one: &BufferRef) -> String {
    match (one.buffer.as_str(), one.sender) {
        ("data", _) => format!("{}", one.rank),
        (name, Some(sender)) => format!("{}.{name}[{sender}]", one.rank),
        (name, None) => format!("{}.{name}", one.rank),
    }
}

//! The timeline as text.

use super::findings_text;
use crate::format::{clean, line, thousands};
use debug_api::answer::{EngineMoment, TimelineAnswer, TimelineEventsAnswer, TimelineStateAnswer};
use std::fmt::Write;

/// Microseconds with their picoseconds: `3.412000 us`.
fn us(ps: u64) -> String {
    format!("{}.{:06} us", thousands(ps / 1_000_000), ps % 1_000_000)
}

/// The `timeline` document.
pub fn timeline_text(answer: &TimelineAnswer) -> String {
    let mut out = String::new();
    let from = answer.provenance.name();
    let events = match &answer.outcome {
        Some(outcome) => format!("{outcome} after {} events", thousands(answer.events)),
        None => {
            format!("{} events of {} records", thousands(answer.events), thousands(answer.records))
        }
    };
    line!(
        out,
        "{} in {}: {events}, {} [{from}]",
        clean(&answer.subgraph),
        clean(&answer.file.name),
        us(answer.end_ps)
    );
    if let Some(execution) = answer.execution_ps {
        line!(out, "  the capture states an execution time of {}", us(execution));
    }
    line!(out, "  range {} to {}", us(answer.from_ps), us(answer.to_ps));
    let range = answer.to_ps.saturating_sub(answer.from_ps);
    for row in &answer.rows {
        let whole = u128::from(range) * u128::from(row.lanes.max(1));
        let percent = (u128::from(row.busy_ps) * 1000).checked_div(whole).unwrap_or(0);
        let sums = match row.group.as_str() {
            "engines" | "queues" | "top-sps" => {
                let open = match row.open_ps {
                    0 => String::new(),
                    open => format!("  open {}", us(open)),
                };
                format!(
                    "{:>3}.{} % busy  {} of {}{open}",
                    percent / 10,
                    percent % 10,
                    us(row.busy_ps),
                    if row.lanes == 1 {
                        "one track".to_owned()
                    } else if row.group == "top-sps" {
                        format!("{} tracks", row.lanes)
                    } else {
                        format!("{} rings", row.lanes)
                    }
                )
            }
            "notifications" => String::new(),
            _ => format!("largest value {}", thousands(row.largest)),
        };
        let label = match row.label.as_str() {
            "" => String::new(),
            label => format!("  {} [{}]", clean(label), row.label_provenance.name()),
        };
        let name = clean(&row.name);
        line!(out, "  {name:<22}{:>11} events  {sums}{label}", thousands(row.range_events));
    }
    findings_text(&mut out, &answer.diagnostics);
    out
}

/// The `timeline-events` document.
pub fn events_text(answer: &TimelineEventsAnswer) -> String {
    let mut out = String::new();
    let from = answer.provenance.name();
    line!(
        out,
        "{}: {} events, from number {} on [{from}]",
        clean(&answer.subgraph),
        thousands(answer.total),
        answer.from
    );
    for event in &answer.events {
        let place = event.place.as_ref();
        let slot = place.and_then(|place| place.image_slot);
        let slot = slot.map_or(String::new(), |slot| format!("  slot {slot}"));
        let ip = place.and_then(|place| place.neff_ip);
        let ip = ip.map_or(String::new(), |ip| format!(" IP {ip}"));
        let value = event.value.map_or(String::new(), |value| format!("  {value}"));
        let flags = match event.flags.as_slice() {
            [] => String::new(),
            flags => format!("  ({})", flags.join(", ")),
        };
        line!(
            out,
            "  {:>18}  {:>16}  {:<12} {}{slot}{ip}{value}  {}{flags}",
            us(event.start_ps),
            us(event.len_ps),
            clean(&event.row),
            clean(&event.name),
            clean(&event.text)
        );
        let Some(links) = &event.links else { continue };
        for (word, list) in [("depends on", &links.before), ("leads to", &links.after)] {
            for link in list {
                line!(
                    out,
                    "      {word:<10} {:<12} {} at {} [{}]",
                    clean(&link.row),
                    clean(&link.name),
                    us(link.start_ps),
                    links.provenance.name()
                );
            }
        }
    }
    out
}

/// The `timeline-state` document.
pub fn state_text(answer: &TimelineStateAnswer) -> String {
    let mut out = String::new();
    let from = answer.provenance.name();
    let of = us(answer.end_ps);
    line!(out, "{} at {} of {of} [{from}]", clean(&answer.subgraph), us(answer.at_ps));
    for (word, time) in [("previous", answer.previous_ps), ("next", answer.next_ps)] {
        if let Some(time) = time {
            line!(out, "  {word:<9} event starts at {time} ps");
        }
    }
    for engine in &answer.engines {
        line!(out, "  {}", engine_line(engine));
    }
    for queue in &answer.queues {
        let blocks: Vec<String> = queue.blocks.iter().map(u32::to_string).collect();
        let blocks = match blocks.as_slice() {
            [] => String::new(),
            blocks => format!(": block {}", blocks.join(" ")),
        };
        line!(
            out,
            "  {}: {} of {} started, {} under way{blocks}",
            clean(&queue.row),
            thousands(queue.started),
            thousands(queue.total),
            queue.under_way
        );
    }
    for top_sp in &answer.top_sps {
        let now = match (top_sp.collective, top_sp.step) {
            (Some(number), Some(step)) => format!("in collective {number}, step {step}"),
            (Some(number), None) => format!("in collective {number}"),
            (None, _) => "idle".to_owned(),
        };
        line!(out, "  {}: {} started, {now}", clean(&top_sp.row), thousands(top_sp.started));
    }
    for counter in answer.semaphores.iter().chain(&answer.events) {
        let by = if counter.by.is_empty() { "DMA or the host" } else { &counter.by };
        let label = match counter.label.as_str() {
            "" => String::new(),
            label => format!("  {}", clean(label)),
        };
        line!(
            out,
            "  {:<10} = {:<6} since {} by {by}{label}",
            clean(&counter.row),
            counter.value as i32,
            us(counter.since_ps)
        );
    }
    out
}

fn engine_line(engine: &EngineMoment) -> String {
    let place = engine.place.as_ref();
    let slot = place.and_then(|place| place.image_slot);
    let slot = slot.map_or(String::new(), |slot| format!(" slot {slot}"));
    let ip = place.and_then(|place| place.neff_ip);
    let ip = ip.map_or(String::new(), |ip| format!(" IP {ip}"));
    let pc = place.and_then(|place| place.device_pc.as_deref());
    let pc = pc.map_or(String::new(), |pc| format!(" PC {pc}"));
    let since = engine.since_ps.map_or(String::new(), |since| format!(" since {}", us(since)));
    let until = engine.until_ps.map_or(String::new(), |until| format!(" until {}", us(until)));
    format!(
        "{:<5}{:<8}{since}{until}{slot}{ip}{pc}  {} {}",
        engine.engine,
        engine.state,
        clean(&engine.name),
        clean(&engine.text)
    )
}

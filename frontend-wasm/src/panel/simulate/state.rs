//! Where everything stands at the end: counts, engines, queues, semaphores, the timing model.

use super::link;
use crate::dom::{El, div, el, span};
use crate::layout::format::thousands;
use crate::layout::simulate::words;
use crate::paint::glyph::{engine, provenance};
use debug_api::answer::{CoreEnd, SimulateAnswer};

/// Inferences that are listed.
const MOST_INFERENCES: usize = 8;
/// Queues that are listed.
const MOST_QUEUES: usize = 64;

/// The parts.
pub fn parts(answer: &SimulateAnswer) -> Vec<El> {
    let mut out = vec![counts(answer)];
    out.extend(answer.cores.iter().map(core));
    for (name, values) in words::semaphores(answer) {
        let title = match answer.cores.len() {
            0 | 1 => "Semaphores".to_owned(),
            _ => format!("Semaphores of {name}"),
        };
        let list = values.iter().map(|(id, value)| {
            span("rsem mono", &format!("sem[{id}] = {value}"))
        });
        let body = match values.is_empty() {
            true => el("p").class("t3").text("All are 0."),
            false => div("rsems").children(list),
        };
        out.push(section(&title).child(body));
    }
    out
}

fn section(title: &str) -> El {
    div("rsec").child(el("h3").text(title))
}

fn counts(answer: &SimulateAnswer) -> El {
    let row = |name: &str, value: String| {
        [el("dt").text(name), el("dd").class("mono").text(&value)]
    };
    let mut list = el("dl").class("rfl");
    let order = answer.seed.map_or_else(|| "as stated".to_owned(), |seed| format!("seed {seed}"));
    let rows = [
        ("Time", format!("{} ns", thousands(answer.time_ns))),
        ("Slots done", thousands(answer.instructions)),
        ("Events", thousands(answer.events)),
        ("Inferences", thousands(u64::from(answer.inferences))),
        ("Order", order),
        ("Trace", answer.trace.hash.clone()),
    ];
    for (name, value) in rows {
        list = list.children(row(name, value));
    }
    let timing = &answer.timing;
    let note = format!("Times are those of the timing model {}: {}", timing.name, timing.about);
    let note = el("p").class("t3").child(provenance(timing.provenance)).and_text(" ").and_text(&note);
    section("Counts").child(list).child(note)
}

fn core(core: &CoreEnd) -> El {
    let rows = core.engines.iter().map(|one| {
        let since = one.since_ns.map(|since| format!("since {} ns", thousands(since)));
        let state = since.map_or_else(|| one.state.clone(), |since| format!("{} {since}", one.state));
        let at = one.place.image_slot.map_or_else(|| "-".to_owned(), |slot| slot.to_string());
        let label = format!("{} in Code", words::place(&one.place));
        let at = link(&one.place, &at).attr("aria-label", &label);
        el("tr")
            .child(el("th").attr("scope", "row").child(engine(&one.engine)))
            .child(el("td").text(&state))
            .child(el("td").class("r mono").child(at))
            .child(el("td").class("r mono").text(&thousands(one.instructions)))
            .child(el("td").class("r mono").text(&thousands(one.busy_ns)))
            .child(el("td").class("r mono").text(&thousands(one.waited_ns)))
    });
    let heads = ["Engine", "State", "Last slot", "Slots", "Busy ns", "Waited ns"];
    let head = el("tr").children(heads.into_iter().enumerate().map(|(at, text)| {
        el("th").attr("scope", "col").class(if at > 1 { "r" } else { "" }).text(text)
    }));
    let table = el("table").class("tbl dense rtbl").child(el("thead").child(head));
    let table = table.child(el("tbody").children(rows));
    let peer = if core.has_peer { "" } else { ", its peer core is modelled" };
    let title = format!("{} on core {}{peer}", core.subgraph, core.core);
    let scroll = div("rscroll").attr("tabindex", "0").attr("role", "region");
    let scroll = scroll.attr("aria-label", &format!("Engines of {}", core.subgraph)).child(table);
    let mut made = section(&title).child(scroll);
    for queue in core.queues.iter().take(MOST_QUEUES) {
        let flying = match queue.in_flight {
            0 => String::new(),
            some => format!(", {some} under way"),
        };
        let text = format!("{} of {} blocks moved{flying}", queue.moved, queue.blocks);
        let name = span("mono", &format!("queue {} {}", queue.number, queue.name));
        made = made.child(el("p").class("rq").child(name).child(span("t3", &text)));
    }
    if core.queues.len() > MOST_QUEUES {
        let left = core.queues.len() - MOST_QUEUES;
        made = made.child(el("p").class("t3").text(&format!("and {left} more queues")));
    }
    for (number, one) in core.inferences.iter().take(MOST_INFERENCES).enumerate() {
        let time = |ns: Option<u64>| ns.map_or_else(|| "-".to_owned(), thousands);
        let text = format!("{} to {} ns", time(one.start_ns), time(one.end_ns));
        let name = span("mono", &format!("inference {number}"));
        made = made.child(el("p").class("rq").child(name).child(span("t3", &text)));
    }
    let left = core.n_inferences.saturating_sub(MOST_INFERENCES as u64);
    if left > 0 {
        let text = format!("and {} more inferences", thousands(left));
        made = made.child(el("p").class("t3").text(&text));
    }
    made
}

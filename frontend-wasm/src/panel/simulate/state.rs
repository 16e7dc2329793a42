//! Where everything stands at the end: counts, engines, queues, semaphores, and what the run is made
//! of. What can be broken on purpose has a switch beside it.

use super::link;
use crate::dom::{El, div, el, span};
use crate::layout::format::thousands;
use crate::layout::simulate::words;
use crate::layout::state::State;
use crate::paint::glyph::{button, engine, provenance};
use debug_api::answer::{CoreEnd, QueueEndInfo, SimulateAnswer};
use debug_api::{Provenance, RunChoices};

/// Inferences that are listed.
const MOST_INFERENCES: usize = 8;
/// Queues that are listed.
const MOST_QUEUES: usize = 64;
/// By how much the switch of a core delays it, ns.
const DELAY_NS: u32 = 10_000;

/// The parts.
pub fn parts(state: &State, answer: &SimulateAnswer) -> Vec<El> {
    let choices = &state.run.choices;
    let several = answer.cores.len() > 1;
    let ranks = words::has_ranks(answer);
    let mut out = vec![counts(answer)];
    out.extend(answer.cores.iter().map(|end| core(end, several, ranks, choices)));
    for (name, values) in words::semaphores(answer) {
        out.push(semaphores(&name, &values, several, choices));
    }
    out.push(made_of(state, answer));
    out
}

fn section(title: &str) -> El {
    div("rsec").child(el("h3").text(title))
}

/// A switch of the list `key`: pressed where one of the `parts` is in it. Pressing it again takes
/// that part out.
fn switch(key: &str, parts: &[String], text: &str, label: &str, choices: &RunChoices) -> El {
    let list = choices.list(key);
    let on = parts.iter().find(|part| list.contains(&part.as_str()));
    let part = on.or_else(|| parts.first()).map_or("", String::as_str);
    let made = button("btn sm rsw").attr("data-list", key).attr("data-part", part);
    let made = made.attr("aria-pressed", if on.is_some() { "true" } else { "false" });
    made.attr("aria-label", label).attr("title", label).text(text)
}

fn counts(answer: &SimulateAnswer) -> El {
    let row =
        |name: &str, value: String| [el("dt").text(name), el("dd").class("mono").text(&value)];
    let mut list = el("dl").class("rfl");
    let rows = [
        ("Time", format!("{} ns", thousands(answer.time_ns))),
        ("Slots done", thousands(answer.instructions)),
        ("Events", thousands(answer.events)),
        ("Inferences", thousands(u64::from(answer.inferences))),
        ("Trace", answer.trace.hash.clone()),
    ];
    for (name, value) in rows {
        list = list.children(row(name, value));
    }
    section("Counts").child(list)
}

fn core(core: &CoreEnd, several: bool, ranks: bool, choices: &RunChoices) -> El {
    let rows = core.engines.iter().map(|one| {
        let since = one.since_ns.map(|since| format!("since {} ns", thousands(since)));
        let state =
            since.map_or_else(|| one.state.clone(), |since| format!("{} {since}", one.state));
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
    let name = words::core_name(core, ranks);
    let title = format!("{name} on core {}{peer}", core.core);
    let scroll = div("rscroll").attr("tabindex", "0").attr("role", "region");
    let scroll = scroll.attr("aria-label", &format!("Engines of {name}")).child(table);
    let mut made = section(&title).child(scroll);
    if several {
        let whom = if ranks {
            format!("rank{}/{}", core.rank, core.subgraph)
        } else {
            core.subgraph.clone()
        };
        let part = format!("{whom}:{DELAY_NS}");
        let text = format!("start {} ns late", thousands(DELAY_NS.into()));
        let label = format!("{name}: {text}, and run again");
        let name = span("t2", "This core");
        let row = div("rq").child(name).child(span("grow", ""));
        made = made.child(row.child(switch("delay", &[part], &text, &label, choices)));
    }
    if ranks {
        let part = format!("rank{}:link:1", core.rank);
        let text = "lose its first post";
        let label = format!("Rank {}: {text} to another rank, and run again", core.rank);
        let row = div("rq").child(span("t2", "To other ranks")).child(span("grow", ""));
        made = made.child(row.child(switch("drop", &[part], text, &label, choices)));
    }
    made = made.children(core.queues.iter().take(MOST_QUEUES).map(|one| queue(one, choices)));
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

/// A queue with the switch that stalls a ring of it.
fn queue(queue: &QueueEndInfo, choices: &RunChoices) -> El {
    let text = queue.words();
    let name = span("mono", &format!("queue {} {}", queue.number, queue.name));
    let made = div("rq").child(name).child(span("t3", &text)).child(span("grow", ""));
    if queue.blocks == 0 {
        return made;
    }
    let parts: Vec<String> =
        (0..queue.rings.max(1)).map(|ring| format!("{}:{ring}", queue.name)).collect();
    let stalled = choices.list("stall");
    let ring = parts.iter().position(|part| stalled.contains(&part.as_str())).unwrap_or(0);
    let text = format!("stall ring {ring}");
    let label = format!("{text} of queue {} and run again", queue.name);
    made.child(switch("stall", &parts, &text, &label, choices))
}

/// Semaphores with the switch that drops the first post of each.
fn semaphores(name: &str, values: &[(u32, i32)], several: bool, choices: &RunChoices) -> El {
    let title = if several { format!("Semaphores of {name}") } else { "Semaphores".to_owned() };
    let made = section(&title);
    if values.is_empty() {
        return made.child(el("p").class("t3").text("None was ever posted."));
    }
    let list = values.iter().map(|(id, value)| {
        let any = format!("semaphore:{id}:1");
        let own = if several { format!("{name}:{any}") } else { any.clone() };
        let text = format!("sem[{id}] = {value}");
        let label = format!("{text}; run without its first post");
        switch("drop", &[own, any], &text, &label, choices).class("btn sm rsw mono")
    });
    let note = "Values at the end of all that were posted. Press one to lose its first post.";
    made.child(div("rsems").children(list)).child(el("p").class("t3").text(note))
}

/// What the run is made of, each part with how it is known.
fn made_of(state: &State, answer: &SimulateAnswer) -> El {
    let timing = &answer.timing;
    let images = state.regions.as_ref().map(|regions| match regions.captured {
        true => ("those of the capture".to_owned(), Provenance::Observed),
        false => (format!("built by {}", regions.profile), regions.provenance),
    });
    let order = answer.seed.map_or_else(
        || ("as stated".to_owned(), Provenance::Modelled),
        |seed| (format!("shuffled, seed {seed}"), Provenance::Configured),
    );
    let periods: Vec<String> = ["PE", "ACT", "POOL", "DVE", "SP", "DMA"]
        .into_iter()
        .filter_map(|name| Some((name, timing.clock_fs.get(name)?)))
        .map(|(name, fs)| format!("{name} {}.{:03}", fs / 1000, fs % 1000))
        .collect();
    let mut rows = Vec::new();
    rows.extend(images.map(|(text, from)| ("Images", text, from)));
    rows.push(("Rings, host", "our stand-ins".to_owned(), Provenance::Modelled));
    rows.push(("Order", order.0, order.1));
    rows.push(("Costs", format!("{}: {}", timing.name, timing.about), timing.provenance));
    rows.push(("Clocks, ps", periods.join(", "), timing.clock_provenance));
    if let Some(ran) = state.run.ran.as_ref().filter(|ran| ran.breaks()) {
        let keys = [("stall", "stalled"), ("drop", "dropped"), ("delay", "delayed")];
        let parts = keys.into_iter().filter_map(|(key, word)| {
            let list = ran.list(key).join(", ");
            (!list.is_empty()).then(|| format!("{list} {word}"))
        });
        let text = parts.collect::<Vec<_>>().join("; ");
        rows.push(("Broken", text, Provenance::Configured));
    }
    let list = rows.into_iter().flat_map(|(name, text, from)| {
        let value = el("dd").child(span("tx", &text)).child(provenance(from));
        [el("dt").text(name), value]
    });
    section("What the run is made of").child(el("dl").class("rfl rmade").children(list))
}

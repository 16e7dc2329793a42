//! The plan of the selected entry: what the record asks for, what it becomes on the TOP_SPs.

use super::barrier;
use crate::dom::{El, div, el, span};
use crate::layout::collectives::{CollectivesBox, EntryAt, words};
use crate::layout::format::{count, thousands};
use crate::layout::memory::VarRef;
use crate::paint::glyph::{address, button, engine, provenance};
use debug_api::Provenance;
use debug_api::answer::{
    CollectiveOperand, CollectiveTrigger, CollectivesAnswer, SurfaceInfo, TableRoom, TopSpTable,
};

/// Runs of ranks that are listed.
const RUNS: usize = 12;

/// The sections.
pub fn parts(own: &CollectivesBox) -> Vec<El> {
    let (Some(plan), Some(trigger)) = (&own.plan, own.trigger()) else {
        let text = "Operation, group, variables, entries, semaphores and doorbells of the selected \
                    entry stand here.";
        return vec![
            div("gap").child(el("b").text("No entry is selected.")).child(el("br")).and_text(text),
        ];
    };
    let mut out = vec![collective(trigger), group(plan, trigger), operands(plan, trigger)];
    out.push(algorithm(trigger));
    out.push(entries(own, trigger));
    if let Some(table) = own.picked.and_then(|at| own.table(at.top_sp)) {
        out.push(tables(table));
        out.push(surface(table));
        out.push(doorbells(table));
    }
    if let Some(barrier) = &plan.barrier {
        let table = own.picked.and_then(|at| own.table(at.top_sp));
        out.extend(barrier::parts(barrier, trigger.group, table));
    }
    out.push(program(plan));
    out.push(clocks(plan));
    out
}

/// A section with its title, and what stands beside it.
pub fn titled(title: &str, side: &str) -> El {
    let cap = el("h3").class("cap").child(span("", title)).child(span("", side));
    el("section").class("fs").child(cap)
}

/// A line of a list of facts.
pub fn fact(list: El, name: &str, value: El, of: Provenance) -> El {
    list.child(el("dt").attr("title", name).text(name))
        .child(el("dd").child(value))
        .child(el("dd").class("qp").child(provenance(of)))
}

/// A list of facts.
pub fn facts() -> El {
    el("dl").class("fl")
}

fn cut(text: &str) -> El {
    span("cut", text).attr("title", text)
}

/// An address that leads to the map.
fn link(text: &str) -> El {
    let made = button("go mono").attr("data-address", text);
    made.attr("title", "Show in the address map").child(address(text))
}

fn collective(trigger: &CollectiveTrigger) -> El {
    use Provenance::File;
    let place = &trigger.place;
    let record =
        button("go").attr("data-ip", &place.neff_ip.to_string()).attr("data-e", &place.engine);
    let record = record.attr("title", "Show in Code").child(engine(&place.engine));
    let record =
        record.child(span("mono", &format!(" IP {}", thousands(u64::from(place.neff_ip)))));
    let mut list = fact(facts(), "Record", record, File);
    if let Some(mnemonic) = &trigger.mnemonic {
        list = fact(list, "Mnemonic", cut(mnemonic).class("mono cut"), File);
    }
    let kind = trigger.kind.map_or(String::new(), |kind| format!(" {kind}"));
    let operation = span("", &trigger.operation).child(span("t3 mono", &kind));
    list = fact(list, "Operation", operation, trigger.operation_provenance);
    if let Some(reduction) = &trigger.reduction {
        list = fact(list, "Reduction", span("mono", reduction), File);
    }
    list = fact(list, "Moves", cut(&words::amount(trigger)), File);
    if let Some(peer) = trigger.peer {
        list = fact(list, "Peer", span("", &format!("rank {peer}")), File);
    }
    if let Some(chaining) = &trigger.chaining {
        list = fact(list, "Chain", span("", chaining), File);
    }
    if let Some(stream) = trigger.stream {
        list = fact(list, "Stream", span("mono", &stream.to_string()), Provenance::Inferred);
    }
    titled("Collective", &format!("entry {}", place.index)).child(list)
}

fn group(plan: &CollectivesAnswer, trigger: &CollectiveTrigger) -> El {
    let mut list = facts();
    if let Some(index) = trigger.group {
        let known = plan.groups.iter().find(|set| set.index == u64::from(index));
        let text = match known {
            Some(_) => format!("set {index} of {}", count(plan.groups.len() as u64, "set")),
            None => format!("set {index}, which is not there"),
        };
        let text = match known.map(|set| set.n_groups) {
            Some(groups) if groups > 0 => format!("{text}, {}", count(groups, "group")),
            _ => text,
        };
        list = fact(list, "Groups", cut(&text), trigger.group_provenance);
    }
    let n = trigger.n_ranks.map_or("?".to_owned(), |n| count(u64::from(n), "rank"));
    if trigger.peer.is_none() {
        let ranks = words::group(&trigger.ranks, RUNS);
        let ranks = if ranks.is_empty() { n } else { format!("{n}: {ranks}") };
        list = fact(list, "Ranks", cut(&ranks), trigger.group_provenance);
    }
    if let Some((world, of)) = plan.world.zip(plan.world_provenance) {
        list = fact(list, "Job", span("", &count(u64::from(world), "rank")), of);
    }
    if let Some(rank) = plan.rank {
        let of = if plan.ranks.is_empty() { Provenance::Configured } else { Provenance::Inferred };
        list = fact(list, "This rank", span("mono", &rank.to_string()), of);
    }
    titled("Group", "").child(list)
}

fn operands(plan: &CollectivesAnswer, trigger: &CollectiveTrigger) -> El {
    let mut section = titled("Variables", "");
    let all = trigger.inputs.iter().map(|one| ("reads", one));
    let all: Vec<_> = all.chain(trigger.outputs.iter().map(|one| ("writes", one))).collect();
    if all.is_empty() {
        return section
            .child(div("t3 mnote").text("Where its data is, is not known for this record."));
    }
    for (role, one) in all {
        section = section.child(operand(plan, role, one));
    }
    section
}

fn operand(plan: &CollectivesAnswer, role: &str, one: &CollectiveOperand) -> El {
    let bytes = words::moved_bytes(one);
    let row = div("cvar").child(span("t3", role));
    let Some(name) = &one.name else {
        let text = format!("id {}, which is not there", one.id);
        return row.child(span("errc", &text)).child(span("t2 cut", &bytes));
    };
    let var = VarRef { file: plan.file, subgraph: plan.subgraph.clone(), id: one.id };
    let memory = button("go mono").attr("data-var", &var.text()).attr("title", "Show in Memory");
    let structs = button("btn sm ghost").attr("data-variable", name);
    let structs =
        structs.attr("title", "Show in Structs").attr("aria-label", &format!("{name} in Structs"));
    row.child(memory.text(name))
        .child(span("t2 cut", &bytes).attr("title", &bytes))
        .child(span("grow", ""))
        .child(structs.text("Structs"))
        .child(provenance(Provenance::File))
}

fn algorithm(trigger: &CollectiveTrigger) -> El {
    let of = trigger.algorithm_provenance;
    let name = trigger.algorithm.as_deref().unwrap_or("none");
    let mut list = fact(facts(), "Algorithm", span("", name), of);
    if !trigger.why.is_empty() {
        list = fact(list, "Because", cut(&trigger.why), of);
    }
    if let Some(steps) = trigger.steps {
        list = fact(list, "Steps", span("", &thousands(steps)), of);
    }
    titled("Algorithm", of.name()).child(list)
}

fn entries(own: &CollectivesBox, trigger: &CollectiveTrigger) -> El {
    let side = count(trigger.entries.len() as u64, "TOP_SP");
    let mut section = titled("Entries", &side);
    for one in &trigger.entries {
        let at = EntryAt { index: one.index, top_sp: one.top_sp };
        let Some(entry) = own.entry_at(at) else { continue };
        let text = words::reads(entry);
        let tape = match entry.tape {
            0 => String::new(),
            tape => format!(", {tape} on the tape"),
        };
        let on = own.picked == Some(at);
        let row = button(if on { "dep on" } else { "dep" }).attr("data-entry", &at.text());
        let row = row.attr("aria-pressed", if on { "true" } else { "false" });
        section = section.child(
            row.child(span("mono", &format!("TOP_SP {} +{:#x}", one.top_sp, one.offset)))
                .child(span("tx", &format!("{text}{tape}")).attr("title", &text))
                .child(provenance(entry.provenance)),
        );
    }
    section
}

fn room(used: u64, room: &TableRoom) -> El {
    let text = match room.entries {
        Some(all) => format!("{} of {} entries", thousands(used), thousands(all)),
        None => format!("{} entries, room not known", thousands(used)),
    };
    let bytes = room.bytes.map(|bytes| format!(" {} B", thousands(bytes)));
    let class = if room.entries.is_some_and(|all| used > all) { "errc" } else { "" };
    span(class, &text).child(span("t3", &bytes.unwrap_or_default()))
}

fn tables(table: &TopSpTable) -> El {
    let number = span("mono", &table.index.to_string());
    let mut list = fact(facts(), "TOP_SP", number, table.index_provenance);
    let leader = if table.leader { "leads the stream" } else { "follows" };
    list = fact(list, "Leader", span("", leader), table.leader_provenance);
    let control = room(table.n_entries, &table.control_room);
    list = fact(list, "CTRL SPAD", control, table.control_room.provenance);
    list = fact(list, "SLOT SPAD", room(table.tape, &table.tape_room), Provenance::Modelled);
    titled("Tables", &format!("TOP_SP {}", table.index)).child(list)
}

fn surface(table: &TopSpTable) -> El {
    let mut section = titled("Completion surface", "read at, posted to");
    let mut list = el("dl").class("fl cwide");
    for one in &table.surface {
        list = fact(list, &one.name, semaphore(one), one.provenance);
    }
    section = section.child(list);
    let note = "Configurations hold the address at which a semaphore is read; posts go to its \
                increment window.";
    section.child(div("t3 mnote").text(note))
}

/// A semaphore with its addresses.
pub fn semaphore(one: &SurfaceInfo) -> El {
    let Some((top_sp, number)) = one.top_sp.zip(one.semaphore) else {
        let text = if one.name == "complete" { "none: last of the chain" } else { "not known" };
        return span("t3", text);
    };
    let mut made = span("csem", "").child(span("mono", &format!("sem[{number}] of {top_sp}")));
    made = made.children(one.address.as_deref().map(link));
    if let Some(to) = &one.increment_address {
        made = made.child(span("t3", "\u{2192}")).child(link(to));
    }
    made
}

fn doorbells(table: &TopSpTable) -> El {
    let section = titled("Doorbells", "a write of 1 rings");
    let mut list = el("dl").class("fl cwide");
    for one in &table.doorbells {
        list = fact(list, &one.name, link(&one.address), one.provenance);
    }
    section.child(list)
}

fn program(plan: &CollectivesAnswer) -> El {
    let mut list =
        fact(facts(), "Core", span("mono", &plan.core.to_string()), plan.core_provenance);
    list = fact(list, "Streams", span("mono", &plan.streams.to_string()), plan.streams_provenance);
    list =
        fact(list, "Channels", span("mono", &plan.channels.to_string()), plan.channels_provenance);
    let node = span("mono", &plan.ranks_per_node.to_string());
    list = fact(list, "Ranks a node", node, plan.ranks_per_node_provenance);
    for set in &plan.groups {
        let text = if set.text.is_empty() { "all ranks" } else { &set.text };
        list = fact(
            list,
            &format!("Set {}", set.index),
            cut(text).class("mono cut"),
            Provenance::File,
        );
    }
    titled("Program", &plan.generation).child(list)
}

fn clocks(plan: &CollectivesAnswer) -> El {
    let steps = plan.tsync.iter().map(|step| {
        let who = span("t3 cwho2", &step.who);
        el("li").child(who).child(span("", &step.what)).child(provenance(step.provenance))
    });
    let list = el("ol").class("ctsync").children(steps);
    let own = el("a").class("lk").attr("href", "/tsync").text("Align counters of your own");
    titled("Clock alignment", "tsync").child(list).child(div("cnote").child(own))
}

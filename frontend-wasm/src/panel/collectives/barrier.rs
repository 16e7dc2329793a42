//! The barrier before the first operation: its steps as a drawing of places, the host's plan, and the
//! semaphores that a TOP_SP keeps for it.

use super::plan::{fact, facts, semaphore, titled};
use crate::dom::{El, div, el, span};
use crate::layout::collectives::words;
use crate::layout::format::count;
use crate::paint::glyph::provenance;
use debug_api::answer::{BarrierInfo, BarrierPeer, BarrierPeers, BarrierStepInfo, TopSpTable};

/// The sections: for the groups of the selected collective, and of the selected TOP_SP.
pub fn parts(info: &BarrierInfo, group: Option<u32>, table: Option<&TopSpTable>) -> Vec<El> {
    let mut section = titled("Device barrier", "four steps")
        .child(drawing(&info.steps, "The steps of the barrier"))
        .children(info.steps.iter().map(step_line));
    for text in &info.after {
        section = section.child(line("then", text).child(provenance(info.provenance)));
    }
    let switched = div("t3 mnote").text("Behind switches, which a file does not tell:");
    section = section.child(switched);
    section = section.child(drawing(&info.switched_steps, "The steps behind switches"));
    let mut host = titled("Host barrier", "instead, where execute_device_barrier is 0");
    for text in &info.host {
        host = host.child(line("", text).child(provenance(info.provenance)));
    }
    let mut out = vec![section, host];
    let set = info.peers.iter().find(|set| Some(set.group) == group);
    out.extend(set.map(|set| peers(info, set)));
    if let Some(table) = table.filter(|table| !table.reserved.is_empty()) {
        let list = table.reserved.iter().fold(facts().class("fl cwide"), |list, one| {
            fact(list, &one.name, semaphore(one), one.provenance)
        });
        out.push(titled("Barrier semaphores", &format!("TOP_SP {}", table.index)).child(list));
    }
    out
}

fn line(name: &str, text: &str) -> El {
    div("cbline").child(span("t3", name)).child(span("tx", text).attr("title", text))
}

/// A column for each step, a cell for each of its four places.
fn drawing(steps: &[BarrierStepInfo], label: &str) -> El {
    let columns = steps.iter().map(|step| {
        let head = div("cbop")
            .child(span("mono", &step.index.to_string()))
            .child(span("", &step.op))
            .child(provenance(step.provenance));
        let cells = step.places.iter().map(|place| {
            let text = words::barrier_place(&place.kind);
            let class = if place.kind == "unused" { "cbcell off" } else { "cbcell" };
            div(class).text(&text).attr("title", &format!("{}, type {}", place.kind, place.number))
        });
        el("li").class(if step.op == "EXIT" { "exit" } else { "entry" }).child(head).children(cells)
    });
    el("ol").class("cbar").attr("aria-label", label).children(columns)
}

fn step_line(step: &BarrierStepInfo) -> El {
    let text = format!("{}: {}", count(u64::from(step.group_size), "place"), step.action);
    line(&format!("step {}", step.index), &text).child(provenance(step.action_provenance))
}

fn peers(info: &BarrierInfo, set: &BarrierPeers) -> El {
    let side = format!("{} a chip", count(u64::from(info.ranks_per_chip), "rank"));
    let list = |list: &[BarrierPeer]| -> String {
        let words: Vec<String> = list.iter().map(words::barrier_peer).collect();
        if words.is_empty() { "nobody".to_owned() } else { words.join("; ") }
    };
    let mut made = facts();
    made = fact(made, "Of rank", span("mono", &set.rank.to_string()), set.provenance);
    made = fact(made, "Sends to", span("", &list(&set.sends)), set.provenance);
    made = fact(made, "Receives", span("", &list(&set.receives)), set.provenance);
    titled("Barrier peers", &side).child(made)
}

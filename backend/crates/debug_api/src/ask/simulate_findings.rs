//! Findings of a run: what was odd while it ran, and what can be said of the program before.

use super::simulate_places::Places;
use super::view::View;
use crate::answer::{At, Finding};
use crate::convert::at_place as at;
use device_sim::Machine;
use device_sim::gate::Gate;
use device_sim::input::WhatIf;
use device_sim::ordering::{Accessor, Disorder, Order};
use device_sim::posters::{EngineRef, SlotRef};
use device_sim::region::Space;

/// Findings of the images, and what was odd while running.
pub fn findings(machine: &Machine<'_>, views: &[&View<'_>], what_if: &[WhatIf]) -> Vec<Finding> {
    let places = Places { machine, views };
    let mut list: Vec<Finding> = views.iter().flat_map(|view| view.findings(None)).collect();
    for remark in machine.remarks() {
        let subgraph = Some(machine.name(remark.core).0.to_owned());
        let where_it_is = remark.engine.map(|engine| {
            let of = EngineRef { core: remark.core, engine };
            at(&places.place(SlotRef { of, slot: remark.slot }))
        });
        let place = remark.engine.map(|engine| {
            let of = EngineRef { core: remark.core, engine };
            machine.slot_words(SlotRef { of, slot: remark.slot })
        });
        let mut what = machine.remark_words(remark.kind, remark.core);
        if remark.times > 1 {
            what = format!("{what} ({} times in this run)", remark.times);
        }
        list.push(Finding {
            code: code(remark.kind).to_owned(),
            severity: "warning".to_owned(),
            message: place.map_or_else(|| what.clone(), |place| format!("{place}: {what}")),
            at: where_it_is.unwrap_or(At { subgraph, ..At::default() }),
        });
    }
    for (choice, came) in machine.posts_that_did_not_come() {
        let Some(what) = what_if.get(choice).and_then(post) else { continue };
        let (what, nth) = what;
        let posts = if came == 1 { "post" } else { "posts" };
        list.push(Finding {
            code: "run.post-not-dropped".to_owned(),
            severity: "warning".to_owned(),
            message: format!(
                "nothing was left out: post {nth} of {what} was asked for, and {came} {posts} came in \
                 this run"
            ),
            at: At::default(),
        });
    }
    if machine.more_remarks() > 0 {
        let more = machine.more_remarks();
        list.push(Finding {
            code: "run.more".to_owned(),
            severity: "info".to_owned(),
            message: format!("{more} more odd things of this run are not listed"),
            at: At::default(),
        });
    }
    list
}

/// What a lost post is one of, and which of them.
fn post(what: &WhatIf) -> Option<(String, u64)> {
    match what {
        WhatIf::DropPost { subgraph, event, id, nth, .. } => {
            let kind = if *event { "event" } else { "semaphore" };
            let of = subgraph.as_ref().map_or_else(String::new, |name| format!(" of {name}"));
            Some((format!("{kind} {id}{of}"), (*nth).max(1)))
        }
        WhatIf::DropLink { rank, nth } => Some((format!("rank {rank} over links"), (*nth).max(1))),
        WhatIf::StallRing { .. } | WhatIf::Delay { .. } => None,
    }
}

/// A wait that stands still whenever an engine comes to it, whether or not this run does.
pub fn never_posted(
    machine: &Machine<'_>,
    views: &[&View<'_>],
    (slot, gate): (SlotRef, Gate),
) -> Finding {
    let place = machine.slot_words(slot);
    let what = gate.words(gate.value);
    Finding {
        code: "run.never-posted".to_owned(),
        severity: "warning".to_owned(),
        message: format!(
            "{place} waits for {what}, and no record, no transfer and not the host ever posts it; an \
             engine that comes there stands still"
        ),
        at: at(&Places { machine, views }.place(slot)),
    }
}

/// What is wrong with the order of a program.
pub fn disorder(machine: &Machine<'_>, views: &[&View<'_>], order: &Order) -> Vec<Finding> {
    let places = Places { machine, views };
    let finding = |code: &str, message: String, slot: SlotRef| Finding {
        code: code.to_owned(),
        severity: "warning".to_owned(),
        message,
        at: at(&places.place(slot)),
    };
    let who = |one: &Accessor| match one.queue {
        Some(queue) => {
            let name = machine.queue_name(one.at.of.core, queue);
            format!("the transfer on queue {name} that {} starts", machine.slot_words(one.at))
        }
        None => machine.slot_words(one.at),
    };
    let mut list: Vec<Finding> = order
        .found
        .iter()
        .map(|one| match one {
            Disorder::EventTwice { id, first, second } => {
                let (first, place) = (machine.slot_words(*first), machine.slot_words(*second));
                let message = format!(
                    "{place} sets {id}, which {first} has set, and nothing makes sure that it was \
                     cleared between the two: setting a set event is an error of the hardware"
                );
                finding("run.event-set-twice", message, *second)
            }
            Disorder::Unordered { first, first_writes, second, second_writes, space, byte } => {
                let does = |writes: bool| if writes { "writes" } else { "reads" };
                let place = match space {
                    Space::StateBuffer => format!("byte {byte:#x} of state buffer partitions"),
                    Space::Psum => format!("byte {byte:#x} of PSUM partitions"),
                    Space::Variable(id) => {
                        let name = views.get(first.at.of.core).and_then(|view| name(view, *id));
                        let name = name.unwrap_or_else(|| format!("with id {id}"));
                        format!("byte {byte:#x} of variable {name}")
                    }
                };
                let message = format!(
                    "{} {} {place}, {} {} it, and no wait orders the two: which is first is chance",
                    who(first),
                    does(*first_writes),
                    who(second),
                    does(*second_writes)
                );
                finding("run.unordered-access", message, second.at)
            }
        })
        .collect();
    if order.more > 0 {
        let message =
            format!("{} more accesses and events without an order are not listed", order.more);
        list.push(Finding {
            code: "run.unordered-access".to_owned(),
            severity: "info".to_owned(),
            message,
            at: At::default(),
        });
    }
    list
}

fn name(view: &View<'_>, id: u32) -> Option<String> {
    let subgraph = view.file.package().subgraphs().get(view.index)?;
    let all = &subgraph.definition.variables;
    all.iter().find(|one| one.var_id == Some(id)).map(|one| one.name.clone())
}

const fn code(kind: device_sim::core::RemarkKind) -> &'static str {
    use device_sim::core::RemarkKind;
    match kind {
        RemarkKind::EventTwice(_) => "run.event-twice",
        RemarkKind::ResetInFlight(_) => "run.reset-in-flight",
        RemarkKind::Dropped(_) => "run.post-dropped",
        RemarkKind::NotModelled(_) => "run.not-modelled",
    }
}

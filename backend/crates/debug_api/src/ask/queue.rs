//! Answers `queue`: what is in a queue, what triggers it, and which variables fill it.

use super::kbin::tree;
use super::kbin_about::Words;
use super::kbin_links::variable_page;
use super::started::place;
use super::transfer::unknown;
use crate::answer::{ContributorInfo, QueueAnswer, RingInfo, SCHEMA, SlotUse};
use crate::convert::provenance;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::plain::unquoted;
use crate::program::trigger;
use crate::request::Scope;
use kbin::direct::Direct;
use kbin::need::{MAX_DESCRIPTORS, Need};
use kbin::patterns::queue_need;
use kbin::record::{self, RecordId};
use records::Engine;
use records::kbin::names::RingType;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Slots of one answer.
const MOST: usize = 1_000;

/// One queue.
///
/// # Errors
/// `queue.unknown`.
pub fn queue(files: &[Arc<OpenFile>], scope: &Scope, name: &str) -> Result<QueueAnswer, ApiError> {
    let (file, index, tree) = tree(files, scope)?;
    // A trigger may name an instance.
    let plain = unquoted(name);
    let of_instance = || {
        let mut all = tree.queues.iter().enumerate();
        all.find(|(_, queue)| queue.rings.iter().any(|ring| ring.name == plain))
    };
    let Some((at, queue)) = tree.queue(&plain).or_else(of_instance) else {
        return Err(unknown(&tree, "queue.unknown", "queue", name));
    };
    let made = queue_need(&tree, queue);
    let names: BTreeSet<&str> = queue
        .rings
        .iter()
        .map(|ring| ring.name.as_str())
        .chain(std::iter::once(queue.name.as_str()))
        .collect();
    let mut triggers = Vec::new();
    let mut total_triggers = 0;
    let mut direct_need = Need::NONE;
    // Direct transfers run on the dynamic queue of their engine.
    let dynamic = (queue.ring_type == RingType::MODEL).then_some(queue.owner).flatten();
    let program = file.program(index);
    for (engine, stream) in Engine::ALL.into_iter().zip(file.streams(index)) {
        for (slot_at, slot) in stream.iter().enumerate() {
            let found = match trigger(slot) {
                Some((of, block)) if names.contains(of.as_str()) => {
                    SlotUse { queue: Some(of), block: Some(block), ..SlotUse::default() }
                }
                Some(_) => continue,
                None if dynamic == Some(engine) => {
                    let direct = program.with_names(|names| Direct::of(slot, &tree, names.table));
                    let Some(direct) = direct else { continue };
                    direct_need = direct_need.and(direct.need(queue.hardware_queues));
                    let name = format!("{}.{}", engine.name(), slot_at + 1);
                    SlotUse { transfer: Some(name), ..SlotUse::default() }
                }
                None => continue,
            };
            total_triggers += 1;
            if triggers.len() < MOST {
                let role = if found.transfer.is_some() { "direct" } else { "trigger" };
                let at = place(&tree, engine, slot_at);
                triggers.push(SlotUse { at, role: role.to_owned(), ..found });
            }
        }
    }
    let ring_info = |(ring, source): (usize, &kbin::lowering::model::Ring)| {
        let id = record::RecordId::Ring(at, ring);
        RingInfo {
            record: tree.record_name(id),
            name: source.name.clone(),
            blocks: source.blocks.len() as u64,
            descriptors: source.descriptors.len() as u64,
            bytes: tree.entry(id).map_or(0, |entry| entry.bytes),
        }
    };
    let words = Words::of((file, index), &tree, queue.at, |about| about.queue == Some(at));
    Ok(QueueAnswer {
        schema: SCHEMA,
        subgraph: tree.subgraph.clone(),
        name: queue.name.clone(),
        record: tree.record_name(RecordId::Dma(at)),
        ring_type: queue.ring_type.name().unwrap_or("LAST").to_owned(),
        owner: queue.owner.map(|engine| engine.name().to_owned()),
        queue_set_count: queue.queue_set_count,
        semaphores: queue.semaphores.clone(),
        rings: queue.rings.iter().enumerate().map(ring_info).collect(),
        descriptors: queue.n_descriptors(),
        elements: made.need.most(),
        elements_provenance: provenance(made.need.provenance),
        hardware_queues: queue.hardware_queues,
        direct_elements: direct_need.most(),
        is_dynamic: queue.ring_type == RingType::MODEL,
        limit: MAX_DESCRIPTORS,
        contributors: made
            .parts
            .iter()
            .filter_map(|part| {
                let variable = tree.variables.get(part.variable as usize)?;
                Some(ContributorInfo {
                    variable: variable.name.clone(),
                    page: variable_page(&tree, part.variable as usize),
                    id: variable.id,
                    elements: part.elements,
                    descriptors: part.descriptors,
                })
            })
            .collect(),
        total_triggers,
        triggers,
        gates: words.gates,
        diagnostics: words.diagnostics,
    })
}

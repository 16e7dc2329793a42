//! Answers `variable` and `queue`: who uses a variable, what is in a queue.

use super::kbin::{field_info, tree};
use crate::answer::{
    ContributorInfo, DescriptorUse, PlaceRef, QueueAnswer, RingInfo, SCHEMA, SlotUse,
    VariableAnswer,
};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::neff_file::NeffFile;
use crate::program::trigger;
use crate::request::Scope;
use kbin::lowering::model::{Arm, Descriptor, Queue};
use kbin::patterns::{MAX_QUEUE_ELEMENTS, Reach, elements, queue_elements};
use kbin::record::RecordId;
use kbin::users::{Use, variables};
use kbin::{Kbin, record};
use records::Engine;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Descriptors and slots of one answer.
const MOST: usize = 1_000;

/// One variable.
///
/// # Errors
/// `variable.unknown`; `request.invalid` without a name and an id.
pub fn variable(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: Option<&str>,
    id: Option<u32>,
) -> Result<VariableAnswer, ApiError> {
    let (file, index, tree) = tree(files, scope)?;
    let at = match (name, id) {
        (Some(name), _) => tree.variables.iter().position(|variable| variable.name == name),
        (None, Some(id)) => tree.variable(id).map(|(at, _)| at),
        (None, None) => return Err(ApiError::bad_request("a variable has a `name` or an `id`")),
    };
    let found = at.and_then(|at| Some((at, tree.variables.get(at)?)));
    let Some((at, variable)) = found else {
        let text = name.map_or_else(|| id.unwrap_or(0).to_string(), str::to_owned);
        return Err(unknown(&tree, "variable.unknown", "variable", &text));
    };
    let shape = tree.shape(RecordId::MemRefSet);
    let row = at as u64;
    let fields = tree.record_fields(file.package(), RecordId::MemRefSet, row, 1);
    let offset = shape.map_or(0, |shape| shape.header + row * shape.stride);
    let mut uses = Uses { total: 0, descriptors: Vec::new(), blocks: BTreeSet::new() };
    for (queue_at, queue) in tree.queues.iter().enumerate() {
        for ring in 0..queue.rings.len() {
            uses.add(&tree, (queue_at, queue), ring, u32::try_from(at).unwrap_or(u32::MAX));
        }
    }
    let (total_slots, slots) = slots(file, index, &tree, variable.id, &uses.blocks);
    let named_by = tree.variables.iter().filter(|other| match &other.arm {
        Arm::Pointer { id, .. } => *id == variable.id,
        Arm::List(ids) => ids.contains(&variable.id),
        _ => false,
    });
    Ok(VariableAnswer {
        schema: SCHEMA,
        subgraph: tree.subgraph.clone(),
        name: variable.name.clone(),
        id: variable.id,
        kind: variable.kind.name().unwrap_or("INVALID").to_owned(),
        offset,
        fields: fields
            .iter()
            .filter(|field| field.offset >= offset)
            .map(|field| field_info(&tree, field))
            .collect(),
        total_descriptors: uses.total,
        descriptors: uses.descriptors,
        total_slots,
        slots,
        named_by: named_by.map(|other| other.name.clone()).take(MOST).collect(),
    })
}

/// One queue.
///
/// # Errors
/// `queue.unknown`.
pub fn queue(files: &[Arc<OpenFile>], scope: &Scope, name: &str) -> Result<QueueAnswer, ApiError> {
    let (file, index, tree) = tree(files, scope)?;
    let Some((at, queue)) = tree.queue(name) else {
        return Err(unknown(&tree, "queue.unknown", "queue", name));
    };
    let (elements, contributors) = queue_elements(&tree, queue);
    let names: BTreeSet<&str> = queue
        .rings
        .iter()
        .map(|ring| ring.name.as_str())
        .chain(std::iter::once(queue.name.as_str()))
        .collect();
    let mut triggers = Vec::new();
    let mut total_triggers = 0;
    for (engine, stream) in Engine::ALL.into_iter().zip(file.streams(index)) {
        for (slot_at, slot) in stream.iter().enumerate() {
            let Some((of, block)) = trigger(slot) else { continue };
            if !names.contains(of.as_str()) {
                continue;
            }
            total_triggers += 1;
            if triggers.len() < MOST {
                triggers.push(SlotUse {
                    at: place(&tree, engine, slot_at),
                    role: "trigger".to_owned(),
                    queue: Some(of),
                    block: Some(block),
                });
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
        elements,
        limit: MAX_QUEUE_ELEMENTS,
        contributors: contributors
            .iter()
            .filter_map(|part| {
                let variable = tree.variables.get(part.variable as usize)?;
                Some(ContributorInfo {
                    variable: variable.name.clone(),
                    id: variable.id,
                    elements: part.elements,
                    descriptors: part.descriptors,
                })
            })
            .collect(),
        total_triggers,
        triggers,
    })
}

/// Descriptors of one variable, and the blocks that they are in.
struct Uses {
    total: u64,
    descriptors: Vec<DescriptorUse>,
    /// Engine whose document holds the block, queue or instance name, block id, role.
    blocks: BTreeSet<(Option<Engine>, String, u32, Use)>,
}

impl Uses {
    fn add(&mut self, tree: &Kbin, (queue_at, queue): (usize, &Queue), ring_at: usize, at: u32) {
        let Some(ring) = queue.rings.get(ring_at) else { return };
        for (row, descriptor) in ring.descriptors.iter().enumerate() {
            let block = ring.blocks.get(descriptor.block as usize);
            for role in roles(descriptor, at) {
                if let Some(block) = block {
                    let mut add = |name: &str| {
                        self.blocks.insert((block.engine, name.to_owned(), block.id, role));
                    };
                    add(&ring.name);
                    if ring_at == 0 {
                        add(&queue.name);
                    }
                }
                self.total += 1;
                if self.descriptors.len() == MOST {
                    continue;
                }
                let side = match role {
                    Use::Source => &descriptor.from,
                    Use::Target => &descriptor.to,
                };
                let reach = Reach::of(side);
                let byte = |value: i128| i64::try_from(value).ok();
                self.descriptors.push(DescriptorUse {
                    record: tree.record_name(RecordId::Ring(queue_at, ring_at)),
                    row: row as u64,
                    queue: queue.name.clone(),
                    block: block.map_or(0, |block| block.id),
                    engine: block
                        .and_then(|block| block.engine)
                        .map(|engine| engine.name().to_owned()),
                    role: role.name().to_owned(),
                    op: descriptor.op.name().unwrap_or("INVALID").to_owned(),
                    start: reach.and_then(|reach| byte(reach.start)),
                    end: reach.and_then(|reach| byte(reach.end)),
                    elements: elements(descriptor),
                });
            }
        }
    }
}

fn roles(descriptor: &Descriptor, at: u32) -> impl Iterator<Item = Use> {
    let source = descriptor.from_variables.contains(&Some(at)).then_some(Use::Source);
    let target = (descriptor.to_variable == Some(at)).then_some(Use::Target);
    source.into_iter().chain(target)
}

/// Records that name the variable, or trigger a block that touches it.
fn slots(
    file: &NeffFile,
    index: usize,
    tree: &Kbin,
    id: u32,
    blocks: &BTreeSet<(Option<Engine>, String, u32, Use)>,
) -> (u64, Vec<SlotUse>) {
    let (mut total, mut list) = (0, Vec::new());
    let program = file.program(index);
    program.with_names(|names| {
        for (engine, stream) in Engine::ALL.into_iter().zip(file.streams(index)) {
            for (at, slot) in stream.iter().enumerate() {
                let (uses, block) = match trigger(slot) {
                    Some((queue, block)) => {
                        let has = |role| {
                            [Some(engine), None].into_iter().any(|holder| {
                                blocks.contains(&(holder, queue.clone(), block, role))
                            })
                        };
                        ((has(Use::Source), has(Use::Target)), Some((queue, block)))
                    }
                    None => {
                        let named = variables(slot, names.table);
                        let has = |role| named.contains(&(id, role));
                        ((has(Use::Source), has(Use::Target)), None)
                    }
                };
                let role = match uses {
                    (true, true) => "both",
                    (true, false) => "source",
                    (false, true) => "target",
                    (false, false) => continue,
                };
                total += 1;
                if list.len() < MOST {
                    let (queue, block) = block.unzip();
                    let at = place(tree, engine, at);
                    list.push(SlotUse { at, role: role.to_owned(), queue, block });
                }
            }
        }
    });
    (total, list)
}

fn place(tree: &Kbin, engine: Engine, slot: usize) -> PlaceRef {
    PlaceRef {
        s: tree.subgraph.clone(),
        e: engine.name().to_owned(),
        neff_ip: u32::try_from(slot).ok().and_then(|slot| slot.checked_add(1)),
        ..PlaceRef::default()
    }
}

fn unknown(tree: &Kbin, code: &'static str, what: &str, name: &str) -> ApiError {
    let shown: String = name.chars().take(64).collect();
    let message = format!("{} has no {what} `{shown}`", tree.subgraph);
    ApiError::new(ErrorKind::NotFound, code, message)
}

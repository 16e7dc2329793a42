//! From an opened NEFF to the plain program that images are built from.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{BlockCounts, Generation, Queue, QueueBlock, QueueKind, Subgraph};
use kbin::need::{Need, SEEN_QUEUES, hardware_queues, of_descriptor};
use neff::doc::VarKind;
use neff::doc::dma::{DmaBlock, DmaDescriptor, DmaSide};
use neff::{Findings, Package, Place, Severity, TargetKind};
use records::{Engine, Provenance};

/// The subgraph at an index of the package, as the image builder needs it. `None` past the end.
/// DMA blocks are decoded here; what is odd about them is a finding.
pub fn subgraph(package: &Package, index: usize, findings: &mut Findings) -> Option<Subgraph> {
    let source = package.subgraphs().get(index)?;
    let generation = generation(source, findings);
    let variables = source.definition.variables.iter();
    let io: BTreeSet<&str> = variables
        .filter(|variable| matches!(variable.kind, VarKind::Input | VarKind::Output))
        .map(|variable| variable.name.as_str())
        .collect();
    let declared = source.definition.queues.iter();
    let (mut queues, hardware): (Vec<Queue>, Vec<u64>) = declared
        .filter_map(|source| Some((queue(source)?, hardware_queues(source.num_queues))))
        .unzip();
    let mut by_name = BTreeMap::new();
    for (at, queue) in queues.iter().enumerate() {
        // Of equal names the first one counts.
        by_name.entry(queue.name.clone()).or_insert(at);
    }
    // A block may name an instance of a queue's ring; a queue of that name counts first.
    for (at, queue) in queues.iter().enumerate() {
        for instance in &queue.instances {
            by_name.entry(instance.clone()).or_insert(at);
        }
    }
    let mut homeless = BTreeSet::new();
    let mut activation_set = false;
    for engine in Engine::ALL {
        let program = source.engine(engine);
        let document = &program.document;
        activation_set |= !document.activation_function_sets.is_empty()
            || !document.activation_set_objects.is_empty();
        for block in package.dma_blocks(program, findings) {
            if let Some(name) = add_block((&mut queues, &hardware), &by_name, &io, &block)
                && homeless.insert(name.to_owned())
            {
                let place = program.json_member.as_deref().map(Place::member).unwrap_or_default();
                findings.push(
                    Severity::Warning,
                    "image.block-queue",
                    Place { subgraph: Some(source.name.clone()), ..place },
                    format!("blocks of queue `{name}`, which has no declaration with an owner"),
                );
            }
        }
    }
    for queue in &mut queues {
        queue.blocks.sort_by_key(|block| block.id);
        let all = queue.blocks.len();
        queue.blocks.dedup_by_key(|block| block.id);
        if queue.instances.len() > 1 {
            instances(source, queue, all - queue.blocks.len(), findings);
        }
    }
    let mut subgraph = Subgraph {
        name: source.name.clone(),
        index: u32::try_from(index).ok()?,
        count: u32::try_from(package.subgraphs().len()).ok()?,
        generation,
        queues,
        activation_set,
        cores: package.header().lnc_size.get().max(1),
        libraries: source.definition.ucode_lib.is_some()
            || source.definition.ext_isa_ucode_lib_def.is_some(),
    };
    subgraph.number_queues();
    Some(subgraph)
}

/// No capture shows a queue with several instances.
fn instances(source: &neff::Subgraph, queue: &Queue, twice: usize, findings: &mut Findings) {
    let name: String = queue.name.chars().take(64).collect();
    let mut message = format!(
        "queue `{name}` has {} ring instances; blocks of all of them stand for blocks of the queue",
        queue.instances.len()
    );
    if twice > 0 {
        message.push_str(&format!(
            ", and of {twice} with the id of another one only the first counts"
        ));
    }
    let of = source.definition.queues.iter().find(|one| one.name == queue.name);
    let place = Place {
        subgraph: Some(source.name.clone()),
        ..of.map_or_else(Place::default, |one| {
            Place::member_at(source.definition_member.clone(), one.offset)
        })
    };
    findings.push(Severity::Info, "image.queue-instances", place, message);
}

fn generation(source: &neff::Subgraph, findings: &mut Findings) -> Generation {
    match source.target.kind {
        TargetKind::Sunda => Generation::Sunda,
        TargetKind::Cayman | TargetKind::Any => Generation::Cayman,
        TargetKind::Mariana => Generation::Mariana,
        TargetKind::Unknown => {
            let place =
                Place { subgraph: Some(source.name.clone()), ..Place::member(&source.kelf) };
            findings.push(
                Severity::Warning,
                "image.target",
                place,
                "the target is of no known generation; images are built as for cayman",
            );
            Generation::Cayman
        }
    }
}

/// A queue without a known owner has no engine to set it up; opening the file has said so.
fn queue(source: &neff::doc::Queue) -> Option<Queue> {
    Some(Queue {
        name: source.name.clone(),
        instances: source.instances().into_iter().map(str::to_owned).collect(),
        owner: source.owner?,
        kind: QueueKind::of_word(&source.kind_text),
        io_read: false,
        io_write: false,
        blocks: Vec::new(),
    })
}

/// Adds a block to its queue. Gives the queue's name if there is no such queue.
fn add_block<'a>(
    (queues, hardware): (&mut [Queue], &[u64]),
    by_name: &BTreeMap<String, usize>,
    io: &BTreeSet<&str>,
    block: &'a DmaBlock,
) -> Option<&'a str> {
    let (name, id) = (block.queue.as_deref()?, block.id?);
    let at = by_name.get(name).copied();
    let Some(queue) = at.and_then(|at| queues.get_mut(at)) else { return Some(name) };
    let hardware = at.and_then(|at| hardware.get(at)).copied();
    let touches_io = |side: &DmaSide| {
        io.contains(side.variable.as_str())
            || side.more_variables.iter().any(|name| io.contains(name.as_str()))
    };
    for descriptor in &block.descriptors {
        queue.io_read = queue.io_read || touches_io(&descriptor.from);
        queue.io_write = queue.io_write || touches_io(&descriptor.to);
    }
    let mut counts = counts(&block.descriptors, hardware.unwrap_or(SEEN_QUEUES));
    if name != queue.name {
        counts.provenance = counts.provenance.max(Provenance::Modelled);
    }
    queue.blocks.push(QueueBlock { id, counts });
    None
}

/// Descriptors that one trigger posts to each of a queue's hardware queues: one for the semaphore, and
/// those of each copy.
/// Spec: docs/format/profiles.md "Counts per trigger" [observed for 128 rows, modelled otherwise].
fn counts(descriptors: &[DmaDescriptor], queues: u64) -> BlockCounts {
    let need =
        descriptors.iter().fold(Need::SEMAPHORE, |sum, one| sum.and(of_descriptor(one, queues)));
    let clip = |count| u32::try_from(count).unwrap_or(u32::MAX);
    BlockCounts { read: clip(need.read), write: clip(need.write), provenance: need.provenance }
}

//! From an opened NEFF to the plain program that images are built from.

use std::collections::{BTreeMap, BTreeSet};

use crate::program::{BlockCounts, Generation, Queue, QueueBlock, QueueKind, Subgraph};
use neff::doc::VarKind;
use neff::doc::dma::{DmaBlock, DmaDescriptor, DmaOp, DmaSide};
use neff::{Findings, Package, Place, Severity, TargetKind};
use records::{Engine, Provenance};

/// Copies with a multiple of so many rows were seen on a device.
const SEEN_ROWS: u64 = 128;
/// Largest half of a contiguous copy for one ring that was seen, in bytes.
const SEEN_HALF_BYTES: u64 = 65_536;
/// Rings of a queue: the rows of a copy are dealt out to them.
const RINGS: u64 = 16;

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
    let mut queues: Vec<Queue> = source.definition.queues.iter().filter_map(queue).collect();
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
            if let Some(name) = add_block(&mut queues, &by_name, &io, &block)
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
    queues: &mut [Queue],
    by_name: &BTreeMap<String, usize>,
    io: &BTreeSet<&str>,
    block: &'a DmaBlock,
) -> Option<&'a str> {
    let (name, id) = (block.queue.as_deref()?, block.id?);
    let Some(queue) = by_name.get(name).and_then(|at| queues.get_mut(*at)) else {
        return Some(name);
    };
    let touches_io = |side: &DmaSide| {
        io.contains(side.variable.as_str())
            || side.more_variables.iter().any(|name| io.contains(name.as_str()))
    };
    for descriptor in &block.descriptors {
        queue.io_read = queue.io_read || touches_io(&descriptor.from);
        queue.io_write = queue.io_write || touches_io(&descriptor.to);
    }
    let mut counts = counts(&block.descriptors);
    if name != queue.name {
        counts.provenance = counts.provenance.max(Provenance::Modelled);
    }
    queue.blocks.push(QueueBlock { id, counts });
    None
}

/// Descriptors that one trigger posts to each ring: one for the semaphore, and those of each copy.
/// Spec: docs/format/profiles.md "Counts per trigger" [observed for 128 rows, modelled otherwise].
fn counts(descriptors: &[DmaDescriptor]) -> BlockCounts {
    let mut total = BlockCounts { read: 1, write: 1, provenance: Provenance::Observed };
    for descriptor in descriptors {
        let cast = descriptor.op == DmaOp::Cast;
        let (read, write, sure) = if descriptor.transpose_op.is_some() {
            transpose(descriptor)
        } else {
            let (read, read_seen) = side(&descriptor.from, cast, 2);
            let (write, write_seen) = side(&descriptor.to, cast, 1);
            let known = matches!(descriptor.op, DmaOp::Copy | DmaOp::Cast);
            let seen = read_seen && write_seen && known;
            let sure = if seen { Provenance::Observed } else { Provenance::Modelled };
            (read, write, sure)
        };
        total.read = total.read.saturating_add(read);
        total.write = total.write.saturating_add(write);
        total.provenance = total.provenance.max(sure);
    }
    total
}

/// Count of one side, and whether such a shape was seen on a device.
fn side(side: &DmaSide, cast: bool, cast_factor: u64) -> (u32, bool) {
    let rows = side.sizes.last().copied().unwrap_or(1);
    let row_bytes = side.sizes.first().copied().unwrap_or(0);
    let two = side.sizes.len() == 2;
    let contiguous = two
        && !cast
        && side.steps.get(1).and_then(|step| u64::try_from(*step).ok()) == Some(row_bytes);
    let middle = side.sizes.len().saturating_sub(1);
    let inner: u64 = side
        .sizes
        .get(1..middle)
        .unwrap_or(&[])
        .iter()
        .fold(1, |product: u64, size| product.saturating_mul(*size));
    let count = if contiguous {
        2
    } else {
        let plain = rows.div_ceil(RINGS).saturating_mul(inner);
        plain.saturating_mul(if cast { cast_factor } else { 1 })
    };
    let half = row_bytes.saturating_mul(inner).saturating_mul(rows) / (2 * RINGS);
    let split_seen = !contiguous || half <= SEEN_HALF_BYTES;
    let seen = rows > 0 && rows % SEEN_ROWS == 0 && split_seen;
    (u32::try_from(count).unwrap_or(u32::MAX), seen)
}

/// Counts of a transpose: two shapes were seen, no rule is known. Whether the numbers that were
/// seen hold the semaphore too is open, hence inferred.
fn transpose(descriptor: &DmaDescriptor) -> (u32, u32, Provenance) {
    let shape = descriptor.transpose_shape.as_deref().unwrap_or(&[]);
    match (descriptor.transpose_element_size, shape) {
        (Some(2), [1, 1, 128, 128]) => (10, 10, Provenance::Inferred),
        (Some(4), [1, 1, 128, 64]) => (34, 34, Provenance::Inferred),
        _ => {
            let (read, write) = (side(&descriptor.from, false, 1), side(&descriptor.to, false, 1));
            (read.0, write.0, Provenance::Modelled)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(sizes: &[u64], step: i64) -> DmaSide {
        DmaSide {
            sizes: sizes.to_vec(),
            steps: [1, step]
                .iter()
                .copied()
                .chain(std::iter::repeat(7))
                .take(sizes.len())
                .collect(),
            ..DmaSide::default()
        }
    }

    #[test]
    fn counts_follow_the_observed_shapes() {
        // 128 rows of 4,000 contiguous bytes to rows 4,096 apart: 2 on the contiguous side, 8 on
        // the other; a cast reads 16 and writes 8; three dimensions are never contiguous.
        assert_eq!(side(&copy(&[4_000, 128], 4_000), false, 2), (2, true));
        assert_eq!(side(&copy(&[4_000, 128], 4_096), false, 1), (8, true));
        assert_eq!(side(&copy(&[512, 128], 512), true, 2), (16, true));
        assert_eq!(side(&copy(&[512, 128], 512), true, 1), (8, true));
        assert_eq!(side(&copy(&[64, 3, 128], 64), false, 1), (24, true));
        assert_eq!(side(&copy(&[64, 256], 128), false, 1), (16, true));
        // Halves of more than 64 KiB a ring were never seen.
        assert_eq!(side(&copy(&[16_385, 128], 16_385), false, 1), (2, false));
        // 100 rows were never seen: rounded up to 7 a ring.
        assert_eq!(side(&copy(&[64, 100], 128), false, 1), (7, false));
        assert_eq!(side(&DmaSide::default(), false, 1), (1, false));
    }
}

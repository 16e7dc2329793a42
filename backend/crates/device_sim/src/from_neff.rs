//! The queues of a subgraph with what their blocks move and post, from an opened NEFF.

use device_image::Subgraph;
use device_image::program::QueueKind;
use neff::doc::dma::{DmaBlock, DmaSide};
use neff::{Findings, Package};
use records::Engine;
use std::collections::BTreeMap;

use crate::input::{Block, Queue};

/// The queues of the subgraph at an index, by number. Descriptor counts are those of `subgraph`,
/// which can come from a capture.
pub fn queues(package: &Package, index: usize, subgraph: &Subgraph) -> Vec<Queue> {
    let Some(source) = package.subgraphs().get(index) else { return Vec::new() };
    let definition = &source.definition;
    // Semaphores and rings as declared; of equal names the first one counts.
    let mut declared: BTreeMap<&str, (&[u32], u8)> = BTreeMap::new();
    for queue in &definition.queues {
        let rings = queue.num_queues.unwrap_or(1).clamp(1, 16);
        let rings = u8::try_from(rings).unwrap_or(16);
        declared.entry(&queue.name).or_insert((&queue.semaphores, rings));
    }
    let sizes: BTreeMap<&str, u64> = definition
        .variables
        .iter()
        .filter_map(|variable| Some((variable.name.as_str(), variable.size?)))
        .collect();
    let mut moves: BTreeMap<(String, u32), Block> = BTreeMap::new();
    for engine in Engine::ALL {
        // What is odd about blocks was told when the subgraph was read.
        for block in package.dma_blocks(source.engine(engine), &mut Findings::new()) {
            let (Some(name), Some(id)) = (block.queue.as_deref(), block.id) else { continue };
            // A block of an instance is one of its queue.
            let Some((_, queue)) = subgraph.queue(name) else { continue };
            let queue = queue.name.clone();
            let semaphores = declared.get(queue.as_str()).map_or(&[][..], |queue| queue.0);
            let made = read_block(&block, id, semaphores, &sizes);
            moves.entry((queue, id)).or_insert(made);
        }
    }
    let queue = |queue: &device_image::Queue| Queue {
        name: queue.name.clone(),
        owner: queue.owner,
        rings: declared.get(queue.name.as_str()).map_or(1, |queue| queue.1),
        is_dynamic: queue.kind == QueueKind::Dynamic,
        blocks: queue
            .blocks
            .iter()
            .map(|block| {
                let known = moves.remove(&(queue.name.clone(), block.id)).unwrap_or_default();
                let (read, write) = (block.counts.read, block.counts.write);
                Block { id: block.id, read, write, ..known }
            })
            .collect(),
    };
    subgraph.queues.iter().map(queue).collect()
}

fn read_block(block: &DmaBlock, id: u32, semaphores: &[u32], sizes: &BTreeMap<&str, u64>) -> Block {
    let of_set = || {
        let at = (id as usize).checked_rem(semaphores.len())?;
        semaphores.get(at).copied()
    };
    let semaphore = block.semaphore.or_else(of_set);
    let bytes = block.descriptors.iter().map(|one| bytes_of(&one.to)).fold(0, u64::saturating_add);
    let sides = block.descriptors.iter().flat_map(|one| [&one.from, &one.to]);
    Block {
        id,
        read: 0,
        write: 0,
        bytes,
        semaphore: semaphore.and_then(|semaphore| u8::try_from(semaphore).ok()),
        outside: sides.into_iter().find_map(|side| outside(side, sizes)),
    }
}

fn bytes_of(side: &DmaSide) -> u64 {
    side.sizes.iter().fold(u64::from(!side.sizes.is_empty()), |all, n| all.saturating_mul(*n))
}

/// Which bytes of a side lie outside its variable, in words. The state buffer has no size.
fn outside(side: &DmaSide, sizes: &BTreeMap<&str, u64>) -> Option<String> {
    let size = *sizes.get(side.variable.as_str())?;
    // Where an offset cannot be read nothing can be said; the lowering has told of it.
    let offset = i128::from(side.offset?);
    let (mut low, mut high) = (offset, offset);
    for (count, step) in side.sizes.iter().zip(&side.steps) {
        let count = i128::from(*count);
        if count == 0 {
            return None;
        }
        let reach = (count - 1) * i128::from(*step);
        low += reach.min(0);
        high += reach.max(0);
    }
    if low >= 0 && high < i128::from(size) {
        return None;
    }
    Some(format!("bytes {low} to {high} of variable {}, which has {size} bytes", side.variable))
}

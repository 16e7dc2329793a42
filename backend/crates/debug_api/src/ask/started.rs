//! Which transfers a record of a stream starts, and which records start a transfer.

use super::kbin_links::drawing;
use crate::answer::{PlaceRef, SlotUse};
use crate::neff_file::NeffFile;
use crate::program::trigger;
use kbin::Kbin;
use kbin::lowering::model::{Block, Queue};
use kbin::record::RecordId;
use records::{Engine, Opcode, Slot};

/// Slots of one answer.
const MOST: usize = 1_000;

/// Descriptors that a trigger starts.
pub struct Started {
    /// Queue, by place in the tree's list.
    pub queue: usize,
    /// Names of their drawings, the first so many.
    pub drawings: Vec<String>,
    /// How many there are.
    pub total: u64,
}

/// Names by which a trigger calls for a ring of a queue: the first one has the queue's own name too.
fn is_called(queue: &Queue, ring: usize, name: &str) -> bool {
    queue.rings.get(ring).is_some_and(|one| one.name == name) || (ring == 0 && queue.name == name)
}

/// Whether a block can be started by an engine: its own, or one at graph level.
fn is_of(block: &Block, engine: Engine) -> bool {
    block.engine.is_none_or(|own| own == engine)
}

/// What a trigger starts; `None` for other records, and where the program has no such queue.
pub fn started(tree: &Kbin, engine: Engine, record: &Slot, most: usize) -> Option<Started> {
    let (name, id) = trigger(record)?;
    let mut found: Option<Started> = None;
    for (at, queue) in tree.queues.iter().enumerate() {
        for (ring_at, ring) in queue.rings.iter().enumerate() {
            if !is_called(queue, ring_at, &name) {
                continue;
            }
            let started =
                found.get_or_insert(Started { queue: at, drawings: Vec::new(), total: 0 });
            for block in ring.blocks.iter().filter(|one| one.id == id && is_of(one, engine)) {
                started.total += u64::from(block.count);
                let room = most.saturating_sub(started.drawings.len());
                let rows = (u64::from(block.first)..).take(block.count as usize).take(room);
                let id = RecordId::Ring(at, ring_at);
                started.drawings.extend(rows.map(|row| drawing(tree, id, row)));
            }
        }
    }
    found
}

/// The drawing of a record that moves bytes itself.
pub fn direct(engine: Engine, record: &Slot, ip: u32) -> Option<String> {
    let is_direct = Opcode(record.opcode_byte()) == Opcode::PSEUDO_DMA_DIRECT2D;
    is_direct.then(|| format!("transfer.{}.{ip}", engine.name()))
}

/// The records that start a block of a ring, and how many there are.
pub fn starters(
    file: &NeffFile,
    index: usize,
    tree: &Kbin,
    (queue, ring): (usize, usize),
    block: &Block,
) -> (u64, Vec<SlotUse>) {
    let (mut total, mut list) = (0, Vec::new());
    let Some(of) = tree.queues.get(queue) else { return (0, list) };
    for (engine, stream) in Engine::ALL.into_iter().zip(file.streams(index)) {
        if !is_of(block, engine) {
            continue;
        }
        for (at, slot) in stream.iter().enumerate() {
            let Some((name, id)) = trigger(slot) else { continue };
            if id != block.id || !is_called(of, ring, &name) {
                continue;
            }
            total += 1;
            if list.len() < MOST {
                list.push(SlotUse {
                    at: place(tree, engine, at),
                    role: "trigger".to_owned(),
                    queue: Some(name),
                    block: Some(id),
                    ..SlotUse::default()
                });
            }
        }
    }
    (total, list)
}

/// The place of a record of a stream.
pub fn place(tree: &Kbin, engine: Engine, slot: usize) -> PlaceRef {
    PlaceRef {
        s: tree.subgraph.clone(),
        e: engine.name().to_owned(),
        neff_ip: u32::try_from(slot).ok().and_then(|slot| slot.checked_add(1)),
        ..PlaceRef::default()
    }
}

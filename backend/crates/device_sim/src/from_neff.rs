//! The queues of a subgraph with what their blocks move and post, from an opened NEFF.

use device_image::Subgraph;
use device_image::collectives::names::Kind;
use device_image::collectives::plan::{Plan, Planned};
use device_image::collectives::{
    Act, Chunks, Move, Place, Post, Semaphore, SemaphoreKind, Shape, Source, Wait, schedule,
};
use device_image::program::QueueKind;
use kbin::reach::range;
use neff::doc::dma::{DmaBlock, DmaSide};
use neff::doc::variable::VarKind;
use neff::{Findings, Package};
use records::{Engine, NeffIp};
use std::collections::BTreeMap;

use crate::input::{Block, Collective, Entry, Queue};
use crate::region::{Region, Space};

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
    let spaces: BTreeMap<&str, Space> = definition
        .variables
        .iter()
        .filter_map(|variable| {
            let space = match variable.kind {
                VarKind::StateBuffer => Space::StateBuffer,
                _ => Space::Variable(variable.var_id?),
            };
            Some((variable.name.as_str(), space))
        })
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
            let made = read_block(&block, id, semaphores, (&sizes, &spaces));
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

/// What a core stages for its collectives: the collectives, and the control table of each TOP_SP.
pub type Staged = (Vec<Collective>, Vec<(u32, Vec<Entry>)>);

/// What a rank stages by a plan.
/// Spec: docs/format/simulator.md "Collectives" [modelled].
pub fn staged(plan: &Plan, rank: u32) -> Staged {
    let collectives = plan.planned.iter().map(|one| collective(one, rank)).collect();
    let top_sps = plan.top_sps.iter().enumerate().map(|(place, top_sp)| {
        let entries = top_sp.entries.iter().enumerate().map(|(at, entry)| {
            // Where no TOP_SP takes part, the last one tells that nothing was to do.
            let others = || plan.top_sps.iter().filter_map(|one| one.entries.get(at));
            let alone = place + 1 == plan.top_sps.len() && !others().any(|one| one.reporter);
            Entry {
                collective: entry.trigger,
                is_nop: entry.is_nop,
                trigger_next: entry.trigger_next,
                reporter: entry.reporter || alone,
                wait_complete: entry.wait_complete,
                send_complete: entry.send_complete,
            }
        });
        (top_sp.index, entries.collect())
    });
    (collectives, top_sps.collect())
}

fn collective(one: &Planned, rank: u32) -> Collective {
    let trigger = &one.trigger;
    let bytes = trigger.message_bytes().unwrap_or(0);
    let mut group = match (one.ranks.is_empty(), one.n_ranks) {
        (true, Some(n)) => (0..n).collect(),
        _ => one.ranks.clone(),
    };
    let mut what = format!("{} of {bytes} bytes", trigger.kind.name());
    if let Some(algorithm) = one.algorithm {
        what = format!("{what} by {}", algorithm.name());
    }
    let mut acts = None;
    if let Some(peer) = trigger.peer.and_then(|peer| u32::try_from(peer).ok()) {
        let sends = trigger.kind == Kind::Send;
        group = if sends { vec![rank, peer] } else { vec![peer, rank] };
        what = format!("transfer of {bytes} bytes from rank {} to rank {}", group[0], group[1]);
        acts = Some(vec![pair(sends)]);
    }
    // A rank that runs alone takes the place of the first one.
    let place = group.iter().position(|own| *own == rank).unwrap_or(0);
    let member = u32::try_from(place).unwrap_or(0);
    let shape = Shape { locals: one.locals, ..Shape::default() };
    let made = one.algorithm.zip(trigger.kind.operation()).zip(one.n_ranks);
    let made =
        made.and_then(|((algorithm, operation), n)| schedule(algorithm, operation, n, shape).ok());
    if let Some(made) = made {
        let all = made.steps.into_iter().flat_map(|step| step.acts);
        acts = Some(all.filter(|act| act.rank == member).collect());
    }
    Collective {
        engine: trigger.engine,
        ip: NeffIp(trigger.slot.saturating_add(1)),
        what,
        group,
        member,
        acts,
        bytes,
        is_continued: matches!(trigger.chaining, Some(2 | 3)),
    }
}

/// A transfer between two ranks: the first moves and posts, the second waits.
fn pair(sends: bool) -> Act {
    let semaphore = Semaphore { kind: SemaphoreKind::Receive, leg: 0, index: 0 };
    let source = Source::Chosen;
    let mut act = Act {
        rank: u32::from(!sends),
        leaf: if sends { "send" } else { "receive" },
        ..Act::default()
    };
    if sends {
        act.moves.push(Move::copy(Place::data(0), vec![Place::data(1)], Chunks::run(0, 2)));
        act.posts.push(Post { rank: 1, semaphore, add: 1, through: None, source });
    } else {
        act.waits.push(Wait { semaphore, at_least: 1, take: 1, source });
    }
    act
}

/// Variable ids in the list of the table variable of a subgraph.
pub fn table(package: &Package, index: usize) -> Vec<u32> {
    let variables = package.subgraphs().get(index).map(|source| &source.definition.variables);
    let table = variables.into_iter().flatten().find(|one| one.kind == VarKind::DgeTable);
    table.and_then(|table| table.list.clone()).unwrap_or_default()
}

fn read_block(
    block: &DmaBlock,
    id: u32,
    semaphores: &[u32],
    (sizes, spaces): (&BTreeMap<&str, u64>, &BTreeMap<&str, Space>),
) -> Block {
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
        touches: block
            .descriptors
            .iter()
            .flat_map(|one| [(&one.from, false), (&one.to, true)])
            .filter_map(|(side, writes)| Some((region(side, spaces)?, writes)))
            .collect(),
    }
}

/// The bytes of a side: rows in all but its innermost dimension. `None` for shapes that are no rows.
fn region(side: &DmaSide, spaces: &BTreeMap<&str, Space>) -> Option<Region> {
    let space = *spaces.get(side.variable.as_str())?;
    let offset = i64::try_from(side.offset?).ok()?;
    let len = i64::try_from(*side.sizes.first()?).ok()?;
    let outer = side.sizes.iter().zip(&side.steps).skip(1).filter(|(count, _)| **count != 1);
    let outer: Vec<(u32, i64)> = outer
        .map(|(count, step)| Some((u32::try_from(*count).ok()?, *step)))
        .collect::<Option<_>>()?;
    match outer[..] {
        [] => Region::of_rows(space, offset, len, 1, len),
        [(count, step)] => Region::of_rows(space, offset, step, count, len),
        // Rows that follow each other without a gap are one.
        [(inner, near), (count, far)] if near == len => {
            Region::of_rows(space, offset, far, count, len.checked_mul(inner.into())?)
        }
        _ => None,
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
    let (touched, whole) = (range(low, high + 1), range(0, size));
    Some(format!("{touched} of variable {}, which has {whole}", side.variable))
}

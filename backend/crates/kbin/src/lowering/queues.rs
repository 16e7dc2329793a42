//! The queues of a definition become ring headers.

use neff::doc::Queue as FileQueue;
use neff::{Place, Severity, Subgraph};
use records::Provenance;
use records::kbin::names::RingType;
use records::kbin::queue::MAX_SEMAPHORES;
use records::kbin::root::DMA_SLOTS;

use super::model::{Queue, Ring};
use super::notes::{Notes, shown};
use super::numbers::{Origin, Origins, Source, part};

/// Lowers the queues, by name, without their descriptors.
/// Spec: docs/format/kbin.md "From queues" [observed; number of instances inferred].
pub fn lower(subgraph: &Subgraph, notes: &mut Notes) -> Vec<Queue> {
    let mut list: Vec<Queue> =
        subgraph.definition.queues.iter().map(|source| queue(subgraph, source, notes)).collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    let whole = || Place::member(subgraph.definition_member.clone());
    let listed = list.len();
    list.dedup_by(|later, first| later.name == first.name);
    if list.len() < listed {
        let message = "two queues have the same name; the first one is shown";
        notes.find(Severity::Error, "kbin.queue-twice", whole(), message);
    }
    if list.len() > DMA_SLOTS {
        let message = format!(
            "there are {} queues and the root has room for 32; the others have no place in it",
            list.len()
        );
        notes.find(Severity::Error, "kbin.queues", whole(), message);
    }
    if list.iter().filter(|queue| queue.ring_type == RingType::DYNAMIC_ACT_TBL).count() > 1 {
        notes.refuse("kbin.act-queues", whole(), "more than one queue loads activation tables");
    }
    list
}

fn queue(subgraph: &Subgraph, source: &FileQueue, notes: &mut Notes) -> Queue {
    let at = Place {
        subgraph: Some(subgraph.name.clone()),
        ..Place::member_at(subgraph.definition_member.clone(), source.offset)
    };
    let name = shown(&source.name);
    if source.owner.is_none() {
        let owner = source.owner_text.as_deref().map(shown).unwrap_or_default();
        let text = format!("Invalid owner '{owner}' for DMA queue {name}");
        notes.stop("kbin.owner", at.clone(), text, &format!("the owner of `{name}` is no engine"));
    }
    if source.ring_type.is_none() {
        let message =
            format!("queue `{name}` has no known type, so no ring type; LAST stands here");
        notes.find(Severity::Error, "kbin.ring-type", at.clone(), message);
    }
    if source.semaphores.len() > MAX_SEMAPHORES {
        let text = format!(
            "Runtime supports maximum of 32 semaphores per queue set, found: {}",
            source.semaphores.len()
        );
        notes.stop("kbin.semaphores", at.clone(), text, &format!("`{name}` has too many"));
    }
    for key in ["pinned", "dge"] {
        if source.extra.contains_key(key) {
            let message = format!("`{key}` of queue `{name}` has no published bit in the flags");
            notes.find(Severity::Info, "kbin.queue-key", at.clone(), message);
        }
    }
    if source.embedding_update_sync_semaphore.is_some() {
        let message = format!(
            "`embedding_update_sync_semaphore` of queue `{name}` has no published place in its \
             record"
        );
        notes.find(Severity::Info, "kbin.queue-key", at.clone(), message);
    }
    let path = || format!("/dma_queue/{}", part(&source.name));
    let from = Source { at: &at, path: &path, extra: &source.extra };
    let mut origins = Origins::default();
    let (queue_set_count, origin) =
        notes.number(&from, "num_queues", source.num_queues, (1, Origin::Default));
    origins.put(&Queue::FIELDS, 8, origin);
    let scratch = scratch(source, &at, &mut origins, notes);
    let is_read = !source.semaphores.is_empty();
    let key = if source.extra.contains_key("semaphore") { "semaphore" } else { "semaphore_set" };
    let origin = match source.semaphores.len() > MAX_SEMAPHORES {
        true => Origin::Unfit,
        false => notes.origin(&from, key, is_read, "semaphores below 2^32"),
    };
    origins.put(&Queue::FIELDS, 12, origin);
    origins.put(&Queue::FIELDS, 16, origin);
    let mut rings: Vec<Ring> = instances(source, &from, notes)
        .into_iter()
        .map(|name| Ring { name_from: cut(&name), name, ..Ring::default() })
        .collect();
    if rings.is_empty() {
        let name_from = match cut(&source.name) {
            Origin::File => Origin::Default,
            cut => cut,
        };
        rings.push(Ring { name: source.name.clone(), name_from, ..Ring::default() });
    }
    Queue {
        name: source.name.clone(),
        at: source.offset,
        ring_type: source.ring_type.map_or(RingType::LAST, |ring| RingType(ring.0 as i32)),
        ring_type_from: match source.ring_type {
            None => Provenance::Modelled,
            Some(_) if source.ring_type_inferred => Provenance::Inferred,
            Some(_) => Provenance::File,
        },
        owner: source.owner,
        queue_set_count,
        semaphores: source.semaphores.clone(),
        scratch,
        rings,
        origins,
    }
}

/// Names of instances are cut at 255 bytes, by a loader too.
fn cut(name: &str) -> Origin {
    if name.len() > 255 { Origin::Cut } else { Origin::File }
}

/// Offset and size of the scratch of descriptor generation.
fn scratch(source: &FileQueue, at: &Place, origins: &mut Origins, notes: &mut Notes) -> (u32, u32) {
    let nothing = neff::reader::Extra::new();
    let dynamic = source.dynamic_dma.as_ref();
    let path = || format!("/dma_queue/{}/dynamic_dma", part(&source.name));
    let extra = dynamic.map_or(&nothing, |dynamic| &dynamic.extra);
    let from = Source { at, path: &path, extra };
    let mut number = |byte, key, read: Option<u64>| {
        let (value, origin) = notes.number(&from, key, read, (0, Origin::Default));
        origins.put(&Queue::FIELDS, byte, origin);
        value
    };
    (
        number(
            276,
            "SB_scratch_partition_offset",
            dynamic.and_then(|dynamic| dynamic.scratch_partition_offset),
        ),
        number(
            280,
            "SB_scratch_partition_size",
            dynamic.and_then(|dynamic| dynamic.scratch_partition_size),
        ),
    )
}

/// Names of the instances that a queue lists: an array of names or of objects, or an object.
fn instances(source: &FileQueue, from: &Source<'_>, notes: &mut Notes) -> Vec<String> {
    const KEY: &str = "queue_instances";
    let Some(value) = source.extra.get(KEY).filter(|value| !value.is_null()) else {
        return Vec::new();
    };
    if let Some(items) = value.as_array() {
        let name = |item: &_| -> Option<String> {
            let item: &serde_json::Value = item;
            item.as_str().or_else(|| item.get("name")?.as_str()).map(str::to_owned)
        };
        let names: Vec<String> = items.iter().filter_map(name).collect();
        if names.len() < items.len() {
            let written = format!("an array of {} with {} names", items.len(), names.len());
            notes.unfit(from, KEY, &written, "a name for each instance");
        }
        return names;
    }
    let keys = value.as_object().map(|object| object.keys().cloned().collect());
    keys.unwrap_or_else(|| {
        notes.origin(from, KEY, false, "an array of names, or an object keyed by name");
        Vec::new()
    })
}

//! The queues of a definition become ring headers.

use std::collections::BTreeMap;

use neff::doc::Queue as FileQueue;
use neff::{Place, Severity, Subgraph};
use records::Provenance;
use records::kbin::names::RingType;
use records::kbin::queue::MAX_SEMAPHORES;
use records::kbin::root::DMA_SLOTS;
use serde_json::Value;

use super::model::{Queue, Ring, STRIDE};
use super::notes::{Notes, shown};
use super::numbers::{Origin, Origins, Source, part};
use super::semaphores;
use crate::need::hardware_queues;

/// Lowers the queues, by name, without their descriptors.
/// Spec: docs/format/kbin.md "From queues" [observed; number of instances inferred].
pub fn lower(subgraph: &Subgraph, notes: &mut Notes) -> Vec<Queue> {
    let mut list: Vec<Queue> =
        subgraph.definition.queues.iter().map(|source| queue(subgraph, source, notes)).collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    let whole = || Place::member(subgraph.definition_member.clone());
    list.dedup_by(|later, first| {
        let is_same = later.name == first.name;
        if is_same {
            let message = format!(
                "two queues have the name `{}`, at bytes {:#x} and {:#x} of the definition; the \
                 first one is shown",
                shown(&later.name),
                first.at,
                later.at
            );
            let at = Place { offset: Some(later.at), ..whole() };
            notes.find(Severity::Error, "kbin.queue-twice", at, message);
        }
        is_same
    });
    if list.len() > DMA_SLOTS {
        let message = format!(
            "there are {} queues and the root has room for 32; the others have no place in it",
            list.len()
        );
        notes.find(Severity::Error, "kbin.queues", whole(), message);
    }
    let mut loads = list.iter().filter(|queue| queue.ring_type == RingType::DYNAMIC_ACT_TBL);
    if let (Some(first), Some(second)) = (loads.next(), loads.next()) {
        let why = format!(
            "more than one queue loads activation tables: `{}` (byte {:#x} of the definition) and \
             `{}` (byte {:#x})",
            shown(&first.name),
            first.at,
            shown(&second.name),
            second.at
        );
        let at = Place { offset: Some(second.at), ..whole() };
        notes.refuse("kbin.act-queues", at, &why);
    }
    instances_twice(subgraph, &list, notes);
    generated(subgraph, notes);
    list
}

/// Blocks find their instance by name, so that of two with one name only the first gets any.
fn instances_twice(subgraph: &Subgraph, list: &[Queue], notes: &mut Notes) {
    let at = |queue: &Queue| Place {
        subgraph: Some(subgraph.name.clone()),
        ..Place::member_at(subgraph.definition_member.clone(), queue.at)
    };
    let mut owners: BTreeMap<&str, &Queue> = BTreeMap::new();
    for queue in list {
        for ring in &queue.rings {
            let Some(first) = owners.insert(&ring.name, queue) else { continue };
            owners.insert(&ring.name, first);
            let (name, first) = (shown(&ring.name), shown(&first.name));
            let message = match first == queue.name {
                true => format!("two instances of queue `{first}` have the name `{name}`"),
                false => format!(
                    "queues `{first}` and `{}` both have an instance `{name}`",
                    shown(&queue.name)
                ),
            };
            let message = format!("{message}; blocks of that name go to the first one here");
            notes.find(Severity::Error, "kbin.ring-twice", at(queue), message);
        }
    }
    for queue in list {
        let others = queue.rings.iter().filter(|ring| ring.name != queue.name);
        for ring in others {
            let named = list.iter().find(|other| other.name == ring.name);
            // Where that queue has an instance of its own name, it was told above.
            let Some(named) =
                named.filter(|other| other.rings.iter().all(|one| one.name != ring.name))
            else {
                continue;
            };
            let message = format!(
                "an instance of queue `{}` has the name of queue `{}`; blocks of that name go to \
                 the instance",
                shown(&queue.name),
                shown(&named.name)
            );
            notes.find(Severity::Error, "kbin.ring-twice", at(queue), message);
        }
    }
}

/// Queues whose descriptors the hardware generates have a limit that is not published.
/// Spec: docs/format/kbin.md "Building" [observed text; the limit is not published].
fn generated(subgraph: &Subgraph, notes: &mut Notes) {
    let asks = |queue: &&FileQueue| match queue.extra.get("dge") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !matches!(text.as_str(), "" | "none" | "sw"),
        Some(_) => true,
    };
    let count = subgraph.definition.queues.iter().filter(asks).count();
    if count > 0 {
        let message = format!(
            "descriptors of {count} queues are generated by hardware; where these are too many a \
             loader stops with a text that begins `NEFF requested {count} HW DGE queues`, and how \
             many it takes is not published"
        );
        let at = Place::member(subgraph.definition_member.clone());
        notes.find(Severity::Info, "kbin.dge-queues", at, message);
    }
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
    semaphores::queue(subgraph, source, &at, notes);
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
    if let Some(number) = source.num_queues.filter(|number| !(1..=16).contains(number)) {
        let message = format!(
            "queue `{name}` has `num_queues` {number}, 1 to 16 have been seen; what it has to hold is \
             counted for 16"
        );
        notes.find(Severity::Warning, "kbin.num-queues", at.clone(), message);
    }
    let scratch = scratch(source, &at, &mut origins, notes);
    let end = u64::from(scratch.0) + u64::from(scratch.1);
    if end > STRIDE {
        let message = format!(
            "the scratch of queue `{name}` is bytes {:#x} to {:#x} of a partition, which has at most \
             {STRIDE:#x}",
            scratch.0,
            end.saturating_sub(1)
        );
        notes.find(Severity::Error, "kbin.scratch-range", at.clone(), message);
    }
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
        hardware_queues: hardware_queues(source.num_queues),
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
            let item: &Value = item;
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

//! What fields, records and findings of the tree lead to beside their own pointers: the pages of
//! variables and queues, the drawings of transfers, places in the file.

use crate::answer::{PlaceRef, RecordLink};
use crate::plain::quoted;
use kbin::Kbin;
use kbin::lowering::ENGINE_ORDER;
use kbin::record::{FieldValue, RecordId, Target};
use neff::Place;
use records::kbin::variable::{MEM_REF_BYTES, MEM_REF_SET_BYTES};

/// A link to a page or a record by name.
pub fn to(label: &str, name: String) -> RecordLink {
    RecordLink { label: label.to_owned(), record: Some(name), ..RecordLink::default() }
}

/// A link to a place in a member.
pub fn in_member(label: &str, place: &Place) -> RecordLink {
    RecordLink {
        label: label.to_owned(),
        member: place.member.clone(),
        offset: place.offset.unwrap_or(0),
        ..RecordLink::default()
    }
}

/// The page of a variable, by its place in the tree's list.
fn variable(tree: &Kbin, label: &str, at: usize) -> Option<RecordLink> {
    let name = &tree.variables.get(at)?.name;
    let label = if label.is_empty() { name } else { label };
    Some(to(label, variable_page(tree, at)))
}

/// Name of the page of a variable, by its place in the tree's list.
pub fn variable_page(tree: &Kbin, at: usize) -> String {
    format!("variable.{}", quoted(&tree.variable_key(at).unwrap_or_default()))
}

/// Name of the drawing of a descriptor.
pub fn drawing(tree: &Kbin, ring: RecordId, row: u64) -> String {
    format!("transfer.{}.{row}", tree.record_name(ring))
}

/// Where a field leads beside its pointer.
pub fn field_links(tree: &Kbin, id: RecordId, field: &FieldValue) -> Vec<RecordLink> {
    let row = || -> Option<u64> {
        let (_, rest) = field.name.split_once('[')?;
        rest.split_once(']')?.0.parse().ok()
    };
    let row_of = |offset: u64| {
        let at = offset.checked_sub(MEM_REF_SET_BYTES as u64)?;
        usize::try_from(at / MEM_REF_BYTES as u64).ok()
    };
    let link = match (id, &field.target) {
        (RecordId::MemRefSet, _) if field.name.ends_with("].name") => {
            row().and_then(|row| variable(tree, "uses", usize::try_from(row).ok()?))
        }
        (RecordId::Engine(slot), _) if field.name.starts_with("instr[") && field.bytes == 64 => {
            row().and_then(|row| in_code(tree, slot, row))
        }
        (RecordId::Ring(..), _) if field.name.ends_with("].desc_type") => {
            row().map(|row| to("drawn", drawing(tree, id, row)))
        }
        (_, Some(Target::Record(RecordId::MemRefSet, offset))) => {
            row_of(*offset).and_then(|at| variable(tree, "uses", at))
        }
        _ => None,
    };
    link.into_iter().collect()
}

/// The place of an instruction in the Code view.
fn in_code(tree: &Kbin, slot: usize, row: u64) -> Option<RecordLink> {
    let engine = ENGINE_ORDER.get(slot)?.name().to_owned();
    let ip = u32::try_from(row).ok()?.checked_add(1)?;
    let place =
        PlaceRef { s: tree.subgraph.clone(), e: engine, neff_ip: Some(ip), ..PlaceRef::default() };
    let label = format!("IP {ip}");
    Some(RecordLink { label, place: Some(place), ..RecordLink::default() })
}

/// Where a record as a whole leads.
pub fn record_links(tree: &Kbin, id: RecordId) -> Vec<RecordLink> {
    let queue = match id {
        RecordId::Dma(at) | RecordId::Ring(at, _) => tree.queues.get(at),
        _ => None,
    };
    queue
        .map(|queue| to("limit and triggers", format!("queue.{}", quoted(&queue.name))))
        .into_iter()
        .collect()
}

/// Where each finding of the tree leads.
pub fn finding_links(tree: &Kbin) -> Vec<Vec<RecordLink>> {
    let findings = tree.notes.findings.as_slice().iter().enumerate();
    findings
        .map(|(number, finding)| {
            let mut links = Vec::new();
            if finding.at.member.is_some() {
                links.push(in_member("in the file", &finding.at));
            }
            let Some(about) = tree.notes.about.get(&number) else { return links };
            if let (Some(queue), Some((ring, row))) = (about.queue, about.descriptor) {
                links.push(to("drawn", drawing(tree, RecordId::Ring(queue, ring), row as u64)));
            } else if let Some(queue) = about.queue.and_then(|at| tree.queues.get(at)) {
                links.push(to(&queue.name, format!("queue.{}", quoted(&queue.name))));
            }
            for at in &about.variables {
                links.extend(variable(tree, "", *at as usize));
                if let Some(one) = tree.variables.get(*at as usize) {
                    let label = format!("{} in the file", one.name);
                    links.push(in_member(&label, &tree.place(one.at)));
                }
            }
            links
        })
        .collect()
}

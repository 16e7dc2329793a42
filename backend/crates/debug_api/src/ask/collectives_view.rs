//! Plans of collectives as the `collectives` document shows them.

use super::collective_barrier::reserved_semaphores;
use crate::answer::{
    CollectiveOperand, CollectiveTrigger, DoorbellInfo, EntryRef, PlannedEntry, Provenance,
    ReplicaGroups, SurfaceInfo, TableRoom, TopSpTable, TriggerPlace,
};
use crate::convert::{hex, hex_bytes, provenance};
use device_image::Generation;
use device_image::collectives::groups;
use device_image::collectives::names::chaining_name;
use device_image::collectives::plan::{Plan, Planned, TopSp};
use device_image::collectives::tables::{Entry, View};
use device_image::collectives::top_sp::{ENTRY_BYTES, Room, doorbells, registers, rooms};
use device_image::collectives::trigger::{Operand, Trigger};
use records::Opcode;
use records::payload::value::alu_op_name;

/// Groups of a set, and ranks of a group, that are listed.
const LISTED: (usize, usize) = (64, 512);

/// The place of a trigger.
pub fn place(index: usize, trigger: &Trigger) -> TriggerPlace {
    TriggerPlace {
        index: index as u64,
        engine: trigger.engine.name().to_owned(),
        slot: trigger.slot,
        neff_ip: trigger.slot.saturating_add(1),
    }
}

/// The replica groups of a definition.
pub fn replica_groups(definition: &neff::doc::Definition) -> Vec<ReplicaGroups> {
    let sets = &definition.replica_groups;
    let shown = |set: &Vec<Vec<u32>>| -> Vec<Vec<u32>> {
        let groups = set.iter().take(LISTED.0);
        groups.map(|group| group.iter().take(LISTED.1).copied().collect()).collect()
    };
    sets.iter()
        .take(LISTED.0)
        .enumerate()
        .map(|(index, set)| ReplicaGroups {
            index: index as u64,
            groups: shown(set),
            n_groups: set.len() as u64,
            text: match definition.unread_groups.contains(&index) {
                true => "cannot be read".to_owned(),
                false => groups::text(set),
            },
        })
        .collect()
}

/// The triggers of a range.
pub fn triggers(plan: &Plan, from: usize, count: usize) -> Vec<CollectiveTrigger> {
    let all = plan.planned.iter().enumerate().skip(from).take(count);
    all.map(|(index, one)| trigger(plan, index, one)).collect()
}

fn trigger(plan: &Plan, index: usize, one: &Planned) -> CollectiveTrigger {
    let record = &one.trigger;
    let number = |name: Option<&str>, code: u8| name.map_or(code.to_string(), str::to_owned);
    CollectiveTrigger {
        place: place(index, record),
        opcode: record.opcode,
        mnemonic: Opcode(record.opcode).mnemonic().map(str::to_owned),
        operation: record.kind.name().to_owned(),
        operation_provenance: provenance(record.kind_from),
        kind: record.ctype,
        reduction: record.reduction.map(|code| number(alu_op_name(code), code)),
        dtype: record.dtype.map(|dtype| number(dtype.name(), dtype.0)),
        elements: record.elements,
        bytes: record.bytes,
        group: record.group,
        group_provenance: provenance(record.group_from),
        ranks: one.ranks.iter().take(LISTED.1).copied().collect(),
        n_ranks: one.n_ranks,
        inputs: record.inputs.iter().map(operand).collect(),
        outputs: record.outputs.iter().map(operand).collect(),
        peer: record.peer,
        chaining: record.chaining.map(|code| number(chaining_name(code), code)),
        stream: record.stream,
        algorithm: one.algorithm.map(|algorithm| algorithm.name().to_owned()),
        algorithm_number: one.algorithm.map(|algorithm| algorithm.value()),
        algorithm_provenance: provenance(one.algorithm_from),
        why: one.why.clone(),
        steps: one.steps,
        locals: one.locals,
        entries: plan
            .top_sps
            .iter()
            .map(|top_sp| EntryRef {
                top_sp: top_sp.index,
                index: index as u64,
                offset: index as u64 * ENTRY_BYTES,
            })
            .collect(),
    }
}

fn operand(one: &Operand) -> CollectiveOperand {
    CollectiveOperand {
        id: one.id,
        name: one.name.clone(),
        offset: one.offset,
        bytes: one.bytes,
        variable_bytes: one.size,
    }
}

/// The TOP_SPs with their entries of a range.
pub fn top_sps(plan: &Plan, generation: Generation, from: usize, count: usize) -> Vec<TopSpTable> {
    let (control, tape) = rooms(generation);
    plan.top_sps
        .iter()
        .map(|one| {
            let entries = one.entries.iter().enumerate().skip(from).take(count);
            TopSpTable {
                index: one.index,
                index_provenance: Provenance::Inferred,
                leader: one.leader,
                leader_provenance: Provenance::Modelled,
                n_entries: one.entries.len() as u64,
                control_room: room(control),
                tape: one.tape,
                tape_room: room(tape),
                entries: entries
                    .filter_map(|(index, entry)| planned_entry(plan, index, entry))
                    .collect(),
                surface: surface(one),
                reserved: reserved_semaphores(generation, one.index),
                doorbells: doorbells(generation)
                    .into_iter()
                    .filter_map(|bell| {
                        let address = registers(generation, one.index)?.checked_add(bell.offset)?;
                        Some(DoorbellInfo {
                            name: bell.name.to_owned(),
                            address: hex(address),
                            provenance: provenance(bell.from),
                        })
                    })
                    .collect(),
            }
        })
        .collect()
}

fn room(room: Room) -> TableRoom {
    TableRoom { bytes: room.bytes, entries: room.entries(), provenance: provenance(room.from) }
}

fn planned_entry(plan: &Plan, index: usize, entry: &Entry) -> Option<PlannedEntry> {
    let trigger = &plan.planned.get(entry.trigger)?.trigger;
    let (word, known) = entry.word();
    Some(PlannedEntry {
        index: index as u64,
        offset: index as u64 * ENTRY_BYTES,
        raw: hex_bytes(&word.to_bytes()),
        known: format!("{known:#018x}"),
        trigger: place(entry.trigger, trigger),
        nop: entry.is_nop,
        algo_type: entry.algorithm.map(|algorithm| algorithm.value()),
        algorithm: entry.algorithm.map(|algorithm| algorithm.name().to_owned()),
        algo_sub_type: entry.variant,
        trigger_next: entry.trigger_next,
        reporter: entry.reporter,
        ring_wait_complete: entry.wait_complete,
        ring_send_complete: entry.send_complete,
        channel_list: match entry.view {
            View::Channels(list) => Some(hex(u64::from(list))),
            View::Mesh => None,
        },
        tape: entry.tape,
        provenance: provenance(entry.from),
    })
}

fn surface(one: &TopSp) -> Vec<SurfaceInfo> {
    let semaphores = one.surface.iter().map(|semaphore| SurfaceInfo {
        name: semaphore.name.to_owned(),
        top_sp: semaphore.top_sp,
        semaphore: semaphore.index,
        address: semaphore.address.map(|(read, _)| hex(read)),
        increment_address: semaphore.address.map(|(_, increment)| hex(increment)),
        provenance: provenance(semaphore.from),
    });
    semaphores.collect()
}

//! Pages made of answers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use crate::layout::drawing::tests::{answer, side};
use debug_api::answer::{ContributorInfo, GateInfo, PlaceRef, RingInfo};

fn facts(sheet: &Sheet) -> Vec<(&str, &str, bool)> {
    sheet
        .lines
        .iter()
        .filter_map(|line| match line {
            Line::Fact(fact) => Some((fact.label.as_str(), fact.value.as_str(), fact.bad)),
            Line::Head(..) => None,
        })
        .collect()
}

fn slot(role: &str) -> SlotUse {
    let at = PlaceRef { e: "SP".to_owned(), neff_ip: Some(3), ..PlaceRef::default() };
    SlotUse { at, role: role.to_owned(), ..SlotUse::default() }
}

#[test]
fn a_queue_that_is_too_long_leads_to_its_tensor() {
    let made = queue(&QueueAnswer {
        elements_provenance: debug_api::Provenance::Modelled,
        hardware_queues: 1,
        schema: 1,
        subgraph: "sg00".to_owned(),
        name: "q".to_owned(),
        record: "dma.q".to_owned(),
        ring_type: "DATA".to_owned(),
        owner: Some("POOL".to_owned()),
        queue_set_count: 1,
        semaphores: vec![3, 4],
        rings: vec![RingInfo {
            record: "ring.q.0".to_owned(),
            name: "q".to_owned(),
            blocks: 1,
            descriptors: 2,
            bytes: 11_176,
        }],
        descriptors: 2,
        elements: 16_777_221,
        direct_elements: 0,
        is_dynamic: false,
        limit: 16_777_200,
        contributors: vec![ContributorInfo {
            variable: "table".to_owned(),
            page: "variable.table".to_owned(),
            id: 4,
            elements: 16_777_216,
            descriptors: 1,
        }],
        total_triggers: 2_000,
        triggers: vec![SlotUse { queue: Some("q".to_owned()), block: Some(7), ..slot("trigger") }],
        gates: Vec::new(),
        diagnostics: Vec::new(),
    });
    assert_eq!(made.meter, Some((16_777_221, 16_777_200)));
    let all = facts(&made);
    assert_eq!(all[0], ("needs", "16,777,221 of 16,777,200", true));
    assert_eq!(made.lines[3].links()[0].record.as_deref(), Some("variable.table"));
    assert!(all.contains(&("semaphores", "3, 4", false)));
    let heads: Vec<&Line> =
        made.lines.iter().filter(|line| matches!(line, Line::Head(..))).collect();
    let last = Line::head("Slots that trigger it", "2,000, the first 1");
    assert_eq!(heads.last(), Some(&&last));
    let links = made.lines.last().unwrap().links();
    assert_eq!(links[0].label, "SP IP 3");
    assert_eq!(links[0].place.as_ref().unwrap().neff_ip, Some(3));
}

#[test]
fn a_transfer_says_what_is_wrong_and_where() {
    let mut of = answer(vec![side("source", 4_096, 4_032, 64, 2, 64)], Vec::new());
    of.sides[0].element_bytes = Some(4);
    of.sides[0].variable_element_bytes = Some(2);
    let to_file =
        |member: &str| RecordLink { member: Some(member.to_owned()), ..RecordLink::default() };
    of.faults = vec![TransferFault {
        code: "kbin.pattern-bounds".to_owned(),
        severity: "error".to_owned(),
        message: "m".to_owned(),
        links: vec![to_file("pool.json"), to_file("def.json")],
    }];
    let made = transfer(&of);
    assert_eq!(made.title, "ring.q.0[0]");
    assert_eq!(made.lines[1].links().len(), 2, "both places are linked");
    let all = facts(&made);
    assert!(all.contains(&("touches", "0xfc0..0x1040, 128 bytes", true)), "{all:?}");
    assert!(all.contains(&("dimension 1", "2, step 64", false)));
    assert!(all.iter().any(|(label, _, bad)| *label == "elements" && *bad));
    assert_eq!(made.links[0].record.as_deref(), Some("queue.q"));
}

#[test]
fn what_only_touches_the_same_bytes_is_called_inferred() {
    let made = variable(&VariableAnswer {
        schema: 1,
        subgraph: "sg00".to_owned(),
        name: "x".to_owned(),
        id: 1,
        kind: "INPUT".to_owned(),
        offset: 176,
        fields: Vec::new(),
        total_descriptors: 0,
        descriptors: Vec::new(),
        total_slots: 1,
        slots: vec![SlotUse {
            transfer: Some("SP.3".to_owned()),
            start: Some(0),
            end: Some(64),
            out_of_bounds: true,
            ..slot("source")
        }],
        place: None,
        buffer: vec![BufferRange {
            first_partition: 0,
            partitions: 128,
            start: 0x1000,
            end: 0x1100,
            role: "filled".to_owned(),
        }],
        total_buffer_slots: 1,
        buffer_slots: vec![slot("source")],
        page: "variable.x".to_owned(),
        named_by: vec!["cell".to_owned()],
        named_by_pages: vec!["variable.cell".to_owned()],
        gates: vec![GateInfo {
            text: "need to be 4K aligned".to_owned(),
            stops: true,
            code: "memory.unaligned".to_owned(),
        }],
        diagnostics: Vec::new(),
    });
    assert!(made.lines[1].spoken().starts_with("loader stops: need to be 4K aligned"));
    assert_eq!(made.links[0].offset, 176);
    let provenance: Vec<(&str, Provenance, bool)> = made
        .lines
        .iter()
        .filter_map(|line| match line {
            Line::Fact(fact) if fact.label == "reads" => {
                Some((fact.label.as_str(), fact.provenance, fact.bad))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        provenance,
        [("reads", Provenance::File, true), ("reads", Provenance::Inferred, false)]
    );
    let drawn = made.lines.iter().flat_map(Line::links).find(|link| link.label == "drawn");
    assert_eq!(drawn.unwrap().record.as_deref(), Some("transfer.SP.3"));
    assert!(facts(&made).contains(&("filled", "0x1000..0x1100, 256 bytes", false)));
}

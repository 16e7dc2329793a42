//! Layout of programs with pseudo records: labels, branches, functions, collectives, exits. The
//! expected places are counted by hand from the profile's slot totals.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use device_image::{
    BlockCounts, Generation, Image, Inputs, Options, Origin, Profile, Program, Queue, QueueBlock,
    QueueKind, Region, Subgraph, assemble,
};
use neff::Findings;
use records::build::{Draft, branch};
use records::{Engine, NeffIp, PatchRow, PatchSection, PatchType, Provenance, Slot, SlotIndex};

/// Slots that `cayman-r2.27` puts before MAIN on PE, and after it.
const PRE: u32 = 62;
const POST: u32 = 11;

fn record(opcode: u8) -> Slot {
    Draft::new(opcode).slot()
}

fn label(id: u32) -> Slot {
    Draft::new(0xCC).u32(0x0C, id).slot()
}

fn named(opcode: u8, name: &str) -> Slot {
    Draft::new(opcode).bytes(0x0C, name.as_bytes()).slot()
}

/// A branch as the compiler writes it, with a label id for a target.
fn to_label(id: u64) -> Slot {
    Draft::new(0xA9).u8(0x0E, 3).u64(0x30, id).slot()
}

fn build(slots: &[Slot], options: Options<'_>) -> (Image, Findings) {
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let mut findings = Findings::new();
    let program = Program { subgraph: &subgraph, engine: Engine::Pe, slots };
    let image = assemble(&profile, program, &inputs, options, &mut findings).unwrap();
    assert_eq!(image.pc_map().check(), Ok(()));
    assert_eq!(image.slots.len(), image.info.len());
    (image, findings)
}

fn rows_of(image: &Image, section: PatchSection) -> Vec<(u32, u32, PatchType)> {
    let rows = image.rows.iter().filter(|row| row.section == section);
    rows.map(|row| (row.offset / 64, row.count, row.kind)).collect()
}

/// The slots to which a branch leads.
fn target_of(image: &Image, slot: u32) -> i64 {
    let branch = &image.slots[slot as usize];
    assert_eq!((branch.opcode_byte(), branch.u8_at(0x0E)), (0xA9, 3));
    // The distance is zero-extended.
    assert_eq!(branch.u32_at(0x34), 0);
    i64::from(slot) + i64::from(branch.u32_at(0x30) as i32) / 64
}

#[test]
fn branches_to_labels_get_distances_and_labels_vanish() {
    let stream =
        [record(0xB1), label(7), record(0x46), to_label(9), label(9), to_label(7), to_label(1234)];
    let (image, findings) = build(&stream, Options::default());
    // 1234 is no label, and as a distance it leads between two slots.
    let at = neff::Place { offset: Some(6 * 64), ..neff::Place::engine("sg00", "PE") };
    let found: Vec<_> = findings.as_slice().iter().map(|found| (found.code, &found.at)).collect();
    assert_eq!(found, [("image.branch-outside", &at)]);
    let rows = [(PRE + 1, 1, PatchType::DELETE), (PRE + 3, 1, PatchType::DELETE)];
    assert_eq!(rows_of(&image, PatchSection::MAIN), rows);
    // B1, 46, A9 -> 9, A9 -> 7, A9 without a label.
    assert_eq!(image.ranges.core.slots(), 5);
    assert_eq!(target_of(&image, PRE + 2), i64::from(PRE + 3));
    assert_eq!(target_of(&image, PRE + 3), i64::from(PRE + 1));
    assert_eq!(image.slots[PRE as usize + 4], to_label(1234));
}

#[test]
fn an_exit_becomes_a_branch_to_the_postamble_and_keeps_byte_3_and_events() {
    let exit =
        Draft::new(0xDF).u8(0x0C, 1).u8(0x03, 4).u8(0x04, 5).u8(0x05, 9).u32(0x08, 77).slot();
    let (image, _) = build(&[exit, record(0x46), record(0x46)], Options::default());
    assert_eq!(rows_of(&image, PatchSection::MAIN), []);
    assert_eq!(target_of(&image, PRE), i64::from(PRE + 3));
    let made = &image.slots[PRE as usize];
    assert_eq!((made.u8_at(3), made.u8_at(4), made.u8_at(5), made.u32_at(8)), (4, 5, 9, 77));
}

/// MAIN: a copy, a call, a copy. Function f: begin, label, copy, return with semaphore reset.
#[test]
fn a_call_leads_to_its_function_and_the_function_to_its_return_registers() {
    let begin = Draft::of(named(0xD1, "f")).u8(0x30, 1).u8(0x31, 6).u8(0x32, 7).slot();
    let call = Draft::of(named(0xD3, "f")).u8(0x04, 5).u8(0x05, 3).u32(0x08, 2).slot();
    let call = Draft::of(call).u8(0x06, 0x13).u8(0x07, 4).slot();
    let stream = [record(0x46), call, record(0x47), begin, label(0), record(0x46), record(0xD2)];
    let (image, findings) = build(&stream, Options::default());
    assert_eq!(findings, Findings::new());
    // The call takes three slots: two moves of the return address and the branch.
    assert_eq!(rows_of(&image, PatchSection::MAIN), [(PRE + 1, 2, PatchType::INSERT)]);
    let main_slots = 5;
    let first = PRE + main_slots + POST;
    assert_eq!(image.ranges.functions.first_slot(), u64::from(first));
    assert_eq!(target_of(&image, PRE + 3), i64::from(first));
    let moves = [&image.slots[PRE as usize + 1], &image.slots[PRE as usize + 2]];
    assert_eq!(moves.map(|slot| slot.u32_at(0x14)), [6, 7]);
    assert_eq!(moves.map(|slot| slot.u32_at(0x20)), [(PRE + 4) * 64, 0]);
    // First wait, last update.
    assert_eq!((moves[0].u8_at(4), moves[0].u8_at(6)), (5, 0));
    let branch = &image.slots[PRE as usize + 3];
    assert_eq!((branch.u8_at(4), branch.u8_at(6), branch.u8_at(7)), (0, 0x13, 4));

    // Rows count from the function section: begin and label vanish; the return is drain, ladder
    // of two, reset, ladder of two, jump.
    let rows = [(0, 1, PatchType::DELETE), (0, 1, PatchType::DELETE), (1, 6, PatchType::INSERT)];
    assert_eq!(rows_of(&image, PatchSection::FUNCTION), rows);
    assert_eq!(image.ranges.functions.slots(), 8);
    let jump = image.slots.last().unwrap();
    assert_eq!((jump.opcode_byte(), jump.u8_at(0x22), jump.u8_at(0x23)), (0xA9, 6, 7));
    for slot in &image.slots[first as usize..] {
        assert_eq!(slot.u8_at(3) & 1, 1, "every record of the section is marked");
    }
    let map = image.pc_map();
    let exact = map.exact_at_slot(SlotIndex(first)).unwrap();
    assert_eq!((exact.neff_ip, exact.inserted), (NeffIp(6), false));
    assert_eq!(image.provenance, Provenance::Modelled);
    assert!(image.reasons.iter().any(|reason| reason.text.contains("function call")));
}

#[test]
fn unknown_and_double_functions_are_findings_and_the_image_is_still_built() {
    let stream = [named(0xD3, "g"), named(0xD1, "f"), named(0xD1, "f")];
    let (image, findings) = build(&stream, Options::default());
    let codes: Vec<_> = findings.as_slice().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["image.function-duplicate", "image.function-unknown"]);
    // The placeholder of the call stays.
    assert_eq!(image.slots[PRE as usize + 2].opcode_byte(), 0xD3);
}

/// The wait of a collective trigger goes to its first slot, its update to the last.
#[test]
fn a_collective_trigger_takes_as_many_slots_as_configured() {
    let trigger = Draft::new(0xC8).u8(0x04, 4).u8(0x05, 10).u8(0x06, 0x13).u8(0x07, 22).slot();
    for (n, row) in [(None, 2), (Some(1), 0), (Some(2), 1), (Some(5), 4)] {
        let options = Options { collective_slots: n, ..Options::default() };
        let (image, _) = build(&[trigger], options);
        let slots = row + 1;
        let expected: &[_] = &[(PRE, row, PatchType::INSERT)];
        let expected = if row == 0 { &[] } else { expected };
        assert_eq!(rows_of(&image, PatchSection::MAIN), expected);
        let first = &image.slots[PRE as usize];
        let last = &image.slots[(PRE + slots) as usize - 1];
        assert_eq!((first.u8_at(4), first.u8_at(5)), (4, 10));
        assert_eq!((last.u8_at(6), last.u8_at(7)), (0x13, 22));
        if slots > 1 {
            assert_eq!((first.u8_at(6), last.u8_at(4)), (0, 0));
        }
        assert_eq!(image.provenance_of(Region::Main), Some(Provenance::Modelled));
    }
}

#[test]
fn an_extension_record_is_consumed_by_the_collective_before_it() {
    let stream = [record(0xD9), record(0xDA), record(0xDA)];
    let (image, findings) = build(&stream, Options::default());
    let rows = [
        (PRE, 2, PatchType::INSERT),
        (PRE + 3, 1, PatchType::DELETE),
        (PRE + 3, 1, PatchType::DELETE),
    ];
    assert_eq!(rows_of(&image, PatchSection::MAIN), rows);
    let codes: Vec<_> = findings.as_slice().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["image.extension-alone"]);
}

#[test]
fn barriers_expand_and_dynamic_dma_stays_one_slot() {
    let stream = [record(0xD5), record(0xD8), record(0xD4)];
    let (image, _) = build(&stream, Options::default());
    let rows = [(PRE, 2, PatchType::INSERT), (PRE + 3, 1, PatchType::INSERT)];
    assert_eq!(rows_of(&image, PatchSection::MAIN), rows);
    let opcodes: Vec<u8> = image.slots[PRE as usize..][..6].iter().map(Slot::opcode_byte).collect();
    assert_eq!(opcodes, [0xA2, 0xA0, 0xA0, 0xA0, 0xA0, 0xD4]);
    let info = image.info[PRE as usize + 5];
    assert_eq!(info.provenance, Provenance::Modelled);
    assert_eq!(info.origin, Origin::Record(NeffIp(3)));
}

/// The pool stream of a published sample, two writes a trigger: records 1 and 2 have two slots
/// each, record 3 has one.
#[test]
fn a_dma_trigger_has_a_slot_for_each_broadcast_group() {
    let counts = BlockCounts { read: 3, write: 9, provenance: Provenance::Observed };
    let queue = |name: &str, io_read, io_write| Queue {
        instances: Vec::new(),
        name: name.to_owned(),
        owner: Engine::Pool,
        kind: QueueKind::In,
        io_read,
        io_write,
        blocks: vec![QueueBlock { id: 0, counts }],
    };
    let subgraph = Subgraph {
        queues: vec![queue("q_gradient_in", true, false), queue("q_gradient_out", false, true)],
        ..Subgraph::without_queues(Generation::Cayman)
    };
    let second = Draft::of(named(0xC1, "q_gradient_out")).u8(0x04, 4).u8(0x05, 22).slot();
    let slots = [named(0xC1, "q_gradient_in"), second, record(0xA0)];
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let mut findings = Findings::new();
    let program = Program { subgraph: &subgraph, engine: Engine::Pool, slots: &slots };
    let options = Options { groups: Some(2), ..Options::default() };
    let image = assemble(&profile, program, &inputs, options, &mut findings).unwrap();
    assert_eq!(findings, Findings::new());
    // 56 slots without queues and 13 for each of two.
    let first = 56 + 26;
    let rows = [(first, 1, PatchType::INSERT), (first + 2, 1, PatchType::INSERT)];
    assert_eq!(rows_of(&image, PatchSection::MAIN), rows);
    let map = image.pc_map();
    let ips: Vec<_> = (first..first + 5)
        .filter_map(|slot| map.exact_at_slot(SlotIndex(slot)))
        .map(|exact| exact.neff_ip.0)
        .collect();
    assert_eq!(ips, [1, 1, 2, 2, 3]);
    let waits = [2, 3].map(|at| image.slots[first as usize + at].u8_at(0x05));
    assert_eq!(waits, [22, 0], "the wait is the first write's");
}

/// Triggers that cannot be resolved stay as they are, with a finding each.
#[test]
fn triggers_without_queue_or_block_are_findings() {
    let stream = [named(0xC1, "q_none"), record(0xC2)];
    let (image, findings) = build(&stream, Options::default());
    let codes: Vec<_> = findings.as_slice().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, ["image.queue-unknown", "image.queue-unknown"]);
    assert_eq!(image.slots[PRE as usize..][..2], stream);
}

/// A prefetch hint becomes the device's hint with the distance to its label.
#[test]
fn a_prefetch_hint_knows_its_distance() {
    let hint = Draft::new(0xDD).u64(0x30, 3).slot();
    let (image, _) = build(&[hint, record(0x46), label(3), record(0x46)], Options::default());
    let made = &image.slots[PRE as usize];
    assert_eq!((made.opcode_byte(), made.u64_at(0x30)), (0xB5, 2 * 64));
}

#[test]
fn an_empty_stream_has_an_image_and_plain_records_need_no_row() {
    let (image, _) = build(&[], Options::default());
    assert_eq!(image.slots.len(), (PRE + POST) as usize);
    assert_eq!(image.ranges.core.size, 0);
    let (image, _) = build(&[record(0x01), branch(-64)], Options::default());
    let insert = |slot: u32, count, section| PatchRow {
        offset: slot * 64,
        count,
        kind: PatchType::INSERT,
        section,
    };
    let rows =
        [insert(0, PRE, PatchSection::PREAMBLE), insert(PRE + 2, POST, PatchSection::POSTAMBLE)];
    assert_eq!(image.rows, rows);
    assert_eq!(image.provenance_of(Region::Main), Some(Provenance::File));
    let step = image.step_of(SlotIndex(0)).unwrap();
    assert_eq!((step.id.as_str(), image.step_of(SlotIndex(PRE))), ("switch-start", None));
}

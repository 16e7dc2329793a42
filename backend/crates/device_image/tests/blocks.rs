//! Blocks of functions in the image: rows that a block brings along, padding, and the rooms of the
//! builder. Expected places are counted by hand from the profile's slot totals.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use device_image::patch_list::{MODEL_CAPACITY, SECTION_CAPACITY};
use device_image::{
    BlockInput, Generation, Image, Inputs, IpPlace, Options, Origin, PatchLists, Profile, Program,
    RuntimeError, Subgraph, assemble, assemble_all,
};
use neff::{Findings, Place};
use records::build::Draft;
use records::{DevicePc, Engine, NeffIp, PatchRow, PatchSection, PatchType, Slot, SlotIndex};

/// Slots that `cayman-r2.27` puts before MAIN on PE, and after it.
const PRE: u32 = 62;
const POST: u32 = 11;

const INSERT: PatchType = PatchType::INSERT;
const MODIFY: PatchType = PatchType::MODIFY;
const DELETE: PatchType = PatchType::DELETE;

fn record(opcode: u8) -> Slot {
    Draft::new(opcode).slot()
}

fn label(id: u32) -> Slot {
    Draft::new(0xCC).u32(0x0C, id).slot()
}

fn named(opcode: u8, name: &str) -> Slot {
    Draft::new(opcode).bytes(0x0C, name.as_bytes()).slot()
}

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
    (image, findings)
}

fn rows_of(image: &Image, section: PatchSection) -> Vec<(u32, u32, PatchType)> {
    let rows = image.rows.iter().filter(|row| row.section == section);
    rows.map(|row| (row.offset / 64, row.count, row.kind)).collect()
}

fn codes(findings: &Findings) -> Vec<&'static str> {
    findings.as_slice().iter().map(|finding| finding.code).collect()
}

/// Every slot leads to what made it, by the exact reading.
fn exact_is_origin(image: &Image) {
    let map = image.pc_map();
    assert_eq!(map.check(), Ok(()));
    for (slot, info) in (0_u32..).zip(&image.info) {
        let exact = map.exact_at_slot(SlotIndex(slot)).map(|exact| exact.neff_ip);
        match info.origin {
            Origin::Record(ip) => assert_eq!(exact, Some(ip), "slot {slot}"),
            _ => assert_eq!(exact, None, "slot {slot}"),
        }
    }
}

/// A rewritten slot in a block keeps its type; it lies two slots into the block's translated
/// buffer, one of which is the label that is dropped.
#[test]
fn a_modify_row_of_a_block_is_carried_to_its_place() {
    let modify = PatchRow { offset: 2 * 64, count: 1, kind: MODIFY, section: PatchSection::MAIN };
    let blocks = [BlockInput { block: 1, rows: vec![modify], ..BlockInput::default() }];
    let stream = [record(0x46), label(1), record(0x46), record(0x47), record(0xD8)];
    let (image, findings) = build(&stream, Options { blocks: &blocks, ..Options::default() });
    assert_eq!(codes(&findings), [""; 0]);
    let rows = [(PRE + 1, 1, DELETE), (PRE + 2, 1, MODIFY), (PRE + 3, 1, INSERT)];
    assert_eq!(rows_of(&image, PatchSection::MAIN), rows);
    exact_is_origin(&image);
}

/// Function f is a begin record alone, then a label with a body: its first block has an empty
/// translated buffer, so its rows are carried where the section stands, as they are.
#[test]
fn an_empty_block_carries_its_rows_verbatim() {
    let modify =
        PatchRow { offset: 0x1000, count: 1, kind: MODIFY, section: PatchSection::FUNCTION };
    let blocks = [BlockInput { function: 1, rows: vec![modify], ..BlockInput::default() }];
    let stream = [record(0x46), named(0xD1, "f"), label(1), record(0x46), record(0x47)];
    let (image, _) = build(&stream, Options { blocks: &blocks, ..Options::default() });
    // The begin record's DELETE and the given MODIFY at the start of the section, then the label's.
    let rows = [(0, 1, DELETE), (0, 1, MODIFY), (0, 1, DELETE)];
    assert_eq!(rows_of(&image, PatchSection::FUNCTION), rows);
    let first = &image.functions[1].blocks[0];
    assert_eq!((first.translated_slots, first.own_rows, first.slots), (0, 2, 0));
}

/// Rows that contradict the stream are kept and said to do so; a block that does not exist is not
/// silently left out.
#[test]
fn rows_that_do_not_fit_are_findings() {
    let delete = PatchRow { offset: 64, count: 3, kind: DELETE, section: PatchSection::MAIN };
    let blocks = [
        BlockInput { rows: vec![delete], ..BlockInput::default() },
        BlockInput { block: 9, ..BlockInput::default() },
    ];
    let (image, findings) =
        build(&[record(0x46), record(0x46)], Options { blocks: &blocks, ..Options::default() });
    assert_eq!(codes(&findings), ["image.block-missing", "image.patch-mismatch"]);
    assert_eq!(rows_of(&image, PatchSection::MAIN), [(PRE + 1, 3, DELETE)]);
}

/// PREAMBLE is 62 slots, so with lines of 4 slots a label at slot 63 needs one slot of padding: it
/// stands for the label itself and no row is left. One at slot 64 + 2 = 66 needs two: INSERT 1.
#[test]
fn padding_and_label_make_one_row_by_sign() {
    let stream = [
        record(0x46),
        label(1),
        record(0x46),
        to_label(1),
        label(2),
        to_label(2),
        label(3),
        record(0x47),
    ];
    let options = Options { cache_line: Some(256), ..Options::default() };
    let (image, _) = build(&stream, options);
    // 62: copy. 63: padding. 64, 65: block 1. 66, 67: padding. 68: block 2. Label 3 is named by no
    // branch, so its block is not aligned: it is dropped at 69.
    let rows = [(PRE + 4, 1, INSERT), (PRE + 7, 1, DELETE)];
    assert_eq!(rows_of(&image, PatchSection::MAIN), rows);
    let blocks: Vec<_> = image.functions[0]
        .blocks
        .iter()
        .map(|block| (block.first.0, block.slots, block.padding_slots, block.cache_align))
        .collect();
    let expected = [(62, 1, 0, false), (64, 2, 1, true), (68, 1, 2, true), (69, 1, 0, false)];
    assert_eq!(blocks, expected);
    assert_eq!(image.slots[63].opcode_byte(), 0xA4);
    exact_is_origin(&image);
    let map = image.pc_map();
    assert_eq!(map.image_slots(NeffIp(2)), IpPlace::Slots(63..64));
    assert_eq!(map.image_slots(NeffIp(5)), IpPlace::Slots(66..68));
    assert_eq!(map.image_slots(NeffIp(7)), IpPlace::Deleted(SlotIndex(69)));
    // Branches lead behind the padding: from 65 to 64, from 68 to itself.
    assert_eq!(image.slots[65].u32_at(0x30) as i32, -64);
    assert_eq!(image.slots[68].u32_at(0x30), 0);
}

/// A function whose first block is asked to be aligned: its begin record has no slot, the padding
/// is inserted for it, and a call leads behind the padding.
#[test]
fn padding_before_a_function_belongs_to_its_begin_record() {
    let stream = [named(0xD3, "f"), named(0xD1, "f"), record(0x46)];
    let blocks = [BlockInput { function: 1, cache_align: true, ..BlockInput::default() }];
    let options = Options { cache_line: Some(512), blocks: &blocks, ..Options::default() };
    let (image, _) = build(&stream, options);
    // The call takes three slots; the section begins at 62 + 3 + 11 = 76, four slots before 80.
    assert_eq!(image.ranges.functions.first_slot(), u64::from(PRE + 3 + POST));
    let rows = [(0, 4, INSERT), (4, 1, DELETE)];
    assert_eq!(rows_of(&image, PatchSection::FUNCTION), rows);
    exact_is_origin(&image);
    assert_eq!(image.post_process, [64 * 64]);
    assert_eq!(image.slots[64].u32_at(0x30) as i32, (80 - 64) * 64);
}

/// Nine rows in a list of eight make sixteen; 1,030 rows of MAIN make 2,048, spliced into 2,048.
#[test]
fn patch_lists_grow_as_the_runtime_does() {
    let room = |image: &Image, what: &str| {
        let room = image.rooms.iter().find(|room| room.what == what).unwrap();
        (room.used, room.reserved, room.grown)
    };
    let labels: Vec<Slot> = (0..7).map(label).collect();
    let (image, _) = build(&labels, Options::default());
    assert_eq!(room(&image, "patch rows"), (9, u64::from(MODEL_CAPACITY), Some(16)));
    assert_eq!(image.patch_capacity, 16);
    let labels: Vec<Slot> = (0..1_030).map(label).collect();
    let (image, _) = build(&labels, Options::default());
    let reserved = u64::from(SECTION_CAPACITY);
    assert_eq!(room(&image, "MAIN patch rows"), (1_030, reserved, Some(2_048)));
    assert_eq!(room(&image, "patch rows"), (1_032, 8, Some(2_048)));
    assert_eq!(room(&image, "execution request"), (7 * 64, 0x2000, None));
    assert_eq!(room(&image, "postamble"), (10 * 64, 0x1_0000, None));
}

/// 2,000 sync barriers of three slots add 4,000 slots to a stream of 2,000; 0x10100 bytes of
/// headroom are 1,028 slots. Each barrier is one row of MAIN: 2,000 rows in a list of 1,024.
#[test]
fn an_image_beyond_the_reserved_buffer_says_so() {
    let (image, findings) = build(&vec![record(0xD5); 2_000], Options::default());
    assert_eq!(image.slots.len(), 6_000 + (PRE + POST) as usize);
    assert_eq!(codes(&findings), ["image.output-large", "image.patches-grown"]);
    let grown = &findings.as_slice()[1].message;
    assert!(grown.starts_with("2000 MAIN patch rows") && grown.ends_with("up to 2048"), "{grown}");
    let at = &findings.as_slice()[0].at;
    assert_eq!((at.subgraph.as_deref(), at.engine), (Some("sg00"), Some("PE")));
}

/// One engine is too large for its bound, the others are there; the runtime frees all lists.
#[test]
fn an_engine_that_cannot_be_built_does_not_take_the_others_along() {
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let long = vec![record(0x46); 100];
    let short = vec![record(0x46); 3];
    let streams = [&short[..], &long, &short, &short, &short];
    let options = Options { max_slots: Some(90), ..Options::default() };
    let mut findings = Findings::new();
    let all = assemble_all(&profile, &subgraph, streams, &inputs, options, &mut findings);
    let lengths = all.images.each_ref().map(|image| image.slots.len());
    assert_eq!(lengths, [76, 0, 70, 73, 57]);
    let freed = PatchLists::Freed { engine: Engine::Act, code: "image.too-large" };
    assert_eq!(all.patch_lists, freed);
    assert_eq!(codes(&findings), ["image.too-large", "image.patches-freed"]);
    let at = Place { offset: Some(0), ..Place::engine("sg00", "ACT") };
    assert_eq!(findings.as_slice()[0].at, at);
    // The image's own map still answers; the runtime's reading has no row.
    let map = all.images[0].pc_map().with_freed_list();
    let answer = map.locate(DevicePc(0), DevicePc(u64::from(PRE) * 64));
    assert_eq!(answer.exact.map(|exact| exact.neff_ip), Some(NeffIp(1)));
    assert_eq!(answer.runtime, Err(RuntimeError::NoMainRow));
}

/// A call to nowhere is an error in its place; the image is there all the same.
#[test]
fn a_call_to_nowhere_frees_the_lists() {
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let stream = [record(0x46), named(0xD3, "nowhere")];
    let empty: &[Slot] = &[];
    let streams = [empty, empty, &stream, empty, empty];
    let mut findings = Findings::new();
    let all =
        assemble_all(&profile, &subgraph, streams, &inputs, Options::default(), &mut findings);
    assert_eq!(codes(&findings), ["image.function-unknown", "image.patches-freed"]);
    let at = Place { offset: Some(64), ..Place::engine("sg00", "POOL") };
    assert_eq!(findings.as_slice()[0].at, at);
    assert!(all.images.iter().all(|image| !image.slots.is_empty()));
    assert!(matches!(all.patch_lists, PatchLists::Freed { engine: Engine::Pool, .. }));
}

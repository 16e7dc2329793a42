//! The PC map against worked examples, and against the plain walk on random patch lists.
//!
//! The examples were worked by hand from the definition of the two readings. Every image is taken
//! to lie at device address 0x100000.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use device_image::pc_map::{MapMismatch, PcMap, RuntimeError, SourceCounts};
use device_image::{ByteRange, ImageRanges, IpPlace};
use proptest::prelude::*;
use records::{DevicePc, NeffIp, PatchRow, PatchSection, PatchType, SlotIndex};

const BASE: u64 = 0x10_0000;
const INSERT: PatchType = PatchType::INSERT;
const MODIFY: PatchType = PatchType::MODIFY;
const DELETE: PatchType = PatchType::DELETE;
const PRE: PatchSection = PatchSection::PREAMBLE;
const POST: PatchSection = PatchSection::POSTAMBLE;
const MAIN: PatchSection = PatchSection::MAIN;
const FN: PatchSection = PatchSection::FUNCTION;

struct Case {
    name: &'static str,
    rows: Vec<PatchRow>,
    core: (u64, u64),
    functions: (u64, u64),
    image_bytes: u64,
    records: (u32, u32),
    /// Image offset, the runtime's reading R, the exact reading S. None stands for an error.
    answers: Vec<(u64, Option<u32>, Option<u32>)>,
}

impl Case {
    fn map(&self) -> PcMap {
        let ranges = ImageRanges {
            preamble: ByteRange { offset: 0, size: self.core.0 },
            model_switch: ByteRange::default(),
            core: ByteRange { offset: self.core.0, size: self.core.1 },
            functions: ByteRange { offset: self.functions.0, size: self.functions.1 },
            image_bytes: self.image_bytes,
        };
        PcMap::new(
            &self.rows,
            ranges,
            SourceCounts { main: self.records.0, functions: self.records.1 },
        )
    }
}

fn rows(list: &[(u32, u32, PatchType, PatchSection)]) -> Vec<PatchRow> {
    list.iter()
        .map(|&(offset, count, kind, section)| PatchRow { offset, count, kind, section })
        .collect()
}

/// A case without functions. The image ends with the POSTAMBLE row.
fn case(
    name: &'static str,
    list: &[(u32, u32, PatchType, PatchSection)],
    core: (u64, u64),
    records: u32,
    answers: &[(u64, u32, u32)],
) -> Case {
    let rows = rows(list);
    let end = rows.iter().filter(|row| row.section == POST);
    let end = end.map(|row| u64::from(row.offset) + u64::from(row.count) * 64).max();
    let image_bytes = end.unwrap_or(core.0 + core.1);
    let answers = answers.iter().map(|&(x, r, s)| (x, Some(r), Some(s))).collect();
    let functions = (image_bytes, 0);
    Case { name, rows, core, functions, image_bytes, records: (records, 0), answers }
}

fn worked_examples() -> Vec<Case> {
    let mut one = case(
        "1: one record becomes five slots",
        &[(0, 4, INSERT, PRE), (0x100, 4, INSERT, MAIN), (0x240, 3, INSERT, POST)],
        (0x100, 0x140),
        1,
        &[(0x100, 1, 1), (0x140, 1, 1), (0x180, 1, 1), (0x1C0, 1, 1), (0x200, 1, 1)],
    );
    one.answers.extend([(0x240, None, None), (0xC0, None, None)]);

    let mut nine = case(
        "9: function section",
        &[
            (0, 2, INSERT, PRE),
            (0xC0, 1, INSERT, MAIN),
            (0x180, 2, INSERT, POST),
            (0, 1, DELETE, FN),
            (0x40, 2, INSERT, FN),
        ],
        (0x80, 0x100),
        3,
        &[
            (0x80, 1, 1),
            (0xC0, 2, 2),
            (0x100, 2, 2),
            (0x140, 3, 3),
            (0x200, 4, 5),
            (0x240, 6, 6),
            (0x280, 6, 6),
            (0x2C0, 6, 6),
            (0x300, 7, 7),
        ],
    );
    nine.functions = (0x200, 0x140);
    nine.image_bytes = 0x340;
    nine.records.1 = 4;
    nine.answers.extend([(0x180, None, None), (0x340, None, None)]);

    let mut ten = case(
        "10: long body with one rewritten slot",
        &[(0, 17, INSERT, PRE), (0x6C0, 1, MODIFY, MAIN), (0xFE40, 9, INSERT, POST)],
        (0x440, 0xFA00),
        1000,
        &[
            (0x440, 1, 1),
            (0x44C, 1, 1),
            (0x580, 6, 6),
            (0x6C0, 11, 11),
            (0x700, 12, 12),
            (0xFE00, 1000, 1000),
        ],
    );
    ten.answers.push((0xFE40, None, None));

    vec![
        one,
        case(
            "2: second of four records becomes three slots",
            &[(0, 2, INSERT, PRE), (0xC0, 2, INSERT, MAIN), (0x200, 2, INSERT, POST)],
            (0x80, 0x180),
            4,
            &[
                (0x80, 1, 1),
                (0xC0, 2, 2),
                (0x100, 2, 2),
                (0x140, 2, 2),
                (0x180, 3, 3),
                (0x1C0, 4, 4),
            ],
        ),
        case(
            "3: second of four records deleted",
            &[(0, 2, INSERT, PRE), (0xC0, 1, DELETE, MAIN), (0x140, 2, INSERT, POST)],
            (0x80, 0xC0),
            4,
            &[(0x80, 1, 1), (0xC0, 2, 3), (0x100, 4, 4)],
        ),
        case(
            "4: first record deleted",
            &[(0, 2, INSERT, PRE), (0x80, 1, DELETE, MAIN), (0x140, 2, INSERT, POST)],
            (0x80, 0xC0),
            4,
            &[(0x80, 1, 2), (0xC0, 3, 3), (0x100, 4, 4)],
        ),
        case(
            "5: a rewritten slot changes nothing",
            &[(0, 2, INSERT, PRE), (0xC0, 1, MODIFY, MAIN), (0x180, 2, INSERT, POST)],
            (0x80, 0x100),
            4,
            &[(0x80, 1, 1), (0xC0, 2, 2), (0x100, 3, 3), (0x140, 4, 4)],
        ),
        case(
            "6: mixed",
            &[
                (0, 3, INSERT, PRE),
                (0xC0, 2, INSERT, MAIN),
                (0x1C0, 1, DELETE, MAIN),
                (0x200, 3, INSERT, MAIN),
                (0x340, 2, INSERT, POST),
            ],
            (0xC0, 0x280),
            6,
            &[
                (0xC0, 1, 1),
                (0x100, 1, 1),
                (0x140, 1, 1),
                (0x180, 2, 2),
                (0x1C0, 3, 4),
                (0x200, 5, 5),
                (0x240, 5, 5),
                (0x280, 5, 5),
                (0x2C0, 5, 5),
                (0x300, 6, 6),
            ],
        ),
        case(
            "7: two records deleted by one row",
            &[(0, 1, INSERT, PRE), (0xC0, 2, DELETE, MAIN), (0x140, 2, INSERT, POST)],
            (0x40, 0x100),
            6,
            &[(0x40, 1, 1), (0x80, 2, 2), (0xC0, 3, 5), (0x100, 6, 6)],
        ),
        case(
            "8: two DELETE rows and an INSERT row at one address",
            &[
                (0, 1, INSERT, PRE),
                (0x80, 1, DELETE, MAIN),
                (0x80, 1, DELETE, MAIN),
                (0x80, 2, INSERT, MAIN),
                (0x1C0, 2, INSERT, POST),
            ],
            (0x40, 0x180),
            6,
            &[
                (0x40, 1, 1),
                (0x80, 2, 4),
                (0xC0, 4, 4),
                (0x100, 4, 4),
                (0x140, 5, 5),
                (0x180, 6, 6),
            ],
        ),
        nine,
        ten,
        case(
            "11: two slots per trigger",
            &[
                (0, 2, INSERT, PRE),
                (0x80, 1, INSERT, MAIN),
                (0x100, 1, INSERT, MAIN),
                (0x1C0, 1, INSERT, POST),
            ],
            (0x80, 0x140),
            3,
            &[(0x80, 1, 1), (0xC0, 1, 1), (0x100, 2, 2), (0x140, 2, 2), (0x180, 3, 3)],
        ),
    ]
}

#[test]
fn worked_examples_hold_in_both_readings() {
    for case in worked_examples() {
        let map = case.map();
        assert_eq!(map.check(), Ok(()), "{}", case.name);
        for &(offset, runtime, exact) in &case.answers {
            let answer = map.locate(DevicePc(BASE), DevicePc(BASE + offset));
            let place = format!("{} at {offset:#x}", case.name);
            assert_eq!(answer.runtime.ok().map(|ip| ip.neff_ip), runtime, "{place}");
            assert_eq!(answer.exact.map(|exact| exact.neff_ip.0), exact, "{place}");
            assert_eq!(answer.agrees, runtime == exact, "{place}");
        }
    }
}

/// Example 12: what the runtime answers when it cannot map.
#[test]
fn the_runtime_names_its_errors() {
    let runtime = |list: &[_], offset: u64| {
        let map = case("12", list, (0x80, 0x40), 1, &[]).map();
        map.runtime(DevicePc(BASE), DevicePc(BASE + offset)).map_err(|error| error.to_string())
    };
    let main_missing = Err(String::from("failed to find section 2"));
    assert_eq!(runtime(&[], 0x80), main_missing);
    let no_main = [(0, 2, INSERT, PRE), (0xC0, 1, INSERT, POST)];
    assert_eq!(runtime(&no_main, 0x80), main_missing);
    assert_eq!(runtime(&no_main, 0x4000), main_missing);
    let no_postamble = [(0, 2, INSERT, PRE), (0x80, 1, INSERT, MAIN)];
    assert_eq!(runtime(&no_postamble, 0x80), Err(String::from("failed to find section 1")));
    let bad_row = [(0, 2, INSERT, PRE), (0x80, 1, PatchType(3), MAIN), (0xC0, 1, INSERT, POST)];
    let map = case("12d", &bad_row, (0x80, 0x80), 2, &[]).map();
    let runtime = |offset| map.runtime(DevicePc(BASE), DevicePc(BASE + offset));
    assert_eq!(runtime(0x80).map(|ip| ip.neff_ip), Ok(1), "the row at the PC is not applied");
    assert!(matches!(runtime(0xC0), Err(RuntimeError::BadRow(_))));
    assert!(matches!(map.check(), Err(MapMismatch::BadRow { .. })));
    let inside = [(0, 2, INSERT, PRE), (0x80, 0, MODIFY, MAIN), (0xC0, 1, INSERT, POST)];
    let map = case("bounds", &inside, (0x80, 0x40), 1, &[]).map();
    assert_eq!(map.runtime(DevicePc(BASE), DevicePc(BASE - 64)), Err(RuntimeError::OutsideMain));
    assert_eq!(map.runtime(DevicePc(BASE), DevicePc(BASE)), Err(RuntimeError::OutsideMain));
    // The last slot counts with its first byte only.
    assert!(map.runtime(DevicePc(BASE), DevicePc(BASE + 0x80)).is_ok());
    assert_eq!(map.runtime(DevicePc(BASE), DevicePc(BASE + 0x81)), Err(RuntimeError::OutsideMain));
}

#[test]
fn a_stream_without_main_rows_maps_one_to_one_but_not_for_the_runtime() {
    let list = [(0, 2, INSERT, PRE), (0x140, 1, INSERT, POST)];
    let map = case("plain", &list, (0x80, 0xC0), 3, &[]).map();
    let answer = map.locate(DevicePc(BASE), DevicePc(BASE + 0x100));
    assert_eq!(answer.exact.map(|exact| exact.neff_ip), Some(NeffIp(3)));
    assert_eq!(answer.runtime, Err(RuntimeError::NoMainRow));
    assert!(!answer.agrees);
}

/// Inside an inserted run the shipped arithmetic takes away the slots still to go.
#[test]
fn the_literal_value_wraps_inside_inserted_runs() {
    let examples = worked_examples();
    let one = examples[0].map();
    let literal =
        |offset| one.runtime(DevicePc(BASE), DevicePc(BASE + offset)).map(|ip| ip.literal).unwrap();
    assert_eq!(literal(0x100), 1);
    assert_eq!(literal(0x140), 0xFFFF_FFFE);
    assert_eq!(literal(0x180), 0xFFFF_FFFF);
    assert_eq!(literal(0x1C0), 0);
    assert_eq!(literal(0x200), 1);
}

#[test]
fn records_lead_to_their_slots_or_to_the_place_they_left() {
    let examples = worked_examples();
    let mixed = examples.iter().find(|case| case.name.starts_with("6:")).unwrap().map();
    assert_eq!(mixed.image_slots(NeffIp(1)), IpPlace::Slots(3..6));
    assert_eq!(mixed.image_slots(NeffIp(3)), IpPlace::Deleted(SlotIndex(7)));
    assert_eq!(mixed.image_slots(NeffIp(5)), IpPlace::Slots(8..12));
    assert_eq!(mixed.image_slots(NeffIp(6)), IpPlace::Slots(12..13));
    assert_eq!(mixed.image_slots(NeffIp(7)), IpPlace::Outside);
    let functions = examples.iter().find(|case| case.name.starts_with("9:")).unwrap().map();
    assert_eq!(functions.image_slots(NeffIp(4)), IpPlace::Deleted(SlotIndex(8)));
    assert_eq!(functions.image_slots(NeffIp(6)), IpPlace::Slots(9..12));
    assert_eq!(functions.image_slots(NeffIp(8)), IpPlace::Outside);
}

/// A label as the last record: its DELETE row shares the offset of the POSTAMBLE row.
#[test]
fn a_record_deleted_at_the_end_of_main_is_not_lost() {
    let list = [(0, 62, INSERT, PRE), (0xFC0, 1, DELETE, MAIN), (0xFC0, 11, INSERT, POST)];
    let map = case("idle", &list, (0xF80, 0x40), 2, &[]).map();
    assert_eq!(map.check(), Ok(()));
    assert_eq!(map.image_slots(NeffIp(1)), IpPlace::Slots(62..63));
    assert_eq!(map.image_slots(NeffIp(2)), IpPlace::Deleted(SlotIndex(63)));
}

#[test]
fn a_patch_list_of_another_program_is_noticed() {
    let list = [(0, 2, INSERT, PRE), (0xC0, 1, DELETE, MAIN), (0x140, 2, INSERT, POST)];
    let map = case("foreign", &list, (0x80, 0xC0), 9, &[]).map();
    assert!(matches!(map.check(), Err(MapMismatch::Records { walked: 4, source_records: 9, .. })));
}

/// Inputs on which the fuzz body once failed or that reach a rare path.
const FUZZ_CORPUS: [&[u8]; 4] = [
    &[],
    // A DELETE row of 2^32 - 1 records: no exact answer after it, the runtime's wraps.
    &[2, 4, 1, 0, 4, 3, 0, 2, 2, 0x0F, 6, 1, 0, 1, 0],
    // An INSERT row of count 0 between two DELETE rows at one place.
    &[2, 4, 1, 3, 4, 3, 1, 2, 2, 0, 3, 0, 0, 2, 0, 3, 1, 2, 2, 0, 6, 1, 0, 1, 0],
    // A row of unknown type in MAIN, and one in FUNCTION.
    &[2, 4, 1, 3, 4, 3, 1, 15, 2, 0, 6, 1, 0, 1, 0, 1, 1, 15, 3, 0],
];

#[test]
fn fuzz_corpus_is_replayed() {
    for data in FUZZ_CORPUS {
        support::fuzz_pc_map::run(data);
    }
}

proptest! {
    /// The fast map is the plain walk, on random patch lists.
    #[test]
    fn the_fast_map_agrees_with_the_walk(data in proptest::collection::vec(any::<u8>(), 0..80)) {
        // Small sizes, so that rows meet.
        let small: Vec<u8> = data
            .iter()
            .enumerate()
            .map(|(at, byte)| if at < 5 || at % 5 == 0 { byte % 24 } else { *byte })
            .collect();
        support::fuzz_pc_map::run(&small);
    }

    /// Rows in order and in bounds, as a builder makes them.
    #[test]
    fn the_fast_map_agrees_on_orderly_lists(
        steps in proptest::collection::vec((0_u8..4, 0_u8..3, 1_u8..4), 0..12)
    ) {
        let mut data = vec![3, 40, 2, 0, 30];
        let mut place = 3;
        for (step, kind, count) in steps {
            place += step;
            data.extend([place, count, kind, 2, 0]);
        }
        data.extend([60, 1, 0, 1, 0]);
        support::fuzz_pc_map::run(&data);
    }
}

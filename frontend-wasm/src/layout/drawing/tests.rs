//! Bands worked out by hand.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use debug_api::Provenance;

/// A side of a variable of `room` bytes with rows of `size` bytes, `step` apart.
pub(crate) fn side(
    role: &str,
    room: u64,
    offset: u64,
    size: u64,
    rows: u64,
    step: i64,
) -> TransferSide {
    let start = offset as i64;
    let ranges = (0..rows as i64).map(|row| [start + row * step, start + row * step + size as i64]);
    let ranges = joined(ranges);
    let end = ranges.last().unwrap()[1];
    TransferSide {
        role: role.to_owned(),
        variable: Some("x".to_owned()),
        page: Some("variable.x".to_owned()),
        id: Some(1),
        kind: Some("INPUT".to_owned()),
        room: Some(room),
        state_buffer: false,
        dtype: None,
        element_bytes: None,
        variable_element_bytes: None,
        offset,
        sizes: vec![size, rows],
        steps: vec![1, step],
        start: Some(start),
        end: Some(end),
        touches: None,
        bytes: Some(size * rows),
        runs: Some(ranges.len() as u64),
        out_of_bounds: end > room as i64,
        ranges,
    }
}

pub(crate) fn answer(sides: Vec<TransferSide>, shared: Vec<[i64; 2]>) -> TransferAnswer {
    TransferAnswer {
        elements_provenance: debug_api::Provenance::Modelled,
        total_triggers: 0,
        triggers: Vec::new(),
        schema: 1,
        subgraph: "sg00".to_owned(),
        name: "ring.q.0.0".to_owned(),
        kind: "descriptor".to_owned(),
        op: "COPY".to_owned(),
        queue: Some("q".to_owned()),
        block: Some(0),
        comment: None,
        at: None,
        elements: 3,
        links: Vec::new(),
        sides,
        shared,
        faults: Vec::new(),
        provenance: Provenance::File,
    }
}

fn places(band: &Band) -> Vec<(f64, f64, u64, bool)> {
    band.marks.iter().map(|mark| (mark.x, mark.width, mark.runs, mark.merged)).collect()
}

#[test]
fn rows_stand_where_they_are_and_a_small_stretch_is_drawn_closer() {
    // Rows of 10 bytes at 0, 100 and 200 of 1,000.
    let drawn = bands(&answer(vec![side("source", 1_000, 0, 10, 3, 100)], Vec::new()));
    assert_eq!(drawn.len(), 2);
    let want = [(0.0, 10.0, 1, false), (100.0, 10.0, 1, false), (200.0, 10.0, 1, false)];
    assert_eq!(places(&drawn[0]), want);
    assert_eq!(drawn[0].caption, "30 bytes in 3 runs");
    assert_eq!(drawn[0].ends, ("0x0".to_owned(), "0x3e8".to_owned()));
    // Closer, 210 bytes are the whole width.
    assert_eq!(drawn[1].title, "0x0..0xd2, 210 bytes");
    let last = drawn[1].marks.last().unwrap();
    assert_eq!(last.x + last.width, UNITS);
    assert_eq!(drawn[1].marks.len(), 3);
}

#[test]
fn runs_too_close_to_be_seen_are_one_mark_with_their_number() {
    // 100 rows of 1 byte every 2 of a megabyte, 0.2 units together.
    let drawn = bands(&answer(vec![side("source", 1_000_000, 0, 1, 100, 2)], Vec::new()));
    assert_eq!(drawn[0].marks.len(), 1);
    assert_eq!((drawn[0].marks[0].runs, drawn[0].marks[0].merged), (100, true));
    assert_eq!(drawn[1].marks.len(), 100, "closer they are apart");
}

#[test]
fn bytes_out_of_bounds_are_marked_beyond_the_variable() {
    // 2 rows of 64 at 4,032 of 4,096: the second is outside.
    let drawn = bands(&answer(vec![side("source", 4_096, 4_032, 64, 2, 64)], Vec::new()));
    let out = drawn[0].marks.last().unwrap();
    assert_eq!(out.kind, MarkKind::Out);
    let (start, end) = drawn[0].room.unwrap();
    assert_eq!(start, 0.0);
    assert!((end - 4_096.0 / 4_160.0 * UNITS).abs() < 1e-9);
    assert!((out.x - end).abs() < 1e-9 && (out.x + out.width - UNITS).abs() < 1e-9);
    assert_eq!(drawn[0].caption, "128 bytes in one run, 64 beyond its end");
}

#[test]
fn both_sides_of_one_variable_show_what_they_share() {
    let sides = vec![side("source", 256, 0, 128, 1, 0), side("target", 256, 96, 128, 1, 0)];
    let drawn = bands(&answer(sides, vec![[96, 128]]));
    let both = drawn.last().unwrap();
    assert_eq!(
        (both.role.as_str(), both.caption.as_str()),
        ("both", "32 bytes are read and written")
    );
    let shared = both.marks.last().unwrap();
    assert_eq!(shared.kind, MarkKind::Shared);
    // 96 and 32 of 224.
    assert!((shared.x - 96.0 / 224.0 * UNITS).abs() < 1e-9);
    assert!((shared.width - 32.0 / 224.0 * UNITS).abs() < 1e-9);
}

#[test]
fn the_state_buffer_is_drawn_by_partitions() {
    let mut sb = side("target", 128 << 18, 0x1000, 256, 64, 1 << 18);
    sb.state_buffer = true;
    let drawn = bands(&answer(vec![sb], Vec::new()));
    assert_eq!(drawn[0].cells, 128);
    // Partitions 0 to 63 are half of the width.
    assert_eq!(places(&drawn[0]), [(0.0, 500.0, 1, false)]);
    assert_eq!(drawn[0].caption, "64 partitions, 0 to 63; 16,384 bytes in 64 runs");
    assert_eq!(drawn[1].caption, "0x1000..0x1100, 256 bytes");
    // 0x1000 of 0x40000.
    assert_eq!(drawn[1].marks[0].x, 15.625);
}

#[test]
fn a_shape_is_read_aloud() {
    assert_eq!(shape(&side("source", 4_096, 0, 16, 8, 256)), "16 bytes every 256, 8 times");
    assert_eq!(
        shape(&side("source", 4_096, 112, 16, 8, -16)),
        "16 bytes every \u{2212}16, 8 times"
    );
    let mut one = side("source", 4_096, 0, 1, 8, 4);
    assert_eq!(shape(&one), "1 byte every 4, 8 times");
    one.sizes = vec![64, 1];
    assert_eq!(shape(&one), "64 bytes");
}

#[test]
fn the_uses_of_a_variable_lie_on_one_band() {
    // 0 to 400 and 300 to 600 of 1,000, then one past the end.
    let band = touched("read", MarkKind::Source, Some(1_000), &[[300, 600], [0, 400]]).unwrap();
    assert_eq!(places(&band), [(0.0, 600.0, 1, false)]);
    assert!(band.caption.starts_with("reach 600 of 1,000 bytes"));
    let past = touched("written", MarkKind::Target, Some(1_000), &[[900, 1_250]]).unwrap();
    assert_eq!(past.room, Some((0.0, 800.0)));
    assert_eq!(past.marks.last().map(|mark| (mark.kind, mark.x)), Some((MarkKind::Out, 800.0)));
    assert_eq!(touched("read", MarkKind::Source, Some(1), &[]), None);
}

#[test]
fn numbers_have_a_true_minus_sign() {
    assert_eq!((number(-1_234).as_str(), number(5).as_str()), ("\u{2212}1,234", "5"));
}

/// Whatever an answer holds, marks stay in their band.
#[test]
fn numbers_of_any_size_stay_in_the_band() {
    let extremes = [i64::MIN, -1, 0, 1, STRIDE, 1 << 40, i64::MAX];
    for start in extremes {
        for end in extremes {
            for room in [0, 1, 1 << 25, u64::MAX] {
                for state_buffer in [false, true] {
                    let mut one = side("source", 64, 0, 16, 1, 0);
                    (one.start, one.end, one.room) = (Some(start), Some(end), Some(room));
                    one.ranges = vec![[start, end]];
                    one.state_buffer = state_buffer;
                    one.out_of_bounds = start < 0 || end > 64;
                    let mut other = one.clone();
                    other.role = "target".to_owned();
                    for band in bands(&answer(vec![one, other], vec![[start, end]])) {
                        for mark in &band.marks {
                            let inside = mark.x >= 0.0 && mark.x + mark.width <= UNITS + 1e-6;
                            assert!(inside, "{start} {end} {room}: {mark:?}");
                        }
                    }
                }
            }
        }
    }
}

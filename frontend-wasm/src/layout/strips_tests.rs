//! Display lists of region strips against values worked out by hand.

use super::super::ips::tests::{Patch, Run, engine};
use super::super::marks::PatchKind;
use super::*;
use debug_api::Provenance;

type Runs<'a> = &'a [Run<'a>];
type Patches<'a> = &'a [Patch<'a>];

fn answer(engines: Vec<EngineRegions>) -> RegionsAnswer {
    RegionsAnswer {
        schema: 1,
        subgraph: "sg00".to_owned(),
        subgraphs: vec!["sg00".to_owned()],
        target: "cayman".to_owned(),
        profile: "cayman-r2.27".to_owned(),
        profiles: Vec::new(),
        core: 4,
        provenance: Provenance::Modelled,
        engines,
        ..RegionsAnswer::default()
    }
}

/// 84 slots: a preamble of 62 with a model switch in it, 11 of MAIN from 12 records, 11 after it.
fn pe() -> EngineRegions {
    let runs: Runs<'_> = &[
        ("PREAMBLE", 0, 4, None, 0),
        ("MODEL_SWITCH", 4, 6, None, 5),
        ("PREAMBLE", 10, 52, None, 12),
        ("MAIN", 62, 11, Some([1, 12]), 65),
        ("POSTAMBLE", 73, 11, None, 78),
    ];
    let patches: Patches<'_> = &[
        ("INSERT", "PREAMBLE", 0, 62, 1, None),
        ("DELETE", "MAIN", 63, 1, 67, Some(2)),
        ("INSERT", "POSTAMBLE", 73, 11, 79, None),
    ];
    engine(runs, patches)
}

fn params(width: f64, mode: RegionsMode) -> Params {
    Params { width, mode, zoom: 1.0, from: 0.0, patches: true }
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 0.06, "{a} is not {b}");
}

#[test]
fn cells_of_one_slot_to_scale() {
    let answer = answer(vec![pe()]);
    let scene = lay_out(&[&answer], &params(1190.0, RegionsMode::Image));
    // 962 px for 84 slots.
    near(scene.scale, 962.0 / 84.0);
    assert!(!scene.merged() && !scene.zoomed());
    let track = &scene.rows[0].tracks[0];
    assert_eq!(track.cells.len(), 84);
    let last = &track.cells[83];
    near(last.x, 1047.1);
    near(last.width, 10.3);
    assert_eq!((last.region, track.cells[62].region), ("post", "main"));
    assert_eq!((track.y, track.height), (34.0, 18.0));
    // The preamble with the model switch is one hatched span; the second begins at slot 73.
    assert_eq!(track.hatches.len(), 2);
    near(track.hatches[0].x, 96.0);
    near(track.hatches[0].width, 710.0);
    near(track.hatches[1].x, 932.0);
    let (x, y, width, height) = scene.outline(track, 64.0).unwrap_or_default();
    near(x, 828.1);
    near(width, 13.3);
    assert_eq!((y, height), (31.5, 23.0));
}

#[test]
fn patches_are_marked_on_their_sides() {
    let answer = answer(vec![pe()]);
    let scene = lay_out(&[&answer], &params(1190.0, RegionsMode::Image));
    let marks = &scene.rows[0].marks;
    let labels: Vec<_> = marks.iter().map(|mark| (mark.kind, mark.label.as_str())).collect();
    assert_eq!(
        labels,
        [(PatchKind::Insert, "+62"), (PatchKind::Insert, "+11"), (PatchKind::Delete, "−1")]
    );
    assert_eq!(marks[0].path, "M97.2 32.0v-4.5h4M141.3 27.5H804.8v4.5");
    assert_eq!(marks[1].path, "M933.2 32.0v-4.5h4M977.3 27.5H1056.8v4.5");
    near(marks[0].glyph.0, 104.2);
    near(marks[0].label_at.0, 116.2);
    assert_eq!((marks[0].glyph.1, marks[0].label_at.1), (23.0, 31.5));
    // Slot 63 is at 96 + 63 x 11.452 = 817.5; the cut goes through the strip.
    assert_eq!(marks[2].path, "M817.5 32.0v22");
    near(marks[2].label_at.0, 825.5);
    assert_eq!(marks[2].label_at.1, 62.5);
}

#[test]
fn the_axis_has_powers_of_two() {
    let answer = answer(vec![pe()]);
    let wide = lay_out(&[&answer], &params(1190.0, RegionsMode::Image));
    let labels: Vec<_> = wide.ticks.iter().map(|tick| tick.label.as_str()).collect();
    assert_eq!(labels, ["0", "8", "16", "24", "32", "40", "48", "56", "64", "72", "80"]);
    near(wide.ticks[10].x, 1012.2);
    let narrow = lay_out(&[&answer], &params(708.0, RegionsMode::Image));
    // 76 + 2 x 6.62 at the left, rounded up.
    near(narrow.scale, 534.0 / 84.0);
    near(narrow.ticks[1].x, 140.9);
}

/// Labels keep clear of each other and of the head of the column at any width; one that has no room is
/// left out, and its tick stays.
#[test]
fn labels_of_the_axis_keep_clear() {
    for slots in [84_u64, 1_020, 20_000, 1_048_580] {
        let count = u32::try_from(slots).unwrap_or_default();
        let long = engine(&[("MAIN", 0, slots, Some([1, count]), 0)], &[]);
        let answer = answer(vec![long]);
        for width in (400..1_700).step_by(7) {
            for (zoom, from) in [(1.0, 0.0), (3.0, 17.0), (40.0, 33.3)] {
                let params = Params { zoom, from, ..params(f64::from(width), RegionsMode::Image) };
                let scene = lay_out(&[&answer], &params);
                let head = scene.columns.slots - 5.0 * 6.62;
                let shown: Vec<_> =
                    scene.ticks.iter().filter(|tick| !tick.label.is_empty()).collect();
                for tick in &shown {
                    assert!(tick.end() <= head - 5.9, "{slots} {width}: {tick:?}, head {head}");
                }
                for pair in shown.windows(2) {
                    assert!(pair[0].end() + 5.9 <= pair[1].label_x, "{slots} {width}: {pair:?}");
                }
            }
            // The number of records begins at least 10 px behind the name, which ends at 56.
            let scene = lay_out(&[&answer], &params(f64::from(width), RegionsMode::Image));
            if let Some(neff) = scene.columns.neff {
                let digits = crate::layout::format::thousands(slots).len() as f64 * 6.62;
                assert!(neff - digits >= 66.0 - 0.01, "{slots} {width}");
            }
        }
    }
}

#[test]
fn thin_slots_merge_and_edges_stay() {
    let long = engine(
        &[("PREAMBLE", 0, 1_000, None, 0), ("MAIN", 1_000, 99_000, Some([1, 99_000]), 1_001)],
        &[],
    );
    let answer = answer(vec![long]);
    // The columns are as wide as their numbers, rounded up: 76 + 6 x 6.62 at the left; at the
    // right 86 for bytes, where 9 digits fit, and 8 + 7 x 6.62 for slots.
    let scene = lay_out(&[&answer], &params(1_257.0, RegionsMode::Image));
    assert_eq!((scene.left, scene.right), (116.0, 1_116.0));
    // 1,000 px for 100,000 slots: 100 slots a pixel.
    near(scene.scale, 0.01);
    assert!(scene.merged());
    let cells: Vec<_> =
        scene.rows[0].tracks[0].cells.iter().map(|c| (c.region, c.x, c.width)).collect();
    assert_eq!(cells.len(), 2);
    assert_eq!((cells[0].0, cells[1].0), ("pre", "main"));
    near(cells[0].1, 116.0);
    near(cells[0].2, 10.0);
    near(cells[1].1, 126.0);
    near(cells[1].2, 990.0);
}

#[test]
fn many_functions_and_patches_stay_bounded() {
    let runs: Vec<_> = (0..20_000_u32)
        .map(|i| ("FUNCTION", u64::from(i) * 10, 10, Some([i * 9 + 1, i * 9 + 9]), 0))
        .collect();
    let patches: Vec<_> =
        (0..20_000_u64).map(|i| ("INSERT", "FUNCTION", i * 10, 1, 0, None)).collect();
    let answer = answer(vec![engine(&runs, &patches)]);
    let scene = lay_out(&[&answer], &params(1228.0, RegionsMode::Image));
    let row = &scene.rows[0];
    assert_eq!(row.tracks[0].cells.len(), 1);
    assert!(row.tracks[0].hatches.len() <= 1_000);
    assert!(row.marks.len() <= 39, "{}", row.marks.len());
    assert_eq!(row.marks.iter().map(|mark| mark.count).sum::<u64>(), 20_000);
    assert_eq!(row.marks.iter().map(|mark| mark.rows).sum::<u64>(), 20_000);
}

#[test]
fn close_markers_become_one_with_the_sum() {
    // 18 px a slot at most: two deletes one slot apart are 18 px apart, the third is far.
    let one = engine(
        &[("MAIN", 0, 20, Some([1, 23]), 0)],
        &[
            ("DELETE", "MAIN", 2, 1, 0, Some(3)),
            ("DELETE", "MAIN", 3, 1, 0, Some(5)),
            ("DELETE", "MAIN", 9, 1, 0, Some(12)),
        ],
    );
    let answer = answer(vec![one]);
    let scene = lay_out(&[&answer], &params(1190.0, RegionsMode::Image));
    assert_eq!(scene.scale, 18.0);
    let marks: Vec<_> = scene.rows[0].marks.iter().map(|m| (m.label.as_str(), m.rows)).collect();
    assert_eq!(marks, [("−2", 2), ("−1", 1)]);
    assert_eq!(scene.rows[0].marks[0].path, "M132.0 32.0v22");
}

/// Marks above a strip never run into each other, whatever their kind and distance.
#[test]
fn marks_of_one_side_keep_clear() {
    for (first, second) in [("INSERT", "INSERT"), ("INSERT", "MODIFY"), ("MODIFY", "INSERT")] {
        for distance in 1..30 {
            let patches =
                [(first, "MAIN", 5, 1, 0, None), (second, "MAIN", 5 + distance, 1, 0, None)];
            let one = engine(&[("MAIN", 0, 40, Some([1, 40]), 0)], &patches);
            let answer = answer(vec![one]);
            let scene = lay_out(&[&answer], &params(700.0, RegionsMode::Image));
            let row = &scene.rows[0];
            let above: Vec<_> = row.marks.iter().filter(|mark| mark.glyph.1 < row.strip).collect();
            for pair in above.iter().flat_map(|a| above.iter().map(move |b| (a, b))) {
                let (a, b) = pair;
                let ends = |m: &marks::Mark| {
                    let label = m.label.chars().count() as f64 * 6.62;
                    (m.glyph.0, m.label_at.0.max(m.glyph.0 + 9.0) + label)
                };
                let ((a0, a1), (b0, b1)) = (ends(a), ends(b));
                let clear = std::ptr::eq(*a, *b) || a1 + 1.0 <= b0 || b1 + 1.0 <= a0;
                assert!(clear, "{first} {second} {distance}: {a:?} {b:?}");
            }
            let total: u64 = row.marks.iter().map(|mark| mark.count).sum();
            assert_eq!(total, 2, "none is lost");
        }
    }
}

#[test]
fn a_modified_slot_is_framed() {
    let one = engine(&[("MAIN", 0, 20, Some([1, 20]), 0)], &[("MODIFY", "MAIN", 5, 1, 0, None)]);
    let answer = answer(vec![one]);
    let scene = lay_out(&[&answer], &params(1190.0, RegionsMode::Image));
    let mark = &scene.rows[0].marks[0];
    // Slot 5 is at 96 + 5 x 18 = 186, its middle at 195.
    assert_eq!((mark.kind, mark.label.as_str()), (PatchKind::Modify, "1"));
    assert_eq!(mark.path, "M186.6 34.0h16.8v18.0h-16.8z");
    assert_eq!(mark.glyph, (190.5, 23.0));
}

#[test]
fn zero_is_drawn_as_zero() {
    let answer = answer(vec![pe(), engine(&[], &[])]);
    let scene = lay_out(&[&answer], &params(1190.0, RegionsMode::Image));
    let empty = &scene.rows[1];
    assert!(empty.tracks[0].zero && empty.tracks[0].cells.is_empty() && empty.marks.is_empty());
    assert_eq!((empty.top, empty.strip), (64.0, 77.0));
    assert_eq!(scene.height, 108.0);
    assert_eq!(scene.hit(&[&answer], 200.0, 80.0).and_then(|hit| hit.slot), None);
}

#[test]
fn zoom_and_pan_keep_the_scale_of_all() {
    let answer = answer(vec![pe()]);
    let zoomed = Params { zoom: 2.0, from: 60.0, ..params(1190.0, RegionsMode::Image) };
    let scene = lay_out(&[&answer], &zoomed);
    near(scene.scale, 2.0 * 962.0 / 84.0);
    // Half of 84 slots are in view, so the last window starts at 42.
    assert!(scene.zoomed());
    assert_eq!(scene.from, 42.0);
    assert_eq!(scene.rows[0].tracks[0].cells.len(), 42);
    let hit = scene.hit(&[&answer], scene.left + 22.5 * scene.scale, 40.0);
    assert_eq!(hit, Some(Hit { row: 0, kind: TrackKind::Image, slot: Some(64) }));
    assert!(scene.outline(&scene.rows[0].tracks[0], 5.0).is_none());
}

#[test]
fn records_stand_above_what_became_of_them() {
    let answer = answer(vec![pe()]);
    let both = lay_out(&[&answer], &params(1190.0, RegionsMode::Both));
    let row = &both.rows[0];
    let kinds: Vec<_> = row.tracks.iter().map(|t| (t.kind, t.y, t.height)).collect();
    assert_eq!(kinds, [(TrackKind::Neff, 34.0, 8.0), (TrackKind::Image, 44.0, 8.0)]);
    // Twelve records start above slot 62; the second is deleted.
    let cells = &row.tracks[0].cells;
    assert_eq!(cells.len(), 12);
    near(cells[0].x, 96.0 + 62.0 * both.scale + 0.6);
    let hollow: Vec<_> = cells.iter().map(|cell| cell.hollow).collect();
    assert_eq!(hollow.iter().filter(|h| **h).count(), 1);
    assert!(hollow[1]);
    let hit = both.hit(&[&answer], 96.0 + 63.5 * both.scale, 36.0);
    assert_eq!(hit, Some(Hit { row: 0, kind: TrackKind::Neff, slot: Some(1) }));
    let engine = &answer.engines[0];
    assert_eq!(both.record_at(engine, row, 12), Some(73.0));
}

#[test]
fn the_stream_alone_has_its_own_axis() {
    let answer = answer(vec![pe()]);
    let neff = lay_out(&[&answer], &params(1190.0, RegionsMode::Neff));
    assert_eq!((neff.slots, neff.scale), (12, 18.0));
    let row = &neff.rows[0];
    assert_eq!(row.tracks[0].cells.len(), 12);
    // The regions of the runtime have no record; the deleted record is the second.
    assert_eq!(row.marks.len(), 1);
    assert_eq!((row.marks[0].kind, row.marks[0].path.as_str()), (PatchKind::Delete, ""));
    near(row.marks[0].glyph.0 + 4.5, 96.0 + 1.5 * 18.0);
    assert_eq!(neff.record_at(&answer.engines[0], row, 2), Some(1.0));
}

#[test]
fn stacked_subgraphs_have_titles_and_one_scale() {
    let (first, mut second) =
        (answer(vec![pe()]), answer(vec![engine(&[("MAIN", 0, 5, Some([1, 5]), 0)], &[])]));
    second.subgraph = "sg01".to_owned();
    let scene = lay_out(&[&first, &second], &params(1190.0, RegionsMode::Image));
    let titles: Vec<_> = scene.titles.iter().map(|t| (t.y, t.text.as_str())).collect();
    assert_eq!(titles, [(35.0, "sg00"), (98.0, "sg01")]);
    assert_eq!((scene.rows[0].top, scene.rows[1].top), (41.0, 104.0));
    assert_eq!(scene.rows[1].tracks[0].cells.len(), 5);
    near(scene.rows[1].tracks[0].cells[0].width, 962.0 / 84.0 - 1.2);
}

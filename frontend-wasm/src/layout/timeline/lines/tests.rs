//! Places of lines, with and without rows that stay on top.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;
use debug_api::answer::TimelineAnswer;
use serde_json::json;

fn answer() -> TimelineAnswer {
    let row = |name: &str, group: &str, lane: u32, lanes: u32, events: u64| {
        json!({"name": name, "group": group, "label": "", "label_provenance": "file", "lanes": lanes,
            "first_lane": lane, "events": events, "peak": 0, "range_events": 0, "busy_ps": 0,
            "open_ps": 0, "largest": 0})
    };
    let rows = json!([
        row("PE", "engines", 0, 1, 9),
        row("ACT", "engines", 1, 1, 0),
        row("q_in", "queues", 2, 3, 4),
        row("S[5]", "semaphores", 5, 1, 2),
        row("S[6]", "semaphores", 6, 1, 2)
    ]);
    let file = json!({"id": "a", "name": "a.ntff", "kind": "ntff", "bytes": 1, "sha256": ""});
    let whole = json!({"schema": 1, "file": file, "subgraph": "sg00", "subgraphs": ["sg00"],
        "end_ps": 1000, "origin_ps": "0", "events": 17, "records": 17, "records_used": 17,
        "provenance": "file", "from_ps": 0, "to_ps": 1000, "rows": rows, "diagnostics": []});
    serde_json::from_value(whole).unwrap()
}

fn placed(lines: &[Line]) -> Vec<(&str, f64, f64, bool)> {
    lines.iter().map(|line| (line.name.as_str(), line.top, line.height, line.pinned)).collect()
}

#[test]
fn rows_stand_under_their_groups() {
    let none = BTreeSet::new();
    let all = lines(&answer(), &none, &[]);
    let expected = [
        ("engines", 0.0, 26.0, false),
        ("PE", 26.0, 46.0, false),
        ("ACT", 72.0, 28.0, false),
        ("queues", 100.0, 26.0, false),
        ("q_in", 126.0, 40.0, false),
        ("semaphores", 166.0, 26.0, false),
        ("S[5]", 192.0, 46.0, false),
        ("S[6]", 238.0, 46.0, false),
    ];
    assert_eq!(placed(&all), expected);
    assert_eq!(pinned_height(&all), 0.0);
    let folded = BTreeSet::from(["semaphores".to_owned()]);
    assert_eq!(lines(&answer(), &folded, &[]).len(), 6);
}

#[test]
fn pinned_rows_are_on_top_in_their_own_order_and_nowhere_else() {
    let folded = BTreeSet::from(["semaphores".to_owned()]);
    let pins = ["S[6]".to_owned(), "gone".to_owned(), "PE".to_owned()];
    let all = lines(&answer(), &folded, &pins);
    let expected = [
        ("pinned", 0.0, 26.0, true),
        ("S[6]", 26.0, 46.0, true),
        ("PE", 72.0, 46.0, true),
        ("engines", 118.0, 26.0, false),
        ("ACT", 144.0, 28.0, false),
        ("queues", 172.0, 26.0, false),
        ("q_in", 198.0, 40.0, false),
        ("semaphores", 238.0, 26.0, false),
    ];
    assert_eq!(placed(&all), expected);
    assert_eq!(pinned_height(&all), 118.0);
    // A row keeps its colors, which go by its position in the answer.
    assert_eq!((all[1].row, all[2].row), (4, 0));
}

#[test]
fn the_line_under_the_pointer_counts_what_is_scrolled() {
    let pins = ["S[6]".to_owned()];
    let all = lines(&answer(), &BTreeSet::new(), &pins);
    let at = |y: f64, scroll: f64| line_at(&all, y, scroll).map(|line| line.name.as_str());
    // On top: the head to 26, S[6] to 72, whatever is scrolled.
    for scroll in [0.0, 100.0, 1e6] {
        assert_eq!(
            (at(25.9, scroll), at(26.0, scroll), at(71.9, scroll)),
            (Some("pinned"), Some("S[6]"), Some("S[6]"))
        );
    }
    // The others begin at 72: engines to 98, PE to 144, ACT to 172.
    assert_eq!((at(72.0, 0.0), at(98.0, 0.0)), (Some("engines"), Some("PE")));
    assert_eq!((at(72.0, 80.0), at(92.0, 80.0)), (Some("ACT"), Some("queues")));
    assert_eq!(at(72.0, 1e6), None);
}

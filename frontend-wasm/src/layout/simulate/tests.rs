//! What an address keeps of a run, and the drawing of who waits for whom.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::graph::{HIGH, Picture, WIDE, picture};
use super::*;
use serde_json::json;

#[test]
fn an_address_runs_again_what_ran_and_only_that() {
    let mut view = RunBox::default();
    assert!(view.choices.read("stall", "q_load:3"));
    assert!(!RunAddress::of(&view).run);
    view.ran = Some(view.choices.clone());
    let mut query = Vec::new();
    RunAddress::of(&view).write(|key, value| {
        query.extend(value.map(|value| (key.to_owned(), value)));
    });
    assert_eq!(
        query,
        [("run".to_owned(), "1".to_owned()), ("stall".to_owned(), "q_load:3".to_owned())]
    );
    let mut read = RunAddress::default();
    assert!(query.iter().all(|(key, value)| read.read(key, value)));
    let mut again = RunBox::default();
    again.take_address(&read);
    assert_eq!(again.ran, view.ran);
    view.choices.read("seed", "4");
    assert!(view.is_stale());
    assert!(!RunAddress::of(&view).run);
}

/// An answer about engines that stand still: `(engine, semaphore)` each, what is behind them, edges
/// as `(from, to, in the circle)`, and the cause.
fn answer(
    stuck: &[(&str, u8)],
    behind: &[(&str, &str)],
    edges: &[(usize, usize, bool)],
    cause: (&str, &[usize]),
) -> SimulateAnswer {
    let place = |e: &str| {
        json!({"s": "sg00", "e": e, "image_slot": 5, "image_offset": 320,
        "neff_ip": 2, "device_pc": null, "region": "MAIN", "row": 5, "deleted": false})
    };
    let node = |kind: &str, label: &str, stuck: bool| {
        let place = if stuck { place(label) } else { json!(null) };
        json!({"kind": kind, "label": label, "is_stuck": stuck, "place": place})
    };
    let poster = |queue: &str| {
        json!({"who": "transfer", "why": "stalled", "count": 1, "adds": 1,
        "place": null, "queue": queue, "block": 3, "words": "it would post it"})
    };
    let nodes = stuck.iter().map(|(engine, _)| node("engine", engine, true));
    let nodes = nodes.chain(behind.iter().map(|(kind, label)| node(kind, label, false)));
    let stuck = stuck.iter().map(|(engine, id)| {
        json!({
            "subgraph": "sg00", "rank": 0, "engine": engine, "slot": 5,
            "wait": {"mode": 4, "op": ">", "index": id, "value": 0},
            "value": 0, "needs": 0, "reason": "behind", "waits_for": [poster("q")], "also": null,
            "words": "it waits", "place": place(engine)
        })
    });
    let edges = edges.iter().map(|(from, to, circle)| {
        json!({
            "from": from, "to": to, "label": "", "in_cycle": circle, "place": null
        })
    });
    let text = json!({
        "schema": 1, "outcome": "deadlock", "words": [], "provenance": "modelled", "time_ns": 1000,
        "events": 1, "instructions": 1, "inferences": 1, "seed": null, "until": null,
        "timing": {"name": "", "about": "", "provenance": "modelled", "clock_fs": {},
            "clock_provenance": "observed"},
        "semaphores": {}, "stuck": stuck.collect::<Vec<_>>(),
        "cause": {"kind": cause.0, "stuck": cause.1, "about": ""},
        "wait_graph": {"nodes": nodes.collect::<Vec<_>>(), "edges": edges.collect::<Vec<_>>()},
        "fault": null, "cores": [], "trace": {"hash": "", "events": 1, "kinds": {}},
        "top_sps": [], "ties": null, "calibration": null, "ordered": [0, 0], "diagnostics": []
    });
    serde_json::from_value(text).unwrap()
}

fn titles(picture: &Picture) -> Vec<&str> {
    picture.nodes.iter().map(|node| node.title.as_str()).collect()
}

#[test]
fn who_waits_stands_above_the_cause_and_its_root_below() {
    let stuck = [("PE", 1), ("ACT", 2), ("SP", 3)];
    let edges = [(0, 3, false), (1, 0, false), (2, 1, false), (0, 1, false)];
    let answer = answer(&stuck, &[("transfer", "q block 3")], &edges, ("transfer-stuck", &[0]));
    let picture = picture(&answer, 4);
    assert_eq!(
        titles(&picture),
        ["SP slot 5, IP 2", "ACT slot 5, IP 2", "PE slot 5, IP 2", "q block 3"]
    );
    assert!(picture.nodes.windows(2).all(|two| two[0].y + HIGH < two[1].y));
    assert_eq!(picture.nodes[2].text, "sem[1] > 0, is 0");
    assert_eq!(picture.nodes[3].text, "its ring does not move");
    let roots: Vec<bool> = picture.nodes.iter().map(|node| node.is_root).collect();
    assert_eq!(roots, [false, false, false, true]);
    // Of the waits of the cause only the one for the root is drawn.
    assert_eq!(picture.edges.len(), 3);
    assert_eq!(picture.edges.iter().filter(|edge| edge.is_cause).count(), 1);
    assert_eq!(picture.left_out, (0, 1));
}

#[test]
fn a_circle_is_drawn_with_the_transfer_in_it_and_without_a_root() {
    let edges = [(0, 2, true), (2, 1, true), (1, 0, true), (0, 1, false)];
    let behind = [("transfer", "q block 3")];
    let answer = answer(&[("PE", 1), ("ACT", 2)], &behind, &edges, ("cycle", &[0, 1]));
    let picture = picture(&answer, 4);
    assert_eq!(titles(&picture), ["PE slot 5, IP 2", "q block 3", "ACT slot 5, IP 2"]);
    assert!(picture.nodes.iter().all(|node| node.is_cause && !node.is_root));
    assert_eq!(picture.edges.iter().filter(|edge| edge.is_cause).count(), 3);
}

#[test]
fn a_lost_post_is_the_root_and_nothing_is_drawn_without_a_wait() {
    let made = answer(
        &[("PE", 1), ("ACT", 2)],
        &[],
        &[(0, 1, false), (1, 0, false)],
        ("post-dropped", &[0]),
    );
    let picture_of_it = picture(&made, 4);
    assert_eq!(titles(&picture_of_it), ["ACT slot 5, IP 2", "PE slot 5, IP 2", "A lost post"]);
    assert!(picture_of_it.nodes[2].y + HIGH <= picture_of_it.height);
    assert_eq!(picture_of_it.edges.len(), 2);
    assert_eq!(picture(&answer(&[], &[], &[], ("behind", &[])), 4), Picture::default());
}

/// Every second row has a place less and is half a node off, so no line goes through a node.
#[test]
fn many_that_wait_are_staggered_and_inside_the_drawing() {
    let stuck: Vec<(&str, u8)> = (0..9).map(|id| ("SP", id)).collect();
    let edges: Vec<(usize, usize, bool)> = (1..9).map(|from| (from, 0, false)).collect();
    let answer = answer(
        &stuck,
        &[("nobody", "nobody")],
        &[&edges[..], &[(0, 9, false)]].concat(),
        ("never-posted", &[0]),
    );
    let picture = picture(&answer, 3);
    let mut rows: Vec<(f64, Vec<f64>)> = Vec::new();
    for node in &picture.nodes {
        assert!(node.x >= 0.0 && node.x + WIDE <= picture.width && node.y + HIGH <= picture.height);
        match rows.iter_mut().find(|row| row.0 == node.y) {
            Some(row) => row.1.push(node.x),
            None => rows.push((node.y, vec![node.x])),
        }
    }
    let counts: Vec<usize> = rows.iter().map(|row| row.1.len()).collect();
    assert_eq!(counts, [3, 2, 3, 1, 1]);
    let middles = |row: usize| rows[row].1.iter().map(|x| x + WIDE / 2.0).collect::<Vec<_>>();
    for (above, below) in [(0, 1), (1, 2)] {
        for middle in middles(above) {
            assert!(rows[below].1.iter().all(|x| middle < *x || middle > x + WIDE));
        }
    }
}

#[test]
fn the_shares_of_an_engine_are_of_the_time_of_the_run() {
    let place = json!({"s": "sg00", "e": "PE", "image_slot": 5, "image_offset": 320, "neff_ip": null,
        "device_pc": null, "region": null, "row": 5, "deleted": false});
    let end = json!({"engine": "PE", "state": "waiting", "instructions": 1, "busy_ns": 100,
        "waited_ns": 500, "since_ns": 600, "place": place});
    let share = words::shares(&serde_json::from_value(end).unwrap(), 1000);
    assert_eq!(share, words::Share { busy: 0.1, waited: 0.5, stuck: 0.4 });
    assert_eq!(share.words(), "10 % busy, 50 % waiting, 40 % in the last wait");
    assert_eq!(words::capital("the transfer"), "The transfer");
    assert_eq!(words::capital("sg00 PE"), "sg00 PE");
}

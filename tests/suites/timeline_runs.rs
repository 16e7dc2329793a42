//! Runs of the simulator as timelines: what is drawn is what the run did.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

use axum::body::Body;
use axum::http::StatusCode;
use debug_api::{Block, ExportRequest, Limits, Session};
use records::Engine;
use serde_json::{Value, json};
use support::asking::{self, ask, case, session};
use support::door::{code, open, plain, request, send};
use support::program::{QueueText, SubgraphText, neff, post, trigger, wait};

/// PE posts semaphore 5 twice, ACT waits for both posts; SP starts a block and waits for its rings.
fn program() -> Vec<u8> {
    let queue = QueueText { name: "q", owner: Engine::Sp, kind: "in", semaphores: vec![9] };
    let text = SubgraphText::of(&[
        (Engine::Pe, &[post(5), post(5)]),
        (Engine::Act, &[wait(5, 2)]),
        (Engine::Sp, &[trigger("q", 0), wait(9, 16)]),
    ]);
    neff(&[text.with(&[queue])])
}

fn events(session: &Session, row: &str) -> Vec<Value> {
    let question = json!({"ask": "timeline-events", "run": {}, "row": row, "count": 4096});
    ask(session, &question)["events"].as_array().unwrap().clone()
}

fn of_ip(events: &[Value], ip: u32) -> &Value {
    events.iter().find(|event| event["place"]["neff_ip"] == ip).unwrap()
}

fn start(event: &Value) -> u64 {
    event["start_ps"].as_u64().unwrap()
}

fn end(event: &Value) -> u64 {
    start(event) + event["len_ps"].as_u64().unwrap()
}

#[test]
fn times_are_those_of_the_timing_model() {
    let session = session(&[("a.neff", program())]);
    // 20 cycles of 833,330 fs issue a record of the sequencer.
    let slot = 16_666;
    let (pe, act, sp) = (events(&session, "PE"), events(&session, "ACT"), events(&session, "SP"));
    let (first, second) = (of_ip(&pe, 1), of_ip(&pe, 2));
    assert_eq!(second["start_ps"], start(first) + slot);
    // A post counts from the end of its record on.
    let values: Vec<(u64, u64)> = events(&session, "sem[5]")
        .iter()
        .map(|one| (start(one), one["value"].as_u64().unwrap()))
        .collect();
    assert_eq!(values[..2], [(end(first), 1), (end(second), 2)]);
    assert_eq!(values[2].1, 0);
    // The wire takes 17 ns, and the record is issued again when the value has come.
    let wait = of_ip(&act, 1);
    assert!(wait["wait_cycles"].as_u64().unwrap() > 1);
    let before = act.iter().rfind(|event| start(event) < start(wait)).unwrap();
    assert_eq!(wait["name"], "EVENT_SEMAPHORE");
    // It started to wait when the record before it was done; cycles of 833,330 fs, rounded down.
    let waited = start(wait) - end(before);
    assert_eq!(wait["wait_cycles"], waited * 1_000 / 833_330);
    // From the doorbell 1,300 ns, and 8 ns for the descriptor; the rest are the bytes of a ring.
    let block = &events(&session, "q")[0];
    assert_eq!(block["start_ps"], of_ip(&sp, 1)["start_ps"]);
    assert_eq!(block["name"], "block");
    let done = &events(&session, "sem[9]")[0];
    assert_eq!((&done["value"], start(done)), (&json!(16), end(block)));
    assert_eq!(start(of_ip(&sp, 2)), start(done) + 17_000);
}

/// An event by its row and position, with its links as `row index` before and after.
fn links(session: &Session, row: &str, index: u64) -> (Vec<String>, Vec<String>) {
    let question = json!({"ask": "timeline-events", "run": {}, "row": row, "from": index, "count": 1,
        "links": true});
    let answer = ask(session, &question);
    let links = &answer["events"][0]["links"];
    assert_eq!(links["provenance"], "inferred");
    let of = |way: &str| {
        let list = links[way].as_array().unwrap().iter();
        list.map(|one| format!("{} {}", one["row"].as_str().unwrap(), one["index"])).collect()
    };
    (of("before"), of("after"))
}

#[test]
fn links_go_from_record_to_change_to_record() {
    let session = session(&[("a.neff", program())]);
    let (pe, act, sp) = (events(&session, "PE"), events(&session, "ACT"), events(&session, "SP"));
    let index = |list: &[Value], ip: u32| of_ip(list, ip)["index"].as_u64().unwrap();
    let (first, second) = (index(&pe, 1), index(&pe, 2));
    let (waits, triggers, ends) = (index(&act, 1), index(&sp, 1), index(&sp, 2));
    // Each post is one change, by its record.
    assert_eq!(links(&session, "PE", first).1, ["sem[5] 0"]);
    assert_eq!(links(&session, "PE", second).1, ["sem[5] 1"]);
    assert_eq!(links(&session, "sem[5]", 0).0, [format!("PE {first}")]);
    // Only the second one lets ACT through, which waits for 2.
    assert_eq!(links(&session, "sem[5]", 0).1, Vec::<String>::new());
    let through = (vec![format!("PE {second}")], vec![format!("ACT {waits}")]);
    assert_eq!(links(&session, "sem[5]", 1), through);
    assert_eq!(links(&session, "ACT", waits).0, ["sem[5] 1"]);
    // A block posts at its end; SP waits for that, not for what it started itself.
    let done = (vec!["q 0".to_owned()], vec![format!("SP {ends}")]);
    assert_eq!(links(&session, "sem[9]", 0), done);
    assert_eq!(links(&session, "q", 0).1, ["sem[9] 0"]);
    assert_eq!(links(&session, "SP", ends).0, ["sem[9] 0"]);
    assert_eq!(links(&session, "SP", triggers).0, Vec::<String>::new());
    // Without the key there are none, and more than 16 events at once are refused.
    assert!(pe[0].get("links").is_none());
    let many =
        json!({"ask": "timeline-events", "run": {}, "row": "PE", "count": 17, "links": true});
    assert_eq!(asking::code(&session, &many), "request.invalid");
}

/// On a program with barriers every link has its other end.
#[test]
fn links_have_two_ends() {
    let session = session(&[("a.neff", case("collective-all-reduce-2"))]);
    let rows = ask(&session, &json!({"ask": "timeline", "run": {}}));
    let (mut seen, mut waits) = (0, 0);
    for row in rows["rows"].as_array().unwrap() {
        let name = row["name"].as_str().unwrap();
        for index in 0..row["events"].as_u64().unwrap().min(64) {
            let (before, after) = links(&session, name, index);
            let own = format!("{name} {index}");
            for other in &before {
                let (row, index) = other.rsplit_once(' ').unwrap();
                let (_, back) = links(&session, row, index.parse().unwrap());
                // A record that posts twice is found at its first change only.
                if row.contains('[') || !name.contains('[') {
                    assert!(back.contains(&own), "{other} leads to {back:?}, not to {own}");
                }
                waits += u32::from(row.contains('['));
            }
            seen += after.len();
        }
    }
    assert!(seen > 50 && waits > 20, "{seen} links, {waits} of waits");
}

#[test]
fn the_timeline_agrees_with_the_run() {
    for name in ["functions", "two-subgraphs", "collective-all-reduce-2", "collective-hierarchical"]
    {
        let session = session(&[("a.neff", case(name))]);
        let run = ask(&session, &json!({"ask": "simulate"}));
        let mut instructions = 0;
        for core in run["cores"].as_array().unwrap() {
            let s = &core["subgraph"];
            let all = ask(&session, &json!({"ask": "timeline", "s": s, "run": {}}));
            assert_eq!(all["provenance"], "modelled");
            assert_eq!(all["outcome"], run["outcome"], "{name}");
            assert_eq!(all["end_ps"].as_u64().unwrap() / 1_000, run["time_ns"], "{name}");
            let rows = all["rows"].as_array().unwrap();
            for engine in core["engines"].as_array().unwrap() {
                let own = rows.iter().find(|row| row["name"] == engine["engine"]).unwrap();
                assert_eq!(own["events"], engine["instructions"], "{name} {engine}");
                let busy = own["busy_ps"].as_u64().unwrap() / 1_000;
                assert_eq!(busy, engine["busy_ns"], "{name} {engine}");
                instructions += own["events"].as_u64().unwrap();
            }
        }
        assert_eq!(run["instructions"], instructions, "{name}");
    }
}

#[test]
fn the_last_value_of_a_counter_is_that_of_the_run() {
    let session = session(&[("a.neff", case("functions"))]);
    let choices = json!({"until": "main-end", "s": "sg00"});
    let run = ask(&session, &json!({"ask": "simulate", "until": "main-end", "s": "sg00"}));
    let all = ask(&session, &json!({"ask": "timeline", "run": choices}));
    let counters =
        all["rows"].as_array().unwrap().iter().filter(|row| row["group"] == "semaphores");
    let mut seen = 0;
    for row in counters.filter(|row| row["events"] != 0) {
        let name = row["name"].as_str().unwrap();
        let question = json!({"ask": "timeline-events", "run": choices, "row": name, "last": true,
            "count": 1});
        let last = ask(&session, &question)["events"][0]["value"].clone();
        let id = name.trim_start_matches("sem[").trim_end_matches(']');
        assert_eq!(last, run["semaphores"][id], "{name}");
        seen += 1;
    }
    assert!(seen > 2);
}

#[test]
fn a_collective_has_its_steps_inside() {
    let session = session(&[("a.neff", case("collective-all-reduce-2"))]);
    let events = events(&session, "TOP_SP 8");
    let (whole, steps): (Vec<&Value>, Vec<&Value>) =
        events.iter().partition(|event| event["name"] == "collective");
    assert_eq!((whole.len(), steps.is_empty()), (2, false));
    // Both come to an end.
    assert!(whole.iter().all(|one| one["flags"] == json!([])), "{whole:?}");
    let inside = |step: &Value, one: &Value| start(one) <= start(step) && end(step) <= end(one);
    for step in steps {
        assert_eq!(whole.iter().filter(|one| inside(step, one)).count(), 1, "{step}");
    }
}

#[test]
fn rows_and_exports_of_a_run_and_what_is_refused() {
    let session = session(&[("a.neff", program())]);
    let text = r#"{"what":"timeline","run":{},"from":0,"count":16,"level":20}"#;
    let block = Block::decode(&session.columns_text(text).unwrap()).unwrap();
    let counted: u64 = (0..block.rows as usize).map(|row| u64::from(block.u32("count", row))).sum();
    let all = ask(&session, &json!({"ask": "timeline", "run": {}}));
    // Sixteen buckets of 2^20 ps are longer than the run.
    assert_eq!(all["events"], counted);
    let run = Some(Box::default());
    let request = ExportRequest { run, format: "csv".to_owned(), ..ExportRequest::default() };
    let mut out = Vec::new();
    session.export(&request, &mut out).unwrap();
    let lines = String::from_utf8(out).unwrap().lines().count() as u64;
    assert_eq!(all["events"], lines - 1);
    let refused = asking::code(&session, &json!({"ask": "timeline", "run": {"inferences": 0}}));
    assert_eq!(refused, "request.invalid");
    assert_eq!(asking::code(&session, &json!({"ask": "timeline"})), "timeline.none");
    let other = asking::code(&session, &json!({"ask": "timeline", "s": "sg07", "run": {}}));
    assert_eq!(other, "subgraph.unknown");
}

#[test]
fn runs_are_kept_apart_by_their_choices() {
    let session = session(&[("a.neff", program())]);
    let end = |run: Value| ask(&session, &json!({"ask": "timeline", "run": run}))["end_ps"].clone();
    let (one, two) = (end(json!({})), end(json!({"inferences": 2})));
    assert!(two.as_u64() > one.as_u64());
    assert_eq!((end(json!({})), end(json!({"inferences": 2}))), (one, two));
    // A lost post is a deadlock, and its timeline shows the wait without an end.
    let stuck = ask(&session, &json!({"ask": "timeline", "run": {"drop": ["semaphore:5:1"]}}));
    assert_eq!(stuck["outcome"], "deadlock");
}

#[tokio::test]
async fn columns_and_exports_of_a_run() {
    let app = plain();
    let id = open(&app, "functions.neff", case("functions")).await;
    let session = Session::open("functions.neff", case("functions"), &Limits::default()).unwrap();
    let get = |what: &str, run: &str| {
        request("GET", &format!("/api/v1/sessions/{id}/{what}&run={run}"), Body::empty())
    };
    // {"inferences":2}, percent-encoded.
    let choices = "%7B%22inferences%22%3A2%7D";
    let (status, _, body) = send(&app, get("columns?what=timeline&level=20", choices)).await;
    assert_eq!(status, StatusCode::OK);
    let wanted = r#"{"what":"timeline","level":20,"run":{"inferences":2}}"#;
    assert_eq!(body, session.columns_text(wanted).unwrap());
    let (status, _, body) = send(&app, get("export/csv?s=sg00", choices)).await;
    assert_eq!((status, body.starts_with(b"group,row,track")), (StatusCode::OK, true));
    for what in ["columns?what=timeline", "export/csv?s=sg00"] {
        let (status, _, body) = send(&app, get(what, "%7B%22tea%22%3A2%7D")).await;
        assert_eq!((status, code(&body).as_str()), (StatusCode::BAD_REQUEST, "request.invalid"));
    }
}

/// As in every other answer, the second of two files of one name says which it is.
#[test]
fn files_of_one_name_are_told_apart() {
    let session = session(&[("a.neff", program()), ("a.neff", program())]);
    let of = |at: u64| ask(&session, &json!({"ask": "timeline", "f": at, "run": {}}));
    let info = |at: u64| ask(&session, &json!({"ask": "info", "f": at}));
    for at in [0, 1] {
        assert_eq!(of(at)["file"]["name"], info(at)["file"]["name"]);
    }
    assert_ne!(of(0)["file"]["name"], of(1)["file"]["name"]);
}

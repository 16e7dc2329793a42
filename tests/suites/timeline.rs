//! From the records of a capture to events: addresses, clocks, lost records, and what is asked.

#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use debug_api::{Block, FileKind, Limits, OpenFile, Session};
use serde_json::{Value, json};
use std::sync::Arc;
use support::ntff_writer::{ImageText, NtffText, RingText, SliceText, ntff, ntff_of, record};

const PE: u64 = 0;
const POOL: u64 = 2;

fn slice(queue: u64, source: u64, records: Vec<[u8; 16]>) -> SliceText {
    SliceText { queue, source, bytes: records.concat(), claimed: None }
}

/// Start or end of an instruction: the type is 4 or 5 and four times the engine code, bit 7 set.
fn start(engine: u64, pc: u32, wait: u16, time: u64) -> [u8; 16] {
    trace_record(0x84 + 4 * engine as u8, pc, u32::from(wait) << 16, time)
}

fn end(engine: u64, pc: u32, time: u64) -> [u8; 16] {
    trace_record(0x85 + 4 * engine as u8, pc, u32::MAX, time)
}

fn trace_record(head: u8, pc: u32, m2: u32, time: u64) -> [u8; 16] {
    record(pc as u16, (pc >> 16) as u8, head, m2, time)
}

/// A change of semaphore 5: by PE, or by DMA.
fn change(head: u8, how: u8, value: u32, time: u64) -> [u8; 16] {
    record(0x105, how, head, value, time)
}

/// A step of a transfer of DMA engine 3 in queue 1.
fn step(step: u32, bytes: u32, time: u64) -> [u8; 16] {
    record(bytes as u16, (bytes >> 16) as u8, 0x83, step | 1 << 4, time)
}

fn session(text: &NtffText) -> Session {
    let bytes = ntff(text);
    let file = OpenFile::open_as(FileKind::Ntff, "run.ntff", bytes, &Limits::default()).unwrap();
    Session::new(vec![Arc::new(file)])
}

fn ask(session: &Session, request: &str) -> Value {
    serde_json::from_str(&session.ask_text(request).unwrap()).unwrap()
}

fn fails(session: &Session, request: &str) -> &'static str {
    session.ask_text(request).unwrap_err().code
}

/// PE's base leaves 0x200 slots before the shortened address starts over.
fn capture(version: u8, slices: Vec<SliceText>) -> NtffText {
    let image = |engine, base, slots: usize| ImageText {
        engine,
        base,
        bytes: [0xA3; 64].repeat(slots),
        rows: vec![],
    };
    let ring =
        |engine| RingText { engine, queue: 1, name: "qIn".to_owned(), ..RingText::default() };
    let images = vec![image(PE, 0x3FF_8000, 0x300), image(POOL, 0x10_0000, 2)];
    let mut text = ntff_of(version, &[0xAB; 16], "sg00", 4, images, vec![ring(67), ring(68)]);
    text.cores[0].slices = slices;
    text
}

#[test]
fn addresses_that_started_over_become_slots() {
    let records = vec![
        start(PE, 0xF_FE00, 1, 1_000),
        end(PE, 0xF_FE00, 1_500),
        // 0xFFE00 + 0x200 is 2^20: the shortened address is 0 again.
        start(PE, 0, 300, 2_000),
        end(PE, 0, 2_600),
        // One slot past the image, and far away: the bootstrap program.
        start(PE, 0x100, 1, 3_000),
        end(PE, 0x100, 3_100),
    ];
    let session = session(&capture(5, vec![slice(0, 0, records)]));
    let events = ask(&session, r#"{"ask":"timeline-events","row":"PE"}"#);
    let short = |event: &Value| {
        json!([
            event["start_ps"],
            event["len_ps"],
            event["place"]["image_slot"],
            event["wait_cycles"]
        ])
    };
    let list: Vec<Value> = events["events"].as_array().unwrap().iter().map(short).collect();
    assert_eq!(
        Value::from(list),
        json!([[0, 500, 0, 1], [1_000, 600, 0x200, 300], [2_000, 100, null, 1]])
    );
    assert_eq!(events["events"][1]["place"]["device_pc"], "0x4000000");
    assert_eq!(events["events"][2]["name"], "bootstrap");
    let slot = ask(&session, r#"{"ask":"timeline-events","e":"PE","slot":512}"#);
    assert_eq!((&slot["total"], &slot["events"][0]["start_ps"]), (&json!(1), &json!(1_000)));
}

#[test]
fn sums_of_a_range_and_who_wrote_last() {
    let session = session(&capture(
        5,
        vec![
            // Records are not in the order of time.
            slice(0, 0, vec![end(POOL, 0x4000, 9_000), start(POOL, 0x4000, 1, 5_000)]),
            slice(1, 0, vec![change(0x87, 0xF3, 1, 4_000), change(0x9B, 0xF9, 16, 8_000)]),
            slice(4, 1, vec![step(1, 0, 1_000), step(5, 4_096, 3_000), step(6, 0, 3_500)]),
        ],
    ));
    let all = ask(&session, r#"{"ask":"timeline"}"#);
    let names: Vec<&str> =
        all["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["PE", "ACT", "POOL", "DVE", "SP", "qIn", "sem[5]"]);
    assert_eq!(
        (&all["events"], &all["records"], &all["records_used"]),
        (&json!(4), &json!(7), &json!(7))
    );
    // The first record is at 1,000 ps, the last ends at 9,000.
    assert_eq!((&all["end_ps"], &all["origin_ps"]), (&json!(8_000), &json!("1000")));
    assert_eq!(all["diagnostics"], json!([]));
    let row = |answer: &Value, name: &str| -> Value {
        let rows = answer["rows"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap().clone()
    };
    let part = ask(&session, r#"{"ask":"timeline","from_ps":2000,"to_ps":6000}"#);
    assert_eq!(row(&part, "POOL")["busy_ps"], 2_000);
    assert_eq!(row(&part, "qIn")["busy_ps"], 500);
    assert_eq!(row(&all, "qIn")["busy_ps"], 2_500);
    assert_eq!(row(&all, "sem[5]")["peak"], 16);
    assert_eq!(row(&part, "sem[5]")["largest"], 1);
    let transfer = ask(&session, r#"{"ask":"timeline-events","row":"qIn"}"#);
    assert_eq!(transfer["events"][0]["value"], 4_096);
    // Who wrote semaphore 5 last before 7,000 ps: PE; before the end: DMA or the host.
    let writer = |to: u64| {
        let text = format!(
            r#"{{"ask":"timeline-events","row":"sem[5]","to_ps":{to},"last":true,"count":1}}"#
        );
        let answer = ask(&session, &text);
        (answer["events"][0]["text"].clone(), answer["events"][0]["value"].clone())
    };
    assert_eq!(writer(7_000), (json!("by PE"), json!(1)));
    assert_eq!(writer(8_000), (json!("by DMA or the host"), json!(16)));
    assert_eq!(fails(&session, r#"{"ask":"timeline-events","row":"PEX"}"#), "timeline.row");
    assert_eq!(fails(&session, r#"{"ask":"timeline","from_ps":2,"to_ps":1}"#), "request.invalid");
    assert_eq!(fails(&session, r#"{"ask":"timeline","s":"sg01"}"#), "timeline.none");
}

/// Version 4: a clock for each block. PE counts 714.29 ps a tick from 1000, events from 0.
#[test]
fn both_clocks_are_aligned() {
    let mut text = capture(
        4,
        vec![
            slice(0, 0, vec![start(PE, 0xF_FE00, 1, 1_000 + 1_000 * 731_428)]),
            slice(1, 0, vec![change(0x87, 0xF3, 1, 2_000 * 731_428)]),
        ],
    );
    text.cores[0].clocks.named[0] = Some([1_000, 731_428, 731_408]);
    text.cores[0].clocks.named[5] = Some([0, 731_428, 731_408]);
    let session = session(&text);
    let events = ask(&session, r#"{"ask":"timeline-events","row":"sem[5]"}"#);
    // Both are exact multiples: 1,000 and 2,000 times 731,408 ps.
    assert_eq!(events["events"][0]["start_ps"], 1_000 * 731_408);
    let all = ask(&session, r#"{"ask":"timeline"}"#);
    // 731,408 / 1,024 ps is a cycle.
    assert_eq!(all["rows"][0]["cycle_fs"], 714_265);
}

#[test]
fn lost_records_and_jumping_clocks_are_told() {
    let far = 1_000_000_000_000_000;
    let lost = {
        let mut record = start(PE, 0xF_FE01, 1, 200);
        record[3] |= 0x40;
        record
    };
    let session = session(&capture(
        5,
        vec![slice(
            0,
            0,
            vec![
                start(PE, 0xF_FE00, 1, 0),
                // No end of slot 0; no start of slot 5.
                lost,
                end(PE, 0xF_FE01, 300),
                end(PE, 0xF_FE05, 400),
                start(PE, 0xF_FE02, 1, far),
            ],
        )],
    ));
    let all = ask(&session, r#"{"ask":"timeline"}"#);
    let mut codes: Vec<(String, Value)> = all["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["code"].as_str().unwrap().to_owned(), one["at"]["offset"].clone()))
        .collect();
    codes.sort_by(|a, b| a.0.cmp(&b.0));
    let names: Vec<&str> = codes.iter().map(|(code, _)| code.as_str()).collect();
    assert_eq!(names, ["ntff.overflow", "trace.clock-jump", "trace.no-end", "trace.no-start"]);
    // The fifth and the fourth record of the tail.
    let jump = codes[1].1.as_u64().unwrap();
    assert_eq!(codes[3].1.as_u64().unwrap() + 16, jump);
    assert_eq!((&all["records"], &all["records_used"]), (&json!(5), &json!(4)));
    assert_eq!(all["rows"][0]["open_ps"], 200);
    assert_eq!(all["rows"][0]["busy_ps"], 100);
    let events = ask(&session, r#"{"ask":"timeline-events","row":"PE"}"#);
    let flags: Vec<&Value> =
        events["events"].as_array().unwrap().iter().map(|event| &event["flags"]).collect();
    assert_eq!(flags, [&json!(["no-end"]), &json!(["after-loss"]), &json!(["no-start"])]);
}

#[test]
fn a_trace_of_no_event_and_one_of_very_long_ones() {
    let empty = session(&capture(5, vec![]));
    let all = ask(&empty, r#"{"ask":"timeline"}"#);
    assert_eq!((&all["events"], &all["end_ps"]), (&json!(0), &json!(0)));
    assert_eq!(
        empty.columns_text(r#"{"what":"timeline","count":8}"#).map(|b| b.len() > 28),
        Ok(true)
    );
    // One second is 1e9 ns: more than 32 bits of picoseconds.
    let second = 1_000_000_000_000;
    let records = vec![start(PE, 0xF_FE00, 1, 7), end(PE, 0xF_FE00, 7 + second)];
    let long = session(&capture(5, vec![slice(0, 0, records)]));
    let events = ask(&long, r#"{"ask":"timeline-events"}"#);
    assert_eq!(events["events"][0]["len_ps"], second);
}

#[test]
fn columns_hold_single_events_and_counted_buckets() {
    let mut records = Vec::new();
    for n in 0..64 {
        records.push(start(PE, 0xF_FE00, 1, n * 100));
        records.push(end(PE, 0xF_FE00, n * 100 + 50));
    }
    let session = session(&capture(5, vec![slice(0, 0, records)]));
    let block = |level: u8, from: u64, count: u32| {
        let text =
            format!(r#"{{"what":"timeline","from":{from},"count":{count},"level":{level}}}"#);
        Block::decode(&session.columns_text(&text).unwrap()).unwrap()
    };
    let fine = block(5, 0, 400);
    assert_eq!(fine.rows, 64);
    assert_eq!((fine.u64("start", 3), fine.u64("end", 3), fine.u32("count", 3)), (300, 350, 1));
    assert_eq!((fine.u32("slot", 3), fine.text("name", 3)), (0, "INSTRUCTION_FLUSH"));
    // Buckets of 1,024 ps: starts 0 to 1,000 are eleven events.
    let coarse = block(10, 0, 7);
    assert_eq!(coarse.rows, 7);
    let counts: Vec<u32> = (0..7).map(|row| coarse.u32("count", row)).collect();
    assert_eq!(counts, [11, 10, 10, 10, 11, 10, 2]);
    assert_eq!((coarse.u64("busy", 0), coarse.u64("end", 0)), (550, 1_050));
    let refused = session.columns_text(r#"{"what":"timeline","count":20000}"#).unwrap_err();
    assert_eq!(refused.code, "request.invalid");
}

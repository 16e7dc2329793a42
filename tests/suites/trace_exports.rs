//! A timeline in the forms of other tools. The protobuf form is read with Perfetto's own schema by
//! `tests/perfetto/check.py`; here are the other two, the way over HTTP, and what is odd.

#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use axum::http::{StatusCode, header};
use debug_api::{ExportRequest, FileKind, Limits, OpenFile, Session};
use serde_json::Value;
use std::sync::Arc;
use support::door::{code, open, plain, request, send};
use support::ntff_writer::{ImageText, RingText, SliceText, ntff, ntff_of, record};

/// A queue whose name needs quoting in every form.
const QUEUE: &str = "q,\"in\"\n<b>";

/// Steps 1 (read start), 5 (write end) and 6 (done) of a packet of DMA engine 3 in queue 1.
fn packet(start: u64, end: u64) -> [[u8; 16]; 3] {
    let step = |step: u32, bytes: u16, time| record(bytes, 0, 0x83, step | 1 << 4, time);
    [step(1, 0, start), step(5, 4_096, end), step(6, 0, end)]
}

/// PE executes slot 1 from 0 to 600 ps and slot 0 from 200 to 900 ps: they overlap. `packets` start
/// together at 1,000 ps, 1 ps apart, and end together.
fn capture(packets: u64) -> Vec<u8> {
    let image = ImageText { engine: 0, base: 0x10_0000, bytes: [0xA3; 64].repeat(2), rows: vec![] };
    let ring = RingText { engine: 67, queue: 1, name: QUEUE.to_owned(), ..RingText::default() };
    let mut text = ntff_of(5, &[0xAB; 16], "sg00", 4, vec![image], vec![ring]);
    let slice = |queue, source, records: Vec<[u8; 16]>| SliceText {
        queue,
        source,
        bytes: records.concat(),
        claimed: None,
    };
    let pe = vec![
        record(0x4001, 0, 0x84, 300 << 16, 10_000),
        record(0x4000, 0, 0x84, 1 << 16, 10_200),
        record(0x4001, 0, 0x85, u32::MAX, 10_600),
        record(0x4000, 0, 0x85, u32::MAX, 10_900),
    ];
    let moves = (0..packets).flat_map(|n| packet(11_000 + n, 20_000)).collect();
    text.cores[0].slices = vec![slice(0, 0, pe), slice(4, 1, moves)];
    ntff(&text)
}

fn session(packets: u64) -> Session {
    let bytes = capture(packets);
    let file = OpenFile::open_as(FileKind::Ntff, "run.ntff", bytes, &Limits::default()).unwrap();
    Session::new(vec![Arc::new(file)])
}

fn export(session: &Session, format: &str) -> Vec<u8> {
    let link = Some("http://h/f/1".to_owned());
    let request = ExportRequest { format: format.to_owned(), link, ..ExportRequest::default() };
    let mut out = Vec::new();
    session.export(&request, &mut out).unwrap();
    out
}

#[test]
fn a_table_has_a_line_for_each_event() {
    let text = String::from_utf8(export(&session(1), "csv")).unwrap();
    // The queue's name keeps its line break between quotes.
    let expected = "group,row,track,index,start_ps,length_ps,name,value,wait_cycles,slot,neff_ip,\
        device_pc,source,odd\r\n\
        engines,PE,0,0,0,600,INSTRUCTION_FLUSH,,300,1,,0x100040,,\r\n\
        engines,PE,0,1,200,700,INSTRUCTION_FLUSH,,1,0,,0x100000,,\r\n\
        queues,\"q,\"\"in\"\"\n<b>\",5,0,1000,9000,packet,4096,,,,,,\r\n";
    assert_eq!(text, expected);
}

#[test]
fn trace_events_that_overlap_have_threads_of_their_own() {
    let json: Value = serde_json::from_slice(&export(&session(2), "trace-json")).unwrap();
    assert_eq!(json["displayTimeUnit"], "ns");
    let events = json["traceEvents"].as_array().unwrap();
    let of = |ph: &str| events.iter().filter(|one| one["ph"] == ph).collect::<Vec<_>>();
    let threads: Vec<(u64, &str)> = of("M")
        .iter()
        .filter(|one| one["name"] == "thread_name")
        .map(|one| (one["tid"].as_u64().unwrap(), one["args"]["name"].as_str().unwrap()))
        .collect();
    let ring = format!("{QUEUE} ring 3");
    let second = format!("{ring} (2)");
    let expected = [
        (1, "PE"),
        (2, "PE (2)"),
        (3, "ACT"),
        (4, "POOL"),
        (5, "DVE"),
        (6, "SP"),
        (7, ring.as_str()),
        (8, second.as_str()),
    ];
    assert_eq!(threads, expected);
    let slices: Vec<_> =
        of("X").iter().map(|one| (one["tid"].as_u64(), &one["ts"], &one["dur"])).collect();
    let number = |ps: f64| Value::from(ps / 1e6);
    let expected = [
        (Some(1), &number(0.0), &number(600.0)),
        (Some(2), &number(200.0), &number(700.0)),
        (Some(7), &number(1_000.0), &number(9_000.0)),
        (Some(8), &number(1_001.0), &number(8_999.0)),
    ];
    assert_eq!(slices, expected);
    let first = of("X")[0];
    assert_eq!(first["args"]["wait_cycles"], 300);
    assert_eq!(first["args"]["pc"], "0x100040");
    assert_eq!(first["args"]["open"], "http://h/f/1/timeline?v=1&s=sg00&e=PE&slot=1");
}

#[test]
fn what_finds_no_lane_is_a_moment_and_keeps_its_length() {
    let json: Value = serde_json::from_slice(&export(&session(70), "trace-json")).unwrap();
    let events = json["traceEvents"].as_array().unwrap();
    let count = |ph: &str| events.iter().filter(|one| one["ph"] == ph).count();
    // Two instructions and 64 packets have lanes, six packets do not.
    assert_eq!((count("X"), count("i")), (66, 6));
    let moment = events.iter().find(|one| one["ph"] == "i").unwrap();
    assert_eq!(moment["args"]["length_ps"], 9_000 - 64);
}

#[test]
fn a_form_that_is_not_written_is_named() {
    let request = ExportRequest { format: "svg".to_owned(), ..ExportRequest::default() };
    let error = session(1).export(&request, &mut Vec::new()).unwrap_err();
    assert_eq!(error.code, "export.format");
    assert!(error.message.contains("perfetto, trace-json, csv"), "{}", error.message);
}

#[test]
fn a_writer_that_fails_ends_the_export() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("no room"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for format in ["perfetto", "trace-json", "csv"] {
        let request = ExportRequest { format: format.to_owned(), ..ExportRequest::default() };
        let error = session(1).export(&request, &mut Full).unwrap_err();
        assert_eq!(error.code, "export.write", "{format}");
    }
}

#[tokio::test]
async fn http_sends_what_a_session_writes() {
    let app = plain();
    let id = open(&app, "run.ntff", capture(1)).await;
    let get = |format: &str, query: &str| {
        request("GET", &format!("/api/v1/sessions/{id}/export/{format}{query}"), "")
    };
    for (format, kind, name) in [
        ("perfetto", "application/octet-stream", "timeline.pftrace"),
        ("trace-json", "application/json", "timeline.trace.json"),
        ("csv", "text/csv; charset=utf-8", "timeline.csv"),
    ] {
        let (status, head, body) = send(&app, get(format, "?link=http://h/f/1")).await;
        assert_eq!(status, StatusCode::OK);
        assert_eq!(head.headers()[header::CONTENT_TYPE], kind);
        let disposition = format!("attachment; filename=\"{name}\"");
        assert_eq!(head.headers()[header::CONTENT_DISPOSITION], disposition);
        assert_eq!(body, export(&session(1), format), "{format}");
    }
    // Without a link events lead to the server that was asked.
    let (_, _, body) = send(&app, get("trace-json", "")).await;
    let text = String::from_utf8(body).unwrap();
    let own = format!("http://127.0.0.1:7333/f/{id}/timeline?v=1&s=sg00&e=PE&slot=1");
    assert!(text.contains(&own), "{text}");
    for (format, query, expected) in [
        ("svg", "", (StatusCode::NOT_FOUND, "export.format")),
        ("csv", "?s=sg07", (StatusCode::NOT_FOUND, "timeline.none")),
        ("csv", "?ntff=x", (StatusCode::BAD_REQUEST, "request.invalid")),
        ("csv", "?color=red", (StatusCode::BAD_REQUEST, "request.invalid")),
    ] {
        let (status, _, body) = send(&app, get(format, query)).await;
        assert_eq!((status, code(&body).as_str()), expected, "{format}{query}");
    }
    let (status, _, body) =
        send(&app, request("GET", "/api/v1/sessions/none/export/csv", "")).await;
    assert_eq!((status, code(&body).as_str()), (StatusCode::NOT_FOUND, "session.unknown"));
}

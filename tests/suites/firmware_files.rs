//! Memory dumps as files: told by name, their bytes, uploads and pages; and any bytes as a dump.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use axum::http::StatusCode;
use backend::guard::Policy;
use backend::library::Library;
use debug_api::{FileKind, Limits, OpenFile, Session};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;
use support::asking::{ask, code, session};
use support::door::{plain, request, send, serving};
use support::dump_writer::{OTHERS, SUNDA, context};

fn find<'a>(list: &'a Value, name: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn dumps_are_told_by_name() {
    let kind = |name: &str, bytes: &[u8]| {
        OpenFile::open(name, bytes.to_vec(), &Limits::default()).map(|file| file.kind())
    };
    let zeros = [0; 64];
    assert_eq!(kind("a.BIN", &zeros).unwrap(), FileKind::Dump);
    assert_eq!(kind("a.dump", &zeros).unwrap(), FileKind::Dump);
    assert_eq!(kind("a", &zeros).map_err(|error| error.code).unwrap_err(), "file.kind");
    // A head of another kind wins over `.bin`, not over `.dump`.
    let mut head = [0; 64];
    head[0] = 2;
    assert_eq!(kind("a.bin", &head).map_err(|error| error.code).unwrap_err(), "neff.too-short");
    assert_eq!(kind("a.dump", &head).unwrap(), FileKind::Dump);
    assert_eq!(FileKind::of_name("dump"), Some(FileKind::Dump));
}

#[test]
fn bytes_of_a_dump() {
    let mut bytes = context(&OTHERS, 0);
    bytes.extend([7; 16]);
    let session = session(&[("top.bin", &bytes)]);
    let list = ask(&session, &json!({"ask": "members"}));
    let labels: Vec<&Value> =
        list["sources"].as_array().unwrap().iter().map(|one| &one["label"]).collect();
    assert_eq!(labels, ["All bytes", "Context, layout of cayman", "Context, layout of sunda"]);
    let all = ask(&session, &json!({"ask": "bytes", "of": "dump", "from": 0x44E8, "count": 16}));
    assert_eq!((&all["total"], &all["hex"]), (&json!(0x44F8), &json!("07".repeat(16))));
    let question = json!({
        "ask": "bytes", "of": "dump", "name": "cayman@0x0", "from": 0x4250, "count": 64,
        "at": 0x4250 + 45
    });
    let page = ask(&session, &question);
    assert_eq!((&page["structure"], &page["total"]), (&json!("context"), &json!(0x44E8)));
    let names: Vec<&Value> = page["parts"].as_array().unwrap().iter().map(|p| &p["name"]).collect();
    assert_eq!(names, ["configs.dev", "configs.dev.tsync", "neff", "neff.op"]);
    let field = find(&page["fields"], "dev_id");
    assert_eq!((&field["offset"], &field["value"]), (&json!(0x4250 + 45), &json!(2)));
    let unknown = json!({"ask": "bytes", "of": "dump", "name": "colour"});
    assert_eq!(code(&session, &unknown), "bytes.unknown");
}

#[tokio::test]
async fn a_dump_is_uploaded_and_asked_over_http() {
    let app = plain();
    let bytes = context(&OTHERS, 0);
    let path = "/api/v1/files?name=memory&kind=dump";
    let (status, _, body) = send(&app, request("POST", path, bytes.clone())).await;
    assert_eq!(status, StatusCode::CREATED, "{}", String::from_utf8_lossy(&body));
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body["info"]["generation"], "cayman");
    let id = body["id"].as_str().unwrap();
    let file = OpenFile::open_as(FileKind::Dump, "memory", bytes, &Limits::default()).unwrap();
    let session = Session::new(vec![Arc::new(file)]);
    for question in [
        r#"{"ask":"dump","generation":"cayman","count":3}"#,
        r#"{"ask":"dump-text","generation":"cayman"}"#,
        r#"{"ask":"spad-table","offset":17024,"count":1}"#,
        r#"{"ask":"spad-ctrl","words":["0100010001000000"]}"#,
        r#"{"ask":"spad-ctrl-encode","fields":{"reporter":true}}"#,
        r#"{"ask":"printers"}"#,
        r#"{"ask":"members"}"#,
    ] {
        let path = format!("/api/v1/sessions/{id}/ask");
        let (status, _, body) = send(&app, request("POST", &path, question)).await;
        let body = String::from_utf8(body).unwrap();
        assert_eq!(status, StatusCode::OK, "{question}: {body}");
        assert_eq!(body, session.ask_text(question).unwrap());
    }
}

/// Pages of a dump that is open alone: a row of the start page, its structs, and other views.
#[tokio::test]
async fn a_lone_dump_has_pages() {
    let library = Arc::new(Library::new(Limits::default(), 1 << 30));
    let (id, _) = library.open("top.bin", None, context(&OTHERS, 0), false).unwrap();
    let app = serving(library, Policy::default());
    for (path, text) in [
        ("/".to_owned(), format!("/f/{id}/structs")),
        (format!("/f/{id}/structs?rec=configs.dev.tsync"), "timestamp_tpb_val".to_owned()),
        (format!("/f/{id}/bytes"), "Context, layout of cayman".to_owned()),
        (format!("/f/{id}/regions"), "A memory dump with".to_owned()),
        (format!("/f/{id}/memory"), "A memory dump with".to_owned()),
    ] {
        let (status, _, body) = send(&app, request("GET", &path, "")).await;
        assert_eq!(status, StatusCode::OK, "{path}");
        let page = String::from_utf8(body).unwrap();
        assert!(page.contains(&text), "{path} lacks {text}");
    }
    // Without a view the address leads to the structs.
    let (status, head, _) = send(&app, request("GET", &format!("/f/{id}"), "")).await;
    assert_eq!(status, StatusCode::SEE_OTHER);
    assert_eq!(head.headers()["location"], format!("/f/{id}/structs"));
}

/// Inputs that reach a rare path of the fuzz body.
fn corpus() -> Vec<Vec<u8>> {
    let placed = |start: &[u8], rest: Vec<u8>| [start, &rest].concat();
    let mut full = vec![0; 0x5000];
    full.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 7 + at / 256) as u8);
    vec![
        Vec::new(),
        vec![0, 0],
        placed(&[0, 0], context(&OTHERS, 0)),
        placed(&[0, 0], context(&SUNDA, 5)),
        placed(&[0xFF, 0x01], context(&OTHERS, 0)),
        placed(&[3, 0xFE], full.clone()),
        placed(&[0, 0x80], vec![0xFF; 0x5000]),
        placed(&[1, 0], full[..0x3000].to_vec()),
    ]
}

#[test]
fn fuzz_corpus_is_replayed() {
    for data in corpus() {
        support::fuzz_firmware::run(&data);
    }
}

/// Texts, memories and edits that fuzzing of the printed text starts from.
fn printed_corpus() -> Vec<Vec<u8>> {
    let mut full = vec![0; 0x4500];
    full.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at * 7 + at / 256) as u8);
    let texts = [
        r#""ctrl_entry": {"header": {"cc_op": 1}, "cc_op": {"ring": {"channel_list": 15}}}"#,
        r#""tsync": {"eng_tpb": {"addr": {"soc_addr": "0x+0000002802700000"}}}"#,
        r#"{"model_name": "\u0041\"", "configs": {"algo": {"mesh": {"events": [{}, {}]}}}}"#,
        r#"{"pring_base_addr": 18446744073709551615, "configs.neff.": {"": 1}}"#,
        "{\"a\": (nil), \"b\": 0x",
        "\u{feff}{",
    ];
    let texts = texts.into_iter().map(|text| [&[0], text.as_bytes()].concat());
    let edits = [0x10, 0, 1, 0, 0xFF, 0x7F, 7, b'"', 0, 0x80, 0, b'{', 0xFF, 0xFF, 7, b'9'];
    let memories = (0..4_u8).flat_map(|arch| {
        let whole = |mode: u8, rest: &[u8]| [&[mode | arch << 2], rest].concat();
        [
            whole(1, &context(if arch == 0 { &SUNDA } else { &OTHERS }, 0)),
            whole(1, &full),
            whole(1, &[0xFF; 0x4500]),
            whole(0x42, &[&edits[..], &full].concat()),
        ]
    });
    texts.chain(memories).collect()
}

#[test]
fn printed_corpus_is_replayed() {
    for data in printed_corpus() {
        support::fuzz_printed::run(&data);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_printed_text_is_read(
        mode in any::<u8>(),
        data in proptest::collection::vec(any::<u8>(), 0..0x4500),
    ) {
        support::fuzz_printed::run(&[&[mode], &data[..]].concat());
    }

    #[test]
    fn any_memory_is_a_dump(
        start in any::<[u8; 2]>(),
        data in proptest::collection::vec(any::<u8>(), 0..0x4800),
    ) {
        support::fuzz_firmware::run(&[&start[..], &data].concat());
    }
}

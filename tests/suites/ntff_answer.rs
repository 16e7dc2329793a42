//! What is answered about a capture: the document's keys and values.

#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use debug_api::{FileKind, Limits, OpenFile, Request, Session};
use neff::ntff::uuid_matches;
use records::{Engine, PatchType};
use serde_json::{Value, json};
use std::sync::Arc;
use support::fixtures::{case_file, workspace_root};
use support::ntff_writer::{
    ClocksText, CoreText, ImageText, NtffText, RingText, SliceText, ntff, record,
};

fn answer(session: &Session, request: &str) -> Value {
    serde_json::from_str(&session.ask_text(request).unwrap()).unwrap()
}

/// A capture as R223 writes it: version 4, numbered memory, a clock for each block.
fn first_kind() -> NtffText {
    let clock = |initial| Some([initial, 2, 1]);
    let slice = |queue, source, bytes| SliceText { queue, source, bytes, claimed: None };
    let trace = [record(3, 0, 0x88, 0, 1_004_000), record(3, 0, 0x89, 0, 1_007_998)].concat();
    let core = CoreText {
        name: "sg00".to_owned(),
        images: vec![
            ImageText {
                engine: 0,
                base: 0x100_0000,
                bytes: vec![0; 64],
                rows: vec![[0, 40, 0], [64, 1, 2], [64, 2, 7]],
            },
            ImageText { engine: 7, base: 0, bytes: vec![1; 3], rows: vec![] },
        ],
        slices: vec![slice(0, 0, trace), slice(4, 1, record(0, 0, 0xC0, 1, 5_000).to_vec())],
        rings: (0..16)
            .map(|engine| RingText {
                engine,
                queue: 14,
                name: "qDveTable".to_owned(),
                blocks: vec![[0, 1, 2, 3], [1, 1, 2, 3]],
                ..RingText::default()
            })
            .collect(),
        clocks: ClocksText {
            named: [None, clock(1_000_000), None, None, None, None, None],
            dma: vec![[1_000, 2, 1]; 16],
            top_sp: vec![],
        },
        memory: vec![(0, 5, String::new()), (10, 6, String::new()), (9, 7, String::new())],
        execution_ps: 26_600_001,
        ..CoreText::default()
    };
    NtffText {
        version: 4,
        name: "net".to_owned(),
        uuid: vec![0xDE, 0xAD, 0xBE, 0xEF],
        cores: vec![core],
        runtime: [2, 23, 27],
        instance_type: "trn1.2xlarge".to_owned(),
        field_3: 10001,
        driver: [2, 19],
        collectives: [2, 23, 33],
        epoch_seconds: 1_700_000_000,
        ..NtffText::default()
    }
}

#[test]
fn the_document_of_version_4() {
    let session = Session::open("run.ntff", ntff(&first_kind()), &Limits::default()).unwrap();
    let json = answer(&session, r#"{"ask":"ntff"}"#);
    let expected = json!({
        "version": 4, "uuid": "deadbeef", "uuid_bytes": 4, "uuid_hex": "deadbeef", "name": "net",
        "instance_type": "trn1.2xlarge", "runtime_version": "2.23.27", "runtime_commit": null,
        "driver_version": "2.19", "collectives_version": "2.23.33",
        "versions_provenance": "inferred", "logical_core_size": null,
        "epoch_seconds": 1_700_000_000, "queues": [], "provenance": "file",
        "unexplained": [{"field": "3", "value": 10001}],
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&json[key], value, "{key}");
    }
    let core = &json["subgraphs"][0];
    assert_eq!((&core["name"], &core["core"]), (&json!("sg00"), &Value::Null));
    let image = &core["images"][0];
    assert_eq!(
        (&image["engine"], &image["base"], &image["bytes"], &image["whole"]),
        (&json!("PE"), &json!("0x1000000"), &json!(64), &json!(true))
    );
    // MD5 of 64 zero bytes.
    assert_eq!(image["md5"], "3b5d3c7d207e37dceeedd301e35e2e58");
    assert_eq!(
        (&core["images"][1]["engine"], &core["images"][1]["whole"]),
        (&json!("code 7"), &json!(false))
    );
    assert_eq!(
        core["patches"],
        json!([
            {"engine": "PE", "offset": 0, "count": 40, "type": "INSERT"},
            {"engine": "PE", "offset": 64, "count": 1, "type": "DELETE"},
            {"engine": "PE", "offset": 64, "count": 2, "type": "type 7"},
        ])
    );
    // ACT: 4000 / 2 and 7998 / 2 = 2000 and 3999 ps; DMA: 4000 / 2 = 2000 ps. 3999 - 2000 = 1999.
    assert_eq!(
        core["trace"],
        json!({"records": 3, "first_ns": 0, "last_ns": 1, "unknown": 0, "untimed": 0, "after_overflow": 1})
    );
    assert_eq!(
        core["slices"][1],
        json!({
            "source": "dma", "queue": "dma_trace", "offset": 32, "bytes": 16, "records": 1
        })
    );
    assert_eq!(
        core["rings"],
        json!([{
            "name": "qDveTable", "queue": 14, "kind": "runtime", "rings": 16, "first_engine": 0,
            "last_engine": 15, "blocks": 2
        }])
    );
    assert_eq!(
        core["memory"],
        json!([
            {"category": 0, "name": "generic", "name_provenance": "observed", "bytes": 5},
            {"category": 10, "name": "dve", "name_provenance": "observed", "bytes": 6},
            {"category": 9, "name": null, "name_provenance": "file", "bytes": 7},
        ])
    );
    assert_eq!(
        core["clocks"][0],
        json!({"clock": "ACT", "initial": 1_000_000, "actual": 2, "expected": 1})
    );
    assert_eq!(core["execution_ps"], 26_600_001);
    let codes: Vec<_> =
        json["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(
        codes,
        ["ntff.image-size", "ntff.row-type", "ntff.engine", "ntff.engine", "ntff.overflow"]
    );
    // `info` about a capture is the same document, and nothing shows what the head holds.
    assert_eq!(answer(&session, r#"{"ask":"info"}"#), json);
    assert_eq!(
        json["file"],
        json!({"name": "run.ntff", "bytes": ntff(&first_kind()).len(), "kind": "ntff"})
    );
    assert!(!json.to_string().contains("SECRET"));
}

/// Zero is the earliest record of the file, not that of each core.
#[test]
fn both_cores_share_one_zero() {
    let core = |name: &str, time| CoreText {
        name: name.to_owned(),
        slices: vec![SliceText {
            bytes: record(0, 0, 0x84, 0, time).to_vec(),
            ..SliceText::default()
        }],
        ..CoreText::default()
    };
    let text = NtffText {
        version: 5,
        uuid: (0x10..0x26).collect(),
        cores: vec![core("sg00", 10_000), core("sg01", 7_001)],
        ..NtffText::default()
    };
    let session = Session::open("a", ntff(&text), &Limits::default()).unwrap();
    let json = answer(&session, r#"{"ask":"ntff"}"#);
    assert_eq!(json["uuid"], "10111213-1415-1617-1819-1a1b1c1d1e1f");
    assert_eq!(json["uuid_bytes"], 22);
    let ns = |index: usize| json["subgraphs"][index]["trace"]["first_ns"].clone();
    assert_eq!((ns(0), ns(1)), (json!(2), json!(0)));
}

#[test]
fn files_of_both_kinds_stand_side_by_side() {
    let limits = Limits::default();
    let neff = case_file(&workspace_root(), "two-subgraphs").unwrap();
    let neff = Arc::new(OpenFile::open("a.neff", neff, &limits).unwrap());
    let capture = Arc::new(OpenFile::open("run", ntff(&first_kind()), &limits).unwrap());
    assert_eq!((neff.kind(), capture.kind()), (FileKind::Neff, FileKind::Ntff));
    assert!(capture.as_neff().is_none() && neff.as_ntff().is_none());
    assert!(capture.weight() >= capture.bytes());
    let session = Session::new(vec![Arc::clone(&capture), neff]);
    assert_eq!(answer(&session, r#"{"ask":"info"}"#)["file"]["kind"], "neff");
    assert_eq!(answer(&session, r#"{"ask":"info","f":0}"#)["file"]["kind"], "ntff");
    assert_eq!(answer(&session, r#"{"ask":"ntff"}"#)["file"]["name"], "run");
    let kinds = answer(&session, r#"{"ask":"files"}"#);
    assert_eq!(kinds["files"][0]["kind"], "ntff");
    let refused = |f| session.ask(&Request::Ntff { f: Some(f) }).unwrap_err().code;
    assert_eq!((refused(1), refused(2)), ("file.no-ntff", "file.unknown"));
    let alone = Session::new(vec![capture]);
    assert_eq!(alone.ask_text(r#"{"ask":"regions"}"#).unwrap_err().code, "file.no-neff");
    assert!(Request::from_json(r#"{"ask":"ntff","s":"sg00"}"#).is_err());
}

/// The bundled pairs belong together by UUID, and by their slots.
#[test]
fn bundled_pairs_belong_together() {
    for (name, field_bytes) in [("pair-cayman", 18), ("pair-sunda", 4)] {
        let folder = workspace_root().join("fixtures/cases").join(name);
        let open = |file: &str| {
            let bytes = std::fs::read(folder.join(file)).unwrap();
            OpenFile::open(file, bytes, &Limits::default()).unwrap()
        };
        let (neff, capture) = (open("input.neff"), open("input.ntff"));
        let (neff, capture) = (neff.as_neff().unwrap(), capture.as_ntff().unwrap().capture());
        let uuid = neff.package().header().uuid;
        assert_eq!(capture.uuid.len(), field_bytes);
        assert!(uuid_matches(&uuid, &capture.uuid), "{name}");
        assert!(!uuid_matches(&[9; 16], &capture.uuid), "{name}");
        for subgraph in neff.package().subgraphs() {
            let core = capture.subgraph(&subgraph.name).unwrap();
            for engine in Engine::ALL {
                let list = core.patch_list(engine).unwrap().patch_rows().unwrap();
                let sum = |kind| -> u32 {
                    list.iter().filter(|row| row.kind == kind).map(|row| row.count).sum()
                };
                let source = neff.package().slots(subgraph.engine(engine)).len() as u32;
                let slots = capture.slots(core.image(engine).unwrap()).len() as u32;
                assert_eq!(
                    slots + sum(PatchType::DELETE),
                    source + sum(PatchType::INSERT),
                    "{name} {engine}"
                );
            }
        }
    }
}

#[test]
fn names_help_where_content_does_not_tell() {
    let open = |name: &str, bytes: Vec<u8>| {
        OpenFile::open(name, bytes, &Limits::default()).err().map(|error| error.code.to_string())
    };
    assert_eq!(open("a.ntff", b"junk".to_vec()).as_deref(), Some("ntff.too-short"));
    assert_eq!(open("A.NTFF", vec![9; 200]).as_deref(), Some("ntff.no-capture"));
    assert_eq!(open("a", vec![9; 200]).as_deref(), Some("file.kind"));
    assert_eq!(open("a.neff", ntff(&first_kind())).as_deref(), Some("neff.header-size"));
    let small = Limits { upload_bytes: 10, ..Limits::default() };
    let error = OpenFile::open("a.ntff", vec![0; 11], &small).err().unwrap();
    assert_eq!(error.code, "ntff.file-limit");
}

/// A document lists so many entries of a table, and says how many there are.
#[test]
fn long_tables_are_listed_in_part() {
    let mut text = first_kind();
    text.cores[0].images[0].rows = (0..70_000).map(|at| [64 * at, 1, 0]).collect();
    let file = OpenFile::open("a.ntff", ntff(&text), &Limits::default()).unwrap();
    let session = Session::new(vec![std::sync::Arc::new(file)]);
    let document = answer(&session, r#"{"ask":"ntff"}"#);
    assert_eq!(document["subgraphs"][0]["patches"].as_array().unwrap().len(), 65_536);
    let listed: Vec<_> = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| finding["code"] == "ntff.listed")
        .collect();
    assert_eq!(listed.len(), 1);
    assert!(listed[0]["message"].as_str().unwrap().contains("patch rows"));
}

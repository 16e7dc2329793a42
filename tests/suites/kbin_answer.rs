//! Questions about the tree of records: lists, pages, fields with links, variables, queues; and
//! documents of any text.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use debug_api::{Limits, Scope, Session};
use serde_json::{Value, json};
use support::asking::ask;
use support::fixtures::case;
use support::fuzz_kbin::{BETWEEN, MEMBERS, run};
use support::neff_builder::{build, content};
use support::workspace_root;

fn session(name: &str) -> Session {
    let bytes = build(&case(&workspace_root(), name).unwrap()).unwrap();
    Session::open("input.neff", bytes, &Limits::default()).unwrap()
}

fn field<'a>(record: &'a Value, name: &str) -> &'a Value {
    let fields = record["fields"].as_array().unwrap();
    fields.iter().find(|field| field["name"] == name).unwrap()
}

#[test]
fn every_record_of_the_list_can_be_read() {
    let session = session("every-record");
    let list = ask(&session, &json!({"ask": "kbin", "s": "sg00"}));
    assert_eq!((&list["total"], &list["target"]), (&json!(40), &json!("CAYMAN")));
    assert_eq!(list["gates"][0]["stops"], json!(false));
    let records = list["records"].as_array().unwrap();
    assert_eq!(records.len(), 40);
    for record in records {
        let name = record["name"].as_str().unwrap();
        let answer = ask(&session, &json!({"ask": "kbin", "record": name, "hex_bytes": 65536}));
        let one = &answer["records"][0];
        for key in ["name", "type", "bytes", "rows"] {
            assert_eq!(one[key], record[key], "{name}");
        }
        let bytes = session.kbin_bytes(&Scope::default(), name, 0).unwrap();
        assert_eq!(json!(bytes.len()), record["bytes"]);
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(one["hex"], json!(hex), "{name}");
        for field in one["fields"].as_array().unwrap() {
            assert!(field["provenance"].is_string() && field["meaning"].is_string(), "{field}");
            assert!(field["spec"].as_str().unwrap().starts_with("docs/format/kbin.md \""));
            // A link to a record leads into one of the list.
            if let Some(target) = field["link"]["record"].as_str() {
                let target = records.iter().find(|record| record["name"] == target).unwrap();
                assert!(field["link"]["offset"].as_u64() < target["bytes"].as_u64(), "{field}");
            }
        }
    }
    let page = ask(&session, &json!({"ask": "kbin", "from": 38, "count": 1}));
    assert_eq!(page["records"].as_array().unwrap().len(), 1);
    assert_eq!(page["records"][0]["name"], records[38]["name"]);
}

/// What a search found in a field is told by what the field has.
#[test]
fn a_hit_has_no_empty_parts() {
    let session = session("every-record");
    let answer = ask(&session, &json!({"ask": "kbin", "find": "mem_ref_set"}));
    let hits: Vec<(&Value, &Value)> = answer["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| (&record["name"], &record["hit"]))
        .collect();
    assert_eq!(
        hits,
        [(&json!("kbin"), &json!("mem_ref_set")), (&json!("mem_ref_set"), &json!(null))]
    );
}

#[test]
fn rows_and_bytes_come_in_pages() {
    let session = session("every-record");
    let question = json!({"ask": "kbin", "record": "mem_ref_set", "from": 7, "count": 1});
    let answer = ask(&session, &question);
    let one = &answer["records"][0];
    assert_eq!((&one["rows"], &one["from"]), (&json!(11), &json!(7)));
    // 24 + 7 * 152.
    assert_eq!(one["hex_from"], json!(1088));
    assert_eq!(field(one, "mem[7].mr_type")["text"], json!("PTR"));
    assert!(one["fields"].as_array().unwrap().iter().all(|one| one["name"] != "mem[6].size"));
    assert_eq!(field(one, "mem[7].io_ref")["value"], json!(true));
    let link = &field(one, "mem[7].referenced_var_id")["link"];
    assert_eq!((&link["record"], &link["offset"]), (&json!("mem_ref_set"), &json!(328)));
    let question = json!({"ask": "kbin", "record": "engine.PE", "hex_from": 318, "hex_bytes": 4});
    assert_eq!(ask(&session, &question)["records"][0]["hex"], json!("0000a010"));
    let question = json!({"ask": "kbin", "record": "ring.q_out.0"});
    let answer = ask(&session, &question);
    let to = field(&answer["records"][0], "desc[0].to.steps");
    assert_eq!(to["value"], json!([1, -16, 0, 0, 0, 0, 0, 0]));
    assert_eq!((&to["unit"], &to["tag"]), (&json!("bytes"), &json!("inferred")));
    for record in ["", "engine", "mem_ref_set.0", "\u{0}", "ring.q_out.4294967296"] {
        let answer = ask(&session, &json!({"ask": "kbin", "record": record}));
        assert_eq!(answer["error"]["code"], json!("record.unknown"), "{record}");
    }
}

#[test]
fn a_variable_with_everything_that_uses_it() {
    let session = session("every-record");
    let answer = ask(&session, &json!({"ask": "variable", "name": "y"}));
    assert_eq!((&answer["id"], &answer["kind"]), (&json!(2), &json!("OUTPUT")));
    assert_eq!(answer["offset"], json!(24 + 2 * 152));
    assert_eq!(answer["fields"][0]["name"], json!("mem[2].mr_type"));
    assert_eq!(answer["named_by"], json!(["cell", "both"]));
    assert_eq!(answer["total_descriptors"], json!(1));
    let one = &answer["descriptors"][0];
    assert_eq!((&one["record"], &one["row"]), (&json!("ring.q_out.0"), &json!(0)));
    assert_eq!(
        (&one["block"], &one["role"], &one["engine"]),
        (&json!(7), &json!("target"), &json!("POOL"))
    );
    // Rows of 16 bytes at 48, 32, 16, 0.
    assert_eq!((&one["start"], &one["end"], &one["elements"]), (&json!(0), &json!(64), &json!(1)));
    // The second record of POOL triggers block 7 of q_out.
    assert_eq!(answer["total_slots"], json!(1));
    let slot = &answer["slots"][0];
    assert_eq!((&slot["at"]["e"], &slot["at"]["neff_ip"]), (&json!("POOL"), &json!(2)));
    assert_eq!((&slot["role"], &slot["queue"]), (&json!("target"), &json!("q_out")));
    let by_id = ask(&session, &json!({"ask": "variable", "id": 2}));
    assert_eq!(by_id, answer);
    let x = ask(&session, &json!({"ask": "variable", "name": "x"}));
    // load, transpose, fma, max, add, cast.
    assert_eq!(x["total_descriptors"], json!(6));
    let missing = ask(&session, &json!({"ask": "variable", "id": 77}));
    assert_eq!(missing["error"]["code"], json!("variable.unknown"));
    assert_eq!(
        ask(&session, &json!({"ask": "variable"}))["error"]["code"],
        json!("request.invalid")
    );
}

#[test]
fn a_collective_uses_its_variables() {
    let session = self::session("sg00");
    let answer = ask(&session, &json!({"ask": "variable", "name": "gradient_out"}));
    let slots: Vec<(&Value, &Value)> = answer["slots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["at"]["e"], &one["role"]))
        .collect();
    // PE's collective writes it, POOL's second trigger reads it.
    assert_eq!(slots, [(&json!("PE"), &json!("target")), (&json!("POOL"), &json!("source"))]);
}

#[test]
fn a_verdict_says_no_more_than_is_published() {
    let verdict = |member: &str, from: &str, to: &str| {
        let mut case = support::fixtures::case(&support::workspace_root(), "every-record").unwrap();
        support::case::change(&mut case, member, from, to);
        let bytes = support::neff_builder::build(&case).unwrap();
        let session = Session::open("input.neff", bytes, &Limits::default()).unwrap();
        ask(&session, &json!({"ask": "kbin"}))["verdict"].as_str().unwrap().to_owned()
    };
    let (def, pool) = ("sg00/def.json", "sg00/pool.json");
    assert_eq!(verdict(def, "\"definition\"", "\"other\""), "loads");
    // Refused with a published text, and without one.
    assert_eq!(verdict(def, r#""owner": "sp""#, r#""owner": "gpu""#), "refused");
    assert_eq!(verdict("sg00/weights.npy", "934e554d", "504b0304"), "refused");
    assert_eq!(verdict(def, r#""offset": 229368"#, r#""offset": 0"#), "refused");
    // What a loader does is not published.
    assert_eq!(verdict(pool, r#""to": "y""#, r#""to": "z""#), "unknown");
    assert_eq!(verdict(pool, r#""queue": "q_data_b""#, r#""queue": "q_nobody""#), "unknown");
    assert_eq!(verdict(def, r#""type": "in","#, r#""type": "sideways","#), "unknown");
}

#[test]
fn a_queue_with_its_rings_and_triggers() {
    let session = session("every-record");
    let answer = ask(&session, &json!({"ask": "queue", "name": "q_data"}));
    assert_eq!((&answer["ring_type"], &answer["owner"]), (&json!("DATA"), &json!("SP")));
    let rings: Vec<(&Value, &Value, &Value)> = answer["rings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ring| (&ring["name"], &ring["descriptors"], &ring["bytes"]))
        .collect();
    assert_eq!(
        rings,
        [
            (&json!("q_data_a"), &json!(4), &json!(22088)),
            (&json!("q_data_b"), &json!(1), &json!(5720))
        ]
    );
    // The first instance has 4 transfers of one contiguous row, 2 each; fma and add read two sources:
    // 1 + 4 + 2 + 4 + 2.
    assert_eq!((&answer["descriptors"], &answer["elements"]), (&json!(5), &json!(13)));
    assert_eq!(answer["contributors"][0]["variable"], json!("x"));
    let answer = ask(&session, &json!({"ask": "queue", "name": "q_in"}));
    assert_eq!(answer["total_triggers"], json!(1));
    assert_eq!(answer["triggers"][0]["at"]["neff_ip"], json!(1));
    assert_eq!(
        ask(&session, &json!({"ask": "queue", "name": "q"}))["error"]["code"],
        json!("queue.unknown")
    );
}

/// A table of variables may be an array, and two in it may have one name.
#[test]
fn variables_of_one_name_are_all_reached() {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let def = case.members.iter_mut().find(|one| one.name == "sg00/def.json").unwrap();
    def.text = Some(
        r#"{"pe": "pe.json", "var": [
            {"name": "a", "type": "input", "size": 1, "var_id": 0},
            {"name": "a", "type": "output", "size": 2, "var_id": 1},
            {"name": "b", "type": "tmp-buf", "size": 3, "var_id": 2},
            {"name": "a", "type": "pointer", "size": 8, "referenced_var_id": 1, "var_id": 3}]}"#
            .to_owned(),
    );
    let session = Session::open("i.neff", build(&case).unwrap(), &Limits::default()).unwrap();
    let index = ask(&session, &json!({"ask": "index", "s": "sg00"}));
    let pages: Vec<&str> = index["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(pages, ["variable.a", "variable.mem[1]", "variable.b", "variable.mem[3]"]);
    for (page, id) in pages.iter().zip([0, 1, 2, 3]) {
        let name = page.strip_prefix("variable.").unwrap();
        let one = ask(&session, &json!({"ask": "variable", "name": name}));
        assert_eq!((&one["id"], &one["page"]), (&json!(id), &json!(page)));
    }
    // Links lead to the one that is meant.
    let second = ask(&session, &json!({"ask": "variable", "id": 1}));
    assert_eq!(second["named_by_pages"], json!(["variable.mem[3]"]));
    let rows = ask(&session, &json!({"ask": "kbin", "record": "mem_ref_set"}));
    let fields = &rows["records"][0];
    assert_eq!(field(fields, "mem[1].name")["links"][0]["record"], "variable.mem[1]");
    let record = session.ask_text(r#"{"ask":"variable","name":"mem[4]"}"#);
    assert!(record.is_err(), "there are four");
}

fn seed() -> Vec<u8> {
    let case = case(&workspace_root(), "every-record").unwrap();
    let parts: Vec<Vec<u8>> = MEMBERS
        .iter()
        .map(|name| content(case.members.iter().find(|one| one.name == *name).unwrap()).unwrap())
        .collect();
    parts.join(&BETWEEN)
}

/// Bytes, numbers, texts and whole pieces changed by a fixed sequence.
#[test]
fn documents_of_any_text_make_a_tree() {
    let base = case(&workspace_root(), "every-record").unwrap();
    let seed = seed();
    assert!(run(&base, &seed));
    run(&base, &[]);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |most: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % most as u64) as usize
    };
    let values: [&[u8]; 12] = [
        b"0",
        b"-1",
        b"18446744073709551615",
        b"9223372036854775807",
        b"-9223372036854775808",
        b"null",
        b"[]",
        b"{}",
        b"\"\"",
        b"4294967295",
        b"1e400",
        b"[[[1]]]",
    ];
    let mut trees = 0;
    for _ in 0..250 {
        let mut text = seed.clone();
        for _ in 0..1 + next(4) {
            let at = next(text.len());
            match next(4) {
                0 => text[at] ^= 1 << next(8),
                1 => {
                    let end = (at + next(200)).min(text.len());
                    text.drain(at..end);
                }
                2 => {
                    let end = (at + next(300)).min(text.len());
                    let piece = text[at..end].to_vec();
                    let to = next(text.len());
                    text.splice(to..to, piece);
                }
                _ => {
                    // A number somewhere behind becomes another value.
                    let digit =
                        text[at..].iter().position(u8::is_ascii_digit).map(|step| at + step);
                    let Some(start) = digit else { continue };
                    let length =
                        text[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                    text.splice(start..start + length, values[next(values.len())].iter().copied());
                }
            }
            if text.is_empty() {
                break;
            }
        }
        trees += u32::from(run(&base, &text));
    }
    assert!(trees > 200, "{trees}");
}

/// Everything wrong at once: each gate with the loader's text, each finding, and the whole tree.
#[test]
fn a_program_that_is_wrong_in_all_ways_is_shown_whole() {
    const DEF: &str = "sg00/def.json";
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let two = r#""partitions": 128}, {"type": "evtaccel", "offset": 229372, "size": 8, "base_partition": 0, "partitions": 1}"#;
    for (member, from, to) in [
        (
            DEF,
            r#""dtype": "float32", "shape": [16]"#,
            r#""dtype": "sixteen_letters_", "shape": [1, 1, 1, 1, 1, 1, 1, 1, 16]"#,
        ),
        (DEF, r#""var_id": 10"#, r#""var_id": 12"#),
        (DEF, r#""type": "output""#, r#""type": "input""#),
        (DEF, r#""owner": "sp""#, r#""owner": "moon""#),
        (DEF, r#""owner": "pool", "type": "in""#, r#""owner": "pool""#),
        (DEF, r#""partitions": 128}"#, two),
        ("sg00/weights.npy", "934e554d50590100", "934e554d50590200"),
        ("sg00/exp.json", r#""bkt_entry_cnt": 2"#, r#""bkt_entry_cnt": 3"#),
        ("sg00/exp.json", r#""ctl_entry_cnt": 1"#, r#""ctl_entry_cnt": 0"#),
    ] {
        assert!(case.change(member, from, to), "no `{from}` in {member}");
    }
    let bytes = build(&case).unwrap();
    let session = Session::open("input.neff", bytes, &Limits::default()).unwrap();
    let answer = ask(&session, &json!({"ask": "kbin"}));
    assert_eq!(answer["total"], json!(40));
    let gates = answer["gates"].as_array().unwrap().iter();
    let texts: Vec<&str> = gates
        .filter(|gate| gate["stops"] == json!(true))
        .map(|gate| gate["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        [
            "no Outputs",
            "Unexpected var_ids set! max=12, size=11",
            "Invalid owner 'moon' for DMA queue q_data",
            "Device print dtype sixteen_letters_ has 16 char",
            "Device print only supports shape dimentions",
        ]
    );
    let all = answer["diagnostics"].as_array().unwrap();
    let codes: Vec<&str> = all
        .iter()
        .filter(|one| one["severity"] != "info")
        .map(|one| one["code"].as_str().unwrap())
        .collect();
    assert_eq!(
        codes,
        [
            "kbin.dtype-text",
            "kbin.shape",
            "kbin.npy-version",
            "kbin.var-ids",
            "kbin.no-output",
            "kbin.ring-type",
            "kbin.owner",
            "kbin.carveout-place",
            "kbin.carveout-overlap",
            "kbin.act-table",
            "kbin.act-table",
        ]
    );
    // Each has a place in the file that a click leads to.
    let links = answer["links"].as_array().unwrap();
    for (finding, links) in all.iter().zip(links).filter(|(one, _)| one["severity"] != "info") {
        assert_eq!(links[0]["member"], finding["at"]["member"], "{finding}");
    }
    let table = ask(&session, &json!({"ask": "kbin", "record": "mem_ref_set", "count": 20}));
    let table = &table["records"][0];
    for (name, value) in [
        ("mem[1].dtype", json!("sixteen_letters")),
        ("mem[1].shape", json!([1, 1, 1, 1, 1, 1, 1, 1])),
    ] {
        let one = field(table, name);
        assert_eq!((&one["value"], &one["provenance"]), (&value, &json!("modelled")), "{name}");
        assert!(one["why"].as_str().unwrap().contains("does not fit"));
    }
    assert_eq!(field(table, "mem[10].var_id")["value"], json!(12));
    let queue = ask(&session, &json!({"ask": "kbin", "record": "dma.q_data"}));
    let owner = field(&queue["records"][0], "owner");
    assert_eq!((&owner["text"], &owner["provenance"]), (&json!("MAX"), &json!("modelled")));
    let queue = ask(&session, &json!({"ask": "kbin", "record": "dma.q_in"}));
    let kind = field(&queue["records"][0], "ring_type");
    assert_eq!((&kind["text"], &kind["provenance"]), (&json!("LAST"), &json!("modelled")));
}

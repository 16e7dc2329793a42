//! Firmware memory and control entries, as the command line, HTTP and the browser ask about them.
//! Expected values are those of the published tables, by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use debug_api::Session;
use serde_json::{Value, json};
use std::path::PathBuf;
use support::asking::{ask, code, session};
use support::dump_writer::{OTHERS, SUNDA, collapsed, context};
use support::golden::compare;

/// Memory order and value of each worked entry.
const WORKED: [(&str, &str); 20] = [
    ("0100010001000000", "0x0000000100010001"),
    ("010003000f000000", "0x0000000f00030001"),
    ("0180040030000000", "0x0000003000048001"),
    ("0100160000ff0000", "0x0000ff0000160001"),
    ("0180010000000080", "0x8000000000018001"),
    ("01000f00ffff0000", "0x0000ffff000f0001"),
    ("0103050003000000", "0x0000000300050301"),
    ("0184010001000000", "0x0000000100018401"),
    ("0101010000000100", "0x0001000000010101"),
    ("0131010004000f00", "0x000f000400013101"),
    ("01b100000800ff00", "0x00ff00080000b101"),
    ("012211000c000180", "0x8001000c00112201"),
    ("01b919000f00ffff", "0xffff000f0019b901"),
    ("013a000003000700", "0x0007000300003a01"),
    ("0181070000000000", "0x0000000000078101"),
    ("0105010002000300", "0x0003000200010501"),
    ("0187030003000000", "0x0000000300038701"),
    ("0100000000000000", "0x0000000000000001"),
    ("0000000000000000", "0x0000000000000000"),
    ("01ff1f00ffffffff", "0xffffffff001fff01"),
];

/// The fields of a decoded entry as values to encode, in one of the two views.
fn to_encode(entry: &Value, mesh: bool) -> Value {
    let op = entry["cc_op"].as_object().unwrap();
    let flags = [
        "algo_type",
        "algo_sub_type",
        "trigger_next",
        "reporter",
        "ring_wait_complete",
        "ring_send_complete",
        "safe_mode",
        "unique_tensors",
    ];
    let mut fields: serde_json::Map<String, Value> =
        flags.iter().map(|name| ((*name).to_owned(), op[*name].clone())).collect();
    fields.insert("cc_op".to_owned(), entry["header"]["cc_op"].clone());
    for name in ["header", "flags", "byte"] {
        fields.insert(format!("reserved_{name}"), entry["reserved"][name].clone());
    }
    let view = if mesh { &op["mesh"] } else { &op["ring"] };
    for (name, value) in view.as_object().unwrap() {
        fields.insert(name.clone(), value.clone());
    }
    Value::Object(fields)
}

#[test]
fn worked_entries_both_ways() {
    let none = Session::new(Vec::new());
    for (raw, word) in WORKED {
        let answer = ask(&none, &json!({"ask": "spad-ctrl", "words": [raw, word]}));
        let entries = answer["entries"].as_array().unwrap();
        assert_eq!(entries[0], entries[1]);
        assert_eq!((&entries[0]["raw"], &entries[0]["word"]), (&json!(raw), &json!(word)));
        for mesh in [false, true] {
            let fields = to_encode(&entries[0], mesh);
            let made = ask(&none, &json!({"ask": "spad-ctrl-encode", "fields": fields}));
            assert_eq!(made["entries"][0]["raw"], raw, "{fields}");
        }
    }
}

#[test]
fn an_entry_in_both_readings() {
    let none = Session::new(Vec::new());
    let question = |names: &str| json!({"ask": "spad-ctrl", "words": ["0131010004000F00"], "algo_names": names});
    let seed = ask(&none, &question("enc_alg_type"));
    let entry = &seed["entries"][0];
    let expected = json!({
        "algo_type": 1, "algo_type_name": "HIER", "algo_sub_type": 3, "algo_sub_type_name": "SWITCH",
        "trigger_next": false, "reporter": true, "ring_wait_complete": false,
        "ring_send_complete": false, "safe_mode": false, "unique_tensors": false,
        "ring": {"channel_list": "0xf0004"}, "mesh": {"sema_shift_offset": 4, "sema_mask": "0xf"}
    });
    assert_eq!(entry["cc_op"], expected);
    assert_eq!(entry["header"], json!({"cc_op": true}));
    assert_eq!(entry["reserved"], json!({"header": 0, "flags": 0, "byte": 0}));
    let readings = json!([
        {"names": "enc_alg_type", "algo_type_name": "HIER", "view": "both"},
        {"names": "enc_pattern", "algo_type_name": "MESH", "view": "mesh"}
    ]);
    assert_eq!(entry["readings"], readings);
    assert_eq!(entry["channels"], json!([2, 16, 17, 18, 19]));
    let header = ask(&none, &question("header"));
    assert_eq!(header["entries"][0]["cc_op"]["algo_type_name"], "MESH");
    // Both readings come with what speaks for and against each, whichever is chosen.
    assert_eq!(seed["readings"], header["readings"]);
    for reading in seed["readings"].as_array().unwrap() {
        assert!(!reading["evidence_for"].as_array().unwrap().is_empty());
        assert!(!reading["evidence_against"].as_array().unwrap().is_empty());
    }
    let odd = ask(&none, &json!({"ask": "spad-ctrl", "words": ["0x0d01", "0xfffefffe00000000"]}));
    assert_eq!(odd["entries"][0]["cc_op"]["algo_type_name"], Value::Null);
    assert_eq!(odd["entries"][1]["kind"], "continue");
    assert_eq!(ask(&none, &question("enc_pattern")), header);
    assert_eq!(code(&none, &question("sheet")), "spad.names");
}

#[test]
fn words_and_fields_that_are_none() {
    let none = Session::new(Vec::new());
    for word in ["", "0x", "0100", "01000100010000000", "0x10000000000000000", "zz00010001000000"] {
        let question = json!({"ask": "spad-ctrl", "words": [word]});
        assert_eq!(code(&none, &question), "spad.word", "{word}");
    }
    for (fields, expected) in [
        (json!({"algo_type": 16}), "spad.field"),
        (json!({"algo_sub_type": 8}), "spad.field"),
        (json!({"reporter": 2}), "spad.field"),
        (json!({"channel_list": 4_294_967_296_u64}), "spad.field"),
        (json!({"sema_mask": "0x10000"}), "spad.field"),
        (json!({"reserved_flags": 8}), "spad.field"),
        (json!({"colour": 1}), "spad.field"),
        (json!({"algo_type": "ROUND"}), "spad.field"),
        (json!({"channel_list": 1, "sema_shift_offset": 0}), "spad.views"),
    ] {
        let question = json!({"ask": "spad-ctrl-encode", "fields": fields});
        assert_eq!(code(&none, &question), expected, "{fields}");
    }
    // Names belong to a reading; what is left out is zero, and the entry carries an operation.
    let mesh = |names: &str| {
        let question = json!({"ask": "spad-ctrl-encode", "fields": {"algo_type": "mesh"}, "algo_names": names});
        ask(&none, &question)["entries"][0]["raw"].clone()
    };
    assert_eq!(
        (mesh("seed"), mesh("header")),
        (json!("0102000000000000"), json!("0101000000000000"))
    );
}

fn find<'a>(list: &'a Value, name: &str) -> &'a Value {
    let found = list.as_array().unwrap().iter().find(|one| one["name"] == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn structs_of_a_context_anywhere_in_a_dump() {
    for (blocks, generations) in
        [(&SUNDA, &["sunda"][..]), (&OTHERS, &["cayman", "mariana", "mariana-plus"])]
    {
        let mut bytes = vec![0xEE; 0x123];
        bytes.extend(context(blocks, 3));
        let session = session(&[("top.bin", &bytes)]);
        for generation in generations {
            let answer =
                ask(&session, &json!({"ask": "dump", "generation": generation, "offset": 0x123}));
            assert_eq!(answer["diagnostics"], json!([]));
            let structs = &answer["structs"];
            let events = if blocks.end == SUNDA.end { 50 } else { 108 };
            assert_eq!(answer["total"], json!(32 + events + 32 + 11));
            let tsync = find(structs, "configs.dev.tsync");
            assert_eq!(
                (&tsync["offset"], &tsync["bytes"]),
                (&json!(0x123 + blocks.dev), &json!(36))
            );
            let field = |one: &Value, name: &str| {
                let field = find(&one["fields"], name);
                (field["offset"].clone(), field["value"].clone(), field["type"].clone())
            };
            assert_eq!(
                field(tsync, "timestamp_tpb"),
                (json!(24), json!("0x8280000004"), json!("address"))
            );
            assert_eq!(field(tsync, "timestamp_tpb_val"), (json!(32), json!(1024), json!("u32")));
            let dev = find(structs, "configs.dev");
            assert_eq!(field(dev, "seng_id"), (json!(44), json!(1), json!("bits")));
            assert_eq!(field(dev, "dev_id"), (json!(45), json!(2), json!("bits")));
            assert_eq!(
                field(dev, "tpb_ctrl_ack"),
                (json!(36), json!("0x8169698820"), json!("u64"))
            );
            let channel = find(structs, "configs.algo.ring.channels.1");
            assert_eq!(field(channel, "spad_slot_idx"), (json!(141), json!(2), json!("u8")));
            assert_eq!(
                field(channel, "next_neigh.net_idx_addrs[0]"),
                (json!(0), json!("0x70000001"), json!("address"))
            );
            assert_eq!(find(&channel["fields"], "next_neigh.type")["text"], "P2P_POD");
            // 0x8280000000 + 3 x 2^30 + 0x1000 + 4 x 25.
            assert_eq!(field(channel, "send_sema").1, json!("0x8340001064"));
            let event = find(structs, "configs.algo.mesh.events.1");
            assert_eq!(find(&event["fields"], "event_type")["text"], "INTRA_GRP_BRDCST");
            let neff = find(structs, "configs.neff");
            assert_eq!(field(neff, "op_num"), (json!(3584), json!(3), json!("u32")));
            assert_eq!(field(neff, "leader").1, json!(true));
            assert_eq!(neff["offset"].as_u64().unwrap() + 3584, 0x123 + blocks.neff as u64 + 3584);
            let op = find(structs, "neff.op");
            assert_eq!(field(op, "ctrl_entry.channel_list").1, json!("0xf"));
            assert_eq!(field(op, "ctrl_entry.sema_shift_offset").1, json!(15));
            assert_eq!(field(op, "tpb_compl[1]").0, json!(16));
            let row = find(structs, "algo.ring.channels.0");
            assert_eq!(field(row, "run_state"), (json!(15), json!(3), json!("u8")));
            let algo = find(structs, "algo");
            assert_eq!(field(algo, "mesh_event_index"), (json!(0x204), json!(6), json!("u16")));
            let host = find(structs, "configs.neff.barrier_configs.host_barrier");
            let device = find(structs, "configs.neff.barrier_configs");
            assert_eq!(host["offset"], device["offset"]);
            assert_eq!(field(device, "execute_device_barrier").1, json!(true));
        }
    }
}

#[test]
fn the_generation_that_fits_is_inferred() {
    for (blocks, expected) in [(&SUNDA, "sunda"), (&OTHERS, "cayman")] {
        let mut bytes = context(blocks, 0);
        bytes.resize(0x8000, 0);
        let session = session(&[("top.dump", &bytes)]);
        let answer = ask(&session, &json!({"ask": "info"}));
        assert_eq!(answer["generation"], expected);
        assert_eq!(answer["generation_provenance"], "inferred");
        assert_eq!(answer["structs"], json!([]));
        let asked = ask(&session, &json!({"ask": "dump", "generation": expected}));
        assert_eq!(asked["generation_provenance"], "configured");
        let found = ask(&session, &json!({"ask": "dump", "find": "tpb_stop_sema"}));
        assert_eq!(
            (&found["total"], &found["structs"][0]["name"]),
            (&json!(1), &json!("configs.neff"))
        );
        assert!(found["structs"][0]["hit"].as_str().unwrap().starts_with("tpb_stop_sema 0x82"));
        let one = ask(&session, &json!({"ask": "dump", "name": "neff.op"}));
        assert_eq!(one["structs"][0]["hex"].as_str().unwrap()[..16], *"010003000f000000");
    }
}

#[test]
fn the_printers_text_and_its_strict_form() {
    let bytes = context(&OTHERS, 1);
    let session = session(&[("top.bin", &bytes)]);
    let question = json!({
        "ask": "dump-text", "generation": "cayman", "model_name": "m", "base": "0x10000"
    });
    let answer = ask(&session, &question);
    assert_eq!(answer["status"], 0);
    let text = answer["text"].as_str().unwrap();
    // Pointers: packed ids, the selector, the leader, and two members that print their own place:
    // 0x10000 + 0x3448 + 2496 + 0x408 and 0x410.
    for line in [
        "        \"tpb_id\": 0x3,\n        \"seng_id\": 0x1,\n        \"dev_id\": 0x2,\n",
        "\"execute_device_barrier\": 0x1,\n",
        "\"leader\": 0x1,\n        \"tpb_compl_addr_num\": 2\n",
        "\"pring_base_addr\": 0x14210,\n          \"pring_total_desc_num\": 0x14218\n",
        "\"__stub\": \"0x000000000000ABCD\"\n",
        "\"curr_id\": 0,\n",
    ] {
        assert!(text.contains(line), "{line}");
    }
    assert!(serde_json::from_str::<Value>(text).is_err());
    let strict: Value = serde_json::from_str(answer["strict"].as_str().unwrap()).unwrap();
    let context = &strict["ncfw_ctx_top_sp"];
    assert_eq!(context["configs"]["dev"]["tpb_id"], 3);
    assert_eq!(context["configs"]["neff"]["basic_block_configs"]["pring_base_addr"], 0x14210);
    let table = &context["configs"]["neff"]["basic_block_configs"]["table"];
    let rows = json!([
        {"desc_count": 16, "reset_section_desc_count": 2},
        {"desc_count": 32, "reset_section_desc_count": 0}
    ]);
    assert_eq!(*table, rows);
    assert_eq!(context["algo"]["ring"]["channels"][0]["recv_cnt"], 2);
    assert_eq!(context["neff"]["op"]["ctrl_entry"]["cc_op"]["ring"]["channel_list"], 15);
    let step = &context["configs"]["neff"]["barrier_configs"]["device_barrier"]["steps"][0];
    assert_eq!(step["target_sema_val"], json!([9, 0, 0, 0]));
}

/// What the printer wrote is read back as an answer: values where they were, the rest open.
#[test]
fn a_printed_text_is_an_answer_again() {
    let bytes = context(&OTHERS, 1);
    let dump = session(&[("top.bin", &bytes)]);
    let text = ask(&dump, &json!({"ask": "dump-text", "model_name": "m", "base": "0x10000"}));
    let none = Session::new(Vec::new());
    let read = ask(&none, &json!({"ask": "dump-read", "text": text["text"]}));
    let head = ["generation", "generation_provenance", "model_name", "base"];
    assert_eq!(head.map(|key| &read[key]), ["cayman", "inferred", "m", "0x10000"]);
    assert_eq!(read["diagnostics"], json!([]));
    let op = find(&read["structs"], "neff.op");
    let value = |name: &str| {
        let field = find(&op["fields"], name);
        (field["value"].clone(), field["text"].clone())
    };
    assert_eq!(value("ctrl_entry.channel_list").0, "0xf");
    let open = (Value::Null, json!("not printed"));
    for name in ["ctrl_entry.safe_mode", "ctrl_entry.unique_tensors"] {
        assert_eq!(value(name), open, "{name}");
    }
    // RING-2: bits 1 to 7 and 19 to 31 are open.
    assert_eq!(&op["hex"].as_str().unwrap()[..16], "??00????0f000000");
    assert_eq!(&op["known"].as_str().unwrap()[..16], "01ff0700ffffffff");
    let neff = find(&read["structs"], "configs.neff");
    let function_n = find(&neff["fields"], "function_n");
    assert_eq!((function_n["value"].clone(), function_n["text"].clone()), open);
    assert_eq!(find(&neff["fields"], "op_num")["value"], 3);
    assert_eq!(ask(&none, &json!({"ask": "dump-read", "text": ""}))["values"], 0);
    for (text, at) in [("[", 0), ("\"a\": tea", 5)] {
        let question = json!({"ask": "dump-read", "text": text}).to_string();
        let error = none.ask_text(&question).unwrap_err();
        assert_eq!((error.code, error.at.offset), ("dump.text", Some(at)));
    }
}

fn golden(name: &str) -> PathBuf {
    support::workspace_root().join("fixtures").join("dumps").join(name)
}

#[test]
fn accepted_texts() {
    for (blocks, generation) in [(&SUNDA, "sunda"), (&OTHERS, "mariana-plus")] {
        let session = session(&[("top.bin", &context(blocks, 2))]);
        let answer = ask(
            &session,
            &json!({"ask": "dump-text", "generation": generation, "model_name": "ring"}),
        );
        let text = collapsed(answer["text"].as_str().unwrap());
        compare(&golden(&format!("{generation}.txt")), &text).unwrap();
    }
    let none = Session::new(Vec::new());
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    let entry = ask(&none, &json!({"ask": "spad-ctrl", "words": ["0x8001000C00112201"]}));
    compare(&golden("mesh-4.json"), &pretty(&entry)).unwrap();
    compare(&golden("printers.json"), &pretty(&ask(&none, &json!({"ask": "printers"})))).unwrap();
}

#[test]
fn a_short_dump_shows_what_is_whole_and_says_where_it_ends() {
    let whole = context(&OTHERS, 0);
    let session = session(&[("top.bin", &whole[..0x4250 + 40])]);
    let answer = ask(&session, &json!({"ask": "dump", "generation": "cayman"}));
    let names: Vec<&str> = answer["structs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"configs.dev.tsync") && !names.contains(&"configs.dev"));
    assert_eq!(answer["diagnostics"][0]["code"], "dump.too-short");
    assert_eq!(answer["diagnostics"][0]["at"]["offset"], 0x4250);
    let text = json!({"ask": "dump-text", "generation": "cayman"});
    assert_eq!(code(&session, &text), "dump.too-short");
    let one = json!({"ask": "dump", "generation": "cayman", "name": "neff.op"});
    assert_eq!(code(&session, &one), "dump.too-short");
    for (question, expected) in [
        (json!({"ask": "dump", "generation": "v5"}), "dump.generation"),
        (json!({"ask": "dump", "offset": 0x10_0000}), "bytes.past-end"),
        (json!({"ask": "dump", "name": "configs.colour"}), "record.unknown"),
        (json!({"ask": "dump", "f": 1}), "file.unknown"),
        (json!({"ask": "spad-table", "offset": 0x10_0000}), "bytes.past-end"),
    ] {
        assert_eq!(code(&session, &question), expected, "{question}");
    }
}

#[test]
fn a_table_in_a_dump() {
    let mut bytes = vec![0xAA; 5];
    for (raw, _) in WORKED {
        let digits: Vec<u8> =
            (0..8).map(|at| u8::from_str_radix(&raw[2 * at..2 * at + 2], 16).unwrap()).collect();
        bytes.extend(digits);
    }
    bytes.push(1);
    let session = session(&[("table.bin", &bytes)]);
    let answer = ask(&session, &json!({"ask": "spad-table", "offset": 5}));
    let raw: Vec<&Value> =
        answer["entries"].as_array().unwrap().iter().map(|one| &one["raw"]).collect();
    assert_eq!(raw, WORKED.map(|(raw, _)| raw));
    let codes: Vec<(&str, u64)> = answer["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["code"].as_str().unwrap(), one["at"]["offset"].as_u64().unwrap()))
        .collect();
    // One byte is left over; MAX, the last one, has an algorithm without a name and starts a next one.
    let expected = [("spad.cut-short", 165), ("spad.algorithm", 158), ("spad.chain-open", 158)];
    assert_eq!(codes, expected);
    let some = ask(&session, &json!({"ask": "spad-table", "offset": 5, "count": 2}));
    assert_eq!((some["entries"].as_array().unwrap().len(), &some["diagnostics"]), (2, &json!([])));
}

#[test]
fn a_long_table_is_answered_in_parts() {
    // Each entry is its own number, so the second part tells where it begins.
    let bytes: Vec<u8> = (0..5_000_u64).flat_map(|n| (n << 32).to_le_bytes()).collect();
    let session = session(&[("long.bin", &bytes)]);
    let first = ask(&session, &json!({"ask": "spad-table", "count": 5_000}));
    assert_eq!(
        (&first["total"], first["entries"].as_array().unwrap().len()),
        (&json!(5_000), 4_096)
    );
    let rest = ask(&session, &json!({"ask": "spad-table", "offset": 32_768, "count": 904}));
    assert_eq!(
        (&rest["total"], &rest["entries"][0]["word"]),
        (&json!(904), &json!("0x0000100000000000"))
    );
}

#[test]
fn printers_say_where_they_are_and_what_does_not_fit() {
    let answer = ask(&Session::new(Vec::new()), &json!({"ask": "printers"}));
    let list = answer["printers"].as_array().unwrap();
    assert_eq!(list.len(), 39);
    let tsync = list.iter().find(|one| one["family"] == "dev_tsync").unwrap();
    let addresses = json!({
        "sunda": "0xad33", "cayman": "0x23ada", "mariana": "0x3c881", "mariana-plus": "0x55628"
    });
    assert_eq!(tsync["addresses"], addresses);
    assert_eq!((&tsync["bytes"], &tsync["writes"]), (&json!(0x163e), &json!(39)));
    let codes: Vec<&Value> =
        answer["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert_eq!(codes, ["dump.write-count"]);
    assert!(answer["diagnostics"][0]["message"].as_str().unwrap().starts_with("spad_ctrl_entry "));
}

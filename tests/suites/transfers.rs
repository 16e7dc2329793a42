//! Which bytes transfers touch, and pages of variables and queues: by the case `transfers`, whose
//! patterns are worked out by hand, and by real files.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use debug_api::{Limits, Session};
use serde_json::{Value, json};
use support::asking::ask;
use support::fixtures::case;
use support::neff_builder::build;
use support::real_files::real_file;
use support::workspace_root;

fn session() -> Session {
    let bytes = build(&case(&workspace_root(), "transfers").unwrap()).unwrap();
    Session::open("input.neff", bytes, &Limits::default()).unwrap()
}

fn transfer(session: &Session, name: &str) -> Value {
    ask(session, &json!({"ask": "transfer", "name": name}))
}

fn codes(answer: &Value) -> Vec<&str> {
    let faults = answer["faults"].as_array().unwrap().iter();
    faults.map(|fault| fault["code"].as_str().unwrap()).collect()
}

#[test]
fn strided_and_backward_sides_are_given_byte_for_byte() {
    let answer = transfer(&session(), "ring.q_load.0.0");
    assert_eq!((&answer["kind"], &answer["op"]), (&json!("descriptor"), &json!("COPY")));
    assert_eq!((&answer["queue"], &answer["block"]), (&json!("q_load"), &json!(0)));
    let source = &answer["sides"][0];
    // 8 rows of 16 bytes, 256 apart.
    let rows: Vec<[i64; 2]> = (0..8).map(|row| [row * 256, row * 256 + 16]).collect();
    assert_eq!(source["ranges"], json!(rows));
    assert_eq!((&source["start"], &source["end"]), (&json!(0), &json!(7 * 256 + 16)));
    assert_eq!(
        (&source["bytes"], &source["runs"], &source["room"]),
        (&json!(128), &json!(8), &json!(4096))
    );
    assert_eq!(
        (&source["element_bytes"], &source["variable_element_bytes"]),
        (&json!(4), &json!(4))
    );
    // From 112 back to 0: rows that touch are one range, though not one run.
    let target = &answer["sides"][1];
    assert_eq!(target["ranges"], json!([[0, 128]]));
    assert_eq!(target["runs"], json!(8));
    // 8 rows in 16 hardware queues.
    assert_eq!(answer["elements"], json!(1));
    assert_eq!(codes(&answer), [] as [&str; 0]);
    // 264 bytes stand before the first descriptor.
    assert_eq!(answer["links"][0]["record"], json!("ring.q_load.0"));
    assert_eq!(answer["links"][0]["offset"], json!(264));
}

#[test]
fn what_is_wrong_names_both_places() {
    let session = session();
    let bounds = transfer(&session, "ring.q_load.0.1");
    assert_eq!(codes(&bounds), ["kbin.pattern-bounds"]);
    // 4,032 + 2 x 64 = 4,160 of 4,096.
    assert_eq!(bounds["sides"][0]["end"], json!(4160));
    assert_eq!(bounds["sides"][0]["out_of_bounds"], json!(true));
    assert_eq!(bounds["sides"][1]["out_of_bounds"], json!(false));
    let members: Vec<&Value> = bounds["faults"][0]["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| &link["member"])
        .collect();
    assert_eq!(members, [&json!("sg00/pool.json"), &json!("sg00/def.json")]);

    let overlap = transfer(&session, "ring.q_load.0.2");
    assert_eq!(codes(&overlap), ["kbin.pattern-overlap"]);
    assert_eq!(overlap["faults"][0]["severity"], json!("warning"));
    assert_eq!(overlap["shared"], json!([[96, 128]]));

    let elements = transfer(&session, "ring.q_load.0.3");
    assert_eq!(codes(&elements), ["kbin.element-size"]);
    assert_eq!(elements["sides"][0]["variable_element_bytes"], json!(2));

    // The same findings stand in the tree, each with its drawing, its variable and both places.
    let tree = ask(&session, &json!({"ask": "kbin"}));
    let at = |code: &str| {
        let all = tree["diagnostics"].as_array().unwrap();
        all.iter().position(|one| one["code"] == code).unwrap()
    };
    let links = tree["links"][at("kbin.pattern-bounds")].as_array().unwrap();
    let records: Vec<&str> = links.iter().filter_map(|link| link["record"].as_str()).collect();
    assert_eq!(records, ["transfer.ring.q_load.0.1", "variable.image"]);
    assert_eq!(links.iter().filter(|link| link["member"].is_string()).count(), 2);
    let links = tree["links"][at("kbin.queue-size")].as_array().unwrap();
    let records: Vec<&str> = links.iter().filter_map(|link| link["record"].as_str()).collect();
    assert_eq!(records, ["queue.q_long", "variable.table", "variable.image"]);
}

#[test]
fn a_queue_stands_against_its_limit() {
    let session = session();
    let queue = ask(&session, &json!({"ask": "queue", "name": "q_long"}));
    // One hardware queue: 1 for the semaphore, 16,777,216 rows of `table`, 4 of `image`; the limit is
    // 0xFFFFF0. The write side is contiguous: 1 + 2 + 2.
    assert_eq!((&queue["elements"], &queue["limit"]), (&json!(16_777_221), &json!(16_777_200)));
    assert_eq!(
        (&queue["hardware_queues"], &queue["elements_provenance"]),
        (&json!(1), &json!("modelled"))
    );
    assert_eq!(queue["contributors"][0]["variable"], json!("table"));
    assert_eq!(queue["contributors"][0]["elements"], json!(16_777_216));
    // Too many runs to list are told by their number.
    let long = transfer(&session, "ring.q_long.0.0");
    assert_eq!(long["sides"][0]["runs"], json!(16_777_216));
    assert_eq!(long["sides"][0]["ranges"], json!([]));
    assert_eq!(long["sides"][0]["end"], json!(67_108_862_i64));
    // A queue for direct transfers has those of its engine, and holds no descriptors for them.
    let dynamic = ask(&session, &json!({"ask": "queue", "name": "q_dynamic"}));
    assert_eq!((&dynamic["is_dynamic"], &dynamic["elements"]), (&json!(true), &json!(0)));
    assert_eq!(dynamic["direct_elements"], json!(12), "1 + 2 contiguous and 1 + 128 rows / 16");
    let names: Vec<&Value> =
        dynamic["triggers"].as_array().unwrap().iter().map(|slot| &slot["transfer"]).collect();
    assert_eq!(names, [&json!("SP.1"), &json!("SP.2")]);
}

#[test]
fn a_variable_leads_to_its_place_and_to_those_who_read_it() {
    let session = session();
    let spill = ask(&session, &json!({"ask": "variable", "name": "spill"}));
    let place = &spill["place"];
    assert_eq!((&place["place"], &place["page"]), (&json!("page"), &json!(0)));
    assert_eq!(place["in_page_offset"], json!(8192));
    assert_eq!(place["provenance"], json!("modelled"));
    let range = |role: &str| json!({"first_partition": 0, "partitions": 128, "start": 0x1000, "end": 0x1100, "role": role});
    assert_eq!(spill["buffer"], json!([range("filled"), range("read")]));
    // PE's first record reads 128 fp16 elements from 0x1000, its second from 0x4000.
    assert_eq!(spill["total_buffer_slots"], json!(1));
    assert_eq!(spill["buffer_slots"][0]["at"]["neff_ip"], json!(1));
    assert_eq!(spill["buffer_slots"][0]["role"], json!("source"));
    let back = &spill["slots"][1];
    assert_eq!((&back["start"], &back["end"]), (&json!(256), &json!(256 + 128 * 256)));
    assert_eq!(back["out_of_bounds"], json!(true));
    assert_eq!(codes(&transfer(&session, "SP.2")), ["kbin.pattern-bounds"]);
    assert_eq!(codes(&transfer(&session, "SP.1")), [] as [&str; 0]);
    let never = ask(&session, &json!({"ask": "variable", "name": "never"}));
    assert_eq!((&never["total_slots"], &never["total_descriptors"]), (&json!(0), &json!(0)));
    assert_eq!(never["place"]["place"], json!("own"));
}

#[test]
fn queues_and_variables_are_listed_and_found() {
    let session = session();
    let names = |question: Value| -> Vec<String> {
        let answer = ask(&session, &question);
        let records = answer["records"].as_array().unwrap().iter();
        records.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = names(json!({"ask": "index"}));
    assert_eq!(all.len(), 3 + 8);
    assert_eq!(all[..4], ["queue.q_dynamic", "queue.q_load", "queue.q_long", "variable.SB"]);
    assert_eq!(
        names(json!({"ask": "index", "find": "OUTPUT"})),
        ["variable.answer", "variable.small"]
    );
    assert_eq!(names(json!({"ask": "index", "from": 10, "count": 9})), ["variable.never"]);
    // Fields of records lead to those pages.
    let ring = ask(&session, &json!({"ask": "kbin", "record": "ring.q_load.0"}));
    let fields = ring["records"][0]["fields"].as_array().unwrap();
    let links = |name: &str| &fields.iter().find(|one| one["name"] == name).unwrap()["links"];
    assert_eq!(links("desc[2].desc_type")[0]["record"], json!("transfer.ring.q_load.0.2"));
    assert_eq!(links("desc[2].from[0].idx")[0]["record"], json!("variable.ring"));
    assert_eq!(ring["records"][0]["links"][0]["record"], json!("queue.q_load"));
}

#[test]
fn names_that_are_none_are_refused() {
    let session = session();
    for name in [
        "",
        ".",
        "SP",
        "SP.",
        "SP.0",
        "SP.3",
        "PE.1",
        "XX.1",
        "ring.q_load.0",
        "ring.q_load.0.4",
        "ring.q_load.9.0",
        "dma.q_load.0",
        "SP.18446744073709551616",
        "kbin.0",
    ] {
        let answer = transfer(&session, name);
        assert_eq!(answer["error"]["code"], json!("transfer.unknown"), "{name}");
    }
}

#[test]
fn direct_transfers_of_real_programs_stay_in_their_variables() {
    for (name, transfers) in [("matmul_small", 5), ("matmul_large", 0)] {
        let Some(bytes) = real_file(&format!("{name}/{name}.neff")) else { continue };
        let session = Session::open("real.neff", bytes, &Limits::default()).unwrap();
        let mut seen = 0;
        for queue in ["qSPDynamicHW", "qPoolDynamic", "qActDynamicHW"] {
            let answer = ask(&session, &json!({"ask": "queue", "name": queue}));
            for slot in answer["triggers"].as_array().into_iter().flatten() {
                let one = transfer(&session, slot["transfer"].as_str().unwrap());
                assert_eq!(codes(&one), [] as [&str; 0], "{one}");
                assert_eq!(one["sides"].as_array().unwrap().len(), 2);
                assert!(one["sides"][0]["variable"].is_string(), "{one}");
                // Both sides move equally many elements; a cast changes their size.
                let n = |side: &Value| {
                    side["bytes"].as_u64().unwrap() / side["element_bytes"].as_u64().unwrap()
                };
                assert_eq!(n(&one["sides"][0]), n(&one["sides"][1]), "{one}");
                seen += 1;
            }
        }
        assert!(seen >= transfers, "{name}: {seen}");
    }
}

/// A transfer of 2^63 bytes, one that is beyond all numbers, and a virtual variable at the end of all
/// addresses: the page says what the finding says.
#[test]
fn sizes_beyond_numbers_are_said_in_the_same_words() {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let first = r#""from_off": 0, "from_sizes": [16, 4], "from_steps": [1, 16]"#;
    let half = r#""from_off": 0, "from_sizes": [9223372036854775808, 1], "from_steps": [1, 16]"#;
    assert!(case.change("sg00/pool.json", first, half));
    let second = r#""from_off": 1024, "from_sizes": [16, 4], "from_steps": [1, 262144]"#;
    let all = r#""from_off": 1024, "from_sizes": [18446744073709551615, 18446744073709551615], "from_steps": [1, 262144]"#;
    assert!(case.change("sg00/pool.json", second, all));
    let place = r#""backing_variable_off": 4096"#;
    assert!(case.change("sg00/def.json", place, r#""backing_variable_off": 18446744073709551615"#));
    let bytes = build(&case).unwrap();
    let session = Session::open("input.neff", bytes, &Limits::default()).unwrap();
    for (name, side, words) in [
        ("ring.q_in.0.0", 0, "0x0..0x8000000000000000, 9,223,372,036,854,775,808 bytes"),
        ("ring.q_out.0.0", 0, "bytes beyond 2^120"),
    ] {
        let answer = transfer(&session, name);
        let side = &answer["sides"][side];
        assert_eq!((&side["touches"], &side["end"]), (&json!(words), &json!(null)), "{name}");
        assert_eq!(side["out_of_bounds"], json!(true));
        let bounds = answer["faults"].as_array().unwrap();
        let bounds = bounds.iter().find(|one| one["code"] == "kbin.pattern-bounds").unwrap();
        let message = bounds["message"].as_str().unwrap();
        assert!(message.contains(&format!("touches {words} of `")), "{message}");
    }
    let x = ask(&session, &json!({"ask": "variable", "name": "x"}));
    let uses = x["descriptors"].as_array().unwrap();
    let load = uses.iter().find(|one| one["record"] == "ring.q_in.0").unwrap();
    assert_eq!(load["touches"], json!("0x0..0x8000000000000000, 9,223,372,036,854,775,808 bytes"));
    let tree = ask(&session, &json!({"ask": "kbin", "record": "mem_ref_set"}));
    let fields = tree["records"][0]["fields"].as_array().unwrap();
    let local = fields.iter().find(|one| one["name"] == "local_scratchpad_size").unwrap();
    assert_eq!((&local["value"], &local["provenance"]), (&json!(0), &json!("modelled")));
    let codes = codes_of(&tree);
    assert!(codes.contains(&"kbin.range"), "{codes:?}");
}

fn codes_of(tree: &Value) -> Vec<&str> {
    let all = tree["diagnostics"].as_array().unwrap().iter();
    all.map(|one| one["code"].as_str().unwrap()).collect()
}

/// A trigger leads to the drawings of what it starts, and a drawing to its triggers.
#[test]
fn triggers_and_drawings_lead_to_each_other() {
    let bytes = build(&case(&workspace_root(), "every-record").unwrap()).unwrap();
    let session = Session::open("input.neff", bytes, &Limits::default()).unwrap();
    // The second record of POOL starts block 7 of q_out, which has two descriptors.
    let slot = ask(&session, &json!({"ask": "slot", "e": "POOL", "ip": 2}));
    let sections = slot["sections"].as_array().unwrap();
    let section = sections.iter().find(|one| one["title"] == "Transfer").unwrap();
    let facts = section["facts"].as_array().unwrap();
    let records: Vec<&str> = facts.iter().filter_map(|fact| fact["record"].as_str()).collect();
    assert_eq!(records, ["queue.q_out", "transfer.ring.q_out.0.0", "transfer.ring.q_out.0.1"]);
    for name in ["ring.q_out.0.0", "ring.q_out.0.1"] {
        let answer = transfer(&session, name);
        assert_eq!(answer["total_triggers"], json!(1));
        let at = &answer["triggers"][0]["at"];
        assert_eq!((&at["e"], &at["neff_ip"]), (&json!("POOL"), &json!(2)));
    }
    // Nothing triggers what stands in a block that no record names.
    assert_eq!(transfer(&session, "ring.q_data.0.0")["total_triggers"], json!(0));
}

/// Names that are empty, or cannot be seen, have records, pages and links of their own.
#[test]
fn names_without_anything_to_see_are_told_apart() {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let more = r#""dma_queue": {"": {"owner": "sp", "type": "in"}, "\"\"": {"owner": "sp", "type": "out"}, "a\u200bb": {"owner": "pe", "type": "data"},"#;
    assert!(case.change("sg00/def.json", r#""dma_queue": {"#, more));
    let more = r#""var": {"": {"type": "tmp-buf", "size": 1, "var_id": 11}, "\u202e": {"type": "tmp-buf", "size": 2, "var_id": 12},"#;
    assert!(case.change("sg00/def.json", r#""var": {"#, more));
    let bytes = build(&case).unwrap();
    let session = Session::open("input.neff", bytes, &Limits::default()).unwrap();
    let tree = ask(&session, &json!({"ask": "kbin"}));
    let names: Vec<&str> = tree["records"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|record| record["name"].as_str())
        .filter(|name| name.starts_with("dma.") && !name.starts_with("dma.q_"))
        .collect();
    assert_eq!(names, [r#"dma."""#, r#"dma."\"\"""#, "dma.a\u{200b}b"]);
    for (name, kind) in [(r#""""#, "IN"), (r#""\"\"""#, "OUT"), ("a\u{200b}b", "DATA")] {
        let record = format!("dma.{name}");
        let answer = ask(&session, &json!({"ask": "kbin", "record": record}));
        assert_eq!(answer["records"][0]["name"], json!(record));
        let ring = ask(&session, &json!({"ask": "kbin", "record": format!("ring.{name}.0")}));
        assert_eq!(ring["records"][0]["rows"], json!(0));
        let queue = ask(&session, &json!({"ask": "queue", "name": name}));
        assert_eq!((&queue["ring_type"], &queue["record"]), (&json!(kind), &json!(record)));
    }
    let empty = ask(&session, &json!({"ask": "variable", "name": r#""""#}));
    assert_eq!((&empty["id"], &empty["name"]), (&json!(11), &json!("")));
    // The plain empty name is understood too.
    assert_eq!(ask(&session, &json!({"ask": "variable", "name": ""}))["id"], json!(11));
}

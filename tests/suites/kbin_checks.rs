//! Access patterns against variables, the state buffer and queues; what is told with a tree; and what a
//! question says about things that the file leaves open.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use debug_api::{Limits, Request, Session};
use kbin::patterns::{QueueNeed, queue_need};
use neff::Severity;
use serde_json::{Value, json};
use support::asking::ask;
use support::fixtures::case;
use support::kbin_tree::{Changes, DEF, POOL, changed, codes};
use support::neff_builder::build;
use support::workspace_root;

#[test]
fn patterns_against_their_variables() {
    // `y` has 64 bytes: rows at 64, 48, 32, 16 end at byte 79.
    let tree = changed(&[(POOL, r#""to_off": 48"#, r#""to_off": 64"#)]);
    assert_eq!(codes(&tree), ["kbin.pattern-bounds"]);
    let message = &tree.notes.findings.as_slice().last().unwrap().message;
    assert!(message.contains("touches 0x10..0x50, 64 bytes of `y`"), "{message}");
    assert!(message.contains("which has 0x0..0x40, 64 bytes"), "{message}");
    // Rows at 40, 24, 8 and -8.
    let tree = changed(&[(POOL, r#""to_off": 48"#, r#""to_off": 40"#)]);
    assert_eq!(codes(&tree), ["kbin.pattern-bounds"]);
    // 4 rows of 12 bytes cannot fill those of 16.
    let tree =
        changed(&[(POOL, "[16, 4], \"from_steps\": [1, 16]", "[12, 4], \"from_steps\": [1, 16]")]);
    assert_eq!(codes(&tree), ["kbin.pattern-bytes"]);
    let tree = changed(&[(DEF, r#""element_size": 4"#, r#""element_size": 2"#)]);
    assert!(codes(&tree).iter().all(|code| *code == "kbin.element-size"));
    assert!(!codes(&tree).is_empty());
    let tree = changed(&[(
        POOL,
        r#""to_steps": [1, 262144], "to_dtype": "float32""#,
        r#""to_steps": [1, 262144], "to_dtype": "int8""#,
    )]);
    assert_eq!(codes(&tree), ["kbin.element-size"]);
    // Bytes 8 to 11 onto bytes 10 to 13 of the same variable.
    let tree = changed(&[(
        POOL,
        r#""op": "copy", "from": "SB", "from_off": 0, "from_sizes": [4], "from_steps": [1],"#,
        r#""op": "copy", "from": "scratch", "from_off": 10, "from_sizes": [4], "from_steps": [1],"#,
    )]);
    assert_eq!(codes(&tree), ["kbin.pattern-overlap"]);
    // The state buffer ends behind partition 127.
    let tree = changed(&[(POOL, r#""to_off": 1024"#, r#""to_off": 33554432"#)]);
    assert_eq!(codes(&tree), ["kbin.pattern-bounds"]);
}

#[test]
fn partitions_of_the_state_buffer() {
    const TO: &str = r#""to_off": 1024, "to_sizes": [16, 4], "to_steps": [1, 262144]"#;
    let at = |target: &str, to: &str| {
        let changes: Changes<'_> =
            &[("kelf-0.json", r#""cayman""#, &format!("\"{target}\"")), (POOL, TO, to)];
        let tree = changed(changes);
        let found = tree.notes.findings.as_slice().iter();
        let own = found.filter(|one| one.code.starts_with("kbin.pattern"));
        own.map(|one| (one.code, one.message.clone())).collect::<Vec<_>>()
    };
    let code = |target, to: &str| at(target, to).iter().map(|one| one.0).collect::<Vec<_>>();
    let rows = |offset: u64| {
        format!(r#""to_off": {offset}, "to_sizes": [16, 4], "to_steps": [1, 262144]"#)
    };
    // The last 16 bytes in front of the reserved word, one byte more, and behind it.
    assert_eq!(code("cayman", &rows(0x37FE8)), [] as [&str; 0]);
    assert_eq!(code("cayman", &rows(0x37FE9)), ["kbin.pattern-reserved"]);
    assert_eq!(code("cayman", &rows(0x38000)), ["kbin.pattern-partition"]);
    // 192 KiB on sunda; the area that the file reserves is behind them.
    assert_eq!(code("sunda", &rows(0x2FFF0)), [] as [&str; 0]);
    assert_eq!(code("sunda", &rows(0x2FFF1)), ["kbin.pattern-partition"]);
    assert!(at("sunda", &rows(0x2FFF1))[0].1.contains("behind byte 0x2ffff of a partition"));
    // What mariana has is not known; the area that the file reserves counts all the same.
    assert_eq!(code("mariana", &rows(0x30000)), [] as [&str; 0]);
    assert_eq!(code("mariana", &rows(0x37FF0)), ["kbin.pattern-reserved"]);
    // A row from one partition to the next.
    let crossing = r#""to_off": 262136, "to_sizes": [64], "to_steps": [1]"#;
    assert_eq!(code("cayman", crossing), ["kbin.pattern-partition"]);
    assert_eq!(code("mariana", crossing), ["kbin.pattern-partition"]);
    assert!(
        at("cayman", crossing)[0].1.contains("from one partition"),
        "{:?}",
        at("cayman", crossing)
    );
}

#[test]
fn elements_against_types_and_rows() {
    // `y` is float32 and has no element_size.
    let to = r#""to": "y", "to_off": 48, "to_sizes": [16, 4], "to_steps": [1, -16]"#;
    let tree = changed(&[(POOL, to, &format!(r#"{to}, "to_dtype": "float16""#))]);
    assert_eq!(codes(&tree), ["kbin.element-type"]);
    let last = tree.notes.findings.as_slice().last().unwrap();
    assert!(last.message.contains("elements of 2 bytes, `y`"), "{}", last.message);
    assert!(last.message.contains("of type float32 with 4"), "{}", last.message);
    assert_eq!(last.severity, Severity::Warning);
    // Rows of 6 bytes of elements of 4, on both sides; those of 8 are whole.
    for (bytes, expected) in [(6, vec!["kbin.element-rows"; 2]), (8, vec![])] {
        let from = format!(r#""from_off": 0, "from_sizes": [{bytes}, 4], "from_steps": [1, 16]"#);
        let to = format!(r#""to_off": 1024, "to_sizes": [{bytes}, 4], "to_steps": [1, 262144]"#);
        let tree = changed(&[
            (POOL, r#""from_off": 0, "from_sizes": [16, 4], "from_steps": [1, 16]"#, &from),
            (POOL, r#""to_off": 1024, "to_sizes": [16, 4], "to_steps": [1, 262144]"#, &to),
        ]);
        assert_eq!(codes(&tree), expected);
    }
}

#[test]
fn two_variables_on_the_same_bytes_of_a_scratchpad() {
    let alias = |offset: u64, backing: &str| {
        let var = format!(
            r#""alias": {{"type": "virtual", "size": 64, "backing_variable_off": {offset}, {backing}"var_id": 11}}, "shown""#
        );
        let tree = changed(&[
            (DEF, r#""shown""#, &var),
            (
                POOL,
                r#""from": "x", "from_off": 0, "from_sizes": [8, 8]"#,
                r#""from": "alias", "from_off": 0, "from_sizes": [8, 8]"#,
            ),
        ]);
        let found = tree.notes.findings.as_slice().iter();
        let own = found.filter(|one| one.code == "kbin.pattern-overlap");
        own.map(|one| one.message.clone()).collect::<Vec<_>>()
    };
    // `local` begins at 4096 of the local scratchpad, and its bytes 0 to 63 are written.
    let message = alias(4096, "");
    assert_eq!(message.len(), 1);
    assert!(message[0].contains("from `alias` to `local`, which share bytes"), "{message:?}");
    // Bytes 4033 to 4096 share one, 4032 to 4095 none.
    assert_eq!(alias(4033, "").len(), 1);
    assert_eq!(alias(4032, "").len(), 0);
    assert_eq!(alias(4159, "").len(), 1);
    assert_eq!(alias(4160, "").len(), 0);
    // Another scratchpad is another place.
    assert_eq!(alias(4096, r#""backing_buf": "shared", "#).len(), 0);
}

#[test]
fn a_control_table_without_a_place_is_told() {
    let both = r#""control_fast_table": "fast.bin", "control_slow_table": "slow.bin""#;
    let tree = changed(&[("sg00/dve.json", both, r#""control_table": "fast.bin""#)]);
    let found = tree.notes.findings.as_slice().iter().find(|one| one.code == "kbin.dve-control");
    assert!(found.unwrap().message.contains("`control_table` names `fast.bin`"));
    let tables = tree.dve.as_ref().unwrap();
    assert!(tables[1].0.is_none() && tables[2].0.is_none());
    assert!(tables[1].1.why().contains("another table"), "{:?}", tables[1].1);
    let gone = changed(&[("sg00/dve.json", both, r#""control_table": "gone.bin""#)]);
    assert_eq!(codes(&gone), ["kbin.dve-table"]);
}

#[test]
fn a_queue_that_is_too_long_names_its_variables() {
    let tree = changed(&[
        // 4096 * 4097 rows of one byte each, two apart.
        (
            POOL,
            r#""from_off": 0, "from_sizes": [16, 4], "from_steps": [1, 16]"#,
            r#""from_off": 0, "from_sizes": [1, 4096, 4097], "from_steps": [1, 2, 8192]"#,
        ),
        (
            POOL,
            r#""to_sizes": [16, 4], "to_steps": [1, 262144]"#,
            r#""to_sizes": [16781312, 1, 1], "to_steps": [1, 1, 1]"#,
        ),
        (DEF, r#""size": 64, "var_id": 1"#, r#""size": 134217728, "var_id": 1"#),
        (DEF, r#""type": "in","#, r#""type": "in", "num_queues": 1,"#),
    ]);
    // The target is one row through 65 partitions, and the rows of the source are less than an element.
    let beside = ["kbin.pattern-partition", "kbin.pattern-reserved", "kbin.element-rows"];
    assert_eq!(codes(&tree), [&beside[..], &["kbin.queue-size"]].concat());
    let (_, queue) = tree.queue("q_in").unwrap();
    let QueueNeed { need, parts } = queue_need(&tree, queue);
    // 4096 * 4097 and the semaphore; the other side is one row in three dimensions.
    assert_eq!((need.read, need.write), (16_781_313, 2));
    assert_eq!((parts.len(), parts[0].variable, parts[0].elements), (1, 1, 16_781_312));
    let message = &tree.notes.findings.as_slice().last().unwrap().message;
    assert!(message.contains("`x` 16781312"), "{message}");
}

#[test]
fn a_hardware_queue_holds_0xfffff0_descriptors() {
    // Rows of one byte, two apart, and one descriptor for the semaphore.
    let with = |queues: u32, rows: u64| {
        let from = format!(r#""from_off": 0, "from_sizes": [1, {rows}], "from_steps": [1, 2]"#);
        let to = format!(r#""to_sizes": [{rows}], "to_steps": [1]"#);
        let number = format!(r#""type": "in", "num_queues": {queues},"#);
        let tree = changed(&[
            (POOL, r#""from_off": 0, "from_sizes": [16, 4], "from_steps": [1, 16]"#, &from),
            (POOL, r#""to_sizes": [16, 4], "to_steps": [1, 262144]"#, &to),
            (DEF, r#""size": 64, "var_id": 1"#, r#""size": 1073741824, "var_id": 1"#),
            (DEF, r#""type": "in","#, &number),
        ]);
        let long = codes(&tree).contains(&"kbin.queue-size");
        let need = queue_need(&tree, tree.queue("q_in").unwrap().1).need;
        (need.read, long)
    };
    assert_eq!(with(1, 16_777_199), (16_777_200, false));
    assert_eq!(with(1, 16_777_200), (16_777_201, true));
    assert_eq!(with(1, 16_777_216), (16_777_217, true));
    // 16,777,344 = 16 x 1,048,584.
    assert_eq!(with(16, 16_777_344), (1_048_585, false));
    // The doorbell has the same count, by the same rule.
    assert_eq!(with(2, 33_554_400), (16_777_201, true));
}

/// A session with the case `every-record`, changed.
fn session(changes: Changes<'_>) -> Session {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    for (member, from, to) in changes {
        support::case::change(&mut case, member, from, to);
    }
    Session::open("input.neff", build(&case).unwrap(), &Limits::default()).unwrap()
}

fn errors(answer: &Value) -> Vec<(&str, &str)> {
    let all = answer["diagnostics"].as_array().unwrap().iter();
    let errors = all.filter(|one| one["severity"] == "error");
    errors
        .map(|one| (one["code"].as_str().unwrap(), one["at"]["member"].as_str().unwrap()))
        .collect()
}

#[test]
fn findings_of_documents_that_shape_the_tree_stand_with_it() {
    let kbin = json!({"ask": "kbin"});
    let gone = session(&[(DEF, r#""file_name": "weights.npy""#, r#""file_name": "gone.npy""#)]);
    assert_eq!(errors(&ask(&gone, &kbin)), [("member.missing", "sg00/gone.npy")]);
    // The other subgraph has nothing to do with it.
    assert_eq!(errors(&ask(&gone, &json!({"ask": "kbin", "s": "sg01"}))), []);
    let code = session(&[("sg00/pe.json", r#""pe.bin""#, r#""nope.bin""#)]);
    assert_eq!(errors(&ask(&code, &kbin)), [("member.missing", "sg00/nope.bin")]);
    let number = session(&[("kelf-0.json", r#""cayman""#, "3")]);
    let answer = ask(&number, &kbin);
    assert_eq!(errors(&answer), [("json.type", "kelf-0.json")]);
    assert_eq!(
        (&answer["target"], &answer["target_provenance"], &answer["verdict"]),
        (&json!("SUNDA"), &json!("modelled"), &json!("unknown"))
    );
    let root = ask(&number, &json!({"ask": "kbin", "record": "kbin"}));
    let fields = root["records"][0]["fields"].as_array().unwrap();
    let target = fields.iter().find(|one| one["name"] == "target").unwrap();
    assert!(target["why"].as_str().unwrap().contains("see the findings"), "{target}");
    let rank = session(&[(
        POOL,
        r#""from_sizes": [16, 4], "from_steps": [1, 16]"#,
        r#""from_sizes": [16, 4], "from_steps": [1]"#,
    )]);
    let answer = ask(&rank, &kbin);
    let all = answer["diagnostics"].as_array().unwrap();
    assert!(all.iter().any(|one| one["code"] == "dma.rank"), "{all:?}");
}

#[test]
fn the_device_and_the_default_library_can_be_chosen() {
    let any = session(&[("kelf-0.json", r#""cayman""#, r#""*""#)]);
    let of = |extra: Value| {
        let mut question = json!({"ask": "kbin"});
        for (key, value) in extra.as_object().unwrap() {
            question[key] = value.clone();
        }
        let answer = ask(&any, &question);
        let has = |name: &str| {
            answer["records"].as_array().unwrap().iter().any(|one| one["name"] == name)
        };
        // The file has one library of its own.
        let libraries = if has("ucode_lib.1") { 2 } else { 1 };
        (answer["target"].as_str().unwrap().to_owned(), libraries)
    };
    assert_eq!(of(json!({})), ("CAYMAN".to_owned(), 1));
    assert_eq!(of(json!({"device": "sunda"})), ("SUNDA".to_owned(), 2));
    assert_eq!(of(json!({"device": "sunda", "library": "none"})), ("SUNDA".to_owned(), 1));
    assert_eq!(of(json!({"device": "sunda", "library": "mariana"})), ("SUNDA".to_owned(), 1));
    assert_eq!(of(json!({"device": "MARIANA", "library": "mariana"})), ("MARIANA".to_owned(), 2));
    assert_eq!(of(json!({"library": "cayman"})), ("CAYMAN".to_owned(), 2));
    let told = ask(&any, &json!({"ask": "kbin", "device": "sunda", "library": "none"}));
    assert_eq!(
        (&told["target_provenance"], &told["default_library"], &told["default_library_provenance"]),
        (&json!("configured"), &json!("none"), &json!("configured"))
    );
    let plain = ask(&any, &json!({"ask": "kbin"}));
    assert_eq!(plain["default_library"], json!("sunda"));
    assert_eq!(plain["default_library_provenance"], json!("modelled"));
    // A program that names its generation is not loaded by another one.
    let own = session(&[]);
    let answer = ask(&own, &json!({"ask": "kbin", "device": "sunda"}));
    assert_eq!(
        (&answer["target"], &answer["target_provenance"]),
        (&json!("CAYMAN"), &json!("file"))
    );
    for (key, code) in [("device", "device.unknown"), ("library", "library.unknown")] {
        let question = json!({"ask": "kbin", key: "inferentia"}).to_string();
        let error = any.ask(&Request::from_json(&question).unwrap()).unwrap_err();
        assert_eq!(error.code, code);
        assert!(error.message.contains("`inferentia`") && error.message.contains("mariana"));
    }
}

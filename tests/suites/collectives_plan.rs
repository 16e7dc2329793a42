//! The plan of collectives: questions about one file, several ranks, and algorithms.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use debug_api::{Limits, OpenFile, Session};
use device_image::Generation;
use device_image::collectives::top_sp::{doorbells, of_core, registers, semaphore};
use serde_json::Value;
use std::sync::Arc;
use support::asking::ask_text as ask;
use support::case::Case;
use support::fixtures::{case, workspace_root};

fn file(name: &str) -> Vec<u8> {
    let path = workspace_root().join("fixtures/cases").join(name).join("input.neff");
    std::fs::read(path).unwrap()
}

fn session(files: &[Vec<u8>]) -> Session {
    let limits = Limits::default();
    let open = |(at, bytes): (usize, &Vec<u8>)| {
        Arc::new(OpenFile::open(&format!("{at}.neff"), bytes.clone(), &limits).unwrap())
    };
    Session::new(files.iter().enumerate().map(open).collect())
}

fn cases(names: &[&str]) -> Session {
    session(&names.iter().map(|name| file(name)).collect::<Vec<_>>())
}

fn plan(session: &Session) -> Value {
    ask(session, r#"{"ask":"collectives"}"#)
}

/// Codes of findings with the byte offset of each.
fn codes(answer: &Value) -> Vec<(String, Option<u64>)> {
    let all = answer["diagnostics"].as_array().unwrap();
    all.iter().map(|one| (text(&one["code"]), one["at"]["offset"].as_u64())).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A case whose slots of PE are other ones, and whose definition has other text in places.
fn changed(name: &str, slots: Option<&[&str]>, replaced: &[(&str, &str)]) -> Vec<u8> {
    let mut made: Case = case(&workspace_root(), name).unwrap();
    made.archive.tar_bytes = None;
    for member in &mut made.members {
        if let (Some(slots), true) = (slots, member.name == "sg00/pe.bin") {
            member.slots = Some(slots.iter().map(|slot| (*slot).to_owned()).collect());
        }
        if let (Some(text), true) = (&mut member.text, member.name == "sg00/def.json") {
            for (from, to) in replaced {
                assert!(text.contains(from), "{from}");
                *text = text.replace(from, to);
            }
        }
    }
    support::neff_builder::build(&made).unwrap()
}

#[test]
fn an_all_reduce_of_two_ranks() {
    let answer = plan(&cases(&["collective-all-reduce-2"]));
    assert_eq!((&answer["world"], &answer["world_provenance"]), (&2.into(), &"file".into()));
    assert_eq!(answer["groups"][0]["text"], "(0,1)");
    assert_eq!(answer["diagnostics"], Value::Array(Vec::new()));
    let first = &answer["triggers"][0];
    assert_eq!(
        (&first["engine"], &first["slot"], &first["neff_ip"]),
        (&"PE".into(), &0.into(), &1.into())
    );
    assert_eq!(first["operation"], "all-reduce");
    assert_eq!((&first["reduction"], &first["dtype"]), (&"ADD".into(), &"fp32".into()));
    // 32 floats are 128 bytes; 2048 halves 4096.
    assert_eq!((&first["elements"], &first["bytes"]), (&32.into(), &128.into()));
    assert_eq!(first["inputs"][0]["name"], "gradient_in");
    assert_eq!(first["outputs"][0]["variable_bytes"], 128);
    assert_eq!(answer["triggers"][1]["bytes"], 4096);
    // Core 0 has TOP_SPs 0 and 1; each has one entry an operation, and both name each other.
    let tables = answer["top_sps"].as_array().unwrap();
    assert_eq!(tables.len(), 2);
    for (index, table) in tables.iter().enumerate() {
        assert_eq!((&table["index"], &table["n_entries"]), (&index.into(), &2.into()));
        assert_eq!(table["control_room"]["entries"], 512);
        assert_eq!(table["tape_room"]["entries"], 4096);
        assert_eq!(table["entries"][1]["trigger"]["slot"], 1);
        assert_eq!(answer["triggers"][1]["entries"][index]["offset"], 8);
        assert_eq!(answer["triggers"][1]["entries"][index]["top_sp"], index);
    }
    assert_eq!(answer["difference"], Value::Null);
    assert!(answer["tsync"].as_array().unwrap().len() > 5);
}

#[test]
fn algorithms_by_size_and_group() {
    let of = |name: &str| {
        let answer = plan(&cases(&[name]));
        let all = answer["triggers"].as_array().unwrap().clone();
        all.iter().map(|one| (text(&one["algorithm"]), one["steps"].as_u64())).collect::<Vec<_>>()
    };
    // 128 bytes, 2 MiB, 64 MiB over 8 ranks: a mesh of 6 events and 2 barriers, 2 * 3, 2 * 7 steps.
    let named = |name: &str, steps| (name.to_owned(), Some(steps));
    let expected = [named("mesh", 8), named("intra-rdh", 6), named("ring", 14)];
    assert_eq!(of("collective-all-reduce-8"), expected);
    // Two ranks of one node: the list of 3 events and 2 barriers.
    assert_eq!(of("collective-all-reduce-2"), [named("mesh", 5), named("mesh", 5)]);
    // Two nodes of 64 ranks, the default: 2 * 63 steps inside, 2 * 1 between. Eight of 16: 2 * 15 and
    // 2 * 7.
    assert_eq!(of("collective-hierarchical"), [named("hierarchical", 2 * 63 + 2)]);
    let nodes = cases(&["collective-hierarchical"]);
    let by_node = ask(&nodes, r#"{"ask":"collectives","ranks_per_node":16}"#);
    assert_eq!(by_node["triggers"][0]["steps"], 2 * 15 + 2 * 7);
    assert_eq!(by_node["triggers"][0]["locals"], 16);
    let asked = ask(&nodes, r#"{"ask":"collectives","algorithm":"inter-rdh"}"#);
    assert_eq!(asked["triggers"][0]["steps"], 14);
    assert_eq!(asked["triggers"][0]["algorithm_provenance"], "configured");
    let refused = ask(&nodes, r#"{"ask":"collectives","algorithm":"intra-rdh"}"#);
    assert_eq!(codes(&refused), [("collectives.topology".to_owned(), Some(0))]);
}

#[test]
fn kinds_told_by_sizes() {
    let gather = plan(&cases(&["collective-all-gather"]));
    let one = &gather["triggers"][0];
    assert_eq!((&one["operation"], &one["kind"]), (&"all-gather".into(), &3.into()));
    assert_eq!(
        (&one["inputs"][0]["bytes"], &one["outputs"][0]["bytes"]),
        (&1024.into(), &4096.into())
    );
    let scatter = plan(&cases(&["collective-reduce-scatter"]));
    let one = &scatter["triggers"][0];
    assert_eq!(one["operation"], "reduce-scatter");
    assert_eq!(one["operation_provenance"], "inferred");
    assert_eq!(
        (&one["inputs"][0]["bytes"], &one["outputs"][0]["bytes"]),
        (&4096.into(), &1024.into())
    );
}

#[test]
fn channels_and_the_chain_of_completions() {
    let files = cases(&["collective-all-reduce-2"]);
    let answer = ask(&files, r#"{"ask":"collectives","algorithm":"ring","channels":4}"#);
    let entry = |top_sp: usize| &answer["top_sps"][top_sp]["entries"][0];
    // Channels 0 and 2 are TOP_SP 0's, 1 and 3 the other's; the lower one tells the higher one.
    assert_eq!(
        (&entry(0)["channel_list"], &entry(1)["channel_list"]),
        (&"0x5".into(), &"0xa".into())
    );
    let flags = |one: &Value| {
        ["reporter", "ring_wait_complete", "ring_send_complete"].map(|name| one[name] == true)
    };
    assert_eq!(flags(entry(0)), [false, false, true]);
    assert_eq!(flags(entry(1)), [true, true, false]);
    // 2 channels with 2 steps and a closing entry each, for each of 2 operations.
    assert_eq!(answer["top_sps"][0]["tape"], 2 * 3 * 2);
    let one = ask(&files, r#"{"ask":"collectives","algorithm":"ring","channels":1}"#);
    assert_eq!(one["top_sps"][1]["entries"][0]["nop"], true);
    assert_eq!(one["top_sps"][0]["entries"][0]["reporter"], true);
    let many = ask(&files, r#"{"ask":"collectives","channels":33}"#);
    assert_eq!(codes(&many), [("collectives.channels".to_owned(), None)]);
    assert_eq!(many["channels"], 32);
    let full = ask(&files, r#"{"ask":"collectives","algorithm":"ring","channels":32}"#);
    assert_eq!(full["top_sps"][1]["entries"][0]["channel_list"], "0xaaaaaaaa");
}

#[test]
fn addresses_as_worked_out() {
    assert_eq!(semaphore(Generation::Cayman, 9, 5), Some((0x8082_C000_1014, 0x8082_C000_1814)));
    let bell = |generation, name| {
        doorbells(generation).iter().find(|bell| bell.name == name).map(|bell| bell.offset)
    };
    let host_trigger = bell(Generation::Cayman, "host_trigger").unwrap();
    assert_eq!(registers(Generation::Cayman, 3).unwrap() + host_trigger, 0x83_4026_15A0);
    let sunda = registers(Generation::Sunda, 2).unwrap();
    assert_eq!(sunda, 0xFFF_D020_0000 + 2 * 0x40_0000);
    assert_eq!(bell(Generation::Sunda, "host_trigger"), Some(0x60848));
    assert_eq!(bell(Generation::Sunda, "tsync"), None);
    let base = |index| semaphore(Generation::Cayman, index, 0).map(|(read, _)| read - 0x1000);
    assert_eq!(base(0), Some(0x82_8000_0000));
    assert_eq!(base(7), Some(0x84_4000_0000));
    assert_eq!(base(8), Some(0x8082_8000_0000));
    assert_eq!(base(15), Some(0x8084_4000_0000));
    assert_eq!(base(16), None);
    assert_eq!(semaphore(Generation::Cayman, 0, 256), None);
    assert_eq!(of_core(Generation::Cayman, 3, 1), [6, 7]);
    assert_eq!(of_core(Generation::Cayman, 5, 2), [8, 9, 10, 11]);
    assert_eq!(of_core(Generation::Sunda, 1, 1), [2, 3]);
    assert_eq!(of_core(Generation::Sunda, 9, 1), Vec::<u32>::new());
    assert_eq!(of_core(Generation::Cayman, u32::MAX, 2), Vec::<u32>::new());
}

#[test]
fn ranks_that_agree_and_ranks_that_do_not() {
    let same = plan(&cases(&["collective-all-reduce-2", "collective-all-reduce-2"]));
    assert_eq!(same["ranks"].as_array().unwrap().len(), 2);
    assert_eq!((&same["difference"], &same["rank"]), (&Value::Null, &0.into()));
    assert_eq!(codes(&same), []);
    let other = plan(&cases(&["collective-all-reduce-2", "collective-other-elements"]));
    let difference = &other["difference"];
    assert_eq!((&difference["index"], &difference["field"]), (&0.into(), &"elements".into()));
    assert_eq!(difference["message"], "collective 0: elements is 32 on rank 0 and 16 on rank 1");
    assert_eq!(difference["values"][1]["value"], "16");
    assert_eq!(difference["values"][1]["place"]["neff_ip"], 1);
    assert_eq!(codes(&other), [("collectives.mismatch".to_owned(), Some(0))]);
    let count = plan(&cases(&["collective-all-reduce-2", "collective-other-count"]));
    let difference = &count["difference"];
    assert_eq!((&difference["index"], &difference["field"]), (&2.into(), &"count".into()));
    assert_eq!(difference["message"], "rank 0 has 2 collectives, rank 1 has 5");
    assert_eq!(difference["values"][0]["place"], Value::Null);
    assert_eq!(difference["values"][1]["place"]["slot"], 2);
    assert_eq!(codes(&count), [("collectives.count".to_owned(), Some(128))]);
    // One file of several: its own plan only.
    let files = cases(&["collective-all-reduce-2", "collective-other-count"]);
    let one = ask(&files, r#"{"ask":"collectives","f":1}"#);
    assert_eq!(
        (&one["file"], &one["n_triggers"], &one["rank"]),
        (&1.into(), &5.into(), &Value::Null)
    );
    assert_eq!(one["ranks"], Value::Array(Vec::new()));
}

#[test]
fn sends_and_receives() {
    let good = plan(&cases(&["collective-send-receive", "collective-send-receive-peer"]));
    assert_eq!((&good["difference"], codes(&good)), (&Value::Null, Vec::new()));
    assert_eq!(good["pairs"], serde_json::json!([[[0, 1], [1, 0]]]));
    let one = &good["triggers"][1];
    assert_eq!((&one["operation"], &one["peer"]), (&"receive".into(), &1.into()));
    assert_eq!((&one["outputs"][0]["offset"], &one["bytes"]), (&64.into(), &64.into()));
    assert_eq!((&one["algorithm"], &one["n_ranks"]), (&Value::Null, &2.into()));
    // Both ranks are rank 0's program: both send to rank 1.
    let twice = plan(&cases(&["collective-send-receive", "collective-send-receive"]));
    let said: Vec<String> =
        twice["diagnostics"].as_array().unwrap().iter().map(|one| text(&one["message"])).collect();
    assert!(
        said.contains(&"rank 0 sends to rank 1, which does not receive it".to_owned()),
        "{said:?}"
    );
    assert!(said[0].starts_with("rank 1 sends to rank 1, and the pair (1,1)"), "{said:?}");
    let send = "cb 10 @0c 03 @10 01 @18 01 @38 80";
    let receive =
        |peer: u8, bytes: u8| format!("cb 10 @0c 04 @10 {peer:02x} @18 00 @38 {bytes:02x}");
    let of = |slots: &[&str]| changed("collective-send-receive", Some(slots), &[]);
    let size = plan(&session(&[of(&[send]), of(&[&receive(0, 64)])]));
    assert_eq!(codes(&size), [("collectives.peer".to_owned(), Some(0))]);
    assert_eq!(
        size["diagnostics"][0]["message"],
        "rank 0 sends 128 bytes to rank 1, which receives 64"
    );
    // Each receives before it sends: nobody begins.
    let back = "cb 10 @0c 03 @10 00 @18 01 @38 80";
    let first = of(&[&receive(1, 128), send]);
    let circle = plan(&session(&[first, of(&[&receive(0, 128), back])]));
    assert_eq!(codes(&circle), [("collectives.chain-circular".to_owned(), Some(0))]);
    assert_eq!(
        circle["diagnostics"][0]["message"],
        "receives wait for each other in a circle: rank 0 waits for rank 1, which waits for rank 0"
    );
}

#[test]
fn a_rank_that_no_group_has() {
    let two = file("collective-all-reduce-2");
    let third = plan(&session(&[two.clone(), two.clone(), two]));
    // The file says two ranks, and there are three.
    let messages: Vec<String> =
        third["diagnostics"].as_array().unwrap().iter().map(|one| text(&one["message"])).collect();
    assert_eq!(messages, ["rank 2: replica groups (0,1) do not contain rank 2"]);
    assert_eq!(codes(&third)[0], ("collectives.rank-missing".to_owned(), Some(0)));
    let grouped = cases(&["collective-grouped"]);
    let of_rank = ask(&grouped, r#"{"ask":"collectives","rank":3}"#);
    assert_eq!(of_rank["triggers"][0]["ranks"], serde_json::json!([2, 3]));
    assert_eq!(of_rank["triggers"][1]["ranks"], serde_json::json!([1, 3]));
    let outside = ask(&grouped, r#"{"ask":"collectives","rank":4}"#);
    assert_eq!(
        outside["diagnostics"][0]["message"],
        "replica groups (0,1),(2,3) do not contain rank 4"
    );
    // Nobody says how many ranks there are: a hole is suspicious, not wrong.
    let hole = changed(
        "collective-all-reduce-2",
        None,
        &[("[[[0, 1]]]", "[[[0, 2]]]"), ("\"#rank_world_size\": 2,", "")],
    );
    let hole = plan(&session(&[hole]));
    assert_eq!(hole["diagnostics"][0]["severity"], "warning");
    assert_eq!(hole["diagnostics"][0]["message"], "replica groups (0,2) do not contain rank 1");
}

#[test]
fn faults_have_codes_and_places() {
    let faults = plan(&cases(&["collective-faults"]));
    let expected = [
        ("collectives.range", 0),
        ("collectives.range", 0),
        ("collectives.variable", 64),
        ("collectives.group", 192),
        ("collectives.empty", 256),
        ("collectives.extension", 1024),
        ("collectives.chain", 640),
        ("collectives.chain", 896),
        ("collectives.rank-missing", 0),
        ("collectives.rank-missing", 0),
        ("collectives.rank-twice", 128),
        ("collectives.rank-outside", 128),
        ("collectives.topology", 128),
        ("collectives.rank-missing", 128),
        ("collectives.rank-missing", 128),
        ("collectives.kind", 320),
    ];
    let expected: Vec<_> =
        expected.iter().map(|(code, at)| ((*code).to_owned(), Some(*at as u64))).collect();
    assert_eq!(codes(&faults), expected);
    assert_eq!(faults["triggers"][6]["chaining"], "initial");
    assert_eq!(faults["top_sps"][0]["entries"][6]["trigger_next"], true);
    assert_eq!(faults["triggers"][3]["n_ranks"], Value::Null);
    let slot = "c8 10 @0c 04 0a @10 03 @14 04 @18 20 @20 01";
    let many = vec![slot; 513];
    let table = plan(&session(&[changed("collective-all-reduce-2", Some(&many), &[])]));
    let found = codes(&table);
    assert_eq!(found.len(), 2);
    let first = ("collectives.table".to_owned(), Some(512 * 64));
    assert!(found.iter().all(|one| *one == first), "{found:?}");
    assert!(
        text(&table["diagnostics"][0]["message"])
            .contains("needs 513 entries and has room for 512")
    );
    // 512 rings of 128 ranks with 254 steps do not fit the tape in our model.
    let tape = changed("collective-hierarchical", Some(&many[..512]), &[]);
    let tape = ask(&session(&[tape]), r#"{"ask":"collectives","algorithm":"ring"}"#);
    // 16 of 255 entries fit 4,096.
    assert_eq!(codes(&tape)[0], ("collectives.tape".to_owned(), Some(16 * 64)));
    assert_eq!(tape["top_sps"][0]["tape"], 512 * 255);
    let open = changed("collective-all-reduce-2", Some(&["d9 10 @0c 04 0a 01", "da 01"]), &[]);
    assert_eq!(codes(&plan(&session(&[open]))), [("collectives.chain".to_owned(), Some(0))]);
    let streams = [("\"name\": \"definition\"", "\"num_streams\": 5, \"name\": \"definition\"")];
    let streams = plan(&session(&[changed("collective-all-reduce-2", None, &streams)]));
    assert_eq!(codes(&streams), [("collectives.streams".to_owned(), None)]);
    let far = ask(&cases(&["collective-all-reduce-2"]), r#"{"ask":"collectives","core":8}"#);
    assert_eq!(codes(&far), [("collectives.top-sp".to_owned(), None)]);
    let node = r#"{"ask":"collectives","ranks_per_node":3}"#;
    let node = ask(&cases(&["collective-all-reduce-8"]), node);
    assert_eq!(codes(&node)[0].0, "collectives.locals");
    let zero = r#"{"ask":"collectives","ranks_per_node":0}"#;
    let zero = ask(&cases(&["collective-all-reduce-8"]), zero);
    assert_eq!(codes(&zero)[0].0, "collectives.locals");
    let uneven = "c8 10 @0c 04 0a @10 03 @14 05 @18 20 @20 02";
    let sizes = [
        (
            "\"gradient_in\": {\"type\": \"tmp-buf\", \"size\": 128",
            "\"gradient_in\": {\"type\": \"tmp-buf\", \"size\": 8192",
        ),
        ("[[[0, 1]]]", "[[[0, 1]]]"),
    ];
    let even = plan(&session(&[changed("collective-all-reduce-2", Some(&[uneven]), &sizes)]));
    assert_eq!(
        (&even["triggers"][0]["operation"], codes(&even)),
        (&"reduce-scatter".into(), Vec::new())
    );
}

#[test]
fn old_chips_take_some_numbers_of_ranks_only() {
    let four = cases(&["collective-all-reduce-4"]);
    let sunda = ask(&four, r#"{"ask":"collectives","generation":"sunda"}"#);
    assert_eq!(codes(&sunda), [("collectives.topology".to_owned(), None)]);
    assert_eq!(sunda["triggers"][0]["algorithm"], "ring");
    assert_eq!(sunda["top_sps"][0]["control_room"]["entries"], Value::Null);
    assert_eq!(sunda["triggers"][0]["mnemonic"], "PSEUDO_TRIGGER_ALL_REDUCE");
    assert_eq!(sunda["triggers"][0]["group_provenance"], "inferred");
    assert_eq!(sunda["triggers"][1]["reduction"], "MAX");
    let eight =
        ask(&cases(&["collective-all-reduce-8"]), r#"{"ask":"collectives","generation":"sunda"}"#);
    assert_eq!(codes(&eight), []);
}

#[test]
fn a_program_without_collectives() {
    let none = plan(&cases(&["two-subgraphs"]));
    assert_eq!((&none["n_triggers"], codes(&none)), (&0.into(), Vec::new()));
    // The sample has one collective and no group, which means all ranks.
    let sample = plan(&cases(&["sg00"]));
    assert_eq!(sample["triggers"][0]["n_ranks"], Value::Null);
    let eight = ask(&cases(&["sg00"]), r#"{"ask":"collectives","world":8}"#);
    assert_eq!(eight["triggers"][0]["n_ranks"], 8);
    assert_eq!(eight["world_provenance"], "configured");
}

fn of_two(slots: &[&str], replaced: &[(&str, &str)]) -> Value {
    plan(&session(&[changed("collective-all-reduce-2", Some(slots), replaced)]))
}

fn names(answer: &Value) -> Vec<String> {
    codes(answer).into_iter().map(|(code, _)| code).collect()
}

#[test]
fn streams_and_channels_that_records_name() {
    let one = ["d9 10 @0c 04 0a 01", "da @02 00 00 @04 07 00 @06 02 00"];
    let three = of_two(&one, &[]);
    // Stream 2 is the third one.
    assert_eq!((&three["streams"], &three["streams_provenance"]), (&3.into(), &"inferred".into()));
    assert_eq!(names(&three), [""; 0]);
    let none = plan(&cases(&["collective-all-reduce-2"]));
    assert_eq!((&none["streams"], &none["streams_provenance"]), (&1.into(), &"modelled".into()));
    let said = [("\"name\": \"definition\"", "\"num_streams\": 2, \"name\": \"definition\"")];
    let two = of_two(&one, &said);
    assert_eq!((&two["streams"], names(&two)), (&2.into(), vec!["collectives.streams".to_owned()]));
    let last = of_two(&["d9 10 @0c 04 0a 01", "da @04 1f 00 @06 03 00"], &[]);
    assert_eq!(names(&last), [""; 0]);
    // Channel 32 and stream 4 are the first ones that there are not.
    let past = of_two(&["d9 10 @0c 04 0a 01", "da @04 20 00 @06 04 00"], &[]);
    let expected = [("collectives.channels", Some(0)), ("collectives.streams", Some(0))];
    let expected = expected.map(|(code, at)| (code.to_owned(), at));
    assert_eq!(codes(&past), expected);
}

#[test]
fn numbers_that_no_runtime_takes() {
    let group = |groups: &str| {
        let slot = ["c8 10 @0c 04 0a @10 03 @14 04 @18 20 @20 01"];
        of_two(&slot, &[("[[[0, 1]]]", groups)])
    };
    for unread in ["[[[-1, 0]]]", "[[[0, 1.5]]]", "[[[0, 9223372036854775808]]]", "[0, 1]"] {
        let answer = group(unread);
        let found = answer["diagnostics"].as_array().unwrap();
        let told = found.iter().find(|one| one["code"] == "collectives.group").unwrap();
        assert!(text(&told["message"]).contains("are not nested arrays"), "{unread}: {told}");
    }
    assert!(names(&group("[[[]]]")).contains(&"collectives.group-empty".to_owned()));
    // 2^64 - 1 floats.
    let many = "c8 10 @0c 04 0a @10 03 @14 04 @18 ff ff ff ff ff ff ff ff @20 01";
    assert_eq!(names(&of_two(&[many], &[]))[0], "collectives.range");
    let odd = "c8 10 @0c 99 77 @10 03 @14 04 @18 20 @20 01";
    assert_eq!(names(&of_two(&[odd], &[])), ["collectives.dtype", "collectives.reduction"]);
    let invalid = "c8 10 @0c 04 00 @10 03 @14 04 @18 20 @20 01";
    assert_eq!(names(&of_two(&[invalid], &[])), ["collectives.dtype"]);
    // Rank 99 of 2, and a direction of 2.
    let far = of_two(&["cb 10 @0c 03 @10 63 @18 02 @38 20"], &[]);
    assert!(names(&far).contains(&"collectives.rank-outside".to_owned()), "{:?}", names(&far));
    assert!(names(&far).contains(&"collectives.direction".to_owned()));
    let asked = ask(&cases(&["collective-all-reduce-2"]), r#"{"ask":"collectives","world":3}"#);
    assert_eq!((&asked["world"], names(&asked)), (&2.into(), vec!["collectives.world".to_owned()]));
}

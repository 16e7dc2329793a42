//! What is named twice, leads to itself or is out of range: a finding with every place, and the tree
//! all the same. Which rows an answer has, and which bytes are written. Every program is the case
//! `every-record` with one change.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use debug_api::{Limits, Request, Scope, Session};
use kbin::Kbin;
use neff::Diagnostic;
use serde_json::{Value, json};
use support::asking::ask;
use support::case::{Case, MemberText};
use support::fixtures::case;
use support::kbin_tree::{Changes, DEF, POOL, changed, codes, stops, tree_of};
use support::neff_builder::build;
use support::workspace_root;

fn every_record() -> Case {
    case(&workspace_root(), "every-record").unwrap()
}

/// The text of a member of the changed case.
fn text(changes: Changes<'_>, name: &str) -> String {
    let mut case = every_record();
    for (member, from, to) in changes {
        support::case::change(&mut case, member, from, to);
    }
    case.members.iter().find(|one| one.name == name).unwrap().text.clone().unwrap()
}

fn found<'a>(tree: &'a Kbin, code: &str) -> &'a Diagnostic {
    let all = tree.notes.findings.as_slice();
    all.iter().find(|one| one.code == code).unwrap_or_else(|| panic!("no {code} in {all:?}"))
}

/// The first number written in hex behind `byte` or `bytes`, and the next one.
fn places(message: &str) -> Vec<usize> {
    let parts = message.split("0x").skip(1);
    parts
        .map(|part| {
            let digits: String = part.chars().take_while(char::is_ascii_hexdigit).collect();
            usize::from_str_radix(&digits, 16).unwrap()
        })
        .collect()
}

#[test]
fn one_change_one_finding() {
    let area = r#""partitions": 128}"#;
    let list = r#""list": [1, 2]"#;
    let table: [(Changes<'_>, &[&str], &str); 24] = [
        (
            &[(DEF, "[12, 13]", "[12, 12]")],
            &["kbin.semaphore-twice"],
            "has semaphore 12 as entries 0 and 1 of its set",
        ),
        (
            &[(
                DEF,
                r#""semaphore_set": [12, 13]"#,
                r#""semaphore": 5, "semaphore_set": [12, 13]"#,
            )],
            &["kbin.semaphore-twice"],
            "`semaphore` 5 and `semaphore_set`; the set is taken",
        ),
        (
            &[(DEF, r#""semaphore": 10"#, r#""semaphore": 999"#)],
            &["kbin.semaphore-range"],
            "semaphore 999 of queue `q_in` is none: a core has 256, 0 to 255",
        ),
        (&[(DEF, r#""semaphore": 10"#, r#""semaphore": 255"#)], &[], ""),
        (
            &[(DEF, r#""semaphore": 10"#, r#""semaphore": 256"#)],
            &["kbin.semaphore-range"],
            "semaphore 256",
        ),
        (
            &[(DEF, r#""semaphore": 10"#, r#""semaphore": 2"#)],
            &["kbin.semaphore-reserved"],
            "semaphore 2 of queue `q_in` is one of the 3",
        ),
        (
            &[(
                DEF,
                r#""semaphore": 10}"#,
                r#""semaphore": 2}}, "runtime_semaphore_count": 2, "x": {"y": {}"#,
            )],
            // The other queues went with the change.
            &["kbin.block-queue", "kbin.block-queue", "kbin.block-queue"],
            "",
        ),
        (
            &[("sg00/act.json", r#""act_semaphore": 9"#, r#""act_semaphore": 999"#)],
            &["kbin.semaphore-range"],
            "semaphore 999 of table loads",
        ),
        (
            &[(POOL, r#""queue": "q_in","#, r#""queue": "q_in", "semaphore": 999,"#)],
            &["kbin.semaphore-range"],
            "semaphore 999 of a block of queue `q_in`",
        ),
        (
            &[(POOL, r#""queue": "q_in","#, r#""queue": "q_in", "semaphore": 11,"#)],
            &["kbin.block-semaphore"],
            "raises semaphore 11, which queue `q_in` does not have",
        ),
        (&[(POOL, r#""queue": "q_in","#, r#""queue": "q_in", "semaphore": 10,"#)], &[], ""),
        (
            &[(DEF, r#""referenced_var_id": 2"#, r#""referenced_var_id": 7"#)],
            &["kbin.self-reference"],
            "variable `cell` leads to itself",
        ),
        (&[(DEF, list, r#""list": [1, 8]"#)], &["kbin.self-reference"], "`both` leads to itself"),
        (
            &[(DEF, r#""sg01", "var": "their""#, r#""sg00", "var": "peer""#)],
            &["kbin.self-reference"],
            "`peer` leads to itself",
        ),
        (
            &[(DEF, r#""sg01", "var": "their""#, r#""sg00", "var": "y""#)],
            &["kbin.self-reference"],
            "names its own subgraph `sg00`",
        ),
        (
            &[(DEF, list, r#""list": [1, 77, 78]"#)],
            &["kbin.list-target"],
            "names the ids 77, 78, which no variable",
        ),
        (
            &[(DEF, r#"["q_data_a", "q_data_b"]"#, r#"["q_data_b", "q_in"]"#)],
            &["kbin.ring-twice"],
            "queues `q_data` and `q_in` both have an instance `q_in`",
        ),
        (
            &[(DEF, r#""type": "in", "#, r#""type": "in", "queue_instances": ["one", "q_out"], "#)],
            &["kbin.ring-twice"],
            "`q_out`",
        ),
        (
            &[(DEF, r#""file_name": "weights.npy", "#, "")],
            &["kbin.content-missing"],
            "`weights` is filled from a file and has no `file_name`",
        ),
        (
            &[("sg00/act_info.json", r#""exp.json""#, r#""gone.json""#)],
            &["kbin.act-profiles"],
            "member `sg00/gone.json` is not in the archive",
        ),
        (
            &[(DEF, area, r#""partitions": 129}"#)],
            &["kbin.carveout-place", "kbin.carveout-range"],
            "partitions 0 to 128 and bytes 0x37ff8 to 0x37fff",
        ),
        (
            &[("sg00/pe.json", r#""pe.bin""#, r#""pe.json""#)],
            &["kbin.self-reference"],
            "names itself as the stream of PE",
        ),
        (
            &[(DEF, r#""pe": "pe.json""#, r#""pe": "pool.json""#)],
            &["kbin.engine-twice"],
            "PE and POOL have one document, `sg00/pool.json`",
        ),
        (
            &[(DEF, "[[[0, 1], [1, 0]], [[2, 3]]]", "[[0, 1], [-1, 2]]")],
            &["kbin.pairs"],
            "entry 1 is [-1,2]",
        ),
    ];
    for (changes, expected, message) in table {
        let tree = changed(changes);
        assert_eq!(codes(&tree), expected, "{changes:?} {:?}", tree.notes.findings);
        assert_eq!(stops(&tree), [] as [&str; 0]);
        let Some(code) = expected.last().filter(|_| !message.is_empty()) else { continue };
        let told = found(&tree, code);
        assert!(told.message.contains(message), "{}", told.message);
        assert!(told.at.member.is_some() || told.at.engine.is_some(), "{told:?}");
    }
}

#[test]
fn names_that_are_there_twice_have_both_places() {
    // As an array, a table of variables can have a name twice.
    let vars = r#"{"var": [
        {"name": "a", "type": "output", "size": 8, "var_id": 0},
        {"name": "b", "type": "input", "size": 8, "var_id": 1},
        {"name": "a", "type": "input", "size": 8, "var_id": 1}],
        "dma_queue": [
        {"name": "q", "owner": "sp", "type": "in", "semaphore": 10},
        {"name": "q", "owner": "pool", "type": "out", "semaphore": 11},
        {"name": "r", "owner": "act", "type": "act_load"}, {"name": "s", "owner": "act", "type": "act_load"}],
        "runtime_statebuffer_reservation": []}"#;
    let mut case = every_record();
    let definition = case.members.iter_mut().find(|one| one.name == DEF).unwrap();
    definition.text = Some(vars.to_owned());
    let tree = tree_of(&case, &kbin::Options::default());
    let starts = |code: &str| -> Vec<&str> {
        let told = found(&tree, code);
        let all = places(&told.message);
        assert_eq!(told.at.offset, all.last().map(|last| *last as u64), "{told:?}");
        all.into_iter().map(|at| &vars[at..at + 40]).collect()
    };
    let first = |text: &str| vars.find(text).map(|at| &vars[at..at + 40]).unwrap();
    let a = first(r#"{"name": "a", "type": "output""#);
    let (b, again) = (first(r#"{"name": "b""#), first(r#"{"name": "a", "type": "input""#));
    assert_eq!(starts("kbin.name-twice"), [a, again]);
    assert_eq!(starts("kbin.var-twice"), [b, again]);
    let (q, later) =
        (first(r#"{"name": "q", "owner": "sp""#), first(r#"{"name": "q", "owner": "pool""#));
    assert_eq!(starts("kbin.queue-twice"), [q, later]);
    assert_eq!(starts("kbin.act-queues"), [first(r#"{"name": "r""#), first(r#"{"name": "s""#)]);
    // Both variables and the first queue are there.
    assert_eq!((tree.variables.len(), tree.queues.len()), (3, 3));
    assert_eq!(tree.queue("q").unwrap().1.owner.unwrap().name(), "SP");
}

#[test]
fn areas_that_overlap_have_both_places() {
    let more = r#""partitions": 128}, {"type": "evtaccel", "offset": 229375, "size": 9, "base_partition": 127, "partitions": 1}"#;
    let changes: Changes<'_> =
        &[("kelf-0.json", "cayman", "mariana"), (DEF, r#""partitions": 128}"#, more)];
    let tree = changed(changes);
    assert_eq!(codes(&tree), ["kbin.carveout-overlap"]);
    let told = found(&tree, "kbin.carveout-overlap");
    let text = text(changes, DEF);
    assert!(
        text[places(&told.message)[0]..].starts_with(r#"{"type": "evtaccel", "offset": 229368"#)
    );
    let at = usize::try_from(told.at.offset.unwrap()).unwrap();
    assert!(text[at..].starts_with(r#"{"type": "evtaccel", "offset": 229375"#));
    // Byte 0x38000 is behind the first one.
    let apart = more.replace("229375", "229376");
    let tree = changed(&[changes[0], (DEF, r#""partitions": 128}"#, &apart)]);
    assert_eq!(codes(&tree), [] as [&str; 0]);
}

#[test]
fn a_key_of_the_wrong_type_is_no_default_of_the_file() {
    let of = |changes: Changes<'_>, name: &str, field: &str| {
        let session = session(changes);
        let answer = ask(&session, &json!({"ask": "kbin", "record": name}));
        let fields = answer["records"][0]["fields"].as_array().unwrap().clone();
        let one = fields.into_iter().find(|one| one["name"] == field).unwrap();
        (one["value"].clone(), one["provenance"].as_str().unwrap().to_owned())
    };
    let fp8: Changes<'_> =
        &[(DEF, r#""fp8_conversion_config": {"#, r#""fp8_conversion_config": [], "z": {"#)];
    assert_eq!(of(fp8, "kbin", "fp8_conv_cfg.emax_fp8_e4m3"), (json!(8), "modelled".to_owned()));
    let op: Changes<'_> = &[(POOL, r#""op": "max""#, r#""op": 5"#)];
    assert_eq!(of(op, "ring.q_data.0", "desc[1].op"), (json!(0), "modelled".to_owned()));
    let gone: Changes<'_> = &[(DEF, r#""var": {"#, r#""var": null, "v": {"#)];
    let mut case = every_record();
    for (member, from, to) in gone {
        support::case::change(&mut case, member, from, to);
    }
    let tree = tree_of(&case, &kbin::Options::default());
    assert_eq!(tree.notes.refusals[0].code, "kbin.no-var");
    // The element of an array that is none is named, with its byte.
    let session = session(&[(DEF, r#""shape": [4, 4]"#, r#""shape": [4, -4]"#)]);
    let answer = ask(&session, &json!({"ask": "kbin"}));
    let all = answer["diagnostics"].as_array().unwrap();
    let odd = all.iter().find(|one| one["code"] == "json.negative").unwrap();
    assert_eq!(
        odd["message"],
        "element 1 of `shape` of variable `y` is the number -4, expected a number from 0 to 2^64 - 1"
    );
    let text = text(&[(DEF, r#""shape": [4, 4]"#, r#""shape": [4, -4]"#)], DEF);
    let at = usize::try_from(odd["at"]["offset"].as_u64().unwrap()).unwrap();
    assert!(text[at..].starts_with("-4]"));
    let fit = all.iter().find(|one| one["code"] == "kbin.number").unwrap();
    assert_eq!(fit["message"], "`/var/y/shape` is [4,-4]; its field takes an array of dimensions");
}

fn session(changes: Changes<'_>) -> Session {
    let mut case = every_record();
    for (member, from, to) in changes {
        support::case::change(&mut case, member, from, to);
    }
    Session::open("input.neff", build(&case).unwrap(), &Limits::default()).unwrap()
}

/// Findings about both sides of a transfer lead to both variables; those about one, to that.
#[test]
fn findings_about_a_transfer_lead_to_its_variables() {
    let links = |changes: Changes<'_>, code: &str| -> Vec<String> {
        let session = session(changes);
        let answer = ask(&session, &json!({"ask": "kbin"}));
        let all = answer["diagnostics"].as_array().unwrap();
        let at = all.iter().position(|one| one["code"] == code).unwrap();
        let links = answer["links"][at].as_array().unwrap();
        let place =
            |one: &Value| one["record"].as_str().or(one["member"].as_str()).map(str::to_owned);
        links.iter().filter_map(place).collect()
    };
    let alias = r#""alias": {"type": "virtual", "size": 64, "backing_variable_off": 4096, "var_id": 11}, "shown""#;
    assert_eq!(
        links(
            &[
                (DEF, r#""shown""#, alias),
                (
                    POOL,
                    r#""from": "x", "from_off": 0, "from_sizes": [8, 8]"#,
                    r#""from": "alias", "from_off": 0, "from_sizes": [8, 8]"#
                ),
            ],
            "kbin.pattern-overlap",
        ),
        [POOL, "transfer.ring.q_data.1.0", "variable.alias", DEF, "variable.local", DEF]
    );
    let narrow: Changes<'_> = &[(
        POOL,
        r#""to_steps": [1, 262144], "to_dtype": "float32""#,
        r#""to_steps": [1, 262144], "to_dtype": "int8""#,
    )];
    assert_eq!(
        links(narrow, "kbin.element-size"),
        [POOL, "transfer.ring.q_in.0.0", "variable.x", DEF, "variable.SB", DEF]
    );
    assert_eq!(
        links(&[(POOL, r#""to_off": 48"#, r#""to_off": 64"#)], "kbin.pattern-bounds"),
        [POOL, "transfer.ring.q_out.0.0", "variable.y", DEF]
    );
    // The drawing of the transfer has the same places.
    let session = session(narrow);
    let drawn = ask(&session, &json!({"ask": "transfer", "name": "ring.q_in.0.0"}));
    let fault = &drawn["faults"][0];
    let labels: Vec<&str> = fault["links"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["label"].as_str().unwrap())
        .collect();
    assert_eq!(labels[labels.len() - 2..], ["x in the file", "SB in the file"]);
}

#[test]
fn answers_say_which_rows_they_have() {
    // 5,000 records of the POOL engine.
    let mut case = every_record();
    let code = case.members.iter_mut().find(|one| one.name == "sg00/pool.bin").unwrap();
    *code = MemberText {
        name: "sg00/pool.bin".to_owned(),
        pad_to: Some(64 * 5_000),
        ..MemberText::default()
    };
    let session = Session::open("input.neff", build(&case).unwrap(), &Limits::default()).unwrap();
    let note = |question: Value| {
        let mut all = json!({"ask": "kbin"});
        for (key, value) in question.as_object().unwrap() {
            all[key] = value.clone();
        }
        ask(&session, &all)["note"].as_str().map(str::to_owned)
    };
    let said = |text: &str| Some(text.to_owned());
    assert_eq!(
        note(json!({"record": "engine.POOL", "count": 100_000})),
        said(
            "rows 0 to 4095 of 5000, 4096 are the most of one answer; the next one is 4096 (`from`)"
        )
    );
    assert_eq!(
        note(json!({"record": "engine.POOL", "from": 10, "count": 2})),
        said("rows 10 to 11 of 5000; the next one is 12 (`from`)")
    );
    assert_eq!(note(json!({"record": "engine.POOL", "from": 4_990, "count": 10})), None);
    assert_eq!(
        note(json!({"record": "engine.POOL", "from": 5_000})),
        said("there are 5000 rows, so there is none at 5000")
    );
    assert_eq!(note(json!({"record": "mem_ref_set"})), None);
    assert_eq!(note(json!({})), None);
    assert_eq!(
        note(json!({"from": 3, "count": 2})),
        said("records 3 to 4 of 40; the next one is 5 (`from`)")
    );
    assert_eq!(note(json!({"from": 40})), said("there are 40 records, so there is none at 40"));
    // Bytes of rows: the header is with row 0.
    let scope = Scope::default();
    let span = |name: &str, from, count| session.kbin_rows_span(&scope, name, from, count).unwrap();
    assert_eq!(span("engine.POOL", 0, None), 0..320 + 64 * 5_000);
    assert_eq!(span("engine.POOL", 0, Some(2)), 0..320 + 128);
    assert_eq!(span("engine.POOL", 3, Some(2)), 320 + 192..320 + 320);
    assert_eq!(span("engine.PE", 1, None), 320 + 64..420);
    assert_eq!(span("mem_ref_set", 10, Some(9)), 24 + 1_520..24 + 1_672);
    assert_eq!(span("ring.q_data.0", 1, Some(1)), 264 + 5_456..264 + 2 * 5_456);
    assert_eq!(span("kbin", 0, Some(0)), 0..424);
    let error = session.kbin_rows_span(&scope, "mem_ref_set", 11, None).unwrap_err();
    assert_eq!((error.code, error.message.contains("11 rows")), ("bytes.past-end", true));
    // An engine that is none is told, though a tree has no engine.
    let question = json!({"ask": "kbin", "e": "XX"}).to_string();
    let error = session.ask(&Request::from_json(&question).unwrap()).unwrap_err();
    assert_eq!(error.code, "engine.unknown");
    assert!(error.message.contains("PE ACT POOL DVE SP"), "{}", error.message);
}

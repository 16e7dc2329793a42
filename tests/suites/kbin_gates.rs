//! Programs that a loader would refuse: each gate with its text, and the tree that is shown all the
//! same. Every program is the case `every-record` with one change.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use kbin::Options;
use records::kbin::names::ArchType;
use support::case::change;
use support::fixtures::case;
use support::kbin_tree::{Changes, DEF, POOL, changed, codes, stops, tree_of};
use support::workspace_root;

#[test]
fn each_gate_with_the_text_of_a_loader() {
    let long = format!("q{}", "z".repeat(400));
    let table: [(Changes<'_>, &str); 16] = [
        (&[(DEF, r#""var_id": 10"#, r#""var_id": 12"#)], "Unexpected var_ids set! max=12, size=11"),
        (&[(DEF, r#""type": "output""#, r#""type": "input""#)], "no Outputs"),
        (&[(DEF, r#""type": "tmp-buf", "size": 128, "#, "")], "Failed to parse, key: type"),
        (
            &[(DEF, r#""alignment": 64"#, r#""alignment": 48"#)],
            "alignment provided not power of 2. alignment=48",
        ),
        (
            &[(DEF, r#""dtype": "float32", "shape": [16]"#, r#""dtype": "abcdefghijklmnop""#)],
            "Device print dtype abcdefghijklmnop has 16 char",
        ),
        (
            &[(DEF, r#""shape": [16]"#, r#""shape": [1, 1, 1, 1, 1, 1, 1, 1, 16]"#)],
            "Device print only supports shape dimentions",
        ),
        (
            &[(DEF, r#""owner": "sp""#, r#""owner": "gpu""#)],
            "Invalid owner 'gpu' for DMA queue q_data",
        ),
        (
            &[(
                DEF,
                "[12, 13]",
                "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32]",
            )],
            "Runtime supports maximum of 32 semaphores per queue set, found: 33",
        ),
        (
            &[(DEF, r#""var": "their""#, r#""var": "nobody""#)],
            "Failed to resolve remote variables for subgraphs 0 to 1",
        ),
        (
            &[(DEF, r#""type": "evtaccel""#, r#""type": "mine""#)],
            "Invalid runtime_statebuffer_reservation type mine",
        ),
        (
            &[("sg00/ulib.json", "1.21.1.0", "2.0")],
            "Mismatch between GPSIMD lib version and NRT version!",
        ),
        (
            &[(DEF, r#""ucode_lib": "ulib.json""#, r#""ucode_lib": ["ulib.json", "ulib.json"]"#)],
            "UCode Library ulib.bin has already been added",
        ),
        (&[(POOL, r#""op": "add""#, r#""op": "divide""#)], "Unknown dma operation: divide"),
        (&[(POOL, r#""from_sizes": [4]"#, r#""from_sizes": [0]"#)], "Size cannot be 0"),
        (
            &[(POOL, r#""to_dtype": "float32", "scale""#, r#""scale""#)],
            "Invalid cce desc ap without dtype",
        ),
        (&[("kelf-0.json", "cayman", &long)], "Invalid target = 0"),
    ];
    for (changes, text) in table {
        let tree = changed(changes);
        assert_eq!(stops(&tree), [text], "{:?}", tree.notes.findings);
        let gate = tree.notes.gates.iter().find(|gate| gate.stops).unwrap();
        let finding = tree.notes.findings.as_slice().iter().find(|one| one.code == gate.code);
        assert!(finding.unwrap().message.contains(text));
        assert!(finding.unwrap().message.len() < 500);
    }
}

#[test]
fn findings_where_no_text_is_published() {
    let long_name = format!(r#""function_start": "{}""#, "f".repeat(257));
    let as_long = format!(r#""function_start": "{}""#, "f".repeat(256));
    let table: [(Changes<'_>, &[&str]); 28] = [
        (
            &[(POOL, r#""transpose_op": "WZXY""#, r#""transpose_op": "ABCD""#)],
            &["kbin.transpose-op"],
        ),
        (
            &[(POOL, r#""transpose_op": "WZXY""#, r#""transpose_op": "WZXX""#)],
            &["kbin.transpose-op"],
        ),
        (&[(POOL, r#""transpose_op": "WZXY""#, r#""transpose_op": "ZYXW""#)], &[]),
        (
            &[(POOL, r#""transpose_element_size": 4"#, r#""transpose_element_size": 9"#)],
            &["kbin.transpose-size"],
        ),
        (
            &[(POOL, r#""transpose_element_size": 4"#, r#""transpose_element_size": 0"#)],
            &["kbin.transpose-size"],
        ),
        (&[(POOL, r#""function_start": "store""#, &long_name)], &["kbin.function-name"]),
        (&[(POOL, r#""function_start": "store""#, &as_long)], &[]),
        (
            &[
                (DEF, r#"["q_data_a", "q_data_b"]"#, r#"["q_data_a", "q_data_a"]"#),
                (POOL, r#""queue": "q_data_b""#, r#""queue": "q_data_a""#),
            ],
            &["kbin.ring-twice"],
        ),
        (
            &[(
                DEF,
                r#""cc_streams": {"num_streams": 3}"#,
                r#""cc_streams": {"num_streams": 3}, "num_streams": 2"#,
            )],
            &["kbin.streams-twice"],
        ),
        (
            &[(DEF, r#""cc_streams": {"num_streams": 3}"#, r#""num_streams": 3, "cc_stream": 2"#)],
            &["kbin.streams-twice"],
        ),
        (&[(DEF, r#""type": "in","#, r#""type": "sideways","#)], &["kbin.ring-type"]),
        (&[(DEF, r#""type": "in","#, "")], &["kbin.ring-type"]),
        (&[(DEF, r#""size": 8, "#, r#""size": 16, "#)], &["kbin.pointer-size"]),
        (
            &[(DEF, r#""referenced_var_id": 2"#, r#""referenced_var_id": 77"#)],
            &["kbin.pointer-target"],
        ),
        (&[(DEF, r#""backing_buf": "shared""#, r#""backing_buf": "alt""#)], &["kbin.backing"]),
        (&[(DEF, r#""var_id": 10"#, r#""var_id": 9"#)], &["kbin.var-twice"]),
        // 93 4e ... version 2: the head is 130 bytes and a loader reads 128.
        (&[("sg00/weights.npy", "934e554d50590100", "934e554d50590200")], &["kbin.npy-version"]),
        (&[("sg00/weights.npy", "934e554d", "504b0304")], &["kbin.npy"]),
        (
            &[("sg00/weights.npy", "934e554d505901007600", "934e554d50590100ffff")],
            &["kbin.npy", "kbin.content-size"],
        ),
        (
            &[(DEF, r#""size": 64, "alignment""#, r#""size": 65, "alignment""#)],
            &["kbin.content-size"],
        ),
        (
            &[("sg00/exp.json", r#""bkt_entry_cnt": 2"#, r#""bkt_entry_cnt": 3"#)],
            &["kbin.act-table"],
        ),
        (
            &[("sg00/exp.json", r#""bkt_entry_cnt": 2"#, r#""bkt_entry_cnt": 576460752303423488"#)],
            &["kbin.act-table"],
        ),
        // A transfer reads the area that is reserved there.
        (
            &[(DEF, r#""offset": 229368"#, r#""offset": 0"#)],
            &["kbin.carveout-place", "kbin.pattern-reserved"],
        ),
        (
            &[(
                DEF,
                r#""partitions": 128}"#,
                r#""partitions": 128}, {"type": "evtaccel", "offset": 229368, "size": 8, "base_partition": 0, "partitions": 128}"#,
            )],
            &["kbin.carveout-overlap"],
        ),
        (&[(POOL, r#""queue": "q_data_b""#, r#""queue": "q_nobody""#)], &["kbin.block-queue"]),
        (&[(POOL, r#""to": "y""#, r#""to": "z""#)], &["kbin.desc-variable"]),
        (&[(DEF, "[[[0, 1], [1, 0]], [[2, 3]]]", r#"{"a": 1}"#)], &["kbin.pairs"]),
        (&[("sg00/ulib.json", r#""total_cpus": 8"#, r#""total_cpus": 4"#)], &["kbin.ucode-cpus"]),
    ];
    for (changes, expected) in table {
        let tree = changed(changes);
        assert_eq!(codes(&tree), expected, "{:?}", tree.notes.findings);
        assert_eq!(stops(&tree), [] as [&str; 0]);
    }
}

#[test]
fn hardware_that_generates_descriptors_has_a_limit_that_nobody_published() {
    let key = r#""q_data": {"owner": "sp", "dge": true,"#;
    let tree = changed(&[(DEF, r#""q_data": {"owner": "sp","#, key)]);
    let found = tree.notes.findings.as_slice().iter().find(|one| one.code == "kbin.dge-queues");
    let message = &found.unwrap().message;
    assert!(message.contains("`NEFF requested 1 HW DGE queues`"), "{message}");
    assert!(message.contains("not published"), "{message}");
    // It does not count as a refusal.
    assert!(stops(&tree).is_empty() && tree.notes.refusals.is_empty());
    let off = changed(&[(DEF, r#""q_data": {"owner": "sp","#, &key.replace("true", "false"))]);
    assert!(off.notes.findings.as_slice().iter().all(|one| one.code != "kbin.dge-queues"));
}

#[test]
fn a_definition_without_variables_is_refused() {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let def = case.members.iter_mut().find(|one| one.name == DEF).unwrap();
    def.text = Some(r#"{"pe": "pe.json"}"#.to_owned());
    let tree = tree_of(&case, &Options::default());
    let refused: Vec<&str> = tree.notes.refusals.iter().map(|one| one.code).collect();
    assert!(refused.contains(&"kbin.no-var"), "{refused:?}");
    assert!(stops(&tree).contains(&"no Outputs"));
    let def = case.members.iter_mut().find(|one| one.name == DEF).unwrap();
    def.text = Some("[".to_owned());
    let tree = tree_of(&case, &Options::default());
    let refused: Vec<&str> = tree.notes.refusals.iter().map(|one| one.code).collect();
    assert!(refused.contains(&"kbin.no-definition"), "{refused:?}");
    assert!(!refused.contains(&"kbin.no-var") && !refused.contains(&"kbin.no-output"));
}

#[test]
fn no_check_is_left_out_without_a_word() {
    // Sizes and steps of different number; none at all.
    let from = r#""from_off": 0, "from_sizes": [16, 4], "from_steps": [1, 16], "from_dtype": "float32",
       "to": "SB""#;
    let tree = changed(&[(
        POOL,
        from,
        r#""from_off": 1000, "from_sizes": [16, 4], "from_steps": [1], "to": "SB""#,
    )]);
    // `x` has 64 bytes: the first one is beyond them, whatever follows.
    assert_eq!(codes(&tree), ["dma.rank", "kbin.pattern-rank", "kbin.pattern-bounds"]);
    let tree = changed(&[(POOL, from, r#""to": "SB""#)]);
    assert_eq!(codes(&tree), ["dma.rank", "kbin.pattern-rank"]);
    // Many runs onto themselves, and onto the bytes between.
    let copy = |offset: u32, rows: u32| {
        let own = format!(
            r#""op": "copy", "from": "scratch", "from_off": 0, "from_sizes": [1, {rows}], "from_steps": [1, 2], "to": "scratch", "to_off": {offset}, "to_sizes": [1, {rows}], "to_steps": [1, 2], "num"#
        );
        let from = r#""op": "copy", "from": "SB", "from_off": 0, "from_sizes": [4], "from_steps": [1],
       "to": "scratch", "to_off": 8, "to_sizes": [4], "to_steps": [1], "num"#;
        let size = r#""size": 4096, "alignment": 4096"#;
        let tree =
            changed(&[(POOL, from, &own), (DEF, size, r#""size": 1073741824, "alignment": 4096"#)]);
        codes(&tree).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(copy(0, 4_096), ["kbin.pattern-overlap"]);
    assert_eq!(copy(0, 4_097), ["kbin.pattern-overlap"]);
    assert_eq!(copy(1, 4_097), [] as [&str; 0]);
    assert_eq!(copy(1, 100_000_000), ["kbin.pattern-unchecked"]);
}

#[test]
fn overlaps_of_all_operations() {
    // A target that writes a byte four times.
    let tree = changed(&[(POOL, r#""to_steps": [1, -16]"#, r#""to_steps": [1, 0]"#)]);
    assert_eq!(codes(&tree), ["kbin.pattern-overlap"]);
    // A transpose, and a sum, onto what they read.
    let tree = changed(&[(POOL, r#""to": "local", "to_off": 0"#, r#""to": "x", "to_off": 0"#)]);
    assert_eq!(codes(&tree), ["kbin.pattern-overlap"]);
    let tree = changed(&[
        (
            POOL,
            r#""op": "add", "from_arr": ["x", "weights"], "from_off": 0"#,
            r#""op": "add", "from_arr": ["shared", "weights"], "from_off": 0"#,
        ),
        (POOL, r#""to": "shared", "to_off": 128"#, r#""to": "shared", "to_off": 0"#),
    ]);
    assert_eq!(codes(&tree), ["kbin.pattern-overlap"]);
}

#[test]
fn more_queues_than_the_root_has_room_for() {
    let more: String =
        (0..30).map(|n| format!(r#""r{n:02}": {{"owner": "pe", "type": "act_load"}}, "#)).collect();
    let tree = changed(&[(DEF, r#""q_in": {"#, &format!("{more}\"q_in\": {{"))]);
    assert_eq!(codes(&tree), ["kbin.queues", "kbin.act-queues"]);
    assert_eq!(tree.queues.len(), 37);
}

#[test]
fn functions_beyond_the_room_of_a_set() {
    let more = r#"{"func_name": "identity", "func_id": 1}, "#.repeat(24);
    let tree = changed(&[(
        "sg00/exp.json",
        r#"{"func_name": "identity""#,
        &format!(r#"{more}{{"func_name": "identity""#),
    )]);
    assert_eq!(codes(&tree), ["kbin.act-functions"]);
}

#[test]
fn the_first_generation_has_no_ids() {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let def = case.members.iter_mut().find(|one| one.name == DEF).unwrap();
    def.text = Some(r#"{"pe": "pe.json", "var": {"b": {"type": "output", "size": 4}, "a": {"type": "state-buffer"}}}"#.to_owned());
    change(&mut case, "kelf-0.json", "cayman", "sunda");
    let tree = tree_of(&case, &Options::default());
    assert_eq!(stops(&tree), ["missing <var_id>"]);
    let ids: Vec<(&str, u32)> =
        tree.variables.iter().map(|one| (one.name.as_str(), one.id)).collect();
    assert_eq!(ids, [("b", 0), ("a", 1)]);
    // Sunda has a default library; a switch moves it.
    assert_eq!((tree.libs.len(), tree.libs[0].name.as_str(), tree.libs[0].flags), (1, "all", 6));
    let other = Options { default_library: Some(ArchType::MARIANA), ..Options::default() };
    assert_eq!(tree_of(&case, &other).libs.len(), 0);
}

#[test]
fn cayman_needs_the_key_of_reserved_areas_and_only_says_that_one_is_missing() {
    let gone = changed(&[(DEF, "runtime_statebuffer_reservation", "something_else")]);
    let refused: Vec<&str> = gone.notes.refusals.iter().map(|one| one.code).collect();
    assert_eq!(refused, ["kbin.carveout-missing"]);
    assert!(gone.notes.refusals[0].why.contains("NEURON_RT_ALLOW_LEGACY_NEFF is 1"));
    assert!(stops(&gone).is_empty(), "its text is not published");
    assert_eq!(gone.record_of_name("sb_carveouts"), None);
    const AREA: &str = r#"{"type": "evtaccel", "offset": 229368, "size": 8, "base_partition": 0, "partitions": 128}"#;
    let none = changed(&[(DEF, AREA, "")]);
    let said: Vec<&str> = none.notes.gates.iter().map(|gate| gate.text.as_str()).collect();
    assert!(said.contains(&"no evtaccel reservation on SBUF"), "{said:?}");
    assert!(stops(&none).is_empty() && none.notes.refusals.is_empty());
    // Header with a count of 0.
    let id = none.record_of_name("sb_carveouts").unwrap();
    assert_eq!(none.entry(id).unwrap().bytes, 8);
    // Other generations need none.
    let other = changed(&[
        (DEF, "runtime_statebuffer_reservation", "something_else"),
        ("kelf-0.json", r#""cayman""#, r#""sunda""#),
    ]);
    assert!(other.notes.refusals.is_empty());
    // A program for any device is not refused, since the device is only configured.
    let any = changed(&[
        (DEF, "runtime_statebuffer_reservation", "something_else"),
        ("kelf-0.json", r#""cayman""#, r#""*""#),
    ]);
    assert!(any.notes.refusals.is_empty());
    assert_eq!(codes(&any), ["kbin.carveout-missing"]);
    // What is no array is told as such, not as missing.
    let text = changed(&[(DEF, &format!("[{AREA}]"), r#""all""#)]);
    assert!(text.notes.refusals.is_empty());
}

/// Documents come before what is filled, in the order of their keys: outputs, ids, owners, reserved
/// areas, blocks; then semaphores, element types, target, remote variables.
#[test]
fn gates_in_the_order_of_a_loader() {
    let many: Vec<String> = (3..36).map(|id| id.to_string()).collect();
    let long = format!("[{}]", many.join(","));
    let tree = changed(&[
        ("kelf-0.json", "cayman", "nowhere"),
        (DEF, r#""var": "their""#, r#""var": "nobody""#),
        (DEF, r#""dtype": "float32", "shape": [16]"#, r#""dtype": "abcdefghijklmnop""#),
        (DEF, "[12, 13]", &long),
        (POOL, r#""from_sizes": [4]"#, r#""from_sizes": [0]"#),
        (DEF, r#""type": "evtaccel""#, r#""type": "mine""#),
        (DEF, r#""owner": "sp""#, r#""owner": "gpu""#),
        (DEF, r#""var_id": 10"#, r#""var_id": 12"#),
        (DEF, r#""type": "output""#, r#""type": "input""#),
        (DEF, r#""alignment": 64"#, r#""alignment": 48"#),
    ]);
    assert_eq!(
        stops(&tree),
        [
            "alignment provided not power of 2. alignment=48",
            "no Outputs",
            "Unexpected var_ids set! max=12, size=11",
            "Invalid owner 'gpu' for DMA queue q_data",
            "Invalid runtime_statebuffer_reservation type mine",
            "Size cannot be 0",
            "Runtime supports maximum of 32 semaphores per queue set, found: 33",
            "Device print dtype abcdefghijklmnop has 16 char",
            "Invalid target = 0",
            "Failed to resolve remote variables for subgraphs 0 to 1",
        ]
    );
    assert_eq!(tree.notes.refusals[0].code, "kbin.alignment");
}

#[test]
fn blocks_at_graph_level_come_first() {
    let dma = r#""dma": [{"queue": "q_in", "id": 9, "desc": [{"from": "x", "from_sizes": [4], "from_steps": [1], "to": "scratch", "to_sizes": [4], "to_steps": [1]}]}], "num_unused": 0, "replica_groups""#;
    let tree = changed(&[(DEF, r#""replica_groups""#, dma)]);
    let ring = &tree.queue("q_in").unwrap().1.rings[0];
    assert_eq!(ring.blocks.iter().map(|block| block.id).collect::<Vec<_>>(), [9, 0]);
    assert_eq!(ring.blocks[0].engine, None);
    assert_eq!(tree.variables[ring.descriptors[0].to_variable.unwrap() as usize].name, "scratch");
}

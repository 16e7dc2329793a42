//! The barrier before the first operation, logical cores of two, and questions about collectives that
//! say something that does not count. Expected values are those of the published tables, by hand.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use debug_api::{Limits, OpenFile, Session};
use serde_json::{Value, json};
use std::sync::Arc;
use support::asking::{ask, code};
use support::fixtures::{figure, workspace_root};

fn case(name: &str) -> Session {
    let path = workspace_root().join("fixtures/cases").join(name).join("input.neff");
    let bytes = std::fs::read(path).unwrap();
    Session::new(vec![Arc::new(OpenFile::open(name, bytes, &Limits::default()).unwrap())])
}

fn numbers(list: &Value, key: &str) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|one| one[key].as_u64().unwrap()).collect()
}

fn codes(answer: &Value) -> Vec<&str> {
    let all = answer["diagnostics"].as_array().unwrap();
    all.iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[test]
fn steps_of_the_barrier() {
    let answer = ask(&case("collective-all-reduce-2"), &json!({"ask": "collectives"}));
    let barrier = &answer["barrier"];
    // Sizes {1, 4, 4, 1} and {1, 2, 2, 1}; unused places are type 7 with operation 2.
    assert_eq!(numbers(&barrier["steps"], "group_size"), [1, 4, 4, 1]);
    assert_eq!(numbers(&barrier["switched_steps"], "group_size"), [1, 2, 2, 1]);
    let places =
        |steps: &str, step: usize, key: &str| numbers(&barrier[steps][step]["places"], key);
    assert_eq!(places("steps", 0, "number"), [0, 7, 7, 7]);
    assert_eq!(places("steps", 0, "op"), [0, 2, 2, 2]);
    assert_eq!(places("steps", 1, "number"), [1, 2, 3, 4]);
    assert_eq!(places("steps", 2, "op"), [1, 1, 1, 1]);
    assert_eq!(places("switched_steps", 2, "number"), [5, 6, 7, 7]);
    assert_eq!(places("switched_steps", 2, "op"), [1, 1, 2, 2]);
    let step = &barrier["steps"][1];
    assert_eq!(
        (&step["provenance"], &step["action_provenance"]),
        (&json!("observed"), &json!("inferred"))
    );
    assert_eq!(barrier["after"].as_array().unwrap().len(), 2);
    // A program without collectives has no barrier.
    assert_eq!(ask(&case("two-subgraphs"), &json!({"ask": "collectives"}))["barrier"], Value::Null);
}

#[test]
fn a_logical_core_of_two_has_four_top_sps() {
    let session = case("collective-lnc-2");
    let answer = ask(&session, &json!({"ask": "collectives"}));
    assert_eq!(numbers(&answer["top_sps"], "index"), [0, 1, 2, 3]);
    assert_eq!(answer["channels"], 4);
    // 64 MiB over 8 ranks of two cores is for pairs of ranks; of one core it would be a ring.
    assert_eq!(answer["triggers"][2]["algorithm"], "kangaring");
    let lists: Vec<&Value> =
        (0..4).map(|at| &answer["top_sps"][at]["entries"][2]["channel_list"]).collect();
    assert_eq!(lists, ["0x1", "0x2", "0x4", "0x8"]);
    // Semaphores of TOP_SP 2: base 0x8280000000 + 2 * 2^30, read window 0x1000, number 2 and 7.
    let reserved = &answer["top_sps"][2]["reserved"];
    assert_eq!(numbers(reserved, "semaphore"), [2, 3, 4, 5, 6, 7]);
    assert_eq!(reserved[0]["address"], "0x8300001008");
    assert_eq!(reserved[5]["increment_address"], "0x830000181c");
    // Eight physical cores of a chip are four ranks: 1 to 3 are on it, 4 is next to 3 elsewhere.
    let barrier = &answer["barrier"];
    assert_eq!((&barrier["ranks_per_chip"], &barrier["peers"][0]["rank"]), (&json!(4), &json!(0)));
    let of = |rank: u32| ask(&session, &json!({"ask": "collectives", "rank": rank}));
    let third = &of(3)["barrier"]["peers"][0];
    let peer = |rank: u32, kind: &str, bit: u32| json!({"rank": rank, "kind": kind, "bit": bit});
    let chip = [peer(0, "INTRA_CHIP", 0), peer(1, "INTRA_CHIP", 1), peer(2, "INTRA_CHIP", 2)];
    assert_eq!(third["receives"], json!(chip));
    assert_eq!(third["sends"][3], peer(4, "RING_LOCAL", 0));
    // In nodes of four ranks the link leaves the node.
    let small = ask(&session, &json!({"ask": "collectives", "rank": 3, "ranks_per_node": 4}));
    assert_eq!(small["barrier"]["peers"][0]["sends"][3]["kind"], "RING_REMOTE");
    // The other logical core of a chip: physical cores 2 and 3 have TOP_SPs 4 to 7.
    let other = ask(&session, &json!({"ask": "collectives", "core": 3}));
    assert_eq!(numbers(&other["top_sps"], "index"), [4, 5, 6, 7]);
}

#[test]
fn what_cannot_count_is_told() {
    let session = case("collective-all-reduce-2");
    let plan = |more: Value| {
        let mut question = json!({"ask": "collectives"});
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        ask(&session, &question)
    };
    assert_eq!(codes(&plan(json!({"channels": 0}))), ["collectives.channels"]);
    assert_eq!(codes(&plan(json!({"channels": 33}))), ["collectives.channels"]);
    assert_eq!(codes(&plan(json!({"channels": 32}))), Vec::<&str>::new());
    assert_eq!(codes(&plan(json!({"world": 3}))), ["collectives.world"]);
    let none = Session::new(Vec::new());
    let schedule = |more: Value| {
        let mut question = json!({"ask": "schedule", "ranks": 8});
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        question
    };
    // Only meshes and the hierarchical algorithm know groups of ranks, three meshes know switches.
    for name in
        ["ring", "kangaring", "single-cycle-ring", "intra-rdh", "inter-rdh", "two-step-pod-mesh"]
    {
        let grouped = schedule(json!({"algorithm": name, "locals": 2}));
        assert_eq!(code(&none, &grouped), "collectives.shape", "{name}");
        ask(&none, &schedule(json!({"algorithm": name, "locals": 1})));
    }
    for name in ["ring", "mesh", "hierarchical", "two-step-pod-mesh", "inter-rdh"] {
        let switched = schedule(json!({"algorithm": name, "switched": true}));
        assert_eq!(code(&none, &switched), "collectives.shape", "{name}");
    }
    ask(&none, &schedule(json!({"algorithm": "single-step-mesh", "switched": true, "locals": 4})));
    let reading = json!({"ask": "tsync", "readings": ["PE:1:1024:0:2"]});
    assert_eq!(code(&none, &reading), "tsync.reading");
}

#[test]
fn figures_are_as_told() {
    use records::collectives::{LAYOUTS, SpadCtrlEntry};
    assert_eq!(figure("structs whose size and offsets"), Some(LAYOUTS.len() as u64));
    // Rings: 8 numbers of ranks, three operations; RDH: 3 numbers of ranks, three operations.
    assert_eq!(figure("schedules that agree with the published formulas"), Some(8 * 3 + 3 * 3));
    // A word of each worked entry survives its bytes; the fields are checked where they are made.
    let worked: [u64; 20] = [
        0x0000_0001_0001_0001,
        0x0000_000F_0003_0001,
        0x0000_0030_0004_8001,
        0x0000_FF00_0016_0001,
        0x8000_0000_0001_8001,
        0x0000_FFFF_000F_0001,
        0x0000_0003_0005_0301,
        0x0000_0001_0001_8401,
        0x0001_0000_0001_0101,
        0x000F_0004_0001_3101,
        0x00FF_0008_0000_B101,
        0x8001_000C_0011_2201,
        0xFFFF_000F_0019_B901,
        0x0007_0003_0000_3A01,
        0x0000_0000_0007_8101,
        0x0003_0002_0001_0501,
        0x0000_0003_0003_8701,
        0x0000_0000_0000_0001,
        0x0000_0000_0000_0000,
        0xFFFF_FFFF_001F_FF01,
    ];
    let back = worked.into_iter().filter(|word| {
        let entry = SpadCtrlEntry::from_bytes(SpadCtrlEntry(*word).to_bytes());
        SpadCtrlEntry::of_fields(&entry.fields()) == Ok(SpadCtrlEntry(*word))
    });
    assert_eq!(figure("worked entries that pass"), Some(back.count() as u64));
}

#[test]
fn numbers_that_versions_use_differently_have_both_names() {
    use records::collectives::names::mesh_event_words as words;
    // The older header lacks 9, 12 and 13 of the newer one, so numbers from 9 on are others.
    assert_eq!(words(8), (Some("REDUCE_COPY"), None));
    assert_eq!(words(9), (Some("REDUCE_COPY_2"), Some("REDUCE_WRITE")));
    assert_eq!(words(10), (Some("REDUCE_WRITE"), Some("INTER_GRP_BRDCST_2")));
    assert_eq!(words(11), (Some("INTER_GRP_BRDCST_2"), Some("an all-to-all event")));
    assert_eq!(words(14), (Some("an all-to-all event"), None));
    assert_eq!(words(19), (Some("an all-to-all event"), Some("an RDH event")));
    assert_eq!(words(40), (Some("an RDH event"), None));
    assert_eq!(words(53), (None, None));
    let none = Session::new(Vec::new());
    // MESH-2 of the worked entries has sub type 3; the reserved byte is one.
    let answer = ask(&none, &json!({"ask": "spad-ctrl", "words": ["0131010004000f00"]}));
    let bits = answer["entries"][0]["bits"].as_array().unwrap();
    let of = |name: &str| bits.iter().find(|one| one["name"] == name).unwrap();
    assert_eq!(of("algo_sub_type")["text"], "SWITCH (2.31), INVALID (older headers)");
    let reserved: Vec<bool> = ["reserved_header", "reserved_flags", "reserved_byte", "reporter"]
        .map(|name| of(name)["reserved"] == true)
        .to_vec();
    assert_eq!(reserved, [true, true, true, false]);
}

//! One core for code and data: where a file's images and variables lie together, what a device address
//! in them is, and what is said where they cannot be together. The numbers are worked out by hand.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use debug_api::Session;
use serde_json::{Value, json};
use support::asking::{ask_text as ask, case as bytes_of, session};
use support::case::Case;
use support::fixtures::case;
use support::neff_builder::build;
use support::workspace_root;

const MIB: u64 = 1 << 20;

fn number(value: &Value) -> u64 {
    let text = value.as_str().unwrap_or_else(|| panic!("{value} is no address"));
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

fn codes(answer: &Value) -> Vec<&str> {
    let all = answer["diagnostics"].as_array().unwrap();
    all.iter().map(|one| one["code"].as_str().unwrap()).collect()
}

/// First address of the HBM that an address lies in, of those of CAYMAN: 24 GiB each.
fn hbm_of(address: u64) -> u64 {
    let bases = [0, 0x40_0000_0000, 0x8000_0000_0000, 0x8040_0000_0000];
    let found = bases.into_iter().find(|base| address >= *base && address - base < 0x6_0000_0000);
    found.unwrap_or_else(|| panic!("{address:#x} is in no HBM"))
}

/// The case with an image of SP of more than 512 KiB, which goes to the main pool.
fn large() -> Case {
    let mut large = case(&workspace_root(), "memory").unwrap();
    let sp = large.members.iter_mut().find(|one| one.name == "sg00/SP.bin").unwrap();
    let first: String = sp.hex.as_deref().unwrap().split_whitespace().take(1).collect();
    // 9,000 records of 64 bytes are 576,000 bytes.
    sp.hex = Some(first.repeat(9_000));
    large
}

#[test]
fn images_and_variables_are_in_one_hbm() {
    let one = session(&[("m.neff", bytes_of("memory"))]);
    // Cores 0 and 1 have HBM 0, 2 and 3 HBM 1, 4 and 5 HBM 2, 6 and 7 HBM 3. Without a choice the
    // profile takes core 4 for the first subgraph.
    let bases = [0, 0x40_0000_0000, 0x8000_0000_0000, 0x8040_0000_0000];
    for (chosen, first) in [(None, 4), (Some(0), 0), (Some(2), 2), (Some(3), 3), (Some(6), 6)] {
        let mut question = json!({"ask": "memory"});
        if let Some(core) = chosen {
            question["core"] = json!(core);
        }
        let answer = ask(&one, &question.to_string());
        assert_eq!(answer["core_provenance"], "configured");
        for (at, subgraph) in answer["subgraphs"].as_array().unwrap().iter().enumerate() {
            let core = first + at;
            assert_eq!(subgraph["core"], core);
            assert_eq!(subgraph["hbm"], core / 2);
            for engine in ["PE", "ACT", "POOL", "DVE", "SP"] {
                let mut question = json!({"ask": "image", "s": subgraph["subgraph"], "e": engine});
                if chosen.is_some() {
                    question["core"] = json!(core);
                }
                let image = ask(&one, &question.to_string());
                assert_eq!(image["inputs"][0]["value"], core.to_string());
                assert_eq!(hbm_of(number(&image["base"])), bases[core / 2], "{engine} {core}");
            }
            for row in answer["variables"]["rows"].as_array().unwrap() {
                let own = row["subgraph"] == subgraph["subgraph"] && row["place"] != "state-buffer";
                if own && !row["address"].is_null() {
                    assert_eq!(hbm_of(number(&row["address"])), bases[core / 2], "{row}");
                }
            }
        }
        assert_eq!(codes(&answer), Vec::<&str>::new());
    }
    // The core is that of the subgraph that is named; a plan of it alone is on it.
    let alone = ask(&one, r#"{"ask":"memory","s":"sg01","core":0}"#);
    assert_eq!((&alone["core"], &alone["hbm"]), (&json!(0), &json!(0)));
    // The shared slice of 64 MiB is the first of its page, its own follows.
    let rows = &alone["variables"]["rows"];
    assert_eq!((&rows[3]["name"], &rows[3]["address"]), (&json!("part"), &json!("0x5000000")));
    assert_eq!((&rows[4]["name"], &rows[4]["address"]), (&json!("agreed"), &json!("0x1000000")));
    // With the second subgraph on core 8 the chip lacks a core; a first core of 8 is no question.
    let beyond = ask(&one, r#"{"ask":"memory","core":7}"#);
    assert_eq!(beyond["failures"][0]["what"], "core 8 is not there: the device has 8");
    for (question, cores) in [
        (r#"{"ask":"memory","core":8}"#, "cayman has 8 cores"),
        (r#"{"ask":"memory","core":2,"generation":"sunda"}"#, "sunda has 2 cores"),
    ] {
        let error = one.ask_text(question).unwrap_err();
        assert_eq!(error.code, "core.unknown");
        assert!(error.message.contains(cores), "{}", error.message);
    }
}

#[test]
fn a_core_that_the_chip_lacks_is_not_taken_from_the_images() {
    let one = session(&[("m.neff", bytes_of("memory"))]);
    // The images are those of cores 4 and 5, SUNDA has 0 and 1.
    let sunda = ask(&one, r#"{"ask":"memory","generation":"sunda"}"#);
    let cores: Vec<&Value> =
        sunda["subgraphs"].as_array().unwrap().iter().map(|one| &one["core"]).collect();
    assert_eq!(cores, [&json!(0), &json!(1)]);
    assert_eq!(sunda["core_provenance"], "modelled");
    assert_eq!(codes(&sunda), ["memory.core", "memory.core"]);
    let text = sunda["diagnostics"][1]["message"].as_str().unwrap();
    assert!(text.starts_with("sg01 is planned on core 1, HBM 1; its images are those of core 5"));
    // MARIANA has them.
    let mariana = ask(&one, r#"{"ask":"memory","generation":"mariana"}"#);
    assert_eq!((&mariana["core"], &mariana["hbm"]), (&json!(4), &json!(2)));
    assert_eq!(codes(&mariana), Vec::<&str>::new());
}

#[test]
fn a_large_image_and_the_first_page_share_no_byte() {
    let one = session(&[("l.neff", build(&large()).unwrap())]);
    let image = ask(&one, r#"{"ask":"image","e":"SP"}"#);
    let bytes = image["bytes"].as_u64().unwrap();
    assert!(bytes > 576_000);
    // Behind the firmware's 16 MiB of HBM 2, as in captures.
    assert_eq!(image["base"], "0x800001000000");
    let plan = ask(&one, r#"{"ask":"memory"}"#);
    // The shared slice is at the start of page 0, which begins at the next whole 4 MiB.
    let page = 0x8000_0140_0000;
    let rows = plan["variables"]["rows"].as_array().unwrap();
    let agreed = rows.iter().find(|row| row["name"] == "agreed").unwrap();
    assert_eq!(number(&agreed["address"]), page);
    assert_eq!(codes(&plan), Vec::<&str>::new());
    let there = |address: u64| {
        let question = json!({"ask": "address", "address": format!("{address:#x}")});
        let answer = ask(&one, &question.to_string());
        (answer["image"]["engine"].clone(), answer["memory"][0].clone(), answer["variable"].clone())
    };
    let (engine, memory, variable) = there(0x8000_0100_0000 + bytes - 1);
    assert_eq!((engine, &memory["kind"]), (json!("SP"), &json!("image")));
    assert_eq!((&memory["offset"], variable), (&json!(bytes - 1), Value::Null));
    // The driver's last block of it ends at the next whole 4,096 bytes; then nothing is as small as
    // what is left before the page.
    let block_end = 0x8000_0100_0000 + bytes.div_ceil(4_096) * 4_096;
    let (engine, memory, _) = there(block_end - 1);
    assert_eq!((engine, &memory["kind"]), (Value::Null, &json!("rest")));
    let (_, memory, _) = there(page - 1);
    assert_eq!((&memory["kind"], number(&memory["start"])), (&json!("free"), block_end));
    assert_eq!(memory["bytes"], page - block_end);
    let (engine, memory, variable) = there(page);
    assert_eq!((engine, &memory["kind"]), (Value::Null, &json!("page")));
    assert_eq!(variable["name"], "agreed");
}

#[test]
fn two_files_for_one_core_are_told_of() {
    let large = build(&large()).unwrap();
    let two = session(&[("a.neff", large.clone()), ("b.neff", large)]);
    let plan = ask(&two, r#"{"ask":"memory"}"#);
    // The views of either file show its images at the same addresses: five of each subgraph.
    assert!(plan["memory_verdict"] == "fits");
    let told: Vec<&str> = plan["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["code"] == "memory.moved")
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert!(
        told[0].starts_with("b.neff: image of PE of sg00 is shown at 0x8005c0410000, where this"),
        "{told:?}"
    );
    assert_eq!(told[4], "6 more images are elsewhere than they are shown");
}

/// What is at an address of the case: kind, words, first address, bytes, provenance.
fn kinds(one: &Session, address: u64) -> Vec<(String, String, u64, u64, String)> {
    let question = json!({"ask": "address", "address": format!("{address:#x}")});
    let answer = ask(one, &question.to_string());
    let all = answer["memory"].as_array().cloned().unwrap_or_default();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    all.iter()
        .map(|one| {
            let (start, bytes) = (number(&one["start"]), one["bytes"].as_u64().unwrap());
            assert_eq!(one["offset"], address - start);
            let whose = format!("{} {} {}", text(one, "what"), text(one, "name"), one["core"]);
            (text(one, "kind"), whose, start, bytes, text(one, "provenance"))
        })
        .collect()
}

#[test]
fn every_address_of_an_hbm_says_what_is_there() {
    let one = session(&[("m.neff", bytes_of("memory"))]);
    let hbm = 0x8000_0000_0000;
    // From 16 MiB on: three pages of 512 MiB; scratch, 8 MiB; packed, 300 MiB, which crosses a page;
    // x and y, 4 MiB each. The scratchpad needs 1,302 MiB of its 1,536.
    let page = |at: u64| hbm + 16 * MIB + at * 512 * MIB;
    let own = page(3);
    let table = [
        (hbm + 1, "firmware", "memory that the firmware keeps  null", hbm, 16 * MIB),
        (page(1) + MIB, "page", "page 1 of the scratchpad of core 4  4", page(1), 512 * MIB),
        (
            page(0) + 1_302 * MIB,
            "slack",
            "page 2 of the scratchpad of core 4, at a byte that no variable has  4",
            page(2),
            512 * MIB,
        ),
        (own, "variable", "memory of its own of variable scratch 4", own, 8 * MIB),
        (
            own + 9 * MIB,
            "variable",
            "memory of its own of variable packed 4",
            own + 8 * MIB,
            300 * MIB,
        ),
        (own + 308 * MIB, "tensor", "tensor x 4", own + 308 * MIB, 4 * MIB),
        (own + 315 * MIB, "tensor", "tensor y 4", own + 312 * MIB, 4 * MIB),
        (
            own + 316 * MIB,
            "free",
            "free memory of the main pool in this plan  null",
            own + 316 * MIB,
            // Up to the small pool, 23 GiB from the start.
            23 * 1_024 * MIB - (16 + 1_536 + 316) * MIB,
        ),
    ];
    for (address, kind, words, start, bytes) in table {
        let sure = if kind == "firmware" { "observed" } else { "modelled" };
        let expected = (kind.to_owned(), words.to_owned(), start, bytes, sure.to_owned());
        assert_eq!(kinds(&one, address), [expected], "{address:#x}");
    }
    let address = format!("{:#x}", own + 309 * MIB);
    let answer = ask(&one, &json!({"ask": "address", "address": address}).to_string());
    assert_eq!((&answer["variable"]["name"], &answer["variable"]["id"]), (&json!("x"), &json!(1)));
    assert_eq!(answer["variable"]["offset"], MIB);
    // The program's set-up: the page of requests and the rings of the tables of DVE, by the profile.
    for (address, kind, words) in [
        (0x8005_C035_0010, "request-page", "page of execution requests  4"),
        (0x8005_C036_1000, "ring", "DVE table rings, write side  4"),
    ] {
        let found = kinds(&one, address);
        let start = address / 4_096 * 4_096;
        let expected = (kind.to_owned(), words.to_owned(), start, 4_096, "configured".to_owned());
        // The other subgraph has the same, on its core; it is not free.
        let other = words.replace("  4", "  5");
        let other = (kind.to_owned(), other, start, 4_096, "configured".to_owned());
        assert_eq!(found, [expected, other]);
    }
    // What is free ends where the page of requests begins, and begins again behind it.
    let before = &kinds(&one, 0x8005_C034_F000)[0];
    assert_eq!((&*before.0, before.2 + before.3), ("free", 0x8005_C035_0000));
    let behind = &kinds(&one, 0x8005_C035_1000)[0];
    assert_eq!((&*behind.0, behind.2), ("free", 0x8005_C035_1000));
    assert_eq!(behind.2 + behind.3, 0x8005_C036_0000, "the read side of the rings of DVE's tables");
    // The plan counts them as what they are: the page, and two rings each for the tables of DVE and of
    // ACT, 4 KiB each.
    let plan = ask(&one, r#"{"ask":"memory"}"#);
    assert_eq!(plan["hbms"][2]["set_up_bytes"], 5 * 4_096);
    let free = plan["hbms"][2]["free_bytes"].as_u64().unwrap();
    let used = plan["hbms"][2]["used_bytes"].as_u64().unwrap();
    // Blocks of 4 KiB: 24 GiB less the firmware, what is used is rounded up for ten images and the programs that start them.
    let taken = 24 * 1_024 * MIB - 16 * MIB - 5 * 4_096 - free;
    assert!(taken >= used && taken - used < 20 * 4_096, "{taken} {used}");
    // Outside of device memory nothing is planned, and about no file nothing is known.
    assert_eq!(kinds(&one, 0x28_0270_0020), []);
    let none = r#"{"ask":"address","address":"0x800001000000","generation":"cayman"}"#;
    assert_eq!(ask(&Session::new(Vec::new()), none)["memory"], Value::Null);
    // The box for a place finds the same.
    let found = ask(&one, r#"{"ask":"goto","text":"addr 0x8005c0350000"}"#);
    let detail = found["targets"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("page of execution requests of sg00"), "{detail}");
    // An address that is chosen on another core is looked up there.
    let other = ask(&one, r#"{"ask":"address","address":"0x1000000","core":0}"#);
    assert_eq!(other["variable"]["name"], "agreed");
}

#[test]
fn the_event_behind_the_last_is_named() {
    let none = Session::new(Vec::new());
    for (generation, address) in [
        // SUNDA: core 0 at 0xFFFC0000000, events at 0x2700000 in it, 256 of 4 bytes.
        ("sunda", "0xfffc2700400"),
        ("cayman", "0x2802700400"),
        ("mariana", "0x807802700400"),
    ] {
        let question = json!({"ask": "address", "address": address, "generation": generation});
        let answer = ask(&none, &question.to_string());
        assert_eq!(
            answer["detail"],
            "event 256: the driver lets this number through, but no event is there"
        );
        assert_eq!(answer["cells"], Value::Null);
    }
}

//! What the Memory view is made of: slices, references, lifetimes, the map of addresses, names of
//! events and semaphores. The numbers are worked out by hand from the case `memory`.

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
use support::asking::{ask_text as ask, case};

const MIB: u64 = 1 << 20;

fn session(names: &[&str]) -> Session {
    let limits = Limits::default();
    let open = |name: &&str| Arc::new(OpenFile::open(name, case(name), &limits).unwrap());
    Session::new(names.iter().map(open).collect())
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

#[test]
fn slices_are_packed_and_padded() {
    let answer = ask(&session(&["memory"]), r#"{"ask":"memory"}"#);
    // 64 MiB shared; sg00 needs 700 MiB (400 + 300), which does not fit the rest of page 0, so it
    // starts at page 1; sg01 needs 90 MiB and has 324 MiB left on page 2.
    let slices: Vec<(Value, u64, u64, u64)> = list(&answer["slices"])
        .iter()
        .map(|one| {
            let number = |key: &str| one[key].as_u64().unwrap();
            let offset = number("offset");
            (one["subgraph"].clone(), offset, number("bytes"), number("padding_bytes"))
        })
        .collect();
    let expected = [
        (Value::Null, 0, 64 * MIB, 0),
        (json!("sg00"), 512 * MIB, 700 * MIB, 448 * MIB),
        (json!("sg01"), 1_212 * MIB, 90 * MIB, 0),
    ];
    assert_eq!(slices, expected);
    assert_eq!(answer["need_bytes"], 1_302 * MIB);
    // As one region nothing is padded: 64 + 700 + 90 MiB.
    let region = ask(&session(&["memory"]), r#"{"ask":"memory","mode":"contiguous"}"#);
    assert_eq!(region["need_bytes"], 854 * MIB);
    assert!(list(&region["slices"]).iter().all(|one| one["padding_bytes"] == 0));
}

#[test]
fn rows_of_places_say_what_they_count_as() {
    let answer = ask(&session(&["memory"]), r#"{"ask":"memory","from":3,"count":4}"#);
    let rows: Vec<(&str, &str, &str)> = list(&answer["variables"]["rows"])
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap();
            (text("name"), text("place"), text("category"))
        })
        .collect();
    // A temporary variable has usage 16, a page 11 and a private variable 16.
    let expected = [
        ("scratch", "own", "scratchpad"),
        ("scores", "page", "shared scratchpad"),
        ("gathered", "page", "shared scratchpad"),
        ("packed", "private", "scratchpad"),
    ];
    assert_eq!(rows, expected);
    let first = ask(&session(&["memory"]), r#"{"ask":"memory","count":1}"#);
    assert_eq!(first["variables"]["rows"][0]["place"], "state-buffer");
    assert!(first["variables"]["rows"][0].get("category").is_none());
}

#[test]
fn models_share_pages_by_reference() {
    // `two-subgraphs` needs one page, `memory` three: the first page has both.
    let both = ask(&session(&["memory", "two-subgraphs"]), r#"{"ask":"memory"}"#);
    let references: Vec<u64> =
        list(&both["pages"]).iter().map(|page| page["references"].as_u64().unwrap()).collect();
    assert_eq!(references, [2, 1, 1]);
    assert_eq!(both["files"][1], json!({"file": 1, "name": "two-subgraphs"}));
    // Where nothing could be reserved there are none.
    let small = ask(&session(&["memory"]), r#"{"ask":"memory","hbm":1082130432}"#);
    assert_eq!(small["fits"], false);
    assert!(list(&small["pages"]).iter().all(|page| page["references"] == 0));
}

#[test]
fn lifetimes_are_the_records_that_use_a_variable() {
    let answer = ask(&session(&["memory"]), r#"{"ask":"memory"}"#);
    // Two transfers each: x to scores, scores to logits, scores to packed, packed to gathered,
    // gathered to y, logits to agreed.
    let page = list(&answer["pages"][1]["variables"]);
    let scores = page.iter().find(|one| one["name"] == "scores").unwrap();
    assert_eq!(scores["spans"], json!([{"engine": "SP", "first_ip": 1, "last_ip": 6, "uses": 6}]));
    let pair = &answer["overlap_pairs"][0];
    assert_eq!((&pair["a"]["name"], &pair["b"]["name"]), (&json!("scores"), &json!("gathered")));
    // gathered is used from IP 7 on, when scores is done.
    assert_eq!((&pair["bytes"], &pair["order"]), (&json!(100 * MIB), &json!("apart")));
    let private = &answer["private"][0];
    assert_eq!((&private["name"], &private["spans"][0]["first_ip"]), (&json!("packed"), &json!(5)));
}

#[test]
fn what_nothing_computes_is_said_with_its_reason() {
    let answer = ask(&session(&["memory"]), r#"{"ask":"memory"}"#);
    let names: Vec<&Value> = list(&answer["not_computed"]).iter().map(|one| &one["name"]).collect();
    assert_eq!(names, list(&answer["not_counted"]).iter().collect::<Vec<_>>());
    for one in list(&answer["not_computed"]) {
        assert!(one["reason"].as_str().unwrap().len() > 20, "{one}");
    }
    // The profile's cores are 4 and 5, which have HBM 2.
    let hbm = &answer["hbms"][2];
    let base = json!("0x800000000000");
    assert_eq!((&hbm["base"], &hbm["firmware_bytes"]), (&base, &json!(16 * MIB)));
    let pages = list(&hbm["categories"]).iter().find(|one| one["name"] == "shared scratchpad");
    assert_eq!(pages.unwrap()["bytes"], 3 * 512 * MIB, "both cores' share, once");
    assert!(list(&answer["hbms"][1]["categories"]).is_empty());
}

#[test]
fn the_map_lists_every_region_with_its_depth() {
    let none = session(&[]);
    for generation in ["sunda", "cayman", "mariana"] {
        let text = format!(r#"{{"ask":"address-map","generation":"{generation}"}}"#);
        let answer = ask(&none, &text);
        let regions = list(&answer["regions"]);
        assert_eq!(regions[0]["region"]["name"], "HBM 0");
        assert_eq!((&regions[0]["depth"], &regions[1]["depth"]), (&json!(0), &json!(1)));
        // A region and its depth agree with what a look-up of its first byte says.
        for one in regions.iter().step_by(37) {
            let start = one["region"]["start"].as_str().unwrap();
            let text =
                format!(r#"{{"ask":"address","address":"{start}","generation":"{generation}"}}"#);
            let around = ask(&none, &text);
            let depth = one["depth"].as_u64().unwrap() as usize;
            assert_eq!(around["regions"][depth]["name"], one["region"]["name"]);
        }
    }
    let default = ask(&session(&["memory"]), r#"{"ask":"address-map"}"#);
    assert_eq!(default["generation"], "cayman");
    let error = none.ask_text(r#"{"ask":"address-map","generation":"tea"}"#).unwrap_err();
    assert_eq!(error.code, "memory.generation");
}

#[test]
fn an_address_that_is_typed_says_where_it_is() {
    let one = session(&["memory"]);
    let goto = |text: &str| {
        let answer = ask(&one, &json!({"ask": "goto", "text": text}).to_string());
        let targets = list(&answer["targets"]);
        let found = targets.iter().find(|target| target["kind"] == "address");
        found.cloned().unwrap_or_else(|| panic!("{text}: {answer}"))
    };
    let event = goto("0x2802700020");
    assert_eq!(event["address"], "0x2802700020");
    assert!(event["detail"].as_str().unwrap().contains("event 8, HW_EXEC_QUEUE_REQUEST_LOAD"));
    assert_eq!(event["place"], Value::Null);
    // gathered: page 1, which follows page 0 at 16 MiB of the HBM of core 4, and 100 MiB into it.
    let variable = goto("hbm 0x800027400010");
    assert!(variable["detail"].as_str().unwrap().starts_with("gathered + 0x10 in sg00"));
    assert_eq!(variable["provenance"], "modelled");
    let second = goto("addr 0x80004cc00000");
    assert!(second["detail"].as_str().unwrap().starts_with("part + 0x0 in sg01"), "{second}");
    let nothing = goto("0xffffffffffffffff");
    assert!(nothing["detail"].as_str().unwrap().contains("no region of cayman"));
    // What another generation has there is told: byte 0x28 of a block of SUNDA's notifications is 0x28
    // behind 0x100, its second queue; TOP_SP 1 has its events from 0xFFFD0400000 on, 4 bytes apart.
    for (address, told) in [
        (
            "0xffff0535128",
            "; on sunda registers \u{203a} notifications of core 0 + 0x128: queue 1, base low",
        ),
        (
            "0xfffd0400010",
            "; on sunda TOP_SP 1 \u{203a} TOP_SP 1 events and semaphores + 0x10: event 4",
        ),
        ("0xfffc2900010", "; on sunda core 0 \u{203a} POOL sequencer + 0x10"),
    ] {
        let answer = ask(&session(&["memory"]), &format!(r#"{{"ask":"goto","text":"{address}"}}"#));
        let targets = list(&answer["targets"]);
        let detail = targets.iter().find(|one| one["kind"] == "address").unwrap()["detail"].clone();
        assert_eq!(detail, format!("no region of cayman is known there{told}"));
    }
}

#[test]
fn events_and_semaphores_have_names_and_addresses() {
    let one = session(&["two-subgraphs"]);
    // The runtime's own: slot 7 of PE updates semaphore 2, the barrier of the engines.
    let slot = ask(&one, r#"{"ask":"slot","e":"PE","slot":7}"#);
    let sections = list(&slot["sections"]);
    let update = sections.iter().find(|one| one["title"] == "Update").unwrap();
    let facts = list(&update["facts"]);
    let fact = |name: &str| facts.iter().find(|fact| fact["name"] == name).unwrap();
    assert_eq!(
        (&fact("Name")["value"], &fact("Name")["note"], &fact("Name")["provenance"]),
        (&json!("SYNC_BARRIER"), &json!("semaphore 2"), &json!("inferred"))
    );
    // Core 4 of CAYMAN: its window, the block of events, the increment window, 4 bytes each.
    assert_eq!(fact("Address")["value"], "0x802802701808");
    assert_eq!(fact("Address")["address"], "0x802802701808");
    // What a value is added to has no cell; what goes up by 1 has that which sets events, inferred.
    assert!(facts.iter().all(|fact| fact["name"] != "By ring"));
    let raised = ["PE", "ACT", "POOL", "DVE", "SP"].iter().find_map(|engine| {
        let slots = ask(&one, &format!(r#"{{"ask":"slots","e":"{engine}"}}"#));
        let ups =
            |slot: &&Value| slot["update"]["op"].as_str().is_some_and(|op| op.starts_with("++"));
        let ip = list(&slots["slots"]).iter().find(ups)?["neff_ip"].clone();
        Some(ask(&one, &format!(r#"{{"ask":"slot","e":"{engine}","ip":{ip}}}"#)))
    });
    let raised = raised.unwrap();
    let all = list(&raised["sections"]).iter().flat_map(|one| list(&one["facts"]));
    let cell = all.clone().find(|fact| fact["name"] == "By ring").unwrap();
    let expected = (&json!("0x9000000004"), &json!("inferred"));
    assert_eq!((&cell["address"], &cell["provenance"]), expected);
    // The program's own: by queue, else by who posts and who waits.
    let slots = ask(&one, r#"{"ask":"slots","e":"SP"}"#);
    let wait = list(&slots["slots"]).iter().find_map(|slot| slot["wait"].as_object());
    assert!(wait.unwrap()["name"].as_str().is_some());
    assert!(!slots["slots"].to_string().contains("SYNC_BARRIER"), "text stays the .asm form");
}

#[test]
fn the_cells_of_the_event_accelerator_are_found() {
    let one = session(&["memory"]);
    // Generation, cell that clears, cell that sets, event 8 of core 1 as in EV-8 and EV-11.
    let table = [
        ("sunda", "0x2000000000", "0x2000000004", "0xfffc6700020"),
        ("cayman", "0x9000000000", "0x9000000004", "0x3802700020"),
        ("mariana", "0x9000000000", "0x9400000000", "0x3802700020"),
    ];
    for (generation, clear, set, event) in table {
        let look_up = |address: &str| {
            let text =
                format!(r#"{{"ask":"address","address":"{address}","generation":"{generation}"}}"#);
            ask(&one, &text)
        };
        for (address, name) in [(clear, "clear"), (set, "set")] {
            let there = look_up(address);
            let region = &there["regions"][0];
            assert_eq!(region["name"], format!("event accelerator, {name}"), "{generation}");
            assert_eq!((&region["start"], &region["bytes"]), (&json!(address), &json!(4)));
            assert_eq!(region["provenance"], "observed");
            assert!(there["detail"].as_str().unwrap().contains(name), "{there}");
        }
        let cells = look_up(event)["cells"].clone();
        let cell =
            |does, address| json!({"does": does, "address": address, "provenance": "observed"});
        assert_eq!(cells, json!([cell("set", set), cell("clear", clear)]), "{generation}");
    }
    // Where MARIANA has nothing, nothing is found.
    let text = r#"{"ask":"address","address":"0x9000000004","generation":"mariana"}"#;
    assert_eq!(ask(&one, text)["regions"], json!([]));
    // The window of a semaphore that adds takes the set cell; the others take none.
    let of = |address: &str| {
        let text = format!(r#"{{"ask":"address","address":"{address}","generation":"mariana"}}"#);
        ask(&one, &text)["cells"].clone()
    };
    let add = json!([{"does": "add 1", "address": "0x9400000000", "provenance": "inferred"}]);
    assert_eq!(of("0x2802701804"), add);
    assert_eq!(of("0x2802701404"), Value::Null);
    // The go-to box finds them too.
    let found = ask(&one, r#"{"ask":"goto","text":"0x9000000004"}"#);
    let texts: Vec<&str> =
        list(&found["targets"]).iter().filter_map(|one| one["detail"].as_str()).collect();
    assert!(texts.iter().any(|text| text.starts_with("event accelerator, set + 0x0")), "{texts:?}");
}

#[test]
fn the_table_of_a_generation_can_be_browsed() {
    let one = session(&["memory"]);
    let list_of = ask(&one, r#"{"ask":"records","find":"arch_ops"}"#);
    assert_eq!((&list_of["total"], &list_of["records"][0]["bytes"]), (&json!(1), &json!(488)));
    let record = ask(&one, r#"{"ask":"record","name":"arch_ops"}"#);
    let fields = list(&record["fields"]);
    assert_eq!(fields.len(), 61);
    let field = |name: &str| fields.iter().find(|field| field["name"] == name).unwrap();
    assert_eq!(field("num_tpb")["value"], Value::Null, "an address of the loader's");
    assert_eq!(field("num_tpb")["text"], "8");
    let told = |name: &str| (field(name)["text"].clone(), field(name)["provenance"].clone());
    assert_eq!(told("dma_per_tpb"), (json!("16"), json!("observed")));
    assert_eq!(told("h2d_engine_id"), (json!("129, 131"), json!("observed")));
    assert_eq!(told("tpb_mem_bar"), (json!("0xd0000000 + 0x4000000 x core"), json!("observed")));
    assert_eq!(told("num_seng"), (json!("4"), json!("inferred")));
    assert_eq!(told("bcast").0, Value::Null);
    assert_eq!(field("sync_events")["links"][0]["record"], "reserved_events");
    assert_eq!(field("tpb_reg_offset.dve_seed")["offset"], 344);
}

#[test]
fn a_top_sp_has_no_reserved_ids() {
    // Event 8 of core 0 and of TOP_SP 0: the reserved ids are those of a core.
    let none = session(&[]);
    let of = |address: &str| {
        let question = json!({"ask": "address", "address": address, "generation": "cayman"});
        ask(&none, &question.to_string())["detail"].as_str().unwrap().to_owned()
    };
    assert_eq!(of("0x2802700020"), "event 8, HW_EXEC_QUEUE_REQUEST_LOAD");
    assert_eq!(of("0x8280000020"), "event 8");
}

#[test]
fn the_calculator_tells_what_a_runtime_would_not_do() {
    let none = session(&[]);
    let codes = |mode: &str, page_size: u64| -> Vec<String> {
        let question = json!({"ask": "scratchpad", "mode": mode, "page_size": page_size,
            "pages": 3, "offset": 0, "size": 1});
        let answer = ask(&none, &question.to_string());
        let found = answer["diagnostics"].as_array().cloned().unwrap_or_default();
        found.iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes("contiguous", 64 << 20), [] as [&str; 0]);
    assert_eq!(codes("contiguous", 512 << 20), ["memory.page-size-unused"]);
    assert_eq!(codes("paged", 512 << 20), [] as [&str; 0]);
    assert_eq!(codes("paged", 3_584 << 20), [] as [&str; 0]);
    assert_eq!(codes("paged", 4096), ["memory.page-size-odd"]);
}

#[test]
fn the_calculator_never_wraps_around() {
    let none = session(&[]);
    let at = |page_size: u64, pages: u64, offset: u64, size: u64| {
        none.ask_text(
            &json!({"ask": "scratchpad", "mode": "paged", "page_size": page_size, "pages": pages,
                "offset": offset, "size": size})
            .to_string(),
        )
    };
    assert_eq!(at(0, 1, 0, 1).unwrap_err().code, "memory.page-size");
    assert_eq!(at(1 << 32, 1, 0, 1).unwrap_err().code, "memory.page-size");
    let many = at(4096, 1_025, 0, 1).unwrap_err();
    assert_eq!(many.code, "memory.pages");
    assert!(many.message.contains("exceeded"), "{}", many.message);
    let far = at(4096, 1_024, u64::MAX, 2).unwrap();
    assert!(far.contains("exceed 2^64"), "{far}");
    let negative =
        r#"{"ask":"scratchpad","mode":"paged","page_size":4096,"pages":1,"offset":-1,"size":1}"#;
    assert_eq!(none.ask_text(negative).unwrap_err().code, "request.invalid");
    let wide = r#"{"ask":"memory","page_size":18446744073709551616}"#;
    assert_eq!(session(&["memory"]).ask_text(wide).unwrap_err().code, "request.invalid");
}

/// A number of the go-to box that leads nowhere: the hint says why, for the engine of the question.
#[test]
fn numbers_that_lead_nowhere_have_a_reason() {
    let session = session(&["sg00"]);
    let hint = |text: &str| -> String {
        let answer = ask(&session, &json!({"ask": "goto", "text": text}).to_string());
        assert_eq!(answer["targets"], json!([]), "{text}");
        answer["hint"].as_str().unwrap().to_owned()
    };
    let image: Value = ask(&session, r#"{"ask":"regions"}"#);
    let (slots, records) =
        (&image["engines"][0]["image_slots"], &image["engines"][0]["neff_slots"]);
    let last = slots.as_u64().unwrap() - 1;
    let ip = format!("NEFF IP 99999 is not in the stream of PE, which has the IPs 1 to {records}.");
    assert_eq!(hint("ip 99999"), ip);
    let slot = format!("slot 99999 is outside the image of PE, which has slots 0 to {last}.");
    assert_eq!(hint("slot 99999"), slot);
    assert!(hint("99999").contains(&ip) && hint("99999").contains("is in no image"));
    assert!(hint("no such name").contains("a mnemonic"));
}

//! Questions about device memory, as the command line and HTTP ask them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use debug_api::Session;
use serde_json::Value;
use support::asking::{ask_text as ask, case, session};
use support::ntff_writer::ntff;
use support::pair_builder::capture_of;

fn code(session: &Session, text: &str) -> &'static str {
    session.ask_text(text).unwrap_err().code
}

#[test]
fn a_range_of_a_scratchpad() {
    let none = Session::new(Vec::new());
    let at = |mode: &str, size: u64, pages: u64, offset: u64, bytes: u64| {
        let text = format!(
            r#"{{"ask":"scratchpad","mode":"{mode}","page_size":{size},"pages":{pages},"offset":{offset},"size":{bytes}}}"#
        );
        none.ask_text(&text)
    };
    let found = |mode, size, pages, offset, bytes| -> Value {
        serde_json::from_str(&at(mode, size, pages, offset, bytes).unwrap()).unwrap()
    };
    let mib = 1 << 20;
    let crossing = found("contiguous", 64 * mib, 3, 50 * mib, 100 * mib);
    assert_eq!((&crossing["page"], &crossing["in_page_offset"]), (&2.into(), &(50 * mib).into()));
    assert_eq!(crossing["error"], Value::Null);
    let refused = found("paged", 64 * mib, 3, 50 * mib, 100 * mib);
    assert_eq!(refused["error"], "not-found");
    assert!(refused["reason"].as_str().unwrap().contains("crosses the end of a page"));
    assert_eq!(found("paged", 1000, 2, 1999, 1)["page"], 1);
    assert_eq!(found("paged", 1000, 2, 2000, 1)["error"], "not-found");
    assert_eq!(found("paged", 1000, 2, u64::MAX, 1)["error"], "not-found");
    assert_eq!(found("contiguous", 0xFFFF_FFFF, 1024, 0, u64::MAX)["error"], "not-found");
    let failed = |size, pages| at("paged", size, pages, 0, 1).unwrap_err().code;
    assert_eq!(failed(0, 1), "memory.page-size");
    assert_eq!(failed(1 << 32, 1), "memory.page-size");
    assert_eq!(failed(0xFFFF_FFFF, 1025), "memory.pages");
    assert_eq!(at("virtual", 1, 1, 0, 1).unwrap_err().code, "memory.mode");
    for bad in [
        r#"{"ask":"scratchpad","mode":"paged","page_size":-1,"pages":1,"offset":0,"size":1}"#,
        r#"{"ask":"scratchpad","mode":"paged","page_size":1,"pages":1,"offset":-5,"size":1}"#,
        r#"{"ask":"scratchpad","mode":"paged","page_size":1,"pages":1,"offset":0}"#,
        r#"{"ask":"scratchpad","mode":"paged","page_size":1.5,"pages":1,"offset":0,"size":1}"#,
        r#"{"ask":"scratchpad","mode":"paged","page_size":1,"pages":1,"offset":0,"size":1,"s":"a"}"#,
        r#"{"ask":"memory","hbm":-1}"#,
        r#"{"ask":"memory","page_size":18446744073709551616}"#,
        r#"{"ask":"memory","tea":1}"#,
    ] {
        assert_eq!(code(&none, bad), "request.invalid", "{bad}");
    }
}

#[test]
fn a_file_of_two_cores() {
    let one = session(&[("two.neff", case("two-subgraphs"))]);
    // Each core has 16 KiB of virtual variables, 32 bytes of file and 16 KiB each of input and
    // output; both local slices lie on the sharing core.
    let all = ask(&one, r#"{"ask":"memory"}"#);
    assert_eq!((&all["mode"], &all["page_size"]), (&"paged".into(), &(512 << 20).into()));
    assert_eq!((&all["need_bytes"], &all["n_pages"]), (&32_768.into(), &1.into()));
    assert_eq!(all["pages"][0]["subgraph"], "sg00");
    assert_eq!(all["pages"][0]["variables"][0]["name"], "tmp_SpillSave0");
    assert_eq!(all["pages"][0]["used_bytes"], 32_768);
    assert_eq!((&all["memory_verdict"], &all["overlaps"]), (&"fits".into(), &0.into()));
    // Its constants are no `.npy` file, which a loader looks at first.
    assert_eq!((&all["verdict"], &all["fits"]), (&"refused".into(), &false.into()));
    assert_eq!(all["refusals"][0]["code"], "kbin.npy");
    assert_eq!(all["categories"]["shared scratchpad"], 512 << 20);
    assert_eq!(all["measured"], Value::Null);
    assert_eq!(all["core_provenance"], "configured");
    let alone = ask(&one, r#"{"ask":"memory","s":"sg00","mode":"contiguous"}"#);
    assert_eq!(alone["need_bytes"], 16_384);
    assert_eq!((&alone["page_size"], &alone["n_pages"]), (&(64 << 20).into(), &1.into()));
    assert_eq!(alone["subgraphs"].as_array().unwrap().len(), 1);
    let weight = &alone["subgraphs"][0];
    assert_eq!((&weight["file_bytes"], &weight["io_bytes"]), (&32.into(), &32_768.into()));
    assert_eq!(alone["categories"]["tensor"], 32_768);

    // Places, a part at a time.
    let total = all["variables"]["total"].as_u64().unwrap();
    let rows = all["variables"]["rows"].as_array().unwrap();
    assert_eq!(rows.len() as u64, total);
    let part = ask(&one, r#"{"ask":"memory","from":2,"count":2}"#);
    assert_eq!(part["variables"]["rows"].as_array().unwrap()[..], rows[2..4]);
    let page = rows.iter().find(|row| row["place"] == "page").unwrap();
    assert_eq!((&page["page"], &page["address"]), (&0.into(), &"0x800001000000".into()));
    assert_eq!(page["provenance"], "modelled");
    let none = ask(&one, r#"{"ask":"memory","from":4294967295}"#);
    assert_eq!(none["variables"]["rows"].as_array().unwrap().len(), 0);
}

#[test]
fn several_files_share_pages_and_may_not_fit() {
    let two = session(&[("a.neff", case("two-subgraphs")), ("b.neff", case("two-subgraphs"))]);
    let both = ask(&two, r#"{"ask":"memory"}"#);
    assert_eq!((&both["need_bytes"], &both["n_pages"]), (&32_768.into(), &1.into()));
    assert_eq!(both["categories"]["shared scratchpad"], 512 << 20, "pages are shared");
    assert_eq!(both["subgraphs"].as_array().unwrap().len(), 4);
    assert_eq!(both["pages"][0]["n_variables"], 4);
    let first = ask(&two, r#"{"ask":"memory","f":1}"#);
    assert_eq!(first["subgraphs"][0]["file"], 1);
    assert_eq!(first["subgraphs"].as_array().unwrap().len(), 2);

    let small = ask(&two, r#"{"ask":"memory","hbm":536870912,"page_size":536870912}"#);
    assert_eq!(small["fits"], false);
    let failure = &small["failures"][0];
    assert!(failure["what"].as_str().unwrap().starts_with("scratchpad: "), "{failure}");
    assert_eq!(failure["status_name"], "RESOURCE");
    // The firmware's 16 MiB are missing.
    assert_eq!(failure["short_bytes"], 16 << 20);
    assert!(small["remedies"].as_array().unwrap().iter().any(|one| one["kind"] == "hbm"));
    let none = ask(&two, r#"{"ask":"memory","hbm":0}"#);
    assert_eq!(none["fits"], false);
    assert_eq!(none["hbm_bytes"], 0);
    let vast = ask(&two, r#"{"ask":"memory","hbm":18446744073709551615}"#);
    assert_eq!(vast["memory_verdict"], "fits");
}

#[test]
fn the_mode_is_chosen_or_told() {
    let one = session(&[("two.neff", case("two-subgraphs")), ("lone.neff", case("sg00"))]);
    let mode = |text: &str| ask(&one, text)["mode"].as_str().unwrap().to_owned();
    assert_eq!(mode(r#"{"ask":"memory","f":0,"runtime":"2.33"}"#), "contiguous");
    assert_eq!(mode(r#"{"ask":"memory","f":0,"runtime":"2.32.9"}"#), "paged");
    assert_eq!(mode(r#"{"ask":"memory","f":0,"runtime":"2.33","driver":"2.23"}"#), "paged");
    assert_eq!(mode(r#"{"ask":"memory","f":0,"runtime":"2.33","mode":"paged"}"#), "paged");
    let codes = |text: &str| -> Vec<String> {
        let answer = ask(&one, text);
        let all = answer["diagnostics"].as_array().unwrap().iter();
        all.map(|one| one["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(r#"{"ask":"memory","f":0,"page_size":4096}"#), ["memory.page-size-odd"]);
    let unused = r#"{"ask":"memory","f":0,"mode":"contiguous","page_size":4096}"#;
    assert_eq!(codes(unused), ["memory.page-size-unused"]);
    for (text, expected) in [
        (r#"{"ask":"memory","mode":"tea"}"#, "memory.mode"),
        (r#"{"ask":"memory","page_size":0}"#, "memory.page-size"),
        (r#"{"ask":"memory","page_size":4294967296}"#, "memory.page-size"),
        (r#"{"ask":"memory","generation":"tea"}"#, "memory.generation"),
        (r#"{"ask":"memory","runtime":"new"}"#, "memory.version"),
        (r#"{"ask":"memory","s":"sg09"}"#, "subgraph.unknown"),
        (r#"{"ask":"memory","f":7}"#, "file.unknown"),
    ] {
        assert_eq!(code(&one, text), expected, "{text}");
    }
    assert_eq!(code(&Session::new(Vec::new()), r#"{"ask":"memory"}"#), "file.unknown");
}

#[test]
fn odd_variables_are_shown_all_the_same() {
    let mixed = session(&[("mixed.neff", case("mixed"))]);
    // One virtual variable of 4 GiB: no page of 512 MiB takes it.
    let answer = ask(&mixed, r#"{"ask":"memory"}"#);
    assert_eq!((&answer["need_bytes"], &answer["n_pages"]), (&4_294_967_296_u64.into(), &8.into()));
    assert_eq!(
        (&answer["n_private"], &answer["private_bytes"]),
        (&1.into(), &4_294_967_296_u64.into())
    );
    let advice = &answer["advice"];
    assert_eq!(
        (&advice["page_size"], &advice["still_private"]),
        // The runtime keeps a page size in 32 bits, so 4 GiB cannot be set.
        (&4_294_967_296_u64.into(), &1.into())
    );
    assert_eq!(advice["enough_page_size"], Value::Null, "no documented page takes 4 GiB");
    let places = answer["variables"]["rows"].as_array().unwrap();
    let far = places.iter().find(|row| row["name"] == "far").unwrap();
    assert_eq!((&far["place"], &far["address"]), (&"not-staged".into(), &Value::Null));
    // One region is not for a logical core of one physical core but on SUNDA.
    let paged = ask(&mixed, r#"{"ask":"memory","mode":"contiguous"}"#);
    assert_eq!((&paged["mode"], &paged["n_pages"]), (&"paged".into(), &8.into()));
    let region = ask(&mixed, r#"{"ask":"memory","mode":"contiguous","generation":"sunda"}"#);
    assert_eq!((&region["n_pages"], &region["n_private"]), (&64.into(), &0.into()));
    assert_eq!(region["pages"][63]["offset"], 0, "the first bytes are on the last page");
}

#[test]
fn measured_categories_stand_beside_the_computed_ones() {
    let neff = case("two-subgraphs");
    let mut text = capture_of(&neff, "cayman-r2.27", 0).unwrap();
    for core in &mut text.cores {
        core.memory =
            vec![(12, 4_096, "tensor".to_owned()), (19, 77, "dma rings spill".to_owned())];
    }
    let capture = ntff(&text);
    let pair = session(&[("two.neff", neff), ("run.ntff", capture)]);
    let answer = ask(&pair, r#"{"ask":"memory"}"#);
    // The test writes two categories for each core; one of them is never computed.
    assert_eq!(answer["measured"]["tensor"], 8_192);
    let categories = answer["subgraphs"][0]["categories"].as_array().unwrap();
    let tensor = categories.iter().find(|one| one["name"] == "tensor").unwrap();
    assert_eq!((&tensor["bytes"], &tensor["measured_bytes"]), (&32_768.into(), &4_096.into()));
    let rings = categories.iter().find(|one| one["name"] == "dma rings spill").unwrap();
    assert_eq!((&rings["bytes"], &rings["measured_bytes"]), (&Value::Null, &77.into()));
    // A capture without such records measured nothing, which is not 0 bytes.
    for core in &mut text.cores {
        core.memory.clear();
    }
    let pair = session(&[("two.neff", case("two-subgraphs")), ("run.ntff", ntff(&text))]);
    let answer = ask(&pair, r#"{"ask":"memory"}"#);
    assert_eq!(answer["measured"], Value::Null);
    let told = answer["diagnostics"].as_array().unwrap();
    let told = told.iter().filter(|one| one["code"] == "memory.not-measured").count();
    assert_eq!(told, 2, "one for each subgraph");
}

#[test]
fn what_a_device_address_is() {
    let none = Session::new(Vec::new());
    let event = r#"{"ask":"address","address":"0x803802700020","generation":"cayman"}"#;
    let answer = ask(&none, event);
    let names: Vec<&str> = answer["regions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|region| region["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["core 5", "events and semaphores"]);
    let event = "event 8, HW_EXEC_QUEUE_REQUEST_LOAD";
    assert_eq!((&answer["offset"], &answer["detail"]), (&0x20.into(), &event.into()));
    let nowhere = r#"{"ask":"address","address":"0xffffffffffffffff","generation":"sunda"}"#;
    assert_eq!(ask(&none, nowhere)["regions"].as_array().unwrap().len(), 0);
    assert_eq!(
        code(&none, r#"{"ask":"address","address":"tea","generation":"sunda"}"#),
        "request.invalid"
    );
    assert_eq!(code(&none, r#"{"ask":"address","address":"0"}"#), "file.unknown");

    let one = session(&[("two.neff", case("two-subgraphs"))]);
    // The virtual variable of sg00 is on the first page, 16 bytes into it.
    let answer = ask(&one, r#"{"ask":"address","address":"0x800001000010"}"#);
    assert_eq!(answer["variable"]["name"], "tmp_SpillSave0");
    assert_eq!(
        (&answer["variable"]["offset"], &answer["generation"]),
        (&16.into(), &"cayman".into())
    );
    let image = ask(&one, r#"{"ask":"image","e":"ACT"}"#);
    let base = image["base"].as_str().unwrap();
    let answer = ask(&one, &format!(r#"{{"ask":"address","address":"{base}"}}"#));
    assert_eq!(
        (&answer["image"]["engine"], &answer["image"]["image_offset"]),
        (&"ACT".into(), &0.into())
    );
}

//! Questions about the runtime's records and about profiles of a session.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use debug_api::{Limits, OpenFile, Session};
use serde_json::{Value, json};
use support::asking::{ask, case, session};

/// The text of a built-in profile under another name.
fn own_profile() -> String {
    let (_, text) = device_image::profile::BUILT_IN[2];
    text.replacen("name = \"cayman-r2.27\"", "name = \"mine\"", 1)
}

/// A field of a record by name.
fn field<'a>(record: &'a Value, name: &str) -> &'a Value {
    let fields = record["fields"].as_array().unwrap();
    fields.iter().find(|field| field["name"] == name).unwrap()
}

#[test]
fn records_are_listed_and_each_can_be_read() {
    let session = session(&[("functions.neff", case("functions"))]);
    let list = ask(&session, &json!({"ask": "records", "e": "pool"}));
    assert_eq!((&list["engine"], &list["patch_lists"]), (&json!("POOL"), &json!("kept")));
    assert_eq!((&list["usage_tag"], &list["alignment"]), (&json!(3), &json!(0x8000)));
    let records = list["records"].as_array().unwrap();
    assert_eq!(list["total"], json!(records.len()));
    for record in records {
        let name = record["name"].as_str().unwrap();
        let one = ask(&session, &json!({"ask": "record", "e": "pool", "name": name}));
        assert_eq!(&one["record"], record, "{name}");
        let bytes = record["bytes"].as_u64().unwrap();
        assert_eq!(one["hex"].as_str().unwrap().len() as u64, 2 * bytes.min(64 << 10));
        for field in one["fields"].as_array().unwrap() {
            assert!(field["provenance"].is_string(), "{name} {field}");
        }
    }
    // The second function is `accumulate`: resets its semaphores, returns through 2 and 3.
    let function = ask(&session, &json!({"ask": "record", "e": "POOL", "name": "functions.1"}));
    assert_eq!(field(&function, "function_name")["value"], "accumulate");
    assert_eq!(field(&function, "return_reg_lo")["value"], 2);
    assert_eq!(field(&function, "reset_semaphores")["value"], true);
    assert_eq!(field(&function, "node")["value"], Value::Null);
    let addrs = ask(&session, &json!({"ask": "record", "e": "POOL", "name": "addrs"}));
    assert_eq!(addrs["record"]["model_offset"], 0x1988 + 2 * 8);
    let image = ask(&session, &json!({"ask": "image", "e": "POOL"}));
    let core = &image["ranges"]["core"];
    let expected = format!("{:#x}", core["offset"].as_u64().unwrap());
    assert_eq!(field(&addrs, "core_offset.offset")["value"], expected.as_str());
}

#[test]
fn lists_have_pages_and_unknown_records_are_told() {
    let session = session(&[("sg00.neff", case("sg00"))]);
    let all = ask(&session, &json!({"ask": "records"}));
    let page = ask(&session, &json!({"ask": "records", "from": 2, "count": 3}));
    assert_eq!(page["records"].as_array().unwrap()[..], all["records"].as_array().unwrap()[2..5]);
    assert_eq!((&page["from"], &page["total"]), (&json!(2), &all["total"]));
    let error = ask(&session, &json!({"ask": "record", "name": "functions.7"}));
    assert_eq!(error["error"]["code"], "record.unknown");
    let mistake = ask(&session, &json!({"ask": "record"}));
    assert_eq!(mistake["error"]["code"], "request.invalid");
}

/// A base that is set is the start address of the staged block, and configured.
#[test]
fn the_base_of_a_question_is_in_the_staged_block() {
    let session = session(&[("sg00.neff", case("sg00"))]);
    let name = "inst_block";
    let block = ask(&session, &json!({"ask": "record", "name": name, "base": "0x40000"}));
    assert_eq!(field(&block, "start_addr")["value"], "0x40000");
    assert_eq!(field(&block, "start_addr")["provenance"], "configured");
    let block = ask(&session, &json!({"ask": "record", "name": name}));
    assert_eq!(field(&block, "start_addr")["provenance"], "modelled");
}

#[test]
fn a_profile_of_the_session_is_used_by_its_name_and_by_that_of_its_file() {
    let text = own_profile().replacen("records = [\"NOTIFY(7)\"]", "records = [\"NOTIFY(9)\"]", 1);
    let files = vec![("sg00.neff", case("sg00")), ("my.toml", text.into_bytes())];
    let session = session(&files);
    for name in ["mine", "my.toml"] {
        let image = ask(&session, &json!({"ask": "image", "profile": name}));
        assert_eq!(image["profile"], "mine");
        let block = ask(&session, &json!({"ask": "record", "name": "inst_block", "profile": name}));
        // Byte 0x24 of the first slot is the phase.
        let at = 2 * (0x60 + 0x24);
        assert_eq!(&block["hex"].as_str().unwrap()[at..at + 2], "09");
    }
    let regions = ask(&session, &json!({"ask": "regions"}));
    assert!(regions["profiles"].as_array().unwrap().contains(&json!("mine")));
    assert_ne!(regions["profile"], "mine");
    let profiles = ask(&session, &json!({"ask": "profiles"}));
    let own = profiles["profiles"].as_array().unwrap().last().unwrap();
    assert_eq!((&own["name"], &own["file"]), (&json!("mine"), &json!("my.toml")));
    assert_eq!(own["provenance"], "configured", "whatever the file says of itself");
    let unknown = ask(&session, &json!({"ask": "image", "profile": "other.toml"}));
    assert_eq!(unknown["error"]["code"], "profile.unknown");
}

/// What the user may not have meant: a profile for other hardware, two profiles of one name.
#[test]
fn a_profile_for_another_generation_and_two_of_one_name_are_findings() {
    let text = own_profile();
    let sunda = text.replacen("generation = \"cayman\"", "generation = \"sunda\"", 1);
    assert_ne!(sunda, text);
    let codes = |profiles: &[(&'static str, &str)], name: &str| -> Vec<String> {
        let mut files = vec![("sg00.neff", case("sg00"))];
        files.extend(profiles.iter().map(|(name, text)| (*name, text.as_bytes().to_vec())));
        let image = ask(&session(&files), &json!({"ask": "image", "profile": name}));
        let findings = image["diagnostics"].as_array().unwrap().iter();
        let codes = findings.filter_map(|finding| finding["code"].as_str());
        codes.filter(|code| code.starts_with("profile.")).map(str::to_owned).collect()
    };
    assert!(codes(&[("a.toml", &text)], "mine").is_empty());
    assert_eq!(codes(&[("a.toml", &sunda)], "mine"), ["profile.generation"]);
    assert_eq!(codes(&[("a.toml", &text), ("b.toml", &sunda)], "mine"), ["profile.twice"]);
    assert!(codes(&[("a.toml", &text), ("b.toml", &sunda)], "a.toml").is_empty());
    assert!(codes(&[("a.toml", &text), ("b.toml", &text)], "mine").is_empty());
}

/// Of several profiles with mistakes each is told, whichever is asked for, and none twice.
#[test]
fn every_profile_with_a_mistake_is_a_finding() {
    let bad = |line: &str| format!("name = \"x\"\n{line}\n").into_bytes();
    let session = session(&[
        ("sg00.neff", case("sg00")),
        ("one.toml", bad("generation = 1")),
        ("good.toml", own_profile().into_bytes()),
        ("two.toml", bad("generation = 2")),
    ]);
    let told = |profile: Option<&str>| -> Vec<(String, bool)> {
        let image = ask(&session, &json!({"ask": "image", "profile": profile}));
        let findings = image["diagnostics"].as_array().unwrap().clone();
        let own = findings.iter().filter(|finding| finding["code"] == "profile.invalid");
        own.map(|finding| {
            let message = finding["message"].as_str().unwrap();
            let name = finding["at"]["member"].as_str().unwrap();
            (name.to_owned(), message.contains("stands in"))
        })
        .collect()
    };
    let (one, two) = ("one.toml".to_owned(), "two.toml".to_owned());
    assert_eq!(told(None), [(one.clone(), false), (two.clone(), false)]);
    assert_eq!(told(Some("mine")), told(None));
    assert_eq!(told(Some("two.toml")), [(two, true), (one, false)]);
}

/// A profile with a mistake: its place is told, and the default profile's image is shown.
#[test]
fn a_profile_with_a_mistake_is_a_finding_and_the_default_stands_in() {
    let text = own_profile().replacen("records = [\"NOTIFY(7)\"]", "records = [\"NOTE(7)\"]", 1);
    let line = 1 + text.lines().position(|line| line.contains("NOTE(7)")).unwrap();
    let files = vec![("sg00.neff", case("sg00")), ("bad.toml", text.into_bytes())];
    let session = session(&files);
    let image = ask(&session, &json!({"ask": "image", "profile": "bad.toml"}));
    let default = ask(&session, &json!({"ask": "image"}));
    assert_eq!((&image["profile"], &image["sha256"]), (&default["profile"], &default["sha256"]));
    let finding = &image["diagnostics"][0];
    assert_eq!(
        (&finding["code"], &finding["severity"]),
        (&json!("profile.invalid"), &json!("error"))
    );
    let at = &finding["at"];
    assert_eq!(
        (&at["member"], &at["line"], &at["column"]),
        (&json!("bad.toml"), &json!(line), &json!(12))
    );
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("`NOTE`") && message.contains("stands in"), "{message}");
    let profiles = ask(&session, &json!({"ask": "profiles"}));
    assert_eq!(profiles["profiles"].as_array().unwrap().len(), 6);
    assert_eq!(profiles["diagnostics"][0]["at"]["line"], json!(line));
}

#[test]
fn bytes_that_are_no_text_are_no_profile() {
    let open = |bytes: Vec<u8>| OpenFile::open("x.toml", bytes, &Limits::default());
    assert_eq!(open(vec![0x61, 0xFF]).err().unwrap().code, "profile.text");
    assert_eq!(open(vec![b' '; (4 << 20) + 1]).err().unwrap().code, "profile.text");
    assert!(open(b"name = 1".to_vec()).is_ok(), "opened, with its mistake");
}

/// Every step tells its engines and conditions; capabilities tell where they come from.
#[test]
fn profiles_tell_gates_and_capabilities() {
    let session = Session::new(Vec::new());
    let answer = ask(&session, &json!({"ask": "profiles"}));
    let profiles = answer["profiles"].as_array().unwrap();
    let modelled = profiles.iter().find(|profile| profile["name"] == "modelled-cayman").unwrap();
    let steps = modelled["steps"].as_array().unwrap();
    let load = steps.iter().find(|step| step["id"] == "pool-library-load").unwrap();
    assert_eq!(load["engines"], json!(["POOL"]));
    assert_eq!((&load["gate"], &load["order"]), (&json!("libraries"), &json!(942)));
    let rings = steps.iter().find(|step| step["id"] == "queue-rings").unwrap();
    assert_eq!(
        (&rings["record_gates"], &rings["for_each_queue"]),
        (&json!(["data"]), &json!(true))
    );
    let dge = &modelled["capabilities"][0];
    let expected = json!({"name": "hardware-dge", "value": true, "provenance": "inferred"});
    assert_eq!(*dge, expected);
}

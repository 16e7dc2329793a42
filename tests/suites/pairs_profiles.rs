//! What of a captured image does not depend on the profile that it is compared with, what is left
//! of a capture that was cut, and PCs that another image of the capture holds.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, reason = "a suite fails by panicking")]

use debug_api::Session;
use serde_json::{Value, json};
use support::asking::{ask, case, code, session};
use support::golden::case_dir;

fn capture(name: &str) -> Vec<u8> {
    std::fs::read(case_dir(name).join("input.ntff")).unwrap()
}

fn pair(name: &str) -> Session {
    session(&[("a.neff", case(name)), ("run.ntff", capture(name))])
}

fn codes(answer: &Value) -> Vec<&str> {
    let list = answer["diagnostics"].as_array().unwrap();
    list.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// The preamble of this capture takes 50 slots; the first record has two inserted slots before it,
/// so that other profiles would put the end of the preamble elsewhere.
#[test]
fn regions_of_captured_rows_do_not_depend_on_the_picked_profile() {
    let session = pair("pair-sunda");
    for profile in [None, Some("modelled-sunda"), Some("sunda-r2.23"), Some("cayman-r2.27")] {
        for engine in ["PE", "ACT", "POOL", "DVE", "SP"] {
            let own =
                ask(&session, &json!({ "ask": "image", "s": "sg00", "e": engine, "ntff": 1 }));
            let question =
                json!({ "ask": "image", "s": "sg00", "e": engine, "ntff": 1, "profile": profile });
            let answer = ask(&session, &question);
            assert_eq!(answer["captured"], true, "{profile:?} {engine}");
            assert_eq!(answer["ranges"], own["ranges"], "{profile:?} {engine}");
            assert_eq!(answer["patches"], own["patches"], "{profile:?} {engine}");
        }
    }
    let pc = json!({
        "ask": "pc", "s": "sg00", "e": "PE", "ntff": 1, "pc": "0x3c0110c80", "profile": "sunda-r2.23"
    });
    // 50 slots behind the base lies the run of the first record.
    let answer = ask(&session, &pc);
    assert_eq!((&answer["exact"]["neff_ip"], &answer["region"]), (&json!(1), &json!("MAIN")));
}

/// A profile that cannot be evaluated takes nothing from the capture.
#[test]
fn a_profile_without_values_leaves_the_captured_image() {
    let text = r#"
name = "mine"
generation = "cayman"
provenance = "modelled"
about = "A test."
symbols = []
[inputs]
core = "4"
request_page = 0x10
dve_table = [1, 2]
act_table = [3, 4]
rings = 0x100
queue_step = 0x10
ring_step = 1
[trigger]
io = "NOP"
data = "NOP"
[[preamble]]
id = "start"
title = "Start"
text = "Starts."
program_start = true
records = ["NOTIFY(0x1ffffffff)"]
[[postamble]]
id = "back"
title = "Back"
text = "Goes back."
records = ["BR(@start)"]
"#;
    let name = "pair-cayman";
    let session = session(&[
        ("a.neff", case(name)),
        ("run.ntff", capture(name)),
        ("mine.toml", text.as_bytes().to_vec()),
    ]);
    let own = ask(&pair(name), &json!({ "ask": "image", "s": "sg00", "e": "PE", "ntff": 1 }));
    let question = json!({ "ask": "image", "s": "sg00", "e": "PE", "ntff": 1, "profile": "mine" });
    let answer = ask(&session, &question);
    assert_eq!(answer["sha256"], own["sha256"], "{answer}");
    assert_eq!(answer["captured"], true);
    assert!(!codes(&answer).contains(&"pair.structure"));
    let mut built = question;
    built["modelled"] = json!(true);
    let answer = ask(&session, &built);
    if codes(&answer).contains(&"image.profile") {
        assert_eq!((&answer["sha256"], &answer["regions"]), (&Value::Null, &json!([])));
    }
}

/// Images come first in a capture, patch rows later: cut between them the image is still real.
#[test]
fn a_capture_that_lost_its_rows_keeps_its_images() {
    let name = "pair-sunda";
    let whole = ask(&pair(name), &json!({ "ask": "image", "s": "sg00", "e": "PE", "ntff": 1 }));
    let mut cut = capture(name);
    cut.truncate(30_000);
    let session = session(&[("a.neff", case(name)), ("cut.ntff", cut)]);
    let answer = ask(&session, &json!({ "ask": "image", "s": "sg00", "e": "PE", "ntff": 1 }));
    assert_eq!(answer["captured"], true, "{answer}");
    for key in ["base", "sha256", "ranges", "patches"] {
        assert_eq!(answer[key], whole[key], "{key}");
    }
    assert!(codes(&answer).contains(&"pair.rows"), "{:?}", codes(&answer));
    assert!(!codes(&answer).contains(&"pair.structure"));
}

/// A PC of the other core's image is no bootstrap PC.
#[test]
fn a_pc_that_another_subgraph_holds_leads_there() {
    let session = pair("pair-cayman");
    let image = ask(&session, &json!({ "ask": "image", "s": "sg01", "e": "SP", "ntff": 1 }));
    let base = u64::from_str_radix(image["base"].as_str().unwrap().trim_start_matches("0x"), 16);
    let pc = format!("{:#x}", base.unwrap() + 45 * 64);
    let answer = ask(&session, &json!({ "ask": "pc", "s": "sg00", "e": "SP", "pc": pc }));
    assert_eq!(answer["region"], Value::Null, "{answer}");
    assert_eq!(
        (&answer["place"]["s"], &answer["place"]["image_slot"]),
        (&json!("sg01"), &json!(45))
    );
    let reason = answer["reason"].as_str().unwrap();
    assert!(reason.contains("image of SP of sg01, slot 45"), "{reason}");
    let found = ask(&session, &json!({ "ask": "goto", "s": "sg00", "e": "PE", "text": pc }));
    assert_eq!(found["targets"][0]["kind"], "pc", "{found}");
    assert_eq!(found["targets"][0]["place"]["s"], "sg01");
    let log = ask(&session, &json!({ "ask": "log", "text": format!("SP pc {pc}\n") }));
    assert_eq!(log["lines"][0]["answer"]["subgraph"], "sg01", "{log}");
    assert_eq!(log["lines"][0]["answer"]["image_slot"], 45);
}

/// An image built for another core than the capture's is no stronger than that setting.
#[test]
fn a_configured_core_is_in_the_provenance_of_what_it_changes() {
    let session = pair("pair-cayman");
    let question = json!({ "ask": "image", "s": "sg00", "e": "SP", "ntff": 1, "modelled": true });
    let of_capture = ask(&session, &question);
    assert_eq!(of_capture["provenance"], "observed");
    assert_eq!(of_capture["profile_provenance"], "observed");
    let mut other = question;
    other["core"] = json!(3);
    let answer = ask(&session, &other);
    assert_eq!(answer["provenance"], "configured");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("core 3 is a configured value"), "{notes}");
}

#[test]
fn the_runtimes_own_reading_of_a_pc_is_called_so() {
    let session = pair("pair-cayman");
    // Record 2 is a label without a slot; the runtime reads the slot after it as IP 2.
    let text = "PE pc 0x8005c0410fc0 ip 2\n";
    let log = ask(&session, &json!({ "ask": "log", "text": text }));
    let notes = log["lines"][0]["notes"].to_string();
    assert!(notes.contains("NEFF IP 2 is the runtime's own reading"), "{log}");
}

#[test]
fn bytes_of_an_image_that_could_not_be_built_are_an_error() {
    let session = session(&[("a.neff", case("sg00"))]);
    let question = json!({ "ask": "image", "s": "sg00", "e": "PE", "profile": "nope" });
    assert_eq!(code(&session, &question), "profile.unknown");
}

/// The patch row that deletes POOL's label in sg00, 57 slots on: offset 0xe40, count 1, type 2. It is
/// the only record with these three fields.
fn with_row_type(capture: &[u8], kind: u8) -> Vec<u8> {
    let row = [0x08, 0xc0, 0x1c, 0x10, 0x01, 0x18, 0x02];
    let at: Vec<usize> = (0..capture.len() - row.len())
        .filter(|at| capture.get(*at..at + row.len()) == Some(&row[..]))
        .collect();
    let mut capture = capture.to_vec();
    if let Some(byte) = at.first().and_then(|at| capture.get_mut(at + 6)) {
        *byte = kind;
    }
    assert!(!at.is_empty(), "the row is there");
    capture
}

/// A row of an unknown type, or of the wrong one, leaves the captured bytes and base; the rows of
/// the built image stand in.
#[test]
fn a_damaged_row_leaves_the_captured_image() {
    let name = "pair-cayman";
    let question = json!({ "ask": "image", "s": "sg00", "e": "POOL", "ntff": 1 });
    let whole = ask(&pair(name), &question);
    for kind in [9, 1] {
        let damaged = with_row_type(&capture(name), kind);
        let session = session(&[("a.neff", case(name)), ("run.ntff", damaged)]);
        let answer = ask(&session, &question);
        assert_eq!(answer["captured"], true, "{answer}");
        for key in ["base", "sha256", "ranges", "patches"] {
            assert_eq!(answer[key], whole[key], "type {kind}: {key}");
        }
        assert!(codes(&answer).contains(&"pair.rows"), "{:?}", codes(&answer));
        let ntff = ask(&session, &json!({ "ask": "ntff" }));
        assert_eq!(codes(&ntff).contains(&"ntff.row-type"), kind == 9, "{:?}", codes(&ntff));
    }
}

/// A captured image that accounts for nothing in the program is no bootstrap program: its record is
/// read.
#[test]
fn a_pc_inside_a_captured_image_is_never_bootstrap() {
    let of_another =
        session(&[("a.neff", case("functions")), ("run.ntff", capture("pair-cayman"))]);
    let scope = json!({ "ask": "image", "s": "sg00", "e": "POOL", "ntff": 1 });
    let image = ask(&of_another, &scope);
    assert_eq!(image["captured"], false, "{image}");
    let own = ask(&pair("pair-cayman"), &scope);
    let base = own["base"].as_str().unwrap().trim_start_matches("0x");
    let pc = format!("{:#x}", u64::from_str_radix(base, 16).unwrap() + 60 * 64);
    let question = json!({ "ask": "pc", "s": "sg00", "e": "POOL", "ntff": 1, "pc": pc });
    let answer = ask(&of_another, &question);
    if answer["image_slot"].is_null() {
        assert_eq!(answer["region"], Value::Null, "{answer}");
        let reason = answer["reason"].as_str().unwrap();
        assert!(reason.contains("image of POOL") && reason.contains("slot 60"), "{reason}");
    }
}

//! Captures that do not belong to an executable, or only in part: what is taken from them, and
//! what every answer says of it.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, reason = "a suite fails by panicking")]

use debug_api::{Limits, OpenFile, Session};
use serde_json::{Value, json};
use std::sync::Arc;
use support::asking::{ask, case};
use support::ntff_writer::{NtffText, ntff};
use support::pair_builder::capture_of;

fn capture(name: &str) -> NtffText {
    capture_of(&case(name), "cayman-r2.27", 0).unwrap()
}

fn session(neff: &[u8], capture: Option<&NtffText>) -> Session {
    let open = |name: &str, bytes: Vec<u8>| {
        Arc::new(OpenFile::open(name, bytes, &Limits::default()).unwrap())
    };
    let mut files = vec![open("a.neff", neff.to_vec())];
    files.extend(capture.map(|capture| open("run.ntff", ntff(capture))));
    Session::new(files)
}

fn codes(answer: &Value) -> Vec<&str> {
    let list = answer["diagnostics"].as_array().unwrap();
    list.iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// A capture of another program, named by the user: nothing of it is used, and `pc`, `ip` and
/// `image` all say so.
#[test]
fn nothing_is_taken_from_a_capture_that_fits_nowhere() {
    let neff = case("functions");
    let foreign = capture("two-subgraphs");
    let paired = session(&neff, Some(&foreign));
    let alone = session(&neff, None);
    for question in [
        json!({ "ask": "pc", "s": "sg00", "e": "POOL", "pc": "0x8005c0411000" }),
        json!({ "ask": "ip", "s": "sg00", "e": "POOL", "ip": 1 }),
        json!({ "ask": "image", "s": "sg00", "e": "POOL" }),
    ] {
        let mut with = question.clone();
        with["ntff"] = json!(1);
        let (with, without) = (ask(&paired, &with), ask(&alone, &question));
        for key in ["base", "base_provenance", "sha256", "region"] {
            assert_eq!(with[key], without[key], "{question} {key}");
        }
        assert!(codes(&with).contains(&"pair.structure"), "{question} {with}");
    }
}

#[test]
fn a_capture_without_the_subgraph_is_told_of() {
    let mut other = capture("functions");
    other.cores[0].name = "sgXX".to_owned();
    let session = session(&case("functions"), Some(&other));
    for question in [
        json!({ "ask": "image", "s": "sg00", "e": "PE", "ntff": 1, "modelled": true }),
        json!({ "ask": "pc", "s": "sg00", "e": "PE", "ntff": 1, "pc": "0x8005c0410000" }),
    ] {
        let answer = ask(&session, &question);
        assert!(codes(&answer).contains(&"pair.subgraph"), "{answer}");
    }
}

/// The third record of `two-subgraphs` on PE has other bytes in the capture: slot 63, after 62 of
/// PREAMBLE and one record whose follower is deleted.
#[test]
fn records_that_differ_from_the_program_are_told_of() {
    let mut other = capture("two-subgraphs");
    other.cores[0].images[0].bytes[63 * 64 + 0x20] ^= 0x40;
    let of = |capture: &NtffText| {
        let session = session(&case("two-subgraphs"), Some(capture));
        let answer = ask(&session, &json!({ "ask": "image", "s": "sg00", "e": "PE" }));
        let list = answer["diagnostics"].as_array().unwrap().clone();
        list.into_iter().find(|finding| finding["code"] == "pair.records")
    };
    assert_eq!(of(&capture("two-subgraphs")), None);
    let finding = of(&other).unwrap();
    assert_eq!((&finding["severity"], &finding["at"]["offset"]), (&json!("warning"), &json!(128)));
    let message = finding["message"].as_str().unwrap();
    assert!(message.starts_with("1 records of PE"), "{message}");
    assert!(message.contains("image slot 63, NEFF IP 3"), "{message}");
    // Without the UUID it is no small thing.
    other.uuid = vec![0x55; 16];
    assert_eq!(of(&other).unwrap()["severity"], "error");
}

/// A PC of PE, asked for on POOL, is in PE's image; one outside all images is the bootstrap
/// program's, which is inferred.
#[test]
fn a_pc_of_another_engine_is_not_called_bootstrap() {
    let pair = capture("two-subgraphs");
    let session = session(&case("two-subgraphs"), Some(&pair));
    let pc = |pc: u64| {
        ask(&session, &json!({ "ask": "pc", "s": "sg00", "e": "POOL", "pc": format!("{pc:#x}") }))
    };
    let base = pair.cores[0].images[0].base;
    let answer = pc(base + 62 * 64);
    assert_eq!((&answer["region"], &answer["exact"]), (&Value::Null, &Value::Null));
    assert!(answer["reason"].as_str().unwrap().ends_with("it lies in the image of PE, slot 62"));
    assert_eq!((&answer["place"]["e"], &answer["place"]["image_slot"]), (&json!("PE"), &json!(62)));
    let answer = pc(base - 64);
    assert_eq!(answer["region"], "BOOTSTRAP");
    assert_eq!(answer["region_provenance"], "inferred");
    assert_eq!(answer["provenance"], "inferred");
    // Inside its own image a region's name is inferred, and so is the step of a record.
    let own = pc(pair.cores[0].images[2].base);
    assert_eq!(own["region_provenance"], "inferred");
    assert_eq!(own["step"]["provenance"], "inferred");
}

/// With the UUID, one damaged engine does not drop the others; by the name alone it does.
#[test]
fn a_capture_with_one_damaged_engine_is_still_a_pair() {
    let mut damaged = capture("two-subgraphs");
    for core in &mut damaged.cores {
        core.images[2].rows[0][1] += 1;
    }
    let neff = case("two-subgraphs");
    let pair = |capture: &NtffText| {
        ask(&session(&neff, Some(capture)), &json!({ "ask": "files" }))["pairs"][0]["pair"].clone()
    };
    assert_eq!(pair(&damaged), true);
    let with = session(&neff, Some(&damaged));
    let image = |e: &str| ask(&with, &json!({ "ask": "image", "s": "sg00", "e": e }));
    assert_eq!(image("PE")["captured"], true);
    // The bytes and the base of the damaged one stay, with the rows of the built image.
    assert_eq!(image("POOL")["captured"], true);
    assert_eq!(image("POOL")["base_provenance"], "file");
    assert!(codes(&image("POOL")).contains(&"pair.rows"));
    damaged.uuid = vec![0x55; 16];
    assert_eq!(pair(&damaged), false);
}

#[test]
fn errors_of_the_capture_itself_are_told_with_the_image() {
    let mut odd = capture("two-subgraphs");
    odd.cores[0].images[0].base += 0x40;
    let session = session(&case("two-subgraphs"), Some(&odd));
    let answer = ask(&session, &json!({ "ask": "image", "s": "sg00", "e": "PE" }));
    assert!(codes(&answer).contains(&"pair.capture"), "{:?}", codes(&answer));
}

/// A built-in profile of another generation is told of like a file.
#[test]
fn a_profile_of_another_generation_is_told_of() {
    let session = session(&case("two-subgraphs"), None);
    for (profile, told) in
        [("sunda-r2.25", true), ("modelled-mariana", true), ("cayman-r2.27", false)]
    {
        let question = json!({ "ask": "image", "s": "sg00", "e": "PE", "profile": profile });
        let answer = ask(&session, &question);
        assert_eq!(codes(&answer).contains(&"profile.generation"), told, "{profile}");
    }
}

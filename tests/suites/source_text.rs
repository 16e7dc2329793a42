//! Source text that a user brings along, beside the lines that a NEFF names.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, reason = "a suite fails by panicking")]

use debug_api::{FileKind, Limits, OpenFile, Session};
use serde_json::{Value, json};
use std::sync::Arc;
use support::asking::case;

/// `two-subgraphs`: PE's IPs 3 and 4 come from line 14 of `matmul.py`.
fn ask(texts: &[(&str, String)], ip: u32) -> Value {
    let neff = case("two-subgraphs");
    let open =
        |name: &str, bytes| Arc::new(OpenFile::open(name, bytes, &Limits::default()).unwrap());
    let mut files = vec![open("a.neff", neff)];
    files.extend(texts.iter().map(|(name, text)| open(name, text.clone().into_bytes())));
    let question = json!({ "ask": "source", "s": "sg00", "e": "PE", "ip": ip });
    let answer = Session::new(files).ask_text(&question.to_string()).unwrap();
    serde_json::from_str(&answer).unwrap()
}

/// `1`, `2`, ... on so many lines.
fn numbered(lines: usize) -> String {
    (1..=lines).map(|line| format!("{line}\n")).collect()
}

fn added(answer: &Value) -> Vec<&str> {
    let missing = answer["missing"].as_array().unwrap();
    missing.iter().filter_map(|card| card["add"].as_str()).collect()
}

#[test]
fn the_line_of_a_record_is_shown_with_what_is_around_it() {
    let answer = ask(&[("matmul.py", numbered(20))], 4);
    let text = &answer["texts"][0];
    assert_eq!((&text["file"], &text["line"]), (&json!("matmul.py"), &json!(14)));
    // Twelve lines before it; the file ends six lines behind it.
    assert_eq!((&text["first"], &text["total"]), (&json!(2), &json!(20)));
    let lines = text["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 19);
    let of = |number: usize| &lines[number - 2];
    assert_eq!((&of(14)["text"], &of(14)["ips"]), (&json!("14"), &json!([[3, 4]])));
    assert_eq!((&of(15)["text"], &of(15)["ips"]), (&json!("15"), &json!([])));
    assert_eq!(text["provenance"], "file");
    // Another file of the layers is still missing; this one is not.
    assert!(!added(&answer).contains(&"matmul.py"), "{answer}");
    // A record without a line has no text.
    assert_eq!(ask(&[("matmul.py", numbered(20))], 1)["texts"], json!([]));
}

#[test]
fn without_the_file_a_user_is_told_which_one_to_add() {
    for texts in [vec![], vec![("other.py", numbered(20))]] {
        let answer = ask(&texts, 4);
        assert_eq!(answer["texts"], json!([]));
        assert_eq!(added(&answer), ["matmul.py"]);
    }
}

/// Line 14 of a file of three lines: the answer says so and shows nothing in its place.
#[test]
fn a_file_that_is_too_short_is_not_the_one_that_was_compiled() {
    let text = &ask(&[("matmul.py", numbered(3))], 3)["texts"][0];
    assert_eq!((&text["line"], &text["total"]), (&json!(14), &json!(3)));
    let lines: Vec<&Value> = text["lines"].as_array().unwrap().iter().collect();
    assert_eq!(lines.len(), 2, "lines 2 and 3 are near line 14");
    assert_eq!(ask(&[("matmul.py", String::new())], 3)["texts"][0]["total"], json!(0));
}

#[test]
fn kinds_are_told_by_names() {
    let kind = |name: &str| OpenFile::open(name, b"x = 1\n".to_vec(), &Limits::default());
    assert_eq!(kind("a.PY").unwrap().kind(), FileKind::Source);
    assert_eq!(kind("a.xyz").err().unwrap().code, "file.kind");
    let refused = |name: &str, bytes: &[u8]| {
        OpenFile::open(name, bytes.to_vec(), &Limits::default()).err().unwrap().message
    };
    let log = refused("run.log", "nrt \u{1b}[31mERROR\u{1b}[0m ✗\n".as_bytes());
    assert!(log.contains("this is text") && log.contains("log box"), "{log}");
    // The first 4,096 bytes end inside of a character of two.
    let long = format!("x{}", "é".repeat(3_000));
    assert!(refused("run.log", long.as_bytes()).contains("log box"));
    assert!(refused("true", b"\x7fELF\x02\x01\x01\0").contains("neither a NEFF nor an NTFF"));
    assert!(refused("a", b"").contains("empty"));
    assert_eq!(FileKind::of_name("source"), Some(FileKind::Source));
    assert_eq!(FileKind::beside("run.ntff"), Some(FileKind::Ntff));
    assert_eq!(FileKind::beside("mine.toml"), Some(FileKind::Profile));
    assert_eq!(FileKind::beside("a.neff"), None);
}

/// `pair-cayman`: the tree of PE has `matmul.py` alone, `copy.py` is named on DVE. A record without a
/// line asks for a file that its own engine's tree shows.
#[test]
fn a_record_without_a_line_asks_for_a_file_of_its_engine() {
    let file = OpenFile::open("a.neff", case("pair-cayman"), &Limits::default()).unwrap();
    let session = Session::new(vec![Arc::new(file)]);
    for (engine, wanted) in
        [("PE", Some("matmul.py")), ("DVE", Some("copy.py")), ("ACT", None), ("SP", None)]
    {
        let question = json!({ "ask": "source", "s": "sg00", "e": engine });
        let answer = session.ask_text(&question.to_string()).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let nodes = answer["nodes"].as_array().unwrap();
        let shown: Vec<&str> = nodes.iter().filter_map(|node| node["file"].as_str()).collect();
        let asked = added(&answer);
        assert_eq!(asked.is_empty(), shown.is_empty(), "{engine}");
        assert!(asked.iter().all(|name| shown.contains(name)), "{engine}: {asked:?} {shown:?}");
        assert!(wanted.is_none_or(|name| asked == [name]), "{engine}: {asked:?}");
    }
}

//! What is said of files as a whole: those of one name are told apart, and a text that is no log says
//! so.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use debug_api::answer::{Answer, Provenance};
use debug_api::{Limits, OpenFile, Request, Scope, Session};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use support::asking::case;
use support::ntff_writer::ntff;
use support::pair_builder;

fn open(name: &str, bytes: &[u8]) -> Arc<OpenFile> {
    Arc::new(OpenFile::open(name, bytes.to_vec(), &Limits::default()).unwrap())
}

/// The beginning of a file's digest.
fn tag(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// The workers of a job write files of the same names: every answer calls each by the same name.
#[test]
fn files_of_one_name_are_told_apart_everywhere() {
    let neff = case("two-subgraphs");
    let mut of_run = pair_builder::capture_of(&neff, "cayman-r2.27", 0).unwrap();
    let first = ntff(&of_run);
    of_run.uuid = vec![0x55; 16];
    let second = ntff(&of_run);
    let session = Session::new(vec![
        open("a.neff", &neff),
        open("run.ntff", &first),
        open("run.ntff", &second),
    ]);
    let called = |bytes: &[u8]| format!("run.ntff ({})", tag(bytes));
    let Answer::Files(files) = session.ask(&Request::Files {}).unwrap() else { panic!() };
    let names: Vec<&str> = files.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a.neff", &called(&first), &called(&second)]);

    for (at, bytes) in [(1, &first), (2, &second)] {
        let Answer::Ntff(one) = session.ask(&Request::Ntff { f: Some(at) }).unwrap() else {
            panic!()
        };
        assert_eq!(one.file.name, called(bytes));
        // Twice, and in turns: what was built for one capture is not taken for the other.
        for _ in 0..2 {
            let scope = Scope { ntff: Some(at), ..Scope::default() };
            let Answer::Image(image) = session.ask(&Request::Image { scope }).unwrap() else {
                panic!()
            };
            assert_eq!(image.capture.unwrap().file, called(bytes));
            let warned = image.diagnostics.iter().find(|one| one.code == "pair.uuid");
            assert_eq!(warned.is_some(), at == 2);
            assert!(warned.is_none_or(|one| one.message.contains(&called(&second))));
        }
    }
    let text = r#"{"ask":"members"}"#;
    let members = session.ask_text(text).unwrap();
    assert!(members.contains(&format!("Capture {}", called(&first))), "{members}");
    assert!(members.contains(&format!("Capture {}", called(&second))));
    let error = Scope { ntff: Some(0), ..Scope::default() };
    let error = session.ask(&Request::Image { scope: error }).unwrap_err();
    assert!(error.message.starts_with("a.neff is no capture"), "{}", error.message);

    // Alone each keeps its own name.
    let alone = Session::new(vec![open("run.ntff", &first)]);
    let Answer::Ntff(one) = alone.ask(&Request::Ntff { f: None }).unwrap() else { panic!() };
    assert_eq!(one.file.name, "run.ntff");
}

/// Executables of one name: the answer about each says which it is.
#[test]
fn executables_of_one_name_are_told_apart() {
    let (first, second) = (case("sg00"), case("functions"));
    let session = Session::new(vec![open("file.neff", &first), open("file.neff", &second)]);
    let mut names = Vec::new();
    for f in [0, 1] {
        let Answer::Info(info) = session.ask(&Request::Info { f: Some(f), deep: false }).unwrap()
        else {
            panic!()
        };
        // The digest of the header, which the other views show.
        let stored: String = info.digest.stored.chars().take(8).collect();
        assert_eq!(info.file.name, format!("file.neff ({stored})"));
        let scope = Scope { f: Some(f), ..Scope::default() };
        let log = session.ask(&Request::Log { scope, text: "PE ip 1".to_owned() }).unwrap();
        let Answer::Log(log) = log else { panic!() };
        assert_eq!(log.file.as_deref(), Some(info.file.name.as_str()));
        let ask = format!(r#"{{"ask":"bytes","f":{f},"of":"header"}}"#);
        assert!(session.ask_text(&ask).unwrap().contains(&info.file.name));
        names.push(info.file.name);
    }
    assert_ne!(names[0], names[1]);
}

/// A text without lines, and one that is none, say so; a known line among rubbish is read.
#[test]
fn texts_that_are_no_log_say_so() {
    let session = Session::new(vec![open("sg00.neff", &case("sg00"))]);
    let rubbish = "\u{fffd}\u{1}\u{2}ab".repeat(40);
    let known = format!("{rubbish}\nInference completed with err: 1006");
    let of_kinds =
        [("\r\n \n", Some("log.empty"), 0), (&rubbish, Some("log.binary"), 1), (&known, None, 2)];
    for (text, wanted, lines) in of_kinds {
        let ask = Request::Log { scope: Scope::default(), text: text.to_owned() };
        let Answer::Log(log) = session.ask(&ask).unwrap() else { panic!() };
        let codes: Vec<&str> = log.diagnostics.iter().map(|one| one.code.as_str()).collect();
        assert_eq!(codes.first().copied(), wanted, "{codes:?}");
        assert_eq!(log.lines.len(), lines);
        assert!(log.solved.iter().all(|one| one.provenance == Provenance::Inferred));
    }
}

//! Questions to a session, as JSON.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a suite fails by panicking")]

use debug_api::{Limits, OpenFile, Session};
use serde_json::Value;
use std::sync::Arc;

use crate::golden::case_dir;

/// The file of a bundled case.
pub fn case(name: &str) -> Vec<u8> {
    std::fs::read(case_dir(name).join("input.neff")).unwrap()
}

/// A session of files, each with its name.
pub fn session<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Session {
    let limits = Limits::default();
    let open = |(name, bytes): &(&str, B)| {
        Arc::new(OpenFile::open(name, bytes.as_ref().to_vec(), &limits).unwrap())
    };
    Session::new(files.iter().map(open).collect())
}

/// The answer to a question, or the document of its error.
pub fn ask(session: &Session, question: &Value) -> Value {
    let answer = session.ask_text(&question.to_string()).unwrap_or_else(|error| error.to_json());
    serde_json::from_str(&answer).unwrap()
}

/// The answer to the text of a question that has one.
pub fn ask_text(session: &Session, text: &str) -> Value {
    let answer = session.ask_text(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    serde_json::from_str(&answer).unwrap()
}

/// The code of a question's error.
pub fn code(session: &Session, question: &Value) -> String {
    let error = session.ask_text(&question.to_string()).unwrap_err();
    error.code.to_owned()
}

//! The body of the fuzz target `log`: any bytes as the text of a runtime log.

use debug_api::{Limits, Request, Scope, Session};
use std::sync::OnceLock;

/// The file that texts are read against.
fn session() -> &'static Session {
    static SESSION: OnceLock<Session> = OnceLock::new();
    SESSION.get_or_init(|| {
        let bytes =
            crate::fixtures::case_file(&crate::workspace_root(), "sg00").unwrap_or_default();
        let opened = Session::open("input.neff", bytes, &Limits::default());
        opened.unwrap_or_else(|_| Session::new(Vec::new()))
    })
}

/// Reads bytes as a log against a file. Nothing may panic, the answer is bounded by the text, and
/// reading twice gives the same.
///
/// # Panics
///
/// When one of these does not hold.
#[allow(clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let request = Request::Log { scope: Scope::default(), text };
    let answer = || match session().ask(&request) {
        Ok(answer) => serde_json::to_string(&answer).unwrap_or_default(),
        Err(error) => panic!("a log is always answered: {error}"),
    };
    let (first, second) = (answer(), answer());
    assert!(first == second, "two readings of the same text differ");
    // A line of one byte gives a document of a few hundred; a place adds some thousand.
    let most = 4_000_usize.saturating_mul(data.len().min(4_000) + 64) + data.len() * 512;
    assert!(first.len() < most, "{} bytes of answer for {} of text", first.len(), data.len());
}

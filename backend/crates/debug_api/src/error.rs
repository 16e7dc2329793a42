//! Why a question has no answer, with a stable code.

use crate::answer::At;
use serde::Serialize;

/// What kind of failure an error is; the server picks the HTTP status and the command line the
/// exit status by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The question itself is wrong: unknown key, bad number.
    BadRequest,
    /// The thing asked for is not there: subgraph, engine, profile, slot.
    NotFound,
    /// A limit was hit.
    TooLarge,
    /// The input is of no known kind.
    UnknownKind,
    /// The input is of a known kind but cannot be read.
    Undecodable,
}

/// An error as views, the command line and HTTP show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiError {
    /// Stable code, see docs/codes.md.
    pub code: &'static str,
    /// What is wrong, where, and what was expected.
    pub message: String,
    /// Where in the input, if it is about the input.
    pub at: Box<At>,
    /// Kind of failure; not part of the document.
    #[serde(skip)]
    pub kind: ErrorKind,
}

impl ApiError {
    /// An error that is not about a place in the input.
    pub fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), at: Box::default(), kind }
    }

    /// The question itself is wrong.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadRequest, "request.invalid", message)
    }

    /// Adds the place.
    #[must_use]
    pub fn at(mut self, at: At) -> Self {
        self.at = Box::new(at);
        self
    }

    /// The JSON document `{"error":{"code","message","at"}}`.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Document<'a> {
            error: &'a ApiError,
        }
        serde_json::to_string(&Document { error: self }).unwrap_or_default()
    }
}

impl std::fmt::Display for ApiError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(member) = &self.at.member {
            write!(f, " in {member}")?;
        }
        // Messages that name the byte themselves do not get it twice.
        let byte = self.at.offset.map(|offset| format!("{offset:#x}"));
        let said = |byte: &&String| {
            let mut words = self.message.split(|c: char| !c.is_ascii_alphanumeric());
            words.any(|word| word == byte.as_str())
        };
        if let Some(byte) = byte.as_ref().filter(|byte| !said(byte)) {
            write!(f, " at {byte}")?;
        }
        write!(f, " [{}]", self.code)
    }
}

impl std::error::Error for ApiError {}

//! The part that runs in a worker: one opened file and the questions about it.
//!
//! The same [`Session`] as on the server answers, so a file that never leaves the browser gives the
//! same answers as an uploaded one. `static/worker.js` calls these functions; errors are thrown as
//! the JSON text of the error document.

use super::transport::read_json;
use debug_api::{ApiError, ColumnsRequest, Limits, OpenFile, Session};
use std::cell::RefCell;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Opens a file and answers with its `info` document.
///
/// # Errors
/// The JSON text of what is wrong with the file.
#[wasm_bindgen]
pub fn worker_open(name: &str, bytes: Vec<u8>) -> Result<String, JsValue> {
    let session = Session::open(name, bytes, &limits()).map_err(|error| thrown(&error))?;
    let info = session.ask_text(r#"{"ask":"info"}"#).map_err(|error| thrown(&error))?;
    SESSION.with(|kept| *kept.borrow_mut() = Some(session));
    Ok(info)
}

/// Opens a further file beside those that are open; returns the `files` document.
///
/// # Errors
/// The JSON text of what is wrong with the file; what was open stays.
#[wasm_bindgen]
pub fn worker_add(name: &str, bytes: Vec<u8>) -> Result<String, JsValue> {
    let file = OpenFile::open(name, bytes, &limits()).map_err(|error| thrown(&error))?;
    let files = with(|session| Ok(session.files().to_vec()))?;
    let session = Session::new(files.into_iter().chain([Arc::new(file)]).collect());
    let answer = session.ask_text(r#"{"ask":"files"}"#).map_err(|error| thrown(&error))?;
    SESSION.with(|kept| *kept.borrow_mut() = Some(session));
    Ok(answer)
}

/// Answers a question, both as JSON text.
///
/// # Errors
/// The JSON text of why there is no answer.
#[wasm_bindgen]
pub fn worker_ask(request: &str) -> Result<String, JsValue> {
    with(|session| session.ask_text(request))
}

/// A block of rows for a columns request in JSON.
///
/// # Errors
/// The JSON text of why there are none.
#[wasm_bindgen]
pub fn worker_columns(request: &str) -> Result<Vec<u8>, JsValue> {
    let request: ColumnsRequest =
        read_json(request).map_err(|error| thrown(&ApiError::bad_request(error.to_string())))?;
    with(|session| session.columns(&request))
}

fn with<T>(work: impl FnOnce(&Session) -> Result<T, ApiError>) -> Result<T, JsValue> {
    SESSION.with(|kept| match kept.borrow().as_ref() {
        Some(session) => work(session).map_err(|error| thrown(&error)),
        None => Err(thrown(&ApiError::bad_request("no file is open in this worker"))),
    })
}

/// A wasm program has 4 GiB of memory at most, so less may be inflated than on a server.
fn limits() -> Limits {
    Limits { inflated_bytes: 1 << 30, ..Limits::default() }
}

fn thrown(error: &ApiError) -> JsValue {
    JsValue::from_str(&error.to_json())
}

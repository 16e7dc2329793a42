//! The program of a page's worker: one session of opened files and the questions about it.
//!
//! Purpose: files that never leave the browser give the same answers as uploaded ones, since the
//! same [`Session`] answers. Input: bytes, and requests as JSON. Output: the JSON of answers, and
//! blocks of rows. `static/worker.js` loads this program when the first file is opened, and calls
//! its functions; errors are thrown as the JSON text of the error document.
//! It stands apart from the application, which is loaded with every page and needs none of this.

use debug_api::{ApiError, ExportRequest, Limits, OpenFile, Session};
use std::cell::RefCell;
use std::panic;
use std::sync::Arc;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

thread_local! {
    static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// Runs once, when the program is loaded: a fault of it is told in the browser's console.
#[wasm_bindgen(start)]
pub fn start() {
    panic::set_hook(Box::new(|info| {
        web_sys::console::error_1(&JsValue::from_str(&info.to_string()));
    }));
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
    with(|session| session.columns_text(request))
}

/// A timeline in the form of another tool, for an export request in JSON.
///
/// # Errors
/// The JSON text of why there is none.
#[wasm_bindgen]
pub fn worker_export(request: &str) -> Result<Vec<u8>, JsValue> {
    with(|session| {
        let mut out = Vec::new();
        session.export(&ExportRequest::from_json(request)?, &mut out)?;
        Ok(out)
    })
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

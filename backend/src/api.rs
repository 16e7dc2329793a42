//! `/api/v1`: files, sessions, questions and columns as JSON and bytes.

use crate::failure::{Failure, json_response};
use crate::library::Library;
use crate::runs::Wanted;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use debug_api::answer::Answer;
use debug_api::{
    ApiError, ColumnsRequest, ErrorKind, FileKind, Limits, Request, Scope, SimulateRequest,
};
use http_body_util::BodyExt;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What every handler needs.
#[derive(Clone)]
pub struct App {
    /// Opened files.
    pub library: Arc<Library>,
    /// Bounds how many files are parsed or images built at once, off the async threads.
    pub workers: Arc<Semaphore>,
    /// Whether uploads need a token; pages say so.
    pub needs_token: bool,
}

/// Query of an upload.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UploadQuery {
    name: Option<String>,
    kind: Option<String>,
}

#[derive(Serialize)]
struct Opened<'a> {
    id: &'a str,
    info: &'a Answer,
}

/// `POST /api/v1/files?name=NAME[&kind=K]`: opens the body as a file.
pub async fn upload(
    State(app): State<App>,
    query: Result<Query<UploadQuery>, QueryRejection>,
    RawQuery(address): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let Query(query) = query.map_err(|error| not_understood(&error, address.as_deref()))?;
    let kind = query.kind.as_deref().map(file_kind).transpose()?;
    let name = file_name(query.name.as_deref().unwrap_or(""), kind);
    let limit = app.library.limits().upload_bytes;
    let declared = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.parse::<u64>().ok());
    if declared.is_some_and(|bytes| bytes > limit) {
        return Err(too_large("limit.upload", limit));
    }
    let bytes = read_body(body, limit, declared, "limit.upload").await?;
    let opened = blocking(&app, move |library| {
        let (id, session) = library.open(&name, kind, bytes, false)?;
        let info = match session.ask(&Request::Info { f: None, deep: false }) {
            // A file of another kind says what it is in the list of files.
            Err(error) if error.code == "file.no-neff" => session.ask(&Request::Files {}),
            other => other,
        }?;
        // Straight to text: as a tree of values an answer takes ten times its memory.
        Ok(serde_json::to_string(&Opened { id: &id, info: &info }))
    });
    let body = opened.await?.map_err(Failure::internal)?;
    Ok(json_response(StatusCode::CREATED, body))
}

/// `POST /api/v1/token`: whether the request bears the token that uploads need, so that a page can
/// tell before it sends a file. The guard has answered those that do not.
pub async fn token() -> StatusCode {
    StatusCode::NO_CONTENT
}

/// Body of a new session.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    files: Vec<String>,
}

/// `POST /api/v1/sessions`: files seen together.
pub async fn new_session(State(app): State<App>, body: Body) -> Result<Response, Failure> {
    let limit = app.library.limits().question_bytes;
    let bytes = read_body(body, limit, None, "limit.question").await?;
    let body: NewSession = serde_json::from_slice(&bytes)
        .map_err(|error| ApiError::bad_request(format!(
            "this names no files ({error}); send the ids of opened files: {{\"files\":[\"ID\",\"ID\"]}}"
        )))?;
    let id = app.library.join(&body.files)?;
    Ok(json_response(StatusCode::CREATED, serde_json::json!({ "id": id }).to_string()))
}

/// `POST /api/v1/sessions/{id}/ask`: one question, one answer.
pub async fn ask(
    State(app): State<App>,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, Failure> {
    let session = app.library.session(&id).ok_or_else(|| Failure::unknown_session(&id))?;
    let limits = app.library.limits();
    let bytes = read_body(body, log_body_bytes(limits), None, "limit.question").await?;
    if bytes.len() as u64 > limits.question_bytes && !asks_log(&bytes) {
        return Err(too_large("limit.question", limits.question_bytes));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| ApiError::bad_request("the question is no UTF-8 text"))?;
    // Dropped with this handler, when the client has gone.
    let wanted = Wanted::default();
    let guard = wanted.guard();
    let answer = blocking(&app, move |library| {
        let request = Request::from_json(&text)?;
        if matches!(request, Request::Simulate(_)) {
            let answer = library.runs().ask(&id, &session, &request, &wanted)?;
            return Ok(answer.to_string());
        }
        serde_json::to_string(&session.ask(&request)?)
            .map_err(|error| ApiError::bad_request(error.to_string()))
    });
    let answer = answer.await?;
    drop(guard);
    Ok(json_response(StatusCode::OK, answer))
}

/// Longest body of a question about a log: every byte of the text can be an escape of six.
fn log_body_bytes(limits: &Limits) -> u64 {
    6 * limits.log_bytes as u64 + limits.question_bytes
}

/// Whether a question is about a log. Looks without building the text anew.
fn asks_log(body: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Asked<'a> {
        #[serde(borrow)]
        ask: &'a str,
    }
    serde_json::from_slice::<Asked<'_>>(body).is_ok_and(|asked| asked.ask == "log")
}

/// Query of a columns request. `v` is the version of the page's assets: with the right one the
/// answer may be kept for ever, since session ids are derived from content.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnsQuery {
    what: String,
    f: Option<usize>,
    s: Option<String>,
    e: Option<String>,
    profile: Option<String>,
    core: Option<u32>,
    base: Option<String>,
    ntff: Option<usize>,
    #[serde(default)]
    modelled: bool,
    #[serde(default)]
    from: u64,
    #[serde(default)]
    count: u32,
    #[serde(default)]
    level: u8,
    /// `timeline`: choices of a run, as JSON.
    run: Option<String>,
    v: Option<String>,
}

impl ColumnsQuery {
    fn into_request(self) -> Result<ColumnsRequest, ApiError> {
        let Self { what, f, s, e, profile, core, base, ntff, modelled, .. } = self;
        let Self { from, count, level, .. } = self;
        let run = run_choices(self.run.as_deref())?;
        let scope = Scope { f, s, e, profile, core, base, ntff, modelled, ..Scope::default() };
        Ok(ColumnsRequest { what, scope, run, from, count, level })
    }
}

/// The choices of a run in a query.
pub fn run_choices(text: Option<&str>) -> Result<Option<Box<SimulateRequest>>, ApiError> {
    text.map(SimulateRequest::choices_from_json).transpose().map(|run| run.map(Box::new))
}

/// `GET /api/v1/sessions/{id}/columns?what=code&...`: bulk rows.
pub async fn columns(
    State(app): State<App>,
    Path(id): Path<String>,
    query: Result<Query<ColumnsQuery>, QueryRejection>,
    RawQuery(address): RawQuery,
) -> Result<Response, Failure> {
    let session = app.library.session(&id).ok_or_else(|| Failure::unknown_session(&id))?;
    let Query(query) = query.map_err(|error| not_understood(&error, address.as_deref()))?;
    let kept = query.v.as_deref() == Some(crate::assets::version());
    let request = query.into_request()?;
    let bytes = blocking(&app, move |_| session.columns(&request)).await?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    let cache = if kept { "private, max-age=31536000, immutable" } else { "private, no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    Ok(response)
}

/// Any other address below `/api`.
pub async fn not_found() -> Failure {
    Failure::new(StatusCode::NOT_FOUND, "request.route", "there is no such address in the API")
}

/// `GET /healthz`.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// Runs work on a blocking thread, at most as many at once as there are permits.
pub async fn blocking<T: Send + 'static>(
    app: &App,
    work: impl FnOnce(&Library) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, Failure> {
    let permit = Arc::clone(&app.workers).acquire_owned().await.map_err(Failure::internal)?;
    let library = Arc::clone(&app.library);
    let done = tokio::task::spawn_blocking(move || {
        let result = work(&library);
        drop(permit);
        result
    });
    Ok(done.await.map_err(Failure::internal)??)
}

/// Reads a body up to a limit; `declared` is what its header says.
pub async fn read_body(
    mut body: Body,
    limit: u64,
    declared: Option<u64>,
    code: &'static str,
) -> Result<Vec<u8>, Failure> {
    // The declared length is a claim: it sizes the first allocation up to 16 MiB only.
    let start = declared.unwrap_or(0).min(16 << 20);
    let mut bytes = Vec::with_capacity(usize::try_from(start).unwrap_or(0));
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            ApiError::bad_request(format!("the request body ended early ({error}); send it again"))
        })?;
        if let Some(data) = frame.data_ref() {
            if (bytes.len() + data.len()) as u64 > limit {
                return Err(too_large(code, limit));
            }
            bytes.extend_from_slice(data);
        }
    }
    Ok(bytes)
}

fn too_large(code: &'static str, limit: u64) -> Failure {
    let next = match code {
        "limit.upload" => "start the server with a larger --limit-upload",
        _ => "ask for less; of a log, give the lines around the first ERROR",
    };
    Failure::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        code,
        format!("the body is larger than the limit of {limit} bytes; {next}"),
    )
}

/// What is wrong with the words behind the question mark of an address, named with their value.
pub fn not_understood(error: &QueryRejection, address: Option<&str>) -> ApiError {
    let text = error.body_text();
    let why = text.split_once("query string: ").map_or(text.as_str(), |(_, why)| why);
    let number = ["invalid digit", "number too", "cannot parse integer"];
    let key = why.split(": ").next().unwrap_or_default();
    let pairs = address.unwrap_or_default().split('&');
    let given = pairs.filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == key);
    ApiError::bad_request(match given {
        Some((_, value)) if number.iter().any(|word| why.contains(word)) => {
            let shown: String = value.chars().take(40).collect();
            format!(
                "`{key}={shown}` in the address is no number that fits there: a whole decimal number \
                 is expected, such as `{key}=0`"
            )
        }
        _ => format!("the address is not understood: {why}; correct it or leave that part out"),
    })
}

fn file_kind(kind: &str) -> Result<FileKind, ApiError> {
    FileKind::of_name(kind).ok_or_else(|| {
        let shown: String = kind.chars().take(32).collect();
        ApiError::new(
            ErrorKind::UnknownKind,
            "file.kind",
            format!(
                "files of kind `{shown}` are not read; the kinds are `neff`, `ntff`, `profile`, \
                 `source` and `dump`"
            ),
        )
    })
}

/// The last path component, without control characters, at most 255 characters. A file without a
/// name is called by its kind.
fn file_name(name: &str, kind: Option<FileKind>) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or("");
    let clean: String = last.chars().filter(|c| !c.is_control()).take(255).collect();
    match kind {
        _ if !clean.is_empty() => clean,
        Some(kind) => format!("file.{}", kind.name()),
        None => "file".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_path() {
        assert_eq!(file_name("a/b\\c.neff", None), "c.neff");
        assert_eq!(file_name("../..", None), "..");
        assert_eq!(file_name("x\u{0}\n.neff", Some(FileKind::Ntff)), "x.neff");
        assert_eq!(file_name("", None), "file");
        assert_eq!(file_name("a/", Some(FileKind::Ntff)), "file.ntff");
    }
}

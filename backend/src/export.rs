//! `GET /api/v1/sessions/{id}/export/{format}`: a timeline in the form of another tool, sent while it
//! is made.

use crate::api::{App, not_understood, run_choices};
use crate::failure::Failure;
use crate::format::percent;
use axum::body::{Body, Bytes};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use debug_api::{ApiError, ExportFormat, ExportRequest, Scope, Session};
use http_body_util::channel::{Channel, Sender};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Bytes that are sent at once.
const PART: usize = 256 << 10;
/// Parts that wait for the client.
const PARTS: usize = 4;
/// How long a part waits for a client that reads nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// Query of an export.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportQuery {
    f: Option<usize>,
    s: Option<String>,
    profile: Option<String>,
    core: Option<u32>,
    ntff: Option<usize>,
    #[serde(default)]
    modelled: bool,
    /// Address of the session's views; that of this server if absent.
    link: Option<String>,
    /// Choices of a run, as JSON: what happens in it instead of what was captured.
    run: Option<String>,
}

/// An export of a session's timeline.
pub async fn export(
    State(app): State<App>,
    Path((id, format)): Path<(String, String)>,
    query: Result<Query<ExportQuery>, QueryRejection>,
    RawQuery(address): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let session = app.library.session(&id).ok_or_else(|| Failure::unknown_session(&id))?;
    let Query(query) = query.map_err(|error| not_understood(&error, address.as_deref()))?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let own = host.map(|host| format!("http://{host}/f/{}", percent(&id)));
    let ExportQuery { f, s, profile, core, ntff, modelled, link, run } = query;
    let run = run_choices(run.as_deref())?;
    let scope = Scope { f, s, profile, core, ntff, modelled, ..Scope::default() };
    let request = ExportRequest { scope, run, format, link: link.or(own) };
    let form = ExportFormat::parse(&request.format);
    let body = stream(&app, session, request).await?;
    let mut response = Response::new(body);
    let form = form.unwrap_or(ExportFormat::Csv);
    let name = format!("attachment; filename=\"timeline.{}\"", form.extension());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(form.media_type()));
    if let Ok(name) = HeaderValue::from_str(&name) {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    Ok(response)
}

/// Starts an export and waits for its first part: until then an error has a document of its own,
/// afterwards it can only cut the body off.
async fn stream(app: &App, session: Arc<Session>, request: ExportRequest) -> Result<Body, Failure> {
    let permit = Arc::clone(&app.workers).acquire_owned().await.map_err(Failure::internal)?;
    let (sender, body) = Channel::new(PARTS);
    let (started, begun) = oneshot::channel();
    let runtime = Handle::current();
    let work = tokio::task::spawn_blocking(move || {
        let mut parts = Parts { sender, runtime, started: Some(started), part: Vec::new() };
        let done = session.export(&request, &mut parts);
        drop(permit);
        match done {
            Ok(()) => parts.flush().map_err(|error| ApiError::bad_request(error.to_string())),
            // The head of the answer has gone: a body that ends early is all that can say so.
            Err(error) if parts.started.is_none() => {
                tracing::warn!(code = error.code, "export ended early: {}", error.message);
                let Parts { sender, .. } = parts;
                sender.abort(io::Error::other(error.message));
                Ok(())
            }
            Err(error) => Err(error),
        }
    });
    if begun.await.is_err() {
        work.await.map_err(Failure::internal)??;
    }
    Ok(Body::new(body))
}

/// Takes what is written and sends it in parts.
struct Parts {
    sender: Sender<Bytes, io::Error>,
    runtime: Handle,
    /// Told when the first part is on its way.
    started: Option<oneshot::Sender<()>>,
    part: Vec<u8>,
}

impl Parts {
    fn send(&mut self) -> io::Result<()> {
        if let Some(started) = self.started.take() {
            // Nobody waits for it if the client has gone.
            let _ = started.send(());
        }
        let part = Bytes::from(std::mem::take(&mut self.part));
        let sent = async { tokio::time::timeout(PATIENCE, self.sender.send_data(part)).await };
        match self.runtime.block_on(sent) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::Error::other("the client has gone")),
            Err(_) => Err(io::Error::other("the client reads nothing")),
        }
    }
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.part.extend_from_slice(bytes);
        if self.part.len() >= PART {
            self.send()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.part.is_empty() { Ok(()) } else { self.send() }
    }
}

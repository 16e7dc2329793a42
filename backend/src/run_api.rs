//! `/api/v1/sessions/{id}/runs`: runs that are started, watched and given up.

use crate::api::{App, blocking, read_body};
use crate::failure::{Failure, json_response};
use crate::jobs::MOST;
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use debug_api::{ApiError, Request};
use http_body_util::channel::Channel;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How often a run without news says that it is there.
const STILL_THERE: Duration = Duration::from_secs(10);

/// `POST /api/v1/sessions/{id}/runs`: starts the run of a `simulate` question.
pub async fn start(
    State(app): State<App>,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, Failure> {
    let session = app.library.session(&id).ok_or_else(|| Failure::unknown_session(&id))?;
    let limit = app.library.limits().question_bytes;
    let bytes = read_body(body, limit, None, "limit.question").await?;
    let text = String::from_utf8(bytes)
        .map_err(|_| ApiError::bad_request("the question is no UTF-8 text"))?;
    let request = Request::from_json(&text)?;
    let Request::Simulate(asked) = &request else {
        return Err(ApiError::bad_request("a run is started by the question `simulate`").into());
    };
    let most = asked.max_events.unwrap_or(debug_api::DEFAULT_EVENTS);
    let question = serde_json::to_string(&request).map_err(Failure::internal)?;
    let hash = blake3::hash(format!("{id}\n{question}").as_bytes()).to_hex();
    let run: String = hash.chars().take(32).collect();
    let Some((job, is_new)) = app.library.jobs().start(&run, &id, most) else {
        return Err(Failure::new(
            StatusCode::TOO_MANY_REQUESTS,
            "run.too-many",
            format!("{MOST} runs are under way; wait for one to end, or give one up"),
        ));
    };
    if is_new {
        let app = app.clone();
        tokio::spawn(async move {
            let work = Arc::clone(&job);
            let answer = blocking(&app, move |library| {
                let told = |events: u64| {
                    work.progress.send_modify(|progress| progress.events = events);
                };
                library.runs().ask_telling(&id, &session, &request, &work.wanted, &told)
            });
            let done = match answer.await {
                Ok(answer) => (true, answer),
                Err(failure) => (false, failure.error.to_json().into()),
            };
            job.progress.send_modify(|progress| progress.done = Some(done));
        });
    }
    let answer = serde_json::json!({ "id": run, "max_events": most });
    Ok(json_response(StatusCode::CREATED, answer.to_string()))
}

/// `GET /api/v1/sessions/{id}/runs/{run}/events`: how far it is, as server-sent events: `progress` with
/// the events so far, then `done` with the answer, or `failed` with the error document.
pub async fn events(
    State(app): State<App>,
    Path((id, run)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let job = app.library.jobs().of(&id, &run).ok_or_else(|| unknown(&run))?;
    let (mut send, body) = Channel::<Bytes, Infallible>::new(4);
    tokio::spawn(async move {
        let mut news = job.progress.subscribe();
        loop {
            let now = news.borrow_and_update().clone();
            let text = match &now.done {
                None => format!(
                    "event: progress\ndata: {{\"events\":{},\"max_events\":{}}}\n\n",
                    now.events, job.most
                ),
                // JSON has no line breaks of its own.
                Some((true, answer)) => format!("event: done\ndata: {answer}\n\n"),
                Some((false, error)) => format!("event: failed\ndata: {error}\n\n"),
            };
            if send.send_data(Bytes::from(text)).await.is_err() || now.done.is_some() {
                return;
            }
            // The run goes on without watchers; it is given up by its own request.
            let _ = tokio::time::timeout(STILL_THERE, news.changed()).await;
        }
    });
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// `DELETE /api/v1/sessions/{id}/runs/{run}`: gives it up.
pub async fn cancel(
    State(app): State<App>,
    Path((id, run)): Path<(String, String)>,
) -> Result<StatusCode, Failure> {
    let job = app.library.jobs().remove(&id, &run).ok_or_else(|| unknown(&run))?;
    drop(job.wanted.guard());
    Ok(StatusCode::NO_CONTENT)
}

fn unknown(run: &str) -> Failure {
    let shown: String = run.chars().take(64).collect();
    Failure::new(
        StatusCode::NOT_FOUND,
        "run.unknown",
        format!("no run `{shown}` of this session is known here; start it again"),
    )
}

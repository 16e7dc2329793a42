//! The server's router called in process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a suite fails by panicking")]

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use backend::api::App;
use backend::guard::Policy;
use backend::library::Library;
use backend::router::router;
use debug_api::Limits;
use http_body_util::BodyExt;
use std::sync::Arc;
use tower::ServiceExt;

/// A server with limits and a policy.
pub fn server(limits: Limits, policy: Policy) -> Router {
    serving(Arc::new(Library::new(limits, 1 << 30)), policy)
}

/// A server of what a library holds.
pub fn serving(library: Arc<Library>, policy: Policy) -> Router {
    let workers = Arc::new(tokio::sync::Semaphore::new(2));
    router(App { library, workers, needs_token: policy.token.is_some() }, policy)
}

/// A server as it starts without options.
pub fn plain() -> Router {
    server(Limits::default(), Policy::default())
}

/// A request from this machine.
pub fn request(method: &str, path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::builder()
        .method(method)
        .uri(path)
        .header(header::HOST, "127.0.0.1:7333")
        .body(body.into())
        .unwrap()
}

/// Status, head and body of the response.
pub async fn send(app: &Router, request: Request<Body>) -> (StatusCode, Response<()>, Vec<u8>) {
    let response = app.clone().oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes().to_vec();
    (parts.status, Response::from_parts(parts, ()), bytes)
}

/// Opens a file and returns its id.
pub async fn open(app: &Router, name: &str, bytes: Vec<u8>) -> String {
    let (status, _, body) =
        send(app, request("POST", &format!("/api/v1/files?name={name}"), bytes)).await;
    assert_eq!(status, StatusCode::CREATED, "{}", String::from_utf8_lossy(&body));
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    json["id"].as_str().unwrap().to_owned()
}

/// The code of an error.
pub fn code(body: &[u8]) -> String {
    let json: serde_json::Value = serde_json::from_slice(body).unwrap();
    json["error"]["code"].as_str().unwrap().to_owned()
}

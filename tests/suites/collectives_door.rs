//! Collectives through HTTP: the same answers as from a session.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use backend::api::App;
use backend::guard::Policy;
use backend::library::Library;
use backend::router::router;
use debug_api::{Limits, OpenFile, Session};
use http_body_util::BodyExt;
use std::sync::Arc;
use support::golden::case_dir;
use tower::ServiceExt;

fn case(name: &str) -> Vec<u8> {
    std::fs::read(case_dir(name).join("input.neff")).unwrap()
}

#[tokio::test]
async fn ranks_are_compared_over_http() {
    let library = Arc::new(Library::new(Limits::default(), 1 << 30));
    let workers = Arc::new(tokio::sync::Semaphore::new(2));
    let app = router(App { library, workers, needs_token: false }, Policy::default());
    let post = async |path: String, body: Vec<u8>| {
        let request = Request::builder()
            .method("POST")
            .uri(path)
            .header(header::HOST, "127.0.0.1:7333")
            .body(Body::from(body))
            .unwrap();
        let (parts, body) = app.clone().oneshot(request).await.unwrap().into_parts();
        (parts.status, body.collect().await.unwrap().to_bytes().to_vec())
    };
    let id = |body: &[u8]| {
        let json: serde_json::Value = serde_json::from_slice(body).unwrap();
        json["id"].as_str().unwrap().to_owned()
    };
    let names = ["collective-all-reduce-2", "collective-other-elements"];
    let mut ids = Vec::new();
    for name in names {
        let (status, body) = post(format!("/api/v1/files?name={name}.neff"), case(name)).await;
        assert_eq!(status, StatusCode::CREATED);
        ids.push(id(&body));
    }
    let files = serde_json::json!({ "files": ids }).to_string();
    let (status, body) = post("/api/v1/sessions".to_owned(), files.into()).await;
    assert_eq!(status, StatusCode::CREATED);
    let ask = format!("/api/v1/sessions/{}/ask", id(&body));
    let limits = Limits::default();
    let open = |name: &str| {
        let file = OpenFile::open(&format!("{name}.neff"), case(name), &limits);
        Arc::new(file.unwrap())
    };
    let session = Session::new(names.into_iter().map(open).collect());
    for question in [
        r#"{"ask":"collectives"}"#,
        r#"{"ask":"collectives","f":1,"rank":1,"algorithm":"ring"}"#,
        r#"{"ask":"schedule","algorithm":"kangaring","ranks":6}"#,
    ] {
        let (status, body) = post(ask.clone(), question.into()).await;
        assert_eq!(status, StatusCode::OK, "{question}");
        assert_eq!(String::from_utf8(body).unwrap(), session.ask_text(question).unwrap());
    }
    let (status, _) = post(ask, r#"{"ask":"schedule","algorithm":"ring","ranks":1}"#.into()).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

//! Collectives through HTTP: the same answers as from a session.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use axum::http::StatusCode;
use support::asking::{case, session};
use support::door::{open, plain, request, send};

#[tokio::test]
async fn ranks_are_compared_over_http() {
    let app = plain();
    let names = ["collective-all-reduce-2", "collective-other-elements"];
    let mut ids = Vec::new();
    for name in names {
        ids.push(open(&app, &format!("{name}.neff"), case(name)).await);
    }
    let files = serde_json::json!({ "files": ids }).to_string();
    let (status, _, body) = send(&app, request("POST", "/api/v1/sessions", files)).await;
    assert_eq!(status, StatusCode::CREATED);
    let made: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let id = made["id"].as_str().unwrap();
    let ask = format!("/api/v1/sessions/{id}/ask");
    let named = names.map(|name| (format!("{name}.neff"), case(name)));
    let files: Vec<(&str, &Vec<u8>)> = named.iter().map(|(name, bytes)| (&**name, bytes)).collect();
    let session = session(&files);
    for question in [
        r#"{"ask":"collectives"}"#,
        r#"{"ask":"collectives","f":1,"rank":1,"algorithm":"ring"}"#,
        r#"{"ask":"schedule","algorithm":"kangaring","ranks":6}"#,
    ] {
        let (status, _, body) = send(&app, request("POST", &ask, question)).await;
        assert_eq!(status, StatusCode::OK, "{question}");
        assert_eq!(String::from_utf8(body).unwrap(), session.ask_text(question).unwrap());
    }
    let question = r#"{"ask":"schedule","algorithm":"ring","ranks":1}"#;
    let (status, ..) = send(&app, request("POST", &ask, question)).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

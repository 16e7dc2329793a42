//! Foreign text over HTTP: logs and their limit, and hidden characters in pages.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use axum::body::Body;
use axum::http::StatusCode;
use support::asking::case;
use support::door::{code, open, plain, request, send};

#[tokio::test]
async fn a_log_can_be_asked_for() {
    let app = plain();
    let id = open(&app, "input.neff", case("sg00")).await;
    let ask = |text: String| {
        let body = serde_json::json!({"ask": "log", "text": text}).to_string();
        request("POST", &format!("/api/v1/sessions/{id}/ask"), body)
    };
    let (status, _, body) = send(&app, ask("POOL neff_ip 2".to_owned())).await;
    assert_eq!(status, StatusCode::OK);
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(json["lines"][0]["kind"], "engine-pc");
    assert_eq!(json["lines"][0]["answer"]["neff_ip"], 2);
    // A log of 4 MiB is read whole, as on the command line; of more the beginning is.
    let rows = "status=5 0123456789 0123456789 0123456789 0123456789 0123456789\n".repeat(1 << 16);
    assert_eq!(rows.len(), 4 << 20);
    let (status, _, body) = send(&app, ask(rows.clone())).await;
    assert_eq!(status, StatusCode::OK);
    assert!(!String::from_utf8(body).unwrap().contains("log.bytes-limit"));
    let (status, _, body) = send(&app, ask(rows + "x")).await;
    assert_eq!(status, StatusCode::OK);
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains("log.bytes-limit") && body.contains("around the first ERROR"));
    // Far more than that, or as much of another question, is refused with a next step.
    for (what, bytes) in [("log", 26 << 20), ("info", 1 << 20)] {
        let body = serde_json::json!({"ask": what, "text": "x".repeat(bytes)}).to_string();
        let asked = request("POST", &format!("/api/v1/sessions/{id}/ask"), body);
        let (status, _, body) = send(&app, asked).await;
        assert_eq!(
            (status, code(&body).as_str()),
            (StatusCode::PAYLOAD_TOO_LARGE, "limit.question")
        );
        assert!(String::from_utf8(body).unwrap().contains("ask for less"));
    }
}

/// Names in an address reach titles, headings and fields of a page.
#[tokio::test]
async fn pages_show_hidden_characters_as_escapes() {
    let app = plain();
    let id = open(&app, "input.neff", case("sg00")).await;
    for path in [
        format!("/f/{id}/code?e=%00"),
        format!("/f/{id}/code?s=%E2%80%AE"),
        format!("/f/{id}/code?profile=%1B%E2%80%AE"),
        format!("/f/{id}/bytes?of=member&name=%00%E2%80%AE"),
        format!("/f/{id}/structs?rec=%7F%E2%81%A6"),
        String::from("/scratchpad?page_size=%00&pages=%E2%80%8F"),
    ] {
        let (_, _, body) = send(&app, request("GET", &path, "")).await;
        let text = String::from_utf8(body).unwrap();
        assert!(text.contains("\\u{"), "{path}");
        let hidden = |c: char| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{200f}' | '\u{202e}' | '\u{2066}')
        };
        assert_eq!(text.find(hidden), None, "{path}");
    }
    let log = "file=&text=status%3D5+%E2%80%AEevil%00%0D%0Aerr%3A+4";
    let (_, _, body) = send(&app, request("POST", "/log", log)).await;
    let text = String::from_utf8(body).unwrap();
    assert!(text.contains("status=5 \\u{202e}evil\nerr: 4"), "{text}");
    assert!(!text.contains('\u{202e}') && !text.contains('\0'));
}

#[tokio::test]
async fn keys_that_no_view_and_no_form_has_are_said() {
    let app = plain();
    let id = open(&app, "a.neff", case("sg00")).await;
    let views = ["regions", "code", "bytes", "structs", "memory", "collectives", "timeline", "run"];
    for view in views {
        let path = format!("/f/{id}/{view}?page_size=4096&v=1&theme=dark&foo=1&bar=");
        let (status, _, body) = send(&app, request("GET", &path, Body::empty())).await;
        let page = String::from_utf8(body).unwrap();
        assert_eq!(status, StatusCode::OK, "{view}");
        let said = "`page_size` is no key that this version knows; `page` may be meant";
        assert!(page.contains(said) && page.contains("`foo` is no key"), "{view}");
        for known in ["`v`", "`theme`", "`bar`"] {
            assert!(!page.contains(known), "{view} {known}");
        }
    }
    for (form, field) in [("scratchpad", "page_size"), ("tsync", "host_ns"), ("spad-ctrl", "word")]
    {
        let path = format!("/{form}?{field}=1&page=4096&bar=");
        let (status, _, body) = send(&app, request("GET", &path, Body::empty())).await;
        let page = String::from_utf8(body).unwrap();
        assert_eq!(status, StatusCode::OK, "{form}");
        assert!(page.contains("`page` in the address is no field of this form"), "{form}");
        assert!(!page.contains("`bar`"), "{form}");
    }
}

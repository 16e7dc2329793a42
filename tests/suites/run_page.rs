//! Runs as a person asks for them: the page without script, and what is broken on purpose.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use axum::Router;
use axum::http::StatusCode;
use backend::guard::Policy;
use backend::library::Library;
use debug_api::{Limits, Request};
use serde_json::json;
use std::sync::Arc;
use support::asking::{ask, case, code, session};
use support::door::{request, send, serving};

/// The server with one bundled file open, and the path of its Run view.
fn served(name: &str) -> (Router, String) {
    let library = Arc::new(Library::new(Limits::default(), 1 << 30));
    let (id, _) = library.open("input.neff", None, case(name), false).unwrap();
    (serving(library, Policy::default()), format!("/f/{id}/run"))
}

async fn page(app: &Router, path: &str) -> String {
    let (status, _, body) = send(app, request("GET", path, "")).await;
    assert_eq!(status, StatusCode::OK, "{path}");
    String::from_utf8(body).unwrap()
}

#[tokio::test]
async fn the_form_alone_runs_nothing() {
    let (app, path) = served("sg00");
    let page = page(&app, &path).await;
    for part in ["name=\"inferences\"", "name=\"stall\"", "name=\"drop\"", "name=\"delay\""] {
        assert!(page.contains(part), "no {part}");
    }
    assert!(!page.contains("Who waits for whom"));
    assert!(!page.contains("ns by the timing model"));
}

/// `q_gradient_in` has one ring; the transfer on it is what PE waits for at its first record.
#[tokio::test]
async fn a_run_that_stands_still_names_the_wait_and_links_to_it() {
    let (app, path) = served("sg00");
    let page = page(&app, &format!("{path}?run=1&stall=q_gradient_in:0")).await;
    for part in [
        "Deadlock.",
        "its ring 0 does not move",
        "PE slot 62 (NEFF IP 1) waits for semaphore 10",
        "/code?s=sg00&#38;e=PE&#38;slot=62",
        "Who waits for whom",
        "value=\"q_gradient_in:0\"",
        "Engines, rings, host and all times are a model.",
    ] {
        assert!(page.contains(part), "no {part}");
    }
}

#[tokio::test]
async fn what_cannot_run_so_is_a_finding_beside_the_form() {
    let (app, path) = served("sg00");
    for (query, told) in [
        ("inferences=many", "Inferences: `many` is no whole number."),
        ("inferences=0", "a run has 1 to 1000000 inferences"),
        ("stall=nothing:0", "there is no queue `nothing`"),
        ("stall=q_gradient_in:1", "has no ring 1 in this model"),
        ("drop=semaphore", "is no post"),
        ("delay=sg09:5", "no subgraph `sg09` runs"),
    ] {
        let page = page(&app, &format!("{path}?run=1&{query}")).await;
        assert!(page.contains(told), "{query} is not told");
        assert!(page.contains("request.invalid"), "{query} has no code");
        assert!(page.contains("name=\"stall\""), "{query} has no form");
    }
}

/// What does nothing in the model is not taken as if it did: rings that a queue has not, and those of
/// a dynamic queue, whose transfers have none.
#[test]
fn rings_that_are_not_there_are_refused() {
    let bytes = case("two-subgraphs");
    let session = session(&[("a.neff", &bytes)]);
    let run = ask(&session, &json!({"ask": "simulate"}));
    let queues = run["cores"][0]["queues"].as_array().unwrap();
    let (name, rings) = (queues[1]["name"].as_str().unwrap(), queues[1]["rings"].as_u64().unwrap());
    assert_eq!(name, "qSPIO0");
    let stall = |text: String| json!({"ask": "simulate", "stall": [text]});
    assert_eq!(code(&session, &stall(format!("{name}:{rings}"))), "request.invalid");
    assert_eq!(code(&session, &stall("qPoolDynamic:0".to_owned())), "request.invalid");
    let last = ask(&session, &stall(format!("{name}:{}", rings - 1)));
    assert_eq!(last["schema"], 1);
}

/// A run that its asker gives up ends at once; the same question is answered all the same later.
#[test]
fn a_run_that_is_given_up_says_so() {
    let bytes = case("sg00");
    let session = session(&[("a.neff", &bytes)]);
    let request = Request::from_json(r#"{"ask":"simulate"}"#).unwrap();
    let given_up = session.ask_until(&request, &|_| false).map_err(|error| error.code);
    assert_eq!(given_up.unwrap_err(), "run.cancelled");
    assert!(session.ask_until(&request, &|_| true).is_ok());
    let other = Request::from_json(r#"{"ask":"info"}"#).unwrap();
    assert!(session.ask_until(&other, &|_| false).is_ok());
}

/// What is kept is what a run would say again, for the API and the page alike.
#[tokio::test]
async fn a_run_that_was_asked_for_before_has_the_same_answer() {
    let (app, path) = served("sg00");
    let id = path.split('/').nth(2).unwrap();
    let ask = async |text: &'static str| {
        let (status, _, body) =
            send(&app, request("POST", &format!("/api/v1/sessions/{id}/ask"), text)).await;
        (status, String::from_utf8(body).unwrap())
    };
    let first = ask(r#"{"ask":"simulate","drop":["semaphore:10"]}"#).await;
    assert_eq!(first.0, StatusCode::OK);
    assert_eq!(ask(r#"{"drop":["semaphore:10"],"ask":"simulate"}"#).await, first);
    let other = ask(r#"{"ask":"simulate"}"#).await;
    assert_ne!(other.1, first.1);
    let refused = ask(r#"{"ask":"simulate","inferences":0}"#).await;
    assert_eq!(refused.0, StatusCode::BAD_REQUEST);
    assert_eq!(ask(r#"{"ask":"simulate","inferences":0}"#).await, refused);
    for _ in 0..2 {
        assert!(page(&app, &format!("{path}?run=1")).await.contains("Finished."));
    }
}

/// A page does not wait for a run of any length.
#[tokio::test]
async fn a_page_ends_a_long_run() {
    let (app, path) = served("sg00");
    let long = "run=1&inferences=1000000&events=1000000000";
    let page = page(&app, &format!("{path}?{long}")).await;
    for part in ["Out of events.", "This page ends a run after 2,000,000 events"] {
        assert!(page.contains(part), "no {part}");
    }
}

/// Starts a run over HTTP and gives its address.
async fn started(app: &Router, session: &str, question: &serde_json::Value) -> String {
    let path = format!("/api/v1/sessions/{session}/runs");
    let (status, _, body) = send(app, request("POST", &path, question.to_string())).await;
    assert_eq!(status, StatusCode::CREATED, "{}", String::from_utf8_lossy(&body));
    let made: serde_json::Value = serde_json::from_slice(&body).unwrap();
    format!("{path}/{}", made["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_run_that_is_watched_ends_with_the_answer_of_the_question() {
    let (app, page) = served("sg00");
    let session = page.split('/').nth(2).unwrap().to_owned();
    let question = json!({"ask": "simulate", "inferences": 3});
    let run = started(&app, &session, &question).await;
    assert_eq!(started(&app, &session, &question).await, run, "the same run has the same address");
    let (status, head, body) = send(&app, request("GET", &format!("{run}/events"), "")).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(head.headers()["content-type"], "text/event-stream");
    let text = String::from_utf8(body).unwrap();
    let done = text.split("event: done\ndata: ").nth(1).unwrap().trim_end();
    let path = format!("/api/v1/sessions/{session}/ask");
    let (_, _, asked) = send(&app, request("POST", &path, question.to_string())).await;
    assert_eq!(done, String::from_utf8(asked).unwrap());
    // What fails is told as an error document.
    let run = started(&app, &session, &json!({"ask": "simulate", "stall": ["nothing:0"]})).await;
    let (_, _, body) = send(&app, request("GET", &format!("{run}/events"), "")).await;
    let text = String::from_utf8(body).unwrap();
    assert!(text.contains("event: failed") && text.contains("there is no queue"), "{text}");
}

#[tokio::test]
async fn a_run_that_is_given_up_is_gone() {
    let (app, page) = served("sg00");
    let session = page.split('/').nth(2).unwrap().to_owned();
    let long = json!({"ask": "simulate", "inferences": 1_000_000, "max_events": 1_000_000_000});
    let run = started(&app, &session, &long).await;
    let (status, ..) = send(&app, request("DELETE", &run, "")).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    for method in ["GET", "DELETE"] {
        let path = if method == "GET" { format!("{run}/events") } else { run.clone() };
        let (status, _, body) = send(&app, request(method, &path, "")).await;
        assert_eq!(
            (status, support::door::code(&body).as_str()),
            (StatusCode::NOT_FOUND, "run.unknown")
        );
    }
    let path = format!("/api/v1/sessions/{session}/runs");
    let (status, ..) = send(&app, request("POST", &path, "{\"ask\": \"files\"}")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

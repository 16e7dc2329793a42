//! Schedules as answers; collectives through HTTP: the same answers as from a session.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use axum::http::StatusCode;
use support::asking::{ask_text as ask, case, session};
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

/// A dump or a capture among the files is told of, and ranks are the executables alone.
#[test]
fn files_that_are_no_ranks_are_told() {
    let (one, other) = (&case("collective-all-reduce-2"), &case("collective-other-elements"));
    let dump = vec![0; 64];
    let told = |files: &[(&str, &Vec<u8>)], question: &str| {
        let answer = ask(&session(files), question);
        let all = answer["diagnostics"].as_array().unwrap().clone();
        let no_rank = all.iter().filter(|one| one["code"] == "collectives.no-rank");
        let words = |one: &serde_json::Value| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            (text("severity"), text("message"))
        };
        (no_rank.map(words).collect::<Vec<_>>(), answer)
    };
    let is_no_rank = "and no rank: ranks are the executables alone, in their order";
    let warning = ("warning".to_owned(), format!("top.bin is a memory dump {is_no_rank}"));
    for files in [&[("a.neff", one), ("top.bin", &dump)], &[("top.bin", &dump), ("a.neff", one)]] {
        let (found, answer) = told(files, r#"{"ask":"collectives"}"#);
        assert_eq!(found, std::slice::from_ref(&warning));
        assert_eq!(answer["ranks"], serde_json::json!([]));
        let (found, _) = told(files, r#"{"ask":"simulate","ranks":2}"#);
        assert_eq!(found, std::slice::from_ref(&warning));
        assert_eq!(told(files, r#"{"ask":"simulate"}"#).0, []);
    }
    // Two executables stay two ranks, the dump between them is none.
    let files = [("a.neff", one), ("top.bin", &dump), ("b.neff", other)];
    let (found, answer) = told(&files, r#"{"ask":"collectives"}"#);
    assert_eq!(found, [warning]);
    let ranks: Vec<_> =
        answer["ranks"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(ranks, ["a.neff", "b.neff"]);
    assert_eq!(answer["difference"]["field"], "elements");
    assert_eq!(told(&files, r#"{"ask":"simulate","ranks":2}"#).0.len(), 1);
}

#[test]
fn schedules_are_answers_too() {
    let none = session::<&[u8]>(&[]);
    let ring = ask(&none, r#"{"ask":"schedule","algorithm":"ring","ranks":4}"#);
    assert_eq!((&ring["operation"], &ring["n_steps"]), (&"all-reduce".into(), &6.into()));
    assert_eq!(ring["provenance"], "observed");
    // Rank 0 gives rank 3 its credit, then sends chunk 3, which rank 1 adds.
    let prologue = &ring["steps"][0]["acts"][0];
    let credit = &prologue["posts"][0];
    assert_eq!((&prologue["rank"], &prologue["leaf"]), (&0.into(), &"post".into()));
    assert_eq!((&credit["semaphore"], &credit["rank"]), (&"send_sema".into(), &3.into()));
    let act = &ring["steps"][0]["acts"][1];
    assert_eq!((&act["rank"], &act["leaf"]), (&0.into(), &"send".into()));
    assert_eq!(act["moves"][0]["first"], 3);
    assert_eq!(
        (&act["moves"][0]["to"][0]["rank"], &act["moves"][0]["adds"]),
        (&1.into(), &true.into())
    );
    assert_eq!(
        (&act["posts"][0]["semaphore"], &act["posts"][0]["rank"]),
        (&"recv_sema".into(), &1.into())
    );
    let page = ask(&none, r#"{"ask":"schedule","algorithm":"ring","ranks":4,"from":5,"count":9}"#);
    assert_eq!(
        (page["steps"].as_array().unwrap().len(), &page["steps"][0]["index"]),
        (1, &5.into())
    );
    let only = ask(&none, r#"{"ask":"schedule","algorithm":"bw-opt-mesh","ranks":8}"#);
    assert_eq!(only["operation"], "all-gather");
    // The largest one is given in parts.
    let large =
        ask(&none, r#"{"ask":"schedule","algorithm":"single-step-mesh","ranks":128,"locals":1}"#);
    assert!(large["steps"].as_array().unwrap().len() as u64 <= large["n_steps"].as_u64().unwrap());
    let code = |text: &str| none.ask_text(text).unwrap_err().code;
    for (text, expected) in [
        (r#"{"ask":"schedule","algorithm":"star","ranks":4}"#, "collectives.algorithm"),
        (r#"{"ask":"schedule","algorithm":"ring","ranks":1}"#, "collectives.ranks"),
        (
            r#"{"ask":"schedule","algorithm":"ring","ranks":4,"operation":"hug"}"#,
            "collectives.operation",
        ),
        (r#"{"ask":"schedule","algorithm":"mesh","ranks":4,"locals":3}"#, "collectives.locals"),
        (r#"{"ask":"schedule","algorithm":"ring"}"#, "request.invalid"),
        (r#"{"ask":"schedule","algorithm":"ring","ranks":4,"s":"sg00"}"#, "request.invalid"),
        (r#"{"ask":"collectives","tea":1}"#, "request.invalid"),
        (r#"{"ask":"collectives"}"#, "file.unknown"),
    ] {
        assert_eq!(code(text), expected, "{text}");
    }
}

//! The whole router, called in process: status, headers and bodies of every route.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use backend::guard::Policy;
use debug_api::{Block, ColumnsRequest, Limits, Scope, Session};
use support::asking::case;
use support::door::{code, open, plain, request, send, server};
use support::ntff_writer::{CoreText, NtffText, ntff};

#[tokio::test]
async fn an_upload_is_answered_with_its_id_and_info() {
    let app = plain();
    let (status, _, body) =
        send(&app, request("POST", "/api/v1/files?name=a/sg00.neff", case("sg00"))).await;
    assert_eq!(status, StatusCode::CREATED);
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(json["id"].as_str().unwrap().len(), 26);
    assert_eq!(json["info"]["file"]["name"], "sg00.neff");
    // The sample's header and digest, from the format notes.
    assert_eq!(json["info"]["header"]["uuid"], "561826fb-125f-4bb8-991c-29e085c8949a");
    assert_eq!(json["info"]["digest"]["verdict"], "match");
    assert_eq!(json["info"]["subgraphs"][0]["engines"][2]["slots"], 3);
}

#[tokio::test]
async fn http_gives_the_answer_that_a_session_gives() {
    let app = plain();
    let id = open(&app, "sg00.neff", case("sg00")).await;
    let session = Session::open("sg00.neff", case("sg00"), &Limits::default()).unwrap();
    for ask in [
        r#"{"ask":"info"}"#,
        r#"{"ask":"files"}"#,
        r#"{"ask":"slots","e":"POOL"}"#,
        r#"{"ask":"memory","mode":"contiguous"}"#,
        r#"{"ask":"scratchpad","mode":"paged","page_size":64,"pages":2,"offset":65,"size":9}"#,
        r#"{"ask":"address","address":"0x2802700020"}"#,
        r#"{"ask":"image","e":"POOL"}"#,
        r#"{"ask":"regions"}"#,
        r#"{"ask":"pc","e":"POOL","pc":"0x1000","base":"0x0"}"#,
        r#"{"ask":"ip","e":"POOL","ip":3}"#,
        r#"{"ask":"slot","e":"PE","ip":1}"#,
        r#"{"ask":"source","e":"POOL","ip":2}"#,
        r#"{"ask":"goto","e":"POOL","text":"ip 2"}"#,
        r#"{"ask":"profiles"}"#,
        r#"{"ask":"records","e":"POOL","count":5}"#,
        r#"{"ask":"record","e":"POOL","name":"eib"}"#,
        r#"{"ask":"kbin"}"#,
        r#"{"ask":"kbin","record":"mem_ref_set","from":1,"count":2}"#,
        r#"{"ask":"variable","name":"input"}"#,
        r#"{"ask":"queue","name":"q_gradient_in"}"#,
    ] {
        let path = format!("/api/v1/sessions/{id}/ask");
        let (status, _, body) = send(&app, request("POST", &path, ask)).await;
        assert_eq!(status, StatusCode::OK, "{ask}: {}", String::from_utf8_lossy(&body));
        assert_eq!(String::from_utf8(body).unwrap(), session.ask_text(ask).unwrap(), "{ask}");
    }
}

/// A profile is uploaded like any file and named in questions to a session that holds it.
#[tokio::test]
async fn an_uploaded_profile_is_used_in_its_session() {
    let app = plain();
    let neff = open(&app, "sg00.neff", case("sg00")).await;
    let text = device_image::profile::BUILT_IN[2].1.replacen("cayman-r2.27", "mine", 1);
    let own = open(&app, "mine.toml&kind=profile", text.into_bytes()).await;
    let files = format!(r#"{{"files":["{neff}","{own}"]}}"#);
    let mut post = request("POST", "/api/v1/sessions", files);
    post.headers_mut().insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
    let (status, _, body) = send(&app, post).await;
    assert_eq!(status, StatusCode::CREATED);
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let path = format!("/api/v1/sessions/{}/ask", json["id"].as_str().unwrap());
    let ask = r#"{"ask":"image","profile":"mine"}"#;
    let (status, _, body) = send(&app, request("POST", &path, ask)).await;
    assert_eq!(status, StatusCode::OK, "{}", String::from_utf8_lossy(&body));
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(json["profile"], "mine");
}

#[tokio::test]
async fn columns_are_the_sessions_columns() {
    let app = plain();
    let id = open(&app, "sg00.neff", case("sg00")).await;
    let path = format!("/api/v1/sessions/{id}/columns?what=code&e=POOL&from=0&count=4096");
    let (status, _, body) = send(&app, request("GET", &path, Body::empty())).await;
    assert_eq!(status, StatusCode::OK);
    let session = Session::open("sg00.neff", case("sg00"), &Limits::default()).unwrap();
    let scope = Scope { e: Some("POOL".to_owned()), ..Scope::default() };
    let wanted = ColumnsRequest {
        what: "code".to_owned(),
        scope,
        count: 4_096,
        ..ColumnsRequest::default()
    };
    assert_eq!(body, session.columns(&wanted).unwrap());
    let block = Block::decode(&body).unwrap();
    assert_eq!(u64::from(block.rows), block.total);
    let (status, _, body) =
        send(&app, request("GET", &format!("{path}&what2=1"), Body::empty())).await;
    assert_eq!((status, code(&body).as_str()), (StatusCode::BAD_REQUEST, "request.invalid"));
}

/// What is wrong with an address is named with its value and with what is expected.
#[tokio::test]
async fn addresses_that_are_not_understood_name_the_part() {
    let app = plain();
    let id = open(&app, "sg00.neff", case("sg00")).await;
    let columns = format!("/api/v1/sessions/{id}/columns?");
    for (method, path, words) in [
        ("GET", format!("{columns}what=code&f=x"), "`f=x` in the address is no number"),
        ("GET", format!("{columns}what=code&count=4294967296"), "`count=4294967296` in the"),
        ("GET", format!("{columns}what=code&level=-1"), "such as `level=0`"),
        ("GET", format!("{columns}e=PE"), "missing field `what`"),
        ("GET", format!("{columns}what=code&tea=1"), "unknown field `tea`"),
        ("GET", format!("{columns}what=code&modelled=2"), "correct it or leave that part out"),
        ("POST", "/api/v1/files?nome=a.neff".to_owned(), "unknown field `nome`"),
    ] {
        let (status, _, body) = send(&app, request(method, &path, Body::empty())).await;
        assert_eq!((status, code(&body).as_str()), (StatusCode::BAD_REQUEST, "request.invalid"));
        let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let message = json["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{path}: {message}");
    }
    // A long value is named by its beginning.
    let path = format!("{columns}what=code&from={}", "9".repeat(300));
    let (_, _, body) = send(&app, request("GET", &path, Body::empty())).await;
    let text = String::from_utf8(body).unwrap();
    assert!(text.contains(&"9".repeat(40)) && !text.contains(&"9".repeat(41)), "{text}");
}

#[tokio::test]
async fn files_are_joined_into_sessions() {
    let app = plain();
    let a = open(&app, "a.neff", case("sg00")).await;
    let b = open(&app, "b.neff", case("sg00")).await;
    let body = serde_json::json!({ "files": [a, b] }).to_string();
    let mut post = request("POST", "/api/v1/sessions", body);
    post.headers_mut().insert(header::CONTENT_TYPE, "application/json".parse().unwrap());
    let (status, _, body) = send(&app, post).await;
    assert_eq!(status, StatusCode::CREATED);
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let path = format!("/api/v1/sessions/{}/ask", json["id"].as_str().unwrap());
    let (_, _, body) = send(&app, request("POST", &path, r#"{"ask":"files"}"#)).await;
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let names: Vec<_> =
        json["files"].as_array().unwrap().iter().map(|f| f["name"].clone()).collect();
    assert_eq!(names, ["a.neff", "b.neff"]);
    let (_, _, body) = send(&app, request("POST", &path, r#"{"ask":"info","f":1}"#)).await;
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(json["file"]["name"], "b.neff");
}

#[tokio::test]
async fn captures_are_taken_by_content_name_or_kind() {
    let app = plain();
    let core = CoreText { name: "sg00".to_owned(), ..CoreText::default() };
    let text = NtffText { version: 5, cores: vec![core], ..NtffText::default() };
    for query in ["?name=a.ntff", "?name=run", "", "?kind=ntff&name=b"] {
        let path = format!("/api/v1/files{query}");
        let (status, _, body) = send(&app, request("POST", &path, ntff(&text))).await;
        let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(status, StatusCode::CREATED, "{query} {json}");
        assert_eq!(json["info"]["file"]["kind"], "ntff", "{query}");
        assert_eq!(json["info"]["subgraphs"][0]["name"], "sg00");
        let ask = format!("/api/v1/sessions/{}/ask", json["id"].as_str().unwrap());
        let (_, _, body) = send(&app, request("POST", &ask, r#"{"ask":"ntff"}"#)).await;
        let answer: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(answer, json["info"]);
        // A page about it says that its program is elsewhere.
        let page = format!("/f/{}/regions", json["id"].as_str().unwrap());
        let (status, _, body) = send(&app, request("GET", &page, "")).await;
        assert_eq!(status, StatusCode::OK);
        assert!(String::from_utf8(body).unwrap().contains("A capture of"));
        let (_, _, body) = send(&app, request("POST", &ask, r#"{"ask":"regions"}"#)).await;
        assert!(String::from_utf8(body).unwrap().contains("file.no-neff"));
    }
    let (_, _, body) = send(&app, request("GET", "/", "")).await;
    assert!(String::from_utf8(body).unwrap().contains("NTFF"));
}

#[tokio::test]
async fn bad_requests_have_a_status_and_a_code() {
    let app = plain();
    let id = open(&app, "sg00.neff", case("sg00")).await;
    let ask = format!("/api/v1/sessions/{id}/ask");
    let damaged = case("damaged-gzip-truncated");
    let cases: Vec<(Request<Body>, StatusCode, &str)> = vec![
        (
            request("POST", "/api/v1/files?kind=tea", "x"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "file.kind",
        ),
        (
            request("POST", "/api/v1/files?kind=ntff", "x"),
            StatusCode::UNPROCESSABLE_ENTITY,
            "ntff.too-short",
        ),
        (
            request("POST", "/api/v1/files?name=a.txt", "hello"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "file.kind",
        ),
        (
            request("POST", "/api/v1/files?name=d.neff", damaged),
            StatusCode::UNPROCESSABLE_ENTITY,
            "neff.gzip-truncated",
        ),
        (request("POST", &ask, "{"), StatusCode::BAD_REQUEST, "request.invalid"),
        (request("POST", &ask, r#"{"ask":"tea"}"#), StatusCode::BAD_REQUEST, "request.invalid"),
        (
            request("POST", &ask, r#"{"ask":"info","x":1}"#),
            StatusCode::BAD_REQUEST,
            "request.invalid",
        ),
        (
            request("POST", &ask, r#"{"ask":"slots","s":"sg77"}"#),
            StatusCode::NOT_FOUND,
            "subgraph.unknown",
        ),
        (
            request("POST", &ask, r#"{"ask":"slots","e":"TPB"}"#),
            StatusCode::BAD_REQUEST,
            "engine.unknown",
        ),
        (
            request("POST", &ask, r#"{"ask":"image","profile":"p"}"#),
            StatusCode::NOT_FOUND,
            "profile.unknown",
        ),
        (
            request("POST", "/api/v1/sessions/abc/ask", r#"{"ask":"info"}"#),
            StatusCode::NOT_FOUND,
            "session.unknown",
        ),
        (request("POST", "/api/v1/sessions", "[]"), StatusCode::BAD_REQUEST, "request.invalid"),
    ];
    for (request, status, wanted) in cases {
        let path = request.uri().to_string();
        let (got, _, body) = send(&app, request).await;
        assert_eq!((got, code(&body).as_str()), (status, wanted), "{path}");
    }
}

#[tokio::test]
async fn sessions_are_bounded_and_hold_files() {
    let app = plain();
    let id = open(&app, "a.neff", case("sg00")).await;
    let join = |ids: Vec<String>| {
        request("POST", "/api/v1/sessions", serde_json::json!({ "files": ids }).to_string())
    };
    let (status, _, body) = send(&app, join(vec![id.clone(), id.clone()])).await;
    assert_eq!(status, StatusCode::CREATED);
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let session = json["id"].as_str().unwrap().to_owned();
    // A session stands for its files: two and one are three.
    let (status, _, body) = send(&app, join(vec![session, id.clone()])).await;
    assert_eq!(status, StatusCode::CREATED);
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let path = format!("/api/v1/sessions/{}/ask", json["id"].as_str().unwrap());
    let (_, _, body) = send(&app, request("POST", &path, r#"{"ask":"files"}"#)).await;
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(json["files"].as_array().map(Vec::len), Some(3));
    let cases = [
        (join(vec!["nothing".to_owned(), id.clone()]), StatusCode::NOT_FOUND, "session.unknown"),
        (join(vec![id; 65]), StatusCode::PAYLOAD_TOO_LARGE, "session.too-many"),
        (join(vec![]), StatusCode::BAD_REQUEST, "session.empty"),
        (
            request("POST", "/api/v1/sessions", vec![b' '; (1 << 20) + 1]),
            StatusCode::PAYLOAD_TOO_LARGE,
            "limit.question",
        ),
        (request("POST", "/api/v1/files?x=1", "y"), StatusCode::BAD_REQUEST, "request.invalid"),
        (request("PUT", "/api/v1/files", "y"), StatusCode::METHOD_NOT_ALLOWED, "request.method"),
        (request("GET", "/api/v1/nope", ""), StatusCode::NOT_FOUND, "request.route"),
    ];
    for (request, status, wanted) in cases {
        let path = request.uri().to_string();
        let (got, _, body) = send(&app, request).await;
        assert_eq!((got, code(&body).as_str()), (status, wanted), "{path}");
    }
}

#[tokio::test]
async fn parts_of_an_address_that_are_no_numbers_are_said() {
    let app = plain();
    let id = open(&app, "a.neff", case("sg00")).await;
    for part in ["slot=abc", "slot=-1", "ip=99999999999", "core=zz", "from=18446744073709551615"] {
        let path = format!("/f/{id}/code?e=POOL&{part}");
        let (status, _, body) = send(&app, request("GET", &path, Body::empty())).await;
        let page = String::from_utf8(body).unwrap();
        assert_eq!(status, StatusCode::OK, "{part}");
        assert!(page.contains("address.part"), "{part}");
        assert!(!page.contains("core=zz&"), "{part}");
    }
    let (_, _, body) =
        send(&app, request("GET", &format!("/f/{id}/code?from=4294967295"), Body::empty())).await;
    assert!(!String::from_utf8(body).unwrap().contains("has no slots"));
}

/// A part that names what is not there: the page opens with the default, names the part and its
/// value, and says what is possible. The question itself is still refused.
#[tokio::test]
async fn parts_of_an_address_that_name_nothing_are_said() {
    let app = plain();
    let id = open(&app, "a.neff", case("sg00")).await;
    let parts = [
        ("profile=nope", "the profiles are"),
        ("e=QQ", "the engines are PE ACT POOL DVE SP"),
        ("s=sg99", "the file has sg00"),
        ("core=99", "up to core 7"),
        ("ntff=9", "is no capture|none with index 9"),
        ("base=zz", "no number below 2^64"),
    ];
    for view in ["regions", "code", "bytes", "structs", "memory", "collectives"] {
        for (part, possible) in parts {
            let path = format!("/f/{id}/{view}?{part}");
            let (status, _, body) = send(&app, request("GET", &path, Body::empty())).await;
            let page = String::from_utf8(body).unwrap();
            assert_eq!(status, StatusCode::OK, "{path}");
            if matches!(view, "regions" | "code") {
                assert!(page.contains(&format!("`{part}` in the address is not used")), "{path}");
                assert!(possible.split('|').any(|one| page.contains(one)), "{path}: {page}");
                assert!(!page.contains(&format!("{part}&")), "{path}");
            }
        }
    }
    let path = format!("/f/{id}/code?s=sg99&profile=nope&core=99");
    let (status, _, body) = send(&app, request("GET", &path, Body::empty())).await;
    let page = String::from_utf8(body).unwrap();
    assert_eq!((status, page.matches("in the address is not used").count()), (StatusCode::OK, 3));
    let ask = format!("/api/v1/sessions/{id}/ask");
    let body = r#"{"ask":"regions","profile":"nope"}"#;
    let (status, _, body) = send(&app, request("POST", &ask, body)).await;
    assert_eq!((status, code(&body).as_str()), (StatusCode::NOT_FOUND, "profile.unknown"));
}

#[tokio::test]
async fn too_much_is_refused_by_its_declared_length_and_while_it_streams() {
    let app = server(Limits { upload_bytes: 100, ..Limits::default() }, Policy::default());
    let mut declared = request("POST", "/api/v1/files", "x");
    declared.headers_mut().insert(header::CONTENT_LENGTH, "101".parse().unwrap());
    let streamed = request("POST", "/api/v1/files", vec![0_u8; 101]);
    for request in [declared, streamed] {
        let (status, _, body) = send(&app, request).await;
        assert_eq!((status, code(&body).as_str()), (StatusCode::PAYLOAD_TOO_LARGE, "limit.upload"));
    }
}

#[tokio::test]
async fn foreign_hosts_origins_and_tokens_are_refused() {
    let app = server(Limits::default(), Policy { hosts: vec![], token: Some("t0k".to_owned()) });
    let with = |name: header::HeaderName, value: &str| {
        let mut request = request("POST", "/api/v1/files?name=s.neff", case("sg00"));
        request.headers_mut().insert(name, value.parse().unwrap());
        request
    };
    let cases = [
        (with(header::HOST, "evil.example"), StatusCode::FORBIDDEN, "request.foreign-host"),
        (
            with(header::ORIGIN, "http://evil.example"),
            StatusCode::FORBIDDEN,
            "request.foreign-origin",
        ),
        (with(header::ORIGIN, "null"), StatusCode::FORBIDDEN, "request.foreign-origin"),
        (
            with("sec-fetch-site".parse().unwrap(), "cross-site"),
            StatusCode::FORBIDDEN,
            "request.foreign-origin",
        ),
        (with(header::AUTHORIZATION, "Bearer t0j"), StatusCode::UNAUTHORIZED, "request.token"),
    ];
    for (request, status, wanted) in cases {
        let (got, _, body) = send(&app, request).await;
        assert_eq!((got, code(&body).as_str()), (status, wanted));
    }
    let (status, _, _) = send(&app, with(header::AUTHORIZATION, "Bearer t0k")).await;
    assert_eq!(status, StatusCode::CREATED);
    // A page asks whether its token is right before it sends a file.
    for (token, status) in
        [("Bearer t0k", StatusCode::NO_CONTENT), ("Bearer t0j", StatusCode::UNAUTHORIZED)]
    {
        let mut ask = request("POST", "/api/v1/token", Body::empty());
        ask.headers_mut().insert(header::AUTHORIZATION, token.parse().unwrap());
        let (got, _, _) = send(&app, ask).await;
        assert_eq!(got, status, "{token}");
    }
    let (_, _, page) = send(&app, request("GET", "/", Body::empty())).await;
    assert!(String::from_utf8(page).unwrap().contains(r#"data-token="needed""#));
    let (_, _, page) = send(&plain(), request("GET", "/", Body::empty())).await;
    assert!(!String::from_utf8(page).unwrap().contains("data-token"));
}

#[tokio::test]
async fn gzip_is_not_sent_to_those_who_refuse_it() {
    let app = plain();
    for (accept, packed) in [("gzip", true), ("gzip;q=0", false), ("gzip;q=0, identity", false)] {
        for path in ["/static/app.css", "/"] {
            let mut get = request("GET", path, Body::empty());
            get.headers_mut().insert(header::ACCEPT_ENCODING, accept.parse().unwrap());
            let (status, response, _) = send(&app, get).await;
            assert_eq!(status, StatusCode::OK);
            let encoding = response.headers().get(header::CONTENT_ENCODING);
            assert_eq!(encoding.is_some_and(|name| name == "gzip"), packed, "{path} {accept}");
        }
    }
}

#[tokio::test]
async fn pages_carry_the_facts_and_the_headers() {
    let app = plain();
    let id = open(&app, "sg00.neff", case("sg00")).await;
    for path in ["/".to_owned(), format!("/f/{id}/regions"), format!("/f/{id}/code?e=POOL&ip=2")] {
        let (status, response, body) = send(&app, request("GET", &path, Body::empty())).await;
        let page = String::from_utf8(body).unwrap();
        assert_eq!(status, StatusCode::OK, "{path}: {page}");
        assert!(page.contains("sg00.neff"), "{path}");
        assert!(!page.contains(" style="), "{path}: the policy forbids style attributes");
        let csp = response.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(csp.starts_with("default-src 'none'"));
        assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(response.headers()[header::REFERRER_POLICY], "no-referrer");
    }
    let (_, _, body) =
        send(&app, request("GET", &format!("/f/{id}/code?e=POOL"), Body::empty())).await;
    let page = String::from_utf8(body).unwrap();
    assert!(page.contains("EVENT_SEMAPHORE"), "the first rows are in the page without script");
    for (path, status) in [
        ("/f/abc/regions".to_owned(), StatusCode::NOT_FOUND),
        (format!("/f/{id}/nonsense"), StatusCode::NOT_FOUND),
        ("/static/none.css".to_owned(), StatusCode::NOT_FOUND),
        ("/nowhere".to_owned(), StatusCode::NOT_FOUND),
        ("/healthz".to_owned(), StatusCode::OK),
    ] {
        let (got, _, _) = send(&app, request("GET", &path, Body::empty())).await;
        assert_eq!(got, status, "{path}");
    }
}

#[tokio::test]
async fn names_with_markup_are_text_on_every_page() {
    let app = plain();
    let name = "%3Cimg%20src%3Dx%20onerror%3D1%3E.neff";
    let id = open(&app, name, case("sg00")).await;
    for path in ["/".to_owned(), format!("/f/{id}/regions")] {
        let (_, _, body) = send(&app, request("GET", &path, Body::empty())).await;
        let page = String::from_utf8(body).unwrap();
        assert!(!page.contains("<img"), "{path}");
        assert!(page.contains("img src=x"), "{path}");
    }
}

#[tokio::test]
async fn a_log_is_read_without_script() {
    let app = plain();
    let id = open(&app, "input.neff", case("sg00")).await;
    let form = format!("file={id}&text=POOL+neff_ip+2%0D%0Astatus%3D1006+%3Cb%3E");
    let (status, _, body) = send(&app, request("POST", "/log", form)).await;
    assert_eq!(status, StatusCode::OK);
    let page = String::from_utf8(body).unwrap();
    assert!(page.contains("NRT_EXEC_OOB"), "{page}");
    assert!(page.contains(&format!("/f/{id}/code?s=sg00&#38;e=POOL&#38;slot=")), "{page}");
    // Text of a log is text.
    assert!(page.contains("status=1006 &#60;b&#62;"), "{page}");

    // Without a file lines are explained, an unknown file is an error page.
    let (status, _, body) = send(&app, request("POST", "/log", "file=&text=status%3D5")).await;
    assert_eq!(status, StatusCode::OK);
    assert!(String::from_utf8(body).unwrap().contains("NRT_TIMEOUT"));
    let (status, ..) = send(&app, request("POST", "/log", "file=nope&text=x")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let (status, ..) = send(&app, request("GET", "/log", "")).await;
    assert_eq!(status, StatusCode::OK);
    let large = format!("file=&text={}", "x".repeat(13 << 20));
    let (status, ..) = send(&app, request("POST", "/log", large)).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn a_log_needs_no_token_but_the_own_origin() {
    let policy = Policy { token: Some("secret".to_owned()), ..Policy::default() };
    let app = server(Limits::default(), policy);
    let (status, ..) = send(&app, request("POST", "/log", "file=&text=status%3D5")).await;
    assert_eq!(status, StatusCode::OK);
    let mut foreign = request("POST", "/log", "file=&text=status%3D5");
    foreign.headers_mut().insert(header::ORIGIN, "http://evil.example".parse().unwrap());
    let (status, _, body) = send(&app, foreign).await;
    assert_eq!((status, code(&body).as_str()), (StatusCode::FORBIDDEN, "request.foreign-origin"));
}

//! Questions as text and back.

use super::*;

#[test]
fn questions_round_trip() {
    let request = Request::from_json(r#"{"ask":"pc","e":"SP","pc":"0x40","core":4}"#);
    let scope = Scope { e: Some("SP".to_owned()), core: Some(4), ..Scope::default() };
    let expected = Request::Pc { scope, pc: "0x40".to_owned() };
    assert_eq!(request, Ok(expected.clone()));
    let text = serde_json::to_string(&expected).unwrap();
    assert_eq!(Request::from_json(&text), Ok(expected));
}

#[test]
fn requests_for_rows_round_trip() {
    let scope = Scope { e: Some("SP".to_owned()), ..Scope::default() };
    let request =
        ColumnsRequest { what: "code".to_owned(), scope, from: 256, ..ColumnsRequest::default() };
    let text = serde_json::to_string(&request).unwrap();
    assert_eq!(ColumnsRequest::from_json(&text), Ok(request));
    assert_eq!(ColumnsRequest::from_json("{}"), Ok(ColumnsRequest::default()));
    for text in ["{", "[]", r#"{"count":-1}"#, r#"{"what":7}"#] {
        let error = ColumnsRequest::from_json(text).unwrap_err();
        assert_eq!(error.code, "request.invalid", "{text}");
    }
}

#[test]
fn typing_mistakes_are_refused() {
    for text in [
        "{",
        "[]",
        "1",
        r#"{"ask":"tea"}"#,
        r#"{"ask":"info","x":1}"#,
        r#"{"ask":"info","s":"a"}"#,
        r#"{"ask":"slots","frm":3}"#,
        r#"{"ask":"pc"}"#,
        r#"{"ask":"ip","ip":-1}"#,
    ] {
        let error = Request::from_json(text).unwrap_err();
        assert_eq!(error.code, "request.invalid", "{text}");
    }
}

#[test]
fn the_run_of_a_timeline_takes_choices_only() {
    let asked = Request::from_json(r#"{"ask":"timeline","s":"a","run":{"inferences":2,"s":"b"}}"#);
    let Ok(Request::Timeline(request)) = asked else { panic!("{asked:?}") };
    let run = request.run.unwrap();
    assert_eq!((run.inferences, run.scope.s.as_deref()), (Some(2), Some("b")));
    assert_eq!(request.scope.s.as_deref(), Some("a"));
    let bad = r#"{"run":{"inference":2}}"#;
    let errors = [
        Request::from_json(r#"{"ask":"timeline","run":{"inference":2}}"#).unwrap_err(),
        Request::from_json(r#"{"ask":"timeline-events","run":{"ask":"simulate"}}"#).unwrap_err(),
        ColumnsRequest::from_json(bad).unwrap_err(),
        ExportRequest::from_json(bad).unwrap_err(),
        SimulateRequest::choices_from_json(r#"{"inference":2}"#).unwrap_err(),
        SimulateRequest::choices_from_json("{").unwrap_err(),
        SimulateRequest::choices_from_json("7").unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code, "request.invalid", "{error:?}");
    }
}

//! The clock aligner as a page: counters of several engines in, one time out. It needs no script and
//! no file.

use crate::page_frame::{html, shell};
use crate::page_model::Shell;
use crate::pages::unreadable_address;
use crate::view_query::unknown_fields;
use askama::Template;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use debug_api::answer::{AlignedReading, Answer};
use debug_api::{Request, Session, TsyncRequest};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the page begins with: two events at the same time, and one before.
const EXAMPLE: &str =
    "PE:5000000:1024:714:5204800\nACT:4990000:1024:714:5194800\nTOP_SP:9000512:1024:714:9102912";

/// The fields of the form, as they were typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Form {
    /// A reading a line.
    pub readings: String,
    /// Wall-clock nanoseconds at the common instant; empty if not known.
    pub host_ns: String,
    /// Keys that the form has not.
    #[serde(flatten)]
    pub other: BTreeMap<String, String>,
}

/// The page.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "tsync.html")]
pub struct TsyncPage {
    /// Frame; `page` is `start`.
    pub shell: Shell,
    /// The form.
    pub form: Form,
    /// Aligned, earliest first.
    pub readings: Vec<AlignedReading>,
    /// Why there are none.
    pub problem: String,
    /// Its code.
    pub code: String,
}

/// `GET /tsync`: the form with its answer.
pub async fn page(query: Result<Query<Form>, QueryRejection>) -> Response {
    let Ok(Query(mut form)) = query else {
        return unreadable_address(("/tsync", "The aligner with its example"));
    };
    if form.readings.trim().is_empty() {
        EXAMPLE.clone_into(&mut form.readings);
    }
    let mut page = TsyncPage {
        shell: Shell {
            title: "neffscope: clock alignment".to_owned(),
            unused: unknown_fields(&form.other, "readings, host_ns"),
            ..shell("start", "", "")
        },
        ..TsyncPage::default()
    };
    match answer(&form) {
        Ok(readings) => page.readings = readings,
        Err((problem, code)) => (page.problem, page.code) = (problem, code),
    }
    page.form = form;
    html(StatusCode::OK, &page).unwrap_or_else(IntoResponse::into_response)
}

fn answer(form: &Form) -> Result<Vec<AlignedReading>, (String, String)> {
    let readings = form.readings.lines().map(str::trim).filter(|line| !line.is_empty());
    let readings: Vec<String> = readings.map(str::to_owned).collect();
    let host = form.host_ns.trim();
    let host_ns = match host.parse() {
        _ if host.is_empty() => None,
        Ok(host_ns) => Some(host_ns),
        Err(_) => {
            let message = "Wall clock is no whole number of nanoseconds of 64 bits".to_owned();
            return Err((message, "request.invalid".to_owned()));
        }
    };
    match Session::new(Vec::new()).ask(&Request::Tsync(TsyncRequest { readings, host_ns })) {
        Ok(Answer::Tsync(answer)) => Ok(answer.readings),
        Ok(_) => Ok(Vec::new()),
        Err(error) => Err((error.message.clone(), error.code.to_owned())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_example_and_refusals() {
        let form = |readings: &str, host: &str| Form {
            readings: readings.to_owned(),
            host_ns: host.to_owned(),
            other: BTreeMap::new(),
        };
        let found = answer(&form(EXAMPLE, "1000")).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|one| (one.block.as_str(), one.nanoseconds.as_str(), one.after_first, one.wall_ns))
            .collect();
        let expected = [
            ("TOP_SP", "71.400", 0, Some(1_071)),
            ("PE", "142.800", 71_400, Some(1_142)),
            ("ACT", "142.800", 71_400, Some(1_142)),
        ];
        assert_eq!(told, expected);
        let code = |readings: &str, host: &str| answer(&form(readings, host)).unwrap_err().1;
        assert_eq!(code("PE:1:0:1:2", ""), "tsync.reading");
        assert_eq!(code("XX:1:1:1:2", ""), "tsync.reading");
        assert_eq!(code("PE:1:1:1", ""), "tsync.reading");
        assert_eq!(code("PE:1:4294967296:1:2", ""), "tsync.reading");
        assert_eq!(code("PE:-1:1:1:2", ""), "request.invalid");
        assert_eq!(code("PE:1:1:1:2", "noon"), "request.invalid");
        assert_eq!(code("PE:0:1:1:18446744073709551615", ""), "tsync.reading");
    }
}

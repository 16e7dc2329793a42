//! The scratchpad calculator as a page: a form and what the runtime answers. It needs no script and
//! no file.

use crate::format::thousands;
use crate::page_frame::{html, shell};
use crate::page_model::Shell;
use crate::pages::unreadable_address;
use crate::view_query::unknown_fields;
use askama::Template;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use debug_api::answer::{Answer, ScratchpadAnswer};
use debug_api::convert::parse_bytes;
use debug_api::{Request, Session};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The fields of the form, as they were typed.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Form {
    /// `paged` or `contiguous`.
    pub mode: String,
    /// Bytes of a page.
    pub page_size: String,
    /// Pages that have memory.
    pub pages: String,
    /// First byte.
    pub offset: String,
    /// Bytes.
    pub size: String,
    /// Keys that the form has not.
    #[serde(flatten)]
    pub other: BTreeMap<String, String>,
}

/// The page.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "scratchpad.html")]
pub struct ScratchpadPage {
    /// Frame; `page` is `start`.
    pub shell: Shell,
    /// The form.
    pub form: Form,
    /// Whether `found`, `nothing` or `problem` is told; empty before anything was asked.
    pub kind: String,
    /// The answer in a sentence.
    pub text: String,
    /// Code of a refusal.
    pub code: String,
}

/// `GET /scratchpad`: the form, with the answer if it is filled.
pub async fn page(query: Result<Query<Form>, QueryRejection>) -> Response {
    let Ok(Query(mut form)) = query else {
        return unreadable_address(("/scratchpad", "The empty calculator"));
    };
    let asked = [&form.page_size, &form.pages, &form.offset, &form.size];
    let asked = asked.iter().any(|text| !text.is_empty());
    if form.mode.is_empty() {
        form.mode = "paged".to_owned();
    }
    if !asked {
        form = Form {
            page_size: if form.mode == "contiguous" { "64 MiB" } else { "512 MiB" }.to_owned(),
            pages: "2".to_owned(),
            offset: "0".to_owned(),
            size: "4096".to_owned(),
            ..form
        };
    }
    let (kind, text, code) = if asked { answer(&form) } else { Default::default() };
    let page = ScratchpadPage {
        shell: Shell {
            title: "neffscope: scratchpad calculator".to_owned(),
            unused: unknown_fields(&form.other, "mode, page_size, pages, offset, size"),
            ..shell("start", "", "")
        },
        form,
        kind,
        text,
        code,
    };
    html(StatusCode::OK, &page).unwrap_or_else(IntoResponse::into_response)
}

/// Kind, text and code of the answer.
fn answer(form: &Form) -> (String, String, String) {
    let problem = |text: String, code: &str| ("problem".to_owned(), text, code.to_owned());
    let fields = [
        ("Page size", &form.page_size),
        ("Pages", &form.pages),
        ("Offset", &form.offset),
        ("Size", &form.size),
    ];
    let mut numbers = [0_u64; 4];
    for ((name, text), to) in fields.iter().zip(&mut numbers) {
        match parse_bytes(text) {
            Some(value) => *to = value,
            None => {
                let shown: String = text.chars().take(40).collect();
                let why = if shown.trim_start().starts_with('-') {
                    "is below 0; sizes and offsets are not"
                } else {
                    "is no number below 2^64, such as 4096, 0x1000 or 512 MiB"
                };
                return problem(
                    format!("{name}: \u{201c}{shown}\u{201d} {why}."),
                    "request.invalid",
                );
            }
        }
    }
    let [page_size, pages, offset, size] = numbers;
    let request = Request::Scratchpad { mode: form.mode.clone(), page_size, pages, offset, size };
    match Session::new(Vec::new()).ask(&request) {
        Ok(Answer::Scratchpad(answer)) => told(&answer),
        Ok(_) => Default::default(),
        Err(error) => problem(error.message.clone(), error.code),
    }
}

fn told(answer: &ScratchpadAnswer) -> (String, String, String) {
    let (kind, mut text, code) = found(answer);
    for one in &answer.diagnostics {
        let mut letters = one.message.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        text.push_str(&format!(" {first}{}.", letters.as_str()));
    }
    (kind, text, code)
}

fn found(answer: &ScratchpadAnswer) -> (String, String, String) {
    match (answer.page, answer.in_page_offset) {
        (Some(page), Some(at)) => {
            let text = format!("Page {}, byte {at:#x} of it ({}).", thousands(page), answer.mode);
            ("found".to_owned(), text, String::new())
        }
        _ => {
            let why = answer.reason.clone().unwrap_or_default();
            let text =
                format!("Not found: {why}. The runtime gives the variable memory of its own.");
            ("nothing".to_owned(), text, String::new())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_have_their_codes() {
        let form = |page_size: &str, pages: &str, offset: &str, size: &str| Form {
            mode: "paged".to_owned(),
            page_size: page_size.to_owned(),
            pages: pages.to_owned(),
            offset: offset.to_owned(),
            size: size.to_owned(),
            other: BTreeMap::new(),
        };
        let code = |one: Form| answer(&one).2;
        assert_eq!(code(form("0", "2", "0", "1")), "memory.page-size");
        assert_eq!(code(form("4294967296", "2", "0", "1")), "memory.page-size");
        assert_eq!(code(form("512 MiB", "1025", "0", "1")), "memory.pages");
        assert_eq!(code(form("512 MiB", "2", "-5", "1")), "request.invalid");
        let (kind, text, _) = answer(&form("512 MiB", "2", "0xffffffffffffffff", "1"));
        assert_eq!(kind, "nothing");
        assert!(text.contains("exceed 2^64"), "{text}");
        let found = answer(&form("512 MiB", "2", "0x20000010", "4096"));
        assert_eq!(found.1, "Page 1, byte 0x10 of it (paged).");
    }
}

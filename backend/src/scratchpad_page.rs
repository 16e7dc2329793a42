//! The scratchpad calculator as a page: a form and what the runtime answers. It needs no script and
//! no file.

use crate::format::thousands;
use crate::page_frame::{html, shell};
use crate::page_model::{Shell, provenance_key};
use crate::pages::unreadable_address;
use crate::view_query::unknown_fields;
use askama::Template;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use debug_api::answer::{Answer, ScratchpadAnswer};
use debug_api::convert::{EXPECTED, parse_bytes};
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
    /// The answer.
    pub told: Told,
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
    let told = if asked { answer(&form) } else { Told::default() };
    let page = ScratchpadPage {
        shell: Shell {
            title: "neffscope: scratchpad calculator".to_owned(),
            unused: unknown_fields(&form.other, "mode, page_size, pages, offset, size"),
            ..shell("start", "", "")
        },
        form,
        told,
    };
    html(StatusCode::OK, &page).unwrap_or_else(IntoResponse::into_response)
}

/// What is told below the form.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// `found`, `nothing` or `problem`; empty before anything was asked.
    pub kind: String,
    /// The answer in a sentence.
    pub text: String,
    /// Code of a refusal.
    pub code: String,
    /// Where the answer comes from; empty for a refusal.
    pub provenance: String,
    /// Fields that are not taken, each with what was expected.
    pub wrong: Vec<(&'static str, String)>,
}

impl Told {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }

    /// What is wrong with a field; empty if nothing is.
    pub fn at(&self, field: &str) -> &str {
        let found = self.wrong.iter().find(|(name, _)| *name == field);
        found.map_or("", |(_, why)| why.as_str())
    }
}

/// Names of the fields with numbers, and their labels.
const FIELDS: [(&str, &str); 4] =
    [("page_size", "Page size"), ("pages", "Pages"), ("offset", "Offset"), ("size", "Size")];

/// The answer to a form. Every field that is not taken is told, the first one in the answer too.
fn answer(form: &Form) -> Told {
    let texts = [&form.page_size, &form.pages, &form.offset, &form.size];
    let mut numbers = [0_u64; 4];
    let mut wrong: Vec<(&'static str, String)> = Vec::new();
    let mut first = String::new();
    let fields = FIELDS.iter().zip(EXPECTED).zip(texts).zip(&mut numbers);
    for ((((field, label), expected), text), to) in fields {
        if let Some(value) = parse_bytes(text) {
            *to = value;
            continue;
        }
        let shown: String = text.chars().take(40).collect();
        let what = if shown.trim().is_empty() {
            "It is empty.".to_owned()
        } else if shown.trim_start().starts_with(['-', '\u{2212}']) {
            format!("\u{201c}{shown}\u{201d} is below 0.")
        } else {
            format!("\u{201c}{shown}\u{201d} is no number below 2^64.")
        };
        let why = format!("{what} Expected: {expected}.");
        if wrong.is_empty() {
            first = format!("Nothing is asked while {label} cannot be read.");
        }
        wrong.push((field, why));
    }
    let problem = |text: String, code: &str, wrong| Told {
        kind: "problem".to_owned(),
        text,
        code: code.to_owned(),
        wrong,
        ..Told::default()
    };
    if !wrong.is_empty() {
        return problem(first, "request.invalid", wrong);
    }
    let [page_size, pages, offset, size] = numbers;
    let request = Request::Scratchpad { mode: form.mode.clone(), page_size, pages, offset, size };
    match Session::new(Vec::new()).ask(&request) {
        Ok(Answer::Scratchpad(answer)) => told(&answer),
        Ok(_) => Told::default(),
        Err(error) => {
            let (field, expected) = match error.code {
                "memory.page-size" => ("page_size", EXPECTED[0]),
                "memory.pages" => ("pages", EXPECTED[1]),
                "memory.mode" => ("mode", "paged or contiguous"),
                _ => return problem(error.message.clone(), error.code, wrong),
            };
            let message = error.message.trim_end_matches('.');
            let why = format!("{message}. Expected: {expected}.");
            problem(error.message.clone(), error.code, vec![(field, why)])
        }
    }
}

fn told(answer: &ScratchpadAnswer) -> Told {
    let (kind, mut text) = found(answer);
    for one in &answer.diagnostics {
        let mut letters = one.message.chars();
        let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        text.push_str(&format!(" {first}{}.", letters.as_str()));
    }
    let provenance = answer.provenance.name().to_owned();
    Told { kind: kind.to_owned(), text, provenance, ..Told::default() }
}

fn found(answer: &ScratchpadAnswer) -> (&'static str, String) {
    match (answer.page, answer.in_page_offset) {
        (Some(page), Some(at)) => {
            let text = format!("Page {}, byte {at:#x} of it ({}).", thousands(page), answer.mode);
            ("found", text)
        }
        _ => {
            let why = answer.reason.clone().unwrap_or_default();
            let text =
                format!("Not found: {why}. The runtime gives the variable memory of its own.");
            ("nothing", text)
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
        let code = |one: Form| answer(&one).code;
        assert_eq!(code(form("0", "2", "0", "1")), "memory.page-size");
        assert_eq!(code(form("4294967296", "2", "0", "1")), "memory.page-size");
        assert_eq!(code(form("512 MiB", "1025", "0", "1")), "memory.pages");
        assert_eq!(code(form("512 MiB", "2", "-5", "1")), "request.invalid");
        let nothing = answer(&form("512 MiB", "2", "0xffffffffffffffff", "1"));
        assert_eq!((nothing.kind.as_str(), nothing.provenance.as_str()), ("nothing", "observed"));
        assert!(nothing.text.contains("exceed 2^64"), "{}", nothing.text);
        let found = answer(&form("512 MiB", "2", "0x20000010", "4096"));
        assert_eq!(found.text, "Page 1, byte 0x10 of it (paged).");
        assert_eq!((found.provenance.as_str(), found.wrong.len()), ("observed", 0));
        // Each field says what was expected in it.
        let two = answer(&form("512 MiB", "2", "-5", " "));
        assert_eq!(
            two.at("offset"),
            format!("\u{201c}-5\u{201d} is below 0. Expected: {}.", EXPECTED[2])
        );
        assert_eq!(two.at("size"), format!("It is empty. Expected: {}.", EXPECTED[3]));
        assert_eq!(two.at("pages"), "");
        let large = answer(&form("4 GiB", "2", "0", "1"));
        assert!(
            large.at("page_size").ends_with("Expected: 1 to 4,294,967,295 bytes, such as 512 MiB.")
        );
        let many = answer(&form("512 MiB", "1025", "0", "1"));
        assert!(many.at("pages").ends_with("Expected: 0 to 1,024."), "{:?}", many.wrong);
    }
}

//! The decoder of control entries as a page: a form and what the entry is. It needs no script and no
//! file.

use crate::page_frame::{html, shell};
use crate::page_model::{Shell, provenance_key};
use crate::pages::error_page;
use crate::view_query::unknown_fields;
use askama::Template;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use debug_api::answer::{Answer, SpadBits, SpadEntry};
use debug_api::{Request, Session};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The form of the decoder, as it was sent.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Form {
    /// 16 digits or the value of the word.
    pub word: String,
    /// `enc_alg_type` or `enc_pattern`.
    pub names: String,
    /// Keys that the form has not.
    #[serde(flatten)]
    pub other: BTreeMap<String, String>,
}

/// The decoder's page.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "spad_ctrl.html")]
pub struct SpadPage {
    /// Frame; `page` is `start`.
    pub shell: Shell,
    /// The form.
    pub form: Form,
    /// What the word is; empty before anything was asked.
    pub kind: String,
    /// Its bytes and its value.
    pub word: String,
    /// Its fields.
    pub fields: Vec<FieldRow>,
    /// What the two readings make of it: name, meaning, for, against.
    pub readings: Vec<[String; 4]>,
    /// Why it is none.
    pub problem: String,
    /// Code of a refusal.
    pub code: String,
}

/// A field of the word.
#[derive(Clone, Debug, Default)]
pub struct FieldRow {
    /// Name.
    pub name: String,
    /// Bits.
    pub bits: String,
    /// Value.
    pub value: String,
    /// What it is.
    pub meaning: String,
    /// Provenance, the word in full.
    pub provenance: String,
}

impl FieldRow {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// `GET /spad-ctrl`: the form, with what the word is if there is one.
pub async fn page(query: Result<Query<Form>, QueryRejection>) -> Response {
    let Ok(Query(form)) = query else {
        return error_page(
            StatusCode::BAD_REQUEST,
            "request.invalid",
            "This address cannot be read",
            "A part of it occurs twice or is no text.",
        );
    };
    let title = "neffscope: decoder of control entries".to_owned();
    let unused = unknown_fields(&form.other, "word, names");
    let shell = Shell { title, unused, ..shell("start", "", "") };
    let mut page = SpadPage { shell, form, ..SpadPage::default() };
    if !page.form.word.trim().is_empty() {
        fill(&mut page);
    }
    html(StatusCode::OK, &page).unwrap_or_else(IntoResponse::into_response)
}

fn fill(page: &mut SpadPage) {
    let names = (!page.form.names.is_empty()).then(|| page.form.names.clone());
    let request =
        Request::SpadCtrl { words: vec![page.form.word.trim().to_owned()], algo_names: names };
    match Session::new(Vec::new()).ask(&request) {
        Ok(Answer::Spad(answer)) => {
            let Some(entry) = answer.entries.first() else { return };
            page.form.names.clone_from(&answer.algo_names);
            page.kind = kind(entry).to_owned();
            page.word = format!("{} = {}", entry.raw, entry.word);
            page.fields = entry.bits.iter().map(field).collect();
            page.readings = answer
                .readings
                .iter()
                .zip(&entry.readings)
                .map(|(one, own)| {
                    let name = own.algo_type_name.as_deref().unwrap_or("no name");
                    [
                        format!("{}: {} = {name}", one.names, entry.cc_op.algo_type),
                        one.says.clone(),
                        one.evidence_for.join("; "),
                        one.evidence_against.join("; "),
                    ]
                })
                .collect();
        }
        Ok(_) => {}
        Err(error) => (page.problem, page.code) = (error.message, error.code.to_owned()),
    }
}

fn kind(entry: &SpadEntry) -> &'static str {
    match entry.kind.as_str() {
        "op" => "An operation",
        "nop" => "A NOP: it keeps the TOP_SPs of a stream at the same entry",
        "continue" => "The marker of a slot tape: another operation follows",
        _ => "An empty place: cc_op is 0, the other bits mean nothing",
    }
}

fn field(one: &SpadBits) -> FieldRow {
    let text = one.text.as_ref().map(|text| format!("{text}: ")).unwrap_or_default();
    FieldRow {
        name: one.name.clone(),
        bits: match one.width {
            1 => one.low.to_string(),
            width => format!("{}\u{2013}{}", one.low, one.low + width - 1),
        },
        value: match one.name.as_str() {
            "channel_list" | "sema_mask" => format!("{:#x}", one.value),
            _ => one.value.to_string(),
        },
        meaning: format!("{text}{}", one.meaning),
        provenance: one.provenance.name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_read_or_refused() {
        let page = |word: &str| {
            let form = Form { word: word.to_owned(), ..Form::default() };
            let mut page = SpadPage { form, ..SpadPage::default() };
            fill(&mut page);
            page
        };
        // RING-2 of the worked entries.
        let ring = page("01 00 03 00 0f 00 00 00");
        assert_eq!(ring.word, "010003000f000000 = 0x0000000f00030001");
        let value = |name: &str| {
            ring.fields.iter().find(|one| one.name == name).map(|one| one.value.clone())
        };
        assert_eq!(value("reporter").as_deref(), Some("1"));
        assert_eq!(value("channel_list").as_deref(), Some("0xf"));
        assert_eq!(ring.readings.len(), 2);
        assert!(page("0").fields.is_empty());
        assert_eq!(page("0").code, "spad.word");
        assert!(page("0x0").kind.starts_with("An empty place"));
    }
}

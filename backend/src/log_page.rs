//! The page of a runtime log: the box alone, or what was read from it. It needs no script.

use crate::api::{App, blocking, read_body};
use crate::failure::Failure;
use crate::format::{clean, percent, thousands};
use crate::log_form::LogForm;
use crate::log_text::solved_text;
use crate::page_frame::{html, shell};
use crate::page_model::{FindingRow, Shell};
use crate::page_parts::finding_rows;
use crate::pages::error_page;
use crate::start_page::log_form;
use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use debug_api::answer::{Answer, LogAnswer, LogLine, LogPart, LogPlace, PlaceRef, Provenance};
use debug_api::{Request, Scope, Session};
use std::sync::Arc;

/// Lines that a page shows.
const MAX_LINES: usize = 1_000;

/// The page of a runtime log.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "log.html")]
pub struct LogPage {
    /// Frame; `page` is `start`.
    pub shell: Shell,
    /// The box, with the text in it.
    pub log: LogForm,
    /// What was read, in a sentence; empty before anything was.
    pub summary: String,
    /// Lines of a known kind, and what is folded between them.
    pub lines: Vec<LogRow>,
    /// How bases are solved for.
    pub how: &'static str,
    /// What was solved for: what, from what, how sure.
    pub solved: Vec<[String; 3]>,
    /// Status codes.
    pub codes: Vec<LogCode>,
    /// What was cut.
    pub findings: Vec<FindingRow>,
}

/// A line of a log, or lines that are folded.
#[derive(Clone, Debug, Default)]
pub struct LogRow {
    /// What is folded, in words; empty for a line. The folded lines with their numbers are in
    /// `text` then.
    pub fold: String,
    /// 1-based line.
    pub number: u32,
    /// Kind.
    pub kind: String,
    /// The line itself.
    pub text: String,
    /// What it says, and what the file says about it.
    pub says: String,
    /// Where it leads.
    pub places: Vec<LogLink>,
}

/// A place that a line leads to.
#[derive(Clone, Debug, Default)]
pub struct LogLink {
    /// Engine, region, slot, IP.
    pub label: String,
    /// Record, source line, base.
    pub detail: String,
    /// What is uncertain; empty if nothing is.
    pub note: String,
    /// Address; empty if there is no place to show.
    pub href: String,
}

/// A status code.
#[derive(Clone, Debug, Default)]
pub struct LogCode {
    /// `1006 NRT_EXEC_OOB`.
    pub name: String,
    /// Meaning and advice.
    pub text: String,
}

/// `GET /log`: the box.
pub async fn form(State(app): State<App>) -> Response {
    let page = LogPage { shell: log_shell(), log: log_form(&app, "", ""), ..LogPage::default() };
    html(StatusCode::OK, &page).unwrap_or_else(IntoResponse::into_response)
}

/// `POST /log`: a text and the file to look it up in.
pub async fn read(State(app): State<App>, body: Body) -> Response {
    match answer(&app, body).await.and_then(|page| html(StatusCode::OK, &page)) {
        Ok(response) => response,
        Err(failure) => {
            let next = "Go back and paste fewer lines, or choose another file.";
            error_page(failure.status, failure.error.code, &failure.error.message, next)
        }
    }
}

async fn answer(app: &App, body: Body) -> Result<LogPage, Failure> {
    // The text is percent-encoded: three bytes for one, and the names of the fields.
    let most = 3 * app.library.limits().log_bytes as u64 + (64 << 10);
    let body = read_body(body, most, None, "limit.question").await?;
    let (id, text) = (field(&body, "file"), field(&body, "text"));
    let session = match id.as_str() {
        "" => Arc::new(Session::new(Vec::new())),
        id => app.library.session(id).ok_or_else(|| Failure::unknown_session(id))?,
    };
    let form = log_form(app, &id, &text);
    blocking(app, move |_| {
        let request = Request::Log { scope: Scope::default(), text };
        let answer = session.ask(&request)?;
        Ok(match answer {
            Answer::Log(log) => page(&id, &log, form),
            _ => LogPage::default(),
        })
    })
    .await
}

fn log_shell() -> Shell {
    Shell { title: "neffscope: runtime log".to_owned(), ..shell("start", "", "") }
}

fn page(id: &str, log: &LogAnswer, form: LogForm) -> LogPage {
    let known = log.lines.iter().filter(|line| line.kind != "other").count();
    let against = log.file.as_deref().map_or_else(
        || "No file was chosen, so lines are explained only.".to_owned(),
        |file| format!("Places are those in {}.", clean(file)),
    );
    let mut summary = match log.lines.len() {
        0 => "No line was read.".to_owned(),
        all => format!(
            "{} of {} lines are of a known kind. {against}",
            thousands(known as u64),
            thousands(all as u64)
        ),
    };
    if known > MAX_LINES {
        summary.push_str(&format!(
            " The first {} are explained, the rest is folded behind them.",
            thousands(MAX_LINES as u64)
        ));
    }
    LogPage {
        shell: log_shell(),
        log: form,
        summary,
        lines: log.parts(MAX_LINES).into_iter().map(|part| part_row(id, part)).collect(),
        how: LogAnswer::SOLVED,
        solved: log.solved.iter().map(|one| solved_text(one, &log.solved)).collect(),
        codes: log
            .codes
            .iter()
            .map(|code| LogCode {
                name: format!("{} {}", code.code, code.name),
                text: format!("{} {}", code.meaning, code.advice),
            })
            .collect(),
        findings: finding_rows(&log.diagnostics, &[]),
    }
}

fn part_row(id: &str, part: LogPart<'_>) -> LogRow {
    let (lines, fold) = match part {
        LogPart::Line(line) => return row(id, line),
        LogPart::Folded(lines, fold) => (lines, fold),
    };
    let numbered = |line: &LogLine| format!("{:>6}  {}", line.line, shown_text(line));
    LogRow {
        fold: fold.words(lines),
        text: lines.iter().map(numbered).collect::<Vec<_>>().join("\n"),
        ..LogRow::default()
    }
}

/// The text of a line; line feeds of a joined one stay.
fn shown_text(line: &LogLine) -> String {
    line.text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

fn row(id: &str, line: &LogLine) -> LogRow {
    let mut says = vec![line.says.clone()];
    says.extend(line.notes.iter().map(|note| clean(note)));
    says.push(line.next.clone());
    says.retain(|part| !part.is_empty());
    let answers =
        line.answer.iter().chain(line.more.iter().filter_map(|more| more.answer.as_ref()));
    let mut places: Vec<LogLink> = answers.map(|answer| link(id, answer)).collect();
    places.extend(line.also.iter().map(|place| LogLink {
        label: place_label(place),
        detail: String::new(),
        note: "also possible".to_owned(),
        href: href(id, place, None),
    }));
    LogRow {
        number: line.line,
        kind: line.kind.clone(),
        text: shown_text(line),
        says: says.join(" "),
        places,
        ..LogRow::default()
    }
}

fn link(id: &str, answer: &LogPlace) -> LogLink {
    let mut detail: Vec<String> = Vec::new();
    detail.extend(answer.text.as_deref().map(clean));
    detail.extend(
        answer
            .source
            .iter()
            .find_map(|item| Some(format!("{}:{}", clean(item.file.as_deref()?), item.line?))),
    );
    if answer.exact.is_some() || answer.runtime.is_some() {
        detail.push(format!("base {} ({})", answer.base, answer.base_provenance.name()));
    }
    let (label, href) = match &answer.place {
        Some(place) => (place_label(place), href(id, place, Some(answer))),
        None => (answer.engine.clone(), String::new()),
    };
    let label = format!("{label} [{}]", answer.provenance.name());
    let note = answer.reason.as_deref().map(clean).unwrap_or_default();
    LogLink { label, detail: detail.join(" · "), note, href }
}

/// Subgraph, engine, region, slot and IP.
fn place_label(place: &PlaceRef) -> String {
    let mut parts = vec![clean(&place.s), place.e.clone()];
    parts.extend(place.region.clone());
    parts.extend(place.image_slot.map(|slot| format!("slot {slot}")));
    parts.extend(place.neff_ip.map(|ip| format!("IP {ip}")));
    parts.join(" ")
}

/// The Code view at a place, under the base that it was found with.
fn href(id: &str, place: &PlaceRef, answer: Option<&LogPlace>) -> String {
    if id.is_empty() {
        return String::new();
    }
    let mut query = format!("s={}&e={}", percent(&place.s), percent(&place.e));
    if let Some(slot) = place.image_slot {
        query.push_str(&format!("&slot={slot}"));
    } else if let Some(ip) = place.neff_ip {
        query.push_str(&format!("&ip={ip}"));
    }
    if let Some(answer) = answer.filter(|answer| answer.base_provenance != Provenance::Modelled) {
        query.push_str(&format!("&profile={}&base={}", percent(&answer.profile), answer.base));
    }
    format!("/f/{}/code?{query}", percent(id))
}

/// A field of an `application/x-www-form-urlencoded` body; empty if it is not there.
fn field(body: &[u8], name: &str) -> String {
    let mut pairs = body.split(|byte| *byte == b'&');
    let value = pairs.find_map(|pair| pair.strip_prefix(name.as_bytes())?.strip_prefix(b"="));
    let mut bytes = value.unwrap_or_default().iter().copied();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte.unwrap_or(b'?')).to_digit(16);
                let pair = (digit(bytes.next()), digit(bytes.next()));
                match pair {
                    (Some(high), Some(low)) => u8::try_from(high * 16 + low).unwrap_or(b'?'),
                    _ => b'?',
                }
            }
            byte => byte,
        });
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read() {
        let body = b"file=abc&text=PE+pc%3D0x40%0D%0Anext+%C3%A4%zz%";
        assert_eq!(field(body, "file"), "abc");
        assert_eq!(field(body, "text"), "PE pc=0x40\r\nnext \u{e4}??");
        assert_eq!(field(body, "none"), "");
    }
}

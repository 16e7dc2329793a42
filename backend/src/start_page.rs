//! The start page: what is open on this server, and the ways to open more.

use crate::api::{App, blocking};
use crate::failure::Failure;
use crate::format::{binary_units, clean, thousands};
use crate::library::Listed;
use crate::log_form::{LogChoice, LogForm};
use crate::page_frame::{html, shell};
use crate::page_model::{FileRow, Shell, StartPage};
use crate::page_parts::{digest_text, target_text, worst_findings};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use debug_api::Request;
use debug_api::answer::{Answer, DumpAnswer, NtffAnswer};
use debug_api::names::labels;

/// Sessions of several files that are listed.
const MAX_SESSION_ROWS: usize = 32;

/// `GET /`: opened files and the two ways to open one.
pub async fn start(State(app): State<App>) -> Result<Response, Failure> {
    let mut listed = app.library.list_sessions(MAX_SESSION_ROWS);
    listed.extend(app.library.list());
    let rows = blocking(&app, move |_| {
        let row =
            |one: &Listed| FileRow { name: told_apart(names(one), one, &listed), ..file_row(one) };
        Ok(listed.iter().map(row).collect::<Vec<_>>())
    })
    .await?;
    let limit = app.library.limits().upload_bytes;
    let page = StartPage {
        shell: Shell {
            title: "neffscope".to_owned(),
            token: app.needs_token,
            ..shell("start", "", "")
        },
        files: rows,
        limit: format!("up to {}", binary_units(limit)),
        command: "neffscope serve FILE".to_owned(),
        problem: String::new(),
        log: log_form(&app, "", ""),
    };
    html(StatusCode::OK, &page)
}

/// The log box with what lines can be looked up in: sessions of several files, then executables. The
/// newest is chosen, or the one with an id.
pub fn log_form(app: &App, id: &str, text: &str) -> LogForm {
    let mut listed = app.library.list_sessions(MAX_SESSION_ROWS);
    listed.extend(app.library.list());
    listed.retain(|one| one.session.files().iter().any(|file| file.as_neff().is_some()));
    let mut files: Vec<LogChoice> = listed
        .iter()
        .map(|one| {
            let name = told_apart(names(one), one, &listed);
            LogChoice { id: one.id.clone(), name, on: one.id == id }
        })
        .collect();
    if id.is_empty()
        && text.is_empty()
        && let Some(first) = files.first_mut()
    {
        first.on = true;
    }
    // What the reader drops is dropped here too, so that reading the box again reads the same.
    let text = text.lines().map(debug_api::log::clean::clean).collect::<Vec<_>>().join("\n");
    LogForm { files, text }
}

/// The names of the files of a session.
fn names(listed: &Listed) -> String {
    let names = labels(listed.session.files());
    names.iter().map(|name| clean(name)).collect::<Vec<_>>().join(" + ")
}

/// A name in a list; with the beginning of the id, which is made of the content and which the address of
/// the views has, where another line of the list has the same name.
fn told_apart(name: String, one: &Listed, all: &[Listed]) -> String {
    let same = all.iter().filter(|other| other.id != one.id && names(other) == name).count();
    if same == 0 {
        return name;
    }
    let tag: String = one.id.chars().take(8).collect();
    format!("{name} ({tag})")
}

fn file_row(listed: &Listed) -> FileRow {
    let files = listed.session.files();
    let info = match listed.session.ask(&Request::Info { f: None, deep: false }) {
        Ok(Answer::Info(info)) => info,
        Ok(Answer::Ntff(ntff)) => return capture_row(listed, &ntff),
        Ok(Answer::Dump(dump)) => return dump_row(listed, &dump),
        _ => {
            // A runtime profile or source text: it is used with an executable and has no view.
            let mut kinds: Vec<&str> = files.iter().map(|file| file.kind().name()).collect();
            kinds.dedup();
            return FileRow {
                name: names(listed),
                kind: kinds.join(" + "),
                bytes: format!("{} B", thousands(files.iter().map(|file| file.bytes()).sum())),
                ..FileRow::default()
            };
        }
    };
    let (findings, worst) = worst_findings(&info.diagnostics);
    let kind = match files.len() {
        1 => info.file.kind.to_uppercase(),
        count => format!("{count} files"),
    };
    FileRow {
        name: names(listed),
        href: format!("/f/{}/regions", listed.id),
        kind,
        target: target_text(&info),
        holds: info.subgraphs.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(", "),
        bytes: format!("{} B", thousands(files.iter().map(|file| file.bytes()).sum())),
        slots: info.subgraphs.first().map_or_else(String::new, |subgraph| {
            let slots: Vec<_> = subgraph.engines.iter().map(|e| thousands(e.slots)).collect();
            slots.join(" · ")
        }),
        findings,
        worst,
        digest: digest_text(&info),
    }
}

fn dump_row(listed: &Listed, dump: &DumpAnswer) -> FileRow {
    let (findings, worst) = worst_findings(&dump.diagnostics);
    FileRow {
        name: clean(&dump.file),
        href: format!("/f/{}/structs", listed.id),
        kind: String::from("DUMP"),
        target: format!("{} ({})", dump.generation, dump.generation_provenance.name()),
        holds: format!("{} structs", thousands(dump.total)),
        bytes: format!("{} B", thousands(dump.file_bytes)),
        findings,
        worst,
        ..FileRow::default()
    }
}

fn capture_row(listed: &Listed, ntff: &NtffAnswer) -> FileRow {
    let (findings, worst) = worst_findings(&ntff.diagnostics);
    let slots = ntff.subgraphs.first().map(|core| {
        let slots: Vec<_> = core.images.iter().map(|image| thousands(image.bytes / 64)).collect();
        slots.join(" · ")
    });
    FileRow {
        name: clean(&ntff.file.name),
        href: format!("/f/{}/regions", listed.id),
        kind: ntff.file.kind.to_uppercase(),
        target: clean(&ntff.instance_type),
        holds: ntff.subgraphs.iter().map(|s| clean(&s.name)).collect::<Vec<_>>().join(", "),
        bytes: format!("{} B", thousands(ntff.file.bytes)),
        slots: slots.unwrap_or_default(),
        findings,
        worst,
        digest: String::new(),
    }
}

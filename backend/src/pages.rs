//! The server-rendered pages: a view of a session, the shell for a local file.
//!
//! Each page is whole without script; the application takes its place when it runs.

use crate::api::{App, blocking};
use crate::capture_page::{capture_page, dump_page, first_view_of, is_dump_alone};
use crate::collectives_page::{self, CollectivesPage};
use crate::failure::Failure;
use crate::format::{clean, percent, thousands};
use crate::listing::{self, ListingPage};
use crate::listing_structs;
use crate::memory_page::{self, MemoryPage};
use crate::page_frame::{VIEWS, html, rail, shell, view_title};
use crate::page_model::{
    Choice, Crumb, EngineRow, ErrorPage, FindingRow, Shell, StatusItem, ViewContent, ViewPage,
};
use crate::page_parts::{code_row, digest_text, finding_rows, region_cells, target_text};
use crate::run_page::{self, RunPage};
use crate::runs::{Runs, Wanted};
use crate::view_query::{ViewQuery, query_text, scope_of, tolerant};
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, RawQuery, State};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use debug_api::answer::{Answer, Finding, InfoAnswer, RegionsAnswer};
use debug_api::names::label;
use debug_api::{ApiError, Block, ColumnsRequest, ErrorKind, Request, Scope, Session};
use std::sync::Arc;

/// Rows of the code table in a page.
const PAGE_ROWS: u64 = 64;

/// `GET /f/{id}`: goes to the view that shows a file first, with what the address asks of it.
pub async fn first_view(
    State(app): State<App>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> Redirect {
    let view = app.library.session(&id).map_or("regions", |session| first_view_of(&session));
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Redirect::to(&format!("/f/{}/{view}{query}", percent(&id)))
}

/// `GET /f/{id}/{view}`: a view of an opened file.
pub async fn view(
    State(app): State<App>,
    Path((id, view)): Path<(String, String)>,
    query: Result<Query<ViewQuery>, QueryRejection>,
) -> Response {
    let Ok(Query(query)) = query else {
        return unreadable_address((&format!("/f/{id}/{view}"), "The view without these parts"));
    };
    let Some(known) = VIEWS.iter().find(|(path, ..)| *path == view) else {
        return no_such_view(&format!("/f/{id}"));
    };
    let Some(session) = app.library.session(&id) else {
        return error_page(
            StatusCode::NOT_FOUND,
            "session.unknown",
            "This file is not open on this server",
            "Open it again, from the start page or on the command line, and the same address works.",
        );
    };
    let key = known.0;
    let first = format!("/f/{}/regions", percent(&id));
    let response = if key == "memory" && !is_dump_alone(&session) {
        let page = blocking(&app, move |_| {
            tolerant(&query, |query, unread| memory_view(&id, &session, query, unread))
        })
        .await;
        page.and_then(|page| html(StatusCode::OK, &page))
    } else if key == "collectives" && has_program(&session) {
        let page = blocking(&app, move |_| {
            tolerant(&query, |query, unread| collectives_view(&id, &session, query, unread))
        })
        .await;
        page.and_then(|page| html(StatusCode::OK, &page))
    } else if key == "run" && has_program(&session) {
        let wanted = Wanted::default();
        let _guard = wanted.guard();
        let page = blocking(&app, move |library| {
            let run = (library.runs(), &wanted);
            tolerant(&query, |query, unread| run_view((&id, &session), run, query, unread))
        })
        .await;
        page.and_then(|page| html(StatusCode::OK, &page))
    } else if matches!(key, "bytes" | "structs") {
        let page = blocking(&app, move |_| {
            tolerant(&query, |query, unread| listing_page(&id, key, &session, query, unread))
        })
        .await;
        page.and_then(|page| html(StatusCode::OK, &page))
    } else {
        let page = blocking(&app, move |_| {
            tolerant(&query, |query, unread| view_page(&id, key, &session, query, unread))
        })
        .await;
        page.and_then(|page| html(StatusCode::OK, &page))
    };
    match response {
        Ok(response) => response,
        Err(failure) => {
            let message = failure.error.message.clone();
            let next = "Go back, or choose another place from the file's first page.";
            let link = (first.as_str(), "First page of the file");
            linked_error(failure.status, failure.error.code, (&message, next), link)
        }
    }
}

/// `GET /local/{view}`: the shell for a file that stays in the browser.
pub async fn local(Path(view): Path<String>) -> Response {
    let Some((key, ..)) = VIEWS.iter().find(|(path, ..)| *path == view) else {
        return no_such_view("/local");
    };
    let mut shell = shell("local", "", key);
    shell.title = "neffscope: a file in this browser".to_owned();
    shell.rail = rail("/local", key, "");
    let page = ViewPage { shell, content: None };
    html(StatusCode::OK, &page).unwrap_or_else(IntoResponse::into_response)
}

/// Any other address.
pub async fn not_found() -> Response {
    error_page(
        StatusCode::NOT_FOUND,
        "page.unknown",
        "There is nothing at this address",
        "The start page lists the opened files.",
    )
}

/// A route with another method: a page for a page, else the document of the error.
pub async fn wrong_method(uri: Uri) -> Response {
    let message = "this address does not take that method";
    let (status, code) = (StatusCode::METHOD_NOT_ALLOWED, "request.method");
    if uri.path().starts_with("/api/") || uri.path() == "/healthz" {
        return Failure::new(status, code, message).into_response();
    }
    let next = "Open it as a link, or go on from the start page.";
    error_page(status, code, "This address does not take that method", next)
}

/// A page that says why there is none.
pub fn error_page(status: StatusCode, code: &str, message: &str, next: &str) -> Response {
    linked_error(status, code, (message, next), ("", ""))
}

/// An address whose query cannot be read, with the same place without it.
pub fn unreadable_address(link: (&str, &str)) -> Response {
    let message = "This address cannot be read";
    let next = "A part of it occurs twice or is no text: take it out, or go on without.";
    linked_error(StatusCode::BAD_REQUEST, "request.invalid", (message, next), link)
}

fn no_such_view(base: &str) -> Response {
    let names: Vec<&str> = VIEWS.iter().map(|(path, ..)| *path).collect();
    let next = format!("The views are {}.", names.join(", "));
    let link = format!("{base}/regions");
    let said = ("There is no such view", next.as_str());
    linked_error(StatusCode::NOT_FOUND, "page.unknown", said, (&link, "The first view"))
}

/// A page that says why there is none, what to do, and where that is.
fn linked_error(
    status: StatusCode,
    code: &str,
    (message, next): (&str, &str),
    (link, link_text): (&str, &str),
) -> Response {
    let page = ErrorPage {
        link: link.to_owned(),
        link_text: link_text.to_owned(),
        shell: Shell { title: format!("neffscope: {message}"), ..shell("start", "", "") },
        status: status.as_u16(),
        code: code.to_owned(),
        message: message.to_owned(),
        place: String::new(),
        next: next.to_owned(),
    };
    html(status, &page).unwrap_or_else(IntoResponse::into_response)
}

/// What a session is called: by its first executable, else by its first file.
fn session_name(session: &Session) -> String {
    let files = session.files();
    let at = files.iter().position(|file| file.as_neff().is_some());
    clean(&label(files, at.unwrap_or(0)))
}

/// Whether a session has an executable with a program.
fn has_program(session: &Session) -> bool {
    match session.ask(&Request::Info { f: None, deep: false }) {
        Ok(Answer::Info(info)) => !info.subgraphs.is_empty(),
        _ => false,
    }
}

/// The Collectives view.
fn collectives_view(
    id: &str,
    session: &Session,
    query: &ViewQuery,
    unread: Vec<FindingRow>,
) -> Result<CollectivesPage, ApiError> {
    let mut plan = collectives_page::content(session, &scope_of(query), query)?;
    plan.findings.splice(0..0, unread);
    let mut shell = shell("view", id, "collectives");
    let name = session_name(session);
    shell.title = view_title(id, &name, "collectives");
    shell.crumbs.push(Crumb { label: name, href: format!("/f/{id}/collectives") });
    shell.crumbs.push(Crumb { label: "Collectives".to_owned(), href: String::new() });
    shell.rail = rail(&format!("/f/{id}"), "collectives", &query_text(query, None, None));
    Ok(CollectivesPage { shell, plan })
}

/// The Run view.
fn run_view(
    (id, session): (&str, &Session),
    run: (&Runs, &Wanted),
    query: &ViewQuery,
    unread: Vec<FindingRow>,
) -> Result<RunPage, ApiError> {
    let mut run = run_page::content((id, session), run, &scope_of(query), query)?;
    run.findings.splice(0..0, unread);
    let mut shell = shell("view", id, "run");
    let name = session_name(session);
    shell.title = format!("{name} · run · neffscope");
    shell.crumbs.push(Crumb { label: name, href: format!("/f/{id}/run") });
    shell.crumbs.push(Crumb { label: "Run".to_owned(), href: String::new() });
    shell.rail = rail(&format!("/f/{id}"), "run", &query_text(query, None, None));
    Ok(RunPage { shell, run })
}

/// The Memory view.
fn memory_view(
    id: &str,
    session: &Session,
    query: &ViewQuery,
    unread: Vec<FindingRow>,
) -> Result<MemoryPage, ApiError> {
    let mut memory = memory_page::content(session, &scope_of(query), query)?;
    memory.findings.splice(0..0, unread);
    memory.link = format!("/f/{}/memory", percent(id));
    let mut shell = shell("view", id, "memory");
    let name = session_name(session);
    shell.title = view_title(id, &name, "memory");
    shell.crumbs.push(Crumb { label: name, href: format!("/f/{id}/memory") });
    shell.crumbs.push(Crumb { label: memory.title.clone(), href: String::new() });
    shell.rail = rail(&format!("/f/{id}"), "memory", &query_text(query, None, None));
    Ok(MemoryPage { shell, memory })
}

/// The Structs and Bytes views.
fn listing_page(
    id: &str,
    view: &str,
    session: &Arc<Session>,
    query: &ViewQuery,
    unread: Vec<FindingRow>,
) -> Result<ListingPage, ApiError> {
    let scope = scope_of(query);
    let mut listing = match view {
        "structs" => listing_structs::structs(id, session, &scope, query)?,
        _ => listing::bytes(id, session, &scope, query)?,
    };
    listing.findings.splice(0..0, unread);
    let mut shell = shell("view", id, view);
    shell.alone = session.files().iter().all(|file| file.as_neff().is_none());
    let name = session_name(session);
    shell.title = view_title(id, &name, view);
    shell.crumbs.push(Crumb { label: name, href: format!("/f/{id}/{view}") });
    shell.crumbs.push(Crumb { label: listing.title.clone(), href: String::new() });
    shell.rail = rail(&format!("/f/{id}"), view, &query_text(query, None, None));
    Ok(ListingPage { shell, listing })
}

fn view_page(
    id: &str,
    view: &str,
    session: &Arc<Session>,
    query: &ViewQuery,
    unread: Vec<FindingRow>,
) -> Result<ViewPage, ApiError> {
    let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<u32>().ok());
    let scope = scope_of(query);
    let info = match session.ask(&Request::Info { f: None, deep: true })? {
        Answer::Info(info) => info,
        Answer::Ntff(ntff) => return Ok(capture_page(id, view, &ntff)),
        Answer::Dump(dump) => return Ok(dump_page(id, view, &dump)),
        _ => {
            return Err(ApiError::new(
                ErrorKind::NotFound,
                "file.no-neff",
                "no executable is open here: profiles and source text are used beside a NEFF",
            ));
        }
    };
    let mut shell = shell("view", id, view);
    shell.title = view_title(id, &clean(&info.file.name), view);
    shell.crumbs.push(Crumb { label: clean(&info.file.name), href: format!("/f/{id}/{view}") });
    shell.status.insert(0, StatusItem { text: target_text(&info), class: String::new() });
    shell.status.insert(
        1,
        StatusItem {
            text: digest_text(&info),
            class: if info.digest.verdict == "match" { "ok" } else { "" }.to_owned(),
        },
    );
    shell.rail = rail(&format!("/f/{id}"), view, &query_text(query, None, None));
    if info.subgraphs.is_empty() {
        let content = ViewContent {
            file: info.file.name.clone(),
            summary: "No subgraph could be read from this file; its findings say why.".to_owned(),
            provenance: "file".to_owned(),
            findings: finding_rows(&info.diagnostics, &[]),
            ..ViewContent::default()
        };
        return Ok(ViewPage { shell, content: Some(content) });
    }
    let Answer::Regions(regions) = session.ask(&Request::Regions { scope: scope.clone() })? else {
        return Ok(ViewPage::default());
    };
    // A place that this image does not have is told on the page, which shows the rest.
    let (place, absent) = match selected(session, &scope, query) {
        Ok(place) => (place, None),
        Err(error) => (None, Some(error)),
    };
    let rows = regions.engines.iter().find(|row| Some(row.engine.as_str()) == query.e.as_deref());
    let last = rows.or(regions.engines.first()).map_or(0, |row| row.rows.saturating_sub(1));
    let from = match number(&query.from) {
        Some(from) => u64::from(from).min(last),
        None => place.map_or(0, |row| row.saturating_sub(PAGE_ROWS / 4)),
    };
    let request = ColumnsRequest {
        what: "code".to_owned(),
        scope: scope.clone(),
        from,
        count: u32::try_from(PAGE_ROWS).unwrap_or(u32::MAX),
        ..ColumnsRequest::default()
    };
    let block = Block::decode(&session.columns(&request)?)
        .map_err(|error| ApiError::bad_request(error.to_string()))?;
    let engine = query.e.as_deref().unwrap_or("PE").to_uppercase();
    for label in [&regions.subgraph, &engine] {
        shell.crumbs.push(Crumb { label: label.clone(), href: String::new() });
    }
    let mut content = view_content(id, view, query, &info, &regions, &block, &engine, place);
    content.findings.splice(0..0, unread);
    if let Some(error) = absent {
        let finding = Finding {
            code: error.code.to_owned(),
            severity: "error".to_owned(),
            message: error.message,
            at: *error.at,
        };
        content.findings.splice(0..0, finding_rows(&[finding], &[]));
    }
    Ok(ViewPage { shell, content: Some(content) })
}

/// The display row of the selected place, if the address names one.
fn selected(session: &Session, scope: &Scope, query: &ViewQuery) -> Result<Option<u64>, ApiError> {
    let scope = scope.clone();
    let slot = query.slot.as_deref().and_then(|text| text.parse().ok());
    let ip = query.ip.as_deref().and_then(|text| text.parse().ok());
    let answer = match (&query.pc, slot, ip) {
        (Some(pc), ..) => session.ask(&Request::Pc { scope, pc: pc.clone() })?,
        (None, None, None) => return Ok(None),
        (None, slot, ip) => session.ask(&Request::Slot { scope, slot, ip })?,
    };
    Ok(match answer {
        Answer::Pc(pc) => pc.place.and_then(|place| place.row),
        Answer::Slot(slot) => slot.place.row,
        _ => None,
    })
}

#[expect(clippy::too_many_arguments, reason = "one call site; a struct would only rename them")]
fn view_content(
    id: &str,
    view: &str,
    query: &ViewQuery,
    info: &InfoAnswer,
    regions: &RegionsAnswer,
    block: &Block,
    engine: &str,
    selected: Option<u64>,
) -> ViewContent {
    let link = |engine: Option<&str>, more: Option<(&str, String)>| {
        format!("/f/{id}/{view}{}", query_text(query, engine, more))
    };
    let page = |from: u64| link(None, Some(("from", from.to_string()))) + "#code";
    let end = block.from + u64::from(block.rows);
    ViewContent {
        alone: String::new(),
        captured: Vec::new(),
        file: clean(&info.file.name),
        summary: format!(
            "{} B, target {}, profile {}, core {}",
            thousands(info.file.bytes),
            target_text(info),
            regions.profile,
            regions.core
        ),
        subgraphs: regions
            .subgraphs
            .iter()
            .map(|name| Choice {
                label: name.clone(),
                href: format!("/f/{id}/{view}?s={}&e={engine}", percent(name)),
                on: *name == regions.subgraph,
            })
            .collect(),
        provenance: regions.provenance.name().to_owned(),
        notes: regions
            .engines
            .iter()
            .find(|row| row.engine == engine)
            .map(|row| row.notes.clone())
            .unwrap_or_default(),
        findings: finding_rows(&info.diagnostics, &regions.diagnostics),
        engines: regions
            .engines
            .iter()
            .map(|row| {
                let count = |kind: &str| {
                    let rows = row.patches.iter().filter(|patch| patch.kind == kind).count();
                    thousands(rows as u64)
                };
                EngineRow {
                    engine: row.engine.clone(),
                    href: link(Some(&row.engine), None) + "#code",
                    on: row.engine == engine,
                    neff_slots: thousands(row.neff_slots),
                    image_slots: thousands(row.image_slots),
                    bytes: thousands(row.bytes),
                    regions: region_cells(row),
                    inserts: count("INSERT"),
                    deletes: count("DELETE"),
                    modifies: count("MODIFY"),
                }
            })
            .collect(),
        engine: engine.to_owned(),
        rows: (0..usize::try_from(block.rows).unwrap_or(0))
            .map(|row| code_row(block, row, selected, &link))
            .collect(),
        empty: "The image of this engine has no slots.".to_owned(),
        range: format!(
            "rows {}–{} of {}",
            block.from,
            end.saturating_sub(1),
            thousands(block.total)
        ),
        previous: if block.from > 0 {
            page(block.from.saturating_sub(PAGE_ROWS))
        } else {
            String::new()
        },
        next: if end < block.total { page(end) } else { String::new() },
    }
}

//! The frame of every page: its headers, its rail of views, its title.

use crate::assets;
use crate::failure::Failure;
use crate::page_model::{Crumb, RailItem, Shell, StatusItem};
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;

/// Views that exist, in rail order: path, label, key.
pub const VIEWS: [(&str, &str, &str); 8] = [
    ("regions", "Regions", "1"),
    ("code", "Code", "2"),
    ("bytes", "Bytes", "3"),
    ("memory", "Memory", "4"),
    ("collectives", "Collect.", "5"),
    ("timeline", "Timeline", "6"),
    ("structs", "Structs", "7"),
    ("run", "Run", "8"),
];

/// A rendered page with its headers. Whatever its text came from, a file, a log or an address, no
/// control or bidirectional character is left in it.
pub fn html(status: StatusCode, page: &impl Template) -> Result<Response, Failure> {
    let body = page.render().map_err(Failure::internal)?;
    let body = match debug_api::plain::printable_lines(&body) {
        Cow::Borrowed(_) => body,
        Cow::Owned(cleaned) => cleaned,
    };
    let mut response = (status, body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// The frame of a page.
pub fn shell(page: &str, session: &str, view: &str) -> Shell {
    let asset = |path: &str| format!("/static/{path}?v={}", assets::version());
    Shell {
        title: "neffscope".to_owned(),
        page: page.to_owned(),
        view: view.to_owned(),
        session: session.to_owned(),
        version: assets::version().to_owned(),
        bundle: assets::has_bundle(),
        alone: false,
        token: false,
        theme: asset("theme.js"),
        styles: vec![asset(assets::STYLE)],
        boot: asset("boot.js"),
        crumbs: vec![Crumb { label: "neffscope".to_owned(), href: "/".to_owned() }],
        rail: Vec::new(),
        status: vec![StatusItem {
            text: format!("neffscope {}", env!("CARGO_PKG_VERSION")),
            class: String::new(),
        }],
        unused: Vec::new(),
    }
}

pub fn rail(root: &str, on: &str, query: &str) -> Vec<RailItem> {
    VIEWS
        .iter()
        .map(|(view, label, key)| RailItem {
            view: (*view).to_owned(),
            label: (*label).to_owned(),
            key: (*key).to_owned(),
            href: format!("{root}/{view}{query}"),
            on: *view == on,
        })
        .collect()
}

/// Title of a view: the beginning of the id, which is made of the content, tells files of one name
/// apart.
pub fn view_title(id: &str, name: &str, view: &str) -> String {
    let tag: String = id.chars().take(8).collect();
    format!("{name} ({tag}) · {view} · neffscope")
}

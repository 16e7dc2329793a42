//! Files that the pages load, embedded in the binary: stylesheets, scripts, the wasm bundle.

use axum::extract::{Path, Query};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Everything under `static/`, the built `pkg/` included when it was there at compile time.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../static"]
struct Assets;

/// Style sheets in the order in which they build on each other. They are served as one.
pub const STYLES: [&str; 15] = [
    "tokens.css",
    "base.css",
    "frame.css",
    "parts.css",
    "regions.css",
    "code.css",
    "source.css",
    "start.css",
    "log.css",
    "structs.css",
    "memory.css",
    "collectives.css",
    "timeline.css",
    "run.css",
    "responsive.css",
];

/// Name under which all style sheets are served together.
pub const STYLE: &str = "app.css";

/// Modules of the browser bundle: the application, and the one that its worker loads.
const WASM: [&str; 2] = ["pkg/frontend_wasm_bg.wasm", "pkg/worker_wasm_bg.wasm"];

/// Whether the browser bundle is part of this binary.
pub fn has_bundle() -> bool {
    WASM.iter().all(|name| Assets::get(name).is_some())
}

/// A short hash over all assets: the version that pages put into asset addresses.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| {
        let mut hasher = blake3::Hasher::new();
        let mut names: Vec<_> = Assets::iter().collect();
        names.sort();
        for name in names {
            hasher.update(name.as_bytes());
            if let Some(file) = Assets::get(&name) {
                hasher.update(&file.metadata.sha256_hash());
            }
        }
        hasher.finalize().to_hex()[..12].to_owned()
    })
}

/// `GET /static/{path}`: an asset, from its packed twin where the client takes one. With the right
/// `?v=` it may be kept for ever, else it is checked again.
pub async fn serve(
    Path(path): Path<String>,
    Query(query): Query<BTreeMap<String, String>>,
    headers: HeaderMap,
) -> Response {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let twin = accepted
        .into_iter()
        .flat_map(encodings)
        .find_map(|(name, extension)| Some((name, Assets::get(&format!("{path}.{extension}"))?)));
    let (encoding, file) = match twin {
        Some((name, file)) => (Some(name), Some(file)),
        None => (None, Assets::get(&path)),
    };
    let data = match file {
        Some(file) => file.data.into_owned(),
        None if path == STYLE => style(),
        None => return (StatusCode::NOT_FOUND, "no such asset").into_response(),
    };
    let kept = query.get("v").is_some_and(|v| v == version());
    let mut response = data.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(&path)));
    let cache = if kept { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Some(encoding) = encoding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Encodings of the twins, the smaller one first: name, and what the file's name ends with.
const ENCODINGS: [(&str, &str); 2] = [("br", "br"), ("gzip", "gz")];

/// The encodings that an `Accept-Encoding` takes: named, or meant by `*`, with a weight above zero.
/// The name itself outweighs the star. Of two with the same weight the smaller one comes first.
fn encodings(value: &str) -> Vec<(&'static str, &'static str)> {
    let weight = |name: &str| {
        value.split(',').find_map(|part| {
            let mut words = part.split(';').map(str::trim);
            if !words.next()?.eq_ignore_ascii_case(name) {
                return None;
            }
            let weight =
                words.find_map(|word| word.strip_prefix(['q', 'Q'])?.trim().strip_prefix('='));
            Some(weight.map_or(1.0, |text| text.trim().parse::<f32>().unwrap_or(0.0)))
        })
    };
    let mut taken: Vec<_> = ENCODINGS
        .into_iter()
        .filter_map(|one| Some((weight(one.0).or_else(|| weight("*"))?, one)))
        .filter(|(weight, _)| *weight > 0.0)
        .collect();
    taken.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    taken.into_iter().map(|(_, one)| one).collect()
}

/// All style sheets in one, so that a page asks once.
fn style() -> Vec<u8> {
    STYLES.iter().filter_map(|name| Assets::get(name)).fold(Vec::new(), |mut all, file| {
        all.extend_from_slice(&file.data);
        all.push(b'\n');
        all
    })
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("css") => "text/css; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(value: &str) -> Vec<&'static str> {
        encodings(value).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn encodings_are_those_that_are_taken_the_smaller_first() {
        for gzip in ["gzip", "GZIP;q=0.5", "gzip ; q=1", "br;q=0, *;q=0.1", "br;q=x, gzip"] {
            assert_eq!(names(gzip), ["gzip"], "{gzip}");
        }
        for both in ["gzip, deflate, br, zstd", "br, gzip", "*", "gzip;q=0.5, br;q=0.5"] {
            assert_eq!(names(both), ["br", "gzip"], "{both}");
        }
        assert_eq!(names("gzip, br;q=0.5"), ["gzip", "br"]);
        assert_eq!(names("br"), ["br"]);
        for none in ["", "gzip;q=0", "gzip; q=0.000", "*;q=0", "gzipped", "gzip;q=x", "deflate"] {
            assert!(names(none).is_empty(), "{none}");
        }
        assert_eq!(names("gzip;q=0, *"), ["br"]);
    }
}

//! Who may talk to the server: host and origin checks, upload token, security headers.
//!
//! Loopback is no trust boundary: a page from elsewhere can reach it through DNS rebinding or a
//! cross-site form, so `Host` and `Origin` are checked before a body is read.

use crate::failure::Failure;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Content-Security-Policy of every response.
pub const CSP: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' blob:; font-src 'self'; connect-src 'self'; \
    worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// What the guard lets through.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Host names allowed beside `localhost` and loopback addresses; `*` allows all.
    pub hosts: Vec<String>,
    /// Token that writes must bear.
    pub token: Option<String>,
}

impl Policy {
    fn allows_host(&self, host: &str) -> bool {
        let Some(name) = host_name(host) else { return false };
        let loopback = name.eq_ignore_ascii_case("localhost")
            || name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
        loopback
            || self.hosts.iter().any(|allowed| allowed == "*" || name.eq_ignore_ascii_case(allowed))
    }
}

/// Checks host, origin and token, then adds the security headers.
pub async fn guard(
    State(policy): State<Arc<Policy>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let mut response = match check(&policy, &request) {
        Ok(()) => next.run(request).await,
        Err(failure) => failure.into_response(),
    };
    add_headers(response.headers_mut());
    response
}

fn check(policy: &Policy, request: &Request<Body>) -> Result<(), Failure> {
    let headers = request.headers();
    let single = headers.get_all(header::HOST).iter().count() <= 1;
    let host = text(headers, header::HOST)
        .or_else(|| request.uri().authority().map(|authority| authority.as_str()))
        .unwrap_or("");
    if !single || !policy.allows_host(host) {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            "request.foreign-host",
            "this server does not answer under that host name; start it with --allow-host NAME",
        ));
    }
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let cross_site =
        text(headers, "sec-fetch-site").is_some_and(|site| !matches!(site, "same-origin" | "none"));
    let foreign = headers.get(header::ORIGIN).is_some_and(|origin| {
        let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        origin.is_none_or(|(scheme, rest)| !matches!(scheme, "http" | "https") || rest != host)
    });
    if cross_site || foreign {
        return Err(Failure::new(
            StatusCode::FORBIDDEN,
            "request.foreign-origin",
            "writes are taken from this server's own pages only",
        ));
    }
    let Some(token) = &policy.token else { return Ok(()) };
    let given =
        text(headers, header::AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
    if given.is_some_and(|given| same(given.as_bytes(), token.as_bytes())) {
        return Ok(());
    }
    let path = request.uri().path();
    if path.ends_with("/ask") || path.contains("/runs") || path == "/log" {
        // A question changes nothing; the unguessable session id is its permission.
        return Ok(());
    }
    Err(Failure::new(
        StatusCode::UNAUTHORIZED,
        "request.token",
        "this server takes files only with its token, as `Authorization: Bearer TOKEN`",
    ))
}

/// Compares without telling by its time where two texts differ.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0_u8, |acc, (x, y)| acc | (x ^ y)) == 0
}

fn add_headers(headers: &mut HeaderMap) {
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers
        .insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin-allow-popups"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
}

fn text(headers: &HeaderMap, name: impl header::AsHeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The host without its port; brackets of an IPv6 address are dropped. `None` for anything that is
/// not just a host and a port.
fn host_name(host: &str) -> Option<&str> {
    let (name, rest) = match host.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => host.find(':').map_or((host, ""), |at| host.split_at(at)),
    };
    let port = rest.strip_prefix(':').unwrap_or(rest);
    let plain = port.bytes().all(|byte| byte.is_ascii_digit()) && !name.contains('@');
    (plain && (rest.is_empty() || rest.starts_with(':'))).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_hosts_are_answered() {
        let policy = Policy { hosts: vec!["viewer.lan".to_owned()], token: None };
        for host in ["localhost:8080", "127.0.0.1", "[::1]:9", "127.8.8.8:1", "Viewer.LAN:443"] {
            assert!(policy.allows_host(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "10.0.0.1:80",
            "[::2]",
            "[::1]evil.com",
            "127.0.0.1:80@evil",
        ] {
            assert!(!policy.allows_host(host), "{host}");
        }
    }

    #[test]
    fn tokens_compare_whole() {
        assert!(same(b"abc", b"abc"));
        assert!(!same(b"abc", b"abd"));
        assert!(!same(b"abc", b"abcd"));
    }
}

//! The one function that builds the whole server: every route with its layers.

use crate::api::{self, App};
use crate::guard::{Policy, guard};
use crate::{
    assets, export, log_page, pages, run_api, scratchpad_page, spad_page, start_page, tsync_page,
};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{delete, get, post};
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{NotForContentType, Predicate, SizeAbove};
use tower_http::trace::TraceLayer;

/// The server's routes. Bodies are limited where they are read, while they stream.
pub fn router(app: App, policy: Policy) -> Router {
    let compress = SizeAbove::new(1_024).and(NotForContentType::IMAGES).and(NotForContentType::SSE);
    Router::new()
        .route("/", get(start_page::start))
        .route("/f/{id}", get(pages::first_view))
        .route("/f/{id}/{view}", get(pages::view))
        .route("/local/{view}", get(pages::local))
        .route("/log", get(log_page::form).post(log_page::read))
        .route("/scratchpad", get(scratchpad_page::page))
        .route("/tsync", get(tsync_page::page))
        .route("/spad-ctrl", get(spad_page::page))
        .route("/static/{*path}", get(assets::serve))
        .route("/api/v1/files", post(api::upload))
        .route("/api/v1/token", post(api::token))
        .route("/api/v1/sessions", post(api::new_session))
        .route("/api/v1/sessions/{id}/ask", post(api::ask))
        .route("/api/v1/sessions/{id}/runs", post(run_api::start))
        .route("/api/v1/sessions/{id}/runs/{run}/events", get(run_api::events))
        .route("/api/v1/sessions/{id}/runs/{run}", delete(run_api::cancel))
        .route("/api/v1/sessions/{id}/columns", get(api::columns))
        .route("/api/v1/sessions/{id}/export/{format}", get(export::export))
        .route("/healthz", get(api::healthz))
        .route("/api/{*rest}", axum::routing::any(api::not_found))
        .method_not_allowed_fallback(pages::wrong_method)
        .fallback(pages::not_found)
        .layer(DefaultBodyLimit::disable())
        .layer(CompressionLayer::new().compress_when(compress))
        .layer(from_fn_with_state(Arc::new(policy), guard))
        .layer(CatchPanicLayer::new())
        .layer(TraceLayer::new_for_http())
        .with_state(app)
}

//! Errors on their way to a client: status, code and JSON body.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use debug_api::{ApiError, ErrorKind};

/// An error that a handler returns.
#[derive(Debug)]
pub struct Failure {
    /// HTTP status.
    pub status: StatusCode,
    /// Code, message and place.
    pub error: ApiError,
}

impl Failure {
    /// An error that is not one of `debug_api`.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, error: ApiError::new(ErrorKind::BadRequest, code, message) }
    }

    /// 404 for an id that no session has.
    pub fn unknown_session(id: &str) -> Self {
        let shown: String = id.chars().take(64).collect();
        Self::new(
            StatusCode::NOT_FOUND,
            "session.unknown",
            format!(
                "no file or session `{shown}` is open on this server; open the file again and the \
                 same address works"
            ),
        )
    }

    /// 500: our own fault. The detail is logged once and not sent.
    pub fn internal(detail: impl std::fmt::Display) -> Self {
        tracing::error!(%detail, "internal error");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "server.internal",
            "the server failed on this request; its log has the detail",
        )
    }
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        let status = match error.kind {
            ErrorKind::BadRequest => StatusCode::BAD_REQUEST,
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorKind::UnknownKind => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorKind::Undecodable => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self { status, error }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        json_response(self.status, self.error.to_json())
    }
}

/// A JSON body that is already text.
pub fn json_response(status: StatusCode, body: String) -> Response {
    let mut response = (status, body).into_response();
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

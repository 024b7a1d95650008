//! Errors over HTTP: `application/problem+json` (RFC 9457).
//!
//! ```text
//! HTTP/1.1 401 Unauthorized
//! content-type: application/problem+json
//!
//! {"type":"about:blank","title":"Unauthorized","status":401,"code":"UNAUTHENTICATED","detail":"this needs …"}
//! ```

use crate::api::error::ApiError;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde_json::{Map, Value, json};
use tonic::Code;

/// The media type of problems.
pub const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The status for a code of gRPC: the one place where errors become statuses of HTTP.
#[must_use]
pub fn status_of(code: Code) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted | Code::FailedPrecondition => StatusCode::CONFLICT,
        Code::OutOfRange => StatusCode::RANGE_NOT_SATISFIABLE,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::NOT_IMPLEMENTED,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::Cancelled | Code::Unknown | Code::Internal | Code::DataLoss => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

/// An error as HTTP says it. `code` is the reason that gRPC has in its `ErrorInfo`; what is more for programs has a
/// member of its own, such as `oldest_sequence`.
#[must_use]
pub fn problem(error: &ApiError) -> (StatusCode, Value) {
    let status = status_of(error.code());
    let mut members = Map::new();
    for (name, value) in error.metadata() {
        members.insert((*name).to_owned(), value.clone().into());
    }
    members.insert("type".to_owned(), "about:blank".into());
    members.insert("title".to_owned(), status.canonical_reason().unwrap_or("Error").into());
    members.insert("status".to_owned(), status.as_u16().into());
    members.insert("code".to_owned(), error.reason().into());
    members.insert("detail".to_owned(), error.to_string().into());
    if !error.violations().is_empty() {
        let fields = error
            .violations()
            .iter()
            .map(|wrong| json!({ "field": wrong.field, "description": wrong.description }));
        members.insert("fields".to_owned(), fields.collect());
    }
    (status, Value::Object(members))
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let (status, body) = problem(&self);
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, PROBLEM);
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(retry) = self.retry() {
            headers.insert(RETRY_AFTER, HeaderValue::from(retry.as_secs().max(1)));
        }
        response
    }
}

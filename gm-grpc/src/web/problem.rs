//! Errors over HTTP: `application/problem+json` (RFC 9457).
//!
//! ```text
//! HTTP/1.1 401 Unauthorized
//! content-type: application/problem+json
//!
//! {"type":"about:blank","title":"Unauthorized","status":401,"code":"UNAUTHENTICATED","detail":"this needs …"}
//! ```

use super::body::{MOST_BODY, PATIENCE};
use crate::api::error::ApiError;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde_json::{Map, Value, json};
use tonic::Code;

/// The media type of problems.
pub const PROBLEM: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Why a request over HTTP was not done.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// What the API says of it, whoever asks.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(String),
    /// The body does not say that it is JSON.
    #[error("the body must be JSON, and say so: send `content-type: application/json`")]
    OtherMediaType,
    /// The body is too large.
    #[error("the body is larger than {MOST_BODY} bytes, and no more is read")]
    TooLarge,
    /// The body did not come in time.
    #[error("the body did not come within {} s", PATIENCE.as_secs())]
    TooSlow,
    /// The body broke off.
    #[error("the body broke off: it is shorter than it was announced")]
    BrokenOff,
    /// The answer can't be had in any form that was asked for.
    #[error("there is no answer in a form that `accept` allows: {0}")]
    NotAcceptable(&'static str),
    /// Another method than those that there are.
    #[error("{0} is not a method of this path: the header `allow` says which are")]
    OtherMethod(String),
    /// Not any more: it is shut down.
    #[error("draining: the game master is shutting down")]
    Draining,
}

/// The status for an error and its code for programs: the one place where errors become statuses of HTTP.
#[must_use]
pub fn status_of(error: &HttpError) -> (StatusCode, &str) {
    match error {
        HttpError::Api(error) => (status_of_code(error.code()), error.reason()),
        HttpError::NotJson(_) => (StatusCode::BAD_REQUEST, "NOT_JSON"),
        HttpError::OtherMediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "OTHER_MEDIA_TYPE"),
        HttpError::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE"),
        HttpError::TooSlow => (StatusCode::REQUEST_TIMEOUT, "TOO_SLOW"),
        HttpError::BrokenOff => (StatusCode::BAD_REQUEST, "BROKEN_OFF"),
        HttpError::NotAcceptable(_) => (StatusCode::NOT_ACCEPTABLE, "NOT_ACCEPTABLE"),
        HttpError::OtherMethod(_) => (StatusCode::METHOD_NOT_ALLOWED, "OTHER_METHOD"),
        HttpError::Draining => (StatusCode::SERVICE_UNAVAILABLE, "DRAINING"),
    }
}

fn status_of_code(code: Code) -> StatusCode {
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
pub fn problem(error: &HttpError) -> (StatusCode, Value) {
    let (status, code) = status_of(error);
    let mut members = Map::new();
    if let HttpError::Api(error) = error {
        for (name, value) in error.metadata() {
            members.insert((*name).to_owned(), value.clone().into());
        }
        if !error.violations().is_empty() {
            let fields = error
                .violations()
                .iter()
                .map(|wrong| json!({ "field": wrong.field, "description": wrong.description }));
            members.insert("fields".to_owned(), fields.collect());
        }
    }
    members.insert("type".to_owned(), "about:blank".into());
    members.insert("title".to_owned(), status.canonical_reason().unwrap_or("Error").into());
    members.insert("status".to_owned(), status.as_u16().into());
    members.insert("code".to_owned(), code.into());
    members.insert("detail".to_owned(), error.to_string().into());
    (status, Value::Object(members))
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let (status, body) = problem(&self);
        let mut response = Response::new(Body::from(body.to_string()));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, PROBLEM);
        match self {
            HttpError::Api(error) => {
                if status == StatusCode::UNAUTHORIZED {
                    headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
                }
                if let Some(retry) = error.retry() {
                    headers.insert(RETRY_AFTER, HeaderValue::from(retry.as_secs().max(1)));
                }
            }
            // What was not read of the body is not the next request.
            HttpError::TooLarge | HttpError::TooSlow => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            HttpError::NotJson(_)
            | HttpError::OtherMediaType
            | HttpError::BrokenOff
            | HttpError::NotAcceptable(_)
            | HttpError::OtherMethod(_)
            | HttpError::Draining => {}
        }
        response
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        HttpError::Api(self).into_response()
    }
}

/// What a problem looks like, for the document of the API.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "description": "An error (RFC 9457). What is more for programs has a member of its own: `last_sequence`, for \
                        instance, where `after` is beyond it.",
        "required": ["type", "title", "status", "code", "detail"],
        "properties": {
            "type": { "type": "string", "description": "Always `about:blank`: `code` says what it is." },
            "title": { "type": "string", "description": "The words of the status." },
            "status": { "type": "integer", "description": "The status, 400 to 599." },
            "code": { "type": "string", "description": "For programs, in capitals: `RACE_NOT_FOUND`. The same that gRPC has as a reason." },
            "detail": { "type": "string", "description": "For people: what is wrong, and what to do." },
            "fields": {
                "type": "array",
                "description": "Every field, parameter and header that is wrong, with code `INVALID_FIELDS`.",
                "items": {
                    "type": "object",
                    "required": ["field", "description"],
                    "properties": {
                        "field": { "type": "string", "description": "Its name." },
                        "description": { "type": "string", "description": "What it must be." },
                    },
                },
            },
        },
    })
}

//! The HTTP API for teams and spectators (CONTRACT G): the same functions as the gRPC services, in JSON.
//!
//! - [`problem`]: errors, as `application/problem+json`.

pub mod problem;

use crate::api::Api;
use crate::api::error::ApiError;
use crate::serve::Settings;
use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::request::Parts;
use tonic::Status;

/// Everything that is served over plain HTTP.
pub fn router(_api: &Api, _settings: &Settings) -> Router {
    Router::new().route("/healthz", get(|| async { "ok\n" }))
}

/// What is asked for is not there, in the words of who asks.
pub async fn no_such_thing(request: Parts) -> Response {
    let is_grpc = request
        .headers
        .get(http::header::CONTENT_TYPE)
        .is_some_and(|media_type| media_type.as_bytes().starts_with(b"application/grpc"));
    let path = request.uri.path();
    if is_grpc {
        return Status::unimplemented(format!("there is no method {path}")).into_http();
    }
    let words = format!("there is nothing at {path}: /openapi.json says what there is");
    ApiError::not_found("NO_SUCH_PATH", words).into_response()
}

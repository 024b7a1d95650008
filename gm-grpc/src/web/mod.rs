//! The HTTP API for teams and spectators (CONTRACT G): the same functions as the gRPC services, in JSON.
//!
//! ```text
//! curl -H 'x-eacc-secret: …' --json '{"instance": "i-0abc"}' http://127.0.0.1:7300/v1/cars
//! ```
//!
//! Read in this order:
//! - `operation`: a path with its handler and its description; `openapi`, `help`: all of them, for programs and people.
//! - `asker`, [`body`], `query`, `accept`: what is read of a request; [`problem`]: errors, as
//!   `application/problem+json`; `stream`: answers that go on.
//! - `cars` (G-1), `own` (G-2), `log` (G-3), `test_duel` (G-4), `complaints` (G-5), `events` (G-6), `transfers` (G-7),
//!   `races`; `health`.

mod accept;
mod asker;
pub mod body;
mod cars;
mod complaints;
mod events;
mod health;
mod help;
mod log;
mod openapi;
mod operation;
mod own;
pub mod problem;
mod query;
mod races;
mod stream;
mod test_duel;
mod transfers;

pub(crate) use asker::KEY;
pub(crate) use query::LAST_EVENT_ID;

use crate::api::Api;
use crate::api::error::ApiError;
use crate::api::observer::Observer;
use crate::api::team::Team;
use crate::observe::rpc::is_grpc;
use crate::serve::Settings;
use axum::Router;
use axum::middleware::map_response;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use operation::Operation;
use problem::HttpError;
use std::sync::Arc;
use tonic::Status;

/// What all handlers share. Cheap to clone.
#[derive(Clone)]
struct Web {
    api: Api,
    team: Team,
    observer: Observer,
    metrics_are_public: bool,
    document: Bytes,
    help: Arc<str>,
}

/// Everything that is served over plain HTTP.
pub fn router(api: &Api, settings: &Settings) -> Router {
    let operations = operations(settings);
    let web = Web {
        api: api.clone(),
        team: Team::new(api.clone()),
        observer: Observer::new(api.clone()),
        metrics_are_public: settings.metrics.public,
        document: openapi::document(&operations).to_string().into(),
        help: help::page(&operations).into(),
    };
    let mut router = Router::new();
    for Operation { path, handler, .. } in operations {
        router = router.route(path, handler);
    }
    router.method_not_allowed_fallback(other_method).layer(map_response(not_kept)).with_state(web)
}

fn operations(settings: &Settings) -> Vec<Operation> {
    let mut all = vec![cars::operation(), own::operation(), log::operation(), test_duel::operation()];
    all.extend([complaints::operation(), transfers::operation()]);
    all.extend(races::operations());
    all.extend([events::operation(), openapi::operation(), help::operation(), health::healthz()]);
    if settings.metrics.enabled {
        all.push(health::metrics(settings.metrics.public));
    }
    all
}

/// What is asked for can't be done with what is there.
async fn other_method(request: Parts) -> HttpError {
    HttpError::OtherMethod(request.method.to_string())
}

/// Answers are for who asked, and for now. What they are, they say: nobody is to guess.
async fn not_kept(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// What is asked for is not there, in the words of who asks.
pub async fn no_such_thing(request: Parts) -> Response {
    let path = request.uri.path();
    if is_grpc(&request.headers) {
        return Status::unimplemented(format!("there is no method {path}")).into_http();
    }
    let words = format!("there is nothing at {}: /openapi.json says what there is", body::quoted(path));
    ApiError::not_found("NO_SUCH_PATH", words).into_response()
}

//! `GET /healthz` for balancers, and `GET /metrics` for Prometheus.
//!
//! ```text
//! /healthz ──▶ 200 ok, or 503 draining       /metrics ──▶ gm_turns_total 17 …
//! ```

use super::Web;
use super::operation::{For, Operation};
use super::problem::HttpError;
use crate::api::auth::Caller;
use crate::observe::metrics::Metrics;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CONTENT_TYPE;

/// The text format of Prometheus.
const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Whether it serves.
pub(super) fn healthz() -> Operation {
    Operation::get("/healthz", health)
        .named(
            "getHealth",
            "Whether the game master serves",
            "For balancers. The same is told by gRPC's health service.",
        )
        .answers("It does.")
        .plain("text/plain")
        .error(503, "It shuts down.")
}

async fn health(State(web): State<Web>) -> Result<&'static str, HttpError> {
    if web.api.is_draining() { Err(HttpError::Draining) } else { Ok("ok\n") }
}

/// What is counted.
pub(super) fn metrics(public: bool) -> Operation {
    Operation::get("/metrics", render)
        .named("getMetrics", "What is counted, for Prometheus", "In its text format.")
        .asked_by(if public { For::Everybody } else { For::Admins })
        .answers("The metrics.")
        .plain("text/plain")
}

async fn render(State(web): State<Web>, caller: Caller) -> Result<Response, HttpError> {
    if !web.metrics_are_public {
        caller.admin()?;
    }
    // Where nothing is recorded there is nothing to tell, and that is no error.
    let metrics = Metrics::installed().map(Metrics::render).unwrap_or_default();
    Ok(([(CONTENT_TYPE, PROMETHEUS)], metrics).into_response())
}

//! `GET /healthz` for balancers, and `GET /metrics` for Prometheus.
//!
//! ```text
//! /healthz ──▶ 200 ok, or 503 draining       /metrics ──▶ gm_turns_total 17 …
//! ```

use super::Web;
use super::operation::{For, Operation};
use super::problem::HttpError;
use crate::api::Api;
use crate::api::auth::Caller;
use crate::observe::metrics::{Metrics, SUM_UP_EVERY};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use std::sync::LazyLock;
use tokio::time::{MissedTickBehavior, interval};

/// The text format of Prometheus.
const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// What is counted in this process: it can be counted in one place only, however many servers there are in it.
static METRICS: LazyLock<Metrics> = LazyLock::new(|| {
    let metrics = Metrics::new();
    if let Err(error) = metrics.install() {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(error, "nothing will be in /metrics");
    }
    metrics
});

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
    Ok(([(CONTENT_TYPE, PROMETHEUS)], METRICS.render()).into_response())
}

/// Counts from now on, and sums up until the API drains.
pub(super) fn count(api: &Api) {
    let metrics = METRICS.clone();
    let stop = api.stop();
    tokio::spawn(async move {
        let mut tick = interval(SUM_UP_EVERY);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => return,
                _ = tick.tick() => metrics.sum_up(),
            }
        }
    });
}

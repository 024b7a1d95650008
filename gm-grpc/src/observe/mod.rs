//! What those who run a server see of it: metrics, logs, traces. Nothing here decides anything, and a race goes on the
//! same whether anybody looks or not.
//!
//! ```text
//! let observed = observe::start(&settings)?;      // once in a process
//! …observed.metrics()…                            // what /metrics answers
//! observed.end(limit).await;                      // what waits is sent
//! ```
//!
//! - [`metrics`]: what is counted and timed, for Prometheus; [`phases`]: how long each phase of a turn took;
//!   [`rpc`]: how the calls of the API ended.
//! - [`logs`]: the log; [`request_id`]: what tells the lines of one request from those of others.
//! - [`traces`]: spans, for a collector.

pub mod logs;
pub mod metrics;
pub mod phases;
pub mod request_id;
pub mod rpc;
pub mod traces;

use crate::serve::Settings;
use metrics::{AlreadyInstalled, Metrics, SUM_UP_EVERY};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval};
use traces::{CannotTrace, Traces};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::{SubscriberInitExt as _, TryInitError};

/// What is observed of this process.
pub struct Observed {
    metrics: Option<(Metrics, JoinHandle<()>)>,
    traces: Option<Traces>,
}

/// Why a process can't be observed.
#[derive(Debug, thiserror::Error)]
pub enum CannotObserve {
    /// Traces can't be sent.
    #[error("traces can't be sent: {0}")]
    Traces(#[from] CannotTrace),
    /// Metrics are recorded already.
    #[error(transparent)]
    Metrics(#[from] AlreadyInstalled),
    /// There is a log already.
    #[error("this process has a log already")]
    Log(#[from] TryInitError),
}

/// Starts the log, and metrics and traces where the settings want them: once in a process, in its runtime.
///
/// # Errors
/// [`CannotObserve`].
pub fn start(settings: &Settings) -> Result<Observed, CannotObserve> {
    let traces = settings.traces.otlp.as_ref().map(Traces::to).transpose()?;
    let log = tracing_subscriber::registry()
        .with(logs::on_stderr(&settings.log))
        .with(traces.as_ref().map(Traces::layer));
    log.try_init()?;
    let metrics = settings.metrics.enabled.then(Metrics::new);
    if let Some(metrics) = &metrics {
        metrics.install()?;
    }
    let metrics = metrics.map(|metrics| (metrics.clone(), tokio::spawn(sum_up(metrics))));
    Ok(Observed { metrics, traces })
}

async fn sum_up(metrics: Metrics) {
    let mut every = interval(SUM_UP_EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        every.tick().await;
        metrics.sum_up();
    }
}

impl Observed {
    /// The metrics, if they are recorded.
    #[must_use]
    pub fn metrics(&self) -> Option<&Metrics> {
        self.metrics.as_ref().map(|(metrics, _)| metrics)
    }

    /// Sends the traces that wait, for at most so long. Nothing is recorded for long after it.
    pub async fn end(self, limit: Duration) {
        if let Some((_, task)) = self.metrics {
            task.abort();
        }
        if let Some(traces) = self.traces
            && !traces.end(limit).await
        {
            tracing::warn!("not all traces could be sent before the end");
        }
    }
}

//! What those who run a server see of it: metrics, logs, traces. Nothing here decides anything, and a race goes on the
//! same whether anybody looks or not.
//!
//! - [`metrics`]: what is counted and timed, for Prometheus; [`phases`]: how long each phase of a turn took.

pub mod metrics;
pub mod phases;

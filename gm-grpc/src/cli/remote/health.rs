//! `gm health`: whether the server serves, for people and for what starts and stops it.
//!
//! ```text
//! gm health && gm race list
//! ```

use super::connection::{Server, call};
use super::shown::say;
use crate::cli::Failure;
use clap::Args;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;

/// Ask whether the server serves. The exit code is 0 if it does, 1 if it shuts down, 3 if it can't be reached
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n\n    gm health\n    gm health --retry 30 && gm race list")]
pub(in crate::cli) struct Health {
    /// Which part of it, such as gm.v1.AdminService [default: all of it]
    #[arg(value_name = "SERVICE", default_value = "", hide_default_value = true)]
    service: String,

    #[command(flatten)]
    server: Server,
}

impl Health {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let answer = call!(line, health.check(HealthCheckRequest { service: self.service.clone() }))?;
        let serves = answer.status() == ServingStatus::Serving;
        if line.json {
            say(&serde_json::json!({ "status": answer.status().as_str_name() }).to_string())?;
        } else if serves {
            say(&format!("{} serves", line.url()))?;
        }
        if serves { Ok(()) } else { Err(Failure::because(format!("{} does not serve just now", line.url()))) }
    }
}

//! `gm race`: the races of a data directory.
//!
//! ```text
//! gm race list                        which there are
//! gm race log latest --team Red       what Red's cars were asked and answered, and what became of them
//! ```

use super::Failure;
use super::races::{Forget, List, Log, Show};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Look at the races of a data directory, also while another gm plays them
///
/// RACE is a race's id, its name if only one race has it, or `latest`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Race {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Log(Log),
    Forget(Forget),
}

/// Where the races are.
#[derive(Debug, Args)]
pub(super) struct Data {
    /// The directory where races are kept
    #[arg(long = "data", value_name = "DIR", env = "GM_DATA", default_value = "gm-data")]
    pub(super) directory: PathBuf,
}

impl Race {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::List(list) => list.run().await,
            Command::Show(show) => show.run().await,
            Command::Log(log) => log.run().await,
            Command::Forget(forget) => forget.run().await,
        }
    }
}

//! `gm race`: the races of a data directory, one by one.
//!
//! ```text
//! gm race list                        which there are
//! gm race log latest --team Red       what Red's cars were asked and answered, and what became of them
//! gm race export latest --out friday.jsonl
//! gm race import friday.jsonl --data elsewhere
//! ```

use super::Failure;
use super::race_export::Export;
use super::race_import::Import;
use super::races::{Forget, List, Log, Show};
use crate::journal::{Journal, RaceId, RaceRecord};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Look at the races of a data directory, also while another gm plays them, and carry them from one to another
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
    Export(Export),
    Import(Import),
    Forget(Forget),
}

impl Race {
    pub(super) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::List(list) => list.run().await,
            Command::Show(show) => show.run().await,
            Command::Log(log) => log.run().await,
            Command::Export(export) => export.run().await,
            Command::Import(import) => import.run().await,
            Command::Forget(forget) => forget.run().await,
        }
    }
}

/// Where races are kept.
#[derive(Debug, Clone, Args)]
pub(super) struct Data {
    /// The directory where races are kept
    #[arg(long = "data", value_name = "DIR", env = "GM_DATA", default_value = "gm-data")]
    pub(super) directory: PathBuf,
}

/// The word for the race that was made last.
const LATEST: &str = "latest";

/// Finds a race by what a person calls it: its id, the name that it alone has, or `latest`.
pub(super) async fn find(journal: &Journal, wanted: &str) -> Result<RaceRecord, Failure> {
    let mut races = journal.races().await?;
    if wanted == LATEST {
        // As for --resume, the one that came last. Clocks are set back, and a file may say any date.
        return races.pop().ok_or_else(|| {
            let directory = journal.directory().display();
            Failure::because(format!("there is no race in {directory}: name another directory with --data"))
        });
    }
    if let Some(found) = races.iter().position(|race| race.id.as_str() == wanted) {
        return Ok(races.swap_remove(found));
    }
    races.retain(|race| race.name == wanted);
    match (races.pop(), races.len()) {
        (Some(race), 0) => Ok(race),
        (Some(race), others) => {
            let ids: Vec<&str> = races.iter().chain([&race]).map(|race| race.id.as_str()).collect();
            let ids = ids[others.saturating_sub(MOST_NAMED - 1)..].join(", ");
            let all = others + 1;
            Err(Failure::because(format!("{all} races are called {wanted:?}: name one by its id, of {ids}")))
        }
        (None, _) => {
            let named = RaceId::parse(wanted).map_or_else(|_| format!("{wanted:?}"), |id| id.to_string());
            let directory = journal.directory().display();
            Err(Failure::because(format!(
                "there is no race {named} in {directory}: `gm race list` names those that are there"
            )))
        }
    }
}

/// The most races of one name that are named by their ids: the latest of them.
const MOST_NAMED: usize = 5;

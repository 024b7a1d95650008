//! `gm race`: races, one by one: those of a server, and those of a data directory.
//!
//! ```text
//! gm race create --title Friday       a race on the server
//! gm race list                        the races of the server
//! gm race list --data gm-data         the races of a data directory, without a server
//! gm race log latest --team Red --data gm-data
//! ```
//!
//! What both have works on a data directory where one is named, and on the server where none is: list, show, export and
//! import. Only a server creates and runs races; only in a data directory a race is forgotten.

use super::Failure;
use super::race_export::Export;
use super::race_import::Import;
use super::races::{Forget, List, Log, Show};
use super::remote::Server;
use super::remote::connection::environment;
use super::remote::race::{Clock, Create, Finish, Pause, Resume, Start, Step};
use super::remote::watch::Watch;
use crate::journal::{Journal, RaceId, RaceRecord};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Make races, run, watch and list them, and carry them from one place to another
///
/// On the server, or, where --data names one, in a data directory, also while another gm plays there.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Race {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Create(Create),
    Start(Start),
    Pause(Pause),
    Resume(Resume),
    Step(Step),
    Clock(Clock),
    Finish(Finish),
    Watch(Box<Watch>),
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
            Command::Create(create) => create.run().await,
            Command::Start(start) => start.run().await,
            Command::Pause(pause) => pause.run().await,
            Command::Resume(resume) => resume.run().await,
            Command::Step(step) => step.run().await,
            Command::Clock(clock) => clock.run().await,
            Command::Finish(finish) => finish.run().await,
            Command::Watch(watch) => watch.run().await,
            Command::List(list) => list.run().await,
            Command::Show(show) => show.run().await,
            Command::Log(log) => log.run().await,
            Command::Export(export) => export.run().await,
            Command::Import(import) => import.run().await,
            Command::Forget(forget) => forget.run().await,
        }
    }
}

/// Where races are kept, for what the server does too.
#[derive(Debug, Clone, Args)]
pub(super) struct Data {
    /// Of this data directory, and not of the server [env: GM_DATA, unless --server or GM_SERVER names one]
    #[arg(long = "data", value_name = "DIR", conflicts_with = "server")]
    directory: Option<PathBuf>,
}

impl Data {
    /// The data directory that is meant; none: the server.
    pub(super) fn or(&self, server: &Server) -> Option<PathBuf> {
        let named = server.server.is_some() || environment("GM_SERVER").is_some();
        let of_environment = || environment("GM_DATA").filter(|_| !named).map(PathBuf::from);
        self.directory.clone().or_else(of_environment)
    }
}

/// Where races are kept, for what the server does not do.
#[derive(Debug, Clone, Args)]
pub(super) struct OnlyData {
    /// The directory where races are kept [env: GM_DATA]
    #[arg(long = "data", value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl OnlyData {
    /// The data directory. `instead`: what the server does that comes closest.
    pub(super) fn needed(&self, instead: &str) -> Result<PathBuf, Failure> {
        let of_environment = || environment("GM_DATA").map(PathBuf::from);
        self.directory.clone().or_else(of_environment).ok_or_else(|| {
            Failure::wrong(format!(
                "this is for a data directory: name it with --data DIR or GM_DATA; {instead}"
            ))
        })
    }
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

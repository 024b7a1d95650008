//! The command `gm`.
//!
//! ```text
//! gm demo              a whole race among reference cars, started here
//! gm run FILE.toml     a race among your own cars
//! gm race list         the races that are kept; show, log, forget: one of them
//! gm race export …     one of them as a file; `import` takes it in elsewhere
//! gm replay FILE       an exported race: shown again, or decided again
//! gm serve             the game master as a server
//! gm config check      what is wrong with the settings of the server; `show`: where each comes from
//! ```
//!
//! - `demo`: starts the cars; `run`: a race of a [`race_file`]; either makes a [`plan`], or finds one in `data`, the
//!   directory where races are kept.
//! - `show`: lets the race be set up (`set_up`) and played, in its `worlds`, and shows it through a `report`: `screen` on
//!   a terminal, `plain` lines elsewhere, `json` lines for programs; `out_file`: where every event is written, too.
//! - `race`: the races of a data directory, with `races`, which looks at them, `race_export` and `race_import`; `replay`:
//!   an export, decided again, or shown again by `replay_show`; `export_file`: where exports are read from and written to.
//! - [`config`]: the flags of the server, and `gm config`.
//! - `table`: how the race ended; `signals`: what interrupts it; `log`: what went wrong, in words; `kill`: what tests
//!   interrupt it with.

pub mod config;
mod data;
mod demo;
mod export_file;
mod json;
#[cfg(all(debug_assertions, unix))]
mod kill;
mod log;
mod out_file;
mod plain;
pub mod plan;
mod race;
mod race_export;
pub mod race_file;
mod race_import;
mod races;
mod replay;
mod replay_show;
mod report;
mod run;
mod screen;
mod serve;
mod set_up;
mod show;
mod signals;
mod table;
mod worlds;

use crate::control::CannotOwn;
use crate::journal::JournalError;
use clap::{Parser, Subcommand};
use std::fmt;
use std::process::ExitCode;

/// The game master for races between programs.
///
/// Teams enter cars, which are web services, in a race on a ring of 300 squares. The game master drives each turn
/// over HTTP, keeps score and shows it all. Start with `gm demo`.
#[derive(Debug, Parser)]
#[command(name = "gm", version, arg_required_else_help = true, max_term_width = 100)]
struct Gm {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Demo),
    Run(run::Run),
    Race(race::Race),
    Replay(replay::Replay),
    Serve(serve::Serve),
    Config(config::Config),
}

/// Runs the command line. The exit code is 0 when the race was run to its end, or interrupted after a turn and can go
/// on, 1 when it could not be run, 2 when the command line is wrong, 130 when it was stopped at once by a signal, 141
/// when the reader of its output has gone.
pub async fn run() -> ExitCode {
    let done = match Gm::parse().command {
        Command::Demo(demo) => demo.run().await,
        Command::Run(run) => run.run().await,
        Command::Race(race) => race.run().await,
        Command::Serve(serve) => serve.run().await,
        Command::Config(config) => config.run(),
        Command::Replay(replay) => match replay.run().await {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::NobodyReads) => ExitCode::from(141),
        Err(failure @ Failure::Stopped(_)) => {
            eprintln!("gm: {failure}");
            ExitCode::from(130)
        }
        Err(failure) => {
            eprintln!("gm: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Why a command failed, in words for the person who typed it.
#[derive(Debug)]
enum Failure {
    /// The reader of the output has gone: nobody is there to be told.
    NobodyReads,
    /// It was told to stop at once: what is left, and how it goes on.
    Stopped(Option<String>),
    /// What is wrong, and what to do.
    Because(String),
}

impl Failure {
    fn because(reason: impl Into<String>) -> Failure {
        Failure::Because(reason.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::NobodyReads => f.write_str("nobody reads the output"),
            Failure::Stopped(None) => {
                f.write_str("stopped at once: a turn that was being played has not happened")
            }
            Failure::Stopped(Some(go_on)) => write!(f, "stopped at once: {go_on}"),
            Failure::Because(reason) => f.write_str(reason),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::NobodyReads,
            _ => Failure::Because(error.to_string()),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Failure {
        Failure::Because(error.to_string())
    }
}

impl From<CannotOwn> for Failure {
    fn from(error: CannotOwn) -> Failure {
        Failure::Because(error.to_string())
    }
}

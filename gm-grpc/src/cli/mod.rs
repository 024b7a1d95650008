//! The command `gm`.
//!
//! ```text
//! gm demo              a whole race among reference cars, started here
//! gm run FILE.toml     a race among your own cars
//! gm serve             the game master as a server
//! gm race create …     a race on the server; start, pause, step, watch …: one of them; `gm team`, `gm car` and so on
//! gm race list         the races of the server, or of a data directory with --data; show, export, import: so, too
//! gm replay FILE       an exported race: shown again, or decided again
//! gm config check      what is wrong with the settings of the server; `show`: where each comes from
//! ```
//!
//! - `demo`: starts the cars; `run`: a race of a [`race_file`]; either makes a [`plan`], or finds one in `data`, the
//!   directory where races are kept.
//! - `show`: lets the race be set up (`set_up`) and played, in its `worlds`, and shows it through a `report`: `screen` on
//!   a terminal, `plain` lines elsewhere, `json` lines for programs; `out_file`: where every event is written, too.
//! - `race`: races, those of the server by way of `remote`, and those of a data directory with `races`, which looks at
//!   them, `race_export` and `race_import`; `replay`: an export, decided again, or shown again by `replay_show`;
//!   `export_file`: where exports are read from and written to.
//! - `remote`: all commands that talk to the server; `completions`: for shells.
//! - [`config`]: the flags of the server, and `gm config`.
//! - `table`: how the race ended; `signals`: what interrupts it; `log`: what went wrong, in words; `kill`: what tests
//!   interrupt it with.

mod completions;
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
mod remote;
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
#[command(name = "gm", version, arg_required_else_help = true, max_term_width = 100, after_long_help = HELP)]
struct Gm {
    #[command(subcommand)]
    command: Command,
}

/// What the help of `gm` itself shows besides the commands.
const HELP: &str = "Examples:

    gm demo                                             a race among cars that it starts itself
    gm serve                                            the game master as a server; then, elsewhere:
    export GM_TOKEN=…                                   what gm serve shows when it first starts
    gm race create --title Friday && gm team create Red && gm race start
    gm race watch

Exit codes:

    0    done
    1    refused by the server, or it failed
    2    the command line is wrong
    3    the server can't be reached, or is not available just now
    4    not allowed: no token, an unknown one, or one for something else
    5    there is no such thing
    130  stopped at once by a signal
    141  the reader of the output has gone";

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Demo),
    Run(run::Run),
    Serve(serve::Serve),
    Config(config::Config),
    Health(remote::Health),
    Race(race::Race),
    Team(remote::Team),
    Car(remote::Car),
    Declare(remote::Declare),
    Odds(remote::Odds),
    Bonus(remote::Bonus),
    Achievements(remote::Achievements),
    Jury(remote::Jury),
    Token(remote::Token),
    Standings(remote::Standings),
    Log(remote::Log),
    Complain(remote::Complain),
    Duel(remote::Duel),
    Replay(replay::Replay),
    Completions(completions::Completions),
}

/// Runs the command line. The exit code is 0 when all was done: for a race that is played, when it was run to its end, or
/// interrupted after a turn and can go on; 1 when it could not be done, 2 when the command line is wrong; 3 when the
/// server can't be reached, 4 when it does not allow it, 5 when there is no such thing; 130 when it was stopped at once
/// by a signal, 141 when the reader of its output has gone.
pub async fn run() -> ExitCode {
    let done = match Gm::parse().command {
        Command::Demo(demo) => demo.run().await,
        Command::Run(run) => run.run().await,
        Command::Race(race) => race.run().await,
        Command::Serve(serve) => serve.run().await,
        Command::Config(config) => config.run(),
        Command::Health(health) => health.run().await,
        Command::Team(team) => team.run().await,
        Command::Car(car) => car.run().await,
        Command::Declare(declare) => declare.run().await,
        Command::Odds(odds) => odds.run().await,
        Command::Bonus(bonus) => bonus.run().await,
        Command::Achievements(achievements) => achievements.run().await,
        Command::Jury(jury) => jury.run().await,
        Command::Token(token) => token.run().await,
        Command::Standings(standings) => standings.run().await,
        Command::Log(log) => log.run().await,
        Command::Complain(complain) => complain.run().await,
        Command::Duel(duel) => duel.run().await,
        Command::Completions(completions) => completions.run(),
        Command::Replay(replay) => match replay.run().await {
            Ok(code) => return code,
            Err(failure) => Err(failure),
        },
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::NobodyReads) {
                eprintln!("gm: {failure}");
            }
            ExitCode::from(failure.exit_code())
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
    /// The same, with an exit code that says more to scripts.
    Exit {
        /// See [`run`].
        code: u8,
        /// What is wrong, and what to do.
        words: String,
    },
}

impl Failure {
    fn because(reason: impl Into<String>) -> Failure {
        Failure::Because(reason.into())
    }

    /// The command line is wrong, in a way that only shows when it is looked at as a whole.
    fn wrong(reason: impl Into<String>) -> Failure {
        Failure::Exit { code: 2, words: reason.into() }
    }

    /// What `gm` exits with.
    fn exit_code(&self) -> u8 {
        match self {
            Failure::NobodyReads => 141,
            Failure::Stopped(_) => 130,
            Failure::Because(_) => 1,
            Failure::Exit { code, .. } => *code,
        }
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
            Failure::Because(words) | Failure::Exit { words, .. } => f.write_str(words),
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

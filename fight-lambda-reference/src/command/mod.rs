//! The subcommands of `fight-lambda`, for people who write an AI: `bench` and `explain`.
//!
//! ```text
//! 0  it was done      1  it can't be, or a bound was missed      2  it was asked wrongly      130  it was broken off
//! ```

pub(crate) mod bench;
pub(crate) mod explain;

use clap::{Subcommand, ValueEnum};
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, Write};

/// What else `fight-lambda` does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plays many duels between two AIs: how much better is one?
    #[command(long_about = bench::ABOUT)]
    Bench(bench::Options),
    /// Shows a position in words, and what an AI thinks of each legal play
    #[command(long_about = explain::ABOUT)]
    Explain(explain::Options),
}

impl Command {
    /// Does it.
    ///
    /// # Errors
    /// [`Failure`], which has an exit code.
    pub(crate) async fn run(&self) -> Result<(), Failure> {
        match self {
            Command::Bench(options) => bench::run(options).await,
            Command::Explain(options) => explain::run(options).await,
        }
    }
}

/// Why something was not done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It can't be, or a bound was missed.
    Failed(String),
    /// It was asked wrongly.
    Usage(String),
    /// It was broken off by a signal, and has said what it knows.
    Interrupted,
}

impl Failure {
    /// The exit code.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Failure::Failed(_) => 1,
            Failure::Usage(_) => 2,
            Failure::Interrupted => 130,
        }
    }
}

/// How something is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Human,
    /// One JSON object, for programs
    Json,
}

impl Format {
    /// Tells it on standard output. Whoever does not listen any more is not told.
    ///
    /// # Errors
    /// [`Failure::Failed`] if it can't be written for another reason, such as a disk that is full.
    fn tell<T: Display + Serialize>(self, it: &T) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        let told = match self {
            Format::Human => write!(out, "{it}"),
            Format::Json => {
                serde_json::to_writer(&mut out, it).map_err(io::Error::from).and_then(|()| writeln!(out))
            }
        };
        match told.and_then(|()| out.flush()) {
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::Failed(format!("can't write the result: {why}")))
            }
            _ => Ok(()),
        }
    }
}

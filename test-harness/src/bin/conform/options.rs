//! The flags of `conform`, and what `--help` teaches.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// Checks a car, or a duel AI, against the contract (docs/contract.md)
#[derive(Debug, Parser)]
#[command(
    name = "conform",
    version,
    after_help = "Examples:
  conform car http://127.0.0.1:8080 --secret s3cret --instance i-0abc
  conform car http://127.0.0.1:8080 --secret s3cret --only C-10 --trace
  conform ai http://127.0.0.1:8081/action --strength 10
  conform list --only C-11
  conform fuzz http://127.0.0.1:8080 --secret s3cret --seconds 60

Exit code: 0 all is well (warnings may be there), 1 something does not hold, 2 nothing could be checked:
a flag or URL is wrong, nobody answers there, or the result could not be written; 130 or 143 it was
ended early by SIGINT (Ctrl-C) or SIGTERM, and has given back what it changed."
)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Checks a car: each requirement of CONTRACT C
    ///
    /// Start the car as it is to enter the race, with its AI, and give its URL and the secret of its team. Each case asks
    /// the car, checks what it says, and takes away again what it added: the car is left as it was found, and the last
    /// lines say whether that was possible. Don't check a car that is racing.
    Car(Car),
    /// Checks a duel AI: each requirement of CONTRACT A, and that what it plays is legal
    ///
    /// Give the whole URL of the AI, as the car says it at GET /fight/iaurl. The AI is asked positions of every kind, and
    /// plays whole duels; then its strength is measured in duels against three others, as information.
    Ai(Ai),
    /// Sends a car generated nonsense, and makes what breaks it short
    ///
    /// The requests follow from a seed: valid ones with odd names and numbers, broken ones, half ones, raw bytes. After
    /// each it is looked whether the car still answers, and is what it may be. What breaks it is told as lines for a shell,
    /// with the command that finds it again. The car is brought back to how it was found, as far as the contract can: as
    /// many modules of each kind, but perhaps others by name. Don't do it to a car that is racing, nor to one whose modules'
    /// names matter.
    Fuzz(Fuzz),
    /// Lists the cases: what is checked, where it comes from, and how to mend it
    List(List),
}

/// Which cases, and how they are told.
#[derive(Debug, Args)]
pub(crate) struct Cases {
    /// Only these cases and what they need: C-10 (all of a requirement) or C-10.2 (one); may be given more than once
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// A file with the ids of cases that are known to fail, one on each line; what passes although it is there is flagged
    #[arg(long, value_name = "FILE")]
    pub(crate) known_failing: Option<PathBuf>,
    /// Warnings count as failures
    #[arg(long)]
    pub(crate) strict: bool,
    /// How the result is told
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
    /// Shows every exchange, not only those that show a failure (text only)
    #[arg(long)]
    pub(crate) trace: bool,
    /// How long an answer may take, in milliseconds; the game master waits for 2000
    #[arg(long, value_name = "MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub(crate) deadline: u64,
}

impl Cases {
    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline)
    }
}

/// How the result is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// For people, as it goes
    #[default]
    Text,
    /// A line of JSON for each case, as it goes, and one for the whole
    Json,
    /// JUnit's XML, at the end
    Junit,
    /// A page with tables, at the end
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Car {
    /// The base URL of the car, such as http://127.0.0.1:8080
    pub(crate) url: String,
    /// The secret between the game master and the team's cars, X-EACC-SECRET
    #[arg(long, env = "CONFORM_SECRET", hide_env_values = true, value_name = "TEXT")]
    pub(crate) secret: Option<String>,
    /// The instance name under which the team will register the car; without it any name will do
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) instance: Option<String>,
    #[command(flatten)]
    pub(crate) cases: Cases,
}

#[derive(Debug, Args)]
pub(crate) struct Ai {
    /// The URL of the AI, such as http://127.0.0.1:8081/action; with its own query if it has one
    pub(crate) url: String,
    /// The seed of the positions and of the duels
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many positions are asked that were reached by playing
    #[arg(long, value_name = "NUMBER", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) positions: u32,
    /// For how many seconds its strength is measured; 0: not at all
    #[arg(long, value_name = "SECONDS", default_value_t = 2, value_parser = clap::value_parser!(u64).range(0..=3_600))]
    pub(crate) strength: u64,
    #[command(flatten)]
    pub(crate) cases: Cases,
}

#[derive(Debug, Args)]
pub(crate) struct Fuzz {
    /// The base URL of the car, such as http://127.0.0.1:8080
    pub(crate) url: String,
    /// The secret between the game master and the team's cars, X-EACC-SECRET
    #[arg(long, env = "CONFORM_SECRET", hide_env_values = true, value_name = "TEXT")]
    pub(crate) secret: Option<String>,
    /// What all requests follow from; without it, from the time
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How long it goes on, in seconds; for ever with --requests, half a minute without
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) seconds: Option<u64>,
    /// How many requests are made of the seed
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) requests: Option<u64>,
    /// After how many findings it stops
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pub(crate) findings: u16,
    /// How long an answer may take, in milliseconds; the game master waits for 2000
    #[arg(long, value_name = "MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..=600_000))]
    pub(crate) deadline: u64,
    /// The result as JSON, on one line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Only these: C-10 (all of a requirement) or C-10.2 (one); may be given more than once
    #[arg(long, value_name = "ID")]
    pub(crate) only: Vec<String>,
    /// A line of JSON for each case
    #[arg(long)]
    pub(crate) json: bool,
}

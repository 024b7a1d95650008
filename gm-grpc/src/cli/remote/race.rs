//! `gm race create`, `start`, `pause`, `resume`, `step`, `finish` and `clock`: the life of a race (R-10).
//!
//! ```text
//! gm race create --title Friday --rules race.toml --turn-interval 0
//! gm race start friday && gm race step friday --turns 3
//! ```

use super::connection::{Line, Once, Server, call};
use super::rules_file;
use super::shown::{at, cell, word};
use super::which::{NamedRace, snapshot};
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// The most turns that are played by one command.
const MOST_TURNS: i64 = 10_000;

/// Make a race, which teams and cars can then enter
///
/// Its rules are a preset's, with what a file says over them, and what the flags say over that. What is left out has
/// the preset's number.
#[derive(Debug, Args)]
#[command(after_long_help = CREATE)]
pub(in crate::cli) struct Create {
    /// A name for people, 1 to 100 characters
    #[arg(long, value_name = "TEXT")]
    title: String,

    /// The numbers to start from [default: the file's, or balanced]
    #[arg(long, value_enum)]
    preset: Option<PresetName>,

    /// A race file whose preset, seed and [rules] count, as for `gm run`; docs/race.toml has every key. Its teams do
    /// not: they are made with `gm team create`
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,

    /// Seconds from the start of one turn to the start of the next; 0: turns on your word only, by `gm race step`
    #[arg(long, value_name = "SECONDS")]
    turn_interval: Option<u32>,

    /// The turns after which the race ends
    #[arg(long, value_name = "N")]
    max_turns: Option<u32>,

    /// Where everything random comes from [default: the file's, or a new one]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Watching it needs a token
    #[arg(long)]
    private: bool,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

const CREATE: &str = "Examples:

    gm race create --title Friday
    gm race create --title Test --turn-interval 0 --max-turns 20 --seed 7
    gm race create --title Friday --rules race.toml --private --json | jq -r .race.race_id";

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum PresetName {
    /// Tuned for a good race
    Balanced,
    /// The numbers of the original event
    Classic,
}

impl Create {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let preset = self.preset.map(|preset| match preset {
            PresetName::Balanced => wire::Preset::Balanced,
            PresetName::Classic => wire::Preset::Classic,
        });
        let asked = rules_file::read(self.rules.as_deref(), preset)?;
        let mut rules = asked.rules;
        rules.turn_interval_seconds = self.turn_interval.or(rules.turn_interval_seconds);
        rules.max_turns = self.max_turns.or(rules.max_turns);
        let line = self.server.line()?;
        let request = wire::CreateRaceRequest {
            request_id: self.once.id(),
            title: self.title,
            rules: Some(rules),
            seed: self.seed.or(asked.seed),
            private: self.private,
        };
        let made = call!(line, admin.create_race(request))?;
        line.show(&made, |made| {
            let race = made.race.clone().unwrap_or_default();
            let id = &race.race_id;
            format!(
                "race {id} {:?} is made, with seed {}\n    export GM_RACE={id}\nnext: `gm team create NAME`, `gm race start`",
                cell(&race.title),
                made.seed
            )
        })
    }
}

/// A command that changes the life of a race.
#[derive(Debug, Args)]
pub(super) struct Deed {
    #[command(flatten)]
    race: NamedRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

/// Start the turns of a race that is being prepared
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm race start Friday")]
pub(in crate::cli) struct Start {
    #[command(flatten)]
    deed: Deed,
}

/// Pause a race, once the turn that has begun is complete
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm race pause Friday")]
pub(in crate::cli) struct Pause {
    #[command(flatten)]
    deed: Deed,
}

/// Let a paused race go on
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm race resume Friday")]
pub(in crate::cli) struct Resume {
    #[command(flatten)]
    deed: Deed,
}

/// End a race, once the turn that has begun is complete. It can't be taken back
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm race finish Friday")]
pub(in crate::cli) struct Finish {
    #[command(flatten)]
    deed: Deed,
}

/// The four commands that name a race and nothing else, each with its own messages.
macro_rules! deed {
    ($command:ident: $method:ident($request:ident), $words:literal) => {
        impl $command {
            pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
                let line = self.deed.server.line()?;
                let race_id = self.deed.race.find(&line).await?;
                let request = wire::$request { request_id: self.deed.once.id(), race_id };
                let done = call!(line, admin.$method(request))?;
                line.show(&done, |done| say_so(done.race.as_ref(), $words))
            }
        }
    };
}
deed!(Start: start_race(StartRaceRequest), "has started");
deed!(Pause: pause_race(PauseRaceRequest), "is paused");
deed!(Resume: resume_race(ResumeRaceRequest), "goes on");
deed!(Finish: finish_race(FinishRaceRequest), "is over");

/// What became of a race.
fn say_so(race: Option<&wire::Race>, what: &str) -> String {
    let race = race.cloned().unwrap_or_default();
    format!("race {} {:?} {what}, {}", race.race_id, cell(&race.title), after(&race))
}

fn after(race: &wire::Race) -> String {
    match race.turn {
        0 => "before its first turn".to_owned(),
        turn => format!("after turn {turn}"),
    }
}

/// Play a turn, or some, of a race that has no clock
///
/// Answers when they are complete.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n\n    gm race step Friday\n    gm race step Friday --turns 10")]
pub(in crate::cli) struct Step {
    #[command(flatten)]
    race: NamedRace,

    /// How many turns; fewer if the race is over before
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_TURNS))]
    turns: u32,

    /// The number of the first of them, so that a step is never taken twice [default: the next one]
    #[arg(long, value_name = "N")]
    turn: Option<u32>,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Step {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let first = match self.turn {
            Some(turn) => turn,
            None => snapshot(&line, &race_id).await?.race.unwrap_or_default().turn.saturating_add(1),
        };
        let id = self.once.id();
        for nth in 0..self.turns {
            let expected_turn = first.saturating_add(nth);
            // Each turn is a request of its own.
            let request_id = if nth == 0 { id.clone() } else { format!("{id}-{nth}") };
            let request = wire::StepTurnRequest { request_id, race_id: race_id.clone(), expected_turn };
            let played = call!(line, admin.step_turn(request))?;
            let race = played.race.clone().unwrap_or_default();
            let is_over = race.status() == wire::RaceStatus::Finished;
            line.show(&played, |_| {
                let over = if is_over { ", and the race is over" } else { "" };
                format!("turn {} is complete{over}", race.turn)
            })?;
            if is_over {
                break;
            }
        }
        Ok(())
    }
}

/// Set the clock of a race: how often a turn starts
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n\n    gm race clock Friday --every 30\n    gm race clock Friday --every 0"
)]
pub(in crate::cli) struct Clock {
    #[command(flatten)]
    race: NamedRace,

    /// Seconds from the start of one turn to the start of the next, 1 to 86400; 0: turns on your word only, by
    /// `gm race step`
    #[arg(long, value_name = "SECONDS")]
    every: u32,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Clock {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let request =
            wire::SetClockRequest { request_id: self.once.id(), race_id, turn_interval_seconds: self.every };
        let set = call!(line, admin.set_clock(request))?;
        line.show(&set, |set| {
            let race = set.race.clone().unwrap_or_default();
            format!("race {} {:?}: {}", race.race_id, cell(&race.title), clock(&race))
        })
    }
}

/// The clock of a race in words.
pub(super) fn clock(race: &wire::Race) -> String {
    let next = match &race.next_turn_at {
        Some(next) => format!(", the next at {} UTC", at(Some(next))),
        None => String::new(),
    };
    match race.turn_interval_seconds {
        Some(seconds) => format!("a turn every {seconds} s{next}"),
        None => "turns on the admin's word".to_owned(),
    }
}

/// The state of a race in words.
pub(super) fn state(race: &wire::Race) -> String {
    let status = word(race.status().as_str_name(), "RACE_STATUS_");
    match race.ending() {
        wire::RaceEnding::Unspecified => status,
        ending => format!("{status}: {}", super::words::ending(ending)),
    }
}

/// What the game master does with a race just now, where it is worth to be said.
pub(super) fn activity(race: &wire::Race) -> Option<String> {
    use wire::RaceActivityKind::{Plays, Rests, Settles, Stopped, Suspended, Unspecified, Waits};
    let activity = race.activity.clone().unwrap_or_default();
    let why = if activity.text.is_empty() { String::new() } else { format!(": {}", cell(&activity.text)) };
    match activity.kind() {
        Unspecified | Waits | Rests | Settles => None,
        Plays => Some(format!("turn {} is being played", activity.turn)),
        Suspended => Some(format!("suspended, because its journal can't be written{why}")),
        Stopped => Some(format!("stopped, because it diverged from its record{why}")),
    }
}

/// Says which race, for a table of races.
pub(super) fn row(race: &wire::Race) -> Vec<String> {
    vec![
        race.race_id.clone(),
        cell(&race.title),
        state(race),
        race.turn.to_string(),
        if race.private { "private" } else { "public" }.to_owned(),
        word(race.origin().as_str_name(), "RACE_ORIGIN_"),
        at(race.created_at.as_ref()),
    ]
}

/// All races, for people.
pub(in crate::cli) async fn list(server: &Server) -> Result<(), Failure> {
    let line: Line = server.line()?;
    let races = super::which::races(&line).await?;
    let all = wire::ObserverServiceListRacesResponse { races, next_page_token: String::new() };
    line.show(&all, |all| {
        let titles = ["race", "title", "state", "turn", "seen by", "origin", "made (UTC)"];
        super::shown::table(&titles, all.races.iter().map(row).collect(), &[3])
    })
}

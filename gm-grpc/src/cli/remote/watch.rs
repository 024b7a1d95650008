//! `gm race watch`: a race as it happens (G-6), in the words of the rule book.
//!
//! ```text
//! turn 3
//!   car 1 moves 4 to 12
//!   car 1 meets: pirates
//! ```

use super::connection::Server;
use super::follow::{Step, follow};
use super::shown::{cell, say, say_json};
use super::which::{self, NamedRace};
use super::words;
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, ValueEnum};
use wire::race_event::Event;
use wire::watch_race_request::Start;
use wire::watch_race_response::Message;

/// Watch a race as it happens
///
/// Shows what you may see: without a token what spectators see, with a team's secret all of its own as well, with an
/// admin's token everything. Goes on by itself when the server is started again, without a gap and without telling
/// anything twice. Ends with the race.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(in crate::cli) struct Watch {
    #[command(flatten)]
    race: NamedRace,

    /// Only what happens after the event with this number; 0 is from the beginning
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "now")]
    after: u64,

    /// Only what happens from now on
    #[arg(long)]
    now: bool,

    /// Only events of this kind; may be given several times
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Vec<KindName>,

    /// Only events of this car, by its number or instance name, and those of no car; may be given several times
    #[arg(long, value_name = "CAR")]
    car: Vec<String>,

    /// Go on when the race is over: the jury may still correct it
    #[arg(long)]
    follow: bool,

    #[command(flatten)]
    server: Server,
}

const EXAMPLES: &str = "Examples:

    gm race watch
    gm race watch friday --now --car red-1
    gm race watch friday --kind score --json | jq -c .achievement_earned";

/// What an event is about.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum KindName {
    /// The life of the race
    Race,
    /// Teams, their money and their complaints
    Team,
    /// Cars: registered, started, penalised, corrected, retired
    Car,
    /// Turns
    Turn,
    /// Moves, and turns to miss
    Move,
    /// Modules gained, lost and moved
    Module,
    /// Pirates, wrecks, minefields, garages
    Encounter,
    /// Fights and duels
    Fight,
    /// Score and achievements
    Score,
    /// Bonuses on the ring
    Bonus,
}

impl KindName {
    fn to_wire(self) -> wire::EventKind {
        match self {
            KindName::Race => wire::EventKind::Race,
            KindName::Team => wire::EventKind::Team,
            KindName::Car => wire::EventKind::Car,
            KindName::Turn => wire::EventKind::Turn,
            KindName::Move => wire::EventKind::Move,
            KindName::Module => wire::EventKind::Module,
            KindName::Encounter => wire::EventKind::Encounter,
            KindName::Fight => wire::EventKind::Fight,
            KindName::Score => wire::EventKind::Score,
            KindName::Bonus => wire::EventKind::Bonus,
        }
    }
}

impl Watch {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let car_ids = which::cars(&line, &race_id, &self.car).await?;
        let kinds: Vec<i32> = self.kind.iter().map(|kind| kind.to_wire().into()).collect();
        let after = match self.now {
            true => which::snapshot(&line, &race_id).await?.sequence,
            false => self.after,
        };
        let open = async |after: u64| {
            let request = wire::WatchRaceRequest {
                race_id: race_id.clone(),
                start: Some(Start::After(after)),
                mode: wire::WatchMode::Lossless.into(),
                kinds: kinds.clone(),
                car_ids: car_ids.clone(),
            };
            line.observer().watch_race(request).await
        };
        let mut shown = Shown { turn: None, as_json: line.json };
        let mut last = after;
        // What is chosen may leave out the event that says that the race is over, so it is looked at each time.
        let follows = self.follow;
        let chooses = !kinds.is_empty();
        let mut is_over = false;
        if chooses && !follows {
            is_over = status(&line, &race_id).await? == wire::RaceStatus::Finished;
        }
        follow(&line, after, open, |message| {
            match message.message {
                Some(Message::Event(event)) => {
                    last = event.sequence;
                    is_over |= matches!(event.event, Some(Event::RaceFinished(_)));
                    shown.say(&event)?;
                }
                // Nothing of it was asked for.
                Some(Message::Snapshot(snapshot)) => last = snapshot.sequence,
                Some(Message::CaughtUp(number) | Message::Heartbeat(number)) => {
                    last = last.max(number);
                    if is_over && !follows {
                        return Ok(Step::Last);
                    }
                }
                None => {}
            }
            Ok(Step::At(last))
        })
        .await
    }
}

async fn status(line: &super::connection::Line, race: &str) -> Result<wire::RaceStatus, Failure> {
    Ok(which::snapshot(line, race).await?.race.unwrap_or_default().status())
}

/// What was shown so far.
struct Shown {
    /// The turn that was shown last.
    turn: Option<u32>,
    as_json: bool,
}

impl Shown {
    fn say(&mut self, event: &wire::RaceEvent) -> Result<(), Failure> {
        if self.as_json {
            return say_json(event);
        }
        if self.turn.replace(event.turn) != Some(event.turn) && event.turn > 0 {
            say(&format!("turn {}", event.turn))?;
        }
        match &event.event {
            // The turn stands above what happens in it.
            Some(Event::TurnStarted(_) | Event::TurnCompleted(_) | Event::PriorityDrawn(_)) => Ok(()),
            _ => say(&format!("  {}", cell(&words::event(event)))),
        }
    }
}

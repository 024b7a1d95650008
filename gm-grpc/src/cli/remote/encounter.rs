//! `gm declare` and `gm odds`: what cars meet in the next turns (R-3.3).
//!
//! ```text
//! gm declare pirates --car 3
//! gm odds --nothing 50 --pirates 20
//! ```

use super::connection::{Line, Once, Server, call};
use super::which::{self, WhichRace};
use super::words;
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, ValueEnum};

/// Declare what cars meet in the next turn, instead of the draw
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n\n    gm declare pirates --car 3\n    gm declare nothing")]
pub(in crate::cli) struct Declare {
    /// What they meet
    #[arg(value_enum)]
    encounter: EncounterName,

    /// Which car, by its number or instance name; may be given several times [default: all]
    #[arg(long, value_name = "CAR")]
    car: Vec<String>,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EncounterName {
    /// Nothing
    Nothing,
    /// Pirates
    Pirates,
    /// A garage
    Garage,
    /// A wreck
    Wreck,
    /// A minefield
    Minefield,
}

impl Declare {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let car_ids = which::cars(&line, &race_id, &self.car).await?;
        let encounter = match self.encounter {
            EncounterName::Nothing => wire::Encounter::Nothing,
            EncounterName::Pirates => wire::Encounter::Pirates,
            EncounterName::Garage => wire::Encounter::Garage,
            EncounterName::Wreck => wire::Encounter::Wreck,
            EncounterName::Minefield => wire::Encounter::Minefield,
        };
        let request = wire::DeclareEncounterRequest {
            request_id: self.once.id(),
            race_id,
            encounter: encounter.into(),
            car_ids,
        };
        let declared = call!(line, admin.declare_encounter(request))?;
        line.show(&declared, |declared| format!("declared for turn {}", declared.turn))
    }
}

/// Show the odds of the encounters, or set them from the next turn on
///
/// Without a number they are shown. What is not given stays; all five must add up to 100.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n\n    gm odds\n    gm odds --nothing 50 --pirates 20")]
pub(in crate::cli) struct Odds {
    /// Percent for nothing
    #[arg(long, value_name = "PERCENT")]
    nothing: Option<u32>,

    /// Percent for pirates
    #[arg(long, value_name = "PERCENT")]
    pirates: Option<u32>,

    /// Percent for a garage
    #[arg(long, value_name = "PERCENT")]
    garage: Option<u32>,

    /// Percent for a wreck
    #[arg(long, value_name = "PERCENT")]
    wreck: Option<u32>,

    /// Percent for a minefield
    #[arg(long, value_name = "PERCENT")]
    minefield: Option<u32>,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Odds {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let now = now(&line, &race_id).await?;
        let given = [self.nothing, self.pirates, self.garage, self.wreck, self.minefield];
        if given.iter().all(Option::is_none) {
            return line.show(&now, words::odds);
        }
        let odds = wire::EncounterOdds {
            nothing: self.nothing.unwrap_or(now.nothing),
            pirates: self.pirates.unwrap_or(now.pirates),
            garage: self.garage.unwrap_or(now.garage),
            wreck: self.wreck.unwrap_or(now.wreck),
            minefield: self.minefield.unwrap_or(now.minefield),
        };
        let request = wire::SetEncounterOddsRequest { request_id: self.once.id(), race_id, odds: Some(odds) };
        let set = call!(line, admin.set_encounter_odds(request))?;
        line.show(&set, |set| format!("from turn {} on: {}", set.turn, words::odds(&odds)))
    }
}

/// The odds as they are, which only an admin sees.
async fn now(line: &Line, race_id: &str) -> Result<wire::EncounterOdds, Failure> {
    let answer = call!(line, admin.get_race(wire::GetRaceRequest { race_id: race_id.to_owned() }))?;
    Ok(answer.race.unwrap_or_default().rules.unwrap_or_default().encounter_odds.unwrap_or_default())
}

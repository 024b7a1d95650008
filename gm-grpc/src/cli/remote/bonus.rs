//! `gm bonus`: place a bonus on the ring, and remove one (R-12.3).
//!
//! ```text
//! gm bonus place 42 --dollars 10 --use once-per-team
//! gm bonus remove 3
//! ```

use super::car::KindName;
use super::connection::{Once, Server, call};
use super::which::WhichRace;
use crate::api::wire;
use crate::cli::Failure;
use clap::{Args, Subcommand, ValueEnum};
use wire::bonus_effect::Effect;

/// Place bonuses on the ring, and remove them
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(in crate::cli) struct Bonus {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Place(Place),
    Remove(Remove),
}

impl Bonus {
    pub(in crate::cli) async fn run(self) -> Result<(), Failure> {
        match self.command {
            Command::Place(place) => place.run().await,
            Command::Remove(remove) => remove.run().await,
        }
    }
}

/// Place a bonus on the ring, from the next turn on
#[derive(Debug, Args)]
#[command(after_long_help = PLACE)]
struct Place {
    /// The place on the ring, from 0; at most one bonus lies on a place
    place: u32,

    #[command(flatten)]
    effect: EffectFlags,

    /// How often it can be taken
    #[arg(long = "use", value_enum, value_name = "HOW OFTEN", default_value = "once")]
    often: Often,

    /// Only you see it until it is first taken
    #[arg(long)]
    hidden: bool,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

const PLACE: &str = "Examples:

    gm bonus place 42 --dollars 10
    gm bonus place 100 --module engine --use once-per-team --hidden
    gm bonus place 7 --miss-turn --use always";

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct EffectFlags {
    /// Dollars for the team
    #[arg(long, value_name = "N")]
    dollars: Option<u32>,

    /// Victory points for the team
    #[arg(long, value_name = "N")]
    points: Option<u32>,

    /// A module for the car
    #[arg(long, value_enum, value_name = "KIND")]
    module: Option<KindName>,

    /// The car advances by so many squares
    #[arg(long, value_name = "SQUARES")]
    advance: Option<u32>,

    /// The car goes back by so many squares
    #[arg(long, value_name = "SQUARES")]
    go_back: Option<u32>,

    /// The car has one more turn to miss
    #[arg(long)]
    miss_turn: bool,

    /// The car has no turn left to miss
    #[arg(long)]
    clear_turns_to_miss: bool,
}

impl EffectFlags {
    fn to_wire(&self) -> Option<Effect> {
        let one_of = [
            self.dollars.map(Effect::Dollars),
            self.points.map(Effect::Points),
            self.module.map(|kind| Effect::Module(kind.to_wire().into())),
            self.advance.map(Effect::Advance),
            self.go_back.map(Effect::GoBack),
            self.miss_turn.then_some(Effect::MissTurn(true)),
            self.clear_turns_to_miss.then_some(Effect::ClearTurnsToMiss(true)),
        ];
        one_of.into_iter().flatten().next()
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Often {
    /// Once in all
    Once,
    /// Once by each team
    OncePerTeam,
    /// By every car that ends its move there
    Always,
}

impl Place {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let often = match self.often {
            Often::Once => wire::BonusUse::Once,
            Often::OncePerTeam => wire::BonusUse::OncePerTeam,
            Often::Always => wire::BonusUse::Always,
        };
        let bonus = wire::Bonus {
            place: self.place,
            effect: Some(wire::BonusEffect { effect: self.effect.to_wire() }),
            r#use: often.into(),
            hidden: self.hidden,
            ..Default::default()
        };
        let request = wire::PlaceBonusRequest { request_id: self.once.id(), race_id, bonus: Some(bonus) };
        let placed = call!(line, admin.place_bonus(request))?;
        line.show(&placed, |placed| {
            format!("the bonus lies on place {} from turn {} on", self.place, placed.turn)
        })
    }
}

/// Remove a bonus, from the next turn on
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n\n    gm bonus remove 3")]
struct Remove {
    /// The bonus's number; `gm race show` names them
    bonus: u32,

    #[command(flatten)]
    race: WhichRace,

    #[command(flatten)]
    once: Once,

    #[command(flatten)]
    server: Server,
}

impl Remove {
    async fn run(self) -> Result<(), Failure> {
        let line = self.server.line()?;
        let race_id = self.race.find(&line).await?;
        let request = wire::RemoveBonusRequest { request_id: self.once.id(), race_id, bonus_id: self.bonus };
        let removed = call!(line, admin.remove_bonus(request))?;
        line.show(&removed, |removed| format!("bonus {} is gone from turn {} on", self.bonus, removed.turn))
    }
}

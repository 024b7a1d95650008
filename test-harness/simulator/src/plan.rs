//! A race that is to be played, written out: its rules, its cars and AIs, and every step of it.
//!
//! ```json
//! {"seed": 7, "rules": {…}, "inspected": [2], "cars": [{"instance": "i-1", …}], "pirates": {…},
//!  "steps": [{"commands": [{"start": null}]}, {"turn": {}}]}
//! ```
//!
//! As JSON it repeats a race: `simulate --plan FILE`. Everything in it that behaves by chance draws from dice of its own,
//! so that a car behaves as before when another one is taken out of the plan.

use gm_core::contract::{BaseUrl, Kind};
use gm_core::ids::TeamId;
use gm_core::race::Rules;
use gm_core::race::command::Command;
use serde::{Deserialize, Serialize};

/// A race that is to be played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The seed of the race, and of the dice of those who take part.
    pub seed: u64,
    /// Its rules.
    pub rules: Rules,
    /// The teams whose resources are inspected (CONTRACT I).
    pub inspected: Vec<TeamId>,
    /// The cars that there are; they take part when a command registers them.
    pub cars: Vec<CarPlan>,
    /// How the pirates play.
    pub pirates: MindPlan,
    /// What happens, one after the other.
    pub steps: Vec<Step>,
}

/// A car of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CarPlan {
    /// Whose dice it throws.
    pub dice: u32,
    /// Its instance name.
    pub instance: String,
    /// Where it is.
    pub url: BaseUrl,
    /// Whether its URL is found by its instance name (R-2.1).
    pub is_listed: bool,
    /// How many engines, pilots and weapons it starts with.
    pub modules: [u32; 3],
    /// What it decides.
    pub strategy: Strategy,
    /// What goes wrong with it.
    pub faults: Faults<CarFault>,
    /// Its duel AI; none: it names a URL that can't be used (C-16).
    pub mind: Option<MindPlan>,
}

/// What a car decides, in percent of the times that it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strategy {
    /// It searches a wreck.
    pub searches: u32,
    /// It drives through a minefield.
    pub crosses: u32,
    /// It wants to fight.
    pub fights: u32,
    /// It buys in a garage.
    pub buys: u32,
    /// What it buys; none: another thing each time.
    pub favourite: Option<Kind>,
}

/// What goes wrong, and how often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faults<F> {
    /// In percent of the requests.
    pub percent: u32,
    /// What may go wrong, all equally likely.
    pub kinds: Vec<F>,
}

impl<F> Faults<F> {
    /// Nothing goes wrong.
    #[must_use]
    pub const fn none() -> Faults<F> {
        Faults { percent: 0, kinds: Vec::new() }
    }
}

/// Something that goes wrong with a request to a car.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarFault {
    /// No answer comes: nobody is there, it is late, it breaks off, it is too large.
    NoAnswer,
    /// The answer has some other status.
    Status,
    /// The answer is not JSON, or not what was asked for.
    Nonsense,
    /// The right answer, in a form that is accepted all the same (C-22).
    Sloppy,
    /// Another value of the right form.
    WrongValue,
    /// A command is answered, and not obeyed.
    Disobeys,
    /// A module has gone.
    LosesModule,
    /// A module has come from nowhere.
    FindsModule,
    /// It is on another square than it was told.
    Drifts,
    /// What an inspector will find is in disorder, or can't be read.
    Disorder,
    /// What an inspector will find is in order again.
    Tidies,
}

impl CarFault {
    /// All of them.
    pub const ALL: [CarFault; 11] = [
        CarFault::NoAnswer,
        CarFault::Status,
        CarFault::Nonsense,
        CarFault::Sloppy,
        CarFault::WrongValue,
        CarFault::Disobeys,
        CarFault::LosesModule,
        CarFault::FindsModule,
        CarFault::Drifts,
        CarFault::Disorder,
        CarFault::Tidies,
    ];
}

/// How somebody plays a duel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MindPlan {
    /// Whose dice it throws.
    pub dice: u32,
    /// How it plays.
    pub plays: MindKind,
    /// What goes wrong with it.
    pub faults: Faults<MindFault>,
}

/// How a duel AI plays when nothing goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MindKind {
    /// The first legal play.
    First,
    /// Any legal play, all equally likely.
    Random,
    /// The play with most cards, so that it attacks when it can.
    Fierce,
}

/// Something that goes wrong with a question to a duel AI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MindFault {
    /// No answer comes.
    NoAnswer,
    /// The answer has some other status.
    Status,
    /// The answer is not JSON, or no list of cards.
    Nonsense,
    /// The right answer, in a form that is accepted all the same (C-22).
    Sloppy,
    /// Cards that may not be played.
    Illegal,
}

impl MindFault {
    /// All of them.
    pub const ALL: [MindFault; 5] =
        [MindFault::NoAnswer, MindFault::Status, MindFault::Nonsense, MindFault::Sloppy, MindFault::Illegal];
}

/// One step of a race.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Commands are settled between two turns, in this order (R-3.0).
    Commands {
        /// Which.
        commands: Vec<Command>,
        /// Whether they are registrations that are decided all or none.
        #[serde(default)]
        together: bool,
        /// What happens besides.
        #[serde(default)]
        besides: Besides,
    },
    /// A turn is played (R-3); nothing happens if the race does not run.
    Turn {
        /// What happens besides.
        #[serde(default)]
        besides: Besides,
    },
}

/// What happens besides while a decision is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Besides {
    /// The race's time is up (R-10.2).
    pub time_is_up: bool,
    /// The time of each duel is up after its next answer, which this seat, 0 or 1, took longer for (R-6.8).
    pub overdue: Option<u8>,
    /// So many inspections fail (CONTRACT I).
    pub failing_inspections: u32,
    /// The process dies at this point of the decision, counted from 1, and goes on from its record.
    pub dies_at: Option<u32>,
}

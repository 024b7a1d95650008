//! What people asked for between two turns, as it is stored.
//!
//! ```text
//! {"no":8,"command":{"grant":{"team":1,"dollars":50}}}
//! ```

use crate::event::{Achievement, BonusPlan, Encounter, EncounterOdds, Transfer};
use crate::word::Modules;
use serde::{Deserialize, Serialize};

/// A command with its number in order of arrival.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arrival {
    pub(crate) no: u32,
    pub(crate) command: Command,
}

/// What somebody wants to happen.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Command {
    CreateTeam { name: String, budget: Option<u64> },
    Register(Application),
    Start,
    Pause,
    Resume,
    Finish,
    Grant { team: u32, dollars: u64 },
    Declare { encounter: Encounter, cars: Option<Vec<u32>> },
    SetOdds(EncounterOdds),
    PlaceBonus(BonusPlan),
    RemoveBonus(u32),
    Transfer(Transfer),
    CorrectCar(CarCorrection),
    CorrectTeam(TeamCorrection),
    Complain { team: u32, turn: u32, text: String },
    AnswerComplaint { number: u32, text: String },
    Award { team: u32, achievement: Achievement },
    PublishHint { achievement: Achievement, text: String },
    Reveal { achievement: Achievement },
}

/// A registration (R-2.1).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Application {
    pub(crate) team: u32,
    pub(crate) instance: String,
    pub(crate) url: Option<String>,
}

/// A correction of a car (R-10.3).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CarCorrection {
    pub(crate) car: u32,
    pub(crate) reason: String,
    pub(crate) square: Option<u32>,
    pub(crate) turns_to_miss: Option<u32>,
    pub(crate) modules: Option<Modules>,
    pub(crate) standing: Option<NewStanding>,
}

/// What the jury makes of a car's place in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NewStanding {
    Reinstated,
    Retired,
}

/// A correction of a team (R-10.3).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TeamCorrection {
    pub(crate) team: u32,
    pub(crate) reason: String,
    pub(crate) budget: Option<u64>,
    pub(crate) points: i64,
}

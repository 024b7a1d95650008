//! Why something happened: the small words of the events.
//!
//! ```text
//! {"car":3}
//! {"jury":"it talked to another car"}
//! ```

use super::contract::Kind;
use super::domain;
use serde::{Deserialize, Serialize};

/// Who fights.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Combatant {
    Car(u32),
    Pirates,
}

impl From<&domain::Combatant> for Combatant {
    fn from(it: &domain::Combatant) -> Combatant {
        match it {
            domain::Combatant::Car(car) => Combatant::Car(car.0),
            domain::Combatant::Pirates => Combatant::Pirates,
        }
    }
}

impl From<Combatant> for domain::Combatant {
    fn from(it: Combatant) -> domain::Combatant {
        match it {
            Combatant::Car(car) => domain::Combatant::Car(domain::CarId(car)),
            Combatant::Pirates => domain::Combatant::Pirates,
        }
    }
}

/// Why a car is out of the race.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Retirement {
    OutOfFuel,
    Destroyed,
    NoPilot,
    Jury(String),
}

impl From<&domain::Retirement> for Retirement {
    fn from(it: &domain::Retirement) -> Retirement {
        match it {
            domain::Retirement::OutOfFuel => Retirement::OutOfFuel,
            domain::Retirement::Destroyed => Retirement::Destroyed,
            domain::Retirement::NoPilot => Retirement::NoPilot,
            domain::Retirement::Jury(reason) => Retirement::Jury(reason.clone()),
        }
    }
}

impl From<Retirement> for domain::Retirement {
    fn from(it: Retirement) -> domain::Retirement {
        match it {
            Retirement::OutOfFuel => domain::Retirement::OutOfFuel,
            Retirement::Destroyed => domain::Retirement::Destroyed,
            Retirement::NoPilot => domain::Retirement::NoPilot,
            Retirement::Jury(reason) => domain::Retirement::Jury(reason),
        }
    }
}

/// Why a car moved otherwise than on track.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StepCause {
    Garage,
    Bonus,
}

impl From<&domain::StepCause> for StepCause {
    fn from(it: &domain::StepCause) -> StepCause {
        match it {
            domain::StepCause::Garage => StepCause::Garage,
            domain::StepCause::Bonus => StepCause::Bonus,
        }
    }
}

impl From<StepCause> for domain::StepCause {
    fn from(it: StepCause) -> domain::StepCause {
        match it {
            StepCause::Garage => domain::StepCause::Garage,
            StepCause::Bonus => domain::StepCause::Bonus,
        }
    }
}

/// Why a car has more turns to miss.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DelayCause {
    Wreck,
    Minefield,
}

impl From<&domain::DelayCause> for DelayCause {
    fn from(it: &domain::DelayCause) -> DelayCause {
        match it {
            domain::DelayCause::Wreck => DelayCause::Wreck,
            domain::DelayCause::Minefield => DelayCause::Minefield,
        }
    }
}

impl From<DelayCause> for domain::DelayCause {
    fn from(it: DelayCause) -> domain::DelayCause {
        match it {
            DelayCause::Wreck => domain::DelayCause::Wreck,
            DelayCause::Minefield => domain::DelayCause::Minefield,
        }
    }
}

/// How a module was gained.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum GainCause {
    Wreck,
    Garage,
    Spoils,
    Transfer,
    Bonus,
}

impl From<&domain::GainCause> for GainCause {
    fn from(it: &domain::GainCause) -> GainCause {
        match it {
            domain::GainCause::Wreck => GainCause::Wreck,
            domain::GainCause::Garage => GainCause::Garage,
            domain::GainCause::Spoils => GainCause::Spoils,
            domain::GainCause::Transfer => GainCause::Transfer,
            domain::GainCause::Bonus => GainCause::Bonus,
        }
    }
}

impl From<GainCause> for domain::GainCause {
    fn from(it: GainCause) -> domain::GainCause {
        match it {
            GainCause::Wreck => domain::GainCause::Wreck,
            GainCause::Garage => domain::GainCause::Garage,
            GainCause::Spoils => domain::GainCause::Spoils,
            GainCause::Transfer => domain::GainCause::Transfer,
            GainCause::Bonus => domain::GainCause::Bonus,
        }
    }
}

/// How a module was lost.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LossCause {
    Fight,
    Pirates,
    Minefield,
    Snakes,
    Transfer,
}

impl From<&domain::LossCause> for LossCause {
    fn from(it: &domain::LossCause) -> LossCause {
        match it {
            domain::LossCause::Fight => LossCause::Fight,
            domain::LossCause::Pirates => LossCause::Pirates,
            domain::LossCause::Minefield => LossCause::Minefield,
            domain::LossCause::Snakes => LossCause::Snakes,
            domain::LossCause::Transfer => LossCause::Transfer,
        }
    }
}

impl From<LossCause> for domain::LossCause {
    fn from(it: LossCause) -> domain::LossCause {
        match it {
            LossCause::Fight => domain::LossCause::Fight,
            LossCause::Pirates => domain::LossCause::Pirates,
            LossCause::Minefield => domain::LossCause::Minefield,
            LossCause::Snakes => domain::LossCause::Snakes,
            LossCause::Transfer => domain::LossCause::Transfer,
        }
    }
}

/// What was in a wreck.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Find {
    Nothing,
    Module(Kind),
    Snakes,
}

impl From<&domain::Find> for Find {
    fn from(it: &domain::Find) -> Find {
        match it {
            domain::Find::Nothing => Find::Nothing,
            domain::Find::Module(kind) => Find::Module(kind.into()),
            domain::Find::Snakes => Find::Snakes,
        }
    }
}

impl From<Find> for domain::Find {
    fn from(it: Find) -> domain::Find {
        match it {
            Find::Nothing => domain::Find::Nothing,
            Find::Module(kind) => domain::Find::Module(kind.into()),
            Find::Snakes => domain::Find::Snakes,
        }
    }
}

/// Why a race ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ending {
    TimeUp,
    LastTurn,
    NobodyLeft,
    Admin,
}

impl From<&domain::Ending> for Ending {
    fn from(it: &domain::Ending) -> Ending {
        match it {
            domain::Ending::TimeUp => Ending::TimeUp,
            domain::Ending::LastTurn => Ending::LastTurn,
            domain::Ending::NobodyLeft => Ending::NobodyLeft,
            domain::Ending::Admin => Ending::Admin,
        }
    }
}

impl From<Ending> for domain::Ending {
    fn from(it: Ending) -> domain::Ending {
        match it {
            Ending::TimeUp => domain::Ending::TimeUp,
            Ending::LastTurn => domain::Ending::LastTurn,
            Ending::NobodyLeft => domain::Ending::NobodyLeft,
            Ending::Admin => domain::Ending::Admin,
        }
    }
}

/// Why a transfer was not settled.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TransferProblem {
    NotRacing,
    Apart,
    NoSuchModule,
}

impl From<&domain::TransferProblem> for TransferProblem {
    fn from(it: &domain::TransferProblem) -> TransferProblem {
        match it {
            domain::TransferProblem::NotRacing => TransferProblem::NotRacing,
            domain::TransferProblem::Apart => TransferProblem::Apart,
            domain::TransferProblem::NoSuchModule => TransferProblem::NoSuchModule,
        }
    }
}

impl From<TransferProblem> for domain::TransferProblem {
    fn from(it: TransferProblem) -> domain::TransferProblem {
        match it {
            TransferProblem::NotRacing => domain::TransferProblem::NotRacing,
            TransferProblem::Apart => domain::TransferProblem::Apart,
            TransferProblem::NoSuchModule => domain::TransferProblem::NoSuchModule,
        }
    }
}

//! What people ask for.
//!
//! ```text
//! {"no":7,"command":"pause"}
//! {"no":8,"command":{"grant":{"team":1,"dollars":50}}}
//! ```

use super::contract::Modules;
use super::module::Transfer;
use super::ring::{BonusPlan, Encounter, EncounterOdds};
use super::score::Achievement;
use super::{Wrong, domain};
use serde::{Deserialize, Serialize};

/// A command with its number in order of arrival.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arrival {
    no: u32,
    command: Command,
}

impl From<&domain::Arrival> for Arrival {
    fn from(it: &domain::Arrival) -> Arrival {
        let domain::Arrival { no, command } = it;
        Arrival { no: no.0, command: command.into() }
    }
}

impl TryFrom<Arrival> for domain::Arrival {
    type Error = Wrong;
    fn try_from(it: Arrival) -> Result<domain::Arrival, Wrong> {
        let Arrival { no, command } = it;
        Ok(domain::Arrival {
            no: domain::CommandNo(no),
            command: command.try_into().map_err(|wrong: Wrong| wrong.within("command"))?,
        })
    }
}

/// What somebody wants to happen.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Command {
    CreateTeam {
        name: String,
        #[serde(deserialize_with = "Option::deserialize")]
        budget: Option<u64>,
    },
    Register(Application),
    Start,
    Pause,
    Resume,
    Finish,
    Grant {
        team: u32,
        dollars: u64,
    },
    Declare {
        encounter: Encounter,
        #[serde(deserialize_with = "Option::deserialize")]
        cars: Option<Vec<u32>>,
    },
    SetOdds(EncounterOdds),
    PlaceBonus(BonusPlan),
    RemoveBonus(u32),
    Transfer(Transfer),
    CorrectCar(CarCorrection),
    CorrectTeam(TeamCorrection),
    Complain {
        team: u32,
        turn: u32,
        text: String,
    },
    AnswerComplaint {
        number: u32,
        text: String,
    },
    Award {
        team: u32,
        achievement: Achievement,
    },
    PublishHint {
        achievement: Achievement,
        text: String,
    },
    Reveal {
        achievement: Achievement,
    },
}

impl From<&domain::Command> for Command {
    fn from(it: &domain::Command) -> Command {
        match it {
            domain::Command::CreateTeam { name, budget } => {
                Command::CreateTeam { name: name.clone(), budget: budget.map(|dollars| dollars.0) }
            }
            domain::Command::Register(application) => Command::Register(application.into()),
            domain::Command::Start => Command::Start,
            domain::Command::Pause => Command::Pause,
            domain::Command::Resume => Command::Resume,
            domain::Command::Finish => Command::Finish,
            domain::Command::Grant { team, dollars } => Command::Grant { team: team.0, dollars: dollars.0 },
            domain::Command::Declare { encounter, cars } => Command::Declare {
                encounter: encounter.into(),
                cars: cars.as_ref().map(|cars| cars.iter().map(|car| car.0).collect()),
            },
            domain::Command::SetOdds(odds) => Command::SetOdds(odds.into()),
            domain::Command::PlaceBonus(plan) => Command::PlaceBonus(plan.into()),
            domain::Command::RemoveBonus(bonus) => Command::RemoveBonus(bonus.0),
            domain::Command::Transfer(transfer) => Command::Transfer(transfer.into()),
            domain::Command::CorrectCar(correction) => Command::CorrectCar(correction.into()),
            domain::Command::CorrectTeam(correction) => Command::CorrectTeam(correction.into()),
            domain::Command::Complain { team, turn, text } => {
                Command::Complain { team: team.0, turn: turn.0, text: text.clone() }
            }
            domain::Command::AnswerComplaint { number, text } => {
                Command::AnswerComplaint { number: *number, text: text.clone() }
            }
            domain::Command::Award { team, achievement } => {
                Command::Award { team: team.0, achievement: achievement.into() }
            }
            domain::Command::PublishHint { achievement, text } => {
                Command::PublishHint { achievement: achievement.into(), text: text.clone() }
            }
            domain::Command::Reveal { achievement } => Command::Reveal { achievement: achievement.into() },
        }
    }
}

impl TryFrom<Command> for domain::Command {
    type Error = Wrong;
    fn try_from(it: Command) -> Result<domain::Command, Wrong> {
        Ok(match it {
            Command::CreateTeam { name, budget } => {
                domain::Command::CreateTeam { name, budget: budget.map(domain::Dollars) }
            }
            Command::Register(application) => domain::Command::Register(
                application.try_into().map_err(|wrong: Wrong| wrong.within("register"))?,
            ),
            Command::Start => domain::Command::Start,
            Command::Pause => domain::Command::Pause,
            Command::Resume => domain::Command::Resume,
            Command::Finish => domain::Command::Finish,
            Command::Grant { team, dollars } => {
                domain::Command::Grant { team: domain::TeamId(team), dollars: domain::Dollars(dollars) }
            }
            Command::Declare { encounter, cars } => domain::Command::Declare {
                encounter: encounter.into(),
                cars: cars.map(|cars| cars.into_iter().map(domain::CarId).collect()),
            },
            Command::SetOdds(odds) => domain::Command::SetOdds(odds.into()),
            Command::PlaceBonus(plan) => domain::Command::PlaceBonus(plan.into()),
            Command::RemoveBonus(bonus) => domain::Command::RemoveBonus(domain::BonusId(bonus)),
            Command::Transfer(transfer) => domain::Command::Transfer(transfer.into()),
            Command::CorrectCar(correction) => domain::Command::CorrectCar(correction.into()),
            Command::CorrectTeam(correction) => domain::Command::CorrectTeam(correction.into()),
            Command::Complain { team, turn, text } => {
                domain::Command::Complain { team: domain::TeamId(team), turn: domain::TurnNo(turn), text }
            }
            Command::AnswerComplaint { number, text } => domain::Command::AnswerComplaint { number, text },
            Command::Award { team, achievement } => {
                domain::Command::Award { team: domain::TeamId(team), achievement: achievement.into() }
            }
            Command::PublishHint { achievement, text } => {
                domain::Command::PublishHint { achievement: achievement.into(), text }
            }
            Command::Reveal { achievement } => domain::Command::Reveal { achievement: achievement.into() },
        })
    }
}

/// A registration.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Application {
    team: u32,
    instance: String,
    #[serde(deserialize_with = "Option::deserialize")]
    url: Option<String>,
}

impl From<&domain::Application> for Application {
    fn from(it: &domain::Application) -> Application {
        let domain::Application { team, instance, url } = it;
        Application {
            team: team.0,
            instance: instance.clone(),
            url: url.as_ref().map(|url| url.as_str().to_owned()),
        }
    }
}

impl TryFrom<Application> for domain::Application {
    type Error = Wrong;
    fn try_from(it: Application) -> Result<domain::Application, Wrong> {
        let Application { team, instance, url } = it;
        Ok(domain::Application {
            team: domain::TeamId(team),
            instance,
            url: url.map(|url| super::base_url("url", &url)).transpose()?,
        })
    }
}

/// A correction of a car by the jury.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CarCorrection {
    car: u32,
    reason: String,
    #[serde(deserialize_with = "Option::deserialize")]
    square: Option<u32>,
    #[serde(deserialize_with = "Option::deserialize")]
    turns_to_miss: Option<u32>,
    #[serde(deserialize_with = "Option::deserialize")]
    modules: Option<Modules>,
    #[serde(deserialize_with = "Option::deserialize")]
    standing: Option<NewStanding>,
}

impl From<&domain::CarCorrection> for CarCorrection {
    fn from(it: &domain::CarCorrection) -> CarCorrection {
        let domain::CarCorrection { car, reason, square, turns_to_miss, modules, standing } = it;
        CarCorrection {
            car: car.0,
            reason: reason.clone(),
            square: square.map(|square| square.0),
            turns_to_miss: *turns_to_miss,
            modules: modules.as_ref().map(Into::into),
            standing: standing.as_ref().map(Into::into),
        }
    }
}

impl From<CarCorrection> for domain::CarCorrection {
    fn from(it: CarCorrection) -> domain::CarCorrection {
        let CarCorrection { car, reason, square, turns_to_miss, modules, standing } = it;
        domain::CarCorrection {
            car: domain::CarId(car),
            reason,
            square: square.map(domain::Square),
            turns_to_miss,
            modules: modules.map(Into::into),
            standing: standing.map(Into::into),
        }
    }
}

/// What the jury makes of a car's place in the race.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NewStanding {
    Reinstated,
    Retired,
}

impl From<&domain::NewStanding> for NewStanding {
    fn from(it: &domain::NewStanding) -> NewStanding {
        match it {
            domain::NewStanding::Reinstated => NewStanding::Reinstated,
            domain::NewStanding::Retired => NewStanding::Retired,
        }
    }
}

impl From<NewStanding> for domain::NewStanding {
    fn from(it: NewStanding) -> domain::NewStanding {
        match it {
            NewStanding::Reinstated => domain::NewStanding::Reinstated,
            NewStanding::Retired => domain::NewStanding::Retired,
        }
    }
}

/// A correction of a team by the jury.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TeamCorrection {
    team: u32,
    reason: String,
    #[serde(deserialize_with = "Option::deserialize")]
    budget: Option<u64>,
    points: i64,
}

impl From<&domain::TeamCorrection> for TeamCorrection {
    fn from(it: &domain::TeamCorrection) -> TeamCorrection {
        let domain::TeamCorrection { team, reason, budget, points } = it;
        TeamCorrection {
            team: team.0,
            reason: reason.clone(),
            budget: budget.map(|dollars| dollars.0),
            points: points.0,
        }
    }
}

impl From<TeamCorrection> for domain::TeamCorrection {
    fn from(it: TeamCorrection) -> domain::TeamCorrection {
        let TeamCorrection { team, reason, budget, points } = it;
        domain::TeamCorrection {
            team: domain::TeamId(team),
            reason,
            budget: budget.map(domain::Dollars),
            points: domain::Points(points),
        }
    }
}

//! What people ask for: commands. They take effect between two turns, one after the other in order of
//! arrival.

use super::event::{Achievement, Event, TransferProblem};
use super::jury;
use super::registration::{self, Dossier};
use super::rules::{EncounterOdds, MOST_DOLLARS};
use super::state::{BonusId, BonusPlan, Car, Encounter, Ending, Life, Race, Team, Transfer};
use super::turn::Turn;
use super::{achievements, life, scoring, transfer};
use crate::ids::{CarId, CommandNo, Dollars, Place, TeamId, TurnNo};
use crate::ports::World;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use super::jury::{CarCorrection, NewStanding, TeamCorrection};
pub use super::registration::Application;

/// The most characters of a team's name.
pub const LONGEST_NAME: usize = 100;
/// The most characters of a reason, a complaint, an answer or a hint.
pub const LONGEST_TEXT: usize = 4_000;

/// Something that somebody wants to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A team takes part. Its id is the next free one.
    CreateTeam {
        /// Its name, 1 to 100 characters, unique in the race.
        name: String,
        /// What it starts with; none = what the rules say. At most 1,000,000 dollars.
        budget: Option<Dollars>,
    },
    /// A team registers a car.
    Register(Application),
    /// The race starts.
    Start,
    /// The race pauses.
    Pause,
    /// The race goes on.
    Resume,
    /// The race is over.
    Finish,
    /// A team is granted additional budget.
    Grant {
        /// The team.
        team: TeamId,
        /// 1 to 1,000,000 dollars.
        dollars: Dollars,
    },
    /// The encounter of the next turn is declared.
    Declare {
        /// Which.
        encounter: Encounter,
        /// For which cars; none = for all.
        cars: Option<Vec<CarId>>,
    },
    /// The odds of the encounters are set.
    SetOdds(EncounterOdds),
    /// A bonus is placed on the ring.
    PlaceBonus(BonusPlan),
    /// A bonus is taken off the ring.
    RemoveBonus(BonusId),
    /// A team moves a module between two of its cars.
    Transfer(Transfer),
    /// The jury corrects a car.
    CorrectCar(CarCorrection),
    /// The jury corrects a team.
    CorrectTeam(TeamCorrection),
    /// A team complains to the jury.
    Complain {
        /// The team.
        team: TeamId,
        /// About which turn; not one that is still to come.
        turn: TurnNo,
        /// What it says, 1 to 4,000 characters.
        text: String,
    },
    /// The jury answers a complaint. A later answer replaces an earlier one.
    AnswerComplaint {
        /// Its number.
        number: u32,
        /// What the jury says, 1 to 4,000 characters.
        text: String,
    },
    /// The admin awards an achievement by hand.
    Award {
        /// To which team.
        team: TeamId,
        /// Which.
        achievement: Achievement,
    },
    /// The admin publishes a hint to an achievement.
    PublishHint {
        /// To which.
        achievement: Achievement,
        /// The hint, 1 to 4,000 characters.
        text: String,
    },
    /// The admin reveals an achievement.
    Reveal {
        /// Which.
        achievement: Achievement,
    },
}

/// A command with its number in order of arrival in the race, which names the conversations that it leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arrival {
    /// Its number, from 1. No two commands of a race have the same.
    pub no: CommandNo,
    /// What is wanted.
    pub command: Command,
}

/// Why a command is refused. Nothing has happened then. (That a car is not registered is an event, not a refusal.)
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The race is not running.
    #[error("the race is not running: start or resume it first")]
    NotRunning,
    /// The race has been started already.
    #[error("the race has been started already")]
    AlreadyStarted,
    /// The race is not paused.
    #[error("the race is not paused")]
    NotPaused,
    /// The race is over.
    #[error("the race is over: only the jury can still correct it")]
    Finished,
    /// There is no such team.
    #[error("there is no team {0} in this race")]
    NoSuchTeam(TeamId),
    /// There is no such car.
    #[error("there is no car {0} in this race")]
    NoSuchCar(CarId),
    /// The car belongs to another team.
    #[error("car {0} belongs to another team")]
    OtherTeamsCar(CarId),
    /// The car is out of the race.
    #[error("car {0} is out of the race: reinstate it first")]
    IsRetired(CarId),
    /// The car is not out of the race.
    #[error("car {0} is not out of the race")]
    NotRetired(CarId),
    /// A car without a pilot can't be reinstated.
    #[error("car {0} has no pilot: give it one with the same correction")]
    NoPilotToReinstate(CarId),
    /// Another car takes part under the same URL.
    #[error("another car takes part under the URL of car {0}")]
    UrlInUse(CarId),
    /// A team's name is empty, too long or holds control characters.
    #[error("a team's name must have 1 to 100 characters, none of them a control character")]
    BadName,
    /// A team's name is taken.
    #[error("there is a team named {0:?} already")]
    NameTaken(String),
    /// A text is blank or too long.
    #[error("the text must have 1 to 4,000 characters, not all of them blank")]
    BadText,
    /// An amount is not within its bounds.
    #[error("{dollars} can't be granted: the amount must be from $1 to $1000000")]
    BadAmount {
        /// The amount.
        dollars: Dollars,
    },
    /// A value is too great.
    #[error("{what}: must not be above {most}")]
    TooMuch {
        /// Which value.
        what: &'static str,
        /// The most that it can be.
        most: u32,
    },
    /// A correction that corrects nothing.
    #[error("the correction names nothing to correct")]
    NothingToCorrect,
    /// A declaration for no car at all.
    #[error("name at least one car, or leave the cars out to declare the encounter for all")]
    NoCars,
    /// The odds don't add up to 100 percent.
    #[error("encounters: {0}")]
    BadOdds(String),
    /// A bonus that can't lie on the ring.
    #[error("bonus: {0}")]
    BadBonus(String),
    /// There is a bonus on that place already.
    #[error("there is a bonus on place {0} already: remove it first")]
    PlaceTaken(Place),
    /// There is no such bonus.
    #[error("there is no bonus {0} on the ring")]
    NoSuchBonus(BonusId),
    /// The rules of this race don't allow transfers.
    #[error("the rules of this race don't allow transfers")]
    NoTransfers,
    /// From a car to itself.
    #[error("the two cars of a transfer must be different")]
    SameCar,
    /// The car waits for another transfer.
    #[error("car {0} has a transfer waiting for the next turn already")]
    TransferWaits(CarId),
    /// The transfer can't be settled.
    #[error("{0}")]
    Transfer(TransferProblem),
    /// A complaint about a turn that was not played yet.
    #[error("turn {0} has not been played yet")]
    FutureTurn(TurnNo),
    /// There is no such complaint.
    #[error("there is no complaint {0}")]
    NoSuchComplaint(u32),
    /// The team has the achievement already.
    #[error("team {0} has the achievement {1} already")]
    HasAchievement(TeamId, Achievement),
}

/// Decides on one command between two turns, talking to cars where it must. The events are to be applied by the
/// caller.
///
/// # Errors
/// Why it is refused. Nothing has happened then.
pub async fn decide<W: World>(race: &Race, world: &W, arrival: Arrival) -> Result<Vec<Event>, Refusal> {
    let mut turn = Turn::of(race, world);
    let settled = settle(&mut turn, &[arrival]).await;
    settled.into_iter().collect::<Result<Vec<()>, Refusal>>()?;
    Ok(turn.events)
}

/// Settles commands in order of arrival. Cars to be registered are inspected side by side before, and told side by
/// side after: a car that does not answer holds up nobody else's.
pub(super) async fn settle<W: World>(turn: &mut Turn<'_, W>, inbox: &[Arrival]) -> Vec<Result<(), Refusal>> {
    let mut registry = Registry { dossiers: inspect(turn, inbox).await, registered: Vec::new() };
    let mut settled = Vec::with_capacity(inbox.len());
    for arrival in inbox {
        settled.push(settle_one(turn, &mut registry, arrival).await);
    }
    let (race, world) = (&turn.race, turn.world);
    join_all(registry.registered.into_iter().map(|(no, car)| registration::welcome(race, world, no, car)))
        .await;
    settled
}

/// The cars that were inspected, and those that were registered.
struct Registry {
    dossiers: BTreeMap<CommandNo, Dossier>,
    registered: Vec<(CommandNo, CarId)>,
}

async fn inspect<W: World>(turn: &Turn<'_, W>, inbox: &[Arrival]) -> BTreeMap<CommandNo, Dossier> {
    let inspections = inbox.iter().filter_map(|arrival| match &arrival.command {
        Command::Register(application) if !turn.race.is_finished() => Some(async move {
            (arrival.no, registration::inspect(&turn.race, turn.world, arrival.no, application).await)
        }),
        _ => None,
    });
    join_all(inspections).await.into_iter().collect()
}

async fn settle_one<W: World>(
    turn: &mut Turn<'_, W>,
    registry: &mut Registry,
    Arrival { no, command }: &Arrival,
) -> Result<(), Refusal> {
    let race = &turn.race;
    let event = match command {
        Command::Register(application) => {
            still_on(race)?;
            team(race, application.team)?;
            let dossier = registry.dossiers.remove(no).unwrap_or_default();
            registry
                .registered
                .extend(registration::settle(turn, application, dossier).map(|car| (*no, car)));
            return Ok(());
        }
        Command::CorrectCar(correction) => return jury::correct_car(turn, *no, correction).await,
        Command::CorrectTeam(correction) => return jury::correct_team(turn, correction),
        Command::Transfer(wanted) => transfer::ask(race, wanted)?,
        Command::Finish => {
            still_on(race)?;
            life::finish(turn, Ending::Admin);
            return Ok(());
        }
        Command::Award { team, achievement } => {
            let awarded = award(race, *team, *achievement)?;
            turn.emit(awarded);
            scoring::settle(turn);
            return Ok(());
        }
        Command::CreateTeam { name, budget } => create_team(race, name, *budget)?,
        Command::Start => start(race)?,
        Command::Pause => pause(race)?,
        Command::Resume => resume(race)?,
        Command::Grant { team, dollars } => grant(race, *team, *dollars)?,
        Command::Declare { encounter, cars } => declare(race, *encounter, cars.as_deref())?,
        Command::SetOdds(odds) => set_odds(race, *odds)?,
        Command::PlaceBonus(plan) => place_bonus(race, *plan)?,
        Command::RemoveBonus(id) => remove_bonus(race, *id)?,
        Command::Complain { team, turn, text } => complain(race, *team, *turn, text)?,
        Command::AnswerComplaint { number, text } => answer_complaint(race, *number, text)?,
        Command::PublishHint { achievement, text } => {
            check_text(text)?;
            Event::HintPublished { achievement: *achievement, text: text.clone() }
        }
        Command::Reveal { achievement } => Event::AchievementRevealed { achievement: *achievement },
    };
    turn.emit(event);
    Ok(())
}

fn still_on(race: &Race) -> Result<(), Refusal> {
    if race.is_finished() { Err(Refusal::Finished) } else { Ok(()) }
}

pub(super) fn team(race: &Race, id: TeamId) -> Result<&Team, Refusal> {
    race.teams.get(&id).ok_or(Refusal::NoSuchTeam(id))
}

pub(super) fn car(race: &Race, id: CarId) -> Result<&Car, Refusal> {
    race.cars.get(&id).ok_or(Refusal::NoSuchCar(id))
}

fn create_team(race: &Race, name: &str, budget: Option<Dollars>) -> Result<Event, Refusal> {
    still_on(race)?;
    if !(1..=LONGEST_NAME).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        return Err(Refusal::BadName);
    }
    if race.teams.values().any(|team| team.name == name) {
        return Err(Refusal::NameTaken(name.to_owned()));
    }
    let budget = budget.unwrap_or(Dollars(u64::from(race.rules.initial_budget)));
    if budget.0 > u64::from(MOST_DOLLARS) {
        return Err(Refusal::TooMuch { what: "budget", most: MOST_DOLLARS });
    }
    let team = TeamId(race.teams.keys().next_back().map_or(1, |last| last.0.saturating_add(1)));
    Ok(Event::TeamCreated { team, name: name.to_owned(), budget })
}

fn start(race: &Race) -> Result<Event, Refusal> {
    match race.life {
        Life::Preparing => Ok(Event::RaceStarted),
        Life::Running | Life::Paused => Err(Refusal::AlreadyStarted),
        Life::Finished(_) => Err(Refusal::Finished),
    }
}

fn pause(race: &Race) -> Result<Event, Refusal> {
    match race.life {
        Life::Running => Ok(Event::RacePaused),
        Life::Preparing | Life::Paused => Err(Refusal::NotRunning),
        Life::Finished(_) => Err(Refusal::Finished),
    }
}

fn resume(race: &Race) -> Result<Event, Refusal> {
    match race.life {
        Life::Paused => Ok(Event::RaceResumed),
        Life::Preparing | Life::Running => Err(Refusal::NotPaused),
        Life::Finished(_) => Err(Refusal::Finished),
    }
}

fn grant(race: &Race, id: TeamId, dollars: Dollars) -> Result<Event, Refusal> {
    team(race, id)?;
    if (1..=u64::from(MOST_DOLLARS)).contains(&dollars.0) {
        Ok(Event::BudgetGranted { team: id, dollars })
    } else {
        Err(Refusal::BadAmount { dollars })
    }
}

fn declare(race: &Race, encounter: Encounter, cars: Option<&[CarId]>) -> Result<Event, Refusal> {
    still_on(race)?;
    if cars.is_some_and(<[CarId]>::is_empty) {
        return Err(Refusal::NoCars);
    }
    for id in cars.into_iter().flatten() {
        if car(race, *id)?.is_retired() {
            return Err(Refusal::IsRetired(*id));
        }
    }
    Ok(Event::EncounterDeclared { encounter, cars: cars.map(<[CarId]>::to_vec) })
}

fn set_odds(race: &Race, odds: EncounterOdds) -> Result<Event, Refusal> {
    still_on(race)?;
    odds.check().map_err(Refusal::BadOdds)?;
    Ok(Event::OddsSet { odds })
}

fn place_bonus(race: &Race, plan: BonusPlan) -> Result<Event, Refusal> {
    still_on(race)?;
    plan.check(race.rules.track_length).map_err(Refusal::BadBonus)?;
    if race.bonuses.contains_key(&plan.place) {
        return Err(Refusal::PlaceTaken(plan.place));
    }
    Ok(Event::BonusPlaced { bonus: BonusId(race.bonuses_placed.saturating_add(1)), plan })
}

fn remove_bonus(race: &Race, id: BonusId) -> Result<Event, Refusal> {
    still_on(race)?;
    let bonus = race.bonuses.values().find(|bonus| bonus.id == id).ok_or(Refusal::NoSuchBonus(id))?;
    Ok(Event::BonusRemoved { bonus: id, place: bonus.plan.place })
}

fn complain(race: &Race, id: TeamId, turn: TurnNo, text: &str) -> Result<Event, Refusal> {
    team(race, id)?;
    check_text(text)?;
    if turn > race.turn {
        return Err(Refusal::FutureTurn(turn));
    }
    let number = u32::try_from(race.complaints.len()).unwrap_or(u32::MAX).saturating_add(1);
    Ok(Event::ComplaintFiled { number, team: id, turn, text: text.to_owned() })
}

fn answer_complaint(race: &Race, number: u32, text: &str) -> Result<Event, Refusal> {
    check_text(text)?;
    let complaint = race.complaints.iter().find(|complaint| complaint.number == number);
    let team = complaint.ok_or(Refusal::NoSuchComplaint(number))?.team;
    Ok(Event::ComplaintAnswered { number, team, text: text.to_owned() })
}

fn award(race: &Race, id: TeamId, achievement: Achievement) -> Result<Event, Refusal> {
    team(race, id)?;
    achievements::earn(race, id, None, achievement, true).ok_or(Refusal::HasAchievement(id, achievement))
}

/// Whether a text can be taken as a reason, a complaint, an answer or a hint.
pub(super) fn check_text(text: &str) -> Result<(), Refusal> {
    let is_blank = text.trim().is_empty();
    if is_blank || text.chars().count() > LONGEST_TEXT { Err(Refusal::BadText) } else { Ok(()) }
}

//! What people ask for: commands. They take effect between two turns (R-3.0), one after the other in order of
//! arrival.
//!
//! While turn 5 is played, the admin grants team 1 $50, then team 1 registers a car: it can pay with the $50 before
//! turn 6. Had they come the other way round, it could not.

use super::event::{Achievement, Event, TransferProblem};
use super::jury;
use super::registration::{self, Dossier};
use super::rules::{EncounterOdds, MOST_DOLLARS};
use super::state::{BonusId, BonusPlan, Car, Complaint, Encounter, Ending, Life, Race, Team, Transfer};
use super::turn::{Played, Turn};
use super::{achievements, life, scoring, transfer};
use crate::ids::{CarId, CommandNo, Dollars, Place, TeamId, TurnNo};
use crate::ports::World;
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use super::jury::{CarCorrection, NewStanding, TeamCorrection};
pub use super::registration::{Application, LONGEST_INSTANCE};

/// The most characters of a team's name.
pub const LONGEST_NAME: usize = 100;
/// The most complaints of one team that can wait for an answer.
pub const MOST_COMPLAINTS: usize = 100;
/// The most characters of a reason, a complaint, an answer or a hint.
pub const LONGEST_TEXT: usize = 4_000;

/// Something that somebody wants to happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A team takes part (R-1.1). Its id is the next free one.
    CreateTeam {
        /// Its name, 1 to 100 characters, unique in the race.
        name: String,
        /// What it starts with; none = what the rules say. At most 1,000,000 dollars.
        budget: Option<Dollars>,
    },
    /// A team registers a car (R-2).
    Register(Application),
    /// The race starts (R-10.1).
    Start,
    /// The race pauses (R-10.1).
    Pause,
    /// The race goes on (R-10.1).
    Resume,
    /// The race is over (R-10.2).
    Finish,
    /// A team is granted additional budget (R-10.4).
    Grant {
        /// The team.
        team: TeamId,
        /// 1 to 1,000,000 dollars.
        dollars: Dollars,
    },
    /// The encounter of the next turn is declared (R-3.3).
    Declare {
        /// Which.
        encounter: Encounter,
        /// For which cars; none = for all.
        cars: Option<Vec<CarId>>,
    },
    /// The odds of the encounters are set (R-3.3).
    SetOdds(EncounterOdds),
    /// A bonus is placed on the ring (R-12.3).
    PlaceBonus(BonusPlan),
    /// A bonus is taken off the ring (R-12.3).
    RemoveBonus(BonusId),
    /// A team moves a module between two of its cars (R-7.7).
    Transfer(Transfer),
    /// The jury corrects a car (R-10.3).
    CorrectCar(CarCorrection),
    /// The jury corrects a team (R-10.3).
    CorrectTeam(TeamCorrection),
    /// A team complains to the jury (R-10.3).
    Complain {
        /// The team.
        team: TeamId,
        /// About which turn; not one that is still to come.
        turn: TurnNo,
        /// What it says, 1 to 4,000 characters.
        text: String,
    },
    /// The jury answers a complaint (R-10.3). A later answer replaces an earlier one.
    AnswerComplaint {
        /// Its number.
        number: u32,
        /// What the jury says, 1 to 4,000 characters.
        text: String,
    },
    /// The admin awards an achievement by hand (R-9.1).
    Award {
        /// To which team.
        team: TeamId,
        /// Which.
        achievement: Achievement,
    },
    /// The admin publishes a hint to an achievement (R-9.1).
    PublishHint {
        /// To which.
        achievement: Achievement,
        /// The hint, 1 to 4,000 characters.
        text: String,
    },
    /// The admin reveals an achievement (R-9.1).
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
    /// A car without a pilot can't be reinstated (R-10.3).
    #[error("car {0} has no pilot: give it one with the same correction")]
    NoPilotToReinstate(CarId),
    /// Another car takes part under the same URL (R-1.2).
    #[error("another car takes part under the URL of car {0}")]
    UrlInUse(CarId),
    /// A team's name is empty, too long or holds control characters.
    #[error("a team's name must have 1 to 100 characters, none of them a control character")]
    BadName,
    /// A team's name is taken.
    #[error("there is a team named {0:?} already")]
    NameTaken(String),
    /// A text is blank, too long, or holds control characters.
    #[error("the text must have 1 to 4,000 characters, not all of them blank, and no control characters")]
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
    /// There is a bonus on that place already (R-12.1).
    #[error("there is a bonus on place {0} already: remove it first")]
    PlaceTaken(Place),
    /// There is no such bonus.
    #[error("there is no bonus {0} on the ring")]
    NoSuchBonus(BonusId),
    /// The rules of this race don't allow transfers (R-7.7).
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
    /// The team has complained too often without an answer.
    #[error("team {0} has 100 complaints that wait for an answer: the jury is to answer them first")]
    TooManyComplaints(TeamId),
    /// There is no such complaint.
    #[error("there is no complaint {0}")]
    NoSuchComplaint(u32),
    /// Another command among registrations that are to be decided together.
    #[error("only registrations can be decided together")]
    NotARegistration,
    /// The team has the achievement already (R-9.1).
    #[error("team {0} has the achievement {1} already")]
    HasAchievement(TeamId, Achievement),
}

impl Refusal {
    /// Its name for programs, which stays the same when its words change: `NAME_TAKEN`.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Refusal::NotRunning => "NOT_RUNNING",
            Refusal::AlreadyStarted => "ALREADY_STARTED",
            Refusal::NotPaused => "NOT_PAUSED",
            Refusal::Finished => "FINISHED",
            Refusal::NoSuchTeam(..) => "NO_SUCH_TEAM",
            Refusal::NoSuchCar(..) => "NO_SUCH_CAR",
            Refusal::OtherTeamsCar(..) => "OTHER_TEAMS_CAR",
            Refusal::IsRetired(..) => "IS_RETIRED",
            Refusal::NotRetired(..) => "NOT_RETIRED",
            Refusal::NoPilotToReinstate(..) => "NO_PILOT_TO_REINSTATE",
            Refusal::UrlInUse(..) => "URL_IN_USE",
            Refusal::BadName => "BAD_NAME",
            Refusal::NameTaken(..) => "NAME_TAKEN",
            Refusal::BadText => "BAD_TEXT",
            Refusal::BadAmount { .. } => "BAD_AMOUNT",
            Refusal::TooMuch { .. } => "TOO_MUCH",
            Refusal::NothingToCorrect => "NOTHING_TO_CORRECT",
            Refusal::NoCars => "NO_CARS",
            Refusal::BadOdds(..) => "BAD_ODDS",
            Refusal::BadBonus(..) => "BAD_BONUS",
            Refusal::PlaceTaken(..) => "PLACE_TAKEN",
            Refusal::NoSuchBonus(..) => "NO_SUCH_BONUS",
            Refusal::NoTransfers => "NO_TRANSFERS",
            Refusal::SameCar => "SAME_CAR",
            Refusal::TransferWaits(..) => "TRANSFER_WAITS",
            Refusal::Transfer(..) => "TRANSFER_IMPOSSIBLE",
            Refusal::FutureTurn(..) => "FUTURE_TURN",
            Refusal::TooManyComplaints(..) => "TOO_MANY_COMPLAINTS",
            Refusal::NoSuchComplaint(..) => "NO_SUCH_COMPLAINT",
            Refusal::NotARegistration => "NOT_A_REGISTRATION",
            Refusal::HasAchievement(..) => "HAS_ACHIEVEMENT",
        }
    }
}

/// Decides on one command between two turns, talking to cars where it must. The events are to be applied by the
/// caller.
///
/// # Errors
/// Why it is refused. Nothing has happened then.
pub async fn decide<W: World>(race: &Race, world: &W, arrival: Arrival) -> Result<Vec<Event>, Refusal> {
    let Played { events, settled } = decide_all(race, world, &[arrival]).await;
    settled.into_iter().collect::<Result<Vec<()>, Refusal>>()?;
    Ok(events)
}

/// Decides on many commands between two turns, in order of arrival. Cars to be registered are inspected side by
/// side.
pub async fn decide_all<W: World>(race: &Race, world: &W, inbox: &[Arrival]) -> Played {
    let mut turn = Turn::of(race, world);
    let settled = settle(&mut turn, inbox).await;
    Played { events: turn.events, settled }
}

/// Registers all of these cars or none: they are inspected, and greeted only if every one of them can take part.
///
/// # Errors
/// What would have happened, with the reasons of those that can't take part. Nobody was told anything then.
pub async fn register_all<W: World>(race: &Race, world: &W, inbox: &[Arrival]) -> Result<Vec<Event>, Played> {
    let mut turn = Turn::of(race, world);
    let mut registry = Registry { dossiers: inspect(&turn, inbox).await, registered: Vec::new() };
    let mut settled = Vec::with_capacity(inbox.len());
    for arrival in inbox {
        settled.push(match &arrival.command {
            Command::Register(application) => register(&mut turn, &mut registry, arrival.no, application),
            _ => Err(Refusal::NotARegistration),
        });
    }
    if registry.registered.len() < inbox.len() {
        return Err(Played { events: turn.events, settled });
    }
    greet(&turn, registry).await;
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
    greet(turn, registry).await;
    settled
}

/// The cars that were registered are told so.
async fn greet<W: World>(turn: &Turn<'_, W>, registry: Registry) {
    let greeting = |(no, car)| registration::welcome(&turn.race, turn.world, no, car);
    join_all(registry.registered.into_iter().map(greeting)).await;
}

/// The cars that were inspected, and those that were registered.
struct Registry {
    dossiers: BTreeMap<CommandNo, Dossier>,
    registered: Vec<(CommandNo, CarId)>,
}

/// Inspects the cars to be registered. Nobody asks the car of a team that is not there and does not arrive either.
async fn inspect<W: World>(turn: &Turn<'_, W>, inbox: &[Arrival]) -> BTreeMap<CommandNo, Dossier> {
    let teams_arrive = inbox.iter().any(|arrival| matches!(arrival.command, Command::CreateTeam { .. }));
    let inspections = inbox.iter().filter_map(|arrival| match &arrival.command {
        Command::Register(application)
            if !turn.race.is_finished()
                && (teams_arrive || turn.race.teams.contains_key(&application.team)) =>
        {
            Some(async move {
                let dossier = registration::inspect(&turn.race, turn.world, arrival.no, application).await;
                (arrival.no, dossier)
            })
        }
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
        Command::Register(application) => return register(turn, registry, *no, application),
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

fn register<W: World>(
    turn: &mut Turn<'_, W>,
    registry: &mut Registry,
    no: CommandNo,
    application: &Application,
) -> Result<(), Refusal> {
    still_on(&turn.race)?;
    team(&turn.race, application.team)?;
    let dossier = registry.dossiers.remove(&no).unwrap_or_default();
    registry.registered.extend(registration::settle(turn, application, dossier).map(|car| (no, car)));
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

/// Whether a team or an instance can be named so: 1 to `longest` characters, none of them a control character.
#[must_use]
pub fn is_name(name: &str, longest: usize) -> bool {
    (1..=longest).contains(&name.chars().count()) && !name.chars().any(char::is_control)
}

fn create_team(race: &Race, name: &str, budget: Option<Dollars>) -> Result<Event, Refusal> {
    still_on(race)?;
    if !is_name(name, LONGEST_NAME) {
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
    let waiting = |complaint: &&Complaint| complaint.team == id && complaint.answer.is_none();
    if race.complaints.iter().filter(waiting).count() >= MOST_COMPLAINTS {
        return Err(Refusal::TooManyComplaints(id));
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

/// Whether a text can be taken as a reason, a complaint, an answer or a hint: 1 to 4,000 characters, not all of them
/// blank, and no control characters but line breaks and tabs.
#[must_use]
pub fn is_text(text: &str) -> bool {
    let is_blank = text.trim().is_empty();
    // What a team writes is shown on terminals: nothing in it may steer one.
    let steers = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    !is_blank && text.chars().count() <= LONGEST_TEXT && !text.contains(steers)
}

pub(super) fn check_text(text: &str) -> Result<(), Refusal> {
    if is_text(text) { Ok(()) } else { Err(Refusal::BadText) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Points, Square};
    use crate::memory::MemoryCar;
    use crate::race::event::Retirement;
    use crate::race::rules::{MOST_POINTS, MOST_SQUARES, Reward, Rules};
    use crate::race::state::{BonusEffect, Often};
    use crate::race::tests::{Scene, application, quiet_rules};
    use futures_util::FutureExt;
    use std::collections::BTreeSet;

    /// What happened in words, or why nothing did.
    fn said(scene: &mut Scene, command: Command) -> String {
        let before = scene.race.clone();
        match scene.order(command) {
            Ok(lines) => lines.join(" | "),
            Err(refusal) => {
                assert_eq!(scene.race, before, "nothing has happened");
                refusal.to_string()
            }
        }
    }

    #[track_caller]
    fn check(scene: &mut Scene, command: Command, expected: &str) {
        assert_eq!(said(scene, command), expected);
    }

    fn create(name: &str, budget: Option<u64>) -> Command {
        Command::CreateTeam { name: name.to_owned(), budget: budget.map(Dollars) }
    }

    fn grant(team: u32, dollars: u64) -> Command {
        Command::Grant { team: TeamId(team), dollars: Dollars(dollars) }
    }

    fn complain(team: u32, turn: u32, text: &str) -> Command {
        Command::Complain { team: TeamId(team), turn: TurnNo(turn), text: text.to_owned() }
    }

    fn answer(number: u32, text: &str) -> Command {
        Command::AnswerComplaint { number, text: text.to_owned() }
    }

    fn award(team: u32, achievement: Achievement) -> Command {
        Command::Award { team: TeamId(team), achievement }
    }

    fn hint(text: &str) -> Command {
        Command::PublishHint { achievement: Achievement::MadMax, text: text.to_owned() }
    }

    fn declare(encounter: Encounter, cars: Option<&[u32]>) -> Command {
        Command::Declare { encounter, cars: cars.map(|cars| cars.iter().copied().map(CarId).collect()) }
    }

    fn bonus(place: u32, effect: BonusEffect) -> Command {
        Command::PlaceBonus(BonusPlan { place: Place(place), effect, often: Often::Once, hidden: false })
    }

    const OVER: &str = "the race is over: only the jury can still correct it";
    const BAD_TEXT: &str =
        "the text must have 1 to 4,000 characters, not all of them blank, and no control characters";

    /// R-10.1: each command in each part of the life of a race: preparing, running, paused, finished. An empty text
    /// is a command that is taken.
    #[test]
    fn r_10_1_commands_in_the_life_of_a_race() {
        let (not_running, started, not_paused) = (
            "the race is not running: start or resume it first",
            "the race has been started already",
            "the race is not paused",
        );
        let odds = EncounterOdds { nothing: 100, pirates: 0, garage: 0, wreck: 0, minefield: 0 };
        let points =
            TeamCorrection { team: TeamId(1), reason: "r".to_owned(), budget: None, points: Points(1) };
        for (command, expected) in [
            (Command::Start, ["", started, started, OVER]),
            (Command::Pause, [not_running, "", not_running, OVER]),
            (Command::Resume, [not_paused, not_paused, "", OVER]),
            (Command::Finish, ["", "", "", OVER]),
            (create("New", None), ["", "", "", OVER]),
            (application(1, "b"), ["", "", "", OVER]),
            (grant(1, 1), [""; 4]),
            (declare(Encounter::Wreck, None), ["", "", "", OVER]),
            (Command::SetOdds(odds), ["", "", "", OVER]),
            (bonus(3, BonusEffect::MissTurn), ["", "", "", OVER]),
            (Command::RemoveBonus(BonusId(1)), ["", "", "", OVER]),
            (complain(1, 0, "t"), [""; 4]),
            (answer(1, "t"), [""; 4]),
            (award(1, Achievement::MadMax), [""; 4]),
            (hint("t"), [""; 4]),
            (Command::Reveal { achievement: Achievement::MadMax }, [""; 4]),
            (Command::CorrectTeam(points), [""; 4]),
        ] {
            let lives = [
                (&[][..], Life::Preparing),
                (&[Command::Start], Life::Running),
                (&[Command::Start, Command::Pause], Life::Paused),
                (&[Command::Start, Command::Finish], Life::Finished(Ending::Admin)),
            ];
            for ((way, life), expected) in lives.into_iter().zip(expected) {
                let mut scene = Scene::preparing(quiet_rules(), 1);
                scene.park(MemoryCar::new("b", 4, 1, 3));
                for command in [bonus(9, BonusEffect::MissTurn), complain(1, 0, "t")].iter().chain(way) {
                    scene.order(command.clone()).expect("a command that is taken");
                }
                assert_eq!(scene.race.life, life);
                let refusal =
                    scene.order(command.clone()).map_or_else(|why| why.to_string(), |_| String::new());
                assert_eq!(refusal, expected, "{command:?} while {life:?}");
                if !refusal.is_empty() {
                    assert_eq!(scene.asked(), [""; 0], "{command:?} while {life:?}");
                }
            }
        }
    }

    #[test]
    fn r_10_1_the_life_of_a_race() {
        let mut scene = Scene::preparing(quiet_rules(), 1);
        for (command, happened, life) in [
            (Command::Start, "the race starts", Life::Running),
            (Command::Pause, "the race is paused", Life::Paused),
            (Command::Resume, "the race goes on", Life::Running),
            (
                Command::Finish,
                "the race is over: the admin says so | score: team 1: 0 VP, team 2: 0 VP, team 3: 0 VP; \
                 car with the most fights won: nobody; most fights won: nobody; furthest car: nobody; greatest distance: nobody",
                Life::Finished(Ending::Admin),
            ),
        ] {
            check(&mut scene, command, happened);
            assert_eq!(scene.race.life, life);
        }
    }

    /// R-10.2: the awards of the end are given when the admin says that it is over, too.
    #[test]
    fn r_10_2_the_admin_ends_the_race() {
        let mut scene = Scene::quiet();
        scene.car_on(2, MemoryCar::new("a", 4, 1, 3), 29);
        scene.order(Command::Finish).expect("an end");
        assert_eq!(scene.team(2).score, Points(40));
        assert_eq!(scene.race.end_awards.len(), 4);
    }

    #[test]
    fn r_1_1_teams() {
        let bad = "a team's name must have 1 to 100 characters, none of them a control character";
        let long = "é".repeat(100);
        for (name, budget, expected) in [
            ("New", None, r#"team 4 "New" enters with $100"#),
            ("red", Some(0), r#"team 4 "red" enters with $0"#),
            ("New", Some(1_000_000), r#"team 4 "New" enters with $1000000"#),
            (&long, None, &format!("team 4 {long:?} enters with $100")),
            ("New", Some(1_000_001), "budget: must not be above 1000000"),
            ("New", Some(u64::MAX), "budget: must not be above 1000000"),
            ("Red", None, r#"there is a team named "Red" already"#),
            ("", None, bad),
            (&format!("{long}e"), None, bad),
            ("a\tb", None, bad),
        ] {
            check(&mut Scene::quiet(), create(name, budget), expected);
        }
        let mut scene = Scene::quiet();
        scene.order(create("New", Some(7))).expect("a team");
        assert_eq!((scene.team(4).name.as_str(), scene.team(4).budget()), ("New", Dollars(7)));
        assert_eq!(scene.race.teams.keys().map(|team| team.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn r_10_4_grants() {
        for (team, dollars, expected) in [
            (1, 1, "team 1 is granted $1"),
            (3, 1_000_000, "team 3 is granted $1000000"),
            (1, 0, "$0 can't be granted: the amount must be from $1 to $1000000"),
            (1, 1_000_001, "$1000001 can't be granted: the amount must be from $1 to $1000000"),
            (1, u64::MAX, "$18446744073709551615 can't be granted: the amount must be from $1 to $1000000"),
            (4, 1, "there is no team 4 in this race"),
        ] {
            check(&mut Scene::quiet(), grant(team, dollars), expected);
        }
        let mut scene = Scene::quiet();
        scene.order(grant(1, 5)).expect("a grant");
        scene.order(grant(1, 6)).expect("a grant");
        assert_eq!([1, 2].map(|team| scene.team(team).budget()), [Dollars(111), Dollars(100)]);
        assert_eq!(scene.team(1).ledger.granted, 11);
    }

    /// Cars 1 and 2 race, car 3 is out.
    fn three_cars() -> Scene {
        let mut scene = Scene::quiet();
        for name in ["a", "b", "c"] {
            scene.car(1, MemoryCar::new(name, 1, 1, 1));
        }
        scene.happen(Event::CarRetired { car: CarId(3), reason: Retirement::OutOfFuel });
        scene
    }

    #[test]
    fn r_3_3_declarations() {
        for (cars, expected) in [
            (None, "declared for all cars: wreck"),
            (Some(&[2, 1][..]), "declared for cars 2, 1: wreck"),
            (Some(&[]), "name at least one car, or leave the cars out to declare the encounter for all"),
            (Some(&[1, 4]), "there is no car 4 in this race"),
            (Some(&[1, 3]), "car 3 is out of the race: reinstate it first"),
        ] {
            check(&mut three_cars(), declare(Encounter::Wreck, cars), expected);
        }
        // A car's own goes before that for all, in whichever order they come; the last one holds.
        let mut scene = three_cars();
        for (encounter, cars) in [
            (Encounter::Pirates, Some(&[2][..])),
            (Encounter::Garage, Some(&[2])),
            (Encounter::Wreck, None),
            (Encounter::Minefield, None),
        ] {
            scene.order(declare(encounter, cars)).expect("a declaration");
        }
        let declared = |scene: &Scene| [1, 2].map(|car| scene.race.declared.of(CarId(car)));
        assert_eq!(declared(&scene), [Some(Encounter::Minefield), Some(Encounter::Garage)]);
        // It holds for one turn.
        let happened = scene.turn();
        assert!(happened.contains(&"car 1 meets: minefield (declared)".to_owned()), "{happened:?}");
        assert!(happened.contains(&"car 2 meets: garage (declared)".to_owned()), "{happened:?}");
        assert_eq!(declared(&scene), [None, None]);
    }

    #[test]
    fn r_3_3_odds() {
        let odds = |nothing, pirates| EncounterOdds { nothing, pirates, garage: 0, wreck: 0, minefield: 0 };
        for (odds, expected) in [
            (odds(70, 30), "odds: nothing 70 %, pirates 30 %, garage 0 %, wreck 0 %, minefield 0 %"),
            (odds(70, 31), "encounters: the odds add up to 101, and must add up to 100"),
            (odds(0, 0), "encounters: the odds add up to 0, and must add up to 100"),
            (odds(u32::MAX, 101), "encounters: the odds add up to 4294967396, and must add up to 100"),
        ] {
            check(&mut Scene::quiet(), Command::SetOdds(odds), expected);
        }
        let mut scene = three_cars();
        scene.order(Command::SetOdds(odds(0, 100))).expect("odds");
        assert_eq!(scene.race.odds(), odds(0, 100));
        for _ in 0..2 {
            let happened = scene.turn();
            assert!(happened.contains(&"car 1 meets: pirates".to_owned()), "{happened:?}");
        }
    }

    #[test]
    fn r_12_3_bonuses_are_placed_and_removed() {
        for (place, effect, expected) in [
            (0, BonusEffect::Dollars(5), "bonus 1 on place 0: $5"),
            (299, BonusEffect::ClearMisses, "bonus 1 on place 299: no turn to miss any more"),
            (300, BonusEffect::Dollars(5), "bonus: place 300 is not on the ring of 300 squares"),
            (0, BonusEffect::Points(0), "bonus: its effect is 0, and must be from 1 to 1000000"),
            (0, BonusEffect::Back(MOST_SQUARES), "bonus 1 on place 0: 1000000 squares back"),
            (
                0,
                BonusEffect::Back(MOST_SQUARES + 1),
                "bonus: its effect is 1000001, and must be from 1 to 1000000",
            ),
        ] {
            check(&mut Scene::quiet(), bonus(place, effect), expected);
        }
        let mut scene = Scene::quiet();
        for (command, expected) in [
            (bonus(5, BonusEffect::MissTurn), "bonus 1 on place 5: a turn to miss"),
            (bonus(5, BonusEffect::Dollars(1)), "there is a bonus on place 5 already: remove it first"),
            (bonus(6, BonusEffect::Points(2)), "bonus 2 on place 6: 2 VP"),
            (Command::RemoveBonus(BonusId(3)), "there is no bonus 3 on the ring"),
            (Command::RemoveBonus(BonusId(1)), "bonus 1 on place 5 is removed"),
            (Command::RemoveBonus(BonusId(1)), "there is no bonus 1 on the ring"),
            // Ids are not given twice, be it that the last one was removed.
            (Command::RemoveBonus(BonusId(2)), "bonus 2 on place 6 is removed"),
            (bonus(5, BonusEffect::Dollars(1)), "bonus 3 on place 5: $1"),
        ] {
            check(&mut scene, command, expected);
        }
        assert_eq!(scene.race.bonuses.keys().copied().collect::<Vec<_>>(), [Place(5)]);
        assert_eq!(scene.race.bonuses[&Place(5)].id, BonusId(3));
    }

    /// R-12.3: from the next turn on, which is the one that it arrives before.
    #[test]
    fn r_12_3_a_bonus_in_the_inbox() {
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 4, 1, 3));
        let (happened, _) = scene.turn_with(&[bonus(4, BonusEffect::Points(7))]);
        assert!(happened.contains(&"car 1 takes bonus 1: 7 VP".to_owned()), "{happened:?}");
        let (happened, _) =
            scene.turn_with(&[bonus(8, BonusEffect::Points(7)), Command::RemoveBonus(BonusId(2))]);
        assert!(!happened.iter().any(|line| line.contains("takes bonus")), "{happened:?}");
    }

    #[test]
    fn r_10_3_complaints() {
        let mut scene = Scene::quiet();
        scene.turn();
        let long = "é".repeat(LONGEST_TEXT);
        let longer = format!("{long} ");
        for (command, expected) in [
            (complain(2, 1, "unfair"), "complaint 1 of team 2 about turn 1: unfair"),
            (complain(3, 0, &long), &*format!("complaint 2 of team 3 about turn 0: {long}")),
            (complain(2, 2, "unfair"), "turn 2 has not been played yet"),
            (complain(9, 1, "unfair"), "there is no team 9 in this race"),
            (complain(2, 1, ""), BAD_TEXT),
            (complain(2, 1, " \n\t"), BAD_TEXT),
            (complain(2, 1, &longer), BAD_TEXT),
            (complain(2, 1, "\u{1b}[2J"), BAD_TEXT),
            (complain(2, 1, "un\nfair"), "complaint 3 of team 2 about turn 1: un fair"),
            (answer(1, "no"), "complaint 1 is answered: no"),
            (answer(2, "perhaps"), "complaint 2 is answered: perhaps"),
            (answer(1, "yes"), "complaint 1 is answered: yes"),
            (answer(4, "no"), "there is no complaint 4"),
            (answer(0, "no"), "there is no complaint 0"),
            (answer(1, ""), BAD_TEXT),
        ] {
            check(&mut scene, command, expected);
        }
        let known: Vec<(u32, TeamId, TurnNo, Option<&str>)> = scene
            .race
            .complaints
            .iter()
            .map(|complaint| (complaint.number, complaint.team, complaint.turn, complaint.answer.as_deref()))
            .collect();
        assert_eq!(
            known,
            [
                (1, TeamId(2), TurnNo(1), Some("yes")),
                (2, TeamId(3), TurnNo(0), Some("perhaps")),
                (3, TeamId(2), TurnNo(1), None),
            ]
        );
        assert_eq!(scene.race.complaints[0].text, "unfair");
    }

    /// The answer goes to the team that complained.
    #[test]
    fn r_10_3_complaints_that_wait() {
        let mut scene = Scene::quiet();
        for _ in 0..MOST_COMPLAINTS {
            scene.order(complain(2, 0, "unfair")).expect("a complaint");
        }
        let too_many = "team 2 has 100 complaints that wait for an answer: the jury is to answer them first";
        check(&mut scene, complain(2, 0, "again"), too_many);
        check(&mut scene, complain(3, 0, "ours"), "complaint 101 of team 3 about turn 0: ours");
        check(&mut scene, answer(7, "no"), "complaint 7 is answered: no");
        check(&mut scene, complain(2, 0, "again"), "complaint 102 of team 2 about turn 0: again");
        check(&mut scene, complain(2, 0, "again"), too_many);
    }

    /// All or none: if one can't take part, nobody is told anything.
    #[test]
    fn r_2_3_all_cars_or_none() {
        let scene = Scene::new(Rules { initial_budget: 16, ..quiet_rules() }, 1);
        scene.park(MemoryCar::new("a", 4, 1, 3));
        scene.park(MemoryCar::new("b", 4, 1, 3));
        let arrivals = |commands: &[Command]| -> Vec<Arrival> {
            (1..).zip(commands.to_vec()).map(|(no, command)| Arrival { no: CommandNo(no), command }).collect()
        };
        let decided = |inbox: &[Arrival]| {
            register_all(&scene.race, &scene.world, inbox).now_or_never().expect("the world never waits")
        };
        let bad = [
            application(1, "a"),
            application(1, "b"),
            application(2, "b"),
            application(9, "c"),
            Command::Pause,
        ];
        let Played { events, settled } = decided(&arrivals(&bad)).expect_err("some can't take part");
        assert_eq!(
            events.iter().map(ToString::to_string).collect::<Vec<_>>(),
            [
                r#"car 1 "a" of team 1 is registered with 4 engines, 1 pilots, 3 weapons for $15"#,
                r#""b" of team 1 is refused: the car costs $15, and the team has $1 left"#,
                r#"car 2 "b" of team 2 is registered with 4 engines, 1 pilots, 3 weapons for $15"#,
            ]
        );
        let refused = [Err(Refusal::NoSuchTeam(TeamId(9))), Err(Refusal::NotARegistration)];
        assert_eq!((&settled[..3], &settled[3..]), (&[Ok(()), Ok(()), Ok(())][..], &refused[..]));
        assert!(scene.asked().iter().all(|asked| asked.contains(": GET ") && !asked.starts_with("c:")));

        let good = arrivals(&[application(1, "a"), application(2, "b")]);
        let events = decided(&good).expect("both can take part");
        assert_eq!(events.len(), 2);
        let told: Vec<String> = scene.asked().into_iter().filter(|asked| !asked.contains(": GET ")).collect();
        assert_eq!(told, [r#"a: PATCH /state {"square":0}"#, r#"b: PATCH /state {"square":0}"#]);
        let one_by_one =
            decide_all(&scene.race, &scene.world, &good).now_or_never().expect("the world never waits");
        assert_eq!(one_by_one.events, events, "the same as when they are decided one by one");
    }

    #[test]
    fn r_10_3_whose_complaint_is_answered() {
        let mut scene = Scene::quiet();
        scene.order(complain(2, 0, "unfair")).expect("a complaint");
        scene.order(answer(1, "no")).expect("an answer");
        let Some(Event::ComplaintAnswered { team, .. }) = scene.history.last() else { panic!("an answer") };
        assert_eq!(*team, TeamId(2));
    }

    /// R-9.1: once for each team, with what the rules give for it, and the score follows.
    #[test]
    fn r_9_1_awards_by_hand() {
        let rewards = [(Achievement::MadMax, Reward { dollars: 5, points: 3 })].into();
        let mut scene = Scene::new(Rules { achievements: rewards, ..quiet_rules() }, 1);
        let score = |first, second| format!("score: team 1: {first} VP, team 2: {second} VP, team 3: 0 VP");
        for (command, expected) in [
            (award(1, Achievement::MadMax), format!(r#"team 1 earns "Mad Max": 3 VP, $5 | {}"#, score(3, 0))),
            (award(1, Achievement::MadMax), "team 1 has the achievement mad_max already".to_owned()),
            (award(2, Achievement::MadMax), format!(r#"team 2 earns "Mad Max": 3 VP, $5 | {}"#, score(3, 3))),
            (award(2, Achievement::Scrooge), format!(r#"team 2 earns "Picsou": 0 VP, $0 | {}"#, score(3, 3))),
            (award(9, Achievement::MadMax), "there is no team 9 in this race".to_owned()),
        ] {
            check(&mut scene, command, &expected);
        }
        assert_eq!(scene.team(2).medals, BTreeSet::from([Achievement::MadMax, Achievement::Scrooge]));
        assert_eq!(scene.team(1).budget(), Dollars(105));
        let by_hand =
            |event: &Event| matches!(event, Event::AchievementEarned { by_hand: true, car: None, .. });
        assert_eq!(scene.history.iter().filter(|event| by_hand(event)).count(), 3);
    }

    #[test]
    fn r_9_1_hints_and_revelations() {
        let mut scene = Scene::quiet();
        for (command, expected) in [
            (hint("arr"), "hint to mad_max: arr"),
            (hint("arrr"), "hint to mad_max: arrr"),
            (hint(" "), BAD_TEXT),
            (hint(&"é".repeat(LONGEST_TEXT + 1)), BAD_TEXT),
            (Command::Reveal { achievement: Achievement::Scrooge }, "revealed: scrooge"),
        ] {
            check(&mut scene, command, expected);
        }
        assert_eq!(scene.race.hints, [(Achievement::MadMax, "arrr".to_owned())].into());
        assert_eq!(scene.race.revealed, BTreeSet::from([Achievement::Scrooge]));
    }

    /// R-3.0: in order of arrival, each on what the one before has left; then the turn.
    #[test]
    fn r_3_0_order_of_arrival() {
        let mut scene = Scene::new(Rules { initial_budget: 10, ..quiet_rules() }, 1);
        scene.park(MemoryCar::new("a", 4, 1, 3));
        let (happened, settled) = scene.turn_with(&[
            application(1, "a"),
            grant(1, 5),
            application(1, "a"),
            complain(1, 1, "not yet"),
            Command::Start,
            complain(1, 0, "now"),
        ]);
        assert_eq!(
            happened[..6],
            [
                r#""a" of team 1 is refused: the car costs $15, and the team has $10 left"#,
                "team 1 is granted $5",
                r#"car 1 "a" of team 1 is registered with 4 engines, 1 pilots, 3 weapons for $15"#,
                "complaint 1 of team 1 about turn 0: now",
                "turn 1 starts",
                "car 1 starts",
            ]
        );
        assert_eq!(
            settled,
            [
                Ok(()),
                Ok(()),
                Ok(()),
                Err(Refusal::FutureTurn(TurnNo(1))),
                Err(Refusal::AlreadyStarted),
                Ok(()),
            ]
        );
        assert_eq!(scene.the(CarId(1)).square, Square(4));
    }

    /// R-3.0: a command that leaves the race paused or finished leaves no turn to play; what comes after it still
    /// takes effect.
    #[test]
    fn r_3_0_a_turn_that_does_not_start() {
        for (command, expected) in
            [(Command::Pause, Life::Paused), (Command::Finish, Life::Finished(Ending::Admin))]
        {
            let mut scene = Scene::quiet();
            scene.car(1, MemoryCar::new("a", 4, 1, 3));
            let (happened, settled) = scene.turn_with(&[grant(1, 1), command, grant(1, 2)]);
            assert!(!happened.iter().any(|line| line.starts_with("turn")), "{happened:?}");
            assert_eq!(settled, [Ok(()), Ok(()), Ok(())]);
            assert_eq!((scene.race.life, scene.race.turn), (expected, TurnNo(0)));
            assert_eq!(scene.team(1).ledger.granted, 3);
            assert_eq!(scene.asked(), [""; 0]);
        }
        let mut scene = Scene::quiet();
        let (happened, _) = scene.turn_with(&[Command::Pause, Command::Resume]);
        assert_eq!(happened[..3], ["the race is paused", "the race goes on", "turn 1 starts"]);
    }

    /// A race that was over when the inbox came asks no car; one that is over meanwhile registers none.
    #[test]
    fn r_10_1_nobody_registers_after_the_end() {
        let mut scene = Scene::quiet();
        scene.park(MemoryCar::new("a", 4, 1, 3));
        let (_, settled) = scene.turn_with(&[Command::Finish, application(1, "a")]);
        assert_eq!(settled, [Ok(()), Err(Refusal::Finished)]);
        scene.asked();
        check(&mut scene, application(1, "a"), OVER);
        assert_eq!(scene.asked(), [""; 0]);
        assert!(scene.race.cars.is_empty());
    }

    /// What no command can say however large its numbers are.
    #[test]
    fn r_12_1_the_bounds_of_a_bonus() {
        let out = |most: u32| format!("its effect is {}, and must be from 1 to {most}", u64::from(most) + 1);
        for (effect, most) in [
            (BonusEffect::Dollars as fn(u32) -> BonusEffect, MOST_DOLLARS),
            (BonusEffect::Points, MOST_POINTS),
            (BonusEffect::Advance, MOST_SQUARES),
            (BonusEffect::Back, MOST_SQUARES),
        ] {
            let plan = |amount| BonusPlan {
                place: Place(0),
                effect: effect(amount),
                often: Often::Always,
                hidden: true,
            };
            assert_eq!(plan(1).check(1), Ok(()));
            assert_eq!(plan(most).check(1), Ok(()));
            assert_eq!(plan(most + 1).check(1), Err(out(most)));
            assert!(plan(0).check(1).is_err());
        }
    }
}

//! Sets a race up as its plan wants it: creates the teams, registers the cars, starts the race.
//!
//! ```text
//! teams (set-up-teams) ─▶ cars, all or none (set-up-cars) ─▶ start (set-up-start)
//! ```
//!
//! Each step is a request with an id of its own, so a race whose set-up was broken off is set up again, and what was
//! done is not done twice.

use super::Failure;
use super::plan::{Plan, PlannedCar, PlannedTeam};
use crate::control::{Denied, Outcome, RaceHandle, Refused};
use gm_core::contract::Fault;
use gm_core::ids::TeamId;
use gm_core::race::Event;
use gm_core::race::command::{Application, Command};
use gm_core::race::event::RefusedBecause;
use gm_core::race::state::Life;
use std::collections::BTreeSet;
use std::future::Future;
use std::io::{self, IsTerminal};

/// Why a race was not set up.
#[derive(Debug)]
pub(super) enum NotSetUp {
    /// It can't be as it is planned: what is wrong, in words.
    Wrong(String),
    /// Its task could not be asked.
    Denied(Denied),
    /// Somebody has interrupted it.
    Interrupted(Failure),
}

impl From<Denied> for NotSetUp {
    fn from(denied: Denied) -> NotSetUp {
        NotSetUp::Denied(denied)
    }
}

/// A car of a plan, with its team.
type Entry<'p> = (TeamId, &'p PlannedTeam, &'p PlannedCar);

/// Sets a race up, or goes on with it where another process has left it. A race that was paused is resumed.
pub(super) async fn set_up(race: &RaceHandle, plan: &Plan) -> Result<(), NotSetUp> {
    match race.state().race.life {
        Life::Preparing => {
            create_teams(race, plan).await?;
            register_cars(race, plan).await?;
            order(race, vec![Command::Start], Some("set-up-start")).await
        }
        Life::Paused => order(race, vec![Command::Resume], None).await,
        Life::Running | Life::Finished(_) => Ok(()),
    }
}

async fn create_teams(race: &RaceHandle, plan: &Plan) -> Result<(), NotSetUp> {
    let missing: Vec<&PlannedTeam> = plan.teams.iter().skip(race.state().race.teams.len()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let create = |team: &&PlannedTeam| Command::CreateTeam { name: team.name.clone(), budget: team.budget };
    let teams: Vec<Command> = missing.iter().map(create).collect();
    let outcome = asked(race, || race.order(teams.clone(), Some("set-up-teams"))).await?;
    for (team, settled) in missing.iter().zip(outcome.settled) {
        settled.map_err(|refused| NotSetUp::Wrong(format!("{}: {refused}", team.place)))?;
    }
    Ok(())
}

async fn register_cars(race: &RaceHandle, plan: &Plan) -> Result<(), NotSetUp> {
    if !race.state().race.cars.is_empty() {
        return Ok(());
    }
    let entries: Vec<Entry<'_>> = (1..)
        .map(TeamId)
        .zip(&plan.teams)
        .flat_map(|(id, team)| team.cars.iter().map(move |car| (id, team, car)))
        .collect();
    let register = |(team, _, car): &Entry<'_>| {
        let (instance, url) = (car.instance.clone(), Some(car.url.clone()));
        Command::Register(Application { team: *team, instance, url })
    };
    let cars: Vec<Command> = entries.iter().map(register).collect();
    if io::stderr().is_terminal() {
        eprintln!("inspecting {} cars …", entries.len());
    }
    let mut outcome = asked(race, || race.register_all(cars.clone(), Some("set-up-cars"))).await?;
    if outcome.not_registered.is_empty() && refused(&outcome).is_some() {
        // Another process was told why, and ended before it could say so: the cars are inspected anew.
        outcome = asked(race, || race.register_all(cars.clone(), None)).await?;
    }
    match refused(&outcome) {
        _ if !outcome.not_registered.is_empty() => {
            Err(NotSetUp::Wrong(refusal(&entries, outcome.not_registered)))
        }
        Some(refused) => Err(NotSetUp::Wrong(format!("nothing was started: {refused}"))),
        None => Ok(()),
    }
}

async fn order(race: &RaceHandle, commands: Vec<Command>, request_id: Option<&str>) -> Result<(), NotSetUp> {
    let outcome = asked(race, || race.order(commands.clone(), request_id)).await?;
    match refused(&outcome) {
        Some(refused) => Err(NotSetUp::Denied(refused.clone().into())),
        None => Ok(()),
    }
}

/// Why one of the commands was refused, if one was.
fn refused(outcome: &Outcome) -> Option<&Refused> {
    outcome.settled.iter().find_map(|settled| settled.as_ref().err())
}

/// Asks, and asks again whenever something has changed as long as the race is suspended: the person who looks on is
/// told so, and may give up.
async fn asked<F>(race: &RaceHandle, ask: impl Fn() -> F) -> Result<Outcome, Denied>
where
    F: Future<Output = Result<Outcome, Denied>>,
{
    let mut changes = race.clone();
    loop {
        match ask().await {
            Err(Denied::Suspended(_)) => drop(changes.changed().await),
            answer => return answer,
        }
    }
}

/// Says everything that is wrong with the cars.
fn refusal(entries: &[Entry<'_>], events: Vec<Event>) -> String {
    let mut wrong = Vec::new();
    for event in events {
        let Event::RegistrationRefused { team, instance, reasons, .. } = event else { continue };
        let entry = entries.iter().find(|(id, _, car)| *id == team && car.instance == instance);
        let place = entry.map_or(instance.clone(), |(_, _, car)| format!("{} at {}", car.place, car.url));
        wrong.push(format!("{place}: {}", told(&reasons).join("; ")));
    }
    match wrong.as_slice() {
        [] => "nothing was started: not all cars can take part".to_owned(),
        [one] => format!("nothing was started: {one}"),
        several => format!(
            "nothing was started, because {} cars can't take part:\n  {}",
            several.len(),
            several.join("\n  ")
        ),
    }
}

/// Reasons in words; where every question went wrong in the same way, that is said once, with what to look at.
fn told(reasons: &[RefusedBecause]) -> Vec<String> {
    let faults: BTreeSet<Fault> = reasons
        .iter()
        .filter_map(|reason| match reason {
            RefusedBecause::NoAnswer { fault, .. } => Some(*fault),
            _ => None,
        })
        .collect();
    let unanswered = |reason: &&RefusedBecause| matches!(reason, RefusedBecause::NoAnswer { .. });
    let (questions, fault) = (reasons.iter().filter(unanswered).count(), faults.first());
    let (1, Some(fault)) = (faults.len(), fault) else {
        return reasons.iter().map(ToString::to_string).collect();
    };
    let hint = match fault {
        Fault::Unreachable => "is the car started, and is this its URL?",
        Fault::Status(401 | 403) => "is the team's secret the one that the car expects?",
        Fault::Status(404) => "is this the base URL of the car, without a path?",
        Fault::Late => "is the car overloaded, or behind a firewall?",
        _ => "is it a car that answers here?",
    };
    let mut told = vec![match questions {
        1 => {
            let question = reasons.iter().find(unanswered).map(ToString::to_string);
            format!("{}: {hint}", question.unwrap_or_default())
        }
        _ => format!("{questions} questions: expected valid answers, found each time: {fault}: {hint}"),
    }];
    told.extend(reasons.iter().filter(|reason| !unanswered(reason)).map(ToString::to_string));
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::CarRequest;

    #[test]
    fn reasons_that_are_the_same_are_said_once() {
        let no_answer = |fault| RefusedBecause::NoAnswer { request: CarRequest::State, fault };
        let said = "GET /state (C-5): expected a valid answer, found";
        for (reasons, expected) in [
            (vec![RefusedBecause::NoPilot], vec!["a car needs at least 1 pilot, found 0".to_owned()]),
            (
                vec![no_answer(Fault::Status(401)); 7],
                vec!["7 questions: expected valid answers, found each time: status 401: is the team's secret the one \
                      that the car expects?"
                    .to_owned()],
            ),
            (
                vec![no_answer(Fault::Unreachable), RefusedBecause::InstanceTaken],
                vec![
                    format!("{said} unreachable: is the car started, and is this its URL?"),
                    "the instance name is taken in this race".to_owned(),
                ],
            ),
            (
                vec![no_answer(Fault::Late), no_answer(Fault::NotJson)],
                vec![
                    format!("{said} no answer within the deadline"),
                    format!(
                        "GET /state (C-5): expected {}, found the answer was not JSON",
                        CarRequest::State.wanted()
                    ),
                ],
            ),
        ] {
            assert_eq!(told(&reasons), expected);
        }
    }
}

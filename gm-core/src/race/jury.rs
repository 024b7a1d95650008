//! the jury corrects a car or a team, also after the end, always with a reason.
//!
//! A correction is an event like any other. A car that takes part is told its new values (C-6, C-9); one that is out
//! of the race is not, because `PATCH /state` would put it back (C-8): it is told all when it is reinstated.

use super::command::{self, Refusal, check_text};
use super::conversation::Conversation;
use super::event::{Event, Retirement};
use super::rules::{MOST_DOLLARS, MOST_MODULES, MOST_POINTS, MOST_SQUARES};
use super::scoring;
use super::state::{Car, Module};
use super::turn::Turn;
use crate::contract::{Kind, Modules};
use crate::ids::{CarId, CommandNo, Dollars, Points, Square, TeamId};
use crate::ports::{Topic, World};
use serde::{Deserialize, Serialize};

/// What the jury says about a car. What is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarCorrection {
    /// The car.
    pub car: CarId,
    /// Why, 1 to 4,000 characters.
    pub reason: String,
    /// Its right square. `furthest` follows upwards only: it is the greatest square ever reached.
    #[serde(default)]
    pub square: Option<Square>,
    /// The right number of its turns to miss.
    #[serde(default)]
    pub turns_to_miss: Option<u32>,
    /// The right number of its modules of each kind.
    #[serde(default)]
    pub modules: Option<Modules>,
    /// Whether it is put back into the race, or taken out of it.
    #[serde(default)]
    pub standing: Option<NewStanding>,
}

/// What the jury makes of a car's place in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NewStanding {
    /// A retired car starts again in the next turn.
    Reinstated,
    /// The car is out of the race.
    Retired,
}

/// What the jury says about a team. What is not named stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamCorrection {
    /// The team.
    pub team: TeamId,
    /// Why, 1 to 4,000 characters.
    pub reason: String,
    /// Its right budget.
    #[serde(default)]
    pub budget: Option<Dollars>,
    /// Victory points given, or taken if negative.
    #[serde(default)]
    pub points: Points,
}

/// Corrects a car.
pub(super) async fn correct_car<W: World>(
    turn: &mut Turn<'_, W>,
    no: CommandNo,
    correction: &CarCorrection,
) -> Result<(), Refusal> {
    let id = correction.car;
    let car = command::car(&turn.race, id)?;
    check(turn, car, correction)?;

    let modules = correction.modules.map(|counts| with_counts(car, counts));
    let reinstated = correction.standing == Some(NewStanding::Reinstated);
    // What was corrected while a car was out of the race, it has not been told yet.
    let is_news = |kind: &Kind| {
        reinstated || correction.modules.is_some_and(|counts| counts.of(*kind) != car.count(*kind))
    };
    let changed: Vec<Kind> = Kind::ALL.into_iter().filter(is_news).collect();
    turn.emit(Event::CarCorrected {
        car: id,
        reason: correction.reason.clone(),
        square: correction.square,
        turns_to_miss: correction.turns_to_miss,
        modules,
        reinstated,
    });

    let events = match turn.converse(Topic::Command(no), id) {
        Some(car) if !car.car.is_retired() => {
            let tell_square = correction.square.is_some() || reinstated;
            tell(car, correction, tell_square, &changed).await
        }
        _ => Vec::new(),
    };
    turn.emit_all(events);
    scoring::settle(turn);
    Ok(())
}

fn check<W: World>(turn: &Turn<'_, W>, car: &Car, correction: &CarCorrection) -> Result<(), Refusal> {
    let CarCorrection { square, turns_to_miss, modules, standing, .. } = correction;
    check_text(&correction.reason)?;
    if square.is_none() && turns_to_miss.is_none() && modules.is_none() && standing.is_none() {
        return Err(Refusal::NothingToCorrect);
    }
    if square.is_some_and(|square| square.0 > MOST_SQUARES) {
        return Err(Refusal::TooMuch { what: "square", most: MOST_SQUARES });
    }
    if turns_to_miss.is_some_and(|turns| turns > MOST_SQUARES) {
        return Err(Refusal::TooMuch { what: "turns to miss", most: MOST_SQUARES });
    }
    let too_many = |counts: Modules| Kind::ALL.iter().any(|kind| counts.of(*kind) > u64::from(MOST_MODULES));
    if modules.is_some_and(too_many) {
        return Err(Refusal::TooMuch { what: "modules", most: MOST_MODULES });
    }
    let counts = modules.unwrap_or_else(|| car.counts());
    match standing {
        Some(NewStanding::Reinstated) if !car.is_retired() => Err(Refusal::NotRetired(car.id)),
        Some(NewStanding::Reinstated) if counts.pilot == 0 => Err(Refusal::NoPilotToReinstate(car.id)),
        Some(NewStanding::Reinstated)
            if turn.race.cars.values().any(|other| !other.is_retired() && other.url == car.url) =>
        {
            Err(Refusal::UrlInUse(car.id))
        }
        Some(NewStanding::Retired) if car.is_retired() => Err(Refusal::IsRetired(car.id)),
        _ => Ok(()),
    }
}

/// The car's modules, brought to these counts: what it got last goes first, and what is new gets the names that a
/// car gives too when it is brought to a count (C-9).
fn with_counts(car: &Car, counts: Modules) -> Vec<Module> {
    let mut modules = Vec::new();
    for kind in Kind::ALL {
        let right = counts.of(kind);
        let kept = usize::try_from(right).unwrap_or(usize::MAX);
        modules.extend(car.modules_of(kind).take(kept).cloned());
        modules.extend(car.unnamed(kind, right.saturating_sub(car.count(kind))));
    }
    modules
}

/// A car that takes part is told its new values, or that it is out of the race.
async fn tell<W: World>(
    mut car: Conversation<'_, W>,
    correction: &CarCorrection,
    tell_square: bool,
    changed: &[Kind],
) -> Vec<Event> {
    if correction.standing == Some(NewStanding::Retired) {
        car.retire(Retirement::Jury(correction.reason.clone())).await;
    } else if car.car.count(Kind::Pilot) == 0 {
        car.retire(Retirement::NoPilot).await;
    } else {
        if tell_square {
            car.resend_square().await;
        }
        for kind in changed {
            car.correct_count(*kind).await;
        }
    }
    car.take_events()
}

/// Corrects a team.
pub(super) fn correct_team<W: World>(
    turn: &mut Turn<'_, W>,
    correction: &TeamCorrection,
) -> Result<(), Refusal> {
    let TeamCorrection { team, reason, budget, points } = correction.clone();
    command::team(&turn.race, team)?;
    check_text(&reason)?;
    if budget.is_none() && points == Points(0) {
        return Err(Refusal::NothingToCorrect);
    }
    if budget.is_some_and(|budget| budget.0 > u64::from(MOST_DOLLARS)) {
        return Err(Refusal::TooMuch { what: "budget", most: MOST_DOLLARS });
    }
    if points.0.unsigned_abs() > u64::from(MOST_POINTS) {
        return Err(Refusal::TooMuch { what: "victory points", most: MOST_POINTS });
    }
    turn.emit(Event::TeamCorrected { team, reason, budget, points });
    scoring::settle(turn);
    Ok(())
}

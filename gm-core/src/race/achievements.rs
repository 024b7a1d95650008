//! achievements, once for each team, settled at the end of the turn.
//!
//! A turn's events tell which feats were done; [`feats`] reads them in the rule book's words. They are settled in
//! the turn's order of priority, so that it is certain by which car a team earned its medal.

use super::event::{Achievement, Combatant, Event, Find, Retirement};
use super::rules::Reward;
use super::state::Race;
use super::turn::Turn;
use crate::ids::{CarId, Dollars, Points, TeamId};
use crate::ports::World;

/// squares on track in one turn.
const LIGHTNING_SQUARES: u32 = 8;
/// weapons when a duel starts.
const ARMED_WEAPONS: u32 = 8;
/// weapons fewer than the other.
const STRATEGIST_FEWER: u32 = 3;

pub(super) fn settle<W: World>(turn: &mut Turn<'_, W>) {
    let priority = turn.race.running_turn.as_ref().map(|turn| turn.priority.clone()).unwrap_or_default();
    let this_turn = turn.events.iter().skip_while(|event| !matches!(event, Event::TurnStarted { .. }));
    let mut feats: Vec<(CarId, Achievement)> = this_turn.flat_map(feats).collect();
    feats.sort_by_key(|(car, _)| priority.iter().position(|id| id == car).unwrap_or(usize::MAX));
    for (car, achievement) in feats {
        let Some(team) = turn.race.cars.get(&car).map(|car| car.team) else { continue };
        if let Some(earned) = earn(&turn.race, team, Some(car), achievement, false) {
            turn.emit(earned);
        }
    }
    let rich: Vec<TeamId> = turn
        .race
        .teams
        .values()
        .filter(|team| team.budget() > Dollars(u64::from(turn.race.rules.scrooge_above)))
        .map(|team| team.id)
        .collect();
    for team in rich {
        if let Some(earned) = earn(&turn.race, team, None, Achievement::Scrooge, false) {
            turn.emit(earned);
        }
    }
}

/// The medal with its reward, unless the team has it already.
pub(super) fn earn(
    race: &Race,
    team: TeamId,
    car: Option<CarId>,
    achievement: Achievement,
    by_hand: bool,
) -> Option<Event> {
    if race.teams.get(&team)?.medals.contains(&achievement) {
        return None;
    }
    let Reward { dollars, points } = race.rules.achievements.get(&achievement).copied().unwrap_or_default();
    let (dollars, points) = (Dollars(u64::from(dollars)), Points(i64::from(points)));
    Some(Event::AchievementEarned { team, car, achievement, dollars, points, by_hand })
}

/// What was achieved by one event, and by which car.
fn feats(event: &Event) -> Vec<(CarId, Achievement)> {
    match event {
        Event::CarMoved { car, squares, .. } if *squares >= LIGHTNING_SQUARES => {
            vec![(*car, Achievement::Lightning)]
        }
        Event::DuelStarted { duellists, weapons } => duellists
            .iter()
            .zip(weapons)
            .filter_map(|(who, weapons)| match who {
                Combatant::Car(car) if *weapons >= ARMED_WEAPONS => {
                    Some((*car, Achievement::ArmedToTheTeeth))
                }
                _ => None,
            })
            .collect(),
        Event::FightWon { car, against, weapons, other_weapons } => {
            let mut feats = Vec::new();
            if weapons.saturating_add(STRATEGIST_FEWER) <= *other_weapons {
                feats.push((*car, Achievement::Strategist));
            }
            if *against == Combatant::Pirates {
                feats.push((*car, Achievement::MadMax));
            }
            feats
        }
        Event::FightDeclined { cars, by_both: true, .. } => {
            cars.iter().map(|car| (*car, Achievement::Pacifist)).collect()
        }
        Event::CarRetired { car, reason } => match reason {
            Retirement::Destroyed => vec![(*car, Achievement::ClickClick)],
            Retirement::NoPilot => vec![(*car, Achievement::Ulysses31)],
            Retirement::OutOfFuel => vec![(*car, Achievement::OutOfFuel)],
            Retirement::Jury(_) => Vec::new(),
        },
        Event::MinefieldCrossed { car, damaged: false } => vec![(*car, Achievement::AceDriver)],
        Event::WreckSearched { car, find } => match find {
            Find::Nothing => Vec::new(),
            Find::Module(_) => vec![(*car, Achievement::Recycler)],
            Find::Snakes => vec![(*car, Achievement::SnakesOnACar)],
        },
        Event::ModuleBought { car, .. } => vec![(*car, Achievement::PimpMyRide)],
        _ => Vec::new(),
    }
}

//! victory points.
//!
//! A car that got to square 156 is worth 8 VP, one that got to 98 is worth 2.

use super::event::{EndAward, EndTitle, Event, Score};
use super::state::{Car, Race, Team};
use super::turn::Turn;
use crate::ids::{Points, Square, TeamId};
use crate::ports::World;
use std::cmp::Reverse;

/// From which square on a car is worth how much.
const DISTANCES: [(u32, i64); 5] = [(300, 30), (200, 18), (100, 8), (50, 2), (30, 1)];
/// From here on each further full [`FURTHER_SQUARES`] are worth [`FURTHER_POINTS`].
const FURTHER_FROM: u32 = 300;
const FURTHER_SQUARES: u32 = 100;
const FURTHER_POINTS: i64 = 15;

/// The points for the furthest square that a car reached, retired or not.
#[must_use]
pub fn distance_points(furthest: Square) -> Points {
    let reached = DISTANCES.iter().find(|(square, _)| furthest.0 >= *square).map_or(0, |(_, points)| *points);
    let further = furthest.0.saturating_sub(FURTHER_FROM) / FURTHER_SQUARES;
    Points(reached + FURTHER_POINTS * i64::from(further))
}

/// A team's place in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// 1 for the winner; teams that can't be told apart share a rank.
    pub rank: u32,
    /// The team.
    pub team: TeamId,
    /// Its victory points.
    pub points: Points,
    /// The sum of its cars' furthest squares, the first tie-break.
    pub distance: u64,
    /// The fights won by its cars, the second tie-break.
    pub fights_won: u64,
}

/// All teams, the winner first. Teams that share a rank are in the order of their ids.
#[must_use]
pub fn standings(race: &Race) -> Vec<Standing> {
    let mut standings: Vec<Standing> = race
        .teams
        .values()
        .map(|team| Standing {
            rank: 0,
            team: team.id,
            points: team.score,
            distance: distance_of(race, team.id),
            fights_won: fights_won_by(race, team.id),
        })
        .collect();
    let merit = |standing: &Standing| Reverse((standing.points, standing.distance, standing.fights_won));
    standings.sort_by_key(merit);
    let mut ranked: Option<(Reverse<_>, u32)> = None;
    for (place, standing) in (1..).zip(&mut standings) {
        standing.rank = match ranked {
            Some((before, rank)) if before == merit(standing) => rank,
            _ => place,
        };
        ranked = Some((merit(standing), standing.rank));
    }
    standings
}

fn distance_of(race: &Race, team: TeamId) -> u64 {
    race.cars_of(team).map(|car| u64::from(car.furthest.0)).sum()
}

fn fights_won_by(race: &Race, team: TeamId) -> u64 {
    race.cars_of(team).map(|car| u64::from(car.fights_won)).sum()
}

/// The score after a turn, or after a correction.
pub(super) fn settle<W: World>(turn: &mut Turn<'_, W>) {
    let end_awards = if turn.race.is_finished() { end_awards(&turn.race) } else { Vec::new() };
    let scores = turn.race.teams.values().map(|team| score(&turn.race, team, &end_awards)).collect();
    turn.emit(Event::Scored { scores, end_awards });
}

fn score(race: &Race, team: &Team, end_awards: &[EndAward]) -> Score {
    let distance = Points(race.cars_of(team.id).map(|car| distance_points(car.furthest).0).sum());
    let awards = end_awards.iter().filter(|award| award.teams.contains(&team.id)).count();
    let end = Points(i64::from(race.rules.end_award) * i64::try_from(awards).unwrap_or(0));
    let total =
        Points(distance.0 + team.achievement_points.0 + team.bonus_points.0 + end.0 + team.jury_points.0);
    Score {
        team: team.id,
        distance,
        achievements: team.achievement_points,
        bonuses: team.bonus_points,
        end,
        jury: team.jury_points,
        total,
    }
}

/// The four awards at the end.
fn end_awards(race: &Race) -> Vec<EndAward> {
    let best_car = |of: fn(&Car) -> u32| {
        move |race: &Race, team: TeamId| race.cars_of(team).map(|car| u64::from(of(car))).max().unwrap_or(0)
    };
    vec![
        award(race, EndTitle::CarWithMostFightsWon, best_car(|car| car.fights_won)),
        award(race, EndTitle::MostFightsWon, fights_won_by),
        award(race, EndTitle::FurthestCar, best_car(|car| car.furthest.0)),
        award(race, EndTitle::GreatestDistance, distance_of),
    ]
}

/// Every team that is first gets it; a best of 0 gives nothing.
fn award(race: &Race, title: EndTitle, merit: impl Fn(&Race, TeamId) -> u64) -> EndAward {
    let best = race.teams.keys().map(|team| merit(race, *team)).max().unwrap_or(0);
    let teams = race.teams.keys().copied().filter(|team| best > 0 && merit(race, *team) == best).collect();
    EndAward { title, teams }
}

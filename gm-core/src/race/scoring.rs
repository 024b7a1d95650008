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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{CarId, Dollars, Place};
    use crate::memory::MemoryCar;
    use crate::race::command::{Command, TeamCorrection};
    use crate::race::event::{Combatant, Retirement};
    use crate::race::rules::Rules;
    use crate::race::state::{BonusEffect, BonusId, Ending};
    use crate::race::tests::{Scene, quiet_rules};

    #[test]
    fn r_8_1_points_for_distance() {
        for (furthest, points) in [
            (0, 0),
            (29, 0),
            (30, 1),
            (31, 1),
            (49, 1),
            (50, 2),
            (51, 2),
            (98, 2), // the rule book's example
            (99, 2),
            (100, 8),
            (101, 8),
            (156, 8), // the rule book's example
            (199, 8),
            (200, 18),
            (201, 18),
            (299, 18),
            (300, 30),
            (301, 30),
            (399, 30),
            (400, 45), // the rule book's example
            (401, 45),
            (499, 45),
            (500, 60),
            (501, 60),
            (1_000, 135),
            (u32::MAX, 30 + 15 * 42_949_669),
        ] {
            assert_eq!(distance_points(Square(furthest)), Points(points), "square {furthest}");
        }
    }

    fn car(scene: &mut Scene, team: u32, furthest: u32, fights_won: u32) -> CarId {
        let name = format!("i-{}", scene.race.cars.len());
        let car = scene.car_on(team, MemoryCar::new(&name, 1, 1, 0), furthest);
        for _ in 0..fights_won {
            let against = Combatant::Pirates;
            scene.happen(Event::FightWon { car, against, weapons: 1, other_weapons: 1 });
        }
        car
    }

    fn scores(scene: &mut Scene) -> Vec<Score> {
        let mut turn = Turn::of(&scene.race, &scene.world);
        settle(&mut turn);
        let events = turn.events;
        let [Event::Scored { scores, .. }] = &events[..] else { panic!("{events:?}") };
        let scores = scores.clone();
        for event in events {
            scene.happen(event);
        }
        scores
    }

    /// the sum over the team's cars, retired or not, by the furthest square, and what else gives points.
    #[test]
    fn r_8_1_a_teams_score_is_a_sum() {
        let mut scene = Scene::quiet();
        let first = car(&mut scene, 1, 156, 0);
        let second = car(&mut scene, 1, 98, 0);
        car(&mut scene, 2, 30, 0);
        scene.happen(Event::CarStepped {
            car: first,
            to: Square(10),
            cause: crate::race::event::StepCause::Bonus,
        });
        scene.happen(Event::CarRetired { car: second, reason: Retirement::OutOfFuel });
        let team = TeamId(1);
        let effect = BonusEffect::Points(5);
        scene.happen(Event::BonusTaken { car: first, team, bonus: BonusId(1), place: Place(1), effect });
        scene.order(Command::Award { team, achievement: crate::race::event::Achievement::Scrooge }).unwrap();
        let correction = TeamCorrection { team, reason: "late".to_owned(), budget: None, points: Points(-7) };
        let told = scene.order(Command::CorrectTeam(correction)).unwrap();
        assert_eq!(
            told,
            ["the jury corrects team 1, -7 VP: late", "score: team 1: 13 VP, team 2: 1 VP, team 3: 0 VP"],
            "settled again after a correction"
        );
        let expected = Score {
            team,
            distance: Points(8 + 2),
            achievements: Points(5),
            bonuses: Points(5),
            end: Points(0),
            jury: Points(-7),
            total: Points(8 + 2 + 5 + 5 - 7),
        };
        assert_eq!(scores(&mut scene)[0], expected);
        assert_eq!(scene.team(1).score, Points(13));
    }

    /// A row: the cars' (team, furthest, fights won), and who gets the awards for the car with the most fights won,
    /// the most fights won, the furthest car, the greatest distance.
    #[track_caller]
    fn check_awards(cars: &[(u32, u32, u32)], expected: [&[u32]; 4]) {
        let mut scene = Scene::quiet();
        for (team, furthest, fights_won) in cars {
            car(&mut scene, *team, *furthest, *fights_won);
        }
        let before = scores(&mut scene);
        assert!(scene.race.end_awards.is_empty(), "not before the end");
        scene.happen(Event::RaceFinished { ending: Ending::Admin });
        let after = scores(&mut scene);
        let titles = [
            EndTitle::CarWithMostFightsWon,
            EndTitle::MostFightsWon,
            EndTitle::FurthestCar,
            EndTitle::GreatestDistance,
        ];
        assert_eq!(scene.race.end_awards.iter().map(|award| award.title).collect::<Vec<_>>(), titles);
        let won: Vec<Vec<u32>> = scene
            .race
            .end_awards
            .iter()
            .map(|award| award.teams.iter().map(|team| team.0).collect())
            .collect();
        assert_eq!(won, expected, "{cars:?}");
        for (before, after) in before.iter().zip(&after) {
            let awards = expected.iter().filter(|teams| teams.contains(&after.team.0)).count();
            assert_eq!(after.end, Points(20 * i64::try_from(awards).unwrap()));
            assert_eq!(after.total, Points(before.total.0 + after.end.0));
        }
    }

    #[test]
    fn r_8_2_awards_of_the_end() {
        check_awards(&[], [&[], &[], &[], &[]]);
        // A best of 0 gives nothing.
        check_awards(&[(1, 0, 0), (2, 0, 0)], [&[], &[], &[], &[]]);
        check_awards(&[(1, 1, 0), (2, 0, 0)], [&[], &[], &[1], &[1]]);
        check_awards(&[(1, 0, 0), (2, 0, 1)], [&[2], &[2], &[], &[]]);
        // The best single car is not the best team.
        check_awards(&[(1, 10, 3), (2, 6, 2), (2, 6, 2)], [&[1], &[2], &[1], &[2]]);
        // Every team tied for first gets it, and a car's own team only once.
        check_awards(&[(1, 5, 2), (2, 5, 2), (3, 4, 1)], [&[1, 2], &[1, 2], &[1, 2], &[1, 2]]);
        check_awards(&[(1, 5, 1), (1, 5, 1), (2, 10, 2)], [&[2], &[1, 2], &[2], &[1, 2]]);
        check_awards(&[(3, 7, 1), (2, 7, 1), (1, 7, 1)], [&[1, 2, 3], &[1, 2, 3], &[1, 2, 3], &[1, 2, 3]]);
    }

    #[test]
    fn r_8_2_retired_cars_count() {
        let mut scene = Scene::quiet();
        let retired = car(&mut scene, 2, 40, 2);
        car(&mut scene, 1, 39, 1);
        scene.happen(Event::CarRetired { car: retired, reason: Retirement::NoPilot });
        scene.happen(Event::RaceFinished { ending: Ending::Admin });
        let ends: Vec<i64> = scores(&mut scene).iter().map(|score| score.end.0).collect();
        assert_eq!(ends, [0, 80, 0]);
    }

    /// R-8.2 (cfg): an award is worth what the rules say; a correction after the end settles the awards again.
    #[test]
    fn r_8_2_a_correction_after_the_end() {
        let mut scene = Scene::new(Rules { end_award: 7, ..quiet_rules() }, 1);
        let car = car(&mut scene, 1, 10, 0);
        let told = scene.order(Command::Finish).unwrap();
        assert_eq!(
            told,
            [
                "the race is over: the admin says so",
                "score: team 1: 14 VP, team 2: 0 VP, team 3: 0 VP; car with the most fights won: nobody; \
                 most fights won: nobody; furthest car: 1; greatest distance: 1"
            ]
        );
        scene.happen(Event::FightWon { car, against: Combatant::Pirates, weapons: 1, other_weapons: 1 });
        let correction = TeamCorrection {
            team: TeamId(2),
            reason: "x".to_owned(),
            budget: Some(Dollars(3)),
            points: Points(0),
        };
        scene.order(Command::CorrectTeam(correction)).unwrap();
        assert_eq!(scene.team(1).score, Points(28));
    }

    /// A row: the three teams' points, furthest square and fights won, and `rank team` from the first to the last.
    #[test]
    fn r_8_3_ranks() {
        type Row = ([(i64, u32, u32); 3], [(u32, u32); 3]);
        let rows: [Row; 8] = [
            ([(3, 0, 0), (2, 0, 0), (1, 0, 0)], [(1, 1), (2, 2), (3, 3)]),
            ([(1, 9, 9), (2, 5, 5), (3, 0, 0)], [(1, 3), (2, 2), (3, 1)]),
            ([(-1, 0, 0), (-2, 9, 9), (0, 0, 0)], [(1, 3), (2, 1), (3, 2)]),
            ([(5, 1, 9), (5, 2, 0), (5, 3, 0)], [(1, 3), (2, 2), (3, 1)]), // by the sum of furthest
            ([(5, 2, 0), (5, 2, 2), (5, 2, 1)], [(1, 2), (2, 3), (3, 1)]), // then by fights won
            ([(5, 2, 1), (5, 2, 1), (5, 2, 1)], [(1, 1), (1, 2), (1, 3)]), // then shared
            ([(4, 2, 1), (5, 2, 1), (5, 2, 1)], [(1, 2), (1, 3), (3, 1)]),
            ([(6, 2, 1), (5, 2, 1), (5, 2, 1)], [(1, 1), (2, 2), (2, 3)]),
        ];
        for (teams, expected) in rows {
            let mut scene = Scene::quiet();
            for (team, (points, furthest, fights_won)) in (1..).zip(teams) {
                car(&mut scene, team, furthest, fights_won);
                car(&mut scene, team, furthest, 0);
                scene.race.teams.get_mut(&TeamId(team)).unwrap().score = Points(points);
            }
            let standings = standings(&scene.race);
            let ranks: Vec<(u32, u32)> =
                standings.iter().map(|standing| (standing.rank, standing.team.0)).collect();
            assert_eq!(ranks, expected, "{teams:?}");
            for standing in standings {
                let (points, furthest, fights_won) = teams[standing.team.0 as usize - 1];
                assert_eq!(standing.points, Points(points));
                assert_eq!(standing.distance, u64::from(2 * furthest));
                assert_eq!(standing.fights_won, u64::from(fights_won));
            }
        }
    }
}

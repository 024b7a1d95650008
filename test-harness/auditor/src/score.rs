//! R-8: victory points, and the awards of the end.
//!
//! ```text
//! a car that was on square 156 is worth 8 points, one that was on square 500 is worth 60
//! ```

use crate::event::{EndAward, EndTitle, Event, Score};
use crate::judge::Judge;
use crate::model::Phase;

/// R-8.1: from which square on a car is worth how many points.
const DISTANCES: [(u32, i64); 5] = [(30, 1), (50, 2), (100, 8), (200, 18), (300, 30)];

/// R-8.1: the squares of the greatest of them, beyond which each full hundred counts.
const FAR: u32 = 300;

/// R-8.1: what a full hundred squares beyond 300 is worth.
const EACH_HUNDRED: i64 = 15;

/// What a car is worth that was at most on this square.
pub(crate) fn distance_points(furthest: u32) -> i64 {
    let reached = DISTANCES.iter().rev().find(|(from, _)| furthest >= *from).map_or(0, |(_, points)| *points);
    reached + i64::from(furthest.saturating_sub(FAR) / 100) * EACH_HUNDRED
}

impl Judge {
    /// R-8.1: the score, counted again.
    pub(crate) fn scored(&mut self) {
        let end_awards = if self.model.phase == Phase::Finished { self.end_awards() } else { Vec::new() };
        let award = i64::from(self.model.rules.end_award);
        let mut scores = Vec::new();
        for (&team, known) in &self.model.teams {
            let cars = self.model.cars.values().filter(|car| car.team == team);
            let distance = cars.map(|car| distance_points(car.furthest)).sum();
            let end = end_awards.iter().filter(|award| award.teams.contains(&team)).count() as i64 * award;
            let (achievements, bonuses, jury) =
                (known.achievement_points, known.bonus_points, known.jury_points);
            let total = distance + achievements + bonuses + end + jury;
            scores.push(Score { team, distance, achievements, bonuses, end, jury, total });
        }
        self.expect("R-8.1", Event::Scored { scores, end_awards });
    }

    /// R-8.2: the four awards.
    fn end_awards(&self) -> Vec<EndAward> {
        let each = |title: EndTitle, of: &dyn Fn(u32) -> u64| {
            let best = self.model.teams.keys().map(|team| of(*team)).max().unwrap_or(0);
            let teams: Vec<u32> =
                self.model.teams.keys().copied().filter(|team| best > 0 && of(*team) == best).collect();
            (!teams.is_empty()).then_some(EndAward { title, teams })
        };
        let cars = |team: u32| self.model.cars.values().filter(move |car| car.team == team);
        let most_won = |team| cars(team).map(|car| u64::from(car.fights_won)).max().unwrap_or(0);
        let all_won = |team| cars(team).map(|car| u64::from(car.fights_won)).sum();
        let furthest = |team| cars(team).map(|car| u64::from(car.furthest)).max().unwrap_or(0);
        let all_squares = |team| cars(team).map(|car| u64::from(car.furthest)).sum();
        [
            each(EndTitle::CarWithMostFightsWon, &most_won),
            each(EndTitle::MostFightsWon, &all_won),
            each(EndTitle::FurthestCar, &furthest),
            each(EndTitle::GreatestDistance, &all_squares),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R-8.1: the table, at its edges.
    #[test]
    fn r_8_1_points_for_a_distance() {
        for (furthest, points) in [
            (0, 0),
            (29, 0),
            (30, 1),
            (49, 1),
            (50, 2),
            (98, 2),
            (99, 2),
            (100, 8),
            (156, 8),
            (199, 8),
            (200, 18),
            (299, 18),
            (300, 30),
            (399, 30),
            (400, 45),
            (500, 60),
            (1000, 135),
        ] {
            assert_eq!(distance_points(furthest), points, "{furthest}");
        }
    }
}

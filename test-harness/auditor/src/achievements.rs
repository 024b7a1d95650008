//! R-9: achievements, once for each team.
//!
//! ```text
//! car 4 beat pirates in this turn: mad_max for its team, if it has not got it yet
//! ```

use crate::event::{Achievement, Event};
use crate::judge::Judge;
use crate::turn::Turn;

impl Judge {
    /// R-3.5: what was earned in a turn, in the order of priority; last of all who is rich (R-9.14).
    pub(crate) fn achievements(&mut self, turn: &Turn) {
        // Who was out of the race before the order was drawn comes last.
        let mut cars = turn.order.clone();
        for (car, _) in &turn.deeds {
            if !cars.contains(car) {
                cars.push(*car);
            }
        }
        for car in cars {
            let deeds: Vec<Achievement> =
                turn.deeds.iter().filter(|(whose, _)| *whose == car).map(|(_, deed)| *deed).collect();
            let Some(team) = self.model.cars.get(&car).map(|car| car.team) else { continue };
            for deed in deeds {
                self.earns("R-9.1", team, Some(car), deed);
            }
        }
        let above = u64::from(self.model.rules.scrooge_above);
        let teams: Vec<u32> = self.model.teams.keys().copied().collect();
        for team in teams {
            if self.model.budget(team) > above {
                self.earns("R-9.14", team, None, Achievement::Scrooge);
            }
        }
    }

    fn earns(&mut self, rule: &'static str, team: u32, car: Option<u32>, achievement: Achievement) {
        if self.model.teams.get(&team).is_none_or(|team| team.medals.contains(&achievement)) {
            return;
        }
        let earned = self.earned(team, car, achievement, false);
        self.expect(rule, earned);
    }

    fn earned(&self, team: u32, car: Option<u32>, achievement: Achievement, by_hand: bool) -> Event {
        let reward = self.model.rules.achievements.get(&achievement).copied().unwrap_or_default();
        let (dollars, points) = (u64::from(reward.dollars), i64::from(reward.points));
        Event::AchievementEarned { team, car, achievement, dollars, points, by_hand }
    }

    /// R-9.1: the admin awards one.
    pub(crate) fn awards_by_hand(&mut self, team: u32, achievement: Achievement) {
        if self.model.teams.get(&team).is_none_or(|team| team.medals.contains(&achievement)) {
            self.wrong("R-9.1", format!("team {team} gets {achievement:?} a second time"));
        }
        let earned = self.earned(team, None, achievement, true);
        self.expect("R-9.1", earned);
        self.scored();
    }
}

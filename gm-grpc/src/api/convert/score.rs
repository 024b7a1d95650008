//! The score (R-8).
//!
//! ```text
//! 1. Red 32 points (medals: lightning, mad_max), 1. Green 32, 3. Blue 8
//! ```

use super::team_ids;
use crate::api::wire;
use gm_core::race::event::{EndAward, EndTitle, Score};
use gm_core::race::scoring::Standing;
use gm_core::race::view::{RaceView, TeamView};

/// The teams in the order of R-8.3.
#[must_use]
pub fn standings(view: &RaceView) -> Vec<wire::Standing> {
    let team = |standing: &Standing| view.teams.iter().find(|team| team.id == standing.team);
    view.standings.iter().map(|standing| placed(standing, team(standing))).collect()
}

/// The standing of one team; none if it does not take part.
#[must_use]
pub fn standing(view: &RaceView, team: gm_core::ids::TeamId) -> Option<wire::Standing> {
    let standing = view.standings.iter().find(|standing| standing.team == team)?;
    Some(placed(standing, view.teams.iter().find(|known| known.id == team)))
}

fn placed(standing: &Standing, view: Option<&TeamView>) -> wire::Standing {
    let Standing { rank, team, points, distance, fights_won } = *standing;
    let medals = view.map_or(&[][..], |view| &view.medals);
    wire::Standing {
        place: rank,
        team_id: team.0,
        team_name: view.map(|view| view.name.clone()).unwrap_or_default(),
        points: points.0,
        furthest_sum: distance,
        fights_won,
        achievement_ids: medals.iter().map(|medal| medal.id().to_owned()).collect(),
    }
}

/// A team's points, and where they come from.
#[must_use]
pub fn score(score: &Score) -> wire::Score {
    let Score { team, distance, achievements, bonuses, end, jury, total } = *score;
    wire::Score {
        team_id: team.0,
        distance: distance.0,
        achievements: achievements.0,
        bonuses: bonuses.0,
        end: end.0,
        jury: jury.0,
        total: total.0,
    }
}

/// An award of the end.
#[must_use]
pub fn end_award(award: &EndAward) -> wire::EndAward {
    let EndAward { title, teams } = award;
    wire::EndAward { title: end_title(*title).into(), team_ids: team_ids(teams) }
}

fn end_title(title: EndTitle) -> wire::EndTitle {
    match title {
        EndTitle::CarWithMostFightsWon => wire::EndTitle::CarWithMostFightsWon,
        EndTitle::MostFightsWon => wire::EndTitle::MostFightsWon,
        EndTitle::FurthestCar => wire::EndTitle::FurthestCar,
        EndTitle::GreatestDistance => wire::EndTitle::GreatestDistance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::ids::{Points, TeamId};
    use gm_core::race::event::Achievement;

    /// R-8.3: the order, the place and the tie-breaks are those of the rules.
    #[test]
    fn r_8_3_a_team_in_its_place() {
        let standing =
            Standing { rank: 2, team: TeamId(1), points: Points(-3), distance: 410, fights_won: 6 };
        let team = TeamView {
            id: TeamId(1),
            name: "Red".to_owned(),
            score: Points(-3),
            medals: vec![Achievement::Lightning, Achievement::Scrooge],
            budget: None,
        };
        let expected = wire::Standing {
            place: 2,
            team_id: 1,
            team_name: "Red".to_owned(),
            points: -3,
            furthest_sum: 410,
            fights_won: 6,
            achievement_ids: vec!["lightning".to_owned(), "scrooge".to_owned()],
        };
        assert_eq!(placed(&standing, Some(&team)), expected);
    }
}

//! What a team has earned: achievements, points, awards.
//!
//! ```text
//! {"team":1,"distance":8,"achievements":3,"bonuses":2,"end":20,"jury":-1,"total":32}
//! {"title":"furthest_car","teams":[1,2]}
//! ```

use super::domain;
use serde::{Deserialize, Serialize};

/// An achievement.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Achievement {
    Lightning,
    ArmedToTheTeeth,
    Strategist,
    MadMax,
    Pacifist,
    ClickClick,
    #[serde(rename = "ulysses_31")]
    Ulysses31,
    OutOfFuel,
    AceDriver,
    Recycler,
    SnakesOnACar,
    PimpMyRide,
    Scrooge,
}

impl From<&domain::Achievement> for Achievement {
    fn from(it: &domain::Achievement) -> Achievement {
        match it {
            domain::Achievement::Lightning => Achievement::Lightning,
            domain::Achievement::ArmedToTheTeeth => Achievement::ArmedToTheTeeth,
            domain::Achievement::Strategist => Achievement::Strategist,
            domain::Achievement::MadMax => Achievement::MadMax,
            domain::Achievement::Pacifist => Achievement::Pacifist,
            domain::Achievement::ClickClick => Achievement::ClickClick,
            domain::Achievement::Ulysses31 => Achievement::Ulysses31,
            domain::Achievement::OutOfFuel => Achievement::OutOfFuel,
            domain::Achievement::AceDriver => Achievement::AceDriver,
            domain::Achievement::Recycler => Achievement::Recycler,
            domain::Achievement::SnakesOnACar => Achievement::SnakesOnACar,
            domain::Achievement::PimpMyRide => Achievement::PimpMyRide,
            domain::Achievement::Scrooge => Achievement::Scrooge,
        }
    }
}

impl From<Achievement> for domain::Achievement {
    fn from(it: Achievement) -> domain::Achievement {
        match it {
            Achievement::Lightning => domain::Achievement::Lightning,
            Achievement::ArmedToTheTeeth => domain::Achievement::ArmedToTheTeeth,
            Achievement::Strategist => domain::Achievement::Strategist,
            Achievement::MadMax => domain::Achievement::MadMax,
            Achievement::Pacifist => domain::Achievement::Pacifist,
            Achievement::ClickClick => domain::Achievement::ClickClick,
            Achievement::Ulysses31 => domain::Achievement::Ulysses31,
            Achievement::OutOfFuel => domain::Achievement::OutOfFuel,
            Achievement::AceDriver => domain::Achievement::AceDriver,
            Achievement::Recycler => domain::Achievement::Recycler,
            Achievement::SnakesOnACar => domain::Achievement::SnakesOnACar,
            Achievement::PimpMyRide => domain::Achievement::PimpMyRide,
            Achievement::Scrooge => domain::Achievement::Scrooge,
        }
    }
}

/// A team's points.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Score {
    team: u32,
    distance: i64,
    achievements: i64,
    bonuses: i64,
    end: i64,
    jury: i64,
    total: i64,
}

impl From<&domain::Score> for Score {
    fn from(it: &domain::Score) -> Score {
        let domain::Score { team, distance, achievements, bonuses, end, jury, total } = it;
        Score {
            team: team.0,
            distance: distance.0,
            achievements: achievements.0,
            bonuses: bonuses.0,
            end: end.0,
            jury: jury.0,
            total: total.0,
        }
    }
}

impl From<Score> for domain::Score {
    fn from(it: Score) -> domain::Score {
        let Score { team, distance, achievements, bonuses, end, jury, total } = it;
        domain::Score {
            team: domain::TeamId(team),
            distance: domain::Points(distance),
            achievements: domain::Points(achievements),
            bonuses: domain::Points(bonuses),
            end: domain::Points(end),
            jury: domain::Points(jury),
            total: domain::Points(total),
        }
    }
}

/// An award of the end.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndAward {
    title: EndTitle,
    teams: Vec<u32>,
}

impl From<&domain::EndAward> for EndAward {
    fn from(it: &domain::EndAward) -> EndAward {
        let domain::EndAward { title, teams } = it;
        EndAward { title: title.into(), teams: teams.iter().map(|team| team.0).collect() }
    }
}

impl From<EndAward> for domain::EndAward {
    fn from(it: EndAward) -> domain::EndAward {
        let EndAward { title, teams } = it;
        domain::EndAward { title: title.into(), teams: teams.into_iter().map(domain::TeamId).collect() }
    }
}

/// What it is for.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum EndTitle {
    CarWithMostFightsWon,
    MostFightsWon,
    FurthestCar,
    GreatestDistance,
}

impl From<&domain::EndTitle> for EndTitle {
    fn from(it: &domain::EndTitle) -> EndTitle {
        match it {
            domain::EndTitle::CarWithMostFightsWon => EndTitle::CarWithMostFightsWon,
            domain::EndTitle::MostFightsWon => EndTitle::MostFightsWon,
            domain::EndTitle::FurthestCar => EndTitle::FurthestCar,
            domain::EndTitle::GreatestDistance => EndTitle::GreatestDistance,
        }
    }
}

impl From<EndTitle> for domain::EndTitle {
    fn from(it: EndTitle) -> domain::EndTitle {
        match it {
            EndTitle::CarWithMostFightsWon => domain::EndTitle::CarWithMostFightsWon,
            EndTitle::MostFightsWon => domain::EndTitle::MostFightsWon,
            EndTitle::FurthestCar => domain::EndTitle::FurthestCar,
            EndTitle::GreatestDistance => domain::EndTitle::GreatestDistance,
        }
    }
}

//! Who takes part in a race, under which rules: what `gm demo` makes up and `gm run` reads.

use crate::drive::Secret;
use gm_core::contract::BaseUrl;
use gm_core::ids::Dollars;
use gm_core::race::ValidRules;
use gm_core::random::Seed;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// A race that is to be run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The rules.
    pub rules: ValidRules,
    /// The seed.
    pub seed: Seed,
    /// The teams, in the order of their ids: the first is team 1.
    pub teams: Vec<PlannedTeam>,
    /// Names of hosts that only this game master knows.
    pub hosts: BTreeMap<String, SocketAddr>,
    /// Whether cars and AIs may be on private addresses.
    pub allow_private: bool,
}

impl Plan {
    /// How many cars take part.
    #[must_use]
    pub fn cars(&self) -> usize {
        self.teams.iter().map(|team| team.cars.len()).sum()
    }
}

/// A team that takes part.
#[derive(Debug, Clone)]
pub struct PlannedTeam {
    /// Where it was named, for errors: `race.toml:12: team "Red"`.
    pub place: String,
    /// Its name.
    pub name: String,
    /// What it starts with; none = what the rules say.
    pub budget: Option<Dollars>,
    /// What its cars are sent (C-20); none = nothing.
    pub secret: Option<Secret>,
    /// Its cars, in the order in which they are registered.
    pub cars: Vec<PlannedCar>,
}

/// A car that takes part.
#[derive(Debug, Clone)]
pub struct PlannedCar {
    /// Where it was named, for errors.
    pub place: String,
    /// Its instance name.
    pub instance: String,
    /// Where it is.
    pub url: BaseUrl,
}

//! Who takes part in a race, under which rules: what `gm demo` makes up and `gm run` reads.
//!
//! The journal keeps it with the race, as JSON, so that a race goes on without its file:
//!
//! ```json
//! {"format":1,"allow_private":true,"hosts":{},"teams":[{"place":"race.toml:5: team \"Red\"","name":"Red","cars":[]}]}
//! ```
//!
//! Rules and seed are in the race itself, and secrets are in the journal, encrypted.

use crate::drive::Secret;
use gm_core::contract::BaseUrl;
use gm_core::ids::{Dollars, TeamId};
use gm_core::race::ValidRules;
use gm_core::random::Seed;
use serde::{Deserialize, Serialize};
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
    /// The cars are started by `gm demo`: how many.
    pub demo: Option<DemoSize>,
}

/// How many cars `gm demo` starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DemoSize {
    /// How many teams take part.
    pub teams: u32,
    /// How many cars each has.
    pub cars: u32,
}

impl Plan {
    /// How many cars take part.
    #[must_use]
    pub fn cars(&self) -> usize {
        self.teams.iter().map(|team| team.cars.len()).sum()
    }

    /// What the cars of each team are sent (C-20).
    #[must_use]
    pub fn secrets(&self) -> BTreeMap<TeamId, Secret> {
        let ids = (1..).map(TeamId);
        ids.zip(&self.teams).filter_map(|(id, team)| Some((id, team.secret.clone()?))).collect()
    }

    /// What another plan says otherwise, in words: what a race goes on without, when its file was changed since. The
    /// secrets are compared with those given, since a stored plan has none.
    #[must_use]
    pub fn changes(&self, other: &Plan, secrets: &BTreeMap<TeamId, Secret>) -> Vec<String> {
        let mut changes = Vec::new();
        if self.rules != other.rules {
            changes.push("the rules".to_owned());
        }
        if self.hosts != other.hosts || self.allow_private != other.allow_private {
            changes.push("the hosts".to_owned());
        }
        let cars = |team: &PlannedTeam| -> Vec<(String, BaseUrl)> {
            team.cars.iter().map(|car| (car.instance.clone(), car.url.clone())).collect()
        };
        if self.teams.len() != other.teams.len() {
            changes.push("the teams".to_owned());
        }
        let theirs = other.secrets();
        for ((before, now), id) in self.teams.iter().zip(&other.teams).zip((1..).map(TeamId)) {
            if (&before.name, before.budget, cars(before)) != (&now.name, now.budget, cars(now)) {
                changes.push(format!("team {}", before.name));
            } else if secrets.get(&id) != theirs.get(&id) {
                changes.push(format!("the secret of team {}", before.name));
            }
        }
        changes
    }

    /// The plan as it is stored: JSON, without secrets.
    #[must_use]
    pub fn to_json(&self) -> String {
        let car = |car: &PlannedCar| StoredCar {
            place: car.place.clone(),
            instance: car.instance.clone(),
            url: car.url.to_string(),
        };
        let team = |team: &PlannedTeam| StoredTeam {
            place: team.place.clone(),
            name: team.name.clone(),
            budget: team.budget.map(|budget| budget.0),
            cars: team.cars.iter().map(car).collect(),
        };
        let stored = StoredPlan {
            format: FORMAT,
            allow_private: self.allow_private,
            hosts: self.hosts.clone(),
            teams: self.teams.iter().map(team).collect(),
            demo: self.demo,
        };
        serde_json::json!(stored).to_string()
    }

    /// Reads a stored plan of a race with these rules and this seed. Its teams have no secrets.
    ///
    /// # Errors
    /// [`BadPlan`] if it is not one, or of a format that this program does not know.
    pub fn from_json(json: &str, rules: ValidRules, seed: Seed) -> Result<Plan, BadPlan> {
        let unreadable = |error: serde_json::Error| BadPlan::Unreadable(error.to_string());
        let Format { format } = serde_json::from_str(json).map_err(unreadable)?;
        if format != FORMAT {
            return Err(BadPlan::Format(format));
        }
        let stored: StoredPlan = serde_json::from_str(json).map_err(unreadable)?;
        let car = |StoredCar { place, instance, url }| {
            let url = BaseUrl::parse(&url).map_err(|bad| BadPlan::Unreadable(format!("{place}: {bad}")))?;
            Ok(PlannedCar { place, instance, url })
        };
        let team = |StoredTeam { place, name, budget, cars }| {
            let cars = cars.into_iter().map(car).collect::<Result<_, BadPlan>>()?;
            Ok(PlannedTeam { place, name, budget: budget.map(Dollars), secret: None, cars })
        };
        let StoredPlan { format: _, allow_private, hosts, teams, demo } = stored;
        let teams = teams.into_iter().map(team).collect::<Result<_, BadPlan>>()?;
        Ok(Plan { rules, seed, teams, hosts, allow_private, demo })
    }
}

/// The format in which plans are stored.
const FORMAT: u32 = 1;

/// Why a stored plan can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPlan {
    /// Another program has written it.
    #[error(
        "its plan has format {0}, and this gm knows format {FORMAT}: go on with the gm that has begun the race"
    )]
    Format(u32),
    /// It is not a plan.
    #[error("its plan can't be read: {0}. Restore the data directory from a copy to have it back")]
    Unreadable(String),
}

#[derive(Deserialize)]
struct Format {
    format: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPlan {
    format: u32,
    allow_private: bool,
    hosts: BTreeMap<String, SocketAddr>,
    teams: Vec<StoredTeam>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    demo: Option<DemoSize>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTeam {
    place: String,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    budget: Option<u64>,
    cars: Vec<StoredCar>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCar {
    place: String,
    instance: String,
    url: String,
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

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::race::Rules;

    fn plan(secret: Option<Secret>) -> Plan {
        let url = BaseUrl::parse("http://10.0.0.1:8080").expect("a URL");
        let car = PlannedCar { place: "race.toml:7: car \"a\"".into(), instance: "a".into(), url };
        let team = |name: &str, budget, cars| PlannedTeam {
            place: format!("race.toml: team {name:?}"),
            name: name.to_owned(),
            budget,
            secret: secret.clone(),
            cars,
        };
        Plan {
            rules: Rules::balanced().validated().expect("good rules"),
            seed: Seed(7),
            teams: vec![team("Red", Some(Dollars(30)), vec![car]), team("Blue", None, Vec::new())],
            hosts: BTreeMap::from([("a.invalid".to_owned(), SocketAddr::from(([127, 0, 0, 1], 8080)))]),
            allow_private: false,
            demo: Some(DemoSize { teams: 2, cars: 1 }),
        }
    }

    #[test]
    fn a_stored_plan_is_read_back_without_its_secrets() {
        let secret = Secret::parse("between-us").expect("a secret");
        let plan_of_red = plan(Some(secret.clone()));
        assert_eq!(plan_of_red.secrets(), BTreeMap::from([(TeamId(1), secret.clone()), (TeamId(2), secret)]));
        let json = plan_of_red.to_json();
        assert!(!json.contains("between-us"), "{json}");
        let read = Plan::from_json(&json, plan_of_red.rules, plan_of_red.seed).expect("a plan");
        assert_eq!(format!("{read:?}"), format!("{:?}", plan(None)));
    }

    /// A plan that was changed, and what is said of it.
    #[test]
    fn what_a_file_says_otherwise() {
        let secret = |text: &str| Secret::parse(text).expect("a secret");
        let begun = plan(Some(secret("old")));
        let check = |change: fn(&mut Plan), expected: &[&str]| {
            let mut now = begun.clone();
            now.teams[0].place = "another line".to_owned();
            change(&mut now);
            assert_eq!(begun.changes(&now, &begun.secrets()), expected);
        };
        check(|_| {}, &[]);
        check(|plan| plan.teams[1].secret = Secret::parse("new").ok(), &["the secret of team Blue"]);
        check(|plan| plan.teams[0].secret = None, &["the secret of team Red"]);
        check(|plan| plan.teams[0].name = "Green".to_owned(), &["team Red"]);
        check(|plan| plan.teams[0].budget = None, &["team Red"]);
        check(|plan| plan.teams[0].cars.clear(), &["team Red"]);
        check(|plan| plan.teams.truncate(1), &["the teams"]);
        check(|plan| plan.hosts.clear(), &["the hosts"]);
        let more = Rules { initial_budget: 999, ..Rules::balanced() };
        let mut now = begun.clone();
        now.rules = more.validated().expect("good rules");
        assert_eq!(begun.changes(&now, &begun.secrets()), ["the rules"]);
    }

    #[test]
    fn what_is_wrong_with_a_stored_plan() {
        let rules = plan(None).rules;
        for (json, expected) in [
            (r#"{"format":2,"what":"ever"}"#, "its plan has format 2, and this gm knows format 1"),
            ("[]", "its plan can't be read: "),
            (
                r#"{"format":1,"allow_private":true,"hosts":{}}"#,
                "its plan can't be read: missing field `teams`",
            ),
            (
                r#"{"format":1,"allow_private":true,"hosts":{},"teams":[{"place":"p","name":"n","cars":[{"place":"the car","instance":"a","url":"ftp://x"}]}]}"#,
                "its plan can't be read: the car: the scheme is not http or https",
            ),
        ] {
            let bad = Plan::from_json(json, rules.clone(), Seed(1)).expect_err(json).to_string();
            assert!(bad.starts_with(expected), "{bad}");
        }
    }
}

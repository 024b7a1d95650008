//! The world of a race that `gm run` or `gm demo` plays: its cars over HTTP, and who is asked just now.

use super::plan::Plan;
use crate::control::{Setting, Worlds};
use crate::drive::{Asked, HttpWorld, Limits, Settings, Witness};
use gm_core::contract::{Answer, Fault};
use gm_core::ports::{Chain, Topic};
use gm_core::race::Rules;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Opens the world of the race of one plan.
pub(super) struct PlannedWorld {
    hosts: BTreeMap<String, SocketAddr>,
    allow_private: bool,
    cars: usize,
    under_way: Arc<UnderWay>,
}

impl PlannedWorld {
    pub(super) fn of(plan: &Plan, under_way: Arc<UnderWay>) -> PlannedWorld {
        let (hosts, allow_private) = (plan.hosts.clone(), plan.allow_private);
        PlannedWorld { hosts, allow_private, cars: plan.cars(), under_way }
    }
}

impl Worlds for PlannedWorld {
    type World = HttpWorld;

    fn open(&self, setting: Setting) -> Result<HttpWorld, String> {
        let Setting { race, rules, secrets, inspectors, running } = setting;
        let settings = Settings {
            limits: limits(&rules, self.cars),
            secrets,
            inspectors,
            hosts: self.hosts.clone(),
            allow_private: self.allow_private,
            running,
            witness: Arc::clone(&self.under_way) as Arc<dyn Witness>,
            ..Settings::new(race)
        };
        HttpWorld::new(settings).map_err(|error| error.to_string())
    }
}

/// The deadlines of the rules, and room for every car.
fn limits(rules: &Rules, cars: usize) -> Limits {
    Limits::of(rules, Limits::default().in_flight.max(cars))
}

/// The conversations in which an answer is waited for.
#[derive(Default)]
pub(super) struct UnderWay(Mutex<BTreeSet<Chain>>);

impl UnderWay {
    fn chains(&self) -> MutexGuard<'_, BTreeSet<Chain>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Who is asked what.
    pub(super) fn names(&self) -> Vec<String> {
        self.chains().iter().map(|chain| format!("car {} ({})", chain.car, about(chain.topic))).collect()
    }
}

impl Witness for UnderWay {
    fn asked(&self, asked: &Asked<'_>) {
        self.chains().insert(asked.chain);
    }

    fn answered(&self, asked: &Asked<'_>, _: &Result<Answer, Fault>, _: Duration) {
        self.chains().remove(&asked.chain);
    }
}

fn about(topic: Topic) -> &'static str {
    match topic {
        Topic::Command(_) => "registration",
        Topic::Transfer => "transfer",
        Topic::Track => "on track",
        Topic::Bonus => "bonus",
        Topic::Fight => "fight",
        Topic::FightDuel | Topic::PirateDuel => "duel",
        Topic::PirateMind => "pirates",
        Topic::Encounter => "encounter",
        Topic::SpotCheck => "spot check",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_21_a_3_the_limits_are_those_of_the_rules() {
        let rules = Rules { request_deadline_ms: 111, move_deadline_ms: 222, ..Rules::balanced() };
        for (cars, in_flight) in [(2, 256), (600, 600)] {
            let (car, ai) = (Duration::from_millis(111), Duration::from_millis(222));
            assert_eq!(limits(&rules, cars), Limits { car, ai, in_flight });
        }
    }
}

//! The race that is killed: a small ring on which everything happens, and cars that decide the same in each run.
//!
//! ```text
//! red-1, red-2      bold and careful, with the careful AI
//! blue-1, blue-2    random and bold, with an AI that plays any legal cards; blue-2 fails now and then
//! green-1, green-2  bold, with an AI that breaks off a duel; green-2 says a wrong number until it has to retire
//! ```
//!
//! Whether a car misbehaves follows from the request alone, so one that comes again gets the same answer again.

use car_reference::{Car, CarSettings, StrategyName};
use fight_lambda_reference::Mind;
use gm_core::contract::{DuelUrl, Modules};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

/// The seed of the race.
pub(crate) const SEED: u64 = 14;

/// Rules under which much happens in a few turns. The deadlines are so long that nobody misses one on a busy machine.
const RULES: &str = r#"
preset = "balanced"
[rules]
max_turns = 6
track_length = 20
combat_range = 1
hand_limit = 3
spot_check_percent = 100
request_deadline_ms = 60000
move_deadline_ms = 60000
duel_limit = 600
spoils = "winner_takes"
random_bonuses = 6
bonuses = [
    { place = 6, effect = { module = "engine" }, often = "always" },
    { place = 4, effect = { dollars = 5 }, often = "once_per_team" },
    { place = 9, effect = { advance = 2 }, often = "once" },
]
encounters = { nothing = 5, pirates = 20, garage = 25, wreck = 25, minefield = 25 }
pirates = { least_weapons = 2, most_weapons = 4, mind = "random" }
wreck = { nothing = 10, engine = 30, weapon = 30, pilot = 20, snakes = 10 }
"#;

/// What makes a car and an AI late on purpose: short deadlines, failed checks that are asked again (R-7.8), and
/// little time for a duel (R-6.8).
const LATE_RULES: &str = r#"
preset = "balanced"
[rules]
max_turns = 2
track_length = 8
combat_range = 0
spot_check_percent = 100
request_deadline_ms = 1000
move_deadline_ms = 60000
duel_limit = 2
verify_grace = 1
encounters = { nothing = 0, pirates = 0, garage = 50, wreck = 50, minefield = 0 }
"#;

/// How long a slow answer takes: two of them are more than a duel's time, one is less.
pub(crate) const SLOW: Duration = Duration::from_millis(1_300);

/// Which race is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Course {
    /// The one on which everything happens.
    Busy,
    /// The one on which a car is late, which takes time.
    Late,
}

/// A team that takes part: its AI, and its cars with their engines, pilots, weapons and strategies.
pub(crate) struct Team {
    pub(crate) name: &'static str,
    pub(crate) ai: &'static str,
    pub(crate) mind: Mind,
    pub(crate) cars: [(&'static str, [u64; 3], StrategyName); 2],
}

/// The teams, in the order of their ids.
pub(crate) const TEAMS: [Team; 3] = [
    Team {
        name: "Red",
        ai: "red-ai",
        mind: Mind::Careful,
        cars: [("red-1", [4, 3, 3], StrategyName::Bold), ("red-2", [5, 2, 3], StrategyName::Careful)],
    },
    Team {
        name: "Blue",
        ai: "blue-ai",
        mind: Mind::Random,
        cars: [("blue-1", [3, 3, 4], StrategyName::Random), ("blue-2", [4, 3, 3], StrategyName::Bold)],
    },
    Team {
        name: "Green",
        ai: "green-ai",
        mind: Mind::Random,
        cars: [("green-1", [4, 3, 3], StrategyName::Bold), ("green-2", [2, 1, 1], StrategyName::Bold)],
    },
];

impl Course {
    /// The file of `gm run`.
    pub(crate) fn file(self, run: &str, addresses: &BTreeMap<&'static str, SocketAddr>) -> String {
        let mut text = match self {
            Course::Busy => RULES,
            Course::Late => LATE_RULES,
        }
        .to_owned();
        for team in &TEAMS {
            let secret = secret(run, team.name);
            let _ = write!(text, "[[team]]\nname = '{}'\nsecret = '{secret}'\n", team.name);
            for (car, _, _) in &team.cars {
                let _ = write!(text, "[[team.car]]\ninstance = '{car}'\nurl = 'http://{}'\n", addresses[car]);
            }
        }
        text
    }

    /// How a request is answered wrongly, if it is. `place` is its id without the race: `t2-track-c3-1`.
    pub(crate) fn defect(self, server: &str, place: &str, line: &str) -> Option<Defect> {
        let turn = place.split('-').next().unwrap_or_default();
        let topic = place.split('-').nth(1).unwrap_or_default();
        match (self, server, turn, topic, line) {
            (Course::Busy, "green-2", "t3" | "t4", _, "GET /engine/count" | "GET /weapon/count") => {
                Some(Defect::OneMore)
            }
            (Course::Busy, "green-2", "t3" | "t4" | "t5", _, "GET /pilot/count") => Some(Defect::Status500),
            (Course::Busy, "green-2", "t1" | "t2" | "t3" | "t4", "spotcheck", _) => Some(Defect::Status500),
            (Course::Busy, "blue-2", "t2", "spotcheck", _) => Some(Defect::Html),
            (Course::Busy, "blue-2", "t4", "track", _) => Some(Defect::Breaks),
            (Course::Busy, "red-2", "t3", "encounter", _) => Some(Defect::Status500),
            (Course::Busy, "green-ai", "t2", _, _) => Some(Defect::Status500),
            (Course::Late, "blue-2", "t1", "spotcheck", _) if place.ends_with("-1") => Some(Defect::Late),
            (Course::Late, "blue-ai", "t2", _, _) => Some(Defect::Slow),
            (Course::Late, "green-1", "t2", "spotcheck", "GET /state") => Some(Defect::Status500),
            _ => None,
        }
    }
}

/// How a request is answered wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defect {
    /// It is done, and where the answer is a number it says one more.
    OneMore,
    /// It is not done, and the answer is 500.
    Status500,
    /// It is done, and the answer is a page.
    Html,
    /// It is done, and the connection breaks in the middle of the answer.
    Breaks,
    /// It is done, and the answer takes [`SLOW`].
    Slow,
    /// It is done, and no answer comes.
    Late,
}

/// What the cars of a team are sent (C-20). It says of which run the race is.
pub(crate) fn secret(run: &str, team: &str) -> String {
    format!("{run}/{team}")
}

/// The run of a secret.
pub(crate) fn run_of(secret: &str) -> Option<&str> {
    Some(secret.split_once('/')?.0)
}

/// The cars of one run, as new.
pub(crate) fn cars(
    run: &str,
    addresses: &BTreeMap<&'static str, SocketAddr>,
) -> BTreeMap<&'static str, axum::Router> {
    let mut cars = BTreeMap::new();
    for team in &TEAMS {
        let ai = DuelUrl::parse(&format!("http://{}/action", addresses[team.ai])).expect("a URL");
        for (instance, [engine, pilot, weapon], strategy) in &team.cars {
            let settings = CarSettings {
                modules: Modules { engine: *engine, pilot: *pilot, weapon: *weapon },
                secret: Some(secret(run, team.name).into()),
                ai_url: Some(ai.clone()),
                strategy: *strategy,
                seed: SEED,
                ..CarSettings::new(*instance)
            };
            cars.insert(*instance, car_reference::router(Car::in_memory(settings)));
        }
    }
    cars
}

//! The contract on the wire: every test talks to a real socket on the loopback.

mod bad_answers;
mod cars;
mod duels;
pub(crate) mod raw;
mod relays;
mod tls;

use super::{CarSecrets, HttpCar, HttpWorld, Limits, Secret, Settings};
use gm_core::contract::BaseUrl;
use gm_core::ids::{CarId, TeamId, TurnNo};
use gm_core::ports::{Chain, Topic, World};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The deadline of these tests: long for a loopback, short for who waits for it.
pub(crate) const DEADLINE: Duration = Duration::from_millis(400);

pub(crate) fn settings() -> Settings {
    let mut settings = Settings::new("race-7f3a");
    settings.limits = Limits { car: DEADLINE, ai: DEADLINE, in_flight: 16 };
    let secret = Secret::parse("s3cret").expect("a good secret");
    settings.secrets = Arc::new(CarSecrets::of(BTreeMap::from([(TeamId(7), secret)])));
    settings
}

fn world() -> HttpWorld {
    HttpWorld::new(settings()).expect("good settings")
}

fn chain(topic: Topic) -> Chain {
    Chain { turn: TurnNo(12), topic, car: CarId(3) }
}

fn car_of(world: &HttpWorld, url: &str) -> HttpCar {
    world.car(chain(Topic::Track), TeamId(7), &BaseUrl::parse(url).expect("a URL"))
}

//! 200 cars for 20 turns, without a penalty and without a warning in the log.
//!
//! All cars are behind one port, each with a path of its own, so that the test needs few open files: two for each
//! car's connection, four for each duel that is played.

use crate::stage::{Stage, ai_at, bold, reference_ai, register, serve};
use axum::Router;
use car_reference::{Car, CarSettings, StrategyName};
use gm_core::contract::BaseUrl;
use gm_core::ids::{Seconds, TeamId};
use gm_core::race::{Command, Event, Rules};
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Metadata, Subscriber};

const TEAMS: u32 = 50;
const CARS_OF_A_TEAM: u32 = 4;
const TURNS: u32 = 20;

/// Everything on one thread, so that the test's own log is the log of all.
#[tokio::test]
async fn two_hundred_cars_for_twenty_turns() {
    let log = Log::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    tracing::warn!("the log is read");
    assert_eq!(log.take().len(), 1);

    let ai = serve(reference_ai(), vec![]).await;
    let mut garage = Router::new();
    let strategies = [StrategyName::Careful, StrategyName::Bold, StrategyName::Random];
    for number in 1..=TEAMS * CARS_OF_A_TEAM {
        let modules = [2 + u64::from(number % 5), 1 + u64::from(number % 2), 2];
        let strategy = strategies[number as usize % strategies.len()];
        let settings = CarSettings {
            strategy,
            seed: number.into(),
            ..bold(&format!("i-{number}"), modules, &ai_at(&ai))
        };
        garage = garage.nest_service(&format!("/{number}"), car_reference::router(Car::in_memory(settings)));
    }
    let cars = serve(garage, vec![]).await;

    let mut stage = Stage::new("crowd", patient_rules());
    for team in 1..=TEAMS {
        stage.team(&format!("team {team}")).await;
    }
    stage.start().await;
    let mut inbox: Vec<Command> = (1..=TEAMS * CARS_OF_A_TEAM)
        .map(|number| {
            let url = BaseUrl::parse(&format!("{}/{number}", cars.url())).expect("a URL");
            register(TeamId(1 + number % TEAMS), &format!("i-{number}"), &url)
        })
        .collect();
    for _ in 0..TURNS {
        stage.turn(std::mem::take(&mut inbox)).await;
    }

    assert_eq!(stage.race.cars.len(), 200);
    assert_eq!(stage.race.turn.0, TURNS);
    let faults: Vec<String> = stage
        .events
        .iter()
        .filter(|event| {
            matches!(
                event,
                Event::Penalised { .. }
                    | Event::DuelForfeited { .. }
                    | Event::RegistrationRefused { .. }
                    | Event::MinefieldAvoided { fault: Some(_), .. }
            )
        })
        .map(Event::to_string)
        .collect();
    assert_eq!(faults, [""; 0]);
    assert_eq!(log.take(), [""; 0]);
}

/// The deadlines are long: the 200 cars, the AI and the game master share one thread here.
fn patient_rules() -> Rules {
    Rules {
        request_deadline_ms: 60_000,
        move_deadline_ms: 60_000,
        duel_limit: Seconds(3_600),
        ..Rules::balanced()
    }
}

/// A log that keeps warnings and errors.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("not poisoned"))
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("not poisoned").push(line.0);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// A line of the log.
struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

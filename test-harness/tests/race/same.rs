//! R-10.5: the same seed gives the same events, byte for byte, whoever answers first.
//!
//! ```text
//! run 1: car 3 answers after 2 ms, car 1 after 17 ms    {"event":"car_moved","car":1,…}
//! run 2: car 1 answers after 4 ms, car 3 after 11 ms    {"event":"car_moved","car":1,…}
//! ```
//!
//! And so do races in which pirates think, whatever their mind is: they have no clock.

use crate::stage::{Stage, ai_at, bold, reference_ai, serve};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use car_reference::{Car, CarSettings, StrategyName};
use gm_core::ids::{Seconds, TeamId};
use gm_core::ports::PirateMind;
use gm_core::race::Rules;
use gm_core::race::rules::{EncounterOdds, PirateRules};
use gm_core::random::Seed;
use gm_grpc::journal::Numbers;
use std::sync::Arc;
use std::time::Duration;
use test_harness::broken::BrokenCar;
use test_harness::delay::delayed;
use tower_service::Service;

const RUNS: usize = 10;
const TURNS: u32 = 20;
const MOST_DELAY: Duration = Duration::from_millis(20);

/// Three teams of two cars, each strategy and many modules, for 20 turns; ten times at the same time, with other
/// delays each time. The addresses are in the events, so each car has one server, which keeps a car for each run.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_10_5_ten_runs_are_the_same_byte_for_byte() {
    for seed in [1, 2] {
        ten_runs(seed).await;
    }
}

/// Races in which all cars meet pirates in each turn: two of each mind, which are the same byte for byte. Those of the
/// weakest mind are others than those of the strongest, so the duels do depend on it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_10_5_pirates_think_by_no_clock() {
    const TURNS: u32 = 3;
    let minds = serve(reference_ai(), vec![]).await;
    let settings = bold("i-1", [4, 1, 5], &ai_at(&minds));
    let car = a_car_for_each_run(&settings, 1).await;
    let mut files = Vec::new();
    for (run, mind) in (0..).zip(PirateMind::ALL.into_iter().flat_map(|mind| [mind, mind])) {
        let rules = Rules {
            encounters: EncounterOdds { nothing: 0, pirates: 100, garage: 0, wreck: 0, minefield: 0 },
            pirates: PirateRules { least_weapons: 5, most_weapons: 5, mind },
            ..patient_rules()
        };
        let file = one_run(run, rules, TURNS, 3, std::slice::from_ref(&car)).await;
        assert!(file.contains(r#""event":"duel_played""#), "{}", mind.name());
        // The mind itself is among the rules, in the first event.
        let (_, events) = file.split_once('\n').expect("a race has events");
        files.push(events.to_owned());
    }
    for (pair, mind) in files.chunks(2).zip(PirateMind::ALL) {
        assert!(pair[0] == pair[1], "two races with {} pirates differ", mind.name());
    }
    assert!(files.first() != files.last(), "all pirates play alike");
}

/// Nobody is late here, however busy the machine is.
fn patient_rules() -> Rules {
    Rules {
        request_deadline_ms: 30_000,
        move_deadline_ms: 30_000,
        duel_limit: Seconds(600),
        ..Rules::classic()
    }
}

async fn ten_runs(seed: u64) {
    let minds = serve(delayed(reference_ai(), 1, MOST_DELAY), vec![]).await;
    let ai = ai_at(&minds);
    let rows = [
        (StrategyName::Careful, [4, 1, 3]),
        (StrategyName::Bold, [4, 1, 3]),
        (StrategyName::Random, [4, 2, 3]),
        (StrategyName::Careful, [4, 1, 4]),
        (StrategyName::Bold, [3, 2, 4]),
        (StrategyName::Random, [4, 1, 4]),
    ];
    let mut servers = Vec::new();
    for (number, (strategy, modules)) in (1..).zip(rows) {
        let settings = CarSettings { strategy, seed: number, ..bold(&format!("i-{number}"), modules, &ai) };
        servers.push(a_car_for_each_run(&settings, number).await);
    }
    let mut rules = patient_rules();
    rules.pirates.mind = PirateMind::Careful;
    let runs = (0..RUNS).map(|run| one_run(run, rules.clone(), TURNS, seed, &servers));
    let files = futures_util::future::join_all(runs).await;

    let first = &files[0];
    for event in ["car_moved", "duel_played", "module_gained", "module_lost", "achievement_earned"] {
        assert!(first.contains(&format!(r#""event":"{event}""#)), "seed {seed}: a race with every {event}");
    }
    for (run, file) in files.iter().enumerate() {
        let differs = first.lines().zip(file.lines()).find(|(one, other)| one != other);
        assert_eq!(differs, None, "seed {seed}: run 0 and run {run} differ");
        assert!(first == file, "seed {seed}: run {run} is longer or shorter");
    }
}

/// One race; gives its events as JSON lines.
async fn one_run(run: usize, rules: Rules, turns: u32, seed: u64, servers: &[BrokenCar]) -> String {
    let mut stage = Stage::seeded(&format!("run{run}"), rules, Seed(seed));
    for name in ["Red", "Green", "Blue"] {
        stage.team(name).await;
    }
    for (number, server) in (1..).zip(servers) {
        let team = TeamId(number % 3 + 1);
        stage.enter(team, &format!("i-{number}"), server.url()).await;
    }
    stage.start().await;
    for _ in 0..turns {
        stage.turn(vec![]).await;
        if stage.race.is_finished() {
            break;
        }
    }
    // The file that `--out` writes.
    let (mut file, mut numbers) = (Vec::new(), Numbers::default());
    for event in stage.events {
        numbers.next(event).write_json(&mut file).expect("events are JSON");
    }
    String::from_utf8(file).expect("JSON is UTF-8")
}

/// A server of one car for each run, new at its start: the race's name, which starts every request's id (C-20), says
/// which of them is meant.
async fn a_car_for_each_run(settings: &CarSettings, number: u64) -> BrokenCar {
    let cars: Vec<Router> = (0..RUNS)
        .map(|run| {
            let car = car_reference::router(Car::in_memory(settings.clone()));
            delayed(car, number * 1_000 + run as u64, MOST_DELAY)
        })
        .collect();
    let cars = Arc::new(cars);
    let router = Router::new().fallback(async move |request: Request| -> Response {
        let id = request.headers().get("x-eacc-request-id").and_then(|id| id.to_str().ok());
        let run = id.and_then(|id| id.strip_prefix("run")?.split('-').next()?.parse::<usize>().ok());
        match run.and_then(|run| cars.get(run)) {
            Some(car) => car.clone().call(request).await.into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        }
    });
    serve(router, vec![]).await
}

//! R-10.5: the same seed gives the same events, byte for byte, whoever answers first.
//!
//! ```text
//! run 1: car 3 answers after 2 ms, car 1 after 17 ms    {"event":"car_moved","car":1,…}
//! run 2: car 1 answers after 4 ms, car 3 after 11 ms    {"event":"car_moved","car":1,…}
//! ```

use crate::stage::{Stage, ai_at, bold, reference_ai, serve};
use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use car_reference::{Car, CarSettings, StrategyName};
use gm_core::ids::{Seconds, TeamId};
use gm_core::race::Rules;
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
    let runs = (0..RUNS).map(|run| one_run(run, seed, &servers));
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
async fn one_run(run: usize, seed: u64, servers: &[BrokenCar]) -> String {
    let rules = Rules {
        request_deadline_ms: 30_000,
        move_deadline_ms: 30_000,
        duel_limit: Seconds(600),
        ..Rules::classic()
    };
    let mut stage = Stage::seeded(&format!("run{run}"), rules, Seed(seed));
    for name in ["Red", "Green", "Blue"] {
        stage.team(name).await;
    }
    for (number, server) in (1..).zip(servers) {
        let team = TeamId(number % 3 + 1);
        stage.enter(team, &format!("i-{number}"), server.url()).await;
    }
    stage.start().await;
    for _ in 0..TURNS {
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

//! Cars of one turn are driven at the same time, and one car is never asked two things at once (C-23).
//!
//! ```text
//! 10 cars that take 100 ms for each of 3 answers: a turn takes 0.3 s, and not 3 s
//! ```

use crate::stage::{Stage, a_car, ai_at, quiet_rules, reference_ai, register, serve};
use gm_core::ids::{CarId, TeamId};
use gm_core::race::{Event, Rules};
use std::time::Duration;
use test_harness::broken::{BrokenCar, Defect, Script};

const ANSWER: Duration = Duration::from_millis(100);
const CARS: u32 = 10;

/// A turn takes about one chain, whatever the number of cars.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_takes_one_chain_and_not_one_for_each_car() {
    let mut rules = quiet_rules();
    rules.request_deadline_ms = 10_000;
    rules.initial_budget = 1_000;
    let mut stage = Stage::new("race", rules);
    let team = stage.team("Red").await;
    let ai = serve(reference_ai(), vec![]).await;
    let mut cars = Vec::new();
    for number in 1..=CARS {
        let car = a_car(&format!("i-{number}"), [3, 1, 1], &ai_at(&ai), vec![]).await;
        stage.enter(team, &format!("i-{number}"), car.url()).await;
        car.follow(vec![Script::new(Defect::AnswersLate(ANSWER))]);
        cars.push(car);
    }
    stage.start().await;
    let asked_before: usize = cars.iter().map(|car| car.requests().len()).sum();
    let turn = stage.turn(vec![]).await;
    let asked: usize = cars.iter().map(|car| car.requests().len()).sum();

    let chain = ANSWER * 3;
    assert_eq!(asked - asked_before, 3 * CARS as usize, "R-3.1: each is asked three times");
    assert!(turn.took >= chain, "took {:?}: nobody can be that quick", turn.took);
    assert!(turn.took < chain * CARS / 2, "took {:?}, which is not one chain of {chain:?}", turn.took);
    assert!(cars.iter().all(|car| car.most_under_way() == 1), "C-23");
}

/// C-23: over a whole race with fights and everything that can be met, and a registration that comes twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c_23_never_two_requests_at_once() {
    let rules = Rules { request_deadline_ms: 20_000, move_deadline_ms: 20_000, ..Rules::classic() };
    let mut stage = Stage::new("race", Rules { spot_check_percent: 50, ..rules });
    let ai = serve(reference_ai(), vec![]).await;
    let mut cars: Vec<BrokenCar> = Vec::new();
    for number in 1..=6 {
        let slow = Script::new(Defect::AnswersLate(Duration::from_millis(2)));
        cars.push(a_car(&format!("i-{number}"), [4, 1, 3], &ai_at(&ai), vec![slow]).await);
    }
    for name in ["Red", "Green", "Blue"] {
        stage.team(name).await;
    }
    stage.start().await;
    // Each car is registered twice, so that two inspections meet at it.
    let mut inbox = Vec::new();
    for (number, car) in (1..).zip(&cars) {
        for _ in 0..2 {
            inbox.push(register(TeamId(number % 3 + 1), &format!("i-{number}"), car.url()));
        }
    }
    let first = stage.turn(inbox).await;
    assert_eq!(first.said(|event| matches!(event, Event::CarRegistered { .. })).len(), 6);
    let refused = first.said(|event| matches!(event, Event::RegistrationRefused { .. }));
    assert_eq!(refused.len(), 6, "{refused:?}");
    for _ in 1..15 {
        stage.turn(vec![]).await;
    }
    assert!(stage.events.iter().any(|event| matches!(event, Event::FightStarted { .. })), "a lively race");
    for (number, car) in (1..).zip(&cars) {
        assert!(car.requests().len() > 20, "{}", CarId(number));
        assert_eq!(car.most_under_way(), 1, "C-23: car {number}");
    }
}

//! Mock cars in races: healthy but for one fault in turn 2, which is punished as the rules say, then and only then.
//!
//! ```text
//! GET /engine/count  dropped in turn 2   car 2 is penalised: GET /engine/count: expected 4, found the connection broke
//!                                        off; it stays in turn 2, misses turn 3, and moves in turn 4
//! ```

use crate::stage::{RACES_AT_ONCE, SECRET, Stage, quiet_rules, register};
use futures_util::stream::{self, StreamExt};
use gm_core::contract::Kind;
use gm_core::ids::{CarId, Dollars, Square, TurnNo};
use gm_core::race::state::Encounter;
use gm_core::race::{Event, Rules};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use test_harness::client::{self, REQUEST_ID};
use test_harness::mock::{Endpoint, Fault, Heard, MockCar, MockCarPlan, When};

/// The car with the fault; car 1 has none.
const FAULTY: CarId = CarId(2);

/// Longer than the deadline of a request.
const TOO_LATE: Duration = Duration::from_secs(5);

/// A fault in turn 2, and what comes of it.
struct Row {
    fault: Fault,
    /// What the car meets in turn 2.
    met: Encounter,
    /// The verdict of turn 2; none where this is empty.
    verdict: &'static str,
    /// Where the car stands after each of turns 1 to 4.
    squares: [u32; 4],
}

fn engines_in_turn_2() -> When {
    in_turn_2(Endpoint::Count(Kind::Engine))
}

fn in_turn_2(endpoint: Endpoint) -> When {
    Fault::on(endpoint).turn(2)
}

/// C-21, R-3.1: the car stays, misses a turn, and then goes on as if nothing had been.
const STAYS: [u32; 4] = [4, 4, 4, 8];

/// The car has moved before it is penalised, and misses a turn.
const MOVES: [u32; 4] = [4, 8, 8, 12];

/// Nothing keeps it.
const GOES_ON: [u32; 4] = [4, 8, 12, 16];

const fn row(fault: Fault, met: Encounter, verdict: &'static str, squares: [u32; 4]) -> Row {
    Row { fault, met, verdict, squares }
}

fn on_track() -> Vec<Row> {
    let count = |fault, verdict| row(fault, Encounter::Nothing, verdict, STAYS);
    let moved = |fault, verdict| row(fault, Encounter::Nothing, verdict, MOVES);
    vec![
        count(
            engines_in_turn_2().late(TOO_LATE),
            "car 2 is penalised: GET /engine/count: expected 4, found no answer within the deadline",
        ),
        count(
            engines_in_turn_2().status(500),
            "car 2 is penalised: GET /engine/count: expected 4, found status 500",
        ),
        count(
            engines_in_turn_2().body("4 engines"),
            "car 2 is penalised: GET /engine/count: expected 4, found the answer was not JSON",
        ),
        count(
            engines_in_turn_2().body(r#"{"res": "four"}"#),
            "car 2 is penalised: GET /engine/count: expected 4, found the answer was JSON, but not what was asked for",
        ),
        count(
            engines_in_turn_2().times(1).dropped(),
            "car 2 is penalised: GET /engine/count: expected 4, found the connection broke off",
        ),
        count(
            engines_in_turn_2().wrong_value(),
            "car 2 is penalised: GET /engine/count: expected 4, found 5",
        ),
        // Registration asks for it first, turn 1 next.
        count(
            Fault::on(Endpoint::Count(Kind::Engine)).from(3).times(1).status(404),
            "car 2 is penalised: GET /engine/count: expected 4, found status 404",
        ),
        count(
            in_turn_2(Endpoint::Line("GET", "/engine/count")).status(503),
            "car 2 is penalised: GET /engine/count: expected 4, found status 503",
        ),
        count(
            in_turn_2(Endpoint::Any).status(500),
            "car 2 is penalised: GET /engine/count: expected 4, found status 500",
        ),
        // R-7.2: what counts is that it was done.
        row(in_turn_2(Endpoint::SetSquare).late(TOO_LATE), Encounter::Nothing, "", GOES_ON),
        row(in_turn_2(Endpoint::SetSquare).body("no"), Encounter::Nothing, "", GOES_ON),
        // The square is told once more after the penalty.
        moved(
            in_turn_2(Endpoint::SetSquare).times(1).wrong_value(),
            "car 2 is penalised: GET /state: expected square 8, found square 4",
        ),
        moved(
            in_turn_2(Endpoint::SetSquare).times(1).dropped(),
            "car 2 is penalised: GET /state: expected square 8, found square 4",
        ),
        moved(
            in_turn_2(Endpoint::State).wrong_value(),
            "car 2 is penalised: GET /state: expected square 8, found square 9",
        ),
        row(Fault::on(Endpoint::Any).turn(5).dropped(), Encounter::Nothing, "", GOES_ON),
        row(in_turn_2(Endpoint::Wreck).dropped(), Encounter::Nothing, "", GOES_ON),
        row(engines_in_turn_2().late(Duration::from_millis(1)), Encounter::Nothing, "", GOES_ON),
    ]
}

fn encounters() -> Vec<Row> {
    vec![
        row(
            in_turn_2(Endpoint::Wreck).status(500),
            Encounter::Wreck,
            "car 2 is penalised: GET /event/wreck (C-12): expected a valid answer, found status 500",
            MOVES,
        ),
        row(in_turn_2(Endpoint::Garage).body(r#"{"res": "none"}"#), Encounter::Garage, "", GOES_ON),
        row(
            in_turn_2(Endpoint::Garage).dropped(),
            Encounter::Garage,
            "car 2 is penalised: POST /event/garage (C-14): expected a valid answer, found the connection broke off",
            MOVES,
        ),
        // R-5.3: its whole punishment are 3 turns to miss.
        row(
            in_turn_2(Endpoint::Mine).late(TOO_LATE),
            Encounter::Minefield,
            "car 2 goes round the minefield: no answer within the deadline",
            [4, 8, 8, 8],
        ),
        // R-5.4: it moves back a square, misses turn 3, and has 5 engines.
        row(
            in_turn_2(Endpoint::Gain(Kind::Engine)).wrong_value(),
            Encounter::Garage,
            "car 2 is penalised: GET /engine/count: expected 5, found 4",
            [4, 7, 7, 12],
        ),
        row(
            in_turn_2(Endpoint::Gain(Kind::Engine)).status(500),
            Encounter::Garage,
            "car 2 is penalised: GET /engine/count: expected 5, found 4",
            [4, 7, 7, 12],
        ),
        row(in_turn_2(Endpoint::Gain(Kind::Engine)).late(TOO_LATE), Encounter::Garage, "", [4, 7, 12, 17]),
        row(
            in_turn_2(Endpoint::SetPosition).wrong_value(),
            Encounter::Garage,
            "car 2 is penalised: GET /state: expected square 7, found square 8",
            [4, 7, 7, 12],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c_21_a_fault_in_one_turn_is_punished_in_that_turn() {
    let rows = on_track().into_iter().chain(encounters());
    let wrong: Vec<String> = stream::iter(rows.map(play))
        .buffer_unordered(RACES_AT_ONCE)
        .filter_map(async |it| it)
        .collect()
        .await;
    assert!(wrong.is_empty(), "{} of the races went wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// One race of four turns; gives what was wrong with it, if anything.
async fn play(Row { fault, met, verdict, squares }: Row) -> Option<String> {
    let name = format!("{fault:?}");
    let healthy = buyer("i-1", 3).start().await.expect("a port");
    let faulty = buyer("i-2", 4).fault(fault).start().await.expect("a port");
    let mut stage = race(quiet_rules(), &[&healthy, &faulty]).await;
    let (mut verdicts, mut seen) = (Vec::new(), Vec::new());
    for turn in 1..=4 {
        if turn == 2 && met != Encounter::Nothing {
            stage.declare(met, FAULTY).await;
        }
        let turned = stage.turn(vec![]).await;
        turned.was_in_time(&name);
        verdicts.push(turned.verdicts());
        seen.push(stage.race.cars[&FAULTY].square.0);
    }
    let punished: Vec<String> = Some(verdict.to_owned()).filter(|it| !it.is_empty()).into_iter().collect();
    let told = faulty.with(|car| (Square(car.square), car.count(Kind::Engine)));
    let known = &stage.race.cars[&FAULTY];
    let known = (known.square, known.count(Kind::Engine) as usize);
    let is = (verdicts, seen, told, stage.race.cars[&CarId(1)].square);
    let should = (vec![vec![], punished, vec![], vec![]], squares.to_vec(), known, Square(12));
    (is != should).then(|| format!("{name}:\n  is     {is:?}\n  should {should:?}"))
}

/// A mock car with so many engines, which buys engines and leaves wrecks alone.
fn buyer(instance: &str, engines: u32) -> MockCarPlan {
    MockCar::healthy(instance).modules(engines, 1, 3).secret(SECRET).car(|car| {
        car.buys = Some(Kind::Engine);
        car.searches_wrecks = false;
    })
}

/// A race of these cars, each of a team of its own, which has started.
async fn race(rules: Rules, cars: &[&MockCar]) -> Stage {
    let mut stage = Stage::new("race", rules);
    for (number, car) in (1..).zip(cars) {
        let team = stage.team(&format!("team {number}")).await;
        stage.enter(team, &format!("i-{number}"), car.url()).await;
    }
    stage.start().await;
    stage
}

/// What a car is asked by a turn and in which order; R-3.1: and told again after a penalty.
#[tokio::test]
async fn r_3_1_what_a_car_is_asked() {
    let car = buyer("i-1", 4).fault(engines_in_turn_2().wrong_value()).start().await.expect("a port");
    let mut stage = race(quiet_rules(), &[&car]).await;
    for _ in 0..3 {
        stage.turn(vec![]).await;
    }
    let in_turn = |turn| -> Vec<String> {
        car.requests().iter().filter(|it| it.turn() == Some(TurnNo(turn))).map(Heard::line).collect()
    };
    assert_eq!(in_turn(1), ["GET /engine/count", "PATCH /state", "GET /state"]);
    assert_eq!(in_turn(2), ["GET /engine/count", "PATCH /engine"]);
    assert_eq!(in_turn(3), [""; 0], "it misses the turn");
    let told: Vec<_> = car.requests_of(Endpoint::SetCount(Kind::Engine)).iter().map(Heard::json).collect();
    assert_eq!(told, [Some(json!({"count": 4}))]);
    let squares: Vec<_> = car.requests_of(Endpoint::SetSquare).iter().map(Heard::json).collect();
    assert_eq!(squares, [Some(json!({"square": 0})), Some(json!({"square": 4}))], "R-2.3, R-3.1");
    let all = car.requests();
    let ids: BTreeSet<_> = all.iter().map(|heard| heard.header(REQUEST_ID)).collect();
    assert_eq!(ids.len(), all.len(), "C-20");
    assert!(all.iter().all(|heard| heard.header(client::SECRET) == Some(SECRET)), "C-20");
}

/// C-20: an old connection that is dropped is no fault of the car; the request comes once more, and is dropped again.
#[tokio::test]
async fn c_20_a_dropped_request_comes_again_once() {
    let car = buyer("i-1", 4).fault(engines_in_turn_2().dropped()).start().await.expect("a port");
    let mut stage = race(quiet_rules(), &[&car]).await;
    stage.turn(vec![]).await;
    stage.turn(vec![]).await;
    let asked = car.requests_of(Endpoint::Count(Kind::Engine));
    let ids: Vec<_> = asked
        .iter()
        .filter(|heard| heard.turn() == Some(TurnNo(2)))
        .map(|heard| heard.header(REQUEST_ID))
        .collect();
    assert_eq!(ids, [Some("race-t2-track-c1-1"); 2]);
}

/// R-4.3: cars on one square; one that gives no usable answer is penalised, and its answer is a no.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_4_3_no_answer_is_a_no_and_a_penalty() {
    let on = || Fault::on(Endpoint::ShouldFight).turn(1);
    for (fault, found) in [
        (on().late(TOO_LATE), "found no answer within the deadline"),
        (on().status(500), "found status 500"),
        (on().dropped(), "found the connection broke off"),
        (on().body("perhaps"), "found the answer was not JSON"),
    ] {
        let one = buyer("i-1", 4).start().await.expect("a port");
        let two = buyer("i-2", 4).car(|car| car.fights = true).fault(fault).start().await.expect("a port");
        let mut stage = race(quiet_rules(), &[&one, &two]).await;
        let turn = stage.turn(vec![]).await;
        let question = "car 2 is penalised: GET /fight/shouldfight?id=1 (C-15): expected ";
        let [verdict] = &turn.verdicts()[..] else { panic!("{found}: {:?}", turn.verdicts()) };
        assert!(verdict.starts_with(question) && verdict.ends_with(found), "{verdict}");
        assert!(!turn.events.iter().any(|event| matches!(event, Event::DuelPlayed { .. })), "{found}");
        assert_eq!(one.requests_of(Endpoint::ShouldFight).len(), 1, "{found}");
        assert_eq!(one.requests_of(Endpoint::DuelUrl).len(), 0, "{found}");
    }
}

/// R-2.3: a fault before the race, which is in turn 0; and without it, the same car is taken.
#[tokio::test]
async fn r_2_3_refused_while_there_is_a_fault() {
    let fault = |endpoint| Fault::on(endpoint).turn(0);
    for (fault, why) in [
        (
            fault(Endpoint::Resource(Kind::Weapon)).status(500),
            "GET /weapon (C-3): expected a valid answer, found status 500",
        ),
        (
            fault(Endpoint::Count(Kind::Pilot)).body("[]"),
            r#"GET /pilot/count (C-4): expected {"res": 3}, found the answer was JSON, but not what was asked for"#,
        ),
        (
            fault(Endpoint::State).dropped(),
            "GET /state (C-5): expected a valid answer, found the connection broke off",
        ),
    ] {
        let car = buyer("i-1", 4).fault(fault).start().await.expect("a port");
        let mut stage = Stage::new("race", quiet_rules());
        let team = stage.team("Red").await;
        let said = stage.command(register(team, "i-1", car.url())).await;
        let [refused] = &said[..] else { panic!("{said:?}") };
        assert!(matches!(refused, Event::RegistrationRefused { .. }), "{refused}");
        assert!(refused.to_string().contains(why), "{refused}");
        assert_eq!(stage.race.teams[&team].budget(), Dollars(100), "nothing is paid");
        car.follow(vec![]);
        stage.enter(team, "i-1", car.url()).await;
    }
}

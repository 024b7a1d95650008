//! Mock duel AIs in races: what is no legal move loses the duel (R-6.3), in that turn and only then.
//!
//! ```text
//! A-1 is answered by 500 in turn 1   car 1 loses to the pirates: the other gave no usable answer: status 500
//!        and as it should in turn 2   the duel is played to its end
//! ```

use crate::stage::{RACES_AT_ONCE, SECRET, Stage, Turned, quiet_rules};
use futures_util::stream::{self, StreamExt};
use gm_core::arena::duel::{Outcome, Reason};
use gm_core::contract::Fault as Unusable;
use gm_core::ids::{CarId, TurnNo};
use gm_core::race::Event;
use gm_core::race::event::Combatant;
use gm_core::race::state::Encounter;
use std::collections::BTreeSet;
use std::time::Duration;
use test_harness::client::{self, REQUEST_ID};
use test_harness::mock::{Endpoint, Fault, Heard, MockAi, MockCar, MockCarPlan, When};

/// The car whose AI has the fault, or that gives none; car 2 has a healthy one.
const FAULTY: CarId = CarId(1);

/// Longer than the deadline of a request and of a move.
const TOO_LATE: Duration = Duration::from_secs(5);

fn in_turn_1(endpoint: Endpoint) -> When {
    Fault::on(endpoint).turn(1)
}

/// The fault of an AI, the question that loses the duel, and why.
fn faults() -> [(Fault, usize, &'static str); 10] {
    let first = || in_turn_1(Endpoint::Action);
    let second = || in_turn_1(Endpoint::Action).from(2);
    [
        (first().late(TOO_LATE), 1, "the other gave no usable answer: no answer within the deadline"),
        (first().status(500), 1, "the other gave no usable answer: status 500"),
        (first().times(1).dropped(), 1, "the other gave no usable answer: the connection broke off"),
        (first().body("[1"), 1, "the other gave no usable answer: the answer was not JSON"),
        (first().body(r#"{"res": []}"#), 1, "the other made an illegal move: no card was played"),
        (first().body(r#"{"res": [9]}"#), 1, "the other made an illegal move: there is no card 9"),
        (first().wrong_value(), 1, "the other made an illegal move: "),
        (second().status(503), 2, "the other gave no usable answer: status 503"),
        (second().wrong_value(), 2, "the other made an illegal move: "),
        (second().times(1).dropped(), 2, "the other gave no usable answer: the connection broke off"),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_6_3_a_fault_of_an_ai_loses_the_duel_of_that_turn() {
    let mut races = Vec::new();
    for against in [Encounter::Pirates, Encounter::Nothing] {
        for (fault, asked, why) in faults() {
            races.push(play(against, fault, asked, why));
        }
    }
    stream::iter(races).buffer_unordered(RACES_AT_ONCE).collect::<()>().await;
}

/// A duel with a fault in turn 1, against pirates or car 2, and one without against pirates in turn 2.
async fn play(against: Encounter, fault: Fault, asked: usize, why: &str) {
    let name = format!("{fault:?}, met: {against}");
    let sound = MockAi::healthy().start().await.expect("a port");
    let faulty = MockAi::healthy().fault(fault).start().await.expect("a port");
    let (mut stage, _cars) = fighters(against, |car| car.ai(faulty.url()), |car| car.ai(sound.url())).await;
    let first = stage.turn(vec![]).await;
    first.was_in_time(&name);
    assert_eq!(first.verdicts(), [""; 0], "{name}: no penalty");
    let (loser, outcome) = duel(&first);
    assert_eq!(loser, Some(Combatant::Car(FAULTY)), "{name}: {outcome}");
    assert!(outcome.reason.to_string().starts_with(why), "{name}: {outcome}");
    assert_eq!(stage.race.cars[&FAULTY].turns_to_miss, 1, "R-4.6, {name}");
    assert_eq!(stage.race.cars[&FAULTY].modules.len(), 8, "R-4.6, {name}: a module is lost");
    let questions = |turn| {
        let all = faulty.requests().into_iter();
        distinct(&all.filter(|heard| heard.turn() == Some(TurnNo(turn))).collect::<Vec<_>>())
    };
    assert_eq!(questions(1), asked, "{name}");

    stage.declare(Encounter::Pirates, FAULTY).await;
    let second = stage.turn(vec![]).await;
    let (_, outcome) = duel(&second);
    assert!(!matches!(outcome.reason, Reason::Fault(_) | Reason::Illegal(_)), "{name}: {outcome}");
    assert!(questions(2) > 2, "{name}: {} questions", questions(2));
    assert!(
        faulty.requests().iter().all(|it| it.header(client::SECRET).is_none()),
        "{name}: an AI is shown no secret"
    );
}

/// R-4.5: a car that gives no usable URL loses the duel, which nobody plays; where nobody is there, that is found out by
/// the first question.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_4_5_no_ai_is_a_duel_lost() {
    let on = || in_turn_1(Endpoint::DuelUrl);
    let faults = [
        (None, "car 1 has no usable duel AI: status 404"),
        (Some(on().late(TOO_LATE)), "car 1 has no usable duel AI: no answer within the deadline"),
        (Some(on().status(500)), "car 1 has no usable duel AI: status 500"),
        (Some(on().dropped()), "car 1 has no usable duel AI: the connection broke off"),
        (
            Some(on().body("{")),
            r#"car 1 has no usable duel AI: the answer was not JSON: expected {"res": "http://…"}"#,
        ),
        (Some(on().wrong_value()), ""),
    ];
    for against in [Encounter::Pirates, Encounter::Nothing] {
        for (fault, verdict) in &faults {
            let name = format!("{fault:?}, met: {against}");
            let ai = MockAi::healthy().start().await.expect("a port");
            let faulty = |car: MockCarPlan| match fault.clone() {
                Some(fault) => car.ai(ai.url()).fault(fault),
                None => car,
            };
            let (mut stage, cars) = fighters(against, faulty, |car| car.ai(ai.url())).await;
            let turn = stage.turn(vec![]).await;
            let verdicts: Vec<&str> = Some(*verdict).filter(|it| !it.is_empty()).into_iter().collect();
            assert_eq!(turn.verdicts(), verdicts, "{name}");
            let lost = turn.said(|event| matches!(event, Event::FightLost { car, .. } if *car == FAULTY));
            assert_eq!(lost.len(), 1, "{name}: {lost:?}");
            assert_eq!(stage.race.cars[&FAULTY].turns_to_miss, 1, "R-4.6, {name}");
            assert_eq!(distinct(&cars[0].requests_of(Endpoint::DuelUrl)), 1, "{name}: asked once");
            if verdict.is_empty() {
                let (loser, outcome) = duel(&turn);
                assert_eq!(loser, Some(Combatant::Car(FAULTY)), "{name}");
                assert_eq!(outcome.reason, Reason::Fault(Unusable::Unreachable), "{name}");
            } else {
                assert_eq!(ai.requests().len(), 0, "{name}: no question is asked");
            }
        }
    }
}

/// What an AI is asked in a duel: its moves grow, and the other's (R-6.7).
#[tokio::test]
async fn a_1_what_an_ai_is_asked() {
    let ai = MockAi::healthy().start().await.expect("a port");
    let other = MockAi::healthy().start().await.expect("a port");
    let (mut stage, _cars) =
        fighters(Encounter::Nothing, |car| car.ai(ai.url()), |car| car.ai(other.url())).await;
    stage.turn(vec![]).await;
    for asked in [ai.requests(), other.requests()] {
        let lines: Vec<String> = asked.iter().map(Heard::line).collect();
        assert!(lines.len() > 2, "{lines:?}");
        for (number, (heard, line)) in asked.iter().zip(&lines).enumerate() {
            assert_eq!((heard.endpoint, heard.turn()), (Some(Endpoint::Action), Some(TurnNo(1))), "{line}");
            assert!(line.starts_with("GET /prod/action?yourmoves=["), "{line}");
            let moves = line.split(['[', ']']).nth(1).expect("a list");
            let played = moves.split(',').filter(|it| !it.is_empty()).count();
            assert!(played >= number, "{line}: {number} moves before");
        }
        assert!(lines[0].starts_with("GET /prod/action?yourmoves=[]&"), "{}", lines[0]);
    }
}

/// How many requests these are; one that was sent again is the same (C-20).
fn distinct(heard: &[Heard]) -> usize {
    heard.iter().map(|heard| heard.header(REQUEST_ID)).collect::<BTreeSet<_>>().len()
}

/// The duel of a turn: who lost, and how it ended.
fn duel(turn: &Turned) -> (Option<Combatant>, Outcome) {
    let played = turn.events.iter().find_map(|event| match event {
        Event::DuelPlayed { duellists, transcript } => Some((*duellists, transcript.outcome?)),
        _ => None,
    });
    let (duellists, outcome) = played.expect("a duel was played to its end");
    (outcome.loser().map(|side| duellists[side.index()]), outcome)
}

/// A race of two cars that fight, which has started: on one square after turn 1, or, where car 1 is to meet something
/// else then, on two.
async fn fighters(
    against: Encounter,
    faulty: impl FnOnce(MockCarPlan) -> MockCarPlan,
    sound: impl FnOnce(MockCarPlan) -> MockCarPlan,
) -> (Stage, [MockCar; 2]) {
    let car = |instance, engines| {
        MockCar::healthy(instance).modules(engines, 2, 3).secret(SECRET).car(|car| car.fights = true)
    };
    let other = if against == Encounter::Nothing { 4 } else { 5 };
    let cars = [
        faulty(car("i-1", 4)).start().await.expect("a port"),
        sound(car("i-2", other)).start().await.expect("a port"),
    ];
    let mut stage = Stage::new("race", quiet_rules());
    for (number, car) in (1..).zip(&cars) {
        let team = stage.team(&format!("team {number}")).await;
        stage.enter(team, &format!("i-{number}"), car.url()).await;
    }
    stage.start().await;
    if against != Encounter::Nothing {
        stage.declare(against, FAULTY).await;
    }
    (stage, cars)
}

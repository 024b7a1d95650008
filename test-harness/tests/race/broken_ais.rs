//! Duel AIs that misbehave (A-3): they lose the duel by an illegal move (R-6.3), and nothing else.
//!
//! ```text
//! duel between car 1 and car 2 after 0 turns: white won: the other gave no usable answer: status 500
//! ```

use crate::stage::{RACES_AT_ONCE, Stage, a_car, ai_at, quiet_rules, reference_ai, serve};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use futures_util::stream::{self, StreamExt};
use gm_core::arena::duel::{Reason, Side};
use gm_core::ids::CarId;
use gm_core::race::event::{Combatant, LossCause};
use gm_core::race::state::Encounter;
use gm_core::race::{Event, Rules};
use std::time::Duration;
use test_harness::broken::{Defect, Script};

/// The car whose AI misbehaves.
const CAR: CarId = CarId(2);

/// Why a duel was lost, in words, for each defect; and for answers that are none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_6_3_a_broken_ai_loses_the_duel_and_nothing_else() {
    const NO_ANSWER: &str = "the other gave no usable answer: ";
    let elsewhere = serve(reference_ai(), vec![]).await;
    let no_answer = |words: &str| format!("{NO_ANSWER}{words}");
    let defects = [
        (Defect::NeverAnswers, no_answer("no answer within the deadline")),
        (Defect::Drips, no_answer("no answer within the deadline")),
        (Defect::AnswersLate(Duration::from_secs(2)), no_answer("no answer within the deadline")),
        (Defect::EndlessBody, no_answer("the answer was larger than 64 KiB")),
        (Defect::Html, no_answer("the answer was not JSON")),
        (Defect::WrongJson, no_answer("the answer was JSON, but not what was asked for")),
        (Defect::Forgets, no_answer("the answer was JSON, but not what was asked for")),
        (Defect::Status500, no_answer("status 500")),
        (Defect::Redirects(elsewhere.url().to_string()), no_answer("status 307")),
        (Defect::WrongSecret, no_answer("status 401")),
        (Defect::Closes, no_answer("the connection broke off")),
    ];
    let answers: [(&'static str, String); 6] = [
        ("", no_answer("the answer was not JSON")),
        ("null", no_answer("the answer was JSON, but not what was asked for")),
        (r#"{"res": [1.5]}"#, no_answer("the answer was JSON, but not what was asked for")),
        (r#"{"res": []}"#, "the other made an illegal move: no card was played".into()),
        (r#"{"res": [9]}"#, "the other made an illegal move: there is no card 9".into()),
        (r#"{"res": [1, 1, 1, 1, 1, 1]}"#, "the other made an illegal move: ".into()),
    ];
    let mut races = Vec::new();
    for against in [Encounter::Pirates, Encounter::Nothing] {
        for (defect, why) in &defects {
            let name = format!("{defect:?}, met: {against}");
            races.push(check(name, against, reference_ai(), vec![Script::new(defect.clone())], why.clone()));
        }
        for (answer, why) in &answers {
            let answer: &'static str = answer;
            let ai = Router::new().fallback(async move || ([(CONTENT_TYPE, "application/json")], answer));
            races.push(check(format!("{answer}, met: {against}"), against, ai, vec![], why.clone()));
        }
    }
    stream::iter(races).buffer_unordered(RACES_AT_ONCE).collect::<()>().await;
    assert_eq!(elsewhere.requests(), [], "nobody follows a redirect");
}

/// One duel: against pirates, or, where nothing is met, against car 1 on the same square.
async fn check(name: String, against: Encounter, ai: Router, scripts: Vec<Script>, why: String) {
    let mut stage = Stage::new("race", Rules { move_deadline_ms: 800, ..quiet_rules() });
    let sound = serve(reference_ai(), vec![]).await;
    let broken = serve(ai, scripts).await;
    let squares = if against == Encounter::Nothing { 4 } else { 5 };
    let cars = [
        a_car("i-1", [squares, 2, 3], &ai_at(&sound), vec![]).await,
        a_car("i-2", [4, 2, 3], &ai_at(&broken), vec![]).await,
    ];
    for (number, car) in (1..).zip(&cars) {
        let team = stage.team(&format!("team {number}")).await;
        stage.enter(team, &format!("i-{number}"), car.url()).await;
    }
    stage.start().await;
    if against != Encounter::Nothing {
        stage.declare(against, CAR).await;
    }
    let turn = stage.turn(vec![]).await;

    turn.was_in_time(&name);
    assert_eq!(broken.requests().len(), 1, "{name}: asked once");
    assert_eq!(turn.verdicts(), [""; 0], "{name}: no penalty");
    let played = turn.events.iter().find_map(|event| match event {
        Event::DuelPlayed { duellists, transcript } => Some((*duellists, transcript.outcome?)),
        _ => None,
    });
    let (duellists, outcome) = played.expect("a duel was played");
    let loser = outcome.loser().expect("somebody lost");
    assert_eq!(duellists[loser.index()], Combatant::Car(CAR), "{name}");
    assert!(matches!(outcome.reason, Reason::Fault(_) | Reason::Illegal(_)), "{name}: {outcome}");
    assert!(outcome.reason.to_string().starts_with(&why), "{name}: {outcome}");
    let other = duellists[Side::other(loser).index()];
    let lost = turn.said(|event| match event {
        Event::FightLost { car, against } => *car == CAR && *against == other,
        Event::ModuleLost { car, cause, .. } => {
            *car == CAR && matches!(cause, LossCause::Fight | LossCause::Pirates)
        }
        _ => false,
    });
    assert_eq!(lost.len(), 2, "R-4.6, {name}: {lost:?}");
    assert_eq!(stage.race.cars[&CAR].turns_to_miss, 1, "R-4.6, {name}");
    assert_eq!(stage.race.cars[&CarId(1)].turns_to_miss, 0, "{name}");
}

//! Cars that misbehave (C-21): the race goes on, the right car gets the right penalty and no other, and nobody waits
//! for longer than the deadlines say.
//!
//! ```text
//! GET /engine/count  answers after the deadline   car 2 is penalised: GET /engine/count: expected 4, found no answer …
//! PATCH /state       does it, and answers late    nothing: what counts is that it was done (R-7.2)
//! ```

use crate::stage::{NOISE, RACES_AT_ONCE, Stage, Turned, a_car, ai_at, quiet_rules, reference_ai, serve};
use futures_util::stream::{self, StreamExt};
use gm_core::contract::{CarRequest, Fault};
use gm_core::ids::{CarId, Square};
use gm_core::race::state::Encounter;
use gm_core::race::{Event, Rules};
use gm_core::random::Seed;
use std::time::Duration;
use test_harness::broken::{BrokenCar, Defect, Script};

/// A seed with which a minefield takes an engine of car 2.
const SEED: Seed = Seed(3);

/// The car that misbehaves; cars 1 and 3 are healthy.
const BROKEN: CarId = CarId(2);

/// Each defect; what a question finds then, none where that is one more than the truth; and whether the car did what
/// it was told.
pub(crate) fn defects(elsewhere: &BrokenCar) -> [(Defect, Option<Fault>, bool); 12] {
    [
        (Defect::NeverAnswers, Some(Fault::Late), false),
        (Defect::Drips, Some(Fault::Late), true),
        (Defect::EndlessBody, Some(Fault::TooLarge), true),
        (Defect::AnswersLate(Duration::from_secs(2)), Some(Fault::Late), true),
        (Defect::Html, Some(Fault::NotJson), true),
        (Defect::WrongJson, Some(Fault::NotTheValue), true),
        (Defect::WrongCount, None, true),
        (Defect::Forgets, Some(Fault::NotTheValue), false),
        (Defect::Status500, Some(Fault::Status(500)), false),
        (Defect::Redirects(elsewhere.url().to_string()), Some(Fault::Status(307)), false),
        (Defect::WrongSecret, Some(Fault::Status(401)), false),
        (Defect::Closes, Some(Fault::Broken), false),
    ]
}

/// What a request is.
#[derive(Debug, Clone, Copy)]
enum Request {
    /// A question for a number, which is truly this.
    Number(u64),
    /// A question for something else.
    Question,
    /// A command.
    Command,
}

/// A request that a car answers wrongly, once.
#[derive(Debug, Clone, Copy)]
struct Place {
    encounter: Encounter,
    /// What stands beside the car: nobody, or a car that it can fight.
    foe: bool,
    weapons: u64,
    method: &'static str,
    path: &'static str,
    /// Which of the requests of this method and path in the turn.
    nth: usize,
    request: Request,
    /// The verdict, with `{}` for what was found: of a question that was not answered, of a command that was not
    /// carried out.
    verdict: &'static str,
}

const fn place(
    encounter: Encounter,
    (method, path, nth): (&'static str, &'static str, usize),
    request: Request,
    verdict: &'static str,
) -> Place {
    Place { encounter, foe: false, weapons: 3, method, path, nth, request, verdict }
}

use Encounter::{Garage, Minefield, Nothing, Pirates, Wreck};
use Request::{Command, Number, Question};

/// The requests of a turn, in its order, and the verdict on a car that answers one of them wrongly.
const PLACES: &[(&str, Place)] = &[
    (
        "R-3.1: how far?",
        place(
            Nothing,
            ("GET", "/engine/count", 1),
            Number(4),
            "car 2 is penalised: GET /engine/count: expected 4, found {}",
        ),
    ),
    (
        "R-3.1: the square is told",
        place(
            Nothing,
            ("PATCH", "/state", 1),
            Command,
            "car 2 is penalised: GET /state: expected square 4, found square 0",
        ),
    ),
    (
        "R-3.1: and asked",
        place(
            Nothing,
            ("GET", "/state", 1),
            Question,
            "car 2 is penalised: GET /state: expected square 4, found {}",
        ),
    ),
    (
        "R-4.3: does it fight?",
        Place {
            foe: true,
            ..place(
                Nothing,
                ("GET", "/fight/shouldfight", 1),
                Question,
                "car 2 is penalised: GET /fight/shouldfight?id=3 (C-15): expected a valid answer, found {}",
            )
        },
    ),
    (
        "R-4.5: where is its AI?",
        Place {
            foe: true,
            ..place(Nothing, ("GET", "/fight/iaurl", 1), Question, "car 2 has no usable duel AI: {}")
        },
    ),
    (
        "R-5.1: where is its AI?",
        place(Pirates, ("GET", "/fight/iaurl", 1), Question, "car 2 has no usable duel AI: {}"),
    ),
    (
        "R-5.2: does it search?",
        place(
            Wreck,
            ("GET", "/event/wreck", 1),
            Question,
            "car 2 is penalised: GET /event/wreck (C-12): expected a valid answer, found {}",
        ),
    ),
    (
        "R-7.2: a module is gained",
        place(
            Wreck,
            ("POST", "/engine", 1),
            Command,
            "car 2 is penalised: GET /engine/count: expected 5, found 4",
        ),
    ),
    (
        "R-7.2: and counted",
        place(
            Wreck,
            ("GET", "/engine/count", 2),
            Number(5),
            "car 2 is penalised: GET /engine/count: expected 5, found {}",
        ),
    ),
    (
        "R-5.3: does it cross?",
        place(Minefield, ("GET", "/event/mine", 1), Question, "car 2 goes round the minefield: {}"),
    ),
    (
        "R-7.3: a module is lost",
        place(
            Minefield,
            ("DELETE", "/engine*", 1),
            Command,
            "car 2 is penalised: GET /engine/count: expected 3, found 4",
        ),
    ),
    (
        "R-7.3: and counted",
        place(
            Minefield,
            ("GET", "/engine/count", 2),
            Number(3),
            "car 2 is penalised: GET /engine/count: expected 3, found {}",
        ),
    ),
    (
        "R-5.4: what does it buy?",
        place(
            Garage,
            ("POST", "/event/garage", 1),
            Question,
            "car 2 is penalised: POST /event/garage (C-14): expected a valid answer, found {}",
        ),
    ),
    (
        "R-5.4: it is delivered",
        place(
            Garage,
            ("POST", "/engine", 1),
            Command,
            "car 2 is penalised: GET /engine/count: expected 5, found 4",
        ),
    ),
    (
        "R-5.4: a step back",
        place(
            Garage,
            ("PUT", "/state/position", 1),
            Command,
            "car 2 is penalised: GET /state: expected square 3, found square 4",
        ),
    ),
    (
        "R-5.4: and asked",
        place(
            Garage,
            ("GET", "/state", 2),
            Question,
            "car 2 is penalised: GET /state: expected square 3, found {}",
        ),
    ),
    (
        "R-3.4: a spot check",
        place(
            Nothing,
            ("GET", "/state", 2),
            Question,
            "car 2 is penalised: GET /state: expected square 4 with 4 engines, 2 pilots, 3 weapons, found {}",
        ),
    ),
    ("R-7.4: it is retired", Place { weapons: 0, ..place(Pirates, ("DELETE", "/state", 1), Command, "") }),
];

/// Every defect on every request of a turn, once. Each turn ends with a spot check of every car, so what a car was
/// told wrongly or again is looked at: there is one verdict, or none, and none in the turn after it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c_21_each_defect_on_each_request() {
    let elsewhere = serve(reference_ai(), vec![]).await;
    let mut races = Vec::new();
    for (name, place) in PLACES {
        for (defect, found, does) in defects(&elsewhere) {
            let name = format!("{name} {} {}, {defect:?}", place.method, place.path);
            races.push(check(name, *place, defect, found, does));
        }
    }
    let wrong: Vec<String> =
        stream::iter(races).buffer_unordered(RACES_AT_ONCE).filter_map(async |wrong| wrong).collect().await;
    assert!(wrong.is_empty(), "{} of the races went wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(elsewhere.requests(), [], "nobody follows a redirect");
}

/// The verdict on a question that found a fault; where something else came than was asked for, it says what should
/// have come.
fn verdict(place: Place, fault: Fault) -> String {
    let said = place.verdict.replace("{}", &fault.to_string());
    let wanted = match place.path {
        "/event/garage" => CarRequest::Garage(Rules::balanced().prices),
        "/fight/iaurl" => CarRequest::DuelUrl,
        _ => CarRequest::Wreck,
    }
    .wanted_instead_of(fault);
    match wanted {
        Some(wanted) if place.path == "/fight/iaurl" => format!("{said}: expected {wanted}"),
        Some(wanted) => said.replace("a valid answer", wanted),
        None => said,
    }
}

/// One race; gives what was wrong with it, if anything.
async fn check(
    name: String,
    place: Place,
    defect: Defect,
    found: Option<Fault>,
    does: bool,
) -> Option<String> {
    let expected = match (place.request, found) {
        _ if place.verdict.is_empty() => None,
        (Request::Command, _) => (!does).then(|| place.verdict.to_owned()),
        (_, Some(fault)) => Some(verdict(place, fault)),
        (Request::Number(truth), None) => Some(place.verdict.replace("{}", &(truth + 1).to_string())),
        (Request::Question, None) => None,
    };
    // A close on a connection that was idle is asked again on another (C-20), so it has to be closed twice.
    let times = if defect == Defect::Closes { 2 } else { 1 };
    let script = Script::new(defect).on(place.method, place.path).from(place.nth).times(times);

    let (mut stage, [_ai, healthy, broken, other]) = three_cars(place.foe, place.weapons, TIGHT).await;
    if place.encounter != Nothing {
        stage.declare(place.encounter, BROKEN).await;
    }
    broken.follow(vec![script]);
    let turn = stage.turn(vec![]).await;
    broken.follow(vec![]);
    let after = stage.turn(vec![]).await;

    let mut wrong = Vec::new();
    let mut expect = |what: &str, is: bool, found: &dyn std::fmt::Debug| {
        if !is {
            wrong.push(format!("{name}: {what}: {found:?}"));
        }
    };
    expect("the verdicts", turn.verdicts() == Vec::from_iter(expected), &turn.verdicts());
    expect("the verdicts after it", after.verdicts().is_empty(), &after.verdicts());
    expect("the turn took too long", turn.took <= turn.most + NOISE, &(turn.took, turn.most));
    expect("the race goes on", stage.race.turn.0 == 2, &stage.race.turn);
    expect("the healthy cars move on", moves(&after, CarId(1)), &());
    for car in [&healthy, &broken, &other] {
        expect("C-23: at most a request that was given up, and the next", car.most_under_way() <= 2, &());
    }
    (!wrong.is_empty()).then(|| wrong.join("\n"))
}

fn moves(turn: &Turned, car: CarId) -> bool {
    turn.events.iter().any(|event| matches!(event, Event::CarMoved { car: moved, .. } if *moved == car))
}

/// The deadline of a request, in milliseconds, where few races are played side by side.
const TIGHT: u32 = 400;

/// The same where many are, some of which read endless bodies: healthy cars must be in time for it on a busy machine.
const ROOMY: u32 = 800;

/// Cars 1 and 3 on squares of their own, or 3 beside car 2; the race has started.
async fn three_cars(foe: bool, weapons: u64, deadline_ms: u32) -> (Stage, [BrokenCar; 4]) {
    let mut rules = quiet_rules();
    (rules.request_deadline_ms, rules.move_deadline_ms) = (deadline_ms, deadline_ms);
    rules.spot_check_percent = 100;
    let mut stage = Stage::seeded("race", rules, SEED);
    let ai = serve(reference_ai(), vec![]).await;
    let url = ai_at(&ai);
    let third = if foe { 4 } else { 5 };
    let cars = [
        a_car("i-1", [3, 2, 2], &url, vec![]).await,
        a_car("i-2", [4, 2, weapons], &url, vec![]).await,
        a_car("i-3", [third, 2, 2], &url, vec![]).await,
    ];
    for (number, car) in (1..).zip(&cars) {
        let team = stage.team(&format!("team {number}")).await;
        stage.enter(team, &format!("i-{number}"), car.url()).await;
    }
    stage.start().await;
    let [one, two, three] = cars;
    (stage, [ai, one, two, three])
}

/// A car that answers nothing as it should, for four turns: it is penalised again and again, nobody else is, and a
/// turn takes no longer than its own deadlines.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn c_21_each_defect_on_everything() {
    let elsewhere = serve(reference_ai(), vec![]).await;
    let races = defects(&elsewhere).map(async |(defect, found, _)| {
        let name = format!("{defect:?}");
        let (mut stage, [_ai, _one, broken, _three]) = three_cars(false, 3, ROOMY).await;
        broken.follow(vec![Script::new(defect)]);
        for (number, encounter) in (1..).zip([Garage, Wreck, Pirates, Minefield]) {
            stage.declare(encounter, BROKEN).await;
            let turn = stage.turn(vec![]).await;
            turn.was_in_time(&name);
            let penalised: Vec<CarId> = turn
                .events
                .iter()
                .filter_map(|event| match event {
                    Event::Penalised { car, .. } => Some(*car),
                    _ => None,
                })
                .collect();
            assert!(penalised.iter().all(|car| *car == BROKEN), "{name}: {penalised:?}");
            assert!(!penalised.is_empty() || (found.is_none() && number > 1), "{name}: turn {number}");
            assert!(moves(&turn, CarId(1)) && moves(&turn, CarId(3)), "{name}: turn {number}");
        }
        let square = |car| stage.race.cars[&CarId(car)].square;
        assert_eq!([square(1), square(2), square(3)], [Square(12), Square(0), Square(20)], "{name}");
    });
    futures_util::future::join_all(races).await;
    assert_eq!(elsewhere.requests(), [], "nobody follows a redirect");
}

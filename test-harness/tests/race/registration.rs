//! R-2: registration over HTTP.
//!
//! ```text
//! "i-2" of team 2 is refused: GET /state: expected the instance name, found "i-1"; the instance name is taken …
//! ```

use crate::broken_cars::defects;
use crate::stage::{Stage, a_car, ai_at, quiet_rules, reference_ai, register, serve};
use gm_core::contract::{BaseUrl, CarRequest, Kind};
use gm_core::ids::{CarId, Dollars, Square, TeamId, TurnNo};
use gm_core::ports::{Car as _, Chain, Topic, World};
use gm_core::race::Event;
use gm_core::race::command::Command;
use test_harness::broken::{Defect, Script};

/// R-2.3: a car that everything is wrong with is told everything at once, and nothing is paid.
#[tokio::test]
async fn r_2_3_refused_with_all_reasons_at_once() {
    let mut stage = Stage::new("race", quiet_rules());
    let ai = serve(reference_ai(), vec![]).await;
    let one = a_car("i-1", [4, 1, 3], &ai_at(&ai), vec![]).await;
    let two = a_car("i-2", [4, 1, 3], &ai_at(&ai), vec![]).await;
    let red = stage.team("Red").await;
    stage.command(Command::CreateTeam { name: "Blue".into(), budget: Some(Dollars(20)) }).await;
    stage.enter(red, "i-1", one.url()).await;
    stage.enter(red, "i-2", two.url()).await;

    // Since then the car has thrown out its pilot and stolen engines, and one of its pages is broken.
    let chain = Chain { turn: TurnNo(9), topic: Topic::Track, car: CarId(1) };
    let mut line = stage.world.car(chain, red, one.url());
    line.set_count(Kind::Pilot, 0).await.expect("the car does as it is told");
    line.set_count(Kind::Engine, 12).await.expect("the car does as it is told");
    one.follow(vec![Script::new(Defect::Status500).on("GET", "/weapon")]);
    let said: Vec<String> =
        stage.command(register(TeamId(2), "i-2", one.url())).await.iter().map(Event::to_string).collect();
    assert_eq!(
        said,
        [concat!(
            r#""i-2" of team 2 is refused: GET /state: expected the instance name, found "i-1"; "#,
            "GET /weapon (C-3): expected a valid answer, found status 500; ",
            "the instance name is taken in this race; another car takes part under this URL; ",
            "a car needs at least 1 pilot, found 0; ",
            "a car may have 10 modules, found 15; the car costs $30, and the team has $20 left"
        )]
    );
    assert_eq!(stage.race.teams[&TeamId(2)].budget(), Dollars(20), "nothing is paid");
    assert_eq!(stage.race.cars.len(), 2);
}

/// C-20: a car that has another secret says so to each question.
#[tokio::test]
async fn c_20_a_wrong_secret_is_said_of_each_question() {
    let mut stage = Stage::new("race", quiet_rules());
    let ai = serve(reference_ai(), vec![]).await;
    let settings = car_reference::CarSettings {
        secret: Some("another".into()),
        ..crate::stage::bold("i-1", [4, 1, 3], &ai_at(&ai))
    };
    let car = serve(car_reference::router(car_reference::Car::in_memory(settings)), vec![]).await;
    let team = stage.team("Red").await;
    let said: Vec<String> =
        stage.command(register(team, "i-1", car.url())).await.iter().map(Event::to_string).collect();
    let [refused] = &said[..] else { panic!("{said:?}") };
    for number in ["GET /state (C-5)", "GET /engine (C-1)", "GET /pilot (C-2)", "GET /weapon (C-3)"] {
        assert!(
            refused.contains(&format!("{number}: expected a valid answer, found status 401")),
            "{refused}"
        );
    }
    assert_eq!(refused.matches("/count (C-4): expected a valid answer, found status 401").count(), 3);
}

/// R-2.3: nobody is there. It is said once, and not for each of seven questions.
#[tokio::test]
async fn r_2_3_nobody_is_there() {
    let mut stage = Stage::new("race", quiet_rules());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let url = BaseUrl::parse(&format!("http://{}", listener.local_addr().expect("bound"))).expect("a URL");
    drop(listener);
    let team = stage.team("Red").await;
    let said: Vec<String> =
        stage.command(register(team, "i-1", &url)).await.iter().map(Event::to_string).collect();
    assert_eq!(
        said,
        [r#""i-1" of team 1 is refused: GET /state (C-5): expected a valid answer, found unreachable"#]
    );
}

/// R-2.4: two cars for 16 dollars each, of a team that has 20, at the same time: one is paid, the first that came.
/// And what is registered is told its square.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_2_4_two_registrations_at_once_cant_overspend() {
    for swapped in [false, true] {
        let mut stage = Stage::new("race", quiet_rules());
        let ai = serve(reference_ai(), vec![]).await;
        let slow = Script::new(Defect::AnswersLate(std::time::Duration::from_millis(10)));
        let one = a_car("i-1", [4, 2, 3], &ai_at(&ai), vec![slow]).await;
        let two = a_car("i-2", [4, 2, 3], &ai_at(&ai), vec![]).await;
        stage.command(Command::CreateTeam { name: "Red".into(), budget: Some(Dollars(20)) }).await;
        stage.start().await;
        let team = TeamId(1);
        let mut inbox = vec![register(team, "i-1", one.url()), register(team, "i-2", two.url())];
        let (first, second) = if swapped { ("i-2", "i-1") } else { ("i-1", "i-2") };
        if swapped {
            inbox.reverse();
        }
        let turn = stage.turn(inbox).await;
        let said = turn
            .said(|event| matches!(event, Event::CarRegistered { .. } | Event::RegistrationRefused { .. }));
        assert_eq!(
            said,
            [
                format!(
                    "car 1 {first:?} of team 1 is registered with 4 engines, 2 pilots, 3 weapons for $16"
                ),
                format!("{second:?} of team 1 is refused: the car costs $16, and the team has $4 left"),
            ]
        );
        assert_eq!(stage.race.teams[&team].budget(), Dollars(4));
        assert_eq!(stage.race.cars[&CarId(1)].square, Square(4), "R-2.4: it starts in this turn");
        let (paid, refused) = if swapped { (&two, &one) } else { (&one, &two) };
        let told = |car: &test_harness::broken::BrokenCar| {
            car.requests().iter().find(|seen| seen.method == "PATCH").map(|seen| seen.body.clone())
        };
        assert_eq!(told(paid).as_deref(), Some(&br#"{"square":0}"#[..]), "R-2.3: it is told its square");
        assert_eq!(told(refused), None);
    }
}

/// R-2.3, C-21: one car of each defect is registered at the same time as a healthy one, and refused with a reason for
/// each of the seven questions that it did not answer. Nobody waits for longer than for seven deadlines, and the
/// healthy car drives on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_2_3_each_defect_is_refused_with_its_reason() {
    let mut stage = Stage::new("race", quiet_rules());
    let ai = serve(reference_ai(), vec![]).await;
    let healthy = a_car("i-0", [4, 1, 3], &ai_at(&ai), vec![]).await;
    let team = stage.team("Red").await;
    stage.start().await;
    let mut inbox = Vec::new();
    let mut expected = Vec::new();
    let mut cars = Vec::new();
    for (number, (defect, found, _)) in (1..).zip(defects(&ai)) {
        // A count that is one too high is believed without an inspector (R-2.2).
        let Some(fault) = found else { continue };
        let instance = format!("i-{number}");
        // It says "ok" to everything, and a bucket may be called that.
        let names_are_answered = defect == Defect::Forgets;
        let car = a_car(&instance, [4, 1, 3], &ai_at(&ai), vec![Script::new(defect)]).await;
        inbox.push(register(team, &instance, car.url()));
        let of_kind = |kind| [CarRequest::Resource(kind), CarRequest::Count(kind)];
        let questions = [CarRequest::State].into_iter().chain(Kind::ALL.into_iter().flat_map(of_kind));
        let is_answered =
            |question: &CarRequest| names_are_answered && matches!(question, CarRequest::Resource(_));
        let reasons: Vec<String> = questions
            .filter(|question| !is_answered(question))
            .map(|question| {
                let wanted = question.wanted_instead_of(fault).unwrap_or("a valid answer");
                format!("{question} ({}): expected {wanted}, found {fault}", question.number())
            })
            .collect();
        expected.push(format!("{instance:?} of team 1 is refused: {}", reasons.join("; ")));
        cars.push(car);
    }
    inbox.push(register(team, "i-0", healthy.url()));
    let turn = stage.turn(inbox).await;
    turn.was_in_time("registration");
    assert_eq!(turn.said(|event| matches!(event, Event::RegistrationRefused { .. })), expected);
    assert_eq!(stage.race.cars.len(), 1);
    assert_eq!(stage.race.cars[&CarId(1)].square, Square(4), "the healthy car drives on");
    assert_eq!(ai.requests(), [], "nobody follows a redirect");
}

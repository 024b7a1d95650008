//! A look at a car, outside of the race: does it say what the game master knows?
//!
//! ```text
//! C-1   GET http://red-1/engine: 200 {"res":"red-engines"} in 3 ms       expected red-engines
//! C-4   GET http://red-1/engine/count: 200 {"res":2} in 4 ms             expected 3, found 2: wrong
//! C-16  GET http://red-1/fight/iaurl: no answer within the deadline      wrong
//! ```
//!
//! Only what changes nothing is asked. What a car wants at an event or of a fight (C-12 to C-15) is not: a car may
//! take the question for the event itself.
//!
//! A race goes on while a car is looked at, and a turn tells cars what is committed only at its end. So a car that says
//! something else than expected is wrong only where the race stood still.

use super::{Permit, Steps, aside};
use crate::control::{Activity, State};
use crate::drive::HttpWorld;
use crate::durable::{Live, car_request};
use crate::journal::Port;
use crate::team_log::{Asked, Came, Shown};
use gm_core::contract::car::CarState;
use gm_core::contract::{Answer, CarRequest, DuelUrl, Fault, Kind, reader};
use gm_core::ids::CarId;
use gm_core::ports::{Car as _, Chain, Topic, World};
use gm_core::race::Race;
use gm_core::race::event::Fact;
use std::fmt;
use tokio::sync::watch;

/// What a car is asked, in this order.
const QUESTIONS: [CarRequest; 8] = [
    CarRequest::State,
    CarRequest::Resource(Kind::Engine),
    CarRequest::Resource(Kind::Pilot),
    CarRequest::Resource(Kind::Weapon),
    CarRequest::Count(Kind::Engine),
    CarRequest::Count(Kind::Pilot),
    CarRequest::Count(Kind::Weapon),
    CarRequest::DuelUrl,
];

/// A question to a car, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// What it was asked.
    pub request: CarRequest,
    /// The exchange, as in the team's log.
    pub asked: Asked,
    /// What the game master expected, in words: as it knew the race when the answer came. None if it expected nothing
    /// particular, also of a car that is out of the race.
    pub expected: Option<String>,
    /// What it found, in words: one line, at most [`MOST_IN_A_LINE`](crate::team_log::entry::MOST_IN_A_LINE) bytes and
    /// how many there were.
    pub found: String,
    /// Whether there was no usable answer, or another than expected while the race stood still.
    pub wrong: bool,
    /// Whether the race went on meanwhile: the car may know of it what the game master has not committed yet.
    pub moving: bool,
}

impl Looked {
    /// The number of the question in the contract, e.g. `C-4`.
    #[must_use]
    pub fn number(&self) -> &'static str {
        self.request.number()
    }
}

/// There is no such car in the race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no car {0}")]
pub struct NoSuchCar(pub CarId);

/// Looks at a car: a step for each of C-5, C-1, C-2, C-3, C-4 (three times) and C-16, as it is answered. One that is not
/// answered does not end the look.
///
/// `known` is the race of this world, newest. Must be called within a tokio runtime.
///
/// # Errors
/// [`NoSuchCar`] if the race has no such car. Then nobody is asked.
pub fn look_at(
    world: &HttpWorld,
    permit: Permit,
    known: watch::Receiver<State>,
    car: CarId,
) -> Result<Steps<Looked>, NoSuchCar> {
    let race = known.borrow().race.clone();
    let (team, url) = race.cars.get(&car).map(|car| (car.team, car.url.clone())).ok_or(NoSuchCar(car))?;
    let chain = Chain { turn: race.turn, topic: Topic::SpotCheck, car };
    let limit = world.limits().car.saturating_mul(u32::try_from(QUESTIONS.len()).unwrap_or(u32::MAX));
    let (world, name) = aside(world);
    Ok(Steps::begin(permit, QUESTIONS.len(), limit, |teller| async move {
        let mut line = world.car(chain, team, &url);
        for (number, request) in (1..).zip(QUESTIONS) {
            let before = known.borrow().clone();
            let outcome = line.exchange(&request).await;
            let after = known.borrow().clone();
            let deviations = outcome.as_ref().map(|answer| request.deviations(answer)).unwrap_or_default();
            let asked = Asked {
                chain: format!("{name}-{chain}"),
                port: Port::Car,
                number,
                car: Some(car),
                request: Shown::of(car_request(&url, &request).as_bytes()),
                came: Came::of_answer(&outcome),
                deviations: deviations.iter().map(ToString::to_string).collect(),
                latency: line.latency(),
            };
            let said = outcome.and_then(|answer| Said::read(&request, &answer));
            teller.tell(judge(request, asked, said, car, [&before, &after]));
        }
    }))
}

/// What an answer is worth, by the race as it was known before the question and after the answer.
fn judge(
    request: CarRequest,
    asked: Asked,
    said: Result<Said, Fault>,
    car: CarId,
    known: [&State; 2],
) -> Looked {
    let [before, after] = known;
    let moving =
        before.last_seq != after.last_seq || known.iter().any(|state| state.activity != Activity::Waits);
    let expected = [before, after].map(|state| Said::expected(&request, &state.race, car));
    let [_, newest] = &expected;
    let wrong = match &said {
        Err(_) => true,
        Ok(said) => newest.is_some() && !moving && !expected.iter().flatten().any(|right| right == said),
    };
    let wanted = said.as_ref().err().and_then(|fault| request.wanted_instead_of(*fault));
    let found = match &said {
        Ok(said) => said.to_string(),
        Err(fault) => fault.to_string(),
    };
    let in_a_line = |text: &str| Shown::of(text.as_bytes()).to_string();
    Looked {
        expected: newest.as_ref().map(|right| in_a_line(&right.to_string())).or(wanted.map(str::to_owned)),
        found: in_a_line(&found),
        request,
        asked,
        wrong,
        moving,
    }
}

/// What a car says, or should say.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Said {
    /// C-1, C-2, C-3.
    Name(String),
    /// C-4.
    Count(u64),
    /// C-5.
    State(CarState),
    /// C-16.
    Url(DuelUrl),
}

impl Said {
    /// Reads the answer to one of [`QUESTIONS`].
    fn read(request: &CarRequest, answer: &Answer) -> Result<Said, Fault> {
        if !request.succeeds_with(answer.status) {
            return Err(Fault::Status(answer.status));
        }
        Ok(match request {
            CarRequest::Count(_) => Said::Count(reader::count(answer)?.value),
            CarRequest::State => Said::State(reader::state(answer)?.value),
            CarRequest::DuelUrl => {
                let text = reader::text(answer)?.value;
                Said::Url(DuelUrl::parse(&text).map_err(|_| Fault::NotTheValue)?)
            }
            _ => Said::Name(reader::resource(answer)?.value),
        })
    }

    /// What the car should say; none where anything will do.
    fn expected(request: &CarRequest, race: &Race, car: CarId) -> Option<Said> {
        let car = race.cars.get(&car).filter(|car| !car.is_retired())?;
        match request {
            CarRequest::Resource(kind) => Some(Said::Name(car.resources.of(*kind).to_owned())),
            CarRequest::Count(kind) => Some(Said::Count(car.count(*kind))),
            CarRequest::State => Some(Said::State(CarState {
                name: car.instance.clone(),
                square: car.square.0.into(),
                modules: car.counts(),
            })),
            _ => None,
        }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Said::Name(name) => f.write_str(name),
            Said::Count(count) => write!(f, "{count}"),
            Said::State(CarState { name, square, modules }) => {
                write!(f, "{name}: {}", Fact::State { square: *square, modules: *modules })
            }
            Said::Url(url) => write!(f, "{url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::tests::raw::{Act, RawServer, json};
    use crate::drive::tests::settings;
    use crate::journal::RaceId;
    use crate::trial::Permits;
    use gm_core::contract::BaseUrl;
    use gm_core::ids::{Dollars, Square, TeamId, TurnNo};
    use gm_core::race::event::Retirement;
    use gm_core::race::state::{Module, Resources};
    use gm_core::race::{Event, Rules};
    use gm_core::random::Seed;
    use std::sync::Arc;
    use std::time::Duration;
    use tokio::sync::Notify;
    use tokio::time::timeout;

    /// More than all of a test may take.
    const LONG: Duration = Duration::from_secs(20);
    const CAR: CarId = CarId(1);
    const TEAM: TeamId = TeamId(7);

    /// What a car says that knows everything, by path.
    const RIGHT: [(&str, &str); 8] = [
        ("/state", r#"{"name":"i-7","square":12,"modules":{"engine":2,"pilot":1,"weapon":1}}"#),
        ("/engine", r#"{"res":"red-engines"}"#),
        ("/pilot", r#"{"res":"red-pilots"}"#),
        ("/weapon", r#"{"res":"red-weapons"}"#),
        ("/engine/count", r#"{"res":2}"#),
        ("/pilot/count", r#"{"res":1}"#),
        ("/weapon/count", r#"{"res":1}"#),
        ("/fight/iaurl", r#"{"res":"http://ai.example/play"}"#),
    ];

    /// A race whose only car, on square 12, has two engines, a pilot and a weapon; and what happened to it then.
    fn race(url: &str, since: &[Event]) -> Arc<Race> {
        let (_, mut events) = Race::create(Rules::balanced().validated().expect("good rules"), Seed(1));
        events.push(Event::TeamCreated { team: TEAM, name: "red".to_owned(), budget: Dollars(100) });
        let modules = [(Kind::Engine, 1), (Kind::Engine, 2), (Kind::Pilot, 1), (Kind::Weapon, 1)];
        events.push(Event::CarRegistered {
            car: CAR,
            team: TEAM,
            instance: "i-7".to_owned(),
            url: BaseUrl::parse(url).expect("a URL"),
            resources: Resources {
                engine: "red-engines".to_owned(),
                pilot: "red-pilots".to_owned(),
                weapon: "red-weapons".to_owned(),
            },
            modules: modules.map(|(kind, number)| Module::numbered(kind, number)).to_vec(),
            paid: Dollars(1),
        });
        events.push(Event::RaceStarted);
        events.push(Event::TurnStarted { turn: TurnNo(1) });
        events.push(Event::CarMoved { car: CAR, squares: 12, to: Square(12) });
        events.extend_from_slice(since);
        Arc::new(Race::from_events(&events).expect("it begins with its creation"))
    }

    fn state(race: Arc<Race>, activity: Activity, last_seq: u64) -> State {
        State { race, last_seq, activity, pace: None, next_turn: None }
    }

    fn permit() -> Permit {
        Permits::default().take(&RaceId::random(), TEAM).expect("the first")
    }

    async fn look(world: &HttpWorld, known: watch::Receiver<State>) -> Vec<Looked> {
        let mut steps = look_at(world, permit(), known, CAR).expect("the car is there");
        let mut looked = Vec::new();
        while let Some(step) = timeout(LONG, steps.next()).await.expect("a look ends") {
            looked.push(step);
        }
        looked
    }

    fn world() -> HttpWorld {
        HttpWorld::new(settings()).expect("good settings")
    }

    /// A car that says what is right, but for these answers.
    async fn car(other: &[(&'static str, Act)]) -> RawServer {
        let other = other.to_vec();
        RawServer::start(move |_, seen| {
            let path = seen.line.split(' ').nth(1).unwrap_or_default();
            let said = other.iter().find(|(of, _)| *of == path).map(|(_, act)| act.clone());
            let right = RIGHT.iter().find(|(of, _)| *of == path).map(|(_, body)| json(body));
            vec![said.or(right).unwrap_or(Act::Close)]
        })
        .await
    }

    /// What was wrong or is worth a look, in words.
    fn told(looked: &[Looked]) -> Vec<String> {
        let worth = |looked: &&Looked| {
            let differs = looked.expected.as_ref().is_some_and(|right| *right != looked.found);
            looked.wrong || looked.moving || differs || !looked.asked.deviations.is_empty()
        };
        looked
            .iter()
            .filter(worth)
            .map(|looked| {
                let wrong = if looked.wrong { "wrong" } else { "not wrong" };
                let moving = if looked.moving { ", moving" } else { "" };
                let expected = looked.expected.as_deref().unwrap_or("anything");
                let accepted = looked.asked.deviations.join(", ");
                let number = looked.number();
                format!("{number} {expected} / {} / {wrong}{moving}{accepted}", looked.found)
            })
            .collect()
    }

    #[track_caller]
    fn check(name: &str, looked: &[Looked], expected: &[&str]) {
        let asked: Vec<&CarRequest> = looked.iter().map(|looked| &looked.request).collect();
        assert_eq!(asked, QUESTIONS.iter().collect::<Vec<_>>(), "{name}");
        assert_eq!(told(looked), expected, "{name}");
    }

    const TRUE_STATE: &str = "i-7: square 12 with 2 engines, 1 pilots, 1 weapons";

    /// What a car says instead of what is right, and what is told of it.
    #[tokio::test]
    async fn cars_that_are_right_and_cars_that_are_not() {
        let oops = Act::Say("HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n".to_owned());
        let elsewhere = r#"{"name":"i-7","square":9,"modules":{"engine":2,"pilot":1,"weapon":1}}"#;
        let another = r#"{"name":"i-8","square":12,"modules":{"engine":2,"pilot":1,"weapon":1}}"#;
        for (name, other, expected) in [
            ("right", vec![], vec![]),
            (
                "lies",
                vec![("/state", json(elsewhere)), ("/engine/count", json(r#"{"res":3}"#))],
                vec![
                    format!("C-5 {TRUE_STATE} / i-7: square 9 with 2 engines, 1 pilots, 1 weapons / wrong"),
                    "C-4 2 / 3 / wrong".to_owned(),
                ],
            ),
            (
                "another car",
                vec![("/state", json(another)), ("/pilot", json(r#"{"res":"blue-pilots"}"#))],
                vec![
                    format!("C-5 {TRUE_STATE} / i-8: square 12 with 2 engines, 1 pilots, 1 weapons / wrong"),
                    "C-2 red-pilots / blue-pilots / wrong".to_owned(),
                ],
            ),
            (
                "no answers",
                vec![
                    ("/state", oops),
                    ("/weapon/count", Act::Silence),
                    ("/fight/iaurl", json(r#"{"res":"ftp://ai"}"#)),
                ],
                vec![
                    format!("C-5 {TRUE_STATE} / status 500 / wrong"),
                    "C-4 1 / no answer within the deadline / wrong".to_owned(),
                    format!(r#"C-16 {{"res": "http://…"}} / {} / wrong"#, Fault::NotTheValue),
                ],
            ),
            (
                "C-22",
                vec![("/pilot/count", json("\"1\""))],
                vec!["C-4 1 / 1 / not wronga whole number as a JSON string, the bare value without {\"res\": …}".to_owned()],
            ),
        ] {
            let server = car(&other).await;
            let (_owner, known) = watch::channel(state(race(&server.url(), &[]), Activity::Waits, 9));
            let looked = look(&world(), known).await;
            check(name, &looked, &expected.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }

    /// A look only asks; with the team's secret, which is not shown, and with ids that are not the race's (C-20).
    #[tokio::test]
    async fn c_20_what_a_look_sends() {
        let server = car(&[]).await;
        let (_owner, known) = watch::channel(state(race(&server.url(), &[]), Activity::Waits, 9));
        let world = world();
        let looked = [look(&world, known.clone()).await, look(&world, known).await].concat();
        let requests = server.requests();
        assert_eq!((looked.len(), requests.len()), (16, 16));
        for (looked, seen) in looked.iter().zip(&requests) {
            let asked = &looked.asked;
            assert!(seen.line.starts_with("GET ") && asked.chain.ends_with("-t1-spotcheck-c1"), "{asked:?}");
            let id = format!("race-7f3a-{}-{}", asked.chain, asked.number);
            assert_eq!(seen.header("x-eacc-request-id"), Some(id.as_str()));
            assert_eq!(seen.header("x-eacc-secret"), Some("s3cret"));
            assert!(!format!("{looked:?}").contains("s3cret"));
            assert_eq!(asked.request.to_string(), format!("GET {}{}", server.url(), looked.request.path()));
        }
        assert_ne!(looked[0].asked.chain, looked[8].asked.chain);
    }

    /// A car that is dead: each question is asked, and none is answered. And one that never was.
    #[tokio::test]
    async fn a_dead_car_and_none() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let url = format!("http://{}", port.expect("a free port"));
        let (_owner, known) = watch::channel(state(race(&url, &[]), Activity::Waits, 9));
        let looked = look(&world(), known.clone()).await;
        assert_eq!(looked.len(), QUESTIONS.len());
        assert!(looked.iter().all(|looked| looked.wrong && looked.found == Fault::Unreachable.to_string()));
        let nobody = look_at(&world(), permit(), known, CarId(2));
        assert_eq!(nobody.err(), Some(NoSuchCar(CarId(2))));
    }

    /// Nothing is expected of a car that is out of the race but an answer.
    #[tokio::test]
    async fn a_retired_car() {
        let server = car(&[("/state", json("{}")), ("/engine/count", json("77"))]).await;
        let out = Event::CarRetired { car: CAR, reason: Retirement::NoPilot };
        let (_owner, known) = watch::channel(state(race(&server.url(), &[out]), Activity::Waits, 9));
        let looked = look(&world(), known).await;
        assert!(looked[1..].iter().all(|looked| looked.expected.is_none()));
        let wrong: Vec<bool> = looked.iter().map(|looked| looked.wrong).collect();
        assert_eq!(wrong, [true, false, false, false, false, false, false, false]);
        assert_eq!(looked[4].found, "77");
    }

    /// While a turn is played, a car may know what is not committed; but it has to answer.
    #[tokio::test]
    async fn a_car_in_the_middle_of_a_turn() {
        let server = car(&[("/engine/count", json(r#"{"res":3}"#)), ("/weapon", Act::Close)]).await;
        let turn = Activity::Plays(TurnNo(2));
        let (_owner, known) = watch::channel(state(race(&server.url(), &[]), turn, 9));
        let looked = look(&world(), known).await;
        assert!(looked.iter().all(|looked| looked.moving));
        let wrong: Vec<_> = looked.iter().filter(|looked| looked.wrong).map(Looked::number).collect();
        assert_eq!(wrong, ["C-3"]);
        assert_eq!((looked[4].expected.as_deref(), looked[4].found.as_str()), (Some("2"), "3"));
    }

    /// The race goes on while a question is under way: the answer is held against what was known before and what is known
    /// then, and is no lie if it is neither.
    #[tokio::test]
    async fn the_race_goes_on_meanwhile() {
        for (said, expected, moves) in
            [("2", "3", true), ("3", "3", true), ("4", "3", true), ("2", "2", false)]
        {
            let go_on = Arc::new(Notify::new());
            let held = vec![Act::Until(Arc::clone(&go_on)), json(&format!(r#"{{"res":{said}}}"#))];
            let server = RawServer::start(move |number, _| match number {
                0..4 => vec![json(RIGHT[number].1)],
                4 => held.clone(),
                _ => vec![Act::Close],
            })
            .await;
            let (owner, known) = watch::channel(state(race(&server.url(), &[]), Activity::Waits, 9));
            let gained = Event::ModuleGained {
                car: CAR,
                module: Module::numbered(Kind::Engine, 3),
                cause: gm_core::race::event::GainCause::Wreck,
            };
            let later = state(race(&server.url(), &[gained]), Activity::Waits, 10);
            let going_on = async {
                while server.requests().len() < 5 {
                    server.heard.notified().await;
                }
                if moves {
                    owner.send_replace(later);
                }
                go_on.notify_one();
            };
            let world = world();
            let (looked, ()) = tokio::join!(look(&world, known), going_on);
            let count = &looked[4];
            let shown = (count.expected.as_deref(), count.found.as_str(), count.wrong, count.moving);
            assert_eq!(shown, (Some(expected), said, false, moves));
        }
    }

    /// C-23: a look waits for the car while a turn asks it, and a turn while a look does. A race's request that is under
    /// way when the look begins, and eight more during it.
    #[tokio::test]
    async fn c_23_a_look_and_a_turn_never_overlap() {
        let go_on = Arc::new(Notify::new());
        let held = Arc::clone(&go_on);
        let server = RawServer::start(move |number, seen| {
            let path = seen.line.split(' ').nth(1).unwrap_or_default();
            let body = RIGHT.iter().find(|(of, _)| *of == path).map_or("1", |(_, body)| body);
            let answer = vec![Act::Pause(Duration::from_millis(5)), json(body)];
            if number == 0 { vec![Act::Until(Arc::clone(&held)), json(body)] } else { answer }
        })
        .await;
        let world = world();
        let race = race(&server.url(), &[]);
        let url = race.cars[&CAR].url.clone();
        let chain = Chain { turn: TurnNo(2), topic: Topic::Track, car: CAR };
        let mut line = world.car(chain, TEAM, &url);
        let turn = async {
            for _ in 0..9 {
                line.exchange(&CarRequest::State).await.expect("an answer");
            }
        };
        let (_owner, known) = watch::channel(state(race, Activity::Waits, 9));
        let looking = async {
            while server.requests().is_empty() {
                server.heard.notified().await;
            }
            let mut steps = look_at(&world, permit(), known, CAR).expect("the car is there");
            // The look's task has its turn, and sends nothing.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            assert_eq!(server.requests().len(), 1);
            go_on.notify_one();
            let mut looked = Vec::new();
            while let Some(step) = steps.next().await {
                looked.push(step);
            }
            looked
        };
        let both = async { tokio::join!(turn, looking) };
        let ((), looked) = timeout(LONG, both).await.expect("both end");
        check("beside a turn", &looked, &[]);
        assert_eq!((server.requests().len(), server.most_under_way(), server.connections()), (17, 1, 1));
    }
}

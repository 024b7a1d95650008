//! A process that dies at any exchange of a race: the race goes on as if nothing had been.
//!
//! Cars are in memory, the journal is the real one. For each exchange of a race (registration, inspection and the
//! jury's corrections among them) the process dies once when the answer has come and is not in the journal, and once
//! when it is; for each commit, once before and once after it. Then another one recovers the race and goes on. It must
//! come to the events of a race that nothing happened to, and ask nobody anything that is in the journal.
//!
//! `GM_CRASH_ONLY=answered:17` runs only that one.

use gm_core::contract::{Answer, BaseUrl, CarRequest, Fault, Kind, Modules};
use gm_core::ids::{CarId, Dollars, Points, Square, TeamId, TurnNo};
use gm_core::memory::{Exchange, MemoryCar, MemoryWorld};
use gm_core::race::command::{Application, CarCorrection, Command, NewStanding, TeamCorrection};
use gm_core::race::event::Achievement;
use gm_core::race::rules::{EncounterOdds, Rules, Spoils};
use gm_core::race::state::{Encounter, Module, Transfer};
use gm_core::race::{Event, REVISION};
use gm_core::random::Seed;
use gm_grpc::control::{Denied, RaceHandle, Races, Setting, Settings, Worlds};
use gm_grpc::durable::{Point, Probe};
use gm_grpc::journal::{DataDirectory, DecisionNo, Journal, NewRace, Origin, Port, RaceId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const TURNS: u32 = 10;
const SEED: u64 = 11;

/// What the people of the race do, one after the other.
#[derive(Clone)]
enum Deed {
    Order(Vec<Command>),
    RegisterAll(Vec<Command>),
    Step(u32),
}

fn car(number: u32) -> String {
    format!("car{number}")
}

fn register(team: u32, number: u32, has_url: bool) -> Command {
    let url = has_url.then(|| BaseUrl::parse(&format!("http://{}", car(number))).expect("a URL"));
    Command::Register(Application { team: TeamId(team), instance: car(number), url })
}

fn correction(car: u32) -> CarCorrection {
    CarCorrection {
        car: CarId(car),
        reason: "the jury saw it".to_owned(),
        square: None,
        turns_to_miss: None,
        modules: None,
        standing: None,
    }
}

fn deeds() -> Vec<Deed> {
    let team = |name: &str| Command::CreateTeam { name: name.to_owned(), budget: None };
    let mut deeds = vec![
        Deed::Order(["Red", "Green", "Blue"].map(team).to_vec()),
        Deed::RegisterAll(vec![register(1, 1, true), register(2, 2, true), register(3, 3, true)]),
        Deed::Order(vec![
            register(1, 4, false),
            register(2, 9, true),
            register(3, 5, true),
            register(2, 6, true),
            Command::Complain { team: TeamId(2), turn: TurnNo(0), text: "car9 is fine".to_owned() },
        ]),
        Deed::Order(vec![Command::Start]),
        Deed::Step(1),
        Deed::Order(vec![
            Command::Transfer(Transfer {
                team: TeamId(1),
                module: Module { kind: Kind::Weapon, name: "weapon-1".to_owned() },
                from: CarId(1),
                to: CarId(4),
            }),
            Command::Grant { team: TeamId(1), dollars: Dollars(7) },
            Command::Declare { encounter: Encounter::Pirates, cars: Some(vec![CarId(2)]) },
        ]),
        Deed::Step(2),
        Deed::Step(3),
        Deed::Order(vec![
            Command::CorrectCar(CarCorrection {
                square: Some(Square(20)),
                modules: Some(Modules { engine: 3, pilot: 2, weapon: 2 }),
                turns_to_miss: Some(0),
                ..correction(3)
            }),
            Command::CorrectTeam(TeamCorrection {
                team: TeamId(2),
                reason: "for the show".to_owned(),
                budget: Some(Dollars(55)),
                points: Points(3),
            }),
            Command::AnswerComplaint { number: 1, text: "it is not".to_owned() },
            Command::Award { team: TeamId(3), achievement: Achievement::Scrooge },
            Command::Grant { team: TeamId(99), dollars: Dollars(1) },
        ]),
    ];
    deeds.extend((4..=TURNS).map(Deed::Step));
    deeds.push(Deed::Order(vec![
        Command::CorrectCar(CarCorrection { square: Some(Square(7)), ..correction(1) }),
        Command::CorrectCar(CarCorrection { standing: Some(NewStanding::Retired), ..correction(2) }),
    ]));
    deeds
}

/// Six cars, and one that can't be registered. Not all of them do what they are told; what they say depends on
/// nothing but what they are asked.
fn world() -> MemoryWorld {
    let world = MemoryWorld::default();
    world.keep_exchanges(true);
    world.inspect(TeamId(3));
    for number in [1, 2, 3, 4, 5, 6, 9] {
        let mut a_car = MemoryCar {
            fights: number % 2 == 0,
            crosses_mines: number % 3 == 0,
            buys: Some(Kind::ALL[number as usize % 3]),
            ..MemoryCar::new(&car(number), 3, 2, 3)
        };
        a_car = match number {
            // Forgets what it gains, and is corrected.
            5 => a_car.scripted(|request, _| {
                matches!(request, CarRequest::Gain { .. }).then(|| Ok(Answer::ok(r#"{"res":"ok"}"#)))
            }),
            // Never answers in time when it is asked for its state; asked again within the grace.
            6 => a_car.scripted(|request, car| {
                (matches!(request, CarRequest::State) && car.square > 6).then_some(Err(Fault::Late))
            }),
            9 => a_car.scripted(|request, _| {
                matches!(request, CarRequest::Count(Kind::Pilot)).then_some(Err(Fault::Broken))
            }),
            _ => a_car,
        };
        world.park(&format!("http://{}", car(number)), a_car);
    }
    let address = BaseUrl::parse("http://car4").expect("a URL");
    world.list("car4", address);
    // Says a card that nobody has.
    world.teach("http://duel.ai/first", |question| match question.cards.len() % 4 {
        1 => Ok(Answer::ok("[9]")),
        _ => Ok(gm_core::memory::first_legal(question)),
    });
    world
}

fn rules() -> Rules {
    Rules {
        encounters: EncounterOdds { nothing: 5, pirates: 25, garage: 30, wreck: 20, minefield: 20 },
        spot_check_percent: 50,
        initial_budget: 60,
        combat_range: 3,
        meet_again: true,
        spoils: Spoils::WinnerTakes,
        transfers: true,
        track_length: 40,
        random_bonuses: 8,
        verify_grace: gm_core::ids::Seconds(1),
        max_turns: Some(TURNS),
        ..Rules::balanced()
    }
}

struct InMemory(MemoryWorld);

impl Worlds for InMemory {
    type World = MemoryWorld;

    fn open(&self, _: Setting) -> Result<MemoryWorld, String> {
        Ok(self.0.clone())
    }
}

/// Lets the process die at the so-manieth point of a kind.
struct DieAt {
    point: Point,
    left: AtomicUsize,
}

impl DieAt {
    fn new(point: Point, nth: usize) -> DieAt {
        DieAt { point, left: AtomicUsize::new(nth) }
    }
}

impl Probe for DieAt {
    fn dies_at(&self, point: Point) -> bool {
        point == self.point && self.left.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

/// Counts how often each point is passed.
#[derive(Default)]
struct Count([AtomicUsize; 5]);

impl Probe for Count {
    fn dies_at(&self, point: Point) -> bool {
        self.0[point as usize].fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// One process: it has the data directory from its start to its end.
struct Process {
    races: Races<InMemory>,
    race: RaceHandle,
}

fn race_id() -> RaceId {
    RaceId::parse("gm-crash").expect("an id")
}

impl Process {
    /// Starts on a directory, and makes the race there or recovers it.
    async fn start(directory: &Path, world: &MemoryWorld, probe: Arc<dyn Probe>) -> Process {
        let journal = Journal::open(DataDirectory::open(directory).expect("free")).await.expect("a journal");
        let settings = Settings { probe, try_again: Duration::from_secs(3600), ..Settings::default() };
        let races = Races::new(journal, InMemory(world.clone()), settings);
        let race = match races.journal().race(&race_id()).await {
            Ok(_) => races.own(&race_id()).await.expect("a race to recover"),
            Err(_) => {
                let new = NewRace {
                    id: race_id(),
                    name: "crash".to_owned(),
                    seed: Seed(SEED),
                    revision: REVISION,
                    origin: Origin::Here,
                    plan: None,
                    secrets: BTreeMap::new(),
                    pace: None,
                };
                races.create(new, rules().validated().expect("good rules")).await.expect("a race")
            }
        };
        Process { races, race }
    }

    /// Does what is to be done from a deed on; gives the deed at which the process died.
    async fn work(&self, deeds: &[Deed], from: usize) -> Option<usize> {
        for (number, deed) in deeds.iter().enumerate().skip(from) {
            let id = format!("deed-{number}");
            let done = match deed.clone() {
                Deed::Order(commands) => self.race.order(commands, Some(&id)).await,
                Deed::RegisterAll(cars) => self.race.register_all(cars, Some(&id)).await,
                Deed::Step(turn) => self.race.step(TurnNo(turn), Some(&id)).await,
            };
            match done {
                Ok(_) => {}
                Err(Denied::ShuttingDown) => return Some(number),
                Err(denied) => panic!("deed {number}: {denied}"),
            }
        }
        None
    }

    async fn end(self) {
        let Process { races, race } = self;
        drop(race);
        races.shut_down(Duration::from_secs(60)).await.expect("the journal closes");
    }
}

/// What a race came to.
#[derive(Debug, Default, PartialEq)]
struct Came {
    events: Vec<String>,
    /// What was asked in each conversation, in order.
    asked: BTreeMap<String, Vec<CarRequest>>,
}

async fn events(journal: &Journal) -> Vec<String> {
    let record = journal.race(&race_id()).await.expect("the race");
    let mut lines = Vec::new();
    loop {
        let page = journal.events(&record, lines.len() as u64).await.expect("events");
        if page.is_empty() {
            return lines;
        }
        lines.extend(page.into_iter().map(|event| event.body));
    }
}

fn by_chain(exchanges: Vec<Exchange>) -> BTreeMap<String, Vec<CarRequest>> {
    let mut asked = BTreeMap::<String, Vec<_>>::new();
    for Exchange { chain, request, .. } in exchanges {
        asked.entry(chain.to_string()).or_default().push(request);
    }
    asked
}

/// How many answers of cars are in the journal, by conversation.
async fn recorded(journal: &Journal) -> BTreeMap<String, usize> {
    let record = journal.race(&race_id()).await.expect("the race");
    let mut recorded = BTreeMap::new();
    for decision in journal.decisions(&record, DecisionNo(0)).await.expect("decisions") {
        for exchange in journal.exchanges(&record, decision.decision.no).await.expect("exchanges") {
            if exchange.port == Port::Car {
                *recorded.entry(exchange.chain).or_insert(0) += 1;
            }
        }
    }
    recorded
}

/// A race that nothing happens to, and how often each point was passed.
async fn undisturbed() -> (Came, [usize; 5]) {
    let directory = tempfile::tempdir().expect("a directory");
    let (world, count) = (world(), Arc::new(Count::default()));
    let process = Process::start(directory.path(), &world, Arc::clone(&count) as Arc<dyn Probe>).await;
    assert_eq!(process.work(&deeds(), 0).await, None);
    let came =
        Came { events: events(process.races.journal()).await, asked: by_chain(world.take_exchanges()) };
    process.end().await;
    let passed = count.0.each_ref().map(|count| count.load(Ordering::Relaxed));
    (came, passed)
}

/// A race in which the process dies once.
async fn disturbed(point: Point, nth: usize, expected: &Came) {
    let what = format!("{point:?}:{nth}");
    let directory = tempfile::tempdir().expect("a directory");
    let (world, deeds) = (world(), deeds());
    let process = Process::start(directory.path(), &world, Arc::new(DieAt::new(point, nth))).await;
    let died = process.work(&deeds, 0).await.unwrap_or_else(|| panic!("{what}: it did not die"));
    let before = by_chain(world.take_exchanges());
    let kept = recorded(process.races.journal()).await;
    process.end().await;

    let process = Process::start(directory.path(), &world, Arc::new(())).await;
    assert_eq!(process.work(&deeds, died).await, None, "{what}");
    let came = events(process.races.journal()).await;
    process.end().await;
    same_events(&expected.events, &came, &what);

    // What is in the journal is not asked again; what is not, is asked, from there on.
    let after = by_chain(world.take_exchanges());
    for (chain, requests) in &expected.asked {
        let kept = kept.get(chain).copied().unwrap_or(0);
        let asked = |by: &BTreeMap<String, Vec<CarRequest>>| by.get(chain).cloned().unwrap_or_default();
        assert_eq!(asked(&after), requests[kept..], "{what}: {chain} after {kept} answers");
        let (before, known) = (asked(&before), kept..=kept + 1);
        assert!(
            known.contains(&before.len()),
            "{what}: {chain} was asked {} before, {kept} kept",
            before.len()
        );
        assert_eq!(before, requests[..before.len()], "{what}: {chain}");
    }
    let chains = after.keys().chain(before.keys());
    let others: Vec<&String> = chains.filter(|chain| !expected.asked.contains_key(*chain)).collect();
    assert_eq!(others, [""; 0], "{what}");
}

#[track_caller]
fn same_events(expected: &[String], came: &[String], what: &str) {
    for (number, (expected, came)) in expected.iter().zip(came).enumerate() {
        assert_eq!(came, expected, "{what}: event {}", number + 1);
    }
    assert_eq!(came.len(), expected.len(), "{what}: as many events");
}

fn points() -> [Point; 5] {
    [Point::Sent, Point::Answered, Point::Kept, Point::BeforeCommit, Point::AfterCommit]
}

/// What the race must be made of, so that dying in it proves something.
#[tokio::test]
async fn the_race_has_everything() {
    let (came, passed) = undisturbed().await;
    let events: Vec<Event> =
        came.events.iter().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let kinds: BTreeSet<String> = came
        .events
        .iter()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["event"].to_string())
        .collect();
    for kind in [
        "car_registered",
        "registration_refused",
        "duel_played",
        "penalised",
        "pirates_attacked",
        "wreck_searched",
        "minefield_crossed",
        "module_bought",
        "module_lost",
        "car_corrected",
        "names_read",
        "bonus_taken",
        "race_finished",
    ] {
        assert!(kinds.contains(&format!("{kind:?}")), "no {kind} in {kinds:?}");
    }
    let turns = events.iter().filter(|event| matches!(event, Event::TurnCompleted { .. })).count();
    assert_eq!(turns, TURNS as usize);
    assert!(passed[Point::Answered as usize] > 500, "{passed:?}");
    assert_eq!(passed[Point::Answered as usize], passed[Point::Kept as usize]);
}

#[tokio::test]
async fn it_dies_everywhere() {
    let (expected, passed) = undisturbed().await;
    let only = std::env::var("GM_CRASH_ONLY").ok();
    for point in points() {
        // Just before a request is sent is just after the one before was kept, but for the first.
        let step = if point == Point::Sent { 25 } else { 1 };
        for nth in (1..=passed[point as usize]).step_by(step) {
            let name = format!("{point:?}:{nth}").to_lowercase();
            if only.as_ref().is_none_or(|only| *only == name) {
                disturbed(point, nth, &expected).await;
            }
        }
    }
}

/// It dies again and again, after each few answers, and comes to its end.
#[tokio::test]
async fn it_dies_again_and_again() {
    let (expected, _) = undisturbed().await;
    for (point, nth) in [(Point::Kept, 7), (Point::Answered, 9), (Point::AfterCommit, 1)] {
        let directory = tempfile::tempdir().expect("a directory");
        let (world, deeds) = (world(), deeds());
        let (mut from, mut deaths) = (Some(0), 0);
        while let Some(deed) = from {
            let process = Process::start(directory.path(), &world, Arc::new(DieAt::new(point, nth))).await;
            from = process.work(&deeds, deed).await;
            if from.is_none() {
                same_events(&expected.events, &events(process.races.journal()).await, &format!("{point:?}"));
            }
            process.end().await;
            deaths += 1;
            assert!(deaths < 1_000, "{point:?}: it never ends");
        }
        assert!(deaths > 10, "{point:?}: it died {deaths} times");
    }
}

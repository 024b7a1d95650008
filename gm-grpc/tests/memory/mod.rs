//! A race among cars in memory, on the journal of a directory: what the tests of crashes and of exports are about.
//! Everything happens in it: all commands, all encounters, and all clocks strike.
//!
//! ```text
//! let process = Process::start(directory, &world(), Arc::new(())).await;
//! assert_eq!(process.work(&deeds(), 0).await, None);  process.end().await;
//! ```

use gm_core::arena::Seat;
use gm_core::contract::{Answer, BaseUrl, CarRequest, Fault, Kind, Modules};
use gm_core::ids::{CarId, Dollars, Points, Square, TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryWorld};
use gm_core::race::REVISION;
use gm_core::race::command::{Application, CarCorrection, Command, NewStanding, TeamCorrection};
use gm_core::race::event::Achievement;
use gm_core::race::rules::{EncounterOdds, Rules, Spoils};
use gm_core::race::state::{Encounter, Module, Transfer};
use gm_core::random::Seed;
use gm_grpc::control::{Denied, RaceHandle, Races, Setting, Settings, Worlds};
use gm_grpc::durable::{Point, Probe};
use gm_grpc::journal::{DataDirectory, Journal, NewRace, Origin, RaceId};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// How many turns are played.
pub(crate) const TURNS: u32 = 10;
const SEED: u64 = 11;

/// What the people of the race do, one after the other.
#[derive(Clone)]
pub(crate) enum Deed {
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

/// All that they do.
pub(crate) fn deeds() -> Vec<Deed> {
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
pub(crate) fn world() -> MemoryWorld {
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

/// Sets the clocks for a deed. In the last turn but one each duel's time is up at once, and a car that is late is not
/// asked again; after the last turn, the race's time is up.
fn set_clocks(world: &MemoryWorld, deed: &Deed) {
    let turn = if let Deed::Step(turn) = deed { *turn } else { 0 };
    let strike = turn + 1 == TURNS;
    world.duel_is_overdue(strike.then_some(Seat(1)));
    world.time_is_up_after(strike.then_some(0));
    world.running_time_is_up(turn == TURNS);
}

/// Races in this world.
pub(crate) struct InMemory(pub(crate) MemoryWorld);

impl Worlds for InMemory {
    type World = MemoryWorld;

    fn open(&self, _: Setting) -> Result<MemoryWorld, String> {
        Ok(self.0.clone())
    }
}

/// Lets the process die at the nth point of a kind.
pub(crate) struct DieAt {
    point: Point,
    left: AtomicUsize,
}

impl DieAt {
    pub(crate) fn new(point: Point, nth: usize) -> DieAt {
        DieAt { point, left: AtomicUsize::new(nth) }
    }
}

impl Probe for DieAt {
    fn dies_at(&self, point: Point) -> bool {
        point == self.point && self.left.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

/// One process: it has the data directory from its start to its end.
pub(crate) struct Process {
    pub(crate) races: Races<InMemory>,
    pub(crate) race: RaceHandle,
    world: MemoryWorld,
}

/// Its id.
pub(crate) fn race_id() -> RaceId {
    RaceId::parse("gm-crash").expect("an id")
}

impl Process {
    /// Starts on a directory, and makes the race there or recovers it.
    pub(crate) async fn start(directory: &Path, world: &MemoryWorld, probe: Arc<dyn Probe>) -> Process {
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
                    private: false,
                };
                races.create(new, rules().validated().expect("good rules")).await.expect("a race")
            }
        };
        Process { races, race, world: world.clone() }
    }

    /// Does what is to be done from a deed on; gives the deed at which the process died.
    pub(crate) async fn work(&self, deeds: &[Deed], from: usize) -> Option<usize> {
        for (number, deed) in deeds.iter().enumerate().skip(from) {
            set_clocks(&self.world, deed);
            let id = format!("deed-{number}");
            let done = match deed.clone() {
                Deed::Order(commands) => self.race.order(commands, Some(&id)).await,
                Deed::RegisterAll(cars) => self.race.register_all(cars, Some(&id)).await,
                Deed::Step(turn) => self.race.step(TurnNo(turn), Some(&id)).await,
            };
            if matches!(done, Err(Denied::ShuttingDown)) {
                return Some(number);
            }
            assert_eq!(done.map(drop).map_err(|denied| denied.to_string()), Ok(()), "deed {number}");
        }
        None
    }

    pub(crate) async fn end(self) {
        let Process { races, race, .. } = self;
        drop(race);
        races.shut_down(Duration::from_secs(60)).await.expect("the journal closes");
    }
}

/// The events of the race, as they are stored.
pub(crate) async fn events(journal: &Journal) -> Vec<String> {
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

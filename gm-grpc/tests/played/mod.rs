//! A race in a data directory, played by cars in memory, in which team 2 has a canary in everything that is its own.
//!
//! Whatever another team than team 2 can read must not hold the word `canary` or the number 7777.

use gm_core::contract::{Answer, BaseUrl, CarRequest, ContentType, Fault, Kind, Modules};
use gm_core::ids::{CarId, Dollars, Points, Square, TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryWorld, first_legal};
use gm_core::race::REVISION;
use gm_core::race::command::{Application, CarCorrection, Command, TeamCorrection};
use gm_core::race::rules::{EncounterOdds, Rules};
use gm_core::random::Seed;
use gm_grpc::control::{Races, Setting, Settings, Worlds};
use gm_grpc::journal::{DataDirectory, Journal, NewRace, Origin, RaceId};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// How many turns are played.
const TURNS: u32 = 8;

/// The race's id.
pub(crate) fn race_id() -> RaceId {
    RaceId::parse("gm-played").expect("an id")
}

/// A team's car's base URL.
fn url(number: u32) -> String {
    match number {
        2 | 5 => format!("http://canary-url-{number}"),
        9 => "http://canary-refused".to_owned(),
        _ => format!("http://car{number}"),
    }
}

fn register(team: u32, number: u32) -> Command {
    let url = Some(BaseUrl::parse(&url(number)).expect("a URL"));
    Command::Register(Application { team: TeamId(team), instance: format!("car{number}"), url })
}

/// The answer of a car, with a canary in it.
fn with_canary(answer: Answer, word: &str) -> Answer {
    let mut body: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    body["note"] = word.into();
    Answer { content_type: ContentType::Other, body: body.to_string().into_bytes(), ..answer }
}

fn world() -> MemoryWorld {
    let world = MemoryWorld::default();
    world.inspect(TeamId(2));
    for number in [1, 2, 3, 4, 5, 6, 9] {
        let mut car = MemoryCar {
            fights: true,
            crosses_mines: number % 3 == 0,
            buys: Some(Kind::ALL[number as usize % 3]),
            ..MemoryCar::new(&format!("car{number}"), 3, 3, 3)
        };
        if number == 2 || number == 5 {
            let engines = (1..=3).map(|engine| format!("canary-engine-{engine}")).collect();
            car.modules.insert(Kind::Engine, engines);
            car.duel_url = Some("http://canary-ai.example/move".to_owned());
        }
        car = match number {
            2 => car.scripted(|request, car| Some(Ok(with_canary(car.obey(request), "canary-answer")))),
            // Forgets what it is told, and is penalised for it.
            1 | 5 => car.scripted(|request, _| {
                matches!(request, CarRequest::SetPosition(_)).then(|| Ok(Answer::ok(r#"{"res":"ok"}"#)))
            }),
            3 => car.scripted(|request, _| {
                matches!(request, CarRequest::Garage(_) | CarRequest::Mine)
                    .then(|| Ok(Answer::ok(b"\xff\xfe\x1b[2J".to_vec())))
            }),
            9 => car.scripted(|request, _| {
                matches!(request, CarRequest::Count(Kind::Pilot)).then_some(Err(Fault::Broken))
            }),
            _ => car,
        };
        world.park(&url(number), car);
    }
    world.teach("http://canary-ai.example/move", |question| {
        Ok(with_canary(first_legal(question), "canary-move"))
    });
    world
}

fn rules() -> Rules {
    Rules {
        encounters: EncounterOdds { nothing: 5, pirates: 25, garage: 30, wreck: 20, minefield: 20 },
        spot_check_percent: 50,
        combat_range: 3,
        meet_again: true,
        track_length: 40,
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

/// What people order, one after the other; a turn is played after each.
fn orders() -> Vec<Vec<Command>> {
    let team = |name: &str| Command::CreateTeam { name: name.to_owned(), budget: None };
    let complain = |team: u32, text: &str| Command::Complain {
        team: TeamId(team),
        turn: TurnNo(1),
        text: text.to_owned(),
    };
    let correct = |car: u32, reason: &str| {
        Command::CorrectCar(CarCorrection {
            car: CarId(car),
            reason: reason.to_owned(),
            square: Some(Square(7)),
            turns_to_miss: Some(0),
            modules: Some(Modules { engine: 4, pilot: 3, weapon: 3 }),
            standing: None,
        })
    };
    vec![
        vec![
            team("Red"),
            team("Green"),
            team("Blue"),
            register(1, 1),
            register(2, 2),
            register(3, 3),
            register(1, 4),
            register(2, 5),
            register(3, 6),
            register(2, 9),
            Command::Start,
        ],
        vec![
            complain(2, "canary-complaint"),
            complain(1, "our car was\nthere"),
            correct(2, "canary-reason"),
            correct(3, "the jury saw it"),
        ],
        vec![
            Command::AnswerComplaint { number: 1, text: "canary-reply".to_owned() },
            Command::Grant { team: TeamId(2), dollars: Dollars(7777) },
            Command::CorrectTeam(TeamCorrection {
                team: TeamId(2),
                reason: "canary-reason".to_owned(),
                budget: Some(Dollars(7777)),
                points: Points(3),
            }),
        ],
    ]
}

/// Plays the race in a directory. `look` looks at its journal after everything that happens.
pub(crate) async fn play(directory: &Path, mut look: impl AsyncFnMut(&Journal)) {
    let journal = Journal::open(DataDirectory::open(directory).expect("free")).await.expect("a journal");
    let races = Races::new(journal, InMemory(world()), Settings::default());
    let new = NewRace {
        id: race_id(),
        name: "Friday".to_owned(),
        seed: Seed(11),
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: BTreeMap::new(),
        pace: None,
        private: false,
    };
    let race = races.create(new, rules().validated().expect("good rules")).await.expect("a race");
    look(races.journal()).await;
    let mut orders = orders().into_iter();
    for turn in 1..=TURNS {
        if let Some(orders) = orders.next() {
            race.order(orders, None).await.expect("orders");
            look(races.journal()).await;
        }
        race.step(TurnNo(turn), None).await.expect("a turn");
        look(races.journal()).await;
    }
    drop(race);
    races.shut_down(Duration::from_secs(60)).await.expect("the journal closes");
}

//! The scene on which the rules' tables are played: a race in memory, told in words.
//!
//! ```text
//! let mut scene = Scene::quiet();
//! let car = scene.car(1, MemoryCar::new("a", 4, 1, 3));
//! scene.plays(&["car 1 moves 4 to 4"]);
//! ```

use super::command::{Application, Arrival, Command, Refusal};
use super::event::Event;
use super::rules::{EncounterOdds, Rules};
use super::state::{Car, Encounter, Module, Race, Resources, Status, Team};
use super::turn::{self, Played};
use crate::contract::{Answer, BaseUrl, CarRequest, Fault, Kind};
use crate::ids::{CarId, CommandNo, Dollars, Square, TeamId};
use crate::memory::{Exchange, MemoryCar, MemoryWorld};
use crate::random::Seed;
use futures_util::FutureExt;

/// A race in memory.
pub(crate) struct Scene {
    pub(crate) race: Race,
    pub(crate) world: MemoryWorld,
    /// Everything that has happened, to be replayed.
    pub(crate) history: Vec<Event>,
    commands: u32,
}

impl Scene {
    /// A race under these rules, running, with teams 1, 2 and 3.
    pub(crate) fn new(rules: Rules, seed: u64) -> Scene {
        let mut scene = Scene::preparing(rules, seed);
        scene.order(Command::Start).expect("a start");
        scene
    }

    /// The same, not started yet.
    pub(crate) fn preparing(rules: Rules, seed: u64) -> Scene {
        let (race, history) = Race::create(rules.validated().expect("valid rules"), Seed(seed));
        let mut scene = Scene { race, world: MemoryWorld::default(), history, commands: 0 };
        scene.world.keep_exchanges(true);
        for name in ["Red", "Green", "Blue"] {
            scene.order(Command::CreateTeam { name: name.to_owned(), budget: None }).expect("a team");
        }
        scene
    }

    /// A race in which nothing happens by chance: no encounters, no spot checks.
    pub(crate) fn quiet() -> Scene {
        Scene::new(quiet_rules(), 1)
    }

    /// Puts a car into the race, racing on square 0, without asking it anything. Its URL is `http://` and its
    /// instance name.
    pub(crate) fn car(&mut self, team: u32, car: MemoryCar) -> CarId {
        self.car_on(team, car, 0)
    }

    /// Puts a car into the race, racing on a square.
    pub(crate) fn car_on(&mut self, team: u32, mut car: MemoryCar, square: u32) -> CarId {
        let id = CarId(u32::try_from(self.race.cars.len()).expect("few cars") + 1);
        let url = format!("http://{}", car.instance);
        car.square = square;
        let modules = Kind::ALL
            .into_iter()
            .flat_map(|kind| car.modules[&kind].iter().map(move |name| Module { kind, name: name.clone() }))
            .collect();
        let resource = |kind: Kind| format!("{}-{kind}", car.instance);
        self.happen(Event::CarRegistered {
            car: id,
            team: TeamId(team),
            instance: car.instance.clone(),
            url: BaseUrl::parse(&url).expect("a URL"),
            resources: Resources {
                engine: resource(Kind::Engine),
                pilot: resource(Kind::Pilot),
                weapon: resource(Kind::Weapon),
            },
            modules,
            paid: Dollars(0),
        });
        self.happen(Event::CarStarted { car: id });
        if square > 0 {
            self.happen(Event::CarCorrected {
                car: id,
                reason: "the scene".to_owned(),
                square: Some(Square(square)),
                turns_to_miss: None,
                modules: None,
                reinstated: false,
            });
        }
        self.world.park(&url, car);
        id
    }

    /// Parks a car that is not in the race at `http://` and its instance name.
    pub(crate) fn park(&self, car: MemoryCar) {
        self.world.park(&format!("http://{}", car.instance), car);
    }

    /// Lets something happen.
    pub(crate) fn happen(&mut self, event: Event) {
        self.race.apply(&event);
        self.history.push(event);
    }

    /// Gives a car turns to miss.
    pub(crate) fn misses(&mut self, car: CarId, turns: u32) {
        self.happen(Event::CarCorrected {
            car,
            reason: "the scene".to_owned(),
            square: None,
            turns_to_miss: Some(turns),
            modules: None,
            reinstated: false,
        });
    }

    /// Declares what all cars meet in the next turn.
    pub(crate) fn declare(&mut self, encounter: Encounter) {
        self.order(Command::Declare { encounter, cars: None }).expect("a declaration");
    }

    /// A command between two turns; what happened, in words.
    pub(crate) fn order(&mut self, command: Command) -> Result<Vec<String>, Refusal> {
        self.commands += 1;
        let arrival = Arrival { no: CommandNo(self.commands), command };
        let events = super::command::decide(&self.race, &self.world, arrival)
            .now_or_never()
            .expect("the world in memory never waits")?;
        Ok(self.take(events))
    }

    /// Plays a turn; what happened, in words.
    pub(crate) fn turn(&mut self) -> Vec<String> {
        self.turn_with(&[]).0
    }

    /// Plays a turn after commands that had arrived; what happened, in words, and what became of the commands.
    pub(crate) fn turn_with(&mut self, commands: &[Command]) -> (Vec<String>, Vec<Result<(), Refusal>>) {
        let inbox: Vec<Arrival> = commands
            .iter()
            .map(|command| {
                self.commands += 1;
                Arrival { no: CommandNo(self.commands), command: command.clone() }
            })
            .collect();
        let Played { events, settled } = turn::play(&self.race, &self.world, &inbox)
            .now_or_never()
            .expect("the world in memory never waits")
            .expect("the race is running");
        (self.take(events), settled)
    }

    fn take(&mut self, events: Vec<Event>) -> Vec<String> {
        for event in &events {
            self.race.apply(event);
        }
        let words = events.iter().map(ToString::to_string).collect();
        self.history.extend(events);
        let replayed = Race::from_events(&self.history).expect("a race");
        assert_eq!(replayed, self.race, "replaying the events gives the live state");
        words
    }

    /// Plays a turn; what happened, without what happens in every turn and without the medals (R-9).
    pub(crate) fn told(&mut self) -> Vec<String> {
        let mut told = self.turn();
        told.retain(|line| !ALWAYS.iter().chain(&["team "]).any(|always| line.starts_with(always)));
        told
    }

    /// A car in a few words: `on 4, 1 to miss, 0 won, racing with 4 1 3`.
    pub(crate) fn sums_up(&self, car: CarId) -> String {
        let car = self.the(car);
        let counts = Kind::ALL.map(|kind| car.count(kind).to_string()).join(" ");
        let status = match &car.status {
            Status::Entered => "entered".to_owned(),
            Status::Racing => "racing".to_owned(),
            Status::Retired { reason, turn } => format!("{reason} in turn {turn}"),
        };
        let (square, misses, won) = (car.square, car.turns_to_miss, car.fights_won);
        format!("on {square}, {misses} to miss, {won} won, {status} with {counts}")
    }

    /// Plays a turn, in which exactly this happens, apart from what happens in every turn: its start and end, the
    /// priority and the score.
    #[track_caller]
    pub(crate) fn plays(&mut self, expected: &[&str]) {
        let happened = self.turn();
        check(&happened, expected);
    }

    pub(crate) fn the(&self, car: CarId) -> &Car {
        &self.race.cars[&car]
    }

    pub(crate) fn team(&self, team: u32) -> &Team {
        &self.race.teams[&TeamId(team)]
    }

    /// What was asked since the last time, as `c1: GET /engine/count`.
    pub(crate) fn asked(&self) -> Vec<String> {
        let words = |exchange: Exchange| {
            let body = exchange.request.body().map(|body| format!(" {body}")).unwrap_or_default();
            format!("{}: {}{body}", exchange.url.as_str().trim_start_matches("http://"), exchange.request)
        };
        self.world.take_exchanges().into_iter().map(words).collect()
    }

    pub(crate) fn is_racing(&self, car: CarId) -> bool {
        self.the(car).status == Status::Racing
    }
}

/// A team registers the car at `http://` and its instance name.
pub(crate) fn application(team: u32, instance: &str) -> Command {
    let url = Some(BaseUrl::parse(&format!("http://{instance}")).expect("a URL"));
    Command::Register(Application { team: TeamId(team), instance: instance.to_owned(), url })
}

/// A script that answers one request in its own way.
pub(crate) fn answers(
    to: CarRequest,
    answer: Result<Answer, Fault>,
) -> impl FnMut(&CarRequest, &mut MemoryCar) -> Option<Result<Answer, Fault>> {
    move |request, _| (*request == to).then(|| answer.clone())
}

/// The same car, which answers as told and else as CONTRACT C does: `GET /engine/count: 5; POST /engine: forgets`.
/// What is answered is a fault (`late`, `status 500`), a square (`square 3`), nothing done but all well
/// (`forgets`), or the value asked for in JSON. A star stands for the rest of a path.
pub(crate) fn saying(car: MemoryCar, script: &str) -> MemoryCar {
    let lines: Vec<(String, String)> = script
        .split(';')
        .filter_map(|line| line.split_once(": "))
        .map(|(request, answer)| (request.trim().to_owned(), answer.trim().to_owned()))
        .collect();
    car.scripted(move |request, car| {
        let asked = request.to_string();
        let is_it = |line: &str| line.strip_suffix('*').map_or(line == asked, |path| asked.starts_with(path));
        let (_, answer) = lines.iter().find(|(line, _)| is_it(line))?;
        let value = |value: &str| Ok(Answer::ok(format!("{{\"res\": {value}}}")));
        Some(match answer.split_once(' ') {
            Some(("status", status)) => {
                Ok(Answer { status: status.parse().expect("a status"), ..Answer::ok("{}") })
            }
            Some(("square", square)) => {
                let known = std::mem::replace(&mut car.square, square.parse().expect("a square"));
                let state = car.obey(request);
                car.square = known;
                Ok(state)
            }
            _ if answer == "late" => Err(Fault::Late),
            _ if answer == "forgets" => value("\"ok\""),
            _ => value(answer),
        })
    })
}

/// Rules under which nothing happens by chance.
pub(crate) fn quiet_rules() -> Rules {
    Rules {
        encounters: EncounterOdds { nothing: 100, pirates: 0, garage: 0, wreck: 0, minefield: 0 },
        spot_check_percent: 0,
        ..Rules::balanced()
    }
}

/// What happens in every turn.
const ALWAYS: [&str; 3] = ["turn ", "priority: ", "score: "];

/// What a question of this kind was expected to find, where `found` was found instead.
pub(crate) fn expected_of(request: &CarRequest, found: &str) -> &'static str {
    if found.starts_with("the answer was") { request.wanted() } else { "a valid answer" }
}

/// Compares what happened with what was expected, leaving out what happens in every turn.
#[track_caller]
pub(crate) fn check(happened: &[String], expected: &[&str]) {
    let told: Vec<&str> = happened
        .iter()
        .map(String::as_str)
        .filter(|line| !ALWAYS.iter().any(|always| line.starts_with(always)))
        .collect();
    assert_eq!(
        told,
        expected,
        "\nhappened:\n  {}\nexpected:\n  {}\n",
        told.join("\n  "),
        expected.join("\n  ")
    );
}

#[test]
fn a_whole_race_in_memory() {
    let mut scene = Scene::new(Rules { max_turns: Some(60), ..Rules::balanced() }, 7);
    for (team, name) in [(1, "a"), (2, "b"), (3, "c"), (1, "d"), (2, "e"), (3, "f")] {
        scene.car(
            team,
            MemoryCar {
                fights: true,
                crosses_mines: true,
                buys: Some(Kind::Engine),
                ..MemoryCar::new(name, 4, 2, 3)
            },
        );
    }
    let mut lines = Vec::new();
    for _ in 0..60 {
        if scene.race.is_finished() {
            break;
        }
        lines.extend(scene.turn());
    }
    eprintln!("{}", lines.join("\n"));
    assert!(scene.race.is_finished());
}

/// The future of a turn can be given to another thread.
#[test]
fn a_turn_is_send() {
    fn is_send<T: Send>(_: &T) {}
    let scene = Scene::quiet();
    is_send(&turn::play(&scene.race, &scene.world, &[]));
    let arrival = Arrival { no: CommandNo(1), command: Command::Pause };
    is_send(&super::command::decide(&scene.race, &scene.world, arrival));
}

//! A race over HTTP, set up and played by a test: cars and AIs on ports of the loopback, and what was asked of them.
//!
//! ```text
//! let mut stage = Stage::new("race", rules());
//! let team = stage.team("Red").await;
//! let car = stage.enter(team, "red-1", car.url()).await;
//! let turn = stage.turn(vec![]).await;
//! ```

use axum::Router;
use car_reference::{Car, CarSettings, StrategyName};
use gm_core::contract::{Answer, BaseUrl, DuelUrl, Fault, Modules};
use gm_core::ids::{CarId, CommandNo, Seconds, TeamId};
use gm_core::ports::Topic;
use gm_core::race::command::{Application, Arrival, decide};
use gm_core::race::rules::EncounterOdds;
use gm_core::race::state::Encounter;
use gm_core::race::{Command, Event, Race, Refusal, Rules, turn};
use gm_core::random::Seed;
use gm_grpc::drive::{Asked, CarSecrets, HttpWorld, Secret, Settings, Witness};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use test_harness::broken::{BrokenCar, Script};

/// The secret between the game master and every car of these tests (C-20).
pub(crate) const SECRET: &str = "s3cret";

/// How many races a test runs at the same time, at most: with more, healthy cars might miss their deadlines too.
pub(crate) const RACES_AT_ONCE: usize = 8;

/// The most teams of a race here.
const MOST_TEAMS: u32 = 100;

/// What a turn may take longer than the deadlines say, on a machine that is busy with something else.
pub(crate) const NOISE: Duration = Duration::from_secs(2);

/// Rules with which nothing happens by chance: no encounters, no spot checks, and what a wreck or a minefield does is
/// certain. Deadlines are short.
pub(crate) fn quiet_rules() -> Rules {
    let mut rules = Rules::balanced();
    rules.encounters = EncounterOdds { nothing: 100, pirates: 0, garage: 0, wreck: 0, minefield: 0 };
    rules.spot_check_percent = 0;
    rules.wreck.nothing = 0;
    rules.wreck.engine = 100;
    (rules.wreck.weapon, rules.wreck.pilot, rules.wreck.snakes) = (0, 0, 0);
    rules.mine.damage_percent = 100;
    rules.request_deadline_ms = 400;
    rules.move_deadline_ms = 400;
    rules.duel_limit = Seconds(600);
    rules
}

/// A race, and the world in which it is played.
pub(crate) struct Stage {
    pub(crate) world: HttpWorld,
    pub(crate) race: Race,
    /// Everything that has happened.
    pub(crate) events: Vec<Event>,
    commands: u32,
    deadline: Duration,
    asked: Arc<AskedBy>,
}

/// A turn that was played.
pub(crate) struct Turned {
    pub(crate) events: Vec<Event>,
    /// How long it took.
    pub(crate) took: Duration,
    /// How long it may take: the sum over its phases of the slowest chain's deadlines.
    pub(crate) most: Duration,
}

impl Stage {
    /// A race with these rules, seed 1 and the teams' secret known.
    pub(crate) fn new(name: &str, rules: Rules) -> Stage {
        Stage::seeded(name, rules, Seed(1))
    }

    pub(crate) fn seeded(name: &str, rules: Rules, seed: Seed) -> Stage {
        let asked = Arc::new(AskedBy::default());
        let deadline = Duration::from_millis(u64::from(rules.request_deadline_ms));
        let mut settings = Settings::new(name);
        settings.limits.car = deadline;
        settings.limits.ai = Duration::from_millis(u64::from(rules.move_deadline_ms));
        settings.witness = Arc::<AskedBy>::clone(&asked);
        let secret = |team| (TeamId(team), Secret::parse(SECRET).expect("a good secret"));
        settings.secrets = Arc::new(CarSecrets::of((1..=MOST_TEAMS).map(secret).collect()));
        let deadline = deadline.max(settings.limits.ai);
        let world = HttpWorld::new(settings).expect("good settings");
        let (race, events) = Race::create(rules.validated().expect("good rules"), seed);
        Stage { world, race, events, commands: 0, deadline, asked }
    }

    fn arrival(&mut self, command: Command) -> Arrival {
        self.commands += 1;
        Arrival { no: CommandNo(self.commands), command }
    }

    fn apply(&mut self, events: &[Event]) {
        for event in events {
            self.race.apply(event);
        }
        self.events.extend_from_slice(events);
    }

    /// A command that is not refused, and what happened.
    pub(crate) async fn command(&mut self, command: Command) -> Vec<Event> {
        let arrival = self.arrival(command);
        let events = decide(&self.race, &self.world, arrival).await.expect("not refused");
        self.apply(&events);
        events
    }

    pub(crate) async fn team(&mut self, name: &str) -> TeamId {
        self.command(Command::CreateTeam { name: name.into(), budget: None }).await;
        *self.race.teams.keys().next_back().expect("a team was created")
    }

    /// Registers a car that must be accepted.
    pub(crate) async fn enter(&mut self, team: TeamId, instance: &str, url: &BaseUrl) -> CarId {
        let events = self.command(register(team, instance, url)).await;
        let registered = events.iter().find_map(|event| match event {
            Event::CarRegistered { car, .. } => Some(*car),
            _ => None,
        });
        registered.expect("the car is registered")
    }

    /// The race starts.
    pub(crate) async fn start(&mut self) {
        self.command(Command::Start).await;
    }

    /// Declares what one car meets in the next turn.
    pub(crate) async fn declare(&mut self, encounter: Encounter, car: CarId) {
        self.command(Command::Declare { encounter, cars: Some(vec![car]) }).await;
    }

    /// Plays a turn, before which these commands came in; none of them is refused.
    pub(crate) async fn turn(&mut self, inbox: Vec<Command>) -> Turned {
        let inbox: Vec<Arrival> = inbox.into_iter().map(|command| self.arrival(command)).collect();
        self.asked.forget();
        let begin = Instant::now();
        let played = turn::play(&self.race, &self.world, &inbox).await.expect("the race runs");
        let took = begin.elapsed();
        assert_eq!(played.settled, vec![Ok::<(), Refusal>(()); inbox.len()]);
        self.apply(&played.events);
        Turned { events: played.events, took, most: self.deadline * self.asked.longest() }
    }
}

impl Turned {
    /// Penalties, and what is a punishment in its place, in words.
    pub(crate) fn verdicts(&self) -> Vec<String> {
        self.said(|event| {
            matches!(
                event,
                Event::Penalised { .. }
                    | Event::DuelForfeited { .. }
                    | Event::MinefieldAvoided { fault: Some(_), .. }
                    | Event::DeviationsAccepted { .. }
                    | Event::DuelDeviationsAccepted { .. }
            )
        })
    }

    /// Some events, in words.
    pub(crate) fn said(&self, which: impl Fn(&Event) -> bool) -> Vec<String> {
        self.events.iter().filter(|event| which(event)).map(Event::to_string).collect()
    }

    /// The turn took no longer than the sum over its phases of the slowest chain's deadlines.
    #[track_caller]
    pub(crate) fn was_in_time(&self, name: &str) {
        assert!(self.took <= self.most + NOISE, "{name}: took {:?}, not {:?}", self.took, self.most);
    }
}

/// The command by which a team registers a car.
pub(crate) fn register(team: TeamId, instance: &str, url: &BaseUrl) -> Command {
    Command::Register(Application { team, instance: instance.into(), url: Some(url.clone()) })
}

/// A bold reference car with so many engines, pilots and weapons, which misbehaves only where a script says so.
pub(crate) async fn a_car(
    instance: &str,
    modules: [u64; 3],
    ai: &DuelUrl,
    scripts: Vec<Script>,
) -> BrokenCar {
    serve(car_reference::router(Car::in_memory(bold(instance, modules, ai))), scripts).await
}

/// The settings of such a car.
pub(crate) fn bold(instance: &str, [engine, pilot, weapon]: [u64; 3], ai: &DuelUrl) -> CarSettings {
    CarSettings {
        modules: Modules { engine, pilot, weapon },
        secret: Some(SECRET.into()),
        ai_url: Some(ai.clone()),
        strategy: StrategyName::Bold,
        ..CarSettings::new(instance)
    }
}

/// Any server, behind scripts. It runs until it is dropped.
pub(crate) async fn serve(router: Router, scripts: Vec<Script>) -> BrokenCar {
    BrokenCar::start(router, scripts).await.expect("a free port")
}

/// A careful AI.
pub(crate) fn reference_ai() -> Router {
    fight_lambda_reference::server::router(fight_lambda_reference::Mind::Careful, 1)
}

/// Where the AI behind a server is.
pub(crate) fn ai_at(server: &BrokenCar) -> DuelUrl {
    DuelUrl::parse(&format!("{}/prod/action", server.url())).expect("a URL")
}

/// How many requests each conversation of a turn took.
#[derive(Default)]
struct AskedBy(Mutex<BTreeMap<(Topic, CarId), u32>>);

impl Witness for AskedBy {
    fn answered(&self, asked: &Asked<'_>, _: &Result<Answer, Fault>, _: Duration) {
        *self.lock().entry((asked.chain.topic, asked.chain.car)).or_default() += 1;
    }
}

impl AskedBy {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<(Topic, CarId), u32>> {
        self.0.lock().expect("no test panics while it holds this")
    }

    fn forget(&self) {
        self.lock().clear();
    }

    /// The sum over the phases of the most requests that went out one after the other.
    fn longest(&self) -> u32 {
        let mut phases: BTreeMap<u8, BTreeMap<CarId, u32>> = BTreeMap::new();
        for ((topic, car), requests) in &*self.lock() {
            // Cars are registered side by side, each by a command of its own.
            // In a fight the two cars, and in a duel the two AIs, may have to wait for each other. The tests that
            // look at the clock have one fight a turn.
            let (phase, chain) = match topic {
                Topic::Command(no) => (0, CarId(no.0)),
                Topic::Transfer => (1, *car),
                Topic::Track => (2, *car),
                Topic::Bonus => (3, *car),
                Topic::Fight | Topic::FightDuel => (4, CarId(0)),
                Topic::Encounter | Topic::PirateDuel => (5, *car),
                Topic::PirateMind => continue,
                Topic::SpotCheck => (6, *car),
            };
            *phases.entry(phase).or_default().entry(chain).or_default() += requests;
        }
        phases.values().filter_map(|chains| chains.values().max()).sum()
    }
}

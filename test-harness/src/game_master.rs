//! A mock game master, for a team's own tests: it plays a race with the team's car by the real rules, without a server.
//!
//! ```no_run
//! use test_harness::game_master::{Encounter, MockGameMaster};
//! # async fn my_car_is_never_penalised() -> Result<(), Box<dyn std::error::Error>> {
//! let mut gm = MockGameMaster::new("http://127.0.0.1:8080")?.secret("s3cret").seed(7);
//! gm.register().await?;
//! gm.turns(3).await?;
//! gm.meets(Encounter::Garage).await?;
//! gm.fights().await?;
//! gm.assert_no_penalty();
//! # Ok(())
//! # }
//! ```
//!
//! The rules are those of the game master (`gm_core::race`), the car is asked over HTTP with its deadline, secret and ids
//! (C-20, C-21), one request at a time (C-23), and so is its duel AI, at the URL that the car gives (C-16). Whom it meets
//! is in memory: an opponent's car that wants to fight, and pirates who are careful (R-5.1). The car is left where the
//! race has brought it, with the modules that it has by then.

use crate::client::{
    Ask, BadPlace, BadSecret, Client, DEADLINE, Exchange, Got, REQUEST_ID, SECRET, car_url, check_secret,
    place_and_path,
};
use crate::stop::Stop;
use fight_lambda_reference::Mind;
use futures_util::FutureExt;
use gm_core::contract::duel::SEEN_HEADER;
use gm_core::contract::{Answer, BaseUrl, CarRequest, DuelQuestion, DuelUrl, Envelope, Fault, Kind, Modules};
use gm_core::ids::{CarId, CommandNo, Dollars, Seconds, Square, TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryDuelClock, MemoryLine, MemoryWorld};
use gm_core::ports::{Car, Chain, DuelAi, Duellist, Inspector, InspectorFault, World};
use gm_core::race::command::{Application, Arrival, CarCorrection, Command, NewStanding, Refusal, decide};
use gm_core::race::event::{Breach, Check};
use gm_core::race::state::BonusPlan;
pub use gm_core::race::state::Encounter;
use gm_core::race::{Event, Race, Rules, turn};
use gm_core::random::Seed;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Mutex;

/// The team whose car is played with.
pub const TEAM: TeamId = TeamId(1);

/// The team of the opponent.
pub const OPPONENTS: TeamId = TeamId(2);

/// Where the opponent is, in memory.
const OPPONENT: &str = "http://opponent.memory";

/// Where the opponent's AI is, in memory.
const OPPONENTS_AI: &str = "http://opponent.memory/action";

/// The opponent's modules: few enough weapons that it may lose.
const OPPONENTS_MODULES: [u32; 3] = [1, 3, 3];

/// Why a race with the car can't go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotGoOn {
    /// The car says of itself what can't be.
    #[error("the car's URL can't be used: {0}")]
    BadPlace(#[from] BadPlace),
    /// The secret can't be sent (C-20).
    #[error("the secret can't be sent: {0}")]
    BadSecret(#[from] BadSecret),
    /// The car was not registered (R-2.3): every reason.
    #[error("the car is not registered: {}", .0.join("; "))]
    NotRegistered(Vec<String>),
    /// There is no car in the race yet.
    #[error("the car is not in the race: register it first")]
    NoCar,
    /// The car is out of the race.
    #[error("the car is out of the race: {0}")]
    Retired(String),
    /// The rules refuse it.
    #[error("{0}")]
    Refused(String),
}

/// A penalty that the car was given (R-7.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Penalty {
    /// In which turn.
    pub turn: TurnNo,
    /// What was expected and found.
    pub breach: Breach,
    /// The number of the exchange that shows it, by its place among all of them; none for what an inspector saw.
    pub exchange: Option<usize>,
}

impl fmt::Display for Penalty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {}: {}", self.turn, self.breach)
    }
}

/// A race with a team's car.
pub struct MockGameMaster {
    race: Race,
    world: HalfWorld,
    instance: Option<String>,
    commands: u32,
    car: Option<CarId>,
    opponent: Option<CarId>,
    events: Vec<Event>,
    penalties: Vec<Penalty>,
}

impl MockGameMaster {
    /// A race in which nobody is yet, with seed 1: the odds are those of `balanced`, but nothing is met unless it is asked
    /// for, and spot checks are made in each turn.
    ///
    /// # Errors
    /// [`BadPlace`] if the car's URL is none.
    pub fn new(url: &str) -> Result<MockGameMaster, BadPlace> {
        let base = car_url(url)?;
        let client = Client::new(base.as_str())?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let shared = Shared {
            client,
            secret: None,
            deadline: DEADLINE,
            name: format!("mock{}", since.as_millis()),
            exchanges: Vec::new(),
            besides: None,
            stop: Stop::default(),
        };
        let memory = MemoryWorld::default();
        memory.teach_pirates(|question| Ok(careful_answer(question)));
        memory.teach(OPPONENTS_AI, |question| Ok(careful_answer(question)));
        let world = HalfWorld { base, partly: false, shared: Arc::new(Mutex::new(shared)), memory };
        let mut gm = MockGameMaster {
            race: race(rules(), 1),
            world,
            instance: None,
            commands: 0,
            car: None,
            opponent: None,
            events: Vec::new(),
            penalties: Vec::new(),
        };
        gm.people();
        Ok(gm)
    }

    /// The secret that is sent to the car (C-20). Whether it can be sent is said at the registration.
    #[must_use]
    pub fn secret(self, secret: &str) -> MockGameMaster {
        self.with_shared(|shared| {
            shared.client.hide(secret);
            shared.secret = Some(secret.to_owned());
        })
    }

    /// How long the car and its AI may take for one answer (C-21, A-3).
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> MockGameMaster {
        self.with_shared(|shared| shared.deadline = deadline)
    }

    /// The same, which asks nothing from the moment on when it is told to stop: what it would have asked has no answer.
    #[must_use]
    pub fn heeding(self, stop: &Stop) -> MockGameMaster {
        self.with_shared(|shared| {
            shared.stop = stop.clone();
            shared.client.heed(stop);
        })
    }

    /// Modules that are in the car and that the race knows nothing of: it neither counts nor loses them. Those that it
    /// does know, the car was given by these names, one after the other, before it is registered.
    #[must_use]
    pub fn besides(self, modules: Modules, known: BTreeMap<Kind, Vec<String>>) -> MockGameMaster {
        let mut gm = self.with_shared(|shared| shared.besides = Some(Besides { modules, known }));
        gm.world.partly = true;
        gm
    }

    /// The instance name under which the car is registered; without it, the one that it gives itself.
    #[must_use]
    pub fn instance(self, instance: &str) -> MockGameMaster {
        MockGameMaster { instance: Some(instance.to_owned()), ..self }
    }

    /// Another seed: other dice (R-10.5). Before the car is registered.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> MockGameMaster {
        self.race = race(Rules::from(self.race.rules.clone()), seed);
        self.people();
        self
    }

    /// Other rules, before the car is registered.
    ///
    /// # Errors
    /// [`CannotGoOn::Refused`] with all that is wrong with them.
    pub fn rules(mut self, rules: Rules) -> Result<MockGameMaster, CannotGoOn> {
        let valid = rules.validated().map_err(|bad| CannotGoOn::Refused(bad.to_string()))?;
        self.race = race(Rules::from(valid), self.race.seed.0);
        self.people();
        Ok(self)
    }

    fn with_shared(self, change: impl FnOnce(&mut Shared)) -> MockGameMaster {
        if let Ok(mut shared) = self.world.shared.try_lock() {
            change(&mut shared);
            let deadline = shared.deadline;
            shared.client.wait_for(deadline);
        }
        self
    }

    /// The two teams.
    fn people(&mut self) {
        for name in ["The team", "The opponents"] {
            let command = Command::CreateTeam { name: name.to_owned(), budget: None };
            let arrival = self.arrival(command);
            let created = decide(&self.race, &self.world, arrival).now_or_never();
            if let Some(Ok(events)) = created {
                self.happen(events);
            }
        }
    }

    fn arrival(&mut self, command: Command) -> Arrival {
        self.commands += 1;
        Arrival { no: CommandNo(self.commands), command }
    }

    fn happen(&mut self, events: Vec<Event>) {
        for event in &events {
            self.race.apply(event);
        }
        self.events.extend(events);
    }

    /// Orders something, as the admin would. What follows from it, penalties included, is noted.
    ///
    /// # Errors
    /// [`CannotGoOn::Refused`] if the rules refuse it.
    pub async fn order(&mut self, command: Command) -> Result<Vec<Event>, CannotGoOn> {
        let arrival = self.arrival(command);
        let before = self.world.shared.lock().await.exchanges.len();
        let decided = decide(&self.race, &self.world, arrival).await;
        let events = decided.map_err(|refusal: Refusal| CannotGoOn::Refused(refusal.to_string()))?;
        self.note_penalties(&events, before).await;
        self.happen(events.clone());
        Ok(events)
    }

    /// Registers the car (R-2), and starts the race.
    ///
    /// # Errors
    /// [`CannotGoOn::NotRegistered`] with every reason; [`CannotGoOn::BadSecret`].
    pub async fn register(&mut self) -> Result<CarId, CannotGoOn> {
        if let Some(secret) = &self.world.shared.lock().await.secret {
            check_secret(secret)?;
        }
        let instance = match self.instance.clone() {
            Some(instance) => instance,
            None => self.own_name().await?,
        };
        let application = Application { team: TEAM, instance, url: Some(self.world.base.clone()) };
        let events = self.order(Command::Register(application)).await?;
        let mut reasons = Vec::new();
        for event in events {
            match event {
                Event::CarRegistered { car, .. } => {
                    self.car = Some(car);
                    self.order(Command::Start).await?;
                    return Ok(car);
                }
                Event::RegistrationRefused { reasons: because, .. } => {
                    reasons.extend(because.iter().map(ToString::to_string));
                }
                _ => {}
            }
        }
        Err(CannotGoOn::NotRegistered(reasons))
    }

    /// The name that the car gives itself.
    async fn own_name(&self) -> Result<String, CannotGoOn> {
        let chain =
            Chain { turn: TurnNo(0), topic: gm_core::ports::Topic::Command(CommandNo(0)), car: CarId(0) };
        let state = self.world.car(chain, TEAM, &self.world.base).state().await;
        let fault = match state {
            Ok(taken) => return Ok(taken.value.name),
            Err(fault) => fault,
        };
        let shared = self.world.shared.lock().await;
        let because = shared.exchanges.last().and_then(Exchange::fault_in_words);
        let told = because.unwrap_or_else(|| fault.to_string());
        Err(CannotGoOn::NotRegistered(vec![format!("GET /state: {told}")]))
    }

    /// Plays one turn (R-3). Gives what happened.
    ///
    /// # Errors
    /// [`CannotGoOn`] if the car is not in the race.
    pub async fn turn(&mut self) -> Result<Vec<Event>, CannotGoOn> {
        self.is_racing()?;
        let before = self.world.shared.lock().await.exchanges.len();
        let played = turn::play(&self.race, &self.world, &[]).await;
        let played = played.map_err(|refusal| CannotGoOn::Refused(refusal.to_string()))?;
        self.note_penalties(&played.events, before).await;
        self.happen(played.events.clone());
        Ok(played.events)
    }

    /// Plays so many turns.
    ///
    /// # Errors
    /// As [`turn`](MockGameMaster::turn).
    pub async fn turns(&mut self, turns: u32) -> Result<(), CannotGoOn> {
        for _ in 0..turns {
            self.turn().await?;
        }
        Ok(())
    }

    /// Plays a turn in which the car meets this (R-5), and misses no turn before.
    ///
    /// # Errors
    /// As [`turn`](MockGameMaster::turn).
    pub async fn meets(&mut self, encounter: Encounter) -> Result<Vec<Event>, CannotGoOn> {
        let car = self.is_racing()?;
        self.ready(car).await?;
        self.order(Command::Declare { encounter, cars: Some(vec![car]) }).await?;
        self.turn().await
    }

    /// Plays a turn in which an opponent who wants to fight stands where the car gets to (R-4).
    ///
    /// # Errors
    /// As [`turn`](MockGameMaster::turn).
    pub async fn fights(&mut self) -> Result<Vec<Event>, CannotGoOn> {
        let car = self.is_racing()?;
        self.ready(car).await?;
        let opponent = self.opponent().await?;
        let to = self.race.cars.get(&car).map_or(Square(0), |car| {
            let engines = car.count(Kind::Engine);
            car.square.forward(u32::try_from(engines).unwrap_or(u32::MAX))
        });
        // It waits there: it misses the turn.
        let [engine, pilot, weapon] = OPPONENTS_MODULES.map(u64::from);
        let place = CarCorrection {
            square: Some(to),
            turns_to_miss: Some(1),
            modules: Some(Modules { engine, pilot, weapon }),
            ..correction(opponent)
        };
        self.order(Command::CorrectCar(place)).await?;
        self.turn().await
    }

    /// Lets a bonus lie where the car gets to, and plays the turn in which it takes it (R-12).
    ///
    /// # Errors
    /// As [`turn`](MockGameMaster::turn).
    pub async fn takes_bonus(
        &mut self,
        effect: gm_core::race::state::BonusEffect,
    ) -> Result<Vec<Event>, CannotGoOn> {
        let car = self.is_racing()?;
        self.ready(car).await?;
        let Some(state) = self.race.cars.get(&car) else { return Err(CannotGoOn::NoCar) };
        let engines = u32::try_from(state.count(Kind::Engine)).unwrap_or(u32::MAX);
        let place = state.square.forward(engines).place(self.race.rules.track_length);
        let often = gm_core::race::state::Often::Once;
        let there = self.race.bonuses.get(&place).map(|bonus| bonus.id);
        if let Some(there) = there {
            self.order(Command::RemoveBonus(there)).await?;
        }
        self.order(Command::PlaceBonus(BonusPlan { place, effect, often, hidden: false })).await?;
        self.turn().await
    }

    /// Corrects the car, as the jury would (R-10.3).
    ///
    /// # Errors
    /// [`CannotGoOn::Refused`] if the rules refuse it.
    pub async fn corrects(
        &mut self,
        square: Option<Square>,
        modules: Option<Modules>,
    ) -> Result<(), CannotGoOn> {
        let car = self.car.ok_or(CannotGoOn::NoCar)?;
        let correction = CarCorrection { square, modules, ..correction(car) };
        self.order(Command::CorrectCar(correction)).await?;
        Ok(())
    }

    /// Takes the car out of the race (R-7.4), or puts it back (R-10.3).
    ///
    /// # Errors
    /// [`CannotGoOn::Refused`] if the rules refuse it.
    pub async fn stands(&mut self, standing: NewStanding) -> Result<(), CannotGoOn> {
        let car = self.car.ok_or(CannotGoOn::NoCar)?;
        let standing = CarCorrection { standing: Some(standing), ..correction(car) };
        self.order(Command::CorrectCar(standing)).await?;
        Ok(())
    }

    /// The car takes part in the next turn: it has no turn to miss.
    async fn ready(&mut self, car: CarId) -> Result<(), CannotGoOn> {
        if self.race.cars.get(&car).is_some_and(|car| car.turns_to_miss > 0) {
            let ready = CarCorrection { turns_to_miss: Some(0), ..correction(car) };
            self.order(Command::CorrectCar(ready)).await?;
        }
        Ok(())
    }

    /// The opponent's car, registered when it is first needed, and again when it has lost too much.
    async fn opponent(&mut self) -> Result<CarId, CannotGoOn> {
        let there = self.opponent.filter(|id| self.race.cars.get(id).is_some_and(|car| !car.is_retired()));
        if let Some(there) = there {
            return Ok(there);
        }
        let number = self.commands;
        let name = format!("opponent-{number}");
        let url = format!("{OPPONENT}/{number}");
        let [engines, pilots, weapons] = OPPONENTS_MODULES;
        let car = MemoryCar {
            fights: true,
            duel_url: Some(OPPONENTS_AI.to_owned()),
            ..MemoryCar::new(&name, engines, pilots, weapons)
        };
        self.world.memory.park(&url, car);
        let url = BaseUrl::parse(&url).map_err(|_| CannotGoOn::NoCar)?;
        let application = Application { team: OPPONENTS, instance: name, url: Some(url) };
        self.order(Command::Grant { team: OPPONENTS, dollars: Dollars(100) }).await?;
        let events = self.order(Command::Register(application)).await?;
        let registered = events.iter().find_map(|event| match event {
            Event::CarRegistered { car, .. } => Some(*car),
            _ => None,
        });
        self.opponent = registered;
        registered.ok_or(CannotGoOn::NoCar)
    }

    fn is_racing(&self) -> Result<CarId, CannotGoOn> {
        let id = self.car.ok_or(CannotGoOn::NoCar)?;
        let car = self.race.cars.get(&id).ok_or(CannotGoOn::NoCar)?;
        if !car.is_retired() {
            return Ok(id);
        }
        let why = self.events.iter().rev().find_map(|event| match event {
            Event::CarRetired { car, reason } if *car == id => Some(format!("{reason:?}")),
            _ => None,
        });
        Err(CannotGoOn::Retired(why.unwrap_or_default()))
    }

    /// Whether the car is in the race.
    #[must_use]
    pub fn is_in_race(&self) -> bool {
        self.is_racing().is_ok()
    }

    async fn note_penalties(&mut self, events: &[Event], before: usize) {
        let mut number = self.race.turn;
        for event in events {
            match event {
                Event::TurnStarted { turn } => number = *turn,
                Event::Penalised { car, breach } if Some(*car) == self.car => {
                    let exchange = self.shown_by(breach, before).await;
                    self.penalties.push(Penalty { turn: number, breach: breach.clone(), exchange });
                }
                _ => {}
            }
        }
    }

    /// The last exchange that asks what a breach was found by.
    async fn shown_by(&self, breach: &Breach, before: usize) -> Option<usize> {
        let Check::Asked(request) = &breach.check else { return None };
        let shared = self.world.shared.lock().await;
        let asks = |exchange: &Exchange| {
            exchange.ask.method == request.method() && exchange.ask.path == request.path()
        };
        let found = shared.exchanges.iter().enumerate().skip(before).filter(|(_, exchange)| asks(exchange));
        found.last().map(|(index, _)| index)
    }

    /// The race as it is now.
    #[must_use]
    pub fn race(&self) -> &Race {
        &self.race
    }

    /// The car, when it is registered.
    #[must_use]
    pub fn car(&self) -> Option<&gm_core::race::Car> {
        self.race.cars.get(&self.car?)
    }

    /// Everything that has happened, in order.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Everything that has happened, in words.
    #[must_use]
    pub fn happened(&self) -> Vec<String> {
        self.events.iter().map(ToString::to_string).collect()
    }

    /// The penalties of the car.
    #[must_use]
    pub fn penalties(&self) -> &[Penalty] {
        &self.penalties
    }

    /// Everything that the car and its AI were asked, in order.
    pub async fn exchanges(&self) -> Vec<Exchange> {
        self.world.shared.lock().await.exchanges.clone()
    }

    /// Fails a test with every penalty that the car was given.
    ///
    /// # Panics
    /// If there is one.
    pub fn assert_no_penalty(&self) {
        let told: Vec<String> = self.penalties.iter().map(ToString::to_string).collect();
        assert!(told.is_empty(), "the car was penalised (R-7.1):\n{}", told.join("\n"));
    }
}

/// The rules of a mock race: nothing is met by chance, and every car is checked in each turn.
fn rules() -> Rules {
    let balanced = Rules::balanced();
    let encounters =
        gm_core::race::rules::EncounterOdds { nothing: 100, pirates: 0, garage: 0, wreck: 0, minefield: 0 };
    Rules { encounters, spot_check_percent: 100, meet_again: true, max_turns: None, ..balanced }
}

fn race(rules: Rules, seed: u64) -> Race {
    let valid = rules.validated().expect("rules that were valid, and those of `rules`, are");
    Race::create(valid, Seed(seed)).0
}

fn correction(car: CarId) -> CarCorrection {
    CarCorrection {
        car,
        reason: "as the test wants it".to_owned(),
        square: None,
        turns_to_miss: None,
        modules: None,
        standing: None,
    }
}

fn careful_answer(question: &DuelQuestion) -> Answer {
    let res = Mind::Careful.wake(1).play(question);
    Answer::ok(serde_json::to_vec(&Envelope { res }).unwrap_or_default())
}

/// A world in which the team's car is reached over HTTP, and all others are in memory.
struct HalfWorld {
    base: BaseUrl,
    /// Whether the race knows only a part of the car's modules.
    partly: bool,
    shared: Arc<Mutex<Shared>>,
    memory: MemoryWorld,
}

/// The one way to the team's car.
struct Shared {
    client: Client,
    secret: Option<String>,
    deadline: Duration,
    name: String,
    exchanges: Vec<Exchange>,
    besides: Option<Besides>,
    stop: Stop,
}

/// A car of whose modules the race knows only some.
struct Besides {
    /// How many it does not know.
    modules: Modules,
    /// The names of those that it knows, as the car was told them.
    known: BTreeMap<Kind, Vec<String>>,
}

impl Besides {
    /// The request with a name that the car was told. Pilots have names that are the game master's own (R-1.3): one that
    /// the car was never told would be another pilot of the team's, or none.
    fn as_told(&self, request: &CarRequest) -> CarRequest {
        let CarRequest::Lose { kind: Kind::Pilot, name } = request else { return request.clone() };
        let pilots = self.known.get(&Kind::Pilot).map_or(&[][..], Vec::as_slice);
        // Those that it was told first are those that the race knows by names of its own.
        let told = if pilots.contains(name) { None } else { pilots.first() };
        CarRequest::Lose { kind: Kind::Pilot, name: told.unwrap_or(name).clone() }
    }

    /// The request as it is to be sent: a count is one of all modules.
    fn outward(&self, request: &CarRequest) -> CarRequest {
        match request {
            CarRequest::SetCount { kind, count } => {
                CarRequest::SetCount { kind: *kind, count: count.saturating_add(self.modules.of(*kind)) }
            }
            other => other.clone(),
        }
    }

    /// The answer as the rules see it: without the modules that they don't know.
    fn inward(&self, request: &CarRequest, answer: Answer) -> Answer {
        let Ok(mut body) = serde_json::from_slice::<Value>(&answer.body) else { return answer };
        // A count that is taken although it is written otherwise (C-22) stays written so.
        let less = |value: &mut Value, kind: Kind| {
            let besides = self.modules.of(kind);
            if let Some(count) = value.as_u64() {
                *value = count.saturating_sub(besides).into();
            } else if let Some(count) = value.as_str().and_then(|text| text.parse::<u64>().ok()) {
                *value = count.saturating_sub(besides).to_string().into();
            } else if let Some(count) = value.as_f64() {
                *value = (count - besides as f64).into();
            }
        };
        match request {
            CarRequest::Count(kind) => match body.get_mut("res") {
                Some(count) => less(count, *kind),
                None => less(&mut body, *kind),
            },
            CarRequest::State => {
                for kind in Kind::ALL {
                    if let Some(count) = body.pointer_mut(&format!("/modules/{kind}")) {
                        less(count, kind);
                    }
                }
            }
            _ => return answer,
        }
        Answer { body: body.to_string().into_bytes(), ..answer }
    }

    /// What the car was told has become of its modules.
    fn follow(&mut self, request: &CarRequest) {
        match request {
            CarRequest::Gain { kind, name } => {
                let names = self.known.entry(*kind).or_default();
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            CarRequest::Lose { kind, name } => {
                self.known.entry(*kind).or_default().retain(|known| known != name);
            }
            _ => {}
        }
    }
}

/// Reads the names of the modules that the race knows, where it does not know all.
struct KnownNames(Arc<Mutex<Shared>>);

impl KnownNames {
    async fn of(&self, kind: Kind) -> Vec<String> {
        let shared = self.0.lock().await;
        shared.besides.as_ref().and_then(|besides| besides.known.get(&kind)).cloned().unwrap_or_default()
    }
}

impl Inspector for KnownNames {
    async fn engines(&mut self, _: &str) -> Result<Vec<String>, InspectorFault> {
        Ok(self.of(Kind::Engine).await)
    }

    async fn pilots(&mut self, _: &str) -> Result<u64, InspectorFault> {
        Ok(self.of(Kind::Pilot).await.len() as u64)
    }

    async fn weapons(&mut self, _: &str) -> Result<Vec<String>, InspectorFault> {
        Ok(self.of(Kind::Weapon).await)
    }
}

/// A conversation with a car of either kind.
enum AnyCar {
    Http { shared: Arc<Mutex<Shared>>, chain: Chain, asked: u32 },
    Memory(MemoryLine),
}

impl Car for AnyCar {
    async fn exchange(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
        match self {
            AnyCar::Memory(line) => line.exchange(request).await,
            AnyCar::Http { shared, chain, asked } => {
                *asked += 1;
                let mut shared = shared.lock().await;
                let id = format!("{}-{chain}-{asked}", shared.name);
                let sent = match &mut shared.besides {
                    Some(besides) => {
                        let told = besides.as_told(request);
                        besides.follow(&told);
                        besides.outward(&told)
                    }
                    None => request.clone(),
                };
                let mut ask = Ask::new(sent.method(), &sent.path()).header(REQUEST_ID, &id);
                if let Some(secret) = &shared.secret {
                    ask = ask.header(SECRET, secret);
                }
                if let Some(body) = sent.body() {
                    ask = ask.json(&body);
                }
                let exchange = shared.client.exchange(ask).await;
                let answer = exchange.answer().map(Got::answer);
                shared.exchanges.push(exchange);
                match &shared.besides {
                    Some(besides) => answer.map(|answer| besides.inward(request, answer)),
                    None => answer,
                }
            }
        }
    }

    /// There is no grace in a mock race (R-7.8).
    async fn wait_to_ask_again(&mut self, _: u32, _: Seconds) -> bool {
        false
    }
}

/// A conversation with an AI of either kind.
enum AnyAi {
    Http { shared: Arc<Mutex<Shared>>, chain: Chain, url: DuelUrl, client: Option<Box<Client>>, asked: u32 },
    Memory(gm_core::memory::MemoryDuelAi),
}

impl DuelAi for AnyAi {
    async fn exchange(&mut self, question: &DuelQuestion) -> Result<Answer, Fault> {
        match self {
            AnyAi::Memory(ai) => ai.exchange(question).await,
            AnyAi::Http { shared, chain, url, client, asked } => {
                let mut shared = shared.lock().await;
                let whole = question.url(url);
                let (place, path) = place_and_path(&whole);
                let client = match client {
                    Some(client) => client,
                    None => {
                        let new = Client::new(place).map_err(|_| Fault::Unreachable)?;
                        client.insert(Box::new(new.deadline(shared.deadline).heeding(&shared.stop)))
                    }
                };
                *asked += 1;
                let id = format!("{}-{chain}-{asked}", shared.name);
                let mut ask = Ask::new("GET", path).header(REQUEST_ID, &id);
                if let Some(seen) = &question.seen {
                    ask = ask.header(SEEN_HEADER, &seen.header());
                }
                let exchange = client.exchange(ask).await;
                let answer = exchange.answer().map(Got::answer);
                shared.exchanges.push(exchange);
                answer
            }
        }
    }
}

impl World for HalfWorld {
    type Car = AnyCar;
    type DuelAi = AnyAi;
    type Inspector = KnownNames;
    type DuelClock = MemoryDuelClock;

    fn car(&self, chain: Chain, team: TeamId, url: &BaseUrl) -> AnyCar {
        if *url == self.base {
            AnyCar::Http { shared: Arc::clone(&self.shared), chain, asked: 0 }
        } else {
            AnyCar::Memory(self.memory.car(chain, team, url))
        }
    }

    fn duel(&self, duellists: [Duellist; 2], limit: Seconds) -> ([AnyAi; 2], MemoryDuelClock) {
        let (memory, clock) = self.memory.duel(duellists.clone(), limit);
        let mut memory = memory.into_iter();
        let ais = duellists.map(|duellist| {
            let in_memory = memory.next().expect("as many as there are duellists");
            match duellist {
                Duellist::Car { chain, team: TEAM, url } => {
                    AnyAi::Http { shared: Arc::clone(&self.shared), chain, url, client: None, asked: 0 }
                }
                _ => AnyAi::Memory(in_memory),
            }
        });
        (ais, clock)
    }

    fn inspector(&self, _: Chain, team: TeamId) -> Option<KnownNames> {
        (team == TEAM && self.partly).then(|| KnownNames(Arc::clone(&self.shared)))
    }

    async fn resolve(&self, chain: Chain, team: TeamId, instance: &str) -> Option<BaseUrl> {
        self.memory.resolve(chain, team, instance).await
    }

    async fn running_time_is_up(&self, turn: TurnNo, limit: Seconds) -> bool {
        World::running_time_is_up(&self.memory, turn, limit).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broken::{BrokenCar, Defect, Script};
    use car_reference::{Car as ReferenceCar, CarSettings, StrategyName};
    use fight_lambda_reference::server;
    use gm_core::race::state::BonusEffect;
    use tokio::net::TcpListener;

    async fn an_ai() -> DuelUrl {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(server::serve(listener, Mind::Careful, 1));
        DuelUrl::parse(&format!("http://{address}/action")).expect("a URL")
    }

    async fn a_car(scripts: Vec<Script>) -> BrokenCar {
        let settings = CarSettings {
            secret: Some("s3cret".into()),
            ai_url: Some(an_ai().await),
            modules: Modules { engine: 3, pilot: 3, weapon: 3 },
            strategy: StrategyName::Bold,
            ..CarSettings::new("i-0abc")
        };
        let router = car_reference::router(ReferenceCar::in_memory(settings));
        BrokenCar::start(router, scripts).await.expect("a port")
    }

    fn gm(car: &BrokenCar) -> MockGameMaster {
        MockGameMaster::new(car.url().as_str()).expect("a place").secret("s3cret").seed(7)
    }

    /// C-23 and R-7: a healthy car goes through everything without a penalty, and is asked one thing at a time.
    #[tokio::test]
    async fn r_7_a_healthy_car_is_never_penalised() {
        let car = a_car(vec![]).await;
        let mut gm = gm(&car);
        gm.register().await.expect("a car as it should be");
        gm.turns(2).await.expect("two turns");
        for encounter in [Encounter::Wreck, Encounter::Garage, Encounter::Minefield, Encounter::Pirates] {
            let events = gm.meets(encounter).await.expect("a turn");
            let met = |event: &Event| matches!(event, Event::EncounterMet { encounter: it, .. } if *it == encounter);
            assert!(events.iter().any(met), "{encounter:?}: {events:?}");
        }
        let events = gm.fights().await.expect("a turn");
        assert!(events.iter().any(|event| matches!(event, Event::DuelPlayed { .. })), "{events:?}");
        gm.takes_bonus(BonusEffect::Module(Kind::Engine)).await.expect("a turn");
        gm.corrects(Some(Square(5)), Some(Modules { engine: 2, pilot: 2, weapon: 2 }))
            .await
            .expect("corrected");
        gm.stands(NewStanding::Retired).await.expect("out");
        assert!(matches!(gm.turn().await, Err(CannotGoOn::Retired(_))));
        gm.stands(NewStanding::Reinstated).await.expect("back");
        gm.turn().await.expect("a turn");
        gm.assert_no_penalty();
        assert_eq!(gm.car().expect("it is there").square, Square(7));
        assert_eq!(car.most_under_way(), 1, "C-23");
        let ids: std::collections::BTreeSet<String> = car
            .requests()
            .iter()
            .map(|seen| seen.header("x-eacc-request-id").expect("an id").to_owned())
            .collect();
        assert_eq!(ids.len(), car.requests().len(), "C-20: each has an id of its own");
    }

    /// R-7.1: what a broken car is punished for, in words, with the exchange that shows it.
    #[tokio::test]
    async fn r_7_1_a_broken_car_is_penalised() {
        let wrong = Script::new(Defect::WrongCount).on("GET", "/engine/count").from(3).times(1);
        let car = a_car(vec![wrong]).await;
        let mut gm = gm(&car);
        gm.register().await.expect("a car as it should be");
        gm.turns(3).await.expect("three turns");
        let [penalty] = gm.penalties() else { panic!("{:?}", gm.penalties()) };
        assert_eq!(penalty.to_string(), "turn 2: GET /engine/count: expected 3, found 4");
        let exchanges = gm.exchanges().await;
        let shown = &exchanges[penalty.exchange.expect("an exchange")];
        assert_eq!(
            (shown.ask.path.as_str(), shown.answer().map(|got| got.text())),
            ("/engine/count", Ok(r#"{"res":4}"#.into()))
        );
    }

    #[tokio::test]
    async fn r_2_3_a_car_that_is_not_registered() {
        let car = a_car(vec![Script::new(Defect::Status500).on("GET", "/engine")]).await;
        let refused = gm(&car).register().await.expect_err("it is refused").to_string();
        assert!(refused.starts_with("the car is not registered: GET /engine"), "{refused}");
        let refused = gm(&car).instance("another").register().await.expect_err("it is refused").to_string();
        assert!(refused.contains("expected the instance name, found \"i-0abc\""), "{refused}");
        assert_eq!(gm(&car).turn().await, Err(CannotGoOn::NoCar));
        let nobody = MockGameMaster::new("http://127.0.0.1:1").expect("a place").register().await;
        assert_eq!(
            nobody.expect_err("it is refused").to_string(),
            "the car is not registered: GET /state: unreachable: the connection was refused"
        );
    }

    /// R-1.2 and C-20: what can't be sent is said, and not blamed on the car.
    #[tokio::test]
    async fn what_can_not_be_sent() {
        for (url, why) in [
            ("http://car/?x=1", "it has a query"),
            ("http://car/#a", "it has a fragment"),
            ("http://user@car", "it holds a user name or password"),
            ("car", "is no absolute http or https URL"),
        ] {
            let refused = MockGameMaster::new(url).err().expect(url).to_string();
            assert!(refused.contains(why), "{url}: {refused}");
        }
        let car = a_car(vec![]).await;
        let refused = gm(&car).secret("s3cret\n").register().await.expect_err("it is refused").to_string();
        assert_eq!(refused, "the secret can't be sent: a secret is ASCII, without blanks, and not empty");
        assert_eq!(car.requests().len(), 0);
    }

    /// R-1.3: a race that knows only some of the pilots loses one of these, and none of the team's own.
    #[test]
    fn r_1_3_pilots_are_lost_by_the_names_that_the_car_was_told() {
        let lose = |kind, name: &str| CarRequest::Lose { kind, name: name.to_owned() };
        let mut besides = Besides {
            modules: Modules { engine: 0, pilot: 1, weapon: 0 },
            known: BTreeMap::from([(Kind::Pilot, vec!["lent-1".to_owned(), "lent-2".to_owned()])]),
        };
        besides.follow(&CarRequest::Gain { kind: Kind::Pilot, name: "pilot-t3-c1-1".to_owned() });
        for (kind, name, expected) in [
            (Kind::Engine, "engine-1", "engine-1"),
            (Kind::Pilot, "pilot-t3-c1-1", "pilot-t3-c1-1"),
            (Kind::Pilot, "pilot-2", "lent-1"),
            (Kind::Pilot, "pilot-1", "lent-2"),
            (Kind::Pilot, "pilot-1", "pilot-1"),
        ] {
            let told = besides.as_told(&lose(kind, name));
            assert_eq!(told, lose(kind, expected));
            besides.follow(&told);
        }
    }
}

//! A world in memory: cars, duel AIs, inspectors and clocks that answer at once, for tests, simulations and benches.
//!
//! A [`MemoryWorld`] is the [`World`] of the ports. Its cars do what CONTRACT C asks for until a *script* says
//! otherwise, and everything that was asked is written down:
//!
//! ```
//! use gm_core::{contract::{CarRequest, Fault}, memory::{MemoryWorld, MemoryCar}};
//! let world = MemoryWorld::default();
//! world.park("http://car", MemoryCar::new("i-1", 4, 1, 3).scripted(|request, _| {
//!     matches!(request, CarRequest::Count(_)).then_some(Err(Fault::Late))
//! }));
//! ```

use crate::arena::Seat;
use crate::arena::duel::{Card, Hand, Plays};
use crate::contract::{Answer, BaseUrl, CarRequest, DuelQuestion, DuelUrl, Fault, Kind};
use crate::ids::{Seconds, TeamId, TurnNo};
use crate::ports::{Car, Chain, DuelAi, DuelClock, Duellist, Inspector, InspectorFault, World};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a script says to a request: an answer or fault instead of the car's own, or none.
pub type Script = Box<dyn FnMut(&CarRequest, &mut MemoryCar) -> Option<Result<Answer, Fault>> + Send>;

/// A duel AI in memory: what it answers to a question.
pub type Mind = Box<dyn FnMut(&DuelQuestion) -> Result<Answer, Fault> + Send>;

/// A car in memory.
pub struct MemoryCar {
    /// Its instance name.
    pub instance: String,
    /// The square that it was told.
    pub square: u32,
    /// The names of its modules, by kind.
    pub modules: BTreeMap<Kind, Vec<String>>,
    /// Whether it searches wrecks.
    pub searches_wrecks: bool,
    /// Whether it drives through minefields.
    pub crosses_mines: bool,
    /// What it buys in a world.
    pub buys: Option<Kind>,
    /// Whether it wants to fight.
    pub fights: bool,
    /// Where its duel AI is.
    pub duel_url: Option<String>,
    /// How many modules of a kind are really there when an inspector looks, or why it can't; what the car says is
    /// the truth where this is none.
    pub inspected: BTreeMap<Kind, Result<Vec<String>, InspectorFault>>,
    /// What is asked before it answers.
    pub script: Option<Script>,
}

impl MemoryCar {
    /// A healthy car with so many engines, pilots and weapons, that searches wrecks, goes round mines, buys nothing,
    /// does not want to fight, and has a duel AI at `http://duel.ai/first`.
    #[must_use]
    pub fn new(instance: &str, engines: u32, pilots: u32, weapons: u32) -> MemoryCar {
        let names = |kind: Kind, count| (1..=count).map(|number| format!("{kind}-{number}")).collect();
        MemoryCar {
            instance: instance.to_owned(),
            square: 0,
            modules: BTreeMap::from([
                (Kind::Engine, names(Kind::Engine, engines)),
                (Kind::Pilot, names(Kind::Pilot, pilots)),
                (Kind::Weapon, names(Kind::Weapon, weapons)),
            ]),
            searches_wrecks: true,
            crosses_mines: false,
            buys: None,
            fights: false,
            duel_url: Some("http://duel.ai/first".to_owned()),
            inspected: BTreeMap::new(),
            script: None,
        }
    }

    /// The same car with a script that is asked before it answers.
    #[must_use]
    pub fn scripted(
        self,
        script: impl FnMut(&CarRequest, &mut MemoryCar) -> Option<Result<Answer, Fault>> + Send + 'static,
    ) -> MemoryCar {
        MemoryCar { script: Some(Box::new(script)), ..self }
    }

    /// How many modules of a kind it has.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.modules.get(&kind).map_or(0, Vec::len)
    }

    /// Answers a request: as the script says, or as CONTRACT C does.
    pub fn answer(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
        if let Some(mut script) = self.script.take() {
            let said = script(request, self);
            self.script = Some(script);
            if let Some(said) = said {
                return said;
            }
        }
        Ok(self.obey(request))
    }

    /// Answers a request as CONTRACT C does, whatever a script says.
    pub fn obey(&mut self, request: &CarRequest) -> Answer {
        let body = match request {
            CarRequest::Resource(kind) => json!({"res": format!("{}-{kind}", self.instance)}),
            CarRequest::Count(kind) => json!({"res": self.count(*kind)}),
            CarRequest::State => json!({
                "name": self.instance,
                "square": self.square,
                "modules": {
                    "engine": self.count(Kind::Engine),
                    "pilot": self.count(Kind::Pilot),
                    "weapon": self.count(Kind::Weapon),
                },
            }),
            CarRequest::Wreck => json!({"res": self.searches_wrecks}),
            CarRequest::Mine => json!({"res": self.crosses_mines}),
            CarRequest::Garage(_) => json!({"res": self.buys.map_or("none", Kind::word)}),
            CarRequest::ShouldFight(_) => json!({"res": self.fights}),
            CarRequest::DuelUrl => json!({"res": self.duel_url}),
            command => {
                self.change(command);
                json!({"res": "ok"})
            }
        };
        Answer::ok(body.to_string())
    }

    fn change(&mut self, command: &CarRequest) {
        match command {
            CarRequest::SetSquare(square) | CarRequest::SetPosition(square) => self.square = square.0,
            CarRequest::SetCount { kind, count } => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                let names = self.modules.entry(*kind).or_default();
                names.truncate(count);
                let known: BTreeSet<String> = names.iter().cloned().collect();
                let missing = count - names.len();
                let fresh = (1..).map(|number: u32| format!("{kind}-{number}"));
                names.extend(fresh.filter(|name| !known.contains(name)).take(missing));
            }
            CarRequest::Gain { kind, name } => {
                let names = self.modules.entry(*kind).or_default();
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            CarRequest::Lose { kind, name } => {
                self.modules.entry(*kind).or_default().retain(|mine| mine != name);
            }
            _ => {}
        }
    }
}

/// One exchange that took place in a [`MemoryWorld`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// In which conversation.
    pub chain: Chain,
    /// With the car at which URL.
    pub url: BaseUrl,
    /// What was asked.
    pub request: CarRequest,
}

#[derive(Default)]
struct Inside {
    cars: BTreeMap<String, MemoryCar>,
    minds: BTreeMap<String, Mind>,
    pirates: Option<Mind>,
    addresses: BTreeMap<String, BaseUrl>,
    inspected_teams: BTreeSet<TeamId>,
    failing_inspections: u32,
    inspections: Vec<Kind>,
    exchanges: Vec<Exchange>,
    waits: Vec<(Chain, u32)>,
    most_waits: Option<u32>,
    keep_exchanges: bool,
    overdue: Option<Seat>,
    running_time_is_up: bool,
}

/// A world in memory. Clones share everything.
#[derive(Clone, Default)]
pub struct MemoryWorld(Arc<Mutex<Inside>>);

impl MemoryWorld {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a car at a URL. Requests to other URLs find nobody.
    pub fn park(&self, url: &str, car: MemoryCar) {
        self.inside().cars.insert(url.to_owned(), car);
    }

    /// Looks at the car at a URL, or changes it; none if there is no car.
    pub fn with_car<T>(&self, url: &str, look: impl FnOnce(&mut MemoryCar) -> T) -> Option<T> {
        self.inside().cars.get_mut(url).map(look)
    }

    /// Puts a duel AI at a URL. At other URLs the first legal play is played.
    pub fn teach(
        &self,
        url: &str,
        mind: impl FnMut(&DuelQuestion) -> Result<Answer, Fault> + Send + 'static,
    ) {
        self.inside().minds.insert(url.to_owned(), Box::new(mind));
    }

    /// Gives the pirates a mind of their own; without, they play the first legal play.
    pub fn teach_pirates(&self, mind: impl FnMut(&DuelQuestion) -> Result<Answer, Fault> + Send + 'static) {
        self.inside().pirates = Some(Box::new(mind));
    }

    /// Lets an instance name be resolved to a URL (R-2.1).
    pub fn list(&self, instance: &str, url: BaseUrl) {
        self.inside().addresses.insert(instance.to_owned(), url);
    }

    /// Gives a team an inspector, which reads what [`MemoryCar::inspected`] says.
    pub fn inspect(&self, team: TeamId) {
        self.inside().inspected_teams.insert(team);
    }

    /// Lets the next so many inspections fail: the service does not answer.
    pub fn fail_inspections(&self, times: u32) {
        self.inside().failing_inspections = times;
    }

    /// Takes what inspectors were asked to read so far.
    #[must_use]
    pub fn take_inspections(&self) -> Vec<Kind> {
        std::mem::take(&mut self.inside().inspections)
    }

    /// Whether exchanges are written down from now on.
    pub fn keep_exchanges(&self, keep: bool) {
        self.inside().keep_exchanges = keep;
    }

    /// Takes what was asked so far.
    #[must_use]
    pub fn take_exchanges(&self) -> Vec<Exchange> {
        std::mem::take(&mut self.inside().exchanges)
    }

    /// Takes the waits before a question was asked again (R-7.8): in which conversation, and the how manieth.
    #[must_use]
    pub fn take_waits(&self) -> Vec<(Chain, u32)> {
        std::mem::take(&mut self.inside().waits)
    }

    /// Lets the time for asking again be up after so many waits (R-7.8), whatever the rules' grace is.
    pub fn time_is_up_after(&self, waits: Option<u32>) {
        self.inside().most_waits = waits;
    }

    /// Lets every duel's time be up after its next answer, which this seat took longer for (R-6.8).
    pub fn duel_is_overdue(&self, seat: Option<Seat>) {
        self.inside().overdue = seat;
    }

    /// Lets the race's time be up at the end of the next turn (R-10.2).
    pub fn running_time_is_up(&self, up: bool) {
        self.inside().running_time_is_up = up;
    }
}

impl World for MemoryWorld {
    type Car = MemoryLine;
    type DuelAi = MemoryDuelAi;
    type Inspector = MemoryInspector;
    type DuelClock = MemoryDuelClock;

    fn car(&self, chain: Chain, _: TeamId, url: &BaseUrl) -> MemoryLine {
        MemoryLine { world: self.clone(), chain, url: url.clone() }
    }

    fn duel(&self, duellists: [Duellist; 2], _: Seconds) -> ([MemoryDuelAi; 2], MemoryDuelClock) {
        let ais = duellists.map(|duellist| MemoryDuelAi {
            world: self.clone(),
            url: match duellist {
                Duellist::Car { url, .. } => Some(url),
                Duellist::Pirates { .. } => None,
            },
        });
        (ais, MemoryDuelClock(self.clone()))
    }

    fn inspector(&self, _: Chain, team: TeamId) -> Option<MemoryInspector> {
        self.inside().inspected_teams.contains(&team).then(|| MemoryInspector(self.clone()))
    }

    async fn resolve(&self, _: Chain, _: TeamId, instance: &str) -> Option<BaseUrl> {
        self.inside().addresses.get(instance).cloned()
    }

    async fn running_time_is_up(&self, _: TurnNo, _: Seconds) -> bool {
        self.inside().running_time_is_up
    }
}

/// A conversation with a car in memory.
pub struct MemoryLine {
    world: MemoryWorld,
    chain: Chain,
    url: BaseUrl,
}

impl Car for MemoryLine {
    async fn exchange(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
        let mut inside = self.world.inside();
        if inside.keep_exchanges {
            let exchange = Exchange { chain: self.chain, url: self.url.clone(), request: request.clone() };
            inside.exchanges.push(exchange);
        }
        match inside.cars.get_mut(self.url.as_str()) {
            Some(car) => car.answer(request),
            None => Err(Fault::Unreachable),
        }
    }

    async fn wait_to_ask_again(&mut self, tries: u32, grace: Seconds) -> bool {
        let mut inside = self.world.inside();
        inside.waits.push((self.chain, tries));
        tries <= inside.most_waits.unwrap_or(grace.0)
    }
}

/// A duel AI in memory, at its seat.
pub struct MemoryDuelAi {
    world: MemoryWorld,
    url: Option<DuelUrl>,
}

impl DuelAi for MemoryDuelAi {
    async fn exchange(&mut self, question: &DuelQuestion) -> Result<Answer, Fault> {
        let mut inside = self.world.inside();
        let mind = match &self.url {
            Some(url) => inside.minds.get_mut(url.as_str()),
            None => inside.pirates.as_mut(),
        };
        match mind {
            Some(mind) => mind(question),
            None => Ok(first_legal(question)),
        }
    }
}

/// The first legal play of a position, as [`Plays`] lists them. The rules ask nobody who has none (R-6.6).
#[must_use]
pub fn first_legal(question: &DuelQuestion) -> Answer {
    let hand: Hand = question.cards.iter().filter_map(|value| Card::of(*value)).collect();
    let walked: u8 = question.your_moves.iter().chain(&question.other_moves).sum();
    let plays = Plays::of(&hand, 22_u8.saturating_sub(walked));
    let cards = plays.first().map(|play| play.cards()).unwrap_or_default();
    Answer::ok(json!({ "res": cards }).to_string())
}

/// The clock of a duel in memory.
pub struct MemoryDuelClock(MemoryWorld);

impl DuelClock for MemoryDuelClock {
    async fn overdue(&mut self) -> Option<Seat> {
        self.0.inside().overdue
    }
}

/// An inspector in memory.
pub struct MemoryInspector(MemoryWorld);

impl MemoryInspector {
    fn read(&self, kind: Kind, resource: &str) -> Result<Vec<String>, InspectorFault> {
        let mut inside = self.0.inside();
        if inside.keep_exchanges {
            inside.inspections.push(kind);
        }
        if inside.failing_inspections > 0 {
            inside.failing_inspections -= 1;
            return Err(InspectorFault::Unavailable);
        }
        let owner = |car: &&MemoryCar| resource == format!("{}-{kind}", car.instance);
        let car = inside.cars.values().find(owner).ok_or(InspectorFault::NoSuchResource)?;
        match car.inspected.get(&kind) {
            Some(read) => read.clone(),
            None => Ok(car.modules.get(&kind).cloned().unwrap_or_default()),
        }
    }
}

impl Inspector for MemoryInspector {
    async fn engines(&mut self, bucket: &str) -> Result<Vec<String>, InspectorFault> {
        self.read(Kind::Engine, bucket)
    }

    async fn pilots(&mut self, queue: &str) -> Result<u64, InspectorFault> {
        self.read(Kind::Pilot, queue).map(|names| names.len() as u64)
    }

    async fn weapons(&mut self, table: &str) -> Result<Vec<String>, InspectorFault> {
        self.read(Kind::Weapon, table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Taken;
    use crate::ids::{CarId, CommandNo, Square};
    use crate::ports::{PirateMind, Topic};
    use futures_util::FutureExt;

    const CHAIN: Chain = Chain { turn: TurnNo(1), topic: Topic::Command(CommandNo(1)), car: CarId(1) };

    fn names(car: &MemoryCar, kind: Kind) -> Vec<&str> {
        car.modules[&kind].iter().map(String::as_str).collect()
    }

    /// C-1 to C-16: what a healthy car answers.
    #[test]
    fn c_1_to_16_what_a_car_answers() {
        let mut car = MemoryCar::new("i", 4, 1, 3);
        for (request, answer) in [
            (CarRequest::Resource(Kind::Engine), r#"{"res":"i-engine"}"#),
            (CarRequest::Count(Kind::Weapon), r#"{"res":3}"#),
            (CarRequest::State, r#"{"modules":{"engine":4,"pilot":1,"weapon":3},"name":"i","square":0}"#),
            (CarRequest::Wreck, r#"{"res":true}"#),
            (CarRequest::Mine, r#"{"res":false}"#),
            (CarRequest::ShouldFight(TeamId(2)), r#"{"res":false}"#),
            (CarRequest::DuelUrl, r#"{"res":"http://duel.ai/first"}"#),
            (CarRequest::Retire, r#"{"res":"ok"}"#),
        ] {
            assert_eq!(car.answer(&request), Ok(Answer::ok(answer)), "{request}");
        }
        assert_eq!(car.count(Kind::Engine), 4);
        assert_eq!(MemoryCar { modules: BTreeMap::new(), ..car }.count(Kind::Engine), 0);
    }

    /// C-6 to C-11: what a healthy car does when it is told.
    #[test]
    fn c_6_to_11_what_a_car_does() {
        let mut car = MemoryCar::new("i", 2, 1, 0);
        let mut told = |request| {
            car.obey(&request);
            let engines: Vec<String> = names(&car, Kind::Engine).into_iter().map(ToOwned::to_owned).collect();
            (car.square, engines.join(" "))
        };
        let kind = Kind::Engine;
        let named = |name: &str| name.to_owned();
        for (request, square, engines) in [
            (CarRequest::SetSquare(Square(4)), 4, "engine-1 engine-2"),
            (CarRequest::SetPosition(Square(3)), 3, "engine-1 engine-2"),
            (CarRequest::Gain { kind, name: named("engine-4") }, 3, "engine-1 engine-2 engine-4"),
            (CarRequest::Gain { kind, name: named("engine-4") }, 3, "engine-1 engine-2 engine-4"),
            (CarRequest::Lose { kind, name: named("engine-1") }, 3, "engine-2 engine-4"),
            (CarRequest::Lose { kind, name: named("engine-9") }, 3, "engine-2 engine-4"),
            (CarRequest::SetCount { kind, count: 2 }, 3, "engine-2 engine-4"),
            (CarRequest::SetCount { kind, count: 4 }, 3, "engine-2 engine-4 engine-1 engine-3"),
            (CarRequest::SetCount { kind, count: 1 }, 3, "engine-2"),
            (CarRequest::SetCount { kind: Kind::Weapon, count: 1 }, 3, "engine-2"),
        ] {
            let words = request.to_string();
            assert_eq!(told(request), (square, engines.to_owned()), "{words}");
        }
        assert_eq!(names(&car, Kind::Weapon), ["weapon-1"]);
    }

    #[test]
    fn a_script_is_asked_first() {
        let mut car = MemoryCar::new("i", 1, 1, 0).scripted(|request, car| {
            car.square += 1;
            matches!(request, CarRequest::Wreck).then_some(Err(Fault::Late))
        });
        assert_eq!(car.answer(&CarRequest::Wreck), Err(Fault::Late));
        assert_eq!(car.answer(&CarRequest::Count(Kind::Pilot)), Ok(Answer::ok(r#"{"res":1}"#)));
        assert_eq!(car.square, 2);
    }

    #[test]
    fn a_world_finds_its_cars_and_writes_down_what_was_asked() {
        let world = MemoryWorld::default();
        world.park("http://i", MemoryCar::new("i", 1, 1, 0));
        let url = BaseUrl::parse("http://i").unwrap();
        let nowhere = BaseUrl::parse("http://nowhere").unwrap();
        let ask =
            |url: &BaseUrl| world.car(CHAIN, TeamId(1), url).count(Kind::Engine).now_or_never().unwrap();
        assert_eq!(ask(&url), Ok(Taken { value: 1, deviations: Vec::new() }));
        assert!(world.take_exchanges().is_empty(), "not kept");
        world.keep_exchanges(true);
        assert_eq!(ask(&nowhere), Err(Fault::Unreachable));
        let exchange =
            Exchange { chain: CHAIN, url: nowhere.clone(), request: CarRequest::Count(Kind::Engine) };
        assert_eq!(world.take_exchanges(), [exchange]);
        assert!(world.take_exchanges().is_empty(), "taken");
        assert_eq!(world.with_car("http://i", |car| car.square), Some(0));
        assert_eq!(world.with_car("http://nowhere", |car| car.square), None);

        let resolve = |name| world.resolve(CHAIN, TeamId(1), name).now_or_never().unwrap();
        assert_eq!(resolve("i"), None);
        world.list("i", url.clone());
        assert_eq!(resolve("i"), Some(url.clone()));

        let time_up = || World::running_time_is_up(&world, TurnNo(1), Seconds(1)).now_or_never().unwrap();
        assert!(!time_up());
        world.running_time_is_up(true);
        assert!(time_up());

        // R-7.8: asked again until the grace has passed, without waiting.
        let mut line = world.car(CHAIN, TeamId(1), &url);
        let waits: Vec<bool> =
            (1..=3).map(|tries| line.wait_to_ask_again(tries, Seconds(2)).now_or_never().unwrap()).collect();
        assert_eq!(waits, [true, true, false]);
        assert_eq!(world.take_waits(), [(CHAIN, 1), (CHAIN, 2), (CHAIN, 3)]);
        assert!(world.take_waits().is_empty(), "taken");
    }

    /// R-6.8: a duel's time is up when the test says so.
    #[test]
    fn a_duel_is_overdue_when_it_is_told_so() {
        let world = MemoryWorld::default();
        let pirates = || Duellist::Pirates { chain: CHAIN, mind: PirateMind::Random, seed: 1 };
        let (_, mut clock) = world.duel([pirates(), pirates()], Seconds(30));
        assert_eq!(clock.overdue().now_or_never().unwrap(), None);
        world.duel_is_overdue(Some(Seat(1)));
        assert_eq!(clock.overdue().now_or_never().unwrap(), Some(Seat(1)));
    }

    #[test]
    fn an_inspector_sees_what_is_there() {
        let world = MemoryWorld::default();
        let there = Ok(vec!["a".to_owned(), "b".to_owned()]);
        let inspected = BTreeMap::from([(Kind::Weapon, there), (Kind::Pilot, Err(InspectorFault::Denied))]);
        world.park("http://j", MemoryCar::new("j", 9, 9, 9));
        world.park("http://i", MemoryCar { inspected, ..MemoryCar::new("i", 2, 1, 0) });
        assert!(world.inspector(CHAIN, TeamId(1)).is_none());
        world.inspect(TeamId(1));
        assert!(world.inspector(CHAIN, TeamId(2)).is_none());
        let mut inspector = world.inspector(CHAIN, TeamId(1)).unwrap();
        let engines = inspector.engines("i-engine").now_or_never().unwrap();
        assert_eq!(engines, Ok(vec!["engine-1".to_owned(), "engine-2".to_owned()]));
        assert_eq!(inspector.pilots("i-pilot").now_or_never().unwrap(), Err(InspectorFault::Denied));
        assert_eq!(inspector.pilots("j-pilot").now_or_never().unwrap(), Ok(9));
        let weapons = inspector.weapons("i-weapon").now_or_never().unwrap();
        assert_eq!(weapons, Ok(vec!["a".to_owned(), "b".to_owned()]));
        let nothing = inspector.engines("k-engine").now_or_never().unwrap();
        assert_eq!(nothing, Err(InspectorFault::NoSuchResource));
    }

    #[test]
    fn the_first_legal_play() {
        let question = |your_moves: &[u8], cards: &[u8]| DuelQuestion {
            your_moves: your_moves.to_vec(),
            other_moves: vec![5, 5, 5],
            cards: cards.to_vec(),
            other_cards: 1,
            seen: None,
        };
        let all = [1, 2, 3, 4, 5];
        for (your_moves, cards) in [(&[5][..], &[1, 2, 2][..]), (&[], &[5]), (&[3], &all), (&[6], &[1])] {
            let answer = first_legal(&question(your_moves, cards));
            let read: Vec<u8> = crate::contract::reader::cards(&answer).unwrap().value;
            let distance = 22 - 15 - your_moves.iter().sum::<u8>();
            let hand: Hand = cards.iter().copied().filter_map(Card::of).collect();
            assert_eq!(read, Plays::of(&hand, distance)[0].cards());
        }
        assert_eq!(first_legal(&question(&[5], &[5])), Answer::ok(r#"{"res":[]}"#), "nothing is legal");
    }
}

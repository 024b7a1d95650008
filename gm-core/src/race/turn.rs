//! a turn, in this order.
//!
//! Each phase reads the race as the phase before has left it. Within a phase the cars are talked to at the same
//! time, each in a conversation of its own; what they share (a team's money, achievements, bonuses) is settled
//! between the conversations, in the turn's order of priority. So a phase takes as long as its slowest car,
//! and the outcome does not depend on who answers first.

use super::command::{Arrival, Refusal};
use super::conversation::Conversation;
use super::event::Event;
use super::state::{Life, Race};
use super::{achievements, bonus, encounter, fight, life, scoring, spot_check, start, track};
use crate::ids::CarId;
use crate::ports::{Topic, World};

/// What came of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Everything that happened, in order.
    pub events: Vec<Event>,
    /// What became of the commands that had arrived, in order of arrival.
    pub settled: Vec<Result<(), Refusal>>,
}

/// Plays one turn of a running race. The commands that arrived since the last one take effect first, in
/// order of arrival; if they leave the race paused or finished, there is no turn.
///
/// # Errors
/// [`Refusal::NotRunning`] if the race is not running; nobody was asked anything then.
pub async fn play<W: World>(race: &Race, world: &W, inbox: &[Arrival]) -> Result<Played, Refusal> {
    if race.life != Life::Running {
        return Err(Refusal::NotRunning);
    }
    let mut turn = Turn::of(race, world);
    let settled = start::settle_inbox(&mut turn, inbox).await;
    if turn.race.life == Life::Running {
        start::run(&mut turn).await;
        track::run(&mut turn).await;
        bonus::run(&mut turn).await;
        fight::run(&mut turn).await;
        encounter::run(&mut turn).await;
        spot_check::run(&mut turn).await;
        achievements::settle(&mut turn);
        scoring::settle(&mut turn);
        life::complete_turn(&mut turn).await;
    }
    Ok(Played { events: turn.events, settled })
}

/// A turn, or a command, while it happens: the race as it is by now, and what has happened.
pub(super) struct Turn<'w, W: World> {
    pub(super) world: &'w W,
    pub(super) race: Race,
    pub(super) events: Vec<Event>,
}

impl<'w, W: World> Turn<'w, W> {
    pub(super) fn of(race: &Race, world: &'w W) -> Turn<'w, W> {
        Turn { world, race: race.clone(), events: Vec::new() }
    }

    /// Something happens.
    pub(super) fn emit(&mut self, event: Event) {
        self.race.apply(&event);
        self.events.push(event);
    }

    pub(super) fn emit_all(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.emit(event);
        }
    }

    /// Opens a conversation with a car; none if there is no such car.
    pub(super) fn converse(&self, topic: Topic, car: CarId) -> Option<Conversation<'_, W>> {
        Some(Conversation::open(&self.race, self.world, topic, self.race.cars.get(&car)?))
    }
}

#[cfg(test)]
mod tests {
    use super::{Played, play};
    use crate::contract::{Answer, BaseUrl, CarRequest, DuelQuestion, Fault, Kind};
    use crate::ids::{CarId, CommandNo, Dollars, Place, Seconds, TeamId, TurnNo};
    use crate::memory::{Exchange, MemoryCar, MemoryLine, MemoryWorld};
    use crate::ports::{Car, Chain, DuelAi, DuelClock, Duellist, Inspector, InspectorFault, Topic, World};
    use crate::race::Event;
    use crate::race::command::{Arrival, Command, Refusal};
    use crate::race::registration::Application;
    use crate::race::rules::{EncounterOdds, Rules, Spoils};
    use crate::race::state::{BonusEffect, BonusPlan, Encounter, Module, Often, Race, Transfer};
    use crate::race::tests::{Scene, application, quiet_rules, saying};
    use crate::random::{Purpose, Seed, Stream};
    use futures_util::FutureExt;
    use std::collections::{BTreeMap, BTreeSet};
    use std::future::Future;
    use std::pin::{Pin, pin};
    use std::sync::Mutex;
    use std::task::{Context, Poll, Waker};

    /// the phases, by what is asked and by what is told.
    #[test]
    fn r_3_the_order_of_a_turn() {
        let advance = BonusPlan {
            place: Place(4),
            effect: BonusEffect::Advance(1),
            often: Often::Always,
            hidden: false,
        };
        let rules =
            Rules { bonuses: vec![advance], spot_check_percent: 100, max_turns: Some(1), ..quiet_rules() };
        let mut scene = Scene::new(rules, 1);
        scene.car(1, MemoryCar { searches_wrecks: false, ..MemoryCar::new("a", 4, 1, 1) });
        scene.car(2, MemoryCar { searches_wrecks: false, ..MemoryCar::new("b", 5, 1, 1) });
        let declared = Command::Declare { encounter: Encounter::Wreck, cars: Some(vec![CarId(1)]) };
        let (lines, _) = scene.turn_with(&[declared]);
        assert_eq!(
            lines,
            [
                "declared for cars 1: wreck",
                "turn 1 starts",
                "priority: 1 2",
                "car 1 moves 4 to 4",
                "car 2 moves 5 to 5",
                "car 1 takes bonus 1: 1 squares on",
                "car 1 steps to 5 (bonus)",
                "cars 1 and 2 meet on place 5",
                "cars 1 and 2 don't fight: both refuse",
                "car 1 meets: wreck (declared)",
                "car 1 leaves the wreck alone",
                "team 1 earns \"Pacifiste\" by car 1: 2 VP, $0",
                "team 2 earns \"Pacifiste\" by car 2: 2 VP, $0",
                "score: team 1: 2 VP, team 2: 2 VP, team 3: 0 VP",
                "turn 1 is complete",
                "the race is over: its last turn was played",
                "score: team 1: 42 VP, team 2: 42 VP, team 3: 0 VP; car with the most fights won: nobody; most fights won: nobody; furthest car: 1, 2; greatest distance: 1, 2",
            ]
        );
        let topics: Vec<Topic> =
            scene.world.take_exchanges().iter().map(|exchange| exchange.chain.topic).collect();
        let mut phases = topics.clone();
        phases.dedup();
        let order = [Topic::Track, Topic::Bonus, Topic::Fight, Topic::Encounter, Topic::SpotCheck];
        assert_eq!(phases, order, "each phase waits for the one before");
    }

    /// no turn for a race that is not running; nobody is asked anything.
    #[test]
    fn r_3_only_a_running_race_has_turns() {
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 4, 1, 1));
        for command in [Command::Pause, Command::Finish] {
            scene.order(command).expect("a command");
            let refused = play(&scene.race, &scene.world, &[]).now_or_never().expect("nobody is waited for");
            assert_eq!(refused, Err(Refusal::NotRunning));
        }
        assert_eq!(scene.asked(), [""; 0]);
    }

    /// A world whose cars, AIs and inspectors take their time: each answer comes after so many polls, drawn from a
    /// seed. What it answers is what the world in memory answers.
    struct Shuffled<'g> {
        world: &'g MemoryWorld,
        seed: u64,
        /// The conversations that were opened, duels' too.
        opened: Mutex<Vec<Chain>>,
        duels: Mutex<Vec<[Duellist; 2]>>,
    }

    /// The most polls that an answer takes.
    const MOST_POLLS: u32 = 12;
    /// The most polls that a turn may take: far more than all its answers together.
    const TURN_POLLS: u32 = 100_000;

    struct Slow<T> {
        inner: T,
        dice: Stream,
    }

    impl<T> Slow<T> {
        async fn dawdle(&mut self) {
            for _ in 0..self.dice.below(MOST_POLLS) {
                Yield(false).await;
            }
        }
    }

    /// Not ready when it is polled first.
    struct Yield(bool);

    impl Future for Yield {
        type Output = ();
        fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            if std::mem::replace(&mut self.0, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }
    }

    impl Car for Slow<MemoryLine> {
        async fn exchange(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
            self.dawdle().await;
            let answer = self.inner.exchange(request).await;
            self.dawdle().await;
            answer
        }
        async fn wait_to_ask_again(&mut self, tries: u32, grace: Seconds) -> bool {
            self.dawdle().await;
            self.inner.wait_to_ask_again(tries, grace).await
        }
    }

    impl<A: DuelAi> DuelAi for Slow<A> {
        async fn exchange(&mut self, question: &DuelQuestion) -> Result<Answer, Fault> {
            self.dawdle().await;
            self.inner.exchange(question).await
        }
    }

    impl<C: DuelClock> DuelClock for Slow<C> {
        async fn overdue(&mut self) -> Option<crate::arena::Seat> {
            self.inner.overdue().await
        }
    }

    impl<I: Inspector> Inspector for Slow<I> {
        async fn engines(&mut self, bucket: &str) -> Result<Vec<String>, InspectorFault> {
            self.dawdle().await;
            self.inner.engines(bucket).await
        }
        async fn pilots(&mut self, queue: &str) -> Result<u64, InspectorFault> {
            self.dawdle().await;
            self.inner.pilots(queue).await
        }
        async fn weapons(&mut self, table: &str) -> Result<Vec<String>, InspectorFault> {
            self.dawdle().await;
            self.inner.weapons(table).await
        }
    }

    impl<'g> Shuffled<'g> {
        fn of(world: &'g MemoryWorld, seed: u64) -> Shuffled<'g> {
            Shuffled { world, seed, opened: Mutex::default(), duels: Mutex::default() }
        }

        fn slow<T>(&self, inner: T, chain: Chain) -> Slow<T> {
            let topic = self.seed ^ (u64::from(chain.topic == Topic::Fight) << 32);
            Slow { inner, dice: Seed(topic).stream(chain.turn, Purpose::Priority, chain.car) }
        }
    }

    impl World for Shuffled<'_> {
        type Car = Slow<MemoryLine>;
        type DuelAi = Slow<<MemoryWorld as World>::DuelAi>;
        type Inspector = Slow<<MemoryWorld as World>::Inspector>;
        type DuelClock = Slow<<MemoryWorld as World>::DuelClock>;

        fn car(&self, chain: Chain, team: TeamId, url: &BaseUrl) -> Self::Car {
            self.opened.lock().expect("one thread").push(chain);
            self.slow(self.world.car(chain, team, url), chain)
        }
        fn duel(&self, duellists: [Duellist; 2], limit: Seconds) -> ([Self::DuelAi; 2], Self::DuelClock) {
            let [chain, other] = duellists.clone().map(|duellist| match duellist {
                Duellist::Car { chain, .. } | Duellist::Pirates { chain, .. } => chain,
            });
            self.opened.lock().expect("one thread").extend([chain, other]);
            self.duels.lock().expect("one thread").push(duellists.clone());
            let (ais, clock) = self.world.duel(duellists, limit);
            (ais.map(|ai| self.slow(ai, chain)), self.slow(clock, chain))
        }
        fn inspector(&self, chain: Chain, team: TeamId) -> Option<Self::Inspector> {
            Some(self.slow(self.world.inspector(chain, team)?, chain))
        }
        async fn resolve(&self, chain: Chain, team: TeamId, instance: &str) -> Option<BaseUrl> {
            self.world.resolve(chain, team, instance).await
        }
        async fn running_time_is_up(&self, turn: TurnNo, limit: Seconds) -> bool {
            World::running_time_is_up(self.world, turn, limit).await
        }
    }

    fn poll_through<T>(future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..TURN_POLLS {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
        panic!("not done after {TURN_POLLS} polls")
    }

    /// Many cars close together, with everything that can happen, some of them broken.
    fn crowd(seed: u64) -> Scene {
        let rules = Rules {
            encounters: EncounterOdds { nothing: 10, pirates: 20, garage: 40, wreck: 20, minefield: 10 },
            spot_check_percent: 30,
            initial_budget: 2,
            combat_range: 2,
            meet_again: true,
            spoils: Spoils::WinnerTakes,
            transfers: true,
            track_length: 12,
            random_bonuses: 8,
            ..Rules::balanced()
        };
        let mut scene = Scene::new(rules, seed);
        scene.world.inspect(TeamId(3));
        for name in ["new1", "new2"] {
            scene.world.park(&format!("http://{name}"), MemoryCar::new(name, 1, 1, 0));
        }
        let broken = [
            "",
            "",
            "",
            "",
            "POST *: forgets",
            "PATCH /state: forgets",
            "GET /fight*: late",
            "GET /state: late",
        ];
        for (index, script) in broken.into_iter().enumerate() {
            let weapons = if index == 2 { 0 } else { 3 };
            let car = MemoryCar {
                fights: index % 2 == 0,
                crosses_mines: true,
                buys: Some(Kind::ALL[index % 3]),
                ..MemoryCar::new(&format!("car{index}"), 2, 2, weapons)
            };
            let team = u32::try_from(index % 3).expect("a small number") + 1;
            scene.car_on(team, saying(car, script), 5);
        }
        scene
    }

    /// What comes in before a turn of a crowd: before the first, money for one of two cars, and a transfer.
    fn commands(turn: u32) -> Vec<Command> {
        let register = |name: &str| {
            let url = BaseUrl::parse(&format!("http://{name}")).expect("a URL");
            Command::Register(Application { team: TeamId(1), instance: name.to_owned(), url: Some(url) })
        };
        let module = Module { kind: Kind::Engine, name: "engine-1".to_owned() };
        let transfer = Transfer { team: TeamId(1), module, from: CarId(1), to: CarId(4) };
        match turn {
            1 => vec![
                Command::Grant { team: TeamId(1), dollars: Dollars(3) },
                register("new1"),
                register("new2"),
                Command::Transfer(transfer),
            ],
            _ => Vec::new(),
        }
    }

    /// Plays turns of a crowd; what happened.
    fn plays<W: World>(mut race: Race, world: &W) -> Vec<Event> {
        let mut happened = Vec::new();
        for turn in 1..=4 {
            let number = (100 * turn..).map(CommandNo);
            let inbox: Vec<Arrival> =
                number.zip(commands(turn)).map(|(no, command)| Arrival { no, command }).collect();
            let Played { events, settled } =
                poll_through(play(&race, world, &inbox)).expect("the race is running");
            assert!(settled.iter().all(Result::is_ok), "{settled:?}");
            events.iter().for_each(|event| race.apply(event));
            happened.extend(events);
        }
        happened
    }

    /// Plays turns in a world of shuffled answers; what happened, and what was asked in which order.
    fn shuffled(seed: u64, shuffle: u64) -> (Vec<Event>, Vec<Exchange>) {
        let Scene { race, world, .. } = crowd(seed);
        let happened = plays(race, &Shuffled::of(&world, shuffle));
        (happened, world.take_exchanges())
    }

    /// a conversation is named by its turn, topic and car; no two of a race have the same name. So are the
    /// seats of a duel, each by the car's or the pirates' own.
    #[test]
    fn r_10_5_every_conversation_has_a_name_of_its_own() {
        let Scene { mut race, world, .. } = crowd(1);
        let world = Shuffled::of(&world, 1);
        for event in plays(race.clone(), &world) {
            race.apply(&event);
        }
        let mut opened = world.opened.into_inner().expect("one thread");
        let conversations = opened.len();
        opened.sort_unstable();
        opened.dedup();
        assert_eq!(opened.len(), conversations);

        let mut pirates = BTreeMap::new();
        let duels = world.duels.into_inner().expect("one thread");
        let mut against_cars = 0;
        for duel in duels {
            match duel {
                [Duellist::Car { chain: a, team: red, .. }, Duellist::Car { chain: b, team: green, .. }] => {
                    assert_eq!([a.topic, b.topic], [Topic::FightDuel; 2]);
                    assert_eq!([red, green], [a.car, b.car].map(|car| race.cars[&car].team));
                    against_cars += 1;
                }
                [Duellist::Car { chain, team, .. }, Duellist::Pirates { chain: theirs, mind, seed }] => {
                    assert_eq!([chain.topic, theirs.topic], [Topic::PirateDuel, Topic::PirateMind]);
                    assert_eq!((chain.car, team), (theirs.car, race.cars[&chain.car].team));
                    assert_eq!(mind, race.rules.pirates.mind);
                    assert_eq!(pirates.insert(seed, chain), None, "the dice of these pirates are their own");
                }
                other => panic!("white is a car: {other:?}"),
            }
        }
        assert!(against_cars > 0 && !pirates.is_empty());
    }

    fn by_car(exchanges: &[Exchange]) -> BTreeMap<&str, Vec<(Chain, &CarRequest)>> {
        let mut asked = BTreeMap::<&str, Vec<_>>::new();
        for exchange in exchanges {
            asked.entry(exchange.url.as_str()).or_default().push((exchange.chain, &exchange.request));
        }
        asked
    }

    /// whoever answers first, the same happens, in the same order, and each car is asked the same.
    #[test]
    fn r_3_6_the_outcome_does_not_depend_on_who_answers_first() {
        let mut seen = BTreeMap::<&str, bool>::new();
        for seed in 1..4 {
            let (happened, asked) = shuffled(seed, 0);
            let mut other_order = false;
            for shuffle in 1..5 {
                let (again, asked_again) = shuffled(seed, shuffle);
                assert_eq!(again, happened, "seed {seed}, shuffle {shuffle}");
                assert_eq!(by_car(&asked_again), by_car(&asked), "seed {seed}, shuffle {shuffle}");
                other_order |= asked_again != asked;
            }
            assert!(other_order, "the answers were shuffled");
            let Scene { race, world, .. } = crowd(seed);
            assert_eq!(plays(race, &world), happened, "as when all answer at once");
            for event in &happened {
                let words = event.to_string();
                for what in [
                    "takes bonus",
                    "duel between",
                    "can't buy",
                    "buys one",
                    "penalised",
                    "retires",
                    "(spoils)",
                    "(transfer)",
                    "is registered",
                    "is refused",
                ] {
                    *seen.entry(what).or_default() |= words.contains(what);
                }
            }
        }
        assert!(seen.values().all(|seen| *seen), "everything that is shared was fought for: {seen:?}");
    }

    /// A world in which cars answer one kind of request only when all of them have been asked it: as slow as a car
    /// can be that waits for the others. Only the first such request of each car counts.
    struct Waiting<'g> {
        world: &'g MemoryWorld,
        /// A topic as in the name of a conversation, and how the request begins.
        about: [&'g str; 2],
        /// The cars that wait, by name.
        cars: BTreeSet<&'g str>,
        asked: Mutex<BTreeSet<String>>,
        /// Which car waited in vain, and who had been asked by then.
        in_vain: Mutex<Vec<(String, BTreeSet<String>)>>,
    }

    /// The most polls that a car waits for the others: more than what is asked before takes.
    const LONGEST_WAIT: u32 = 1_000;

    struct WaitingLine<'g> {
        inner: MemoryLine,
        waiting: &'g Waiting<'g>,
        chain: Chain,
        name: String,
    }

    impl Waiting<'_> {
        fn all_asked(&self) -> bool {
            self.asked.lock().expect("one thread").len() == self.cars.len()
        }

        /// Whether a car must wait before it answers.
        fn hears(&self, chain: Chain, car: &str, request: &CarRequest) -> bool {
            let conversation = chain.to_string();
            let topic = conversation.split('-').nth(1).map(|topic| topic.trim_end_matches(char::is_numeric));
            topic == Some(self.about[0])
                && request.to_string().starts_with(self.about[1])
                && self.cars.contains(car)
                && self.asked.lock().expect("one thread").insert(car.to_owned())
        }
    }

    impl Car for WaitingLine<'_> {
        async fn exchange(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
            if self.waiting.hears(self.chain, &self.name, request) {
                for _ in 0..LONGEST_WAIT {
                    if self.waiting.all_asked() {
                        break;
                    }
                    Yield(false).await;
                }
                if !self.waiting.all_asked() {
                    let asked = self.waiting.asked.lock().expect("one thread").clone();
                    self.waiting.in_vain.lock().expect("one thread").push((self.name.clone(), asked));
                }
            }
            self.inner.exchange(request).await
        }
        async fn wait_to_ask_again(&mut self, tries: u32, grace: Seconds) -> bool {
            self.inner.wait_to_ask_again(tries, grace).await
        }
    }

    impl<'g> World for &'g Waiting<'g> {
        type Car = WaitingLine<'g>;
        type DuelAi = <MemoryWorld as World>::DuelAi;
        type Inspector = <MemoryWorld as World>::Inspector;
        type DuelClock = <MemoryWorld as World>::DuelClock;

        fn car(&self, chain: Chain, team: TeamId, url: &BaseUrl) -> Self::Car {
            let name = url.as_str().trim_start_matches("http://").to_owned();
            WaitingLine { inner: self.world.car(chain, team, url), waiting: self, chain, name }
        }
        fn duel(&self, duellists: [Duellist; 2], limit: Seconds) -> ([Self::DuelAi; 2], Self::DuelClock) {
            self.world.duel(duellists, limit)
        }
        fn inspector(&self, chain: Chain, team: TeamId) -> Option<Self::Inspector> {
            self.world.inspector(chain, team)
        }
        async fn resolve(&self, chain: Chain, team: TeamId, instance: &str) -> Option<BaseUrl> {
            self.world.resolve(chain, team, instance).await
        }
        async fn running_time_is_up(&self, turn: TurnNo, limit: Seconds) -> bool {
            World::running_time_is_up(self.world, turn, limit).await
        }
    }

    /// Cars a and b of team 1 and c and d of team 2 stand on one square; of each team the first hands a weapon to
    /// the second. They all move on to one place with a bonus, fight in two pairs, and meet something: a pirates,
    /// b a wreck, c and d a garage. Elsewhere e of team 1 and f of team 2 fight without weapons. In the same turn g and
    /// h are registered.
    fn everything_at_once() -> (Scene, Vec<Arrival>) {
        let engine = BonusPlan {
            place: Place(11),
            effect: BonusEffect::Module(Kind::Engine),
            often: Often::Always,
            hidden: false,
        };
        let rules =
            Rules { bonuses: vec![engine], spot_check_percent: 100, transfers: true, ..quiet_rules() };
        let mut scene = Scene::new(rules, 1);
        for (team, name) in [(1, "a"), (1, "b"), (2, "c"), (2, "d")] {
            let car = MemoryCar { fights: true, buys: Some(Kind::Weapon), ..MemoryCar::new(name, 6, 6, 6) };
            scene.car_on(team, car, 5);
        }
        for (team, name) in [(1, "e"), (2, "f")] {
            scene.car_on(team, MemoryCar { fights: true, ..MemoryCar::new(name, 6, 6, 0) }, 50);
        }
        let weapon = Module { kind: Kind::Weapon, name: "weapon-1".to_owned() };
        let hand_over = |team, from, to| {
            let cars = (CarId(from), CarId(to));
            Command::Transfer(Transfer { team, module: weapon.clone(), from: cars.0, to: cars.1 })
        };
        let meets = |encounter, cars: &[u32]| {
            let cars = cars.iter().map(|car| CarId(*car)).collect();
            Command::Declare { encounter, cars: Some(cars) }
        };
        let mut commands = vec![
            hand_over(TeamId(1), 1, 2),
            hand_over(TeamId(2), 3, 4),
            meets(Encounter::Pirates, &[1]),
            meets(Encounter::Wreck, &[2]),
            meets(Encounter::Garage, &[3, 4]),
        ];
        for name in ["g", "h"] {
            scene.park(MemoryCar::new(name, 1, 1, 0));
            commands.push(application(3, name));
        }
        let arrivals =
            (100..).map(CommandNo).zip(commands).map(|(no, command)| Arrival { no, command }).collect();
        (scene, arrivals)
    }

    /// Columns: the topic; how the request begins; who has been asked it before any of them answers.
    #[track_caller]
    fn check_side_by_side(rows: &[(&str, &str, &str)]) {
        for row @ (topic, request, cars) in rows {
            let (Scene { race, world, .. }, inbox) = everything_at_once();
            let cars: BTreeSet<&str> = cars.split(' ').collect();
            let waiting = Waiting {
                world: &world,
                about: [*topic, *request],
                cars: cars.clone(),
                asked: Mutex::default(),
                in_vain: Mutex::default(),
            };
            let played = poll_through(play(&race, &&waiting, &inbox)).expect("the race is running");
            assert!(played.settled.iter().all(Result::is_ok), "{:?}", played.settled);
            assert_eq!(waiting.in_vain.into_inner().expect("one thread"), [], "{row:?}: waited in vain");
            let asked = waiting.asked.into_inner().expect("one thread");
            assert!(asked.iter().eq(&cars), "{row:?}: only {asked:?} were asked");
        }
    }

    /// in each phase no car waits for another one's answer.
    #[test]
    fn r_3_the_cars_of_a_phase_are_driven_side_by_side() {
        check_side_by_side(&[
            ("command", "", "g h"),
            ("command", "PATCH /state", "g h"),
            ("transfer", "", "a c"),
            ("transfer", "POST /weapon", "b d"),
            ("track", "", "a b c d e f"),
            ("bonus", "", "a b c d"),
            ("fight", "", "a b c d e f"),
            ("fight", "GET /fight/iaurl", "a b c d"),
            ("fight", "DELETE /state", "e f"),
            ("encounter", "", "a b c d"),
            ("encounter", "POST /weapon", "c d"),
            ("spotcheck", "", "a b c d"),
        ]);
    }
}

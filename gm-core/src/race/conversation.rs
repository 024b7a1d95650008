//! Talking with one car: what the car is told and asked, and what the game master notes down while doing so.
//!
//! Car 7 gains an engine: it is told `POST /engine`, asked `GET /engine/count`, and the gain is noted down, with a
//! penalty if the count is wrong. Car 8, which is talked to at the same time, sees nothing of it.
//!
//! A conversation holds its own copy of the car and follows every event on it, so that conversations with many cars
//! go on at the same time. When they are over, their events become the race's, in the turn's order of priority.

use super::event::{Breach, Check, Event, Fact, GainCause, LossCause, Retirement, StepCause};
use super::rules::ValidRules;
use super::state::{Car, Module, Race};
use super::verification::What;
use crate::contract::{CarRequest, DuelUrl, Fault, Found, Kind, Reply, car::CarState};
use crate::ids::{CarId, Square, TeamId, TurnNo};
use crate::ports::{Car as _, Chain, Topic, World};
use crate::random::{Purpose, Seed, Stream};

/// A conversation with one car.
pub(super) struct Conversation<'a, W: World> {
    pub(super) world: &'a W,
    pub(super) rules: &'a ValidRules,
    seed: Seed,
    pub(super) chain: Chain,
    /// The car, as this conversation has left it.
    pub(super) car: Car,
    pub(super) line: W::Car,
    pub(super) inspector: Option<W::Inspector>,
    events: Vec<Event>,
}

impl<'a, W: World> Conversation<'a, W> {
    /// Opens a conversation about `topic`.
    pub(super) fn open(race: &'a Race, world: &'a W, topic: Topic, car: &Car) -> Conversation<'a, W> {
        let chain = Chain { turn: race.turn, topic, car: car.id };
        Conversation {
            world,
            rules: &race.rules,
            seed: race.seed,
            chain,
            car: car.clone(),
            line: world.car(chain, car.team, &car.url),
            inspector: world.inspector(chain, car.team),
            events: Vec::new(),
        }
    }

    pub(super) fn id(&self) -> CarId {
        self.car.id
    }

    pub(super) fn turn(&self) -> TurnNo {
        self.chain.turn
    }

    /// The dice for one purpose of this turn and car (R-10.5).
    pub(super) fn dice(&self, purpose: Purpose) -> Stream {
        self.seed.stream(self.turn(), purpose, self.id())
    }

    /// Notes down that something happened, and follows it on the car.
    pub(super) fn note(&mut self, event: Event) {
        self.car.apply(&event, self.chain.turn);
        self.events.push(event);
    }

    /// Takes what was noted down so far.
    pub(super) fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Takes a value from an answer; deviations that were accepted on the way are noted down (C-22).
    pub(super) fn take<T>(&mut self, request: CarRequest, reply: Reply<T>) -> Result<T, Fault> {
        let taken = reply?;
        if !taken.deviations.is_empty() {
            let car = self.id();
            self.note(Event::DeviationsAccepted { car, request, deviations: taken.deviations });
        }
        Ok(taken.value)
    }

    // --- questions ---

    pub(super) async fn count(&mut self, kind: Kind) -> Result<u64, Fault> {
        let reply = self.line.count(kind).await;
        self.take(CarRequest::Count(kind), reply)
    }

    pub(super) async fn state(&mut self) -> Result<CarState, Fault> {
        let reply = self.line.state().await;
        self.take(CarRequest::State, reply)
    }

    pub(super) async fn searches_wreck(&mut self) -> Result<bool, Fault> {
        let reply = self.line.searches_wreck().await;
        self.take(CarRequest::Wreck, reply)
    }

    pub(super) async fn crosses_mines(&mut self) -> Result<bool, Fault> {
        let reply = self.line.crosses_mines().await;
        self.take(CarRequest::Mine, reply)
    }

    pub(super) async fn buys(&mut self) -> Result<Option<Kind>, Fault> {
        let prices = self.rules.prices;
        let reply = self.line.buys(prices).await;
        self.take(CarRequest::Garage(prices), reply)
    }

    pub(super) async fn should_fight(&mut self, other: TeamId) -> Result<bool, Fault> {
        let reply = self.line.should_fight(other).await;
        self.take(CarRequest::ShouldFight(other), reply)
    }

    pub(super) async fn duel_url(&mut self) -> Result<DuelUrl, Fault> {
        let reply = self.line.duel_url().await;
        self.take(CarRequest::DuelUrl, reply)
    }

    // --- penalties (R-7.1) ---

    pub(super) fn penalise(&mut self, breach: Breach) {
        let car = self.id();
        self.note(Event::Penalised { car, breach });
    }

    /// A penalty for a question that was not answered usably.
    pub(super) fn penalise_no_answer(&mut self, request: CarRequest, fault: Fault) {
        self.penalise(Breach {
            check: Check::Asked(request),
            expected: Fact::AnAnswer,
            found: Found::Fault(fault),
        });
    }

    // --- what happens to the car ---

    /// The car is told its square, and must know it; else a penalty, and it is told again (R-3.1, R-4.6).
    pub(super) async fn announce_square(&mut self) {
        let square = self.car.square;
        // An error in the answer to a command is not punished by itself: the verification decides (R-7.2).
        let _ = self.line.set_square(square).await;
        if let Some(breach) = self.verify(What::Square).await {
            self.penalise(breach);
            self.resend_square().await;
        }
    }

    /// The car steps to another square without driving there, is told, and must know it; else a penalty, and it is
    /// told again (R-12.2).
    pub(super) async fn step(&mut self, to: Square, cause: StepCause) {
        if let Some(breach) = self.step_unpunished(to, cause).await {
            self.penalise(breach);
        }
    }

    /// The same without the penalty, which is the caller's to give (R-5.4: one purchase, one penalty).
    pub(super) async fn step_unpunished(&mut self, to: Square, cause: StepCause) -> Option<Breach> {
        let car = self.id();
        self.note(Event::CarStepped { car, to, cause });
        let _ = self.line.set_position(to).await;
        let breach = self.verify(What::Square).await;
        if breach.is_some() {
            self.resend_square().await;
        }
        breach
    }

    /// The right square is sent again (R-7.1).
    pub(super) async fn resend_square(&mut self) {
        let _ = self.line.set_square(self.car.square).await;
    }

    /// The car gains a module (R-7.2).
    pub(super) async fn gain(&mut self, kind: Kind, cause: GainCause) {
        if let Some(breach) = self.gain_unpunished(kind, cause).await {
            self.penalise(breach);
        }
    }

    /// The same without the penalty, which is the caller's to give (R-5.4: one purchase, one penalty).
    pub(super) async fn gain_unpunished(&mut self, kind: Kind, cause: GainCause) -> Option<Breach> {
        let car = self.id();
        let (name, _) = self.car.next_name(kind, self.turn());
        self.note(Event::ModuleGained { car, module: Module { kind, name: name.clone() }, cause });
        let _ = self.line.gain(kind, &name).await;
        let breach = self.verify(What::Gained(kind, &name)).await;
        if breach.is_some() {
            self.correct_count(kind).await;
        }
        breach
    }

    /// The car loses a module (R-7.3), and is retired if that was its last pilot (R-7.4).
    pub(super) async fn lose(&mut self, module: Module, cause: LossCause) {
        let car = self.id();
        let Module { kind, name } = module.clone();
        self.note(Event::ModuleLost { car, module, cause });
        let _ = self.line.lose(kind, &name).await;
        if self.car.count(Kind::Pilot) == 0 {
            self.retire(Retirement::NoPilot).await;
        } else if let Some(breach) = self.verify(What::Lost(kind, &name)).await {
            self.penalise(breach);
            self.correct_count(kind).await;
        }
    }

    /// The car is out of the race, and is told so once; its answer does not matter (R-7.4).
    pub(super) async fn retire(&mut self, reason: Retirement) {
        let car = self.id();
        self.note(Event::CarRetired { car, reason });
        let _ = self.line.retire().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Answer;
    use crate::memory::{MemoryCar, MemoryWorld};
    use crate::race::tests::{Scene, answers};
    use futures_util::FutureExt;

    fn healthy() -> MemoryCar {
        MemoryCar::new("a", 4, 2, 3)
    }

    /// A car that does nothing of what it is told by requests of this kind.
    fn deaf_to(is_ignored: fn(&CarRequest) -> bool, answer: Result<Answer, Fault>) -> MemoryCar {
        healthy().scripted(move |request, _| is_ignored(request).then(|| answer.clone()))
    }

    fn no_answer() -> Result<Answer, Fault> {
        Err(Fault::Late)
    }

    fn error() -> Result<Answer, Fault> {
        Ok(Answer { status: 500, ..Answer::ok("oops") })
    }

    fn fine() -> Result<Answer, Fault> {
        Ok(Answer::ok("{}"))
    }

    /// Talks with a car on square 10: what happened, what the car was told and asked in order, and how many turns it
    /// has to miss afterwards.
    #[track_caller]
    fn check(
        car: MemoryCar,
        talk: impl AsyncFnOnce(&mut Conversation<'_, MemoryWorld>),
        happened: &[&str],
        asked: &[&str],
    ) -> Scene {
        let mut scene = Scene::quiet();
        let car = scene.car_on(1, car, 10);
        let mut conversation =
            Conversation::open(&scene.race, &scene.world, Topic::Encounter, scene.the(car));
        talk(&mut conversation).now_or_never().expect("the world in memory never waits");
        let events = conversation.take_events();
        let followed = conversation.car.clone();
        assert_eq!(conversation.take_events(), [], "what was taken is not taken again");
        let words: Vec<String> = events.iter().map(ToString::to_string).collect();
        assert_eq!(words, happened);
        assert_eq!(scene.asked(), asked);
        for event in events {
            scene.happen(event);
        }
        assert_eq!(*scene.the(car), followed, "the copy of the car follows its events");
        let penalties = happened.iter().filter(|line| line.contains("penalised")).count();
        assert!(penalties <= 1, "R-7.5");
        assert_eq!(scene.the(car).turns_to_miss as usize, penalties, "R-7.1");
        scene
    }

    #[test]
    fn r_3_1_a_square_is_announced_and_verified() {
        let announce = async |car: &mut Conversation<'_, MemoryWorld>| car.announce_square().await;
        let tell = r#"a: PATCH /state {"square":10}"#;
        let ask = "a: GET /state";
        let is_square = |request: &CarRequest| matches!(request, CarRequest::SetSquare(_));
        let lost = MemoryCar { square: 3, ..healthy() };
        check(lost, announce, &[], &[tell, ask]);
        // An error in the answer to the command is not punished by itself.
        check(
            healthy().scripted(move |request, car| {
                is_square(request).then(|| {
                    car.obey(request);
                    error()
                })
            }),
            announce,
            &[],
            &[tell, ask],
        );
        check(
            healthy().scripted(move |request, car| {
                car.square = 3;
                is_square(request).then(fine)
            }),
            announce,
            &["car 1 is penalised: GET /state: expected square 10, found square 3"],
            &[tell, ask, tell],
        );
        check(
            deaf_to(|request| *request == CarRequest::State, no_answer()),
            announce,
            &["car 1 is penalised: GET /state: expected square 10, found no answer within the deadline"],
            &[tell, ask, tell],
        );
    }

    #[test]
    fn r_12_2_a_step_is_told_and_verified() {
        let step =
            async |car: &mut Conversation<'_, MemoryWorld>| car.step(Square(7), StepCause::Bonus).await;
        let moved = "car 1 steps to 7 (bonus)";
        let tell = r#"a: PUT /state/position {"square":7}"#;
        let ask = "a: GET /state";
        let scene = check(healthy(), step, &[moved], &[tell, ask]);
        assert_eq!((scene.the(CarId(1)).square, scene.the(CarId(1)).furthest), (Square(7), Square(10)));
        check(
            deaf_to(|request| matches!(request, CarRequest::SetPosition(_)), fine()),
            step,
            &[moved, "car 1 is penalised: GET /state: expected square 7, found square 10"],
            &[tell, ask, r#"a: PATCH /state {"square":7}"#],
        );
        // R-5.4: who gives the penalty himself, hears of the breach.
        let unpunished = async |car: &mut Conversation<'_, MemoryWorld>| {
            let breach = car.step_unpunished(Square(7), StepCause::Garage).await.expect("a breach");
            assert_eq!(breach.to_string(), "GET /state: expected square 7, found square 10");
        };
        check(
            deaf_to(|request| matches!(request, CarRequest::SetPosition(_)), fine()),
            unpunished,
            &["car 1 steps to 7 (garage)"],
            &[tell, ask, r#"a: PATCH /state {"square":7}"#],
        );
    }

    #[test]
    fn r_7_2_a_gain_is_told_and_verified() {
        let gain =
            async |car: &mut Conversation<'_, MemoryWorld>| car.gain(Kind::Engine, GainCause::Wreck).await;
        let gained = r#"car 1 gains engine "engine-t0-c1-1" (wreck)"#;
        let tell = r#"a: POST /engine {"name":"engine-t0-c1-1"}"#;
        let ask = "a: GET /engine/count";
        let correct = r#"a: PATCH /engine {"count":5}"#;
        let is_gain = |request: &CarRequest| matches!(request, CarRequest::Gain { .. });

        let scene = check(healthy(), gain, &[gained], &[tell, ask]);
        assert_eq!(scene.the(CarId(1)).count(Kind::Engine), 5);
        // An error in the answer is not punished by itself: the verification decides.
        let grumbles = move |answer: fn() -> Result<Answer, Fault>| {
            healthy().scripted(move |request, car| {
                is_gain(request).then(|| {
                    car.obey(request);
                    answer()
                })
            })
        };
        check(grumbles(error), gain, &[gained], &[tell, ask]);
        check(grumbles(no_answer), gain, &[gained], &[tell, ask]);
        // It has the module whatever it does.
        for answer in [fine(), error(), no_answer()] {
            let scene = check(
                deaf_to(is_gain, answer),
                gain,
                &[gained, "car 1 is penalised: GET /engine/count: expected 5, found 4"],
                &[tell, ask, correct],
            );
            assert_eq!(scene.the(CarId(1)).count(Kind::Engine), 5);
        }
        check(
            healthy().scripted(answers(CarRequest::Count(Kind::Engine), error())),
            gain,
            &[gained, "car 1 is penalised: GET /engine/count: expected 5, found status 500"],
            &[tell, ask, correct],
        );
        // R-5.4: who gives the penalty himself, hears of the breach.
        let unpunished = async |car: &mut Conversation<'_, MemoryWorld>| {
            let breach = car.gain_unpunished(Kind::Engine, GainCause::Garage).await.expect("a breach");
            assert_eq!(breach.to_string(), "GET /engine/count: expected 5, found 4");
        };
        check(
            deaf_to(is_gain, fine()),
            unpunished,
            &[r#"car 1 gains engine "engine-t0-c1-1" (garage)"#],
            &[tell, ask, correct],
        );
    }

    /// R-1.3: every name that the game master gives is new, even where the team has thought of it before.
    #[test]
    fn r_1_3_names_are_never_given_twice() {
        let mut car = healthy();
        car.modules.insert(Kind::Weapon, ["weapon-t0-c1-1", "weapon-t0-c1-3"].map(str::to_owned).to_vec());
        check(
            car,
            async |car| {
                for kind in [Kind::Weapon, Kind::Weapon, Kind::Engine, Kind::Pilot] {
                    car.gain(kind, GainCause::Bonus).await;
                }
                let module = Module { kind: Kind::Pilot, name: "pilot-t0-c1-6".to_owned() };
                car.lose(module, LossCause::Fight).await;
                car.gain(Kind::Pilot, GainCause::Bonus).await;
            },
            &[
                r#"car 1 gains weapon "weapon-t0-c1-2" (bonus)"#,
                r#"car 1 gains weapon "weapon-t0-c1-4" (bonus)"#,
                r#"car 1 gains engine "engine-t0-c1-5" (bonus)"#,
                r#"car 1 gains pilot "pilot-t0-c1-6" (bonus)"#,
                r#"car 1 loses pilot "pilot-t0-c1-6" (fight)"#,
                r#"car 1 gains pilot "pilot-t0-c1-7" (bonus)"#,
            ],
            &[
                r#"a: POST /weapon {"name":"weapon-t0-c1-2"}"#,
                "a: GET /weapon/count",
                r#"a: POST /weapon {"name":"weapon-t0-c1-4"}"#,
                "a: GET /weapon/count",
                r#"a: POST /engine {"name":"engine-t0-c1-5"}"#,
                "a: GET /engine/count",
                r#"a: POST /pilot {"name":"pilot-t0-c1-6"}"#,
                "a: GET /pilot/count",
                "a: DELETE /pilot/pilot-t0-c1-6",
                "a: GET /pilot/count",
                r#"a: POST /pilot {"name":"pilot-t0-c1-7"}"#,
                "a: GET /pilot/count",
            ],
        );
    }

    #[test]
    fn r_7_3_a_loss_is_told_and_verified() {
        let lose = async |car: &mut Conversation<'_, MemoryWorld>| {
            let module = Module { kind: Kind::Weapon, name: "weapon-2".to_owned() };
            car.lose(module, LossCause::Minefield).await;
        };
        let lost = r#"car 1 loses weapon "weapon-2" (minefield)"#;
        let tell = "a: DELETE /weapon/weapon-2";
        let ask = "a: GET /weapon/count";
        let scene = check(healthy(), lose, &[lost], &[tell, ask]);
        let left: Vec<&str> =
            scene.the(CarId(1)).modules_of(Kind::Weapon).map(|module| module.name.as_str()).collect();
        assert_eq!(left, ["weapon-1", "weapon-3"]);
        for answer in [fine(), error(), no_answer()] {
            check(
                deaf_to(|request| matches!(request, CarRequest::Lose { .. }), answer),
                lose,
                &[lost, "car 1 is penalised: GET /weapon/count: expected 2, found 3"],
                &[tell, ask, r#"a: PATCH /weapon {"count":2}"#],
            );
        }
    }

    /// R-7.4: the last pilot is not verified: the car is out, and is told so once, whatever it answers.
    #[test]
    fn r_7_4_the_last_pilot() {
        let lose = |name: &'static str| {
            async move |car: &mut Conversation<'_, MemoryWorld>| {
                let module = Module { kind: Kind::Pilot, name: name.to_owned() };
                car.lose(module, LossCause::Snakes).await;
            }
        };
        check(
            healthy(),
            lose("pilot-1"),
            &[r#"car 1 loses pilot "pilot-1" (snakes)"#],
            &["a: DELETE /pilot/pilot-1", "a: GET /pilot/count"],
        );
        for answer in [fine(), error(), no_answer()] {
            let scene = check(
                MemoryCar::new("a", 4, 1, 3).scripted(move |_, _| Some(answer.clone())),
                lose("pilot-1"),
                &[r#"car 1 loses pilot "pilot-1" (snakes)"#, "car 1 retires: no pilot"],
                &["a: DELETE /pilot/pilot-1", "a: DELETE /state"],
            );
            assert!(scene.the(CarId(1)).is_retired());
        }
    }

    #[test]
    fn r_7_4_a_retired_car_is_told_once() {
        for answer in [fine(), error(), no_answer()] {
            check(
                healthy().scripted(move |_, _| Some(answer.clone())),
                async |car| car.retire(Retirement::Destroyed).await,
                &["car 1 retires: destroyed"],
                &["a: DELETE /state"],
            );
        }
    }

    /// What a question gives: the value, what was accepted on the way (C-22), or the fault.
    #[test]
    fn c_22_questions_and_deviations() {
        let tolerated = Ok(Answer::ok(r#"{"res": 1}"#));
        check(
            MemoryCar { script: Some(Box::new(move |_, _| Some(tolerated.clone()))), ..healthy() },
            async |car| {
                assert_eq!(car.count(Kind::Weapon).await, Ok(1));
                assert_eq!(car.searches_wreck().await, Ok(true));
                assert_eq!(car.crosses_mines().await, Ok(true));
                assert_eq!(car.should_fight(TeamId(7)).await, Ok(true));
                assert_eq!(car.buys().await, Err(Fault::NotTheValue));
                assert_eq!(car.duel_url().await, Err(Fault::NotTheValue));
                assert_eq!(car.state().await, Err(Fault::NotTheValue));
            },
            &[
                "car 1: GET /event/wreck: accepted 0 or 1 for a boolean",
                "car 1: GET /event/mine: accepted 0 or 1 for a boolean",
                "car 1: GET /fight/shouldfight?id=7: accepted 0 or 1 for a boolean",
            ],
            &[
                "a: GET /weapon/count",
                "a: GET /event/wreck",
                "a: GET /event/mine",
                "a: GET /fight/shouldfight?id=7",
                r#"a: POST /event/garage {"engine":2,"pilot":1,"weapon":2}"#,
                "a: GET /fight/iaurl",
                "a: GET /state",
            ],
        );
        check(
            MemoryCar { buys: Some(Kind::Pilot), ..healthy() }.scripted(|request, _| match request {
                CarRequest::Garage(_) => Some(Ok(Answer::ok(r#""PILOT""#))),
                CarRequest::Count(_) => Some(Ok(Answer::ok(r#"{"res": "3"}"#))),
                _ => None,
            }),
            async |car| {
                assert_eq!(car.buys().await, Ok(Some(Kind::Pilot)));
                assert_eq!(car.count(Kind::Engine).await, Ok(3));
                assert_eq!(car.crosses_mines().await, Ok(false));
                assert_eq!(
                    car.duel_url().await.map(|url| url.to_string()),
                    Ok("http://duel.ai/first".into())
                );
                assert_eq!(car.state().await.map(|state| state.square), Ok(10));
                car.penalise_no_answer(CarRequest::Wreck, Fault::Broken);
            },
            &[
                "car 1: POST /event/garage: accepted the bare value without {\"res\": …}, a kind of module in another case",
                "car 1: GET /engine/count: accepted a whole number as a JSON string",
                "car 1 is penalised: GET /event/wreck (C-12): expected a valid answer, found the connection broke off",
            ],
            &[
                r#"a: POST /event/garage {"engine":2,"pilot":1,"weapon":2}"#,
                "a: GET /engine/count",
                "a: GET /event/mine",
                "a: GET /fight/iaurl",
                "a: GET /state",
            ],
        );
    }

    /// R-10.5: the dice of a conversation are named by turn, purpose and car.
    #[test]
    fn r_10_5_the_dice_of_a_conversation() {
        let mut scene = Scene::quiet();
        scene.car(1, healthy());
        let car = scene.car(2, MemoryCar::new("b", 4, 2, 3));
        scene.happen(Event::TurnStarted { turn: TurnNo(3) });
        let conversation = Conversation::open(&scene.race, &scene.world, Topic::Encounter, scene.the(car));
        assert_eq!((conversation.id(), conversation.turn()), (CarId(2), TurnNo(3)));
        let named = Seed(1).stream(TurnNo(3), Purpose::Mine, CarId(2));
        assert_eq!(conversation.dice(Purpose::Mine), named);
    }
}

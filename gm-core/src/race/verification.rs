//! R-7.1 to R-7.5, R-7.8: does the car know what it was told? The game master's word is what counts.
//!
//! A car with 3 engines gains one and still says 3: it is asked once a second while the grace lasts, then has a turn
//! to miss and is told that it has 4. If it says 4 in time, all is well.
//!
//! A verification gives a [`Breach`] or nothing; who asked for it gives the penalty, once for one modification
//! (R-7.5), and sends the right value again.

use super::conversation::Conversation;
use super::event::{Breach, Check, Event, Fact};
use crate::contract::{CarRequest, Fault, Found, Kind};
use crate::ports::{Car as _, Inspector, InspectorFault, World};
use std::collections::BTreeSet;

/// How often an inspector is asked before its check is skipped (I-4).
const INSPECTOR_TRIES: u32 = 2;

/// What the car must know.
#[derive(Clone, Copy)]
pub(super) enum What<'n> {
    /// Its square (R-3.1).
    Square,
    /// Its square and the number of its modules (R-3.4).
    State,
    /// It has gained the module of this name (R-7.2).
    Gained(Kind, &'n str),
    /// It has lost the module of this name (R-7.3).
    Lost(Kind, &'n str),
}

/// What is really there (CONTRACT I).
enum Real {
    Names(Vec<String>),
    Number(u64),
}

impl<W: World> Conversation<'_, W> {
    /// What is wrong, if something is and stays so for as long as the rules give it time (R-7.8): it is asked again
    /// once a second, so at most as often as the grace has seconds.
    pub(super) async fn verify(&mut self, what: What<'_>) -> Option<Breach> {
        let grace = self.rules.verify_grace;
        for tries in 1..=grace.0 {
            let breach = self.check(what).await?;
            if !self.line.wait_to_ask_again(tries, grace).await {
                return Some(breach);
            }
        }
        self.check(what).await
    }

    async fn check(&mut self, what: What<'_>) -> Option<Breach> {
        match what {
            What::Square => self.check_square().await,
            What::State => self.check_state().await,
            What::Gained(kind, name) => self.check_modules(kind, name, true).await,
            What::Lost(kind, name) => self.check_modules(kind, name, false).await,
        }
    }

    async fn check_square(&mut self) -> Option<Breach> {
        let square = u64::from(self.car.square.0);
        let found = self.state().await.map(|state| state.square);
        breach(CarRequest::State, Fact::Square(square), found, Fact::Square)
    }

    async fn check_state(&mut self) -> Option<Breach> {
        let right = Fact::State { square: u64::from(self.car.square.0), modules: self.car.counts() };
        let found = self.state().await.map(|state| (state.square, state.modules));
        breach(CarRequest::State, right, found, |(square, modules)| Fact::State { square, modules })
    }

    /// The count must be right, and so must the real resource: as many modules, and the one of this name among them
    /// or not. For pilots the number alone (R-7.3).
    async fn check_modules(&mut self, kind: Kind, name: &str, must_hold: bool) -> Option<Breach> {
        let right = self.car.count(kind);
        let found = self.count(kind).await;
        if let Some(breach) = breach(CarRequest::Count(kind), Fact::Count(right), found, Fact::Count) {
            return Some(breach);
        }
        let (there, names) = match self.inspect(kind).await? {
            Real::Number(there) => (there, None),
            Real::Names(names) => (names.len() as u64, Some(names)),
        };
        let inspected =
            |expected, found| Breach { check: Check::Inspected(kind), expected, found: Found::Value(found) };
        if there != right {
            return Some(inspected(Fact::Count(right), Fact::Count(there)));
        }
        let holds = names?.iter().any(|there| there == name);
        let fact = |holds| if holds { Fact::Holds(name.to_owned()) } else { Fact::HoldsNot(name.to_owned()) };
        (holds != must_hold).then(|| inspected(fact(must_hold), fact(holds)))
    }

    /// The right count is sent again (R-7.1), and the names are read again where an inspector can: whatever the car
    /// did to come to that count, these are the modules that it has now (R-7.2).
    pub(super) async fn correct_count(&mut self, kind: Kind) {
        let count = self.car.count(kind);
        let _ = self.line.set_count(kind, count).await;
        if kind == Kind::Pilot {
            return; // A queue holds no names.
        }
        let Some(Real::Names(names)) = self.inspect(kind).await else { return };
        let car = self.id();
        let known: Vec<&str> = self.car.modules_of(kind).map(|module| module.name.as_str()).collect();
        // Only as many names as modules can be taken over: otherwise the game master's stand.
        if names.len() as u64 == count && can_be_names(&names) && known != names {
            self.note(Event::NamesRead { car, kind, names });
        }
    }

    /// What is really there; none without an inspector, or where it failed (I-4).
    async fn inspect(&mut self, kind: Kind) -> Option<Real> {
        let inspector = self.inspector.as_mut()?;
        let resource = self.car.resources.of(kind);
        let mut fault = InspectorFault::Unavailable;
        for _ in 0..INSPECTOR_TRIES {
            let read = match kind {
                Kind::Engine => inspector.engines(resource).await.map(Real::Names),
                Kind::Pilot => inspector.pilots(resource).await.map(Real::Number),
                Kind::Weapon => inspector.weapons(resource).await.map(Real::Names),
            };
            match read {
                Ok(real) => return Some(real),
                Err(this_time) => fault = this_time,
            }
        }
        let car = self.id();
        self.note(Event::InspectionSkipped { car, kind, fault });
        None
    }
}

/// Whether these can be the names of a car's modules of one kind: none empty, none twice (R-1.3).
pub(super) fn can_be_names(names: &[String]) -> bool {
    let distinct: BTreeSet<&String> = names.iter().collect();
    distinct.len() == names.len() && names.iter().all(|name| !name.is_empty())
}

/// The breach, if what was found is not what was expected.
pub(super) fn breach<T>(
    request: CarRequest,
    expected: Fact,
    found: Result<T, Fault>,
    fact: impl FnOnce(T) -> Fact,
) -> Option<Breach> {
    let found = match found {
        Ok(value) => Found::Value(fact(value)),
        Err(fault) => Found::Fault(fault),
    };
    let right = matches!(&found, Found::Value(value) if *value == expected);
    (!right).then_some(Breach { check: Check::Asked(request), expected, found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Answer;
    use crate::ids::{CarId, Seconds, TeamId};
    use crate::memory::{MemoryCar, MemoryWorld};
    use crate::ports::Topic;
    use crate::race::event::{GainCause, LossCause};
    use crate::race::rules::Rules;
    use crate::race::state::{Encounter, Module};
    use crate::race::tests::{Scene, quiet_rules};
    use futures_util::FutureExt;

    fn answer(number: u64) -> Result<Answer, Fault> {
        Ok(Answer::ok(format!(r#"{{"res": {number}}}"#)))
    }

    fn scene(verify_grace: u32, is_inspected: bool, car: MemoryCar) -> Scene {
        let rules = Rules { verify_grace: Seconds(verify_grace), ..quiet_rules() };
        let mut scene = Scene::new(rules, 1);
        if is_inspected {
            scene.world.inspect(TeamId(1));
        }
        scene.car(1, car);
        scene
    }

    /// Talks with the car: what happened.
    fn talk(scene: &mut Scene, talk: impl AsyncFnOnce(&mut Conversation<'_, MemoryWorld>)) -> Vec<String> {
        let car = scene.the(CarId(1));
        let mut conversation = Conversation::open(&scene.race, &scene.world, Topic::Encounter, car);
        talk(&mut conversation).now_or_never().expect("the world in memory never waits");
        let events = conversation.take_events();
        let words = events.iter().map(ToString::to_string).collect();
        events.into_iter().for_each(|event| scene.happen(event));
        words
    }

    /// R-3.4: what a car says of itself, which must be square 0 with 4 engines, 2 pilots and 3 weapons.
    #[test]
    fn r_3_4_square_and_modules() {
        for (said, square_is_right, state_is_right) in [
            ((0, 4_u64, 2, 3), true, true),
            ((1, 4, 2, 3), false, false),
            ((u64::MAX, 4, 2, 3), false, false),
            ((0, 3, 2, 3), true, false),
            ((0, 4, 1, 3), true, false),
            ((0, 4, 2, 4), true, false),
            ((0, 1 << 63, 2_u64, 3), true, false),
        ] {
            let (square, engine, pilot, weapon) = said;
            let state = serde_json::json!({
                "name": "a", "square": square,
                "modules": {"engine": engine, "pilot": pilot, "weapon": weapon},
            });
            let car = MemoryCar::new("a", 4, 2, 3).scripted(move |request, _| {
                (*request == CarRequest::State).then(|| Ok(Answer::ok(state.to_string())))
            });
            let mut scene = scene(0, false, car);
            let happened = talk(&mut scene, async |car| {
                let breach = car.verify(What::Square).await.map(|breach| breach.to_string());
                let expected = (!square_is_right)
                    .then(|| format!("GET /state: expected square 0, found square {square}"));
                assert_eq!(breach, expected);
                let breach = car.verify(What::State).await.map(|breach| breach.to_string());
                let expected = (!state_is_right).then(|| {
                    format!(
                        "GET /state: expected square 0 with 4 engines, 2 pilots, 3 weapons, \
                         found square {square} with {engine} engines, {pilot} pilots, {weapon} weapons"
                    )
                });
                assert_eq!(breach, expected);
            });
            assert_eq!(happened, [""; 0], "the penalty is not the verification's to give");
        }
    }

    /// R-7.8: the count is wrong so many times, then right. With a grace of n seconds it is asked n + 1 times at
    /// most, with a wait before each but the first.
    #[test]
    fn r_7_8_grace() {
        for (grace, wrong_times, asked, is_right) in [
            (0, 0, 1, true),
            (0, 1, 1, false),
            (1, 0, 1, true),
            (1, 1, 2, true),
            (1, 2, 2, false),
            (3, 2, 3, true),
            (3, 3, 4, true),
            (3, 4, 4, false),
            (3, u32::MAX, 4, false),
        ] {
            let mut wrong = wrong_times;
            let car = MemoryCar::new("a", 4, 2, 3).scripted(move |request, _| {
                let is_wrong = *request == CarRequest::Count(Kind::Engine) && wrong > 0;
                is_wrong.then(|| {
                    wrong -= 1;
                    answer(9)
                })
            });
            let mut scene = scene(grace, false, car);
            let happened = talk(&mut scene, async |car| car.gain(Kind::Engine, GainCause::Bonus).await);
            let row = format!("grace {grace}, {wrong_times} times wrong: {happened:?}");
            let counted = scene.asked().iter().filter(|line| line.ends_with("GET /engine/count")).count();
            assert_eq!(counted, asked, "{row}");
            let waits: Vec<u32> = scene.world.take_waits().into_iter().map(|(_, tries)| tries).collect();
            assert_eq!(waits, (1..u32::try_from(asked).expect("few")).collect::<Vec<u32>>(), "{row}");
            let penalties = happened.iter().filter(|line| line.contains("penalised")).count();
            assert_eq!(penalties, usize::from(!is_right), "{row}");
        }
    }

    /// R-7.8: when the port says that the time has passed, it is not asked again.
    #[test]
    fn r_7_8_no_time_left() {
        let car = MemoryCar::new("a", 4, 2, 3)
            .scripted(|request, _| (*request == CarRequest::Count(Kind::Engine)).then(|| answer(9)));
        let mut scene = scene(3, false, car);
        scene.world.time_is_up_after(Some(1));
        talk(&mut scene, async |car| car.gain(Kind::Engine, GainCause::Bonus).await);
        let counted = scene.asked().iter().filter(|line| line.ends_with("GET /engine/count")).count();
        assert_eq!((counted, scene.world.take_waits().len()), (2, 2));
    }

    /// What the inspector of a car with engines `engine-1` and `engine-2` reads after it has gained
    /// `engine-t0-c1-1`, and what comes of it.
    #[track_caller]
    fn check_gain(there: &[&str], happened: &[&str]) -> Scene {
        let mut car = MemoryCar::new("a", 2, 2, 3);
        car.inspected.insert(Kind::Engine, Ok(there.iter().map(ToString::to_string).collect()));
        let mut scene = scene(0, true, car);
        let gained = [r#"car 1 gains engine "engine-t0-c1-1" (bonus)"#];
        let words = talk(&mut scene, async |car| car.gain(Kind::Engine, GainCause::Bonus).await);
        assert_eq!(words, [&gained, happened].concat());
        let corrected = scene.asked().contains(&r#"a: PATCH /engine {"count":3}"#.to_owned());
        assert_eq!(corrected, !happened.is_empty());
        scene
    }

    #[test]
    fn r_7_2_the_real_resource_after_a_gain() {
        let new = "engine-t0-c1-1";
        check_gain(&["engine-1", "engine-2", new], &[]);
        check_gain(&[new, "V8", "V6"], &[]);
        let counted =
            |found| format!("car 1 is penalised: the real engine resource: expected 3, found {found}");
        // Names are read again only where they can be those of the modules.
        check_gain(&["engine-1", "engine-2"], &[&counted(2)]);
        check_gain(&["engine-1", "engine-2", new, "V8"], &[&counted(4)]);
        check_gain(&[], &[&counted(0)]);
        let unheld = concat!(
            "car 1 is penalised: the real engine resource: ",
            r#"expected holds "engine-t0-c1-1", found does not hold "engine-t0-c1-1""#
        );
        let scene =
            check_gain(&["engine-1", "V6", "V8"], &["car 1: engine names read: engine-1, V6, V8", unheld]);
        let names: Vec<&str> =
            scene.the(CarId(1)).modules_of(Kind::Engine).map(|module| module.name.as_str()).collect();
        assert_eq!(names, ["engine-1", "V6", "V8"]);
        check_gain(&["engine-1", "V6", "V6"], &[unheld]);
        check_gain(&["engine-1", "V6", ""], &[unheld]);
    }

    /// R-7.2: after a correction the names are read again, unless they are those that are known.
    #[test]
    fn r_7_2_names_after_a_correction() {
        for (names, expected) in [
            (["engine-1", "engine-2"], None),
            (["engine-2", "engine-1"], Some("car 1: engine names read: engine-2, engine-1")),
            (["V8", "V6"], Some("car 1: engine names read: V8, V6")),
        ] {
            let mut car = MemoryCar::new("a", 2, 2, 3);
            car.inspected.insert(Kind::Engine, Ok(names.map(str::to_owned).to_vec()));
            let mut scene = scene(0, true, car);
            let happened = talk(&mut scene, async |car| car.correct_count(Kind::Engine).await);
            assert_eq!(happened, Vec::from_iter(expected));
            assert_eq!(scene.asked(), [r#"a: PATCH /engine {"count":2}"#]);
        }
    }

    /// Pilots have no names, and nothing is looked at.
    #[test]
    fn r_7_2_pilots_have_no_names_to_read() {
        let mut scene = scene(0, true, MemoryCar::new("a", 2, 2, 3));
        let happened = talk(&mut scene, async |car| car.correct_count(Kind::Pilot).await);
        assert_eq!(happened, [""; 0]);
        assert_eq!(scene.asked(), [r#"a: PATCH /pilot {"count":2}"#]);
        assert_eq!(scene.world.take_inspections(), []);
    }

    #[test]
    fn r_7_3_the_real_resource_after_a_loss() {
        for (there, expected) in [
            (&["weapon-2", "weapon-3"][..], None),
            (&["sword", "rope"], None),
            (
                &["weapon-1", "weapon-3"],
                Some(concat!(
                    "car 1 is penalised: the real weapon resource: ",
                    r#"expected does not hold "weapon-1", found holds "weapon-1""#
                )),
            ),
            (
                &["weapon-1", "weapon-2", "weapon-3"],
                Some("car 1 is penalised: the real weapon resource: expected 2, found 3"),
            ),
        ] {
            let mut car = MemoryCar::new("a", 4, 2, 3);
            car.inspected.insert(Kind::Weapon, Ok(there.iter().map(ToString::to_string).collect()));
            let mut scene = scene(0, true, car);
            let module = Module { kind: Kind::Weapon, name: "weapon-1".to_owned() };
            let happened = talk(&mut scene, async |car| car.lose(module, LossCause::Fight).await);
            assert_eq!(happened.get(1).map(String::as_str), expected, "{there:?}: {happened:?}");
            assert!(scene.the(CarId(1)).turns_to_miss <= 1, "R-7.5");
        }
    }

    /// R-7.3: for pilots the count alone, that of the real queue included.
    #[test]
    fn r_7_3_the_real_pilots_after_a_loss() {
        for (there, expected) in [
            (&["x"][..], None),
            (&["x", "y"], Some("car 1 is penalised: the real pilot resource: expected 1, found 2")),
        ] {
            let mut car = MemoryCar::new("a", 4, 2, 3);
            car.inspected.insert(Kind::Pilot, Ok(there.iter().map(ToString::to_string).collect()));
            let mut scene = scene(0, true, car);
            let module = Module { kind: Kind::Pilot, name: "pilot-1".to_owned() };
            let happened = talk(&mut scene, async |car| car.lose(module, LossCause::Fight).await);
            assert_eq!(happened.get(1).map(String::as_str), expected, "{happened:?}");
        }
    }

    /// R-7.5: a wrong count is not looked into further: one modification, one penalty.
    #[test]
    fn r_7_5_one_penalty_for_one_modification() {
        let mut car = MemoryCar::new("a", 4, 2, 3).scripted(|request, _| match request {
            CarRequest::Count(_) => Some(answer(1 << 63)),
            CarRequest::Gain { .. } => Some(Err(Fault::Late)),
            _ => None,
        });
        car.inspected.insert(Kind::Engine, Ok(Vec::new()));
        let mut scene = scene(0, true, car);
        let happened = talk(&mut scene, async |car| car.gain(Kind::Engine, GainCause::Bonus).await);
        assert_eq!(
            happened[1..],
            ["car 1 is penalised: GET /engine/count: expected 5, found 9223372036854775808"]
        );
        assert_eq!(scene.the(CarId(1)).turns_to_miss, 1);
        // The only look was for the names, after the correction.
        assert_eq!(scene.world.take_inspections(), [Kind::Engine]);
    }

    /// A car that lies in every answer, whatever it meets: the race goes on, and each lie costs one penalty.
    #[test]
    fn r_7_5_a_car_that_lies_in_every_answer() {
        let mut scene = Scene::new(Rules { spot_check_percent: 100, ..quiet_rules() }, 1);
        let lies = |request: &CarRequest, _: &mut MemoryCar| {
            Some(Ok(Answer::ok(match request {
                CarRequest::State => {
                    let most = u64::MAX;
                    let modules = format!(r#"{{"engine": {most}, "pilot": {most}, "weapon": {most}}}"#);
                    format!(r#"{{"name": "b", "square": {most}, "modules": {modules}}}"#)
                }
                CarRequest::Count(_) => r#"{"res": 9223372036854775808}"#.to_owned(),
                CarRequest::Garage(_) => r#"{"res": "engine"}"#.to_owned(),
                _ => r#"{"res": true}"#.to_owned(),
            })))
        };
        let car = scene.car(1, MemoryCar::new("a", 40, 40, 40).scripted(lies));
        for encounter in [
            Encounter::Nothing,
            Encounter::Garage,
            Encounter::Minefield,
            Encounter::Wreck,
            Encounter::Pirates,
        ] {
            for _ in 0..4 {
                scene.misses(car, 0);
                scene.declare(encounter);
                let happened = scene.turn();
                let penalties = |check: &str| {
                    let start = format!("car 1 is penalised: {check}: ");
                    happened.iter().filter(|line| line.starts_with(&start)).count()
                };
                let changes = |what: &str| happened.iter().filter(|line| line.contains(what)).count();
                // The spot check (R-3.4), and the square after a lost duel (R-4.6).
                let asked_for_state = 1 + changes(" loses against ");
                assert_eq!(penalties("GET /state"), asked_for_state, "{happened:?}");
                let lost = Kind::ALL.map(|kind| changes(&format!(" loses {kind}")));
                let modifications = changes(" gains ") + lost.iter().sum::<usize>();
                let counted = Kind::ALL.map(|kind| penalties(&format!("GET /{kind}/count")));
                assert_eq!(counted.iter().sum::<usize>(), 1 + modifications, "on track, and: {happened:?}");
                assert_eq!(scene.the(car).square.0, 0, "it never moves: {happened:?}");
                assert!(scene.is_racing(car));
            }
        }
        assert_eq!(scene.team(1).budget().0 + scene.team(1).ledger.spent, scene.team(1).ledger.received());
    }

    /// I-4: during the race an inspector is asked twice, then its check is skipped, without a penalty.
    #[test]
    fn i_4_a_failing_inspector_is_asked_again_then_skipped() {
        let skipped = "car 1: the real weapon resource was not checked: the service did not answer";
        for (fails, inspected, expected) in [(0, 1, None), (1, 2, None), (2, 2, Some(skipped))] {
            let mut scene = scene(0, true, MemoryCar::new("a", 4, 2, 3));
            scene.world.fail_inspections(fails);
            let happened = talk(&mut scene, async |car| car.gain(Kind::Weapon, GainCause::Bonus).await);
            assert_eq!(happened[1..], Vec::from_iter(expected), "{fails} failures");
            assert_eq!(scene.world.take_inspections(), vec![Kind::Weapon; inspected], "{fails} failures");
            assert_eq!(scene.the(CarId(1)).turns_to_miss, 0);
        }
    }

    /// I-4: the line says what the inspector said.
    #[test]
    fn i_4_why_a_check_was_skipped() {
        for (kind, fault, expected) in [
            (Kind::Engine, InspectorFault::Denied, "engine resource was not checked: access denied"),
            (
                Kind::Weapon,
                InspectorFault::NoSuchResource,
                "weapon resource was not checked: no such resource",
            ),
        ] {
            let mut car = MemoryCar::new("a", 4, 2, 3);
            car.inspected.insert(kind, Err(fault));
            let mut scene = scene(0, true, car);
            let happened = talk(&mut scene, async |car| car.gain(kind, GainCause::Bonus).await);
            assert_eq!(happened[1..], [format!("car 1: the real {expected}")]);
        }
    }
}

//! R-2: registration of a car.
//!
//! A car is inspected first, which only talks to the car and changes nothing; many are inspected at the same time.
//! Then it is decided, one after the other in order of arrival, so that two registrations of one team can't
//! overspend (R-2.4). Refused is refused with every reason that applies (R-2.3).

use super::command;
use super::event::{Accepted, Event, RefusedBecause};
use super::rules::ValidRules;
use super::state::{Module, Race, Resources};
use super::turn::Turn;
use super::verification::can_be_names;
use crate::contract::{BaseUrl, CarRequest, Fault, Kind, Modules, Reply};
use crate::ids::{CarId, CommandNo, Dollars, TeamId};
use crate::ports::{Car as _, Chain, Inspector, InspectorFault, Topic, World};
use serde::{Deserialize, Serialize};

/// The most characters of an instance name.
pub const LONGEST_INSTANCE: usize = 100;

/// What a team says when it registers a car (R-2.1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// The team.
    pub team: TeamId,
    /// The instance name, 1 to 100 characters.
    pub instance: String,
    /// Where the car is; none = to be found by the instance name.
    pub url: Option<BaseUrl>,
}

/// What an inspection found: the car's own words, what is really there, and what is wrong with either.
#[derive(Debug, Clone, Default)]
pub(super) struct Dossier {
    url: Option<BaseUrl>,
    resources: Resources,
    /// How many modules there are, as far as they are known.
    counts: Modules,
    /// The names that an inspector read.
    engines: Option<Vec<String>>,
    weapons: Option<Vec<String>>,
    /// The car gave a number of pilots.
    pilots_known: bool,
    reasons: Vec<RefusedBecause>,
    accepted: Vec<Accepted>,
}

impl Dossier {
    fn take<T>(&mut self, request: CarRequest, reply: Reply<T>) -> Result<T, Fault> {
        match reply {
            Ok(taken) => {
                if !taken.deviations.is_empty() {
                    self.accepted.push(Accepted { request, deviations: taken.deviations });
                }
                Ok(taken.value)
            }
            Err(fault) => {
                self.reasons.push(RefusedBecause::NoAnswer { request, fault });
                Err(fault)
            }
        }
    }

    /// The modules that the car would start with. Only to be made when their number is within the rules.
    fn modules(&self) -> Vec<Module> {
        let mut modules = Vec::new();
        for kind in Kind::ALL {
            let read = match kind {
                Kind::Engine => self.engines.as_ref(),
                Kind::Pilot => None,
                Kind::Weapon => self.weapons.as_ref(),
            };
            match read {
                Some(names) => modules.extend(names.iter().map(|name| Module { kind, name: name.clone() })),
                None => {
                    modules.extend((1..=self.counts.of(kind)).map(|number| Module::numbered(kind, number)));
                }
            }
        }
        modules
    }

    fn price(&self, rules: &ValidRules) -> Dollars {
        let modules = Kind::ALL
            .into_iter()
            .map(|kind| self.counts.of(kind).saturating_mul(u64::from(rules.prices.of(kind))))
            .fold(0, u64::saturating_add);
        Dollars(modules.saturating_add(u64::from(rules.registration_fee)))
    }
}

/// Asks the car, and the inspector, everything that the decision needs (R-2.1, R-2.2).
pub(super) async fn inspect<W: World>(
    race: &Race,
    world: &W,
    no: CommandNo,
    application: &Application,
) -> Dossier {
    let Application { team, instance, url } = application;
    let chain = Chain { turn: race.turn, topic: Topic::Command(no), car: CarId(0) };
    let mut dossier = Dossier::default();
    let can_be_named_so = command::is_name(instance, LONGEST_INSTANCE);
    if !can_be_named_so {
        dossier.reasons.push(RefusedBecause::BadInstanceName);
    }
    dossier.url = match url {
        Some(url) => Some(url.clone()),
        // Nobody is asked where an instance is that can't be.
        None if !can_be_named_so => return dossier,
        None => world.resolve(chain, *team, instance).await,
    };
    let Some(url) = &dossier.url else {
        dossier.reasons.push(RefusedBecause::NoAddress);
        return dossier;
    };
    let mut line = world.car(chain, *team, url);
    let mut inspector = world.inspector(chain, *team);

    match dossier.take(CarRequest::State, line.state().await) {
        Ok(state) if state.name != *instance => {
            let found = state.name.chars().take(LONGEST_INSTANCE).collect();
            dossier.reasons.push(RefusedBecause::OtherName { found });
        }
        // Nobody is there: the other six questions would only say so again.
        Err(Fault::Unreachable) => return dossier,
        _ => {}
    }
    for kind in Kind::ALL {
        let resource = dossier.take(CarRequest::Resource(kind), line.resource(kind).await).ok();
        let said = dossier.take(CarRequest::Count(kind), line.count(kind).await).ok();
        let there = match (&mut inspector, &resource) {
            (Some(inspector), Some(resource)) => look(inspector, kind, resource, &mut dossier).await,
            _ => said,
        };
        if let (Some(said), Some(there)) = (said, there)
            && said != there
        {
            dossier.reasons.push(RefusedBecause::WrongCount { kind, said, there });
        }
        *dossier.counts.of_mut(kind) = there.unwrap_or(0);
        if kind == Kind::Pilot {
            dossier.pilots_known = there.is_some();
        }
        let name = resource.unwrap_or_default();
        match kind {
            Kind::Engine => dossier.resources.engine = name,
            Kind::Pilot => dossier.resources.pilot = name,
            Kind::Weapon => dossier.resources.weapon = name,
        }
    }
    dossier
}

/// What is really there, read by the inspector.
async fn look<I: Inspector>(
    inspector: &mut I,
    kind: Kind,
    resource: &str,
    dossier: &mut Dossier,
) -> Option<u64> {
    let read: Result<(u64, Option<Vec<String>>), InspectorFault> = match kind {
        Kind::Engine => inspector.engines(resource).await.map(|names| (names.len() as u64, Some(names))),
        Kind::Pilot => inspector.pilots(resource).await.map(|number| (number, None)),
        Kind::Weapon => inspector.weapons(resource).await.map(|names| (names.len() as u64, Some(names))),
    };
    match read {
        Ok((there, names)) => {
            if names.as_ref().is_some_and(|names| !can_be_names(names)) {
                dossier.reasons.push(RefusedBecause::BadModuleNames { kind });
            }
            match kind {
                Kind::Engine => dossier.engines = names,
                Kind::Pilot => {}
                Kind::Weapon => dossier.weapons = names,
            }
            Some(there)
        }
        Err(fault) => {
            dossier.reasons.push(RefusedBecause::NotInspected { kind, fault });
            None
        }
    }
}

/// Decides on a car that was inspected (R-2.3). Gives its id if it was registered.
pub(super) fn settle<W: World>(
    turn: &mut Turn<'_, W>,
    application: &Application,
    dossier: Dossier,
) -> Option<CarId> {
    let Application { team, instance, .. } = application.clone();
    let race = &turn.race;
    let rules = &race.rules;
    let budget = race.teams.get(&team).map_or(Dollars(0), |team| team.budget());
    let price = dossier.price(rules);
    let total = dossier.counts.total();

    let mut reasons = dossier.reasons.clone();
    if race.cars.values().any(|car| car.instance == instance) {
        reasons.push(RefusedBecause::InstanceTaken);
    }
    if race.cars.values().any(|car| !car.is_retired() && Some(&car.url) == dossier.url.as_ref()) {
        reasons.push(RefusedBecause::UrlTaken);
    }
    if dossier.pilots_known && dossier.counts.pilot == 0 {
        reasons.push(RefusedBecause::NoPilot);
    }
    if total > u64::from(rules.max_modules) {
        reasons.push(RefusedBecause::TooManyModules { found: total, most: rules.max_modules });
    }
    if price > budget {
        reasons.push(RefusedBecause::TooExpensive { price, budget });
    }

    match (&dossier.url, reasons.is_empty()) {
        (Some(url), true) => {
            let car = CarId(race.cars.keys().next_back().map_or(1, |last| last.0.saturating_add(1)));
            let registered = Event::CarRegistered {
                car,
                team,
                instance,
                url: url.clone(),
                resources: dossier.resources.clone(),
                modules: dossier.modules(),
                paid: price,
            };
            turn.emit(registered);
            turn.emit_all(dossier.accepted.into_iter().map(|Accepted { request, deviations }| {
                Event::DeviationsAccepted { car, request, deviations }
            }));
            Some(car)
        }
        _ => {
            let instance = instance.chars().take(LONGEST_INSTANCE).collect();
            let accepted = dossier.accepted;
            turn.emit(Event::RegistrationRefused { team, instance, reasons, accepted });
            None
        }
    }
}

/// A car that was registered is told its square (R-2.3). Its answer does not matter. One that the jury has retired
/// since is not told, because that would put it back (C-8).
pub(super) async fn welcome<W: World>(race: &Race, world: &W, no: CommandNo, car: CarId) {
    if let Some(car) = race.cars.get(&car).filter(|car| !car.is_retired()) {
        let chain = Chain { turn: race.turn, topic: Topic::Command(no), car: car.id };
        let _ = world.car(chain, car.team, &car.url).set_square(car.square).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Answer;
    use crate::memory::MemoryCar;
    use crate::race::command::{CarCorrection, Command, NewStanding};
    use crate::race::rules::Rules;
    use crate::race::state::Status;
    use crate::race::tests::{Scene, answers, application, quiet_rules};

    /// Registers the car as "a" with team 1.
    #[track_caller]
    fn check_in(mut scene: Scene, car: MemoryCar, expected: &str) -> Scene {
        scene.park(MemoryCar { instance: "a".to_owned(), ..car });
        let before = (scene.race.cars.len(), scene.team(1).budget());
        let happened = scene.order(application(1, "a")).expect("a decision");
        assert_eq!(happened.join(" | "), expected);
        let told: Vec<String> = scene.asked().into_iter().filter(|line| !line.contains(": GET ")).collect();
        if expected.contains("is refused") {
            assert_eq!((scene.race.cars.len(), scene.team(1).budget()), before, "nothing is paid");
            assert_eq!(told, [""; 0], "nothing is told");
        } else {
            assert_eq!(told, [r#"a: PATCH /state {"square":0}"#]);
        }
        scene
    }

    #[track_caller]
    fn check(car: MemoryCar, expected: &str) {
        check_in(Scene::quiet(), car, expected);
    }

    /// Registers a car with 4 engines, 1 pilot and 3 weapons whose team has an inspector.
    #[track_caller]
    fn check_inspected(prepare: impl FnOnce(&mut MemoryCar), expected: &str) -> Scene {
        let scene = Scene::quiet();
        scene.world.inspect(TeamId(1));
        let mut car = MemoryCar::new("a", 4, 1, 3);
        prepare(&mut car);
        check_in(scene, car, expected)
    }

    fn names(names: &[&str]) -> Result<Vec<String>, InspectorFault> {
        Ok(names.iter().map(ToString::to_string).collect())
    }

    const REGISTERED: &str =
        r#"car 1 "a" of team 1 is registered with 4 engines, 1 pilots, 3 weapons for $15"#;

    #[test]
    fn r_2_2_what_a_car_is_asked_and_told() {
        let mut scene = Scene::quiet();
        scene.park(MemoryCar::new("a", 4, 1, 3));
        scene.order(application(1, "a")).expect("a decision");
        assert_eq!(
            scene.asked(),
            [
                "a: GET /state",
                "a: GET /engine",
                "a: GET /engine/count",
                "a: GET /pilot",
                "a: GET /pilot/count",
                "a: GET /weapon",
                "a: GET /weapon/count",
                r#"a: PATCH /state {"square":0}"#,
            ]
        );
        let car = scene.the(CarId(1));
        assert_eq!(car.status, Status::Entered);
        let Resources { engine, pilot, weapon } = &car.resources;
        assert_eq!([engine, pilot, weapon], ["a-engine", "a-pilot", "a-weapon"]);
        let names: Vec<&str> = car.modules.iter().map(|module| module.name.as_str()).collect();
        assert_eq!(
            names,
            ["engine-1", "engine-2", "engine-3", "engine-4", "pilot-1", "weapon-1", "weapon-2", "weapon-3"]
        );
        assert_eq!(scene.team(1).budget(), Dollars(85));
        assert_eq!(scene.world.take_inspections(), []);
    }

    #[test]
    fn r_2_3_modules_within_bounds() {
        let a = |engines, pilots, weapons| MemoryCar::new("a", engines, pilots, weapons);
        check(a(4, 1, 3), REGISTERED);
        check(a(0, 1, 0), r#"car 1 "a" of team 1 is registered with 0 engines, 1 pilots, 0 weapons for $1"#);
        check(a(1, 2, 7), r#"car 1 "a" of team 1 is registered with 1 engines, 2 pilots, 7 weapons for $18"#);
        check(a(4, 0, 3), r#""a" of team 1 is refused: a car needs at least 1 pilot, found 0"#);
        check(a(7, 1, 3), r#""a" of team 1 is refused: a car may have 10 modules, found 11"#);
    }

    #[test]
    fn r_2_3_price_and_fee_within_the_budget() {
        let with = |initial_budget, registration_fee| {
            Scene::new(Rules { initial_budget, registration_fee, ..quiet_rules() }, 1)
        };
        let a = || MemoryCar::new("a", 4, 1, 3);
        let refused = |why| format!(r#""a" of team 1 is refused: {why}"#);
        check_in(with(15, 0), a(), REGISTERED);
        check_in(with(14, 0), a(), &refused("the car costs $15, and the team has $14 left"));
        let scene = check_in(with(20, 5), a(), &REGISTERED.replace("$15", "$20"));
        assert_eq!(scene.team(1).budget(), Dollars(0));
        check_in(with(19, 5), a(), &refused("the car costs $20, and the team has $19 left"));
    }

    /// Each question that has no usable answer is a reason.
    #[test]
    fn r_2_3_questions_without_an_answer() {
        for (request, expected) in [
            (CarRequest::State, "GET /state (C-5)"),
            (CarRequest::Resource(Kind::Engine), "GET /engine (C-1)"),
            (CarRequest::Resource(Kind::Pilot), "GET /pilot (C-2)"),
            (CarRequest::Resource(Kind::Weapon), "GET /weapon (C-3)"),
            (CarRequest::Count(Kind::Engine), "GET /engine/count (C-4)"),
            (CarRequest::Count(Kind::Pilot), "GET /pilot/count (C-4)"),
            (CarRequest::Count(Kind::Weapon), "GET /weapon/count (C-4)"),
        ] {
            let expected = format!(
                r#""a" of team 1 is refused: {expected}: expected a valid answer, found no answer within the deadline"#
            );
            check(MemoryCar::new("a", 4, 1, 3).scripted(answers(request, Err(Fault::Late))), &expected);
        }
    }

    #[test]
    fn r_2_3_all_reasons_at_once() {
        let broken = |car: MemoryCar| {
            car.scripted(|request, _| match request {
                CarRequest::State => Some(Ok(Answer::ok(
                    r#"{"name": "b", "square": 0, "modules": {"engine": 1, "pilot": 0, "weapon": 50}}"#,
                ))),
                CarRequest::Resource(Kind::Engine) => Some(Err(Fault::Unreachable)),
                CarRequest::Count(Kind::Engine) => Some(Ok(Answer::ok("<html>"))),
                _ => None,
            })
        };
        let mut scene = Scene::quiet();
        scene.car(2, MemoryCar::new("a", 1, 1, 1));
        check_in(
            scene,
            broken(MemoryCar::new("a", 1, 0, 51)),
            concat!(
                r#""a" of team 1 is refused: GET /state: expected the instance name, found "b"; "#,
                "GET /engine (C-1): expected a valid answer, found unreachable; ",
                r#"GET /engine/count (C-4): expected {"res": 3}, found the answer was not JSON; "#,
                "the instance name is taken in this race; ",
                "another car takes part under this URL; ",
                "a car needs at least 1 pilot, found 0; ",
                "a car may have 10 modules, found 51; ",
                "the car costs $102, and the team has $100 left",
            ),
        );
    }

    /// Where nobody is, the other questions would only say so again.
    #[test]
    fn r_2_3_nobody_there() {
        let mut scene = Scene::quiet();
        assert_eq!(
            scene.order(application(1, "a")).expect("a decision"),
            [r#""a" of team 1 is refused: GET /state (C-5): expected a valid answer, found unreachable"#]
        );
        assert_eq!(scene.asked(), ["a: GET /state"]);
    }

    /// Counts that no machine could hold cost nothing but a refusal, even where modules are free.
    #[test]
    fn r_2_3_absurd_counts() {
        let absurd = || {
            let count = |request: &CarRequest| matches!(request, CarRequest::Count(_));
            MemoryCar::new("a", 1, 1, 1).scripted(move |request, _| {
                count(request).then(|| Ok(Answer::ok(r#"{"res": 9223372036854775808}"#)))
            })
        };
        let too_many = r#""a" of team 1 is refused: a car may have 10 modules, found 18446744073709551615"#;
        let too_dear = "the car costs $18446744073709551615, and the team has $100 left";
        check(absurd(), &format!("{too_many}; {too_dear}"));
        let prices = crate::contract::Prices { engine: 0, pilot: 0, weapon: 0 };
        check_in(Scene::new(Rules { prices, ..quiet_rules() }, 1), absurd(), too_many);
    }

    #[test]
    fn r_2_1_instance_names() {
        let bad = "the instance name must have 1 to 100 characters, none of them a control character";
        let long = "é".repeat(100);
        for (instance, expected) in [
            ("x", None),
            (long.as_str(), None),
            ("", Some(bad)),
            (&format!("{long}e"), Some(bad)),
            ("a\nb", Some(bad)),
        ] {
            let mut scene = Scene::quiet();
            let url = BaseUrl::parse("http://a").expect("a URL");
            scene.world.park("http://a", MemoryCar::new(instance, 4, 1, 3));
            let application = Application { team: TeamId(1), instance: instance.to_owned(), url: Some(url) };
            let happened = scene.order(Command::Register(application)).expect("a decision").join("");
            match expected {
                Some(reason) => {
                    let kept: String = instance.chars().take(LONGEST_INSTANCE).collect();
                    assert_eq!(happened, format!("{kept:?} of team 1 is refused: {reason}"));
                }
                None => assert!(happened.contains("is registered"), "{happened}"),
            }
        }
    }

    /// A bad name is one reason more, and not instead of the others.
    #[test]
    fn r_2_3_a_bad_name_among_other_reasons() {
        let mut scene = Scene::quiet();
        scene.world.park("http://a", MemoryCar::new("a", 4, 0, 3));
        let url = BaseUrl::parse("http://a").ok();
        let happened =
            scene.order(Command::Register(Application { team: TeamId(1), instance: String::new(), url }));
        assert_eq!(
            happened.expect("a decision"),
            [concat!(
                r#""" of team 1 is refused: the instance name must have 1 to 100 characters, "#,
                "none of them a control character; ",
                r#"GET /state: expected the instance name, found "a"; "#,
                "a car needs at least 1 pilot, found 0",
            )]
        );
    }

    #[test]
    fn r_2_1_where_an_instance_is() {
        let mut scene = Scene::quiet();
        scene.world.park("http://elsewhere", MemoryCar::new("a", 4, 1, 3));
        let unresolved = |instance: &str| {
            Command::Register(Application { team: TeamId(1), instance: instance.to_owned(), url: None })
        };
        let unknown = r#""a" of team 1 is refused: nobody knows the address of this instance: give its URL"#;
        assert_eq!(scene.order(unresolved("a")).expect("a decision"), [unknown]);
        assert_eq!(scene.asked(), [""; 0]);
        scene.world.list("a", BaseUrl::parse("http://elsewhere").expect("a URL"));
        assert_eq!(scene.order(unresolved("a")).expect("a decision"), [REGISTERED]);
        assert_eq!(scene.the(CarId(1)).url.as_str(), "http://elsewhere");
        // A name that can't be is not looked for.
        scene.world.list("", BaseUrl::parse("http://elsewhere").expect("a URL"));
        scene.asked();
        let refused = scene.order(unresolved("")).expect("a decision").join("");
        assert!(refused.ends_with("none of them a control character"), "{refused}");
        assert_eq!(scene.asked(), [""; 0]);
    }

    /// R-1.2: an instance name is unique in the race, a URL among the cars that take part.
    #[test]
    fn r_2_3_taken_names_and_urls() {
        for (instance, url, retired, expected) in [
            ("b", "http://b", false, "is registered"),
            ("b", "http://a", false, "is refused: another car takes part under this URL"),
            ("b", "http://a/", false, "is refused: another car takes part under this URL"),
            ("b", "http://a", true, "is registered"),
            ("a", "http://b", false, "is refused: the instance name is taken in this race"),
            ("a", "http://b", true, "is refused: the instance name is taken in this race"),
        ] {
            let mut scene = Scene::quiet();
            let car = scene.car(2, MemoryCar::new("a", 1, 1, 1));
            if retired {
                scene.happen(Event::CarRetired { car, reason: crate::race::event::Retirement::OutOfFuel });
            }
            let url = BaseUrl::parse(url).expect("a URL");
            scene.world.park(url.as_str(), MemoryCar::new(instance, 4, 1, 3));
            let application =
                Application { team: TeamId(1), instance: instance.to_owned(), url: Some(url.clone()) };
            let happened = scene.order(Command::Register(application)).expect("a decision").join("");
            assert!(happened.contains(expected), "{instance} {url} {retired}: {happened}");
        }
    }

    #[test]
    fn r_2_2_what_an_inspector_sees() {
        let refused = |why: &str| format!(r#""a" of team 1 is refused: {why}"#);
        let scene = check_inspected(
            |car| {
                car.inspected.insert(Kind::Engine, names(&["V8", "V6", "V4", "V2"]));
                car.inspected.insert(Kind::Weapon, names(&["sword", "V8", "rope"]));
            },
            REGISTERED,
        );
        let car = scene.the(CarId(1));
        let read: Vec<&str> = car.modules.iter().map(|module| module.name.as_str()).collect();
        assert_eq!(read, ["V8", "V6", "V4", "V2", "pilot-1", "sword", "V8", "rope"]);
        assert_eq!(scene.world.take_inspections(), Kind::ALL);

        for (kind, there, expected) in [
            (Kind::Engine, &["a", "b", "c"][..], "GET /engine/count: expected 3, which are there, found 4"),
            (Kind::Weapon, &[], "GET /weapon/count: expected 0, which are there, found 3"),
            (Kind::Pilot, &["a", "b"], "GET /pilot/count: expected 2, which are there, found 1"),
            (
                Kind::Pilot,
                &[],
                "GET /pilot/count: expected 0, which are there, found 1; a car needs at least 1 pilot, found 0",
            ),
            (Kind::Engine, &["a", "b", "c", "a"], "each engine must have a name of its own"),
            (Kind::Weapon, &["a", "", "c"], "each weapon must have a name of its own"),
            (
                Kind::Weapon,
                &["a", "b", "c", "d", "e", "e"],
                "each weapon must have a name of its own; \
                 GET /weapon/count: expected 6, which are there, found 3; \
                 a car may have 10 modules, found 11",
            ),
        ] {
            check_inspected(|car| _ = car.inspected.insert(kind, names(there)), &refused(expected));
        }
    }

    /// What is there counts, not what the car says: by price and number too.
    #[test]
    fn r_2_2_a_car_that_lies_in_every_answer() {
        check_inspected(
            |car| {
                for kind in Kind::ALL {
                    car.inspected.insert(kind, names(&[]));
                }
                car.script = Some(Box::new(|request, _| match request {
                    CarRequest::State => Some(Ok(Answer::ok(
                        r#"{"name": "a", "square": 299, "modules": {"engine": 9, "pilot": 9, "weapon": 9}}"#,
                    ))),
                    CarRequest::Count(_) => Some(Ok(Answer::ok(r#"{"res": 9223372036854775808}"#))),
                    _ => None,
                }));
            },
            concat!(
                r#""a" of team 1 is refused: "#,
                "GET /engine/count: expected 0, which are there, found 9223372036854775808; ",
                "GET /pilot/count: expected 0, which are there, found 9223372036854775808; ",
                "GET /weapon/count: expected 0, which are there, found 9223372036854775808; ",
                "a car needs at least 1 pilot, found 0",
            ),
        );
    }

    /// I-4: an inspector that fails is the team's to explain. It is not asked again here.
    #[test]
    fn i_4_a_failing_inspector_refuses() {
        for (kind, fault, expected) in [
            (
                Kind::Engine,
                InspectorFault::Denied,
                "the real engine resource could not be read: access denied",
            ),
            (
                Kind::Pilot,
                InspectorFault::Malformed,
                "the real pilot resource could not be read: the resource does not hold what the rule book asks for",
            ),
            (
                Kind::Weapon,
                InspectorFault::NoSuchResource,
                "the real weapon resource could not be read: no such resource",
            ),
        ] {
            let expected = format!(r#""a" of team 1 is refused: {expected}"#);
            let scene = check_inspected(|car| _ = car.inspected.insert(kind, Err(fault)), &expected);
            assert_eq!(scene.world.take_inspections(), Kind::ALL);
        }
    }

    /// Nothing is inspected where the car does not say what.
    #[test]
    fn r_2_2_no_resource_to_inspect() {
        let scene = check_inspected(
            |car| {
                car.script = Some(Box::new(answers(
                    CarRequest::Resource(Kind::Pilot),
                    Ok(Answer::ok(r#"{"res": ""}"#)),
                )));
            },
            concat!(
                r#""a" of team 1 is refused: GET /pilot (C-2): expected {"res": "queue name"}, "#,
                "found the answer was JSON, but not what was asked for",
            ),
        );
        assert_eq!(scene.world.take_inspections(), [Kind::Engine, Kind::Weapon]);
    }

    /// C-22: what was accepted is said also to a team whose car is refused.
    #[test]
    fn c_22_deviations_of_a_car_that_is_refused() {
        check(
            MemoryCar::new("a", 4, 0, 3)
                .scripted(answers(CarRequest::Count(Kind::Engine), Ok(Answer::ok(r#"{"res": "4"}"#)))),
            r#""a" of team 1 is refused: a car needs at least 1 pilot, found 0; GET /engine/count: accepted a whole number as a JSON string"#,
        );
    }

    /// C-22: what was accepted is said, once the car has an id.
    #[test]
    fn c_22_deviations_at_registration() {
        check(
            MemoryCar::new("a", 4, 1, 3)
                .scripted(answers(CarRequest::Count(Kind::Engine), Ok(Answer::ok(r#""4""#)))),
            &format!(
                "{REGISTERED} | car 1: GET /engine/count: accepted a whole number as a JSON string, \
                 the bare value without {{\"res\": …}}"
            ),
        );
    }

    /// R-2.4: registered between two turns, a car is entered, and starts in the next.
    #[test]
    fn r_2_4_a_registered_car_starts_in_the_next_turn() {
        let mut scene = Scene::quiet();
        scene.park(MemoryCar::new("a", 4, 1, 3));
        scene.order(application(1, "a")).expect("a decision");
        assert_eq!(scene.the(CarId(1)).status, Status::Entered);
        scene.plays(&["car 1 starts", "car 1 moves 4 to 4"]);
        assert!(scene.is_racing(CarId(1)));
    }

    /// R-2.4: order of arrival decides who gets the money; each is refused with all of its own reasons.
    #[test]
    fn r_2_4_many_registrations_in_one_inbox() {
        let mut scene = Scene::new(Rules { initial_budget: 30, ..quiet_rules() }, 1);
        for (name, engines) in [("a", 4), ("b", 7), ("c", 4), ("d", 0)] {
            scene.park(MemoryCar::new(name, engines, 1, 3));
        }
        let (happened, settled) = scene.turn_with(&[
            application(1, "a"),
            application(2, "a"),
            application(1, "b"),
            application(1, "c"),
            application(1, "d"),
            application(9, "d"),
            application(2, "d"),
        ]);
        assert_eq!(
            happened[..6],
            [
                r#"car 1 "a" of team 1 is registered with 4 engines, 1 pilots, 3 weapons for $15"#,
                r#""a" of team 2 is refused: the instance name is taken in this race; another car takes part under this URL"#,
                r#""b" of team 1 is refused: a car may have 10 modules, found 11; the car costs $21, and the team has $15 left"#,
                r#"car 2 "c" of team 1 is registered with 4 engines, 1 pilots, 3 weapons for $15"#,
                r#""d" of team 1 is refused: the car costs $7, and the team has $0 left"#,
                r#"car 3 "d" of team 2 is registered with 0 engines, 1 pilots, 3 weapons for $7"#,
            ]
        );
        let refused = |settled: &Result<(), _>| settled.is_err();
        assert_eq!(
            settled.iter().map(refused).collect::<Vec<_>>(),
            [false, false, false, false, false, true, false]
        );
        assert_eq!([1, 2].map(|team| scene.team(team).ledger.spent), [30, 7]);
        let told: Vec<String> =
            scene.asked().into_iter().filter(|line| line.ends_with(r#"PATCH /state {"square":0}"#)).collect();
        assert_eq!(told.iter().map(|line| &line[..1]).collect::<Vec<_>>(), ["a", "c", "d"]);
    }

    /// R-3.0: commands take effect in order of arrival, so a team made by one can register by the next.
    #[test]
    fn r_2_4_a_new_team_registers_in_the_same_inbox() {
        let team = || Command::CreateTeam { name: "New".to_owned(), budget: Some(Dollars(15)) };
        let mut scene = Scene::quiet();
        scene.park(MemoryCar::new("a", 4, 1, 3));
        let (happened, settled) = scene.turn_with(&[team(), application(4, "a")]);
        assert_eq!(
            happened[..2],
            [r#"team 4 "New" enters with $15"#, &REGISTERED.replace("team 1", "team 4")]
        );
        assert_eq!(settled, [Ok(()), Ok(())]);
        assert!(scene.is_racing(CarId(1)));

        let mut scene = Scene::quiet();
        scene.park(MemoryCar::new("a", 4, 1, 3));
        let (_, settled) = scene.turn_with(&[application(4, "a"), team()]);
        assert_eq!(settled, [Err(crate::race::Refusal::NoSuchTeam(TeamId(4))), Ok(())]);
        assert!(scene.race.cars.is_empty());
    }

    /// A car that the jury retires before it was greeted stays out: `PATCH /state` would put it back (C-8).
    #[test]
    fn r_2_3_a_car_that_is_retired_at_once_is_not_greeted() {
        let mut scene = Scene::quiet();
        scene.park(MemoryCar::new("a", 4, 1, 3));
        let retire = Command::CorrectCar(CarCorrection {
            car: CarId(1),
            reason: "no".to_owned(),
            square: None,
            turns_to_miss: None,
            modules: None,
            standing: Some(NewStanding::Retired),
        });
        scene.turn_with(&[application(1, "a"), retire]);
        assert_eq!(scene.asked().last().map(String::as_str), Some("a: DELETE /state"));
    }

    /// Its answer to the greeting does not matter.
    #[test]
    fn r_2_3_the_greeting_is_not_verified() {
        for answer in [Err(Fault::Late), Ok(Answer { status: 500, ..Answer::ok("") })] {
            let greeting = CarRequest::SetSquare(crate::ids::Square(0));
            check(MemoryCar::new("a", 4, 1, 3).scripted(answers(greeting, answer)), REGISTERED);
        }
    }

    /// Each conversation has a name of its own: the inspection before the car has an id, and the greeting after.
    #[test]
    fn r_10_5_the_conversations_of_a_registration() {
        let mut scene = Scene::quiet();
        scene.park(MemoryCar::new("a", 4, 1, 3));
        scene.order(application(1, "a")).expect("a decision");
        let chains: Vec<String> =
            scene.world.take_exchanges().iter().map(|exchange| exchange.chain.to_string()).collect();
        assert_eq!(chains[..7], ["t0-command5-c0"; 7]);
        assert_eq!(chains[7..], ["t0-command5-c1"]);
    }
}

//! What holds in every race, whatever cars answer and people command (tests only). A failure prints the seed.
//!
//! An [`Auditor`] reads the events and keeps books of its own, as simply as they can be kept, and compares them with
//! the race after every step:
//!
//! ```text
//! initial + granted + rewards + bonuses + corrections = spent + left
//! registered + gained − lost ± corrected = has
//! ```

use super::command::{Application, Arrival, CarCorrection, Command, NewStanding, TeamCorrection, decide};
use super::event::{Achievement, Event};
use super::rules::{EncounterOdds, MineRules, PirateRules, Rules, Spoils, WreckOdds};
use super::state::{BonusEffect, BonusId, BonusPlan, Encounter, Module, Often, Race, Status, Transfer};
use super::tests::Scene;
use super::words::tests::{NAMES, name};
use super::{scoring, turn};
use crate::contract::{Answer, BaseUrl, CarRequest, Fault, Kind, Modules, Prices};
use crate::ids::{CarId, CommandNo, Dollars, Place, Points, Seconds, Square, TeamId, TurnNo};
use crate::memory::{MemoryCar, MemoryWorld, first_legal};
use crate::ports::{InspectorFault, PirateMind};
use crate::random::{Purpose, Seed, Stream};
use futures_util::FutureExt;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What a trial is made of; everything else follows from the seed.
#[derive(Debug, Clone, Copy)]
struct Plan {
    seed: u64,
    turns: u32,
    cars: u32,
    /// How many requests in a hundred go wrong.
    faults: u32,
    /// How many commands arrive before each turn, at most.
    commands: u32,
}

fn plans() -> impl Strategy<Value = Plan> {
    let faults = prop_oneof![1 => Just(0u32), 3 => 1u32..20, 1 => 20u32..100];
    (any::<u64>(), 5u32..=30, 1u32..=8, faults, 0u32..=5)
        .prop_map(|(seed, turns, cars, faults, commands)| Plan { seed, turns, cars, faults, commands })
}

/// Fewer trials than of smaller properties; `PROPTEST_CASES` changes their number all the same.
fn few() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: (default.cases / 16).max(1), ..default }
}

/// Dice of the trial's own: a race never draws from these streams.
fn dice(seed: u64, whose: u32) -> Stream {
    Seed(!seed).stream(TurnNo(u32::MAX), Purpose::Bonuses, CarId(whose))
}

fn one_of<T: Copy>(dice: &mut Stream, choices: &[T]) -> T {
    *dice.pick(choices).expect("a choice")
}

/// Five whole percentages that add up to 100.
fn hundred(dice: &mut Stream) -> [u32; 5] {
    let mut cuts = [0; 4].map(|_| dice.between(0, 100));
    cuts.sort_unstable();
    [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], cuts[3] - cuts[2], 100 - cuts[3]]
}

fn odds(dice: &mut Stream) -> EncounterOdds {
    let [nothing, pirates, garage, wreck, minefield] = hundred(dice);
    EncounterOdds { nothing, pirates, garage, wreck, minefield }
}

fn rules(dice: &mut Stream) -> Rules {
    let [nothing, engine, weapon, pilot, snakes] = hundred(dice);
    let most_weapons = dice.between(1, 10);
    Rules {
        initial_budget: dice.between(0, 150),
        prices: Prices { engine: dice.between(0, 3), pilot: dice.between(0, 3), weapon: dice.between(0, 3) },
        registration_fee: dice.between(0, 3),
        track_length: if dice.percent(50) { dice.between(1, 4) } else { dice.between(5, 40) },
        combat_range: dice.between(0, 3),
        meet_again: dice.percent(50),
        encounters: odds(dice),
        spot_check_percent: dice.between(0, 100),
        pirates: PirateRules { least_weapons: 1, most_weapons, mind: PirateMind::Random },
        wreck: WreckOdds { nothing, engine, weapon, pilot, snakes },
        mine: MineRules { damage_percent: dice.between(0, 100), detour_turns: dice.between(0, 3) },
        garage_step_back: dice.between(0, 3),
        hand_limit: dice.percent(30).then(|| dice.between(1, 6)),
        verify_grace: Seconds(dice.between(0, 2)),
        spoils: if dice.percent(50) { Spoils::Destroyed } else { Spoils::WinnerTakes },
        transfers: dice.percent(70),
        scrooge_above: dice.between(0, 150),
        max_turns: dice.percent(30).then(|| dice.between(3, 20)),
        idle_turns: dice.between(1, 5),
        random_bonuses: 1,
        ..Rules::balanced()
    }
}

/// A car whose requests go wrong by chance: faults, wrong values, commands that are not obeyed, resources that an
/// inspector finds in disorder.
fn car(seed: u64, number: u32, faults: u32) -> MemoryCar {
    let mut dice = dice(seed, number);
    let name = format!("i-{number}");
    let (engines, pilots, weapons) = (dice.between(0, 5), dice.between(0, 3), dice.between(0, 4));
    MemoryCar {
        searches_wrecks: dice.percent(80),
        crosses_mines: dice.percent(50),
        buys: dice.pick(&Kind::ALL).copied().filter(|_| !number.is_multiple_of(4)),
        fights: dice.percent(50),
        duel_url: Some(format!("http://duel.ai/{number}")).filter(|_| !number.is_multiple_of(5)),
        ..MemoryCar::new(&name, engines, pilots, weapons)
    }
    .scripted(move |request, car| dice.percent(faults).then(|| misbehave(&mut dice, request, car)))
}

fn misbehave(dice: &mut Stream, request: &CarRequest, car: &mut MemoryCar) -> Result<Answer, Fault> {
    let kind = one_of(dice, &Kind::ALL);
    match dice.below(8) {
        0 => Err(one_of(dice, &[Fault::Late, Fault::Unreachable, Fault::Broken, Fault::TooLarge])),
        1 => Ok(Answer { status: dice.between(100, 599).try_into().expect("a status"), ..Answer::ok("{}") }),
        2 => Ok(Answer::ok(one_of(dice, &["", "{", "[]", "null", "\"\"", "{\"res\":null}", "<html>"]))),
        3 => Ok(Answer::ok(one_of(
            dice,
            &["{\"res\":18446744073709551615}", "0", "\"2\"", "{\"res\":1.0,\"x\":1}", "{\"res\":\"true\"}"],
        ))),
        // The command is not obeyed, the question is answered rightly.
        4 if request.is_command() => Ok(Answer::ok("{\"res\":\"ok\"}")),
        5 => {
            car.modules.entry(kind).or_default().pop();
            Ok(car.obey(request))
        }
        6 => {
            let disorder = match dice.below(6) {
                0..=2 => Err(one_of(dice, &[InspectorFault::Unavailable, InspectorFault::Malformed])),
                3 => Ok(vec!["twice".to_owned(), "twice".to_owned()]),
                4 => Ok(vec![String::new()]),
                _ => Ok((0..dice.below(6)).map(|number| format!("{kind}-t1-c1-{number}")).collect()),
            };
            car.inspected.insert(kind, disorder);
            Ok(car.obey(request))
        }
        _ => {
            car.inspected.clear();
            car.square = car.square.wrapping_add(dice.below(3));
            Ok(car.obey(request))
        }
    }
}

/// A race with its cars, as it goes on.
struct Trial {
    plan: Plan,
    dice: Stream,
    world: MemoryWorld,
    race: Race,
    events: Vec<Event>,
    auditor: Auditor,
    commands: u32,
    cars: u32,
}

impl Trial {
    fn new(plan: Plan) -> Trial {
        let mut dice = dice(plan.seed, 0);
        let (race, events) =
            Race::create(rules(&mut dice).validated().expect("valid rules"), Seed(plan.seed));
        let world = MemoryWorld::default();
        world.keep_exchanges(true);
        let mut pirates = dice.clone();
        world.teach_pirates(move |question| match pirates.percent(plan.faults / 4) {
            true => Err(Fault::Late),
            false => Ok(first_legal(question)),
        });
        let mut auditor = Auditor::default();
        auditor.read(&race, &events);
        let mut trial = Trial { plan, dice, world, race, events, auditor, commands: 0, cars: 0 };
        for name in ["Red", "Green", "Blue"] {
            trial.order(Command::CreateTeam { name: name.to_owned(), budget: None });
        }
        trial.world.inspect(TeamId(2));
        trial.world.inspect(TeamId(3));
        trial.order(Command::Start);
        for _ in 0..plan.cars {
            let register = trial.register();
            trial.order(register);
        }
        trial
    }

    /// Plays to the end of the plan.
    fn play(mut self) -> Trial {
        for _ in 0..self.plan.turns {
            for _ in 0..self.dice.between(0, self.plan.commands) {
                let command = self.some_command();
                self.order(command);
            }
            let inbox: Vec<Arrival> = (0..self.dice.between(0, self.plan.commands))
                .map(|_| {
                    let command = self.some_command();
                    self.arrive(command)
                })
                .collect();
            let time_up = self.dice.percent(1);
            self.world.running_time_is_up(time_up);
            let played = turn::play(&self.race, &self.world, &inbox).now_or_never().expect("never waits");
            if let Ok(played) = played {
                assert_eq!(played.settled.len(), inbox.len());
                self.happen(played.events);
            } else {
                assert!(
                    self.world.take_exchanges().is_empty(),
                    "nobody is asked in a race that does not run"
                );
                self.order(Command::Resume);
            }
        }
        self
    }

    fn arrive(&mut self, command: Command) -> Arrival {
        self.commands += 1;
        Arrival { no: CommandNo(self.commands), command }
    }

    fn order(&mut self, command: Command) {
        let arrival = self.arrive(command);
        match decide(&self.race, &self.world, arrival).now_or_never().expect("never waits") {
            Ok(events) => self.happen(events),
            // What is refused is refused before anybody is told anything.
            Err(_) => assert!(self.world.take_exchanges().iter().all(|asked| !asked.request.is_command())),
        }
    }

    fn happen(&mut self, events: Vec<Event>) {
        for event in &events {
            self.race.apply(event);
            let text = serde_json::to_string(event).expect("JSON");
            assert_eq!(&serde_json::from_str::<Event>(&text).expect(&text), event, "comes back from JSON");
            assert!(!event.to_string().is_empty());
        }
        self.auditor.read(&self.race, &events);
        self.auditor.listen(&self.world, &events);
        self.events.extend(events);
    }

    /// A new car comes, sometimes under the name or the URL of another.
    fn register(&mut self) -> Command {
        self.cars += 1;
        let number = self.cars;
        let url = format!("http://i-{}", if self.dice.percent(10) { number / 2 } else { number });
        let car = car(self.plan.seed, number, self.plan.faults);
        let instance = car.instance.clone();
        if self.world.with_car(&url, |_| ()).is_none() {
            self.world.park(&url, car);
        }
        let mut mind = dice(self.plan.seed, u32::MAX - number);
        let faults = self.plan.faults;
        self.world.teach(&format!("http://duel.ai/{number}"), move |question| {
            if mind.percent(faults / 4) { Ok(Answer::ok("[9]")) } else { Ok(first_legal(question)) }
        });
        let team = self.some_team();
        Command::Register(Application { team, instance, url: BaseUrl::parse(&url).ok() })
    }

    fn some_team(&mut self) -> TeamId {
        TeamId(self.dice.between(1, 3))
    }

    fn some_car(&mut self) -> CarId {
        CarId(self.dice.between(1, self.cars + 1))
    }

    fn some_achievement(&mut self) -> Achievement {
        one_of(&mut self.dice, &Achievement::ALL)
    }

    fn some_command(&mut self) -> Command {
        let reason = || "as it pleases the jury".to_owned();
        match self.dice.below(19) {
            0 | 1 => self.register(),
            2 => Command::Grant { team: self.some_team(), dollars: Dollars(self.dice.between(0, 9).into()) },
            3..=6 => Command::CorrectCar(self.some_correction()),
            7 => Command::CorrectTeam(TeamCorrection {
                team: self.some_team(),
                reason: reason(),
                budget: self.dice.percent(50).then(|| Dollars(self.dice.between(0, 200).into())),
                points: Points(i64::from(self.dice.between(0, 20)) - 10),
            }),
            8 | 9 | 17 => self.some_transfer(),
            10 => Command::Declare {
                encounter: one_of(&mut self.dice, &[Encounter::Pirates, Encounter::Garage, Encounter::Wreck]),
                cars: self.dice.percent(50).then(|| vec![self.some_car()]),
            },
            11 => Command::SetOdds(odds(&mut self.dice)),
            12 | 13 => Command::PlaceBonus(self.some_bonus()),
            14 => Command::RemoveBonus(BonusId(self.dice.between(1, 9))),
            15 => Command::Award { team: self.some_team(), achievement: self.some_achievement() },
            16 if self.dice.percent(30) => Command::Pause,
            16 => Command::Reveal { achievement: self.some_achievement() },
            _ => Command::Complain { team: self.some_team(), turn: self.race.turn, text: reason() },
        }
    }

    fn some_correction(&mut self) -> CarCorrection {
        // Where a transfer waits, one of its cars may be moved away before it is settled.
        let waits = self.race.transfers.first().map(|transfer| transfer.from);
        let car = waits.filter(|_| self.dice.percent(50)).unwrap_or_else(|| self.some_car());
        let dice = &mut self.dice;
        let modules = dice.percent(30).then(|| Modules {
            engine: dice.between(0, 4).into(),
            pilot: dice.between(0, 2).into(),
            weapon: dice.between(0, 4).into(),
        });
        let standing = one_of(dice, &[None, Some(NewStanding::Reinstated), Some(NewStanding::Retired)]);
        CarCorrection {
            square: dice.percent(30).then(|| Square(dice.between(0, 500))),
            turns_to_miss: dice.percent(30).then(|| dice.between(0, 3)),
            modules,
            standing,
            reason: "as it pleases the jury".to_owned(),
            car,
        }
    }

    fn some_bonus(&mut self) -> BonusPlan {
        let dice = &mut self.dice;
        let amount = dice.between(1, 9);
        let kind = one_of(dice, &Kind::ALL);
        let effects = [
            BonusEffect::Dollars(amount),
            BonusEffect::Points(amount),
            BonusEffect::Module(kind),
            BonusEffect::Advance(amount),
            BonusEffect::Back(amount),
            BonusEffect::MissTurn,
            BonusEffect::ClearMisses,
        ];
        BonusPlan {
            place: Place(dice.between(0, 40)),
            effect: one_of(dice, &effects),
            often: one_of(dice, &[Often::Once, Often::OncePerTeam, Often::Always]),
            hidden: dice.percent(50),
        }
    }

    /// Mostly one that is possible: two cars of a team on the same place, and a module that the first has.
    fn some_transfer(&mut self) -> Command {
        let racing: Vec<_> = self.race.cars.values().filter(|car| car.is_racing()).collect();
        let pairs: Vec<Transfer> = racing
            .iter()
            .flat_map(|from| racing.iter().map(move |to| (from, to)))
            .filter(|(from, to)| {
                from.id != to.id && from.team == to.team && self.race.place_of(from) == self.race.place_of(to)
            })
            .flat_map(|(from, to)| {
                from.modules.iter().map(|module| Transfer {
                    team: from.team,
                    module: module.clone(),
                    from: from.id,
                    to: to.id,
                })
            })
            .collect();
        let possible = self.dice.pick(&pairs).cloned();
        Command::Transfer(possible.unwrap_or_else(|| Transfer {
            team: self.some_team(),
            module: Module { kind: Kind::Engine, name: "engine-1".to_owned() },
            from: self.some_car(),
            to: self.some_car(),
        }))
    }
}

/// A team's books.
#[derive(Debug, Default)]
struct Money {
    received: i64,
    paid: i64,
    achievements: BTreeSet<Achievement>,
    achievement_points: i64,
    bonus_points: i64,
    jury_points: i64,
}

impl Money {
    fn left(&self) -> i64 {
        self.received - self.paid
    }

    fn pay(&mut self, dollars: Dollars) {
        self.paid += money(dollars);
        assert!(self.left() >= 0, "nobody spends what it does not have");
    }
}

fn money(dollars: Dollars) -> i64 {
    dollars.0.try_into().expect("not so much money")
}

/// A car's books.
#[derive(Debug)]
struct Books {
    team: TeamId,
    modules: BTreeSet<Module>,
    registered: i64,
    gained: i64,
    lost: i64,
    corrected: i64,
    square: u32,
    furthest: u32,
    turns_to_miss: i64,
    fights_won: u32,
    standing: Standing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Entered,
    Racing,
    Retired,
}

/// Keeps the books of a race from its events alone, and knows whom nobody may talk to any more.
#[derive(Default)]
struct Auditor {
    teams: BTreeMap<TeamId, Money>,
    cars: BTreeMap<CarId, Books>,
    /// What has happened in this turn to which car.
    moved: BTreeSet<CarId>,
    met: BTreeSet<CarId>,
    missing: BTreeSet<CarId>,
    /// The cars that were told `DELETE /state`.
    out: BTreeSet<CarId>,
}

impl Auditor {
    fn car(&mut self, car: CarId) -> &mut Books {
        self.cars.get_mut(&car).expect("a car that was registered")
    }

    fn team(&mut self, team: TeamId) -> &mut Money {
        self.teams.get_mut(&team).expect("a team that was created")
    }

    /// A car that takes part in the turn.
    fn racing(&mut self, car: CarId, event: &Event) -> &mut Books {
        let books = self.car(car);
        assert_eq!(books.standing, Standing::Racing, "{event}");
        books
    }

    /// Reads the events of a step, after which the race is as given.
    fn read(&mut self, race: &Race, events: &[Event]) {
        for event in events {
            self.note(race, event);
        }
        self.compare(race);
    }

    fn note(&mut self, race: &Race, event: &Event) {
        match event {
            Event::TeamCreated { team, budget, .. } => {
                let before = self.teams.insert(*team, Money { received: money(*budget), ..Money::default() });
                assert!(before.is_none(), "{event}");
            }
            Event::CarRegistered { car, team, modules, paid, .. } => {
                let price: u32 = modules.iter().map(|module| race.rules.prices.of(module.kind)).sum();
                assert_eq!(*paid, Dollars((price + race.rules.registration_fee).into()), "{event}");
                self.team(*team).pay(*paid);
                let books = Books {
                    team: *team,
                    modules: modules.iter().cloned().collect(),
                    registered: modules.len() as i64,
                    gained: 0,
                    lost: 0,
                    corrected: 0,
                    square: 0,
                    furthest: 0,
                    turns_to_miss: 0,
                    fights_won: 0,
                    standing: Standing::Entered,
                };
                assert_eq!(books.modules.len(), modules.len(), "R-1.3: {event}");
                assert!(modules.len() <= race.rules.max_modules as usize, "R-2.3: {event}");
                assert!(self.cars.insert(*car, books).is_none(), "{event}");
            }
            Event::TurnStarted { .. } => {
                self.moved.clear();
                self.met.clear();
                self.missing.clear();
            }
            Event::CarStarted { car } => {
                let books = self.car(*car);
                assert_eq!(books.standing, Standing::Entered, "{event}");
                books.standing = Standing::Racing;
            }
            Event::PriorityDrawn { order, missing } => {
                let racing: BTreeSet<CarId> = self
                    .cars
                    .iter()
                    .filter_map(|(car, books)| (books.standing == Standing::Racing).then_some(*car))
                    .collect();
                assert_eq!(order.len(), racing.len(), "{event}");
                assert_eq!(order.iter().copied().collect::<BTreeSet<_>>(), racing, "{event}");
                self.missing = missing.iter().copied().collect();
                let to_miss = |car: &CarId| self.cars[car].turns_to_miss > 0;
                assert_eq!(self.missing, racing.into_iter().filter(to_miss).collect(), "{event}");
            }
            Event::TurnMissed { car } => {
                assert!(self.missing.contains(car) && self.moved.insert(*car), "{event}");
                let books = self.racing(*car, event);
                books.turns_to_miss -= 1;
                assert!(books.turns_to_miss >= 0, "R-1.2: {event}");
            }
            Event::CarMoved { car, squares, to } => {
                assert!(!self.missing.contains(car) && self.moved.insert(*car), "{event}");
                let books = self.racing(*car, event);
                assert_eq!(to.0, books.square + squares, "{event}");
                assert_eq!(
                    *squares as usize,
                    books.modules.iter().filter(|module| module.kind == Kind::Engine).count(),
                    "R-3.1: {event}"
                );
                books.stand_on(*to);
            }
            Event::CarStepped { car, to, .. } => self.racing(*car, event).stand_on(*to),
            Event::TurnsToMissAdded { car, turns, .. } => {
                self.racing(*car, event).turns_to_miss += i64::from(*turns);
            }
            Event::Penalised { car, .. } => self.racing(*car, event).turns_to_miss += 1,
            Event::FightLost { car, .. } => self.racing(*car, event).turns_to_miss += 1,
            Event::FightWon { car, .. } => self.racing(*car, event).fights_won += 1,
            Event::CarRetired { car, .. } => {
                let books = self.car(*car);
                assert_ne!(books.standing, Standing::Retired, "{event}");
                books.standing = Standing::Retired;
            }
            Event::ModuleGained { car, module, .. } => {
                let books = self.racing(*car, event);
                assert!(books.modules.insert(module.clone()), "R-1.3: {event}");
                books.gained += 1;
            }
            Event::ModuleLost { car, module, .. } => {
                let books = self.racing(*car, event);
                assert!(books.modules.remove(module), "{event}");
                books.lost += 1;
            }
            Event::NamesRead { car, kind, names } => {
                let books = self.car(*car);
                let before = books.modules.len();
                books.modules.retain(|module| module.kind != *kind);
                books.modules.extend(names.iter().map(|name| Module { kind: *kind, name: name.clone() }));
                assert_eq!(books.modules.len(), before, "{event}");
            }
            Event::BonusTaken { car, team, effect, .. } => {
                assert!(self.moved.contains(car) && !self.missing.contains(car), "R-12.2: {event}");
                let books = self.racing(*car, event);
                assert_eq!(books.team, *team);
                match effect {
                    BonusEffect::MissTurn => books.turns_to_miss += 1,
                    BonusEffect::ClearMisses => books.turns_to_miss = 0,
                    BonusEffect::Dollars(dollars) => self.team(*team).received += i64::from(*dollars),
                    BonusEffect::Points(points) => self.team(*team).bonus_points += i64::from(*points),
                    _ => {}
                }
            }
            Event::CarsMet { cars, .. } => {
                for car in cars {
                    assert!(self.met.insert(*car), "R-4.1: {event}");
                    self.racing(*car, event);
                }
                let [a, b] = cars.map(|car| self.cars[&car].team);
                assert_ne!(a, b, "R-4.1: {event}");
            }
            Event::EncounterMet { car, .. }
            | Event::PiratesAttacked { car, .. }
            | Event::GarageLeft { car }
            | Event::TooExpensive { car, .. } => {
                self.racing(*car, event);
            }
            Event::WreckSearched { car, .. }
            | Event::WreckLeft { car }
            | Event::MinefieldCrossed { car, .. }
            | Event::MinefieldAvoided { car, .. } => {
                assert!(!self.missing.contains(car), "R-5.2, R-5.3: {event}");
                self.racing(*car, event);
            }
            Event::ModuleBought { car, team, kind, price } => {
                assert_eq!(*price, Dollars(race.rules.prices.of(*kind).into()), "{event}");
                assert_eq!(self.racing(*car, event).team, *team);
                self.team(*team).pay(*price);
            }
            Event::AchievementEarned { team, achievement, dollars, points, .. } => {
                let team = self.team(*team);
                assert!(team.achievements.insert(*achievement), "R-9: once: {event}");
                team.received += money(*dollars);
                team.achievement_points += points.0;
            }
            Event::BudgetGranted { team, dollars } => self.team(*team).received += money(*dollars),
            Event::TeamCorrected { team, budget, points, .. } => {
                let team = self.team(*team);
                team.received += budget.map_or(0, |budget| money(budget) - team.left());
                team.jury_points += points.0;
            }
            Event::CarCorrected { car, square, turns_to_miss, modules, reinstated, .. } => {
                let books = self.car(*car);
                if let Some(square) = square {
                    books.stand_on(*square);
                }
                if let Some(turns) = turns_to_miss {
                    books.turns_to_miss = i64::from(*turns);
                }
                if let Some(modules) = modules {
                    books.corrected += modules.len() as i64 - books.modules.len() as i64;
                    books.modules = modules.iter().cloned().collect();
                    assert_eq!(books.modules.len(), modules.len(), "R-1.3: {event}");
                }
                if *reinstated {
                    assert_eq!(books.standing, Standing::Retired, "{event}");
                    books.standing = Standing::Entered;
                }
            }
            _ => {}
        }
    }

    fn compare(&self, race: &Race) {
        for (id, team) in &self.teams {
            let there = &race.teams[id];
            assert_eq!(money(there.budget()), team.left(), "team {id} conserves money");
            assert_eq!(there.medals, team.achievements);
            let cars = || self.cars.values().filter(|books| books.team == *id);
            let distance: i64 = cars().map(|books| points_for(books.furthest)).sum();
            let awards = race.end_awards.iter().filter(|award| award.teams.contains(id)).count() as i64;
            let total = distance
                + team.achievement_points
                + team.bonus_points
                + team.jury_points
                + awards * i64::from(race.rules.end_award);
            assert_eq!(there.score, Points(total), "R-8.1: team {id}");
        }
        assert_eq!(race.cars.keys().collect::<Vec<_>>(), self.cars.keys().collect::<Vec<_>>());
        for (id, books) in &self.cars {
            let car = &race.cars[id];
            let has = books.registered + books.gained - books.lost + books.corrected;
            assert_eq!(car.modules.len() as i64, has, "car {id} conserves modules");
            assert_eq!(car.modules.iter().cloned().collect::<BTreeSet<_>>(), books.modules);
            assert_eq!((car.square.0, car.furthest.0), (books.square, books.furthest), "car {id}");
            assert_eq!(i64::from(car.turns_to_miss), books.turns_to_miss, "car {id}");
            assert_eq!(car.fights_won, books.fights_won, "car {id}");
            let standing = match car.status {
                Status::Entered => Standing::Entered,
                Status::Racing => Standing::Racing,
                Status::Retired { .. } => Standing::Retired,
            };
            assert_eq!(standing, books.standing, "car {id}");
            let pilots = books.modules.iter().filter(|module| module.kind == Kind::Pilot).count();
            assert!(pilots > 0 || standing == Standing::Retired, "R-7.4: car {id}");
        }
        let taking_part = || race.cars.values().filter(|car| !car.is_retired());
        let urls: BTreeSet<&str> = taking_part().map(|car| car.url.as_str()).collect();
        assert_eq!(urls.len(), taking_part().count(), "R-1.2: a URL for each car that takes part");
        let names: BTreeSet<&str> = race.cars.values().map(|car| car.instance.as_str()).collect();
        assert_eq!(names.len(), race.cars.len(), "R-1.2: a name for each car");
        assert_eq!(race.broken_invariant(), None);
        let ranks: Vec<u32> = scoring::standings(race).iter().map(|standing| standing.rank).collect();
        assert!(ranks.is_sorted() && ranks.first().is_none_or(|first| *first == 1), "{ranks:?}");
    }

    /// R-7.4: a retired car is told once for each retirement, and nothing after that until it is reinstated.
    fn listen(&mut self, world: &MemoryWorld, events: &[Event]) {
        let reinstated = |id: CarId| {
            events
                .iter()
                .any(|event| matches!(event, Event::CarCorrected { car, reinstated: true, .. } if *car == id))
        };
        let mut told: BTreeMap<CarId, usize> = BTreeMap::new();
        for asked in world.take_exchanges() {
            let car = asked.chain.car;
            if asked.request == CarRequest::Retire {
                *told.entry(car).or_default() += 1;
            }
            assert!(
                !self.out.contains(&car) || reinstated(car),
                "car {car} is out of the race, and was asked {}",
                asked.request
            );
            if asked.request == CarRequest::Retire {
                self.out.insert(car);
            }
        }
        for (id, books) in &self.cars {
            let retires = |event: &&Event| matches!(event, Event::CarRetired { car, .. } if car == id);
            let retired = events.iter().filter(retires).count();
            assert_eq!(told.get(id).copied().unwrap_or(0), retired, "car {id} is told of each retirement");
            if books.standing != Standing::Retired {
                self.out.remove(id);
            }
        }
    }
}

impl Books {
    fn stand_on(&mut self, square: Square) {
        self.square = square.0;
        self.furthest = self.furthest.max(square.0);
    }
}

/// R-8.1 once more, as simply as it can be said.
fn points_for(furthest: u32) -> i64 {
    match furthest {
        0..30 => 0,
        30..50 => 1,
        50..100 => 2,
        100..200 => 8,
        200..300 => 18,
        _ => 30 + 15 * i64::from((furthest - 300) / 100),
    }
}

proptest! {
    #![proptest_config(few())]

    /// R-1, R-7, R-8, R-9, R-10.5: the books are right after every step, the events come back from JSON, and they
    /// tell the race as it is; so does the race that comes back from JSON.
    #[test]
    fn r_1_to_12_the_books_are_right(plan in plans()) {
        let trial = Trial::new(plan).play();
        let json = serde_json::to_string(&trial.race).expect("a race can be written");
        prop_assert_eq!(serde_json::from_str::<Race>(&json).expect("a race can be read"), trial.race.clone());
        prop_assert_eq!(Race::from_events(&trial.events), Some(trial.race));
    }

    /// R-10.5: the same inputs give the same events, byte for byte.
    #[test]
    fn r_10_5_same_inputs_same_events(plan in plans()) {
        let told = || serde_json::to_string(&Trial::new(plan).play().events).expect("JSON");
        prop_assert_eq!(told(), told());
    }
}

/// R-7.4, C-8: a car that is registered and retired before the same turn is told its square no more: that would put
/// it back.
#[test]
fn r_7_4_registered_and_retired_at_once() {
    let mut scene = Scene::quiet();
    scene.world.park("http://a", MemoryCar::new("a", 1, 1, 0));
    let url = BaseUrl::parse("http://a").ok();
    let application = Application { team: TeamId(1), instance: "a".to_owned(), url };
    let retirement = CarCorrection {
        car: CarId(1),
        reason: "x".to_owned(),
        square: None,
        turns_to_miss: None,
        modules: None,
        standing: Some(NewStanding::Retired),
    };
    let (_, settled) = scene.turn_with(&[Command::Register(application), Command::CorrectCar(retirement)]);
    assert_eq!(settled, [Ok(()), Ok(())]);
    assert_eq!(scene.asked().last().map(String::as_str), Some("a: DELETE /state"));
}

/// The trials are worth something: all that can happen in a race happens in some of them.
#[test]
fn the_trials_reach_everything() {
    let mut reached = BTreeSet::new();
    for seed in 0..TRIALS {
        let faults = if seed % 2 == 0 { 2 } else { 15 };
        let trial = Trial::new(Plan { seed, turns: 25, cars: 8, faults, commands: 4 }).play();
        reached.extend(trial.events.iter().map(name));
    }
    let never: Vec<&str> = NAMES.iter().copied().filter(|name| !reached.contains(name)).collect();
    assert_eq!(never, ["ComplaintAnswered", "HintPublished"], "the trials command neither");
}
const TRIALS: u64 = 20;

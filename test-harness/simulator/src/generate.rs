//! Draws a race: its rules, its cars, and then each step from how the race stands.
//!
//! ```
//! use race_simulator::generate::Generator;
//! assert_eq!(Generator::new(7, 5).plan(), Generator::new(7, 5).plan());
//! ```
//!
//! Some races are as they are in an evening, with the presets and few faults; most are not: rings of three squares, no
//! deadline kept, a jury that never sleeps. What is commanded is mostly possible, because it is drawn from the race.

use crate::dice::Dice;
use crate::plan::{Besides, CarFault, CarPlan, Faults, MindFault, MindKind, MindPlan, Plan, Step, Strategy};
use gm_core::contract::{BaseUrl, Kind, Modules, Prices};
use gm_core::ids::{CarId, Dollars, Place, Points, Seconds, Square, TeamId, TurnNo};
use gm_core::ports::PirateMind;
use gm_core::race::Race;
use gm_core::race::command::{Application, CarCorrection, Command, NewStanding, TeamCorrection};
use gm_core::race::event::Achievement;
use gm_core::race::rules::{EncounterOdds, MineRules, PirateRules, Reward, Rules, Spoils, WreckOdds};
use gm_core::race::state::{BonusEffect, BonusId, BonusPlan, Encounter, Life, Module, Often, Transfer};
use std::collections::BTreeMap;

/// Whose dice the generator throws; cars are numbered from 1, their minds from [`MINDS`].
const GENERATOR: u32 = 0;
const MINDS: u32 = 1_000;
const PIRATES: u32 = 999;

const TEAMS: [&str; 5] = ["Red", "Green", "Bleu é%\"'", "Yellow 🏁", "White"];

/// Draws a race.
#[derive(Debug, Clone)]
pub struct Generator {
    dice: Dice,
    plan: Plan,
    teams: u32,
    /// How many turns are still to be played.
    turns: u32,
    /// How many commands arrive before a turn, at most.
    commands: u32,
    /// In percent of decisions.
    mishaps: u32,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Opening,
    Commands,
    Turn,
    Epilogue,
    Over,
}

impl Generator {
    /// Begins to draw the race of a seed, of at most so many turns.
    #[must_use]
    pub fn new(seed: u64, most_turns: u32) -> Generator {
        let mut dice = Dice::new(seed, GENERATOR);
        let is_tame = dice.percent(25);
        let rules = if is_tame { preset(&mut dice) } else { rules(&mut dice) };
        let faults = dice.one_of(&[0, 0, 2, 5, 10, 20, 60]);
        let teams = dice.between(1, 5);
        let cars = dice.between(1, 8);
        let plan = Plan {
            seed,
            rules,
            inspected: (1..=teams).filter(|_| dice.percent(40)).map(TeamId).collect(),
            cars: (1..=cars).map(|number| car(&mut dice, number, faults)).collect(),
            // They are in this process: nothing goes wrong with them.
            pirates: mind(&mut dice, PIRATES, 0),
            steps: Vec::new(),
        };
        let commands = dice.one_of(&[0, 1, 2, 5]);
        let mishaps = dice.one_of(&[0, 0, 10, 30]);
        let turns = dice.between(1, most_turns.max(1));
        Generator { dice, plan, teams, turns, commands, mishaps, stage: Stage::Opening }
    }

    /// The race as far as it was drawn before its first step.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The next step of the race; none when it is over.
    pub fn next(&mut self, race: &Race) -> Option<Step> {
        loop {
            match self.stage {
                Stage::Opening => {
                    self.stage = Stage::Commands;
                    return Some(self.opening());
                }
                Stage::Commands => {
                    self.stage =
                        if self.turns == 0 || race.is_finished() { Stage::Epilogue } else { Stage::Turn };
                    let commands = self.commands(race);
                    if !commands.is_empty() {
                        return Some(self.settle(commands));
                    }
                }
                Stage::Turn => {
                    self.turns = self.turns.saturating_sub(1);
                    self.stage = Stage::Commands;
                    let mut besides = self.besides();
                    besides.time_is_up = self.dice.percent(1);
                    return Some(Step::Turn { besides });
                }
                Stage::Epilogue => {
                    self.stage = Stage::Over;
                    let mut commands = Vec::new();
                    if !race.is_finished() && self.dice.percent(50) {
                        commands.push(Command::Finish);
                    }
                    if self.dice.percent(50) {
                        commands.extend((0..=self.commands).map(|_| self.some_command(race)));
                    }
                    if !commands.is_empty() {
                        return Some(self.settle(commands));
                    }
                }
                Stage::Over => return None,
            }
        }
    }

    fn settle(&mut self, commands: Vec<Command>) -> Step {
        let registers = commands.iter().all(|command| matches!(command, Command::Register(_)));
        let together = registers && self.dice.percent(30);
        Step::Commands { commands, together, besides: self.besides() }
    }

    fn besides(&mut self) -> Besides {
        if !self.dice.percent(self.mishaps) {
            return Besides::default();
        }
        Besides {
            time_is_up: false,
            overdue: self.dice.percent(20).then(|| u8::from(self.dice.percent(50))),
            failing_inspections: if self.dice.percent(30) { self.dice.between(1, 3) } else { 0 },
            dies_at: self.dice.percent(60).then(|| self.dice.between(1, 60)),
        }
    }

    /// Teams come, and the race starts; cars are registered before, or after.
    fn opening(&mut self) -> Step {
        let names = TEAMS.iter().take(self.teams as usize);
        let mut commands: Vec<Command> = names
            .map(|name| Command::CreateTeam {
                name: (*name).to_owned(),
                budget: self.dice.percent(20).then(|| Dollars(self.dice.between(0, 200).into())),
            })
            .collect();
        let mut cars: Vec<Command> = (0..self.plan.cars.len()).map(|index| self.register(index)).collect();
        if self.dice.percent(20) {
            // The last ones come later, if ever.
            cars.truncate(cars.len().div_ceil(2));
        }
        if self.dice.percent(70) {
            commands.extend(cars);
            commands.push(Command::Start);
        } else {
            commands.push(Command::Start);
            commands.extend(cars);
        }
        self.settle(commands)
    }

    fn commands(&mut self, race: &Race) -> Vec<Command> {
        let mut commands: Vec<Command> =
            (0..self.dice.between(0, self.commands)).map(|_| self.some_command(race)).collect();
        let pauses = matches!(race.life, Life::Paused) || commands.contains(&Command::Pause);
        if pauses && self.dice.percent(80) {
            commands.push(Command::Resume);
        }
        commands
    }

    /// A car is registered, mostly as itself.
    fn register(&mut self, index: usize) -> Command {
        let team = self.some_team();
        let dice = &mut self.dice;
        let Some(car) = self.plan.cars.get(index) else { return Command::Start };
        let instance = match dice.below(40) {
            0 => "somebody else".to_owned(),
            1 => String::new(),
            2 => "x".repeat(101),
            _ => car.instance.clone(),
        };
        let url = match dice.below(20) {
            0 => BaseUrl::parse("http://nobody").ok(),
            1 => None,
            _ if car.is_listed && dice.percent(80) => None,
            _ => Some(car.url.clone()),
        };
        Command::Register(Application { team, instance, url })
    }

    fn some_team(&mut self) -> TeamId {
        let beyond = u32::from(self.dice.percent(3));
        TeamId(self.dice.between(1, self.teams + beyond))
    }

    fn some_car(&mut self, race: &Race) -> CarId {
        let there: Vec<CarId> = race.cars.keys().copied().collect();
        match self.dice.percent(5) {
            true => CarId(self.dice.between(0, 12)),
            false => self.dice.pick(&there).copied().unwrap_or(CarId(1)),
        }
    }

    fn some_achievement(&mut self) -> Achievement {
        self.dice.one_of(&Achievement::ALL)
    }

    fn some_text(&mut self) -> String {
        match self.dice.below(12) {
            0 => " ".to_owned(),
            1 => "tab\tand\u{7}bell".to_owned(),
            2 => "é".repeat(4_001),
            3 => "Ü \"%\" 🏁\nin two lines".to_owned(),
            _ => "as it pleases the jury".to_owned(),
        }
    }

    fn some_command(&mut self, race: &Race) -> Command {
        match self.dice.below(30) {
            0..=2 => {
                let index = self.dice.below(u32::try_from(self.plan.cars.len()).unwrap_or(1)) as usize;
                self.register(index)
            }
            3 => Command::Grant { team: self.some_team(), dollars: self.some_dollars() },
            4..=8 => Command::CorrectCar(self.car_correction(race)),
            9 => Command::CorrectTeam(TeamCorrection {
                team: self.some_team(),
                reason: self.some_text(),
                budget: self.dice.percent(50).then(|| Dollars(self.dice.between(0, 200).into())),
                points: Points(i64::from(self.dice.between(0, 20)) - 10),
            }),
            10..=13 => self.transfer(race),
            14 | 15 => Command::Declare {
                encounter: self.dice.one_of(&[
                    Encounter::Nothing,
                    Encounter::Pirates,
                    Encounter::Garage,
                    Encounter::Wreck,
                    Encounter::Minefield,
                ]),
                cars: self
                    .dice
                    .percent(50)
                    .then(|| (0..self.dice.below(4)).map(|_| self.some_car(race)).collect()),
            },
            16 => Command::SetOdds(self.odds()),
            17..=19 => Command::PlaceBonus(self.bonus(race)),
            20 => Command::RemoveBonus(BonusId(self.dice.between(1, 9))),
            21 => Command::Award { team: self.some_team(), achievement: self.some_achievement() },
            22 => Command::PublishHint { achievement: self.some_achievement(), text: self.some_text() },
            23 => Command::Reveal { achievement: self.some_achievement() },
            24 => Command::Complain {
                team: self.some_team(),
                turn: TurnNo(race.turn.0.saturating_add(self.dice.below(2))),
                text: self.some_text(),
            },
            25 => Command::AnswerComplaint { number: self.dice.between(1, 3), text: self.some_text() },
            26 => Command::Pause,
            27 if self.dice.percent(50) => Command::Start,
            27 => Command::Resume,
            28 if self.dice.percent(10) => Command::Finish,
            _ => Command::CreateTeam { name: self.team_name(), budget: None },
        }
    }

    fn some_dollars(&mut self) -> Dollars {
        let most = self.dice.one_of(&[9, 9, 9, 1_000_001]);
        Dollars(self.dice.between(0, most).into())
    }

    fn team_name(&mut self) -> String {
        match self.dice.below(5) {
            0 => String::new(),
            1 => "n".repeat(101),
            2 => "Red".to_owned(),
            _ => format!("Late {}", self.dice.below(1_000)),
        }
    }

    fn odds(&mut self) -> EncounterOdds {
        let [nothing, pirates, garage, wreck, minefield] = self.dice.hundred();
        let wrong = u32::from(self.dice.percent(10));
        EncounterOdds { nothing: nothing + wrong, pirates, garage, wreck, minefield }
    }

    fn car_correction(&mut self, race: &Race) -> CarCorrection {
        // Where a transfer waits, one of its cars may be moved away before it is settled.
        let waits = race.transfers.first().map(|transfer| transfer.from);
        let car = waits.filter(|_| self.dice.percent(50)).unwrap_or_else(|| self.some_car(race));
        let reason = self.some_text();
        let dice = &mut self.dice;
        let square = dice.percent(30).then(|| match dice.below(20) {
            0 => Square(2_000_000),
            _ => Square(dice.between(0, 500)),
        });
        let modules = dice.percent(30).then(|| Modules {
            engine: dice.between(0, 4).into(),
            pilot: dice.between(0, 2).into(),
            weapon: dice.between(0, 4).into(),
        });
        CarCorrection {
            square,
            turns_to_miss: dice.percent(30).then(|| dice.between(0, 3)),
            modules,
            standing: dice.one_of(&[
                None,
                None,
                Some(NewStanding::Reinstated),
                Some(NewStanding::Reinstated),
                Some(NewStanding::Retired),
            ]),
            reason,
            car,
        }
    }

    fn bonus(&mut self, race: &Race) -> BonusPlan {
        let dice = &mut self.dice;
        BonusPlan {
            place: Place(dice.between(0, race.rules.track_length.min(40))),
            effect: effect(dice),
            often: dice.one_of(&[Often::Once, Often::OncePerTeam, Often::Always]),
            hidden: dice.percent(50),
        }
    }

    /// Mostly one that is possible: two cars of a team on the same place, and a module that the first has.
    fn transfer(&mut self, race: &Race) -> Command {
        let racing: Vec<_> = race.cars.values().filter(|car| car.is_racing()).collect();
        let mut pairs = Vec::new();
        for from in &racing {
            for to in &racing {
                let near = race.place_of(from) == race.place_of(to) || self.dice.percent(5);
                if from.id != to.id && from.team == to.team && near {
                    pairs.push((from, to));
                }
            }
        }
        let pair = self.dice.pick(&pairs).copied();
        let possible = pair.and_then(|(from, to)| {
            let module = self.dice.pick(&from.modules)?.clone();
            Some(Transfer { team: from.team, module, from: from.id, to: to.id })
        });
        Command::Transfer(possible.unwrap_or_else(|| Transfer {
            team: self.some_team(),
            module: Module { kind: Kind::Engine, name: "engine-1".to_owned() },
            from: self.some_car(race),
            to: self.some_car(race),
        }))
    }
}

fn effect(dice: &mut Dice) -> BonusEffect {
    let amount = dice.between(1, 9);
    let kind = dice.one_of(&Kind::ALL);
    dice.one_of(&[
        BonusEffect::Dollars(amount),
        BonusEffect::Points(amount),
        BonusEffect::Module(kind),
        BonusEffect::Module(kind),
        BonusEffect::Advance(amount),
        BonusEffect::Back(amount),
        BonusEffect::MissTurn,
        BonusEffect::ClearMisses,
    ])
}

/// A race as it is played in an evening, on a ring that may be shorter.
fn preset(dice: &mut Dice) -> Rules {
    let preset = if dice.percent(60) { Rules::balanced() } else { Rules::classic() };
    let track_length = dice.one_of(&[300, 300, 100, 30]);
    Rules { track_length, transfers: dice.percent(30), random_bonuses: dice.one_of(&[0, 0, 5, 20]), ..preset }
}

/// Any rules that are allowed, with numbers that make things happen.
fn rules(dice: &mut Dice) -> Rules {
    let [nothing, pirates, garage, wreck, minefield] = dice.hundred();
    let encounters = EncounterOdds { nothing, pirates, garage, wreck, minefield };
    let [nothing, engine, weapon, pilot, snakes] = dice.hundred();
    let wreck = WreckOdds { nothing, engine, weapon, pilot, snakes };
    let least_weapons = dice.between(1, 3);
    let track_length = if dice.percent(50) { dice.between(1, 4) } else { dice.between(5, 40) };
    let bonuses = if dice.percent(30) {
        let place = Place(dice.below(track_length));
        vec![BonusPlan { place, effect: effect(dice), often: Often::Always, hidden: dice.percent(50) }]
    } else {
        Vec::new()
    };
    let free = track_length - u32::try_from(bonuses.len()).unwrap_or(0);
    let achievements: BTreeMap<Achievement, Reward> = Achievement::ALL
        .into_iter()
        .filter_map(|achievement| {
            let reward = Reward { dollars: dice.between(0, 9), points: dice.between(0, 9) };
            dice.percent(80).then_some((achievement, reward))
        })
        .collect();
    Rules {
        initial_budget: dice.between(0, 150),
        prices: Prices { engine: dice.between(0, 3), pilot: dice.between(0, 3), weapon: dice.between(0, 3) },
        registration_fee: dice.between(0, 3),
        max_modules: dice.one_of(&[10, 10, 30]),
        track_length,
        combat_range: dice.between(0, 3),
        meet_again: dice.percent(50),
        encounters,
        spot_check_percent: dice.one_of(&[0, 5, 30, 100]),
        pirates: PirateRules {
            least_weapons,
            most_weapons: dice.between(least_weapons, 10),
            mind: dice.one_of(&PirateMind::ALL),
        },
        wreck,
        mine: MineRules { damage_percent: dice.between(0, 100), detour_turns: dice.between(0, 3) },
        garage_step_back: dice.between(0, 3),
        hand_limit: dice.percent(30).then(|| dice.between(1, 6)),
        verify_grace: Seconds(dice.between(0, 2)),
        spoils: if dice.percent(50) { Spoils::Destroyed } else { Spoils::WinnerTakes },
        transfers: dice.percent(70),
        end_award: dice.between(0, 20),
        achievements,
        scrooge_above: dice.between(0, 150),
        max_turns: dice.percent(30).then(|| dice.between(3, 20)),
        idle_turns: dice.between(1, 5),
        bonuses,
        random_bonuses: dice.below(free.min(6) + 1),
        ..Rules::balanced()
    }
}

fn car(dice: &mut Dice, number: u32, faults: u32) -> CarPlan {
    // Now and then two have the same name, or are at the same URL.
    let like = if dice.percent(5) { number.div_ceil(2) } else { number };
    let url =
        format!("http://car-{}:80{number:02}/v{like}", if dice.percent(5) { number / 2 } else { number });
    let healthy = dice.percent(30);
    let favourite = dice.one_of(&[None, None, Some(Kind::Engine), Some(Kind::Weapon), Some(Kind::Pilot)]);
    CarPlan {
        dice: number,
        instance: format!("i-{like}"),
        url: BaseUrl::parse(&url).expect("a URL"),
        is_listed: dice.percent(20),
        modules: [dice.between(0, 6), dice.between(0, 3), dice.between(0, 10)].map(|count| {
            // Most cars can start.
            if dice.percent(80) { count.max(1) } else { count }
        }),
        strategy: Strategy {
            searches: dice.one_of(&[0, 50, 100, 100]),
            crosses: dice.one_of(&[0, 50, 100]),
            fights: dice.one_of(&[0, 30, 70, 100]),
            buys: dice.one_of(&[0, 50, 100]),
            favourite,
        },
        faults: if healthy { Faults::none() } else { some_faults(dice, faults, &CarFault::ALL) },
        mind: dice.percent(90).then(|| mind(dice, MINDS + number, faults / 4)),
    }
}

fn mind(dice: &mut Dice, whose: u32, faults: u32) -> MindPlan {
    MindPlan {
        dice: whose,
        plays: dice.one_of(&[MindKind::First, MindKind::Random, MindKind::Random, MindKind::Fierce]),
        faults: some_faults(dice, faults, &MindFault::ALL),
    }
}

fn some_faults<F: Copy>(dice: &mut Dice, percent: u32, all: &[F]) -> Faults<F> {
    if percent == 0 {
        return Faults::none();
    }
    let kinds: Vec<F> = all.iter().copied().filter(|_| dice.percent(60)).collect();
    Faults { percent, kinds }
}

//! R-1: the race as the auditor knows it, and what each event changes in it.
//!
//! ```text
//! {"event":"car_moved","car":3,"squares":4,"to":12}: car 3 stands on square 12, and has been on no greater one
//! ```
//!
//! It follows what is recorded, also where that is against the rules: what was found once is not found again.

use crate::event::{Achievement, BonusPlan, Encounter, EncounterOdds, Event, Often, Transfer};
use crate::rules::Rules;
use crate::word::{Kind, Module, Modules, Resources};
use std::collections::{BTreeMap, BTreeSet};

/// A team (R-1.1).
#[derive(Debug, Clone, Default)]
pub(crate) struct Team {
    pub(crate) name: String,
    pub(crate) budget: u64,
    pub(crate) medals: BTreeSet<Achievement>,
    pub(crate) achievement_points: i64,
    pub(crate) bonus_points: i64,
    pub(crate) jury_points: i64,
    /// Whether an inspector reads what it has: seen at its registrations.
    pub(crate) inspected: bool,
}

/// Where a car stands in the race (R-1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Entered,
    Racing,
    Retired,
}

/// A car (R-1.2).
#[derive(Debug, Clone)]
pub(crate) struct Car {
    pub(crate) team: u32,
    pub(crate) instance: String,
    pub(crate) url: String,
    pub(crate) resources: Resources,
    pub(crate) square: u32,
    pub(crate) furthest: u32,
    /// In the order in which they came.
    pub(crate) modules: Vec<Module>,
    pub(crate) turns_to_miss: u32,
    pub(crate) fights_won: u32,
    pub(crate) status: Status,
    /// How many names it was given (R-1.3).
    pub(crate) names_given: u32,
}

impl Car {
    pub(crate) fn count(&self, kind: Kind) -> u64 {
        self.modules.iter().filter(|module| module.kind == kind).count() as u64
    }

    pub(crate) fn weapons(&self) -> u32 {
        u32::try_from(self.count(Kind::Weapon)).unwrap_or(u32::MAX)
    }

    pub(crate) fn counts(&self) -> Modules {
        let mut counts = Modules::default();
        for kind in Kind::ALL {
            counts.set(kind, self.count(kind));
        }
        counts
    }

    pub(crate) fn has(&self, module: &Module) -> bool {
        self.modules.contains(module)
    }

    fn stands_on(&mut self, square: u32) {
        self.square = square;
        self.furthest = self.furthest.max(square);
    }

    /// Puts the names of a kind where the first of that kind was.
    fn rename(&mut self, kind: Kind, names: &[String]) {
        let at = self.modules.iter().position(|module| module.kind >= kind).unwrap_or(self.modules.len());
        self.modules.retain(|module| module.kind != kind);
        let at = at.min(self.modules.len());
        let named = names.iter().map(|name| Module { kind, name: name.clone() });
        self.modules.splice(at..at, named);
    }
}

/// A bonus on the ring (R-12).
#[derive(Debug, Clone)]
pub(crate) struct Bonus {
    pub(crate) plan: BonusPlan,
    pub(crate) taken_by: BTreeSet<u32>,
}

impl Bonus {
    /// Whether a team's car can take it.
    pub(crate) fn is_for(&self, team: u32) -> bool {
        match self.plan.often {
            Often::Once => self.taken_by.is_empty(),
            Often::OncePerTeam => !self.taken_by.contains(&team),
            Often::Always => true,
        }
    }

    /// Whether nobody can take it any more.
    pub(crate) fn is_used_up(&self) -> bool {
        self.plan.often == Often::Once && !self.taken_by.is_empty()
    }
}

/// What a race is doing (R-10.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Phase {
    #[default]
    Preparing,
    Running,
    Paused,
    Finished,
}

/// What was declared for the next turn (R-3.3).
#[derive(Debug, Clone, Default)]
pub(crate) struct Declared {
    pub(crate) all: Option<Encounter>,
    pub(crate) cars: BTreeMap<u32, Encounter>,
}

/// A race.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) rules: Rules,
    pub(crate) odds: EncounterOdds,
    pub(crate) phase: Phase,
    /// The turn that was completed last.
    pub(crate) turn: u32,
    pub(crate) teams: BTreeMap<u32, Team>,
    pub(crate) cars: BTreeMap<u32, Car>,
    pub(crate) bonuses: BTreeMap<u32, Bonus>,
    pub(crate) bonuses_placed: u32,
    pub(crate) declared: Declared,
    pub(crate) transfers: Vec<Transfer>,
    /// Who filed each complaint.
    pub(crate) complaints: BTreeMap<u32, u32>,
    /// Pairs that met and have not moved since (R-4.1).
    pub(crate) met: BTreeSet<(u32, u32)>,
    /// Turns in a row without a car (R-10.2).
    pub(crate) idle: u32,
}

impl Model {
    pub(crate) fn new(rules: Rules) -> Model {
        Model {
            odds: rules.encounters,
            rules,
            phase: Phase::Preparing,
            turn: 0,
            teams: BTreeMap::new(),
            cars: BTreeMap::new(),
            bonuses: BTreeMap::new(),
            bonuses_placed: 0,
            declared: Declared::default(),
            transfers: Vec::new(),
            complaints: BTreeMap::new(),
            met: BTreeSet::new(),
            idle: 0,
        }
    }

    /// The place on the ring (R-1.4).
    pub(crate) fn place(&self, square: u32) -> u32 {
        square % self.rules.track_length.max(1)
    }

    pub(crate) fn racing(&self, car: u32) -> bool {
        self.cars.get(&car).is_some_and(|car| car.status == Status::Racing)
    }

    pub(crate) fn budget(&self, team: u32) -> u64 {
        self.teams.get(&team).map_or(0, |team| team.budget)
    }

    fn moved(&mut self, car: u32) {
        self.met.retain(|(one, other)| *one != car && *other != car);
    }

    fn earn(&mut self, team: u32, change: impl FnOnce(&mut Team)) {
        if let Some(team) = self.teams.get_mut(&team) {
            change(team);
        }
    }

    fn alter(&mut self, car: u32, change: impl FnOnce(&mut Car)) {
        if let Some(car) = self.cars.get_mut(&car) {
            change(car);
        }
    }

    /// What an event changes.
    pub(crate) fn apply(&mut self, event: &Event) {
        match event {
            Event::TeamCreated { team, name, budget } => {
                let created = Team { name: name.clone(), budget: *budget, ..Team::default() };
                self.teams.insert(*team, created);
            }
            Event::RaceStarted {} | Event::RaceResumed {} => self.phase = Phase::Running,
            Event::RacePaused {} => self.phase = Phase::Paused,
            Event::RaceFinished { .. } => self.phase = Phase::Finished,
            Event::CarRegistered { car, team, instance, url, resources, modules, paid } => {
                self.earn(*team, |team| team.budget = team.budget.saturating_sub(*paid));
                let registered = Car {
                    team: *team,
                    instance: instance.clone(),
                    url: url.clone(),
                    resources: resources.clone(),
                    square: 0,
                    furthest: 0,
                    modules: modules.clone(),
                    turns_to_miss: 0,
                    fights_won: 0,
                    status: Status::Entered,
                    names_given: 0,
                };
                self.cars.insert(*car, registered);
            }
            Event::CarStarted { car } => self.alter(*car, |car| car.status = Status::Racing),
            Event::TurnMissed { car } => {
                self.alter(*car, |car| car.turns_to_miss = car.turns_to_miss.saturating_sub(1));
            }
            Event::CarMoved { car, to, .. } | Event::CarStepped { car, to, .. } => {
                self.moved(*car);
                self.alter(*car, |car| car.stands_on(*to));
            }
            Event::TurnsToMissAdded { car, turns, .. } => {
                self.alter(*car, |car| car.turns_to_miss = car.turns_to_miss.saturating_add(*turns));
            }
            Event::Penalised { car, .. } | Event::FightLost { car, .. } => {
                self.alter(*car, |car| car.turns_to_miss = car.turns_to_miss.saturating_add(1));
            }
            Event::NamesRead { car, kind, names } => self.alter(*car, |car| car.rename(*kind, names)),
            Event::CarRetired { car, .. } => self.alter(*car, |car| car.status = Status::Retired),
            Event::ModuleGained { car, module, .. } => {
                self.alter(*car, |car| {
                    car.modules.push(module.clone());
                    let serial = module.name.rsplit('-').next().and_then(|serial| serial.parse().ok());
                    car.names_given = serial.unwrap_or(car.names_given.saturating_add(1));
                });
            }
            Event::ModuleLost { car, module, .. } => {
                self.alter(*car, |car| {
                    if let Some(at) = car.modules.iter().position(|had| had == module) {
                        car.modules.remove(at);
                    }
                });
            }
            Event::BonusPlaced { bonus, plan } => {
                self.bonuses_placed = *bonus;
                self.bonuses.insert(*bonus, Bonus { plan: plan.clone(), taken_by: BTreeSet::new() });
            }
            Event::BonusRemoved { bonus, .. } => _ = self.bonuses.remove(bonus),
            Event::BonusTaken { car, team, bonus, effect, .. } => self.take(*car, *team, *bonus, effect),
            Event::CarsMet { cars: [one, other], .. } => {
                self.met.insert((*one.min(other), *one.max(other)));
            }
            Event::FightWon { car, .. } => self.alter(*car, |car| car.fights_won += 1),
            Event::ModuleBought { team, price, .. } => {
                self.earn(*team, |team| team.budget = team.budget.saturating_sub(*price));
            }
            Event::AchievementEarned { team, achievement, dollars, points, .. } => {
                self.earn(*team, |team| {
                    team.medals.insert(*achievement);
                    team.budget = team.budget.saturating_add(*dollars);
                    team.achievement_points = team.achievement_points.saturating_add(*points);
                });
            }
            Event::TurnCompleted { turn } => self.turn = *turn,
            Event::BudgetGranted { team, dollars } => {
                self.earn(*team, |team| team.budget = team.budget.saturating_add(*dollars));
            }
            Event::EncounterDeclared { encounter, cars: None } => {
                self.declared = Declared { all: Some(*encounter), cars: BTreeMap::new() };
            }
            Event::EncounterDeclared { encounter, cars: Some(cars) } => {
                self.declared.cars.extend(cars.iter().map(|car| (*car, *encounter)));
            }
            Event::OddsSet { odds } => self.odds = *odds,
            Event::TransferAsked { transfer } => self.transfers.push(transfer.clone()),
            Event::CarCorrected { car, square, turns_to_miss, modules, reinstated, .. } => {
                if square.is_some() {
                    self.moved(*car);
                }
                self.alter(*car, |car| {
                    if let Some(square) = square {
                        car.stands_on(*square);
                    }
                    car.turns_to_miss = turns_to_miss.unwrap_or(car.turns_to_miss);
                    if let Some(modules) = modules {
                        car.modules.clone_from(modules);
                    }
                    if *reinstated {
                        car.status = Status::Entered;
                    }
                });
            }
            Event::TeamCorrected { team, budget, points, .. } => {
                self.earn(*team, |team| {
                    team.budget = budget.unwrap_or(team.budget);
                    team.jury_points = team.jury_points.saturating_add(*points);
                });
            }
            Event::ComplaintFiled { number, team, .. } => _ = self.complaints.insert(*number, *team),
            _ => {}
        }
    }

    fn take(&mut self, car: u32, team: u32, bonus: u32, effect: &crate::event::BonusEffect) {
        use crate::event::BonusEffect;
        if let Some(there) = self.bonuses.get_mut(&bonus) {
            there.taken_by.insert(team);
        }
        match effect {
            BonusEffect::Dollars(dollars) => {
                self.earn(team, |team| team.budget = team.budget.saturating_add(u64::from(*dollars)));
            }
            BonusEffect::Points(points) => self.earn(team, |team| team.bonus_points += i64::from(*points)),
            BonusEffect::MissTurn => self.alter(car, |car| car.turns_to_miss += 1),
            BonusEffect::ClearMisses => self.alter(car, |car| car.turns_to_miss = 0),
            BonusEffect::Module(_) | BonusEffect::Advance(_) | BonusEffect::Back(_) => {}
        }
    }
}

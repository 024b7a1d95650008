//! What each event changes. The only place where a race changes, and it can't fail.
//!
//! A car's own changes are in [`Car::apply`], so that a conversation with one car can follow them on its own copy
//! while other cars are being talked to.

use super::event::Event;
use super::state::{
    Bonus, BonusEffect, Car, Complaint, Declared, Life, Module, Race, RunningTurn, Status, Team,
};
use crate::contract::Kind;
use crate::ids::{CarId, Points, Square, TurnNo};
use std::collections::BTreeSet;

impl Race {
    /// Changes the race by one event.
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::RaceCreated { .. } => {}
            Event::TeamCreated { team, name, budget } => {
                let ledger = super::state::Ledger { initial: budget.0, ..Default::default() };
                self.teams.insert(
                    *team,
                    Team {
                        id: *team,
                        name: name.clone(),
                        ledger,
                        medals: BTreeSet::new(),
                        achievement_points: Points(0),
                        bonus_points: Points(0),
                        jury_points: Points(0),
                        score: Points(0),
                    },
                );
            }
            Event::RaceStarted | Event::RaceResumed => self.life = Life::Running,
            Event::RacePaused => self.life = Life::Paused,
            Event::RaceFinished { ending } => self.life = Life::Finished(*ending),

            Event::CarRegistered { car, team, instance, url, resources, modules, paid } => {
                self.cars.insert(
                    *car,
                    Car {
                        id: *car,
                        team: *team,
                        instance: instance.clone(),
                        url: url.clone(),
                        resources: resources.clone(),
                        square: Square(0),
                        furthest: Square(0),
                        modules: modules.clone(),
                        names_given: 0,
                        turns_to_miss: 0,
                        fights_won: 0,
                        status: Status::Entered,
                    },
                );
                self.team(*team, |team| team.ledger.spent += paid.0);
            }
            Event::RegistrationRefused { .. } => {}

            Event::TurnStarted { turn } => {
                self.turn = *turn;
                self.running_turn = Some(RunningTurn::default());
                self.transfers.clear();
            }
            Event::PriorityDrawn { order, missing } => {
                if let Some(turn) = &mut self.running_turn {
                    turn.priority.clone_from(order);
                    turn.missing = missing.iter().copied().collect();
                }
            }
            Event::CarMoved { car, .. } => {
                if let Some(turn) = &mut self.running_turn {
                    turn.moved.insert(*car);
                }
                self.car(*car, event);
            }
            Event::CarStarted { car }
            | Event::TurnMissed { car }
            | Event::CarStepped { car, .. }
            | Event::TurnsToMissAdded { car, .. }
            | Event::Penalised { car, .. }
            | Event::NamesRead { car, .. }
            | Event::CarRetired { car, .. }
            | Event::ModuleGained { car, .. }
            | Event::ModuleLost { car, .. }
            | Event::FightWon { car, .. }
            | Event::FightLost { car, .. }
            | Event::CarCorrected { car, .. } => self.car(*car, event),

            Event::BonusPlaced { bonus, plan } => {
                self.bonuses_placed = bonus.0;
                self.bonuses.insert(plan.place, Bonus { id: *bonus, plan: *plan, taken_by: BTreeSet::new() });
            }
            Event::BonusRemoved { place, .. } => {
                self.bonuses.remove(place);
            }
            Event::BonusTaken { car, team, place, effect, .. } => {
                if let Some(bonus) = self.bonuses.get_mut(place) {
                    bonus.taken_by.insert(*team);
                }
                self.team(*team, |team| match effect {
                    BonusEffect::Dollars(dollars) => team.ledger.bonuses += u64::from(*dollars),
                    BonusEffect::Points(points) => team.bonus_points.0 += i64::from(*points),
                    _ => {}
                });
                self.car(*car, event);
            }

            Event::CarsMet { cars: [a, b], .. } => {
                self.met.insert((*a.min(b), *a.max(b)));
            }
            Event::ModuleBought { team, price, .. } => self.team(*team, |team| team.ledger.spent += price.0),

            Event::AchievementEarned { team, achievement, dollars, points, .. } => self.team(*team, |team| {
                team.medals.insert(*achievement);
                team.ledger.rewards += dollars.0;
                team.achievement_points.0 += points.0;
            }),
            Event::Scored { scores, end_awards } => {
                for score in scores {
                    self.team(score.team, |team| team.score = score.total);
                }
                self.end_awards.clone_from(end_awards);
            }
            Event::TurnCompleted { .. } => {
                let somebody = self.cars.values().any(|car| !car.is_retired());
                self.idle_turns = if somebody { 0 } else { self.idle_turns.saturating_add(1) };
                self.running_turn = None;
                self.declared = Declared::default();
            }

            Event::BudgetGranted { team, dollars } => {
                self.team(*team, |team| team.ledger.granted += dollars.0);
            }
            Event::EncounterDeclared { encounter, cars } => match cars {
                None => self.declared.all = Some(*encounter),
                Some(cars) => self.declared.cars.extend(cars.iter().map(|car| (*car, *encounter))),
            },
            Event::OddsSet { odds } => {
                if let Ok(rules) = self.rules.with_odds(*odds) {
                    self.rules = rules;
                }
            }
            Event::TransferAsked { transfer } => self.transfers.push(transfer.clone()),
            Event::TeamCorrected { team, budget, points, .. } => self.team(*team, |team| {
                if let Some(right) = budget {
                    let wrong = team.budget().0;
                    team.ledger.corrected_up += right.0.saturating_sub(wrong);
                    team.ledger.corrected_down += wrong.saturating_sub(right.0);
                }
                team.jury_points.0 += points.0;
            }),
            Event::ComplaintFiled { number, team, turn, text } => self.complaints.push(Complaint {
                number: *number,
                team: *team,
                turn: *turn,
                text: text.clone(),
                answer: None,
            }),
            Event::ComplaintAnswered { number, text, .. } => {
                if let Some(complaint) =
                    self.complaints.iter_mut().find(|complaint| complaint.number == *number)
                {
                    complaint.answer = Some(text.clone());
                }
            }
            Event::HintPublished { achievement, text } => {
                self.hints.insert(*achievement, text.clone());
            }
            Event::AchievementRevealed { achievement } => {
                self.revealed.insert(*achievement);
            }

            Event::DeviationsAccepted { .. }
            | Event::DuelDeviationsAccepted { .. }
            | Event::InspectionSkipped { .. }
            | Event::FightDeclined { .. }
            | Event::FightStarted { .. }
            | Event::DuelForfeited { .. }
            | Event::DuelStarted { .. }
            | Event::DuelPlayed { .. }
            | Event::FightDrawn { .. }
            | Event::EncounterMet { .. }
            | Event::PiratesAttacked { .. }
            | Event::WreckSearched { .. }
            | Event::WreckLeft { .. }
            | Event::MinefieldCrossed { .. }
            | Event::MinefieldAvoided { .. }
            | Event::GarageLeft { .. }
            | Event::TooExpensive { .. }
            | Event::TransferVoid { .. } => {}
        }
        debug_assert_eq!(self.broken_invariant(), None, "after {event:?}");
    }

    fn team(&mut self, id: crate::ids::TeamId, change: impl FnOnce(&mut Team)) {
        debug_assert!(self.teams.contains_key(&id), "team {id} is in the race");
        if let Some(team) = self.teams.get_mut(&id) {
            change(team);
        }
    }

    /// Changes one car, and forgets whom it met if it has moved.
    fn car(&mut self, id: CarId, event: &Event) {
        debug_assert!(self.cars.contains_key(&id), "car {id} is in the race");
        let Some(car) = self.cars.get_mut(&id) else { return };
        let before = car.square;
        car.apply(event, self.turn);
        if car.square != before {
            self.met.retain(|(a, b)| *a != id && *b != id);
        }
    }

    /// The first invariant that does not hold, if one does not. Checked after every event in debug builds.
    #[must_use]
    pub fn broken_invariant(&self) -> Option<String> {
        for team in self.teams.values() {
            let ledger = &team.ledger;
            if ledger.received() != ledger.spent + ledger.corrected_down + ledger.left().0 {
                return Some(format!("R-1.1: team {} has spent more than it had: {ledger:?}", team.id));
            }
        }
        for car in self.cars.values() {
            if car.furthest < car.square {
                return Some(format!("R-1.2: car {} is further than it ever was", car.id));
            }
            if !self.teams.contains_key(&car.team) {
                return Some(format!("R-1.2: car {} has no team", car.id));
            }
            let names: BTreeSet<&Module> = car.modules.iter().collect();
            if names.len() != car.modules.len() {
                return Some(format!("R-1.3: car {} has two modules of one name", car.id));
            }
        }
        None
    }
}

impl Car {
    /// Changes the car by one event that is about it; other events change nothing.
    pub(super) fn apply(&mut self, event: &Event, turn: TurnNo) {
        match event {
            Event::CarStarted { .. } => self.status = Status::Racing,
            Event::TurnMissed { .. } => self.turns_to_miss = self.turns_to_miss.saturating_sub(1),
            Event::CarMoved { to, .. } | Event::CarStepped { to, .. } => self.move_to(*to),
            Event::TurnsToMissAdded { turns, .. } => {
                self.turns_to_miss = self.turns_to_miss.saturating_add(*turns);
            }
            Event::Penalised { .. } | Event::FightLost { .. } => {
                self.turns_to_miss = self.turns_to_miss.saturating_add(1);
            }
            Event::NamesRead { kind, names, .. } => {
                let mut names = names.iter();
                for module in self.modules.iter_mut().filter(|module| module.kind == *kind) {
                    if let Some(name) = names.next() {
                        module.name.clone_from(name);
                    }
                }
            }
            Event::CarRetired { reason, .. } => {
                debug_assert!(!self.is_retired(), "car {} retires once", self.id);
                self.status = Status::Retired { reason: reason.clone(), turn };
            }
            Event::ModuleGained { module, .. } => {
                self.names_given = self.next_name(module.kind, turn).1;
                self.modules.push(module.clone());
            }
            Event::ModuleLost { module, .. } => {
                let found = self.modules.iter().position(|mine| mine == module);
                debug_assert!(found.is_some(), "car {} loses what it has", self.id);
                if let Some(index) = found {
                    self.modules.remove(index);
                }
            }
            Event::BonusTaken { effect, .. } => match effect {
                BonusEffect::MissTurn => self.turns_to_miss = self.turns_to_miss.saturating_add(1),
                BonusEffect::ClearMisses => self.turns_to_miss = 0,
                _ => {}
            },
            Event::FightWon { .. } => self.fights_won = self.fights_won.saturating_add(1),
            Event::CarCorrected { square, turns_to_miss, modules, reinstated, .. } => {
                if let Some(square) = square {
                    // The jury is not bound by the road: a retired car's square may be corrected too.
                    self.square = *square;
                    self.furthest = self.furthest.max(*square);
                }
                if let Some(turns) = turns_to_miss {
                    self.turns_to_miss = *turns;
                }
                if let Some(modules) = modules {
                    self.modules.clone_from(modules);
                }
                if *reinstated {
                    self.status = Status::Entered;
                }
            }
            _ => {}
        }
    }

    fn move_to(&mut self, square: Square) {
        debug_assert!(!self.is_retired(), "retired car {} never moves", self.id);
        self.square = square;
        self.furthest = self.furthest.max(square);
    }

    /// The name that the game master gives to the next module of a kind, and its serial number.
    pub(super) fn next_name(&self, kind: Kind, turn: TurnNo) -> (String, u32) {
        let most =
            self.names_given.saturating_add(1 + u32::try_from(self.modules.len()).unwrap_or(u32::MAX - 1));
        let name = |serial: u32| format!("{kind}-t{turn}-c{}-{serial}", self.id);
        // A team may have given such a name itself; among one more than it has modules there is a free one.
        let serial = (self.names_given.saturating_add(1)..most)
            .find(|serial| !self.has(kind, &name(*serial)))
            .unwrap_or(most);
        (name(serial), serial)
    }
}

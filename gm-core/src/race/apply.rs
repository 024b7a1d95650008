//! What each event changes. The only place where a race changes, and it can't fail.
//!
//! [`Event::ModuleBought`] for $2 adds 2 to what the team has spent; the module itself comes with
//! [`Event::ModuleGained`]. [`Event::FightDeclined`] changes nothing.
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
                // The turn in which the last car retires is not one without a car.
                let raced = self.running_turn.as_ref().is_some_and(|turn| !turn.priority.is_empty());
                let somebody = raced || self.cars.values().any(|car| !car.is_retired());
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

    /// Changes one car, and forgets whom it met if it has moved (R-4.1).
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

    /// The name that the game master gives to the next module of a kind, and its serial number (R-1.3).
    pub(super) fn next_name(&self, kind: Kind, turn: TurnNo) -> (String, u32) {
        let taken_at_most = u32::try_from(self.modules.len()).unwrap_or(u32::MAX);
        let most = self.names_given.saturating_add(taken_at_most).saturating_add(1);
        let name = |serial: u32| format!("{kind}-t{turn}-c{}-{serial}", self.id);
        // A team may have given such a name itself; among one more than it has modules there is a free one.
        let serial = (self.names_given.saturating_add(1)..most)
            .find(|serial| !self.has(kind, &name(*serial)))
            .unwrap_or(most);
        (name(serial), serial)
    }
}

/// What events change on a team and on the race, and what is always so.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Dollars, Place, TeamId};
    use crate::memory::MemoryCar;
    use crate::race::event::{Achievement, Retirement};
    use crate::race::state::{BonusId, BonusPlan, Ending, Often};
    use crate::race::tests::Scene;

    /// Breaks a race by hand, and looks for the rule that notices.
    #[track_caller]
    fn check(damage: impl FnOnce(&mut Race), noticed: Option<&str>) {
        let mut scene = Scene::quiet();
        scene.car_on(1, MemoryCar::new("a", 2, 1, 1), 5);
        let mut race = scene.race;
        assert_eq!(race.broken_invariant(), None);
        damage(&mut race);
        let broken = race.broken_invariant();
        assert_eq!(broken.as_deref().map(|text| &text[..noticed.map_or(0, str::len)]), noticed, "{broken:?}");
    }

    #[test]
    fn r_1_what_is_always_so() {
        let first = |race: &mut Race, change: fn(&mut Car)| {
            change(race.cars.get_mut(&CarId(1)).expect("a car"));
        };
        let ledger = |race: &mut Race, change: fn(&mut crate::race::state::Ledger)| {
            change(&mut race.teams.get_mut(&TeamId(2)).expect("a team").ledger);
        };
        check(|race| ledger(race, |ledger| ledger.spent = 100), None);
        check(|race| ledger(race, |ledger| ledger.spent = 101), Some("R-1.1: team 2 has spent more"));
        check(|race| ledger(race, |ledger| ledger.corrected_down = 101), Some("R-1.1"));
        check(|race| first(race, |car| car.furthest = Square(9)), None);
        check(|race| first(race, |car| car.furthest = Square(4)), Some("R-1.2: car 1 is further"));
        check(|race| first(race, |car| car.team = TeamId(9)), Some("R-1.2: car 1 has no team"));
        check(|race| first(race, |car| car.modules[1].name = "engine-1".to_owned()), Some("R-1.3: car 1"));
        // R-1.3: a name is unique within its kind only.
        check(|race| first(race, |car| car.modules[2].name = "engine-1".to_owned()), None);
    }

    /// R-1.1: where a team's money comes from and goes, and its points.
    #[test]
    fn r_1_1_the_ledger_line_by_line() {
        let team = TeamId(1);
        let car = CarId(1);
        let plan =
            |place, effect| BonusPlan { place: Place(place), effect, often: Often::Always, hidden: false };
        let taken = |bonus, place, effect| Event::BonusTaken {
            car,
            team,
            bonus: BonusId(bonus),
            place: Place(place),
            effect,
        };
        let corrected = |budget: Option<u64>, points| Event::TeamCorrected {
            team,
            reason: "r".to_owned(),
            budget: budget.map(Dollars),
            points: Points(points),
        };
        let earned = |achievement| Event::AchievementEarned {
            team,
            car: None,
            achievement,
            dollars: Dollars(7),
            points: Points(3),
            by_hand: false,
        };
        let bought = Event::ModuleBought { car, team, kind: Kind::Engine, price: Dollars(30) };
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 1, 1, 1));
        for place in [1, 2] {
            let plan = plan(place, BonusEffect::MissTurn);
            scene.happen(Event::BonusPlaced { bonus: BonusId(place), plan });
        }
        for (event, budget, [achievements, bonuses, jury]) in [
            (Event::BudgetGranted { team, dollars: Dollars(5) }, 105, [0, 0, 0]),
            (Event::BudgetGranted { team, dollars: Dollars(5) }, 110, [0, 0, 0]),
            (bought.clone(), 80, [0, 0, 0]),
            (bought, 50, [0, 0, 0]),
            (earned(Achievement::MadMax), 57, [3, 0, 0]),
            (earned(Achievement::Scrooge), 64, [6, 0, 0]),
            (taken(1, 1, BonusEffect::Dollars(4)), 68, [6, 0, 0]),
            (taken(1, 1, BonusEffect::Dollars(4)), 72, [6, 0, 0]),
            (taken(2, 2, BonusEffect::Points(9)), 72, [6, 9, 0]),
            (taken(2, 2, BonusEffect::Points(9)), 72, [6, 18, 0]),
            (corrected(None, 2), 72, [6, 18, 2]),
            (corrected(Some(60), -5), 60, [6, 18, -3]),
            (corrected(Some(90), 0), 90, [6, 18, -3]),
            (corrected(Some(50), 0), 50, [6, 18, -3]),
            (corrected(Some(70), 0), 70, [6, 18, -3]),
        ] {
            scene.happen(event.clone());
            let team = scene.team(1);
            assert_eq!(team.budget(), Dollars(budget), "{event}");
            let points = [team.achievement_points, team.bonus_points, team.jury_points];
            assert_eq!(points, [achievements, bonuses, jury].map(Points), "{event}");
        }
        let ledger = scene.team(1).ledger;
        assert_eq!((ledger.corrected_up, ledger.corrected_down), (50, 52));
        assert_eq!((ledger.rewards, ledger.bonuses, ledger.granted, ledger.spent), (14, 8, 10, 60));
        assert_eq!(scene.team(2).budget(), Dollars(100), "nobody else's money");
        assert!(scene.race.bonuses.values().all(|bonus| bonus.taken_by.contains(&team)));
    }

    /// R-10.2: turns in a row at whose end nobody takes part.
    #[test]
    fn r_10_2_idle_turns() {
        let mut scene = Scene::quiet();
        let turn = crate::ids::TurnNo(1);
        let complete = |scene: &mut Scene| {
            scene.happen(Event::TurnCompleted { turn });
            scene.race.idle_turns
        };
        assert_eq!([complete(&mut scene), complete(&mut scene)], [1, 2]);
        let car = scene.car(1, MemoryCar::new("a", 1, 1, 1));
        scene.car(1, MemoryCar::new("b", 1, 1, 1));
        assert_eq!(complete(&mut scene), 0);
        scene.happen(Event::CarRetired { car, reason: Retirement::OutOfFuel });
        assert_eq!(complete(&mut scene), 0);
        // The turn in which the last car retires is not one without a car; the next is.
        scene.happen(Event::TurnStarted { turn });
        scene.happen(Event::PriorityDrawn { order: vec![CarId(2)], missing: vec![] });
        scene.happen(Event::CarRetired { car: CarId(2), reason: Retirement::OutOfFuel });
        assert_eq!(complete(&mut scene), 0);
        scene.happen(Event::TurnStarted { turn });
        scene.happen(Event::PriorityDrawn { order: vec![], missing: vec![] });
        assert_eq!(complete(&mut scene), 1);
    }

    /// R-10.1: the life of the race follows its events, and a second beginning changes nothing.
    #[test]
    fn r_10_1_life() {
        let mut scene = Scene::quiet();
        for (event, life) in [
            (Event::RacePaused, Life::Paused),
            (Event::RaceResumed, Life::Running),
            (Event::RaceFinished { ending: Ending::TimeUp }, Life::Finished(Ending::TimeUp)),
        ] {
            scene.happen(event);
            assert_eq!(scene.race.life, life);
        }
        let before = scene.race.clone();
        scene.happen(scene.history[0].clone());
        assert_eq!(scene.race, before);
    }

    /// R-4.1: a pair that met is forgotten when one of them moves, and only then.
    #[test]
    fn r_4_1_who_met_whom() {
        let mut scene = Scene::quiet();
        let [a, b, c] = [1, 2, 3].map(|team| scene.car(team, MemoryCar::new(&format!("c{team}"), 1, 1, 1)));
        let place = Place(0);
        for cars in [[b, a], [c, b], [a, c]] {
            scene.happen(Event::CarsMet { cars, place });
        }
        assert_eq!(scene.race.met, BTreeSet::from([(a, b), (b, c), (a, c)]));
        scene.misses(a, 3);
        assert_eq!(scene.race.met.len(), 3);
        scene.happen(Event::CarMoved { car: b, squares: 1, to: Square(1) });
        assert_eq!(scene.race.met, BTreeSet::from([(a, c)]));
        scene.happen(Event::CarMoved { car: b, squares: 1, to: Square(2) });
        assert_eq!(scene.race.met, BTreeSet::from([(a, c)]));
        scene.happen(Event::CarMoved { car: c, squares: 1, to: Square(1) });
        assert_eq!(scene.race.met, BTreeSet::new());
    }

    /// Each of a car's own events, one after the other: turns to miss, fights won, square and furthest.
    #[test]
    fn r_1_2_what_a_car_s_events_change() {
        use crate::race::event::{Breach, Check, Combatant, DelayCause, Fact, StepCause};
        let car = CarId(1);
        let breach = Breach {
            check: Check::Inspected(Kind::Engine),
            expected: Fact::Count(1),
            found: crate::contract::Found::Value(Fact::Count(2)),
        };
        let bonus =
            |effect| Event::BonusTaken { car, team: TeamId(1), bonus: BonusId(1), place: Place(0), effect };
        let against = Combatant::Pirates;
        let won = Event::FightWon { car, against, weapons: 1, other_weapons: 1 };
        let mut scene = Scene::quiet();
        scene.car(1, MemoryCar::new("a", 1, 1, 1));
        for (event, expected) in [
            (Event::TurnMissed { car }, (0, 0, 0, 0)),
            (Event::Penalised { car, breach }, (1, 0, 0, 0)),
            (Event::FightLost { car, against }, (2, 0, 0, 0)),
            (Event::TurnsToMissAdded { car, turns: 3, cause: DelayCause::Minefield }, (5, 0, 0, 0)),
            (bonus(BonusEffect::MissTurn), (6, 0, 0, 0)),
            (bonus(BonusEffect::Dollars(1)), (6, 0, 0, 0)),
            (Event::TurnMissed { car }, (5, 0, 0, 0)),
            (bonus(BonusEffect::ClearMisses), (0, 0, 0, 0)),
            (won.clone(), (0, 1, 0, 0)),
            (won, (0, 2, 0, 0)),
            (Event::CarMoved { car, squares: 4, to: Square(4) }, (0, 2, 4, 4)),
            (Event::CarStepped { car, to: Square(3), cause: StepCause::Garage }, (0, 2, 3, 4)),
            (Event::CarStepped { car, to: Square(9), cause: StepCause::Bonus }, (0, 2, 9, 9)),
            (Event::TurnsToMissAdded { car, turns: u32::MAX, cause: DelayCause::Wreck }, (u32::MAX, 2, 9, 9)),
            (Event::FightLost { car, against }, (u32::MAX, 2, 9, 9)),
        ] {
            scene.happen(event.clone());
            let car = scene.the(car);
            let now = (car.turns_to_miss, car.fights_won, car.square.0, car.furthest.0);
            assert_eq!(now, expected, "{event}");
        }
    }

    /// R-1.3: a car all of whose modules have the names that come next still gets a new one.
    #[test]
    fn r_1_3_the_next_name_is_free() {
        let mut scene = Scene::quiet();
        let mut car = MemoryCar::new("a", 0, 0, 0);
        let names = ["pilot-t2-c1-1", "pilot-t2-c1-2"];
        car.modules.insert(Kind::Pilot, names.map(str::to_owned).to_vec());
        let id = scene.car(1, car);
        let next = |kind, turn| scene.the(id).next_name(kind, TurnNo(turn));
        assert_eq!(next(Kind::Pilot, 2), ("pilot-t2-c1-3".to_owned(), 3));
        assert_eq!(next(Kind::Pilot, 3), ("pilot-t3-c1-1".to_owned(), 1));
        assert_eq!(next(Kind::Weapon, 2), ("weapon-t2-c1-1".to_owned(), 1));
    }

    /// R-7.2: names that were read again are those of one kind only, in order.
    #[test]
    fn r_7_2_names_read() {
        let mut scene = Scene::quiet();
        let car = scene.car(1, MemoryCar::new("a", 2, 1, 2));
        let names = ["sword", "rope"].map(str::to_owned).to_vec();
        scene.happen(Event::NamesRead { car, kind: Kind::Weapon, names });
        let names: Vec<&str> = scene.the(car).modules.iter().map(|module| module.name.as_str()).collect();
        assert_eq!(names, ["engine-1", "engine-2", "pilot-1", "sword", "rope"]);
    }
}

/// What events change on a car.
#[cfg(test)]
mod car_tests {
    use crate::contract::{CarRequest, Fault, Found, Kind};
    use crate::ids::{CarId, Dollars, Place, Square, TeamId, TurnNo};
    use crate::memory::MemoryCar;
    use crate::race::event::{
        Breach, Check, Combatant, DelayCause, Event, Fact, GainCause, LossCause, Retirement, StepCause,
    };
    use crate::race::state::{BonusEffect, BonusId, Module};
    use crate::race::tests::Scene;

    const CAR: CarId = CarId(1);

    /// A car of team 1 with modules 2 1 1 on square 10, with one turn to miss and no fight won, after turn 3.
    fn scene() -> Scene {
        let mut scene = Scene::quiet();
        scene.car_on(1, MemoryCar::new("a", 2, 1, 1), 10);
        scene.car_on(2, MemoryCar::new("b", 2, 1, 1), 10);
        scene.misses(CAR, 1);
        scene.happen(Event::TurnStarted { turn: TurnNo(3) });
        scene
    }

    fn moved(to: u32) -> Event {
        Event::CarMoved { car: CAR, squares: 2, to: Square(to) }
    }

    fn stepped(to: u32) -> Event {
        Event::CarStepped { car: CAR, to: Square(to), cause: StepCause::Garage }
    }

    fn module(kind: Kind, name: &str) -> Module {
        Module { kind, name: name.to_owned() }
    }

    fn gained(kind: Kind, name: &str) -> Event {
        Event::ModuleGained { car: CAR, module: module(kind, name), cause: GainCause::Wreck }
    }

    fn lost(kind: Kind, name: &str) -> Event {
        Event::ModuleLost { car: CAR, module: module(kind, name), cause: LossCause::Minefield }
    }

    fn corrected(
        square: Option<u32>,
        turns_to_miss: Option<u32>,
        modules: Option<&[Module]>,
        reinstated: bool,
    ) -> Event {
        Event::CarCorrected {
            car: CAR,
            reason: "the jury".to_owned(),
            square: square.map(Square),
            turns_to_miss,
            modules: modules.map(<[Module]>::to_vec),
            reinstated,
        }
    }

    fn bonus(effect: BonusEffect) -> Event {
        Event::BonusTaken { car: CAR, team: TeamId(1), bonus: BonusId(1), place: Place(10), effect }
    }

    /// Columns: what happens to the car; the car then, and how far it ever was; the names of its modules.
    #[track_caller]
    fn check(rows: &[(&[Event], &str, u32, &str)]) {
        for (events, after, furthest, names) in rows {
            let mut scene = scene();
            let other = scene.the(CarId(2)).clone();
            for event in *events {
                scene.happen(event.clone());
            }
            let row: Vec<String> = events.iter().map(ToString::to_string).collect();
            assert_eq!(scene.sums_up(CAR), *after, "{row:?}");
            assert_eq!(scene.the(CAR).furthest, Square(*furthest), "{row:?}");
            let has: Vec<&str> = scene.the(CAR).modules.iter().map(|module| module.name.as_str()).collect();
            assert_eq!(has.join(" "), *names, "{row:?}");
            assert_eq!(*scene.the(CarId(2)), other, "another car: {row:?}");
        }
    }

    const NAMES: &str = "engine-1 engine-2 pilot-1 weapon-1";
    const SAME: &str = "on 10, 1 to miss, 0 won, racing with 2 1 1";

    #[test]
    fn r_1_2_moves() {
        check(&[
            (&[moved(12)], "on 12, 1 to miss, 0 won, racing with 2 1 1", 12, NAMES),
            (&[moved(12), stepped(11)], "on 11, 1 to miss, 0 won, racing with 2 1 1", 12, NAMES),
            (&[stepped(20)], "on 20, 1 to miss, 0 won, racing with 2 1 1", 20, NAMES),
            (
                &[moved(12), stepped(11), moved(12), moved(14)],
                "on 14, 1 to miss, 0 won, racing with 2 1 1",
                14,
                NAMES,
            ),
            (
                &[corrected(Some(3), None, None, false)],
                "on 3, 1 to miss, 0 won, racing with 2 1 1",
                10,
                NAMES,
            ),
            (
                &[corrected(Some(30), None, None, false)],
                "on 30, 1 to miss, 0 won, racing with 2 1 1",
                30,
                NAMES,
            ),
        ]);
    }

    #[test]
    fn r_7_1_turns_to_miss() {
        let penalty = || Event::Penalised {
            car: CAR,
            breach: Breach {
                check: Check::Asked(CarRequest::Wreck),
                expected: Fact::AnAnswer,
                found: Found::Fault(Fault::Late),
            },
        };
        let added = |turns| Event::TurnsToMissAdded { car: CAR, turns, cause: DelayCause::Minefield };
        let misses = |turns: u32| format!("on 10, {turns} to miss, 0 won, racing with 2 1 1");
        let lost_fight = Event::FightLost { car: CAR, against: Combatant::Pirates };
        check(&[
            (&[penalty()], &misses(2), 10, NAMES),
            (&[added(3)], &misses(4), 10, NAMES),
            (&[added(u32::MAX), penalty()], &misses(u32::MAX), 10, NAMES),
            (&[lost_fight], &misses(2), 10, NAMES),
            (&[Event::TurnMissed { car: CAR }], &misses(0), 10, NAMES),
            (&[Event::TurnMissed { car: CAR }, Event::TurnMissed { car: CAR }], &misses(0), 10, NAMES),
            (&[bonus(BonusEffect::MissTurn)], &misses(2), 10, NAMES),
            (&[added(3), bonus(BonusEffect::ClearMisses)], &misses(0), 10, NAMES),
            (&[bonus(BonusEffect::Advance(3))], SAME, 10, NAMES),
            (&[corrected(None, Some(7), None, false)], &misses(7), 10, NAMES),
        ]);
    }

    #[test]
    fn r_1_2_standing_and_fights() {
        let won = || Event::FightWon { car: CAR, against: Combatant::Pirates, weapons: 1, other_weapons: 9 };
        let retired = || Event::CarRetired { car: CAR, reason: Retirement::OutOfFuel };
        let out = "on 10, 1 to miss, 0 won, out of fuel in turn 3 with 2 1 1";
        check(&[
            (&[won(), won()], "on 10, 1 to miss, 2 won, racing with 2 1 1", 10, NAMES),
            (&[retired()], out, 10, NAMES),
            (&[retired(), corrected(None, None, None, false)], out, 10, NAMES),
            (
                &[retired(), corrected(None, None, None, true)],
                "on 10, 1 to miss, 0 won, entered with 2 1 1",
                10,
                NAMES,
            ),
            (
                &[retired(), corrected(None, None, None, true), Event::CarStarted { car: CAR }],
                SAME,
                10,
                NAMES,
            ),
            // The jury may correct the square of a retired car, which does not put it back.
            (
                &[retired(), corrected(Some(40), None, None, false)],
                "on 40, 1 to miss, 0 won, out of fuel in turn 3 with 2 1 1",
                40,
                NAMES,
            ),
            (&[Event::WreckLeft { car: CAR }], SAME, 10, NAMES),
        ]);
    }

    #[test]
    fn r_1_3_modules() {
        let read = |kind, names: &[&str]| Event::NamesRead {
            car: CAR,
            kind,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        check(&[
            (
                &[gained(Kind::Pilot, "pilot-t3-c1-1")],
                "on 10, 1 to miss, 0 won, racing with 2 2 1",
                10,
                "engine-1 engine-2 pilot-1 weapon-1 pilot-t3-c1-1",
            ),
            (
                &[lost(Kind::Engine, "engine-1")],
                "on 10, 1 to miss, 0 won, racing with 1 1 1",
                10,
                "engine-2 pilot-1 weapon-1",
            ),
            (
                &[lost(Kind::Weapon, "weapon-1")],
                "on 10, 1 to miss, 0 won, racing with 2 1 0",
                10,
                "engine-1 engine-2 pilot-1",
            ),
            (&[read(Kind::Engine, &["V8", "V6"])], SAME, 10, "V8 V6 pilot-1 weapon-1"),
            (&[read(Kind::Weapon, &["gun"])], SAME, 10, "engine-1 engine-2 pilot-1 gun"),
            (
                &[corrected(None, None, Some(&[module(Kind::Pilot, "p")]), false)],
                "on 10, 1 to miss, 0 won, racing with 0 1 0",
                10,
                "p",
            ),
        ]);
    }

    /// Names carry turn, car and a serial number, so that no two are ever equal: not after a loss, not where a team
    /// gave such names itself.
    #[test]
    fn r_1_3_names_given_by_the_game_master() {
        let name = |scene: &Scene, kind| scene.the(CAR).next_name(kind, scene.race.turn);
        let mut scene = scene();
        assert_eq!(name(&scene, Kind::Engine), ("engine-t3-c1-1".to_owned(), 1));
        scene.happen(gained(Kind::Engine, "engine-t3-c1-1"));
        assert_eq!(name(&scene, Kind::Weapon), ("weapon-t3-c1-2".to_owned(), 2), "one serial for all kinds");
        scene.happen(lost(Kind::Engine, "engine-t3-c1-1"));
        assert_eq!(name(&scene, Kind::Engine).0, "engine-t3-c1-2", "a lost name is not given again");

        // Columns: a team's own engines and weapons; the next engine's name.
        let rows: &[(&[&str], &[&str], &str)] = &[
            (&["engine-t3-c1-1"], &[], "engine-t3-c1-2"),
            (&[], &["engine-t3-c1-1"], "engine-t3-c1-1"),
            (&["engine-t3-c1-2"], &[], "engine-t3-c1-1"),
            (&["engine-t2-c1-1", "engine-t3-c2-1"], &[], "engine-t3-c1-1"),
            (&["engine-t3-c1-2", "engine-t3-c1-1", "engine-t3-c1-3"], &[], "engine-t3-c1-4"),
            (&["engine-t3-c1-1", "engine-t3-c1-3"], &[], "engine-t3-c1-2"),
        ];
        for (engines, weapons, expected) in rows {
            let mut scene = self::scene();
            let modules: Vec<Module> = engines
                .iter()
                .map(|name| module(Kind::Engine, name))
                .chain(weapons.iter().map(|name| module(Kind::Weapon, name)))
                .collect();
            scene.happen(corrected(None, None, Some(&modules), false));
            let (given, serial) = name(&scene, Kind::Engine);
            assert_eq!(given, *expected, "{engines:?} {weapons:?}");
            scene.happen(gained(Kind::Engine, &given));
            assert_eq!(scene.the(CAR).names_given, serial);
            let (next, next_serial) = name(&scene, Kind::Engine);
            assert!(next_serial > serial && !scene.the(CAR).has(Kind::Engine, &next), "{next}");
        }
    }

    /// The same in a race: a garage's engine gets a free name, and the car takes it as a new one.
    #[test]
    fn r_1_3_a_team_s_own_names_do_not_collide() {
        let mut scene = Scene::quiet();
        let mut car = MemoryCar { buys: Some(Kind::Engine), ..MemoryCar::new("a", 0, 1, 1) };
        car.modules.insert(Kind::Engine, vec!["engine-t1-c1-1".to_owned(), "engine-t1-c1-2".to_owned()]);
        scene.car(1, car);
        scene.declare(crate::race::state::Encounter::Garage);
        assert!(scene.told().contains(&"car 1 gains engine \"engine-t1-c1-3\" (garage)".to_owned()));
        assert_eq!(scene.the(CAR).count(Kind::Engine), 3);
    }

    /// R-4.1: whom a car met is known until one of the two moves, in whatever way; others' meetings stay.
    #[test]
    fn r_4_1_pairs_that_met() {
        let met = |a, b| Event::CarsMet { cars: [CarId(a), CarId(b)], place: Place(10) };
        // Columns: what happens after the pairs 1-2, 1-3 and 2-3 met; the pairs still known.
        let rows: &[(Event, &[(u32, u32)])] = &[
            (moved(12), &[(2, 3)]),
            (stepped(9), &[(2, 3)]),
            (corrected(Some(11), None, None, false), &[(2, 3)]),
            (stepped(10), &[(1, 2), (1, 3), (2, 3)]),
            (corrected(Some(10), None, None, false), &[(1, 2), (1, 3), (2, 3)]),
            (corrected(None, Some(2), None, false), &[(1, 2), (1, 3), (2, 3)]),
            (Event::CarMoved { car: CarId(2), squares: 1, to: Square(11) }, &[(1, 3)]),
            (Event::CarMoved { car: CarId(3), squares: 1, to: Square(11) }, &[(1, 2)]),
        ];
        for (event, expected) in rows {
            let mut scene = scene();
            scene.car_on(3, MemoryCar::new("c", 2, 1, 1), 10);
            for event in [met(2, 1), met(1, 3), met(2, 3)] {
                scene.happen(event);
            }
            scene.happen(event.clone());
            let known: Vec<(u32, u32)> = scene.race.met.iter().map(|(a, b)| (a.0, b.0)).collect();
            assert_eq!(known, *expected, "{event}");
        }
    }

    /// What a turn knows of its cars, and forgets when it is complete.
    #[test]
    fn r_3_the_running_turn() {
        let mut scene = scene();
        scene.happen(Event::PriorityDrawn { order: vec![CarId(2), CAR], missing: vec![CAR] });
        assert_eq!(scene.race.racing_in_priority(), [CarId(2), CAR]);
        assert!(scene.race.misses_this_turn(CAR) && !scene.race.misses_this_turn(CarId(2)));
        scene.happen(Event::CarMoved { car: CarId(2), squares: 2, to: Square(12) });
        scene.happen(stepped(9));
        let moved = |scene: &Scene| scene.race.running_turn.clone().map(|turn| turn.moved);
        assert_eq!(moved(&scene), Some([CarId(2)].into()), "a step is not a move on track");
        scene.happen(Event::CarRetired { car: CarId(2), reason: Retirement::Destroyed });
        assert_eq!(scene.race.racing_in_priority(), [CAR], "retired cars take no part");
        scene.happen(Event::TurnCompleted { turn: TurnNo(3) });
        assert_eq!(scene.race.running_turn, None);
        assert_eq!(scene.race.racing_in_priority(), []);
    }

    /// R-5.4: a purchase is paid by the team alone.
    #[test]
    fn r_5_4_a_purchase_is_in_the_books() {
        let mut scene = scene();
        let bought = Event::ModuleBought { car: CAR, team: TeamId(1), kind: Kind::Pilot, price: Dollars(30) };
        scene.happen(bought);
        assert_eq!((scene.team(1).budget(), scene.team(1).ledger.spent), (Dollars(70), 30));
        assert_eq!(scene.team(2).budget(), Dollars(100));
        assert_eq!(scene.sums_up(CAR), SAME, "the module is gained by an event of its own");
    }
}

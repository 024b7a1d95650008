//! R-4: fights between cars.
//!
//! ```text
//! cars 1 and 6 met; car 6 wants to fight, so the fight starts; car 1 loses the duel, a module, and its next turn
//! ```

use crate::answer;
use crate::event::{
    Achievement, Breach, Check, Combatant, Event, Fact, Found, GainCause, LossCause, Retirement,
};
use crate::judge::{Judge, Talk};
use crate::rules::Spoils;
use crate::turn::Turn;
use crate::word::{Fault, Kind, Request};
use std::collections::{BTreeMap, BTreeSet};

/// R-9.4: so many weapons fewer make a strategist.
const STRATEGIST: u32 = 3;

/// R-9.3: so many weapons are armed to the teeth.
const ARMED: u32 = 8;

impl Judge {
    /// R-4.2: the pairs are drawn, then each fights.
    pub(crate) fn fights(&mut self, turn: &mut Turn) {
        for cars in self.draws_pairs() {
            self.fight(turn, cars);
        }
    }

    /// R-4.1: all pairs that can fight, lower id first, by their teams.
    fn pairs(&self, free: &BTreeSet<u32>) -> BTreeMap<(u32, u32), Vec<[u32; 2]>> {
        let mut pairs: BTreeMap<(u32, u32), Vec<[u32; 2]>> = BTreeMap::new();
        for &one in free {
            for &other in free.range(one.saturating_add(1)..) {
                let (Some(a), Some(b)) = (self.model.cars.get(&one), self.model.cars.get(&other)) else {
                    continue;
                };
                let length = self.model.rules.track_length.max(1);
                let apart = self.model.place(a.square).abs_diff(self.model.place(b.square));
                let near = apart.min(length - apart.min(length)) <= self.model.rules.combat_range;
                let met = !self.model.rules.meet_again && self.model.met.contains(&(one, other));
                if a.team != b.team && near && !met {
                    let teams = (a.team.min(b.team), a.team.max(b.team));
                    pairs.entry(teams).or_default().push([one, other]);
                }
            }
        }
        pairs
    }

    fn draws_pairs(&mut self) -> Vec<[u32; 2]> {
        let mut free = self.racing();
        let mut drawn = Vec::new();
        loop {
            let possible = self.pairs(&free);
            let met = match self.peek() {
                Some(Event::CarsMet { cars, place }) => Some((*cars, *place)),
                _ => None,
            };
            let Some((cars, place)) = met else {
                if !possible.is_empty() {
                    self.wrong("R-4.2", format!("expected that a pair of {possible:?} meets"));
                }
                return drawn;
            };
            let at = possible.values().position(|pairs| pairs.contains(&cars));
            match at.and_then(|at| possible.values().nth(at).map(|pairs| (at, pairs))) {
                None => self.wrong("R-4.1", format!("cars {cars:?} can't fight; these can: {possible:?}")),
                Some((at, pairs)) => {
                    let which = pairs.iter().position(|pair| *pair == cars).unwrap_or_default();
                    self.tally.evenly("R-4.2", "fighting teams", possible.len(), at);
                    self.tally.evenly("R-4.2", "fighting pair", pairs.len(), which);
                }
            }
            let [one, other] = cars;
            let right = self.model.cars.get(&one).map_or(0, |car| self.model.place(car.square));
            if place != right {
                self.wrong("R-4.1", format!("cars {cars:?} met on place {right}, found {place}"));
            }
            self.advance();
            free.remove(&one);
            free.remove(&other);
            drawn.push(cars);
        }
    }

    /// R-4.3: who wants to fight?
    fn fight(&mut self, turn: &mut Turn, cars: [u32; 2]) {
        let [one, other] = cars;
        let team_of = |judge: &Judge, car: u32| judge.model.cars.get(&car).map_or(0, |car| car.team);
        let teams = [team_of(self, one), team_of(self, other)];
        let talks = cars.map(|car| self.talk("fight", car));
        let mut answers: [Result<bool, Fault>; 2] = [Ok(false), Ok(false)];
        for side in 0..2 {
            let request = Request::ShouldFight(teams[1 - side]);
            answers[side] = self.ask("R-4.3", &talks[side], &request, answer::yes_or_no);
        }
        for side in 0..2 {
            let breach = answers[side].err().map(|fault| Breach {
                check: Check::Asked(Request::ShouldFight(teams[1 - side])),
                expected: Fact::AnAnswer,
                found: Found::Fault(fault),
            });
            self.punishes("R-4.3", cars[side], breach);
        }
        let willing = answers.map(|answer| answer == Ok(true));
        if willing == [false, false] {
            let by_both = answers == [Ok(false), Ok(false)];
            self.expect("R-4.3", Event::FightDeclined { cars, teams, by_both });
            if by_both {
                turn.deed(one, Achievement::Pacifist);
                turn.deed(other, Achievement::Pacifist);
            }
            return;
        }
        self.expect("R-4.3", Event::FightStarted { cars, willing });
        let weapons = cars.map(|car| self.model.cars.get(&car).map_or(0, crate::model::Car::weapons));
        if weapons.contains(&0) {
            self.without_weapons(turn, cars, weapons, &talks);
        } else {
            self.comes_to_duel(turn, cars, weapons, &talks);
        }
    }

    /// R-4.4: who has no weapon is destroyed.
    fn without_weapons(&mut self, turn: &mut Turn, cars: [u32; 2], weapons: [u32; 2], talks: &[Talk; 2]) {
        for side in 0..2 {
            if weapons[side] == 0 {
                self.retires(&talks[side], cars[side], Retirement::Destroyed);
                turn.deed(cars[side], Achievement::ClickClick);
            }
        }
        if let Some(winner) = (0..2).find(|side| weapons[*side] > 0) {
            let against = Combatant::Car(cars[1 - winner]);
            let (car, weapons) = (cars[winner], weapons[winner]);
            self.expect("R-4.4", Event::FightWon { car, against, weapons, other_weapons: 0 });
        } else {
            self.expect("R-4.4", Event::FightDrawn { combatants: cars.map(Combatant::Car) });
        }
    }

    /// R-4.5, R-4.6: where the AIs are, and the duel.
    fn comes_to_duel(&mut self, turn: &mut Turn, cars: [u32; 2], weapons: [u32; 2], talks: &[Talk; 2]) {
        let combatants = cars.map(Combatant::Car);
        let mut urls = [None, None];
        for side in 0..2 {
            urls[side] = Some(self.ask("R-4.5", &talks[side], &Request::DuelUrl, answer::duel_url));
        }
        let urls = urls.map(|url| url.unwrap_or(Err(Fault::Unreachable)));
        for side in 0..2 {
            if let Err(fault) = urls[side] {
                self.expect("R-4.5", Event::DuelForfeited { car: cars[side], fault });
            }
        }
        let seats = match &urls {
            [Ok(one), Ok(other)] => {
                let seats = [self.seat("duel", cars[0], one), self.seat("duel", cars[1], other)];
                for side in 0..2 {
                    self.arms(turn, cars[side], weapons[side]);
                }
                Some(seats)
            }
            _ => None,
        };
        let winner = match (seats, &urls) {
            (Some(seats), _) => self.duel(combatants, weapons, &seats),
            (None, [Ok(_), Err(_)]) => Some(0),
            (None, [Err(_), Ok(_)]) => Some(1),
            (None, _) => None,
        };
        let Some(winner) = winner else {
            self.expect("R-4.6", Event::FightDrawn { combatants });
            return;
        };
        let loser = 1 - winner;
        self.wins(turn, cars[winner], combatants[loser], weapons[winner], weapons[loser]);
        let lost = self.loses_fight(turn, &talks[loser], cars[loser], combatants[winner], LossCause::Fight);
        if let (Some(kind), Spoils::WinnerTakes) = (lost, self.model.rules.spoils) {
            let breach = self.gains(&talks[winner], cars[winner], kind, GainCause::Spoils);
            self.punishes("R-7.6", cars[winner], breach);
        }
    }

    /// R-9.3: a duel starts in which a car has many weapons.
    pub(crate) fn arms(&mut self, turn: &mut Turn, car: u32, weapons: u32) {
        if weapons >= ARMED {
            turn.deed(car, Achievement::ArmedToTheTeeth);
        }
    }

    /// R-4.6: a win, and what it is worth (R-9.4).
    pub(crate) fn wins(&mut self, turn: &mut Turn, car: u32, against: Combatant, weapons: u32, other: u32) {
        self.expect("R-4.6", Event::FightWon { car, against, weapons, other_weapons: other });
        if other >= weapons.saturating_add(STRATEGIST) {
            turn.deed(car, Achievement::Strategist);
        }
    }

    /// R-4.6: a loss: its square, a module, a turn. Gives the kind of the module.
    pub(crate) fn loses_fight(
        &mut self,
        turn: &mut Turn,
        talk: &Talk,
        car: u32,
        against: Combatant,
        cause: LossCause,
    ) -> Option<Kind> {
        self.expect("R-4.6", Event::FightLost { car, against });
        let square = self.model.cars.get(&car).map_or(0, |car| car.square);
        self.tell("R-4.6", talk, &Request::SetSquare(square));
        let breach = self.corrects_square("R-4.6", talk, car);
        self.punishes("R-4.6", car, breach);
        let lost = self.loses_any("R-4.6", talk, car, cause)?;
        self.last_pilot(turn, car);
        Some(lost.kind)
    }

    /// R-9.8: a car has lost its last pilot.
    pub(crate) fn last_pilot(&mut self, turn: &mut Turn, car: u32) {
        if self.model.cars.get(&car).is_some_and(|car| car.count(Kind::Pilot) == 0) {
            turn.deed(car, Achievement::Ulysses31);
        }
    }
}

//! fights between cars.
//!
//! Two cars of different teams on the same square are asked whether they want to fight; if one does, both must. All
//! fights of a turn go on at the same time: no car is in two of them.

use super::conversation::Conversation;
use super::duel::{self, Party};
use super::event::{Combatant, Event, GainCause, LossCause, Retirement};
use super::rules::Spoils;
use super::state::{Car, Race};
use super::turn::Turn;
use crate::arena::duel::Side;
use crate::contract::CarRequest;
use crate::ids::{CarId, TeamId};
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::{join, join_all};

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let pairs = draw_pairs(&turn.race);
    for cars @ [first, _] in &pairs {
        let Some(place) = turn.race.cars.get(first).map(|car| turn.race.place_of(car)) else { continue };
        turn.emit(Event::CarsMet { cars: *cars, place });
    }
    let fights = pairs.iter().filter_map(|[a, b]| {
        let [a, b] = [turn.converse(Topic::Fight, *a)?, turn.converse(Topic::Fight, *b)?];
        Some(Fight { cars: [a.id(), b.id()], a, b, events: Vec::new() }.meet())
    });
    let fought = join_all(fights).await;
    turn.emit_all(fought.into_iter().flatten());
}

/// Whether two cars can fight.
fn can_fight(race: &Race, a: &Car, b: &Car) -> bool {
    let rules = &race.rules;
    a.is_racing()
        && b.is_racing()
        && a.team != b.team
        && race.place_of(a).distance(race.place_of(b), rules.track_length) <= rules.combat_range
        && (rules.meet_again || !race.met.contains(&(a.id.min(b.id), a.id.max(b.id))))
}

/// Draws the pairs that meet in this turn: of all that are still possible, first two teams that have one
/// between them, then one of their pairs; both cars leave; until none is left.
fn draw_pairs(race: &Race) -> Vec<[CarId; 2]> {
    let mut possible: Vec<([TeamId; 2], [CarId; 2])> = Vec::new();
    let racing: Vec<&Car> = race.cars.values().filter(|car| car.is_racing()).collect();
    for (index, a) in racing.iter().enumerate() {
        for b in racing.iter().skip(index + 1).filter(|b| can_fight(race, a, b)) {
            possible.push(([a.team.min(b.team), a.team.max(b.team)], [a.id, b.id]));
        }
    }
    let mut dice = race.seed.stream(race.turn, Purpose::Pairs, CarId(0));
    let mut drawn = Vec::new();
    for _ in 0..racing.len() / 2 {
        let mut teams: Vec<[TeamId; 2]> = possible.iter().map(|(teams, _)| *teams).collect();
        teams.sort_unstable();
        teams.dedup();
        let Some(teams) = dice.pick(&teams) else { break };
        let pairs: Vec<[CarId; 2]> =
            possible.iter().filter(|(of, _)| of == teams).map(|(_, pair)| *pair).collect();
        let Some(pair) = dice.pick(&pairs) else { break };
        possible.retain(|(_, cars)| cars.iter().all(|car| !pair.contains(car)));
        drawn.push(*pair);
    }
    drawn
}

/// A fight between two cars, with what has happened in it so far, in order.
struct Fight<'a, W: World> {
    cars: [CarId; 2],
    a: Conversation<'a, W>,
    b: Conversation<'a, W>,
    events: Vec<Event>,
}

impl<W: World> Fight<'_, W> {
    /// Both are asked whether they want to fight; if one does, it starts.
    async fn meet(mut self) -> Vec<Event> {
        let cars = self.cars;
        let teams = [self.a.car.team, self.b.car.team];
        let (a, b) = join(wants_to_fight(&mut self.a, teams[1]), wants_to_fight(&mut self.b, teams[0])).await;
        self.collect();
        if a == Some(true) || b == Some(true) {
            self.events.push(Event::FightStarted { cars, willing: [a == Some(true), b == Some(true)] });
            self.fight().await;
        } else {
            let by_both = a == Some(false) && b == Some(false);
            self.events.push(Event::FightDeclined { cars, teams, by_both });
        }
        self.collect();
        self.events
    }

    /// A car without a weapon is destroyed; two with weapons fight a duel.
    async fn fight(&mut self) {
        match [duel::weapons_of(&self.a), duel::weapons_of(&self.b)] {
            [0, 0] => {
                join(self.a.retire(Retirement::Destroyed), self.b.retire(Retirement::Destroyed)).await;
                self.collect();
                self.drawn();
            }
            weapons @ [0, _] => {
                self.a.retire(Retirement::Destroyed).await;
                self.won(Side::Black, weapons);
            }
            weapons @ [_, 0] => {
                self.b.retire(Retirement::Destroyed).await;
                self.won(Side::White, weapons);
            }
            weapons => self.duel(weapons).await,
        }
    }

    /// Both are asked for their duel AI, and the duel is played.
    async fn duel(&mut self, weapons: [u32; 2]) {
        let topic = Topic::FightDuel;
        let ais = join(duel::ask_for_ai(&mut self.a, topic), duel::ask_for_ai(&mut self.b, topic)).await;
        self.collect();
        let winner = match ais {
            (None, None) => None,
            (Some(_), None) => Some(Side::White),
            (None, Some(_)) => Some(Side::Black),
            (Some(a), Some(b)) => {
                let party =
                    |at: usize, ai| Party { who: Combatant::Car(self.cars[at]), weapons: weapons[at], ai };
                let parties = [party(0, a), party(1, b)];
                let mut dice = self.a.dice(Purpose::Duel);
                let (events, winner) = duel::play(self.a.world, self.a.rules, &mut dice, parties).await;
                self.events.extend(events);
                winner
            }
        };
        match winner {
            None => self.drawn(),
            Some(side) => {
                self.won(side, weapons);
                self.aftermath(side).await;
            }
        }
    }

    /// The loser is punished, and the winner may take what it lost.
    async fn aftermath(&mut self, winner: Side) {
        let (winner, loser) = match winner {
            Side::White => (&mut self.a, &mut self.b),
            Side::Black => (&mut self.b, &mut self.a),
        };
        let against = Combatant::Car(winner.id());
        let lost = duel::lose(loser, against, Purpose::FightLoss, LossCause::Fight).await;
        self.events.extend(loser.take_events());
        if let (Spoils::WinnerTakes, Some(module)) = (winner.rules.spoils, lost) {
            winner.gain(module.kind, GainCause::Spoils).await;
        }
    }

    fn won(&mut self, winner: Side, weapons: [u32; 2]) {
        self.collect();
        let (mine, other) = (winner.index(), winner.other().index());
        let event = Event::FightWon {
            car: self.cars[mine],
            against: Combatant::Car(self.cars[other]),
            weapons: weapons[mine],
            other_weapons: weapons[other],
        };
        match winner {
            Side::White => self.a.note(event),
            Side::Black => self.b.note(event),
        }
        self.collect();
    }

    fn drawn(&mut self) {
        self.events.push(Event::FightDrawn { combatants: self.cars.map(Combatant::Car) });
    }

    /// What happened in the two conversations becomes what happened in the fight.
    fn collect(&mut self) {
        self.events.extend(self.a.take_events());
        self.events.extend(self.b.take_events());
    }
}

/// Whether a car wants to fight; an error counts as no, and is a penalty.
async fn wants_to_fight<W: World>(car: &mut Conversation<'_, W>, other: TeamId) -> Option<bool> {
    match car.should_fight(other).await {
        Ok(wants) => Some(wants),
        Err(fault) => {
            car.penalise_no_answer(CarRequest::ShouldFight(other), fault);
            None
        }
    }
}

//! bonuses on the ring, and: who takes them.
//!
//! A car that ends its move on track on a place with a bonus takes it, in the turn's order of priority. An advance
//! or a step back does not trigger another one.

use super::conversation::Conversation;
use super::event::{Event, GainCause, StepCause};
use super::state::{BonusEffect, BonusId, BonusPlan, Often, Race};
use super::turn::Turn;
use crate::contract::Kind;
use crate::ids::{CarId, Place, TurnNo};
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::join_all;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let mut taken = Vec::new();
    for car in turn.race.racing_in_priority() {
        if let Some((event, effect)) = taken_by(&turn.race, car) {
            turn.emit(event);
            taken.push((car, effect));
        }
    }
    let effects =
        taken.into_iter().filter_map(|(car, effect)| Some(happen(turn.converse(Topic::Bonus, car)?, effect)));
    let happened = join_all(effects).await;
    turn.emit_all(happened.into_iter().flatten());
}

/// The bonus that a car takes, if it moved on to one that its team can take.
fn taken_by(race: &Race, car: CarId) -> Option<(Event, BonusEffect)> {
    let moved = race.running_turn.as_ref()?.moved.contains(&car);
    let car = race.cars.get(&car).filter(|_| moved)?;
    let place = race.place_of(car);
    let bonus = race.bonuses.get(&place).filter(|bonus| bonus.can_be_taken_by(car.team))?;
    let effect = bonus.plan.effect;
    Some((Event::BonusTaken { car: car.id, team: car.team, bonus: bonus.id, place, effect }, effect))
}

/// What the bonus does to the car. What it does to the team, and to the turns to miss, is in `apply`.
async fn happen<W: World>(mut car: Conversation<'_, W>, effect: BonusEffect) -> Vec<Event> {
    let square = car.car.square;
    match effect {
        BonusEffect::Module(kind) => car.gain(kind, GainCause::Bonus).await,
        BonusEffect::Advance(squares) => car.step(square.forward(squares), StepCause::Bonus).await,
        BonusEffect::Back(squares) => car.step(square.back(squares), StepCause::Bonus).await,
        BonusEffect::Dollars(_)
        | BonusEffect::Points(_)
        | BonusEffect::MissTurn
        | BonusEffect::ClearMisses => {}
    }
    car.take_events()
}

/// The bonuses that lie on the ring from the start: those of the rules, and those drawn from the seed.
pub(super) fn at_creation(race: &Race) -> Vec<Event> {
    let rules = &race.rules;
    let mut plans = rules.bonuses.clone();
    let mut free: Vec<Place> = (0..rules.track_length)
        .map(Place)
        .filter(|place| plans.iter().all(|plan| plan.place != *place))
        .collect();
    let mut dice = race.seed.stream(TurnNo(0), Purpose::Bonuses, CarId(0));
    dice.shuffle(&mut free);
    for place in free.into_iter().take(rules.random_bonuses as usize) {
        let effect = match dice.below(8) {
            0 => BonusEffect::Dollars(dice.between(1, 10)),
            1 => BonusEffect::Points(dice.between(1, 5)),
            2 => BonusEffect::Module(Kind::Engine),
            3 => BonusEffect::Module(Kind::Weapon),
            4 => BonusEffect::Advance(dice.between(1, 6)),
            5 => BonusEffect::Back(dice.between(1, 6)),
            6 => BonusEffect::MissTurn,
            _ => BonusEffect::ClearMisses,
        };
        plans.push(BonusPlan { place, effect, often: Often::Once, hidden: true });
    }
    (1..).zip(plans).map(|(id, plan)| Event::BonusPlaced { bonus: BonusId(id), plan }).collect()
}

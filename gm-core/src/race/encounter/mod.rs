//! encounters, one draw for each racing car. R-5 says what each is: [`pirates`], [`wreck`], [`mine`],
//! [`garage`].
//!
//! The admin may have declared the encounter of this turn, which replaces the draw. Cars that miss this turn can't
//! search a wreck or come to a minefield; pirates and garages don't mind.

mod garage;
mod mine;
mod pirates;
mod wreck;

use super::conversation::Conversation;
use super::event::Event;
use super::state::{Encounter, Race};
use super::turn::Turn;
use crate::contract::Kind;
use crate::ids::CarId;
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::join_all;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let drawn: Vec<(CarId, Encounter)> =
        turn.race.racing_in_priority().into_iter().map(|car| (car, draw(&turn.race, car))).collect();
    for (car, encounter) in &drawn {
        if *encounter != Encounter::Nothing {
            let declared = turn.race.declared.of(*car).is_some();
            turn.emit(Event::EncounterMet { car: *car, encounter: *encounter, declared });
        }
    }

    let race = turn.race.clone();
    let meetings = drawn.into_iter().filter_map(|(car, encounter)| {
        let misses = race.misses_this_turn(car);
        let car = Conversation::open(&race, turn.world, Topic::Encounter, race.cars.get(&car)?);
        Some(meet(car, encounter, misses))
    });
    let mut met = join_all(meetings).await;
    for (car, _) in &mut met {
        turn.emit_all(car.take_events());
    }

    let purchases = garage::settle(turn, met);
    let delivered = join_all(purchases.into_iter().map(|(car, kind)| garage::deliver(car, kind))).await;
    turn.emit_all(delivered.into_iter().flatten());
}

/// What a car meets: what was declared, or one draw by the odds.
fn draw(race: &Race, car: CarId) -> Encounter {
    let table = race.odds().table();
    race.declared.of(car).unwrap_or_else(|| {
        let mut dice = race.seed.stream(race.turn, Purpose::Encounter, car);
        let drawn = dice.weighted(&table.map(|(_, percent)| percent));
        drawn.map_or(Encounter::Nothing, |index| table[index].0)
    })
}

/// The meeting itself. Gives what the car wants to buy, which is settled when all cars have been asked.
async fn meet<W: World>(
    mut car: Conversation<'_, W>,
    encounter: Encounter,
    misses: bool,
) -> (Conversation<'_, W>, Option<Kind>) {
    let mut order = None;
    match encounter {
        Encounter::Nothing => {}
        Encounter::Pirates => pirates::attack(&mut car).await,
        Encounter::Garage => order = garage::offer(&mut car).await,
        Encounter::Wreck if !misses => wreck::find(&mut car).await,
        Encounter::Minefield if !misses => mine::approach(&mut car).await,
        Encounter::Wreck | Encounter::Minefield => {}
    }
    (car, order)
}

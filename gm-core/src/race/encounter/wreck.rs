//! a wreck.
//!
//! A car that searches it has a turn to miss, and finds nothing, a module, or snakes that cost it a pilot.

use crate::contract::{CarRequest, Kind};
use crate::ports::World;
use crate::race::conversation::Conversation;
use crate::race::event::{DelayCause, Event, Find, GainCause, LossCause};
use crate::random::Purpose;

/// What can be found, in the order of the odds.
const FINDS: [Find; 5] = [
    Find::Nothing,
    Find::Module(Kind::Engine),
    Find::Module(Kind::Weapon),
    Find::Module(Kind::Pilot),
    Find::Snakes,
];

pub(super) async fn find<W: World>(car: &mut Conversation<'_, W>) {
    match car.searches_wreck().await {
        Ok(true) => search(car).await,
        Ok(false) => car.note(Event::WreckLeft { car: car.id() }),
        Err(fault) => car.penalise_no_answer(CarRequest::Wreck, fault),
    }
}

async fn search<W: World>(car: &mut Conversation<'_, W>) {
    let id = car.id();
    let drawn = car.dice(Purpose::Wreck).weighted(&car.rules.wreck.table());
    let find = drawn.map_or(Find::Nothing, |index| FINDS[index]);
    car.note(Event::TurnsToMissAdded { car: id, turns: 1, cause: DelayCause::Wreck });
    car.note(Event::WreckSearched { car: id, find });
    match find {
        Find::Nothing => {}
        Find::Module(kind) => car.gain(kind, GainCause::Wreck).await,
        Find::Snakes => {
            let bitten = car.car.modules_of(Kind::Pilot).next_back().cloned();
            if let Some(pilot) = bitten {
                car.lose(pilot, LossCause::Snakes).await;
            }
        }
    }
}

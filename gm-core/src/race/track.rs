//! on track, all racing cars at the same time.
//!
//! A car with 3 engines that answers `GET /engine/count` with 3 moves 3 squares; one that answers 4 stays, has a
//! turn to miss, and is told that it has 3.

use super::conversation::Conversation;
use super::event::{Event, Fact, Retirement};
use super::turn::Turn;
use super::verification::breach;
use crate::contract::{CarRequest, Kind};
use crate::ports::{Topic, World};
use futures_util::future::join_all;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let drives = turn.race.racing_in_priority().into_iter().filter_map(|car| {
        let misses = turn.race.misses_this_turn(car);
        Some(drive(turn.converse(Topic::Track, car)?, misses))
    });
    let driven = join_all(drives).await;
    turn.emit_all(driven.into_iter().flatten());
}

async fn drive<W: World>(mut car: Conversation<'_, W>, misses: bool) -> Vec<Event> {
    let engines = car.car.count(Kind::Engine);
    if misses {
        // It takes no part, so it is not retired for want of an engine either.
        car.note(Event::TurnMissed { car: car.id() });
    } else if engines == 0 {
        car.retire(Retirement::OutOfFuel).await;
    } else {
        let answer = car.count(Kind::Engine).await;
        match breach(CarRequest::Count(Kind::Engine), Fact::Count(engines), answer, Fact::Count) {
            Some(breach) => {
                car.penalise(breach);
                car.correct_count(Kind::Engine).await;
            }
            None => {
                let squares = u32::try_from(engines).unwrap_or(u32::MAX);
                let to = car.car.square.forward(squares);
                car.note(Event::CarMoved { car: car.id(), squares, to });
                car.announce_square().await;
            }
        }
    }
    car.take_events()
}

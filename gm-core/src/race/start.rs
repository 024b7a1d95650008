//! the start of a turn.
//!
//! What came in since the last turn takes effect, in order of arrival; then entered cars start, cars that have a
//! turn to miss are marked as missing this one, and the turn's priority is drawn.

use super::command::{self, Arrival, Refusal};
use super::event::Event;
use super::state::Status;
use super::transfer;
use super::turn::Turn;
use crate::ids::CarId;
use crate::ports::World;
use crate::random::Purpose;

/// What came in since the last turn takes effect, in order of arrival.
pub(super) async fn settle_inbox<W: World>(
    turn: &mut Turn<'_, W>,
    inbox: &[Arrival],
) -> Vec<Result<(), Refusal>> {
    command::settle(turn, inbox).await
}

/// The turn starts.
pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let transfers = turn.race.transfers.clone();
    let number = turn.race.turn.next();
    turn.emit(Event::TurnStarted { turn: number });
    transfer::settle(turn, transfers).await;

    let entered: Vec<CarId> =
        turn.race.cars.values().filter(|car| car.status == Status::Entered).map(|car| car.id).collect();
    turn.emit_all(entered.into_iter().map(|car| Event::CarStarted { car }));

    let racing = || turn.race.cars.values().filter(|car| car.is_racing());
    let missing: Vec<CarId> = racing().filter(|car| car.turns_to_miss > 0).map(|car| car.id).collect();
    let mut order: Vec<CarId> = racing().map(|car| car.id).collect();
    turn.race.seed.stream(number, Purpose::Priority, CarId(0)).shuffle(&mut order);
    turn.emit(Event::PriorityDrawn { order, missing });
}

//! a module moves from one car of a team to another.
//!
//! The two cars must be racing and stand on the same place of the ring when the team asks, and still do when the
//! next turn starts. There it is settled, as a loss and a gain. A car waits for one transfer at a time, so all
//! transfers of a turn are settled side by side.

use super::command::{self, Refusal};
use super::conversation::Conversation;
use super::event::{Event, GainCause, LossCause, TransferProblem};
use super::state::{Race, Transfer};
use super::turn::Turn;
use crate::ports::{Topic, World};
use futures_util::future::join_all;

/// A team asks for a transfer.
pub(super) fn ask(race: &Race, transfer: &Transfer) -> Result<Event, Refusal> {
    if !race.rules.transfers {
        return Err(Refusal::NoTransfers);
    }
    if race.is_finished() {
        return Err(Refusal::Finished);
    }
    for id in [transfer.from, transfer.to] {
        if command::car(race, id)?.team != transfer.team {
            return Err(Refusal::OtherTeamsCar(id));
        }
        if race.transfers.iter().any(|waiting| waiting.from == id || waiting.to == id) {
            return Err(Refusal::TransferWaits(id));
        }
    }
    if transfer.from == transfer.to {
        return Err(Refusal::SameCar);
    }
    match problem(race, transfer) {
        Some(problem) => Err(Refusal::Transfer(problem)),
        None => Ok(Event::TransferAsked { transfer: transfer.clone() }),
    }
}

/// Why a transfer can't be settled as things are.
fn problem(race: &Race, transfer: &Transfer) -> Option<TransferProblem> {
    let (Some(from), Some(to)) = (race.cars.get(&transfer.from), race.cars.get(&transfer.to)) else {
        return Some(TransferProblem::NotRacing);
    };
    if !from.is_racing() || !to.is_racing() {
        Some(TransferProblem::NotRacing)
    } else if race.place_of(from) != race.place_of(to) {
        Some(TransferProblem::Apart)
    } else if !from.has(transfer.module.kind, &transfer.module.name) {
        Some(TransferProblem::NoSuchModule)
    } else {
        None
    }
}

/// The transfers that waited are settled at the start of a turn.
pub(super) async fn settle<W: World>(turn: &mut Turn<'_, W>, transfers: Vec<Transfer>) {
    let mut moves = Vec::new();
    for transfer in transfers {
        match problem(&turn.race, &transfer) {
            Some(reason) => turn.emit(Event::TransferVoid { transfer, reason }),
            None => moves.push(transfer),
        }
    }
    let moving = moves.into_iter().filter_map(|transfer| {
        let from = turn.converse(Topic::Transfer, transfer.from)?;
        let to = turn.converse(Topic::Transfer, transfer.to)?;
        Some(carry_over(from, to, transfer))
    });
    let moved = join_all(moving).await;
    turn.emit_all(moved.into_iter().flatten());
}

async fn carry_over<W: World>(
    mut from: Conversation<'_, W>,
    mut to: Conversation<'_, W>,
    transfer: Transfer,
) -> Vec<Event> {
    let kind = transfer.module.kind;
    from.lose(transfer.module, LossCause::Transfer).await;
    to.gain(kind, GainCause::Transfer).await;
    let mut events = from.take_events();
    events.extend(to.take_events());
    events
}

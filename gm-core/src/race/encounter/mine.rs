//! a minefield.
//!
//! A car that drives through it loses a module with a chance of 80 %; one that goes round, or does not answer, has
//! 3 turns to miss.

use crate::ports::World;
use crate::race::conversation::Conversation;
use crate::race::event::{DelayCause, Event, LossCause};
use crate::random::Purpose;

pub(super) async fn approach<W: World>(car: &mut Conversation<'_, W>) {
    match car.crosses_mines().await {
        Ok(true) => cross(car).await,
        Ok(false) => go_round(car, None),
        Err(fault) => go_round(car, Some(fault)),
    }
}

async fn cross<W: World>(car: &mut Conversation<'_, W>) {
    let mut dice = car.dice(Purpose::Mine);
    let damaged = dice.percent(car.rules.mine.damage_percent);
    car.note(Event::MinefieldCrossed { car: car.id(), damaged });
    let lost = dice.pick(&car.car.modules).cloned();
    if let (true, Some(module)) = (damaged, lost) {
        car.lose(module, LossCause::Minefield).await;
    }
}

/// The detour is the whole punishment for not answering.
fn go_round<W: World>(car: &mut Conversation<'_, W>, fault: Option<crate::contract::Fault>) {
    let id = car.id();
    let turns = car.rules.mine.detour_turns;
    car.note(Event::MinefieldAvoided { car: id, fault });
    car.note(Event::TurnsToMissAdded { car: id, turns, cause: DelayCause::Minefield });
}

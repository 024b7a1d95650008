//! The steps of a test duel on the wire (G-4).

use super::{duel, log};
use crate::api::wire::{self, test_duel_response};
use crate::trial::{Step, Turned};
use gm_core::ids::TurnNo;
use gm_core::race::event::Combatant;

/// A step of a test duel. The team's AI sits at seat 0.
#[must_use]
pub fn step(step: Step) -> wire::TestDuelResponse {
    let message = match step {
        Step::Started { seed, hand_sizes } => test_duel_response::Message::Started(wire::TestDuelStarted {
            seed: seed.0,
            hand_sizes: hand_sizes.map(u32::from).to_vec(),
        }),
        Step::Exchange(asked) => test_duel_response::Message::Exchange(log::exchange(&asked)),
        Step::Turn(turned) => test_duel_response::Message::Turn(turn(&turned)),
        Step::Over(transcript) => {
            let nobody = [Combatant::Pirates; 2];
            test_duel_response::Message::Duel(duel::duel(0, TurnNo(0), &nobody, &transcript))
        }
    };
    wire::TestDuelResponse { message: Some(message) }
}

fn turn(turned: &Turned) -> wire::DuelTurn {
    let Turned { distance, hands, turn } = turned;
    let numbers = |cards: &[u8]| cards.iter().copied().map(u32::from).collect();
    wire::DuelTurn {
        seat: duel::seat(turn.side),
        distance: (*distance).into(),
        hand: numbers(&hands[turn.side.index()]),
        step: turn.step.map(u32::from),
        attack: numbers(&turn.attack),
        parried: turn.parried,
        drew: numbers(&turn.drew),
    }
}

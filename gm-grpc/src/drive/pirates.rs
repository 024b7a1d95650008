//! The pirates' AI, in process.

use gm_core::contract::{Answer, DuelQuestion};
use gm_core::ports::PirateMind;

/// A pirate at its seat.
pub(super) enum Pirates {
    /// Plays the first card that is legal: a stand-in until the AIs of `fight-lambda-reference` are here.
    FirstLegal,
}

impl Pirates {
    pub(super) fn new(mind: PirateMind, seed: u64) -> Pirates {
        let _ = (mind, seed);
        Pirates::FirstLegal
    }

    pub(super) fn answer(&mut self, question: &DuelQuestion) -> Answer {
        let Pirates::FirstLegal = self;
        let distance = question.distance().unwrap_or_default();
        let card = question.cards.iter().find(|card| **card <= distance);
        Answer::ok(serde_json::json!({ "res": card.into_iter().collect::<Vec<_>>() }).to_string())
    }
}

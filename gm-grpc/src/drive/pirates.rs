//! The pirates' AI, in process: one of `fight-lambda-reference`, whose answer is written as over HTTP.

use fight_lambda_reference::{Ai, Mind};
use gm_core::contract::{Answer, DuelQuestion, Envelope};
use gm_core::ports::PirateMind;
use serde_json::json;

/// A pirate at its seat.
pub(super) struct Pirates(Box<dyn Ai>);

impl Pirates {
    pub(super) fn new(mind: PirateMind, seed: u64) -> Pirates {
        Pirates(Mind::from(mind).wake(seed))
    }

    pub(super) fn answer(&mut self, question: &DuelQuestion) -> Answer {
        Answer::ok(json!(Envelope { res: self.0.play(question) }).to_string())
    }
}

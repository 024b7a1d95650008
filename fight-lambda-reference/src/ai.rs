//! What a duel AI is: a question in, cards out (R-6.2, R-6.7).
//!
//! ```
//! use fight_lambda_reference::Ai;
//! use gm_core::contract::DuelQuestion;
//! /// Always moves by its first card. It will not live long.
//! struct Hasty;
//! impl Ai for Hasty {
//!     fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
//!         question.cards.iter().copied().take(1).collect()
//!     }
//! }
//! ```

use crate::{Random, Reference};
use gm_core::contract::DuelQuestion;
use gm_core::ports::PirateMind;

/// A duel AI.
pub trait Ai: Send {
    /// The cards to play (R-6.2). Empty if there is no legal play; the game master never asks then (R-6.6).
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8>;
}

/// The AIs of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Mind {
    /// The reference AI: counts cards and weighs the odds.
    #[default]
    Reference,
    /// Any legal play, all equally likely.
    Random,
}

impl Mind {
    /// An AI of this kind. The seed is for the dice of those that have any.
    #[must_use]
    pub fn wake(self, seed: u64) -> Box<dyn Ai> {
        match self {
            Mind::Reference => Box::new(Reference),
            Mind::Random => Box::new(Random::new(seed)),
        }
    }
}

impl From<PirateMind> for Mind {
    /// The minds that pirates can have (R-5.1).
    fn from(mind: PirateMind) -> Mind {
        match mind {
            PirateMind::Reference => Mind::Reference,
            PirateMind::Random => Mind::Random,
        }
    }
}

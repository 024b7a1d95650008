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

use crate::{Careful, Greedy, Random, Search};
use gm_core::arena::duel::Play;
use gm_core::contract::DuelQuestion;
use gm_core::ports::PirateMind;
use std::fmt;
use std::time::Duration;

/// A duel AI.
pub trait Ai: Send {
    /// The cards to play (R-6.2). Empty if there is no legal play; the game master never asks then (R-6.6).
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8>;

    /// What it thinks of each legal play. First comes the one that [`play`](Ai::play) would make, then the others, the
    /// most valuable first. Empty if there is no legal play, and from an AI that doesn't say, which is what an AI does
    /// unless it is written otherwise.
    fn weigh(&mut self, question: &DuelQuestion) -> Vec<Weighed> {
        _ = question;
        Vec::new()
    }
}

/// A play, and what an AI thinks of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighed {
    /// The play.
    pub play: Play,
    /// The score that the AI expects of it: from 0, lost, to 1, won; a draw is 0.5.
    pub value: f64,
}

/// For how long an AI may think about one question. It is for those that think for as long as they may: the others
/// answer at once.
///
/// ```
/// use fight_lambda_reference::Budget;
/// assert!(matches!(Budget::default(), Budget::Time(time) if time.as_millis() == 20));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// By the clock. The answer also depends on how fast the machine is.
    Time(Duration),
    /// By how many plays are judged, as far as it is about thinking ahead. The same seed and question always get the same
    /// answer.
    Iterations(u32),
}

impl Budget {
    /// What pirates think in a race: never by a clock, since a race must be the same on every machine (R-10.5).
    pub const PIRATES: Budget = Budget::Iterations(20_000);
}

impl Default for Budget {
    /// 20 ms, a hundredth of the time that there is for an answer (A-3).
    fn default() -> Budget {
        Budget::Time(Duration::from_millis(20))
    }
}

/// The AIs of this crate.
///
/// ```
/// use fight_lambda_reference::{Budget, Mind};
/// use gm_core::contract::DuelQuestion;
/// let question = DuelQuestion::from_query("yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2").unwrap();
/// // Five squares apart, and the other has two cards: three 5s can't be parried.
/// assert_eq!(Mind::Search.wake_within(1, Budget::default()).play(&question), [5, 5, 5]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Mind {
    /// Any legal play, all equally likely.
    Random,
    /// The best attack at once, and else the move that seems best.
    Greedy,
    /// Counts cards and weighs the odds of one play and the answer to it.
    #[value(alias = "reference")]
    Careful,
    /// Thinks ahead for as long as it may: the strongest.
    #[default]
    Search,
}

impl Mind {
    /// All, the weakest first, as was measured in duels (`tests/duels.rs`).
    pub const ALL: [Mind; 4] = [Mind::Random, Mind::Greedy, Mind::Careful, Mind::Search];

    /// Its name, as in the settings: `search`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Mind::Random => "random",
            Mind::Greedy => "greedy",
            Mind::Careful => "careful",
            Mind::Search => "search",
        }
    }

    /// An AI of this kind that always answers the same to the same question, on every machine: it thinks for as long as
    /// the [pirates](Budget::PIRATES) do. The seed is for the dice of those that have any.
    #[must_use]
    pub fn wake(self, seed: u64) -> Box<dyn Ai> {
        self.wake_within(seed, Budget::PIRATES)
    }

    /// An AI of this kind that thinks for so long about each question, if it is one that does. The seed is for the dice
    /// of those that have any.
    #[must_use]
    pub fn wake_within(self, seed: u64, budget: Budget) -> Box<dyn Ai> {
        match self {
            Mind::Random => Box::new(Random::new(seed)),
            Mind::Greedy => Box::new(Greedy),
            Mind::Careful => Box::new(Careful),
            Mind::Search => Box::new(Search::new(seed, budget)),
        }
    }
}

impl fmt::Display for Mind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl From<PirateMind> for Mind {
    /// The minds that pirates can have (R-5.1).
    fn from(mind: PirateMind) -> Mind {
        match mind {
            PirateMind::Random => Mind::Random,
            PirateMind::Greedy => Mind::Greedy,
            PirateMind::Careful => Mind::Careful,
            PirateMind::Search => Mind::Search,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    /// The names of the settings are those that are shown. `reference` is what `careful` was called first.
    #[test]
    fn minds_are_named_as_they_are_chosen() {
        assert_eq!(Mind::value_variants(), Mind::ALL);
        for mind in Mind::ALL {
            assert_eq!(Mind::from_str(&mind.to_string(), false), Ok(mind));
        }
        assert_eq!(Mind::from_str("reference", false), Ok(Mind::Careful));
    }
}

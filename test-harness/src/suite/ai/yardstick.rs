//! AIs in this process, to be played against: chance, greed, and an AI that counts cards.
//!
//! ```
//! use gm_core::contract::DuelQuestion;
//! use test_harness::suite::ai::yardstick::Yardstick;
//! let question = DuelQuestion::from_query("yourmoves=[5,5]&othermoves=[5,3]&cards=[1,4,4]&othernbcards=1").unwrap();
//! // Four squares apart; the other holds one card, so two 4s can't be parried.
//! assert_eq!(Yardstick::Greedy.plays(&question, 1), [4, 4]);
//! ```

use fight_lambda_reference::Mind;
use gm_core::contract::DuelQuestion;

/// Whom an AI is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yardstick {
    /// Any legal play.
    Random,
    /// The best attack at once, and else the move that seems best.
    Greedy,
    /// One that counts cards and weighs the odds.
    Careful,
}

impl Yardstick {
    /// All, the weakest first.
    pub const ALL: [Yardstick; 3] = [Yardstick::Random, Yardstick::Greedy, Yardstick::Careful];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.mind().name()
    }

    /// What it plays. The seed is for the dice of chance.
    #[must_use]
    pub fn plays(self, question: &DuelQuestion, seed: u64) -> Vec<u8> {
        self.mind().wake(seed).play(question)
    }

    fn mind(self) -> Mind {
        match self {
            Yardstick::Random => Mind::Random,
            Yardstick::Greedy => Mind::Greedy,
            Yardstick::Careful => Mind::Careful,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::arena::duel::{Card, Hand, Play};

    #[test]
    fn r_6_2_yardsticks_play_legally() {
        for question in crate::suite::ai::positions::reached(11, 300) {
            let hand: Hand = question.cards.iter().copied().filter_map(Card::of).collect();
            let distance = question.distance().expect("a position");
            for yardstick in Yardstick::ALL {
                let cards = yardstick.plays(&question, 3);
                let play = Play::parse(&cards, distance).and_then(|play| play.check(&hand, distance));
                assert_eq!(play, Ok(()), "{}: {cards:?} to {}", yardstick.name(), question.query());
            }
        }
    }
}

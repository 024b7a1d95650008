//! An AI that makes any legal play, all equally likely.
//!
//! Its dice are thrown by its seed and the question together, so that it needs no memory and any number of duels can
//! be played at once:
//!
//! ```
//! use fight_lambda_reference::{Ai, Random};
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion { cards: vec![1, 2, 3, 4, 5], other_cards: 5, ..DuelQuestion::default() };
//! assert_eq!(Random::new(7).play(&question), Random::new(7).play(&question));
//! ```

use crate::Ai;
use gm_core::arena::duel::{Card, Plays};
use gm_core::contract::DuelQuestion;
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed};

/// Any legal play.
#[derive(Debug, Clone, Copy)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// An AI with these dice.
    #[must_use]
    pub const fn new(seed: u64) -> Random {
        Random { seed }
    }
}

impl Ai for Random {
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
        let Some(distance) = question.distance() else { return Vec::new() };
        let hand = question.cards.iter().copied().filter_map(Card::of).collect();
        let plays = Plays::of(&hand, distance);
        let dice = Seed(self.seed ^ fingerprint(&question.query()));
        let mut stream = dice.stream(TurnNo(0), Purpose::PirateMind, CarId(0));
        stream.pick(&plays).map(|play| play.cards()).unwrap_or_default()
    }
}

/// FNV-1a, which is the same on every machine.
pub(crate) fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_legal_play_is_made_by_some_seed() {
        let question = DuelQuestion {
            your_moves: vec![5, 5, 5],
            other_moves: vec![4],
            cards: vec![1, 2, 3, 3],
            other_cards: 3,
            seen: None,
        };
        let played: BTreeSet<Vec<u8>> = (0..500).map(|seed| Random::new(seed).play(&question)).collect();
        let legal: Vec<&[u8]> = vec![&[1], &[1, 2], &[2], &[2, 1], &[3], &[3, 3]];
        assert_eq!(played.into_iter().collect::<Vec<_>>(), legal);
    }

    #[test]
    fn no_legal_play_is_no_card() {
        for (your_moves, cards) in [(vec![5; 4], vec![5, 5]), (vec![5; 4], vec![]), (vec![5; 5], vec![1])] {
            let question = DuelQuestion { your_moves, cards, ..DuelQuestion::default() };
            assert!(Random::new(1).play(&question).is_empty());
        }
    }
}

//! A greedy AI: it attacks when it can, and else makes the move that seems best at once.
//!
//! ```
//! use fight_lambda_reference::{Ai, Greedy};
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion::from_query("yourmoves=[5,5]&othermoves=[5,3]&cards=[1,4,4]&othernbcards=1").unwrap();
//! // Four squares apart; the other holds one card, so two 4s can't be parried.
//! assert_eq!(Greedy.play(&question), [4, 4]);
//! ```
//!
//! Other AIs are measured by it, so its formula stays as it is. It is no estimate of the score, so that this AI doesn't
//! say what its plays are worth ([`Ai::weigh`]).

use crate::Ai;
use crate::search::cards::{Counts, counted};
use crate::search::view::{Deed, Deeds};
use gm_core::arena::duel::Card;
use gm_core::contract::DuelQuestion;

/// How many cards of each value there are (R-6.1).
const OF_EACH: i32 = 5;

/// If it can attack, the play with the greatest `1000·sure + 100·n − c`, where `n` cards attack after a move by `c` or
/// 0, and it is sure if fewer than `n` such cards are unseen or the other holds fewer than `n` cards. Else its largest
/// card if every move leaves more than 10; else the best move: 1 if it leaves 6 to 10, and `10·own − 5·unseen` cards of
/// the distance that it leaves, if that is 5 or less, not counting the card that moves; nothing if it leaves more. Of
/// plays that are as good, the last of `Plays`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Greedy;

impl Ai for Greedy {
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
        let Some(distance) = question.distance() else { return Vec::new() };
        let hand = counted(&question.cards);
        let unseen = Card::ALL.map(|card| OF_EACH - i32::from(hand[card as usize]) - seen(question, card));
        let deeds = Deeds::of(&hand, distance);
        let best = Greedy::best(&deeds, &hand, unseen, question.other_cards, distance);
        best.last().and_then(|deed| deed.play(distance)).map(|play| play.cards()).unwrap_or_default()
    }
}

impl Greedy {
    /// Those of some legal deeds that it values most, in their order; it does the last of them. It holds this hand at a
    /// distance, so many 1s, 2s, … are unseen, and the other holds so many cards.
    pub(crate) fn best(
        deeds: &[Deed],
        hand: &Counts,
        unseen: [i32; 5],
        other_cards: u8,
        distance: u8,
    ) -> Deeds {
        let unseen = |value: u8| unseen[usize::from(value - 1)];
        let attack = |deed: Deed| {
            let n = deed.attackers;
            let sure = unseen(distance - deed.step) < i32::from(n) || other_cards < n;
            1_000 * i32::from(sure) + 100 * i32::from(n) - i32::from(deed.step)
        };
        let far = deeds.iter().all(|deed| distance - deed.step > 10);
        let go = |deed: Deed| match distance - deed.step {
            _ if far => i32::from(deed.step),
            left @ 1..=5 => {
                let own = i32::from(hand[usize::from(left)]) - i32::from(left == deed.step);
                10 * own - 5 * unseen(left)
            }
            6..=10 => 1,
            _ => 0,
        };
        // Any attack is before any move.
        let value = |deed: Deed| if deed.attackers > 0 { (1, attack(deed)) } else { (0, go(deed)) };
        let most = deeds.iter().map(|deed| value(*deed)).max();
        deeds.iter().copied().filter(|deed| Some(value(*deed)) == most).collect()
    }
}

/// How many cards of a value both have seen on the table: those that moved, and, where the header tells it, those that
/// attacked and parried.
fn seen(question: &DuelQuestion, card: Card) -> i32 {
    let moved =
        question.your_moves.iter().chain(&question.other_moves).filter(|it| **it == card.value()).count();
    let turns = question.seen.iter().flat_map(|seen| &seen.turns);
    let fought: usize = turns
        .map(|turn| {
            let attacked = turn.attack.iter().filter(|it| **it == card.value()).count();
            if turn.parried == Some(true) { 2 * attacked } else { attacked }
        })
        .sum();
    i32::try_from(moved + fought).unwrap_or(OF_EACH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_6_2_what_greed_plays() {
        for (query, expected) in [
            // Far: the largest card.
            ("yourmoves=[]&othermoves=[]&cards=[1,3,5]&othernbcards=5", &[5][..]),
            // 11 apart: a 1 leaves 10, which is worth 1; a 3 leaves 8, which is worth as much, and is the last.
            ("yourmoves=[5]&othermoves=[5,1]&cards=[1,3]&othernbcards=5", &[3]),
            // An attack with two is better than with one, and than a step before it.
            ("yourmoves=[5,5]&othermoves=[5,3]&cards=[1,3,4,4]&othernbcards=5", &[4, 4]),
            // Two are sure, since the other holds but one card.
            ("yourmoves=[5,5]&othermoves=[5,3]&cards=[1,3,3]&othernbcards=1", &[1, 3, 3]),
            // No attack: 6 apart; a 1 leaves 5, of which two are unseen; a 2 leaves 4, of which all five are.
            ("yourmoves=[5,5]&othermoves=[5,1]&cards=[1,2]&othernbcards=3", &[1]),
        ] {
            let question = DuelQuestion::from_query(query).expect("a question");
            assert_eq!(Greedy.play(&question), expected, "{query}");
        }
    }
}

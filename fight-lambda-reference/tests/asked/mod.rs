//! Questions that no referee would send, and whether an answer is legal.

use gm_core::arena::duel::{Card, Hand, Play};
use gm_core::contract::{DuelQuestion, Seen, SeenTurn};
use gm_core::random::Stream;

/// A question, and at times a header, that can't be: fewer than so many moves each and cards, none above `highest`.
pub(crate) fn that_cant_be(dice: &mut Stream, highest: u32, moves: u32, cards: u32) -> DuelQuestion {
    let list = |dice: &mut Stream, most| -> Vec<u8> {
        (0..dice.below(most)).map(|_| dice.between(0, highest) as u8).collect()
    };
    let turns = (0..dice.below(30))
        .map(|_| SeenTurn {
            you: dice.percent(50),
            step: dice.percent(50).then(|| dice.below(256) as u8),
            attack: list(dice, 8),
            parried: dice.percent(50).then(|| dice.percent(50)),
        })
        .collect();
    DuelQuestion {
        your_moves: list(dice, moves),
        other_moves: list(dice, moves),
        cards: list(dice, cards),
        other_cards: dice.below(256) as u8,
        seen: dice.percent(50).then(|| Seen {
            distance: dice.below(256) as u8,
            hand_size: dice.below(256) as u8,
            other_hand_size: dice.below(256) as u8,
            pile: dice.below(256) as u8,
            first: true,
            turns,
        }),
    }
}

/// Whether the rules allow to answer this.
pub(crate) fn is_legal(cards: &[u8], question: &DuelQuestion) -> bool {
    let hand: Hand = question.cards.iter().copied().filter_map(Card::of).collect();
    question.distance().is_some_and(|distance| {
        Play::parse(cards, distance).is_ok_and(|play| play.check(&hand, distance).is_ok())
    })
}

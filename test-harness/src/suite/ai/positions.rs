//! The positions that an AI is asked: set up for one thing, or reached by playing.
//!
//! ```text
//! at(3, [1, 4, 4], 2)     distance 3: moves of 5 and less were made until only three squares were left
//! reached(seed, 200)      positions out of duels that were played at random
//! ```

use gm_core::arena::duel::{Duel, Side};
use gm_core::arena::{Game, Reply};
use gm_core::contract::duel::{CARDS, START_DISTANCE};
use gm_core::contract::{DuelQuestion, Seen, SeenTurn};
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed};

/// The most weapons of a car in a duel that is played at random.
const MOST_WEAPONS: u32 = 12;

/// The most turns that a duel is played before somebody is asked.
const MOST_TURNS: u32 = 20;

/// A position at this distance, with this hand; the other holds so many cards. Nobody has attacked.
pub(super) fn at(distance: u8, cards: &[u8], other: u8) -> DuelQuestion {
    let mut moves = [Vec::new(), Vec::new()];
    let mut left = START_DISTANCE.saturating_sub(distance);
    let mut turn = 0;
    while left > 0 {
        let step = left.min(5);
        moves[turn % 2].push(step);
        left -= step;
        turn += 1;
    }
    let [yours, others] = moves;
    told(yours, others, cards, other)
}

/// A position with these moves, which were made in turn; this player's last one was made before the other's.
pub(super) fn told(yours: Vec<u8>, others: Vec<u8>, cards: &[u8], other: u8) -> DuelQuestion {
    let mut question = DuelQuestion {
        your_moves: yours,
        other_moves: others,
        cards: cards.to_vec(),
        other_cards: other,
        seen: None,
    };
    question.seen = Some(seen(&question));
    question
}

/// The header for a position in which nobody has attacked, or all attacks were parried by as many cards of the distance
/// that nobody tells any more.
fn seen(question: &DuelQuestion) -> Seen {
    let hand_size = u8::try_from(question.cards.len()).unwrap_or(CARDS);
    let laid = question.your_moves.len() + question.other_moves.len();
    let gone = usize::from(hand_size) + usize::from(question.other_cards) + laid;
    let turn = |you: bool, card: &u8| SeenTurn { you, step: Some(*card), attack: Vec::new(), parried: None };
    let mut turns = Vec::new();
    for index in 0..question.your_moves.len().max(question.other_moves.len()) {
        let yours = question.your_moves.get(index).filter(|card| **card > 0);
        let others = question.other_moves.get(index).filter(|card| **card > 0);
        turns.extend(yours.map(|card| turn(true, card)));
        turns.extend(others.map(|card| turn(false, card)));
    }
    Seen {
        distance: question.distance().unwrap_or_default(),
        hand_size,
        other_hand_size: question.other_cards,
        pile: CARDS.saturating_sub(u8::try_from(gone).unwrap_or(CARDS)),
        first: true,
        turns,
    }
}

/// Positions out of duels that are played at random, each with what both have seen.
pub(super) fn reached(seed: u64, positions: u32) -> Vec<DuelQuestion> {
    let mut reached = Vec::new();
    let mut dice = Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1));
    while reached.len() < positions as usize {
        let weapons = [dice.between(1, MOST_WEAPONS), dice.between(1, MOST_WEAPONS)];
        let mut duel = Duel::deal(&mut dice, weapons, None);
        for _ in 0..dice.below(MOST_TURNS) {
            let Some(side) = duel.board().in_turn() else { break };
            let Some(play) = dice.pick(&duel.board().plays()).copied() else { break };
            duel.apply(&[(side.seat(), Reply::Move(play.cards()))]);
        }
        if let Some(side) = duel.board().in_turn() {
            reached.push(duel.question(side));
        }
    }
    reached
}

/// Who plays white in the `n`th of two duels with the same deal.
pub(super) fn mirrored(n: u32) -> Side {
    if n.is_multiple_of(2) { Side::White } else { Side::Black }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_as_they_are_set_up() {
        for distance in 1..=22 {
            let question = at(distance, &[1, 2, 3], 4);
            assert_eq!(question.distance(), Some(distance));
            let seen = question.seen.expect("a header");
            assert_eq!((seen.distance, seen.hand_size, seen.other_hand_size), (distance, 3, 4));
            assert_eq!(seen.turns.len(), question.your_moves.len() + question.other_moves.len());
        }
    }

    /// R-6.7: what is reached is of every kind, and follows from the seed.
    #[test]
    fn r_6_7_positions_that_are_reached() {
        let reached_by = |seed| reached(seed, 200);
        let positions = reached_by(7);
        assert_eq!(positions.len(), 200);
        assert_eq!(positions, reached_by(7));
        assert_ne!(positions, reached_by(8));
        let near = positions.iter().filter(|it| it.distance().is_some_and(|distance| distance <= 5)).count();
        let parried = positions.iter().filter(|it| it.your_moves.contains(&0)).count();
        assert!(near > 40 && parried > 5, "{near} near, {parried} after an attack");
    }
}

//! The positions that an AI is asked: set up for one thing, or reached by playing.
//!
//! ```text
//! at(3, [1, 4, 4], 2)     distance 3: cards of 5 and less have moved until only three squares were left
//! after([(5, []), (5, []), (5, []), (3, [4])], [4, 1], 3)     the other has moved by 3 and attacked with a 4
//! reached(seed, 200)      positions out of duels that were played at random
//! ```

use gm_core::arena::duel::{Duel, Side};
use gm_core::arena::{Game, Reply};
use gm_core::contract::duel::{CARDS, START_DISTANCE};
use gm_core::contract::{DuelQuestion, Seen, SeenTurn};
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed};

/// How many cards of each value there are, and the highest value (R-6.1).
const OF_EACH: u8 = 5;
const HIGHEST: u8 = 5;

/// The most weapons of a car in a duel that is played at random.
const MOST_WEAPONS: u32 = 12;

/// Of so many positions of a duel in which both are far from each other, one is asked.
const ONE_OF: u32 = 3;

/// The distance from which on every position is asked.
const NEAR: u8 = 5;

/// What is laid down in one turn: the card that moves, or 0, and the cards that attack. All attacks were parried.
pub(super) type Laid<'a> = (u8, &'a [u8]);

/// A position at this distance, with this hand; the other holds so many cards. Nobody has attacked.
///
/// # Panics
/// If the cards that are not in the hand can't have moved the two there.
pub(super) fn at(distance: u8, cards: &[u8], other: u8) -> DuelQuestion {
    let mut free = [OF_EACH; HIGHEST as usize + 1];
    for card in cards {
        free[usize::from(*card)] -= 1;
    }
    let steps = steps(START_DISTANCE.saturating_sub(distance), &mut free).expect("cards that lead there");
    let laid: Vec<Laid<'_>> = steps.iter().map(|step| (*step, &[][..])).collect();
    after(&laid, cards, other)
}

/// Steps of free cards that add up to `left`, the largest first.
fn steps(left: u8, free: &mut [u8]) -> Option<Vec<u8>> {
    if left == 0 {
        return Some(Vec::new());
    }
    for step in (1..=left.min(HIGHEST)).rev() {
        if free[usize::from(step)] == 0 {
            continue;
        }
        free[usize::from(step)] -= 1;
        if let Some(mut rest) = steps(left - step, free) {
            rest.insert(0, step);
            return Some(rest);
        }
        free[usize::from(step)] += 1;
    }
    None
}

/// The position after these turns, the last of which was the other's.
pub(super) fn after(laid: &[Laid<'_>], cards: &[u8], other: u8) -> DuelQuestion {
    let mut question = DuelQuestion { cards: cards.to_vec(), other_cards: other, ..DuelQuestion::default() };
    let mut turns = Vec::new();
    let first = laid.len().is_multiple_of(2);
    let mut you = first;
    for (step, attack) in laid {
        let step = Some(*step).filter(|step| *step > 0);
        let parried = (!attack.is_empty()).then_some(true);
        let zeros = vec![0; attack.len()];
        let (own, others) = match you {
            true => (&mut question.your_moves, &mut question.other_moves),
            false => (&mut question.other_moves, &mut question.your_moves),
        };
        own.extend(step);
        own.extend(&zeros);
        others.extend(&zeros);
        turns.push(SeenTurn { you, step, attack: attack.to_vec(), parried });
        you = !you;
    }
    // Whoever parried in the last turn has not drawn since (R-6.4).
    let short = laid.last().map_or(0, |(_, attack)| attack.len());
    let on_table = question.your_moves.len() + question.other_moves.len();
    let gone = on_table + cards.len() + usize::from(other);
    let number = |n: usize| u8::try_from(n).unwrap_or(CARDS);
    question.seen = Some(Seen {
        distance: question.distance().unwrap_or_default(),
        hand_size: number(cards.len() + short),
        other_hand_size: other,
        pile: CARDS.saturating_sub(number(gone)),
        first,
        turns,
    });
    question
}

/// Positions out of duels that are played at random, each with what both have seen.
pub(super) fn reached(seed: u64, positions: u32) -> Vec<DuelQuestion> {
    let mut reached = Vec::new();
    let mut dice = Seed(seed).stream(TurnNo(1), Purpose::Duel, CarId(1));
    while reached.len() < positions as usize {
        let weapons = [dice.between(1, MOST_WEAPONS), dice.between(1, MOST_WEAPONS)];
        let mut duel = Duel::deal(&mut dice, weapons, None);
        while let Some(side) = duel.board().in_turn().filter(|_| reached.len() < positions as usize) {
            // Where somebody can be hit at once, there is most to be done wrong.
            if duel.board().distance() <= NEAR || dice.below(ONE_OF) == 0 {
                reached.push(duel.question(side));
            }
            let Some(play) = dice.pick(&duel.board().plays()).copied() else { break };
            duel.apply(&[(side.seat(), Reply::Move(play.cards()))]);
        }
    }
    reached
}

/// Who plays white in the `n`th of two duels with the same deal.
pub(super) fn mirrored(n: u32) -> Side {
    if n.is_multiple_of(2) { Side::White } else { Side::Black }
}

/// Whether all cards that are told of, in the hand and on the table, are in the game at once (R-6.1).
#[cfg(test)]
pub(super) fn can_be(question: &DuelQuestion) -> bool {
    let seen = question.seen.as_ref().expect("a header");
    let mut left = [OF_EACH; HIGHEST as usize + 1];
    let fought = seen.turns.iter().flat_map(|turn| turn.attack.iter().chain(&turn.attack));
    let stepped = seen.turns.iter().filter_map(|turn| turn.step.as_ref());
    let counted = question.cards.iter().chain(stepped).chain(fought).all(|card| {
        let left = &mut left[usize::from(*card)];
        *left = left.wrapping_sub(1);
        *left < OF_EACH
    });
    let on_table = question.your_moves.len() + question.other_moves.len();
    let sum = question.cards.len() + usize::from(question.other_cards) + on_table + usize::from(seen.pile);
    let in_turn = seen.turns.last().is_none_or(|turn| !turn.you)
        && seen.turns.windows(2).all(|two| two[0].you != two[1].you)
        && seen.first == seen.turns.first().is_none_or(|turn| turn.you);
    counted && sum == usize::from(CARDS) && in_turn && Some(seen.distance) == question.distance()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_6_7_positions_are_as_they_are_set_up() {
        for distance in 1..=22 {
            let question = at(distance, &[1, 2, 3], 4);
            assert_eq!(question.distance(), Some(distance));
            assert!(can_be(&question), "{question:?}");
        }
        let question = after(&[(5, &[]), (5, &[]), (5, &[]), (3, &[4, 4])], &[4, 1], 3);
        assert_eq!(question.query(), "yourmoves=[5,5,0,0]&othermoves=[5,3,0,0]&cards=[4,1]&othernbcards=3");
        let header = r#"{"distance":4,"hand_size":4,"other_hand_size":3,"pile":12,"first":true,"turns":[{"you":true,"move":5},{"you":false,"move":5},{"you":true,"move":5},{"you":false,"move":3,"attack":[4,4],"parried":true}]}"#;
        assert_eq!(question.seen.as_ref().map(Seen::header).as_deref(), Some(header));
        assert!(can_be(&question));
        assert!(!can_be(&after(&[(5, &[]), (5, &[])], &[5, 5, 5, 5], 3)), "there are five 5s");
    }

    /// R-6.7: what is reached is of every kind, and follows from the seed.
    #[test]
    fn r_6_7_positions_that_are_reached() {
        let reached_by = |seed| reached(seed, 200);
        let positions = reached_by(7);
        assert_eq!(positions.len(), 200);
        assert_eq!(positions, reached_by(7));
        assert_ne!(positions, reached_by(8));
        assert!(positions.iter().all(can_be));
        let near = positions.iter().filter(|it| it.distance().is_some_and(|distance| distance <= 5)).count();
        let parried = positions.iter().filter(|it| it.your_moves.contains(&0)).count();
        assert!(near > 40 && parried > 5, "{near} near, {parried} after an attack");
    }
}

//! The careful AI: it counts the cards that it has not seen, and weighs every legal play by the odds.
//!
//! ```text
//! distance 4, hand 1 4 4, the other holds 5 cards, three 4s are unseen among 18 cards
//! [4,4]: hits unless the other holds two of the three
//! [1]:   goes to 3, where a 3 of the other could not be parried
//! ```
//!
//! **To change**: `Careful::value` says how good it is to have made a play; start there.

use crate::search::cards::choose;
use crate::{Ai, Weighed};
use gm_core::arena::duel::{Card, Hand, Play, Plays};
use gm_core::contract::DuelQuestion;

/// The careful AI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Careful;

/// How good a draw is (R-6.5), and a position of which nothing is known.
const EVEN: f64 = 0.5;

/// How much of the value depends on the cards that are kept: several of one value are what hits and parries.
const KEPT_WEIGHT: f64 = 0.1;

impl Ai for Careful {
    fn play(&mut self, question: &DuelQuestion) -> Vec<u8> {
        self.weigh(question).first().map(|best| best.play.cards()).unwrap_or_default()
    }

    fn weigh(&mut self, question: &DuelQuestion) -> Vec<Weighed> {
        let Some(distance) = question.distance() else { return Vec::new() };
        let table = Table::read(question);
        let plays = Plays::of(&table.hand, distance);
        let mut weighed: Vec<Weighed> = plays
            .iter()
            .map(|&play| Weighed { play, value: Careful::value(&table, play, distance) })
            .collect();
        let mut best: Option<(usize, Weighed)> = None;
        for (at, &it) in weighed.iter().enumerate() {
            // Of plays that are as good, an attack is made before a move, with as many cards as can be.
            let better = |(_, best): (usize, Weighed)| {
                it.value > best.value || (it.value == best.value && it.play.attack().is_some())
            };
            if best.is_none_or(better) {
                best = Some((at, it));
            }
        }
        if let Some((at, _)) = best {
            weighed[..=at].rotate_right(1);
            weighed[1..].sort_by(|one, other| other.value.total_cmp(&one.value));
        }
        weighed
    }
}

impl Careful {
    /// How good it is to make this play: 0 for lost, 1 for won.
    fn value(table: &Table, play: Play, distance: u8) -> f64 {
        let mut after = *table;
        let mut left = distance;
        if let Some(step) = play.step() {
            after.hand.remove(step, 1);
            left -= step.value();
        }
        let mut hit = 0.0;
        if let Some((with, cards)) = play.attack() {
            after.hand.remove(with, cards);
            // R-6.4: the other also loses if it parries with its last card.
            if cards >= table.other {
                return 1.0;
            }
            hit = 1.0 - table.unseen.holds(table.other, with, cards);
            after.other -= cards;
            after.unseen.remove(with, cards);
        }
        hit + (1.0 - hit) * after.standing(left)
    }
}

/// What the AI knows.
#[derive(Debug, Clone, Copy)]
struct Table {
    hand: Hand,
    /// How many cards the other holds.
    other: u8,
    /// The cards that are in the other's hand or in the pile, or that were laid down without being shown.
    unseen: Unseen,
    /// How many cards this AI draws up to (R-6.5): from the header, or at least as many as it holds.
    hand_size: u8,
    /// How many cards are in the pile; known from the header alone (A-4).
    pile: Option<u8>,
}

impl Table {
    fn read(question: &DuelQuestion) -> Table {
        let hand: Hand = question.cards.iter().copied().filter_map(Card::of).collect();
        let mut unseen = Unseen::all();
        let mut see = |value: u8, cards: u8| {
            if let Some(card) = Card::of(value) {
                unseen.remove(card, cards);
            }
        };
        for &value in &question.cards {
            see(value, 1);
        }
        match &question.seen {
            // Cards that attacked and parried are told as 0, which is no card, but are shown in the header.
            None => question.your_moves.iter().chain(&question.other_moves).for_each(|&value| see(value, 1)),
            Some(seen) => {
                for turn in &seen.turns {
                    turn.step.iter().for_each(|&value| see(value, 1));
                    let each = if turn.parried == Some(true) { 2 } else { 1 };
                    turn.attack.iter().for_each(|&value| see(value, each));
                }
            }
        }
        let other = question.other_cards.min(unseen.total());
        let hand_size = question.seen.as_ref().map_or(hand.total(), |seen| seen.hand_size);
        let pile = question.seen.as_ref().map(|seen| seen.pile);
        Table { hand, other, unseen, hand_size, pile }
    }

    /// How good it is to stand at a distance when the other's turn comes.
    fn standing(&self, distance: u8) -> f64 {
        if self.pile.is_some_and(|pile| self.hand_size.saturating_sub(self.hand.total()) > pile) {
            return EVEN;
        }
        let stuck = self.unseen.all_above(self.other, distance);
        let goes_on = (1.0 - KEPT_WEIGHT) * self.prospects(distance) + KEPT_WEIGHT * self.kept();
        stuck + (1.0 - stuck) * (1.0 - self.danger(distance)) * goes_on
    }

    /// How good it is when the other moves from this distance, and then it is this AI's turn: the mean over the cards
    /// that the other may move by.
    fn prospects(&self, distance: u8) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for step in Card::ALL.into_iter().filter(|step| step.value() < distance) {
            let weight = f64::from(self.unseen.cards.count(step));
            sum += weight * self.turn(distance - step.value());
            weights += weight;
        }
        if weights > 0.0 { sum / weights } else { EVEN }
    }

    /// How good it is to be in turn at a distance, with the cards that are kept: the best chance to hit; lost if none
    /// can be played, but for the cards that will be drawn.
    fn turn(&self, distance: u8) -> f64 {
        let plays = Plays::of(&self.hand, distance);
        if plays.is_empty() {
            let drawn = self.hand_size.saturating_sub(self.hand.total());
            return EVEN * (1.0 - self.unseen.all_above(drawn.min(self.unseen.total()), distance));
        }
        let hits = plays.iter().filter_map(|play| play.attack());
        let best =
            hits.map(|(with, cards)| 1.0 - self.unseen.holds(self.other, with, cards)).fold(0.0, f64::max);
        EVEN + (1.0 - EVEN) * best
    }

    /// How much of the hand that is kept is of one value: from near 0 to 1.
    fn kept(&self) -> f64 {
        let all = f64::from(self.hand.total().max(1));
        Card::ALL.iter().map(|&card| f64::from(self.hand.count(card)).powi(2)).sum::<f64>() / (all * all)
    }

    /// How likely it is that the other can attack with more cards than can be parried.
    fn danger(&self, distance: u8) -> f64 {
        let mut safe = 1.0;
        if let Some(with) = Card::of(distance) {
            safe *= 1.0 - self.unseen.holds(self.other, with, self.too_many(with));
        }
        for step in Card::ALL.into_iter().filter(|step| step.value() < distance) {
            if let Some(with) = Card::of(distance - step.value()) {
                safe *= 1.0 - self.unseen.holds_both(self.other, step, with, self.too_many(with));
            }
        }
        1.0 - safe
    }

    /// How many cards of a value can't be parried; parrying with all cards loses too (R-6.4).
    fn too_many(&self, with: Card) -> u8 {
        let held = self.hand.count(with);
        if held > 0 && held == self.hand.total() { held } else { held.saturating_add(1) }
    }
}

/// The cards that were not seen, and the odds of what a hand drawn from them holds.
#[derive(Debug, Clone, Copy)]
struct Unseen {
    cards: Hand,
}

impl Unseen {
    fn all() -> Unseen {
        Unseen { cards: gm_core::arena::duel::DECK.into_iter().collect() }
    }

    fn total(&self) -> u8 {
        self.cards.total()
    }

    fn remove(&mut self, card: Card, cards: u8) {
        self.cards.remove(card, cards);
    }

    /// The chance that `of` cards hold at least `least` of a value.
    fn holds(&self, of: u8, card: Card, least: u8) -> f64 {
        let (all, these) = (self.total(), self.cards.count(card));
        let ways: f64 = (least..=these.min(of)).map(|n| choose(these, n) * choose(all - these, of - n)).sum();
        share(ways, choose(all, of))
    }

    /// The chance that `of` cards hold a `step`, and besides it at least `least` of the value `with`.
    fn holds_both(&self, of: u8, step: Card, with: Card, least: u8) -> f64 {
        if step == with {
            return self.holds(of, with, least.saturating_add(1));
        }
        let (all, these, steps) = (self.total(), self.cards.count(with), self.cards.count(step));
        let ways: f64 = (least..=these.min(of))
            .map(|n| {
                let rest = all - these;
                choose(these, n) * (choose(rest, of - n) - choose(rest - steps, of - n))
            })
            .sum();
        share(ways, choose(all, of))
    }

    /// The chance that all of `of` cards are above a value.
    fn all_above(&self, of: u8, value: u8) -> f64 {
        let above =
            Card::ALL.iter().filter(|card| card.value() > value).map(|&card| self.cards.count(card)).sum();
        share(choose(above, of), choose(self.total(), of))
    }
}

fn share(ways: f64, of: f64) -> f64 {
    if of > 0.0 { ways / of } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::{Seen, SeenTurn};
    use std::collections::BTreeSet;

    /// Moves, hand and number of the other's cards as in A-1, and what is played.
    #[track_caller]
    fn check(query: &str, seen: Option<Seen>, expected: &[u8]) {
        let question = DuelQuestion { seen, ..DuelQuestion::from_query(query).expect("a question") };
        assert_eq!(Careful.play(&question), expected, "{query}");
    }

    #[test]
    fn a_sure_hit_is_taken() {
        for (query, hit) in [
            // Distance 5: only one 5 is left that the other may have, more can't be parried.
            ("yourmoves=[4,4,4]&othermoves=[5]&cards=[1,5,5,5]&othernbcards=6", vec![5, 5, 5]),
            // The other has one card: parrying with it loses too (R-6.4).
            ("yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5]&othernbcards=1", vec![5]),
            ("yourmoves=[5,5,5,5]&othermoves=[1]&cards=[1,2,3]&othernbcards=1", vec![1]),
            // Distance 6: the 2 moves, and the other may have two 4s at most.
            ("yourmoves=[5,5]&othermoves=[5,1]&cards=[4,2,4,4]&othernbcards=6", vec![2, 4, 4, 4]),
        ] {
            check(query, None, &hit);
        }
    }

    /// Two 4s were laid down as 0s. Only the header says that they were 4s, so that the one that is held is the last.
    #[test]
    fn a_4_the_header_shows_what_the_zeros_were() {
        let query = "yourmoves=[4,5,0,0]&othermoves=[4,5,0,0]&cards=[1,4]&othernbcards=3";
        let turn =
            |you, step, attack: &[u8], parried| SeenTurn { you, step, attack: attack.to_vec(), parried };
        let seen = Seen {
            distance: 4,
            hand_size: 2,
            other_hand_size: 5,
            pile: 9,
            first: true,
            turns: vec![
                turn(true, Some(4), &[], None),
                turn(false, Some(4), &[], None),
                turn(true, Some(5), &[], None),
                turn(false, Some(5), &[4, 4], Some(true)),
            ],
        };
        let with = Table::read(&DuelQuestion {
            seen: Some(seen.clone()),
            ..DuelQuestion::from_query(query).expect("a question")
        });
        let without = Table::read(&DuelQuestion::from_query(query).expect("a question"));
        assert_eq!((with.unseen.cards.count(Card::Four), without.unseen.cards.count(Card::Four)), (0, 2));
        check(query, Some(seen), &[4]);
    }

    /// What is played comes first, and all that is legal is weighed, the best first.
    #[test]
    fn it_says_what_each_play_is_worth() {
        let query = "yourmoves=[5,5,5]&othermoves=[2]&cards=[1,3,5,5,5]&othernbcards=2";
        let weighed = Careful.weigh(&DuelQuestion::from_query(query).expect("a question"));
        let plays: BTreeSet<Vec<u8>> = weighed.iter().map(|it| it.play.cards()).collect();
        let legal: Vec<&[u8]> = vec![&[1], &[3], &[5], &[5, 5], &[5, 5, 5]];
        assert_eq!(plays.into_iter().collect::<Vec<_>>(), legal);
        assert!(weighed.is_sorted_by(|one, other| one.value >= other.value), "{weighed:?}");
        assert_eq!((weighed[0].play.cards(), weighed[0].value), (vec![5, 5, 5], 1.0));
        assert!(weighed.iter().all(|it| (0.0..=1.0).contains(&it.value)), "{weighed:?}");
    }

    /// Where the other may attack, it is good to hold cards of that value, and not to have to lay down the last.
    #[test]
    fn a_distance_that_can_be_parried_is_safer() {
        let danger = |cards: &str, distance: u8| {
            let query = format!("yourmoves=[]&othermoves=[]&cards=[{cards}]&othernbcards=5");
            Table::read(&DuelQuestion::from_query(&query).expect("a question")).danger(distance)
        };
        assert!(danger("5,4,4", 4) < danger("5,5,4", 4));
        assert!(danger("5,5,4", 4) < danger("5,5,5", 4));
        assert!(danger("2,4", 4) < danger("4", 4), "parrying with the last card loses");
        assert!(danger("1,1,1", 10) > 0.0);
        is_near(danger("1,1,1", 11), 0.0);
    }

    #[track_caller]
    fn is_near(odds: f64, expected: f64) {
        assert!((odds - expected).abs() < 1e-9, "{odds}, not {expected}");
    }

    #[test]
    fn the_odds_are_those_of_drawing_without_putting_back() {
        let mut unseen = Unseen::all();
        is_near(unseen.holds(1, Card::One, 1), 0.2);
        is_near(unseen.holds(25, Card::One, 5), 1.0);
        is_near(unseen.holds(25, Card::One, 6), 0.0);
        is_near(unseen.holds(0, Card::One, 1), 0.0);
        is_near(unseen.holds(2, Card::One, 0), 1.0);
        is_near(unseen.holds(2, Card::One, 2), 0.2 * 4.0 / 24.0);
        is_near(unseen.holds_both(2, Card::One, Card::One, 1), 0.2 * 4.0 / 24.0);
        is_near(unseen.holds_both(2, Card::One, Card::Two, 1), 2.0 * 0.2 * 5.0 / 24.0);
        is_near(unseen.all_above(1, 3), 0.4);
        is_near(unseen.all_above(2, 4), 0.2 * 4.0 / 24.0);
        is_near(unseen.all_above(2, 5), 0.0);
        is_near(unseen.all_above(2, 0), 1.0);
        unseen.remove(Card::One, 4);
        is_near(unseen.holds(1, Card::One, 1), 1.0 / 21.0);
    }
}

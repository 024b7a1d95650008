//! The judge of a play: a small network of neurons, which was taught by duels against itself (see [`crate::school`]).
//!
//! What is known of a play is looked up in a table: each fact is a row of [`WIDTH`] numbers. The rows are added, what
//! is below zero is cut off, and the weighed sum of what is left says how good the play is. Most facts are joined with
//! the distance that the play leaves, since a 4 in the hand means something else four squares apart than nine.
//!
//! ```text
//! leaves 4; holds one 1 of which four are unseen   ┐
//! leaves 4; holds two 4s of which one is unseen    │  added, cut off at 0,      0.5 + x / (2 + 2|x|)
//! leaves 4; the other holds five                   ├─ weighed and added: x  ─────────────────────────  0.71
//! leaves 4; pile 13                                │
//! …                                                ┘
//! ```
//!
//! Only sums, products and quotients are used, in a fixed order: the same play has the same value on every machine
//! (R-10.5).

use super::view::{Deed, View};
use std::sync::LazyLock;

/// How many numbers a row has.
pub(crate) const WIDTH: usize = 64;

/// The distances that a play can leave: 1 to 22.
const DISTANCES: usize = 22;

/// Where the rows of each kind of fact begin. Numbers beyond those that are told apart are as the last that is.
mod rows {
    use super::DISTANCES;

    /// Distance left, card value, how many are kept, how many are unseen: five rows apply.
    pub(super) const CARDS: usize = 0;
    /// Distance left, how many cards the other holds, to 12.
    pub(super) const OTHER: usize = CARDS + DISTANCES * 5 * 6 * 6;
    /// Distance left, pile.
    pub(super) const PILE: usize = OTHER + DISTANCES * 13;
    /// Pile, how many are to be drawn, to 7.
    pub(super) const DRAWS: usize = PILE + DISTANCES * 26;
    /// Distance left, how many cards attack.
    pub(super) const ATTACK: usize = DRAWS + 26 * 8;
    /// How many cards attack, how many the other holds, how many of that value are unseen.
    pub(super) const ODDS: usize = ATTACK + DISTANCES * 6;
    /// Distance before the play, by what the other moved in its last turn, and whether it attacked.
    pub(super) const LAST: usize = ODDS + 6 * 13 * 6;
    /// Distance left, by what the other moved in its last turn.
    pub(super) const REPLY: usize = LAST + (DISTANCES + 1) * 6 * 2;
    /// How many cards both were dealt, to 13.
    pub(super) const SIZES: usize = REPLY + DISTANCES * 6;
    /// By how much the other moved in all, to 21, and in how many turns, to 7.
    pub(super) const HABITS: usize = SIZES + 14 * 14;
    /// Counts as often as the chance says that the attack wins at once.
    pub(super) const HIT: usize = HABITS + 22 * 8;
    /// How many there are.
    pub(super) const ALL: usize = HIT + 1;
}

/// How many rows there are.
pub(crate) const ROWS: usize = rows::ALL;

/// How many rows apply to a play, not counting the chance to hit.
pub(crate) const APPLY: usize = 14;

/// What is known of a play.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Facts {
    /// The rows that apply.
    pub(crate) rows: [u16; APPLY],
    /// The chance that the attack wins at once: 0 to 1.
    pub(crate) hit: f32,
}

impl Facts {
    /// The row that counts as often as [`Facts::hit`] says.
    pub(crate) const HIT: usize = rows::HIT;

    /// What is known of a legal deed of a player who knows this.
    pub(crate) fn of(view: &View, deed: Deed) -> Facts {
        let kept = view.kept(deed);
        let left = view.distance - deed.step;
        let at = usize::from(left - 1);
        let other = usize::from(view.other.min(12));
        let (pile, step, attackers) =
            (usize::from(view.pile), usize::from(view.habits.last.step), usize::from(deed.attackers));
        let missing = usize::from(view.missing(deed).min(7));
        let unseen = |value: u8| usize::from(view.unseen[usize::from(value)].min(5));
        let card = |index: usize| {
            let value = index + 1;
            let (kept, unseen) = (usize::from(kept[value].min(5)), usize::from(view.unseen[value].min(5)));
            rows::CARDS + ((at * 5 + index) * 6 + kept) * 6 + unseen
        };
        let odds = if attackers == 0 { 0 } else { (attackers * 13 + other) * 6 + unseen(left) };
        let attacked = usize::from(view.habits.last.attackers > 0);
        let list = [
            card(0),
            card(1),
            card(2),
            card(3),
            card(4),
            rows::OTHER + at * 13 + other,
            rows::PILE + at * 26 + pile,
            rows::DRAWS + pile * 8 + missing,
            rows::ATTACK + at * 6 + attackers,
            rows::ODDS + odds,
            rows::LAST + (usize::from(view.distance) * 6 + step) * 2 + attacked,
            rows::REPLY + at * 6 + step,
            rows::SIZES + usize::from(view.size.min(13)) * 14 + usize::from(view.other_size.min(13)),
            rows::HABITS + usize::from(view.habits.moved.min(21)) * 8 + usize::from(view.habits.turns.min(7)),
        ];
        Facts { rows: list.map(|row| row as u16), hit: view.hit(deed) as f32 }
    }
}

/// What a network of this shape has learnt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Net {
    /// A row for each fact.
    pub(crate) rows: Vec<[f32; WIDTH]>,
    /// What each column weighs.
    pub(crate) weights: [f32; WIDTH],
    /// What is added in the end.
    pub(crate) bias: f32,
}

/// What the file of a network begins with: its shape, so that no other is taken for it.
const HEAD: [u8; 8] = [b'd', b'u', b'e', b'l', WIDTH as u8, (ROWS >> 8) as u8, (ROWS & 0xff) as u8, 1];

/// The numbers of the rows are written as whole multiples of this.
const UNIT: f32 = 1.0 / 2048.0;

/// What the network learnt that this crate comes with.
static TAUGHT: &[u8] = include_bytes!("taught.bin");

impl Net {
    /// The network that this crate comes with.
    pub(crate) fn taught() -> &'static Net {
        static NET: LazyLock<Net> = LazyLock::new(|| {
            Net::from_bytes(TAUGHT).expect("the file that is built in has this shape: a test reads it")
        });
        &NET
    }

    /// The sum of the rows that apply.
    pub(crate) fn sum(&self, facts: &Facts) -> [f32; WIDTH] {
        let mut sum = self.rows[Facts::HIT].map(|weight| weight * facts.hit);
        for &row in &facts.rows {
            for (sum, weight) in sum.iter_mut().zip(&self.rows[usize::from(row)]) {
                *sum += weight;
            }
        }
        sum
    }

    /// The value of a play by the sum of its rows: between 0 and 1.
    pub(crate) fn value_of(&self, sum: &[f32; WIDTH]) -> f32 {
        // Eight sums side by side, so that they can be computed at once.
        let mut lanes = [0.0_f32; 8];
        for (sum, weights) in sum.chunks_exact(8).zip(self.weights.chunks_exact(8)) {
            for lane in 0..8 {
                lanes[lane] += sum[lane].max(0.0) * weights[lane];
            }
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        let x = self.bias + (((a + b) + (c + d)) + ((e + f) + (g + h)));
        0.5 + 0.5 * x / (1.0 + x.abs())
    }

    /// How good it is to do this: the score to expect, from 0, lost, to 1, won. Exact where the duel is then decided.
    pub(crate) fn value(&self, view: &View, deed: Deed) -> f32 {
        let facts = Facts::of(view, deed);
        view.decided(deed, facts.hit).unwrap_or_else(|| self.value_of(&self.sum(&facts)))
    }

    /// The file of a network. The numbers of the rows are written as the nearest multiples of 1/2048.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEAD.to_vec();
        for number in self.rows.iter().flatten() {
            bytes.extend(((number / UNIT).round() as i16).to_le_bytes());
        }
        for number in self.weights.iter().chain([&self.bias]) {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// Reads the file of a network; `None` if it is of another shape.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Net> {
        let bytes = bytes.strip_prefix(&HEAD)?;
        let (rows, rest) = bytes.split_at_checked(ROWS * WIDTH * 2)?;
        if rest.len() != (WIDTH + 1) * 4 {
            return None;
        }
        let mut small =
            rows.chunks_exact(2).map(|two| f32::from(i16::from_le_bytes([two[0], two[1]])) * UNIT);
        let rows = (0..ROWS).map(|_| std::array::from_fn(|_| small.next().unwrap_or_default())).collect();
        let mut large =
            rest.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let mut next = || large.next().unwrap_or_default();
        Some(Net { rows, weights: std::array::from_fn(|_| next()), bias: next() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cards::{ALL, hands, total, without};
    use super::super::view::{Deeds, Habits};
    use super::*;
    use crate::search::dice::Dice;

    /// The file that is built in has this shape, and what is written is what was read.
    #[test]
    fn the_taught_network_is_read() {
        let net = Net::taught();
        assert!(net.to_bytes() == TAUGHT, "the file does not come back as it was read");
        for bytes in [&TAUGHT[1..], &TAUGHT[..TAUGHT.len() - 1], &[]] {
            assert_eq!(Net::from_bytes(bytes).map(|_| ()), None);
        }
    }

    /// Rows and values are in range in any position that can be.
    #[test]
    fn values_are_scores() {
        let mut dice = Dice::new(3);
        for _ in 0..20_000 {
            let sizes = [1 + dice.below(12) as u8, 1 + dice.below(13) as u8];
            let hand_list = hands(&ALL, sizes[0]);
            let hand = hand_list[dice.below(hand_list.len() as u32) as usize].0;
            let unseen = without(&ALL, &hand).expect("a hand of these cards");
            let distance = 1 + dice.below(22) as u8;
            let last = Deed { step: dice.below(6) as u8, attackers: dice.below(6) as u8 };
            let habits = Habits { last, moved: dice.below(22) as u8, turns: dice.below(26) as u8 };
            let view = View {
                hand,
                unseen,
                distance,
                other: sizes[1].min(total(&unseen)),
                size: sizes[0],
                other_size: sizes[1],
                pile: total(&unseen).saturating_sub(sizes[1]),
                habits,
            };
            for &deed in Deeds::of(&hand, distance).iter() {
                let facts = Facts::of(&view, deed);
                assert!(facts.rows.iter().all(|row| usize::from(*row) < Facts::HIT), "{view:?} {deed:?}");
                assert!(facts.rows.iter().zip(facts.rows.iter().skip(1)).all(|(one, other)| one < other));
                let value = Net::taught().value(&view, deed);
                assert!((0.0..=1.0).contains(&value), "{value}: {view:?} {deed:?}");
            }
        }
    }

    /// It knows what every player knows.
    #[test]
    fn what_was_learnt_makes_sense() {
        let view = |distance, hand| View {
            hand,
            unseen: without(&ALL, &hand).expect("a hand"),
            distance,
            other: 5,
            size: 5,
            other_size: 5,
            pile: 15,
            habits: Habits::default(),
        };
        let value = |view: &View, step, attackers| Net::taught().value(view, Deed { step, attackers });
        let far = view(22, [0, 1, 1, 1, 1, 1]);
        assert!((value(&far, 1, 0) - 0.5).abs() < 0.1);
        let fours = view(4, [0, 1, 0, 0, 4, 0]);
        assert!(value(&fours, 0, 4) > value(&fours, 0, 1), "with four 4s, all of them attack");
        let careful = view(6, [0, 1, 1, 0, 0, 3]);
        assert!(value(&careful, 1, 0) > value(&careful, 2, 0), "5 apart, three 5s parry; 4 apart, none does");
    }
}

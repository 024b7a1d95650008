//! What a player in turn knows, and what it may do.
//!
//! ```text
//! distance 6, my hand 1 2 4 4 5, unseen 4 5 4 2 3, the other holds 5, pile 13; its last turn moved by 3
//! deeds: move 1, move 2, move 2 and attack with one 4, … with two, …
//! ```

use super::cards::{Counts, chance_of, total};
use gm_core::arena::duel::{Card, Play};

/// The score of a draw (R-6.5).
pub(crate) const DRAW: f32 = 0.5;

/// A play (R-6.2) without the value that it attacks with, which follows from the distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Deed {
    /// The value of the card that moves; 0 if none does.
    pub(crate) step: u8,
    /// How many cards attack; 0 for a bare move.
    pub(crate) attackers: u8,
}

impl Deed {
    /// The play that it is at a distance; `None` where there is no such play.
    pub(crate) fn play(self, distance: u8) -> Option<Play> {
        let left = distance.checked_sub(self.step)?;
        match (Card::of(self.step), self.attackers) {
            (None, 0) => None,
            (Some(step), 0) => Some(Play::Move(step)),
            (None, cards) => Some(Play::Attack { with: Card::of(left)?, cards }),
            (Some(step), cards) => Some(Play::Indirect { step, with: Card::of(left)?, cards }),
        }
    }

    /// How many cards it lays down.
    pub(crate) fn cards(self) -> u8 {
        u8::from(self.step > 0) + self.attackers
    }

    /// A number below [`Deed::CODES`] that no other deed has.
    pub(crate) fn code(self) -> usize {
        usize::from(self.step) * 6 + usize::from(self.attackers)
    }

    /// The deed with a code.
    pub(crate) fn of_code(code: usize) -> Deed {
        Deed { step: (code / 6) as u8, attackers: (code % 6) as u8 }
    }

    /// How many codes there are.
    pub(crate) const CODES: usize = 36;
}

/// Some deeds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deeds {
    list: [Deed; Deeds::MOST],
    len: usize,
}

impl Deeds {
    /// No hand has more.
    pub(crate) const MOST: usize = gm_core::arena::duel::Plays::MOST;

    /// The legal plays of a player who holds this hand at a distance, in the order of `Plays::of` (R-6.2).
    pub(crate) fn of(hand: &Counts, distance: u8) -> Deeds {
        let mut deeds = Deeds { list: [Deed::default(); Deeds::MOST], len: 0 };
        for step in (1..=5_u8).filter(|&step| hand[usize::from(step)] > 0 && step < distance) {
            deeds.push(Deed { step, attackers: 0 });
            let left = distance - step;
            if left <= 5 {
                for attackers in 1..=hand[usize::from(left)] - u8::from(left == step) {
                    deeds.push(Deed { step, attackers });
                }
            }
        }
        if distance <= 5 {
            for attackers in 1..=hand[usize::from(distance)] {
                deeds.push(Deed { step: 0, attackers });
            }
        }
        deeds
    }

    fn push(&mut self, deed: Deed) {
        self.list[self.len] = deed;
        self.len += 1;
    }
}

impl FromIterator<Deed> for Deeds {
    /// Some of the deeds of a hand: no more than there can be.
    fn from_iter<I: IntoIterator<Item = Deed>>(list: I) -> Deeds {
        let mut deeds = Deeds { list: [Deed::default(); Deeds::MOST], len: 0 };
        list.into_iter().take(Deeds::MOST).for_each(|deed| deeds.push(deed));
        deeds
    }
}

impl std::ops::Deref for Deeds {
    type Target = [Deed];

    fn deref(&self) -> &[Deed] {
        &self.list[..self.len]
    }
}

/// What all can see of how a player came here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Habits {
    /// What it did in its last turn; nothing if it had none.
    pub(crate) last: Deed,
    /// By how many squares it moved in all: 0 to 21.
    pub(crate) moved: u8,
    /// How many turns it had.
    pub(crate) turns: u8,
}

impl Habits {
    /// After one more turn.
    pub(crate) fn after(self, deed: Deed) -> Habits {
        Habits { last: deed, moved: self.moved + deed.step, turns: self.turns + 1 }
    }
}

/// What a player in turn knows (R-6.7, A-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct View {
    /// Its hand.
    pub(crate) hand: Counts,
    /// The cards that are in the other's hand or in the pile.
    pub(crate) unseen: Counts,
    /// The squares between the two: 1 to 22.
    pub(crate) distance: u8,
    /// How many cards the other holds.
    pub(crate) other: u8,
    /// How many cards it was dealt, and draws up to (R-6.5).
    pub(crate) size: u8,
    /// How many cards the other was dealt.
    pub(crate) other_size: u8,
    /// How many cards are in the pile.
    pub(crate) pile: u8,
    /// What the other was seen to do.
    pub(crate) habits: Habits,
}

impl View {
    /// Its hand when a deed is done, before it draws.
    pub(crate) fn kept(&self, deed: Deed) -> Counts {
        let mut kept = self.hand;
        kept[usize::from(deed.step)] -= u8::from(deed.step > 0);
        if deed.attackers > 0 {
            kept[usize::from(self.distance - deed.step)] -= deed.attackers;
        }
        kept
    }

    /// The chance that an attack wins at once (R-6.4), if all hands of the other are equally likely: 0 for a move,
    /// exactly 1 if it can't be parried.
    pub(crate) fn hit(&self, deed: Deed) -> f64 {
        if deed.attackers == 0 {
            return 0.0;
        }
        if deed.attackers >= self.other {
            return 1.0;
        }
        1.0 - chance_of(&self.unseen, self.other, self.distance - deed.step, deed.attackers)
    }

    /// The score of a deed that ends the duel whatever the other holds and does, or that it can't answer; `None` if it goes
    /// on. `hit` is [`View::hit`].
    pub(crate) fn decided(&self, deed: Deed, hit: f32) -> Option<f32> {
        if hit >= 1.0 {
            return Some(1.0);
        }
        // R-6.5: who has to draw and can't ends it as a draw, unless it has hit.
        if self.missing(deed) > self.pile {
            return Some(hit + (1.0 - hit) * DRAW);
        }
        // R-6.6: no card is left with which the other could do anything.
        let left = usize::from(self.distance - deed.step);
        let parried = if left <= 5 { deed.attackers } else { 0 };
        let low = (1..=left.min(5)).map(|value| self.unseen[value]).sum::<u8>();
        (low <= parried).then_some(1.0)
    }

    /// How many cards have to be drawn after a deed (R-6.5).
    pub(crate) fn missing(&self, deed: Deed) -> u8 {
        (self.size + deed.cards()).saturating_sub(total(&self.hand))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::arena::duel::{Hand, Plays};

    /// The deeds are the plays of the rules, in their order.
    #[test]
    fn r_6_2_deeds_are_the_legal_plays() {
        let mut tried = 0;
        for of in 0..=6 {
            for (counts, _) in super::super::cards::hands(&super::super::cards::ALL, of) {
                let hand: Hand = Card::ALL
                    .into_iter()
                    .flat_map(|card| std::iter::repeat_n(card, counts[usize::from(card.value())].into()))
                    .collect();
                for distance in 1..=22 {
                    let deeds: Vec<Option<Play>> =
                        Deeds::of(&counts, distance).iter().map(|deed| deed.play(distance)).collect();
                    let plays: Vec<Option<Play>> =
                        Plays::of(&hand, distance).iter().copied().map(Some).collect();
                    assert_eq!(deeds, plays, "{counts:?} at {distance}");
                    tried += plays.len();
                }
            }
        }
        assert!(tried > 10_000);
        assert_eq!(Deed { step: 5, attackers: 0 }.play(3), None);
        assert_eq!(Deed::default().play(3), None);
        assert_eq!(Deed { step: 1, attackers: 1 }.play(22), None);
    }

    #[test]
    fn codes_are_one_to_one() {
        for code in 0..Deed::CODES {
            assert_eq!(Deed::of_code(code).code(), code);
        }
    }

    #[test]
    fn r_6_4_a_hit_is_sure_or_counted() {
        let view = View {
            hand: [0, 1, 0, 0, 2, 0],
            unseen: [0, 4, 5, 5, 1, 5],
            distance: 4,
            other: 4,
            size: 3,
            other_size: 4,
            pile: 16,
            habits: Habits::default(),
        };
        let hit = |other, attackers| View { other, ..view }.hit(Deed { step: 0, attackers });
        assert_eq!([hit(4, 0), hit(4, 2), hit(1, 1)], [0.0, 1.0, 1.0]);
        assert!((hit(4, 1) - 0.8).abs() < 1e-12, "one 4 among 20 cards, of which the other holds 4");
        assert_eq!(view.kept(Deed { step: 0, attackers: 2 }), [0, 1, 0, 0, 0, 0]);
        assert_eq!(
            [view.missing(Deed { step: 1, attackers: 0 }), view.missing(Deed { step: 0, attackers: 2 })],
            [1, 2]
        );
    }
}

//! The cards (R-6.1): five each of 1 to 5.
//!
//! ```
//! use gm_core::arena::duel::{Card, Hand};
//! let hand: Hand = [Card::Two, Card::Five, Card::Two].into_iter().collect();
//! assert_eq!((hand.count(Card::Two), hand.total(), hand.cards()), (2, 3, vec![2, 2, 5]));
//! ```

use std::fmt;

/// A card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Card {
    /// A 1.
    One = 1,
    /// A 2.
    Two = 2,
    /// A 3.
    Three = 3,
    /// A 4.
    Four = 4,
    /// A 5.
    Five = 5,
}

impl Card {
    /// Every value, lowest first.
    pub const ALL: [Card; 5] = [Card::One, Card::Two, Card::Three, Card::Four, Card::Five];

    /// How many cards of each value there are (R-6.1).
    pub const OF_EACH: u8 = 5;

    /// The card of a value; `None` if there is no such card.
    #[must_use]
    pub const fn of(value: u8) -> Option<Card> {
        match value {
            1 => Some(Card::One),
            2 => Some(Card::Two),
            3 => Some(Card::Three),
            4 => Some(Card::Four),
            5 => Some(Card::Five),
            _ => None,
        }
    }

    /// The value: 1 to 5.
    #[must_use]
    pub const fn value(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// All 25 cards in an order. Index 0 is dealt and drawn first.
pub type Pile = [Card; 25];

/// All cards, sorted: to be shuffled.
pub const DECK: Pile = {
    let mut deck = [Card::One; 25];
    let mut at = 0;
    while at < deck.len() {
        deck[at] = Card::ALL[at / Card::OF_EACH as usize];
        at += 1;
    }
    deck
};

/// Cards without an order: a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Hand {
    /// How many of each value; index 0 is never used, so that a value is its own index.
    counts: [u8; 6],
}

impl Hand {
    /// How many of a value.
    #[must_use]
    pub const fn count(&self, card: Card) -> u8 {
        self.counts[card as usize]
    }

    /// How many in all.
    #[must_use]
    pub const fn total(&self) -> u8 {
        let [_, one, two, three, four, five] = self.counts;
        one.saturating_add(two).saturating_add(three).saturating_add(four).saturating_add(five)
    }

    /// The lowest card; `None` in an empty hand.
    #[must_use]
    pub fn lowest(&self) -> Option<Card> {
        Card::ALL.into_iter().find(|&card| self.count(card) > 0)
    }

    /// The values of all cards, lowest first.
    #[must_use]
    pub fn cards(&self) -> Vec<u8> {
        Card::ALL
            .into_iter()
            .flat_map(|card| std::iter::repeat_n(card.value(), self.count(card).into()))
            .collect()
    }

    /// Takes a card into the hand.
    pub const fn add(&mut self, card: Card) {
        let count = &mut self.counts[card as usize];
        *count = count.saturating_add(1);
    }

    /// Lays down `cards` of a value; all there are if there are fewer.
    pub const fn remove(&mut self, card: Card, cards: u8) {
        let count = &mut self.counts[card as usize];
        *count = count.saturating_sub(cards);
    }
}

impl FromIterator<Card> for Hand {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Hand {
        let mut hand = Hand::default();
        for card in cards {
            hand.add(card);
        }
        hand
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_6_1_five_each_of_1_to_5() {
        let deck: Hand = DECK.into_iter().collect();
        assert_eq!(Card::ALL.map(|card| deck.count(card)), [5; 5]);
        assert_eq!(deck.total(), 25);
        assert_eq!((0..=6).map(Card::of).collect::<Vec<_>>()[0], None);
        assert_eq!((1..=5).filter_map(Card::of).map(Card::value).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(Card::of(6), None);
    }

    #[test]
    fn a_hand_keeps_count() {
        let mut hand = Hand::default();
        assert_eq!((hand.total(), hand.lowest(), hand.cards()), (0, None, vec![]));
        for card in [Card::Five, Card::Two, Card::Five, Card::Three, Card::One, Card::Four] {
            hand.add(card);
        }
        assert_eq!((hand.total(), hand.lowest()), (6, Some(Card::One)));
        assert_eq!(hand.cards(), [1, 2, 3, 4, 5, 5]);
        hand.remove(Card::Five, 2);
        hand.remove(Card::One, 3);
        assert_eq!((hand.total(), hand.lowest(), hand.cards()), (3, Some(Card::Two), vec![2, 3, 4]));
        assert_eq!(Card::Four.to_string(), "4");
    }
}

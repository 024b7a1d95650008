//! What a player may lay down: R-6.2, and why anything else is illegal (R-6.3).
//!
//! ```
//! use gm_core::arena::duel::{Card, Play};
//! // White stands on 9, black on 14, and white plays a 1 and three 4s.
//! let play = Play::parse(&[1, 4, 4, 4], 5).unwrap();
//! assert_eq!(play, Play::Indirect { step: Card::One, with: Card::Four, cards: 3 });
//! assert_eq!(play.to_string(), "[1,4,4,4]");
//! ```

use super::card::{Card, Hand};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;

/// What a player lays down in a turn (R-6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Play {
    /// Forward by the value of the card.
    Move(Card),
    /// An attack with `cards` cards of the value `with`, which is the distance.
    Attack {
        /// The value.
        with: Card,
        /// How many, 1 or more.
        cards: u8,
    },
    /// A move by `step`, and an attack over the distance that is left.
    Indirect {
        /// The card that moves.
        step: Card,
        /// The value of the cards that attack.
        with: Card,
        /// How many attack, 1 or more.
        cards: u8,
    },
}

/// Why an answer is illegal (R-6.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Illegal {
    /// No card at all.
    #[error("no card was played")]
    Empty,
    /// There is no such card.
    #[error("there is no card {0}")]
    NotACard(u8),
    /// The first card would bring the player onto or past the other.
    #[error("{0} goes onto or past the other")]
    TooFar(u8),
    /// A card that attacks does not have the value of the distance.
    #[error("an attack with {0} over another distance")]
    WrongDistance(u8),
    /// The player does not hold that many cards of the value.
    #[error("not enough cards {0} in the hand")]
    NotHeld(u8),
    /// It is not this player's turn.
    #[error("it is not this player's turn")]
    NotInTurn,
}

impl Play {
    /// Reads a list of cards as R-6.2 does at a distance: `c1 = distance` is always an attack; otherwise a list of
    /// two or more is an indirect attack. Whether the cards are held is not looked at here ([`Play::check`]).
    ///
    /// # Errors
    /// [`Illegal`], the first reason from the left.
    pub fn parse(cards: &[u8], distance: u8) -> Result<Play, Illegal> {
        let card = |&value: &u8| Card::of(value).ok_or(Illegal::NotACard(value));
        let (first, rest) = cards.split_first().ok_or(Illegal::Empty)?;
        let first = card(first)?;
        if first.value() > distance {
            return Err(Illegal::TooFar(first.value()));
        }
        if first.value() == distance {
            let cards = attackers(rest, distance)?.saturating_add(1);
            return Ok(Play::Attack { with: first, cards });
        }
        let Some(second) = rest.first() else {
            return Ok(Play::Move(first));
        };
        let with = card(second)?;
        let cards = attackers(rest, distance - first.value())?;
        Ok(Play::Indirect { step: first, with, cards })
    }

    /// Whether a player who holds `hand` may play this at a distance.
    ///
    /// # Errors
    /// [`Illegal`] says why not.
    pub const fn check(self, hand: &Hand, distance: u8) -> Result<(), Illegal> {
        if let Some(step) = self.step() {
            if step.value() >= distance {
                return Err(Illegal::TooFar(step.value()));
            }
            if hand.count(step) == 0 {
                return Err(Illegal::NotHeld(step.value()));
            }
        }
        let Some((with, cards)) = self.attack() else {
            return Ok(());
        };
        let (left, held) = match self.step() {
            None => (distance, hand.count(with)),
            Some(step) => (distance - step.value(), hand.count(with) - (step.value() == with.value()) as u8),
        };
        if cards == 0 {
            return Err(Illegal::Empty);
        }
        if with.value() != left {
            return Err(Illegal::WrongDistance(with.value()));
        }
        if held < cards {
            return Err(Illegal::NotHeld(with.value()));
        }
        Ok(())
    }

    /// The card that moves, if one does.
    #[must_use]
    pub const fn step(self) -> Option<Card> {
        match self {
            Play::Move(step) | Play::Indirect { step, .. } => Some(step),
            Play::Attack { .. } => None,
        }
    }

    /// The value and number of the cards that attack, if any do.
    #[must_use]
    pub const fn attack(self) -> Option<(Card, u8)> {
        match self {
            Play::Move(_) => None,
            Play::Attack { with, cards } | Play::Indirect { with, cards, .. } => Some((with, cards)),
        }
    }

    /// The list that an AI answers to play this (A-2).
    #[must_use]
    pub fn cards(self) -> Vec<u8> {
        let mut list: Vec<u8> = self.step().map(Card::value).into_iter().collect();
        list.extend(self.attacking());
        list
    }

    /// The values of the cards that attack.
    #[must_use]
    pub fn attacking(self) -> Vec<u8> {
        self.attack().map_or_else(Vec::new, |(with, cards)| vec![with.value(); cards.into()])
    }
}

/// How many cards attack, if each has the value of the distance.
fn attackers(cards: &[u8], distance: u8) -> Result<u8, Illegal> {
    for &value in cards {
        if Card::of(value).is_none() {
            return Err(Illegal::NotACard(value));
        }
        if value != distance {
            return Err(Illegal::WrongDistance(value));
        }
    }
    Ok(u8::try_from(cards.len()).unwrap_or(u8::MAX))
}

impl fmt::Display for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (at, value) in self.cards().into_iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{value}")?;
        }
        f.write_str("]")
    }
}

/// All legal plays of a position, each once: moves and indirect attacks by the card that moves, then attacks.
#[derive(Debug, Clone, Copy)]
pub struct Plays {
    list: [Play; Plays::MOST],
    len: usize,
}

impl Plays {
    /// No position has more: 5 moves, and for each of them and without one up to 5 sizes of an attack.
    pub const MOST: usize = 35;

    /// The legal plays of a player who holds `hand` at a distance.
    #[must_use]
    pub fn of(hand: &Hand, distance: u8) -> Plays {
        let mut plays = Plays { list: [Play::Move(Card::One); Plays::MOST], len: 0 };
        for step in Card::ALL {
            if hand.count(step) == 0 || step.value() >= distance {
                continue;
            }
            plays.push(Play::Move(step));
            if let Some(with) = Card::of(distance - step.value()) {
                let left = hand.count(with) - u8::from(with == step);
                for cards in 1..=left {
                    plays.push(Play::Indirect { step, with, cards });
                }
            }
        }
        if let Some(with) = Card::of(distance) {
            for cards in 1..=hand.count(with) {
                plays.push(Play::Attack { with, cards });
            }
        }
        plays
    }

    fn push(&mut self, play: Play) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = play;
            self.len += 1;
        }
    }
}

impl Deref for Plays {
    type Target = [Play];
    fn deref(&self) -> &[Play] {
        self.list.get(..self.len).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_2_a_play_is_the_list_that_an_ai_answers() {
        for (play, list) in [
            (Play::Move(Card::Three), "[3]"),
            (Play::Attack { with: Card::Four, cards: 2 }, "[4,4]"),
            (Play::Indirect { step: Card::One, with: Card::Four, cards: 3 }, "[1,4,4,4]"),
        ] {
            assert_eq!(play.to_string(), list);
        }
    }

    /// What no list can say, but a [`Play`] that is built by hand can.
    #[test]
    fn r_6_3_an_attack_without_cards_is_none() {
        let hand: Hand = [Card::One, Card::Four].into_iter().collect();
        let attack = Play::Attack { with: Card::Four, cards: 0 };
        assert_eq!(attack.check(&hand, 4), Err(Illegal::Empty));
        let indirect = Play::Indirect { step: Card::One, with: Card::Four, cards: 0 };
        assert_eq!(indirect.check(&hand, 5), Err(Illegal::Empty));
        assert_eq!(Play::Move(Card::Four).check(&hand, 4), Err(Illegal::TooFar(4)));
    }
}

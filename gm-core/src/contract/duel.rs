//! The question to a duel AI: A-1, with the header of A-4.
//!
//! ```
//! use gm_core::contract::DuelQuestion;
//! let question = DuelQuestion { your_moves: vec![1, 5], other_moves: vec![2], cards: vec![3, 2], other_cards: 5, ..DuelQuestion::default() };
//! assert_eq!(question.query(), "yourmoves=[1,5]&othermoves=[2]&cards=[3,2]&othernbcards=5");
//! ```

use serde::{Deserialize, Serialize};

/// What a duel AI is told when it is asked (R-6.7, A-1, A-4).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DuelQuestion {
    /// What this player laid down, in order; 0 for a card used to attack or parry.
    pub your_moves: Vec<u8>,
    /// What the other laid down.
    pub other_moves: Vec<u8>,
    /// This player's hand.
    pub cards: Vec<u8>,
    /// How many cards the other holds.
    pub other_cards: u8,
    /// The extension of A-4: what both have seen, card values included.
    pub seen: Seen,
}

/// The header `X-EACC-DUEL` (A-4): everything that both players have seen, and nothing hidden.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Seen {
    /// Squares between the two.
    pub distance: u8,
    /// How many cards this player was dealt.
    pub hand_size: u8,
    /// How many cards the other was dealt.
    pub other_hand_size: u8,
    /// Cards left in the pile.
    pub pile: u8,
    /// Whether this player had the first turn.
    pub first: bool,
    /// The turns so far, oldest first.
    pub turns: Vec<SeenTurn>,
}

/// One turn as both players saw it (A-4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenTurn {
    /// Whether it was this player's turn.
    pub you: bool,
    /// The card that moved, if one did.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub step: Option<u8>,
    /// The cards that attacked, if any did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attack: Vec<u8>,
    /// Whether the attack was parried; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parried: Option<bool>,
}

impl DuelQuestion {
    /// The query of A-1, brackets and commas unescaped.
    #[must_use]
    pub fn query(&self) -> String {
        todo!()
    }
}

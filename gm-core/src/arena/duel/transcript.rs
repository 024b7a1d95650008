//! What happened in a duel, cards and all: for those who watch once it is over (R-11).
//!
//! ```text
//! white dealt 1 4 4 4, black dealt 2 4 4 5, white first
//! white [5]       drew 2
//! black [1,4,4]   parried, drew 3
//! black won: the other had no legal move
//! ```

use super::outcome::{Outcome, Side};
use crate::contract::SeenTurn;
use serde::{Deserialize, Serialize};

/// A whole duel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transcript {
    /// Who had the first turn.
    pub first: Side,
    /// What white and black were dealt, lowest card first. Their hand sizes (R-6.1) are how many these are.
    pub dealt: [Vec<u8>; 2],
    /// The turns, in order.
    pub turns: Vec<Turn>,
    /// The answer that was illegal, if the duel ended by one (R-6.3), at most [`Transcript::MAX_REFUSED`] numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<Vec<u8>>,
    /// How it ended; absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Whose turn it was.
    pub side: Side,
    /// The card that moved, if one did.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub step: Option<u8>,
    /// The cards that attacked, if any did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attack: Vec<u8>,
    /// Whether the attack was parried; absent if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parried: Option<bool>,
    /// The cards that the player drew at the end of the turn, in the order drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drew: Vec<u8>,
}

impl Transcript {
    /// How much is kept of an illegal answer: one number more than there are cards.
    pub const MAX_REFUSED: usize = 26;

    /// What one side laid down, as the AIs are told (R-6.7): a card that moved as its value, every card used to
    /// attack or to parry as 0.
    #[must_use]
    pub fn laid_down(&self, side: Side) -> Vec<u8> {
        let mut laid = Vec::new();
        for turn in &self.turns {
            if turn.side == side {
                laid.extend(turn.step);
            }
            if turn.side == side || turn.parried == Some(true) {
                laid.extend(turn.attack.iter().map(|_| 0));
            }
        }
        laid
    }

    /// The turns as `side` saw them (A-4).
    #[must_use]
    pub fn seen_by(&self, side: Side) -> Vec<SeenTurn> {
        self.turns
            .iter()
            .map(|turn| SeenTurn {
                you: turn.side == side,
                step: turn.step,
                attack: turn.attack.clone(),
                parried: turn.parried,
            })
            .collect()
    }
}

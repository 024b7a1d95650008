//! How a duel ends: who won, and why (R-6.3 to R-6.8).
//!
//! ```
//! use gm_core::arena::duel::{Outcome, Reason, Side};
//! let outcome = Outcome { winner: Some(Side::White), reason: Reason::Hit };
//! assert_eq!(outcome.to_string(), "white won: the other was hit");
//! ```

use super::play::Illegal;
use crate::arena::Seat;
use crate::contract::Fault;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A duellist. White starts on square 1 and sits at seat 0; black starts on square 23 and sits at seat 1 (R-6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// From square 1 upwards, seat 0.
    White,
    /// From square 23 downwards, seat 1.
    Black,
}

impl Side {
    /// Both, white first.
    pub const BOTH: [Side; 2] = [Side::White, Side::Black];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }

    /// 0 for white, 1 for black: the index into everything that there is one of for each.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The seat in a match.
    #[must_use]
    pub const fn seat(self) -> Seat {
        Seat(self.index())
    }

    /// Who sits at a seat; `None` where nobody does.
    #[must_use]
    pub fn at(seat: Seat) -> Option<Side> {
        Side::BOTH.get(seat.0).copied()
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::White => "white",
            Side::Black => "black",
        })
    }
}

/// How a duel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Who won; `None` for a draw.
    pub winner: Option<Side>,
    /// Why.
    pub reason: Reason,
}

impl Outcome {
    /// Who lost; `None` for a draw.
    #[must_use]
    pub fn loser(&self) -> Option<Side> {
        self.winner.map(Side::other)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(side) => write!(f, "{side} won: {}", self.reason),
            None => write!(f, "a draw: {}", self.reason),
        }
    }
}

/// Why a duel ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The loser could not parry (R-6.4).
    #[error("the other was hit")]
    Hit,
    /// The loser parried with its last card (R-6.4).
    #[error("the other parried with its last card")]
    NoCardLeft,
    /// The loser had no legal move at the start of its turn (R-6.6).
    #[error("the other had no legal move")]
    Stuck,
    /// A draw: a player had to draw and the pile was empty (R-6.5).
    #[error("a card had to be drawn and the pile was empty")]
    EmptyPile,
    /// The loser played something illegal (R-6.3).
    #[error("the other made an illegal move: {0}")]
    Illegal(Illegal),
    /// The loser gave no usable answer (R-6.3).
    #[error("the other gave no usable answer: {0}")]
    Fault(Fault),
    /// The duel's time was over, and the loser's answers took longer in all (R-6.8).
    #[error("the duel's time was over, and the other had used more of it")]
    OutOfTime,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_seats_and_words() {
        for (side, other, index, word) in
            [(Side::White, Side::Black, 0, "white"), (Side::Black, Side::White, 1, "black")]
        {
            assert_eq!((side.other(), side.index(), side.seat()), (other, index, Seat(index)));
            assert_eq!((Side::at(Seat(index)), side.to_string().as_str()), (Some(side), word));
        }
        assert_eq!(Side::at(Seat(2)), None);
        let lost = Outcome { winner: Some(Side::Black), reason: Reason::Fault(Fault::Status(503)) };
        assert_eq!(lost.loser(), Some(Side::White));
        assert_eq!(lost.to_string(), "black won: the other gave no usable answer: status 503");
        let draw = Outcome { winner: None, reason: Reason::EmptyPile };
        assert_eq!(draw.loser(), None);
        assert_eq!(draw.to_string(), "a draw: a card had to be drawn and the pile was empty");
    }
}

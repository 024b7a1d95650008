//! A duel, cards and all.
//!
//! ```text
//! {"first":"white","dealt":[[1,4],[2,5]],"turns":[{"side":"white","move":4,"drew":[2]}]}
//! {"winner":"black","reason":{"illegal":{"too_far":5}}}
//! ```

use super::contract::Fault;
use super::domain;
use serde::{Deserialize, Serialize};

/// A whole duel.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Transcript {
    first: Side,
    dealt: [Vec<u8>; 2],
    turns: Vec<Turn>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<Vec<u8>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
}

impl From<&domain::Transcript> for Transcript {
    fn from(it: &domain::Transcript) -> Transcript {
        let domain::Transcript { first, dealt, turns, refused, outcome } = it;
        Transcript {
            first: first.into(),
            dealt: dealt.clone(),
            turns: turns.iter().map(Into::into).collect(),
            refused: refused.clone(),
            outcome: outcome.as_ref().map(Into::into),
        }
    }
}

impl From<Transcript> for domain::Transcript {
    fn from(it: Transcript) -> domain::Transcript {
        let Transcript { first, dealt, turns, refused, outcome } = it;
        domain::Transcript {
            first: first.into(),
            dealt,
            turns: turns.into_iter().map(Into::into).collect(),
            refused,
            outcome: outcome.map(Into::into),
        }
    }
}

/// One turn of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turn {
    side: Side,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    step: Option<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attack: Vec<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parried: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    drew: Vec<u8>,
}

impl From<&domain::Turn> for Turn {
    fn from(it: &domain::Turn) -> Turn {
        let domain::Turn { side, step, attack, parried, drew } = it;
        Turn { side: side.into(), step: *step, attack: attack.clone(), parried: *parried, drew: drew.clone() }
    }
}

impl From<Turn> for domain::Turn {
    fn from(it: Turn) -> domain::Turn {
        let Turn { side, step, attack, parried, drew } = it;
        domain::Turn { side: side.into(), step, attack, parried, drew }
    }
}

/// A duellist.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Side {
    White,
    Black,
}

impl From<&domain::Side> for Side {
    fn from(it: &domain::Side) -> Side {
        match it {
            domain::Side::White => Side::White,
            domain::Side::Black => Side::Black,
        }
    }
}

impl From<Side> for domain::Side {
    fn from(it: Side) -> domain::Side {
        match it {
            Side::White => domain::Side::White,
            Side::Black => domain::Side::Black,
        }
    }
}

/// How it ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Outcome {
    #[serde(deserialize_with = "Option::deserialize")]
    winner: Option<Side>,
    reason: Reason,
}

impl From<&domain::Outcome> for Outcome {
    fn from(it: &domain::Outcome) -> Outcome {
        let domain::Outcome { winner, reason } = it;
        Outcome { winner: winner.as_ref().map(Into::into), reason: reason.into() }
    }
}

impl From<Outcome> for domain::Outcome {
    fn from(it: Outcome) -> domain::Outcome {
        let Outcome { winner, reason } = it;
        domain::Outcome { winner: winner.map(Into::into), reason: reason.into() }
    }
}

/// Why it ended.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reason {
    Hit,
    NoCardLeft,
    Stuck,
    EmptyPile,
    Illegal(Illegal),
    Fault(Fault),
    OutOfTime,
}

impl From<&domain::Reason> for Reason {
    fn from(it: &domain::Reason) -> Reason {
        match it {
            domain::Reason::Hit => Reason::Hit,
            domain::Reason::NoCardLeft => Reason::NoCardLeft,
            domain::Reason::Stuck => Reason::Stuck,
            domain::Reason::EmptyPile => Reason::EmptyPile,
            domain::Reason::Illegal(illegal) => Reason::Illegal(illegal.into()),
            domain::Reason::Fault(fault) => Reason::Fault(fault.into()),
            domain::Reason::OutOfTime => Reason::OutOfTime,
        }
    }
}

impl From<Reason> for domain::Reason {
    fn from(it: Reason) -> domain::Reason {
        match it {
            Reason::Hit => domain::Reason::Hit,
            Reason::NoCardLeft => domain::Reason::NoCardLeft,
            Reason::Stuck => domain::Reason::Stuck,
            Reason::EmptyPile => domain::Reason::EmptyPile,
            Reason::Illegal(illegal) => domain::Reason::Illegal(illegal.into()),
            Reason::Fault(fault) => domain::Reason::Fault(fault.into()),
            Reason::OutOfTime => domain::Reason::OutOfTime,
        }
    }
}

/// Why an answer was illegal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Illegal {
    Empty,
    NotACard(u8),
    TooFar(u8),
    WrongDistance(u8),
    NotHeld(u8),
    NotInTurn,
}

impl From<&domain::Illegal> for Illegal {
    fn from(it: &domain::Illegal) -> Illegal {
        match it {
            domain::Illegal::Empty => Illegal::Empty,
            domain::Illegal::NotACard(card) => Illegal::NotACard(*card),
            domain::Illegal::TooFar(card) => Illegal::TooFar(*card),
            domain::Illegal::WrongDistance(card) => Illegal::WrongDistance(*card),
            domain::Illegal::NotHeld(card) => Illegal::NotHeld(*card),
            domain::Illegal::NotInTurn => Illegal::NotInTurn,
        }
    }
}

impl From<Illegal> for domain::Illegal {
    fn from(it: Illegal) -> domain::Illegal {
        match it {
            Illegal::Empty => domain::Illegal::Empty,
            Illegal::NotACard(card) => domain::Illegal::NotACard(card),
            Illegal::TooFar(card) => domain::Illegal::TooFar(card),
            Illegal::WrongDistance(card) => domain::Illegal::WrongDistance(card),
            Illegal::NotHeld(card) => domain::Illegal::NotHeld(card),
            Illegal::NotInTurn => domain::Illegal::NotInTurn,
        }
    }
}

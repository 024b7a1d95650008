//! The En Garde duel: R-6.
//!
//! Read in this order:
//!
//! - [`card`]: a card, and a hand of them.
//! - [`play`](mod@play): what a player may lay down.
//! - [`outcome`]: how a duel ends.
//! - [`board`]: the bare rules, small and fast, for the referee and for whoever plays millions of duels.
//! - [`transcript`]: what happened, for those who watch once it is over.
//! - [`referee`]: the duel as a [`Game`](super::Game) between two AIs.

pub mod board;
pub mod card;
pub mod outcome;
pub mod play;
pub mod referee;
pub mod transcript;

pub use board::{Board, Position, Turned};
pub use card::{Card, DECK, Hand, Pile};
pub use outcome::{Outcome, Reason, Side};
pub use play::{Illegal, Play, Plays};
pub use referee::Duel;
pub use transcript::{Transcript, Turn};

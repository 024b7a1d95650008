//! Games between bots, and the match that plays one.
//!
//! What the match promises to every game, cited by number in code and tests:
//!
//! - **M-1** A game has two or more seats, may hide things from them, and goes on in steps. A step asks one seat, or
//!   several at the same time; it may tell seats things that need no answer, and one seat may be asked several times
//!   in a row.
//! - **M-2** Whoever reaches a bot keeps the deadline of an answer; there may be a clock for the whole match. A late,
//!   malformed, illegal or missing answer goes to the game, which says what it means.
//! - **M-3** Every question, answer, fault and notice is recorded, and a match can be played again from its record and
//!   its seed.
//!
//! - [`game`]: what a game is ([`Game`]), with how each kind of game is said.
//! - [`match_`](mod@match_): the one match that plays every game.
//! - [`duel`]: the En Garde duel as one such game.

pub mod duel;
pub mod game;
#[path = "match.rs"]
pub mod match_;
#[cfg(test)]
mod standoff;

pub use game::{Game, Notices, Replies, Reply, Seat, Stage};
pub use match_::{Clock, Entry, NeverEnded, NoClock, Played, Player, Record, play, play_watched};

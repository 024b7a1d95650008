//! Games between bots, and the match that plays one.
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
pub use match_::{Clock, Entry, NeverEnded, NoClock, Played, Player, Record, play};

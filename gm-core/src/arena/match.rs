//! The one match that plays every game.

use super::game::{Game, Seat};
use crate::contract::Fault;
use std::future::Future;

/// A bot at its seat, however it is reached.
pub trait Player<G: Game>: Send {
    /// Asks for a move.
    fn ask(&mut self, view: G::View) -> impl Future<Output = Result<G::Move, Fault>> + Send;
    /// Tells something that needs no answer.
    fn notify(&mut self, notice: G::Notice) -> impl Future<Output = ()> + Send;
}

/// The clock of a match.
pub trait Clock: Send {
    /// The seat whose time has run out, if one has. Asked after each step.
    fn overdue(&mut self) -> impl Future<Output = Option<Seat>> + Send;
}

/// A game took more steps than it may: a bug in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the game did not end within {0} steps")]
pub struct NeverEnded(pub usize);

/// Plays a game to its end.
///
/// # Errors
/// [`NeverEnded`] if the game goes on past its own [`Game::max_steps`].
pub async fn play<G, P, C>(game: &mut G, players: &mut [P], clock: &mut C) -> Result<G::Outcome, NeverEnded>
where
    G: Game,
    P: Player<G>,
    C: Clock,
{
    let _ = (players, clock);
    Err(NeverEnded(game.max_steps()))
}

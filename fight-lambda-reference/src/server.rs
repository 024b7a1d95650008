//! The handler behind HTTP: `GET` on any path (A-1).
//!
//! ```text
//! GET /prod/action?yourmoves=[]&othermoves=[]&cards=[3,3,1]&othernbcards=3
//! 200 {"res":[1]}
//! ```

use crate::{Budget, Mind, Player, handler};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use std::io;
use tokio::net::TcpListener;

/// The router: every question is answered by a new AI of this kind, with this seed for its dice. It always answers the
/// same to the same question, as the [pirates](Budget::PIRATES) do.
pub fn router(mind: Mind, seed: u64) -> Router {
    router_of(Player { ai: mind, seed, budget: Budget::PIRATES })
}

/// The router: every question is answered by a new AI, as the player's settings say.
pub fn router_of(player: Player) -> Router {
    Router::new().fallback(ask).with_state(player)
}

/// Serves the [`router`] on `listener` until the future is dropped.
///
/// # Errors
/// Those of the listener.
pub async fn serve(listener: TcpListener, mind: Mind, seed: u64) -> io::Result<()> {
    axum::serve(listener, router(mind, seed)).await
}

/// Serves the [`router_of`] the player on `listener` until the future is dropped.
///
/// # Errors
/// Those of the listener.
pub async fn serve_player(listener: TcpListener, player: Player) -> io::Result<()> {
    player.prepare();
    axum::serve(listener, router_of(player)).await
}

async fn ask(State(player): State<Player>, request: Request) -> Result<Response<String>, StatusCode> {
    let (asked, _) = request.into_parts();
    // An AI may think for a while: that is not to be felt by the others who ask.
    let thinking = tokio::task::spawn_blocking(move || handler::respond(|| player.wake(), &asked));
    thinking.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

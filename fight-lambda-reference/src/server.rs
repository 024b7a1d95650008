//! The handler behind HTTP: `GET` on any path (A-1).
//!
//! ```text
//! GET /prod/action?yourmoves=[]&othermoves=[]&cards=[3,3,1]&othernbcards=3
//! 200 {"res":[1]}
//! ```

use crate::Mind;
use crate::handler;
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Response, StatusCode};
use std::io;
use tokio::net::TcpListener;

/// The router: every question is answered by a new AI of this kind, with this seed for its dice.
pub fn router(mind: Mind, seed: u64) -> Router {
    Router::new().fallback(ask).with_state((mind, seed))
}

/// Serves on `listener` until the future is dropped.
///
/// # Errors
/// Those of the listener.
pub async fn serve(listener: TcpListener, mind: Mind, seed: u64) -> io::Result<()> {
    axum::serve(listener, router(mind, seed)).await
}

async fn ask(
    State((mind, seed)): State<(Mind, u64)>,
    request: Request,
) -> Result<Response<String>, StatusCode> {
    let (asked, _) = request.into_parts();
    // An AI may think for a while: that is not to be felt by the others who ask.
    let thinking = tokio::task::spawn_blocking(move || handler::respond(|| mind.wake(seed), &asked));
    thinking.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

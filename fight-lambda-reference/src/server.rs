//! The handler behind HTTP: `GET` on any path (A-1).
//!
//! ```text
//! GET /prod/action?yourmoves=[]&othermoves=[]&cards=[3,3,1]&othernbcards=3
//! 200 {"res":[1]}
//! ```

use crate::Mind;
use crate::handler;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Json, Response};
use gm_core::contract::duel::SEEN_HEADER;
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
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if method != Method::GET {
        let refusal = handler::refusal(405, "a duel AI is asked with GET");
        return ([(header::ALLOW, "GET")], response(refusal)).into_response();
    }
    let query = uri.query().unwrap_or_default().to_owned();
    let seen = headers.get(SEEN_HEADER).and_then(|value| value.to_str().ok()).map(str::to_owned);
    // An AI may think for a while, and may have a bug: neither is to be felt by the others who ask.
    let thinking =
        tokio::task::spawn_blocking(move || handler::answer(&mut *mind.wake(seed), &query, seen.as_deref()));
    response(thinking.await.unwrap_or_else(|_| handler::refusal(500, "the AI has a bug: see its log")))
}

fn response((status, body): (u16, serde_json::Value)) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    (status, Json(body)).into_response()
}

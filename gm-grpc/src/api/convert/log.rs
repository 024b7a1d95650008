//! A team's log on the wire: exchanges and what happened (R-11).
//!
//! ```text
//! #7  turn 3  car 1  GET http://red-1/engine/count: 200 {"res":2} in 4 ms
//! LogEntry { sequence: 7, turn: 3, exchange: { car_id: 1, request, answer: { status: 200, … } … }, text: "#7 …" }
//! ```

use super::{event, moment};
use crate::api::wire::{self, log_entry};
use crate::team_log::{Asked, Came, Entry, Shown, What};

/// An entry of the log.
#[must_use]
pub fn entry(entry: &Entry) -> wire::LogEntry {
    let what = match &entry.what {
        What::Exchange(asked) => log_entry::What::Exchange(exchange(asked)),
        What::Event(happened) => log_entry::What::Event(event::event(0, entry.turn, &happened.event)),
    };
    wire::LogEntry {
        sequence: entry.number,
        turn: entry.turn.0,
        at: Some(moment(entry.at)),
        text: entry.to_string(),
        what: Some(what),
    }
}

/// An exchange with a car, a duel AI or an inspector.
#[must_use]
pub fn exchange(asked: &Asked) -> wire::Exchange {
    let outcome = match &asked.came {
        Came::Answer { status, content_type: _, body } => {
            let body_bytes = u32::try_from(body.bytes()).unwrap_or(u32::MAX);
            let (body, is_hex) = text(body);
            wire::exchange::Outcome::Answer(wire::Answer {
                status: (*status).into(),
                body,
                is_hex,
                body_bytes,
            })
        }
        Came::Fault(why) => wire::exchange::Outcome::Fault(why.clone()),
        Came::Found(found) => wire::exchange::Outcome::Found(text(found).0),
    };
    wire::Exchange {
        car_id: asked.car.map_or(0, |car| car.0),
        request: text(&asked.request).0,
        chain: format!("{}-{}", asked.chain, asked.number),
        outcome: Some(outcome),
        latency_us: u64::try_from(asked.latency.as_micros()).unwrap_or(u64::MAX),
        deviations: asked.deviations.clone(),
    }
}

/// What is shown, and whether it is in hexadecimal.
fn text(shown: &Shown) -> (String, bool) {
    match shown {
        Shown::Text { text, .. } => (text.clone(), false),
        Shown::Hex { hex, .. } => (hex.clone(), true),
    }
}

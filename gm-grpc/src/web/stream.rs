//! Streams over HTTP: server-sent events for browsers, lines of JSON for everybody else.
//!
//! ```text
//! event: event                                   {"event":{"sequence":17,"turn":3,…}}
//! id: 17                                         {"caught_up":17}
//! data: {"sequence":17,"turn":3,…}               {"heartbeat":17}
//!
//! : heartbeat 17
//! ```
//!
//! Both say the messages of gRPC: the name of what is set is the name of the event, or of the one member of the line. A
//! stream that ends for a reason says it last, as an event or a member `error` with the problem: whoever finds no such
//! end, and no `caught_up` where he did not follow, has lost his connection.

use super::accept::Form;
use super::problem::{HttpError, problem};
use crate::api::error::ApiError;
use crate::api::json::to_json;
use crate::api::stream::Told;
use crate::api::wire::{self, watch_log_response, watch_race_response};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::unfold;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue};
use prost::{Message, Name};
use serde_json::{Value, json};
use std::convert::Infallible;

/// Proxies that would wait until they have more to send are told not to, by the name that one of them made up.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What a message of a stream is, besides what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// Something to go on after, by this number.
    At(u64),
    /// There is no more so far.
    CaughtUp(u64),
    /// Nothing new.
    Heartbeat(u64),
    /// Something that nobody can go on after.
    Nowhere,
}

/// A message of a stream.
pub(super) trait Streamed: Message + Name + 'static {
    /// What it is.
    fn sign(&self) -> Sign;
}

impl Streamed for wire::WatchLogResponse {
    fn sign(&self) -> Sign {
        match &self.message {
            Some(watch_log_response::Message::Entry(entry)) => Sign::At(entry.sequence),
            Some(watch_log_response::Message::CaughtUp(last)) => Sign::CaughtUp(*last),
            Some(watch_log_response::Message::Heartbeat(last)) => Sign::Heartbeat(*last),
            None => Sign::Nowhere,
        }
    }
}

impl Streamed for wire::WatchRaceResponse {
    fn sign(&self) -> Sign {
        match &self.message {
            Some(watch_race_response::Message::Event(event)) => Sign::At(event.sequence),
            Some(watch_race_response::Message::Snapshot(snapshot)) => Sign::At(snapshot.sequence),
            Some(watch_race_response::Message::CaughtUp(last)) => Sign::CaughtUp(*last),
            Some(watch_race_response::Message::Heartbeat(last)) => Sign::Heartbeat(*last),
            None => Sign::Nowhere,
        }
    }
}

impl Streamed for wire::TestDuelResponse {
    fn sign(&self) -> Sign {
        Sign::Nowhere
    }
}

/// A stream as an answer. `follow`: it does not end with what there is so far.
pub(super) fn answer<M: Streamed>(told: Told<M>, form: Form, follow: bool) -> Response {
    let write = if form == Form::Events { event::<M> } else { line::<M> };
    let pieces = unfold(Some(told), move |told| async move {
        let mut told = told?;
        let item = told.next().await?;
        let is_last = match &item {
            Ok(message) => !follow && matches!(message.sign(), Sign::CaughtUp(_)),
            Err(_) => true,
        };
        let piece = Bytes::from(write(item));
        Some((Ok::<_, Infallible>(piece), (!is_last).then_some(told)))
    });
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(form.media_type()));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// An item as a line.
fn line<M: Streamed>(item: Result<M, ApiError>) -> String {
    let line = match item {
        Ok(message) => to_json(&message),
        Err(error) => json!({ "error": problem(&HttpError::Api(error)).1 }),
    };
    format!("{line}\n")
}

/// An item as an event. JSON has no end of line in it, so one line of data is enough.
fn event<M: Streamed>(item: Result<M, ApiError>) -> String {
    let message = match item {
        Ok(message) => message,
        Err(error) => return format!("event: error\ndata: {}\n\n", problem(&HttpError::Api(error)).1),
    };
    let id = match message.sign() {
        Sign::Heartbeat(last) => return format!(": heartbeat {last}\n\n"),
        Sign::At(number) | Sign::CaughtUp(number) => format!("id: {number}\n"),
        Sign::Nowhere => String::new(),
    };
    let Value::Object(members) = to_json(&message) else { return String::new() };
    let events = members.into_iter().map(|(name, value)| format!("event: {name}\n{id}data: {value}\n\n"));
    events.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(item: Result<watch_log_response::Message, ApiError>, expected_line: &str, expected_event: &str) {
        let response =
            |message: &watch_log_response::Message| wire::WatchLogResponse { message: Some(message.clone()) };
        let again = match &item {
            Ok(message) => Ok(response(message)),
            Err(_) => Err(ApiError::shutting_down()),
        };
        assert_eq!(line(item.map(|message| response(&message))), expected_line);
        assert_eq!(event(again), expected_event);
    }

    #[test]
    fn what_is_sent() {
        let entry =
            wire::LogEntry { sequence: 3, turn: 1, text: "two\nlines".to_owned(), ..Default::default() };
        check(
            Ok(watch_log_response::Message::Entry(entry)),
            "{\"entry\":{\"sequence\":3,\"text\":\"two\\nlines\",\"turn\":1}}\n",
            "event: entry\nid: 3\ndata: {\"sequence\":3,\"text\":\"two\\nlines\",\"turn\":1}\n\n",
        );
        check(
            Ok(watch_log_response::Message::CaughtUp(3)),
            "{\"caught_up\":3}\n",
            "event: caught_up\nid: 3\ndata: 3\n\n",
        );
        check(Ok(watch_log_response::Message::Heartbeat(3)), "{\"heartbeat\":3}\n", ": heartbeat 3\n\n");
        let problem = "{\"code\":\"SHUTTING_DOWN\",\"detail\":\"the game master is shutting down: ask again when it is \
                       back\",\"status\":503,\"title\":\"Service Unavailable\",\"type\":\"about:blank\"}";
        check(
            Err(ApiError::shutting_down()),
            &format!("{{\"error\":{problem}}}\n"),
            &format!("event: error\ndata: {problem}\n\n"),
        );
    }
}

//! What can be wrong with an answer: a closed list (R-10.5), and the answer itself as it came from the wire.
//!
//! ```
//! use gm_core::contract::Fault;
//! assert_eq!(Fault::Status(503).to_string(), "status 503");
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;

/// An answer as it came from the wire: read in full, in time, within the size allowed (C-21).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// What the answer says that its body is.
    pub content_type: ContentType,
    /// The body, at most [`Answer::MAX_BODY`] bytes.
    pub body: Vec<u8>,
}

impl Answer {
    /// The largest body that is read, in bytes (C-21).
    pub const MAX_BODY: usize = 64 * 1024;

    /// An answer of status 200 with a JSON body, as a car in process gives it.
    #[must_use]
    pub fn ok(body: impl Into<Vec<u8>>) -> Answer {
        Answer { status: 200, content_type: ContentType::Json, body: body.into() }
    }
}

/// What an answer says that its body is. Only whether it is JSON matters (C-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentType {
    /// `application/json`, with or without parameters.
    Json,
    /// Anything else.
    Other,
    /// No content type.
    Missing,
}

/// Why there is no usable answer. A closed list, without texts of any library or operating system (R-10.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// No connection could be made: refused, no such host, no route.
    Unreachable,
    /// The last byte of the answer had not come when the deadline passed (C-21, A-3).
    Late,
    /// The connection was closed, or broke, before the answer was complete, or what came was not HTTP.
    Broken,
    /// The body was larger than [`Answer::MAX_BODY`] (C-21).
    TooLarge,
    /// Another status than the contract asks for, redirects included (C-21).
    Status(u16),
    /// The body was not JSON.
    NotJson,
    /// The body was JSON, but not the value asked for.
    NotTheValue,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Unreachable => f.write_str("unreachable"),
            Fault::Late => f.write_str("no answer within the deadline"),
            Fault::Broken => f.write_str("the connection broke off"),
            Fault::TooLarge => f.write_str("the answer was larger than 64 KiB"),
            Fault::Status(status) => write!(f, "status {status}"),
            Fault::NotJson => f.write_str("the answer was not JSON"),
            Fault::NotTheValue => f.write_str("the answer was JSON, but not what was asked for"),
        }
    }
}

/// What was found where the game master expected something: a value, or a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found<T> {
    /// A value.
    Value(T),
    /// No usable answer.
    Fault(Fault),
}

impl<T: fmt::Display> fmt::Display for Found<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Value(value) => value.fmt(f),
            Found::Fault(fault) => fault.fmt(f),
        }
    }
}

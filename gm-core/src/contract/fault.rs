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

/// The envelope `{"res": …}` of every answer but a car's state (C-19, A-2), as those who answer write it. The game
/// master reads it with the tolerant [`reader`](super::reader).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope<T> {
    /// The value asked for.
    pub res: T,
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

impl ContentType {
    /// Reads the header `Content-Type`, if there is one that is text.
    #[must_use]
    pub fn of(header: Option<&str>) -> ContentType {
        let Some(header) = header else { return ContentType::Missing };
        let essence = header.split_once(';').map_or(header, |(essence, _parameters)| essence);
        if essence.trim().eq_ignore_ascii_case("application/json") {
            ContentType::Json
        } else {
            ContentType::Other
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// R-10.5: the texts are the same on every machine; each tells its fault from all others.
    #[test]
    fn r_10_5_faults_in_words() {
        for (fault, words) in [
            (Fault::Unreachable, "unreachable"),
            (Fault::Late, "no answer within the deadline"),
            (Fault::Broken, "the connection broke off"),
            (Fault::TooLarge, "the answer was larger than 64 KiB"),
            (Fault::Status(302), "status 302"),
            (Fault::NotJson, "the answer was not JSON"),
            (Fault::NotTheValue, "the answer was JSON, but not what was asked for"),
        ] {
            assert_eq!(fault.to_string(), words);
            assert_eq!(Found::<u64>::Fault(fault).to_string(), words);
        }
        assert_eq!(Found::Value(3).to_string(), "3");
        assert_eq!(Answer::MAX_BODY, 65_536);
    }

    /// Faults are journalled: their names are part of the stored form.
    #[test]
    fn r_10_5_faults_are_stored_by_name() {
        for (fault, stored) in [
            (Fault::Late, r#""late""#),
            (Fault::NotTheValue, r#""not_the_value""#),
            (Fault::Status(500), r#"{"status":500}"#),
        ] {
            assert_eq!(serde_json::to_string(&fault).unwrap(), stored);
            assert_eq!(serde_json::from_str::<Fault>(stored).unwrap(), fault);
        }
        assert_eq!(serde_json::to_string(&Found::Value(3)).unwrap(), r#"{"value":3}"#);
    }

    #[test]
    fn c_22_content_types() {
        use ContentType::*;
        for (header, expected) in [
            (None, Missing),
            (Some("application/json"), Json),
            (Some("Application/JSON"), Json),
            (Some("application/json; charset=utf-8"), Json),
            (Some("application/json ;charset=utf-8"), Json),
            (Some("application/json;"), Json),
            (Some(""), Other),
            (Some("text/html"), Other),
            (Some("text/plain; application/json"), Other),
            (Some("application/problem+json"), Other),
            (Some("application/jsonp"), Other),
        ] {
            assert_eq!(ContentType::of(header), expected, "{header:?}");
        }
    }

    #[test]
    fn c_19_the_envelope() {
        assert_eq!(serde_json::to_string(&Envelope { res: [1, 4] }).unwrap(), r#"{"res":[1,4]}"#);
        assert_eq!(Answer::ok("3").body, b"3");
        assert_eq!((Answer::ok("3").status, Answer::ok("3").content_type), (200, ContentType::Json));
    }
}

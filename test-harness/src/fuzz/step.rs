//! One thing that is done to a car: a request of the contract, an odd one, or bytes on a socket.
//!
//! ```
//! use gm_core::contract::CarRequest;
//! use test_harness::fuzz::Step;
//! let step = Step::of(CarRequest::Wreck);
//! assert_eq!(step.to_string(), "GET /event/wreck");
//! ```
//!
//! A step says nothing of the secret and of the ids of one run: the same seed makes the same steps.

use super::names::fits_a_path;
use super::raw::Raw;
use crate::client::{Ask, REQUEST_ID, SECRET};
use gm_core::contract::CarRequest;
use gm_core::contract::car::encode_name;
use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method, Uri};
use serde_json::Value;
use std::fmt;
use std::fmt::Write as _;

/// From which length on, in bytes, a server may close a connection over the head of a request: 4 KiB.
const LONG_HEAD: usize = 4 * 1024;

/// From which length on, in bytes, a server may close a connection over a body: 16 KiB.
const LONG_BODY: usize = 16 * 1024;

/// Up to which number teams and prices are plausible: the contract says no bound.
const MOST: u32 = 1_000_000;

/// How much of a name or path is told in a few words, in characters.
const SHOWN: usize = 60;

/// One thing that is done to a car.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is asked.
    pub what: What,
    /// Its `X-EACC-REQUEST-ID`.
    pub id: Id,
    /// Its `X-EACC-SECRET`.
    pub key: Key,
    /// Headers besides those.
    pub headers: Vec<(String, String)>,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A request of the contract, and how it is written.
    Contract(CarRequest, Spelling),
    /// Another one.
    Odd {
        /// Its method.
        method: String,
        /// Its path and query.
        path: String,
        /// Its body.
        body: Option<Vec<u8>>,
        /// What it says that its body is.
        content_type: Option<String>,
    },
    /// Bytes on a socket.
    Raw(Raw),
}

/// How a request of the contract is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// As the game master does.
    Plain,
    /// Every character of a name escaped, on the path and in JSON: another spelling of the same.
    Escaped,
    /// JSON with blanks and line ends.
    Spaced,
    /// With a field that the contract does not know, which a car may refuse.
    Extra,
    /// With another content type, or none, which a car may refuse.
    Untyped,
}

/// The id of a request (C-20).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Id {
    /// One of its own.
    Fresh,
    /// That of the request before.
    Again,
    /// One of its own that begins with this.
    Odd(String),
    /// None.
    Missing,
}

/// The secret of a request (C-20).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// The right one.
    Right,
    /// None.
    Missing,
    /// An empty one.
    Empty,
    /// The right one and another character.
    Longer,
    /// Another one.
    Other,
}

impl Key {
    /// The header's value, if it is sent.
    pub(super) fn value(self, secret: &str) -> Option<String> {
        match self {
            Key::Right => Some(secret.to_owned()),
            Key::Missing => None,
            Key::Empty => Some(String::new()),
            Key::Longer => Some(format!("{secret}x")),
            Key::Other => Some("nobody's secret".to_owned()),
        }
    }
}

/// What an accepted step does to the car.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing: it is a question.
    Nothing,
    /// What the contract says of this command.
    Command(CarRequest),
    /// Whatever the car makes of it.
    Anything,
}

impl Step {
    /// A request of the contract as the game master sends it.
    #[must_use]
    pub fn of(request: CarRequest) -> Step {
        Step::new(What::Contract(request, Spelling::Plain))
    }

    /// This, with the right secret and an id of its own.
    #[must_use]
    pub fn new(what: What) -> Step {
        Step { what, id: Id::Fresh, key: Key::Right, headers: Vec::new() }
    }

    /// What is done by it, if it is accepted.
    pub(super) fn effect(&self) -> Effect {
        match &self.what {
            What::Contract(request, _) if !request.is_command() => Effect::Nothing,
            What::Contract(request, _) => Effect::Command(request.clone()),
            // Safe by their definition (RFC 9110, 9.2.1).
            What::Odd { method, .. } if matches!(method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE") => {
                Effect::Nothing
            }
            What::Odd { .. } => Effect::Anything,
            What::Raw(raw) => match raw.square {
                None if raw.commands() => Effect::Anything,
                None => Effect::Nothing,
                Some(square) => Effect::Command(CarRequest::SetSquare(square)),
            },
        }
    }

    /// Whether it may be accepted without being done: it looks like one that is sent again.
    pub(super) fn may_be_a_repeat(&self) -> bool {
        self.id == Id::Again
    }

    /// Whether this status of 5xx is right: the car says that it knows no such method or version (RFC 9110, 15.6).
    pub(super) fn excuses(&self, status: u16) -> bool {
        match &self.what {
            What::Contract(..) => false,
            What::Odd { .. } => status == 501,
            What::Raw(_) => matches!(status, 501 | 505),
        }
    }

    /// Whether a server may close the connection without an answer, or before the client has sent all: it is long.
    pub(super) fn may_be_cut_off(&self, ask: &Ask) -> bool {
        let head: usize = ask.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        head + ask.path.len() > LONG_HEAD || ask.body.as_ref().is_some_and(|body| body.len() > LONG_BODY)
    }

    /// The module that it adds or takes away.
    pub(super) fn name(&self) -> Option<&str> {
        match &self.what {
            What::Contract(CarRequest::Gain { name, .. } | CarRequest::Lose { name, .. }, _) => Some(name),
            _ => None,
        }
    }

    /// Whether a car that has this module must find it when it is to be taken away.
    pub(super) fn must_be_found(&self) -> bool {
        let plainly = matches!(&self.what, What::Contract(CarRequest::Lose { name, .. }, Spelling::Plain) if fits_a_path(name));
        plainly && self.key == Key::Right && self.id == Id::Fresh && self.headers.is_empty()
    }

    /// Whether a car must accept it, if it has what is asked for: it is one of the game master's, written as that writes
    /// it, with nothing that a car may refuse. Prices and teams are no larger than any that a race could have.
    pub(super) fn is_right(&self) -> bool {
        let What::Contract(request, Spelling::Plain) = &self.what else { return false };
        let is_plausible = |number: u32| number <= MOST;
        let takes = match request {
            CarRequest::Gain { name, .. } | CarRequest::Lose { name, .. } => fits_a_path(name),
            CarRequest::Garage(prices) => {
                [prices.engine, prices.pilot, prices.weapon].into_iter().all(is_plausible)
            }
            CarRequest::ShouldFight(team) => is_plausible(team.0),
            // A car without an AI answers with an error.
            CarRequest::DuelUrl => false,
            _ => true,
        };
        takes && self.key == Key::Right && self.id == Id::Fresh && self.headers.is_empty()
    }

    /// The request; none for bytes. `secret` is the right one, if there is any, and `id` one that is not used yet.
    pub(super) fn ask(&self, secret: Option<&str>, id: &str, before: &str) -> Option<Ask> {
        let mut ask = match &self.what {
            What::Contract(request, spelling) => spelled(request, *spelling),
            What::Odd { method, path, body, content_type } => {
                let mut ask = Ask::new(method, path);
                ask.body.clone_from(body);
                match content_type {
                    Some(content_type) => ask.header(CONTENT_TYPE.as_str(), content_type),
                    None => ask,
                }
            }
            What::Raw(_) => return None,
        };
        match &self.id {
            Id::Fresh => ask = ask.header(REQUEST_ID, id),
            Id::Again => ask = ask.header(REQUEST_ID, before),
            Id::Odd(start) => ask = ask.header(REQUEST_ID, &format!("{start}{id}")),
            Id::Missing => {}
        }
        if let Some(value) = secret.and_then(|secret| self.key.value(secret)) {
            ask = ask.header(SECRET, &value);
        }
        ask.headers.extend(self.headers.iter().cloned());
        Some(ask)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = match &self.what {
            What::Contract(request, _) => format!("{} {}", request.method(), short(&request.path())),
            What::Odd { method, path, .. } => format!("{method} {}", short(path)),
            What::Raw(raw) => raw.title.to_owned(),
        };
        match &self.what {
            What::Contract(request, _) => {
                if let Some(body) = request.body() {
                    _ = write!(told, " {}", short(&body.to_string()));
                }
            }
            What::Odd { body: Some(body), .. } => {
                _ = write!(told, " {}", short(&String::from_utf8_lossy(body)));
            }
            _ => {}
        }
        if self.key != Key::Right {
            told.push_str(" without the right secret");
        }
        f.write_str(&told)
    }
}

/// The beginning of a text, on one line.
pub(super) fn short(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN {
        short.push('…');
    }
    short
}

/// Whether the client can send this as it is.
pub(super) fn is_sendable(ask: &Ask) -> bool {
    let uri = Uri::try_from(format!("http://car{}", ask.path)).ok();
    let kept = uri.and_then(|uri| uri.into_parts().path_and_query);
    kept.is_some_and(|kept| kept.as_str() == ask.path)
        && Method::try_from(ask.method.as_str()).is_ok()
        && ask.headers.iter().all(|(name, value)| {
            HeaderName::try_from(name.as_str()).is_ok() && HeaderValue::try_from(value.as_str()).is_ok()
        })
}

fn spelled(request: &CarRequest, spelling: Spelling) -> Ask {
    let path = match request {
        CarRequest::Lose { kind, name } if spelling == Spelling::Escaped => {
            format!("/{kind}/{}", escaped(name))
        }
        CarRequest::Lose { kind, name } => format!("/{kind}/{}", encode_name(name)),
        _ => request.path(),
    };
    let ask = Ask::new(request.method(), &path);
    let Some(mut body) = request.body() else { return ask };
    match spelling {
        Spelling::Plain => ask.json(&body),
        Spelling::Escaped => ask.body(json_escaped(&body)),
        Spelling::Spaced => ask.body(format!("\r\n\t {}\n ", spaced(&body))),
        Spelling::Extra => {
            if let Some(fields) = body.as_object_mut() {
                fields.insert("extra".to_owned(), Value::Array(vec![Value::Null]));
            }
            ask.json(&body)
        }
        Spelling::Untyped => {
            let mut ask = ask.json(&body);
            ask.headers.clear();
            ask
        }
    }
}

fn spaced(body: &Value) -> String {
    // Pretty-printed JSON is the same JSON.
    serde_json::to_string_pretty(body).unwrap_or_default()
}

/// Each byte as `%xx`.
fn escaped(name: &str) -> String {
    name.bytes().fold(String::new(), |mut path, byte| {
        _ = write!(path, "%{byte:02x}");
        path
    })
}

/// A JSON object whose strings are all `\uxxxx`, with surrogates where it takes two.
fn json_escaped(body: &Value) -> String {
    let escape = |text: &str| {
        text.encode_utf16().fold(String::new(), |mut told, unit| {
            _ = write!(told, "\\u{unit:04x}");
            told
        })
    };
    let fields = body.as_object().into_iter().flatten().map(|(field, value)| match value {
        Value::String(text) => format!("\"{}\":\"{}\"", escape(field), escape(text)),
        other => format!("\"{}\":{other}", escape(field)),
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

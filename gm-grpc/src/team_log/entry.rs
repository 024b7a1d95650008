//! An entry of a team's log: what it holds, how much of it, and how it is said.
//!
//! ```
//! use gm_grpc::team_log::Shown;
//! assert_eq!(Shown::of(b"{\"res\":2}").to_string(), "{\"res\":2}");
//! assert_eq!(Shown::of(b"\xff\x00").to_string(), "hex ff00");
//! ```

use crate::journal::{Exchange, Moment, Outcome, Port};
use gm_core::contract::{Answer, ContentType, Fault};
use gm_core::ids::{CarId, TurnNo};
use gm_core::race::Event;
use gm_core::race::event::{Breach, Check, Fact};
use gm_core::race::view::Seen;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

/// How much of a request, an answer's body or an inspector's list is shown, in bytes. The journal has all of it.
pub const MOST_SHOWN: usize = 4 * 1024;

/// How much of it is shown in a line of text, in bytes.
pub const MOST_IN_A_LINE: usize = 200;

/// An entry of a team's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number in the log, from 1 without a gap.
    pub number: u64,
    /// The turn; between two turns, the one before.
    pub turn: TurnNo,
    /// When the exchange was journalled, or the event committed.
    pub at: Moment,
    /// What it is about.
    pub what: What,
}

/// What an entry is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Somebody of the team's was asked something.
    Exchange(Box<Asked>),
    /// Something happened.
    Event(Box<Happened>),
}

/// Something that happened, as the team may see it (R-11). Its number in the race is left out: gaps between them would
/// tell how much is hidden, such as how many bonuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Happened {
    /// What happened.
    pub event: Seen,
}

/// What a car, an AI or an inspector of the team was asked, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The conversation, as it stands in the request id (C-20).
    pub chain: String,
    /// Who was asked.
    pub port: Port,
    /// The number of the request in its conversation, from 1.
    pub number: u32,
    /// The car; none if it was not registered yet.
    pub car: Option<CarId>,
    /// What was sent: method and URL, and below it a body or a header.
    pub request: Shown,
    /// What came of it.
    pub came: Came,
    /// What was accepted all the same (C-22), in words.
    pub deviations: Vec<String>,
    /// How long it took.
    pub latency: Duration,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// An answer over HTTP.
    Answer {
        /// Its status.
        status: u16,
        /// What it says that its body is.
        content_type: ContentType,
        /// Its body.
        body: Shown,
    },
    /// No usable answer: why, in words.
    Fault(String),
    /// What somebody else than a car or an AI found: an inspector (CONTRACT I), or who knows addresses (R-2.1).
    Found(Shown),
}

/// Bytes that came or went, cut to [`MOST_SHOWN`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Text in UTF-8.
    Text {
        /// The first of it.
        text: String,
        /// How many bytes there were.
        bytes: usize,
    },
    /// Something else.
    Hex {
        /// The first of it, two digits for each byte.
        hex: String,
        /// How many bytes there were.
        bytes: usize,
    },
}

impl Shown {
    /// What is shown of these bytes.
    #[must_use]
    pub fn of(all: &[u8]) -> Shown {
        let bytes = all.len();
        match std::str::from_utf8(all) {
            Ok(text) => Shown::Text { text: beginning(text, MOST_SHOWN).to_owned(), bytes },
            Err(_) => Shown::Hex { hex: hex::encode(&all[..bytes.min(MOST_SHOWN)]), bytes },
        }
    }

    /// How many bytes there were.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Shown::Text { bytes, .. } | Shown::Hex { bytes, .. } => *bytes,
        }
    }

    /// Whether there was more than is shown.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        match self {
            Shown::Text { text, bytes } => text.len() < *bytes,
            Shown::Hex { hex, bytes } => hex.len() / 2 < *bytes,
        }
    }

    /// For programs: `{"text":"…"}` or `{"hex":"…"}`; with `bytes` where it is cut.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut value = match self {
            Shown::Text { text, .. } => json!({ "text": text }),
            Shown::Hex { hex, .. } => json!({ "hex": hex }),
        };
        if self.is_cut() {
            value["bytes"] = json!(self.bytes());
        }
        value
    }
}

/// The beginning of a text, at most so many bytes, in whole characters.
fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Writes a text from outside in one line. It may hold anything, and a terminal obeys control characters: they are
/// written out.
fn write_visibly(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for character in text.chars() {
        match character {
            '\n' => f.write_str(" ")?,
            control if control.is_control() => write!(f, "{}", control.escape_default())?,
            other => write!(f, "{other}")?,
        }
    }
    Ok(())
}

/// In one line, cut to [`MOST_IN_A_LINE`], without anything that a terminal obeys.
impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, word) = match self {
            Shown::Text { text, .. } => (text, ""),
            Shown::Hex { hex, .. } => (hex, "hex "),
        };
        let line = beginning(text.trim_end(), MOST_IN_A_LINE);
        f.write_str(word)?;
        write_visibly(f, line)?;
        if line.len() < text.trim_end().len() || self.is_cut() {
            write!(f, "… ({} bytes)", self.bytes())?;
        }
        Ok(())
    }
}

impl Asked {
    /// What a log shows of an exchange.
    #[must_use]
    pub fn of(exchange: &Exchange) -> Asked {
        let Exchange {
            chain,
            port,
            number,
            turn: _,
            team: _,
            car,
            request,
            outcome,
            deviations,
            latency,
            at: _,
        } = exchange;
        Asked {
            chain: chain.clone(),
            port: *port,
            number: *number,
            car: *car,
            request: Shown::of(request.as_bytes()),
            came: Came::of(outcome),
            deviations: deviations.clone(),
            latency: *latency,
        }
    }
}

impl Came {
    /// What came of asking a car or an AI.
    pub(crate) fn of_answer(outcome: &Result<Answer, Fault>) -> Came {
        match outcome {
            Ok(answer) => Came::answer(answer),
            Err(fault) => Came::Fault(fault.to_string()),
        }
    }

    fn answer(Answer { status, content_type, body }: &Answer) -> Came {
        Came::Answer { status: *status, content_type: *content_type, body: Shown::of(body) }
    }

    fn of(outcome: &Outcome) -> Came {
        match outcome {
            Outcome::Answer(answer) => Came::answer(answer),
            Outcome::Fault(fault) => Came::Fault(fault.to_string()),
            Outcome::NotInspected(fault) => Came::Fault(fault.to_string()),
            Outcome::Names(names) => Came::Found(Shown::of(json!(names).to_string().as_bytes())),
            Outcome::Number(number) => Came::Found(Shown::of(number.to_string().as_bytes())),
            Outcome::Address(Some(url)) => Came::Found(Shown::of(url.as_str().as_bytes())),
            Outcome::Address(None) => Came::Fault("nobody knows this instance".to_owned()),
            Outcome::TimeIsUp(_) => Came::Fault("the time is up".to_owned()),
        }
    }
}

impl fmt::Display for Came {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Came::Answer { status, body, .. } if body.bytes() == 0 => write!(f, "{status}"),
            Came::Answer { status, body, .. } => write!(f, "{status} {body}"),
            Came::Fault(why) => f.write_str(why),
            Came::Found(found) => write!(f, "found {found}"),
        }
    }
}

/// In one line: `car 1  GET http://red-1/engine/count: 200 {"res":2} in 4 ms; accepted …`.
impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(car) = self.car {
            write!(f, "car {car}  ")?;
        }
        write!(f, "{}: {} in {} ms", self.request, self.came, self.latency.as_millis())?;
        if self.deviations.is_empty() {
            return Ok(());
        }
        // A deviation may quote what a car has sent.
        write!(f, "; accepted {}", Shown::of(self.deviations.join(", ").as_bytes()))
    }
}

impl Happened {
    /// What was expected and found, if it is a penalty (R-7.1).
    #[must_use]
    pub fn breach(&self) -> Option<&Breach> {
        match &self.event {
            Seen::Whole(Event::Penalised { breach, .. }) => Some(breach),
            _ => None,
        }
    }
}

/// What was expected, in words.
fn expected(breach: &Breach) -> String {
    match (&breach.check, &breach.expected, &breach.found) {
        (Check::Asked(request), Fact::AnAnswer, gm_core::contract::Found::Fault(fault)) => {
            request.wanted_instead_of(*fault).map_or_else(|| breach.expected.to_string(), str::to_owned)
        }
        (_, expected, _) => expected.to_string(),
    }
}

/// In one line: `#15  turn 3  car 1 is penalised: …`.
impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}  turn {}  ", self.number, self.turn)?;
        match &self.what {
            What::Exchange(asked) => asked.fmt(f),
            // It may quote a team, the jury, or a name that an inspector has read.
            What::Event(happened) => write_visibly(f, &happened.event.to_string()),
        }
    }
}

impl Entry {
    /// For programs: `number`, `turn`, `at` in milliseconds since 1970, and `exchange` or `event`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut value = json!({ "number": self.number, "turn": self.turn, "at": self.at });
        match &self.what {
            What::Exchange(asked) => value["exchange"] = asked.to_json(),
            What::Event(happened) => value["event"] = happened.to_json(),
        }
        value
    }
}

impl Asked {
    fn to_json(&self) -> Value {
        let mut value = json!({
            "chain": self.chain,
            "port": self.port,
            "number": self.number,
            "car": self.car,
            "request": self.request.to_json(),
            "deviations": self.deviations,
            "latency_us": u64::try_from(self.latency.as_micros()).unwrap_or(u64::MAX),
        });
        match &self.came {
            Came::Answer { status, content_type, body } => {
                value["answer"] =
                    json!({ "status": status, "content_type": content_type, "body": body.to_json() });
            }
            Came::Fault(why) => value["fault"] = json!(why),
            Came::Found(found) => value["found"] = found.to_json(),
        }
        value
    }
}

impl Happened {
    fn to_json(&self) -> Value {
        // The event's own word stands in its field `event`.
        let mut value = json!({
            "words": self.event.to_string(),
            "what": self.event,
        });
        if let Some(breach) = self.breach() {
            value["expected"] = json!(expected(breach));
            value["found"] = json!(breach.found.to_string());
        }
        value
    }
}

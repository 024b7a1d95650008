//! How an exchange lies in its table, and in a tail: each outcome with a word, and what belongs to it beside.
//!
//! ```text
//! outcome  status  content_type  body
//! answer   200     json          {"res":4}
//! late
//! names                          ["engine-1","engine-2"]
//! ```

use super::record::{Exchange, Moment, Outcome, Port};
use gm_core::arena::Seat;
use gm_core::contract::{Answer, BaseUrl, ContentType, Fault};
use gm_core::ids::{CarId, TeamId, TurnNo};
use gm_core::ports::InspectorFault;
use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;
use std::time::Duration;

/// A row of `exchanges`, or of a tail, without the race and the decision that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ExchangeRow {
    pub(super) turn: i64,
    pub(super) chain: String,
    pub(super) port: String,
    pub(super) number: i64,
    pub(super) team: Option<i64>,
    pub(super) car: Option<i64>,
    pub(super) request: String,
    pub(super) outcome: String,
    pub(super) status: Option<i64>,
    pub(super) content_type: Option<String>,
    #[serde(with = "in_hex")]
    pub(super) body: Option<Vec<u8>>,
    pub(super) deviations: Option<String>,
    pub(super) latency_us: i64,
    pub(super) at: i64,
}

/// A body is not always text, so it is written in hexadecimal where a row is a line of text.
mod in_hex {
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de::Error as _};

    pub(super) fn serialize<S: Serializer>(body: &Option<Vec<u8>>, to: S) -> Result<S::Ok, S::Error> {
        body.as_ref().map(hex::encode).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<u8>>, D::Error> {
        let digits = Option::<String>::deserialize(from)?;
        digits.map(hex::decode).transpose().map_err(D::Error::custom)
    }
}

impl sqlx::FromRow<'_, SqliteRow> for ExchangeRow {
    fn from_row(row: &SqliteRow) -> sqlx::Result<ExchangeRow> {
        Ok(ExchangeRow {
            turn: row.try_get("turn")?,
            chain: row.try_get("chain")?,
            port: row.try_get("port")?,
            number: row.try_get("number")?,
            team: row.try_get("team")?,
            car: row.try_get("car")?,
            request: row.try_get("request")?,
            outcome: row.try_get("outcome")?,
            status: row.try_get("status")?,
            content_type: row.try_get("content_type")?,
            body: row.try_get("body")?,
            deviations: row.try_get("deviations")?,
            latency_us: row.try_get("latency_us")?,
            at: row.try_get("at")?,
        })
    }
}

/// The ports by the words that they are stored under.
const PORTS: [(Port, &str); 7] = [
    (Port::Car, "car"),
    (Port::Grace, "grace"),
    (Port::Ai, "ai"),
    (Port::Inspector, "inspector"),
    (Port::Resolver, "resolver"),
    (Port::DuelClock, "duel_clock"),
    (Port::RaceClock, "race_clock"),
];

/// The faults that have no number, by the words that they are stored under.
const FAULTS: [(Fault, &str); 6] = [
    (Fault::Unreachable, "unreachable"),
    (Fault::Late, "late"),
    (Fault::Broken, "broken"),
    (Fault::TooLarge, "too_large"),
    (Fault::NotJson, "not_json"),
    (Fault::NotTheValue, "not_the_value"),
];

/// The faults of inspectors, by the words that they are stored under.
const INSPECTOR_FAULTS: [(InspectorFault, &str); 4] = [
    (InspectorFault::NoSuchResource, "no_such_resource"),
    (InspectorFault::Denied, "denied"),
    (InspectorFault::Malformed, "malformed"),
    (InspectorFault::Unavailable, "unavailable"),
];

/// The content types, by the words that they are stored under.
const CONTENT_TYPES: [(ContentType, &str); 3] =
    [(ContentType::Json, "json"), (ContentType::Other, "other"), (ContentType::Missing, "missing")];

fn word<T: PartialEq + Copy>(words: &[(T, &'static str)], of: T) -> &'static str {
    words.iter().find_map(|(value, word)| (*value == of).then_some(*word)).unwrap_or_default()
}

fn meaning<T: Copy>(words: &[(T, &str)], of: &str) -> Option<T> {
    words.iter().find_map(|(value, word)| (*word == of).then_some(*value))
}

impl Port {
    /// The word that it is stored under.
    #[must_use]
    pub fn word(self) -> &'static str {
        word(&PORTS, self)
    }
}

impl ExchangeRow {
    pub(super) fn of(exchange: Exchange) -> ExchangeRow {
        let Exchange { chain, port, number, turn, team, car, request, outcome, deviations, latency, at } =
            exchange;
        let mut row = ExchangeRow {
            turn: turn.0.into(),
            chain,
            port: port.word().to_owned(),
            number: number.into(),
            team: team.map(|team| team.0.into()),
            car: car.map(|car| car.0.into()),
            request,
            outcome: String::new(),
            status: None,
            content_type: None,
            body: None,
            deviations: (!deviations.is_empty()).then(|| serde_json::json!(deviations).to_string()),
            latency_us: i64::try_from(latency.as_micros()).unwrap_or(i64::MAX),
            at: at.0,
        };
        let (outcome, body) = match outcome {
            Outcome::Answer(Answer { status, content_type, body }) => {
                row.status = Some(status.into());
                row.content_type = Some(word(&CONTENT_TYPES, content_type).to_owned());
                ("answer", Some(body))
            }
            Outcome::Fault(Fault::Status(status)) => {
                row.status = Some(status.into());
                ("status", None)
            }
            Outcome::Fault(fault) => (word(&FAULTS, fault), None),
            Outcome::Names(names) => ("names", Some(serde_json::json!(names).to_string().into_bytes())),
            Outcome::Number(number) => ("number", Some(number.to_string().into_bytes())),
            Outcome::NotInspected(fault) => (word(&INSPECTOR_FAULTS, fault), None),
            Outcome::Address(Some(url)) => ("address", Some(url.as_str().into())),
            Outcome::Address(None) => ("nobody", None),
            Outcome::TimeIsUp(seat) => ("time_is_up", seat.map(|seat| seat.0.to_string().into_bytes())),
        };
        row.outcome = outcome.to_owned();
        row.body = body;
        row
    }

    /// The exchange of a row.
    ///
    /// # Errors
    /// Which column can't be read.
    pub(super) fn read(self) -> Result<Exchange, &'static str> {
        let outcome = self.outcome()?;
        Ok(Exchange {
            chain: self.chain,
            port: meaning(&PORTS, &self.port).ok_or("port")?,
            number: self.number.try_into().map_err(|_| "number")?,
            turn: TurnNo(self.turn.try_into().map_err(|_| "turn")?),
            team: self.team.map(u32::try_from).transpose().map_err(|_| "team")?.map(TeamId),
            car: self.car.map(u32::try_from).transpose().map_err(|_| "car")?.map(CarId),
            request: self.request,
            outcome,
            deviations: match self.deviations {
                Some(words) => serde_json::from_str(&words).map_err(|_| "deviations")?,
                None => Vec::new(),
            },
            latency: Duration::from_micros(self.latency_us.try_into().map_err(|_| "latency_us")?),
            at: Moment(self.at),
        })
    }

    fn outcome(&self) -> Result<Outcome, &'static str> {
        let status = || self.status.and_then(|status| u16::try_from(status).ok()).ok_or("status");
        let text = || std::str::from_utf8(self.body.as_deref().unwrap_or_default()).map_err(|_| "body");
        Ok(match self.outcome.as_str() {
            "answer" => Outcome::Answer(Answer {
                status: status()?,
                content_type: self
                    .content_type
                    .as_deref()
                    .and_then(|word| meaning(&CONTENT_TYPES, word))
                    .ok_or("content_type")?,
                body: self.body.clone().ok_or("body")?,
            }),
            "status" => Outcome::Fault(Fault::Status(status()?)),
            "names" => Outcome::Names(serde_json::from_str(text()?).map_err(|_| "body")?),
            "number" => Outcome::Number(text()?.parse().map_err(|_| "body")?),
            "address" => Outcome::Address(Some(BaseUrl::parse(text()?).map_err(|_| "body")?)),
            "nobody" => Outcome::Address(None),
            "time_is_up" => Outcome::TimeIsUp(match self.body {
                Some(_) => Some(Seat(text()?.parse().ok().filter(|seat| *seat < 2).ok_or("body")?)),
                None => None,
            }),
            word => match (meaning(&FAULTS, word), meaning(&INSPECTOR_FAULTS, word)) {
                (Some(fault), _) => Outcome::Fault(fault),
                (None, Some(fault)) => Outcome::NotInspected(fault),
                (None, None) => return Err("outcome"),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(port: Port, outcome: Outcome) -> Exchange {
        Exchange {
            chain: "t1-track-c3".to_owned(),
            port,
            number: 2,
            turn: TurnNo(1),
            team: Some(TeamId(4)),
            car: None,
            request: "GET http://car/engine/count".to_owned(),
            outcome,
            deviations: vec!["a \"word\"".to_owned()],
            latency: Duration::from_micros(1_234),
            at: Moment(5),
        }
    }

    /// Each port and outcome, the word that it is stored under, and it comes back as it was.
    #[test]
    fn exchanges_come_back() {
        let answer = |body: &[u8], content_type| Answer { status: 201, content_type, body: body.to_vec() };
        let url = BaseUrl::parse("http://car.example:8080").expect("a URL");
        let names = vec!["é".to_owned(), String::new()];
        let mut cases = vec![
            (Port::Car, Outcome::Answer(answer(b"{}", ContentType::Json)), "answer"),
            (Port::Ai, Outcome::Answer(answer(b"\xff\0", ContentType::Other)), "answer"),
            (Port::Ai, Outcome::Answer(answer(b"", ContentType::Missing)), "answer"),
            (Port::Car, Outcome::Fault(Fault::Status(503)), "status"),
            (Port::Inspector, Outcome::Names(names), "names"),
            (Port::Inspector, Outcome::Names(Vec::new()), "names"),
            (Port::Inspector, Outcome::Number(u64::MAX), "number"),
            (Port::Resolver, Outcome::Address(Some(url)), "address"),
            (Port::Resolver, Outcome::Address(None), "nobody"),
            (Port::Grace, Outcome::TimeIsUp(None), "time_is_up"),
            (Port::DuelClock, Outcome::TimeIsUp(Some(Seat(1))), "time_is_up"),
            (Port::RaceClock, Outcome::TimeIsUp(None), "time_is_up"),
        ];
        cases.extend(FAULTS.map(|(fault, word)| (Port::Car, Outcome::Fault(fault), word)));
        cases.extend(
            INSPECTOR_FAULTS.map(|(fault, word)| (Port::Inspector, Outcome::NotInspected(fault), word)),
        );
        for (port, outcome, word) in cases {
            let exchange = exchange(port, outcome);
            let row = ExchangeRow::of(exchange.clone());
            assert_eq!(row.outcome, word, "{exchange:?}");
            assert_eq!(row.read(), Ok(exchange));
        }
    }

    /// A row with one wrong column, and which is said to be wrong.
    #[test]
    fn rows_that_cannot_be_read() {
        let row = || ExchangeRow::of(exchange(Port::Car, Outcome::Answer(Answer::ok("1"))));
        let is = |outcome: &str, body: &[u8]| ExchangeRow {
            outcome: outcome.to_owned(),
            body: Some(body.to_vec()),
            ..row()
        };
        for (row, column) in [
            (ExchangeRow { port: "x".to_owned(), ..row() }, "port"),
            (ExchangeRow { number: -1, ..row() }, "number"),
            (ExchangeRow { turn: 1 << 40, ..row() }, "turn"),
            (ExchangeRow { team: Some(-1), ..row() }, "team"),
            (ExchangeRow { car: Some(-1), ..row() }, "car"),
            (ExchangeRow { outcome: "x".to_owned(), ..row() }, "outcome"),
            (ExchangeRow { status: None, ..row() }, "status"),
            (ExchangeRow { status: Some(70_000), ..row() }, "status"),
            (ExchangeRow { content_type: Some("x".to_owned()), ..row() }, "content_type"),
            (ExchangeRow { body: None, ..row() }, "body"),
            (ExchangeRow { deviations: Some("x".to_owned()), ..row() }, "deviations"),
            (ExchangeRow { latency_us: -1, ..row() }, "latency_us"),
            (is("names", b"{}"), "body"),
            (is("number", b"-1"), "body"),
            (is("address", b"ftp:"), "body"),
            (is("time_is_up", b"2"), "body"),
            (is("time_is_up", b"\xff"), "body"),
        ] {
            let text = format!("{row:?}");
            assert_eq!(row.read(), Err(column), "{text}");
        }
    }
}

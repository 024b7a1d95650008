//! The records of an export, field by field: types of its own, so that nothing else of the program changes the format.
//!
//! ```text
//! {"record":"exchange","chain":"t1-move-c1","port":"car","number":1, …,"outcome":{"fault":"late"}, …}
//! {"record":"event","seq":1,"turn":0,"format":1,"body":{"event":"race_created", …}}
//! ```
//!
//! Times are whole milliseconds since 1970, UTC. A seed is written as text, since many programs know no whole numbers
//! beyond 2^53. What is stored as JSON (events, commands, rules) is a part of the record, to the byte. An answer's body
//! is text where it is UTF-8, and hexadecimal digits elsewhere.

use super::{ExportedDecision, ExportedRace, Summary};
use crate::journal::{DecisionKind, DecisionNo, Exchange, Moment, Outcome, Port, RaceId, StoredEvent};
use gm_core::arena::Seat;
use gm_core::contract::{Answer, BaseUrl, ContentType, Fault};
use gm_core::ids::{CarId, TeamId, TurnNo};
use gm_core::ports::InspectorFault;
use gm_core::random::Seed;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// What a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Record {
    /// The race: the first record.
    Race,
    /// A decision.
    Decision,
    /// An exchange of the decision before.
    Exchange,
    /// An event of the decision before.
    Event,
    /// The last record.
    End,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Record::Race => "the race",
            Record::Decision => "a decision",
            Record::Exchange => "an exchange",
            Record::Event => "an event",
            Record::End => "the end",
        })
    }
}

/// What a record is, whatever else it holds.
#[derive(Debug, Deserialize)]
pub(super) struct AnyLine {
    /// What it is.
    pub(super) record: Record,
}

/// The first record, of whatever format.
#[derive(Debug, Deserialize)]
pub(super) struct AnyRaceLine {
    /// The format of the export.
    pub(super) export: u64,
}

/// The race.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RaceLine<'a> {
    record: Record,
    export: u32,
    gm: Cow<'a, str>,
    revision: u32,
    race: Cow<'a, str>,
    name: Cow<'a, str>,
    seed: Cow<'a, str>,
    created_at: i64,
    pace_ms: Option<u64>,
    ran_ms: u64,
    #[serde(borrow)]
    plan: Option<&'a RawValue>,
    rules_format: u32,
    #[serde(borrow)]
    rules: &'a RawValue,
}

/// A decision, and how many exchanges and events follow it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DecisionLine<'a> {
    record: Record,
    no: u64,
    kind: KindWord,
    turn: u32,
    begun_at: i64,
    committed_at: i64,
    last_seq: u64,
    format: u32,
    #[serde(borrow)]
    arrivals: &'a RawValue,
    settled: Cow<'a, [Option<String>]>,
    /// How many exchanges follow.
    pub(super) exchanges: u64,
    /// How many events follow.
    pub(super) events: u64,
}

/// An exchange.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExchangeLine<'a> {
    record: Record,
    chain: Cow<'a, str>,
    port: PortWord,
    number: u32,
    turn: u32,
    team: Option<u32>,
    car: Option<u32>,
    request: Cow<'a, str>,
    outcome: OutcomeWord<'a>,
    deviations: Cow<'a, [String]>,
    latency_us: u64,
    at: i64,
}

/// An event.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventLine<'a> {
    record: Record,
    seq: u64,
    turn: u32,
    format: u32,
    #[serde(borrow)]
    body: &'a RawValue,
}

/// The end, with the numbers of all records before it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine {
    record: Record,
    decisions: u64,
    exchanges: u64,
    events: u64,
}

/// What came of an exchange.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum OutcomeWord<'a> {
    Answer { status: u16, content_type: ContentTypeWord, body: BodyWord<'a> },
    Fault(FaultWord),
    Names(Cow<'a, [String]>),
    Number(u64),
    NotInspected(InspectorFaultWord),
    Address(Option<Cow<'a, str>>),
    TimeIsUp(Option<usize>),
}

/// The body of an answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum BodyWord<'a> {
    Text(Cow<'a, str>),
    Hex(Cow<'a, str>),
}

/// Why there was no answer.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum FaultWord {
    Unreachable,
    Late,
    Broken,
    TooLarge,
    Status(u16),
    NotJson,
    NotTheValue,
}

/// A closed list of words, each of which stands for one of the domain's.
macro_rules! words {
    ($(#[$doc:meta])* $word:ident for $domain:ident: $($variant:ident),+) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum $word {
            $($variant),+
        }

        impl From<$domain> for $word {
            fn from(it: $domain) -> $word {
                match it {
                    $($domain::$variant => $word::$variant),+
                }
            }
        }

        impl From<$word> for $domain {
            fn from(it: $word) -> $domain {
                match it {
                    $($word::$variant => $domain::$variant),+
                }
            }
        }
    };
}

words!(
    /// What is decided.
    KindWord for DecisionKind: Create, Turn, Commands, RegisterAll
);
words!(
    /// What was asked.
    PortWord for Port: Car, Grace, Ai, Inspector, Resolver, DuelClock, RaceClock
);
words!(
    /// What an answer says that its body is.
    ContentTypeWord for ContentType: Json, Other, Missing
);
words!(
    /// Why an inspector failed.
    InspectorFaultWord for InspectorFault: NoSuchResource, Denied, Malformed, Unavailable
);

impl From<Fault> for FaultWord {
    fn from(fault: Fault) -> FaultWord {
        match fault {
            Fault::Unreachable => FaultWord::Unreachable,
            Fault::Late => FaultWord::Late,
            Fault::Broken => FaultWord::Broken,
            Fault::TooLarge => FaultWord::TooLarge,
            Fault::Status(status) => FaultWord::Status(status),
            Fault::NotJson => FaultWord::NotJson,
            Fault::NotTheValue => FaultWord::NotTheValue,
        }
    }
}

impl From<FaultWord> for Fault {
    fn from(fault: FaultWord) -> Fault {
        match fault {
            FaultWord::Unreachable => Fault::Unreachable,
            FaultWord::Late => Fault::Late,
            FaultWord::Broken => Fault::Broken,
            FaultWord::TooLarge => Fault::TooLarge,
            FaultWord::Status(status) => Fault::Status(status),
            FaultWord::NotJson => Fault::NotJson,
            FaultWord::NotTheValue => Fault::NotTheValue,
        }
    }
}

impl<'a> RaceLine<'a> {
    /// The record of a race.
    pub(super) fn of(race: &'a ExportedRace) -> Result<RaceLine<'a>, String> {
        let ExportedRace { id, name, created_at, gm, revision, seed, plan, pace, ran, rules_format, rules } =
            race;
        Ok(RaceLine {
            record: Record::Race,
            export: super::FORMAT,
            gm: gm.into(),
            revision: *revision,
            race: id.as_str().into(),
            name: name.into(),
            seed: seed.0.to_string().into(),
            created_at: created_at.0,
            pace_ms: pace.map(milliseconds),
            ran_ms: milliseconds(*ran),
            plan: plan.as_deref().map(|plan| raw("its plan", plan)).transpose()?,
            rules_format: *rules_format,
            rules: raw("its rules", rules)?,
        })
    }

    /// The race that is told.
    pub(super) fn race(&self) -> Result<ExportedRace, String> {
        let seed: u64 =
            self.seed.parse().map_err(|_| format!("the seed {:?} is no whole number", self.seed))?;
        Ok(ExportedRace {
            id: RaceId::parse(&self.race).map_err(|bad| bad.to_string())?,
            name: self.name.to_string(),
            created_at: Moment(self.created_at),
            gm: self.gm.to_string(),
            revision: self.revision,
            seed: Seed(seed),
            plan: self.plan.map(|plan| plan.get().to_owned()),
            pace: self.pace_ms.map(Duration::from_millis),
            ran: Duration::from_millis(self.ran_ms),
            rules_format: self.rules_format,
            rules: self.rules.get().to_owned(),
        })
    }
}

impl<'a> DecisionLine<'a> {
    /// The record of a decision.
    pub(super) fn of(decision: &'a ExportedDecision) -> Result<DecisionLine<'a>, String> {
        let ExportedDecision { no, kind, turn, format, arrivals, begun_at, committed_at, .. } = decision;
        let ExportedDecision { last_seq, settled, exchanges, events, .. } = decision;
        Ok(DecisionLine {
            record: Record::Decision,
            no: no.0,
            kind: (*kind).into(),
            turn: turn.0,
            begun_at: begun_at.0,
            committed_at: committed_at.0,
            last_seq: *last_seq,
            format: *format,
            arrivals: raw(&format!("what decision {no} is about"), arrivals)?,
            settled: settled.into(),
            exchanges: exchanges.len() as u64,
            events: events.len() as u64,
        })
    }

    /// The decision that is told, still without its exchanges and events.
    pub(super) fn decision(self) -> ExportedDecision {
        ExportedDecision {
            no: DecisionNo(self.no),
            kind: self.kind.into(),
            turn: TurnNo(self.turn),
            format: self.format,
            arrivals: self.arrivals.get().to_owned(),
            begun_at: Moment(self.begun_at),
            committed_at: Moment(self.committed_at),
            last_seq: self.last_seq,
            settled: self.settled.into_owned(),
            exchanges: Vec::new(),
            events: Vec::new(),
        }
    }
}

impl<'a> ExchangeLine<'a> {
    /// The record of an exchange.
    pub(super) fn of(exchange: &'a Exchange) -> ExchangeLine<'a> {
        let Exchange { chain, port, number, turn, team, car, request, outcome, deviations, latency, at } =
            exchange;
        ExchangeLine {
            record: Record::Exchange,
            chain: chain.into(),
            port: (*port).into(),
            number: *number,
            turn: turn.0,
            team: team.map(|team| team.0),
            car: car.map(|car| car.0),
            request: request.into(),
            outcome: OutcomeWord::of(outcome),
            deviations: deviations.into(),
            latency_us: u64::try_from(latency.as_micros()).unwrap_or(u64::MAX),
            at: at.0,
        }
    }

    /// The exchange that is told.
    pub(super) fn exchange(self) -> Result<Exchange, String> {
        Ok(Exchange {
            chain: self.chain.into_owned(),
            port: self.port.into(),
            number: self.number,
            turn: TurnNo(self.turn),
            team: self.team.map(TeamId),
            car: self.car.map(CarId),
            request: self.request.into_owned(),
            outcome: self.outcome.outcome()?,
            deviations: self.deviations.into_owned(),
            latency: Duration::from_micros(self.latency_us),
            at: Moment(self.at),
        })
    }
}

impl<'a> OutcomeWord<'a> {
    fn of(outcome: &'a Outcome) -> OutcomeWord<'a> {
        match outcome {
            Outcome::Answer(Answer { status, content_type, body }) => OutcomeWord::Answer {
                status: *status,
                content_type: (*content_type).into(),
                body: BodyWord::of(body),
            },
            Outcome::Fault(fault) => OutcomeWord::Fault((*fault).into()),
            Outcome::Names(names) => OutcomeWord::Names(names.into()),
            Outcome::Number(number) => OutcomeWord::Number(*number),
            Outcome::NotInspected(fault) => OutcomeWord::NotInspected((*fault).into()),
            Outcome::Address(url) => OutcomeWord::Address(url.as_ref().map(|url| url.as_str().into())),
            Outcome::TimeIsUp(seat) => OutcomeWord::TimeIsUp(seat.map(|seat| seat.0)),
        }
    }

    fn outcome(self) -> Result<Outcome, String> {
        Ok(match self {
            OutcomeWord::Answer { status, content_type, body } => {
                Outcome::Answer(Answer { status, content_type: content_type.into(), body: body.bytes()? })
            }
            OutcomeWord::Fault(fault) => Outcome::Fault(fault.into()),
            OutcomeWord::Names(names) => Outcome::Names(names.into_owned()),
            OutcomeWord::Number(number) => Outcome::Number(number),
            OutcomeWord::NotInspected(fault) => Outcome::NotInspected(fault.into()),
            OutcomeWord::Address(None) => Outcome::Address(None),
            OutcomeWord::Address(Some(url)) => match BaseUrl::parse(&url) {
                Ok(url) => Outcome::Address(Some(url)),
                Err(because) => return Err(format!("the address {url:?} is none: {because}")),
            },
            OutcomeWord::TimeIsUp(seat) => Outcome::TimeIsUp(seat.map(Seat)),
        })
    }
}

impl<'a> BodyWord<'a> {
    fn of(body: &'a [u8]) -> BodyWord<'a> {
        match str::from_utf8(body) {
            Ok(text) => BodyWord::Text(text.into()),
            Err(_) => BodyWord::Hex(hex::encode(body).into()),
        }
    }

    fn bytes(self) -> Result<Vec<u8>, String> {
        match self {
            BodyWord::Text(text) => Ok(text.into_owned().into_bytes()),
            BodyWord::Hex(digits) => hex::decode(digits.as_bytes())
                .map_err(|because| format!("a body is not hexadecimal: {because}")),
        }
    }
}

impl<'a> EventLine<'a> {
    /// The record of an event.
    pub(super) fn of(event: &'a StoredEvent) -> Result<EventLine<'a>, String> {
        let StoredEvent { seq, turn, format, body } = event;
        let body = raw(&format!("event {seq}"), body)?;
        Ok(EventLine { record: Record::Event, seq: *seq, turn: turn.0, format: *format, body })
    }

    /// The event that is told.
    pub(super) fn event(&self) -> StoredEvent {
        let body = self.body.get().to_owned();
        StoredEvent { seq: self.seq, turn: TurnNo(self.turn), format: self.format, body }
    }
}

impl EndLine {
    /// The last record of an export that holds so much.
    pub(super) fn of(summary: &Summary) -> EndLine {
        let Summary { decisions, exchanges, events, hash: _ } = *summary;
        EndLine { record: Record::End, decisions, exchanges, events }
    }
}

impl fmt::Display for EndLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EndLine { record: _, decisions, exchanges, events } = self;
        write!(f, "{decisions} decisions, {exchanges} exchanges and {events} events")
    }
}

/// What is stored as JSON, as a part of a record: without a change, so it must be in one line.
fn raw<'a>(what: &str, json: &'a str) -> Result<&'a RawValue, String> {
    let value: &RawValue =
        serde_json::from_str(json).map_err(|because| format!("{what} can't be read as JSON: {because}"))?;
    if value.get() == json && !json.contains('\n') {
        Ok(value)
    } else {
        Err(format!("the JSON of {what} has line breaks in it, or blanks around it"))
    }
}

/// A length of time in whole milliseconds.
fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(port: Port, outcome: Outcome) -> Exchange {
        Exchange {
            chain: "t1-move-c1".into(),
            port,
            number: 1,
            turn: TurnNo(1),
            team: Some(TeamId(2)),
            car: None,
            request: "GET http://car/engine".into(),
            outcome,
            deviations: vec!["a boolean as a JSON string".into()],
            latency: Duration::from_micros(1500),
            at: Moment(-1),
        }
    }

    #[track_caller]
    fn check(exchange: &Exchange, expected: &str) {
        let found = serde_json::to_string(&ExchangeLine::of(exchange)).unwrap();
        assert!(found.contains(expected), "{found} does not hold {expected}");
        let read: ExchangeLine<'_> = serde_json::from_str(&found).unwrap();
        assert_eq!(read.exchange().as_ref(), Ok(exchange));
    }

    /// The words are part of the format.
    #[test]
    fn every_outcome_in_words() {
        let answer = |content_type, body: &[u8]| {
            Outcome::Answer(Answer { status: 200, content_type, body: body.to_vec() })
        };
        let address = BaseUrl::parse("http://car:80").unwrap();
        for (outcome, expected) in [
            (
                answer(ContentType::Json, br#"{"res":"\u00e9"}"#),
                r#"{"answer":{"status":200,"content_type":"json","body":{"text":"{\"res\":\"\\u00e9\"}"}}}"#,
            ),
            (answer(ContentType::Other, b"\xff\0"), r#""content_type":"other","body":{"hex":"ff00"}}}"#),
            (answer(ContentType::Missing, b""), r#""content_type":"missing","body":{"text":""}}}"#),
            (answer(ContentType::Json, b"\0\n\r\x7f"), r#""body":{"text":"\u0000\n\r"}"#),
            (answer(ContentType::Json, "é🏁\u{2028}".as_bytes()), "\"body\":{\"text\":\"é🏁\u{2028}\"}"),
            (Outcome::Fault(Fault::Unreachable), r#"{"fault":"unreachable"}"#),
            (Outcome::Fault(Fault::Late), r#"{"fault":"late"}"#),
            (Outcome::Fault(Fault::Broken), r#"{"fault":"broken"}"#),
            (Outcome::Fault(Fault::TooLarge), r#"{"fault":"too_large"}"#),
            (Outcome::Fault(Fault::Status(503)), r#"{"fault":{"status":503}}"#),
            (Outcome::Fault(Fault::NotJson), r#"{"fault":"not_json"}"#),
            (Outcome::Fault(Fault::NotTheValue), r#"{"fault":"not_the_value"}"#),
            (Outcome::Names(vec!["V8".into(), "\"".into()]), r#"{"names":["V8","\""]}"#),
            (Outcome::Names(vec![]), r#"{"names":[]}"#),
            (Outcome::Number(u64::MAX), r#"{"number":18446744073709551615}"#),
            (
                Outcome::NotInspected(InspectorFault::NoSuchResource),
                r#"{"not_inspected":"no_such_resource"}"#,
            ),
            (Outcome::NotInspected(InspectorFault::Denied), r#"{"not_inspected":"denied"}"#),
            (Outcome::NotInspected(InspectorFault::Malformed), r#"{"not_inspected":"malformed"}"#),
            (Outcome::NotInspected(InspectorFault::Unavailable), r#"{"not_inspected":"unavailable"}"#),
            (Outcome::Address(Some(address)), r#"{"address":"http://car"}"#),
            (Outcome::Address(None), r#"{"address":null}"#),
            (Outcome::TimeIsUp(None), r#"{"time_is_up":null}"#),
            (Outcome::TimeIsUp(Some(Seat(1))), r#"{"time_is_up":1}"#),
        ] {
            check(&exchange(Port::Car, outcome), expected);
        }
    }

    #[test]
    fn every_port_in_words() {
        for (port, expected) in [
            (Port::Car, r#""port":"car""#),
            (Port::Grace, r#""port":"grace""#),
            (Port::Ai, r#""port":"ai""#),
            (Port::Inspector, r#""port":"inspector""#),
            (Port::Resolver, r#""port":"resolver""#),
            (Port::DuelClock, r#""port":"duel_clock""#),
            (Port::RaceClock, r#""port":"race_clock""#),
        ] {
            check(&exchange(port, Outcome::Number(1)), expected);
        }
    }

    #[test]
    fn every_kind_of_decision_in_words() {
        for (kind, expected) in [
            (DecisionKind::Create, r#""create""#),
            (DecisionKind::Turn, r#""turn""#),
            (DecisionKind::Commands, r#""commands""#),
            (DecisionKind::RegisterAll, r#""register_all""#),
        ] {
            assert_eq!(serde_json::to_string(&KindWord::from(kind)).unwrap(), expected);
            assert_eq!(DecisionKind::from(serde_json::from_str::<KindWord>(expected).unwrap()), kind);
        }
    }

    #[test]
    fn json_is_a_part_of_a_record_only_as_it_is() {
        for (json, expected) in [
            (r#"{"a":1}"#, true),
            (r#"{ "a" : 1.0e2, "a": 0.10 }"#, true),
            ("[]", true),
            ("1", true),
            (r#""\n""#, true),
            ("", false),
            ("{", false),
            ("{}{}", false),
            (" {}", false),
            ("{} ", false),
            ("{}\n", false),
            ("{\n}", false),
            ("\"\n\"", false),
        ] {
            assert_eq!(raw("it", json).map(RawValue::get).ok(), expected.then_some(json), "{json:?}");
        }
    }
}

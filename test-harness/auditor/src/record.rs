//! The lines of an export.
//!
//! ```text
//! {"record":"event","seq":1,"turn":0,"format":1,"body":{"event":"race_created", …}}
//! ```

use crate::command::Arrival;
use crate::event::Event;
use crate::rules::Rules;
use crate::word::{Fault, InspectorFault};
use serde::Deserialize;
use serde::de::IgnoredAny;

/// What a line is, whatever else it holds.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct AnyLine {
    pub(crate) record: Word,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    Race,
    Decision,
    Exchange,
    Event,
    End,
}

/// The race.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RaceLine {
    pub(crate) export: u32,
    pub(crate) revision: u32,
    pub(crate) seed: String,
    pub(crate) rules_format: u32,
    pub(crate) rules: Rules,
}

/// What a decision is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DecisionKind {
    Create,
    Turn,
    Commands,
    RegisterAll,
}

/// A decision.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct DecisionLine {
    pub(crate) no: u64,
    pub(crate) kind: DecisionKind,
    pub(crate) turn: u32,
    pub(crate) last_seq: u64,
    pub(crate) format: u32,
    pub(crate) arrivals: Vec<Arrival>,
    pub(crate) settled: Vec<Option<String>>,
    pub(crate) exchanges: u64,
    pub(crate) events: u64,
}

/// An exchange.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Exchange {
    pub(crate) chain: String,
    pub(crate) port: Port,
    pub(crate) number: u32,
    pub(crate) turn: u32,
    pub(crate) team: Option<u32>,
    pub(crate) car: Option<u32>,
    pub(crate) request: String,
    pub(crate) outcome: Outcome,
    pub(crate) deviations: Vec<String>,
    pub(crate) latency_us: u64,
}

/// What was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Port {
    Car,
    Grace,
    Ai,
    Inspector,
    Resolver,
    DuelClock,
    RaceClock,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Outcome {
    Answer(Answer),
    Fault(Fault),
    Names(Vec<String>),
    Number(u64),
    NotInspected(InspectorFault),
    Address(Option<String>),
    TimeIsUp(Option<usize>),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: ContentType,
    pub(crate) body: Body,
}

/// What an answer says that its body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContentType {
    Json,
    Other,
    Missing,
}

/// The body of an answer; what is not UTF-8 is no JSON, so its digits need not be read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    Text(String),
    Hex(String),
}

/// An event.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct EventLine {
    pub(crate) seq: u64,
    pub(crate) turn: u32,
    pub(crate) format: u32,
    pub(crate) body: Event,
}

/// The end.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct EndLine {
    pub(crate) decisions: u64,
    pub(crate) exchanges: u64,
    pub(crate) events: u64,
}

/// Anything that is JSON.
pub(crate) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

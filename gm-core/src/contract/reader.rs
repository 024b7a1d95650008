//! The tolerant reader (C-22): strict in what is asked, tolerant in what is taken, and never silent about it.
//!
//! Each function reads one kind of answer and gives the value *and* every deviation that was accepted on the way:
//!
//! ```
//! use gm_core::contract::{Answer, Deviation, reader};
//! let taken = reader::count(&Answer::ok(r#"{"res": "3"}"#)).unwrap();
//! assert_eq!((taken.value, taken.deviations), (3, vec![Deviation::NumberAsText]));
//! ```
//!
//! Where C-22 leaves room, the narrow reading holds:
//!
//! - A number as text is its canonical text: `"3"`, and not `"03"`, `"+3"`, `" 3"` or `"3.0"`.
//! - `3.0`, `3.00` and `3e0` are one number to JSON, and all are a whole number with a fraction of zero; up to
//!   2^32 − 1, the largest square, since far beyond a double holds other whole numbers than were written. (A
//!   fraction that is too small for a double is none.) `-0` and `-0.0` are no whole numbers of anything.
//! - `1.0` for a boolean is two steps away from it, and refused.
//! - A kind in another case differs in ASCII case only; the same goes for `"none"`.
//! - A field of the contract that comes twice has no value that one could name: [`Fault::NotTheValue`]. An unknown
//!   field may come as often as it likes.
//! - JSON is what RFC 8259 says in UTF-8, without a byte order mark, nested at most 128 deep, with numbers that a
//!   double can hold: all else is [`Fault::NotJson`].

use super::car::CarState;
use super::fault::{Answer, ContentType, Fault};
use super::kind::{Kind, Modules};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;

/// A deviation from the contract that was accepted (C-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// `true` or `false` as a JSON string.
    BooleanAsText,
    /// A whole number as a JSON string.
    NumberAsText,
    /// `0` or `1` for a boolean.
    BooleanAsNumber,
    /// A whole number with a zero fraction, `3.0`.
    NumberWithFraction,
    /// The bare value without `{"res": …}`.
    NoEnvelope,
    /// A kind of module in another case, `"Engine"`.
    KindInOtherCase,
    /// No content type.
    ContentTypeMissing,
    /// Another content type than `application/json`.
    ContentTypeOther,
    /// Fields that the contract does not know.
    UnknownFields,
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Deviation::BooleanAsText => "a boolean as a JSON string",
            Deviation::NumberAsText => "a whole number as a JSON string",
            Deviation::BooleanAsNumber => "0 or 1 for a boolean",
            Deviation::NumberWithFraction => "a whole number with a fraction of zero",
            Deviation::NoEnvelope => "the bare value without {\"res\": …}",
            Deviation::KindInOtherCase => "a kind of module in another case",
            Deviation::ContentTypeMissing => "no content type",
            Deviation::ContentTypeOther => "another content type than application/json",
            Deviation::UnknownFields => "unknown extra fields",
        })
    }
}

/// A value that was taken from an answer, with the deviations accepted, each once, in the order of [`Deviation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken<T> {
    /// The value.
    pub value: T,
    /// What was accepted (C-22).
    pub deviations: Vec<Deviation>,
}

/// What came of a question: a value, or a fault.
pub type Reply<T> = Result<Taken<T>, Fault>;

/// Reads the name of a bucket, queue or table (C-1, C-2, C-3): a JSON string that is not empty.
///
/// # Errors
/// [`Fault::NotJson`] or [`Fault::NotTheValue`], as with all functions here. The status is for the caller to check.
pub fn resource(answer: &Answer) -> Reply<String> {
    read(answer, |json, accepted| {
        let name = required(json, accepted)?.text()?;
        if name.is_empty() { Err(Fault::NotTheValue) } else { Ok(name) }
    })
}

/// Reads a number of modules (C-4).
///
/// # Errors
/// As [`resource`].
pub fn count(answer: &Answer) -> Reply<u64> {
    read(answer, |json, accepted| required(json, accepted)?.whole(accepted))
}

/// Reads a car's state (C-5, the one answer without an envelope: C-19). A state *in* an envelope is not what was
/// asked for.
///
/// # Errors
/// As [`resource`].
pub fn state(answer: &Answer) -> Reply<CarState> {
    read(answer, |json, accepted| {
        let [name, square, modules] = json.fields(["name", "square", "modules"], accepted)?.map(present);
        let [engine, pilot, weapon] = modules?
            .fields(Kind::ALL.map(Kind::word), accepted)?
            .map(|field| present(field)?.whole(accepted));
        Ok(CarState {
            name: name?.text()?,
            square: square?.whole(accepted)?,
            modules: Modules { engine: engine?, pilot: pilot?, weapon: weapon? },
        })
    })
}

/// Reads a yes or no (C-12, C-13, C-15).
///
/// # Errors
/// As [`resource`].
pub fn boolean(answer: &Answer) -> Reply<bool> {
    read(answer, |json, accepted| required(json, accepted)?.boolean(accepted))
}

/// Reads what a car buys in a garage (C-14): a kind, or nothing for `"none"`, `null` or an absent `res`.
///
/// # Errors
/// As [`resource`].
pub fn purchase(answer: &Answer) -> Reply<Option<Kind>> {
    read(answer, |json, accepted| match enveloped(json, accepted)? {
        None | Some(Json::Null) => Ok(None),
        Some(json) => json.kind_or_none(accepted),
    })
}

/// Reads the URL of a duel AI (C-16) as text, which may be empty; [`super::DuelUrl`] parses it.
///
/// # Errors
/// As [`resource`].
pub fn text(answer: &Answer) -> Reply<String> {
    read(answer, |json, accepted| required(json, accepted)?.text())
}

/// Reads the cards that a duel AI plays (A-2, R-6.2): a list of whole numbers, which may be empty. Whether they are
/// legal is for the rules to say; a number over 255 is not even the name of a card, and [`Fault::NotTheValue`].
///
/// # Errors
/// As [`resource`].
pub fn cards(answer: &Answer) -> Reply<Vec<u8>> {
    read(answer, |json, accepted| {
        let Json::List(cards) = required(json, accepted)? else { return Err(Fault::NotTheValue) };
        cards
            .into_iter()
            .map(|card| u8::try_from(card.whole(accepted)?).map_err(|_| Fault::NotTheValue))
            .collect()
    })
}

/// The deviations accepted so far in one answer.
type Accepted = BTreeSet<Deviation>;

fn read<T>(answer: &Answer, value: impl FnOnce(Json, &mut Accepted) -> Result<T, Fault>) -> Reply<T> {
    let json = serde_json::from_slice(&answer.body).map_err(|_| Fault::NotJson)?;
    let mut accepted = Accepted::new();
    match answer.content_type {
        ContentType::Json => {}
        ContentType::Other => _ = accepted.insert(Deviation::ContentTypeOther),
        ContentType::Missing => _ = accepted.insert(Deviation::ContentTypeMissing),
    }
    let value = value(json, &mut accepted)?;
    Ok(Taken { value, deviations: accepted.into_iter().collect() })
}

/// What is in the envelope (C-19), or the bare value; `None` if the envelope has no `res`.
fn enveloped(json: Json, accepted: &mut Accepted) -> Result<Option<Json>, Fault> {
    if matches!(json, Json::Object(_)) {
        let [res] = json.fields(["res"], accepted)?;
        Ok(res)
    } else {
        accepted.insert(Deviation::NoEnvelope);
        Ok(Some(json))
    }
}

fn required(json: Json, accepted: &mut Accepted) -> Result<Json, Fault> {
    present(enveloped(json, accepted)?)
}

fn present(field: Option<Json>) -> Result<Json, Fault> {
    field.ok_or(Fault::NotTheValue)
}

/// A JSON document, which remembers what `serde_json::Value` forgets: fields that come twice.
#[derive(Debug, Clone, PartialEq)]
enum Json {
    Null,
    Boolean(bool),
    /// `3`.
    Whole(u64),
    /// `3.0`.
    WholeWithFraction(u64),
    /// Any other number: negative, with a fraction, too large.
    OtherNumber,
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn text(self) -> Result<String, Fault> {
        match self {
            Json::Text(text) => Ok(text),
            _ => Err(Fault::NotTheValue),
        }
    }

    fn whole(self, accepted: &mut Accepted) -> Result<u64, Fault> {
        match self {
            Json::Whole(number) => Ok(number),
            Json::WholeWithFraction(number) => {
                accepted.insert(Deviation::NumberWithFraction);
                Ok(number)
            }
            Json::Text(text) => {
                accepted.insert(Deviation::NumberAsText);
                let number = text.parse::<u64>().map_err(|_| Fault::NotTheValue)?;
                if number.to_string() == text { Ok(number) } else { Err(Fault::NotTheValue) }
            }
            _ => Err(Fault::NotTheValue),
        }
    }

    fn boolean(self, accepted: &mut Accepted) -> Result<bool, Fault> {
        let (value, deviation) = match self {
            Json::Boolean(value) => return Ok(value),
            Json::Whole(0) => (false, Deviation::BooleanAsNumber),
            Json::Whole(1) => (true, Deviation::BooleanAsNumber),
            Json::Text(text) if text == "false" => (false, Deviation::BooleanAsText),
            Json::Text(text) if text == "true" => (true, Deviation::BooleanAsText),
            _ => return Err(Fault::NotTheValue),
        };
        accepted.insert(deviation);
        Ok(value)
    }

    fn kind_or_none(self, accepted: &mut Accepted) -> Result<Option<Kind>, Fault> {
        let text = self.text()?;
        let (value, word) = Kind::ALL
            .map(|kind| (Some(kind), kind.word()))
            .into_iter()
            .chain([(None, "none")])
            .find(|(_, word)| word.eq_ignore_ascii_case(&text))
            .ok_or(Fault::NotTheValue)?;
        if text != word {
            accepted.insert(Deviation::KindInOtherCase);
        }
        Ok(value)
    }

    /// The fields of an object with these names, each there at most once; others are unknown extra fields.
    fn fields<const N: usize>(
        self,
        names: [&str; N],
        accepted: &mut Accepted,
    ) -> Result<[Option<Json>; N], Fault> {
        let Json::Object(fields) = self else { return Err(Fault::NotTheValue) };
        let mut found = [const { None }; N];
        for (name, value) in fields {
            match names.iter().position(|&known| known == name) {
                None => _ = accepted.insert(Deviation::UnknownFields),
                Some(known) if found[known].is_none() => found[known] = Some(value),
                Some(_) => return Err(Fault::NotTheValue),
            }
        }
        Ok(found)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Boolean(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Whole(number))
    }

    fn visit_i64<E>(self, _negative: i64) -> Result<Json, E> {
        Ok(Json::OtherNumber)
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        let whole = number.is_sign_positive() && number.fract() == 0.0 && number <= f64::from(u32::MAX);
        Ok(if whole { Json::WholeWithFraction(number as u64) } else { Json::OtherNumber })
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = object.next_entry()? {
            fields.push(field);
        }
        Ok(Json::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::Deviation::*;
    use super::*;
    use crate::contract::Envelope;
    use proptest::prelude::*;
    use serde_json::json;

    const NOT_JSON: Fault = Fault::NotJson;
    const NOT_IT: Fault = Fault::NotTheValue;

    /// Reads `body` as it should be sent and with a missing and another content type: the same value, one deviation
    /// more.
    #[track_caller]
    fn check<T: fmt::Debug + PartialEq + Clone>(
        reader: fn(&Answer) -> Reply<T>,
        body: &str,
        expected: Result<(T, &[Deviation]), Fault>,
    ) {
        for (content_type, deviation) in [
            (ContentType::Json, None),
            (ContentType::Missing, Some(ContentTypeMissing)),
            (ContentType::Other, Some(ContentTypeOther)),
        ] {
            let answer = Answer { status: 200, content_type, body: body.into() };
            let expected = expected.clone().map(|(value, deviations)| {
                let mut deviations: Vec<_> = deviations.iter().copied().chain(deviation).collect();
                deviations.sort_unstable();
                Taken { value, deviations }
            });
            assert_eq!(reader(&answer), expected, "{body} as {content_type:?}");
        }
    }

    /// What is wrong before the question even matters: the same for every reader.
    #[test]
    fn c_22_what_is_not_json() {
        let deep = format!(r#"{{"res": true, "x": {}{}}}"#, "[".repeat(127), "]".repeat(127));
        let unclosed = "[".repeat(60_000);
        for body in [
            "",
            " ",
            "no",
            "True",
            "NaN",
            r#"{"res": NaN}"#,
            r#"{"res": Infinity}"#,
            "{'res': true}",
            r#"{"res": true,}"#,
            r#"{"res": true"#,
            r#"{"res": true} x"#,
            r#"{"res": true}{"res": true}"#,
            r#"{"res": tru"#,
            r#"{"res": 03}"#,
            r#"{"res": +3}"#,
            r#"{"res": .5}"#,
            r#"{"res": 1e999}"#,
            r#"{"res": "\ud800"}"#,
            r#"{res: true}"#,
            "\u{feff}{\"res\": true}",
            "<html><body>true</body></html>",
            "{\"res\": \"a\nb\"}",
            "bucket",
            &deep,
            &unclosed,
        ] {
            check(boolean, body, Err(NOT_JSON));
            check(count, body, Err(NOT_JSON));
            check(state, body, Err(NOT_JSON));
            check(resource, body, Err(NOT_JSON));
            check(purchase, body, Err(NOT_JSON));
            check(text, body, Err(NOT_JSON));
            check(cards, body, Err(NOT_JSON));
        }
        for body in [&b"{\"res\": \"\xff\"}"[..], b"\xff", b"{\"res\": true}\0", b"\xfe\xff\0t"] {
            assert_eq!(text(&Answer::ok(body)), Err(NOT_JSON), "{body:?}");
        }
        let in_time = format!(r#"{{"res": true, "x": {}{}}}"#, "[".repeat(126), "]".repeat(126));
        check(boolean, &in_time, Ok((true, &[UnknownFields])));
    }

    #[test]
    fn c_12_boolean() {
        for (body, expected) in [
            (r#"{"res": true}"#, Ok((true, &[][..]))),
            (r#"{"res": false}"#, Ok((false, &[]))),
            (" { \"res\" :\ttrue }\r\n", Ok((true, &[]))),
            (r#"{"\u0072es": true}"#, Ok((true, &[]))),
            (r#"{"res": "true"}"#, Ok((true, &[BooleanAsText]))),
            (r#"{"res": "false"}"#, Ok((false, &[BooleanAsText]))),
            (r#"{"res": 1}"#, Ok((true, &[BooleanAsNumber]))),
            (r#"{"res": 0}"#, Ok((false, &[BooleanAsNumber]))),
            ("true", Ok((true, &[NoEnvelope]))),
            ("false", Ok((false, &[NoEnvelope]))),
            ("1", Ok((true, &[BooleanAsNumber, NoEnvelope]))),
            (r#""false""#, Ok((false, &[BooleanAsText, NoEnvelope]))),
            (r#"{"res": true, "why": "hungry"}"#, Ok((true, &[UnknownFields]))),
            (
                r#"{"a": 1, "res": "true", "a": [{"a": 1, "a": 2}]}"#,
                Ok((true, &[BooleanAsText, UnknownFields])),
            ),
            (r#"{"res": "True"}"#, Err(NOT_IT)),
            (r#"{"res": "TRUE"}"#, Err(NOT_IT)),
            (r#"{"res": " true"}"#, Err(NOT_IT)),
            (r#"{"res": "true "}"#, Err(NOT_IT)),
            (r#"{"res": ""}"#, Err(NOT_IT)),
            (r#"{"res": "yes"}"#, Err(NOT_IT)),
            (r#"{"res": "1"}"#, Err(NOT_IT)),
            (r#"{"res": "0"}"#, Err(NOT_IT)),
            (r#"{"res": 1.0}"#, Err(NOT_IT)),
            (r#"{"res": 0.0}"#, Err(NOT_IT)),
            (r#"{"res": 2}"#, Err(NOT_IT)),
            (r#"{"res": -1}"#, Err(NOT_IT)),
            (r#"{"res": -0}"#, Err(NOT_IT)),
            (r#"{"res": null}"#, Err(NOT_IT)),
            (r#"{"res": [true]}"#, Err(NOT_IT)),
            (r#"{"res": {"res": true}}"#, Err(NOT_IT)),
            (r#"{"res": true, "res": true}"#, Err(NOT_IT)),
            (r#"{"res": true, "res": false}"#, Err(NOT_IT)),
            (r#"{"Res": true}"#, Err(NOT_IT)),
            (r#"{"result": true}"#, Err(NOT_IT)),
            ("{}", Err(NOT_IT)),
            ("null", Err(NOT_IT)),
            ("[true]", Err(NOT_IT)),
        ] {
            check(boolean, body, expected);
        }
    }

    #[test]
    fn c_4_count() {
        for (body, expected) in [
            (r#"{"res": 3}"#, Ok((3, &[][..]))),
            (r#"{"res": 0}"#, Ok((0, &[]))),
            (r#"{"res": 18446744073709551615}"#, Ok((u64::MAX, &[]))),
            (r#"{"res": "3"}"#, Ok((3, &[NumberAsText]))),
            (r#"{"res": "0"}"#, Ok((0, &[NumberAsText]))),
            (r#"{"res": "18446744073709551615"}"#, Ok((u64::MAX, &[NumberAsText]))),
            (r#"{"res": 3.0}"#, Ok((3, &[NumberWithFraction]))),
            (r#"{"res": 3.00}"#, Ok((3, &[NumberWithFraction]))),
            (r#"{"res": 3e0}"#, Ok((3, &[NumberWithFraction]))),
            (r#"{"res": 0.0}"#, Ok((0, &[NumberWithFraction]))),
            (r#"{"res": 4294967295.0}"#, Ok((u64::from(u32::MAX), &[NumberWithFraction]))),
            ("3", Ok((3, &[NoEnvelope]))),
            ("3.0", Ok((3, &[NumberWithFraction, NoEnvelope]))),
            (r#""3""#, Ok((3, &[NumberAsText, NoEnvelope]))),
            (r#"{"res": 3, "kind": "engine"}"#, Ok((3, &[UnknownFields]))),
            (r#"{"x": 3, "res": "3"}"#, Ok((3, &[NumberAsText, UnknownFields]))),
            (r#"{"res": 4294967295.5}"#, Err(NOT_IT)),
            (r#"{"res": 4294967296.0}"#, Err(NOT_IT)),
            (r#"{"res": 9007199254740991.0}"#, Err(NOT_IT)),
            (r#"{"res": 18446744073709551616}"#, Err(NOT_IT)),
            (r#"{"res": "18446744073709551616"}"#, Err(NOT_IT)),
            (r#"{"res": 1e300}"#, Err(NOT_IT)),
            (r#"{"res": 3.5}"#, Err(NOT_IT)),
            (r#"{"res": -3}"#, Err(NOT_IT)),
            (r#"{"res": -3.0}"#, Err(NOT_IT)),
            (r#"{"res": -0}"#, Err(NOT_IT)),
            (r#"{"res": -0.0}"#, Err(NOT_IT)),
            (r#"{"res": "03"}"#, Err(NOT_IT)),
            (r#"{"res": "+3"}"#, Err(NOT_IT)),
            (r#"{"res": "-3"}"#, Err(NOT_IT)),
            (r#"{"res": " 3"}"#, Err(NOT_IT)),
            (r#"{"res": "3 "}"#, Err(NOT_IT)),
            (r#"{"res": "3.0"}"#, Err(NOT_IT)),
            (r#"{"res": "٣"}"#, Err(NOT_IT)),
            (r#"{"res": ""}"#, Err(NOT_IT)),
            (r#"{"res": true}"#, Err(NOT_IT)),
            (r#"{"res": null}"#, Err(NOT_IT)),
            (r#"{"res": [3]}"#, Err(NOT_IT)),
            (r#"{"res": 3, "res": 3}"#, Err(NOT_IT)),
            (r#"{"count": 3}"#, Err(NOT_IT)),
            ("{}", Err(NOT_IT)),
            ("[]", Err(NOT_IT)),
        ] {
            check(count, body, expected);
        }
    }

    #[test]
    fn c_1_resource_and_c_16_text() {
        for (body, expected) in [
            (r#"{"res": "bucket"}"#, Ok(("bucket", &[][..]))),
            (r#"{"res": "é \u00e9 \"/"}"#, Ok(("é é \"/", &[]))),
            (r#"{"res": "3"}"#, Ok(("3", &[]))),
            (r#""bucket""#, Ok(("bucket", &[NoEnvelope]))),
            (r#"{"res": "bucket", "region": "eu"}"#, Ok(("bucket", &[UnknownFields]))),
            (r#"{"res": 3}"#, Err(NOT_IT)),
            (r#"{"res": null}"#, Err(NOT_IT)),
            (r#"{"res": ["bucket"]}"#, Err(NOT_IT)),
            (r#"{"res": "a", "res": "b"}"#, Err(NOT_IT)),
            (r#"{"bucket": "bucket"}"#, Err(NOT_IT)),
            ("null", Err(NOT_IT)),
        ] {
            let expected = expected.map(|(value, deviations)| (value.to_owned(), deviations));
            check(resource, body, expected.clone());
            check(text, body, expected);
        }
        check(resource, r#"{"res": ""}"#, Err(NOT_IT));
        check(resource, r#""""#, Err(NOT_IT));
        check(text, r#"{"res": ""}"#, Ok((String::new(), &[])));
    }

    #[test]
    fn c_14_purchase() {
        use Kind::*;
        for (body, expected) in [
            (r#"{"res": "engine"}"#, Ok((Some(Engine), &[][..]))),
            (r#"{"res": "pilot"}"#, Ok((Some(Pilot), &[]))),
            (r#"{"res": "weapon"}"#, Ok((Some(Weapon), &[]))),
            (r#"{"res": "none"}"#, Ok((None, &[]))),
            (r#"{"res": null}"#, Ok((None, &[]))),
            ("{}", Ok((None, &[]))),
            (r#"{"res": "Engine"}"#, Ok((Some(Engine), &[KindInOtherCase]))),
            (r#"{"res": "PILOT"}"#, Ok((Some(Pilot), &[KindInOtherCase]))),
            (r#"{"res": "weaPon"}"#, Ok((Some(Weapon), &[KindInOtherCase]))),
            (r#"{"res": "None"}"#, Ok((None, &[KindInOtherCase]))),
            (r#""engine""#, Ok((Some(Engine), &[NoEnvelope]))),
            (r#""none""#, Ok((None, &[NoEnvelope]))),
            ("null", Ok((None, &[NoEnvelope]))),
            (r#""Engine""#, Ok((Some(Engine), &[NoEnvelope, KindInOtherCase]))),
            (r#"{"res": "engine", "max": 2}"#, Ok((Some(Engine), &[UnknownFields]))),
            (r#"{"error": "no money"}"#, Ok((None, &[UnknownFields]))),
            (r#"{"buy": 1, "res": "PILOT"}"#, Ok((Some(Pilot), &[KindInOtherCase, UnknownFields]))),
            (r#"{"res": ""}"#, Err(NOT_IT)),
            (r#"{"res": "engines"}"#, Err(NOT_IT)),
            (r#"{"res": " engine"}"#, Err(NOT_IT)),
            (r#"{"res": "null"}"#, Err(NOT_IT)),
            (r#"{"res": "turbo"}"#, Err(NOT_IT)),
            (r#"{"res": "eńgine"}"#, Err(NOT_IT)),
            (r#"{"res": false}"#, Err(NOT_IT)),
            (r#"{"res": 0}"#, Err(NOT_IT)),
            (r#"{"res": ["engine"]}"#, Err(NOT_IT)),
            (r#"{"res": {}}"#, Err(NOT_IT)),
            (r#"{"res": null, "res": "engine"}"#, Err(NOT_IT)),
            ("false", Err(NOT_IT)),
            ("[]", Err(NOT_IT)),
        ] {
            check(purchase, body, expected);
        }
    }

    #[test]
    fn c_5_state() {
        let it = CarState {
            name: "i-0abc".into(),
            square: 42,
            modules: Modules { engine: 3, pilot: 1, weapon: 2 },
        };
        for (body, expected) in [
            (
                r#"{"name": "i-0abc", "square": 42, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#,
                Ok(&[][..]),
            ),
            (
                r#"{"modules": {"weapon": 2, "pilot": 1, "engine": 3}, "square": 42, "name": "i-0abc"}"#,
                Ok(&[]),
            ),
            (
                r#"{"name": "i-0abc", "square": "42", "modules": {"engine": 3, "pilot": 1, "weapon": "2"}}"#,
                Ok(&[NumberAsText]),
            ),
            (
                r#"{"name": "i-0abc", "square": 42.0, "modules": {"engine": 3, "pilot": "1", "weapon": 2}}"#,
                Ok(&[NumberAsText, NumberWithFraction]),
            ),
            (
                r#"{"name": "i-0abc", "square": 42, "x": 1, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#,
                Ok(&[UnknownFields]),
            ),
            (
                r#"{"name": "i-0abc", "square": 42, "modules": {"engine": 3, "pilot": 1, "weapon": 2, "turbo": 1}}"#,
                Ok(&[UnknownFields]),
            ),
            // A state in an envelope is no deviation of the list (C-19).
            (
                r#"{"res": {"name": "i-0abc", "square": 42, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}}"#,
                Err(NOT_IT),
            ),
            (r#"{"name": 7, "square": 42, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#, Err(NOT_IT)),
            (
                r#"{"name": null, "square": 42, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#,
                Err(NOT_IT),
            ),
            (r#"{"square": 42, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#, Err(NOT_IT)),
            (r#"{"name": "i-0abc", "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#, Err(NOT_IT)),
            (r#"{"name": "i-0abc", "square": 42}"#, Err(NOT_IT)),
            (r#"{"name": "i-0abc", "square": 42, "modules": {"engine": 3, "pilot": 1}}"#, Err(NOT_IT)),
            (
                r#"{"name": "i-0abc", "square": 42, "modules": {"Engine": 3, "pilot": 1, "weapon": 2}}"#,
                Err(NOT_IT),
            ),
            (r#"{"name": "i-0abc", "square": 42, "modules": [3, 1, 2]}"#, Err(NOT_IT)),
            (
                r#"{"name": "i-0abc", "square": -1, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#,
                Err(NOT_IT),
            ),
            (
                r#"{"name": "i-0abc", "square": 42, "modules": {"engine": 3.5, "pilot": 1, "weapon": 2}}"#,
                Err(NOT_IT),
            ),
            (
                r#"{"name": "i-0abc", "square": 42, "square": 42, "modules": {"engine": 3, "pilot": 1, "weapon": 2}}"#,
                Err(NOT_IT),
            ),
            (
                r#"{"name": "i-0abc", "square": 42, "modules": {"pilot": 1, "engine": 3, "pilot": 1, "weapon": 2}}"#,
                Err(NOT_IT),
            ),
            (r#""i-0abc""#, Err(NOT_IT)),
            (r#"["i-0abc", 42, {"engine": 3, "pilot": 1, "weapon": 2}]"#, Err(NOT_IT)),
            ("{}", Err(NOT_IT)),
            ("null", Err(NOT_IT)),
        ] {
            check(state, body, expected.map(|deviations: &[Deviation]| (it.clone(), deviations)));
        }
    }

    #[test]
    fn a_2_cards() {
        for (body, expected) in [
            (r#"{"res": [1]}"#, Ok((vec![1], &[][..]))),
            (r#"{"res": [1, 4, 4, 4]}"#, Ok((vec![1, 4, 4, 4], &[]))),
            (r#"{"res": []}"#, Ok((vec![], &[]))),
            (r#"{"res": [0, 6, 255]}"#, Ok((vec![0, 6, 255], &[]))),
            ("[1]", Ok((vec![1], &[NoEnvelope]))),
            ("[]", Ok((vec![], &[NoEnvelope]))),
            (r#"{"res": ["1", 4]}"#, Ok((vec![1, 4], &[NumberAsText]))),
            (r#"{"res": [1, 4.0]}"#, Ok((vec![1, 4], &[NumberWithFraction]))),
            (r#"["1", 4.0]"#, Ok((vec![1, 4], &[NumberAsText, NumberWithFraction, NoEnvelope]))),
            (r#"{"res": [1], "debug": [2]}"#, Ok((vec![1], &[UnknownFields]))),
            (r#"{"res": [256]}"#, Err(NOT_IT)),
            (r#"{"res": [-1]}"#, Err(NOT_IT)),
            (r#"{"res": [1.5]}"#, Err(NOT_IT)),
            (r#"{"res": [true]}"#, Err(NOT_IT)),
            (r#"{"res": [null]}"#, Err(NOT_IT)),
            (r#"{"res": [[1]]}"#, Err(NOT_IT)),
            (r#"{"res": 1}"#, Err(NOT_IT)),
            (r#"{"res": "[1]"}"#, Err(NOT_IT)),
            (r#"{"res": "1,4"}"#, Err(NOT_IT)),
            (r#"{"res": null}"#, Err(NOT_IT)),
            (r#"{"res": [1], "res": [2]}"#, Err(NOT_IT)),
            ("1", Err(NOT_IT)),
            ("{}", Err(NOT_IT)),
        ] {
            check(cards, body, expected);
        }
    }

    /// The status is the caller's business: a reader reads the body alone.
    #[test]
    fn c_22_the_status_is_not_looked_at() {
        let answer = Answer { status: 500, ..Answer::ok(r#"{"res": 3}"#) };
        assert_eq!(count(&answer), Ok(Taken { value: 3, deviations: vec![] }));
    }

    /// What no JSON holds is not taken for it; serde asks for the words.
    #[test]
    fn c_22_bytes_are_not_json() {
        let bytes = serde::de::value::BytesDeserializer::<serde::de::value::Error>::new(b"x");
        let error = Json::deserialize(bytes).unwrap_err();
        assert_eq!(error.to_string(), "invalid type: byte array, expected JSON");
    }

    #[test]
    fn c_22_each_deviation_has_words_of_its_own() {
        let all = [
            (BooleanAsText, "a boolean as a JSON string"),
            (NumberAsText, "a whole number as a JSON string"),
            (BooleanAsNumber, "0 or 1 for a boolean"),
            (NumberWithFraction, "a whole number with a fraction of zero"),
            (NoEnvelope, "the bare value without {\"res\": …}"),
            (KindInOtherCase, "a kind of module in another case"),
            (ContentTypeMissing, "no content type"),
            (ContentTypeOther, "another content type than application/json"),
            (UnknownFields, "unknown extra fields"),
        ];
        assert!(all.is_sorted_by_key(|(deviation, _)| *deviation));
        for (deviation, words) in all {
            assert_eq!(deviation.to_string(), words);
        }
    }

    fn canonical<T: Serialize>(res: T) -> Answer {
        Answer::ok(serde_json::to_vec(&Envelope { res }).unwrap())
    }

    proptest! {
        /// Whatever a car sends, it is read or refused.
        #[test]
        fn c_22_no_bytes_bring_a_reader_down(
            body in prop_oneof![
                prop::collection::vec(any::<u8>(), 0..200),
                "[\\[\\]{}:,\"res0-9.eE+\\-tru ]{0,60}".prop_map(String::into_bytes),
                "\\{\"(res|name)\": ?(\\[|\")?[a-z0-9.\\-]{0,12}(\\]|\")?\\}".prop_map(String::into_bytes),
            ],
        ) {
            let answer = Answer::ok(body);
            _ = resource(&answer);
            _ = count(&answer);
            _ = state(&answer);
            _ = boolean(&answer);
            _ = purchase(&answer);
            _ = text(&answer);
            _ = cards(&answer);
        }

        /// What the contract asks for is taken without a word.
        #[test]
        fn c_22_canonical_answers_have_no_deviation(
            name in ".{1,40}",
            [number, square, engine, pilot, weapon] in any::<[u64; 5]>(),
            yes in any::<bool>(),
            kind in prop::sample::select(vec![None, Some(Kind::Engine), Some(Kind::Pilot), Some(Kind::Weapon)]),
            played in prop::collection::vec(any::<u8>(), 0..25),
        ) {
            prop_assert_eq!(resource(&canonical(&name)), Ok(plain(name.clone())));
            prop_assert_eq!(text(&canonical(&name)), Ok(plain(name.clone())));
            prop_assert_eq!(count(&canonical(number)), Ok(plain(number)));
            prop_assert_eq!(boolean(&canonical(yes)), Ok(plain(yes)));
            prop_assert_eq!(purchase(&canonical(kind)), Ok(plain(kind)));
            prop_assert_eq!(purchase(&canonical(kind.map_or("none", Kind::word))), Ok(plain(kind)));
            prop_assert_eq!(cards(&canonical(&played)), Ok(plain(played.clone())));
            let it = CarState { name, square, modules: Modules { engine, pilot, weapon } };
            prop_assert_eq!(state(&Answer::ok(json!(it).to_string())), Ok(plain(it)));
        }
    }

    fn plain<T>(value: T) -> Taken<T> {
        Taken { value, deviations: vec![] }
    }
}

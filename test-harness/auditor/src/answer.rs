//! C-19 to C-22: what an answer says, read tolerantly, and what was tolerated in it.
//!
//! ```text
//! {"res": "3"} to a question for a number: 3, and a whole number as a JSON string was tolerated
//! ```

use crate::record::{Answer, Body, ContentType, Outcome};
use crate::word::{Deviation, Fault, Kind, Modules};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// A value with what was tolerated, or what is wrong.
pub(crate) type Reply<T> = Result<(T, Vec<Deviation>), Fault>;

/// The greatest whole number that is taken with a fraction of zero.
const MOST_WITH_FRACTION: f64 = 4_294_967_295.0;

/// What a car says of itself (C-5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) name: String,
    pub(crate) square: u64,
    pub(crate) modules: Modules,
}

/// C-4.
pub(crate) fn count(outcome: &Outcome) -> Reply<u64> {
    read(outcome, |json, seen| value(json, seen)?.whole(seen))
}

/// C-12, C-13, C-15.
pub(crate) fn yes_or_no(outcome: &Outcome) -> Reply<bool> {
    read(outcome, |json, seen| {
        let (yes, deviation) = match value(json, seen)? {
            Json::Bool(yes) => return Ok(yes),
            Json::Whole(0) => (false, Deviation::BooleanAsNumber),
            Json::Whole(1) => (true, Deviation::BooleanAsNumber),
            Json::Text(text) if text == "true" => (true, Deviation::BooleanAsText),
            Json::Text(text) if text == "false" => (false, Deviation::BooleanAsText),
            _ => return Err(Fault::NotTheValue),
        };
        seen.insert(deviation);
        Ok(yes)
    })
}

/// C-1, C-2, C-3.
pub(crate) fn resource(outcome: &Outcome) -> Reply<String> {
    read(outcome, |json, seen| match value(json, seen)? {
        Json::Text(name) if !name.is_empty() => Ok(name),
        _ => Err(Fault::NotTheValue),
    })
}

/// C-16. What counts as a URL that a duel can be played with, only roughly: it has a host.
pub(crate) fn duel_url(outcome: &Outcome) -> Reply<String> {
    read(outcome, |json, seen| match value(json, seen)? {
        Json::Text(url) if is_url(&url) => Ok(url),
        _ => Err(Fault::NotTheValue),
    })
}

fn is_url(url: &str) -> bool {
    let lower = url.trim().to_ascii_lowercase();
    let rest = lower.strip_prefix("http://").or_else(|| lower.strip_prefix("https://"));
    rest.is_some_and(|rest| {
        !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':']) && !rest.contains(' ')
    })
}

/// C-14: a kind, or nothing.
pub(crate) fn purchase(outcome: &Outcome) -> Reply<Option<Kind>> {
    read(outcome, |json, seen| {
        let text = match envelope(json, seen)? {
            None | Some(Json::Null) => return Ok(None),
            Some(Json::Text(text)) => text,
            Some(_) => return Err(Fault::NotTheValue),
        };
        let (kind, word) = [Some(Kind::Engine), Some(Kind::Pilot), Some(Kind::Weapon), None]
            .map(|kind| (kind, kind.map_or("none", Kind::word)))
            .into_iter()
            .find(|(_, word)| word.eq_ignore_ascii_case(&text))
            .ok_or(Fault::NotTheValue)?;
        if word != text {
            seen.insert(Deviation::KindInOtherCase);
        }
        Ok(kind)
    })
}

/// C-5.
pub(crate) fn state(outcome: &Outcome) -> Reply<State> {
    read(outcome, |json, seen| {
        let [name, square, modules] = fields(json, ["name", "square", "modules"], seen)?;
        let modules = fields(modules.ok_or(Fault::NotTheValue)?, ["engine", "pilot", "weapon"], seen)?;
        let mut count = Modules::default();
        for (kind, said) in Kind::ALL.into_iter().zip(modules) {
            count.set(kind, said.ok_or(Fault::NotTheValue)?.whole(seen)?);
        }
        let Some(Json::Text(name)) = name else { return Err(Fault::NotTheValue) };
        let square = square.ok_or(Fault::NotTheValue)?.whole(seen)?;
        Ok(State { name, square, modules: count })
    })
}

/// A-2.
pub(crate) fn cards(outcome: &Outcome) -> Reply<Vec<u8>> {
    read(outcome, |json, seen| {
        let Json::List(cards) = value(json, seen)? else { return Err(Fault::NotTheValue) };
        let mut played = Vec::with_capacity(cards.len());
        for card in cards {
            played.push(u8::try_from(card.whole(seen)?).map_err(|_| Fault::NotTheValue)?);
        }
        Ok(played)
    })
}

fn read<T>(
    outcome: &Outcome,
    value: impl FnOnce(Json, &mut BTreeSet<Deviation>) -> Result<T, Fault>,
) -> Reply<T> {
    let Answer { status, content_type, body } = match outcome {
        Outcome::Answer(answer) => answer,
        Outcome::Fault(fault) => return Err(*fault),
        _ => return Err(Fault::Broken),
    };
    if *status != 200 {
        return Err(Fault::Status(*status));
    }
    let Body::Text(text) = body else { return Err(Fault::NotJson) };
    let json: Json = serde_json::from_str(text).map_err(|_| Fault::NotJson)?;
    let mut seen = BTreeSet::new();
    match content_type {
        ContentType::Json => {}
        ContentType::Other => _ = seen.insert(Deviation::ContentTypeOther),
        ContentType::Missing => _ = seen.insert(Deviation::ContentTypeMissing),
    }
    let value = value(json, &mut seen)?;
    Ok((value, seen.into_iter().collect()))
}

/// What is in the envelope, or the bare value.
fn envelope(json: Json, seen: &mut BTreeSet<Deviation>) -> Result<Option<Json>, Fault> {
    if let Json::Object(_) = json {
        let [res] = fields(json, ["res"], seen)?;
        return Ok(res);
    }
    seen.insert(Deviation::NoEnvelope);
    Ok(Some(json))
}

fn value(json: Json, seen: &mut BTreeSet<Deviation>) -> Result<Json, Fault> {
    envelope(json, seen)?.ok_or(Fault::NotTheValue)
}

/// The fields asked for, each at most once.
fn fields<const N: usize>(
    json: Json,
    names: [&str; N],
    seen: &mut BTreeSet<Deviation>,
) -> Result<[Option<Json>; N], Fault> {
    let Json::Object(members) = json else { return Err(Fault::NotTheValue) };
    let mut found = [const { None }; N];
    for (name, member) in members {
        let Some(at) = names.iter().position(|known| *known == name) else {
            seen.insert(Deviation::UnknownFields);
            continue;
        };
        if found[at].replace(member).is_some() {
            return Err(Fault::NotTheValue);
        }
    }
    Ok(found)
}

/// JSON in which a field may come twice.
#[derive(Debug)]
enum Json {
    Null,
    Bool(bool),
    Whole(u64),
    Fraction(f64),
    Negative,
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    fn whole(self, seen: &mut BTreeSet<Deviation>) -> Result<u64, Fault> {
        match self {
            Json::Whole(number) => Ok(number),
            Json::Fraction(number)
                if number.is_sign_positive() && number.fract() == 0.0 && number <= MOST_WITH_FRACTION =>
            {
                seen.insert(Deviation::NumberWithFraction);
                Ok(number as u64)
            }
            Json::Text(text) => {
                let number: u64 = text.parse().map_err(|_| Fault::NotTheValue)?;
                if number.to_string() != text {
                    return Err(Fault::NotTheValue);
                }
                seen.insert(Deviation::NumberAsText);
                Ok(number)
            }
            _ => Err(Fault::NotTheValue),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, yes: bool) -> Result<Json, E> {
                Ok(Json::Bool(yes))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
                Ok(Json::Whole(number))
            }
            fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
                Ok(Json::Negative)
            }
            fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
                Ok(Json::Fraction(number))
            }
            fn visit_str<E>(self, text: &str) -> Result<Json, E> {
                Ok(Json::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = seq.next_element()? {
                    list.push(item);
                }
                Ok(Json::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Json::Object(members))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Outcome {
        let body = Body::Text(body.to_owned());
        Outcome::Answer(Answer { status: 200, content_type: ContentType::Json, body })
    }

    /// C-22: what is taken for a number, and what is not.
    #[test]
    fn c_22_numbers() {
        for (body, expected) in [
            (r#"{"res":3}"#, Ok((3, vec![]))),
            ("3", Ok((3, vec![Deviation::NoEnvelope]))),
            (r#"{"res":"3"}"#, Ok((3, vec![Deviation::NumberAsText]))),
            (r#"{"res":3.0}"#, Ok((3, vec![Deviation::NumberWithFraction]))),
            (r#"{"res":3,"x":1}"#, Ok((3, vec![Deviation::UnknownFields]))),
            (r#"{"res":"03"}"#, Err(Fault::NotTheValue)),
            (r#"{"res":3,"res":3}"#, Err(Fault::NotTheValue)),
            (r#"{"res":-3}"#, Err(Fault::NotTheValue)),
            (r#"{"res":3.5}"#, Err(Fault::NotTheValue)),
            (r#"{"res":4294967295.0}"#, Ok((4_294_967_295, vec![Deviation::NumberWithFraction]))),
            (r#"{"res":4294967296.0}"#, Err(Fault::NotTheValue)),
            (r#"{"res":-0.0}"#, Err(Fault::NotTheValue)),
            (r#"{"res":18446744073709551615}"#, Ok((u64::MAX, vec![]))),
            (r#"{"res":true}"#, Err(Fault::NotTheValue)),
            ("{}", Err(Fault::NotTheValue)),
            ("three", Err(Fault::NotJson)),
        ] {
            assert_eq!(count(&answer(body)), expected, "{body}");
        }
    }

    /// C-22: what is taken for a yes or a no.
    #[test]
    fn c_22_yes_or_no() {
        for (body, expected) in [
            (r#"{"res":true}"#, Ok((true, vec![]))),
            (r#"{"res":false}"#, Ok((false, vec![]))),
            (r#"{"res":0}"#, Ok((false, vec![Deviation::BooleanAsNumber]))),
            (r#"{"res":1}"#, Ok((true, vec![Deviation::BooleanAsNumber]))),
            (r#"{"res":"false"}"#, Ok((false, vec![Deviation::BooleanAsText]))),
            (r#"{"res":"true"}"#, Ok((true, vec![Deviation::BooleanAsText]))),
            (r#"{"res":"1"}"#, Err(Fault::NotTheValue)),
            (r#"{"res":2}"#, Err(Fault::NotTheValue)),
            (r#"{"res":1.0}"#, Err(Fault::NotTheValue)),
        ] {
            assert_eq!(yes_or_no(&answer(body)), expected, "{body}");
        }
    }

    /// C-14: what is taken for a purchase.
    #[test]
    fn c_14_purchases() {
        for (body, expected) in [
            (r#"{"res":"engine"}"#, Ok((Some(Kind::Engine), vec![]))),
            (r#"{"res":"Pilot"}"#, Ok((Some(Kind::Pilot), vec![Deviation::KindInOtherCase]))),
            (r#"{"res":"none"}"#, Ok((None, vec![]))),
            (r#"{"res":null}"#, Ok((None, vec![]))),
            ("{}", Ok((None, vec![]))),
            ("null", Ok((None, vec![Deviation::NoEnvelope]))),
            (r#"{"res":"wheel"}"#, Err(Fault::NotTheValue)),
        ] {
            assert_eq!(purchase(&answer(body)), expected, "{body}");
        }
    }

    /// C-5, C-19: a state has no envelope.
    #[test]
    fn c_5_a_state() {
        let body = r#"{"name":"a","square":"7","modules":{"engine":1,"pilot":2,"weapon":3}}"#;
        let (found, deviations) = state(&answer(body)).expect("it is a state");
        assert_eq!((found.square, found.modules.weapon), (7, 3));
        assert_eq!(deviations, [Deviation::NumberAsText]);
        assert_eq!(state(&answer(&format!(r#"{{"res":{body}}}"#))), Err(Fault::NotTheValue));
    }

    /// C-1, C-16: names, and what is a URL.
    #[test]
    fn c_16_names_and_urls() {
        let texts = |body: &str| (resource(&answer(body)).is_ok(), duel_url(&answer(body)).is_ok());
        for (body, expected) in [
            (r#"{"res":"bucket"}"#, (true, false)),
            (r#"{"res":"http://ai/action?x=1"}"#, (true, true)),
            (r#"{"res":" HTTPS://ai "}"#, (true, true)),
            (r#"{"res":"ftp://ai"}"#, (true, false)),
            (r#"{"res":"http://"}"#, (true, false)),
            (r#"{"res":"http:///action"}"#, (true, false)),
            (r#"{"res":"http://:80"}"#, (true, false)),
            (r#"{"res":"http://a i"}"#, (true, false)),
            (r#"{"res":""}"#, (false, false)),
            (r#"{"res":7}"#, (false, false)),
            (r#"{"res":null}"#, (false, false)),
        ] {
            assert_eq!(texts(body), expected, "{body}");
        }
    }

    /// A-2: cards are numbers, in a list.
    #[test]
    fn a_2_cards() {
        for (body, expected) in [
            (r#"{"res":[5,1]}"#, Ok((vec![5, 1], vec![]))),
            (r#"{"res":[]}"#, Ok((vec![], vec![]))),
            ("[5]", Ok((vec![5], vec![Deviation::NoEnvelope]))),
            (
                r#"{"res":["5",1.0]}"#,
                Ok((vec![5, 1], vec![Deviation::NumberAsText, Deviation::NumberWithFraction])),
            ),
            (r#"{"res":[255]}"#, Ok((vec![255], vec![]))),
            (r#"{"res":[256]}"#, Err(Fault::NotTheValue)),
            (r#"{"res":[true]}"#, Err(Fault::NotTheValue)),
            (r#"{"res":5}"#, Err(Fault::NotTheValue)),
        ] {
            let found = cards(&answer(body)).map(|(cards, mut seen)| {
                seen.sort();
                (cards, seen)
            });
            assert_eq!(found, expected, "{body}");
        }
    }

    /// C-21, C-22: the status is 200, the body is text, and the content type matters to nobody.
    #[test]
    fn c_21_statuses_and_bodies() {
        let said = |status, content_type| {
            let body = Body::Text(r#"{"res":3}"#.to_owned());
            count(&Outcome::Answer(Answer { status, content_type, body }))
        };
        assert_eq!(said(200, ContentType::Json), Ok((3, vec![])));
        assert_eq!(said(200, ContentType::Other), Ok((3, vec![Deviation::ContentTypeOther])));
        assert_eq!(said(200, ContentType::Missing), Ok((3, vec![Deviation::ContentTypeMissing])));
        for status in [199, 201, 204, 302, 404, 500] {
            assert_eq!(said(status, ContentType::Json), Err(Fault::Status(status)));
        }
        assert_eq!(count(&Outcome::Fault(Fault::Late)), Err(Fault::Late));
    }
}

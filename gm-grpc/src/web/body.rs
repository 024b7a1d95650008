//! The body of a request: JSON, within a bound and a time, with nothing in it that is not known.
//!
//! ```text
//! {"url": "http://…", "wepons": 3}   ──▶ wepons: is not known here; did you mean `weapons`?
//! {"url": "http://…", "weapons": -3} ──▶ weapons: invalid value: integer `-3`, expected u32 at line 1 column 33
//! ```

use super::problem::HttpError;
use crate::api::error::ApiError;
use crate::api::field::Fields;
use axum::extract::{FromRequest, Request};
use http::HeaderMap;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::time::timeout;

/// The largest body that is read, in bytes.
pub const MOST_BODY: usize = 64 * 1024;
/// How long a body may take to come.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How much of a name that is not known is said again.
const LONGEST_QUOTE: usize = 40;

/// What a body may be.
pub(super) trait Known: DeserializeOwned {
    /// Its fields.
    const FIELDS: &'static [&'static str];
}

/// The body of a request.
pub(super) struct Sent<T>(pub(super) T);

impl<S: Send + Sync, T: Known> FromRequest<S> for Sent<T> {
    type Rejection = HttpError;

    async fn from_request(request: Request, _: &S) -> Result<Sent<T>, HttpError> {
        let (parts, body) = request.into_parts();
        if announced(&parts.headers).is_some_and(|bytes| bytes > MOST_BODY as u64) {
            return Err(HttpError::TooLarge);
        }
        if !says_json(&parts.headers) {
            return Err(HttpError::OtherMediaType);
        }
        let read = timeout(PATIENCE, Limited::new(body, MOST_BODY).collect()).await;
        let bytes = match read {
            Err(_) => return Err(HttpError::TooSlow),
            Ok(Err(error)) if error.is::<LengthLimitError>() => return Err(HttpError::TooLarge),
            Ok(Err(_)) => return Err(HttpError::BrokenOff),
            Ok(Ok(body)) => body.to_bytes(),
        };
        read_json(&bytes).map(Sent)
    }
}

fn announced(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether it is said to be JSON. A charset is not looked at: there is only one.
fn says_json(headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|said| said.to_str().ok()).unwrap_or_default();
    let media_type = said.split(';').next().unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

fn read_json<T: Known>(bytes: &[u8]) -> Result<T, HttpError> {
    let whole: Value =
        serde_json::from_slice(bytes).map_err(|error| HttpError::NotJson(error.to_string()))?;
    let Value::Object(members) = whole else {
        return Err(HttpError::NotJson("it must be an object, {…}".to_owned()));
    };
    let mut fields = Fields::default();
    not_known(&members, T::FIELDS, &mut fields);
    fields.finish(Some(()))?;
    let mut text = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut text).map_err(|error| {
        let path = error.path().to_string();
        let field = if path == "." { "body".to_owned() } else { path };
        ApiError::field(field, error.inner().to_string()).into()
    })
}

fn not_known(members: &Map<String, Value>, known: &[&'static str], fields: &mut Fields) {
    for name in members.keys().filter(|name| !known.contains(&name.as_str())) {
        fields.wrong(&quoted(name), unknown(name, known));
    }
}

/// A name that somebody sent, as it is said again.
pub(super) fn quoted(name: &str) -> String {
    let short: String = name
        .chars()
        .take(LONGEST_QUOTE)
        .map(|char| if char.is_control() { '\u{fffd}' } else { char })
        .collect();
    if short.len() < name.len() { format!("{short}…") } else { short }
}

/// What is said of a name that is none of the known ones.
pub(super) fn unknown(name: &str, known: &[&'static str]) -> String {
    // Of a long name none is the nearest, and it would take long to find that out.
    let near = if name.chars().count() > LONGEST_QUOTE { None } else { nearest(name, known) };
    match (near, known) {
        (Some(near), _) => format!("is not known here; did you mean `{near}`?"),
        (None, []) => "is not known here: there are none".to_owned(),
        (None, known) => format!("is not known here; there are {}", known.join(", ")),
    }
}

fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let distances = known.iter().map(|known| (strsim::damerau_levenshtein(name, known), *known));
    let (distance, nearest) = distances.min()?;
    (distance <= 1 + name.chars().count() / 4).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Duel {
        url: String,
        weapons: Option<u32>,
    }

    impl Known for Duel {
        const FIELDS: &'static [&'static str] = &["url", "weapons"];
    }

    #[track_caller]
    fn check(body: &[u8], expected: &str) {
        let read = read_json::<Duel>(body);
        let words = match read {
            Ok(duel) => format!("{} {:?}", duel.url, duel.weapons),
            Err(error) => error.to_string(),
        };
        assert_eq!(words, expected, "{}", String::from_utf8_lossy(body));
    }

    #[test]
    fn bodies() {
        check(br#"{"url": "u", "weapons": 3}"#, "u Some(3)");
        check(br#" {"weapons": null, "url": "u"} "#, "u None");
        check(br#"{"url": "u", "wepons": 3}"#, "wepons: is not known here; did you mean `weapons`?");
        check(br#"{"url": "u", "seed": 3}"#, "seed: is not known here; there are url, weapons");
        check(br#"{"weapons": 3}"#, "body: missing field `url` at line 1 column 14");
        check(
            br#"{"url": "u", "weapons": -3}"#,
            "weapons: invalid value: integer `-3`, expected u32 at line 1 column 26",
        );
        check(
            br#"{"url": "u", "weapons": 1.5}"#,
            "weapons: invalid type: floating point `1.5`, expected u32 at line 1 column 27",
        );
        check(br#"{"url": "a", "url": "b"}"#, "body: duplicate field `url` at line 1 column 18");
        check(br#"["u", 3]"#, "the body is not JSON: it must be an object, {…}");
        check(b"", "the body is not JSON: EOF while parsing a value at line 1 column 0");
        check(br#"{"url": "u"} {}"#, "the body is not JSON: trailing characters at line 1 column 14");
        check(b"{\"url\": \"\xff\"}", "the body is not JSON: invalid unicode code point at line 1 column 10");
        let deep = [b"{\"url\":".as_slice(), &[b'['; 1_000]].concat();
        check(&deep, "the body is not JSON: recursion limit exceeded at line 1 column 134");
        let long = format!("{{\"{}\": 1}}", "x".repeat(10_000));
        let expected = format!("{}…: is not known here; there are url, weapons", "x".repeat(40));
        check(long.as_bytes(), &expected);
    }
}

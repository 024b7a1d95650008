//! An HTTP request becomes one of C-1 to C-16, or is refused with a reason: strict in what is taken.
//!
//! ```
//! use car_reference::request::read;
//! use gm_core::{contract::CarRequest, ids::Square};
//! assert_eq!(read("PATCH", "/state", br#"{"square": 42}"#), Ok(CarRequest::SetSquare(Square(42))));
//! assert_eq!(read("PATCH", "/state", b"42").unwrap_err().status, 422);
//! ```

use crate::car::Said;
use gm_core::contract::car::{CountBody, NameBody, SquareBody};
use gm_core::contract::{CarRequest, Kind};
use gm_core::ids::TeamId;
use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

/// The longest name of a module that is taken, in bytes: as long as a key of S3 can be.
pub const MAX_NAME: usize = 1024;

/// Reads a request: its method, its path with the query, its body.
///
/// # Errors
/// What to say to a request that is not in the contract: 404, 405 or 422, with the reason.
pub fn read(method: &str, path: &str, body: &[u8]) -> Result<CarRequest, Said> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let segments: Vec<&str> = path.strip_prefix('/').unwrap_or(path).split('/').collect();
    let only = |allowed: &str| Said::error(405, format!("{method} is not for {path}, which takes {allowed}"));
    let nowhere = || Said::error(404, format!("there is no {path} in the contract"));
    match segments[..] {
        ["state"] => match method {
            "GET" => Ok(CarRequest::State),
            "PATCH" => Ok(CarRequest::SetSquare(parse::<SquareBody>(body)?.square)),
            "DELETE" => Ok(CarRequest::Retire),
            _ => Err(only("GET, PATCH, DELETE")),
        },
        ["state", "position"] => match method {
            "PUT" => Ok(CarRequest::SetPosition(parse::<SquareBody>(body)?.square)),
            _ => Err(only("PUT")),
        },
        ["event", "wreck"] => match method {
            "GET" => Ok(CarRequest::Wreck),
            _ => Err(only("GET")),
        },
        ["event", "mine"] => match method {
            "GET" => Ok(CarRequest::Mine),
            _ => Err(only("GET")),
        },
        ["event", "garage"] => match method {
            "POST" => Ok(CarRequest::Garage(parse(body)?)),
            _ => Err(only("POST")),
        },
        ["fight", "shouldfight"] => match method {
            "GET" => Ok(CarRequest::ShouldFight(team(query)?)),
            _ => Err(only("GET")),
        },
        ["fight", "iaurl"] => match method {
            "GET" => Ok(CarRequest::DuelUrl),
            _ => Err(only("GET")),
        },
        [word] => {
            let kind = kind(word).ok_or_else(nowhere)?;
            match method {
                "GET" => Ok(CarRequest::Resource(kind)),
                "PATCH" => Ok(CarRequest::SetCount { kind, count: parse::<CountBody>(body)?.count }),
                "POST" => match parse::<NameBody>(body)?.name {
                    name if name.is_empty() => Err(Said::error(422, "a module's name is not empty")),
                    name => Ok(CarRequest::Gain { kind, name: short(name)? }),
                },
                _ => Err(only("GET, PATCH, POST")),
            }
        }
        [word, segment] => {
            let kind = kind(word).ok_or_else(nowhere)?;
            match method {
                "GET" if segment == "count" => Ok(CarRequest::Count(kind)),
                // A module may be called `count`, too.
                "DELETE" => Ok(CarRequest::Lose { kind, name: short(decode(segment)?)? }),
                _ if segment == "count" => Err(only("GET, DELETE")),
                _ => Err(only("DELETE")),
            }
        }
        _ => Err(nowhere()),
    }
}

fn kind(word: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.word() == word)
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Said> {
    // serde would also take a list of the fields' values.
    if !body.trim_ascii_start().starts_with(b"{") {
        return Err(Said::error(422, "the body is not a JSON object"));
    }
    serde_json::from_slice(body).map_err(|error| Said::error(422, format!("the body is wrong: {error}")))
}

/// A name of the path (C-11).
fn decode(segment: &str) -> Result<String, Said> {
    match percent_decode_str(segment).decode_utf8() {
        Ok(name) => Ok(name.into_owned()),
        Err(_) => Err(Said::error(422, "a module's name is UTF-8, percent-encoded")),
    }
}

fn short(name: String) -> Result<String, Said> {
    if name.len() <= MAX_NAME {
        Ok(name)
    } else {
        Err(Said::error(422, format!("a module's name is at most {MAX_NAME} bytes long")))
    }
}

/// The team of `?id=7` (C-15).
fn team(query: &str) -> Result<TeamId, Said> {
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("id="))
        .and_then(|id| id.parse().ok())
        .map(TeamId)
        .ok_or_else(|| Said::error(422, "it takes a team's number: /fight/shouldfight?id=7"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::contract::Prices;
    use gm_core::ids::Square;
    use proptest::prelude::*;

    #[test]
    fn c_1_to_16_what_is_refused() {
        let long = format!(r#"{{"name": "{}"}}"#, "x".repeat(MAX_NAME + 1));
        let long_path = format!("/engine/{}", "x".repeat(MAX_NAME + 1));
        for (method, path, body, status, reason) in [
            ("GET", "/", "", 404, "there is no / in the contract"),
            ("GET", "", "", 404, "there is no"),
            ("GET", "/engines", "", 404, "there is no /engines in the contract"),
            ("GET", "/Engine", "", 404, "there is no"),
            ("GET", "/engine/count/", "", 404, "there is no"),
            ("GET", "/state/", "", 404, "there is no"),
            ("GET", "//state", "", 404, "there is no"),
            ("GET", "/turbo/count", "", 404, "there is no"),
            ("DELETE", "/turbo/x", "", 404, "there is no"),
            ("DELETE", "/engine/a/b", "", 404, "there is no"),
            ("GET", "/event/pirates", "", 404, "there is no"),
            ("GET", "/fight", "", 404, "there is no"),
            ("PUT", "/state", "", 405, "PUT is not for /state, which takes GET, PATCH, DELETE"),
            ("HEAD", "/state", "", 405, "takes GET, PATCH, DELETE"),
            ("GET", "/state/position", "", 405, "takes PUT"),
            ("POST", "/event/wreck", "", 405, "takes GET"),
            ("POST", "/event/mine", "", 405, "takes GET"),
            ("GET", "/event/garage", "", 405, "takes POST"),
            ("POST", "/fight/shouldfight?id=7", "", 405, "takes GET"),
            ("POST", "/fight/iaurl", "", 405, "takes GET"),
            ("DELETE", "/engine", "", 405, "takes GET, PATCH, POST"),
            ("PUT", "/engine/count", "", 405, "takes GET, DELETE"),
            ("GET", "/engine/x", "", 405, "takes DELETE"),
            ("PATCH", "/state", "", 422, "the body is not a JSON object"),
            ("PATCH", "/state", "42", 422, "the body is not a JSON object"),
            ("PATCH", "/state", "[42]", 422, "the body is not a JSON object"),
            ("PATCH", "/state", "{", 422, "the body is wrong: EOF"),
            ("PATCH", "/state", "{}", 422, "missing field `square`"),
            ("PATCH", "/state", r#"{"square": -1}"#, 422, "invalid value: integer `-1`"),
            ("PATCH", "/state", r#"{"square": "42"}"#, 422, "invalid type: string"),
            ("PATCH", "/state", r#"{"square": 42.0}"#, 422, "invalid type: floating point"),
            ("PATCH", "/state", r#"{"square": null}"#, 422, "invalid type: null"),
            ("PATCH", "/state", r#"{"square": 4294967296}"#, 422, "invalid value: integer"),
            ("PATCH", "/state", r#"{"square": 1, "square": 1}"#, 422, "duplicate field `square`"),
            ("PATCH", "/state", r#"{"square": 1} x"#, 422, "trailing characters"),
            ("PUT", "/state/position", r#"{"position": 1}"#, 422, "missing field `square`"),
            ("PATCH", "/pilot", r#"{"count": -1}"#, 422, "invalid value: integer `-1`"),
            ("PATCH", "/pilot", r#"{"count": true}"#, 422, "invalid type: boolean"),
            ("POST", "/weapon", r#"{"name": 3}"#, 422, "invalid type: integer `3`"),
            ("POST", "/weapon", r#"{"name": ""}"#, 422, "a module's name is not empty"),
            ("POST", "/weapon", &long, 422, "a module's name is at most 1024 bytes long"),
            ("DELETE", &long_path, "", 422, "a module's name is at most 1024 bytes long"),
            ("DELETE", "/engine/%ff", "", 422, "a module's name is UTF-8"),
            ("POST", "/event/garage", r#"{"engine": 2, "pilot": 1}"#, 422, "missing field `weapon`"),
            ("POST", "/event/garage", r#"{"engine": 2, "pilot": -1, "weapon": 2}"#, 422, "invalid value"),
            ("GET", "/fight/shouldfight", "", 422, "it takes a team's number"),
            ("GET", "/fight/shouldfight?id=", "", 422, "it takes a team's number"),
            ("GET", "/fight/shouldfight?id=-1", "", 422, "it takes a team's number"),
            ("GET", "/fight/shouldfight?team=7", "", 422, "it takes a team's number"),
        ] {
            let said = read(method, path, body.as_bytes()).expect_err(path);
            assert_eq!(said.status, status, "{method} {path} {body}: {said:?}");
            let found = said.body["error"].as_str().unwrap();
            assert!(found.contains(reason), "{method} {path} {body}: {found}");
        }
        assert_eq!(read("PATCH", "/state", b"{\"square\": \"\xff\"}").unwrap_err().status, 422);
    }

    #[test]
    fn what_is_taken_though_it_looks_odd() {
        let lose = |name: &str| CarRequest::Lose { kind: Kind::Engine, name: name.into() };
        for (method, path, body, expected) in [
            ("DELETE", "/engine/count", "", lose("count")),
            ("DELETE", "/engine/..", "", lose("..")),
            ("DELETE", "/engine/%2e%2E", "", lose("..")),
            ("DELETE", "/engine/", "", lose("")),
            ("DELETE", "/engine/a+b", "", lose("a+b")),
            ("DELETE", "/engine/100%", "", lose("100%")),
            ("DELETE", "/engine/%252F", "", lose("%2F")),
            ("GET", "/state?x=1", "nonsense", CarRequest::State),
            ("GET", "/fight/shouldfight?x=1&id=7", "", CarRequest::ShouldFight(TeamId(7))),
            ("PATCH", "/state", " {\"square\": 4, \"turn\": 3}\n", CarRequest::SetSquare(Square(4))),
        ] {
            assert_eq!(read(method, path, body.as_bytes()), Ok(expected), "{method} {path}");
        }
    }

    fn requests() -> impl proptest::strategy::Strategy<Value = CarRequest> {
        let kind = prop::sample::select(Kind::ALL.to_vec());
        let name = prop_oneof!["\\PC{1,200}", "[./%? ]{1,4}", Just("count".to_owned())];
        (kind, name, any::<u64>(), any::<[u32; 3]>(), 0..14).prop_map(
            |(kind, name, count, [a, b, c], which)| match which {
                0 => CarRequest::Resource(kind),
                1 => CarRequest::Count(kind),
                2 => CarRequest::State,
                3 => CarRequest::SetSquare(Square(a)),
                4 => CarRequest::SetPosition(Square(a)),
                5 => CarRequest::Retire,
                6 => CarRequest::SetCount { kind, count },
                7 => CarRequest::Gain { kind, name },
                8 => CarRequest::Lose { kind, name },
                9 => CarRequest::Wreck,
                10 => CarRequest::Mine,
                11 => CarRequest::Garage(Prices { engine: a, pilot: b, weapon: c }),
                12 => CarRequest::ShouldFight(TeamId(a)),
                _ => CarRequest::DuelUrl,
            },
        )
    }

    proptest! {
        /// What the game master sends is what the car reads.
        #[test]
        fn c_1_to_16_come_back(request in requests()) {
            let body = request.body().map(|body| body.to_string()).unwrap_or_default();
            prop_assert_eq!(read(request.method(), &request.path(), body.as_bytes()), Ok(request));
        }

        #[test]
        fn nothing_brings_the_reader_down(
            method in "[A-Z]{0,6}|GET|POST|PATCH|DELETE",
            path in "/(engine|state|fight/shouldfight)?[ -~]{0,20}",
            body in prop::collection::vec(any::<u8>(), 0..60),
        ) {
            _ = read(&method, &path, &body);
        }
    }
}

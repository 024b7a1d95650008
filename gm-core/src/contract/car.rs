//! The requests to a car: C-1 to C-16.
//!
//! ```
//! use gm_core::contract::{CarRequest, Kind};
//! let request = CarRequest::Lose { kind: Kind::Engine, name: "V8 n°1".into() };
//! assert_eq!((request.method(), request.path().as_str()), ("DELETE", "/engine/V8%20n%C2%B01"));
//! ```

use super::address::DuelUrl;
use super::fault::{Answer, Fault};
use super::kind::{Kind, Modules, Prices};
use super::reader::{self, Deviation, Reply};
use crate::ids::{Square, TeamId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::fmt;

/// What is left as it is in a module's name on the path (C-11): the unreserved characters of RFC 3986.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A request to a car, one variant for each of C-1 to C-16.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CarRequest {
    /// C-1, C-2, C-3: `GET /{kind}`, the name of the bucket, queue or table.
    Resource(Kind),
    /// C-4: `GET /{kind}/count`.
    Count(Kind),
    /// C-5: `GET /state`.
    State,
    /// C-6: `PATCH /state`, the car's square.
    SetSquare(Square),
    /// C-7: `PUT /state/position`, the car's square after a step that it did not drive.
    SetPosition(Square),
    /// C-8: `DELETE /state`, the car is out of the race.
    Retire,
    /// C-9: `PATCH /{kind}`, the number of modules that the car has.
    SetCount {
        /// Which kind.
        kind: Kind,
        /// How many the car has.
        count: u64,
    },
    /// C-10: `POST /{kind}`, the car has one module more.
    Gain {
        /// Which kind.
        kind: Kind,
        /// The new module's name.
        name: String,
    },
    /// C-11: `DELETE /{kind}/{name}`, the car has lost this module.
    Lose {
        /// Which kind.
        kind: Kind,
        /// The lost module's name.
        name: String,
    },
    /// C-12: `GET /event/wreck`, does the car search the wreck?
    Wreck,
    /// C-13: `GET /event/mine`, does the car drive through the minefield?
    Mine,
    /// C-14: `POST /event/garage`, what does the car buy at these prices?
    Garage(Prices),
    /// C-15: `GET /fight/shouldfight?id=…`, does the car want to fight a car of this team?
    ShouldFight(TeamId),
    /// C-16: `GET /fight/iaurl`, where is the car's duel AI?
    DuelUrl,
}

impl CarRequest {
    /// The number of the request in the contract, e.g. `C-4`.
    #[must_use]
    pub fn number(&self) -> &'static str {
        match self {
            CarRequest::Resource(Kind::Engine) => "C-1",
            CarRequest::Resource(Kind::Pilot) => "C-2",
            CarRequest::Resource(Kind::Weapon) => "C-3",
            CarRequest::Count(_) => "C-4",
            CarRequest::State => "C-5",
            CarRequest::SetSquare(_) => "C-6",
            CarRequest::SetPosition(_) => "C-7",
            CarRequest::Retire => "C-8",
            CarRequest::SetCount { .. } => "C-9",
            CarRequest::Gain { .. } => "C-10",
            CarRequest::Lose { .. } => "C-11",
            CarRequest::Wreck => "C-12",
            CarRequest::Mine => "C-13",
            CarRequest::Garage(_) => "C-14",
            CarRequest::ShouldFight(_) => "C-15",
            CarRequest::DuelUrl => "C-16",
        }
    }

    /// The HTTP method.
    #[must_use]
    pub fn method(&self) -> &'static str {
        match self {
            CarRequest::Resource(_)
            | CarRequest::Count(_)
            | CarRequest::State
            | CarRequest::Wreck
            | CarRequest::Mine
            | CarRequest::ShouldFight(_)
            | CarRequest::DuelUrl => "GET",
            CarRequest::SetSquare(_) | CarRequest::SetCount { .. } => "PATCH",
            CarRequest::SetPosition(_) => "PUT",
            CarRequest::Retire | CarRequest::Lose { .. } => "DELETE",
            CarRequest::Gain { .. } | CarRequest::Garage(_) => "POST",
        }
    }

    /// The path and query, names percent-encoded (C-11), to be put behind the car's base URL.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            CarRequest::Resource(kind)
            | CarRequest::SetCount { kind, .. }
            | CarRequest::Gain { kind, .. } => {
                format!("/{kind}")
            }
            CarRequest::Count(kind) => format!("/{kind}/count"),
            CarRequest::State | CarRequest::SetSquare(_) | CarRequest::Retire => "/state".into(),
            CarRequest::SetPosition(_) => "/state/position".into(),
            CarRequest::Lose { kind, name } => format!("/{kind}/{}", encode_name(name)),
            CarRequest::Wreck => "/event/wreck".into(),
            CarRequest::Mine => "/event/mine".into(),
            CarRequest::Garage(_) => "/event/garage".into(),
            CarRequest::ShouldFight(team) => format!("/fight/shouldfight?id={team}"),
            CarRequest::DuelUrl => "/fight/iaurl".into(),
        }
    }

    /// The JSON body, where the request has one.
    #[must_use]
    pub fn body(&self) -> Option<serde_json::Value> {
        match self {
            CarRequest::SetSquare(square) | CarRequest::SetPosition(square) => {
                Some(json!(SquareBody { square: *square }))
            }
            CarRequest::SetCount { count, .. } => Some(json!(CountBody { count: *count })),
            CarRequest::Gain { name, .. } => Some(json!(NameBody { name: name.clone() })),
            CarRequest::Garage(prices) => Some(json!(prices)),
            _ => None,
        }
    }

    /// What a good answer looks like, for people: `{"res": 3}`.
    #[must_use]
    pub fn wanted(&self) -> &'static str {
        match self {
            CarRequest::Resource(Kind::Engine) => r#"{"res": "bucket name"}"#,
            CarRequest::Resource(Kind::Pilot) => r#"{"res": "queue name"}"#,
            CarRequest::Resource(Kind::Weapon) => r#"{"res": "table name"}"#,
            CarRequest::Count(_) => r#"{"res": 3}"#,
            CarRequest::State => {
                r#"{"name": "…", "square": 0, "modules": {"engine": 1, "pilot": 1, "weapon": 1}}"#
            }
            CarRequest::Wreck | CarRequest::Mine | CarRequest::ShouldFight(_) => {
                r#"{"res": true} or {"res": false}"#
            }
            CarRequest::Garage(_) => r#"{"res": "engine"}, "pilot", "weapon" or "none""#,
            CarRequest::DuelUrl => r#"{"res": "http://…"}"#,
            CarRequest::SetSquare(_)
            | CarRequest::SetPosition(_)
            | CarRequest::Retire
            | CarRequest::SetCount { .. }
            | CarRequest::Gain { .. }
            | CarRequest::Lose { .. } => "status 200",
        }
    }

    /// What a good answer would have looked like, where something else came instead.
    #[must_use]
    pub fn wanted_instead_of(&self, fault: Fault) -> Option<&'static str> {
        matches!(fault, Fault::NotJson | Fault::NotTheValue).then(|| self.wanted())
    }

    /// Whether an answer with this status is a success: 200 for a question, 2xx for a command, and also 404 for the
    /// loss of a module (C-11).
    #[must_use]
    pub fn succeeds_with(&self, status: u16) -> bool {
        match self {
            CarRequest::Lose { .. } => status == 404 || (200..300).contains(&status),
            _ if self.is_command() => (200..300).contains(&status),
            _ => status == 200,
        }
    }

    /// What an answer deviates from the contract in, and is accepted all the same (C-22). Nothing for an answer that is
    /// not, or not read.
    #[must_use]
    pub fn deviations(&self, answer: &Answer) -> Vec<Deviation> {
        self.accepted(answer).unwrap_or_default()
    }

    /// What is wrong with an answer, so that it is not accepted; nothing if it is.
    #[must_use]
    pub fn fault_in(&self, answer: &Answer) -> Option<Fault> {
        self.accepted(answer).err()
    }

    /// What an accepted answer deviates in.
    fn accepted(&self, answer: &Answer) -> Result<Vec<Deviation>, Fault> {
        fn of<T>(reply: Reply<T>) -> Result<Vec<Deviation>, Fault> {
            reply.map(|taken| taken.deviations)
        }
        if !self.succeeds_with(answer.status) {
            return Err(Fault::Status(answer.status));
        }
        match self {
            CarRequest::Resource(_) => of(reader::resource(answer)),
            CarRequest::Count(_) => of(reader::count(answer)),
            CarRequest::State => of(reader::state(answer)),
            CarRequest::Garage(_) => of(reader::purchase(answer)),
            CarRequest::DuelUrl => {
                let taken = reader::text(answer)?;
                DuelUrl::parse(&taken.value).map_err(|_| Fault::NotTheValue)?;
                Ok(taken.deviations)
            }
            CarRequest::Wreck | CarRequest::Mine | CarRequest::ShouldFight(_) => of(reader::boolean(answer)),
            CarRequest::SetSquare(_)
            | CarRequest::SetPosition(_)
            | CarRequest::Retire
            | CarRequest::SetCount { .. }
            | CarRequest::Gain { .. }
            | CarRequest::Lose { .. } => Ok(Vec::new()),
        }
    }

    /// Whether the request changes the car (a command), or only asks it (a question). The garage's offer is a
    /// question: what is bought is told by a command of its own.
    #[must_use]
    pub fn is_command(&self) -> bool {
        matches!(
            self,
            CarRequest::SetSquare(_)
                | CarRequest::SetPosition(_)
                | CarRequest::Retire
                | CarRequest::SetCount { .. }
                | CarRequest::Gain { .. }
                | CarRequest::Lose { .. }
        )
    }
}

impl fmt::Display for CarRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method(), self.path())
    }
}

/// The body of `PATCH /state` and `PUT /state/position` (C-6, C-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SquareBody {
    /// The car's square.
    pub square: Square,
}

/// The body of `PATCH /{kind}` (C-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountBody {
    /// How many modules of the kind the car has.
    pub count: u64,
}

/// The body of `POST /{kind}` (C-10).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameBody {
    /// The new module's name.
    pub name: String,
}

/// A module's name as one segment of a path (C-11). A lone `.` or `..` would be taken for a step in the path, so
/// its dots are encoded too.
///
/// That is as far as an encoding can go: the URL standard takes `%2E` for a dot as well, so a client that parses
/// the whole URL by that standard still loses those two names. Put the path behind the base URL as text.
#[must_use]
pub fn encode_name(name: &str) -> String {
    match name {
        "." => "%2E".into(),
        ".." => "%2E%2E".into(),
        _ => utf8_percent_encode(name, NAME).to_string(),
    }
}

/// A car's answer to `GET /state` (C-5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarState {
    /// The instance name (R-1.2).
    pub name: String,
    /// The square on which the car believes to be.
    pub square: u64,
    /// The modules that the car believes to have.
    pub modules: Modules,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ContentType;
    use percent_encoding::percent_decode_str;
    use proptest::prelude::*;

    fn all() -> Vec<(CarRequest, &'static str, &'static str, &'static str, Option<&'static str>)> {
        use CarRequest::*;
        use Kind::*;
        let name = || "engine-t12-c3-1".to_owned();
        vec![
            (Resource(Engine), "C-1", "GET", "/engine", None),
            (Resource(Pilot), "C-2", "GET", "/pilot", None),
            (Resource(Weapon), "C-3", "GET", "/weapon", None),
            (Count(Engine), "C-4", "GET", "/engine/count", None),
            (Count(Pilot), "C-4", "GET", "/pilot/count", None),
            (Count(Weapon), "C-4", "GET", "/weapon/count", None),
            (State, "C-5", "GET", "/state", None),
            (SetSquare(Square(42)), "C-6", "PATCH", "/state", Some(r#"{"square":42}"#)),
            (SetPosition(Square(41)), "C-7", "PUT", "/state/position", Some(r#"{"square":41}"#)),
            (Retire, "C-8", "DELETE", "/state", None),
            (SetCount { kind: Engine, count: 3 }, "C-9", "PATCH", "/engine", Some(r#"{"count":3}"#)),
            (SetCount { kind: Pilot, count: 0 }, "C-9", "PATCH", "/pilot", Some(r#"{"count":0}"#)),
            (
                Gain { kind: Engine, name: name() },
                "C-10",
                "POST",
                "/engine",
                Some(r#"{"name":"engine-t12-c3-1"}"#),
            ),
            (Gain { kind: Weapon, name: "\"é".into() }, "C-10", "POST", "/weapon", Some(r#"{"name":"\"é"}"#)),
            (Lose { kind: Engine, name: name() }, "C-11", "DELETE", "/engine/engine-t12-c3-1", None),
            (Lose { kind: Weapon, name: "a b/c".into() }, "C-11", "DELETE", "/weapon/a%20b%2Fc", None),
            (Wreck, "C-12", "GET", "/event/wreck", None),
            (Mine, "C-13", "GET", "/event/mine", None),
            (
                Garage(Prices { engine: 2, pilot: 1, weapon: 3 }),
                "C-14",
                "POST",
                "/event/garage",
                Some(r#"{"engine":2,"pilot":1,"weapon":3}"#),
            ),
            (ShouldFight(TeamId(7)), "C-15", "GET", "/fight/shouldfight?id=7", None),
            (DuelUrl, "C-16", "GET", "/fight/iaurl", None),
        ]
    }

    #[test]
    fn c_1_to_16_the_requests() {
        for (request, number, method, path, body) in all() {
            assert_eq!(request.number(), number, "{request:?}");
            assert_eq!(request.method(), method, "{request:?}");
            assert_eq!(request.path(), path, "{request:?}");
            assert_eq!(request.body().map(|body| body.to_string()).as_deref(), body, "{request:?}");
            assert_eq!(request.to_string(), format!("{method} {path}"));
        }
    }

    #[test]
    fn c_1_to_16_what_counts_as_success() {
        for (request, number, ..) in all() {
            let command = matches!(number, "C-6" | "C-7" | "C-8" | "C-9" | "C-10" | "C-11");
            assert_eq!(request.is_command(), command, "{request}");
            for (status, of_command, of_question) in [
                (100, false, false),
                (199, false, false),
                (200, true, true),
                (201, true, false),
                (204, true, false),
                (299, true, false),
                (300, false, false),
                (302, false, false),
                (401, false, false),
                (404, number == "C-11", false),
                (500, false, false),
            ] {
                let expected = if command { of_command } else { of_question };
                assert_eq!(request.succeeds_with(status), expected, "{request}: {status}");
            }
        }
    }

    /// C-22: what is accepted in an answer to each question, as the ports would; commands' answers are not read.
    #[test]
    fn c_22_what_is_accepted_in_an_answer() {
        let bare = |body: &str| Answer { content_type: ContentType::Missing, ..Answer::ok(body) };
        for (request, ..) in all() {
            let body = match request {
                CarRequest::Count(_) => "3",
                CarRequest::Wreck | CarRequest::Mine | CarRequest::ShouldFight(_) => "true",
                CarRequest::Garage(_) => r#""engine""#,
                CarRequest::State => r#"{"name":"a","square":0,"modules":{"engine":1,"pilot":1,"weapon":1}}"#,
                _ => r#""http://ai""#,
            };
            let answer = bare(body);
            let found = request.deviations(&answer);
            assert_eq!(found.contains(&Deviation::ContentTypeMissing), !request.is_command(), "{request}");
            let no_envelope = !request.is_command() && request != CarRequest::State;
            assert_eq!(found.contains(&Deviation::NoEnvelope), no_envelope, "{request}");
            assert_eq!(request.deviations(&Answer { status: 500, ..answer }), [], "{request}");
            assert_eq!(request.deviations(&bare("{")), [], "{request}");
        }
    }

    #[test]
    fn c_11_names_on_the_path() {
        for (name, encoded) in [
            ("engine-1", "engine-1"),
            ("A.b_c~9", "A.b_c~9"),
            ("V8 n°1", "V8%20n%C2%B01"),
            ("é", "%C3%A9"),
            ("100%", "100%25"),
            ("%20", "%2520"),
            ("\"'", "%22%27"),
            ("a/b", "a%2Fb"),
            ("a?b#c&d=e+f", "a%3Fb%23c%26d%3De%2Bf"),
            (".", "%2E"),
            ("..", "%2E%2E"),
            ("...", "..."),
            (".a", ".a"),
            ("\r\n\0", "%0D%0A%00"),
            ("🏎", "%F0%9F%8F%8E"),
            ("", ""),
        ] {
            assert_eq!(encode_name(name), encoded, "{name:?}");
        }
        let long = "é".repeat(100);
        assert_eq!(encode_name(&long), "%C3%A9".repeat(100));
    }

    #[test]
    fn c_5_the_state_as_json() {
        let state = CarState {
            name: "i-0abc".into(),
            square: 42,
            modules: Modules { engine: 3, pilot: 1, weapon: 2 },
        };
        let text = r#"{"name":"i-0abc","square":42,"modules":{"engine":3,"pilot":1,"weapon":2}}"#;
        assert_eq!(serde_json::to_string(&state).unwrap(), text);
        assert_eq!(serde_json::from_str::<CarState>(text).unwrap(), state);
    }

    proptest! {
        /// C-11: any name comes back by decoding one segment, which holds nothing that ends a segment.
        #[test]
        fn c_11_names_come_back(name in "\\PC{0,200}|[ -~]{0,40}|[./]{0,4}") {
            let encoded = encode_name(&name);
            prop_assert!(encoded.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~%".contains(&b)), "{}", encoded);
            prop_assert!(encoded != "." && encoded != "..");
            prop_assert_eq!(percent_decode_str(&encoded).decode_utf8().unwrap(), name);
        }
    }

    /// C-19, C-21, C-22: a request, an answer, and what is wrong with it.
    #[test]
    fn c_21_what_is_wrong_with_an_answer() {
        let answer = |status, body: &str| Answer { status, ..Answer::ok(body) };
        for (request, answer, expected) in [
            (CarRequest::Count(Kind::Engine), answer(200, r#"{"res":3}"#), None),
            (CarRequest::Count(Kind::Engine), answer(200, r#"{"res":"3"}"#), None),
            (CarRequest::Count(Kind::Engine), answer(200, r#"{"res":"x"}"#), Some(Fault::NotTheValue)),
            (CarRequest::Count(Kind::Engine), answer(200, "three"), Some(Fault::NotJson)),
            (CarRequest::Count(Kind::Engine), answer(201, r#"{"res":3}"#), Some(Fault::Status(201))),
            (CarRequest::Retire, answer(204, ""), None),
            (CarRequest::Retire, answer(404, ""), Some(Fault::Status(404))),
            (CarRequest::DuelUrl, answer(200, r#"{"res":"http://ai.example/move"}"#), None),
            (CarRequest::DuelUrl, answer(200, r#"{"res":"nowhere"}"#), Some(Fault::NotTheValue)),
        ] {
            assert_eq!(request.fault_in(&answer), expected, "{request}: {answer:?}");
        }
    }
}

//! The requests to a car: C-1 to C-16.
//!
//! ```
//! use gm_core::contract::{CarRequest, Kind};
//! let request = CarRequest::Lose { kind: Kind::Engine, name: "V8 n°1".into() };
//! assert_eq!((request.method(), request.path().as_str()), ("DELETE", "/engine/V8%20n%C2%B01"));
//! ```

use super::kind::{Kind, Modules, Prices};
use crate::ids::{Square, TeamId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
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
                Some(serde_json::json!({ "square": square.0 }))
            }
            CarRequest::SetCount { count, .. } => Some(serde_json::json!({ "count": count })),
            CarRequest::Gain { name, .. } => Some(serde_json::json!({ "name": name })),
            CarRequest::Garage(prices) => Some(
                serde_json::json!({ "engine": prices.engine, "pilot": prices.pilot, "weapon": prices.weapon }),
            ),
            _ => None,
        }
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

/// A module's name as one segment of a path (C-11). A lone `.` or `..` would be taken for a step in the path, so
/// its dots are encoded too.
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

//! The words that records are made of: kinds of modules, requests, faults, deviations.
//!
//! ```text
//! {"count":"pilot"}
//! {"status":503}
//! ```

use serde::{Deserialize, Serialize};

/// A kind of module (R-1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Engine,
    Pilot,
    Weapon,
}

impl Kind {
    /// In the order in which everything of a car is told.
    pub(crate) const ALL: [Kind; 3] = [Kind::Engine, Kind::Pilot, Kind::Weapon];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Kind::Engine => "engine",
            Kind::Pilot => "pilot",
            Kind::Weapon => "weapon",
        }
    }
}

/// How many of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Modules {
    pub(crate) engine: u64,
    pub(crate) pilot: u64,
    pub(crate) weapon: u64,
}

impl Modules {
    pub(crate) fn of(self, kind: Kind) -> u64 {
        match kind {
            Kind::Engine => self.engine,
            Kind::Pilot => self.pilot,
            Kind::Weapon => self.weapon,
        }
    }

    pub(crate) fn set(&mut self, kind: Kind, count: u64) {
        match kind {
            Kind::Engine => self.engine = count,
            Kind::Pilot => self.pilot = count,
            Kind::Weapon => self.weapon = count,
        }
    }
}

/// What one module of each kind costs, in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prices {
    pub(crate) engine: u32,
    pub(crate) pilot: u32,
    pub(crate) weapon: u32,
}

impl Prices {
    pub(crate) fn of(self, kind: Kind) -> u64 {
        u64::from(match kind {
            Kind::Engine => self.engine,
            Kind::Pilot => self.pilot,
            Kind::Weapon => self.weapon,
        })
    }
}

/// A module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Module {
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

/// The names of a car's bucket, queue and table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resources {
    pub(crate) engine: String,
    pub(crate) pilot: String,
    pub(crate) weapon: String,
}

impl Resources {
    pub(crate) fn of(&self, kind: Kind) -> &str {
        match kind {
            Kind::Engine => &self.engine,
            Kind::Pilot => &self.pilot,
            Kind::Weapon => &self.weapon,
        }
    }

    pub(crate) fn set(&mut self, kind: Kind, name: String) {
        match kind {
            Kind::Engine => self.engine = name,
            Kind::Pilot => self.pilot = name,
            Kind::Weapon => self.weapon = name,
        }
    }
}

/// What a car is asked or told (C-1 to C-16).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    Resource(Kind),
    Count(Kind),
    State,
    SetSquare(u32),
    SetPosition(u32),
    Retire,
    SetCount { kind: Kind, count: u64 },
    Gain { kind: Kind, name: String },
    Lose { kind: Kind, name: String },
    Wreck,
    Mine,
    Garage(Prices),
    ShouldFight(u32),
    DuelUrl,
}

impl Request {
    /// The request as it is recorded: the method, the URL, and the body on a line of its own.
    pub(crate) fn text(&self, url: &str) -> String {
        let text = |name: &str| serde_json::Value::from(name).to_string();
        match self {
            Request::Resource(kind) => format!("GET {url}/{}", kind.word()),
            Request::Count(kind) => format!("GET {url}/{}/count", kind.word()),
            Request::State => format!("GET {url}/state"),
            Request::SetSquare(square) => format!("PATCH {url}/state\n{{\"square\":{square}}}"),
            Request::SetPosition(square) => format!("PUT {url}/state/position\n{{\"square\":{square}}}"),
            Request::Retire => format!("DELETE {url}/state"),
            Request::SetCount { kind, count } => {
                format!("PATCH {url}/{}\n{{\"count\":{count}}}", kind.word())
            }
            Request::Gain { kind, name } => {
                format!("POST {url}/{}\n{{\"name\":{}}}", kind.word(), text(name))
            }
            Request::Lose { kind, name } => format!("DELETE {url}/{}/{}", kind.word(), on_the_path(name)),
            Request::Wreck => format!("GET {url}/event/wreck"),
            Request::Mine => format!("GET {url}/event/mine"),
            Request::Garage(Prices { engine, pilot, weapon }) => format!(
                "POST {url}/event/garage\n{{\"engine\":{engine},\"pilot\":{pilot},\"weapon\":{weapon}}}"
            ),
            Request::ShouldFight(team) => format!("GET {url}/fight/shouldfight?id={team}"),
            Request::DuelUrl => format!("GET {url}/fight/iaurl"),
        }
    }
}

/// A name as one segment of a path (C-11).
fn on_the_path(name: &str) -> String {
    let mut path = String::new();
    for byte in name.bytes() {
        let bare = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if bare && !matches!(name, "." | "..") {
            path.push(char::from(byte));
        } else {
            path.push_str(&format!("%{byte:02X}"));
        }
    }
    path
}

/// Why there was no answer, or not the one asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fault {
    Unreachable,
    Late,
    Broken,
    TooLarge,
    Status(u16),
    NotJson,
    NotTheValue,
}

/// Why an inspector failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum InspectorFault {
    NoSuchResource,
    Denied,
    Malformed,
    Unavailable,
}

/// What was accepted although the contract says otherwise (C-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deviation {
    BooleanAsText,
    NumberAsText,
    BooleanAsNumber,
    NumberWithFraction,
    NoEnvelope,
    KindInOtherCase,
    ContentTypeMissing,
    ContentTypeOther,
    UnknownFields,
}

impl Deviation {
    /// In words, as exchanges are recorded.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Deviation::BooleanAsText => "a boolean as a JSON string",
            Deviation::NumberAsText => "a whole number as a JSON string",
            Deviation::BooleanAsNumber => "0 or 1 for a boolean",
            Deviation::NumberWithFraction => "a whole number with a fraction of zero",
            Deviation::NoEnvelope => "the bare value without {\"res\": …}",
            Deviation::KindInOtherCase => "a kind of module in another case",
            Deviation::ContentTypeMissing => "no content type",
            Deviation::ContentTypeOther => "another content type than application/json",
            Deviation::UnknownFields => "unknown extra fields",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-11: what stands on the path.
    #[test]
    fn c_11_names_on_the_path() {
        for (name, path) in [("engine-1", "engine-1"), ("a b/ü", "a%20b%2F%C3%BC"), ("..", "%2E%2E")] {
            let request = Request::Lose { kind: Kind::Weapon, name: name.into() };
            assert_eq!(request.text("http://car"), format!("DELETE http://car/weapon/{path}"));
        }
    }
}

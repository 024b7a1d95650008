//! The keys of the settings: one table for the flags, the environment, the file and what is told of them.
//!
//! ```
//! use gm_grpc::serve::key;
//! let heartbeat = key::all().find(|key| key.path == "watch.heartbeat_seconds").unwrap();
//! assert_eq!(heartbeat.flag(), "watch-heartbeat-seconds");
//! assert_eq!(heartbeat.variable(), "GM_WATCH_HEARTBEAT_SECONDS");
//! assert_eq!(heartbeat.expected(), "a whole number of seconds from 1 to 3600");
//! ```
//!
//! The names follow from the path, so that who knows one knows all three.

use std::fmt::Write as _;

/// One setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Where it stands in the file: `watch.heartbeat_seconds` is `heartbeat_seconds` in `[watch]`.
    pub path: &'static str,
    /// What can be written.
    pub shape: Shape,
    /// What it is if nobody says anything, as on the command line; empty: nothing.
    pub default: &'static str,
    /// What it does, in a sentence without a full stop.
    pub about: &'static str,
}

/// What can be written for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A text, and in words which.
    Text {
        /// The placeholder in the help: `ADDRESS`.
        placeholder: &'static str,
        /// What is expected: `an address with its port, …`.
        expected: &'static str,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number.
    Whole {
        /// Of what: `seconds`.
        unit: &'static str,
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// Yes or no.
    YesOrNo,
    /// Texts: an array in the file, separated by commas elsewhere.
    List {
        /// The placeholder in the help: `ORIGINS`.
        placeholder: &'static str,
        /// What is expected.
        expected: &'static str,
    },
}

/// A table of the file whose keys are names, so that it has no flag and no variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameTable {
    /// Its name: `instances`.
    pub path: &'static str,
    /// What a name is.
    pub name: &'static str,
    /// What is expected for a name.
    pub expected: &'static str,
    /// What it does.
    pub about: &'static str,
}

impl Key {
    /// The name of the flag, without the two dashes.
    #[must_use]
    pub fn flag(&self) -> String {
        self.path.replace(['.', '_'], "-")
    }

    /// The name of the environment variable.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("GM_{}", self.path.replace('.', "_").to_uppercase())
    }

    /// What is expected, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self.shape {
            Shape::Text { expected, .. } | Shape::List { expected, .. } => expected.to_owned(),
            Shape::Word(words) => {
                words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" or ")
            }
            Shape::Whole { unit, least, most } => {
                format!("a whole number of {unit} from {least} to {most}")
            }
            Shape::YesOrNo => "true or false".to_owned(),
        }
    }

    /// The placeholder in the help.
    #[must_use]
    pub fn placeholder(&self) -> &'static str {
        match self.shape {
            Shape::Text { placeholder, .. } | Shape::List { placeholder, .. } => placeholder,
            Shape::Word(_) => "WORD",
            Shape::Whole { .. } => "NUMBER",
            Shape::YesOrNo => "true|false",
        }
    }

    /// What the help says of it: what it does, what is expected, what it is by default, and its variable.
    #[must_use]
    pub fn help(&self) -> String {
        let mut help = format!("{}: {}", self.about, self.expected());
        // Writing to a string never fails.
        let _ = match self.default {
            "" => write!(help, " [default: none]"),
            default => write!(help, " [default: {default}]"),
        };
        let _ = write!(help, " [env: {}]", self.variable());
        help
    }
}

/// Every key.
pub fn all() -> impl Iterator<Item = &'static Key> {
    KEYS.iter().copied()
}

/// The tables of names.
pub const NAME_TABLES: [&NameTable; 2] = [&INSTANCES, &HOSTS];

macro_rules! keys {
    ($($name:ident: $path:literal, $shape:expr, $default:literal, $about:literal;)*) => {
        $(pub(super) const $name: Key = Key { path: $path, shape: $shape, default: $default, about: $about };)*
        const KEYS: &[&Key] = &[$(&$name),*];
    };
}

keys! {
    LISTEN: "listen", Shape::Text {
        placeholder: "ADDRESS",
        expected: "an address with its port, as 127.0.0.1:7300 or [::]:7300",
    }, "127.0.0.1:7300", "Where it listens, for gRPC, gRPC-Web and HTTP";
    DATA: "data", Shape::Text { placeholder: "DIR", expected: "a directory" },
        "gm-data", "The directory where races are kept";
    RECOVERY: "recovery", Shape::Word(&["go-on", "pause"]),
        "go-on", "What becomes of races that were running when gm ended";
    SHUTDOWN: "shutdown_seconds", Shape::Whole { unit: "seconds", least: 0, most: 3600 },
        "10", "How long a turn may still take when gm is told to end";
    LOG_FORMAT: "log.format", Shape::Word(&["text", "json"]),
        "text", "How the log on the error output is written";
    LOG_FILTER: "log.filter", Shape::Text {
        placeholder: "FILTER",
        expected: "a level (off, error, warn, info, debug, trace), and where it is another, as info,gm_grpc::drive=debug",
    }, "info", "What is logged";
    TRACES: "traces.otlp", Shape::Text {
        placeholder: "URL",
        expected: "an http or https URL without credentials, as http://127.0.0.1:4318",
    }, "", "The collector that traces are sent to, by OTLP over HTTP";
    CORS: "api.cors_origins", Shape::List {
        placeholder: "ORIGINS",
        expected: "origins as https://race.example, or * alone for all",
    }, "", "The web pages that may use the API from a browser";
    MESSAGE: "api.max_message_bytes", Shape::Whole { unit: "bytes", least: 1024, most: 1_073_741_824 },
        "4194304", "The largest message, in and out";
    STREAMS: "api.max_streams", Shape::Whole { unit: "streams", least: 1, most: 1_000_000 },
        "200", "The most calls at once on one connection; further ones wait";
    CONNECTIONS: "api.max_connections", Shape::Whole { unit: "connections", least: 1, most: 1_000_000 },
        "4096", "The most connections at once; further ones wait";
    HEARTBEAT: "watch.heartbeat_seconds", Shape::Whole { unit: "seconds", least: 1, most: 3600 },
        "10", "After how long without an event a watcher is told that all is well";
    BUFFER: "watch.buffer_events", Shape::Whole { unit: "events", least: 1, most: 10_000_000 },
        "10000", "How many events a watcher may be behind";
    RETENTION: "watch.retention_events", Shape::Whole { unit: "events", least: 1, most: i64::MAX as u64 },
        "", "How far back in a race a watch may begin; none: at its beginning";
    SEND: "watch.send_seconds", Shape::Whole { unit: "seconds", least: 1, most: 3600 },
        "30", "How long a watcher may take nothing before its stream is closed";
    IN_FLIGHT: "cars.in_flight", Shape::Whole { unit: "requests", least: 1, most: 1_000_000 },
        "256", "The most requests to cars and AIs under way, in all";
    PRIVATE: "cars.allow_private", Shape::YesOrNo,
        "true", "Whether cars and AIs may be on private addresses: the loopback, a LAN, a cloud's own";
    DUELS: "test_duels.at_once", Shape::Whole { unit: "duels", least: 1, most: 100_000 },
        "16", "The most test duels at once, in all";
    TEAM_DUELS: "test_duels.per_team", Shape::Whole { unit: "duels", least: 1, most: 100_000 },
        "2", "The most test duels at once of one team";
    METRICS: "metrics.enabled", Shape::YesOrNo,
        "true", "Whether /metrics is served";
    METRICS_PUBLIC: "metrics.public", Shape::YesOrNo,
        "false", "Whether /metrics is for everybody, and not only for who has an admin's token";
}

pub(super) const INSTANCES: NameTable = NameTable {
    path: "instances",
    name: "the name of an instance",
    expected: "the base URL of a car, as \"http://10.0.0.7:8080\"",
    about: "Where the cars of known instances are, for teams that give no URL (R-2.1)",
};

pub(super) const HOSTS: NameTable = NameTable {
    path: "hosts",
    name: "the name of a host",
    expected: "an address with its port, as \"10.0.0.7:8080\"",
    about: "Names of hosts that only this game master knows, as in a hosts file",
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Two keys with one flag or one variable would be one.
    #[test]
    fn every_key_has_names_of_its_own() {
        for name in [Key::flag, Key::variable, |key: &Key| key.path.to_owned()] {
            let names: BTreeSet<String> = all().map(name).collect();
            assert_eq!(names.len(), all().count());
        }
    }

    #[test]
    fn the_help() {
        assert_eq!(
            RETENTION.help(),
            "How far back in a race a watch may begin; none: at its beginning: a whole number of events from 1 to \
             9223372036854775807 [default: none] [env: GM_WATCH_RETENTION_EVENTS]"
        );
        assert!(RECOVERY.help().contains(r#"gm ended: "go-on" or "pause" [default: go-on]"#));
        assert!(all().all(|key| !key.about.ends_with('.') && key.about.starts_with(char::is_uppercase)));
    }
}

//! Broken cars: the reference car behind one twist.
//!
//! ```no_run
//! use test_harness::flaws::car::{FLAWS, broken_car};
//! # let healthy = axum::Router::new();
//! let car: axum::Router = broken_car(&FLAWS[0], healthy, "s3cret");
//! ```

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONNECTION, CONTENT_TYPE, HeaderValue};
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, stream};
use gm_core::contract::Kind;
use gm_core::contract::car::encode_name;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::sleep;
use tower_service::Service;

/// A defect of a car, and the case that must catch it.
#[derive(Debug, Clone, Copy)]
pub struct Flaw {
    /// Its name.
    pub name: &'static str,
    /// What the car does.
    pub what: &'static str,
    /// The id of the case that catches it.
    pub caught_by: &'static str,
    twist: Twist,
}

/// Which requests a twist is about: a method and a path, where `*` is any, or anything that follows.
type On = (&'static str, &'static str);

/// What is done otherwise.
#[derive(Debug, Clone, Copy)]
enum Twist {
    /// Begins with these counts.
    Starts(&'static [(&'static str, u64)]),
    /// Says this, and does nothing.
    Says(On, u16, &'static str),
    /// Says this to a body, a name or a query that the reference refuses.
    SaysToNonsense(On, u16),
    /// Does nothing, and says that it did.
    Ignores(On),
    /// Does something else instead.
    Does(On, fn(&Asked, &mut Memory) -> Option<Asked>),
    /// Does this, too, if it did what it was asked.
    Also(On, fn(&Asked, &mut Memory) -> Vec<Asked>),
    /// Edits what it says.
    Edits(On, fn(&mut Value, &mut Memory)),
    /// Refuses some, with this status.
    Refuses(On, u16, fn(&Asked, &mut Memory) -> bool),
    /// Refuses to have more modules in all.
    Full(u64),
    /// Adds one where it drops one: brings a count down by one more.
    DropsOne(On, u16),
    /// Takes this part of a second to answer, in percent.
    Takes(On, u64),
    /// Breaks off.
    Breaks,
    /// Says that it speaks another language, or none.
    Speaks(Option<&'static str>),
    /// Closes the connection after each answer.
    HangsUp,
    /// Says more than may be said.
    Rambles(On),
    /// Knows an id by its first characters, so many, and gives the answer that it gave to that.
    Replays(usize),
    /// What becomes of the secret.
    Secret(Guard),
}

/// How a car looks at the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// Not at all.
    Anybody,
    /// A missing one is right.
    MissingIsRight,
    /// One that begins right is right.
    Prefix,
    /// After it has done what it was asked.
    TooLate,
}

/// What a twist remembers.
#[derive(Debug, Default)]
struct Memory {
    asked: u64,
    square: u64,
    last: VecDeque<String>,
    names: BTreeSet<(String, String)>,
    gone: BTreeSet<(String, String)>,
    first: Option<Value>,
    retired: bool,
    asked_for_engines: bool,
    started: bool,
    ids: BTreeSet<String>,
    said: BTreeMap<String, Said>,
}

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Asked {
    method: String,
    path: String,
    body: Bytes,
    id: Option<String>,
}

impl Asked {
    fn new(method: &str, path: impl Into<String>, body: Option<Value>) -> Asked {
        let body = body.map(|body| body.to_string().into()).unwrap_or_default();
        Asked { method: method.to_owned(), path: path.into(), body, id: None }
    }

    fn is_on(&self, (method, path): On) -> bool {
        let own = self.path.split('?').next().unwrap_or_default();
        let on_path = match path.strip_suffix('*') {
            Some(start) => own.starts_with(start),
            None => own == path,
        };
        on_path && (method == "*" || method == self.method)
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn square(&self) -> Option<u64> {
        self.json()["square"].as_u64()
    }

    fn kind(&self) -> String {
        self.path.split('/').nth(1).unwrap_or_default().to_owned()
    }

    /// The module that is gained or lost.
    fn module(&self) -> Option<(String, String)> {
        let name = match self.method.as_str() {
            "POST" => self.json()["name"].as_str()?.to_owned(),
            "DELETE" => percent_decode_str(self.path.split('/').nth(2)?).decode_utf8().ok()?.into_owned(),
            _ => return None,
        };
        Some((self.kind(), name))
    }

    fn with_square(&self, square: u64) -> Asked {
        Asked::new(&self.method, self.path.clone(), Some(json!({ "square": square })))
    }

    /// The same with another name.
    fn named(&self, name: &str) -> Asked {
        match self.method.as_str() {
            "DELETE" => Asked::new("DELETE", format!("/{}/{}", self.kind(), encode_name(name)), None),
            method => Asked::new(method, self.path.clone(), Some(json!({ "name": name }))),
        }
    }
}

const ANY: On = ("*", "/*");
const OK: &str = r#"{"res":"ok"}"#;

/// All broken cars, in the order of what catches them.
pub const FLAWS: &[Flaw] = &[
    flaw("breaks-off", "closes the connection instead of answering", "C-21.1", Twist::Breaks),
    flaw("refuses-the-secret", "answers 401 to everybody", "C-20.1", Twist::Says(ANY, 401, "{}")),
    flaw(
        "cuts-ids",
        "looks at the first 24 characters of an id",
        "C-20.8",
        Twist::Does(ANY, |asked, _| {
            let id = asked.id.as_ref()?.chars().take(24).collect();
            Some(Asked { id: Some(id), ..asked.clone() })
        }),
    ),
    flaw(
        "replays",
        "gives again what it said to an id that begins with the same 64 characters",
        "C-20.8",
        Twist::Replays(64),
    ),
    flaw("no-bucket", "knows no GET /engine", "C-1.1", Twist::Says(("GET", "/engine"), 404, "{}")),
    flaw("rambling-bucket", "names its bucket in 70 KiB", "C-1.1", Twist::Rambles(("GET", "/engine"))),
    flaw("null-queue", "names no queue", "C-2.1", Twist::Says(("GET", "/pilot"), 200, r#"{"res":null}"#)),
    flaw(
        "new-table",
        "names another table each time",
        "C-3.1",
        Twist::Edits(("GET", "/weapon"), |said, memory| {
            memory.asked += 1;
            said["res"] = json!(format!("table-{}", memory.asked));
        }),
    ),
    flaw(
        "negative-engines",
        "has -1 engines",
        "C-4.1",
        Twist::Says(("GET", "/engine/count"), 200, r#"{"res":-1}"#),
    ),
    flaw("moved", "redirects to another place", "C-4.1", Twist::Says(("GET", "/engine/count"), 307, "{}")),
    flaw(
        "pilots-in-an-object",
        "counts pilots in an object",
        "C-4.2",
        Twist::Says(("GET", "/pilot/count"), 200, r#"{"res":{"count":1}}"#),
    ),
    flaw(
        "weapons-on-a-page",
        "counts weapons on a page of HTML",
        "C-4.3",
        Twist::Says(("GET", "/weapon/count"), 200, "<html><body>3</body></html>"),
    ),
    flaw(
        "count-wanders",
        "counts an engine more every other time",
        "C-4.4",
        Twist::Edits(("GET", "/engine/count"), |said, memory| {
            memory.asked += 1;
            said["res"] = json!(said["res"].as_u64().unwrap_or_default() + memory.asked % 2);
        }),
    ),
    flaw(
        "state-in-envelope",
        "puts its state within {\"res\": …}",
        "C-5.1",
        Twist::Edits(("GET", "/state"), |said, _| *said = json!({ "res": said.clone() })),
    ),
    flaw(
        "state-without-modules",
        "leaves the modules out of its state",
        "C-5.1",
        Twist::Edits(("GET", "/state"), |said, _| {
            *said = json!({ "name": said["name"], "square": said["square"] })
        }),
    ),
    flaw(
        "state-without-weapons",
        "has no weapons in its state",
        "C-5.2",
        Twist::Edits(("GET", "/state"), |said, _| said["modules"]["weapon"] = json!(0)),
    ),
    flaw(
        "other-name",
        "gives another name than its instance's",
        "C-5.3",
        Twist::Edits(("GET", "/state"), |said, _| said["name"] = json!("car")),
    ),
    flaw("no-pilot", "is started without a pilot", "C-5.4", Twist::Starts(&[("pilot", 0)])),
    flaw("crowded", "is started with 12 engines", "C-5.4", Twist::Starts(&[("engine", 12)])),
    flaw(
        "too-dear",
        "is started with more than its team can pay for",
        "C-5.4",
        Twist::Starts(&[("weapon", 60)]),
    ),
    flaw("no-patch-state", "knows no PATCH /state", "C-6.1", Twist::Says(("PATCH", "/state"), 405, "{}")),
    flaw(
        "square-wraps",
        "keeps the place on the ring instead of the square",
        "C-6.2",
        Twist::Does(("PATCH", "/state"), |asked, _| Some(asked.with_square(asked.square()? % 300))),
    ),
    flaw(
        "square-adds-up",
        "adds the square to the one where it was",
        "C-6.2",
        Twist::Does(("PATCH", "/state"), |asked, memory| {
            memory.square += asked.square()?;
            Some(asked.with_square(memory.square))
        }),
    ),
    flaw(
        "zero-is-nothing",
        "takes square 0 for no square",
        "C-6.2",
        Twist::Does(("PATCH", "/state"), |asked, memory| {
            memory.square = match asked.square()? {
                0 => memory.square,
                square => square,
            };
            Some(asked.with_square(memory.square))
        }),
    ),
    flaw(
        "never-back",
        "never goes back to a smaller square",
        "C-6.2",
        Twist::Does(("PATCH", "/state"), |asked, memory| {
            memory.square = memory.square.max(asked.square()?);
            Some(asked.with_square(memory.square))
        }),
    ),
    flaw(
        "again-is-further",
        "moves on when it is told the same square twice",
        "C-6.3",
        Twist::Does(("PATCH", "/state"), |asked, memory| {
            let square = asked.square()?;
            let again = memory.last.back().is_some_and(|last| *last == square.to_string());
            memory.last.push_back(square.to_string());
            Some(asked.with_square(square + u64::from(again)))
        }),
    ),
    flaw(
        "engine-for-a-move",
        "puts in an engine when it is told its square",
        "C-6.4",
        Twist::Also(("PATCH", "/state"), |_, memory| vec![extra("engine", memory)]),
    ),
    flaw(
        "stumbles-over-squares",
        "answers 500 to a PATCH /state without a square",
        "C-6.5",
        Twist::SaysToNonsense(("PATCH", "/state"), 500),
    ),
    flaw(
        "no-square-is-zero",
        "goes to square 0 when it is told none",
        "C-6.5",
        Twist::Does(("PATCH", "/state"), |asked, _| Some(asked.with_square(asked.square().unwrap_or(0)))),
    ),
    flaw(
        "short-squares",
        "refuses squares beyond 32767",
        "C-6.6",
        Twist::Refuses(("PATCH", "/state"), 422, |asked, _| {
            asked.square().is_some_and(|square| square > 32_767)
        }),
    ),
    flaw(
        "signed-squares",
        "refuses squares beyond 2147483647",
        "C-6.6",
        Twist::Refuses(("PATCH", "/state"), 422, |asked, _| {
            asked.square().is_some_and(|square| square > 0x7fff_ffff)
        }),
    ),
    flaw(
        "no-put",
        "knows no PUT /state/position",
        "C-7.1",
        Twist::Says(("PUT", "/state/position"), 404, "{}"),
    ),
    flaw(
        "position-ignored",
        "does not believe PUT /state/position",
        "C-7.2",
        Twist::Ignores(("PUT", "/state/position")),
    ),
    flaw(
        "position-at-face-value",
        "answers 200 to a PUT /state/position without a square",
        "C-7.3",
        Twist::SaysToNonsense(("PUT", "/state/position"), 200),
    ),
    flaw(
        "position-to-1000",
        "keeps no square beyond 1000 that PUT /state/position tells",
        "C-7.4",
        Twist::Does(("PUT", "/state/position"), |asked, _| {
            Some(asked.with_square(asked.square()?.min(1_000)))
        }),
    ),
    flaw("no-delete-state", "knows no DELETE /state", "C-8.1", Twist::Says(("DELETE", "/state"), 405, "{}")),
    flaw(
        "gone-for-good",
        "never comes back into the race",
        "C-8.2",
        Twist::Refuses(("*", "/state"), 410, |asked, memory| {
            memory.retired |= asked.method == "DELETE";
            memory.retired && asked.method == "PATCH"
        }),
    ),
    flaw(
        "one-goodbye",
        "answers 404 to a second DELETE /state",
        "C-8.3",
        Twist::Refuses(("*", "/state"), 404, |asked, memory| {
            let before = memory.retired;
            match asked.method.as_str() {
                "DELETE" => memory.retired = true,
                "PATCH" => memory.retired = false,
                _ => {}
            }
            before && asked.method == "DELETE"
        }),
    ),
    flaw(
        "retires-empty",
        "drops its weapons when it leaves the race",
        "C-8.4",
        Twist::Also(("DELETE", "/state"), |_, _| {
            vec![Asked::new("PATCH", "/weapon", Some(json!({ "count": 0 })))]
        }),
    ),
    flaw(
        "mute-when-out",
        "answers 404 to GET /state when it is out of the race",
        "C-8.5",
        Twist::Refuses(("*", "/state"), 404, |asked, memory| {
            match asked.method.as_str() {
                "DELETE" => memory.retired = true,
                "PATCH" => memory.retired = false,
                _ => {}
            }
            memory.retired && asked.method == "GET"
        }),
    ),
    flaw(
        "back-to-the-start",
        "forgets its square when it leaves the race",
        "C-8.5",
        Twist::Also(("DELETE", "/state"), |_, _| {
            vec![Asked::new("PUT", "/state/position", None).with_square(0)]
        }),
    ),
    flaw("no-patch-weapon", "knows no PATCH /weapon", "C-9.1", Twist::Says(("PATCH", "/weapon"), 405, "{}")),
    flaw("count-ignored", "does not believe PATCH /pilot", "C-9.1", Twist::Ignores(("PATCH", "/pilot"))),
    flaw(
        "count-adds-up",
        "adds as many modules as there must be",
        "C-9.1",
        Twist::Does(("PATCH", "/engine"), |asked, _| {
            let count = asked.json()["count"].as_u64()?;
            Some(Asked::new("PATCH", "/engine", Some(json!({ "count": count + 4 }))))
        }),
    ),
    flaw(
        "never-fewer",
        "never drops modules by PATCH",
        "C-9.2",
        Twist::Does(("PATCH", "/engine"), |asked, memory| {
            memory.square = memory.square.max(asked.json()["count"].as_u64()?);
            Some(Asked::new("PATCH", "/engine", Some(json!({ "count": memory.square }))))
        }),
    ),
    flaw(
        "same-count-adds-one",
        "adds a module when the count is right already",
        "C-9.3",
        Twist::Does(("PATCH", "/weapon"), |asked, memory| {
            let count = asked.json()["count"].as_u64()?;
            let again = memory.last.back().is_some_and(|last| *last == count.to_string());
            memory.last.push_back(count.to_string());
            Some(Asked::new("PATCH", "/weapon", Some(json!({ "count": count + u64::from(again) }))))
        }),
    ),
    flaw(
        "count-of-all",
        "brings its pilots to the count of its engines",
        "C-9.4",
        Twist::Also(("PATCH", "/engine"), |asked, _| vec![Asked::new("PATCH", "/pilot", Some(asked.json()))]),
    ),
    flaw(
        "stumbles-over-counts",
        "answers 500 to a PATCH /engine without a count",
        "C-9.5",
        Twist::SaysToNonsense(("PATCH", "/engine"), 500),
    ),
    flaw(
        "never-none",
        "refuses a count of 0",
        "C-9.6",
        Twist::Refuses(("PATCH", "/*"), 422, |asked, _| asked.json()["count"] == json!(0)),
    ),
    flaw(
        "names-taken",
        "adds engines under names that are taken, when it is brought to a count",
        "C-9.7",
        Twist::Does(("*", "/engine*"), |asked, memory| {
            match (asked.method.as_str(), asked.module()) {
                ("POST", Some(module)) => _ = memory.names.insert(module),
                ("DELETE", Some(module)) => _ = memory.names.remove(&module),
                _ => {}
            }
            let count = asked.json()["count"].as_u64().filter(|_| asked.method == "PATCH")?;
            let is_taken =
                |number: &u64| memory.names.contains(&("engine".into(), format!("engine-{number}")));
            let taken = (1..=count).filter(is_taken).count() as u64;
            Some(Asked::new("PATCH", "/engine", Some(json!({ "count": count - taken }))))
        }),
    ),
    flaw("gain-ignored", "does not add engines", "C-10.1", Twist::Ignores(("POST", "/engine"))),
    flaw("no-post-pilot", "knows no POST /pilot", "C-10.1", Twist::Says(("POST", "/pilot"), 501, "{}")),
    flaw(
        "two-for-one",
        "adds two weapons for one",
        "C-10.1",
        Twist::Also(("POST", "/weapon"), |_, memory| vec![extra("weapon", memory)]),
    ),
    flaw(
        "twins",
        "adds a module again under another name",
        "C-10.2",
        Twist::Does(ANY, |asked, memory| {
            let (kind, name) = asked.module()?;
            if asked.method == "DELETE" {
                memory.names.remove(&(kind, name));
                return None;
            }
            memory.asked += 1;
            let new = memory.names.insert((kind, name.clone()));
            (!new).then(|| asked.named(&format!("{name}-{}", memory.asked)))
        }),
    ),
    flaw(
        "engine-with-a-weapon",
        "adds an engine with each weapon",
        "C-10.3",
        Twist::Also(("POST", "/weapon"), |_, memory| vec![extra("engine", memory)]),
    ),
    flaw(
        "short-names",
        "refuses names of more than 64 bytes",
        "C-10.4",
        Twist::Refuses(("POST", "/*"), 422, |asked, _| {
            asked.module().is_some_and(|(_, name)| name.len() > 64)
        }),
    ),
    flaw(
        "ascii-names",
        "refuses names that are not ASCII",
        "C-10.4",
        Twist::Refuses(("POST", "/*"), 422, |asked, _| {
            asked.module().is_some_and(|(_, name)| !name.is_ascii())
        }),
    ),
    flaw(
        "old-state",
        "has the modules in its state with which it was started",
        "C-10.5",
        Twist::Edits(("GET", "/state"), |said, memory| {
            let modules = said["modules"].clone();
            said["modules"] = memory.first.get_or_insert(modules).clone();
        }),
    ),
    flaw(
        "stumbles-over-names",
        "answers 500 to a POST without a name",
        "C-10.6",
        Twist::SaysToNonsense(("POST", "/engine"), 500),
    ),
    flaw(
        "unnamed",
        "adds a module without a name",
        "C-10.6",
        Twist::Does(("POST", "/weapon"), |asked, _| {
            asked
                .module()
                .is_none()
                .then(|| Asked::new("POST", "/weapon", Some(json!({ "name": "unnamed" }))))
        }),
    ),
    flaw(
        "case-folded",
        "takes A and a for the same letter",
        "C-10.7",
        Twist::Does(ANY, |asked, _| asked.module().map(|(_, name)| asked.named(&name.to_lowercase()))),
    ),
    flaw("full", "refuses an 11th module", "C-10.8", Twist::Full(10)),
    flaw(
        "one-digit",
        "says in its state that it has 9 modules of a kind where it has more",
        "C-10.9",
        Twist::Edits(("GET", "/state"), |said, _| {
            for kind in ["engine", "pilot", "weapon"] {
                let count = said["modules"][kind].as_u64().unwrap_or_default();
                said["modules"][kind] = json!(count.min(9));
            }
        }),
    ),
    flaw(
        "names-of-255",
        "refuses names of more than 255 bytes",
        "C-10.10",
        Twist::Refuses(("POST", "/*"), 422, |asked, _| {
            asked.module().is_some_and(|(_, name)| name.len() > 255)
        }),
    ),
    flaw(
        "normalises",
        "writes each é in one way",
        "C-10.11",
        Twist::Does(ANY, |asked, _| {
            asked.module().map(|(_, name)| asked.named(&name.replace("e\u{301}", "é")))
        }),
    ),
    flaw(
        "trims",
        "takes blanks at the ends of a name away",
        "C-10.11",
        Twist::Does(ANY, |asked, _| asked.module().map(|(_, name)| asked.named(name.trim()))),
    ),
    flaw("loss-ignored", "does not take weapons away", "C-11.1", Twist::Ignores(("DELETE", "/weapon/*"))),
    flaw(
        "no-delete-pilot",
        "knows no DELETE /pilot/{name}",
        "C-11.1",
        Twist::Says(("DELETE", "/pilot/*"), 405, "{}"),
    ),
    flaw(
        "two-at-once",
        "takes two engines away for one",
        "C-11.1",
        Twist::DropsOne(("DELETE", "/engine/*"), 200),
    ),
    flaw(
        "stumbles-over-absence",
        "answers 500 to the loss of what it has not",
        "C-11.2",
        Twist::SaysToNonsense(("DELETE", "/*"), 500),
    ),
    flaw(
        "some-other-one",
        "takes another engine away instead of one that it has not",
        "C-11.2",
        Twist::DropsOne(("DELETE", "/engine/*"), 404),
    ),
    flaw(
        "tombstones",
        "never adds again what was once taken away",
        "C-11.3",
        Twist::Does(ANY, |asked, memory| {
            let module = asked.module()?;
            if asked.method == "DELETE" {
                memory.gone.insert(module);
                return None;
            }
            memory.gone.contains(&module).then(|| Asked::new("GET", "/state", None))
        }),
    ),
    flaw(
        "not-decoded",
        "takes names from the path as they are written",
        "C-11.4",
        Twist::Does(("DELETE", "/*"), |asked, _| {
            let raw = asked.path.split('/').nth(2)?;
            Some(asked.named(raw))
        }),
    ),
    flaw(
        "decoded-twice",
        "decodes names twice",
        "C-11.4",
        Twist::Does(("DELETE", "/*"), |asked, _| {
            let (_, name) = asked.module()?;
            Some(asked.named(&percent_decode_str(&name).decode_utf8_lossy()))
        }),
    ),
    flaw(
        "plus-is-blank",
        "takes a + in a name for a blank",
        "C-11.4",
        Twist::Does(("DELETE", "/*"), |asked, _| {
            let (_, name) = asked.module()?;
            Some(asked.named(&name.replace('+', " ")))
        }),
    ),
    flaw(
        "latin-1",
        "reads names on the path as Latin-1",
        "C-11.4",
        Twist::Does(("DELETE", "/*"), |asked, _| {
            let (_, name) = asked.module()?;
            Some(asked.named(&name.bytes().map(char::from).collect::<String>()))
        }),
    ),
    flaw(
        "by-prefix",
        "takes away all modules whose names begin like that",
        "C-11.5",
        Twist::Also(("*", "/*"), |asked, memory| {
            let Some((kind, name)) = asked.module() else { return Vec::new() };
            if asked.method == "POST" {
                memory.names.insert((kind, name));
                return Vec::new();
            }
            let alike = memory.names.iter().filter(|(of, other)| *of == kind && other.starts_with(&name));
            alike.map(|(_, other)| asked.named(other)).collect()
        }),
    ),
    flaw(
        "of-any-kind",
        "takes away the modules of this name of all kinds",
        "C-11.6",
        Twist::Also(("DELETE", "/*"), |asked, _| {
            let Some((_, name)) = asked.module() else { return Vec::new() };
            let path = |kind: Kind| format!("/{kind}/{}", encode_name(&name));
            Kind::ALL.map(|kind| Asked::new("DELETE", path(kind), None)).into()
        }),
    ),
    flaw(
        "count-is-reserved",
        "knows no module that is called count",
        "C-11.7",
        Twist::Says(("DELETE", "/engine/count"), 405, "{}"),
    ),
    flaw(
        "short-paths",
        "answers 414 to a path of more than 1000 bytes",
        "C-11.8",
        Twist::Refuses(ANY, 414, |asked, _| asked.path.len() > 1_000),
    ),
    flaw(
        "normalises-losses",
        "writes each é on the path in one way",
        "C-11.9",
        Twist::Does(("DELETE", "/*"), |asked, _| {
            asked.module().map(|(_, name)| asked.named(&name.replace("e\u{301}", "é")))
        }),
    ),
    flaw(
        "trims-losses",
        "takes blanks at the ends of a name on the path away",
        "C-11.9",
        Twist::Does(("DELETE", "/*"), |asked, _| asked.module().map(|(_, name)| asked.named(name.trim()))),
    ),
    flaw(
        "wreck-maybe",
        "answers maybe at a wreck",
        "C-12.1",
        Twist::Says(("GET", "/event/wreck"), 200, r#"{"res":"maybe"}"#),
    ),
    flaw(
        "helps-itself",
        "takes an engine from a wreck by itself",
        "C-12.2",
        Twist::Also(("GET", "/event/wreck"), |_, memory| vec![extra("engine", memory)]),
    ),
    flaw("mine-late", "thinks too long about mines", "C-13.1", Twist::Takes(("GET", "/event/mine"), 150)),
    flaw(
        "drives-by-itself",
        "moves when it is asked about mines",
        "C-13.2",
        Twist::Also(("GET", "/event/mine"), |_, memory| {
            memory.asked += 1;
            vec![Asked::new("PUT", "/state/position", None).with_square(7_777 + memory.asked)]
        }),
    ),
    flaw(
        "turbo",
        "wants a turbo in the garage",
        "C-14.1",
        Twist::Says(("POST", "/event/garage"), 200, r#"{"res":"turbo"}"#),
    ),
    flaw(
        "garage-closed",
        "answers 503 in the garage",
        "C-14.1",
        Twist::Says(("POST", "/event/garage"), 503, "{}"),
    ),
    flaw(
        "serves-itself",
        "takes an engine in the garage by itself",
        "C-14.2",
        Twist::Also(("POST", "/event/garage"), |_, memory| vec![extra("engine", memory)]),
    ),
    flaw(
        "nothing-is-free",
        "refuses an offer in which a price is 0",
        "C-14.3",
        Twist::Refuses(("POST", "/event/garage"), 422, |asked, _| {
            ["engine", "pilot", "weapon"].iter().any(|kind| asked.json()[kind] == json!(0))
        }),
    ),
    flaw(
        "one-foe",
        "knows only team 7",
        "C-15.1",
        Twist::Refuses(("GET", "/fight/shouldfight"), 500, |asked, _| !asked.path.ends_with("id=7")),
    ),
    flaw(
        "fight-yes",
        "answers yes to a fight",
        "C-15.1",
        Twist::Says(("GET", "/fight/shouldfight"), 200, r#"{"res":"yes"}"#),
    ),
    flaw(
        "relative-url",
        "gives a path for the URL of its AI",
        "C-16.1",
        Twist::Says(("GET", "/fight/iaurl"), 200, r#"{"res":"/prod/action"}"#),
    ),
    flaw("no-ai", "has no AI", "C-16.1", Twist::Says(("GET", "/fight/iaurl"), 404, "{}")),
    flaw(
        "dead-ai",
        "gives a URL where nobody answers",
        "C-16.2",
        Twist::Says(("GET", "/fight/iaurl"), 200, r#"{"res":"http://127.0.0.1:1/action"}"#),
    ),
    flaw(
        "bare-values",
        "leaves out {\"res\": …}",
        "C-19.1",
        Twist::Edits(ANY, |said, _| {
            if let Some(res) = said.get("res") {
                *said = res.clone();
            }
        }),
    ),
    flaw("anybody", "does not look at the secret", "C-20.2", Twist::Secret(Guard::Anybody)),
    flaw(
        "secret-begins-right",
        "looks only at how the secret begins",
        "C-20.2",
        Twist::Secret(Guard::Prefix),
    ),
    flaw(
        "missing-secret",
        "takes a missing secret for the right one",
        "C-20.3",
        Twist::Secret(Guard::MissingIsRight),
    ),
    flaw("secret-too-late", "looks at the secret when all is done", "C-20.4", Twist::Secret(Guard::TooLate)),
    flaw(
        "never-twice",
        "answers 409 to a request that is sent again",
        "C-20.5",
        Twist::Refuses(ANY, 409, |asked, memory| asked.id.clone().is_some_and(|id| !memory.ids.insert(id))),
    ),
    flaw(
        "debounced",
        "ignores a command like one of the last three",
        "C-20.6",
        Twist::Does(("PATCH", "/state"), |asked, memory| {
            let text = String::from_utf8_lossy(&asked.body).into_owned();
            let known = memory.last.contains(&text);
            memory.last.push_back(text);
            while memory.last.len() > 3 {
                memory.last.pop_front();
            }
            known.then(|| Asked::new("GET", "/state", None))
        }),
    ),
    flaw(
        "short-ids",
        "refuses ids of more than 64 characters",
        "C-20.7",
        Twist::Refuses(ANY, 400, |asked, _| asked.id.as_ref().is_some_and(|id| id.len() > 64)),
    ),
    flaw("hangs-up", "closes the connection after each answer", "C-21.2", Twist::HangsUp),
    flaw(
        "slow-garage",
        "takes more than half of the deadline in the garage",
        "C-21.3",
        Twist::Takes(("POST", "/event/garage"), 65),
    ),
    flaw(
        "knows-all-paths",
        "answers 200 to a path that it does not know",
        "C-21.4",
        Twist::SaysToNonsense(("GET", "/*"), 200),
    ),
    flaw(
        "booleans-as-text",
        "answers \"true\"",
        "C-22.1",
        Twist::Edits(ANY, |said, _| {
            if let Some(value) = said["res"].as_bool() {
                said["res"] = json!(value.to_string());
            }
        }),
    ),
    flaw(
        "booleans-as-numbers",
        "answers 1 for true",
        "C-22.1",
        Twist::Edits(ANY, |said, _| {
            if let Some(value) = said["res"].as_bool() {
                said["res"] = json!(u8::from(value));
            }
        }),
    ),
    flaw(
        "numbers-as-text",
        "answers \"3\"",
        "C-22.2",
        Twist::Edits(ANY, |said, _| {
            if let Some(number) = said["res"].as_u64() {
                said["res"] = json!(number.to_string());
            }
        }),
    ),
    flaw(
        "fractions",
        "answers 3.0",
        "C-22.2",
        Twist::Edits(ANY, |said, _| {
            if let Some(number) = said["res"].as_u64().and_then(|number| u32::try_from(number).ok()) {
                said["res"] = json!(f64::from(number));
            }
        }),
    ),
    flaw(
        "capitals",
        "answers Pilot",
        "C-22.3",
        Twist::Edits(("POST", "/event/garage"), |said, _| {
            if said["res"] == json!("pilot") {
                said["res"] = json!("Pilot");
            }
        }),
    ),
    flaw("says-html", "says that its JSON is HTML", "C-22.4", Twist::Speaks(Some("text/html"))),
    flaw("says-nothing", "does not say what its answers are", "C-22.4", Twist::Speaks(None)),
    flaw(
        "chatty",
        "adds fields that nobody asked for",
        "C-22.5",
        Twist::Edits(ANY, |said, _| {
            if let Some(object) = said.as_object_mut() {
                object.insert("took_ms".to_owned(), json!(3));
            }
        }),
    ),
    flaw(
        "distracted",
        "forgets its square where its engines were counted just before",
        "R-3.1.1",
        Twist::Does(ANY, |asked, memory| {
            let distracted =
                std::mem::replace(&mut memory.asked_for_engines, asked.is_on(("GET", "/engine/count")));
            (distracted && asked.is_on(("PATCH", "/state"))).then(|| Asked::new("GET", "/state", None))
        }),
    ),
    flaw(
        "not-for-car-1",
        "refuses what the game master finds for car 1",
        "R-5.2.1",
        Twist::Refuses(("POST", "/*"), 409, |asked, _| {
            asked.module().is_some_and(|(_, name)| name.contains("-c1-"))
        }),
    ),
];

const fn flaw(name: &'static str, what: &'static str, caught_by: &'static str, twist: Twist) -> Flaw {
    Flaw { name, what, caught_by, twist }
}

/// A module that nobody asked for.
fn extra(kind: &str, memory: &mut Memory) -> Asked {
    memory.asked += 1;
    Asked::new("POST", format!("/{kind}"), Some(json!({ "name": format!("extra-{}", memory.asked) })))
}

/// The healthy car with this defect. `secret` is the healthy car's.
pub fn broken_car(flaw: &Flaw, healthy: Router, secret: &str) -> Router {
    let car = Arc::new(BrokenCar {
        twist: flaw.twist,
        healthy,
        secret: secret.to_owned(),
        memory: Mutex::new(Memory::default()),
    });
    Router::new().fallback(move |request: Request| Arc::clone(&car).answer(request))
}

struct BrokenCar {
    twist: Twist,
    healthy: Router,
    secret: String,
    memory: Mutex<Memory>,
}

/// What a car says: its status and body.
type Said = (StatusCode, Bytes);

impl BrokenCar {
    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the healthy car, as who knows the secret.
    fn ask(&self, asked: Asked) -> BoxFuture<'static, Said> {
        self.ask_as(asked, Some(self.secret.clone()))
    }

    fn ask_as(&self, asked: Asked, secret: Option<String>) -> BoxFuture<'static, Said> {
        let mut healthy = self.healthy.clone();
        async move {
            let mut request = Request::new(Body::from(asked.body));
            *request.method_mut() = Method::try_from(asked.method.as_str()).unwrap_or_default();
            *request.uri_mut() = Uri::try_from(asked.path).unwrap_or_default();
            for (name, value) in [("x-eacc-secret", secret), ("x-eacc-request-id", asked.id)] {
                if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
                    request.headers_mut().insert(name, value);
                }
            }
            let Ok(response) = healthy.call(request).await;
            let (head, body) = response.into_parts();
            (head.status, to_bytes(body, usize::MAX).await.unwrap_or_default())
        }
        .boxed()
    }

    async fn answer(self: Arc<Self>, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let header = |name: &str| head.headers.get(name)?.to_str().ok().map(ToOwned::to_owned);
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let id = header("x-eacc-request-id");
        let asked = Asked { method: head.method.to_string(), path, body, id };
        let given = header("x-eacc-secret");
        // A stranger is refused by the healthy car, before any twist is looked at.
        let is_stranger = given.as_ref() != Some(&self.secret);
        if is_stranger && !matches!(self.twist, Twist::Secret(_) | Twist::Breaks) {
            return self.response(self.ask_as(asked, given).await);
        }
        self.twisted(asked, given, is_stranger).await
    }

    /// How many modules of a kind the healthy car has.
    async fn count(&self, kind: &str) -> u64 {
        let (_, body) = self.ask(Asked::new("GET", format!("/{kind}/count"), None)).await;
        serde_json::from_slice::<Value>(&body).unwrap_or_default()["res"].as_u64().unwrap_or_default()
    }

    /// Brings the healthy car to the counts with which it is to begin.
    async fn start(&self) {
        let Twist::Starts(counts) = self.twist else { return };
        if std::mem::replace(&mut self.memory().started, true) {
            return;
        }
        for (kind, count) in counts {
            self.ask(Asked::new("PATCH", format!("/{kind}"), Some(json!({ "count": count })))).await;
        }
    }

    async fn twisted(&self, asked: Asked, given: Option<String>, is_stranger: bool) -> Response {
        let done = |status: u16, body: &'static str| {
            (StatusCode::from_u16(status).unwrap_or_default(), Bytes::from_static(body.as_bytes()))
        };
        self.start().await;
        let said = match self.twist {
            Twist::Says(on, status, body) if asked.is_on(on) => done(status, body),
            Twist::SaysToNonsense(on, status) if asked.is_on(on) => match self.ask(asked).await {
                (refused, _) if refused.is_client_error() => done(status, OK),
                said => said,
            },
            Twist::Ignores(on) if asked.is_on(on) => done(200, OK),
            Twist::Does(on, instead) if asked.is_on(on) => {
                let instead = instead(&asked, &mut self.memory());
                self.ask(instead.unwrap_or(asked)).await
            }
            Twist::Also(on, more) if asked.is_on(on) => {
                let said = self.ask(asked.clone()).await;
                if said.0.is_success() {
                    let more = more(&asked, &mut self.memory());
                    for also in more {
                        self.ask(also).await;
                    }
                }
                said
            }
            Twist::Edits(on, edit) if asked.is_on(on) => {
                let (status, body) = self.ask(asked).await;
                match serde_json::from_slice::<Value>(&body) {
                    Ok(mut body) if status.is_success() => {
                        edit(&mut body, &mut self.memory());
                        (status, body.to_string().into())
                    }
                    _ => (status, body),
                }
            }
            Twist::Refuses(on, status, refuses) if asked.is_on(on) => {
                let refused = refuses(&asked, &mut self.memory());
                if refused { done(status, "{}") } else { self.ask(asked).await }
            }
            Twist::Full(most) if asked.is_on(("POST", "/*")) && asked.module().is_some() => {
                let mut total = 0;
                for kind in Kind::ALL {
                    total += self.count(kind.word()).await;
                }
                if total >= most { done(409, "{}") } else { self.ask(asked).await }
            }
            Twist::DropsOne(on, when) if asked.is_on(on) => {
                let said = self.ask(asked.clone()).await;
                if said.0.as_u16() == when {
                    let count = self.count(&asked.kind()).await.saturating_sub(1);
                    self.ask(Asked::new(
                        "PATCH",
                        format!("/{}", asked.kind()),
                        Some(json!({ "count": count })),
                    ))
                    .await;
                }
                said
            }
            Twist::Takes(on, percent) if asked.is_on(on) => {
                sleep(Duration::from_millis(10 * percent)).await;
                self.ask(asked).await
            }
            Twist::Breaks => return broken_off(),
            Twist::Rambles(on) if asked.is_on(on) => {
                let long = json!({ "res": "x".repeat(70 * 1024) });
                (StatusCode::OK, long.to_string().into())
            }
            Twist::Replays(length) => {
                let id: Option<String> = asked.id.as_ref().map(|id| id.chars().take(length).collect());
                let known = id.as_ref().and_then(|id| self.memory().said.get(id).cloned());
                let said = match known {
                    Some(said) => said,
                    None => self.ask(asked).await,
                };
                self.memory().said.extend(id.map(|id| (id, said.clone())));
                said
            }
            Twist::Secret(guard) => {
                let lets_in = match guard {
                    Guard::Anybody | Guard::TooLate => true,
                    Guard::MissingIsRight => given.is_none(),
                    Guard::Prefix => given.as_ref().is_some_and(|given| given.starts_with(&self.secret)),
                };
                let said = match lets_in {
                    true => self.ask(asked).await,
                    false => self.ask_as(asked, given).await,
                };
                if guard == Guard::TooLate && is_stranger { done(401, "{}") } else { said }
            }
            _ => self.ask(asked).await,
        };
        self.response(said)
    }

    fn response(&self, (status, body): Said) -> Response {
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        match self.twist {
            Twist::Speaks(None) => {}
            Twist::Speaks(Some(other)) => _ = headers.insert(CONTENT_TYPE, HeaderValue::from_static(other)),
            _ => _ = headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json")),
        }
        if matches!(self.twist, Twist::HangsUp) {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// An answer that begins, and breaks off.
fn broken_off() -> Response {
    let nothing = stream::iter([Err::<Bytes, io::Error>(io::ErrorKind::ConnectionReset.into())]);
    Response::new(Body::from_stream(nothing))
}

//! What the API offers over HTTP: each path with its handler and, beside it, its description, so that neither is there
//! without the other.
//!
//! ```text
//! Operation::post("/v1/complaints", file).named("fileComplaint", "…").for_team().once()…
//!     ├─▶ the router        └─▶ /openapi.json, and the help at /
//! ```

use super::Web;
use axum::handler::Handler;
use axum::routing::{MethodRouter, get, post};
use serde_json::Value;

/// What a parameter of a path, a query or a header can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Text.
    Text,
    /// A whole number from 0 on.
    Whole,
    /// `true` or `false`.
    YesOrNo,
    /// One of these words.
    Word(&'static [&'static str]),
}

/// Where a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// A header.
    Header,
}

/// A parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parameter {
    /// Where it is.
    pub(super) place: Place,
    /// Its name.
    pub(super) name: &'static str,
    /// What it can be.
    pub(super) shape: Shape,
    /// What it does.
    pub(super) about: &'static str,
}

/// Who may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// Whoever likes to.
    Everybody,
    /// Whoever may see the race.
    Watchers,
    /// Teams.
    Teams,
    /// Admins.
    Admins,
}

/// A form of the answer that all went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Good {
    /// Its media type.
    pub(super) media_type: &'static str,
    /// The name of its schema; none: it is text.
    pub(super) schema: Option<&'static str>,
}

/// One operation.
pub(super) struct Operation {
    /// Its path, with the parameters in braces.
    pub(super) path: &'static str,
    /// Its method, in capitals.
    pub(super) method: &'static str,
    /// What does it.
    pub(super) handler: MethodRouter<Web>,
    /// Its name for programs.
    pub(super) id: &'static str,
    /// What it does, in a line.
    pub(super) summary: &'static str,
    /// What it does.
    pub(super) about: &'static str,
    /// Who may ask.
    pub(super) who: For,
    /// Its parameters.
    pub(super) parameters: Vec<Parameter>,
    /// The schema of its body, if it takes one.
    pub(super) body: Option<&'static str>,
    /// What is answered when all went well.
    pub(super) good: Vec<Good>,
    /// What the answer says, in a line.
    pub(super) answer: &'static str,
    /// The errors that are its own: status and meaning.
    pub(super) errors: Vec<(u16, &'static str)>,
    /// The messages of the protocol files that it answers with, by their full names.
    pub(super) messages: Vec<&'static str>,
    /// Its own schemas.
    pub(super) schemas: Vec<(&'static str, Value)>,
}

impl Operation {
    /// Something to be read.
    pub(super) fn get<H: Handler<T, Web>, T: 'static>(path: &'static str, handler: H) -> Operation {
        Operation::new("GET", path, get(handler))
    }

    /// Something to be done.
    pub(super) fn post<H: Handler<T, Web>, T: 'static>(path: &'static str, handler: H) -> Operation {
        Operation::new("POST", path, post(handler))
    }

    fn new(method: &'static str, path: &'static str, handler: MethodRouter<Web>) -> Operation {
        Operation {
            path,
            method,
            handler,
            id: "",
            summary: "",
            about: "",
            who: For::Everybody,
            parameters: Vec::new(),
            body: None,
            good: Vec::new(),
            answer: "",
            errors: Vec::new(),
            messages: Vec::new(),
            schemas: Vec::new(),
        }
    }

    /// Its name for programs, and what it does in a line and in more.
    pub(super) fn named(mut self, id: &'static str, summary: &'static str, about: &'static str) -> Operation {
        (self.id, self.summary, self.about) = (id, summary, about);
        self
    }

    /// Who may ask.
    pub(super) fn asked_by(mut self, who: For) -> Operation {
        self.who = who;
        self
    }

    /// A parameter.
    pub(super) fn parameter(
        mut self,
        place: Place,
        name: &'static str,
        shape: Shape,
        about: &'static str,
    ) -> Operation {
        self.parameters.push(Parameter { place, name, shape, about });
        self
    }

    /// The race in the path.
    pub(super) fn of_race(self) -> Operation {
        let about = "The race, by its id: `GET /v1/races` names those that are.";
        self.parameter(Place::Path, "race", Shape::Text, about).error(404, "There is no such race.")
    }

    /// It is done once for each key.
    pub(super) fn once(self) -> Operation {
        let about = "Names this request, 1 to 100 visible ASCII characters: the same one again gives the same answer and \
                     changes nothing. Without it each request is a new one.";
        self.parameter(Place::Header, "Idempotency-Key", Shape::Text, about)
            .error(
                409,
                "The key was used for another request; or the state of the race is against it, see `code`.",
            )
            .error(429, "Too many requests wait: again after `Retry-After`.")
            .error(503, "The journal can't be written, or the game master shuts down; nothing was changed.")
    }

    /// A body of this schema.
    pub(super) fn takes(mut self, name: &'static str, schema: Value) -> Operation {
        self.body = Some(name);
        self.schemas.push((name, schema));
        self
    }

    /// What is answered when all went well.
    pub(super) fn answers(mut self, answer: &'static str) -> Operation {
        self.answer = answer;
        self
    }

    /// The answer is a message of the protocol files, in these media types.
    pub(super) fn message(
        mut self,
        media_types: &[&'static str],
        full_name: &'static str,
        name: &'static str,
    ) -> Operation {
        self.messages.push(full_name);
        self.good.extend(media_types.iter().map(|media_type| Good { media_type, schema: Some(name) }));
        self
    }

    /// The answer is JSON of a schema of its own.
    pub(super) fn json(mut self, name: &'static str, schema: Value) -> Operation {
        self.schemas.push((name, schema));
        self.good.push(Good { media_type: "application/json", schema: Some(name) });
        self
    }

    /// A message that its own schemas refer to.
    pub(super) fn holds(mut self, full_name: &'static str) -> Operation {
        self.messages.push(full_name);
        self
    }

    /// The answer is text, or JSON without a schema.
    pub(super) fn plain(mut self, media_type: &'static str) -> Operation {
        self.good.push(Good { media_type, schema: None });
        self
    }

    /// An error of its own.
    pub(super) fn error(mut self, status: u16, meaning: &'static str) -> Operation {
        self.errors.push((status, meaning));
        self
    }
}

//! The server of a mock: wiremock, with one mock that listens and one that answers.
//!
//! ```text
//! request ──▶ Hears: written down, its fault drawn ──(to be dropped?)──▶ closed
//!                                  └──────────────────▶ Answers: the subject, as the fault lets it
//! ```

use super::fault::{Endpoint, Fault, What};
use crate::client::REQUEST_ID;
use axum::http::header::HeaderMap;
use gm_core::ids::TurnNo;
use serde_json::Value;
use std::io;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wiremock::matchers::any;
use wiremock::{Match, Mock, MockServer, Request, Respond, ResponseTemplate};

/// How many requests a mock remembers.
pub const MAX_REMEMBERED: usize = 100_000;

/// How many servers are kept when nobody needs them any more. Beyond that the oldest gives up its port.
const MAX_KEPT: usize = 1_000;

/// Servers that were dropped, and still hold their ports.
static KEPT: Mutex<Vec<MockServer>> = Mutex::new(Vec::new());

/// A request that a mock was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// The method.
    pub method: String,
    /// The path and query, as a URL parser leaves them.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
    /// What was asked; none for what is not in the contract.
    pub endpoint: Option<Endpoint>,
}

impl Heard {
    #[cfg(test)]
    pub(super) fn new(method: &str, path: &str, id: &str) -> Heard {
        let mut headers = HeaderMap::new();
        headers.insert("x-eacc-request-id", id.parse().expect("an id"));
        let endpoint = super::car::read(method, path, br#"{"square": 1}"#).ok().map(|it| Endpoint::of(&it));
        Heard { method: method.to_owned(), path: path.to_owned(), headers, body: Vec::new(), endpoint }
    }

    /// `GET /state`.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    /// The value of a header, if the request has it and it is ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body as JSON, if it is.
    #[must_use]
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// The turn that its id names (C-20): 3 for `race-t3-track-c1-1`.
    #[must_use]
    pub fn turn(&self) -> Option<TurnNo> {
        // From behind: the race's name may have such parts, too.
        let mut parts = self.header(REQUEST_ID)?.rsplit('-').skip(3);
        parts.next()?.strip_prefix('t')?.parse().ok().map(TurnNo)
    }
}

/// Who answers behind a server.
pub(super) trait Subject: Send + 'static {
    /// What is asked.
    fn endpoint(&self, heard: &Heard) -> Option<Endpoint>;

    /// Does what it is asked: status and body.
    fn obey(&mut self, heard: &Heard) -> (u16, Value);

    /// Answers in the form that is asked for, and not the truth.
    fn lie(&mut self, heard: &Heard) -> (u16, Value);
}

struct Desk<S> {
    subject: S,
    faults: Vec<Fault>,
    heard: Vec<Heard>,
    /// The request that is answered next, and its fault. Wiremock takes requests one after the other.
    next: Option<(Heard, Option<What>)>,
}

impl<S: Subject> Desk<S> {
    fn hear(&mut self, request: &Request) -> bool {
        let query = request.url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let mut heard = Heard {
            method: request.method.to_string(),
            path: format!("{}{query}", request.url.path()),
            headers: request.headers.clone(),
            body: request.body.clone(),
            endpoint: None,
        };
        heard.endpoint = self.subject.endpoint(&heard);
        // All count, and the first one whose turn it is goes wrong.
        let met: Vec<&Fault> =
            self.faults.iter_mut().filter_map(|fault| fault.meets(&heard).then_some(&*fault)).collect();
        let what = met.first().map(|fault| fault.what.clone());
        if self.heard.len() < MAX_REMEMBERED {
            self.heard.push(heard.clone());
        }
        let is_dropped = what == Some(What::Drop);
        self.next = Some((heard, what));
        is_dropped
    }

    fn answer(&mut self) -> ResponseTemplate {
        let Some((heard, what)) = self.next.take() else { return ResponseTemplate::new(500) };
        let said = |(status, body): (u16, Value)| ResponseTemplate::new(status).set_body_json(body);
        match what {
            None | Some(What::Drop) => said(self.subject.obey(&heard)),
            Some(What::Late(after)) => said(self.subject.obey(&heard)).set_delay(after),
            Some(What::Status(status)) => ResponseTemplate::new(status),
            Some(What::Body(body)) => {
                self.subject.obey(&heard);
                ResponseTemplate::new(200).set_body_raw(body, "application/json")
            }
            Some(What::WrongValue) => said(self.subject.lie(&heard)),
        }
    }
}

struct Hears<S>(Arc<Mutex<Desk<S>>>);

impl<S: Subject> Match for Hears<S> {
    fn matches(&self, request: &Request) -> bool {
        lock(&self.0).hear(request)
    }
}

struct Answers<S>(Arc<Mutex<Desk<S>>>);

impl<S: Subject> Respond for Answers<S> {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        lock(&self.0).answer()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A subject and its server.
pub(super) struct Server<S> {
    desk: Arc<Mutex<Desk<S>>>,
    url: String,
    /// Always there, but while it is dropped.
    wiremock: Option<MockServer>,
}

impl<S: Subject> Server<S> {
    /// Starts on a free port of the loopback.
    pub(super) async fn start(subject: S, faults: Vec<Fault>) -> io::Result<Server<S>> {
        // Not from wiremock's pool, whose servers go from test to test.
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let wiremock = MockServer::builder().listener(listener).disable_request_recording().start().await;
        let desk = Arc::new(Mutex::new(Desk { subject, faults, heard: Vec::new(), next: None }));
        let closed = |_: &Request| io::Error::new(io::ErrorKind::ConnectionAborted, "closed by its script");
        let hears = Mock::given(Hears(Arc::clone(&desk))).respond_with_err(closed).with_priority(1);
        hears.mount(&wiremock).await;
        Mock::given(any()).respond_with(Answers(Arc::clone(&desk))).with_priority(2).mount(&wiremock).await;
        Ok(Server { desk, url: wiremock.uri(), wiremock: Some(wiremock) })
    }

    /// Its base URL.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn requests(&self) -> Vec<Heard> {
        lock(&self.desk).heard.clone()
    }

    pub(super) fn follow(&self, faults: Vec<Fault>) {
        lock(&self.desk).faults = faults;
    }

    pub(super) fn with<T>(&self, look: impl FnOnce(&mut S) -> T) -> T {
        look(&mut lock(&self.desk).subject)
    }
}

impl<S> Drop for Server<S> {
    fn drop(&mut self) {
        let mut kept = lock(&KEPT);
        if kept.len() >= MAX_KEPT {
            kept.remove(0);
        }
        kept.extend(self.wiremock.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C-20: where the turn stands in an id.
    #[test]
    fn c_20_the_turn_of_an_id() {
        for (id, turn) in [
            ("race-t3-track-c1-1", Some(3)),
            ("race-t0-command12-c0-7", Some(0)),
            ("the-t9-race-x-y-t12-pirateduel-c3-2", Some(12)),
            ("race-7f3a-look1-c1-1", None),
            ("race-t-track-c1-1", None),
            ("t3-track-c1", None),
            ("", None),
        ] {
            assert_eq!(Heard::new("GET", "/state", id).turn(), turn.map(TurnNo), "{id}");
        }
    }
}

//! The cars and duel AIs of all runs, and what they were asked: one server for each, as new for each race.
//!
//! ```text
//! gm-5f0c…-t2-track-c3-1   PATCH /state {"square":5}    seen once by blue-1 of run "sent:17"
//! ```
//!
//! The addresses are in the events, so all runs share the servers. The secret (C-20) of a car's first request says of
//! which run its race is, and then the race's name in each request's id does.

use super::race::{self, Course, Defect};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::timeout;
use tower_service::Service;

/// How long anything may take that is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The largest body that is read, in bytes.
const MAX_BODY: usize = 64 * 1024;

/// The servers of all runs.
pub(crate) struct Field {
    pub(crate) course: Course,
    pub(crate) addresses: BTreeMap<&'static str, SocketAddr>,
    runs: Mutex<BTreeMap<String, Arc<Run>>>,
}

/// The cars and AIs of one run, and what they were asked.
pub(crate) struct Run {
    name: String,
    course: Course,
    servers: BTreeMap<&'static str, Router>,
    seen: Mutex<Seen>,
    /// How many requests are being answered.
    under_way: watch::Sender<usize>,
    /// The process that is running; none between two.
    process: watch::Sender<Option<Pid>>,
    /// What it has said on its error output.
    told: watch::Sender<String>,
    strike: Option<Strike>,
}

/// What a car does to the process that asks it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Strike {
    /// At which request of the run, counted from 1.
    pub(crate) at: usize,
    /// The signals that it sends, each with what the process must have said before: of two signals that come at the
    /// same time one is lost.
    pub(crate) signals: &'static [(&'static str, Signal)],
    /// Whether it waits for the end of the process before it does what it was told.
    pub(crate) waits: bool,
}

/// The requests of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// The name of the race.
    pub(crate) race: Option<String>,
    /// By their place, which is the id without the race.
    pub(crate) requests: BTreeMap<String, Asked>,
    /// How many came.
    pub(crate) count: usize,
    /// What must not be.
    pub(crate) offences: Vec<String>,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Who was asked.
    pub(crate) server: &'static str,
    /// What: method, path, and below it a body or a header.
    pub(crate) text: String,
    /// The number of the first time it came, of all requests of the run.
    pub(crate) number: usize,
    /// How often it came.
    pub(crate) times: usize,
}

impl Field {
    /// Starts the servers.
    pub(crate) async fn start(course: Course) -> Arc<Field> {
        let names = race::TEAMS.iter().flat_map(|team| [team.ai, team.cars[0].0, team.cars[1].0]);
        let (mut addresses, mut listeners) = (BTreeMap::new(), Vec::new());
        for name in names {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            addresses.insert(name, listener.local_addr().expect("an address"));
            listeners.push((name, listener));
        }
        let field = Arc::new(Field { course, addresses, runs: Mutex::default() });
        for (name, listener) in listeners {
            let field = Arc::clone(&field);
            let router = Router::new().fallback(move |request| answer(field, name, request));
            tokio::spawn(axum::serve(listener, router).into_future());
        }
        field
    }

    /// New cars for a run.
    pub(crate) fn run(&self, name: &str, strike: Option<Strike>) -> Arc<Run> {
        let mut servers = race::cars(name, &self.addresses);
        for team in &race::TEAMS {
            servers.insert(team.ai, fight_lambda_reference::server::router(team.mind, race::SEED));
        }
        let run = Arc::new(Run {
            name: name.to_owned(),
            course: self.course,
            servers,
            seen: Mutex::default(),
            under_way: watch::Sender::new(0),
            process: watch::Sender::new(None),
            told: watch::Sender::default(),
            strike,
        });
        let before = lock(&self.runs).insert(name.to_owned(), Arc::clone(&run));
        assert!(before.is_none(), "two runs are called {name}");
        run
    }

    /// Forgets a run that came to its end.
    pub(crate) fn forget(&self, name: &str) {
        lock(&self.runs).remove(name);
    }

    /// The file of `gm run`.
    pub(crate) fn file(&self, run: &str) -> String {
        self.course.file(run, &self.addresses)
    }

    /// The run that a request belongs to.
    fn run_of(&self, headers: &HeaderMap, race: &str) -> Option<Arc<Run>> {
        let runs = lock(&self.runs);
        let by_secret = text(headers, "x-eacc-secret").and_then(race::run_of).and_then(|name| runs.get(name));
        let found = by_secret.or_else(|| runs.values().find(|run| run.seen().race.as_deref() == Some(race)));
        found.cloned()
    }
}

impl Run {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }

    /// What was asked until now.
    pub(crate) fn requests(&self) -> Seen {
        self.seen().clone()
    }

    /// A process runs, or none does any more.
    pub(crate) fn runs_in(&self, process: Option<Pid>) {
        if process.is_some() {
            self.told.send_replace(String::new());
        }
        self.process.send_replace(process);
    }

    /// The process says something.
    pub(crate) fn is_told(&self, line: &str) {
        self.told.send_modify(|told| {
            told.push_str(line);
            told.push('\n');
        });
    }

    /// What the process has said.
    pub(crate) fn told(&self) -> String {
        self.told.borrow().clone()
    }

    /// Waits until all requests that came were answered.
    pub(crate) async fn is_quiet(&self) {
        let mut under_way = self.under_way.subscribe();
        let quiet = timeout(PATIENCE, under_way.wait_for(|requests| *requests == 0)).await;
        assert!(quiet.is_ok(), "run {}: a request is answered for ever", self.name);
    }

    /// What each car says of itself.
    pub(crate) async fn states(&self) -> BTreeMap<&'static str, String> {
        let mut states = BTreeMap::new();
        for team in &race::TEAMS {
            for (car, _, _) in &team.cars {
                let mut said = String::new();
                for path in ["/state", "/engine/count", "/pilot/count", "/weapon/count"] {
                    let request =
                        Request::get(path).header("x-eacc-secret", race::secret(&self.name, team.name));
                    let request = request.body(Body::empty()).expect("a request");
                    let Ok(response) = self.servers[car].clone().call(request).await;
                    let body = to_bytes(response.into_body(), MAX_BODY).await.expect("a body");
                    said.push_str(&String::from_utf8_lossy(&body));
                }
                states.insert(*car, said);
            }
        }
        states
    }

    /// Notes a request down; gives its number.
    fn note(&self, race: &str, place: &str, server: &'static str, asked: String) -> usize {
        let mut seen = self.seen();
        seen.count += 1;
        let count = seen.count;
        let other = seen.race.get_or_insert_with(|| race.to_owned()) != race;
        if other {
            seen.offences.push(format!("a second race asks: {race}"));
        }
        let Seen { requests, offences, .. } = &mut *seen;
        let first = requests.entry(place.to_owned()).or_insert_with(|| Asked {
            server,
            text: asked.clone(),
            number: count,
            times: 0,
        });
        first.times += 1;
        if (first.server, &first.text) != (server, &asked) {
            offences.push(format!(
                "{place} was {} asked {:?}, and then {server} {asked:?}",
                first.server, first.text
            ));
        }
        count
    }

    /// Strikes the process that asks, if it is time.
    async fn strike(&self, number: usize) {
        let Some(Strike { at, signals, waits }) = self.strike else { return };
        if number != at {
            return;
        }
        let mut process = self.process.subscribe();
        let runs = timeout(PATIENCE, process.wait_for(Option::is_some)).await;
        let pid = runs.ok().and_then(Result::ok).and_then(|pid| *pid);
        let Some(pid) = pid else { return self.seen().offences.push("nobody to be struck".to_owned()) };
        let mut told = self.told.subscribe();
        for (after, signal) in signals {
            if timeout(PATIENCE, told.wait_for(|told| told.contains(after))).await.is_err() {
                self.seen().offences.push(format!("{after:?} was not said"));
            }
            if let Err(error) = kill_process(pid, *signal) {
                self.seen().offences.push(format!("signal {signal:?} could not be sent: {error}"));
            }
        }
        if waits && timeout(PATIENCE, process.wait_for(Option::is_none)).await.is_err() {
            self.seen().offences.push("the process was struck, and lives".to_owned());
        }
    }

    async fn does(&self, server: &'static str, request: Request) -> Response {
        match self.servers.get(server) {
            Some(router) => router.clone().call(request).await.into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        }
    }

    async fn answer(&self, server: &'static str, asked: Came, number: usize) -> Response {
        self.strike(number).await;
        let line = format!("{} {}", asked.method, asked.uri);
        let defect = self.course.defect(server, &asked.place, &line);
        let request = asked.request();
        match defect {
            None => self.does(server, request).await,
            Some(Defect::Status500) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            Some(Defect::OneMore) => one_more(self.does(server, request).await).await,
            Some(Defect::Html) => {
                let status = self.does(server, request).await.status();
                (status, [(CONTENT_TYPE, "text/html")], "<html>It works!</html>").into_response()
            }
            Some(Defect::Breaks) => {
                let _ = self.does(server, request).await;
                let broken = [Ok(Bytes::from_static(b"{\"res\":")), Err(std::io::Error::other("breaks"))];
                ([(CONTENT_LENGTH, "100")], Body::from_stream(stream::iter(broken))).into_response()
            }
            Some(Defect::Slow) => {
                let _ = timeout(race::SLOW, pending::<()>()).await;
                self.does(server, request).await
            }
            Some(Defect::Late) => {
                let _ = self.does(server, request).await;
                StatusCode::REQUEST_TIMEOUT.into_response()
            }
        }
    }
}

/// A request that came.
struct Came {
    place: String,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
}

impl Came {
    fn request(self) -> Request {
        let mut request = Request::new(Body::from(self.body));
        *request.method_mut() = self.method;
        *request.uri_mut() = self.uri;
        *request.headers_mut() = self.headers;
        request
    }
}

/// A request that is being answered, until this is dropped.
struct UnderWay(Arc<Run>);

impl UnderWay {
    fn new(run: &Arc<Run>) -> UnderWay {
        run.under_way.send_modify(|requests| *requests += 1);
        UnderWay(Arc::clone(run))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.send_modify(|requests| *requests -= 1);
    }
}

async fn answer(field: Arc<Field>, server: &'static str, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else { return StatusCode::BAD_REQUEST.into_response() };
    let id = text(&parts.headers, "x-eacc-request-id").unwrap_or_default();
    // Races are called gm-0123456789abcdef, places t2-track-c3-1.
    let Some((race, place)) = id.split_once("-t").map(|(race, place)| (race, format!("t{place}"))) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let Some(run) = field.run_of(&parts.headers, race) else { return StatusCode::NOT_FOUND.into_response() };
    let seen = text(&parts.headers, "x-eacc-duel").unwrap_or_default();
    let asked = format!("{} {}\n{}{seen}", parts.method, parts.uri, String::from_utf8_lossy(&body));
    let number = run.note(race, &place, server, asked);
    let is_late =
        run.course.defect(server, &place, &format!("{} {}", parts.method, parts.uri)) == Some(Defect::Late);

    let came = Came { place, method: parts.method, uri: parts.uri, headers: parts.headers, body };
    let under_way = UnderWay::new(&run);
    // In a task of its own: who asks may die, and what was asked is done all the same.
    let answering = tokio::spawn(async move {
        let _under_way = under_way;
        run.answer(server, came, number).await
    });
    let answer = answering.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response());
    if is_late { pending().await } else { answer }
}

/// One more than the truth, where the answer is a number.
async fn one_more(response: Response) -> Response {
    let body = to_bytes(response.into_body(), MAX_BODY).await.unwrap_or_default();
    let count = serde_json::from_slice::<Value>(&body).ok().and_then(|value| value.get("res")?.as_u64());
    axum::Json(json!({ "res": count.unwrap_or_default() + 1 })).into_response()
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

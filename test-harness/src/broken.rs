//! Cars that misbehave over real HTTP: a healthy car behind a server that follows a script (C-21).
//!
//! ```no_run
//! # async fn a_test(healthy: axum::Router) -> std::io::Result<()> {
//! use test_harness::broken::{BrokenCar, Defect, Script};
//! let script = Script::new(Defect::WrongCount).on("GET", "/engine/count").from(2).times(1);
//! let car = BrokenCar::start(healthy, vec![script]).await?;
//! # let _ = car.url(); Ok(())
//! # }
//! ```
//!
//! Requests that no script is about are the healthy car's to answer. All that came are remembered. Where a fault is one of
//! the contract rather than of HTTP, or is for one turn, a [`mock`](crate::mock) says it in fewer words.

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, LOCATION};
use axum::http::{Request, Response, StatusCode};
use futures_util::stream;
use gm_core::contract::BaseUrl;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{interval, sleep};
use tower_service::Service;

/// How many requests a car remembers.
pub const MAX_REMEMBERED: usize = 100_000;

/// The largest body that a request may have, in bytes.
pub const MAX_BODY: usize = 64 * 1024;

/// How a car misbehaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Defect {
    /// Does nothing and says nothing, until the other side gives up.
    NeverAnswers,
    /// Does what it is asked, and says so at one byte a second.
    Drips,
    /// Does what it is asked, and never stops talking.
    EndlessBody,
    /// Does what it is asked, and says so after this time.
    AnswersLate(Duration),
    /// Does what it is asked, and answers with a page.
    Html,
    /// Does what it is asked, and answers with JSON that is not the value asked for.
    WrongJson,
    /// Does what it is asked, and adds one where it says a number.
    WrongCount,
    /// Does nothing, and answers as if it had: a module is forgotten, a square not believed.
    Forgets,
    /// Does nothing, and answers 500.
    Status500,
    /// Does nothing, and sends the other side elsewhere: to this base URL.
    Redirects(String),
    /// Does nothing, and answers 401, as to a wrong secret.
    WrongSecret,
    /// Does nothing, and closes the connection.
    Closes,
}

/// When a car misbehaves, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    defect: Defect,
    method: &'static str,
    path: &'static str,
    from: usize,
    times: usize,
}

impl Script {
    /// This defect, on every request from the first on.
    #[must_use]
    pub fn new(defect: Defect) -> Script {
        Script { defect, method: "*", path: "*", from: 1, times: usize::MAX }
    }

    /// Only on requests with this method and path, without its query. `*` for a method is any, at the end of a path
    /// anything that follows.
    #[must_use]
    pub fn on(self, method: &'static str, path: &'static str) -> Script {
        Script { method, path, ..self }
    }

    /// Only from the `nth` of those requests on, counted from 1.
    #[must_use]
    pub fn from(self, nth: usize) -> Script {
        Script { from: nth, ..self }
    }

    /// Only so many times.
    #[must_use]
    pub fn times(self, times: usize) -> Script {
        Script { times, ..self }
    }

    fn is_about(&self, seen: &Seen) -> bool {
        let path = seen.path.split('?').next().unwrap_or_default();
        let on_path = match self.path.strip_suffix('*') {
            Some(start) => path.starts_with(start),
            None => path == self.path,
        };
        on_path && (self.method == "*" || self.method == seen.method)
    }
}

/// A request that a car was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The number of the connection it came on, from 0.
    pub connection: usize,
    /// The method.
    pub method: String,
    /// The path and query as they were written.
    pub path: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Seen {
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
}

/// A car that misbehaves as its scripts say. Stops when it is dropped.
#[derive(Debug)]
pub struct BrokenCar {
    url: BaseUrl,
    memory: Arc<Mutex<Memory>>,
    serving: JoinHandle<()>,
}

#[derive(Debug)]
struct Memory {
    scripts: Vec<(Script, usize)>,
    seen: Vec<Seen>,
    under_way: usize,
    most_under_way: usize,
}

impl BrokenCar {
    /// Starts a car on a free port of the loopback. Where several scripts are about a request, the first one whose
    /// turn it is counts.
    ///
    /// # Errors
    /// If no port can be had.
    pub async fn start(healthy: Router, scripts: Vec<Script>) -> io::Result<BrokenCar> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let url = BaseUrl::parse(&url).map_err(io::Error::other)?;
        let scripts = scripts.into_iter().map(|script| (script, 0)).collect();
        let memory = Memory { scripts, seen: Vec::new(), under_way: 0, most_under_way: 0 };
        let memory = Arc::new(Mutex::new(memory));
        let serving = tokio::spawn(accept(listener, healthy, Arc::clone(&memory)));
        Ok(BrokenCar { url, memory, serving })
    }

    /// Where the car is.
    #[must_use]
    pub fn url(&self) -> &BaseUrl {
        &self.url
    }

    /// From now on it misbehaves as these scripts say, and no longer as the ones before. They count from the next
    /// request on.
    pub fn follow(&self, scripts: Vec<Script>) {
        lock(&self.memory).scripts = scripts.into_iter().map(|script| (script, 0)).collect();
    }

    /// All requests that came, in order, at most [`MAX_REMEMBERED`].
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        lock(&self.memory).seen.clone()
    }

    /// The most requests that were under way at the same time: 1 for a car that is asked as C-23 says.
    #[must_use]
    pub fn most_under_way(&self) -> usize {
        lock(&self.memory).most_under_way
    }
}

impl Drop for BrokenCar {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn lock(memory: &Mutex<Memory>) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn accept(listener: TcpListener, healthy: Router, memory: Arc<Mutex<Memory>>) {
    let mut connections = JoinSet::new();
    let mut number = 0;
    loop {
        while connections.try_join_next().is_some() {}
        let Ok((stream, _)) = listener.accept().await else { return };
        let (healthy, memory) = (healthy.clone(), Arc::clone(&memory));
        connections.spawn(async move {
            let service = service_fn(|request| answer(&healthy, &memory, number, request));
            // A connection that ends in an error is what some of the defects are for.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
        number += 1;
    }
}

/// The connection is closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("closed by its script")]
struct Closed;

/// A request that is under way, until this is dropped.
struct UnderWay<'a>(&'a Mutex<Memory>);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        lock(self.0).under_way -= 1;
    }
}

async fn answer(
    healthy: &Router,
    memory: &Mutex<Memory>,
    connection: usize,
    request: Request<Incoming>,
) -> Result<Response<Body>, Closed> {
    let (parts, body) = request.into_parts();
    let body = to_bytes(Body::new(body), MAX_BODY).await.map_err(|_| Closed)?;
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let seen = Seen {
        connection,
        method: parts.method.to_string(),
        path,
        headers: parts.headers.clone(),
        body: body.clone(),
    };
    let path = seen.path.clone();
    let defect = lock(memory).remember(seen);
    let _under_way = UnderWay(memory);
    let does = async || match healthy.clone().call(Request::from_parts(parts, Body::from(body))).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    Ok(match defect {
        None => does().await,
        Some(Defect::NeverAnswers) => pending().await,
        Some(Defect::Drips) => drips(does().await).await?,
        Some(Defect::EndlessBody) => endless(does().await),
        Some(Defect::AnswersLate(after)) => {
            let response = does().await;
            sleep(after).await;
            response
        }
        Some(Defect::Html) => said(does().await.status(), "text/html", "<html><body>It works!</body></html>"),
        Some(Defect::WrongJson) => said(does().await.status(), JSON, r#"{"res": {"it": ["works"]}}"#),
        Some(Defect::WrongCount) => one_more(does().await).await?,
        Some(Defect::Forgets) => said(StatusCode::OK, JSON, r#"{"res": "ok"}"#),
        Some(Defect::Status500) => said(StatusCode::INTERNAL_SERVER_ERROR, JSON, r#"{"error": "oops"}"#),
        Some(Defect::WrongSecret) => said(StatusCode::UNAUTHORIZED, JSON, r#"{"error": "wrong secret"}"#),
        Some(Defect::Redirects(to)) => {
            let mut response = said(StatusCode::TEMPORARY_REDIRECT, JSON, "");
            response.headers_mut().insert(LOCATION, format!("{to}{path}").parse().map_err(|_| Closed)?);
            response
        }
        Some(Defect::Closes) => return Err(Closed),
    })
}

impl Memory {
    fn remember(&mut self, seen: Seen) -> Option<Defect> {
        self.under_way += 1;
        self.most_under_way = self.most_under_way.max(self.under_way);
        let mut defect = None;
        for (script, count) in &mut self.scripts {
            if script.is_about(&seen) {
                *count += 1;
                let ago = count.checked_sub(script.from);
                if defect.is_none() && ago.is_some_and(|ago| ago < script.times) {
                    defect = Some(script.defect.clone());
                }
            }
        }
        if self.seen.len() < MAX_REMEMBERED {
            self.seen.push(seen);
        }
        defect
    }
}

const JSON: &str = "application/json";

fn said(status: StatusCode, content_type: &'static str, body: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, content_type.parse().expect("a content type"));
    response
}

/// The same answer with another body, whose length is not announced.
fn with_body(response: Response<Body>, body: Body) -> Response<Body> {
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, body)
}

async fn drips(response: Response<Body>) -> Result<Response<Body>, Closed> {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.map_err(|_| Closed)?;
    let bytes = stream::unfold((body, interval(Duration::from_secs(1))), |(mut left, mut seconds)| async {
        if left.is_empty() {
            return None;
        }
        seconds.tick().await;
        let byte = left.split_to(1);
        Some((Ok::<_, Infallible>(byte), (left, seconds)))
    });
    Ok(with_body(Response::from_parts(parts, Body::empty()), Body::from_stream(bytes)))
}

fn endless(response: Response<Body>) -> Response<Body> {
    let more = Bytes::from_static(&[b' '; 4096]);
    let body = stream::unfold(more, |more| async move { Some((Ok::<_, Infallible>(more.clone()), more)) });
    with_body(response, Body::from_stream(body))
}

/// One more than the truth, where the answer is a number: `{"res": 3}` becomes `{"res": 4}`.
async fn one_more(response: Response<Body>) -> Result<Response<Body>, Closed> {
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.map_err(|_| Closed)?;
    let count = serde_json::from_slice::<Value>(&body).ok().and_then(|value| value.get("res")?.as_u64());
    let body = count.map_or(body, |count| json!({ "res": count.saturating_add(1) }).to_string().into());
    Ok(with_body(Response::from_parts(parts, Body::empty()), Body::from(body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Json;
    use axum::routing::get;
    use gm_core::contract::{Fault, Kind};
    use gm_core::ids::{CarId, TeamId, TurnNo};
    use gm_core::ports::{Car, Chain, Topic, World};
    use gm_grpc::drive::{HttpCar, HttpWorld, Limits, Settings};
    use std::sync::atomic::{AtomicU64, Ordering};

    /// As much of a healthy car as these tests need: it counts its engines, three at first.
    fn healthy() -> Router {
        let engines = Arc::new(AtomicU64::new(3));
        let gained = Arc::clone(&engines);
        let count = async move || Json(json!({ "res": engines.load(Ordering::Relaxed) }));
        let gain = async move || Json(json!({ "res": gained.fetch_add(1, Ordering::Relaxed) }));
        Router::new().route("/engine/count", get(count)).route("/engine", axum::routing::post(gain))
    }

    fn conversation(car: &BrokenCar) -> HttpCar {
        let deadline = Duration::from_millis(400);
        let mut settings = Settings::new("race");
        settings.limits = Limits { car: deadline, ai: deadline, in_flight: 4 };
        let chain = Chain { turn: TurnNo(1), topic: Topic::Track, car: CarId(1) };
        HttpWorld::new(settings).expect("good settings").car(chain, TeamId(1), car.url())
    }

    /// C-21: a defect on every request; what comes of a gained engine, of the question how many there are, and how
    /// many there are in truth.
    #[tokio::test]
    async fn c_21_each_defect() {
        let elsewhere = BrokenCar::start(healthy(), vec![]).await.expect("a port");
        let late = Defect::AnswersLate(Duration::from_secs(2));
        let redirects = Defect::Redirects(elsewhere.url().to_string());
        for (defect, gain, count, truth) in [
            (Defect::NeverAnswers, Err(Fault::Late), Err(Fault::Late), 3),
            (Defect::Drips, Err(Fault::Late), Err(Fault::Late), 4),
            (Defect::EndlessBody, Err(Fault::TooLarge), Err(Fault::TooLarge), 4),
            (late, Err(Fault::Late), Err(Fault::Late), 4),
            (Defect::Html, Ok(()), Err(Fault::NotJson), 4),
            (Defect::WrongJson, Ok(()), Err(Fault::NotTheValue), 4),
            (Defect::WrongCount, Ok(()), Ok(5), 4),
            (Defect::Forgets, Ok(()), Err(Fault::NotTheValue), 3),
            (Defect::Status500, Err(Fault::Status(500)), Err(Fault::Status(500)), 3),
            (redirects, Err(Fault::Status(307)), Err(Fault::Status(307)), 3),
            (Defect::WrongSecret, Err(Fault::Status(401)), Err(Fault::Status(401)), 3),
            (Defect::Closes, Err(Fault::Broken), Err(Fault::Broken), 3),
        ] {
            let name = format!("{defect:?}");
            let broken = Script::new(defect).times(2);
            let car = BrokenCar::start(healthy(), vec![broken]).await.expect("a port");
            let mut talk = conversation(&car);
            assert_eq!(talk.gain(Kind::Engine, "V8").await, gain, "{name}");
            assert_eq!(talk.count(Kind::Engine).await.map(|taken| taken.value), count, "{name}");
            assert_eq!(talk.count(Kind::Engine).await.map(|taken| taken.value), Ok(truth), "{name}: truth");
            let lines: Vec<_> = car.requests().iter().map(Seen::line).collect();
            assert_eq!(lines, ["POST /engine", "GET /engine/count", "GET /engine/count"], "{name}");
        }
        assert_eq!(elsewhere.requests(), [], "nobody follows a redirect");
    }

    /// Which of five requests meet the defect: the script, and a letter for each.
    #[tokio::test]
    async fn when_a_script_counts() {
        let on = |method, path| Script::new(Defect::Status500).on(method, path);
        for (script, met) in [
            (on("*", "*"), "xxxxx"),
            (on("GET", "/engine/count"), "x.x.x"),
            (on("POST", "/engine"), ".x.x."),
            (on("*", "/engine*"), "xxxxx"),
            (on("*", "/engine"), ".x.x."),
            (on("PATCH", "*"), "....."),
            (on("GET", "*").from(2), "..x.x"),
            (on("*", "*").from(2).times(2), ".xx.."),
        ] {
            let name = format!("{script:?}");
            let car = BrokenCar::start(healthy(), vec![script]).await.expect("a port");
            let mut talk = conversation(&car);
            let mut seen = String::new();
            for number in 0..5 {
                let failed = match number % 2 {
                    0 => talk.count(Kind::Engine).await.is_err(),
                    _ => talk.gain(Kind::Engine, "V8").await.is_err(),
                };
                seen.push(if failed { 'x' } else { '.' });
            }
            assert_eq!(seen, met, "{name}");
        }
    }

    /// Other scripts replace the ones before, and count anew.
    #[tokio::test]
    async fn other_scripts() {
        let car = BrokenCar::start(healthy(), vec![Script::new(Defect::Status500)]).await.expect("a port");
        let mut talk = conversation(&car);
        for (scripts, answers) in [
            (vec![Script::new(Defect::Closes).from(3)], [Ok(3), Ok(3)]),
            (vec![], [Ok(3), Ok(3)]),
            (vec![Script::new(Defect::WrongCount).times(1)], [Ok(4), Ok(3)]),
        ] {
            car.follow(scripts);
            for answer in answers {
                assert_eq!(talk.count(Kind::Engine).await.map(|taken| taken.value), answer);
            }
        }
    }

    /// What a car remembers of a request.
    #[tokio::test]
    async fn what_is_remembered() {
        let car = BrokenCar::start(healthy(), vec![]).await.expect("a port");
        let mut talk = conversation(&car);
        talk.gain(Kind::Engine, "V8").await.expect("a healthy car");
        talk.count(Kind::Engine).await.expect("a healthy car");
        let [gain, count] = &car.requests()[..] else { panic!("two requests") };
        assert_eq!((gain.line(), &gain.body[..]), ("POST /engine".into(), &br#"{"name":"V8"}"#[..]));
        assert_eq!(gain.header("x-eacc-request-id"), Some("race-t1-track-c1-1"));
        assert_eq!((count.line(), &count.body[..]), ("GET /engine/count".into(), &b""[..]));
        assert_eq!((gain.connection, count.connection, car.most_under_way()), (0, 0, 1));
    }
}

//! A client for one car or one duel AI, as the game master is one: HTTP/1.1, one request at a time on one kept
//! connection, a deadline for each, no redirect followed (C-21, A-3).
//!
//! ```no_run
//! # async fn a_test() -> Result<(), test_harness::client::BadPlace> {
//! use test_harness::client::{Ask, Client};
//! let mut client = Client::new("http://127.0.0.1:8080")?;
//! let exchange = client.exchange(Ask::new("GET", "/state").header("X-EACC-SECRET", "s3cret")).await;
//! assert_eq!(exchange.answer().map(|got| got.status), Ok(200));
//! # Ok(())
//! # }
//! ```
//!
//! It sends what it is told to, malformed or not, writes the path exactly as it is given, and says of each exchange
//! how long it took. It has no idea what a right answer is.

use crate::stop::Stop;
use bytes::Bytes;
use gm_core::contract::{Answer, BadUrl, BaseUrl, ContentType, Fault};
use http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, Request, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::Value;
use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tower_service::Service;

/// The deadline of a request, connect included, where none is given (C-21, A-3).
pub const DEADLINE: Duration = Duration::from_secs(2);

/// How much of a body is told in a few words, in characters.
const SHOWN: usize = 200;

/// The header with the secret of a team's cars (C-20).
pub const SECRET: &str = "X-EACC-SECRET";

/// The header with the request's id (C-20).
pub const REQUEST_ID: &str = "X-EACC-REQUEST-ID";

/// Why a place can't be asked anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPlace {
    /// It is no absolute URL of http or https.
    #[error("{0:?} is no absolute http or https URL, such as http://127.0.0.1:8080")]
    Url(String),
    /// A car's URL with something that registration refuses (R-1.2), or an AI's with something that no car may give (C-16).
    #[error("the URL can't be used: {0}")]
    Refused(BadUrl),
    /// TLS could not be set up.
    #[error("https can't be used: {0}")]
    Tls(String),
}

impl BadPlace {
    /// Why `url` can't be used, as registration says it.
    #[must_use]
    pub fn of(url: &str, because: BadUrl) -> BadPlace {
        match because {
            BadUrl::NotAbsolute | BadUrl::Scheme | BadUrl::Slashes => BadPlace::Url(url.to_owned()),
            other => BadPlace::Refused(other),
        }
    }
}

/// The base URL of a car as registration takes it (R-1.2): no query, no fragment, no user name.
///
/// # Errors
/// [`BadPlace`] says what is wrong with it.
pub fn car_url(url: &str) -> Result<BaseUrl, BadPlace> {
    BaseUrl::parse(url).map_err(|because| BadPlace::of(url, because))
}

/// A secret that can't be sent in a header (C-20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret is ASCII, without blanks, and not empty")]
pub struct BadSecret;

/// Whether a secret can be sent in a header (C-20): visible ASCII, at least one character.
///
/// # Errors
/// [`BadSecret`] if not.
pub fn check_secret(secret: &str) -> Result<(), BadSecret> {
    if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(BadSecret);
    }
    Ok(())
}

/// A text in which something is not told: what a car says may hold the secret that it was sent (C-20).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Mask(Option<Arc<str>>);

impl Mask {
    /// Hides this; an empty text hides nothing.
    #[must_use]
    pub fn of(secret: &str) -> Mask {
        Mask(Some(secret).filter(|secret| !secret.is_empty()).map(Arc::from))
    }

    /// The text with `…` in place of what is hidden, as it stands or as JSON writes it.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        let Some(secret) = &self.0 else { return text.to_owned() };
        let escaped = Value::from(&**secret).to_string();
        let escaped = escaped.trim_start_matches('"').strip_suffix('"').unwrap_or_default();
        let hidden = text.replace(&**secret, "…");
        if escaped.is_empty() || escaped == &**secret { hidden } else { hidden.replace(escaped, "…") }
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask")
    }
}

/// A text without what a terminal would obey: control characters, and those that turn the direction of writing.
#[must_use]
pub fn harmless(text: &str) -> String {
    let obeyed = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if obeyed(c) { '\u{fffd}' } else { c }).collect()
}

/// A request, as it is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The method.
    pub method: String,
    /// The path and query, put behind the base URL as they are.
    pub path: String,
    /// The headers, but for those that HTTP itself needs.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
}

impl Ask {
    /// A request without headers and body.
    #[must_use]
    pub fn new(method: &str, path: &str) -> Ask {
        Ask { method: method.to_owned(), path: path.to_owned(), headers: Vec::new(), body: None }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Ask {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with a JSON body (C-20).
    #[must_use]
    pub fn json(self, body: &Value) -> Ask {
        self.body(body.to_string().into_bytes())
    }

    /// The same with a body of any bytes, which says that it is JSON.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Ask {
        self.body = Some(body.into());
        self.header(CONTENT_TYPE.as_str(), "application/json")
    }

    /// The value of a header, if the request has it.
    #[must_use]
    pub fn header_value(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// An answer, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Got {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, at most [`Answer::MAX_BODY`].
    pub body: Bytes,
}

impl Got {
    /// The answer as the contract's reader takes it.
    #[must_use]
    pub fn answer(&self) -> Answer {
        let header = self.headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
        Answer { status: self.status, content_type: ContentType::of(header), body: self.body.to_vec() }
    }

    /// The body as text, as far as it is UTF-8.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// What was asked, what came of it, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The base URL.
    pub place: String,
    /// What was asked.
    pub ask: Ask,
    /// What came of it.
    pub got: Result<Got, Fault>,
    /// From the moment it was sent, connect included.
    pub took: Duration,
    /// Since the client was made.
    pub at: Duration,
    /// The number of the connection that it went over, from 1; 0 if none was ever made.
    pub connection: u32,
    /// What is known of a fault beyond its name: why a place is unreachable.
    pub because: Option<String>,
    /// What is not told of the answer.
    pub mask: Mask,
}

impl Exchange {
    /// The answer, or the fault that kept it from coming.
    ///
    /// # Errors
    /// The fault.
    pub fn answer(&self) -> Result<&Got, Fault> {
        self.got.as_ref().map_err(|fault| *fault)
    }

    /// Whether it was sent at all, and not kept back since the run was to [stop](Stop).
    #[must_use]
    pub fn was_sent(&self) -> bool {
        self.got.is_ok() || !self.took.is_zero()
    }

    /// The status, if there was an answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        self.got.as_ref().ok().map(|got| got.status)
    }

    /// Why there is no answer, if there is none: `unreachable: the connection was refused`.
    #[must_use]
    pub fn fault_in_words(&self) -> Option<String> {
        let fault = self.answer().err()?;
        Some(match &self.because {
            Some(because) => format!("{fault}: {}", harmless(because)),
            None => fault.to_string(),
        })
    }

    /// What came of it, in a few words, without what is hidden or a terminal would obey.
    #[must_use]
    pub fn in_words(&self) -> String {
        let Ok(got) = self.answer() else { return self.fault_in_words().unwrap_or_default() };
        let text = self.mask.hide(&got.text());
        let text = text.trim_end();
        let short: String = text.chars().take(SHOWN).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        let short = if short.is_empty() { "no body".to_owned() } else { harmless(&short) };
        format!("{} and {short}{more}", got.status)
    }
}

/// Takes a whole URL apart: the place that a [`Client`] is for, and the path and query behind it.
#[must_use]
pub fn place_and_path(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    let end = url[host..].find(['/', '?']).map_or(url.len(), |at| host + at);
    url.split_at(end)
}

/// A client for one place.
pub struct Client {
    place: String,
    deadline: Duration,
    connector: HttpsConnector<HttpConnector>,
    line: Option<Line>,
    connections: u32,
    born: Instant,
    stop: Option<Stop>,
    because: Option<String>,
    mask: Mask,
}

/// An open connection. Closed when it is dropped.
struct Line {
    send: SendRequest<Full<Bytes>>,
    driver: AbortHandle,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl Client {
    /// A client for this base URL, which is only connected when it is asked something.
    ///
    /// # Errors
    /// [`BadPlace`].
    pub fn new(place: &str) -> Result<Client, BadPlace> {
        let place = place.trim_end_matches('/').to_owned();
        let uri = Uri::try_from(&place).map_err(|_| BadPlace::Url(place.clone()))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
            return Err(BadPlace::Url(place));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|because| BadPlace::Tls(because.to_string()))?
            .with_webpki_roots()
            .with_no_client_auth();
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let connector = https.wrap_connector(tcp);
        let born = Instant::now();
        let (line, because, mask) = (None, None, Mask::default());
        Ok(Client {
            place,
            deadline: DEADLINE,
            connector,
            line,
            connections: 0,
            born,
            because,
            mask,
            stop: None,
        })
    }

    /// The same, and what it tells of answers does not hold this secret.
    #[must_use]
    pub fn hiding(self, secret: Option<&str>) -> Client {
        Client { mask: Mask::of(secret.unwrap_or_default()), ..self }
    }

    /// From now on, what it tells of answers does not hold this secret.
    pub fn hide(&mut self, secret: &str) {
        self.mask = Mask::of(secret);
    }

    /// The same with another deadline.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Client {
        Client { deadline, ..self }
    }

    /// From now on, requests may take this long.
    pub fn wait_for(&mut self, deadline: Duration) {
        self.deadline = deadline;
    }

    /// The same, which sends nothing from the moment on when it is told to stop.
    #[must_use]
    pub fn heeding(mut self, stop: &Stop) -> Client {
        self.heed(stop);
        self
    }

    /// From now on it sends nothing when it is told to stop.
    pub fn heed(&mut self, stop: &Stop) {
        self.stop = Some(stop.clone());
    }

    /// From now on it asks, whatever it was told: to give back.
    pub fn go_on(&mut self) {
        self.stop = None;
    }

    /// The base URL.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// How long a request may take.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.deadline
    }

    /// Closes the connection: the next request opens another.
    pub fn hang_up(&mut self) {
        self.line = None;
    }

    /// Sends one request and waits for its answer, for as long as the deadline says. A connection that was closed
    /// while it was idle is opened anew.
    pub async fn exchange(&mut self, ask: Ask) -> Exchange {
        let sent = Instant::now();
        if self.stop.as_ref().is_some_and(|stop| stop.why().is_some()) {
            let (place, at, took) = (self.place.clone(), sent - self.born, Duration::ZERO);
            let got = Err(Fault::Unreachable);
            let (because, mask) = (None, self.mask.clone());
            return Exchange { place, ask, got, took, at, connection: self.connections, because, mask };
        }
        let deadline = self.deadline;
        self.because = None;
        let got = match timeout(deadline, self.try_exchange(&ask)).await {
            Ok(got) => got,
            Err(_) => {
                self.because = self.line.is_none().then(|| "no connection could be made".to_owned());
                Err(Fault::Late)
            }
        };
        if got.is_err() {
            // Whatever is still under way there belongs to no later request.
            self.line = None;
        }
        let (at, took) = (sent - self.born, sent.elapsed());
        Exchange {
            place: self.place.clone(),
            ask,
            got,
            took,
            at,
            connection: self.connections,
            because: self.because.take(),
            mask: self.mask.clone(),
        }
    }

    async fn try_exchange(&mut self, ask: &Ask) -> Result<Got, Fault> {
        let request = self.request(ask).map_err(|why| {
            self.because = Some(format!("the request can't be sent: {why}"));
            Fault::Broken
        })?;
        let reused = match &mut self.line {
            Some(line) => line.send.ready().await.is_ok(),
            None => false,
        };
        if reused {
            match self.send(request.clone()).await {
                Err(Sent::Nothing) => {}
                Err(Sent::Fault(fault)) => return Err(fault),
                Ok(got) => return Ok(got),
            }
        }
        self.connect().await?;
        self.send(request).await.map_err(|sent| match sent {
            Sent::Nothing => Fault::Broken,
            Sent::Fault(fault) => fault,
        })
    }

    async fn connect(&mut self) -> Result<(), Fault> {
        self.line = None;
        let place = Uri::try_from(&self.place).map_err(|_| Fault::Unreachable)?;
        let stream = self.connector.call(place).await.map_err(|error| {
            self.because = Some(why_unreachable(&*error));
            Fault::Unreachable
        })?;
        let (send, connection) = http1::handshake(stream).await.map_err(|_| Fault::Broken)?;
        let driver = tokio::spawn(async move { _ = connection.await }).abort_handle();
        self.line = Some(Line { send, driver });
        self.connections += 1;
        Ok(())
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Got, Sent> {
        let line = self.line.as_mut().ok_or(Sent::Nothing)?;
        let response = match line.send.send_request(request).await {
            Ok(response) => response,
            Err(error) if error.is_closed() || error.is_canceled() => return Err(Sent::Nothing),
            Err(_) => return Err(Sent::Fault(Fault::Broken)),
        };
        let (head, body) = response.into_parts();
        let body = whole(body).await.map_err(Sent::Fault)?;
        if line.send.is_closed() {
            self.line = None;
        }
        Ok(Got { status: head.status.as_u16(), headers: head.headers, body })
    }

    fn request(&self, ask: &Ask) -> Result<Request<Full<Bytes>>, http::Error> {
        // The URL is taken apart as text: nothing in it is normalised.
        let url = Uri::try_from(format!("{}{}", self.place, ask.path))?;
        let host = url.authority().map_or("", |authority| authority.as_str());
        let target = url.path_and_query().map_or("/", PathAndQuery::as_str);
        let mut request = Request::builder()
            .method(Method::try_from(ask.method.as_str())?)
            .uri(target)
            .header(HOST, HeaderValue::try_from(host)?)
            .body(Full::new(Bytes::from(ask.body.clone().unwrap_or_default())))?;
        for (name, value) in &ask.headers {
            request.headers_mut().append(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
        }
        Ok(request)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("place", &self.place).finish_non_exhaustive()
    }
}

/// Why no connection could be made, in words for people.
fn why_unreachable(error: &(dyn Error + 'static)) -> String {
    let mut links = vec![error];
    while let Some(next) = links.last().and_then(|last| deeper(*last)) {
        links.push(next);
    }
    let tls = links.iter().find_map(|link| link.downcast_ref::<rustls::Error>());
    let kind = links.iter().find_map(|link| link.downcast_ref::<io::Error>()).map(io::Error::kind);
    let host = links.iter().any(|link| link.to_string() == "dns error");
    match (tls, kind) {
        (Some(rustls::Error::InvalidMessage(_)), _) => "what answers there does not speak https".to_owned(),
        (Some(rustls::Error::InvalidCertificate(why)), _) => {
            format!("its certificate is not accepted: {why}")
        }
        (Some(other), _) => format!("https failed: {other}"),
        (None, _) if host => "there is no host of this name".to_owned(),
        (None, Some(ErrorKind::ConnectionRefused)) => "the connection was refused".to_owned(),
        _ => links.last().map(ToString::to_string).unwrap_or_default(),
    }
}

/// The error behind an error. One of the system's has another one in it, and not behind it.
fn deeper<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    held.map(|held| held as &(dyn Error + 'static)).or_else(|| error.source())
}

/// Why a request on a kept connection has no answer.
enum Sent {
    /// The connection was closed before it was sent.
    Nothing,
    /// It was sent.
    Fault(Fault),
}

/// The whole body, or [`Fault::TooLarge`].
async fn whole(mut body: Incoming) -> Result<Bytes, Fault> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| Fault::Broken)?.into_data() else { continue };
        if read.len() + data.len() > Answer::MAX_BODY {
            return Err(Fault::TooLarge);
        }
        read.extend_from_slice(&data);
    }
    Ok(Bytes::from(read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broken::{BrokenCar, Defect, Script};
    use axum::Router;
    use car_reference::{Car, CarSettings};

    fn healthy() -> Router {
        car_reference::router(Car::in_memory(CarSettings::new("i-0abc")))
    }

    /// C-21: what comes of a request to a car that misbehaves.
    #[tokio::test]
    async fn c_21_faults() {
        for (defect, expected) in [
            (Defect::NeverAnswers, Err(Fault::Late)),
            (Defect::EndlessBody, Err(Fault::TooLarge)),
            (Defect::Closes, Err(Fault::Broken)),
            (Defect::Status500, Ok(500)),
            (Defect::Redirects("http://127.0.0.1:9".to_owned()), Ok(307)),
        ] {
            let name = format!("{defect:?}");
            let car = BrokenCar::start(healthy(), vec![Script::new(defect)]).await.expect("a port");
            let client = Client::new(car.url().as_str()).expect("a place");
            let mut client = client.deadline(Duration::from_millis(300));
            let exchange = client.exchange(Ask::new("GET", "/engine/count")).await;
            assert_eq!(exchange.answer().map(|got| got.status), expected, "{name}");
            assert!(exchange.took < DEADLINE, "{name}: {:?}", exchange.took);
            // The next request is on a connection of its own, if need be, and gets its own answer.
            car.follow(Vec::new());
            let next = client.exchange(Ask::new("GET", "/pilot/count")).await;
            assert_eq!(next.answer().expect("healthy").text(), r#"{"res":1}"#, "{name}");
        }
        let mut nowhere = Client::new("http://127.0.0.1:1").expect("a place");
        assert_eq!(nowhere.exchange(Ask::new("GET", "/")).await.answer(), Err(Fault::Unreachable));
    }

    /// C-21, C-20: one connection for all requests, written as they are told.
    #[tokio::test]
    async fn c_21_keeps_its_connection() {
        let car = BrokenCar::start(healthy(), vec![]).await.expect("a port");
        let mut client = Client::new(&format!("{}/", car.url())).expect("a place");
        for path in ["/engine/%2E", "/engine/a%20b", "/state?x=[1,2]"] {
            let ask = Ask::new("DELETE", path).header(REQUEST_ID, "7").body("{}");
            assert_eq!(ask.header_value("x-eacc-request-id"), Some("7"));
            assert_eq!(client.exchange(ask).await.connection, 1);
        }
        client.hang_up();
        assert_eq!(client.exchange(Ask::new("GET", "/state")).await.connection, 2);
        let seen: Vec<(String, usize)> =
            car.requests().iter().map(|seen| (seen.line(), seen.connection)).collect();
        let expected = [("DELETE /engine/%2E", 0), ("DELETE /engine/a%20b", 0), ("DELETE /state?x=[1,2]", 0)];
        let expected: Vec<(String, usize)> =
            expected.into_iter().chain([("GET /state", 1)]).map(|(line, on)| (line.to_owned(), on)).collect();
        assert_eq!(seen, expected);
        assert_eq!(car.requests()[0].header("content-type"), Some("application/json"));
        assert_eq!(car.most_under_way(), 1, "C-23");
    }

    /// What is told to stop sends nothing more, until it is to go on.
    #[tokio::test]
    async fn a_client_that_is_told_to_stop() {
        let car = BrokenCar::start(healthy(), vec![]).await.expect("a port");
        let stop = Stop::default();
        let mut client = Client::new(car.url().as_str()).expect("a place").heeding(&stop);
        let mut sent = Vec::new();
        for path in ["/engine", "/pilot", "/weapon"] {
            sent.push(client.exchange(Ask::new("GET", path)).await.was_sent());
            match path {
                "/engine" => stop.because("a test"),
                _ => client.go_on(),
            }
        }
        assert_eq!(sent, [true, false, true]);
        let seen: Vec<String> = car.requests().iter().map(|seen| seen.line()).collect();
        assert_eq!(seen, ["GET /engine", "GET /weapon"]);
    }

    /// Why a place is unreachable is for people; what can't be written is not the car's fault.
    #[tokio::test]
    async fn faults_in_words() {
        let deadline = Duration::from_secs(60);
        let car = BrokenCar::start(healthy(), vec![]).await.expect("a port");
        let https = car.url().as_str().replace("http:", "https:");
        for (place, expected) in [
            ("http://127.0.0.1:1", "unreachable: the connection was refused"),
            (&https, "unreachable: what answers there does not speak https"),
        ] {
            let mut client = Client::new(place).expect("a place").deadline(deadline);
            let exchange = client.exchange(Ask::new("GET", "/state")).await;
            assert_eq!((exchange.in_words().as_str(), exchange.connection), (expected, 0));
        }
        let mut client = Client::new(car.url().as_str()).expect("a place");
        let exchange = client.exchange(Ask::new("GET", "/state").header(SECRET, "a\nb")).await;
        let expected = "the connection broke off: the request can't be sent: failed to parse header value";
        assert_eq!(exchange.in_words(), expected);
    }

    #[test]
    fn c_20_what_is_hidden() {
        for (secret, text, expected) in [
            ("s3cret", "a s3cret, s3cret", "a …, …"),
            ("a\"b", r#"{"was": "a\"b", a"b}"#, r#"{"was": "…", …}"#),
            ("", "nothing", "nothing"),
        ] {
            assert_eq!(Mask::of(secret).hide(text), expected);
            assert!(!format!("{:?}", Mask::of(secret)).contains("s3cret"));
        }
        assert_eq!(harmless("a\u{1b}[2J\n\u{202e}é"), "a\u{fffd}[2J\u{fffd}\u{fffd}é");
    }

    #[test]
    fn urls_are_taken_apart() {
        for (url, place, path) in [
            ("http://ai/prod/action?x=[1]", "http://ai", "/prod/action?x=[1]"),
            ("https://ai:81?x", "https://ai:81", "?x"),
            ("http://ai", "http://ai", ""),
        ] {
            assert_eq!(place_and_path(url), (place, path));
        }
    }

    #[test]
    fn places_that_are_none() {
        for place in ["", "car", "ftp://car", "http://", "car:8080", "http:// car"] {
            let refused = Client::new(place).expect_err(place).to_string();
            assert!(refused.contains("is no absolute http or https URL"), "{place}: {refused}");
        }
    }
}

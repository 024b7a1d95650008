//! A client that shows all of an answer, or a part of one that goes on.

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than anything here takes: a test that waits so long has failed.
pub(crate) const BOUND: Duration = Duration::from_secs(60);

/// A request.
#[derive(Clone)]
pub(crate) struct Ask {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Ask {
    pub(crate) fn new(method: &str, path: &str) -> Ask {
        let method = method.parse().expect("a method");
        Ask { method, path: path.to_owned(), headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn get(path: &str) -> Ask {
        Ask::new("GET", path)
    }

    pub(crate) fn post(path: &str, body: impl Into<Vec<u8>>) -> Ask {
        let mut ask = Ask::new("POST", path).header("content-type", "application/json");
        ask.body = body.into();
        ask
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Ask {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Ask {
        self.headers.retain(|(given, _)| given != name);
        self
    }

    /// With a team's secret; empty: nobody's.
    pub(crate) fn secret(self, secret: &str) -> Ask {
        if secret.is_empty() { self } else { self.header("x-eacc-secret", secret) }
    }

    pub(crate) fn accept(self, media_type: &str) -> Ask {
        self.header("accept", media_type)
    }

    /// Sends it over a connection of its own, and reads all of the answer.
    pub(crate) async fn send(self, to: SocketAddr) -> Answer {
        let open = self.open(to).await;
        let Open { status, headers, body, .. } = open;
        let body = timeout(BOUND, body.collect()).await.expect("the answer ends").expect("a whole answer");
        Answer { status, headers, body: body.to_bytes() }
    }

    /// Sends it, and reads the head of the answer.
    pub(crate) async fn open(self, to: SocketAddr) -> Open {
        let stream = TcpStream::connect(to).await.expect("it listens");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("a connection");
        let connection = tokio::spawn(async move { drop(connection.await) });
        let mut request =
            Request::builder().method(self.method).uri(&self.path).header("host", to.to_string());
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(self.body))).expect("a request");
        let response =
            timeout(BOUND, sender.send_request(request)).await.expect("in time").expect("an answer");
        let (parts, body) = response.into_parts();
        Open { status: parts.status, headers: parts.headers, body, connection, read: String::new() }
    }
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| unreachable!("{error}: {}", self.text()))
    }

    #[track_caller]
    pub(crate) fn good(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        assert_eq!(self.header("cache-control"), "no-store");
        self.json()
    }

    /// Its lines of JSON.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text());
        let text = self.text();
        assert!(text.ends_with('\n'), "{text}");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    /// It is an error, and said as all are.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> Value {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json", "{}", self.text());
        let problem = self.json();
        assert_eq!(problem["code"], code, "{problem}");
        assert_eq!(problem["status"], status, "{problem}");
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(!detail.is_empty() && detail.len() < 2_000, "{problem}");
        problem
    }
}

/// An answer that may go on.
pub(crate) struct Open {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    connection: tokio::task::JoinHandle<()>,
    read: String,
}

impl Open {
    /// Reads on until something was said; gives all that was read up to it.
    pub(crate) async fn until(&mut self, said: &str) -> String {
        loop {
            if let Some(at) = self.read.find(said) {
                let rest = self.read.split_off(at + said.len());
                return std::mem::replace(&mut self.read, rest);
            }
            let frame = timeout(BOUND, self.body.frame()).await.expect("it goes on in time");
            let frame = frame.expect("it does not end before").expect("it does not break off");
            self.read.push_str(&String::from_utf8_lossy(frame.data_ref().expect("data")));
        }
    }

    /// Reads to the end.
    pub(crate) async fn rest(mut self) -> String {
        let rest =
            timeout(BOUND, self.body.collect()).await.expect("it ends").expect("it does not break off");
        self.read.push_str(&String::from_utf8_lossy(&rest.to_bytes()));
        self.read
    }

    /// Goes away without a word.
    pub(crate) fn hang_up(self) {
        self.connection.abort();
    }
}

//! One connection to one place, for one request at a time: C-21, and the deadline of R-7.9.
//!
//! ```text
//! connect ─▶ ask ─▶ ask ─▶ (idle, closed by the car) ─▶ ask: no byte came ─▶ connect ─▶ ask the same once more
//! ```
//!
//! The connection is driven by whoever asks, within the same task. So it costs no task while it is idle, dropping a
//! line closes it, and when a deadline passes, an answer that lies in the socket is read before the deadline is
//! looked at. An answer has a bound in everything that belongs to it, not only in its body, and is read in portions
//! between which the other tasks and the timers run: no car that floods its line holds up anybody, itself included.

use super::guard::Guard;
use super::mishap::Mishap;
use bytes::Bytes;
use gm_core::contract::{Answer, ContentType};
use http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, Request, Response, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tower_service::Service;

/// How long a connection may have been idle to be used again. Shorter than the time after which the usual servers
/// close one (5 s and more), so that a close and a request seldom cross on the way.
const MAX_IDLE: Duration = Duration::from_secs(3);

/// The most bytes of a head. All that is not the body, of all that is said to one request (1xx answers, chunk
/// extensions, trailers), may have as many.
const MAX_HEAD: usize = 64 * 1024;

/// A body in chunks of one byte is on the wire this many times as long: `1\r\nA\r\n`.
const CHUNKED_BYTE: usize = 6;

/// The most bytes that are heard in answer to one request. After that nothing more is read.
const MAX_HEARD: usize = MAX_HEAD + CHUNKED_BYTE * Answer::MAX_BODY;

/// How many bytes are read before others have their turn: the usual answer, however large, is read in one go.
/// (How many reads that may be is bounded by tokio.)
const AT_ONCE: usize = MAX_HEAD + Answer::MAX_BODY;

/// A deadline that is noticed later than this after it passed was missed by the game master, not by the car. What
/// the game master did for this car in the meantime doesn't count: a car that keeps it busy gains no time.
const OVERSLEPT: Duration = Duration::from_millis(100);

/// How often a deadline that the game master itself overslept starts anew (R-7.9).
const NEW_DEADLINES: u32 = 1;

/// Opens connections, with TLS for `https`. Speaks HTTP/1.1 only, knows no proxies.
#[derive(Clone)]
pub(super) struct Connector {
    guard: Guard,
    https: HttpsConnector<HttpConnector<Guard>>,
}

/// A connector that trusts the certificate authorities of Mozilla's list, the same on every machine.
pub(super) fn connector(guard: Guard) -> Result<Connector, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_webpki_roots()
        .with_no_client_auth();
    Ok(connector_with(tls, guard))
}

pub(super) fn connector_with(tls: rustls::ClientConfig, guard: Guard) -> Connector {
    let mut tcp = HttpConnector::new_with_resolver(guard.clone());
    tcp.enforce_http(false);
    tcp.set_nodelay(true);
    let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    Connector { guard, https: https.wrap_connector(tcp) }
}

/// A request, ready to be sent: where to, and what.
#[derive(Debug, Clone)]
pub(super) struct Ready {
    place: Uri,
    request: Request<Full<Bytes>>,
}

impl Ready {
    /// A request to an absolute URL, which goes out exactly as it is written: nothing in it is normalised.
    pub(super) fn new(
        method: &str,
        url: &str,
        headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<Ready, Mishap> {
        let build = || {
            let place = Uri::try_from(url)?;
            let host = place.authority().map_or("", |authority| authority.as_str());
            let target = place.path_and_query().map_or("/", PathAndQuery::as_str);
            let mut request = Request::builder()
                .method(Method::try_from(method)?)
                .uri(target)
                .header(HOST, HeaderValue::try_from(host)?)
                .body(Full::new(body.unwrap_or_default()))?;
            request.headers_mut().extend(headers);
            Ok(Ready { request, place })
        };
        build().map_err(Mishap::Unspeakable)
    }
}

/// The way to one car or one AI. All requests on it must go to the same scheme, host and port.
pub(super) struct Line {
    connector: Connector,
    idle: Option<Open>,
}

impl Line {
    pub(super) fn new(connector: Connector) -> Line {
        Line { connector, idle: None }
    }

    /// Closes the connection, if nobody asks on it. The next request opens another.
    pub(super) fn close(&mut self) {
        self.idle = None;
    }

    /// Sends a request and reads the answer to its last byte, all within `limit` from now.
    ///
    /// Where a connection that was idle turns out to be closed before a single byte of the answer has come, the same
    /// request goes out once more, on a new connection and within the same deadline. On a new connection a close is
    /// the other side's answer to the request.
    pub(super) async fn exchange(&mut self, ready: &Ready, limit: Duration) -> Result<Answer, Mishap> {
        within(limit, self.attempts(ready)).await.unwrap_or(Err(Mishap::Deadline))
    }

    async fn attempts(&mut self, ready: &Ready) -> Result<Answer, Mishap> {
        if let Some(open) = self.idle.take_if(|open| open.idle_since.elapsed() < MAX_IDLE) {
            match self.attempt(open, ready).await {
                Err(Lost::Unheard(_)) => {}
                Err(Lost::For(mishap)) => return Err(mishap),
                Ok(answer) => return Ok(answer),
            }
        }
        self.idle = None;
        let open = Open::connect(&mut self.connector, &ready.place).await?;
        self.attempt(open, ready).await.map_err(Lost::mishap)
    }

    async fn attempt(&mut self, mut open: Open, ready: &Ready) -> Result<Answer, Lost> {
        let answer = open.ask(ready.request.clone()).await?;
        if open.running.is_some() {
            open.idle_since = Instant::now();
            self.idle = Some(open);
        }
        Ok(answer)
    }
}

/// What comes of this within `limit` from now, but for the time that the game master oversleeps (R-7.9).
async fn within<F: Future>(limit: Duration, asking: F) -> Option<F::Output> {
    let mut asking = pin!(asking);
    for _ in 0..=NEW_DEADLINES {
        let deadline = Instant::now() + limit;
        let mut busy = Duration::ZERO;
        let listening = poll_fn(|task| {
            let from = Instant::now().max(deadline);
            let outcome = asking.as_mut().poll(task);
            busy += from.elapsed();
            outcome
        });
        match timeout_at(deadline, listening).await {
            Ok(outcome) => return Some(outcome),
            Err(_) if deadline.elapsed().saturating_sub(busy) < OVERSLEPT => break,
            Err(_) => {}
        }
    }
    None
}

/// How an attempt failed.
enum Lost {
    /// The connection was closed, or broke, before a single byte of the answer.
    Unheard(Mishap),
    /// In any other way.
    For(Mishap),
}

impl Lost {
    fn mishap(self) -> Mishap {
        match self {
            Lost::Unheard(mishap) | Lost::For(mishap) => mishap,
        }
    }
}

type Stream = TokioIo<Heard<TokioIo<MaybeHttpsStream<TokioIo<TcpStream>>>>>;
type Running = Pin<Box<http1::Connection<Stream, Full<Bytes>>>>;

/// An open connection.
struct Open {
    sender: http1::SendRequest<Full<Bytes>>,
    /// `None` once the connection has ended.
    running: Option<Running>,
    /// How many bytes of the answer were heard.
    heard: Arc<AtomicUsize>,
    idle_since: Instant,
}

impl Open {
    async fn connect(connector: &mut Connector, place: &Uri) -> Result<Open, Mishap> {
        connector.guard.check(place).map_err(|private| Mishap::Connect(private.into()))?;
        let stream = connector.https.call(place.clone()).await.map_err(Mishap::Connect)?;
        let heard = Arc::new(AtomicUsize::new(0));
        let stream = Heard { stream: TokioIo::new(stream), heard: Arc::clone(&heard), at_once: 0 };
        let (sender, running) = http1::Builder::new()
            .max_buf_size(MAX_HEAD)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(Mishap::Exchange)?;
        Ok(Open { sender, running: Some(Box::pin(running)), heard, idle_since: Instant::now() })
    }

    async fn ask(&mut self, request: Request<Full<Bytes>>) -> Result<Answer, Lost> {
        let Open { sender, running, heard, .. } = self;
        let lost = |error| Lost::Unheard(Mishap::Exchange(error));
        let outcome = drive(running, async {
            sender.ready().await.map_err(lost)?;
            heard.store(0, Ordering::Relaxed);
            match sender.send_request(request).await {
                Ok(response) => read(response).await.map_err(Lost::For),
                Err(error) if heard.load(Ordering::Relaxed) > 0 => Err(Lost::For(Mishap::Exchange(error))),
                Err(error) => Err(lost(error)),
            }
        })
        .await;
        match outcome {
            Err(Lost::For(_)) if heard.load(Ordering::Relaxed) > MAX_HEARD => {
                Err(Lost::For(Mishap::TooLarge))
            }
            outcome => outcome,
        }
    }
}

/// Drives a connection for as long as somebody is asking on it.
async fn drive<F: Future>(running: &mut Option<Running>, asking: F) -> F::Output {
    let mut asking = pin!(asking);
    poll_fn(|task| {
        if running.as_mut().is_some_and(|running| running.as_mut().poll(task).is_ready()) {
            *running = None;
        }
        asking.as_mut().poll(task)
    })
    .await
}

/// Reads an answer to its end, and not further than a body may go (C-21). The announced length is believed only
/// where it says that there is too much.
async fn read(response: Response<Incoming>) -> Result<Answer, Mishap> {
    let status = response.status().as_u16();
    let content_type = content_type(response.headers());
    let mut incoming = response.into_body();
    if incoming.size_hint().lower() > Answer::MAX_BODY as u64 {
        return Err(Mishap::TooLarge);
    }
    let mut body = Vec::new();
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(Mishap::Exchange)?;
        let Some(data) = frame.data_ref() else { continue };
        if data.len() > Answer::MAX_BODY - body.len() {
            return Err(Mishap::TooLarge);
        }
        body.extend_from_slice(data);
    }
    Ok(Answer { status, content_type, body })
}

fn content_type(headers: &HeaderMap) -> ContentType {
    let Some(value) = headers.get(CONTENT_TYPE) else { return ContentType::Missing };
    let media = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    if media.trim().eq_ignore_ascii_case("application/json") { ContentType::Json } else { ContentType::Other }
}

/// A stream that counts what is read from it, ends at [`MAX_HEARD`], and lets others have their turn.
struct Heard<S> {
    stream: S,
    heard: Arc<AtomicUsize>,
    /// How many bytes were read since nothing was there to be read, or others had their turn.
    at_once: usize,
}

impl<S: AsyncRead + Unpin> AsyncRead for Heard<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.heard.load(Ordering::Relaxed) > MAX_HEARD {
            return Poll::Ready(Err(io::ErrorKind::FileTooLarge.into()));
        }
        if self.at_once >= AT_ONCE {
            self.at_once = 0;
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let outcome = Pin::new(&mut self.stream).poll_read(task, buffer);
        let read = buffer.filled().len() - before;
        self.at_once = if outcome.is_pending() { 0 } else { self.at_once.saturating_add(read) };
        self.heard.fetch_add(read, Ordering::Relaxed);
        outcome
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Heard<S> {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(task, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use tokio::time::advance;

    const LIMIT: Duration = Duration::from_secs(2);

    /// R-7.9: an answer that never comes. What is done in its own poll, and what somebody else does in this task
    /// meanwhile; after how many seconds it is given up.
    #[tokio::test(start_paused = true)]
    async fn r_7_9_who_keeps_the_game_master_busy_gains_no_time() {
        for (name, own, others, given_up) in [
            ("nobody", 0, 0, 2),
            ("the car, in time", 1, 0, 2),
            ("the car", 10, 0, 10),
            ("somebody else", 0, 10, 12),
            ("somebody else, in time", 0, 1, 2),
        ] {
            let begin = Instant::now();
            let asking = within(LIMIT, async {
                advance(Duration::from_secs(own)).await;
                pending::<()>().await;
            });
            let other = advance(Duration::from_secs(others));
            assert_eq!(tokio::join!(asking, other).0, None, "{name}");
            assert_eq!(begin.elapsed().as_secs(), given_up, "{name}");
        }
    }
}

//! Connections: accepted within a bound, spoken to in whatever they speak, and closed when the game master shuts down.
//!
//! ```text
//! accept ─▶ a free place ─▶ first byte in time ─▶ HTTP/1 or HTTP/2 ─▶ the router
//! shut down: no more are accepted; calls may end within the limit; then all are closed
//! ```

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use http_body_util::BodyExt as _;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// How long a connection may say nothing before its first request, and HTTP/1 between the lines of its head.
const FIRST_WORD: Duration = Duration::from_secs(30);
/// How often a peer of HTTP/2 that says nothing is asked whether it is there, and how long it has to answer.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// How HTTP/2 begins.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// How often it is looked whether a connection has said more.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// How long it is waited when no connection can be accepted, for want of files for instance.
const ACCEPT_AGAIN: Duration = Duration::from_millis(200);
/// How long connections without a call have to end at a shutdown, and calls that were broken off to say so.
const LAST_WORD: Duration = Duration::from_millis(500);
/// The largest head of a request, in bytes.
const MOST_HEAD: u32 = 64 * 1024;

/// What connections are allowed.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most at the same time; more wait until one ends.
    pub connections: usize,
    /// The most calls at the same time on one of them.
    pub streams: u32,
    /// How long calls may take to end at a shutdown.
    pub shutdown: Duration,
}

/// Serves until `stop`, and then until all calls have ended, at most for so long as the limit says.
///
/// `draining` is called once when it begins to stop: what streams for ever is to end then.
pub async fn listen(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: impl Future<Output = ()>,
    draining: impl FnOnce(),
) {
    let places = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    let server = Arc::new(server(limits));
    let (calls, closing) = (Calls::default(), watch::Sender::new(false));
    let router = counted(router, &calls);
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        // Those that have ended are forgotten.
        while connections.try_join_next().is_some() {}
        let place = tokio::select! {
            biased;
            () = &mut stop => break,
            place = Arc::clone(&places).acquire_owned() => place.expect("the semaphore is never closed"),
        };
        let stream = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = accept(&listener) => accepted,
        };
        let service = TowerToHyperService::new(router.clone());
        let (server, watcher) = (Arc::clone(&server), graceful.watcher());
        let mut closing = closing.subscribe();
        connections.spawn(async move {
            let _place = place;
            // Who says nothing at first is not told apart from who never will.
            let speaks = tokio::select! {
                speaks = timeout(FIRST_WORD, speaks(&stream)) => matches!(speaks, Ok(true)),
                _ = closing.wait_for(|closing| *closing) => false,
            };
            if !speaks {
                return;
            }
            let connection = server.serve_connection_with_upgrades(TokioIo::new(stream), service);
            let connection = watcher.watch(connection.into_owned());
            if let Err(error) = connection.await {
                tracing::debug!(error, "a connection ended badly");
            }
        });
    }
    drop(listener);
    closing.send_replace(true);
    draining();
    // Idle connections end at once, those with calls when these have ended.
    let ended = async {
        tokio::select! {
            () = graceful.shutdown() => {}
            () = calls.have_ended() => {}
        }
    };
    // What is broken off at the limit is still told to who waits for it.
    if timeout(limits.shutdown.saturating_add(LAST_WORD), ended).await.is_err() {
        tracing::warn!("calls took too long to end and were broken off");
    }
    connections.shutdown().await;
}

/// The calls that are under way: a connection with half a request on it has none, and is not waited for.
#[derive(Clone)]
struct Calls(watch::Sender<usize>);

impl Default for Calls {
    fn default() -> Calls {
        Calls(watch::Sender::new(0))
    }
}

impl Calls {
    fn one_more(&self) -> OneCall {
        self.0.send_modify(|calls| *calls += 1);
        OneCall(self.clone())
    }

    /// Completes when there are none, and what they said last had its time to be sent.
    async fn have_ended(&self) {
        let mut calls = self.0.subscribe();
        loop {
            // Its sender is in here.
            let _ = calls.wait_for(|calls| *calls == 0).await;
            if timeout(LAST_WORD, calls.wait_for(|calls| *calls > 0)).await.is_err() {
                return;
            }
        }
    }
}

/// A call that is under way, as long as this is there.
struct OneCall(Calls);

impl Drop for OneCall {
    fn drop(&mut self) {
        self.0.0.send_modify(|calls| *calls -= 1);
    }
}

/// The router, with its calls counted until all of an answer was said.
fn counted(router: Router, calls: &Calls) -> Router {
    let calls = calls.clone();
    router.layer(from_fn(move |request: Request, next: Next| {
        let call = calls.one_more();
        async move {
            next.run(request).await.map(|body| {
                Body::new(body.map_frame(move |frame| {
                    let _call = &call;
                    frame
                }))
            })
        }
    }))
}

fn server(limits: Limits) -> auto::Builder<TokioExecutor> {
    let mut server = auto::Builder::new(TokioExecutor::new());
    server.http1().timer(TokioTimer::new()).header_read_timeout(FIRST_WORD).keep_alive(true);
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(MOST_HEAD)
        .keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE)
        .adaptive_window(true);
    server
}

/// Waits until a connection has said enough to tell HTTP/1 from HTTP/2; false if it has ended before.
async fn speaks(stream: &TcpStream) -> bool {
    let mut said = [0; PREFACE.len()];
    loop {
        let length = match stream.peek(&mut said).await {
            Ok(0) | Err(_) => return false,
            Ok(length) => length,
        };
        if length == said.len() || said[..length] != PREFACE[..length] {
            return true;
        }
        // What was said so far stays to be read, so that nothing tells when more has come.
        sleep(LOOK_AGAIN).await;
    }
}

/// The next connection. One that can't be accepted is not the last.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Without it, short messages wait for others.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) if is_of_one(error.kind()) => {}
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "no connection can be accepted just now"
                );
                sleep(ACCEPT_AGAIN).await;
            }
        }
    }
}

/// Whether an error is that of one connection, which has gone before it was accepted.
fn is_of_one(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    /// What a connection says first, and whether it is waited for more.
    #[tokio::test]
    async fn the_first_word() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        for (said, ends, expected) in [
            ("", false, None),
            ("", true, Some(false)),
            ("P", false, None),
            ("PRI * HTTP/2.0", false, None),
            ("PO", false, Some(true)),
            ("G", false, Some(true)),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nmore", false, Some(true)),
        ] {
            let mut client = TcpStream::connect(address).await.expect("it listens");
            let (server, _) = listener.accept().await.expect("a connection");
            client.write_all(said.as_bytes()).await.expect("written");
            if ends {
                client.shutdown().await.expect("ended");
            }
            let found = timeout(Duration::from_millis(300), speaks(&server)).await.ok();
            assert_eq!(found, expected, "{said:?}");
        }
    }
}

//! What the tests talk to a car with: a bare HTTP/1.1 client over one kept-alive connection, so that they can also
//! send what no decent client sends; and what starts a car for them.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "it is a part of tests")]

use car_reference::{Car, ModuleStore, serve};
use gm_core::contract::CarRequest;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A car that is served on a loopback port until it is stopped or dropped.
pub(crate) struct Served {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<std::io::Result<()>>,
}

/// Serves a car.
pub(crate) async fn start<S: ModuleStore>(car: Car<S>) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(serve(car, listener, async { _ = stopped.await }));
    Served { address, stop: Some(stop), serving }
}

impl Served {
    /// Stops it and waits for its end.
    pub(crate) async fn stop(mut self) {
        _ = self.stop.take().unwrap().send(());
        self.serving.await.unwrap().unwrap();
    }
}

/// One connection to a car.
pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    secret: Option<&'static str>,
}

impl Client {
    /// Connects.
    pub(crate) async fn to(served: &Served, secret: Option<&'static str>) -> Client {
        Client { stream: BufReader::new(TcpStream::connect(served.address).await.unwrap()), secret }
    }

    /// Sends one of C-1 to C-16.
    pub(crate) async fn send(&mut self, request: CarRequest) -> (u16, Value) {
        self.send_as(None, request).await
    }

    /// Sends one of C-1 to C-16 with a request id.
    pub(crate) async fn send_as(&mut self, id: Option<&str>, request: CarRequest) -> (u16, Value) {
        let body = request.body().map(|body| body.to_string()).unwrap_or_default();
        self.raw(request.method(), &request.path(), id, body.as_bytes()).await
    }

    /// Sends anything, and gives the status and the body, which must be JSON and say so.
    pub(crate) async fn raw(
        &mut self,
        method: &str,
        path: &str,
        id: Option<&str>,
        body: &[u8],
    ) -> (u16, Value) {
        let mut head = format!("{method} {path} HTTP/1.1\r\nhost: car\r\n");
        if let Some(secret) = self.secret {
            head += &format!("X-EACC-SECRET: {secret}\r\n");
        }
        if let Some(id) = id {
            head += &format!("X-EACC-REQUEST-ID: {id}\r\n");
        }
        head += &format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
        self.stream.write_all(&[head.as_bytes(), body].concat()).await.unwrap();

        let status_line = self.line().await;
        let status = status_line.split(' ').nth(1).unwrap().parse().unwrap();
        let (mut length, mut json) = (0, false);
        const MOST_HEADERS: usize = 20;
        for _ in 0..MOST_HEADERS {
            let line = self.line().await.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.parse().unwrap();
            }
            json |= line == "content-type: application/json";
        }
        assert!(json, "{method} {path}: the answer does not say that it is JSON");
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).await.unwrap();
        line.trim_end().to_owned()
    }
}

/// A path for a file of one test, with nothing there.
pub(crate) fn fresh_path(test: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory.join("car.json")
}

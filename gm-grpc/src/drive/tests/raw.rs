//! A server of plain TCP that says exactly what a test tells it to, and remembers what it was sent.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// A request as it came over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The connection, from 0.
    pub(crate) connection: usize,
    /// `DELETE /engine/x HTTP/1.1`
    pub(crate) line: String,
    /// The headers as they were written, in order.
    pub(crate) headers: Vec<String>,
    /// The body.
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|line| {
            let (written, value) = line.split_once(": ")?;
            written.eq_ignore_ascii_case(name).then_some(value)
        })
    }
}

/// What the server does with a request, step by step. After the last step it reads the next request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Says this.
    Say(String),
    /// Says this, one byte a second.
    Drip(&'static str),
    /// Says this until the other side goes away.
    Endless(String),
    /// Says nothing until it is told to go on.
    Until(Arc<Notify>),
    /// Takes its time.
    Pause(Duration),
    /// Says nothing for ever.
    Silence,
    /// Closes the connection.
    Close,
}

/// A whole answer with a JSON body.
pub(crate) fn json(body: &str) -> Act {
    Act::Say(format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    ))
}

pub(crate) fn say(text: &str) -> Act {
    Act::Say(text.replace('\n', "\r\n"))
}

#[derive(Default)]
struct Record {
    connections: usize,
    requests: Vec<Seen>,
    under_way: usize,
    most_under_way: usize,
}

/// The server. Stops with the runtime of its test.
#[derive(Clone)]
pub(crate) struct RawServer {
    pub(crate) port: u16,
    record: Arc<Mutex<Record>>,
    pub(crate) heard: Arc<Notify>,
}

impl RawServer {
    /// Does to its `n`-th request (from 0, over all connections) what the script says.
    pub(crate) async fn start<F>(script: F) -> RawServer
    where
        F: Fn(usize, &Seen) -> Vec<Act> + Send + Sync + 'static,
    {
        RawServer::start_over(|stream| async { Some(stream) }, script).await
    }

    /// The same over TLS, or over whatever `wrap` makes of a TCP stream.
    pub(crate) async fn start_over<W, O, S, F>(wrap: W, script: F) -> RawServer
    where
        W: Fn(tokio::net::TcpStream) -> O + Send + Sync + 'static,
        O: Future<Output = Option<S>> + Send,
        S: AsyncRead + AsyncWrite + Unpin + Send,
        F: Fn(usize, &Seen) -> Vec<Act> + Send + Sync + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let server = RawServer { port, record: Arc::default(), heard: Arc::default() };
        let (accepting, both) = (server.clone(), Arc::new((wrap, script)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let connection = {
                    let mut record = accepting.lock();
                    record.connections += 1;
                    record.connections - 1
                };
                let (server, both) = (accepting.clone(), Arc::clone(&both));
                tokio::spawn(async move {
                    if let Some(mut stream) = both.0(stream).await {
                        server.serve(&mut stream, connection, &both.1).await;
                    }
                });
            }
        });
        server
    }

    async fn serve<S, F>(&self, stream: &mut S, connection: usize, script: &F)
    where
        S: AsyncRead + AsyncWrite + Unpin,
        F: Fn(usize, &Seen) -> Vec<Act>,
    {
        while let Some(seen) = read_request(stream, connection).await {
            let number = {
                let mut record = self.lock();
                record.requests.push(seen.clone());
                record.under_way += 1;
                record.most_under_way = record.most_under_way.max(record.under_way);
                record.requests.len() - 1
            };
            self.heard.notify_one();
            let going_on = perform(stream, script(number, &seen)).await;
            self.lock().under_way -= 1;
            if !going_on {
                return;
            }
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.lock().requests.clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.lock().connections
    }

    /// The most requests that were under way at the same time.
    pub(crate) fn most_under_way(&self) -> usize {
        self.lock().most_under_way
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Record> {
        self.record.lock().expect("no test panics while it holds this")
    }
}

async fn read_request<S: AsyncRead + Unpin>(stream: &mut S, connection: usize) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let mut lines = head.trim_end().split("\r\n").map(str::to_owned);
    let mut seen = Seen { connection, line: lines.next()?, headers: lines.collect(), body: String::new() };
    let length = seen.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    seen.body = String::from_utf8(body).ok()?;
    Some(seen)
}

/// Whether the connection lives on.
async fn perform<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, acts: Vec<Act>) -> bool {
    for act in acts {
        let done = match act {
            Act::Say(text) => stream.write_all(text.as_bytes()).await,
            Act::Drip(text) => drip(stream, text).await,
            Act::Endless(text) => loop {
                if let Err(gone) = stream.write_all(text.as_bytes()).await {
                    break Err(gone);
                }
            },
            Act::Until(told) => {
                told.notified().await;
                Ok(())
            }
            Act::Pause(time) => {
                tokio::time::sleep(time).await;
                Ok(())
            }
            Act::Silence => {
                // Holds the connection until the other side closes it.
                while stream.read_u8().await.is_ok() {}
                return false;
            }
            Act::Close => return false,
        };
        if done.is_err() {
            return false;
        }
    }
    true
}

async fn drip<S: AsyncWrite + Unpin>(stream: &mut S, text: &str) -> std::io::Result<()> {
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    for byte in text.bytes() {
        seconds.tick().await;
        stream.write_all(&[byte]).await?;
    }
    Ok(())
}

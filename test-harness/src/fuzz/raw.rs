//! Bytes on a socket: requests that are no requests, half ones, many at once.
//!
//! ```text
//! GET /state HTTP/1.1⏎        and nothing more, and the connection is closed
//! ```
//!
//! A car may answer what it likes, or nothing, and close the connection; after it, it must answer as before.

use super::Dice;
use gm_core::ids::Square;
use http::Uri;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a car is listened to when it has not said anything: it may wait for the rest.
const SILENCE: Duration = Duration::from_millis(60);

/// How long a car is listened to after its last byte.
const PAUSE: Duration = Duration::from_millis(15);

/// How much is read of an answer, in bytes.
const MAX_READ: usize = 64 * 1024;

/// The marks that stand for what differs from run to run: the host, the path of the base URL, the header line with the
/// secret, and that with an id.
pub(super) const MARKS: [&str; 4] = ["{HOST}", "{BASE}", "{SECRET}", "{ID}"];

/// Bytes on a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// What they are, in a few words.
    pub title: &'static str,
    /// The bytes, sent one after the other, with marks such as `{HOST}` in them.
    pub parts: Vec<Vec<u8>>,
    /// Whether the connection is closed at once, and no answer waited for.
    pub closes: bool,
    /// Whether an answer is waited for until the deadline: a command has been done when it is answered, and not before.
    pub waits: bool,
    /// The square on which the car stands if it answers 2xx; none: all of it changes nothing.
    pub square: Option<Square>,
}

/// What stands for the marks.
#[derive(Debug, Clone)]
pub(super) struct Marks {
    pub(super) host: String,
    pub(super) base: String,
    pub(super) secret: Option<String>,
    pub(super) id: String,
}

impl Raw {
    /// Whether there is a command in it.
    pub(super) fn commands(&self) -> bool {
        let method = b"PATCH ";
        self.parts.iter().any(|part| part.windows(method.len()).any(|window| window == method))
    }

    /// The bytes with this in place of the marks.
    pub(super) fn bytes(&self, marks: &Marks) -> Vec<Vec<u8>> {
        let secret = match &marks.secret {
            Some(secret) => format!("{}: {secret}\r\n", crate::client::SECRET),
            None => String::new(),
        };
        let id = format!("{}: {}\r\n", crate::client::REQUEST_ID, marks.id);
        let values = [marks.host.as_str(), &marks.base, &secret, &id];
        self.parts
            .iter()
            .map(|part| {
                MARKS.iter().zip(values).fold(part.clone(), |bytes, (mark, value)| {
                    replaced(&bytes, mark.as_bytes(), value.as_bytes())
                })
            })
            .collect()
    }
}

fn replaced(bytes: &[u8], mark: &[u8], value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.windows(mark.len()).position(|window| window == mark) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(value);
        rest = &rest[at + mark.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// Where a plain HTTP server listens: host and port. None for https, where bytes can't be sent like that.
pub(super) fn address(place: &Uri) -> Option<(String, u16)> {
    let host = place.host().filter(|_| place.scheme_str() == Some("http"))?;
    Some((host.trim_matches(['[', ']']).to_owned(), place.port_u16().unwrap_or(80)))
}

/// Sends bytes on a connection of its own, and gives what was answered by the time that it closed or fell silent.
///
/// # Errors
/// If no connection can be made.
pub(super) async fn send(
    address: (&str, u16),
    raw: &Raw,
    marks: &Marks,
    deadline: Duration,
) -> io::Result<Vec<u8>> {
    let late = |_| io::Error::from(io::ErrorKind::TimedOut);
    let mut socket = timeout(deadline, TcpStream::connect(address)).await.map_err(late)??;
    socket.set_nodelay(true)?;
    for part in raw.bytes(marks) {
        // A server may close when it has seen enough.
        if !matches!(timeout(deadline, socket.write_all(&part)).await, Ok(Ok(()))) {
            break;
        }
    }
    let mut heard = Vec::new();
    if raw.closes {
        return Ok(heard);
    }
    let patience = if raw.waits { deadline } else { SILENCE };
    while heard.len() < MAX_READ {
        let wait = if heard.is_empty() { patience } else { PAUSE };
        match timeout(wait, socket.read_buf(&mut heard)).await {
            Ok(Ok(1..)) => {}
            _ => break,
        }
    }
    Ok(heard)
}

/// The status of the first answer in what was heard.
pub(super) fn status(heard: &[u8]) -> Option<u16> {
    let text = heard.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Bytes to be sent.
pub(super) fn raw(dice: &mut Dice) -> Raw {
    let question = dice.one_of(&["/state", "/engine/count", "/event/mine", "/fight/iaurl"]);
    let get = format!("GET {{BASE}}{question} HTTP/1.1\r\nHost: {{HOST}}\r\n{{SECRET}}{{ID}}");
    let number = 1_000_000 + dice.below(1_000_000);
    let body = format!("{{\"square\": {number}}}");
    let patch =
        "PATCH {BASE}/state HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\n{SECRET}{ID}";
    let quiet = |title, text: String| Raw {
        title,
        parts: vec![text.into_bytes()],
        closes: false,
        waits: false,
        square: None,
    };
    let close = "Connection: close\r\n\r\n";
    match dice.below(22) {
        0 => {
            let cut = 1 + dice.index(get.len() - 1);
            Raw {
                closes: true,
                ..quiet("half a request, and the connection is closed", get[..cut].to_owned())
            }
        }
        1 => Raw { closes: true, ..quiet("a request, and the connection is closed", format!("{get}\r\n")) },
        2 => Raw { closes: true, ..quiet("a connection without a request", String::new()) },
        3 => {
            let part = &body[..body.len() - 3];
            let text = format!("{patch}Content-Length: {}\r\n\r\n{part}", body.len());
            Raw { closes: true, ..quiet("half a body, and the connection is closed", text) }
        }
        4 => {
            let other = get.replace(question, "/pilot/count");
            quiet("two requests at once", format!("{get}\r\n{other}{close}"))
        }
        5 => {
            let many = format!("{get}\r\n").repeat(2 + dice.index(8));
            quiet("many requests at once", format!("{many}{get}{close}"))
        }
        6 => quiet("a request in HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned()),
        7 => quiet("a request in HTTP/9.9", get.replace("HTTP/1.1", "HTTP/9.9") + close),
        8 => quiet("a request in HTTP/0.9", "GET {BASE}/state\r\n\r\n".to_owned()),
        9 => quiet("an empty line", "\r\n\r\n\r\n".to_owned()),
        10 => {
            let noise: Vec<u8> = (0..1 + dice.index(300)).map(|_| dice.bits().to_le_bytes()[0]).collect();
            Raw { parts: vec![noise], ..quiet("noise", String::new()) }
        }
        11 => quiet("the beginning of TLS", "\u{16}\u{3}\u{1}\0\u{5}\u{1}\0\0\u{1}\u{3}\u{3}".to_owned()),
        12 => quiet("a header without a colon", format!("{get}nonsense\r\n{close}")),
        13 => quiet("a folded header", format!("{get}X-Folded: a\r\n b\r\n{close}")),
        14 => quiet("a space before the colon", format!("{get}X-Space : a\r\n{close}")),
        15 => quiet("a request without Host", get.replace("Host: {HOST}\r\n", "") + close),
        16 => quiet("line ends without CR", (get + close).replace("\r\n", "\n")),
        17 => {
            let wrong = dice.one_of(&["-1", "x", "99999999999999999999999", "1, 2", "", "0x10", "+2"]);
            let text = format!("{patch}Content-Length: {wrong}\r\n{close}{body}");
            Raw { waits: true, ..quiet("a Content-Length that is no number", text) }
        }
        18 => {
            // The rest of it is no request.
            let text = format!("{patch}Content-Length: 5\r\n\r\n{body}");
            quiet("a Content-Length that is too short", text)
        }
        19 => {
            let wrong = dice.one_of(&["zz\r\n", "-1\r\n", "ffffffffffffffffff\r\n", "5;\r\n", "\r\n"]);
            quiet("a wrong chunk", format!("{patch}Transfer-Encoding: chunked\r\n{close}{wrong}"))
        }
        20 => {
            let (a, b) = body.split_at(1 + dice.index(body.len() - 1));
            let chunks = [a, b].map(|part| format!("{:x}\r\n{part}\r\n", part.len())).concat();
            let head = format!("{patch}Transfer-Encoding: chunked\r\n{close}");
            Raw {
                title: "a body in chunks",
                parts: vec![head.into_bytes(), format!("{chunks}0\r\n\r\n").into_bytes()],
                closes: false,
                waits: true,
                square: u32::try_from(number).ok().map(Square),
            }
        }
        _ => {
            let head = format!("{patch}Content-Length: {}\r\n{close}", body.len());
            let (a, b) = body.split_at(1 + dice.index(body.len() - 1));
            Raw {
                title: "a body in two parts",
                parts: [head.as_str(), a, b].map(|part| part.as_bytes().to_vec()).into(),
                closes: false,
                waits: true,
                square: u32::try_from(number).ok().map(Square),
            }
        }
    }
}

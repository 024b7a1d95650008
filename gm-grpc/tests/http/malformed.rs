//! What no client should send: a clear error, the server goes on, and nothing is stored.

use crate::client::{Ask, BOUND};
use crate::served::{RED, Served};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// What a server says to bytes that are no good request, until it closes.
async fn raw(served: &Served, bytes: &[u8]) -> String {
    let stream = TcpStream::connect(served.at).await.expect("it listens");
    let (mut read, mut write) = stream.into_split();
    let bytes = bytes.to_vec();
    // It may answer and close before it has read all of this.
    let writing = tokio::spawn(async move {
        let _ = write.write_all(&bytes).await;
        write
    });
    let mut said = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(Ok(more)) = timeout(BOUND, read.read(&mut buffer)).await {
        if more == 0 {
            break;
        }
        said.extend_from_slice(&buffer[..more]);
    }
    writing.abort();
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn bodies_that_are_not_right() {
    let served = Served::start().await;
    let ask = |body: &[u8]| Ask::post("/v1/complaints", body).secret(RED);
    for (body, status, code) in [
        (b"".as_slice(), 400, "NOT_JSON"),
        (b"{", 400, "NOT_JSON"),
        (b"null", 400, "NOT_JSON"),
        (b"[1, 2]", 400, "NOT_JSON"),
        (b"{\"text\": \"\xff\xfe\"}", 400, "NOT_JSON"),
        (b"{\"text\": \"a\"} and more", 400, "NOT_JSON"),
        (b"{\"text\": 1}", 400, "INVALID_FIELDS"),
        (b"{\"text\": \"a\", \"text\": \"b\"}", 400, "INVALID_FIELDS"),
        (b"{\"turn\": -1, \"text\": \"a\"}", 400, "INVALID_FIELDS"),
        (b"{\"turn\": 4294967296, \"text\": \"a\"}", 400, "INVALID_FIELDS"),
        (b"{\"turn\": 1e400, \"text\": \"a\"}", 400, "NOT_JSON"),
        (b"{\"turn\": 99999999999999999999999999, \"text\": \"a\"}", 400, "INVALID_FIELDS"),
        (b"{\"turn\": 1.5, \"text\": \"a\"}", 400, "INVALID_FIELDS"),
    ] {
        served.ask(ask(body)).await.problem(status, code);
    }
    let wrong = served.ask(ask(b"{\"txt\": \"a\"}")).await.problem(400, "INVALID_FIELDS");
    assert_eq!(
        wrong["fields"],
        json!([{ "field": "txt", "description": "is not known here; did you mean `text`?" }])
    );
    let long = json!({ "text": "x".repeat(10_000) }).to_string();
    served.ask(ask(long.as_bytes())).await.problem(400, "INVALID_FIELDS");
    let name = json!({ "instance": "i".repeat(10_000), "url": "http://canary-host-of-red.example" });
    let long = served.ask(Ask::post("/v1/cars", name.to_string()).secret(RED)).await;
    long.problem(400, "INVALID_FIELDS");
    let members = format!("{{\"{}\": 1}}", "x".repeat(10_000));
    served.ask(ask(members.as_bytes())).await.problem(400, "INVALID_FIELDS");
    served.ask(ask(b"{\"text\": \"a\"}").without("content-type")).await.problem(415, "OTHER_MEDIA_TYPE");
    let form =
        ask(b"text=a").without("content-type").header("content-type", "application/x-www-form-urlencoded");
    served.ask(form).await.problem(415, "OTHER_MEDIA_TYPE");
    let large = json!({ "text": "x".repeat(64 * 1024) }).to_string();
    served.ask(ask(large.as_bytes())).await.problem(413, "TOO_LARGE");
    nothing_is_stored(&served).await;
}

async fn nothing_is_stored(served: &Served) {
    let team = served.ask(Ask::get("/v1/team").secret(RED)).await.good();
    assert_eq!((&team["complaints"], &team["cars"]), (&json!([]), &json!([])), "{team}");
}

#[tokio::test]
async fn requests_that_are_too_much() {
    let served = Served::start().await;
    let head = format!(
        "POST /v1/complaints HTTP/1.1\r\nhost: x\r\nx-eacc-secret: {RED}\r\ncontent-type: application/json\r\n"
    );
    // Ten megabytes: announced, and piece by piece.
    let mut announced = format!("{head}content-length: 10485760\r\n\r\n").into_bytes();
    announced.resize(announced.len() + 10 * 1024 * 1024, b'x');
    let said = raw(&served, &announced).await;
    assert!(said.starts_with("HTTP/1.1 413 ") && said.contains("\"code\":\"TOO_LARGE\""), "{said}");
    let mut pieces = format!("{head}transfer-encoding: chunked\r\n\r\n").into_bytes();
    for _ in 0..10 {
        pieces.extend_from_slice(b"100000\r\n");
        pieces.resize(pieces.len() + 1024 * 1024, b'x');
        pieces.extend_from_slice(b"\r\n");
    }
    let said = raw(&served, &pieces).await;
    assert!(said.starts_with("HTTP/1.1 413 ") && said.contains("\"code\":\"TOO_LARGE\""), "{said}");

    // What is no request of HTTP is refused before anything of it is looked at.
    let headers: String = (0..1_000).map(|number| format!("x-{number}: {number}\r\n")).collect();
    let said = raw(&served, format!("GET /v1/team HTTP/1.1\r\nhost: x\r\n{headers}\r\n").as_bytes()).await;
    assert!(said.starts_with("HTTP/1.1 431 "), "{said}");
    let said = raw(&served, b"GET /v1/te\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(said.starts_with("HTTP/1.1 4"), "{said}");
    let said = raw(&served, b"\x16\x03\x01 this is no HTTP at all\r\n\r\n").await;
    assert!(said.is_empty() || said.starts_with("HTTP/1.1 400 "), "{said}");
    let bad = format!(
        "GET /v1/team HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-eacc-secret: {RED}\r\nx-eacc-secret: {RED}\r\n\r\n"
    );
    let said = raw(&served, bad.as_bytes()).await;
    assert!(said.starts_with("HTTP/1.1 200 ") || said.starts_with("HTTP/1.1 401 "), "{said}");
    nothing_is_stored(&served).await;
}

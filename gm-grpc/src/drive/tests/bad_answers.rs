//! C-21: what each kind of bad answer comes to. None of them takes longer than the deadline.

use super::raw::{Act, RawServer, say};
use super::*;
use futures_util::future::join_all;
use gm_core::contract::{Answer, CarRequest, ContentType, Fault};
use gm_core::ports::Car;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::Instant;

/// Asks a car that does this with each request, and checks what came of it, how long it took, and that the car was
/// asked once: nothing but a connection that had been idle is a reason to ask again.
#[track_caller]
fn check(name: &str, acts: &[Act], expected: Result<Answer, Fault>) {
    let script = acts.to_vec();
    runtime().block_on(async {
        let server = RawServer::start(move |_, _| script.clone()).await;
        let begin = Instant::now();
        let outcome = car_of(&world(), &server.url()).exchange(&CarRequest::State).await;
        assert_eq!(outcome, expected, "{name}");
        assert!(begin.elapsed() < 3 * DEADLINE, "{name}: took {:?}", begin.elapsed());
        assert_eq!((server.requests().len(), server.connections()), (1, 1), "{name}: asked once");
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn endless(text: &str) -> Act {
    Act::Endless(text.to_owned())
}

fn answer(status: u16, content_type: ContentType, body: impl Into<Vec<u8>>) -> Result<Answer, Fault> {
    Ok(Answer { status, content_type, body: body.into() })
}

/// Too late in every way there is.
#[test]
fn c_21_late() {
    check("never answers", &[Act::Silence], Err(Fault::Late));
    check("drips the head", &[Act::Drip("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")], Err(Fault::Late));
    check(
        "drips the body",
        &[say("HTTP/1.1 200 OK\ncontent-length: 10\n\n"), Act::Drip(r#"{"res": 1}"#)],
        Err(Fault::Late),
    );
    check(
        "never says the last byte",
        &[say("HTTP/1.1 200 OK\ncontent-length: 10\n\n{\"res\": 1"), Act::Silence],
        Err(Fault::Late),
    );
    check(
        "never ends the last chunk",
        &[say("HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\na\n{\"res\": 1}\n"), Act::Silence],
        Err(Fault::Late),
    );
    check("only says 100", &[say("HTTP/1.1 100 Continue\n\n"), Act::Silence], Err(Fault::Late));
}

/// More than 64 KiB, announced or not.
#[test]
fn c_21_too_large() {
    let chunked = "HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n";
    check(
        "endless chunks",
        &[say(chunked), endless(&format!("400\r\n{}\r\n", "A".repeat(1024)))],
        Err(Fault::TooLarge),
    );
    check("endless body", &[say("HTTP/1.1 200 OK\n\n"), endless(&"A".repeat(1000))], Err(Fault::TooLarge));
    check(
        "announces too much, and is not waited for",
        &[say("HTTP/1.1 200 OK\ncontent-length: 65537\n\n"), Act::Silence],
        Err(Fault::TooLarge),
    );
    let whole = "A".repeat(Answer::MAX_BODY);
    check(
        "64 KiB in chunks",
        &[say(&format!("{chunked}10000\n{whole}\n0\n\n"))],
        answer(200, ContentType::Missing, whole.clone()),
    );
    check(
        "64 KiB, announced",
        &[say(&format!("HTTP/1.1 200 OK\ncontent-length: 65536\n\n{whole}"))],
        answer(200, ContentType::Missing, whole.clone()),
    );
    check(
        "one byte more in chunks",
        &[say(&format!("{chunked}10000\n{whole}\n1\nA\n0\n\n"))],
        Err(Fault::TooLarge),
    );
    check(
        "one byte more until the close",
        &[say(&format!("HTTP/1.1 200 OK\n\n{whole}A")), Act::Close],
        Err(Fault::TooLarge),
    );
}

/// What is said around a body has a bound as well, and nobody waits for the deadline to find out.
#[test]
fn c_21_floods_around_the_body() {
    let chunked = "HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n";
    for (name, head, flood, fault) in [
        ("100 for ever", "", "HTTP/1.1 100 Continue\r\n\r\n", Fault::TooLarge),
        ("103 for ever", "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", Fault::TooLarge),
        ("the size of a chunk", chunked, "0000000000000000", Fault::TooLarge),
        ("blanks after the size of a chunk", &format!("{chunked}1"), "                ", Fault::TooLarge),
        ("one extension of a chunk", &format!("{chunked}1;"), "aaaaaaaaaaaaaaaa", Fault::Broken),
        ("many extensions of chunks", chunked, "1;aaaaaaaaaaaa\r\nA\r\n", Fault::Broken),
        ("trailers", &format!("{chunked}0\n"), "x-a: bbbbbbbbbb\r\n", Fault::Broken),
        ("one header", "HTTP/1.1 200 OK\nx-a: ", "aaaaaaaaaaaaaaaa", Fault::Broken),
        ("empty lines", "", "\r\n\r\n\r\n\r\n", Fault::Broken),
    ] {
        check(name, &[say(head), endless(&flood.repeat(64))], Err(fault));
    }
}

/// The bound of what is said around a body costs no honest car its answer, however small the chunks.
#[tokio::test]
async fn c_21_64_kib_in_chunks_of_one_byte() {
    let mut settings = settings();
    settings.limits.car = Duration::from_secs(30);
    let world = HttpWorld::new(settings).expect("good settings");
    let hints = "HTTP/1.1 103 Early Hints\n\n".repeat(100);
    let chunks = "1\nA\n".repeat(Answer::MAX_BODY);
    let whole = say(&format!("{hints}HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n{chunks}0\n\n"));
    let server = RawServer::start(move |_, _| vec![whole.clone()]).await;
    let mut car = car_of(&world, &server.url());
    for nth in ["first", "second"] {
        let outcome = car.exchange(&CarRequest::State).await;
        assert_eq!(outcome, answer(200, ContentType::Missing, "A".repeat(Answer::MAX_BODY)), "{nth}");
    }
    assert_eq!(server.connections(), 1, "the bound is one answer's, not the connection's");
}

/// Cars that flood hold up neither themselves nor a car that answers, nor one that doesn't.
#[test]
fn c_21_r_7_9_floods_hold_up_nobody() {
    const FLOODS: usize = 8;
    // The cars are elsewhere: on another thread, as if on other machines.
    let cars = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let flooding = endless(&"HTTP/1.1 100 Continue\r\n\r\n".repeat(64));
    let start = |acts: Vec<Act>| cars.block_on(RawServer::start(move |_, _| acts.clone()));
    let floods: Vec<_> = (0..FLOODS).map(|_| start(vec![flooding.clone()])).collect();
    let silent = start(vec![Act::Silence]);
    let healthy = start(vec![super::raw::json("7")]);
    runtime().block_on(async {
        let world = world();
        let begin = Instant::now();
        let ask = |server: &RawServer| {
            let mut car = car_of(&world, &server.url());
            async move { (car.exchange(&CarRequest::State).await, begin.elapsed()) }
        };
        let (flooded, silence, health) =
            tokio::join!(join_all(floods.iter().map(ask)), ask(&silent), ask(&healthy));
        for (outcome, took) in flooded {
            assert_eq!(outcome, Err(Fault::TooLarge));
            assert!(took < 3 * DEADLINE, "took {took:?}");
        }
        assert_eq!(health.0, Ok(Answer::ok("7")));
        assert_eq!(silence.0, Err(Fault::Late));
        assert!(silence.1 < 3 * DEADLINE, "took {:?}", silence.1);
    });
    cars.shutdown_background();
}

/// Closed too early, or not HTTP.
#[test]
fn c_21_broken() {
    check("closes at once", &[Act::Close], Err(Fault::Broken));
    check("closes in the head", &[say("HTTP/1.1 200 OK\nconte"), Act::Close], Err(Fault::Broken));
    check(
        "closes in the body",
        &[say("HTTP/1.1 200 OK\ncontent-length: 10\n\n{\"re"), Act::Close],
        Err(Fault::Broken),
    );
    check(
        "closes in a chunk",
        &[say("HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\na\n{\"re"), Act::Close],
        Err(Fault::Broken),
    );
    check("speaks SMTP", &[say("220 mail.example ESMTP\n"), Act::Silence], Err(Fault::Broken));
    check(
        "endless head",
        &[say("HTTP/1.1 200 OK\n"), endless(&"x-a: b\r\n".repeat(100))],
        Err(Fault::Broken),
    );
}

/// Whole answers are taken as they came; the rules say what they are worth.
#[test]
fn c_21_whole_answers() {
    let html = "<html>busy</html>";
    check("500", &[say("HTTP/1.1 500 Oops\ncontent-length: 0\n\n")], answer(500, ContentType::Missing, ""));
    check(
        "HTML",
        &[say(&format!("HTTP/1.1 200 OK\ncontent-type: text/html\ncontent-length: 17\n\n{html}"))],
        answer(200, ContentType::Other, html),
    );
    check(
        "JSON with a charset",
        &[say("HTTP/1.1 200 OK\nContent-Type: Application/JSON; charset=utf-8\ncontent-length: 2\n\n{}")],
        answer(200, ContentType::Json, "{}"),
    );
    check(
        "until the close",
        &[say("HTTP/1.0 200 OK\ncontent-type: application/json\n\n[7]"), Act::Close],
        answer(200, ContentType::Json, "[7]"),
    );
    check("204", &[say("HTTP/1.1 204 No Content\n\n")], answer(204, ContentType::Missing, ""));
    check(
        "compressed, which was not asked for",
        &[say("HTTP/1.1 200 OK\ncontent-encoding: gzip\ncontent-length: 3\n\nzzz")],
        answer(200, ContentType::Missing, "zzz"),
    );
}

/// No redirect is followed, and the other host is never contacted.
#[tokio::test]
async fn c_21_a_redirect_is_not_followed() {
    let elsewhere = RawServer::start(|_, _| vec![Act::Close]).await;
    let location = elsewhere.url();
    for status in [301, 302, 303, 307, 308] {
        let redirect =
            say(&format!("HTTP/1.1 {status} There\nlocation: {location}/state\ncontent-length: 0\n\n"));
        let server = RawServer::start(move |_, _| vec![redirect.clone()]).await;
        let outcome = car_of(&world(), &server.url()).exchange(&CarRequest::State).await;
        assert_eq!(outcome, answer(status, ContentType::Missing, ""));
        assert_eq!(server.requests().len(), 1);
    }
    assert_eq!(elsewhere.connections(), 0);
}

/// Nobody listens; or somebody does, where requests may not go.
#[tokio::test]
async fn c_21_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let free = listener.local_addr().expect("bound").port();
    drop(listener);
    let mut car = car_of(&world(), &format!("http://127.0.0.1:{free}"));
    assert_eq!(car.exchange(&CarRequest::State).await, Err(Fault::Unreachable));

    let server = RawServer::start(|_, _| vec![Act::Close]).await;
    let mut settings = settings();
    settings.allow_private = false;
    let world = HttpWorld::new(settings).expect("good settings");
    for host in ["127.0.0.1", "localhost"] {
        let mut car = car_of(&world, &format!("http://{host}:{}", server.port));
        assert_eq!(car.exchange(&CarRequest::State).await, Err(Fault::Unreachable), "{host}");
    }
    assert_eq!(server.connections(), 0);
}

/// An answer that comes after the deadline is late, and is not taken for the answer to the next request.
#[tokio::test]
async fn c_21_a_late_answer_is_not_the_next_ones() {
    let told = Arc::new(Notify::new());
    let go_on = Arc::clone(&told);
    let server = RawServer::start(move |number, _| match number {
        0 => vec![Act::Until(Arc::clone(&go_on)), super::raw::json("\"late\"")],
        _ => vec![super::raw::json("\"mine\"")],
    })
    .await;
    let mut car = car_of(&world(), &server.url());
    assert_eq!(car.exchange(&CarRequest::State).await, Err(Fault::Late));
    told.notify_one();
    assert_eq!(car.exchange(&CarRequest::State).await, Ok(Answer::ok("\"mine\"")));
    assert_eq!(server.connections(), 2);
}

//! Streams over HTTP: G-3 and G-6 as lines and as events, resumed, and ended with a word; G-4 for who goes away.

use crate::client::{Ask, BOUND};
use crate::served::{RED, Served};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// The sequence numbers of lines, which must end with the sign that that is all.
#[track_caller]
fn numbers(lines: &[Value], member: &str) -> Vec<u64> {
    let (last, rest) = lines.split_last().expect("a line");
    let numbers: Vec<u64> =
        rest.iter().map(|line| line[member]["sequence"].as_u64().expect("a number")).collect();
    assert_eq!(last["caught_up"].as_u64(), numbers.last().copied(), "{last}");
    numbers
}

/// G-3.
#[tokio::test]
async fn the_log_ends_where_it_is_now_or_goes_on() {
    let served = Served::start().await;
    served.register_all().await;
    let log = |query: &str| Ask::get(&format!("/v1/team/log{query}")).secret(RED);
    let answer = served.ask(log("")).await;
    assert_eq!(answer.header("content-type"), "application/jsonl");
    assert_eq!(answer.header("cache-control"), "no-store");
    let all = numbers(&answer.lines(), "entry");
    let last = all.len() as u64;
    assert_eq!(all, (1..=last).collect::<Vec<_>>());
    let rest = served.ask(log("?after=3")).await.lines();
    assert_eq!(numbers(&rest, "entry"), (4..=last).collect::<Vec<_>>());
    let beyond = served.ask(log("?after=100000")).await.problem(416, "BEYOND_LAST");
    assert_eq!(beyond["last_sequence"], last.to_string());

    // As lines that go on, and as events of a reader who connects again.
    let mut lines = log(&format!("?after={last}&follow=true")).open(served.at).await;
    assert_eq!(lines.until("\n").await, format!("{{\"caught_up\":{last}}}\n"));
    let events = log("?after=1").accept("text/event-stream").header("last-event-id", &last.to_string());
    let mut events = events.open(served.at).await;
    assert_eq!(events.until("\n\n").await, format!("event: caught_up\nid: {last}\ndata: {last}\n\n"));
    served.start_race().await;
    served.step(1).await;
    assert!(lines.until("\n").await.starts_with("{\"entry\":{"));
    let event = events.until("\n\n").await;
    assert!(event.starts_with(&format!("event: entry\nid: {}\ndata: {{", last + 1)), "{event}");
    lines.hang_up();
    events.hang_up();
    served.no_streams().await;

    for (query, accept, field) in [
        ("?follow=false", "text/event-stream", "follow"),
        ("?follow=maybe", "*/*", "follow"),
        ("?after=x", "*/*", "after"),
        ("?folow=true", "*/*", "folow"),
    ] {
        let wrong = served.ask(log(query).accept(accept)).await.problem(400, "INVALID_FIELDS");
        assert_eq!(wrong["fields"][0]["field"], field, "{wrong}");
    }
}

/// G-6.
#[tokio::test]
async fn a_race_is_watched() {
    let served = Served::start().await;
    served.register_all().await;
    served.start_race().await;
    served.step(1).await;
    let events = |query: &str| Ask::get(&format!("/v1/races/{}/events{query}", served.race));
    let lines = |query: &str| events(query).accept("application/x-ndjson");
    let all = served.ask(lines("")).await;
    assert_eq!(all.header("content-type"), "application/x-ndjson");
    let all = numbers(&all.lines(), "event");
    let last = all.len() as u64;
    assert_eq!(all, (1..=last).collect::<Vec<_>>());

    let some = served.ask(lines("?kinds=turn,move&cars=1")).await.lines();
    let kinds: Vec<&str> = some.iter().filter_map(|line| line["event"]["kind"].as_str()).collect();
    assert!(kinds.contains(&"EVENT_KIND_MOVE") && kinds.contains(&"EVENT_KIND_TURN"), "{kinds:?}");
    assert!(kinds.iter().all(|kind| ["EVENT_KIND_MOVE", "EVENT_KIND_TURN"].contains(kind)), "{kinds:?}");
    let with_snapshot = served.ask(lines("?snapshot=true&mode=latest")).await.lines();
    assert_eq!(with_snapshot[0]["snapshot"]["sequence"], last);
    assert_eq!(with_snapshot.last(), Some(&json!({ "caught_up": last })));

    // Browsers get events, and go on where they were.
    let mut stream = events(&format!("?after={}", last - 1)).open(served.at).await;
    assert_eq!(stream.status, 200);
    assert_eq!(stream.headers["content-type"], "text/event-stream");
    let one = stream.until("\n\n").await;
    assert!(one.starts_with(&format!("event: event\nid: {last}\ndata: {{")), "{one}");
    assert_eq!(stream.until("\n\n").await, format!("event: caught_up\nid: {last}\ndata: {last}\n\n"));
    served.step(2).await;
    let next = stream.until("\n\n").await;
    assert!(next.starts_with(&format!("event: event\nid: {}\n", last + 1)), "{next}");
    let again = events("?snapshot=true").header("last-event-id", &last.to_string());
    let mut again = again.open(served.at).await;
    assert_eq!(again.until("\n\n").await, next);

    for (query, field) in [
        ("?kinds=turn,wheel", "kinds"),
        ("?cars=1,x", "cars"),
        ("?mode=best", "mode"),
        ("?snapshot=1", "snapshot"),
        ("?kind=turn", "kind"),
    ] {
        let wrong = served.ask(events(query)).await.problem(400, "INVALID_FIELDS");
        assert_eq!(wrong["fields"][0]["field"], field, "{wrong}");
    }
    served.ask(events(&format!("?after={}", last * 100))).await.problem(416, "BEYOND_LAST");
    served.ask(events("").accept("text/html")).await.problem(406, "NOT_ACCEPTABLE");
    served.ask(Ask::get("/v1/races/no-such/events")).await.problem(404, "RACE_NOT_FOUND");
}

#[tokio::test]
async fn who_follows_in_silence_hears_that_all_is_well() {
    let served = Served::start_with(&[("watch.heartbeat_seconds", "1")]).await;
    let events = Ask::get(&format!("/v1/races/{}/events", served.race));
    let mut events = events.open(served.at).await;
    assert!(events.until("\n\n: heartbeat 3\n\n").await.contains("event: caught_up\nid: 3\n"));
    let log = Ask::get("/v1/team/log?follow=true").secret(RED);
    let mut log = log.open(served.at).await;
    log.until("{\"heartbeat\":").await;
}

#[tokio::test]
async fn streams_end_with_a_word_when_it_stops() {
    let mut served = Served::start().await;
    let mut events = Ask::get(&format!("/v1/races/{}/events", served.race)).open(served.at).await;
    events.until("event: caught_up").await;
    let mut log = Ask::get("/v1/team/log?follow=true").secret(RED).open(served.at).await;
    log.until("caught_up").await;
    served.stop();
    let last = events.rest().await;
    let problem = last.split("event: error\ndata: ").nth(1).expect("an error");
    let problem: Value = serde_json::from_str(problem.trim()).expect("a problem");
    assert_eq!((&problem["code"], &problem["status"]), (&json!("SHUTTING_DOWN"), &json!(503)));
    let last = log.rest().await;
    let line: Value = serde_json::from_str(last.lines().last().expect("a line")).expect("JSON");
    assert_eq!(line["error"]["code"], "SHUTTING_DOWN");
    served.stopped().await;
}

/// An AI that never answers; says when it is asked, and when who asked has gone.
async fn an_ai_that_thinks() -> (String, mpsc::Receiver<&'static str>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let (say, said) = mpsc::channel(8);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut bytes = [0; 4096];
        let _ = stream.read(&mut bytes).await;
        let _ = say.send("asked").await;
        while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {}
        let _ = stream.shutdown().await;
        let _ = say.send("gone").await;
    });
    (url, said)
}

/// G-4: a duel ends with the connection of who wanted it, long before its AI is late, in whatever form it was wanted.
#[tokio::test]
async fn a_duel_dies_with_its_connection() {
    let served = Served::start_with(&[("test_duels.per_team", "1")]).await;
    for form in ["application/json", "text/event-stream"] {
        let (url, mut said) = an_ai_that_thinks().await;
        let ask = Ask::post("/v1/test-duel", json!({ "url": url, "seed": 1 }).to_string());
        let ask = ask.secret(RED).accept(form);
        let at = served.at;
        let waiting = tokio::spawn(async move { ask.open(at).await.rest().await });
        assert_eq!(timeout(BOUND, said.recv()).await.expect("in time"), Some("asked"));
        let another = Ask::post("/v1/test-duel", json!({ "url": url }).to_string()).secret(RED);
        let busy = served.ask(another).await;
        busy.problem(429, "TOO_MANY_TRIALS");
        assert_eq!(busy.header("retry-after"), "1");
        waiting.abort();
        assert_eq!(timeout(BOUND, said.recv()).await.expect("in time"), Some("gone"), "{form}");
    }
}

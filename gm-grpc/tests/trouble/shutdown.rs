//! A shutdown ends within its limit, whoever holds on; and at once where nobody waits for an answer.
//!
//! ```text
//! health: NOT_SERVING ─▶ each stream: UNAVAILABLE ─▶ calls end, or are broken off at the limit ─▶ closed
//! ```

use super::calls::{BOUND, admin, is_retryable, next, observer, reason, started, team};
use super::cars::Cars;
use super::served::{Served, settings};
use gm_grpc::api::wire::{self, watch_race_response::Message};
use gm_grpc::serve::Settings;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tonic::transport::Channel;
use tonic::{Code, Status, Streaming};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// How long after its limit a shutdown may still take on a machine that has more to do.
const MARGIN: Duration = Duration::from_secs(3);

/// Connections that ask nothing, or never come to it.
async fn idle(served: &Served) -> (Vec<TcpStream>, Channel) {
    let mut connections = Vec::new();
    for said in ["", "", "GET /healthz HT", "POST /gm.v1.AdminService/GetRace HTTP/1.1\r\nhost: gm\r\nx-a"] {
        let mut connection = TcpStream::connect(served.address).await.expect("it listens");
        connection.write_all(said.as_bytes()).await.expect("it reads");
        connections.push(connection);
    }
    (connections, served.channel().await)
}

/// Waits until somebody who watches has all there is.
async fn caught_up(watched: &mut Streaming<wire::WatchRaceResponse>) {
    while !matches!(next(watched).await.expect("it serves"), Message::CaughtUp(_)) {}
}

async fn health(channel: Channel) -> Streaming<HealthCheckResponse> {
    let request = HealthCheckRequest { service: "gm.v1.ObserverService".to_owned() };
    let mut health = HealthClient::new(channel).watch(request).await.expect("it serves").into_inner();
    let first = health.message().await.expect("it serves").expect("a status");
    assert_eq!(first.status(), ServingStatus::Serving);
    health
}

#[track_caller]
fn assert_is_end(ended: &Status) {
    assert_eq!((ended.code(), &*reason(ended)), (Code::Unavailable, "SHUTTING_DOWN"), "{ended:?}");
}

#[tokio::test]
async fn who_waits_for_nothing_holds_up_nobody_and_each_stream_ends_with_a_word() {
    let (data, cars) = (tempfile::tempdir().expect("a directory"), Cars::start().await);
    // Longer than the test may take: where it is waited for, it fails.
    let limit = BOUND * 2;
    let served = Served::start(Settings { shutdown: limit, ..settings(data.path()) }).await;
    let channel = served.channel().await;
    let (race, teams) = started(&mut admin(channel.clone(), &served.admin), &channel, &cars).await;
    let (idle, quiet) = idle(&served).await;
    let mut health = health(channel.clone()).await;
    let mut streams = Vec::new();
    for token in [None, Some(&*teams[0].secret), Some(&*served.admin)] {
        let watched = observer(channel.clone(), token).watch_race(race.watch()).await;
        let mut watched = watched.expect("it serves").into_inner();
        caught_up(&mut watched).await;
        streams.push(watched);
    }
    let mut log = team(channel, &teams[1].secret)
        .watch_log(wire::WatchLogRequest { after: 0 })
        .await
        .expect("it serves")
        .into_inner();
    let stopping = tokio::spawn(served.stop());
    // Health is asked whenever a stream has ended, on the same connection: it must have been told before.
    for mut watched in streams {
        assert_is_end(&next(&mut watched).await.expect_err("an end"));
    }
    let told = timeout(Duration::ZERO, health.message()).await.expect("it was told before");
    assert_eq!(told.expect("a status first").expect("a status").status(), ServingStatus::NotServing);
    let ended = timeout(BOUND, health.message()).await.expect("it ends, too");
    assert_is_end(&ended.expect_err("an end"));
    let ended = loop {
        match timeout(BOUND, log.message()).await.expect("it ends, too") {
            Ok(message) => drop(message.expect("it does not end as if there were no more")),
            Err(status) => break status,
        }
    };
    assert_is_end(&ended);
    timeout(BOUND, stopping).await.expect("nobody is waited for").expect("no panic");
    // They were closed, rather than left.
    for mut connection in idle {
        let closed = timeout(BOUND, connection.read_to_end(&mut Vec::new())).await.expect("it is closed");
        drop(closed);
    }
    drop(quiet);
}

#[tokio::test]
async fn a_shutdown_ends_within_its_limit_whatever_a_call_waits_for() {
    let (data, cars) = (tempfile::tempdir().expect("a directory"), Cars::start().await);
    let limit = Duration::from_secs(2);
    let served = Served::start(Settings { shutdown: limit, ..settings(data.path()) }).await;
    let channel = served.channel().await;
    let mut admin = admin(channel.clone(), &served.admin);
    // A car may take longer than the shutdown.
    let rules = wire::Rules { request_deadline_ms: Some(600_000), ..super::calls::rules() };
    let race = super::calls::Race::create(&mut admin, rules).await;
    let of = race.team(&mut admin, "red").await;
    super::calls::register(&mut team(channel.clone(), &of.secret), &cars, "red-1").await;
    race.start(&mut admin).await;
    let (idle, quiet) = idle(&served).await;
    let health = health(channel.clone()).await;
    // It is never read.
    let unread = observer(served.channel().await, None).watch_race(race.watch()).await.expect("it serves");
    cars.hold(true);
    let mut stepping = admin.clone();
    let request = race.step(1);
    let step = tokio::spawn(async move { stepping.step_turn(request).await });
    timeout(BOUND, cars.are_asked()).await.expect("the car is asked");

    let begun = Instant::now();
    served.stop().await;
    let took = begun.elapsed();
    assert!(took < limit + MARGIN, "{took:?}");
    let answer = timeout(BOUND, step).await.expect("who waits is told").expect("no panic");
    let status = answer.expect_err("the turn was not played");
    assert!(is_retryable(&status) && reason(&status) == "SHUTTING_DOWN", "{status:?}");
    drop((idle, quiet, health, unread));
}

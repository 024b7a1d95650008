//! Who does not read, and whose token becomes worthless: the first loses nothing and slows nobody, the other ends at once.
//!
//! ```text
//! LOSSLESS   1 … 70  (does not read)  RESOURCE_EXHAUSTED, resume_after 70 ─▶ watch after 70 ─▶ 71 72 …
//! LATEST     1 … 70  (does not read)  Snapshot 400, CaughtUp 400, 401 …
//! ```

use super::calls::{
    Admin, BOUND, Race, TeamOf, admin, metadata, new_id, next, observer, reason, started, team,
};
use super::cars::Cars;
use super::parallel::on_disk;
use super::served::{Served, settings};
use gm_core::race::Race as Rules;
use gm_core::race::view::{Viewer, seen};
use gm_grpc::api::convert::event;
use gm_grpc::api::wire::{
    self, WatchMode, watch_log_response::Message as Line, watch_race_request::Start,
    watch_race_response::Message,
};
use prost::Message as _;
use std::path::Path;
use std::time::Duration;
use tokio::time::{interval, timeout};
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Streaming};

/// How many turns are played while nobody reads.
const TURNS: u32 = 40;
/// How many bytes a client that does not read lets the server send: a few events.
const WINDOW: u32 = 2_048;

/// A server on which who is behind by 20 events, or takes nothing for a second, has fallen behind.
async fn impatient(data: &Path) -> Served {
    let mut settings = settings(data);
    settings.watch.buffer = 20;
    settings.watch.send = Duration::from_secs(1);
    Served::start(settings).await
}

/// A connection of its own, on which little comes before it is read.
async fn narrow(served: &Served) -> Channel {
    let endpoint = Endpoint::from_shared(format!("http://{}", served.address)).expect("a URL");
    let endpoint = endpoint.initial_stream_window_size(WINDOW).initial_connection_window_size(WINDOW);
    endpoint.connect().await.expect("it serves")
}

async fn watch(
    channel: Channel,
    race: &Race,
    mode: WatchMode,
    after: u64,
) -> Streaming<wire::WatchRaceResponse> {
    let request =
        wire::WatchRaceRequest { mode: mode.into(), start: Some(Start::After(after)), ..race.watch() };
    observer(channel, None).watch_race(request).await.expect("it serves").into_inner()
}

/// Plays turns, each within its time.
async fn play(admin: &mut Admin, race: &Race, turns: std::ops::RangeInclusive<u32>) {
    for turn in turns {
        let played = timeout(BOUND, admin.step_turn(race.step(turn))).await.expect("nobody holds it up");
        played.expect("a turn is played");
    }
}

/// What spectators see of the race, as messages.
async fn expected(data: &Path, race: &Race) -> Vec<Vec<u8>> {
    let events = on_disk(data, &race.id).await;
    let mut before = Rules::from_events([&events[0].event]).expect("a race");
    let mut shown = Vec::new();
    for (index, numbered) in events.iter().enumerate() {
        if let Some(seen) = seen(&before, &numbered.event, Viewer::Spectator) {
            let sequence = shown.len() as u64 + 1;
            shown.push(event::event(sequence, numbered.turn, &seen).encode_to_vec());
        }
        if index > 0 {
            before.apply(&numbered.event);
        }
    }
    shown
}

struct Stage {
    data: tempfile::TempDir,
    served: Served,
    channel: Channel,
    admin: Admin,
    race: Race,
    teams: Vec<TeamOf>,
    _cars: Cars,
}

async fn stage() -> Stage {
    let data = tempfile::tempdir().expect("a directory");
    let (served, cars) = (impatient(data.path()).await, Cars::start().await);
    let channel = served.channel().await;
    let mut admin = admin(channel.clone(), &served.admin);
    let (race, teams) = started(&mut admin, &channel, &cars).await;
    Stage { data, served, channel, admin, race, teams, _cars: cars }
}

/// A log that is not read is closed, and read on from where it says without a gap.
#[tokio::test]
async fn a_log_ends_with_the_number_after_which_nothing_is_lost() {
    let Stage { data: _data, served, mut admin, race, channel, teams, _cars } = stage().await;
    let mut log = team(narrow(&served).await, &teams[0].secret);
    let mut watched =
        log.watch_log(wire::WatchLogRequest { after: 0 }).await.expect("it serves").into_inner();
    play(&mut admin, &race, 1..=TURNS).await;
    until_given_up(&served).await;

    let mut told = 0;
    let ended = loop {
        match timeout(BOUND, watched.message()).await.expect("something is told in time") {
            Ok(Some(wire::WatchLogResponse { message: Some(Line::Entry(entry)) })) => {
                told += 1;
                assert_eq!(entry.sequence, told, "without a gap");
            }
            Ok(Some(_)) => {}
            Ok(None) => unreachable!("no stream ends without a word"),
            Err(status) => break status,
        }
    };
    assert_eq!((ended.code(), &*reason(&ended)), (Code::ResourceExhausted, "FELL_BEHIND"), "{ended:?}");
    assert_eq!(metadata(&ended, "resume_after"), Some(told), "all up to it was told");
    let mut log = team(channel, &teams[0].secret);
    let mut watched =
        log.watch_log(wire::WatchLogRequest { after: told }).await.expect("it serves").into_inner();
    let first =
        timeout(BOUND, watched.message()).await.expect("in time").expect("no error").expect("a message");
    let Some(Line::Entry(first)) = first.message else { unreachable!("there is more: {first:?}") };
    assert_eq!(first.sequence, told + 1);
    served.stop().await;
}

/// Waits until no stream is read for any more: who did not read has fallen behind.
async fn until_given_up(served: &Served) {
    let open = served.api.streams_open().clone();
    let mut again = interval(Duration::from_millis(20));
    timeout(BOUND, async {
        while open.count() > 0 {
            again.tick().await;
        }
    })
    .await
    .expect("it is given up");
}

#[tokio::test]
async fn lossless_ends_with_the_number_after_which_nothing_is_lost() {
    let Stage { data, served, mut admin, race, channel, teams: _, _cars } = stage().await;
    let mut watched = watch(narrow(&served).await, &race, WatchMode::Lossless, 0).await;
    play(&mut admin, &race, 1..=TURNS).await;
    until_given_up(&served).await;

    let mut told = Vec::new();
    let ended = loop {
        match next(&mut watched).await {
            Ok(Message::Event(event)) => told.push(event.encode_to_vec()),
            Ok(Message::CaughtUp(_) | Message::Heartbeat(_)) => {}
            Ok(message @ Message::Snapshot(_)) => unreachable!("nobody asked for {message:?}"),
            Err(status) => break status,
        }
    };
    assert_eq!((ended.code(), &*reason(&ended)), (Code::ResourceExhausted, "FELL_BEHIND"), "{ended:?}");
    let resume_after = metadata(&ended, "resume_after").expect("it says from where to resume");
    assert_eq!(resume_after, told.len() as u64, "all up to it was told");
    let before = told.len();
    let mut watched = watch(channel, &race, WatchMode::Lossless, resume_after).await;
    loop {
        match next(&mut watched).await.expect("it is read now") {
            Message::Event(event) => told.push(event.encode_to_vec()),
            Message::CaughtUp(_) => break,
            message => unreachable!("nobody asked for {message:?}"),
        }
    }
    assert!(told.len() > before + 100, "it fell behind by little: {before} of {}", told.len());
    assert!(told == expected(data.path(), &race).await, "something was lost, or told twice");
    drop(watched);
    served.stop().await;
}

#[tokio::test]
async fn latest_goes_on_with_a_snapshot() {
    let Stage { data, served, mut admin, race, channel, teams: _, _cars } = stage().await;
    let mut watched = watch(narrow(&served).await, &race, WatchMode::Latest, 0).await;
    play(&mut admin, &race, 1..=TURNS).await;
    let expected = expected(data.path(), &race).await;
    let (mut last, mut snapshots) = (0, 0);
    loop {
        match next(&mut watched).await.expect("it goes on") {
            Message::Event(event) => {
                assert_eq!(event.sequence, last + 1, "no gap but by a snapshot");
                assert!(event.encode_to_vec() == expected[usize::try_from(last).expect("few")]);
                last = event.sequence;
            }
            Message::Snapshot(snapshot) => {
                assert!(snapshot.sequence > last + 20, "{} after {last}", snapshot.sequence);
                (last, snapshots) = (snapshot.sequence, snapshots + 1);
                let request = wire::GetSnapshotRequest { race_id: race.id.clone() };
                let now = observer(channel.clone(), None).get_snapshot(request).await.expect("it serves");
                assert_eq!(Some(snapshot), now.into_inner().snapshot, "it is fresh");
            }
            // There may be one before the first turn.
            Message::CaughtUp(at) if at == expected.len() as u64 => break,
            Message::CaughtUp(at) | Message::Heartbeat(at) => assert_eq!(at, last),
        }
    }
    assert_eq!((last, snapshots), (expected.len() as u64, 1));
    play(&mut admin, &race, TURNS + 1..=TURNS + 1).await;
    match next(&mut watched).await.expect("it goes on") {
        Message::Event(event) => assert_eq!(event.sequence, last + 1),
        message => unreachable!("{message:?}"),
    }
    drop(watched);
    served.stop().await;
}

/// The error with which a stream ends.
async fn end<T>(stream: &mut Streaming<T>) -> tonic::Status {
    loop {
        match timeout(BOUND, stream.message()).await.expect("it ends in time") {
            Ok(message) => drop(message.expect("it does not end as if there were no more")),
            Err(status) => return status,
        }
    }
}

#[tokio::test]
async fn a_token_that_is_revoked_and_a_secret_that_is_replaced_end_their_streams() {
    let Stage { data: _data, served, mut admin, race, channel, teams, _cars } = stage().await;
    let token = wire::CreateTokenRequest {
        request_id: new_id(),
        role: wire::TokenRole::Observer.into(),
        ..wire::CreateTokenRequest::default()
    };
    let made = admin.create_token(token).await.expect("a token").into_inner();
    let token_id = made.token.expect("it is told").token_id;
    let watched = async |token: Option<&str>| {
        let watched = observer(channel.clone(), token).watch_race(race.watch()).await;
        watched.expect("it serves").into_inner()
    };
    let mut of_token = watched(Some(&made.secret)).await;
    let mut of_team = watched(Some(&teams[0].secret)).await;
    let mut of_nobody = watched(None).await;
    let mut of_other = watched(Some(&teams[1].secret)).await;
    let mut red = team(channel.clone(), &teams[0].secret);
    let mut log = red.watch_log(wire::WatchLogRequest { after: 0 }).await.expect("it serves").into_inner();

    admin
        .revoke_token(wire::RevokeTokenRequest { request_id: new_id(), token_id })
        .await
        .expect("it is there");
    let rotate = wire::RotateTeamSecretRequest {
        request_id: new_id(),
        race_id: race.id.clone(),
        team_id: teams[0].id,
        secret_kind: wire::SecretKind::Api.into(),
        secret: String::new(),
    };
    admin.rotate_team_secret(rotate).await.expect("it is replaced");
    // Nothing happens in the race that could wake them.
    for ended in [end(&mut of_token).await, end(&mut of_team).await, end(&mut log).await] {
        assert_eq!((ended.code(), &*reason(&ended)), (Code::Unauthenticated, "UNAUTHENTICATED"), "{ended:?}");
    }
    let refused = red.get_team(wire::GetTeamRequest {}).await.expect_err("it is worthless");
    assert_eq!(refused.code(), Code::Unauthenticated);
    // Those of others go on.
    play(&mut admin, &race, 1..=1).await;
    for stream in [&mut of_nobody, &mut of_other] {
        loop {
            if let Message::Event(event) = next(stream).await.expect("it goes on")
                && event.turn == 1
            {
                break;
            }
        }
    }
    drop((of_nobody, of_other));
    served.stop().await;
}

//! R-11: what is private is planted with canaries, and no byte that others are sent holds one.
//!
//! ```text
//! team 2: canary-url, canary-complaint …  ─▶  spectators, team 1: no canary; team 2, the admin: each of them
//! ```

use super::calls::{BOUND, Race, admin, channel, new_id, observer, registration, rules, team};
use super::cars::Cars;
use super::child::Child;
use gm_grpc::api::wire::{self, watch_race_response::Message};
use prost::Message as _;
use tokio::time::timeout;
use tonic::transport::Channel;

/// The secrets, which nobody is sent again, and no log holds.
const SECRETS: [&str; 3] = ["canary-api-secret-1", "canary-car-secret-1", "canary-observer-1"];
/// What only team 2 and the admin see.
const PRIVATE: [&str; 3] = ["/canary-green-1", "canary-green-1-engine", "canary-complaint"];

fn holds(bytes: &[u8], canary: &str) -> bool {
    bytes.windows(canary.len()).any(|window| window == canary.as_bytes())
}

/// All that somebody is sent of a race.
async fn sent(channel: &Channel, token: Option<&str>, race: &Race) -> Vec<u8> {
    let mut observer = observer(channel.clone(), token);
    let race_id = race.id.clone();
    let snapshot = observer.get_snapshot(wire::GetSnapshotRequest { race_id: race_id.clone() }).await;
    let mut bytes = snapshot.expect("it serves").into_inner().encode_to_vec();
    let standings = observer.get_standings(wire::GetStandingsRequest { race_id: race_id.clone() }).await;
    bytes.extend(standings.expect("it serves").into_inner().encode_to_vec());
    let races = observer.list_races(wire::ObserverServiceListRacesRequest::default()).await;
    bytes.extend(races.expect("it serves").into_inner().encode_to_vec());
    let replay = wire::ReplayRaceRequest { race_id, from_turn: 0, turn_duration: None };
    let mut replay = observer.replay_race(replay).await.expect("it serves").into_inner();
    while let Some(message) = timeout(BOUND, replay.message()).await.expect("in time").expect("no error") {
        bytes.extend(message.encode_to_vec());
    }
    let mut watched = observer.watch_race(race.watch()).await.expect("it serves").into_inner();
    loop {
        match super::calls::next(&mut watched).await.expect("it serves") {
            Message::CaughtUp(_) => return bytes,
            Message::Event(event) => bytes.extend(event.encode_to_vec()),
            Message::Snapshot(_) | Message::Heartbeat(_) => {}
        }
    }
}

#[tokio::test]
async fn r_11_nobody_is_sent_what_is_private() {
    let (folder, cars) = (tempfile::tempdir().expect("a directory"), Cars::start().await);
    let child = Child::start(&folder.path().join("canary-data"), &["--log-filter", "debug"]).await;
    let token = child.admin.clone().expect("it is new");
    let channel = channel(child.address).await.expect("it serves");
    let mut admin = admin(channel.clone(), &token);
    let race = Race::create(&mut admin, rules()).await;
    let red = race.team(&mut admin, "Red").await;
    let green = wire::CreateTeamRequest {
        request_id: new_id(),
        race_id: race.id.clone(),
        name: "Green".to_owned(),
        car_secret: SECRETS[1].to_owned(),
        api_secret: SECRETS[0].to_owned(),
        budget: None,
    };
    admin.create_team(green).await.expect("a team");
    let observers = wire::CreateTokenRequest {
        request_id: new_id(),
        role: wire::TokenRole::Observer.into(),
        secret: SECRETS[2].to_owned(),
        ..wire::CreateTokenRequest::default()
    };
    admin.create_token(observers).await.expect("a token");
    let mut own = team(channel.clone(), SECRETS[0]);
    let car = wire::TeamServiceRegisterCarRequest {
        instance: "green-1".to_owned(),
        ..registration(&cars, "canary-green-1")
    };
    let registered = own.register_car(car).await.expect("an answer").into_inner();
    assert_eq!(registered.reasons, Vec::<String>::new());
    let mut other = team(channel.clone(), &red.secret);
    super::calls::register(&mut other, &cars, "red-1").await;
    race.start(&mut admin).await;
    let text = "canary-complaint".to_owned();
    let complaint = wire::FileComplaintRequest { request_id: new_id(), turn: 0, text };
    own.file_complaint(complaint).await.expect("it is filed");
    for turn in 1..=4 {
        admin.step_turn(race.step(turn)).await.expect("a turn");
    }

    let of_red = other.get_team(wire::GetTeamRequest {}).await.expect("a team").into_inner();
    assert!(!holds(&of_red.encode_to_vec(), "canary"));
    for who in [None, Some(SECRETS[2]), Some(&*red.secret)] {
        assert!(!holds(&sent(&channel, who, &race).await, "canary"), "{who:?} is sent one");
    }
    for who in [SECRETS[0], &*token] {
        let sent = sent(&channel, Some(who), &race).await;
        for canary in PRIVATE {
            assert!(holds(&sent, canary), "{canary} is planted, and {who} sees it");
        }
        assert!(SECRETS.iter().all(|secret| !holds(&sent, secret)), "secrets are not sent again");
    }
    let log = child.stop().await;
    for secret in SECRETS.into_iter().chain([&*token, &*red.secret]) {
        assert!(!log.contains(secret), "a secret is in the log");
    }
}

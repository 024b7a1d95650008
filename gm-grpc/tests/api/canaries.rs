//! R-11: what is private is planted in every place where there is something private, and no byte that others are sent
//! holds any of it, on whatever transport.
//!
//! ```text
//! team 1: canary-url, canary-complaint, $734,… ─▶ gRPC, gRPC-Web, HTTP ─▶ spectators, team 2: none; team 1, the admin: each
//! ```

use super::dynamic;
use super::stage::{Stage, host};
use axum::Router;
use axum::extract::{Path, Request};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use car_reference::{Car, CarSettings};
use gm_core::contract::DuelUrl;
use http_body_util::{BodyExt as _, Full};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Longer than anything here takes.
const BOUND: Duration = Duration::from_secs(60);

const API_SECRET: &str = "canary-secret-of-the-api";
const CAR_SECRET: &str = "canary-secret-of-cars";
const OBSERVER: &str = "canary-token-of-an-observer";
/// Secrets: nobody is ever sent one again.
const SECRETS: [&str; 3] = [API_SECRET, CAR_SECRET, OBSERVER];

/// What team 1 and the admin see.
const OF_THE_TEAM: [&str; 11] = [
    "canary-url",
    "canary-resource-engine",
    "canary-resource-pilot",
    "canary-resource-weapon",
    "canary-module-engine-1",
    "canary-module-weapon-1",
    "canary-complaint",
    "canary-answer",
    "canary-reason-car",
    "canary-reason-team",
    "canary-refused",
];
/// Where its duel AI is, is in the team's log only, where it is asked.
const IN_THE_LOG: [&str; 1] = ["canary-ai"];
/// Where its relay is, nobody is told. That it is asked, the names of the modules show.
const OF_NOBODY: [&str; 1] = ["canary-relay"];

/// What only the admin sees: the seed, and what a hidden bonus is worth.
const SEED: u64 = 77_777_777_777;
const HIDDEN: u64 = 654_321;
/// What team 1 is granted, so that its budget is a number of its own.
const GRANT: u64 = 734_587;

/// What only happens for a team, the admin, or nobody to see.
const HIDDEN_EVENTS: [&str; 8] = [
    "budget_granted",
    "encounter_declared",
    "odds_set",
    "complaint_filed",
    "complaint_answered",
    "registration_refused",
    "transfer_asked",
    "deviations_accepted",
];

/// A car whose resources bear names of their own.
async fn car() -> String {
    let ai_url = Some(DuelUrl::parse("http://127.0.0.1:9/canary-ai").expect("a URL"));
    let car = car_reference::router(Car::in_memory(CarSettings { ai_url, ..CarSettings::new("c1") }));
    let named = car.layer(from_fn(|request: Request, next: Next| async move {
        match (request.method().as_str(), request.uri().path()) {
            ("GET", kind @ ("/engine" | "/pilot" | "/weapon")) => {
                format!(r#"{{"res":"canary-resource-{}"}}"#, &kind[1..]).into_response()
            }
            // That it does not say that it is JSON, is accepted all the same (C-22).
            ("GET", "/state") => {
                let mut answer = next.run(request).await;
                answer.headers_mut().remove("content-type");
                answer
            }
            _ => next.run(request).await,
        }
    }));
    host(Router::new().nest("/canary-url", named)).await + "/canary-url"
}

/// The relay of the team (I-3), by which its modules have names.
async fn relay() -> String {
    let names = |kind: &str, count: usize| {
        let names = (1..=count).map(|number| format!("canary-module-{kind}-{number}"));
        json!({ "res": names.collect::<Vec<_>>() }).to_string()
    };
    let read = move |Path((what, _)): Path<(String, String)>| async move {
        let said = match what.as_str() {
            "Engines" => names("engine", 4),
            "Weapons" => names("weapon", 3),
            _ => json!({ "res": 1 }).to_string(),
        };
        Response::new(axum::body::Body::from(said))
    };
    let relay = Router::new().route("/{what}/{name}", get(read));
    host(Router::new().nest("/canary-relay", relay)).await + "/canary-relay"
}

/// Plants everything. Gives the race, and the secret of team 2.
async fn plant(stage: &Stage) -> (String, String) {
    let rules = json!({ "turn_interval_seconds": 0, "transfers": true, "spot_check_percent": 100 });
    let race = stage.admin("CreateRace", json!({ "title": "Friday", "seed": SEED, "rules": rules })).await;
    let race = race["race"]["race_id"].as_str().expect("an id").to_owned();
    let of_race = |mut body: Value| {
        body["race_id"] = json!(race);
        body
    };
    let own = of_race(json!({ "name": "Red", "api_secret": API_SECRET, "car_secret": CAR_SECRET }));
    stage.admin("CreateTeam", own).await;
    let other = stage.admin("CreateTeam", of_race(json!({ "name": "Blue" }))).await;
    stage.admin("CreateToken", json!({ "role": 2, "secret": OBSERVER })).await;
    let inspector = json!({ "team_id": 1, "inspector": { "relay": { "url": relay().await } } });
    stage.admin("SetInspector", of_race(inspector)).await;
    stage.admin("GrantBudget", of_race(json!({ "team_id": 1, "dollars": GRANT }))).await;
    let bonus = json!({ "place": 271, "effect": { "dollars": HIDDEN }, "use": 1, "hidden": true });
    stage.admin("PlaceBonus", of_race(json!({ "bonus": bonus }))).await;
    let as_red = |rpc: &'static str, body: Value| stage.call(rpc, Some(API_SECRET), body);
    let registered = json!({ "instance": "c1", "url": car().await });
    let registered = as_red("TeamService.RegisterCar", registered).await.expect("an answer");
    assert_eq!(registered[0]["reasons"], json!([]));
    let second = json!({ "instance": "second", "url": stage.second });
    as_red("TeamService.RegisterCar", second).await.expect("an answer");
    let refused = json!({ "instance": "canary-refused", "url": "http://127.0.0.1:9" });
    as_red("TeamService.RegisterCar", refused).await.expect("a refusal is an answer");
    as_red("TeamService.FileComplaint", json!({ "text": "canary-complaint" })).await.expect("filed");
    stage.admin("AnswerComplaint", of_race(json!({ "complaint_no": 1, "answer": "canary-answer" }))).await;
    stage.admin("StartRace", of_race(json!({}))).await;
    stage.admin("DeclareEncounter", of_race(json!({ "encounter": "ENCOUNTER_PIRATES" }))).await;
    stage.admin("StepTurn", of_race(json!({ "expected_turn": 1 }))).await;
    let module = json!({ "kind": "MODULE_KIND_ENGINE", "name": "canary-module-engine-3" });
    let transfer = json!({ "module": module, "from_car_id": 1, "to_car_id": 2 });
    as_red("TeamService.TransferModule", transfer).await.expect("it is asked for");
    for (whom, reason) in [
        (json!({ "car": { "car_id": 1, "square": 9 } }), "canary-reason-car"),
        (json!({ "team": { "team_id": 1, "points": 2 } }), "canary-reason-team"),
    ] {
        stage.admin("Adjudicate", of_race(json!({ "correction": whom, "reason": reason }))).await;
    }
    stage.admin("SetEncounterOdds", of_race(json!({ "odds": { "nothing": 37, "wreck": 63 } }))).await;
    stage.admin("DeclareEncounter", of_race(json!({ "encounter": "ENCOUNTER_MINEFIELD" }))).await;
    (race, other["api_secret"].as_str().expect("a secret").to_owned())
}

/// Who is sent something.
#[derive(Clone, Copy)]
struct Who<'s> {
    token: Option<&'s str>,
    is_team: bool,
}

/// The events that somebody must not see here. Team 2 was refused a registration itself.
fn hidden_from(who: Who<'_>) -> impl Iterator<Item = &'static str> {
    HIDDEN_EVENTS.into_iter().filter(move |event| !(who.is_team && *event == "registration_refused"))
}

/// What somebody is sent, each with where it came from.
async fn sent(stage: &Stage, race: &str, who: Who<'_>) -> Vec<(String, Vec<u8>)> {
    let mut sent = Vec::new();
    let mut calls: Vec<(&str, Value)> = vec![
        ("ObserverService.ListRaces", json!({})),
        ("ObserverService.GetSnapshot", json!({ "race_id": race })),
        ("ObserverService.WatchRace", json!({ "race_id": race, "after": 0 })),
        ("ObserverService.WatchRace", json!({ "race_id": race, "with_snapshot": true, "mode": 2 })),
        ("ObserverService.WatchRace", json!({ "race_id": race, "after": 100_000 })),
        ("ObserverService.GetStandings", json!({ "race_id": race })),
        ("ObserverService.GetDuel", json!({ "race_id": race, "turn": 1, "duel_no": 1 })),
        ("ObserverService.ReplayRace", json!({ "race_id": race })),
    ];
    if who.is_team {
        let id = || stage.id();
        let module = json!({ "kind": 1, "name": "canary" });
        calls.extend([
            ("TeamService.GetTeam", json!({})),
            ("TeamService.WatchLog", json!({ "after": 0 })),
            (
                "TeamService.RegisterCar",
                json!({ "request_id": id(), "instance": "c1", "url": "http://127.0.0.1:9" }),
            ),
            (
                "TeamService.TransferModule",
                json!({ "request_id": id(), "module": module, "from_car_id": 1, "to_car_id": 1 }),
            ),
        ]);
    }
    for (rpc, body) in &calls {
        sent.push((format!("gRPC {rpc}"), dynamic::bytes(&stage.channel, rpc, who.token, body).await));
        let path = dynamic::path(&dynamic::method(rpc));
        let is_over = |told: &[u8]| dynamic::has_caught_up(rpc, told);
        let web = Form {
            method: "POST",
            media_type: "application/grpc-web+proto",
            body: dynamic::frame(rpc, body),
        };
        sent.push((format!("gRPC-Web {rpc}"), http(stage, &path, who, web, is_over).await));
    }
    let mut paths: Vec<String> = [
        "/v1/races".to_owned(),
        format!("/v1/races/{race}"),
        format!("/v1/races/{race}/standings"),
        format!("/v1/races/{race}/events?after=0"),
        "/openapi.json".to_owned(),
        "/healthz".to_owned(),
        "/metrics".to_owned(),
        "/nothing".to_owned(),
    ]
    .into();
    if who.is_team {
        paths.extend(["/v1/team".to_owned(), "/v1/team/log?after=0".to_owned()]);
    }
    for path in paths {
        let lines = Form { method: "GET", media_type: "application/jsonl", body: Vec::new() };
        sent.push((format!("HTTP {path}"), http(stage, &path, who, lines, |_| false).await));
        // What goes on for ever as events is read to where it has caught up.
        let is_over = |told: &[u8]| holds(told, b"event: caught_up") || holds(told, b"event:caught_up");
        let events = Form { method: "GET", media_type: "text/event-stream", body: Vec::new() };
        sent.push((format!("HTTP as events {path}"), http(stage, &path, who, events, is_over).await));
    }
    sent
}

/// What is sent over HTTP/1, and what is wanted.
struct Form {
    method: &'static str,
    media_type: &'static str,
    body: Vec<u8>,
}

/// An answer over HTTP/1, its head included, to its end or to where it is over.
async fn http(
    stage: &Stage,
    path: &str,
    who: Who<'_>,
    Form { method, media_type, body }: Form,
    is_over: impl Fn(&[u8]) -> bool,
) -> Vec<u8> {
    let stream = TcpStream::connect(stage.address).await.expect("it listens");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("a connection");
    tokio::spawn(async move { drop(connection.await) });
    let mut request = http::Request::builder().method(method).uri(path).header("host", "gm");
    request = request.header("accept", format!("{media_type}, */*;q=0.5")).header("content-type", media_type);
    if let Some(token) = who.token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let request = request.body(Full::new(bytes::Bytes::from(body))).expect("a request");
    let answer = timeout(BOUND, sender.send_request(request)).await.expect("in time").expect("an answer");
    let head = format!("{:?}", answer.headers()).into_bytes();
    let (mut body, mut told) = (answer.into_body(), Vec::new());
    while let Some(frame) = timeout(BOUND, body.frame()).await.expect("it goes on, or ends") {
        told.extend(frame.expect("a whole answer").into_data().unwrap_or_default());
        if is_over(&told) {
            break;
        }
    }
    [head, told].concat()
}

fn holds(bytes: &[u8], canary: &[u8]) -> bool {
    bytes.windows(canary.len()).any(|window| window == canary)
}

/// Whether a number is in there, as text or as protobuf writes it.
fn holds_number(bytes: &[u8], number: u64) -> bool {
    let mut varint = Vec::new();
    prost::encoding::encode_varint(number, &mut varint);
    holds(bytes, number.to_string().as_bytes()) || holds(bytes, &varint)
}

/// Everything private is seen by whose it is, and by nobody else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_11_what_is_private_reaches_nobody_else() {
    let stage = Stage::start().await;
    let (race, blue) = plant(&stage).await;
    let own = stage.call("TeamService.GetTeam", Some(API_SECRET), json!({})).await.expect("a team");
    let budget = own[0]["budget"].as_u64().expect("a budget");
    assert!(budget > GRANT, "it is a number of its own: {budget}");

    let others = [
        ("a spectator", Who { token: None, is_team: false }),
        ("an observer", Who { token: Some(OBSERVER), is_team: false }),
        ("team 2", Who { token: Some(&blue), is_team: true }),
    ];
    for (name, who) in others {
        for (place, bytes) in sent(&stage, &race, who).await {
            for canary in OF_THE_TEAM.into_iter().chain(IN_THE_LOG).chain(OF_NOBODY).chain(SECRETS) {
                assert!(!holds(&bytes, canary.as_bytes()), "{name} is sent {canary} by {place}");
            }
            for number in [SEED, HIDDEN, GRANT, budget] {
                assert!(!holds_number(&bytes, number), "{name} is sent {number} by {place}");
            }
            assert!(!holds(&bytes, stage.admin.as_bytes()), "{name} is sent the admin's token by {place}");
            for event in hidden_from(who) {
                let quoted = format!("\"{event}\":");
                let is_schema = place.contains("openapi");
                assert!(is_schema || !holds(&bytes, quoted.as_bytes()), "{name} is told {event} by {place}");
            }
        }
        let watched = json!({ "race_id": race, "after": 0 });
        let events = stage.call("ObserverService.WatchRace", who.token, watched).await.expect("seen");
        for event in hidden_from(who) {
            assert!(events.iter().all(|it| it["event"].get(event).is_none()), "{name} is told {event}");
        }
    }

    // Each of them has happened: the admin is told.
    let all = json!({ "race_id": race, "after": 0 });
    let all = stage.call("ObserverService.WatchRace", Some(&stage.admin), all).await.expect("seen");
    for event in HIDDEN_EVENTS {
        assert!(all.iter().any(|it| it["event"].get(event).is_some()), "{event} is planted");
    }
    let red = sent(&stage, &race, Who { token: Some(API_SECRET), is_team: true }).await;
    let admin = sent(&stage, &race, Who { token: Some(&stage.admin), is_team: false }).await;
    let sees = |sent: &[(String, Vec<u8>)], transport: &str, canary: &str| {
        sent.iter().any(|(place, bytes)| place.starts_with(transport) && holds(bytes, canary.as_bytes()))
    };
    for canary in OF_THE_TEAM {
        for transport in ["gRPC ", "gRPC-Web ", "HTTP "] {
            assert!(sees(&red, transport, canary), "team 1 sees its {canary} by {transport}");
            assert!(sees(&admin, transport, canary), "the admin sees {canary} by {transport}");
        }
    }
    for canary in IN_THE_LOG {
        assert!(sees(&red, "gRPC TeamService.WatchLog", canary), "team 1 has {canary} in its log");
        assert!(sees(&red, "HTTP /v1/team/log", canary), "team 1 has {canary} in its log over HTTP");
    }
    for (number, of_red) in [(SEED, false), (HIDDEN, false), (GRANT, true), (budget, true)] {
        let is_in = |sent: &[(String, Vec<u8>)]| sent.iter().any(|(_, bytes)| holds_number(bytes, number));
        assert_eq!((is_in(&red), is_in(&admin)), (of_red, true), "{number}: team 1, the admin");
    }
    for (place, bytes) in red.iter().chain(&admin) {
        for secret in SECRETS {
            assert!(!holds(bytes, secret.as_bytes()), "{secret} is sent again by {place}");
        }
    }
}

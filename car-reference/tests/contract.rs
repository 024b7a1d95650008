//! The whole of contract C, over HTTP.

#![allow(clippy::unwrap_used, reason = "they are tests")]

mod client;

use car_reference::{Car, CarSettings, StrategyName};
use client::{Client, start};
use gm_core::contract::{CarRequest, DuelUrl, Kind, Prices};
use gm_core::ids::{Square, TeamId};
use serde_json::{Value, json};

fn settings() -> CarSettings {
    CarSettings {
        secret: Some("s3cret".into()),
        ai_url: Some(DuelUrl::parse("https://ai.example/prod/action").unwrap()),
        strategy: StrategyName::Bold,
        ..CarSettings::new("i-0abc")
    }
}

/// Every request of C in the order of a small race; a row is a request, and what is answered.
#[tokio::test]
async fn c_1_to_16_a_small_race() {
    use CarRequest::*;
    use Kind::*;
    let served = start(Car::in_memory(settings())).await;
    let mut client = Client::to(&served, Some("s3cret")).await;
    let res = |value: Value| json!({ "res": value });
    let state = |square: u32, modules: [u32; 3]| {
        let [engine, pilot, weapon] = modules;
        let modules = json!({ "engine": engine, "pilot": pilot, "weapon": weapon });
        json!({ "name": "i-0abc", "square": square, "modules": modules })
    };
    let done = || res(true.into());
    for (request, status, body) in [
        (Resource(Engine), 200, res("i-0abc-engines".into())),
        (Resource(Pilot), 200, res("i-0abc-pilots".into())),
        (Resource(Weapon), 200, res("i-0abc-weapons".into())),
        (Count(Engine), 200, res(4.into())),
        (Count(Pilot), 200, res(1.into())),
        (Count(Weapon), 200, res(3.into())),
        (State, 200, state(0, [4, 1, 3])),
        (SetSquare(Square(42)), 200, done()),
        (State, 200, state(42, [4, 1, 3])),
        (SetPosition(Square(41)), 200, done()),
        (State, 200, state(41, [4, 1, 3])),
        (SetCount { kind: Engine, count: 6 }, 200, done()),
        (Lose { kind: Engine, name: "engine-6".into() }, 200, done()),
        (
            Lose { kind: Engine, name: "engine-6".into() },
            404,
            json!({"error": "this car has no engine \"engine-6\""}),
        ),
        (Count(Engine), 200, res(5.into())),
        (
            SetCount { kind: Engine, count: 10_001 },
            422,
            json!({"error": "a car keeps at most 10000 modules of a kind"}),
        ),
        (Count(Engine), 200, res(5.into())),
        (Gain { kind: Weapon, name: "weapon-t3-c1-1".into() }, 200, done()),
        (Gain { kind: Weapon, name: "weapon-t3-c1-1".into() }, 200, done()),
        (Count(Weapon), 200, res(4.into())),
        (SetCount { kind: Weapon, count: 3 }, 200, done()),
        (
            Lose { kind: Weapon, name: "weapon-t3-c1-1".into() },
            404,
            json!({"error": "this car has no weapon \"weapon-t3-c1-1\""}),
        ),
        (Wreck, 200, res(true.into())),
        (Mine, 200, res(true.into())),
        (Garage(Prices { engine: 2, pilot: 1, weapon: 2 }), 200, res("engine".into())),
        (Garage(Prices { engine: 200, pilot: 1, weapon: 2 }), 200, res("none".into())),
        (ShouldFight(TeamId(7)), 200, res(true.into())),
        (DuelUrl, 200, res("https://ai.example/prod/action".into())),
        (Retire, 200, done()),
        // Out of the race it still answers the truth, and can be put back (C-8).
        (State, 200, state(41, [5, 1, 3])),
        (ShouldFight(TeamId(7)), 200, res(true.into())),
        (SetSquare(Square(40)), 200, done()),
        (State, 200, state(40, [5, 1, 3])),
        (SetCount { kind: Pilot, count: 0 }, 200, done()),
        (State, 200, state(40, [5, 0, 3])),
    ] {
        assert_eq!(client.send(request.clone()).await, (status, body), "{request}");
    }
    served.stop().await;
}

/// C-9, C-10: a car takes as many modules as it can keep, and no more.
#[tokio::test]
async fn c_9_and_10_a_car_that_is_full() {
    let kind = Kind::Weapon;
    let gain = |name: &str| CarRequest::Gain { kind, name: name.into() };
    let served = start(Car::in_memory(settings())).await;
    let mut client = Client::to(&served, Some("s3cret")).await;
    for (request, status) in [
        (CarRequest::SetCount { kind, count: 9_999 }, 200),
        (gain("v8"), 200),
        (gain("v9"), 422),
        (gain("v8"), 200),
        (CarRequest::SetCount { kind, count: 10_000 }, 200),
        (CarRequest::SetCount { kind, count: 10_001 }, 422),
        (CarRequest::SetCount { kind, count: u64::MAX }, 422),
    ] {
        assert_eq!(client.send(request.clone()).await.0, status, "{request}");
    }
    assert_eq!(client.send(CarRequest::Count(kind)).await.1, json!({"res": 10_000}));
}

/// C-11: names that a path can't hold as they are.
#[tokio::test]
async fn c_11_odd_names() {
    let served = start(Car::in_memory(settings())).await;
    let mut client = Client::to(&served, Some("s3cret")).await;
    let (long, longest) = ("é".repeat(200), "x".repeat(1024));
    for name in [
        "V8 n°1",
        "é",
        "100%",
        "%20",
        "%2F",
        "\"'`",
        "a/b",
        "/",
        ".",
        "..",
        "a?b#c&d=e+f",
        "count",
        "state",
        "\r\n",
        "\0",
        "\\",
        "🏎",
        " ",
        &long,
        &longest,
    ] {
        for kind in Kind::ALL {
            let count = client.send(CarRequest::Count(kind)).await;
            let (gain, lose) =
                (CarRequest::Gain { kind, name: name.into() }, CarRequest::Lose { kind, name: name.into() });
            assert_eq!(client.send(gain).await.0, 200, "{name:?}");
            assert_ne!(client.send(CarRequest::Count(kind)).await, count, "{name:?}");
            assert_eq!(client.send(lose.clone()).await.0, 200, "{name:?}");
            assert_eq!(client.send(CarRequest::Count(kind)).await, count, "{name:?}");
            assert_eq!(client.send(lose).await.0, 404, "{name:?}");
        }
    }
}

/// C-20: to a wrong secret all is answered 401, and nothing is done.
#[tokio::test]
async fn c_20_wrong_secrets() {
    let served = start(Car::in_memory(settings())).await;
    for secret in [None, Some(""), Some("S3cret"), Some("s3crets")] {
        let mut stranger = Client::to(&served, secret).await;
        for (method, path, body) in [
            ("GET", "/state", ""),
            ("GET", "/fight/iaurl", ""),
            ("DELETE", "/engine/engine-1", ""),
            ("PATCH", "/engine", r#"{"count": 0}"#),
            ("PATCH", "/engine", "nonsense"),
            ("GET", "/nowhere", ""),
        ] {
            let (status, said) = stranger.raw(method, path, None, body.as_bytes()).await;
            assert_eq!(status, 401, "{method} {path} {secret:?}");
            assert_eq!(said, json!({"error": "X-EACC-SECRET is missing or wrong"}));
        }
    }
    let mut client = Client::to(&served, Some("s3cret")).await;
    assert_eq!(client.send(CarRequest::Count(Kind::Engine)).await.1, json!({"res": 4}));

    let open = start(Car::in_memory(CarSettings::new("i-0abc"))).await;
    for secret in [None, Some("anything")] {
        assert_eq!(Client::to(&open, secret).await.send(CarRequest::State).await.0, 200);
    }
}

/// Nonsense is refused with a reason, and the car goes on as if nothing had been.
#[tokio::test]
async fn c_21_nonsense() {
    let served = start(Car::in_memory(settings())).await;
    let mut client = Client::to(&served, Some("s3cret")).await;
    let before = client.send(CarRequest::State).await;
    let padded = |length: usize| format!("{{\"square\": 7{}", " ".repeat(length - "{\"square\": 7".len()));
    let (largest, too_large) = (padded(64 * 1024), padded(64 * 1024 + 1));
    let long_id = "x".repeat(257);
    for (method, path, id, body, status) in [
        ("GET", "/", None, "", 404),
        ("GET", "/engines", None, "", 404),
        ("PUT", "/state", None, r#"{"square": 7}"#, 405),
        ("GET", "/engine/engine-1", None, "", 405),
        ("PATCH", "/state", None, "", 422),
        ("PATCH", "/state", None, "square=7", 422),
        ("PATCH", "/state", None, r#"{"square": -7}"#, 422),
        ("PATCH", "/engine", None, r#"{"count": "3"}"#, 422),
        ("POST", "/engine", None, r#"{"name": null}"#, 422),
        ("GET", "/fight/shouldfight", None, "", 422),
        ("PATCH", "/state", None, &largest, 422),
        ("PATCH", "/state", Some(""), r#"{"square": 7}"#, 422),
        ("PATCH", "/state", Some(&long_id), r#"{"square": 7}"#, 422),
        ("PATCH", "/state", Some("é"), r#"{"square": 7}"#, 422),
    ] {
        let (found, said) = client.raw(method, path, id, body.as_bytes()).await;
        assert_eq!(found, status, "{method} {path}: {said}");
        assert!(!said["error"].as_str().unwrap().is_empty());
    }
    let (status, _) =
        Client::to(&served, Some("s3cret")).await.raw("PATCH", "/state", None, too_large.as_bytes()).await;
    assert_eq!(status, 413);
    assert_eq!(client.send(CarRequest::State).await, before);
}

/// C-20: what is sent again is answered again, and not done again.
#[tokio::test]
async fn c_20_sent_again() {
    let served = start(Car::in_memory(settings())).await;
    let mut client = Client::to(&served, Some("s3cret")).await;
    let gain = || CarRequest::Gain { kind: Kind::Engine, name: "v8".into() };
    let lose = || CarRequest::Lose { kind: Kind::Engine, name: "v8".into() };
    let count = || CarRequest::Count(Kind::Engine);
    for (id, request, status, expected) in [
        ("1", gain(), 200, json!({"res": true})),
        ("2", count(), 200, json!({"res": 5})),
        ("3", lose(), 200, json!({"res": true})),
        ("3", lose(), 200, json!({"res": true})),
        ("4", lose(), 404, json!({"error": "this car has no engine \"v8\""})),
        ("1", gain(), 200, json!({"res": true})),
        ("5", count(), 200, json!({"res": 4})),
        ("2", count(), 200, json!({"res": 5})),
        ("4", lose(), 404, json!({"error": "this car has no engine \"v8\""})),
        (
            "1",
            lose(),
            409,
            json!({"error": "this X-EACC-REQUEST-ID came before, with POST /engine {\"name\":\"v8\"}"}),
        ),
        ("2", gain(), 409, json!({"error": "this X-EACC-REQUEST-ID came before, with GET /engine/count"})),
        ("6", count(), 200, json!({"res": 4})),
    ] {
        assert_eq!(client.send_as(Some(id), request.clone()).await, (status, expected), "{id} {request}");
    }
}

/// Dice are rolled once for each request: sent again it has the same answer, and the next one is not touched by it.
#[tokio::test]
async fn c_20_dice_are_rolled_once() {
    async fn answers(seed: u64, instance: &str, again: bool, ids: &str) -> Vec<Value> {
        let settings = CarSettings { strategy: StrategyName::Random, seed, ..CarSettings::new(instance) };
        let served = start(Car::in_memory(settings)).await;
        let mut client = Client::to(&served, None).await;
        let mut answers = Vec::new();
        for number in 0..60 {
            let id = format!("{ids}{number}");
            let answer = client.send_as(Some(&id), CarRequest::Mine).await;
            if again {
                assert_eq!(client.send_as(Some(&id), CarRequest::Mine).await, answer);
                client.send(CarRequest::State).await;
            }
            answers.push(answer.1["res"].clone());
        }
        answers
    }
    let first = answers(7, "i-0abc", false, "a").await;
    assert!(first.contains(&json!(true)) && first.contains(&json!(false)));
    assert_eq!(answers(7, "i-0abc", true, "b").await, first);
    assert_ne!(answers(8, "i-0abc", false, "a").await, first);
    assert_ne!(answers(7, "i-0abd", false, "a").await, first);
}

/// C-16: a car without an AI says how to give it one.
#[tokio::test]
async fn c_16_no_ai() {
    let served = start(Car::in_memory(CarSettings::new("i-0abc"))).await;
    let (status, said) = Client::to(&served, None).await.send(CarRequest::DuelUrl).await;
    assert_eq!(
        (status, said),
        (404, json!({"error": "this car has no duel AI: start it with --ai-url URL"}))
    );
}

/// Requests that come side by side, though C-23 says that they don't, are done one after the other.
#[tokio::test]
async fn c_23_side_by_side() {
    let served = std::sync::Arc::new(start(Car::in_memory(settings())).await);
    let gains: Vec<_> = (0..50)
        .map(|number| {
            let served = served.clone();
            tokio::spawn(async move {
                let name = format!("v{number}");
                Client::to(&served, Some("s3cret"))
                    .await
                    .send(CarRequest::Gain { kind: Kind::Engine, name })
                    .await
            })
        })
        .collect();
    for gain in gains {
        assert_eq!(gain.await.unwrap().0, 200);
    }
    let mut client = Client::to(&served, Some("s3cret")).await;
    assert_eq!(client.send(CarRequest::Count(Kind::Engine)).await.1, json!({"res": 54}));
}

#[tokio::test]
async fn two_hundred_cars_in_one_process() {
    let mut cars = Vec::new();
    for number in 0..200 {
        cars.push(start(Car::in_memory(CarSettings::new(format!("i-{number}")))).await);
    }
    for (number, served) in cars.iter().enumerate() {
        let (_, state) = Client::to(served, None).await.send(CarRequest::State).await;
        assert_eq!(state["name"], format!("i-{number}"));
    }
}

/// A client that says nothing does not keep a car from ending. (Time is virtual: it passes when nothing happens.)
#[tokio::test(start_paused = true)]
async fn a_silent_client_does_not_keep_a_car_alive() {
    let served = start(Car::in_memory(CarSettings::new("i-0abc"))).await;
    let silent = tokio::net::TcpStream::connect(served.address).await.unwrap();
    let mut kept_alive = Client::to(&served, None).await;
    assert_eq!(kept_alive.send(CarRequest::State).await.0, 200);
    served.stop().await;
    drop(silent);
}

//! What a team does and reads: G-1, G-2, G-4, G-5, G-7, each with what may be wrong, and done once.

use crate::client::Ask;
use crate::served::{CANARY_HOST, GREEN, RED, Served, ai, car};
use serde_json::{Value, json};

/// G-1, G-2.
#[tokio::test]
async fn a_team_registers_cars_and_looks_at_itself() {
    let served = Served::start().await;
    let new = |instance: &str| Ask::post("/v1/cars", car(instance, CANARY_HOST)).secret(RED);

    // G-1: once for each key.
    let first = served.ask(new("canary-host-of-red").header("idempotency-key", "k-1")).await.good();
    assert_eq!((&first["registered"], &first["car"]["car"]["car_id"]), (&json!(true), &json!(1)), "{first}");
    assert_eq!(first["car"]["url"], format!("http://{CANARY_HOST}"));
    let again = served.ask(new("canary-host-of-red").header("idempotency-key", "k-1")).await.good();
    assert_eq!(again, first);
    served.ask(new("two").header("idempotency-key", "k-1")).await.problem(409, "REQUEST_ID_USED");
    // Another team's keys are its own.
    let green = car("green", "green.example");
    let green = Ask::post("/v1/cars", green).secret(GREEN).header("idempotency-key", "k-1");
    assert_eq!(served.ask(green).await.good()["registered"], true);

    // R-2.3: a refusal says every reason, and is no error.
    let refused = served.ask(new("canary-host-of-red")).await.good();
    assert_eq!(refused["registered"], false, "{refused}");
    assert!(refused["reasons"].as_array().is_some_and(|reasons| !reasons.is_empty()), "{refused}");

    // G-2, by either header.
    let team = served.ask(Ask::get("/v1/team").secret(RED)).await.good();
    assert_eq!((&team["team_id"], &team["name"]), (&json!(1), &json!("Red")));
    assert_eq!(team["cars"].as_array().map(Vec::len), Some(1), "{team}");
    assert_eq!(team["race"]["race_id"], served.race);
    let bearer = Ask::get("/v1/team").header("authorization", &format!("Bearer {RED}"));
    assert_eq!(served.ask(bearer).await.good(), team);
}

#[tokio::test]
async fn who_may_not_is_told_so() {
    let served = Served::start().await;
    let admin = served.admin_token.clone();
    let body = |path: &str| match path {
        "/v1/cars" => car("one", CANARY_HOST),
        "/v1/test-duel" => format!(r#"{{"url": "{}"}}"#, ai()),
        "/v1/complaints" => r#"{"text": "!"}"#.to_owned(),
        _ => r#"{"module": "engine-1", "from": 1, "to": 2}"#.to_owned(),
    };
    for path in ["/v1/cars", "/v1/team", "/v1/team/log", "/v1/test-duel", "/v1/complaints", "/v1/transfers"] {
        let ask = if path.starts_with("/v1/team") { Ask::get(path) } else { Ask::post(path, body(path)) };
        for (secret, status, code) in [
            ("", 401, "UNAUTHENTICATED"),
            ("nobody-has-this-secret", 401, "UNAUTHENTICATED"),
            (admin.as_str(), 403, "PERMISSION_DENIED"),
        ] {
            let answer = served.ask(ask.clone().secret(secret)).await;
            answer.problem(status, code);
            assert_eq!(answer.header("www-authenticate"), if status == 401 { "Bearer" } else { "" });
        }
    }
    let team = served.ask(Ask::get("/v1/team").secret(RED)).await.good();
    assert_eq!((&team["cars"], &team["complaints"]), (&json!([]), &json!([])), "nothing was done");
}

/// G-5.
#[tokio::test]
async fn complaints_are_filed_once() {
    let served = Served::start().await;
    let file = |body: &str| Ask::post("/v1/complaints", body).secret(RED);
    let text = r#"{"turn": 0, "text": "they cheat"}"#;
    let first = served.ask(file(text).header("idempotency-key", "c-1")).await.good();
    assert_eq!(first, json!({ "complaint_no": 1 }));
    assert_eq!(served.ask(file(text).header("idempotency-key", "c-1")).await.good(), first);
    assert_eq!(
        served.ask(file(text)).await.good(),
        json!({ "complaint_no": 2 }),
        "without a key it is another one"
    );
    served.ask(file(r#"{"turn": 7, "text": "they will cheat"}"#)).await.problem(400, "FUTURE_TURN");
    served.ask(file(r#"{"text": ""}"#)).await.problem(400, "INVALID_FIELDS");
    for key in ["", "with a space", &"k".repeat(101)] {
        let wrong =
            served.ask(file(text).header("idempotency-key", key)).await.problem(400, "INVALID_FIELDS");
        assert_eq!(wrong["fields"][0]["field"], "Idempotency-Key");
    }
    let team = served.ask(Ask::get("/v1/team").secret(RED)).await.good();
    assert_eq!(team["complaints"].as_array().map(Vec::len), Some(2), "{team}");
    let other = served.ask(Ask::get("/v1/team").secret(GREEN)).await.good();
    assert_eq!(other["complaints"], json!([]));
}

/// G-7, R-7.7.
#[tokio::test]
async fn a_module_is_moved_by_its_name() {
    let served = Served::start().await;
    served.register_all().await;
    served.start_race().await;
    let ask = |body: Value| Ask::post("/v1/transfers", body.to_string()).secret(RED);
    let good = json!({ "module": "weapon-2", "from": 1, "to": 2 });
    served.ask(ask(good.clone())).await.problem(409, "TRANSFER_IMPOSSIBLE");
    served.step(1).await;
    for (body, status, code) in [
        (json!({ "module": "no-such", "from": 1, "to": 2 }), 409, "TRANSFER_IMPOSSIBLE"),
        (json!({ "module": "weapon-2", "kind": "engine", "from": 1, "to": 2 }), 409, "TRANSFER_IMPOSSIBLE"),
        (json!({ "module": "weapon-2", "from": 1, "to": 3 }), 403, "OTHER_TEAMS_CAR"),
        (json!({ "module": "weapon-2", "from": 3, "to": 1 }), 403, "OTHER_TEAMS_CAR"),
        (json!({ "module": "weapon-2", "from": 1, "to": 9 }), 404, "NO_SUCH_CAR"),
        (json!({ "module": "weapon-2", "from": 1, "to": 1 }), 400, "SAME_CAR"),
        (json!({ "module": "", "from": 1, "to": 2 }), 400, "INVALID_FIELDS"),
        (json!({ "module": "weapon-2", "kind": "wheel", "from": 1, "to": 2 }), 400, "INVALID_FIELDS"),
    ] {
        served.ask(ask(body)).await.problem(status, code);
    }
    let first = served.ask(ask(good.clone()).header("idempotency-key", "t-1")).await.good();
    assert_eq!(first["turn"], 2, "{first}");
    let weapons = |team: &Value| {
        let cars = team["cars"].as_array().expect("cars").clone();
        cars.iter()
            .map(|car| car["car"]["modules"]["weapon"].as_u64().unwrap_or_default())
            .collect::<Vec<_>>()
    };
    let before = served.ask(Ask::get("/v1/team").secret(RED)).await.good();
    assert_eq!(weapons(&before), [3, 3], "{before}");
    served.step(2).await;
    let after = served.ask(Ask::get("/v1/team").secret(RED)).await.good();
    assert_eq!(weapons(&after), [2, 4], "{after}");
    // The same key again moves nothing, though the module is not there any more.
    let again = served.ask(ask(good).header("idempotency-key", "t-1")).await;
    assert_eq!(again.status, 200, "{}", again.text());
    served.step(3).await;
    let after = served.ask(Ask::get("/v1/team").secret(RED)).await.good();
    assert_eq!(weapons(&after), [2, 4]);
}

/// G-4.
#[tokio::test]
async fn a_duel_is_played_outside_of_the_race() {
    let served = Served::start().await;
    let ask = |body: Value| Ask::post("/v1/test-duel", body.to_string()).secret(RED);
    let duel = json!({ "url": ai(), "weapons": 4, "other_weapons": 6, "seed": 1 });
    let whole = served.ask(ask(duel.clone())).await.good();
    assert_eq!(whole["started"], json!({ "seed": 1, "hand_sizes": [4, 6] }), "{whole}");
    let turns = whole["duel"]["turns"].as_array().expect("turns").len();
    assert!(turns > 0 && whole["exchanges"].as_array().is_some_and(|all| !all.is_empty()), "{whole}");

    // Step by step it is the same duel.
    let lines = served.ask(ask(duel.clone()).accept("application/jsonl")).await.lines();
    assert_eq!(lines[0]["started"], whole["started"]);
    assert_eq!(lines.last().map(|line| &line["duel"]), Some(&whole["duel"]));
    assert_eq!(lines.iter().filter(|line| line.get("turn").is_some()).count(), turns);
    let events = served.ask(ask(duel).accept("text/event-stream")).await;
    assert_eq!(events.header("content-type"), "text/event-stream");
    assert!(events.text().starts_with("event: started\ndata: {"), "{}", events.text());
    assert_eq!(events.text().matches("event: turn\n").count(), turns);

    // Against each of the minds, and the race's if none is said (R-5.1). The last is how one was called first.
    let mut played = Vec::new();
    for mind in
        [json!("random"), json!("greedy"), json!("careful"), json!("search"), json!(null), json!("reference")]
    {
        let body = json!({ "url": ai(), "weapons": 8, "other_weapons": 8, "seed": 3, "mind": mind });
        played.push(served.ask(ask(body)).await.good()["duel"].clone());
    }
    assert_ne!(played[0], played[1]);
    assert_ne!(played[1], played[2]);
    assert_eq!((&played[3], &played[2]), (&played[4], &played[5]));

    for (body, field) in [
        (json!({ "url": "not a url" }), "url"),
        (json!({ "url": ai(), "weapons": 26 }), "weapons"),
        (json!({ "url": ai(), "other_weapons": 26 }), "other_weapons"),
        (json!({ "url": ai(), "seed": -1 }), "seed"),
        (json!({ "url": ai(), "mind": 3 }), "mind"),
        (json!({ "url": ai(), "seeds": 1 }), "seeds"),
        (json!({ "weapons": 1 }), "body"),
    ] {
        let wrong = served.ask(ask(body)).await.problem(400, "INVALID_FIELDS");
        assert_eq!(wrong["fields"][0]["field"], field, "{wrong}");
    }
    let unknown = served.ask(ask(json!({ "url": ai(), "mind": "bold" }))).await;
    let unknown = unknown.problem(400, "INVALID_FIELDS");
    let said = json!("pirates have no such mind; theirs are random, greedy, careful, search");
    assert_eq!(unknown["fields"], json!([{ "field": "mind", "description": said }]), "{unknown}");
    let html = ask(json!({ "url": ai() })).accept("text/html");
    served.ask(html).await.problem(406, "NOT_ACCEPTABLE");
}

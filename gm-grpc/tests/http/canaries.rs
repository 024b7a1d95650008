//! R-11 over HTTP: whatever spectators and other teams are given holds nothing that is a team's own.

use crate::client::Ask;
use crate::served::{CANARY_HOST, CARS_OF_GREEN, CARS_OF_RED, GREEN, RED, Served};
use gm_grpc::api::wire;

/// What is Red's own. Its own members see all of it but the secrets.
const OWN: [&str; 4] = [CANARY_HOST, "canary-host-of-red-engine", "canary-complaint", "424242"];
const SECRETS: [&str; 4] = [RED, GREEN, CARS_OF_RED, CARS_OF_GREEN];

/// Every answer that somebody gets.
async fn all_of(served: &Served, secret: &str) -> String {
    let race = &served.race;
    let mut all = String::new();
    for path in [
        "/v1/races".to_owned(),
        format!("/v1/races/{race}"),
        format!("/v1/races/{race}/standings"),
        format!("/v1/races/{race}/events"),
        format!("/v1/races/{race}/events?snapshot=true&mode=latest"),
        "/v1/team".to_owned(),
        "/v1/team/log".to_owned(),
        "/healthz".to_owned(),
        "/metrics".to_owned(),
        "/openapi.json".to_owned(),
        "/".to_owned(),
    ] {
        let answer = served.ask(Ask::get(&path).secret(secret).accept("application/jsonl, */*;q=0.5")).await;
        all.push_str(&format!("{path}: {:?}\n{}\n", answer.headers, answer.text()));
    }
    all
}

#[tokio::test]
async fn nothing_of_what_is_hidden_is_told() {
    let served = Served::start().await;
    served.register_all().await;
    served.start_race().await;
    served.step(1).await;
    let grant = wire::GrantBudgetRequest {
        request_id: "grant".to_owned(),
        race_id: served.race.clone(),
        team_id: 1,
        dollars: 424_242,
    };
    served.admin().grant_budget(served.by_admin(grant)).await.expect("granted");
    let complaint = Ask::post("/v1/complaints", r#"{"text": "canary-complaint"}"#).secret(RED);
    served.ask(complaint).await.good();

    let of_red = all_of(&served, RED).await;
    for canary in OWN {
        assert!(of_red.contains(canary), "Red sees its own {canary}");
    }
    let others = [("spectators", all_of(&served, "").await), ("Green", all_of(&served, GREEN).await)];
    for (who, told) in &others {
        assert!(told.contains("EVENT_KIND_MOVE"), "{who} see the race");
        for canary in OWN {
            // The name of an instance is for all to see; where it is, is not.
            assert!(!told.contains(canary), "{who} are told {canary}");
        }
    }
    for told in others.iter().map(|(_, told)| told).chain([&of_red]) {
        for secret in SECRETS.into_iter().chain([served.admin_token.as_str()]) {
            assert!(!told.contains(secret), "{secret} is told");
        }
    }
}

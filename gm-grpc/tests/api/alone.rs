//! Errors that take more than a request, and what goes with them.

use super::stage::{Gate, Scene, Stage, enter_behind};
use axum::Router;
use axum::routing::any;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use gm_grpc::export::{ExportedRace, Reader, Writer};
use gm_grpc::serve::settings::TestDuels;
use serde_json::{Value, json};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

#[track_caller]
fn check(answer: Result<Vec<Value>, Status>, code: Code, reason: &str) {
    let status = answer.expect_err("an error");
    let info = status.get_error_details().error_info().map(|info| info.reason.clone());
    assert_eq!((status.code(), info.as_deref()), (code, Some(reason)), "{}", status.message());
}

/// while a turn is played, another is not begun, and who asks is told to wait.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_while_a_turn_is_played() {
    let stage = Stage::start().await;
    let scene =
        Scene::with_rules(&stage, "preparing", false, json!({ "request_deadline_ms": 600_000 })).await;
    let gate = Gate::default();
    let url = enter_behind("slow", &gate).await;
    let car = json!({ "race_id": scene.race, "team_id": 1, "instance": "slow", "url": url });
    stage.admin("RegisterCar", car).await;
    stage.admin("StartRace", json!({ "race_id": scene.race })).await;
    gate.close();
    let step = json!({ "race_id": scene.race, "expected_turn": 1 });
    let first = stage.call("AdminService.StepTurn", Some(&stage.admin), step.clone());
    let meanwhile = async {
        gate.somebody_waits().await;
        let second = stage.call("AdminService.StepTurn", Some(&stage.admin), step.clone()).await;
        gate.open();
        second
    };
    let (first, second) = tokio::join!(first, meanwhile);
    check(second, Code::Aborted, "TURN_IS_PLAYED");
    assert_eq!(first.expect("a turn")[0]["race"]["turn"], json!(1));
}

/// A token that is revoked is worth nothing from then on; the last admin's is not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tokens_are_revoked() {
    let stage = Stage::start().await;
    let list = || stage.call("AdminService.ListTokens", Some(&stage.admin), json!({}));
    let first = list().await.expect("tokens")[0]["tokens"][0]["token_id"].clone();
    let revoke = |id: &Value| json!({ "token_id": id, "request_id": stage.id() });
    let last = stage.call("AdminService.RevokeToken", Some(&stage.admin), revoke(&first)).await;
    check(last, Code::FailedPrecondition, "LAST_ADMIN");

    let create = json!({ "role": "TOKEN_ROLE_ADMIN", "note": "Ada", "request_id": "once" });
    let created = stage.admin("CreateToken", create.clone()).await;
    let again = stage.admin("CreateToken", create).await;
    assert_eq!((&again["token"], &again["secret"]), (&created["token"], &json!("")), "shown once");
    let ada = created["secret"].as_str().expect("a secret");
    let races = |token: String| {
        let stage = &stage;
        async move { stage.call("AdminService.ListRaces", Some(&token), json!({})).await }
    };
    races(ada.to_owned()).await.expect("she is an admin");
    let revoke = revoke(&created["token"]["token_id"]);
    let revoked = stage.admin("RevokeToken", revoke.clone()).await;
    assert_eq!(revoked["token"], created["token"]);
    assert_eq!(stage.admin("RevokeToken", revoke).await, revoked, "the same request is answered the same");
    check(races(ada.to_owned()).await, Code::Unauthenticated, "UNAUTHENTICATED");
    assert_eq!(list().await.expect("tokens")[0]["tokens"].as_array().map(Vec::len), Some(1));
}

/// An admin who has lost his token starts the game master with `--new-admin-token`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_admin_who_has_lost_his_token() {
    let data = tempfile::tempdir().expect("a directory");
    let settings = || gm_grpc::serve::Settings { data: data.path().to_owned(), ..Default::default() };
    let mut tokens = Vec::new();
    for is_first in [true, false] {
        let opened = gm_grpc::serve::Server::open(settings(), Default::default()).await.expect("a server");
        assert_eq!(opened.admin_token.is_some(), is_first, "shown once");
        tokens.extend(opened.admin_token);
        let server = opened.server;
        if !is_first {
            tokens.push(server.new_admin_token().await.expect("a token"));
        }
        for token in &tokens {
            let mut headers = http::HeaderMap::new();
            headers.insert("authorization", format!("Bearer {token}").parse().expect("a header"));
            let caller = server.api().access().caller(&headers).await.expect("it is known");
            caller.admin().expect("an admin's");
        }
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        server.serve(listener, async {}).await.expect("it stops at once");
    }
    assert_eq!(tokens.len(), 2);
}

/// The chunks of an import, under a request id.
fn chunks(id: &str, export: &[u8]) -> Value {
    let chunk = |(at, chunk): (usize, &[u8])| {
        let id = if at == 0 { id } else { "" };
        json!({ "request_id": id, "chunk": BASE64.encode(chunk) })
    };
    export.chunks(1_000).enumerate().map(chunk).collect()
}

/// The same race, said to be of another revision of the rules.
fn of_another_revision(export: &[u8]) -> Vec<u8> {
    let mut reader = Reader::new(export).expect("an export");
    let race = ExportedRace { revision: 9_999, ..reader.race().clone() };
    let mut other = Vec::new();
    let mut writer = Writer::new(&mut other, &race).expect("a header");
    while let Some(decision) = reader.next_decision().expect("a decision") {
        writer.decision(&decision).expect("written");
    }
    writer.finish().expect("written");
    other
}

/// an export is taken in by another server, and by none that would have to change it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn races_are_carried_away_and_taken_in() {
    let (stage, elsewhere) = (Stage::start().await, Stage::start().await);
    let scene = Scene::new(&stage, "running", true).await;
    for turn in 1..=3 {
        stage.admin("StepTurn", json!({ "race_id": scene.race, "expected_turn": turn })).await;
    }
    let export = json!({ "race_id": scene.race });
    let export = stage.call("AdminService.ExportRace", Some(&stage.admin), export).await.expect("an export");
    let chunk = |answer: &Value| BASE64.decode(answer["chunk"].as_str().expect("a chunk")).expect("base64");
    let export: Vec<u8> = export.iter().flat_map(chunk).collect();

    let import = |id: &str, export: &[u8]| {
        let body = chunks(id, export);
        let elsewhere = &elsewhere;
        async move { elsewhere.call("AdminService.ImportRace", Some(&elsewhere.admin), body).await }
    };
    let mut damaged = export.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    check(import("damaged", &damaged).await, Code::DataLoss, "EXPORT_DAMAGED");
    check(import("cut", &export[..middle]).await, Code::DataLoss, "EXPORT_DAMAGED");
    check(import("other", &of_another_revision(&export)).await, Code::FailedPrecondition, "OTHER_REVISION");
    let none = elsewhere.admin("ListRaces", json!({})).await;
    assert_eq!(none["races"], json!([]), "nothing of them is there");

    let imported = import("good", &export).await.expect("taken in");
    assert_eq!(imported[0]["race"]["race_id"], json!(scene.race));
    assert_eq!(imported[0]["race"]["origin"], json!("RACE_ORIGIN_IMPORTED"));
    assert_eq!(import("good", &export).await.expect("the same request"), imported);
    check(import("good", &damaged).await, Code::AlreadyExists, "REQUEST_ID_USED");
    check(import("once-more", &export).await, Code::AlreadyExists, "RACE_EXISTS");
    let start = json!({ "race_id": scene.race });
    let start = elsewhere.call("AdminService.StartRace", Some(&elsewhere.admin), start).await;
    check(start, Code::FailedPrecondition, "RACE_IMPORTED");

    let watch = json!({ "race_id": scene.race, "after": 0 });
    let here = stage.call("ObserverService.WatchRace", None, watch.clone()).await.expect("seen");
    let there = elsewhere.call("ObserverService.WatchRace", None, watch).await.expect("seen");
    assert_eq!(here, there, "and it is seen the same");
}

/// The same request is answered the same, however far the race has gone on; one with other secrets is another request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_that_comes_again_later() {
    let stage = Stage::start().await;
    let scene = Scene::new(&stage, "running", true).await;
    let declare = json!({ "race_id": scene.race, "encounter": "ENCOUNTER_GARAGE", "request_id": "declare" });
    let declared = stage.admin("DeclareEncounter", declare.clone()).await;
    assert_eq!(declared["turn"], json!(1));
    let step = |turn: u32| json!({ "race_id": scene.race, "expected_turn": turn });
    stage.admin("StepTurn", step(1)).await;
    stage.admin("StepTurn", step(2)).await;
    assert_eq!(stage.admin("DeclareEncounter", declare).await, declared, "two turns later");

    let team = |api: &str, car: &str| json!({ "race_id": scene.race, "name": "Green", "request_id": "green", "api_secret": api, "car_secret": car });
    let made = stage.admin("CreateTeam", team("green-shows-this-1", "green")).await;
    assert_eq!((&made["team_id"], &made["api_secret"]), (&json!(3), &json!("green-shows-this-1")));
    let again = stage.admin("CreateTeam", team("green-shows-this-1", "green")).await;
    assert_eq!((&again["team_id"], &again["api_secret"]), (&json!(3), &json!("")), "shown once");
    for (api, car) in [("green-shows-this-2", "green"), ("green-shows-this-1", "other"), ("", "green")] {
        let other = stage.call("AdminService.CreateTeam", Some(&stage.admin), team(api, car)).await;
        check(other, Code::AlreadyExists, "REQUEST_ID_USED");
    }
    let teams = stage.admin("ListTeams", json!({ "race_id": scene.race })).await;
    assert_eq!(teams["teams"].as_array().map(Vec::len), Some(3));
}

/// What is refused for its length is kept nowhere: nobody can fill the disk with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_too_long_is_not_kept() {
    const LONG: usize = 1_000_000;
    let stage = Stage::start().await;
    let scene = Scene::new(&stage, "running", true).await;
    let long = format!("canary{}", "x".repeat(LONG));
    let red = Some(&*scene.secrets[0]);
    let admin = Some(&*stage.admin);
    let of_race = |mut body: Value| {
        body["race_id"] = json!(scene.race);
        body
    };
    for (rpc, token, body) in [
        ("AdminService.CreateTeam", admin, of_race(json!({ "name": long }))),
        ("AdminService.RetireCar", admin, of_race(json!({ "car_id": 1, "reason": long }))),
        (
            "AdminService.RegisterCar",
            admin,
            of_race(json!({ "team_id": 1, "instance": long, "url": "http://127.0.0.1:9" })),
        ),
        ("AdminService.PublishHint", admin, of_race(json!({ "achievement_id": "pacifist", "hint": long }))),
        (
            "AdminService.Adjudicate",
            admin,
            of_race(json!({ "correction": { "team": { "team_id": 1 } }, "reason": long })),
        ),
        ("TeamService.RegisterCar", red, json!({ "instance": long, "url": "http://127.0.0.1:9" })),
        ("TeamService.FileComplaint", red, json!({ "text": long })),
        (
            "TeamService.TransferModule",
            red,
            json!({ "module": { "kind": 1, "name": long }, "from_car_id": 1, "to_car_id": 1 }),
        ),
    ] {
        check(stage.call(rpc, token, body).await, Code::InvalidArgument, "INVALID_FIELDS");
    }
    for entry in std::fs::read_dir(stage.data.path()).expect("the data directory") {
        let bytes = std::fs::read(entry.expect("an entry").path()).unwrap_or_default();
        assert!(!bytes.windows(8).any(|window| window == b"canaryxx"), "it is on the disk");
    }
}

/// History that is not kept any more: a watch is told which is the oldest, and may begin there or with a snapshot.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn history_that_is_gone() {
    let keep_five = |settings: gm_grpc::serve::Settings| {
        let watch = gm_grpc::serve::settings::Watch { retention: Some(5), ..settings.watch.clone() };
        gm_grpc::serve::Settings { watch, ..settings }
    };
    let stage = Stage::start_with(keep_five).await;
    let scene = Scene::new(&stage, "running", true).await;
    for turn in 1..=2 {
        stage.admin("StepTurn", json!({ "race_id": scene.race, "expected_turn": turn })).await;
    }
    let watch = |start: Value| {
        let (stage, mut body) = (&stage, start);
        body["race_id"] = json!(scene.race);
        async move { stage.call("ObserverService.WatchRace", None, body).await }
    };
    let gone = watch(json!({ "after": 0 })).await.expect_err("it is gone");
    let info = gone.get_error_details().error_info().cloned().expect("an ErrorInfo");
    assert_eq!((gone.code(), info.reason.as_str()), (Code::OutOfRange, "HISTORY_GONE"));
    let oldest: u64 = info.metadata["oldest_sequence"].parse().expect("a number");
    let kept = watch(json!({ "after": oldest - 1 })).await.expect("what is kept");
    let numbers: Vec<_> = kept.iter().filter_map(|it| it["event"]["sequence"].as_u64()).collect();
    assert_eq!(numbers, (oldest..oldest + 5).collect::<Vec<_>>());
    let snapshot = watch(json!({ "with_snapshot": true })).await.expect("a snapshot");
    assert_eq!(snapshot[0]["snapshot"]["sequence"], json!(oldest + 4));
    assert_eq!(snapshot[1]["caught_up"], json!(oldest + 4));
}

/// a team that complains without end is told to wait for the jury.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_team_that_complains_without_end() {
    let stage = Stage::start().await;
    let scene = Scene::new(&stage, "running", false).await;
    let complain = |text: String| {
        let (stage, secret) = (&stage, &scene.secrets[0]);
        async move { stage.call("TeamService.FileComplaint", Some(secret), json!({ "text": text })).await }
    };
    for number in 1..=100 {
        let filed = complain(format!("complaint {number}")).await.expect("filed");
        assert_eq!(filed[0]["complaint_no"], json!(number));
    }
    check(complain("one more".to_owned()).await, Code::FailedPrecondition, "TOO_MANY_COMPLAINTS");
    let page = json!({ "race_id": scene.race, "page_size": 60 });
    let first = stage.admin("ListComplaints", page.clone()).await;
    let next = json!({ "race_id": scene.race, "page_size": 60, "page_token": first["next_page_token"] });
    let second = stage.admin("ListComplaints", next).await;
    let numbers = |page: &Value| {
        let complaints = page["complaints"].as_array().cloned().unwrap_or_default();
        complaints.iter().map(|it| it["complaint_no"].as_u64()).collect::<Vec<_>>()
    };
    let all: Vec<_> = numbers(&first).into_iter().chain(numbers(&second)).collect();
    assert_eq!(all, (1..=100).map(Some).collect::<Vec<_>>(), "page by page, each once");
    assert_eq!(second["next_page_token"], json!(""));
}

/// G-4: as many test duels as may run, and one more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn too_many_test_duels() {
    let one = TestDuels { at_once: 2, per_team: 1 };
    let stage = Stage::start_with(|settings| gm_grpc::serve::Settings { test_duels: one, ..settings }).await;
    let scene = Scene::new(&stage, "preparing", false).await;
    let gate = Gate::default();
    gate.close();
    let ai = gate.before(Router::new().fallback(any(|| async { "[]" })));
    let url = super::stage::host(ai).await;
    let duel = json!({ "url": url, "seed": 1 });
    let first = stage.call("TeamService.TestDuel", Some(&scene.secrets[0]), duel.clone());
    let meanwhile = async {
        gate.somebody_waits().await;
        let second = stage.call("TeamService.TestDuel", Some(&scene.secrets[0]), duel.clone()).await;
        gate.open();
        second
    };
    let (first, second) = tokio::join!(first, meanwhile);
    check(second, Code::ResourceExhausted, "TOO_MANY_TRIALS");
    let last = first.expect("a duel").pop().expect("its end");
    assert_eq!(last["duel"]["end"], json!("DUEL_END_ILLEGAL"), "its AI answers nonsense");
    stage.call("TeamService.TestDuel", Some(&scene.secrets[0]), duel).await.expect("there is room again");
}

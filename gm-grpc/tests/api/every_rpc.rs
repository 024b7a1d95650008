//! Every RPC: its success, and each error that is documented. What is documented is read from the comments in
//! `proto/gm/v1`, so an RPC or an error without a row fails.

use super::dynamic;
use super::rows::{Row, rows};
use super::stage::{Scene, Stage};
use gm_grpc::api::wire::descriptors;
use prost_reflect::MethodDescriptor;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

/// Errors that have a test of their own, since it takes more than a request to get them.
const ELSEWHERE: [(&str, &str, &str); 9] = [
    ("AdminService.StepTurn", "ABORTED", "a_step_while_a_turn_is_played"),
    ("AdminService.RevokeToken", "OK", "tokens_are_revoked"),
    ("AdminService.RevokeToken", "FAILED_PRECONDITION", "tokens_are_revoked"),
    ("AdminService.ImportRace", "OK", "races_are_carried_away_and_taken_in"),
    ("AdminService.ImportRace", "DATA_LOSS", "races_are_carried_away_and_taken_in"),
    ("AdminService.ImportRace", "ALREADY_EXISTS", "races_are_carried_away_and_taken_in"),
    ("AdminService.ImportRace", "FAILED_PRECONDITION", "races_are_carried_away_and_taken_in"),
    ("TeamService.FileComplaint", "FAILED_PRECONDITION", "a_team_that_complains_without_end"),
    ("TeamService.TestDuel", "RESOURCE_EXHAUSTED", "too_many_test_duels"),
];

/// Errors of streams that have a test elsewhere, since it takes a client that does not read.
const SLOW: [(&str, &str, &str); 2] = [
    (
        "ObserverService.WatchRace",
        "RESOURCE_EXHAUSTED",
        "lossless_ends_with_the_number_after_which_nothing_is_lost",
    ),
    ("TeamService.WatchLog", "RESOURCE_EXHAUSTED", "a_log_ends_with_the_number_after_which_nothing_is_lost"),
];

/// What the comments of the services say of every RPC, where it applies.
const OF_ALL: [&str; 6] =
    ["OK", "UNAUTHENTICATED", "PERMISSION_DENIED", "NOT_FOUND", "INVALID_ARGUMENT", "ALREADY_EXISTS"];

fn methods() -> Vec<(String, MethodDescriptor)> {
    let services = descriptors().services().filter(|service| service.full_name().starts_with("gm.v1."));
    let of = |service: prost_reflect::ServiceDescriptor| {
        service
            .methods()
            .map(|method| (format!("{}.{}", service.name(), method.name()), method))
            .collect::<Vec<_>>()
    };
    services.flat_map(of).collect()
}

/// The names of the codes that a comment holds after `Errors:`.
fn documented(method: &MethodDescriptor) -> BTreeSet<String> {
    let info = method.parent_file().file_descriptor_proto().source_code_info.clone().expect("comments");
    let location = info.location.iter().find(|location| location.path == method.path());
    let comment = location.map(|location| location.leading_comments().to_owned()).unwrap_or_default();
    let (_, errors) = comment.split_once("Errors:").unwrap_or_default();
    let words = errors.split(|c: char| !(c.is_ascii_uppercase() || c == '_'));
    words.filter(|word| CODES.iter().any(|(name, _)| name == word)).map(str::to_owned).collect()
}

const CODES: [(&str, Code); 12] = [
    ("OK", Code::Ok),
    ("INVALID_ARGUMENT", Code::InvalidArgument),
    ("NOT_FOUND", Code::NotFound),
    ("ALREADY_EXISTS", Code::AlreadyExists),
    ("PERMISSION_DENIED", Code::PermissionDenied),
    ("UNAUTHENTICATED", Code::Unauthenticated),
    ("RESOURCE_EXHAUSTED", Code::ResourceExhausted),
    ("FAILED_PRECONDITION", Code::FailedPrecondition),
    ("ABORTED", Code::Aborted),
    ("OUT_OF_RANGE", Code::OutOfRange),
    ("DATA_LOSS", Code::DataLoss),
    ("UNAVAILABLE", Code::Unavailable),
];

fn name_of(code: Code) -> &'static str {
    CODES.iter().find_map(|(name, it)| (*it == code).then_some(*name)).expect("a code of the list")
}

/// Whoever may call an RPC: the admin, team 1, or anybody.
fn usual<'s>(rpc: &str, scene: &'s Scene<'_>) -> Option<&'s str> {
    match rpc.split_once('.').expect("a service").0 {
        "AdminService" => Some(&scene.stage.admin),
        "TeamService" => Some(&scene.secrets[0]),
        _ => None,
    }
}

/// What is wrong with what came of a row; none: it is as expected.
fn differs(answer: &Result<Vec<Value>, Status>, code: Code, says: &str) -> Option<String> {
    match answer {
        Ok(answers) => {
            let all: String = answers.iter().map(Value::to_string).collect();
            (code != Code::Ok || !all.contains(says)).then(|| format!("was answered {all:.500}"))
        }
        Err(status) => {
            let details = status.get_error_details();
            let reason = details.error_info().map(|info| info.reason.clone()).unwrap_or_default();
            let fields = details.bad_request().map(|it| it.field_violations.clone()).unwrap_or_default();
            let is_said = reason == says || fields.iter().any(|field| field.field.starts_with(says));
            // Whoever is told that his request is wrong is told which field; an upload that is no export has none.
            let is_placed = code != Code::InvalidArgument || !fields.is_empty() || reason == "NO_EXPORT";
            let is_right = status.code() == code && is_said && is_placed && !status.message().is_empty();
            (!is_right).then(|| format!("{:?} {reason} {fields:?}: {}", status.code(), status.message()))
        }
    }
}

/// Every RPC has a row for its success and one for each error that is documented, and each row comes out as it says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_rpc_and_each_of_its_errors() {
    let stage = Stage::start().await;
    let mut covered: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let mut wrong = Vec::new();
    let alone = ELSEWHERE.iter().map(|row| (row, include_str!("alone.rs")));
    let slow = SLOW.iter().map(|row| (row, include_str!("../trouble/slow.rs")));
    for ((rpc, code, test), source) in alone.chain(slow) {
        assert!(source.contains(&format!("async fn {test}(")), "{test} is there");
        covered.entry((*rpc).to_owned()).or_default().insert(code);
    }
    for Row { rpc, state, car, before, body, code, says } in rows() {
        let scene = Scene::new(&stage, state, car).await;
        for (rpc, body) in before {
            let before = stage.call(rpc, usual(rpc, &scene), body(&scene)).await;
            before.unwrap_or_else(|status| unreachable!("before: {rpc}: {status}"));
        }
        let answer = stage.call(rpc, usual(rpc, &scene), body(&scene)).await;
        if let Some(came) = differs(&answer, code, says) {
            wrong.push(format!("{rpc} of a race that is {state}: expected {code:?} {says}, and it {came}"));
        }
        covered.entry(rpc.to_owned()).or_default().insert(name_of(code));
        if code == Code::Ok {
            wrong.extend(of_every_rpc(&stage, rpc, state, car, before, body, &mut covered).await);
        }
    }
    for (rpc, method) in methods() {
        let covered = covered.remove(&rpc).unwrap_or_default();
        let documented = documented(&method);
        let is_told = |code: &&str| documented.contains(*code) || OF_ALL.contains(code);
        wrong.extend(
            covered
                .iter()
                .filter(|code| !is_told(code))
                .map(|code| format!("{rpc} does not say that it answers {code}")),
        );
        let wanted = documented.iter().map(String::as_str).chain(["OK"]);
        wrong.extend(
            wanted.filter(|code| !covered.contains(code)).map(|code| format!("{rpc} has no row for {code}")),
        );
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// The errors that the services document for every RPC, by a request that would succeed.
async fn of_every_rpc(
    stage: &Stage,
    rpc: &'static str,
    state: &str,
    car: bool,
    before: &[(&str, super::rows::Body)],
    body: super::rows::Body,
    covered: &mut BTreeMap<String, BTreeSet<&str>>,
) -> Vec<String> {
    let scene = Scene::new(stage, state, car).await;
    for (rpc, body) in before {
        let before = stage.call(rpc, usual(rpc, &scene), body(&scene)).await;
        before.unwrap_or_else(|status| unreachable!("before: {rpc}: {status}"));
    }
    let (service, _) = rpc.split_once('.').expect("a service");
    let token = usual(rpc, &scene);
    let input = dynamic::method(rpc).input();
    let has = |field: &str| input.get_field_by_name(field).is_some();
    let changed = |field: &str, value: Value| {
        let mut body = body(&scene);
        body[field] = value;
        body
    };
    let mut cases: Vec<(&str, Option<&str>, Value, Code, &str)> = Vec::new();
    cases.push((
        "an unknown token",
        Some("gm-admin-0000"),
        body(&scene),
        Code::Unauthenticated,
        "UNAUTHENTICATED",
    ));
    match service {
        "AdminService" => {
            cases.push(("no token", None, body(&scene), Code::Unauthenticated, "UNAUTHENTICATED"));
            let team = Some(&*scene.secrets[0]);
            cases.push(("a team's secret", team, body(&scene), Code::PermissionDenied, "PERMISSION_DENIED"));
        }
        "TeamService" => {
            cases.push(("no token", None, body(&scene), Code::Unauthenticated, "UNAUTHENTICATED"));
            let admin = Some(&*stage.admin);
            cases.push((
                "an admin's token",
                admin,
                body(&scene),
                Code::PermissionDenied,
                "PERMISSION_DENIED",
            ));
        }
        _ => {}
    }
    if has("race_id") && rpc != "AdminService.CreateToken" {
        cases.push((
            "no such race",
            token,
            changed("race_id", json!("gm-0")),
            Code::NotFound,
            "RACE_NOT_FOUND",
        ));
        cases.push(("no id", token, changed("race_id", json!("")), Code::InvalidArgument, "race_id"));
        let long = changed("race_id", json!("é".repeat(10_000)));
        cases.push(("a long id", token, long, Code::InvalidArgument, "race_id"));
    }
    let used = stage.id();
    if has("request_id") {
        cases.push(("no id", token, changed("request_id", json!("")), Code::InvalidArgument, "request_id"));
        // The id is used for something else about the same race, and for something that is about none.
        let (other, of_it) = match service {
            "TeamService" => ("TeamService.FileComplaint", json!({ "text": "other", "request_id": used })),
            _ if has("race_id") && rpc != "AdminService.CreateToken" => {
                let grant = json!({ "race_id": scene.race, "team_id": 1, "dollars": 77, "request_id": used });
                ("AdminService.GrantBudget", grant)
            }
            _ => ("AdminService.CreateToken", json!({ "role": 2, "note": "other", "request_id": used })),
        };
        // A race that is over takes no grants; its complaints are heard.
        let other = stage.call(other, usual(other, &scene), of_it).await;
        if other.is_ok() {
            let again = changed("request_id", json!(used));
            cases.push(("an id that was used", token, again, Code::AlreadyExists, "REQUEST_ID_USED"));
        }
    }
    let mut wrong = Vec::new();
    for (what, token, body, code, says) in cases {
        let answer = stage.call(rpc, token, body).await;
        if let Some(came) = differs(&answer, code, says) {
            wrong.push(format!("{rpc} with {what}: expected {code:?} {says}, and it {came}"));
        }
        covered.entry(rpc.to_owned()).or_default().insert(name_of(code));
    }
    wrong
}

//! `gm race` and `gm replay`, as processes, on a race that was played before.

mod played;

use gm_grpc::journal::{DataDirectory, DecisionNo, Journal};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn gm(data: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gm"))
        .args(arguments)
        .env("GM_DATA", data)
        .stdin(Stdio::null())
        .output()
        .expect("gm was built")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// What `gm` says on its standard output where it succeeds.
#[track_caller]
fn says(data: &Path, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = gm(data, arguments);
    assert!(status.success(), "{arguments:?}: {}", text(&stderr));
    assert_eq!(text(&stderr), "", "{arguments:?}");
    text(&stdout)
}

#[track_caller]
fn refuses(data: &Path, arguments: &[&str], expected: &str) {
    let Output { status, stdout, stderr } = gm(data, arguments);
    assert_eq!(status.code(), Some(1), "{arguments:?}: {}", text(&stderr));
    assert_eq!(text(&stderr).trim_end(), format!("gm: {expected}"));
    assert_eq!(text(&stdout), "");
}

#[track_caller]
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

async fn a_race() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    played::play(directory.path(), async |_| {}).await;
    directory
}

#[tokio::test]
async fn list_and_show() {
    let directory = a_race().await;
    let data = directory.path();
    // Beside a process that has the directory.
    let held = DataDirectory::open(data).expect("free");

    let list = says(data, &["race", "list"]);
    let line = list.lines().nth(1).expect("a race");
    for word in ["gm-played", "Friday", "over: its last turn was played", " 8 ", " 6 ", "here"] {
        assert!(line.contains(word), "{word:?} is not in {line}");
    }
    let json = lines(&says(data, &["race", "list", "--json"]));
    assert_eq!(json.len(), 1);
    assert_eq!((&json[0]["race"], &json[0]["turn"]), (&"gm-played".into(), &8.into()));

    for race in ["gm-played", "Friday", "latest"] {
        let shown = says(data, &["race", "show", race]);
        for word in [
            "race gm-played \"Friday\", made ",
            "turn 8, over: its last turn was played",
            "rules: balanced, but",
            "  track_length = 40  (300)",
            "  encounters.nothing = 5  (60)",
            "rank  team",
            "complaints that wait for the jury:\n  2 of Red about turn 1: our car was there",
        ] {
            assert!(shown.contains(word), "{word:?} is not in\n{shown}");
        }
        assert!(!shown.contains('\u{1b}') && !shown.contains("canary-complaint"), "{shown}");
    }
    let json = lines(&says(data, &["race", "show", "latest", "--json"]));
    assert_eq!((&json[0]["preset"], &json[0]["rules"]["track_length"]), (&"balanced".into(), &40.into()));
    assert_eq!(json[0]["complaints"][0]["number"], 2);
    assert_eq!(json[0]["result"]["standings"].as_array().map(Vec::len), Some(3));
    drop(held);
}

#[tokio::test]
async fn r_11_the_log_of_a_team() {
    let directory = a_race().await;
    let data = directory.path();
    let log = says(data, &["race", "log", "latest", "--team", "Red"]);
    assert!(log.contains("car 1  GET http://car1/state: 200 {"), "{log}");
    assert!(log.contains("car 1 is penalised: "), "{log}");
    assert!(!log.contains("canary") && !log.contains("7777") && !log.contains('\u{1b}'), "{log}");
    assert_eq!(says(data, &["race", "log", "Friday", "--team", "1"]), log);

    let json = lines(&says(data, &["race", "log", "latest", "--team", "Red", "--json"]));
    assert!(json.iter().map(|entry| entry["number"].as_u64()).eq((1..=json.len() as u64).map(Some)));
    let penalty =
        json.iter().find(|entry| entry["event"]["what"]["event"] == "penalised").expect("a penalty");
    assert!(penalty["event"]["expected"].is_string() && penalty["event"]["found"].is_string(), "{penalty}");

    let turn = lines(&says(data, &["race", "log", "latest", "--team", "Red", "--turn", "3", "--json"]));
    let of_turn: Vec<&Value> = json.iter().filter(|entry| entry["turn"] == 3).collect();
    assert!(!turn.is_empty() && turn.iter().eq(of_turn));

    let teams = "the race has no team \"Pink\": 1 \"Red\", 2 \"Green\", 3 \"Blue\"";
    refuses(data, &["race", "log", "latest", "--team", "Pink"], teams);
    refuses(
        data,
        &["race", "log", "Monday", "--team", "Red"],
        &format!("there is no race Monday in {}: `gm race list` names those that are there", data.display()),
    );
}

#[tokio::test]
async fn forget() {
    let directory = a_race().await;
    let data = directory.path();
    refuses(
        data,
        &["race", "forget", "latest"],
        "race gm-played \"Friday\" would be gone for good: say so with --yes, and export it before if it matters",
    );
    let held = DataDirectory::open(data).expect("free");
    let Output { status, stderr, .. } = gm(data, &["race", "forget", "latest", "--yes"]);
    assert_eq!(status.code(), Some(1));
    assert!(text(&stderr).contains("is used by another gm"), "{}", text(&stderr));
    drop(held);
    assert_eq!(says(data, &["race", "forget", "latest", "--yes"]), "race gm-played is forgotten\n");
    assert_eq!(says(data, &["race", "list", "--json"]), "");
    let journal = Journal::open(DataDirectory::open(data).expect("free")).await.expect("a journal");
    assert!(journal.races().await.expect("races").is_empty());
    journal.close().await.expect("the journal closes");
}

#[test]
fn where_there_is_no_journal() {
    let directory = tempfile::tempdir().expect("a directory");
    let missing = directory.path().join("missing");
    for arguments in [
        &["race", "list"][..],
        &["race", "show", "latest"],
        &["race", "log", "latest", "--team", "1"],
        &["race", "forget", "latest", "--yes"],
    ] {
        let Output { status, stderr, .. } = gm(&missing, arguments);
        assert_eq!(status.code(), Some(1), "{arguments:?}");
        assert!(text(&stderr).contains("there is no journal in it"), "{}", text(&stderr));
        assert!(!missing.exists(), "{arguments:?} makes nothing");
    }
}

#[tokio::test]
async fn replay() {
    let directory = a_race().await;
    let file = directory.path().join("friday.jsonl");
    let name = file.to_str().expect("UTF-8");
    assert!(gm(directory.path(), &["race", "export", "latest", "--out", name]).status.success());

    let journal = Journal::open_to_read(DataDirectory::look(directory.path()).expect("it is there"));
    let journal = journal.await.expect("a journal");
    let race = journal.race(&played::race_id()).await.expect("the race");
    let mut expected = Vec::new();
    for decision in journal.decisions(&race, DecisionNo(0)).await.expect("decisions") {
        for event in journal.outcome(&race, decision.decision.no).await.expect("events").events {
            event.write_json(&mut expected).expect("memory");
        }
    }
    // As a race that runs is shown: each event, and the result.
    let json = says(directory.path(), &["replay", name, "--speed", "0", "--format", "json"]);
    let (events, result) = json.trim_end().rsplit_once('\n').expect("a result");
    assert_eq!(format!("{events}\n"), text(&expected));
    assert!(result.starts_with("{\"result\":"), "{result}");

    let plain = says(directory.path(), &["replay", name, "--speed", "0"]);
    for word in ["at the start: teams 3, cars 6, seed 11", "turn 1\n", "turn 8\n", "rank  team"] {
        assert!(plain.contains(word), "{word:?} is not in\n{plain}");
    }
    assert!(!plain.contains('\u{1b}'), "colours only on a terminal");

    let late = says(directory.path(), &["replay", name, "--speed", "0", "--from-turn", "7"]);
    assert!(late.starts_with("after turn 6: teams 3, cars 6, seed 11\nturn 7\n"), "{late}");
    assert!(!late.contains("\nturn 6\n") && late.contains("turn 7\n") && late.contains("turn 8\n"), "{late}");
    assert!(plain.ends_with(late.split_once("turn 7\n").expect("it was played").1), "the same from there");

    let none = format!("{name}: the race has no turn 9: its last is 8");
    refuses(directory.path(), &["replay", name, "--speed", "0", "--from-turn", "9"], &none);
}

#[tokio::test]
async fn what_is_no_export() {
    let directory = a_race().await;
    let file = directory.path().join("friday.jsonl");
    let name = file.to_str().expect("UTF-8");
    assert!(gm(directory.path(), &["race", "export", "latest", "--out", name]).status.success());
    let whole = std::fs::read(&file).expect("the export");
    let at = whole.windows(7).position(|bytes| bytes == b"\"turn\":").expect("a turn");
    let mut changed = whole.clone();
    changed[at + 7] ^= 1;
    for (bytes, words) in [(&changed[..], "was changed after the export was made"), (b"[]", "its first line")]
    {
        std::fs::write(&file, bytes).expect("it can be written");
        let Output { status, stderr, .. } = gm(directory.path(), &["replay", name, "--speed", "0"]);
        assert_eq!(status.code(), Some(1));
        assert!(text(&stderr).contains(words) && text(&stderr).contains(name), "{}", text(&stderr));
    }
    let missing = directory.path().join("missing");
    let Output { status, stderr, .. } = gm(directory.path(), &["replay", missing.to_str().expect("UTF-8")]);
    assert_eq!(status.code(), Some(1));
    assert!(text(&stderr).contains("can't read "), "{}", text(&stderr));
    let Output { status, .. } = gm(directory.path(), &["replay", name, "--speed", "-1"]);
    assert_eq!(status.code(), Some(2), "a wrong command line");
}

//! The command `simulate`: what it says, and its exit codes.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A race that was recorded, and is as the rule book says.
const RECORDED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../gm-grpc/tests/fixtures/race-revision-1.jsonl");

fn simulate(folder: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_simulate"))
        .current_dir(folder)
        .args(options)
        .output()
        .expect("simulate can be started")
}

/// What it says, when it ends with this code.
#[track_caller]
fn says(folder: &Path, options: &[&str], code: i32) -> String {
    let Output { status, stdout, stderr } = simulate(folder, options);
    let (out, err) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert_eq!(status.code(), Some(code), "{options:?}: {out}{err}");
    if code == 2 { err.into_owned() } else { out.into_owned() }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn races_that_are_good() {
    let folder = folder();
    let text = says(folder.path(), &["--races", "5", "--seed", "1"], 0);
    assert!(text.starts_with("5 races from seed 1, "), "{text}");
    assert!(text.contains("nothing found\nodds: "), "{text}");
    let json = says(folder.path(), &["--races", "5", "--seed", "1", "--jobs", "1", "--format", "json"], 0);
    let [line] = &json.lines().collect::<Vec<_>>()[..] else { panic!("{json}") };
    let end: Value = serde_json::from_str(line).expect("JSON");
    assert_eq!((&end["end"]["good"], &end["end"]["races"]), (&Value::Bool(true), &Value::from(5)));
    assert_eq!(
        fs::read_dir(folder.path()).expect("a folder").count(),
        0,
        "nothing is kept where nothing was found"
    );
}

/// One race again, its export, and what is said of an export that somebody has changed.
#[test]
fn one_race_and_its_export() {
    let folder = folder();
    let text = says(folder.path(), &["--race-seed", "4711", "--turns", "6", "--out", "race.jsonl"], 0);
    assert!(text.contains("1 races decided again: nothing found"), "{text}");
    let text = says(folder.path(), &["audit", "race.jsonl", RECORDED], 0);
    assert_eq!(text.lines().filter(|line| line.ends_with(": nothing found")).count(), 2, "{text}");

    let export = fs::read_to_string(folder.path().join("race.jsonl")).expect("the export");
    let changed = export.replacen(
        r#""turn":1,"format":1,"body":{"event":"turn_started","turn":1}"#,
        r#""turn":1,"format":1,"body":{"event":"turn_started","turn":2}"#,
        1,
    );
    assert_ne!(export.len(), 0);
    assert!(changed != export, "there is a first turn");
    fs::write(folder.path().join("changed.jsonl"), changed).expect("a file");
    let text = says(folder.path(), &["audit", "changed.jsonl"], 1);
    assert!(text.contains(r#"R-10.1: expected {"event":"turn_started","turn":1}"#), "{text}");
    let json = says(folder.path(), &["audit", "changed.jsonl", "--format", "json"], 1);
    let first: Value = serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
    assert_eq!(first["rule"], "R-10.1");

    fs::write(folder.path().join("other.txt"), "something else\n").expect("a file");
    let text = says(folder.path(), &["audit", "other.txt"], 1);
    assert!(text.contains("format: not JSON"), "{text}");
}

/// A plan in which something is wrong: what is found is told.
#[test]
fn a_plan_is_played() {
    let folder = folder();
    let plan = r#"{"seed":7,"rules":RULES,"inspected":[],"cars":[],
        "pirates":{"dice":999,"plays":"first","faults":{"percent":0,"kinds":[]}},
        "steps":[{"turn":{}},{"commands":{"commands":[]}}]}"#;
    let mut rules = serde_json::to_value(gm_core::race::Rules::balanced()).expect("JSON");
    rules["idle_turns"] = Value::from(0);
    fs::write(folder.path().join("plan.json"), plan.replace("RULES", &rules.to_string())).expect("a file");
    let text = says(folder.path(), &["--plan", "plan.json"], 1);
    assert!(text.contains("rules: idle_turns: is 0, and must be from 1 to 4294967295"), "{text}");
    let json = says(folder.path(), &["--plan", "plan.json", "--format", "json"], 1);
    let found: Value = serde_json::from_str(json.lines().next().expect("a line")).expect("JSON");
    assert_eq!(found["rule"], "rules");
    assert!(!folder.path().join("simulated").exists(), "a plan is not made smaller");
}

#[test]
fn what_can_t_be_tried() {
    let folder = folder();
    for (options, says_that) in [
        (&["--races", "many"][..], "invalid value 'many'"),
        (&["--turns", "0"], "invalid value '0'"),
        (&["--jobs", "0"], "invalid value '0'"),
        (&["--race-seed", "1", "--races", "5"], "cannot be used with"),
        (&["--out", "x.jsonl"], "--out is for one race: name it with --race-seed or --plan"),
        (&["--plan", "nowhere.json"], "nowhere.json: can't read it"),
        (&["audit", "nowhere.jsonl"], "nowhere.jsonl: can't read it"),
        (&["audit"], "required arguments were not provided"),
    ] {
        let text = says(folder.path(), options, 2);
        assert!(text.contains(says_that), "{options:?}: {text}");
    }
    fs::write(folder.path().join("plan.json"), "{\"seed\":1}").expect("a file");
    let text = says(folder.path(), &["--plan", "plan.json"], 2);
    assert!(text.contains("plan.json: missing field `rules`"), "{text}");
}

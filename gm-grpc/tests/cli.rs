//! The command `gm`, as a process: what it prints, what it exits with, and what it leaves behind.

use axum::extract::Request;
use axum::http::Method;
use axum::middleware::{Next, from_fn};
use car_reference::{Car, CarSettings};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use tokio::net::TcpListener;

fn gm(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gm")).args(arguments).output().expect("gm was built")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// A file of this test run's own.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()))
}

/// What `gm` says when it can't run a race: one message, on the error output, and exit code 1.
#[track_caller]
fn refuses(arguments: &[&str], expected: &str) {
    let Output { status, stdout, stderr } = gm(arguments);
    assert_eq!(status.code(), Some(1), "{}", text(&stderr));
    assert_eq!(text(&stderr).trim_end(), expected);
    assert_eq!(text(&stdout), "");
}

#[test]
fn demo_in_plain_lines() {
    let Output { status, stdout, .. } = gm(&["demo", "--turns", "3", "--seed", "1"]);
    let shown = text(&stdout);
    assert!(status.success(), "{shown}");
    for expected in ["at the start: teams 3, cars 6, seed 1", "turn 3", "rank  team", "amber-1  Amber"] {
        assert!(shown.contains(expected), "{expected:?} is not in\n{shown}");
    }
    assert!(!shown.contains('\u{1b}'), "colours only on a terminal");
}

/// The race that the README shows is the one that is played: its end word for word, and what its screen says happened.
#[test]
fn the_demo_that_the_readme_shows() {
    let readme = include_str!("../../README.md");
    let between = |begin: &str, end: &str| {
        let (_, rest) = readme.split_once(begin).expect(begin);
        rest.split_once(end).expect(end).0
    };
    let Output { status, stdout, .. } = gm(&["demo", "--seed", "5"]);
    let shown = text(&stdout);
    assert!(status.success(), "{shown}");
    let end = format!("rank  team{}", between("\nrank  team", "\n…\n"));
    assert!(
        shown.contains(&end),
        "the README's capture is of another race: take it anew (gm demo --seed 5)\n{end}"
    );
    let happens: Vec<&str> = between("what happens", "└──")
        .lines()
        .filter_map(|line| Some(line.rsplit_once("││")?.1.trim_end_matches('│').trim_end()))
        .collect();
    assert!(happens.len() > 5, "{happens:?}");
    for event in happens {
        assert!(shown.contains(event), "the README's screen is of another race: {event}");
    }
}

#[test]
fn demo_for_programs() {
    let out = file("demo.jsonl");
    let arguments = ["demo", "--teams", "2", "--turns", "4", "--seed", "5", "--format", "json", "--out"];
    let Output { status, stdout, stderr } = gm(&[&arguments[..], &[out.to_str().expect("UTF-8")]].concat());
    assert!(status.success(), "{}", text(&stderr));
    let shown = text(&stdout);
    let lines: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (result, events) = lines.split_last().expect("a result");
    assert_eq!(result["result"]["turn"], 4);
    assert_eq!(result["result"]["standings"].as_array().map(Vec::len), Some(2));
    for (number, event) in (1..).zip(events) {
        assert_eq!(event["seq"], number, "sequence numbers are dense");
        assert!(event["event"].is_string());
    }
    let written = std::fs::read_to_string(&out).expect("the file was written");
    assert_eq!(written.lines().collect::<Vec<_>>(), shown.lines().take(events.len()).collect::<Vec<_>>());
    std::fs::remove_file(out).expect("the file can be removed");
}

/// R-10.5: latencies and error texts are for the log, and a log is only where it is asked for.
#[test]
fn the_log() {
    let demo = ["demo", "--teams", "2", "--cars", "1", "--turns", "2", "--seed", "1", "--log"];
    for (level, logs) in [("off", false), ("warn", false), ("debug", true)] {
        let Output { status, stderr, .. } = gm(&[&demo[..], &[level]].concat());
        assert!(status.success());
        assert_eq!(text(&stderr).contains("/engine/count"), logs, "--log {level}: {}", text(&stderr));
    }
}

#[test]
fn r_10_5_the_same_seed_gives_the_same_file() {
    let files = [file("once.jsonl"), file("again.jsonl")];
    for out in &files {
        let out = out.to_str().expect("UTF-8");
        assert!(gm(&["demo", "--turns", "15", "--seed", "11", "--out", out]).status.success());
    }
    let [once, again] = files.map(|file| {
        let bytes = std::fs::read(&file).expect("the file was written");
        std::fs::remove_file(file).expect("the file can be removed");
        bytes
    });
    assert!(once == again, "two runs with the same seed differ");
}

#[test]
fn files_that_are_not_there() {
    refuses(
        &["run", "no/such/race.toml"],
        "gm: can't read no/such/race.toml: No such file or directory (os error 2)",
    );
    refuses(
        &["demo", "--turns", "1", "--out", "no/such/out.jsonl"],
        "gm: can't write no/such/out.jsonl: No such file or directory (os error 2)",
    );
}

#[test]
fn wrong_command_lines_are_explained() {
    for arguments in [&["demo", "--teams", "0"][..], &["demo", "--pace", "-1"], &["run"], &["fly"]] {
        let Output { status, stderr, .. } = gm(arguments);
        assert_eq!(status.code(), Some(2), "{arguments:?}");
        assert!(text(&stderr).contains("--help"), "{}", text(&stderr));
    }
}

/// A car on a loopback port, as the race file names it, and the methods of the requests that it gets.
async fn a_watched_car(instance: &str, pilots: u64) -> (String, Arc<Mutex<Vec<Method>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let mut settings = CarSettings::new(instance);
    settings.modules.pilot = pilots;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let watched = Arc::clone(&asked);
    let watch = from_fn(move |request: Request, next: Next| {
        watched.lock().expect("no test fails in here").push(request.method().clone());
        next.run(request)
    });
    let router = car_reference::router(Car::in_memory(settings)).layer(watch);
    tokio::spawn(axum::serve(listener, router).into_future());
    (format!("[[team.car]]\ninstance = '{instance}'\nurl = 'http://{address}'\n"), asked)
}

async fn a_car(instance: &str, pilots: u64) -> String {
    a_watched_car(instance, pilots).await.0
}

async fn run(name: &str, race: &str, more: &[&str]) -> (PathBuf, Output) {
    let path = file(name);
    std::fs::write(&path, race).expect("a race file");
    let data = file(&format!("{name}-data"));
    let mut arguments = vec!["run".to_owned(), path.display().to_string()];
    arguments.extend(["--data".to_owned(), data.display().to_string()]);
    arguments.extend(more.iter().map(|more| (*more).to_owned()));
    let output =
        tokio::task::spawn_blocking(move || gm(&arguments.iter().map(String::as_str).collect::<Vec<_>>()));
    let output = output.await.expect("gm ran");
    std::fs::remove_file(&path).expect("the file can be removed");
    let _ = std::fs::remove_dir_all(data);
    (path, output)
}

#[tokio::test(flavor = "multi_thread")]
async fn run_a_race_among_ones_own_cars() {
    let race = format!(
        "seed = 3\n[rules]\nmax_turns = 4\n[[team]]\nname = 'Red'\n{}[[team]]\nname = 'Blue'\n{}",
        a_car("red", 1).await,
        a_car("blue", 1).await
    );
    let (_, Output { status, stdout, stderr }) = run("own.toml", &race, &["--pace", "0"]).await;
    assert!(status.success(), "{}", text(&stderr));
    for expected in [
        "at the start: teams 2, cars 2, seed 3",
        "turn 4",
        "the race is over: its last turn was played",
        "red   Red",
    ] {
        assert!(text(&stdout).contains(expected), "{expected:?} is not in\n{}", text(&stdout));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_started_unless_every_car_can_take_part() {
    let (good, asked) = a_watched_car("good", 1).await;
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        listener.local_addr().expect("an address").port()
    };
    let gone = format!("[[team.car]]\ninstance = 'gone'\nurl = 'http://127.0.0.1:{port}'\n");
    let race = format!("[[team]]\nname = 'Red'\n{good}{gone}");
    let out = file("kept.jsonl");
    std::fs::write(&out, "an earlier race\n").expect("a file");
    let more = ["--out", out.to_str().expect("UTF-8")];
    let (path, Output { status, stdout, stderr }) = run("gone.toml", &race, &more).await;
    assert_eq!((status.code(), text(&stdout).as_str()), (Some(1), ""));
    assert_eq!(
        text(&stderr).trim_end(),
        format!(
            "gm: nothing was started: {}:7: car \"gone\" of team \"Red\" at http://127.0.0.1:{port}: \
             GET /state (C-5): expected a valid answer, found unreachable: is the car started, and is this its URL?",
            path.display()
        )
    );
    let asked = asked.lock().expect("no test fails in here").clone();
    assert_eq!(asked, vec![Method::GET; 7], "the good car was inspected, and told nothing");
    assert_eq!(
        std::fs::read_to_string(&out).expect("the file"),
        "an earlier race\n",
        "and the file is as it was"
    );
    std::fs::remove_file(out).expect("the file can be removed");

    let bad = a_car("bad", 0).await;
    let race = format!("[rules]\nmax_modules = 5\n[[team]]\nname = 'Red'\nbudget = 3\n{bad}");
    let (_, Output { stderr, .. }) = run("bad.toml", &race, &[]).await;
    for expected in [
        "a car needs at least 1 pilot, found 0",
        "a car may have 5 modules, found 7",
        "the car costs $14, and the team has $3 left",
    ] {
        assert!(text(&stderr).contains(expected), "{expected:?} is not in\n{}", text(&stderr));
    }
}

/// R-10.2: the running time counts while turns are played, so a race without waiting ends by it, too.
#[tokio::test(flavor = "multi_thread")]
async fn r_10_2_the_running_time_ends_a_race() {
    let car = a_car("red", 1).await;
    let race = format!("[rules]\nrunning_time = 1\n[[team]]\nname = 'Red'\n{car}");
    let (_, Output { status, stdout, stderr }) = run("time.toml", &race, &["--pace", "0.2"]).await;
    assert!(status.success(), "{}", text(&stderr));
    assert!(text(&stdout).contains("the race is over: its time has passed"), "{}", text(&stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_race_file_is_not_written_over() {
    let race = format!("[[team]]\nname = 'Red'\n{}", a_car("red", 1).await);
    let path = file("self.toml");
    let out = path.display().to_string();
    let (_, Output { status, stderr, .. }) = run("self.toml", &race, &["--out", &out]).await;
    assert_eq!(status.code(), Some(1));
    assert_eq!(text(&stderr).trim_end(), format!("gm: --out {out} is the race file itself: name another"));
}

/// Nobody reads any more, but the file is wanted: the race goes on to its end.
#[test]
fn a_closed_pipe_does_not_end_a_race_that_is_written() {
    let out = file("piped.jsonl");
    let arguments = ["demo", "--turns", "30", "--seed", "4", "--out", out.to_str().expect("UTF-8")];
    let mut child = Command::new(env!("CARGO_BIN_EXE_gm"))
        .args(arguments)
        .stdout(Stdio::piped())
        .spawn()
        .expect("gm was built");
    drop(child.stdout.take());
    assert!(child.wait().expect("gm ends").success());
    let written = std::fs::read_to_string(&out).expect("the file was written");
    assert!(written.contains(r#""event":"race_finished""#), "{written}");
    std::fs::remove_file(out).expect("the file can be removed");

    let mut child = Command::new(env!("CARGO_BIN_EXE_gm"))
        .args(["demo", "--turns", "30", "--seed", "4"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("gm was built");
    drop(child.stdout.take());
    assert_eq!(child.wait().expect("gm ends").code(), Some(141), "a race that nobody sees is stopped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_can_be_checked_without_asking_anybody() {
    let race = "[[team]]\nname = 'Red'\n[[team.car]]\ninstance = 'a'\nurl = 'http://192.0.2.1'\n";
    let (path, Output { status, stdout, .. }) = run("check.toml", race, &["--check"]).await;
    assert!(status.success());
    assert_eq!(text(&stdout).trim_end(), format!("{} is good: teams 1, cars 1", path.display()));
    let (path, Output { status, stderr, .. }) = run("wrong.toml", "sed = 1", &["--check"]).await;
    assert_eq!(status.code(), Some(1));
    assert!(text(&stderr).starts_with(&format!("gm: {}:1: unknown field `sed`", path.display())));
}

/// The settings of the server, as a process: flags, environment, and all errors at once with exit code 1.
#[test]
fn settings() {
    let good = file("good.toml");
    std::fs::write(&good, "[log]\nformat = 'json'\n").expect("written");
    let name = good.to_str().expect("UTF-8");
    let mut check = Command::new(env!("CARGO_BIN_EXE_gm"));
    let check = check.args(["config", "check", "--json", name]).env("GM_DATA", "elsewhere").output();
    let Output { status, stdout, .. } = check.expect("gm was built");
    assert!(status.success());
    let shown: Value = serde_json::from_slice(&stdout).expect("JSON");
    let settings = shown["settings"].as_array().expect("settings");
    for (key, value, source) in
        [("log.format", "json", format!("{name}:2")), ("data", "elsewhere", "GM_DATA".to_owned())]
    {
        let expected = serde_json::json!({ "key": key, "value": value, "source": source });
        assert!(settings.contains(&expected), "{expected} is not in {shown}");
    }

    let bad = file("bad.toml");
    std::fs::write(&bad, "listen = 'here'\nlisten_at = 1\n").expect("written");
    let name = bad.to_str().expect("UTF-8");
    let expected = format!(
        "gm: the settings are wrong:\n    {name}:1: listen: is \"here\", and must be an address with its port, as \
         127.0.0.1:7300 or [::]:7300\n    {name}:2: listen_at: there is no such key: did you mean listen?"
    );
    refuses(&["config", "check", name], &expected);
    for file in [good, bad] {
        std::fs::remove_file(file).expect("the file can be removed");
    }
}

//! The command `conform`: its exit codes, its formats, its lists; and that it says nothing that is secret.
//!
//! ```text
//! conform car URL --secret s3cret --only C-4     0
//! conform car URL --secret wrong                 1
//! conform car nowhere                            2
//! ```

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use car_reference::{Car, CarSettings};
use fight_lambda_reference::{Mind, server};
use gm_core::contract::DuelUrl;
use serde_json::Value;
use std::process::Command;
use test_harness::flaws::ai::{self, broken_ai};
use test_harness::flaws::car::{FLAWS, broken_car};
use tokio::net::TcpListener;
use tower_service::Service;

const SECRET: &str = "s3cret-of-the-cars";

/// What a command has said, and its exit code.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs `conform` with these arguments.
async fn conform(arguments: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    command.args(arguments).env_remove("CONFORM_SECRET");
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("it does not panic");
    let output = output.expect("conform runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    Said { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn reference() -> Router {
    let ai = DuelUrl::parse("http://127.0.0.1:1/action").expect("a URL");
    let settings =
        CarSettings { secret: Some(SECRET.into()), ai_url: Some(ai), ..CarSettings::new("i-0abc") };
    car_reference::router(Car::in_memory(settings))
}

/// Serves a car, or an AI, for as long as the test runs, and gives its URL.
async fn served(it: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, it).await });
    url
}

fn flawed(name: &str) -> Router {
    let flaw = FLAWS.iter().find(|flaw| flaw.name == name).expect("a flaw");
    broken_car(flaw, reference(), SECRET)
}

fn ai_flawed(name: &str) -> Router {
    let flaw = ai::FLAWS.iter().find(|flaw| flaw.name == name).expect("a flaw");
    broken_ai(flaw, server::router(Mind::Careful, 1))
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_codes() {
    let good = served(reference()).await;
    let bad = served(flawed("square-wraps")).await;
    let warned = served(flawed("chatty")).await;
    let closes = served(flawed("breaks-off")).await;
    let ai = format!("{}/action", served(server::router(Mind::Random, 1)).await);
    let bad_ai = served(ai_flawed("zero-is-one")).await;
    let warned_ai = served(ai_flawed("bare-list")).await;
    let known = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(known.path(), "# it is known\nC-6.2\n").expect("written");
    let known = known.path().to_str().expect("a path");
    for (arguments, code) in [
        (&["car", &good, "--secret", SECRET, "--only", "C-4"][..], 0),
        (&["car", &good, "--secret", "another", "--only", "C-4"], 1),
        (&["car", &bad, "--secret", SECRET, "--only", "C-6"], 1),
        (&["car", &bad, "--secret", SECRET, "--only", "C-6", "--known-failing", known], 0),
        // What is known to fail and passes is flagged.
        (&["car", &good, "--secret", SECRET, "--only", "C-6", "--known-failing", known], 1),
        (&["car", &warned, "--secret", SECRET, "--only", "C-22"], 0),
        (&["car", &warned, "--secret", SECRET, "--only", "C-22", "--strict"], 1),
        // Nobody is there: nothing could be checked. Who answers wrongly was checked.
        (&["car", "http://127.0.0.1:1", "--only", "C-4"], 2),
        (&["car", "http://127.0.0.1:1", "--only", "C-4", "--format", "junit"], 2),
        (&["car", &closes, "--only", "C-4"], 1),
        (&["car", &good, "--instance", ""], 2),
        (&["fuzz", "http://127.0.0.1:1"], 2),
        (&["fuzz", &good, "--secret", "another"], 2),
        (&["fuzz", &good, "--secret", SECRET, "--requests", "40", "--seed", "1"], 0),
        (&["car", "nowhere"], 2),
        (&["car", "ftp://car"], 2),
        (&["car", &good, "--only", "Z-9"], 2),
        (&["car", &good, "--known-failing", "no-such-file"], 2),
        (&["car", &good, "--secret", "two words"], 2),
        (&["car", &good, "--format", "yaml"], 2),
        (&["car", &good, "--deadline", "0"], 2),
        (&["ai", &ai, "--strength", "0", "--positions", "20", "--seed", "7", "--strict"], 0),
        (&["ai", &bad_ai, "--strength", "0"], 1),
        (&["ai", &bad_ai, "--only", "R-6.2"], 0),
        (&["ai", &warned_ai, "--only", "A-2"], 0),
        (&["ai", &warned_ai, "--only", "A-2", "--strict"], 1),
        (&["ai", "http://127.0.0.1:1", "--only", "A-1.1"], 2),
        (&["ai", "nowhere"], 2),
        (&["ai", &ai, "--only", "C-4"], 2),
        (&["ai", &ai, "--positions", "0"], 2),
        (&["ai", &ai, "--strength", "-1"], 2),
        (&["ai"], 2),
        (&["car"], 2),
        (&["lorry"], 2),
        (&[], 2),
        (&["--help"], 0),
        (&["list"], 0),
        (&["list", "--only", "A-1", "--only", "C-4"], 0),
        (&["list", "--only", "Z-9"], 2),
    ] {
        let said = conform(arguments).await;
        assert_eq!(said.code, Some(code), "{arguments:?}\n{}\n{}", said.out, said.err);
        assert_eq!(said.err.is_empty(), code != 2, "{arguments:?}: {}", said.err);
        assert!(!said.err.contains("panicked"), "{}", said.err);
    }
}

/// What is wrong on the command line is said with what to do.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said() {
    let guarded = served(reference()).await;
    for (arguments, words) in [
        (
            &["car", "nowhere"][..],
            "\"nowhere\" is no absolute http or https URL, such as http://127.0.0.1:8080",
        ),
        (&["car", "http://car", "--only", "Z-9"], "--only: \"Z-9\" is no case"),
        (&["car", "http://car", "--known-failing", "no-such-file"], "no-such-file: "),
        (&["list", "--only", "Z-9"], "conform list"),
        (
            &["car", "http://car", "--only", "c-10"],
            "\"c-10\" is no case and no requirement that has cases; did you mean C-10?",
        ),
        (&["car", "http://car", "--only", "C-4.1."], "did you mean C-4.1?"),
        (&["car", "http://car", "--only", "A-1"], "--only: \"A-1\" is checked by `conform ai`"),
        (&["ai", "http://ai", "--only", "c-4"], "--only: \"c-4\" is checked by `conform car`"),
        (&["car", "http://user:pw@car"], "the URL can't be used: it holds a user name or password"),
        (&["car", "http://car/?x=1"], "the URL can't be used: it has a query"),
        (&["car", "http://car/#frag"], "the URL can't be used: it has a fragment"),
        (&["fuzz", "http://car/?x=1"], "the URL can't be used: it has a query"),
        (&["ai", "http://ai/#frag"], "the URL can't be used: it has a fragment"),
        (&["car", "http://car", "--instance", ""], "a value is required for '--instance <NAME>'"),
        (
            &["car", "http://127.0.0.1:1"],
            "nothing could be checked at http://127.0.0.1:1: unreachable: the connection was refused",
        ),
        (
            &["ai", "http://127.0.0.1:1/a", "--strength", "0"],
            "nothing could be checked at http://127.0.0.1:1/a: unreachable",
        ),
        (&["fuzz", "http://127.0.0.1:1"], "GET /state: unreachable: the connection was refused"),
        (&["fuzz", &guarded], "it wants the secret of its team: give it by --secret or CONFORM_SECRET"),
    ] {
        let said = conform(arguments).await;
        assert!(said.err.contains(words), "{arguments:?}: {}", said.err);
        assert_eq!(said.code, Some(2), "{arguments:?}");
    }
}

/// Who could not be reached was told nothing, and that is said.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_to_a_car_that_is_not_there() {
    let said = conform(&["car", "http://127.0.0.1:1"]).await;
    assert!(
        said.out.contains("Nothing was done to the car: it was asked, and told nothing."),
        "{}",
        said.out
    );
}

/// All cases of a rule are asked for by its first number.
#[tokio::test(flavor = "multi_thread")]
async fn a_rule_selects_its_cases() {
    let listed = conform(&["list", "--only", "R-5", "--json"]).await;
    assert_eq!((listed.code, listed.out.lines().count()), (Some(0), 4), "{}", listed.out);
}

/// A result that is lost is not passed over, but who has read enough may go.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_said() {
    let url = served(reference()).await;
    for (arguments, disk, code) in [
        (&["car", &url, "--secret", SECRET, "--only", "C-4", "--format", "junit"][..], true, 2),
        (&["car", &url, "--secret", SECRET, "--only", "C-4"], true, 2),
        (&["fuzz", &url, "--secret", SECRET, "--requests", "10"], true, 2),
        (&["list"], true, 2),
        (&["list"], false, 0),
        (&["car", &url, "--secret", SECRET, "--only", "C-4"], false, 0),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
        command.args(arguments).env_remove("CONFORM_SECRET");
        if disk {
            command.stdout(std::fs::File::options().write(true).open("/dev/full").expect("Linux has it"));
        } else {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            command.stdout(writer);
        }
        let output = tokio::task::spawn_blocking(move || command.output()).await.expect("it does not panic");
        let output = output.expect("conform runs");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(said.contains("the result could not be written: "), disk, "{arguments:?}: {said}");
    }
}

/// What a car echoes of the secret is not told, nor anything that a terminal obeys (C-20).
#[tokio::test(flavor = "multi_thread")]
async fn c_20_what_a_car_echoes_is_hidden() {
    let healthy = reference();
    let echo = Router::new().fallback(move |request: Request| {
        let mut healthy = healthy.clone();
        async move {
            if request.uri().path() == "/event/wreck" {
                // So long that the secret is cut where a short text ends.
                let words = format!("\u{1b}[2J{}{SECRET} {:?}", "x".repeat(180), request.headers());
                return (StatusCode::INTERNAL_SERVER_ERROR, [("x-echo", SECRET)], words).into_response();
            }
            let Ok(response) = healthy.call(request).await;
            response
        }
    });
    let url = served(echo).await;
    for format in ["text", "json", "junit", "markdown"] {
        let fixed = ["car", &url, "--secret", SECRET, "--only", "C-12", "--trace", "--format", format];
        let said = conform(&fixed).await;
        assert_eq!(said.code, Some(1), "{format}");
        assert!(said.out.contains("xxx"), "{format}: {}", said.out);
        assert!(!said.out.contains(&SECRET[..6]) && !said.out.contains('\u{1b}'), "{format}: {}", said.out);
    }
}

/// Why nobody could be asked, in words (C-21).
#[tokio::test(flavor = "multi_thread")]
async fn c_21_why_it_is_unreachable() {
    let plain = served(reference()).await.replace("http:", "https:");
    for (url, why) in [
        ("http://127.0.0.1:1", "found    unreachable: the connection was refused"),
        ("http://no-such-host.invalid", "found    unreachable: there is no host of this name"),
        (&plain, "found    unreachable: what answers there does not speak https"),
    ] {
        let said = conform(&["car", url, "--only", "C-21.1", "--deadline", "60000"]).await;
        assert!(said.out.contains(why), "{url}: {}", said.out);
        assert_eq!(said.code, Some(2), "{url}");
    }
}

/// Each format says what failed, and none of them the secret (C-20).
#[tokio::test(flavor = "multi_thread")]
async fn c_20_formats() {
    let url = served(flawed("square-wraps")).await;
    for (format, parts) in [
        (
            "text",
            &[
                "✗ C-6.2   must ",
                "> PATCH http://",
                "again:   curl -sS -i --path-as-is -g -X 'PATCH'",
                "-'\"$(date +%s%N)$RANDOM\"",
                "$CONFORM_SECRET",
                "The car is as it was found",
            ][..],
        ),
        ("json", &["\"id\":\"C-6.2\"", "\"outcome\":\"failed\"", "\"led_there\":[{", "\"record\":\"end\""]),
        (
            "junit",
            &["<testsuites name=\"conform\"", "classname=\"C-6\"", "&gt; PATCH http://", "type=\"failed\""],
        ),
        ("markdown", &["| C-6.2 | must |", "**failed**", "## What is wrong", "-X 'PATCH'"]),
    ] {
        for trace in [&["--trace"][..], &[]] {
            let fixed = ["car", &url, "--secret", SECRET, "--only", "C-6", "--format", format];
            let said = conform(&[&fixed[..], trace].concat()).await;
            assert_eq!(said.code, Some(1), "{format}");
            for part in parts {
                assert!(said.out.contains(part), "{format}: {part} is not in\n{}", said.out);
            }
            assert!(!said.out.contains(SECRET) && !said.err.contains(SECRET), "{format}");
            assert!(!said.out.contains('\u{1b}'), "{format}: colours are for a terminal");
        }
    }
}

/// A program reads a line for each case, and one for the whole.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_json() {
    let url = served(reference()).await;
    let said = conform(&["car", &url, "--secret", SECRET, "--format", "json", "--only", "C-4"]).await;
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (end, cases) = lines.split_last().expect("lines");
    let ids: Vec<&str> = cases.iter().filter_map(|case| case["id"].as_str()).collect();
    assert_eq!(ids, ["C-21.1", "C-20.1", "C-20.8", "C-4.1", "C-4.2", "C-4.3", "C-4.4"]);
    assert_eq!((end["passed"].as_u64(), end["good"].as_bool()), (Some(7), Some(true)));
    let listed = conform(&["list", "--json"]).await;
    for line in listed.out.lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        assert!(!case["text"].as_str().expect("a text").is_empty(), "{case}");
    }
}

/// What is known of an AI: which case failed and why, and how strong it is if it plays.
#[tokio::test(flavor = "multi_thread")]
async fn r_6_what_is_said_of_an_ai() {
    let good = format!("{}/prod/action?key=1", served(server::router(Mind::Careful, 1)).await);
    let said = conform(&["ai", &good, "--strength", "1", "--seed", "3"]).await;
    assert_eq!(said.code, Some(0), "{}", said.out);
    for part in [
        "✓ R-6.3.2 must ",
        "GET /prod/action ",
        "seed of the positions: 3",
        " against random (5 weapons each, ",
        " against greedy (",
        " against careful (",
    ] {
        assert!(said.out.contains(part), "{part} is not in\n{}", said.out);
    }
    let bad = served(ai_flawed("passes")).await;
    let said = conform(&["ai", &bad]).await;
    assert_eq!(said.code, Some(1));
    for part in ["✗ R-6.2.3 must ", "found", "[]: no card was played", "again:   curl -sS", "cards="] {
        assert!(said.out.contains(part), "{part} is not in\n{}", said.out);
    }
    assert!(!said.out.contains("strength"), "an AI that does not play has none\n{}", said.out);
}

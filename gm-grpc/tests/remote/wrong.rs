//! What is said when something is wrong, and what `gm` exits with, as a table.

use crate::game::{Game, gm, serve_here};
use std::net::TcpListener;

/// Who asks.
#[derive(Debug, Clone, Copy)]
enum As {
    Admin,
    Team,
    Nobody,
    Unknown,
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_and_how_gm_exits() {
    let game = Game::start().await;
    let admin = game.admin();
    let made = admin.tells(&["race", "create", "--title", "Friday", "--turn-interval", "0"]).await;
    let id = made["race"]["race_id"].as_str().expect("an id");
    let team = admin.tells(&["team", "create", "Red"]).await;
    let team = team["api_secret"].as_str().expect("a secret");
    let bad_rules = game.file("bad.toml");
    std::fs::write(&bad_rules, "[rules]\ntrack_length = 0\n").expect("a file");
    let bad_rules = bad_rules.to_str().expect("UTF-8");
    let long = "x".repeat(101);
    for (who, arguments, code, words) in [
        (
            As::Admin,
            &["race", "start", "gm-0000000000000000"][..],
            5,
            &["there is no race", "gm-0000000000000000"][..],
        ),
        (As::Admin, &["race", "start", "Monday"], 5, &["there is no race \"Monday\"", "`gm race list`"]),
        (As::Admin, &["team", "grant", "Pink", "5"], 5, &["has no team \"Pink\": 1 \"Red\""]),
        (As::Admin, &["car", "retire", "9", "--reason", "x"], 5, &["9"]),
        (
            As::Admin,
            &["car", "retire", "red-9", "--reason", "x"],
            5,
            &["has no car \"red-9\"", "`gm race show"],
        ),
        (As::Admin, &["jury", "answer", "3", "no"], 5, &["3"]),
        (As::Admin, &["race", "step"], 1, &["gm: "]),
        (As::Admin, &["race", "step", "--turn", "5"], 1, &["gm: "]),
        (
            As::Admin,
            &["race", "create", "--title", "", "--max-turns", "0", "--turn-interval", "86401"],
            1,
            &["title: ", "; ", "rules.max_turns: "],
        ),
        (As::Admin, &["race", "create", "--title", &long], 1, &["title: must have 1 to 100 characters"]),
        (
            As::Admin,
            &["race", "create", "--title", "x", "--rules", bad_rules],
            1,
            &["bad.toml:2: rules.track_length"],
        ),
        (
            As::Admin,
            &["race", "create", "--title", "x", "--rules", "no/such.toml"],
            1,
            &["can't read no/such.toml"],
        ),
        (As::Admin, &["team", "create", "Red"], 1, &["gm: "]),
        (As::Admin, &["token", "create", "observer", "--request-id", "two words"], 1, &["request_id"]),
        (As::Admin, &["team", "show"], 4, &["team's secret"]),
        (As::Team, &["race", "start"], 4, &["admin's token"]),
        (As::Unknown, &["race", "list"], 4, &["nobody has this token"]),
        (As::Nobody, &["race", "start"], 4, &["admin's token", "export GM_TOKEN=", "--token-file"]),
        (As::Nobody, &["log"], 4, &["team's secret", "export GM_TOKEN="]),
        (
            As::Nobody,
            &["race", "show", "--token-file", "no/such/file"],
            1,
            &["can't read the token in no/such/file"],
        ),
        (
            As::Nobody,
            &["race", "show", "--server", "gm.example"],
            2,
            &["must begin with http:// or https://"],
        ),
        (As::Nobody, &["race", "log", id, "--team", "Red"], 2, &["--data DIR", "`gm log`"]),
        (As::Nobody, &["race", "forget", id, "--yes"], 2, &["--data DIR"]),
        (As::Nobody, &["bonus", "place", "3"], 2, &["--dollars"]),
        (As::Nobody, &["race", "list", "--data", "x", "--server", "http://x"], 2, &["cannot be used with"]),
        (As::Nobody, &["race", "import", "no/such.jsonl"], 1, &["can't read no/such.jsonl"]),
    ] {
        let person = match who {
            As::Admin => game.admin(),
            As::Team => game.who(team),
            As::Nobody => game.spectator(),
            As::Unknown => game.who("canary-token-that-nobody-has"),
        };
        let said = person.fails(code, arguments).await;
        for word in words {
            assert!(said.contains(word), "{who:?} {arguments:?}: {word:?} is not in {said}");
        }
        // Which race was taken may stand above; what clap says of a wrong command line has several lines.
        let says = said.lines().filter(|line| *line != format!("gm: race {id} \"Friday\"")).count();
        assert!(says == 1 || code == 2, "{arguments:?}: one line: {said}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let free =
        TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    let url = format!("http://{free}");
    for (arguments, code) in [
        (&["race", "list"][..], 3),
        (&["health"], 3),
        (&["race", "watch", "gm-0000000000000000"], 3),
        (&["health", "--retry", "1"], 3),
    ] {
        let output = gm().args(arguments).args(["--server", &url, "--token", "canary"]).output().await;
        let output = output.expect("gm was built");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.starts_with(&format!("gm: can't reach {url}: is `gm serve` running there?")), "{said}");
        assert!(!said.contains("canary") && said.lines().count() == 1, "{said}");
    }
}

/// Something else listens there.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_another() {
    let url = serve_here(axum::Router::new()).await;
    let output = gm().args(["race", "list", "--server", &url]).output().await.expect("gm was built");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains(&url) && said.lines().count() == 1, "{said}");
}

/// A data directory is meant where one is named, and the server where it is.
#[tokio::test]
async fn where_races_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("missing");
    let server = "http://127.0.0.1:1";
    for (arguments, variables, code) in [
        (&["race", "list", "--data", "DATA"][..], &[][..], 1),
        (&["race", "list"], &[("GM_DATA", "DATA")], 1),
        (&["race", "list"], &[("GM_DATA", "DATA"), ("GM_SERVER", server)], 3),
        (&["race", "list", "--server", server], &[("GM_DATA", "DATA")], 3),
        (&["race", "list", "--data", "DATA"], &[("GM_SERVER", server)], 1),
        (&["race", "show", "--data", "DATA"], &[], 2),
        (&["race", "export", "--data", "DATA"], &[], 2),
    ] {
        let place = |word: &str| if word == "DATA" { data.display().to_string() } else { word.to_owned() };
        let mut command = gm();
        command.args(arguments.iter().map(|word| place(word)));
        command.envs(variables.iter().map(|(name, value)| (name, place(value))));
        let output = command.output().await.expect("gm was built");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {variables:?}: {said}");
    }
}

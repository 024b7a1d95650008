//! A whole race by the command line alone: an organiser, two teams and a spectator.

use crate::game::{BOUND, Game, a_car, next_line, serve_here};
use fight_lambda_reference::Mind;
use serde_json::Value;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::ChildStdout;
use tokio::time::timeout;

const RULES: &str = "preset = 'classic'\nseed = 7\n[rules]\ntrack_length = 40\nmax_turns = 9\nturn_every = 30\ntransfers = true\n";

/// What stands behind `word` in a text, to the end of the line.
#[track_caller]
fn after<'t>(text: &'t str, word: &str) -> &'t str {
    text.lines().find_map(|line| line.trim().strip_prefix(word)).expect("the text has such a line")
}

#[track_caller]
fn holds(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word:?} is not in\n{text}");
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// All lines of a process, to its end.
async fn rest(out: ChildStdout) -> Vec<String> {
    let mut lines = BufReader::new(out).lines();
    let mut all = Vec::new();
    while let Some(line) = next_line(&mut lines).await {
        all.push(line);
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_race() {
    let game = Game::start().await;
    let (admin, spectator) = (game.admin(), game.spectator());
    holds(&spectator.says(&["health"]).await, &["serves"]);
    assert_eq!(spectator.tells(&["health"]).await["status"], "SERVING");
    holds(&spectator.fails(5, &["standings"]).await, &["there is no race", "gm race create"]);

    // The organiser makes it, by the file that `gm run` reads too.
    let rules = game.file("race.toml");
    std::fs::write(&rules, RULES).expect("a file");
    let rules = rules.to_str().expect("UTF-8");
    let create = [
        "race",
        "create",
        "--title",
        "Friday",
        "--rules",
        rules,
        "--turn-interval",
        "0",
        "--request-id",
        "1",
    ];
    let made = admin.says(&create).await;
    let id = after(&made, "export GM_RACE=");
    holds(&made, &["is made, with seed 7", "Friday"]);
    let again = admin.tells(&create).await;
    assert_eq!(again["race"]["race_id"], id, "the same request makes no other race");
    let rules = &again["race"]["rules"];
    assert_eq!(
        (&rules["track_length"], &rules["max_turns"], &rules["max_modules"]),
        (&40.into(), &9.into(), &10.into())
    );
    assert_eq!(again["race"]["turn_interval_seconds"], Value::Null, "on the admin's word");

    let red = admin.says(&["team", "create", "Red"]).await;
    let red = game.who(after(&red, "export GM_TOKEN="));
    let blue = admin.tells(&["team", "create", "Blue", "--budget", "120"]).await;
    let blue = game.who(blue["api_secret"].as_str().expect("a secret"));

    // Teams enter cars, by themselves or by the organiser.
    let (red_1, red_2, blue_1) = (a_car("red-1").await, a_car("red-2").await, a_car("blue-1").await);
    let registered = red.says(&["car", "register", "red-1", "--url", &red_1]).await;
    holds(&registered, &["car 1 \"red-1\" of team 1 is registered with 4 engines, 1 pilots, 3 weapons"]);
    let refused = red.fails(1, &["car", "register", "red-1", "--url", &red_1]).await;
    let reasons = [
        "gm: the car is refused:\n",
        "\n    the instance name is taken in this race\n",
        "\n    another car takes part under this URL\n",
    ];
    holds(&refused, &reasons);
    let (code, told, _) = red.runs(&["car", "register", "red-1", "--url", &red_1, "--json"]).await;
    assert_eq!((code, lines(&told)[0]["reasons"].as_array().map(Vec::len)), (Some(1), Some(2)));
    holds(&red.says(&["car", "register", "red-2", "--url", &red_2]).await, &["car 2"]);
    let by_admin = ["car", "register", "blue-1", "--url", &blue_1, "--team", "Blue", "--race", "Friday"];
    assert_eq!(admin.tells(&by_admin).await["car"]["car"]["car_id"], 3);
    holds(&admin.says(&["car", "inspect", "blue-1"]).await, &["ok     C-5   GET http://", "/state: 200"]);

    // A spectator watches from the beginning, and what he is shown ends with the race.
    let watch = |json: &'static [&'static str]| {
        let mut watch = spectator.command(&[&["race", "watch"], json].concat());
        watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("gm was built")
    };
    let (mut for_people, mut for_programs) = (watch(&[]), watch(&["--json"]));
    let people = tokio::spawn(rest(for_people.stdout.take().expect("a pipe")));
    let programs = tokio::spawn(rest(for_programs.stdout.take().expect("a pipe")));

    holds(&admin.says(&["race", "start", "Friday"]).await, &["has started, before its first turn"]);
    holds(&admin.says(&["race", "pause", "latest"]).await, &["is paused"]);
    holds(&admin.says(&["race", "resume", id]).await, &["goes on"]);
    let (_, stepped, said) = admin.runs(&["race", "step"]).await;
    assert_eq!(stepped, "turn 1 is complete\n");
    assert_eq!(said, format!("gm: race {id} \"Friday\"\n"), "which race is taken is said");

    // What an admin does while it runs.
    holds(&admin.says(&["declare", "pirates", "--car", "red-1", "--car", "3"]).await, &["for turn 2"]);
    holds(&admin.says(&["odds"]).await, &["nothing 50 %"]);
    let odds = admin.says(&["odds", "--nothing", "40", "--pirates", "20"]).await;
    holds(&odds, &["from turn 2 on: nothing 40 %, pirates 20 %"]);
    holds(&admin.fails(1, &["odds", "--nothing", "90"]).await, &["odds", "add up to"]);
    holds(
        &admin.says(&["bonus", "place", "39", "--dollars", "10", "--hidden"]).await,
        &["place 39", "turn 2"],
    );
    holds(&admin.says(&["team", "grant", "Red", "20"]).await, &["is granted $20"]);
    holds(&admin.says(&["team", "inspector", "Red", "--none"]).await, &["from turn 2 on"]);
    assert_eq!(
        admin.says(&["race", "step", "--turns", "2"]).await,
        "turn 2 is complete\nturn 3 is complete\n"
    );
    let shown = admin.says(&["race", "show"]).await;
    holds(&shown, &["Friday", "turn 3, running; turns on the admin's word", "blue-1", "39", "$10", "hidden"]);
    assert!(!spectator.says(&["race", "show"]).await.contains("hidden"), "R-12.3");
    holds(&admin.says(&["bonus", "remove", "1"]).await, &["bonus 1 is gone"]);
    holds(&admin.says(&["team", "list"]).await, &["team  name", "Red", "red-1, red-2"]);
    holds(&admin.says(&["achievements", "award", "mad_max", "Blue"]).await, &["has mad_max"]);
    holds(&admin.says(&["achievements", "hint", "scrooge", "save"]).await, &["hint to scrooge"]);
    holds(&admin.says(&["achievements", "reveal", "pacifist"]).await, &["sees pacifist"]);
    let achievements = spectator.says(&["achievements", "list"]).await;
    holds(&achievements, &["mad_max", "pacifist", "hidden", "save"]);
    let retire = ["car", "retire", "red-2", "--reason", "it asked for it"];
    holds(&admin.says(&retire).await, &["car 2 is out of the race"]);

    // Teams complain and are answered, look at themselves, and try their AI.
    holds(&red.says(&["complain", "--turn", "2", "our car was there"]).await, &["complaint 1 waits"]);
    holds(&admin.says(&["jury", "complaints", "--open"]).await, &["our car was there", "open"]);
    holds(&admin.says(&["jury", "answer", "1", "so it was"]).await, &["complaint 1 of team 1 is answered"]);
    let correct =
        ["jury", "correct-car", "red-1", "--square", "7", "--weapons", "2", "--reason", "it was there"];
    holds(&admin.says(&correct).await, &["car 1 is corrected"]);
    let points = ["jury", "correct-team", "Blue", "--points", "-5", "--reason", "it was told"];
    holds(&admin.says(&points).await, &["team 2 is corrected"]);
    holds(&red.says(&["team", "show"]).await, &["team 1 \"Red\"", "red-1", "so it was", "weapon"]);
    let log = red.says(&["log"]).await;
    holds(&log, &["GET http://", "complaint 1 is answered: so it was", "the jury corrects car 1"]);
    assert!(!log.contains("blue-1"), "R-11: {log}");
    let entries = lines(&red.says(&["log", "--json", "--turn", "2"]).await);
    assert!(!entries.is_empty() && entries.iter().all(|entry| entry["turn"] == 2));
    let ai = serve_here(fight_lambda_reference::server::router(Mind::Careful, 7)).await;
    let tried = red.says(&["duel", "test", &ai, "--seed", "3", "--weapons", "4"]).await;
    holds(
        &tried,
        &[
            "cards by seed 3: 4, 5 in the hands",
            "  GET http://",
            "your AI, over ",
            "pirates, over ",
            "turns: ",
        ],
    );
    let mut against = Vec::new();
    for mind in ["random", "careful", "reference"] {
        let test =
            ["duel", "test", &ai, "--seed", "3", "--weapons", "8", "--other-weapons", "8", "--mind", mind];
        let turns = red.says(&test).await;
        against.push(
            turns.lines().filter(|line| line.contains(", over ")).map(str::to_owned).collect::<Vec<_>>(),
        );
    }
    assert!(against[0] != against[1] && against[1] == against[2], "R-5.1: {against:?}");
    holds(
        &red.fails(2, &["duel", "test", &ai, "--mind", "bold"]).await,
        &["invalid value 'bold' for '--mind <MIND>'", "random, greedy, careful, search"],
    );
    let unusable = red.runs(&["duel", "test", "http://127.0.0.1:1/", "--seed", "3"]).await;
    assert_eq!(
        (unusable.0, unusable.2.as_str()),
        (Some(1), "gm: your AI's answer could not be used\n"),
        "{}",
        unusable.1
    );

    // To its end, by its last turn; then it is refused.
    let played = admin.says(&["race", "step", "--turns", "20"]).await;
    holds(&played, &["turn 9 is complete, and the race is over\n"]);
    holds(&admin.fails(1, &["race", "step"]).await, &["gm: "]);
    holds(&admin.fails(1, &["race", "start", "Friday"]).await, &["gm: "]);

    let standings = spectator.says(&["standings"]).await;
    holds(&standings, &["after turn 9", "place  team  name", "Red", "Blue", "Mad Max"]);
    let told = spectator.tells(&["standings", "--race", id]).await;
    assert_eq!((&told["turn"], told["standings"].as_array().map(Vec::len)), (&9.into(), Some(2)));
    holds(
        &spectator.says(&["race", "list"]).await,
        &[id, "Friday", "finished: its last turn was played", "public"],
    );
    assert_eq!(spectator.tells(&["race", "list"]).await["races"][0]["race_id"], id);

    // What was watched has ended by itself.
    let (people, programs) =
        timeout(BOUND, async { (people.await.expect("lines"), programs.await.expect("lines")) })
            .await
            .expect("in time");
    let people = people.join("\n");
    let words = [
        "turn 2\n",
        "  the race starts\n",
        "  car 1 meets: pirates (declared)\n",
        "  car 2 retires: by the jury: it asked for it",
    ];
    holds(&people, &words);
    let events: Vec<Value> = programs.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(events.iter().map(|event| event["sequence"].as_u64()).eq((1..=events.len() as u64).map(Some)));
    let duel = events.iter().find(|event| event["duel_played"].is_object()).expect("pirates fight");
    let turn = duel["turn"].to_string();
    holds(&spectator.says(&["duel", "show", &turn]).await, &["against pirates", "is dealt", " won: "]);
    let some = spectator.says(&["race", "watch", "--kind", "fight", "--car", "red-1", "--json"]).await;
    assert!(lines(&some).iter().all(|event| event["kind"] == "EVENT_KIND_FIGHT") && !some.is_empty());

    // It is carried away, and can be proved.
    let export = game.file("friday.jsonl");
    let export = export.to_str().expect("UTF-8");
    admin.says(&["race", "export", "Friday", "--out", export]).await;
    holds(&admin.says(&["replay", export, "--verify"]).await, &["9"]);
    holds(&admin.fails(1, &["race", "import", export]).await, &["is here already"]);
    let elsewhere = Game::start().await;
    holds(&elsewhere.admin().says(&["race", "import", export]).await, &[id, "after turn 9"]);
    assert_eq!(blue.tells(&["team", "show"]).await["team_id"], 2);
}

/// Tokens and secrets: made, given by file, replaced and revoked.
#[tokio::test(flavor = "multi_thread")]
async fn tokens() {
    let game = Game::start().await;
    let admin = game.admin();
    admin.says(&["race", "create", "--title", "Secret", "--private", "--turn-interval", "0"]).await;
    holds(&game.spectator().fails(5, &["race", "show", "Secret"]).await, &["there is no race \"Secret\""]);
    let made = admin.says(&["token", "create", "observer", "--race", "Secret", "--note", "the hall"]).await;
    let observer = game.who(after(&made, "export GM_TOKEN="));
    holds(&observer.says(&["race", "show", "Secret"]).await, &["private"]);
    let file = game.file("token");
    std::fs::write(&file, format!("{}\n", observer.token)).expect("a file");
    let by_file = ["race", "show", "Secret", "--token-file", file.to_str().expect("UTF-8")];
    holds(&game.spectator().says(&by_file).await, &["private"]);

    let list = admin.says(&["token", "list"]).await;
    holds(&list, &["observer", "the hall", "admin"]);
    assert!(!list.contains(&observer.token));
    let token = after(&made, "token ").split(',').next().expect("an id");
    holds(&admin.says(&["token", "revoke", token]).await, &["is worthless"]);
    holds(&observer.fails(4, &["race", "show", "Secret"]).await, &["nobody has this token"]);

    let red = admin.says(&["team", "create", "Red", "--request-id", "red"]).await;
    let red = game.who(after(&red, "export GM_TOKEN="));
    let again = admin.says(&["team", "create", "Red", "--request-id", "red"]).await;
    holds(&again, &["its secrets were shown when this was first asked"]);
    let rotated = admin.says(&["team", "rotate", "Red", "--api"]).await;
    let new = game.who(after(&rotated, "export GM_TOKEN="));
    red.fails(4, &["team", "show"]).await;
    holds(&new.says(&["team", "show"]).await, &["team 1 \"Red\""]);
    holds(&admin.says(&["team", "rotate", "Red", "--cars"]).await, &["export CAR_SECRET="]);
}

/// Whoever watches goes on by himself when the server was started again: no gap, no repeat.
#[tokio::test(flavor = "multi_thread")]
async fn a_watch_goes_on() {
    let mut game = Game::start().await;
    let admin = game.admin();
    admin.says(&["race", "create", "--title", "Friday", "--turn-interval", "0"]).await;
    let red = admin.tells(&["team", "create", "Red"]).await;
    let red = game.who(red["api_secret"].as_str().expect("a secret"));
    red.says(&["car", "register", "red-1", "--url", &a_car("red-1").await]).await;
    admin.says(&["race", "start"]).await;
    admin.says(&["race", "step"]).await;

    let mut watch = game.spectator().command(&["race", "watch", "--json"]);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("gm was built");
    let mut lines = BufReader::new(watch.stdout.take().expect("a pipe")).lines();
    let mut log = red.command(&["log", "--follow", "--json"]);
    let mut log = log.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("gm was built");
    let mut entries = BufReader::new(log.stdout.take().expect("a pipe")).lines();

    let mut told = 0;
    let mut is_over = false;
    let mut starts = 1;
    while let Some(line) = next_line(&mut lines).await {
        let event: Value = serde_json::from_str(&line).expect("JSON");
        told += 1;
        assert_eq!(event["sequence"], told, "no gap and no repeat");
        is_over |= event["race_finished"].is_object();
        if event["turn_completed"].is_object() {
            if starts < 3 {
                game.start_again().await;
                admin.says(&["race", "step", "--retry", "30"]).await;
            } else {
                admin.says(&["race", "finish"]).await;
            }
            starts += 1;
        }
    }
    assert!(is_over && starts == 4, "after {starts} starts");
    assert!(timeout(BOUND, watch.wait()).await.expect("it ends").expect("a status").success());
    let numbers = async {
        let mut number = 0;
        while let Some(line) = next_line(&mut entries).await {
            let entry: Value = serde_json::from_str(&line).expect("JSON");
            number += 1;
            assert_eq!(entry["sequence"], number, "no gap and no repeat");
            if entry["event"]["race_finished"].is_object() {
                return true;
            }
        }
        false
    };
    assert!(numbers.await, "the log tells it too");
}

//! Races that are interrupted and go on: `gm` as a process, stopped by signals and killed at points of its own choice.

// Only a debug build can be told to kill itself.
#![cfg(all(unix, debug_assertions))]

use car_reference::{Car, CarSettings};
use gm_core::race::{REVISION, Race, Rules};
use gm_core::random::Seed;
use gm_grpc::journal::{DataDirectory, Journal, NewRace, Numbers, Origin, RaceId};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;
use tokio::net::TcpListener;

/// Where a debug build is told to kill itself.
const KILL_AT: &str = "GM_TEST_KILL_AT";

/// The demo that the tests play: named hosts and a seed, so that its events are the same each time.
const DEMO: [&str; 9] = ["demo", "--teams", "2", "--cars", "1", "--turns", "8", "--seed", "5"];

/// A folder of its own for a test, and `gm` in it.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a temporary directory"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut gm = Command::new(env!("CARGO_BIN_EXE_gm"));
        gm.args(arguments).current_dir(self.path()).env_remove("GM_DATA").env_remove(KILL_AT);
        gm
    }

    fn gm(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("gm was built")
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.path().join(file)).expect("the file was written")
    }

    /// `gm` says this and nothing else, on the error output, and exits with 1.
    #[track_caller]
    fn refuses(&self, arguments: &[&str], expected: &str) {
        let output = self.gm(arguments);
        assert_eq!((output.status.code(), errors(&output).trim_end()), (Some(1), expected), "{arguments:?}");
        assert_eq!(text(&output.stdout), "", "{arguments:?}");
    }

    /// The demo, played by a process that nobody disturbs.
    fn undisturbed(&self) -> String {
        let output = self.gm(&[&DEMO[..], &["--out", "undisturbed.jsonl"]].concat());
        assert!(output.status.success(), "{}", errors(&output));
        self.read("undisturbed.jsonl")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

fn errors(output: &Output) -> String {
    text(&output.stderr)
}

/// The id of the race that `gm` speaks of.
fn race_in(said: &str) -> String {
    let (_, after) = said.split_once("race ").expect("it speaks of a race");
    after.split_whitespace().next().expect("an id").to_owned()
}

/// Starts `gm` and waits until it has shown the end of a turn, after which it waits for an hour.
fn until_it_waits(mut gm: Command) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = gm
        .args(["--pace", "3600", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("gm was built");
    let mut shown = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains(r#""event":"turn_completed""#) {
        line.clear();
        assert!(shown.read_line(&mut line).expect("lines") > 0, "gm ended before the turn did");
    }
    (child, shown)
}

/// Sends a signal, and waits until `gm` has ended.
fn signal(
    (child, mut shown): (Child, BufReader<std::process::ChildStdout>),
    signal: Signal,
) -> (Option<i32>, String, String) {
    kill_process(Pid::from_child(&child), signal).expect("gm runs");
    let mut rest = String::new();
    shown.read_to_string(&mut rest).expect("text");
    let output = child.wait_with_output().expect("gm ends");
    (output.status.code(), rest, errors(&output))
}

/// R-10.2, R-10.5: wherever the process dies, the race that goes on is the one that nobody disturbed.
#[test]
fn r_10_5_a_demo_that_was_killed_goes_on() {
    let place = Place::new();
    let undisturbed = place.undisturbed();
    for (point, goes_on) in [
        ("before-commit:1", "after turn 0 (0 answers of the commands are in the journal)"),
        ("after-commit:1", "after turn 0"),
        ("sent:3", "after turn 0 ("),
        ("kept:9", "after turn 0 ("),
        ("before-commit:2", "after turn 0 ("),
        ("after-commit:3", "after turn 0"),
        ("answered:40", "after turn "),
        ("kept:60", "after turn "),
        ("before-commit:7", "after turn 3 ("),
        ("after-commit:7", "after turn 4"),
        ("after-commit:11", "after turn 8"),
    ] {
        let killed = place.command(&[&DEMO[..], &["--data", "data", "--out", "out.jsonl"]].concat());
        let output = { killed }.env(KILL_AT, point).output().expect("gm was built");
        assert_eq!(output.status.code(), None, "{point}: {}", errors(&output));

        let resume = ["demo", "--resume", "--data", "data", "--out", "out.jsonl", "--format", "json"];
        let output = place.gm(&resume);
        let said = errors(&output);
        // Only the last word of the race was not told: it is over.
        if point == "after-commit:11" {
            assert!(said.contains("no race is interrupted in data"), "{said}");
            continue;
        }
        assert!(output.status.success(), "{point}: {said}");
        assert!(said.starts_with("gm: race gm-") && said.contains(&format!(" goes on {goes_on}")), "{said}");
        assert!(place.read("out.jsonl") == undisturbed, "{point}: the races differ");
        // What an earlier process has committed is not shown again.
        let first: Value =
            serde_json::from_str(text(&output.stdout).lines().next().expect("a line")).expect("JSON");
        let is_told_anew = first["seq"].as_u64().is_some_and(|seq| seq > 1);
        assert!(is_told_anew, "{first}");
    }
    let kept = place.path().join("data/cars");
    assert!(std::fs::read_dir(kept).expect("the cars").count() > 1, "each race has cars of its own");
}

/// Ctrl-C leaves a race that is kept as it is after the turn; SIGTERM and SIGHUP do at once. What goes on is the same race.
#[test]
fn a_signal_interrupts_a_race_that_is_kept() {
    let place = Place::new();
    let undisturbed = place.undisturbed();
    for (sent, code, words) in [
        (
            Signal::INT,
            0,
            "gm: the race is interrupted after this turn; Ctrl-C again to stop at once\ngm: race ",
        ),
        (Signal::TERM, 130, "gm: stopped at once: race "),
        (Signal::HUP, 130, "gm: stopped at once: race "),
    ] {
        let demo = place.command(&[&DEMO[..], &["--data", "data"]].concat());
        let (status, _, said) = signal(until_it_waits(demo), sent);
        assert_eq!(status, Some(code), "{said}");
        let race = race_in(said.lines().last().unwrap_or_default());
        assert_eq!(
            said,
            format!(
                "{}{race} is interrupted after turn 1; go on with `gm demo --resume --data data`\n",
                words
            )
        );
        let output = place.gm(&["demo", "--resume", "--data", "data", "--pace", "0", "--out", "out.jsonl"]);
        assert!(output.status.success(), "{}", errors(&output));
        assert_eq!(errors(&output), format!("gm: race {race} goes on after turn 1\n"));
        assert!(place.read("out.jsonl") == undisturbed, "the races differ");
        assert!(text(&output.stdout).starts_with("after turn 1: teams 2, cars 2, seed 5\nturn 2\n"));
    }
}

/// Nothing of a demo is kept unless that is wanted: Ctrl-C ends its race for good, and shows the result.
#[test]
fn r_10_2_a_signal_ends_a_race_that_is_not_kept() {
    let place = Place::new();
    let (status, shown, said) = signal(until_it_waits(place.command(&DEMO)), Signal::INT);
    assert_eq!(status, Some(0), "{said}");
    assert_eq!(said, "gm: the race ends after this turn; Ctrl-C again to stop at once\n");
    let lines: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.iter().any(|line| line["event"] == "race_finished"), "{shown}");
    assert_eq!(lines.last().expect("a result")["result"]["turn"], 1);

    let (status, _, said) = signal(until_it_waits(place.command(&DEMO)), Signal::TERM);
    assert_eq!(status, Some(130));
    assert_eq!(said, "gm: stopped at once: a turn that was being played has not happened\n");
    assert_eq!(std::fs::read_dir(place.path()).expect("the folder").count(), 0, "nothing is left");
}

/// A car on a loopback port, as the race file names it.
async fn a_car(instance: &str, pilots: u64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let mut settings = CarSettings::new(instance);
    settings.modules.pilot = pilots;
    tokio::spawn(car_reference::serve(Car::in_memory(settings), listener, std::future::pending()));
    format!("[[team.car]]\ninstance = '{instance}'\nurl = 'http://{address}'\n")
}

/// A race file with two cars.
async fn a_race() -> String {
    format!(
        "[rules]\nmax_turns = 14\n[[team]]\nname = 'Red'\n{}[[team]]\nname = 'Blue'\nbudget = 30\n{}",
        a_car("red", 1).await,
        a_car("blue", 1).await
    )
}

/// What a file of `--out` says, without the cars' ports.
fn without_ports(written: &str, race: &str) -> String {
    let urls = race.split('\'').filter(|text| text.starts_with("http://"));
    urls.enumerate().fold(written.to_owned(), |written, (number, url)| {
        written.replace(url, &format!("http://car-{number}"))
    })
}

/// One command in a loop: it starts the race, goes on with it, and at last shows how it ended.
#[tokio::test(flavor = "multi_thread")]
async fn r_10_5_one_command_starts_a_race_and_goes_on_with_it() {
    let place = Place::new();
    let mut written = Vec::new();
    for (file, points) in [
        ("quiet.toml", &[][..]),
        ("killed.toml", &["kept:5", "before-commit:1", "answered:30", "sent:20", "after-commit:2", "sent:9"]),
    ] {
        let race = a_race().await;
        std::fs::write(place.path().join(file), &race).expect("a race file");
        let run = ["run", file, "--data", "data", "--resume", "--pace", "0", "--format", "json"];
        let run = [&run[..], &["--out", "out.jsonl", "--seed", "7"]].concat();
        for point in points {
            let output = place.command(&run).env(KILL_AT, point).output().expect("gm was built");
            assert_eq!(output.status.code(), None, "{point}: {}", errors(&output));
        }
        let output = place.gm(&run);
        assert!(output.status.success(), "{}", errors(&output));
        written.push(without_ports(&place.read("out.jsonl"), &race));

        let (first, result) = (place.read("out.jsonl"), text(&output.stdout));
        let again = place.gm(&run);
        assert!(again.status.success(), "{}", errors(&again));
        assert!(errors(&again).ends_with("is over: this is how it ended\n"), "{}", errors(&again));
        assert_eq!(text(&again.stdout).lines().next(), result.lines().last(), "the result alone");
        assert_eq!(place.read("out.jsonl"), first);
    }
    assert_eq!(written[0], written[1], "the races differ");
}

/// The commands with which the README goes on with a race, in its order: the second shows how it ended.
#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_readme() {
    let place = Place::new();
    std::fs::write(place.path().join("race.toml"), a_race().await).expect("a race file");
    let run = place.command(&["run", "race.toml", "--pace", "0"]);
    let output = { run }.env(KILL_AT, "kept:50").output().expect("gm was built");
    assert_eq!(output.status.code(), None, "{}", errors(&output));

    let commands = include_str!("../../README.md").lines().filter(|line| line.starts_with("gm run "));
    let said: Vec<String> = commands
        .map(|line| {
            let command = line.split('#').next().unwrap_or_default();
            let output = place.gm(&command.split_whitespace().skip(1).collect::<Vec<_>>());
            assert!(output.status.success(), "{line}: {}", errors(&output));
            errors(&output)
        })
        .collect();
    assert!(said[0].contains(" goes on after turn "), "{said:?}");
    assert!(said[1].ends_with(" is over: this is how it ended\n"), "{said:?}");
    assert!(place.path().join("gm-data/gm.db").is_file() && place.path().join("gm-data/key").is_file());
}

/// A race that could not be set up is not there; one whose set-up was broken off is set up, or told to be wrong, again.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_of_a_race_that_could_not_be_set_up() {
    let place = Place::new();
    let bad = format!("[[team]]\nname = 'Red'\n{}", a_car("bad", 0).await);
    std::fs::write(place.path().join("bad.toml"), bad).expect("a race file");
    let refused = "gm: nothing was started: bad.toml:4: car \"bad\" of team \"Red\" at http://127.0.0.1:";
    let why = ": a car needs at least 1 pilot, found 0\n";
    let nothing = "gm: no race is interrupted in data: start one with `gm run FILE.toml --data data`, \
                   or name the directory of another with --data";
    let run = ["run", "bad.toml", "--data", "data"];

    let output = place.gm(&run);
    assert!(errors(&output).starts_with(refused) && errors(&output).ends_with(why), "{}", errors(&output));
    place.refuses(&["run", "--resume", "--data", "data"], nothing);

    // The second commit is that of the refusal: the process dies before it could say why.
    for (point, words) in
        [("kept:2", "2 answers of the registration are in the journal"), ("after-commit:2", "")]
    {
        let output = place.command(&run).env(KILL_AT, point).output().expect("gm was built");
        assert_eq!(output.status.code(), None, "{}", errors(&output));
        let output = place.gm(&["run", "--resume", "--data", "data"]);
        let said = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        let (goes_on, because) = said.split_once('\n').expect("two lines");
        assert!(goes_on.contains(words), "{said}");
        assert!(because.starts_with(refused) && because.ends_with(why), "{said}");
        place.refuses(&["run", "--resume", "--data", "data"], nothing);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_else_is_in_the_directory() {
    let place = Place::new();
    let race = a_race().await;
    std::fs::write(place.path().join("own.toml"), &race).expect("a race file");
    let demo = place.command(&[&DEMO[..], &["--data", "data"]].concat());
    let demo = { demo }.env(KILL_AT, "kept:30").output().expect("gm was built");
    assert_eq!(demo.status.code(), None);

    // Which command goes on with which race.
    let said = errors(&place.gm(&["run", "--resume", "--data", "data"]));
    let first = race_in(&said);
    assert_eq!(
        said,
        format!(
            "gm: race {first} was begun by `gm demo`: go on with `gm demo --resume --race {first} --data data`\n"
        )
    );
    place.refuses(&["run", "--resume", "--race", &first, "--data", "data"], said.trim_end());
    place.refuses(
        &["demo", "--resume", "--race", "gm-0", "--data", "data"],
        "gm: there is no race gm-0 here: `gm race list` names them",
    );

    // A race that waits is named when another is started, and goes on when it is named.
    let own = place.command(&["run", "own.toml", "--data", "data"]);
    let (status, _, said) = signal(until_it_waits(own), Signal::TERM);
    assert_eq!((status, said.lines().count()), (Some(130), 1), "{said}");
    let second = race_in(&said);
    let other = a_race().await;
    std::fs::write(place.path().join("other.toml"), &other).expect("a race file");
    let output = place.gm(&["run", "other.toml", "--data", "data", "--pace", "0"]);
    let go_on = format!("`gm run --resume --race {second} --data data`");
    assert_eq!(
        errors(&output),
        format!("gm: race {second} still waits after turn 1; it goes on with {go_on}\n")
    );
    let output =
        place.gm(&["run", "--resume", "--race", &second, "--data", "data", "--pace", "0", "--seed", "1"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains(&format!("race {second} keeps its seed ")), "{}", errors(&output));
    let output = place.gm(&["run", "--resume", "--race", &second, "--data", "data"]);
    assert_eq!(errors(&output), format!("gm: race {second} is over: this is how it ended\n"));
    assert!(text(&output.stdout).contains("rank  team"), "{}", text(&output.stdout));
}

/// A journal that was changed, or rules that were: the race stands still rather than ask a car something else than before.
#[tokio::test(flavor = "multi_thread")]
async fn r_10_5_a_race_that_diverges_from_its_record_stops() {
    for (point, place_of_it) in [("kept:9", "inspection"), ("kept:40", "turn")] {
        let place = Place::new();
        let demo = place.command(&[&DEMO[..], &["--data", "data"]].concat());
        let demo = { demo }.env(KILL_AT, point).output().expect("gm was built");
        assert_eq!(demo.status.code(), None);
        let file = place.path().join("data/tail-1.jsonl");
        let tail = std::fs::read_to_string(&file).expect("a tail");
        let mut lines: Vec<&str> =
            tail.lines().map(|line| line.split_once(' ').expect("a checksum").1).collect();
        let mut last: serde_json::Value = serde_json::from_str(lines.pop().expect("a line")).expect("JSON");
        last["exchange"]["request"] = "GET http://elsewhere".into();
        let last = last.to_string();
        let changed: String =
            lines.into_iter().chain([last.as_str()]).map(gm_grpc::journal::sealed).collect();
        std::fs::write(file, changed).expect("written");

        let output = place.gm(&["demo", "--resume", "--data", "data"]);
        let said = errors(&output);
        assert_eq!(output.status.code(), Some(1), "{place_of_it}: {said}");
        for expected in [
            "can't go on, and nothing of it is lost: the rules have diverged from the record at ",
            "\n  recorded: GET http://elsewhere\n  asked:    ",
            "go on with the gm that has begun the race",
        ] {
            assert!(said.contains(expected), "{place_of_it}: {said}");
        }
    }
}

#[test]
fn a_directory_has_one_gm_at_a_time() {
    let place = Place::new();
    let demo = place.command(&[&DEMO[..], &["--data", "data"]].concat());
    let waits = until_it_waits(demo);
    let process = waits.0.id();
    let output = place.gm(&["demo", "--resume", "--data", "data"]);
    assert_eq!(output.status.code(), Some(1));
    let said = errors(&output);
    assert!(said.contains(&format!("is used by another gm (process {process}): stop it first")), "{said}");
    signal(waits, Signal::TERM);
}

#[test]
fn there_is_nothing_to_go_on_with() {
    let place = Place::new();
    for (arguments, start) in [
        (&["run", "--resume"][..], "gm run FILE.toml --data gm-data"),
        (&["demo", "--resume", "--data", "gm-data"], "gm demo --data gm-data"),
    ] {
        let expected = format!(
            "gm: no race is interrupted in gm-data: start one with `{start}`, or name the directory of another with --data"
        );
        place.refuses(arguments, &expected);
        assert!(!place.path().join("gm-data").exists(), "nothing is made where nothing is");
    }
    let missing = "gm: can't read no.toml: No such file or directory (os error 2)";
    place.refuses(&["run", "no.toml", "--resume"], missing);
    for wrong in
        [&["demo", "--resume"][..], &["run"], &["run", "a.toml", "--race", "gm-1"], &["run", "--check"]]
    {
        assert_eq!(place.gm(wrong).status.code(), Some(2), "{wrong:?}");
    }
    let output = place.command(&DEMO).env(KILL_AT, "sent:0").output().expect("gm was built");
    assert_eq!(output.status.code(), Some(1));
    assert!(errors(&output).starts_with(r#"gm: GM_TEST_KILL_AT is "sent:0", and must be a point"#));
}

/// Puts a race into the journal as another program may have: with this plan.
async fn put(data: &Path, plan: Option<&str>) -> RaceId {
    let journal = Journal::open(DataDirectory::open(data).expect("a directory")).await.expect("a journal");
    let (_, events) = Race::create(Rules::balanced().validated().expect("good rules"), Seed(1));
    let mut numbers = Numbers::default();
    let events: Vec<_> = events.into_iter().map(|event| numbers.next(event)).collect();
    let new = NewRace {
        id: RaceId::random(),
        name: "other".to_owned(),
        seed: Seed(1),
        revision: REVISION,
        origin: Origin::Here,
        plan: plan.map(str::to_owned),
        secrets: BTreeMap::new(),
        pace: None,
        private: false,
    };
    let id = new.id.clone();
    journal.create(new, &events, None).await.expect("a race");
    journal.close().await.expect("closed");
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_of_other_programs() {
    let place = Place::new();
    for (plan, expected) in [
        (
            Some(r#"{"format":2}"#),
            "can't go on: its plan has format 2, and this gm knows format 1: go on with the gm that has begun the race",
        ),
        (
            None,
            "was begun by a server, to which its teams come by themselves: it goes on when that is started",
        ),
    ] {
        let id = put(&place.path().join("data"), plan).await;
        let arguments = ["run", "--resume", "--data", "data", "--race", id.as_str()];
        place.refuses(&arguments, &format!("gm: race {id} {expected}"));
    }
}

//! The commands `bench` and `explain` of `fight-lambda`: what they tell, what they refuse, and their exit codes.

#![allow(clippy::unwrap_used, reason = "they are tests")]

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output, Stdio};
use std::thread;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fight-lambda"));
    for name in ["LISTEN", "AI", "SEED", "BUDGET"] {
        command.env_remove(format!("FIGHT_LAMBDA_{name}"));
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What is asked, the exit code, and what is said of it on standard error. Nothing is told on standard output.
#[track_caller]
fn refused(arguments: &[&str], code: i32, why: &str) {
    let output = run(arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    assert!(said.contains(why), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

#[test]
fn nonsense_is_refused_with_what_to_do_instead() {
    let unknown = "there is no AI \"clever\": take random, greedy, careful, search, ismcts";
    let bench: &[(&[&str], &str)] = &[
        (&["--a", "clever"], unknown),
        (&["--b", "clever"], unknown),
        (&["--a", "greedy:5"], "greedy takes no budget"),
        (&["--a", "search:soon"], "give a time such as 20ms or 1s, or a number of iterations such as 5000"),
        (&["--weapons", "0"], "0 is not in 1..=25"),
        (&["--other-weapons", "26"], "26 is not in 1..=25"),
        (&["--duels", "0"], "0 is not in 1..=1000000"),
        (&["--jobs", "0"], "0 is not in 1..=256"),
        (&["--at-least", "58"], "a score is a number from 0 to 1, as 0.58"),
        (&["--above", "NaN"], "a score is a number from 0 to 1, as 0.58"),
        (&["--format", "xml"], "[possible values: human, json]"),
    ];
    for (arguments, why) in bench {
        refused(&[&["bench"], *arguments].concat(), 2, why);
    }
    let explain: &[(&[&str], &str)] = &[
        (&["--othernbcards", "5"], "--cards <LIST>"),
        (&["--cards", "1"], "--othernbcards <N>"),
        (
            &["--cards", "1,9", "--othernbcards", "5"],
            "cards holds something else than whole numbers from 1 to 5",
        ),
        (
            &["--cards", "-1", "--othernbcards", "5"],
            "cards holds something else than whole numbers from 1 to 5",
        ),
        (&["--cards", "1", "--othernbcards", "99"], "othernbcards is not a whole number from 0 to 25"),
        (
            &["--cards", "1", "--othernbcards", "5", "--yourmoves", "5,5,5", "--othermoves", "5,5,5"],
            "the moves add up to 30 squares, but only 21 can be moved",
        ),
        (
            &["--cards", "1,1,1,1,1,1", "--othernbcards", "5"],
            "6 cards of value 1 are told of, but there are only 5",
        ),
        (&["--cards", "1", "--othernbcards", "25"], "are 26 cards together, but there are only 25"),
        (&["--cards", "1", "--othernbcards", "5", "--seen", "{}"], "seen is not what A-4 says"),
        (&["--cards", "1", "--othernbcards", "5", "--ai", "clever"], unknown),
        (
            &["--cards", "1", "--othernbcards", "5", "--ai", "greedy", "--budget", "5ms"],
            "greedy takes no budget",
        ),
    ];
    for (arguments, why) in explain {
        refused(&[&["explain"], *arguments].concat(), 2, why);
    }
    refused(&["--ai", "greedy", "bench"], 2, "cannot be used with");
}

/// What others are measured by plays as it did when it was measured: sums and turns of the same 300 duels.
#[test]
fn the_yardsticks_stay_as_they_are() {
    for (a, b, weapons, expected) in [
        ("ismcts:100", "greedy", "5", "188 3 109, turns 5.653"),
        ("ismcts:100", "greedy", "8", "229 16 55, turns 5.133"),
        ("careful", "greedy", "5", "213 1 86, turns 5.740"),
    ] {
        let terms = ["bench", "--a", a, "--b", b, "--weapons", weapons, "--duels", "300", "--seed", "3"];
        let output = run(&[&terms[..], &["--format", "json"]].concat());
        let it: Value = serde_json::from_slice(&output.stdout).unwrap();
        let turns = it["turns"].as_f64().unwrap();
        let found = format!("{} {} {}, turns {turns:.3}", it["wins"], it["draws"], it["losses"]);
        assert_eq!(found, expected, "{a} against {b}, {weapons} weapons");
    }
}

/// The example of a header in the help is of a duel that can be: the last 4 hits for sure.
#[test]
fn a_4_the_example_with_a_header_holds() {
    let help = text(&run(&["explain", "--help"]).stdout);
    let (_, example) = help.split_once("fight-lambda explain --cards 1,4 ").expect("the example");
    let (flags, rest) = example.split_once("--seen '").expect("with a header");
    let (seen, _) = rest.split_once('\'').expect("in quotes");
    let seen: Value = serde_json::from_str(seen).unwrap();
    let mut arguments = vec!["explain", "--format", "json", "--cards", "1,4"];
    arguments.extend(flags.split_whitespace());
    let output = command(&arguments).args(["--seen", &seen.to_string()]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let it: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&it["play"], &it["plays"][0]["value"]), (&serde_json::json!([4]), &serde_json::json!(1.0)));
}

/// R-6.6: who can't play is not asked, and so need not be there.
#[test]
fn r_6_6_a_lost_position_is_explained_without_the_ai() {
    let nobody = ["--ai", "http://127.0.0.1:1/action"];
    let position = ["explain", "--cards", "4,5", "--yourmoves", "5,5,5,5", "--othernbcards", "3"];
    let output = run(&[&position[..], &nobody].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).ends_with("this duel is lost (R-6.6).\n"));
}

/// A result that is lost is no success; but who has heard enough may go.
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_can_t_be_written_is_a_failure() {
    use std::fs::OpenOptions;
    for arguments in [
        &["explain", "--cards", "1", "--othernbcards", "1", "--format", "json"][..],
        &["explain", "--cards", "1", "--othernbcards", "1"],
        &["bench", "--a", "random", "--b", "random", "--duels", "2"],
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(text(&output.stderr).contains("can't write the result: "), "{arguments:?}");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{arguments:?}");
    }
    // Nor is it another failure if nobody hears why.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = command(&["explain", "--cards", "9", "--othernbcards", "1"]).stderr(writer).status();
    assert_eq!(status.unwrap().code(), Some(2));
}

#[test]
fn help_teaches() {
    for (name, begins, example) in [
        (
            "bench",
            "Plays many duels between two AIs, and says how much better the first one is.\n\n",
            "fight-lambda bench --a search --b greedy --duels 1000",
        ),
        (
            "explain",
            "Shows a position in words, and what an AI thinks of each legal play, the best first.\n\n",
            "fight-lambda explain --cards 3,2,1,1,2,2 --yourmoves 1,5,4,1",
        ),
    ] {
        let output = run(&[name, "--help"]);
        assert_eq!(output.status.code(), Some(0));
        let help = text(&output.stdout);
        assert!(
            help.starts_with(begins) && help.contains(example) && help.contains("Exit code: 0"),
            "{help}"
        );
    }
    assert!(text(&run(&["--help"]).stdout).contains("\n  bench "));
}

/// An odd number of duels is rounded up; the line that repeats it does.
#[test]
fn a_bench_can_be_repeated() {
    let arguments = ["bench", "--a", "ismcts:20", "--b", "greedy", "--duels", "59", "--seed", "4"];
    let json = |arguments: &[&str]| -> Value {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(output.stderr.is_empty(), "nobody looks: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let first = json(&[&arguments[..], &["--format", "json", "--jobs", "2"]].concat());
    assert_eq!(
        (&first["asked"], &first["duels"], &first["partial"]),
        (&60.into(), &60.into(), &false.into())
    );
    assert_eq!((&first["jobs"], &first["b"]["weapons"]), (&2.into(), &5.into()));
    let again = first["again"].as_str().unwrap();
    assert_eq!(
        again,
        "fight-lambda bench --a ismcts:20 --b greedy --weapons 5 --other-weapons 5 --duels 60 --seed 4"
    );
    let words: Vec<&str> = again.split(' ').skip(1).chain(["--format", "json", "--jobs", "1"]).collect();
    let second = json(&words);
    for field in ["score", "interval", "wins", "draws", "losses", "turns"] {
        assert_eq!(first[field], second[field], "{field}");
    }
    let human = text(&run(&arguments).stdout);
    assert!(human.starts_with("ismcts:20 against greedy: 0."), "{human}");
    assert!(human.ends_with(&format!("again: {again}\n")), "{human}");
}

#[test]
fn a_bound_that_is_missed_fails() {
    let bench = ["bench", "--a", "random", "--b", "greedy", "--duels", "200"];
    for (bound, code, why) in [
        (["--at-least", "0.1"], 0, ""),
        (["--at-least", "0.9"], 1, "the score is not at least 0.9: it is 0."),
        (["--above", "0.01"], 0, ""),
        (["--above", "0.5"], 1, "the score is not above 0.5 for certain: it is 0."),
    ] {
        let output = run(&[&bench[..], &bound].concat());
        assert_eq!(output.status.code(), Some(code), "{bound:?}");
        assert!(text(&output.stderr).contains(why), "{bound:?}: {}", text(&output.stderr));
        // It is told all the same.
        assert!(text(&output.stdout).starts_with("random against greedy: "), "{bound:?}");
    }
}

/// A server as teams run it, ended when it is dropped.
struct Server(std::process::Child, String);

impl Server {
    fn start(ai: &str) -> Server {
        let mut command = command(&["--listen", "127.0.0.1:0", "--ai", ai]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        let mut server = Server(child, String::new());
        BufReader::new(output).read_line(&mut line).unwrap();
        server.1 = line.trim().split_once(" answers at ").expect("its URL").1.to_owned();
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// The server's AI plays as the same AI in process does.
#[test]
fn a_server_is_benched_and_explained() {
    let server = Server::start("careful");
    let output = run(&["bench", "--a", &server.1, "--b", "careful", "--duels", "20", "--format", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["score"], &report["jobs"]), (&0.5.into(), &1.into()), "{report}");
    assert_eq!(report["interval"], serde_json::json!([0.5, 0.5]));

    let position = ["explain", "--cards", "1,5,5,5", "--yourmoves", "4,4,4", "--othermoves", "5"];
    let explain = |ai: &str| {
        let output = run(&[&position[..], &["--othernbcards", "2", "--ai", ai]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let far = explain(&server.1);
    assert!(far.contains("does not say what it thinks of the plays"), "{far}");
    assert!(far.contains("→ [5,5,5]  attack with 3 × 5\n"), "{far}");
    let near = explain("careful");
    assert!(near.contains("→ 1.0000  [5,5,5]  attack with 3 × 5\n"), "{near}");
}

#[test]
fn an_ai_that_is_not_there_is_said_to_be_none() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/action", listener.local_addr().unwrap());
    drop(listener);
    refused(&["bench", "--a", &url], 1, &format!("nobody can be reached at {url}: is the AI running there?"));
    let explain = ["explain", "--cards", "1", "--othernbcards", "1", "--ai", &url];
    refused(&explain, 1, &format!("{url} gave no usable answer: unreachable"));
}

/// The AI answers the first question, and no other. By then Ctrl-C is waited for.
#[cfg(unix)]
#[test]
fn ctrl_c_tells_what_was_played_so_far() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/action", listener.local_addr().unwrap());
    let mut bench = command(&[
        "bench",
        "--a",
        &url,
        "--b",
        "greedy",
        "--weapons",
        "3",
        "--duels",
        "8",
        "--format",
        "json",
    ])
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    let child = bench.id().to_string();
    let ai = thread::spawn(move || {
        let mut kept = Vec::new();
        for asked in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = String::new();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            while lines.next().is_some_and(|line| !line.is_empty()) {
                head.push('.');
            }
            if asked == 0 {
                let body = r#"{"res":[1]}"#;
                write!(
                    stream,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                    body.len()
                )
                .unwrap();
            } else {
                let told = Command::new("kill").args(["-INT", &child]).status().unwrap();
                assert!(told.success());
                kept.push(stream);
            }
        }
        kept
    });
    let status = bench.wait().unwrap();
    let mut told = String::new();
    bench.stdout.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(status.code(), Some(130), "{told}");
    let report: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(
        (&report["partial"], &report["asked"], &report["duels"]),
        (&true.into(), &8.into(), &0.into())
    );
    assert_eq!((&report["score"], &report["interval"]), (&Value::Null, &Value::Null));
    ai.join().unwrap();
}

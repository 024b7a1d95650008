//! The binary `car`: its settings, and what it says when they are bad.

#![allow(clippy::unwrap_used, reason = "they are tests")]

mod client;

use client::fresh_path;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

fn car(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_car"));
    command.args(["--listen", "127.0.0.1:0"]).args(arguments);
    command
}

fn run(mut command: Command) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

/// Runs what should end without a word on the output. A car that starts instead says that it listens, and is ended.
fn refused(mut command: Command) -> (Option<i32>, String, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if !line.is_empty() {
        child.kill().unwrap();
    }
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    (status.code(), line, String::from_utf8(stderr).unwrap())
}

/// a name that the game master would refuse is refused here already; characters are counted, not bytes.
#[test]
fn r_2_instance_names_are_those_of_the_game_master() {
    for (name, good) in [
        ("i".repeat(100), true),
        ("é".repeat(100), true),
        ("i".repeat(101), false),
        ("é".repeat(101), false),
        (String::new(), false),
        ("i\u{1b}[2J".into(), false),
        ("i\n".into(), false),
        ("i\u{85}".into(), false),
    ] {
        let (code, stdout, stderr) = refused(car(&["--instance", &name]));
        if good {
            assert!(stdout.starts_with(&format!("car {name} (careful) listens")), "{name:?}: {stderr}");
        } else {
            assert_eq!((code, stdout.as_str()), (Some(2), ""), "{name:?}: {stderr}");
            let reason = "a name has 1 to 100 characters, none of them a control character";
            assert!(name.is_empty() || stderr.contains(reason), "{name:?}: {stderr}");
            assert!(!stderr.trim_end().contains(char::is_control), "{stderr:?}");
        }
    }
}

/// A row: arguments, and what the one line on the error output holds.
#[test]
fn bad_settings_are_one_clear_line() {
    for (arguments, reason) in [
        (&[][..], "--instance <NAME>"),
        (&["--instance", ""], "--instance <NAME>"),
        (&["--instance", "a\tb"], "a name has 1 to 100 characters, none of them a control character"),
        (&["--instance", "i", "--engines", "-1"], "--engines"),
        (&["--instance", "i", "--engines", "many"], "invalid value 'many' for '--engines <N>'"),
        (&["--instance", "i", "--weapons", "10001"], "10001 is not in 0..=10000"),
        (&["--instance", "i", "--strategy", "mad"], "[possible values: careful, bold, random]"),
        (&["--instance", "i", "--ai-url", "ai.example"], "not an absolute URL"),
        (&["--instance", "i", "--ai-url", "ftp://ai.example"], "the scheme is not http or https"),
        (&["--instance", "i", "--secret", ""], "--secret"),
        (&["--instance", "i", "--secret", "a b"], "a secret is ASCII"),
        (&["--instance", "i", "--secret", "é"], "a secret is ASCII"),
        (&["--instance", "i", "--seed", "x"], "--seed"),
        (&["--instance", "i", "--turbo"], "unexpected argument '--turbo'"),
    ] {
        let (code, stdout, stderr) = refused(car(arguments));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("error: ") && stderr.contains(reason), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    let mut command = car(&["--instance", "i"]);
    command.env("CAR_PILOTS", "none");
    let (code, _, stderr) = refused(command);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("invalid value 'none' for '--pilots <N>'"), "{stderr}");
}

#[test]
fn what_keeps_a_car_from_starting_is_one_clear_line() {
    let path = fresh_path("settings");
    fs::write(&path, "{").unwrap();
    let (code, _, stderr) = refused(car(&["--instance", "i", "--store", path.to_str().unwrap()]));
    assert_eq!(code, Some(1));
    assert!(stderr.starts_with("error: ") && stderr.contains("not a car's store"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "{");

    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_car"));
    command.args(["--instance", "i", "--listen", &taken.local_addr().unwrap().to_string()]);
    let (code, _, stderr) = refused(command);
    assert_eq!(code, Some(1));
    assert!(stderr.starts_with("error: can't listen on 127.0.0.1:"), "{stderr}");
}

/// A second car on a store is told which file is in use; a killed car leaves the store free.
#[test]
fn a_store_is_in_use_until_its_car_ends() {
    let path = fresh_path("in_use");
    let arguments = ["--instance", "i", "--store", path.to_str().unwrap()];
    for _ in 0..2 {
        let mut first = car(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(first.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("car i (careful) listens"), "{line}");

        let before = fs::read(&path).unwrap();
        let (code, stdout, stderr) = refused(car(&arguments));
        first.kill().unwrap();
        first.wait().unwrap();
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        let real = fs::canonicalize(&path).unwrap();
        assert!(stderr.starts_with(&format!("error: {}: in use by another car", real.display())), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
}

#[test]
fn the_help_teaches() {
    let mut command = car(&["--help"]);
    command.env("CAR_SECRET", "hush");
    let (code, stdout, _) = run(command);
    assert_eq!(code, Some(0));
    for part in ["Example", "--ai-url http://", "curl ", "CAR_LISTEN", "- careful: Takes no risk"] {
        assert!(stdout.contains(part), "{part} is not in {stdout}");
    }
    assert!(!stdout.contains("hush"));
}

/// It says where it listens, warns of what is missing, and ends in order when it is interrupted.
#[cfg(unix)]
#[test]
fn it_says_where_it_listens_and_ends_in_order() {
    let mut command = car(&["--strategy", "bold"]);
    command.env("CAR_INSTANCE", "i-0abc").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    assert!(line.starts_with("car i-0abc (bold) listens on http://127.0.0.1:"), "{line}");
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(
        stderr,
        "warning: no --ai-url: this car loses every duel\nwarning: no --secret: this car answers anybody\n"
    );
    assert_eq!(status.code(), Some(0));
}

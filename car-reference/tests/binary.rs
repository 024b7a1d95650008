//! The binary `car`: every setting matters, from flags and from the environment, and a store outlives it.

#![allow(clippy::unwrap_used, reason = "they are tests")]

use gm_core::contract::{CarRequest, Kind};
use gm_core::ids::Square;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::Duration;

/// How long anything may take that should take no time.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many lines of its output wait to be read: it says one.
const WAITING_LINES: usize = 1;

/// Where it listens if it is not told where.
const DEFAULT_PORT: u16 = 8080;

/// How many decisions tell two series of coins apart.
const SERIES: usize = 40;

/// The secret of all cars here.
const SECRET: Option<&str> = Some("s3cret");

/// The duel AI of all cars here.
const AI_URL: &str = "https://ai.example/prod/action";

/// All settings.
const NAMES: [&str; 10] =
    ["listen", "instance", "engines", "pilots", "weapons", "secret", "ai-url", "strategy", "seed", "store"];

/// How the settings are given.
#[derive(Debug, Clone, Copy)]
enum By {
    Flags,
    Environment,
}

impl By {
    const BOTH: [By; 2] = [By::Flags, By::Environment];

    fn give(self, command: &mut Command, name: &str, value: &str) {
        match self {
            By::Flags => command.args([format!("--{name}"), value.to_owned()]),
            By::Environment => command.env(variable(name), value),
        };
    }
}

fn variable(name: &str) -> String {
    format!("CAR_{}", name.to_uppercase().replace('-', "_"))
}

/// A running car, which is ended when it is dropped.
struct Running {
    child: Child,
    lines: Receiver<String>,
    /// The line that it said first.
    said: String,
    address: SocketAddr,
}

impl Running {
    /// Starts a car with a secret, a duel AI, and these settings; no others.
    fn start(by: By, settings: &[(&str, &str)]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_car"));
        NAMES.iter().for_each(|name| _ = command.env_remove(variable(name)));
        for (name, value) in [("listen", "127.0.0.1:0"), ("secret", "s3cret"), ("ai-url", AI_URL)] {
            by.give(&mut command, name, value);
        }
        settings.iter().for_each(|(name, value)| by.give(&mut command, name, value));
        Running::of(command)
    }

    fn of(mut command: Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (line, lines) = sync_channel(WAITING_LINES);
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|said| line.send(said)));
        // From here on the guard ends the child, whatever fails.
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut running = Running { child, lines, said: String::new(), address };
        running.said = running.lines.recv_timeout(PATIENCE).expect("a line on the output");
        let (_, address) = running.said.split_once(" listens on http://").expect("its URL");
        running.address = address.parse().expect("its address");
        running
    }

    /// Sends one of C-1 to C-16, and gives the status and the body.
    fn send(&self, secret: Option<&str>, request: &CarRequest) -> (u16, Value) {
        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let body = request.body().map(|body| body.to_string()).unwrap_or_default();
        let mut text = format!("{} {} HTTP/1.1\r\n", request.method(), request.path());
        text += "Host: car.example\r\nConnection: close\r\nContent-Type: application/json\r\n";
        if let Some(secret) = secret {
            text += &format!("X-EACC-SECRET: {secret}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).expect("a status").parse().expect("a number");
        (status, serde_json::from_str(body).expect("JSON"))
    }

    /// What it decides at one minefield after another (C-13).
    fn series(&self) -> Vec<bool> {
        let decide = |_| self.send(SECRET, &CarRequest::Mine).1["res"].as_bool().expect("a yes or a no");
        (0..SERIES).map(decide).collect()
    }

    /// Waits for its end, which closes its output, and gives its exit code.
    #[cfg(unix)]
    fn end(mut self) -> Option<i32> {
        use std::sync::mpsc::RecvTimeoutError::Disconnected;
        assert_eq!(self.lines.recv_timeout(PATIENCE), Err(Disconnected), "it goes on");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A path for the store of one test, with nothing there.
fn fresh_store(test: &str) -> PathBuf {
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory.join("car.json")
}

fn state(square: u32, [engine, pilot, weapon]: [u64; 3]) -> (u16, Value) {
    let modules = json!({ "engine": engine, "pilot": pilot, "weapon": weapon });
    (200, json!({ "name": "i-0abc", "square": square, "modules": modules }))
}

#[test]
fn c_1_to_20_all_settings_and_a_restart() {
    let gain = |kind, name: &str| CarRequest::Gain { kind, name: name.into() };
    let lose = |kind, name: &str| CarRequest::Lose { kind, name: name.into() };
    for by in By::BOTH {
        let store = fresh_store(&format!("binary-{by:?}"));
        let settings = [
            ("instance", "i-0abc"),
            ("engines", "5"),
            ("pilots", "2"),
            ("weapons", "7"),
            ("strategy", "bold"),
            ("seed", "9"),
            ("store", store.to_str().unwrap()),
        ];
        let car = Running::start(by, &settings);
        assert!(car.said.starts_with("car i-0abc (bold) listens on "), "{by:?}: {}", car.said);
        assert_ne!(car.address.port(), DEFAULT_PORT, "{by:?}");

        let refused = (401, json!({ "error": "X-EACC-SECRET is missing or wrong" }));
        for request in [CarRequest::State, CarRequest::DuelUrl, CarRequest::Retire] {
            for wrong in [None, Some("S3cret"), Some("9")] {
                assert_eq!(car.send(wrong, &request), refused, "{by:?} {request} {wrong:?}");
            }
        }
        let done = || (200, json!({ "res": true }));
        for (request, answer) in [
            (CarRequest::State, state(0, [5, 2, 7])),
            (CarRequest::DuelUrl, (200, json!({ "res": AI_URL }))),
            (CarRequest::Resource(Kind::Engine), (200, json!({ "res": "i-0abc-engines" }))),
            // Bold with two pilots; a careful car never would.
            (CarRequest::Mine, done()),
            (CarRequest::SetSquare(Square(42)), done()),
            (gain(Kind::Engine, "v8"), done()),
            (lose(Kind::Pilot, "pilot-1"), done()),
            (CarRequest::SetCount { kind: Kind::Weapon, count: 3 }, done()),
            (CarRequest::State, state(42, [6, 1, 3])),
        ] {
            assert_eq!(car.send(SECRET, &request), answer, "{by:?} {request}");
        }

        // Killed, without a chance to write what it did not write yet. What is there goes before what a new car has.
        drop(car);
        let car = Running::start(by, &settings);
        for (request, answer) in [
            (CarRequest::State, state(42, [6, 1, 3])),
            (lose(Kind::Engine, "v8"), done()),
            (CarRequest::State, state(42, [5, 1, 3])),
        ] {
            assert_eq!(car.send(SECRET, &request), answer, "{by:?}, started again: {request}");
        }

        // Without the store it is a new car.
        let [settings @ .., _] = settings;
        drop(car);
        let car = Running::start(by, &settings);
        assert_eq!(car.send(SECRET, &CarRequest::State), state(0, [5, 2, 7]), "{by:?}, without a store");
    }
}

#[test]
fn c_13_strategy_and_seed_matter() {
    let series = |by, strategy: &str, seed: &str| {
        let car = Running::start(by, &[("instance", "i-0abc"), ("strategy", strategy), ("seed", seed)]);
        assert!(car.said.starts_with(&format!("car i-0abc ({strategy}) ")), "{by:?}: {}", car.said);
        car.series()
    };
    for by in By::BOTH {
        // Eight modules: bold is sure of itself. Neither of these two throws dice.
        for seed in ["1", "2"] {
            assert_eq!(series(by, "bold", seed), [true; SERIES], "{by:?}");
            assert_eq!(series(by, "careful", seed), [false; SERIES], "{by:?}");
        }
        let one = series(by, "random", "1");
        assert!(one.contains(&true) && one.contains(&false), "{by:?}: {one:?}");
        assert_eq!(one, series(by, "random", "1"), "{by:?}: the same seed");
        assert_ne!(one, series(by, "random", "2"), "{by:?}: another seed");
    }
    assert_eq!(series(By::Flags, "random", "1"), series(By::Environment, "random", "1"));
}

#[test]
fn flags_go_before_the_environment() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_car"));
    NAMES.iter().for_each(|name| _ = command.env_remove(variable(name)));
    for (name, flag, other) in [
        ("listen", "127.0.0.1:0", "192.0.2.1:1"),
        ("instance", "i-0abc", "i-9"),
        ("engines", "5", "1"),
        ("pilots", "2", "0"),
        ("weapons", "7", "1"),
        ("secret", "s3cret", "other"),
        ("ai-url", AI_URL, "http://b.example/"),
        ("strategy", "bold", "careful"),
    ] {
        By::Flags.give(&mut command, name, flag);
        By::Environment.give(&mut command, name, other);
    }
    let car = Running::of(command);
    assert_eq!(car.send(SECRET, &CarRequest::State), state(0, [5, 2, 7]));
    assert_eq!(car.send(Some("other"), &CarRequest::State).0, 401);
    assert_eq!(car.send(SECRET, &CarRequest::Mine), (200, json!({ "res": true })));
    let url = (200, json!({ "res": AI_URL }));
    assert_eq!(car.send(SECRET, &CarRequest::DuelUrl), url);
}

/// Ctrl-C, and what a service is stopped with.
#[cfg(unix)]
#[test]
fn it_ends_in_order() {
    for signal in ["-INT", "-TERM"] {
        let car = Running::start(By::Flags, &[("instance", "i-0abc")]);
        let told = Command::new("kill").args([signal, &car.child.id().to_string()]).status().unwrap();
        assert!(told.success());
        assert_eq!(car.end(), Some(0), "{signal}");
    }
}

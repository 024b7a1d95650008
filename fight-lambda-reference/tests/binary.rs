//! The binary `fight-lambda`: its settings matter, from flags and from the environment, and it ends when it is told to.

#![allow(clippy::unwrap_used, reason = "they are tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// How long anything may take that should take no time.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many lines of its output wait to be read: it says one.
const WAITING_LINES: usize = 1;

/// Where it listens if it is not told where.
const DEFAULT_PORT: u16 = 8081;

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
            By::Environment => command.env(format!("FIGHT_LAMBDA_{}", name.to_uppercase()), value),
        };
    }
}

/// A running AI, which is ended when it is dropped.
struct Running {
    child: Child,
    lines: Receiver<String>,
    /// The line that it said first.
    said: String,
    address: SocketAddr,
}

impl Running {
    /// Starts one with these settings and no others.
    fn start(by: By, settings: &[(&str, &str)]) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fight-lambda"));
        for name in ["LISTEN", "AI", "SEED", "BUDGET"] {
            command.env_remove(format!("FIGHT_LAMBDA_{name}"));
        }
        by.give(&mut command, "listen", "127.0.0.1:0");
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
        let (_, url) = running.said.split_once(" answers at http://").expect("its URL");
        running.address = url.strip_suffix("/action").expect("its path").parse().expect("its address");
        running
    }

    /// What it answers to a query (A-1, A-2).
    fn ask(&self, query: &str) -> String {
        let mut stream = TcpStream::connect_timeout(&self.address, PATIENCE).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request =
            format!("GET /action?{query} HTTP/1.1\r\nHost: ai.example\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        assert!(head.starts_with("HTTP/1.1 200 "), "{query}: {answer}");
        body.to_owned()
    }

    /// What it answers to many questions with many legal plays.
    fn series(&self) -> Vec<String> {
        let questions = (1..=5).flat_map(|mine| (1..=5).map(move |others| (mine, others)));
        let query = |(mine, others)| {
            format!("yourmoves=[{mine}]&othermoves=[{others}]&cards=[1,2,3,4,5]&othernbcards=5")
        };
        questions.map(|question| self.ask(&query(question))).collect()
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

#[test]
fn a_1_all_levels_but_chance_take_a_sure_hit() {
    for by in By::BOTH {
        for (settings, name) in [
            (&[][..], "search"),
            (&[("ai", "search"), ("seed", "7")], "search"),
            (&[("ai", "greedy")], "greedy"),
            (&[("ai", "careful")], "careful"),
            (&[("ai", "reference"), ("seed", "7")], "careful"),
        ] {
            let ai = Running::start(by, settings);
            let said = format!("a {name} AI answers ");
            assert!(ai.said.starts_with(&said), "{by:?} {settings:?}: {}", ai.said);
            assert_ne!(ai.address.port(), DEFAULT_PORT, "{by:?} {settings:?}");
            // Five squares apart, and the other has two cards: three 5s can't be parried.
            let answer = ai.ask("yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2");
            assert_eq!(answer, r#"{"res":[5,5,5]}"#, "{by:?} {settings:?}");
        }
    }
}

#[test]
fn a_1_the_seed_is_for_the_ai_with_dice() {
    let series = |by, ai: &str, seed: &str| Running::start(by, &[("ai", ai), ("seed", seed)]).series();
    for by in By::BOTH {
        let seven = series(by, "random", "7");
        assert_eq!(seven, series(by, "random", "7"), "{by:?}: the same seed");
        assert_ne!(seven, series(by, "random", "8"), "{by:?}: another seed");
        let careful = series(by, "careful", "7");
        assert_eq!(careful, series(by, "careful", "8"), "{by:?}: it throws no dice");
        assert_ne!(careful, seven, "{by:?}: another AI");
    }
    // Both ways mean the same, and without a seed it is 1, as the README has it.
    assert_eq!(series(By::Flags, "random", "7"), series(By::Environment, "random", "7"));
    assert_eq!(series(By::Flags, "random", "1"), Running::start(By::Flags, &[("ai", "random")]).series());
}

#[test]
fn flags_go_before_the_environment() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fight-lambda"));
    By::Environment.give(&mut command, "ai", "careful");
    By::Environment.give(&mut command, "seed", "8");
    By::Environment.give(&mut command, "listen", "192.0.2.1:1");
    for (name, value) in [("ai", "random"), ("seed", "7"), ("listen", "127.0.0.1:0")] {
        By::Flags.give(&mut command, name, value);
    }
    let seven = Running::start(By::Flags, &[("ai", "random"), ("seed", "7")]);
    assert_eq!(Running::of(command).series(), seven.series());
}

/// Both ways, a wrong budget is told with what is right, and nothing is served.
#[test]
fn a_wrong_budget_is_refused() {
    let range = "a budget is more than 0, and at most 2 s or 1000000 iterations";
    let none = "give a time such as 20ms or 1s, or a number of iterations such as 5000";
    for (budget, why) in
        [("0", range), ("0ms", range), ("3s", range), ("-1", none), ("", none), ("soon", none)]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fight-lambda"));
        By::Environment.give(&mut command, "listen", "127.0.0.1:0");
        By::Environment.give(&mut command, "budget", budget);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{budget:?}: {said}");
        assert!(said.contains(why), "{budget:?}: {said}");
    }
}

/// Where nobody hears its first line, it answers all the same.
#[test]
fn who_does_not_listen_is_answered() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fight-lambda"));
    By::Flags.give(&mut command, "listen", &address.to_string());
    let child = command.stdout(writer).spawn().unwrap();
    let (_, lines) = sync_channel(WAITING_LINES);
    let mut ai = Running { child, lines, said: String::new(), address };
    let begun = Instant::now();
    while TcpStream::connect_timeout(&address, PATIENCE).is_err() {
        assert!(ai.child.try_wait().unwrap().is_none() && begun.elapsed() < PATIENCE, "it is not there");
        thread::yield_now();
    }
    assert_eq!(ai.ask("yourmoves=[]&othermoves=[]&cards=[3]&othernbcards=1"), r#"{"res":[3]}"#);
}

/// Ctrl-C, and what a service is stopped with.
#[cfg(unix)]
#[test]
fn it_ends_in_order() {
    for signal in ["-INT", "-TERM"] {
        let ai = Running::start(By::Flags, &[]);
        let told = Command::new("kill").args([signal, &ai.child.id().to_string()]).status().unwrap();
        assert!(told.success());
        assert_eq!(ai.end(), Some(0), "{signal}");
    }
}

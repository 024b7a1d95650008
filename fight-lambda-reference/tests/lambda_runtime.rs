//! The real `bootstrap` against Lambda's runtime API, which is emulated on loopback: what it answers, what it does with
//! an event that makes no sense, how it says that it can't start, how much memory it takes and how soon it answers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "they are tests")]

mod events;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use events::Kind;
use fight_lambda_reference::{Mind, server};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::process::{Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

/// How long anything may take that should take no time.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many events and words wait to be read: more than any test has.
const WAITING: usize = 64;

/// How soon the first answer must be there after the start.
const COLD_START: Duration = Duration::from_millis(100);

/// How often it may be started for that: a machine that is busy is slow now and then.
const STARTS: usize = 20;

/// How much memory the function has by `template.yaml`, in KiB.
const MEMORY_KIB: u64 = 128 * 1024;

/// Requests: method, query as it is sent, and the header `X-EACC-DUEL`. Those with one answer come first.
const QUESTIONS: [(&str, &str, Option<&str>); 8] = [
    ("GET", A_HIT, None),
    ("GET", "yourmoves=%5B5%2C5%2C5%5D&othermoves=%5B2%5D&cards=%5B1%2C5%2C5%2C5%5D&othernbcards=2", None),
    ("GET", "yourmoves=[]&othermoves=[]&othernbcards=5", None),
    ("GET", "", None),
    ("POST", "yourmoves=[]&othermoves=[]&cards=[1]&othernbcards=5", None),
    ("GET", "stage=a&stage=b&othernbcards=5&cards=[1,2,3,4,5]&othermoves=[]&yourmoves=[]", None),
    ("GET", "yourmoves=[1]&othermoves=[2]&cards=[1,2,3,4,5]&othernbcards=5", Some("nonsense")),
    ("GET", "yourmoves=[4,5,0,0]&othermoves=[4,5,0,0]&cards=[1,4]&othernbcards=3", Some(SEEN)),
];

/// To so many of these there is one answer.
const ONE_ANSWER: usize = 5;

/// Five squares apart, and the other has two cards: three 5s can't be parried.
const A_HIT: &str = "yourmoves=[5,5,5]&othermoves=[2]&cards=[1,5,5,5]&othernbcards=2";

/// What both have seen before the last of these questions.
const SEEN: &str = r#"{"distance":4,"hand_size":2,"other_hand_size":5,"pile":9,"first":true,"turns":[{"you":true,"move":4},{"you":false,"move":4},{"you":true,"move":5},{"you":false,"move":5,"attack":[4,4],"parried":true}]}"#;

/// What a function tells the runtime API.
#[derive(Debug, PartialEq)]
enum Word {
    /// The answer to an event.
    Response { id: String, answer: Value },
    /// An event could not be answered.
    Error { id: String, kind: String },
    /// The function can't start.
    InitError { kind: String, message: String },
}

/// The emulated runtime API, and a function that is asked by it.
struct Lambda {
    api: SocketAddr,
    events: mpsc::Sender<String>,
    words: mpsc::Receiver<Word>,
}

/// What the API's handlers have.
struct Api {
    events: Mutex<(u32, mpsc::Receiver<String>)>,
    words: mpsc::Sender<Word>,
}

impl Lambda {
    async fn open() -> Lambda {
        let (events, waiting) = mpsc::channel(WAITING);
        let (told, words) = mpsc::channel(WAITING);
        let api = Arc::new(Api { events: Mutex::new((0, waiting)), words: told });
        let router = Router::new()
            .route("/2018-06-01/runtime/invocation/next", get(next))
            .route("/2018-06-01/runtime/invocation/{id}/response", post(response))
            .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
            .route("/2018-06-01/runtime/init/error", post(init_error))
            .with_state(api);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let api = listener.local_addr().unwrap();
        tokio::spawn(axum::serve(listener, router).into_future());
        Lambda { api, events, words }
    }

    /// The function's process, with the environment that Lambda gives it and these settings, and no other.
    fn command(&self, settings: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bootstrap"));
        command.env_clear().kill_on_drop(true).stdin(Stdio::null());
        command.env("AWS_LAMBDA_RUNTIME_API", self.api.to_string());
        command.envs([
            ("AWS_LAMBDA_FUNCTION_NAME", "duel-ai"),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "128"),
            ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
            ("_HANDLER", "bootstrap"),
        ]);
        command.envs(settings.iter().copied());
        command
    }

    async fn send(&self, event: impl Into<String>) {
        self.events.send(event.into()).await.unwrap();
    }

    async fn word(&mut self) -> Word {
        timeout(PATIENCE, self.words.recv()).await.expect("a word in time").unwrap()
    }

    /// The answer to an event, and the id of both.
    async fn ask(&mut self, event: &Value) -> (String, Value) {
        self.send(event.to_string()).await;
        match self.word().await {
            Word::Response { id, answer } => (id, answer),
            other => panic!("{other:?}, not an answer"),
        }
    }
}

/// Waits for an event, as long as it takes.
async fn next(State(api): State<Arc<Api>>) -> impl IntoResponse {
    let mut events = api.events.lock().await;
    let event = match events.1.recv().await {
        Some(event) => event,
        // The test is over.
        None => std::future::pending().await,
    };
    events.0 += 1;
    let headers = [
        ("Lambda-Runtime-Aws-Request-Id", format!("event-{}", events.0)),
        ("Lambda-Runtime-Deadline-Ms", "1796151870402".to_owned()),
        (
            "Lambda-Runtime-Invoked-Function-Arn",
            "arn:aws:lambda:eu-west-1:123456789012:function:duel-ai".to_owned(),
        ),
        ("Lambda-Runtime-Trace-Id", "Root=1-692d5b1c-0f7c6f2f5ab1c2d3e4f50617;Sampled=0".to_owned()),
        ("Content-Type", "application/json".to_owned()),
    ];
    (headers, event)
}

async fn response(State(api): State<Arc<Api>>, Path(id): Path<String>, body: String) -> StatusCode {
    let answer = serde_json::from_str(&body).unwrap_or_else(|_| json!({ "no JSON": body }));
    api.words.send(Word::Response { id, answer }).await.unwrap();
    StatusCode::ACCEPTED
}

async fn error(State(api): State<Arc<Api>>, Path(id): Path<String>, body: String) -> StatusCode {
    let told: Value = serde_json::from_str(&body).unwrap_or_default();
    api.words.send(Word::Error { id, kind: text(&told, "errorType") }).await.unwrap();
    StatusCode::ACCEPTED
}

async fn init_error(State(api): State<Arc<Api>>, headers: HeaderMap, body: String) -> StatusCode {
    let told: Value = serde_json::from_str(&body).unwrap_or_default();
    let kind = headers["lambda-runtime-function-error-type"].to_str().unwrap().to_owned();
    assert_eq!(text(&told, "errorType"), kind);
    api.words.send(Word::InitError { kind, message: text(&told, "errorMessage") }).await.unwrap();
    StatusCode::ACCEPTED
}

fn text(told: &Value, field: &str) -> String {
    told[field].as_str().unwrap_or_default().to_owned()
}

/// What the local HTTP server answers to a request, just as it is written here: status, `Allow` and body.
async fn over_http(address: SocketAddr, question: (&str, &str, Option<&str>)) -> (u16, bool, String) {
    let (method, query, seen) = question;
    let header = seen.map(|seen| format!("X-EACC-DUEL: {seen}\r\n")).unwrap_or_default();
    let request =
        format!("{method} /action?{query} HTTP/1.1\r\nHost: ai.example\r\nConnection: close\r\n{header}\r\n");
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let answer = timeout(PATIENCE, exchange).await.expect("an answer in time");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let head = head.to_lowercase();
    assert!(head.contains("\r\ncontent-type: application/json\r\n"), "{head}");
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.contains("\r\nallow: get\r\n"), body.to_owned())
}

async fn local_server(mind: Mind, seed: u64) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(server::serve(listener, mind, seed));
    address
}

/// Its greatest resident memory so far, in KiB.
#[cfg(target_os = "linux")]
fn memory_kib(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id().unwrap())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its greatest size");
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

#[track_caller]
fn stays_small(_child: &Child) {
    #[cfg(target_os = "linux")]
    {
        let kib = memory_kib(_child);
        println!("{kib} KiB of memory at most");
        assert!(kib < MEMORY_KIB, "{kib} KiB");
    }
}

#[tokio::test]
async fn a_1_the_lambda_answers_as_the_local_server_does() {
    for (settings, mind, seed, questions) in [
        // An AI that thinks by the clock gives the same answer twice only where there is one.
        (&[][..], Mind::default(), 1, &QUESTIONS[..ONE_ANSWER]),
        // By plays judged, as the local server's router does.
        (&[("FIGHT_LAMBDA_BUDGET", "20000")], Mind::Search, 1, &QUESTIONS),
        (&[("FIGHT_LAMBDA_AI", "random")], Mind::Random, 1, &QUESTIONS),
        (&[("FIGHT_LAMBDA_AI", "random"), ("FIGHT_LAMBDA_SEED", "7")], Mind::Random, 7, &QUESTIONS),
    ] {
        let local = local_server(mind, seed).await;
        let mut lambda = Lambda::open().await;
        let child = lambda.command(settings).spawn().unwrap();
        let mut count = 0;
        for &question in questions {
            let (method, query, seen) = question;
            let (status, allow, body) = over_http(local, question).await;
            let allow = allow.then_some(("allow", "GET"));
            let headers: Vec<_> = allow.into_iter().chain([("content-type", "application/json")]).collect();
            for kind in Kind::ALL {
                count += 1;
                let (id, answer) = lambda.ask(&kind.event(method, query, seen)).await;
                assert_eq!(id, format!("event-{count}"));
                let expected = kind.answer(status, &headers, &body);
                assert_eq!(answer, expected, "{settings:?} {kind:?} {question:?}");
            }
        }
        stays_small(&child);
    }
}

/// It says so, and answers the next one.
#[tokio::test]
async fn an_event_that_makes_no_sense_ends_nothing() {
    let mut lambda = Lambda::open().await;
    let mut child = lambda.command(&[]).spawn().unwrap();
    let hit = json!(r#"{"res":[5,5,5]}"#);
    let host_is_nonsense = {
        let mut event = Kind::Http.whole();
        event["headers"]["host"] = json!("no host at all");
        event.to_string()
    };
    let mut count = 0;
    for nonsense in [
        "",
        "{",
        "null",
        "[]",
        "{}",
        r#"{"Records":[{"eventSource":"aws:sqs","body":"cards"}]}"#,
        r#"{"httpMethod":"GET"}"#,
        &host_is_nonsense,
    ] {
        lambda.send(nonsense).await;
        count += 1;
        match lambda.word().await {
            Word::Error { id, kind } => {
                assert_eq!(id, format!("event-{count}"));
                assert_ne!(kind, "", "{nonsense}");
            }
            other => panic!("{nonsense}: {other:?}"),
        }
        for kind in Kind::ALL {
            count += 1;
            let (_, answer) = lambda.ask(&kind.event("GET", A_HIT, None)).await;
            assert_eq!(answer["body"], hit, "{kind:?} after {nonsense}");
        }
    }
    assert_eq!(child.try_wait().unwrap(), None, "it is still there");
    stays_small(&child);
}

/// From the start of the process to its first answer, which waits for it as it does in Lambda.
#[tokio::test]
async fn the_first_answer_is_there_soon() {
    // One that has to be thought about.
    let (method, query, seen) = QUESTIONS[ONE_ANSWER];
    let mut best = Duration::MAX;
    let mut starts = 0;
    while best >= COLD_START && starts < STARTS {
        starts += 1;
        let mut lambda = Lambda::open().await;
        lambda.send(Kind::Http.event(method, query, seen).to_string()).await;
        let mut command = lambda.command(&[]);
        let begun = Instant::now();
        let child = command.spawn().unwrap();
        let word = lambda.word().await;
        let took = begun.elapsed();
        assert!(matches!(word, Word::Response { .. }), "{word:?}");
        drop(child);
        println!("the first answer came after {took:?}");
        best = best.min(took);
    }
    assert!(best < COLD_START, "{best:?} at best in {starts} starts");
}

async fn end_of(mut command: Command) -> Output {
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    timeout(PATIENCE, child.wait_with_output()).await.expect("its end").unwrap()
}

/// Whoever invokes the function is told which setting it is, and so is the log.
#[tokio::test]
async fn a_wrong_setting_is_told_at_the_start() {
    for (name, value, flag) in [
        ("FIGHT_LAMBDA_AI", "chess", "--ai"),
        ("FIGHT_LAMBDA_SEED", "-1", "--seed"),
        ("FIGHT_LAMBDA_SEED", "", "--seed"),
    ] {
        let mut lambda = Lambda::open().await;
        let output = end_of(lambda.command(&[(name, value)])).await;
        let log = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success(), "{name}={value}: {log}");
        let Word::InitError { kind, message } = lambda.word().await else { panic!("{name}={value}") };
        assert_eq!(kind, "Runtime.WrongSettings");
        for told in [log, message] {
            assert!(told.contains(&format!("'{value}' for '{flag}")), "{name}={value}: {told}");
            assert!(told.contains("--ai is FIGHT_LAMBDA_AI"), "{told}");
        }
    }
}

#[tokio::test]
async fn without_lambda_it_says_what_to_do() {
    let lambda = Lambda::open().await;
    for (name, value, why) in [
        ("AWS_LAMBDA_RUNTIME_API", None, "is not set"),
        ("AWS_LAMBDA_RUNTIME_API", Some("no host"), "is no host and port"),
        ("AWS_LAMBDA_RUNTIME_API", Some("/path"), "is no host and port"),
        ("AWS_LAMBDA_FUNCTION_NAME", None, "is not set"),
        ("AWS_LAMBDA_FUNCTION_VERSION", None, "is not set"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", None, "is not set"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", Some("much"), "is no number of megabytes"),
    ] {
        let mut command = lambda.command(&[]);
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
        let output = end_of(command).await;
        let log = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{name}: {log}");
        assert!(log.starts_with(&format!("bootstrap: {name} {why}. ")), "{log}");
        assert!(log.contains("`fight-lambda`"), "{log}");
    }
}

/// Lambda hangs up: then it ends, instead of asking for ever.
#[tokio::test]
async fn it_ends_with_the_runtime_api() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = listener.local_addr().unwrap();
    tokio::spawn(async move { while listener.accept().await.is_ok() {} });
    let lambda = Lambda::open().await;
    for settings in [&[][..], &[("FIGHT_LAMBDA_AI", "chess")]] {
        let mut command = lambda.command(settings);
        command.env("AWS_LAMBDA_RUNTIME_API", nobody.to_string());
        let output = end_of(command).await;
        let log = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{log}");
        assert!(log.starts_with("bootstrap: "), "{log}");
    }
}

#[tokio::test]
async fn its_help_says_what_it_is_for() {
    let lambda = Lambda::open().await;
    let mut command = lambda.command(&[]);
    command.arg("--help").env_remove("AWS_LAMBDA_RUNTIME_API");
    let output = end_of(command).await;
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for word in ["FIGHT_LAMBDA_AI", "FIGHT_LAMBDA_SEED", "AWS_LAMBDA_RUNTIME_API", "template.yaml"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}

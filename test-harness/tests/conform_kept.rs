//! The car is left as it was found: by name, whatever it does, and whenever the run is ended. A car that goes away or
//! changes by itself is told of once.
//!
//! ```text
//! weapons "count", "V8 n°1"   → all cases →   weapons "count", "V8 n°1"
//! ```

use axum::Router;
use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use car_reference::request::read;
use fight_lambda_reference::{Mind, server};
use gm_core::contract::{CarRequest, Kind};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::panic::resume_unwind;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use test_harness::stop::Stop;
use test_harness::suite::car::{Settings, conform};
use test_harness::suite::known::Known;
use test_harness::suite::{Outcome, Selection, Suite};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// What the contract shows of a car, and what it does not: its names, and whether it is in the race.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Insides {
    square: u32,
    in_race: bool,
    modules: BTreeMap<Kind, Vec<String>>,
}

/// What happens instead of what is right.
enum Does {
    Right,
    /// Says this, and does nothing.
    Says(u16, Value),
    /// Is gone, without an answer.
    Dies,
    /// Does and answers what is right, and is gone.
    DiesAfter,
    /// Does not answer before the test says so.
    Waits,
}

/// What happens at a request, the `n`th from 1.
type Hook = Box<dyn Fn(&mut Insides, &CarRequest, usize) -> Does + Send + Sync>;

/// A car whose insides can be seen.
struct Car {
    insides: Mutex<Insides>,
    asked: Mutex<Vec<String>>,
    ai: String,
    hook: Hook,
    oldest_first: bool,
    is_dead: watch::Sender<bool>,
    is_waiting: watch::Sender<bool>,
    may_answer: watch::Sender<bool>,
    url: String,
}

fn locked<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

fn found() -> Insides {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Insides {
        square: 17,
        in_race: true,
        modules: BTreeMap::from([
            (Kind::Engine, names(&["count", "V8 n°1", "engine-2"])),
            // C-9.6 takes pilots away by number: the names of those that come back are these.
            (Kind::Pilot, names(&["pilot-1", "pilot-2"])),
            (Kind::Weapon, names(&["weapon-1", "it's", "count", "%41"])),
        ]),
    }
}

impl Car {
    async fn start(oldest_first: bool, hook: Hook) -> Arc<Car> {
        let ai = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let [ai_at, car_at] = [&ai, &listener].map(|it| it.local_addr().expect("an address"));
        tokio::spawn(server::serve(ai, Mind::Careful, 1));
        let car = Arc::new(Car {
            insides: Mutex::new(found()),
            asked: Mutex::default(),
            ai: format!("http://{ai_at}/action"),
            hook,
            oldest_first,
            is_dead: watch::channel(false).0,
            is_waiting: watch::channel(false).0,
            may_answer: watch::channel(false).0,
            url: format!("http://{car_at}"),
        });
        let answering = Arc::clone(&car);
        let router = Router::new().fallback(move |request: Request| Arc::clone(&answering).answer(request));
        let mut dying = car.is_dead.subscribe();
        tokio::spawn(async move {
            tokio::select! {
                served = axum::serve(listener, router) => served,
                _ = dying.wait_for(|is_dead| *is_dead) => Ok(()),
            }
        });
        car
    }

    fn insides(&self) -> Insides {
        locked(&self.insides).clone()
    }

    async fn answer(self: Arc<Self>, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let number = {
            let mut asked = locked(&self.asked);
            asked.push(format!("{} {path}", head.method));
            asked.len()
        };
        let request = match read(head.method.as_str(), &path, &body) {
            Ok(request) => request,
            Err(said) => return answer(said.status, &said.body),
        };
        let does = (self.hook)(&mut locked(&self.insides), &request, number);
        match does {
            Does::Right => {}
            Does::Says(status, body) => return answer(status, &body),
            Does::Dies => _ = self.is_dead.send_replace(true),
            Does::DiesAfter => {
                let (status, body) = self.does(&request);
                self.is_dead.send_replace(true);
                let mut last = answer(status, &body);
                last.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                return last;
            }
            Does::Waits => {
                self.is_waiting.send_replace(true);
                _ = self.may_answer.subscribe().wait_for(|may| *may).await;
            }
        }
        if *self.is_dead.borrow() {
            resume_unwind(Box::new(()));
        }
        let (status, body) = self.does(&request);
        answer(status, &body)
    }

    /// What is right.
    fn does(&self, request: &CarRequest) -> (u16, Value) {
        let mut car = locked(&self.insides);
        let ok = json!({ "res": "ok" });
        match request {
            CarRequest::State => {
                let modules: BTreeMap<&str, usize> =
                    car.modules.iter().map(|(kind, names)| (kind.word(), names.len())).collect();
                return (200, json!({ "name": "i-0abc", "square": car.square, "modules": modules }));
            }
            CarRequest::Resource(kind) => return (200, json!({ "res": format!("the {kind}s") })),
            CarRequest::Count(kind) => return (200, json!({ "res": car.modules[kind].len() })),
            CarRequest::Wreck | CarRequest::Mine | CarRequest::ShouldFight(_) => {
                return (200, json!({ "res": true }));
            }
            CarRequest::Garage(_) => return (200, json!({ "res": "engine" })),
            CarRequest::DuelUrl => return (200, json!({ "res": self.ai })),
            CarRequest::SetSquare(square) => (car.square, car.in_race) = (square.0, true),
            CarRequest::SetPosition(square) => car.square = square.0,
            CarRequest::Retire => car.in_race = false,
            CarRequest::SetCount { kind, count } => {
                let names = car.modules.entry(*kind).or_default();
                let count = usize::try_from(*count).expect("a count");
                while names.len() > count {
                    names.remove(if self.oldest_first { 0 } else { names.len() - 1 });
                }
                while names.len() < count {
                    let free = (1..).map(|number| format!("{kind}-{number}"));
                    let name = free.into_iter().find(|name| !names.contains(name)).expect("a free name");
                    names.push(name);
                }
            }
            CarRequest::Gain { kind, name } => {
                let names = car.modules.entry(*kind).or_default();
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            CarRequest::Lose { kind, name } => {
                let names = car.modules.entry(*kind).or_default();
                let before = names.len();
                names.retain(|other| other != name);
                if names.len() == before {
                    return (404, json!({ "error": "no such module" }));
                }
            }
        }
        (200, ok)
    }

    async fn check(&self, only: &[&str], stop: &Stop) -> Suite {
        let only: Vec<String> = only.iter().map(|word| (*word).to_owned()).collect();
        let cases = test_harness::suite::car::cases();
        let selection = Selection::only(&only, cases).expect("cases");
        let settings = Settings { stop: stop.clone(), ..Settings::new(&self.url) };
        conform(settings, &selection, &Known::default(), |_| {}).await.expect("a place")
    }
}

fn answer(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [(CONTENT_TYPE, "application/json")], Bytes::from(body.to_string())).into_response()
}

fn right() -> Hook {
    Box::new(|_, _, _| Does::Right)
}

fn all() -> Stop {
    Stop::default()
}

/// Those that are neither passed nor skipped.
fn broken(suite: &Suite) -> Vec<String> {
    let broken = suite.ran.iter().filter_map(|ran| Some((ran, ran.outcome.failure()?)));
    broken.map(|(ran, failure)| format!("{} {}: {failure}", ran.outcome.word(), ran.id)).collect()
}

#[track_caller]
fn says(suite: &Suite, words: &str) {
    assert!(
        suite.verdict.iter().any(|line| line.contains(words)),
        "{words}\nis not in\n{:#?}",
        suite.verdict
    );
}

#[track_caller]
fn says_nothing_of(suite: &Suite, words: &str) {
    assert!(!suite.verdict.iter().any(|line| line.contains(words)), "{words}\nis in\n{:#?}", suite.verdict);
}

const AS_FOUND: &str = "The car is as it was found: square 17, 3 engines, 2 pilots, 4 weapons.";
const SOMEBODY: &str = "somebody else talks to it";

/// Its own modules stay, whatever they are called: `count` too.
#[tokio::test(flavor = "multi_thread")]
async fn its_own_modules_stay() {
    let car = Car::start(false, right()).await;
    let suite = car.check(&[], &all()).await;
    assert_eq!(broken(&suite), [""; 0]);
    assert_eq!(car.insides(), found());
    assert_eq!(suite.verdict.len(), 1, "{:?}", suite.verdict);
    says(&suite, AS_FOUND);
}

/// A race that its AI loses takes none of its own modules, although the game master calls pilots as these are called.
#[tokio::test(flavor = "multi_thread")]
async fn its_own_pilots_stay() {
    let no_ai: Hook = Box::new(|_, request, _| match request {
        CarRequest::DuelUrl => Does::Says(200, json!({ "res": "http://127.0.0.1:1/action" })),
        _ => Does::Right,
    });
    let car = Car::start(false, no_ai).await;
    let suite = car.check(&["R-7.4.1"], &all()).await;
    assert_eq!(broken(&suite), [""; 0]);
    assert_eq!(car.insides(), found());
    says(&suite, AS_FOUND);
}

/// C-9 leaves it to the car which modules it drops: one that drops its own is told so.
#[tokio::test(flavor = "multi_thread")]
async fn c_9_its_own_that_it_drops_are_told() {
    let car = Car::start(true, right()).await;
    let suite = car.check(&["C-9"], &all()).await;
    assert_eq!(broken(&suite), [""; 0]);
    let insides = car.insides();
    for (kind, names) in &found().modules {
        assert_eq!(insides.modules[kind].len(), names.len());
        if *kind == Kind::Pilot {
            continue;
        }
        assert_ne!(insides.modules[kind], *names);
        says(&suite, &format!("of kind {kind} may have been its own and are gone"));
    }
    says(&suite, "it drops others than what came last (C-9)");
    says_nothing_of(&suite, "The car is as it was found");
}

/// C-8: a car that was told that it is out of the race is told that it is back, also where its square is right already.
#[tokio::test(flavor = "multi_thread")]
async fn c_8_a_car_is_not_left_out_of_the_race() {
    let only_patch: Hook = Box::new(|car, request, _| match request {
        CarRequest::SetSquare(_) => Does::Right,
        CarRequest::State | CarRequest::Count(_) => Does::Right,
        _ if !car.in_race => Does::Says(403, json!({ "error": "out of the race" })),
        _ => Does::Right,
    });
    let car = Car::start(false, only_patch).await;
    let suite = car.check(&["C-8.3"], &all()).await;
    assert_eq!(broken(&suite).len(), 1, "{:?}", broken(&suite));
    assert_eq!(car.insides(), found());
    says(&suite, AS_FOUND);

    let for_good: Hook = Box::new(|car, request, _| match request {
        CarRequest::SetSquare(_) if !car.in_race => Does::Says(410, json!({})),
        _ => Does::Right,
    });
    let car = Car::start(false, for_good).await;
    let suite = car.check(&["C-8.1"], &all()).await;
    assert_eq!(broken(&suite), [""; 0]);
    says(&suite, "it was told that it is out of the race (DELETE /state)");
    says_nothing_of(&suite, "The car is as it was found");
}

/// An answer that was wrong when the car was looked at first is not what is given back.
#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_first_look_is_not_restored() {
    let one_too_many: Hook = Box::new(|car, request, number| match request {
        CarRequest::Count(Kind::Engine) if number <= 3 => {
            Does::Says(200, json!({ "res": car.modules[&Kind::Engine].len() + 1 }))
        }
        _ => Does::Right,
    });
    let car = Car::start(false, one_too_many).await;
    let suite = car.check(&["C-10"], &all()).await;
    assert_eq!(broken(&suite), [""; 0]);
    assert_eq!(car.insides(), found());
    says(&suite, "nobody told it anything, and its answers differed: 4 of kind engine, and it had 3");
    says(&suite, AS_FOUND);
}

/// Whenever it is told to stop: nothing more is asked but what gives back, and the car is as it was, by name.
#[tokio::test(flavor = "multi_thread")]
async fn whenever_it_is_stopped_the_car_is_given_back() {
    let car = Car::start(false, right()).await;
    car.check(&[], &all()).await;
    let whole = locked(&car.asked).len();
    for at in (9..whole - 30).step_by(whole / 23) {
        let stop = Stop::default();
        let stopping = stop.clone();
        let hook: Hook = Box::new(move |_, _, number| {
            if number >= at {
                stopping.because("a test");
            }
            Does::Right
        });
        let car = Car::start(false, hook).await;
        let suite = car.check(&[], &stop).await;
        let asked = locked(&car.asked).clone();
        assert_eq!(car.insides(), found(), "stopped after {:?}", &asked[..at]);
        assert_eq!(broken(&suite), [""; 0], "{at}");
        assert!(asked.len() < at + 80, "{at}: {:?}", &asked[at..]);
        says(&suite, "It was told to stop (a test) before all was checked.");
        says(&suite, AS_FOUND);
        says_nothing_of(&suite, SOMEBODY);
        let last = &suite.ran.last().expect("cases").outcome;
        assert_eq!(*last, Outcome::Skipped("the run was told to stop (a test)".into()), "{at}");
    }
}

/// A car that goes away is one failure, of the case whose request did it; the rest is skipped and says why.
#[tokio::test(flavor = "multi_thread")]
async fn a_car_that_goes_away_is_one_failure() {
    type Dies = fn(&CarRequest) -> Does;
    let dies: [(Dies, &str, &str); 4] = [
        (
            |request| match request {
                CarRequest::Gain { name, .. } if name.contains('"') => Does::Dies,
                _ => Does::Right,
            },
            "C-10.4",
            "POST /engine {\"name\":",
        ),
        (
            |request| match request {
                CarRequest::Garage(_) => Does::DiesAfter,
                _ => Does::Right,
            },
            "C-14.1",
            "POST /event/garage {",
        ),
        // Nothing in its case is asked after it.
        (
            |request| match request {
                CarRequest::SetPosition(square) if square.0 == 17 => Does::DiesAfter,
                _ => Does::Right,
            },
            "C-7.1",
            "PUT /state/position {\"square\":17}",
        ),
        // Only a warning by itself.
        (
            |request| match request {
                CarRequest::Gain { name, .. } if name == "count" => Does::Dies,
                _ => Does::Right,
            },
            "C-11.7",
            "POST /engine {\"name\":\"count\"}",
        ),
    ];
    for (dies, case, words) in dies {
        let car = Car::start(false, Box::new(move |_, request, _| dies(request))).await;
        let suite = car.check(&[], &all()).await;
        let broken = broken(&suite);
        assert_eq!(broken.len(), 1, "{case}: {broken:?}");
        let start = format!("failed {case}: expected the car to go on answering after {words}");
        assert!(broken[0].starts_with(&start), "{start}\n{broken:?}");
        let at = suite.ran.iter().position(|ran| ran.id == case).expect("a case");
        let evidence = suite.ran[at].evidence().expect("what did it").ask.to_string();
        assert!(words.starts_with(&evidence), "{evidence}");
        let why = Outcome::Skipped(format!("the car does not answer any more since {case}"));
        assert!(suite.ran[at + 1..].iter().all(|ran| ran.outcome == why), "{case}");
        assert_eq!(suite.verdict.iter().filter(|line| line.contains("Costs:")).count(), 1);
        says(&suite, "The car does not say any more how it is");
    }
}

/// What the car does by itself is put right, and told.
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_has_told_the_car_is_told() {
    let at_once: Hook = Box::new(|car, request, _| {
        // In C-9.1, which says nothing of squares.
        if matches!(request, CarRequest::SetCount { kind: Kind::Pilot, .. }) && car.square == 17 {
            car.square += 3;
        }
        Does::Right
    });
    let car = Car::start(false, at_once).await;
    let suite = car.check(&["C-9.1"], &all()).await;
    assert_eq!(broken(&suite), [""; 0]);
    assert_eq!(car.insides(), found());
    says(&suite, "After C-9.1, which leaves the car as it was: square 20, and it was 17.");
    says(&suite, SOMEBODY);
    says(&suite, AS_FOUND);
}

/// So is what it does by itself while a case is checked that fails of it.
#[tokio::test(flavor = "multi_thread")]
async fn what_breaks_a_case_by_itself_is_told() {
    let was = Mutex::new(false);
    let once: Hook = Box::new(move |car, request, _| {
        let is_quoted = matches!(request, CarRequest::Gain { name, .. } if name.contains('"'));
        if is_quoted && !std::mem::replace(&mut *locked(&was), true) {
            car.square += 3;
            car.modules.entry(Kind::Engine).or_default().push("bonus".to_owned());
        }
        Does::Right
    });
    let car = Car::start(false, once).await;
    let suite = car.check(&["C-10.4"], &all()).await;
    let broken = broken(&suite);
    assert!(broken.len() == 1 && broken[0].contains("tried once more, it held"), "{broken:?}");
    assert_eq!(car.insides(), found());
    says(&suite, "After C-10.4, which told the car nothing of that: square 20, and it was 17.");
    says(&suite, "C-10.4 did not hold, and held when it was tried once more.");
    says(&suite, SOMEBODY);
}

/// A count that is wrong once breaks a case that has nothing to do with it: what is seen then is asked again.
#[tokio::test(flavor = "multi_thread")]
async fn answers_that_differ_are_told() {
    let (mut broke, mut differed) = (0, 0);
    for wrong in 4..=12 {
        let counted = Mutex::new(0);
        let lies: Hook = Box::new(move |car, request, _| match request {
            CarRequest::Count(Kind::Engine) => {
                *locked(&counted) += 1;
                match *locked(&counted) == wrong {
                    true => Does::Says(200, json!({ "res": car.modules[&Kind::Engine].len() + 1 })),
                    false => Does::Right,
                }
            }
            _ => Does::Right,
        });
        let car = Car::start(false, lies).await;
        let suite = car.check(&["C-10.1"], &all()).await;
        for told in broken(&suite) {
            broke += 1;
            assert!(told.contains("tried once more, it held"), "{wrong}: {told}");
            let differ = r#"asked again, with nothing told in between: 200 and {"res":"#;
            differed += usize::from(told.contains(differ) && told.contains("The answers differ"));
        }
        assert_eq!(car.insides(), found(), "{wrong}");
    }
    assert!(broke > 4 && differed > 2, "{broke} {differed}");
}

/// The command `conform`, running.
fn command(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    command.args(arguments).env_remove("CONFORM_SECRET");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("conform runs")
}

fn signal(child: u32, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.to_string()]).status();
    assert!(sent.expect("kill").success());
}

/// `--trace` shows all that the car is asked: the first look and what is given back, too.
#[tokio::test(flavor = "multi_thread")]
async fn all_that_is_asked_is_traced() {
    let refuses: Hook = Box::new(|_, request, _| match request {
        CarRequest::SetPosition(square) if square.0 == 41 => Does::Says(500, json!({})),
        _ => Does::Right,
    });
    let car = Car::start(false, refuses).await;
    let child = command(&["car", &car.url, "--trace", "--only", "C-7", "--only", "C-10.1"]);
    let output = tokio::task::spawn_blocking(|| child.wait_with_output()).await.expect("no panic");
    let told = String::from_utf8(output.expect("it ends").stdout).expect("UTF-8");
    let shown: Vec<String> = told
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("> ")?.split("   (at ").next())
        .filter(|line| line.contains(&car.url))
        .map(|line| line.replace(&car.url, ""))
        .collect();
    assert_eq!(shown, *locked(&car.asked), "{told}");
    for title in ["· the first look", "· looked after, and set right", "· given back"] {
        assert!(told.lines().any(|line| line == title), "{title}\n{told}");
    }
}

/// Starts a command against a car that waits at its first POST, sends it a signal, and another if it is told to. Gives its
/// exit code, what it said, and the car.
async fn interrupted(command_word: &str, signals: &[&str]) -> (Option<i32>, String, Arc<Car>) {
    let waits: Hook = Box::new(|_, request, _| match request {
        CarRequest::Gain { .. } => Does::Waits,
        _ => Does::Right,
    });
    let car = Car::start(false, waits).await;
    let fixed = [command_word, &car.url, "--deadline", "600000"];
    let seeded = ["--seed", "7", "--requests", "100000"];
    let arguments = if command_word == "fuzz" { [&fixed[..], &seeded].concat() } else { fixed.to_vec() };
    let mut child = command(&arguments);
    _ = car.is_waiting.subscribe().wait_for(|is_waiting| *is_waiting).await;
    signal(child.id(), signals[0]);
    let (told, mut errors) = (child.stdout.take().expect("piped"), child.stderr.take().expect("piped"));
    let heeds = tokio::task::spawn_blocking(move || {
        let mut line = String::new();
        let mut reader = BufReader::new(&mut errors);
        while reader.read_line(&mut line).expect("a line") > 0 && !line.contains("once more ends it") {}
        (line, errors)
    });
    let (line, errors) = heeds.await.expect("no panic");
    assert!(line.contains(&format!("SIG{}", signals[0])), "{line}");
    match signals.get(1) {
        Some(second) => signal(child.id(), second),
        None => _ = car.may_answer.send_replace(true),
    }
    let ended = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        BufReader::new(told).read_to_string(&mut text).expect("UTF-8");
        drop(errors);
        (child.wait().expect("it ends").code(), text)
    });
    let (code, text) = ended.await.expect("no panic");
    (code, text, car)
}

/// The first signal ends the run, and the car is given back, which is said; the second ends it at once.
#[tokio::test(flavor = "multi_thread")]
async fn signals_end_a_run() {
    for (word, name, expected) in [("car", "INT", 130), ("car", "TERM", 143), ("fuzz", "INT", 130)] {
        let (code, told, car) = interrupted(word, &[name]).await;
        assert_eq!(code, Some(expected), "{told}");
        assert!(
            told.to_lowercase().contains(&format!("it was told to stop (sig{})", name.to_lowercase())),
            "{told}"
        );
        assert!(told.contains("as it was found") || told.contains("as they were found"), "{told}");
        let (now, then) = (car.insides(), found());
        let counts = |car: &Insides| car.modules.values().map(Vec::len).collect::<Vec<_>>();
        assert_eq!((now.square, now.in_race, counts(&now)), (then.square, then.in_race, counts(&then)));
        if word == "car" {
            assert_eq!(now, then);
        }
    }
    for (word, names, expected) in [("car", ["INT", "TERM"], 143), ("fuzz", ["TERM", "INT"], 130)] {
        let (code, told, _) = interrupted(word, &names).await;
        assert_eq!(code, Some(expected), "{word}: {told}");
        assert!(!told.contains("as it was found"), "{told}");
    }
}

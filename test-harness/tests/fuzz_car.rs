//! The fuzzer is measured: the reference car survives it, and each broken car is found, its defect made short, and found
//! again by the command that is printed.
//!
//! ```text
//! wraps   WrongEffect   PATCH /state {"square":65536}
//! ```

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use car_reference::{Car, CarSettings, FileStore};
use futures_util::stream::{self, StreamExt};
use gm_core::contract::CarRequest;
use serde_json::{Value, json};
use std::future::pending;
use std::net::SocketAddr;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use test_harness::fuzz::{Again, Broke, Finding, Report, Settings, What, fuzz, is_plain};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tower_service::Service;

const INSTANCE: &str = "i-0abc";
const SECRET: &str = "s3cret";

/// Within so many requests each defect is found.
const ENOUGH: u64 = 3_000;

/// How many cars are asked at once.
const AT_ONCE: usize = 4;

/// Far more than any of this takes.
const NO_LIMIT: Duration = Duration::from_secs(600);

/// How long a car that hangs is waited for; all others have the contract's deadline.
const SHORT: Duration = Duration::from_millis(500);

fn settings() -> CarSettings {
    CarSettings { secret: Some(SECRET.into()), ..CarSettings::new(INSTANCE) }
}

fn reference() -> Router {
    car_reference::router(Car::in_memory(settings()))
}

/// Serves a car at a port of its own.
async fn serve(car: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, car).await });
    address
}

fn about(address: SocketAddr, seed: u64, max_requests: u64) -> Settings {
    Settings {
        secret: Some(SECRET.to_owned()),
        max_requests,
        time_limit: NO_LIMIT,
        findings: 1,
        ..Settings::new(format!("http://{address}"), seed)
    }
}

const AS_FOUND: &str = "The car is as it was found: square 0, 4 engines, 1 pilot, 3 weapons.";

fn is_brought_back(report: &Report) -> bool {
    report.left.iter().any(|line| line.starts_with(AS_FOUND))
}

#[track_caller]
fn nothing_in(report: &Report) {
    assert!(report.is_good(), "seed {}:\n{report}", report.seed);
    assert_eq!(report.notes, [""; 0], "seed {}", report.seed);
    assert_eq!(
        report.left[0],
        "The car is as it was found: square 0, 4 engines, 1 pilot, 3 weapons. (Names can't be seen through the contract: \
         what was added by name was taken away by name.)",
        "seed {}",
        report.seed
    );
    let rest = [
        "But counts were also raised and lowered again by number, and a car may then drop modules that it had before: \
         whether the same names are there only the car knows. If they matter, start it anew.",
    ];
    assert!(rest.starts_with(&report.left[1..].iter().map(String::as_str).collect::<Vec<_>>()), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_car_survives() {
    const REQUESTS: u64 = 1_500;
    let seeds = stream::iter(1..=6).map(|seed| async move {
        let address = serve(reference()).await;
        let report = fuzz(about(address, seed, REQUESTS), |_| {}).await.expect("a place");
        nothing_in(&report);
        assert_eq!(report.requests, REQUESTS, "seed {seed}");
        assert_eq!(report.left.len(), 2, "so many requests lower counts: {report}");
    });
    seeds.buffered(AT_ONCE).collect::<Vec<()>>().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_car_survives_with_its_modules_in_a_file() {
    let path = std::env::temp_dir().join(format!("fuzz-{}.json", std::process::id()));
    let store = FileStore::open(&path, settings().modules).expect("a file");
    let address = serve(car_reference::router(Car::new(settings(), store))).await;
    let report = fuzz(about(address, 7, 1_000), |_| {}).await.expect("a place");
    _ = std::fs::remove_file(&path);
    nothing_in(&report);
}

/// Counts come back, its own modules do not: where one of them may be gone, the last line says so.
#[tokio::test(flavor = "multi_thread")]
async fn what_may_have_become_of_its_own_modules_is_said() {
    let long = fuzz(about(serve(reference()).await, 1, 1_000), |_| {}).await.expect("a place");
    assert!(
        long.left.iter().any(|line| line.contains("whether the same names are there only the car knows")),
        "{long}"
    );
    let mut unhurt = 0;
    for seed in 1..=6 {
        let short = fuzz(about(serve(reference()).await, seed, 1), |_| {}).await.expect("a place");
        unhurt += usize::from(is_brought_back(&short) && short.left.len() == 1);
    }
    assert!(unhurt > 0, "no single request is said to be harmless");
}

/// C-8: a car that is out of the race may refuse all but PATCH /state: it is told that first, and then what is taken away.
#[tokio::test(flavor = "multi_thread")]
async fn c_8_a_car_is_brought_back_into_the_race_first() {
    let retired = Arc::new(AtomicBool::new(false));
    let refused = Arc::new(AtomicUsize::new(0));
    let (healthy, refusals) = (reference(), Arc::clone(&refused));
    let strict = Router::new().fallback(move |request: Request| {
        let (mut healthy, retired, refused) = (healthy.clone(), Arc::clone(&retired), Arc::clone(&refusals));
        async move {
            let (method, path) = (request.method().clone(), request.uri().path().to_owned());
            let comes_back = method == Method::PATCH && path == "/state";
            if retired.load(Ordering::SeqCst) && !comes_back {
                let takes_away = method == Method::DELETE && path != "/state";
                refused.fetch_add(usize::from(takes_away), Ordering::SeqCst);
                return StatusCode::FORBIDDEN.into_response();
            }
            let Ok(response) = healthy.call(request).await;
            if response.status().is_success() && path == "/state" {
                match method {
                    Method::DELETE => retired.store(true, Ordering::SeqCst),
                    Method::PATCH => retired.store(false, Ordering::SeqCst),
                    _ => {}
                }
            }
            response
        }
    });
    // Gains, one goodbye, and then the end: what was added is owed to a car that is out of the race.
    let address = serve(strict).await;
    let mut asked = 0;
    for seed in 1..=60 {
        let report = fuzz(about(address, seed, 24), |_| {}).await.expect("a place");
        asked += report.requests;
        assert!(report.is_good() && is_brought_back(&report), "seed {seed}:\n{report}");
    }
    assert_eq!((asked, refused.load(Ordering::SeqCst)), (1_440, 0));
}

/// It says how far it has come, and stops when the time is up.
#[tokio::test(flavor = "multi_thread")]
async fn it_stops_when_the_time_is_up() {
    let address = serve(reference()).await;
    let mut told = Vec::new();
    let settings = Settings { time_limit: Duration::from_millis(300), ..about(address, 7, u64::MAX) };
    let report = fuzz(settings, |progress| told.push(*progress)).await.expect("a place");
    nothing_in(&report);
    assert!(report.took >= Duration::from_millis(300), "{:?}", report.took);
    assert!(told.len() > 1 && told.is_sorted_by_key(|progress| progress.requests), "{told:?}");
}

/// A car that does not say how it is can't be asked.
#[tokio::test]
async fn what_can_not_be_asked() {
    let silent = Router::new().fallback(|| async { StatusCode::NOT_FOUND });
    let [silent, guarded] = [serve(silent).await, serve(reference()).await];
    let without = Settings { secret: None, ..about(guarded, 7, 100) };
    let wrong = Settings { secret: Some("another".to_owned()), ..about(guarded, 7, 100) };
    let nobody = Settings { url: "http://127.0.0.1:1".to_owned(), ..about(guarded, 7, 100) };
    for (settings, told, advice) in [
        (about(silent, 7, 100), "GET /state: 404 and no body", "check it with `conform car` first"),
        (
            without,
            "GET /state: 401 and ",
            "it wants the secret of its team: give it by --secret or CONFORM_SECRET",
        ),
        (wrong, "GET /state: 401 and ", "it does not take this secret"),
        (
            nobody,
            "GET /state: unreachable: the connection was refused",
            "is it started, and is this its URL?",
        ),
    ] {
        let report = fuzz(settings, |_| {}).await.expect("a place");
        let why = report.stopped.as_deref().expect("it was stopped");
        assert!(!report.is_good() && report.requests == 0, "{report}");
        assert!(why.contains(told) && why.contains(advice), "{why}");
        assert_eq!(report.left, ["Nothing was done to it: it was only asked how it is."]);
        assert!(report.to_string().ends_with("seed 7: nothing was tried\n"), "{report}");
    }
    for url in ["nowhere", "http://127.0.0.1:1/?x=1", "http://user:pw@127.0.0.1:1", "http://127.0.0.1:1/#a"] {
        assert!(fuzz(Settings::new(url, 7), |_| {}).await.is_err(), "{url}");
    }
}

/// What a car may refuse, as strict as the contract lets it be, is no finding.
#[tokio::test(flavor = "multi_thread")]
async fn a_strict_car_survives() {
    let healthy = reference();
    let strict = Router::new().fallback(move |request: Request| {
        let mut healthy = healthy.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
            let asked = Asked { head, body };
            let known = ["host", "x-eacc-secret", "x-eacc-request-id", "content-type", "content-length"];
            let json = asked.json();
            let is_compact = asked.body.is_empty() || asked.body == json.to_string();
            let is_right = asked.head.headers.keys().all(|name| known.contains(&name.as_str()))
                && asked.id().len() < 100
                && is_compact
                && json.as_object().is_none_or(|fields| !fields.contains_key("extra"))
                && json["name"].as_str().is_none_or(is_plain)
                && (asked.body.is_empty() || asked.head.headers.contains_key("content-type"));
            let knows_the_secret =
                asked.head.headers.get("x-eacc-secret").map(HeaderValue::as_bytes) == Some(SECRET.as_bytes());
            if knows_the_secret && (!is_right || asked.is("GET", "/fight/iaurl")) {
                return StatusCode::UNPROCESSABLE_ENTITY.into_response();
            }
            let again = Request::from_parts(asked.head, Body::from(asked.body));
            let Ok(response) = healthy.call(again).await;
            response
        }
    });
    let report = fuzz(about(serve(strict).await, 7, 1_500), |_| {}).await.expect("a place");
    nothing_in(&report);
}

/// Without a secret a car that wants one for commands is not blamed for that, and it is said.
#[tokio::test(flavor = "multi_thread")]
async fn a_car_that_wants_a_secret_is_noted() {
    let healthy = reference();
    let half = Router::new().fallback(move |mut request: Request| {
        let mut healthy = healthy.clone();
        async move {
            if request.method() == Method::GET {
                request.headers_mut().insert("x-eacc-secret", HeaderValue::from_static(SECRET));
            }
            let Ok(response) = healthy.call(request).await;
            response
        }
    });
    let settings = Settings { secret: None, ..about(serve(half).await, 7, 300) };
    let report = fuzz(settings, |_| {}).await.expect("a place");
    assert!(report.is_good(), "{report}");
    assert_eq!(
        report.notes,
        ["The car answers 401 to some requests: give its secret by --secret or CONFORM_SECRET."]
    );
}

/// What a car says of itself is told without the secret, and without what a terminal obeys (C-20).
#[tokio::test(flavor = "multi_thread")]
async fn c_20_what_is_told_is_harmless() {
    let healthy = reference();
    let echo = Router::new().fallback(move |request: Request| {
        let mut healthy = healthy.clone();
        async move {
            if request.uri().path() == "/event/wreck" {
                let words = format!("\u{1b}[2J{:?}", request.headers());
                return (StatusCode::INTERNAL_SERVER_ERROR, words).into_response();
            }
            let Ok(response) = healthy.call(request).await;
            response
        }
    });
    let report = fuzz(about(serve(echo).await, 7, ENOUGH), |_| {}).await.expect("a place");
    let told = report.to_string();
    assert!(
        told.contains("found     500 and \u{fffd}[2J{") && told.contains("\"x-eacc-secret\": \"…\""),
        "{told}"
    );
    for told in [told, report.json().to_string()] {
        assert!(!told.contains(SECRET) && !told.contains('\u{1b}'), "{told}");
    }
}

/// A car without a secret answers everybody: that is noted, and no finding.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_car_is_noted() {
    let open = car_reference::router(Car::in_memory(CarSettings::new(INSTANCE)));
    let report = fuzz(about(serve(open).await, 7, 500), |_| {}).await.expect("a place");
    assert!(report.is_good(), "{report}");
    assert_eq!(
        report.notes,
        [
            "The car answers questions without the right secret (C-20).",
            "The car answers commands without the right secret (C-20)."
        ]
    );
}

/// A request, as a broken car sees it.
struct Asked {
    head: Parts,
    body: Bytes,
}

impl Asked {
    fn is(&self, method: &str, path: &str) -> bool {
        self.head.method == method && self.head.uri.path().starts_with(path)
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    fn id(&self) -> &str {
        self.head.headers.get("x-eacc-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default()
    }
}

/// What a broken car does with a request.
enum Does {
    /// What the healthy car does.
    Right,
    /// Answers this status, and does nothing.
    Says(u16),
    /// Closes the connection.
    Closes,
    /// Says nothing.
    Hangs,
    /// What the healthy car does with another body.
    Takes(Value),
    /// What the healthy car does with another path.
    Goes(String),
    /// What the healthy car does for who knows the secret.
    LetsIn,
    /// First another request, as who knows the secret: method, path, body. Then what it was asked.
    First(&'static str, &'static str, Value),
}

/// A defect.
struct Defect {
    name: &'static str,
    /// How it is found.
    how: Broke,
    /// The steps that are left of it.
    steps: &'static [&'static str],
    does: fn(&Asked) -> Does,
}

fn when(it_is: bool, does: Does) -> Does {
    if it_is { does } else { Does::Right }
}

/// Whether each `%` is followed by two hexadecimal digits.
fn is_encoded(path: &str) -> bool {
    let follows =
        |rest: &str| rest.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    path.split('%').skip(1).all(follows)
}

const DEFECTS: &[Defect] = &[
    Defect {
        name: "fails on characters beyond the first plane",
        how: Broke::ServerError,
        steps: &["POST"],
        does: |asked| {
            let far = asked.json()["name"].as_str().is_some_and(|name| name.chars().any(|c| c > '\u{ffff}'));
            when(asked.is("POST", "/engine") && far, Does::Says(500))
        },
    },
    Defect {
        name: "fails on nesting",
        how: Broke::ServerError,
        steps: &["P"],
        does: |asked| when(asked.body.starts_with(b"[[[["), Does::Says(503)),
    },
    Defect {
        name: "fails on long ids",
        how: Broke::ServerError,
        steps: &[""],
        does: |asked| when(asked.id().len() > 250, Does::Says(500)),
    },
    Defect {
        name: "fails on methods that it does not know",
        how: Broke::ServerError,
        steps: &["BREW"],
        does: |asked| when(asked.is("BREW", "/"), Does::Says(500)),
    },
    Defect {
        name: "closes on a wrong percent-encoding",
        how: Broke::Closed,
        steps: &["DELETE"],
        does: |asked| {
            let path = asked.head.uri.path();
            when(asked.head.method == Method::DELETE && !is_encoded(path), Does::Closes)
        },
    },
    Defect {
        name: "closes on squares of 32 bits",
        how: Broke::Closed,
        steps: &["P"],
        does: |asked| {
            when(asked.json()["square"].as_u64().is_some_and(|square| square >= 1 << 31), Does::Closes)
        },
    },
    Defect {
        name: "hangs on an empty body",
        how: Broke::Hung,
        steps: &["PATCH"],
        does: |asked| when(asked.is("PATCH", "/") && asked.body.is_empty(), Does::Hangs),
    },
    Defect {
        name: "adds a module that it refuses",
        how: Broke::ChangedByRefusal,
        steps: &["POST /engine"],
        does: |asked| {
            let is_wrong = asked.is("POST", "/engine") && !asked.json()["name"].is_string();
            when(is_wrong, Does::First("POST", "/engine", json!({ "name": "a name that nobody gave" })))
        },
    },
    Defect {
        name: "moves when it is asked about mines",
        how: Broke::ChangedByQuestion,
        steps: &["GET /event/mine"],
        does: |asked| {
            when(
                asked.is("GET", "/event/mine"),
                Does::First("PUT", "/state/position", json!({ "square": 77 })),
            )
        },
    },
    Defect {
        name: "wraps its square at 2^16",
        how: Broke::WrongEffect,
        steps: &["P"],
        does: |asked| match asked.json()["square"].as_u64() {
            Some(square @ 65_536..) => Does::Takes(json!({ "square": square % 65_536 })),
            _ => Does::Right,
        },
    },
    Defect {
        name: "keeps 64 characters of a name",
        how: Broke::WrongEffect,
        steps: &["POST", "POST"],
        does: |asked| match asked.json()["name"].as_str() {
            Some(name) if name.len() > 64 => {
                Does::Takes(json!({ "name": name.chars().take(64).collect::<String>() }))
            }
            _ if asked.head.method == Method::DELETE => {
                // Names of ASCII are as long on the path.
                let path: String = asked.head.uri.path().chars().take("/engine/".len() + 64).collect();
                when(asked.is("DELETE", "/engine/") && is_encoded(&path), Does::Goes(path))
            }
            _ => Does::Right,
        },
    },
    Defect {
        name: "keeps another name than it is given",
        how: Broke::WrongEffect,
        steps: &["POST /weapon", "DELETE /weapon"],
        does: |asked| match asked.json()["name"].as_str() {
            Some(name) if asked.is("POST", "/weapon") && !name.is_empty() => Does::Takes(
                json!({ "name": format!("{}{}", name.chars().take(100).collect::<String>(), asked.id()) }),
            ),
            _ => Does::Right,
        },
    },
    Defect {
        name: "loses all engines without a name",
        how: Broke::ChangedByRefusal,
        steps: &["DELETE /engine/"],
        does: |asked| {
            let is_it = asked.head.method == Method::DELETE && asked.head.uri.path() == "/engine/";
            when(is_it, Does::First("PATCH", "/engine", json!({ "count": 0 })))
        },
    },
    Defect {
        name: "deletes for anybody",
        how: Broke::LetIn,
        steps: &["POST", "DELETE"],
        does: |asked| when(asked.head.method == Method::DELETE, Does::LetsIn),
    },
    Defect {
        name: "refuses squares beyond 2^15",
        how: Broke::RefusedRight,
        steps: &["P"],
        does: |asked| {
            when(asked.json()["square"].as_u64().is_some_and(|square| square > 32_767), Does::Says(400))
        },
    },
    Defect {
        name: "refuses names of more than 255 bytes",
        how: Broke::RefusedRight,
        steps: &["POST"],
        does: |asked| {
            when(asked.json()["name"].as_str().is_some_and(|name| name.len() > 255), Does::Says(422))
        },
    },
    Defect {
        name: "refuses a price of 0",
        how: Broke::RefusedRight,
        steps: &["POST /event/garage"],
        does: |asked| when(asked.json()["pilot"] == 0, Does::Says(400)),
    },
    Defect {
        name: "sends who asks about mines to another place",
        how: Broke::RefusedRight,
        steps: &["GET /event/mine"],
        does: |asked| when(asked.is("GET", "/event/mine"), Does::Says(307)),
    },
    Defect {
        name: "calls a module that is not there gone",
        how: Broke::RefusedRight,
        steps: &["DELETE"],
        does: |asked| {
            let is_it = asked.head.method == Method::DELETE && asked.head.uri.path().contains("/nobody");
            when(is_it, Does::Says(410))
        },
    },
    Defect {
        name: "takes a body in chunks for none",
        how: Broke::WrongEffect,
        steps: &["a body in chunks"],
        does: |asked| {
            let chunked =
                asked.head.headers.contains_key("transfer-encoding") && asked.json()["square"].is_u64();
            when(chunked, Does::Takes(json!({ "square": 0 })))
        },
    },
];

/// A car with this defect.
fn broken(defect: &'static Defect) -> Router {
    let healthy = reference();
    Router::new().fallback(move |request: Request| {
        let healthy = healthy.clone();
        async move { answer(defect, healthy, request).await }
    })
}

async fn answer(defect: &Defect, mut healthy: Router, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let mut asked = Asked { head, body };
    let given = asked.head.headers.get("x-eacc-secret").map(HeaderValue::as_bytes);
    let knows_the_secret = given == Some(SECRET.as_bytes());
    let secret = HeaderValue::from_static(SECRET);
    match (defect.does)(&asked) {
        Does::LetsIn => _ = asked.head.headers.insert("x-eacc-secret", secret),
        // Who does not know the secret is refused first.
        _ if !knows_the_secret => {}
        Does::Right => {}
        Does::Says(status) => return StatusCode::from_u16(status).expect("a status").into_response(),
        // Without a word on standard error.
        Does::Closes => resume_unwind(Box::new(())),
        Does::Hangs => pending().await,
        Does::Takes(body) => asked.body = body.to_string().into(),
        Does::Goes(path) => asked.head.uri = Uri::try_from(path).expect("a path"),
        Does::First(method, path, body) => {
            let mut first = Request::new(Body::from(body.to_string()));
            *first.method_mut() = Method::try_from(method).expect("a method");
            *first.uri_mut() = Uri::from_static(path);
            first.headers_mut().insert("x-eacc-secret", secret);
            _ = healthy.call(first).await;
        }
    }
    // The body may be another one by now.
    asked.head.headers.remove("content-length");
    asked.head.headers.remove("transfer-encoding");
    let Ok(response) = healthy.call(Request::from_parts(asked.head, Body::from(asked.body))).await;
    response
}

/// Asks a car until it breaks, and another one of the same kind again as the command says. What is wrong with that.
async fn found_twice(
    name: &str,
    how: Broke,
    steps: &[&str],
    mut start: impl AsyncFnMut() -> SocketAddr,
) -> Result<Finding, String> {
    const SEED: u64 = 20_261_201;
    let deadline = if how == Broke::Hung { SHORT } else { Settings::new("", 0).deadline };
    let ask = |address, requests| fuzz(Settings { deadline, ..about(address, SEED, requests) }, |_| {});
    let report = ask(start().await, ENOUGH).await.expect("a place");
    let wrong = |what: &str, report: &Report| format!("{name}: {what}\n{report}");
    let [finding] = &report.findings[..] else { return Err(wrong("is not found", &report)) };
    let words: Vec<String> = finding.steps.iter().map(ToString::to_string).collect();
    let as_it_should =
        words.len() == steps.len() && words.iter().zip(steps).all(|(word, step)| word.starts_with(step));
    if finding.how != how
        || finding.again != Again::Repeated
        || !as_it_should
        || finding.lines.len() != words.len()
    {
        return Err(wrong("is not found as it should", &report));
    }
    if finding.lines.iter().any(|line| line.contains(SECRET)) {
        return Err(wrong("tells the secret", &report));
    }
    if !is_brought_back(&report) {
        return Err(wrong("is not brought back", &report));
    }
    let expected = format!("--requests {}  # CONFORM_SECRET holds the secret", finding.request);
    if !finding.command.ends_with(&expected) || !finding.command.contains(&format!("--seed {SEED} ")) {
        return Err(wrong("is not found by the command", &report));
    }
    let again = ask(start().await, finding.request).await.expect("a place");
    match again.findings.first() {
        Some(twice) if (twice.how, &twice.steps) == (how, &finding.steps) => Ok(finding.clone()),
        _ => Err(wrong("is not found again", &again)),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_defect_is_found_and_made_short() {
    let asked = stream::iter(DEFECTS).map(|defect| {
        found_twice(defect.name, defect.how, defect.steps, async || serve(broken(defect)).await)
    });
    let found: Vec<Result<Finding, String>> = asked.buffered(AT_ONCE).collect().await;
    let wrong: Vec<String> = found.iter().filter_map(|found| found.clone().err()).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    // What is left could not be simpler.
    let at = DEFECTS.iter().position(|defect| defect.name == "wraps its square at 2^16").expect("a defect");
    let step = &found[at].as_ref().expect("a finding").steps[0];
    let What::Contract(CarRequest::SetSquare(square) | CarRequest::SetPosition(square), _) = &step.what
    else {
        panic!("{step}");
    };
    assert_eq!(square.0, 65_536);
}

/// A defect that is met again is not told again, and one does not hide another.
#[tokio::test(flavor = "multi_thread")]
async fn two_defects_are_two_findings() {
    const BOTH: Defect = Defect {
        name: "both",
        how: Broke::ServerError,
        steps: &[],
        does: |asked| match (DEFECTS[0].does)(asked) {
            Does::Right if asked.is("GET", "/event/mine") => {
                Does::First("PUT", "/state/position", json!({ "square": 77 }))
            }
            does => does,
        },
    };
    let settings = Settings { findings: 10, ..about(serve(broken(&BOTH)).await, 3, 1_500) };
    let report = fuzz(settings, |_| {}).await.expect("a place");
    let mut found: Vec<Broke> = report.findings.iter().map(|finding| finding.how).collect();
    found.sort();
    // The same question as bytes on a socket is another finding.
    found.dedup();
    assert_eq!(found, [Broke::ServerError, Broke::ChangedByQuestion], "{report}");
    let requests: Vec<&Finding> =
        report.findings.iter().filter(|finding| finding.lines[0].starts_with("curl ")).collect();
    assert!(requests.len() == 2 && requests.iter().all(|finding| finding.seen > 1), "{report}");
    let told = report.json();
    assert_eq!(
        (told["good"].as_bool(), told["findings"].as_array().map(Vec::len)),
        (Some(false), Some(report.findings.len()))
    );
}

/// What kills a car can't be tried again, and is told all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_car_that_dies_is_a_finding() {
    let healthy = reference();
    let is_dead = Arc::new(AtomicBool::new(false));
    let mortal = Router::new().fallback(move |request: Request| {
        let (mut healthy, is_dead) = (healthy.clone(), Arc::clone(&is_dead));
        async move {
            if request.uri().path() == "/event/wreck" || is_dead.load(Ordering::SeqCst) {
                is_dead.store(true, Ordering::SeqCst);
                resume_unwind(Box::new(()));
            }
            let Ok(response) = healthy.call(request).await;
            response
        }
    });
    let report = fuzz(about(serve(mortal).await, 7, ENOUGH), |_| {}).await.expect("a place");
    let found: Vec<(Broke, Again)> =
        report.findings.iter().map(|finding| (finding.how, finding.again)).collect();
    assert_eq!(found, [(Broke::Closed, Again::Gone)], "{report}");
    if report.findings[0].steps.len() > 1 {
        assert!(
            report.to_string().contains("did not come back, so that fewer could not be tried:"),
            "{report}"
        );
    }
    let last = report.findings[0].steps.last().expect("a step").to_string();
    assert!(last.contains("/event/wreck"), "{report}");
    assert!(report.left[0].starts_with("NOT as it was"), "{report}");
}

/// A healthy car behind something that drops the next connection after two requests at once.
async fn confused() -> SocketAddr {
    let car = serve(reference()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let drops = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let dropped = drops.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            if dropped.is_err() {
                tokio::spawn(pass_on(socket, car, Arc::clone(&drops)));
            }
        }
    });
    address
}

async fn pass_on(mut client: TcpStream, car: SocketAddr, drops: Arc<AtomicUsize>) -> std::io::Result<()> {
    let mut car = TcpStream::connect(car).await?;
    let (mut from_client, mut to_client) = client.split();
    let (mut from_car, mut to_car) = car.split();
    let there = async {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            let read = from_client.read(&mut bytes).await?;
            if read == 0 {
                return to_car.shutdown().await;
            }
            let heads = bytes[..read].windows(5).filter(|window| window == b"GET /").count();
            if heads > 1 {
                drops.store(1, Ordering::SeqCst);
            }
            to_car.write_all(&bytes[..read]).await?;
        }
    };
    tokio::select! {
        done = there => done,
        done = copy(&mut from_car, &mut to_client) => done.map(|_| ()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_at_once_that_confuse_a_car_are_found() {
    let found = found_twice("confused", Broke::Lost, &["two requests at once"], confused).await;
    let found = match found {
        Err(_) => found_twice("confused", Broke::Lost, &["many requests at once"], confused).await,
        found => found,
    };
    if let Err(wrong) = found {
        panic!("{wrong}");
    }
}

//! The metrics of a race that is played, as Prometheus would read them: in a process of its own, because recording is
//! switched on for all of it.

mod played;

use axum::extract::Request;
use axum::http::StatusCode;
use gm_core::contract::{BaseUrl, Fault, Kind as Module};
use gm_core::ids::{CarId, Seconds, TeamId, TurnNo};
use gm_core::ports::{Car as _, Chain, Topic, World as _};
use gm_grpc::drive::{HttpWorld, Settings};
use gm_grpc::observe::metrics::{Kind, METRICS, Metrics};
use std::collections::{BTreeMap, BTreeSet};
use tokio::net::TcpListener;

/// What a text in the format of Prometheus says.
#[derive(Default)]
struct Exposition {
    types: BTreeMap<String, String>,
    helps: BTreeSet<String>,
    /// The values, by their name with its labels.
    samples: BTreeMap<String, f64>,
}

/// Reads the text format strictly: each family is described and typed once, before its samples.
fn read(text: &str) -> Result<Exposition, String> {
    let mut read = Exposition::default();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let wrong = |why: &str| format!("{why}: {line}");
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, _) = help.split_once(' ').ok_or_else(|| wrong("no help"))?;
            if !read.helps.insert(name.to_owned()) {
                return Err(wrong("described twice"));
            }
        } else if let Some(typed) = line.strip_prefix("# TYPE ") {
            let (name, kind) = typed.split_once(' ').ok_or_else(|| wrong("no type"))?;
            if read.types.insert(name.to_owned(), kind.to_owned()).is_some() {
                return Err(wrong("typed twice"));
            }
        } else {
            let (series, value) = line.rsplit_once(' ').ok_or_else(|| wrong("no value"))?;
            let (name, labels) = match series.split_once('{') {
                None => (series, ""),
                Some((name, labels)) => {
                    (name, labels.strip_suffix('}').ok_or_else(|| wrong("no end of labels"))?)
                }
            };
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|ending| name.strip_suffix(ending));
            let is_typed = |name: &str| read.types.contains_key(name);
            if !is_typed(name) && !family.is_some_and(is_typed) {
                return Err(wrong("a sample before its type"));
            }
            for label in labels.split(',').filter(|label| !label.is_empty()) {
                let (_, value) = label.split_once('=').ok_or_else(|| wrong("a label without a value"))?;
                if value.len() < 2 || !value.starts_with('"') || !value.ends_with('"') {
                    return Err(wrong("a label that is not quoted"));
                }
            }
            let value = value.parse().map_err(|_| wrong("no number"))?;
            if read.samples.insert(series.to_owned(), value).is_some() {
                return Err(wrong("a sample twice"));
            }
        }
    }
    Ok(read)
}

/// Asks a car over HTTP, in a turn that ends then: what it is asked, and the outcome that is to be counted.
async fn ask_a_car() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let car = axum::Router::new().fallback(async |request: Request| match request.uri().path() {
        "/engine/count" => (StatusCode::OK, r#"{"res":3}"#),
        "/pilot/count" => (StatusCode::OK, "three"),
        "/weapon/count" => (StatusCode::OK, r#"{"res":"many"}"#),
        _ => (StatusCode::IM_A_TEAPOT, ""),
    });
    let served = tokio::spawn(async { axum::serve(listener, car).await });
    let world = HttpWorld::new(Settings::new("race")).expect("good settings");
    let chain = Chain { turn: TurnNo(1), topic: Topic::SpotCheck, car: CarId(1) };
    let mut car = world.car(chain, TeamId(1), &BaseUrl::parse(&url).expect("a URL"));
    assert_eq!(car.count(Module::Engine).await.expect("a number").value, 3);
    assert_eq!(car.count(Module::Pilot).await, Err(Fault::NotJson));
    assert_eq!(car.count(Module::Weapon).await, Err(Fault::NotTheValue));
    assert_eq!(car.retire().await, Err(Fault::Status(418)));
    assert!(!world.running_time_is_up(TurnNo(1), Seconds(7200)).await);
    served.abort();
}

#[tokio::test]
async fn a_race_is_counted() {
    let metrics = Metrics::new();
    metrics.install().expect("nobody else records in this process");
    assert!(Metrics::new().install().is_err(), "one for each process");
    let place = tempfile::tempdir().expect("a temporary directory");
    let mut most_running = 0.0;
    played::play(place.path(), async |_| {
        let read = read(&metrics.render()).expect("well formed");
        most_running =
            read.samples.get("gm_races{life=\"running\"}").copied().unwrap_or_default().max(most_running);
    })
    .await;
    ask_a_car().await;
    metrics.sum_up();
    let text = metrics.render();
    let read = read(&text).expect("well formed");

    assert_eq!(read.samples["gm_turns_total"], 8.0);
    assert_eq!(read.samples["gm_turn_seconds_count"], 8.0);
    assert_eq!(read.samples["gm_turn_seconds_bucket{le=\"+Inf\"}"], 8.0);
    assert_eq!(most_running, 1.0, "it was owned while it ran");
    assert!(
        read.samples.iter().all(|(name, races)| !name.starts_with("gm_races") || *races == 0.0),
        "{text}"
    );
    assert!(read.samples["gm_journal_commit_seconds_count"] >= 8.0);
    assert_eq!(read.samples["gm_journal_waiting_writes"], 0.0);
    for (contract, outcome) in
        [("C-4", "ok"), ("C-4", "not_json"), ("C-4", "not_the_value"), ("C-8", "status")]
    {
        let series = format!("gm_car_requests_total{{contract=\"{contract}\",outcome=\"{outcome}\"}}");
        assert_eq!(read.samples.get(&series), Some(&1.0), "{series}");
    }
    assert_eq!(read.samples["gm_car_request_seconds_count{contract=\"C-4\"}"], 3.0);
    assert_eq!(read.samples["gm_phase_seconds_count{phase=\"spot_check\"}"], 1.0);
    for (name, kind) in &read.types {
        let metric = METRICS.iter().find(|metric| metric.name == name);
        let metric = metric.expect(name);
        let expected = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Seconds => "histogram",
        };
        assert_eq!(kind, expected, "{name}");
        assert!(read.helps.contains(name), "{name} is not described");
    }
    let labels: BTreeSet<&str> =
        METRICS.iter().flat_map(|metric| metric.labels).copied().chain(["le"]).collect();
    for series in read.samples.keys() {
        let inside = series.split_once('{').map_or("", |(_, inside)| inside.trim_end_matches('}'));
        let mut names = inside.split(',').filter_map(|label| label.split_once('=')).map(|(name, _)| name);
        assert!(names.all(|name| labels.contains(name)), "{series} has a label that is not documented");
    }
}

//! The conformance suite is measured: the reference car passes without a warning, and each broken car is caught by the
//! case that names its defect, and by no other.
//!
//! ```text
//! square-wraps   C-6.2 failed; C-6.3, C-6.4, C-6.5, C-8.2 … skipped, since they need C-6.2; all else passed
//! ```

use axum::Router;
use car_reference::{Car, CarSettings};
use fight_lambda_reference::{Mind, server};
use futures_util::stream::{self, StreamExt};
use gm_core::contract::{DuelUrl, Kind};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use test_harness::flaws::car::{FLAWS, broken_car};
use test_harness::flaws::{not_passed, wrong_with};
use test_harness::mock::MockCar;
use test_harness::suite::car::{Settings, cases, conform};
use test_harness::suite::known::Known;
use test_harness::suite::{Level, Selection, Suite};
use tokio::net::TcpListener;

const INSTANCE: &str = "i-0abc";
const SECRET: &str = "s3cret";

/// How many cars are checked at once.
const AT_ONCE: usize = 8;

/// The deadline for those cars that are late on purpose, which take parts of a second; all others have the contract's.
const SHORT: Duration = Duration::from_secs(1);

/// Starts an AI, and gives its URL.
async fn an_ai() -> DuelUrl {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(server::serve(listener, Mind::Careful, 1));
    DuelUrl::parse(&format!("http://{address}/action")).expect("a URL")
}

fn reference(ai: &DuelUrl) -> Router {
    let settings =
        CarSettings { secret: Some(SECRET.into()), ai_url: Some(ai.clone()), ..CarSettings::new(INSTANCE) };
    car_reference::router(Car::in_memory(settings))
}

/// Checks a car that is served at a port of its own.
async fn check(car: Router, deadline: Option<Duration>) -> Suite {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let serving = tokio::spawn(async move { axum::serve(listener, car).await });
    let suite = check_at(url, deadline).await;
    serving.abort();
    suite
}

/// Checks a car that is somewhere.
async fn check_at(url: String, deadline: Option<Duration>) -> Suite {
    let mut settings = Settings {
        secret: Some(SECRET.to_owned()),
        instance: Some(INSTANCE.to_owned()),
        ..Settings::new(url)
    };
    settings.deadline = deadline.unwrap_or(settings.deadline);
    conform(settings, &Selection::all(), &Known::default(), |_| {}).await.expect("a place")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_car_passes_without_a_warning() {
    let suite = check(reference(&an_ai().await), None).await;
    assert_eq!(not_passed(&suite.ran), [""; 0]);
    assert_eq!(suite.ran.len(), cases().len());
    let last = suite.verdict.last().map(String::as_str).unwrap_or_default();
    assert!(
        last.starts_with("The car is as it was found: square 0, 4 engines, 1 pilot, 3 weapons."),
        "{last}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mock_car_without_faults_passes_without_a_warning() {
    let car = MockCar::healthy(INSTANCE).secret(SECRET).ai(&an_ai().await).start().await.expect("a port");
    let before = car.with(|car| (car.square, car.modules.clone()));
    let suite = check_at(car.url().to_string(), None).await;
    assert_eq!(not_passed(&suite.ran), [""; 0]);
    assert_eq!(suite.ran.len(), cases().len());
    let counts = |modules: &BTreeMap<Kind, Vec<String>>| Kind::ALL.map(|kind| modules[&kind].len());
    let after = car.with(|car| (car.square, car.modules.clone()));
    assert_eq!((after.0, counts(&after.1)), (before.0, counts(&before.1)), "as it was found");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_broken_car_is_caught_by_the_case_that_names_its_defect() {
    let ai = an_ai().await;
    let checked = stream::iter(FLAWS).map(|flaw| {
        let ai = &ai;
        async move {
            let is_late = ["mine-late", "slow-garage"].contains(&flaw.name);
            let car = broken_car(flaw, reference(ai), SECRET);
            wrong_with(flaw.name, flaw.caught_by, cases(), &check(car, is_late.then_some(SHORT)).await)
        }
    });
    let wrong: Vec<String> =
        checked.buffered(AT_ONCE).collect::<Vec<_>>().await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// R-7.2: a number that is wrong in the race comes with the command that was not accepted.
#[tokio::test(flavor = "multi_thread")]
async fn r_7_2_the_race_says_what_was_not_accepted() {
    let flaw = FLAWS.iter().find(|flaw| flaw.name == "not-for-car-1").expect("a flaw");
    let suite = check(broken_car(flaw, reference(&an_ai().await), SECRET), None).await;
    let ran = suite.ran.iter().find(|ran| ran.id == flaw.caught_by).expect("a case that was run");
    let found = &ran.outcome.failure().expect("a failure").found;
    let led = ran.led_there().last().map(|exchange| (exchange.ask.to_string(), exchange.status()));
    let Some((command, Some(409))) = led else { panic!("{led:?}") };
    assert!(command.starts_with("POST /"), "{command}");
    assert!(found.ends_with(&format!("; before it, {command} was answered by 409 and {{}}")), "{found}");
}

/// At least 40 broken cars, each of a name of its own; each case that must hold catches one of them, but for those that
/// are named.
#[test]
fn the_table_of_broken_cars() {
    let names: BTreeSet<&str> = FLAWS.iter().map(|flaw| flaw.name).collect();
    assert_eq!(names.len(), FLAWS.len());
    assert!(FLAWS.len() >= 40, "{}", FLAWS.len());
    let caught: BTreeSet<&str> = FLAWS.iter().map(|flaw| flaw.caught_by).collect();
    let idle: Vec<&str> = cases()
        .iter()
        // What the rules make of the whole is tried by one car for all of them.
        .filter(|case| case.level == Level::Must && !case.requirement.starts_with("R-"))
        .map(|case| case.id)
        .filter(|id| !caught.contains(id))
        .collect();
    assert_eq!(idle, [""; 0], "no broken car is caught by these");
}

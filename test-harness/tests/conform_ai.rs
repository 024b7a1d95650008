//! The conformance suite for duel AIs is measured: all levels of the reference pass without a warning, and each broken
//! AI is caught by the case that names its defect, and by no other.
//!
//! ```text
//! passes   R-6.2.3 failed; R-6.2.4, R-6.2.5, R-6.3.1 … skipped, since they need R-6.2.3; all else passed
//! ```

use axum::Router;
use fight_lambda_reference::{Mind, server};
use futures_util::stream::{self, StreamExt};
use std::collections::BTreeSet;
use std::time::Duration;
use test_harness::flaws::ai::{FLAWS, broken_ai};
use test_harness::flaws::{not_passed, wrong_with};
use test_harness::mock::MockAi;
use test_harness::suite::ai::{Settings, cases, conform};
use test_harness::suite::known::Known;
use test_harness::suite::{Level, Selection, Suite};
use tokio::net::TcpListener;

/// How many AIs are checked at once.
const AT_ONCE: usize = 8;

/// The deadline for those AIs that are late on purpose, which take parts of a second; all others have the contract's.
const SHORT: Duration = Duration::from_secs(1);

/// The AIs that are late on purpose.
const LATE: [&str; 5] = ["always-late", "thinks-too-far", "slow-with-history", "hangs-over-nonsense", "slow"];

fn reference() -> Router {
    server::router(Mind::Careful, 1)
}

/// Checks an AI that is served at a port of its own, behind this path.
async fn check(ai: Router, path: &str, with: impl FnOnce(&mut Settings)) -> Suite {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}{path}", listener.local_addr().expect("an address"));
    let serving = tokio::spawn(async move { axum::serve(listener, ai).await });
    let suite = check_at(url, with).await;
    serving.abort();
    suite
}

/// Checks an AI that is somewhere.
async fn check_at(url: String, with: impl FnOnce(&mut Settings)) -> Suite {
    let mut settings = Settings { strength: Duration::ZERO, ..Settings::new(url) };
    with(&mut settings);
    conform(settings, &Selection::all(), &Known::default(), |_| {}).await.expect("a place")
}

/// Also at a URL with a query of its own, and with other seeds.
#[tokio::test(flavor = "multi_thread")]
async fn all_levels_of_the_reference_pass_without_a_warning() {
    for (mind, path, seed) in [
        (Mind::Careful, "/action", 1),
        (Mind::Random, "/action", 2),
        (Mind::Greedy, "/prod/action?key=a%26b", 3),
        (Mind::Search, "", 4),
    ] {
        let suite = check(server::router(mind, seed), path, |settings| settings.seed = seed).await;
        assert_eq!(not_passed(&suite.ran), [""; 0], "{mind:?} {path} {seed}");
        assert_eq!(suite.ran.len(), cases().len());
        assert_eq!(suite.verdict, [""; 0]);
        assert_eq!(suite.information, [format!("seed of the positions: {seed}")]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mock_ai_without_faults_passes_without_a_warning() {
    let ai = MockAi::healthy().start().await.expect("a port");
    let suite = check_at(ai.url().as_str().to_owned(), |_| {}).await;
    assert_eq!(not_passed(&suite.ran), [""; 0]);
    assert_eq!(suite.ran.len(), cases().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn each_broken_ai_is_caught_by_the_case_that_names_its_defect() {
    let checked = stream::iter(FLAWS).map(|flaw| async move {
        let suite = check(broken_ai(flaw, reference()), "/action", |settings| {
            if LATE.contains(&flaw.name) {
                settings.deadline = SHORT;
            }
        });
        wrong_with(flaw.name, flaw.caught_by, cases(), &suite.await)
    });
    let wrong: Vec<String> =
        checked.buffered(AT_ONCE).collect::<Vec<_>>().await.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// At least 20 broken AIs, each of a name of its own; each case that must hold catches one of them.
#[test]
fn the_table_of_broken_ais() {
    let names: BTreeSet<&str> = FLAWS.iter().map(|flaw| flaw.name).collect();
    assert_eq!(names.len(), FLAWS.len());
    assert!(FLAWS.len() >= 20, "{}", FLAWS.len());
    let caught: BTreeSet<&str> = FLAWS.iter().map(|flaw| flaw.caught_by).collect();
    let idle: Vec<&str> = cases()
        .iter()
        .filter(|case| case.level == Level::Must && !caught.contains(case.id))
        .map(|case| case.id)
        .collect();
    assert_eq!(idle, [""; 0], "no broken AI is caught by these");
}

//! A process that dies at any exchange of a race: the race goes on as if nothing had been.
//!
//! Cars are in memory, the journal is the real one. For each exchange of a race (registration, inspection and the
//! jury's corrections among them) the process dies once when the answer has come and is not in the journal, and once
//! when it is; for each commit, once before and once after it. Then another one recovers the race and goes on. It must
//! come to the events of a race that nothing happened to, and ask nobody anything that is in the journal.
//!
//! `GM_CRASH_ONLY=answered:17` runs only that one.

mod memory;

use gm_core::contract::CarRequest;
use gm_core::memory::Exchange;
use gm_core::race::Event;
use gm_grpc::durable::{Point, Probe};
use gm_grpc::journal::{DecisionNo, Journal, Port};
use memory::{DieAt, Process, TURNS, deeds, events, race_id, world};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts how often each point is passed.
#[derive(Default)]
struct Count([AtomicUsize; 5]);

impl Probe for Count {
    fn dies_at(&self, point: Point) -> bool {
        self.0[point as usize].fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// What a race came to.
#[derive(Debug, Default, PartialEq)]
struct Came {
    events: Vec<String>,
    /// What was asked in each conversation, in order.
    asked: BTreeMap<String, Vec<CarRequest>>,
}

fn by_chain(exchanges: Vec<Exchange>) -> BTreeMap<String, Vec<CarRequest>> {
    let mut asked = BTreeMap::<String, Vec<_>>::new();
    for Exchange { chain, request, .. } in exchanges {
        asked.entry(chain.to_string()).or_default().push(request);
    }
    asked
}

/// How many answers of cars are in the journal, by conversation.
async fn recorded(journal: &Journal) -> BTreeMap<String, usize> {
    let record = journal.race(&race_id()).await.expect("the race");
    let mut recorded = BTreeMap::new();
    for decision in journal.decisions(&record, DecisionNo(0)).await.expect("decisions") {
        for exchange in journal.exchanges(&record, decision.decision.no).await.expect("exchanges") {
            if exchange.port == Port::Car {
                *recorded.entry(exchange.chain).or_insert(0) += 1;
            }
        }
    }
    recorded
}

/// A race that nothing happens to, and how often each point was passed.
async fn undisturbed() -> (Came, [usize; 5]) {
    let directory = tempfile::tempdir().expect("a directory");
    let (world, count) = (world(), Arc::new(Count::default()));
    let process = Process::start(directory.path(), &world, Arc::clone(&count) as Arc<dyn Probe>).await;
    assert_eq!(process.work(&deeds(), 0).await, None);
    let came =
        Came { events: events(process.races.journal()).await, asked: by_chain(world.take_exchanges()) };
    process.end().await;
    let passed = count.0.each_ref().map(|count| count.load(Ordering::Relaxed));
    (came, passed)
}

/// A race in which the process dies once.
async fn disturbed(point: Point, nth: usize, expected: &Came) {
    let what = format!("{point:?}:{nth}");
    let directory = tempfile::tempdir().expect("a directory");
    let (world, deeds) = (world(), deeds());
    let process = Process::start(directory.path(), &world, Arc::new(DieAt::new(point, nth))).await;
    let died = process.work(&deeds, 0).await;
    assert!(died.is_some(), "{what}: it did not die");
    let died = died.unwrap_or_default();
    let before = by_chain(world.take_exchanges());
    let kept = recorded(process.races.journal()).await;
    process.end().await;

    let process = Process::start(directory.path(), &world, Arc::new(())).await;
    assert_eq!(process.work(&deeds, died).await, None, "{what}");
    let came = events(process.races.journal()).await;
    process.end().await;
    same_events(&expected.events, &came, &what);

    // What is in the journal is not asked again; what is not, is asked, from there on.
    let after = by_chain(world.take_exchanges());
    for (chain, requests) in &expected.asked {
        let kept = kept.get(chain).copied().unwrap_or(0);
        let asked = |by: &BTreeMap<String, Vec<CarRequest>>| by.get(chain).cloned().unwrap_or_default();
        assert_eq!(asked(&after), requests[kept..], "{what}: {chain} after {kept} answers");
        let (before, known) = (asked(&before), kept..=kept + 1);
        assert!(
            known.contains(&before.len()),
            "{what}: {chain} was asked {} before, {kept} kept",
            before.len()
        );
        assert_eq!(before, requests[..before.len()], "{what}: {chain}");
    }
    let chains = after.keys().chain(before.keys());
    let others: Vec<&String> = chains.filter(|chain| !expected.asked.contains_key(*chain)).collect();
    assert_eq!(others, [""; 0], "{what}");
}

#[track_caller]
fn same_events(expected: &[String], came: &[String], what: &str) {
    for (number, (expected, came)) in expected.iter().zip(came).enumerate() {
        assert_eq!(came, expected, "{what}: event {}", number + 1);
    }
    assert_eq!(came.len(), expected.len(), "{what}: as many events");
}

fn points() -> [Point; 5] {
    [Point::Sent, Point::Answered, Point::Kept, Point::BeforeCommit, Point::AfterCommit]
}

/// What the race must be made of, so that dying in it proves something.
#[tokio::test]
async fn the_race_has_everything() {
    let (came, passed) = undisturbed().await;
    let events: Vec<Event> =
        came.events.iter().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let kinds: BTreeSet<String> = came
        .events
        .iter()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["event"].to_string())
        .collect();
    for kind in [
        "car_registered",
        "registration_refused",
        "duel_played",
        "penalised",
        "pirates_attacked",
        "wreck_searched",
        "minefield_crossed",
        "module_bought",
        "module_lost",
        "car_corrected",
        "names_read",
        "bonus_taken",
        "race_finished",
    ] {
        assert!(kinds.contains(&format!("{kind:?}")), "no {kind} in {kinds:?}");
    }
    let turns = events.iter().filter(|event| matches!(event, Event::TurnCompleted { .. })).count();
    assert_eq!(turns, TURNS as usize);
    assert!(passed[Point::Answered as usize] > 500, "{passed:?}");
    assert_eq!(passed[Point::Answered as usize], passed[Point::Kept as usize]);
}

#[tokio::test]
async fn it_dies_everywhere() {
    let (expected, passed) = undisturbed().await;
    let only = std::env::var("GM_CRASH_ONLY").ok();
    for point in points() {
        // Just before a request is sent is just after the one before was kept, but for the first.
        let step = if point == Point::Sent { 25 } else { 1 };
        for nth in (1..=passed[point as usize]).step_by(step) {
            let name = format!("{point:?}:{nth}").to_lowercase();
            if only.as_ref().is_none_or(|only| *only == name) {
                disturbed(point, nth, &expected).await;
            }
        }
    }
}

/// It dies again and again, after each few answers, and comes to its end.
#[tokio::test]
async fn it_dies_again_and_again() {
    let (expected, _) = undisturbed().await;
    for (point, nth) in [(Point::Kept, 7), (Point::Answered, 9), (Point::AfterCommit, 1)] {
        let directory = tempfile::tempdir().expect("a directory");
        let (world, deeds) = (world(), deeds());
        let (mut from, mut deaths) = (Some(0), 0);
        while let Some(deed) = from {
            let process = Process::start(directory.path(), &world, Arc::new(DieAt::new(point, nth))).await;
            from = process.work(&deeds, deed).await;
            if from.is_none() {
                same_events(&expected.events, &events(process.races.journal()).await, &format!("{point:?}"));
            }
            process.end().await;
            deaths += 1;
            assert!(deaths < 1_000, "{point:?}: it never ends");
        }
        assert!(deaths > 10, "{point:?}: it died {deaths} times");
    }
}

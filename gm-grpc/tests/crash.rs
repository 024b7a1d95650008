//! A process that dies at any exchange of a race: the race goes on as if nothing had been.
//!
//! Cars are in memory, the journal is the real one. For each exchange of a race (registration, inspection and the
//! jury's corrections among them) the process dies once when the answer has come and is not in the journal, and once
//! when it is; for each commit, once before and once after it. Then another one recovers the race and goes on. It must
//! come to the events of a race that nothing happened to, and ask nobody anything that is in the journal.
//!
//! What comes before the deed in which it dies is done once, and what comes long after it is not done each time: when the
//! deed is done, and one more, events, race and cars are what they were without the death, and what follows depends on
//! nothing else. Every 20th race goes to its end all the same.
//!
//! `GM_CRASH_ONLY=answered:4:17` runs only that one: the 17th answer of the deed of number 4.

mod memory;

use gm_core::contract::{CarRequest, Kind};
use gm_core::memory::{Exchange, MemoryWorld};
use gm_core::race::{Event, Race};
use gm_grpc::durable::{Point, Probe};
use gm_grpc::journal::{DecisionNo, Journal, Port};
use memory::{DieAt, Process, TURNS, deeds, events, race_id, world};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tempfile::TempDir;

/// Every nth race in which a process died goes to its end.
const TO_THE_END: usize = 20;

/// Counts how often each point is passed.
#[derive(Default)]
struct Count([AtomicUsize; 5]);

impl Probe for Count {
    fn dies_at(&self, point: Point) -> bool {
        self.0[point as usize].fetch_add(1, Ordering::Relaxed);
        false
    }
}

/// What was asked in each conversation, in order.
type Asked = BTreeMap<String, Vec<CarRequest>>;

fn by_chain(exchanges: Vec<Exchange>) -> Asked {
    let mut asked = Asked::new();
    for Exchange { chain, request, .. } in exchanges {
        asked.entry(chain.to_string()).or_default().push(request);
    }
    asked
}

/// What a car has been told: all of it that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CarMemory {
    square: u32,
    modules: BTreeMap<Kind, Vec<String>>,
}

/// What the cars of a world have been told, by URL.
fn cars_of(world: &MemoryWorld) -> BTreeMap<String, CarMemory> {
    let urls = (1..=9).map(|number| format!("http://car{number}"));
    let look = |url: String| {
        let memory =
            world.with_car(&url, |car| CarMemory { square: car.square, modules: car.modules.clone() });
        memory.map(|memory| (url, memory))
    };
    urls.filter_map(look).collect()
}

/// A world whose cars have been told this.
fn world_with(cars: &BTreeMap<String, CarMemory>) -> MemoryWorld {
    let world = world();
    for (url, memory) in cars {
        let told = world.with_car(url, |car| {
            car.square = memory.square;
            car.modules = memory.modules.clone();
        });
        told.expect("the same cars are in each world");
    }
    world
}

/// A copy of a data directory that nobody has.
fn copy(directory: &Path) -> TempDir {
    let copy = tempfile::tempdir().expect("a directory");
    for file in std::fs::read_dir(directory).expect("it can be read") {
        let file = file.expect("it can be read");
        std::fs::copy(file.path(), copy.path().join(file.file_name())).expect("it can be copied");
    }
    copy
}

/// A deed of a race that nothing happens to.
struct Undisturbed {
    /// The data directory before it.
    directory: TempDir,
    /// The cars before it.
    cars: BTreeMap<String, CarMemory>,
    /// How often each point is passed in it.
    passed: [usize; 5],
    /// What is asked for it.
    asked: Asked,
    /// What the race has come to after it.
    after: Came,
}

/// What a race has come to.
#[derive(Debug, PartialEq)]
struct Came {
    events: Vec<String>,
    race: Race,
    cars: BTreeMap<String, CarMemory>,
}

impl Came {
    async fn of(process: &Process, world: &MemoryWorld) -> Came {
        Came {
            events: events(process.races.journal()).await,
            race: Race::clone(&process.race.state().race),
            cars: cars_of(world),
        }
    }

    #[track_caller]
    fn is(&self, expected: &Came, what: &str) {
        for (number, (expected, came)) in expected.events.iter().zip(&self.events).enumerate() {
            assert_eq!(came, expected, "{what}: event {}", number + 1);
        }
        assert_eq!(self.events.len(), expected.events.len(), "{what}: as many events");
        assert_eq!(self.race, expected.race, "{what}");
        assert_eq!(self.cars, expected.cars, "{what}");
    }
}

/// A race that nothing happens to, deed by deed.
async fn undisturbed() -> Vec<Undisturbed> {
    let data = tempfile::tempdir().expect("a directory");
    let (world, deeds) = (world(), deeds());
    // It is there before its first deed.
    Process::start(data.path(), &world, Arc::new(())).await.end().await;
    let mut done = Vec::new();
    for number in 0..deeds.len() {
        let (directory, cars) = (copy(data.path()), cars_of(&world));
        let count = Arc::new(Count::default());
        let process = Process::start(data.path(), &world, Arc::clone(&count) as Arc<dyn Probe>).await;
        assert_eq!(process.work(&deeds[..=number], number).await, None);
        let after = Came::of(&process, &world).await;
        process.end().await;
        let passed = count.0.each_ref().map(|count| count.load(Ordering::Relaxed));
        let asked = by_chain(world.take_exchanges());
        done.push(Undisturbed { directory, cars, passed, asked, after });
    }
    done
}

/// How many answers of cars are in the journal for a deed, by conversation, and how many of whoever was asked.
async fn recorded(journal: &Journal, deed: usize) -> (BTreeMap<String, usize>, usize) {
    let record = journal.race(&race_id()).await.expect("the race");
    let (mut recorded, mut all) = (BTreeMap::new(), 0);
    // The first decision makes the race.
    let decision = DecisionNo(deed as u64 + 2);
    for exchange in journal.exchanges(&record, decision).await.expect("exchanges") {
        all += usize::from(!matches!(exchange.port, Port::Grace | Port::DuelClock | Port::RaceClock));
        if exchange.port == Port::Car {
            *recorded.entry(exchange.chain).or_insert(0) += 1;
        }
    }
    (recorded, all)
}

/// A race in which the process dies once, in a deed. It goes on up to the deed `until`, which is not done.
async fn disturbed(expected: &[Undisturbed], deed: usize, until: usize, point: Point, nth: usize) {
    let what = format!("{point:?}:{deed}:{nth}");
    let directory = copy(expected[deed].directory.path());
    let (world, deeds) = (world_with(&expected[deed].cars), deeds());
    let process = Process::start(directory.path(), &world, Arc::new(DieAt::new(point, nth))).await;
    assert_eq!(process.work(&deeds[..=deed], deed).await, Some(deed), "{what}: it did not die");
    let before = by_chain(world.take_exchanges());
    let (kept, all_kept) = recorded(process.races.journal(), deed).await;
    process.end().await;

    let count = Arc::new(Count::default());
    let process = Process::start(directory.path(), &world, Arc::clone(&count) as Arc<dyn Probe>).await;
    assert_eq!(process.work(&deeds[..until], deed).await, None, "{what}");
    let came = Came::of(&process, &world).await;
    process.end().await;
    came.is(&expected[until - 1].after, &what);

    // What is in the journal is not asked again, cars, AIs, inspectors and resolvers; what is not, is asked, from there on.
    let sent = count.0[Point::Sent as usize].load(Ordering::Relaxed);
    let wanted: usize = expected[deed..until].iter().map(|deed| deed.passed[Point::Sent as usize]).sum();
    assert_eq!(sent, wanted - all_kept, "{what}: asked after {all_kept} answers");
    let after = by_chain(world.take_exchanges());
    let chains = expected[deed..until].iter().flat_map(|deed| &deed.asked).collect::<BTreeMap<_, _>>();
    for (chain, requests) in &chains {
        let kept = kept.get(*chain).copied().unwrap_or(0);
        let asked = |by: &Asked| by.get(*chain).cloned().unwrap_or_default();
        assert_eq!(asked(&after), requests[kept..], "{what}: {chain} after {kept} answers");
        let (before, known) = (asked(&before), kept..=kept + 1);
        assert!(
            known.contains(&before.len()),
            "{what}: {chain} was asked {} before, {kept} kept",
            before.len()
        );
        assert_eq!(before, requests[..before.len()], "{what}: {chain}");
    }
    let others: Vec<&String> =
        after.keys().chain(before.keys()).filter(|chain| !chains.contains_key(chain)).collect();
    assert_eq!(others, [""; 0], "{what}");
}

/// What the race must be made of, so that dying in it proves something.
#[tokio::test]
async fn the_race_has_everything() {
    let deeds = undisturbed().await;
    let came = &deeds.last().expect("deeds").after;
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
    let passed = |point: Point| deeds.iter().map(|deed| deed.passed[point as usize]).sum::<usize>();
    assert!(passed(Point::Answered) > 500, "{}", passed(Point::Answered));
    assert_eq!(passed(Point::Answered), passed(Point::Kept));
    assert!(passed(Point::Answered) > passed(Point::Sent), "clocks strike, and send nothing");
    // Each conversation belongs to one deed.
    let chains: BTreeSet<&String> = deeds.iter().flat_map(|deed| deed.asked.keys()).collect();
    assert_eq!(chains.len(), deeds.iter().map(|deed| deed.asked.len()).sum::<usize>());
}

/// A race that is played by one process is that of many, one after the other.
#[tokio::test]
async fn a_race_of_one_process() {
    let expected = undisturbed().await;
    let directory = tempfile::tempdir().expect("a directory");
    let world = world();
    let process = Process::start(directory.path(), &world, Arc::new(())).await;
    assert_eq!(process.work(&deeds(), 0).await, None);
    let came = Came::of(&process, &world).await;
    process.end().await;
    came.is(&expected.last().expect("deeds").after, "one process");
    let asked = expected.into_iter().flat_map(|deed| deed.asked).collect::<Asked>();
    assert_eq!(by_chain(world.take_exchanges()), asked);
}

/// A snapshot of the race is the race, whatever has happened in it.
#[tokio::test]
async fn what_is_written_of_the_race_is_read_back() {
    for Undisturbed { after: Came { race, .. }, .. } in undisturbed().await {
        let json = serde_json::to_string(&race).expect("it can be written");
        assert_eq!(serde_json::from_str::<Race>(&json).expect("it can be read"), race);
    }
}

/// Dies at each of these points, and `every` nth only of each deed.
async fn it_dies(points: &[Point], every: usize) {
    let expected = undisturbed().await;
    let only = std::env::var("GM_CRASH_ONLY").ok();
    let mut deaths = 0;
    for point in points.iter().copied() {
        for (deed, Undisturbed { passed, .. }) in expected.iter().enumerate() {
            for nth in (1..=passed[point as usize]).step_by(every) {
                let name = format!("{point:?}:{deed}:{nth}").to_lowercase();
                if only.as_ref().is_some_and(|only| *only != name) {
                    continue;
                }
                deaths += 1;
                let until = if deaths % TO_THE_END == 0 { expected.len() } else { deed + 2 };
                disturbed(&expected, deed, until.min(expected.len()), point, nth).await;
            }
        }
    }
    assert!(deaths > 0 || only.is_some(), "it died nowhere");
}

#[tokio::test]
async fn it_dies_wherever_an_answer_has_come() {
    it_dies(&[Point::Answered], 1).await;
}

#[tokio::test]
async fn it_dies_wherever_an_answer_is_kept() {
    it_dies(&[Point::Kept], 1).await;
}

#[tokio::test]
async fn it_dies_around_each_commit() {
    it_dies(&[Point::BeforeCommit, Point::AfterCommit], 1).await;
}

/// Just before a request is sent is just after the one before was kept, but for the first.
#[tokio::test]
async fn it_dies_before_requests_are_sent() {
    it_dies(&[Point::Sent], 25).await;
}

/// It dies again and again, after each few answers, and comes to its end.
#[tokio::test]
async fn it_dies_again_and_again() {
    let expected = undisturbed().await;
    let expected = &expected.last().expect("deeds").after;
    for (point, nth) in [(Point::Kept, 7), (Point::Answered, 9), (Point::AfterCommit, 1)] {
        let directory = tempfile::tempdir().expect("a directory");
        let (world, deeds) = (world(), deeds());
        let (mut from, mut deaths) = (Some(0), 0);
        while let Some(deed) = from {
            let process = Process::start(directory.path(), &world, Arc::new(DieAt::new(point, nth))).await;
            from = process.work(&deeds, deed).await;
            if from.is_none() {
                Came::of(&process, &world).await.is(expected, &format!("{point:?}"));
            }
            process.end().await;
            deaths += 1;
            assert!(deaths < 1_000, "{point:?}: it never ends");
        }
        assert!(deaths > 10, "{point:?}: it died {deaths} times");
    }
}

//! Races owned by their tasks, on a real journal, with cars in memory that wait until a test lets them answer.

use super::*;
use crate::drive::{InspectorSetting, Secret};
use crate::durable::{Live, Point, Probe};
use crate::export;
use crate::journal::{
    Call, DataDirectory, DecisionNo, Journal, JournalError, NewRace, Origin, Port, RaceId, Trouble,
};
use gm_core::contract::{Answer, BaseUrl, CarRequest, Fault};
use gm_core::ids::{Dollars, Seconds, TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryDuelAi, MemoryDuelClock, MemoryInspector, MemoryLine, MemoryWorld};
use gm_core::ports::{Car, Chain, Duellist, World};
use gm_core::race::command::{Application, Command, Refusal};
use gm_core::race::state::Life;
use gm_core::race::{Event, REVISION, Rules};
use gm_core::random::Seed;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Longer than anything here takes: a test that waits so long has failed.
const BOUND: Duration = Duration::from_secs(60);

/// A world in memory whose cars answer when a test lets them.
#[derive(Clone)]
struct Gated {
    world: MemoryWorld,
    /// One permit lets one answer through.
    gate: Arc<Semaphore>,
    /// The running time of each race that was opened.
    opened: Arc<Mutex<Vec<Setting>>>,
}

struct GatedLine {
    line: MemoryLine,
    gate: Arc<Semaphore>,
}

impl Car for GatedLine {
    async fn exchange(&mut self, request: &CarRequest) -> Result<Answer, Fault> {
        self.gate.acquire().await.expect("the gate is never closed").forget();
        self.line.exchange(request).await
    }

    async fn wait_to_ask_again(&mut self, tries: u32, grace: Seconds) -> bool {
        self.line.wait_to_ask_again(tries, grace).await
    }
}

impl Live<CarRequest> for GatedLine {
    fn latency(&self) -> Duration {
        Duration::ZERO
    }

    fn resume_after(&mut self, _: &CarRequest, _: Duration) {}
}

impl World for Gated {
    type Car = GatedLine;
    type DuelAi = MemoryDuelAi;
    type Inspector = MemoryInspector;
    type DuelClock = MemoryDuelClock;

    fn car(&self, chain: Chain, team: TeamId, url: &BaseUrl) -> GatedLine {
        GatedLine { line: self.world.car(chain, team, url), gate: Arc::clone(&self.gate) }
    }

    fn duel(&self, duellists: [Duellist; 2], limit: Seconds) -> ([MemoryDuelAi; 2], MemoryDuelClock) {
        self.world.duel(duellists, limit)
    }

    fn inspector(&self, chain: Chain, team: TeamId) -> Option<MemoryInspector> {
        let opened = self.opened.lock().expect("one thread");
        let set = opened.last().map(|setting| setting.inspectors.get(team)).unwrap_or_default();
        if set == InspectorSetting::None { None } else { self.world.inspector(chain, team) }
    }

    async fn resolve(&self, chain: Chain, team: TeamId, instance: &str) -> Option<BaseUrl> {
        World::resolve(&self.world, chain, team, instance).await
    }

    async fn running_time_is_up(&self, turn: TurnNo, limit: Seconds) -> bool {
        World::running_time_is_up(&self.world, turn, limit).await
    }
}

impl Worlds for Gated {
    type World = Gated;

    fn open(&self, setting: Setting) -> Result<Gated, String> {
        if setting.race.as_str() == "nowhere" {
            return Err("there is no such world".to_owned());
        }
        self.opened.lock().expect("one thread").push(setting);
        Ok(self.clone())
    }
}

impl Gated {
    /// Two cars that fight nobody, and a gate that is open.
    fn open_to_all() -> Gated {
        let world = MemoryWorld::default();
        world.keep_exchanges(true);
        for name in ["a", "b"] {
            world.park(&format!("http://{name}"), MemoryCar::new(name, 4, 1, 3));
        }
        Gated { world, gate: Arc::new(Semaphore::new(Semaphore::MAX_PERMITS / 2)), opened: Arc::default() }
    }

    fn close(&self) {
        self.gate.forget_permits(Semaphore::MAX_PERMITS);
    }

    fn let_through(&self, answers: usize) {
        self.gate.add_permits(answers);
    }

    fn open(&self) {
        self.let_through(Semaphore::MAX_PERMITS / 2);
    }

    fn asked(&self) -> usize {
        self.world.take_exchanges().len()
    }
}

struct Place {
    directory: tempfile::TempDir,
    gated: Gated,
}

impl Place {
    fn new() -> Place {
        Place { directory: tempfile::tempdir().expect("a directory"), gated: Gated::open_to_all() }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    async fn races(&self) -> Races<Gated> {
        self.races_with(Settings::default()).await
    }

    async fn races_with(&self, settings: Settings) -> Races<Gated> {
        let directory = DataDirectory::open(self.path()).expect("a directory of our own");
        Races::new(Journal::open(directory).await.expect("a journal"), self.gated.clone(), settings)
    }

    /// Changes the database behind everybody's back.
    async fn tamper(&self, sql: &'static str) {
        let file = DataDirectory::look(self.path()).expect("a directory").database();
        let mut connection = SqliteConnectOptions::new().filename(file).connect().await.expect("a database");
        let changed = sqlx::query(sql).execute(&mut connection).await.expect("a statement");
        assert!(changed.rows_affected() > 0, "{sql}");
        sqlx::Connection::close(connection).await.expect("it closes");
    }
}

impl Place {
    /// Changes the tail of race 1 behind everybody's back, with checksums that fit.
    fn tamper_with_the_tail(&self, from: &str, to: &str) {
        let file = self.path().join("tail-1.jsonl");
        let tail = std::fs::read_to_string(&file).expect("a tail");
        let lines = tail.lines().map(|line| line.split_once(' ').expect("a checksum").1);
        let mut changed = 0;
        let tampered: String = lines
            .map(|line| {
                let is_it = line.contains(r#""chain":"t1-track-c1""#) && line.contains(r#""number":1,"#);
                changed += u32::from(is_it && line.contains(from));
                crate::journal::sealed(&if is_it { line.replace(from, to) } else { line.to_owned() })
            })
            .collect();
        assert_eq!(changed, 1, "{from}: {tail}");
        std::fs::write(file, tampered).expect("written");
    }
}

fn id(name: &str) -> RaceId {
    RaceId::parse(name).expect("an id")
}

fn new_race(name: &str, pace: Option<Duration>) -> NewRace {
    NewRace {
        id: id(name),
        name: name.to_owned(),
        seed: Seed(3),
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: BTreeMap::new(),
        pace,
        private: false,
    }
}

async fn create(races: &Races<Gated>, name: &str, pace: Option<Duration>) -> RaceHandle {
    let rules = Rules { max_turns: Some(6), spot_check_percent: 50, ..Rules::balanced() };
    races.create(new_race(name, pace), rules.validated().expect("good rules")).await.expect("a race")
}

fn set_up() -> Vec<Command> {
    let team = |name: &str| Command::CreateTeam { name: name.to_owned(), budget: None };
    let car = |team: u32, name: &str| {
        let url = Some(BaseUrl::parse(&format!("http://{name}")).expect("a URL"));
        Command::Register(Application { team: TeamId(team), instance: name.to_owned(), url })
    };
    vec![team("Red"), team("Green"), car(1, "a"), car(2, "b"), Command::Start]
}

fn grant(dollars: u64) -> Command {
    Command::Grant { team: TeamId(1), dollars: Dollars(dollars) }
}

/// A race that runs, turns on the admin's word.
async fn running(races: &Races<Gated>, name: &str) -> RaceHandle {
    let race = create(races, name, None).await;
    let outcome = race.order(set_up(), None).await.expect("settled");
    assert!(outcome.settled.iter().all(Result::is_ok), "{:?}", outcome.settled);
    race
}

/// Waits until the race's task does what is wanted.
async fn until(race: &RaceHandle, what: impl Fn(&State) -> bool) -> State {
    let mut race = race.clone();
    let wait = async {
        loop {
            let state = race.state();
            if what(&state) {
                return state;
            }
            race.changed().await;
        }
    };
    match tokio::time::timeout(BOUND, wait).await {
        Ok(state) => state,
        Err(_) => {
            let State { race, last_seq, activity, .. } = race.state();
            panic!("it never came to be; at last: turn {}, event {last_seq}, {activity:?}", race.turn)
        }
    }
}

/// Somebody asks for a turn.
fn stepping(race: &RaceHandle, turn: u32) -> JoinHandle<Result<Outcome, Denied>> {
    let race = race.clone();
    tokio::spawn(async move { race.step(TurnNo(turn), None).await })
}

/// Somebody asks for a turn, and it is played until a car is waited for.
async fn in_the_middle_of(
    place: &Place,
    race: &RaceHandle,
    turn: u32,
) -> JoinHandle<Result<Outcome, Denied>> {
    place.gated.close();
    let stepping = stepping(race, turn);
    until(race, |state| state.activity == Activity::Plays(TurnNo(turn))).await;
    stepping
}

async fn events(race: &RaceHandle) -> Vec<Event> {
    let mut events = Vec::new();
    let mut follower = race.follow(0);
    let last = race.state().last_seq;
    while (events.len() as u64) < last {
        let page = follower.next().await.expect("readable").expect("events");
        events.extend(page.into_iter().map(|numbered| numbered.event));
    }
    events
}

/// The events of a race that nothing happens to, in which everybody does the same.
async fn undisturbed() -> Vec<Event> {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    for turn in 1..=6 {
        race.step(TurnNo(turn), None).await.expect("a turn");
    }
    events(&race).await
}

fn words(denied: Result<Outcome, Denied>) -> String {
    denied.map_or_else(|denied| denied.to_string(), |outcome| format!("{:?}", outcome.settled))
}

/// Two things at once: what is asked while a turn is played on the admin's word.
#[tokio::test]
async fn two_commands_at_once() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    let stepping = in_the_middle_of(&place, &race, 1).await;
    for turn in [0, 1, 2] {
        let denied = race.step(TurnNo(turn), None).await;
        assert!(matches!(denied, Err(Denied::TurnIsPlayed(TurnNo(1)))), "{denied:?}");
    }
    let denied = race.order(vec![Command::Pause], None).await;
    assert!(matches!(denied, Err(Denied::NothingToPause(TurnNo(1)))), "{denied:?}");
    // R-3.0: other commands take effect at the end of the turn, in order of arrival.
    let granting: Vec<_> = [3, 5]
        .map(|dollars| {
            let race = race.clone();
            tokio::spawn(async move { race.order(vec![grant(dollars)], None).await })
        })
        .into();
    place.gated.open();
    let outcome = stepping.await.expect("no panic").expect("a turn");
    assert!(matches!(outcome.events.last().expect("events").event, Event::TurnCompleted { turn: TurnNo(1) }));
    for granted in granting {
        let outcome = granted.await.expect("no panic").expect("settled");
        assert_eq!(outcome.settled, [Ok(())]);
        assert!(outcome.events.iter().all(|numbered| numbered.turn == TurnNo(1)));
    }
    let state = race.state();
    assert_eq!((state.race.turn, state.race.teams[&TeamId(1)].ledger.granted), (TurnNo(1), 8));
    assert_eq!(state.activity, Activity::Waits);
}

/// What is asked of a race, in which state, and the refusal.
#[tokio::test]
async fn typed_refusals() {
    let place = Place::new();
    let races = place.races().await;
    let race = create(&races, "race", None).await;
    let step = async |turn: u32| words(race.step(TurnNo(turn), None).await);
    assert_eq!(step(1).await, Refusal::NotRunning.to_string());
    race.order(set_up(), None).await.expect("settled");
    for turn in [0, 2, 7] {
        assert_eq!(step(turn).await, format!("turn {turn} is not the next one: turn 1 is"));
    }
    let outcome = race.order(vec![Command::Start, grant(0), Command::Pause], None).await.expect("settled");
    let refused: Vec<String> = outcome
        .settled
        .iter()
        .map(|one| one.as_ref().err().map_or("settled".to_owned(), ToString::to_string))
        .collect();
    assert_eq!(
        refused,
        [
            Refusal::AlreadyStarted.to_string(),
            Refusal::BadAmount { dollars: Dollars(0) }.to_string(),
            "settled".into()
        ]
    );
    let reasons = outcome.settled.iter().map(|one| one.as_ref().err().map(|it| it.reason.as_ref()));
    assert_eq!(reasons.collect::<Vec<_>>(), [Some("ALREADY_STARTED"), Some("BAD_AMOUNT"), None]);
    assert_eq!(step(1).await, Refusal::NotRunning.to_string());
    race.order(vec![Command::Resume], None).await.expect("settled");
    race.set_pace(Some(Duration::from_secs(3_600)), None).await.expect("a pace");
    until(&race, |state| state.race.turn == TurnNo(1) && state.activity == Activity::Waits).await;
    assert_eq!(step(2).await, Denied::OnTheClock.to_string());
    assert!(race.state().next_turn.is_some(), "the next turn is in an hour");
    race.set_pace(None, None).await.expect("a pace");
    assert_eq!(race.state().next_turn, None);
    race.order(vec![Command::Finish], None).await.expect("settled");
    assert_eq!(step(2).await, Refusal::Finished.to_string());
    for bad in ["", "two words", &"x".repeat(129)] {
        assert_eq!(words(race.order(vec![], Some(bad)).await), Denied::BadRequestId.to_string());
    }
    races.shut_down(BOUND).await.expect("closed");
    assert_eq!(step(2).await, Denied::ShuttingDown.to_string());
}

/// R-10.1, R-3.0: a pause that comes while a turn is played by the clock takes effect after it, and no turn follows.
#[tokio::test]
async fn r_10_1_the_clock_is_paused_after_the_turn() {
    let place = Place::new();
    let races = place.races().await;
    let race = create(&races, "race", Some(Duration::ZERO)).await;
    place.gated.let_through(0);
    race.order(set_up()[..4].to_vec(), None).await.expect("settled");
    place.gated.close();
    race.order(vec![Command::Start], None).await.expect("settled");
    until(&race, |state| state.activity == Activity::Plays(TurnNo(1))).await;
    let mut pausing = std::pin::pin!(race.order(vec![Command::Pause], None));
    // It is asked before the turn can end.
    tokio::select! {
        biased;
        paused = &mut pausing => panic!("in the middle of a turn: {paused:?}"),
        () = std::future::ready(()) => {}
    }
    place.gated.open();
    assert_eq!(pausing.await.expect("settled").settled, [Ok(())]);
    let state = race.state();
    assert_eq!(state.race.life, Life::Paused);
    assert_eq!(state.next_turn, None);
    let turn = state.race.turn;
    // Nothing but a command can move it now.
    race.order(vec![grant(1)], None).await.expect("settled");
    assert_eq!(race.state().race.turn, turn);
    race.order(vec![Command::Resume], None).await.expect("settled");
    until(&race, |state| state.race.is_finished()).await;
    assert_eq!(race.state().race.turn, TurnNo(6), "R-10.2: the last turn");
}

/// The same request is carried out once, however often and from however many sides it comes.
#[tokio::test]
async fn a_request_that_comes_again() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    let mut steps = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let race = race.clone();
        steps.spawn(async move { race.step(TurnNo(1), Some("step-1")).await });
    }
    while let Some(stepped) = steps.join_next().await {
        let outcome = stepped.expect("no panic").expect("a turn");
        assert!(matches!(
            outcome.events.last().expect("events").event,
            Event::TurnCompleted { turn: TurnNo(1) }
        ));
    }
    assert_eq!(race.state().race.turn, TurnNo(1));
    let first = race.order(vec![grant(2), grant(0)], Some("grant")).await.expect("settled");
    let again = race.order(vec![grant(2), grant(0)], Some("grant")).await.expect("settled");
    let said = |outcome: &Outcome| -> Vec<Option<String>> {
        outcome.settled.iter().map(|one| one.as_ref().err().map(ToString::to_string)).collect()
    };
    assert_eq!((said(&again), &again.events), (said(&first), &first.events));
    let other = Denied::OtherRequest("grant".to_owned()).to_string();
    for denied in [
        race.order(vec![grant(3)], Some("grant")).await,
        race.register_all(vec![grant(2), grant(0)], Some("grant")).await,
        race.step(TurnNo(2), Some("grant")).await,
    ] {
        assert_eq!(words(denied), other);
    }
    races.shut_down(BOUND).await.expect("closed");

    // Another process knows it too.
    let races = place.races().await;
    let race = races.own(&id("race")).await.expect("a race");
    let later = race.order(vec![grant(2), grant(0)], Some("grant")).await.expect("settled");
    assert_eq!((said(&later), &later.events), (said(&first), &first.events));
    let stepped = race.step(TurnNo(1), Some("step-1")).await.expect("a turn");
    assert!(matches!(stepped.events.last().expect("events").event, Event::TurnCompleted { turn: TurnNo(1) }));
    assert_eq!(race.state().race.teams[&TeamId(1)].ledger.granted, 2);
    assert_eq!(words(race.step(TurnNo(2), Some("grant")).await), other);
}

/// What waits has a bound.
#[tokio::test]
async fn a_queue_that_is_full() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    let stepping = in_the_middle_of(&place, &race, 1).await;
    let mut many = std::pin::pin!(race.order(vec![grant(1); MOST_WAITING], None));
    let refused = tokio::select! {
        biased;
        outcome = &mut many => panic!("it did not wait: {outcome:?}"),
        refused = race.order(vec![grant(1)], None) => words(refused),
    };
    assert_eq!(refused, Denied::QueueFull.to_string());
    place.gated.open();
    stepping.await.expect("no panic").expect("a turn");
    let outcome = many.await.expect("settled");
    assert_eq!(outcome.settled.len(), MOST_WAITING);
}

/// A disk that is full, or read-only, at every decision of a race: it stands still, says so, and goes on.
#[tokio::test]
async fn a_journal_that_cannot_be_written() {
    let expected = undisturbed().await;
    for (trouble, said) in [
        (Trouble::DiskFull, "the race is suspended: the disk is full"),
        (Trouble::ReadOnly, "the race is suspended: the journal can't be written to: it is read-only"),
    ] {
        let place = Place::new();
        let settings = Settings { try_again: Duration::from_secs(3_600), ..Settings::default() };
        let races = place.races_with(settings).await;
        let race = running(&races, "race").await;
        for turn in 1..=6 {
            let before = race.state();
            races.journal().pretend(trouble).await.expect("pretended");
            // So long that it finds no room in what the database has, if it comes to that.
            let complaint = Command::Complain { team: TeamId(1), turn: TurnNo(0), text: "x".repeat(4_000) };
            let complaining = tokio::spawn({
                let race = race.clone();
                async move { race.order(vec![complaint; 3], None).await }
            });
            let state = until(&race, |state| matches!(state.activity, Activity::Suspended(_))).await;
            assert_eq!((state.race, state.last_seq), (before.race, before.last_seq), "nothing has happened");
            for denied in [race.step(TurnNo(turn), None).await, race.order(vec![grant(1)], None).await] {
                let words = words(denied);
                assert!(words.starts_with(said), "{words}");
            }
            let record = races.journal().race(&id("race")).await.expect("readable");
            let events = races.journal().events(&record, before.last_seq).await.expect("readable");
            assert_eq!(events, [], "nothing is half-written");
            // Tried again in vain.
            race.try_again().await.expect("tried");
            until(&race, |state| matches!(state.activity, Activity::Suspended(_))).await;
            races.journal().pretend(Trouble::None).await.expect("pretended");
            race.try_again().await.expect("tried");
            complaining.await.expect("no panic").expect("settled");

            // A turn can't even begin.
            races.journal().pretend(trouble).await.expect("pretended");
            let stepping = stepping(&race, turn);
            let state = until(&race, |state| {
                matches!(state.activity, Activity::Suspended(_)) || state.race.turn == TurnNo(turn)
            });
            if state.await.race.turn != TurnNo(turn) {
                races.journal().pretend(Trouble::None).await.expect("pretended");
                race.try_again().await.expect("tried");
            }
            stepping.await.expect("no panic").expect("a turn");
            races.journal().pretend(Trouble::None).await.expect("pretended");
        }
        let mut came = events(&race).await;
        came.retain(|event| !matches!(event, Event::ComplaintFiled { .. }));
        assert_eq!(came, expected, "{trouble:?}");
    }
}

/// A tail that can't be written after so many answers of a turn, for every number of them: the turn goes on from there.
#[tokio::test]
async fn a_tail_that_is_full_in_the_middle_of_a_turn() {
    let expected = undisturbed().await;
    let mut answers = 0;
    loop {
        let place = Place::new();
        let settings = Settings { try_again: Duration::from_secs(3_600), ..Settings::default() };
        let races = place.races_with(settings).await;
        let race = running(&races, "race").await;
        place.gated.asked();
        let stepping = in_the_middle_of(&place, &race, 1).await;
        place.gated.let_through(answers);
        let record = race.record().clone();
        let decision = DecisionNo(3);
        let kept = async || races.journal().exchanges(&record, decision).await.expect("readable").len();
        let all_kept = async {
            while kept().await < answers && race.state().race.turn == TurnNo(0) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(BOUND, all_kept).await.expect("kept");
        if race.state().race.turn == TurnNo(1) {
            assert!(answers > 5, "a turn of {answers} answers");
            break;
        }
        races.journal().pretend(Trouble::TailFull).await.expect("pretended");
        place.gated.let_through(1);
        let state = until(&race, |state| {
            matches!(state.activity, Activity::Suspended(_)) || state.race.turn == TurnNo(1)
        });
        if matches!(state.await.activity, Activity::Suspended(_)) {
            assert_eq!(kept().await, answers, "what was kept is kept, and no more");
        }
        place.gated.open();
        races.journal().pretend(Trouble::None).await.expect("pretended");
        race.try_again().await.expect("tried");
        stepping.await.expect("no panic").expect("a turn");
        for turn in 2..=6 {
            race.step(TurnNo(turn), None).await.expect("a turn");
        }
        assert_eq!(events(&race).await, expected, "after {answers} answers");
        answers += 1;
    }
}

/// A commit that fails when all of its turn was answered: it is made later, and nobody is asked again.
#[tokio::test]
async fn a_commit_that_fails() {
    let expected = undisturbed().await;
    let place = Place::new();
    let settings = Settings { try_again: Duration::from_secs(3_600), ..Settings::default() };
    let races = place.races_with(settings).await;
    let race = running(&races, "race").await;
    for turn in 1..=6 {
        let stepping = in_the_middle_of(&place, &race, turn).await;
        races.journal().pretend(Trouble::DatabaseReadOnly).await.expect("pretended");
        let before = race.state();
        place.gated.asked();
        place.gated.open();
        until(&race, |state| matches!(state.activity, Activity::Suspended(_))).await;
        let asked = place.gated.asked();
        assert!(asked > 0, "turn {turn}");
        assert_eq!((race.state().race, race.state().last_seq), (before.race, before.last_seq));
        races.journal().pretend(Trouble::None).await.expect("pretended");
        race.try_again().await.expect("tried");
        stepping.await.expect("no panic").expect("a turn");
        assert_eq!(place.gated.asked(), 0, "turn {turn}");
    }
    assert_eq!(events(&race).await, expected);
}

/// The journal is tried again by itself.
#[tokio::test]
async fn a_journal_that_can_be_written_again() {
    let place = Place::new();
    let settings = Settings { try_again: Duration::from_millis(1), ..Settings::default() };
    let races = place.races_with(settings).await;
    let race = running(&races, "race").await;
    races.journal().pretend(Trouble::ReadOnly).await.expect("pretended");
    let stepping = stepping(&race, 1);
    until(&race, |state| matches!(state.activity, Activity::Suspended(_))).await;
    races.journal().pretend(Trouble::None).await.expect("pretended");
    stepping.await.expect("no panic").expect("a turn");
}

/// Dies when the nth answer is in the journal.
struct DieAfter(AtomicUsize);

impl Probe for DieAfter {
    fn dies_at(&self, point: Point) -> bool {
        point == Point::Kept && self.0.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

/// A race whose process died in its first turn, after so many answers of the turn.
async fn broken_off(place: &Place, answers: usize) {
    let races = place.races().await;
    running(&races, "race").await;
    races.shut_down(BOUND).await.expect("closed");
    let probe = Arc::new(DieAfter(AtomicUsize::new(answers)));
    let races = place.races_with(Settings { probe, ..Settings::default() }).await;
    let race = races.own(&id("race")).await.expect("a race");
    assert_eq!(words(race.step(TurnNo(1), None).await), Denied::ShuttingDown.to_string());
    races.shut_down(BOUND).await.expect("closed");
    place.gated.asked();
}

/// What is changed in the journal, and what is said of it when the race is recovered. A request that differs is not sent.
#[tokio::test]
async fn a_record_that_is_not_of_this_race() {
    for (from, to, said) in [
        (
            "/engine/count",
            "/engine/count!",
            [
                "the race is stopped: the rules have diverged from the record at t1-track-c1 car 1:",
                "recorded: GET http://a/engine/count!",
                "asked:    GET http://a/engine/count",
            ],
        ),
        (
            r#""outcome":"answer""#,
            r#""outcome":"nobody""#,
            ["diverged", "Address(None), which can't have come of it", "asked:    GET"],
        ),
        (
            "t1-track-c1",
            "t1-track-c9",
            ["diverged from the record at t1-track-c9 car 1", "recorded: GET", "asked:    nothing"],
        ),
    ] {
        let place = Place::new();
        broken_off(&place, 3).await;
        place.tamper_with_the_tail(from, to);
        let races = place.races().await;
        let race = races.own(&id("race")).await.expect("a race");
        let state = until(&race, |state| matches!(state.activity, Activity::Stopped(_))).await;
        assert_eq!(state.race.turn, TurnNo(0), "nothing has happened");
        let asked = place.gated.world.take_exchanges();
        let of_the_first = asked.iter().filter(|it| it.chain.to_string() == "t1-track-c1").count();
        assert!(of_the_first == 0 || to == "t1-track-c9", "{to}: what differs is not sent");
        for denied in [race.step(TurnNo(1), None).await, race.order(vec![grant(1)], None).await] {
            let words = words(denied);
            assert!(said.iter().all(|said| words.contains(said)), "{to}: {words}");
        }
        let denied = race.try_again().await;
        assert!(denied.is_ok(), "{denied:?}");
        until(&race, |state| matches!(state.activity, Activity::Stopped(_))).await;
        let record = races.journal().race(&id("race")).await.expect("readable");
        let turn = races.journal().decisions(&record, DecisionNo(0)).await.expect("readable");
        assert_eq!(turn.last().expect("a decision").committed, None);
        races.shut_down(Duration::ZERO).await.expect("closed");
    }
}

/// What is recorded is given back, not asked again.
#[tokio::test]
async fn answers_that_are_recorded_are_not_asked_for() {
    let expected = undisturbed().await;
    let place = Place::new();
    broken_off(&place, 3).await;
    place.gated.close();
    let races = place.races().await;
    let race = races.own(&id("race")).await.expect("a race");
    until(&race, |state| state.activity == Activity::Plays(TurnNo(1))).await;
    // Who asked for the turn asks again, and is told when it is complete.
    place.gated.open();
    until(&race, |state| state.race.turn == TurnNo(1)).await;
    for turn in 2..=6 {
        race.step(TurnNo(turn), None).await.expect("a turn");
    }
    assert_eq!(events(&race).await, expected);
}

/// A key that is lost is not replaced by another one, which would send the cars wrong secrets.
#[tokio::test]
async fn c_20_a_key_that_is_lost() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    races.journal().set_secret(race.record(), TeamId(1), &secret("s3cret"), None).await.expect("set");
    races.shut_down(BOUND).await.expect("closed");
    let key = DataDirectory::look(place.path()).expect("there").key_file();
    std::fs::remove_file(&key).expect("lost");
    let directory = DataDirectory::open(place.path()).expect("a directory of our own");
    let Err(error) = Journal::open(directory).await else { panic!("it opens") };
    assert!(error.to_string().contains("is missing, and the secrets"), "{error}");
    assert!(!key.exists(), "none was made");
}

fn secret(text: &str) -> Secret {
    Secret::parse(text).expect("a secret")
}

/// C-20: what is set while a decision is made is sent from the next one on.
#[tokio::test]
async fn c_20_a_secret_that_is_set_while_a_turn_is_played() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    let stepping = in_the_middle_of(&place, &race, 1).await;
    race.secrets().set(TeamId(1), secret("new"));
    let sent = || {
        let opened = place.gated.opened.lock().expect("one thread");
        opened.last().expect("opened").secrets.sent_to(TeamId(1))
    };
    assert_eq!((sent(), race.secrets().get(TeamId(1))), (None, Some(secret("new"))));
    place.gated.let_through(3);
    assert_eq!(sent(), None, "all of the turn");
    place.gated.open();
    stepping.await.expect("no panic").expect("a turn");
    race.order(vec![grant(1)], None).await.expect("settled");
    assert_eq!(sent(), Some(secret("new")));
}

async fn register(race: &RaceHandle, name: &str) -> JoinHandle<Result<Outcome, Denied>> {
    let url = Some(BaseUrl::parse(&format!("http://{name}")).expect("a URL"));
    let command = Command::Register(Application { team: TeamId(1), instance: name.to_owned(), url });
    let race = race.clone();
    tokio::spawn(async move { race.order(vec![command], None).await })
}

/// I-3, R-10.5: an inspector that is set, or taken away, in the middle of a decision. It is made with what held when it
/// began, also when it was broken off and is made again elsewhere; the next one is made with what was set. All of it
/// can be verified.
#[tokio::test]
async fn i_3_r_10_5_an_inspector_that_is_set_in_the_middle_of_a_decision() {
    let relay = InspectorSetting::Relay { url: BaseUrl::parse("http://relay").expect("a URL") };
    for is_broken_off in [false, true] {
        for (before, after) in
            [(InspectorSetting::None, relay.clone()), (relay.clone(), InspectorSetting::None)]
        {
            let place = Place::new();
            for name in ["c", "d"] {
                place.gated.world.park(&format!("http://{name}"), MemoryCar::new(name, 4, 1, 3));
            }
            place.gated.world.inspect(TeamId(1));
            let mut races = place.races().await;
            let mut race = running(&races, "race").await;
            let record = race.record().clone();
            races.journal().set_inspector(&record, TeamId(1), &before, None).await.expect("set");

            let inspected = async |journal: &Journal, no: u64| {
                let exchanges = journal.exchanges(&record, DecisionNo(no)).await.expect("readable");
                let of = |port| exchanges.iter().filter(|exchange| exchange.port == port).count();
                (of(Port::Car), of(Port::Inspector))
            };
            // It is asked for its state and engines, and the inspector, if there is one, for these; then it is waited for.
            let is_inspected = |inspector: &InspectorSetting| *inspector != InspectorSetting::None;
            place.gated.close();
            let registering = register(&race, "c").await;
            place.gated.let_through(3);
            let so_far = (3, usize::from(is_inspected(&before)));
            let kept = async {
                while inspected(races.journal(), 3).await != so_far {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(BOUND, kept).await.expect("kept");
            for inspector in [&before, &after] {
                races.journal().set_inspector(&record, TeamId(1), inspector, None).await.expect("set");
            }
            if is_broken_off {
                races.shut_down(Duration::ZERO).await.expect("closed");
                assert!(registering.await.expect("no panic").is_err());
                drop((races, race));
                races = place.races().await;
                place.gated.open();
                race = races.own(&id("race")).await.expect("a race");
                until(&race, |state| state.activity == Activity::Waits).await;
            } else {
                place.gated.open();
                registering.await.expect("no panic").expect("settled");
            }
            let outcome = register(&race, "d").await.await.expect("no panic").expect("settled");
            assert_eq!(outcome.settled, [Ok(())]);
            for (no, inspector) in [(3, &before), (4, &after)] {
                // Seven questions, and its square when it is registered.
                let expected = (8, 3 * usize::from(is_inspected(inspector)));
                assert_eq!(inspected(races.journal(), no).await, expected, "decision {no} of {inspector:?}");
            }
            let cars: Vec<_> = race.state().race.cars.values().map(|car| car.instance.clone()).collect();
            assert_eq!(cars, ["a", "b", "c", "d"], "{:?}", race.state().activity);
            let mut file = Vec::new();
            export::from_journal(races.journal(), &id("race"), &mut file).await.expect("exported");
            export::verify(&*file, |_| {}).await.expect("it follows from its rules");
            races.shut_down(BOUND).await.expect("closed");
        }
    }
}

/// A race that can't be owned is not made, and so is the call for it.
#[tokio::test]
async fn a_call_for_a_race_is_kept_with_it() {
    let place = Place::new();
    let races = place.races().await;
    let rules = Rules::balanced().validated().expect("good rules");
    let call = Call {
        request_id: "call".to_owned(),
        rpc: "Test/Create".to_owned(),
        digest: [7; 32],
        answer: b"made".to_vec(),
    };
    let create = async |name: &str| {
        let made = races.create_once(new_race(name, None), rules.clone(), Some(&call)).await;
        (made.map(drop), races.journal().call("call").await.expect("readable"))
    };
    let (made, kept) = create("nowhere").await;
    assert!(matches!(made, Err(CannotOwn::World { .. })) && kept.is_none(), "{made:?} {kept:?}");
    let (made, kept) = create("race").await;
    assert!(made.is_ok() && kept.as_ref() == Some(&call), "{made:?} {kept:?}");
    let (made, kept) = create("another").await;
    assert!(matches!(made, Err(CannotOwn::Journal(JournalError::CallExists(_)))), "{made:?}");
    assert_eq!(kept, Some(call.clone()));
    assert_eq!(races.journal().races().await.expect("readable").len(), 1);
}

/// R-10.5: a race of another revision of the rules is not played on.
#[tokio::test]
async fn r_10_5_another_revision() {
    let place = Place::new();
    broken_off(&place, 3).await;
    place.tamper("UPDATE races SET revision = 2, gm = '9.9.9'").await;
    let races = place.races().await;
    let Err(error) = races.own(&id("race")).await else { panic!("it is played on") };
    assert_eq!(
        error.to_string(),
        "race race was begun under revision 2 of the rules, by gm 9.9.9; this gm plays by revision 1. Finish it with \
         that gm; this one can still list and export it"
    );
    let recovered = races.recover().await.expect("listed");
    assert!(matches!(recovered[..], [(_, Err(CannotOwn::OtherRevision { revision: 2, .. }))]));
    assert_eq!(place.gated.asked(), 0);
}

/// Races that can't be owned keep no other from it.
#[tokio::test]
async fn races_that_cannot_be_owned() {
    let place = Place::new();
    let races = place.races().await;
    running(&races, "good").await;
    create(&races, "bad", None).await;
    create(&races, "imported", None).await;
    let rules = Rules::balanced().validated().expect("good rules");
    let Err(error) = races.create(new_race("nowhere", None), rules.clone()).await else {
        panic!("it is made")
    };
    assert_eq!(error.to_string(), "race nowhere can't be played: there is no such world");
    let Err(error) = races.create(new_race("good", None), rules).await else { panic!("it is made twice") };
    assert_eq!(error.to_string(), "race good is here already");
    let Err(error) = races.own(&id("gone")).await else { panic!("there is none") };
    assert_eq!(error.to_string(), "there is no race gone here: `gm race list` names them");
    races.shut_down(BOUND).await.expect("closed");
    place
        .tamper("UPDATE events SET body = '{}' WHERE race = (SELECT id FROM races WHERE race = 'bad')")
        .await;
    place.tamper("UPDATE races SET origin = 'imported' WHERE race = 'imported'").await;

    let races = place.races().await;
    let recovered = races.recover().await.expect("listed");
    let said: Vec<(String, String)> = recovered
        .into_iter()
        .map(|(id, owned)| (id.to_string(), owned.err().map(|error| error.to_string()).unwrap_or_default()))
        .collect();
    assert_eq!(said.len(), 2, "an imported race is nobody's to recover: {said:?}");
    assert_eq!((said[0].0.as_str(), said[0].1.as_str()), ("good", ""));
    assert_eq!(said[1].0, "bad");
    assert!(said[1].1.starts_with("race bad: event 1 can't be read"), "{}", said[1].1);
    let Err(error) = races.own(&id("imported")).await else { panic!("it is played") };
    assert!(error.to_string().contains("was imported"), "{error}");
    let good = races.get(&id("good")).expect("owned");
    good.step(TurnNo(1), None).await.expect("a turn");
}

/// R-10.2: a turn that has begun is completed; a shutdown waits for it within a limit, and else it is completed later.
#[tokio::test]
async fn r_10_2_a_shutdown_in_a_turn() {
    let expected = undisturbed().await;
    for (limit, completed) in [(BOUND, true), (Duration::ZERO, false)] {
        let place = Place::new();
        let races = place.races().await;
        let race = running(&races, "race").await;
        let stepping = in_the_middle_of(&place, &race, 1).await;
        place.gated.let_through(3);
        let shut_down = races.shut_down(limit);
        if completed {
            place.gated.open();
        }
        shut_down.await.expect("closed");
        assert_eq!(stepping.await.expect("no panic").is_ok(), completed);
        assert_eq!(race.state().activity, Activity::Ended);
        assert_eq!(race.state().race.turn, TurnNo(u32::from(completed)));
        place.gated.open();

        let races = place.races().await;
        let race = races.own(&id("race")).await.expect("a race");
        let state =
            until(&race, |state| state.race.turn == TurnNo(1) && state.activity == Activity::Waits).await;
        assert_eq!(state.race.life, Life::Running);
        for turn in 2..=6 {
            race.step(TurnNo(turn), None).await.expect("a turn");
        }
        assert_eq!(events(&race).await, expected);
    }
}

/// Start-up recovers what was running: it goes on, or is paused when the turn that was broken off is complete.
#[tokio::test]
async fn recovered_races_go_on_or_are_paused() {
    for recovery in [Recovery::GoOn, Recovery::Pause] {
        let place = Place::new();
        broken_off(&place, 3).await;
        place.tamper("UPDATE races SET pace_ms = 0, ran_ms = 7000").await;
        let races = place.races_with(Settings { recovery, ..Settings::default() }).await;
        let over = create(&races, "over", None).await;
        over.order(vec![Command::Finish], None).await.expect("settled");
        races.shut_down(BOUND).await.expect("closed");

        let races = place.races_with(Settings { recovery, ..Settings::default() }).await;
        let recovered = races.recover().await.expect("listed");
        assert_eq!(recovered.len(), 1, "what is over is not recovered");
        let race = recovered.into_iter().next().and_then(|(_, race)| race.ok()).expect("recovered");
        let state = match recovery {
            Recovery::GoOn => until(&race, |state| state.race.is_finished()).await,
            Recovery::Pause => until(&race, |state| state.race.life == Life::Paused).await,
        };
        assert_eq!(state.race.turn, TurnNo(if recovery == Recovery::GoOn { 6 } else { 1 }));
        // R-10.2: the time that it ran before counts; the time that nobody was there does not.
        let ran = {
            let opened = place.gated.opened.lock().expect("one thread");
            opened.last().expect("opened").running.ran()
        };
        assert!((7..60).contains(&ran.as_secs()), "{ran:?}");
        races.shut_down(BOUND).await.expect("closed");
        let races = place.races().await;
        let record = races.journal().race(&id("race")).await.expect("readable");
        assert!((7..60).contains(&record.ran.as_secs()), "{record:?}");
        assert_eq!(record.finished, recovery == Recovery::GoOn);
    }
}

/// Many races at once, in one journal: each is the fold of its own events, and comes to its end.
#[tokio::test]
async fn many_races_at_once() {
    let alone = undisturbed().await;
    let place = Place::new();
    let races = place.races().await;
    let mut owned = Vec::new();
    for number in 0..8 {
        let race = create(&races, &format!("race-{number}"), Some(Duration::ZERO)).await;
        owned.push(race);
    }
    // They share the cars: what those are told by one race, another one finds wrong. So only the numbers are compared.
    for race in &owned {
        race.order(set_up(), None).await.expect("settled");
    }
    for race in &owned {
        let state = until(race, |state| state.race.is_finished()).await;
        assert_eq!(state.race.turn, TurnNo(6));
        let events = events(race).await;
        assert_eq!(events.len() as u64, state.last_seq);
        assert_eq!(
            gm_core::race::Race::from_events(&events).as_ref(),
            Some(&*state.race),
            "the fold of its events"
        );
        assert_eq!(events[0], alone[0], "the same rules and seed");
    }
}

/// C-20: an order without commands does not let another process number commands, and so requests, from 1 again.
#[tokio::test]
async fn c_20_an_order_without_commands() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    race.order(vec![], None).await.expect("settled");
    races.shut_down(BOUND).await.expect("closed");
    let races = place.races().await;
    let race = races.own(&id("race")).await.expect("a race");
    race.order(vec![grant(1)], None).await.expect("settled");
    let record = races.journal().race(&id("race")).await.expect("a race");
    let mut numbers = Vec::new();
    for decision in races.journal().decisions(&record, DecisionNo(0)).await.expect("decisions") {
        numbers.extend(decision.decision.arrivals.iter().map(|arrival| arrival.no.0));
    }
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
}

/// Two who set the pace while a turn is played are both answered.
#[tokio::test]
async fn two_paces_at_once() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    let stepping = in_the_middle_of(&place, &race, 1).await;
    let paces: Vec<_> = [100, 200]
        .map(|seconds| {
            let race = race.clone();
            tokio::spawn(async move { race.set_pace(Some(Duration::from_secs(seconds)), None).await })
        })
        .into();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    place.gated.open();
    stepping.await.expect("no panic").expect("a turn");
    for pace in paces {
        let set = pace.await.expect("no panic");
        assert!(set.is_ok(), "{set:?}");
    }
}

/// Who sets the pace while a turn is made again that diverges is told so.
#[tokio::test]
async fn a_pace_of_a_stopped_race() {
    let place = Place::new();
    broken_off(&place, 3).await;
    place.tamper_with_the_tail("/engine/count", "/engine/count!");
    let races = place.races().await;
    let race = races.own(&id("race")).await.expect("a race");
    // At once, before its task has looked at the record.
    let set = tokio::time::timeout(BOUND, race.set_pace(Some(Duration::from_secs(1)), None)).await;
    assert!(matches!(set, Ok(Err(Denied::Stopped(_)))), "{set:?}");
}

/// A pace that no clock can count: one turn, and no other.
#[tokio::test]
async fn an_endless_pace() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    race.set_pace(Some(Duration::MAX), None).await.expect("a pace");
    until(&race, |state| state.race.turn == TurnNo(1) && state.activity == Activity::Waits).await;
    let again = race.order(vec![grant(1)], None).await;
    assert!(again.is_ok(), "{again:?}");
}

/// R-10.1: who orders without end holds up neither the clock nor a turn that somebody wants.
#[tokio::test]
async fn r_10_1_orders_without_end() {
    let place = Place::new();
    let races = place.races().await;
    let race = create(&races, "race", Some(Duration::from_millis(1))).await;
    race.order(set_up()[..4].to_vec(), None).await.expect("settled");
    let mut floods = Vec::new();
    for _ in 0..3 {
        let race = race.clone();
        floods.push(tokio::spawn(async move {
            loop {
                let _ = race.order(vec![grant(1)], None).await;
            }
        }));
    }
    let started = race.order(vec![Command::Start], None).await.expect("settled");
    assert_eq!(started.settled, [Ok(())]);
    until(&race, |state| state.race.turn >= TurnNo(2)).await;
    race.set_pace(None, None).await.expect("a pace");
    let next = TurnNo(race.state().race.turn.0 + 1);
    let stepped = tokio::time::timeout(BOUND, race.step(next, None)).await.expect("in time");
    assert!(stepped.is_ok() || race.state().race.is_finished(), "{stepped:?}");
    floods.into_iter().for_each(|flood| flood.abort());
}

/// A request that comes again while its decision is suspended is not denied: it will be carried out.
#[tokio::test]
async fn the_same_request_while_suspended() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    races.journal().pretend(Trouble::ReadOnly).await.expect("pretended");
    let granting = tokio::spawn({
        let race = race.clone();
        async move { race.order(vec![grant(2)], Some("grant")).await }
    });
    until(&race, |state| matches!(state.activity, Activity::Suspended(_))).await;
    let again = tokio::spawn({
        let race = race.clone();
        async move { race.order(vec![grant(2)], Some("grant")).await }
    });
    let denied = race.order(vec![grant(3)], Some("grant")).await;
    assert!(matches!(denied, Err(Denied::OtherRequest(_))), "{denied:?}");
    let denied = race.order(vec![grant(3)], None).await;
    assert!(matches!(denied, Err(Denied::Suspended(_))), "{denied:?}");
    races.journal().pretend(Trouble::None).await.expect("pretended");
    race.try_again().await.expect("tried");
    for asked in [granting, again] {
        assert_eq!(asked.await.expect("no panic").expect("settled").settled, [Ok(())]);
    }
    assert_eq!(race.state().race.teams[&TeamId(1)].ledger.granted, 2);
}

/// The most memory that this process ever had, in MiB.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
}

/// What happened in a decision is in memory once, and not once for each who ordered something: 8 teams complain as
/// often and at as great a length as they may. Told to each anew, it would be 2.5 GiB.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn many_who_are_told_much() {
    let place = Place::new();
    let races = place.races().await;
    let race = running(&races, "race").await;
    let teams = (3..=8).map(|team| Command::CreateTeam { name: format!("Team {team}"), budget: None });
    race.order(teams.collect(), None).await.expect("settled");
    let stepping = in_the_middle_of(&place, &race, 1).await;
    let before = peak();
    let mut complaining = tokio::task::JoinSet::new();
    for team in (1..=8).map(TeamId).cycle().take(800) {
        let race = race.clone();
        let complain = Command::Complain { team, turn: TurnNo(0), text: "x".repeat(4_000) };
        complaining.spawn(async move { race.order(vec![complain], None).await });
    }
    // Each of them asks as soon as it runs, and there is one thread.
    tokio::task::yield_now().await;
    place.gated.open();
    stepping.await.expect("no panic").expect("a turn");
    while let Some(complained) = complaining.join_next().await {
        assert_eq!(complained.expect("no panic").expect("settled").settled, [Ok(())]);
    }
    let more = peak() - before;
    assert!(more < 500, "{more} MiB");
}

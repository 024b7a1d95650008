//! Snapshots that are written, used, and passed over: the race that is read back is always the same.

use super::*;
use crate::control::{RaceHandle, Races, Setting, Settings, Worlds};
use crate::journal::{DataDirectory, Journal, NewRace, Origin, RaceId};
use gm_core::contract::BaseUrl;
use gm_core::ids::{TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryWorld};
use gm_core::race::Rules;
use gm_core::race::command::{Application, Command};
use gm_core::random::Seed;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// How many decisions a race of these tests has: its creation, its cars, and turns.
const DECISIONS: u64 = 2 * SNAPSHOT_EVERY + 3;

struct InMemory(MemoryWorld);

impl Worlds for InMemory {
    type World = MemoryWorld;

    fn open(&self, _: Setting) -> Result<MemoryWorld, String> {
        Ok(self.0.clone())
    }
}

fn race_id() -> RaceId {
    RaceId::parse("gm-snapshot").expect("an id")
}

async fn journal_in(directory: &Path) -> Journal {
    Journal::open(DataDirectory::open(directory).expect("free")).await.expect("a journal")
}

/// Begins a race of two cars: its first two decisions.
async fn begin(directory: &Path) -> (Races<InMemory>, RaceHandle) {
    let world = MemoryWorld::default();
    for name in ["a", "b"] {
        world.park(&format!("http://{name}"), MemoryCar { fights: true, ..MemoryCar::new(name, 4, 2, 3) });
    }
    let races = Races::new(journal_in(directory).await, InMemory(world), Settings::default());
    let new = NewRace {
        id: race_id(),
        name: "snapshots".to_owned(),
        seed: Seed(7),
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: Default::default(),
        pace: None,
        private: false,
    };
    let rules = Rules { meet_again: true, random_bonuses: 5, ..Rules::balanced() };
    let race = races.create(new, rules.validated().expect("good rules")).await.expect("a race");
    let team = |name: &str| Command::CreateTeam { name: name.to_owned(), budget: None };
    let register = |team, name: &str| {
        let url = BaseUrl::parse(&format!("http://{name}")).expect("a URL");
        Command::Register(Application { team: TeamId(team), instance: name.to_owned(), url: Some(url) })
    };
    let orders = vec![team("Red"), team("Blue"), register(1, "a"), register(2, "b"), Command::Start];
    race.order(orders, None).await.expect("the race starts");
    (races, race)
}

/// A race that was played in a directory, which is closed again: the race, and the number of its last event.
async fn played() -> (TempDir, Race, u64) {
    let directory = tempfile::tempdir().expect("a directory");
    let (races, race) = begin(directory.path()).await;
    for turn in 1..=DECISIONS - 2 {
        race.step(TurnNo(u32::try_from(turn).expect("few turns")), None).await.expect("a turn");
    }
    let state = race.state();
    drop(race);
    races.shut_down(Duration::from_secs(60)).await.expect("the journal closes");
    (directory, Race::clone(&state.race), state.last_seq)
}

async fn find_in(journal: &Journal) -> Option<Snapshot> {
    find(journal.readers(), &journal.race(&race_id()).await.expect("the race")).await
}

/// Every tenth decision leaves one, in the place of the one before; it is what the events up to it come to.
#[tokio::test]
async fn every_so_manieth_decision_leaves_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let (races, race) = begin(directory.path()).await;
    let journal = races.journal();
    let mut expected = None;
    for no in 3..=DECISIONS {
        let turn = TurnNo(u32::try_from(no - 2).expect("few turns"));
        race.step(turn, None).await.expect("a turn");
        let state = race.state();
        if no % SNAPSHOT_EVERY == 0 {
            expected = Some(Snapshot { seq: state.last_seq, race: Race::clone(&state.race) });
        }
        let found = find_in(journal).await;
        assert_eq!(found, expected, "after decision {no}");
        let record = journal.race(&race_id()).await.expect("the race");
        let whole = journal.fold(&record, None, u64::MAX).await.expect("it is read");
        if let Some(found) = &found {
            assert!(journal.is_the_fold(&record, found).await.expect("it is read"), "after decision {no}");
        }
        let short = journal.fold(&record, found, u64::MAX).await.expect("it is read");
        assert_eq!((&short.0, short.1.last()), (&*state.race, state.last_seq), "after decision {no}");
        assert!(short == whole, "after decision {no}: with a snapshot and without it");
        let loaded = journal.load(&race_id()).await.expect("it is loaded");
        assert!((loaded.race, loaded.numbers) == whole, "after decision {no}");
    }
    assert!(expected.is_some());
    drop(race);
    races.shut_down(Duration::from_secs(60)).await.expect("the journal closes");
}

/// The row of the only snapshot: its last event, its format, its body.
type Row = (i64, String, Vec<u8>);

/// A race whose snapshot somebody has changed is read back as it was. `is_used`: by [`find`], which a debug build does
/// not trust.
async fn check(name: &str, change: impl FnOnce(&mut Row), is_used: bool) {
    let (directory, race, last) = played().await;
    let options = SqliteConnectOptions::new().filename(directory.path().join("gm.db"));
    let mut database = options.connect().await.unwrap();
    let mut row: Row =
        sqlx::query_as("SELECT seq, format, body FROM snapshots").fetch_one(&mut database).await.unwrap();
    change(&mut row);
    sqlx::query("UPDATE snapshots SET seq = ?, format = ?, body = ?")
        .bind(row.0)
        .bind(row.1)
        .bind(row.2)
        .execute(&mut database)
        .await
        .unwrap();
    database.close().await.unwrap();

    let journal = journal_in(directory.path()).await;
    assert_eq!(find_in(&journal).await.is_some(), is_used, "{name}");
    let loaded = journal.load(&race_id()).await.unwrap();
    assert_eq!((loaded.race, loaded.numbers.last()), (race, last), "{name}");
    journal.close().await.unwrap();
}

/// A body with the hash that belongs to it.
fn sealed(seq: i64, json: &[u8]) -> Vec<u8> {
    [hash(seq.unsigned_abs(), json).as_slice(), json].concat()
}

#[tokio::test]
async fn one_that_can_not_be_used_is_passed_over() {
    check("as it was written", |_| {}, true).await;
    check("another gm", |row| row.1 = row.1.replace("gm ", "gm 9"), false).await;
    check("another revision", |row| row.1 = row.1.replace("revision ", "revision 9"), false).await;
    check("another form", |row| row.1 = row.1.replace("snapshot ", "snapshot 9"), false).await;
    check("nothing", |row| row.2.clear(), false).await;
    check("less than a hash", |row| row.2.truncate(HASH_LENGTH - 1), false).await;
    check("a hash only", |row| row.2.truncate(HASH_LENGTH), false).await;
    check("its end is missing", |row| row.2.truncate(row.2.len() - 1), false).await;
    check("something behind it", |row| row.2.push(b' '), false).await;
    check("its hash is changed", |row| row.2[0] ^= 1, false).await;
    check("the event before", |row| row.0 -= 1, false).await;
    check("an event that is not there", |row| row.0 = 1_000_000, false).await;
    check("not JSON", |row| row.2 = sealed(row.0, b"{"), false).await;
    check("no race", |row| row.2 = sealed(row.0, b"{}"), false).await;
    let change_a_digit = |row: &mut Row| {
        let digit = row.2.windows(8).rposition(|part| part == b"\"turn\":1").expect("a turn") + 7;
        row.2[digit] = b'3';
    };
    check("a digit is changed", change_a_digit, false).await;
}

/// One that says something else than the events, with a hash that belongs to it: a bug, which a debug build finds.
#[tokio::test]
#[cfg(debug_assertions)]
async fn one_that_is_not_the_fold_of_the_events_is_passed_over() {
    let other = Race::create(Rules::balanced().validated().unwrap(), Seed(8)).0;
    let json = serde_json::to_vec(&other).unwrap();
    check("another race", |row| row.2 = sealed(row.0, &json), true).await;
    let idle = |row: &Row| {
        let mut race: serde_json::Value = serde_json::from_slice(&row.2[HASH_LENGTH..]).unwrap();
        race["idle_turns"] = 3.into();
        race.to_string().into_bytes()
    };
    check("one number is another", |row| row.2 = sealed(row.0, &idle(row)), true).await;
}

/// Events that were lost, by a disk that lied, take their snapshot with them.
#[tokio::test]
async fn one_beyond_the_events_is_passed_over() {
    let (directory, _, _) = played().await;
    let options = SqliteConnectOptions::new().filename(directory.path().join("gm.db"));
    let mut database = options.connect().await.unwrap();
    sqlx::query("DELETE FROM events WHERE seq >= (SELECT seq FROM snapshots)")
        .execute(&mut database)
        .await
        .unwrap();
    database.close().await.unwrap();
    let journal = journal_in(directory.path()).await;
    let record = journal.race(&race_id()).await.unwrap();
    assert_eq!(find_in(&journal).await, None);
    let loaded = journal.load(&race_id()).await.unwrap();
    assert!((loaded.race, loaded.numbers) == journal.fold(&record, None, u64::MAX).await.unwrap());
    journal.close().await.unwrap();
}

//! Races on a real journal, with cars in memory that answer at once, and those who look at them.
//!
//! Time is stood still only when nobody reads or writes the database: its threads are not of this runtime, and time
//! would run ahead of them.

mod canary;
mod chronicles;
mod log;
mod places;
mod replay;
mod streams;

use super::{Chronicle, Chronicles, Ended, Filter, Message, Mode, Reader, Settings, Shown, Start};
use crate::control::{RaceHandle, Races, Setting, Worlds};
use crate::journal::{DataDirectory, Journal, NewRace, Origin, RaceId, store};
use gm_core::contract::BaseUrl;
use gm_core::ids::{TeamId, TurnNo};
use gm_core::memory::{MemoryCar, MemoryWorld};
use gm_core::race::command::{Application, Command};
use gm_core::race::view::{Seen, Viewer, seen};
use gm_core::race::{REVISION, Race, Rules};
use gm_core::random::Seed;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Longer than anything here takes: a test that waits so long has failed.
const BOUND: Duration = Duration::from_secs(60);

const RED: Viewer = Viewer::Team(TeamId(1));
const GREEN: Viewer = Viewer::Team(TeamId(2));
const VIEWERS: [Viewer; 4] = [Viewer::Spectator, RED, GREEN, Viewer::Admin];

struct InMemory(MemoryWorld);

impl Worlds for InMemory {
    type World = MemoryWorld;

    fn open(&self, _: Setting) -> Result<MemoryWorld, String> {
        Ok(self.0.clone())
    }
}

/// A data directory, and the world of its races.
struct Place {
    directory: TempDir,
    world: MemoryWorld,
}

/// A game master on a data directory.
struct Served {
    races: Arc<Races<InMemory>>,
    chronicles: Chronicles,
    race: RaceHandle,
}

fn id(name: &str) -> RaceId {
    RaceId::parse(name).expect("an id")
}

fn team(name: &str) -> Command {
    Command::CreateTeam { name: name.to_owned(), budget: None }
}

fn register(team: u32, name: &str) -> Command {
    let url = Some(BaseUrl::parse(&format!("http://{name}")).expect("a URL"));
    Command::Register(Application { team: TeamId(team), instance: name.to_owned(), url })
}

impl Place {
    /// Two cars, that fight each other where they meet.
    fn new() -> Place {
        let world = MemoryWorld::default();
        for name in ["a", "b"] {
            world
                .park(&format!("http://{name}"), MemoryCar { fights: true, ..MemoryCar::new(name, 4, 1, 3) });
        }
        Place { directory: tempfile::tempdir().expect("a directory"), world }
    }

    async fn serve(&self, settings: Settings) -> Served {
        self.serve_races(settings, Rules { combat_range: 5, meet_again: true, ..Rules::balanced() }).await
    }

    /// Changes the database behind everybody's back.
    async fn tamper(&self, sql: &'static str) {
        let file = DataDirectory::look(self.directory.path()).expect("a directory").database();
        let mut connection = SqliteConnectOptions::new().filename(file).connect().await.expect("a database");
        let changed = sqlx::query(sql).execute(&mut connection).await.expect("a statement");
        assert!(changed.rows_affected() > 0, "{sql}");
        sqlx::Connection::close(connection).await.expect("it closes");
    }

    /// Makes the race `race`, or recovers it.
    async fn serve_races(&self, settings: Settings, rules: Rules) -> Served {
        let directory = DataDirectory::open(self.directory.path()).expect("a directory of our own");
        let journal = Journal::open(directory).await.expect("a journal");
        let races = Races::new(journal, InMemory(self.world.clone()), crate::control::Settings::default());
        let race = match races.journal().race(&id("race")).await {
            Ok(_) => races.own(&id("race")).await.expect("a race to recover"),
            Err(_) => {
                races.create(new_race("race"), rules.validated().expect("good rules")).await.expect("a race")
            }
        };
        let races = Arc::new(races);
        let chronicles = Chronicles::new(Arc::clone(&races) as Arc<dyn super::Owners>, settings);
        Served { races, chronicles, race }
    }
}

fn new_race(name: &str) -> NewRace {
    NewRace {
        private: false,
        id: id(name),
        name: name.to_owned(),
        seed: Seed(3),
        revision: REVISION,
        origin: Origin::Here,
        plan: None,
        secrets: BTreeMap::new(),
        pace: None,
    }
}

impl Served {
    async fn order(&self, commands: Vec<Command>) {
        let outcome = self.race.order(commands, None).await.expect("settled");
        assert!(outcome.settled.iter().all(Result::is_ok), "{:?}", outcome.settled);
    }

    /// Two teams with a car each, and the race runs.
    async fn set_up(&self) {
        let set_up = vec![team("Red"), team("Green"), register(1, "a"), register(2, "b"), Command::Start];
        self.order(set_up).await;
    }

    async fn turns(&self, count: u32) {
        for _ in 0..count {
            let next = TurnNo(self.race.state().race.turn.0 + 1);
            self.race.step(next, None).await.expect("a turn");
        }
    }

    async fn chronicle(&self) -> Arc<Chronicle> {
        self.chronicles.of(&id("race")).await.expect("a chronicle")
    }

    async fn read(&self, viewer: Viewer, start: Start, mode: Mode) -> Reader {
        self.chronicle().await.read(viewer, start, mode, Filter::default()).await.expect("a reader")
    }

    /// What a viewer must see: the journal, event by event.
    async fn expected(&self, viewer: Viewer) -> Vec<(u64, Seen)> {
        let (journal, record) = (self.races.journal(), self.race.record());
        let (mut race, mut all, mut at): (Option<Race>, Vec<Seen>, u64) = (None, Vec::new(), 0);
        loop {
            let page = journal.events(record, at).await.expect("events");
            let Some(last) = page.last() else { break };
            at = last.seq;
            for stored in page {
                let event = store::numbered(record, stored).expect("readable").event;
                let before = race.get_or_insert_with(|| Race::from_events([&event]).expect("a race"));
                all.extend(seen(before, &event, viewer));
                // The first event made the race that it was just asked of.
                if !matches!(event, gm_core::race::Event::RaceCreated { .. }) {
                    before.apply(&event);
                }
            }
        }
        (1..).zip(all).collect()
    }

    async fn end(self) {
        let Served { races, chronicles, race } = self;
        drop((chronicles, race));
        races.shut_down(BOUND).await.expect("the journal closes");
    }
}

async fn next(reader: &mut Reader) -> Result<Message, Ended> {
    tokio::time::timeout(BOUND, reader.next()).await.expect("something is told")
}

/// The events that a reader is told until it is caught up; nothing else may come.
async fn until_caught_up(reader: &mut Reader) -> Vec<Arc<Shown>> {
    let mut events = Vec::new();
    loop {
        match next(reader).await.expect("it goes on") {
            Message::Event(shown) => events.push(shown),
            Message::CaughtUp(last) => {
                assert_eq!(last, reader.position());
                return events;
            }
            message => panic!("{message:?}"),
        }
    }
}

/// The next so many events, and nothing else.
async fn events(reader: &mut Reader, count: usize) -> Vec<Arc<Shown>> {
    let mut events = Vec::new();
    while events.len() < count {
        match next(reader).await.expect("it goes on") {
            Message::Event(shown) => events.push(shown),
            message => panic!("{message:?}"),
        }
    }
    events
}

fn pairs(events: &[Arc<Shown>]) -> Vec<(u64, Seen)> {
    events.iter().map(|shown| (shown.sequence, shown.event.clone())).collect()
}

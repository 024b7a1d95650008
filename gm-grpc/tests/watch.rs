//! Those who look at a race in which everything happens, while its game master dies again and again: together, what
//! each was told is what the journal lets them see, once and in order.
//!
//! `GM_WATCH_SEED=17` runs only that one.

mod memory;

use gm_core::ids::TeamId;
use gm_core::race::view::{Seen, Viewer, seen};
use gm_core::race::{Event, Race};
use gm_grpc::durable::Point;
use gm_grpc::journal::Journal;
use gm_grpc::watch::{Chronicle, Ended, Filter, Message, Mode, Reader, Settings, Shown, Start};
use memory::{DieAt, Process, deeds, events, world};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use std::sync::Arc;
use std::time::Duration;

/// Longer than anything here takes: a test that waits so long has failed.
const BOUND: Duration = Duration::from_secs(60);

/// How many races are played, each with other deaths.
const RACES: u64 = 6;

const VIEWERS: [Viewer; 3] = [Viewer::Spectator, Viewer::Team(TeamId(2)), Viewer::Admin];

/// What a viewer was told so far.
struct Told {
    viewer: Viewer,
    events: Vec<Seen>,
    reader: Option<Reader>,
    /// How often the reader fell behind.
    behind: u64,
}

impl Told {
    fn last(&self) -> u64 {
        self.events.len() as u64
    }

    fn hear(&mut self, shown: &Arc<Shown>) {
        assert_eq!(shown.sequence, self.last() + 1, "{:?}: no gap, no repeat", self.viewer);
        self.events.push(shown.event.clone());
    }

    /// Reads some messages, and sometimes lets go of the reader: it goes on where it was.
    async fn read(&mut self, chronicle: &Arc<Chronicle>, messages: usize, let_go: bool) {
        for _ in 0..messages {
            if self.reader.is_none() {
                let start = Start::After(self.last());
                let filter = Filter::default();
                let read = chronicle.read(self.viewer, start, Mode::Lossless, filter).await;
                // The game master has died, or the team was not made yet.
                let Ok(reader) = read else { return };
                self.reader = Some(reader);
            }
            let Some(reader) = &mut self.reader else { return };
            match tokio::time::timeout(BOUND, reader.next()).await.expect("something is told") {
                Ok(Message::Event(shown)) => self.hear(&shown),
                Ok(Message::CaughtUp(last)) => {
                    assert_eq!(last, self.last(), "{:?}", self.viewer);
                    break;
                }
                Ok(Message::Heartbeat(_)) => break,
                Ok(message @ Message::Snapshot(_)) => unreachable!("nobody asked for {message:?}"),
                Err(Ended::FellBehind { resume_after }) => {
                    assert_eq!(resume_after, self.last(), "{:?}", self.viewer);
                    self.reader = None;
                    self.behind += 1;
                }
                Err(_) => {
                    self.reader = None;
                    return;
                }
            }
        }
        if let_go {
            self.reader = None;
        }
    }
}

/// What a viewer must see of a race.
async fn expected(journal: &Journal, viewer: Viewer) -> Vec<Seen> {
    let bodies = events(journal).await;
    let read = |body: &String| gm_grpc::journal::stored::read_event(gm_grpc::journal::stored::FORMAT, body);
    let all: Vec<Event> = bodies.iter().map(|body| read(body).expect("an event")).collect();
    let mut before = Race::from_events(&all[..1]).expect("a race");
    let mut expected: Vec<Seen> = seen(&before, &all[0], viewer).into_iter().collect();
    for event in &all[1..] {
        expected.extend(seen(&before, event, viewer));
        before.apply(event);
    }
    expected
}

#[tokio::test]
async fn what_each_was_told_is_what_the_journal_lets_them_see() {
    let only: Option<u64> =
        std::env::var("GM_WATCH_SEED").ok().map(|seed| seed.parse().expect("GM_WATCH_SEED is a number"));
    let (mut deaths, mut behind) = (0, 0);
    for seed in only.map_or(0..RACES, |seed| seed..seed + 1) {
        eprintln!("GM_WATCH_SEED={seed}");
        let (died, fell_behind) = one_race(seed).await;
        deaths += died;
        behind += fell_behind;
    }
    eprintln!("{deaths} deaths; {behind} readers fell behind");
    assert!(only.is_some() || (deaths > RACES && behind > RACES), "nothing was tried");
}

/// Plays a race; how often its game master died, and how often somebody fell behind.
async fn one_race(seed: u64) -> (u64, u64) {
    let mut dice = StdRng::seed_from_u64(seed);
    let directory = tempfile::tempdir().expect("a directory");
    let (world, deeds) = (world(), deeds());
    let mut told = VIEWERS.map(|viewer| Told { viewer, events: Vec::new(), reader: None, behind: 0 });
    // Small enough that readers fall behind.
    let settings = Settings { buffer: 30, heartbeat: Duration::from_millis(1), ..Settings::default() };
    let mut next = 0;
    let mut deaths = 0;
    while next < deeds.len() {
        let point = [Point::Answered, Point::AfterCommit, Point::BeforeCommit][dice.random_range(0..3)];
        let nth = if point == Point::Answered { dice.random_range(20..400) } else { dice.random_range(2..6) };
        let process = Process::start(directory.path(), &world, Arc::new(DieAt::new(point, nth))).await;
        let journal = process.races.journal().clone();
        let chronicle = Arc::new(Chronicle::follow(journal, process.race.clone(), settings.clone()));
        loop {
            for told in &mut told {
                if dice.random_ratio(2, 3) {
                    told.read(&chronicle, dice.random_range(1..200), dice.random_ratio(1, 4)).await;
                }
            }
            if next == deeds.len() {
                break;
            }
            if process.work(&deeds[..=next], next).await.is_some() {
                deaths += 1;
                break;
            }
            next += 1;
        }
        for told in &mut told {
            if dice.random() {
                told.read(&chronicle, usize::MAX, true).await;
            }
            told.reader = None;
        }
        drop(chronicle);
        process.end().await;
    }
    let behind = told.iter().map(|told| told.behind).sum();
    let process = Process::start(directory.path(), &world, Arc::new(())).await;
    let journal = process.races.journal().clone();
    let chronicle = Arc::new(Chronicle::follow(journal.clone(), process.race.clone(), settings));
    for mut told in told {
        told.read(&chronicle, usize::MAX, true).await;
        let expected = expected(&journal, told.viewer).await;
        assert!(expected.len() > 100, "{}", expected.len());
        assert!(told.events == expected, "{:?} was told something else", told.viewer);
    }
    drop(chronicle);
    process.end().await;
    (deaths, behind)
}

//! A hundred who watch, and a game master that dies and is stopped meanwhile: each goes on from what it was told last,
//! and has seen the journal as it may see it, byte for byte.
//!
//! ```text
//! watch after 0 ─▶ 1 2 3 … 17 ─▶ killed ─▶ watch after 17 ─▶ 18 19 … ─▶ stopped ─▶ watch after 40 ─▶ …
//! ```

use super::calls::{BOUND, Race, admin, channel, is_retryable, metadata, observer, reason, started};
use super::cars::Cars;
use super::child::Child;
use super::parallel::on_disk;
use gm_core::ids::{CarId, TeamId};
use gm_core::race::Race as Rules;
use gm_core::race::view::{Viewer, seen};
use gm_grpc::api::convert::event;
use gm_grpc::api::wire::{self, watch_race_request, watch_race_response::Message};
use gm_grpc::journal::Numbered;
use gm_grpc::watch::{Filter, Kind, kind};
use prost::Message as _;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};
use tonic::Code;

/// How many watch.
const WATCHERS: usize = 100;
/// How many turns are played.
const TURNS: u32 = 24;
/// How often somebody tries to reach a game master that is away.
const AGAIN: Duration = Duration::from_millis(20);

/// How a game master ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Killed,
    Stopped,
}

/// Where a watch begins.
#[derive(Debug, Clone, Copy)]
enum Begin {
    After(u64),
    Snapshot,
}

/// What all who watch know.
#[derive(Clone)]
struct Known {
    /// Where the game master is.
    address: watch::Receiver<SocketAddr>,
    /// Whether nothing more happens: whoever is caught up is done.
    over: watch::Receiver<bool>,
    /// How many streams were told by a word that the game master shuts down.
    told: watch::Sender<u64>,
}

/// Somebody who watches.
#[derive(Clone)]
struct Watcher {
    viewer: Viewer,
    token: Option<String>,
    begin: Begin,
    filter: Filter,
}

/// What he was told: after which number he began, and each event with its number.
struct Told {
    began_after: u64,
    events: Vec<(u64, Vec<u8>)>,
    /// How often he went on.
    resumed: u64,
}

impl Watcher {
    fn request(&self, race: &Race, last: Option<u64>) -> wire::WatchRaceRequest {
        let start = match (last, self.begin) {
            (Some(last), _) => watch_race_request::Start::After(last),
            (None, Begin::After(after)) => watch_race_request::Start::After(after),
            (None, Begin::Snapshot) => watch_race_request::Start::WithSnapshot(true),
        };
        wire::WatchRaceRequest {
            start: Some(start),
            kinds: self.filter.kinds.iter().map(|kind| event::kind_to_wire(*kind).into()).collect(),
            car_ids: self.filter.cars.iter().map(|car| car.0).collect(),
            ..race.watch()
        }
    }

    /// Watches until the race is over and all of it was told.
    async fn watch(self, race: Race, known: Known) -> (Watcher, Told) {
        let mut told = Told { began_after: 0, events: Vec::new(), resumed: 0 };
        // After which number he goes on; none: he has not begun.
        let mut last = None;
        let mut again = interval(AGAIN);
        loop {
            again.tick().await;
            let at = *known.address.borrow();
            let Ok(channel) = channel(at).await else { continue };
            let mut observer = observer(channel, self.token.as_deref());
            let Ok(watched) = observer.watch_race(self.request(&race, last)).await else { continue };
            let mut watched = watched.into_inner();
            told.resumed += u64::from(last.is_some());
            let ended = loop {
                // By now, so that what comes after it is not missed.
                let is_over = *known.over.borrow();
                match watched.message().await {
                    Ok(Some(wire::WatchRaceResponse { message })) => match message.expect("a message") {
                        Message::Event(event) => {
                            last = Some(event.sequence);
                            told.events.push((event.sequence, event.encode_to_vec()));
                        }
                        Message::Snapshot(snapshot) => {
                            assert!(last.is_none(), "nobody asked for a snapshot");
                            (told.began_after, last) = (snapshot.sequence, Some(snapshot.sequence));
                        }
                        Message::CaughtUp(at) | Message::Heartbeat(at) => {
                            assert!(last.is_none_or(|last| at >= last), "{at} is before {last:?}");
                            last = Some(at);
                            if is_over {
                                return (self, told);
                            }
                        }
                    },
                    Ok(None) => unreachable!("no stream ends as if there were no more"),
                    Err(status) => break status,
                }
            };
            if reason(&ended) == "SHUTTING_DOWN" {
                assert_eq!(ended.code(), Code::Unavailable, "{ended:?}");
                known.told.send_modify(|told| *told += 1);
            }
            last = metadata(&ended, "resume_after").or(last);
        }
    }
}

/// Plays the race, whoever dies meanwhile, and tells each turn.
async fn play(race: Race, token: String, address: watch::Receiver<SocketAddr>, turn: watch::Sender<u32>) {
    let mut again = interval(AGAIN);
    for no in 1..=TURNS {
        let request = race.step(no);
        turn.send_replace(no);
        loop {
            again.tick().await;
            let at = *address.borrow();
            let Ok(channel) = channel(at).await else { continue };
            match admin(channel, &token).step_turn(request.clone()).await {
                Ok(_) => break,
                // Without details, it is the connection that has died.
                Err(status) => {
                    assert!(is_retryable(&status) || reason(&status).is_empty(), "turn {no}: {status:?}");
                }
            }
        }
    }
}

/// The events that a watcher must have been told, each with its number.
fn expected(events: &[Numbered], watcher: &Watcher, began_after: u64) -> Vec<(u64, Vec<u8>)> {
    let mut before = Rules::from_events([&events[0].event]).expect("a race");
    let mut told = Vec::new();
    let mut sequence = 0;
    for (index, numbered) in events.iter().enumerate() {
        if let Some(seen) = seen(&before, &numbered.event, watcher.viewer) {
            sequence += 1;
            let passes =
                watcher.filter.passes(kind::kind_of(&numbered.event), &kind::cars_of(&numbered.event));
            if sequence > began_after && passes {
                told.push((sequence, event::event(sequence, numbered.turn, &seen).encode_to_vec()));
            }
        }
        if index > 0 {
            before.apply(&numbered.event);
        }
    }
    told
}

/// A hundred of them: whoever may watch, from wherever they may, with filters and without.
fn watchers(admin: &str, teams: &[super::calls::TeamOf]) -> Vec<Watcher> {
    let filters = [
        Filter::default(),
        Filter { kinds: vec![Kind::Move, Kind::Turn], cars: Vec::new() },
        Filter { kinds: Vec::new(), cars: vec![CarId(1), CarId(5)] },
        Filter { kinds: vec![Kind::Fight, Kind::Score], cars: vec![CarId(2)] },
    ];
    let begins = [Begin::After(0), Begin::After(3), Begin::Snapshot];
    let one = |number: usize| {
        let (viewer, token) = match number % 5 {
            0 => (Viewer::Admin, Some(admin.to_owned())),
            team @ (1 | 2) => {
                let of = &teams[team - 1];
                (Viewer::Team(TeamId(of.id)), Some(of.secret.clone()))
            }
            _ => (Viewer::Spectator, None),
        };
        let begin = begins[number / 5 % begins.len()];
        Watcher { viewer, token, begin, filter: filters[number / 15 % filters.len()].clone() }
    };
    (0..WATCHERS).map(one).collect()
}

#[tokio::test]
async fn who_watches_sees_the_journal_whatever_becomes_of_the_game_master() {
    let (folder, cars) = (tempfile::tempdir().expect("a directory"), Cars::start().await);
    let data = folder.path().join("data");
    let mut child = Child::start(&data, &[]).await;
    let token = child.admin.clone().expect("it is new");
    let first = channel(child.address).await.expect("it serves");
    let (race, teams) = started(&mut admin(first.clone(), &token), &first, &cars).await;
    let (address, over) = (watch::channel(child.address).0, watch::channel(false).0);
    let known = Known { address: address.subscribe(), over: over.subscribe(), told: watch::channel(0).0 };
    let mut watching = JoinSet::new();
    for watcher in watchers(&token, &teams) {
        watching.spawn(watcher.watch(race.clone(), known.clone()));
    }
    let turn = watch::channel(0).0;
    let mut played = turn.subscribe();
    let playing = tokio::spawn(play(race.clone(), token, address.subscribe(), turn));
    for (at, end) in [(5, End::Killed), (11, End::Stopped), (17, End::Killed)] {
        let come = timeout(BOUND, played.wait_for(|turn| *turn >= at)).await.expect("turns are played");
        come.expect("somebody plays");
        match end {
            End::Killed => child.kill().await,
            End::Stopped => child.stop().await,
        };
        child = Child::start(&data, &[]).await;
        address.send_replace(child.address);
    }
    timeout(BOUND, playing).await.expect("the race is played to its end").expect("no panic");
    over.send_replace(true);
    let all = timeout(BOUND, watching.join_all()).await.expect("all are told all of it");
    child.stop().await;

    let events = on_disk(&data, &race.id).await;
    assert!(events.len() > 300, "{}", events.len());
    let mut resumed = 0;
    for (watcher, told) in all {
        let began_after = match watcher.begin {
            Begin::After(after) => after,
            Begin::Snapshot => told.began_after,
        };
        let expected = expected(&events, &watcher, began_after);
        let (told, times) = (told.events, told.resumed);
        let who = format!("{:?} from {:?} with {:?}", watcher.viewer, watcher.begin, watcher.filter);
        let numbers = |events: &[(u64, Vec<u8>)]| events.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(numbers(&told), numbers(&expected), "{who}");
        assert!(told == expected, "{who}: the same numbers, and other events");
        resumed += times;
    }
    assert!(resumed >= 2 * WATCHERS as u64, "they went on {resumed} times");
    assert!(*known.told.borrow() > 0, "nobody was told that the game master shuts down");
}

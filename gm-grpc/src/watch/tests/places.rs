//! Where a reader begins, goes on, and falls behind.

use super::*;
use crate::watch::{CannotRead, Kind};
use gm_core::ids::{CarId, Place as OnRing};
use gm_core::race::state::{BonusEffect, BonusPlan, Often};
use gm_core::race::view::view;

#[tokio::test]
async fn each_viewer_sees_what_the_journal_lets_through() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    served.set_up().await;
    // One looks from before the first turn on, one comes later: both are told the same.
    let mut early = Vec::new();
    for viewer in VIEWERS {
        early.push((viewer, served.read(viewer, Start::After(0), Mode::Lossless).await));
    }
    // What is told of the end of a bonus depends on what it was before.
    for (place, hidden) in [(290, false), (291, true)] {
        let (place, effect, often) = (OnRing(place), BonusEffect::Points(1), Often::Once);
        served.order(vec![Command::PlaceBonus(BonusPlan { place, effect, often, hidden })]).await;
    }
    let bonuses: Vec<_> = served.race.state().race.bonuses.values().map(|bonus| bonus.id).collect();
    served.order(bonuses.into_iter().map(Command::RemoveBonus).collect()).await;
    served.turns(4).await;
    for (viewer, mut reader) in early {
        let expected = served.expected(viewer).await;
        assert!(expected.len() > 50, "{}", expected.len());
        let mut late = served.read(viewer, Start::After(0), Mode::Lossless).await;
        assert_eq!(pairs(&until_caught_up(&mut late).await), expected, "{viewer:?}");
        assert_eq!(pairs(&until_caught_up(&mut reader).await), expected, "{viewer:?}");
    }
    served.end().await;
}

#[tokio::test]
async fn numbers_are_the_same_after_a_restart() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    served.set_up().await;
    served.turns(2).await;
    let mut before = BTreeMap::new();
    for (n, viewer) in VIEWERS.into_iter().enumerate() {
        let mut reader = served.read(viewer, Start::After(0), Mode::Lossless).await;
        before.insert(n, until_caught_up(&mut reader).await);
    }
    served.end().await;
    let served = place.serve(Settings::default()).await;
    served.turns(1).await;
    for (n, viewer) in VIEWERS.into_iter().enumerate() {
        let first = &before[&n];
        let after = first.last().expect("events").sequence;
        let mut again = served.read(viewer, Start::After(0), Mode::Lossless).await;
        let again = until_caught_up(&mut again).await;
        assert_eq!(again[..first.len()], first[..], "{viewer:?}");
        let mut on = served.read(viewer, Start::After(after), Mode::Lossless).await;
        assert_eq!(until_caught_up(&mut on).await, again[first.len()..], "{viewer:?}");
    }
    served.end().await;
}

#[tokio::test]
async fn a_snapshot_and_then_what_follows() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    served.set_up().await;
    served.turns(1).await;
    let mut reader = served.read(RED, Start::Snapshot, Mode::Lossless).await;
    let last = served.expected(RED).await.len() as u64;
    let Ok(Message::Snapshot(snapshot)) = next(&mut reader).await else { panic!("a snapshot") };
    assert_eq!((snapshot.sequence, &snapshot.race), (last, &view(&served.race.state().race, RED)));
    assert_eq!(served.chronicle().await.snapshot(RED).await.expect("a snapshot"), snapshot);
    assert_eq!(next(&mut reader).await.expect("it goes on"), Message::CaughtUp(last));
    served.turns(1).await;
    // What was committed before somebody asks is in there.
    let newer = served.chronicle().await.snapshot(RED).await.expect("a snapshot");
    assert_eq!(newer.race, view(&served.race.state().race, RED));
    let expected = served.expected(RED).await.split_off(usize::try_from(last).expect("few"));
    assert_eq!(pairs(&events(&mut reader, expected.len()).await), expected);
    served.end().await;
}

/// A turn is there all at once: whoever has read all that there is, is between two decisions.
#[tokio::test]
async fn nobody_has_read_everything_within_a_turn() {
    let place = Place::new();
    // Says where it is whenever there is nothing else to say.
    let served = place.serve(Settings { heartbeat: Duration::ZERO, ..Settings::default() }).await;
    served.set_up().await;
    let mut ends = vec![served.expected(Viewer::Spectator).await.len() as u64];
    let mut reader = served.read(Viewer::Spectator, Start::After(0), Mode::Lossless).await;
    let looking = tokio::spawn(async move {
        let mut silent_at = Vec::new();
        loop {
            match reader.next().await {
                Ok(Message::Event(_)) => {}
                Ok(message) => {
                    silent_at.push(message.resume_after());
                    tokio::task::yield_now().await;
                }
                Err(_) => return silent_at,
            }
        }
    });
    for _ in 0..5 {
        served.turns(1).await;
        ends.push(served.expected(Viewer::Spectator).await.len() as u64);
    }
    served.end().await;
    let mut silent_at = looking.await.expect("no panic");
    silent_at.dedup();
    assert!(silent_at.iter().all(|at| ends.contains(at)), "{silent_at:?} {ends:?}");
    assert!(silent_at.len() > 2, "{silent_at:?} {ends:?}");
}

/// Where a reader begins, how much is kept, and why it can't.
#[tokio::test]
async fn places_that_are_none() {
    let place = Place::new();
    let served = place.serve(Settings { retention: 5, ..Settings::default() }).await;
    served.set_up().await;
    served.turns(2).await;
    let last = served.expected(Viewer::Spectator).await.len() as u64;
    let chronicle = served.chronicle().await;
    for (after, expected) in [
        (0, format!("gone, oldest {}", last - 4)),
        (last - 6, format!("gone, oldest {}", last - 4)),
        (last - 5, "5 events".to_owned()),
        (last, "0 events".to_owned()),
        (last + 1, format!("beyond, last {last}")),
        (u64::MAX, format!("beyond, last {last}")),
    ] {
        let start = Start::After(after);
        let read = chronicle.read(Viewer::Spectator, start, Mode::Lossless, Filter::default()).await;
        let found = match read {
            Ok(mut reader) => format!("{} events", until_caught_up(&mut reader).await.len()),
            Err(CannotRead::Gone { oldest }) => format!("gone, oldest {oldest}"),
            Err(CannotRead::Beyond { last }) => format!("beyond, last {last}"),
            Err(error) => panic!("{error}"),
        };
        assert_eq!(found, expected, "after {after}");
    }
    let nobody =
        chronicle.read(Viewer::Team(TeamId(3)), Start::Snapshot, Mode::Latest, Filter::default()).await;
    assert!(matches!(nobody, Err(CannotRead::NoSuchTeam(TeamId(3)))));
    served.order(vec![team("Blue")]).await;
    let mut blue = served.read(Viewer::Team(TeamId(3)), Start::Snapshot, Mode::Latest).await;
    assert!(matches!(next(&mut blue).await, Ok(Message::Snapshot(_))));
    served.end().await;
}

#[tokio::test]
async fn who_falls_behind_is_told_from_where_to_go_on() {
    let place = Place::new();
    let served = place.serve(Settings { buffer: 10, ..Settings::default() }).await;
    served.set_up().await;
    let mut lossless = served.read(RED, Start::After(0), Mode::Lossless).await;
    let mut latest = served.read(RED, Start::After(0), Mode::Latest).await;
    let mut told = until_caught_up(&mut lossless).await;
    until_caught_up(&mut latest).await;
    // One turn is more than the buffer, but nobody could have read it yet.
    served.turns(1).await;
    let one = events(&mut lossless, 11).await;
    told.extend(one);
    served.turns(3).await;
    let expected = served.expected(RED).await;
    // Its view has everything when another reader of it has.
    until_caught_up(&mut served.read(RED, Start::After(0), Mode::Lossless).await).await;
    let after = told.last().expect("events").sequence;
    for _ in 0..2 {
        let ended = next(&mut lossless).await.expect_err("it fell behind");
        assert!(matches!(ended, Ended::FellBehind { resume_after } if resume_after == after), "{ended:?}");
    }
    told.extend(until_caught_up(&mut served.read(RED, Start::After(after), Mode::Lossless).await).await);
    assert_eq!(pairs(&told), expected, "nothing is lost and nothing comes twice");

    let last = expected.len() as u64;
    let Ok(Message::Snapshot(snapshot)) = next(&mut latest).await else { panic!("a snapshot") };
    assert_eq!(snapshot.sequence, last);
    assert_eq!(next(&mut latest).await.expect("it goes on"), Message::CaughtUp(last));
    served.turns(1).await;
    assert_eq!(events(&mut latest, 1).await[0].sequence, last + 1);
    served.end().await;
}

#[tokio::test]
async fn who_still_catches_up_reads_at_its_own_speed_until_retention_passes_it() {
    let place = Place::new();
    let served = place.serve(Settings { buffer: 1, retention: 60, ..Settings::default() }).await;
    served.set_up().await;
    let mut lossless = served.read(RED, Start::After(0), Mode::Lossless).await;
    let mut latest = served.read(RED, Start::After(0), Mode::Latest).await;
    events(&mut lossless, 1).await;
    events(&mut latest, 1).await;
    served.turns(1).await;
    drop(served.read(RED, Start::Snapshot, Mode::Latest).await);
    assert_eq!(events(&mut lossless, 1).await[0].sequence, 2, "it was never caught up, so it is not behind");
    served.turns(9).await;
    let mut other = served.read(RED, Start::Snapshot, Mode::Latest).await;
    let Ok(Message::Snapshot(newest)) = next(&mut other).await else { panic!("a snapshot") };
    let ended = next(&mut lossless).await.expect_err("it is gone");
    assert!(matches!(ended, Ended::Gone { oldest } if oldest == newest.sequence - 59), "{ended:?}");
    assert_eq!(next(&mut latest).await.expect("it goes on"), Message::Snapshot(newest));
    served.end().await;
}

/// What the filter hides is counted, and moves the reader on.
#[tokio::test]
async fn filtered() {
    let place = Place::new();
    let served = place.serve(Settings { heartbeat: Duration::from_secs(7), ..Settings::default() }).await;
    served.set_up().await;
    served.turns(3).await;
    let expected = served.expected(Viewer::Spectator).await;
    let chronicle = served.chronicle().await;
    let filter = Filter { kinds: vec![Kind::Move], cars: vec![CarId(2)] };
    let start = Start::After(0);
    let mut reader =
        chronicle.read(Viewer::Spectator, start, Mode::Lossless, filter.clone()).await.expect("a reader");
    let moves = until_caught_up(&mut reader).await;
    assert!(moves.len() > 1 && moves.iter().all(|shown| filter.passes(shown.kind, &shown.cars)), "{moves:?}");
    assert!(moves.iter().all(|shown| expected.contains(&(shown.sequence, shown.event.clone()))));
    assert_eq!(reader.position(), expected.len() as u64);
    // Nothing of what the jury does is a move: only its number is told, when it is time to say something.
    served.order(vec![Command::Pause]).await;
    let last = served.expected(Viewer::Spectator).await.len() as u64;
    until_caught_up(&mut served.read(Viewer::Spectator, Start::After(last), Mode::Lossless).await).await;
    tokio::time::pause();
    let before = tokio::time::Instant::now();
    assert_eq!(next(&mut reader).await.expect("it goes on"), Message::Heartbeat(last));
    assert!(before.elapsed() <= Duration::from_secs(7));
    tokio::time::resume();
    served.end().await;
}

/// 100 read, one does not: the race does not wait for it, nor do they.
#[tokio::test]
async fn who_does_not_read_slows_nobody() {
    let place = Place::new();
    let served = place.serve(Settings { buffer: 20, ..Settings::default() }).await;
    served.set_up().await;
    let mut unread = served.read(Viewer::Spectator, Start::After(0), Mode::Lossless).await;
    until_caught_up(&mut unread).await;
    let mut reading = Vec::new();
    for n in 0..100 {
        let mut reader = served.read(VIEWERS[n % VIEWERS.len()], Start::After(0), Mode::Latest).await;
        reading.push(tokio::spawn(async move {
            let mut told = Vec::new();
            loop {
                match reader.next().await {
                    Ok(Message::Event(shown)) => told.push(shown),
                    Ok(Message::CaughtUp(_) | Message::Heartbeat(_)) => {}
                    Ok(Message::Snapshot(snapshot)) => {
                        panic!("it missed what is before {}", snapshot.sequence)
                    }
                    Err(ended) => return (told, ended),
                }
            }
        }));
    }
    tokio::time::timeout(BOUND, served.turns(10)).await.expect("the race waits for nobody");
    let mut expected = Vec::new();
    for viewer in VIEWERS {
        expected.push(served.expected(viewer).await);
    }
    served.end().await;
    for (n, reader) in reading.into_iter().enumerate() {
        let (told, ended) = reader.await.expect("no panic");
        assert!(pairs(&told) == expected[n % VIEWERS.len()], "reader {n}");
        assert!(matches!(ended, Ended::ShuttingDown), "{ended:?}");
    }
    assert!(matches!(next(&mut unread).await, Err(Ended::FellBehind { .. })));
}

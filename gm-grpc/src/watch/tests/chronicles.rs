//! Which chronicle is whose, and how many there are.

use super::*;
use crate::control::CannotOwn;
use crate::export::{from_journal, into_journal};
use crate::watch::CannotRead;
use futures_util::future::join_all;

#[tokio::test]
async fn one_for_all_who_come_at_once() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    let all = join_all((0..20).map(|_| served.chronicle())).await;
    assert!(all.iter().all(|chronicle| Arc::ptr_eq(chronicle, &all[0])));
    drop(all);
    let none = served.chronicles.of(&id("none")).await;
    assert!(matches!(none, Err(CannotRead::NotOwned(CannotOwn::Journal(_)))));
    served.end().await;
}

/// Views that are opened at once, by many, while turns are played, all of it at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_view_for_all_who_come_at_once() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    served.set_up().await;
    served.turns(1).await;
    let chronicle = served.chronicle().await;
    let readers = (0..40).map(|n| {
        chronicle.read(VIEWERS[n % VIEWERS.len()], Start::After(0), Mode::Lossless, Filter::default())
    });
    let (readers, ()) = tokio::join!(join_all(readers), served.turns(3));
    for (n, reader) in readers.into_iter().enumerate() {
        let mut reader = reader.expect("a reader");
        let expected = served.expected(VIEWERS[n % VIEWERS.len()]).await;
        let mut told = Vec::new();
        while told.len() < expected.len() {
            if let Message::Event(shown) = next(&mut reader).await.expect("it goes on") {
                told.push(shown);
            }
        }
        assert_eq!(pairs(&told), expected, "reader {n}");
    }
    served.end().await;
}

#[tokio::test]
async fn too_many() {
    use crate::watch::MOST_CHRONICLES;
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    let rules = Rules::balanced().validated().expect("good rules");
    for n in 0..=MOST_CHRONICLES {
        served.races.create(new_race(&format!("race-{n}")), rules.clone()).await.expect("a race");
    }
    let mut held = Vec::new();
    for n in 0..MOST_CHRONICLES {
        held.push(served.chronicles.of(&id(&format!("race-{n}"))).await.expect("a chronicle"));
    }
    let one_more = id(&format!("race-{MOST_CHRONICLES}"));
    assert!(matches!(served.chronicles.of(&one_more).await, Err(CannotRead::TooManyRaces)));
    // The one that nobody looks at goes, and the others stay.
    let reader = held[7].read(Viewer::Admin, Start::Snapshot, Mode::Latest, Filter::default()).await;
    drop(held.remove(9));
    drop(held.remove(7));
    served.chronicles.of(&one_more).await.expect("there is room");
    let eighth = served.chronicles.of(&id("race-8")).await.expect("a chronicle");
    assert!(Arc::ptr_eq(&eighth, &held[7]));
    drop(reader);
    served.end().await;
}

/// A race that is not played here is shown as it is in the journal.
#[tokio::test]
async fn an_imported_race() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    served.set_up().await;
    served.turns(2).await;
    let mut exported = Vec::new();
    from_journal(served.races.journal(), &id("race"), &mut exported).await.expect("an export");
    let mut expected = Vec::new();
    for viewer in VIEWERS {
        expected.push(served.expected(viewer).await);
    }
    served.end().await;

    let elsewhere = Place::new();
    let directory = DataDirectory::open(elsewhere.directory.path()).expect("a directory of our own");
    let journal = Journal::open(directory).await.expect("a journal");
    into_journal(exported.as_slice(), &journal, None).await.expect("an import");
    let races = Races::new(journal, InMemory(MemoryWorld::default()), crate::control::Settings::default());
    let races = Arc::new(races);
    let settings = Settings { heartbeat: Duration::from_secs(3), ..Settings::default() };
    let chronicles = Chronicles::new(Arc::clone(&races) as Arc<dyn crate::watch::Owners>, settings);
    let chronicle = chronicles.of(&id("race")).await.expect("a chronicle");
    for (viewer, expected) in VIEWERS.into_iter().zip(expected) {
        let start = Start::After(0);
        let mut reader =
            chronicle.read(viewer, start, Mode::Lossless, Filter::default()).await.expect("a reader");
        assert_eq!(pairs(&until_caught_up(&mut reader).await), expected, "{viewer:?}");
        tokio::time::pause();
        assert!(matches!(next(&mut reader).await, Ok(Message::Heartbeat(_))));
        tokio::time::resume();
    }
    races.shut_down(BOUND).await.expect("the journal closes");
}

/// A race of other rules is not played here either.
#[tokio::test]
async fn a_race_of_another_revision() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    let (_, made) = Race::create(Rules::balanced().validated().expect("good rules"), Seed(3));
    let mut numbers = crate::journal::Numbers::default();
    let made: Vec<_> = made.into_iter().map(|event| numbers.next(event)).collect();
    let new = NewRace { revision: REVISION + 1, ..new_race("other") };
    served.races.journal().create(new, &made, None).await.expect("a race");
    let chronicle = served.chronicles.of(&id("other")).await.expect("a chronicle");
    let read = chronicle.read(Viewer::Admin, Start::After(0), Mode::Lossless, Filter::default()).await;
    let events = until_caught_up(&mut read.expect("a reader")).await;
    assert_eq!(events.len(), made.len());
    served.end().await;
}

/// A view that can't be made says why; those that are open go on, and it is made when it can be.
#[tokio::test]
async fn an_event_that_cannot_be_read() {
    let place = Place::new();
    let served = place.serve(Settings::default()).await;
    served.set_up().await;
    let mut open = served.read(RED, Start::Snapshot, Mode::Lossless).await;
    assert!(matches!(next(&mut open).await, Ok(Message::Snapshot(_))));
    assert!(matches!(next(&mut open).await, Ok(Message::CaughtUp(_))));
    let chronicle = served.chronicle().await;
    let read = || chronicle.read(GREEN, Start::Snapshot, Mode::Lossless, Filter::default());
    place.tamper("UPDATE events SET body = '?' || body WHERE seq = 2").await;
    for _ in 0..2 {
        assert!(matches!(read().await.map(drop), Err(CannotRead::Journal(_))));
    }
    served.turns(1).await;
    assert_eq!(events(&mut open, 1).await[0].turn, TurnNo(1));
    place.tamper("UPDATE events SET body = substr(body, 2) WHERE seq = 2").await;
    read().await.expect("a reader");
    served.end().await;
}

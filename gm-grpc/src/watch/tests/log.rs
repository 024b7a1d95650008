//! The log of a team, followed.

use super::*;
use crate::team_log::Entry;
use crate::watch::{CannotRead, LogMessage, LogReader};

async fn open(served: &Served, after: u64, settings: &Settings) -> Result<LogReader, CannotRead> {
    let journal = served.races.journal().clone();
    let record = served.race.record().clone();
    LogReader::open(journal, record, Some(served.race.clone()), TeamId(1), after, settings).await
}

async fn next(reader: &mut LogReader) -> Result<LogMessage, Ended> {
    tokio::time::timeout(BOUND, reader.next()).await.expect("something is told")
}

async fn until_caught_up(reader: &mut LogReader) -> Vec<Entry> {
    let mut entries = Vec::new();
    loop {
        match next(reader).await.expect("it goes on") {
            LogMessage::Entry(entry) => entries.push(*entry),
            LogMessage::CaughtUp(last) => {
                assert_eq!(last, reader.position());
                return entries;
            }
            LogMessage::Heartbeat(last) => panic!("silence after {last}"),
        }
    }
}

#[tokio::test]
async fn from_the_first_entry_on_and_from_each_other() {
    let place = Place::new();
    let settings = Settings { heartbeat: BOUND, ..Settings::default() };
    let served = place.serve(settings.clone()).await;
    served.set_up().await;
    let mut early = open(&served, 0, &settings).await.expect("a reader");
    let mut told = until_caught_up(&mut early).await;
    served.turns(3).await;
    let mut late = open(&served, 0, &settings).await.expect("a reader");
    let all = until_caught_up(&mut late).await;
    assert!(all.len() > told.len() && all.iter().map(|entry| entry.number).eq(1..=all.len() as u64));
    while told.len() < all.len() {
        let LogMessage::Entry(entry) = next(&mut early).await.expect("it goes on") else { continue };
        told.push(*entry);
    }
    assert_eq!(told, all);
    for after in (0..=all.len()).step_by(7) {
        let mut reader = open(&served, after as u64, &settings).await.expect("a reader");
        assert_eq!(until_caught_up(&mut reader).await, all[after..], "after {after}");
    }
    let last = all.len() as u64;
    for after in [last + 1, u64::MAX] {
        let beyond = open(&served, after, &settings).await.map(drop);
        assert!(matches!(beyond, Err(CannotRead::Beyond { last: there }) if there == last), "{beyond:?}");
    }
    served.end().await;
    assert!(matches!(next(&mut early).await, Err(Ended::ShuttingDown)));
}

#[tokio::test]
async fn a_word_after_each_silence() {
    let place = Place::new();
    let settings = Settings { heartbeat: Duration::from_millis(50), ..Settings::default() };
    let served = place.serve(settings.clone()).await;
    served.set_up().await;
    let mut reader = open(&served, 0, &settings).await.expect("a reader");
    let last = until_caught_up(&mut reader).await.len() as u64;
    for _ in 0..2 {
        assert_eq!(next(&mut reader).await.expect("it goes on"), LogMessage::Heartbeat(last));
    }
    served.turns(1).await;
    loop {
        if let LogMessage::Entry(entry) = next(&mut reader).await.expect("it goes on") {
            assert_eq!(entry.number, last + 1);
            break;
        }
    }
    served.end().await;
}

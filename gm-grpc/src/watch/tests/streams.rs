//! From a reader to a client: silence, a client that does not read, and the end.

use super::*;
use crate::watch::pump::MOST_UNREAD;
use crate::watch::{Reads, StreamsOpen, stream};
use futures_util::{Stream, StreamExt as _};
use std::future::pending;
use std::pin::Pin;
use tokio::time::Instant;

type Told<M> = Pin<Box<dyn Stream<Item = Result<M, Ended>> + Send>>;

fn boxed(reader: Reader, settings: &Settings, open: &StreamsOpen) -> Told<Message> {
    Box::pin(stream(reader, settings, pending(), open))
}

/// All that a stream still has, and how it ended.
async fn rest<M>(told: &mut Told<M>) -> (Vec<M>, Ended) {
    let mut messages = Vec::new();
    loop {
        match tokio::time::timeout(BOUND, told.next()).await.expect("something is told") {
            Some(Ok(message)) => messages.push(message),
            Some(Err(ended)) => {
                assert!(told.next().await.is_none(), "an error is the last");
                return (messages, ended);
            }
            None => panic!("it ended without a word"),
        }
    }
}

/// Waits until nobody reads any more.
async fn until_none_is_open(open: &StreamsOpen) {
    let wait = async {
        while open.count() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(BOUND, wait).await.expect("its task ends");
}

#[tokio::test]
async fn a_word_after_each_silence() {
    let place = Place::new();
    let settings = Settings { heartbeat: Duration::from_secs(3), ..Settings::default() };
    let served = place.serve(settings).await;
    let mut reader = served.read(Viewer::Spectator, Start::Snapshot, Mode::Lossless).await;
    assert!(matches!(next(&mut reader).await, Ok(Message::Snapshot(_))));
    assert!(matches!(next(&mut reader).await, Ok(Message::CaughtUp(_))));
    tokio::time::pause();
    for beat in 1..=3 {
        let before = Instant::now();
        assert_eq!(next(&mut reader).await.expect("it goes on"), Message::Heartbeat(reader.position()));
        let silence = before.elapsed();
        assert!(silence > Duration::from_secs(2) && silence < Duration::from_secs(4), "{beat}: {silence:?}");
    }
    tokio::time::resume();
    served.end().await;
}

/// A client that takes nothing is given up when its time is up, and loses nothing of what it was told.
#[tokio::test]
async fn a_client_that_does_not_read() {
    let place = Place::new();
    let settings = Settings { send_limit: Duration::from_secs(5), ..Settings::default() };
    let served = place.serve(settings.clone()).await;
    served.set_up().await;
    served.turns(8).await;
    assert!(served.expected(RED).await.len() > MOST_UNREAD);
    let open = StreamsOpen::default();
    let mut told = boxed(served.read(RED, Start::After(0), Mode::Lossless).await, &settings, &open);
    assert_eq!(open.count(), 1);
    tokio::time::pause();
    let before = Instant::now();
    // Nobody takes anything: time runs until the task gives up.
    let gone = async {
        while open.count() > 0 {
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    };
    tokio::time::timeout(BOUND, gone).await.expect("it is given up");
    let took = before.elapsed();
    assert!(took >= settings.send_limit && took < 3 * settings.send_limit, "{took:?}");
    tokio::time::resume();
    let (messages, ended) = rest(&mut told).await;
    assert_eq!(messages.len(), MOST_UNREAD);
    let last = messages.last().expect("some").resume_after();
    assert!(matches!(ended, Ended::FellBehind { resume_after } if resume_after == last), "{ended:?}");
    let mut on = served.read(RED, Start::After(last), Mode::Lossless).await;
    assert_eq!(until_caught_up(&mut on).await[0].sequence, last + 1);
    served.end().await;
}

/// In the other mode it is waited for, and then it is told how things are.
#[tokio::test]
async fn a_client_that_wants_the_latest_and_does_not_read() {
    let place = Place::new();
    let settings = Settings { send_limit: Duration::from_secs(5), ..Settings::default() };
    let served = place.serve(settings.clone()).await;
    served.set_up().await;
    served.turns(8).await;
    assert!(served.expected(RED).await.len() > MOST_UNREAD);
    let open = StreamsOpen::default();
    let mut told = boxed(served.read(RED, Start::After(0), Mode::Latest).await, &settings, &open);
    tokio::time::pause();
    for _ in 0..10 {
        tokio::time::advance(Duration::from_secs(1)).await;
        tokio::task::yield_now().await;
    }
    tokio::time::resume();
    assert_eq!(open.count(), 1, "it is waited for");
    served.turns(1).await;
    drop(served.read(RED, Start::Snapshot, Mode::Latest).await);
    let last = served.expected(RED).await.len() as u64;
    for sequence in 1..=MOST_UNREAD as u64 {
        let message = told.next().await.expect("more").expect("it goes on");
        assert_eq!(message.resume_after(), sequence, "what was told stays told");
    }
    let Some(Ok(Message::Snapshot(snapshot))) = told.next().await else { panic!("a snapshot") };
    assert_eq!(snapshot.sequence, last);
    assert!(matches!(told.next().await, Some(Ok(Message::CaughtUp(caught_up))) if caught_up == last));
    served.end().await;
}

/// How a stream ends that nobody gives up.
#[tokio::test]
async fn ends() {
    let place = Place::new();
    let settings = Settings::default();
    let served = place.serve(settings.clone()).await;
    served.set_up().await;
    let open = StreamsOpen::default();
    let chronicle = served.chronicle().await;
    let last = served.expected(RED).await.len();

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let stop_it = async move { drop(stopped.await) };
    let reader = served.read(RED, Start::After(0), Mode::Lossless).await;
    let mut told: Told<Message> = Box::pin(stream(reader, &settings, stop_it, &open));
    let mut messages = Vec::new();
    while !matches!(messages.last(), Some(Message::CaughtUp(_))) {
        messages.push(told.next().await.expect("more").expect("it goes on"));
    }
    assert_eq!(messages.len(), last + 1);
    stop.send(()).expect("it is waited for");
    let (messages, ended) = rest(&mut told).await;
    assert!(messages.is_empty() && matches!(ended, Ended::ShuttingDown), "{messages:?} {ended:?}");

    // Who drops it ends the task, also while there is nothing to tell.
    let mut dropped = boxed(served.read(RED, Start::Snapshot, Mode::Lossless).await, &settings, &open);
    assert!(matches!(dropped.next().await, Some(Ok(Message::Snapshot(_)))));
    assert!(matches!(dropped.next().await, Some(Ok(Message::CaughtUp(_)))));
    assert_eq!(open.count(), 1);
    drop(dropped);
    until_none_is_open(&open).await;

    // The game master shuts down: all that was committed is told, and then why no more comes.
    let mut told = boxed(served.read(RED, Start::After(0), Mode::Lossless).await, &settings, &open);
    served.turns(1).await;
    let expected = served.expected(RED).await.len() as u64;
    served.end().await;
    let (messages, ended) = rest(&mut told).await;
    assert!(matches!(ended, Ended::ShuttingDown), "{ended:?}");
    assert_eq!(messages.last().expect("some").resume_after(), expected);
    assert!(chronicle.is_ended());
    let refused = chronicle.read(RED, Start::Snapshot, Mode::Lossless, Filter::default()).await;
    assert!(matches!(refused, Err(crate::watch::CannotRead::ShuttingDown)));
}

/// A reader whose task dies.
struct Panics;

impl Reads for Panics {
    type Message = ();

    async fn next(&mut self) -> Result<(), Ended> {
        panic!("a bug")
    }

    fn stalled(&mut self) -> Result<(), Ended> {
        Ok(())
    }
}

#[tokio::test]
async fn no_stream_ends_as_if_there_were_no_more() {
    let open = StreamsOpen::default();
    let mut told: Told<()> = Box::pin(stream(Panics, &Settings::default(), pending(), &open));
    let (messages, ended) = rest(&mut told).await;
    assert!(messages.is_empty() && matches!(ended, Ended::ShuttingDown), "{ended:?}");
    assert_eq!(open.count(), 0);
}

//! A race from a turn on, as it was.

use super::*;
use crate::watch::{CannotRead, Replay, Snapshot};
use gm_core::race::Event;
use gm_core::race::view::view;

/// From each turn on: the race as it was told when that turn began, and then all that followed.
#[tokio::test]
async fn from_each_turn_on() {
    let place = Place::new();
    let served = place.serve(Settings { retention: 3, ..Settings::default() }).await;
    let mut before = vec![(TurnNo(0), served.race.state().race, 1)];
    served.set_up().await;
    for turn in 1..=4 {
        let race = served.race.state().race;
        before.push((TurnNo(turn), race, served.expected(GREEN).await.len()));
        served.turns(1).await;
    }
    let all = served.expected(GREEN).await;
    let chronicle = served.chronicle().await;
    for (turn, race, first) in before {
        let mut replay = Replay::begin(&chronicle, GREEN, turn).await.expect("a replay");
        let snapshot = Snapshot { sequence: first as u64, race: view(&race, GREEN) };
        assert_eq!(**replay.snapshot(), snapshot, "turn {turn}");
        let mut told = Vec::new();
        while let Some(shown) = replay.next().await.expect("readable") {
            told.push(shown);
        }
        assert_eq!(pairs(&told), all[first..], "turn {turn}");
        if turn > TurnNo(0) {
            assert_eq!(told[0].event, Seen::Whole(Event::TurnStarted { turn }));
        }
    }
    let beyond = Replay::begin(&chronicle, GREEN, TurnNo(5)).await.map(drop);
    assert!(matches!(beyond, Err(CannotRead::NoSuchTurn { last: TurnNo(4) })), "{beyond:?}");
    served.end().await;
}

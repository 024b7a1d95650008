//! spot checks.
//!
//! By chance a car is asked for its state, and must know its square and its modules; else a penalty, and the right
//! values are sent again.

use super::conversation::Conversation;
use super::event::{Event, Fact};
use super::turn::Turn;
use super::verification::What;
use crate::contract::{Found, Kind};
use crate::ports::{Topic, World};
use crate::random::Purpose;
use futures_util::future::join_all;

pub(super) async fn run<W: World>(turn: &mut Turn<'_, W>) {
    let (seed, number, percent) = (turn.race.seed, turn.race.turn, turn.race.rules.spot_check_percent);
    let checks = turn
        .race
        .racing_in_priority()
        .into_iter()
        .filter(|car| seed.stream(number, Purpose::SpotCheck, *car).percent(percent))
        .filter_map(|car| Some(check(turn.converse(Topic::SpotCheck, car)?)));
    let checked = join_all(checks).await;
    turn.emit_all(checked.into_iter().flatten());
}

async fn check<W: World>(mut car: Conversation<'_, W>) -> Vec<Event> {
    if let Some(breach) = car.verify(What::State).await {
        let (square, modules) = match &breach.found {
            Found::Value(Fact::State { square, modules }) => (Some(*square), Some(*modules)),
            _ => (None, None),
        };
        car.penalise(breach);
        let right = car.car.counts();
        if square != Some(u64::from(car.car.square.0)) {
            car.resend_square().await;
        }
        for kind in Kind::ALL {
            if modules.map(|modules| modules.of(kind)) != Some(right.of(kind)) {
                car.correct_count(kind).await;
            }
        }
    }
    car.take_events()
}

//! a turn, in this order.
//!
//! Each phase reads the race as the phase before has left it. Within a phase the cars are talked to at the same
//! time, each in a conversation of its own; what they share (a team's money, achievements, bonuses) is settled
//! between the conversations, in the turn's order of priority. So a phase takes as long as its slowest car,
//! and the outcome does not depend on who answers first.

use super::command::{Arrival, Refusal};
use super::conversation::Conversation;
use super::event::Event;
use super::state::{Life, Race};
use super::{achievements, bonus, encounter, fight, life, scoring, spot_check, start, track};
use crate::ids::CarId;
use crate::ports::{Topic, World};

/// What came of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Everything that happened, in order.
    pub events: Vec<Event>,
    /// What became of the commands that had arrived, in order of arrival.
    pub settled: Vec<Result<(), Refusal>>,
}

/// Plays one turn of a running race. The commands that arrived since the last one take effect first, in
/// order of arrival; if they leave the race paused or finished, there is no turn.
///
/// # Errors
/// [`Refusal::NotRunning`] if the race is not running; nobody was asked anything then.
pub async fn play<W: World>(race: &Race, world: &W, inbox: &[Arrival]) -> Result<Played, Refusal> {
    if race.life != Life::Running {
        return Err(Refusal::NotRunning);
    }
    let mut turn = Turn::of(race, world);
    let settled = start::settle_inbox(&mut turn, inbox).await;
    if turn.race.life == Life::Running {
        start::run(&mut turn).await;
        track::run(&mut turn).await;
        bonus::run(&mut turn).await;
        fight::run(&mut turn).await;
        encounter::run(&mut turn).await;
        spot_check::run(&mut turn).await;
        achievements::settle(&mut turn);
        scoring::settle(&mut turn);
        life::complete_turn(&mut turn).await;
    }
    Ok(Played { events: turn.events, settled })
}

/// A turn, or a command, while it happens: the race as it is by now, and what has happened.
pub(super) struct Turn<'w, W: World> {
    pub(super) world: &'w W,
    pub(super) race: Race,
    pub(super) events: Vec<Event>,
}

impl<'w, W: World> Turn<'w, W> {
    pub(super) fn of(race: &Race, world: &'w W) -> Turn<'w, W> {
        Turn { world, race: race.clone(), events: Vec::new() }
    }

    /// Something happens.
    pub(super) fn emit(&mut self, event: Event) {
        self.race.apply(&event);
        self.events.push(event);
    }

    pub(super) fn emit_all(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            self.emit(event);
        }
    }

    /// Opens a conversation with a car; none if there is no such car.
    pub(super) fn converse(&self, topic: Topic, car: CarId) -> Option<Conversation<'_, W>> {
        Some(Conversation::open(&self.race, self.world, topic, self.race.cars.get(&car)?))
    }
}

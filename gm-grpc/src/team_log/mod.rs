//! A team's own log: what its cars and AIs were asked and answered, and what became of them.
//!
//! ```text
//! #14  turn 3  car 1  GET http://red-1/engine/count: 200 {"res":2} in 4 ms
//! #15  turn 3  car 1 is penalised: GET /engine/count: expected 3, found 2
//! ```
//!
//! It is made of entries, numbered from 1 without a gap, and only ever grows. By decision: first the exchanges of the
//! decision with the team's cars, AIs and resources, in the order in which they were journalled, as soon as they are;
//! then, when it is committed, its events. So an entry's number is all that is needed to go on reading from there.
//!
//! Which events a team sees, and what of them, is decided by [`seen`] (R-11), and nothing else shows any. Of those that
//! it sees, the log has what concerns it: what is its own, what its cars have with other cars, and what concerns all. What
//! other teams do among themselves is for spectators.
//!
//! - [`entry`]: what an entry is, with its bounds; its line of text and its JSON.
//! - [`read`]: reads a log from the journal, page by page.

pub mod entry;
pub mod read;
#[cfg(test)]
mod tests;

pub use entry::{Asked, Came, Entry, Happened, Shown, What};
pub use read::Reader;

use crate::journal::{Exchange, Moment, Numbered};
use gm_core::ids::{CarId, TeamId, TurnNo};
use gm_core::race::event::Combatant;
use gm_core::race::view::{Viewer, seen, team_of};
use gm_core::race::{Event, Race};

/// The log of one team, as it is made from exchanges and events, which come in order.
#[derive(Debug, Clone)]
pub struct TeamLog {
    team: TeamId,
    /// The race after the last event; none before the first.
    race: Option<Race>,
    /// The number of the last entry.
    last: u64,
}

impl TeamLog {
    /// The log of a team, before the first event of its race.
    #[must_use]
    pub fn new(team: TeamId) -> TeamLog {
        TeamLog { team, race: None, last: 0 }
    }

    /// Whose it is.
    #[must_use]
    pub fn team(&self) -> TeamId {
        self.team
    }

    /// The number of the last entry; 0 before the first.
    #[must_use]
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The next exchange of the race; none if it stands in no log, or in another team's.
    pub fn exchange(&mut self, exchange: &Exchange) -> Option<Entry> {
        (exchange.team == Some(self.team)).then(|| {
            let what = What::Exchange(Box::new(Asked::of(exchange)));
            self.entry(exchange.turn, exchange.at, what)
        })
    }

    /// The next event of the race, committed at a moment; none if the team does not see it, or it does not concern it.
    pub fn event(&mut self, numbered: &Numbered, at: Moment) -> Option<Entry> {
        let Numbered { sequence: _, turn, event } = numbered;
        let shown = match &self.race {
            Some(before) if concerns(before, event, self.team) => {
                seen(before, event, Viewer::Team(self.team))
            }
            Some(_) => None,
            // There is no race before the first event, and the first event concerns no team.
            None => Race::from_events([event]).and_then(|race| seen(&race, event, Viewer::Team(self.team))),
        };
        match &mut self.race {
            Some(race) => race.apply(event),
            None => self.race = Race::from_events([event]),
        }
        let event = shown?;
        Some(self.entry(*turn, at, What::Event(Box::new(Happened { event }))))
    }

    /// Passes over so many of the team's exchanges, which are numbered all the same.
    fn pass_over(&mut self, exchanges: u64) {
        self.last += exchanges;
    }

    fn entry(&mut self, turn: TurnNo, at: Moment, what: What) -> Entry {
        self.last += 1;
        Entry { number: self.last, turn, at, what }
    }
}

/// Whether an event concerns a team: it is its own, one of its cars is in it, or it is nobody's.
fn concerns(before: &Race, event: &Event, team: TeamId) -> bool {
    let own = |car: &CarId| before.cars.get(car).is_some_and(|car| car.team == team);
    let fights = |combatant: &Combatant| matches!(combatant, Combatant::Car(car) if own(car));
    match event {
        Event::CarsMet { cars, .. }
        | Event::FightDeclined { cars, .. }
        | Event::FightStarted { cars, .. } => cars.iter().any(own),
        Event::DuelStarted { duellists, .. } | Event::DuelPlayed { duellists, .. } => {
            duellists.iter().any(fights)
        }
        Event::FightDrawn { combatants } => combatants.iter().any(fights),
        Event::FightWon { against, .. } | Event::FightLost { against, .. } if fights(against) => true,
        event => team_of(before, event).is_none_or(|owner| owner == team),
    }
}

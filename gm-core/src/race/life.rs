//! the life of a race, and when it ends.

use super::event::Event;
use super::rules::ValidRules;
use super::scoring;
use super::state::{Ending, Race};
use super::turn::Turn;
use super::{REVISION, bonus};
use crate::ports::World;
use crate::random::Seed;

impl Race {
    /// Makes a race, with the bonuses that lie on the ring from the start. Gives the race and its first
    /// events.
    #[must_use]
    pub fn create(rules: ValidRules, seed: Seed) -> (Race, Vec<Event>) {
        let mut race = Race::empty(rules.clone(), seed);
        let mut events = vec![Event::RaceCreated { revision: REVISION, seed, rules }];
        events.extend(bonus::at_creation(&race));
        for event in &events {
            race.apply(event);
        }
        (race, events)
    }
}

/// The turn is complete; the race may be over with it.
pub(super) async fn complete_turn<W: World>(turn: &mut Turn<'_, W>) {
    let number = turn.race.turn;
    turn.emit(Event::TurnCompleted { turn: number });
    let time_up = turn.world.running_time_is_up(number, turn.race.rules.running_time).await;
    let last_turn = turn.race.rules.max_turns.is_some_and(|most| number.0 >= most);
    let nobody_left = turn.race.idle_turns >= turn.race.rules.idle_turns;
    let ending = match (time_up, last_turn, nobody_left) {
        (true, _, _) => Ending::TimeUp,
        (_, true, _) => Ending::LastTurn,
        (_, _, true) => Ending::NobodyLeft,
        (false, false, false) => return,
    };
    finish(turn, ending);
}

/// The race is over: the awards of the end are given.
pub(super) fn finish<W: World>(turn: &mut Turn<'_, W>, ending: Ending) {
    turn.emit(Event::RaceFinished { ending });
    scoring::settle(turn);
}

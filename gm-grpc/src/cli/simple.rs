//! Who owns a race while it runs.
//!
//! ```text
//! control.order(commands)   between two turns
//! control.play()            a turn: asks the cars, changes nothing
//! control.commit(events)    what came of it becomes the race, all of it or nothing
//! ```
//!
//! Deciding and committing are two steps, so that whoever looks on can look at the race while a turn is played, and
//! so that a turn that is given up half-way has never happened.

use crate::journal::{Numbered, Numbers};
use gm_core::ids::CommandNo;
use gm_core::ports::World;
use gm_core::race::command::{self, Arrival, Command, Refusal};
use gm_core::race::turn::{self, Played};
use gm_core::race::{Event, Race, ValidRules};
use gm_core::random::Seed;

/// A race and the world it is played in.
pub struct Control<W> {
    race: Race,
    world: W,
    commands: u32,
    numbers: Numbers,
}

impl<W: World> Control<W> {
    /// Makes a race. Gives its first events, numbered.
    pub fn create(rules: ValidRules, seed: Seed, world: W) -> (Control<W>, Vec<Numbered>) {
        let (race, events) = Race::create(rules, seed);
        let mut numbers = Numbers::default();
        let first = events.into_iter().map(|event| numbers.next(event)).collect();
        (Control { race, world, commands: 0, numbers }, first)
    }

    /// The race as it was committed last.
    #[must_use]
    pub fn race(&self) -> &Race {
        &self.race
    }

    /// Registers all of these cars or none.
    ///
    /// # Errors
    /// What would have happened, with the reasons of those that can't take part. Nobody was told anything then.
    pub async fn register_all(&mut self, cars: Vec<Command>) -> Result<Vec<Numbered>, Vec<Event>> {
        let inbox = arrivals(self.commands, cars);
        self.commands = inbox.last().map_or(self.commands, |last| last.no.0);
        match command::register_all(&self.race, &self.world, &inbox).await {
            Ok(events) => Ok(self.commit(events)),
            Err(refused) => Err(refused.events),
        }
    }

    /// Settles commands between two turns, in order of arrival. Gives what happened, which is committed, and what
    /// became of each command.
    pub async fn order(&mut self, commands: Vec<Command>) -> (Vec<Numbered>, Vec<Result<(), Refusal>>) {
        let inbox = arrivals(self.commands, commands);
        self.commands = inbox.last().map_or(self.commands, |last| last.no.0);
        let Played { events, settled } = command::decide_all(&self.race, &self.world, &inbox).await;
        (self.commit(events), settled)
    }

    /// Plays one turn. Nothing has happened until its events are committed.
    ///
    /// # Errors
    /// [`Refusal::NotRunning`] if the race is not running.
    pub async fn play(&self) -> Result<Vec<Event>, Refusal> {
        turn::play(&self.race, &self.world, &[]).await.map(|played| played.events)
    }

    /// What was decided becomes the race.
    pub fn commit(&mut self, events: Vec<Event>) -> Vec<Numbered> {
        let mut numbered = Vec::with_capacity(events.len());
        for event in events {
            self.race.apply(&event);
            numbered.push(self.numbers.next(event));
        }
        numbered
    }
}

fn arrivals(before: u32, commands: Vec<Command>) -> Vec<Arrival> {
    (before.saturating_add(1)..)
        .zip(commands)
        .map(|(no, command)| Arrival { no: CommandNo(no), command })
        .collect()
}

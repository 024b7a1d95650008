//! How a race is shown while it runs. There are three ways: a `screen`, `plain` lines and `json` lines.

use crate::journal::Numbered;
use gm_core::ids::TurnNo;
use gm_core::race::Race;
use std::io;
use std::sync::Arc;

/// Somebody who shows a race.
pub(super) trait Report: Send {
    /// The race was set up; cars are registered and the first turn is about to start. If it goes on after an
    /// interruption: the turn after which it does.
    fn begins(&mut self, race: &Race, after: Option<TurnNo>) -> io::Result<()>;

    /// This happened; `race` is the race after it.
    fn happened(&mut self, race: &Race, events: &[Numbered]) -> io::Result<()>;

    /// Some time has passed. Gives what the person who looks on wants.
    fn waits(&mut self, race: &Race, waiting: &Waiting) -> io::Result<Wish>;

    /// The race is over.
    fn ends(&mut self, race: &Race) -> io::Result<()>;
}

/// What the race waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Waiting {
    /// For answers: who is asked what.
    Answers(Vec<String>),
    /// For the next turn, which starts in so many seconds.
    NextTurn(u64),
    /// For the journal, which can't be written: why.
    Journal(Arc<str>),
}

/// What the person who looks on wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// The race goes on.
    GoOn,
    /// The race is to end after this turn; where it is kept, to be interrupted there.
    End,
    /// The race is to stop at once.
    Stop,
}

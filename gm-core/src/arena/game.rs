//! What a game between bots is.

use crate::contract::Fault;
use serde::{Deserialize, Serialize};

/// A seat at the table, from 0. A seat keeps its number for the whole game, also when it is eliminated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seat(pub usize);

/// What a game waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage<O> {
    /// These seats are to answer, all at the same time. Never empty, no seat twice.
    Asks(Vec<Seat>),
    /// The game is over.
    Over(O),
}

/// What came of asking a seat: a legal move, an illegal one, or no usable answer. The game says what each means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply<M, I> {
    /// A legal move.
    Move(M),
    /// A move that the game does not allow, and why.
    Illegal(M, I),
    /// No usable answer.
    Fault(Fault),
}

/// A game between bots, as a state machine without any input or output.
pub trait Game {
    /// What one seat is told when it is asked: its view of the game, and nothing that is hidden from it.
    type View;
    /// What a seat answers.
    type Move;
    /// Why a move is not allowed.
    type Illegal;
    /// What a seat is told without being asked.
    type Notice;
    /// How the game ended.
    type Outcome;

    /// How many seats there are, eliminated ones included. Never changes.
    fn seats(&self) -> usize;

    /// The most steps that the game can take. The match stops there: a game that goes on has a bug.
    fn max_steps(&self) -> usize;

    /// What the game waits for.
    fn stage(&self) -> Stage<Self::Outcome>;

    /// What `seat` is told when it is asked now.
    fn view(&self, seat: Seat) -> Self::View;

    /// Whether `seat` may make this move now.
    ///
    /// # Errors
    /// Why it may not.
    fn check(&self, seat: Seat, play: &Self::Move) -> Result<(), Self::Illegal>;

    /// Plays one step: the replies of exactly the seats of [`Stage::Asks`], in that order. Gives the notices that
    /// go out before the next question, in order.
    fn apply(&mut self, replies: Vec<(Seat, Reply<Self::Move, Self::Illegal>)>) -> Vec<(Seat, Self::Notice)>;

    /// The match's clock has run out for `seat`.
    fn out_of_time(&mut self, seat: Seat) -> Vec<(Seat, Self::Notice)>;
}

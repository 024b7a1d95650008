//! What a game between bots is.
//!
//! A [`Game`] is a state machine without any input or output. The match ([`play`](super::play)) asks it what it waits
//! for, carries the questions to the bots and the answers back, and knows nothing of the rules:
//!
//! ```
//! use gm_core::arena::{Game, Seat, Stage, duel::Duel};
//! use gm_core::{ids::{CarId, TurnNo}, random::{Purpose, Seed}};
//! let mut stream = Seed(1).stream(TurnNo(1), Purpose::Duel, CarId(1));
//! let duel = Duel::deal(&mut stream, [5, 5], None);
//! assert!(matches!(duel.stage(), Stage::Asks(seats) if seats.len() == 1));
//! ```
//!
//! # How each kind of game is said
//!
//! Everything below is said with the trait as it is, and played by the match as it is. `arena/standoff.rs`, a tiny
//! game of three seats in the tests, does all of it.
//!
//! **Two seats, or more.** [`Game::seats`] is 2 for a duel, battleships and tanks, and N for kittens. It never
//! changes. The bots of one tank side are one seat: a seat is somebody who answers, not a piece on the board.
//!
//! **Whose turn it is.** [`Game::stage`] names the seats that are to answer: `Asks(vec![Seat(1)])`. In battleships a
//! bot that hit is asked again, so the stage names the same seat once more.
//!
//! **Simultaneous orders.** Tanks: `Asks(vec![Seat(0), Seat(1)])`. Both are asked at the same time, neither sees the
//! other's orders ([`Game::view`] was taken from both before), and [`Game::apply`] gets both at once, to move
//! shells and tanks of both sides together.
//!
//! **Elimination.** Kittens: a seat that is out is no longer named in a stage, and keeps its number. The match has no
//! notion of being out, and needs none.
//!
//! **Hidden information.** [`Game::view`] tells one seat what that seat may know. In kittens that is its own hand
//! and the size of the deck; for tanks, what is not in the woods. The order of the deck stays in the game.
//!
//! **Several questions to one seat within a turn.** The view and the move are enums, one variant for each question
//! and answer. Kittens: `View::Play` → `Move::Play(card)`, asked again until the seat passes; when a kitten was
//! drawn, `View::Defuse { deck }` → `Move::At(position)`. What is being asked is part of the game's state. An answer
//! to another question than the one asked is illegal ([`Game::check`]).
//!
//! **Notices that need no answer.** What [`Game::opening`], [`Game::apply`] and [`Game::out_of_time`] give back goes
//! out before the next question: tanks' map and parameters before the first round; kittens' `INFORM` to all who
//! still play, a drawn card hidden from all but one; `GAMEOVER` from the `apply` that ends the game. A message which
//! must be acknowledged in time, or else the bot is out, is no notice but a question whose answer is
//! `Move::Acknowledged`.
//!
//! **Faults.** A late, malformed or missing answer comes to `apply` as [`Reply::Fault`], a move against the rules as
//! [`Reply::Illegal`]; the game says what that means. The duel: lost. Kittens: a fault is out of the game, an
//! illegal card counts as none. Tanks: all of that side's tanks stand. The deadline of an answer is kept by whoever
//! reaches the bot ([`Player`](super::Player)), the time of a whole match by its [`Clock`](super::Clock), and
//! [`Game::out_of_time`] says what it means to have used it up.

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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply<M, I> {
    /// A legal move.
    Move(M),
    /// A move that the game does not allow, and why.
    Illegal(M, I),
    /// No usable answer.
    Fault(Fault),
}

/// The replies to one step, in the order of [`Stage::Asks`].
pub type Replies<G> = [(Seat, Reply<<G as Game>::Move, <G as Game>::Illegal>)];

/// Notices and whom they are for, in the order in which they go out.
pub type Notices<G> = Vec<(Seat, <G as Game>::Notice)>;

/// A game between bots, as a state machine without any input or output.
pub trait Game: Send {
    /// What one seat is told when it is asked: its view of the game, and nothing that is hidden from it.
    type View: Send + Sync;
    /// What a seat answers.
    type Move: Send;
    /// Why a move is not allowed.
    type Illegal: Send;
    /// What a seat is told without being asked. [`Infallible`](std::convert::Infallible) if there is no such thing.
    type Notice: Send + Sync;
    /// How the game ended.
    type Outcome: Send;

    /// How many seats there are, eliminated ones included. Never changes.
    fn seats(&self) -> usize;

    /// The most steps that the game can take. The match stops there: a game that goes on has a bug.
    fn max_steps(&self) -> usize;

    /// The notices that go out before the first question. Called once.
    fn opening(&mut self) -> Notices<Self> {
        Vec::new()
    }

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
    fn apply(&mut self, replies: &Replies<Self>) -> Notices<Self>;

    /// The match's clock has run out for `seat`.
    fn out_of_time(&mut self, seat: Seat) -> Notices<Self>;
}

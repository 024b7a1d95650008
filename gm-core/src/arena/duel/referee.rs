//! The duel as a game between two AIs: what they are asked (R-6.7), and what their answers mean (R-6.3, R-6.8).
//!
//! ```
//! use gm_core::arena::{Game, Stage, duel::Duel};
//! use gm_core::{ids::{CarId, TurnNo}, random::{Purpose, Seed}};
//! let mut stream = Seed(1).stream(TurnNo(1), Purpose::Duel, CarId(1));
//! let duel = Duel::deal(&mut stream, [3, 4], None);
//! let Stage::Asks(seats) = duel.stage() else { panic!("nobody can be stuck at a distance of 22") };
//! assert_eq!(duel.view(seats[0]).query().split('&').next(), Some("yourmoves=[]"));
//! ```

use super::board::{Board, MAX_TURNS};
use super::card::DECK;
use super::outcome::{Outcome, Reason, Side};
use super::play::{Illegal, Play};
use super::transcript::{Transcript, Turn};
use crate::arena::{Game, Notices, Replies, Reply, Seat, Stage};
use crate::contract::{DuelQuestion, Seen};
use crate::random::Stream;
use std::convert::Infallible;

/// A duel between two AIs (R-6). Seat 0 is white, seat 1 is black ([`Side`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duel {
    board: Board,
    transcript: Transcript,
}

impl Duel {
    /// Deals a duel (R-6.1) between cars with so many `weapons`. The stream first says who is the first player, then
    /// shuffles the pile.
    #[must_use]
    pub fn deal(stream: &mut Stream, weapons: [u32; 2], hand_limit: Option<u32>) -> Duel {
        let first = if stream.below(2) == 0 { Side::White } else { Side::Black };
        let mut pile = DECK;
        stream.shuffle(&mut pile);
        Duel::from_board(Board::deal(pile, first, weapons, hand_limit), first)
    }

    /// A duel that starts from a board, on which `first` is the player in turn.
    #[must_use]
    pub fn from_board(board: Board, first: Side) -> Duel {
        let dealt = Side::BOTH.map(|side| board.hand(side).cards());
        let transcript =
            Transcript { first, dealt, turns: Vec::new(), refused: None, outcome: board.outcome() };
        Duel { board, transcript }
    }

    #[cfg(test)]
    pub(super) fn set_board(&mut self, board: Board) {
        self.board = board;
    }

    /// The position.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// What has happened so far.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// What has happened, when the duel is done with.
    #[must_use]
    pub fn into_transcript(self) -> Transcript {
        self.transcript
    }

    /// What `side` is told (R-6.7, A-4): its own hand, and what both have seen.
    #[must_use]
    pub fn question(&self, side: Side) -> DuelQuestion {
        let other = side.other();
        DuelQuestion {
            your_moves: self.transcript.laid_down(side),
            other_moves: self.transcript.laid_down(other),
            cards: self.board.hand(side).cards(),
            other_cards: self.board.hand(other).total(),
            seen: Some(Seen {
                distance: self.board.distance(),
                hand_size: self.board.hand_size(side),
                other_hand_size: self.board.hand_size(other),
                pile: u8::try_from(self.board.pile().len()).expect("the pile has at most 25 cards"),
                first: self.transcript.first == side,
                turns: self.transcript.seen_by(side),
            }),
        }
    }

    fn turn(&mut self, side: Side, cards: &[u8]) -> Result<(), Illegal> {
        if self.board.in_turn() != Some(side) {
            return Err(Illegal::NotInTurn);
        }
        let play = Play::parse(cards, self.board.distance())?;
        let before = self.board;
        let turned = self.board.play(play)?;
        self.transcript.turns.push(Turn {
            side,
            step: play.step().map(super::Card::value),
            attack: play.attacking(),
            parried: turned.parried,
            drew: before.pile().iter().take(turned.drew.into()).map(|card| card.value()).collect(),
        });
        Ok(())
    }

    fn refuse(&mut self, side: Side, cards: &[u8], why: Illegal) {
        if self.board.outcome().is_none() {
            self.board.forfeit(side, Reason::Illegal(why));
            self.transcript.refused = Some(cards.iter().copied().take(Transcript::MAX_REFUSED).collect());
        }
    }
}

impl Game for Duel {
    type View = DuelQuestion;
    type Move = Vec<u8>;
    type Illegal = Illegal;
    /// Both AIs learn everything from the next question.
    type Notice = Infallible;
    type Outcome = Outcome;

    fn seats(&self) -> usize {
        2
    }

    /// R-6.8.
    fn max_steps(&self) -> usize {
        MAX_TURNS
    }

    fn stage(&self) -> Stage<Outcome> {
        match self.board.outcome() {
            Some(outcome) => Stage::Over(outcome),
            None => Stage::Asks(self.board.in_turn().map(Side::seat).into_iter().collect()),
        }
    }

    fn view(&self, seat: Seat) -> DuelQuestion {
        Side::at(seat).map(|side| self.question(side)).unwrap_or_default()
    }

    fn check(&self, seat: Seat, cards: &Vec<u8>) -> Result<(), Illegal> {
        if Side::at(seat).is_none_or(|side| self.board.in_turn() != Some(side)) {
            return Err(Illegal::NotInTurn);
        }
        self.board.check(Play::parse(cards, self.board.distance())?)
    }

    fn apply(&mut self, replies: &Replies<Duel>) -> Notices<Duel> {
        for (seat, reply) in replies {
            let Some(side) = Side::at(*seat) else { continue };
            match reply {
                Reply::Move(cards) => {
                    if let Err(why) = self.turn(side, cards) {
                        self.refuse(side, cards, why);
                    }
                }
                Reply::Illegal(cards, why) => self.refuse(side, cards, *why),
                Reply::Fault(fault) => self.board.forfeit(side, Reason::Fault(*fault)),
            }
        }
        self.transcript.outcome = self.board.outcome();
        Vec::new()
    }

    fn out_of_time(&mut self, seat: Seat) -> Notices<Duel> {
        if let Some(side) = Side::at(seat) {
            self.board.forfeit(side, Reason::OutOfTime);
            self.transcript.outcome = self.board.outcome();
        }
        Vec::new()
    }
}

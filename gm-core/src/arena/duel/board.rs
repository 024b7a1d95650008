//! The bare rules of the duel: R-6.1 to R-6.6.
//!
//! A [`Board`] is small, is copied freely, allocates nothing and keeps no history, so that an AI can play millions of
//! duels on it. Everything else (what the AIs are told, what spectators see) is built around it.
//!
//! ```
//! use gm_core::arena::duel::{Board, Card, DECK, Play, Side};
//! let mut board = Board::deal(DECK, Side::White, [5, 5], None);
//! board.play(Play::Move(Card::One)).unwrap();
//! assert_eq!((board.squares(), board.in_turn()), ([2, 23], Some(Side::Black)));
//! ```

use super::card::{Card, Hand, Pile};
use super::outcome::{Outcome, Reason, Side};
use super::play::{Illegal, Play, Plays};
use crate::contract::duel::CARDS;

/// The squares on which white and black start (R-6.1).
pub const START: [u8; 2] = [1, 23];

/// The most turns that a duel can take (R-6.8): each lays down at least one of the 25 cards.
pub const MAX_TURNS: usize = 25;

/// A duel in some position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    pile: Pile,
    /// How many cards of the pile have been dealt or drawn.
    drawn: u8,
    hands: [Hand; 2],
    hand_sizes: [u8; 2],
    squares: [u8; 2],
    turn: Side,
    outcome: Option<Outcome>,
}

/// A position to set up: see [`Board::set_up`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The squares of white and black: 1 ≤ white < black ≤ 23.
    pub squares: [u8; 2],
    /// The hands of white and black.
    pub hands: [Hand; 2],
    /// How many cards each was dealt, and draws up to (R-6.5).
    pub hand_sizes: [u8; 2],
    /// The cards; only those from `drawn` on are still in the pile.
    pub pile: Pile,
    /// How many of the 25 cards are not in the pile any more.
    pub drawn: u8,
    /// Whose turn it is.
    pub turn: Side,
}

/// What came of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turned {
    /// Whether the attack was parried; `None` if there was none.
    pub parried: Option<bool>,
    /// How many cards the player drew at the end of the turn.
    pub drew: u8,
}

impl Board {
    /// Deals a duel (R-6.1). Each gets as many cards as its car has weapons, at most `hand_limit` and as long as
    /// there are cards; in turn, one each, the `first` player first. A first player who can't move has already lost
    /// (R-6.6).
    #[must_use]
    pub fn deal(pile: Pile, first: Side, weapons: [u32; 2], hand_limit: Option<u32>) -> Board {
        let limit = hand_limit.unwrap_or(u32::MAX).min(CARDS.into());
        let due = weapons.map(|weapons| u8::try_from(weapons.min(limit)).unwrap_or(CARDS));
        let mut position = Position {
            squares: START,
            hands: [Hand::default(); 2],
            hand_sizes: [0; 2],
            pile,
            drawn: 0,
            turn: first,
        };
        for _ in 0..CARDS {
            for side in [first, first.other()].map(Side::index) {
                if position.hand_sizes[side] < due[side]
                    && let Some(&card) = pile.get(usize::from(position.drawn))
                {
                    position.hands[side].add(card);
                    position.hand_sizes[side] += 1;
                    position.drawn += 1;
                }
            }
        }
        Board::set_up(position)
    }

    /// Sets up a position, at the start of a turn. A player in turn who can't move has lost (R-6.6). Numbers out of
    /// range are brought into it.
    #[must_use]
    pub fn set_up(position: Position) -> Board {
        let Position { squares: [white, black], hands, hand_sizes, pile, drawn, turn } = position;
        let white = white.clamp(START[0], START[1] - 1);
        let squares = [white, black.clamp(white + 1, START[1])];
        let mut board =
            Board { pile, drawn: drawn.min(CARDS), hands, hand_sizes, squares, turn, outcome: None };
        board.start_turn();
        board
    }

    /// The squares of white and black (R-6.1).
    #[must_use]
    pub const fn squares(&self) -> [u8; 2] {
        self.squares
    }

    /// The squares between the two, at least 1.
    #[must_use]
    pub const fn distance(&self) -> u8 {
        self.squares[1] - self.squares[0]
    }

    /// A player's hand.
    #[must_use]
    pub const fn hand(&self, side: Side) -> &Hand {
        &self.hands[side.index()]
    }

    /// How many cards a player was dealt (R-6.1).
    #[must_use]
    pub const fn hand_size(&self, side: Side) -> u8 {
        self.hand_sizes[side.index()]
    }

    /// The cards left in the pile, the next to be drawn first.
    #[must_use]
    pub fn pile(&self) -> &[Card] {
        self.pile.get(usize::from(self.drawn)..).unwrap_or_default()
    }

    /// Whose turn it is; `None` when the duel is over.
    #[must_use]
    pub const fn in_turn(&self) -> Option<Side> {
        match self.outcome {
            None => Some(self.turn),
            Some(_) => None,
        }
    }

    /// How the duel ended; `None` while it goes on.
    #[must_use]
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// What the player in turn may play: at least one play; none when the duel is over.
    #[must_use]
    pub fn plays(&self) -> Plays {
        match self.outcome {
            None => Plays::of(self.hand(self.turn), self.distance()),
            Some(_) => Plays::of(&Hand::default(), self.distance()),
        }
    }

    /// Whether the player in turn may play this.
    ///
    /// # Errors
    /// [`Illegal`] says why not.
    pub const fn check(&self, play: Play) -> Result<(), Illegal> {
        match self.outcome {
            None => play.check(self.hand(self.turn), self.distance()),
            Some(_) => Err(Illegal::NotInTurn),
        }
    }

    /// Plays the turn of the player in turn, from its play to the start of the other's turn (R-6.2 to R-6.6).
    ///
    /// # Errors
    /// [`Illegal`], and nothing is changed.
    pub fn play(&mut self, play: Play) -> Result<Turned, Illegal> {
        self.check(play)?;
        let (player, other) = (self.turn, self.turn.other());
        if let Some(step) = play.step() {
            self.hands[player.index()].remove(step, 1);
            match player {
                Side::White => self.squares[0] += step.value(),
                Side::Black => self.squares[1] -= step.value(),
            }
        }
        let mut turned = Turned { parried: None, drew: 0 };
        if let Some((with, cards)) = play.attack() {
            self.hands[player.index()].remove(with, cards);
            let parried = self.hand(other).count(with) >= cards;
            turned.parried = Some(parried);
            if !parried {
                self.forfeit(other, Reason::Hit);
                return Ok(turned);
            }
            self.hands[other.index()].remove(with, cards);
            if self.hand(other).total() == 0 {
                self.forfeit(other, Reason::NoCardLeft);
                return Ok(turned);
            }
        }
        let missing = self.hand_size(player).saturating_sub(self.hand(player).total());
        for _ in 0..missing {
            let Some(&card) = self.pile.get(usize::from(self.drawn)) else {
                self.outcome = Some(Outcome { winner: None, reason: Reason::EmptyPile });
                return Ok(turned);
            };
            self.hands[player.index()].add(card);
            self.drawn += 1;
            turned.drew += 1;
        }
        self.turn = other;
        self.start_turn();
        Ok(turned)
    }

    /// Ends the duel as lost for `loser`, unless it is over already.
    pub fn forfeit(&mut self, loser: Side, reason: Reason) {
        if self.outcome.is_none() {
            self.outcome = Some(Outcome { winner: Some(loser.other()), reason });
        }
    }

    /// R-6.6. Any card that does not go past the other can be played; an indirect attack needs one that moves.
    fn start_turn(&mut self) {
        if self.hand(self.turn).lowest().is_none_or(|card| card.value() > self.distance()) {
            self.forfeit(self.turn, Reason::Stuck);
        }
    }
}

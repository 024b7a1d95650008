//! One deal, played from both sides.

use super::contender::Contender;
use super::far::Far;
use crate::Ai;
use gm_core::arena::duel::{Duel, Outcome, Reason, Side};
use gm_core::arena::{NoClock, Player, play};
use gm_core::contract::{DuelQuestion, Fault};
use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed};
use std::convert::Infallible;
use std::time::Instant;

/// The duels of a pair.
pub const DUELS: u32 = 2;

/// Who plays whom, and with how many cards. Index 0 is A, index 1 is B, in all that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// Who plays.
    pub contenders: [Contender; 2],
    /// How many weapons the car of each has: 1 to 25.
    pub weapons: [u32; 2],
    /// The seed of all deals, and of the AIs' dice.
    pub seed: u64,
}

/// A pair of duels, when they were played.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pair {
    /// How many A won, drew and lost: two in all.
    pub sums: [u32; 3],
    /// How many turns they took together.
    pub turns: u32,
    /// What each lost by that was no play.
    pub mishaps: [Vec<Mishap>; 2],
    /// How long each thought, for each of its moves, in nanoseconds: at most 4.29 s.
    pub latencies: [Vec<u32>; 2],
}

/// Why a duel was lost otherwise than by the cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// An illegal play.
    Illegal(gm_core::arena::duel::Illegal),
    /// No usable answer.
    Unanswered(Fault),
}

/// The ways to those who are at a URL.
pub type Ways = [Option<Far>; 2];

impl Pair {
    /// Plays the deal of this number: its pile and its first player follow from the seed and the number alone. In the
    /// first duel A is white, in the second B is; A keeps its number of weapons. Both AIs get the same dice, new ones
    /// for each pair.
    ///
    /// # Panics
    /// If a duel goes on for longer than there are cards, which the rules can't.
    pub async fn play(terms: &Terms, ways: &Ways, number: u32) -> Pair {
        let mut pair = Pair::default();
        for white in [0, 1] {
            let mut deal = Seed(terms.seed).stream(TurnNo(number), Purpose::Duel, CarId(0));
            let dice = deal.bits();
            let seated = [white, 1 - white];
            let mut duel = Duel::deal(&mut deal, seated.map(|who| terms.weapons[who]), None);
            let mut players = seated.map(|who| Seated {
                mind: match &ways[who] {
                    Some(far) => Played::Far(far),
                    None => Played::Near(terms.contenders[who].wake(dice)),
                },
                latencies: Vec::new(),
            });
            let played = play(&mut duel, &mut players, &mut NoClock).await;
            let outcome = played.expect("each turn lays down one of 25 cards (R-6.8)").outcome;
            pair.add(outcome, seated, players, duel.transcript().turns.len());
        }
        pair
    }

    fn add(&mut self, outcome: Outcome, seated: [usize; 2], players: [Seated<'_>; 2], turns: usize) {
        let sum = match outcome.winner.map(|winner| seated[winner.index()]) {
            Some(0) => 0,
            None => 1,
            Some(_) => 2,
        };
        self.sums[sum] += 1;
        self.turns += u32::try_from(turns).unwrap_or(u32::MAX);
        let mishap = match outcome.reason {
            Reason::Illegal(why) => Some(Mishap::Illegal(why)),
            Reason::Fault(fault) => Some(Mishap::Unanswered(fault)),
            _ => None,
        };
        if let (Some(mishap), Some(loser)) = (mishap, outcome.loser()) {
            self.mishaps[seated[loser.index()]].push(mishap);
        }
        for (side, player) in Side::BOTH.into_iter().zip(players) {
            self.latencies[seated[side.index()]].extend(player.latencies);
        }
    }

    /// What A got in both duels, in halves of a win: 0 to 4.
    #[must_use]
    pub fn halves(&self) -> u32 {
        2 * self.sums[0] + self.sums[1]
    }
}

/// An AI at its seat, and a stopwatch.
struct Seated<'a> {
    mind: Played<'a>,
    latencies: Vec<u32>,
}

enum Played<'a> {
    Near(Option<Box<dyn Ai>>),
    Far(&'a Far),
}

impl Player<Duel> for Seated<'_> {
    async fn ask(&mut self, question: &DuelQuestion) -> Result<Vec<u8>, Fault> {
        let asked = Instant::now();
        let answer = match &mut self.mind {
            Played::Near(Some(ai)) => Ok(ai.play(question)),
            Played::Near(None) => Err(Fault::Unreachable),
            Played::Far(far) => far.ask(question).await,
        };
        self.latencies.push(u32::try_from(asked.elapsed().as_nanos()).unwrap_or(u32::MAX));
        answer
    }

    async fn notify(&mut self, notice: &Infallible) {
        match *notice {}
    }
}

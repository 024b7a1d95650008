//! What came of many pairs: score, interval, latencies.
//!
//! ```
//! use fight_lambda_reference::bench::{Pair, Tally};
//! let mut tally = Tally::default();
//! tally.add(&Pair { sums: [1, 1, 0], turns: 14, ..Pair::default() });
//! assert_eq!((tally.duels(), tally.score(), tally.turns()), (2, Some(0.75), Some(7.0)));
//! ```

use super::pair::{Mishap, Pair};
use std::collections::BTreeMap;

/// How many standard errors the interval reaches to each side: 95 of 100 such intervals hold what they should.
const SPREAD: f64 = 1.96;

/// From so many pairs on the interval is what it says.
pub const ENOUGH_PAIRS: u64 = 30;

/// Pairs, counted. The order in which they are added does not matter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// How many pairs gave A so many halves of a win.
    halves: [u64; 5],
    /// How many duels A won, drew and lost.
    pub sums: [u64; 3],
    turns: u64,
    /// What each of the two lost by that was no play.
    pub sides: [Mishaps; 2],
    latencies: [Vec<u32>; 2],
}

/// What an AI lost duels by that was no play (R-6.3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mishaps {
    /// How many by an illegal play.
    pub illegal: u64,
    /// How many by no usable answer.
    pub unanswered: u64,
    /// Why, in words, and how often.
    pub reasons: BTreeMap<String, u64>,
}

/// How long the moves of an AI took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Latency {
    /// How many moves.
    pub moves: u64,
    /// Half of them took no longer.
    pub p50: f64,
    /// 99 of 100 took no longer.
    pub p99: f64,
    /// 999 of 1000 took no longer.
    pub p99_9: f64,
    /// The longest.
    pub max: f64,
}

impl Tally {
    /// Counts a pair.
    pub fn add(&mut self, pair: &Pair) {
        if let Some(slot) = self.halves.get_mut(pair.halves() as usize) {
            *slot += 1;
        }
        for (sum, more) in self.sums.iter_mut().zip(pair.sums) {
            *sum += u64::from(more);
        }
        self.turns += u64::from(pair.turns);
        for (side, mishaps) in self.sides.iter_mut().zip(&pair.mishaps) {
            for mishap in mishaps {
                let reason = match mishap {
                    Mishap::Illegal(why) => {
                        side.illegal += 1;
                        why.to_string()
                    }
                    Mishap::Unanswered(fault) => {
                        side.unanswered += 1;
                        fault.to_string()
                    }
                };
                *side.reasons.entry(reason).or_default() += 1;
            }
        }
        for (all, more) in self.latencies.iter_mut().zip(&pair.latencies) {
            all.extend(more);
        }
    }

    /// How many pairs were counted.
    #[must_use]
    pub fn pairs(&self) -> u64 {
        self.halves.iter().sum()
    }

    /// How many duels were counted.
    #[must_use]
    pub fn duels(&self) -> u64 {
        self.sums.iter().sum()
    }

    /// The mean number of turns of a duel.
    #[must_use]
    pub fn turns(&self) -> Option<f64> {
        (self.duels() > 0).then(|| self.turns as f64 / self.duels() as f64)
    }

    /// A's score: 1 for a win, 0.5 for a draw. `None` where nothing was played.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        let pairs = self.pairs();
        let halves: u64 = self.halves.iter().zip(0..).map(|(count, halves)| count * halves).sum();
        (pairs > 0).then(|| halves as f64 / 4.0 / pairs as f64)
    }

    /// The score's 95 % interval, within 0 to 1. It is that of the pairs' means, since the two duels of a pair have the
    /// same cards and don't measure twice.
    ///
    /// `None` where fewer than two pairs were played. It is to be believed from [`ENOUGH_PAIRS`] on.
    #[must_use]
    pub fn interval(&self) -> Option<[f64; 2]> {
        let (pairs, score) = (self.pairs(), self.score()?);
        if pairs < 2 {
            return None;
        }
        let squares: f64 = self
            .halves
            .iter()
            .zip([0.0, 0.25, 0.5, 0.75, 1.0])
            .map(|(&count, mean)| count as f64 * (mean - score) * (mean - score))
            .sum();
        let pairs = pairs as f64;
        let reach = SPREAD * (squares / (pairs - 1.0) / pairs).sqrt();
        Some([(score - reach).max(0.0), (score + reach).min(1.0)])
    }

    /// How long the moves took of A (0) or B (1); `None` where there were none.
    #[must_use]
    pub fn latency(&self, who: usize) -> Option<Latency> {
        let mut sorted = self.latencies.get(who)?.clone();
        sorted.sort_unstable();
        let max = f64::from(*sorted.last()?) / 1e6;
        // The least that so many parts of 1000 don't exceed.
        let rank = |parts: usize| {
            let rank = (sorted.len() * parts).div_ceil(1_000).max(1);
            f64::from(sorted[rank - 1]) / 1e6
        };
        Some(Latency { moves: sorted.len() as u64, p50: rank(500), p99: rank(990), p99_9: rank(999), max })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gm_core::arena::duel::Illegal;
    use gm_core::contract::Fault;

    fn pair(sums: [u32; 3]) -> Pair {
        Pair { sums, turns: 10, ..Pair::default() }
    }

    fn tally(pairs: &[(u64, [u32; 3])]) -> Tally {
        let mut tally = Tally::default();
        for &(times, sums) in pairs {
            (0..times).for_each(|_| tally.add(&pair(sums)));
        }
        tally
    }

    /// Pairs with their sums; score and half the width of the interval, from the textbook's formula.
    #[test]
    fn the_interval_is_that_of_the_pairs_means() {
        for (pairs, score, reach) in [
            // Nobody is better in any deal: no doubt, though half of the duels were won.
            (&[(100, [1, 0, 1])][..], 0.5, 0.0),
            (&[(50, [0, 2, 0]), (50, [1, 0, 1])], 0.5, 0.0),
            // Means 1 and 0: the deviation is 0.5 · √(100/99).
            (&[(50, [2, 0, 0]), (50, [0, 0, 2])], 0.5, 0.098_493),
            // Means 1, 0.75, 0.5, 0.25 and 0.
            (
                &[(10, [2, 0, 0]), (20, [1, 1, 0]), (40, [1, 0, 1]), (20, [0, 1, 1]), (10, [0, 0, 2])],
                0.5,
                0.053_947,
            ),
            (&[(90, [2, 0, 0]), (10, [1, 1, 0])], 0.975, 0.014_774),
        ] {
            let tally = tally(pairs);
            let [low, high] = tally.interval().expect("enough pairs");
            assert!((tally.score().expect("a score") - score).abs() < 1e-9, "{pairs:?}");
            assert!(
                (low - (score - reach)).abs() < 1e-5 && (high - (score + reach)).abs() < 1e-5,
                "{low} {high}"
            );
        }
    }

    #[test]
    fn little_is_known_of_few_duels() {
        assert_eq!((Tally::default().score(), Tally::default().interval()), (None, None));
        assert_eq!((Tally::default().turns(), Tally::default().latency(0)), (None, None));
        let one = tally(&[(1, [2, 0, 0])]);
        assert_eq!((one.score(), one.interval()), (Some(1.0), None));
        // No interval leaves what a score can be.
        assert_eq!(tally(&[(1, [2, 0, 0]), (1, [0, 0, 2])]).interval(), Some([0.0, 1.0]));
    }

    #[test]
    fn percentiles_are_the_least_that_so_many_do_not_exceed() {
        let latencies = [(1..=1_000).rev().map(|ms| ms * 1_000_000).collect(), vec![3_000_000]];
        let mut tally = Tally::default();
        tally.add(&Pair { latencies, ..pair([1, 0, 1]) });
        let all = Latency { moves: 1_000, p50: 500.0, p99: 990.0, p99_9: 999.0, max: 1_000.0 };
        assert_eq!(tally.latency(0), Some(all));
        assert_eq!(tally.latency(1), Some(Latency { moves: 1, p50: 3.0, p99: 3.0, p99_9: 3.0, max: 3.0 }));
    }

    #[test]
    fn r_6_3_mishaps_are_counted_by_reason() {
        let mut tally = Tally::default();
        let late = Mishap::Unanswered(Fault::Late);
        tally.add(&Pair { mishaps: [vec![late], vec![]], ..pair([1, 0, 1]) });
        tally
            .add(&Pair { mishaps: [vec![late, Mishap::Illegal(Illegal::Empty)], vec![]], ..pair([0, 0, 2]) });
        let reasons = [("no answer within the deadline", 2), ("no card was played", 1)];
        let expected = reasons.map(|(why, times)| (why.to_owned(), times)).into();
        assert_eq!(tally.sides[0], Mishaps { illegal: 1, unanswered: 2, reasons: expected });
        assert_eq!(tally.sides[1], Mishaps::default());
    }
}

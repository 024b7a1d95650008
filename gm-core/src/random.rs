//! Named random streams from a race's seed (R-10.5).
//!
//! Each draw belongs to a stream named by turn, purpose and car, so no draw depends on the order in which cars
//! answer, nor on how many draws another car made:
//!
//! ```
//! use gm_core::{ids::{CarId, TurnNo}, random::{Purpose, Seed}};
//! let mut a = Seed(7).stream(TurnNo(3), Purpose::Encounter, CarId(1));
//! let mut b = Seed(7).stream(TurnNo(3), Purpose::Encounter, CarId(2));
//! assert_ne!((a.below(1 << 30), a.below(1 << 30)), (b.below(1 << 30), b.below(1 << 30)));
//! ```
//!
//! The bits come from ChaCha with 8 rounds, which is the same on every machine; the few ways to draw from them are
//! written here, because a library may change its sampling between two versions and a race must not (R-10.5).

use crate::ids::{CarId, TurnNo};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The seed of a race: everything random in it follows from this number (R-10.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a stream is for. The numbers are part of the rules' revision: a new purpose gets a new number, and a number
/// is never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// The turn's priority (R-3.0).
    Priority = 1,
    /// Which encounter a car has (R-3.3).
    Encounter = 2,
    /// Whether a car is spot-checked (R-3.4).
    SpotCheck = 3,
    /// Which pairs fight (R-4.2).
    Pairs = 4,
    /// Who plays first, and the cards, of a duel between cars (R-6.1). Named by the first car of the pair.
    Duel = 5,
    /// Which module the loser of a fight between cars loses (R-4.6).
    FightLoss = 6,
    /// How many weapons the pirates have (R-5.1).
    Pirates = 7,
    /// Who plays first, and the cards, of a duel with pirates (R-6.1).
    PirateDuel = 8,
    /// Which module a car loses to pirates (R-5.1).
    PirateLoss = 9,
    /// What is found in a wreck (R-5.2).
    Wreck = 10,
    /// Whether a minefield does damage, and to what (R-5.3).
    Mine = 11,
    /// The places and effects of random bonuses (R-12.1).
    Bonuses = 12,
    /// The pirates' own dice.
    PirateMind = 13,
}

impl Seed {
    /// The stream for one purpose of one turn and car. [`CarId`] 0 stands for the whole race.
    #[must_use]
    pub fn stream(self, turn: TurnNo, purpose: Purpose, car: CarId) -> Stream {
        let mut key = [0; 32];
        key[0..8].copy_from_slice(&self.0.to_le_bytes());
        key[8..12].copy_from_slice(&turn.0.to_le_bytes());
        key[12..16].copy_from_slice(&(purpose as u32).to_le_bytes());
        key[16..20].copy_from_slice(&car.0.to_le_bytes());
        Stream(ChaCha8Rng::from_seed(key))
    }
}

/// One named stream of random draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number from 0 to `n − 1`, all equally likely. 0 for `n` = 0.
    pub fn below(&mut self, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        // Only the multiples of n that fit into 2^64 are used. A draw is rejected with a probability below 2^-32,
        // so the bound is never met; it is there because every loop has one.
        const TRIES: usize = 64;
        let n = u64::from(n);
        let usable = u64::MAX - u64::MAX % n;
        let mut bits = self.bits();
        for _ in 0..TRIES {
            if bits < usable {
                break;
            }
            bits = self.bits();
        }
        u32::try_from(bits % n).expect("a remainder of a u32 is a u32")
    }

    /// A whole number from `low` to `high`, both included, all equally likely; `low` where the range is empty.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True with a chance of `percent` in 100; always true from 100 on.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, all equally likely; `None` if there is none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let n = u32::try_from(choices.len()).unwrap_or(u32::MAX);
        choices.get(self.below(n) as usize)
    }

    /// The index of one of `weights`, each as likely as its weight; `None` if all are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> Option<usize> {
        let mut draw = self.below(weights.iter().sum());
        weights.iter().position(|&weight| {
            let here = draw < weight;
            draw = draw.saturating_sub(weight);
            here
        })
    }

    /// Puts `items` into a random order, all orders equally likely (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(u32::try_from(last + 1).unwrap_or(u32::MAX)) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream() -> Stream {
        Seed(42).stream(TurnNo(1), Purpose::Priority, CarId(0))
    }

    /// R-10.5: the same on every machine and in every version. If this fails, races recorded earlier can't be
    /// replayed any more: raise the rules' revision.
    #[test]
    fn r_10_5_the_streams_never_change() {
        let mut stream = stream();
        assert_eq!([stream.below(100), stream.below(100), stream.below(100)], FIRST_THREE);
    }
    const FIRST_THREE: [u32; 3] = [91, 50, 28];

    #[test]
    fn r_10_5_every_part_of_the_name_makes_another_stream() {
        let mut firsts: Vec<u64> = [(1, 1, 1, 1), (2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2)]
            .map(|(seed, turn, purpose, car)| {
                let purpose = if purpose == 1 { Purpose::Mine } else { Purpose::Wreck };
                Seed(seed).stream(TurnNo(turn), purpose, CarId(car)).bits()
            })
            .to_vec();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 5);
    }

    /// R-10.5: every way to draw stays as it is.
    #[test]
    fn r_10_5_what_is_drawn_never_changes() {
        let mut stream = stream();
        let mut items = [1, 2, 3, 4, 5, 6];
        stream.shuffle(&mut items);
        let drawn = (
            items,
            stream.between(10, 19),
            stream.pick(&["a", "b", "c", "d"]).copied(),
            stream.weighted(&[10, 20, 30]),
            stream.percent(50),
            stream.bits(),
        );
        assert_eq!(format!("{drawn:?}"), DRAWN);
    }
    const DRAWN: &str = "([6, 4, 3, 5, 1, 2], 18, Some(\"c\"), Some(2), true, 201110716337389308)";

    /// The numbers of the purposes are part of the rules' revision.
    #[test]
    fn r_10_5_the_purposes_keep_their_numbers() {
        use Purpose::*;
        let purposes = [
            Priority, Encounter, SpotCheck, Pairs, Duel, FightLoss, Pirates, PirateDuel, PirateLoss, Wreck,
            Mine, Bonuses, PirateMind,
        ];
        assert!(purposes.iter().zip(1..).all(|(purpose, number)| *purpose as u32 == number));
        assert_eq!(Seed(7).to_string(), "7");
    }

    #[test]
    fn below_is_even() {
        let mut stream = stream();
        let mut seen = [0u32; 7];
        for _ in 0..70_000 {
            seen[stream.below(7) as usize] += 1;
        }
        assert!(seen.iter().all(|&n| (9_500..10_500).contains(&n)), "{seen:?}");
        assert_eq!(stream.below(0), 0);
        assert_eq!(stream.below(1), 0);
    }

    #[test]
    fn between_meets_both_ends_and_no_more() {
        let mut stream = stream();
        let drawn: std::collections::BTreeSet<u32> = (0..1000).map(|_| stream.between(3, 6)).collect();
        assert_eq!(drawn.into_iter().collect::<Vec<_>>(), [3, 4, 5, 6]);
        assert_eq!(stream.between(5, 5), 5);
        assert_eq!(stream.between(5, 3), 5, "an empty range");
        assert!(stream.between(u32::MAX - 1, u32::MAX) >= u32::MAX - 1);
        assert!((0..100).all(|_| stream.between(1, u32::MAX) >= 1));
    }

    #[test]
    fn percent_is_a_percentage() {
        let mut stream = stream();
        let hits = (0..100_000).filter(|_| stream.percent(20)).count();
        assert!((19_500..20_500).contains(&hits), "{hits}");
        assert!((0..1000).all(|_| !stream.percent(0)));
        assert!((0..1000).all(|_| stream.percent(100)));
    }

    #[test]
    fn weighted_follows_the_weights() {
        let mut stream = stream();
        let mut seen = [0u32; 4];
        for _ in 0..100_000 {
            seen[stream.weighted(&[60, 0, 10, 30]).unwrap()] += 1;
        }
        assert!((59_400..60_600).contains(&seen[0]), "{seen:?}");
        assert_eq!(seen[1], 0);
        assert!((9_700..10_300).contains(&seen[2]), "{seen:?}");
        assert_eq!(stream.weighted(&[0, 0]), None);
        assert_eq!(stream.weighted(&[]), None);
    }

    #[test]
    fn pick_and_shuffle_reach_everything() {
        let mut stream = stream();
        let mut picked = std::collections::BTreeSet::new();
        let mut orders = std::collections::BTreeMap::<Vec<u8>, u32>::new();
        for _ in 0..6_000 {
            picked.insert(*stream.pick(&[1, 2, 3]).unwrap());
            let mut items = vec![1, 2, 3];
            stream.shuffle(&mut items);
            *orders.entry(items).or_default() += 1;
        }
        assert_eq!(picked.len(), 3);
        assert_eq!(orders.len(), 6);
        assert!(orders.values().all(|&n| (850..1150).contains(&n)), "{orders:?}");
        assert_eq!(stream.pick::<u8>(&[]), None);
    }
}

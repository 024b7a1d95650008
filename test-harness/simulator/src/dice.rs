//! Random numbers that follow from a seed, and of which no race ever draws.
//!
//! ```
//! use race_simulator::dice::{Dice, race_seed};
//! assert_eq!(Dice::new(race_seed(1, 0), 3).below(100), Dice::new(race_seed(1, 0), 3).below(100));
//! ```

use gm_core::ids::{CarId, TurnNo};
use gm_core::random::{Purpose, Seed, Stream};
use std::ops::{Deref, DerefMut};

/// The turn that no race comes to: its streams are free.
const NEVER: TurnNo = TurnNo(u32::MAX);

/// Dice of somebody's own.
#[derive(Debug, Clone)]
pub struct Dice(Stream);

impl Dice {
    /// The dice of somebody, named by a number, in the race of this seed.
    #[must_use]
    pub fn new(seed: u64, whose: u32) -> Dice {
        Dice(Seed(seed).stream(NEVER, Purpose::Bonuses, CarId(whose)))
    }

    /// One of some, all equally likely.
    ///
    /// # Panics
    /// If there is none.
    pub fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.pick(choices).expect("there is something to choose from")
    }

    /// Five whole percentages that add up to 100; some are 0.
    pub fn hundred(&mut self) -> [u32; 5] {
        let mut cuts = [0; 4].map(|_| self.between(0, 100));
        cuts.sort_unstable();
        [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], cuts[3] - cuts[2], 100 - cuts[3]]
    }
}

impl Deref for Dice {
    type Target = Stream;
    fn deref(&self) -> &Stream {
        &self.0
    }
}

impl DerefMut for Dice {
    fn deref_mut(&mut self) -> &mut Stream {
        &mut self.0
    }
}

/// The seed of one of many races: 53 bits, so that every reader of JSON reads it as it is.
#[must_use]
pub fn race_seed(seed: u64, index: u32) -> u64 {
    Seed(seed).stream(NEVER, Purpose::Encounter, CarId(index)).bits() >> 11
}

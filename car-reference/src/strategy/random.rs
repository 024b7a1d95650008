//! Random: decides by its dice alone.
//!
//! ```
//! use car_reference::{Strategy, dice::Dice, strategy::{Situation, random::Random}};
//! let answer = |decision| Random.crosses_mines(&Situation::default(), &mut Dice::of(0, "i-0abc", decision));
//! assert_eq!(answer(1), answer(1));
//! ```

use super::{Situation, Strategy};
use crate::dice::Dice;
use gm_core::contract::{Kind, Prices};
use gm_core::ids::TeamId;

/// The random strategy.
#[derive(Debug, Clone, Copy)]
pub struct Random;

impl Strategy for Random {
    fn searches_wreck(&self, _car: &Situation, dice: &mut Dice) -> bool {
        dice.coin()
    }

    fn crosses_mines(&self, _car: &Situation, dice: &mut Dice) -> bool {
        dice.coin()
    }

    /// Each kind and nothing, all equally likely.
    fn buys(&self, _car: &Situation, _prices: Prices, dice: &mut Dice) -> Option<Kind> {
        match dice.below(4) {
            0 => Some(Kind::Engine),
            1 => Some(Kind::Pilot),
            2 => Some(Kind::Weapon),
            _ => None,
        }
    }

    fn fights(&self, _car: &Situation, _other: TeamId, dice: &mut Dice) -> bool {
        dice.coin()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::car_with;
    use std::collections::BTreeMap;

    /// Every answer is given, about equally often, and the same dice give the same answer.
    #[test]
    fn c_12_to_15_random() {
        let car = car_with(4, 1, 3);
        let prices = Prices { engine: 2, pilot: 1, weapon: 2 };
        let mut bought = BTreeMap::<Option<Kind>, u32>::new();
        let mut yes = [0; 3];
        for decision in 0..4_000 {
            let dice = Dice::of(0, "i-0abc", decision);
            let buys = Random.buys(&car, prices, &mut dice.clone());
            assert_eq!(buys, Random.buys(&car, prices, &mut dice.clone()));
            *bought.entry(buys).or_default() += 1;
            yes[0] += u32::from(Random.searches_wreck(&car, &mut dice.clone()));
            yes[1] += u32::from(Random.crosses_mines(&car, &mut dice.clone()));
            yes[2] += u32::from(Random.fights(&car, TeamId(2), &mut dice.clone()));
        }
        assert_eq!(bought.len(), 4);
        assert!(bought.values().all(|n| (880..1_120).contains(n)), "{bought:?}");
        assert!(yes.iter().all(|n| (1_850..2_150).contains(n)), "{yes:?}");
    }
}

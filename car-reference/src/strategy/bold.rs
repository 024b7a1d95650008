//! Bold: takes every risk that pays off on average.
//!
//! ```
//! use car_reference::{Strategy, dice::Dice, strategy::{Situation, bold::Bold}};
//! assert!(Bold.searches_wreck(&Situation::default(), &mut Dice::of(0, "i-0abc", 1)));
//! ```

use super::{Situation, Strategy};
use crate::dice::Dice;
use gm_core::contract::{Kind, Prices};
use gm_core::ids::TeamId;

/// The bold strategy.
#[derive(Debug, Clone, Copy)]
pub struct Bold;

impl Bold {
    /// The most that it pays for a module, in dollars.
    pub const DEAR: u32 = 10;
    /// With so many modules one pilot among them is rarely the one that a mine takes.
    pub const MANY_MODULES: u64 = 6;
}

impl Strategy for Bold {
    /// Always: what a quarter of all wrecks hold, an engine, soon makes up for the turn.
    fn searches_wreck(&self, _car: &Situation, _dice: &mut Dice) -> bool {
        true
    }

    /// If the module that is lost is likely to be one that the race goes on without.
    fn crosses_mines(&self, car: &Situation, _dice: &mut Dice) -> bool {
        car.modules.pilot >= 2 || car.modules.total() >= Bold::MANY_MODULES
    }

    /// Engines; a weapon only if it has none.
    fn buys(&self, car: &Situation, prices: Prices, _dice: &mut Dice) -> Option<Kind> {
        let wish = if car.modules.weapon == 0 { Kind::Weapon } else { Kind::Engine };
        (prices.of(wish) <= Bold::DEAR).then_some(wish)
    }

    /// With two cards or more there is a chance.
    fn fights(&self, car: &Situation, _other: TeamId, _dice: &mut Dice) -> bool {
        car.modules.weapon >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::car_with;

    #[test]
    fn c_12_to_15_bold() {
        use Kind::*;
        let mut dice = Dice::of(0, "i-0abc", 1);
        for (engine, pilot, weapon, price, crosses, fights, buys) in [
            (4, 1, 3, 2, true, true, Some(Engine)),
            (4, 1, 1, 2, true, false, Some(Engine)),
            (3, 1, 1, 2, false, false, Some(Engine)),
            (1, 2, 0, 2, true, false, Some(Weapon)),
            (1, 1, 2, 10, false, true, Some(Engine)),
            (1, 1, 2, 11, false, true, None),
            (1, 1, 0, 11, false, false, None),
        ] {
            let car = car_with(engine, pilot, weapon);
            let prices = Prices { engine: price, pilot: 1, weapon: price };
            assert!(Bold.searches_wreck(&car, &mut dice));
            assert_eq!(Bold.crosses_mines(&car, &mut dice), crosses, "{car:?}");
            assert_eq!(Bold.fights(&car, TeamId(2), &mut dice), fights, "{car:?}");
            assert_eq!(Bold.buys(&car, prices, &mut dice), buys, "{car:?} at {price}");
        }
    }
}

//! Careful: takes no risk that could end its race.
//!
//! ```
//! use car_reference::{Strategy, dice::Dice, strategy::{Situation, careful::Careful}};
//! assert!(!Careful.searches_wreck(&Situation::default(), &mut Dice::of(0, "i-0abc", 1)));
//! ```

use super::{Situation, Strategy};
use crate::dice::Dice;
use gm_core::contract::{Kind, Prices};
use gm_core::ids::TeamId;

/// The careful strategy.
#[derive(Debug, Clone, Copy)]
pub struct Careful;

impl Careful {
    /// The most that it pays for a module, in dollars.
    pub const CHEAP: u32 = 3;
    /// The weapons from which on it dares to fight.
    pub const WELL_ARMED: u64 = 4;
}

impl Strategy for Careful {
    /// Only with a pilot to spare, for there may be snakes.
    fn searches_wreck(&self, car: &Situation, _dice: &mut Dice) -> bool {
        car.modules.pilot >= 2
    }

    /// Never: the way round costs three turns and nothing else.
    fn crosses_mines(&self, _car: &Situation, _dice: &mut Dice) -> bool {
        false
    }

    /// A spare pilot first, then a spare weapon, then engines and weapons in turn; and only what is cheap.
    fn buys(&self, car: &Situation, prices: Prices, _dice: &mut Dice) -> Option<Kind> {
        let wish = match car.modules {
            modules if modules.pilot < 2 => Kind::Pilot,
            modules if modules.weapon < 2 => Kind::Weapon,
            _ if car.last.wanted == Some(Some(Kind::Engine)) => Kind::Weapon,
            _ => Kind::Engine,
        };
        (prices.of(wish) <= Careful::CHEAP).then_some(wish)
    }

    /// Only well armed.
    fn fights(&self, car: &Situation, _other: TeamId, _dice: &mut Dice) -> bool {
        car.modules.weapon >= Careful::WELL_ARMED
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::{LastAnswers, car_with};

    #[test]
    fn c_12_to_15_careful() {
        let mut dice = Dice::of(0, "i-0abc", 1);
        for (engine, pilot, weapon, searches, fights) in [
            (4, 1, 3, false, false),
            (4, 2, 3, true, false),
            (4, 3, 3, true, false),
            (4, 1, 4, false, true),
            (0, 0, 0, false, false),
        ] {
            let car = car_with(engine, pilot, weapon);
            assert_eq!(Careful.searches_wreck(&car, &mut dice), searches, "{car:?}");
            assert_eq!(Careful.fights(&car, TeamId(2), &mut dice), fights, "{car:?}");
            assert!(!Careful.crosses_mines(&car, &mut dice), "{car:?}");
        }
    }

    #[test]
    fn c_14_careful() {
        use Kind::*;
        for (pilot, weapon, last, [engine_costs, pilot_costs, weapon_costs], expected) in [
            (1, 0, None, [2, 1, 2], Some(Pilot)),
            (1, 0, None, [2, 3, 2], Some(Pilot)),
            (1, 0, None, [2, 4, 2], None),
            (2, 1, None, [2, 1, 2], Some(Weapon)),
            (2, 1, None, [2, 1, 4], None),
            (2, 2, None, [2, 1, 2], Some(Engine)),
            (2, 2, None, [4, 1, 2], None),
            (2, 2, Some(None), [2, 1, 2], Some(Engine)),
            (2, 2, Some(Some(Weapon)), [2, 1, 2], Some(Engine)),
            (2, 2, Some(Some(Engine)), [2, 1, 2], Some(Weapon)),
        ] {
            let last = LastAnswers { wanted: last, ..LastAnswers::default() };
            let car = Situation { last, ..car_with(4, pilot, weapon) };
            let prices = Prices { engine: engine_costs, pilot: pilot_costs, weapon: weapon_costs };
            assert_eq!(
                Careful.buys(&car, prices, &mut Dice::of(0, "i-0abc", 1)),
                expected,
                "{car:?} {prices:?}"
            );
        }
    }
}

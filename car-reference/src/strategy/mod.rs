//! What a car decides for itself: the wreck, the minefield, the garage, fights (C-12 to C-15).
//!
//! **A team starts here**: copy [`careful`], change it, and give it a name in [`StrategyName`].
//!
//! ```
//! use car_reference::{StrategyName, dice::Dice, strategy::Situation};
//! let car = Situation::default();
//! assert!(!StrategyName::Careful.strategy().crosses_mines(&car, &mut Dice::of(0, "i-0abc", 1)));
//! ```
//!
//! A strategy is a function of what it is given. It keeps nothing and reads no clock, so that a race with the same
//! seed is the same race.

pub mod bold;
pub mod careful;
pub mod random;

use crate::dice::Dice;
use gm_core::contract::{Kind, Modules, Prices};
use gm_core::ids::{Square, TeamId};

/// What a car knows when it decides: itself, and what it said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Situation {
    /// The square that the game master told it last.
    pub square: Square,
    /// How many modules it has.
    pub modules: Modules,
    /// Whether it is in the race.
    pub in_race: bool,
    /// Its last answers.
    pub last: LastAnswers,
}

/// A car's last answers since it was started; `None` where it was not asked yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LastAnswers {
    /// Whether it searched the last wreck.
    pub searched: Option<bool>,
    /// Whether it crossed the last minefield.
    pub crossed: Option<bool>,
    /// What it wanted in the last garage; whether it got it shows in its modules.
    pub wanted: Option<Option<Kind>>,
    /// Whom it was asked to fight last, and whether it wanted to.
    pub fought: Option<(TeamId, bool)>,
}

/// How a car decides.
pub trait Strategy: Send + Sync {
    /// Does it search the wreck? That costs a turn and finds, at the default odds, nothing in half of all cases, an
    /// engine in a quarter, a weapon or a pilot in most others, and rarely snakes, which cost a pilot (R-5.2).
    fn searches_wreck(&self, car: &Situation, dice: &mut Dice) -> bool;

    /// Does it drive through the minefield? That mostly costs a module drawn at random; the way round costs three
    /// turns (R-5.3). Without a pilot the race is over (R-7.4).
    fn crosses_mines(&self, car: &Situation, dice: &mut Dice) -> bool;

    /// What does it buy? The team pays, and the car goes back one square (R-5.4). The car does not know the team's
    /// budget: the game master looks after that.
    fn buys(&self, car: &Situation, prices: Prices, dice: &mut Dice) -> Option<Kind>;

    /// Does it want to fight a car of the team `other`? It is a duel with as many cards as there are weapons; the
    /// loser loses a module and a turn (R-4.6), and who has no weapon is destroyed (R-4.4).
    fn fights(&self, car: &Situation, other: TeamId, dice: &mut Dice) -> bool;
}

/// The strategies by name, as the setting `--strategy` knows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum StrategyName {
    /// Takes no risk that could end its race.
    Careful,
    /// Takes every risk that pays off on average.
    Bold,
    /// Decides by its dice alone.
    Random,
}

impl StrategyName {
    /// The strategy of this name.
    #[must_use]
    pub fn strategy(self) -> Box<dyn Strategy> {
        match self {
            StrategyName::Careful => Box::new(careful::Careful),
            StrategyName::Bold => Box::new(bold::Bold),
            StrategyName::Random => Box::new(random::Random),
        }
    }

    /// The name, as it is written in the settings.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            StrategyName::Careful => "careful",
            StrategyName::Bold => "bold",
            StrategyName::Random => "random",
        }
    }
}

/// A car of so many engines, pilots and weapons, for the tables of the strategies.
#[cfg(test)]
pub(crate) fn car_with(engine: u64, pilot: u64, weapon: u64) -> Situation {
    Situation { modules: Modules { engine, pilot, weapon }, in_race: true, ..Situation::default() }
}

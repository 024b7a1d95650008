//! The kinds of module (R-1.3), and one number for each of them.
//!
//! ```
//! use gm_core::contract::{Kind, Modules};
//! assert_eq!(Modules { engine: 3, pilot: 1, weapon: 2 }.of(Kind::Weapon), 2);
//! ```

use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of module (R-1.3). In the order engine, pilot, weapon everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Moves the car, one square a turn each (R-3.1).
    Engine,
    /// Drives the car: without one it is out of the race (R-7.4).
    Pilot,
    /// Gives the car a card in each duel (R-6.1).
    Weapon,
}

impl Kind {
    /// All kinds, in order.
    pub const ALL: [Kind; 3] = [Kind::Engine, Kind::Pilot, Kind::Weapon];

    /// The word of the contract: `engine`, `pilot`, `weapon`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Engine => "engine",
            Kind::Pilot => "pilot",
            Kind::Weapon => "weapon",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How many modules of each kind; the `modules` of `GET /state` (C-5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Modules {
    /// Engines.
    pub engine: u64,
    /// Pilots.
    pub pilot: u64,
    /// Weapons.
    pub weapon: u64,
}

impl Modules {
    /// How many of one kind.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Engine => self.engine,
            Kind::Pilot => self.pilot,
            Kind::Weapon => self.weapon,
        }
    }

    /// The number of one kind, to be changed.
    pub fn of_mut(&mut self, kind: Kind) -> &mut u64 {
        match kind {
            Kind::Engine => &mut self.engine,
            Kind::Pilot => &mut self.pilot,
            Kind::Weapon => &mut self.weapon,
        }
    }

    /// How many in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.engine.saturating_add(self.pilot).saturating_add(self.weapon)
    }
}

/// The price of one module of each kind in whole dollars (R-1.3); the body of `POST /event/garage` (C-14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Price of an engine, in dollars.
    pub engine: u32,
    /// Price of a pilot, in dollars.
    pub pilot: u32,
    /// Price of a weapon, in dollars.
    pub weapon: u32,
}

impl Prices {
    /// The price of one module of a kind, in dollars.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u32 {
        match kind {
            Kind::Engine => self.engine,
            Kind::Pilot => self.pilot,
            Kind::Weapon => self.weapon,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r_1_3_kinds_in_words() {
        for (kind, word) in [(Kind::Engine, "engine"), (Kind::Pilot, "pilot"), (Kind::Weapon, "weapon")] {
            assert_eq!(kind.word(), word);
            assert_eq!(kind.to_string(), word);
            assert_eq!(serde_json::to_value(kind).unwrap(), word);
        }
        assert!(Kind::ALL.is_sorted());
    }

    #[test]
    fn r_1_3_a_number_for_each_kind() {
        let mut modules = Modules { engine: 3, pilot: 1, weapon: 2 };
        assert_eq!(Kind::ALL.map(|kind| modules.of(kind)), [3, 1, 2]);
        assert_eq!(modules.total(), 6);
        for kind in Kind::ALL {
            *modules.of_mut(kind) += 10;
        }
        assert_eq!(modules, Modules { engine: 13, pilot: 11, weapon: 12 });
        assert_eq!(Modules { pilot: u64::MAX, ..modules }.total(), u64::MAX);
        let prices = Prices { engine: 2, pilot: 1, weapon: 4 };
        assert_eq!(Kind::ALL.map(|kind| prices.of(kind)), [2, 1, 4]);
    }
}

//! What a car has, and the changes of it (C-6 to C-11), in memory.
//!
//! ```
//! use car_reference::store::{Change, Kept};
//! use gm_core::{contract::{Kind, Modules}, ids::Square};
//! let mut kept = Kept::new(Modules { engine: 1, pilot: 1, weapon: 1 });
//! kept.apply(&Change::Enter(Square(42)));
//! assert!(kept.in_race);
//! ```

use super::{Change, MAX_MODULES};
use gm_core::contract::{Kind, Modules};
use gm_core::ids::Square;
use std::collections::BTreeSet;

/// What a car has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// The square that the game master told last.
    pub square: Square,
    /// Whether the car is in the race.
    pub in_race: bool,
    names: [Vec<String>; 3],
}

impl Kept {
    /// A new car, not yet in the race, with `engine-1`, `engine-2`, …, at most [`MAX_MODULES`] of a kind.
    #[must_use]
    pub fn new(modules: Modules) -> Kept {
        let mut kept = Kept { square: Square(0), in_race: false, names: [const { Vec::new() }; 3] };
        for kind in Kind::ALL {
            kept.apply(&Change::BringTo { kind, count: modules.of(kind) });
        }
        kept
    }

    /// The names of one kind, the oldest first, each once.
    #[must_use]
    pub fn names(&self, kind: Kind) -> &[String] {
        &self.names[kind as usize]
    }

    /// Makes a change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Enter(square) => {
                self.square = *square;
                self.in_race = true;
            }
            Change::Move(square) => self.square = *square,
            Change::Leave => self.in_race = false,
            Change::BringTo { kind, count } => self.bring_to(*kind, *count),
            Change::Add { kind, name } => {
                let names = &mut self.names[*kind as usize];
                if !names.contains(name) {
                    names.push(name.clone());
                }
            }
            Change::Remove { kind, name } => self.names[*kind as usize].retain(|there| there != name),
        }
    }

    fn bring_to(&mut self, kind: Kind, count: u64) {
        let names = &mut self.names[kind as usize];
        let count = usize::try_from(count.min(MAX_MODULES)).unwrap_or(usize::MAX);
        names.truncate(count);
        let missing = count - names.len();
        let taken: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        // Of so many numbers at most `names.len()` are taken, so `missing` are free.
        let free: Vec<String> = (1..=count)
            .map(|number| format!("{kind}-{number}"))
            .filter(|name| !taken.contains(name.as_str()))
            .take(missing)
            .collect();
        names.extend(free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row: the engines before, a change, the engines after.
    #[track_caller]
    fn check(before: &str, change: Change, after: &str) {
        let mut kept = Kept::new(Modules::default());
        for name in before.split_whitespace() {
            kept.apply(&Change::Add { kind: Kind::Engine, name: name.into() });
        }
        kept.apply(&change);
        assert_eq!(kept.names(Kind::Engine).join(" "), after, "{before} {change:?}");
        assert!(kept.names(Kind::Pilot).is_empty() && kept.names(Kind::Weapon).is_empty());
        kept.apply(&change);
        assert_eq!(kept.names(Kind::Engine).join(" "), after, "{before} {change:?}, twice");
    }

    #[test]
    fn c_9_to_11_changes_of_modules() {
        let kind = Kind::Engine;
        let bring_to = |count| Change::BringTo { kind, count };
        let add = |name: &str| Change::Add { kind, name: name.into() };
        let remove = |name: &str| Change::Remove { kind, name: name.into() };
        for (before, change, after) in [
            ("", bring_to(0), ""),
            ("", bring_to(3), "engine-1 engine-2 engine-3"),
            ("engine-1 engine-2", bring_to(2), "engine-1 engine-2"),
            ("engine-1 engine-2 engine-3", bring_to(1), "engine-1"),
            ("engine-1 engine-2 engine-3", bring_to(0), ""),
            ("engine-2", bring_to(2), "engine-2 engine-1"),
            ("engine-3 v8", bring_to(4), "engine-3 v8 engine-1 engine-2"),
            ("engine-1 engine-t12-c3-1", bring_to(1), "engine-1"),
            ("engine-9 engine-1", bring_to(1), "engine-9"),
            ("a", add("b"), "a b"),
            ("a b", add("a"), "a b"),
            ("a b c", remove("b"), "a c"),
            ("a", remove("b"), "a"),
            ("", remove("b"), ""),
        ] {
            check(before, change, after);
        }
    }

    #[test]
    fn c_9_a_count_has_a_bound() {
        let mut kept = Kept::new(Modules { engine: u64::MAX, pilot: 1, weapon: 0 });
        assert_eq!(kept.names(Kind::Engine).len() as u64, MAX_MODULES);
        kept.apply(&Change::BringTo { kind: Kind::Engine, count: 2 });
        assert_eq!(kept, Kept::new(Modules { engine: 2, pilot: 1, weapon: 0 }));
        assert_eq!(kept.names(Kind::Pilot), ["pilot-1"]);
    }

    #[test]
    fn c_6_to_8_square_and_race() {
        let mut kept = Kept::new(Modules::default());
        assert_eq!((kept.square, kept.in_race), (Square(0), false));
        for (change, square, in_race) in [
            (Change::Move(Square(3)), 3, false),
            (Change::Enter(Square(5)), 5, true),
            (Change::Move(Square(4)), 4, true),
            (Change::Leave, 4, false),
            (Change::Enter(Square(0)), 0, true),
        ] {
            kept.apply(&change);
            assert_eq!((kept.square, kept.in_race), (Square(square), in_race), "{change:?}");
        }
    }
}

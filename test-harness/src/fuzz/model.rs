//! What is known of a car, and what may have changed after a step.
//!
//! ```text
//! POST /engine {"name": "v8"}  →  201: one engine more, and nothing else; 422: nothing at all
//! ```
//!
//! It never asks more than the contract: where a sane car may do the one or the other, both are right.

use super::Found;
use super::names::is_plain;
use super::step::{Effect, Step, What};
use crate::report::modules_in_words;
use gm_core::contract::{CarRequest, Kind};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::RangeInclusive;

/// A car, as far as the contract shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) name: String,
    pub(super) square: u64,
    pub(super) counts: [u64; 3],
}

impl Seen {
    pub(super) fn found(&self) -> Found {
        Found { square: self.square, counts: self.counts }
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "square {}, {}", self.square, modules_in_words(self.counts))
    }
}

/// How an answer is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// 2xx.
    Accepted,
    /// Any other status.
    Refused,
    /// None was heard, and none had to be.
    Unheard,
}

/// What a car may look like after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allowed {
    name: String,
    square: RangeInclusive<u64>,
    counts: [RangeInclusive<u64>; 3],
}

impl Allowed {
    fn only(seen: &Seen) -> Allowed {
        Allowed {
            name: seen.name.clone(),
            square: seen.square..=seen.square,
            counts: seen.counts.map(|count| count..=count),
        }
    }

    pub(super) fn holds(&self, seen: &Seen) -> bool {
        self.name == seen.name
            && self.square.contains(&seen.square)
            && Kind::ALL.iter().all(|kind| self.counts[*kind as usize].contains(&seen.counts[*kind as usize]))
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |range: &RangeInclusive<u64>| match (range.start(), range.end()) {
            (start, end) if start == end => start.to_string(),
            (start, end) => format!("{start} or {end}"),
        };
        write!(f, "square {}", number(&self.square))?;
        for kind in Kind::ALL {
            let range = &self.counts[kind as usize];
            let many = if *range == (1..=1) { "" } else { "s" };
            write!(f, ", {} {kind}{many}", number(range))?;
        }
        Ok(())
    }
}

/// What is known of a car.
#[derive(Debug, Clone)]
pub(super) struct Model {
    /// As it was seen last.
    pub(super) seen: Seen,
    /// It was told that it is out of the race: what it says of itself until it is back is its own affair.
    pub(super) retired: bool,
    /// What it has for sure, of what was added.
    sure: BTreeSet<(Kind, String)>,
    /// What it may have, of what was added.
    perhaps: BTreeSet<(Kind, String)>,
}

impl Model {
    /// A car that was seen just now. `stuck` are names that it may have since before.
    pub(super) fn new(seen: Seen, stuck: impl IntoIterator<Item = (Kind, String)>) -> Model {
        Model { seen, retired: false, sure: BTreeSet::new(), perhaps: stuck.into_iter().collect() }
    }

    /// Whether the car has a module of this name for sure.
    pub(super) fn has(&self, kind: Kind, name: &str) -> bool {
        self.sure.contains(&(kind, name.to_owned()))
    }

    /// What the car may look like after a step that was answered so; none: whatever it likes.
    pub(super) fn allows(&self, step: &Step, class: Class) -> Option<Allowed> {
        let mut allowed = Allowed::only(&self.seen);
        if class == Class::Refused {
            return Some(allowed);
        }
        let command = match step.effect() {
            Effect::Nothing => return Some(allowed),
            // Nothing of it makes a whole command.
            Effect::Anything if class == Class::Unheard && matches!(step.what, What::Raw(_)) => {
                return Some(allowed);
            }
            Effect::Anything => return None,
            Effect::Command(_) if class == Class::Unheard => return None,
            Effect::Command(command) => command,
        };
        match &command {
            CarRequest::SetSquare(square) | CarRequest::SetPosition(square) => {
                let square = u64::from(square.0);
                allowed.square = square..=square;
            }
            CarRequest::SetCount { kind, count } => allowed.counts[*kind as usize] = *count..=*count,
            CarRequest::Gain { kind, name } => {
                let count = self.seen.counts[*kind as usize];
                allowed.counts[*kind as usize] = match self.knows(*kind, name) {
                    // Who keeps only a number can't know the name.
                    Known::Sure if *kind == Kind::Pilot => count..=count + 1,
                    Known::Sure => count..=count,
                    Known::Not if is_plain(name) => count + 1..=count + 1,
                    Known::Not | Known::Perhaps => count..=count + 1,
                };
            }
            CarRequest::Lose { kind, name } => {
                let count = self.seen.counts[*kind as usize];
                let less = count.saturating_sub(1);
                allowed.counts[*kind as usize] = match self.knows(*kind, name) {
                    Known::Sure => less..=less,
                    Known::Not if is_plain(name) && *kind != Kind::Pilot => count..=count,
                    Known::Not | Known::Perhaps => less..=count,
                };
            }
            _ => {}
        }
        if step.may_be_a_repeat() {
            // Taken for one that was done before: nothing, or all of it.
            let before = &self.seen;
            let wider = |range: &RangeInclusive<u64>, value: u64| {
                (*range.start()).min(value)..=(*range.end()).max(value)
            };
            allowed.square = wider(&allowed.square, before.square);
            for kind in 0..3 {
                allowed.counts[kind] = wider(&allowed.counts[kind], before.counts[kind]);
            }
        }
        Some(allowed)
    }

    fn knows(&self, kind: Kind, name: &str) -> Known {
        let module = (kind, name.to_owned());
        match (self.sure.contains(&module), self.perhaps.contains(&module)) {
            (true, _) => Known::Sure,
            (false, true) => Known::Perhaps,
            (false, false) => Known::Not,
        }
    }

    /// Takes notice of a step that was answered so, after which the car was seen like this.
    pub(super) fn after(&mut self, step: &Step, class: Class, seen: Seen) {
        let before = std::mem::replace(&mut self.seen, seen);
        if class == Class::Refused {
            return;
        }
        let effect = step.effect();
        match effect {
            Effect::Command(CarRequest::Gain { kind, name }) => {
                // Seen to be added: it was not there, and is now.
                let added = before.counts[kind as usize] < self.seen.counts[kind as usize];
                if added && is_plain(&name) {
                    self.perhaps.remove(&(kind, name.clone()));
                    self.sure.insert((kind, name));
                } else {
                    self.may_have(kind, &name);
                }
            }
            Effect::Command(CarRequest::Lose { kind, name }) => {
                let taken = before.counts[kind as usize] > self.seen.counts[kind as usize];
                let module = (kind, name);
                let was_known = self.sure.remove(&module) | self.perhaps.remove(&module);
                if was_known && !(taken && is_plain(&module.1)) {
                    self.perhaps.insert(module);
                }
            }
            // Which modules go, and which come, is for the car to say.
            Effect::Command(CarRequest::SetCount { kind, .. }) => {
                let of_kind: Vec<_> = self.sure.iter().filter(|(of, _)| *of == kind).cloned().collect();
                for module in of_kind {
                    self.sure.remove(&module);
                    self.perhaps.insert(module);
                }
            }
            Effect::Anything => self.perhaps.append(&mut self.sure),
            Effect::Nothing | Effect::Command(_) => {}
        }
    }

    /// Takes notice of a step that was answered so, after which the car was not looked at: nothing is sure any more.
    pub(super) fn unseen(&mut self, step: &Step, class: Class) {
        if class == Class::Refused || step.effect() == Effect::Nothing {
            return;
        }
        self.perhaps.append(&mut self.sure);
        if let Effect::Command(CarRequest::Gain { kind, name }) = step.effect() {
            self.may_have(kind, &name);
        }
    }

    /// A module of this name may be there by now.
    pub(super) fn may_have(&mut self, kind: Kind, name: &str) {
        let module = (kind, name.to_owned());
        if !self.sure.contains(&module) {
            self.perhaps.insert(module);
        }
    }

    /// All that was added and may still be there, and whether it is for sure.
    pub(super) fn owed(&self) -> Vec<(Kind, String, bool)> {
        let sure = self.sure.iter().map(|(kind, name)| (*kind, name.clone(), true));
        sure.chain(self.perhaps.iter().map(|(kind, name)| (*kind, name.clone(), false))).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Sure,
    Perhaps,
    Not,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::step::{Id, Key};
    use gm_core::ids::Square;

    fn seen(square: u64, counts: [u64; 3]) -> Seen {
        Seen { name: "i-0abc".into(), square, counts }
    }

    /// What is done while nobody looks is known to be possible, and no more.
    #[test]
    fn what_is_not_seen_is_not_sure() {
        let gain = Step::of(CarRequest::Gain { kind: Kind::Engine, name: "a".into() });
        for (class, expected) in [
            (Class::Refused, "square 7, 5 engines, 1 pilot, 3 weapons"),
            (Class::Accepted, "square 7, 4 or 5 engines, 1 pilot, 3 weapons"),
            (Class::Unheard, "square 7, 4 or 5 engines, 1 pilot, 3 weapons"),
        ] {
            let mut model = Model::new(seen(7, [4, 1, 3]), []);
            model.unseen(&gain, class);
            let allowed = model.allows(&gain, Class::Accepted).expect("a command");
            assert_eq!(allowed.to_string(), expected, "{class:?}");
        }
    }

    /// A car with 4 engines, a pilot and 3 weapons on square 7, after steps that were all accepted, and one more.
    #[track_caller]
    fn check(before: &[Step], step: &Step, class: Class, expected: &str) {
        let mut model = Model::new(seen(7, [4, 1, 3]), []);
        for step in before {
            let allowed = model.allows(step, Class::Accepted).expect("a command");
            let after = Seen {
                name: allowed.name.clone(),
                square: *allowed.square.end(),
                counts: allowed.counts.clone().map(|range| *range.end()),
            };
            model.after(step, Class::Accepted, after);
        }
        let told = model.allows(step, class).map_or("whatever".to_owned(), |allowed| allowed.to_string());
        assert_eq!(told, expected, "{before:?} {step}");
    }

    #[test]
    fn what_may_have_changed() {
        let gain = |kind, name: &str| Step::of(CarRequest::Gain { kind, name: name.into() });
        let lose = |kind, name: &str| Step::of(CarRequest::Lose { kind, name: name.into() });
        let bring = |count| Step::of(CarRequest::SetCount { kind: Kind::Engine, count });
        let (engine, pilot) = (Kind::Engine, Kind::Pilot);
        let square = Step::of(CarRequest::SetSquare(Square(65_536)));
        let again = Step { id: Id::Again, ..square.clone() };
        let no_key = Step { key: Key::Missing, ..square.clone() };
        let (yes, no, silence) = (Class::Accepted, Class::Refused, Class::Unheard);
        for (before, step, class, expected) in [
            (vec![], Step::of(CarRequest::Wreck), yes, "square 7, 4 engines, 1 pilot, 3 weapons"),
            (vec![], square.clone(), yes, "square 65536, 4 engines, 1 pilot, 3 weapons"),
            (vec![], square.clone(), no, "square 7, 4 engines, 1 pilot, 3 weapons"),
            (vec![], square.clone(), silence, "whatever"),
            (vec![], again, yes, "square 7 or 65536, 4 engines, 1 pilot, 3 weapons"),
            (vec![], no_key, yes, "square 65536, 4 engines, 1 pilot, 3 weapons"),
            (vec![], gain(engine, "a"), yes, "square 7, 5 engines, 1 pilot, 3 weapons"),
            (vec![], gain(engine, "a"), no, "square 7, 4 engines, 1 pilot, 3 weapons"),
            (vec![], gain(engine, ".."), yes, "square 7, 4 or 5 engines, 1 pilot, 3 weapons"),
            (vec![gain(engine, "a")], gain(engine, "a"), yes, "square 7, 5 engines, 1 pilot, 3 weapons"),
            (vec![gain(engine, "a")], gain(engine, "A"), yes, "square 7, 6 engines, 1 pilot, 3 weapons"),
            (vec![gain(engine, "a")], gain(pilot, "a"), yes, "square 7, 5 engines, 2 pilots, 3 weapons"),
            (vec![gain(pilot, "a")], gain(pilot, "a"), yes, "square 7, 4 engines, 2 or 3 pilots, 3 weapons"),
            (vec![gain(engine, "a")], lose(engine, "a"), yes, "square 7, 4 engines, 1 pilot, 3 weapons"),
            (vec![], lose(engine, "a"), yes, "square 7, 4 engines, 1 pilot, 3 weapons"),
            (vec![], lose(pilot, "a"), yes, "square 7, 4 engines, 0 or 1 pilots, 3 weapons"),
            (vec![], lose(engine, "count"), yes, "square 7, 3 or 4 engines, 1 pilot, 3 weapons"),
            (vec![], bring(9), yes, "square 7, 9 engines, 1 pilot, 3 weapons"),
            (
                vec![gain(engine, "a"), bring(5)],
                gain(engine, "a"),
                yes,
                "square 7, 5 or 6 engines, 1 pilot, 3 weapons",
            ),
            (
                vec![gain(engine, "a"), bring(5)],
                lose(engine, "a"),
                yes,
                "square 7, 4 or 5 engines, 1 pilot, 3 weapons",
            ),
            (
                vec![gain(engine, "a"), gain(pilot, "b"), bring(5)],
                lose(pilot, "b"),
                yes,
                "square 7, 5 engines, 1 pilot, 3 weapons",
            ),
        ] {
            check(&before, &step, class, expected);
        }
    }
}

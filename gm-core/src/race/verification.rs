//! does the car know what it was told? The game master's word is what counts.
//!
//! A verification gives a [`Breach`] or nothing; who asked for it gives the penalty, once for one modification
//! and sends the right value again.

use super::conversation::Conversation;
use super::event::{Breach, Check, Event, Fact};
use crate::contract::{CarRequest, Fault, Found, Kind};
use crate::ports::{Car as _, Inspector, InspectorFault, World};
use std::collections::BTreeSet;

/// How often an inspector is asked before its check is skipped (I-4).
const INSPECTOR_TRIES: u32 = 2;

/// What the car must know.
#[derive(Clone, Copy)]
pub(super) enum What<'n> {
    /// Its square.
    Square,
    /// Its square and the number of its modules.
    State,
    /// It has gained the module of this name.
    Gained(Kind, &'n str),
    /// It has lost the module of this name.
    Lost(Kind, &'n str),
}

/// What is really there (CONTRACT I).
enum Real {
    Names(Vec<String>),
    Number(u64),
}

impl<W: World> Conversation<'_, W> {
    /// What is wrong, if something is and stays so for as long as the rules give it time: it is asked again
    /// once a second, so at most as often as the grace has seconds.
    pub(super) async fn verify(&mut self, what: What<'_>) -> Option<Breach> {
        let grace = self.rules.verify_grace;
        for tries in 1..=grace.0 {
            let breach = self.check(what).await?;
            if !self.line.wait_to_ask_again(tries, grace).await {
                return Some(breach);
            }
        }
        self.check(what).await
    }

    async fn check(&mut self, what: What<'_>) -> Option<Breach> {
        match what {
            What::Square => self.check_square().await,
            What::State => self.check_state().await,
            What::Gained(kind, name) => self.check_modules(kind, name, true).await,
            What::Lost(kind, name) => self.check_modules(kind, name, false).await,
        }
    }

    async fn check_square(&mut self) -> Option<Breach> {
        let square = u64::from(self.car.square.0);
        let found = self.state().await.map(|state| state.square);
        breach(CarRequest::State, Fact::Square(square), found, Fact::Square)
    }

    async fn check_state(&mut self) -> Option<Breach> {
        let right = Fact::State { square: u64::from(self.car.square.0), modules: self.car.counts() };
        let found = self.state().await.map(|state| (state.square, state.modules));
        breach(CarRequest::State, right, found, |(square, modules)| Fact::State { square, modules })
    }

    /// The count must be right, and so must the real resource: as many modules, and the one of this name among them
    /// or not. For pilots the number alone.
    async fn check_modules(&mut self, kind: Kind, name: &str, must_hold: bool) -> Option<Breach> {
        let right = self.car.count(kind);
        let found = self.count(kind).await;
        if let Some(breach) = breach(CarRequest::Count(kind), Fact::Count(right), found, Fact::Count) {
            return Some(breach);
        }
        let (there, names) = match self.inspect(kind).await? {
            Real::Number(there) => (there, None),
            Real::Names(names) => (names.len() as u64, Some(names)),
        };
        let inspected =
            |expected, found| Breach { check: Check::Inspected(kind), expected, found: Found::Value(found) };
        if there != right {
            return Some(inspected(Fact::Count(right), Fact::Count(there)));
        }
        let holds = names?.iter().any(|there| there == name);
        let fact = |holds| if holds { Fact::Holds(name.to_owned()) } else { Fact::HoldsNot(name.to_owned()) };
        (holds != must_hold).then(|| inspected(fact(must_hold), fact(holds)))
    }

    /// The right count is sent again, and the names are read again where an inspector can: whatever the car
    /// did to come to that count, these are the modules that it has now.
    pub(super) async fn correct_count(&mut self, kind: Kind) {
        let count = self.car.count(kind);
        let _ = self.line.set_count(kind, count).await;
        if kind == Kind::Pilot {
            return; // A queue holds no names.
        }
        let Some(Real::Names(names)) = self.inspect(kind).await else { return };
        let car = self.id();
        let known: Vec<&str> = self.car.modules_of(kind).map(|module| module.name.as_str()).collect();
        // Only as many names as modules can be taken over: otherwise the game master's stand.
        if names.len() as u64 == count && can_be_names(&names) && known != names {
            self.note(Event::NamesRead { car, kind, names });
        }
    }

    /// What is really there; none without an inspector, or where it failed (I-4).
    async fn inspect(&mut self, kind: Kind) -> Option<Real> {
        let inspector = self.inspector.as_mut()?;
        let resource = self.car.resources.of(kind);
        let mut fault = InspectorFault::Unavailable;
        for _ in 0..INSPECTOR_TRIES {
            let read = match kind {
                Kind::Engine => inspector.engines(resource).await.map(Real::Names),
                Kind::Pilot => inspector.pilots(resource).await.map(Real::Number),
                Kind::Weapon => inspector.weapons(resource).await.map(Real::Names),
            };
            match read {
                Ok(real) => return Some(real),
                Err(this_time) => fault = this_time,
            }
        }
        let car = self.id();
        self.note(Event::InspectionSkipped { car, kind, fault });
        None
    }
}

/// Whether these can be the names of a car's modules of one kind: none empty, none twice.
pub(super) fn can_be_names(names: &[String]) -> bool {
    let distinct: BTreeSet<&String> = names.iter().collect();
    distinct.len() == names.len() && names.iter().all(|name| !name.is_empty())
}

/// The breach, if what was found is not what was expected.
pub(super) fn breach<T>(
    request: CarRequest,
    expected: Fact,
    found: Result<T, Fault>,
    fact: impl FnOnce(T) -> Fact,
) -> Option<Breach> {
    let found = match found {
        Ok(value) => Found::Value(fact(value)),
        Err(fault) => Found::Fault(fault),
    };
    let right = matches!(&found, Found::Value(value) if *value == expected);
    (!right).then_some(Breach { check: Check::Asked(request), expected, found })
}

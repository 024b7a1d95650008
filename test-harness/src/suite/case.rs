//! A case: one thing that the contract asks for; and what came of it.
//!
//! ```
//! use test_harness::suite::{Case, car};
//! let case = car::cases().iter().find(|case| case.id == "C-10.2").unwrap();
//! assert_eq!((case.requirement, case.title), ("C-10", "adding a name that is there changes nothing"));
//! ```

use crate::client::{Exchange, Mask};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::fmt;
use std::time::Duration;

/// How binding a case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What breaks it costs the car something in a race: a failure.
    Must,
    /// What breaks it is taken by the game master, or never asked by it: a warning.
    Should,
}

impl Level {
    /// `must` or `should`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Level::Must => "must",
            Level::Should => "should",
        }
    }
}

/// What is asked and checked.
pub trait Subject: Send {
    /// All exchanges so far, in order.
    fn exchanges(&self) -> &[Exchange];

    /// Why nothing more can be asked, if it is so: it is gone, or the run was told to stop.
    fn ended(&self) -> Option<String> {
        None
    }

    /// Looks how it is after a case that was checked, and may know better than the case what came of it.
    fn look_after(&mut self, case: &'static str, done: Done) -> BoxFuture<'_, Done> {
        _ = case;
        async { done }.boxed()
    }

    /// Whether a case that does not hold can be tried once more.
    fn tries_again(&self, case: &'static str) -> bool {
        _ = case;
        false
    }

    /// Takes notice of a case that did not hold, and did when it was tried once more.
    fn held(&mut self, case: &'static str) {
        _ = case;
    }

    /// What must not be told of what it has answered.
    fn mask(&self) -> Mask {
        Mask::default()
    }

    /// Sets right what a case that did not pass has left behind, so that the next one finds what it expects.
    fn tidy(&mut self) -> BoxFuture<'_, ()>;
}

/// What a case comes to: nothing if it passed.
pub type Done = Result<(), Stopped>;

/// Why a case did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// It is broken.
    Broken(Failure),
    /// It can't be told: why.
    Skip(String),
    /// What is checked was there, and is gone.
    Gone(Failure),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Stopped {
        Stopped::Broken(failure)
    }
}

/// What was expected and found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What the contract asks for.
    pub expected: String,
    /// What was there instead.
    pub found: String,
    /// The exchange that shows it, by its place among all of the subject's.
    pub exchange: Option<usize>,
}

impl Failure {
    /// The same without what must not be told.
    #[must_use]
    pub fn hidden(self, mask: &Mask) -> Failure {
        Failure { expected: mask.hide(&self.expected), found: mask.hide(&self.found), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

/// One thing that the contract asks for.
pub struct Case<T> {
    /// Its id, `C-10.2`, which stays as it is for ever.
    pub id: &'static str,
    /// The number of the requirement that it comes from: `C-10`, `R-3.1`.
    pub requirement: &'static str,
    /// What holds if it passes.
    pub title: &'static str,
    /// How binding it is.
    pub level: Level,
    /// The cases that it builds on, each before it in the list.
    pub needs: &'static [&'static str],
    /// How to mend what breaks it.
    pub hint: &'static str,
    /// What it costs in a race, and how often.
    pub costs: &'static str,
    /// Checks it.
    pub check: for<'t> fn(&'t mut T) -> BoxFuture<'t, Done>,
}

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Passed,
    /// It must hold, and does not.
    Failed(Failure),
    /// It should hold, and does not.
    Warned(Failure),
    /// Not checked, and why.
    Skipped(String),
}

impl Outcome {
    /// One word: `passed`, `failed`, `warning`, `skipped`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Failed(_) => "failed",
            Outcome::Warned(_) => "warning",
            Outcome::Skipped(_) => "skipped",
        }
    }

    /// What was expected and found, if it does not hold.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Outcome::Failed(failure) | Outcome::Warned(failure) => Some(failure),
            Outcome::Passed | Outcome::Skipped(_) => None,
        }
    }
}

/// A case that was run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// Its id.
    pub id: &'static str,
    /// The requirement that it comes from.
    pub requirement: &'static str,
    /// Its title.
    pub title: &'static str,
    /// How binding it is.
    pub level: Level,
    /// How to mend what breaks it.
    pub hint: &'static str,
    /// What it costs in a race.
    pub costs: &'static str,
    /// What came of it.
    pub outcome: Outcome,
    /// Whether it was known that it does not hold (see [`known`](super::known)).
    pub known: bool,
    /// How long it took.
    pub took: Duration,
    /// What was asked for it, in order.
    pub exchanges: Vec<Exchange>,
    /// The one of them that shows the failure, by its place among them.
    pub shown_by: Option<usize>,
}

impl Ran {
    /// The exchange that shows the failure.
    #[must_use]
    pub fn evidence(&self) -> Option<&Exchange> {
        self.exchanges.get(self.shown_by?)
    }
}

/// What the failures would have cost, a line each.
#[must_use]
pub fn costs(ran: &[Ran]) -> Vec<String> {
    let failed = ran.iter().filter(|ran| matches!(ran.outcome, Outcome::Failed(_)));
    failed.map(|ran| format!("{} {} does not hold. Costs: {}.", ran.id, ran.title, ran.costs)).collect()
}

/// Checks that ids are unique, come from a requirement that is written down, and need only what stands before them.
#[cfg(test)]
pub(crate) fn well_formed<T>(cases: &[Case<T>]) {
    let mut seen = std::collections::BTreeSet::new();
    for case in cases {
        let id = case.id;
        assert!(id.strip_prefix(case.requirement).is_some_and(|rest| rest.starts_with('.')), "{id}");
        let text = super::requirement::text(case.requirement);
        assert!(text.is_some(), "{id}: there is no {}", case.requirement);
        for need in case.needs {
            assert!(seen.contains(need), "{id} needs {need}, which does not stand before it");
            let needed = cases.iter().find(|case| case.id == *need).map(|case| case.level);
            let waits = case.level == Level::Must && needed == Some(Level::Should);
            assert!(!waits, "{id} must hold, and would be skipped for {need}, which only should");
        }
        for text in [case.title, case.hint, case.costs] {
            assert!(!text.is_empty() && !text.ends_with('.'), "{id}: {text:?}");
        }
        assert!(seen.insert(id), "{id} is there twice");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a failure says of an answer holds no secret, nor what was expected instead.
    #[test]
    fn a_failure_tells_no_secret() {
        let failure = Failure {
            expected: "not s3cret".to_owned(),
            found: "s3cret, twice s3cret".to_owned(),
            exchange: Some(7),
        };
        let hidden = failure.hidden(&Mask::of("s3cret"));
        assert!(!hidden.expected.contains("s3cret") && !hidden.found.contains("s3cret"), "{hidden}");
        assert!(hidden.expected.starts_with("not ") && hidden.found.contains("twice"), "{hidden}");
        assert_eq!(hidden.exchange, Some(7));
    }
}

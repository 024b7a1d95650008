//! Who plays, as it is written on the command line: a name, perhaps with a budget, or a URL.
//!
//! ```
//! use fight_lambda_reference::bench::Contender;
//! for name in ["greedy", "search:20ms", "search:5000", "ismcts:1000", "http://127.0.0.1:8081/action"] {
//!     assert_eq!(name.parse::<Contender>().unwrap().to_string(), name);
//! }
//! let unknown = "clever".parse::<Contender>().unwrap_err().to_string();
//! assert!(unknown.starts_with("there is no AI \"clever\": "));
//! ```

use crate::ismcts::{self, IsMcts};
use crate::{Ai, Budget, Mind};
use gm_core::contract::{BadUrl, DuelUrl};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The name of the yardstick, which is no level for pirates.
const ISMCTS: &str = "ismcts";

/// The longest time to think about one question: an answer that took longer would be late (A-3).
const MAX_TIME: Duration = Duration::from_secs(2);

/// The most iterations for one question.
const MAX_ITERATIONS: u32 = ismcts::MAX_ITERATIONS;

/// Somebody who plays duels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Contender {
    /// One of the levels, and for how long it thinks if it is one that does.
    Mind(Mind, Budget),
    /// The yardstick, with so many iterations.
    IsMcts(u32),
    /// An AI at a URL (CONTRACT A).
    Url(DuelUrl),
}

impl Contender {
    /// An AI of this kind with these dice; `None` for a URL.
    #[must_use]
    pub fn wake(&self, seed: u64) -> Option<Box<dyn Ai>> {
        match *self {
            Contender::Mind(mind, budget) => Some(mind.wake_within(seed, budget)),
            Contender::IsMcts(iterations) => Some(Box::new(IsMcts::new(seed, iterations))),
            Contender::Url(_) => None,
        }
    }

    /// The same with another budget.
    ///
    /// # Errors
    /// [`BadContender`] if it has none, or not such a one.
    pub fn within(self, budget: Budget) -> Result<Contender, BadContender> {
        match (self, budget) {
            (Contender::Mind(mind, _), budget) if thinks(mind) => Ok(Contender::Mind(mind, budget)),
            (Contender::Mind(mind, _), _) => Err(BadContender::NoBudget(mind.name())),
            (Contender::IsMcts(_), Budget::Iterations(iterations)) => Ok(Contender::IsMcts(iterations)),
            (Contender::IsMcts(_), Budget::Time(_)) => Err(BadContender::IterationsOnly),
            (Contender::Url(_), _) => Err(BadContender::NoBudget("an AI at a URL")),
        }
    }
}

/// Whether an AI thinks for as long as it may.
fn thinks(mind: Mind) -> bool {
    matches!(mind, Mind::Search)
}

/// What is wrong with a text that should name a contender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadContender {
    /// No such name.
    #[error(
        "there is no AI \"{0}\": take {names}, a budget after some of them as in search:20ms, search:5000 or \
         ismcts:1000, or the http(s) URL of one",
        names = names()
    )]
    Unknown(String),
    /// Not a budget.
    #[error(transparent)]
    Budget(#[from] BadBudget),
    /// It does not think for as long as it may.
    #[error("{0} takes no budget")]
    NoBudget(&'static str),
    /// The yardstick has no clock.
    #[error("ismcts takes a number of iterations, as in ismcts:1000")]
    IterationsOnly,
    /// Not a URL that can be asked.
    #[error("the URL can't be asked: {0}")]
    Url(#[from] BadUrl),
}

/// All names.
fn names() -> String {
    let mut names: Vec<&str> = Mind::ALL.map(Mind::name).to_vec();
    names.push(ISMCTS);
    names.join(", ")
}

impl FromStr for Contender {
    type Err = BadContender;

    fn from_str(text: &str) -> Result<Contender, BadContender> {
        if text.contains("://") {
            return Ok(Contender::Url(DuelUrl::parse(text)?));
        }
        let (name, budget) = match text.split_once(':') {
            None => (text, None),
            Some((name, budget)) => (name, Some(budget)),
        };
        let mind = <Mind as clap::ValueEnum>::from_str(name, false);
        let contender = match mind {
            Ok(mind) => Contender::Mind(mind, Budget::default()),
            Err(_) if name == ISMCTS => Contender::IsMcts(ismcts::ITERATIONS),
            Err(_) => return Err(BadContender::Unknown(text.to_owned())),
        };
        match budget {
            None => Ok(contender),
            Some(budget) => contender.within(budget.parse()?),
        }
    }
}

impl fmt::Display for Contender {
    /// With its budget, so that it means the same when a default changes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::Mind(mind, budget) if thinks(*mind) => write!(f, "{mind}:{budget}"),
            Contender::Mind(mind, _) => mind.fmt(f),
            Contender::IsMcts(iterations) => write!(f, "{ISMCTS}:{iterations}"),
            Contender::Url(url) => f.write_str(url.as_str()),
        }
    }
}

/// What is wrong with a text that should be a budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadBudget {
    /// Not a number, or of something else.
    #[error("\"{0}\" is no budget: give a time such as 20ms or 1s, or a number of iterations such as 5000")]
    NotABudget(String),
    /// Nothing, or too much.
    #[error(
        "a budget is more than 0, and at most 2 s or {MAX_ITERATIONS} iterations: an answer has 2 s (A-3)"
    )]
    OutOfRange,
}

impl FromStr for Budget {
    type Err = BadBudget;

    /// `20ms`, `1s`, `500us`, or a number of iterations.
    fn from_str(text: &str) -> Result<Budget, BadBudget> {
        let digits = text.trim_end_matches(|it: char| it.is_ascii_alphabetic());
        let not_a_budget = || BadBudget::NotABudget(text.to_owned());
        if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
            return Err(not_a_budget());
        }
        // More digits than fit are out of range, whatever they are of.
        let number: u64 = digits.parse().unwrap_or(u64::MAX);
        let time = match text.get(digits.len()..).unwrap_or_default() {
            "" => {
                let iterations = u32::try_from(number).ok().filter(|it| (1..=MAX_ITERATIONS).contains(it));
                return iterations.map(Budget::Iterations).ok_or(BadBudget::OutOfRange);
            }
            "us" => Duration::from_micros(number),
            "ms" => Duration::from_millis(number),
            "s" => Duration::from_secs(number),
            _ => return Err(not_a_budget()),
        };
        if time.is_zero() || time > MAX_TIME { Err(BadBudget::OutOfRange) } else { Ok(Budget::Time(time)) }
    }
}

impl fmt::Display for Budget {
    /// As it is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Budget::Iterations(iterations) => iterations.fmt(f),
            Budget::Time(time) if time.as_micros() % 1_000 == 0 => write!(f, "{}ms", time.as_millis()),
            Budget::Time(time) => write!(f, "{}us", time.as_micros()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written, and what is shown for it or what is wrong.
    #[track_caller]
    fn check(text: &str, expected: Result<&str, &str>) {
        let read = text.parse::<Contender>();
        let shown = read.as_ref().map(ToString::to_string).map_err(ToString::to_string);
        assert_eq!(shown, expected.map(str::to_owned).map_err(str::to_owned), "{text}");
        if let Ok(contender) = read {
            assert_eq!(contender.to_string().parse(), Ok(contender), "{text}");
        }
    }

    #[test]
    fn who_plays() {
        for (text, shown) in [
            ("random", "random"),
            ("greedy", "greedy"),
            ("careful", "careful"),
            ("reference", "careful"),
            ("search", "search:20ms"),
            ("search:1s", "search:1000ms"),
            ("search:1500us", "search:1500us"),
            ("search:5000", "search:5000"),
            ("ismcts", "ismcts:10000"),
            ("ismcts:1000", "ismcts:1000"),
            ("HTTP://Ai.Example/a?key=1", "http://ai.example/a?key=1"),
        ] {
            check(text, Ok(shown));
        }
    }

    #[test]
    fn who_does_not() {
        let unknown = |name: &str| {
            format!(
                "there is no AI \"{name}\": take random, greedy, careful, search, ismcts, a budget after some of \
                 them as in search:20ms, search:5000 or ismcts:1000, or the http(s) URL of one"
            )
        };
        let range = "a budget is more than 0, and at most 2 s or 1000000 iterations: an answer has 2 s (A-3)";
        let none = |text: &str| {
            format!(
                "\"{text}\" is no budget: give a time such as 20ms or 1s, or a number of iterations such as 5000"
            )
        };
        for (text, why) in [
            ("", unknown("")),
            ("clever", unknown("clever")),
            ("Search", unknown("Search")),
            ("localhost:8081", unknown("localhost:8081")),
            ("greedy:5", "greedy takes no budget".to_owned()),
            ("ismcts:20ms", "ismcts takes a number of iterations, as in ismcts:1000".to_owned()),
            ("search:", none("")),
            ("search:fast", none("fast")),
            ("search:20 ms", none("20 ms")),
            ("search:-1", none("-1")),
            ("search:1.5ms", none("1.5ms")),
            ("search:3h", none("3h")),
            ("search:0", range.to_owned()),
            ("search:0ms", range.to_owned()),
            ("search:3s", range.to_owned()),
            ("search:1000001", range.to_owned()),
            ("search:99999999999999999999", range.to_owned()),
            ("search:99999999999999999999ms", range.to_owned()),
            ("ftp://ai.example", "the URL can't be asked: the scheme is not http or https".to_owned()),
        ] {
            check(text, Err(&why));
        }
    }
}

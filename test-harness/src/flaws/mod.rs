//! Broken cars, one defect each, made from the reference: what the conformance suite is measured by.
//!
//! ```
//! use test_harness::flaws::car::FLAWS;
//! let flaw = FLAWS.iter().find(|flaw| flaw.name == "square-wraps").unwrap();
//! assert_eq!((flaw.what, flaw.caught_by), ("keeps the place on the ring instead of the square", "C-6.2"));
//! ```
//!
//! Each names the one case that must catch it (`docs/conformance.md` has them all in tables). `conform` is tested with
//! all of them: the case that is named does not hold, what builds on it is skipped, and all else holds.

pub mod ai;
pub mod car;

use crate::suite::{Case, Outcome, Ran, Suite};
use std::collections::BTreeSet;

/// What a suite has found otherwise than it must where one thing is broken, which one case catches: that case does not hold,
/// what builds on it is skipped, and names it as the reason; all else passes.
///
/// # Panics
/// If a case was run that is none of `cases`.
#[must_use]
pub fn wrong_with<T>(name: &str, caught_by: &'static str, cases: &[Case<T>], suite: &Suite) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut out = BTreeSet::from([caught_by]);
    if !suite.ran.iter().any(|ran| ran.id == caught_by) {
        wrong.push(format!("{name}: {caught_by} was not run"));
    }
    for ran in &suite.ran {
        let case = cases.iter().find(|case| case.id == ran.id).expect("a case that was run");
        let is_it = ran.id == caught_by;
        let builds_on_it = case.needs.iter().any(|need| out.contains(need));
        let as_it_should = match &ran.outcome {
            Outcome::Failed(_) | Outcome::Warned(_) => is_it,
            Outcome::Skipped(why) => {
                out.insert(ran.id);
                builds_on_it && case.needs.iter().any(|need| out.contains(need) && why.contains(need))
            }
            Outcome::Passed => !is_it && !builds_on_it,
        };
        if !as_it_should {
            wrong.push(format!("{name}: {} {}: {:?}", ran.id, ran.title, ran.outcome));
        }
    }
    wrong
}

/// The cases that did not pass, in words.
#[must_use]
pub fn not_passed(ran: &[Ran]) -> Vec<String> {
    let odd = ran.iter().filter(|ran| ran.outcome != Outcome::Passed);
    odd.map(|ran| format!("{} {}: {:?}", ran.id, ran.title, ran.outcome)).collect()
}

//! The cases for a car (CONTRACT C), in the order in which they are run.
//!
//! ```
//! let ids: Vec<&str> = test_harness::suite::car::cases().iter().map(|case| case.id).collect();
//! assert!(ids.contains(&"C-4.1"));
//! ```
//!
//! Each file has the cases of one part of the contract:
//!
//! - `transport`: it answers, to the right secret, in time (C-20, C-21).
//! - `identity`: its resources, its counts, its state (C-1 to C-5).
//! - `square`: it is told its square (C-6, C-7).
//! - `counts`, `gains`, `losses`: its modules change (C-9, C-10, C-11).
//! - `decisions`: what it decides for itself (C-12 to C-16).
//! - `tolerance`: what is taken, and should not have to be (C-19, C-22).
//! - `membership`: it leaves the race and comes back (C-8).
//! - `race`: a short race by the real rules.
//!
//! A case leaves the car as it found it: what it adds it takes away again by name, and no module that was there before is
//! taken away by name. [`Talk`] keeps count, looks after each case whether the car is as it was, and whether it is still
//! there.

mod conform;
mod counts;
mod decisions;
mod gains;
mod identity;
mod losses;
mod membership;
mod race;
mod square;
mod talk;
mod tolerance;
mod transport;

pub use conform::conform;
pub use talk::{AsFound, Settings, Talk};

use super::case::Case;
use std::sync::LazyLock;

static CASES: LazyLock<Vec<Case<Talk>>> = LazyLock::new(|| {
    let parts = [
        transport::first(),
        identity::cases(),
        square::cases(),
        counts::cases(),
        gains::cases(),
        losses::cases(),
        decisions::cases(),
        transport::later(),
        tolerance::cases(),
        membership::cases(),
        race::cases(),
    ];
    parts.into_iter().flatten().collect()
});

/// All cases, each after those that it needs.
#[must_use]
pub fn cases() -> &'static [Case<Talk>] {
    &CASES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::case::well_formed;

    /// Ids are unique, come from a requirement that is written down, and need only what stands before them.
    #[test]
    fn cases_are_well_formed() {
        well_formed(cases());
        for number in (1..=16).chain(19..=22) {
            let requirement = format!("C-{number}");
            assert!(cases().iter().any(|case| case.requirement == requirement), "{requirement} has no case");
        }
    }
}

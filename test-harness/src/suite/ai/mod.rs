//! The cases for a duel AI (CONTRACT A, R-6), in the order in which they are run.
//!
//! ```
//! let ids: Vec<&str> = test_harness::suite::ai::cases().iter().map(|case| case.id).collect();
//! assert!(ids.contains(&"A-1.2"));
//! ```
//!
//! - `wire`: how it is asked, and in what form it answers (A-1 to A-4).
//! - `plays`: what it plays is legal (R-6.2, R-6.3), whatever it holds and whatever was played before (R-6.7).
//! - `positions`: the positions that are asked: set up for one thing, or reached by playing.
//! - [`yardstick`]: AIs in this process, to be played against. [`strength`]: how it does against them, as information.

mod conform;
mod plays;
mod positions;
pub mod strength;
mod talk;
mod wire;
pub mod yardstick;

pub use conform::conform;
pub use talk::{AiTalk, Settings};

use super::case::Case;
use std::sync::LazyLock;

static CASES: LazyLock<Vec<Case<AiTalk>>> = LazyLock::new(|| {
    let parts = [wire::first(), plays::cases(), wire::later(), plays::at_length(), wire::last()];
    parts.into_iter().flatten().collect()
});

/// All cases, each after those that it needs.
#[must_use]
pub fn cases() -> &'static [Case<AiTalk>] {
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
        for number in 1..=4 {
            let requirement = format!("A-{number}");
            assert!(cases().iter().any(|case| case.requirement == requirement), "{requirement} has no case");
        }
    }
}

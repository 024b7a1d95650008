//! Whole races in one process, thousands a minute, each of them audited.
//!
//! ```
//! use race_simulator::{generate, play};
//! let played = play::play(generate::Generator::new(7, 5));
//! assert!(played.findings.is_empty(), "{:?}", played.findings);
//! ```
//!
//! The teams, their strategies, what goes wrong with their cars and AIs, the rules of the race and what people command in
//! it are drawn from one number. The race is played by the real rules, through the code that makes decisions durable, and
//! written down by the one that exports races; what is written is read by the [auditor](race_auditor), which knows the
//! rule book and none of this code. So a wrong rule, a decision that is made otherwise the second time, an event that is
//! not stored as it was, and a panic are all found by the same run.
//!
//! In reading order:
//!
//! 1. [`dice`]: random numbers that follow from a seed.
//! 2. [`plan`]: a race that is to be played, written out: its rules, cars, and steps.
//! 3. [`behaviour`]: how a car or a duel AI of a plan behaves.
//! 4. [`generate`]: draws a plan, and the next step from how the race stands.
//! 5. [`book`]: writes down what happens, as an export, and lets it be audited.
//! 6. [`play`](mod@play): plays a race, from a plan or as it is drawn.
//! 7. [`shrink`](mod@shrink): makes the plan of a race in which something was found as small as it can be.
//! 8. [`many`]: plays many, side by side, and holds all that was drawn against the odds.
//! 9. [`report`]: what is told of it.

pub mod behaviour;
pub mod book;
pub mod dice;
pub mod generate;
pub mod many;
pub mod plan;
pub mod play;
pub mod report;
pub mod shrink;

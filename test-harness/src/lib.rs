//! The test harness: what tests put around healthy cars, and the checks of the workspace itself (in `tests/`).
//!
//! **What this crate never does**: decide what a rule says, become part of what is shipped (nothing depends on it),
//! listen or connect anywhere but on loopback, use a port that it was not given by the system, or draw without a seed.
//!
//! - [`broken`]: cars that misbehave over real HTTP.
//! - [`delay`]: servers whose answers take a while, each another while.

pub mod broken;
pub mod delay;

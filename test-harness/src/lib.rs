//! The test harness.
//!
//! - [`broken`]: cars that misbehave over real HTTP.
//! - [`delay`]: servers whose answers take a while, each another while.

pub mod broken;
pub mod delay;

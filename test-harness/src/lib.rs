//! The test harness.
//!
//! - [`broken`]: cars that misbehave over real HTTP.

pub mod broken;

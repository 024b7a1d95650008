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

//! Conformance: cases that each check one thing that the contract asks for, and what came of them.
//!
//! ```text
//! C-10.2  must    adding a name that is there changes nothing      needs C-10.1     passed
//! C-20.2  should  a wrong secret is refused with 401               needs C-20.1     warning: expected …, found …
//! ```
//!
//! - A [`Case`] has an id that never changes: the number of the requirement that it comes from, and its own. A case
//!   that fails is a *failure* where the contract says must, and a *warning* where it says should.
//! - A case *needs* others: what it builds on. Where one of these did not pass it is *skipped*, and says so: one defect
//!   is told once, by the case that names it, and not by twenty that stumble over it.
//! - What shows a failure is one exchange, and what led to it is its [`evidence`], too.
//! - [`run`](mod@run) runs them one after the other. [`requirement`] has the text that a case comes from, out of
//!   `docs/`. [`known`] are the failures that somebody knows of already. [`latency`] is how long answers took.
//! - [`car`]: the cases for a car (CONTRACT C). [`ai`]: the cases for a duel AI (CONTRACT A).

pub mod ai;
pub mod car;
pub mod case;
pub mod evidence;
pub mod known;
pub mod latency;
pub mod requirement;
pub mod run;

pub use case::{Case, Failure, Level, Outcome, Ran, Subject};
pub use run::{Selection, Suite, Summary, Told, run};

//! Who owns races while they run: one task for each.
//!
//! ```text
//! Races ─┬─ owner of race 1 ── desk ◀─ RaceHandle (order, step, pace, follow …)
//!        ├─ owner of race 2
//!        └─ shut_down(limit): turns are finished, or broken off and finished by whoever recovers them
//! ```
//!
//! - [`handle`]: what others have of a race: they ask, look, and follow its events.
//! - `owner`: the task itself; `desk`: what waits for it; [`decide`](mod@decide): the rules, asked for one decision.
//! - [`races`]: all races of a data directory: made, recovered, shut down.
//!
//! Nothing here knows what an event means. What a command or a turn comes to, the rules say; what is written when, the
//! journal's invariants say: see [`durable`](crate::durable).

pub mod decide;
mod desk;
pub mod handle;
mod owner;
pub mod races;
mod told;

#[cfg(test)]
mod tests;

pub use desk::MOST_WAITING;
pub use handle::{Activity, Denied, Follower, Outcome, RaceHandle, Refused, State};
pub use races::{CannotOwn, Races, Recovery, Setting, Settings, Worlds};

//! The race: to R-12 (the duel, R-6, is [`crate::arena::duel`]).
//!
//! One idea carries it: what happens is decided by asking the [`World`](crate::ports::World), and is said as
//! [`Event`]s; [`Race::apply`] is the only place where a race changes, it can't fail, and a race is the fold of its
//! events. Nothing here keeps anything between two calls.
//!
//! In reading order:
//!
//! 1. [`rules`]: every number that a race can be set up with, and the two presets.
//! 2. [`state`]: the race, its teams and cars; [`event`]: what can happen; `apply`: what each event changes.
//! 3. [`turn`]: R-3, one phase after the other: `start`, `track`, `bonus`, `fight`, `encounter`, `spot_check`,
//!    `achievements`, [`scoring`], `life`.
//! 4. `conversation`: talking with one car; `verification`: R-7, what is done when it is wrong; [`duel`]: R-6
//!    played through the arena's match.
//! 5. [`command`]: what people ask for between two turns: `registration`, `transfer`, `jury`
//!    bonuses, grants, the life of the race.
//! 6. [`view`]: who sees what.

mod achievements;
mod apply;
mod bonus;
pub mod command;
mod conversation;
pub mod duel;
mod encounter;
pub mod event;
mod fight;
mod jury;
mod life;
mod registration;
pub mod rules;
pub mod scoring;
mod spot_check;
mod start;
pub mod state;
mod track;
mod transfer;
pub mod turn;
mod verification;
pub mod view;
mod words;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub use command::{Command, Refusal};
pub use event::Event;
pub use rules::{Rules, ValidRules};
pub use state::{Car, Race, Team};

/// The revision of the rules. It is recorded with each race; a race is neither resumed nor verified under
/// another one. Raise it with every change that gives other events for the same inputs.
pub const REVISION: u32 = 1;

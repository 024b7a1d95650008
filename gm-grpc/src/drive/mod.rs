//! The ports of `gm-core` over HTTP: cars (CONTRACT C), duel AIs (CONTRACT A), inspectors (CONTRACT I), and the clocks that the rules ask for.
//!
//! ```
//! use gm_grpc::drive::{HttpWorld, Settings};
//! let world = HttpWorld::new(Settings::new("race-7f3a")).expect("a plain name");
//! # let _ = world;
//! ```
//!
//! Read in this order:
//!
//! - [`settings`]: limits, the table of instances; [`secrets`]: what cars are sent, which may change in a race.
//! - [`world`]: [`HttpWorld`], which opens the conversations.
//! - [`car`], [`duel`]: one conversation with a car; the two seats of a duel, with `pirates` in process.
//! - [`inspector`]: who reads a team's real resources.
//! - [`clock`]: the time of a duel (R-6.8) and the running time of a race (R-10.2).
//! - [`witness`]: who looks on while requests are under way.
//! - `line`: one connection, one request at a time, with the deadline, the body cap and the one resend.
//! - `guard`: where requests may go.
//! - `lack`: what the game master itself can run out of when it connects.
//! - `mishap`: what can go wrong on a line, and the one function that makes a fault of it.
//!
//! **Why hyper and not a ready-made client.** Three things of the contract can't be had from one that takes a `Url`
//! and keeps a pool of its own. A module may be called `..`, and its name goes out as `%2E%2E` (C-11), which the URL
//! standard takes for a step up: such a client would send `DELETE /` instead. A connection that the car closed while
//! it was idle is nobody's fault, while a car that closes on a question is at fault, and only who owns the connection
//! can tell the two apart. And a deadline which is the game master's own lateness has to be recognised as such
//! (R-7.9). What is *not* here follows from that: no redirects, no proxies, no cookies, no decompression.

pub mod car;
pub mod clock;
pub mod duel;
mod guard;
pub mod inspector;
mod lack;
mod line;
mod mishap;
mod pirates;
pub mod secrets;
pub mod settings;
pub mod witness;
pub mod world;

pub use car::HttpCar;
pub use clock::{HttpDuelClock, RunningTime};
pub use duel::HttpDuelAi;
pub use inspector::{HttpInspector, InspectorSetting, Inspectors};
pub use secrets::CarSecrets;
pub use settings::{BadSecret, BadSettings, Limits, Secret, Settings};
pub use witness::{Asked, Witness};
pub use world::HttpWorld;

#[cfg(test)]
pub(crate) mod tests;

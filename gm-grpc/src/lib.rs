//! The game master as a server: everything that the rules of `gm-core` leave to the outside.
//!
//! **What this crate never does**: decide anything that the rule book decides. It carries requests, keeps deadlines
//! and clocks, and reports what it saw.
//!
//! - [`drive`]: the ports of the rules over HTTP: cars, duel AIs, clocks.
//! - [`journal`]: everything that a race needs to go on, on disk; [`durable`]: a world whose answers are in it.
//! - [`control`]: who owns a race while it runs.
//! - [`team_log`]: what a team may read of its cars' exchanges and of what became of them.
//! - [`trial`]: outside of a race and at no cost: a test duel (G-4), and a look at a car.
//! - [`export`]: one race as a file that can be carried away, read with other tools, and checked.
//! - [`api`]: the services over gRPC.
//! - [`watch`]: the fan-out of a race to those who look at it.
//! - [`serve`]: the game master as a server, and its settings; [`web`]: what it offers over plain HTTP.
//! - [`observe`]: what those who run it see of it: metrics.
//! - [`cli`]: the command `gm`.

pub mod api;
pub mod cli;
pub mod control;
pub mod drive;
pub mod durable;
pub mod export;
pub mod journal;
pub mod observe;
pub mod serve;
pub mod team_log;
pub mod trial;
pub mod watch;
pub mod web;

//! The game master as a server: everything that the rules of `gm-core` leave to the outside.
//!
//! **What this crate never does**: decide anything that the rule book decides. It carries requests, keeps deadlines
//! and clocks, and reports what it saw.
//!
//! - [`drive`]: the ports of the rules over HTTP: cars, duel AIs, clocks.
//! - [`control`]: who owns a race while it runs.
//! - [`journal`]: everything that a race needs to be continued, shown, or decided again, on disk.
//! - [`export`]: one race as a file that can be carried away, read with other tools, and checked.
//! - [`cli`]: the command `gm`.

pub mod cli;
pub mod control;
pub mod drive;
pub mod export;
pub mod journal;

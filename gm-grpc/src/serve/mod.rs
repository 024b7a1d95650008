//! The game master as a server.
//!
//! - [`settings`]: everything that a server can be told, checked; from `source`s, by [`key`]s.

pub mod key;
pub mod settings;
mod source;

pub use settings::Settings;
pub use source::{BadSettings, Given, Loaded, Problem, Source, Used};

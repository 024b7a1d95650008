//! The game master as a server.
//!
//! - [`settings`]: everything that a server can be told, checked; from `source`s, by [`key`]s.
//! - [`worlds`]: where its races are played.
//! - [`server`]: gRPC, gRPC-Web and HTTP on one port; [`mod@listen`]: its connections.

pub mod key;
pub mod listen;
pub mod server;
pub mod settings;
mod source;
pub mod worlds;

pub use server::{Opened, Server};
pub use settings::Settings;
pub use source::{BadSettings, Given, Loaded, Problem, Source, Used};
pub use worlds::ServedWorlds;

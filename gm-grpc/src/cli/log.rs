//! The log: what went wrong in words, with latencies, which events never hold (R-10.5).
//!
//! ```sh
//! gm run race.toml --log debug 2> gm.log
//! ```

use clap::ValueEnum;
use std::io::{self, IsTerminal};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Level {
    /// Nothing.
    Off,
    /// What the game master itself lacks or does wrong.
    Warn,
    /// Every request with what came of it, too.
    Debug,
}

/// Starts the log on the error output, unless a live view stands there.
pub(super) fn start(level: Level, live_view: bool) {
    let level = match level {
        Level::Off => LevelFilter::OFF,
        Level::Warn => LevelFilter::WARN,
        Level::Debug => LevelFilter::DEBUG,
    };
    if live_view && io::stderr().is_terminal() {
        return;
    }
    // What the database has to say is told where it is asked something; every statement of its is not worth a line.
    let targets = Targets::new().with_default(level).with_target("sqlx", LevelFilter::OFF);
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_ansi(false);
    let log = log.finish().with(targets);
    // Only a second race in one process finds a log that was started already.
    let _ = log.try_init();
}

//! The fan-out of a race to those who look at it: ordered, without a gap or a repeat, and at their own speed.
//!
//! ```text
//!            committed             as each viewer may see it (R-11)        one for each stream
//! owner ──▶ journal ──▶ Chronicle ─┬─ view of the spectators  1 2 3 4 … ─┬─▶ Reader ─▶ stream ─▶ a client
//!    │                     ▲       ├─ view of team 1          1 2 3 …    └─▶ Reader ─▶ stream ─▶ a client
//!    └─ "there is more" ───┘       └─ view of the admin       1 2 3 4 5 … ───▶ Reader ─▶ stream ─▶ a client
//! ```
//!
//! The owner of a race never waits for anybody here: it says that there is more, in a place where only the last word
//! stays, and goes on. A chronicle reads what was committed, and appends it to the views that are open. A reader has
//! nothing but its place in a view; so one that does not read costs nobody anything.
//!
//! Events are numbered in each view by themselves, from 1 without a gap: numbers of the whole race would tell that
//! something is hidden (R-11). They follow from the journal alone, so they are the same after a restart. A decision is
//! there all at once: nobody is told that it is caught up, or given a snapshot, in the middle of a turn.
//!
//! - [`kind`]: what an event is about, and the filter of a reader.
//! - [`shown`]: an event and a race, as a viewer is told of them.
//! - `fold`: reads a race from the journal, and shows each event to viewers; `view`: what was shown to one of them.
//! - [`chronicle`]: one race, followed; [`chronicles`]: all that are followed.
//! - [`reader`]: a place in a view, that moves on; [`log`]: the same in the log of a team.
//! - [`replay`]: a race from a turn on, as it was.
//! - [`pump`]: from a reader to a client, who may not read.
//! - [`error`]: why something can't be read, and why a reader ends.

pub mod chronicle;
pub mod chronicles;
pub mod error;
mod fold;
pub mod kind;
pub mod log;
pub mod pump;
pub mod reader;
pub mod replay;
pub mod shown;
#[cfg(test)]
mod tests;
mod view;

pub use chronicle::Chronicle;
pub use chronicles::{Chronicles, MOST_CHRONICLES, Owners};
pub use error::{CannotRead, Ended};
pub use kind::{Filter, Kind};
pub use log::{LogMessage, LogReader};
pub use pump::{Reads, StreamsOpen, stream};
pub use reader::{Message, Mode, Reader, Start};
pub use replay::Replay;
pub use shown::{Shown, Snapshot};

use std::time::Duration;

/// How races are watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How many events of a view are kept for readers to go on from; [`ALL_EVENTS`]: all.
    pub retention: usize,
    /// How many events a reader that was caught up may be behind. The newest decision is not counted: nobody could
    /// have read it yet.
    pub buffer: u64,
    /// After how long a silence a reader is told that it still reads.
    pub heartbeat: Duration,
    /// How long a client may leave its stream full.
    pub send_limit: Duration,
}

/// A [retention](Settings::retention) that keeps all events.
pub const ALL_EVENTS: usize = usize::MAX;

impl Default for Settings {
    /// All events are kept; a reader may be 10,000 behind; a word after 10 s of silence; a client may stall for 30 s.
    fn default() -> Settings {
        Settings {
            retention: ALL_EVENTS,
            buffer: 10_000,
            heartbeat: Duration::from_secs(10),
            send_limit: Duration::from_secs(30),
        }
    }
}

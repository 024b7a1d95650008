//! The journal: everything that a race needs to be continued, shown, or decided again, in a database on disk.
//!
//! ```text
//! begin(decision)        the commands are there before anybody is asked anything for them
//! keep(exchange)         an answer is there before the next request that depends on it is sent
//! commit(events)         what came of it: all of its events, or none, synced to the disk
//! ```
//!
//! - [`record`]: what it holds, as the rest of the program sees it; `stored`: how events and commands are stored,
//!   by version.
//! - `directory`: the data directory, which one process has at a time; `secrets`: what is kept as a hash or
//!   encrypted; `database`: SQLite, its settings, migrations and checks.
//! - [`store`]: what reads and writes; `writer`: the one task that writes, many exchanges at a time.
//! - [`error`]: what can go wrong.
//!
//! There are no rules here, and nobody is asked anything: the journal does not know what an event means.

pub mod error;
pub mod record;
pub mod store;

pub use error::JournalError;
pub use record::{
    Committed, Decision, DecisionKind, DecisionNo, DecisionRecord, Exchange, Moment, Origin, Outcome, Port, RaceId,
    RaceKey, RaceRecord,
};
pub use store::StoredEvent;

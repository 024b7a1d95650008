//! The journal: everything that a race needs to be continued, shown, or decided again, on disk: a database, and for each race
//! a tail.
//!
//! ```text
//! begin(decision)        the commands are there before anybody is asked anything for them
//! keep(exchange)         an answer is there before the next request that depends on it is sent
//! commit(events)         what came of it: all of its events, or none, synced to the disk
//! ```
//!
//! - [`record`]: what it holds, as the rest of the program sees it; [`stored`]: how events and commands are stored,
//!   by version; `number`: the places of events in a race.
//! - [`directory`]: the data directory, which one process has at a time; [`secrets`]: what is kept as a hash or
//!   encrypted; `database`: SQLite, its settings, migrations and checks.
//! - [`store`]: [`Journal`], which reads and writes; [`import`]: a race that comes from elsewhere, as a whole; `row`:
//!   how an exchange lies in its table; `tail`: the answers of the decision that is being made; `writer`: the one task
//!   that writes the database; `snapshot`: a cache of the state of a race, written with every nth commit.
//! - [`teams`]: what is kept for a team beside the race; [`access`]: whose secret one is, and tokens; [`call`]: calls that
//!   are made once.
//! - [`error`]: what can go wrong.
//!
//! There are no rules here, and nobody is asked anything: the journal does not know what an event means.

pub mod access;
pub mod call;
mod database;
pub mod directory;
pub mod error;
pub mod import;
mod number;
pub mod record;
mod row;
pub mod secrets;
mod snapshot;
pub mod store;
pub mod stored;
mod tail;
pub mod teams;
mod writer;

pub use access::{BadTokenId, Credential, Revoked, Role, TokenId, TokenRecord};
pub use call::Call;
pub use directory::DataDirectory;
pub use error::JournalError;
pub use import::{Import, ImportedRace};
pub use number::{Numbered, Numbers};
pub use record::{
    Committed, Decision, DecisionKind, DecisionNo, DecisionRecord, Exchange, Moment, Origin, Outcome, Port,
    RaceId, RaceKey, RaceRecord,
};
pub use snapshot::SNAPSHOT_EVERY;
pub use store::{
    Commit, Completed, Done, Extent, Journal, Loaded, NewRace, RequestRecord, StoredEvent, Visible,
};
#[doc(hidden)]
pub use tail::sealed;
#[doc(hidden)]
pub use writer::Trouble;

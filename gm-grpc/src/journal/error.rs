//! Why the journal could not do what it was asked: one list for all of `journal/`.
//!
//! Each says what is wrong and what can be done. What the database itself says is in the source, for the log.

use super::record::RaceId;
use std::path::PathBuf;
use std::sync::Arc;

/// Why the journal can't be opened, read or written.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The directory can't be made or used.
    #[error("can't use {} as the data directory: {because}", directory.display())]
    Directory {
        /// Which.
        directory: PathBuf,
        /// Why, in words.
        because: String,
    },
    /// Another process has the directory.
    #[error(
        "{} is used by another gm (process {process}): stop it first, or name another directory with --data",
        directory.display()
    )]
    InUse {
        /// Which.
        directory: PathBuf,
        /// Its process id, or "unknown".
        process: String,
    },
    /// A newer program has written the journal.
    #[error(
        "{} was written by a newer gm (it has version {found} of the journal, and this gm knows {known}): run that one",
        file.display()
    )]
    Newer {
        /// The database.
        file: PathBuf,
        /// The version of the journal's tables that was found.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// The database is not one, or is damaged.
    #[error("{} can't be used as the journal: {because}. {remedy}", file.display())]
    Damaged {
        /// The database.
        file: PathBuf,
        /// What was found.
        because: String,
        /// What can be done.
        remedy: String,
    },
    /// A record in the database can't be read.
    #[error(
        "race {race}: {what} can't be read: {because}. The other races are not touched by it; \
         restore the data directory from a copy to have this one back"
    )]
    Unreadable {
        /// Of which race.
        race: RaceId,
        /// Which record: `event 17`.
        what: String,
        /// What is wrong with it.
        because: String,
    },
    /// The disk is full.
    #[error("the disk is full: the journal can't be written. Make room on it, and the race goes on")]
    Full(#[source] Arc<sqlx::Error>),
    /// The database can't be written to.
    #[error(
        "the journal can't be written to: it is read-only. Give this process the right to write to the data directory"
    )]
    ReadOnly(#[source] Arc<sqlx::Error>),
    /// The database failed in another way.
    #[error("the journal failed: {0}")]
    Database(#[source] Arc<sqlx::Error>),
    /// There is no such race.
    #[error("there is no race {0} here: `gm race list` names them")]
    NoSuchRace(RaceId),
    /// There is such a race already.
    #[error("race {0} is here already")]
    RaceExists(RaceId),
    /// A call with this request id was made before. Nothing was written; its answer can be read.
    #[error("the call {0} was made already")]
    CallExists(String),
    /// Somebody has this secret already: a team of any race, or a token. Nothing was written.
    #[error("this secret is somebody's already: take another one, drawn at random")]
    SecretTaken,
    /// The key that secrets are encrypted with is missing, is none, or is not the one that a secret was encrypted with.
    #[error("the key of the journal's secrets: {0}")]
    Key(String),
    /// The journal was opened only to be read.
    #[error("the journal is only read here: another gm may be writing it")]
    OnlyRead,
    /// The journal was closed.
    #[error("the journal is closed")]
    Closed,
}

/// `SQLITE_FULL`.
const FULL: i32 = 13;
/// `SQLITE_READONLY`.
const READ_ONLY: i32 = 8;
/// `SQLITE_IOERR`.
const INPUT_OUTPUT: i32 = 10;

impl From<sqlx::Error> for JournalError {
    fn from(error: sqlx::Error) -> JournalError {
        let code =
            error.as_database_error().and_then(|error| error.code()).and_then(|code| code.parse().ok());
        let error = Arc::new(error);
        // The low byte is the kind of error, what is above it the exact one.
        match code.map(|code: i32| code & 0xff) {
            Some(FULL) => JournalError::Full(error),
            Some(READ_ONLY) => JournalError::ReadOnly(error),
            // A file system without room says so when a page is written, not only when the file grows.
            Some(INPUT_OUTPUT) if error.to_string().contains("full") => JournalError::Full(error),
            _ => JournalError::Database(error),
        }
    }
}

//! Why a race can't be read from some place on, and why a reader ends: two lists for all of `watch/`.
//!
//! ```text
//! CannotRead::Gone { oldest: 7 }            → read after 6, or begin with a snapshot
//! Ended::FellBehind { resume_after: 40 }    → read after 40: nothing was lost, nothing comes twice
//! ```

use crate::control::CannotOwn;
use crate::journal::JournalError;
use gm_core::ids::{TeamId, TurnNo};

/// Why nothing can be read. Nothing was.
#[derive(Debug, thiserror::Error)]
pub enum CannotRead {
    /// What comes next was kept for a time, and is not any more.
    #[error("event {oldest} is the oldest that is kept: begin after {}, or with a snapshot", oldest.saturating_sub(1))]
    Gone {
        /// The oldest number that is kept; the next one that will be, where nothing is.
        oldest: u64,
    },
    /// There is no such number yet: it is from elsewhere.
    #[error("number {last} is the last: nothing comes after a number that was never given")]
    Beyond {
        /// The last number that there is; 0: none.
        last: u64,
    },
    /// There is no such team.
    #[error("the race has no team {0}")]
    NoSuchTeam(TeamId),
    /// The race has not come so far.
    #[error("turn {last} is the last that was started")]
    NoSuchTurn {
        /// The turn that was started last.
        last: TurnNo,
    },
    /// Too many races are looked at.
    #[error("too many races are looked at at once: try again later")]
    TooManyRaces,
    /// The race can't be had.
    #[error(transparent)]
    NotOwned(#[from] CannotOwn),
    /// The game master is being shut down.
    #[error("the game master is shutting down: read on when it is back")]
    ShuttingDown,
    /// The journal could not be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Why a reader ended. It never does so without a word.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Ended {
    /// It did not read for too long, or too slowly.
    #[error("the reader fell behind: read on after {resume_after}")]
    FellBehind {
        /// The number after which it can go on: nothing is lost, and nothing comes twice.
        resume_after: u64,
    },
    /// It was so slow that what comes next is not kept any more.
    #[error("the reader fell behind what is kept: event {oldest} is the oldest")]
    Gone {
        /// The oldest number that is kept.
        oldest: u64,
    },
    /// The game master is being shut down, or the race's task has ended.
    #[error("the game master is shutting down: read on when it is back")]
    ShuttingDown,
    /// The journal could not be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

//! Why a decision is stopped before it is made.

use crate::journal::{JournalError, Port};
use std::fmt;

/// Why a decision is stopped. Nothing of it has happened; what was answered is in the journal.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Stop {
    /// An answer could not be kept.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The rules ask something else than what is in the record.
    #[error("{0}")]
    Diverged(Box<Divergence>),
    /// The record ends here, and nobody is there to be asked.
    #[error("the record ends before {0}")]
    RecordEnds(Place),
    /// A test let the process die here.
    #[error("died, as a test wanted it")]
    Died,
}

/// The place of an exchange in a race.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The conversation, as it stands in the request id.
    pub chain: String,
    /// What is asked in it.
    pub port: Port,
    /// Its number in them, from 1.
    pub number: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.chain, self.port.word(), self.number)
    }
}

/// The rules ask something else than what is in the record: it is not a record of this race under these rules, or
/// it was changed, or the rules were without raising their revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Divergence {
    /// Where.
    pub place: Place,
    /// What is in the record.
    pub recorded: String,
    /// What the rules ask; none: they never came to ask it.
    pub asked: Option<String>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { place, recorded, asked } = self;
        write!(f, "the rules have diverged from the record at {place}:\n  recorded: {}", indented(recorded))?;
        match asked {
            Some(asked) => write!(f, "\n  asked:    {}", indented(asked)),
            None => write!(f, "\n  asked:    nothing"),
        }
    }
}

/// The lines after the first stand below it.
fn indented(text: &str) -> String {
    text.replace('\n', "\n            ")
}

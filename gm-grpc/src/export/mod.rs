//! The export of a race: everything that was decided in it, as a file that can be carried away, read with other tools,
//! checked, and decided again.
//!
//! ```text
//! {"record":"race","export":1,"gm":"0.1.0","revision":1,"race":"gm-7f3a","name":"Friday", …,"hash":"5c0e…"}
//! {"record":"decision","no":1,"kind":"create","turn":0, …,"exchanges":0,"events":1,"hash":"9a41…"}
//! {"record":"event","seq":1,"turn":0,"format":1,"body":{"event":"race_created", …},"hash":"03bd…"}
//! {"record":"end","decisions":1,"exchanges":0,"events":1,"hash":"e772…"}
//! ```
//!
//! It is text: lines of JSON, each with a line feed. First the race; then every decision that was committed, in order,
//! each followed by its exchanges (by chain, port and number) and its events; last how many there were of each, so that
//! a cut file is found. Every line carries a hash of itself and of all lines before it, so that a changed byte anywhere is
//! found. The same race gives the same bytes, however often it is exported.
//!
//! **There are no secrets in it**: the types that it is made of hold none. Teams' secrets, inspectors' credentials and
//! tokens are kept elsewhere, and requests are journalled without them.
//!
//! - [`chain`]: the hashes.
//! - `format`: the records, field by field.
//! - `sequence`: the order of the records, which the writer and the reader hold to.
//! - [`write`](mod@write), [`read`]: one decision at a time, so that a long race needs no more memory than a short one.
//! - [`from_journal`](mod@from_journal), [`into_journal`](mod@into_journal): out of a data directory, and into another.
//! - [`verify`](mod@verify): decides all of it again.
//! - [`error`]: what can go wrong.

pub mod chain;
pub mod error;
mod format;
pub mod from_journal;
pub mod into_journal;
pub mod read;
mod sequence;
#[cfg(test)]
mod tests;
pub mod verify;
pub mod write;

pub use error::ExportError;
pub use from_journal::{Exported, from_journal};
pub use into_journal::{ImportError, Imported, into_journal};
pub use read::Reader;
pub use verify::{Verdict, Verifier, VerifyError, verify};
pub use write::Writer;

use crate::journal::{
    DecisionKind, DecisionNo, Exchange, Moment, Origin, RaceId, RaceKey, RaceRecord, StoredEvent,
};
use gm_core::ids::TurnNo;
use gm_core::random::Seed;
use std::time::Duration;

/// The format that is written, and the newest that is read.
pub const FORMAT: u32 = 1;

/// The longest line, in bytes. An answer of a car is at most 64 KiB, so a line is far shorter.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;

/// The most that a decision, its exchanges and its events may take in an export, in bytes: all of them are in memory at
/// a time.
pub const LARGEST_DECISION: u64 = 1024 * 1024 * 1024;

/// The race, as an export begins with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedRace {
    /// Its id.
    pub id: RaceId,
    /// What people call it.
    pub name: String,
    /// When it was made.
    pub created_at: Moment,
    /// The version of the program that made it.
    pub gm: String,
    /// The revision of its rules (R-10.5).
    pub revision: u32,
    /// Its seed.
    pub seed: Seed,
    /// Who is to take part, as JSON without secrets; none: teams come by themselves.
    pub plan: Option<String>,
    /// From the start of one turn to the start of the next, in whole milliseconds; none: on the admin's word (R-10.1).
    pub pace: Option<Duration>,
    /// Running time (R-10.2) at the last commit, in whole milliseconds.
    pub ran: Duration,
    /// The format of the rules.
    pub rules_format: u32,
    /// Its rules as JSON, as they are stored.
    pub rules: String,
}

impl ExportedRace {
    /// What an export says of a race. Its number in one database, and whether it was made there, stay behind.
    #[must_use]
    pub fn of(race: &RaceRecord, rules_format: u32, rules: String) -> ExportedRace {
        let RaceRecord {
            key,
            id,
            name,
            created_at,
            gm,
            revision,
            seed,
            origin,
            plan,
            pace,
            ran,
            finished: _,
            private: _,
        } = race.clone();
        let (_, _): (RaceKey, Origin) = (key, origin);
        ExportedRace { id, name, created_at, gm, revision, seed, plan, pace, ran, rules_format, rules }
    }
}

/// A decision that was committed, with all that belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedDecision {
    /// Its number, from 1 without a gap.
    pub no: DecisionNo,
    /// What was decided.
    pub kind: DecisionKind,
    /// The turn that was played; for commands, the one that was completed before.
    pub turn: TurnNo,
    /// The format of the arrivals.
    pub format: u32,
    /// The commands, in order of arrival, as JSON; `[]` for a turn.
    pub arrivals: String,
    /// When it was begun.
    pub begun_at: Moment,
    /// When it was committed.
    pub committed_at: Moment,
    /// The number of the last event of the race then.
    pub last_seq: u64,
    /// For each command why it was refused, in words, if it was.
    pub settled: Vec<Option<String>>,
    /// What was asked of the outside. In any order where it is written, by chain, port and number where it is read.
    pub exchanges: Vec<Exchange>,
    /// Its events, in order.
    pub events: Vec<StoredEvent>,
}

/// What a whole export holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// How many decisions.
    pub decisions: u64,
    /// How many exchanges.
    pub exchanges: u64,
    /// How many events.
    pub events: u64,
    /// The hash of the last line, 64 hexadecimal digits: two exports with the same one are the same file.
    pub hash: String,
}

//! Snapshots: the state of a race after a decision, so that a long race is soon read back.
//!
//! ```text
//! decision     1 … 10  11 … 20  21 22 23      every SNAPSHOT_EVERYth commit writes the state after it
//! snapshot                  ▲                 the last one stays
//! load                      └─▶ 21 22 23      only the events after it are folded
//! ```
//!
//! A snapshot is a cache. The events are the truth, and one that is of another format, damaged, or not about the events
//! that are there is passed over, as if it were not there; the log says so. That is why the state is stored as the rules
//! have it, and not in types of its own as events are: only the program that wrote a snapshot reads it.

use super::number::Numbers;
use super::record::{DecisionNo, RaceRecord};
use super::store::signed;
use gm_core::race::{REVISION, Race};
use sha2::{Digest, Sha256};
use sqlx::Row as _;
use sqlx::sqlite::{SqliteConnection, SqlitePool};

/// The commit of every nth decision of a race writes a snapshot, too: so many decisions at most are folded when
/// a race is read back.
pub const SNAPSHOT_EVERY: u64 = 10;

/// To be raised when the form of a snapshot changes and neither the version of gm nor the revision of the rules does.
const NUMBER: u32 = 1;

/// The length of the hash with which a body begins, in bytes.
const HASH_LENGTH: usize = 32;

/// Which program wrote a snapshot.
fn format() -> String {
    format!("gm {}, revision {REVISION}, snapshot {NUMBER}", env!("CARGO_PKG_VERSION"))
}

/// The state of a race after an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// The last event that is in it.
    pub(super) seq: u64,
    /// The race.
    pub(super) race: Race,
}

impl Snapshot {
    /// What numbers the event after it.
    pub(super) fn numbers(&self) -> Numbers {
        Numbers::after(self.seq, self.race.turn)
    }
}

/// Why a snapshot is passed over.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("it is of another format: {0}")]
    OtherFormat(String),
    #[error("its bytes are not those that were written")]
    Damaged,
    #[error("it is not a race: {0}")]
    NoRace(#[from] serde_json::Error),
    #[error("there is no event {0}")]
    Beyond(u64),
    #[error("it can't be read: {0}")]
    Database(#[from] sqlx::Error),
}

/// A snapshot as it lies in its table.
pub(super) struct SnapshotRow {
    seq: i64,
    body: Vec<u8>,
}

impl SnapshotRow {
    /// The snapshot that belongs to the commit of a decision: `race` is the race after it, whose last event has the
    /// number `last_seq`. None if none is due.
    pub(super) fn due(no: DecisionNo, last_seq: u64, race: &Race) -> Option<SnapshotRow> {
        if !no.0.is_multiple_of(SNAPSHOT_EVERY) {
            return None;
        }
        match body(last_seq, race) {
            Ok(body) => Some(SnapshotRow { seq: signed(last_seq), body }),
            Err(error) => {
                // Without a cache the race is the same.
                tracing::warn!(%error, "the state of a race can't be written as a snapshot");
                None
            }
        }
    }

    /// Writes it in the place of the one before.
    pub(super) async fn put(&self, connection: &mut SqliteConnection, race: i64) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT INTO snapshots (race, seq, format, body) VALUES (?, ?, ?, ?) \
             ON CONFLICT (race) DO UPDATE SET seq = excluded.seq, format = excluded.format, body = excluded.body",
        )
        .bind(race)
        .bind(self.seq)
        .bind(format())
        .bind(self.body.as_slice())
        .execute(connection)
        .await
        .map(drop)
    }
}

/// The hash of all that a snapshot says, and then the race as JSON.
fn body(seq: u64, race: &Race) -> Result<Vec<u8>, serde_json::Error> {
    let json = serde_json::to_vec(race)?;
    Ok([hash(seq, &json).as_slice(), &json].concat())
}

fn hash(seq: u64, json: &[u8]) -> [u8; HASH_LENGTH] {
    Sha256::new().chain_update(seq.to_le_bytes()).chain_update(json).finalize().into()
}

fn read(seq: u64, format_found: &str, body: &[u8]) -> Result<Snapshot, Unusable> {
    if format_found != format() {
        return Err(Unusable::OtherFormat(format_found.to_owned()));
    }
    let (kept, json) = body.split_first_chunk::<HASH_LENGTH>().ok_or(Unusable::Damaged)?;
    // A changed number is still JSON, and would be another race.
    if *kept != hash(seq, json) {
        return Err(Unusable::Damaged);
    }
    Ok(Snapshot { seq, race: serde_json::from_slice(json)? })
}

/// The snapshot of a race, if there is one that can be used.
pub(super) async fn find(readers: &SqlitePool, race: &RaceRecord) -> Option<Snapshot> {
    match try_find(readers, race).await {
        Ok(found) => found,
        Err(because @ Unusable::OtherFormat(_)) => {
            tracing::debug!(race = %race.id, %because, "a snapshot is passed over");
            None
        }
        Err(because) => {
            tracing::warn!(race = %race.id, %because, "a snapshot is passed over: all events are read");
            None
        }
    }
}

async fn try_find(readers: &SqlitePool, race: &RaceRecord) -> Result<Option<Snapshot>, Unusable> {
    let row = sqlx::query(
        "SELECT seq, format, body, \
         EXISTS (SELECT 1 FROM events WHERE race = snapshots.race AND seq = snapshots.seq) AS is_there \
         FROM snapshots WHERE race = ?",
    )
    .bind(race.key.0)
    .fetch_optional(readers)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let seq = row.try_get::<i64, _>("seq")?.unsigned_abs();
    if !row.try_get::<bool, _>("is_there")? {
        return Err(Unusable::Beyond(seq));
    }
    read(seq, row.try_get("format")?, row.try_get("body")?).map(Some)
}

#[cfg(test)]
mod tests;

//! Takes in a race that was made elsewhere, as a whole: one transaction, however long the race is.
//!
//! ```text
//! let mut import = journal.import(race, None).await?;     nothing is there yet
//! import.decision(decision).await?;  …              nor here: who drops it leaves nothing behind
//! let record = import.finish(true).await?;          all of it is there, and on the disk
//! ```
//!
//! Times, versions and ids stay what they were, so that the same race is exported again as the same bytes. It is
//! written as an imported one, which can be looked at and decided again, but is not played on: the secrets of its cars
//! stayed where it came from.

use super::call::{self, Call};
use super::error::JournalError;
use super::record::{Moment, RaceId, RaceRecord};
use super::row::ExchangeRow;
use super::store::{Completed, Journal, kind_word, millis, or_race_exists, signed};
use super::writer::{self, EventRow, InDecision, Transaction};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use gm_core::random::Seed;
use sqlx::sqlite::SqliteConnection;
use std::time::Duration;
use tokio::sync::{Mutex, mpsc, oneshot};

/// How many decisions wait to be written: the next is read while one is written.
const MOST_WAITING: usize = 1;

/// A race that comes from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedRace {
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
    /// Who is to take part, as JSON without secrets.
    pub plan: Option<String>,
    /// From the start of a turn to the start of the next.
    pub pace: Option<Duration>,
    /// Its running time (R-10.2).
    pub ran: Duration,
}

/// A race that is being imported. Dropped before it is [finished](Import::finish), it was never there.
pub struct Import {
    journal: Journal,
    id: RaceId,
    parts: mpsc::Sender<Part>,
    written: oneshot::Receiver<Result<i64, JournalError>>,
}

/// A part of a race.
pub(super) enum Part {
    /// The next decision.
    Decision(Box<Completed>),
    /// All decisions were there.
    End {
        /// Whether the race is over.
        finished: bool,
    },
}

impl Import {
    pub(super) fn new(
        journal: Journal,
        id: RaceId,
        parts: mpsc::Sender<Part>,
        written: oneshot::Receiver<Result<i64, JournalError>>,
    ) -> Import {
        Import { journal, id, parts, written }
    }

    /// Takes in the next decision.
    ///
    /// # Errors
    /// [`JournalError`]; nothing of the race is there then, and nothing will be.
    pub async fn decision(&mut self, decision: Completed) -> Result<(), JournalError> {
        self.send(Part::Decision(Box::new(decision))).await
    }

    /// All of it was taken in; says whether the race is over. When this returns it is on the disk.
    ///
    /// # Errors
    /// [`JournalError`]; nothing of the race is there then.
    pub async fn finish(mut self, finished: bool) -> Result<RaceRecord, JournalError> {
        self.send(Part::End { finished }).await?;
        self.written().await?;
        self.journal.race(&self.id).await
    }

    async fn send(&mut self, part: Part) -> Result<(), JournalError> {
        match self.parts.send(part).await {
            Ok(()) => Ok(()),
            // It has ended before its end: it says why.
            Err(_) => self.written().await.and(Err(JournalError::Closed)),
        }
    }

    async fn written(&mut self) -> Result<(), JournalError> {
        let written = (&mut self.written).await.map_err(|_| JournalError::Closed)?;
        written.map(drop).map_err(|error| or_race_exists(error, &self.id))
    }
}

/// The transaction that writes a race, and where its parts are to be sent.
pub(super) fn channel(race: ImportedRace, call: Option<Call>) -> (ImportRace, mpsc::Sender<Part>) {
    let (parts, arriving) = mpsc::channel(MOST_WAITING);
    (ImportRace { race, call, parts: Mutex::new(arriving) }, parts)
}

/// Writes a race as its parts arrive.
pub(super) struct ImportRace {
    race: ImportedRace,
    call: Option<Call>,
    parts: Mutex<mpsc::Receiver<Part>>,
}

impl Transaction for ImportRace {
    fn is_synced(&self) -> bool {
        true
    }

    fn write<'c>(&'c self, connection: &'c mut SqliteConnection) -> BoxFuture<'c, Result<i64, JournalError>> {
        async move {
            let mut parts = self.parts.lock().await;
            call::must_be_new(connection, self.call.as_ref()).await?;
            let race = insert_race(connection, &self.race).await?;
            loop {
                match parts.recv().await {
                    Some(Part::Decision(decision)) => insert_decision(connection, race, *decision).await?,
                    Some(Part::End { finished }) => {
                        sqlx::query("UPDATE races SET finished = ? WHERE id = ?")
                            .bind(finished)
                            .bind(race)
                            .execute(&mut *connection)
                            .await?;
                        call::keep(connection, self.call.as_ref()).await?;
                        return Ok(race);
                    }
                    // Who imported it has given up: nothing of it stays, and nobody waits to hear why.
                    None => return Err(sqlx::Error::RowNotFound.into()),
                }
            }
        }
        .boxed()
    }
}

async fn insert_race(connection: &mut SqliteConnection, race: &ImportedRace) -> sqlx::Result<i64> {
    let ImportedRace { id, name, created_at, gm, revision, seed, plan, pace, ran } = race;
    let inserted = sqlx::query(
        "INSERT INTO races (race, name, created_at, gm, revision, seed, origin, plan, pace_ms, ran_ms) \
         VALUES (?, ?, ?, ?, ?, ?, 'imported', ?, ?, ?)",
    )
    .bind(id.as_str())
    .bind(name.as_str())
    .bind(created_at.0)
    .bind(gm.as_str())
    .bind(i64::from(*revision))
    .bind(seed.0.to_string())
    .bind(plan.as_deref())
    .bind(pace.map(millis))
    .bind(millis(*ran))
    .execute(connection)
    .await?;
    Ok(inserted.last_insert_rowid())
}

async fn insert_decision(
    connection: &mut SqliteConnection,
    race: i64,
    decision: Completed,
) -> sqlx::Result<()> {
    let Completed { no, kind, turn, format, arrivals, begun_at, committed, mut exchanges, events } = decision;
    let no = signed(no.0);
    sqlx::query(
        "INSERT INTO decisions (race, no, kind, turn, format, arrivals, begun_at, committed_at, last_seq, settled) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(race)
    .bind(no)
    .bind(kind_word(kind))
    .bind(i64::from(turn.0))
    .bind(i64::from(format))
    .bind(arrivals)
    .bind(begun_at.0)
    .bind(committed.at.0)
    .bind(signed(committed.last_seq))
    .bind(serde_json::json!(committed.settled).to_string())
    .execute(&mut *connection)
    .await?;
    // A table of exchanges grows in the order in which they were made.
    exchanges.sort_by_key(|exchange| exchange.at);
    let rows: Vec<ExchangeRow> = exchanges.into_iter().map(ExchangeRow::of).collect();
    let placed = rows.iter().zip(1..).map(|(row, place)| InDecision { race, decision: no, place, row });
    writer::insert(connection, &placed.collect::<Vec<_>>()).await?;
    let rows: Vec<_> = events
        .into_iter()
        .map(|event| EventRow {
            seq: signed(event.seq),
            turn: event.turn.0.into(),
            format: event.format.into(),
            body: event.body,
        })
        .collect();
    writer::insert_events(connection, race, &rows).await
}

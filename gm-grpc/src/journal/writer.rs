//! The one task that writes to the database (SQLite has one writer), one transaction after the other, in order of
//! arrival.

use super::directory::DataDirectory;
use super::error::JournalError;
use super::row::ExchangeRow;
use crate::observe::metrics;
use sqlx::sqlite::SqliteConnection;
use sqlx::{Connection as _, QueryBuilder, Sqlite};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// How many transactions can wait; more wait outside.
pub(super) const MOST_WAITING: usize = 1024;
/// The most exchanges of one statement. SQLite allows 32,766 values in one.
const MOST_EXCHANGES: usize = 64;
/// The most events of one statement.
const MOST_EVENTS: usize = 128;

/// A write, with who waits for it.
pub(super) struct Job {
    pub(super) write: Write,
    pub(super) done: oneshot::Sender<Result<i64, JournalError>>,
}

/// What can be written.
pub(super) enum Write {
    /// A transaction.
    Transaction(Box<dyn Transaction>),
    /// Nothing, but from now on as a test wants it.
    Pretend(Trouble),
    /// Nothing any more.
    Close,
}

/// An exchange with the decision that it belongs to.
pub(super) struct InDecision<'r> {
    pub(super) race: i64,
    pub(super) decision: i64,
    /// Its place in the decision, from 1.
    pub(super) place: i64,
    pub(super) row: &'r ExchangeRow,
}

/// Statements that take effect together or not at all.
pub(super) trait Transaction: Send + Sync {
    /// Whether it is to be on the disk, and not only out of this process, before it is acknowledged.
    fn is_synced(&self) -> bool {
        false
    }

    /// Makes its statements. Gives a number for who waits, if there is one to tell. Where it fails, nothing of it stays.
    fn write<'c>(
        &'c self,
        connection: &'c mut SqliteConnection,
    ) -> futures_util::future::BoxFuture<'c, Result<i64, JournalError>>;
}

/// Writes until it is told to close, or nobody can tell it anything any more. Who writes has the directory, and lets it
/// go when the database is closed.
pub(super) async fn run(
    mut connection: SqliteConnection,
    mut jobs: mpsc::Receiver<Job>,
    directory: DataDirectory,
) {
    let mut closing = None;
    while let Some(Job { write, done }) = jobs.recv().await {
        match write {
            Write::Transaction(transaction) => {
                metrics::journal_waits(jobs.len());
                let begun = Instant::now();
                let result = commit(&mut connection, &*transaction).await;
                metrics::journal_wrote(begun.elapsed());
                metrics::journal_waits(jobs.len());
                // Who does not wait any more has been told nothing, and will look for himself.
                let _ = done.send(result);
            }
            Write::Pretend(trouble) => {
                let result = pretend(&mut connection, trouble).await;
                let _ = done.send(result.map(|()| 0).map_err(JournalError::from));
            }
            Write::Close => {
                closing = Some(done);
                break;
            }
        }
    }
    // What comes after the end is told so by its closed channel.
    drop(jobs);
    let closed = connection.close().await;
    drop(directory);
    if let Some(done) = closing {
        let _ = done.send(closed.map(|()| 0).map_err(JournalError::from));
    }
}

/// What a journal can be made to suffer from, in tests.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// No page can be added to the database.
    DiskFull,
    /// Nothing can be written.
    ReadOnly,
    /// Nothing can be appended to a tail.
    TailFull,
    /// Nothing can be written to the database.
    DatabaseReadOnly,
    /// None any more.
    None,
}

/// Lets SQLite find the trouble itself.
async fn pretend(connection: &mut SqliteConnection, trouble: Trouble) -> sqlx::Result<()> {
    // A limit below the present size is raised to that size: no page more.
    let (pages, read_only) = match trouble {
        Trouble::DiskFull => ("PRAGMA max_page_count = 1", "PRAGMA query_only = false"),
        Trouble::ReadOnly | Trouble::DatabaseReadOnly => {
            ("PRAGMA max_page_count = 4294967294", "PRAGMA query_only = true")
        }
        Trouble::TailFull | Trouble::None => {
            ("PRAGMA max_page_count = 4294967294", "PRAGMA query_only = false")
        }
    };
    sqlx::query(pages).execute(&mut *connection).await?;
    sqlx::query(read_only).execute(connection).await?;
    Ok(())
}

/// Writes exchanges, in as few statements as may be.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    exchanges: &[InDecision<'_>],
) -> sqlx::Result<()> {
    for exchanges in exchanges.chunks(MOST_EXCHANGES) {
        insert_some(connection, exchanges).await?;
    }
    Ok(())
}

async fn insert_some(connection: &mut SqliteConnection, exchanges: &[InDecision<'_>]) -> sqlx::Result<()> {
    let mut insert = QueryBuilder::<Sqlite>::new(
        "INSERT INTO exchanges (race, decision, place, turn, chain, port, number, team, car, request, outcome, status, \
         content_type, body, deviations, latency_us, at) ",
    );
    insert.push_values(exchanges, |mut values, exchange| {
        let InDecision { race, decision, place, row } = exchange;
        values
            .push_bind(*race)
            .push_bind(*decision)
            .push_bind(*place)
            .push_bind(row.turn)
            .push_bind(row.chain.as_str())
            .push_bind(row.port.as_str())
            .push_bind(row.number)
            .push_bind(row.team)
            .push_bind(row.car)
            .push_bind(row.request.as_str())
            .push_bind(row.outcome.as_str())
            .push_bind(row.status)
            .push_bind(row.content_type.as_deref())
            .push_bind(row.body.as_deref())
            .push_bind(row.deviations.as_deref())
            .push_bind(row.latency_us)
            .push_bind(row.at);
    });
    insert.build().execute(connection).await.map(drop)
}

/// One row of `events`.
pub(super) struct EventRow {
    pub(super) seq: i64,
    pub(super) turn: i64,
    pub(super) format: i64,
    pub(super) body: String,
}

/// Writes events of a race.
pub(super) async fn insert_events(
    connection: &mut SqliteConnection,
    race: i64,
    events: &[EventRow],
) -> sqlx::Result<()> {
    for events in events.chunks(MOST_EVENTS) {
        let mut insert = QueryBuilder::<Sqlite>::new("INSERT INTO events (race, seq, turn, format, body) ");
        insert.push_values(events, |mut values, event| {
            values
                .push_bind(race)
                .push_bind(event.seq)
                .push_bind(event.turn)
                .push_bind(event.format)
                .push_bind(event.body.as_str());
        });
        insert.build().execute(&mut *connection).await?;
    }
    Ok(())
}

/// Makes a transaction, all of it or nothing.
///
/// It is begun and ended by statements of its own: on a full disk SQLite rolls back by itself, and who counts
/// transactions on its behalf believes from then on that one is open.
async fn commit(
    connection: &mut SqliteConnection,
    transaction: &dyn Transaction,
) -> Result<i64, JournalError> {
    // Each is one message to the thread of the connection.
    let (begin, end) = match transaction.is_synced() {
        true => ("PRAGMA synchronous = FULL; BEGIN IMMEDIATE", "COMMIT; PRAGMA synchronous = NORMAL"),
        false => ("BEGIN IMMEDIATE", "COMMIT"),
    };
    let result = async {
        sqlx::raw_sql(begin).execute(&mut *connection).await?;
        let number = transaction.write(&mut *connection).await?;
        sqlx::raw_sql(end).execute(&mut *connection).await?;
        Ok(number)
    };
    let result = result.await;
    if result.is_err() {
        // The first error is the one to tell. These say that there is nothing to go back from, or that the next
        // transaction can't begin, which will be told then, and tried again.
        let _ = sqlx::raw_sql("ROLLBACK").execute(&mut *connection).await;
        // A connection that stays at FULL is slower, and no less right.
        let _ = sqlx::raw_sql("PRAGMA synchronous = NORMAL").execute(connection).await;
    }
    result
}

#[cfg(test)]
mod tests {
    use crate::journal::{
        DataDirectory, Journal, JournalError, NewRace, Numbered, Numbers, Origin, RaceId, Trouble,
    };
    use gm_core::race::{REVISION, Race, Rules};
    use gm_core::random::Seed;

    fn a_race() -> (NewRace, Vec<Numbered>) {
        let (_, events) = Race::create(Rules::balanced().validated().expect("good rules"), Seed(1));
        let mut numbers = Numbers::default();
        let new = NewRace {
            id: RaceId::random(),
            name: "a race".to_owned(),
            seed: Seed(1),
            revision: REVISION,
            origin: Origin::Here,
            plan: None,
            secrets: Default::default(),
            pace: None,
            private: false,
        };
        (new, events.into_iter().map(|event| numbers.next(event)).collect())
    }

    /// On a full disk SQLite rolls back by itself. What is written when there is room again is written.
    #[tokio::test]
    async fn a_disk_that_was_full_is_written_again() {
        /// More races than fit on the pages that a new database has.
        const ENOUGH: usize = 100;
        let place = tempfile::tempdir().expect("a temporary directory");
        let journal = Journal::open(DataDirectory::open(place.path()).expect("a directory")).await;
        let journal = journal.expect("a journal");
        for _ in 0..3 {
            journal.pretend(Trouble::DiskFull).await.expect("it can be written");
            let mut told = None;
            for _ in 0..ENOUGH {
                let (new, events) = a_race();
                told = journal.create(new, &events, None).await.err();
                if told.is_some() {
                    break;
                }
            }
            assert!(matches!(told, Some(JournalError::Full(_))), "{told:?}");
            journal.pretend(Trouble::None).await.expect("it can be written again");
            let (new, events) = a_race();
            journal.create(new, &events, None).await.expect("there is room");
        }
        journal.close().await.expect("closed");
    }
}

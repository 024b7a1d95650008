//! What a process has left in its journal, read from a copy of the database's files, so that the next process finds
//! them as they are.

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;

/// The files of the database.
const FILES: [&str; 2] = ["gm.db", "gm.db-wal"];

/// What is in a journal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger {
    /// The names of the races.
    pub(crate) races: Vec<String>,
    /// Whether the race is over.
    pub(crate) is_finished: bool,
    /// The exchanges that would be sent again with an id, by their place: `t2-track-c3-1`. Those with pirates are no
    /// requests.
    pub(crate) recorded: BTreeSet<String>,
    /// How many times a point of an exchange was passed.
    pub(crate) exchanges: u64,
    /// The decisions that were begun, without the race's creation.
    pub(crate) begun: u64,
    /// Those that are complete.
    pub(crate) committed: u64,
}

impl Ledger {
    /// Reads the journal in a data directory. One that is not there is empty.
    ///
    /// # Errors
    /// What can't be read.
    pub(crate) async fn read(data: &Path) -> Result<Ledger, String> {
        if !data.join(FILES[0]).exists() {
            return Ok(Ledger::default());
        }
        let copy = TempDir::new().map_err(|error| format!("no folder: {error}"))?;
        for file in FILES {
            if data.join(file).exists() {
                std::fs::copy(data.join(file), copy.path().join(file))
                    .map_err(|error| format!("can't copy {file}: {error}"))?;
            }
        }
        let options = SqliteConnectOptions::new().filename(copy.path().join(FILES[0]));
        let mut database = options.connect().await.map_err(|error| format!("no database: {error}"))?;
        let ledger = read(&mut database).await.map_err(|error| format!("the journal: {error}"))?;
        let _ = database.close().await;
        Ok(ledger)
    }
}

async fn read(database: &mut SqliteConnection) -> sqlx::Result<Ledger> {
    let mut ledger = Ledger::default();
    let check: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut *database).await?;
    if check != "ok" {
        return Err(sqlx::Error::Protocol(check));
    }
    let tables: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name IN ('races', 'exchanges')")
            .fetch_one(&mut *database)
            .await?;
    if tables < 2 {
        return Ok(ledger);
    }
    for row in sqlx::query("SELECT race, finished FROM races ORDER BY id").fetch_all(&mut *database).await? {
        ledger.races.push(row.try_get("race")?);
        ledger.is_finished = row.try_get::<i64, _>("finished")? == 1;
    }
    for row in
        sqlx::query("SELECT chain, port, number, request FROM exchanges").fetch_all(&mut *database).await?
    {
        let (chain, port): (String, String) = (row.try_get("chain")?, row.try_get("port")?);
        let (number, request): (i64, String) = (row.try_get("number")?, row.try_get("request")?);
        if !["car", "ai", "inspector", "resolver"].contains(&port.as_str()) {
            continue;
        }
        ledger.exchanges += 1;
        if ["car", "ai"].contains(&port.as_str()) && !request.starts_with("PLAY ") {
            ledger.recorded.insert(format!("{chain}-{number}"));
        }
    }
    for row in
        sqlx::query("SELECT committed_at FROM decisions WHERE kind != 'create'").fetch_all(database).await?
    {
        ledger.begun += 1;
        ledger.committed += u64::from(row.try_get::<Option<i64>, _>("committed_at")?.is_some());
    }
    Ok(ledger)
}

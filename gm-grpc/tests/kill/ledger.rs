//! What a process has left in its journal: read from a copy of the database's files, so that the next process finds
//! them as they are, and from the tails, which reading does not change.

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
    /// Those that are being made, by race and number.
    open: Vec<(i64, i64)>,
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
        let mut ledger = read(&mut database).await.map_err(|error| format!("the journal: {error}"))?;
        let _ = database.close().await;
        for (race, decision) in ledger.open.clone() {
            let tail = std::fs::read_to_string(data.join(format!("tail-{race}.jsonl"))).unwrap_or_default();
            ledger.read_tail(&tail, decision).map_err(|error| format!("the tail: {error}"))?;
        }
        Ok(ledger)
    }
}

impl Ledger {
    /// Reads the exchanges of a decision that is being made. The last line may have been written in part.
    fn read_tail(&mut self, tail: &str, decision: i64) -> Result<(), String> {
        for line in tail.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let (_, text) = line.split_once(' ').ok_or("a line without a checksum")?;
            let line: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
            let exchange = &line["exchange"];
            let word = |name: &str| exchange[name].as_str().unwrap_or_default().to_owned();
            if line["decision"].as_i64() == Some(decision) {
                self.add(&word("chain"), &word("port"), exchange["number"].as_i64(), &word("request"));
            }
        }
        Ok(())
    }

    fn add(&mut self, chain: &str, port: &str, number: Option<i64>, request: &str) {
        if !["car", "ai", "inspector", "resolver"].contains(&port) {
            return;
        }
        self.exchanges += 1;
        if ["car", "ai"].contains(&port) && !request.starts_with("PLAY ") {
            self.recorded.insert(format!("{chain}-{}", number.unwrap_or(0)));
        }
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
        ledger.add(&chain, &port, Some(number), &request);
    }
    for row in sqlx::query("SELECT race, no, committed_at FROM decisions WHERE kind != 'create'")
        .fetch_all(database)
        .await?
    {
        ledger.begun += 1;
        match row.try_get::<Option<i64>, _>("committed_at")? {
            Some(_) => ledger.committed += 1,
            None => ledger.open.push((row.try_get("race")?, row.try_get("no")?)),
        }
    }
    Ok(ledger)
}

//! stub
use super::{directory::DataDirectory, error::JournalError};
use sqlx::ConnectOptions;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
pub(super) struct Database {
    pub(super) writer: SqliteConnection,
    pub(super) readers: SqlitePool,
}
pub(super) async fn open(d: &DataDirectory) -> Result<Database, JournalError> {
    let o = SqliteConnectOptions::new()
        .filename(d.database())
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .statement_cache_capacity(256);
    let mut writer = o.connect().await?;
    for sql in [
        include_str!("migrations/0001_races.sql"),
        include_str!("migrations/0002_exchanges.sql"),
        include_str!("migrations/0003_teams.sql"),
    ] {
        let _ = sqlx::raw_sql(sql).execute(&mut writer).await;
    }
    let readers = SqlitePoolOptions::new().max_connections(4).connect_with(o.read_only(true)).await?;
    Ok(Database { writer, readers })
}

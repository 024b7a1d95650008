//! SQLite under the journal: its settings, its checks, and its way from one version of the tables to the next.
//!
//! ```text
//! open(directory)            is it ours? is it whole? do we know its version? a copy, the migrations, then a writer
//! open_to_read(directory)    the same questions, and nothing is changed, also beside a running game master
//! ```
//!
//! A database that is refused stays as it is, byte for byte: what can still be read of it, others can read.

use super::directory::DataDirectory;
use super::error::JournalError;
use sqlx::migrate::{Migrate, MigrateError, Migration, MigrationType};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqlSafeStr};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One step of the tables to the next version. The first leads to version 1.
#[derive(Debug, Clone, Copy)]
struct Step {
    name: &'static str,
    sql: &'static str,
}

/// All steps, in order. One that was released is never changed: its checksum stands in every database.
const STEPS: &[Step] = &[
    Step { name: "races", sql: include_str!("migrations/0001_races.sql") },
    Step { name: "exchanges", sql: include_str!("migrations/0002_exchanges.sql") },
    Step { name: "teams", sql: include_str!("migrations/0003_teams.sql") },
    Step { name: "access", sql: include_str!("migrations/0004_access.sql") },
    Step { name: "reasons", sql: include_str!("migrations/0005_reasons.sql") },
];

/// The mark of our databases in the file itself (SQLite's `application_id`): `gmrc`.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"gmrc");

/// The table in which sqlx notes which steps were done.
const LIST: &str = "_sqlx_migrations";

/// How every SQLite database begins.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The length of SQLite's header, in bytes.
const HEADER_LENGTH: usize = 100;
/// Where the header says which program may write and read it: 1 or 2 (WAL) so far.
const FORMAT_VERSIONS: std::ops::Range<usize> = 18..20;

/// How long one waits for another connection to the database.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most statements that a connection keeps prepared: more than the journal has.
const STATEMENTS: usize = 256;
/// After how many pages of 4 KiB the WAL is written back into the database: 16 MiB, so that this seldom happens while
/// cars are waited for.
const WAL_PAGES: &str = "4000";
/// The most connections that read at the same time.
const READERS: u32 = 4;
/// The most faults of a damaged database that are named.
const FAULTS: usize = 3;
/// The most characters of each.
const LONGEST_FAULT: usize = 120;
/// The most steps that are read from a database: more than any program will know.
const MOST_STEPS: i64 = 1_000;
/// The most copies of one version that are kept.
const MOST_COPIES: usize = 100;

const RESTORE: &str = "Move gm.db, gm.db-wal and the tail-*.jsonl away together, and restore them from a copy of the \
                       same time; a race that was exported before can also be imported into a new journal";
const NOT_OURS: &str = "Name another directory with --data, or move the file away";
const OTHER_PROGRAM: &str = "Run the gm that wrote it, or name another directory with --data";

/// The open database of a game master.
#[derive(Debug)]
pub(super) struct Database {
    /// The one connection that writes.
    pub(super) writer: SqliteConnection,
    /// Those that read; each statement sees what was committed before it.
    pub(super) readers: SqlitePool,
}

/// Opens the database of a directory that is this process's own, and makes it if it is not there. An older one is
/// copied to `gm.db.before-VERSION` and migrated.
///
/// # Errors
/// [`JournalError::Damaged`] if it is no database, another program's, or damaged; [`JournalError::Newer`] if a newer
/// program wrote it; [`JournalError::Directory`], [`JournalError::ReadOnly`], [`JournalError::Full`] and
/// [`JournalError::Database`] if the disk does not let us. It is unchanged then, but for whole migrations.
pub(super) async fn open(directory: &DataDirectory) -> Result<Database, JournalError> {
    open_with(directory, STEPS).await
}

/// Opens the database of a directory only to read it, also while a game master has it.
///
/// # Errors
/// Those of [`open`]; [`JournalError::Damaged`] also if it is older than this program, which must not migrate it here.
pub(super) async fn open_to_read(directory: &DataDirectory) -> Result<SqlitePool, JournalError> {
    open_to_read_with(directory, STEPS).await
}

async fn open_with(directory: &DataDirectory, steps: &[Step]) -> Result<Database, JournalError> {
    let file = directory.database();
    if !directory.is_held() {
        return Err(refused(
            directory,
            "it was opened only to be read, and a journal is to be written in it",
        ));
    }
    let mut is_there = look_at_the_file(directory)?;
    if is_there && has_to_roll_back(&file) {
        roll_back(directory).await?;
        // What was interrupted may have been the first that was ever written.
        is_there = look_at_the_file(directory)?;
    }
    let found = if is_there {
        let mut check = connect(directory, &checking(&file)).await?;
        let checked = check_and_copy(directory, &mut check, steps).await;
        // Closed before the writer comes, and also when nothing more comes.
        let closed = check.close().await;
        let found = checked?;
        closed?;
        found
    } else {
        create(directory).await?;
        0
    };
    let mut migrating = connect(directory, &migrating(&file)).await?;
    let migrated = migrate(directory, &mut migrating, &migrations(steps)[found..]).await;
    let closed = migrating.close().await;
    migrated?;
    closed?;
    let writer = connect(directory, &writing(&file)).await?;
    Ok(Database { writer, readers: readers(directory).await? })
}

/// Carries out the migrations that are missing: each in a transaction of its own, together with the note that it was
/// done.
async fn migrate(
    directory: &DataDirectory,
    migrating: &mut SqliteConnection,
    missing: &[Migration],
) -> Result<(), JournalError> {
    let unwritable = |error| not_written(directory, error);
    let mode: String =
        sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *migrating).await.map_err(unwritable)?;
    if mode != "wal" {
        return Err(refused(
            directory,
            "its file system lacks what SQLite needs (shared memory): put it on a disk of this machine",
        ));
    }
    // There may be nothing to migrate, and the first turn is too late to hear that nothing can be written.
    sqlx::raw_sql("BEGIN IMMEDIATE; ROLLBACK").execute(&mut *migrating).await.map_err(unwritable)?;
    migrating.ensure_migrations_table(LIST).await.map_err(|error| not_migrated(directory, error))?;
    for migration in missing {
        migrating.apply(LIST, migration).await.map_err(|error| not_migrated(directory, error))?;
    }
    Ok(())
}

async fn open_to_read_with(directory: &DataDirectory, steps: &[Step]) -> Result<SqlitePool, JournalError> {
    let file = directory.database();
    let mut check = connect(directory, &checking(&file)).await?;
    let checked = check_all(directory, &mut check, steps).await;
    check.close().await?;
    let (found, known) = (checked?, steps.len());
    if found < known {
        return Err(damaged(
            &file,
            format!(
                "it was written by an older gm (it has version {found} of the journal, and this gm knows {known})"
            ),
            "Start this gm there once with `gm run`, which brings it up to date, or read it with the older one",
        ));
    }
    readers(directory).await
}

async fn readers(directory: &DataDirectory) -> Result<SqlitePool, JournalError> {
    let options = reading(&directory.database());
    let pool = SqlitePoolOptions::new().max_connections(READERS).test_before_acquire(false);
    pool.connect_with(options).await.map_err(|error| not_readable(directory, error))
}

async fn connect(
    directory: &DataDirectory,
    options: &SqliteConnectOptions,
) -> Result<SqliteConnection, JournalError> {
    options.connect().await.map_err(|error| not_readable(directory, error))
}

fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new().filename(file).busy_timeout(PATIENCE).foreign_keys(true)
}

fn writing(file: &Path) -> SqliteConnectOptions {
    options(file)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .statement_cache_capacity(STATEMENTS)
        .pragma("wal_autocheckpoint", WAL_PAGES)
        // Nobody reads so many, and they would have to be told apart from what is slow.
        .disable_statement_logging()
}

/// A step may have to make a table anew. To drop the old one would delete all that refers to it, if SQLite watched.
fn migrating(file: &Path) -> SqliteConnectOptions {
    writing(file).foreign_keys(false)
}

fn reading(file: &Path) -> SqliteConnectOptions {
    options(file).read_only(true).statement_cache_capacity(STATEMENTS)
}

/// For the checks, which take long where there is much: that is no news for the log.
fn checking(file: &Path) -> SqliteConnectOptions {
    options(file).read_only(true).disable_statement_logging()
}

/// Rolls back what was interrupted before the first WAL, which only one who may write can do. SQLite does it when
/// something is read.
async fn roll_back(directory: &DataDirectory) -> Result<(), JournalError> {
    let mut writing = connect(directory, &options(&directory.database())).await?;
    let read = sqlx::query("PRAGMA schema_version").fetch_one(&mut writing).await;
    let closed = writing.close().await;
    read.map_err(|error| not_readable(directory, error))?;
    Ok(closed?)
}

/// Looks at the file before SQLite does. Gives whether there is a database in it: an empty file is what a crash before
/// the first write leaves.
///
/// SQLite's locks on a file end when *any* handle of the process on it is closed. So this is only done here, by the
/// owner of the directory, while it has no connection to it.
fn look_at_the_file(directory: &DataDirectory) -> Result<bool, JournalError> {
    let file = directory.database();
    let length = match fs::metadata(&file) {
        Ok(found) if !found.is_file() => return Err(damaged(&file, "it is not a file", NOT_OURS)),
        Ok(found) => found.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
        Err(error) => return Err(not_allowed(directory, &error)),
    };
    if length == 0 {
        let log = beside(&file, "-wal");
        return match fs::metadata(&log) {
            // SQLite would throw it away.
            Ok(log) if log.len() > 0 => {
                Err(damaged(&file, "it is missing or empty, but gm.db-wal holds changes of one", RESTORE))
            }
            _ => Ok(false),
        };
    }
    let mut header = Vec::new();
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(&file)
        .and_then(|file| file.take(HEADER_LENGTH as u64).read_to_end(&mut header))
        .map_err(|error| not_allowed(directory, &error))?;
    if !header.starts_with(MAGIC) {
        return Err(damaged(&file, "it is not an SQLite database", NOT_OURS));
    }
    let versions = header.get(FORMAT_VERSIONS).unwrap_or_default();
    if header.len() < HEADER_LENGTH || versions.iter().any(|version| !matches!(version, 1 | 2)) {
        return Err(damaged(&file, "its header is damaged", RESTORE));
    }
    Ok(true)
}

/// Whether a transaction from before the first WAL was interrupted.
fn has_to_roll_back(file: &Path) -> bool {
    fs::metadata(beside(file, "-journal")).is_ok_and(|journal| journal.len() > 0)
}

/// A file whose name is that of the database and something more.
fn beside(file: &Path, more: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(more);
    name.into()
}

/// Makes an empty database with our mark on it. The mark comes before the WAL, so that it stands in the file itself.
async fn create(directory: &DataDirectory) -> Result<(), JournalError> {
    let file = directory.database();
    private(&file).map_err(|error| not_allowed(directory, &error))?;
    let options = options(&file).pragma("application_id", APPLICATION_ID.to_string());
    connect(directory, &options).await?.close().await?;
    Ok(())
}

/// Makes an empty file for its owner alone, if there is none. SQLite gives the files beside it the same rights.
fn private(file: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Checks the database, and copies it if it is to be migrated. Gives its version.
async fn check_and_copy(
    directory: &DataDirectory,
    check: &mut SqliteConnection,
    steps: &[Step],
) -> Result<usize, JournalError> {
    let found = check_all(directory, check, steps).await?;
    if found > 0 && found < steps.len() {
        copy(directory, check, steps.len()).await?;
    }
    Ok(found)
}

/// Checks all that can be checked without knowing what is in the tables. Gives the version of the tables; 0 is none.
async fn check_all(
    directory: &DataDirectory,
    check: &mut SqliteConnection,
    steps: &[Step],
) -> Result<usize, JournalError> {
    let file = &directory.database();
    let unreadable = |error| not_readable(directory, error);
    let id: i64 =
        sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *check).await.map_err(unreadable)?;
    if id != i64::from(APPLICATION_ID) {
        return Err(damaged(file, "it is not a database of gm", NOT_OURS));
    }
    // SQLite gives up after as many faults.
    let quick_check = AssertSqlSafe(format!("PRAGMA quick_check({FAULTS})"));
    let faults: Vec<String> =
        sqlx::query_scalar(quick_check).fetch_all(&mut *check).await.map_err(unreadable)?;
    if faults != ["ok"] {
        let faults: Vec<String> = faults.iter().map(|fault| clipped(fault)).collect();
        return Err(damaged(file, format!("its check finds {}", faults.join("; ")), RESTORE));
    }
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY name = '_sqlx_migrations' DESC LIMIT 2",
    )
    .fetch_all(&mut *check)
    .await
    .map_err(unreadable)?;
    match tables.first().map(String::as_str) {
        // It was made and nothing more: a crash before the first step.
        None => return Ok(0),
        Some(LIST) => {}
        Some(_) => return Err(damaged(file, "it does not say which version it has", RESTORE)),
    }
    let applied: Vec<(i64, Vec<u8>, bool)> =
        sqlx::query_as("SELECT version, checksum, success FROM _sqlx_migrations ORDER BY version LIMIT ?")
            .bind(MOST_STEPS)
            .fetch_all(&mut *check)
            .await
            .map_err(unreadable)?;
    let found = applied.len();
    let in_order =
        applied.iter().zip(1..).all(|((version, _, success), expected)| *version == expected && *success);
    if !in_order {
        return Err(damaged(file, "its list of migrations has a gap", RESTORE));
    }
    if found > steps.len() {
        let (found, known) = (found as i64, steps.len() as i64);
        return Err(JournalError::Newer { file: file.to_owned(), found, known });
    }
    for ((version, checksum, _), known) in applied.iter().zip(migrations(steps)) {
        if *checksum != *known.checksum {
            let because =
                format!("its migration {version} ({}) is not the one of this gm", known.description);
            return Err(damaged(file, because, OTHER_PROGRAM));
        }
    }
    Ok(found)
}

/// Copies the database before it is migrated to `version`. The copy has its name when it is whole; an earlier one is
/// never written over.
async fn copy(
    directory: &DataDirectory,
    check: &mut SqliteConnection,
    version: usize,
) -> Result<(), JournalError> {
    let file = directory.database();
    let names = (1..=MOST_COPIES).map(|number| match number {
        1 => beside(&file, &format!(".before-{version}")),
        more => beside(&file, &format!(".before-{version}.{more}")),
    });
    let Some(free) = names.into_iter().find(|name| fs::symlink_metadata(name).is_err()) else {
        return Err(refused(
            directory,
            &format!("there are {MOST_COPIES} copies gm.db.before-{version} in it: move some of them away"),
        ));
    };
    let unfinished = beside(&file, ".copy");
    let not_copied = |error: io::Error| {
        refused(directory, &format!("gm.db can't be copied there before it is changed ({})", error.kind()))
    };
    // An earlier attempt may have died half-way.
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(not_copied(error)),
        _ => {}
    }
    private(&unfinished).map_err(not_copied)?;
    let name = unfinished.to_str().expect("the path of a data directory is UTF-8, and so are our names");
    if let Err(error) = sqlx::query("VACUUM INTO ?").bind(name).execute(check).await {
        // What is left of it would only take room, and there may be none.
        if let Err(error) = fs::remove_file(&unfinished) {
            tracing::warn!(%error, file = %unfinished.display(), "an unfinished copy can't be removed");
        }
        return Err(error.into());
    }
    let synced = OpenOptions::new().write(true).open(&unfinished).and_then(|copy| copy.sync_all());
    synced
        .and_then(|()| fs::rename(&unfinished, &free))
        .and_then(|()| directory.sync())
        .map_err(not_copied)?;
    tracing::info!(copy = %free.display(), "the journal is brought to a new version, and was copied before");
    Ok(())
}

/// The steps with their versions and checksums.
fn migrations(steps: &[Step]) -> Vec<Migration> {
    let migration = |(step, version): (&Step, i64)| {
        Migration::new(version, step.name.into(), MigrationType::Simple, step.sql.into_sql_str(), false)
    };
    steps.iter().zip(1..).map(migration).collect()
}

fn clipped(fault: &str) -> String {
    let words = fault.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|character| !character.is_control()).take(LONGEST_FAULT).collect()
}

fn damaged(file: &Path, because: impl Into<String>, remedy: &str) -> JournalError {
    JournalError::Damaged { file: file.to_owned(), because: because.into(), remedy: remedy.into() }
}

fn refused(directory: &DataDirectory, because: &str) -> JournalError {
    JournalError::Directory { directory: directory.path().to_owned(), because: because.into() }
}

fn not_allowed(directory: &DataDirectory, error: &io::Error) -> JournalError {
    let why = error.kind();
    refused(
        directory,
        &format!("gm.db in it can't be read and written ({why}): give this process the right to"),
    )
}

/// SQLite's own kinds of errors: the low byte of its code.
mod kind {
    /// `SQLITE_ERROR`: among others, a file format that it does not know.
    pub(super) const ERROR: i32 = 1;
    /// `SQLITE_BUSY`.
    pub(super) const BUSY: i32 = 5;
    /// `SQLITE_LOCKED`.
    pub(super) const LOCKED: i32 = 6;
    /// `SQLITE_READONLY`.
    pub(super) const READ_ONLY: i32 = 8;
    /// `SQLITE_CORRUPT`.
    pub(super) const CORRUPT: i32 = 11;
    /// `SQLITE_CANTOPEN`.
    pub(super) const CAN_NOT_OPEN: i32 = 14;
    /// `SQLITE_NOTADB`.
    pub(super) const NOT_A_DATABASE: i32 = 26;
}

fn kind_of(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}

/// What it means that the database can't be opened or checked: the disk's faults are told as they are, and everything
/// that SQLite does not understand is the file's.
fn not_readable(directory: &DataDirectory, error: sqlx::Error) -> JournalError {
    let (because, remedy) = match (&error, kind_of(&error)) {
        (_, Some(kind::CAN_NOT_OPEN | kind::READ_ONLY)) => {
            tracing::warn!(%error, "the database can't be opened");
            return refused(
                directory,
                "gm.db in it can't be opened. Who reads it must be able to write in the directory, too: give this \
                 process the right to, or make a copy of the directory and use that",
            );
        }
        (_, Some(kind::NOT_A_DATABASE)) => ("it is not an SQLite database", NOT_OURS),
        (_, Some(kind::ERROR | kind::CORRUPT)) => ("SQLite can't read it", RESTORE),
        // A text where a number should be, or the like.
        (sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } | sqlx::Error::RowNotFound, _) => {
            ("what it says of its version can't be read", RESTORE)
        }
        _ => return not_written(directory, error),
    };
    tracing::warn!(%error, "the database is damaged");
    damaged(&directory.database(), because, remedy)
}

fn not_migrated(directory: &DataDirectory, error: MigrateError) -> JournalError {
    match error {
        MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => {
            not_written(directory, error)
        }
        // All of these come from looking at what was done before, which we did ourselves.
        other => damaged(&directory.database(), other.to_string(), RESTORE),
    }
}

/// What it means that nothing can be written.
fn not_written(directory: &DataDirectory, error: sqlx::Error) -> JournalError {
    match kind_of(&error) {
        Some(kind::BUSY | kind::LOCKED) => {
            tracing::warn!(%error, "the database is locked");
            refused(
                directory,
                "another program works on gm.db in it (which is no gm): close it, and try again",
            )
        }
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests;

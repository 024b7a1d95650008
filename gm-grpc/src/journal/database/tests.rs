//! Databases that are new, old, newer, another program's, cut, and damaged: what becomes of each.

use super::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::io::Write;
use tempfile::TempDir;

/// How often a byte is overwritten at a random place.
const WRITTEN_OVER: usize = 150;
/// Enough rows for many pages.
const ROWS: usize = 400;

/// A directory that this process has.
fn held() -> (TempDir, DataDirectory) {
    let place = tempfile::tempdir().unwrap();
    let directory = DataDirectory::open(place.path()).unwrap();
    (place, directory)
}

async fn close(database: Database) {
    database.readers.close().await;
    database.writer.close().await.unwrap();
}

/// A directory whose database has these steps and these rows, and is closed.
async fn filled(steps: &[Step], rows: usize) -> (TempDir, DataDirectory) {
    let (place, directory) = held();
    let mut database = open_with(&directory, steps).await.unwrap();
    sqlx::raw_sql("BEGIN").execute(&mut database.writer).await.unwrap();
    for row in 0..rows {
        put(&mut database.writer, &format!("gm-{row}")).await;
    }
    sqlx::raw_sql("COMMIT").execute(&mut database.writer).await.unwrap();
    close(database).await;
    (place, directory)
}

async fn put(writer: &mut SqliteConnection, race: &str) {
    let statement = "INSERT INTO races (race, name, created_at, gm, revision, seed, origin) \
                     VALUES (?, ?, 0, '0.1.0', 1, '1', 'here')";
    sqlx::query(statement).bind(race).bind("a name ".repeat(20)).execute(writer).await.unwrap();
}

async fn count(readers: &SqlitePool) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM races").fetch_one(readers).await.unwrap()
}

async fn setting(connection: &mut SqliteConnection, name: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(format!("PRAGMA {name}"))).fetch_one(connection).await.unwrap()
}

/// The names in a directory, in order.
fn names(directory: &DataDirectory) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory.path())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A table made by SQL that has nothing to do with gm.
async fn other_database(file: &Path, sql: &'static str) {
    let mut other =
        SqliteConnectOptions::new().filename(file).create_if_missing(true).connect().await.unwrap();
    sqlx::raw_sql(sql).execute(&mut other).await.unwrap();
    other.close().await.unwrap();
}

/// Opens, and expects to be refused in these words, by both ways; the file is not touched.
async fn check(directory: &DataDirectory, steps: &[Step], says: &str) {
    let before = fs::read(directory.database()).ok();
    let refused = open_with(directory, steps).await.unwrap_err();
    assert!(refused.to_string().contains(says), "{refused}");
    assert!(!refused.to_string().contains("code:"), "no internals: {refused}");
    assert_eq!(fs::read(directory.database()).ok(), before, "changed, although refused: {refused}");
    if let Ok(looked) = DataDirectory::look(directory.path()) {
        let refused = open_to_read_with(&looked, steps).await.unwrap_err();
        assert!(refused.to_string().contains(says), "only read: {refused}");
        assert_eq!(fs::read(directory.database()).ok(), before, "changed by reading: {refused}");
    }
}

/// The nth copy that is made before the database is migrated to the version of this program.
fn copy_name(number: usize) -> String {
    match number {
        1 => format!("gm.db.before-{}", STEPS.len()),
        more => format!("gm.db.before-{}.{more}", STEPS.len()),
    }
}

#[test]
fn every_file_with_a_step_is_in_the_list_in_its_order() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/journal/migrations");
    let mut files: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let listed: Vec<String> =
        STEPS.iter().zip(1..).map(|(step, version)| format!("{version:04}_{}.sql", step.name)).collect();
    assert_eq!(listed, files);
}

#[tokio::test]
async fn a_new_one_has_its_settings() {
    let (_place, directory) = held();
    let mut database = open(&directory).await.unwrap();
    assert_eq!(setting(&mut database.writer, "application_id").await, i64::from(APPLICATION_ID));
    assert_eq!(setting(&mut database.writer, "synchronous").await, 1, "NORMAL");
    assert_eq!(setting(&mut database.writer, "foreign_keys").await, 1);
    assert_eq!(setting(&mut database.writer, "busy_timeout").await, 5_000);
    let mode: String =
        sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut database.writer).await.unwrap();
    assert_eq!(mode, "wal");
    assert_eq!(count(&database.readers).await, 0);
    let written = sqlx::query("DELETE FROM races").execute(&database.readers).await;
    assert!(written.is_err(), "a reader can't write");
    #[cfg(unix)]
    for name in ["gm.db", "gm.db-wal", "gm.db-shm"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    close(database).await;
}

#[tokio::test]
async fn an_empty_file_is_a_new_one() {
    let (_place, directory) = held();
    fs::write(directory.database(), "").unwrap();
    close(open(&directory).await.unwrap()).await;
}

/// The process died after it had made the database, and before the first step.
#[tokio::test]
async fn one_without_tables_is_a_new_one() {
    let (_place, directory) = held();
    create(&directory).await.unwrap();
    assert!(fs::metadata(directory.database()).unwrap().len() > 0);
    let mut database = open(&directory).await.unwrap();
    put(&mut database.writer, "gm-1").await;
    close(database).await;
    assert_eq!(names(&directory), ["gm.db", "lock"], "there was nothing to copy");
}

#[tokio::test]
async fn what_was_put_in_is_there_when_it_is_opened_again() {
    let (_place, directory) = filled(STEPS, ROWS).await;
    for _ in 0..2 {
        let before = fs::read(directory.database()).unwrap();
        let database = open(&directory).await.unwrap();
        assert_eq!(count(&database.readers).await, ROWS as i64);
        close(database).await;
        assert_eq!(fs::read(directory.database()).unwrap(), before, "to open it is not to change it");
    }
    assert_eq!(names(&directory), ["gm.db", "lock"], "nothing was copied");
}

/// As after `kill -9`: what was committed stands in the WAL only.
#[tokio::test]
async fn what_a_dead_process_committed_is_there() {
    let (_place, directory) = held();
    let mut database = open(&directory).await.unwrap();
    put(&mut database.writer, "gm-1").await;
    let (_other_place, other) = held();
    for name in ["gm.db", "gm.db-wal"] {
        fs::copy(directory.path().join(name), other.path().join(name)).unwrap();
    }
    let looked = DataDirectory::look(other.path()).unwrap();
    let readers = open_to_read(&looked).await.unwrap();
    assert_eq!(count(&readers).await, 1);
    readers.close().await;
    let found = open(&other).await.unwrap();
    assert_eq!(count(&found.readers).await, 1);
    close(found).await;
    close(database).await;
}

#[tokio::test]
async fn a_wal_without_its_database_is_not_thrown_away() {
    let (_place, directory) = held();
    let log = directory.path().join("gm.db-wal");
    fs::write(&log, "changes").unwrap();
    check(&directory, STEPS, "gm.db-wal holds changes").await;
    fs::write(directory.database(), "").unwrap();
    check(&directory, STEPS, "gm.db-wal holds changes").await;
    assert_eq!(fs::read(&log).unwrap(), b"changes");
}

#[tokio::test]
async fn what_is_no_database_is_refused() {
    let (_place, directory) = held();
    for text in ["x", "SQLite", "[rules]\nmax_turns = 5\n", &"long ".repeat(5_000)] {
        fs::write(directory.database(), text).unwrap();
        // To SQLite, a file that is too short for a header is an empty database.
        check(&directory, STEPS, "it is not a").await;
    }
    fs::write(directory.database(), MAGIC).unwrap();
    let refused = open(&directory).await.unwrap_err();
    assert!(refused.to_string().contains("its header is damaged"), "{refused}");
    fs::remove_file(directory.database()).unwrap();
    fs::create_dir(directory.database()).unwrap();
    let refused = open(&directory).await.unwrap_err();
    assert!(refused.to_string().contains("it is not a file"), "{refused}");
}

#[tokio::test]
async fn another_programs_database_is_refused() {
    let (_place, directory) = held();
    for sql in [
        "CREATE TABLE notes (text TEXT)",
        "PRAGMA application_id = 252006674; CREATE TABLE notes (text TEXT)",
        "PRAGMA journal_mode = wal; CREATE TABLE _sqlx_migrations (version BIGINT)",
    ] {
        other_database(&directory.database(), sql).await;
        check(&directory, STEPS, "it is not a database of gm").await;
        fs::remove_file(directory.database()).unwrap();
    }
    let ours_without_versions = "PRAGMA application_id = 1735225955; CREATE TABLE races (id INTEGER)";
    assert!(ours_without_versions.contains(&APPLICATION_ID.to_string()), "{APPLICATION_ID}");
    other_database(&directory.database(), ours_without_versions).await;
    check(&directory, STEPS, "it does not say which version it has").await;
}

#[tokio::test]
async fn a_newer_one_is_refused() {
    for known in 0..STEPS.len() {
        let (_place, directory) = filled(STEPS, 1).await;
        let refused = open_with(&directory, &STEPS[..known]).await.unwrap_err();
        let (found, newest) = (STEPS.len() as i64, known as i64);
        assert!(
            matches!(refused, JournalError::Newer { found: is, known: knows, .. } if is == found && knows == newest),
            "{refused}"
        );
        check(&directory, &STEPS[..known], "by a newer gm").await;
        let database = open(&directory).await.unwrap();
        assert_eq!(count(&database.readers).await, 1, "the newer one reads it as before");
        close(database).await;
    }
}

#[tokio::test]
async fn a_list_of_migrations_that_is_not_ours_is_refused() {
    let other_last =
        [&STEPS[..2], &[Step { name: "others", sql: "CREATE TABLE others (id INTEGER)" }]].concat();
    let (_place, directory) = filled(&other_last, 1).await;
    check(&directory, STEPS, "its migration 3 (teams) is not the one of this gm").await;

    for (sql, says) in [
        ("DELETE FROM _sqlx_migrations WHERE version = 2", "its list of migrations has a gap"),
        ("UPDATE _sqlx_migrations SET version = 9 WHERE version = 3", "its list of migrations has a gap"),
        ("UPDATE _sqlx_migrations SET success = 0 WHERE version = 3", "its list of migrations has a gap"),
        ("UPDATE _sqlx_migrations SET version = 'three' WHERE version = 3", "what it says of its version"),
        (
            "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1",
            "migration 1 (races) is not the one",
        ),
    ] {
        let (_place, directory) = filled(STEPS, 1).await;
        other_database(&directory.database(), sql).await;
        check(&directory, STEPS, says).await;
    }
}

#[tokio::test]
async fn each_older_one_is_copied_and_migrated() {
    let (copy, second) = (copy_name(1), copy_name(2));
    for old in 1..STEPS.len() {
        let (_place, directory) = filled(&STEPS[..old], ROWS).await;
        // Who only reads must not migrate, and says so.
        let looked = DataDirectory::look(directory.path()).unwrap();
        let refused = open_to_read(&looked).await.unwrap_err();
        assert!(refused.to_string().contains("by an older gm"), "{refused}");
        assert!(names(&directory).iter().all(|name| !name.contains("before")), "{:?}", names(&directory));

        // What an attempt that died left, and an earlier copy.
        fs::write(directory.path().join("gm.db.copy"), "half a copy").unwrap();
        fs::write(directory.path().join(&copy), "an earlier copy").unwrap();
        let mut database = open(&directory).await.unwrap();
        assert_eq!(count(&database.readers).await, ROWS as i64);
        let dangling = sqlx::query("PRAGMA foreign_key_check").fetch_all(&database.readers).await.unwrap();
        assert!(dangling.is_empty(), "nobody watched while it was migrated");
        put(&mut database.writer, "gm-new").await;
        close(database).await;
        assert_eq!(names(&directory), ["gm.db", &copy, &second, "lock"]);
        assert_eq!(fs::read(directory.path().join(&copy)).unwrap(), b"an earlier copy");

        // The copy is a journal, too: that of before.
        let (_other_place, other) = held();
        fs::rename(directory.path().join(&second), other.database()).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(other.database()).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let copied = open_with(&other, &STEPS[..old]).await.unwrap();
        assert_eq!(count(&copied.readers).await, ROWS as i64);
        close(copied).await;
    }
}

#[tokio::test]
async fn too_many_copies_are_not_written_over() {
    let (_place, directory) = filled(&STEPS[..1], 1).await;
    for number in 1..=MOST_COPIES {
        fs::write(directory.path().join(copy_name(number)), "").unwrap();
    }
    let refused = open(&directory).await.unwrap_err();
    assert!(refused.to_string().contains("move some of them away"), "{refused}");
    fs::remove_file(directory.path().join(copy_name(MOST_COPIES))).unwrap();
    close(open(&directory).await.unwrap()).await;
}

/// A team: its race and number, what it shows to the API, what its cars are sent, its inspector.
type Team = (i64, i64, Option<Vec<u8>>, Option<Vec<u8>>, Option<Vec<u8>>);

/// Version 4: what was there stays, and is open to all; one team's secret is no other's.
#[tokio::test]
async fn teams_of_an_older_one_stay() {
    let (_place, directory) = filled(&STEPS[..3], 2).await;
    let mut older = open_with(&directory, &STEPS[..3]).await.unwrap();
    let insert = "INSERT INTO teams (race, team, api_secret, car_secret) \
                  VALUES (1, 1, x'aa', x'01'), (1, 2, NULL, x'02'), (2, 1, x'bb', NULL), (2, 2, NULL, NULL)";
    sqlx::raw_sql(insert).execute(&mut older.writer).await.unwrap();
    close(older).await;

    let mut database = open(&directory).await.unwrap();
    let private: Vec<bool> =
        sqlx::query_scalar("SELECT private FROM races").fetch_all(&database.readers).await.unwrap();
    assert_eq!(private, [false, false]);
    let teams: Vec<Team> =
        sqlx::query_as("SELECT race, team, api_secret, car_secret, inspector FROM teams ORDER BY race, team")
            .fetch_all(&database.readers)
            .await
            .unwrap();
    let team = |race, team, api: Option<u8>, car: Option<u8>| {
        (race, team, api.map(|byte| vec![byte]), car.map(|byte| vec![byte]), None)
    };
    assert_eq!(
        teams,
        [
            team(1, 1, Some(0xaa), Some(1)),
            team(1, 2, None, Some(2)),
            team(2, 1, Some(0xbb), None),
            team(2, 2, None, None)
        ]
    );
    for (sql, is_taken) in [
        ("UPDATE teams SET api_secret = x'aa' WHERE race = 2 AND team = 2", false),
        ("UPDATE teams SET api_secret = x'cc' WHERE race = 2 AND team = 2", true),
        ("UPDATE teams SET api_secret = NULL", true),
        ("INSERT INTO tokens VALUES ('tok-1', x'aa', 'admin', NULL, '', 0, NULL)", true),
        ("INSERT INTO tokens VALUES ('tok-2', x'aa', 'admin', NULL, '', 0, NULL)", false),
        ("INSERT INTO tokens VALUES ('tok-3', x'dd', 'owner', NULL, '', 0, NULL)", false),
        ("INSERT INTO tokens VALUES ('tok-4', x'ee', 'observer', 9, '', 0, NULL)", false),
        ("INSERT INTO tokens VALUES ('tok-5', x'ff', 'observer', 2, '', 0, NULL)", true),
        ("DELETE FROM races WHERE id = 2", true),
    ] {
        assert_eq!(sqlx::raw_sql(sql).execute(&mut database.writer).await.is_ok(), is_taken, "{sql}");
    }
    let tokens: Vec<String> =
        sqlx::query_scalar("SELECT id FROM tokens").fetch_all(&database.readers).await.unwrap();
    assert_eq!(tokens, ["tok-1"], "that of a race goes with it");
    close(database).await;
}

#[tokio::test]
async fn a_step_that_fails_half_way_leaves_nothing() {
    let broken =
        Step { name: "teams", sql: "CREATE TABLE half (id INTEGER); CREATE TABLE races (id INTEGER);" };
    let (_place, directory) = filled(&STEPS[..1], 1).await;
    let refused = open_with(&directory, &[&STEPS[..2], &[broken]].concat()).await.unwrap_err();
    assert!(matches!(refused, JournalError::Database(_)), "{refused:?}");
    // The step before it was done, the broken one was not begun.
    let database = open_with(&directory, &STEPS[..2]).await.unwrap();
    let half: i64 = sqlx::query_scalar("SELECT count(*) FROM sqlite_schema WHERE name = 'half'")
        .fetch_one(&database.readers)
        .await
        .unwrap();
    assert_eq!(half, 0);
    close(database).await;
    let database = open(&directory).await.unwrap();
    assert_eq!(count(&database.readers).await, 1);
    close(database).await;
}

/// To rebuild a table is SQLite's way to change it.
#[tokio::test]
async fn a_step_that_makes_a_table_anew_loses_nothing_that_refers_to_it() {
    let anew = Step {
        name: "anew",
        sql: "CREATE TABLE races_anew (id INTEGER PRIMARY KEY, race TEXT NOT NULL UNIQUE) STRICT; \
              INSERT INTO races_anew SELECT id, race FROM races; \
              DROP TABLE races; ALTER TABLE races_anew RENAME TO races;",
    };
    let (_place, directory) = held();
    let mut database = open(&directory).await.unwrap();
    put(&mut database.writer, "gm-1").await;
    sqlx::raw_sql("INSERT INTO events VALUES (1, 1, 0, 1, '{}'), (1, 2, 0, 1, '{}')")
        .execute(&mut database.writer)
        .await
        .unwrap();
    close(database).await;
    let mut database = open_with(&directory, &[STEPS, &[anew]].concat()).await.unwrap();
    let events: i64 =
        sqlx::query_scalar("SELECT count(*) FROM events").fetch_one(&database.readers).await.unwrap();
    assert_eq!(events, 2);
    let lost = sqlx::query("PRAGMA foreign_key_check").fetch_all(&database.readers).await.unwrap();
    assert!(lost.is_empty());
    // The writer watches again.
    let dangling = "INSERT INTO events VALUES (2, 1, 0, 1, '{}')";
    assert!(sqlx::raw_sql(dangling).execute(&mut database.writer).await.is_err());
    close(database).await;
}

/// The process died while it made the database, before the first WAL: its transaction must be rolled back first. If it
/// was the first one, nothing is left of the database, and it is made anew.
#[tokio::test]
async fn what_was_interrupted_before_the_first_wal_is_rolled_back() {
    for is_marked in [true, false] {
        let (_place, directory) = held();
        if is_marked {
            create(&directory).await.unwrap();
        } else {
            private(&directory.database()).unwrap();
        }
        let mut dying = options(&directory.database()).pragma("cache_size", "1").connect().await.unwrap();
        sqlx::raw_sql("BEGIN; CREATE TABLE half (id INTEGER, text TEXT)").execute(&mut dying).await.unwrap();
        for row in 0..100 {
            let insert = sqlx::query("INSERT INTO half VALUES (?, ?)").bind(row).bind("half ".repeat(500));
            insert.execute(&mut dying).await.unwrap();
        }
        let (_other_place, other) = held();
        for name in ["gm.db", "gm.db-journal"] {
            fs::copy(directory.path().join(name), other.path().join(name)).unwrap();
        }
        dying.close().await.unwrap();
        if !is_marked {
            // The mark was written, and the transaction that wrote it is not complete.
            fs::remove_file(other.database()).unwrap();
            let (_marked_place, marked) = held();
            create(&marked).await.unwrap();
            fs::copy(marked.database(), other.database()).unwrap();
        }
        assert!(has_to_roll_back(&other.database()));
        let database = open(&other).await.unwrap();
        assert_eq!(count(&database.readers).await, 0);
        close(database).await;
    }
}

#[tokio::test]
async fn what_another_program_keeps_locked_is_said_in_words() {
    let (_place, directory) = filled(STEPS, 1).await;
    let mut other = options(&directory.database()).connect().await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    // Without the patience that `open` has.
    let hasty = migrating(&directory.database()).busy_timeout(Duration::ZERO);
    let mut hasty = connect(&directory, &hasty).await.unwrap();
    let refused = migrate(&directory, &mut hasty, &[]).await.unwrap_err();
    assert!(refused.to_string().contains("another program works on gm.db"), "{refused}");
    hasty.close().await.unwrap();
    other.close().await.unwrap();
    close(open(&directory).await.unwrap()).await;
}

/// What opens a journal may run in a task of its own.
#[tokio::test]
async fn it_can_be_opened_in_a_task() {
    let (_place, directory) = held();
    let opened = tokio::spawn(async move { open(&directory).await.map(|database| (database, directory)) });
    let (database, _directory) = opened.await.unwrap().unwrap();
    close(database).await;
}

#[tokio::test]
async fn one_that_is_cut_is_refused() {
    let (_place, directory) = filled(STEPS, ROWS).await;
    let whole = fs::read(directory.database()).unwrap();
    assert!(whole.len() > 20 * 4_096, "many pages: {}", whole.len());
    for (length, says) in [
        (whole.len() / 2, "SQLite can't read it"),
        (whole.len() / 2 / 4_096 * 4_096, "SQLite can't read it"),
        (whole.len() - 4_096, "SQLite can't read it"),
        (4_096, "SQLite can't read it"),
    ] {
        fs::write(directory.database(), &whole[..length]).unwrap();
        check(&directory, STEPS, says).await;
        check(&directory, STEPS, "restore them from a copy").await;
    }
}

/// Either it can't be seen without knowing what should be there, and it opens; or it is refused in words and left.
#[tokio::test]
async fn bytes_that_were_written_over_are_found_or_do_no_harm() {
    let (_place, directory) = filled(STEPS, ROWS).await;
    let whole = fs::read(directory.database()).unwrap();
    let seed: u64 = rand::random();
    let mut random = StdRng::seed_from_u64(seed);
    let header = (0..HEADER_LENGTH).map(|offset| (offset, 1));
    let lengths = [1, 4, 64, 4_096];
    let mut places: Vec<(usize, usize)> = header.collect();
    places.extend(
        (0..WRITTEN_OVER)
            .map(|_| (random.random_range(0..whole.len()), lengths[random.random_range(0..lengths.len())])),
    );
    let mut found = 0;
    for (offset, length) in places {
        let mut bytes = whole.clone();
        let end = bytes.len().min(offset + length);
        bytes[offset..end].iter_mut().for_each(|byte| *byte = random.random());
        fs::write(directory.database(), &bytes).unwrap();
        let at = format!("seed {seed}, {length} bytes at {offset}");
        let looked = DataDirectory::look(directory.path()).unwrap();
        match open_to_read(&looked).await {
            Ok(readers) => readers.close().await,
            Err(JournalError::Damaged { .. }) => {}
            Err(other) => panic!("{at}, only read: {other:?}"),
        }
        match open(&directory).await {
            Ok(database) => close(database).await,
            Err(JournalError::Damaged { because, remedy, .. }) => {
                assert!(!because.is_empty() && !remedy.is_empty(), "{at}");
                assert!(because.chars().count() < 600, "{at}: it is bounded: {because}");
                found += 1;
            }
            Err(other) => panic!("{at}: {other:?}"),
        }
        assert!(fs::read(directory.database()).unwrap() == bytes, "{at}: changed on disk");
    }
    assert!(found > HEADER_LENGTH / 4, "seed {seed}: only {found} found");
}

#[tokio::test]
async fn who_looks_sees_what_is_committed_and_writes_nothing() {
    let (place, directory) = held();
    let mut database = open(&directory).await.unwrap();
    let looked = DataDirectory::look(place.path()).unwrap();
    let readers = open_to_read(&looked).await.unwrap();
    assert_eq!(count(&readers).await, 0);
    sqlx::raw_sql("BEGIN IMMEDIATE").execute(&mut database.writer).await.unwrap();
    put(&mut database.writer, "gm-1").await;
    assert_eq!(count(&readers).await, 0, "not committed yet");
    sqlx::raw_sql("COMMIT").execute(&mut database.writer).await.unwrap();
    assert_eq!(count(&readers).await, 1);
    assert!(sqlx::query("DELETE FROM races").execute(&readers).await.is_err());
    let refused = open(&looked).await.unwrap_err();
    assert!(refused.to_string().contains("only to be read"), "{refused}");
    // It goes on when the one who writes has ended, and can be opened then.
    close(database).await;
    assert_eq!(count(&readers).await, 1);
    readers.close().await;
    let readers = open_to_read(&looked).await.unwrap();
    assert_eq!(count(&readers).await, 1);
    readers.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn what_may_not_be_written_is_refused_in_words() {
    use std::os::unix::fs::PermissionsExt;
    let (place, directory) = filled(STEPS, 1).await;
    let allow = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    allow(&directory.database(), 0o400);
    if File::options().append(true).open(directory.database()).is_ok_and(|mut file| file.write(b"").is_ok()) {
        eprintln!("skipped: this user may write everywhere");
        return;
    }
    let refused = open(&directory).await.unwrap_err();
    assert!(refused.to_string().contains("can't be read and written (permission denied)"), "{refused}");
    // To read it, the right to read it is enough, if SQLite can make its files beside it.
    let looked = DataDirectory::look(place.path()).unwrap();
    let readers = open_to_read(&looked).await.unwrap();
    assert_eq!(count(&readers).await, 1);
    readers.close().await;
    // Here it can't: nobody has written them, and nobody may.
    for name in ["gm.db-wal", "gm.db-shm"] {
        fs::remove_file(place.path().join(name)).unwrap();
    }
    allow(&directory.database(), 0o600);
    allow(place.path(), 0o500);
    let refused = open_to_read(&looked).await.unwrap_err();
    assert!(refused.to_string().contains("make a copy of the directory"), "{refused}");
    allow(place.path(), 0o700);
}

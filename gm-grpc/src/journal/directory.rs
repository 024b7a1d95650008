//! The data directory: where a game master keeps its journal, and what tells two of them apart.
//!
//! ```
//! use gm_grpc::journal::{DataDirectory, JournalError};
//! let place = tempfile::tempdir().unwrap();
//! let mine = DataDirectory::open(place.path()).unwrap();
//! assert!(matches!(DataDirectory::open(place.path()), Err(JournalError::InUse { .. })));
//! ```
//!
//! Two processes that play the same race would both ask its cars, so a directory has one owner at a time. The lock is
//! the operating system's: it ends with the process that holds it, however that dies, and nobody has to tidy up.

use super::error::JournalError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The database.
const DATABASE: &str = "gm.db";
/// The key of the secrets.
const KEY: &str = "key";
/// What is locked, and where its owner's process id stands.
const LOCK: &str = "lock";

/// The most bytes of the lock file that are read: more than the longest process id.
const LONGEST_PROCESS_ID: u64 = 20;

/// What can be done when nothing can be written.
const NO_RIGHT: &str = "give this process the right to write there, or name another directory with --data";

/// A directory with a journal, or for one. While a value that was [opened](DataDirectory::open) lives, no other
/// process has the directory.
#[derive(Debug)]
pub struct DataDirectory {
    path: PathBuf,
    /// Locked; `None` if the directory is only looked at.
    lock: Option<File>,
    /// The directory itself, locked, where the system can do that: somebody may tidy the lock file up.
    _itself: Option<File>,
}

impl DataDirectory {
    /// Takes a directory, and makes it if it is not there; nobody else can look into one that is made here.
    ///
    /// # Errors
    /// [`JournalError::InUse`] if another process has it, or this one already; [`JournalError::Directory`] if it is no
    /// directory, or can't be made, written or locked.
    pub fn open(path: &Path) -> Result<DataDirectory, JournalError> {
        let because = |because: String| JournalError::Directory { directory: path.to_owned(), because };
        let absolute = absolute(path)?;
        let there = absolute.ancestors().find(|above| above.exists());
        if let Some(file) = there.filter(|there| !there.is_dir()) {
            return Err(because(format!(
                "{} is not a directory: name another one with --data",
                file.display()
            )));
        }
        make(&absolute)
            .map_err(|error| because(format!("it can't be made ({}): {NO_RIGHT}", error.kind())))?;
        // Not only the file with the lock: SQLite makes files of its own beside the database.
        let writable = tempfile::tempfile_in(&absolute).map(drop);
        let lock = writable.and_then(|()| {
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(absolute.join(LOCK))
        });
        let mut lock = lock.map_err(|error| {
            because(format!("nothing can be written in it ({}): {NO_RIGHT}", error.kind()))
        })?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::InUse { directory: path.to_owned(), process: owner(&lock) });
            }
            Err(TryLockError::Error(error)) => {
                let why = error.kind();
                return Err(because(format!("it can't be locked ({why}): put it on a disk of this machine")));
            }
        }
        let itself = File::open(&absolute).ok().filter(|_| cfg!(unix));
        // Not every file system can lock a directory; the file is locked all the same.
        if itself.as_ref().is_some_and(|itself| matches!(itself.try_lock(), Err(TryLockError::WouldBlock))) {
            return Err(JournalError::InUse { directory: path.to_owned(), process: owner(&lock) });
        }
        // Only for the message that names us. A lock without it holds as well.
        let told = lock.set_len(0).and_then(|()| write!(lock, "{}", std::process::id()));
        if let Err(error) = told {
            tracing::warn!(%error, "the process id can't be written into the lock file");
        }
        Ok(DataDirectory { path: absolute, lock: Some(lock), _itself: itself })
    }

    /// Only reads a directory, also while a game master has it. Nothing is made or locked here; SQLite makes files
    /// beside the database to read it, which are empty and are taken up by the next who writes.
    ///
    /// # Errors
    /// [`JournalError::Directory`] if there is no journal in it.
    pub fn look(path: &Path) -> Result<DataDirectory, JournalError> {
        let because = |because: String| JournalError::Directory { directory: path.to_owned(), because };
        let directory = DataDirectory { path: absolute(path)?, lock: None, _itself: None };
        // Its size is asked for, and it is not opened: see `database`, which says why.
        match fs::metadata(directory.database()) {
            Ok(file) if file.len() > 0 => Ok(directory),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Err(because("this process may not read it: give it the right to".into()))
            }
            _ => Err(because(format!(
                "there is no journal in it. `gm run FILE.toml --data {}` begins one",
                path.display()
            ))),
        }
    }

    /// The same directory, only to look at.
    pub(super) fn to_look(&self) -> DataDirectory {
        DataDirectory { path: self.path.clone(), lock: None, _itself: None }
    }

    /// Where it is: an absolute path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file of the database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join(DATABASE)
    }

    /// The file of the key that secrets are encrypted with.
    #[must_use]
    pub fn key_file(&self) -> PathBuf {
        self.path.join(KEY)
    }

    /// Whether it is this process's own, so that something may be written in it.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.lock.is_some()
    }

    /// Waits until the disk has the names of the files in it, which a file's own sync does not cover.
    ///
    /// # Errors
    /// Those of the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        if cfg!(unix) { File::open(&self.path)?.sync_all() } else { Ok(()) }
    }
}

/// The path from the root, so that it means the same when the process goes elsewhere; and SQLite reads a name that
/// begins with `file:` in a way of its own.
fn absolute(path: &Path) -> Result<PathBuf, JournalError> {
    let because =
        |because: &str| JournalError::Directory { directory: path.to_owned(), because: because.into() };
    let absolute = std::path::absolute(path).map_err(|_| because("it has no name: name one with --data"))?;
    if absolute.to_str().is_none() {
        return Err(because("SQLite can't open a path that is not UTF-8: name another one with --data"));
    }
    Ok(absolute)
}

/// Makes the directory for its owner alone, and what is above it as usual.
fn make(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    if let Some(above) = directory.parent() {
        fs::create_dir_all(above)?;
    }
    let mut builder = fs::DirBuilder::new();
    // Two that make it at the same time are told apart by the lock.
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

/// The process id in a lock file, or "unknown": its owner may not have written it yet.
fn owner(lock: &File) -> String {
    let mut text = String::new();
    let read = lock.take(LONGEST_PROCESS_ID).read_to_string(&mut text);
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if read.is_ok() && is_number { text } else { "unknown".into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    /// Where a process that [`holds_a_directory`] is to hold it.
    const HELD: &str = "GM_TEST_HELD_DIRECTORY";
    /// What it says when it does. The test harness may write something before it on the same line.
    const HOLDS: &str = "holds it";

    #[test]
    fn it_is_made_with_everything_above_it_and_for_its_owner_alone() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("races").join("data");
        let directory = DataDirectory::open(&path).unwrap();
        assert!(directory.path().is_dir() && directory.is_held());
        assert_eq!(directory.database(), path.join("gm.db"));
        assert_eq!(directory.key_file(), path.join("key"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn it_has_one_owner_and_the_next_is_told_which_process_it_is() {
        let place = tempfile::tempdir().unwrap();
        let first = DataDirectory::open(place.path()).unwrap();
        let refused = DataDirectory::open(place.path()).unwrap_err();
        let JournalError::InUse { process, .. } = &refused else { panic!("{refused}") };
        assert_eq!(*process, std::process::id().to_string());
        assert!(refused.to_string().contains("--data"), "{refused}");
        drop(first);
        assert!(DataDirectory::open(place.path()).is_ok(), "it is free again");
    }

    #[cfg(unix)]
    #[test]
    fn who_tidies_up_the_lock_file_lets_nobody_in() {
        let place = tempfile::tempdir().unwrap();
        let first = DataDirectory::open(place.path()).unwrap();
        fs::remove_file(place.path().join("lock")).unwrap();
        let refused = DataDirectory::open(place.path()).unwrap_err();
        assert!(matches!(&refused, JournalError::InUse { process, .. } if process == "unknown"), "{refused}");
        drop(first);
        assert!(DataDirectory::open(place.path()).is_ok(), "it is free again");
    }

    /// Not a test of its own: the other process of the next one.
    #[test]
    fn holds_a_directory() {
        let Some(path) = std::env::var_os(HELD) else { return };
        let _held = DataDirectory::open(Path::new(&path)).unwrap();
        println!("{HOLDS}");
        // Until it is killed, or nobody is left to do it.
        let _ = io::stdin().read_line(&mut String::new());
    }

    #[test]
    fn another_process_is_refused_and_its_lock_dies_with_it() {
        let place = tempfile::tempdir().unwrap();
        let mut other = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "journal::directory::tests::holds_a_directory", "--nocapture"])
            .env(HELD, place.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(other.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(said.into_iter().any(|line| line.contains(HOLDS)), "it ended before it had the directory");

        let refused = DataDirectory::open(place.path()).unwrap_err();
        let JournalError::InUse { process, .. } = &refused else { panic!("{refused}") };
        assert_eq!(*process, other.id().to_string());

        // As `kill -9` does: nothing of it is tidied up.
        other.kill().unwrap();
        other.wait().unwrap();
        assert!(DataDirectory::open(place.path()).is_ok());
    }

    #[test]
    fn a_process_id_that_is_none_is_not_shown() {
        let place = tempfile::tempdir().unwrap();
        let check = |content: &str, expected: &str| {
            let file = place.path().join("lock");
            fs::write(&file, content).unwrap();
            assert_eq!(owner(&File::open(&file).unwrap()), expected, "{content:?}");
        };
        check("4711", "4711");
        check("", "unknown");
        check("4711\n", "unknown");
        check("nobody", "unknown");
        check(&"9".repeat(1_000), &"9".repeat(20));
    }

    #[test]
    fn what_can_not_be_a_data_directory_is_refused_in_words() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("file");
        fs::write(&file, "text").unwrap();
        check(DataDirectory::open(&file), "/file is not a directory");
        check(DataDirectory::open(&file.join("below").join("it")), "/file is not a directory");
        check(DataDirectory::open(Path::new("")), "it has no name");
        check(DataDirectory::look(&place.path().join("missing")), "there is no journal in it. `gm run");
        check(DataDirectory::look(place.path()), "there is no journal in it. `gm run");
        check(DataDirectory::look(&file), "there is no journal in it. `gm run");
    }

    #[test]
    fn looking_makes_nothing() {
        let place = tempfile::tempdir().unwrap();
        let missing = place.path().join("missing");
        assert!(DataDirectory::look(&missing).is_err());
        assert!(!missing.exists());
        fs::write(place.path().join("gm.db"), "something").unwrap();
        let looked = DataDirectory::look(place.path()).unwrap();
        assert!(!looked.is_held());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_without_the_right_to_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o500)).unwrap();
        if fs::write(place.path().join("probe"), "").is_ok() {
            eprintln!("skipped: this user may write everywhere");
            return;
        }
        check(DataDirectory::open(place.path()), "nothing can be written in it (permission denied)");
        check(DataDirectory::open(&place.path().join("below")), "it can't be made (permission denied)");
    }

    #[track_caller]
    fn check(outcome: Result<DataDirectory, JournalError>, says: &str) {
        let refused = outcome.unwrap_err();
        assert!(matches!(refused, JournalError::Directory { .. }), "{refused:?}");
        assert!(refused.to_string().contains(says), "{refused}");
    }
}

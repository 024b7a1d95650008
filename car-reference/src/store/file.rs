//! A store in one JSON file, which survives a restart.
//!
//! ```json
//! {"version":1,"square":42,"in_race":true,"engine":["engine-1"],"pilot":["pilot-1"],"weapon":[],"receipts":[]}
//! ```
//!
//! The file is never half written: a new one is written beside it, synced, and put in its place. What can't be read
//! is never overwritten. A new store is its owner's alone; the permissions of one that is there are kept.

use super::{Change, Kept, ModuleStore, StoreError};
use crate::receipts::{Receipt, Receipts};
use gm_core::contract::{Kind, Modules};
use gm_core::ids::Square;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// What a car has, in a file. One car has one file: while it is open it can't be opened once more, by this process or
/// another. The operating system sees to that with a lock on `FILE.lock` beside it, which ends with the process however
/// it ends; that the lock's file stays is no matter.
///
/// It reads and writes without waiting for anybody, so a request that is given up by its client is still done as a
/// whole.
#[derive(Debug)]
pub struct FileStore {
    path: PathBuf,
    _lock: File,
    kept: Kept,
    receipts: Receipts,
}

/// The file's contents.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    square: u32,
    in_race: bool,
    engine: Vec<String>,
    pilot: Vec<String>,
    weapon: Vec<String>,
    receipts: Vec<Receipt>,
}

const VERSION: u32 = 1;

/// The most symbolic links, one behind the other, to a file that is not there yet.
const MOST_LINKS: usize = 40;

impl FileStore {
    /// Opens the store at `path`, or where the symbolic links at `path` lead now. Only if there is no such file a new
    /// car with these modules is put there.
    ///
    /// # Errors
    /// If the file can't be read or written, is open already, or holds something else than a car; it is left as it is
    /// then.
    pub fn open(path: impl Into<PathBuf>, modules: Modules) -> Result<FileStore, StoreError> {
        let path = path.into();
        let path = match resolve(&path) {
            Ok(real) => real,
            Err(source) => return Err(StoreError::Read { path, source }),
        };
        if path.is_dir() {
            return Err(StoreError::Read { path, source: ErrorKind::IsADirectory.into() });
        }
        let lock = lock(&path)?;
        match fs::read(&path) {
            Ok(bytes) => match parse(&bytes) {
                Ok((kept, receipts)) => Ok(FileStore { path, _lock: lock, kept, receipts }),
                Err(reason) => Err(StoreError::Damaged { path, reason }),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let (kept, receipts) = (Kept::new(modules), Receipts::default());
                let store = FileStore { path, _lock: lock, kept, receipts };
                store.write(&store.kept, &store.receipts)?;
                Ok(store)
            }
            Err(source) => Err(StoreError::Read { path, source }),
        }
    }

    fn write(&self, kept: &Kept, receipts: &Receipts) -> Result<(), StoreError> {
        let stored = Stored {
            version: VERSION,
            square: kept.square.0,
            in_race: kept.in_race,
            engine: kept.names(Kind::Engine).to_vec(),
            pilot: kept.names(Kind::Pilot).to_vec(),
            weapon: kept.names(Kind::Weapon).to_vec(),
            receipts: receipts.iter().cloned().collect(),
        };
        replace(&self.path, &stored).map_err(|source| StoreError::Write { path: self.path.clone(), source })
    }
}

fn parse(bytes: &[u8]) -> Result<(Kept, Receipts), String> {
    let stored: Stored = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if stored.version != VERSION {
        return Err(format!("version {}, and this car knows version {VERSION}", stored.version));
    }
    let mut kept = Kept::new(Modules::default());
    kept.square = Square(stored.square);
    kept.in_race = stored.in_race;
    for (kind, names) in Kind::ALL.into_iter().zip([stored.engine, stored.pilot, stored.weapon]) {
        for name in names {
            if kept.names(kind).contains(&name) {
                return Err(format!("the {kind} {name:?} is there twice"));
            }
            kept.apply(&Change::Add { kind, name });
        }
    }
    Ok((kept, stored.receipts.into_iter().collect()))
}

/// Locks the store at `path` until what is returned is dropped. The store itself can't hold the lock: with each change
/// another file takes its place.
fn lock(path: &Path) -> Result<File, StoreError> {
    let beside = beside(path, ".lock");
    let locked = match private().create(true).truncate(false).open(&beside) {
        Ok(file) => file.try_lock().map(|()| file),
        Err(error) => Err(TryLockError::Error(error)),
    };
    locked.map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::InUse { path: path.to_owned() },
        TryLockError::Error(source) => StoreError::Write { path: beside, source },
    })
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut beside = OsString::from(path);
    beside.push(ending);
    beside.into()
}

/// How to write to a file that is its owner's alone if it is made now.
fn private() -> OpenOptions {
    let mut options = File::options();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Where a file is, or will be, behind all symbolic links: putting a new file in the place of a link would leave the
/// real one as it was.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::canonicalize(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found_or_failed => return found_or_failed,
        }
        // Nothing is there yet: neither behind a link, if this is one, nor else.
        let name = path.file_name().ok_or_else(|| io::Error::other("not the name of a file"))?;
        let directory = fs::canonicalize(directory(&path))
            .map_err(|error| io::Error::new(error.kind(), format!("its directory: {error}")))?;
        let place = directory.join(name);
        match fs::read_link(&place) {
            Ok(target) => path = directory.join(target),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(place),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Puts a new file in the place of the old one, such that after a crash one of the two is there, whole. It may be read
/// and written by whom the old one might; the first one by its owner alone.
fn replace(path: &Path, stored: &Stored) -> io::Result<()> {
    let beside = beside(path, ".new");
    // What a crash left there may be open to others.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private().create_new(true).open(&beside)?;
    match fs::metadata(path) {
        Ok(old) => file.set_permissions(old.permissions())?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    file.write_all(&serde_json::to_vec(stored)?)?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    // The new file is in its place. Some file systems can't sync a directory: there a power cut may bring back the
    // old file, whole, and no error here could change that.
    _ = File::open(directory(path)).and_then(|directory| directory.sync_all());
    Ok(())
}

impl ModuleStore for FileStore {
    async fn names(&self, kind: Kind) -> Result<Vec<String>, StoreError> {
        Ok(self.kept.names(kind).to_vec())
    }

    async fn square(&self) -> Result<Square, StoreError> {
        Ok(self.kept.square)
    }

    async fn in_race(&self) -> Result<bool, StoreError> {
        Ok(self.kept.in_race)
    }

    async fn change(&mut self, change: &Change, receipt: Option<&Receipt>) -> Result<(), StoreError> {
        let (mut kept, mut receipts) = (self.kept.clone(), self.receipts.clone());
        kept.apply(change);
        receipts.extend(receipt.cloned());
        self.write(&kept, &receipts)?;
        (self.kept, self.receipts) = (kept, receipts);
        Ok(())
    }

    fn receipts(&self) -> Vec<Receipt> {
        self.receipts.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_store() {
        let whole =
            r#"{"version":1,"square":4,"in_race":true,"engine":["a"],"pilot":[],"weapon":[],"receipts":[]}"#;
        assert!(parse(whole.as_bytes()).is_ok());
        for (from, to, reason) in [
            (whole, "", "EOF while parsing"),
            (whole, "[]", "invalid length 0"),
            ("\"receipts\":[]}", "", "EOF while parsing"),
            ("}", "} x", "trailing characters"),
            (":1,", ":2,", "version 2, and this car knows version 1"),
            ("\"square\":4,", "", "missing field `square`"),
            ("\"square\":4", "\"square\":-4", "invalid value"),
            ("\"square\":4", "\"x\":0,\"square\":4", "unknown field `x`"),
            ("[\"a\"]", "[\"a\",\"b\",\"a\"]", "the engine \"a\" is there twice"),
        ] {
            let damaged = whole.replacen(from, to, 1);
            let error = parse(damaged.as_bytes()).expect_err(&damaged);
            assert!(error.contains(reason), "{damaged}: {error}");
        }
    }
}

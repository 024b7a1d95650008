//! The tail of a race: what was answered for the decision that is being made, in a file that is only appended to.
//!
//! ```text
//! DIR/tail-1.jsonl    answers of the decision that is being made      one write each, nobody waits for a disk
//! DIR/gm.db           all that was decided, with its answers          one transaction for each decision, synced
//! ```
//!
//! A line that was written survives the death of the process, however that dies: it is the operating system's by then.
//! What a power loss takes of the tail is asked again, with the same ids. When the decision is committed, its exchanges
//! move into the database with its events, in one transaction, and the tail is begun anew.
//!
//! Each line has a checksum. The record is a prefix of what happened, so it ends where the first line is not whole.

use super::error::JournalError;
use super::row::ExchangeRow;
use super::writer::Trouble;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many hexadecimal digits of a line's SHA-256 stand before it: against accidents, not against malice.
const CHECKSUM: usize = 16;
/// The longest line that is read, in bytes: a body of 64 KiB in hexadecimal, and room for the rest.
const LONGEST_LINE: u64 = 1024 * 1024;

/// A line of a tail.
#[derive(Serialize, Deserialize)]
struct Line<R> {
    decision: i64,
    exchange: R,
}

/// The tails of the races that are played here.
#[derive(Default)]
pub(super) struct Tails(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    tails: BTreeMap<i64, Tail>,
    trouble: Option<Trouble>,
}

struct Tail {
    file: File,
    decision: i64,
    /// How much of the file is whole lines.
    length: u64,
    rows: Arc<Vec<ExchangeRow>>,
}

/// The file of a race's tail.
pub(super) fn path(directory: &Path, race: i64) -> PathBuf {
    directory.join(format!("tail-{race}.jsonl"))
}

impl Inside {
    fn refuse_in_trouble(&self) -> Result<(), JournalError> {
        match self.trouble {
            Some(Trouble::DiskFull) => Err(failed(io::ErrorKind::StorageFull.into())),
            Some(Trouble::ReadOnly) => Err(failed(io::ErrorKind::ReadOnlyFilesystem.into())),
            Some(Trouble::None) | None => Ok(()),
        }
    }
}

impl Tails {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A decision begins: what is in the tail belongs to one that is committed, or to a race that is gone.
    ///
    /// # Errors
    /// [`JournalError`] if the tail can't be begun.
    pub(super) fn begin(&self, directory: &Path, race: i64, decision: i64) -> Result<(), JournalError> {
        let mut inside = self.lock();
        inside.refuse_in_trouble()?;
        let mut tail = match inside.tails.remove(&race) {
            Some(tail) => tail,
            None => Tail::open(&path(directory, race), decision).map_err(failed)?,
        };
        tail.file.set_len(0).and_then(|()| tail.file.seek(SeekFrom::Start(0))).map_err(failed)?;
        let tail = Tail { decision, length: 0, rows: Arc::default(), ..tail };
        inside.tails.insert(race, tail);
        Ok(())
    }

    /// Appends an exchange of a decision. When this returns it survives the death of the process.
    ///
    /// # Errors
    /// [`JournalError`]; the exchange is not in the tail then.
    pub(super) fn keep(
        &self,
        directory: &Path,
        race: i64,
        decision: i64,
        row: ExchangeRow,
    ) -> Result<(), JournalError> {
        let text = serde_json::to_string(&Line { decision, exchange: &row })
            .map_err(io::Error::from)
            .map_err(failed)?;
        let line = sealed(&text);
        let mut inside = self.lock();
        inside.refuse_in_trouble()?;
        let tail = match inside.tails.get_mut(&race) {
            Some(tail) if tail.decision == decision => tail,
            _ => {
                let tail = Tail::open(&path(directory, race), decision).map_err(failed)?;
                inside.tails.entry(race).insert_entry(tail).into_mut()
            }
        };
        if let Err(error) = tail.file.write_all(line.as_bytes()) {
            // What was written of the line goes; if even that fails, the checksum shows it.
            let _ =
                tail.file.set_len(tail.length).and_then(|()| tail.file.seek(SeekFrom::Start(tail.length)));
            return Err(failed(error));
        }
        tail.length += line.len() as u64;
        Arc::make_mut(&mut tail.rows).push(row);
        Ok(())
    }

    /// What is in the tail for a decision, in the order in which it was kept.
    ///
    /// # Errors
    /// [`JournalError`] if it can't be read.
    pub(super) fn rows(
        &self,
        directory: &Path,
        race: i64,
        decision: i64,
    ) -> Result<Arc<Vec<ExchangeRow>>, JournalError> {
        if let Some(tail) = self.lock().tails.get(&race).filter(|tail| tail.decision == decision) {
            return Ok(Arc::clone(&tail.rows));
        }
        match File::open(path(directory, race)) {
            Ok(file) => read(&file, decision).map(|(rows, _)| Arc::new(rows)).map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Arc::default()),
            Err(error) => Err(failed(error)),
        }
    }

    /// A race is gone: its tail too.
    pub(super) fn forget(&self, directory: &Path, race: i64) {
        self.lock().tails.remove(&race);
        // An orphan does no harm: the next race of this number begins it anew.
        let _ = std::fs::remove_file(path(directory, race));
    }

    /// Lets the next exchanges fail to be kept, or not: for tests.
    pub(super) fn pretend(&self, trouble: Trouble) {
        self.lock().trouble = Some(trouble);
    }
}

impl Tail {
    /// Opens the tail of a decision: what is in it of this decision stays, and all else goes.
    fn open(path: &Path, decision: i64) -> io::Result<Tail> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let (rows, length) = read(&file, decision)?;
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Tail { file, decision, length, rows: Arc::new(rows) })
    }
}

/// The whole lines of a decision, and how long they are together. Where the first line belongs to another decision, the
/// tail is that one's, and of this one nothing is there yet.
fn read(file: &File, decision: i64) -> io::Result<(Vec<ExchangeRow>, u64)> {
    let mut input = BufReader::new(file);
    input.seek(SeekFrom::Start(0))?;
    let (mut rows, mut length, mut line) = (Vec::new(), 0, Vec::new());
    loop {
        line.clear();
        let read = io::Read::take(&mut input, LONGEST_LINE).read_until(b'\n', &mut line)?;
        match whole(&line) {
            Some(Line { decision: of, exchange }) if of == decision => rows.push(exchange),
            _ => return Ok((rows, length)),
        }
        length += read as u64;
    }
}

/// A line with its checksum.
#[doc(hidden)]
#[must_use]
pub fn sealed(text: &str) -> String {
    format!("{} {text}\n", checksum(text))
}

/// The line, if it is a whole one.
fn whole(line: &[u8]) -> Option<Line<ExchangeRow>> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (sum, text) = line.split_once(' ')?;
    if sum != checksum(text) {
        return None;
    }
    serde_json::from_str(text).ok()
}

fn checksum(text: &str) -> String {
    let mut sum = hex::encode(Sha256::digest(text));
    sum.truncate(CHECKSUM);
    sum
}

fn failed(error: io::Error) -> JournalError {
    let kind = error.kind();
    let error = Arc::new(sqlx::Error::Io(error));
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            JournalError::Full(error)
        }
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => JournalError::ReadOnly(error),
        _ => JournalError::Database(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(number: i64) -> ExchangeRow {
        ExchangeRow {
            turn: 1,
            chain: "t1-track-c1".to_owned(),
            port: "car".to_owned(),
            number,
            team: Some(1),
            car: None,
            request: "GET http://car/state".to_owned(),
            outcome: "answer".to_owned(),
            status: Some(200),
            content_type: Some("json".to_owned()),
            body: Some(vec![0xff, b'\n', b'"']),
            deviations: None,
            latency_us: 5,
            at: 7,
        }
    }

    fn kept(directory: &Path, decision: i64) -> usize {
        Tails::default().rows(directory, 1, decision).expect("readable").len()
    }

    /// What was kept is there for the next process, which goes on behind it; another decision begins anew.
    #[test]
    fn what_was_kept_is_there() {
        let place = tempfile::tempdir().expect("a directory");
        assert_eq!(kept(place.path(), 2), 0, "no file yet");
        let tails = Tails::default();
        for number in 1..=3 {
            tails.keep(place.path(), 1, 2, row(number)).expect("kept");
        }
        drop(tails);
        let tails = Tails::default();
        tails.keep(place.path(), 1, 2, row(4)).expect("kept");
        let rows = Tails::default().rows(place.path(), 1, 2).expect("readable");
        assert_eq!(*rows, (1..=4).map(row).collect::<Vec<_>>());
        assert_eq!(tails.rows(place.path(), 1, 2).expect("readable"), rows);
        assert_eq!(kept(place.path(), 3), 0, "of another decision");
        tails.keep(place.path(), 1, 3, row(1)).expect("kept");
        assert_eq!((kept(place.path(), 2), kept(place.path(), 3)), (0, 1));
        tails.forget(place.path(), 1);
        assert!(!path(place.path(), 1).exists());
    }

    /// A tail that is cut anywhere, or of which any byte is changed, is a prefix of what it was, and goes on from there.
    #[test]
    fn a_tail_that_is_not_whole() {
        let place = tempfile::tempdir().expect("a directory");
        let tails = Tails::default();
        for number in 1..=3 {
            tails.keep(place.path(), 1, 2, row(number)).expect("kept");
        }
        drop(tails);
        let file = path(place.path(), 1);
        let whole = std::fs::read(&file).expect("a file");
        let line = whole.len() / 3;
        let check = |bytes: &[u8], at: usize| {
            std::fs::write(&file, bytes).expect("written");
            let before = at / line;
            let rows = Tails::default().rows(place.path(), 1, 2).expect("readable");
            assert_eq!(*rows, (1..=before as i64).map(row).collect::<Vec<_>>(), "at {at}");
            let tails = Tails::default();
            tails.keep(place.path(), 1, 2, row(9)).expect("kept");
            assert_eq!(kept(place.path(), 2), before + 1, "at {at}");
        };
        for at in 0..whole.len() {
            check(&whole[..at], at);
            let mut changed = whole.clone();
            changed[at] ^= 1;
            check(&changed, at);
        }
    }
}

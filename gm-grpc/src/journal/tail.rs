//! The tail of a race: what was answered for the decision that is being made, in a file that is only appended to.
//!
//! ```text
//! DIR/tail-1.jsonl    answers of the decision that is being made      one write each, nobody waits for a disk
//! DIR/gm.db           all that was decided, with its answers          one transaction for each decision, synced
//! ```
//!
//! A line that was written survives the death of the process, however that dies: it is the operating system's by then.
//! What a power loss takes of the tail is asked again, with the same ids. When the decision is committed, its exchanges
//! move into the database with its events, in one transaction; the next decision begins the tail anew.
//!
//! Each line has a checksum. The record is a prefix of what happened, so it ends where the first line is not whole. A
//! line that is whole and can't be read is another matter: another gm wrote it, and nobody may pass it over.

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
/// The longest line, in bytes: a body has 64 KiB, twice as much in hexadecimal; what an inspector reads can be long.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;
/// The format of the lines.
const FORMAT: u32 = 1;

/// A line of a tail.
#[derive(Serialize, Deserialize)]
struct Line<R> {
    format: u32,
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
    rows: Arc<Vec<ExchangeRow>>,
}

/// The file of a race's tail.
pub(super) fn path(directory: &Path, race: i64) -> PathBuf {
    directory.join(format!("tail-{race}.jsonl"))
}

impl Inside {
    fn refuse_in_trouble(&self) -> Result<(), JournalError> {
        match self.trouble {
            Some(Trouble::DiskFull | Trouble::TailFull) => Err(failed(io::ErrorKind::StorageFull.into())),
            Some(Trouble::ReadOnly) => Err(failed(io::ErrorKind::ReadOnlyFilesystem.into())),
            Some(Trouble::DatabaseReadOnly | Trouble::None) | None => Ok(()),
        }
    }
}

impl Tails {
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A decision begins: whatever is in the tail is not its own.
    ///
    /// # Errors
    /// [`JournalError`] if the tail can't be begun.
    pub(super) fn begin(&self, directory: &Path, race: i64, decision: i64) -> Result<(), JournalError> {
        let mut inside = self.lock();
        inside.refuse_in_trouble()?;
        inside.tails.remove(&race);
        let file = open(&path(directory, race)).map_err(failed)?;
        file.set_len(0).map_err(failed)?;
        inside.tails.insert(race, Tail { file, decision, rows: Arc::default() });
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
        let text = serde_json::to_string(&Line { format: FORMAT, decision, exchange: &row })
            .map_err(io::Error::from)
            .map_err(failed)?;
        let line = sealed(&text);
        if line.len() as u64 > LONGEST_LINE {
            return Err(failed(io::Error::other("an exchange is too long to be kept")));
        }
        let mut inside = self.lock();
        inside.refuse_in_trouble()?;
        let tail = match inside.tails.get_mut(&race) {
            Some(tail) if tail.decision == decision => tail,
            _ => {
                let tail = Tail::open(&path(directory, race), decision)?;
                inside.tails.entry(race).insert_entry(tail).into_mut()
            }
        };
        if let Err(error) = tail.file.write_all(line.as_bytes()) {
            // Something of the line may be there. Who opens the tail again cuts it off before anything is put behind it.
            inside.tails.remove(&race);
            return Err(failed(error));
        }
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
            Ok(file) => read(&file, &path(directory, race), decision).map(|(rows, _)| Arc::new(rows)),
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

/// Opens the file of a tail, and makes it if it is not there; nobody else can look into it.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Tail {
    /// Opens the tail of a decision: what is in it of this decision stays, and all else goes.
    fn open(path: &Path, decision: i64) -> Result<Tail, JournalError> {
        let file = open(path).map_err(failed)?;
        let (rows, length) = read(&file, path, decision)?;
        file.set_len(length).map_err(failed)?;
        Ok(Tail { file, decision, rows: Arc::new(rows) })
    }
}

/// The whole lines of a decision, and how long they are together. Where the first line belongs to another decision, the
/// tail is that one's, and of this one nothing is there yet.
fn read(file: &File, path: &Path, decision: i64) -> Result<(Vec<ExchangeRow>, u64), JournalError> {
    let mut input = BufReader::new(file);
    input.seek(SeekFrom::Start(0)).map_err(failed)?;
    let (mut rows, mut length, mut line) = (Vec::new(), 0, Vec::new());
    loop {
        line.clear();
        let read = io::Read::take(&mut input, LONGEST_LINE).read_until(b'\n', &mut line).map_err(failed)?;
        let Some(text) = whole(&line) else { return Ok((rows, length)) };
        match serde_json::from_str::<Line<ExchangeRow>>(text) {
            Ok(Line { format: FORMAT, decision: of, exchange }) if of == decision => rows.push(exchange),
            Ok(Line { format: FORMAT, .. }) => return Ok((rows, length)),
            Ok(_) | Err(_) => {
                return Err(JournalError::Damaged {
                    file: path.to_owned(),
                    because: format!("line {} is not in a format that this gm knows", rows.len() + 1),
                    remedy: "Finish the decision with the gm that began it".to_owned(),
                });
            }
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

/// What is in a line, if it is a whole one.
fn whole(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line.strip_suffix(b"\n")?).ok()?;
    let (sum, text) = line.split_once(' ')?;
    (sum == checksum(text)).then_some(text)
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

    /// A line that is whole, but of a format to come, or of none, is not passed over as if it were torn.
    #[test]
    fn a_line_of_another_gm() {
        let place = tempfile::tempdir().expect("a directory");
        Tails::default().keep(place.path(), 1, 2, row(1)).expect("kept");
        let file = path(place.path(), 1);
        let first = std::fs::read_to_string(&file).expect("a file");
        let text = first.trim_end().split_once(' ').expect("a checksum").1;
        for other in [
            text.replace(r#""format":1"#, r#""format":2"#),
            text.replace(r#""turn""#, r#""tour""#),
            "{}".into(),
        ] {
            let tail = format!("{first}{}", sealed(&other));
            std::fs::write(&file, &tail).expect("written");
            let tails = Tails::default();
            for error in [tails.rows(place.path(), 1, 2).err(), tails.keep(place.path(), 1, 2, row(2)).err()]
            {
                let said = error.expect("refused").to_string();
                assert!(said.contains("line 2 is not in a format that this gm knows"), "{other}: {said}");
            }
            assert_eq!(std::fs::read_to_string(&file).expect("a file"), tail, "nothing is cut off");
        }
        // A decision that begins asks nobody what was there before.
        Tails::default().begin(place.path(), 1, 3).expect("begun");
        assert_eq!(kept(place.path(), 3), 0);
    }

    /// The format is pinned: a race that is interrupted goes on with the next gm.
    #[test]
    fn the_format_of_a_line() {
        let place = tempfile::tempdir().expect("a directory");
        Tails::default().keep(place.path(), 1, 2, row(1)).expect("kept");
        let line = std::fs::read_to_string(path(place.path(), 1)).expect("a file");
        let text = concat!(
            r#"{"format":1,"decision":2,"exchange":{"turn":1,"chain":"t1-track-c1","port":"car","number":1,"team":1,"#,
            r#""car":null,"request":"GET http://car/state","outcome":"answer","status":200,"content_type":"json","#,
            r#""body":"ff0a22","deviations":null,"latency_us":5,"at":7}}"#
        );
        assert_eq!(line.split_once(' ').expect("a checksum").1, format!("{text}\n"));
        assert_eq!(line.len(), CHECKSUM + 1 + text.len() + 1);
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

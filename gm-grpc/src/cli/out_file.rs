//! The file of `--out`, to which every event of a race is written, from its first.

use super::Failure;
use crate::journal::Numbered;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file to which every event is written.
pub(super) struct OutFile {
    path: PathBuf,
    file: BufWriter<File>,
    is_new: bool,
}

impl OutFile {
    /// Opens the file, so that one that can't be written is known before anything is started. What is in it stays
    /// until the race [begins](OutFile::begin).
    pub(super) fn open(path: &Path) -> Result<OutFile, Failure> {
        let failure = |error| OutFile::failure(path, &error);
        let is_new = !path.exists();
        let file = OpenOptions::new().append(true).create(true).open(path).map_err(failure)?;
        Ok(OutFile { path: path.to_owned(), file: BufWriter::new(file), is_new })
    }

    /// The race begins: what was in the file is replaced by it.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        // Not everything that can be written to can be cut off: a terminal, a pipe.
        match self.file.get_ref().metadata() {
            Ok(data) if !data.is_file() => Ok(()),
            _ => self.file.get_ref().set_len(0).map_err(|error| OutFile::failure(&self.path, &error)),
        }
    }

    /// There is no race: leaves everything as it was.
    pub(super) fn give_up(self) {
        if self.is_new {
            // That an empty file stays behind is no harm that could be told better than what went wrong.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    pub(super) fn write(&mut self, events: &[Numbered]) -> Result<(), Failure> {
        let written = events.iter().try_for_each(|event| event.write_json(&mut self.file));
        written.and_then(|()| self.file.flush()).map_err(|error| OutFile::failure(&self.path, &error))
    }

    fn failure(path: &Path, error: &io::Error) -> Failure {
        Failure::because(format!("can't write {}: {error}", path.display()))
    }
}

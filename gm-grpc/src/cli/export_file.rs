//! The files that races are exported to: read from anywhere, and written so that a whole one is there or none.

use super::Failure;
use crate::export::ExportError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What stands for the standard input or output instead of a file.
const STANDARD: &str = "-";

/// Opens an export to be read; `-` is the standard input.
pub(super) fn read(path: &Path) -> Result<Box<dyn BufRead>, String> {
    if path == Path::new(STANDARD) {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(BufReader::new(file))),
        Err(error) => Err(format!("can't read {}: {error}", path.display())),
    }
}

/// The most characters of a message that quotes an export.
const MOST_SHOWN: usize = 20_000;

/// A message that quotes an export, so that nothing that somebody has written in it steers the terminal.
pub(super) fn printable(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    for (index, character) in message.chars().enumerate() {
        if index == MOST_SHOWN {
            shown.push('…');
            break;
        }
        match character {
            '\n' => shown.push('\n'),
            _ if character.is_control() => shown.extend(character.escape_default()),
            _ => shown.push(character),
        }
    }
    shown
}

/// Where an export goes.
pub(super) enum Destination {
    /// The standard output.
    Standard,
    /// Something that can't be replaced: a pipe, a device.
    Device(PathBuf, File),
    /// A file, which appears when it is whole.
    File(PathBuf, NamedTempFile),
}

impl Destination {
    /// Opens it, so that one that can't be written is known before anything is read; none: the standard output, unless
    /// that is a terminal.
    pub(super) fn open(out: Option<&Path>) -> Result<Destination, Failure> {
        let Some(path) = out else {
            if io::stdout().is_terminal() {
                return Err(Failure::because(
                    "an export is a file for programs: name it with --out FILE, or see it here with --out -",
                ));
            }
            return Ok(Destination::Standard);
        };
        if path == Path::new(STANDARD) {
            return Ok(Destination::Standard);
        }
        let failure = |error| cannot_write(path, &error);
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                Err(failure(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")))
            }
            Ok(found) if !found.is_file() => {
                let device = OpenOptions::new().write(true).open(path).map_err(failure)?;
                Ok(Destination::Device(path.to_owned(), device))
            }
            // What a link leads to is replaced, and not the link.
            Ok(_) => Destination::replace(path, fs::canonicalize(path).map_err(failure)?),
            Err(_) => Destination::replace(path, path.to_owned()),
        }
    }

    fn replace(named: &Path, path: PathBuf) -> Result<Destination, Failure> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut file = tempfile::Builder::new();
        file.prefix(".gm-export-");
        // There are no secrets in it: who may read it, the user's own setting says.
        #[cfg(unix)]
        file.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = file.tempfile_in(folder).map_err(|error| {
            // It names the temporary file, which nobody has asked for.
            cannot_write(named, &io::Error::from(error.kind()))
        })?;
        Ok(Destination::File(path, file))
    }

    /// What is to be written to.
    pub(super) fn writer(&self) -> BufWriter<Box<dyn Write + '_>> {
        BufWriter::new(match self {
            Destination::Standard => Box::new(io::stdout()),
            Destination::Device(_, file) => Box::new(file),
            Destination::File(_, file) => Box::new(file.as_file()),
        })
    }

    /// All of it was written: it appears under its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Destination::Standard | Destination::Device(..) => Ok(()),
            Destination::File(path, file) => {
                let failure = |error| cannot_write(&path, &error);
                file.as_file().sync_all().map_err(failure)?;
                file.persist(&path).map(drop).map_err(|error| failure(error.error))
            }
        }
    }

    /// Why an export could not be written there.
    pub(super) fn failure(&self, error: ExportError) -> Failure {
        match (error, self) {
            (ExportError::Write(error), Destination::Standard) => Failure::from(error),
            (ExportError::Write(error), Destination::Device(path, _) | Destination::File(path, _)) => {
                cannot_write(path, &error)
            }
            (error, _) => Failure::because(error.to_string()),
        }
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::because(format!("can't write {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_steers_no_terminal() {
        let long = "é".repeat(MOST_SHOWN + 1);
        for (message, expected) in [
            ("event 1 differs\n  recorded: é 🏁", "event 1 differs\n  recorded: é 🏁"),
            ("\u{1b}[2J\r\u{9b}31m\u{7f}", "\\u{1b}[2J\\r\\u{9b}31m\\u{7f}"),
            (&long, &format!("{}…", &long[..long.len() - 2])),
        ] {
            assert_eq!(printable(message), expected);
        }
    }
}

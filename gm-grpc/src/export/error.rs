//! Why an export can't be read or written: one list for all of `export/`.

use std::io;

/// Why an export can't be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The file is something else.
    #[error(
        "this is not the export of a race: {because}. `gm race export` makes one: a text file whose first line begins \
         with {{\"record\":\"race\""
    )]
    NotAnExport {
        /// What was seen instead.
        because: &'static str,
    },
    /// A newer program has made it.
    #[error(
        "this export was made by a newer gm (it has format {found}, and this gm knows formats up to {known}): use that gm"
    )]
    NewerFormat {
        /// Its format.
        found: u64,
        /// The newest that this program knows.
        known: u32,
    },
    /// The chain of hashes does not fit.
    #[error("line {line} {what}. Use a copy that is as it was made, or export the race again")]
    Tampered {
        /// The first line, from 1, that does not follow from those before it.
        line: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The end is missing.
    #[error(
        "the export is cut off after line {line}: its end is missing. Copy it once more, or export the race again"
    )]
    Cut {
        /// The last line, from 1, that is there as a whole; 0: there is none.
        line: u64,
    },
    /// The chain fits, but the record is none: a broken program has written it.
    #[error(
        "line {line} is as it was written, but can't be read: {because}. The program that wrote this export is broken: \
         export the race with another version of gm"
    )]
    BadRecord {
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        because: String,
    },
    /// The race is not what the journal holds: nothing that reads it would take it.
    #[error(
        "the race can't be exported: {because}. Its journal is damaged: export it from a copy of the data directory"
    )]
    Unwritable {
        /// What is wrong with it.
        because: String,
    },
    /// The file can't be read.
    #[error("the export can't be read: {0}")]
    Read(#[source] io::Error),
    /// The file can't be written.
    #[error("the export can't be written: {0}. What is there of it is no export: remove it")]
    Write(#[source] io::Error),
}

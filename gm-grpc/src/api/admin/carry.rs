//! Races are carried away as exports, and taken in from elsewhere.
//!
//! Both go by a file in the data directory that nobody sees: an export is read by its client at his own speed, and an
//! import, which holds up every other write while it is taken in, is there as a whole before it begins.

use super::Admin;
use super::races::{LONGEST_TITLE, named};
use crate::api::auth::Caller;
use crate::api::error::ApiError;
use crate::api::field::Fields;
use crate::api::malformed;
use crate::api::once::{Made, RequestId};
use crate::api::stream::Told;
use crate::api::{the_race, wire};
use crate::export::{self, ExportError, ImportError, VerifyError};
use crate::journal::Call;
use futures_util::stream::unfold;
use gm_core::race::command::is_name;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, Write as _};
use std::path::Path;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tonic::{Code, Streaming};

/// How much of an export is sent at a time, in bytes.
const CHUNK: usize = 64 * 1024;
/// The most bytes of one chunk of an import.
const MOST_CHUNK: usize = 1024 * 1024;
/// The most bytes of an import.
const MOST_IMPORT: u64 = 4 * 1024 * 1024 * 1024;

impl Admin {
    pub(super) async fn export_race(
        &self,
        caller: Caller,
        request: wire::ExportRaceRequest,
    ) -> Result<Told<wire::ExportRaceResponse>, ApiError> {
        let race = the_race(&request.race_id)?;
        let journal = self.api.journal();
        let mut file = spool(journal.directory())?;
        export::from_journal(journal, &race, BufWriter::new(&mut file)).await?;
        file.rewind().map_err(|error| ApiError::internal(&error))?;
        let chunks = unfold(Some(file), |file| async {
            let (chunk, file) = read_chunk(file?).await;
            match chunk {
                Ok(chunk) if chunk.is_empty() => None,
                Ok(chunk) => Some((Ok(wire::ExportRaceResponse { chunk }), file)),
                Err(error) => Some((Err(ApiError::internal(&error)), None)),
            }
        });
        Ok(self.api.ending(caller, "ExportRace", chunks))
    }

    pub(super) async fn import_race(
        &self,
        mut request: Streaming<wire::ImportRaceRequest>,
    ) -> Result<wire::ImportRaceResponse, ApiError> {
        let mut file = BufWriter::new(spool(self.api.journal().directory())?);
        let mut hash = Sha256::new();
        let mut id = None;
        let mut bytes: u64 = 0;
        while let Some(wire::ImportRaceRequest { request_id, chunk }) =
            request.message().await.map_err(broken)?
        {
            let mut fields = Fields::default();
            if id.is_none() {
                id = Some(fields_of_first(&request_id, fields)?);
                fields = Fields::default();
            }
            if chunk.len() > MOST_CHUNK {
                fields.wrong("chunk", format!("must have at most {MOST_CHUNK} bytes: send several"));
            }
            bytes += chunk.len() as u64;
            if bytes > MOST_IMPORT {
                fields.wrong("chunk", format!("the import must have at most {MOST_IMPORT} bytes in all"));
            }
            fields.finish(Some(()))?;
            hash.update(&chunk);
            // The file system's cache takes a chunk at once; a full disk is told here.
            file.write_all(&chunk).map_err(|error| unwritten(&error))?;
        }
        let Some(id) = id else { return Err(ApiError::field("chunk", "there is nothing in this import")) };
        let mut file = file.into_inner().map_err(|error| unwritten(error.error()))?;
        file.rewind().map_err(|error| ApiError::internal(&error))?;

        // What names the request is what was uploaded, in however many chunks; what it makes is named in the upload.
        let content = wire::ImportRaceRequest { request_id: String::new(), chunk: hash.finalize().to_vec() };
        let race = export::Reader::new(BufReader::new(&mut file))?;
        if !is_name(&race.race().name, LONGEST_TITLE) {
            let words = "the race's title must have 1 to 100 characters, none of them a control character";
            return Err(ApiError::new(Code::InvalidArgument, "NO_EXPORT", words));
        }
        let race = race.race().id.clone();
        file.rewind().map_err(|error| ApiError::internal(&error))?;
        let answer = race.as_str().as_bytes().to_vec();
        let made =
            self.api.once("ImportRace", &id, &content, answer, async |call| self.take_in(file, call).await);
        let race = match made.await? {
            Made::Now(()) => race,
            Made::Before(race) => named(race)?,
        };
        Ok(wire::ImportRaceResponse { race: Some(self.race(&race).await?.0) })
    }

    /// Takes in a whole file, on a thread of its own: it is read and verified without a pause.
    async fn take_in(&self, file: File, call: Call) -> Result<(), ApiError> {
        let (journal, here) = (self.api.journal().clone(), Handle::current());
        let work = move || here.block_on(export::into_journal(BufReader::new(file), &journal, Some(call)));
        let imported = spawn_blocking(work).await.map_err(|error| ApiError::internal(&error))?;
        imported.map(drop).map_err(ApiError::from)
    }
}

fn fields_of_first(request_id: &str, mut fields: Fields) -> Result<RequestId, ApiError> {
    let id = RequestId::of_admin(request_id, &mut fields);
    fields.finish(id)
}

/// A file in the data directory that has no name, and is gone when it is closed.
fn spool(directory: &Path) -> Result<File, ApiError> {
    tempfile::tempfile_in(directory).map_err(|error| unwritten(&error))
}

async fn read_chunk(file: File) -> (io::Result<Vec<u8>>, Option<File>) {
    let read = spawn_blocking(move || {
        let mut chunk = Vec::with_capacity(CHUNK);
        let read = (&file).take(CHUNK as u64).read_to_end(&mut chunk).map(|_| chunk);
        (read, Some(file))
    });
    read.await.unwrap_or_else(|error| (Err(io::Error::other(error)), None))
}

/// The upload broke off, or a message of it can't be read: gRPC has said why.
fn broken(status: tonic::Status) -> ApiError {
    malformed::of(&status)
        .unwrap_or_else(|| ApiError::new(status.code(), "UPLOAD_BROKEN", status.message().to_owned()))
}

fn unwritten(error: &io::Error) -> ApiError {
    tracing::error!(error = error as &dyn std::error::Error, "a file in the data directory can't be written");
    ApiError::new(
        Code::Unavailable,
        "JOURNAL_NOT_WRITTEN",
        "the data directory can't be written: the organiser is to look at the disk; nothing was changed",
    )
}

/// What is wrong with the file that somebody wants to be taken in, or with the one that an export goes by.
impl From<ExportError> for ApiError {
    fn from(error: ExportError) -> ApiError {
        let words = error.to_string();
        match error {
            ExportError::NotAnExport { .. } | ExportError::NewerFormat { .. } => {
                ApiError::new(Code::InvalidArgument, "NO_EXPORT", words)
            }
            ExportError::Tampered { line, .. }
            | ExportError::Cut { line }
            | ExportError::BadRecord { line, .. } => {
                ApiError::new(Code::DataLoss, "EXPORT_DAMAGED", words).with("line", line)
            }
            ExportError::Journal(error) => error.into(),
            ExportError::Write(error) => unwritten(&error),
            ExportError::Unwritable { .. } | ExportError::Read(_) => ApiError::internal(&error),
        }
    }
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> ApiError {
        let words = error.to_string();
        match error {
            ImportError::Journal(error) => error.into(),
            ImportError::Verify(VerifyError::NotRead(error) | VerifyError::Tampered(error)) => error.into(),
            ImportError::Verify(VerifyError::OtherRevision { revision, ours, .. }) => {
                ApiError::new(Code::FailedPrecondition, "OTHER_REVISION", words)
                    .with("revision", revision)
                    .with("our_revision", ours)
            }
            ImportError::Verify(_) => ApiError::new(Code::DataLoss, "RACE_NOT_VERIFIED", words),
        }
    }
}

//! `gm race export` and `gm race import` by way of the server: a race as a file, streamed.
//!
//! ```text
//! gm race export friday --out friday.jsonl
//! gm race import friday.jsonl --server https://archive.example
//! ```

use super::connection::{Once, Server, call};
use super::shown::cell;
use super::which::NamedRace;
use crate::api::wire;
use crate::cli::Failure;
use crate::cli::export_file::{self, Destination};
use crate::export::ExportError;
use futures_util::stream::unfold;
use std::io::{BufRead as _, Write as _};
use std::path::Path;
use tokio::sync::mpsc;

/// Chunks of a file that are read and wait to be sent.
const CHUNKS: usize = 4;
/// The most bytes in a chunk.
const LARGEST_CHUNK: usize = 64 * 1024;

/// Writes a race of the server to a file.
pub(in crate::cli) async fn export(
    server: &Server,
    race: &NamedRace,
    out: Option<&Path>,
) -> Result<(), Failure> {
    let line = server.line()?;
    let race_id = race.find(&line).await?;
    let destination = Destination::open(out)?;
    let mut chunks = call!(line, admin.export_race(wire::ExportRaceRequest { race_id: race_id.clone() }))?;
    let mut bytes = 0;
    let mut writer = destination.writer();
    let unwritten = |error| destination.failure(ExportError::Write(error));
    while let Some(answer) = chunks.message().await.map_err(|status| line.refused(&status))? {
        bytes += answer.chunk.len();
        writer.write_all(&answer.chunk).map_err(unwritten)?;
    }
    writer.flush().map_err(unwritten)?;
    drop(writer);
    destination.finish()?;
    if let Some(out) = out {
        eprintln!("gm: race {race_id} is in {}: {bytes} bytes", out.display());
    }
    Ok(())
}

/// Brings a file to the server. It is sent once: a file that is a pipe can't be read again.
pub(in crate::cli) async fn import(server: &Server, once: &Once, file: &Path) -> Result<(), Failure> {
    let line = server.line()?;
    let (chunks, sent) = mpsc::channel(CHUNKS);
    let (path, request_id) = (file.to_owned(), once.id());
    let sent = unfold(sent, |mut sent| async { sent.recv().await.map(|chunk| (chunk, sent)) });
    // Files are read where waiting holds up nobody.
    let reading = tokio::task::spawn_blocking(move || read(&path, &request_id, &chunks));
    let answer = line.admin().import_race(sent).await;
    // A file that breaks off is the reason for whatever the server says of it.
    reading.await.map_err(|_| Failure::because("reading the file has failed"))?.map_err(Failure::because)?;
    let answer = answer.map_err(|status| line.refused(&status))?.into_inner();
    line.show(&answer, |answer| {
        let race = answer.race.clone().unwrap_or_default();
        format!(
            "race {} {:?} is at {}, after turn {}",
            race.race_id,
            cell(&race.title),
            line.url(),
            race.turn
        )
    })
}

fn read(path: &Path, request_id: &str, chunks: &mpsc::Sender<wire::ImportRaceRequest>) -> Result<(), String> {
    let mut input = export_file::read(path)?;
    let mut is_first = true;
    loop {
        let bytes = input.fill_buf().map_err(|error| format!("can't read {}: {error}", path.display()))?;
        let bytes = &bytes[..bytes.len().min(LARGEST_CHUNK)];
        let taken = bytes.len();
        if taken == 0 && !is_first {
            return Ok(());
        }
        let request_id = if is_first { request_id.to_owned() } else { String::new() };
        let request = wire::ImportRaceRequest { request_id, chunk: bytes.to_vec() };
        // Who does not read any more has a reason, and says it.
        if chunks.blocking_send(request).is_err() {
            return Ok(());
        }
        is_first = false;
        input.consume(taken);
    }
}

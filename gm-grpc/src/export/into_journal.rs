//! Takes the export of a race into a journal, as a whole or not at all.
//!
//! ```text
//! let imported = export::into_journal(BufReader::new(file), &journal, None).await?;
//! ```
//!
//! Nothing gets into the journal that does not follow from the rules: the race is [verified](fn@super::verify) while it is
//! read. So one of another revision of the rules (R-10.5) is not taken: only the game master that played it can tell
//! whether it is one.

use super::verify::{Verifier, nothing_decided};
use super::{ExportedRace, Reader, Summary, VerifyError};
use crate::journal::{Call, ImportedRace, Journal, JournalError, RaceRecord};
use gm_core::race::Race;
use std::io::BufRead;

/// Why a race is not imported. Nothing of it is in the journal.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// It does not follow from the rules, or can't be read.
    #[error(transparent)]
    Verify(#[from] VerifyError),
    /// The journal does not take it.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The race.
    pub race: RaceRecord,
    /// What the export holds.
    pub summary: Summary,
}

/// Imports a race. A `call` is kept with it, in the transaction that makes it visible.
///
/// It reads and verifies without a pause, and nothing else is written to the journal meanwhile. So `input` is a file,
/// never what somebody uploads, and a server gives it a thread of its own:
///
/// ```text
/// let here = tokio::runtime::Handle::current();
/// spawn_blocking(move || here.block_on(into_journal(BufReader::new(file), &journal, Some(call)))).await
/// ```
///
/// # Errors
/// [`ImportError`]; nothing of it is in the journal then. A call that was made before is
/// [`JournalError::CallExists`].
pub async fn into_journal<R: BufRead>(
    input: R,
    journal: &Journal,
    call: Option<Call>,
) -> Result<Imported, ImportError> {
    let mut reader = Reader::new(input).map_err(VerifyError::of_reader)?;
    let mut verifier = Verifier::new(reader.race())?;
    let mut import = journal.import(imported(reader.race()), call).await?;
    let mut decisions = 0_u64;
    while let Some(decision) = reader.next_decision().map_err(VerifyError::of_reader)? {
        verifier.decision(&decision).await?;
        import.decision(decision.into()).await?;
        decisions += 1;
    }
    let summary = reader.summary().cloned().filter(|_| decisions > 0).ok_or_else(nothing_decided)?;
    let race = import.finish(verifier.race().is_some_and(Race::is_finished)).await?;
    Ok(Imported { race, summary })
}

fn imported(race: &ExportedRace) -> ImportedRace {
    let ExportedRace { id, name, created_at, gm, revision, seed, plan, pace, ran, .. } = race.clone();
    ImportedRace { id, name, created_at, gm, revision, seed, plan, pace, ran }
}

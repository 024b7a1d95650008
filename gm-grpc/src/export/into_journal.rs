//! Takes the export of a race into a journal, as a whole or not at all.
//!
//! ```text
//! let imported = export::into_journal(BufReader::new(file), &journal).await?;
//! ```
//!
//! Nothing gets into the journal that does not follow from the rules: the race is [verified](fn@super::verify) while it is
//! read. Only one of another revision of the rules (R-10.5) is taken at its word, once its hashes fit and its events
//! can be read.

use super::verify::{Verifier, nothing_decided};
use super::{ExportedDecision, ExportedRace, Reader, Summary, VerifyError};
use crate::journal::{ImportedRace, Journal, JournalError, RaceRecord, stored};
use gm_core::race::Event;
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
    /// Whether it was verified; if not, it was played under another revision of the rules (R-10.5).
    pub is_verified: bool,
}

/// Imports a race.
///
/// # Errors
/// [`ImportError`]; nothing of it is in the journal then.
pub async fn into_journal<R: BufRead>(input: R, journal: &Journal) -> Result<Imported, ImportError> {
    let mut reader = Reader::new(input).map_err(VerifyError::of_reader)?;
    let mut verifier = match Verifier::new(reader.race()) {
        Ok(verifier) => Some(verifier),
        Err(VerifyError::OtherRevision { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let mut import = journal.import(imported(reader.race())).await?;
    let (mut decisions, mut finished) = (0_u64, false);
    while let Some(decision) = reader.next_decision().map_err(VerifyError::of_reader)? {
        match &mut verifier {
            Some(verifier) => {
                verifier.decision(&decision).await?;
                finished = verifier.race().is_some_and(gm_core::race::Race::is_finished);
            }
            None => finished |= read(reader.race(), decisions == 0, &decision)?,
        }
        import.decision(decision.into()).await?;
        decisions += 1;
    }
    let summary = reader.summary().cloned().filter(|_| decisions > 0).ok_or_else(nothing_decided)?;
    let race = import.finish(finished).await?;
    Ok(Imported { race, summary, is_verified: verifier.is_some() })
}

/// Reads a decision of another revision, so that the journal can be read, too. Says whether the race is over with it.
fn read(race: &ExportedRace, is_first: bool, decision: &ExportedDecision) -> Result<bool, VerifyError> {
    let unreadable = |what: String, because: String| VerifyError::Unreadable { what, because };
    stored::read_arrivals(decision.format, &decision.arrivals).map_err(|error| {
        unreadable(format!("the commands of decision {}", decision.no), error.to_string())
    })?;
    let mut finished = false;
    for (index, stored) in decision.events.iter().enumerate() {
        let what = || format!("event {}", stored.seq);
        let event = stored::read_event(stored.format, &stored.body)
            .map_err(|error| unreadable(what(), error.to_string()))?;
        let creates = match &event {
            Event::RaceCreated { revision, seed, .. } => {
                if (*revision, *seed) != (race.revision, race.seed) {
                    let because = "its revision or seed is not that of the race".to_owned();
                    return Err(unreadable(what(), because));
                }
                true
            }
            _ => false,
        };
        if creates != (is_first && index == 0) {
            return Err(unreadable(
                what(),
                "a race begins with its creation, and is created once".to_owned(),
            ));
        }
        finished |= matches!(event, Event::RaceFinished { .. });
    }
    if is_first && decision.events.is_empty() { Err(nothing_decided()) } else { Ok(finished) }
}

fn imported(race: &ExportedRace) -> ImportedRace {
    let ExportedRace { id, name, created_at, gm, revision, seed, plan, pace, ran, .. } = race.clone();
    ImportedRace { id, name, created_at, gm, revision, seed, plan, pace, ran }
}

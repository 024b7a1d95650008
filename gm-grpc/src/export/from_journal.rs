//! Writes the export of a race of the journal, also while the race is being run.
//!
//! ```text
//! let journal = Journal::open_to_read(DataDirectory::look("gm-data".as_ref())?).await?;
//! let exported = export::from_journal(&journal, &id, BufWriter::new(file)).await?;
//! ```

use super::{ExportError, ExportedDecision, ExportedRace, Summary, Writer};
use crate::journal::{
    Committed, Completed, DecisionNo, Extent, Journal, JournalError, RaceId, RaceRecord, StoredEvent,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::io;

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The race.
    pub race: RaceRecord,
    /// What the export holds.
    pub summary: Summary,
    /// Whether a decision was being made, and so is not in it.
    pub is_open: bool,
}

/// Writes all that was decided in a race. What is decided while it writes stays out.
///
/// # Errors
/// [`ExportError`]; what was written until then is no export.
pub async fn from_journal<W: io::Write>(
    journal: &Journal,
    id: &RaceId,
    out: W,
) -> Result<Exported, ExportError> {
    let Extent { record, completed: last, is_open } = journal.extent(id).await?;
    let mut after = 0;
    let mut writer = None;
    let mut out = Some(out);
    for no in 1..=last.0 {
        let completed = match journal.completed(&record, DecisionNo(no), after).await {
            // It may have been forgotten in the meantime.
            Err(unreadable @ JournalError::Unreadable { .. }) => {
                journal.race(id).await?;
                return Err(unreadable.into());
            }
            completed => completed?,
        };
        after = completed.committed.last_seq;
        if let Some(out) = out.take() {
            let (format, rules) = rules(completed.events.first())?;
            writer = Some(Writer::new(out, &ExportedRace::of(&record, format, rules))?);
        }
        if let Some(writer) = &mut writer {
            writer.decision(&completed.into())?;
        }
    }
    let writer = writer.ok_or_else(|| unwritable("its first decision is missing"))?;
    Ok(Exported { race: record, summary: writer.finish()?, is_open })
}

/// The rules of a race as they are stored in its first event, with their format.
fn rules(first: Option<&StoredEvent>) -> Result<(u32, String), ExportError> {
    /// What is read of the first event, whatever else is in it.
    #[derive(Deserialize)]
    struct Created<'a> {
        #[serde(borrow)]
        rules: &'a RawValue,
    }
    let first = first.ok_or_else(|| unwritable("its first event is missing"))?;
    let created: Created<'_> = serde_json::from_str(&first.body)
        .map_err(|error| unwritable(&format!("its first event does not hold its rules: {error}")))?;
    Ok((first.format, created.rules.get().to_owned()))
}

fn unwritable(because: &str) -> ExportError {
    ExportError::Unwritable { because: because.to_owned() }
}

impl From<Completed> for ExportedDecision {
    fn from(decision: Completed) -> ExportedDecision {
        let Completed { no, kind, turn, format, arrivals, begun_at, committed, exchanges, events } = decision;
        let Committed { at: committed_at, last_seq, settled } = committed;
        ExportedDecision {
            no,
            kind,
            turn,
            format,
            arrivals,
            begun_at,
            committed_at,
            last_seq,
            settled,
            exchanges,
            events,
        }
    }
}

impl From<ExportedDecision> for Completed {
    fn from(decision: ExportedDecision) -> Completed {
        let ExportedDecision { no, kind, turn, format, arrivals, begun_at, .. } = decision;
        let ExportedDecision { committed_at, last_seq, settled, exchanges, events, .. } = decision;
        let committed = Committed { at: committed_at, last_seq, settled };
        Completed { no, kind, turn, format, arrivals, begun_at, committed, exchanges, events }
    }
}

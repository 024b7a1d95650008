//! Writes the export of a race, one decision at a time.
//!
//! ```text
//! let mut export = Writer::new(file, &race)?;
//! export.decision(&decision)?; …  let summary = export.finish()?;
//! ```

use super::chain::Chain;
use super::error::ExportError;
use super::format::{DecisionLine, EndLine, EventLine, ExchangeLine, RaceLine};
use super::sequence::Sequence;
use super::{ExportedDecision, ExportedRace, LARGEST_DECISION, LONGEST_LINE, Summary};
use crate::journal::Exchange;
use serde::Serialize;
use std::io;

/// Writes the export of a race. What was not [finished](Writer::finish) is no export, and its reader says so.
///
/// It writes whole lines, many of them short: `W` is best a [`BufWriter`](io::BufWriter).
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    chain: Chain,
    sequence: Sequence,
}

impl<W: io::Write> Writer<W> {
    /// Begins an export.
    ///
    /// # Errors
    /// [`ExportError::Write`] if `out` fails, [`ExportError::Unwritable`] if the race is not as its journal should have
    /// it.
    pub fn new(out: W, race: &ExportedRace) -> Result<Writer<W>, ExportError> {
        let mut writer = Writer { out, chain: Chain::begin(), sequence: Sequence::new(LARGEST_DECISION) };
        writer.line(&RaceLine::of(race).map_err(unwritable)?)?;
        Ok(writer)
    }

    /// Writes the next decision of the race, which was committed, with its exchanges and events.
    ///
    /// # Errors
    /// Those of [`new`](Writer::new). After one, the export is to be thrown away.
    pub fn decision(&mut self, decision: &ExportedDecision) -> Result<(), ExportError> {
        self.sequence.decision(decision.no).map_err(unwritable)?;
        self.line_of_decision(&DecisionLine::of(decision).map_err(unwritable)?)?;
        let mut exchanges: Vec<&Exchange> = decision.exchanges.iter().collect();
        exchanges.sort_by_key(|exchange| (&exchange.chain, exchange.port, exchange.number));
        for exchange in exchanges {
            self.sequence.exchange(exchange).map_err(unwritable)?;
            self.line_of_decision(&ExchangeLine::of(exchange))?;
        }
        for event in &decision.events {
            self.sequence.event(event).map_err(unwritable)?;
            self.line_of_decision(&EventLine::of(event).map_err(unwritable)?)?;
        }
        self.sequence.complete(decision.last_seq).map_err(unwritable)
    }

    /// Ends the export, and says what is in it. `out` is flushed, but nothing is synced to a disk.
    ///
    /// # Errors
    /// Those of [`new`](Writer::new).
    pub fn finish(mut self) -> Result<Summary, ExportError> {
        self.line(&EndLine::of(&self.sequence.summary(String::new())))?;
        self.out.flush().map_err(ExportError::Write)?;
        Ok(self.sequence.summary(self.chain.hash()))
    }

    fn line_of_decision(&mut self, record: &impl Serialize) -> Result<(), ExportError> {
        let bytes = self.line(record)?;
        self.sequence.line(bytes).map_err(unwritable)
    }

    /// Writes one line, and gives its length in bytes.
    fn line(&mut self, record: &impl Serialize) -> Result<usize, ExportError> {
        let mut line = serde_json::to_vec(record).map_err(|because| unwritable(because.to_string()))?;
        self.chain.seal(&mut line);
        if line.len() > LONGEST_LINE {
            return Err(unwritable("one of its records is longer than 64 MiB".to_owned()));
        }
        self.out.write_all(&line).map_err(ExportError::Write)?;
        Ok(line.len())
    }
}

fn unwritable(because: String) -> ExportError {
    ExportError::Unwritable { because }
}

#[cfg(test)]
mod tests {
    use super::super::tests::small_race;
    use super::*;

    #[test]
    fn no_decision_is_written_that_is_too_large_to_be_read() {
        let (race, decisions) = small_race();
        let mut writer = Writer::new(io::sink(), &race).unwrap();
        writer.sequence = Sequence::new(1000);
        writer.decision(&decisions[0]).unwrap();
        match writer.decision(&decisions[1]) {
            Err(ExportError::Unwritable { because }) => {
                assert_eq!(because, "decision 2 is larger than 1000 bytes")
            }
            other => panic!("{other:?}"),
        }
    }

    /// What a writer has in its buffer is in the file when the export is finished.
    #[test]
    fn the_end_is_flushed() {
        let (race, decisions) = small_race();
        let mut file = io::BufWriter::with_capacity(1 << 20, Vec::new());
        let mut writer = Writer::new(&mut file, &race).unwrap();
        for decision in &decisions {
            writer.decision(decision).unwrap();
        }
        writer.finish().unwrap();
        assert!(file.buffer().is_empty() && file.get_ref().ends_with(b"\"}\n"));
    }
}

//! Reads the export of a race, one decision at a time, and finds every byte in it that was changed.
//!
//! ```text
//! let mut export = Reader::new(file)?;  export.race();
//! while let Some(decision) = export.next_decision()? { … }  export.summary();
//! ```

use super::chain::{self, Chain};
use super::error::ExportError;
use super::format::{AnyLine, AnyRaceLine, DecisionLine, EndLine, EventLine, ExchangeLine, RaceLine, Record};
use super::sequence::Sequence;
use super::{ExportedDecision, ExportedRace, FORMAT, LARGEST_DECISION, LONGEST_LINE, Summary};
use serde::Deserialize;
use std::io::{BufRead, Read};

/// What an export begins with.
const BEGINNING: &[u8] = br#"{"record":"#;

/// What the first bytes of other files say.
const OTHERS: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "it is compressed (gzip): unpack it first"),
    (b"\x28\xb5\x2f\xfd", "it is compressed (zstd): unpack it first"),
    (b"\xff\xfe", "it is text in UTF-16, as > in PowerShell writes it: let gm write the file"),
    (b"SQLite format 3\0", "it is the database of a data directory"),
];

const CHANGED: &str = "was changed after the export was made, or a line before it is missing";
const TOO_LONG: &str = "was changed after the export was made: no line of an export is as long";
const LINE_ENDS: &str = "was changed after the export was made: a program has turned its line end into CR LF";
const BEHIND_THE_END: &str = "was added after the export was made: the line before it is the end";

/// Reads the export of a race.
///
/// A file is an export if it is the same, byte for byte, as it was written: its last line feed may not be missing
/// either. What is read is known to be unchanged up to there; that nothing is missing is known when
/// [`next_decision`](Reader::next_decision) has given none.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    race: ExportedRace,
    sequence: Sequence,
    summary: Option<Summary>,
}

impl<R: BufRead> Reader<R> {
    /// Begins to read an export, and reads of which race it is.
    ///
    /// # Errors
    /// [`ExportError::NotAnExport`] if the file is something else, [`ExportError::NewerFormat`] if a newer program has
    /// made it, [`ExportError::Tampered`] if its first line was changed, [`ExportError::Cut`] if it was cut in its
    /// first line, [`ExportError::BadRecord`] if a broken program has made it, [`ExportError::Read`] if `input` fails.
    pub fn new(input: R) -> Result<Reader<R>, ExportError> {
        let mut lines = Lines { input, chain: Chain::begin(), record: Vec::new(), bytes: 0, number: 0 };
        if !lines.next()? {
            return Err(ExportError::NotAnExport { because: "it is empty" });
        }
        let AnyLine { record } = lines.parse()?;
        if record != Record::Race {
            return Err(lines.bad(format!("{record} stands where the race belongs")));
        }
        let AnyRaceLine { export: found } = lines.parse()?;
        match found {
            0 => return Err(lines.bad("there is no format 0 of exports".to_owned())),
            _ if found > u64::from(FORMAT) => return Err(ExportError::NewerFormat { found, known: FORMAT }),
            _ => {}
        }
        let race = lines.parse::<RaceLine<'_>>()?.race().map_err(|because| lines.bad(because))?;
        Ok(Reader { lines, race, sequence: Sequence::new(LARGEST_DECISION), summary: None })
    }

    /// The race.
    #[must_use]
    pub fn race(&self) -> &ExportedRace {
        &self.race
    }

    /// What the export holds; none before [`next_decision`](Reader::next_decision) has given none.
    #[must_use]
    pub fn summary(&self) -> Option<&Summary> {
        self.summary.as_ref()
    }

    /// The next decision; none if it was the last one, and nothing is missing.
    ///
    /// # Errors
    /// [`ExportError::Tampered`], [`ExportError::Cut`], [`ExportError::BadRecord`] and [`ExportError::Read`]. After one,
    /// the rest of the export is not to be read.
    pub fn next_decision(&mut self) -> Result<Option<ExportedDecision>, ExportError> {
        if self.summary.is_some() {
            return Ok(None);
        }
        match self.record()? {
            Record::Decision => self.decision().map(Some),
            Record::End => self.end().map(|()| None),
            other => Err(self.lines.bad(format!("{other} stands where a decision or the end belongs"))),
        }
    }

    /// Reads the rest of a decision, whose own line was read.
    fn decision(&mut self) -> Result<ExportedDecision, ExportError> {
        let line: DecisionLine<'_> = self.lines.parse()?;
        let (exchanges, events) = (line.exchanges, line.events);
        let mut decision = line.decision();
        self.in_order(|sequence| sequence.decision(decision.no))?;
        for _ in 0..exchanges {
            self.expect(Record::Exchange)?;
            let line: ExchangeLine<'_> = self.lines.parse()?;
            let exchange = line.exchange().map_err(|because| self.lines.bad(because))?;
            self.in_order(|sequence| sequence.exchange(&exchange))?;
            decision.exchanges.push(exchange);
        }
        for _ in 0..events {
            self.expect(Record::Event)?;
            let event = self.lines.parse::<EventLine<'_>>()?.event();
            self.in_order(|sequence| sequence.event(&event))?;
            decision.events.push(event);
        }
        self.sequence.complete(decision.last_seq).map_err(|because| self.lines.bad(because))?;
        Ok(decision)
    }

    /// Checks the end, whose line was read, and that it is one.
    fn end(&mut self) -> Result<(), ExportError> {
        let summary = self.sequence.summary(self.lines.chain.hash());
        let (found, expected): (EndLine, EndLine) = (self.lines.parse()?, EndLine::of(&summary));
        if found != expected {
            return Err(self.lines.bad(format!("it counts {found}, and there were {expected}")));
        }
        if !self.lines.input.fill_buf().map_err(ExportError::Read)?.is_empty() {
            return Err(ExportError::Tampered { line: self.lines.number + 1, what: BEHIND_THE_END });
        }
        self.summary = Some(summary);
        Ok(())
    }

    /// Reads the next line, which is to be of this kind.
    fn expect(&mut self, expected: Record) -> Result<(), ExportError> {
        let found = self.record()?;
        if found == expected {
            Ok(())
        } else {
            Err(self.lines.bad(format!("{found} stands where {expected} belongs")))
        }
    }

    /// Reads the next line, which must be there, and says what it is.
    fn record(&mut self) -> Result<Record, ExportError> {
        if !self.lines.next()? {
            return Err(ExportError::Cut { line: self.lines.number });
        }
        let AnyLine { record } = self.lines.parse()?;
        Ok(record)
    }

    /// Checks that the line that was read is the one that belongs here.
    fn in_order(
        &mut self,
        check: impl FnOnce(&mut Sequence) -> Result<(), String>,
    ) -> Result<(), ExportError> {
        let bytes = self.lines.bytes;
        check(&mut self.sequence)
            .and_then(|()| self.sequence.line(bytes))
            .map_err(|because| self.lines.bad(because))
    }
}

/// The lines of an export, each checked to follow in the chain.
#[derive(Debug)]
struct Lines<R> {
    input: R,
    chain: Chain,
    /// The record of the last line that was read.
    record: Vec<u8>,
    /// The length of that line.
    bytes: usize,
    /// Its number, from 1.
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// Reads and checks the next line; false if there is none.
    fn next(&mut self) -> Result<bool, ExportError> {
        self.record.clear();
        let longest = LONGEST_LINE as u64 + 1;
        self.bytes = self
            .input
            .by_ref()
            .take(longest)
            .read_until(b'\n', &mut self.record)
            .map_err(ExportError::Read)?;
        if self.bytes == 0 {
            return Ok(false);
        }
        let line = self.number + 1;
        let whole = self.record.ends_with(b"\n");
        if line == 1 && !self.record.starts_with(BEGINNING) && !(whole && chain::is_sealed(&self.record)) {
            let other = OTHERS.iter().find(|(beginning, _)| self.record.starts_with(beginning));
            let because = other.map_or("its first line is something else", |(_, because)| because);
            return Err(ExportError::NotAnExport { because });
        }
        if self.bytes > LONGEST_LINE {
            return Err(ExportError::Tampered { line, what: TOO_LONG });
        }
        if !whole {
            return Err(ExportError::Cut { line: self.number });
        }
        if !self.chain.unseal(&mut self.record) {
            let what = if self.record.ends_with(b"\r\n") { LINE_ENDS } else { CHANGED };
            return Err(ExportError::Tampered { line, what });
        }
        self.number = line;
        Ok(true)
    }

    /// The last line that was read.
    fn parse<'l, T: Deserialize<'l>>(&'l self) -> Result<T, ExportError> {
        serde_json::from_slice(&self.record).map_err(|error| self.bad(in_words(&error)))
    }

    /// What is wrong with the last line that was read.
    fn bad(&self, because: String) -> ExportError {
        ExportError::BadRecord { line: self.number, because }
    }
}

/// What is wrong with a record. It is one line of many, so that serde's "line 1" would lead astray.
fn in_words(error: &serde_json::Error) -> String {
    let words = error.to_string();
    match words.rsplit_once(" at line ") {
        Some((words, _)) if error.line() > 0 => format!("{words}, at character {}", error.column()),
        _ => words,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::PINNED;
    use super::*;

    #[test]
    fn no_decision_is_read_without_end() {
        let mut reader = Reader::new(PINNED.as_bytes()).unwrap();
        reader.sequence = Sequence::new(1000);
        assert!(reader.next_decision().unwrap().is_some());
        match reader.next_decision() {
            Err(ExportError::BadRecord { line: 6, because }) => {
                assert_eq!(because, "decision 2 is larger than 1000 bytes");
            }
            other => panic!("{other:?}"),
        }
    }
}

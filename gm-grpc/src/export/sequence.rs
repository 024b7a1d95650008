//! The order of the records of an export, which the writer and the reader hold to: what the one writes, the other takes.
//!
//! ```text
//! decision 1, its exchanges by chain, port and number, its events by number; decision 2 …
//! ```

use super::Summary;
use crate::journal::{DecisionNo, Exchange, Port, StoredEvent};

/// How far an export has come.
#[derive(Debug)]
pub(super) struct Sequence {
    decisions: u64,
    exchanges: u64,
    events: u64,
    last: Option<(String, Port, u32)>,
    bytes: u64,
    largest: u64,
}

impl Sequence {
    /// The beginning of an export whose decisions take at most so many bytes each.
    pub(super) fn new(largest: u64) -> Sequence {
        Sequence { decisions: 0, exchanges: 0, events: 0, last: None, bytes: 0, largest }
    }

    /// Takes in that a decision begins.
    pub(super) fn decision(&mut self, no: DecisionNo) -> Result<(), String> {
        self.decisions += 1;
        self.last = None;
        self.bytes = 0;
        let expected = self.decisions;
        if no.0 == expected {
            Ok(())
        } else {
            Err(format!("decision {no} stands where decision {expected} belongs"))
        }
    }

    /// Takes in an exchange of this decision.
    pub(super) fn exchange(&mut self, exchange: &Exchange) -> Result<(), String> {
        self.exchanges += 1;
        let name = (exchange.chain.clone(), exchange.port, exchange.number);
        let follows = self.last.as_ref().is_none_or(|last| *last < name);
        let (chain, port, number) = self.last.insert(name);
        let told = |what| Err(format!("exchange {number} of {chain} ({port:?}) {what}"));
        match (*number, follows) {
            (0, _) => told("has no number"),
            (_, false) => told("is not in order, or there twice"),
            _ => Ok(()),
        }
    }

    /// Takes in an event of this decision.
    pub(super) fn event(&mut self, event: &StoredEvent) -> Result<(), String> {
        self.events += 1;
        let (seq, expected) = (event.seq, self.events);
        if seq == expected {
            Ok(())
        } else {
            Err(format!("event {seq} stands where event {expected} belongs"))
        }
    }

    /// Takes in a line of this decision, of so many bytes.
    pub(super) fn line(&mut self, bytes: usize) -> Result<(), String> {
        self.bytes = self.bytes.saturating_add(bytes as u64);
        let fits = self.bytes <= self.largest;
        if fits {
            Ok(())
        } else {
            Err(format!("decision {} is larger than {} bytes", self.decisions, self.largest))
        }
    }

    /// Takes in that a decision is complete, whose last event is said to be this one.
    pub(super) fn complete(&mut self, last_seq: u64) -> Result<(), String> {
        let (no, last) = (self.decisions, self.events);
        if last_seq == last {
            Ok(())
        } else {
            Err(format!("decision {no} ends at event {last} and not {last_seq}"))
        }
    }

    /// What the export holds, if it ends here with this hash.
    pub(super) fn summary(&self, hash: String) -> Summary {
        Summary { decisions: self.decisions, exchanges: self.exchanges, events: self.events, hash }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound is one for each decision, and not for the race.
    #[test]
    fn a_decision_has_a_bound() {
        let mut sequence = Sequence::new(1000);
        for no in 1..=3 {
            sequence.decision(DecisionNo(no)).unwrap();
            assert_eq!(sequence.line(500), Ok(()));
            assert_eq!(sequence.line(500), Ok(()));
        }
        assert_eq!(sequence.line(1), Err("decision 3 is larger than 1000 bytes".to_owned()));
    }
}

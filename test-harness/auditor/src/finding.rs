//! What is against a rule, and where.
//!
//! ```
//! use race_auditor::Finding;
//! let finding = Finding { line: 7, turn: 2, rule: "R-3.1", what: "expected a move by 3, found one by 4".into() };
//! assert_eq!(finding.to_string(), "line 7, turn 2, R-3.1: expected a move by 3, found one by 4");
//! ```

use std::fmt;

/// Something that is against a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line of the export, from 1.
    pub line: u64,
    /// The turn; 0 before the first.
    pub turn: u32,
    /// The number of the rule, as `R-5.3` or `C-20`; `format` for a line that is not of the format.
    pub rule: &'static str,
    /// What was expected, and what was found.
    pub what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { line, turn, rule, what } = self;
        write!(f, "line {line}, turn {turn}, {rule}: {what}")
    }
}

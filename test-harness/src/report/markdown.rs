//! A conformance run as a page: a table of the cases, what is wrong, the latencies, the verdict.
//!
//! ```text
//! | case | level | what | outcome |
//! |---|---|---|---|
//! | C-4.1 | must | GET /engine/count is a whole number | **failed** |
//! ```

use super::{counts, milliseconds, word};
use crate::client::Exchange;
use crate::curl::again;
use crate::suite::{Outcome, Suite};
use std::fmt::Write;

/// The whole report.
#[must_use]
pub fn whole(suite: &Suite) -> String {
    let mut page = format!("# Conformance of the {} at {}\n\n", suite.subject, cell(&suite.place));
    _ = writeln!(page, "{}\n", counts(&suite.summary()));
    for line in &suite.verdict {
        _ = writeln!(page, "- {}", cell(line));
    }
    page.push_str("\n## Cases\n\n| case | level | what | outcome |\n|---|---|---|---|\n");
    for ran in &suite.ran {
        let why = match &ran.outcome {
            Outcome::Skipped(why) => format!(": {}", cell(why)),
            _ => String::new(),
        };
        let word = word(ran);
        let word = if word == "passed" { word.to_owned() } else { format!("**{word}**{why}") };
        _ = writeln!(page, "| {} | {} | {} | {word} |", ran.id, ran.level.word(), cell(ran.title));
    }
    let wrong: Vec<_> = suite.ran.iter().filter(|ran| ran.outcome.failure().is_some()).collect();
    if !wrong.is_empty() {
        page.push_str("\n## What is wrong\n");
    }
    for ran in wrong {
        let Some(failure) = ran.outcome.failure() else { continue };
        _ = write!(
            page,
            "\n### {} {}\n\n- expected: {}\n- found: {}\n- hint: {}\n- costs: {}\n",
            ran.id,
            cell(ran.title),
            cell(&failure.expected),
            cell(&failure.found),
            cell(ran.hint),
            cell(ran.costs)
        );
        let shown: Vec<&Exchange> = ran.led_there().into_iter().chain(ran.evidence()).collect();
        if !shown.is_empty() {
            _ = write!(page, "\n```sh\n{}\n```\n", again(&shown).join("\n"));
        }
    }
    page.push_str("\n## Latencies\n\n| endpoint | asked | p50 | p95 | max |\n|---|---|---|---|---|\n");
    for it in &suite.latencies {
        let [p50, p95, max] = [it.p50, it.p95, it.max].map(milliseconds);
        _ = writeln!(page, "| {} | {} | {p50} | {p95} | {max} |", cell(&it.endpoint), it.asked);
    }
    for line in &suite.information {
        _ = write!(page, "\n{}\n", cell(line));
    }
    page
}

/// A text that can stand in a cell, and is no mark-up.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for c in text.chars() {
        match c {
            '|' | '*' | '_' | '`' | '<' | '[' | '\\' => cell.extend(['\\', c]),
            c if c.is_control() => cell.push(' '),
            c => cell.push(c),
        }
    }
    cell
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::a_suite;

    #[test]
    fn a_run_as_a_page() {
        let page = whole(&a_suite());
        for line in [
            "# Conformance of the car at http://car",
            "| C-4.1 | must | GET /engine/count is a whole number | **failed** |",
            "| C-4.2 | must | GET /engine/count is a whole number | passed |",
            "| C-4.4 | must | GET /engine/count is a whole number | **skipped**: needs C-4.1, which failed |",
            "- found: 200 and \\<b> \\[2J",
            "| GET /engine/count | 1 | 1.5 ms | 1.5 ms | 1.5 ms |",
        ] {
            assert!(page.lines().any(|told| told == line), "{line}\n\nis not in\n\n{page}");
        }
    }
}

//! What is told of a conformance run: to people, to programs, to CI, on a page.
//!
//! ```text
//! --format text      a line for each case as it is done, what is wrong in full, the verdict
//! --format json      a line of JSON for each case, and one for the whole
//! --format junit     JUnit's XML        --format markdown   a page with tables
//! ```
//!
//! No report holds the secret of the team's cars.

pub mod json;
pub mod junit;
pub mod markdown;
pub mod text;

use crate::client::{Ask, Exchange, SECRET, harmless};
use crate::suite::{Outcome, Ran, Summary};
use gm_core::contract::Kind;

/// The longest body that is shown, in characters.
const SHOWN: usize = 1_000;

/// The headers of an answer that are not shown: they say nothing of the car.
const UNSHOWN: [&str; 2] = ["date", "content-length"];

/// `1 pilot`, `3 pilots`.
#[must_use]
pub fn amount(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `4 engines, 1 pilot, 3 weapons`: the modules of a car, kind by kind.
#[must_use]
pub fn modules_in_words(counts: [u64; 3]) -> String {
    let told = Kind::ALL.iter().zip(counts).map(|(kind, count)| amount(count, kind.word()));
    told.collect::<Vec<_>>().join(", ")
}

/// `12 passed, 1 failed, 3 skipped`.
#[must_use]
pub fn counts(summary: &Summary) -> String {
    let Summary { passed, failed, warned, skipped, known, unexpected } = *summary;
    let parts = [
        (passed, "passed"),
        (failed, "failed"),
        (warned, if warned == 1 { "warning" } else { "warnings" }),
        (skipped, "skipped"),
        (known, "known to fail"),
        (unexpected, "passed unexpectedly"),
    ];
    let told = parts.iter().filter(|(count, word)| *count > 0 || matches!(*word, "passed" | "failed"));
    told.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// What came of a case, in a word or two.
#[must_use]
pub fn word(ran: &Ran) -> &'static str {
    match (&ran.outcome, ran.known) {
        (Outcome::Passed, true) => "passed unexpectedly",
        (Outcome::Failed(_) | Outcome::Warned(_), true) => "known to fail",
        (outcome, _) => outcome.word(),
    }
}

/// The request, a line for each of its parts.
fn request_lines(ask: &Ask, place: &str) -> Vec<String> {
    let mut lines = vec![format!("{} {place}{}", ask.method, ask.path)];
    for (name, value) in &ask.headers {
        let value = if name.eq_ignore_ascii_case(SECRET) { "…" } else { value };
        lines.push(format!("{name}: {value}"));
    }
    if let Some(body) = &ask.body {
        lines.push(shown(body));
    }
    lines
}

/// The answer, a line for each of its parts.
fn answer_lines(exchange: &Exchange) -> Vec<String> {
    match exchange.answer() {
        Err(_) => exchange.fault_in_words().into_iter().collect(),
        Ok(got) => {
            let answered =
                |bytes: &[u8]| shown(exchange.mask.hide(&String::from_utf8_lossy(bytes)).as_bytes());
            let mut lines = vec![got.status.to_string()];
            for (name, value) in &got.headers {
                if !UNSHOWN.contains(&name.as_str()) {
                    lines.push(format!("{name}: {}", answered(value.as_bytes())));
                }
            }
            lines.push(answered(&got.body));
            lines
        }
    }
}

/// A text as it may be shown: cut, and without what a terminal would obey.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut short = harmless(&text.chars().take(SHOWN).collect::<String>());
    if text.chars().nth(SHOWN).is_some() {
        short.push('…');
    }
    short
}

/// How long something took: `0.4 ms`.
fn milliseconds(took: std::time::Duration) -> String {
    format!("{:.1} ms", took.as_secs_f64() * 1_000.0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::client::{Got, Mask};
    use crate::suite::latency::latencies;
    use crate::suite::{Failure, Level, Suite};
    use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
    use std::time::Duration;

    /// A run in which everything happens.
    pub(crate) fn a_suite() -> Suite {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html"));
        let exchange = Exchange {
            place: "http://car".to_owned(),
            ask: Ask::new("GET", "/engine/count").header(SECRET, "s3cret").header("X-EACC-REQUEST-ID", "7"),
            got: Ok(Got { status: 200, headers, body: "<b>\u{1b}[31m|3|</b> X-EACC-SECRET: s3cret".into() }),
            took: Duration::from_micros(1_500),
            at: Duration::from_millis(20),
            connection: 1,
            because: None,
            mask: Mask::of("s3cret"),
        };
        let failure = |exchange| Failure {
            expected: "200 and {\"res\": 3}".to_owned(),
            found: "200 and <b>\u{1b}[2J".to_owned(),
            exchange,
        };
        let ran = |id, level, outcome: Outcome, known| Ran {
            id,
            requirement: "C-4",
            title: "GET /engine/count is a whole number",
            level,
            hint: "answer 200 and {\"res\": 3}",
            costs: "a penalty in every turn (R-3.1)",
            shown_by: outcome.failure().map(|_| 0),
            exchanges: outcome.failure().map(|_| exchange.clone()).into_iter().collect(),
            outcome,
            known,
            took: Duration::from_millis(2),
        };
        let latencies = latencies([&exchange]);
        Suite {
            subject: "car",
            place: "http://car".to_owned(),
            ran: vec![
                ran("C-4.1", Level::Must, Outcome::Failed(failure(Some(0))), false),
                ran("C-4.2", Level::Must, Outcome::Passed, false),
                ran("C-4.3", Level::Should, Outcome::Warned(failure(Some(0))), false),
                ran("C-4.4", Level::Must, Outcome::Skipped("needs C-4.1, which failed".to_owned()), false),
                ran("C-5.1", Level::Must, Outcome::Failed(failure(Some(0))), true),
                ran("C-5.2", Level::Must, Outcome::Passed, true),
            ],
            latencies,
            verdict: vec!["C-4.1 does not hold. Costs: a penalty in every turn (R-3.1).".to_owned()],
            information: vec!["seed 7".to_owned()],
        }
    }

    #[test]
    fn counts_in_words() {
        let all = "1 passed, 1 failed, 1 warning, 1 skipped, 1 known to fail, 1 passed unexpectedly";
        assert_eq!(counts(&a_suite().summary()), all);
        assert_eq!(
            counts(&Summary { passed: 3, warned: 2, ..Summary::default() }),
            "3 passed, 0 failed, 2 warnings"
        );
        assert_eq!(modules_in_words([0, 1, 2]), "0 engines, 1 pilot, 2 weapons");
    }

    /// C-20: whatever is reported, the secret is not in it.
    #[test]
    fn c_20_no_report_holds_the_secret() {
        let suite = a_suite();
        let reports = [
            text::Text { colours: true, trace: true }.whole(&suite),
            json::whole(&suite),
            junit::whole(&suite).expect("XML"),
            markdown::whole(&suite),
        ];
        for report in reports {
            assert!(!report.contains("s3cret"), "{report}");
            assert!(report.contains("C-4.1"), "{report}");
        }
    }

    #[test]
    fn what_is_shown_is_harmless() {
        assert_eq!(shown(b"a\x1b[31m\n"), "a\u{fffd}[31m\u{fffd}");
        assert_eq!(shown("a\u{202e}b".as_bytes()), "a\u{fffd}b");
        assert_eq!(shown("é".repeat(SHOWN + 1).as_bytes()).chars().count(), SHOWN + 1);
    }
}

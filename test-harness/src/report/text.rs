//! A conformance run for people: a line for each case, what is wrong in full, the latencies, the verdict.
//!
//! ```text
//! ✗ C-4.1   must    GET /engine/count is a whole number
//!           expected 200 and {"res": 3}, found 200 and <b>3</b>
//!           hint     answer 200 and {"res": 3}: how many there are at this moment, a whole number
//! ```

use super::{answer_lines, counts, milliseconds, request_lines};
use crate::client::{Exchange, harmless};
use crate::curl::again;
use crate::suite::requirement;
use crate::suite::{Outcome, Ran, Suite};
use std::fmt::Write;

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// Whether with the colours of a terminal.
    pub colours: bool,
    /// Whether with every exchange, and not only with what shows a failure.
    pub trace: bool,
}

/// A colour of a terminal.
#[derive(Debug, Clone, Copy)]
enum Colour {
    Green,
    Red,
    Yellow,
    Grey,
}

/// Where what belongs to a case begins.
const INDENT: &str = "          ";

impl Text {
    fn paint(self, colour: Colour, text: &str) -> String {
        let code = match colour {
            Colour::Green => 32,
            Colour::Red => 31,
            Colour::Yellow => 33,
            Colour::Grey => 90,
        };
        if self.colours { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// What is told of a case when it is done.
    #[must_use]
    pub fn case(self, ran: &Ran) -> String {
        let (mark, colour) = match (&ran.outcome, ran.known) {
            (Outcome::Passed, false) => ("✓", Colour::Green),
            (Outcome::Passed, true) => ("✗", Colour::Red),
            (_, true) => ("~", Colour::Grey),
            (Outcome::Failed(_), false) => ("✗", Colour::Red),
            (Outcome::Warned(_), false) => ("!", Colour::Yellow),
            (Outcome::Skipped(_), false) => ("-", Colour::Grey),
        };
        let head = format!("{mark} {:<7} {:<7} {}", ran.id, ran.level.word(), ran.title);
        let mut told = self.paint(colour, &head) + "\n";
        let mut line = |name: &str, text: &str| _ = writeln!(told, "{INDENT}{name:<9}{}", harmless(text));
        if let Outcome::Skipped(why) = &ran.outcome {
            line("skipped", why);
        }
        if ran.known {
            let passed = ran.outcome == Outcome::Passed;
            line("known", if passed { "to fail, and it passed: take it off the list" } else { "to fail" });
        }
        if let Some(failure) = ran.outcome.failure() {
            line("expected", &failure.expected);
            line("found", &failure.found);
            line("hint", ran.hint);
            line("costs", ran.costs);
            if let Some(text) = requirement::text(ran.requirement) {
                line(ran.requirement, &text);
            }
            if let Some(evidence) = ran.evidence() {
                let shown: Vec<&Exchange> = ran.led_there().into_iter().chain([evidence]).collect();
                if !self.trace {
                    told.extend(shown.iter().map(|exchange| self.exchange(exchange)));
                }
                for line in again(&shown) {
                    _ = writeln!(told, "{INDENT}again:   {line}");
                }
            }
        }
        if self.trace {
            for exchange in &ran.exchanges {
                told.push_str(&self.exchange(exchange));
            }
        }
        told
    }

    fn exchange(self, exchange: &Exchange) -> String {
        let mut told = String::new();
        for (index, line) in request_lines(&exchange.ask, &exchange.place).iter().enumerate() {
            let at =
                if index == 0 { format!("   (at {})", milliseconds(exchange.at)) } else { String::new() };
            _ = writeln!(told, "{INDENT}{}{line}{at}", self.paint(Colour::Grey, "> "));
        }
        for (index, line) in answer_lines(exchange).iter().enumerate() {
            let took = if index == 0 {
                format!("   (after {})", milliseconds(exchange.took))
            } else {
                String::new()
            };
            _ = writeln!(told, "{INDENT}{}{line}{took}", self.paint(Colour::Grey, "< "));
        }
        told
    }

    /// What is told of what was asked besides the cases: with `trace` only.
    #[must_use]
    pub fn besides(self, title: &str, exchanges: &[Exchange]) -> String {
        if !self.trace || exchanges.is_empty() {
            return String::new();
        }
        let told: String = exchanges.iter().map(|exchange| self.exchange(exchange)).collect();
        self.paint(Colour::Grey, &format!("· {title}")) + "\n" + &told
    }

    /// What is told at the end.
    #[must_use]
    pub fn end(self, suite: &Suite) -> String {
        let mut told = String::from("\n");
        for latency in &suite.latencies {
            _ = writeln!(
                told,
                "{:<28} {:>5} ×   p50 {:>10}   p95 {:>10}   max {:>10}",
                latency.endpoint,
                latency.asked,
                milliseconds(latency.p50),
                milliseconds(latency.p95),
                milliseconds(latency.max)
            );
        }
        for line in &suite.information {
            _ = writeln!(told, "{line}");
        }
        let summary = suite.summary();
        let colour = if summary.is_good(false) { Colour::Green } else { Colour::Red };
        _ = writeln!(told, "\n{}", self.paint(colour, &counts(&summary)));
        for line in &suite.verdict {
            _ = writeln!(told, "{}", harmless(line));
        }
        told
    }

    /// The whole report.
    #[must_use]
    pub fn whole(self, suite: &Suite) -> String {
        let cases: String = suite.ran.iter().map(|ran| self.case(ran)).collect();
        cases + &self.end(suite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::a_suite;

    #[test]
    fn a_run_in_words() {
        let told = Text { colours: false, trace: false }.whole(&a_suite());
        let expected = [
            "✗ C-4.1   must    GET /engine/count is a whole number",
            "          expected 200 and {\"res\": 3}",
            "          found    200 and <b>\u{fffd}[2J",
            "          costs    a penalty in every turn (R-3.1)",
            "          C-4      GET /engine/count, /pilot/count, /weapon/count → 200, {\"res\": 3}",
            "          > GET http://car/engine/count   (at 20.0 ms)",
            "          > X-EACC-SECRET: …",
            "          < 200   (after 1.5 ms)",
            "          < <b>\u{fffd}[31m|3|</b> X-EACC-SECRET: …",
            "          again:   curl -sS -i --path-as-is -g -H \"X-EACC-SECRET: $CONFORM_SECRET\" -H 'X-EACC-REQUEST-ID: 7-'\"$(date +%s%N)$RANDOM\" \
             'http://car/engine/count'",
            "✓ C-4.2   must    GET /engine/count is a whole number",
            "! C-4.3   should  GET /engine/count is a whole number",
            "- C-4.4   must    GET /engine/count is a whole number",
            "          skipped  needs C-4.1, which failed",
            "~ C-5.1   must    GET /engine/count is a whole number",
            "          known    to fail, and it passed: take it off the list",
            "GET /engine/count                1 ×   p50     1.5 ms   p95     1.5 ms   max     1.5 ms",
            "1 passed, 1 failed, 1 warning, 1 skipped, 1 known to fail, 1 passed unexpectedly",
        ];
        for line in expected {
            assert!(told.lines().any(|told| told == line), "{line}\n\nis not in\n\n{told}");
        }
        assert!(!told.contains('\u{1b}'), "no colours");
        assert!(Text { colours: true, trace: false }.whole(&a_suite()).contains("\u{1b}[31m✗ C-4.1"));
    }
}

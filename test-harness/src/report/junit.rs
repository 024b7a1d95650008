//! A conformance run for CI: JUnit's XML, in which a warning is a success with something on its standard error.
//!
//! ```text
//! <testsuite name="car" …><testcase name="C-4.1 GET /engine/count is a whole number" classname="C-4" …>
//! ```

use super::{answer_lines, request_lines, word};
use crate::client::{Exchange, harmless};
use crate::curl::again;
use crate::suite::{Outcome, Ran, Suite};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

/// The whole report.
///
/// # Errors
/// If it can't be written as XML.
pub fn whole(suite: &Suite) -> Result<String, SerializeError> {
    let mut report = Report::new("conform");
    let mut tests = TestSuite::new(suite.subject);
    for ran in &suite.ran {
        tests.add_test_case(case(ran));
    }
    tests.set_system_out(suite.verdict.join("\n"));
    report.add_test_suite(tests);
    report.to_string()
}

fn case(ran: &Ran) -> TestCase {
    let mut status = match (&ran.outcome, ran.known) {
        (Outcome::Failed(_), false) | (Outcome::Passed, true) => {
            TestCaseStatus::non_success(NonSuccessKind::Failure)
        }
        (Outcome::Skipped(_), _) | (Outcome::Failed(_) | Outcome::Warned(_), true) => {
            TestCaseStatus::skipped()
        }
        (Outcome::Passed | Outcome::Warned(_), false) => TestCaseStatus::success(),
    };
    match &ran.outcome {
        Outcome::Skipped(why) => _ = status.set_message(why.as_str()),
        Outcome::Failed(failure) if !ran.known => {
            _ = status.set_message(harmless(&failure.to_string())).set_type(word(ran))
        }
        Outcome::Passed if ran.known => {
            _ = status.set_message("known to fail, and it passed: take it off the list").set_type(word(ran));
        }
        _ => {}
    }
    let mut test = TestCase::new(format!("{} {}", ran.id, ran.title), status);
    test.set_classname(ran.requirement).set_time(ran.took);
    if let Some(failure) = ran.outcome.failure() {
        let mut told = vec![
            harmless(&failure.to_string()),
            format!("hint: {}", ran.hint),
            format!("costs: {}", ran.costs),
        ];
        let shown: Vec<&Exchange> = ran.led_there().into_iter().chain(ran.evidence()).collect();
        for exchange in &shown {
            told.extend(request_lines(&exchange.ask, &exchange.place).iter().map(|line| format!("> {line}")));
            told.extend(answer_lines(exchange).iter().map(|line| format!("< {line}")));
        }
        told.extend(again(&shown));
        test.set_system_err(told.join("\n"));
    }
    test
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::a_suite;

    #[test]
    fn a_run_as_xml() {
        let told = whole(&a_suite()).expect("XML");
        for part in [
            r#"<testsuite name="car" tests="6" skipped="2" errors="0" failures="2">"#,
            r#"<testcase name="C-4.1 GET /engine/count is a whole number" classname="C-4" time="0.002">"#,
            r#"<failure message="expected 200 and {&quot;res&quot;: 3}, found 200 and &lt;b&gt;�[2J" type="failed"/>"#,
            r#"<skipped message="needs C-4.1, which failed"/>"#,
            r#"type="passed unexpectedly"/>"#,
            "&gt; GET http://car/engine/count",
        ] {
            assert!(told.contains(part), "{part}\n\nis not in\n\n{told}");
        }
    }
}

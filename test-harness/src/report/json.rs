//! A conformance run for programs: a line of JSON for each case, and one for the whole.
//!
//! ```text
//! {"record":"case","id":"C-4.1","level":"must","outcome":"failed","expected":"…","found":"…", …}
//! {"record":"end","subject":"car","passed":58,"failed":1, …,"good":false,"latencies":[…],"verdict":["…"]}
//! ```

use super::word;
use crate::client::{Exchange, SECRET};
use crate::curl::again;
use crate::suite::{Outcome, Ran, Suite, Summary};
use serde_json::{Value, json};
use std::time::Duration;

/// The line of a case.
#[must_use]
pub fn case(ran: &Ran) -> Value {
    let mut case = json!({
        "record": "case",
        "id": ran.id,
        "requirement": ran.requirement,
        "title": ran.title,
        "level": ran.level.word(),
        "outcome": ran.outcome.word(),
        "known": ran.known,
        "told": word(ran),
        "took_us": micros(ran.took),
    });
    if let Outcome::Skipped(why) = &ran.outcome {
        case["skipped"] = json!(why);
    }
    if let Some(failure) = ran.outcome.failure() {
        case["expected"] = json!(failure.expected);
        case["found"] = json!(failure.found);
        case["hint"] = json!(ran.hint);
        case["costs"] = json!(ran.costs);
        let shown: Vec<&Exchange> = ran.led_there().into_iter().chain(ran.evidence()).collect();
        let mut told: Vec<Value> =
            shown.iter().zip(again(&shown)).map(|(shown, line)| exchange(shown, &line)).collect();
        case["evidence"] = told.pop().unwrap_or_default();
        case["led_there"] = json!(told);
    }
    case
}

/// An exchange, without the secret, and the line that repeats it.
fn exchange(exchange: &Exchange, line: &str) -> Value {
    let headers = exchange.ask.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case(SECRET));
    let mut told = json!({
        "method": exchange.ask.method,
        "url": format!("{}{}", exchange.place, exchange.ask.path),
        "headers": headers.map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
        "body": exchange.ask.body.as_ref().map(|body| String::from_utf8_lossy(body)),
        "took_us": micros(exchange.took),
        "curl": line,
    });
    match exchange.answer() {
        Ok(got) => {
            told["answer"] = json!({ "status": got.status, "body": exchange.mask.hide(&got.text()) });
        }
        Err(_) => told["fault"] = json!(exchange.fault_in_words()),
    }
    told
}

/// The last line.
#[must_use]
pub fn end(suite: &Suite) -> Value {
    let Summary { passed, failed, warned, skipped, known, unexpected } = suite.summary();
    let latencies: Vec<Value> = suite
        .latencies
        .iter()
        .map(|it| {
            json!({
                "endpoint": it.endpoint,
                "asked": it.asked,
                "p50_us": micros(it.p50),
                "p95_us": micros(it.p95),
                "max_us": micros(it.max),
            })
        })
        .collect();
    json!({
        "record": "end",
        "subject": suite.subject,
        "place": suite.place,
        "passed": passed,
        "failed": failed,
        "warnings": warned,
        "skipped": skipped,
        "known": known,
        "unexpected": unexpected,
        "good": suite.summary().is_good(false),
        "latencies": latencies,
        "information": suite.information,
        "verdict": suite.verdict,
    })
}

/// The whole report, a line each.
#[must_use]
pub fn whole(suite: &Suite) -> String {
    let lines = suite.ran.iter().map(case).chain([end(suite)]);
    lines.map(|line| line.to_string() + "\n").collect()
}

fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::a_suite;

    #[test]
    fn a_run_as_lines() {
        let told = whole(&a_suite());
        let lines: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let outcomes: Vec<(&str, &str)> = lines[..6]
            .iter()
            .map(|line| (line["id"].as_str().expect("an id"), line["told"].as_str().expect("a word")))
            .collect();
        assert_eq!(
            outcomes,
            [
                ("C-4.1", "failed"),
                ("C-4.2", "passed"),
                ("C-4.3", "warning"),
                ("C-4.4", "skipped"),
                ("C-5.1", "known to fail"),
                ("C-5.2", "passed unexpectedly"),
            ]
        );
        assert_eq!(lines[0]["evidence"]["answer"]["status"], 200);
        assert_eq!(lines[3]["skipped"], "needs C-4.1, which failed");
        let end = &lines[6];
        assert_eq!((end["record"].as_str(), end["failed"].as_u64()), (Some("end"), Some(1)));
        assert_eq!(
            (end["good"].as_bool(), end["latencies"][0]["p50_us"].as_u64()),
            (Some(false), Some(1_500))
        );
    }
}

//! R-10.1: `gm run` is told to end in the middle of a turn, and the race goes on later as if it had not been.
//!
//! ```text
//! SIGINT            the turn is played to its end      exit code 0
//! SIGINT, SIGINT    it is broken off                   exit code 130
//! SIGTERM, SIGHUP   it is broken off                   exit code 130
//! ```

use super::field::{Field, Seen, Strike};
use super::process::{Disturbance, Finished, Life, run};
use super::race::Course;
use super::verdict::Expected;
use super::{AT_ONCE, spread, undisturbed};
use futures_util::{StreamExt as _, stream};
use rustix::process::Signal;
use std::process::ExitStatus;

/// At how many requests each signal comes.
const POINTS: u64 = 8;

/// Whether the turn is played to its end, and the exit code.
type Ends = (bool, i32);

const AFTER_THE_TURN: Ends = (true, 0);
const AT_ONCE_ENDS: Ends = (false, 130);

/// A process that was told to end is followed by another.
fn was_told_to_end(status: ExitStatus) -> bool {
    matches!(status.code(), Some(0 | 130))
}

/// Everything that is wrong with a race that was interrupted by these signals at one request.
async fn interrupted(
    field: &Field,
    expected: &Expected,
    name: &str,
    strike: Strike,
    (is_complete, code): Ends,
) -> Vec<String> {
    let disturbance = Disturbance::Struck(strike);
    let finished = match run(field, name, disturbance, was_told_to_end).await {
        Ok(finished) => finished,
        Err(wrong) => return vec![wrong],
    };
    let mut wrong = expected.against(&finished, disturbance).await;
    let Finished { lives, stderr, .. } = &finished;
    let [Life { status, stderr: told, ledger, seen, .. }] = lives.as_slice() else {
        wrong.push(format!("{} lives before the last, not one", lives.len()));
        return wrong;
    };
    if status.code() != Some(code) {
        wrong.push(format!("it ended with {status}, not with exit code {code}"));
    }
    let left = ledger.begun - ledger.committed;
    if left != u64::from(!is_complete) {
        wrong.push(format!("it left {left} decisions to be completed"));
    }
    let Seen { race, .. } = seen;
    let race = race.as_deref().unwrap_or_default();
    for expected in [format!("race {race} is interrupted after turn "), "--resume".to_owned()] {
        if !told.contains(&expected) {
            wrong.push(format!("{expected:?} is not in {told:?}"));
        }
    }
    let expected = format!("race {race} goes on after turn ");
    if !stderr.contains(&expected) {
        wrong.push(format!("{expected:?} is not in {stderr:?}"));
    }
    wrong
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_10_1_told_to_end_it_goes_on_to_the_same_end() {
    if super::wanted("GM_KILL_ONLY").is_some() {
        return;
    }
    let field = Field::start(Course::Busy).await;
    let (finished, expected) = undisturbed(&field).await;
    // After the registrations, and before the last turn: an end after that is the end of the race.
    let requests = finished.run.requests().requests;
    let of = |turn: &str| requests.keys().filter(|place| place.starts_with(turn)).count() as u64;
    let (first, last) = (of("t0-") + 1, expected.requests - of("t6-"));
    let mut runs = Vec::new();
    for (word, signals, ends) in [
        ("INT", &[("", Signal::INT)][..], AFTER_THE_TURN),
        ("INT-INT", &[("", Signal::INT), ("Ctrl-C again to stop at once", Signal::INT)], AT_ONCE_ENDS),
        ("TERM", &[("", Signal::TERM)], AT_ONCE_ENDS),
        ("HUP", &[("", Signal::HUP)], AT_ONCE_ENDS),
    ] {
        for nth in spread(POINTS, last - first + 1).map(|nth| first - 1 + nth) {
            let at = usize::try_from(nth).expect("a small number");
            // Where the turn is to be played to its end, its cars have to answer.
            let strike = Strike { at, signals, waits: ends == AT_ONCE_ENDS };
            runs.push((format!("{word}:{nth}"), strike, ends));
        }
    }
    let verdicts = stream::iter(runs).map(|(name, strike, ends)| {
        let (field, expected) = (&field, &expected);
        async move {
            let wrong = interrupted(field, expected, &name, strike, ends).await;
            (!wrong.is_empty()).then(|| format!("{name}: {}", wrong.join("\n")))
        }
    });
    let failures: Vec<String> =
        verdicts.buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await;
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

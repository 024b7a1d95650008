//! A whole run against a duel AI.
//!
//! ```no_run
//! # async fn a_test() -> Result<(), test_harness::client::BadPlace> {
//! use test_harness::suite::{Selection, ai, known::Known};
//! let settings = ai::Settings::new("http://127.0.0.1:8081/action");
//! let suite = ai::conform(settings, &Selection::all(), &Known::default(), |_| {}).await?;
//! assert!(suite.summary().is_good(false), "{:?}", suite.verdict);
//! # Ok(())
//! # }
//! ```

use super::strength::measure;
use super::{AiTalk, Settings, cases};
use crate::client::BadPlace;
use crate::suite::case::Outcome;
use crate::suite::known::Known;
use crate::suite::run::{Selection, Suite, Told, latencies_of, run};

/// Checks the AI, tells of each case when it is done, and measures how strong it is.
///
/// # Errors
/// [`BadPlace`] if the URL of the AI is none. All else is said by the cases.
pub async fn conform(
    settings: Settings,
    selection: &Selection,
    known: &Known,
    done: impl FnMut(Told<'_>),
) -> Result<Suite, BadPlace> {
    let place = settings.url.clone();
    let seed = settings.seed;
    let mut talk = AiTalk::begin(settings)?;
    let ran = run(cases(), selection, known, &mut talk, done).await;
    let latencies = latencies_of(&talk);
    let verdict = crate::suite::case::costs(&ran);
    let mut information = vec![format!("seed of the positions: {seed}")];
    // An AI that does not play has no strength.
    let plays = ran.iter().any(|ran| ran.id == "R-6.3.2" && ran.outcome == Outcome::Passed);
    if plays {
        information.extend(measure(&mut talk).await);
    }
    Ok(Suite { subject: "ai", place, ran, latencies, verdict, information })
}

//! A whole run against a car.
//!
//! ```no_run
//! # async fn a_test() -> Result<(), test_harness::client::BadPlace> {
//! use test_harness::suite::{Selection, car, known::Known};
//! let settings = car::Settings { secret: Some("s3cret".into()), ..car::Settings::new("http://127.0.0.1:8080") };
//! let suite = car::conform(settings, &Selection::all(), &Known::default(), |_| {}).await?;
//! assert!(suite.summary().is_good(false), "{:?}", suite.verdict);
//! # Ok(())
//! # }
//! ```

use super::{Settings, Talk, cases};
use crate::client::BadPlace;
use crate::suite::case::{Subject, costs};
use crate::suite::known::Known;
use crate::suite::run::{Selection, Suite, Told, latencies_of, run};

/// Checks the car, tells of each case when it is done, and leaves the car as it was found; also when it is told to
/// [stop](Settings::stop) early.
///
/// # Errors
/// [`BadPlace`] if the URL of the car is none. All else is said by the cases.
pub async fn conform(
    settings: Settings,
    selection: &Selection,
    known: &Known,
    mut done: impl FnMut(Told<'_>),
) -> Result<Suite, BadPlace> {
    let place = settings.url.clone();
    let mut talk = Talk::begin(settings).await?;
    done(Told::Besides("the first look", talk.exchanges()));
    let ran = run(cases(), selection, known, &mut talk, &mut done).await;
    let latencies = latencies_of(&talk);
    let asked = talk.exchanges().len();
    let mut verdict = costs(&ran);
    verdict.extend(talk.leave().await);
    done(Told::Besides("given back", &talk.exchanges()[asked..]));
    Ok(Suite { subject: "car", place, ran, latencies, verdict, information: Vec::new() })
}

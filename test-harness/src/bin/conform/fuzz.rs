//! `conform fuzz URL`: sends a car generated nonsense.

use crate::Unusable;
use crate::car::check_secret;
use crate::options::Fuzz;
use crate::output::{CLEAR, say, watch};
use std::io::{self, IsTerminal};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use test_harness::fuzz::{Progress, Settings, TIME_LIMIT, fuzz};
use test_harness::report::amount;
use test_harness::stop::Stop;

pub(crate) async fn run(options: Fuzz, stop: &Stop) -> Result<bool, Unusable> {
    check_secret(options.secret.as_deref())?;
    let time_limit = match (options.seconds, options.requests) {
        (Some(seconds), _) => Duration::from_secs(seconds),
        (None, Some(_)) => Duration::MAX,
        (None, None) => TIME_LIMIT,
    };
    // Milliseconds: few enough digits to be typed again.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let seed = options.seed.unwrap_or(u64::try_from(now).unwrap_or_default());
    let settings = Settings {
        secret: options.secret,
        deadline: Duration::from_millis(options.deadline),
        time_limit,
        max_requests: options.requests.unwrap_or(u64::MAX),
        findings: usize::from(options.findings),
        stop: stop.clone(),
        ..Settings::new(options.url, seed)
    };
    let shows = io::stderr().is_terminal();
    let report = fuzz(settings, |progress| {
        if shows {
            show(progress);
        }
    });
    let report = report.await.map_err(|bad| bad.to_string())?;
    if shows {
        watch(CLEAR);
    }
    let told = if options.json { format!("{}\n", report.json()) } else { report.to_string() };
    say(&told)?;
    match &report.stopped {
        Some(why) if report.findings.is_empty() => Err(why.clone()),
        _ => Ok(report.is_good()),
    }
}

/// One line that is written over, for who watches.
fn show(progress: &Progress) {
    let doing = if progress.shrinks { ", making one short" } else { "" };
    let requests = amount(progress.requests, "request");
    let findings = amount(progress.findings as u64, "finding");
    watch(&format!("{CLEAR}{requests}, {findings}, {:.0} s{doing}", progress.took.as_secs_f64()));
}

//! Ctrl-C and the like: the first ends the run early, and the car is given back; the second ends the program at once.
//!
//! ```text
//! SIGINT   130        SIGTERM   143
//! ```

use std::process::exit;
use test_harness::stop::Stop;

/// The signals, and the exit code of a program that was ended by one: 128 and its number.
const INTERRUPT: (&str, u8) = ("SIGINT", 130);
const TERMINATE: (&str, u8) = ("SIGTERM", 143);

/// From now on a signal ends the run early.
pub(crate) fn heed(stop: &Stop) {
    match Signals::begin() {
        Ok(signals) => _ = tokio::spawn(obey(signals, stop.clone())),
        Err(why) => eprintln!("conform: signals can't be heeded, so one leaves the car as it is then: {why}"),
    }
}

/// The exit code of a run that was ended early.
pub(crate) fn code(stop: &Stop) -> Option<u8> {
    let why = stop.why()?;
    [INTERRUPT, TERMINATE].into_iter().find(|(name, _)| *name == why).map(|(_, code)| code)
}

async fn obey(mut signals: Signals, stop: Stop) {
    let (name, _) = signals.next().await;
    stop.because(name);
    eprintln!("conform: {name}: nothing more is asked, and the car is given back; once more ends it at once");
    let (_, code) = signals.next().await;
    exit(i32::from(code));
}

/// The signals that a program is ended with.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn begin() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let [interrupt, terminate] = [SignalKind::interrupt(), SignalKind::terminate()].map(signal);
        Ok(Signals { interrupt: interrupt?, terminate: terminate? })
    }

    async fn next(&mut self) -> (&'static str, u8) {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPT,
            _ = self.terminate.recv() => TERMINATE,
        }
    }
}

/// Elsewhere there is only Ctrl-C.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn begin() -> std::io::Result<Signals> {
        Ok(Signals)
    }

    async fn next(&mut self) -> (&'static str, u8) {
        match tokio::signal::ctrl_c().await {
            Ok(()) => INTERRUPT,
            Err(_) => std::future::pending().await,
        }
    }
}

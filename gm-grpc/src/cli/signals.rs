//! What the operating system says to a race that runs: end after this turn, or stop at once.
//!
//! ```text
//! Ctrl-C            the race ends after this turn; once more: at once
//! SIGTERM, SIGHUP   at once, with the terminal as it was before
//! ```

use super::report::Wish;
use std::io;

/// The signals that a race listens to, from the moment at which this is made: none is missed between two waits.
#[cfg(unix)]
pub(super) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

/// The signals that a race listens to.
#[cfg(not(unix))]
pub(super) struct Signals;

/// A signal that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// Another one that ends a program.
    Terminate,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hang_up.recv() => Signal::Terminate,
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        Ok(Signals)
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) -> Signal {
        let _ = tokio::signal::ctrl_c().await;
        Signal::Interrupt
    }
}

impl Signal {
    /// What a signal wants, where `before` was wanted.
    pub(super) fn wish(self, before: Wish) -> Wish {
        match (self, before) {
            (Signal::Interrupt, Wish::GoOn) => Wish::End,
            (Signal::Interrupt, _) | (Signal::Terminate, _) => Wish::Stop,
        }
    }
}

impl Wish {
    /// The stronger of two wishes.
    pub(super) fn and(self, other: Wish) -> Wish {
        match (self, other) {
            (Wish::Stop, _) | (_, Wish::Stop) => Wish::Stop,
            (Wish::End, _) | (_, Wish::End) => Wish::End,
            (Wish::GoOn, Wish::GoOn) => Wish::GoOn,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_signal_means() {
        for (signal, before, wanted) in [
            (Signal::Interrupt, Wish::GoOn, Wish::End),
            (Signal::Interrupt, Wish::End, Wish::Stop),
            (Signal::Terminate, Wish::GoOn, Wish::Stop),
            (Signal::Terminate, Wish::End, Wish::Stop),
        ] {
            assert_eq!(signal.wish(before), wanted, "{signal:?} after {before:?}");
        }
    }

    #[test]
    fn wishes_add_up() {
        for (one, other, both) in [
            (Wish::GoOn, Wish::GoOn, Wish::GoOn),
            (Wish::GoOn, Wish::End, Wish::End),
            (Wish::End, Wish::GoOn, Wish::End),
            (Wish::End, Wish::End, Wish::End),
            (Wish::GoOn, Wish::Stop, Wish::Stop),
            (Wish::Stop, Wish::End, Wish::Stop),
        ] {
            assert_eq!(one.and(other), both, "{one:?} and {other:?}");
        }
    }
}

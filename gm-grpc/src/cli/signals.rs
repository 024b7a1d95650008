//! What the operating system says to a race that runs: end after this turn, or stop at once.
//!
//! ```text
//! Ctrl-C            the race ends after this turn; once more: at once
//! SIGTERM, SIGHUP   at once, with the terminal as it was before
//! ```

use super::Failure;
use super::report::Wish;
use std::io;

/// The signals that a race listens to.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hang_up: tokio::signal::unix::Signal,
}

/// A signal that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signal {
    /// Ctrl-C.
    Interrupt,
    /// Another one that ends a program.
    Terminate,
}

impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        Ok(Signals {
            #[cfg(unix)]
            terminate: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?,
            #[cfg(unix)]
            hang_up: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.hang_up.recv() => Signal::Terminate,
        }
    }

    /// Waits for the next signal.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> Signal {
        let _ = tokio::signal::ctrl_c().await;
        Signal::Interrupt
    }
}

impl Signal {
    /// What is wanted now, where `before` was wanted.
    ///
    /// # Errors
    /// [`Failure::Stopped`] if the race is to stop at once.
    pub(super) fn wish(self, before: Wish) -> Result<Wish, Failure> {
        match (self, before) {
            (Signal::Interrupt, Wish::GoOn) => {
                eprintln!("gm: the race ends after this turn; Ctrl-C again to stop at once");
                Ok(Wish::End)
            }
            (Signal::Interrupt, Wish::End) => Err(Failure::Stopped(130)),
            (Signal::Terminate, _) => Err(Failure::Stopped(143)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_signal_means() {
        for (signal, before, wanted) in [
            (Signal::Interrupt, Wish::GoOn, Ok(Wish::End)),
            (Signal::Interrupt, Wish::End, Err(130)),
            (Signal::Terminate, Wish::GoOn, Err(143)),
            (Signal::Terminate, Wish::End, Err(143)),
        ] {
            let means = signal.wish(before).map_err(|failure| match failure {
                Failure::Stopped(code) => code,
                _ => 0,
            });
            assert_eq!(means, wanted, "{signal:?} after {before:?}");
        }
    }
}

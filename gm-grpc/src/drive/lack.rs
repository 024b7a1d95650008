//! What the game master itself can run out of when it connects: files and ports. Nobody else's fault (R-7.9).
//!
//! ```text
//! connect ─▶ EMFILE: close idle connections, wait, connect ─▶ the deadline begins
//! ```
//!
//! Such a connection was never made and nothing was sent on it, so its deadline has not begun either.

use std::error::Error;
use std::io;
use std::time::Duration;

/// How long it takes until another attempt is made.
pub(super) const NEXT_ATTEMPT: Duration = Duration::from_millis(100);

/// The most causes that are looked at: no library nests its errors that deep.
const MAX_CAUSES: usize = 32;

/// `EMFILE`, the same number on all systems that have it: this process has no file left.
const NO_FILE_OF_THIS_PROCESS: i32 = 24;
/// `ENFILE`: the machine has no file left.
const NO_FILE_OF_THIS_MACHINE: i32 = 23;

/// What is lacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lack {
    /// Open files, of the process or of the machine.
    Files,
    /// Local ports or addresses to connect from.
    Ports,
}

impl Lack {
    /// What is lacking, if an error says so, or any error that caused it.
    pub(super) fn behind(error: &(dyn Error + 'static)) -> Option<Lack> {
        let mut cause = Some(error);
        for _ in 0..MAX_CAUSES {
            let this = cause?;
            let io = this.downcast_ref::<io::Error>();
            if let Some(lack) = io.and_then(Lack::of) {
                return Some(lack);
            }
            // An I/O error that wraps another passes it over when it is asked for its source.
            cause = match io.and_then(io::Error::get_ref) {
                Some(wrapped) => Some(wrapped),
                None => this.source(),
            };
        }
        None
    }

    fn of(error: &io::Error) -> Option<Lack> {
        match (error.raw_os_error(), error.kind()) {
            (Some(NO_FILE_OF_THIS_PROCESS | NO_FILE_OF_THIS_MACHINE), _) => Some(Lack::Files),
            (Some(_), io::ErrorKind::AddrNotAvailable) => Some(Lack::Ports),
            _ => None,
        }
    }

    /// How many attempts are made in all. Files come back when anybody closes one: a minute. A machine without IPv6
    /// says of a car's IPv6 address what it says when it has no port left, so that is not waited for longer than for
    /// a car that does not answer.
    pub(super) fn attempts(self) -> u32 {
        match self {
            Lack::Files => 600,
            Lack::Ports => 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::mishap::Mishap;

    /// An error with a cause.
    #[derive(Debug, thiserror::Error)]
    #[error("no connection")]
    struct Because(#[source] Box<dyn Error + Send + Sync>);

    fn of_the_system(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }

    /// R-7.9: what the system says, bare and wrapped, and what is lacking.
    #[test]
    fn r_7_9_what_is_lacking() {
        let no_port = io::Error::from_raw_os_error(if cfg!(target_os = "macos") { 49 } else { 99 });
        let refused = io::Error::from_raw_os_error(if cfg!(target_os = "macos") { 61 } else { 111 });
        for (name, error, lack) in [
            ("EMFILE", of_the_system(24), Some(Lack::Files)),
            ("ENFILE", of_the_system(23), Some(Lack::Files)),
            ("EADDRNOTAVAIL", no_port, Some(Lack::Ports)),
            ("ECONNREFUSED", refused, None),
            ("ENOENT", of_the_system(2), None),
            ("no number", io::Error::from(io::ErrorKind::AddrNotAvailable), None),
            ("wrapped", io::Error::other(of_the_system(24)), Some(Lack::Files)),
            ("wrapped in another", io::Error::other(Because(of_the_system(23).into())), Some(Lack::Files)),
        ] {
            assert_eq!(Lack::behind(&error), lack, "{name}");
            let because = Because(Because(error.into()).into());
            assert_eq!(Lack::behind(&because), lack, "{name}, as the cause of a cause");
            assert_eq!(Mishap::Connect(because.into()).lack(), lack, "{name}, as a mishap");
        }
        assert_eq!(Mishap::Deadline.lack(), None);
    }

    /// An error that is its own cause is not looked at for ever.
    #[test]
    fn causes_without_end() {
        #[derive(Debug)]
        struct Own;
        impl std::fmt::Display for Own {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("own")
            }
        }
        impl Error for Own {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(self)
            }
        }
        assert_eq!(Lack::behind(&Own), None);
    }
}

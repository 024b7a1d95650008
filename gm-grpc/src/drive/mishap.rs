//! What can go wrong on a line, and the one function that makes a fault of it.
//!
//! A mishap holds the library's error, for the log; the fault is of the closed list that the rules know.

use super::lack::Lack;
use gm_core::contract::Fault;
use std::error::Error;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Mishap {
    /// The URL can't be written as an HTTP request.
    #[error("the URL can't be sent")]
    Unspeakable(#[source] http::Error),
    /// No connection, or no TLS on it.
    #[error("no connection")]
    Connect(#[source] Box<dyn Error + Send + Sync>),
    /// The deadline passed, wherever it was.
    #[error("the deadline passed")]
    Deadline,
    /// The exchange broke off, or what came was not HTTP.
    #[error("the exchange broke off")]
    Exchange(#[source] hyper::Error),
    /// The body is larger than may be (C-21), or what is said around it.
    #[error("the answer is too large")]
    TooLarge,
}

impl Mishap {
    /// What the game master itself lacked, if that is why nothing was sent.
    pub(super) fn lack(&self) -> Option<Lack> {
        match self {
            Mishap::Connect(error) => Lack::behind(&**error),
            Mishap::Unspeakable(_) | Mishap::Deadline | Mishap::Exchange(_) | Mishap::TooLarge => None,
        }
    }

    /// The fault that the rules are told.
    pub(super) fn fault(&self) -> Fault {
        match self {
            Mishap::Unspeakable(_) | Mishap::Connect(_) => Fault::Unreachable,
            Mishap::Deadline => Fault::Late,
            Mishap::Exchange(_) => Fault::Broken,
            Mishap::TooLarge => Fault::TooLarge,
        }
    }
}

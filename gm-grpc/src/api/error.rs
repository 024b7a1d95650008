//! What goes wrong at the edge, and what a client is told of it.
//!
//! | what | code | details |
//! |---|---|---|
//! | a field is out of its range | `INVALID_ARGUMENT` | `BadRequest` with every field |
//! | no or an unknown token | `UNAUTHENTICATED` | |
//! | a token for something else | `PERMISSION_DENIED` | |
//! | too much at once, the game master shuts down | `RESOURCE_EXHAUSTED`, `UNAVAILABLE` | `RetryInfo` |
//!
//! Each has an `ErrorInfo` whose reason is a name for programs. [`ApiError::into_status`] is the one place where
//! errors become codes of gRPC; HTTP has another, in [`web`](crate::web). What is the game master's own business, where
//! its files are for instance, is in its log and never in an answer.

use super::field::Violation;
use crate::control::{CannotOwn, Denied, Refused};
use crate::journal::JournalError;
use gm_core::race::command::Refusal;
use std::collections::HashMap;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// The domain of all reasons.
pub const DOMAIN: &str = "gm";

/// After how long it is worth to ask again, where nothing better is known.
const SOON: Duration = Duration::from_secs(1);

/// Why a request was not done.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    /// Fields are out of their range.
    #[error("{}", in_words(.0))]
    Invalid(Vec<Violation>),
    /// Everything else.
    #[error("{words}")]
    Other {
        /// Its code in gRPC.
        code: Code,
        /// For programs, in capitals: `RACE_NOT_FOUND`.
        reason: &'static str,
        /// For people: what is wrong, and what to do.
        words: String,
        /// More for programs: from where to resume, for instance.
        metadata: Vec<(&'static str, String)>,
        /// After how long it is worth to ask again, if it is.
        retry: Option<Duration>,
    },
}

fn in_words(violations: &[Violation]) -> String {
    /// How many are named in the message; the details name all.
    const MOST: usize = 5;
    let named = violations.iter().take(MOST).map(|wrong| format!("{}: {}", wrong.field, wrong.description));
    let mut words: Vec<String> = named.collect();
    if violations.len() > MOST {
        words.push(format!("and {} more", violations.len() - MOST));
    }
    words.join("; ")
}

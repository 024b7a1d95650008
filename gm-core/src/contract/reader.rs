//! The tolerant reader (C-22): strict in what is asked, tolerant in what is taken, and never silent about it.
//!
//! Each function reads one kind of answer and gives the value *and* every deviation that was accepted on the way:
//!
//! ```
//! use gm_core::contract::{Answer, Deviation, reader};
//! let taken = reader::count(&Answer::ok(r#"{"res": "3"}"#)).unwrap();
//! assert_eq!((taken.value, taken.deviations), (3, vec![Deviation::NumberAsText]));
//! ```

use super::car::CarState;
use super::fault::{Answer, Fault};
use super::kind::Kind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A deviation from the contract that was accepted (C-22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deviation {
    /// `true` or `false` as a JSON string.
    BooleanAsText,
    /// A whole number as a JSON string.
    NumberAsText,
    /// `0` or `1` for a boolean.
    BooleanAsNumber,
    /// A whole number with a zero fraction, `3.0`.
    NumberWithFraction,
    /// The bare value without `{"res": …}`.
    NoEnvelope,
    /// A kind of module in another case, `"Engine"`.
    KindInOtherCase,
    /// No content type.
    ContentTypeMissing,
    /// Another content type than `application/json`.
    ContentTypeOther,
    /// Fields that the contract does not know.
    UnknownFields,
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Deviation::BooleanAsText => "a boolean as a JSON string",
            Deviation::NumberAsText => "a whole number as a JSON string",
            Deviation::BooleanAsNumber => "0 or 1 for a boolean",
            Deviation::NumberWithFraction => "a whole number with a fraction of zero",
            Deviation::NoEnvelope => "the bare value without {\"res\": …}",
            Deviation::KindInOtherCase => "a kind of module in another case",
            Deviation::ContentTypeMissing => "no content type",
            Deviation::ContentTypeOther => "another content type than application/json",
            Deviation::UnknownFields => "unknown extra fields",
        })
    }
}

/// A value that was taken from an answer, with the deviations accepted, each once, in the order of [`Deviation`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken<T> {
    /// The value.
    pub value: T,
    /// What was accepted (C-22).
    pub deviations: Vec<Deviation>,
}

/// What came of a question: a value, or a fault.
pub type Reply<T> = Result<Taken<T>, Fault>;

/// Reads the name of a bucket, queue or table (C-1, C-2, C-3): a JSON string that is not empty.
pub fn resource(answer: &Answer) -> Reply<String> {
    todo!("{answer:?}")
}

/// Reads a number of modules (C-4).
pub fn count(answer: &Answer) -> Reply<u64> {
    todo!("{answer:?}")
}

/// Reads a car's state (C-5, the one answer without an envelope: C-19).
pub fn state(answer: &Answer) -> Reply<CarState> {
    todo!("{answer:?}")
}

/// Reads a yes or no (C-12, C-13, C-15).
pub fn boolean(answer: &Answer) -> Reply<bool> {
    todo!("{answer:?}")
}

/// Reads what a car buys in a garage (C-14): a kind, or nothing for `"none"`, `null` or an absent `res`.
pub fn purchase(answer: &Answer) -> Reply<Option<Kind>> {
    todo!("{answer:?}")
}

/// Reads the URL of a duel AI (C-16) as text; [`super::DuelUrl`] parses it.
pub fn text(answer: &Answer) -> Reply<String> {
    todo!("{answer:?}")
}

/// Reads the cards that a duel AI plays (A-2, R-6.2): a list of whole numbers. Whether they are legal is for the
/// rules to say; a number that is no card is [`Fault::NotTheValue`].
pub fn cards(answer: &Answer) -> Reply<Vec<u8>> {
    todo!("{answer:?}")
}
